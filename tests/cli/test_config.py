"""`comparanda.toml`: settings like options, paths from the file's folder, the command line wins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.files import write
from tests.command import run

SETUP = """
task = "pos"
key = "../demo/key.conllu"
resamples = 0
by = ["label", "length"]
top = 2

[systems]
"a/b=c" = "../demo/brill.conllu"
plain = "../demo/spacy.conllu::conllu?column=upos"
"""


def test_a_file_names_key_systems_and_options(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("setup/runs.toml", SETUP)
    outcome = run(capsys, "compare", "--config", "setup/runs.toml", "--json", "-q")
    assert outcome.code == 0
    anatomy = outcome.json["anatomy"]
    assert {each["system"] for each in anatomy["scores"]["scores"]} == {"a/b=c", "plain"}
    assert [each["by"] for each in anatomy["slices"]] == ["label", "length"]


def test_a_file_of_the_usual_name_is_read_by_itself(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("comparanda.toml", SETUP.replace("../", ""))
    outcome = run(capsys, "diff")
    assert outcome.out.startswith("\nDifference a/b=c → plain")
    assert outcome.err.startswith("note: settings read from comparanda.toml\n")
    assert run(capsys, "diff", "-q").err == ""


def test_the_command_line_wins(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("comparanda.toml", 'format = "csv"\njson = false\n' + SETUP.replace("../", ""))
    outcome = run(capsys, "score", "--by", "length", "--json", "-q")
    assert outcome.json["slices"]["by"] == "length"
    sliced = run(capsys, "score", "--by", "length", "-q").out
    assert sliced.startswith("value,sites,a/b=c,plain,")
    other = run(capsys, "score", "demo/key.conllu", "h=demo/hanta.conllu", "--by", "length", "-q")
    assert other.out.startswith("value,sites,h\n")


def test_another_key_keeps_the_systems(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("comparanda.toml", SETUP.replace("../", ""))
    outcome = run(capsys, "score", "demo/hanta.conllu", "--by", "length", "--json", "-q")
    assert outcome.json["slices"]["systems"] == ["a/b=c", "plain"]


def test_json_in_a_file_gives_way_to_a_format(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("comparanda.toml", "json = true\n" + SETUP.replace("../", ""))
    assert json.loads(run(capsys, "diff", "-q").out)["schema"].startswith("comparanda/difference/")
    assert run(capsys, "diff", "--format", "md", "-q").out.startswith("### Difference")


def test_maps_and_training_files_start_from_the_files_folder(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = '\n[maps]\nkey = "n.map"\n"plain" = "n.map"\n'
    write("setup/n.map", "NOUN\tN\n")
    write("setup/runs.toml", 'train = "../demo/hanta.conllu"\n' + SETUP + tables)
    outcome = run(capsys, "score", "--config", "setup/runs.toml", "--by", "seen", "--json")
    assert outcome.code == 0
    assert "plain: label NOUN read as N" in outcome.err
    assert "a/b=c: label NOUN" not in outcome.err
    write("setup/runs.toml", 'map = ["n.map", "key=n.map"]\n' + SETUP)
    assert "a/b=c: label NOUN read as N" in run(capsys, "diff", "--config", "setup/runs.toml").err


def test_settings_of_other_commands_are_passed_over(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("comparanda.toml", 'measure = "accuracy"\ncite = true\nfold_case = false\n' + SETUP.replace("../", ""))
    assert run(capsys, "diff", "-q").code == 0


def test_a_result_folder_does_not_mind_the_file(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("demo/key.conllu", "demo/hanta.conllu", "--task", "pos", "--resamples", "0", "-q")
    run(capsys, "compare", *arguments, "--save", "result")
    write("comparanda.toml", 'only-label = "NOUN"\n' + SETUP.replace("../", "").replace('by = ["label", "length"]', ""))
    outcome = run(capsys, "score", "result", "--json", "-q")
    assert outcome.json["scores"]["scores"][0]["system"] == "hanta"
    assert outcome.json["scores"]["scores"][0]["whole"] > 3000


@pytest.mark.parametrize(
    ("text", "code", "problem"),
    [
        ("sed = 3", 2, "c.toml: unknown setting 'sed' (did you mean 'seed'?)"),
        ("sistems = 3", 2, "c.toml: unknown setting 'sistems' (did you mean 'systems'?)"),
        ("debug = true", 2, "c.toml: unknown setting 'debug'"),
        ('seed = "x"', 2, "c.toml: seed: expected an integer of at least 0, got 'x'"),
        ("seed = true", 2, "c.toml: seed: expected a string or a number, got True"),
        ("strict = 1", 2, "c.toml: strict: expected true or false, got 1"),
        ("by = [[1]]", 2, "c.toml: by: expected strings, got [[1]]"),
        (
            'missing = "eror"',
            2,
            "c.toml: missing: expected error, empty or intersection, got 'eror' (did you mean 'error'?)",
        ),
        ("key = 3", 2, "c.toml: key must be a file"),
        ('systems = ["a"]', 2, "c.toml: [systems] must be a table of names and files"),
        ("[maps]\nkey = 1", 2, "c.toml: [maps] must be a table of names and files"),
        ("seed = ", 3, "c.toml: invalid TOML: Invalid value (at end of document)"),
        ("seed = 1\nseed = 2", 3, "c.toml: invalid TOML: "),
        (f"seed = {'9' * 5000}", 3, "c.toml: invalid TOML: Exceeds the limit (4300 digits)"),
    ],
)
def test_what_a_file_cannot_say(
    text: str, code: int, problem: str, work: Path, *, capsys: pytest.CaptureFixture[str]
) -> None:
    write("c.toml", text)
    outcome = run(capsys, "compare", "--config", "c.toml")
    assert outcome.code == code
    assert outcome.err.startswith(f"comparanda: {problem}")


def test_a_file_that_is_not_there(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "compare", "--config", "c.toml")
    assert (outcome.code, outcome.err) == (3, "comparanda: c.toml: cannot be read: No such file or directory\n")

"""Exit code 2: the request itself is wrong. Every word that is unknown gets its nearest match."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.files import DEMO, key_and_system, write
from tests.command import run


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Run a command that must be refused as wrong usage; return its error paragraph."""
    outcome = run(capsys, *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("comparanda: ")
    return outcome.err.removeprefix("comparanda: ").rstrip("\n")


def test_an_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "compre") == (
        "unknown command 'compre' (did you mean 'compare'?)\n"
        "  commands: compare, score, diff, complement, combine, ablate, leaderboard, suspects, stability, agree, "
        "simulate, ask, gate, report, serve, examples, validate, convert, rules, formats, schema, demo"
    )


def test_files_without_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "gold.conllu", "a.conllu") == (
        "unknown command 'gold.conllu'\n  give a command: comparanda compare KEY NAME=FILE… --task TASK"
    )


def test_an_unknown_option(capsys: pytest.CaptureFixture[str]) -> None:
    text = "no such option '--jsn' (did you mean '--json'?)\n  see comparanda compare --help"
    assert refused(capsys, "compare", "--jsn") == text


def test_an_unknown_short_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "compare", "-x") == "no such option '-x'\n  see comparanda compare --help"


def test_an_option_of_the_whole_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "--versoin").startswith("no such option '--versoin' (did you mean '--version'?)")


def test_an_option_without_its_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "compare", "--top") == "option '--top' requires an argument"


def test_too_many_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    text = "got unexpected extra argument (b)\n  see comparanda formats --help"
    assert refused(capsys, "formats", "a", "b") == text


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--missing", "eror"), "--missing: expected error, empty or intersection, got 'eror' (did you mean 'error'?)"),
        (
            ("--format", "jsn"),
            "--format: expected table, md, csv, tsv, latex, jsonl or json, got 'jsn' (did you mean 'json'?)",
        ),
        (("--zero-division", "2"), "--zero-division: expected 0 or 1, got '2'"),
        (("--seed", "x"), "--seed: expected an integer of at least 0, got 'x'"),
        (("--seed", "-1"), "--seed: expected an integer of at least 0, got '-1'"),
        (("--resamples", "1.5"), "--resamples: expected an integer of at least 0, got '1.5'"),
        (("--top", "٣"), "--top: expected an integer of at least 0, got '٣'"),
        (("--max-line", "0"), "--max-line: expected an integer of at least 1, got '0'"),
        (("--limit", "labels=0"), "--limit: expected an integer of at least 1, got '0'"),
        (("--limit", "labels"), "--limit: expected NAME=VALUE, got 'labels'"),
        (("--where", " "), "--where: the value is empty"),
        (("--column", ""), "--column: the value is empty"),
        (("--output", ""), "--output: the value is empty"),
        (("--by", "label,,length"), "--by: no name in 'label,,length'"),
        (("--json", "--format", "md"), "--json and --format md cannot be combined"),
    ],
)
def test_an_option_value_that_cannot_be(
    arguments: tuple[str, ...], text: str, demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(capsys, "score", *DEMO, *arguments) == text


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ("--task", "poss"),
            "unknown task 'poss' (did you mean 'pos'?)\n  tasks: coref, dep, label, link, pos, prob, span",
        ),
        (("--measure", "acuracy"), "unknown measure 'acuracy' (did you mean 'accuracy'?)"),
        (("--measure", "f1[NOUM]"), "the label 'NOUM' does not occur"),
        (("--by", "lable"), "unknown attribute 'lable' (did you mean 'label'?)"),
        (("--view", "uops"), "unknown view 'uops' (did you mean 'upos'?)"),
        (("--where", "wrod == 'x'"), "unknown name 'wrod' (did you mean 'word'?)"),
        (("--where", "key =="), ""),
        (("--where", "false"), "no sites match 'false'"),
        (("--only-label", "VREB"), "--only-label: the label 'VREB' does not occur (did you mean 'VERB'?)"),
        (("--only-label", "X", "--ignore-label", "X"), "no sites left to count"),
        (
            ("--map", "bril=gold.map"),
            "label map for an unknown side: 'bril' (did you mean 'brill'?)\n"
            "  write WHO=FILE, where WHO is key, brill, spacy or all",
        ),
    ],
)
def test_a_name_that_is_not_there(
    arguments: tuple[str, ...], text: str, demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("gold.map", "NOUN N\n")
    assert refused(capsys, "score", *DEMO, "--quiet", *arguments).startswith(text)


def test_a_system_that_is_not_there(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "unknown system 'bril' (did you mean 'brill'?)\n  systems: brill, spacy"
    assert refused(capsys, "diff", *DEMO, "--quiet", "--base", "bril") == text


def test_a_run_that_is_not_there_in_a_condition(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = refused(capsys, "examples", *DEMO, "--quiet", "--where", 'right("bril")')
    assert text.startswith("unknown run 'bril' (did you mean 'brill'?)")


def test_a_format_that_is_not_there(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = refused(capsys, "score", "demo/key.conllu", "demo/brill.conllu::conlu", "--task", "pos")
    assert text.startswith("unknown format 'conlu' (did you mean 'conllu'?)")
    assert refused(capsys, "formats", "jsonel").startswith("unknown format 'jsonel' (did you mean 'jsonl'?)")


def test_an_option_that_a_format_does_not_have(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = refused(capsys, "score", "demo/key.conllu", "demo/brill.conllu::conllu?colum=xpos", "--task", "pos")
    assert text.startswith("format 'conllu' has no option 'colum' (did you mean 'column'?)")


def test_an_output_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "schema", "score").startswith("unknown output 'score' (did you mean 'scores'?)")


def test_no_task(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "missing option --task\n  add --task pos, --task tag --column xpos, --task dep, --task label …"
    assert refused(capsys, "score", *key_and_system()) == text


def test_no_key(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "no key given\n  comparanda score KEY NAME=FILE… (or key and [systems] in a TOML file)"
    assert refused(capsys, "score") == text
    assert refused(capsys, "score", "", "sys.conllu", "--task", "pos") == text


def test_no_system(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "no system given\n  comparanda diff KEY NAME=FILE…"
    assert refused(capsys, "diff", key_and_system()[0], "--task", "pos") == text


def test_a_system_without_a_file(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "score", key_and_system()[0], "", "--task", "pos") == "the input '' has no file name"


def test_a_system_with_an_empty_name(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "the name before '=sys.conllu' is empty\n  write NAME=FILE, or FILE alone"
    assert refused(capsys, "score", key_and_system()[0], " =sys.conllu", "--task", "pos") == text


def test_two_systems_of_one_name(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    write("old/sys.conllu", Path(system).read_text())
    assert refused(capsys, "score", key, system, "old/sys.conllu", "--task", "pos") == (
        "two systems are named 'sys': 'sys.conllu' and 'old/sys.conllu'\n"
        "  rename them: sys-1=sys.conllu sys-2=old/sys.conllu"
    )


@pytest.mark.parametrize("written", ["gold.conllu", "a=gold.conllu", "a=./gold.conllu::conllu", "a=link.conllu"])
def test_the_key_given_as_a_system(written: str, work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, _ = key_and_system()
    Path("link.conllu").symlink_to(key)
    text = refused(capsys, "score", key, written, "--task", "pos")
    assert text.startswith("the key is also given as a system: ")


def test_another_column_of_the_key_is_a_system(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "score", "demo/key.conllu", "x=demo/key.conllu::conllu?column=xpos", "--task", "pos", "-q")
    assert outcome.code == 0


def test_key_and_system_in_the_wrong_order(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "score", "demo/spacy.conllu", "demo/key.conllu", "--task", "pos") == (
        "a system cannot be named 'key'\n  the key comes first; if this is a system, name it: NAME=demo/key.conllu"
    )


def test_standard_input_given_twice(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "standard input can be read only once, but '-' is given twice"
    assert refused(capsys, "score", "-", "b=-", "--task", "pos") == text


def test_one_system_is_too_few_for_a_difference(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "diff", *key_and_system(), "--task", "pos", "-q")
    assert outcome.code == 2
    assert outcome.err.startswith("comparanda: a difference requires two systems")


def test_a_system_against_itself(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = refused(capsys, "diff", *DEMO, "-q", "--base", "spacy", "--new", "spacy")
    assert text == "the system 'spacy' is compared with itself"


def test_several_slices_in_one_json_document(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "score", *DEMO, "--by", "label,length", "--json") == (
        "json can contain only one finding, and --by requests 2\n"
        "  give one attribute, or use 'comparanda compare --json', which contains all"
    )


def test_a_map_for_all_beside_a_system_called_all(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    write("m.map", "NOUN N\n")
    text = refused(capsys, "score", key, f"all={system}", "--task", "pos", "--map", "all=m.map")
    assert text == "--map all=… is ambiguous: it may mean the system 'all' or all sides\n  rename the system"


@pytest.mark.parametrize("target", ["demo/key.conllu", "demo/../demo/brill.conllu"])
def test_output_over_an_input(target: str, demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = Path(target).read_bytes()
    text = f"--output would overwrite an input: {target!r}\n  choose another file"
    assert refused(capsys, "score", *DEMO, "-o", target) == text
    assert Path(target).read_bytes() == before


def test_validate_tells_wrong_usage_from_bad_files(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "validate", *key_and_system(), "--task", "poss").startswith("unknown task 'poss'")

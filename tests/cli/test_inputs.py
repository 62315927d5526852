"""Where input can come from: standard input, packed files, folders, patterns, pipes, result folders."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import threading
from pathlib import Path

import pytest

from comparanda.cli import options
from comparanda.demo import TASKS
from tests.cli.files import DEMO, conllu, key_and_system, program, write
from tests.command import Outcome, run
from tests.seeds import first_few

TASK = ("--task", "pos", "--resamples", "0", "-q")


def accuracy(outcome: Outcome) -> dict[str, float]:
    """Return the accuracy of each system from the JSON of `score`."""
    scores = outcome.json["scores"]["scores"]
    return {each["system"]: each["value"] for each in scores if each["measure"] == "accuracy"}


def test_standard_input(work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(system).read_bytes())))
    assert accuracy(run(capsys, "score", key, "-", *TASK, "--json")) == {"stdin": 0.8}


def test_standard_input_as_the_key(work: Path) -> None:
    key, system = key_and_system()
    done = program("score", "-", system, *TASK, "--format", "csv", input=Path(key).read_text())
    assert done.stdout.splitlines()[1].startswith("sys,0.8,")


def test_a_packed_file(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    write("sys.conllu.gz", gzip.compress(Path(system).read_bytes()))
    assert accuracy(run(capsys, "score", key, "sys.conllu.gz", *TASK, "--json")) == {"sys": 0.8}


@pytest.mark.parametrize("written", ["parts", "parts/", "s=parts", "s=parts/*.conllu", "s=part?/*"])
def test_a_folder_and_a_pattern_are_one_corpus(written: str, work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    first, second = Path(system).read_text().split("\n\n", 1)
    write("parts/1.conllu", first + "\n\n")
    write("parts/2.conllu", second)
    name = "s" if written.startswith("s=") else "parts"
    assert accuracy(run(capsys, "score", key, written, *TASK, "--json")) == {name: 0.8}


def test_a_named_pipe(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    os.mkfifo("pipe")
    text = Path(system).read_bytes()
    writer = threading.Thread(target=lambda: Path("pipe").write_bytes(text))
    writer.start()
    assert accuracy(run(capsys, "score", key, "pipe", *TASK, "--json")) == {"pipe": 0.8}
    writer.join()


def test_a_named_format_and_its_options(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same = "demo/key.conllu::conllu?column=xpos"
    outcome = run(capsys, "score", "demo/key.conllu", f"x={same}", "--task", "tag:xpos", *TASK[2:], "--json")
    assert accuracy(outcome) == {"x": 1.0}


def test_a_name_that_looks_like_an_option(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    assert accuracy(run(capsys, "score", *TASK, "--json", "--", key, f"--help={system}")) == {"--help": 0.8}


def test_a_file_whose_name_is_no_text(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    odd = os.fsdecode(b"\xff.conllu")
    shutil.copy(system, odd)
    assert "\\udcff" in run(capsys, "score", key, odd, *TASK).out
    assert accuracy(run(capsys, "score", key, odd, *TASK, "--json")) == {"\\udcff": 0.8}


def test_conditions_and_slices_fetch_the_columns_they_name(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "examples", *DEMO, "--where", 'xpos == "NNP" and genre == "news" and word != "x"', "--json")
    found = outcome.json["examples"]
    assert found["count"] > 0
    narrowed = run(capsys, "score", *DEMO, "--where", 'xpos == "NNP" and genre == "news"', "--json")
    assert narrowed.json["scores"]["scores"][0]["whole"] == found["count"]
    sliced = run(capsys, "score", *DEMO, "--by", "xpos", "--json").json["slices"]["slices"]
    assert {"NN", "NNP"} <= {each["value"] for each in sliced}


def test_one_system_thirty_systems_and_twins(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    assert run(capsys, "compare", key, system, *TASK).code == 0
    many = [f"s{number}={system}" for number in range(30)]
    outcome = run(capsys, "compare", key, *many, *TASK, "--json")
    anatomy = outcome.json["anatomy"]
    assert len(anatomy["pairs"]["pairs"]) == 30 * 29 / 2
    assert {pair["different"] for pair in anatomy["pairs"]["pairs"]} == {0}
    assert run(capsys, "compare", key, *many, *TASK).code == 0


def test_a_key_of_one_token(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = "1\ta\t_\t{}\t_\t_\t0\troot\t_\t_\n\n"
    key, system = write("gold.conllu", line.format("X")), write("sys.conllu", line.format("Y"))
    for command in ("compare", "score", "examples"):
        assert run(capsys, command, key, system, f"twin={system}", "--task", "pos", "--resamples", "50").code == 0
    assert "tag: 1 document, 1 site\n" in run(capsys, "compare", key, system, *TASK).out


def test_label_maps_for_one_side(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, system = key_and_system()
    write("sys.conllu", conllu("N", "V", "N", "V", "R"))
    write("m.map", "N\tNOUN\nV\tVERB\nR\tADV\n")
    assert accuracy(run(capsys, "score", key, system, *TASK, "--json")) == {"sys": 0.0}
    assert accuracy(run(capsys, "score", key, system, *TASK, "--json", "--map", "sys=m.map")) == {"sys": 1.0}
    write("a=b.map", Path("m.map").read_text())
    assert accuracy(run(capsys, "score", key, system, *TASK, "--json", "--map", "a=b.map")) == {"sys": 1.0}


def test_a_result_folder_stands_for_key_and_systems(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = run(capsys, "compare", *DEMO, "--by", "xpos", "--save", "result", "--json")
    assert saved.code == 0
    assert saved.err.endswith("wrote result (open it: comparanda compare result)\n")
    assert run(capsys, "compare", "result", "--by", "xpos", "--json").out == saved.out
    for command in (("score",), ("diff",), ("examples", "--where", 'correction and xpos == "NNP"', "--top", "3")):
        again = run(capsys, command[0], "result", *command[1:], "--json", "-q")
        assert again.code == 0
        assert again.out == run(capsys, command[0], *DEMO, *command[1:], "--json", "-q").out


def test_a_result_folder_can_be_resampled_anew(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "compare", *DEMO, "--save", "result", "-q")
    anew = run(capsys, "score", "result", "--resamples", "50", "--seed", "7", "--json", "-q")
    direct = run(capsys, "score", *DEMO[:-1], "50", "--seed", "7", "--json", "-q")
    assert anew.out == direct.out
    assert "resamples:50|seed:7" in anew.json["signature"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("score", "result", "--only-label", "X"), "--only-label is fixed in the result folder 'result'"),
        (("score", "result", "--task", "pos"), "--task is fixed in the result folder 'result'"),
        (("score", "result", "demo/hanta.conllu"), "'result' is a result folder, which contains its systems"),
        (("examples", "result", "--where", 'xpos == "N"'), "the result folder has no attribute 'xpos'"),
        (("score", "result", "-o", "result/manifest.json"), "--output would overwrite an input"),
    ],
)
def test_what_a_result_folder_has_settled(
    arguments: tuple[str, ...], text: str, demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "compare", *DEMO, "--save", "result", "-q")
    outcome = run(capsys, *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"comparanda: {text}")


def test_a_result_folder_is_not_written_over_other_things(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "compare", *DEMO, "--save", "demo", "-q")
    assert outcome.code == 3
    assert "the path exists and is not a result folder" in outcome.err
    outcome = run(capsys, "compare", *DEMO, "--save", "/proc/nowhere/result", "-q")
    assert outcome.code == 3
    assert "/proc/nowhere" in outcome.err


def test_the_demo_is_copied_and_a_folder_that_cannot_be(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "demo", "--copy", "here").out == "wrote 14 files to here\n"
    outcome = run(capsys, "demo", "--copy", "here/key.conllu")
    assert (outcome.code, outcome.err) == (3, "comparanda: here/key.conllu: cannot be written: File exists\n")


@pytest.mark.parametrize(
    ("task", "pattern", "names"),
    first_few(
        1,
        [
            ("span", "here/entities/{}.bio", ("key", "compromise", "opennlp", "spacy", "spacy2")),
            ("coref", "here/chains/{}.conll", ("key", "compromise", "xrenner", "xrenner_rules")),
        ],
    ),
)
def test_the_demo_of_a_task_is_the_same_as_its_copied_files(
    task: str, pattern: str, names: tuple[str, ...], work: Path, *, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "demo", "--copy", "here")
    files = [pattern.format(name) for name in names]
    copied = run(capsys, "compare", *files, "--task", task, "--resamples", "0", "-q").out
    assert run(capsys, "demo", "--task", task, "--resamples", "0").out == copied
    assert copied.startswith(f"{task}: 30 documents, ")


def test_the_demo_has_outputs_for_each_of_its_tasks() -> None:
    assert options.DEMO == TASKS

"""`comparanda convert`: from one format to another, losses said, refusals with the reason."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.command import run

BIO = "Anna\tB-PER\nSmith\tI-PER\nran\tO\n\nBo\tB-PER\n"
DOCUMENT = {
    "id": "d1",
    "text": "Anna met Bo.",
    "spans": [
        {"begin": 0, "end": 4, "label": "PER", "id": "Q1|NIL", "confidence": "low"},
        {"begin": 9, "end": 11, "label": "PER", "id": "Q2"},
    ],
}
NESTED = {
    "id": "d1",
    "text": "New York",
    "spans": [{"begin": 0, "end": 8, "label": "A"}, {"begin": 4, "end": 8, "label": "B"}],
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.conll").write_text(BIO)
    Path("gold.jsonl").write_text(json.dumps(DOCUMENT) + "\n")
    Path("nested.jsonl").write_text(json.dumps(NESTED) + "\n")


def test_the_output_s_name_tells_the_format(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "convert", "gold.jsonl", "out.conllu")
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == "wrote out.conllu: 2 spans in 1 document, from jsonl to conllu\n"
    again = run(capsys, "convert", "out.conllu", "-", "--to", "jsonl", "-q")
    read = json.loads(again.out)
    assert (read["id"], read["text"]) == ("d1", "Anna met Bo.")
    assert [(each["begin"], each["end"], each["id"]) for each in read["spans"]] == [(0, 4, "Q1|NIL"), (9, 11, "Q2")]


def test_losses_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "convert", "gold.conll", "-", "--to", "jsonl")
    assert json.loads(outcome.out)["text"] == "Anna Smith ran Bo"
    assert outcome.err == (
        "note: output: not written: white space between words, which the input does not have: one space is inserted"
        ": 1 (gold)\n"
    )


def test_strict_refuses_losses(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "convert", "gold.conll", "out.jsonl", "--strict")
    assert outcome.code == 3
    assert outcome.err.startswith("comparanda: the input produced warnings (--strict)\n")
    assert not Path("out.jsonl").exists()


def test_what_a_format_cannot_say_at_all_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "convert", "nested.jsonl", "out.conll", "--to", "columns")
    assert outcome.code == 3
    assert outcome.err.startswith("comparanda: two spans share words, which chunk tags cannot encode\n")
    assert not Path("out.conll").exists()


def test_a_format_with_many_files_makes_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "convert", "gold.jsonl", "out", "--to", "brat").code == 0
    assert sorted(path.name for path in Path("out").iterdir()) == ["d1.ann", "d1.txt"]
    assert Path("out/d1.txt").read_text() == "Anna met Bo."
    assert run(capsys, "convert", "out", "again.jsonl", "-q").code == 0
    spans = json.loads(Path("again.jsonl").read_text())["spans"]
    assert [(each["begin"], each["id"]) for each in spans] == [(0, "Q1|NIL"), (9, "Q2")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gold.jsonl", "gold.jsonl"), "the output would be written over the input: 'gold.jsonl'"),
        (("gold.jsonl", "out.xyz"), "missing option --to: the name of 'out.xyz'"),
        (
            ("gold.jsonl", "out", "--to", "bratt"),
            "unknown output format 'bratt' (did you mean 'brat'?)",
        ),
        (("gold.jsonl", "out.jsonl::jsonl", "--to", "brat"), "--to brat and ::jsonl cannot be combined"),
        (("gold.jsonl", "-", "--to", "brat"), "format 'brat' writes a file for each document"),
        (
            ("gold.jsonl", "out.conll::columns?schema=x"),
            "format 'columns' has no option 'schema' for writing (did you mean",
        ),
    ],
)
def test_what_cannot_be_meant(arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "convert", *arguments)
    assert outcome.code == 2
    assert outcome.err.startswith(f"comparanda: {said}")


def test_a_folder_that_is_not_empty_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    Path("out").mkdir()
    Path("out/mine.txt").write_text("x")
    outcome = run(capsys, "convert", "gold.jsonl", "out", "--to", "brat")
    assert (outcome.code, outcome.err) == (3, "comparanda: out: the folder is not empty\n")
    assert [path.name for path in Path("out").iterdir()] == ["mine.txt"]


def test_what_cannot_be_read_is_told_as_ever(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.jsonl").write_text('{"id": "d1", "text": "x", "spans": [{"begin": 0, "end": 9, "label": "A"}]}\n')
    outcome = run(capsys, "convert", "bad.jsonl", "out.jsonl")
    assert outcome.code == 3
    assert "ends at 9, but the text has 1 character" in outcome.err


CHAINS = (
    "#begin document (d); part 002\nd\t2\t0\tAnna\tNNP\t(0)\nd\t2\t1\tsaw\tVBD\t-\nd\t2\t2\ther\tPRP$\t(0)|(4\n"
    "d\t2\t3\tcat\tNN\t4)\n\n#end document\n"
)
ENTITIES = (
    "# newdoc id = d\n# global.Entity = eid-etype\n"
    "1\tAnna\t_\tPROPN\tNNP\t_\t_\t_\t_\tEntity=(e1-person)\n2\tlaughed\t_\tVERB\tVBD\t_\t_\t_\t_\t_\n"
    "2.1\t_\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-person)\n\n"
)


class TestChains:
    @pytest.fixture(autouse=True)
    def _files(self) -> None:
        Path("key.conll").write_text(CHAINS)
        Path("gum.conllu").write_text(ENTITIES)

    def test_an_input_that_holds_nothing_else(self, capsys: pytest.CaptureFixture[str]) -> None:
        outcome = run(capsys, "convert", "key.conll", "out.jsonl")
        assert outcome.code == 0
        assert outcome.err == (
            "note: output: not written: white space between words, which the input does not have: one space is inserted"
            ": 1 (d; part 2)\nnote: output: not written: 'xpos' of words: 1 (d; part 2)\n"
            "wrote out.jsonl: 3 mentions in 2 chains in 1 document, from conll2012 to jsonl\n"
        )
        read = json.loads(Path("out.jsonl").read_text())
        assert read["text"] == "Anna saw her cat"
        assert [(each["text"], each["chain"]) for each in read["spans"]] == [
            ("Anna", "0"),
            ("her", "0"),
            ("her cat", "4"),
        ]

    def test_an_output_that_holds_nothing_else(self, capsys: pytest.CaptureFixture[str]) -> None:
        outcome = run(capsys, "convert", "gum.conllu", "out.jsonlines")
        assert outcome.err.endswith(
            "wrote out.jsonlines: 2 mentions in 1 chain in 1 document, from conllu to clusters\n"
        )
        assert json.loads(Path("out.jsonlines").read_text())["clusters"] == [[[0, 0]]]
        outcome = run(capsys, "convert", "gum.conllu", "-", "--to", "conll2012", "-q")
        assert outcome.out == (
            "#begin document (d); part 000\nd\t0\t0\tAnna\tNNP\t(1)\nd\t0\t1\tlaughed\tVBD\t-\n\n#end document\n"
        )

    def test_the_task_says_that_chains_are_meant(self, capsys: pytest.CaptureFixture[str]) -> None:
        chains = run(capsys, "convert", "gum.conllu", "-", "--to", "jsonl", "--task", "coref", "-q")
        spans = run(capsys, "convert", "gum.conllu", "-", "--to", "jsonl", "-q")
        assert len(json.loads(chains.out)["spans"]) == 2
        assert len(json.loads(spans.out)["spans"]) == 1

    def test_what_a_suffix_means_depends_on_that(self, capsys: pytest.CaptureFixture[str]) -> None:
        outcome = run(capsys, "convert", "gum.conllu", "out.conll", "--task", "coref")
        assert outcome.err.endswith("from conllu to conll2012\n")
        assert run(capsys, "convert", "key.conll", "copy.conll").err.endswith("from conll2012 to conll2012\n")
        assert Path("copy.conll").read_text() == CHAINS
        assert run(capsys, "convert", "gum.conllu", "span.conll").err.endswith("from conllu to columns\n")

    def test_a_format_without_chains_loses_them(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("key.conll").write_text(CHAINS.replace("|(4", "").replace("4)", "-"))
        outcome = run(capsys, "convert", "key.conll", "out.txt", "--to", "columns")
        assert outcome.err == (
            "note: output: not written: white space between words, which the input does not have: one space is inserted"
            ": 1 (d; part 2)\nnote: output: not written: 'xpos' of words: 1 (d; part 2)\n"
            "note: output: not written: 'chain' of spans: 2 (d; part 2, …)\n"
            "wrote out.txt: 2 mentions in 1 chain in 1 document, from conll2012 to columns\n"
        )

    def test_what_is_piped_is_named(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(CHAINS.encode())))
        outcome = run(capsys, "convert", "--to", "conll2012", "-q", "--", "-::conll2012", "-")
        assert (outcome.code, outcome.out) == (0, CHAINS)

    @pytest.mark.parametrize("option", ["column", "scheme", "repair"])
    def test_what_is_about_tags_is_refused(self, option: str, capsys: pytest.CaptureFixture[str]) -> None:
        value = {"column": "3", "scheme": "bio", "repair": "discard"}[option]
        outcome = run(capsys, "convert", "key.conll", "out.jsonl", f"--{option}", value)
        assert outcome.code == 2
        assert outcome.err.startswith(
            f"comparanda: --{option} applies to spans, and chains of mentions are converted\n"
        )

    def test_spans_do_not_become_chains(self, capsys: pytest.CaptureFixture[str]) -> None:
        outcome = run(capsys, "convert", "gum.conllu", "out.conll", "--to", "conll2012", "--task", "span")
        assert outcome.code == 2
        assert outcome.err.startswith("comparanda: format 'conll2012' has chains of mentions, not spans\n")

    def test_a_format_that_has_no_chains_cannot_give_any(self, capsys: pytest.CaptureFixture[str]) -> None:
        outcome = run(capsys, "convert", "gold.conll::columns", "out.jsonl", "--task", "coref")
        assert (outcome.code, outcome.err.splitlines()[0]) == (2, "comparanda: format 'columns' has no chains")

    def test_a_file_that_is_not_there_is_told_once(self, capsys: pytest.CaptureFixture[str]) -> None:
        outcome = run(capsys, "convert", "missing", "out.jsonl")
        assert (outcome.code, outcome.err) == (3, "comparanda: missing: no such file\n")

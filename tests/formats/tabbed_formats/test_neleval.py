"""neleval's lines, after neleval.readthedocs.io/en/latest/formats.html."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats import columns, hipe, neleval, pubtator, tac
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from tests.formats.corpora import notes, refusal, said, span_lines, spans

SAMPLE = (
    "APW_1\t3\t4\tE01\t0.5\tPER\n"
    "APW_2\t10\t13\tNIL001\t1.0\tGPE\n"
    "APW_1\t0\t9\tE02\t0.2\tORG\tE03\t0.7\tORG\tNIL07\t0.1\tORG\n"
)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(text: str, query: str = "::neleval") -> Corpus:
    Path("d.tsv").write_bytes(text.encode())
    return read_input(Input.parse(f"d.tsv{query}"), Request(side="key", layer="spans"), "tokens")


class TestSample:
    def test_mentions_by_document(self) -> None:
        corpus = read(SAMPLE)
        assert spans(corpus) == [("APW_1", 3, 5, "PER"), ("APW_1", 0, 10, "ORG"), ("APW_2", 10, 14, "GPE")]
        assert span_lines(corpus) == ["d.tsv:1", "d.tsv:3", "d.tsv:2"]
        assert said(corpus, "id") == ["E01", "E03|E02|NIL", "NIL"]
        assert said(corpus, "cluster") == [None, "NIL07", "NIL001"]
        assert said(corpus, "probability") == [0.5, 0.7, 1.0]
        assert said(corpus, "scores") == [None, "0.7|0.2|0.1", None]
        assert (corpus.format, corpus.words, corpus.raw, corpus.documents.marked) == ("neleval", None, None, True)
        assert notes(corpus) == []

    def test_exclusive_ends(self) -> None:
        assert spans(read(SAMPLE, "::neleval?offsets=code-points"))[0] == ("APW_1", 3, 4, "PER")

    def test_offsets_that_need_a_text(self) -> None:
        assert refusal(read, SAMPLE, "::neleval?offsets=utf-16", code=2) == (
            "offsets=utf-16 cannot be read without the texts\n  provide texts with the spans"
        )

    def test_fewer_columns(self) -> None:
        corpus = read("d\t0\t1\nd\t2\t3\tQ1\nd\t4\t5\tQ2\t0.5\nd\t6\t7\tQ3\t0.5\t\nd\t8\t9\t\t\tPER\n\n")
        assert [label for *_, label in spans(corpus)] == ["ENTITY"] * 4 + ["PER"]
        assert said(corpus, "id") == [None, "Q1", "Q2", "Q3", None]
        assert str(said(corpus, "probability")) == "[nan, nan, 0.5, 0.5, nan]"

    def test_white_space_around_a_score_of_more_kinds_than_numbers_have(self) -> None:
        assert said(read("d\t0\t1\tQ1\t 0.5\x1d\tPER\n"), "probability") == [0.5]

    def test_candidates_of_equal_and_of_no_scores_keep_their_order(self) -> None:
        corpus = read("d\t0\t1\tQ1\t\tA\tQ2\t0.5\tA\tQ3\t0.5\tA\n")
        assert (said(corpus, "id"), said(corpus, "scores")) == (["Q2|Q3|Q1"], ["0.5|0.5|"])

    def test_candidates_of_several_types(self) -> None:
        corpus = read("d\t0\t1\tQ1\t0.2\tPER\tQ2\t0.5\tORG\n")
        assert spans(corpus) == [("d", 0, 2, "ORG")]
        assert notes(corpus) == [
            "key: mentions with candidates of several types, of which that of the best is used: 1 (d.tsv:1)"
        ]

    def test_two_mentions_of_one_place(self) -> None:
        assert len(read("d\t0\t1\tQ1\t0.2\tPER\nd\t0\t1\tQ1\t0.2\tPER\n").spans or ()) == 2

    def test_a_folder(self) -> None:
        Path("c").mkdir()
        Path("c/a.tsv").write_text(SAMPLE)
        Path("c/b.tsv").write_text("APW_1\t30\t31\tE01\t0.5\tPER\n")
        corpus = read_input(Input.parse("c::neleval"), Request(side="key", layer="spans"), "tokens")
        assert span_lines(corpus) == ["c/a.tsv:1", "c/a.tsv:3", "c/b.tsv:1", "c/a.tsv:2"]


class TestDefects:
    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            ("d\t0", "d.tsv:2: 2 columns\n  it reads 'd\\t0'\n  write it as DOCUMENT<TAB>START<TAB>END<TAB>ID"),
            ("d 0 1 Q1 1.0 PER", "d.tsv:2: 1 column\n  it reads 'd 0 1 Q1 1.0 PER'\n"),
            ("d\t0\t1\tQ1\t1.0\tPER\tQ2", "d.tsv:2: 7 columns\n"),
            ("\t0\t1\tQ1\t1.0\tPER", "d.tsv:2: 6 columns\n"),
            ("d\tzero\t1", "d.tsv:2: the offset 'zero' is not an integer\n  it reads 'd\\tzero\\t1'"),
            ("d\t0\t1.5", "d.tsv:2: the offset '1.5' is not an integer\n"),
            ("d\t0\t" + "9" * 30, f"d.tsv:2: the offset '{'9' * 30}' is not an integer\n"),
            ("d\t0\t1\tQ1\thigh\tPER", "d.tsv:2: the score 'high' is not a number\n"),
            ("d\t0\t1\tQ1\t1e999\tPER", "d.tsv:2: the score '1e999' is not a number\n"),
            ("d\t5\t3\tQ1\t1\tPER", "d.tsv:2: mention 1 of document 'd' ends at 3, before it begins at 5\n"),
            ("d\t-5\t3\tQ1\t1\tPER", "d.tsv:2: mention 1 of document 'd' begins at -5, before the text\n"),
        ],
    )
    def test_refused(self, line: str, expected: str) -> None:
        assert refusal(read, f"a\t0\t1\tQ1\t1.0\tPER\n{line}\n").startswith(expected)

    def test_no_mentions(self) -> None:
        assert refusal(read, "\t\n") == "d.tsv: the file has only blank lines"

    def test_large_lines_take_no_time(self) -> None:
        started = time.process_time()
        assert refusal(read, "[" * 10_000_000).startswith("d.tsv:1: 1 column\n  it reads '[[[")
        assert refusal(read, "a\t" + "0" * 10_000_000 + "\t1").startswith("d.tsv:1: the offset '000")
        assert time.process_time() - started < 3


class TestSniffing:
    def test_whole_candidates_tell(self) -> None:
        assert neleval.sniff(SAMPLE.split("\n"))
        assert read(SAMPLE, "").format == "neleval"
        assert not neleval.sniff(["d\t0\t1"])
        assert not neleval.sniff(["d\t0\t1\tQ1\t1.0\tPER", "a b"])
        assert not neleval.sniff([])

    @pytest.mark.parametrize(
        "lines",
        [
            ["1|t|Anna", "1|a|ran", "1\t0\t4\tAnna\tPER\tQ1"],
            ["1\t0\t4\tAnna\tPER\tQ1"],
            ["run\tm1\tAnna\td:0-3\tQ1\tPER\tNAM\t1.0"],
            ["TOKEN\tNE-COARSE-LIT", "a\tO"],
            ["Anna\tNNP\tB-PER"],
        ],
    )
    def test_other_formats(self, lines: list[str]) -> None:
        assert not neleval.sniff(lines)

    def test_others_do_not_take_it(self) -> None:
        lines = SAMPLE.split("\n")
        assert not any(each.sniff(lines) for each in (hipe, pubtator, tac))
        assert columns.FORMAT.general or not columns.sniff(lines)

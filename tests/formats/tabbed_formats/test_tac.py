"""The tab-separated files of TAC KBP, after neleval's documentation of them (PrepareTac15) and the task definition."""

from __future__ import annotations

from pathlib import Path

import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats import hipe, neleval, pubtator, tac
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from tests.formats.corpora import notes, refusal, said, span_lines, spans

SAMPLE = (
    "run1\tm1\tAnna\tNW_1:5-8\tm.01\tPER\tNAM\t0.9\n"
    "run1\tm2\tthe city\tNW_2: 10 - 17\tNIL003\tGPE\tNOM\t1.0\n"
    "run1\tm3\tBo\tNW_1:20\u201321\tNIL\tPER\tNAM\t0.5\n"
)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(text: str, query: str = "::tac") -> Corpus:
    Path("d.tab").write_text(text, encoding="utf-8")
    return read_input(Input.parse(f"d.tab{query}"), Request(side="key", layer="spans"), "tokens")


def line(place: str, *, text: str = "Anna", entity: str = "Q1", label: str = "PER", confidence: str = "0.5") -> str:
    return f"r\tm\t{text}\t{place}\t{entity}\t{label}\tNAM\t{confidence}\n"


class TestSample:
    def test_mentions_by_document(self) -> None:
        corpus = read(SAMPLE)
        assert spans(corpus) == [("NW_1", 5, 9, "PER"), ("NW_1", 20, 22, "PER"), ("NW_2", 10, 18, "GPE")]
        assert span_lines(corpus) == ["d.tab:1", "d.tab:3", "d.tab:2"]
        assert said(corpus, "id") == ["m.01", "NIL", "NIL"]
        assert said(corpus, "cluster") == [None, None, "NIL003"]
        assert said(corpus, "text") == ["Anna", "Bo", "the city"]
        assert said(corpus, "mention_id") == ["m1", "m3", "m2"]
        assert said(corpus, "mention_type") == ["NAM", "NAM", "NOM"]
        assert said(corpus, "probability") == [0.9, 0.5, 1.0]
        assert (corpus.format, corpus.words, corpus.raw, notes(corpus)) == ("tac", None, None, [])

    def test_lines_of_one_place_are_candidates(self) -> None:
        corpus = read(line("d:0-3", confidence="0.2") + line("d:9-12") + line("d:0-3", entity="Q2", confidence="0.7"))
        assert spans(corpus) == [("d", 0, 4, "PER"), ("d", 9, 13, "PER")]
        assert (said(corpus, "id"), said(corpus, "scores")) == (["Q2|Q1", "Q1"], ["0.7|0.2", None])
        assert notes(corpus) == [
            "key: lines with the extent of an earlier mention, read as further candidates for it: 1 (d.tab:3)"
        ]

    def test_six_columns_are_enough(self) -> None:
        corpus = read("r\tm\tAnna\ta:b:0-3\tQ1\tPER\n")
        assert corpus.spans is not None
        assert (spans(corpus), "probability" in corpus.spans.columns) == ([("a:b", 0, 4, "PER")], False)

    def test_further_columns(self) -> None:
        corpus = read(line("d:0-3").rstrip("\n") + "\tN\tN\tN\n")
        assert notes(corpus) == ["key: lines with more than eight columns, the rest ignored: 1 (d.tab:1)"]


class TestOffsets:
    EXCLUSIVE = line("d:0-4") + line("d:9-11", text="Bo") + line("d:20-21", text="C") + line("d:30-33", text="x&y")

    def test_lengths_tell_ends_behind_the_last_character(self) -> None:
        corpus = read(self.EXCLUSIVE)
        assert spans(corpus)[1] == ("d", 9, 11, "PER")
        what = "mentions whose end is the position after their last character, as the length of their text shows"
        assert notes(corpus) == [f"key: {what}: 4"]

    def test_what_is_asked_holds(self) -> None:
        assert notes(read(self.EXCLUSIVE, "::tac?offsets=code-points")) == []
        assert refusal(read, self.EXCLUSIVE, "::tac?offsets=inclusive") == (
            "d.tab:1: 4 of 4 mentions are not as long as their text\n"
            "  the first: 0-4 is 5 long, 'Anna' is 4\n"
            "  set ?offsets= if the offsets count something else"
        )

    def test_some_that_differ_are_noted(self) -> None:
        corpus = read(line("d:0-3") + line("d:9-14", text="R&D") + line("d:20-23"))
        assert spans(corpus)[1] == ("d", 9, 15, "PER")
        assert notes(corpus) == ["key: mentions that are not as long as their text (offsets are used): 1 (d.tab:2)"]

    def test_most_that_differ_are_refused(self) -> None:
        text = line("d:0-3") + line("d:9-20") + line("d:30-50")
        assert refusal(read, text).startswith("d.tab:2: 2 of 3 mentions are not as long as their text\n")

    def test_offsets_that_need_a_text(self) -> None:
        assert refusal(read, SAMPLE, "::tac?offsets=bytes", code=2).startswith("offsets=bytes cannot be read without")


class TestDefects:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (
                "r\tm\tAnna\td:0-3\tQ1",
                "d.tab:2: 5 columns\n  it reads 'r\\tm\\tAnna\\td:0-3\\tQ1'\n  write it as RUN<TAB>",
            ),
            (line("d:0").strip(), "d.tab:2: 'd:0' is not the extent of a mention\n"),
            (line("d:a-3").strip(), "d.tab:2: 'd:a-3' is not the extent of a mention\n"),
            (line("0-3").strip(), "d.tab:2: '0-3' is not the extent of a mention\n"),
            (line("d:0-3", confidence="sure").strip(), "d.tab:2: the score 'sure' is not a number\n"),
            (line("d:9-3").strip(), "d.tab:2: mention 1 of document 'd' ends at 3, before it begins at 9\n"),
        ],
    )
    def test_refused(self, text: str, expected: str) -> None:
        assert refusal(read, line("a:0-3") + text).startswith(expected)

    def test_no_mentions(self) -> None:
        assert refusal(read, "\n \n") == "d.tab: the file has only blank lines"


class TestSniffing:
    def test_places_tell(self) -> None:
        assert tac.sniff(SAMPLE.split("\n"))
        assert read(SAMPLE, "").format == "tac"
        assert not tac.sniff(["r\tm\tAnna\td:0-3\tQ1\tPER"])
        assert not tac.sniff([*SAMPLE.split("\n"), "a\tb"])
        assert not tac.sniff([])

    def test_others_do_not_take_it(self) -> None:
        assert not any(each.sniff(SAMPLE.split("\n")) for each in (hipe, neleval, pubtator))

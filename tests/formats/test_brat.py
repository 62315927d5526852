from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from comparanda.core.corpus import Corpus
from comparanda.core.text_columns import Slices
from comparanda.formats import brat, columns
from comparanda.formats.brat import FORMAT, sniff
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from tests.formats.corpora import documents, fragments, lines, notes, refusal, said, span_lines, spans, words
from tests.seeds import draws

TEXT = "Anna lives in\nNew York City. 😀 Bo"
T1, T2 = "T1\tPER 0 4\tAnna\n", "T2\tLOC 14 27\tNew York City\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(name: str, text: str | None) -> None:
    """Write a file as it is: line ends are not touched."""
    if text is not None:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(text.encode())


def read(written: str = "d.ann") -> Corpus:
    return read_input(Input.parse(written), Request(side="key", layer="spans"), "tokens")


def read_text(annotations: str, text: str | None = TEXT, written: str = "d.ann") -> Corpus:
    put("d.ann", annotations)
    put("d.txt", text)
    return read(written)


def refused(annotations: str, text: str | None = TEXT) -> str:
    return refusal(read_text, annotations, text)


class TestDocuments:
    def test_one_file(self) -> None:
        corpus = read_text(T1 + T2 + "T3\tPER 31 33\tBo\n")
        assert spans(corpus) == [("d", 0, 4, "PER"), ("d", 14, 27, "LOC"), ("d", 31, 33, "PER")]
        assert span_lines(corpus) == ["d.ann:1", "d.ann:2", "d.ann:3"]
        assert words(corpus) == ["Anna", "lives", "in", "New", "York", "City", ".", "😀", "Bo"]
        assert [str(corpus.location(row)) for row in (0, 3)] == ["d.txt:1", "d.txt:2"]
        assert corpus.sentences.tolist() == [0, 3, 9]
        assert corpus.raw is not None
        assert corpus.raw.documents == (TEXT,)
        assert corpus.raw.begin.tolist() == [0, 5, 11, 14, 18, 23, 27, 29, 31]
        assert (corpus.format, corpus.documents.marked, notes(corpus)) == ("brat", True, [])
        assert said(corpus, "text") == ["Anna", "New York City", "Bo"]

    def test_the_words_are_bytes_of_the_source(self) -> None:
        corpus = read_text(T1)
        assert isinstance(corpus.words, Slices)
        assert np.shares_memory(corpus.words.buffer, corpus.source.buffer)

    def test_a_folder_names_documents_by_the_way_to_them(self) -> None:
        for name in ("c/b", "c/sub/a", "c/sub/b"):
            put(f"{name}.ann", T1)
            put(f"{name}.txt", TEXT)
        put("c/.stats.txt", "hidden")
        corpus = read("c")
        assert spans(corpus) == [("b", 0, 4, "PER"), ("sub/a", 0, 4, "PER"), ("sub/b", 0, 4, "PER")]
        assert span_lines(corpus) == ["c/b.ann:1", "c/sub/a.ann:1", "c/sub/b.ann:1"]
        assert [str(corpus.location(row)) for row in (0, 9)] == ["c/b.txt:1", "c/sub/a.txt:1"]
        assert read("c/").documents.names == read("./c::brat").documents.names == corpus.documents.names
        assert notes(corpus) == []

    def test_a_glob_names_them_by_their_files_if_these_differ(self) -> None:
        for name in ("c/a", "c/sub/a", "c/sub/b"):
            put(f"{name}.ann", T1)
        assert read("c/sub/*.ann").documents.names == ("a", "b")
        assert read("c/**/a.ann").documents.names == ("c/a", "c/sub/a")

    def test_packed_files(self) -> None:
        Path("d.ann.gz").write_bytes(gzip.compress(T1.encode()))
        Path("d.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
        corpus = read("d.ann.gz")
        assert spans(corpus) == [("d", 0, 4, "PER")]
        assert words(corpus)[:2] == ["Anna", "lives"]

    def test_without_text_there_are_no_rows(self) -> None:
        corpus = read_text(T1, None)
        assert (spans(corpus), len(corpus), corpus.words, corpus.raw) == ([("d", 0, 4, "PER")], 0, None, None)

    def test_a_document_without_annotations(self) -> None:
        put("c/a.ann", "")
        put("c/a.txt", "Anna.")
        put("c/b.ann", "")
        put("c/b.txt", "")
        corpus = read("c")
        assert (spans(corpus), documents(corpus)) == ([], {"a": ["Anna", "."], "b": []})
        assert refusal(read, "c/b.ann") == "c/b.ann: all these files are empty"

    def test_the_text_of_an_empty_file_does_not_tell_the_format(self) -> None:
        corpus = read_text("", "Anna O\nran O\n")
        assert (corpus.format, words(corpus)) == ("brat", ["Anna", "O", "ran", "O"])

    def test_texts_beside_some_files_alone(self) -> None:
        put("c/a.ann", T1)
        put("c/a.txt", TEXT)
        put("c/b.ann", T1)
        assert refusal(read, "c") == (
            "c/b.ann: there is no .txt file for this one, but there is one for 'a'\n"
            "  provide the texts of all files, or of none"
        )

    def test_texts_without_annotations_are_noted(self) -> None:
        put("c/a.ann", T1)
        put("c/a.txt", TEXT)
        put("c/b.txt", TEXT)
        assert notes(read("c::brat")) == [
            "key: .txt files without an .ann file ignored: 1 (c/b.txt)",
        ]
        assert refusal(read, "c") == (
            "c: the folder has files of several formats\n"
            "  brat: 1, the first is a.ann\n"
            "  columns: 1, the first is b.txt\n"
            "  choose one: c::brat"
        )

    def test_a_text_that_is_no_text(self) -> None:
        put("d.ann", T1)
        Path("d.txt").write_bytes("Änna".encode("latin-1"))
        assert refusal(read).startswith("d.txt:1: not UTF-8: byte 0xc4 in this line")

    def test_a_text_that_changes_while_it_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(brat, "text_of", lambda _: "another text")
        assert refused(T1) == "d.txt: the file changed while it was being read\n  run again"

    def test_a_file_of_another_name(self) -> None:
        put("annotations", T1)
        assert spans(read("annotations::brat")) == [("annotations", 0, 4, "PER")]
        assert read("annotations").format == "brat"


class TestAnnotations:
    def test_fragments(self) -> None:
        corpus = read_text(T1 + "T2\tLOC 14 17;23 27\tNew City\n")
        assert spans(corpus) == [("d", 0, 4, "PER"), ("d", 14, 27, "LOC")]
        assert fragments(corpus) == [(1, 14, 17), (1, 23, 27)]
        assert notes(corpus) == []

    def test_a_line_end_in_the_text_is_written_as_a_space(self) -> None:
        assert notes(read_text("T1\tX 11 17\tin New\n")) == []

    def test_what_other_lines_say(self) -> None:
        corpus = read_text(
            "A1\tConfidence T1 low\n"
            + T1
            + T2
            + "A2\tNegated T2\n"
            + "M3\tMood T2 very sad\n"
            + "A4\tProbability T1 0.5\n"
            + "A5\tProbability T2 1\n"
            + "N1\tReference T2 Wikidata:Q60\tNew York City\n"
            + "N2\tReference T2 GeoNames:5128581\n"
            + "#1\tAnnotatorNotes T1\tsure?\n"
        )
        assert said(corpus, "confidence") == ["low", None]
        assert said(corpus, "Negated") == [False, True]
        assert said(corpus, "Mood") == [None, "very sad"]
        assert said(corpus, "probability") == [0.5, 1.0]
        assert said(corpus, "id") == [None, "Wikidata:Q60|GeoNames:5128581"]
        assert said(corpus, "note") == ["sure?", None]
        assert notes(corpus) == []

    def test_an_empty_id_is_none(self) -> None:
        first, second = (f"T{number}\tPER 0 4\tAnna\n" for number in (1, 2))
        ids = "A1\tid T1 Q1|\nA2\tid T1 |Q2\nA3\tid T2\n"
        corpus = read_text(first + second + ids, "Anna")
        assert said(corpus, "id") == ["Q1|Q2", None]

    @pytest.mark.parametrize("number", ["1e999", "9" * 400, "x"])
    def test_a_probability_without_an_end_is_a_text(self, number: str) -> None:
        corpus = read_text(f"T1\tPER 0 4\tAnna\nA1\tprobability T1 {number}\n", "Anna")
        assert said(corpus, "probability") == [number]

    def test_an_attribute_does_not_take_the_place_of_the_text(self) -> None:
        assert said(read_text(T1 + "A1\ttext T1 other\n"), "text") == ["Anna"]

    def test_relations_and_the_like_are_passed_over(self) -> None:
        corpus = read_text(
            T1
            + T2
            + "R1\tlives-in Arg1:T1 Arg2:T2\n"
            + "E1\tMove:T1 Theme:T2\n"
            + "*\tEquiv T1 T2\n"
            + "A1\tNegated E1\n"
            + "#1\tAnnotatorNotes R1\twhy?\n\n"
        )
        assert len(spans(corpus)) == 2
        assert notes(corpus) == [
            "key: relations, events, equivalences and their attributes ignored: 5 (d.ann:3, d.ann:4, d.ann:5, …)"
        ]

    def test_a_text_may_be_left_out(self) -> None:
        assert spans(read_text("T1\tPER 0 4\n")) == [("d", 0, 4, "PER")]

    @pytest.mark.parametrize(
        "line",
        [
            "T1 PER 0 4 Anna",
            "T1\tPER 0 x\tAnna",
            "T1\tPER 0\tAnna",
            "T1\tPER\t0\t4\tAnna",
            "T1\tPER 0 4;\tAnna",
            "T1\t0 4\tAnna",
            "T\tPER 0 4\tAnna",
            "T1\tPER 0 1234567890123456789\tAnna",
        ],
    )
    def test_malformed_text_bound_annotations(self, line: str) -> None:
        assert refused(f"{T2}{line}\n") == (
            f"d.ann:2: this T line is malformed\n  it reads {line!r}\n"
            "  expected T1<TAB>LABEL BEGIN END<TAB>TEXT,"
            " of a discontinuous one T1<TAB>LABEL BEGIN END;BEGIN END<TAB>TEXT"
        )

    @pytest.mark.parametrize(
        ("line", "form"),
        [
            ("A1\tNegated", "A1<TAB>NAME T1 VALUE"),
            ("M1 Negated T1", "M1<TAB>NAME T1 VALUE"),
            ("N1\tReference T1", "N1<TAB>Reference T1 BASE:ID<TAB>TEXT"),
            ("R1\tx T1 T1", "R1<TAB>NAME Arg1:T1 Arg2:T2"),
            ("E1\tx", "E1<TAB>NAME:T1 Arg1:T2"),
            ("* Equiv T1", "*<TAB>NAME T1 T2"),
            ("# a comment", "#1<TAB>AnnotatorNotes T1<TAB>TEXT"),
        ],
    )
    def test_other_malformed_lines(self, line: str, form: str) -> None:
        kind = line[0]
        assert refused(f"{T1}{line}\n") == (
            f"d.ann:2: this {kind} line is malformed\n  it reads {line!r}\n  expected {form}"
        )

    def test_lines_of_another_kind(self) -> None:
        assert refused(T1 + "Anna B-PER\n").startswith("d.ann:2: this A line is malformed\n")
        assert refused(T1 + "x" * 100 + "\n") == (
            f"d.ann:2: this line is not a brat annotation\n  it reads {'x' * 79 + '…'!r}\n"
            "  lines begin with one of T A M N # R E *"
        )

    def test_what_speaks_of_nothing(self) -> None:
        assert refused(T1 + "A1\tNegated T7\n") == (
            "d.ann:2: A1 refers to T7, which is not in this file\n  remove this line, or restore the annotation"
        )

    def test_two_of_one_name(self) -> None:
        assert refused(T1 + T1) == ("d.ann:2: duplicate annotation T1\n  the first is at d.ann:1")

    def test_a_line_that_is_too_long(self) -> None:
        put("d.ann", T1)
        request = Request(side="key", layer="spans", max_line=8)
        assert refusal(read_input, Input(path="d.ann"), request, "tokens").startswith(
            "d.ann:1: this line has more than 8 bytes"
        )


class TestExtents:
    def test_outside_of_the_text(self) -> None:
        assert refused(T1 + "T2\tPER 30 34\tBo\n") == (
            "d.ann:2: T2 of document 'd' ends at 34, but the text has 33 characters\n"
            "  the span: 30 34 PER 'Bo'\n"
            "  check that this is the annotated text; offsets count its code points"
        )

    def test_backwards_and_before_the_text(self) -> None:
        assert refused("T1\tPER 4 0\tAnna\n").startswith(
            "d.ann:1: T1 of document 'd' ends at 0, before it begins at 4\n"
        )
        assert refused("T1\tPER -1 4\tAnna\n").startswith("d.ann:1: T1 of document 'd' begins at -1, before the text\n")

    def test_a_text_that_is_not_covered_is_noted(self) -> None:
        assert notes(read_text(T1 + T2 + "T3\tPER 5 10\tLives\n")) == [
            "key: spans whose stated text differs from the text at their offsets (offsets are used): "
            "1 (T3 of document 'd': d.ann:3)"
        ]

    def test_most_that_are_not_covered_are_refused(self) -> None:
        assert refused("T1\tPER 30 33\tIda\n").startswith("d.ann:1: 1 of 1 spans do not cover their stated text\n")

    def test_offsets_that_count_bytes_are_told(self) -> None:
        corpus = read_text("T1\tPER 34 36\tBo\n")
        assert spans(corpus) == [("d", 31, 33, "PER")]
        assert notes(corpus) == ["key: spans whose offsets count bytes of UTF-8, as their stated text shows: 1"]


class TestLineEnds:
    """brat counts CRLF as two characters; others read texts as if lines ended by LF."""

    TEXT = "Anna\r\nBo\r\n\r\nIda"

    def test_of_the_annotations_they_do_not_matter(self) -> None:
        corpus = read_text(T1.replace("\n", "\r\n"))
        assert said(corpus, "text") == ["Anna"]
        assert notes(corpus) == ["key: CRLF line ends read as LF: 1 (d.ann:1)"]

    def test_counted_as_two(self) -> None:
        corpus = read_text("T1\tPER 6 8\tBo\nT2\tPER 12 15\tIda\n", self.TEXT)
        assert spans(corpus) == [("d", 6, 8, "PER"), ("d", 12, 15, "PER")]
        assert (words(corpus), lines(corpus)) == (["Anna", "Bo", "Ida"], [1, 2, 4])
        assert corpus.raw is not None
        assert (corpus.raw.documents, corpus.raw.begin.tolist()) == ((self.TEXT,), [0, 6, 12])
        assert notes(corpus) == ["key: CRLF line ends in texts, counted as two characters in offsets: 3 (d.txt, …)"]

    def test_counted_as_one(self) -> None:
        corpus = read_text("T1\tPER 5 7\tBo\nT2\tPER 9 12\tIda\n", self.TEXT)
        assert spans(corpus) == [("d", 5, 7, "PER"), ("d", 9, 12, "PER")]
        assert (words(corpus), lines(corpus)) == (["Anna", "Bo", "Ida"], [1, 2, 4])
        assert corpus.raw is not None
        assert (corpus.raw.documents, corpus.raw.begin.tolist()) == (("Anna\nBo\n\nIda",), [0, 5, 9])
        assert notes(corpus) == ["key: CRLF line ends in texts, counted as one character in offsets: 3 (d.txt, …)"]

    def test_a_byte_order_mark_counts_as_a_character(self) -> None:
        corpus = read_text("T1\tPER 1 5\tAnna\n", "\ufeffAnna")
        assert (spans(corpus), words(corpus)) == ([("d", 1, 5, "PER")], ["Anna"])
        assert notes(corpus) == ["key: byte-order marks in texts, counted as a character in offsets: 1 (d.txt)"]

    def test_or_does_not(self) -> None:
        corpus = read_text("T1\tPER 5 7\tBo\n", "\ufeff" + self.TEXT)
        assert (spans(corpus), words(corpus)) == ([("d", 5, 7, "PER")], ["Anna", "Bo", "Ida"])
        assert notes(corpus) == [
            "key: CRLF line ends in texts, counted as one character in offsets: 3 (d.txt, …)",
            "key: byte-order marks in texts, not counted in offsets: 1 (d.txt)",
        ]

    def test_in_annotations_a_byte_order_mark_is_nothing(self) -> None:
        assert notes(read_text("\ufeff" + T1)) == ["key: byte-order mark ignored: 1 (d.ann:1)"]


class TestSniff:
    def test_annotations_are_no_columns(self) -> None:
        annotations = [T1.rstrip(), "R1\tx Arg1:T1 Arg2:T1", ""]
        assert sniff(annotations)
        assert not columns.sniff(annotations)
        assert not columns.sniff([T1.rstrip()])

    @pytest.mark.parametrize("line", ["Anna\tB-PER", "T1\tB-PER", '{"T1": 1}', "T1\tPER 0 4\tAnna\nx"])
    def test_columns_are_no_annotations(self, line: str) -> None:
        assert not sniff(line.split("\n"))

    def test_the_format(self) -> None:
        assert FORMAT.layers == frozenset({"spans", "chains"})
        assert (FORMAT.companions, list(FORMAT.options)) == (
            (".txt",),
            ["offsets", "base", "strip", "relations", "alone"],
        )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=draws(60), deadline=None)
@given(
    st.text("ab .\r\n\té漢😀\ufeff", min_size=1, max_size=15),
    st.lists(st.lists(st.integers(0, 15), min_size=2, max_size=6), max_size=4),
)
def test_what_is_written_comes_back(text: str, places: list[list[int]]) -> None:
    """Write spans as brat does, with offsets into the text as Python has it; they cover what they name."""
    text = text.replace("\r", "\r\n")
    written, expected = "", []
    for number, each in enumerate(places):
        ends = sorted(min(place, len(text)) for place in each[: len(each) // 2 * 2])
        pieces = [(begin, end) for begin, end in zip(ends[::2], ends[1::2], strict=True)]
        covered = " ".join(text[begin:end] for begin, end in pieces)
        if not covered.strip(" \r\n\t"):
            continue
        extent = ";".join(f"{begin} {end}" for begin, end in pieces)
        one_line = covered.translate(str.maketrans("\r\n\t", "   "))
        written += f"T{number}\tX {extent}\t{one_line}\n"
        expected.append((ends[0], ends[-1]))
    if not written:
        return
    corpus = read_text(written, text)
    assert [span[1:3] for span in spans(corpus)] == expected
    assert corpus.raw is not None
    assert corpus.raw.documents == (text,)
    begin, end = corpus.raw.begin.tolist(), corpus.raw.end.tolist()
    assert [text[begin[row] : end[row]] for row in range(len(corpus))] == words(corpus)

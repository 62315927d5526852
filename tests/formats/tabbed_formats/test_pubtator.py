"""PubTator, after the description that came with the corpus of BioCreative V (CDR) and NCBI's page on the format."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats import brat, columns, hipe, neleval, pubtator, tac
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from tests.formats.corpora import notes, refusal, said, span_lines, spans, words

TITLE, ABSTRACT = "Aspirin and α-coma", "Aspirin helps; 😀 liver and kidney failure."
DOCUMENT = f"101|t|{TITLE}\n101|a|{ABSTRACT}\n"
SAMPLE = (
    DOCUMENT
    + "101\t0\t7\tAspirin\tChemical\tMESH:D001\n"
    + "101\t36\t60\tliver and kidney failure\tDisease\tMESH:D002;MESH:D003\tliver failure|kidney failure\n"
    + "101\tCID\tD001\tD002\n"
    + "\nPMC7|t|Fever\nPMC7|a|\nPMC7\t0\t5\tFever\tDisease\t-1\n"
)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(text: str, query: str = "") -> Corpus:
    Path("d.pubtator").write_bytes(text.encode())
    return read_input(Input.parse(f"d.pubtator::pubtator{query}"), Request(side="key", layer="spans"), "tokens")


class TestSample:
    def test_texts_and_mentions(self) -> None:
        corpus = read(SAMPLE)
        assert corpus.raw is not None
        assert corpus.raw.documents == (f"{TITLE}\n{ABSTRACT}", "Fever")
        assert spans(corpus) == [("101", 0, 7, "Chemical"), ("101", 36, 60, "Disease"), ("PMC7", 0, 5, "Disease")]
        assert said(corpus, "id") == ["MESH:D001", "MESH:D002|MESH:D003", "NIL"]
        assert said(corpus, "text") == ["Aspirin", "liver and kidney failure", "Fever"]
        assert said(corpus, "individual") == [None, "liver failure|kidney failure", None]
        assert span_lines(corpus) == ["d.pubtator:3", "d.pubtator:4", "d.pubtator:9"]
        assert notes(corpus) == ["key: relations ignored: 1 (d.pubtator:5)"]
        assert (corpus.format, corpus.evaluated, words(corpus)[:3]) == ("pubtator", "type", ["Aspirin", "and", "α"])
        assert corpus.sentences.tolist()[1] == 5

    def test_one_empty_line_is_not_needed(self) -> None:
        corpus = read("1|t|Anna\n1|a|ran\n1\t0\t4\tAnna\tPER\tQ1\n2|t|Bo\n2\t0\t2\tBo\tPER\n")
        assert corpus.raw is not None
        assert (spans(corpus)[1], corpus.raw.documents) == (("2", 0, 2, "PER"), ("Anna\nran", "Bo"))

    def test_bars_and_tabs_in_texts(self) -> None:
        corpus = read("1|t|a|b|c\n1|a|x\ty\n1\t2\t3\tb\tT\t-\n1\t6\t9\tx y\tT\t\n")
        assert corpus.raw is not None
        assert corpus.raw.documents == ("a|b|c\nx\ty",)
        assert corpus.spans is not None
        assert "id" not in corpus.spans.columns

    def test_relations_of_several_shapes(self) -> None:
        corpus = read(DOCUMENT + "101\tAssociation\tD1\tD2\tNovel\n101\tCID\tD1\tD2\n")
        assert notes(corpus) == ["key: relations ignored: 2 (d.pubtator:3, d.pubtator:4)"]

    @pytest.mark.parametrize(
        ("written", "expected"),
        [
            ("MESH:D1;MESH:D2", "MESH:D1|MESH:D2"),
            ("D1|D2", "D1|D2"),
            ("D1, D2", "D1|D2"),
            ("-1", "NIL"),
            ("D1|-1", "D1|NIL"),
            ("-", None),
            ("c|SUB|G|12|A;RS#:7", "c%7CSUB%7CG%7C12%7CA|RS#:7"),
            ("tmVar:p|SUB|R|1|C", "tmVar:p%7CSUB%7CR%7C1%7CC"),
        ],
    )
    def test_identifiers(self, written: str, expected: str | None) -> None:
        lines = f"101\t0\t7\tAspirin\tChemical\t{written}\n101\t0\t7\tAspirin\tChemical\tX\n"
        assert said(read(DOCUMENT + lines), "id") == [expected, "X"]


class TestOffsets:
    def test_normalised_texts_are_noted(self) -> None:
        lines = "101\t0\t7\tAspirin\tC\t-1\n101\t12\t18\ta-coma\tD\t-1\n"
        what = "spans whose stated text differs from the text at their offsets (offsets are used)"
        assert notes(read(DOCUMENT + lines)) == [f"key: {what}: 1 (mention 2 of document '101': d.pubtator:4)"]

    @pytest.mark.parametrize(
        ("extents", "meaning"),
        [
            ((0, 7, 37, 61), "count UTF-16 units (as JavaScript and Java do)"),
            ((0, 7, 40, 64), "count bytes of UTF-8"),
            ((0, 6, 36, 59), "count code points and include the end"),
        ],
    )
    def test_other_units_are_told_by_the_texts(self, extents: tuple[int, int, int, int], meaning: str) -> None:
        one, two, three, four = extents
        lines = f"101\t{one}\t{two}\tAspirin\tC\tX\n101\t{three}\t{four}\tliver and kidney failure\tD\tY\n"
        corpus = read(DOCUMENT + lines)
        assert spans(corpus) == [("101", 0, 7, "C"), ("101", 36, 60, "D")]
        assert notes(corpus) == [f"key: spans whose offsets {meaning}, as their stated text shows: 2"]

    def test_what_is_asked_holds(self) -> None:
        lines = "101\t0\t6\tAspirin\tC\tX\n"
        assert spans(read(DOCUMENT + lines, "?offsets=inclusive")) == [("101", 0, 7, "C")]


class TestDefects:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (
                "101\t0\t7\tAspirin\tChemical\tX\n" + DOCUMENT,
                "1: this annotation of document '101' has no title before it\n",
            ),
            (
                DOCUMENT + "102\t0\t7\tAspirin\tC\tX\n",
                "3: this annotation of document '102' is in document '101'\n",
            ),
            (
                DOCUMENT + "\n101\t0\t7\tAspirin\tC\tX\n",
                "4: this annotation of document '101' has no title before it\n",
            ),
            ("101|a|Aspirin\n", "1: this abstract of document '101' has no title before it\n"),
            ("101|t|A\n102|a|B\n", "2: this abstract of document '102' is in document '101'\n"),
            (DOCUMENT + "101|a|B\n", "3: the document '101' has a second abstract\n"),
            (DOCUMENT + "\n" + DOCUMENT, "4: duplicate document '101'\n"),
            (
                "101|t\n101|a|B\n",
                "1: this line is neither title, abstract nor mention\n  it reads '101|t'\n  expected ID|t|TITLE",
            ),
            ("101|t|A\n101|b|B\n", "2: this line is neither title, abstract nor mention\n"),
            (
                DOCUMENT + "101\t0\t7\tAspirin\n",
                "3: 4 columns\n  it reads '101\\t0\\t7\\tAspirin'\n  write it as ID<TAB>",
            ),
            (DOCUMENT + "101\tX\n", "3: 2 columns\n"),
            (DOCUMENT + "101\t0\t7\tAspirin\t\tX\n", "3: 6 columns\n"),
            (DOCUMENT + "101\t0\t7\tAspirin\tC\tX\ty\tz\n", "3: 8 columns\n"),
            (DOCUMENT + "101\tzero\t7\tAspirin\tC\tX\n", "3: the offset 'zero' is not an integer\n"),
            (DOCUMENT + "101\t0\t7.5\tAspirin\tC\tX\n", "3: the offset '7.5' is not an integer\n"),
            (
                DOCUMENT + "101\t0\t900\tAspirin\tC\tX\n",
                "3: mention 1 of document '101' ends at 900, but the text has 61 ",
            ),
            (DOCUMENT + "101\t3\t7\tAspirin\tC\tX\n", "3: 1 of 1 spans do not cover their stated text\n"),
        ],
    )
    def test_refused(self, text: str, expected: str) -> None:
        assert refusal(read, text).startswith(f"d.pubtator:{expected}")

    def test_large_lines_take_no_time(self) -> None:
        started = time.process_time()
        assert refusal(read, "[" * 10_000_000).startswith("d.pubtator:1: this line is neither title")
        read("1|t|" + "|" * 500_000 + "\n1|a|" + "[" * 500_000 + "\n")
        read(f"{DOCUMENT}101\t0\t7\tAspirin\tC\t{'c|' * 1_000_000}\n")
        assert time.process_time() - started < 5


class TestSniffing:
    def test_title_and_abstract_tell(self) -> None:
        assert pubtator.sniff(SAMPLE.split("\n"))
        Path("d.txt").write_text(SAMPLE, encoding="utf-8")
        assert read_input(Input.parse("d.txt"), Request(side="key", layer="spans"), "tokens").format == "pubtator"
        assert not pubtator.sniff(["1|t|A"])
        assert not pubtator.sniff(["1|t|A", "2|a|B"])
        assert not pubtator.sniff(["1|a|A", "1|t|B"])
        assert not pubtator.sniff(["Anna\tO", "1|t|A", "1|a|B"])
        assert not pubtator.sniff([])

    def test_others_do_not_take_it(self) -> None:
        lines = SAMPLE.split("\n")
        assert not any(each.sniff(lines) for each in (brat, hipe, neleval, tac))
        assert columns.FORMAT.general or not columns.sniff(lines)

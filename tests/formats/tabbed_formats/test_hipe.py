"""HIPE, as github.com/hipe-eval/HIPE-2022-data and impresso.github.io/CLEF-HIPE-2020 describe it, and as it is met."""

from __future__ import annotations

import csv
import gzip
import time
from functools import cache
from pathlib import Path

import pytest

from comparanda import compare
from comparanda.core.corpus import Corpus
from comparanda.formats import hipe
from comparanda.formats.contract import Layer, Request
from comparanda.formats.inputs import Input, read_input
from tests.command import Outcome, run
from tests.formats.corpora import documents, notes, refusal, said, span_lines, spans, values, words
from tests.seeds import first_few
from tests.shared_data import ROOT, shared

NAMES = "TOKEN NE-COARSE-LIT NE-COARSE-METO NE-FINE-LIT NE-FINE-METO NE-FINE-COMP NE-NESTED NEL-LIT NEL-METO MISC"
HEADER = "\t".join(NAMES.split()) + "\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def row(token: str, tag: str = "O", link: str = "_", misc: str = "_", *, meto: str = "O", link_meto: str = "_") -> str:
    return f"{token}\t{tag}\t{meto}\tO\tO\tO\tO\t{link}\t{link_meto}\t{misc}\n"


SAMPLE = (
    HEADER
    + "# language = en\n# date = 1790-01-02\n# document_id = a\n# segment_iiif_link = https://x/1\n"
    + row("From", misc="NoSpaceAfter")
    + row("New", "B-loc", "Q60", "LED0.25")
    + "# segment_iiif_link = https://x/2\n"
    + row("York", "I-loc", "Q60", "LED0.25|EndOfLine", meto="B-org", link_meto="Q7|NIL")
    + "\n# language = de\n# document_id = b\n"
    + row("Bern", "B-loc", "NIL")
    + row("1780", "B-time", "Q1|NIL|Q2")
    + row(".", misc="EndOfLine")
)


def read(text: str, query: str = "", column: str | None = None, layer: Layer = "spans") -> Corpus:
    Path("d.tsv").write_text(text, encoding="utf-8", newline="")
    return read_input(Input.parse(f"d.tsv::hipe{query}"), Request(side="key", value=column, layer=layer), "tokens")


class TestSample:
    def test_words_documents_and_spans(self) -> None:
        corpus = read(SAMPLE)
        assert documents(corpus) == {"a": ["From", "New", "York"], "b": ["Bern", "1780", "."]}
        assert spans(corpus) == [("a", 1, 3, "loc"), ("b", 0, 1, "loc"), ("b", 1, 2, "time")]
        assert span_lines(corpus) == ["d.tsv:7", "d.tsv:13", "d.tsv:14"]
        assert said(corpus, "id") == ["Q60", "NIL", "Q1|NIL|Q2"]
        assert str(said(corpus, "led")) == "[0.25, nan, nan]"
        assert corpus.spans is not None
        assert (corpus.spans.unit, corpus.format, corpus.evaluated) == ("tokens", "hipe", "NE-COARSE-LIT")
        assert notes(corpus) == []

    def test_lines_of_the_page_are_sentences_and_end_no_span(self) -> None:
        assert read(SAMPLE).sentences.tolist() == [0, 2, 3, 6]

    def test_without_comments_the_ends_of_lines_are_taken(self) -> None:
        corpus = read(HEADER + row("a", misc="NoSpaceAfter|EndOfLine") + row("b") + row("c", misc="EndOfLine"))
        assert (corpus.sentences.tolist(), corpus.documents.marked) == ([0, 1, 3], False)

    def test_ends_of_sentences_go_before_those_of_lines(self) -> None:
        text = HEADER + "# hipe2022:document_id = a\n# segment = 1\n" + row("a", "B-x", misc="EndOfLine")
        text += row("b", "I-x", misc="EndOfSentence") + "# segment = 2\n" + row("c", "I-x", misc="EndOfSentence")
        corpus = read(text)
        assert (corpus.sentences.tolist(), spans(corpus)) == ([0, 2, 3], [("a", 0, 3, "x")])

    def test_an_empty_line_and_a_document_end_spans(self) -> None:
        text = HEADER + row("a", "B-x", "Q1") + "\n" + row("b", "I-x", "Q1") + "# document_id = z\n"
        text += row("c", "I-x", "Q1")
        assert spans(read(text)) == [("d", 0, 1, "x"), ("d", 1, 2, "x"), ("z", 0, 1, "x")]
        assert len(read(text, "?mentions=links").spans or ()) == 3

    def test_what_comments_say_of_documents(self) -> None:
        attributes = read(SAMPLE).documents.attributes
        assert {name: column.values() for name, column in attributes.items()} == {
            "language": ["en", "de"],
            "date": ["1790-01-02", None],
        }

    def test_metadata_of_2022_stands_behind_the_name(self) -> None:
        text = HEADER + "# hipe2022:document_id = a\n# hipe2022:date = 1850\n# ajmc:doi = x\n" + row("a") + "\n"
        text += "# hipe2022:document_id = b\n# hipe2022:date = 1851\n" + row("b") + "# ajmc:doi = z\n"
        corpus = read(text)
        assert corpus.documents.names == ("a", "b")
        assert {name: column.values() for name, column in corpus.documents.attributes.items()} == {
            "date": ["1850", "1851"],
            "ajmc:doi": ["x", "z"],
        }

    def test_tags_as_values(self) -> None:
        corpus = read(SAMPLE, layer="values")
        assert (values(corpus), corpus.spans) == (["O", "B-loc", "I-loc", "B-loc", "B-time", "O"], None)
        assert set(corpus.columns) == {"value"}

    def test_further_columns(self) -> None:
        Path("d.tsv").write_text(SAMPLE)
        request = Request(side="key", extra=("MISC", "NE-NESTED", "genre"), layer="spans")
        corpus = read_input(Input.parse("d.tsv::hipe"), request, "tokens")
        assert set(corpus.columns) == {"value", "MISC", "NE-NESTED"}
        assert values(corpus, "MISC")[0] == "NoSpaceAfter"


class TestColumns:
    @pytest.mark.parametrize("query", ["", "?column=NE-COARSE-METO"])
    def test_metonymic_tags_have_metonymic_links(self, query: str) -> None:
        corpus = read(SAMPLE, query, None if query else "NE-COARSE-METO")
        assert (spans(corpus), said(corpus, "id")) == ([("a", 2, 3, "org")], ["Q7|NIL"])
        assert corpus.evaluated == "NE-COARSE-METO"

    def test_other_links(self) -> None:
        assert said(read(SAMPLE, "?column=NE-COARSE-METO&links=NEL-LIT"), "id") == ["Q60"]

    def test_a_column_that_is_not_there(self) -> None:
        assert refusal(read, SAMPLE, "?column=NE-COARSE-LIR", code=2) == (
            "there is no column 'NE-COARSE-LIR' (did you mean 'NE-COARSE-LIT'?)\n"
            "  columns: NE-COARSE-LIT, NE-COARSE-METO, NE-FINE-LIT, NE-FINE-METO, NE-FINE-COMP, NE-NESTED, NEL-LIT, "
            "NEL-METO, MISC; choose one with ?column="
        )
        assert refusal(read, SAMPLE, "?links=NEL", code=2).endswith("choose one with ?links=")

    def test_no_links_at_all(self) -> None:
        corpus = read("TOKEN\tNE-COARSE-LIT\nBern\tB-loc\n")
        assert corpus.spans is not None
        assert (spans(corpus), corpus.spans.columns) == ([("d", 0, 1, "loc")], {})

    def test_rows_shorter_than_the_header_and_blanks_in_place_of_tabs(self) -> None:
        header = HEADER.replace("NE-FINE-METO\tNE-FINE-COMP", "NE-FINE-METO   NE-FINE-COMP")
        corpus = read(f"{header}# document_id\nBern\tB-loc\n")
        assert (spans(corpus), notes(corpus)) == ([("document 1", 0, 1, "loc")], [])
        assert refusal(read, f"{header}Bern\tB-loc\n", "?column=NEL-LIT") == (
            "d.tsv:2: the header names a column 'NEL-LIT', but the rows have 2 columns\n  columns: NE-COARSE-LIT"
        )

    def test_further_columns_of_a_header(self) -> None:
        text = HEADER.rstrip("\n") + "\tLEVENSHTEIN\tDATE\n" + row("Bern", "B-loc", "Q1").rstrip("\n") + "\t0.1\t1790\n"
        assert said(read(text), "id") == ["Q1"]

    def test_a_column_that_says_nothing(self) -> None:
        corpus = read(SAMPLE.replace("\tO\tO\tO\tO\t", "\t_\t_\t_\t_\t"), "?column=NE-FINE-LIT")
        assert spans(corpus) == []
        assert notes(corpus)[0] == "key: words without a tag in the column NE-FINE-LIT, all of them: 6"

    def test_schemes_and_repair(self) -> None:
        text = HEADER + row("a", "I-x") + row("b", "I-x")
        assert notes(read(text)) == ["key: chunk tags read as IO (IOB1 would fit as well): 1 (d.tsv:2)"]
        assert "read as by conlleval: 1 (d.tsv:2)" in notes(read(text, "?scheme=bio"))[0]
        assert spans(read(text, "?scheme=bio&repair=discard")) == []


class TestLinks:
    def test_the_first_word_gives_the_ids(self) -> None:
        text = HEADER + row("New", "B-loc", "Q60|Q61") + row("York", "I-loc", "Q60") + row("City", "I-loc", "_")
        corpus = read(text)
        assert said(corpus, "id") == ["Q60|Q61"]
        assert notes(corpus) == [
            "key: mentions whose words have several ids, of which the first is used (?mentions=both splits them): "
            "1 (d.tsv:2)"
        ]

    def test_ids_outside_of_mentions(self) -> None:
        text = HEADER + row("a", link="Q1") + row("b", link="Q1") + row("c", "B-x", "Q1") + row("d", link="Q2")
        corpus = read(text)
        assert said(corpus, "id") == ["Q1"]
        assert notes(corpus) == [
            "key: ids outside of mentions ignored (?mentions=both reads them as mentions): 2 (d.tsv:2, d.tsv:5)"
        ]

    @pytest.mark.parametrize("nothing", ["_", "-", "", "O"])
    def test_what_is_no_link(self, nothing: str) -> None:
        corpus = read(HEADER + row("a", "B-x", nothing) + row("b", "B-x", "Q1"))
        assert said(corpus, "id") == [None, "Q1"]
        assert said(read(HEADER + row("a", link=nothing) + row("b", link="Q1"), "?mentions=links"), "id") == ["Q1"]

    def test_no_mention_is_linked(self) -> None:
        corpus = read(HEADER + row("a", "B-x"))
        assert corpus.spans is not None
        assert "id" not in corpus.spans.columns

    def test_mentions_that_links_make(self) -> None:
        text = HEADER + "# document_id = a\n" + row("a", "B-x", "q1|NIL", "EndOfLine") + "# segment = 2\n"
        text += row("b", "O", "Q1|nil") + row("c", "O", "Q1") + row("d", link="_") + row("e", "I-y", "NIL|Q9")
        text += "\n# document_id = b\n" + row("f", "B-x", "NIL|Q9")
        corpus = read(text, "?mentions=links")
        assert spans(corpus) == [
            ("a", 0, 2, "ENTITY"),
            ("a", 2, 3, "ENTITY"),
            ("a", 4, 5, "ENTITY"),
            ("b", 0, 1, "ENTITY"),
        ]
        assert said(corpus, "id") == ["Q1|NIL", "Q1", "NIL|Q9", "NIL|Q9"]
        assert (corpus.evaluated, notes(corpus), span_lines(corpus)[1]) == ("NEL-LIT", [], "d.tsv:6")

    def test_metonymic_mentions_that_links_make(self) -> None:
        assert spans(read(SAMPLE, "?mentions=links", "NE-COARSE-METO")) == [("a", 2, 3, "ENTITY")]
        assert spans(read(SAMPLE, "?mentions=links&links=NEL-METO")) == [("a", 2, 3, "ENTITY")]

    def test_times_that_are_nil(self) -> None:
        text = HEADER + row("a", "B-time", "Q1") + row("b", "I-time", "_") + row("c", "B-loc", "NIL") + row("d")
        assert said(read(text, "?times=nil"), "id") == ["NIL", "NIL"]
        assert spans(read(text, "?mentions=links&times=nil")) == [("d", 0, 3, "ENTITY")]
        assert len(read(text, "?mentions=links").spans or ()) == 2

    def test_options_that_are_not_possible(self) -> None:
        assert refusal(read, SAMPLE, "?mentions=ids", code=2) == (
            "invalid mentions='ids' (did you mean 'links'?)\n  one of: tags, links, both"
        )
        assert refusal(read, SAMPLE, "?word=2", code=2) == "invalid word='2'\n  one of: TOKEN, none"
        assert refusal(read, SAMPLE, "?comments=start", code=2) == "invalid comments='start'\n  one of: marked, all"

    def test_mentions_of_tags_that_are_split_where_ids_change(self) -> None:
        """So the scorer has read outputs since March 2022."""
        text = HEADER + row("New", "B-loc", "Q1") + row("York", "I-loc", "Q2") + row("City", "I-loc", "q2") + row("in")
        text += row("Bern", link="Q70") + row("Ulm", link="Q70") + row("Bo", "B-pers") + row("Po", "I-pers", "NIL")
        corpus = read(text, "?mentions=both")
        assert spans(corpus) == [
            ("d", 0, 1, "loc"),
            ("d", 1, 3, "loc"),
            ("d", 4, 5, "ENTITY"),
            ("d", 5, 6, "ENTITY"),
            ("d", 6, 7, "pers"),
            ("d", 7, 8, "pers"),
        ]
        assert said(corpus, "id") == ["Q1", "Q2", "Q70", "Q70", None, "NIL"]

    def test_where_ids_and_tags_agree_nothing_is_split(self) -> None:
        assert spans(read(SAMPLE, "?mentions=both")) == spans(read(SAMPLE))
        assert said(read(SAMPLE, "?mentions=both"), "id") == said(read(SAMPLE), "id")
        assert spans(read(HEADER + row("a") + row("b"), "?mentions=both")) == []

    def test_rows_without_words(self) -> None:
        corpus = read(SAMPLE, "?word=none")
        assert (corpus.words, spans(corpus)) == (None, spans(read(SAMPLE)))


class TestHashes:
    def test_comments_and_tokens(self) -> None:
        text = HEADER + "# document_id = a\n" + row("#", "B-x") + row("#5", "B-x") + "#\n" + "#" + "\t" * 9 + "\n"
        text += "# document_id = a" + "\t" * 9 + "\n" + row("b") + "# so printed\n#!\n"
        corpus = read(text)
        assert documents(corpus) == {"a": ["#", "#5", "b"]}
        assert notes(corpus) == ["key: comment lines ignored: 4 (d.tsv:5, d.tsv:6, d.tsv:9, …)"]

    def test_tabs_in_place_of_the_spaces_of_a_comment(self) -> None:
        """As in files of the scorer's own tests."""
        corpus = read(HEADER + "#\thipe2022:document_id\t=\ta\n#\thipe2022:date\t=\t1888-01-09\n" + row("#", "B-x"))
        assert documents(corpus) == {"a": ["#"]}
        assert corpus.documents.attributes["date"].values() == ["1888-01-09"]

    def test_all_rows_that_begin_with_a_hash_can_be_comments(self) -> None:
        text = HEADER + "# document_id = a\n" + row("x") + row("#Atol=b", "B-x") + row("y", "B-x") + row("#") + "#z\n"
        assert documents(read(text)) == {"a": ["x", "#Atol=b", "y", "#"]}
        corpus = read(text, "?comments=all")
        assert (documents(corpus), spans(corpus)) == ({"a": ["x", "y"]}, [("a", 1, 2, "x")])
        assert corpus.documents.attributes == {}
        assert notes(corpus) == [
            "key: comment lines ignored: 1 (d.tsv:7)",
            "key: rows that begin with # read as comments: 2 (d.tsv:4, d.tsv:6)",
        ]

    def test_the_first_row_can_be_such_a_comment(self) -> None:
        assert words(read(HEADER + row("#a") + row("b"), "?comments=all")) == ["b"]
        text = HEADER + row("#a")
        assert refusal(read, text, "?comments=all") == "d.tsv: there are no tokens after the header"

    def test_documents_without_names(self) -> None:
        text = HEADER + "# document_id" + "\t" * 9 + "\n" + row("a") + "\t" * 9 + "\n# document_id\n" + row("b")
        corpus = read(text)
        assert documents(corpus) == {"document 1": ["a"], "document 2": ["b"]}
        assert notes(corpus) == ["key: lines of only white space read as blank: 1"]

    def test_a_document_without_words(self) -> None:
        corpus = read(HEADER + "# document_id = a\n\n# document_id = b\n" + row("x") + "\n# document_id = c\n")
        assert documents(corpus) == {"a": [], "b": ["x"], "c": []}

    def test_words_in_quotes_as_csv_has_them(self) -> None:
        corpus = read(HEADER + row('""""', "B-x") + row('"a""b"') + row('"') + row('""') + row('"c"') + row('"d""'))
        assert words(corpus) == ['"', 'a"b', '"', '""', '"c"', '"d""']
        assert notes(corpus) == ["key: tokens in CSV quotes, which are removed: 2 (d.tsv:2, …)"]


KEY_WITH_HASH = HEADER + row("of", misc="EndOfSentence") + row("#Atol") + row("Bern", "B-loc", "Q70")
OUTPUT_WITHOUT = HEADER + row("of") + row("Bern", "B-loc", "Q70")


def score(capsys: pytest.CaptureFixture[str], key: str, output: str, *queries: str) -> Outcome:
    """Write a key and an output, and score it; the queries are added to their paths."""
    of_key, of_output = queries or ("", "")
    Path("key.tsv").write_text(key)
    Path("out.tsv").write_text(output)
    paths = f"key.tsv::hipe{of_key}", f"out=out.tsv::hipe{of_output}"
    return run(capsys, "score", *paths, "--task", "span", "--resamples", "0", "--json")


def parts(outcome: Outcome) -> list[tuple[int, int]]:
    return [
        (each["part"], each["whole"])
        for each in outcome.json["scores"]["scores"]
        if each["measure"] in {"precision", "recall"}
    ]


class TestRowsOfOneSide:
    """A token such as #Atol, which HIPE's scorer reads as a comment, and a team has dropped."""

    def test_the_error_names_the_option(self, capsys: pytest.CaptureFixture[str]) -> None:
        outcome = score(capsys, KEY_WITH_HASH, OUTPUT_WITHOUT)
        assert outcome.code == 3
        assert outcome.err == (
            "comparanda: out.tsv:3: the text differs from the key's (key.tsv:3)\n"
            "  after 'of': '#Atol Bern' in the key, 'Bern' in the system output\n"
            "  words that begin with #: 1 in the key, 0 in the system output (first: key.tsv:3); to read such rows as "
            "comments, add ?comments=all to both paths\n"
            "  give files with the same text; only white space, tokenisation and sentence boundaries may differ\n"
        )

    def test_with_the_option_both_sides_have_the_same_words(self, capsys: pytest.CaptureFixture[str]) -> None:
        outcome = score(capsys, KEY_WITH_HASH, OUTPUT_WITHOUT, "?comments=all", "?comments=all")
        assert (outcome.code, parts(outcome)) == (0, [(1, 1), (1, 1)])
        assert "rows that begin with # read as comments" in str(outcome.json["notes"])

    def test_likewise_where_the_key_lacks_the_row(self, capsys: pytest.CaptureFixture[str]) -> None:
        outcome = score(capsys, OUTPUT_WITHOUT, KEY_WITH_HASH)
        assert outcome.code == 3
        assert "words that begin with #: 0 in the key, 1 in the system output (first: out.tsv:3); " in outcome.err
        outcome = score(capsys, OUTPUT_WITHOUT, KEY_WITH_HASH, "", "?comments=all")
        assert (outcome.code, parts(outcome)) == (0, [(1, 1), (1, 1)])

    def test_likewise_where_rows_are_matched_by_number(self, capsys: pytest.CaptureFixture[str]) -> None:
        outcome = score(capsys, KEY_WITH_HASH, OUTPUT_WITHOUT, "", "?word=none")
        assert outcome.code == 3
        assert "words that begin with #: 1 in the key, 0 in the system output (first: key.tsv:3); " in outcome.err
        outcome = score(capsys, KEY_WITH_HASH, OUTPUT_WITHOUT, "?comments=all", "?word=none")
        assert (outcome.code, parts(outcome)) == (0, [(1, 1), (1, 1)])

    def test_a_row_that_both_have_is_a_word(self, capsys: pytest.CaptureFixture[str]) -> None:
        outcome = score(capsys, KEY_WITH_HASH, KEY_WITH_HASH)
        assert (outcome.code, parts(outcome)) == (0, [(1, 1), (1, 1)])
        assert "comment" not in str(outcome.json["notes"])

    def test_other_differences_do_not_name_it(self, capsys: pytest.CaptureFixture[str]) -> None:
        outcome = score(capsys, KEY_WITH_HASH, KEY_WITH_HASH.replace("Bern", "Ulm"))
        assert (outcome.code, "comments" in outcome.err) == (3, False)


class TestRowsByNumber:
    def test_sentence_ends_do_not_matter(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A team wrote `-` to MISC, so its output has no EndOfSentence; it spells a word differently."""
        key = (
            HEADER + row("a", misc="EndOfSentence") + row("b", "B-x") + row("c", misc="EndOfSentence") + row("d", "B-x")
        )
        output = HEADER + row("a", misc="-") + row("B", "B-x", misc="-") + row("c", misc="-") + row("d", misc="-")
        outcome = score(capsys, key, output, "", "?word=none")
        assert (outcome.code, parts(outcome)) == (0, [(1, 1), (1, 2)])
        assert "out: sentence boundaries that differ from the key's, which are used: 2" in outcome.json["notes"]

    def test_in_documents_of_another_order_too(self, capsys: pytest.CaptureFixture[str]) -> None:
        first = "# document_id = a\n" + row("a", "B-x", misc="EndOfSentence") + row("b")
        second = "# document_id = b\n" + row("c") + row("d", "B-x")
        outcome = score(
            capsys, HEADER + first + second, HEADER + second + first.replace("EndOfSentence", "-"), "", "?word=none"
        )
        assert (outcome.code, parts(outcome)) == (0, [(2, 2), (2, 2)])

    def test_other_numbers_of_rows_are_refused(self, capsys: pytest.CaptureFixture[str]) -> None:
        outcome = score(capsys, HEADER + row("a") + row("b"), HEADER + row("a"), "", "?word=none")
        assert (outcome.code, "1 tokens, but the key has 2" in outcome.err) == (3, True)


class TestFiles:
    def test_a_folder(self) -> None:
        for name, text in {"a": row("x", "B-loc"), "b": row("y", "I-loc")}.items():
            Path("c").mkdir(exist_ok=True)
            Path(f"c/{name}.tsv").write_text(HEADER + text)
        for written in ("c", "c::hipe"):
            corpus = read_input(Input.parse(f"{written}"), Request(side="key", layer="spans"), "tokens")
            assert (corpus.format, documents(corpus)) == ("hipe", {"a": ["x"], "b": ["y"]})
            assert spans(corpus) == [("a", 0, 1, "loc"), ("b", 0, 1, "loc")]

    def test_other_headers(self) -> None:
        Path("c").mkdir()
        Path("c/a.tsv").write_text(HEADER + row("x"))
        Path("c/b.tsv").write_text("TOKEN\tNE-COARSE-LIT\ny\tO\n")
        written = Input.parse("c::hipe")
        assert refusal(read_input, written, Request(side="key", layer="spans"), "tokens") == (
            "c/b.tsv:1: the header differs from that of c/a.tsv\n"
            "  files of one corpus must have the same columns in the same order"
        )


class TestDefects:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (
                HEADER + row("a") + "b\tO\n",
                "d.tsv:3: expected 10 columns as in the first row (d.tsv:2), got 2\n"
                "  columns are separated by one tab; is the row cut off?",
            ),
            (
                HEADER + row("a") + row("b").replace("\t", " "),
                "d.tsv:3: expected 10 columns as in the first row (d.tsv:2), got 1\n"
                "  the columns of this row are separated by spaces, those of the first row by tabs",
            ),
            (
                HEADER + row("a") + "#\tO\n",
                "d.tsv:3: expected 10 columns as in the first row (d.tsv:2), got 2\n"
                "  columns are separated by one tab; is the row cut off?",
            ),
            (
                "TOKEN\tNE-COARSE-LIT\na\tO\t_\n",
                "d.tsv:2: 3 columns, but the header names 2\n  columns are separated by one tab",
            ),
            (
                "a\tO\n",
                "d.tsv:1: there is no header before the first token\n"
                "  the first line begins with TOKEN, a tab and NE-; else: ::columns",
            ),
            ("TOKEN\tNE-COARSE-LIT\tNE-COARSE-LIT\na\tO\tO\n", "d.tsv:1: the header names 'NE-COARSE-LIT' twice"),
            (HEADER, "d.tsv: there are no tokens after the header"),
            ("# document_id = a\n", "d.tsv: there are no tokens in this file"),
        ],
    )
    def test_refused(self, text: str, expected: str) -> None:
        assert refusal(read, text) == expected

    def test_long_lines(self) -> None:
        request = Request(side="key", layer="spans", max_line=1000)
        Path("d.tsv").write_text(HEADER + row("a" * 2000))
        found = refusal(read_input, Input.parse("d.tsv::hipe"), request, "tokens")
        assert found.startswith("d.tsv:2: this line has more than 1,000 bytes")

    @pytest.mark.parametrize("token", ["[" * 5_000_000, '"' * 5_000_001, "# a = x" + " " * 5_000_000 + "x"])
    def test_large_lines_take_no_time(self, token: str) -> None:
        started = time.process_time()
        read(HEADER + row("a") + (row(token) if token[0] != "#" else f"{token}\n"))
        assert time.process_time() - started < 3


class TestSniffing:
    def test_the_header_tells(self) -> None:
        assert hipe.sniff(SAMPLE.splitlines())
        assert hipe.sniff(["", "# language = en", "TOKEN\tNE-COARSE-LIT", "a\tO"])
        assert not hipe.sniff(["TOKEN NE-COARSE-LIT", "a O"])
        assert not hipe.sniff(["a\tO", "TOKEN\tNE-"])
        assert not hipe.sniff([])

    def test_the_command_knows_it(self) -> None:
        Path("d.tsv").write_text(SAMPLE)
        assert read_input(Input.parse("d.tsv"), Request(side="key", layer="spans"), "tokens").format == "hipe"


# Real files: the English test set of HIPE 2020, what participants made of it, and what was published of that

HIPE = "data/ner_el/hipe2020"
OTHER_SPELLINGS = ("team10_bundle1_en_1", "team10_bundle1_en_2", "team37_bundle5_en_1")
"""They spell some words in their own way, so that their rows alone can be matched."""

SHORT_ROWS = ("team23_bundle4_en_1", "team23_bundle4_en_3")
"""Their rows have the first two columns alone, though their headers name them all."""


def systems() -> list[str]:
    folder = ROOT / HIPE / "systems"
    return sorted(path.name.partition(".")[0] for path in folder.iterdir()) if folder.exists() else ["none"]


def key() -> str:
    return f"{shared(f'{HIPE}/gold/HIPE-data-v1.3-test-en.tsv')}"


def path_of(system: str) -> Path:
    return shared(f"{HIPE}/systems/{system}.tsv.gz")


def cells(path: str | Path) -> list[list[str]]:
    """Read rows in the plainest way; an empty one stands between documents."""
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8", newline="\n") as lines:
        rows = [line.rstrip("\r\n").split("\t") for line in lines][1:]
    found: list[list[str]] = []
    for row in rows:
        if not any(row) or row[0].startswith("# document_id"):
            found.append([])
        elif not (row[0].startswith("# ") or row == ["#"]):
            found.append(row)
    return found


def plain_spans(path: str | Path) -> int:
    """Count spans: every tag but O that does not go on with the label of the tag before it."""
    count, before = 0, "O"
    for row in cells(path):
        tag = row[1] if row else "O"
        count += tag != "O" and (tag[0] == "B" or before[2:] != tag[2:])
        before = tag
    return count


def plain_links(path: str | Path, column: int, *, no_times: bool) -> int:
    count, before = 0, "_"
    for row in cells(path):
        link = row[column].upper() if row else "_"
        link = "NIL" if row and no_times and "time" in row[1].lower() else link
        count += link not in {"_", "-", "", "O"} and link != before
        before = link
    return count


def read_real(path: str | Path, query: str = "") -> Corpus:
    return read_input(Input.parse(f"{path}::hipe{query}"), Request(side="x", layer="spans"), "tokens")


@pytest.mark.parametrize("system", first_few(2, ["key", *systems()]))
def test_the_spans_of_real_files_are_those_of_a_plain_count(system: str) -> None:
    path = key() if system == "key" else path_of(system)
    corpus = read_real(path)
    assert corpus.spans is not None
    assert (len(corpus.spans), len(corpus), len(corpus.sentences)) == (plain_spans(path), 16634, 2103)
    assert len(corpus.documents) == (1 if system.startswith("team31") else 46)
    for column, name in {7: "NEL-LIT", 8: "NEL-METO"}.items():
        for times in ("nil", "kept") if system not in SHORT_ROWS else ():
            linked = read_real(path, f"?mentions=links&links={name}&times={times}").spans
            assert len(linked or ()) == plain_links(path, column, no_times=times == "nil")


def test_all_submissions_are_here() -> None:
    shared(HIPE)
    assert len(systems()) == 14


@cache
def published(kind: str) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Return TP, FP and FN of the submissions that are here, by submission and column."""
    with shared(f"{HIPE}/published/ranking-en-{kind}.tsv").open(encoding="utf-8") as lines:
        return {
            (row["System"], row["Evaluation"].partition("-micro-")[0]): (int(row["TP"]), int(row["FP"]), int(row["FN"]))
            for row in csv.DictReader(lines, delimiter="\t")
            if row["System"] in systems()
        }


def ranked(kind: str) -> list[tuple[str, str]]:
    return sorted(published(kind)) if (ROOT / HIPE).exists() else [("none", "none")]


@pytest.mark.parametrize("kind", ["strict", "fuzzy"])
@pytest.mark.parametrize(("system", "column"), first_few(2, ranked("coarse-micro-strict-all")))
def test_the_command_counts_what_was_published(
    system: str, column: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = published(f"coarse-micro-{kind}-all")[system, column]
    query = "::hipe?word=none" if system in OTHER_SPELLINGS else "::hipe"
    arguments = ("--task", "span", "--column", column, "--fold-case", "--rules", "hipe", "--view", kind)
    paths = f"{key()}::hipe", f"x={path_of(system)}{query}"
    outcome = run(capsys, "score", *paths, *arguments, "--json", "--resamples", "0")
    if system in SHORT_ROWS and column == "NE-COARSE-METO":
        assert (outcome.code, "but the rows have 2 columns" in outcome.err) == (3, True)
        return
    assert outcome.code == 0, outcome.err
    scores = {score["measure"].removeprefix(f"{kind}."): score for score in outcome.json["scores"]["scores"]}
    precision, recall = scores["precision"], scores["recall"]
    assert precision["part"] == recall["part"]
    assert (precision["part"], precision["whole"] - precision["part"], recall["whole"] - recall["part"]) == expected


@pytest.mark.parametrize("kind", first_few(1, ["nel-micro-fuzzy", "nel-only-micro-fuzzy"]))
def test_as_many_links_as_were_published(kind: str) -> None:
    """TP and FP are all links of a system, once those of times are NIL, and TP and FN are all of the key."""
    for (system, column), (right, wrong, missed) in published(kind).items():
        query = f"?mentions=links&times=nil&links={column}"
        whole = read_real(key(), f"?mentions=links&links={column}").spans
        found = [len(read_real(path_of(system), query).spans or ()), len(whole or ())]
        assert found == [right + wrong, right + missed], (system, column)


def test_formats_are_told_from_the_real_files() -> None:
    found = compare(key(), {"x": str(path_of("team37_bundle4_en_1"))}, task="span", resamples=0).scores("recall")
    assert (found.scores[0].part, found.scores[0].whole) == (272, 449)

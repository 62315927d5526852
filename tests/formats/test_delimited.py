from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparanda.core.corpus import Corpus
from comparanda.core.places import Source
from comparanda.core.text_columns import split_labels
from comparanda.errors import ComparandaError, ReadError, UsageError
from comparanda.formats.contract import Format, Request
from comparanda.formats.delimited import CSV, TSV, sniff_csv, sniff_tsv
from comparanda.formats.inputs import Input, read_input


def read(
    text: str, form: Format = CSV, *, value: str | None = None, extra: tuple[str, ...] = (), **options: str
) -> Corpus:
    form.check_options(options)
    return form.read(
        Source.of_text(f"f.{form.name}", text.encode()), Request(side="key", value=value, extra=extra, options=options)
    )


def pairs(corpus: Corpus) -> list[tuple[str, str]]:
    assert corpus.words is not None
    return [(corpus.words[row], corpus.columns["value"][row]) for row in range(len(corpus))]


def places(corpus: Corpus) -> list[str]:
    return [str(corpus.location(row)) for row in range(len(corpus))]


def notes(corpus: Corpus) -> list[str]:
    return [str(note) for note in corpus.notes]


def refused(text: str, form: Format = CSV, **given: Any) -> str:
    with pytest.raises(ComparandaError) as error:
        read(text, form, **given)
    assert error.value.exit_code == 3
    return str(error.value)


class TestColumns:
    def test_well_known_names_are_found(self) -> None:
        corpus = read("text,ID,Label\nHello,a,pos\nBye,b,neg\n")
        assert pairs(corpus) == [("a", "pos"), ("b", "neg")]
        assert places(corpus) == ["f.csv:2", "f.csv:3"]
        assert notes(corpus) == []

    def test_a_corpus_of_rows_is_found_by_id_and_has_one_unmarked_document(self) -> None:
        corpus = read("id,label\na,x\nb,y\n")
        assert (corpus.by_id, corpus.several, corpus.format, corpus.name) == (True, False, "csv", "key")
        assert corpus.sentences.tolist() == [0, 1, 2]
        assert (corpus.documents.names, corpus.documents.marked) == (("f",), False)
        assert corpus.documents.offsets.tolist() == [0, 2]

    def test_a_column_is_given_by_name_or_by_number(self) -> None:
        text = "guid,first,second\na,x,1\nb,y,2\n"
        assert pairs(read(text, label="first")) == pairs(read(text, label="2")) == [("a", "x"), ("b", "y")]
        assert pairs(read(text, value="second")) == [("a", "1"), ("b", "2")]
        assert pairs(read(text, value="second", label="first")) == [("a", "x"), ("b", "y")]
        assert pairs(read(text, id="second", label="FIRST")) == [("1", "x"), ("2", "y")]

    def test_row_numbers_serve_as_ids(self) -> None:
        assert pairs(read("id,label\na,x\na,y\n", id="row")) == [("1", "x"), ("2", "y")]

    def test_without_a_header_the_first_column_is_the_id_and_the_last_the_label(self) -> None:
        corpus = read("a,x\nb,y\n")
        assert pairs(corpus) == [("a", "x"), ("b", "y")]
        assert places(corpus) == ["f.csv:1", "f.csv:2"]
        assert notes(corpus) == [
            "key: no known header, the first row read as data; confirm with ?header=no: 1 (f.csv:1)",
        ]
        assert notes(read("a,x\nb,y\n", header="no")) == []

    def test_what_is_chosen_by_position_among_many_columns_is_noted(self) -> None:
        corpus = read("name,text,mood\na,Hello,x\n", header="yes")
        assert pairs(corpus) == [("a", "x")]
        assert notes(corpus) == [
            "key: the last column ('mood') read as the label: 1 (f.csv:1)",
            "key: the first column ('name') read as the id: 1 (f.csv:1)",
        ]

    def test_the_nameless_index_of_pandas_is_the_id(self) -> None:
        corpus = read(",text,label\n0,Hello,x\n1,Bye,y\n")
        assert pairs(corpus) == [("0", "x"), ("1", "y")]
        assert notes(corpus) == []

    def test_a_header_of_weak_names_alone_is_noted(self) -> None:
        corpus = read("text,language\nHello,en\n")
        assert pairs(corpus) == [("Hello", "en")]
        assert notes(corpus) == ["key: the first row read as the header; confirm with ?header=yes: 1 (f.csv:1)"]

    def test_a_single_column_of_labels_is_numbered(self) -> None:
        assert pairs(read("x\ny\n", header="no")) == [("1", "x"), ("2", "y")]
        assert pairs(read("label\nx\ny\n")) == [("1", "x"), ("2", "y")]

    def test_a_label_in_the_first_column_leaves_rows_to_their_numbers(self) -> None:
        corpus = read("label,text\nx,Hello\n")
        assert pairs(corpus) == [("1", "x")]
        assert notes(corpus) == [
            "key: no column has a usual name for the id: rows are matched by their number: 1 (f.csv:1)"
        ]

    def test_requested_columns_are_attributes_and_an_empty_cell_is_missing(self) -> None:
        corpus = read("id,genre,label,size\na,news,x,1\nb,,y,2\n", extra=("genre", "size", "absent"))
        assert set(corpus.columns) == {"value", "genre", "size"}
        genre = corpus.columns["genre"]
        assert [genre[0], genre[1], genre.missing] == ["news", "", genre.codes[1]]


class TestSeveralLabels:
    def test_a_cell_is_split(self) -> None:
        corpus = read("id,labels\na,news; sports\nb,\nc,news\n", split=";")
        assert corpus.several
        assert pairs(corpus) == [("a", "news|sports"), ("b", ""), ("c", "news")]

    def test_a_bar_in_a_label_is_kept(self) -> None:
        corpus = read("id,labels\na,x|y;z\n", split=";")
        assert split_labels(corpus.columns["value"][0]) == ("x|y", "z")

    def test_rows_of_one_id_are_merged(self) -> None:
        corpus = read("id,label,genre\na,x,m\nb,x,n\na,y,o\na,x,p\nc,,q\n", several="rows", extra=("genre",))
        assert corpus.several
        assert pairs(corpus) == [("a", "x|y"), ("b", "x"), ("c", "")]
        assert places(corpus) == ["f.csv:2", "f.csv:3", "f.csv:6"]
        assert [corpus.columns["genre"][row] for row in range(3)] == ["m", "n", "q"]
        assert notes(corpus) == ["key: duplicate labels of a row, counted once: 1 (f.csv:5)"]

    def test_merging_needs_ids(self) -> None:
        assert refused("label\nx\n", several="rows") == (
            "f.csv:2: several=rows merges rows of one id, but there are no ids\n  name the column of ids: ?id=NAME"
        )

    def test_one_id_belongs_to_one_document(self) -> None:
        assert refused("id,label,d\na,x,1\na,y,2\n", several="rows", document="d") == (
            "f.csv:3: the id 'a' is in document '2', but was in '1'\n  its first row is at f.csv:2"
        )


class TestDocuments:
    def test_rows_of_a_document_come_together_and_keep_their_places(self) -> None:
        corpus = read("id,doc,label\n1,b,x\n2,a,y\n3,b,z\n", document="doc")
        assert pairs(corpus) == [("1", "x"), ("3", "z"), ("2", "y")]
        assert places(corpus) == ["f.csv:2", "f.csv:4", "f.csv:3"]
        assert (corpus.documents.names, corpus.documents.marked) == (("b", "a"), True)
        assert corpus.row_documents.tolist() == [0, 2, 3]

    def test_row_numbers_are_those_of_the_file(self) -> None:
        corpus = read("doc,label\nb,x\na,y\nb,z\n", document="doc", id="row")
        assert pairs(corpus) == [("1", "x"), ("3", "z"), ("2", "y")]

    def test_every_row_names_its_document(self) -> None:
        assert refused("id,doc,label\n1,,x\n", document="doc") == (
            "f.csv:2: the document of this row is empty\n  name the document of every row"
        )


class TestQuotes:
    def test_a_quoted_field_holds_separators_quotes_and_lines(self) -> None:
        corpus = read('id,text,label\n1,"a, ""b""\n\nc",x\n2,d,y\n', extra=("text",))
        assert places(corpus) == ["f.csv:2", "f.csv:5"]
        assert corpus.columns["text"][0] == 'a, "b"\n\nc'

    def test_quotes_are_plain_characters_in_tsv(self) -> None:
        corpus = read('id\ttext\tlabel\n1\t"Hello" she said\tx\n', TSV, extra=("text",))
        assert corpus.columns["text"][0] == '"Hello" she said'
        assert notes(corpus) == []

    def test_a_label_in_quotes_is_noted_in_tsv(self) -> None:
        text = 'id\tlabel\n1\t"x"\n2\ty\n'
        assert pairs(read(text, TSV)) == [("1", '"x"'), ("2", "y")]
        what = "rows with an id or label in quotes, read with the quotes; remove them with ?quotes=yes"
        assert notes(read(text, TSV)) == [f"key: {what}: 1 (f.tsv:2)"]
        assert pairs(read(text, TSV, quotes="yes")) == [("1", "x"), ("2", "y")]

    def test_an_open_quote_is_refused_where_its_row_begins(self) -> None:
        assert refused('id,label\n1,x\n2,"y\n3,z\n') == (
            'f.csv:3: a quote opens in this row and never closes\n  close it; a quote inside quotes is doubled: ""'
        )

    def test_an_open_quote_in_the_first_row(self) -> None:
        assert refused('\nid,"label\n1,x\n').startswith("f.csv:2: a quote opens in this row and never closes\n")

    def test_text_behind_a_closing_quote_is_refused(self) -> None:
        assert refused('id,label\n1,"x"y\n') == (
            "f.csv:2: there is text after a closing quote in this row\n"
            '  a quote inside quotes is doubled: ""; if quotes are plain characters: ?quotes=no'
        )

    def test_a_field_may_be_longer_than_the_csv_module_allows(self) -> None:
        before = csv.field_size_limit()
        corpus = read(f"id,text,label\n1,{'x' * (before + 1)},y\n")
        assert pairs(corpus) == [("1", "y")]
        assert csv.field_size_limit() == before


class TestRefusals:
    def test_a_row_with_too_many_columns(self) -> None:
        assert refused("id,label\n1,x\n2,y,z\n") == (
            "f.csv:3: expected 2 columns as in the header, got 3\n  a field that contains ',' must be in double quotes"
        )

    def test_a_row_with_too_few_columns(self) -> None:
        assert refused("a,x\nb\n", header="no") == (
            "f.csv:2: expected 2 columns as in the first row, got 1\n"
            "  columns are separated by ','; to change it: ?separator=…"
        )

    def test_a_ragged_row_over_several_lines_points_at_quotes(self) -> None:
        assert refused('id,text,label\n1,"a,x\n2,b,y\n3,c",z,w\n') == (
            "f.csv:2: expected 3 columns as in the header, got 4\n"
            "  the row continues for 2 more lines: is a quote not closed?\n"
            "  a field that contains ',' must be in double quotes"
        )

    def test_a_ragged_row_with_quotes_in_tsv(self) -> None:
        assert refused('id\ttext\tlabel\n1\t"a\tb"\tx\n', TSV) == (
            "f.tsv:2: expected 3 columns as in the header, got 4\n  if fields are quoted: ?quotes=yes"
        )

    def test_a_missing_column(self) -> None:
        assert refused("id,label\n1,x\n", label="lable") == (
            "f.csv:1: there is no column 'lable' (did you mean 'label'?)\n  columns: id, label, numbers 1 to 2"
        )
        assert refused("a,b\n1,x\n", value="c").startswith("f.csv:1: there is no column 'c'\n")
        assert refused("a,b\n1,x\n", header="no", label="b") == (
            "f.csv:1: there is no column 'b'\n  columns: numbers 1 to 2"
        )
        assert refused("id,label\n1,x\n", label="3").startswith("f.csv:1: there is no column '3'")

    def test_two_columns_of_one_name(self) -> None:
        assert refused("id,x,x\n1,a,b\n", label="x") == (
            "f.csv:1: 2 columns are named 'x'\n  choose one by its number: 2, 3"
        )

    def test_labels_and_predictions_in_one_file(self) -> None:
        text = "id,label,prediction\n1,x,y\n"
        assert refused(text) == (
            "f.csv:1: the label could be in the column 'label' or 'prediction'\n"
            '  choose one: --column NAME (in Python: column="NAME")'
        )
        assert pairs(read(text, value="prediction")) == [("1", "y")]

    def test_two_columns_of_ids(self) -> None:
        assert refused("text_id,sent_id,label\n1,2,x\n") == (
            "f.csv:1: the id could be in the column 'text_id' or 'sent_id'\n"
            "  choose one: ?id=NAME, or ?id=row to use the number of each row"
        )
        assert pairs(read("id,sent_id,label\n1,2,x\n")) == [("1", "x")]

    def test_an_empty_label(self) -> None:
        assert refused("id,label\n1,x\n2,\n") == (
            "f.csv:3: the label of this row is empty\n"
            "  give it a label; it may be empty only if rows can have several labels (?split=…, or lists)"
        )

    def test_an_empty_id(self) -> None:
        assert refused("id,label\n,x\n") == (
            "f.csv:2: the id of this row is empty\n  give every row an id, or match rows by their number with ?id=row"
        )

    def test_no_rows(self) -> None:
        assert refused("id,label\n") == (
            "f.csv:1: the file has a header, but no rows\n  if the first row is data: ?header=no"
        )
        assert refused("\n\n") == "f.csv: there are no rows in this file"

    def test_another_separator(self) -> None:
        assert refused("id;label\n1;x\n") == (
            "f.csv:1: only one column, but every row contains ';'\n  if it separates columns: ?separator=semicolon"
        )
        assert pairs(read("id;label\n1;x\n", separator=";")) == [("1", "x")]
        assert pairs(read("id;label\n1;x\n", separator="semicolon")) == [("1", "x")]

    def test_a_carriage_return_inside_a_row(self) -> None:
        assert refused("id,label\n1,x\r2,y\n") == (
            "f.csv:2: there is a carriage return inside this row\n  end lines by LF or CRLF"
        )

    def test_a_line_above_the_limit(self) -> None:
        source = Source.of_text("f.csv", b"id,label\n1," + b"x" * 100 + b"\n")
        with pytest.raises(ReadError, match=r"^f.csv:2: this line has more than 50 bytes"):
            CSV.read(source, Request(max_line=50))

    @pytest.mark.parametrize(
        ("option", "value"), [("header", "maybe"), ("several", "cells"), ("separator", "::"), ("separator", '"')]
    )
    def test_an_option_out_of_range(self, option: str, value: str) -> None:
        with pytest.raises(UsageError, match=f"{option}="):
            CSV.read(Source.of_text("f.csv", b"id,label\n1,x\n"), Request(options={option: value}))


class TestFiles:
    def test_blank_lines_are_passed_over_and_counted(self) -> None:
        corpus = read("id,label\n\na,x\n\nb,y\n\n\n")
        assert places(corpus) == ["f.csv:3", "f.csv:5"]
        assert notes(corpus) == ["key: blank lines ignored: 2 (f.csv:2, f.csv:4)"]

    def test_files_of_a_folder_are_one_corpus(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text("id,label\n1,x\n", "utf-8")
        (tmp_path / "b.csv").write_bytes(b"\xef\xbb\xbfid,label\r\n2,y\r\n")
        corpus = read_input(Input(path=str(tmp_path), format="csv"), Request(side="key"), "rows")
        assert pairs(corpus) == [("1", "x"), ("2", "y")]
        assert [place.rsplit("/", 1)[1] for place in places(corpus)] == ["a.csv:2", "b.csv:2"]
        assert (corpus.documents.names, corpus.documents.marked) == (("a",), False)

    def test_a_file_of_blank_lines_is_passed_over(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text("\n\n", "utf-8")
        (tmp_path / "b.csv").write_text("\nid,label\n1,x\n", "utf-8")
        corpus = read_input(Input(path=str(tmp_path), format="csv"), Request(side="key"), "rows")
        assert (pairs(corpus), places(corpus)[0].rsplit("/", 1)[1]) == ([("1", "x")], "b.csv:3")

    def test_files_of_a_folder_need_one_header(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text("id,label\n1,x\n", "utf-8")
        (tmp_path / "b.csv").write_text("label,id\ny,2\n", "utf-8")
        with pytest.raises(ReadError, match=r"b\.csv:1: the header differs from that of .*a\.csv"):
            read_input(Input(path=str(tmp_path), format="csv"), Request(side="key"), "rows")

    @pytest.mark.parametrize(("name", "separator"), [("csv", ","), ("tsv", "\t")])
    def test_the_format_is_told_by_content(self, tmp_path: Path, name: str, separator: str) -> None:
        (tmp_path / "rows.txt").write_text(f"id{separator}label\n1{separator}x\n", "utf-8")
        corpus = read_input(Input(path=str(tmp_path / "rows.txt")), Request(side="key"), "rows")
        assert (corpus.format, pairs(corpus)) == (name, [("1", "x")])


class TestSniffing:
    def test_csv(self) -> None:
        assert sniff_csv(["id,label", "1,x"])
        assert sniff_csv(["id,text,label", '1,"a', 'b, c",x', '2,"cut'])
        assert not sniff_csv(["id,label", "1,x,y"])
        assert not sniff_csv(["id label"])
        assert not sniff_csv(["id\ta,b", "1\tc,d"])
        assert not sniff_csv(['{"id": 1, "label": "x"}', '{"id": 2, "label": "y"}'])
        assert not sniff_csv([])

    def test_tsv(self) -> None:
        assert sniff_tsv(["id\tlabel", "1\tx", ""])
        assert not sniff_tsv(["The\tDT", "", "A\tDT"])
        assert not sniff_tsv(["id\tlabel", "1"])
        assert not sniff_tsv(["id,label"])
        assert not sniff_tsv([])


_CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=8)
_NAME = _CELL.filter(bool)


@given(
    st.lists(st.tuples(_NAME, _CELL, _NAME), min_size=1, max_size=8),
    st.sampled_from([",", ";", "|", "\t", "ä"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
)
def test_what_the_csv_module_writes_is_read_back(
    rows: list[tuple[str, str, str]], separator: str, quoting: Any
) -> None:
    written = io.StringIO()
    writer = csv.writer(written, delimiter=separator, quoting=quoting, lineterminator="\n")
    writer.writerow(["id", "text", "label"])
    writer.writerows(rows)
    corpus = read(written.getvalue(), separator=separator, extra=("text",))
    text = corpus.columns["text"]
    assert [(name, text[row], label) for row, (name, label) in enumerate(pairs(corpus))] == rows
    outside = list(csv.DictReader(io.StringIO(written.getvalue(), newline=""), delimiter=separator))
    assert pairs(corpus) == [(each["id"], each["label"]) for each in outside]
    lines = written.getvalue().split("\n")
    quotes = '"' if quoting != csv.QUOTE_MINIMAL else ""
    for row, place in enumerate(places(corpus)):
        begins = lines[int(place.rsplit(":", 1)[1]) - 1]
        assert begins.startswith((quotes + rows[row][0].split("\n")[0][:1], '"'))


@given(st.lists(st.tuples(_NAME, _NAME), min_size=1, max_size=8))
def test_plain_tsv_is_read_cell_by_cell(rows: list[tuple[str, str]]) -> None:
    clean = [tuple(cell.replace("\t", " ").replace("\n", " ") for cell in row) for row in rows]
    corpus = read("id\tlabel\n" + "".join(f"{name}\t{label}\n" for name, label in clean), TSV)
    assert pairs(corpus) == clean


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=12))
def test_merged_rows_hold_the_labels_of_each_id(rows: list[tuple[str, str]]) -> None:
    corpus = read("id,label\n" + "".join(f"{name},{label}\n" for name, label in rows), several="rows")
    found = {name: set(split_labels(value)) for name, value in pairs(corpus)}
    assert found == {name: {label for other, label in rows if other == name} for name, _ in rows}


@given(st.text(alphabet='a,"\n\t;x', max_size=40))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    for form in (CSV, TSV):
        source = Source.of_text("f", text.encode())
        error = None
        try:
            rows = len(form.read(source, Request()))
        except ReadError as found:
            error, rows = str(found), 0
        assert rows if error is None else re.match(r"f(:\d+)?: ", error)


@pytest.mark.slow
def test_a_million_rows_keep_their_places() -> None:
    text = "id,text,label\n" + "".join(f'r{row},"text {row}, quoted",{"xyz"[row % 3]}\n' for row in range(1_000_000))
    corpus = read(text)
    assert (len(corpus), str(corpus.location(999_999))) == (1_000_000, "f.csv:1000001")

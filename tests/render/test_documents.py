"""Findings as Markdown, CSV, TSV, JSON lines and HTML: read back by others, they say the same."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from typing import Any

import pytest
from markdown_it import MarkdownIt

from comparanda.render.markup import as_delimited, as_html, as_json_lines, as_markdown
from comparanda.render.table import Table, make_visible
from comparanda.result import Result
from tests.render.hostile import hostile_findings, plain_and_hostile_findings
from tests.toy_task import (
    of_one_view,
    registered,
    toy_measures,  # noqa: F401 - a fixture that works by being here
    verdicts_of,
)

RESULT = Result(verdicts_of(), 20)
with registered():
    EMPTY = RESULT.examples("false", view="strict")
    ALL = {**plain_and_hostile_findings(), "no example": EMPTY}


class Tables(HTMLParser):
    """Collects the texts of cells, captions and notes, and every tag."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.rows: list[list[str]] = []
        self.captions: list[str] = []
        self._into: list[str] | None = None

    def handle_starttag(self, tag: str, _: Any) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")
            self._into = self.rows[-1]
        if tag in {"caption", "h3", "p", "summary"}:
            self.captions.append("")
            self._into = self.captions

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th", "caption", "h3", "p", "summary"}:
            self._into = None

    def handle_data(self, data: str) -> None:
        if self._into is not None:
            self._into[-1] += data


def written(shown: tuple[Table, ...]) -> list[list[str]]:
    rows = []
    for table in shown:
        rows.append([make_visible(each.header) for each in table.fields])
        rows += [[table.written(row, column) for column in range(len(table.fields))] for row in range(len(table.rows))]
    return rows


def parsed(html: str) -> Tables:
    reader = Tables()
    reader.feed(html)
    return reader


@pytest.mark.parametrize("name", of_one_view(ALL))
def test_markdown_is_read_as_it_was_meant(name: str) -> None:
    text = as_markdown(ALL[name], 0)
    html = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)
    found = parsed(html)
    assert [[cell.strip() for cell in row] for row in found.rows] == [
        [cell.strip() for cell in row] for row in written(ALL[name].tables(0))
    ]
    assert found.tags <= {"h3", "table", "thead", "tbody", "tr", "th", "td", "p", "strong", "br", "details", "summary"}
    titles = [make_visible(table.title).strip() for table in ALL[name].tables(0)]
    assert [title for title in found.captions if title in titles] == titles


def test_markdown_escapes_pipes_and_backticks() -> None:
    text = as_markdown(hostile_findings()["nasty examples"])
    assert "\\| pipe \\`tick\\` \\*\\*bold\\*\\* \\[link\\](x) \\<b\\>\\&amp;" in text
    for table in text.split("\n\n### "):
        assert len({line.count("|") - line.count("\\|") for line in table.splitlines() if line.startswith("|")}) == 1


@pytest.mark.parametrize("name", of_one_view(ALL))
def test_html_holds_text_and_shapes_alone(name: str) -> None:
    found = parsed(as_html(ALL[name]))
    assert found.rows == written(ALL[name].tables())
    assert found.tags <= {
        *("table", "caption", "thead", "tbody", "tr", "th", "td", "p"),
        *("figure", "svg", "title", "desc", "defs", "pattern", "clippath", "g", "path", "rect", "circle", "text"),
    }
    assert ALL[name]._repr_html_() == as_html(ALL[name])


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("separator", [",", "\t"])
def test_delimited_text_is_read_back_by_a_csv_reader(name: str, separator: str) -> None:
    table = ALL[name].main_table()
    text = as_delimited(ALL[name], separator)
    header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    assert tuple(header) == table.keys()
    expected = [["" if value is None else str(value) for value in row.values()] for row in table.dicts()]
    assert rows == expected


@pytest.mark.parametrize("name", ALL)
def test_json_lines_are_read_back(name: str) -> None:
    lines = as_json_lines(ALL[name]).split("\n")
    assert lines.pop() == ""
    assert [json.loads(line) for line in lines] == json.loads(json.dumps(ALL[name].to_dicts()))


def test_numbers_come_raw_and_in_full() -> None:
    row = next(csv.DictReader(io.StringIO(as_delimited(RESULT.scores(view="strict"), ","))))
    assert (row["system"], float(row["accuracy"]), row["right"]) == ("rough", 0.8, "32")


def test_undefined_is_empty_in_csv_and_null_in_json() -> None:
    finding = RESULT.slices("genre", view="strict")
    row = next(csv.DictReader(io.StringIO(as_delimited(finding, ","))))
    assert row["p"] == ""
    assert json.loads(as_json_lines(finding).split("\n")[0])["p"] is None


def test_a_finding_without_rows_still_has_its_columns() -> None:
    assert as_delimited(EMPTY, ",").startswith("document,place,before,word,after,key")
    assert as_json_lines(EMPTY) == ""
    assert list(EMPTY.to_pandas().columns) == EMPTY.to_polars().columns == list(EMPTY.main_table().keys())


def test_a_cut_table_says_so_in_markdown_but_csv_is_whole() -> None:
    finding = RESULT.difference(view="strict")
    assert "more kinds of correction" in as_markdown(finding, 1)
    assert as_delimited(finding, ",").count("\n") == 13
    assert as_delimited(finding, ",", 1).count("\n") == 7

"""Findings as Markdown, CSV, TSV, JSON lines and HTML tables."""

from __future__ import annotations

import csv
import html
import io
from typing import TYPE_CHECKING

import msgspec

from comparanda.show.cells import visible
from comparanda.show.tables import TOP, Table, tables

if TYPE_CHECKING:
    from comparanda.compare.finding import Finding


def as_markdown(finding: Finding, top: int = TOP) -> str:
    """Return all tables in Markdown."""
    return "\n\n".join(_markdown(table) for table in tables(finding, top))


def _markdown(table: Table) -> str:
    lines = [f"### {_escaped(table.title)}", ""]
    lines.append("| " + " | ".join(_escaped(each.header) for each in table.fields) + " |")
    lines.append("|" + "|".join("---" if each.kind == "text" else "---:" for each in table.fields) + "|")
    for number in range(len(table.rows)):
        cells = []
        for column in range(len(table.fields)):
            text = _escaped(table.written(number, column))
            cells.append(f"**{text}**" if (number, column) in table.best else text)
        lines.append("| " + " | ".join(cells) + " |")
    if table.notes:
        lines += ["", *(_escaped(note) + "  " for note in table.notes)]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Escape what Markdown would read as markup."""
    for character in "\\`*_[]<>|#":
        text = text.replace(character, "\\" + character)
    return text


def as_delimited(finding: Finding, separator: str, top: int = 0) -> str:
    """Return the main table with raw numbers, separated by commas or tabs."""
    stream = io.StringIO()
    table = tables(finding, top)[0]
    rows = table.dicts()
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    writer.writerow(rows[0].keys() if rows else [each.key for each in table.fields])
    for row in rows:
        writer.writerow(["" if value is None else value for value in row.values()])
    return stream.getvalue()


def as_json_lines(finding: Finding, top: int = 0) -> str:
    """Return the main table as one JSON object a row."""
    lines = (msgspec.json.encode(row).decode() for row in tables(finding, top)[0].dicts())
    return "".join(line + "\n" for line in lines)


def as_html(finding: Finding) -> str:
    """Return all tables in HTML, for notebooks."""
    return "\n".join(_html(table) for table in tables(finding))


def _html(table: Table) -> str:
    def tag(name: str, text: str) -> str:
        return f"<{name}>{html.escape(visible(text))}</{name}>"

    head = "".join(tag("th", each.header) for each in table.fields)
    body = []
    for number in range(len(table.rows)):
        cells = "".join(
            tag("th" if (number, column) in table.best else "td", table.written(number, column))
            for column in range(len(table.fields))
        )
        body.append(f"<tr>{cells}</tr>")
    notes = "".join(tag("p", note) for note in table.notes)
    caption = tag("caption", table.title)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>{notes}"

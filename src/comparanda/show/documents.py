"""Findings as Markdown, CSV, TSV, JSON lines and HTML."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import msgspec

from comparanda.show.cells import visible
from comparanda.show.table import Table
from comparanda.show.tables import main_table, tables

if TYPE_CHECKING:
    from comparanda.comparison.finding import Finding


_MARKUP = frozenset("\\`*_[]<>|#~$&")


def as_markdown(finding: Finding, top: int | None = None) -> str:
    """Return all tables in Markdown."""
    return "\n\n".join(_markdown(table) for table in tables(finding, top))


def _markdown(table: Table) -> str:
    title = html.escape(visible(table.title))
    lines = ["<details>", f"<summary>{title}</summary>", ""] if table.folded else [f"### {_escaped(table.title)}", ""]
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
    if table.folded:
        lines += ["", "</details>"]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Escape what Markdown would read as markup."""
    return "".join("\\" + character if character in _MARKUP else character for character in visible(text))


def as_delimited(finding: Finding, separator: str, top: int = 0) -> str:
    """Return the main table with raw numbers, separated by commas or tabs."""
    table = main_table(finding, top)
    rows = [table.keys(), *(row.values() for row in table.dicts())]
    return "".join(separator.join(_quoted(value, separator) for value in row) + "\n" for row in rows)


def _quoted(value: Any, separator: str) -> str:
    """Write a value as CSV readers want it; Python's own writer leaves a lone CR bare, which ends a row."""
    text = "" if value is None else str(value)
    if not any(character in text for character in (separator, '"', "\n", "\r")):
        return text
    return '"' + text.replace('"', '""') + '"'


def as_json_lines(finding: Finding, top: int = 0) -> str:
    """Return the main table as one JSON object a row."""
    lines = (msgspec.json.encode(row).decode() for row in main_table(finding, top).dicts())
    return "".join(line + "\n" for line in lines)


def as_html(finding: Finding) -> str:
    """Return all charts and tables in HTML, for notebooks."""
    from comparanda.show.drawings import drawings  # only notebooks draw

    charts = (f"<figure>{chart.apart().svg()}</figure>" for chart in drawings(finding))
    return "\n".join([*charts, *(_html(table) for table in tables(finding))])


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

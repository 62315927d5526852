"""Findings in LaTeX: booktabs rules, best values in bold, significance as raised signs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from comparanda.show.cells import cell, visible
from comparanda.show.table import Table
from comparanda.show.tables import tables

if TYPE_CHECKING:
    from comparanda.comparison.finding import Finding

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "Δ": r"$\Delta$",
    "→": r"$\rightarrow$",
    "↓": r"$\downarrow$",
    "−": "$-$",
    "…": r"\ldots{}",
    "–": r"\textendash{}",
}


_LIGATURES = re.compile(r"-{2,}|,{2,}")


def as_latex(finding: Finding, top: int | None = None) -> str:
    """Return all tables, each a `table` environment; the preamble needs booktabs."""
    body = "\n\n".join(_latex(table) for table in tables(finding, top))
    return "% needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}\n" + body


def escaped(text: str) -> str:
    r"""Escape what LaTeX would read as a command.

    >>> escaped("NN_1 & 50 %")
    'NN\\_1 \\& 50 \\%'
    """
    written = "".join(_SPECIAL.get(character, character) for character in visible(text))
    return _LIGATURES.sub(lambda found: "{}".join(found[0]), written)


def _latex(table: Table) -> str:
    shape = "".join("l" if each.kind == "text" else "r" for each in table.fields)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{{shape}}}",
        r"\toprule",
        _joined([escaped(each.header) for each in table.fields]),
        r"\midrule",
    ]
    lines += [_row(table, number) for number in range(len(table.rows))]
    notes = "".join(f" {escaped(note)}." for note in table.notes)
    caption = escaped(table.title) + "." + notes
    lines += [
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{caption}}}",
        rf"\label{{tab:{re.sub('[^A-Za-z0-9]+', '-', table.name)}}}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def _row(table: Table, number: int) -> str:
    cells = []
    for column, each in enumerate(table.fields):
        text = escaped(cell(each.kind, table.rows[number][column]))
        if each.kind in {"points", "points_interval"}:
            text = text.replace("-", "$-$")
        if (number, column) in table.best:
            text = rf"\textbf{{{text}}}"
        mark = table.marks.get((number, column))
        if mark:
            text += rf"\textsuperscript{{{escaped(mark)}}}"
        cells.append(text)
    return _joined(cells)


def _joined(cells: list[str]) -> str:
    """Make a row; one that begins with a bracket or a star would be an argument of the command before it."""
    line = " & ".join(cells)
    return ("{}" if line[:1] in {"[", "*"} else "") + line + r" \\"

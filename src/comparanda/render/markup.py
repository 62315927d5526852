"""Findings as Markdown, CSV, TSV, JSON lines, HTML, LaTeX and data frames, and the citation of a result."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

import msgspec

from comparanda.errors import MissingExtraError
from comparanda.render.table import Table, format_cell, make_visible
from comparanda.version import __version__

if TYPE_CHECKING:
    import pandas
    import polars

    from comparanda.render.finding import Finding


_MARKDOWN_SPECIAL = frozenset("\\`*_[]<>|#~$&")


def as_markdown(finding: Finding, top: int | None = None) -> str:
    """Return all tables in Markdown."""
    return "\n\n".join(_markdown_table(table) for table in finding.tables(top))


def _markdown_table(table: Table) -> str:
    title = html.escape(make_visible(table.title))
    lines = (
        ["<details>", f"<summary>{title}</summary>", ""]
        if table.folded
        else [f"### {_escape_markdown(table.title)}", ""]
    )
    lines.append("| " + " | ".join(_escape_markdown(each.header) for each in table.fields) + " |")
    lines.append("|" + "|".join("---" if each.kind == "text" else "---:" for each in table.fields) + "|")
    for number in range(len(table.rows)):
        cells = []
        for column in range(len(table.fields)):
            text = _escape_markdown(table.written(number, column))
            cells.append(f"**{text}**" if (number, column) in table.best else text)
        lines.append("| " + " | ".join(cells) + " |")
    if table.notes:
        lines += ["", *(_escape_markdown(note) + "  " for note in table.notes)]
    if table.folded:
        lines += ["", "</details>"]
    return "\n".join(lines)


def _escape_markdown(text: str) -> str:
    """Escape what Markdown would read as markup."""
    return "".join(
        "\\" + character if character in _MARKDOWN_SPECIAL else character for character in make_visible(text)
    )


def as_delimited(finding: Finding, separator: str, top: int = 0) -> str:
    """Return the main table with raw numbers, separated by commas or tabs."""
    table = finding.main_table(top)
    rows = [table.keys(), *(row.values() for row in table.dicts())]
    return "".join(separator.join(_quote_value(value, separator) for value in row) + "\n" for row in rows)


def _quote_value(value: Any, separator: str) -> str:
    """Quote a value for CSV; Python's own writer leaves a lone CR unquoted, which ends a row."""
    text = "" if value is None else str(value)
    if not any(character in text for character in (separator, '"', "\n", "\r")):
        return text
    return '"' + text.replace('"', '""') + '"'


def as_json_lines(finding: Finding, top: int = 0) -> str:
    """Return the main table as one JSON object per row."""
    lines = (msgspec.json.encode(row).decode() for row in finding.main_table(top).dicts())
    return "".join(line + "\n" for line in lines)


def as_html(finding: Finding) -> str:
    """Return all charts and tables in HTML, for notebooks."""
    charts = (f"<figure>{chart.apart().svg()}</figure>" for chart in finding.charts())
    return "\n".join([*charts, *(_html_table(table) for table in finding.tables())])


def _html_table(table: Table) -> str:
    def tag(name: str, text: str) -> str:
        return f"<{name}>{html.escape(make_visible(text))}</{name}>"

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


# LaTeX: booktabs rules, best values in bold, significance marks as superscripts.


_LATEX_ESCAPES = {
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
    body = "\n\n".join(_latex_table(table) for table in finding.tables(top))
    return "% needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}\n" + body


def escape_latex(text: str) -> str:
    r"""Escape what LaTeX would read as a command.

    >>> escape_latex("NN_1 & 50 %")
    'NN\\_1 \\& 50 \\%'
    """
    written = "".join(_LATEX_ESCAPES.get(character, character) for character in make_visible(text))
    return _LIGATURES.sub(lambda found: "{}".join(found[0]), written)


def _latex_table(table: Table) -> str:
    shape = "".join("l" if each.kind == "text" else "r" for each in table.fields)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{{shape}}}",
        r"\toprule",
        _join_latex_cells([escape_latex(each.header) for each in table.fields]),
        r"\midrule",
    ]
    lines += [_latex_row(table, number) for number in range(len(table.rows))]
    notes = "".join(f" {escape_latex(note)}." for note in table.notes)
    caption = escape_latex(table.title) + "." + notes
    lines += [
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{caption}}}",
        rf"\label{{tab:{re.sub('[^A-Za-z0-9]+', '-', table.name)}}}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def _latex_row(table: Table, number: int) -> str:
    cells = []
    for column, each in enumerate(table.fields):
        text = escape_latex(format_cell(each.kind, table.rows[number][column]))
        if each.kind in {"points", "points_interval"}:
            text = text.replace("-", "$-$")
        if (number, column) in table.best:
            text = rf"\textbf{{{text}}}"
        mark = table.marks.get((number, column))
        if mark:
            text += rf"\textsuperscript{{{escape_latex(mark)}}}"
        cells.append(text)
    return _join_latex_cells(cells)


def _join_latex_cells(cells: list[str]) -> str:
    """Join the cells of a row; a leading bracket or star would be read as an argument of the previous command."""
    line = " & ".join(cells)
    return ("{}" if line[:1] in {"[", "*"} else "") + line + r" \\"


# Data frames, with the installed library.


def as_pandas(finding: Finding) -> pandas.DataFrame:
    """Return the main table as a pandas frame."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("this requires pandas", hint="pip install pandas") from None
    table = finding.main_table()
    return pandas.DataFrame(table.dicts(), columns=list(table.keys()))


def as_polars(finding: Finding) -> polars.DataFrame:
    """Return the main table as a Polars frame."""
    try:
        import polars
    except ImportError:
        raise MissingExtraError("this requires Polars", hint="pip install polars") from None
    table = finding.main_table()
    rows = table.dicts()
    if not rows:
        return polars.DataFrame(schema=list(table.keys()))
    return polars.DataFrame(rows, infer_schema_length=None)


# A methods paragraph and BibTeX entries for a paper.


_PARAGRAPH = """\
Methods. Systems were compared with comparanda {version}. Differences between two outputs are broken down
into corrections, new errors and changed errors, and upper bounds of combination are the share of sites that
at least one system has right, following Tuggener (2017). {tests}Signature: {signature}"""

_TESTS = """\
Differences of scores were tested by two-sided
approximate randomisation over {unit}s ({resamples} resamples; Yeh 2000), with Holm's correction for pairs of
systems and Benjamini and Hochberg's for slices; 95 % intervals are percentile intervals of a paired bootstrap
over {unit}s (Efron and Tibshirani 1993). """

_BIBTEX = r"""
@misc{comparanda,
  title = {comparanda: comparative evaluation of {NLP} systems},
  author = {{The comparanda authors}},
  note = {Version VERSION},
  year = {2026}
}
@inproceedings{tuggener-2017-method,
  title = {A method for in-depth comparative evaluation: How (dis)similar are outputs of {POS} taggers,
    dependency parsers and coreference resolvers really?},
  author = {Tuggener, Don},
  booktitle = {Proceedings of the 15th Conference of the European Chapter of the Association for
    Computational Linguistics: Volume 1, Long Papers},
  year = {2017}
}
@inproceedings{yeh-2000-more,
  title = {More accurate tests for the statistical significance of result differences},
  author = {Yeh, Alexander},
  booktitle = {{COLING} 2000 Volume 2: The 18th International Conference on Computational Linguistics},
  year = {2000}
}
@book{efron-tibshirani-1993-introduction,
  title = {An Introduction to the Bootstrap},
  author = {Efron, Bradley and Tibshirani, Robert J.},
  publisher = {Chapman and Hall},
  year = {1993}
}"""


def write_citation(signature: str) -> str:
    """Return a methods paragraph for a signature, and the references it needs."""
    parts = dict(part.partition(":")[::2] for part in signature.split("|"))
    resamples = int(parts.get("resamples", "0"))
    tests = _TESTS.format(unit=parts.get("unit", "document"), resamples=f"{resamples:,}") if resamples else ""
    paragraph = _PARAGRAPH.format(version=__version__, tests=tests, signature=signature)
    return paragraph + "\n" + _BIBTEX.replace("VERSION", __version__)

"""Findings in LaTeX: it cannot be compiled here, so its structure is checked."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparanda.render.markup import as_latex, escape_latex
from comparanda.render.table import make_visible
from comparanda.result import Result
from tests.render.hostile import TEXTS, plain_and_hostile_findings
from tests.toy_task import (
    of_one_view,
    registered,
    toy_measures,  # noqa: F401 - a fixture that works by being here
    verdicts_of,
)

RESULT = Result(verdicts_of(), 20)
with registered():
    ALL = plain_and_hostile_findings()

COMMANDS = (
    "begin|end|centering|toprule|midrule|bottomrule|caption|label|textbf|textsuperscript|"
    "textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|textquotedbl|textasciigrave|"
    "textquotesingle|textendash|ldots|Delta|rightarrow|downarrow"
)
TOKEN = re.compile(rf"\\(?:{COMMANDS})(?![A-Za-z])|\\[\\&%$#_{{}}]|[{{}}&$%#_^~\\]|[^{{}}&$%#_^~\\]+")


def tokens(line: str) -> list[str]:
    found = TOKEN.findall(line)
    assert "".join(found) == line
    return found


def assert_harmless(text: str) -> None:
    """Nothing in a text is special: braces and dollars come in pairs, and every command is one of ours."""
    depth = dollars = 0
    for token in tokens(text):
        depth += (token == "{") - (token == "}")
        dollars += token == "$"
        assert depth >= 0
        assert token not in {"%", "#", "_", "^", "~", "\\"}
        assert make_visible(token) == token
    assert (depth, dollars % 2) == (0, 0)


@pytest.mark.parametrize("name", of_one_view(ALL))
def test_every_finding_is_well_formed(name: str) -> None:
    text = as_latex(ALL[name])
    first, body = text.split("\n", 1)
    assert first == "% needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}"
    blocks = body.split("\n\n")
    shown = ALL[name].tables()
    assert len(blocks) == len(shown)
    for block, table in zip(blocks, shown, strict=True):
        lines = block.split("\n")
        width = len(table.fields)
        assert lines[:2] == ["\\begin{table}", "\\centering"]
        assert re.fullmatch(rf"\\begin\{{tabular\}}\{{[lr]{{{width}}}\}}", lines[2])
        assert lines[3] == "\\toprule"
        assert lines[5] == "\\midrule"
        assert lines[6 + len(table.rows) : 8 + len(table.rows)] == ["\\bottomrule", "\\end{tabular}"]
        assert re.fullmatch(r"\\label\{tab:[A-Za-z0-9-]+\}", lines[-2])
        assert lines[-1] == "\\end{table}"
        for row in [lines[4], *lines[6 : 6 + len(table.rows)]]:
            assert row.endswith(" \\\\")
            assert tokens(row).count("&") == width - 1
            assert row[0] not in "[*"
        for line in lines:
            assert_harmless(line)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NN_1 & 50 %", r"NN\_1 \& 50 \%"),
        ("\\x{}", r"\textbackslash{}x\{\}"),
        ("``", r"\textasciigrave{}\textasciigrave{}"),
        ("''", r"\textquotesingle{}\textquotesingle{}"),
        ("--", "-{}-"),
        ("---", "-{}-{}-"),
        (",,", ",{},"),
        ("-LRB-", "-LRB-"),
        ("$", r"\$"),
        ("<|>", r"\textless{}\textbar{}\textgreater{}"),
        ("Δ a → b", r"$\Delta$ a $\rightarrow$ b"),
        ("\x1b", r"\textbackslash{}x1b"),
        ("naïve", "naïve"),
    ],
)
def test_special_characters_are_escaped(text: str, expected: str) -> None:
    assert escape_latex(text) == expected


@pytest.mark.parametrize("text", TEXTS)
def test_hostile_text_is_harmless(text: str) -> None:
    assert_harmless(escape_latex(text))


@given(st.text())
def test_any_text_is_harmless(text: str) -> None:
    assert_harmless(escape_latex(text))


def test_best_values_are_bold_and_signs_raised() -> None:
    assert r"\textbf{82.50}" in as_latex(RESULT.scores(view="strict"))
    assert r"80.00\textsuperscript{$\downarrow$}" in as_latex(RESULT.combination(view="strict"))


def test_a_minus_is_a_minus() -> None:
    assert "$-$12.50" in as_latex(RESULT.difference(view="strict"))
    assert "[$-$" in as_latex(RESULT.significance(view="strict"))

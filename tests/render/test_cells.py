"""Single values, written for people."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparanda.render.table import Kind, format_cell, make_visible
from tests.render.hostile import TEXTS


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("share", 0.94892, "94.89"),
        ("share", 1.0, "100.00"),
        ("share", 0.0, "0.00"),
        ("points", 0.0127, "+1.27"),
        ("points", -0.0127, "-1.27"),
        ("points", 0.0, "+0.00"),
        ("count", 53928, "53,928"),
        ("count", 53928.0, "53,928"),
        ("count", 17.5, "17.5"),
        ("p", 0.0499, "0.050"),
        ("p", 0.00099, "<0.001"),
        ("p", 1.0, "1.000"),
        ("number", 2.5, "2.5"),
        ("interval", (0.9, 0.95), "[90.00, 95.00]"),
        ("points_interval", (-0.01, 0.02), "[-1.00, +2.00]"),
        ("text", "NN", "NN"),
    ],
)
def test_values_are_written_by_their_kind(kind: Kind, value: Any, expected: str) -> None:
    assert format_cell(kind, value) == expected


@pytest.mark.parametrize("kind", ["text", "count", "share", "points", "p", "number", "interval", "points_interval"])
def test_undefined_is_said(kind: Kind) -> None:
    assert format_cell(kind, None) == "n/a"


def test_half_an_interval_is_undefined() -> None:
    assert (
        format_cell("interval", (None, 0.5))
        == format_cell("interval", (0.5, None))
        == format_cell("interval", (None, None))
        == "n/a"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("naïve 漢字 العربية", "naïve 漢字 العربية"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u2066b", "a\\u2066b"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("new\nline\r\t", "new\\x0aline\\x0d\\x09"),
        ("\u2028\u2029\x85", "\\u2028\\u2029\\x85"),
        ("𝒜 🎉", "𝒜 🎉"),
        ("\U000e0041", "\\U000e0041"),
        ("\ue000\ud800", "\\ue000\\ud800"),
        ("\0", "\\x00"),
        ("", ""),
    ],
)
def test_invisible_characters_become_visible(text: str, expected: str) -> None:
    assert make_visible(text) == expected


@given(st.text())
def test_nothing_that_steers_a_terminal_is_left(text: str) -> None:
    shown = make_visible(text)
    assert {unicodedata.category(character) for character in shown} & {
        "Cc",
        "Cf",
        "Cs",
        "Co",
        "Cn",
        "Zl",
        "Zp",
    } == set()
    assert make_visible(shown) == shown
    assert len(shown.splitlines()) <= 1


@pytest.mark.parametrize("text", TEXTS)
def test_hostile_text_fits_one_line(text: str) -> None:
    shown = format_cell("text", text)
    assert "\x1b" not in shown
    assert len(shown.splitlines()) == 1

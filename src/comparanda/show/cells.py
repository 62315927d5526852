"""How single values are written, for people: counts, shares, points, p, and text that may be hostile."""

from __future__ import annotations

import unicodedata
from typing import Any, Literal

Kind = Literal["text", "count", "figure", "share", "points", "p", "number", "interval", "points_interval"]
"""How a value is written. A *count* is one of sites or items, and leads to them; other whole numbers are *figures*."""

UNDEFINED = "n/a"


def cell(kind: Kind, value: Any) -> str:
    """Write one value.

    >>> cell("share", 0.94892), cell("points", -0.0127), cell("count", 53928), cell("p", 0.00001)
    ('94.89', '-1.27', '53,928', '<0.001')
    >>> cell("interval", (0.9, 0.95)), cell("share", None), cell("figure", 12000)
    ('[90.00, 95.00]', 'n/a', '12,000')
    """
    if value is None or (isinstance(value, tuple) and None in value):
        return UNDEFINED
    if value in ("", ("", "")):  # a cell that is not meant to hold anything, such as the diagonal of a matrix
        return ""
    written: str = _WRITERS[kind](value)
    return written


def counted(count: int, one: str, many: str | None = None) -> str:
    """Write a number with its noun.

    >>> counted(1, "document"), counted(2000, "kind of error", "kinds of error")
    ('1 document', '2,000 kinds of error')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _count(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) or not value.is_integer() else f"{int(value):,}"


def visible(text: str) -> str:
    r"""Make control characters, bidirectional marks and other invisible characters visible.

    >>> visible("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_glyph(character) for character in text)


def _glyph(character: str) -> str:
    if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return character


_WRITERS: dict[Kind, Any] = {
    "text": lambda value: visible(str(value)),
    "count": _count,
    "figure": _count,
    "share": lambda value: f"{100 * value:.2f}",
    "points": lambda value: f"{100 * value:+.2f}",
    "p": _p,
    "number": lambda value: f"{value:g}",
    "interval": lambda value: f"[{100 * value[0]:.2f}, {100 * value[1]:.2f}]",
    "points_interval": lambda value: f"[{100 * value[0]:+.2f}, {100 * value[1]:+.2f}]",
}

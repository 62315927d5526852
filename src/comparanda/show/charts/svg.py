"""SVG as text: elements, numbers, and words that may be hostile."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from comparanda.show.cells import visible


def number(value: float) -> str:
    """Write a length or a coordinate, to a hundredth of a pixel.

    >>> number(12.0), number(0.125), number(-0.001)
    ('12', '0.12', '0')
    """
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def element(name: str, *children: str, **attributes: str | float | None) -> str:
    """Write an element; a name of an attribute is written with `-` for `_`, and those that are None are left out.

    >>> element("text", words("P < R"), x=1.5, text_anchor="end")
    '<text x="1.5" text-anchor="end">P &lt; R</text>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = "".join(children)
    return f"<{name}{written}>{inner}</{name}>" if inner else f"<{name}{written}/>"


def _value(value: str | float) -> str:
    return words(value) if isinstance(value, str) else number(value)


def words(text: str) -> str:
    """Return a text that cannot be taken for markup, with what is invisible in it made visible."""
    return escape(visible(text), quote=True)


def text(said: str, x: float, y: float, colour: str, *, anchor: str | None = None, turned: float | None = None) -> str:
    """Write some words at a place, level or turned around it by some degrees.

    >>> text("F1", 10, 20, "#000000", anchor="end")
    '<text x="10" y="20" text-anchor="end" fill="#000000">F1</text>'
    """
    around = None if turned is None else f"rotate({number(turned)} {x:.2f} {y:.2f})"
    return element("text", words(said), x=x, y=y, text_anchor=anchor, fill=colour, transform=around)


def path(points: Iterable[tuple[float, float]], *, closed: bool = False) -> str:
    """Write the data of a path through points.

    >>> path([(0, 1), (2.5, 3)])
    'M0 1L2.5 3'
    """
    data = "".join(f"{'L' if count else 'M'}{number(x)} {number(y)}" for count, (x, y) in enumerate(points))
    return data + "Z" if closed else data

"""SVG elements, escaped text, marks with links, and the base class of charts."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from html import escape
from typing import TYPE_CHECKING, Self

from comparanda.render.charts.theme import (
    FAINT,
    FONT,
    INK,
    PAPER,
    SIZE,
    TITLE_SIZE,
    Style,
    fit_text,
    text_width,
    wrap_text,
)
from comparanda.render.table import make_visible

if TYPE_CHECKING:
    from comparanda.render.count_links import Link


def format_length(value: float) -> str:
    """Format a length or a coordinate to a hundredth of a pixel.

    >>> format_length(12.0), format_length(0.125), format_length(-0.001)
    ('12', '0.12', '0')
    """
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def make_element(name: str, *children: str, **attributes: str | float | None) -> str:
    """Return an element; `_` in attribute names becomes `-`, and attributes that are None are left out.

    >>> make_element("text", escape_words("P < R"), x=1.5, text_anchor="end")
    '<text x="1.5" text-anchor="end">P &lt; R</text>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute_text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = "".join(children)
    return f"<{name}{written}>{inner}</{name}>" if inner else f"<{name}{written}/>"


def _attribute_text(value: str | float) -> str:
    return escape_words(value) if isinstance(value, str) else format_length(value)


def escape_words(text: str) -> str:
    """Escape markup and invisible characters in a text."""
    return escape(make_visible(text), quote=True)


def draw_text(
    text: str, x: float, y: float, colour: str, *, anchor: str | None = None, turned: float | None = None
) -> str:
    """Draw a text at a position, optionally rotated around it by `turned` degrees.

    >>> draw_text("F1", 10, 20, "#000000", anchor="end")
    '<text x="10" y="20" text-anchor="end" fill="#000000">F1</text>'
    """
    around = None if turned is None else f"rotate({format_length(turned)} {x:.2f} {y:.2f})"
    return make_element("text", escape_words(text), x=x, y=y, text_anchor=anchor, fill=colour, transform=around)


def format_path(points: Iterable[tuple[float, float]], *, closed: bool = False) -> str:
    """Return the data of a path through points.

    >>> format_path([(0, 1), (2.5, 3)])
    'M0 1L2.5 3'
    """
    data = "".join(
        f"{'L' if count else 'M'}{format_length(x)} {format_length(y)}" for count, (x, y) in enumerate(points)
    )
    return data + "Z" if closed else data


# Marks of a chart: each has a tooltip, and in a page a link to what it counts.


class Pen:
    """Draws marks and collects their links.

    Args:
        linked: whether marks are links; a chart in a file of its own has nothing to link to.

    """

    def __init__(self, *, linked: bool) -> None:
        self._linked = linked
        self._links: dict[Link, None] = {}

    def mark(self, tooltip: str, *shapes: str, link: Link | None = None) -> str:
        """Draw a mark.

        Args:
            tooltip: its tooltip and its text for screen readers, with the count as displayed.
            shapes: its elements.
            link: the link to what it counts.

        """
        drawn = make_element("g", make_element("title", escape_words(tooltip)), *shapes)
        if link is None or not self._linked:
            return drawn
        self._links[link] = None
        return make_element("a", drawn, href=link.address(), aria_label=tooltip)

    def links(self) -> tuple[Link, ...]:
        """Return the links of the marks, in drawing order."""
        return tuple(self._links)


# The base class of charts: size, title, description and accessibility attributes.


MARGIN = 16.0
_MAX_NAME_LENGTH = 60
_USED_WIDTH = 0.9  # share of the width that headings use, because fonts of other machines may be wider


@dataclass(frozen=True, kw_only=True)
class Paper(ABC):
    """The base class of charts.

    Args:
        title: the title, one line.
        description: a description of one or two sentences for screen readers.
        subtitle: how the values were computed, in small print below the title.
        name: the name of its file and the prefix of its ids, so that a page can contain several charts.
        width: in pixels; charts with many columns are wider.

    """

    title: str
    description: str
    subtitle: str = ""
    name: str = "chart"
    width: int = 720

    @abstractmethod
    def drawn(self, pen: Pen, top: float) -> tuple[str, float]:
        """Draw the plot below `top`, and return it with the total height of the chart."""

    def wide(self) -> float:
        """Return the width of the chart."""
        return self.width

    def svg(self, *, linked: bool = False) -> str:
        """Return the chart as SVG.

        Args:
            linked: whether the chart is part of a page: its marks are then links, and the page displays its title;
                otherwise it is a self-contained picture.

        """
        heading, top = self._heading(titled=not linked)
        picture, height = self.drawn(Pen(linked=linked), top)
        return self._document(heading + picture, height, linked=linked)

    def links(self) -> tuple[Link, ...]:
        """Return the links of the marks without duplicates."""
        pen = Pen(linked=True)
        self.drawn(pen, 0.0)
        return pen.links()

    def apart(self) -> Self:
        """Return the same chart with unique ids, for a notebook that may contain other charts of the same name."""
        text = "\0".join((self.title, self.subtitle, self.description))
        digest = blake2b(text.encode(errors="surrogatepass"), digest_size=4).hexdigest()
        return replace(self, name=f"{self.name}-{digest}")

    def _repr_svg_(self) -> str:
        return self.apart().svg()

    def _heading(self, *, titled: bool) -> tuple[str, float]:
        """Draw title and subtitle, and return them with the top of the plot below."""
        room = _USED_WIDTH * (self.wide() - 2 * MARGIN)
        y, parts = MARGIN if titled else 0.0, []
        for line in wrap_text(self.title, room, TITLE_SIZE, 2) if titled else ():
            y += TITLE_SIZE
            size = TITLE_SIZE
            parts.append(
                make_element("text", escape_words(line), x=MARGIN, y=y, fill=INK, font_size=size, font_weight="bold")
            )
            y += 4
        for line in wrap_text(self.subtitle, room):
            y += SIZE
            parts.append(draw_text(line, MARGIN, y, FAINT))
            y += 4
        return "".join(parts), y + 1.5 * SIZE

    def _document(self, picture: str, high: float, *, linked: bool) -> str:
        """Return the whole SVG; with links its role is `group`, since screen readers skip the contents of an `img`."""
        width, height = format_length(self.wide()), format_length(high)
        tooltip = (
            make_element("title", escape_words(self.title), id=f"{self.name}-title")
            + make_element("desc", escape_words(self.description), id=f"{self.name}-description")
            + make_element("rect", width=self.wide(), height=high, fill=PAPER)
        )
        return (
            make_element(
                "svg",
                tooltip,
                picture,
                xmlns="http://www.w3.org/2000/svg",
                width=width,
                height=height,
                viewBox=f"0 0 {width} {height}",
                role="group" if linked else "img",
                aria_labelledby=f"{self.name}-title {self.name}-description",
                font_family=FONT,
                font_size=SIZE,
            )
            + "\n"
        )


def make_chart_name(*parts: str) -> str:
    """Return a chart name that is safe in ids and file names, whatever the names of systems.

    >>> make_chart_name("flow", "my tagger", "../../etc")
    'flow-my-tagger-etc'
    """
    safe = (re.sub(r"[^A-Za-z0-9_]+", "-", part).strip("-") for part in parts)
    return "-".join(part for part in safe if part)[:_MAX_NAME_LENGTH]


# Hatching, which distinguishes areas without colour.


_HATCHES = {
    "rising": "M0 6L6 0M-1 1L1 -1M5 7L7 5",
    "falling": "M0 0L6 6M-1 5L1 7M5 -1L7 1",
    "lying": "M0 3H6",
    "dots": "M2 3H4",
}


def define_hatchings(name: str, styles: Iterable[Style]) -> str:
    """Return the pattern definitions of styles for the chart with the given name."""
    found = []
    for each in dict.fromkeys(styles):
        if each.hatch in _HATCHES:
            lines = make_element("path", d=_HATCHES[each.hatch], stroke=PAPER, stroke_width=1.4, fill="none")
            background = make_element("rect", width=6, height=6, fill=each.colour)
            size = {"width": 6.0, "height": 6.0}
            known_by = _pattern_id(name, each)
            found.append(make_element("pattern", background, lines, id=known_by, patternUnits="userSpaceOnUse", **size))
    return make_element("defs", *found) if found else ""


def get_fill(name: str, each: Style) -> str:
    """Return the fill of areas in a style: its hatching, or its plain colour."""
    return f"url(#{_pattern_id(name, each)})" if each.hatch in _HATCHES else each.colour


def _pattern_id(name: str, each: Style) -> str:
    return f"{name}-{each.hatch}-{each.colour.lstrip('#')}"


# The legend: a swatch of each style with its name, in rows.


_SWATCH, _GAP = 14.0, 6.0
_ENTRY_GAP = 16.0


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: its text, its style, and the link to what it counts."""

    text: str
    style: Style
    link: Link | None = None


def draw_legend(
    pen: Pen, name: str, entries: Sequence[Entry], begin: float, *, end: float, top: float
) -> tuple[str, float]:
    """Draw a legend between two edges, and return it with the top of the plot below."""
    x, y, parts = begin, top, []
    for each in entries:
        text = fit_text(each.text, end - begin - _ENTRY_GAP - _SWATCH - _GAP)
        size = _SWATCH + _GAP + text_width(text) + _ENTRY_GAP
        if x > begin and x + size > end:
            x, y = begin, y + 1.5 * SIZE
        swatch = make_element(
            "rect", x=x, y=y - 0.8 * SIZE, width=_SWATCH, height=SIZE, fill=get_fill(name, each.style)
        )
        words = draw_text(text, x + _SWATCH + _GAP, y + SIZE / 6, INK)
        parts.append(pen.mark(each.text, swatch, words, link=each.link))
        x += size
    return "".join(parts), y + SIZE


# Markers, which distinguish lines without colour.


_SHAPES = {
    "square": "M-3.2 -3.2H3.2V3.2H-3.2Z",
    "triangle": "M0 -4.2L4 3.2H-4Z",
    "diamond": "M0 -4.6L4.6 0L0 4.6L-4.6 0Z",
    "cross": "M-3.4 -3.4L3.4 3.4M-3.4 3.4L3.4 -3.4",
    "circle": "M-3.5 0A3.5 3.5 0 1 0 3.5 0A3.5 3.5 0 1 0 -3.5 0Z",
}


def draw_mark(style: Style, x: float, y: float) -> str:
    """Draw the marker of a series at a position."""
    place = f"translate({format_length(x)} {format_length(y)})"
    return make_element(
        "path", d=_SHAPES[style.mark], transform=place, fill=PAPER, stroke=style.colour, stroke_width=1.6
    )

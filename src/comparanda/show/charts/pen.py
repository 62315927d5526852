"""What draws the marks of a chart: each says what it stands for, and in a page leads to what it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.show.charts.svg import element, words

if TYPE_CHECKING:
    from comparanda.show.links import Link


class Pen:
    """Draws marks, and remembers where they lead.

    Args:
        linked: whether marks are links; in a file there is nothing they could lead to.

    """

    def __init__(self, *, linked: bool) -> None:
        self._linked = linked
        self._links: dict[Link, None] = {}

    def mark(self, told: str, *shapes: str, link: Link | None = None) -> str:
        """Draw a mark of some shapes.

        Args:
            told: what it says to those who point at it or hear it: its words and its count, as they are written.
            shapes: what it looks like.
            link: what leads to what it counts.

        """
        drawn = element("g", element("title", words(told)), *shapes)
        if link is None or not self._linked:
            return drawn
        self._links[link] = None
        return element("a", drawn, href=link.address(), aria_label=told)

    def links(self) -> tuple[Link, ...]:
        """Return where the marks lead, in the order in which they were drawn."""
        return tuple(self._links)

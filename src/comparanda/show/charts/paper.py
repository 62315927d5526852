"""The sheet a chart is drawn on: its size, title and description, and what screen readers are told."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Self

from comparanda.show.charts.pen import Pen
from comparanda.show.charts.svg import element, number, text, words
from comparanda.show.charts.theme import FAINT, FONT, INK, PAPER, SIZE, TITLE_SIZE, folded

if TYPE_CHECKING:
    from comparanda.show.links import Link

MARGIN = 16.0
_LONGEST_NAME = 60
_SPARE = 0.9  # long lines leave some room, for letters may be wider on other machines


@dataclass(frozen=True, kw_only=True)
class Paper(ABC):
    """What all charts have.

    Args:
        title: what the chart says, in a line.
        description: the same in a sentence or two, for those who do not see it.
        subtitle: how the values were made, in small letters under the title.
        name: names its file and begins the ids inside, so that several charts can stand on one page.
        width: in pixels; charts of many columns are wider.

    """

    title: str
    description: str
    subtitle: str = ""
    name: str = "chart"
    width: int = 720

    @abstractmethod
    def drawn(self, pen: Pen, top: float) -> tuple[str, float]:
        """Draw the picture from some place down, and return it with the height of the paper below its end."""

    def wide(self) -> float:
        """Return how wide the paper is."""
        return self.width

    def svg(self, *, linked: bool = False) -> str:
        """Return the chart as SVG.

        Args:
            linked: for a page: its marks lead to what they count, and its title is left to the page. Else it is one
                picture, as for a file.

        """
        heading, top = self._heading(titled=not linked)
        picture, height = self.drawn(Pen(linked=linked), top)
        return self._document(heading + picture, height, linked=linked)

    def links(self) -> tuple[Link, ...]:
        """Return where the marks lead, each once."""
        pen = Pen(linked=True)
        self.drawn(pen, 0.0)
        return pen.links()

    def apart(self) -> Self:
        """Return the same chart with ids of its own, for a notebook in which there may be others of its name."""
        said = "\0".join((self.title, self.subtitle, self.description))
        digest = blake2b(said.encode(errors="surrogatepass"), digest_size=4).hexdigest()
        return replace(self, name=f"{self.name}-{digest}")

    def _repr_svg_(self) -> str:
        return self.apart().svg()

    def _heading(self, *, titled: bool) -> tuple[str, float]:
        """Return title and subtitle as drawn, and where the picture below them may begin."""
        room = _SPARE * (self.wide() - 2 * MARGIN)
        y, parts = MARGIN if titled else 0.0, []
        for line in folded(self.title, room, TITLE_SIZE, 2) if titled else ():
            y += TITLE_SIZE
            size = TITLE_SIZE
            parts.append(element("text", words(line), x=MARGIN, y=y, fill=INK, font_size=size, font_weight="bold"))
            y += 4
        for line in folded(self.subtitle, room):
            y += SIZE
            parts.append(text(line, MARGIN, y, FAINT))
            y += 4
        return "".join(parts), y + 1.5 * SIZE

    def _document(self, picture: str, high: float, *, linked: bool) -> str:
        """Return the whole SVG; what is inside a picture is hidden from screen readers, and links are not to be."""
        width, height = number(self.wide()), number(high)
        told = (
            element("title", words(self.title), id=f"{self.name}-title")
            + element("desc", words(self.description), id=f"{self.name}-description")
            + element("rect", width=self.wide(), height=high, fill=PAPER)
        )
        return (
            element(
                "svg",
                told,
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


def named(*parts: str) -> str:
    """Return a name for a chart that is safe in ids and as a file, whatever systems are called.

    >>> named("flow", "my tagger", "../../etc")
    'flow-my-tagger-etc'
    """
    safe = (re.sub(r"[^A-Za-z0-9_]+", "-", part).strip("-") for part in parts)
    return "-".join(part for part in safe if part)[:_LONGEST_NAME]

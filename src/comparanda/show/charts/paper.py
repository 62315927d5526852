"""The sheet a chart is drawn on: its size, title and description, and what screen readers are told."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from comparanda.show.charts.svg import element, number, words
from comparanda.show.charts.theme import FAINT, FONT, INK, PAPER, SIZE, TITLE_SIZE, folded

MARGIN = 16.0


@dataclass(frozen=True, kw_only=True)
class Paper(ABC):
    """What all charts have.

    Args:
        title: what the chart says, in a line.
        description: the same in a sentence or two, for those who do not see it.
        subtitle: how the values were made, in small letters under the title.
        name: begins the ids inside, so that several charts can stand on one page.
        width: in pixels.
        height: in pixels.

    """

    title: str
    description: str
    subtitle: str = ""
    name: str = "chart"
    width: int = 720
    height: int = 440

    @abstractmethod
    def svg(self) -> str:
        """Return the chart as SVG."""

    def heading(self) -> tuple[str, float]:
        """Return title and subtitle as drawn, and where the picture below them may begin."""
        room = self.width - 2 * MARGIN
        y, parts = MARGIN, []
        for line in folded(self.title, room, TITLE_SIZE, 2):
            y += TITLE_SIZE
            size = TITLE_SIZE
            parts.append(element("text", words(line), x=MARGIN, y=y, fill=INK, font_size=size, font_weight="bold"))
            y += 4
        for line in folded(self.subtitle, room):
            y += SIZE
            parts.append(element("text", words(line), x=MARGIN, y=y, fill=FAINT))
            y += 4
        return "".join(parts), y + 1.5 * SIZE

    def document(self, *parts: str) -> str:
        """Return the whole SVG."""
        width, height = number(self.width), number(self.height)
        told = (
            element("title", words(self.title), id=f"{self.name}-title")
            + element("desc", words(self.description), id=f"{self.name}-description")
            + element("rect", width=self.width, height=self.height, fill=PAPER)
        )
        return (
            element(
                "svg",
                told,
                *parts,
                xmlns="http://www.w3.org/2000/svg",
                width=width,
                height=height,
                viewBox=f"0 0 {width} {height}",
                role="img",
                aria_labelledby=f"{self.name}-title {self.name}-description",
                font_family=FONT,
                font_size=SIZE,
            )
            + "\n"
        )

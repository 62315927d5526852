"""Elements as places of a text: all text of a file laid end to end, and where each element stands in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from comparanda.read.xml_formats.events import Event


@dataclass(slots=True)
class Element:
    """An element: what its tag says, what it is in, where its text begins and ends, and the number of the next one."""

    name: str
    attributes: dict[str, str]
    place: int
    around: Element | None
    begin: int
    end: int = 0
    after: int = 0


@dataclass(slots=True)
class Gathered:
    """All text of a file or line, and all elements in the order of their start tags."""

    text: str
    elements: list[Element]
    roots: list[int]

    def outside(self) -> str:
        """Return the text outside of all elements."""
        ends = [0, *(self.elements[root].end for root in self.roots)]
        begins = [*(self.elements[root].begin for root in self.roots), len(self.text)]
        return "".join(self.text[end:begin] for end, begin in zip(ends, begins, strict=True))


def gathered(found: Iterable[Event]) -> Gathered:
    """Lay all text end to end, and say where each element stands in it."""
    pieces: list[str] = []
    elements: list[Element] = []
    roots: list[int] = []
    open_: list[Element] = []
    length = 0
    for kind, value, attributes, place in found:
        if kind == "text":
            pieces.append(value)
            length += len(value)
        elif kind == "start":
            if not open_:
                roots.append(len(elements))
            open_.append(Element(value, attributes, place, open_[-1] if open_ else None, length))
            elements.append(open_[-1])
        else:
            element = open_.pop()
            element.end, element.after = length, len(elements)
    return Gathered("".join(pieces), elements, roots)


def around_of(element: Element) -> list[Element]:
    """Return an element and all that it lies in, the outermost first."""
    found = [element]
    while found[-1].around is not None:
        found.append(found[-1].around)
    return found[::-1]

"""Links from a number that is rendered to the sites or items that it counts."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode


@dataclass(frozen=True, slots=True)
class Link:
    """What leads from a count to its sites or items: the arguments of `Result.examples`.

    Args:
        where: the condition.
        base: the base of the pair it is about, if it is about one.
        new: the other system of the pair.
        view: the view; None for the first.

    """

    where: str
    base: str | None = None
    new: str | None = None
    view: str | None = None

    def address(self) -> str:
        """Return where the report shows them.

        >>> Link('label == "A"', "x", "y").address()
        '#/items?where=label+%3D%3D+%22A%22&base=x&new=y'
        """
        given = {"where": self.where, "base": self.base, "new": self.new, "view": self.view}
        return "#/items?" + urlencode({name: value for name, value in given.items() if value is not None})

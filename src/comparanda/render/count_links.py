"""Links from displayed numbers to the sites or items that they count."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode


@dataclass(frozen=True, slots=True)
class Link:
    """The link from a count to its sites or items: the arguments of `Result.examples`.

    Args:
        where: the condition.
        base: the base system, if the count is about a pair.
        new: the other system of the pair.
        view: the view; None for the first.

    """

    where: str
    base: str | None = None
    new: str | None = None
    view: str | None = None

    def address(self) -> str:
        """Return the address in the report that shows the sites or items.

        >>> Link('label == "A"', "x", "y").address()
        '#/items?where=label+%3D%3D+%22A%22&base=x&new=y'
        """
        given = {"where": self.where, "base": self.base, "new": self.new, "view": self.view}
        return "#/items?" + urlencode({name: value for name, value in given.items() if value is not None})

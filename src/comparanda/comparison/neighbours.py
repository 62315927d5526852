"""The sites around a site on which some run is wrong: what else goes wrong in the same words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from comparanda.sites import Sites


class Contested:
    """The contested sites of a view by their places.

    Args:
        sites: the sites.

    """

    def __init__(self, sites: Sites) -> None:
        rows = sites.contested
        places = sites.document[rows].astype(np.int64) << 32 | sites.place[rows]
        order = np.argsort(places, kind="stable")
        self._places, self._rows = places[order], rows[order]

    def between(self, document: int, first: int, behind: int) -> list[int]:
        """Return the contested sites from one row of a document up to another, in their order."""
        begin, end = np.searchsorted(self._places, [document << 32 | first, document << 32 | behind])
        return [int(row) for row in self._rows[begin:end]]

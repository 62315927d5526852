"""Whose errors two systems make: the tagger's and the resolver's of one, crossed with those of the other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from comparanda.comparison.finding import Finding
from comparanda.expressions import quote
from comparanda.verdicts import NO_ERROR

if TYPE_CHECKING:
    from comparanda.comparison.context import Context


@dataclass(frozen=True)
class SourceCell:
    """Sites at which the base makes errors of one source and the new system of another.

    Args:
        base: whose errors those of the base are; "none" where it makes none.
        new: whose errors those of the new system are.
        sites: how many sites.
        where: the condition that selects them.

    """

    base: str
    new: str
    sites: int
    where: str


@dataclass(frozen=True)
class ErrorSources(Finding):
    """The errors of two systems by source, crossed, over the overlap sites of the key and these two."""

    view: str
    base: str
    new: str
    sites: int
    sources: tuple[str, ...]
    cells: tuple[SourceCell, ...]

    def count(self, base: str, new: str) -> int:
        """Return how many sites there are in a cell."""
        return next((cell.sites for cell in self.cells if (cell.base, cell.new) == (base, new)), 0)


def error_sources(context: Context, base: str, new: str) -> ErrorSources | None:
    """Cross the sources of two systems' errors; None where the view does not tell whose errors are whose."""
    if context.view.error_sources is None:
        return None
    paired = context.among(base, new)
    found = paired.view.error_sources
    assert found is not None
    size, runs = len(found.names), paired.verdicts.system
    easy = len(paired.sites) - paired.sites.rows
    counts = np.zeros(size * size, np.int64)
    for first, second in product(runs(base).runs, runs(new).runs):
        codes = found.runs[first].astype(np.int64) * size + found.runs[second]
        counts += np.bincount(codes, minlength=size * size)
        counts[0] += easy  # the first is that neither errs
    table = {pair: count for pair, count in zip(product(found.names, repeat=2), counts.tolist(), strict=True) if count}
    names = sorted({found.names[0], *(name for pair in table for name in pair)}, key=_rank)  # of these two alone
    cells = [
        SourceCell(mine, theirs, table.get((mine, theirs), 0), _where(mine, theirs))
        for mine, theirs in product(names, repeat=2)
    ]
    return ErrorSources(context.view.name, base, new, int(counts.sum()), tuple(names), tuple(cells))


def _rank(name: str) -> tuple[bool, int, str]:
    """Order sources: none, then single ones, then several together."""
    return name != NO_ERROR, name.count(" and "), name


def _where(base: str, new: str) -> str:
    return f"base_source == {quote(base)} and new_source == {quote(new)}"

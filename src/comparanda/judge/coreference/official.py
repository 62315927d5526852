"""How the reference scorer 8.01 counts mentions of a response that are given twice and that the key does not have.

It keeps them, so every metric counts them again. But the detection of mentions counts places, each once, and BLANC
counts links in a set, where two copies are one mention: it is linked to all mentions of all its chains, and apart from
all that are in another than one of these.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from comparanda.chain_metrics import LINKS
from comparanda.chains import NO_CHAIN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows


CLAIMED = ("mentions_claimed", *(f"{kind}_claimed" for kind in LINKS))
"""The counts that copies are counted once in."""


def claimed_once(chain: Rows, same: Rows, unit: NDArray[np.int32]) -> dict[int, tuple[int, int, int]]:
    """Return, for the units with copies, how many mentions a response claims, how many links, and how many other pairs.

    Args:
        chain: the response's chain of each mention.
        same: a number for each mention, the same for copies.
        unit: the unit of each mention.

    """
    there = np.flatnonzero(chain != NO_CHAIN)
    _, number, often = np.unique(same[there], return_inverse=True, return_counts=True)
    copied = there[often[number] > 1]
    return {
        each: _links(chain, same, there[unit[there] == each], copied[unit[copied] == each])
        for each in np.unique(unit[copied]).tolist()
    }


def _links(chain: Rows, same: Rows, mentions: Rows, copied: Rows) -> tuple[int, int, int]:
    """Count the mentions of one unit, its links, and the pairs that are none."""
    chains_of: dict[int, list[int]] = {}
    for row in copied.tolist():
        chains_of.setdefault(int(same[row]), []).append(int(chain[row]))
    plain = np.setdiff1d(mentions, copied)
    size = np.bincount(chain[plain], minlength=int(chain[mentions].max()) + 1)
    count, linked = len(plain), int((size * (size - 1) // 2).sum())
    apart = count * (count - 1) // 2 - linked
    for chains in chains_of.values():
        linked += sum(int(size[each]) for each in {*chains})
        apart += count if len({*chains}) > 1 else count - int(size[chains[0]])
    for (one, mine), (other, theirs) in combinations_with_replacement(chains_of.items(), 2):
        linked += len({*mine}) < len(mine) if one == other else bool({*mine} & {*theirs})
        apart += len({*mine, *theirs}) > 1
    return count + len(chains_of), linked, apart

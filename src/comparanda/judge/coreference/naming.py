"""How antecedents are called: by where they stand, so that equal ones have equal names wherever they are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.chains import antecedents
from comparanda.columns import TextColumn
from comparanda.judge.coreference.gathering import gather
from comparanda.rules.joins import packed
from comparanda.sites import NOTHING, Sites, canonical

if TYPE_CHECKING:
    from comparanda.align import Aligned
    from comparanda.columns import Rows
    from comparanda.judge.coreference.gathering import Gathered
    from comparanda.judge.task import Options


@dataclass(frozen=True, eq=False)
class Naming:
    """Calls antecedents by how many rows before a mention they begin, and how many they cover: `-12+2`."""

    gathered: Gathered

    def names(self, mention: Rows, antecedent: Rows) -> TextColumn:
        """Return what antecedents of mentions are called; one in another document has that one's name before it."""
        chains = self.gathered.chains
        document, place = chains.document[antecedent].astype(np.int64), chains.place[antecedent].astype(np.int64)
        here = document == chains.document[mention]
        columns = [
            np.where(here, -1, document),
            np.where(here, place - chains.place[mention], place),
            chains.width[antecedent].astype(np.int64),
            self._again[antecedent],
        ]
        (key,) = packed([columns])
        _, first, number = np.unique(key, return_index=True, return_inverse=True)
        return TextColumn(number, tuple(map(self._name, *(column[first].tolist() for column in columns))))

    def _name(self, document: int, place: int, width: int, again: int) -> str:
        ending = f"+{width}" + (f"#{again + 1}" if again else "")
        return f"{place:+}{ending}" if document < 0 else f"{self.gathered.documents[document]}:{place}{ending}"

    @cached_property
    def _again(self) -> Rows:
        """How many mentions before each cover the very same rows: those in pieces, or of parts of words."""
        chains = self.gathered.chains
        (number,) = packed([[chains.document, chains.place, chains.width]])
        order = np.argsort(number, kind="stable")
        begins = np.flatnonzero(np.diff(number[order], prepend=-1))
        again = np.zeros(len(order), np.int64)
        again[order] = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
        return again


def mention_sites(aligned: Aligned, options: Options) -> Sites:
    """Make a site of every mention that any side has: its value is the closest antecedent, or nothing.

    So outputs can be compared without a key, for coefficients that want one decision of each about every thing.
    """
    gathered = gather(aligned, options)
    naming, chains = Naming(gathered), gathered.chains
    columns = []
    for side in (chains.key, *chains.runs):
        before = antecedents(side)
        resolved = np.flatnonzero(before >= 0)
        found = naming.names(resolved, before[resolved])
        codes = np.zeros(len(chains), np.int64)
        codes[resolved] = found.codes + 1
        columns.append(TextColumn(codes, (NOTHING, *found.names)))
    names, coded = canonical(columns)
    return Sites(chains.document, chains.sentence, chains.place, coded[0], tuple(coded[1:]), names, width=chains.width)

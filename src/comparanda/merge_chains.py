"""Chains of parts laid end to end: mentions, topics, and documents that only responses have.

Chains are numbered in the order of their first mentions. Documents that the key does not have stand behind its own,
in the order of their names, and so do topics that only these are in: after all parts, not after each.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from comparanda.chains import NO_CHAIN, Chains, renumbered, sizes
from comparanda.corpus import Fragments
from comparanda.errors import UsageError
from comparanda.items import Items
from comparanda.sites import Sites
from comparanda.verdicts import Units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.columns import Rows
    from comparanda.verdicts import Verdicts, View

Table = TypeVar("Table", Sites, Items, Chains)


def own_documents(part: Verdicts) -> int:
    """Return how many documents of a part are the key's; those that only responses have stand behind them."""
    if not part.texts.parts or part.texts.continued:
        return len(part.documents)
    return sum(len(text.names) for text in part.texts.parts)


def refuse_cut_topics(parts: Sequence[Verdicts]) -> None:
    """Refuse parts of one topic: chains span its documents, and what CEAF counts in a topic is no sum."""
    seen: set[str] = set()
    for part in parts:
        mine = set(part.units.names)
        if seen & mine:
            raise UsageError(f"the topic {min(seen & mine)!r} stands in two parts", hint="cut between topics")
        seen |= mine


def _topics(part: Verdicts) -> NDArray[np.int32]:
    """Return the topic of each document of a part; none for documents that are in no topics."""
    of_document = part.units.of_document
    return np.zeros(0, np.int32) if of_document is None else of_document


def merge_units(parts: Sequence[Verdicts]) -> Units:
    """Lay units end to end, as they stand in the parts."""
    kind, counts = parts[0].units.kind, [part.units.count for part in parts]
    if kind != "topic":
        return Units(kind, sum(counts))
    names = tuple(name for part in parts for name in part.units.names)
    shifted = [_topics(part) + np.int32(before) for part, before in zip(parts, before_each(counts), strict=True)]
    return Units(kind, sum(counts), names, np.concatenate(shifted))


def merge_chains(tables: Sequence[Chains], documents: Sequence[int], sentences: Sequence[int], units: Units) -> Chains:
    """Lay mentions end to end.

    Args:
        tables: the mentions of each part.
        documents: how many documents stand before each.
        sentences: how many sentences.
        units: the units of the whole.

    """
    shifts = [(np.int32(before), np.int32(sentence)) for before, sentence in zip(documents, sentences, strict=True)]
    pairs = list(zip(tables, shifts, strict=True))
    document = np.concatenate([table.document + before for table, (before, _) in pairs])
    return Chains(
        document,
        np.concatenate([table.sentence + sentence for table, (_, sentence) in pairs]),
        np.concatenate([table.place for table in tables]),
        np.concatenate([table.width for table in tables]),
        document if units.of_document is None else units.of_document[document],
        _merge_numbers([table.key for table in tables]),
        tuple(_merge_numbers([table.runs[run] for table in tables]) for run in range(len(tables[0].runs))),
        _merge_pieces(tables),
        {name: np.concatenate([table.candidates[name] for table in tables]) for name in tables[0].candidates},
    )


def _merge_numbers(columns: Sequence[Rows]) -> Rows:
    """Lay the chains of one side end to end; those of a part have numbers behind those of the parts before."""
    shifts = before_each([len(sizes(column)) for column in columns])
    return np.concatenate(
        [np.where(column == NO_CHAIN, NO_CHAIN, column + shift) for column, shift in zip(columns, shifts, strict=True)]
    )


def _merge_pieces(tables: Sequence[Chains]) -> Fragments | None:
    known = [
        (table.pieces, shift)
        for table, shift in zip(tables, before_each(list(map(len, tables))), strict=True)
        if table.pieces is not None
    ]
    if not known:
        return None
    return Fragments(
        np.concatenate([pieces.span + shift for pieces, shift in known]),
        np.concatenate([pieces.begin for pieces, _ in known]),
        np.concatenate([pieces.end for pieces, _ in known]),
    )


def before_each(counts: Sequence[int]) -> list[int]:
    """Return how many things stand before those of each part."""
    return [0, *accumulate(counts)][:-1]


# Documents that the key does not have


def foreign_last(merged: Verdicts, parts: Sequence[Verdicts]) -> Verdicts:
    """Put the documents that the key does not have behind its own, by their names, with all that stands in them."""
    beyond = np.concatenate([np.arange(len(part.documents)) >= own_documents(part) for part in parts])
    views = merged.views.values()
    if len(parts) == 1 or not beyond.any() or any(view.chains is None for view in views):
        return merged
    foreign = sorted(np.flatnonzero(beyond).tolist(), key=merged.documents.__getitem__)
    documents = np.array([*np.flatnonzero(~beyond).tolist(), *foreign], np.int64)
    moving = _Moving(merged, documents, len(foreign))
    return replace(
        merged,
        documents=tuple(merged.documents[number] for number in documents.tolist()),
        units=moving.units,
        views={name: moving.view(view) for name, view in merged.views.items()},
    )


class _Moving:
    """Rows of all tables on their way to another order of documents.

    Args:
        merged: the verdicts.
        documents: the documents in the new order, by their old numbers.
        foreign: how many of them, the last, the key does not have.

    """

    def __init__(self, merged: Verdicts, documents: Rows, foreign: int) -> None:
        self._own = len(documents) - foreign
        self._document = np.argsort(documents).astype(np.int32)
        self._sentence = sum(len(text.sentences) - 1 for text in merged.texts.parts)
        self._unit_order, self.units = documents, merged.units
        if merged.units.of_document is not None:
            self._unit_order, self.units = self._topics(merged.units, merged.units.of_document[documents])
        self._known: dict[int, tuple[Chains, Chains, Rows]] = {}

    def _topics(self, units: Units, topic: NDArray[np.int32]) -> tuple[Rows, Units]:
        """Return the topics in the order of their first documents."""
        order = topic[np.sort(np.unique(topic, return_index=True)[1])].astype(np.int64)
        rank = np.argsort(order).astype(np.int32)
        names = tuple(units.names[number] for number in order.tolist())
        return order, replace(units, names=names, of_document=rank[topic])

    def view(self, view: View) -> View:
        """Return a view whose sites and items stand in the new order."""
        assert view.chains is not None
        assert view.mention is not None
        if id(view.chains) not in self._known:
            self._known[id(view.chains)] = (view.chains, *self._chains(view.chains))
        _, chains, new_row = self._known[id(view.chains)]
        mention = new_row[view.mention]
        order = np.argsort(mention)
        items = view.given_items
        return replace(
            view,
            given_sites=self._moved(view.all_sites).take(order),
            given_items=None if items is None else self._items(items, np.argsort(order)),
            statistics={name: values[self._unit_order] for name, values in view.statistics.items()},
            chains=chains,
            mention=mention[order],
        )

    def _chains(self, chains: Chains) -> tuple[Chains, Rows]:
        """Return mentions in the new order, chains numbered anew, and the new row of each old one."""
        moved = self._moved(chains)
        unit = moved.document if self.units.of_document is None else self.units.of_document[moved.document]
        order = np.lexsort((moved.document, unit))
        pieces = None if chains.pieces is None else _in_order(chains.pieces, np.argsort(order))
        found = Chains(
            moved.document[order],
            moved.sentence[order],
            moved.place[order],
            moved.width[order],
            unit[order],
            renumbered(chains.key[order]),
            tuple(renumbered(run[order]) for run in chains.runs),
            pieces,
            {name: counting[order] for name, counting in chains.candidates.items()},
        )
        return found, np.argsort(order)

    def _items(self, items: Items, new_site: Rows) -> Items:
        assert items.site is not None
        site = new_site[items.site]
        return replace(self._moved(items), site=site).take(np.argsort(site, kind="stable"))

    def _moved(self, table: Table) -> Table:
        """Return a table with new numbers of documents; all that the key does not have are one sentence."""
        document = self._document[table.document]
        sentence = np.where(document < self._own, table.sentence, np.int32(self._sentence))
        return replace(table, document=document, sentence=sentence)


def _in_order(pieces: Fragments, new_row: Rows) -> Fragments:
    """Return the pieces of mentions by their new rows."""
    mention = new_row[pieces.span]
    order = np.argsort(mention, kind="stable")
    return Fragments(mention[order], pieces.begin[order], pieces.end[order])

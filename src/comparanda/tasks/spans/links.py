"""The judge of entity links: rules say what each mention and its id are, overlap sites say where systems differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.claims import LINK, without_ids
from comparanda.core.places import Note
from comparanda.core.sites import canonical
from comparanda.core.text_columns import TextColumn
from comparanda.core.verdicts import View
from comparanda.tasks.label_maps import one_sided
from comparanda.tasks.spans.evaluation import (
    all_ids,
    claims_of,
    right_partners,
    run_rules,
    settings_with_rules,
    views_of,
)
from comparanda.tasks.task import Options, Task
from comparanda.tasks.word_sites import run_names, verdicts_of

if TYPE_CHECKING:
    from comparanda.align import Aligned
    from comparanda.align.span_positions import PlacedSpans
    from comparanda.core.claims import Claims
    from comparanda.core.text_columns import Codes, Rows, Truths
    from comparanda.core.verdicts import System, Verdicts
    from comparanda.tasks.spans.evaluation import Ids, Ruled

UNLINKED = "no mention has an id, so there are no links"
"""What is noted of a side without links."""


def judge_links(aligned: Aligned, systems: Sequence[System], options: Options) -> Verdicts:
    """Judge links by rules."""
    ruled = run_rules(aligned, systems, options)
    ids = ruled.ids or all_ids(ruled.placement, options)
    names, labels = _linked(ruled, ids)
    claims, rows = claims_of(aligned.key, placement=ruled.placement, names=names, labels=labels, train=options.train)
    views = views_of(aligned, ruled, claims, rows)
    notes = [*ruled.notes, *_unlinked(run_names(systems), ids), *_one_sided(claims, systems)]
    return verdicts_of(
        aligned,
        systems=systems,
        task="link",
        views=views,
        settings=settings_with_rules(aligned, ruled, options),
        notes=notes,
    )


def _one_sided(claims: Claims, systems: Sequence[System]) -> list[Note]:
    """Note labels that one side alone uses, whatever the ids."""
    return one_sided(View(name="labels", given_sites=None, measures=(), claims=without_ids(claims)), run_names(systems))


def _linked(ruled: Ruled, ids: Sequence[Ids]) -> tuple[tuple[str, ...], list[Codes]]:
    """Return labels with ids behind them, by which spans are told apart; what is right is written as in the key.

    The key's value are all ids that it accepts, a system's the first of its own (DEFINITIONS 1).
    """
    sides = ruled.placement.sides
    key = _composed(ruled, 0, ids[0].accepted)
    columns = [key]
    first_view = next(iter(ruled.engine.rule_set.views))
    for number, outcome in enumerate(ruled.outcomes, start=1):
        mine = _composed(ruled, number, ids[number].first)
        partner = right_partners(ruled.engine.rule_set, first_view, outcome)
        columns.append(_replaced(mine, key, partner, _same_extent(sides[number], sides[0], partner)))
    return canonical(columns)


def _composed(ruled: Ruled, number: int, ids: TextColumn) -> TextColumn:
    """Put the id of each span behind its label."""
    labels, codes = ruled.names, ruled.labels[number].astype(np.int64)
    shown = ["NIL" if code == ids.missing else name for code, name in enumerate(ids.names)] or ["NIL"]
    pairs, where = np.unique(codes * len(shown) + ids.codes, return_inverse=True)
    names = tuple(f"{labels[pair // len(shown)]}{LINK}{shown[pair % len(shown)]}" for pair in pairs.tolist())
    return TextColumn(where, names)


def _same_extent(side: PlacedSpans, key: PlacedSpans, partner: Rows) -> Truths:
    """Whether each span has a partner between the same two ends."""
    if not len(key):
        return np.zeros(len(side), np.bool_)
    same: Truths = (
        (partner >= 0)
        & (side.document == key.document[partner])
        & (side.begin == key.begin[partner])
        & (side.end == key.end[partner])
    )
    return same


def _replaced(mine: TextColumn, key: TextColumn, partner: Rows, right: Truths) -> TextColumn:
    """Put the key's text in place of those that are right."""
    names = (*mine.names, *key.names)
    codes = mine.codes.astype(np.int64)
    codes[right] = key.codes[partner[right]] + len(mine.names)
    used, where = np.unique(codes, return_inverse=True)
    written = [names[code] for code in used.tolist()]
    order = {name: number for number, name in enumerate(dict.fromkeys(written))}
    table = np.array([order[name] for name in written], np.int64)
    return TextColumn(table[where] if len(table) else where, tuple(order))


def _unlinked(runs: Sequence[str], ids: Sequence[Ids]) -> list[Note]:
    """Note sides none of whose mentions has an id: then there is nothing to judge."""
    return [
        Note(name, UNLINKED, len(each.first))
        for name, each in zip(("key", *runs), ids, strict=True)
        if len(each.first) and each.first.missing_rows().all()
    ]


LINK_TASK = Task(
    name="link",
    summary="entity links: mentions with ids, judged by rules",
    shape="tokens",
    column=None,
    judge=judge_links,
    layer="spans",
    policies=frozenset({"same_ids"}),
    rules="links",
)

"""Evaluation of entity links: rules evaluate each mention and its id, overlap sites show where systems differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.claims import LINK, without_ids
from comparanda.core.places import Note
from comparanda.core.sites import recode_canonically
from comparanda.core.text_columns import TextColumn
from comparanda.core.verdicts import View
from comparanda.tasks.label_maps import note_one_sided_labels
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
"""The note on a side without links."""


def evaluate_links(aligned: Aligned, systems: Sequence[System], options: Options) -> Verdicts:
    """Evaluate entity links by rules."""
    ruled = run_rules(aligned, systems, options)
    ids = ruled.ids or all_ids(ruled.placement, options)
    names, labels = _linked_labels(ruled, ids)
    claims, rows = claims_of(aligned.key, placement=ruled.placement, names=names, labels=labels, train=options.train)
    views = views_of(aligned, ruled, claims, rows)
    notes = [*ruled.notes, *_note_unlinked_sides(run_names(systems), ids), *_note_one_sided_labels(claims, systems)]
    return verdicts_of(
        aligned,
        systems=systems,
        task="link",
        views=views,
        settings=settings_with_rules(aligned, ruled, options),
        notes=notes,
    )


def _note_one_sided_labels(claims: Claims, systems: Sequence[System]) -> list[Note]:
    """Note labels that only one side uses, regardless of ids."""
    return note_one_sided_labels(
        View(name="labels", given_sites=None, measures=(), claims=without_ids(claims)), run_names(systems)
    )


def _linked_labels(ruled: Ruled, ids: Sequence[Ids]) -> tuple[tuple[str, ...], list[Codes]]:
    """Build labels with ids, by which spans are distinguished; correct ones take the form they have in the key.

    The key's value is all ids that it accepts, a system's is the first of its own (DEFINITIONS 1).
    """
    sides = ruled.placement.sides
    key = _append_ids(ruled, 0, ids[0].accepted)
    columns = [key]
    first_view = next(iter(ruled.engine.rule_set.views))
    for number, outcome in enumerate(ruled.outcomes, start=1):
        mine = _append_ids(ruled, number, ids[number].first)
        partner = right_partners(ruled.engine.rule_set, first_view, outcome)
        columns.append(_replace_labels(mine, key, partner, _have_same_extent(sides[number], sides[0], partner)))
    return recode_canonically(columns)


def _append_ids(ruled: Ruled, number: int, ids: TextColumn) -> TextColumn:
    """Append the id of each span to its label."""
    labels, codes = ruled.names, ruled.labels[number].astype(np.int64)
    shown = ["NIL" if code == ids.missing else name for code, name in enumerate(ids.names)] or ["NIL"]
    pairs, where = np.unique(codes * len(shown) + ids.codes, return_inverse=True)
    names = tuple(f"{labels[pair // len(shown)]}{LINK}{shown[pair % len(shown)]}" for pair in pairs.tolist())
    return TextColumn(where, names)


def _have_same_extent(side: PlacedSpans, key: PlacedSpans, partner: Rows) -> Truths:
    """Whether each span has a partner with the same begin and end."""
    if not len(key):
        return np.zeros(len(side), np.bool_)
    same: Truths = (
        (partner >= 0)
        & (side.document == key.document[partner])
        & (side.begin == key.begin[partner])
        & (side.end == key.end[partner])
    )
    return same


def _replace_labels(mine: TextColumn, key: TextColumn, partner: Rows, right: Truths) -> TextColumn:
    """Replace the labels of correct spans by those of their partners in the key."""
    names = (*mine.names, *key.names)
    codes = mine.codes.astype(np.int64)
    codes[right] = key.codes[partner[right]] + len(mine.names)
    used, where = np.unique(codes, return_inverse=True)
    written = [names[code] for code in used.tolist()]
    order = {name: number for number, name in enumerate(dict.fromkeys(written))}
    table = np.array([order[name] for name in written], np.int64)
    return TextColumn(table[where] if len(table) else where, tuple(order))


def _note_unlinked_sides(runs: Sequence[str], ids: Sequence[Ids]) -> list[Note]:
    """Note sides whose mentions all lack an id, so that there is nothing to evaluate."""
    return [
        Note(name, UNLINKED, len(each.first))
        for name, each in zip(("key", *runs), ids, strict=True)
        if len(each.first) and each.first.missing_rows().all()
    ]


LINK_TASK = Task(
    name="link",
    summary="entity links: mentions with ids, evaluated by rules",
    shape="tokens",
    column=None,
    evaluate=evaluate_links,
    layer="spans",
    policies=frozenset({"same_ids"}),
    rules="links",
)

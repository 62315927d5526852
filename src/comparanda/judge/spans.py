"""The judge of labelled spans: rules say what each span is, overlap sites say where systems differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import Aligned, align, place_spans
from comparanda.columns import TextColumn
from comparanda.judge.ground import run_names, settings_of, verdicts_of
from comparanda.judge.label_maps import one_sided, speak_alike
from comparanda.judge.span_claims import claims_of
from comparanda.judge.span_ids import Ids, ids_of
from comparanda.judge.span_items import Side, items_of
from comparanda.judge.task import Options, Task
from comparanda.places import Note
from comparanda.rules.engine import Engine
from comparanda.rules.facts import Facts
from comparanda.sites import canonical
from comparanda.verdicts import System, Verdicts, View

if TYPE_CHECKING:
    from comparanda.align import Placement
    from comparanda.claims import Claims
    from comparanda.columns import Codes, Column, Rows
    from comparanda.corpus import Corpus
    from comparanda.rules.engine import Outcome

CUTS = ("length",)
MEASURES = ("f1", "precision", "recall", "macro_f1", "document_f1")


@dataclass(frozen=True, eq=False, slots=True)
class Ruled:
    """What the rules have made of the spans of each run.

    Args:
        placement: the spans that count, the key's first, then each run's.
        names: the labels by code, sorted.
        labels: the label of each span of each side.
        ids: the ids of each span of each side; empty if no rule looks at them.
        engine: the rules, compiled.
        outcomes: what they made of each run.
        notes: what was met on the way.

    """

    placement: Placement
    names: tuple[str, ...]
    labels: Sequence[Codes]
    ids: Sequence[Ids]
    engine: Engine
    outcomes: Sequence[Outcome]
    notes: Sequence[Note]


def run_rules(aligned: Aligned, systems: Sequence[System], options: Options) -> Ruled:
    """Make facts of the spans of all sides, and run the rules on those of each run and the key."""
    return ruled_spans(*placed_labels(aligned, systems, options), options)


def ruled_spans(placement: Placement, columns: Sequence[TextColumn], notes: Sequence[Note], options: Options) -> Ruled:
    """Run the rules on spans that are placed and speak one tongue."""
    if options.rules is None:
        raise AssertionError("spans are judged by rules, and there are none")
    names, labels = canonical(list(columns))
    engine = Engine(options.rules)
    ids = _ids(engine, placement, options)
    facts = [_facts(engine, placement, number, TextColumn(codes, names), ids) for number, codes in enumerate(labels)]
    outcomes = [
        engine.run({**each, **{f"key{name[6:]}": given for name, given in facts[0].items()}}, paranoid=options.paranoid)
        for each in facts[1:]
    ]
    return Ruled(placement, names, labels, ids, engine, outcomes, notes)


def placed_labels(
    aligned: Aligned, systems: Sequence[System], options: Options
) -> tuple[Placement, list[TextColumn], list[Note]]:
    """Place the spans of all sides and bring their labels to one tongue; those that do not count are left out."""
    placement = place_spans(aligned)
    columns, notes = _labels(placement, systems, run_names(systems), options)
    chosen, columns, left = _chosen(placement, columns, options)
    return chosen, columns, [*placement.notes, *notes, *left]


def surface_forms(corpus: Corpus) -> frozenset[str]:
    """Return the texts of the spans of a corpus, for telling which were seen in training."""
    placement = place_spans(align(corpus, []))
    return frozenset(placement.texts(placement.sides[0]).names)


def judge_spans(aligned: Aligned, systems: Sequence[System], options: Options) -> Verdicts:
    """Judge spans by rules."""
    ruled = run_rules(aligned, systems, options)
    claims, rows = claims_of(aligned.key, ruled.placement, ruled.names, ruled.labels, options.train)
    views = views_of(aligned, ruled, claims, rows)
    notes = [*ruled.notes, *one_sided(next(iter(views.values())), run_names(systems))]
    return verdicts_of(aligned, systems, "span", views, settings_with_rules(aligned, ruled, options), notes)


def settings_with_rules(aligned: Aligned, ruled: Ruled, options: Options) -> dict[str, str]:
    """Return how spans were judged, for the signature."""
    return {
        **settings_of(options, aligned.key.judged),
        "rules": ruled.engine.rule_set.name,
        "positions": ruled.placement.unit,
        **({"same_ids": str(len(options.same_ids))} if options.same_ids else {}),
    }


def _labels(
    placement: Placement, systems: Sequence[System], runs: tuple[str, ...], options: Options
) -> tuple[list[TextColumn], list[Note]]:
    columns = [side.label for side in placement.sides]
    return speak_alike(columns, ["key", *runs], systems, options, several=False)


def _chosen(
    placement: Placement, columns: list[TextColumn], options: Options
) -> tuple[Placement, list[TextColumn], list[Note]]:
    """Leave out spans by their label, on every side, if that was asked for."""
    counts = counting_labels(options)
    if counts is None:
        return placement, columns, []
    sides, kept, gone = [], [], 0
    for side, column in zip(placement.sides, columns, strict=True):
        rows = np.flatnonzero(column.truths(counts))
        gone += len(side) - len(rows)
        sides.append(side.take(rows))
        kept.append(column.take(rows))
    return replace(placement, sides=tuple(sides)), kept, left_out_note(gone)


def counting_labels(options: Options) -> Callable[[str], bool] | None:
    """Return what says whether spans of a label count; None where all do."""
    if not (options.only or options.ignore):
        return None
    fold = str.casefold if options.fold_case else str
    only, ignore = ({fold(label) for label in labels} for labels in (options.only, options.ignore))
    return lambda label: label not in ignore and (not only or label in only)


def left_out_note(gone: int) -> list[Note]:
    """Say how many spans do not count because of their labels."""
    return [Note("all", "spans left out by their label, on all sides", gone)] if gone else []


def _ids(engine: Engine, placement: Placement, options: Options) -> list[Ids]:
    """Take the ids of all sides apart, if a rule looks at them."""
    return all_ids(placement, options) if looks_at_ids(engine) else []


def looks_at_ids(engine: Engine) -> bool:
    """Whether rules look at the ids of spans."""
    tables = ("system", "key", "system_ids", "key_ids")
    return any(engine.uses(table, column) for table in tables for column in ("id", "of"))


def all_ids(placement: Placement, options: Options) -> list[Ids]:
    """Take the ids of all sides apart, the key's first."""
    return [
        ids_of(side.columns.get("id"), len(side), options.same_ids, key=number == 0)
        for number, side in enumerate(placement.sides)
    ]


def _facts(
    engine: Engine, placement: Placement, number: int, labels: TextColumn, ids: Sequence[Ids]
) -> dict[str, Facts]:
    """Return the spans of one side and their ids as facts; texts are made only if a rule looks at them."""
    side = placement.sides[number]
    columns: dict[str, Column] = {"doc": side.document, "begin": side.begin, "end": side.end, "label": labels}
    types = [engine.rule_set.tables[table] for table in ("system", "key")]
    for name, column in side.columns.items():
        if not any(name in each and each[name].settable for each in types):  # verdicts come from rules alone
            columns.setdefault(name, column)
    columns.pop("text", None)
    columns.pop("id", None)
    if any(engine.uses(table, column) for table in ("system", "key") for column in ("text", "norm")):
        columns["text"] = placement.texts(side)
    if not ids:
        return {"system": Facts(columns, side.fragments)}
    mine = ids[number]
    columns |= {"id": mine.first, "ids": mine.ranked}
    return {
        "system": Facts(columns, side.fragments),
        "system_ids": Facts({"of": mine.of, "id": mine.id, "rank": mine.rank}),
    }


def _sides(claims: Claims, labels: Sequence[Codes], rows: Sequence[Rows]) -> list[Side]:
    """Say of the spans of each side where they stand."""
    return [
        Side(each, claims.document[each], claims.sentence[each], claims.place[each], codes)
        for each, codes in zip(rows, labels, strict=True)
    ]


def views_of(aligned: Aligned, ruled: Ruled, claims: Claims, rows: Sequence[Rows]) -> dict[str, View]:
    """Make a view of each of the rule set's; with several, the first reports what all of them say."""
    rule_set, sides = ruled.engine.rule_set, _sides(claims, ruled.labels, rows)
    main = MEASURES if aligned.key.documents.marked else MEASURES[:-1]
    several = len(rule_set.views) > 1
    views: dict[str, View] = {}
    for name in rule_set.views:
        items = items_of(rule_set, name, ruled.outcomes, sides, ruled.names)
        measures = tuple(f"{name}.{each}" for each in main) if several else main
        views[name] = View(name, None, measures, given_items=items, cuts=CUTS, claims=claims)
    first = next(iter(views))
    views[first] = replace(views[first], measures=tuple(each for view in views.values() for each in view.measures))
    return views


SPAN = Task(
    "span",
    "labelled spans, such as named entities: BIO tags or offsets, judged by rules",
    "tokens",
    None,
    judge_spans,
    layer="spans",
    policies=frozenset({"same_ids"}),
    rules="exact",
)

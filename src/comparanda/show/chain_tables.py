"""Chains of mentions pair by pair, as tables: 7 and 13 of Tuggener (2017), a table for each criterion and for each."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any

from comparanda.comparison.chain_pairs import ChainPairs, CriterionPair, CriterionPairs
from comparanda.show.links import EVERY_PAIR, Link
from comparanda.show.metric_tables import metric_name
from comparanda.show.table import Field, Linked, Table, cut

_PAIRS = 45  # how many pairs are shown unless told otherwise: all of ten systems
_MEAN = ("(mean)", "")
_NOTHING = ("", "")  # where means have no interval
_FINER = "diff with antecedents: two mentions with different wrong antecedents differ too"
_FIRST = ("conll", "lea")  # those of tables 7 and 13


def chain_tables(finding: ChainPairs, top: int | None) -> tuple[Table, ...]:
    """Return how much pairs differ under each criterion, then how far one response agrees with another."""
    limit = max(top, _PAIRS) if top else top
    criteria = [_criterion_table(each, limit) for each in finding.criteria]
    if criteria:
        criteria[-1] = replace(criteria[-1], notes=(*criteria[-1].notes, _FINER))
    return (*criteria, _response_table(finding, limit), _metric_table(finding, limit))


def _criterion_table(each: CriterionPairs, top: int | None) -> Table:
    fields = (
        Field("base", "base"),
        Field("new", "new"),
        Field("diff", "diff", "share"),
        Field("diff_interval", "95 % interval", "interval"),
        Field("different", "differing", "count"),
        Field("sites", "mentions", "count"),
        Field("score_difference", "Δ F1", "points"),
        Field("antecedents_diff", "diff with antecedents", "share"),
    )
    rows, notes = cut([_criterion_row(pair) for pair in each.pairs], top, _PAIRS, "pair", "pairs")
    if len(each.pairs) > 1:
        rows = (*rows, (*_MEAN, each.mean_diff, _NOTHING, "", "", "", each.mean_antecedents_diff))
    if not all(pair.sites for pair in each.pairs):
        notes = (*notes, "n/a: no mention has an antecedent, in the key or in these responses")
    title = f"Pairs, {metric_name(each.criterion)}: mentions in different classes, beside the difference of F1"
    return Table(f"pairs-{each.criterion}", title, fields, rows, notes)


def _criterion_row(pair: CriterionPair) -> tuple[Any, ...]:
    classes, finer = pair.classes, pair.antecedents
    different = Link(classes.where, pair.base, pair.new, classes.view)
    return (
        pair.base,
        pair.new,
        Linked(classes.diff, different),
        (classes.low, classes.high),
        Linked(classes.different, different),
        Linked(pair.sites, Link(EVERY_PAIR, pair.base, pair.new, classes.view)),
        pair.score_difference,
        None if finer is None else Linked(finer.diff, Link(finer.where, pair.base, pair.new, finer.view)),
    )


def _response_table(finding: ChainPairs, top: int | None) -> Table:
    """Put the metrics of table 13 in columns, with intervals and distances."""
    fields = [Field("base", "base"), Field("new", "new")]
    for metric in _FIRST:
        name = metric_name(metric)
        fields += [
            Field(metric, name, "share"),
            Field(f"{metric}_interval", "95 % interval", "interval"),
            Field(f"{metric}_distance", f"100 − {name}", "share"),
        ]
    rows: list[tuple[Any, ...]] = []
    for pair in finding.responses:
        found = [each for metric in _FIRST for each in pair.agreements if each.metric == metric]
        cells = [(each.f1, (each.low, each.high), each.distance) for each in found]
        rows.append((pair.base, pair.new, *chain.from_iterable(cells)))
    kept, notes = cut(rows, top, _PAIRS, "pair", "pairs")
    if len(rows) > 1:
        means = [each for metric in _FIRST for each in finding.means if each.metric == metric]
        kept = (*kept, (*_MEAN, *chain.from_iterable((each.f1, _NOTHING, each.distance) for each in means)))
    title = "One response against another: F1 with the base as the key"
    return Table("responses", title, tuple(fields), kept, (*notes, *_reasons(finding)))


def _metric_table(finding: ChainPairs, top: int | None) -> Table:
    """Put F1 of the other metrics in columns; how far they are from 100 can be read off them."""
    metrics = [each.metric for each in finding.means if each.metric not in _FIRST]
    fields = (
        Field("base", "base"),
        Field("new", "new"),
        *(Field(metric, metric_name(metric), "share") for metric in metrics),
    )
    rows: list[tuple[Any, ...]] = [
        (pair.base, pair.new, *(each.f1 for each in pair.agreements if each.metric in metrics))
        for pair in finding.responses
    ]
    kept, notes = cut(rows, top, _PAIRS, "pair", "pairs")
    if len(rows) > 1:
        kept = (*kept, (*_MEAN, *(each.f1 for each in finding.means if each.metric in metrics)))
    return Table("responses-metrics", "One response against another: F1 by other metrics", fields, kept, notes)


def _reasons(finding: ChainPairs) -> list[str]:
    """Say why numbers are undefined, each reason once."""
    found = dict.fromkeys(each.reason for pair in finding.responses for each in pair.agreements)
    return [f"n/a: {reason}" for reason in found if reason]

"""How far outputs agree without a key, as tables."""

from __future__ import annotations

from math import isclose
from typing import Any

from comparanda.comparison.agreements import Agreements, OutputPair
from comparanda.comparison.context import is_value
from comparanda.expressions import quote
from comparanda.show.cells import cell, counted
from comparanda.show.links import Link
from comparanda.show.table import Field, Linked, Table, cut

_DOCUMENTS, _PAIRS = 10, 45  # how many rows are shown unless told otherwise
_WORDS = (
    "κ and α are over words here: a word's value are the labels of the spans that cover it, or none; they hang on how "
    "many words have none, so F1 is the usual measure of spans (Hripcsak & Rothschild 2005)"
)


def agreement_tables(finding: Agreements, top: int | None) -> tuple[Table, ...]:
    """Return how far each pair agrees, and the documents they disagree about."""
    return (_pair_table(finding, top), _document_table(finding, top))


def _pair_table(finding: Agreements, top: int | None) -> Table:
    turned = any(_unlike(pair.turned, pair.score) for pair in finding.pairs)
    fields = [
        Field("first", "as key"),
        Field("second", "other"),
        Field("score", finding.measure, "share"),
        Field("score_interval", "95 % interval", "interval"),
        *([Field("turned", "turned", "share")] if turned else []),
        Field("distance", f"100 − {finding.measure}", "share"),
        Field("diff", "diff", "share"),
        Field("diff_interval", "95 % interval", "interval"),
        Field("different", "differing", "figure"),
        Field("sites", "sites", "figure"),
        Field("kappa", "κ", "share"),
        Field("kappa_interval", "95 % interval", "interval"),
        Field("cases", finding.cases, "figure"),
    ]
    rows = [_pair_row(finding, pair, turned=turned) for pair in finding.pairs]
    kept, more = cut(rows, max(top, _PAIRS) if top else top, _PAIRS, "pair", "pairs")
    alpha = finding.alpha
    span = "" if alpha.low is None else f", 95 % interval {cell('interval', (alpha.low, alpha.high))}"
    return Table(
        "agreements",
        f"How far they agree, without a key: Krippendorff's α {cell('share', alpha.value)}{span}",
        tuple(fields),
        kept,
        (*more, *_notes(finding, turned=turned)),
    )


def _ground(finding: Agreements) -> str:
    """Return what all outputs share with the ground: mentions are each one's own, and stand in its words."""
    return "words" if finding.cases == "mentions" else finding.cases


def _unlike(one: float | None, other: float | None) -> bool:
    """Whether two scores differ by more than rounding does."""
    return one != other if one is None or other is None else not isclose(one, other, abs_tol=1e-12)


def _pair_row(finding: Agreements, pair: OutputPair, *, turned: bool) -> tuple[Any, ...]:
    """Write a pair. Only of the ground with another there are sites to look at: no other output is a key."""
    different = sites = None
    if pair.first == finding.ground:
        right = f"right_in({quote(pair.second)})"
        different, sites = (Link(f"{right} {which}", view=finding.view) for which in ("== 0", ">= 0"))
    return (
        pair.first,
        pair.second,
        pair.score,
        (pair.low, pair.high),
        *((pair.turned,) if turned else ()),
        pair.distance,
        Linked(pair.diff, different),
        (pair.diff_low, pair.diff_high),
        Linked(pair.different, different),
        Linked(pair.sites, sites),
        pair.kappa.value,
        (pair.kappa.low, pair.kappa.high),
        pair.kappa.cases,
    )


def _notes(finding: Agreements, *, turned: bool) -> list[str]:
    means = ", ".join(
        f"{name} {cell('share', value)}"
        for name, value in (
            (finding.measure, finding.mean_score),
            (f"100 − {finding.measure}", finding.mean_distance),
            ("diff", finding.mean_diff),
            ("κ", finding.mean_kappa),
        )
    )
    notes = [f"mean over pairs: {means}"]
    reasons = {pair.reason for pair in finding.pairs} | {pair.kappa.reason for pair in finding.pairs}
    notes += sorted(f"n/a: {reason}" for reason in {*reasons, finding.alpha.reason} if reason)
    if turned:
        notes.append("turned: with the other as the key")
    if finding.cases == "words":
        notes.append(_WORDS)
    notes.append(
        f"κ and α: 100 for full agreement, 0 for what chance would give; documents and {_ground(finding)} are those of "
        f"{finding.ground}"
    )
    if finding.resamples:
        made = f"{counted(finding.resamples, 'bootstrap resample')} of {counted(finding.units, finding.unit)}"
        notes.append(f"95 % intervals: {made}, seed {finding.seed}")
    return [*notes, *(f"beware: {warning}" for warning in finding.warnings)]


def _document_table(finding: Agreements, top: int | None) -> Table:
    fields = (
        Field("document", "document"),
        Field("sites", "sites", "count"),
        Field("disagreed", "not unanimous", "count"),
        Field("share", "%", "share"),
        Field("diff", "mean diff", "share"),
    )
    rows: list[tuple[Any, ...]] = [
        (
            row.document,
            Linked(row.sites, Link(is_value("document", row.document), view=finding.view)),
            Linked(row.disagreed.count, disagreed),
            Linked(row.disagreed.share, disagreed),
            row.diff,
        )
        for row in finding.documents
        for disagreed in [Link(row.disagreed.where, view=finding.view)]
    ]
    kept, notes = cut(rows, top, _DOCUMENTS, "document", "documents")
    said = f"{finding.disagreed.count:,} of {counted(finding.sites, 'site')}"
    title = f"Documents by disagreement: not unanimous at {said} ({cell('share', finding.disagreed.share)} %)"
    return Table("documents", title, fields, kept, notes)

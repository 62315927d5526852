"""Evaluation of labelled spans by rules: distinct claims, ids, items, and the task `span`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.align import Aligned, align_responses
from comparanda.align.quotes import AMBIGUOUS, HALLUCINATED, PLACING, REPEATED, place_spans
from comparanda.align.span_positions import PlacedSpans
from comparanda.core.claims import Claims
from comparanda.core.corpus import Fragments, owner_of_rows
from comparanda.core.extents import fragmentation_codes, number_fragmentations
from comparanda.core.ids import BAR, NIL, split_ids
from comparanda.core.items import Items, Outcomes
from comparanda.core.joins import pack_columns
from comparanda.core.places import Note, first_places
from comparanda.core.sites import Attribute, recode_canonically
from comparanda.core.text_columns import TextColumn, code_type, shrink_integers
from comparanda.core.verdicts import System, Verdicts
from comparanda.core.verdicts import View as VerdictsView
from comparanda.errors import RuleError
from comparanda.rules.engine import Engine
from comparanda.rules.facts import Facts
from comparanda.tasks.label_maps import apply_label_maps, note_one_sided_labels
from comparanda.tasks.task import Options, Task
from comparanda.tasks.word_sites import run_names, settings_of, verdicts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.align.span_positions import Placement
    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Codes, Column, Rows, Truths
    from comparanda.rules.engine import Outcome
    from comparanda.rules.ruleset import RuleSet, View

    Array = NDArray[Any]


def claims_of(
    key: Corpus,
    placement: Placement,
    names: tuple[str, ...],
    labels: Sequence[Codes],
    *,
    train: frozenset[str] | None = None,
) -> tuple[Claims, list[Rows]]:
    """Gather the distinct spans of the key and all runs, and map the spans of each side to them.

    Args:
        key: the key, for its rows and sentences.
        placement: the spans of all sides.
        names: the labels by code, sorted.
        labels: the label of each span of each side.
        train: the texts of spans seen in training, for the attribute `seen`.

    """
    sides = placement.sides
    cuts = number_fragmentations(side.fragments for side in sides)
    pieces = [fragmentation_codes(len(side), side.fragments, cuts) for side in sides]
    columns = [
        np.concatenate([side.document for side in sides]),
        np.concatenate([side.begin for side in sides]),
        np.concatenate([side.end for side in sides]),
        np.concatenate(pieces),
        np.concatenate([codes.astype(np.int64) for codes in labels]),
    ]
    (keys,) = pack_columns([columns])
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    document, begin, end, cut, label = (column[first] for column in columns)
    bounds = np.cumsum([0, *(len(side) for side in sides)])
    counts = [
        shrink_integers(np.bincount(number[low:high], minlength=len(first))) for low, high in pairwise(bounds.tolist())
    ]
    spans = PlacedSpans(document=document, begin=begin, end=end, label=placement.sides[0].label, given=first)
    place, until = placement.rows(spans)
    row = key.row_documents[document] + place
    sentence = owner_of_rows(key.sentences)[np.minimum(row, max(len(key) - 1, 0))] if len(key) else row
    claims = Claims(
        document=document.astype(np.int32),
        sentence=sentence.astype(np.int32),
        place=place.astype(np.int32),
        width=(until - place).astype(np.int32),
        begin=begin,
        end=end,
        pieces=cut,
        fragments=_distinct_fragments(sides, number, first, bounds),
        label=label.astype(labels[0].dtype),
        names=names,
        key=counts[0],
        runs=tuple(counts[1:]),
        attributes=_attributes(key, placement, spans, train),
    )
    return claims, np.split(number, bounds[1:-1])


def _attributes(
    key: Corpus, placement: Placement, spans: PlacedSpans, train: frozenset[str] | None
) -> dict[str, Attribute]:
    """Build the attributes of each span: its text, whether that was seen in training, and its document's attributes."""
    attributes = {"text": Attribute("text", lambda: placement.texts(spans).sorted())}
    if train is not None:
        attributes["seen"] = Attribute("truth", lambda: placement.texts(spans).truths(train.__contains__))
    for name, column in key.documents.attributes.items():
        attributes.setdefault(name, _document_attribute(column.sorted(), spans.document))
    return attributes


def _document_attribute(column: TextColumn, document: Rows) -> Attribute:
    return Attribute("text", lambda: column.take(document))


def _distinct_fragments(sides: Sequence[PlacedSpans], number: Rows, first: Rows, bounds: Rows) -> Fragments | None:
    """Collect the pieces of distinct spans, each once."""
    found = []
    for side, base in zip(sides, bounds[:-1].tolist(), strict=True):
        if side.fragments is not None:
            mine = side.fragments.span + base
            keep = first[number[mine]] == mine  # the first of equal spans represents all
            found.append(
                (number[mine[keep]], side.fragments.begin[keep], side.fragments.end[keep]),
            )
    if not found:
        return None
    span, begin, end = (np.concatenate([each[place] for each in found]) for place in range(3))
    order = np.lexsort((begin, span))
    return Fragments(span[order], begin[order], end[order])


# The ids of spans as rules see them: the first as a column of the span table, all of them as rows of a table of ids.


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Ids:
    """The ids of the spans of one side.

    Args:
        first: the first id of each span; missing where it has none, or NIL. For the key, whose ids are unordered, the
            first that is not NIL.
        ranked: all its ids as one text, in order; missing where it has none.
        accepted: the same sorted and without NIL, or `NIL` if none are left: the ids that the key accepts.
        of: the span of each id.
        rank: the position of the id among those of its span, from 1.
        id: the id itself; missing for NIL.

    """

    first: TextColumn
    ranked: TextColumn
    accepted: TextColumn
    of: Rows
    rank: Rows
    id: TextColumn


def ids_of(column: Column | None, size: int, same: Mapping[str, str], *, key: bool = False) -> Ids:
    """Parse ids.

    Args:
        column: the ids in the input, several separated by bars; None where it has none.
        size: the number of spans.
        same: the canonical id of each id that has equivalents.
        key: whether they are those of the key, which accepts any of several.

    """
    texts = _id_texts(column, size)
    parts = [_split_ids(name, same) for name in texts.names]
    firsts = [next((each for each in ids if not key or each != NIL), None) for ids in parts]
    offsets = np.cumsum([0, *map(len, parts)])
    flat = TextColumn.of([None if each == NIL else each for ids in parts for each in ids])
    counts = np.diff(offsets)[texts.codes]
    of = np.repeat(np.arange(size), counts)
    within = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    return Ids(
        first=_replace_texts(texts, [None if each == NIL else each for each in firsts]),
        ranked=_replace_texts(texts, [BAR.join(ids) or None for ids in parts]),
        accepted=_replace_texts(texts, [BAR.join(sorted(set(ids) - {NIL})) or NIL for ids in parts]),
        of=of,
        rank=within + 1,
        id=flat.take(np.repeat(offsets[:-1][texts.codes], counts) + within),
    )


def _id_texts(column: Column | None, size: int) -> TextColumn:
    if column is None:
        return TextColumn.of([None] * size)
    if isinstance(column, TextColumn):
        return column
    return TextColumn.of([None if value != value else f"{value:.17g}" for value in column.tolist()])  # noqa: PLR0124 - NaN


def _split_ids(name: str, same: Mapping[str, str]) -> tuple[str, ...]:
    """Split a text into canonical ids, each once."""
    return tuple(dict.fromkeys(same.get(each, each) for each in split_ids(name))) if name else ()


def _replace_texts(texts: TextColumn, names: list[str | None]) -> TextColumn:
    """Replace the texts of a column."""
    table = TextColumn.of(names)
    if not len(table):
        return TextColumn(texts.codes, table.names, table.missing)
    return TextColumn(table.codes[texts.codes], table.names, table.missing)


# From the outcomes of rules to items: every key span once, and the surplus claims of runs.


_MARKED_PLACINGS = (AMBIGUOUS, HALLUCINATED, REPEATED)

EXTENT = ("doc", "begin", "end", "label")
"""The columns that identify a claim unless a view declares others: those of the same span."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Side:
    """The spans of the key or of a run, as items need them.

    Args:
        claim: the number of the distinct span of each.
        document: its document.
        sentence: its sentence.
        place: the row it begins at.
        label: its label, as a code.

    """

    claim: Rows
    document: NDArray[np.int32]
    sentence: NDArray[np.int32]
    place: NDArray[np.int32]
    label: Codes


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _SpanVerdicts:
    """The verdicts of a view on the spans of one table in one run.

    Args:
        verdict: the verdict on each span, as a code.
        verdicts: the names of verdicts by code.
        sources: the source of the error of each verdict, by code; "" where it is not an error.
        rule: the rule that set the outcome.
        credit: the credit for the span.
        weight: the weight of the span; 0 for those left out.

    """

    verdict: Codes
    verdicts: tuple[str, ...]
    sources: tuple[str, ...]
    rule: Codes
    credit: NDArray[np.float64]
    weight: NDArray[np.float64]


def items_of(
    rule_set: RuleSet,
    view: str,
    outcomes: Sequence[Outcome],
    sides: Sequence[Side],
    *,
    names: tuple[str, ...],
) -> Items:
    """Build the items of a view: the key's spans are positive; a run's spans without a partner there are negative.

    Args:
        rule_set: the rules.
        view: the view.
        outcomes: the outcomes of the rules for each run.
        sides: the key's spans, then each run's.
        names: the labels by code.

    """
    declared = rule_set.views[view]
    key, *runs = sides
    if declared.label == "partner":
        runs = [_label_by_partner(declared, outcome, key, side) for outcome, side in zip(outcomes, runs, strict=True)]
    evaluated = [
        (_evaluate_view(rule_set, view, outcome, "key"), _evaluate_view(rule_set, view, outcome, "system"))
        for outcome in outcomes
    ]
    partners = [
        _credited_partners(declared, outcome, mine) for outcome, (_, mine) in zip(outcomes, evaluated, strict=True)
    ]
    evaluated = [_mark_placings(*each) for each in zip(outcomes, evaluated, partners, strict=True)]
    alone = [np.flatnonzero(partner < 0) for partner in partners]
    surplus = _SurplusClaims(
        declared=declared, outcomes=outcomes, sides=runs, rows=alone, evaluated=[of_run for _, of_run in evaluated]
    )
    size, total = len(key.claim), len(key.claim) + surplus.count
    verdicts = _CommonNames([each.verdicts for pair in evaluated for each in pair])
    written = tuple(rule.name for rule in rule_set.rules)
    rules = _CommonNames([written])
    tables: dict[str, list[Array]] = {"claimed": [], "credit": [], "earned": [], "verdict": [], "rule": []}
    for run, (of_key, of_run) in enumerate(evaluated):
        items, mine = size + surplus.number[run], surplus.rows[run]
        for name, values in _count_amounts(
            of_key, of_run=of_run, partner=partners[run], mine=mine, items=items, total=total
        ).items():
            tables[name].append(values)
        tables["verdict"].append(
            _combine_verdicts(total, names=verdicts, of_key=of_key, of_run=of_run, rows=mine, items=items)
        )
        rule = np.zeros(total, np.int64)
        rule[:size], rule[items] = rules.codes(of_key.rule, written), rules.codes(of_run.rule[mine], written)
        tables["rule"].append(rule)
    weights = _key_weights(declared, view, [of_key.weight for of_key, _ in evaluated], surplus.count)
    columns = {
        name: np.concatenate([getattr(key, name), surplus.column(name)])
        for name in ("document", "sentence", "place", "label", "claim")
    }
    return Items(
        document=columns["document"],
        sentence=columns["sentence"],
        place=columns["place"],
        label=columns["label"],
        names=names,
        positive=np.arange(total) < size,
        claimed=_simplify_claims(tables["claimed"]),
        credit=None if _credit_equals_claims(tables, size) else tuple(tables["credit"]),
        earned=None if all(map(_are_equal, tables["credit"], tables["earned"])) else tuple(tables["earned"]),
        weight=weights,
        claim=columns["claim"],
        outcomes=Outcomes(
            verdict=tuple(each.astype(code_type(len(verdicts.names))) for each in tables["verdict"]),
            verdicts=tuple(verdicts.names),
            rule=tuple(each.astype(code_type(len(rules.names))) for each in tables["rule"]),
            rules=tuple(rules.names),
            sources=_error_sources(verdicts, [each for pair in evaluated for each in pair])
            if declared.sources
            else None,
        ),
        by_run=None if declared.same == EXTENT else tuple(surplus.claims(run, size) for run in range(len(runs))),
    )


def _count_amounts(
    of_key: _SpanVerdicts, of_run: _SpanVerdicts, partner: Rows, mine: Rows, *, items: Rows, total: int
) -> dict[str, Array]:
    """Sum for each item the claims of a run, the credit they earn (precision), and the credit of key items (recall)."""
    paired = np.flatnonzero(partner >= 0)
    item, row = np.concatenate([partner[paired], items]), np.concatenate([paired, mine])
    credit = np.zeros(total)
    credit[: len(of_key.credit)] = of_key.credit * of_key.weight
    return {
        "claimed": np.bincount(item, of_run.weight[row], total),
        "earned": np.bincount(item, (of_run.credit * of_run.weight)[row], total),
        "credit": credit,
    }


def _key_weights(
    declared: View, view: str, weights: Sequence[NDArray[np.float64]], surplus: int
) -> tuple[NDArray[np.float64], ...] | None:
    """Collect the weight of each span of the key for each run; None if all weights are one.

    Weights that depend on the system are an error unless the view declares `per_system`.
    """
    if not declared.per_system and not all(_are_equal(weights[0], each) for each in weights):
        what = f"view {view!r}: the weight of a span of the key depends on the system"
        hint = "exclude spans of the key only by properties of the key, or set per_system = true"
        raise RuleError(what, hint=hint)
    if all((each == 1).all() for each in weights):
        return None
    return tuple(np.concatenate([each, np.zeros(surplus)]) for each in weights)


def _error_sources(verdicts: _CommonNames, evaluated: Sequence[_SpanVerdicts]) -> tuple[str, ...]:
    """Map each verdict, by common code, to the source of its error."""
    known = {name: source for each in evaluated for name, source in zip(each.verdicts, each.sources, strict=True)}
    return tuple(known.get(name, "") for name in verdicts.names)


def _are_equal(one: Array, other: Array) -> bool:
    return bool(np.array_equal(one, other))


def _simplify_claims(claimed: list[Array]) -> tuple[Array, ...]:
    """Convert claims to booleans if all are 0 or 1."""
    if all(((each == 0) | (each == 1)).all() for each in claimed):
        return tuple(each.astype(np.bool_) for each in claimed)
    return tuple(claimed)


def _credit_equals_claims(tables: Mapping[str, list[Array]], size: int) -> bool:
    """Whether the credit for each positive item equals the claims of it."""
    pairs = zip(tables["claimed"], tables["credit"], strict=True)
    return all(_are_equal(claimed[:size], credit[:size]) for claimed, credit in pairs)


def _combine_verdicts(
    total: int, names: _CommonNames, of_key: _SpanVerdicts, of_run: _SpanVerdicts, *, rows: Rows, items: Rows
) -> Array:
    verdict = np.zeros(total, np.int64)
    verdict[: len(of_key.verdict)] = names.codes(of_key.verdict, of_key.verdicts)
    verdict[items] = names.codes(of_run.verdict[rows], of_run.verdicts)
    return verdict


class _CommonNames:
    """Names with common codes; 0 means none."""

    def __init__(self, tables: Sequence[tuple[str, ...]]) -> None:
        self.names = ["", *sorted({name for names in tables for name in names if name})]
        self._codes = {name: code for code, name in enumerate(self.names)}

    def codes(self, codes: Codes, names: tuple[str, ...]) -> Rows:
        """Convert codes to common codes; a negative one means none."""
        table = np.array([self._codes[name] for name in (*names, "")], np.int64)
        return table[codes]


def _evaluate_view(rule_set: RuleSet, view: str, outcome: Outcome, table: str) -> _SpanVerdicts:
    declared, types = rule_set.views[view], rule_set.tables[table]
    codes = outcome.codes(table, declared.outcome)
    if len(codes) and codes.min() < 0:
        count = int((codes < 0).sum())
        what = f"the rule set {rule_set.name!r} leaves {count:,} {table} spans without an outcome in view {view!r}"
        raise RuleError(what, hint=f"add a last rule that sets {declared.outcome} where it is missing")
    weight = np.ones(len(codes))
    if declared.weight is not None:
        weight = np.nan_to_num(outcome.codes(table, declared.weight).astype(np.float64))
    reasons = outcome.codes(table, declared.left_out) if declared.left_out and declared.left_out in types else None
    if reasons is not None:
        weight = np.where(reasons >= 0, 0.0, weight)
    flags = None if declared.flag is None else outcome.codes(table, declared.flag)
    verdict, called = _number_verdicts(codes, reasons, flags)
    pool = outcome.state.pool.names
    plain = [pool[code] for code, *_ in called]
    if isinstance(declared.credit, str):
        credit = np.nan_to_num(outcome.codes(table, declared.credit).astype(np.float64))
    else:
        credit = np.array([declared.credit.get(name, 0.0) for name in plain], np.float64)[verdict]
    return _SpanVerdicts(
        verdict=verdict,
        verdicts=tuple(_format_verdict(pool, *each) for each in called),
        sources=tuple(
            "" if each[1] >= 0 else declared.sources.get(name, "") for name, each in zip(plain, called, strict=True)
        ),
        rule=outcome.rules(table, declared.outcome).astype(np.int64),
        credit=credit,
        weight=weight,
    )


def _number_verdicts(codes: Array, reasons: Array | None, flags: Array | None) -> tuple[Rows, list[list[int]]]:
    """Encode the distinct combinations of outcome, reason for exclusion and flag as numbers, and return these."""
    nothing = np.full(len(codes), -1, np.int64)
    columns = [codes.astype(np.int64), *(nothing if each is None else each for each in (reasons, flags))]
    (key,) = pack_columns([columns])
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return number, [[int(column[row]) for column in columns] for row in first.tolist()]


def _format_verdict(pool: Sequence[str], code: int, reason: int, flag: int) -> str:
    """Format an outcome with its flag and the reason for exclusion: `FP (fuzzy), left out: stop word`."""
    flagged = pool[code] if flag < 0 else f"{pool[code]} ({pool[flag]})"
    return flagged if reason < 0 else f"{flagged}, left out: {pool[reason]}"


def _mark_placings(
    outcome: Outcome, evaluated: tuple[_SpanVerdicts, _SpanVerdicts], partner: Rows
) -> tuple[_SpanVerdicts, _SpanVerdicts]:
    """Mark verdicts on items that quote the text and have doubtful positions: `FP (hallucinated)`, `TP (ambiguous)`."""
    codes = outcome.codes("system", "placing")
    marks = np.where(np.isin(codes, [outcome.state.pool.code(each) for each in _MARKED_PLACINGS]), codes, -1)
    if not (marks >= 0).any():
        return evaluated
    of_partner = np.full(len(evaluated[0].verdict), -1, np.int64)
    of_partner[partner[partner >= 0]] = marks[partner >= 0]
    found = []
    for each, mark in zip(evaluated, (of_partner, marks), strict=True):
        number, called = _number_verdicts(each.verdict, mark, None)
        names = (
            each.verdicts[code] + ("" if mark < 0 else f" ({outcome.state.pool.names[mark]})")
            for code, mark, _ in called
        )
        sources = tuple(each.sources[code] for code, *_ in called)
        found.append(replace(each, verdict=number, verdicts=tuple(names), sources=sources))
    return found[0], found[1]


def right_partners(rule_set: RuleSet, view: str, outcome: Outcome) -> Rows:
    """Find the key span that a view pairs with each system span and that makes it correct; -1 for none."""
    declared, evaluated = rule_set.views[view], _evaluate_view(rule_set, view, outcome, "system")
    if declared.partner is None:
        return np.full(len(evaluated.credit), -1, np.int64)
    pool, codes = outcome.state.pool, outcome.codes("system", declared.outcome)
    right = (evaluated.credit > 0) | np.isin(codes, [pool.code(name) for name in declared.right])
    return np.where(right, outcome.partners("system", declared.partner, "key"), -1)


def _credited_partners(declared: View, outcome: Outcome, evaluated: _SpanVerdicts) -> Rows:
    """Find the key span whose credit each system span shares; -1 for none."""
    if declared.partner is None:
        return np.full(len(evaluated.credit), -1, np.int64)
    partner = outcome.partners("system", declared.partner, "key")
    return np.where((evaluated.credit > 0) & (evaluated.weight > 0), partner, -1)


def _label_by_partner(declared: View, outcome: Outcome, key: Side, side: Side) -> Side:
    """Give each span that is paired with a span of the key the label of that span."""
    if declared.partner is None:
        raise AssertionError("a view without pairs has no labels of partners")
    partner = outcome.partners("system", declared.partner, "key")
    paired = np.flatnonzero(partner >= 0)
    label = side.label.copy()
    label[paired] = key.label[partner[paired]]
    return replace(side, label=label)


class _SurplusClaims:
    """The claims of runs that the key does not have; the same claim by two runs is one item.

    Args:
        declared: the view, which declares the columns that identify a claim.
        outcomes: the columns of each run.
        sides: the spans of each run.
        rows: the surplus spans of each run.
        evaluated: the verdicts on the spans of each run.

    """

    def __init__(
        self,
        declared: View,
        outcomes: Sequence[Outcome],
        sides: Sequence[Side],
        rows: list[Rows],
        *,
        evaluated: Sequence[_SpanVerdicts],
    ) -> None:
        self.rows, self.sides = rows, sides
        run = np.repeat(np.arange(len(rows)), [len(each) for each in rows])
        counting = np.concatenate([each.weight[mine] > 0 for each, mine in zip(evaluated, rows, strict=True)])
        keys = _distinguish_repeats(self._claim_numbers(declared, outcomes), run, counting)
        distinct, number = np.unique(keys, return_inverse=True)
        order = np.lexsort(
            (self._chosen("claim"), number)
        )  # the representative of an item must not depend on the order of runs
        first = order[np.searchsorted(number[order], np.arange(len(distinct)))]
        self.count = len(first)
        cuts = np.cumsum([len(each) for each in rows])[:-1]
        self.number = np.split(number, cuts)
        self._first = first

    def column(self, name: str) -> Array:
        """Return a column of the items, with the values of the first span that claims each."""
        return self._chosen(name)[self._first]

    def claims(self, run: int, size: int) -> Rows:
        """Find the span by which a run claims each item, after `size` items of the key; -1 for none."""
        found = np.full(size + self.count, -1, np.int64)
        found[size + self.number[run][::-1]] = self.sides[run].claim[self.rows[run]][::-1]  # the first of several
        return found

    def _claim_numbers(self, declared: View, outcomes: Sequence[Outcome]) -> Rows:
        """Encode claims as numbers; equal claims have equal numbers."""
        numbers = self._chosen("claim") if declared.same == EXTENT else self._pack_columns(declared.same, outcomes)
        if declared.label == "own":
            return numbers
        (keys,) = pack_columns([[numbers, self._chosen("label")]])
        return keys

    def _chosen(self, name: str) -> Array:
        """Return a column of the surplus spans of all runs."""
        return np.concatenate([getattr(side, name)[rows] for side, rows in zip(self.sides, self.rows, strict=True)])

    def _pack_columns(self, names: Sequence[str], outcomes: Sequence[Outcome]) -> Rows:
        """Encode the values of columns of the surplus spans as numbers."""
        columns = []
        for name in names:
            parts = []
            for outcome, rows in zip(outcomes, self.rows, strict=True):
                values = outcome.codes("system", name)[rows]
                parts.append(_decode_texts(outcome, values) if values.dtype == np.int32 else values)
            columns.append(np.unique(np.concatenate(parts), return_inverse=True)[1])
        (keys,) = pack_columns([columns])
        return keys


def _decode_texts(outcome: Outcome, codes: Array) -> Array:
    names = outcome.state.pool.names
    return np.array(["" if code < 0 else names[code] for code in codes.tolist()], dtype=object).astype(str)


def _distinguish_repeats(keys: Rows, run: Rows, counting: Truths) -> Rows:
    """Distinguish repeated claims of one run: the second of one run equals the second of another.

    Claims that a view leaves out come last, so that they do not shift the numbers of others.
    """
    order = np.lexsort((~counting, run, keys))
    same = np.zeros(len(keys), np.bool_)
    same[1:] = (keys[order][1:] == keys[order][:-1]) & (run[order][1:] == run[order][:-1])
    begins = np.flatnonzero(~same)
    rank = np.empty(len(keys), np.int64)
    rank[order] = np.arange(len(keys)) - np.repeat(begins, np.diff(np.append(begins, len(keys))))
    (numbers,) = pack_columns([[keys, rank]])
    return numbers


# The task `span`: rules evaluate each span, overlap sites show where systems differ.


CUTS = ("length",)
MEASURES = ("f1", "precision", "recall", "macro_f1", "document_f1")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Ruled:
    """The outcomes of the rules for the spans of each run.

    Args:
        placement: the spans that count, the key's first, then each run's.
        names: the labels by code, sorted.
        labels: the label of each span of each side.
        ids: the ids of each span of each side; empty if no rule uses them.
        engine: the compiled rules.
        outcomes: the outcomes for each run.
        notes: notes on the input.

    """

    placement: Placement
    names: tuple[str, ...]
    labels: Sequence[Codes]
    ids: Sequence[Ids]
    engine: Engine
    outcomes: Sequence[Outcome]
    notes: Sequence[Note]


def run_rules(aligned: Aligned, systems: Sequence[System], options: Options) -> Ruled:
    """Convert the spans of all sides to facts, and run the rules on each run and the key."""
    ruled = ruled_spans(*placed_labels(aligned, systems, options), options)
    notes = [*note_marked_spans(ruled, run_names(systems)), *_note_repeated_spans(aligned, ruled)]
    return replace(ruled, notes=[*ruled.notes, *notes])


def note_marked_spans(ruled: Ruled, runs: Sequence[str]) -> list[Note]:
    """Count the spans for which columns with a note are true; those of the key once, if they are the same for all."""
    found = []
    for table in ("key", "system"):
        for column, kind in ruled.engine.rule_set.tables[table].items():
            if kind.note:
                marked = [outcome.codes(table, column) for outcome in ruled.outcomes]
                if table == "key" and marked and all(_are_equal(marked[0], each) for each in marked):
                    found.append(Note("key", kind.note, int(marked[0].sum())))
                else:
                    found += [Note(run, kind.note, int(each.sum())) for run, each in zip(runs, marked, strict=True)]
    return [note for note in found if note.count]


REPEATED_SPANS = "spans given twice, with the same extent and label"


def _note_repeated_spans(aligned: Aligned, ruled: Ruled) -> list[Note]:
    """Note how many spans of each side repeat another: if rules use ids, also with the same ids."""
    notes = []
    for number, corpus in enumerate((aligned.key, *aligned.responses)):
        side = ruled.placement.sides[number]
        if corpus.spans is None or PLACING in side.columns or len(side) < 2:  # quotations have notes of their own
            continue
        columns = [side.document, side.begin, side.end, ruled.labels[number]]
        if ruled.ids:
            columns.append(ruled.ids[number].ranked.codes)
        if side.fragments is not None:
            columns.append(fragmentation_codes(len(side), side.fragments, number_fragmentations([side.fragments])))
        if not ruled.ids and side.fragments is None and not _have_equal_neighbours(side):
            continue
        (keys,) = pack_columns([columns])
        order = np.lexsort((side.given, keys))
        again = np.sort(side.given[order[1:][np.diff(keys[order]) == 0]])
        if len(again):
            counted = "false negative" if number == 0 else "false positive"
            what = f"{REPEATED_SPANS}{' and id' if ruled.ids else ''}; by exact match, each second one is a {counted}"
            notes.append(
                Note(corpus.name, what, len(again), first_places(corpus.source, corpus.spans.offset[again[:3]]))
            )
    return notes


def _have_equal_neighbours(side: PlacedSpans) -> bool:
    """Whether any span of a side, sorted by document and extent, has the extent of the one before."""
    same = (np.diff(side.document) == 0) & (np.diff(side.begin) == 0) & (np.diff(side.end) == 0)
    return bool(same.any())


def ruled_spans(placement: Placement, columns: Sequence[TextColumn], notes: Sequence[Note], options: Options) -> Ruled:
    """Run the rules on placed spans with normalised labels."""
    if options.rules is None:
        raise AssertionError("spans are evaluated by rules, and there are none")
    names, labels = recode_canonically(list(columns))
    engine = Engine(options.rules)
    ids = _ids_if_used(engine, placement, options)
    facts = [
        _build_facts(engine, placement=placement, number=number, labels=TextColumn(codes, names), ids=ids)
        for number, codes in enumerate(labels)
    ]
    outcomes = [
        engine.run({**each, **{f"key{name[6:]}": given for name, given in facts[0].items()}}, paranoid=options.paranoid)
        for each in facts[1:]
    ]
    return Ruled(
        placement=placement, names=names, labels=labels, ids=ids, engine=engine, outcomes=outcomes, notes=notes
    )


def placed_labels(
    aligned: Aligned, systems: Sequence[System], options: Options
) -> tuple[Placement, list[TextColumn], list[Note]]:
    """Place the spans of all sides, normalise their labels, and exclude labels that do not count."""
    placement = place_spans(aligned)
    columns, notes = _normalise_labels(placement, systems, run_names(systems), options)
    chosen, columns, left = _filter_labels(placement, columns, options)
    found = [*placement.notes, *notes, *left]
    if aligned.has_offsets:
        from comparanda.tasks.offset_checks import note_offsets

        found = [*note_offsets(aligned, placement), *found]
    return chosen, columns, found


def surface_forms(corpus: Corpus) -> frozenset[str]:
    """Collect the texts of the spans of a corpus, to determine which were seen in training."""
    placement = place_spans(align_responses(corpus, []))
    return frozenset(placement.texts(placement.sides[0]).names)


def evaluate_spans(aligned: Aligned, systems: Sequence[System], options: Options) -> Verdicts:
    """Evaluate spans by rules."""
    ruled = run_rules(aligned, systems, options)
    claims, rows = claims_of(
        aligned.key, placement=ruled.placement, names=ruled.names, labels=ruled.labels, train=options.train
    )
    views = views_of(aligned, ruled, claims, rows)
    notes = [*ruled.notes, *note_one_sided_labels(next(iter(views.values())), run_names(systems))]
    return verdicts_of(
        aligned,
        systems=systems,
        task="span",
        views=views,
        settings=settings_with_rules(aligned, ruled, options),
        notes=notes,
    )


def settings_with_rules(aligned: Aligned, ruled: Ruled, options: Options) -> dict[str, str]:
    """Describe, for the signature, how spans were evaluated."""
    return {
        **settings_of(options, aligned.key.evaluated),
        "rules": ruled.engine.rule_set.name,
        "positions": ruled.placement.unit,
        **({"same_ids": str(len(options.same_ids))} if options.same_ids else {}),
    }


def _normalise_labels(
    placement: Placement, systems: Sequence[System], runs: tuple[str, ...], options: Options
) -> tuple[list[TextColumn], list[Note]]:
    columns = [side.label for side in placement.sides]
    return apply_label_maps(columns, ["key", *runs], systems, options, several=False)


def _filter_labels(
    placement: Placement, columns: list[TextColumn], options: Options
) -> tuple[Placement, list[TextColumn], list[Note]]:
    """Exclude spans by label on every side, if an option asks for it."""
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
    """Build the predicate for labels whose spans count; None where all count."""
    if not (options.only or options.ignore):
        return None
    fold = str.casefold if options.fold_case else str
    only, ignore = ({fold(label) for label in labels} for labels in (options.only, options.ignore))
    return lambda label: label not in ignore and (not only or label in only)


def left_out_note(gone: int) -> list[Note]:
    """Note how many spans are excluded by label."""
    return [Note("all", "spans left out by their label, on all sides", gone)] if gone else []


def _ids_if_used(engine: Engine, placement: Placement, options: Options) -> list[Ids]:
    """Parse the ids of all sides if a rule uses them."""
    return all_ids(placement, options) if looks_at_ids(engine) else []


def looks_at_ids(engine: Engine) -> bool:
    """Whether rules use the ids of spans."""
    tables = ("system", "key", "system_ids", "key_ids")
    return any(engine.uses(table, column) for table in tables for column in ("id", "of"))


def all_ids(placement: Placement, options: Options) -> list[Ids]:
    """Parse the ids of all sides, the key's first."""
    return [
        ids_of(side.columns.get("id"), len(side), options.same_ids, key=number == 0)
        for number, side in enumerate(placement.sides)
    ]


_COMPUTED_COLUMNS = ("text", "id", "word_begin", "word_end")
"""The columns of rules that are computed here: an input column of this name does not count."""


def _build_facts(
    engine: Engine, placement: Placement, number: int, labels: TextColumn, *, ids: Sequence[Ids]
) -> dict[str, Facts]:
    """Convert the spans of one side and their ids to facts; texts are included only if a rule uses them."""
    side = placement.sides[number]
    columns: dict[str, Column] = {"doc": side.document, "begin": side.begin, "end": side.end, "label": labels}
    types = [engine.rule_set.tables[table] for table in ("system", "key")]
    for name, column in side.columns.items():
        if not any(name in each and each[name].settable for each in types):  # only rules may set verdicts
            columns.setdefault(name, column)
    for name in _COMPUTED_COLUMNS:
        columns.pop(name, None)
    if any(engine.uses(table, column) for table in ("system", "key") for column in ("word_begin", "word_end")):
        columns["word_begin"], columns["word_end"] = placement.word_extents(side)
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


def _locate_sides(claims: Claims, labels: Sequence[Codes], rows: Sequence[Rows]) -> list[Side]:
    """Locate the spans of each side."""
    return [
        Side(
            claim=each,
            document=claims.document[each],
            sentence=claims.sentence[each],
            place=claims.place[each],
            label=codes,
        )
        for each, codes in zip(rows, labels, strict=True)
    ]


def views_of(aligned: Aligned, ruled: Ruled, claims: Claims, rows: Sequence[Rows]) -> dict[str, VerdictsView]:
    """Build a view for each of the rule set's; with several, the first reports the measures of all."""
    rule_set, sides = ruled.engine.rule_set, _locate_sides(claims, ruled.labels, rows)
    main = MEASURES if aligned.key.documents.marked else MEASURES[:-1]
    several = len(rule_set.views) > 1
    views: dict[str, VerdictsView] = {}
    for name in rule_set.views:
        items = items_of(rule_set, view=name, outcomes=ruled.outcomes, sides=sides, names=ruled.names)
        measures = tuple(f"{name}.{each}" for each in main) if several else main
        views[name] = VerdictsView(
            name=name, given_sites=None, measures=measures, given_items=items, cuts=CUTS, claims=claims
        )
    first = next(iter(views))
    views[first] = replace(views[first], measures=tuple(each for view in views.values() for each in view.measures))
    return views


SPAN = Task(
    name="span",
    summary="labelled spans, such as named entities: BIO tags or offsets, evaluated by rules",
    shape="tokens",
    column=None,
    evaluate=evaluate_spans,
    layer="spans",
    policies=frozenset({"same_ids"}),
    rules="exact",
)

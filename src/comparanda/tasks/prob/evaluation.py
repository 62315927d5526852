"""Evaluation of probabilistic entities: hard output, tuples, statistics, and the task `prob`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.align import RowMap
from comparanda.core.candidates import Candidates
from comparanda.core.places import Note, make_read_error
from comparanda.core.probabilities import EPSILON, certain_beliefs
from comparanda.core.sites import recode_canonically
from comparanda.core.text_columns import TextColumn, code_type
from comparanda.errors import UsageError
from comparanda.tasks.label_maps import note_one_sided_labels
from comparanda.tasks.prob.calibration import BINS, bin_of, log_losses
from comparanda.tasks.prob.measures import (
    CAPTURED,
    DECIDED,
    ENTITIES,
    LOSS,
    MASS,
    REPORTED,
    RIGHT,
    SQUARED,
    bin_statistics,
)
from comparanda.tasks.spans.evaluation import (
    claims_of,
    counting_labels,
    left_out_note,
    placed_labels,
    ruled_spans,
    settings_with_rules,
    views_of,
)
from comparanda.tasks.spans.keys import with_spans_of
from comparanda.tasks.task import Task
from comparanda.tasks.word_sites import run_names, units_of, verdicts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.align import Aligned
    from comparanda.align.span_positions import PlacedSpans, Placement
    from comparanda.core.claims import Claims
    from comparanda.core.corpus import Corpus
    from comparanda.core.probabilities import Beliefs, Decide, Worlds
    from comparanda.core.probabilities import Floats as ModelFloats
    from comparanda.core.text_columns import Codes, Rows, Truths
    from comparanda.core.verdicts import System, Units, Verdicts
    from comparanda.tasks.task import Options

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Decided:
    """A hard output.

    Args:
        chosen: whether each tuple is in it.
        tied: for each block, whether its two best options were equally probable.

    """

    chosen: Truths
    tied: Truths

    @property
    def ties(self) -> int:
        """The number of blocks whose two best options were equally probable."""
        return int(np.count_nonzero(self.tied))


def decide_blocks(beliefs: Beliefs, preference: Rows, how: Decide = "tuple", min_weight: float = 0.0) -> Decided:
    """Choose the tuple with the largest w of each block, or nothing if that is more probable (DEFINITIONS 9).

    Args:
        beliefs: the tuples, block by block.
        preference: the rank of each tuple in ties: longer spans first, then earlier ones, then by label.
        how: by the weights of tuples, or the most probable span first and then its best label, as in the thesis.
        min_weight: the smallest weight to choose.

    """
    chosen = np.zeros(len(beliefs), np.bool_)
    by_span = how == "hierarchical"
    weight = np.round(beliefs.weight, 9)
    rivals = np.round(beliefs.entity, 9) if by_span else weight
    keys = (
        (_reduce_by_span(beliefs, preference, np.minimum), -_reduce_by_span(beliefs, weight, np.maximum))
        if by_span
        else ()
    )
    order = np.lexsort((preference, -weight, *keys, -rivals, beliefs.block))
    filled = np.flatnonzero(np.diff(beliefs.offsets) > 0)
    best = order[beliefs.offsets[filled]]
    there = beliefs.exclusive[filled] & (rivals[best] >= beliefs.nothing[filled] - EPSILON) & (weight[best] > 0)
    chosen[best[there]] = True
    tied = np.zeros(len(beliefs.nothing), np.bool_)
    tied[filled[there]] = _find_ties(beliefs, rivals=rivals, weight=weight, best=best, filled=filled)[there]
    if beliefs.worlds is not None:
        rows, level = _find_best_worlds(beliefs.worlds)
        chosen[rows] = True
        tied[level] = True
    return Decided(chosen & (beliefs.weight >= min_weight - EPSILON), tied)


def _reduce_by_span(beliefs: Beliefs, values: ModelFloats | Rows, which: np.ufunc) -> ModelFloats:
    """Compute for each tuple the minimum or maximum over the tuples of its span."""
    start = np.inf if which is np.minimum else -np.inf
    found = np.full(int(beliefs.alternative.max(initial=-1)) + 1, start)
    which.at(found, beliefs.alternative, values)
    return found[beliefs.alternative]


def _find_ties(beliefs: Beliefs, rivals: ModelFloats, weight: ModelFloats, best: Rows, *, filled: Rows) -> Truths:
    """Determine for each block with tuples whether another option, or nothing, is as probable as the best.

    When deciding by spans, other spans are rivals of the best one, and its other labels are rivals of its label.
    """
    of_best = best[np.searchsorted(filled, beliefs.block)]
    other = (np.abs(rivals - rivals[of_best]) < EPSILON) & (beliefs.alternative != beliefs.alternative[of_best])
    other |= (np.abs(weight - weight[of_best]) < EPSILON) & (beliefs.alternative == beliefs.alternative[of_best])
    counts = np.bincount(beliefs.block[other & (weight > 0)], minlength=len(beliefs.nothing))[filled]
    return (counts > 1) | (np.abs(rivals[best] - beliefs.nothing[filled]) < EPSILON)


def _find_best_worlds(worlds: Worlds) -> tuple[Rows, list[int]]:
    """Find the tuples of the most probable world of each block, the first in ties, and the blocks with ties."""
    rows: list[int] = []
    tied: list[int] = []
    bounds = np.flatnonzero(np.diff(worlds.block, prepend=-1)).tolist()
    likely = np.where(np.diff(worlds.offsets) > 0, worlds.probability, 0.0)  # all worlds without tuples are the same
    for begin, end in zip(bounds, [*bounds[1:], len(worlds)], strict=True):
        probability = likely[begin:end]
        best = begin + int(np.argmax(np.round(probability, 9)))
        top = float(likely[best])
        rest = 1.0 - float(probability.sum())
        if top < rest - EPSILON:
            continue
        if (np.abs(probability - top) < EPSILON).sum() > 1 or abs(rest - top) < EPSILON:
            tied.append(int(worlds.block[begin]))
        rows += worlds.member[worlds.offsets[best] : worlds.offsets[best + 1]].tolist()
    return np.array(rows, np.int64), tied


# The tuples of all runs on the text of the key: which the key has, and which are in the hard output.


@dataclass(frozen=True, eq=False, kw_only=True)
class Gathered:
    """The spans and tuples of all sides on the text of the key.

    Args:
        placement: the spans that count: the key's, then each run's hard output.
        names: the labels by code.
        columns: the labels of these spans.
        claims: the key's spans and all tuples of all runs.
        candidates: the tuples of each run.
        notes: notes on the input.

    """

    placement: Placement
    names: tuple[str, ...]
    columns: list[TextColumn]
    claims: Claims
    candidates: tuple[Candidates, ...]
    notes: list[Note]


def gather_tuples(aligned: Aligned, systems: Sequence[System], options: Options) -> Gathered:
    """Order tuples by block, determine which are correct, and decide.

    Labels that do not count are dropped after the decision: until then they compete with others.
    """
    placement, columns, notes = placed_labels(aligned, systems, replace(options, only=(), ignore=()))
    names, labels = recode_canonically(columns)
    claims, numbers = claims_of(aligned.key, placement, names, labels)
    once, twice = _drop_duplicates(aligned.key, numbers[0])
    notes += twice
    sides, codes, candidates = [placement.sides[0].take(once)], [labels[0][once]], []
    for corpus, side, label, number in zip(
        aligned.responses, placement.sides[1:], labels[1:], numbers[1:], strict=True
    ):
        rows, beliefs, note = _order_by_block(corpus, side, number)
        notes += note
        mine = side.take(rows)
        candidates.append(
            _build_candidates(
                claims,
                number=number[rows],
                side=mine,
                label=label[rows],
                names=names,
                placement=placement,
                beliefs=beliefs,
                options=options,
            )
        )
        hard = np.flatnonzero(candidates[-1].decided)
        sides.append(mine.take(hard))
        codes.append(label[rows][hard])
    placed = replace(placement, sides=tuple(sides))
    hard_columns = [TextColumn(each, names) for each in codes]
    return _filter_labels(
        Gathered(
            placement=placed,
            names=names,
            columns=hard_columns,
            claims=claims,
            candidates=tuple(candidates),
            notes=notes,
        ),
        options,
    )


def _filter_labels(found: Gathered, options: Options) -> Gathered:
    """Drop the spans and tuples whose labels do not count."""
    counts = counting_labels(options)
    if counts is None:
        return found
    keep = np.array([counts(name) for name in found.names], np.bool_)
    names = tuple(name for name, kept in zip(found.names, keep, strict=True) if kept)
    code = np.maximum(np.cumsum(keep) - 1, 0).astype(code_type(len(names)))  # codes of the labels that remain

    def left(label: Codes) -> Rows:
        return np.flatnonzero(keep[label])

    rows = [left(column.codes) for column in found.columns]
    sides = tuple(side.take(mine) for side, mine in zip(found.placement.sides, rows, strict=True))
    columns = [TextColumn(code[column.codes[mine]], names) for column, mine in zip(found.columns, rows, strict=True)]
    claims = found.claims.take(left(found.claims.label))
    candidates = tuple(each.take(left(each.label)) for each in found.candidates)
    gone = len(found.columns[0]) - len(rows[0])
    gone += sum(len(every) - len(some) for every, some in zip(found.candidates, candidates, strict=True))
    return Gathered(
        placement=replace(found.placement, sides=sides),
        names=names,
        columns=columns,
        claims=replace(claims, label=code[claims.label], names=names),
        candidates=tuple(replace(each, label=code[each.label], names=names) for each in candidates),
        notes=[*found.notes, *left_out_note(gone)],
    )


def _order_by_block(corpus: Corpus, side: PlacedSpans, number: Rows) -> tuple[Rows, Beliefs, list[Note]]:
    """List the tuples of a run block by block, each once, and the probabilities assigned to them.

    Blocks are in the order of the key's documents, regardless of their order in the run's file, so that parts of a
    corpus can be concatenated. Equal tuples of one block, such as those whose labels were mapped to the same one, are
    merged, and their weights added.
    """
    if corpus.beliefs is None:
        rows, notes = _drop_duplicates(corpus, number)
        return rows, certain_beliefs(len(rows)), notes
    mine = corpus.beliefs.take(side.given)
    order = np.lexsort((number, mine.block, side.document))
    again = np.flatnonzero((np.diff(number[order]) == 0) & (np.diff(mine.block[order]) == 0)) + 1
    if len(again):
        mine, order = _merge_duplicates(mine, order, again)
    _refuse_two_blocks(corpus, side.given[order], number[order])
    found = mine.take(order).numbered()
    if found.worlds is not None and len(found) < len(corpus.beliefs):  # worlds that differed may be equal now
        worlds = found.worlds.distinct()
        found = replace(found, worlds=worlds if len(worlds) else None)
    return order, found, []


def _drop_duplicates(corpus: Corpus, number: Rows) -> tuple[Rows, list[Note]]:
    """Find the first of equal spans, all of them certain."""
    first = np.sort(np.unique(number, return_index=True)[1])
    twice = len(number) - len(first)
    return first, [Note(corpus.name, "spans given more than once, counted once", twice)] if twice else []


def _merge_duplicates(beliefs: Beliefs, order: Rows, again: Rows) -> tuple[Beliefs, Rows]:
    """Add the weights of duplicate tuples to those of the first ones, which remain."""
    new = np.ones(len(order), np.bool_)
    new[again] = False
    kept = order[new]
    stands_for = np.empty(len(order), np.int64)
    stands_for[order] = kept[np.cumsum(new) - 1]
    weight = np.bincount(stands_for, beliefs.weight, len(order)).astype(np.float64)
    worlds = beliefs.worlds
    if worlds is not None:
        where, member = np.unique(np.stack([worlds.world, stands_for[worlds.member]]), axis=1)  # once in each world
        sizes = np.bincount(where, minlength=len(worlds))
        worlds = replace(worlds, offsets=np.concatenate([[0], np.cumsum(sizes)]), member=member)
        several = np.bincount(stands_for, minlength=len(order)) > 1
        together = np.bincount(member, worlds.probability[where], len(order))
        weight = np.where(several & ~beliefs.exclusive[beliefs.block], together, weight)
    return replace(beliefs, weight=weight, worlds=worlds), kept


def _refuse_two_blocks(corpus: Corpus, given: Rows, number: Rows) -> None:
    """Raise an error for a tuple in two blocks, which would not be independent."""
    order = np.argsort(number, kind="stable")
    twice = order[1:][np.diff(number[order]) == 0]
    if len(twice) and corpus.spans is not None:
        spans, row = corpus.spans, int(given[twice].min())
        what = f"the span {int(spans.begin[row])} to {int(spans.end[row])} with the label {spans.label[row]!r}"
        hint = "blocks are independent of each other: put spans that exclude each other into one"
        raise make_read_error(corpus.source, int(spans.offset[row]), f"{what} is in two blocks", hint=hint)


def _build_candidates(
    claims: Claims,
    number: Rows,
    side: PlacedSpans,
    label: Codes,
    *,
    names: tuple[str, ...],
    placement: Placement,
    beliefs: Beliefs,
    options: Options,
) -> Candidates:
    """Determine which tuples the key has, and decide."""
    rank = np.empty(len(side), np.int64)
    rank[np.lexsort((label, side.begin, side.begin - side.end))] = np.arange(len(side))
    decided = decide_blocks(beliefs, rank, options.decide, options.min_weight)
    return Candidates(
        document=claims.document[number],
        sentence=claims.sentence[number],
        place=claims.place[number],
        width=claims.width[number],
        begin=claims.begin[number],
        end=claims.end[number],
        label=label,
        names=names,
        text=placement.texts(side),
        correct=claims.key[number] > 0,
        decided=decided.chosen,
        beliefs=beliefs,
        tied=decided.tied,
    )


# Sums over tuples for each unit and run: the statistics of the measures of probabilistic entities.


def unit_rows(table: Candidates | Claims, units: Units) -> NDArray[np.int32]:
    """Return the unit of each row."""
    if units.of_document is not None:
        return units.of_document[table.document]
    return table.document if units.kind == "document" else table.sentence


def statistics_of(gathered: Gathered, units: Units) -> dict[str, Floats]:
    """Sum over the tuples of each unit and run."""
    claims = gathered.claims
    unit = unit_rows(claims, units).astype(np.int64)
    in_key = np.flatnonzero(claims.key > 0)
    runs = [_run_statistics(each, unit_rows(each, units), units.count) for each in gathered.candidates]
    found = {name: np.stack([each[name] for each in runs], axis=1) for name in (runs[0] if runs else ())}
    for label, rows in _group_by_label(claims.label[in_key], gathered.names, in_key):
        counts = np.bincount(unit[rows], minlength=units.count).astype(np.float64)
        found[f"{ENTITIES}{label}"] = np.repeat(counts[:, None], len(runs), axis=1)
    return dict(sorted(found.items()))  # in an order that does not depend on the labels in use


def _group_by_label(codes: Codes, names: tuple[str, ...], rows: Rows) -> list[tuple[str, Rows]]:
    """Group rows: all, and those of each label, with the suffix for names of statistics."""
    return [("", rows), *((f"[{name}]", rows[codes == code]) for code, name in enumerate(names))]


def _run_statistics(run: Candidates, unit: NDArray[np.int32], size: int) -> dict[str, Floats]:
    """Sum over the tuples of one run."""
    weight, right = run.beliefs.weight, run.correct.astype(np.float64)

    def summed(rows: Rows, values: NDArray[np.floating[Any]]) -> Floats:
        return np.bincount(unit[rows], values[rows], size).astype(np.float64)

    found = {}
    for label, rows in _group_by_label(run.label, run.names, np.arange(len(run))):
        found[f"{MASS}{label}"] = summed(rows, weight)
        found[f"{RIGHT}{label}"] = summed(rows, weight * right)
        found[f"{CAPTURED}{label}"] = summed(rows, (run.correct & (weight > 0)).astype(np.float64))
    hard = np.flatnonzero(run.decided)
    found[SQUARED] = summed(hard, (weight - right) ** 2)
    found[LOSS] = summed(hard, log_losses(weight, run.correct))
    found[DECIDED] = summed(hard, np.ones(len(run)))
    number = bin_of(weight)
    for each in range(BINS):
        rows = hard[number[hard] == each]
        for name, values in zip(bin_statistics(each), (np.ones(len(run)), weight, right), strict=True):
            found[name] = summed(rows, values)
    return found


# The task `prob`: the hard output is evaluated like spans, and expected counts are added.


VIEW = "decided"


def evaluate_beliefs(aligned: Aligned, systems: Sequence[System], options: Options) -> Verdicts:
    """Evaluate probabilistic entities."""
    _refuse_several_views(options)
    gathered = gather_tuples(aligned, systems, options)
    ruled = ruled_spans(gathered.placement, gathered.columns, gathered.notes, options)
    claims, rows = claims_of(
        aligned.key, placement=ruled.placement, names=ruled.names, labels=ruled.labels, train=options.train
    )
    ((_, view),) = views_of(aligned, ruled, claims, rows).items()
    view = replace(
        view,
        name=VIEW,
        measures=(*view.measures, *REPORTED),
        statistics=statistics_of(gathered, units_of(aligned.key)),
        candidates=gathered.candidates,
    )
    settings = {
        **settings_with_rules(aligned, ruled, options),
        "decide": options.decide,
        **({"min_weight": f"{options.min_weight:g}"} if options.min_weight else {}),
        **policies_of(aligned, systems),
    }
    notes = [*ruled.notes, *note_one_sided_labels(view, run_names(systems))]
    return verdicts_of(aligned, systems=systems, task="prob", views={VIEW: view}, settings=settings, notes=notes)


def _refuse_several_views(options: Options) -> None:
    """Raise UsageError for rules with several views: a tuple is correct, and has a probability, in only one sense."""
    rules = options.rules
    if rules is not None and len(rules.views) > 1:
        what = f"the rules {rules.name!r} have several views: {', '.join(rules.views)}"
        raise UsageError(
            f"{what}; the task prob needs a single view", hint="use rules with a single view, such as exact"
        )


def policies_of(aligned: Aligned, systems: Sequence[System]) -> dict[str, str]:
    """Describe the policies of the probabilities: for all runs at once where they agree."""
    found: dict[str, dict[str, str]] = {}
    for name, corpus in zip(run_names(systems), aligned.responses, strict=True):
        for policy, value in ({} if corpus.beliefs is None else corpus.beliefs.policies).items():
            found.setdefault(policy, {})[name] = value
    described = {}
    for policy, values in found.items():
        if len({*values.values()}) == 1:
            described[policy] = next(iter(values.values()))
        else:
            described |= {f"{policy}[{name}]": value for name, value in values.items()}
    return described


PROB = Task(
    name="prob",
    summary="probabilistic entities: hard and expected precision and recall, calibration, feedback",
    shape="tokens",
    column=None,
    evaluate=evaluate_beliefs,
    layer="beliefs",
    policies=frozenset({"decide", "min_weight", "beliefs"}),
    rules="exact",
)


# Hard outputs as ordinary spans, for voting and for use in place of the key.


def hard_outputs(aligned: Aligned, systems: Sequence[System], options: Options) -> Aligned:
    """Reduce the system outputs to the spans of their hard outputs, on the documents and words of the key.

    They keep the labels of their input; of labels that a label map merges, the first.
    """
    hard = gather_tuples(aligned, systems, options).placement
    responses = tuple(
        replace(with_spans_of(aligned.key, hard, side), name=corpus.name, notes=corpus.notes)
        for corpus, side in zip(aligned.responses, hard.sides[1:], strict=True)
    )
    count = len(responses)
    maps, segments = tuple(RowMap() for _ in range(count)), (None,) * count
    return replace(aligned, responses=responses, maps=maps, segments=segments)

"""The four kinds of probabilistic records: `entities`, `blocks`, `nbest` and `tokens`, each read as tuples."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.core.blocks import ALMOST_ONE, TOO_MANY, Scored, make_blocks
from comparanda.core.places import format_weight
from comparanda.core.probabilities import EPSILON, OTHER, SLACK, Beliefs, Worlds, first_equals, independent_beliefs
from comparanda.core.text_columns import TextColumn
from comparanda.errors import ReadError
from comparanda.formats.chunks import NO_LABEL, OUTSIDE, Spelling, decode_tags, detect_scheme
from comparanda.formats.probabilistic_records import (
    BEGINS,
    BLOCK_SHAPE,
    ENDS,
    LABELS,
    LOGS,
    Analysis,
    Flat,
    Token,
    Tuples,
    concatenate_spans,
    first_of,
    merge_tuples,
    read_column,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from comparanda.core.blocks import Refuse
    from comparanda.core.probabilities import Aggregate, Floats, Policies
    from comparanda.core.text_columns import Rows
    from comparanda.formats.probabilistic_records import Records


def read_entities(records: Records, numbers: Sequence[int], policies: Policies) -> Tuples:
    """Read the entities of some records that have the same policies.

    The probabilities of several labels of an entity are scores of the tuples; there is no residual.
    """
    given = [(number, records.documents[number].entities or []) for number in numbers]
    sizes = np.array([len(spans) for _, spans in given], np.int64)
    owner = np.repeat(np.arange(len(given)), sizes)
    first = np.cumsum(sizes) - sizes
    record = np.array(numbers, np.int64)[owner]

    def path(span: int) -> str:
        return f"entities[{span - int(first[owner[span]])}]"

    flat = concatenate_spans(records, [span for _, spans in given for span in spans], record, path)
    span = flat.span
    scored = Scored(
        document=record[span],
        begin=flat.begin[span],
        end=flat.end[span],
        label=TextColumn.of(flat.label).codes.astype(np.int64),
        weight=flat.entity[span] * flat.share,
    )
    refuse = make_refusal(records, scored, flat.label, lambda row: path(int(span[row])))
    return build_tuples(
        records,
        scored=scored,
        label=flat.label,
        policies=policies,
        refuse=refuse,
        path=lambda row: path(int(span[row])),
        texts=flat.texts(),
    )


def build_tuples(
    records: Records,
    scored: Scored,
    label: list[str],
    policies: Policies,
    *,
    refuse: Refuse,
    path: Callable[[int], str],
    texts: dict[int, str],
) -> Tuples:
    """Build tuples from scores according to the policies, and note those that were left out."""
    found = make_blocks(scored, policies.overlap, policies.semantics, refuse)
    if len(found.left_out):
        what = TOO_MANY + format_weight(records.source, float(scored.weight[found.left_out].sum()))
        records.note(what, scored.document[found.left_out])
    rows = found.rows
    return Tuples(
        record=scored.document[rows],
        begin=scored.begin[rows],
        end=scored.end[rows],
        label=[label[row] for row in rows.tolist()],
        beliefs=found.beliefs,
        text={number: texts[row] for number, row in enumerate(rows.tolist()) if row in texts} if texts else {},
        called=lambda row: path(int(rows[row])),
    )


def make_refusal(records: Records, scored: Scored, label: list[str], path: Callable[[int], str]) -> Refuse:
    """Build the function that makes the error for some tuples: located at the record of the first, listing all."""

    def refuse(rows: Rows, what: str, hint: str) -> ReadError:
        shown = [
            f"{path(row)}: {scored.begin[row]} to {scored.end[row]}, {label[row]} {scored.weight[row]:g}"
            for row in rows[:_MAX_SHOWN].tolist()
        ]
        details = [*shown, *([f"and {len(rows) - _MAX_SHOWN} more"] if len(rows) > _MAX_SHOWN else [])]
        return records.refuse(int(scored.document[rows[0]]), what, details=details, hint=hint)

    return refuse


_MAX_SHOWN = 4


# Records with `blocks`: mutually exclusive alternatives, and the residual probability of their labels.


_OVERLAP_HINT = (
    "choose how to read them: ?overlap=condition, scale or independent; by default, these exclude each other"
)
_APART_HINT = "put spans that exclude each other into one block: blocks are independent of each other"
_LABELS_HINT = "if several labels can be correct, use ?semantics=independent or ?overlap=scale: by default only one can"


def read_blocks(records: Records, numbers: Sequence[int], policies: Policies) -> Tuples:
    """Read the blocks of some records that have the same policies; worlds have their probabilities in any case."""
    found = _read_alternatives(records, numbers, policies)
    worlds = list(_worlds_of_blocks(records, numbers))
    if not worlds:
        return found
    found = merge_tuples([found, _read_lists(records, worlds, {})])
    _refuse_in_two_blocks(records, found)
    return found


def _worlds_of_blocks(records: Records, numbers: Sequence[int]) -> Iterator[_AnalysisList]:
    """Yield the worlds of the blocks that have them; refuse blocks with both worlds and alternatives, or neither."""
    every = [*chain.from_iterable(records.documents[number].blocks or () for number in numbers)]
    if [*map(attrgetter("worlds"), every)].count(None) == len(every) and None not in map(
        attrgetter("alternatives"), every
    ):
        return
    for number in numbers:
        for index, block in enumerate(records.documents[number].blocks or ()):
            path = f"blocks[{index}]"
            if block.alternatives is None and block.worlds is None:
                raise records.refuse(number, f"missing 'alternatives' in {path!r}", hint=BLOCK_SHAPE)
            if block.worlds is None:
                continue
            if block.alternatives is not None:
                hint = "give alternatives if the spans exclude each other, otherwise worlds"
                raise records.refuse(number, f"{path!r} has both 'alternatives' and 'worlds'", hint=hint)
            for inner, world in enumerate(block.worlds):
                if world.spans is None or world.tags is not None:
                    what = f"expected 'spans' in '{path}.worlds[{inner}]', got {'tags' if world.tags else 'none'}"
                    raise records.refuse(number, what, hint=_ANALYSIS_SHAPE)
            yield _AnalysisList(number, block.worlds, f"{path}.worlds")


def _refuse_in_two_blocks(records: Records, tuples: Tuples) -> None:
    """Refuse a tuple that occurs in two blocks."""
    first = first_equals(tuples.record, tuples.begin, tuples.end, TextColumn.of(tuples.label).codes)
    again = np.flatnonzero(first != np.arange(len(first)))
    if len(again):
        row, other = int(again[0]), int(first[again[0]])
        what = f"{tuples.called(row)!r} with the label {tuples.label[row]!r} is also in {tuples.called(other)!r}"
        raise records.refuse(int(tuples.record[row]), what, hint=_APART_HINT)


def _read_alternatives(records: Records, numbers: Sequence[int], policies: Policies) -> Tuples:
    """Read the blocks of alternatives."""
    flat, block = _flatten_blocks(records, numbers)
    if policies.semantics == "exclusive":
        flat = _apply_residual(_check_label_sums(records, flat, policies), policies)
    flat = replace(flat, entity=_apply_overlap(records, flat, block, policies))
    same = first_equals(flat.record, flat.begin, flat.end)
    weight, rows = flat.entity[flat.span] * flat.share, np.arange(len(flat.span))
    if (same != np.arange(len(same))).any():
        weight, rows = _merge_equal_tuples(records, flat, block, same)
    beliefs = _block_beliefs(flat, block=block, rows=rows, weight=weight[rows], policies=policies)
    span, texts = flat.span[rows], flat.texts()
    return Tuples(
        record=flat.record[span],
        begin=flat.begin[span],
        end=flat.end[span],
        label=flat.label if len(rows) == len(flat.label) else [flat.label[row] for row in rows.tolist()],
        beliefs=beliefs,
        text={number: texts[row] for number, row in enumerate(rows.tolist()) if row in texts} if texts else {},
        called=lambda row: flat.path(int(span[row])),
    )


def _flatten_blocks(records: Records, numbers: Sequence[int]) -> tuple[Flat, Rows]:
    """Concatenate the alternatives of all blocks that have them; return them and the block of each."""
    given = [records.documents[number].blocks or () for number in numbers]
    counts = np.fromiter(map(len, given), np.int64, len(given))
    owner, place = np.repeat(np.arange(len(given)), counts), np.arange(counts.sum())
    place -= np.repeat(np.cumsum(counts) - counts, counts)
    every = list(chain.from_iterable(given))
    several = [*map(attrgetter("alternatives"), every)]
    worlds = [*map(attrgetter("worlds"), every)]
    if worlds.count(None) < len(every) or several.count(None):
        kept = [number for number, each in enumerate(worlds) if each is None]
        owner, place, several = owner[kept], place[kept], [several[number] or [] for number in kept]
    sizes = np.fromiter(map(len, several), np.int64, len(several))
    block, first = np.repeat(np.arange(len(several)), sizes), np.cumsum(sizes) - sizes

    def path(span: int) -> str:
        number = int(block[span])
        return f"blocks[{place[number]}].alternatives[{span - int(first[number])}]"

    record = np.array(numbers, np.int64)[owner][block]
    return concatenate_spans(records, list(chain.from_iterable(several)), record, path), block


def _check_label_sums(records: Records, flat: Flat, policies: Policies) -> Flat:
    """Check that the labels of each span sum to at most one; scale them down if the policy allows it, else refuse."""
    total = np.bincount(flat.span, flat.share, len(flat.begin))
    over = np.flatnonzero(total > 1 + SLACK)
    if len(over) and policies.overlap != "scale":
        span = int(over[0])
        what = f"the labels of {flat.path(span)!r} have probabilities that sum to {total[span]:g}"
        raise records.refuse(int(flat.record[span]), what, hint=_LABELS_HINT)
    return replace(flat, share=flat.share / np.maximum(total, 1.0)[flat.span])


def _apply_residual(flat: Flat, policies: Policies) -> Flat:
    """Assign the residual probability of the labels of each span as the policy says; 'drop' leaves it unassigned."""
    total = np.bincount(flat.span, flat.share, len(flat.begin))
    if policies.residual == "renormalise":
        return replace(flat, share=flat.share / np.where(total > 0, total, 1.0)[flat.span])
    less = np.flatnonzero(total < 1 - EPSILON)
    if policies.residual == "drop" or not len(less):
        return flat
    span = np.concatenate([flat.span, less])
    order = np.argsort(span, kind="stable")
    label = [*flat.label, *[OTHER] * len(less)]
    share = np.concatenate([flat.share, 1 - total[less]])
    return replace(flat, span=span[order], label=[label[row] for row in order.tolist()], share=share[order])


def _apply_overlap(records: Records, flat: Flat, block: Rows, policies: Policies) -> Floats:
    """Return span probabilities that sum to at most one in each block, as the policy says; refuse others."""
    if policies.overlap == "independent":
        return flat.entity
    if policies.overlap == "condition":
        return _condition_on_exclusion(records, flat, block)
    total = np.bincount(block, flat.entity)
    over = np.flatnonzero(total > 1 + SLACK)
    if len(over) and policies.overlap != "scale":
        number, path = _locate_block(flat, block, int(over[0]))
        raise records.refuse(
            number, f"the spans of {path!r} have probabilities that sum to {total[over[0]]:g}", hint=_OVERLAP_HINT
        )
    return flat.entity / np.maximum(total, 1.0)[block]


def _condition_on_exclusion(records: Records, flat: Flat, block: Rows) -> Floats:
    """Condition independent span probabilities on at most one span of each block being present."""
    certain = np.bincount(block, flat.entity >= ALMOST_ONE)
    if (certain > 1).any():
        number, path = _locate_block(flat, block, int((certain > 1).argmax()))
        hint = "remove one, or use ?overlap=independent if both can be present"
        raise records.refuse(number, f"two spans of {path!r} are certain, and exclude each other", hint=hint)
    capped = np.minimum(flat.entity, ALMOST_ONE)
    odds = capped / (1 - capped)
    found = odds / (1 + np.bincount(block, odds))[block]
    return np.where(np.bincount(block)[block] > 1, found, flat.entity)


def _locate_block(flat: Flat, block: Rows, number: int) -> tuple[int, str]:
    """Return the record of a block and the path to the block."""
    first = int(np.searchsorted(block, number))
    return int(flat.record[first]), flat.path(first).partition(".")[0]


def _merge_equal_tuples(records: Records, flat: Flat, block: Rows, same: Rows) -> tuple[Floats, Rows]:
    """Add the weights of equal tuples of a block; return them and the first row of each; refuse them in two blocks."""
    first = first_equals(same[flat.span], TextColumn.of(flat.label).codes)
    again = np.flatnonzero(first != np.arange(len(first)))
    apart = again[block[flat.span[again]] != block[flat.span[first[again]]]]
    if len(apart):
        row = int(apart[0])
        span, other = int(flat.span[row]), int(flat.span[first[row]])
        what = f"{flat.path(span)!r} with the label {flat.label[row]!r} is also in {flat.path(other)!r}"
        raise records.refuse(int(flat.record[span]), what, hint=_APART_HINT)
    weight = np.bincount(first, flat.entity[flat.span] * flat.share, len(first)).astype(np.float64)
    return weight, np.flatnonzero(first == np.arange(len(first)))


def _block_beliefs(flat: Flat, block: Rows, rows: Rows, weight: Floats, *, policies: Policies) -> Beliefs:
    """Build the probabilities of the remaining tuples."""
    if policies.overlap == "independent":
        return independent_beliefs(weight)
    span = flat.span[rows]
    if policies.semantics == "independent":
        label = TextColumn.of(flat.label)
        _, number = np.unique(block[span] * (len(label.names) + 1) + label.codes[rows], return_inverse=True)
        return Beliefs(
            weight=weight,
            entity=weight,
            alternative=np.arange(len(rows)),
            block=number,
            nothing=np.maximum(1 - np.bincount(number, weight), 0.0),
        )
    one = first_equals(block, flat.begin, flat.end)  # equal spans of a block count as one
    entity = np.bincount(one, flat.entity, len(one)).astype(np.float64)
    nothing = np.maximum(1 - np.bincount(block, flat.entity), 0.0)
    return Beliefs(weight=weight, entity=entity[one[span]], alternative=one[span], block=block[span], nothing=nothing)


# Records with `nbest`: the n best analyses of a text, of which at most one is correct; a block with worlds.


Tuple = tuple[int, int, str]
"""The begin, the end and the label of a span."""


@dataclass(slots=True)
class _Analyses:
    """The analyses of one record.

    Args:
        number: the record.
        tuples: the distinct spans of all analyses, each with the path of its first occurrence.
        worlds: the sets of spans that are true together, with their probabilities; equal analyses are merged.

    """

    number: int
    tuples: dict[Tuple, str] = field(default_factory=dict)
    worlds: dict[frozenset[Tuple], float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _AnalysisList:
    """Analyses of which at most one is correct: all of a record, or the worlds of a block.

    Args:
        number: the record.
        given: the analyses.
        path: the path to them, for messages.
        coverage: their total probability, if the record states it.

    """

    number: int
    given: Sequence[Analysis]
    path: str
    coverage: float | None = None


def read_nbest(records: Records, numbers: Sequence[int], _: Policies) -> Tuples:
    """Read the n-best lists of some records; only the policy for the scale affects them."""
    documents = ((number, records.documents[number]) for number in numbers)
    lists = [_AnalysisList(number, document.nbest or (), "nbest", document.coverage) for number, document in documents]
    return _read_lists(records, lists, _decode_tagged(records, numbers))


def _read_lists(
    records: Records, lists: Sequence[_AnalysisList], tagged: Mapping[tuple[int, int], list[Tuple]]
) -> Tuples:
    """Read lists of analyses, each as a block with worlds."""
    found = [_read_analyses(records, each, tagged) for each in lists]
    found = [each for each in found if each.tuples]
    every = [each for one in found for each in one.tuples]
    paths = [path for one in found for path in one.tuples.values()]
    return Tuples(
        record=np.repeat(np.array([one.number for one in found], np.int64), [len(one.tuples) for one in found]),
        begin=np.array([begin for begin, _, _ in every], np.int64),
        end=np.array([end for _, end, _ in every], np.int64),
        label=[label for _, _, label in every],
        beliefs=_analysis_beliefs(found),
        text={},
        called=lambda row: paths[row],
    )


def _read_analyses(records: Records, listed: _AnalysisList, tagged: Mapping[tuple[int, int], list[Tuple]]) -> _Analyses:
    """Read one list of analyses."""
    number = listed.number
    found = _Analyses(number)
    weights = _analysis_probabilities(records, listed).tolist()
    for index, (analysis, probability) in enumerate(zip(listed.given, weights, strict=True)):
        path = f"{listed.path}[{index}]"
        spans = (
            tagged[number, index] if analysis.spans is None else _read_analysis_spans(records, number, path, analysis)
        )
        for inner, each in enumerate(spans):
            found.tuples.setdefault(each, f"{path}.spans[{inner}]")
        world = frozenset(spans)
        found.worlds[world] = found.worlds.get(world, 0.0) + probability
    return found


def _analysis_beliefs(found: Sequence[_Analyses]) -> Beliefs:
    """Build one block from each list of analyses."""
    worlds = _build_worlds(found)
    block = np.repeat(np.arange(len(found)), [len(one.tuples) for one in found])
    spans: dict[tuple[int, int, int], int] = {}
    for number, one in enumerate(found):
        for begin, end, _ in one.tuples:
            spans.setdefault((number, begin, end), len(spans))
    each = ((number, begin, end) for number, one in enumerate(found) for begin, end, _ in one.tuples)
    alternative = np.fromiter((spans[span] for span in each), np.int64, len(block))
    weight = np.bincount(worlds.member, worlds.probability[worlds.world], len(block)).astype(np.float64)
    world, span = np.divmod(np.unique(worlds.world * (len(spans) + 1) + alternative[worlds.member]), len(spans) + 1)
    entity = np.bincount(span, worlds.probability[world], len(spans)).astype(np.float64)
    nothing = np.clip(1.0 - np.bincount(worlds.block, worlds.probability, len(found)), 0.0, 1.0)
    return Beliefs(
        weight=weight,
        entity=entity[alternative],
        alternative=alternative,
        block=block,
        nothing=nothing,
        worlds=worlds if len(worlds) else None,
    )


def _build_worlds(found: Sequence[_Analyses]) -> Worlds:
    """Build the worlds of the possible analyses that contain a span, the most probable first.

    Analyses without spans are left to the probability of nothing. Ties are broken by covering more text, then by
    earlier spans, so that the order of the list has no influence.
    """
    listed: list[tuple[int, list[int], float]] = []
    base = 0
    for number, one in enumerate(found):
        place = {each: base + row for row, each in enumerate(one.tuples)}
        possible = [(p, sorted(world)) for world, p in one.worlds.items() if world and p > 0]
        possible.sort(key=lambda each: (-round(each[0], 9), -sum(end - begin for begin, end, _ in each[1]), each[1]))
        listed += [(number, [place[each] for each in spans], p) for p, spans in possible]
        base += len(place)
    sizes = [len(rows) for _, rows, _ in listed]
    return Worlds(
        np.array([number for number, _, _ in listed], np.int64),
        np.array([p for _, _, p in listed], np.float64),
        np.cumsum([0, *sizes], dtype=np.int64),
        np.array([row for _, rows, _ in listed for row in rows], np.int64),
    )


def _read_analysis_spans(records: Records, number: int, path: str, analysis: Analysis) -> list[Tuple]:
    """Return the spans of one analysis."""
    found: list[Tuple] = []
    for inner, span in enumerate(analysis.spans or ()):
        given = span if isinstance(span, tuple) else tuple(first_of(span, names) for names in (BEGINS, ENDS, LABELS))
        begin, end, label = given
        for name, value in (("start", begin), ("end", end), ("label", label)):
            if value is None or (name == "label" and not value.strip()):
                raise records.refuse(number, f"'{path}.spans[{inner}]' has no {name!r}", hint=_ANALYSIS_SHAPE)
        found.append((begin, end, label))
    return found


_ANALYSIS_SHAPE = 'write an analysis like this: {"logp": -0.1, "spans": [[0, 2, "PER"]]}'


def _analysis_probabilities(records: Records, listed: _AnalysisList) -> Floats:
    """Return the probability of each analysis of a list: as given, or normalised from log probabilities."""
    number, given, path, coverage = listed.number, listed.given, listed.path, listed.coverage
    if coverage is not None and not 0 <= coverage <= 1:
        raise records.refuse(number, f"'coverage' is {coverage:g}, which is not between 0 and 1")
    logs: list[float | None] = [first_of(each, LOGS) for each in given]
    record = np.full(len(given), number)
    scores = records.read_scores(given, record, lambda index: f"{path}[{index}]")
    if any(each is not None for each in logs):
        _refuse_mixed_scores(records, listed, logs, scores)
        return _normalise_logs(records, listed, np.array(logs, np.float64)) * (1.0 if coverage is None else coverage)
    if None in scores and len(given) > 1:
        what = f"'{path}[{scores.index(None)}]' has neither 'logp' nor 'p'"
        raise records.refuse(number, what, hint=_ANALYSIS_SHAPE)
    found = records.probabilities(scores, record, lambda index: f"{path}[{index}].{records.score_field(given[index])}")
    total = float(found.sum())
    if coverage is not None:
        return found * (coverage / total) if total else found
    if total > 1 + SLACK:
        hint = "if these are not probabilities, give log scores as 'logp', or the total mass of the list as 'coverage'"
        raise records.refuse(number, f"the analyses of {path!r} have probabilities that sum to {total:g}", hint=hint)
    return found / max(total, 1.0)


def _refuse_mixed_scores(
    records: Records, listed: _AnalysisList, logs: Sequence[float | None], scores: Sequence[float | None]
) -> None:
    """Refuse n-best lists where only some analyses have a log probability, or one has both it and a probability."""
    for index, (log, score) in enumerate(zip(logs, scores, strict=True)):
        if log is None or score is not None:
            what = "has no 'logp', but others do" if log is None else "has both a logarithm and a probability"
            raise records.refuse(listed.number, f"'{listed.path}[{index}]' {what}", hint=_ANALYSIS_SHAPE)


def _normalise_logs(records: Records, listed: _AnalysisList, logs: Floats) -> Floats:
    """Normalise log scores to probabilities that sum to one (softmax)."""
    wrong = np.flatnonzero(np.isnan(logs) | (logs == np.inf))
    if len(wrong):
        what = f"'{listed.path}[{wrong[0]}].logp' is {logs[wrong[0]]:g}, which is not a logarithm"
        raise records.refuse(listed.number, what)
    if not np.isfinite(logs).any():
        what = f"the analyses of {listed.path!r} are all impossible: their logarithms are minus infinity"
        raise records.refuse(listed.number, what)
    found = np.exp(logs - logs.max())
    relative: Floats = found / found.sum()
    return relative


def _decode_tagged(records: Records, numbers: Sequence[int]) -> dict[tuple[int, int], list[Tuple]]:
    """Decode the spans of the analyses that have one tag per word."""
    tagged = list(_tagged_analyses(records, numbers))
    if not tagged:
        return {}
    tag_column = TextColumn.of([tag for _, _, tags in tagged for tag in tags])
    cuts = np.cumsum([0, *(len(tags) for _, _, tags in tagged)])
    sentences = np.unique(cuts)
    try:
        scheme = detect_scheme(tag_column, sentences).scheme
    except ReadError as problem:
        raise records.refuse(tagged[0][0], f"'nbest[].tags': {problem.what}", hint=problem.hint) from None
    found: dict[tuple[int, int], list[Tuple]] = {(number, index): [] for number, index, _ in tagged}
    spans = decode_tags(tag_column, sentences, scheme, "conlleval")
    if len(spans.defects):
        records.note(
            f"tags of analyses that break {scheme.upper()}, counted as conlleval does", numbers, len(spans.defects)
        )
    owner = np.searchsorted(cuts, spans.begin, side="right") - 1
    for begin, end, mine, label in zip(
        spans.begin.tolist(), spans.end.tolist(), owner.tolist(), spans.label.values(), strict=True
    ):
        number, index, _ = tagged[mine]
        found[number, index].append((begin - int(cuts[mine]), end - int(cuts[mine]), label or ""))
    return found


def _tagged_analyses(records: Records, numbers: Sequence[int]) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the analyses that have tags, each with its record and its index there."""
    for number in numbers:
        words = records.words(number)
        for index, analysis in enumerate(records.documents[number].nbest or ()):
            if (analysis.spans is None) == (analysis.tags is None):
                what = "has neither 'spans' nor 'tags'" if analysis.spans is None else "has both 'spans' and 'tags'"
                raise records.refuse(number, f"'nbest[{index}]' {what}", hint=_ANALYSIS_SHAPE)
            if analysis.tags is None:
                continue
            if records.unit != "tokens":
                hint = 'set "unit": "token", or give the words in "tokens"'
                raise records.refuse(
                    number, f"'nbest[{index}].tags' are of words, but offsets count characters", hint=hint
                )
            if words is not None and len(words) != len(analysis.tags):
                what = f"'nbest[{index}]' has {len(analysis.tags)} tags, but there are {len(words)} words"
                raise records.refuse(number, what, hint="give one tag per word")
            yield number, index, analysis.tags


# From tag probabilities of tokens to candidate spans.
#
# A span of a label begins with one tag and continues with another. If tokens were independent of each other, its
# probability would be the product of those of its tags, times the probability that it neither starts earlier nor
# continues. Overlapping spans then exclude each other, so these weights never sum to more than one.


TagScheme = Literal["bio", "bioes", "io"]
"""The tagging scheme: B and I; B, I, E and S; or I alone."""

LETTERS: dict[TagScheme, str] = {"bio": "BI", "bioes": "BIES", "io": "I"}


@dataclass(frozen=True, eq=False, slots=True)
class Spans:
    """Spans of one label.

    Args:
        begin: the first token of each.
        end: the token after its last one.
        weight: the weight of each.

    """

    begin: Rows
    end: Rows
    weight: Floats


@dataclass(frozen=True, eq=False, slots=True)
class FoundSpans:
    """The spans found in the tags of one label.

    Args:
        spans: those that reach the floor.
        rest: the number of spans below the floor; all continuations of a pruned prefix count as one.
        mass: the total weight of those.

    """

    spans: Spans
    rest: int
    mass: float


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _OpenSpans:
    """Spans that are being extended token by token.

    Args:
        begin: the first token of each.
        product: the probability of its tags so far, times that of not having begun earlier.
        tags: the product of the probabilities of its tags only.
        least: the smallest probability of its tags.
        total: their sum.

    """

    begin: Rows
    product: Floats
    tags: Floats
    least: Floats
    total: Floats

    def take(self, rows: Rows) -> _OpenSpans:
        return _OpenSpans(
            begin=self.begin[rows],
            product=self.product[rows],
            tags=self.tags[rows],
            least=self.least[rows],
            total=self.total[rows],
        )

    def extend(self, tag: Floats) -> _OpenSpans:
        """Extend the spans by one token, given the probability of its tag."""
        return _OpenSpans(
            begin=self.begin,
            product=self.product * tag,
            tags=self.tags * tag,
            least=np.minimum(self.least, tag),
            total=self.total + tag,
        )

    def weight(self, aggregate: Aggregate, size: int, closed: Floats) -> Floats:
        """Return the weights of spans of this length, given the probability that they end here."""
        if aggregate == "product":
            return self.product * closed
        if aggregate == "geometric":
            return self.tags ** (1 / size)
        return self.least if aggregate == "min" else self.total / size


def spans_of(
    tags: dict[str, Floats], scheme: TagScheme, stops: Rows, aggregate: Aggregate, *, floor: float
) -> FoundSpans:
    """Find the spans of one label whose product reaches the floor.

    Whatever the aggregate, a span is retained if its *product* reaches the floor: the other aggregates would retain
    every prefix of a span as well.

    Args:
        tags: the probability of the label's tag with each letter, for all tokens.
        scheme: what the letters mean.
        stops: the end of the sentence of each token.
        aggregate: how token probabilities are combined to the weight of a span.
        floor: less probable spans are left out.

    """
    walk = _SpanSearch(tags, scheme, stops)
    found: list[Spans] = []
    rest, mass = 0, 0.0
    for size, ended, pruned in walk.search(floor):
        closed = walk.end_probability(ended.begin + size)
        product = ended.product * closed
        enough = (product >= floor) & (product > 0)
        weight = ended.weight(aggregate, size, closed)
        found.append(Spans(ended.begin[enough], ended.begin[enough] + size, weight[enough]))
        little = product[~enough & (product > 0)]
        rest += len(little) + len(pruned)
        mass += float(little.sum() + pruned.sum())
    return FoundSpans(
        Spans(*(np.concatenate([getattr(each, name) for each in found]) for name in _COLUMNS)), rest, mass
    )


_COLUMNS = ("begin", "end", "weight")


class _SpanSearch:
    """A search for spans, extending them from their first tokens."""

    def __init__(self, tags: dict[str, Floats], scheme: TagScheme, stops: Rows) -> None:
        self.scheme = scheme
        self.stops = stops
        inside = tags["I"]
        self.inside = inside
        self.first = inside if scheme == "io" else tags["B"]
        self.single, self.last = (tags["S"], tags["E"]) if scheme == "bioes" else (self.first, inside)

    def start_probability(self) -> Floats:
        """Return, for each token, the probability that a span containing it does not contain the previous token."""
        free = np.ones(len(self.inside))
        if self.scheme == "io":
            continued = np.flatnonzero(self.stops[1:] == self.stops[:-1]) + 1
            free[continued] = 1 - self.inside[continued - 1]
        return free

    def end_probability(self, after: Rows) -> Floats:
        """Return the probability that spans ending before some tokens do not continue with them."""
        if self.scheme == "bioes":
            return np.ones(len(after))
        ended = after == self.stops[after - 1]
        return np.where(ended, 1.0, 1 - self.inside[np.where(ended, 0, after)])

    def search(self, floor: float) -> Iterator[tuple[int, _OpenSpans, Floats]]:
        """Yield, for each length, the length, the spans that end there, and the weights of those that are pruned."""
        opening = self.start_probability()
        every = np.arange(len(opening))
        start = _OpenSpans(
            begin=every,
            product=opening,
            tags=np.ones(len(every)),
            least=np.ones(len(every)),
            total=np.zeros(len(every)),
        )
        active, ended = start.extend(self.first), start.extend(self.single)
        size = 1
        while True:
            follow = (active.product >= floor) & (active.product > 0)
            ends = ended if self.scheme == "bioes" else ended.take(np.flatnonzero(follow))  # else by the same tag
            yield size, ends, active.product[~follow & (active.product > 0)]
            active = active.take(np.flatnonzero(follow))
            active = active.take(np.flatnonzero(active.begin + size < self.stops[active.begin]))
            if not len(active.begin):
                return
            token = active.begin + size
            ended, active = active.extend(self.last[token]), active.extend(self.inside[token])
            size += 1


# Records with `tokens` and tag probabilities: the candidate spans.


ROUNDED = 0.01
"""The tolerance for tag probabilities of a token that exceed one by rounding; they are divided by their sum."""

_EQUIVALENT_LETTERS = {"M": "I", "L": "E", "U": "S", "W": "S"}
"""Letters of other schemes, with their equivalents."""


@dataclass(frozen=True, eq=False, slots=True)
class _TokenRows:
    """The concatenated tokens of some records.

    Args:
        record: the record of each.
        inner: its index there.
        stop: the token after the last one of its record.
        given: the probabilities of its tags.

    """

    record: Rows
    inner: Rows
    stop: Rows
    given: list[Mapping[str, float]]

    def path(self, token: int) -> str:
        """Return the path to a token, for messages."""
        return f"tokens[{self.inner[token]}]"


def read_tokens(records: Records, numbers: Sequence[int], policies: Policies) -> Tuples:
    """Read candidate spans from the tag probabilities of tokens, in records that have the same policies."""
    rows = _flatten_tokens(records, numbers)
    token = np.repeat(np.arange(len(rows.given)), np.fromiter(map(len, rows.given), np.int64, len(rows.given)))
    tags = list(chain.from_iterable(rows.given))
    values = [value for each in rows.given for value in each.values()]

    def path(number: int) -> str:
        return f"{rows.path(int(token[number]))}.{tags[number]}"

    share = _normalise_shares(records, rows, token, records.probabilities(values, rows.record[token], path))
    scheme, labels = _read_tags(records)
    found = _find_label_spans(labels, scheme=scheme, token=token, tags=tags, share=share, rows=rows, policies=policies)
    names = sorted(found)
    label = [name for name in names for _ in range(len(found[name].spans.begin))]
    begin, end, weight = (
        np.concatenate([np.zeros(0, kind), *(getattr(found[name].spans, side) for name in names)])
        for side, kind in (("begin", np.int64), ("end", np.int64), ("weight", np.float64))
    )
    _note_left_out(records, found.values(), policies)
    order = np.lexsort((end, begin))
    begin, end, weight, label = begin[order], end[order], weight[order], [label[row] for row in order.tolist()]
    code = np.searchsorted(names, label) if names else np.zeros(0, np.int64)
    first, last = _span_offsets(records, rows, begin, end)
    scored = Scored(document=rows.record[begin], begin=first, end=last, label=code, weight=weight)

    def span(row: int) -> str:
        return f"tokens[{rows.inner[begin[row]]}]"

    return build_tuples(
        records,
        scored=scored,
        label=label,
        policies=policies,
        refuse=make_refusal(records, scored, label, span),
        path=span,
        texts={},
    )


def _flatten_tokens(records: Records, numbers: Sequence[int]) -> _TokenRows:
    """Concatenate the tokens of records."""
    given = [_read_distributions(records, number) for number in numbers]
    sizes = np.array(list(map(len, given)), np.int64)
    first = np.cumsum(sizes) - sizes
    record = np.repeat(np.array(numbers, np.int64), sizes)
    inner = np.arange(len(record)) - np.repeat(first, sizes)
    return _TokenRows(record, inner, np.repeat(first + sizes, sizes), list(chain.from_iterable(given)))


def _read_distributions(records: Records, number: int) -> list[Mapping[str, float]]:
    """Return the tag probabilities of each token of a record."""
    document = records.documents[number]
    separate = document.dist if document.dist is not None else document.probs
    if separate is None:
        found: list[Mapping[str, float]] = []
        for index, token in enumerate(document.tokens or ()):
            each = None if isinstance(token, str) else token.dist if token.probs is None else token.probs
            if each is None:
                hint = 'write a token like this: {"start": 0, "end": 4, "probs": {"B-PER": 0.7, "O": 0.3}}'
                raise records.refuse(number, f"'tokens[{index}]' has no 'probs'", hint=hint)
            found.append(each)
        return found
    words = records.words(number)
    if words is not None and len(words) != len(separate):
        what = f"there are {len(words)} tokens, but {len(separate)} distributions of tags"
        raise records.refuse(number, what, hint="give one distribution per token")
    return list(separate)


def _normalise_shares(records: Records, rows: _TokenRows, token: Rows, share: Floats) -> Floats:
    """Normalise tag probabilities that sum to more than one by rounding; refuse larger sums."""
    total = np.bincount(token, share, len(rows.given))
    over = np.flatnonzero(total > 1 + ROUNDED)
    if len(over):
        number = int(over[0])
        what = f"the tags of {rows.path(number)!r} have probabilities that sum to {total[number]:g}"
        raise records.refuse(
            int(rows.record[number]), what, hint="the probabilities of the tags of a token must sum to at most 1"
        )
    more = np.flatnonzero(total > 1)
    if len(more):
        what = "tokens whose tag probabilities sum to more than one by rounding, normalised"
        records.note(what, rows.record[more])
    return share / np.maximum(total, 1.0)[token]


def _read_tags(records: Records) -> tuple[TagScheme, dict[str, tuple[str, str]]]:
    """Detect the tagging scheme of an input; return it, and the letter and the label of each tag but O."""
    numbers = records.with_content("tokens")
    names = {tag for number in numbers for each in _read_distributions(records, number) for tag in each}
    spelling = Spelling.of(sorted(names))
    found: dict[str, tuple[str, str]] = {}
    for tag in sorted(names - OUTSIDE):
        match = None if spelling.bare else spelling.pattern.fullmatch(tag)
        if match is None and not spelling.bare:
            raise _tag_error(records, numbers, tag)
        letter = match["letter"] if match else "I"
        found[tag] = _EQUIVALENT_LETTERS.get(letter, letter), (match["label"] or NO_LABEL) if match else tag
    letters = {letter for letter, _ in found.values()}
    scheme: TagScheme = "bioes" if letters & {"E", "S"} else "io" if letters == {"I"} else "bio"
    records.scheme = scheme
    return scheme, found


def _tag_error(records: Records, numbers: Sequence[int], tag: str) -> ReadError:
    """Make the error for an invalid chunk tag."""
    every = (
        (number, index, each) for number in numbers for index, each in enumerate(_read_distributions(records, number))
    )
    record, inner = next((number, index) for number, index, each in every if tag in each)
    what = f"'tokens[{inner}]' has the tag {tag!r}, which neither begins nor continues a span"
    return records.refuse(record, what, hint="use tags like B-PER, I-PER and O, or also E- and S-")


def _find_label_spans(
    labels: Mapping[str, tuple[str, str]],
    scheme: TagScheme,
    token: Rows,
    tags: Sequence[str],
    *,
    share: Floats,
    rows: _TokenRows,
    policies: Policies,
) -> dict[str, FoundSpans]:
    """Find the spans of each label in the tags."""
    names = sorted(labels)
    number = {tag: code for code, tag in enumerate(names)}
    code = np.fromiter((number.get(tag, -1) for tag in tags), np.int64, len(tags))
    order = np.argsort(code, kind="stable")
    first = np.searchsorted(code[order], np.arange(len(names) + 1))
    found = {}
    for label in sorted({label for _, label in labels.values()}):
        columns = {letter: np.zeros(len(rows.given)) for letter in LETTERS[scheme]}
        for tag in names:
            letter, mine = labels[tag]
            if mine == label:
                here = order[first[number[tag]] : first[number[tag] + 1]]
                columns[letter] += np.bincount(token[here], share[here], len(rows.given))
        found[label] = spans_of(
            columns, scheme=scheme, stops=rows.stop, aggregate=policies.aggregate, floor=policies.floor
        )
    return found


def _note_left_out(records: Records, found: Collection[FoundSpans], policies: Policies) -> None:
    """Note the number and the weight of spans below the floor."""
    rest, mass = (sum(getattr(each, name) for each in found) for name in ("rest", "mass"))
    if rest:
        what = f"spans of tokens less probable than {policies.floor:g} left out; {format_weight(records.source, mass)}"
        records.note(what, (), rest)


def _span_offsets(records: Records, rows: _TokenRows, begin: Rows, end: Rows) -> tuple[Rows, Rows]:
    """Convert spans of tokens to the offsets that the records use."""
    if records.unit == "tokens":
        return rows.inner[begin], rows.inner[end - 1] + 1
    given = [token for number in np.unique(rows.record).tolist() for token in records.documents[number].tokens or ()]
    sides = [read_column([each for each in given if isinstance(each, Token)], names) for names in (BEGINS, ENDS)]
    for places, name in zip(sides, ("start", "end"), strict=True):
        if len(places) < len(given) or None in places:
            number = 0 if len(places) < len(given) else places.index(None)
            raise records.refuse(int(rows.record[number]), f"{rows.path(number)!r} has no {name!r}")
    return np.array(sides[0], np.int64)[begin], np.array(sides[1], np.int64)[end - 1]

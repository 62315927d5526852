"""Records with `nbest`: the n best analyses of a text, of which at most one is right: a block with worlds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.model import Beliefs, Worlds
from comparanda.beliefs.scales import SLACK
from comparanda.columns import TextColumn
from comparanda.errors import ReadError
from comparanda.read.probabilistic.records import Tuples
from comparanda.read.probabilistic.shapes import BEGINS, ENDS, LABELS, LOGS, Analysis, first_of
from comparanda.read.schemes import decode, detect

if TYPE_CHECKING:
    from comparanda.beliefs.model import Floats
    from comparanda.beliefs.policies import Policies
    from comparanda.read.probabilistic.records import Records

Tuple = tuple[int, int, str]
"""Where a span begins and ends, and its label."""


@dataclass(slots=True)
class _Read:
    """The analyses of one record.

    Args:
        number: the record.
        tuples: the spans of all analyses, each once, with where they stand first.
        worlds: which of them are true together, and how probable that is; equal analyses are one.

    """

    number: int
    tuples: dict[Tuple, str] = field(default_factory=dict)
    worlds: dict[frozenset[Tuple], float] = field(default_factory=dict)


def nbest(records: Records, numbers: Sequence[int], _: Policies) -> Tuples:
    """Read the n best analyses of some records; no policy but the scale has an effect on them."""
    tagged = _by_tags(records, numbers)
    found = [_read(records, number, tagged) for number in numbers]
    found = [each for each in found if each.tuples]
    every = [each for one in found for each in one.tuples]
    ways = [way for one in found for way in one.tuples.values()]
    return Tuples(
        np.repeat(np.array([one.number for one in found], np.int64), [len(one.tuples) for one in found]),
        np.array([begin for begin, _, _ in every], np.int64),
        np.array([end for _, end, _ in every], np.int64),
        [label for _, _, label in every],
        _beliefs(found),
        {},
        lambda row: ways[row],
    )


def _read(records: Records, number: int, tagged: dict[tuple[int, int], list[Tuple]]) -> _Read:
    """Read the analyses of one record."""
    given = records.documents[number].nbest or []
    found = _Read(number)
    weights = _weights(records, number).tolist()
    for index, (analysis, probability) in enumerate(zip(given, weights, strict=True)):
        spans = tagged[number, index] if analysis.spans is None else _spans(records, number, index, analysis)
        for inner, each in enumerate(spans):
            found.tuples.setdefault(each, f"nbest[{index}].spans[{inner}]")
        world = frozenset(spans)
        found.worlds[world] = found.worlds.get(world, 0.0) + probability
    return found


def _beliefs(found: Sequence[_Read]) -> Beliefs:
    """Make a block of the analyses of each record."""
    worlds = _worlds(found)
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
    return Beliefs(weight, entity[alternative], alternative, block, nothing, worlds if len(worlds) else None)


def _worlds(found: Sequence[_Read]) -> Worlds:
    """Return the analyses that hold a span and are possible, the most probable first; what is missing is nothing.

    Of equally probable ones the first is that which covers more text, then that whose spans come earlier: the order of
    the list says nothing.
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


def _spans(records: Records, number: int, index: int, analysis: Analysis) -> list[Tuple]:
    """Return the spans of one analysis."""
    found: list[Tuple] = []
    for inner, span in enumerate(analysis.spans or ()):
        given = span if isinstance(span, tuple) else tuple(first_of(span, names) for names in (BEGINS, ENDS, LABELS))
        begin, end, label = given
        for name, value in (("start", begin), ("end", end), ("label", label)):
            if value is None or (name == "label" and not value.strip()):
                raise records.refuse(number, f"'nbest[{index}].spans[{inner}]' has no {name!r}", hint=_SHAPE)
        found.append((begin, end, label))
    return found


_SHAPE = 'an analysis is written like this: {"logp": -0.1, "spans": [[0, 2, "PER"]]}'


def _weights(records: Records, number: int) -> Floats:
    """Return how probable each analysis of a record is: what is given, or by the logarithms, relative to each other."""
    document = records.documents[number]
    given = document.nbest or []
    coverage = document.coverage
    if coverage is not None and not 0 <= coverage <= 1:
        raise records.refuse(number, f"'coverage' is {coverage:g}, which is not between 0 and 1")
    logs: list[float | None] = [first_of(each, LOGS) for each in given]
    record = np.full(len(given), number)
    scores = records.scored(given, record, lambda index: f"nbest[{index}]")
    if any(each is not None for each in logs):
        _refuse_mixed(records, number, logs, scores)
        return _relative(records, number, np.array(logs, np.float64)) * (1.0 if coverage is None else coverage)
    if None in scores and len(given) > 1:
        what = f"'nbest[{scores.index(None)}]' has no 'logp' and no 'p'"
        raise records.refuse(number, what, hint=_SHAPE)
    found = records.probabilities(scores, record, lambda index: f"nbest[{index}].{records.score_in(given[index])}")
    total = float(found.sum())
    if coverage is not None:
        return found * (coverage / total) if total else found
    if total > 1 + SLACK:
        hint = "if these are no probabilities, give their logarithms as 'logp', or the mass of the list as 'coverage'"
        raise records.refuse(number, f"the analyses of 'nbest' have probabilities that sum to {total:g}", hint=hint)
    return found / max(total, 1.0)


def _refuse_mixed(records: Records, number: int, logs: Sequence[float | None], scores: Sequence[float | None]) -> None:
    """Refuse analyses some of which have a logarithm, and others none, or that have both."""
    for index, (log, score) in enumerate(zip(logs, scores, strict=True)):
        if log is None or score is not None:
            what = "has no 'logp', as others have" if log is None else "has both a logarithm and a probability"
            raise records.refuse(number, f"'nbest[{index}]' {what}", hint=_SHAPE)


def _relative(records: Records, number: int, logs: Floats) -> Floats:
    """Return probabilities that sum to one, by their logarithms, which need not be those of probabilities."""
    wrong = np.flatnonzero(np.isnan(logs) | (logs == np.inf))
    if len(wrong):
        raise records.refuse(number, f"'nbest[{wrong[0]}].logp' is {logs[wrong[0]]:g}, which is no logarithm")
    if not np.isfinite(logs).any():
        raise records.refuse(number, "the analyses of 'nbest' are all impossible: their logarithms are minus infinity")
    found = np.exp(logs - logs.max())
    relative: Floats = found / found.sum()
    return relative


def _by_tags(records: Records, numbers: Sequence[int]) -> dict[tuple[int, int], list[Tuple]]:
    """Return the spans of those analyses that are given as a tag for each word."""
    tagged = list(_tagged(records, numbers))
    if not tagged:
        return {}
    column = TextColumn.of([tag for _, _, tags in tagged for tag in tags])
    cuts = np.cumsum([0, *(len(tags) for _, _, tags in tagged)])
    sentences = np.unique(cuts)
    try:
        scheme = detect(column, sentences).scheme
    except ReadError as problem:
        raise records.refuse(tagged[0][0], f"'nbest[].tags': {problem.what}", hint=problem.hint) from None
    found: dict[tuple[int, int], list[Tuple]] = {(number, index): [] for number, index, _ in tagged}
    spans = decode(column, sentences, scheme, "conlleval")
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


def _tagged(records: Records, numbers: Sequence[int]) -> Iterator[tuple[int, int, list[str]]]:
    """Give the analyses that have tags, each with its record and its number there."""
    for number in numbers:
        words = records.words(number)
        for index, analysis in enumerate(records.documents[number].nbest or ()):
            if (analysis.spans is None) == (analysis.tags is None):
                what = "has neither 'spans' nor 'tags'" if analysis.spans is None else "has both 'spans' and 'tags'"
                raise records.refuse(number, f"'nbest[{index}]' {what}", hint=_SHAPE)
            if analysis.tags is None:
                continue
            if records.unit != "tokens":
                hint = 'say "unit": "token", or give the words in "tokens"'
                raise records.refuse(
                    number, f"'nbest[{index}].tags' are of words, but offsets count characters", hint=hint
                )
            if words is not None and len(words) != len(analysis.tags):
                what = f"'nbest[{index}]' has {len(analysis.tags)} tags, but there are {len(words)} words"
                raise records.refuse(number, what, hint="every word has one")
            yield number, index, analysis.tags

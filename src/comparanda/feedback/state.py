"""The current probabilities of worlds, tuples and spans, and how answers change them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.probabilities import EPSILON, Beliefs, Worlds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.probabilities import Floats
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.feedback.field import Field
    from comparanda.feedback.protocol import Answer, Kind, Plan


# The structure of blocks: tuples, their spans, and the worlds of which one is true.
#
# Every block has worlds here. In a block of mutually exclusive tuples, each tuple alone is a world, the preferred one
# first. In a block with given worlds, these come first, followed by each tuple alone with probability zero, for
# answers that contradict all given worlds.


def sum_parts(place: Rows, values: Floats | Truths, count: int) -> Floats:
    """Sum up the values of each part.

    >>> sum_parts(np.array([0, 0, 2]), np.array([0.5, 1.0, 2.0]), 3).tolist()
    [1.5, 0.0, 2.0]
    """
    return np.asarray(np.bincount(place, values, count), np.float64)


@dataclass(frozen=True, eq=False, slots=True)
class Ranges:
    """The ranges of rows that belong to each block, in tables sorted by block.

    Args:
        offsets: the first row of each block, followed by the total number of rows.

    """

    offsets: Rows

    @classmethod
    def counted(cls, counts: Rows) -> Ranges:
        """Build the ranges of blocks from their numbers of rows."""
        offsets = np.zeros(len(counts) + 1, np.int64)
        counts.cumsum(out=offsets[1:])
        return cls(offsets)

    def of(self, blocks: Rows) -> tuple[Rows, Rows]:
        """Return all rows of some blocks, and for each row the index of its block among these."""
        if len(blocks) == 1:  # most questions are about one block
            begin, end = self.offsets[blocks[0] : blocks[0] + 2].tolist()
            return np.arange(begin, end), np.zeros(end - begin, np.int64)
        begin = self.offsets[blocks]
        sizes = self.offsets[blocks + 1] - begin
        place = np.arange(len(blocks)).repeat(sizes)
        return np.arange(len(place)) + (begin - sizes.cumsum() + sizes)[place], place

    def sizes(self, blocks: Rows) -> Rows:
        """Return the numbers of rows of some blocks."""
        sizes: Rows = self.offsets[blocks + 1] - self.offsets[blocks]
        return sizes


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Blocks:
    """The structure of all blocks, which no answer changes.

    Args:
        rows: the tuples of each block.
        spans: its spans, the preferred one first.
        worlds: its worlds.
        members: the pairs of a tuple and a world in which it is true.
        reaches: the pairs of a span and a world in which it occurs.
        block: the block of each tuple.
        span: the span of each tuple.
        alone: the world of each tuple in which it alone is true.
        member_row: the tuple of each member.
        member_world: the world of each member.
        reach_span: the span of each reach.
        reach_world: the world of each reach.
        world_span: the span of each world of an exclusive block; -1 in other blocks.
        bare: whether each world has no tuple.
        exclusive: whether the tuples of each block exclude each other.

    """

    rows: Ranges
    spans: Ranges
    worlds: Ranges
    members: Ranges
    reaches: Ranges
    block: Rows
    span: Rows
    alone: Rows
    member_row: Rows
    member_world: Rows
    reach_span: Rows
    reach_world: Rows
    world_span: Rows
    bare: Truths
    exclusive: Truths

    def __len__(self) -> int:
        return len(self.exclusive)

    def repeated(self, blocks: Rows) -> tuple[Blocks, Rows]:
        """Build the structure of some blocks, repeated as often as given, and the original rows of its tuples."""
        rows, row_place = self.rows.of(blocks)
        worlds, world_place = self.worlds.of(blocks)
        members, member_place = self.members.of(blocks)
        reaches, reach_place = self.reaches.of(blocks)
        ranges = (self.rows, self.spans, self.worlds, self.members, self.reaches)
        new = [Ranges.counted(each.sizes(blocks)) for each in ranges]
        by_row, by_span, by_world, *_ = (
            mine.offsets[:-1] - each.offsets[blocks] for mine, each in zip(new, ranges, strict=True)
        )
        world_span = self.world_span[worlds]
        made = Blocks(
            rows=new[0],
            spans=new[1],
            worlds=new[2],
            members=new[3],
            reaches=new[4],
            block=row_place,
            span=self.span[rows] + by_span[row_place],
            alone=self.alone[rows] + by_world[row_place],
            member_row=self.member_row[members] + by_row[member_place],
            member_world=self.member_world[members] + by_world[member_place],
            reach_span=self.reach_span[reaches] + by_span[reach_place],
            reach_world=self.reach_world[reaches] + by_world[reach_place],
            world_span=np.where(world_span < 0, -1, world_span + by_span[world_place]),
            bare=self.bare[worlds],
            exclusive=self.exclusive[blocks],
        )
        return made, rows


def blocks_of(beliefs: Beliefs, preference: Rows) -> Blocks:
    """Build the block structure of probabilistic tuples.

    Args:
        beliefs: the tuples, block by block.
        preference: the rank of each tuple, for ties.

    """
    block, size = beliefs.block, len(beliefs.nothing)
    span, span_block = _number_spans(beliefs, preference)
    exclusive = beliefs.exclusive
    world_block, member_row, member_world, alone = _number_worlds(beliefs, preference)
    spans_of_members = span[member_row]
    reaches = np.unique(np.stack([member_world, spans_of_members]), axis=1) if len(member_row) else np.zeros((2, 0))
    reach_world, reach_span = reaches.astype(np.int64)
    world_span = np.full(len(world_block), -1, np.int64)
    sole = exclusive[world_block[member_world]]
    world_span[member_world[sole]] = spans_of_members[sole]

    def ranges(of_each: Rows) -> Ranges:
        return Ranges.counted(np.bincount(of_each, minlength=size))

    return Blocks(
        rows=ranges(block),
        spans=ranges(span_block),
        worlds=ranges(world_block),
        members=ranges(world_block[member_world]),
        reaches=ranges(world_block[reach_world]),
        block=block,
        span=span,
        alone=alone,
        member_row=member_row,
        member_world=member_world,
        reach_span=reach_span,
        reach_world=reach_world,
        world_span=world_span,
        bare=np.bincount(member_world, minlength=len(world_block)) == 0,
        exclusive=exclusive,
    )


def _number_spans(beliefs: Beliefs, preference: Rows) -> tuple[Rows, Rows]:
    """Order the spans by block and preference; return the span number of each tuple and the block of each span."""
    order = np.lexsort((preference, beliefs.block))
    _, first, number = np.unique(beliefs.alternative[order], return_index=True, return_inverse=True)
    by_first = np.argsort(first, kind="stable")
    rank = np.empty(len(first), np.int64)
    rank[by_first] = np.arange(len(first))
    span = np.empty(len(beliefs), np.int64)
    span[order] = rank[number]
    return span, beliefs.block[order[first[by_first]]]


def _number_worlds(beliefs: Beliefs, preference: Rows) -> tuple[Rows, Rows, Rows, Rows]:
    """Return each world's block, each member's tuple and world, and the world in which each tuple alone is true."""
    size = len(beliefs)
    order = np.lexsort((preference, beliefs.block))
    if beliefs.worlds is None:
        alone = np.empty(size, np.int64)
        alone[order] = np.arange(size)
        return beliefs.block[order], order, np.arange(size), alone
    given = beliefs.worlds
    block = np.concatenate([given.block, beliefs.block[order]])
    place = np.empty(len(block), np.int64)
    place[np.argsort(block, kind="stable")] = np.arange(len(block))  # given worlds come before single tuples
    row = np.concatenate([given.member, order])
    world = place[np.concatenate([given.world, len(given) + np.arange(size)])]
    by_world = np.argsort(world, kind="stable")
    alone = np.empty(size, np.int64)
    alone[order] = place[len(given) :]
    return np.sort(block), row[by_world], world[by_world], alone


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class State:
    """Probabilities that answers change in place.

    Args:
        blocks: the structure of the blocks.
        world: the probability of each world.
        nothing: for each block, the probability that none of its spans is an entity.
        unnamed: for each span, the probability that it is an entity with a label that no tuple has.
        weight: the probability of each tuple: the sum over the worlds in which it is true.
        entity: the probability of each span.

    """

    blocks: Blocks
    world: Floats
    nothing: Floats
    unnamed: Floats
    weight: Floats
    entity: Floats

    def copy(self) -> State:
        """Copy the probabilities, to be changed independently."""
        return State(
            blocks=self.blocks,
            world=self.world.copy(),
            nothing=self.nothing.copy(),
            unnamed=self.unnamed.copy(),
            weight=self.weight.copy(),
            entity=self.entity.copy(),
        )

    def repeated(self, blocks: Rows) -> tuple[State, Rows]:
        """Copy some blocks, repeated as often as given, and return the original rows of their tuples."""
        made, rows = self.blocks.repeated(blocks)
        worlds, spans = self.blocks.worlds.of(blocks)[0], self.blocks.spans.of(blocks)[0]
        arrays = (self.world[worlds], self.nothing[blocks], self.unnamed[spans], self.weight[rows], self.entity[spans])
        return State(
            blocks=made, world=arrays[0], nothing=arrays[1], unnamed=arrays[2], weight=arrays[3], entity=arrays[4]
        ), rows

    def put(self, blocks: Rows, other: State) -> None:
        """Copy the probabilities of some blocks from another state."""
        worlds, spans = self.blocks.worlds.of(blocks)[0], self.blocks.spans.of(blocks)[0]
        self.world[worlds] = other.world[worlds]
        self.nothing[blocks] = other.nothing[blocks]
        self.unnamed[spans] = other.unnamed[spans]
        self.infer(blocks)

    def infer(self, blocks: Rows) -> None:
        """Recompute the probabilities of tuples and spans from the worlds of some blocks."""
        mine = self.blocks
        members, reaches = mine.members.of(blocks)[0], mine.reaches.of(blocks)[0]
        spans = mine.spans.of(blocks)[0]
        self.weight[mine.rows.of(blocks)[0]] = 0.0
        np.add.at(self.weight, mine.member_row[members], self.world[mine.member_world[members]])
        self.entity[spans] = self.unnamed[spans]
        np.add.at(self.entity, mine.reach_span[reaches], self.world[mine.reach_world[reaches]])

    def worlds_of(self, blocks: Rows) -> tuple[Rows, Rows, Floats, Floats]:
        """Return the worlds of some blocks, the index of each one's block, their probabilities, and the rest.

        Worlds without tuples are not distinguished: they count towards the rest of their block.
        """
        worlds, place = self.blocks.worlds.of(blocks)
        probability = np.where(self.blocks.bare[worlds], 0.0, self.world[worlds])
        return worlds, place, probability, 1.0 - sum_parts(place, probability, len(blocks))

    def beliefs(self, start: Beliefs) -> Beliefs:
        """Convert the state to beliefs about the tuples of the initial beliefs."""
        return replace(
            start,
            weight=self.weight.copy(),
            entity=self.entity[self.blocks.span],
            nothing=self.nothing.copy(),
            worlds=None if start.worlds is None else self._possible_worlds(),
        )

    def _possible_worlds(self) -> Worlds:
        """Return the worlds of non-exclusive blocks; those of single tuples only if they are possible."""
        mine = self.blocks
        block = np.repeat(np.arange(len(mine)), np.diff(mine.worlds.offsets))
        added = np.zeros(len(self.world), np.bool_)
        added[mine.alone] = True
        kept = ~mine.exclusive[block] & (~added | (self.world > 0))
        member = kept[mine.member_world]
        sizes = np.bincount(mine.member_world[member], minlength=len(kept))[kept]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        return Worlds(block[kept], self.world[kept], offsets, mine.member_row[member])


def is_uncertain(probability: Floats) -> Truths:
    """Determine which probabilities are neither 0 nor 1."""
    found: Truths = (probability > EPSILON) & (probability < 1 - EPSILON)
    return found


def state_of(beliefs: Beliefs, blocks: Blocks) -> State:
    """Build the initial state."""
    world = np.zeros(len(blocks.world_span))
    sole = blocks.exclusive[blocks.block]
    world[blocks.alone[sole]] = beliefs.weight[sole]
    if beliefs.worlds is not None:
        added = np.zeros(len(world), np.bool_)
        added[blocks.alone] = True
        world[~added] = beliefs.worlds.probability
    spans = int(blocks.spans.offsets[-1])
    state = State(
        blocks=blocks,
        world=world,
        nothing=beliefs.nothing.copy(),
        unnamed=np.zeros(spans),
        weight=np.zeros(len(beliefs)),
        entity=np.zeros(spans),
    )
    state.infer(np.arange(len(blocks)))
    given = np.zeros(spans)
    given[blocks.span] = beliefs.entity
    np.copyto(state.unnamed, np.where(given - state.entity > EPSILON, given - state.entity, 0.0))
    np.add(state.entity, state.unnamed, out=state.entity)
    return state


# Conditioning a block on an answer: the probability of one event is set, everything else keeps its proportions.
#
# An answer is about an event: a tuple is true, a span is an entity, none of some tuples is true. Its probability p
# becomes p', 1 after a yes and 0 after a no: worlds that agree with the event are multiplied by p'/p, all others by
# (1−p')/(1−p). For a user with an assumed error rate of ε, Bayes' rule gives p' = p(1−ε) / (p(1−ε) + (1−p)ε) after a
# yes. All updates are multiplications, so the order of answers does not matter. A yes to an impossible event makes it
# true, and a no to a certain event leaves its block empty: the user is trusted, and the contradiction counted.
#
# All functions take many events at once, of different blocks.


def compute_posterior(probability: Floats, *, yes: Truths, error: float = 0.0) -> Floats:
    """Compute the posterior probability of events after an answer.

    >>> compute_posterior(np.array([0.7, 0.7]), yes=np.array([True, False]), error=0.1).round(4).tolist()
    [0.9545, 0.2059]
    """
    if not error:
        return yes.astype(np.float64)
    agrees, differs = np.where(yes, 1 - error, error), np.where(yes, error, 1 - error)
    return np.asarray(probability * agrees / (probability * agrees + (1 - probability) * differs))


def condition_on_labels(state: State, rows: Rows, target: Floats) -> int:
    """Condition on the probabilities of tuples; return how many contradict a certainty."""
    mine = state.blocks
    blocks = mine.block[rows]
    members, place = mine.members.of(blocks)
    held = mine.member_row[members] == rows[place]
    inside = (mine.member_world[members[held]], place[held])
    odd = _scale_worlds(state, blocks=blocks, inside=inside, before=state.weight[rows], target=target)
    if odd.any():
        state.world[mine.alone[rows[odd & (target > 0)]]] = 1.0
    state.infer(blocks)
    return int(odd.sum())


def condition_on_spans(state: State, rows: Rows, target: Floats) -> int:
    """Condition on the probabilities of the spans of tuples; return how many contradict a certainty.

    A confirmed span that was impossible gets all its labels with equal probability.
    """
    mine = state.blocks
    blocks, spans = mine.block[rows], mine.span[rows]
    reaches, place = mine.reaches.of(blocks)
    held = mine.reach_span[reaches] == spans[place]
    inside = (mine.reach_world[reaches[held]], place[held])
    before, unnamed = state.entity[spans], state.unnamed[spans]
    odd = _scale_worlds(state, blocks=blocks, inside=inside, before=before, target=target)
    state.unnamed[spans] = np.divide(unnamed * target, before, out=np.zeros(len(spans)), where=before > EPSILON)
    for number in np.flatnonzero(odd & (target > 0)).tolist():
        own = mine.rows.of(blocks[number : number + 1])[0]
        own = own[mine.span[own] == spans[number]]
        state.world[mine.alone[own]] = 1.0 / len(own)
    state.infer(blocks)
    return int(odd.sum())


def condition_on_none(state: State, blocks: Rows, rows: Rows, error: float = 0.0) -> int:
    """Condition on none of some tuples of each block being true; return how often that contradicts a certainty.

    In an exclusive block, this means that the block is empty.

    Args:
        state: the probabilities, changed in place.
        blocks: the blocks.
        rows: the tuples of all blocks that are not true.
        error: the assumed error rate of the user.

    """
    mine = state.blocks
    listed = np.zeros(len(state.weight), np.bool_)
    listed[rows] = True
    members, member_place = mine.members.of(blocks)
    held = listed[mine.member_row[members]]
    worlds, first = np.unique(mine.member_world[members[held]], return_index=True)
    inside = (worlds, member_place[held][first])
    before = sum_parts(inside[1], state.world[worlds], len(blocks))
    target = compute_posterior(1 - before, yes=np.ones(len(blocks), np.bool_), error=error)
    odd = _scale_worlds(state, blocks=blocks, inside=inside, before=before, target=1 - target)
    sole = mine.exclusive[blocks]
    state.nothing[blocks[sole]] = target[sole]
    state.unnamed[mine.spans.of(blocks[sole])[0]] = 0.0
    state.infer(blocks)
    return int(odd.sum())


def _scale_worlds(state: State, blocks: Rows, inside: tuple[Rows, Rows], before: Floats, *, target: Floats) -> Truths:
    """Scale the worlds of each block to the new probability of an event; return where it contradicts a certainty.

    After a contradiction no world is left; if the event was certain, the block is empty.

    Args:
        state: the probabilities, changed in place.
        blocks: the block of each event.
        inside: the worlds in which the events hold, and for each world the index of its block.
        before: the probabilities of the events.
        target: their new probabilities.

    """
    mine = state.blocks
    impossible, certain = before <= EPSILON, before >= 1 - EPSILON
    factor = np.divide(1 - target, 1 - before, out=np.zeros(len(blocks)), where=~certain)
    held, place = inside
    agreeing = state.world[held] * np.where(impossible, 0.0, target)[place] / np.where(impossible, 1.0, before)[place]
    worlds, world_place = mine.worlds.of(blocks)
    state.world[worlds] *= factor[world_place]
    state.world[held] = agreeing
    spans, span_place = mine.spans.of(blocks)
    state.unnamed[spans] *= factor[span_place]
    state.nothing[blocks] *= factor
    emptied: Truths = certain & (target == 0)
    state.nothing[blocks[emptied]] = 1.0
    odd: Truths = emptied | (impossible & (target == 1))
    return odd


# Handlers: an answer conditions its block, and may be evidence for other occurrences of its text.


CAP = 0.001
"""Evidence from other blocks keeps probabilities between this and 1 minus this."""


def apply_answer(state: State, kind: Kind, rows: Rows, answer: Answer, *, error: float) -> tuple[Rows, int]:
    """Condition on an answer; return the changed blocks and the number of contradictions.

    Args:
        state: the probabilities, changed in place.
        kind: the kind of question.
        rows: the tuples of the question: one; those of a span; those to choose from; all with one text and label.
        answer: the user's answer.
        error: the assumed error rate of the user.

    """
    if answer in ("unsure", "mixed"):
        return np.zeros(0, np.int64), 0
    blocks = state.blocks.block[rows]
    if kind == "choice":
        if answer == -1:
            return blocks[:1], condition_on_none(state, blocks[:1], rows, error)
        rows, answer = np.array([answer]), "yes"
    confirmed = np.full(len(rows), answer == "yes")
    if kind == "span":
        before = state.entity[state.blocks.span[rows[:1]]]
        return blocks[:1], condition_on_spans(
            state, rows[:1], compute_posterior(before, yes=confirmed[:1], error=error)
        )
    odd = 0
    for some in split_rounds(blocks[: len(rows)]):
        target = compute_posterior(state.weight[rows[some]], yes=confirmed[some], error=error)
        odd += condition_on_labels(state, rows[some], target)
    return np.unique(blocks), odd


def split_rounds(blocks: Rows) -> Iterator[Rows]:
    """Split rows into rounds with at most one row of each block, keeping the order within blocks.

    >>> [some.tolist() for some in split_rounds(np.array([4, 4, 7]))]
    [[0, 2], [1]]
    """
    if len(blocks) == 1:
        yield np.zeros(1, np.int64)
        return
    order = np.argsort(blocks, kind="stable")
    new = np.diff(blocks[order], prepend=-1) != 0
    begin = np.flatnonzero(new)
    turn = np.empty(len(blocks), np.int64)
    turn[order] = np.arange(len(blocks)) - begin[np.cumsum(new) - 1]
    for number in range(int(turn.max(initial=-1)) + 1):
        yield np.flatnonzero(turn == number)


class Basic:
    """The handler by which an answer changes only its own block."""

    def __init__(self, plan: Plan, state: State) -> None:
        self.plan = plan
        self.state = state

    def apply(self, kind: Kind, rows: Rows, answer: Answer) -> tuple[Rows, int]:
        """Apply an answer; return the changed blocks and the number of contradictions."""
        return apply_answer(self.state, kind=kind, rows=rows, answer=answer, error=self.plan.believed_error)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Return the arrays needed to resume."""
        return {f"state_{name}": getattr(self.state, name) for name in STORED}

    def restore(self, snapshot: Mapping[str, NDArray[Any]]) -> None:
        """Restore a snapshot."""
        _restore_state(self.state, "state", snapshot)


class Statistical(Basic):
    """The handler by which an answer is evidence for all tuples with the same text and label.

    A tuple's odds are those given the answers about its own block times ((yes + 1) / (no + 1)) ^ strength, where yes
    and no count the answers about its text and label. The state given the answers alone is stored separately, and the
    factor is applied to it again whenever it changes: so a tuple always has exactly the current factor, whatever the
    order of answers. The factors of a block's tuples are applied one after the other; each time the rest of the block
    shares the remaining probability. Tuples that were asked about, and certain or impossible ones, get no factor.
    """

    def __init__(self, plan: Plan, state: State, field: Field) -> None:
        super().__init__(plan, state)
        self._answered = state.copy()  # given the answers alone
        self._pair = field.pairs
        pairs = int(self._pair.max(initial=-1)) + 1
        self._by_pair = np.argsort(self._pair, kind="stable")
        self._ranges = Ranges.counted(np.bincount(self._pair, minlength=pairs))
        self._counts = np.zeros((2, pairs))
        self._asked = np.zeros(len(field), np.bool_)

    def apply(self, kind: Kind, rows: Rows, answer: Answer) -> tuple[Rows, int]:
        """Apply an answer; return the changed blocks and the number of contradictions."""
        own, odd = apply_answer(self._answered, kind=kind, rows=rows, answer=answer, error=self.plan.believed_error)
        if not len(own):
            return own, odd
        about, yes = find_evidence(kind, rows, answer)
        self._asked[about] = True
        np.add.at(self._counts[int(yes)], self._pair[about], 1)
        same = self._by_pair[self._ranges.of(np.unique(self._pair[about]))[0]]
        blocks = np.union1d(own, self.state.blocks.block[same])
        self.state.put(blocks, self._answered)
        self._spread(blocks)
        return blocks, odd

    def _spread(self, blocks: Rows) -> None:
        """Apply the current factors to the tuples of some blocks."""
        rows = self.state.blocks.rows.of(blocks)[0]
        no, yes = self._counts[:, self._pair[rows]]
        factor = ((yes + 1) / (no + 1)) ** self.plan.strength
        rows, factor = (each[(factor != 1) & ~self._asked[rows]] for each in (rows, factor))
        for some in split_rounds(self.state.blocks.block[rows]):
            weight = self.state.weight[rows[some]]
            open_rows = is_uncertain(weight)
            weight, by, open_tuples = weight[open_rows], factor[some][open_rows], rows[some][open_rows]
            if len(open_tuples):
                condition_on_labels(self.state, open_tuples, tilt_odds(weight, by))

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Return the arrays needed to resume."""
        kept = {f"answered_{name}": getattr(self._answered, name) for name in STORED}
        return super().snapshot() | kept | {"evidence": self._counts, "evidence_asked": self._asked}

    def restore(self, snapshot: Mapping[str, NDArray[Any]]) -> None:
        """Restore a snapshot."""
        super().restore(snapshot)
        _restore_state(self._answered, "answered", snapshot)
        self._counts[:] = snapshot["evidence"]
        self._asked[:] = snapshot["evidence_asked"]


def find_evidence(kind: Kind, rows: Rows, answer: Answer) -> tuple[Rows, bool]:
    """Return the tuples that an answer is evidence for, or against, and which of the two.

    That a span is an entity is no evidence about its label; that it is none rules out all its labels.
    """
    if kind == "choice" and answer != -1:
        return np.array([answer], np.int64), True
    if kind == "span" and answer == "yes":
        return rows[:0], True
    return rows, answer == "yes"


def tilt_odds(weight: Floats, factor: Floats) -> Floats:
    """Multiply the odds of probabilities, up to a cap, so that evidence from other blocks never makes anything certain.

    >>> tilt_odds(np.array([0.5, 0.5, 0.9999]), np.array([3.0, 1e-9, 3.0])).tolist()
    [0.75, 0.001, 0.9999]
    """
    found = weight * factor / (weight * factor + 1 - weight)
    rises = np.maximum(weight, np.minimum(found, 1 - CAP))
    falls = np.minimum(weight, np.maximum(found, CAP))
    return np.where(factor > 1, rises, falls)


STORED = ("world", "nothing", "unnamed")
"""The arrays of a state from which the others are computed."""


def _restore_state(state: State, prefix: str, snapshot: Mapping[str, NDArray[Any]]) -> None:
    """Restore the probabilities of a snapshot."""
    for name in STORED:
        getattr(state, name)[:] = snapshot[f"{prefix}_{name}"]
    state.infer(np.arange(len(state.blocks)))

"""What is believed at some moment: the probability of every world, and what follows from it."""

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


# What stands in each block: its tuples, their spans, and the worlds of which one is true.
#
# Every block has worlds here. In one whose tuples exclude each other these are the tuples, each alone, the preferred
# one first; in one with worlds of its own these stand first, and then each tuple alone with probability zero, for a
# user
# who says what no world says.


def summed(place: Rows, values: Floats | Truths, count: int) -> Floats:
    """Sum up the values of each of some parts.

    >>> summed(np.array([0, 0, 2]), np.array([0.5, 1.0, 2.0]), 3).tolist()
    [1.5, 0.0, 2.0]
    """
    return np.asarray(np.bincount(place, values, count), np.float64)


@dataclass(frozen=True, eq=False, slots=True)
class Ranges:
    """Things that stand block by block.

    Args:
        offsets: the first of each block, and behind them the number of all.

    """

    offsets: Rows

    @classmethod
    def counted(cls, counts: Rows) -> Ranges:
        """Return the ranges of blocks with so many things each."""
        offsets = np.zeros(len(counts) + 1, np.int64)
        counts.cumsum(out=offsets[1:])
        return cls(offsets)

    def of(self, blocks: Rows) -> tuple[Rows, Rows]:
        """Return all things of some blocks, and for each the place of its block among these."""
        if len(blocks) == 1:  # most questions are about one block
            begin, end = self.offsets[blocks[0] : blocks[0] + 2].tolist()
            return np.arange(begin, end), np.zeros(end - begin, np.int64)
        begin = self.offsets[blocks]
        sizes = self.offsets[blocks + 1] - begin
        place = np.arange(len(blocks)).repeat(sizes)
        return np.arange(len(place)) + (begin - sizes.cumsum() + sizes)[place], place

    def sizes(self, blocks: Rows) -> Rows:
        """Return how many things some blocks have."""
        sizes: Rows = self.offsets[blocks + 1] - self.offsets[blocks]
        return sizes


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Blocks:
    """The structure of all blocks, which no answer changes.

    Args:
        rows: the tuples of each block.
        spans: its spans, the preferred one first.
        worlds: its worlds.
        members: which tuples are true in which worlds of it.
        reaches: which spans are there in which worlds of it.
        block: the block of each tuple.
        span: the span of each tuple.
        alone: the world of each tuple in which it alone is true.
        member_row: the tuple of each member.
        member_world: and its world.
        reach_span: the span of each reach.
        reach_world: and its world.
        world_span: the span that a world of an exclusive block has; -1 for other blocks.
        bare: whether a world has no tuple.
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
        """Return a structure of some blocks, each as often as it is named, and its tuples by their rows here."""
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
    """Return the structure of what is believed.

    Args:
        beliefs: the tuples, block by block.
        preference: a rank of each tuple, for ties.

    """
    block, size = beliefs.block, len(beliefs.nothing)
    span, span_block = _spans(beliefs, preference)
    exclusive = beliefs.exclusive
    world_block, member_row, member_world, alone = _worlds(beliefs, preference)
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


def _spans(beliefs: Beliefs, preference: Rows) -> tuple[Rows, Rows]:
    """Return the span of each tuple and the block of each span; they go block by block, the preferred one first."""
    order = np.lexsort((preference, beliefs.block))
    _, first, number = np.unique(beliefs.alternative[order], return_index=True, return_inverse=True)
    by_first = np.argsort(first, kind="stable")
    rank = np.empty(len(first), np.int64)
    rank[by_first] = np.arange(len(first))
    span = np.empty(len(beliefs), np.int64)
    span[order] = rank[number]
    return span, beliefs.block[order[first[by_first]]]


def _worlds(beliefs: Beliefs, preference: Rows) -> tuple[Rows, Rows, Rows, Rows]:
    """Return the block of each world, the tuple and the world of each member, and the world of each tuple alone."""
    size = len(beliefs)
    order = np.lexsort((preference, beliefs.block))
    if beliefs.worlds is None:
        alone = np.empty(size, np.int64)
        alone[order] = np.arange(size)
        return beliefs.block[order], order, np.arange(size), alone
    given = beliefs.worlds
    block = np.concatenate([given.block, beliefs.block[order]])
    place = np.empty(len(block), np.int64)
    place[np.argsort(block, kind="stable")] = np.arange(len(block))  # worlds as given stand before tuples alone
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
        blocks: what stands in each block.
        world: the probability of each world.
        nothing: for each block the probability that none of its spans is there.
        unnamed: for each span the probability that it is there with a label that no tuple has.
        weight: the probability of each tuple: that of the worlds which it is true in.
        entity: the probability of each span.

    """

    blocks: Blocks
    world: Floats
    nothing: Floats
    unnamed: Floats
    weight: Floats
    entity: Floats

    def copy(self) -> State:
        """Return the same probabilities, to be changed apart."""
        return State(
            blocks=self.blocks,
            world=self.world.copy(),
            nothing=self.nothing.copy(),
            unnamed=self.unnamed.copy(),
            weight=self.weight.copy(),
            entity=self.entity.copy(),
        )

    def repeated(self, blocks: Rows) -> tuple[State, Rows]:
        """Return some blocks, each as often as it is named, and their tuples by their rows here."""
        made, rows = self.blocks.repeated(blocks)
        worlds, spans = self.blocks.worlds.of(blocks)[0], self.blocks.spans.of(blocks)[0]
        arrays = (self.world[worlds], self.nothing[blocks], self.unnamed[spans], self.weight[rows], self.entity[spans])
        return State(
            blocks=made, world=arrays[0], nothing=arrays[1], unnamed=arrays[2], weight=arrays[3], entity=arrays[4]
        ), rows

    def put(self, blocks: Rows, other: State) -> None:
        """Take over the probabilities of some blocks."""
        worlds, spans = self.blocks.worlds.of(blocks)[0], self.blocks.spans.of(blocks)[0]
        self.world[worlds] = other.world[worlds]
        self.nothing[blocks] = other.nothing[blocks]
        self.unnamed[spans] = other.unnamed[spans]
        self.infer(blocks)

    def infer(self, blocks: Rows) -> None:
        """Sum up the weights of tuples and spans over the worlds of some blocks."""
        mine = self.blocks
        members, reaches = mine.members.of(blocks)[0], mine.reaches.of(blocks)[0]
        spans = mine.spans.of(blocks)[0]
        self.weight[mine.rows.of(blocks)[0]] = 0.0
        np.add.at(self.weight, mine.member_row[members], self.world[mine.member_world[members]])
        self.entity[spans] = self.unnamed[spans]
        np.add.at(self.entity, mine.reach_span[reaches], self.world[mine.reach_world[reaches]])

    def worlds_of(self, blocks: Rows) -> tuple[Rows, Rows, Floats, Floats]:
        """Return the worlds of some blocks, the place of each one's block, and how probable each is, and the rest.

        Worlds without any tuple are all one, listed or not: they count for the rest.
        """
        worlds, place = self.blocks.worlds.of(blocks)
        probability = np.where(self.blocks.bare[worlds], 0.0, self.world[worlds])
        return worlds, place, probability, 1.0 - summed(place, probability, len(blocks))

    def beliefs(self, start: Beliefs) -> Beliefs:
        """Return this as beliefs about the tuples of those at the start."""
        return replace(
            start,
            weight=self.weight.copy(),
            entity=self.entity[self.blocks.span],
            nothing=self.nothing.copy(),
            worlds=None if start.worlds is None else self._worlds(),
        )

    def _worlds(self) -> Worlds:
        """Return the worlds of blocks that are not exclusive, those of tuples alone only where they are possible."""
        mine = self.blocks
        block = np.repeat(np.arange(len(mine)), np.diff(mine.worlds.offsets))
        added = np.zeros(len(self.world), np.bool_)
        added[mine.alone] = True
        kept = ~mine.exclusive[block] & (~added | (self.world > 0))
        member = kept[mine.member_world]
        sizes = np.bincount(mine.member_world[member], minlength=len(kept))[kept]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        return Worlds(block[kept], self.world[kept], offsets, mine.member_row[member])


def uncertain(probability: Floats) -> Truths:
    """Whether each probability is neither zero nor one."""
    found: Truths = (probability > EPSILON) & (probability < 1 - EPSILON)
    return found


def state_of(beliefs: Beliefs, blocks: Blocks) -> State:
    """Return what is believed at the start."""
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


# What an answer does to its block: the probability of one event is set, all else keeps its proportions.
#
# An answer is about an event: a tuple is true, a span is there, none of some tuples is true. Its probability p becomes
# p', 1 after a yes and 0 after a no: what agrees with the event is multiplied by p'/p, what does not by (1−p')/(1−p).
# A user who is believed to be wrong with probability ε gives p' = p(1−ε) / (p(1−ε) + (1−p)ε) by a yes, as Bayes has it.
# All this is multiplication, so the order of answers does not matter. A yes to what is impossible makes it true and a
# no
# to what is certain leaves nothing there: the user is trusted, and the contradiction counted.
#
# All functions take many events at once, of different blocks.


def believed(probability: Floats, *, yes: Truths, error: float = 0.0) -> Floats:
    """Return the probability of events after an answer.

    >>> believed(np.array([0.7, 0.7]), yes=np.array([True, False]), error=0.1).round(4).tolist()
    [0.9545, 0.2059]
    """
    if not error:
        return yes.astype(np.float64)
    agrees, differs = np.where(yes, 1 - error, error), np.where(yes, error, 1 - error)
    return np.asarray(probability * agrees / (probability * agrees + (1 - probability) * differs))


def tell_labels(state: State, rows: Rows, target: Floats) -> int:
    """Set the probabilities of tuples, and return how many of them contradict what was believed."""
    mine = state.blocks
    blocks = mine.block[rows]
    members, place = mine.members.of(blocks)
    held = mine.member_row[members] == rows[place]
    inside = (mine.member_world[members[held]], place[held])
    odd = _tell(state, blocks=blocks, inside=inside, before=state.weight[rows], target=target)
    if odd.any():
        state.world[mine.alone[rows[odd & (target > 0)]]] = 1.0
    state.infer(blocks)
    return int(odd.sum())


def tell_spans(state: State, rows: Rows, target: Floats) -> int:
    """Set the probabilities of the spans of tuples, and return how many of them contradict what was believed.

    A span that was impossible and is there has each of its labels with the same probability.
    """
    mine = state.blocks
    blocks, spans = mine.block[rows], mine.span[rows]
    reaches, place = mine.reaches.of(blocks)
    held = mine.reach_span[reaches] == spans[place]
    inside = (mine.reach_world[reaches[held]], place[held])
    before, unnamed = state.entity[spans], state.unnamed[spans]
    odd = _tell(state, blocks=blocks, inside=inside, before=before, target=target)
    state.unnamed[spans] = np.divide(unnamed * target, before, out=np.zeros(len(spans)), where=before > EPSILON)
    for number in np.flatnonzero(odd & (target > 0)).tolist():
        own = mine.rows.of(blocks[number : number + 1])[0]
        own = own[mine.span[own] == spans[number]]
        state.world[mine.alone[own]] = 1.0 / len(own)
    state.infer(blocks)
    return int(odd.sum())


def tell_none(state: State, blocks: Rows, rows: Rows, error: float = 0.0) -> int:
    """Hear that none of some tuples of each block is true, and return how often that contradicts what was believed.

    In an exclusive block what is none of its tuples is nothing at all.

    Args:
        state: what is believed.
        blocks: the blocks.
        rows: the tuples of all blocks that are not true.
        error: how often the user is believed to be wrong.

    """
    mine = state.blocks
    listed = np.zeros(len(state.weight), np.bool_)
    listed[rows] = True
    members, member_place = mine.members.of(blocks)
    held = listed[mine.member_row[members]]
    worlds, first = np.unique(mine.member_world[members[held]], return_index=True)
    inside = (worlds, member_place[held][first])
    before = summed(inside[1], state.world[worlds], len(blocks))
    target = believed(1 - before, yes=np.ones(len(blocks), np.bool_), error=error)
    odd = _tell(state, blocks=blocks, inside=inside, before=before, target=1 - target)
    sole = mine.exclusive[blocks]
    state.nothing[blocks[sole]] = target[sole]
    state.unnamed[mine.spans.of(blocks[sole])[0]] = 0.0
    state.infer(blocks)
    return int(odd.sum())


def _tell(state: State, blocks: Rows, inside: tuple[Rows, Rows], before: Floats, *, target: Floats) -> Truths:
    """Set the probability of an event in each block, and return where that contradicts what was believed.

    Where it does no world is left; if the event was certain, nothing is there.

    Args:
        state: what is believed.
        blocks: a block for each event.
        inside: the worlds in which they hold, and for each the place of its block.
        before: their probabilities.
        target: what these become.

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


# What becomes of an answer: it conditions its block, and may be evidence for the same text elsewhere.


CAP = 0.001
"""Evidence from elsewhere makes nothing less probable than this, and nothing more probable than one less this."""


def hear(state: State, kind: Kind, rows: Rows, answer: Answer, *, error: float) -> tuple[Rows, int]:
    """Condition on an answer; return the blocks that changed, and how many contradictions there were.

    Args:
        state: what is believed.
        kind: what was asked.
        rows: the tuples of the question: one; those of a span; those to choose from; all with one text and label.
        answer: what the user says.
        error: how often the user is believed to be wrong.

    """
    if answer in ("unsure", "mixed"):
        return np.zeros(0, np.int64), 0
    blocks = state.blocks.block[rows]
    if kind == "choice":
        if answer == -1:
            return blocks[:1], tell_none(state, blocks[:1], rows, error)
        rows, answer = np.array([answer]), "yes"
    said = np.full(len(rows), answer == "yes")
    if kind == "span":
        before = state.entity[state.blocks.span[rows[:1]]]
        return blocks[:1], tell_spans(state, rows[:1], believed(before, yes=said[:1], error=error))
    odd = 0
    for some in rounds(blocks[: len(rows)]):
        target = believed(state.weight[rows[some]], yes=said[some], error=error)
        odd += tell_labels(state, rows[some], target)
    return np.unique(blocks), odd


def rounds(blocks: Rows) -> Iterator[Rows]:
    """Go through things of some blocks so that no two of one block come at a time, each block's in their order.

    >>> [some.tolist() for some in rounds(np.array([4, 4, 7]))]
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
    """An answer changes its own block."""

    def __init__(self, plan: Plan, state: State) -> None:
        self.plan = plan
        self.state = state

    def apply(self, kind: Kind, rows: Rows, answer: Answer) -> tuple[Rows, int]:
        """Take an answer; return the blocks that changed, and how many contradictions there were."""
        return hear(self.state, kind=kind, rows=rows, answer=answer, error=self.plan.believed_error)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Return what is needed to go on."""
        return {f"state_{name}": getattr(self.state, name) for name in STORED}

    def restore(self, snapshot: Mapping[str, NDArray[Any]]) -> None:
        """Go on from there."""
        _restore(self.state, "state", snapshot)


class Statistical(Basic):
    """An answer is evidence for all tuples with the same text and label.

    A tuple's odds are those of its own block's answers times ((yes + 1) / (no + 1)) ^ strength, where yes and no count
    the answers about its text and label. What the answers alone say is kept apart, and the factor is put on it anew
    whenever it changes: so a tuple always carries exactly the present factor, whatever came first. The tuples of a
    block take their factors one after the other; each time the rest of the block shares what is left. A tuple that was
    asked about itself, and one that is certain or impossible, takes none.
    """

    def __init__(self, plan: Plan, state: State, field: Field) -> None:
        super().__init__(plan, state)
        self._answered = state.copy()  # what the answers alone say
        self._pair = field.pairs
        pairs = int(self._pair.max(initial=-1)) + 1
        self._by_pair = np.argsort(self._pair, kind="stable")
        self._ranges = Ranges.counted(np.bincount(self._pair, minlength=pairs))
        self._counts = np.zeros((2, pairs))
        self._asked = np.zeros(len(field), np.bool_)

    def apply(self, kind: Kind, rows: Rows, answer: Answer) -> tuple[Rows, int]:
        """Take an answer; return the blocks that changed, and how many contradictions there were."""
        own, odd = hear(self._answered, kind=kind, rows=rows, answer=answer, error=self.plan.believed_error)
        if not len(own):
            return own, odd
        about, yes = evidence(kind, rows, answer)
        self._asked[about] = True
        np.add.at(self._counts[int(yes)], self._pair[about], 1)
        same = self._by_pair[self._ranges.of(np.unique(self._pair[about]))[0]]
        blocks = np.union1d(own, self.state.blocks.block[same])
        self.state.put(blocks, self._answered)
        self._spread(blocks)
        return blocks, odd

    def _spread(self, blocks: Rows) -> None:
        """Put the present factors on the tuples of some blocks."""
        rows = self.state.blocks.rows.of(blocks)[0]
        no, yes = self._counts[:, self._pair[rows]]
        factor = ((yes + 1) / (no + 1)) ** self.plan.strength
        rows, factor = (each[(factor != 1) & ~self._asked[rows]] for each in (rows, factor))
        for some in rounds(self.state.blocks.block[rows]):
            weight = self.state.weight[rows[some]]
            open_rows = uncertain(weight)
            weight, by, told = weight[open_rows], factor[some][open_rows], rows[some][open_rows]
            if len(told):
                tell_labels(self.state, told, tilted(weight, by))

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Return what is needed to go on."""
        kept = {f"answered_{name}": getattr(self._answered, name) for name in STORED}
        return super().snapshot() | kept | {"evidence": self._counts, "evidence_asked": self._asked}

    def restore(self, snapshot: Mapping[str, NDArray[Any]]) -> None:
        """Go on from there."""
        super().restore(snapshot)
        _restore(self._answered, "answered", snapshot)
        self._counts[:] = snapshot["evidence"]
        self._asked[:] = snapshot["evidence_asked"]


def evidence(kind: Kind, rows: Rows, answer: Answer) -> tuple[Rows, bool]:
    """Return the tuples that an answer says are true, or are not.

    That a span is an entity says nothing of its label; that it is none says that it has no label.
    """
    if kind == "choice" and answer != -1:
        return np.array([answer], np.int64), True
    if kind == "span" and answer == "yes":
        return rows[:0], True
    return rows, answer == "yes"


def tilted(weight: Floats, factor: Floats) -> Floats:
    """Multiply the odds of probabilities, up to a cap: no evidence from elsewhere makes anything quite sure.

    >>> tilted(np.array([0.5, 0.5, 0.9999]), np.array([3.0, 1e-9, 3.0])).tolist()
    [0.75, 0.001, 0.9999]
    """
    found = weight * factor / (weight * factor + 1 - weight)
    rises = np.maximum(weight, np.minimum(found, 1 - CAP))
    falls = np.minimum(weight, np.maximum(found, CAP))
    return np.where(factor > 1, rises, falls)


STORED = ("world", "nothing", "unnamed")
"""What all else in a state follows from."""


def _restore(state: State, prefix: str, snapshot: Mapping[str, NDArray[Any]]) -> None:
    """Take over the probabilities of a snapshot."""
    for name in STORED:
        getattr(state, name)[:] = snapshot[f"{prefix}_{name}"]
    state.infer(np.arange(len(state.blocks)))

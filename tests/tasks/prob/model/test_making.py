"""From scores to blocks: each policy by hand, and against all sets of spans."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given

from comparanda.core.blocks import MOST_WORLDS, BuiltBlocks, Scored, make_blocks
from comparanda.core.probabilities import Overlap, Semantics
from comparanda.core.text_columns import Rows
from comparanda.errors import ReadError
from tests.tasks.prob.model.intervals import Interval, apart, fullest, given_no_overlap, scored_spans

Spans = list[tuple[int, int, str, float]]
"""Begin, end, label, score."""


def scored(spans: Spans, documents: list[int] | None = None) -> Scored:
    begin, end, label, weight = zip(*spans, strict=True) if spans else ((), (), (), ())
    codes = [sorted(set(label)).index(each) for each in label]
    owner = documents if documents is not None else [0] * len(spans)
    document, first, last, code = (np.array(each, np.int64) for each in (owner, begin, end, codes))
    return Scored(document=document, begin=first, end=last, label=code, weight=np.array(weight, np.float64))


def refuse(rows: Rows, what: str, hint: str) -> ReadError:
    return ReadError(f"{rows.tolist()}: {what}", hint=hint)


def make(
    spans: Spans,
    overlap: Overlap = "exclusive",
    semantics: Semantics = "exclusive",
    documents: list[int] | None = None,
) -> BuiltBlocks:
    return make_blocks(scored(spans, documents), overlap, semantics, refuse)


def weights(found: BuiltBlocks) -> list[float]:
    return [float(each) for each in found.beliefs.weight]


A, B, C = (0, 5, "A", 0.5), (3, 8, "B", 0.5), (7, 12, "C", 0.5)


class TestByHand:
    def test_two_that_overlap_exclude_each_other(self) -> None:
        found = make([(0, 4, "A", 0.3), (2, 6, "B", 0.6)]).beliefs
        assert found.weight.tolist() == [0.3, 0.6]
        assert found.block.tolist() == [0, 0]
        assert found.nothing.tolist() == pytest.approx([0.1])
        assert found.worlds is None

    def test_two_that_only_touch_do_not(self) -> None:
        found = make([(0, 4, "A", 0.9), (4, 6, "B", 0.6)]).beliefs
        assert found.block.tolist() == [0, 1]
        assert found.nothing.tolist() == pytest.approx([0.1, 0.4])

    def test_places_of_two_documents_do_not_overlap(self) -> None:
        found = make([(0, 4, "A", 0.9), (0, 4, "B", 0.6)], documents=[0, 1]).beliefs
        assert found.block.tolist() == [0, 1]

    def test_labels_of_one_span_are_one_alternative(self) -> None:
        found = make([(0, 4, "A", 0.3), (2, 6, "B", 0.1), (0, 4, "B", 0.4)]).beliefs
        assert found.alternative.tolist() == [0, 1, 0]
        assert found.entity.tolist() == pytest.approx([0.7, 0.1, 0.7])

    def test_a_chain_has_worlds_that_keep_the_weights(self) -> None:
        found = make([A, B, C]).beliefs
        assert found.weight.tolist() == [0.5, 0.5, 0.5]
        assert found.block.tolist() == [0, 0, 0]
        assert found.nothing.tolist() == [0.0]
        worlds = found.worlds
        assert worlds is not None
        assert (worlds.probability.tolist(), worlds.offsets.tolist()) == ([0.5, 0.5], [0, 2, 3])
        assert worlds.member.tolist() == [0, 2, 1]

    def test_worked_example_twelve(self) -> None:
        two = make([(0, 5, "A", 0.8), (3, 8, "B", 0.7)], "condition")
        assert weights(two) == pytest.approx([0.5454545, 0.3181818], abs=1e-7)
        assert two.beliefs.nothing.tolist() == pytest.approx([0.1363636], abs=1e-7)
        assert weights(make([A, B, C], "condition")) == pytest.approx([0.4, 0.2, 0.4])

    def test_independent_ones_are_blocks_of_their_own(self) -> None:
        found = make([A, B, C], "independent").beliefs
        assert (found.weight.tolist(), found.block.tolist()) == ([0.5] * 3, [0, 1, 2])
        assert found.nothing.tolist() == [0.5] * 3

    def test_scaled_ones_are_divided_by_what_is_too_much(self) -> None:
        found = make([(0, 5, "A", 0.6), (3, 8, "B", 0.9), (7, 12, "C", 0.3), (20, 21, "A", 0.9)], "scale")
        assert weights(found) == pytest.approx([0.4, 0.6, 0.2, 0.9])

    def test_labels_that_know_nothing_of_each_other_are_taken_one_by_one(self) -> None:
        spans = [(0, 5, "A", 0.9), (0, 5, "B", 0.8), (3, 8, "A", 0.1)]
        found = make(spans, semantics="independent").beliefs
        assert found.block.tolist() == [0, 1, 0]
        assert found.nothing.tolist() == pytest.approx([0.0, 0.2])

    def test_a_certain_one_among_scores_wins_almost_surely(self) -> None:
        found = make([(0, 5, "A", 1.0), (3, 8, "B", 0.7), (9, 10, "C", 1.0)], "condition")
        assert weights(found) == pytest.approx([1.0, 0.0, 1.0], abs=1e-8)
        assert weights(found)[2] == 1.0  # nothing is in its way

    def test_a_span_without_length_is_in_the_way_of_what_stands_there(self) -> None:
        found = make([(3, 3, "A", 0.3), (2, 5, "B", 0.3), (3, 3, "B", 0.3), (9, 9, "A", 0.5)]).beliefs
        assert found.block.tolist() == [0, 0, 0, 1]

    def test_what_weighs_nothing_stays_and_is_in_no_world(self) -> None:
        found = make([A, B, C, (4, 6, "A", 0.0)]).beliefs
        assert found.weight.tolist() == [0.5, 0.5, 0.5, 0.0]
        assert found.worlds is not None
        assert 3 not in found.worlds.member

    def test_nothing_is_made_of_nothing(self) -> None:
        for overlap in ("exclusive", "condition", "independent", "scale"):
            found = make([], overlap)
            assert len(found.beliefs) == len(found.beliefs.nothing) == 0


class TestTheSameTwice:
    TWICE: ClassVar = [(0, 4, "A", 0.3), (2, 6, "B", 0.1), (0, 4, "A", 0.4)]

    @pytest.mark.parametrize("overlap", ["exclusive", "scale"])
    def test_weights_that_exclude_each_other_are_added(self, overlap: Overlap) -> None:
        found = make(self.TWICE, overlap)
        assert found.rows.tolist() == [0, 1]
        assert weights(found) == pytest.approx([0.7, 0.1])

    @pytest.mark.parametrize("overlap", ["condition", "independent"])
    def test_others_are_refused(self, overlap: Overlap) -> None:
        with pytest.raises(ReadError, match=r"\[2, 0\]: duplicate span with the same label"):
            make(self.TWICE, overlap)


class TestTooMuch:
    def test_overlapping_ones_above_one_are_refused(self) -> None:
        with pytest.raises(ReadError, match=r"\[0, 1\]: 2 overlapping tuples have probabilities that sum to 1.5"):
            make([(0, 4, "A", 0.8), (2, 6, "B", 0.7)])

    def test_the_same_twice_may_be_too_much_by_itself(self) -> None:
        with pytest.raises(ReadError, match=r"\[0\]: the same tuple has probabilities that sum to 1.3"):
            make([(0, 4, "A", 0.8), (0, 4, "A", 0.5)])

    def test_a_chain_is_refused_where_it_is_too_full(self) -> None:
        with pytest.raises(ReadError, match=r"\[1, 2\]: .* sum to 1.1"):
            make([(0, 5, "A", 0.4), (3, 8, "B", 0.5), (7, 12, "C", 0.6)])

    def test_a_rounded_sum_is_divided(self) -> None:
        found = make([(0, 4, "A", 0.5), (2, 6, "B", 0.5 + 5e-7)])
        assert sum(weights(found)) == pytest.approx(1.0, abs=1e-12)
        assert found.beliefs.nothing.tolist() == pytest.approx([0.0], abs=1e-12)

    def test_two_certain_ones_cannot_be_conditioned(self) -> None:
        with pytest.raises(ReadError, match=r"\[0, 2\]: 2 overlapping tuples are all certain"):
            make([(0, 5, "A", 1.0), (1, 2, "A", 0.5), (3, 8, "B", 1.0)], "condition")
        make([(0, 5, "A", 1.0), (3, 8, "B", 0.5), (7, 12, "C", 1.0)], "condition")  # these two do not overlap


class TestTooManyWorlds:
    def test_the_least_likely_go(self) -> None:
        spans = [(place, place + 2, "A", 0.01 + place / 1000) for place in range(40)]
        found = make(spans)
        left, gone = found.rows.tolist(), found.left_out.tolist()
        assert gone == list(range(25))  # 15 spans have 1,597 sets, 16 have 2,584
        assert left == list(range(25, 40))
        worlds = found.beliefs.worlds
        assert worlds is not None
        assert np.bincount(worlds.block).max() < MOST_WORLDS
        assert weights(found) == pytest.approx([spans[row][3] for row in left])

    def test_no_more_than_must(self) -> None:
        spans = [(place, place + 2, "A", 0.3) for place in range(14)]  # 987 sets
        assert make(spans).left_out.tolist() == []
        spans = [(place, place + 2, "A", 0.3) for place in range(17)]  # 4,181 sets; without the first, 2,584
        assert make(spans).left_out.tolist() == [0, 1]


@pytest.mark.parametrize("overlap", ["exclusive", "condition", "scale"])
@given(case=scored_spans())
def test_blocks_against_all_sets_of_spans(overlap: Overlap, case: tuple[list[Interval], list[float]]) -> None:
    spans, scores = case
    tuples = [(*span, str(number), score) for number, (span, score) in enumerate(zip(spans, scores, strict=True))]
    full = fullest(spans, scores)
    if overlap == "exclusive" and full > 1:
        with pytest.raises(ReadError, match="sum to"):
            make(tuples)
        return
    found = make(tuples, overlap).beliefs
    if overlap == "condition":
        wanted = given_no_overlap(spans, scores)
        marginal = [sum(p for each, p in wanted.items() if span in each) for span in range(len(spans))]
        assert found.weight.tolist() == pytest.approx(marginal, abs=1e-9)
    elif overlap == "exclusive":
        assert found.weight.tolist() == pytest.approx(scores)
    for one in range(len(spans)):
        for other in range(one):
            if not apart(spans[one], spans[other]):
                assert found.block[one] == found.block[other]
    total = np.bincount(found.block, found.weight)
    alone = found.exclusive
    assert found.nothing[alone] == pytest.approx(np.maximum(1 - total[alone], 0), abs=1e-9)
    if found.worlds is not None:
        _check_worlds(
            found.worlds.probability,
            world=found.worlds.world,
            member=found.worlds.member,
            weight=found.weight,
            spans=spans,
        )
        sums = np.bincount(found.worlds.block, found.worlds.probability, len(found.nothing))
        assert found.nothing[~alone] == pytest.approx(np.maximum(1 - sums[~alone], 0), abs=1e-9)


def _check_worlds(
    probability: np.ndarray, world: Rows, member: Rows, weight: np.ndarray, *, spans: list[Interval]
) -> None:
    """In no world two spans overlap, and the worlds of a span sum to its weight."""
    for each in range(len(probability)):
        rows = member[world == each].tolist()
        assert all(apart(spans[one], spans[other]) for one in rows for other in rows if one != other)
    sums = np.bincount(member, probability[world], len(weight))
    inside = np.isin(np.arange(len(weight)), member)
    assert sums[inside] == pytest.approx(weight[inside], abs=1e-9)

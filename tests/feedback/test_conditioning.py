"""What an answer does to its block: W9, W13 and W15, in any order, against impossible answers, and with worlds."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparanda.feedback.field import Field
from comparanda.feedback.protocol import Plan
from comparanda.feedback.state import (
    State,
    Statistical,
    apply_answer,
    compute_posterior,
    condition_on_labels,
    condition_on_none,
    condition_on_spans,
    tilt_odds,
)
from tests.feedback.fields import Block, drawn, field, listed
from tests.tasks.prob.worked import examples

W2: Block = [(0.3, [(1.0, False)]), (0.6, [(0.9, True), (0.1, False)])]
NEW_YORK, TIMES_ORG, TIMES_LOC = range(3)


def rows(*numbers: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array(numbers, np.int64)


def told(state: State, row: int, *, yes: bool, kind: str = "label", error: float = 0.0) -> int:
    """Answer one question; return how many contradictions it makes."""
    answer = "yes" if yes else "no"
    return apply_answer(state, kind=kind, rows=rows(row), answer=answer, error=error)[1]  # type: ignore[arg-type]


def start(made: Field) -> State:
    return made.start.copy()


# The worked examples, by hand and from their file


def test_two_noes_share_out_what_is_left() -> None:
    state = start(field([W2]))
    told(state, TIMES_LOC, yes=False)
    assert state.weight == pytest.approx([0.3191489, 0.5744681, 0], abs=1e-6)
    assert state.nothing[0] == pytest.approx(0.1063830, abs=1e-6)
    assert state.entity == pytest.approx([0.3191489, 0.5744681], abs=1e-6)
    told(state, NEW_YORK, yes=False, kind="span")
    assert state.weight == pytest.approx([0, 0.84375, 0], abs=1e-9)
    assert state.nothing[0] == pytest.approx(0.15625, abs=1e-9)


def test_the_ninth_worked_example() -> None:
    shared = examples()
    blocks = shared[shared["W9"]["blocks"]]["blocks"]
    made = [
        [(span["p"], [(each["p"], each["correct"]) for each in span["labels"]]) for span in each] for each in blocks
    ]
    state = start(field(made))
    (_, first, after_one), (_, second, after_two) = shared["W9"]["answers"]
    told(state, TIMES_LOC, yes=first == "yes")
    assert state.weight[:2] == pytest.approx([after_one["New York"], after_one["New York Times ORG"]], abs=1e-6)
    assert state.nothing[0] == pytest.approx(after_one["none"], abs=1e-6)
    told(state, NEW_YORK, yes=second == "yes", kind="span")
    assert state.weight[1] == pytest.approx(after_two["New York Times ORG"], abs=1e-6)
    assert state.nothing[0] == pytest.approx(after_two["none"], abs=1e-6)


def test_a_user_who_may_err_is_half_believed() -> None:
    for yes, wanted in ((True, 0.9545455), (False, 0.2058824)):
        state = start(field([[(0.7, [(1.0, True)])]]))
        told(state, 0, yes=yes, error=0.1)
        assert state.weight[0] == pytest.approx(wanted, abs=1e-6)
        assert state.nothing[0] == pytest.approx(1 - wanted, abs=1e-6)


def test_the_thirteenth_worked_example() -> None:
    shared = examples()["W13"]
    error = float(shared["user"].split()[1])
    for answer, wanted in shared["expect"].items():
        (found,) = compute_posterior(np.array([shared["w"]]), yes=np.array([answer == "yes"]), error=error)
        assert found == pytest.approx(wanted, abs=1e-6)


def test_a_no_to_a_label_lowers_its_span() -> None:
    state = start(field([[(0.5, [(0.6, True), (0.4, False)]), (0.45, [(1.0, False)])]]))  # W15
    told(state, 1, yes=False)
    assert state.entity == pytest.approx([0.375, 0.5625], abs=1e-9)
    assert state.weight == pytest.approx([0.375, 0, 0.5625], abs=1e-9)


# Each kind of answer


def test_a_yes_to_a_label_settles_the_block() -> None:
    state = start(field([W2]))
    assert told(state, TIMES_ORG, yes=True) == 0
    assert state.weight.tolist() == [0, 1, 0]
    assert (state.nothing.tolist(), state.entity.tolist()) == ([0], [0, 1])


def test_a_yes_to_a_span_keeps_the_shares_of_its_labels() -> None:
    state = start(field([W2]))
    told(state, TIMES_LOC, yes=True, kind="span")
    assert state.weight == pytest.approx([0, 0.9, 0.1])
    assert state.entity == pytest.approx([0, 1])
    assert state.nothing.tolist() == [0]


def test_labels_without_a_name_stay_with_their_span() -> None:
    state = start(field([[(0.8, [(0.5, True), (0.2, False)])]]))  # W4: 0.24 is for labels that no tuple has
    told(state, 0, yes=False)
    assert state.weight == pytest.approx([0, 0.16 / 0.6])
    assert state.entity == pytest.approx([0.4 / 0.6])
    assert state.nothing == pytest.approx([0.2 / 0.6])
    told(state, 1, yes=True, kind="span")
    assert state.entity == pytest.approx([1.0])
    assert state.weight == pytest.approx([0, 0.16 / 0.4])


def test_none_of_these_leaves_nothing() -> None:
    state = start(field([[(0.8, [(0.5, True), (0.2, False)])], [(0.5, [(1.0, True)])]]))
    assert apply_answer(state, kind="choice", rows=rows(0, 1), answer=-1, error=0.0)[1] == 0
    assert state.weight.tolist() == [0, 0, 0.5]
    assert (state.nothing.tolist(), state.entity.tolist()) == ([1, 0.5], [0, 0.5])


def test_none_of_these_from_a_user_who_may_err() -> None:
    state = start(field([[(0.7, [(1.0, True)])]]))
    apply_answer(state, kind="choice", rows=rows(0), answer=-1, error=0.1)
    assert state.weight[0] == pytest.approx(0.2058824, abs=1e-6)  # as a no
    assert state.nothing[0] == pytest.approx(1 - 0.2058824, abs=1e-6)


def test_a_choice_is_a_yes() -> None:
    state = start(field([W2]))
    apply_answer(state, kind="choice", rows=rows(0, 1, 2), answer=1, error=0.0)
    assert state.weight.tolist() == [0, 1, 0]


def test_an_answer_about_a_text_is_one_about_each_of_its_tuples() -> None:
    state = start(field([W2, W2]))
    blocks, _ = apply_answer(state, kind="group", rows=rows(1, 4), answer="no", error=0.0)
    assert blocks.tolist() == [0, 1]
    assert state.weight[[1, 4]].tolist() == [0, 0]
    assert state.weight[0] == state.weight[3] == pytest.approx(0.3 / 0.46)


@pytest.mark.parametrize("answer", ["unsure", "mixed"])
def test_no_answer_changes_nothing(answer: Any) -> None:
    state = start(field([W2]))
    blocks, odd = apply_answer(state, kind="group", rows=rows(0), answer=answer, error=0.0)
    assert (len(blocks), odd) == (0, 0)
    assert state.weight.tolist() == field([W2]).start.weight.tolist()


# Impossible answers


def test_a_no_to_what_is_certain_leaves_nothing_and_is_counted() -> None:
    state = start(field([[(1.0, [(1.0, False)])]]))
    assert told(state, 0, yes=False) == 1
    assert (state.weight.tolist(), state.entity.tolist(), state.nothing.tolist()) == ([0], [0], [1])
    assert told(state, 0, yes=True) == 1
    assert (state.weight.tolist(), state.entity.tolist(), state.nothing.tolist()) == ([1], [1], [0])


def test_a_yes_to_a_span_that_was_impossible_leaves_its_label_open() -> None:
    state = start(field([[(0.0, [(0.9, True), (0.1, False)]), (0.7, [(1.0, False)])]]))
    assert told(state, 0, yes=True, kind="span") == 1
    assert (state.weight.tolist(), state.entity.tolist(), state.nothing.tolist()) == ([0.5, 0.5, 0], [1, 0], [0])


def test_none_of_what_is_certain_is_counted() -> None:
    state = start(field([[(1.0, [(0.5, False), (0.5, True)])]]))
    assert condition_on_none(state, rows(0), rows(0, 1)) == 1
    assert (state.weight.tolist(), state.nothing.tolist()) == ([0, 0], [1])


def test_who_may_err_cannot_contradict() -> None:
    state = start(field([[(1.0, [(1.0, False)])]]))
    assert told(state, 0, yes=False, error=0.1) == 0
    assert state.weight.tolist() == [1]


# Blocks whose tuples can be true together


BEST = [(0.5, [0, 1]), (0.3, [1]), (0.1, [2])]  # and 0.1 for a world without tuples


def test_an_answer_strikes_out_worlds() -> None:
    state = start(listed(BEST, [True, True, False]))
    assert state.weight == pytest.approx([0.5, 0.8, 0.1])
    told(state, 0, yes=False)
    assert state.weight == pytest.approx([0, 0.6, 0.2])
    assert state.nothing == pytest.approx([0.2])
    told(state, 1, yes=True)
    assert state.weight.tolist() == [0, 1, 0]
    assert state.nothing.tolist() == [0]


def test_a_yes_keeps_what_is_true_together() -> None:
    state = start(listed(BEST, [True, True, False]))
    told(state, 1, yes=True)
    assert state.weight == pytest.approx([0.625, 1, 0])
    assert state.entity == pytest.approx(state.weight)


def test_a_no_agrees_with_the_worlds_that_are_not_listed() -> None:
    state = start(listed([(0.6, [0]), (0.3, [0, 1])], [True, True]))
    assert told(state, 0, yes=False) == 0
    assert state.weight.tolist() == [0, 0]
    assert state.nothing == pytest.approx([1.0])


def test_what_no_world_says_is_true_alone() -> None:
    made = listed([(1.0, [0, 1])], [False, False, True][:2])
    state = start(made)
    told(state, 0, yes=True)
    assert told(state, 1, yes=False) == 1
    assert (state.weight.tolist(), state.nothing.tolist()) == ([0, 0], [1])
    assert told(state, 1, yes=True) == 1
    assert state.weight.tolist() == [0, 1]
    worlds = state.beliefs(made.candidates.beliefs).worlds
    assert worlds is not None
    assert worlds.probability[worlds.probability > 0].tolist() == [1]
    assert worlds.member[worlds.offsets[len(worlds) - 1] :].tolist() == [1]


def test_none_of_these_in_a_block_with_worlds() -> None:
    state = start(listed(BEST, [True, True, False]))
    assert condition_on_none(state, rows(0), rows(0, 1, 2)) == 0
    assert (state.weight.tolist(), state.nothing.tolist()) == ([0, 0, 0], [1])


# Orders and shares


Answers = list[tuple[int, str]]


@given(st.integers(0, 10**6), st.data())
def test_the_order_of_answers_does_not_matter(seed: int, data: st.DataObject) -> None:
    made = drawn(seed, 1)
    size = len(made)
    asked = data.draw(st.lists(st.integers(0, size - 1), min_size=min(2, size), max_size=3, unique=True))
    kinds = [data.draw(st.sampled_from(["label", "span"])) for _ in asked]
    error = data.draw(st.sampled_from([0.0, 0.2]))
    yes = [bool(error) and data.draw(st.booleans()) for _ in asked]  # two yeses that are believed exclude each other
    found = []
    for order in permutations(range(len(asked))):
        state = start(made)
        odd = sum(told(state, asked[i], yes=yes[i], kind=kinds[i], error=error) for i in order)
        if not odd:  # a no to all that there was is another matter
            found.append(np.concatenate([state.weight, state.entity, state.nothing]))
    for each in found[1:]:
        assert each == pytest.approx(found[0], abs=1e-9)


@given(st.integers(0, 10**6), st.booleans(), st.sampled_from(["label", "span"]), st.sampled_from([0.0, 0.3]))
def test_what_is_left_is_one(seed: int, yes: bool, kind: str, error: float) -> None:
    state = start(drawn(seed, 2))
    told(state, 0, yes=yes, kind=kind, error=error)
    spans = state.blocks.spans.of(np.arange(2))
    whole = np.bincount(spans[1], state.entity[spans[0]], 2) + state.nothing
    assert whole == pytest.approx([1, 1], abs=1e-9)
    named = np.bincount(state.blocks.span, state.weight, len(state.entity)) + state.unnamed
    assert named == pytest.approx(state.entity, abs=1e-9)
    assert state.weight.min() >= 0


def test_many_at_once_are_as_one_by_one() -> None:
    made = drawn(5, 12)
    first = made.start.blocks.rows.offsets[:-1]
    together, apart = start(made), start(made)
    target = np.where(np.arange(len(first)) % 2 == 0, 1.0, 0.0)
    condition_on_labels(together, first, target)
    for row, goal in zip(first, target, strict=True):
        condition_on_labels(apart, rows(row), np.array([goal]))
    for name in ("world", "weight", "entity", "nothing", "unnamed"):
        assert getattr(together, name).tolist() == getattr(apart, name).tolist(), name
    condition_on_spans(together, first, 1 - target)
    assert together.entity[together.blocks.span[first]] == pytest.approx(1 - target)


# Evidence for the same text elsewhere


def spread(made: Field, answers: Answers, **options: Any) -> State:
    state = start(made)
    handler = Statistical(Plan(strategy="entropy", handler="statistical", **options), state, made)
    for row, answer in answers:
        handler.apply("label", rows(row), answer)  # type: ignore[arg-type]
    return state


SAME = [[(0.5, [(0.8, True), (0.2, False)])]] * 3


def test_a_yes_doubles_the_odds_of_the_same_text_and_label() -> None:
    state = spread(field(SAME, texts=["a", "A", "b"]), [(0, "yes")])
    odds = 0.4 / 0.6 * 2
    assert state.weight[2] == pytest.approx(odds / (1 + odds))
    rest = (1 - state.weight[2]) / 0.6
    assert state.weight[3] == pytest.approx(0.1 * rest)  # the other label of that span
    assert state.nothing[1] == pytest.approx(0.5 * rest)
    assert state.entity[1] == pytest.approx(state.weight[2] + state.weight[3])
    assert state.weight[4:].tolist() == [0.4, 0.1]  # another text


def test_a_tuple_carries_the_present_factor_not_all_before() -> None:
    made = field([*SAME, *SAME], texts=["a"] * 6)
    state = spread(made, [(0, "yes"), (2, "yes"), (4, "no")])
    odds = 0.4 / 0.6 * 3 / 2
    assert state.weight[6] == pytest.approx(odds / (1 + odds))
    again = spread(made, [(4, "no"), (0, "yes"), (2, "yes")])
    assert again.weight == pytest.approx(state.weight, abs=1e-12)


def test_an_answer_to_the_tuple_itself_is_not_overruled() -> None:
    made = field([*SAME, *SAME], texts=["a"] * 6)
    state = spread(made, [(0, "no"), (2, "yes"), (4, "yes"), (6, "yes")])
    assert state.weight[0] == 0
    assert state.weight[[2, 4, 6]].tolist() == [1, 1, 1]
    assert state.weight[1] == pytest.approx(0.1 / 0.6)  # what its no left to the other label


def test_strength_is_an_exponent() -> None:
    state = spread(field(SAME, texts=["a"] * 3), [(0, "yes")], strength=2.0)
    odds = 0.4 / 0.6 * 4
    assert state.weight[2] == pytest.approx(odds / (1 + odds))
    assert spread(field(SAME, texts=["a"] * 3), [(0, "yes")], strength=0.0).weight[2] == 0.4


def test_evidence_never_makes_sure() -> None:
    assert tilt_odds(np.array([0.5]), np.array([1e9])).tolist() == [0.999]
    assert tilt_odds(np.array([0.5]), np.array([1e-9])).tolist() == [0.001]
    assert tilt_odds(np.array([0.0002]), np.array([0.5])).tolist() == [0.0002]  # no evidence speaks against itself


def test_evidence_is_what_was_said_of_labels() -> None:
    made = field([*SAME, *SAME], texts=["a"] * 6)
    for kind, about, answer, factor in (
        ("span", (0, 1), "no", 0.5),
        ("span", (0, 1), "yes", 1.0),
        ("choice", (0, 1), 0, 2.0),
        ("choice", (0, 1), -1, 0.5),
    ):
        state = start(made)
        Statistical(Plan(strategy="entropy", handler="statistical"), state, made).apply(kind, rows(*about), answer)  # type: ignore[arg-type]
        first = 0.4 * factor
        second = 0.1 * (factor if answer in ("no", -1) else 1.0)
        whole = first + second + 0.5
        assert state.weight[2:4] == pytest.approx([first / whole, second / whole]), (kind, answer)

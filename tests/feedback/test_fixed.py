"""Whole runs at once are the runs question by question."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparanda.feedback import simulation
from comparanda.feedback.field import Field, field_of
from comparanda.feedback.protocol import FIXED, Plan, User
from comparanda.feedback.simulation import Curve, Simulation, is_fixed, simulate
from tests.feedback.fields import Block, drawn, field, listed
from tests.seeds import draws, first_few


def stepped(made: Field, plan: Plan) -> Curve:
    run = Simulation(made, plan)
    while run.step():
        pass
    return run.curve()


def same(one: Curve, other: Curve) -> None:
    assert one.asked.tolist() == other.asked.tolist()
    assert one.answers.tolist() == other.answers.tolist()
    assert list(one.columns) == list(other.columns)
    for name, values in one.columns.items():
        assert values == pytest.approx(other.columns[name], abs=1e-9, nan_ok=True), name


@settings(max_examples=draws(60))
@given(
    seed=st.integers(0, 10**6),
    strategy=st.sampled_from(FIXED),
    budget=st.sampled_from([None, 0, 1, 3, 7]),
    single=st.booleans(),
    min_weight=st.sampled_from([0.0, 0.4]),
)
def test_at_once_as_one_by_one(
    *, seed: int, strategy: str, budget: int | None, single: bool, min_weight: float
) -> None:
    made = drawn(seed, 1 + seed % 9, single=single)
    plan = Plan(strategy=strategy, budget=budget, seed=seed, min_weight=min_weight)
    assert is_fixed(plan)
    same(simulate(made, plan), stepped(made, plan))


@pytest.mark.parametrize("strategy", first_few(2, FIXED))
def test_a_budget_in_the_middle_of_many(strategy: str) -> None:
    """Many tuples are settled before their turn: more than at first thought must be looked at."""
    made = drawn(7, 150, words=20)
    for budget in (100, 1000):
        plan = Plan(strategy=strategy, budget=budget, seed=5)
        same(simulate(made, plan), stepped(made, plan))


def test_most_are_settled_before_their_turn() -> None:
    settled: Block = [(0.8, [(0.1, label == 0) for label in range(8)])]
    made = field([settled] * 40)
    for budget in (20, 40, 50):
        plan = Plan(strategy="document", budget=budget)
        curve = simulate(made, plan)
        assert curve.asked[1:].tolist() == [8 * block for block in range(min(budget, 40))]
        same(curve, stepped(made, plan))


@pytest.mark.parametrize("strategy", FIXED)
def test_a_scope_counts_and_asks_its_own(strategy: str) -> None:
    whole = drawn(11, 30)
    made = field_of(whole.candidates, 9, whole.candidates.label == 0)
    plan = Plan(strategy=strategy, seed=1)
    curve = simulate(made, plan)
    same(curve, stepped(made, plan))
    assert (made.candidates.label[curve.asked[1:]] == 0).all()


def test_sums_made_anew_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "RESUM", 7)
    made = drawn(3, 30)
    same(simulate(made, Plan(strategy="document")), stepped(made, Plan(strategy="document")))


@pytest.mark.parametrize(
    "plan",
    [
        Plan(strategy="entropy"),
        Plan(strategy="random", kind="span"),
        Plan(strategy="random", handler="statistical"),
        Plan(strategy="random", user=User(flip=0.1)),
        Plan(strategy="random", believed_error=0.1),
        Plan(strategy="random", ask_certain=True),
    ],
)
def test_what_depends_on_more_than_the_block_is_asked_one_by_one(plan: Plan) -> None:
    made = drawn(1, 5)
    assert not is_fixed(plan)
    same(simulate(made, plan), stepped(made, plan))


@pytest.mark.parametrize("strategy", FIXED)
def test_blocks_with_worlds_at_once(strategy: str) -> None:
    made = listed([(0.5, [0, 1]), (0.3, [1, 2]), (0.1, [])], [False, True, True], texts=["a", "b", "a"])
    plan = Plan(strategy=strategy)
    curve = simulate(made, plan)
    assert 1 <= len(curve) <= 3
    same(curve, stepped(made, plan))


def test_hierarchical_decisions_at_once() -> None:
    made = drawn(4, 20)
    plan = Plan(strategy="high", decide="hierarchical")
    same(simulate(made, plan), stepped(made, plan))


def test_nothing_to_ask() -> None:
    for made in (field([], 2), field([[(1.0, [(1.0, True)])]], 2)):
        curve = simulate(made, Plan(strategy="random"))
        assert len(curve) == 0
        assert curve.asked.tolist() == [-1]
        assert curve.columns["f1"].tolist() == stepped(made, Plan(strategy="random")).columns["f1"].tolist()


def test_one_call_tells_how_far_it_is() -> None:
    heard: list[int] = []
    curve = simulate(drawn(1, 10), Plan(strategy="high", budget=6), heard.append)
    assert heard == [6] == [len(curve)]
    simulate(drawn(1, 10), Plan(strategy="entropy", budget=6), heard.append)
    assert heard[1:] == [1, 2, 3, 4, 5, 6]


def test_random_orders_differ_by_seed_and_repeat() -> None:
    made = drawn(1, 20)
    first, again, other = (simulate(made, Plan(strategy="random", seed=seed)).asked.tolist() for seed in (1, 1, 2))
    assert first == again != other
    assert np.unique(first[1:]).size == len(first) - 1

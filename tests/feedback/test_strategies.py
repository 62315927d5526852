"""Which question comes first, by every strategy: small enough to count, and against scores counted anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparanda.errors import UsageError
from comparanda.feedback.field import Field, field_of
from comparanda.feedback.protocol import KINDS, STRATEGIES, Plan, Question
from comparanda.feedback.simulation import Simulation
from comparanda.feedback.strategies import SIZE, Classes, Tournament
from tests.feedback.fields import Block, drawn, field, listed
from tests.seeds import draws

# Weights by row: 0.9 | 0.6 0.3 | 0.5 | 0.2, each block with what is left for nothing.
FOUR: list[Block] = [
    [(0.9, [(1.0, True)])],
    [(0.6, [(1.0, False)]), (0.3, [(1.0, True)])],
    [(0.5, [(1.0, False)])],
    [(0.2, [(1.0, True)])],
]


def ranked(made: Field, strategy: str, **options: Any) -> list[int]:
    """Return all questions, the best first, by the rows that stand for them."""
    run = Simulation(made, Plan(strategy=strategy, **options))
    return [each.tuple_row for each in run.ranking(len(made), per_block=len(made))]


@pytest.mark.parametrize(
    ("strategy", "wanted"),
    [
        ("document", [0, 1, 2, 3, 4]),
        ("high", [0, 1, 3, 2, 4]),
        ("low", [4, 2, 3, 1, 0]),
        ("entropy", [3, 1, 2, 4, 0]),
        ("infogain", [3, 1, 2, 4, 0]),
        ("margin", [3, 1, 4, 0, 2]),  # 0.5 less 0.5, 0.6 less 0.3, 0.8 less 0.2, 0.9 less 0.1; then its rival
    ],
)
def test_the_order_of_label_questions(strategy: str, wanted: list[int]) -> None:
    assert ranked(field(FOUR), strategy) == wanted


def test_ties_go_to_the_first() -> None:
    made = field([[(p, [(1.0, True)])] for p in (0.7, 0.3, 1 - 0.7, 0.7)])
    assert ranked(made, "entropy") == [0, 1, 2, 3]
    assert ranked(made, "high") == [0, 3, 1, 2]
    assert ranked(made, "low") == [1, 2, 0, 3]


def test_documents_go_in_the_order_of_the_key() -> None:
    made = field(FOUR)
    run = replace(made.candidates, document=np.array([1, 0, 0, 2, 0], np.int32))
    assert ranked(field_of(run, 3), "document") == [1, 2, 4, 0, 3]


def test_groups_are_texts() -> None:
    made = field(FOUR, texts=["a", "b", "B", "b", "c"])
    assert ranked(made, "group_size") == [1, 2, 3, 0, 4]  # three times b
    doubt = {"a": 0.47, "b": 0.97 + 0.88 + 1.0, "c": 0.72}
    assert sorted(doubt, key=doubt.__getitem__) == ["a", "c", "b"]
    assert ranked(made, "group_entropy") == [1, 2, 3, 4, 0]


def test_a_text_that_is_known_is_left() -> None:
    made = field(FOUR, texts=["a", "b", "b", "c", "c"])
    run = Simulation(made, Plan(strategy="group_entropy"))
    first = run.next_question()
    assert first == Question("label", 1)  # 0.97 + 0.88 bits against 1 + 0.72
    run.take(first, "yes")
    assert [each.tuple_row for each in run.ranking(5)] == [3, 4, 0]


def test_the_margin_is_led_by_the_best_that_is_open() -> None:
    made = field([[(0.2, [(1.0, False)]), (0.4, [(1.0, False)]), (0.35, [(1.0, True)])]])
    run = Simulation(made, Plan(strategy="margin"))
    assert run.next_question() == Question("label", 1)
    run.take(Question("label", 1), "unsure")
    assert run.next_question() == Question("label", 2)


def test_the_margin_of_worlds() -> None:
    together = listed([(0.9, [0, 1]), (0.1, [0])], [True, True])
    assert [each.tuple_row for each in Simulation(together, Plan(strategy="margin")).ranking(3, per_block=3)] == [1]
    level = listed([(0.5, [0, 1]), (0.4, [2]), (0.1, [1])], [True, True, False])
    assert Simulation(level, Plan(strategy="margin")).next_question() == Question(
        "label", 0
    )  # 0.5 rather than 0.6 or 0.4


@pytest.mark.parametrize(
    ("strategy", "kind", "wanted"),
    [
        ("high", "span", [0, 1, 4, 3]),  # 0.9 | 0.6, 0.3 | 0.5
        ("entropy", "span", [4, 1, 3, 0]),
        ("margin", "span", [4, 1, 0, 3]),
        ("high", "choice", [0, 4, 1]),  # 0.9 | 0.48, 0.12, 0.3 | 0.5
        ("entropy", "choice", [1, 4, 0]),
        ("infogain", "choice", [1, 4, 0]),
        ("margin", "choice", [4, 1, 0]),
    ],
)
def test_spans_and_choices(strategy: str, kind: str, wanted: list[int]) -> None:
    made = field([FOUR[0], [(0.6, [(0.8, False), (0.2, True)]), (0.3, [(1.0, False)])], FOUR[2]])
    assert ranked(made, strategy, kind=kind) == wanted


def test_questions_about_a_text_and_a_label() -> None:
    two: Block = [(0.8, [(0.75, True), (0.25, False)])]  # 0.6 and 0.2
    made = field([two, two, [(0.5, [(1.0, True)])]], texts=["a", "a", "b"])
    assert ranked(made, "document", kind="group") == [0, 1, 4]
    assert ranked(made, "group_size", kind="group") == [0, 1, 4]
    assert ranked(made, "high", kind="group") == [0, 4, 1]
    assert ranked(made, "entropy", kind="group") == [0, 1, 4]  # twice 0.97, twice 0.72, once 1
    # Always, at 0.36, settles two blocks of 1.37 bits, and never, at 0.16, leaves 1 bit of each: 1.11 bits in all;
    # of the other label 0.04 · 2.74 + 0.64 · 2 · (1.37 − 0.81) = 0.83; of the other text 1.
    assert ranked(made, "infogain", kind="group") == [0, 4, 1]


# The claimed gain, and the true one


def claimed_gain(made: Field, run: Simulation, row: int) -> float:
    """Count 2·dC − F·dN of a label question of an exclusive block anew, by the formula."""
    beliefs, decided = run.beliefs(), run.decided()
    weight, own = beliefs.weight, beliefs.block == beliefs.block[row]
    claimed = 2 * weight[decided].sum() / (decided.sum() + weight.sum())
    others = own.copy()
    others[row] = False
    second = weight[others].max(initial=0.0)
    chosen = second > 0 and second >= beliefs.nothing[beliefs.block[row]] - 1e-9
    gained = weight[row] + second * chosen - weight[own & decided].sum()
    found = weight[row] + (1 - weight[row]) * chosen - (own & decided).sum()
    return float(2 * gained - claimed * found)


@settings(max_examples=draws(25))
@given(st.integers(0, 10**6))
def test_the_expected_gain_is_that_of_the_formula(seed: int) -> None:
    made = drawn(seed, 6)
    run = Simulation(made, Plan(strategy="fgain", budget=8))
    while (question := run.next_question()) is not None:
        weight = run.beliefs().weight
        open_rows = np.flatnonzero((weight > 1e-9) & (weight < 1 - 1e-9))
        gains = {int(row): claimed_gain(made, run, int(row)) for row in open_rows}
        assert gains[question.tuple_row] >= max(gains.values()) - 1e-9
        run.step()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("decide", ["tuple", "hierarchical"])
@pytest.mark.parametrize("seed", range(2))
def test_the_oracle_asks_what_helps_most(kind: Any, decide: Any, seed: int) -> None:
    made = drawn(seed, 5, single=False)
    plan = Plan(strategy="oracle", budget=6, kind=kind, decide=decide)
    run = Simulation(made, plan)
    while (question := run.next_question()) is not None:
        stored, gains = run.snapshot(), {}
        for each in run.ranking(99, per_block=99):
            after = Simulation.restored(made, plan, stored)
            after.take(each, after._user.truth(kind, after._question_rows(each)))
            gains[each.tuple_row] = after.curve().columns["f1"][-1]
        assert gains[question.tuple_row] >= max(gains.values()) - 1e-9
        run.step()


def test_the_oracle_needs_a_key() -> None:
    with pytest.raises(UsageError, match="'oracle' requires a key"):
        Simulation(field_of(field(FOUR).candidates), Plan(strategy="oracle"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("strategy", [each for each in STRATEGIES if each != "oracle"])
def test_no_strategy_looks_at_the_key(strategy: str, kind: Any) -> None:
    """The same answers bring the same questions, whatever the key says."""
    made = drawn(6, 6)
    other = field_of(replace(made.candidates, correct=~made.candidates.correct), 40)
    without = field_of(replace(made.candidates, correct=np.zeros(len(made), np.bool_)))
    runs = [
        Simulation(each, Plan(strategy=strategy, budget=8, kind=kind, handler="statistical"))
        for each in (made, other, without)
    ]
    while (question := runs[0].next_question()) is not None:
        answer: Any = ("yes", "no", "no", "unsure")[len(runs[0]) % 4]
        if kind == "choice":
            answer = {"yes": question.tuple_row, "no": -1, "unsure": "unsure"}[answer]
        for run in runs:
            assert run.next_question() == question
            run.take(question, answer)
    assert np.isnan(runs[2].curve().columns["f1"]).all()
    assert not np.isnan(runs[2].curve().columns["claimed_f1"]).any()


# The best of many


@given(st.integers(0, 10**6), st.booleans())
def test_the_best_of_many_is_found(seed: int, moving: bool) -> None:
    draw = np.random.default_rng(seed)
    size = int(draw.integers(1, 3 * SIZE))
    digits = int(draw.integers(1, 4))  # few digits, many ties
    gain, loss = draw.random(size).round(digits), (draw.random(size) * 2 - 1).round(digits)
    made = Tournament(size, moving=moving)
    made.put(np.arange(size), gain, loss if moving else None)
    rate = 0.5
    for _ in range(12):
        rate = rate + 0.01 * draw.random() if moving else 0.0
        scores = (gain - rate * loss if moving else gain).round(9)
        best = int(scores.argmax())
        assert made.best(rate) == (best if scores[best] > -np.inf else -1)
        assert made.scores(rate).tolist() == scores.tolist()
        some = np.unique(np.append(draw.integers(0, size, 3), best))
        gain[some] = np.where(draw.random(len(some)) < 0.5, -np.inf, draw.random(len(some)).round(digits))
        made.put(some, gain[some], loss[some] if moving else None)


@given(st.integers(0, 10**6))
def test_the_best_of_classes_is_found(seed: int) -> None:
    draw = np.random.default_rng(seed)
    size = int(draw.integers(1, 40))
    gain, loss = (draw.integers(-1, 2, size).astype(np.float64) for _ in range(2))
    made = Classes(size)
    made.put(np.arange(size), gain, loss)
    for number in range(12):
        rate, share = draw.random(), 1 / (5 + number)
        scores = ((gain - rate * loss) / (1 + share * loss)).round(9)
        best = int(scores.argmax())
        assert made.best(rate, share) == (best if scores[best] > -np.inf else -1)
        some = np.unique(np.append(draw.integers(0, size, 2), best))
        gain[some] = np.where(draw.random(len(some)) < 0.7, -np.inf, 1.0)
        made.put(some, gain[some], loss[some])


def test_nobody_plays() -> None:
    assert Tournament(0).best() == Tournament(3).best() == Classes(2).best(0.5, 0.1) == -1

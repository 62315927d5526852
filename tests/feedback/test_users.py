"""The simulated user: the truth for every kind of question, mistakes, and the same luck for every strategy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from comparanda.feedback.field import field_of
from comparanda.feedback.protocol import Answer, Plan, User
from comparanda.feedback.simulation import Simulation
from comparanda.feedback.users import SimulatedUser
from tests.feedback.fields import drawn, field

MADE = field([[(0.9, [(0.5, False), (0.4, True)]), (0.1, [(1.0, False)])], [(0.6, [(1.0, True)])]])


def rows(*numbers: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array(numbers, np.int64)


def truth(kind: Any, *about: int, made: Any = MADE, purity: float = 1.0) -> Answer:
    return SimulatedUser(made, Plan(strategy="entropy", kind=kind, purity=purity)).truth(kind, rows(*about))


def answers(user: User, truths: int, seed: int = 13) -> list[Answer]:
    """Return what is said to as many questions about one tuple that is right."""
    made = SimulatedUser(MADE, Plan(strategy="entropy", user=user, seed=seed))
    return [made.answer(number, rows(1), np.array([0.4])) for number in range(truths)]


def test_the_key_answers() -> None:
    assert [truth("label", row) for row in range(4)] == ["no", "yes", "no", "yes"]
    assert [truth("span", *span) for span in ((0, 1), (2,), (3,))] == ["yes", "no", "yes"]
    assert [truth("choice", *block) for block in ((0, 1, 2), (3,), (0, 2))] == [1, 3, -1]


@pytest.mark.parametrize(
    ("about", "purity", "wanted"),
    [
        ((1, 3), 1.0, "yes"),
        ((0, 2), 1.0, "no"),
        ((0, 1), 1.0, "mixed"),
        ((0, 1, 3), 0.6, "yes"),
        ((0, 1, 2), 0.6, "no"),
        ((0, 1, 2), 2 / 3, "no"),
    ],
)
def test_a_text_is_always_never_or_now_and_then_so(about: tuple[int, ...], purity: float, wanted: str) -> None:
    assert truth("group", *about, purity=purity) == wanted


def test_a_span_is_what_the_key_says_whatever_its_label() -> None:
    made = field_of(MADE.candidates, 2, entity_spans=np.array([False, False, True, False]))
    assert truth("span", 2, made=made) == "yes"
    assert truth("span", 0, 1, made=made) == "no"


def test_a_truthful_user_never_errs() -> None:
    assert set(answers(User(), 100)) == {"yes"}


def test_mistakes_come_as_often_as_was_said() -> None:
    said = answers(User(flip=0.2, unsure=0.1), 20_000)
    share = {each: said.count(each) / len(said) for each in ("yes", "no", "unsure")}
    assert share == pytest.approx({"yes": 0.9 * 0.8, "no": 0.9 * 0.2, "unsure": 0.1}, abs=0.01)
    assert said != answers(User(flip=0.2, unsure=0.1), 20_000, seed=14)


def test_a_question_has_its_own_luck_whichever_was_asked_before() -> None:
    user = User(flip=0.5)
    made = SimulatedUser(MADE, Plan(strategy="entropy", user=user))
    backwards = [made.answer(number, rows(1), np.array([0.4])) for number in reversed(range(50))]
    assert backwards[::-1] == answers(user, 50)


@pytest.mark.parametrize(
    ("kind", "about", "wanted"),
    [
        ("label", (0,), "yes"),
        ("span", (0, 1), "no"),
        ("choice", (0, 1, 2), -1),
        ("choice", (0, 2), 0),
        ("group", (1, 3), "no"),
        ("group", (0, 1), "mixed"),
    ],
)
def test_a_mistake(kind: Any, about: tuple[int, ...], wanted: Answer) -> None:
    user = SimulatedUser(MADE, Plan(strategy="entropy", kind=kind, user=User(flip=1.0)))
    assert user.answer(0, rows(*about), MADE.start.weight[rows(*about)]) == wanted


def test_all_strategies_meet_the_same_user() -> None:
    """Which questions are answered, and which not, is the same for all."""
    made, unsure = drawn(2, 12), []
    for strategy in ("random", "document", "entropy", "fgain", "oracle"):
        run = Simulation(made, Plan(strategy=strategy, user=User(unsure=0.4), budget=12))
        while run.step():
            pass
        unsure.append((run.curve().answers == 3).tolist())
    assert all(each == unsure[0] for each in unsure)
    assert any(unsure[0])

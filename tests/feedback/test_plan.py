"""What is asked and how: words and numbers that make sense, and those that do not."""

from __future__ import annotations

from typing import Any

import pytest

from comparanda.errors import UsageError
from comparanda.feedback.protocol import FIXED, STRATEGIES, Plan, User


def test_a_strategy_is_enough() -> None:
    plan = Plan(strategy="entropy")
    assert (plan.kind, plan.handler, plan.budget, plan.decide, plan.cost) == ("label", "basic", None, "tuple", 1.0)
    assert plan.user.truthful
    assert Plan(strategy="entropy", kind="choice").cost == 2.0


def test_fixed_orders_are_strategies() -> None:
    assert set(FIXED) < set(STRATEGIES)


@pytest.mark.parametrize("written", ["truthful", "noisy:0.05", "unsure:0.1", "noisy:0.05,unsure:0.1"])
def test_a_user_is_written_as_it_is_read(written: str) -> None:
    assert str(User.parse(written)) == written


def test_parts_of_a_user_come_in_any_order() -> None:
    assert User.parse(" unsure:0.1 , noisy:0.05") == User(flip=0.05, unsure=0.1)


@pytest.mark.parametrize("written", ["", "noisy", "noisy:x", "truthfull", "noisy:0.1;unsure:0.1", "flip:0.1"])
def test_what_is_no_user_is_refused(written: str) -> None:
    with pytest.raises(UsageError, match="invalid user ") as caught:
        User.parse(written)
    assert "noisy:0.05" in str(caught.value)


@pytest.mark.parametrize("written", ["noisy:1.5", "unsure:-0.1", "noisy:nan"])
def test_a_user_errs_with_a_probability(written: str) -> None:
    with pytest.raises(UsageError, match="not between 0 and 1"):
        User.parse(written)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"strategy": "entropie"}, "did you mean 'entropy'"),
        ({"kind": "labels"}, "did you mean 'label'"),
        ({"handler": "statistic"}, "did you mean 'statistical'"),
        ({"decide": "tuples"}, "did you mean 'tuple'"),
        ({"budget": -1}, "expected 0 or more questions"),
        ({"seed": -1}, "expected 0 or more"),
        ({"believed_error": 0.6}, "not between 0 and 0.5"),
        ({"strength": -1.0}, "not between 0 and inf"),
        ({"purity": 0.4}, "not between 0.5 and 1"),
        ({"min_weight": float("nan")}, "not between 0 and 1"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Plan(**{"strategy": "entropy", **options})

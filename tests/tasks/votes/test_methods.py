"""Methods: how they are written, and what cannot be combined so."""

from __future__ import annotations

import pytest

from comparanda.errors import UsageError
from comparanda.tasks.vote_methods import DEFAULTS, Method, VoteTarget


@pytest.mark.parametrize("written", ["union", "at-least-3", "weighted-tree-vote", "per-label"])
def test_a_method_prints_as_it_is_written(written: str) -> None:
    assert str(Method.parse(written)) == written
    assert Method.parse(f" {written.upper()} ") == Method.parse(written)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("majorty", "did you mean 'majority'"),
        ("at-least-0", "expected K of at least 1"),
        ("at-least-K", "unknown combination method"),
        ("at-least-", "unknown combination method"),
        ("2-of-3", "unknown combination method"),
    ],
)
def test_what_is_no_method_is_refused(written: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Method.parse(written)


@pytest.mark.parametrize(
    ("written", "ground", "said"),
    [
        ("union", "values", "single value"),
        ("intersection", "values", "single value"),
        ("tag-vote", "links", "have no ids"),
        ("tag-vote", "values", "only to spans"),
        ("tag-vote", "sets", "only to spans"),
        ("tree-vote", "spans", "no trees"),
        ("majority", "trees", "need not form a tree"),
        ("at-least-4", "spans", "only 3 runs"),
    ],
)
def test_what_cannot_be_combined_so_is_refused_with_the_reason(written: str, ground: VoteTarget, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Method.parse(written).check(ground, 3)


@pytest.mark.parametrize("ground", DEFAULTS)
def test_the_usual_methods_fit(ground: VoteTarget) -> None:
    for name in DEFAULTS[ground]:
        Method.parse(name).check(ground, 1)


def test_votes_are_named() -> None:
    assert Method.parse("majority").vote("spans") == "span vote"
    assert Method.parse("tag-vote").vote("spans") == "tag vote"
    assert Method.parse("tree-vote").vote("trees") == "tree vote"

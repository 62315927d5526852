"""Votes on tags, labels, and sets of labels."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparanda.core.text_columns import join_labels
from comparanda.tasks.ballots import combine_runs
from comparanda.tasks.vote_methods import Method, Trust, VoteTarget
from tests.seeds import draws

from .votes import aligned, trust_of, values_of, winner

A, B, C = ["N", "V", "D"], ["N", "N", "P"], ["V", "N", "A"]


def voted(method: str, runs: list[Any], trust: Trust, *, task: str = "tag", key: Any = None) -> list[str | None]:
    found = aligned(key if key is not None else runs[0], runs, task)
    ground: VoteTarget = "sets" if any(corpus.several for corpus in found.responses) else "values"
    return values_of(combine_runs(found, ground, Method.parse(method), trust))


def test_every_method_on_a_case_that_can_be_counted() -> None:
    runs = [A, B, C]
    assert voted("majority", runs, trust_of(3, [1, 2, 3])) == ["N", "N", "A"]  # all differ: the best run's
    assert voted("weighted", runs, trust_of(3, [5, 2, 2])) == ["N", "V", "D"]
    assert voted("weighted", runs, trust_of(3, [4, 2, 2])) == ["N", "V", "D"]  # V and N tie: the better run's
    assert voted("weighted", runs, trust_of(3, [3, 2, 2])) == ["N", "N", "D"]
    assert voted("at-least-2", runs, trust_of(3, [1, 3, 2])) == ["N", "N", "P"]
    assert voted("at-least-3", runs, trust_of(3, [1, 2, 3])) == C  # never three: the best run's
    assert voted("at-least-1", runs, trust_of(3, [1, 2, 3])) == voted("majority", runs, trust_of(3, [1, 2, 3]))


def test_the_best_run_of_a_label_speaks_for_it() -> None:
    by_label = {"N": [1, 5, 2], "V": [9, 1, 1], "D": [2, 1, 1]}
    # word 1: B speaks for N, C's V is not heard (A speaks for V); word 2: A's V (9) outweighs B's N (5);
    # word 3: A speaks for D, nobody knows P and A, for which the best overall would speak, and that is C: A
    assert voted("per-label", [A, B, C], trust_of(3, [1, 2, 3], by_label)) == ["N", "V", "D"]
    assert voted("per-label", [A, B, C], trust_of(3, [1, 2, 3], {})) == C


def test_equal_runs_in_ties_leave_it_to_the_first_value() -> None:
    for runs in ([A, B], [B, A]):
        assert voted("majority", runs, trust_of(3, [1, 1])) == ["N", "N", "D"]


def test_a_run_that_lacks_a_row_has_no_vote_there() -> None:
    key = {"1": "x", "2": "x", "3": "x"}
    runs = [{"1": "x", "2": "y"}, {"1": "y"}, {"1": "y"}]
    found = aligned(key, runs, "label", missing="empty")
    corpus = combine_runs(found, "values", Method.parse("majority"), trust_of(3, [1, 1, 1]))
    assert values_of(corpus) == ["y", "y", "_"]
    assert [note.count for note in corpus.notes] == [1]


@given(st.integers(0, 10**9), st.integers(1, 5))
@settings(max_examples=draws(80), deadline=None)
def test_a_slow_vote_gives_the_same(seed: int, count: int) -> None:
    chance = random.Random(seed)
    size, folds = chance.randint(1, 8), chance.randint(1, 3)
    runs = [[chance.choice("abc") for _ in range(size)] for _ in range(count)]
    fold = np.array([chance.randrange(folds) for _ in range(size)])
    score = np.array([[chance.randint(0, 3) for _ in range(count)] for _ in range(folds)])
    by_label = np.array([[[chance.randint(0, 2) for _ in range(count)] for _ in "ab"] for _ in range(folds)])
    trust = Trust(runs=tuple(map(str, range(count))), fold=fold, score=score, labels=("a", "b"), by_label=by_label)

    def chosen(row: int, method: str) -> str:
        scores, values = score[fold[row]].tolist(), [run[row] for run in runs]
        if method == "majority":
            return str(winner(values, [1] * count, scores))
        if method == "weighted":
            return str(winner(values, scores if any(scores) else [1] * count, scores))
        best = max(range(count), key=lambda run: (scores[run], -run))
        weights = []
        for run, value in enumerate(values):
            merits = by_label[fold[row], "ab".index(value)].tolist() if value in "ab" else [0] * count
            top = max(range(count), key=lambda each: (merits[each], scores[each], -each)) if any(merits) else best
            weights.append(merits[run] + 1 if run == top else 0)
        return str(winner(values, weights, scores))

    found = aligned(runs[0], runs, "tag")
    for method in ("majority", "weighted", "per-label"):
        made = values_of(combine_runs(found, "values", Method.parse(method), trust))
        assert made == [chosen(row, method) for row in range(size)], method


@given(st.integers(0, 10**9), st.integers(1, 4))
@settings(max_examples=draws(60), deadline=None)
def test_sets_of_labels_are_voted_on_label_by_label(seed: int, count: int) -> None:
    chance = random.Random(seed)
    size = chance.randint(1, 6)
    runs = [[sorted(chance.sample("abc|", chance.randint(0, 3))) for _ in range(size)] for _ in range(count)]
    runs[0][0] = ["a", "b"]  # or it would not be known that these are sets
    least = {"union": 1, "intersection": count, "majority": count // 2 + 1, f"at-least-{count}": count}
    for method, votes in least.items():
        expected = [
            join_labels(label for label in "abc|" if sum(label in run[row] for run in runs) >= votes)
            for row in range(size)
        ]
        assert voted(method, runs, trust_of(size, [1] * count), task="label") == expected, method


def test_single_labels_beside_sets_are_sets_of_one() -> None:
    assert voted("union", [[["a", "b"], ["c"]], ["c", "c"]], trust_of(2, [1, 1]), task="label") == ["a|b|c", "c"]


@pytest.mark.parametrize("method", ["majority", "weighted", "per-label"])
def test_no_order_of_runs_changes_anything(method: str) -> None:
    scores, by_label = [3, 3, 1], {"N": [1, 2, 3], "V": [3, 2, 1]}
    first = voted(method, [A, B, C], trust_of(3, scores, by_label))
    for order in ((1, 0, 2), (2, 1, 0), (1, 2, 0)):
        runs = [[A, B, C][place] for place in order]
        moved = {label: [each[place] for place in order] for label, each in by_label.items()}
        trust = trust_of(3, [scores[place] for place in order], moved)
        names = tuple(f"s{place}" for place in order)
        assert voted(method, runs, replace(trust, runs=names)) == first


def test_a_vote_does_not_look_at_what_the_key_says() -> None:
    for method in ("majority", "per-label"):
        trust = trust_of(3, [1, 2, 2])
        assert voted(method, [A, B, C], trust, key=A) == voted(method, [A, B, C], trust, key=["x", "y", "z"])

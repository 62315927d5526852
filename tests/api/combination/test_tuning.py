"""What is learnt for each fold comes from the others, and folds do not depend on the order of documents."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from comparanda.api.combination import Tuning, tuned_on_folds, tuned_on_same
from comparanda.pipeline import Setup, evaluate_prepared, prepare_systems


def corpus(seed: int, sizes: list[int]) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    chance = random.Random(seed)

    def tags(error: float, gold: list[str]) -> list[str]:
        return [chance.choice("ABC") if chance.random() < error else tag for tag in gold]

    gold = [[chance.choice("ABC") for _ in range(size)] for size in sizes]
    named = [f"d{number}" for number in range(len(sizes))]

    def made(rows: list[list[str]]) -> list[dict[str, Any]]:
        pairs = zip(named, rows, strict=True)
        return [{"document": name, "tokens": ["w"] * len(row), "tags": row} for name, row in pairs]

    return made(gold), {name: made([tags(error, row) for row in gold]) for name, error in (("x", 0.3), ("y", 0.6))}


def tuned(key: Any, systems: Any, *, folds: int = 3, seed: int = 13, task: str = "tag") -> Tuning:
    setup = Setup(task=task)
    prepared = prepare_systems(key, systems, setup)
    return tuned_on_folds(
        evaluate_prepared(prepared, setup), view=None, key=prepared.aligned.key, folds=folds, seed=seed
    )


def test_each_fold_learns_from_the_others() -> None:
    key, systems = corpus(1, [6, 9, 4, 8, 5, 7, 3])
    trust = tuned(key, systems).trust
    fold = trust.fold.tolist()
    gold = [tag for row in key for tag in row["tags"]]
    assert sorted(set(fold)) == [0, 1, 2]
    for number in range(3):
        rows = [row for row, each in enumerate(fold) if each != number]
        for run, system in enumerate(systems.values()):
            mine = [tag for each in system for tag in each["tags"]]
            right = sum(mine[row] == gold[row] for row in rows)
            assert trust.score[number, run] == round(1_000_000 * right / len(rows))
            for place, label in enumerate(trust.labels):
                hits = sum(mine[row] == gold[row] == label for row in rows)
                all_of_it = sum(mine[row] == label for row in rows) + sum(gold[row] == label for row in rows)
                assert trust.by_label[number, place, run] == round(1_000_000 * 2 * hits / all_of_it)


def test_whole_documents_are_dealt_evenly_and_by_their_names() -> None:
    key, systems = corpus(2, [3] * 10)
    fold = tuned(key, systems).trust.fold.reshape(10, 3)
    assert (fold == fold[:, :1]).all()
    assert sorted(np.bincount(fold[:, 0]).tolist()) == [3, 3, 4]
    order = random.Random(1).sample(range(10), 10)
    moved = tuned([key[place] for place in order], {name: [each[p] for p in order] for name, each in systems.items()})
    assert moved.trust.fold.reshape(10, 3)[:, 0].tolist() == fold[order, 0].tolist()
    others = {tuple(tuned(key, systems, seed=seed).trust.fold.tolist()) for seed in range(5)}
    assert len(others) > 1


@pytest.mark.parametrize(("documents", "said"), [(2, "2 folds of 2 documents"), (7, "3 folds of 7 documents")])
def test_there_are_no_more_folds_than_documents(documents: int, said: str) -> None:
    assert tuned(*corpus(3, [4] * documents)).on == said


def test_a_single_document_is_cut_by_sentences() -> None:
    key, systems = corpus(4, [4] * 6)
    one = [{**each, "document": "d"} for each in key]
    found = tuned(one, {name: [{**each, "document": "d"} for each in rows] for name, rows in systems.items()})
    assert found.on == "3 folds of 6 sentences"
    assert sorted(np.bincount(found.trust.fold).tolist()) == [8, 8, 8]


def test_a_single_sentence_teaches_nothing() -> None:
    found = tuned([["A", "B"]], {"x": [["A", "B"]], "y": [["A", "A"]]})
    assert not found.learnt
    assert found.trust.score.tolist() == [[1_000_000, 1_000_000]]


def test_rows_are_dealt_by_their_ids() -> None:
    key = {f"r{number}": "ab"[number % 2] for number in range(9)}
    fold = tuned(key, {"x": key}, task="label").trust.fold
    turned = dict(reversed(key.items()))
    assert tuned(turned, {"x": turned}, task="label").trust.fold.tolist() == fold[::-1].tolist()


def test_the_same_data_is_looked_at_as_a_whole() -> None:
    setup = Setup(task="tag")
    prepared = prepare_systems([["A", "B"]], {"x": [["A", "A"]]}, setup)
    found = tuned_on_same(evaluate_prepared(prepared, setup), None, prepared.aligned.key)
    assert (found.trust.score.tolist(), found.optimistic) == ([[500_000]], True)
    assert dict(zip(found.trust.labels, found.trust.by_label[0, :, 0].tolist(), strict=True)) == {"A": 666667, "B": 0}

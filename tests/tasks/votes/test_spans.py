"""Votes on whole spans: what enough runs have is kept."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparanda.core.text_columns import TextColumn
from comparanda.tasks.ballots import combine_runs
from comparanda.tasks.vote_methods import Method, Trust
from tests.seeds import draws

from .votes import Span, aligned, alike, flat_spans, kept_items, spans_of, tagged, trust_of

KEY = [["O"] * 6]
ONE = [["B-PER", "I-PER", "O", "B-LOC", "O", "O"]]
TWO = [["B-PER", "I-PER", "O", "B-ORG", "O", "O"]]
THREE = [["B-PER", "O", "O", "B-ORG", "O", "B-LOC"]]


def voted(method: str, *runs: Any, trust: Trust | None = None, **options: Any) -> list[Span]:
    found = aligned(KEY, runs)
    ground = trust or alike(len(found.key), len(runs))
    return [span[1:] for span in spans_of(combine_runs(found, "spans", Method.parse(method), ground, **options))]


def test_every_method_on_a_case_that_can_be_counted() -> None:
    assert voted("union", ONE, TWO, THREE) == [
        (0, 1, "PER"),
        (0, 2, "PER"),
        (3, 4, "LOC"),
        (3, 4, "ORG"),
        (5, 6, "LOC"),
    ]
    assert voted("majority", ONE, TWO, THREE) == [(0, 2, "PER"), (3, 4, "ORG")]
    assert voted("at-least-2", ONE, TWO, THREE) == voted("majority", ONE, TWO, THREE)
    assert voted("intersection", ONE, TWO, THREE) == []
    assert voted("intersection", ONE, TWO) == [(0, 2, "PER")]


def test_half_of_the_votes_are_no_majority() -> None:
    assert voted("majority", ONE, TWO) == [(0, 2, "PER")]


def test_weights_must_come_to_more_than_half() -> None:
    assert voted("weighted", ONE, TWO, THREE, trust=trust_of(6, [5, 2, 2])) == [(0, 2, "PER"), (3, 4, "LOC")]
    assert voted("weighted", ONE, TWO, THREE, trust=trust_of(6, [4, 2, 2])) == [(0, 2, "PER")]  # just half is none


def test_runs_without_merit_count_alike() -> None:
    assert voted("weighted", ONE, TWO, THREE, trust=trust_of(6, [0, 0, 0])) == voted("majority", ONE, TWO, THREE)


def test_the_best_run_of_a_label_speaks_for_it() -> None:
    by_label = {"LOC": [1, 0, 9], "PER": [5, 5, 1]}
    # LOC: the third; PER: the first two are equal, the second is better overall; ORG is not known: the best overall
    assert voted("per-label", ONE, TWO, THREE, trust=trust_of(6, [3, 4, 2], by_label)) == [
        (0, 2, "PER"),
        (3, 4, "ORG"),
        (5, 6, "LOC"),
    ]


def test_a_label_that_no_run_has_right_is_left_to_the_best() -> None:
    trust = trust_of(6, [3, 2, 1], {"LOC": [0, 0, 0], "PER": [0, 0, 1], "ORG": [0, 0, 0]})
    assert voted("per-label", ONE, TWO, THREE, trust=trust) == [(0, 1, "PER"), (3, 4, "LOC")]


def test_of_spans_that_overlap_the_strongest_stays() -> None:
    assert voted("union", ONE, TWO, THREE, overlap="best") == [(0, 2, "PER"), (3, 4, "ORG"), (5, 6, "LOC")]
    assert voted("union", ONE, THREE, overlap="best") == [(0, 2, "PER"), (3, 4, "LOC"), (5, 6, "LOC")]  # the longer


def test_a_span_that_a_run_has_twice_is_one_vote() -> None:
    key = [{"id": "d", "text": "Ann met Bob", "spans": []}]
    ann = {"begin": 0, "end": 3, "label": "PER"}
    found = aligned(key, [[{**key[0], "spans": [ann, ann]}], key, key])
    assert spans_of(combine_runs(found, "spans", Method.parse("at-least-2"), alike(3, 3))) == []
    assert spans_of(combine_runs(found, "spans", Method.parse("union"), alike(3, 3))) == [(0, 0, 3, "PER")]


def test_spans_in_pieces_are_other_spans_than_those_in_one() -> None:
    text = {"id": "d", "text": "left and right lung", "spans": []}
    pieces = {"fragments": [[0, 4], [15, 19]], "label": "X"}
    whole = {"begin": 0, "end": 19, "label": "X"}
    found = aligned([text], [[{**text, "spans": spans}] for spans in ([pieces], [pieces, whole], [whole])])
    corpus = combine_runs(found, "spans", Method.parse("union"), alike(4, 3))
    assert spans_of(corpus) == [(0, 0, 19, "X")] * 2
    assert corpus.spans is not None
    assert corpus.spans.fragments is not None
    assert list(zip(corpus.spans.fragments.begin.tolist(), corpus.spans.fragments.end.tolist(), strict=True)) == [
        (0, 4),
        (15, 19),
    ]
    best = combine_runs(found, "spans", Method.parse("union"), alike(4, 3), overlap="best")
    assert best.spans is not None
    assert (len(best.spans), best.spans.fragments) == (1, None)  # both have two votes, and the whole one is longer


def linked(*ids: str | None) -> list[dict[str, Any]]:
    spans = [{"begin": 0, "end": 3, "label": "PER", **({} if each is None else {"id": each})} for each in ids]
    return [{"id": "d", "text": "Ann met Bob", "spans": spans}]


def links(method: str, *runs: list[dict[str, Any]], same: dict[str, str] | None = None) -> list[str | None]:
    found = aligned(linked(), runs, task="link")
    corpus = combine_runs(found, "links", Method.parse(method), alike(3, len(runs)), same_ids=same)
    assert corpus.spans is not None
    column = corpus.spans.columns["id"]
    assert isinstance(column, TextColumn)
    return column.values()


def test_links_are_voted_on_by_their_first_id() -> None:
    assert links("majority", linked("Q1|Q2"), linked("Q1"), linked("Q2")) == ["Q1"]
    assert links("union", linked("Q1|Q2"), linked("Q1"), linked("Q2")) == ["Q1", "Q2"]
    assert links("majority", linked("Q1"), linked("Q9"), linked("Q2"), same={"Q9": "Q1"}) == ["Q1"]


def test_no_id_and_nil_are_one_vote_as_for_judges() -> None:
    assert links("majority", linked("NIL"), linked(None), linked("Q1")) == ["NIL"]
    assert links("majority", linked(None), linked(None), linked("Q1")) == [None]


@given(st.integers(0, 10**9), st.integers(1, 5))
@settings(max_examples=draws(60), deadline=None)
def test_a_slow_vote_gives_the_same(seed: int, count: int) -> None:
    chance = random.Random(seed)
    sizes = [chance.randint(1, 7) for _ in range(chance.randint(1, 3))]
    runs = [flat_spans(chance, sizes) for _ in range(count)]
    scores = [chance.randint(0, 3) for _ in range(count)]
    key = [
        {"document": f"d{number}", "tokens": ["w"] * size, "tags": ["O"] * size} for number, size in enumerate(sizes)
    ]

    def document(run: set[Span]) -> list[dict[str, Any]]:
        return [{**each, "tags": tags} for each, tags in zip(key, tagged(run, sizes), strict=True)]

    found = aligned(key, [document(run) for run in runs])
    trust = trust_of(sum(sizes), scores)
    weights = scores if any(scores) else [1] * count
    k = chance.randint(1, count)
    expected = {
        "union": kept_items(runs, [1] * count, 1),
        "intersection": kept_items(runs, [1] * count, count),
        f"at-least-{k}": kept_items(runs, [1] * count, k),
        "majority": {item for item in set().union(*runs) if 2 * sum(item in run for run in runs) > count},
        "weighted": {
            item
            for item in set().union(*runs)
            if 2 * sum(w for run, w in zip(runs, weights, strict=True) if item in run) > sum(weights)
        },
    }
    for method, spans in expected.items():
        assert spans_of(combine_runs(found, "spans", Method.parse(method), trust)) == sorted(spans), method
    assert expected["union"] >= expected["majority"] >= expected["intersection"]


def test_a_vote_does_not_look_at_what_the_key_says() -> None:
    keys: list[Any] = [KEY, ONE, [["B-X"] * 6]]
    for method in ("union", "majority", "per-label", "tag-vote"):
        found = []
        for key in keys:
            ground = aligned(key, [ONE, TWO, THREE])
            found.append(spans_of(combine_runs(ground, "spans", Method.parse(method), trust_of(6, [3, 2, 1]))))
        assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("method", ["union", "intersection", "majority", "weighted", "per-label", "tag-vote"])
def test_a_combination_of_equal_runs_is_that_run(method: str) -> None:
    assert voted(method, ONE, ONE, ONE) == [(0, 2, "PER"), (3, 4, "LOC")]
    assert voted(method, ONE) == [(0, 2, "PER"), (3, 4, "LOC")]


@pytest.mark.parametrize("method", ["union", "intersection", "majority", "weighted", "per-label", "tag-vote"])
def test_runs_without_spans_can_vote(method: str) -> None:
    assert voted(method, KEY, KEY) == []

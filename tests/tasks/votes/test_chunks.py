"""Votes on chunk tags: word by word."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparanda.errors import UsageError
from comparanda.tasks.ballots import combine_runs
from comparanda.tasks.vote_methods import Method
from tests.seeds import draws

from .votes import aligned, alike, flat_spans, spans_in, spans_of, tagged, trust_of, winner

METHOD = Method.parse("tag-vote")


def test_tags_can_win_that_make_a_span_no_run_has() -> None:
    runs = [
        [["B-A", "I-A", "O", "O"]],
        [["O", "B-A", "I-A", "O"]],
        [["B-A", "I-A", "I-A", "O"]],
    ]
    found = aligned([["O"] * 4], runs)
    # word 1: B twice; word 2: I twice; word 3: I twice, so one span of three words; a vote on spans keeps none
    assert spans_of(combine_runs(found, "spans", METHOD, alike(4, 3))) == [(0, 0, 3, "A")]
    assert spans_of(combine_runs(found, "spans", Method.parse("majority"), alike(4, 3))) == []


def test_an_inside_that_goes_on_with_nothing_begins_a_span() -> None:
    runs = [[["O", "I-A"]], [["B-A", "I-A"]], [["O", "O"]]]
    found = aligned([["O", "O"]], runs, scheme="bio")
    # the first run's I-A is read as a span of its own: B, I, O for the second word; ties go to the better run
    assert spans_of(combine_runs(found, "spans", METHOD, trust_of(2, [1, 3, 2]))) == [(0, 1, 2, "A")]


def test_ties_go_to_the_better_run_and_then_to_the_first_tag() -> None:
    found = aligned([["O"]], [[["B-A"]], [["B-B"]], [["O"]]])
    for scores, label in (([1, 2, 0], "B"), ([2, 1, 0], "A"), ([1, 1, 1], "A")):
        assert spans_of(combine_runs(found, "spans", METHOD, trust_of(1, scores))) == [(0, 0, 1, label)]
    assert spans_of(combine_runs(found, "spans", METHOD, trust_of(1, [1, 1, 2]))) == []


@given(st.integers(0, 10**9), st.integers(1, 4))
@settings(max_examples=draws(60), deadline=None)
def test_a_slow_vote_gives_the_same(seed: int, count: int) -> None:
    chance = random.Random(seed)
    size = chance.randint(1, 9)
    runs = [tagged(flat_spans(chance, [size]), [size]) for _ in range(count)]
    scores = [chance.randint(0, 3) for _ in range(count)]
    found = aligned([["O"] * size], runs)
    winners = [winner([run[0][word] for run in runs], [1] * count, scores) for word in range(size)]
    assert spans_of(combine_runs(found, "spans", METHOD, trust_of(size, scores))) == sorted(spans_in([winners]))


def test_spans_of_characters_vote_by_the_words_that_they_cover() -> None:
    text: dict[str, Any] = {"id": "d", "text": "Ann Lee met Bob", "spans": []}
    ann, bob = {"begin": 0, "end": 7, "label": "PER"}, {"begin": 12, "end": 15, "label": "PER"}
    found = aligned([text], [[{**text, "spans": spans}] for spans in ([ann], [ann, bob], [bob])])
    assert spans_of(combine_runs(found, "spans", METHOD, alike(4, 3))) == [(0, 0, 7, "PER"), (0, 12, 15, "PER")]


@pytest.mark.parametrize(
    "spans",
    [
        [{"begin": 0, "end": 7, "label": "A"}, {"begin": 4, "end": 7, "label": "A"}],
        [{"begin": 0, "end": 2, "label": "A"}],
        [{"fragments": [[0, 3], [8, 11]], "label": "A"}],
        [{"begin": 3, "end": 3, "label": "A"}],
    ],
    ids=["nested", "half a word", "in pieces", "without length"],
)
def test_what_chunk_tags_cannot_say_is_refused(spans: list[dict[str, Any]]) -> None:
    text: dict[str, Any] = {"id": "d", "text": "Ann Lee met Bob", "spans": []}
    found = aligned([text], [[text], [{**text, "spans": spans}]])
    with pytest.raises(UsageError, match="'s1' has others"):
        combine_runs(found, "spans", METHOD, alike(4, 2))


def test_a_span_where_there_are_no_words_is_refused() -> None:
    texts: list[dict[str, Any]] = [{"id": "d", "text": "Ann Lee", "spans": []}, {"id": "e", "text": "", "spans": []}]
    claimed = [texts[0], {**texts[1], "spans": [{"begin": 0, "end": 0, "label": "A"}]}]
    found = aligned(texts, [texts, claimed])
    with pytest.raises(UsageError, match="'s1' has others"):
        combine_runs(found, "spans", METHOD, alike(2, 2))

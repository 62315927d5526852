"""Extents widened to whole words, compared with a walk from character to character."""

from __future__ import annotations

import random

import numpy as np
import pytest

import comparanda as cp
from comparanda.align.span_positions import widen_to_words
from comparanda.rules import rule_set
from comparanda.rules.rule_files import parse
from tests.seeds import seeds
from tests.tasks.random_elevant import widened
from tests.tasks.random_spans import counts

PIECES = ("Ada", "'s", ' "', '" ', " ", "-", "_x", "é2", ". ", "ß", "٣", "\u0301", "\n")


@pytest.mark.parametrize("seed", seeds(5, of=200))
def test_extents_are_those_of_the_walk(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(20):
        text = "".join(draw.choice(PIECES) for _ in range(draw.randint(1, 12)))
        spans = sorted(tuple(sorted(draw.sample(range(len(text) + 1), 2))) for _ in range(5))
        begin, end = np.array(spans, np.int64).T
        found = zip(*(each.tolist() for each in widen_to_words(text, begin, end)), strict=True)
        assert list(found) == [widened((low, high), text) for low, high in spans], text


def test_a_text_without_words_and_a_span_after_its_end() -> None:
    begin, end = widen_to_words("… –", np.array([0, 3]), np.array([1, 4]))
    assert (begin.tolist(), end.tolist()) == ([0, 3], [1, 4])


RULES = """
include = ["exact"]
[[rules]]
name = "true positive"
group = "match"
for = { s = "system", k = "key" }
when = "is_missing(s.result) and is_missing(k.result) and same(s, k, 'doc', 'word_begin', 'word_end')"
pair = "one-to-one"
set = { s.result = "TP", k.result = "TP", s.partner = "k", k.partner = "s" }
"""


def test_rules_can_compare_whole_words() -> None:
    """Ulm and Ulm's are the same word, old and old town are not; tokens are words as they are."""
    rules = rule_set(parse(RULES, "words.toml"))

    def side(*spans: tuple[int, int]) -> list[dict[str, object]]:
        found = [{"begin": begin, "end": end, "label": "X"} for begin, end in spans]
        return [{"id": "d", "text": "In Ulm's old town.", "spans": found}]

    result = cp.compare(side((3, 6), (9, 12)), {"x": side((3, 8), (9, 17))}, task="span", rules=rules, resamples=0)
    assert counts(result, "x") == (1, 1, 1)
    tags = [["B-X", "O", "B-X", "I-X"]]
    result = cp.compare(tags, {"x": [["B-X", "I-X", "B-X", "I-X"]]}, task="span", rules=rules, resamples=0)
    assert counts(result, "x") == (1, 1, 1)

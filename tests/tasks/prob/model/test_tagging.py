"""Spans made of tokens, against all sequences of tags that tokens may have."""

from __future__ import annotations

import re
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparanda.core.probabilities import Aggregate
from comparanda.formats.probabilistic_kinds import LETTERS, FoundSpans, TagScheme, spans_of
from tests.seeds import draws

Token = dict[str, float]
Span = tuple[int, int]
LABEL = "X"


def found_in(
    tokens: list[Token], scheme: TagScheme = "bio", aggregate: Aggregate = "product", floor: float = 0.0
) -> FoundSpans:
    """Look for spans of X in one sentence."""
    columns = {letter: np.array([each.get(f"{letter}-{LABEL}", 0.0) for each in tokens]) for letter in LETTERS[scheme]}
    return spans_of(columns, scheme=scheme, stops=np.full(len(tokens), len(tokens)), aggregate=aggregate, floor=floor)


def weights(found: FoundSpans) -> dict[Span, float]:
    spans = found.spans
    return dict(zip(zip(spans.begin.tolist(), spans.end.tolist(), strict=True), spans.weight.tolist(), strict=True))


TWO = [{"B-X": 0.7, "O": 0.3}, {"B-X": 0.1, "I-X": 0.6, "O": 0.3}]


class TestByHand:
    def test_the_product_of_what_must_be_so(self) -> None:
        found = weights(found_in(TWO))
        assert found == pytest.approx({(0, 1): 0.7 * 0.4, (0, 2): 0.7 * 0.6, (1, 2): 0.1})

    @pytest.mark.parametrize(
        ("aggregate", "wanted"),
        [
            ("min", {(0, 1): 0.7, (0, 2): 0.6, (1, 2): 0.1}),
            ("mean", {(0, 1): 0.7, (0, 2): 0.65, (1, 2): 0.1}),
            ("geometric", {(0, 1): 0.7, (0, 2): 0.42**0.5, (1, 2): 0.1}),
        ],
    )
    def test_other_weights_are_of_the_tags_alone(self, aggregate: Aggregate, wanted: dict[Span, float]) -> None:
        assert weights(found_in(TWO, aggregate=aggregate)) == pytest.approx(wanted)

    @pytest.mark.parametrize("aggregate", ["product", "min", "mean", "geometric"])
    def test_what_is_less_probable_than_the_floor_is_counted(self, aggregate: Aggregate) -> None:
        found = found_in(TWO, aggregate=aggregate, floor=0.3)
        assert list(weights(found)) == [(0, 2)]
        assert found.rest == 2
        assert found.mass == pytest.approx(0.28 + 0.1)

    def test_what_is_not_followed_counts_once_with_all_that_it_could_become(self) -> None:
        tokens = [{"B-X": 0.5}, {"I-X": 0.4}, {"I-X": 0.9}]
        found = found_in(tokens, floor=0.25)
        assert weights(found) == pytest.approx({(0, 1): 0.5 * 0.6})
        assert found.rest == 1
        assert found.mass == pytest.approx(0.5 * 0.4)

    def test_sentences_end_spans(self) -> None:
        columns = {"B": np.array([0.5, 0.0, 0.5]), "I": np.array([0.0, 0.8, 0.8])}
        found = spans_of(columns, scheme="bio", stops=np.array([2, 2, 3]), aggregate="product", floor=0.0)
        assert weights(found) == pytest.approx({(0, 1): 0.1, (0, 2): 0.4, (2, 3): 0.5})

    def test_spans_with_ends(self) -> None:
        tokens = [{"B-X": 0.6, "S-X": 0.2}, {"E-X": 0.5, "I-X": 0.3}, {"E-X": 0.9}]
        wanted = {(0, 1): 0.2, (0, 2): 0.3, (0, 3): 0.6 * 0.3 * 0.9}
        assert weights(found_in(tokens, "bioes")) == pytest.approx(wanted)

    def test_runs_of_one_tag_are_whole(self) -> None:
        tokens = [{"I-X": 0.6}, {"I-X": 0.5}]
        wanted = {(0, 1): 0.3, (0, 2): 0.3, (1, 2): 0.2}
        assert weights(found_in(tokens, "io")) == pytest.approx(wanted)


@st.composite
def sentences(draw: st.DrawFn, scheme: TagScheme) -> list[Token]:
    """Draw up to three tokens, the tags of which sum to one."""
    tags = ["O", *(f"{letter}-{LABEL}" for letter in LETTERS[scheme])]
    parts = draw(st.lists(st.tuples(*(st.integers(0, 5) for _ in tags)).filter(any), min_size=1, max_size=3))
    return [{tag: part / sum(each) for tag, part in zip(tags, each, strict=True)} for each in parts]


WHOLE: dict[TagScheme, str] = {"bio": "BI*", "io": "I+", "bioes": "S|BI*E"}
"""The letters of a span."""


@pytest.mark.parametrize("scheme", ["bio", "io", "bioes"])
@settings(max_examples=draws(40))
@given(data=st.data())
def test_products_are_sums_over_all_sequences_of_tags(scheme: TagScheme, data: st.DataObject) -> None:
    tokens = data.draw(sentences(scheme))
    wanted: dict[Span, float] = {}
    for sequence in product(*tokens):
        p = prod(token[tag] for token, tag in zip(tokens, sequence, strict=True))
        for span in re.finditer(WHOLE[scheme], "".join(tag[0] for tag in sequence)):
            wanted[span.span()] = wanted.get(span.span(), 0.0) + p
    found = weights(found_in(tokens, scheme))
    assert found == pytest.approx({span: p for span, p in wanted.items() if p > 0})
    for place in range(len(tokens)):
        assert sum(p for (begin, end), p in found.items() if begin <= place < end) <= 1 + 1e-9

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparanda.core.corpus import ROOT
from comparanda.core.heads import compute_depths, count_roots, find_cyclic, find_defects, find_non_projective
from comparanda.core.text_columns import Rows

# A sentence is written as the numbers of its words' heads, from 1, and 0 for a root.
Heads = tuple[int, ...]
EVERY = [heads for size in range(1, 5) for heads in product(range(size + 1), repeat=size)]
LONG = 100_000


def laid_out(sentences: list[Heads]) -> tuple[Rows, Rows]:
    """The heads as rows of one corpus, and where its sentences begin and end."""
    begins = np.cumsum([0, *map(len, sentences)])
    head = [
        begin + number - 1 if number else ROOT
        for begin, heads in zip(begins, sentences, strict=False)
        for number in heads
    ]
    return np.array(head, np.int64), begins


# The same once more, word by word.


def depth_of(heads: Heads, word: int) -> int:
    """Climb; who has taken more steps than there are words is in a cycle."""
    steps = 0
    while word and steps <= len(heads):
        word, steps = heads[word - 1], steps + 1
    return 0 if word else steps


def hangs_on(heads: Heads, word: int, above: int) -> bool:
    for _ in heads:
        if word in {0, above}:
            break
        word = heads[word - 1]
    return word == above


def crossing_of(heads: Heads) -> list[int]:
    """The words over whose arc to their head some word stands that does not hang on that head."""
    words = range(1, len(heads) + 1)
    if not all(depth_of(heads, word) for word in words):
        return []
    arcs = [(word, heads[word - 1]) for word in words if heads[word - 1]]
    return [
        word
        for word, head in arcs
        if not all(hangs_on(heads, each, head) for each in range(min(word, head) + 1, max(word, head)))
    ]


def agrees(sentences: list[Heads]) -> None:
    head, begins = laid_out(sentences)
    depth = [depth_of(heads, word) for heads in sentences for word in range(1, len(heads) + 1)]
    assert count_roots(head, begins).tolist() == [heads.count(0) for heads in sentences]
    assert compute_depths(head).tolist() == depth
    assert find_cyclic(head).tolist() == [not each for each in depth]
    crossed = [begin + word - 1 for begin, heads in zip(begins, sentences, strict=False) for word in crossing_of(heads)]
    assert find_non_projective(head, begins).tolist() == crossed


def test_all_sentences_of_up_to_four_words() -> None:
    assert len(EVERY) == 2 + 3**2 + 4**3 + 5**4
    agrees(EVERY)


@given(st.lists(st.integers(1, 12).flatmap(lambda n: st.tuples(*[st.integers(0, n)] * n)), max_size=6))
def test_random_sentences(sentences: list[Heads]) -> None:
    agrees(sentences)


@given(st.lists(st.lists(st.integers(0, 99), min_size=1, max_size=20), min_size=1, max_size=4))
def test_random_trees(draws: list[list[int]]) -> None:
    """Each word hangs on an earlier one, so there is a root and no cycle; then the words are turned round."""
    trees = [(0, *(draw % place for place, draw in enumerate(each, start=2))) for each in draws]
    turned = [tuple(len(heads) + 1 - head if head else 0 for head in reversed(heads)) for heads in trees]
    agrees([*trees, *turned])


class TestDepths:
    def test_a_root_is_one_deep(self) -> None:
        assert compute_depths(laid_out([(2, 0, 2, 3)])[0]).tolist() == [2, 1, 2, 3]

    def test_what_hangs_on_a_cycle_has_none(self) -> None:
        assert compute_depths(laid_out([(2, 1, 2, 0, 4)])[0]).tolist() == [0, 0, 0, 1, 2]

    def test_a_word_that_hangs_on_itself_is_a_cycle(self) -> None:
        assert find_cyclic(laid_out([(0, 2)])[0]).tolist() == [False, True]

    def test_no_words(self) -> None:
        assert compute_depths(np.zeros(0, np.int64)).tolist() == []


class TestCrossing:
    def test_two_arcs_that_cross(self) -> None:
        assert find_non_projective(*laid_out([(3, 4, 5, 5, 0)])).tolist() == [0, 1]

    def test_of_two_that_cross_one_may_pass_over_its_own_descendants_alone(self) -> None:
        assert find_non_projective(*laid_out([(3, 4, 0, 3)])).tolist() == [1]

    def test_every_sentence_is_looked_at_alone(self) -> None:
        assert find_non_projective(*laid_out([(0, 1), (3, 0, 2), (0,), (2, 0, 1)])).tolist() == [2, 8]

    def test_an_arc_over_the_root(self) -> None:
        assert find_non_projective(*laid_out([(3, 0, 2)])).tolist() == [0]

    def test_an_arc_over_one_of_several_roots(self) -> None:
        assert find_non_projective(*laid_out([(0, 0, 1)])).tolist() == [2]

    def test_a_sentence_with_a_cycle_is_passed_over(self) -> None:
        assert find_non_projective(*laid_out([(3, 0, 2, 4)])).tolist() == []

    def test_arcs_side_by_side_and_nested_do_not_cross(self) -> None:
        assert find_non_projective(*laid_out([(4, 3, 1, 0, 4, 7, 5)])).tolist() == []


class TestDefects:
    @pytest.mark.parametrize(
        ("heads", "expected"),
        [
            ((2, 0, 2), {}),
            ((0, 0, 0), {"sentences with several roots": [1]}),
            ((2, 1), {"sentences without a root": [0], "sentences with a cycle": [0]}),
            ((0, 2, 3), {"sentences with a cycle": [1]}),
            ((3, 0, 2), {"non-projective arcs": [0]}),
        ],
    )
    def test_what_is_unusual_and_where(self, heads: Heads, expected: dict[str, list[int]]) -> None:
        found = {what: rows.tolist() for what, rows in find_defects(*laid_out([heads])) if rows.size}
        assert found == expected

    def test_sentences_are_named_once_and_arcs_each(self) -> None:
        several = [(0,), (0, 0, 0, 3), (3, 0, 2, 1), (2, 1, 4, 3), (0, 0)]
        found = {what: rows.tolist() for what, rows in find_defects(*laid_out(several))}
        assert found == {
            "sentences with several roots": [2, 14],
            "sentences without a root": [9],
            "sentences with a cycle": [9],
            "non-projective arcs": [5, 8],
        }


class TestLongSentences:
    """None of these may take a step a word, or recurse."""

    def test_a_chain_to_the_left(self) -> None:
        head = np.arange(LONG) - 1
        assert compute_depths(head).tolist() == list(range(1, LONG + 1))
        assert find_non_projective(head, np.array([0, LONG])).size == 0

    def test_a_chain_to_the_right(self) -> None:
        head = np.append(np.arange(1, LONG), ROOT)
        assert compute_depths(head).tolist() == list(range(LONG, 0, -1))
        assert find_non_projective(head, np.array([0, LONG])).size == 0

    def test_a_chain_that_is_a_cycle(self) -> None:
        head = (np.arange(LONG) + 1) % LONG
        assert find_cyclic(head).all()
        assert [rows.tolist() for _, rows in find_defects(head, np.array([0, LONG]))] == [[], [0], [0], []]

    def test_a_star(self) -> None:
        head = np.full(LONG, LONG // 2)
        head[LONG // 2] = ROOT
        assert np.bincount(compute_depths(head)).tolist() == [0, 1, LONG - 1]
        assert find_non_projective(head, np.array([0, LONG])).size == 0

    def test_a_chain_that_crosses_itself_everywhere(self) -> None:
        head = np.arange(LONG) - 2  # odd words hang on odd ones, even on even: two roots, the second under an arc
        head[:2] = ROOT
        assert find_non_projective(head, np.array([0, LONG])).tolist() == list(range(2, LONG))

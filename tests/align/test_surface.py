"""The running text of a corpus, and two of them laid over each other.

How words of multiword tokens are paired stands in `tests/tasks/test_conll18.py`.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

import pytest

from comparanda import AlignError
from comparanda.align import token_rows, words
from comparanda.align.words import Surface, without_spaces
from tests.align.shown import pairs
from tests.tasks.corpora import corpus
from tests.tasks.udeval import columns, cut, laid, trees


def test_every_word_is_a_token_but_those_that_a_range_covers() -> None:
    assert token_rows(trees(cut("a b"))).tolist() == [0, 1]
    assert token_rows(trees(cut("ab=a+b c de=d+e"))).tolist() == [0, 2, 3]
    assert token_rows(trees(cut("ab=a+b cd=c+d"))).tolist() == [0, 2]  # ranges that touch
    assert token_rows(trees(cut("a=a b=b+c+d") + cut("ef=e+f"))).tolist() == [0, 1, 4]


def test_a_range_stands_in_the_text_for_its_words() -> None:
    found = Surface.of(trees(cut("zum=zu+dem Haus")))
    assert [found.forms[token] for token in range(len(found))] == ["zum", "Haus"]
    assert (found.row.tolist(), found.end.tolist(), found.covering.tolist()) == ([0, 2], [2, 3], [True, False])
    assert bytes(found.text.data) == b"zumHaus"
    assert (found.text.begins.tolist(), found.text.ends.tolist()) == ([0, 3], [3, 7])


def test_empty_nodes_are_not_in_the_text() -> None:
    found = Surface.of(trees(columns("0.1 e\n1-2 zum\n1 zu _ _ _ _ 0 root\n1.1 e\n2 dem _ _ _ _ 1 dep\n2.1 e")))
    assert bytes(found.text.data) == b"zum"
    assert (found.row.tolist(), found.end.tolist()) == ([0], [2])


SPACES = [
    space for space in re.findall(r"\s", "".join(map(chr, range(0x110000)))) if unicodedata.category(space) == "Zs"
]


@pytest.mark.parametrize("space", SPACES, ids=[f"U+{ord(space):04X}" for space in SPACES])
def test_every_space_of_unicode_is_taken_out_of_the_text(space: str) -> None:
    spaced = corpus("x", [[(f"1{space}0…{space}{space}0", "NUM"), (f"é{space}", "X"), ("b", "X")]])
    text = Surface.of(spaced).text
    assert bytes(text.data) == "10…0éb".encode()
    assert text.ends.tolist() == [6, 8, 9]
    assert without_spaces(f"1{space}…0") == "1…0"


def test_spaces_of_other_categories_are_characters_like_others() -> None:
    """As in the evaluation of the shared task: a zero width space counts."""
    text = Surface.of(corpus("x", [[("a\u200bb", "X")]])).text
    assert bytes(text.data) == "a\u200bb".encode()


def test_a_byte_is_found_in_its_token() -> None:
    text = Surface.of(trees(cut("ab c def"))).text
    assert [text.token_at(place) for place in range(6)] == [0, 0, 1, 2, 2, 2]
    assert text.token_at(6) == 2  # the end is the last token's


def test_the_normal_form_is_made_of_each_token() -> None:
    found = Surface.of(corpus("x", [[("e\u0301", "X"), ("e", "X"), ("\u0301a", "X")]])).composed
    assert bytes(found.data).decode() == "\u00e9e\u0301a"
    assert found.ends.tolist() == [2, 3, 6]


def test_texts_longer_than_a_block_are_laid_end_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    written = " ".join(f"w{number}=a{number}+b" if number % 3 else f"v{number}" for number in range(40))
    whole = bytes(Surface.of(trees(cut(written))).text.data)
    monkeypatch.setattr(words, "_GATHER_BLOCK", 7)
    assert bytes(Surface.of(trees(cut(written))).text.data) == whole


def test_a_tangle_too_large_to_be_compared_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_MAX_CELLS", 5)
    assert pairs(laid(cut("abc=a+b+c"), cut("abc=a+b+d"))) == [(0, 0), (1, 1)]  # one word each is left over
    with pytest.raises(AlignError, match="3 words of the key overlap 2 words of the system output in one token"):
        laid(cut("abc=a+b+c"), cut("abc=x+c"))


def test_a_tangle_ends_at_the_next_common_word() -> None:
    """What is drawn together before it does not touch what stands behind it."""
    tangled = cut("ab=a+b c xy=x+y"), cut("a bc=b+c xy=x+y")
    assert pairs(laid(*tangled)) == [(row, row) for row in range(5)]
    behind = cut("ab=a+b c d xy=q+y"), cut("a bc=b+c d xy=x+y")
    assert pairs(laid(*behind)) == [(0, 0), (1, 1), (2, 2), (3, 3), (5, 5)]


def test_the_parts_of_a_long_text_are_paired_as_they_are_alone() -> None:
    parts = [("ab=a+b c", "a bc=b+c"), ("x y", "x y"), ("zum=zu+dem", "zum=Zu+dem"), ("pq r", "p qr"), ("s", "s")]
    whole = pairs(laid(cut(" ".join(mine for mine, _ in parts)), cut(" ".join(theirs for _, theirs in parts))))
    expected, key_row, response_row = [], 0, 0
    for mine, theirs in parts:
        aligned = laid(cut(mine), cut(theirs))
        expected += [(key_row + row, response_row + other) for row, other in pairs(aligned)]
        key_row, response_row = key_row + len(aligned.key), response_row + len(aligned.responses[0])
    assert whole == expected
    assert all(a < b and c < d for (a, c), (b, d) in pairwise(whole))

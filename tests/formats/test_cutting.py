from __future__ import annotations

import unicodedata
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from comparanda.formats.standoff import tokenise_texts

TEXTS = st.lists(st.text("aB1_ \n\t\r.,-é\u0301ß漢😀\u00a0\u2028\ufeff", max_size=12), max_size=5)


def words(texts: list[str]) -> list[str]:
    found = tokenise_texts(texts)
    slices = found.words(texts)
    return [slices[row] for row in range(len(slices))]


def lines(texts: list[str]) -> list[list[str]]:
    """The words of each sentence."""
    every = words(texts)
    return [every[begin:end] for begin, end in pairwise(tokenise_texts(texts).sentences.tolist())]


class TestWords:
    def test_runs_of_word_characters_and_every_other_character_alone(self) -> None:
        assert words(["Dr. O'Neill_2 paid €5.50 (really)!"]) == [
            *("Dr", ".", "O", "'", "Neill_2", "paid", "€", "5", ".", "50", "(", "really", ")", "!")
        ]

    def test_marks_belong_to_their_letters(self) -> None:
        assert words(["cafe\u0301 हिन्दी"]) == ["cafe\u0301", "हिन्दी"]

    def test_beyond_the_basic_plane(self) -> None:
        assert words(["a😀😀b 𝒳𝒴"]) == ["a", "😀", "😀", "b", "𝒳𝒴"]

    def test_a_word_does_not_go_on_in_the_next_text(self) -> None:
        assert words(["ab", "", "cd"]) == ["ab", "cd"]
        assert tokenise_texts(["ab", "", "cd"]).rows.tolist() == [0, 1, 1, 2]

    def test_a_byte_order_mark_is_white_space(self) -> None:
        assert words(["\ufeffa\ufeff"]) == ["a"]

    def test_nothing(self) -> None:
        for texts in ([], [""], [" \n", ""]):
            found = tokenise_texts(texts)
            assert found.begin.tolist() == []
            assert found.sentences.tolist() == [0]
            assert found.rows.tolist() == [0] * (len(texts) + 1)


class TestSentences:
    def test_lines_that_hold_words(self) -> None:
        assert lines(["a b\n\n \nc\r\nd", "e"]) == [["a", "b"], ["c"], ["d"], ["e"]]

    def test_a_text_without_line_ends_is_one(self) -> None:
        assert lines(["a b c"]) == [["a", "b", "c"]]


def plain_cut(text: str) -> list[tuple[int, int, int]]:
    """Cut one text by looking at each character: begin, end and line of each word."""
    found: list[tuple[int, int, int]] = []
    line, goes_on = 0, False
    for place, character in enumerate(text):
        line += character == "\n"
        if character.isspace() or character == "\ufeff":
            goes_on = False
        elif unicodedata.category(character)[0] in "LMN" or character == "_":
            if goes_on:
                found[-1] = (found[-1][0], place + 1, line)
            else:
                found.append((place, place + 1, line))
            goes_on = True
        else:
            found.append((place, place + 1, line))
            goes_on = False
    return found


@given(TEXTS)
def test_the_same_as_looking_at_each_character(texts: list[str]) -> None:
    found = tokenise_texts(texts)
    expected = [(number, *word) for number, text in enumerate(texts) for word in plain_cut(text)]
    owners = [number for number, (begin, end) in enumerate(pairwise(found.rows.tolist())) for _ in range(begin, end)]
    rows = zip(owners, found.begin.tolist(), found.end.tolist(), strict=True)
    assert list(rows) == [(number, begin, end) for number, begin, end, _ in expected]
    assert words(texts) == [texts[number][begin:end] for number, begin, end, _ in expected]
    begins = [row for row, here in enumerate(expected) if row == 0 or here[::3] != expected[row - 1][::3]]
    assert found.sentences.tolist() == [*begins, len(expected)]

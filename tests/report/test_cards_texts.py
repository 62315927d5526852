"""The texts of cards: safe, short, and cut where marks begin and end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparanda.report.card_texts import (
    LONGEST,
    LONGEST_WORD,
    SPACE,
    Cutting,
    cut_begin,
    fit_text,
    fitted_word,
    is_right_to_left,
    line_of,
    short_place,
)
from comparanda.tasks.spans.examples import Piece, Window

WORDS = ("Ann", "Smith-Jones", "left", "")


@pytest.mark.parametrize("evil", ["\x1b[31m", "\u202e", "\u2066", "\u200b", "\u2028", "\ufeff", "\U000e0041"])
def test_what_cannot_be_seen_is_written_out(evil: str) -> None:
    for made in (fit_text(f"a{evil}b"), fitted_word(f"a{evil}b")):
        assert made.isprintable()
        assert made.startswith("a\\")
        assert evil not in made


def test_of_a_long_text_begin_and_end_are_shown_and_how_much_is_left_out() -> None:
    made = fit_text("a" + "x" * 1_000_000 + "b")
    assert made.startswith("axx")
    assert made.endswith("xxb")
    assert f"({1_000_002 - LONGEST:,} more characters)" in made
    assert len(fitted_word("\u200b" * 1_000_000)) < 10 * LONGEST_WORD
    assert cut_begin("a" * LONGEST + "b") == "(1 more characters) … " + "a" * (LONGEST - 1) + "b"


def test_a_mark_that_would_combine_with_what_stands_before_it_gets_a_circle() -> None:
    assert fitted_word("\u0301a") == "◌\u0301a"
    assert fitted_word("a\u0301") == "a\u0301"


def test_places_are_shown_without_folders() -> None:
    assert short_place("/home/anna/secret/key.conllu:12") == "key.conllu:12"
    assert short_place("C:\\anna\\key.conllu:12") == "key.conllu:12"
    assert short_place(None) is None


def test_words_run_leftward_if_most_of_them_do() -> None:
    assert is_right_to_left(["שלום", "עולם", "Anna", "."])
    assert not is_right_to_left(["שלום", "Anna", "left", "."])
    assert not is_right_to_left(["1", "."])


def test_a_line_marks_the_words_of_the_site_that_are_shown() -> None:
    window = Window(document=0, first=10, size=3, words=("a", "b", "c"), words_before=10, words_after=5)
    line = line_of(window, (2,), 11, 5)
    assert (line.words, line.site, line.glued, line.before, line.after) == (("a", "b", "c"), (1, 2), (1,), 10, 5)


def test_words_without_marks_inside_of_them_are_not_cut() -> None:
    cutting = Cutting(WORDS[:3], (3,), [Piece(1, 2, 0, 0)])
    assert cutting.parts == ["Ann", "Smith-Jones", "left"]
    assert cutting.glued == [2]
    assert cutting.place(Piece(1, 2, 0, 0)) == (0, 1)


def test_a_word_is_cut_where_a_piece_begins_or_ends() -> None:
    jones, smith = Piece(2, 2, 6, 0), Piece(1, 2, 0, 6)
    cutting = Cutting(WORDS, (), [jones, smith])
    assert cutting.parts == ["Ann", "Smith", "-", "Jones", "left", " "]
    assert cutting.glued == [2, 3]
    assert cutting.place(jones) == (3, 3)
    assert cutting.place(smith) == (0, 1)
    assert cutting.word(2) == (1, 3)


def test_white_space_of_a_span_is_a_part_of_its_own() -> None:
    before, behind = Piece(2, 2, -1, 6), Piece(1, 1, 0, -1)
    cutting = Cutting(WORDS[:2], (), [before, behind])
    assert cutting.parts == ["Ann", SPACE, "Smith", "-Jones"]
    assert cutting.glued == [1, 2, 3]
    assert cutting.place(before) == (1, 2)
    assert cutting.place(behind) == (0, 1)


def test_a_span_without_any_character_stands_between_two() -> None:
    point = Piece(1, 1, 2, 1)
    cutting = Cutting(WORDS[:2], (), [point])
    assert cutting.parts == ["An", "", "n", "Smith-Jones"]
    assert cutting.place(point) == (1, 1)
    first, last = Piece(1, 1, 0, 3), Piece(2, 2, 11, 0)
    cutting = Cutting(WORDS[:2], (), [first, last])
    assert cutting.parts == ["", "Ann", "Smith-Jones", ""]
    assert (cutting.place(first), cutting.place(last)) == ((0, 0), (3, 3))
    assert cutting.glued == [1, 3]


def test_pieces_that_go_on_reach_to_the_ends_of_the_words() -> None:
    cutting = Cutting(WORDS[:3], (), [])
    assert cutting.place(Piece(0, 2, 0, 0)) == (0, 1)
    assert cutting.place(Piece(2, 4, 0, 0)) == (1, 2)
    assert cutting.place(Piece(0, 4, 0, 0)) == (0, 2)


@st.composite
def cut_words(draw: st.DrawFn) -> tuple[list[str], list[int], list[Piece]]:
    """Draw words, which of them are glued, and pieces with at least a character of each of their outer words."""
    words = draw(st.lists(st.text("abc\u0301😀", min_size=1, max_size=4), min_size=1, max_size=5))
    glued = draw(st.lists(st.integers(2, max(len(words), 2)), unique=True))
    pieces = []
    for _ in range(draw(st.integers(0, 5))):
        begin = draw(st.integers(1, len(words)))
        end = draw(st.integers(begin, len(words)))
        before = draw(st.integers(-1, len(words[begin - 1]) - 1))
        most = len(words[end - 1]) - 1 - (max(before, 0) if begin == end else 0)
        pieces.append(Piece(begin, end, before, draw(st.integers(-1, most))))
    return words, [number for number in glued if number <= len(words)], pieces


@given(cut_words())
def test_parts_make_up_the_words_and_pieces_cover_their_characters(
    drawn: tuple[list[str], list[int], list[Piece]],
) -> None:
    words, glued, pieces = drawn
    cutting = Cutting(words, glued, pieces)
    assert "".join(part for part in plain(cutting.parts) if part != SPACE) == "".join(words)
    for piece in pieces:
        first, last = cutting.place(piece)
        covered = "".join(part for part in plain(cutting.parts[first : last + 1]) if part != SPACE)
        assert covered == expected(words, piece)
        assert (cutting.parts[first] == SPACE) == (piece.before < 0)
        assert (cutting.parts[last] == SPACE) == (piece.after < 0)


def plain(parts: list[str]) -> list[str]:
    """Take away the circles before marks."""
    return [part.replace("◌", "") for part in parts]


def expected(words: list[str], piece: Piece) -> str:
    """Return the characters of a piece, without white space."""
    whole = "".join(words[piece.begin - 1 : piece.end])
    return whole[max(piece.before, 0) : len(whole) - max(piece.after, 0)]

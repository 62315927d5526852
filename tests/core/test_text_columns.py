from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from comparanda.core import text_columns
from comparanda.core.text_columns import Interner, Slices

texts = st.lists(
    st.one_of(
        st.text(max_size=3),
        st.text("ab", max_size=20),
        st.builds(lambda head, tail: head * 8 + tail, st.sampled_from("ab"), st.text("xy", max_size=12)),
        st.text(max_size=60),
    ),
    max_size=60,
)


def intern(rows: list[str], piece: int = 0) -> tuple[list[int], list[str]]:
    """Codes and names, the rows given `piece` at a time."""
    slices = Slices.of(rows)
    interner = Interner(slices.buffer)
    codes: list[int] = []
    for begin in range(0, len(rows), piece or len(rows) or 1):
        end = begin + (piece or len(rows))
        codes += interner.encode(slices.start[begin:end], slices.length[begin:end]).tolist()
    return codes, interner.names


def by_dictionary(rows: list[str]) -> tuple[list[int], list[str]]:
    place: dict[str, int] = {}
    return [place.setdefault(row, len(place)) for row in rows], list(place)


@given(texts, st.integers(0, 7))
def test_it_does_what_a_dictionary_does(rows: list[str], piece: int) -> None:
    assert intern(rows, piece) == by_dictionary(rows)


def same_codes(rows: list[str], piece: int = 0) -> bool:
    """Whether every row gets its text back, and every text has one code."""
    codes, names = intern(rows, piece)
    return [names[code] for code in codes] == rows and sorted(names) == sorted(set(rows))


@pytest.mark.parametrize("bits", [0, 1, 3])
def test_colliding_hashes_only_cost_time(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def poor(_: Interner, cut: text_columns._SlicedWords) -> NDArray[np.uint64]:
        return (cut.length & ((1 << bits) - 1)).astype(np.uint64) + np.uint64(1)

    monkeypatch.setattr(Interner, "_hash", poor)
    rows = ["a", "bb", "longer than eight", "another long text", "", "a", "longer than nine!", "dd"] * 3
    assert same_codes(rows)
    assert same_codes(rows, piece=2)


def test_a_short_text_with_the_hash_of_a_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a hostile file could aim at: the eight bytes of one value are the folded hash of another."""

    def aimed(_: Interner, cut: text_columns._SlicedWords) -> NDArray[np.uint64]:
        return np.full(len(cut.length), 77, np.uint64)

    monkeypatch.setattr(Interner, "_hash", aimed)
    assert same_codes(["a long text, met first", "short"], piece=1)
    assert same_codes(["short", "a long text, met later"], piece=1)


def test_a_hash_that_is_the_mark_of_a_free_place() -> None:
    view = np.array([2**64 - 1, 5], np.uint64)  # eight bytes 0xFF, which no text has
    cut = text_columns._SlicedWords.of(view, np.array([0, 1]), np.array([8, 8]))
    assert Interner._hash(cut).tolist() == [1, 6]


def test_texts_that_end_in_nul_are_told_apart() -> None:
    assert same_codes(["a", "a\0", "", "\0", "a"], piece=1)


def test_places_that_collide_in_every_table_only_cost_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_columns._Table, "places", lambda _, hashes: (hashes * np.uint64(0)).astype(np.int64))
    assert same_codes([f"t{number}" for number in range(40)] * 2, piece=9)


@pytest.mark.parametrize("count", [255, 256, 257, 2047, 2049, 70_000])
def test_many_values(count: int) -> None:
    rows = [f"value {number}" if number % 3 else f"v{number}" for number in range(count)]
    rows += rows[::-1]
    assert intern(rows) == by_dictionary(rows)
    assert intern(rows, piece=10_000) == by_dictionary(rows)


def test_long_values_that_differ_in_their_last_byte() -> None:
    rows = ["x" * size + end for size in (7, 8, 9, 15, 16, 17, 1000, 100_000) for end in ("a", "b")] * 2
    assert intern(rows) == by_dictionary(rows)


def test_codes_of_nothing() -> None:
    assert intern([]) == ([], [])


@given(texts, st.integers(1, 7), st.integers(0, 59))
def test_very_long_texts_are_told_apart_too(rows: list[str], piece: int, place: int) -> None:
    long = "x" * (text_columns._MAX_HASHED_LENGTH + 1)
    rows = [*rows[:place], long, *rows, long + "y", "y" + long, *rows[place:], long]
    assert intern(rows, piece) == by_dictionary(rows)


@given(st.lists(st.tuples(st.sampled_from([0, 1, 7, 8, 9, 1023, 1024, 1025, 5000]), st.integers(-1, 5000)), max_size=9))
def test_rows_are_compared_by_all_their_bytes(cases: list[tuple[int, int]]) -> None:
    """One text of some length, and the same with another byte somewhere, or with none."""
    mine = ["a" * length for length, _ in cases]
    theirs = [
        text[:place] + "b" + text[place + 1 :] if place >= 0 else text
        for text, (_, place) in zip(mine, cases, strict=True)
    ]
    expected = [one == other for one, other in zip(mine, theirs, strict=True)]
    assert Slices.of(mine).same(Slices.of(theirs)).tolist() == expected

"""Spans as text. Drawings are compared whole; and the spans that are read back from the lines are those given."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from comparanda.tasks.spans.examples import LEGEND, NO_SPANS, Piece, Span, SpanLine, Stretch, draw
from tests.render.hostile import TEXTS

ANNA = ("Yesterday", "Anna", "Smith", "met", "the", "board", "of", "Hollow", "Lane", "Foods", "in", "Leeds", ".")


def span(label: str, *pieces: tuple[int, ...], count: int = 1, right: bool = True, loose: bool = False) -> Span:
    """Make a span; a piece has a first and a last word, and characters of these before and behind it if any."""
    parts = tuple(Piece(*(*piece, 0, 0)[:4]) for piece in pieces)
    return Span(label=label, count=count, pieces=parts, right=right, here=True, loose=loose)


def wrong(label: str, *pieces: tuple[int, ...], count: int = 1, loose: bool = False) -> Span:
    return span(label, *pieces, count=count, right=False, loose=loose)


def stretch(
    words: Sequence[str],
    site: tuple[int, int],
    *sides: tuple[str, Sequence[Span]],
    glued: Sequence[int] = (),
    left_out: tuple[int, int] = (0, 0),
) -> Stretch:
    lines = tuple(SpanLine(side, tuple(spans)) for side, spans in sides)
    return Stretch(
        words=tuple(words),
        glued=tuple(glued),
        begin=site[0],
        end=site[1],
        words_before=left_out[0],
        words_after=left_out[1],
        sides=lines,
        items=(),
        undrawn=0,
    )


def drawing(given: Stretch, width: int = 100) -> str:
    return "\n".join(draw(given, width))


def text(block: str) -> str:
    """Return an expected drawing; its first line would be dedented with it, so each line starts with a bar."""
    return "\n".join(line.removeprefix("|") for line in dedent(block).strip("\n").splitlines())


# Drawings


def test_spans_stand_under_their_words() -> None:
    key = [span("PER", (2, 3)), span("ORG", (8, 10)), span("LOC", (12, 12))]
    one = [wrong("PER", (2, 2)), wrong("ORG", (8, 12))]
    other = [span("PER", (2, 3)), wrong("LOC", (8, 10)), span("LOC", (12, 12))]
    given = stretch(ANNA, (8, 12), ("key", key), ("spacy", one), ("spacy2", other), glued=(13,))
    assert drawing(given) == text(
        """
        |        Yesterday Anna Smith met the board of [Hollow Lane Foods in Leeds].
        |key               [PER─────]                   [ORG────────────]    [LOC]
        |spacy             [──]PER ✗                    [ORG ✗───────────────────]
        |spacy2            [PER─────]                   [LOC ✗──────────]    [LOC]
        """
    )


def test_a_side_with_the_spans_of_one_above_says_just_that() -> None:
    key, one = [span("PER", (2, 3))], [wrong("ORG", (2, 3))]
    sides = {"key": key, "a": one, "b": key, "c": one, "d": [], "e": []}
    assert drawing(stretch(ANNA[:4], (2, 3), *sides.items())) == text(
        """
        |     Yesterday [Anna Smith] met
        |key             [PER─────]
        |a               [ORG ✗───]
        |b    = key
        |c    = a
        |d    (none)
        |e    = d
        """
    )


def test_nested_and_overlapping_spans_take_several_lines() -> None:
    key = [span("ORG", (1, 5)), span("LOC", (3, 3)), span("ORG", (3, 5)), span("PER", (5, 6))]
    words = ["Bank", "of", "England", "and", "Wales", "plc"]
    assert drawing(stretch(words, (1, 6), ("key", key))) == text(
        """
        |     [Bank of England and Wales plc]
        |key   [ORG────────────────────]
        |              [ORG────────────]
        |              [LOC──]     [PER────]
        """
    )


def test_a_label_that_would_run_into_the_next_span_makes_it_take_another_line() -> None:
    key = [span("PERSON", (1, 1)), span("PERSON", (2, 2)), span("GPE", (3, 3)), span("CITY", (5, 5))]
    assert drawing(stretch(["I", "met", "Al", "in", "Florence"], (1, 1), ("key", key))) == text(
        """
        |     [I] met Al in Florence
        |key   ^PERSON      [CITY──]
        |         [─]PERSON
        |             []GPE
        """
    )


def test_a_span_twice_has_its_number() -> None:
    key = [span("PER", (2, 3))]
    twice = [wrong("PER", (2, 3), count=2)]
    assert drawing(stretch(ANNA[:4], (2, 3), ("key", key), ("crf", twice))) == text(
        """
        |     Yesterday [Anna Smith] met
        |key             [PER─────]
        |crf             [PER×2 ✗─]
        """
    )


def test_the_gap_of_a_discontinuous_span_is_dotted() -> None:
    words = ["left", "and", "right", "ventricular", "failure"]
    key = [span("DISORDER", (1, 1), (4, 5)), span("DISORDER", (3, 5))]
    assert drawing(stretch(words, (1, 5), ("key", key))) == text(
        """
        |     [left and right ventricular failure]
        |key   [──]···········[DISORDER─────────]
        |               [DISORDER───────────────]
        """
    )


def test_ends_inside_words_are_drawn_there() -> None:
    """At characters, in white space, and with nothing between them."""
    words = ["Ann", "'s", "Nordsee", "trip"]
    key = [span("PER", (1, 1)), span("LOC", (3, 3, 0, 3)), span("SEA", (3, 3, 4, 0))]
    off = [wrong("PER", (1, 2, 1, -1)), wrong("LOC", (3, 3, -1, 1)), wrong("X", (4, 4, 2, 2))]
    assert drawing(stretch(words, (1, 3), ("key", key), ("off", off), glued=(2,))) == text(
        """
        |     [Ann's Nordsee] trip
        |key   [─]PER    [─]SEA
        |            [──]LOC
        |off    [───]PER ✗      |X ✗
        |           [LOC ✗]
        """
    )


def test_spans_of_which_only_the_words_are_known_say_so_and_are_never_called_the_same() -> None:
    key, off = [span("PER", (1, 1), loose=True)], [wrong("PER", (1, 1), loose=True)]
    sides = ("key", key), ("a", key), ("b", off), ("c", off)
    assert drawing(stretch(["Müller-Lüdenscheidt"], (1, 1), *sides)) == text(
        """
        |     [Müller-Lüdenscheidt]
        |key   [PER≈─────────────]
        |a    = key
        |b     [PER≈ ✗───────────]
        |c     [PER≈ ✗───────────]
        """
    )


def test_long_sentences_are_cut_into_blocks_and_spans_go_on_in_the_next() -> None:
    """A side that stands for another is named once; one without spans in a block is not there."""
    key = [span("PER", (2, 3)), span("ORG", (6, 10)), span("X", (4, 4), (12, 12))]
    crf = [span("PER", (2, 3))]
    given = stretch(ANNA, (6, 10), ("key", key), ("crf", crf), ("new", key), glued=(13,))
    assert drawing(given, 40) == text(
        """
        |     Yesterday Anna Smith met the [board
        |key            [PER─────] [X]···········
        |                                   [ORG>
        |crf            [PER─────]
        |new  = key
        |
        |     of Hollow Lane Foods] in Leeds.
        |key  ·························[X──]
        |     <ORG───────────────]
        """
    )


def test_words_that_are_left_out_are_counted_and_spans_go_on_there() -> None:
    key = [span("PER", (0, 1)), span("ORG", (3, 5))]
    assert drawing(stretch(ANNA[2:6], (3, 5), ("key", key), left_out=(1234, 1))) == text(
        """
        |     (1,234 more …) Smith met [the board (… 1 more)
        |key                 <PER]      [ORG────>
        """
    )


def test_wide_characters_and_marks_keep_their_places() -> None:
    words = ["日本", "の", "cafe\u0301", "\u0301", "東京都"]
    key = [span("名詞", (1, 2)), span("X", (2, 2)), span("Y", (3, 3)), span("Z", (4, 4)), span("LOC", (5, 5, 1, 0))]
    assert drawing(stretch(words, (2, 2), ("key", key))) == text(
        """
        |     日本 [の] cafe\u0301 ◌\u0301 東京都
        |key  [名詞──]  [Y─] ^Z  [──]LOC
        |           []X
        """
    )


def test_words_from_right_to_left_stay_in_the_order_of_their_spans() -> None:
    """A mark before each word tells terminals that know better not to turn them around."""
    lines = draw(stretch(["שלום", "עולם", "ok"], (2, 2), ("key", [span("A", (1, 1)), span("BB", (2, 2))])), 80)
    assert lines[0].count("\u200e") == 3
    assert lines[0].replace("\u200e", "") == "     שלום [עולם] ok"
    assert lines[1] == "key  [A─]  [BB]"


def test_control_characters_are_shown_and_long_words_cut() -> None:
    words = ["\x1b[31mred", "w" * 1_000_000, "日" * 1_000]
    key = [span("\na", (1, 1)), span("l" * 1_000_000, (2, 2)), span("Z", (3, 3, 1, 2))]
    assert drawing(stretch(words, (1, 1), ("\x1bkey", key)), 120) == text(
        r"""
        |         [\x1b[31mred] wwwwwwwwwwwwwwwwwwwwwwwwwwwww… 日日日日日日日日日日日日日日…
        |\x1bkey   [\x0aa────]  [────────────────────────────]lllllllllllllllllllllllllllllll…
        |                                                        [Z────────────────────────]
        """
    )


def test_nothing_to_draw_is_no_line() -> None:
    assert draw(stretch([], (1, 1), ("key", [])), 80) == []


def test_the_legend_explains_every_sign() -> None:
    assert all(sign in LEGEND for sign in "[─]^|·<>×≈✗")


@pytest.mark.parametrize("nasty", TEXTS)
def test_hostile_text_stays_text(nasty: str) -> None:
    given = stretch([nasty, nasty], (1, 2), (nasty, [span(nasty, (1, 2))]), ("b", [wrong(nasty, (2, 2, 1, 1))]))
    lines = draw(given, 80)
    assert all(line.isprintable() for line in lines)
    assert all(cell_len(line) <= 80 for line in lines)
    assert len("\n".join(lines).splitlines()) == len(lines)


@pytest.mark.parametrize("width", [-1, 0, 1, 5, 10, 10_000])
def test_any_width_gives_a_drawing(width: int) -> None:
    lines = draw(stretch(ANNA, (2, 3), ("key", [span("PER", (2, 3)), span("LOC", (12, 12))])), width)
    assert "PER" in "".join(lines) or "…" in "".join(lines)


# Spans read back from the lines


@dataclass(frozen=True)
class Block:
    """A block of a drawing: the words by the places they stand in, and what stands below for each side."""

    begins: dict[int, int]
    ends: dict[int, int]
    sides: dict[str, list[str]]


def places(line: str) -> str:
    """Return a line with a character for each place: wide ones take two."""
    return "".join(place for character in line for place in (character + "\0")[: cell_len(character)])


def blocks(lines: Sequence[str], column: int) -> Iterator[Block]:
    """Read the blocks of a drawing, whose words are told apart by the numbers in them."""
    for empty, group in groupby(lines, lambda line: not line):
        if empty:
            continue
        words, *below = (places(line) for line in group)
        found = [
            (int(match[1]), match) for match in re.finditer(r"(?!\()[^ \[\d]+(\d+)[^ \]]*(?=[ \]]|$)", words[column:])
        ]
        sides: dict[str, list[str]] = {}
        name = ""
        for line in below:
            name = line[:column].strip() or name
            sides.setdefault(name, []).append(line[column:])
        yield Block(
            {match.start(): number for number, match in found},
            {match.end(): number for number, match in found},
            sides,
        )


PIECE = re.compile(r"·+|[\[<]([^\[<\]>·]*)[\]>]|[\^<>─]")
Read = tuple[str, tuple[tuple[int, int], ...]]  # the text of a span and the words of its pieces


def marks(block: Block, line: str) -> Iterator[Read]:
    """Read the spans on a line; signs of one span have no space between them."""
    for match in re.finditer(r"[^ ]+", line.replace(" ✗", "_✗")):
        pieces, said, place = [], "", 0
        while found := PIECE.match(match[0], place):
            if found[0][0] != "·":
                left, right = match.start() + found.start(), match.start() + found.end()
                pieces.append((block.begins[left], block.ends[right]))
                said += (found[1] or "").rstrip("─")
            place = found.end()
        assert bool(said) != bool(match[0][place:])
        yield (said or match[0][place:]).replace("_✗", " ✗"), tuple(pieces)


def expected(block: Block, spans: Sequence[Span]) -> Iterator[Read]:
    first, last = min(block.begins.values(), default=1), max(block.begins.values(), default=-1)
    for each in spans:
        pieces = [
            (max(piece.begin, first), min(piece.end, last))
            for piece in each.pieces
            if piece.begin <= last and piece.end >= first
        ]
        if pieces:
            count = f"×{each.count}" if each.count > 1 else ""
            yield f"{each.label}{count}{'≈' * each.loose}{'' if each.right else ' ✗'}", tuple(pieces)


@st.composite
def pictures(draw_: st.DrawFn) -> Stretch:
    """Make nested, overlapping, discontinuous and repeated spans over the same words."""
    shapes = draw_(st.lists(st.sampled_from(["a", "word", "日本", "verylongwordindeed"]), min_size=1, max_size=14))
    words = tuple(f"{shape}{number}" for number, shape in enumerate(shapes, start=1))
    ends = st.integers(0, len(words) + 1)
    sides = []
    for side in range(draw_(st.integers(1, 4))):
        spans = []
        for _ in range(draw_(st.integers(0, 6))):
            cuts = sorted(draw_(st.sets(ends, min_size=1, max_size=4)))
            cuts += cuts[-1:] if len(cuts) % 2 else []
            spans.append(
                Span(
                    label=draw_(st.sampled_from(["A", "PER", "LOCATION"])),
                    count=draw_(st.integers(1, 3)),
                    pieces=tuple(Piece(begin, end, 0, 0) for begin, end in zip(cuts[::2], cuts[1::2], strict=True)),
                    right=draw_(st.booleans()),
                    here=True,
                    loose=draw_(st.booleans()),
                )
            )
        sides.append(SpanLine(f"side{side}", tuple(spans)))
    begin, end = sorted((draw_(ends), draw_(ends)))
    return Stretch(
        words=words,
        glued=(),
        begin=begin,
        end=end,
        words_before=draw_(st.integers(0, 3)),
        words_after=draw_(st.integers(0, 3)),
        sides=tuple(sides),
        items=(),
        undrawn=0,
    )


@settings(deadline=None)
@given(pictures(), st.integers(60, 160))
def test_every_span_is_drawn_once_at_its_words(picture: Stretch, width: int) -> None:
    column = 7
    found = list(blocks(draw(picture, width), column))
    assert [number for block in found for number in block.begins.values()] == list(range(1, len(picture.words) + 1))
    spans = {line.side: line.spans for line in picture.sides}
    for number, block in enumerate(found):
        for side, given_spans in spans.items():
            lines = block.sides.get(side, [])
            if said := next((line for line in found[0].sides.get(side, []) if line.startswith(("= ", NO_SPANS))), None):
                assert lines == ([said] if number == 0 else [])
                same = [replace(each, right=True) for each in spans.get(said[2:], ())]
                assert same == [replace(each, right=True) for each in given_spans]
            else:
                read = Counter(mark for line in lines for mark in marks(block, line))
                assert read == Counter(expected(block, given_spans))


@settings(deadline=None)
@given(pictures(), st.integers(30, 200))
def test_no_line_is_too_wide(picture: Stretch, width: int) -> None:
    lines = draw(picture, width)
    assert lines == draw(picture, width)
    assert max(map(cell_len, lines)) <= width
    assert not any(line != line.rstrip() for line in lines)


@settings(deadline=None)
@given(
    words=st.lists(st.text(), min_size=2, max_size=2),
    side=st.text(),
    label=st.text(),
    width=st.integers(40, 200),
    data=st.data(),
)
def test_any_text_fits_the_width(*, words: list[str], side: str, label: str, width: int, data: st.DataObject) -> None:
    inside = st.integers(-2, 8)
    pieces = tuple(Piece(begin, 2, data.draw(inside), data.draw(inside)) for begin in (1, 2))
    spans = [Span(label=label, count=1, pieces=(piece,), right=False, here=True, loose=False) for piece in pieces]
    given_stretch = stretch(
        words, (1, 2), (side, spans), ("other", spans[:1]), glued=data.draw(st.sampled_from([(), (2,)]))
    )
    lines = draw(given_stretch, width)
    assert max(map(cell_len, lines)) <= width


def test_many_spans_are_drawn_at_once() -> None:
    words = [f"word{number}" for number in range(40)]
    spans = [span("LABEL", (begin, end)) for begin in range(1, 20) for end in range(begin, begin + 20, 4)]
    given_stretch = stretch(
        words, (1, 40), *((f"s{number}", [*spans, wrong("X", (number, 40))]) for number in range(1, 9))
    )
    before = time.perf_counter()
    assert len(draw(given_stretch, 80)) > 100
    assert time.perf_counter() - before < 2


@settings(deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.data())
def test_ends_inside_words_are_drawn_at_their_characters(sizes: list[int], data: st.DataObject) -> None:
    words = ["abcdefghi"[:size] for size in sizes]
    line = " ".join(words)
    letters = [place for place, letter in enumerate(line) if letter != " "]
    first = data.draw(st.sampled_from(letters))
    last = data.draw(st.sampled_from([place for place in letters if place >= first]))
    begin, end = line[:first].count(" "), line[:last].count(" ")
    starts = [sum(sizes[:number]) + number for number in range(len(sizes))]
    piece = (begin + 1, end + 1, first - starts[begin], starts[end] + sizes[end] - last - 1)
    lines = draw(stretch(words, (0, 0), ("key", [span("X", piece)])), 200)
    body = lines[1].removeprefix("key  ")
    assert len(body) - len(body.lstrip()) == first
    assert max(body.rfind("]"), body.rfind("^")) == last

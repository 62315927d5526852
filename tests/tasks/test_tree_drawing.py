"""Arcs as text. Drawings are compared whole; and the arcs that are read back from the lines are those given."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from comparanda.tasks.trees.examples import LEGEND, NO_WORD, Arc, Tree, draw
from tests.render.hostile import TEXTS

Said = tuple[int, int | None, str | None]  # word, head, label

SAW = ["I", "saw", "her", "duck", "with", "a", "telescope"]


def tree(side: str, *arcs: Said, key: Tree | None = None) -> Tree:
    """Make a tree; its arcs are right where the key says the same, all of them without a key."""
    right = {(arc.word, arc.head, arc.label) for arc in key.arcs} if key else set(arcs)
    return Tree(side, tuple(Arc(*arc, right=arc in right) for arc in arcs))


def drawing(words: Sequence[str], *trees: Tree, width: int = 80) -> str:
    return "\n".join(draw(words, trees, width))


def text(block: str) -> str:
    """Return an expected drawing; its header would be dedented with it, so each block starts with a bar."""
    return "\n".join(line.removeprefix("|") for line in dedent(block).strip("\n").splitlines())


# Drawings


def test_a_head_that_moved() -> None:
    key = tree("key", (7, 2, "obl"))
    bert = tree("bert", (7, 4, "nmod"), key=key)
    assert drawing(SAW, key, bert) == text(
        """
        |              key       bert
        |2 saw         ●
        |⋮             │
        |4 duck        │         ●
        |⋮             │         │
        |7 telescope   ╰─▸ obl   ╰─▸ nmod ✗
        """
    )


def test_the_same_head_with_another_label() -> None:
    key = tree("key", (4, 2, "obj"))
    crf, bert = tree("crf", (4, 2, "iobj"), key=key), tree("bert", (4, 2, "obj"), key=key)
    assert drawing(SAW, key, crf, bert) == text(
        """
        |         key       crf          bert
        |2 saw    ●         ●            ●
        |⋮        │         │            │
        |4 duck   ╰─▸ obj   ╰─▸ iobj ✗   ╰─▸ obj
        """
    )


def test_a_root_that_moved_has_no_line_but_the_number_0() -> None:
    key = tree("key", (2, 0, "root"), (4, 2, "ccomp"))
    new = tree("new", (2, 4, "parataxis"), (4, 0, "root"), key=key)
    assert drawing(SAW, key, new) == text(
        """
        |         key          new
        |2 saw    ● 0▸ root    ╭──▸ parataxis ✗
        |⋮        │            │
        |4 duck   ╰──▸ ccomp   ● 0▸ root ✗
        """
    )


def test_a_label_root_on_a_word_is_not_the_root() -> None:
    assert drawing("AB", tree("zero", (2, 0, "root")), tree("one", (2, 1, "root"))) == text(
        """
        |      zero      one
        |1 A             ●
        |2 B   0▸ root   ╰─▸ root
        """
    )


def test_crossing_arcs_run_in_lanes_of_their_own() -> None:
    key = tree("key", (1, 3, "a"), (4, 2, "b"), (5, 1, "c"))
    new = tree("new", (1, 3, "a"), (4, 1, "b"), (5, 2, "c"), key=key)
    assert drawing("ABCDE", key, new) == text(
        """
        |      key       new
        |1 A   ● ╭─▸ a    ●╭─▸ a
        |2 B   │●│       ●││
        |3 C   ││●       ││●
        |4 D   │╰──▸ b   │╰──▸ b ✗
        |5 E   ╰───▸ c   ╰───▸ c ✗
        """
    )


def test_an_arrow_that_crosses_a_line() -> None:
    assert drawing("ABCD", tree("up", (1, 3, "a"), (2, 4, "b")), tree("down", (3, 1, "a"), (4, 2, "b"))) == text(
        """
        |      up       down
        |1 A    ╭─▸ a    ●
        |2 B   ╭┼─▸ b   ●│
        |3 C   │●       │╰─▸ a
        |4 D   ●        ╰──▸ b
        """
    )


def test_nested_arcs_are_inside_one_another_the_shortest_at_the_labels() -> None:
    key = tree("key", (1, 7, "outer"), (2, 6, "middle"), (3, 5, "inner"))
    down = tree("down", (7, 1, "outer"), (6, 2, "middle"), (5, 3, "inner"))
    assert drawing("ABCDEFG", key, down) == text(
        """
        |      key            down
        |1 A   ╭───▸ outer    ●
        |2 B   │╭──▸ middle   │●
        |3 C   ││╭─▸ inner    ││●
        |⋮     │││            │││
        |5 E   ││●            ││╰─▸ inner
        |6 F   │●             │╰──▸ middle
        |7 G   ●              ╰───▸ outer
        """
    )


def test_the_dependents_of_a_head_share_its_line() -> None:
    key = tree("key", (1, 3, "a"), (2, 3, "b"), (4, 3, "c"), (5, 3, "d"))
    assert drawing("ABCDE", key) == text(
        """
        |      key
        |1 A   ╭─▸ a
        |2 B   ├─▸ b
        |3 C   ●
        |4 D   ├─▸ c
        |5 E   ╰─▸ d
        """
    )


def test_a_word_between_its_head_and_its_dependent() -> None:
    """The arrow leads past the word's own start; what starts there is another line."""
    up, down = tree("up", (1, 2, "a"), (2, 3, "b")), tree("down", (3, 2, "a"), (2, 1, "b"))
    assert drawing("ABC", up, down) == text(
        """
        |      up       down
        |1 A    ╭─▸ a    ●
        |2 B   ╭●─▸ b   ●╰─▸ b
        |3 C   ●        ╰──▸ a
        """
    )


def test_cycles_and_words_that_are_their_own_head_can_be_drawn() -> None:
    cycle, itself = tree("cycle", (1, 2, "a"), (2, 1, "b")), tree("itself", (1, 1, "a"), (2, 1, "b"))
    assert drawing("AB", cycle, itself) == text(
        """
        |      cycle    itself
        |1 A   ╭●─▸ a   ● 1▸ a
        |2 B   ●╰─▸ b   ╰──▸ b
        """
    )


def test_a_head_that_is_cut_otherwise_has_a_question_mark() -> None:
    key = tree("key", (4, 2, "obj"))
    new = tree("new", (4, None, "obj"), key=key)
    assert drawing(SAW, key, new) == text(
        """
        |         key       new
        |2 saw    ●
        |⋮        │
        |4 duck   ╰─▸ obj   ?▸ obj ✗
        """
    )
    assert "?▸" in LEGEND


def test_a_word_that_a_side_does_not_have() -> None:
    key = tree("key", (3, 4, "nmod:poss"), (4, 2, "obj"))
    new = tree("new", (3, None, None), (4, 2, "obj"), key=key)
    assert drawing(SAW, key, new) == text(
        """
        |         key              new
        |2 saw    ●                ●
        |3 her    │╭─▸ nmod:poss   │ (no such word) ✗
        |4 duck   ╰●─▸ obj         ╰─▸ obj
        """
    )


def test_sides_without_room_come_below_with_the_words_again() -> None:
    key = tree("key", (7, 2, "obl"))
    crf, bert = tree("crf", (7, 4, "nmod"), key=key), tree("bert", (7, 2, "obj"), key=key)
    assert drawing(SAW, key, crf, bert, width=36) == text(
        """
        |              key       crf
        |2 saw         ●
        |⋮             │
        |4 duck        │         ●
        |⋮             │         │
        |7 telescope   ╰─▸ obl   ╰─▸ nmod ✗
        |
        |              bert
        |2 saw         ●
        |⋮             │
        |4 duck        │
        |⋮             │
        |7 telescope   ╰─▸ obj ✗
        """
    )


def test_where_lanes_have_no_room_the_long_arcs_give_numbers() -> None:
    key = tree("key", (1, 7, "outer"), (2, 6, "middle"), (3, 5, "inner"))
    assert drawing("ABCDEFG", key, width=19) == text(
        """
        |      key
        |1 A     7▸ outer
        |2 B     6▸ middle
        |3 C   ╭──▸ inner
        |⋮     │
        |5 E   ●
        |6 F
        |7 G
        """
    )


def test_wide_characters_take_two_places() -> None:
    words = ["日本", "の", "cafe\u0301", "\u0301"]
    key = tree("key", (1, 3, "名詞"), (2, 1, "case"), (4, 3, "x"))
    assert drawing(words, key, key) == text(
        """
        |         key         key
        |1 日本   ╭●─▸ 名詞   ╭●─▸ 名詞
        |2 の     │╰─▸ case   │╰─▸ case
        |3 cafe\u0301   ●           ●
        |4 ◌\u0301      ╰──▸ x      ╰──▸ x
        """
    )


def test_control_characters_are_shown_and_long_words_cut() -> None:
    words = ["\x1b[31mred", "w" * 1_000_000, "日" * 1_000]
    key = tree("\x1bkey", (1, 2, "\na"), (3, 2, "l" * 1_000_000))
    assert drawing(words, key) == text(
        r"""
        |                         \x1bkey
        |1 \x1b[31mred            ╭─▸ \x0aa
        |2 wwwwwwwwwwwwwwwwwww…   ●
        |3 日日日日日日日日日…    ╰─▸ lllllllllllllllllllllllllllllll…
        """
    )


def test_a_million_marks_on_a_letter_hold_nothing_up() -> None:
    lines = draw(["e" + "\u0301" * 1_000_000, "x"], [tree("key", (2, 1, "y"))], 80)
    assert max(map(len, lines)) < 300
    assert [cell_len(line) for line in lines] == [10, 8, 12]


@pytest.mark.parametrize("nasty", TEXTS)
def test_hostile_text_stays_text(nasty: str) -> None:
    lines = draw([nasty, nasty], [tree(nasty, (2, 1, nasty)), tree(nasty, (2, 0, nasty))], 80)
    assert all(line.isprintable() for line in lines)
    assert all(cell_len(line) <= 80 for line in lines)
    assert len("\n".join(lines).splitlines()) == len(lines)


def test_thirty_systems_stand_in_blocks() -> None:
    key = tree("key", (4, 2, "obj"))
    systems = [tree(f"system{number:02}", (4, 3, "nmod"), key=key) for number in range(30)]
    lines = draw(SAW, [key, *systems], 80)
    headers = [line for line in lines if "system" in line]
    assert " ".join(headers).split() == [each.side for each in (key, *systems)]
    assert [len(header.split()) for header in headers] == [5, 5, 5, 5, 5, 5, 1]
    assert len(lines) == 7 * 4 + 6
    assert sum(line.count("╰─▸ nmod ✗") for line in lines) == 30


def test_nothing_to_draw_is_no_line() -> None:
    assert draw(SAW, [], 80) == draw(SAW, [Tree("key", ()), Tree("crf", ())], 80) == []


@pytest.mark.parametrize("width", [-1, 0, 1, 5, 10, 10_000])
def test_any_width_gives_a_drawing(width: int) -> None:
    lines = draw(SAW, [tree("key", (7, 2, "obl"), (1, 2, "nsubj"))], width)
    assert [line.split()[0] for line in lines] == ["key", "1", "2", "⋮", "7"]


# Arcs read back from the lines


class Sheet:
    """A drawing as a grid of characters, where a wide one takes two places, with rows and columns by name."""

    def __init__(self, block: Sequence[str]) -> None:
        header, *lines = block
        self.lines = [_places(line) for line in lines]
        self.starts = {name: header.index(name) for name in header.split()}
        self.numbers = [None if line.lstrip().startswith("⋮") else int(line.split()[0]) for line in lines]

    def at(self, line: int, place: int) -> str:
        inside = 0 <= line < len(self.lines) and 0 <= place < len(self.lines[line])
        return self.lines[line][place] if inside else " "

    def side(self, name: str) -> Iterator[tuple[int, str]]:
        """Give what each line says at a side."""
        ends = [start for start in self.starts.values() if start > self.starts[name]]
        for line, characters in enumerate(self.lines):
            yield line, "".join(characters[self.starts[name] : min(ends, default=None)])

    def arcs(self, name: str) -> set[Said]:
        """Follow each arrow of a side back to where it comes from."""
        found: set[Said] = set()
        for line, said in self.side(name):
            number = self.numbers[line]
            if "▸" in said:
                assert number is not None
                place = self.starts[name] + said.index("▸")
                label = said.partition("▸")[2].strip().removesuffix("✗").strip()
                found.add((number, self.origin(line, place), label))
            elif NO_WORD in said:
                assert number is not None
                found.add((number, None, None))
        return found

    def origin(self, line: int, place: int) -> int | None:
        before = "".join(self.at(line, each) for each in range(place)).rpartition(" ")[2]
        if before == "?":
            return None
        if before.isdigit():
            return int(before)
        place -= 1
        while self.at(line, place) in "─┼●":
            place -= 1
        corner = self.at(line, place)
        assert corner in "╭╰├", corner
        steps = {"╭": (1,), "╰": (-1,), "├": (-1, 1)}[corner]
        (head,) = [end for step in steps if (end := self.end(line, place, step)) is not None]
        return head

    def end(self, line: int, place: int, step: int) -> int | None:
        """Follow a line up or down; return the head there, or None if the line ends with another dependent."""
        line += step
        while self.at(line, place) in "│┼├":
            line += step
        if self.at(line, place) == "●":
            return self.numbers[line]
        assert self.at(line, place) == ("╭" if step < 0 else "╰")
        return None


def _places(line: str) -> list[str]:
    return [place for character in line for place in [character, "\0"][: cell_len(character)]]


def sheets(lines: Sequence[str]) -> list[Sheet]:
    return [Sheet(list(block)) for empty, block in groupby(lines, lambda line: not line) if not empty]


@st.composite
def pictures(draw_: st.DrawFn) -> tuple[list[str], list[Tree], int]:
    """Make trees, or what hostile input has instead of them, over the same words, and a width to draw them in."""
    words = draw_(st.lists(st.sampled_from(["a", "word", "日本", "verylongwordindeed"]), min_size=1, max_size=14))
    numbers = st.integers(1, len(words))
    chosen = sorted(draw_(st.sets(numbers, min_size=1)))
    labels = st.sampled_from(["nsubj", "│●", "▸x", "root", "acl:relcl", "╭─▸", "7▸", "⋮"])
    trees = []
    for side in range(draw_(st.integers(1, 4))):
        arcs = []
        for word in chosen:
            head = draw_(st.none() | st.integers(0, len(words)))
            label = draw_(labels) if head is not None else draw_(st.none() | labels)
            arcs.append(Arc(word, head, label, right=draw_(st.booleans())))
        trees.append(Tree(f"side{side}", tuple(arcs)))
    return words, trees, draw_(st.integers(50, 200))


@settings(deadline=None)
@given(pictures())
def test_the_arcs_that_the_lines_show_are_those_given(picture: tuple[list[str], list[Tree], int]) -> None:
    words, trees, width = picture
    shown = {name: sheet.arcs(name) for sheet in sheets(draw(words, trees, width)) for name in sheet.starts}
    assert shown == {each.side: {(arc.word, arc.head, arc.label) for arc in each.arcs} for each in trees}


@settings(deadline=None)
@given(pictures())
def test_each_arc_has_one_arrow_and_each_wrong_one_a_sign(picture: tuple[list[str], list[Tree], int]) -> None:
    words, trees, width = picture
    plain = [Tree(each.side, tuple(_relabelled(arc) for arc in each.arcs)) for each in trees]
    lines = "\n".join(draw(words, plain, width))
    arcs = [arc for each in trees for arc in each.arcs]
    assert lines.count("▸") == sum(arc.label is not None for arc in arcs)
    assert lines.count(NO_WORD) == sum(arc.label is None for arc in arcs)
    assert lines.count("✗") == sum(not arc.right for arc in arcs)


def _relabelled(arc: Arc) -> Arc:
    return Arc(arc.word, arc.head, arc.label and "label", arc.right)


@settings(deadline=None)
@given(pictures())
def test_no_line_is_too_wide_and_every_row_exists(picture: tuple[list[str], list[Tree], int]) -> None:
    words, trees, width = picture
    lines = draw(words, trees, width)
    assert lines == draw(words, trees, width)
    assert max(map(cell_len, lines)) <= width
    assert max(map(cell_len, draw(words, trees, 30))) <= 30
    assert not any(line != line.rstrip() for line in lines)
    arcs = [arc for each in trees for arc in each.arcs]
    ends = {arc.word for arc in arcs} | {arc.head for arc in arcs if arc.head}
    for sheet in sheets(lines):
        assert [number for number in sheet.numbers if number is not None] == sorted(ends)
        gaps = [line for line, number in enumerate(sheet.numbers) if number is None]
        assert all((sheet.numbers[line + 1] or 0) - (sheet.numbers[line - 1] or 0) > 1 for line in gaps)


@settings(deadline=None)
@given(st.lists(st.text(), min_size=2, max_size=2), st.text(), st.text(), st.integers(40, 200))
def test_any_text_fits_the_width(words: list[str], side: str, label: str, width: int) -> None:
    lines = draw(words, [tree(side, (2, 1, label)), tree("other", (2, 0, label))], width)
    assert max(map(cell_len, lines)) <= width


def test_long_sentences_with_many_arcs_are_drawn_at_once() -> None:
    """Arcs of all lengths, most of which find no lane: they give numbers."""
    chance = random.Random(13)
    words = [f"word{number}" for number in range(1, 2001)]
    chosen = sorted(chance.sample(range(1, 2001), 500))
    trees = [
        tree(side, *((word, chance.choice([chance.randint(0, 2000), max(word - 3, 0)]), "dep") for word in chosen))
        for side in ("key", "base", "new")
    ]
    before = time.perf_counter()
    lines = draw(words, trees, 120)
    assert time.perf_counter() - before < 1
    shown = {name: sheet.arcs(name) for sheet in sheets(lines) for name in sheet.starts}
    assert shown == {each.side: {(arc.word, arc.head, arc.label) for arc in each.arcs} for each in trees}

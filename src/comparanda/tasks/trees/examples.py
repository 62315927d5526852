"""What sides say of the same words where they do not agree: the arcs of a sentence that differ."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.sites import ABSENT, OWN_PLACE, shown
from comparanda.render.cells import cell_len, chop_cells
from comparanda.render.table import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from comparanda.core.text_columns import Codes
    from comparanda.findings.context import Context


@dataclass(frozen=True)
class Arc:
    """What one side says of one word: the head it hangs on, by which relation, and whether that is right.

    Words are the key's, numbered in their sentence from 1. A head of 0 is the root; None is a head that is no
    word of the sentence: the key cuts it otherwise, or has it in another sentence. A label of None says that the
    side has no such word: it cuts the text otherwise.
    """

    word: int
    head: int | None
    label: str | None
    right: bool


@dataclass(frozen=True)
class Tree:
    """The arcs of one side, the key or a run, for the words of a sentence on which the sides shown differ.

    The words are the same on every side, each once and in order, so that arcs can be read across.
    """

    side: str
    arcs: tuple[Arc, ...]


MOST_WORDS = 30
"""How many words of a sentence are drawn at most, those nearest to the site."""


def trees_of(
    context: Context, row: int, position: int, size: int, *, runs: tuple[int, ...], most: int = MOST_WORDS
) -> tuple[tuple[Tree, ...], int]:
    """Return the arcs of the key and of some runs, for the words of a site's sentence on which these differ.

    There may be too many such words; how many are left out is returned as well.

    Args:
        context: the ground.
        row: the site.
        position: its place in its sentence, from 0.
        size: how many words the sentence has.
        runs: the runs to show beside the key.
        most: of how many words arcs are returned at most, those nearest to the site.

    """
    pointer = next((name for name, aspect in context.sites.aspects.items() if aspect.points), None)
    if pointer is None:
        return (), 0
    sites = context.view.all_sites
    sentence = context.sites.sentence[row]
    first = int(context.sites.place[row]) - position
    begin, end = np.searchsorted(sites.sentence, [sentence, sentence + 1])
    here = sites.take(np.arange(begin, end))
    heads, labels = here.aspects[pointer], here.labels
    unlike = np.zeros(len(here), np.bool_)
    for run in runs:
        unlike |= (heads.values[run] != heads.key) | (labels.values[run] != labels.key)
    if not unlike.any():
        return (), 0
    rows = np.flatnonzero(unlike)
    away = np.abs(here.place[rows] - context.sites.place[row])
    nearest = np.sort(rows[np.argsort(away, kind="stable")[:most]])
    words = [(each, int(here.place[each]) - first + 1) for each in nearest.tolist()]

    def tree(side: str, head: Codes, label: Codes, value: Codes) -> Tree:
        arcs = [
            _arc(
                number,
                head=heads.names[head[each]],
                label=labels.names[label[each]],
                size=size,
                right=value[each] == here.key[each],
            )
            for each, number in words
        ]
        return Tree(side, tuple(arcs))

    of_runs = (
        tree(context.verdicts.runs[run], heads.values[run], labels.values[run], here.values[run]) for run in runs
    )
    return (tree("key", heads.key, labels.key, here.key), *of_runs), len(rows) - len(nearest)


def _arc(word: int, head: str, label: str, size: int, *, right: np.bool_) -> Arc:
    """Make an arc of the names of a head, such as `+2`, and of a label, in a sentence of some size."""
    if head == ABSENT:
        return Arc(word, None, None, bool(right))
    if head in {OWN_PLACE, "0"}:
        return Arc(word, word if head == OWN_PLACE else 0, shown(label), bool(right))
    number = word + int(head) if head[0] in "+-" else None
    inside = number is not None and 1 <= number <= size
    return Arc(word, number if inside else None, shown(label), bool(right))


# Arcs as text: one word a line, each side in a column of its own, so that trees can be read across.
#
# Each head has one line, its stem, that runs in a lane of its own past the words to its dependents: `●` marks the
# head, and at each dependent the stem sends out an arrow that ends at the label. A row has one arrow at most, and
# a head needs none, so wherever lines meet it is clear which goes where: `┼` is always a crossing.


LEGEND = "● head, ▸ dependent; 0▸ root, 7▸ head is word 7, ?▸ head is no word of this sentence in the key; ✗ wrong"
NO_WORD = "(no such word)"

_GAP = 3  # between two columns
_LANES = 20  # more cannot be followed by eye
_WORD = 20
_LABEL = 32
_ENDING = 12  # what arrow and label want, rather than lines
_NARROWEST = 8
_CROSSED = {" ": "─", "│": "┼"}


def draw(words: Sequence[str], trees: Sequence[Tree], width: int) -> list[str]:
    r"""Draw the arcs of some sides beside each other; sides that the width has no room for come below.

    Rows are the words at the ends of arcs, on whatever side; `⋮` stands for words in between. Short arcs are
    nearest to the labels. Where an arc starts at no row, or no lane is left for it, the number of its head
    stands before the arrow: 0 is the root, `?` a head that the key does not have. `LEGEND` says so to readers.

    >>> from comparanda.tasks.trees.examples import Arc, Tree
    >>> key = Tree("key", (Arc(4, 2, "obl", right=True),))
    >>> system = Tree("bert", (Arc(4, 3, "nmod", right=False),))
    >>> print(*draw(["I", "saw", "her", "yesterday"], [key, system], 80), sep="\n")
                  key       bert
    2 saw         ●
    3 her         │         ●
    4 yesterday   ╰─▸ obl   ╰─▸ nmod ✗
    """
    rows = _rows(trees)
    if not rows:
        return []
    names = _padded(["", *_names(words, rows, width)])
    room = max(width - cell_len(names[0]) - _GAP, _NARROWEST)
    columns = [_column(tree, rows, room) for tree in trees]
    lines: list[str] = []
    for block in _blocks(columns, room):
        lines += [""] if lines else []
        lines += [(" " * _GAP).join(cells).rstrip() for cells in zip(names, *block, strict=True)]
    return lines


def _rows(trees: Iterable[Tree]) -> list[int | None]:
    """Return the numbers of the words at the ends of arcs, with None where words in between are left out."""
    ends = {end for tree in trees for arc in tree.arcs for end in (arc.word, _drawn_from(arc)) if end}
    rows: list[int | None] = []
    for number in sorted(ends):
        if rows and number - 1 not in ends:
            rows.append(None)
        rows.append(number)
    return rows


def _drawn_from(arc: Arc) -> int | None:
    """Return the word that an arc comes from, if it comes from any: not the root, nor the word itself."""
    return arc.head or None if arc.label is not None and arc.head != arc.word else None


def _names(words: Sequence[str], rows: Sequence[int | None], width: int) -> list[str]:
    """Write what each row begins with: the number and the word."""
    digits = max(len(str(number)) for number in rows if number)
    widest = min(max(width // 4, _NARROWEST), _WORD)
    return [
        f"{number:>{digits}} {clipped(words[number - 1], widest)}" if number else f"{'⋮':>{digits}}" for number in rows
    ]


def _column(tree: Tree, rows: Sequence[int | None], room: int) -> list[str]:
    """Draw one side: its name; below, row by row, the lanes, and where the row has an arc, arrow and label."""
    line_of = {number: line for line, number in enumerate(rows) if number}
    stems = _stems(tree.arcs, line_of)
    lanes = _lanes(stems, max(0, min(_LANES, room // 3, room - _ENDING)))
    sources = {line_of[arc.word]: _source(arc, lanes) for arc in tree.arcs}
    grid = _gutter(stems, lanes, sources, len(rows))
    lines = ["".join(row) for row in grid]
    for arc in tree.arcs:
        lines[line_of[arc.word]] += _ending(arc, room - len(grid[0]))
    return _padded([clipped(tree.side, room), *lines])


def _stems(arcs: Iterable[Arc], line_of: dict[int, int]) -> dict[int, list[int]]:
    """Return for each head the lines that its stem has to reach: its own first, then those of its dependents."""
    stems: dict[int, list[int]] = {}
    for arc in arcs:
        head = _drawn_from(arc)
        if head:
            stems.setdefault(head, [line_of[head]]).append(line_of[arc.word])
    return stems


def _lanes(stems: dict[int, list[int]], most: int) -> dict[int, int]:
    """Give each head the innermost lane that is free where its stem runs, short stems first.

    So a stem is always outside of all that it spans. Those for which `most` lanes are too few get none.
    """
    taken = [0] * most  # of each lane, the lines in use, as bits
    lanes: dict[int, int] = {}
    spans = sorted((max(lines) - min(lines), min(lines), head) for head, lines in stems.items())
    for length, top, head in spans:
        span = ((2 << length) - 1) << top
        lane = next((lane for lane, used in enumerate(taken) if not used & span), None)
        if lane is not None:
            taken[lane] |= span
            lanes[head] = lane
    return lanes


def _source(arc: Arc, lanes: dict[int, int]) -> str:
    """Write where an arc comes from that no stem leads to."""
    if arc.label is None or _drawn_from(arc) in lanes:
        return ""
    return "?" if arc.head is None else str(arc.head)


def _gutter(
    stems: dict[int, list[int]], lanes: dict[int, int], sources: dict[int, str], height: int
) -> list[list[str]]:
    """Draw the lanes, outermost first, and what leads from there to the arrows; a list of characters for each row."""
    depth = max(lanes.values(), default=-1) + 1
    longest = max(map(len, sources.values()), default=0)
    reach = longest + 1 if longest and depth else max(longest, 1)
    grid = [[" "] * (depth + reach) for _ in range(height)]
    for head, lane in lanes.items():
        _draw_stem(grid, stems[head], depth - 1 - lane)
    for head, lane in lanes.items():
        for line in stems[head][1:]:
            row = grid[line]
            row[depth - lane :] = [_CROSSED.get(character, character) for character in row[depth - lane :]]
    for line, source in sources.items():
        if source:
            grid[line][depth:] = f"{source:>{reach}}"
    return grid


def _draw_stem(grid: list[list[str]], lines: list[int], place: int) -> None:
    head, *dependents = lines
    top, bottom = min(lines), max(lines)
    for line in range(top, bottom):
        grid[line][place] = "│"
    for line in dependents:
        grid[line][place] = "╭" if line == top else "╰" if line == bottom else "├"
    grid[head][place] = "●"


def _ending(arc: Arc, room: int) -> str:
    """Write what stands where the arc arrives: arrow, label, and a sign if it is wrong."""
    mark = "" if arc.right else " ✗"
    if arc.label is None:
        return clipped(NO_WORD, room - 2) + mark
    return f"▸ {clipped(arc.label, min(room - 4, _LABEL))}{mark}"


def _blocks(columns: Iterable[list[str]], room: int) -> list[list[list[str]]]:
    """Put as many columns beside each other as there is room for, at least one, and the others below."""
    blocks: list[list[list[str]]] = []
    left = 0
    for column in columns:
        size = cell_len(column[0]) + _GAP
        if not blocks or size > left:
            blocks.append([])
            left = room + _GAP
        blocks[-1].append(column)
        left -= size
    return blocks


def _padded(lines: Sequence[str]) -> list[str]:
    sizes = [cell_len(line) for line in lines]
    widest = max(sizes)
    return [line + " " * (widest - size) for line, size in zip(lines, sizes, strict=True)]


def clipped(text: str, width: int) -> str:
    """Make text visible and cut it to a width; a mark that would combine with what stands before gets a circle."""
    start = text[: 8 * max(width, 1)]  # no letter needs eight marks, and a million of them must not hold us up
    shown = visible(start)
    if shown and unicodedata.category(shown[0]).startswith("M"):
        shown = f"◌{shown}"
    if start == text and cell_len(shown) <= width:
        return shown
    return chop_cells(shown, width - 1)[0] + "…" if width > 1 else "…"

"""Examples of dependency trees: the arcs of a sentence that differ between the sides, as data and as text."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.sites import ABSENT, OWN_PLACE, format_value
from comparanda.render.table import make_visible
from comparanda.render.text_width import cell_len, chop_cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from comparanda.core.text_columns import Codes
    from comparanda.findings.context import Context


@dataclass(frozen=True)
class Arc:
    """The arc of one word on one side: its head and relation, and whether they are right.

    Words are the key's, numbered within their sentence from 1. A head of 0 is the root. A head of None is not a word
    of the sentence in the key, which tokenises it differently or has it in another sentence. A label of None means
    that the side has no such word because it is tokenised differently.
    """

    word: int
    head: int | None
    label: str | None
    right: bool


@dataclass(frozen=True)
class Tree:
    """The arcs of one side, the key or a run, for the words of a sentence on which the sides shown differ.

    The words are the same on every side, each once and in order, so that arcs can be compared across sides.
    """

    side: str
    arcs: tuple[Arc, ...]


MOST_WORDS = 30
"""The number of words of a sentence to draw at most: those nearest to the site."""


def trees_of(
    context: Context, row: int, position: int, size: int, *, runs: tuple[int, ...], most: int = MOST_WORDS
) -> tuple[tuple[Tree, ...], int]:
    """Collect the arcs of the key and of some runs for the words of a site's sentence on which they differ.

    Also returns the number of such words that are omitted because there are too many.

    Args:
        context: the context.
        row: the site.
        position: its position in its sentence, from 0.
        size: the number of words in the sentence.
        runs: the runs to show in addition to the key.
        most: the number of words whose arcs are returned at most: those nearest to the site.

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
            _build_arc(
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


def _build_arc(word: int, head: str, label: str, size: int, *, right: np.bool_) -> Arc:
    """Build an arc from the name of its head, such as `+2`, and its label, in a sentence of `size` words."""
    if head == ABSENT:
        return Arc(word, None, None, bool(right))
    if head in {OWN_PLACE, "0"}:
        return Arc(word, word if head == OWN_PLACE else 0, format_value(label), bool(right))
    number = word + int(head) if head[0] in "+-" else None
    inside = number is not None and 1 <= number <= size
    return Arc(word, number if inside else None, format_value(label), bool(right))


# Arcs as text: one word per line, each side in a column of its own, so that trees can be compared across columns.
#
# Each head has one line, its stem, that runs in its own lane past the words to its dependents: `●` marks the head,
# and at each dependent an arrow leads from the stem to the label. A row has at most one arrow, and a head needs none,
# so intersecting lines are unambiguous: `┼` is always a crossing.


LEGEND = "● head, ▸ dependent; 0▸ root, 7▸ head is word 7, ?▸ head is not a word of this sentence in the key; ✗ wrong"
NO_WORD = "(no such word)"

_COLUMN_GAP = 3  # between two columns
_MOST_LANES = 20  # the eye cannot follow more
_WORD_WIDTH = 20
_LABEL_WIDTH = 32
_ARROW_WIDTH = 12  # reserved for arrow and label
_LEAST_WIDTH = 8
_CROSSED = {" ": "─", "│": "┼"}


def draw(words: Sequence[str], trees: Sequence[Tree], width: int) -> list[str]:
    r"""Draw the arcs of some sides next to each other; sides that do not fit into the width are placed below.

    Rows are the words at the ends of arcs on any side; `⋮` replaces the words in between. Short arcs are nearest to
    the labels. Where the head of an arc has no row, or no lane is left for it, the number of the head precedes the
    arrow: 0 is the root, `?` a head that the key does not have. `LEGEND` explains this to readers.

    >>> from comparanda.tasks.trees.examples import Arc, Tree
    >>> key = Tree("key", (Arc(4, 2, "obl", right=True),))
    >>> system = Tree("bert", (Arc(4, 3, "nmod", right=False),))
    >>> print(*draw(["I", "saw", "her", "yesterday"], [key, system], 80), sep="\n")
                  key       bert
    2 saw         ●
    3 her         │         ●
    4 yesterday   ╰─▸ obl   ╰─▸ nmod ✗
    """
    rows = _select_rows(trees)
    if not rows:
        return []
    names = _pad_lines(["", *_row_labels(words, rows, width)])
    room = max(width - cell_len(names[0]) - _COLUMN_GAP, _LEAST_WIDTH)
    columns = [_draw_side(tree, rows, room) for tree in trees]
    lines: list[str] = []
    for block in _pack_columns(columns, room):
        lines += [""] if lines else []
        lines += [(" " * _COLUMN_GAP).join(cells).rstrip() for cells in zip(names, *block, strict=True)]
    return lines


def _select_rows(trees: Iterable[Tree]) -> list[int | None]:
    """Select the numbers of the words at the ends of arcs, with None where words in between are omitted."""
    ends = {end for tree in trees for arc in tree.arcs for end in (arc.word, _arc_source(arc)) if end}
    rows: list[int | None] = []
    for number in sorted(ends):
        if rows and number - 1 not in ends:
            rows.append(None)
        rows.append(number)
    return rows


def _arc_source(arc: Arc) -> int | None:
    """Find the word that an arc is drawn from; None for the root, the word itself or a missing word."""
    return arc.head or None if arc.label is not None and arc.head != arc.word else None


def _row_labels(words: Sequence[str], rows: Sequence[int | None], width: int) -> list[str]:
    """Format the beginning of each row: the number and the word."""
    digits = max(len(str(number)) for number in rows if number)
    widest = min(max(width // 4, _LEAST_WIDTH), _WORD_WIDTH)
    return [
        f"{number:>{digits}} {clip_text(words[number - 1], widest)}" if number else f"{'⋮':>{digits}}"
        for number in rows
    ]


def _draw_side(tree: Tree, rows: Sequence[int | None], room: int) -> list[str]:
    """Draw one side: its name, then row by row the lanes, and arrow and label where the row has an arc."""
    line_of = {number: line for line, number in enumerate(rows) if number}
    stems = _collect_stems(tree.arcs, line_of)
    lanes = _assign_lanes(stems, max(0, min(_MOST_LANES, room // 3, room - _ARROW_WIDTH)))
    sources = {line_of[arc.word]: _source_label(arc, lanes) for arc in tree.arcs}
    grid = _draw_gutter(stems, lanes, sources, len(rows))
    lines = ["".join(row) for row in grid]
    for arc in tree.arcs:
        lines[line_of[arc.word]] += _arrow_text(arc, room - len(grid[0]))
    return _pad_lines([clip_text(tree.side, room), *lines])


def _collect_stems(arcs: Iterable[Arc], line_of: dict[int, int]) -> dict[int, list[int]]:
    """Collect the lines that the stem of each head must reach: its own first, then those of its dependents."""
    stems: dict[int, list[int]] = {}
    for arc in arcs:
        head = _arc_source(arc)
        if head:
            stems.setdefault(head, [line_of[head]]).append(line_of[arc.word])
    return stems


def _assign_lanes(stems: dict[int, list[int]], most: int) -> dict[int, int]:
    """Assign each head the innermost lane that is free along its stem, short stems first.

    A stem is therefore always outside of all that it spans. Heads for which no lane is left get none.
    """
    taken = [0] * most  # the lines in use in each lane, as bits
    lanes: dict[int, int] = {}
    spans = sorted((max(lines) - min(lines), min(lines), head) for head, lines in stems.items())
    for length, top, head in spans:
        span = ((2 << length) - 1) << top
        lane = next((lane for lane, used in enumerate(taken) if not used & span), None)
        if lane is not None:
            taken[lane] |= span
            lanes[head] = lane
    return lanes


def _source_label(arc: Arc, lanes: dict[int, int]) -> str:
    """Format the head of an arc that has no stem."""
    if arc.label is None or _arc_source(arc) in lanes:
        return ""
    return "?" if arc.head is None else str(arc.head)


def _draw_gutter(
    stems: dict[int, list[int]], lanes: dict[int, int], sources: dict[int, str], height: int
) -> list[list[str]]:
    """Draw the lanes, outermost first, and the lines from there to the arrows, as a list of characters per row."""
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


def _arrow_text(arc: Arc, room: int) -> str:
    """Format the end of an arc: arrow, label, and a mark if it is wrong."""
    mark = "" if arc.right else " ✗"
    if arc.label is None:
        return clip_text(NO_WORD, room - 2) + mark
    return f"▸ {clip_text(arc.label, min(room - 4, _LABEL_WIDTH))}{mark}"


def _pack_columns(columns: Iterable[list[str]], room: int) -> list[list[list[str]]]:
    """Group columns into blocks of as many as fit next to each other, at least one."""
    blocks: list[list[list[str]]] = []
    left = 0
    for column in columns:
        size = cell_len(column[0]) + _COLUMN_GAP
        if not blocks or size > left:
            blocks.append([])
            left = room + _COLUMN_GAP
        blocks[-1].append(column)
        left -= size
    return blocks


def _pad_lines(lines: Sequence[str]) -> list[str]:
    sizes = [cell_len(line) for line in lines]
    widest = max(sizes)
    return [line + " " * (widest - size) for line, size in zip(lines, sizes, strict=True)]


def clip_text(text: str, width: int) -> str:
    """Make text visible and cut it to a width; a leading combining mark gets a dotted circle."""
    start = text[: 8 * max(width, 1)]  # no letter needs eight marks; bounds the cost of pathological input
    shown = make_visible(start)
    if shown and unicodedata.category(shown[0]).startswith("M"):
        shown = f"◌{shown}"
    if start == text and cell_len(shown) <= width:
        return shown
    return chop_cells(shown, width - 1)[0] + "…" if width > 1 else "…"

"""Arcs as text: one word a line, each side in a column of its own, so that trees can be read across.

Each head has one line, its stem, that runs in a lane of its own past the words to its dependents: `●` marks the
head, and at each dependent the stem sends out an arrow that ends at the label. A row has one arrow at most, and
a head needs none, so wherever lines meet it is clear which goes where: `┼` is always a crossing.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from rich.cells import cell_len, chop_cells

from comparanda.show.cells import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from comparanda.comparison.trees import Arc, Tree

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

    >>> from comparanda.comparison.trees import Arc, Tree
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

"""Widths of texts on a terminal, computed by Rich, which is imported on first use."""

from __future__ import annotations


def cell_len(text: str) -> int:
    """Return the number of terminal cells that a text occupies.

    >>> cell_len("abc"), cell_len("東京")
    (3, 4)
    """
    from rich.cells import cell_len as width

    return width(text)


def chop_cells(text: str, width: int) -> list[str]:
    """Split a text into pieces of at most `width` cells.

    >>> chop_cells("東京都", 4)
    ['東京', '都']
    """
    from rich.cells import chop_cells as chop

    return chop(text, width)

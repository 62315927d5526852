"""How wide a text is on a terminal: Rich knows, and is loaded only when somebody draws."""

from __future__ import annotations


def cell_len(text: str) -> int:
    """Return how many cells of a terminal a text takes.

    >>> cell_len("abc"), cell_len("東京")
    (3, 4)
    """
    from rich.cells import cell_len as width

    return width(text)


def chop_cells(text: str, width: int) -> list[str]:
    """Cut a text into pieces that are at most so many cells wide.

    >>> chop_cells("東京都", 4)
    ['東京', '都']
    """
    from rich.cells import chop_cells as chop

    return chop(text, width)

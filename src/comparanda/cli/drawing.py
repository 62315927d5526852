"""Charts that commands write: SVG, or PNG where something can draw it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from comparanda.errors import UsageError

if TYPE_CHECKING:
    from comparanda.show.charts.paper import Paper

PICTURES = (".svg", ".png")


def check_picture(path: str | None) -> None:
    """Refuse a file whose suffix tells no picture, and one that nothing here can draw, before anything is read."""
    if path is None:
        return
    if suffix_of(path) not in PICTURES:
        raise UsageError(f"--plot writes {' or '.join(PICTURES)}, not {path!r}")
    if suffix_of(path) == ".png":
        from comparanda.show.charts.png import renderer

        renderer()


def draw(chart: Paper, path: str) -> None:
    """Write a chart to a file."""
    from comparanda.cli.output import write
    from comparanda.show.charts import as_png

    drawn = chart.svg()
    write(path, as_png(drawn) if suffix_of(path) == ".png" else drawn)


def suffix_of(path: str) -> str:
    """Return the suffix of a file's name, in lower case."""
    return os.path.splitext(path)[1].lower()

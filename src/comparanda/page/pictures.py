"""Charts as files, for papers and slides."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from comparanda.errors import ComparandaError
from comparanda.show.charts.paper import named
from comparanda.show.charts.png import as_png, renderer

if TYPE_CHECKING:
    from os import PathLike

    from comparanda.show.charts import Paper


def write_pictures(charts: Iterable[Paper], folder: str | PathLike[str]) -> list[Path]:
    """Write charts into a folder, which is made if need be, and return the files.

    Each becomes an SVG, and a PNG too where resvg-py is installed and has a font to write with. Files are called like
    their charts; of several with one name the second has a 2 behind it, and so on.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    draw = _drawing()
    taken: set[str] = set()
    files = []
    for chart in charts:
        name, svg = _free(named(chart.name) or "chart", taken), chart.svg()
        contents = {".svg": svg.encode(), **({} if draw is None else {".png": draw(svg)})}
        for suffix, content in contents.items():
            files.append(target / f"{name}{suffix}")
            files[-1].write_bytes(content)
    return files


def _drawing() -> Callable[[str], bytes] | None:
    """Return what makes PNG, if anything here does."""
    try:
        renderer()
    except ComparandaError:
        return None
    return as_png


def _free(name: str, taken: set[str]) -> str:
    """Return a name that no file has, also where file systems do not tell capitals from small letters."""
    number, free = 1, name
    while free.lower() in taken:
        number += 1
        free = f"{name}-{number}"
    taken.add(free.lower())
    return free

"""Charts as PNG, drawn by resvg where it is installed."""

from __future__ import annotations

from collections.abc import Callable

from comparanda.errors import MissingExtraError, UsageError
from comparanda.render.charts.theme import FONT

ZOOM = 2.0
"""How many pixels of the picture one of the chart becomes."""

_BLANK = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">{}</svg>'
_LETTER = f'<text x="2" y="16" font-family="{FONT}">M</text>'


def as_png(svg: str) -> bytes:
    """Return a chart as PNG, with the letters of a font of this machine."""
    return bytes(renderer()(svg_string=svg, zoom=ZOOM))


def renderer() -> Callable[..., bytes]:
    """Return what draws PNG; where it is not installed, or has no font to write with, that is said."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        what, hint = "PNG is drawn by resvg-py, which is not installed", "pip install 'comparanda[png]', or write .svg"
        raise MissingExtraError(what, hint=hint) from None
    if svg_to_bytes(svg_string=_BLANK.format("")) == svg_to_bytes(svg_string=_BLANK.format(_LETTER)):
        raise UsageError("no font is installed to draw letters in a PNG with", hint="install one, or write .svg")
    return svg_to_bytes

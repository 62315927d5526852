"""Charts as PNG, rendered by the optional resvg-py."""

from __future__ import annotations

from collections.abc import Callable

from comparanda.errors import MissingExtraError, UsageError
from comparanda.render.charts.theme import FONT

ZOOM = 2.0
"""Pixels of the PNG per pixel of the chart."""

_BLANK = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">{}</svg>'
_LETTER = f'<text x="2" y="16" font-family="{FONT}">M</text>'


def as_png(svg: str) -> bytes:
    """Return a chart as PNG, with a font of this machine."""
    return bytes(find_renderer()(svg_string=svg, zoom=ZOOM))


def find_renderer() -> Callable[..., bytes]:
    """Return the PNG renderer; raise an error if it is not installed or finds no font."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        what, hint = "PNG is drawn by resvg-py, which is not installed", "pip install 'comparanda[png]', or write .svg"
        raise MissingExtraError(what, hint=hint) from None
    if svg_to_bytes(svg_string=_BLANK.format("")) == svg_to_bytes(svg_string=_BLANK.format(_LETTER)):
        raise UsageError("no font is installed to draw letters in a PNG with", hint="install one, or write .svg")
    return svg_to_bytes

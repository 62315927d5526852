"""Which row of the key each row of a response is. Alignment maps; it never rewrites."""

from comparanda.align.apart import place_spans
from comparanda.align.documents import align
from comparanda.align.maps import NONE, Aligned, RowMap, Segments, Surplus, values_on_key
from comparanda.align.missing import MISSING, Missing
from comparanda.align.spans import PlacedSpans, Placement
from comparanda.align.surface import token_rows

__all__ = [
    "MISSING",
    "NONE",
    "Aligned",
    "Missing",
    "PlacedSpans",
    "Placement",
    "RowMap",
    "Segments",
    "Surplus",
    "align",
    "place_spans",
    "token_rows",
    "values_on_key",
]

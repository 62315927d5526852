"""Which row of the key each row of a response is. Alignment maps; it never rewrites."""

from comparanda.align.documents import align
from comparanda.align.maps import MISSING, NONE, Aligned, Missing, RowMap, Segments, Surplus, values_on_key
from comparanda.align.words import token_rows

__all__ = [
    "MISSING",
    "NONE",
    "Aligned",
    "Missing",
    "RowMap",
    "Segments",
    "Surplus",
    "align",
    "token_rows",
    "values_on_key",
]

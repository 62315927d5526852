"""Alignment of the rows of system outputs with the rows of the key. Alignment maps rows; it never changes them."""

from comparanda.align.documents import align_responses
from comparanda.align.maps import (
    MISSING,
    NONE,
    TEXT_POLICIES,
    Aligned,
    Missing,
    RowMap,
    Segments,
    Surplus,
    TextPolicy,
    values_on_key,
)
from comparanda.align.words import token_rows

__all__ = [
    "MISSING",
    "NONE",
    "TEXT_POLICIES",
    "Aligned",
    "Missing",
    "RowMap",
    "Segments",
    "Surplus",
    "TextPolicy",
    "align_responses",
    "token_rows",
    "values_on_key",
]

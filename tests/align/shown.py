"""What an alignment came to, in plain data."""

from __future__ import annotations

import numpy as np

from comparanda import AlignError
from comparanda.align import NONE, Aligned, Missing, align_responses
from comparanda.core.corpus import Corpus


def to_response(aligned: Aligned, run: int = 0) -> list[int] | None:
    found = aligned.maps[run].to_response
    return None if found is None else found.tolist()


def both_ways(aligned: Aligned, run: int = 0) -> tuple[list[int], list[int]]:
    """The key's row of each row of a response, and the other way round, also where row is row."""
    row_map, rows = aligned.maps[run], np.arange(len(aligned.key))
    to_key = rows if row_map.to_key is None else row_map.to_key
    return to_key.tolist(), (rows if row_map.to_response is None else row_map.to_response).tolist()


def pairs(aligned: Aligned, run: int = 0) -> list[tuple[int, int]]:
    """The rows of the key that have a counterpart, with it."""
    return [(row, other) for row, other in enumerate(both_ways(aligned, run)[1]) if other != NONE]


def notes(aligned: Aligned) -> list[str]:
    return [str(note) for note in aligned.notes]


def refusal(key: Corpus, response: Corpus, missing: Missing = "error") -> str | None:
    """Why a response is refused, or None."""
    try:
        align_responses(key, [response], missing=missing)
    except AlignError as error:
        return str(error)
    return None

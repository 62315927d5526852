"""Sampling of rows by hash: the rows with the smallest hashes do not depend on how the corpus was split."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.claims import Claims
    from comparanda.core.items import Items
    from comparanda.core.sites import Sites
    from comparanda.core.text_columns import Rows


def place_hashes(
    seed: int, documents: tuple[str, ...], table: Sites | Items | Claims, rows: Rows
) -> NDArray[np.uint64]:
    """Hash seed, document and place of each row; the mixing steps are those of splitmix64."""
    digests = _hash_documents(seed, documents)[table.document[rows]]
    mixed = digests + table.place[rows].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    hashes: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return hashes


@lru_cache(maxsize=1)
def _hash_documents(seed: int, documents: tuple[str, ...]) -> NDArray[np.uint64]:
    """Hash the seed together with the name of each document."""
    named = (hashlib.blake2b(f"{seed}\0{name}".encode(), digest_size=8).digest() for name in documents)
    return np.frombuffer(b"".join(named), "<u8").astype(np.uint64)

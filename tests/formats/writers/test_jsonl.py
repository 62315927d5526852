"""Our own JSONL carries everything."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.formats.writers.chained import random_chains, there_and_back
from tests.formats.writers.documents import content, random_documents, read_back, written
from tests.seeds import seeds


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    said: dict[str, tuple[str | float | bool, ...]] = {"confidence": ("low", "high"), "probability": (0.25, 0.5)}
    documents = random_documents(random.Random(seed), pieces=True, ids=3, attributes=said)
    assert not written("jsonl", documents, tmp_path)
    assert content(read_back("jsonl", tmp_path)) == content(documents)


@pytest.mark.parametrize("seed", range(10))
def test_chains_are_read_back(seed: int, tmp_path: Path) -> None:
    documents = random_chains(random.Random(seed), pieces=True, zeros=True, names=("1", "x", "é|\n"))
    found, losses = there_and_back("jsonl", documents, tmp_path)
    assert losses == []
    assert [(each.name, each.text, each.mentions) for each in found] == [
        (each.name, each.text, each.mentions) for each in documents
    ]

"""Time expressions of WikiWars by strict and relaxed match: nine systems, recounted plainly.

No scores were published for these files. The recount uses sets and SciPy's matching, and nothing of comparanda.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from comparanda import compare
from tests.seeds import first_few
from tests.shared_data import ROOT, shared
from tests.tasks.random_spans import counts

WARS = "data/timex/wikiwars"
Extents = dict[str, list[tuple[int, int]]]


def systems() -> list[str]:
    folder = ROOT / WARS / "systems"
    return sorted(path.stem for path in folder.glob("*.jsonl")) if folder.exists() else ["none"]


def extents(path: Path) -> Extents:
    """Read where spans stand in the plainest way."""
    documents = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {each["doc_id"]: [(span["start"], span["end"]) for span in each["timexes"]] for each in documents}


def strict(key: Extents, said: Extents) -> int:
    return sum((Counter(key[name]) & Counter(said[name])).total() for name in key)


def relaxed(key: Extents, said: Extents) -> int:
    """Return the most pairs of overlapping spans in which each span is used once."""
    found = 0
    for name in key:
        mine, theirs = np.array(key[name]), np.array(said[name])
        if len(mine) and len(theirs):
            near = (mine[:, None, 0] < theirs[None, :, 1]) & (theirs[None, :, 0] < mine[:, None, 1])
            found += int((maximum_bipartite_matching(csr_array(near)) >= 0).sum())
    return found


@pytest.mark.parametrize("system", first_few(2, systems()))
def test_strict_and_relaxed_counts(system: str) -> None:
    gold, path = shared(f"{WARS}/gold.jsonl"), shared(f"{WARS}/systems/{system}.jsonl")
    key, said = extents(gold), extents(path)
    sizes = sum(map(len, said.values())), sum(map(len, key.values()))
    result = compare(str(gold), {"x": str(path)}, task="span", rules="tempeval3", resamples=0)
    for view, right in (("strict", strict(key, said)), ("relaxed", relaxed(key, said))):
        assert counts(result, "x", view=view) == (right, sizes[0] - right, sizes[1] - right)

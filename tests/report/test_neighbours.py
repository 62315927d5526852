"""The contested sites around a place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comparanda.report.cards import Contested
from tests.findings.every_task import tags, trees


@pytest.mark.parametrize("seed", range(3))
def test_contested_sites_are_found_by_document_and_place(seed: int, tmp_path: Path) -> None:
    for task in (tags, trees):
        sites = task(seed, tmp_path).verdicts.view().sites
        contested = Contested(sites)
        wrong = ~np.all(sites.right, axis=0)
        met = 0
        for document in range(int(sites.document.max()) + 1):
            for first, behind in ((0, 3), (2, 100), (5, 5)):
                inside = (sites.document == document) & (sites.place >= first) & (sites.place < behind) & wrong
                found = contested.between(document, first, behind)
                assert found == np.flatnonzero(inside).tolist()
                met += len(found)
        assert met

"""The data of a page: every list holds as many examples as its number says."""

from __future__ import annotations

import comparanda as cp
from comparanda.demo import demo_files
from comparanda.page import build


def test_every_list_holds_what_its_number_counts() -> None:
    key, systems = demo_files("pos")
    page = build(cp.compare(key, systems, task="pos", resamples=0))
    assert len(page.lists) > 100
    for found in page.lists:
        assert found.cards is not None
        assert len(found.cards) == found.count

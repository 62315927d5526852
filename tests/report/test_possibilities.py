"""What runs hold for possible around a place, against a walk through all tuples."""

from __future__ import annotations

from pathlib import Path

import pytest

from comparanda.core.candidates import Candidates
from comparanda.report.cards import Possibilities
from tests.tasks.prob.findings.small import compared


def candidates(folder: Path) -> Candidates:
    blocks = [{"ac:PER": 0.5, "b:LOC": 0.25, "bf:ORG": 0.2}, {"e:PER": 0.9}, {"j:PER": 1.0}]
    systems = {"s": {"d1": blocks, "d2": [{"a:PER": 0.1}]}}
    view = compared(folder, {"d1": ["a:PER"], "d2": ["b:PER"]}, systems).verdicts.view()
    assert view.candidates is not None
    return view.candidates[0]


@pytest.mark.parametrize("document", [0, 1])
@pytest.mark.parametrize("width", [1, 3])
def test_all_that_shares_a_row_is_found_the_most_likely_first(document: int, width: int, tmp_path: Path) -> None:
    given = candidates(tmp_path)
    possibilities = Possibilities(given)
    met = 0
    for place in range(12):
        rows = [
            row
            for row in range(len(given))
            if given.document[row] == document
            and given.place[row] < place + width
            and given.place[row] + given.width[row] > place
        ]
        found = possibilities.around(document, place, width)
        weights = sorted((float(given.beliefs.weight[row]) for row in rows), reverse=True)
        assert [each.weight for each in found] == weights
        assert {each.text for each in found} == {given.text[row] for row in rows}
        met += len(found)
    assert met


def test_what_is_right_and_what_was_decided_is_told(tmp_path: Path) -> None:
    found = Possibilities(candidates(tmp_path)).around(0, 0, 1)
    assert [(each.label, each.text, each.correct) for each in found] == [("PER", "a b c", False)]
    assert found[0].decided
    assert Possibilities(candidates(tmp_path)).around(1, 0, 1)[0].weight == pytest.approx(0.1)

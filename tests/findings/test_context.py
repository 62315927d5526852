"""The ground of findings: which units are looked at, and what need not be made to know them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest

import comparanda as cp
from comparanda import Result
from comparanda.core.verdicts import View
from comparanda.findings.context import Context
from tests.findings import every_task
from tests.seeds import seeds


@pytest.mark.parametrize("seed", seeds(1, of=20))
@pytest.mark.parametrize("task", every_task.TASKS, ids=lambda task: task.__name__)
def test_the_units_of_a_pair_are_those_of_its_universe(
    task: Callable[[int, Path], Result], seed: int, tmp_path: Path
) -> None:
    result = task(seed, tmp_path)
    for name in every_task.views(result):
        context = Context(verdicts=result.verdicts, view=result.verdicts.view(name))
        for pair in combinations(result.systems, 2):
            assert context.active_among(*pair).tolist() == context.among(*pair).active.tolist()


def test_a_document_in_which_a_third_system_alone_has_a_span_is_none_of_a_pair() -> None:
    def documents(*tags: str) -> list[dict[str, object]]:
        return [{"document": f"d{n}", "tokens": ["w"], "tags": [tag]} for n, tag in enumerate(tags)]

    given = {
        "one": documents("B-A", "O", "O", "O"),
        "two": documents("O", "B-A", "O", "O"),
        "three": documents("O", "O", "B-A", "O"),
    }
    result = cp.compare(documents("B-A", "O", "O", "O"), given, task="span", resamples=20)
    context = Context(verdicts=result.verdicts, view=result.verdicts.view())
    assert context.active.tolist() == [0, 1, 2]
    assert context.active_among("one", "two").tolist() == [0, 1]
    assert context.active_among("one", "three").tolist() == [0, 2]


def test_pairs_of_spans_are_counted_without_their_universes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> View:
        raise AssertionError("a universe was made")

    result: Result = every_task.spans(1, tmp_path)
    monkeypatch.setattr(View, "_restrict_claims", refused)
    assert len(result.pairs().pairs) == 3
    assert len(result.significance().tests) == 3

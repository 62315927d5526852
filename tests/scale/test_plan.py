"""The mark of a plan: the same for the same comparison, another one for whatever is not the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comparanda.pipeline import Setup
from comparanda.scale.plan import CutOptions, Plan, plan_of
from tests.scale.faults import PART, write

GIVEN = {"key": "key.conllu", "crf": "crf.conllu", "bert": "bert.conllu"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    for side in GIVEN:  # the same corpus once more, in a file for each of its halves
        Path(side).mkdir()
        text = Path(f"{side}.conllu").read_text()
        middle = text.index("# newdoc id = d4")
        Path(side, "a.conllu").write_text(text[:middle])
        Path(side, "b.conllu").write_text(text[middle:])


def plan(size: int = PART, room: int | None = None, given: dict[str, str] | None = None, **settings: Any) -> Plan:
    asked = GIVEN | (given or {})
    systems = {name: path for name, path in asked.items() if name != "key"}
    return plan_of(asked["key"], systems, Setup(task="pos", **settings), CutOptions(size, room, 0))


def test_the_same_comparison_has_the_same_mark() -> None:
    assert len(plan().parts) > 1
    assert plan().mark == plan().mark
    assert plan(room=10**9).mark == plan().mark  # there is enough of it


@pytest.mark.parametrize(
    "change",
    [
        {"size": 2 * PART},
        {"room": 0},
        {"fold_case": True},
        {"given": {"key": "key.conllu::conllu?column=upos"}},
        {"given": {"crf": "bert.conllu"}},
        {"given": {"crf": "bert.conllu", "bert": "crf.conllu"}},
        {"given": {"crf": "crf"}},
        {"given": {"third": "bert.conllu"}},
    ],
    ids=str,
)
def test_another_comparison_has_another(change: dict[str, Any]) -> None:
    assert plan(**change).mark != plan().mark


def longer() -> None:
    """Make the last document of a side longer: no part begins elsewhere."""
    with Path("crf/b.conllu").open("a") as file:
        file.write("# a comment\n")


@pytest.mark.parametrize(
    "change",
    [
        longer,
        lambda: Path("crf/b.conllu").rename("crf/c.conllu"),
        lambda: Path("bert/c.conllu").write_text(""),
    ],
    ids=["longer", "renamed", "one more, with nothing in it"],
)
def test_other_files_make_another(change: Callable[[], object]) -> None:
    folders = {side: f"{side}::conllu" for side in GIVEN}
    before = plan(given=folders).mark
    change()
    assert plan(given=folders).mark != before


def test_names_of_files_are_said_once_and_not_for_every_part(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[bytes] = []

    def keep(data: bytes) -> str:
        said.append(data)
        return ""

    monkeypatch.setattr("comparanda.scale.plan.digest", keep)
    parts = [len(plan(size, given={"key": "key"}).parts) for size in (PART, PART // 2)]
    assert parts[1] > parts[0]
    assert [each.count(b"files=") for each in said] == [3, 3]  # of each side

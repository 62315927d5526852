"""Inputs looked through by several processes are cut as by one, whatever happens to these."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from comparanda.errors import ReadError
from comparanda.formats.cuts import UncuttableError
from comparanda.formats.inputs import Input
from comparanda.pipeline import Setup, request_of
from comparanda.scale import index
from comparanda.scale import plan as in_step
from comparanda.scale.index import IndexTask, iterate_places, open_input, placed_again
from comparanda.scale.plan import CutOptions, Plan, plan_of
from tests.scale.faults import children, compared, expected, said, write

pytestmark = pytest.mark.slow

DOCUMENTS = 2_500
SIDES = ("key", "one", "two", "three")
HOOK = """
import os, signal
from comparanda.errors import ReadError
from pathlib import Path
from comparanda.scale.index import IndexTask

batches = IndexTask.batches

def hooked(self):
    for number, batch in enumerate(batches(self)):
        if number == 3:
            Path(__file__).with_name("reached").touch()
            {}
        yield batch

IndexTask.batches = hooked
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(in_step, "WORTH", 0)
    for side in SIDES:
        texts = [f"# newdoc id = d{number}\n1\tw\t_\tX\t_\t_\t0\troot\t_\t_\n\n" for number in range(DOCUMENTS)]
        Path(f"{side}.conllu").write_text("".join(texts))


def plan(processes: int, systems: tuple[str, ...] = SIDES[1:]) -> Plan:
    given = {name: f"{name}.conllu" for name in systems}
    return plan_of("key.conllu", given, Setup(task="pos"), CutOptions(20_000, None, 0, processes))


def hooked(folder: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Let processes that start now do something in the middle of looking."""
    (folder / "hooks").mkdir()
    (folder / "hooks" / "sitecustomize.py").write_text(HOOK.format(what))
    monkeypatch.syspath_prepend(str(folder / "hooks"))


@pytest.mark.parametrize("processes", [2, 3, 9])
def test_the_plan_is_that_of_one_process(processes: int) -> None:
    alone = plan(1)
    assert len(alone.parts) > 5
    assert plan(processes) == alone
    assert children() == []


def test_small_inputs_are_not_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_step, "WORTH", 1 << 30)
    monkeypatch.setattr(in_step, "index_workers", None)
    sides = {side: open_input(f"{side}.conllu", *request_of(side, Setup(task="pos"))) for side in SIDES}
    assert in_step.find_common_steps(sides, 20_000, 2) is not None


def _other_order(text: str) -> str:
    first, middle, rest = text.partition("# newdoc id = d2000\n")
    return middle + rest + first


@pytest.mark.parametrize("change", [_other_order, lambda text: text[: text.index("# newdoc id = d2000\n")]])
def test_sides_that_are_not_in_step_are_cut_by_an_index(change: Callable[[str], str]) -> None:
    file = Path("two.conllu")
    file.write_text(change(file.read_text()))
    found = []
    for processes in (1, 2):
        try:
            found.append(str(plan(processes)))
        except Exception as problem:
            found.append(repr(problem))
    assert found[0] == found[1]
    assert children() == []


def test_a_process_that_is_killed_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = plan(1)
    hooked(tmp_path, monkeypatch, "os.kill(os.getpid(), signal.SIGKILL)")
    assert plan(2) == alone
    assert (tmp_path / "hooks" / "reached").exists()
    assert children() == []


def test_what_goes_wrong_while_looking_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooked(tmp_path, monkeypatch, "raise ReadError('the disk is gone', where='two.conllu')")
    with pytest.raises(ReadError, match=r"two\.conllu: the disk is gone"):
        plan(2)
    assert children() == []


def test_a_file_that_changes_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the index looks again, and stamps of another state are no excuse for a plan of the first."""
    hooked(tmp_path, monkeypatch, "open('two.conllu', 'a').write('# newdoc id = late\\n1\\tw\\n\\n')")
    sides = {side: open_input(f"{side}.conllu", *request_of(side, Setup(task="pos"))) for side in SIDES}
    assert in_step.find_common_steps(sides, 20_000, 2) is None


def test_documents_come_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "BATCH", 1_200)
    sides = [open_input(Input(path=f"{side}.conllu"), *request_of(side, Setup(task="pos"))) for side in ("key", "one")]
    batches = list(IndexTask.at(sides).batches())
    assert [(side, len(rows)) for side, rows in batches] == [
        (0, 1_200), (1, 1_200), (0, 1_200), (1, 1_200), (0, 100), (1, 100), (0, 0), (1, 0),
    ]  # fmt: skip
    told = [row for side, rows in batches if side == 1 for row in rows]
    assert list(placed_again(sides[1], told)) == list(iterate_places(sides[1]))


def test_a_file_that_another_process_alone_has_seen_is_none_of_the_plan() -> None:
    side = open_input("key.conllu", *request_of("key", Setup(task="pos")))
    with pytest.raises(UncuttableError, match=r"late\.conllu was not there before"):
        list(placed_again(side, [("d", "late.conllu", 0, 9, 0, 0, b"", True, "")]))


def test_a_comparison_says_the_same(tmp_path: Path) -> None:
    write(tmp_path)
    assert said(compared(workers=2)) == expected()

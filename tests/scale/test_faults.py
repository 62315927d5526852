"""Parts that raise, disks that are full, files that change, folders that are half written: never a wrong result."""

from __future__ import annotations

import json
import pickle
import re
import resource
import shutil
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

import comparanda as cp
from comparanda.errors import ReadError
from comparanda.pipeline import prepare_runs
from comparanda.scale import executors, part
from comparanda.scale.executors import run_worker
from comparanda.scale.folder import SEAL
from comparanda.scale.part import FACTS, evaluate_part
from comparanda.storage.manifest import MANIFEST, PLAN, is_ours
from tests.command import run
from tests.scale.faults import PARTS, compared, done, expected, resumed, rubbish, said, write
from tests.seeds import first_few

FOLDER = Path("result")
LAST = FOLDER / f"part-{PARTS - 1:05}"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path)


def at(text: str, act: Callable[[], object]) -> Callable[[str], None]:
    """Return a listener to progress that does something once a part begins."""

    def listen(told: str) -> None:
        if told == text:
            act()

    return listen


def spoil(path: str = "crf.conllu", document: str = "d5") -> None:
    """Take the number away from the first word of a document."""
    file = Path(path)
    file.write_text(file.read_text().replace(f"# newdoc id = {document}\n1\t", f"# newdoc id = {document}\n"))


# A part that raises


@pytest.mark.parametrize("workers", [None, 2])
def test_a_bad_line_is_told_as_in_one_go_and_the_parts_before_it_stay(
    workers: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil()
    spoil("bert.conllu", "d7")
    with pytest.raises(ReadError) as once:
        compared(part=None)
    with pytest.raises(ReadError) as caught:
        compared(workers=workers, folder=FOLDER)
    assert str(caught.value) == str(once.value)
    assert str(caught.value).startswith("crf.conllu:57: ")
    assert done(FOLDER)[:2] == ["part-00000", "part-00001"]
    write(Path())  # the files are other ones now
    assert resumed(monkeypatch, FOLDER) == [0, 1, 2, 3]


def test_what_nobody_expected_ends_the_run_and_it_can_be_gone_on_with(monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(job: part.Job, number: int) -> part.Files:
        if number == 2:
            raise ZeroDivisionError("a defect")
        return evaluate_part(job, number)

    with monkeypatch.context() as patch:
        patch.setattr(executors, "evaluate_part", judge)
        with pytest.raises(ZeroDivisionError, match="a defect"):
            compared(folder=FOLDER)
    assert (len(done(FOLDER)), rubbish(FOLDER)) == (2, [])
    assert resumed(monkeypatch, FOLDER) == [2, 3]


class Stubborn(Exception):
    """An error that can be packed, but not unpacked."""

    def __reduce__(self) -> tuple[Any, ...]:
        return int, ("no number",)


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (ReadError("bad", where="a:1", hint="mend it"), "a:1: bad\n  mend it"),
        (MemoryError("full"), "full"),
        (Stubborn("as a mule"), "Stubborn: as a mule"),
    ],
)
def test_workers_send_back_any_error(problem: Exception, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(job: object, number: int) -> part.Files:
        raise problem

    monkeypatch.setattr(executors, "evaluate_part", judge)
    sent: list[bytes] = []
    run_worker([pickle.dumps(None)], sent.append)
    found = pickle.loads(sent[0])
    assert str(found) == told
    assert type(found) is (RuntimeError if isinstance(problem, Stubborn) else type(problem))


def test_a_worker_whose_answers_nobody_hears_ends() -> None:
    def send(data: bytes) -> None:
        raise BrokenPipeError

    tasks = iter([pickle.dumps(None), pickle.dumps(None)])
    run_worker(tasks, send)
    assert len(list(tasks)) == 1


def test_settings_that_cannot_be_sent_are_an_error_of_usage() -> None:
    with pytest.raises(cp.UsageError, match="the settings cannot be sent to workers: cannot pickle 'mappingproxy'"):
        compared(workers=1, maps=MappingProxyType({"all": {"NOUN": "N"}}))


# A disk that is full


def test_a_full_disk_is_one_message_and_leaves_no_rubbish(monkeypatch: pytest.MonkeyPatch) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, before[1]))  # from here on nothing large can be written

    try:
        with pytest.raises(ReadError) as caught:
            compared(folder=FOLDER, progress=at("evaluating part 3 of 4", fill))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    first, hint = str(caught.value).splitlines()
    assert first == f"{FOLDER.resolve()}: the folder cannot be written: File too large"
    assert hint == "  run again to resume: finished parts are kept"
    assert (done(FOLDER), rubbish(FOLDER)) == (["part-00000", "part-00001"], [])
    assert resumed(monkeypatch, FOLDER) == [2, 3]


def test_where_no_documents_are_marked_a_full_disk_is_told_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    for file in Path().glob("*.conllu"):
        file.write_text(re.sub("# newdoc.*\n", "", file.read_text()))

    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(
            ReadError, match="the folder cannot be written: No space left on device\n  run again to resume"
        ):
            compared(folder=FOLDER)
    assert len(resumed(monkeypatch, FOLDER)) > 1


@pytest.mark.parametrize("name", [PLAN, SEAL, MANIFEST])
def test_a_file_that_cannot_be_written_is_one_message(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Path.write_bytes

    def full(self: Path, data: Any) -> int:
        mine = self.name.startswith((name, f".{name}")) and (name != MANIFEST or "part-" not in str(self))
        if mine:
            plain(self, data[:5])
            raise OSError(28, "No space left on device")
        return plain(self, data)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(ReadError, match="the folder cannot be written: No space left on device"):
            compared(folder=FOLDER)
        with pytest.raises(
            ReadError, match=r"No space left on device\n  parts are written to a temporary folder: .*TMPDIR"
        ):
            compared()
    assert not rubbish(FOLDER)
    assert len(resumed(monkeypatch, FOLDER)) == {PLAN: 4, SEAL: 4, MANIFEST: 0}[name]


# Files that change


def test_a_file_that_changes_between_two_parts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ReadError, match=r"crf\.conllu: the file changed while the comparison was running\n  run again"):
        compared(folder=FOLDER, progress=at("evaluating part 3 of 4", spoil))
    write(Path())
    assert resumed(monkeypatch, FOLDER) == [0, 1, 2, 3]


def test_a_file_that_changes_while_a_part_is_judged_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def changing(*args: Any) -> Any:
        found = prepare_runs(*args)
        spoil()
        return found

    with monkeypatch.context() as patch:
        patch.setattr(part, "prepare_runs", changing)
        with pytest.raises(ReadError, match="the file changed while the comparison was running"):
            compared(folder=FOLDER)
    assert not done(FOLDER)


def test_a_file_that_goes_is_named() -> None:
    with pytest.raises(ReadError, match=r"bert\.conllu: the file no longer exists, or not for this worker\n"):
        compared(progress=at("evaluating part 2 of 4", Path("bert.conllu").unlink))


# Folders


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def column() -> Path:
    return sorted(LAST.glob("*.npy"))[0]


def other_mark() -> None:
    """Make the last part one that another plan would have."""
    seal = json.loads((LAST / SEAL).read_bytes())
    (LAST / SEAL).write_bytes(msgspec.json.encode(seal | {"mark": "other"}))


@pytest.mark.parametrize(
    ("damage", "again"),
    first_few(
        5,
        [
            (lambda: column().unlink(), [3]),
            (lambda: truncate(column()), [3]),
            (lambda: flip(column()), [3]),
            (lambda: truncate(LAST / MANIFEST), [3]),
            (lambda: truncate(LAST / FACTS), [3]),
            (lambda: flip(LAST / FACTS), [3]),
            ((LAST / SEAL).unlink, [3]),
            (lambda: (LAST / SEAL).write_bytes(b""), [3]),
            (other_mark, [3]),
            (lambda: shutil.rmtree(LAST), [3]),
            (lambda: truncate(FOLDER / MANIFEST), []),
            ((FOLDER / MANIFEST).unlink, []),
        ],
    ),
)
def test_what_is_damaged_is_judged_again_and_nothing_else(
    damage: Callable[[], object], again: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    compared(folder=FOLDER)
    damage()
    assert resumed(monkeypatch, FOLDER) == again


def test_what_died_while_writing_is_cleared_away(monkeypatch: pytest.MonkeyPatch) -> None:
    compared(folder=FOLDER)
    (FOLDER / MANIFEST).unlink()
    LAST.rename(FOLDER / ".part-00003-0123456789abcdef")
    (FOLDER / ".manifest.json-0123456789abcdef").write_bytes(b"{")
    assert is_ours(FOLDER)
    assert resumed(monkeypatch, FOLDER) == [3]


def test_a_run_that_died_before_it_had_a_plan_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    FOLDER.mkdir()
    (FOLDER / ".plan.json-0123456789abcdef").write_bytes(b"{")
    assert resumed(monkeypatch, FOLDER) == [0, 1, 2, 3]


def test_a_folder_of_something_else_is_left_alone() -> None:
    FOLDER.mkdir()
    (FOLDER / "thesis.txt").write_text("all of it")
    with pytest.raises(ReadError, match="the path exists and is not a result folder"):
        compared(folder=FOLDER)
    assert [each.name for each in FOLDER.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("change", [{"fold_case": True}, {"part": 2000}, {"task": "tag", "column": "upos"}])
def test_another_comparison_starts_anew(change: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    compared(folder=FOLDER, **change)
    assert resumed(monkeypatch, FOLDER) == [0, 1, 2, 3]


def test_a_result_that_was_saved_in_one_go_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    compared(part=None).save(FOLDER)
    assert resumed(monkeypatch, FOLDER) == [0, 1, 2, 3]
    assert sorted(each.name for each in FOLDER.iterdir()) == [MANIFEST, *done(FOLDER), PLAN]
    compared(part=None).save(FOLDER)
    assert said(cp.open(FOLDER)) == expected()


def test_two_runs_do_not_write_to_one_folder() -> None:
    told: list[str] = []

    def other() -> None:
        with pytest.raises(ReadError) as caught:
            compared(folder=FOLDER, fold_case=True)
        told.append(str(caught.value).splitlines()[0])

    result = compared(folder=FOLDER, progress=at("evaluating part 3 of 4", other))
    assert told == [f"{FOLDER.resolve()}: another comparison is writing to this folder"]
    assert said(result) == expected() == said(cp.open(FOLDER))


def test_where_there_are_no_locks_a_part_of_another_run_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    def none(*args: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", none)

    def other() -> None:
        compared(folder=FOLDER, ignore_label=["NOUN"])

    result = compared(folder=FOLDER, progress=at("evaluating part 3 of 4", other))
    assert said(result) == expected()
    assert said(cp.open(FOLDER)) == expected()


# What later commands say


def test_folders_of_other_versions_say_who_wrote_them(capsys: pytest.CaptureFixture[str]) -> None:
    compared(folder=FOLDER)
    manifest = json.loads((FOLDER / MANIFEST).read_text())
    for version in (99, 1):
        (FOLDER / MANIFEST).write_text(json.dumps(manifest | {"folder_version": version, "version": "7.3"}))
        outcome = run(capsys, "score", FOLDER, "-q")
        assert outcome.code == 3
        assert f"the folder has version {version}, expected 2 to " in outcome.err
        assert outcome.err.endswith("open it with comparanda 7.3, which wrote it\n")


COMMANDS: list[tuple[str, ...]] = [
    ("report", "result", "-o", "page.html"),
    ("examples", "result", "--where", "new_error", "--top", "2"),
    ("gate", "result", "--max-new-errors", "99%"),
    ("score", "result", "--json"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each[0])
def test_commands_open_a_folder_in_parts_as_any_other(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    compared(part=None).save(FOLDER)
    plain = run(capsys, *command, "-q")
    page = Path("page.html").read_bytes() if command[0] == "report" else b""
    shutil.rmtree(FOLDER)
    compared(folder=FOLDER)
    found = run(capsys, *command, "-q")
    assert (found.code, found.out) == (plain.code, plain.out)
    assert found.code == 0, found.err
    assert page == (Path("page.html").read_bytes() if command[0] == "report" else b"")


def test_attributes_are_read_when_they_are_asked_for_and_checked_then_too() -> None:
    compared(folder=FOLDER)
    result, expected_slices = cp.open(FOLDER), compared(part=None).slices("word")
    assert result.slices("word") == expected_slices
    manifest = json.loads((LAST / MANIFEST).read_bytes())
    spoilt = manifest["views"][0]["sites"]["attributes"]["word"]["values"]
    data = bytearray((LAST / spoilt).read_bytes())
    data[-1] ^= 1
    (LAST / spoilt).write_bytes(data)
    with pytest.raises(ReadError, match=f"damaged: {re.escape(spoilt)} has changed since it was saved"):
        result.slices("word")
    with pytest.raises(ReadError, match="damaged"):
        cp.open(FOLDER)


@pytest.mark.parametrize("command", [*COMMANDS, ("serve", "result")], ids=lambda each: each[0])
def test_commands_do_not_take_a_folder_for_whole_that_is_not(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    compared(folder=FOLDER)
    (FOLDER / MANIFEST).unlink()
    shutil.rmtree(LAST)
    outcome = run(capsys, *command)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == (
        f"comparanda: {FOLDER.resolve()}: incomplete result: 3 of 4 parts are done\n"
        "  run the command that wrote it again: it resumes where it stopped\n"
    )
    assert not Path("page.html").exists()

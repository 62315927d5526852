"""The folder that a comparison in parts is written to, part by part, and from which it goes on after an interruption.

The plan is written first, each part to a temporary name and then renamed, and the manifest last: a folder with a
manifest is whole, and one without can be gone on with. A part says which plan it is of and has digests of what is in
it; so what another run, another plan or a half-written disk left behind is never taken for a part of this one.
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from comparanda.errors import ReadError
from comparanda.scale.part import FACTS, Facts
from comparanda.storage.manifest import (
    FOLDER_VERSION,
    IN_PARTS,
    MANIFEST,
    PLAN,
    PartsManifest,
    Unfinished,
    digest,
    is_ours,
    is_temporary,
    temporary_beside,
)
from comparanda.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from comparanda.scale.part import Files
    from comparanda.scale.plan import Plan

SEAL = "seal.json"
"""The file of a part's folder that holds its `Seal`."""

_FACTS = msgspec.json.Decoder(dict[str, Facts])
_RESUME = "what is done stays there: run again to go on"


class FolderError(ReadError):
    """A folder cannot be had or written: no fault of the inputs, so there is no other way to read them."""


class Seal(msgspec.Struct, frozen=True):
    """What tells a part that is done: the mark of its plan, and the digests of its manifest and its facts."""

    mark: str
    manifest: str
    facts: str


class PartsFolder:
    """A folder of parts, held by one run at a time.

    Args:
        path: where it is.
        plan: what is to be in it.
        hint: what to do when it cannot be written.

    """

    def __init__(self, path: Path, plan: Plan, hint: str = _RESUME) -> None:
        self.path = path
        self.plan = plan
        self.names = [f"part-{number:05}" for number in range(len(plan.parts))]
        self.manifests: dict[int, str] = {}
        self._hint = hint
        self._lock: int | None = None

    def begin(self) -> set[int]:
        """Make the folder, or go on with it; return the numbers of the parts that are done."""
        if self.path.exists() and not is_ours(self.path) and (not self.path.is_dir() or any(self.path.iterdir())):
            raise FolderError("something else stands there already", where=str(self.path), hint="choose another folder")
        self._writing(self._enter)
        if self._mark() == self.plan.mark:
            return {number for number in range(len(self.names)) if self.facts(number) is not None}
        self._writing(self._anew)
        return set()

    def end(self) -> None:
        """Let another run have the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _enter(self) -> None:
        """Make the folder, make sure that no other run writes to it, and clear away what one that died left."""
        self.path.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(self.path)
        for each in self.path.iterdir():
            if is_temporary(each.name):
                _remove(each)

    def _mark(self) -> str | None:
        try:
            return msgspec.json.decode((self.path / PLAN).read_bytes(), type=Unfinished).mark
        except (OSError, msgspec.MsgspecError, ValueError):
            return None

    def _anew(self) -> None:
        """Begin with an empty folder; it is one of ours at every moment, and never looks whole."""
        for each in self.path.iterdir():
            if each.name not in (MANIFEST, PLAN):
                _remove(each)
        _put(self.path / PLAN, msgspec.json.encode(Unfinished(IN_PARTS, __version__, self.plan.mark, self.names)))
        (self.path / MANIFEST).unlink(missing_ok=True)

    def put(self, number: int, files: Files) -> None:
        """Write a part: it is there whole, or not at all."""
        seal = Seal(self.plan.mark, digest(files[MANIFEST]), digest(files[FACTS]))
        sealed = files | {SEAL: msgspec.json.encode(seal)}
        self._writing(lambda: self._put_part(self.path / self.names[number], sealed))
        self.manifests[number] = seal.manifest

    def _put_part(self, target: Path, files: Files) -> None:
        temporary = temporary_beside(target)
        temporary.mkdir()
        try:
            for name, data in files.items():
                (temporary / name).write_bytes(data)
            if target.exists():
                shutil.rmtree(target)
            temporary.rename(target)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise

    def facts(self, number: int) -> dict[str, Facts] | None:
        """Return what the portions of a part look like; None if it is not there, damaged, or of another plan."""
        folder = self.path / self.names[number]
        try:
            seal = msgspec.json.decode((folder / SEAL).read_bytes(), type=Seal)
            manifest, facts = ((folder / name).read_bytes() for name in (MANIFEST, FACTS))
            if (self.plan.mark, digest(manifest), digest(facts)) != (seal.mark, seal.manifest, seal.facts):
                return None
            found = _FACTS.decode(facts)
        except (OSError, msgspec.MsgspecError, ValueError):
            return None
        self.manifests[number] = seal.manifest
        return found

    def finish(self, resamples: int, seed: int, zero_division: float | None) -> None:
        """Write the manifest: the parts are whole."""
        parts = {name: self.manifests[number] for number, name in enumerate(self.names)}
        said = PartsManifest(
            kind=IN_PARTS,
            folder_version=FOLDER_VERSION,
            version=__version__,
            resamples=resamples,
            seed=seed,
            zero_division=zero_division,
            parts=parts,
        )
        self._writing(lambda: _put(self.path / MANIFEST, msgspec.json.format(msgspec.json.encode(said), indent=1)))

    def forget(self, numbers: Iterable[int]) -> None:
        """Remove parts that are to be judged again, and the manifest before them."""
        self._writing(lambda: (self.path / MANIFEST).unlink(missing_ok=True))
        for number in numbers:
            shutil.rmtree(self.path / self.names[number], ignore_errors=True)

    def _writing(self, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as problem:
            what = f"the folder cannot be written: {problem.strerror or problem}"
            raise FolderError(what, where=str(self.path), hint=self._hint) from None


def _locked(folder: Path) -> int | None:
    """Lock a folder and return the open file that holds the lock until it is closed, however the process ends.

    None where there are no locks. Then two runs that write to one folder can make each other fail, but the digests of
    parts keep either from taking the other's.
    """
    try:
        import fcntl
    except ImportError:
        return None
    found = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        os.close(found)
        if problem.errno != errno.EWOULDBLOCK:  # some file systems of networks have no locks
            return None
        hint = "wait until it has ended, or choose another folder"
        raise FolderError("another comparison is writing to this folder", where=str(folder), hint=hint) from None
    return found


def _remove(path: Path) -> None:
    """Remove a file or a folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _put(target: Path, data: bytes) -> None:
    """Write a file to a temporary name and rename it."""
    temporary = temporary_beside(target)
    try:
        temporary.write_bytes(data)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise

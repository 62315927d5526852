"""The folder of a comparison in parts, from which the comparison can be resumed after an interruption.

The plan is written first, each part under a temporary name and then renamed, and the manifest last: a folder with a
manifest is complete, and one without can be resumed. A part has the mark of its plan and digests of its contents, so
remains of another run, another plan or an incomplete write are never taken for a part of this comparison.
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
    temporary_path,
)
from comparanda.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from comparanda.scale.part import Files
    from comparanda.scale.plan import Plan

SEAL = "seal.json"
"""The file of a part's folder that holds its `Seal`."""

_FACTS = msgspec.json.Decoder(dict[str, Facts])
_RESUME_HINT = "run again to resume: finished parts are kept"


class FolderError(ReadError):
    """A folder cannot be used or written; reading the inputs differently would not help."""


class Seal(msgspec.Struct, frozen=True):
    """The proof of a finished part: the mark of its plan, and the digests of its manifest and facts."""

    mark: str
    manifest: str
    facts: str


class PartsFolder:
    """A folder of parts, locked by one run at a time.

    Args:
        path: the path of the folder.
        plan: the plan whose parts it holds.
        hint: the hint of the error if it cannot be written.

    """

    def __init__(self, path: Path, plan: Plan, hint: str = _RESUME_HINT) -> None:
        self.path = path
        self.plan = plan
        self.names = [f"part-{number:05}" for number in range(len(plan.parts))]
        self.manifests: dict[int, str] = {}
        self._hint = hint
        self._lock: int | None = None

    def begin(self) -> set[int]:
        """Create the folder, or resume from it; return the numbers of the finished parts."""
        if self.path.exists() and not is_ours(self.path) and (not self.path.is_dir() or any(self.path.iterdir())):
            raise FolderError(
                "the path exists and is not a result folder", where=str(self.path), hint="choose another folder"
            )
        self._guard_writing(self._acquire)
        if self._read_mark() == self.plan.mark:
            return {number for number in range(len(self.names)) if self.facts(number) is not None}
        self._guard_writing(self._clear)
        return set()

    def end(self) -> None:
        """Release the lock of the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _acquire(self) -> None:
        """Create and lock the folder, and remove temporary files that an interrupted run left."""
        self.path.mkdir(parents=True, exist_ok=True)
        self._lock = _lock_folder(self.path)
        for each in self.path.iterdir():
            if is_temporary(each.name):
                _remove(each)

    def _read_mark(self) -> str | None:
        try:
            return msgspec.json.decode((self.path / PLAN).read_bytes(), type=Unfinished).mark
        except (OSError, msgspec.MsgspecError, ValueError):
            return None

    def _clear(self) -> None:
        """Empty the folder and write the plan; meanwhile it is recognisable as ours, and never looks complete."""
        for each in self.path.iterdir():
            if each.name not in (MANIFEST, PLAN):
                _remove(each)
        _replace_file(
            self.path / PLAN, msgspec.json.encode(Unfinished(IN_PARTS, __version__, self.plan.mark, self.names))
        )
        (self.path / MANIFEST).unlink(missing_ok=True)

    def put(self, number: int, files: Files) -> None:
        """Write a part atomically."""
        seal = Seal(self.plan.mark, digest(files[MANIFEST]), digest(files[FACTS]))
        sealed = files | {SEAL: msgspec.json.encode(seal)}
        self._guard_writing(lambda: self._write_part(self.path / self.names[number], sealed))
        self.manifests[number] = seal.manifest

    def _write_part(self, target: Path, files: Files) -> None:
        temporary = temporary_path(target)
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
        """Read the facts of a part; None if the part is missing, damaged, or of another plan."""
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
        """Write the manifest, which marks the folder as complete."""
        parts = {name: self.manifests[number] for number, name in enumerate(self.names)}
        manifest = PartsManifest(
            kind=IN_PARTS,
            folder_version=FOLDER_VERSION,
            version=__version__,
            resamples=resamples,
            seed=seed,
            zero_division=zero_division,
            parts=parts,
        )
        self._guard_writing(
            lambda: _replace_file(self.path / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1))
        )

    def forget(self, numbers: Iterable[int]) -> None:
        """Remove parts that must be evaluated again, after the manifest."""
        self._guard_writing(lambda: (self.path / MANIFEST).unlink(missing_ok=True))
        for number in numbers:
            shutil.rmtree(self.path / self.names[number], ignore_errors=True)

    def _guard_writing(self, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as problem:
            what = f"the folder cannot be written: {problem.strerror or problem}"
            raise FolderError(what, where=str(self.path), hint=self._hint) from None


def _lock_folder(folder: Path) -> int | None:
    """Lock a folder; return the file descriptor that holds the lock until it is closed or the process ends.

    Returns None where locks are not available. Then two runs writing to one folder can make each other fail, but the
    digests of parts prevent either from using the other's.
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
        if problem.errno != errno.EWOULDBLOCK:  # some network file systems have no locks
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


def _replace_file(target: Path, data: bytes) -> None:
    """Write a file under a temporary name and rename it."""
    temporary = temporary_path(target)
    try:
        temporary.write_bytes(data)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise

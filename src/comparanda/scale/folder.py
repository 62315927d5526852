"""The folder that a comparison in parts is written to, part by part, and from which it goes on after an interruption.

The plan is written first, each part to a temporary name and then renamed, and the manifest last: a folder with a
manifest is whole, and one without can be gone on with.
"""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from comparanda.errors import ReadError
from comparanda.manifest import FOLDER_VERSION, IN_PARTS, MANIFEST, PLAN, PartsManifest, Unfinished, digest, is_ours
from comparanda.scale.judging import FACTS, Facts
from comparanda.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from comparanda.scale.judging import Files
    from comparanda.scale.plan import Plan

_FACTS = msgspec.json.Decoder(dict[str, Facts])


class PartsFolder:
    """A folder of parts.

    Args:
        path: where it is.
        plan: what is to be in it.

    """

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path = path
        self.plan = plan
        self.names = [f"part-{number:05}" for number in range(len(plan.parts))]

    def begin(self) -> set[int]:
        """Make the folder, or go on with it; return the numbers of the parts that are done."""
        if self.path.exists() and not is_ours(self.path) and (not self.path.is_dir() or any(self.path.iterdir())):
            raise ReadError("something else stands there already", where=str(self.path), hint="choose another folder")
        if self._mark() == self.plan.mark:
            return {number for number, name in enumerate(self.names) if (self.path / name / MANIFEST).is_file()}
        self._writing(self._anew)
        return set()

    def _mark(self) -> str | None:
        try:
            return msgspec.json.decode((self.path / PLAN).read_bytes(), type=Unfinished).mark
        except (OSError, msgspec.MsgspecError, ValueError):
            return None

    def _anew(self) -> None:
        if self.path.exists():
            shutil.rmtree(self.path)
        self.path.mkdir(parents=True)
        said = Unfinished(IN_PARTS, __version__, self.plan.mark, self.names)
        _put(self.path / PLAN, msgspec.json.encode(said))

    def put(self, number: int, files: Files) -> None:
        """Write a part: it is there whole, or not at all."""
        self._writing(lambda: self._put_part(self.path / self.names[number], files))

    def _put_part(self, target: Path, files: Files) -> None:
        temporary = target.with_name(f".{target.name}-{secrets.token_hex(8)}")
        temporary.mkdir()
        try:
            for name, data in files.items():
                (temporary / name).write_bytes(data)
            shutil.rmtree(target, ignore_errors=True)
            temporary.rename(target)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise

    def facts(self, number: int) -> dict[str, Facts] | None:
        """Return what the portions of a part look like; None if it is damaged."""
        try:
            return _FACTS.decode((self.path / self.names[number] / FACTS).read_bytes())
        except (OSError, msgspec.MsgspecError, ValueError):
            return None

    def finish(self, resamples: int, seed: int, zero_division: float | None) -> None:
        """Write the manifest: the parts are whole."""
        parts = {name: digest((self.path / name / MANIFEST).read_bytes()) for name in self.names}
        said = PartsManifest(IN_PARTS, FOLDER_VERSION, __version__, resamples, seed, zero_division, parts)
        self._writing(lambda: _put(self.path / MANIFEST, msgspec.json.format(msgspec.json.encode(said), indent=1)))

    def forget(self, numbers: Iterable[int]) -> None:
        """Remove parts that are to be judged again, and the manifest before them."""
        (self.path / MANIFEST).unlink(missing_ok=True)
        for number in numbers:
            shutil.rmtree(self.path / self.names[number], ignore_errors=True)

    def _writing(self, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as problem:
            what = f"the folder cannot be written: {problem.strerror or problem}"
            hint = "what is done stays there: run again to go on"
            raise ReadError(what, where=str(self.path), hint=hint) from None


def _put(target: Path, data: bytes) -> None:
    """Write a file to a temporary name and rename it."""
    temporary = target.with_name(f".{target.name}-{secrets.token_hex(8)}")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise

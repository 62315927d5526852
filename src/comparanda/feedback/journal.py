"""A folder in which simulations keep what they have done, so that they can be killed at any time and go on.

It holds `journal.json`, which says what is simulated, a file for each curve that is done, and one for what is under
way. Each is there whole or not at all. What goes on gives the same numbers as what was never stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.errors import UsageError
from comparanda.feedback.simulation import COLUMNS, Curve, Simulation, is_fixed, simulate
from comparanda.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.feedback.field import Field
    from comparanda.feedback.protocol import Plan

    Arrays = Mapping[str, NDArray[Any]]

EVERY = 500
"""After how many questions what is under way is written down."""

SHAPE = 1
"""Rises whenever what the files hold changes."""

_NAME = "journal.json"
_ASKED, _ANSWERS = "asked", "answers"


class Journal:
    """What was done of some simulations, in a folder.

    Args:
        folder: where; it is made if it is not there.
        field: what is asked about.
        plans: all that is to be simulated.
        every: after how many questions what is under way is written down.

    """

    def __init__(self, folder: str, field: Field, plans: Sequence[Plan], every: int = EVERY) -> None:
        self.folder, self.field, self.every = Path(folder), field, every
        _begin(self.folder, _contents(field, plans))

    def curve(self, plan: Plan, told: Callable[[int], None] | None = None) -> Curve:
        """Return the curve of a plan: as written down, or simulated from where it was left.

        Args:
            plan: one of the plans.
            told: called with the number of questions after each.

        """
        done = self.folder / f"{plan.strategy}-{plan.seed}.npz"
        written = _read(done)
        if written is not None:
            return _curve(plan, written, done)
        found = simulate(self.field, plan, told) if is_fixed(plan) else self._simulated(plan, told)
        _write(done, {**found.columns, _ASKED: found.asked, _ANSWERS: found.answers})
        self._under_way(plan).unlink(missing_ok=True)
        return found

    def _under_way(self, plan: Plan) -> Path:
        return self.folder / f"{plan.strategy}-{plan.seed}.part.npz"

    def _simulated(self, plan: Plan, told: Callable[[int], None] | None) -> Curve:
        path = self._under_way(plan)
        snapshot = _read(path)
        simulation = Simulation(self.field, plan) if snapshot is None else self._restored(plan, snapshot, path)
        while simulation.step():
            if len(simulation) % self.every == 0:
                _write(path, simulation.snapshot())
            if told is not None:
                told(len(simulation))
        return simulation.curve()

    def _restored(self, plan: Plan, snapshot: Arrays, path: Path) -> Simulation:
        try:
            return Simulation.restored(self.field, plan, dict(snapshot))
        except (KeyError, ValueError, IndexError):
            raise _broken(path) from None


def _contents(field: Field, plans: Sequence[Plan]) -> dict[str, Any]:
    """Say what is simulated, so that nothing else goes on in its place."""
    common = {name: value for name, value in asdict(plans[0]).items() if name not in {"strategy", "seed"}}
    return {
        "journal": SHAPE,
        "version": __version__,
        "data": fingerprint(field),
        "runs": [f"{plan.strategy}-{plan.seed}" for plan in plans],
        "plan": common,
    }


def fingerprint(field: Field) -> str:
    """Return a digest of all that a simulation sees."""
    found = hashlib.sha256()
    candidates, beliefs = field.candidates, field.candidates.beliefs
    arrays = [
        *(candidates.document, candidates.place, candidates.width, candidates.label, candidates.correct),
        *(candidates.text.codes, beliefs.weight, beliefs.entity, beliefs.alternative, beliefs.block, beliefs.nothing),
        field.scope,
        field.entity_spans,
    ]
    if beliefs.worlds is not None:
        worlds = beliefs.worlds
        arrays += [worlds.block, worlds.probability, worlds.offsets, worlds.member]
    for each in arrays:
        found.update(f"{len(each)}:".encode() + np.ascontiguousarray(each, _plain(each)).tobytes())
    names = [list(candidates.names), list(candidates.text.names), field.entities]
    found.update(json.dumps(names).encode())
    return found.hexdigest()


def _plain(values: NDArray[Any]) -> str:
    """Return one type for all whole numbers and one for all others: how wide codes are says nothing."""
    return "<f8" if values.dtype.kind == "f" else "<i8"


def _begin(folder: Path, contents: dict[str, Any]) -> None:
    """Make the folder ready, or see whether it is about the same."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / _NAME
        if path.exists():
            _compare(folder, json.loads(path.read_text(encoding="utf-8")), contents)
        elif any(each.name != f"{_NAME}.new" for each in folder.iterdir()):
            raise UsageError("the folder has files, but none of a simulation", where=str(folder), hint="name a new one")
        else:
            _replace(path, lambda stream: stream.write(json.dumps(contents, indent=2).encode()))
    except (ValueError, UnicodeDecodeError):
        raise _broken(folder / _NAME) from None
    except OSError as problem:
        raise UsageError(f"cannot be used: {problem.strerror or problem}", where=str(folder)) from None


def _compare(folder: Path, old: Any, new: dict[str, Any]) -> None:
    """Refuse a folder in which something else was simulated."""
    if not isinstance(old, dict) or not isinstance(old.get("plan"), dict):
        raise _broken(folder / _NAME)
    hint = "name another folder, or remove this one to begin anew"
    if (old.get("journal"), old.get("version")) != (new["journal"], new["version"]):
        what = f"what is there was begun by version {old.get('version')}, and this is {new['version']}"
        raise UsageError(what, where=str(folder), hint=hint)
    if old.get("data") != new["data"]:
        what = "what is there was begun with other data: key, output, how they are read, or what is asked about"
        raise UsageError(what, where=str(folder), hint=hint)
    then, now = {"runs": old.get("runs"), **old["plan"]}, {"runs": new["runs"], **new["plan"]}
    unlike = [name for name in now if then.get(name) != now[name]]
    if unlike:
        said = "; ".join(f"{name} was {_said(then.get(name))} and is {_said(now[name])}" for name in unlike)
        raise UsageError(f"what is there was begun with another plan: {said}", where=str(folder), hint=hint)


def _said(value: Any) -> str:
    """Write a part of a plan: lists as far as they are short."""
    if isinstance(value, list):
        return ", ".join(map(str, value[:4])) + (" …" if len(value) > 4 else "")
    return json.dumps(value)


def _read(path: Path) -> Arrays | None:
    """Read arrays; None where they were not written yet."""
    if not path.exists():
        return None
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (OSError, ValueError, TypeError, EOFError, zipfile.BadZipFile):  # TypeError: one array and no archive
        raise _broken(path) from None


def _curve(plan: Plan, written: Arrays, path: Path) -> Curve:
    if {*written} != {*COLUMNS, _ASKED, _ANSWERS}:
        raise _broken(path)
    return Curve(plan, {name: written[name] for name in COLUMNS}, written[_ASKED], written[_ANSWERS])


def _write(path: Path, arrays: Arrays) -> None:
    """Write arrays."""
    try:
        _replace(path, lambda stream: np.savez(stream, allow_pickle=False, **arrays))
    except OSError as problem:
        raise UsageError(f"cannot be written: {problem.strerror or problem}", where=str(path)) from None


def _replace(path: Path, write: Callable[[Any], object]) -> None:
    """Write beside the file and rename: whenever the program dies, the file is the old one or the new one."""
    temporary = path.with_name(f"{path.name}.new")
    with open(temporary, "wb") as stream:
        write(stream)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(temporary, path)


def _broken(path: Path) -> UsageError:
    return UsageError("cannot be read as part of a simulation", where=str(path), hint="remove the folder to begin anew")

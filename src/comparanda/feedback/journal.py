"""Resumable simulations: a folder that stores finished curves and the snapshot of the current run.

The folder holds `journal.json`, which describes what is simulated, one file for each finished curve, and a snapshot of
the run in progress. Files are written atomically. A resumed simulation gives the same numbers as an uninterrupted one.
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
"""The number of questions between two snapshots."""

SHAPE = 1
"""The version of the file contents; incremented with every change of them."""

_JOURNAL_FILE = "journal.json"
_ASKED, _ANSWERS = "asked", "answers"


class Journal:
    """The stored progress of some simulations.

    Args:
        folder: the folder; created if it does not exist.
        field: the tuples asked about.
        plans: the plans to simulate.
        every: the number of questions between two snapshots.

    """

    def __init__(self, folder: str, field: Field, plans: Sequence[Plan], every: int = EVERY) -> None:
        self.folder, self.field, self.every = Path(folder), field, every
        _prepare_folder(self.folder, _describe_simulation(field, plans))

    def curve(self, plan: Plan, on_question: Callable[[int], None] | None = None) -> Curve:
        """Load the curve of a plan, or simulate it from its last snapshot.

        Args:
            plan: one of the plans.
            on_question: called after each question with the number of questions so far.

        """
        curve_path = self.folder / f"{plan.strategy}-{plan.seed}.npz"
        written = _read_arrays(curve_path)
        if written is not None:
            return _curve_of_arrays(plan, written, curve_path)
        found = (
            simulate(self.field, plan, on_question)
            if is_fixed(plan)
            else self._simulate_with_snapshots(plan, on_question)
        )
        _write_arrays(curve_path, {**found.columns, _ASKED: found.asked, _ANSWERS: found.answers})
        self._snapshot_path(plan).unlink(missing_ok=True)
        return found

    def _snapshot_path(self, plan: Plan) -> Path:
        return self.folder / f"{plan.strategy}-{plan.seed}.part.npz"

    def _simulate_with_snapshots(self, plan: Plan, on_question: Callable[[int], None] | None) -> Curve:
        path = self._snapshot_path(plan)
        snapshot = _read_arrays(path)
        simulation = (
            Simulation(self.field, plan) if snapshot is None else self._restore_simulation(plan, snapshot, path)
        )
        while simulation.step():
            if len(simulation) % self.every == 0:
                _write_arrays(path, simulation.snapshot())
            if on_question is not None:
                on_question(len(simulation))
        return simulation.curve()

    def _restore_simulation(self, plan: Plan, snapshot: Arrays, path: Path) -> Simulation:
        try:
            return Simulation.restored(self.field, plan, dict(snapshot))
        except (KeyError, ValueError, IndexError):
            raise _damage_error(path) from None


def _describe_simulation(field: Field, plans: Sequence[Plan]) -> dict[str, Any]:
    """Describe what is simulated, so that another simulation cannot resume from the same folder."""
    common = {name: value for name, value in asdict(plans[0]).items() if name not in {"strategy", "seed"}}
    return {
        "journal": SHAPE,
        "version": __version__,
        "data": fingerprint(field),
        "runs": [f"{plan.strategy}-{plan.seed}" for plan in plans],
        "plan": common,
    }


def fingerprint(field: Field) -> str:
    """Compute a digest of all data that a simulation uses."""
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
        found.update(f"{len(each)}:".encode() + np.ascontiguousarray(each, _wide_type(each)).tobytes())
    names = [list(candidates.names), list(candidates.text.names), field.entities]
    found.update(json.dumps(names).encode())
    return found.hexdigest()


def _wide_type(values: NDArray[Any]) -> str:
    """Return a common type for integers and one for floats, so that the width of codes does not matter."""
    return "<f8" if values.dtype.kind == "f" else "<i8"


def _prepare_folder(folder: Path, contents: dict[str, Any]) -> None:
    """Create the folder, or check that an existing one is of the same simulation."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / _JOURNAL_FILE
        if path.exists():
            _refuse_other_simulation(folder, json.loads(path.read_text(encoding="utf-8")), contents)
        elif any(each.name != f"{_JOURNAL_FILE}.new" for each in folder.iterdir()):
            raise UsageError(
                "the folder is not empty and contains no simulation", where=str(folder), hint="choose another folder"
            )
        else:
            _replace_file(path, lambda stream: stream.write(json.dumps(contents, indent=2).encode()))
    except (ValueError, UnicodeDecodeError):
        raise _damage_error(folder / _JOURNAL_FILE) from None
    except OSError as problem:
        raise UsageError(f"the folder cannot be used: {problem.strerror or problem}", where=str(folder)) from None


def _refuse_other_simulation(folder: Path, old: Any, new: dict[str, Any]) -> None:
    """Refuse a folder that holds another simulation."""
    if not isinstance(old, dict) or not isinstance(old.get("plan"), dict):
        raise _damage_error(folder / _JOURNAL_FILE)
    hint = "choose another folder, or delete this one to start over"
    if (old.get("journal"), old.get("version")) != (new["journal"], new["version"]):
        what = f"the simulation in this folder was started with version {old.get('version')}, this is {new['version']}"
        raise UsageError(what, where=str(folder), hint=hint)
    if old.get("data") != new["data"]:
        what = "the simulation in this folder was started with other data: another key, output, format or scope"
        raise UsageError(what, where=str(folder), hint=hint)
    then, now = {"runs": old.get("runs"), **old["plan"]}, {"runs": new["runs"], **new["plan"]}
    unlike = [name for name in now if then.get(name) != now[name]]
    if unlike:
        differences = "; ".join(
            f"{name} was {_format_value(then.get(name))}, now {_format_value(now[name])}" for name in unlike
        )
        raise UsageError(
            f"the simulation in this folder was started with another plan: {differences}", where=str(folder), hint=hint
        )


def _format_value(value: Any) -> str:
    """Format a value of a plan; long lists are truncated."""
    if isinstance(value, list):
        return ", ".join(map(str, value[:4])) + (" …" if len(value) > 4 else "")
    return json.dumps(value)


def _read_arrays(path: Path) -> Arrays | None:
    """Read arrays from a file; None if it does not exist yet."""
    if not path.exists():
        return None
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (OSError, ValueError, TypeError, EOFError, zipfile.BadZipFile):  # TypeError: one array and no archive
        raise _damage_error(path) from None


def _curve_of_arrays(plan: Plan, written: Arrays, path: Path) -> Curve:
    if {*written} != {*COLUMNS, _ASKED, _ANSWERS}:
        raise _damage_error(path)
    return Curve(plan, {name: written[name] for name in COLUMNS}, written[_ASKED], written[_ANSWERS])


def _write_arrays(path: Path, arrays: Arrays) -> None:
    """Write arrays to a file."""
    try:
        _replace_file(path, lambda stream: np.savez(stream, allow_pickle=False, **arrays))
    except OSError as problem:
        raise UsageError(f"cannot be written: {problem.strerror or problem}", where=str(path)) from None


def _replace_file(path: Path, write: Callable[[Any], object]) -> None:
    """Write a temporary file and rename it, so that an interruption leaves either the old or the new file."""
    temporary = path.with_name(f"{path.name}.new")
    with open(temporary, "wb") as stream:
        write(stream)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(temporary, path)


def _damage_error(path: Path) -> UsageError:
    return UsageError("damaged simulation file", where=str(path), hint="delete the folder to start over")

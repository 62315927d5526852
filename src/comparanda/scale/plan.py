"""The plan of a comparison in parts: which documents are judged together, and what each part reads of every input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import msgspec

from comparanda.align.missing import Missing, not_covered
from comparanda.manifest import digest
from comparanda.read.cuts import UncuttableError
from comparanda.read.files import stamp_of
from comparanda.read.request import KEY
from comparanda.road import Setup, check_count, columns_of, missing_of, request_of
from comparanda.scale.index import Index, index_of
from comparanda.version import __version__

if TYPE_CHECKING:
    from comparanda.read.inputs import Input
    from comparanda.verdicts import System

_UNTIL = "until:"


@dataclass(frozen=True, slots=True)
class PartTask:
    """One part: what it reads, and the documents it must find on each side, by the side's name.

    Args:
        number: its place among the parts, from 0.
        key: the key, with the portion that is meant.
        outputs: the same for each run, by its name.
        documents: what documents are called, by side; empty where rows are found by ids.

    """

    number: int
    key: Input
    outputs: tuple[tuple[str, Input], ...]
    documents: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Plan:
    """All parts of a comparison.

    Args:
        systems: the systems, with the columns of their runs.
        parts: the parts, in the order of the key.
        files: all files of all inputs, and what told their state.
        mark: tells this plan from those for other files, other settings or another cut.

    """

    systems: tuple[System, ...]
    parts: tuple[PartTask, ...]
    files: tuple[tuple[str, Any], ...]
    mark: str


def plan_of(key: Any, systems: Mapping[str, Any], setup: Setup, size: int) -> Plan:
    """Look through all inputs and cut them into parts of about a number of bytes, all sides together.

    Raises `UncuttableError` where inputs must be read whole.
    """
    columns, outputs = columns_of(systems)
    check_count(outputs, setup)
    sides = {name: index_of(given, *request_of(name, setup)) for name, given in [(KEY, key), *outputs]}
    gold, responses = sides[KEY], {name: each for name, each in sides.items() if name != KEY}
    _check_names(gold, responses, missing_of(setup))
    if not gold.rows and not all(each.marked for each in sides.values()):
        unmarked = next(name for name, each in sides.items() if not each.marked)
        raise UncuttableError(f"{unmarked} marks no documents")
    groups = list(_sized(_groups(gold, setup), sides, size))
    surplus = {name: [each for each in index.places if each not in gold.places] for name, index in responses.items()}
    parts = tuple(
        _part(number, names, sides, surplus if number == len(groups) - 1 else {}) for number, names in enumerate(groups)
    )
    files = tuple(dict(each for index in sides.values() for each in index.files).items())
    said = [str(each) for each in (_said(setup), columns, files, [(part.key, part.outputs) for part in parts])]
    return Plan(tuple(columns), parts, files, digest(msgspec.json.encode([__version__, *said])))


def _check_names(gold: Index, responses: Mapping[str, Index], missing: Missing) -> None:
    """Refuse what a comparison in one go would refuse, and what it would lay over the key without regard to names."""
    for index in responses.values():
        lacking = [name for name in gold.places if name not in index.places]
        surplus = [name for name in index.places if name not in gold.places]
        if len(lacking) == len(gold.places):
            raise UncuttableError(f"{index.files[0][0]} has no document of the key's")
        if missing == "error" and (lacking or surplus):
            found = surplus if gold.rows else sorted(surplus)
            kind = "id" if gold.rows else "document"
            raise not_covered(gold.files[0][0], index.files[0][0], lacking, found, kind)


def _groups(gold: Index, setup: Setup) -> list[list[str]]:
    """Return the documents, or rows, that must be judged together: those of one topic, of one document."""
    if gold.groups:
        return _grouped((gold.groups.get(name, ""), name) for name in gold.places)
    across = setup.across
    if across is None:
        return [[name] for name in gold.places]
    if not across.startswith(_UNTIL):
        raise UncuttableError(f"chains may span documents by {across!r}")
    return _grouped((name.partition(across.removeprefix(_UNTIL))[0], name) for name in gold.places)


def _grouped(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    found: dict[str, list[str]] = {}
    for group, name in pairs:
        found.setdefault(group, []).append(name)
    return list(found.values())


def _sized(groups: Sequence[list[str]], sides: Mapping[str, Index], size: int) -> Iterator[list[str]]:
    """Put groups together until they have a number of bytes, and every side has some and all have one in common.

    What is left at the end without that goes to the part before it.
    """
    parts: list[list[str]] = []
    now: list[str] = []
    bytes_now, common = 0, False
    for group in groups:
        now += group
        bytes_now += sum(index.size(name) for index in sides.values() for name in group)
        common |= any(all(name in index.places for index in sides.values()) for name in group)
        if bytes_now >= size and common:
            parts.append(now)
            now, bytes_now, common = [], 0, False
    if now and (common or not parts):
        parts.append(now)
    elif now:
        parts[-1] += now
    yield from parts


def _part(number: int, names: list[str], sides: Mapping[str, Index], surplus: Mapping[str, list[str]]) -> PartTask:
    read = {
        name: [*(each for each in names if each in index.places), *surplus.get(name, ())]
        for name, index in sides.items()
    }
    # in one go, spans stand at characters as soon as a response has its documents in another order
    characters = any(list(index.places) != list(sides[KEY].places) for index in sides.values())
    inputs = {name: sides[name].portion(found, characters=characters) for name, found in read.items()}
    documents = {} if sides[KEY].rows else {name: tuple(found) for name, found in read.items()}
    return PartTask(
        number, inputs[KEY], tuple((name, given) for name, given in inputs.items() if name != KEY), documents
    )


def _said(setup: Setup) -> dict[str, str]:
    """Return the settings as text, with the state of the files that they name."""
    given = {each.name: getattr(setup, each.name) for each in fields(setup) if each.name != "progress"}
    return {name: f"{value!r} {stamp_of(value)}" for name, value in given.items()}

"""The plan of a comparison in parts: which documents are judged together, and what each part reads of every input."""

from __future__ import annotations

import os
import pickle
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.align.maps import Missing, not_covered
from comparanda.core.places import Portion, Stretch, Whole
from comparanda.errors import ReadError
from comparanda.formats.contract import KEY
from comparanda.formats.cuts import UncuttableError
from comparanda.formats.files import files_of, is_path, size_of, stamp
from comparanda.formats.inputs import Input
from comparanda.pipeline import Setup, check_count, columns_of, missing_of, refuse_systems, request_of
from comparanda.rules.rule_files import files_of_rules
from comparanda.scale.executors import LostError, looked_through
from comparanda.scale.index import Index, Opened, Placed, index_of, opened, placed
from comparanda.storage.manifest import digest
from comparanda.tasks.task import find_task
from comparanda.version import __version__

if TYPE_CHECKING:
    from comparanda.core.remote import AnyPath
    from comparanda.core.verdicts import System
    from comparanda.formats.cuts import Starts


# What settings say, so that one comparison can be told from another: with the files they name, and their state.


_OBJECTS = ("train", "rules")
"""Settings that may be objects of any kind."""


def said_of(setup: Setup) -> dict[str, str]:
    """Return the settings as texts, which are equal only if the settings are."""
    given = {each.name: getattr(setup, each.name) for each in fields(setup) if each.name != "progress"}
    return {name: _told(value) if name in _OBJECTS else repr(value) for name, value in given.items()}


def _told(value: Any) -> str:
    """Return a text for an object; `repr` leaves out what is long, of data frames and arrays."""
    if value is None or is_path(value):
        return repr(value)
    try:
        return digest(pickle.dumps(value))
    except Exception:  # whatever it is, it cannot be known again
        return secrets.token_hex(16)


def files_beside(setup: Setup) -> tuple[tuple[str, Any], ...]:
    """Return the files that settings name, all of those that they stand for, and what tells their state."""
    found: list[AnyPath] = []
    if is_path(setup.train):
        found += _expanded(Input.parse(os.fspath(setup.train)).path)
    if is_path(setup.rules):
        found += files_of_rules(os.fspath(setup.rules))
    if setup.same_ids is not None:
        found.append(Path(setup.same_ids))
    return tuple((str(file), stamp(file)) for file in found if file.exists())


def _expanded(path: str) -> list[AnyPath]:
    """Return the files that a path or a URL stands for: one, those of a folder, or those that fit a pattern."""
    try:
        return files_of(path, ())
    except ReadError:
        return []  # whoever reads it says why


# Sides that have the same documents in the same order, cut while they are looked through.
#
# That is how large corpora come, and then nothing has to be remembered of a single document: an index of millions of
# them
# would take more memory than the comparison.


WORTH = 256 << 20
"""So many bytes are worth further processes: to start one takes as long as to look through some ten million."""


@dataclass(frozen=True, slots=True)
class Step:
    """One part: the names of its documents, and what is read of each side."""

    names: tuple[str, ...]
    inputs: Mapping[str, Input]


def in_step(sides: Mapping[str, Opened], size: int, processes: int = 1) -> list[Step] | None:
    """Cut sides into parts of about a number of bytes; None if they are not in step, or have no marked documents.

    Args:
        sides: the sides, the key first.
        size: about how many bytes of all sides a part has.
        processes: how many processes may look through them; large sides alone are worth others than this one.

    """
    if any(each.rows or each.chosen.marks is None or each.chosen.rows is not None for each in sides.values()):
        return None
    every = list(sides.values())
    try:
        if processes > 1 and sum(each.size for each in every) >= WORTH:
            with looked_through(every, processes) as documents:
                return list(_steps(sides, documents, size))
        return list(_steps(sides, list(map(placed, every)), size))
    except LostError:
        return in_step(sides, size)
    except UncuttableError:
        return None  # the index will say what is wrong


def _steps(sides: Mapping[str, Opened], documents: Sequence[Iterator[Placed]], size: int) -> Iterator[Step]:
    """Give the parts one after the other; that no documents are marked is known, and told, only behind the last."""
    parts = {side: _Growing(each) for side, each in sides.items()}
    names: list[str] = []
    seen: set[str] = set()
    bytes_now = 0
    for row in zip_longest(*documents):
        if len({None if each is None else each.name for each in row}) > 1 or row[0].name in seen:
            raise UncuttableError("not in step")
        bytes_now += sum(part.add(each) for part, each in zip(parts.values(), row, strict=True))
        names.append(row[0].name)
        seen.add(row[0].name)
        if bytes_now >= size:
            yield Step(tuple(names), {side: part.taken() for side, part in parts.items()})
            names, bytes_now = [], 0
    if names:
        yield Step(tuple(names), {side: part.taken() for side, part in parts.items()})
    if not all(part.marked for part in parts.values()):
        raise UncuttableError("no documents are marked")


class _Growing:
    """What is read of one side by the part that is being made."""

    def __init__(self, side: Opened) -> None:
        self.marked = len(side.files) > 1
        self._given = side.given
        self._whole = Whole(tuple(name for name, _ in side.stamps), marked=True)
        self._first: Stretch | None = None
        self._stop = 0
        self._found: list[Stretch] = []

    def add(self, document: Placed) -> int:
        """Add a document; return how many bytes it has."""
        new, first = document.stretch, self._first
        assert new.stop is not None
        if first is None or (first.file is not new.file or self._stop != new.start or first.head != new.head):
            self._close()
            self._first = new
        self._stop = new.stop
        self.marked |= document.marked
        return new.stop - new.start

    def taken(self) -> Input:
        """Return the input with what was added, and begin anew."""
        self._close()
        found, self._found = tuple(self._found), []
        return replace(self._given, portion=Portion(found, self._whole))

    def _close(self) -> None:
        if self._first is not None:
            self._found.append(replace(self._first, stop=self._stop))
        self._first = None


_UNTIL = "until:"

_FOLDED = frozenset({"values", "spans"})
"""What is made small where it would not fit: sites that are tags, labels or spans."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartTask:
    """One part: what it reads, and the documents it must find on each side, by the side's name.

    Args:
        number: its place among the parts, from 0.
        key: the key, with the portion that is meant.
        outputs: the same for each run, by its name.
        documents: what documents are called, by side; empty where rows are found by ids.
        sentences: of a piece of a corpus without documents, how many sentences every side has there.

    """

    number: int
    key: Input
    outputs: tuple[tuple[str, Input], ...]
    documents: Mapping[str, tuple[str, ...]]
    sentences: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All parts of a comparison.

    Args:
        systems: the systems, with the columns of their runs.
        parts: the parts, in the order of the key.
        files: all files of all inputs, and what told their state.
        mark: tells this plan from those for other files, other settings or another cut.
        fold: the seed by which examples are chosen of sites that all systems have right, which are then only counted;
            None if all are kept.
        beside: the files that settings name, and what told their state.
        large: whether all sites of the key may take more memory than there is.

    """

    systems: tuple[System, ...]
    parts: tuple[PartTask, ...]
    files: tuple[tuple[str, Any], ...]
    mark: str
    fold: int | None = None
    beside: tuple[tuple[str, Any], ...] = ()
    large: bool = False

    @property
    def pieces(self) -> bool:
        """Whether parts are pieces of a corpus without documents."""
        return self.parts[0].sentences is not None


@dataclass(frozen=True, slots=True)
class Cut:
    """How a corpus is to be cut.

    Args:
        size: about how many bytes a part has, all sides together.
        room: how many bytes the key may have so that all its sites are kept; None for any number.
        seed: the seed by which examples are chosen, if not all sites are kept.
        processes: how many processes may look through the inputs.

    """

    size: int
    room: int | None
    seed: int
    processes: int = 1


def plan_of(key: Any, systems: Mapping[str, Any], setup: Setup, cut: Cut) -> Plan:
    """Look through all inputs and cut them into parts.

    Raises `UncuttableError` where inputs must be read whole.
    """
    refuse_systems(systems)
    columns, outputs = columns_of(systems)
    check_count(outputs, setup)
    found = {name: opened(given, *request_of(name, setup)) for name, given in [(KEY, key), *outputs]}
    alike = in_step(found, cut.size, cut.processes) if setup.across is None else None
    parts = _in_order(alike) if alike is not None else _by_index(found, setup, cut.size)
    files = tuple(dict(each for side in found.values() for each in side.stamps).items())
    large = cut.room is not None and sum(map(size_of, found[KEY].files)) > cut.room
    fold = cut.seed if large and find_task(setup.task)[0].layer in _FOLDED else None
    beside = files_beside(setup)
    said = [__version__, *map(str, (said_of(setup), beside, columns, files, fold)), *_said_of_parts(parts)]
    return Plan(
        systems=tuple(columns),
        parts=parts,
        files=files,
        mark=digest(msgspec.json.encode(said)),
        fold=fold,
        beside=beside,
        large=large,
    )


def _said_of_parts(parts: Sequence[PartTask]) -> Iterator[str]:
    """Say what parts read: of every side once what holds for all of its portions, then the stretches of each."""
    for part in parts:
        for given in (part.key, *(output for _, output in part.outputs)):
            assert given.portion is not None
            if part.number == 0:
                yield f"{given} {given.portion.whole}"
            yield str(given.portion.stretches)


def _in_order(alike: Sequence[Step]) -> tuple[PartTask, ...]:
    """Make the parts of sides that have the same documents in the same order."""
    parts = []
    for number, step in enumerate(alike):
        key, *outputs = step.inputs.items()
        parts.append(
            PartTask(
                number=number, key=key[1], outputs=tuple(outputs), documents=dict.fromkeys(step.inputs, step.names)
            )
        )
    return tuple(parts)


def _by_index(found: Mapping[str, Opened], setup: Setup, size: int) -> tuple[PartTask, ...]:
    """Make the parts of sides that differ: in the order of their documents, or because they have others, or none."""
    sides = {name: index_of(each, *request_of(name, setup)) for name, each in found.items()}
    gold, responses = sides[KEY], {name: each for name, each in sides.items() if name != KEY}
    if not gold.rows and not all(each.marked for each in sides.values()):
        return tuple(_pieces(sides, setup, size))
    _check_names(gold, responses, missing_of(setup))
    return tuple(_parts(_sized(_groups(gold, setup), sides, size), sides))


def _pieces(sides: Mapping[str, Index], setup: Setup, size: int) -> Iterator[PartTask]:
    """Cut sides without documents between sentences, at the same sentences on all sides."""
    starts: dict[str, Starts] = {}
    for name, index in sides.items():
        if index.marked:
            raise UncuttableError(f"{name} marks documents, and others do not")
        if index.sentences is None or find_task(setup.task)[0].layer == "chains":
            raise UncuttableError(f"{name} marks no documents")
        starts[name] = index.sentences()
    counts = {each.count for each in starts.values()}
    if len(counts) > 1:
        raise UncuttableError("no documents are marked, and not all sides have as many sentences")
    cuts = _cuts(starts, size)
    for number, (first, behind) in enumerate(pairwise([*cuts, counts.pop()])):
        inputs = {}
        for name, each in starts.items():
            place, end = first // each.step, behind // each.step
            stop = int(each.start[end]) if first != cuts[-1] else None
            inputs[name] = sides[name].piece(
                int(each.start[place]) if first else 0, stop, int(each.lines[place]) if first else 0
            )
        key = inputs.pop(KEY)
        yield PartTask(number=number, key=key, outputs=tuple(inputs.items()), documents={}, sentences=behind - first)


def _cuts(starts: Mapping[str, Starts], size: int) -> list[int]:
    """Return the numbers of the sentences that pieces of about a number of bytes begin at, which all sides tell."""
    step = max(each.step for each in starts.values())
    places = np.sum([each.start[:: step // each.step] for each in starts.values()], axis=0).tolist()
    cuts, before = [0], places[0] if places else 0
    for number, place in enumerate(places):
        if place - before >= size:
            cuts.append(number * step)
            before = place
    return cuts


def _check_names(gold: Index, responses: Mapping[str, Index], missing: Missing) -> None:
    """Refuse what a comparison in one go would refuse, and what it would lay over the key without regard to names."""
    for index in responses.values():
        lacking = [name for name in gold.places if name not in index.places]
        surplus = [name for name in index.places if name not in gold.places]
        if len(lacking) == len(gold.places):
            raise UncuttableError(f"{index.files[0][0]} has no document of the key's")
        if missing == "error" and (lacking or surplus):
            if any(len(each) > 1 for side in (gold, index) for each in side.places.values()):
                raise UncuttableError("names occur twice")  # which is told first
            found = surplus if gold.rows else sorted(surplus)
            kind = "id" if gold.rows else "document"
            raise not_covered(gold.files[0][0], response=index.files[0][0], lacking=lacking, surplus=found, kind=kind)


def _groups(gold: Index, setup: Setup) -> list[list[str]]:
    """Return the documents, or rows, that must be judged together: those of one topic, of one document."""
    if gold.groups:
        documents: dict[str, list[str]] = {}
        for name in gold.places:
            documents.setdefault(gold.groups.get(name, ""), []).append(name)
        return list(documents.values())
    across = setup.across
    if across is None:
        return [[name] for name in gold.places]
    if not across.startswith(_UNTIL):
        raise UncuttableError(f"chains may span documents by {across!r}")
    return list(_with_whole_topics([(name.partition(across.removeprefix(_UNTIL))[0], name) for name in gold.places]))


def _with_whole_topics(documents: Sequence[tuple[str, str]]) -> Iterator[list[str]]:
    """Cut documents, given with their topics, where no topic goes on: they stay in their order."""
    last = {topic: number for number, (topic, _) in enumerate(documents)}
    now: list[str] = []
    open_until = 0
    for number, (topic, name) in enumerate(documents):
        now.append(name)
        open_until = max(open_until, last[topic])
        if number == open_until:
            yield now
            now = []


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


def _parts(groups: Iterable[list[str]], sides: Mapping[str, Index]) -> Iterator[PartTask]:
    """Make the parts; what only responses have goes to the last."""
    known, every = sides[KEY].places, list(groups)
    surplus = {side: [name for name in index.places if name not in known] for side, index in sides.items()}
    # in one go, spans stand at characters as soon as a response has its documents in another order
    characters = any(list(index.places) != list(known) for index in sides.values())
    for number, names in enumerate(every):
        beside = surplus if number == len(every) - 1 else {}
        read = {
            name: [*(each for each in names if each in index.places), *beside.get(name, ())]
            for name, index in sides.items()
        }
        inputs = {name: sides[name].portion(found, characters=characters) for name, found in read.items()}
        documents = {} if sides[KEY].rows else {name: tuple(found) for name, found in read.items()}
        yield PartTask(number=number, key=inputs.pop(KEY), outputs=tuple(inputs.items()), documents=documents)

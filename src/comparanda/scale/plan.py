"""The plan of a comparison in parts: the documents of each part, and the portions of the inputs that it reads."""

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

from comparanda.align.maps import Missing, make_coverage_error
from comparanda.core.places import Portion, Stretch, Whole
from comparanda.errors import ReadError
from comparanda.formats.contract import KEY
from comparanda.formats.cuts import UncuttableError
from comparanda.formats.files import files_of, is_path, read_stamp, size_of
from comparanda.formats.inputs import Input
from comparanda.pipeline import Setup, check_count, columns_of, missing_of, refuse_systems, request_of
from comparanda.rules.rule_files import files_of_rules
from comparanda.scale.executors import LostError, index_workers
from comparanda.scale.index import Index, Opened, Placed, index_of, iterate_places, open_input
from comparanda.storage.manifest import digest
from comparanda.tasks.task import find_task
from comparanda.version import __version__

if TYPE_CHECKING:
    from comparanda.core.remote import AnyPath
    from comparanda.core.verdicts import System
    from comparanda.formats.cuts import Starts


# Descriptions of settings that identify a comparison, including the files that they name.


_OBJECT_SETTINGS = ("train", "rules")
"""The settings that may be objects of any type."""


def describe_settings(setup: Setup) -> dict[str, str]:
    """Describe the settings by strings that are equal only if the settings are."""
    given = {each.name: getattr(setup, each.name) for each in fields(setup) if each.name != "progress"}
    return {name: _describe_object(value) if name in _OBJECT_SETTINGS else repr(value) for name, value in given.items()}


def _describe_object(value: Any) -> str:
    """Describe an object by a digest, since the `repr` of data frames and arrays is abbreviated."""
    if value is None or is_path(value):
        return repr(value)
    try:
        return digest(pickle.dumps(value))
    except Exception:  # not picklable, so it cannot be recognised again
        return secrets.token_hex(16)


def list_setting_files(setup: Setup) -> tuple[tuple[str, Any], ...]:
    """List the files that settings name, with expanded patterns, and their stamps."""
    found: list[AnyPath] = []
    if is_path(setup.train):
        found += _expand_path(Input.parse(os.fspath(setup.train)).path)
    if is_path(setup.rules):
        found += files_of_rules(os.fspath(setup.rules))
    if setup.same_ids is not None:
        found.append(Path(setup.same_ids))
    return tuple((str(file), read_stamp(file)) for file in found if file.exists())


def _expand_path(path: str) -> list[AnyPath]:
    """Expand a path or URL to its files: one, those of a folder, or those that match a pattern."""
    try:
        return files_of(path, ())
    except ReadError:
        return []  # reported when it is read


# Cutting sides with the same documents in the same order while iterating over them.
#
# Large corpora are usually like this, and then no index is needed: an index of millions of documents would take more
# memory than the comparison.


WORTH = 256 << 20
"""The number of bytes from which indexing uses more processes: starting one takes as long as indexing 10 MB."""


@dataclass(frozen=True, slots=True)
class Step:
    """One part: the names of its documents, and the portion of each side."""

    names: tuple[str, ...]
    inputs: Mapping[str, Input]


def find_common_steps(sides: Mapping[str, Opened], size: int, processes: int = 1) -> list[Step] | None:
    """Cut sides into parts of a given size; None if documents differ between sides, or are not marked.

    Args:
        sides: the sides, the key first.
        size: the approximate number of bytes of a part, over all sides.
        processes: the maximum number of indexing processes; other processes are used only for large sides.

    """
    if any(each.rows or each.chosen.marks is None or each.chosen.rows is not None for each in sides.values()):
        return None
    every = list(sides.values())
    try:
        if processes > 1 and sum(each.size for each in every) >= WORTH:
            with index_workers(every, processes) as documents:
                return list(_cut_steps(sides, documents, size))
        return list(_cut_steps(sides, list(map(iterate_places, every)), size))
    except LostError:
        return find_common_steps(sides, size)
    except UncuttableError:
        return None  # the index will say what is wrong


def _cut_steps(sides: Mapping[str, Opened], documents: Sequence[Iterator[Placed]], size: int) -> Iterator[Step]:
    """Yield the parts one after the other; raise an error after the last if no documents are marked."""
    parts = {side: _PartBuilder(each) for side, each in sides.items()}
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
            yield Step(tuple(names), {side: part.take() for side, part in parts.items()})
            names, bytes_now = [], 0
    if names:
        yield Step(tuple(names), {side: part.take() for side, part in parts.items()})
    if not all(part.marked for part in parts.values()):
        raise UncuttableError("there are no document boundaries")


class _PartBuilder:
    """Collects the stretches of one side for the current part."""

    def __init__(self, side: Opened) -> None:
        self.marked = len(side.files) > 1
        self._given = side.given
        self._whole = Whole(tuple(name for name, _ in side.stamps), marked=True)
        self._first: Stretch | None = None
        self._stop = 0
        self._found: list[Stretch] = []

    def add(self, document: Placed) -> int:
        """Add a document; return its number of bytes."""
        new, first = document.stretch, self._first
        assert new.stop is not None
        if first is None or (first.file is not new.file or self._stop != new.start or first.head != new.head):
            self._close_stretch()
            self._first = new
        self._stop = new.stop
        self.marked |= document.marked
        return new.stop - new.start

    def take(self) -> Input:
        """Return the input restricted to the added documents, and start the next part."""
        self._close_stretch()
        found, self._found = tuple(self._found), []
        return replace(self._given, portion=Portion(found, self._whole))

    def _close_stretch(self) -> None:
        if self._first is not None:
            self._found.append(replace(self._first, stop=self._stop))
        self._first = None


_UNTIL_PREFIX = "until:"

_FOLDABLE_LAYERS = frozenset({"values", "spans"})
"""The layers whose sites can be folded: tags, labels and spans."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartTask:
    """One part: the portions that it reads, and the documents expected on each side.

    Args:
        number: its index among the parts, from 0.
        key: the key, with its portion.
        outputs: the same for each run, by name.
        documents: the names of the documents, by side; empty where rows are identified by ids.
        sentences: for a piece of a corpus without documents, the number of sentences on every side.

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
        files: all files of all inputs, and their stamps.
        mark: a digest of files, settings and parts that identifies the plan.
        fold: the seed for sampling examples if sites that all systems have right are folded; None if they are not.
        setting_files: the files that settings name, and their stamps.
        large: whether all sites of the key may take more memory than is available.

    """

    systems: tuple[System, ...]
    parts: tuple[PartTask, ...]
    files: tuple[tuple[str, Any], ...]
    mark: str
    fold: int | None = None
    setting_files: tuple[tuple[str, Any], ...] = ()
    large: bool = False

    @property
    def pieces(self) -> bool:
        """Whether parts are pieces of a corpus without documents."""
        return self.parts[0].sentences is not None


@dataclass(frozen=True, slots=True)
class CutOptions:
    """How to cut a corpus.

    Args:
        size: the approximate number of bytes of a part, over all sides.
        room: the number of bytes of the key up to which all its sites are retained; None for no limit.
        seed: the seed for sampling examples, if sites are folded.
        processes: the maximum number of indexing processes.

    """

    size: int
    room: int | None
    seed: int
    processes: int = 1


def plan_of(key: Any, systems: Mapping[str, Any], setup: Setup, cut: CutOptions) -> Plan:
    """Index all inputs and cut them into parts.

    Raises `UncuttableError` where inputs must be read as a whole.
    """
    refuse_systems(systems)
    columns, outputs = columns_of(systems)
    check_count(outputs, setup)
    found = {name: open_input(given, *request_of(name, setup)) for name, given in [(KEY, key), *outputs]}
    alike = find_common_steps(found, cut.size, cut.processes) if setup.across is None else None
    parts = _parts_from_steps(alike) if alike is not None else _parts_from_index(found, setup, cut.size)
    files = tuple(dict(each for side in found.values() for each in side.stamps).items())
    large = cut.room is not None and sum(map(size_of, found[KEY].files)) > cut.room
    fold = cut.seed if large and find_task(setup.task)[0].layer in _FOLDABLE_LAYERS else None
    setting_files = list_setting_files(setup)
    description = [
        __version__,
        *map(str, (describe_settings(setup), setting_files, columns, files, fold)),
        *_describe_parts(parts),
    ]
    return Plan(
        systems=tuple(columns),
        parts=parts,
        files=files,
        mark=digest(msgspec.json.encode(description)),
        fold=fold,
        setting_files=setting_files,
        large=large,
    )


def _describe_parts(parts: Sequence[PartTask]) -> Iterator[str]:
    """Describe what parts read: the common properties of each side once, then the stretches of each part."""
    for part in parts:
        for given in (part.key, *(output for _, output in part.outputs)):
            assert given.portion is not None
            if part.number == 0:
                yield f"{given} {given.portion.whole}"
            yield str(given.portion.stretches)


def _parts_from_steps(alike: Sequence[Step]) -> tuple[PartTask, ...]:
    """Build the parts of sides with the same documents in the same order."""
    parts = []
    for number, step in enumerate(alike):
        key, *outputs = step.inputs.items()
        parts.append(
            PartTask(
                number=number, key=key[1], outputs=tuple(outputs), documents=dict.fromkeys(step.inputs, step.names)
            )
        )
    return tuple(parts)


def _parts_from_index(found: Mapping[str, Opened], setup: Setup, size: int) -> tuple[PartTask, ...]:
    """Build the parts of sides that differ in their documents or the order of these, or that have none."""
    sides = {name: index_of(each, *request_of(name, setup)) for name, each in found.items()}
    gold, responses = sides[KEY], {name: each for name, each in sides.items() if name != KEY}
    if not gold.rows and not all(each.marked for each in sides.values()):
        return tuple(_cut_pieces(sides, setup, size))
    _check_names(gold, responses, missing_of(setup))
    return tuple(_build_parts(_fill_parts(_group_documents(gold, setup), sides, size), sides))


def _cut_pieces(sides: Mapping[str, Index], setup: Setup, size: int) -> Iterator[PartTask]:
    """Cut sides without documents before the same sentences on all sides."""
    starts: dict[str, Starts] = {}
    for name, index in sides.items():
        if index.marked:
            raise UncuttableError(f"{name} has document boundaries, and others do not")
        if index.sentences is None or find_task(setup.task)[0].layer == "chains":
            raise UncuttableError(f"{name} has no document boundaries")
        starts[name] = index.sentences()
    counts = {each.count for each in starts.values()}
    if len(counts) > 1:
        raise UncuttableError("there are no document boundaries, and not all sides have the same number of sentences")
    cuts = _choose_cuts(starts, size)
    for number, (first, following) in enumerate(pairwise([*cuts, counts.pop()])):
        inputs = {}
        for name, each in starts.items():
            place, end = first // each.step, following // each.step
            stop = int(each.start[end]) if first != cuts[-1] else None
            inputs[name] = sides[name].piece(
                int(each.start[place]) if first else 0, stop, int(each.lines[place]) if first else 0
            )
        key = inputs.pop(KEY)
        yield PartTask(number=number, key=key, outputs=tuple(inputs.items()), documents={}, sentences=following - first)


def _choose_cuts(starts: Mapping[str, Starts], size: int) -> list[int]:
    """Choose the first sentences of pieces of a given size, among those whose positions are known on all sides."""
    step = max(each.step for each in starts.values())
    places = np.sum([each.start[:: step // each.step] for each in starts.values()], axis=0).tolist()
    cuts, before = [0], places[0] if places else 0
    for number, place in enumerate(places):
        if place - before >= size:
            cuts.append(number * step)
            before = place
    return cuts


def _check_names(gold: Index, responses: Mapping[str, Index], missing: Missing) -> None:
    """Refuse what an undivided comparison would refuse, and what it would align without document names."""
    for index in responses.values():
        lacking = [name for name in gold.places if name not in index.places]
        surplus = [name for name in index.places if name not in gold.places]
        if len(lacking) == len(gold.places):
            raise UncuttableError(f"{index.files[0][0]} has none of the key's documents")
        unsure = missing == "error" or gold.anonymous or index.anonymous or len(lacking) == len(surplus)
        if unsure and (lacking or surplus) and not gold.rows:  # the texts may be the key's under other names
            raise UncuttableError(f"{index.files[0][0]} has other documents than the key")
        if missing == "error" and (lacking or surplus):
            if any(len(each) > 1 for side in (gold, index) for each in side.places.values()):
                raise UncuttableError("names occur twice")  # an undivided comparison reports this first
            raise make_coverage_error(
                gold.files[0][0], response=index.files[0][0], lacking=lacking, surplus=surplus, kind="id"
            )


def _group_documents(gold: Index, setup: Setup) -> list[list[str]]:
    """Group the documents, or rows, that must be in one part: those of one topic, or of one document."""
    if gold.groups:
        documents: dict[str, list[str]] = {}
        for name in gold.places:
            documents.setdefault(gold.groups.get(name, ""), []).append(name)
        return list(documents.values())
    across = setup.across
    if across is None:
        return [[name] for name in gold.places]
    if not across.startswith(_UNTIL_PREFIX):
        raise UncuttableError(f"chains may span documents by {across!r}")
    return list(_group_topics([(name.partition(across.removeprefix(_UNTIL_PREFIX))[0], name) for name in gold.places]))


def _group_topics(documents: Sequence[tuple[str, str]]) -> Iterator[list[str]]:
    """Group consecutive documents, given with their topics, so that no topic is split; the order is unchanged."""
    last = {topic: number for number, (topic, _) in enumerate(documents)}
    now: list[str] = []
    open_until = 0
    for number, (topic, name) in enumerate(documents):
        now.append(name)
        open_until = max(open_until, last[topic])
        if number == open_until:
            yield now
            now = []


def _fill_parts(groups: Sequence[list[str]], sides: Mapping[str, Index], size: int) -> Iterator[list[str]]:
    """Combine groups to parts of at least a given size in which some document is common to all sides.

    A remainder without a common document is added to the last part.
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


def _build_parts(groups: Iterable[list[str]], sides: Mapping[str, Index]) -> Iterator[PartTask]:
    """Build the parts; documents that only outputs have go to the last one."""
    known, every = sides[KEY].places, list(groups)
    surplus = {side: [name for name in index.places if name not in known] for side, index in sides.items()}
    # an undivided comparison uses character positions if any output has its documents in another order
    characters = any(list(index.places) != list(known) for index in sides.values())
    for number, names in enumerate(every):
        last_only = surplus if number == len(every) - 1 else {}
        read = {
            name: [*(each for each in names if each in index.places), *last_only.get(name, ())]
            for name, index in sides.items()
        }
        inputs = {name: sides[name].portion(found, characters=characters) for name, found in read.items()}
        documents = {} if sides[KEY].rows else {name: tuple(found) for name, found in read.items()}
        yield PartTask(number=number, key=inputs.pop(KEY), outputs=tuple(inputs.items()), documents=documents)

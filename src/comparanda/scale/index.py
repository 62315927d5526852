"""The index of an input: the position of each document, found without reading its contents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from comparanda.core.places import Portion, Stretch, Whole, file_stem, name_files
from comparanda.errors import InputError
from comparanda.formats.cuts import Mark, Starts, UncuttableError
from comparanda.formats.files import STDIN, display_name, is_packed, is_path, read_stamp, size_of
from comparanda.formats.inputs import Input, chosen_request, files_and_format, read_input

if TYPE_CHECKING:
    from comparanda.core.remote import AnyPath
    from comparanda.formats.contract import Format, Request, Shape


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Index:
    """The positions of the documents of an input, or of its rows if it has rows with ids.

    Args:
        given: the input, with its format.
        files: its files and their stamps when they were indexed.
        marked: whether document boundaries are marked.
        anonymous: whether there are marks of documents without a name.
        rows: whether the entries are rows with ids rather than documents.
        places: the stretches of each document by its name, in the order of the input.
        groups: the documents of rows, by id.
        sentences: finds the starts of sentences, if no documents are marked and the format supports it.
        unit: the number of bytes in one unit of a stretch: 1, or the size of a row in tables.

    """

    given: Input
    files: tuple[tuple[str, Any], ...]
    marked: bool
    anonymous: bool = False
    rows: bool = False
    places: dict[str, list[Stretch]] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    sentences: Callable[[], Starts] | None = None
    unit: int = 1

    def size(self, name: str) -> int:
        """Return the number of bytes of a document; 0 if it is missing."""
        return self.unit * sum((each.stop or 0) - each.start for each in self.places.get(name, ()))

    def portion(self, names: Sequence[str], *, characters: bool) -> Input:
        """Restrict the input to some of its documents, in the order of the input.

        Args:
            names: the names of the documents.
            characters: whether the positions of key spans are in characters in the whole corpus.

        """
        found = [each for name in names for each in self.places.get(name, ())]
        order = {name: number for number, (name, _) in enumerate(self.files)}
        found.sort(key=lambda each: (order[display_name(each.file)], each.start))
        return self._with_stretches(_join_stretches(found), characters=characters)

    def piece(self, start: int, stop: int | None, lines: int) -> Input:
        """Restrict the input to a range of bytes of its file, given the number of lines before it."""
        ((only,),) = self.places.values()
        return self._with_stretches([replace(only, start=start, stop=stop or only.stop, lines=lines)], characters=False)

    def _with_stretches(self, stretches: Iterable[Stretch], *, characters: bool) -> Input:
        whole = Whole(tuple(name for name, _ in self.files), self.marked, characters=characters)
        return replace(self.given, portion=Portion(tuple(stretches), whole))


def _join_stretches(stretches: list[Stretch]) -> Iterator[Stretch]:
    """Join adjacent stretches of a file that have the same head."""
    last: Stretch | None = None
    for each in stretches:
        if last is not None and (last.file, last.stop, last.head) == (each.file, each.start, each.head):
            last = replace(last, stop=each.stop)
            continue
        if last is not None:
            yield last
        last = each
    if last is not None:
        yield last


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """An input whose files and format are known.

    Args:
        given: the input, with its format.
        files: its files.
        stamps: the names and stamps of its files.
        chosen: its format.
        request: the request for the format.
        asked: the request before the format was known.
        shape: whether running tokens or rows with ids are wanted.

    """

    given: Input
    files: Sequence[AnyPath]
    stamps: tuple[tuple[str, Any], ...]
    chosen: Format
    request: Request
    asked: Request
    shape: Shape

    @property
    def rows(self) -> bool:
        """Whether it has rows with ids."""
        return self.shape == "rows"

    @property
    def size(self) -> int:
        """The total number of bytes of its files."""
        return sum(known[0] for _, known in self.stamps if known is not None)

    def refuse_changed(self) -> None:
        """Refuse files that changed since they were opened."""
        for file, (_, before) in zip(self.files, self.stamps, strict=True):
            if read_stamp(file) != before:
                raise UncuttableError(f"{display_name(file)} changed while it was being indexed")


def open_input(given: Any, request: Request, shape: Shape) -> Opened:
    """Find the files and the format of an input; raise `UncuttableError` if it has to be read as a whole."""
    found = given if isinstance(given, Input) else Input.parse(os.fspath(given)) if is_path(given) else None
    if found is None:
        raise UncuttableError(f"{request.side} is Python data")
    if found.path == STDIN:
        raise UncuttableError(f"{request.side} comes from standard input")
    files, chosen = files_and_format(found, request, shape)
    asked = chosen_request(chosen, found, request, shape)
    stamps = tuple((display_name(file), read_stamp(file)) for file in files)
    if unsized := next((name for name, known in stamps if known is not None and known[0] < 0), None):
        raise UncuttableError(f"the server does not report the size of {unsized}")
    if chosen.marks is not None and (packed := next(filter(is_packed, files), None)):
        raise UncuttableError(f"{display_name(packed)} is compressed")
    return Opened(
        given=replace(found, format=chosen.name),
        files=files,
        stamps=stamps,
        chosen=chosen,
        request=asked,
        asked=request,
        shape=shape,
    )


def index_of(found: Opened, request: Request, shape: Shape) -> Index:
    """Build the index of an input; raise `UncuttableError` if it has to be read as a whole."""
    if found.chosen.marks is None:
        return _index_by_file(Index(given=found.given, files=found.stamps, marked=True), found.files, request, shape)
    return _index_by_marks(found)


def _has_several(files: Sequence[AnyPath]) -> bool:
    return len(files) > 1


def _index_by_file(index: Index, files: Sequence[AnyPath], request: Request, shape: Shape) -> Index:
    """Index the document of each file by reading the files one after the other."""
    if not _has_several(files):
        raise UncuttableError(f"files of format {index.given.format!r} cannot be read in parts")
    names = tuple(name for name, _ in index.files)
    for group in _group_companions(files):
        whole = Portion(tuple(Stretch(file=each) for each in group), Whole(names, marked=True))
        try:
            corpus = read_input(replace(index.given, portion=whole), request, shape)
        except InputError as problem:
            raise UncuttableError(str(problem)) from None
        if len(corpus.documents) != 1:
            raise UncuttableError(f"{display_name(group[0])} contains several documents")
        _add_places(
            index, corpus.documents.names[0], [replace(each, stop=size_of(each.file)) for each in whole.stretches]
        )
    return index


def _group_companions(files: Sequence[AnyPath]) -> list[list[AnyPath]]:
    """Group files whose names differ only in their suffixes: a text and its annotations."""
    groups: dict[AnyPath, list[AnyPath]] = {}
    for file in files:
        groups.setdefault(file.with_name(file_stem(file.name)), []).append(file)
    return list(groups.values())


@dataclass(frozen=True, slots=True)
class Placed:
    """A document or row: its name, its position, if it is marked, for rows the document, and whether it has a name."""

    name: str
    stretch: Stretch
    marked: bool
    group: str
    named: bool = True


def iterate_places(found: Opened) -> Iterator[Placed]:
    """Iterate over the documents or rows of an input, as given by the format's marks."""
    assert found.chosen.marks is not None
    before, names = 0, name_files([name for name, _ in found.stamps])
    for file in found.files:
        end = size_of(file) if found.chosen.rows is None else found.chosen.rows(file)[0]
        marks = chain(found.chosen.marks(file, found.request), [None])
        last = next(marks)
        if last is not None:  # anything before the first document is read with it
            last = replace(last, start=0, lines=0, head=b"")
        for mark in marks:
            assert last is not None
            stop = end if mark is None else mark.start
            name = _document_name(last, file, before, names, rows=found.rows)
            yield Placed(
                name,
                Stretch(file=file, start=last.start, stop=stop, lines=last.lines, before=before, head=last.head),
                last.counted,
                last.group,
                bool(last.name) or not last.counted,
            )
            before, last = before + last.counted, mark
    found.refuse_changed()


def _index_by_marks(found: Opened) -> Index:
    index = Index(given=found.given, files=found.stamps, marked=_has_several(found.files), rows=found.rows)
    marked, anonymous = index.marked, False
    for each in iterate_places(found):
        marked |= each.marked
        anonymous |= not each.named
        if each.name in index.places and not found.rows:
            raise UncuttableError(f"the document {each.name!r} occurs twice")
        _add_places(index, each.name, [each.stretch])
        if each.group:
            index.groups[each.name] = each.group
    cut, rows = found.chosen.sentences, found.chosen.rows
    whole = cut is None or marked or index.rows
    sentences = None if cut is None or whole else partial(cut, found.files[0], found.request)
    unit = 1 if rows is None else max((rows(file)[1] for file in found.files), default=1)
    return replace(index, marked=marked, anonymous=anonymous, sentences=sentences, unit=max(unit, 1))


def _document_name(mark: Mark, file: AnyPath, before: int, names: Mapping[str, str], *, rows: bool) -> str:
    if mark.name:
        return mark.name
    if mark.counted:
        return str(before + 1) if rows else f"document {before + 1}"
    return names[display_name(file)]


def _add_places(index: Index, name: str, stretches: list[Stretch]) -> None:
    index.places.setdefault(name, []).extend(stretches)


# Indexing in several processes, all sides in step.
#
# Evaluation cannot start before the documents are indexed, which takes a fifth of the time of a large comparison.


BATCH = 1_000
"""The number of documents of a side sent at a time."""

Row = tuple[str, str, int, int | None, int, int, bytes, bool, str]
"""A document: its name, that of its file, its position and head, whether it is marked, and its group."""

Batch = tuple[int, list[Row]]
"""The number of a side, and some of its documents; none if there are no more."""


@dataclass(frozen=True, slots=True)
class IndexTask:
    """The task of one indexing process: some sides, with their requests."""

    sides: tuple[tuple[Input, Request, Shape], ...]

    @classmethod
    def at(cls, sides: list[Opened]) -> IndexTask:
        """Build the task for inputs that are already open."""
        return cls(tuple((each.given, each.asked, each.shape) for each in sides))

    def batches(self) -> Iterator[Batch]:
        """Iterate over batches of documents, alternating between the sides."""
        turns = {number: _document_rows(open_input(*side)) for number, side in enumerate(self.sides)}
        while turns:
            for number, rows in list(turns.items()):
                batch = list(islice(rows, BATCH))
                yield number, batch
                if not batch:
                    del turns[number]


def _document_rows(side: Opened) -> Iterator[Row]:
    called = {id(file): name for file, (name, _) in zip(side.files, side.stamps, strict=True)}
    for each in iterate_places(side):
        found = each.stretch
        yield (
            each.name,
            called[id(found.file)],
            found.start,
            found.stop,
            found.lines,
            found.before,
            found.head,
            each.marked,
            each.group,
        )


def placed_again(side: Opened, rows: Iterable[Row]) -> Iterator[Placed]:
    """Rebuild the documents received from another process, with the files of this process."""
    files = {name: file for file, (name, _) in zip(side.files, side.stamps, strict=True)}
    for name, file, start, stop, lines, before, head, marked, group in rows:
        if file not in files:
            raise UncuttableError(f"{file} was not there before")
        yield Placed(
            name,
            Stretch(file=files[file], start=start, stop=stop, lines=lines, before=before, head=head),
            marked,
            group,
        )

"""Combinations written to files, which are read again before they get their names."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import PlacedSpans
from comparanda.columns import TextColumn
from comparanda.convert import converted
from comparanda.ensemble.sameness import first_difference
from comparanda.errors import InputError, UsageError, WriteError
from comparanda.judge.task import find_task
from comparanda.read.files import STDIN
from comparanda.read.inputs import Input
from comparanda.read.spans import ALSO
from comparanda.road import read_key
from comparanda.vote.overlaps import strongest
from comparanda.write.chunks import ChunkScheme, chunk_tags
from comparanda.write.passages import ONE_SPACE, Losses, passages
from comparanda.write.rows import WRITE, written_rows
from comparanda.write.writer import find_writer, writers

if TYPE_CHECKING:
    from comparanda.columns import Truths
    from comparanda.corpus import Corpus, Spans
    from comparanda.places import Note
    from comparanda.road import Setup


def write_corpus(corpus: Corpus, target: str | PathLike[str], setup: Setup) -> tuple[Note, ...]:
    """Write a combination to a file, or to a folder where the format has a file for each document.

    The format is that of the key, unless another one stands behind `::`. What was written is read again, and compared
    with the combination, before it gets its name: so what is there scores as announced. Returns what is not carried.

    Spans go through the format's own writer, chunk tags being BIO in the second column; where a column or options of
    the format were chosen, the file is laid out as the key's instead, and these hold for it too.

    Args:
        corpus: the combination.
        target: where to; `path::format?option=value`.
        setup: how the inputs of the combination were read.

    """
    place = Input.parse(fspath(target))
    if place.path == STDIN:
        raise UsageError("a combination is read again once it is written, so it needs a file", hint="name one")
    path = Path(os.path.realpath(place.path))
    if path.is_dir():
        raise WriteError("there is a folder of this name", where=place.path)
    draft = _drafted(corpus, place, setup)
    try:
        with tempfile.TemporaryDirectory(prefix=f".{path.name[:64]}-", dir=path.parent) as folder:
            draft.store(Path(folder) / path.name)
            draft.check(corpus, Path(folder) / path.name)
            os.replace(Path(folder) / path.name, path)
    except OSError as problem:
        raise WriteError(f"cannot be written: {problem.strerror or problem}", where=place.path) from None
    return draft.losses


@dataclass(frozen=True, eq=False, slots=True)
class _Draft:
    """What is to be written.

    Args:
        files: the texts of its files by name; that of a single file is "".
        losses: what is not carried.
        again: how to read it, whatever its path.
        setup: how it is to be understood.
        many: whether the files are those of a folder.

    """

    files: Mapping[str, str]
    losses: tuple[Note, ...]
    again: Input
    setup: Setup
    many: bool = False

    def store(self, path: Path) -> None:
        """Write one file, or the files of a folder."""
        for name, text in self.files.items():
            file = path / name if self.many else path
            file.parent.mkdir(parents=True, exist_ok=True)
            with open(file, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)

    def check(self, corpus: Corpus, path: Path) -> None:
        """Refuse what would not be the same combination when it is read again."""
        given, setup = replace(self.again, path=str(path)), replace(self.setup, progress=None)
        try:
            found = first_difference(corpus, read_key(given, setup))
        except (InputError, UsageError) as problem:
            what = f"what is written could not be read again: {problem.what}"
            raise WriteError(what, details=problem.details) from None
        if found is not None:
            raise WriteError(
                f"the format {given.format!r} cannot hold this combination: {found} when read again",
                hint="another format may: FILE::jsonl, for example",
            )


def _drafted(corpus: Corpus, place: Input, setup: Setup) -> _Draft:
    """Make the files of a combination."""
    name = place.format or corpus.format
    own = name == corpus.format
    if corpus.spans is None:
        if not own:
            what = f"tags, trees and rows are written in the format of the key, which is {corpus.format!r}"
            raise UsageError(what, hint=f"leave ::{name} out")
        return _rows_drafted(corpus, setup)
    if own and name in WRITE and (setup.column or corpus.options):
        return _rows_drafted(_with_tags(corpus, setup), setup)
    if name not in writers():
        raise _unwritable(name, writers())
    writer = find_writer(name)
    with _overlaps_explained(corpus):
        written = converted(corpus, writer, place.options)
    losses = tuple(note for note in written.losses if not own or ONE_SPACE not in note.what)
    return _Draft(written.files, losses, Input("", format=name), setup, writer.many)


def _rows_drafted(corpus: Corpus, setup: Setup) -> _Draft:
    """Make a file that is laid out as the key's, so that the options by which that is read hold for it as well."""
    if corpus.format not in WRITE:
        raise _unwritable(corpus.format, WRITE)
    written = written_rows(corpus, column=setup.column or find_task(setup.task)[1])
    return _Draft(written.files, written.losses, Input("", format=corpus.format, options=corpus.options), setup)


def _with_tags(corpus: Corpus, setup: Setup) -> Corpus:
    """Write the spans of a corpus as chunk tags in its judged column."""
    asked = corpus.options.get("scheme", setup.scheme or "").lower()
    scheme: ChunkScheme = "bioes" if ALSO.get(asked, asked) == "bioes" else "bio"
    with _overlaps_explained(corpus):
        tags = [tag for each in passages(corpus, Losses()) for tag in chunk_tags(each, scheme=scheme)]
    inside = np.array([tag.startswith(("I-", "E-")) for tag in (*tags, "O")], np.bool_)
    return replace(_joined(corpus, inside), spans=None, columns={"value": TextColumn.of(tags)})


def _joined(corpus: Corpus, inside: Truths) -> Corpus:
    """Join sentences whose end a span goes over: tags cannot, as readers cut spans there."""
    if not inside[corpus.sentences].any():
        return corpus
    sentences = corpus.sentences[~inside[corpus.sentences]]
    documents = replace(corpus.documents, offsets=np.searchsorted(sentences, corpus.row_documents))
    return replace(corpus, sentences=sentences, documents=documents)


@contextmanager
def _overlaps_explained(corpus: Corpus) -> Iterator[None]:
    """Say what can be done where a format cannot hold spans that overlap."""
    try:
        yield
    except WriteError as problem:
        if corpus.spans is None or not _overlap(corpus.spans):
            raise
        hint = f"{problem.hint or ''}\n  of combined spans that overlap, --overlap best keeps the strongest alone"
        raise WriteError(problem.what, where=problem.where, details=problem.details, hint=hint.strip()) from None


def _overlap(spans: Spans) -> bool:
    placed = PlacedSpans(spans.document, spans.begin, spans.end, spans.label, np.arange(len(spans)), spans.fragments)
    return len(strongest(placed, np.zeros(len(spans), np.int64))) < len(spans)


def _unwritable(name: str, known: Mapping[str, object]) -> UsageError:
    what = f"a combination cannot be written as {name!r}"
    return UsageError(what, hint=f"say which format: FILE::FORMAT ({', '.join(sorted(known))})")

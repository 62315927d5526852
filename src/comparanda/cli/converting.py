"""What `convert` does: read one input, write it in another format, say what was lost."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comparanda.align.quotes import placed_alone
from comparanda.cli.output import OutputError, print_notes, tell, write
from comparanda.convert import converted
from comparanda.errors import ReadError, UsageError
from comparanda.read.files import STDIN
from comparanda.read.inputs import Input, read_input
from comparanda.read.request import Request
from comparanda.write.writer import Writer, find_writer, writers

if TYPE_CHECKING:
    from comparanda.places import Note
    from comparanda.write.writer import Written


def convert(options: Mapping[str, Any]) -> None:
    """Read an input and write it; losses are notes, and refused if that is asked for."""
    given, target = Input.parse(options["source"]), Input.parse(options["target"])
    writer = _writer(target, options["to"])
    _spare(given, target)
    chunks = {name: options[name] for name in ("scheme", "repair") if options[name] is not None}
    request = Request(given.display_name, options["column"], (), chunks, options["max_line"], "spans")
    corpus = placed_alone(read_input(given, request, "tokens"))
    made = converted(corpus, writer, target.options)
    _tell(corpus.notes, made.losses, options)
    _store(made, target.path, writer)
    if target.path != STDIN and not options["quiet"]:
        spans, documents = len(corpus.spans or ()), len(corpus.documents)
        counted = f"{spans:,} span{'s'[: spans != 1]} in {documents:,} document{'s'[: documents != 1]}"
        tell(f"wrote {target.path}: {counted}, from {corpus.format} to {writer.name}")


def _writer(target: Input, to: str | None) -> Writer:
    """Return the writer that is asked for, or the only one whose files end as the target does."""
    named = to or target.format
    if to and target.format and to != target.format:
        raise UsageError(f"--to {to} and ::{target.format} exclude each other")
    if named:
        return find_writer(named)
    fitting = [each for each in writers().values() if target.path.endswith(each.suffix) and not each.many]
    plain = [each for each in fitting if each.suffix == f".{each.name}"]  # .jsonl is ours, whoever else writes such
    if len(plain or fitting) == 1:
        return (plain or fitting)[0]
    names = ", ".join(each.name for each in fitting or writers().values())
    raise UsageError(f"which format is {target.path!r} to have?", hint=f"say --to FORMAT: {names}")


def _spare(given: Input, target: Input) -> None:
    if target.path != STDIN and os.path.realpath(given.path) == os.path.realpath(target.path):
        raise UsageError(f"the output would be written over the input: {target.path!r}", hint="choose another file")


def _tell(notes: tuple[Note, ...], losses: tuple[Note, ...], options: Mapping[str, Any]) -> None:
    said = [*notes, *(replace(loss, side="output") for loss in losses)]
    if options["strict"] and said:
        raise ReadError("there is something to note, and --strict refuses that", details=map(str, said))
    print_notes(said, options)


def _store(made: Written, target: str, writer: Writer) -> None:
    """Write one file, or the files of a folder."""
    if not writer.many:
        ((_, text),) = made.files.items()
        write(target, text)
        return
    if target == STDIN:
        raise UsageError(f"format {writer.name!r} has a file for each document", hint="name a folder for them")
    folder = Path(target)
    if folder.is_dir() and any(folder.iterdir()):
        raise OutputError("the folder is not empty", where=target)
    for name, text in made.files.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise OutputError(f"cannot be written: {problem.strerror or problem}", where=target) from None
        write(str(path), text)

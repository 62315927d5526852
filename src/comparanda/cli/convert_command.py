"""The command `convert`: read one input, write it in another format, report what was lost."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comparanda.align.quotes import place_in_own_texts
from comparanda.cli.output import OutputError, print_message, print_notes, write
from comparanda.core.limits import Limits
from comparanda.core.text_columns import TextColumn
from comparanda.errors import ReadError, UsageError
from comparanda.formats.contract import Layer, Request
from comparanda.formats.conversion import convert_corpus
from comparanda.formats.document_writer import CHAIN, TAGS, Writer, find_writer, find_writers
from comparanda.formats.files import STDIN, load
from comparanda.formats.head import head_of
from comparanda.formats.inputs import Input, find_formats, read_input

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.core.places import Note
    from comparanda.formats.document_writer import Written


_TAG_OPTIONS = ("column", "scheme", "repair")


def convert(options: Mapping[str, Any]) -> None:
    """Read an input and write it in another format; losses are notes, and errors under `--strict`."""
    given, target = Input.parse(options["source"]), Input.parse(options["target"])
    layer = _choose_layer(given, target, options)
    writer = _choose_writer(target, options["to"], layer)
    _refuse_overwrite(given, target)
    corpus = place_in_own_texts(read_input(given, _build_request(given, layer, options), "tokens"))
    made = convert_corpus(corpus, writer, target.options, chained=layer == "chains")
    _report_notes(corpus.notes, made.losses, options)
    _write_output(made, target.path, writer)
    if target.path != STDIN and not options["quiet"]:
        counted = f"{_count_content(corpus, layer)} in {_format_count(len(corpus.documents), 'document')}"
        print_message(f"wrote {target.path}: {counted}, from {corpus.format} to {writer.name}")


def _build_request(given: Input, layer: Layer, options: Mapping[str, Any]) -> Request:
    """Build the request for the input: spans with the options of chunk tags, or chains with the tag columns."""
    chosen = {name: options[name] for name in _TAG_OPTIONS if options[name] is not None}
    limits = Limits.of(options["limits"])
    if layer == "chains":
        for name in chosen:
            what = f"--{name} applies to spans, and chains of mentions are converted"
            raise UsageError(what, hint="omit it, or add --task span")
        return Request(
            side=given.display_name,
            value=None,
            extra=TAGS,
            options={},
            max_line=options["max_line"],
            layer=layer,
            limits=limits,
        )
    column = chosen.pop("column", None)
    return Request(
        side=given.display_name,
        value=column,
        extra=(),
        options=chosen,
        max_line=options["max_line"],
        layer=layer,
        limits=limits,
    )


def _count_content(corpus: Corpus, layer: Layer) -> str:
    """Count spans, or mentions and chains, for the closing message."""
    spans = corpus.spans
    assert spans is not None
    if layer != "chains":
        return _format_count(len(spans), "span")
    chain = spans.columns.get(CHAIN)
    names = chain.values() if isinstance(chain, TextColumn) else [None] * len(spans)
    places = zip(spans.document.tolist(), names, range(len(spans)), strict=True)
    chains = {(document, number if name is None else name) for document, name, number in places}
    return f"{_format_count(len(spans), 'mention')} in {_format_count(len(chains), 'chain')}"


def _format_count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s'[: count != 1]}"


def _choose_layer(given: Input, target: Input, options: Mapping[str, Any]) -> Layer:
    """Choose what to convert: that of `--task`, chains if the output or input format holds nothing else, or spans."""
    if options["task"]:
        return "chains" if options["task"] == "coref" else "spans"
    named = options["to"] or target.format
    possible = [find_writer(named)] if named else _writers_by_suffix(target)
    alone = bool(possible) and all("spans" not in each.layers for each in possible)
    return "chains" if alone or _holds_only_chains(given) else "spans"


def _holds_only_chains(given: Input) -> bool:
    """Return whether the named or detected format of the input holds only chains.

    Detection loads the input, which is then loaded again for reading, so input from a pipe is not examined.
    """
    alone = {name: each for name, each in find_formats().items() if each.layers == {"chains"}}
    if given.format:
        return given.format in alone
    path = Path(given.path)
    if given.path == STDIN or (path.exists() and not path.is_file() and not path.is_dir()):
        return False
    try:
        source = load(given.path, side="", suffixes=[suffix for each in alone.values() for suffix in each.suffixes])
    except ReadError:  # reported when the input is read
        return False
    lines = head_of(source)
    return any(each.sniff(lines) for each in alone.values())


def _choose_writer(target: Input, to: str | None, layer: Layer) -> Writer:
    """Return the requested writer, or the only one with the suffix of the target."""
    named = to or target.format
    if to and target.format and to != target.format:
        raise UsageError(f"--to {to} and ::{target.format} cannot be combined")
    writer = find_writer(named) if named else _find_writer_by_suffix(target, layer)
    if layer == "spans" and layer not in writer.layers:
        raise UsageError(f"format {writer.name!r} has chains of mentions, not spans", hint="add --task coref")
    return writer


def _find_writer_by_suffix(target: Input, layer: Layer) -> Writer:
    """Return the only writer with the suffix of the target, among those that support the layer."""
    ending = _writers_by_suffix(target)
    fitting = [each for each in ending if layer in each.layers] or ending
    plain = [
        each for each in fitting if each.suffix == f".{each.name}"
    ]  # prefer our own .jsonl to other formats with this suffix
    if len(plain or fitting) == 1:
        return (plain or fitting)[0]
    names = ", ".join(each.name for each in fitting or find_writers().values())
    raise UsageError(
        f"missing option --to: the name of {target.path!r} determines no format", hint=f"add --to FORMAT: {names}"
    )


def _writers_by_suffix(target: Input) -> list[Writer]:
    return [each for each in find_writers().values() if target.path.endswith(each.suffix) and not each.many]


def _refuse_overwrite(given: Input, target: Input) -> None:
    if target.path != STDIN and os.path.realpath(given.path) == os.path.realpath(target.path):
        raise UsageError(f"the output would be written over the input: {target.path!r}", hint="choose another file")


def _report_notes(notes: tuple[Note, ...], losses: tuple[Note, ...], options: Mapping[str, Any]) -> None:
    noted = [*notes, *(replace(loss, side="output") for loss in losses)]
    if options["strict"] and noted:
        raise ReadError("the input produced warnings (--strict)", details=map(str, noted))
    print_notes(noted, options)


def _write_output(made: Written, target: str, writer: Writer) -> None:
    """Write one file, or the files of a folder."""
    if not writer.many:
        ((_, text),) = made.files.items()
        write(target, text)
        return
    if target == STDIN:
        raise UsageError(f"format {writer.name!r} writes a file for each document", hint="give a folder")
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

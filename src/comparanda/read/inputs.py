"""Inputs as users write them: `name=path::format?option=value`, and the formats they can name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from comparanda.errors import ReadError, UsageError, nearest
from comparanda.read.files import STDIN, load, matching
from comparanda.read.marks import stem
from comparanda.read.request import Format, Request, Shape

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.places import Source

_NAMED = re.compile(r"(?P<name>[^=/\\]+)=(?P<rest>.+)", re.DOTALL)
_HEAD_LINES = 40
_HEAD_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Input:
    """One input: what to call it, where it is, and what it is.

    >>> Input.parse("crf=out/crf.txt::columns?column=3")
    Input(path='out/crf.txt', name='crf', format='columns', options={'column': '3'})

    """

    path: str
    name: str | None = None
    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, written: str) -> Input:
        """Read the notation `name=path::format?option=value&option=value`; only the path must be there."""
        path, _, tail = written.partition("::")
        name = None
        named = _NAMED.fullmatch(path)
        if named and not Path(path).exists():
            name, path = named["name"].strip(), named["rest"]
        kind, _, query = tail.partition("?")
        options: dict[str, str] = {}
        for pair in filter(None, query.split("&")):
            option, equals, value = pair.partition("=")
            if not equals:
                raise UsageError(f"the option {pair!r} of {path!r} has no value", hint="write ?option=value")
            if option in options:
                raise UsageError(f"the option {option!r} of {path!r} is given twice")
            options[option] = unquote(value)
        if not path:
            raise UsageError(f"the input {written!r} names no file")
        return cls(path, name, kind or None, options)

    @property
    def display_name(self) -> str:
        """The name given, or the file's name without its suffixes."""
        return self.name or ("stdin" if self.path == "-" else stem(self.path.rstrip("/")))


@cache
def formats() -> dict[str, Format]:
    """Return all formats by name; they register by the entry point group `comparanda.formats`."""
    found = {entry.name: entry.load() for entry in entry_points(group="comparanda.formats")}
    return dict(sorted(found.items()))


def read_input(given: Input, request: Request, shape: Shape) -> Corpus:
    """Read an input: find its files, tell its format, read its columns."""
    fitting = {name: each for name, each in formats().items() if shape in each.shapes and request.layer in each.layers}
    what = "trees" if request.layer == "arcs" else shape
    named = _named_format(given.format, fitting, what) if given.format else None
    suffixes = named.suffixes if named else _common_suffixes(given.path, fitting)
    source = load(given.path, side=request.side, suffixes=suffixes)
    chosen = named or _sniffed(source, fitting, what)
    chosen.check_options(given.options)
    corpus = chosen.read(source, replace(request, options=given.options))
    if corpus.by_id != (shape == "rows"):
        found = "rows with an id and a label" if corpus.by_id else "sentences of tokens"
        raise ReadError(f"the file holds {found}, but the task wants {shape}", where=source.parts[0].name)
    return corpus


def _common_suffixes(path: str, fitting: Mapping[str, Format]) -> tuple[str, ...]:
    """Return the suffixes by which files of a folder are chosen; refuse a folder of several formats."""
    every = tuple(sorted({suffix for each in fitting.values() for suffix in each.suffixes}))
    folder = Path(path)
    if path == STDIN or not folder.is_dir():
        return every
    found = {each.name: matching(folder, each.suffixes) for each in fitting.values()}
    found = {name: files for name, files in found.items() if files}
    if any(files != next(iter(found.values())) for files in found.values()):
        raise ReadError(
            "the folder has files of several formats",
            where=path,
            details=[f"{name}: {len(files)}, the first is {files[0].name}" for name, files in found.items()],
            hint=f"say which: {path}::{next(iter(found))}",
        )
    return every


def _named_format(name: str, fitting: Mapping[str, Format], what: str) -> Format:
    if name in fitting:
        return fitting[name]
    if name in formats():
        raise UsageError(f"format {name!r} has no {what}", hint=f"formats that have: {', '.join(fitting)}")
    raise UsageError(f"no format is called {name!r}{nearest(name, fitting)}", hint=f"formats: {', '.join(fitting)}")


def head_of(source: Source) -> list[str]:
    """Return the first whole lines of a source, for telling its format."""
    data = bytes(source.data[: min(source.size, _HEAD_BYTES)])
    lines = data.decode("utf-8", errors="ignore").split("\n")
    return lines[:-1][:_HEAD_LINES] if len(lines) > 1 else lines


def _sniffed(source: Source, fitting: Mapping[str, Format], what: str) -> Format:
    """Return the only format that the first lines fit; refuse to guess between several."""
    lines = head_of(source)
    candidates = [each for each in fitting.values() if each.sniff(lines)]
    if len(candidates) == 1:
        return candidates[0]
    name = source.parts[0].name
    by_suffix = [each for each in fitting.values() if name.removesuffix(".gz").endswith(each.suffixes)]
    if not candidates and len(by_suffix) == 1:  # its reader knows best what is wrong
        return by_suffix[0]
    if candidates:
        names = " or ".join(each.name for each in candidates)
        raise ReadError(
            f"the file could be {names}",
            where=name,
            hint=f"say which: {name}::{candidates[0].name}",
        )
    raise ReadError(
        f"the file fits no format with {what}",
        where=f"{name}:1",
        details=[f"it begins: {next((line for line in lines if line.strip()), '')[:60]!r}"],
        hint=f"name the format: {name}::FORMAT ({', '.join(fitting)}; see 'comparanda formats')",
    )

"""Inputs: the notation `name=path::format?option=value`, format detection, and systems with several runs."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from os import fspath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from comparanda.core.places import Stretch, file_stem
from comparanda.core.registry import Entry, find_registered
from comparanda.core.remote import AnyPath, is_web, path_of
from comparanda.errors import ReadError, UsageError, suggest_nearest
from comparanda.formats.contract import (
    BELIEF_OPTIONS,
    CHUNK_OPTIONS,
    WORDS,
    Format,
    Request,
    Shape,
    check_sizes,
    declared_words,
)
from comparanda.formats.files import (
    STDIN,
    files_of,
    find_companions,
    is_path,
    list_matching,
    load,
    load_files,
    load_head,
    size_of,
)
from comparanda.formats.head import has_head, head_of, head_sizes
from comparanda.formats.suffixes import FAMILIES, SUFFIXES, Family

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.core.places import Portion, Source


_NAMED_INPUT = re.compile(r"(?P<name>[^=/\\]+)=(?P<rest>.+)", re.DOTALL)
_WITH_OPTIONS = re.compile(r"(?P<path>.+)\?(?P<options>[a-z]+=[^/\\]*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One input: its name, path, format and options, and optionally a portion of it.

    >>> Input.parse("crf=out/crf.txt::columns?column=3")
    Input(path='out/crf.txt', name='crf', format='columns', options={'column': '3'})

    """

    path: str
    name: str | None = None
    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    portion: Portion | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, written: str) -> Input:
        """Parse the notation `name=path::format?option=value&option=value`; only the path is required.

        Without a format, options may follow the path: `path?option=value`, unless that is the name of a file, or a web
        URL with a query; options of a web URL are given after `::`.
        """
        name, path, tail = taken_apart(written)
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
            raise UsageError(f"the input {written!r} has no file name")
        return cls(path=path, name=name, format=kind or None, options=options)

    @property
    def display_name(self) -> str:
        """The given name, or the file name without its suffixes."""
        return self.name or ("stdin" if self.path == "-" else file_stem(self.path.rstrip("/")))

    def same_as(self, other: Input) -> bool:
        """Return whether another input is the same column of the same file."""
        if self.options != other.options or (self.format and other.format and self.format != other.format):
            return False
        if self.path == other.path:
            return self.path != STDIN
        try:
            return os.path.samefile(self.path, other.path)
        except (OSError, ValueError):
            return False


def taken_apart(written: str) -> tuple[str | None, str, str]:
    """Split the notation of an input into name, path, and the rest: format and options after a question mark."""
    path, _, tail = written.partition("::")
    if "://" in tail.partition("?")[0]:
        what = f"{path}::{tail} is a nested URL, which is not supported"
        raise UsageError(what, hint="unpack it; '::' is followed by a format")
    named, optional = _NAMED_INPUT.fullmatch(path), _WITH_OPTIONS.fullmatch(path)
    web = is_web(named["rest"] if named else path)
    if optional and not web and not tail and not os.path.exists(path):
        path, tail = optional["path"], f"?{optional['options']}"
        named = _NAMED_INPUT.fullmatch(path)
    if named and not os.path.exists(path):
        return named["name"].strip(), named["rest"], tail
    return None, path, tail


def _registered_formats() -> Mapping[str, Entry]:
    return find_registered("comparanda.formats")


@cache
def _load_format(name: str) -> Format:
    found: Format = _registered_formats()[name].load()
    return found


def find_formats() -> dict[str, Format]:
    """Load all formats by name; they are registered in the entry point group `comparanda.formats`."""
    return {name: _load_format(name) for name in _registered_formats()}


def _likely_formats(path: str) -> list[str]:
    """Return the formats that match the suffix of a file; all for a folder, a pattern or an unknown suffix.

    Formats that are not in the table of suffixes are always included.
    """
    plain = path.removesuffix(".gz")
    ours = [name for name in _registered_formats() if plain.endswith(SUFFIXES.get(name, ()))]
    if not ours or path_of(path).is_dir():
        return list(_registered_formats())
    return [name for name in _registered_formats() if name in ours or name not in SUFFIXES]


def read_input(given: Input, request: Request, shape: Shape) -> Corpus:
    """Read an input: find its files, detect its format, read its columns.

    The options of the request apply to every input whose format has them; options of the input take precedence.
    """
    possible = _Candidates.of(given, request, shape)
    if given.portion is None:
        source = load(
            given.path,
            side=request.side,
            suffixes=possible.suffixes,
            companions=_companion_suffixes(possible.formats.values()),
            binary=possible.binary,
            unread=possible.unread,
        )
    else:
        source = load_files(
            given.portion.stretches,
            side=request.side,
            binary=possible.binary,
            unread=possible.unread,
            whole=given.portion.whole,
        )
    chosen = possible.chosen(source)
    asked = chosen_request(chosen, given, request, shape)
    corpus = chosen.read(source, asked)
    corpus = replace(corpus, asked=request.value, options=asked.options)
    if corpus.by_id != (shape == "rows"):
        found = "rows with an id and a label" if corpus.by_id else "sentences of tokens"
        raise ReadError(f"the file contains {found}, but the task requires {shape}", where=source.parts[0].name)
    if asked.layer == "spans" and corpus.spans is None:
        from comparanda.formats.chunks import with_spans

        corpus = with_spans(corpus, replace(request, options=asked.options))
    check_sizes(corpus, request.limits)
    if not asked.scores:
        return corpus
    from comparanda.formats.scored_spans import with_beliefs

    return with_beliefs(corpus, asked.options, declared_words(asked.options, chosen.options))


def files_and_format(given: Input, request: Request, shape: Shape) -> tuple[list[AnyPath], Format]:
    """Find the files of an input and detect its format, reading only the first lines."""
    possible = _Candidates.of(given, request, shape)
    files = files_of(given.path, possible.suffixes, _companion_suffixes(possible.formats.values()))
    size = size_of(files[0])
    for stop in head_sizes(size):
        head = Stretch(file=files[0], start=0, stop=min(size or stop, stop))
        source = load_head(head, side=request.side, binary=possible.binary, unread=possible.unread)
        if source.parts[0].stretch is None or has_head(source):
            break
    return files, possible.chosen(source)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidates:
    """The possible formats of an input: the one that it names, or those that match its file name and the task.

    Args:
        formats: the formats by name.
        named: whether the input names its format.
        suffixes: the suffixes of the files to read in a folder.
        what: the content of the formats, for messages.
        every: loads all formats for the task, for files that match no likely format.

    """

    formats: Mapping[str, Format]
    named: bool
    suffixes: tuple[str, ...]
    what: str
    every: Callable[[], Mapping[str, Format]] = dict

    @classmethod
    def of(cls, given: Input, request: Request, shape: Shape) -> _Candidates:
        what = {"values": shape, "arcs": "trees", "beliefs": "spans"}.get(request.layer, request.layer)

        def fitting(names: Iterable[str]) -> dict[str, Format]:
            loaded = {name: _load_format(name) for name in names}
            return {name: each for name, each in loaded.items() if shape in each.shapes and each.carries(request.layer)}

        if given.format:
            known = fitting([given.format] if given.format in _registered_formats() else ())
            named = _named_format(given.format, known or fitting(_registered_formats()), what)
            return cls(formats={named.name: named}, named=True, suffixes=named.suffixes, what=what)
        known = fitting(_likely_formats(given.path))
        suffixes = _common_suffixes(given.path, known)
        return cls(
            formats=known, named=False, suffixes=suffixes, what=what, every=lambda: fitting(_registered_formats())
        )

    @property
    def binary(self) -> tuple[str, ...]:
        return tuple(suffix for each in self.formats.values() for suffix in each.binary)

    @property
    def unread(self) -> tuple[str, ...]:
        opening = [each for each in self.formats.values() if each.opens]
        return ("",) if self.named and opening else tuple(suffix for each in opening for suffix in each.suffixes)

    def chosen(self, source: Source) -> Format:
        if self.named:
            return next(iter(self.formats.values()))
        return _sure_format(source, self.formats) or _sniff_format(source, self.every(), self.what)


def chosen_request(chosen: Format, given: Input, request: Request, shape: Shape) -> Request:
    """Build the request for a format: the options that it has; those of the input take precedence."""
    beliefs = request.layer == "beliefs"
    known = {*chosen.options, *(BELIEF_OPTIONS if beliefs else ())}
    words = beliefs and {**request.options, **given.options}.get("scale") == WORDS
    own = {option: value for option, value in given.options.items() if option in known or not words}
    chosen.check_options(own, request.layer)
    common = {
        option: value
        for option, value in request.options.items()
        if option in known or (words and option not in CHUNK_OPTIONS)
    }
    place = path_of(given.path)
    folder = str(place) if place.is_dir() else None
    asked = replace(request, options={**common, **given.options}, folder=folder, shape=shape)
    return asked if request.layer in chosen.layers or not beliefs else asked.for_spans()


def _companion_suffixes(some: Iterable[Format]) -> dict[str, tuple[str, ...]]:
    """Map the suffixes of formats to the suffixes of their companion files."""
    return {suffix: each.companions for each in some for suffix in each.suffixes if each.companions}


def _common_suffixes(path: str, fitting: Mapping[str, Format]) -> tuple[str, ...]:
    """Return the suffixes of the files to read in a folder; refuse a folder with files of several formats."""
    every = tuple(sorted({suffix for each in fitting.values() for suffix in each.suffixes}))
    folder = path_of(path)
    if path == STDIN or not folder.is_dir():
        return every
    found = {each.name: list_matching(folder, each.suffixes) for each in fitting.values()}
    companions = _companion_suffixes(fitting.values())
    others = {other for files in found.values() for file in files for other in find_companions(file, companions)}
    apart = {name for each in fitting.values() if found[each.name] for name in each.apart}
    others |= {file for files in found.values() for file in files if file.name in apart}
    found = {name: [file for file in files if file not in others] for name, files in found.items()}
    found = {name: files for name, files in found.items() if files}
    if any(files != next(iter(found.values())) for files in found.values()):
        raise ReadError(
            "the folder has files of several formats",
            where=path,
            details=[f"{name}: {len(files)}, the first is {files[0].name}" for name, files in found.items()],
            hint=f"choose one: {path}::{next(iter(found))}",
        )
    return tuple(sorted({suffix for name in found for suffix in fitting[name].suffixes})) or every


def _named_format(name: str, fitting: Mapping[str, Format], what: str) -> Format:
    if name in fitting:
        return fitting[name]
    if name in find_formats():
        raise UsageError(f"format {name!r} has no {what}", hint=f"formats that have: {', '.join(fitting)}")
    raise UsageError(f"unknown format {name!r}{suggest_nearest(name, fitting)}", hint=f"formats: {', '.join(fitting)}")


def _sure_format(source: Source, likely: Mapping[str, Format]) -> Format | None:
    """Return the only format that matches both the file name and the first lines; None if that is not unique."""
    alone = _formats_by_suffix(source.parts[0].name, likely)
    if len(alone) == 1 and (alone[0].companions or source.parts[0].name.removesuffix(".gz").endswith(alone[0].binary)):
        return alone[0]
    lines = head_of(source)
    fitting = [each for each in likely.values() if not each.general and each.sniff(lines)]
    return fitting[0] if len(fitting) == 1 else None


def _formats_by_suffix(name: str, some: Mapping[str, Format]) -> list[Format]:
    return [each for each in some.values() if name.removesuffix(".gz").endswith(each.suffixes)]


def _sniff_format(source: Source, fitting: Mapping[str, Format], what: str) -> Format:
    """Return the only format that matches the first lines; refuse to guess between several."""
    name = source.parts[0].name
    by_suffix = _formats_by_suffix(name, fitting)
    lines = head_of(source)
    candidates = [each for each in fitting.values() if each.sniff(lines)]
    candidates = [each for each in candidates if not each.general] or candidates
    kept = _drop_strangers(candidates, name)
    if candidates and not kept:
        raise _misnamed_error(name, candidates, lines, fitting, what=what)
    candidates = kept
    if len(candidates) == 1:
        return candidates[0]
    if not candidates and len(by_suffix) == 1:  # its reader gives the best error message
        return by_suffix[0]
    if candidates:
        names = " or ".join(each.name for each in candidates)
        raise ReadError(
            f"ambiguous format: {names}",
            where=name,
            hint=f"choose one: {name}::{candidates[0].name}",
        )
    likely = [each.name for each in by_suffix] or [each.name for each in fitting.values() if not each.opens]
    raise ReadError(
        f"unknown format: the file does not match any format with {what}",
        where=f"{name}:1",
        details=[f"it begins with {next((line for line in lines if line.strip()), '')[:60]!r}"],
        hint=f"give the format: {name}::FORMAT ({', '.join(likely)}; see 'comparanda formats')",
    )


def _find_family(name: str) -> Family | None:
    return next((family for suffix, family in FAMILIES.items() if name.removesuffix(".gz").endswith(suffix)), None)


def _drop_strangers(some: list[Format], name: str) -> list[Format]:
    """Drop our formats that files of this name do not have; formats of other packages are kept."""
    family = _find_family(name)
    return [each for each in some if family is None or each.name in family.formats or each.name not in SUFFIXES]


def _misnamed_error(
    name: str, found: list[Format], lines: list[str], fitting: Mapping[str, Format], *, what: str
) -> ReadError:
    """Make the error for a file whose content is not what its name says, or that has not what the task requires."""
    family = _find_family(name)
    assert family is not None
    got = " or ".join(each.name for each in found)
    hint = f"if the name is wrong, name the format: {name}::{found[0].name}"
    if not any(each in fitting for each in family.formats):
        return ReadError(f"{family.kind}, as the file is named, has no {what}", where=name, hint=hint)
    words = (number for number, line in enumerate(lines, start=1) if line.strip() and not line.startswith("#"))
    return ReadError(
        f"expected {family.kind}, as the file is named, got {got}", where=f"{name}:{next(words, 1)}", hint=hint
    )


# Systems with several runs, such as a language model sampled several times.


_OPTIONS = re.compile(r"[?&][a-z]+=")
_LIKE_A_FILE = re.compile(r"::|[./\\*]")


@dataclass(frozen=True, init=False, eq=False, slots=True)
class Runs:
    """Several runs of one system, each like the output of a system: a path, or Python data.

    Scores are then means over runs, differences count sites times pairs of runs, and `Result.stability` computes how
    much the runs differ among themselves. Runs may be equal, but the same file or object cannot be given twice.

    >>> Runs("run1.jsonl", "run2.jsonl")
    Runs('run1.jsonl', 'run2.jsonl')

    """

    outputs: tuple[Any, ...]

    def __init__(self, *outputs: Any) -> None:
        if not outputs:
            raise UsageError("a system without runs has nothing to compare", hint="Runs(first, second, …)")
        if any(isinstance(each, Runs) for each in outputs):
            raise UsageError("a run cannot be a set of runs itself", hint="Runs(first, second, …)")
        for first, second in combinations(outputs, 2):
            if first is second or _same_file(first, second):
                raise UsageError(f"the same run is given twice: {_describe_run(second)}")
        object.__setattr__(self, "outputs", outputs)

    def __len__(self) -> int:
        return len(self.outputs)

    def __repr__(self) -> str:
        return f"Runs({', '.join(map(repr, self.outputs))})"


def outputs_of(given: Any) -> tuple[Any, ...]:
    """Return the runs of a system: a single one, unless `given` is `Runs`, or a file of several runs (`?run=FIELD`)."""
    outputs = given.outputs if isinstance(given, Runs) else (given,)
    return tuple(each for output in outputs for each in _runs_in_file(output))


def _runs_in_file(given: Any) -> list[Any]:
    """Return an input for each run in a file, if its format and options say that it has several."""
    found = _as_input(given)
    run = "" if found is None else found.options.get("run", "")
    if found is None or not run or "=" in run:
        return [given]
    formats = [found.format] if found.format else _likely_formats(found.path)
    known = [_load_format(name) for name in formats if name in _registered_formats()]
    format_ = next((each for each in known if each.runs is not None), None)
    if format_ is None or format_.runs is None:
        return [given]
    if found.path == STDIN:
        raise UsageError("several runs cannot be read from standard input", hint="write them to a file")
    source = load(found.path, side=found.display_name, suffixes=format_.suffixes)
    runs = format_.runs(source, run)
    return [replace(found, options={**found.options, "run": f"{run}={value}"}) for value in runs]


def _same_file(first: Any, second: Any) -> bool:
    one, other = _as_input(first), _as_input(second)
    return one is not None and other is not None and one.same_as(other)


def _as_input(given: Any) -> Input | None:
    if isinstance(given, Input):
        return given
    return Input.parse(fspath(given)) if is_path(given) else None


def _describe_run(given: Any) -> str:
    found = _as_input(given)
    return "one object" if found is None else repr(found.path)


def parse_runs(written: str) -> Input | Runs:
    """Parse `name=first,second,third`: the inputs of several runs, each with its own format and options.

    An existing file with a comma in its name is one input. A comma in options, as in `?columns=word,pos`, is part of
    the option if the text after it does not look like a file: has no `.`, `/`, `*` or `::`.

    >>> parse_runs("gpt=a.txt::columns?columns=word,ner,b.txt").outputs[0].options
    {'columns': 'word,ner'}
    """
    name, path, tail = taken_apart(written)
    begin = 0 if name is None else written.index("=") + 1
    parts = list(_split_runs(written[begin:]))
    if len(parts) == 1 or ("," in path and "," not in tail.partition("?")[0] and _path_exists(path)):
        given = Input.parse(written)
        runs = _runs_in_file(given)
        return given if runs == [given] else Runs(*runs)
    if name is None:
        raise UsageError(f"{path!r} is not a file", hint="several runs require a name: NAME=FIRST,SECOND,…")
    return Runs(*(replace(_parse_run(part, written), name=name) for part in parts))


def _path_exists(path: str) -> bool:
    """Return whether a path is an existing file or folder, or a pattern that matches some."""
    return os.path.exists(path) or (glob.has_magic(path) and bool(glob.glob(path, recursive=True)))


def _split_runs(written: str) -> Iterator[str]:
    """Split at the commas between inputs."""
    current: list[str] = []
    for part in written.split(","):
        if current and not (_OPTIONS.search(",".join(current)) and not _LIKE_A_FILE.search(part)):
            yield ",".join(current)
            current = []
        current.append(part)
    yield ",".join(current)


def _parse_run(part: str, written: str) -> Input:
    if not part.strip():
        raise UsageError(f"a run of {written!r} is empty", hint="write NAME=FIRST,SECOND,… without an extra comma")
    given = Input.parse(part.strip())
    if given.name is not None:
        raise UsageError(f"the run {part!r} has its own name", hint="give the name only before the first run")
    return given


def each_input(systems: Iterable[Input | Runs]) -> list[Input]:
    """Return the inputs of all runs of some systems."""
    return [each for system in systems for each in outputs_of(system)]

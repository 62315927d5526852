"""The submissions of a shared task: which files of a folder they are, and what each is called on a board."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comparanda.errors import ReadError, UsageError
from comparanda.read.files import display
from comparanda.read.inputs import Input
from comparanda.read.runs import each_input, outputs_of
from comparanda.remote import AnyPath, RemotePath, path_of

if TYPE_CHECKING:
    from comparanda.read.runs import Runs

_PAPERS = ("readme", "license", "licence", "copying", "changelog", "notice")
_PAPER_SUFFIXES = (".md", ".rst", ".pdf")
_LITTER = ("thumbs.db", "desktop.ini", "__macosx")

KEY = "key"
"""What the key is called, so no submission can be."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One submission.

    Args:
        name: what it is called on the board.
        own_name: what its authors called it; the same, unless it is anonymous.
        given: its input, or Python data.

    """

    name: str
    own_name: str
    given: Any

    @property
    def path(self) -> str:
        """Where it lies; nothing for Python data."""
        inputs = [each for each in outputs_of(self.given) if isinstance(each, Input)]
        return ", ".join(display(path_of(each.path)) for each in inputs)


@dataclass(frozen=True, slots=True)
class Gathered:
    """The submissions that were found, and the files that were taken for none."""

    submissions: tuple[Submission, ...]
    passed_over: tuple[str, ...]


def gather(sources: Iterable[Input | Runs], key: Input | None = None) -> Gathered:
    """Find the submissions: each file and each subfolder of a folder, and whatever else is named.

    Hidden files, papers such as a README, and the key itself are passed over. A folder with a name (`NAME=FOLDER`) is
    one submission of several files. What is named by itself is not taken from its folder once more, so that it can
    have a name, a format and options of its own. The order of the sources does not matter.
    """
    given = list(sources)
    folders = [each for each in given if isinstance(each, Input) and _holds_several(each)]
    found: list[Input | Runs] = [each for each in given if each not in folders]
    gold = None if key is None else os.path.realpath(key.path)
    for each in each_input(found):
        if key is not None and each.same_as(key):
            raise UsageError(f"the key is given as a submission too: {each.path!r}")
    seen = {os.path.realpath(each.path) for each in each_input(found)}
    passed: set[str] = set()
    for folder in folders:
        for entry in _entries(folder):
            real = os.path.realpath(entry.path)
            if _is_none(Path(entry.path).name):
                passed.add(display(path_of(entry.path)))
            elif real == gold:
                passed.add(f"{display(path_of(entry.path))} (the key)")
            elif real not in seen:
                seen.add(real)
                found.append(entry)
    return Gathered(tuple(sorted(_named(found), key=lambda each: each.name)), tuple(sorted(passed)))


def _holds_several(source: Input) -> bool:
    """Whether a source is a folder of submissions: one without a name."""
    try:
        return source.name is None and path_of(source.path).is_dir()
    except OSError:  # it is refused when it is read
        return False


def _entries(folder: Input) -> list[Input]:
    try:
        entries = sorted(map(str, path_of(folder.path).iterdir()))
    except OSError as problem:
        raise ReadError(f"cannot be read: {problem.strerror or problem}", where=folder.path) from None
    if not entries:
        raise ReadError("the folder is empty", where=folder.path)
    return [replace(folder, path=entry) for entry in entries]


def _is_none(name: str) -> bool:
    """Whether a file is obviously no submission.

    >>> [_is_none(name) for name in (".DS_Store", "README.txt", "notes.md", "old.bio~", "readme_team.bio.gz")]
    [True, True, True, True, False]
    """
    lower = name.lower()
    return (
        lower.startswith(".")
        or lower.endswith(("~", *_PAPER_SUFFIXES))
        or lower.partition(".")[0] in _PAPERS
        or lower in _LITTER
    )


def _named(found: Sequence[Input | Runs]) -> list[Submission]:
    """Name submissions by their stems; those that would have one name by their files, then with their folders."""
    ways: list[Callable[[Path], str]] = [
        lambda path: path.name,
        lambda path: Path(*path.parts[-2:]).as_posix(),
        lambda path: path.as_posix(),
    ]
    firsts = [outputs_of(given)[0] for given in found]
    names = [_printable(_first_name(first)) for first in firsts]
    for way in ways:
        often = Counter(names)
        for place, first in enumerate(firsts):
            if first.name is None and (often[names[place]] > 1 or names[place] == KEY):
                names[place] = _printable(way(Path(first.path)))
    for name, count in Counter(names).items():
        if count > 1:
            raise UsageError(f"{count} submissions are called {name!r}", hint="give them other names: NAME=FILE")
        if name == KEY or not name.strip():
            raise UsageError(f"a submission cannot be called {name!r}", hint="give it another name: NAME=FILE")
    return [Submission(name, name, given) for name, given in zip(names, found, strict=True)]


def _first_name(given: Input) -> str:
    """Return the name given, the stem of a file, or the whole name of a folder."""
    return Path(given.path).name if given.name is None and os.path.isdir(given.path) else given.display_name


def _printable(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()


def anonymised(submissions: Sequence[Submission], seed: int) -> list[Submission]:
    """Call submissions `system-01`, `system-02` … in an order that says nothing.

    They are sorted by a hash of the seed, the name and the content of the files. Equal input gives equal numbers; and
    as nobody has the files of all others, nobody can find the order again who knows the names and the seed alone.
    """
    order = sorted(submissions, key=lambda each: (_digest(each, seed), each.own_name))
    width = max(2, len(str(len(order))))
    return [replace(each, name=f"system-{number:0{width}}") for number, each in enumerate(order, start=1)]


def _digest(submission: Submission, seed: int) -> bytes:
    found = sha256(f"{seed}\0{submission.own_name}\0".encode())
    for each in outputs_of(submission.given):
        with suppress(OSError, ReadError):  # what cannot be read is refused later, under its new name
            for file in _files(each) if isinstance(each, Input) else ():
                with file.open("rb") as stream:
                    found.update(file_digest(stream, "sha256").digest())
    return found.digest()


def _files(given: Input) -> list[AnyPath]:
    target = path_of(given.path)
    if isinstance(target, RemotePath):
        return [*target.files()] if target.is_dir() else [target]
    files = sorted(target.rglob("*")) if target.is_dir() else [target]
    return [file for file in files if file.is_file()]

"""A system as a set of runs: several outputs of one system, such as a language model asked several times."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from os import fspath
from typing import Any

from comparanda.errors import UsageError
from comparanda.read.inputs import Input, taken_apart
from comparanda.read.objects import is_path

_OPTIONS = re.compile(r"[?&][a-z]+=")
_LIKE_A_FILE = re.compile(r"::|[./\\*]")


@dataclass(frozen=True, init=False, eq=False, slots=True)
class Runs:
    """Several runs of one system, each like the output of a system: a path, or Python data.

    Scores are then means over runs, differences count sites times pairs of runs, and `Result.stability` says how
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
                raise UsageError(f"the same run is given twice: {_called(second)}")
        object.__setattr__(self, "outputs", outputs)

    def __len__(self) -> int:
        return len(self.outputs)

    def __repr__(self) -> str:
        return f"Runs({', '.join(map(repr, self.outputs))})"


def outputs_of(given: Any) -> tuple[Any, ...]:
    """Return the runs of what was given for a system: one, unless it is `Runs`."""
    return given.outputs if isinstance(given, Runs) else (given,)


def _same_file(first: Any, second: Any) -> bool:
    one, other = _as_input(first), _as_input(second)
    return one is not None and other is not None and one.same_as(other)


def _as_input(given: Any) -> Input | None:
    if isinstance(given, Input):
        return given
    return Input.parse(fspath(given)) if is_path(given) else None


def _called(given: Any) -> str:
    found = _as_input(given)
    return "one object" if found is None else repr(found.path)


def parse_runs(written: str) -> Input | Runs:
    """Read `name=first,second,third`: the inputs of several runs, each with its own format and options behind it.

    A file whose name has a comma in it is one input. Commas of options, as in `?columns=word,pos`, are theirs as long
    as what stands behind them does not look like a file: has no `.`, `/`, `*` or `::`.

    >>> parse_runs("gpt=a.txt::columns?columns=word,ner,b.txt").outputs[0].options
    {'columns': 'word,ner'}
    """
    name, path, tail = taken_apart(written)
    begin = 0 if name is None else written.index("=") + 1
    parts = list(_parts(written[begin:]))
    if len(parts) == 1 or ("," in path and "," not in tail.partition("?")[0] and _is_there(path)):
        return Input.parse(written)
    if name is None:
        raise UsageError(f"{path!r} is no file", hint="several runs need a name: NAME=FIRST,SECOND,…")
    return Runs(*(replace(_run(part, written), name=name) for part in parts))


def _is_there(path: str) -> bool:
    """Whether a path is that of a file or a folder, or a pattern of some."""
    return os.path.exists(path) or (glob.has_magic(path) and bool(glob.glob(path, recursive=True)))


def _parts(written: str) -> Iterator[str]:
    """Cut at the commas between inputs."""
    current: list[str] = []
    for part in written.split(","):
        if current and not (_OPTIONS.search(",".join(current)) and not _LIKE_A_FILE.search(part)):
            yield ",".join(current)
            current = []
        current.append(part)
    yield ",".join(current)


def _run(part: str, written: str) -> Input:
    if not part.strip():
        raise UsageError(f"a run of {written!r} is empty", hint="write NAME=FIRST,SECOND,… without a comma too many")
    given = Input.parse(part.strip())
    if given.name is not None:
        raise UsageError(f"the run {part!r} has a name of its own", hint="the name stands before the first run alone")
    return given


def each_input(systems: Iterable[Input | Runs]) -> list[Input]:
    """Return the inputs of all runs of some systems."""
    return [each for system in systems for each in outputs_of(system)]

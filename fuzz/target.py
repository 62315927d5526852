"""What is fuzzed: a function of bytes, the seeds to begin with, and what counts as a finding."""

from __future__ import annotations

import atexit
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import rmtree

from comparanda.errors import InputError, UsageError

SEPARATOR = b"\xfe\xfe"
"""Between the files of one case; no text in UTF-8 has it."""

WORKSHOP = "FUZZ_WORKSHOP"
"""The variable that names the folder for files, if there is one."""

REFUSED = (InputError, UsageError)
"""How bad input may be refused; whatever else is raised is a finding."""


class Contradiction(Exception):
    """Nothing was raised, and yet something is wrong: what is written is not read back, a file differs from itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One thing to be fuzzed.

    Args:
        name: what it is called on the command line and in the log.
        minutes: how long `make fuzz` tries it, in minutes of CPU time.
        seeds: the cases to begin with.
        run: tries one case; returns whatever happens if nothing is wrong.
        words: what is put into cases: names of fields, keywords.
        longest: the most bytes of a case.

    """

    name: str
    minutes: float
    seeds: Callable[[], Iterable[bytes]]
    run: Callable[[bytes], None]
    words: Sequence[bytes] = ()
    longest: int = 6_000


def case(choice: int, *pieces: bytes) -> bytes:
    """Return a case: a byte that chooses among the ways to read the files, and the files."""
    return bytes([choice]) + SEPARATOR.join(pieces)


def taken_apart(data: bytes) -> tuple[int, list[bytes]]:
    """Return the choice and the files of a case."""
    return (data[0] if data else 0), data[1:].split(SEPARATOR)


@cache
def workshop() -> Path:
    """Return a folder for files, in memory where there is such; it is there as long as the process that asks first.

    libFuzzer ends a process without a word, so those that it runs in are told a folder by the one that starts them.
    """
    if told := os.environ.get(WORKSHOP):
        return Path(told)
    memory = "/dev/shm"
    made = Path(tempfile.mkdtemp(prefix="fuzz-", dir=memory if os.access(memory, os.W_OK) else None))
    atexit.register(rmtree, made, ignore_errors=True)
    return made


def put(folder: str, names: Sequence[str], pieces: Sequence[bytes]) -> Path:
    """Write files into a folder of the workshop; files without a piece are empty, more pieces are left alone."""
    target = workshop() / folder
    target.mkdir(exist_ok=True)
    for number, name in enumerate(names):
        (target / name).write_bytes(pieces[number] if number < len(pieces) else b"")
    return target

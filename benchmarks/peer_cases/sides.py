"""The same question, put to two programs, and whether their answers agree."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from benchmarks.timing import cpu_seconds

TOLERANCE = 1e-12
"""How far apart two numbers with one definition may be: the last digits of float64, as sums have other orders."""

T = TypeVar("T")
Numbers = Mapping[str, float]
Answer = Callable[[], Numbers]


def differing(ours: Numbers, theirs: Numbers) -> list[str]:
    """Return the names under which two programs do not have the same number, or only one of them has any."""
    return [
        name
        for name in sorted({*ours, *theirs})
        if name not in ours or name not in theirs or not _same(ours[name], theirs[name])
    ]


def _same(mine: float, other: float) -> bool:
    return abs(mine - other) <= TOLERANCE * max(1.0, abs(mine))


@dataclass(frozen=True, kw_only=True)
class Sides:
    """One question to two programs.

    Args:
        ours: comparanda's answer.
        theirs: the peer's.
        differing: the names of the numbers that do not agree.
        restated: the peer's answer once more, with what makes up for a known deviation.
        reason: which deviation that is.

    """

    ours: Answer
    theirs: Answer
    differing: Callable[[Numbers, Numbers], list[str]] = differing
    restated: Answer | None = None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a case.

    Args:
        ours: the least CPU time of comparanda.
        theirs: that of the peer.
        compared: how many numbers were compared.
        explained: differences that the known deviation makes up for, each in words.
        unexplained: the others.
        reason: the known deviation.

    """

    ours: float
    theirs: float
    compared: int
    explained: list[str]
    unexplained: list[str]
    reason: str


def measured(sides: Sides) -> Outcome:
    """Ask both once, which also does what is done only once (imports, compiling), and compare; then take the time."""
    ours, theirs = sides.ours(), sides.theirs()
    wrong = sides.differing(ours, theirs)
    restated = sides.restated() if wrong and sides.restated else theirs
    still = set(sides.differing(ours, restated))
    best = cpu_seconds({"ours": sides.ours, "theirs": sides.theirs})
    told = {name: f"{name}: {_told(ours, name)} here, {_told(theirs, name)} there" for name in {*wrong, *still}}
    return Outcome(
        ours=best["ours"],
        theirs=best["theirs"],
        compared=len(ours),
        explained=[told[name] for name in wrong if name not in still],
        unexplained=[told[name] for name in sorted(still)],
        reason=sides.reason,
    )


def _told(numbers: Numbers, name: str) -> str:
    return f"{numbers[name]:.12g}" if name in numbers else "nothing"


@dataclass(frozen=True, kw_only=True)
class Case:
    """A question and whom it is put to.

    Args:
        peer: the name of the peer.
        what: what is worked out.
        files: of what.
        sides: makes its files in a folder and returns the two programs, ready to run.
        real: the real files that it needs, under the shared folder.

    """

    peer: str
    what: str
    files: str
    sides: Callable[[Path], Sides]
    real: tuple[str, ...] = ()


def asked(files: Callable[[Path], T], ask: Callable[[T], Sides]) -> Callable[[Path], Sides]:
    """Return what first makes the files and then puts the question about them."""
    return lambda folder: ask(files(folder))


def shared(path: str) -> Path:
    """Return a path under the folder of real files: `$COMPARANDA_SHARED`, by default beside the project."""
    return Path(os.environ.get("COMPARANDA_SHARED") or Path(__file__).parents[3] / "shared") / path

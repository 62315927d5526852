"""Memory that is given back: what is freed must not stay with the process, where memory was promised to be little.

The allocator of glibc keeps blocks of up to 32 MiB that are freed, for a program that may want them again. Columns of
large corpora are such blocks, and more of them lay idle than were in use: of 100M tokens with spans, 0.9 GB of 1.7
after the parts were laid end to end. Other allocators are left as they are.
"""

from __future__ import annotations

import ctypes
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comparanda.core.places import Lasting
from comparanda.errors import AlignError, ComparandaError, ReadError, UsageError
from comparanda.formats.chunks import chosen_scheme
from comparanda.formats.contract import KEY
from comparanda.formats.cuts import UncuttableError
from comparanda.pipeline import Setup, judge, refuse_notes
from comparanda.result import Result
from comparanda.scale.cluster import Cluster
from comparanda.scale.executors import Alone, Crew, Processes
from comparanda.scale.folder import FolderError, PartsFolder
from comparanda.scale.part import Facts, Job
from comparanda.scale.plan import Cut, Plan, plan_of
from comparanda.storage.merge import merge
from comparanda.storage.reader import open_part

if TYPE_CHECKING:
    from distributed import Client

    from comparanda.core.verdicts import Verdicts


_MMAP_THRESHOLD = -3  # of mallopt(3)
_LARGE = 8 << 20


def keep_little() -> None:
    """Give back what was freed and kept, and from now on large blocks as soon as they are freed.

    That takes time for every block, so it is for findings, of few and large blocks, and not for reading parts.
    """
    mallopt, trim = _function("mallopt"), _function("malloc_trim")
    if mallopt is not None and trim is not None:
        mallopt(_MMAP_THRESHOLD, _LARGE)
        trim(0)


@cache
def _function(name: str) -> Callable[..., int] | None:
    """Return a function of the C library; None where it has none of this name."""
    try:
        found: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):  # not glibc, or not POSIX
        return None
    return found


# A comparison in parts: planned, judged by a crew, written part by part, and put together again.


PART = 64 << 20
"""How many bytes all sides of a part have together, unless memory tells."""

_LEAST = 1 << 20
_BYTES_A_BYTE = 24
"""How many bytes of memory a part takes at most for each byte of its inputs."""
_KEPT_A_BYTE = 8
"""How many bytes of memory findings take for each byte of a key whose sites are all kept."""

_COUNTED = "large for this memory: sites that all systems have right are only counted, but for some of each label"
_ALL_KEPT = "large for this memory: all sites are kept, and may take more than that"
_ELSEWHERE = "parts go to a temporary folder: choose another place by TMPDIR, or a folder that is kept"

WHOLE = 1 << 30
"""Inputs of up to so many bytes are judged in one go if their parts turn out not to fit together."""

Schemes = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How a comparison is spread.

    Args:
        workers: how many processes of this machine judge parts; None for this process alone.
        memory: how many bytes of memory there are, for all of them together; None for as much as it takes.
        part: about how many bytes of all inputs a part has; None for as many as fit.
        folder: where the parts are written, and found again after an interruption; None for a temporary folder.
        scheduler: the address of a Dask cluster whose workers judge parts, or a client of it.

    """

    workers: int | None = None
    memory: int | None = None
    part: int | None = None
    folder: Path | None = None
    scheduler: str | Client | None = None

    @property
    def size(self) -> int:
        """About how many bytes of all inputs a part has."""
        if self.part is not None:
            return self.part
        if self.memory is None:
            return PART
        return min(PART, max(_LEAST, self.memory // (self.workers or 1) // _BYTES_A_BYTE))

    @property
    def room(self) -> int | None:
        """How many bytes the key may have so that all its sites are kept; None for any number."""
        return None if self.memory is None else self.memory // _KEPT_A_BYTE


@dataclass(frozen=True, slots=True)
class Drawing:
    """How intervals and tests are drawn, and what stands where a ratio is undefined; as `Result` has it."""

    resamples: int
    seed: int
    zero_division: float | None


def compare_in_parts(key: Any, systems: Mapping[str, Any], setup: Setup, scale: Scale, *, drawing: Drawing) -> Result:
    """Compare inputs part by part; those that cannot be cut are judged in one go."""
    crew, say = crew_of(scale), setup.progress or (lambda _: None)
    try:
        say("looking for documents")
        plan = plan_of(key, systems, setup, Cut(scale.size, scale.room, drawing.seed, scale.workers or 1))
        if plan.large and plan.fold is None:
            say(Lasting(_ALL_KEPT))
        return _compare_parts(plan, setup=setup, scale=scale, drawing=drawing, crew=crew)
    except UncuttableError as reason:
        say(Lasting(f"in one go: {reason}"))
    result = Result(judge(key, systems, setup), drawing.resamples, drawing.seed, drawing.zero_division)
    if scale.folder is not None:
        result.save(scale.folder)
    return result


def _compare_parts(plan: Plan, setup: Setup, scale: Scale, drawing: Drawing, *, crew: Crew) -> Result:
    """Compare the parts of a plan; raise `UncuttableError` if they are pieces that turn out not to fit together."""
    say, kept = setup.progress or (lambda _: None), None
    if scale.folder is not None:
        folder = PartsFolder(scale.folder, plan)
    else:
        kept = _Temporary()
        folder = PartsFolder(kept.path / "parts", plan, hint=_ELSEWHERE)
    try:
        quiet, sparing = replace(setup, progress=None, strict=False), scale.memory is not None
        verdicts = _Run(folder, quiet, crew, say, sparing=sparing).verdicts()
        refuse_notes(setup, verdicts.notes)
        if plan.fold is not None:
            counted = any(view.counted is not None for view in verdicts.views.values())
            say(Lasting(_COUNTED if counted else _ALL_KEPT))
        folder.finish(drawing.resamples, drawing.seed, drawing.zero_division)
    finally:
        folder.end()
    if sparing:
        keep_little()
    verdicts = replace(verdicts, texts=replace(verdicts.texts, keeps=kept))
    return Result(verdicts, drawing.resamples, drawing.seed, drawing.zero_division)


class _Temporary:
    """A folder that is there as long as this object; that it then goes is meant, so nobody is warned of it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="comparanda-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def crew_of(scale: Scale) -> Crew:
    """Return who judges the parts."""
    if scale.scheduler is not None:
        if scale.workers is not None:
            raise UsageError("workers and a scheduler do not go together", hint="a cluster has its own workers")
        return Cluster(scale.scheduler)
    if scale.workers is None:
        return Alone()
    if scale.workers < 1:
        raise UsageError(f"workers={scale.workers}: there must be at least one")
    return Processes(scale.workers)


class _Run:
    """One comparison on its way through all parts."""

    def __init__(
        self, folder: PartsFolder, setup: Setup, crew: Crew, say: Callable[[str], None], *, sparing: bool
    ) -> None:
        self.folder, self.plan, self.setup, self.crew, self.say = folder, folder.plan, setup, crew, say
        self.sparing = sparing  # of memory
        self.facts: dict[int, dict[str, Facts]] = {}
        self.schemes: Schemes = {}
        self.characters = False

    def verdicts(self) -> Verdicts:
        """Judge what is not done yet, and lay all parts end to end."""
        done = self.folder.begin()
        found = {number: self.folder.facts(number) for number in done}
        self.facts = {number: facts for number, facts in found.items() if facts is not None}
        try:
            return self._merged()
        except FolderError:
            raise
        except (ReadError, AlignError, UsageError) as problem:
            if self.plan.pieces:  # sentences do not tell as surely as documents that sides are cut at the same place
                raise UncuttableError(str(problem)) from None
            raise

    def _merged(self) -> Verdicts:
        self._judge([number for number in range(len(self.plan.parts)) if number not in self.facts])
        with self._fitting():
            self._check()
            self.schemes = self._told_schemes()
        self.characters = any(facts[KEY].characters for facts in self.facts.values())
        self._judge(self._unlike())
        if self.sparing:
            keep_little()
        parts = [self._opened(number) for number in range(len(self.plan.parts))]
        with self._fitting():
            return merge(parts)

    @contextmanager
    def _fitting(self) -> Iterator[None]:
        """Take parts that do not fit together for a corpus that cannot be cut, unless it is too large to be read whole.

        Readers and judges find out some things by looking at a corpus as a whole; where parts tell different things, a
        comparison in one go knows best.
        """
        try:
            yield
        except (ReadError, UsageError) as problem:
            if sum(stamp[0] for _, stamp in self.plan.files if stamp is not None) <= WHOLE:
                raise UncuttableError(str(problem)) from None
            if isinstance(problem, ReadError):
                raise
            raise _unfit(problem) from None

    def _judge(self, numbers: Sequence[int]) -> None:
        if not numbers:
            return
        self.folder.forget(numbers)
        total, done = len(self.plan.parts), len(self.plan.parts) - len(numbers)
        self.say(f"judging part {done + 1:,} of {total:,}")
        with closing(self.crew.run(Job(self.plan, self.setup, self.schemes, self.characters), numbers)) as judged:
            for number, files in judged:
                self.folder.put(number, files)
                facts = self.folder.facts(number)
                assert facts is not None
                self.facts[number] = facts
                done += 1
                self.say(f"judging part {min(done + 1, total):,} of {total:,}")

    def _told_schemes(self) -> Schemes:
        """Return the schemes of sides whose chunk tags tell them, and those that would fit as well."""
        found = {}
        for side in self.facts[0]:
            told = [each for facts in self.facts.values() if (each := facts[side].evidence) is not None]
            if told:
                evidence = reduce(add, told)
                found[side] = chosen_scheme(evidence, evidence.counts)
        return found

    def _unlike(self) -> list[int]:
        """Return the parts that tell another scheme than the whole corpus, or count in tokens where it does not."""
        schemes = self.schemes
        return [
            number
            for number, facts in sorted(self.facts.items())
            if facts[KEY].characters not in {None, self.characters}
            or any(_noted(each) != _noted_as(schemes[side]) for side, each in facts.items() if side in schemes)
        ]

    def _check(self) -> None:
        """Refuse parts that were read in different ways, and an input that says nothing in any part."""
        for side, first in self.facts[0].items():
            unlike = next((n for n, facts in sorted(self.facts.items()) if facts[side].layout != first.layout), None)
            where = f"{side}, part {(unlike or 0) + 1:,} of {len(self.facts):,}"
            if unlike is not None:
                raise ReadError(
                    "the file is not made alike from its begin to its end",
                    where=where,
                    details=[f"first: {first.layout}", f"here: {self.facts[unlike][side].layout}"],
                    hint="say how it is made by options behind ::FORMAT?, or compare in one go: without --workers, "
                    "--memory and --scheduler",
                )
            if not any(facts[side].annotated for facts in self.facts.values()):
                raise ReadError("the column to be judged holds nothing", where=side, hint="name another: --column NAME")

    def _opened(self, number: int) -> Verdicts:
        """Open a part; one that is damaged is judged again, once."""
        try:
            return self._open(number)
        except ComparandaError:
            self._judge([number])
            return self._open(number)

    def _open(self, number: int) -> Verdicts:
        return open_part(self.folder.path / self.folder.names[number], self.folder.manifests[number]).verdicts


def _unfit(problem: UsageError) -> UsageError:
    """Make the error for parts that cannot be merged, of inputs that are too large to be read whole."""
    return UsageError(
        "what the inputs look like is not the same in all parts",
        details=str(problem).splitlines(),
        hint="say it by an option, such as --nouns or --column, or compare in one go: without --workers, --memory and "
        "--scheduler",
    )


def _noted(facts: Facts) -> tuple[str, ...]:
    """Return the scheme that tags of a part were read in, and what was noted of it."""
    if facts.scheme:
        return _noted_as(facts.scheme)
    evidence = facts.evidence
    try:
        return () if evidence is None else _noted_as(chosen_scheme(evidence, evidence.counts))
    except ReadError:  # by themselves, they tell none
        return ()


def _noted_as(scheme: Sequence[str]) -> tuple[str, ...]:
    """Return a scheme and those that would fit as well; with BIO, these are not told."""
    return tuple(scheme[:1]) if scheme[0] == "bio" else tuple(scheme)

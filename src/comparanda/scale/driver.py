"""The driver of comparisons in parts: planning, evaluation by an executor, and merging, within limited memory.

The allocator of glibc retains freed blocks of up to 32 MiB for reuse. Columns of large corpora are such blocks, and
more of them were unused than used: with 100M tokens with spans, 0.9 of 1.7 GB after merging the parts. So freed memory
is returned to the system. Other allocators are not affected.
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
from comparanda.pipeline import Setup, evaluate_systems, refuse_notes
from comparanda.result import Result
from comparanda.scale.cluster import Cluster
from comparanda.scale.executors import Executor, InlineExecutor, Processes
from comparanda.scale.folder import FolderError, PartsFolder
from comparanda.scale.part import Facts, Job
from comparanda.scale.plan import CutOptions, Plan, plan_of
from comparanda.storage.merge import merge
from comparanda.storage.reader import open_part

if TYPE_CHECKING:
    from distributed import Client

    from comparanda.core.verdicts import Verdicts


_MMAP_THRESHOLD = -3  # of mallopt(3)
_LARGE = 8 << 20


def release_free_memory() -> None:
    """Return retained free memory to the system, and from now on large blocks as soon as they are freed.

    This takes time for every block, so it is meant for findings, with few and large blocks, not for reading parts.
    """
    mallopt, trim = _c_function("mallopt"), _c_function("malloc_trim")
    if mallopt is not None and trim is not None:
        mallopt(_MMAP_THRESHOLD, _LARGE)
        trim(0)


@cache
def _c_function(name: str) -> Callable[..., int] | None:
    """Look up a function of the C library; None if there is none of this name."""
    try:
        found: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):  # not glibc, or not POSIX
        return None
    return found


# Comparisons in parts.


PART = 64 << 20
"""The default number of bytes of a part, over all sides, if memory is not limited."""

_MIN_PART = 1 << 20
_PART_MEMORY_FACTOR = 24
"""The maximum bytes of memory that a part takes for each byte of its inputs."""
_SITES_MEMORY_FACTOR = 8
"""The bytes of memory that findings take for each byte of the key if all its sites are retained."""

_COUNTED_NOTE = (
    "limited memory: sites that all systems have right are only counted, except for some examples of each label"
)
_ALL_KEPT_NOTE = "limited memory: all sites are kept, which may take more than the limit"
_TEMPORARY_FOLDER_HINT = (
    "parts are written to a temporary folder: set TMPDIR to another place, or save the result to a folder"
)

WHOLE = 1 << 30
"""The maximum bytes of inputs that are evaluated as a whole if their parts turn out to be inconsistent."""

Schemes = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How a comparison is distributed.

    Args:
        workers: the number of worker processes on this machine; None to evaluate in this process.
        memory: the bytes of memory available to all processes together; None for no limit.
        part: the approximate number of bytes of a part, over all inputs; None for as many as fit.
        folder: the folder of the parts, from which a comparison can be resumed; None for a temporary folder.
        scheduler: the address of a Dask cluster whose workers evaluate the parts, or a client of it.

    """

    workers: int | None = None
    memory: int | None = None
    part: int | None = None
    folder: Path | None = None
    scheduler: str | Client | None = None

    @property
    def size(self) -> int:
        """The approximate number of bytes of a part, over all inputs."""
        if self.part is not None:
            return self.part
        if self.memory is None:
            return PART
        return min(PART, max(_MIN_PART, self.memory // (self.workers or 1) // _PART_MEMORY_FACTOR))

    @property
    def room(self) -> int | None:
        """The number of bytes of the key up to which all its sites are retained; None for no limit."""
        return None if self.memory is None else self.memory // _SITES_MEMORY_FACTOR


@dataclass(frozen=True, slots=True)
class Drawing:
    """The settings of resampling, and the value of undefined ratios, as in `Result`."""

    resamples: int
    seed: int
    zero_division: float | None


def compare_in_parts(key: Any, systems: Mapping[str, Any], setup: Setup, scale: Scale, *, drawing: Drawing) -> Result:
    """Compare inputs part by part; those that cannot be cut are evaluated as a whole."""
    executor, notify = choose_executor(scale), setup.progress or (lambda _: None)
    try:
        notify("indexing documents")
        plan = plan_of(key, systems, setup, CutOptions(scale.size, scale.room, drawing.seed, scale.workers or 1))
        if plan.large and plan.fold is None:
            notify(Lasting(_ALL_KEPT_NOTE))
        return _compare_parts(plan, setup=setup, scale=scale, drawing=drawing, executor=executor)
    except UncuttableError as reason:
        notify(Lasting(f"not divided into parts: {reason}"))
    result = Result(evaluate_systems(key, systems, setup), drawing.resamples, drawing.seed, drawing.zero_division)
    if scale.folder is not None:
        result.save(scale.folder)
    return result


def _compare_parts(plan: Plan, setup: Setup, scale: Scale, drawing: Drawing, *, executor: Executor) -> Result:
    """Compare the parts of a plan; raise `UncuttableError` if they turn out to be inconsistent."""
    notify, kept = setup.progress or (lambda _: None), None
    if scale.folder is not None:
        folder = PartsFolder(scale.folder, plan)
    else:
        kept = _TemporaryFolder()
        folder = PartsFolder(kept.path / "parts", plan, hint=_TEMPORARY_FOLDER_HINT)
    try:
        quiet, save_memory = replace(setup, progress=None, strict=False), scale.memory is not None
        verdicts = _PartsRun(folder, quiet, executor, notify, save_memory=save_memory).verdicts()
        refuse_notes(setup, verdicts.notes)
        if plan.fold is not None:
            counted = any(view.counted is not None for view in verdicts.views.values())
            notify(Lasting(_COUNTED_NOTE if counted else _ALL_KEPT_NOTE))
        folder.finish(drawing.resamples, drawing.seed, drawing.zero_division)
    finally:
        folder.end()
    if save_memory:
        release_free_memory()
    verdicts = replace(verdicts, texts=replace(verdicts.texts, keeps=kept))
    return Result(verdicts, drawing.resamples, drawing.seed, drawing.zero_division)


class _TemporaryFolder:
    """A folder that is removed with this object; unlike `TemporaryDirectory`, without a warning."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="comparanda-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def choose_executor(scale: Scale) -> Executor:
    """Choose the executor for the parts."""
    if scale.scheduler is not None:
        if scale.workers is not None:
            raise UsageError(
                "workers and scheduler cannot be combined", hint="use only one of them: a cluster has its own workers"
            )
        return Cluster(scale.scheduler)
    if scale.workers is None:
        return InlineExecutor()
    if scale.workers < 1:
        raise UsageError(f"workers={scale.workers}: expected at least 1")
    return Processes(scale.workers)


class _PartsRun:
    """The evaluation and merging of all parts of a comparison."""

    def __init__(
        self, folder: PartsFolder, setup: Setup, executor: Executor, notify: Callable[[str], None], *, save_memory: bool
    ) -> None:
        self.folder, self.plan, self.setup, self.executor, self.notify = folder, folder.plan, setup, executor, notify
        self.save_memory = save_memory  # of memory
        self.facts: dict[int, dict[str, Facts]] = {}
        self.schemes: Schemes = {}
        self.characters = False

    @property
    def _is_small(self) -> bool:
        """Whether all inputs are small enough to be read as a whole."""
        size: int = sum(stamp[0] for _, stamp in self.plan.files if stamp is not None)
        return size <= WHOLE

    def verdicts(self) -> Verdicts:
        """Evaluate unfinished parts, and merge all parts."""
        done = self.folder.begin()
        found = {number: self.folder.facts(number) for number in done}
        self.facts = {number: facts for number, facts in found.items() if facts is not None}
        try:
            return self._merge_parts()
        except FolderError:
            raise
        except AlignError as problem:
            if self.plan.pieces or self._is_small:  # the whole text may be the key's, with documents cut differently
                raise UncuttableError(str(problem)) from None
            raise
        except (ReadError, UsageError) as problem:
            if self.plan.pieces:  # sentence counts do not prove, as document names do, that sides are cut consistently
                raise UncuttableError(str(problem)) from None
            raise

    def _merge_parts(self) -> Verdicts:
        self._evaluate([number for number in range(len(self.plan.parts)) if number not in self.facts])
        with self._refuse_mismatches():
            self._check_parts()
            self.schemes = self._choose_schemes()
        self.characters = any(facts[KEY].characters for facts in self.facts.values())
        self._evaluate(self._find_deviating_parts())
        if self.save_memory:
            release_free_memory()
        parts = [self._open_or_repeat(number) for number in range(len(self.plan.parts))]
        with self._refuse_mismatches():
            return merge(parts)

    @contextmanager
    def _refuse_mismatches(self) -> Iterator[None]:
        """Treat inconsistent parts as a corpus that cannot be cut, unless it is too large to be read as a whole.

        Some properties are inferred from a corpus as a whole; where parts give different results, only an undivided
        comparison is reliable.
        """
        try:
            yield
        except (ReadError, UsageError) as problem:
            if self._is_small:
                raise UncuttableError(str(problem)) from None
            if isinstance(problem, ReadError):
                raise
            raise _mismatch_error(problem) from None

    def _evaluate(self, numbers: Sequence[int]) -> None:
        if not numbers:
            return
        self.folder.forget(numbers)
        total, done = len(self.plan.parts), len(self.plan.parts) - len(numbers)
        self.notify(f"evaluating part {done + 1:,} of {total:,}")
        with closing(self.executor.run(Job(self.plan, self.setup, self.schemes, self.characters), numbers)) as results:
            for number, files in results:
                self.folder.put(number, files)
                facts = self.folder.facts(number)
                assert facts is not None
                self.facts[number] = facts
                done += 1
                self.notify(f"evaluating part {min(done + 1, total):,} of {total:,}")

    def _choose_schemes(self) -> Schemes:
        """Detect the tag scheme of each side from the tags of all parts, with equally possible schemes."""
        found = {}
        for side in self.facts[0]:
            evidences = [each for facts in self.facts.values() if (each := facts[side].evidence) is not None]
            if evidences:
                evidence = reduce(add, evidences)
                found[side] = chosen_scheme(evidence, evidence.counts)
        return found

    def _find_deviating_parts(self) -> list[int]:
        """Find the parts that were read with another scheme, or other positions, than the whole corpus."""
        schemes = self.schemes
        return [
            number
            for number, facts in sorted(self.facts.items())
            if facts[KEY].characters not in {None, self.characters}
            or any(
                _noted_schemes_of(each) != _noted_schemes(schemes[side])
                for side, each in facts.items()
                if side in schemes
            )
        ]

    def _check_parts(self) -> None:
        """Refuse parts that were read differently, and an input without annotations in any part."""
        for side, first in self.facts[0].items():
            unlike = next((n for n, facts in sorted(self.facts.items()) if facts[side].layout != first.layout), None)
            where = f"{side}, part {(unlike or 0) + 1:,} of {len(self.facts):,}"
            if unlike is not None:
                raise ReadError(
                    "the layout of the file changes",
                    where=where,
                    details=[f"first: {first.layout}", f"here: {self.facts[unlike][side].layout}"],
                    hint="give the layout by options after ::FORMAT?, or compare without --workers, "
                    "--memory and --scheduler",
                )
            if not any(facts[side].annotated for facts in self.facts.values()):
                raise ReadError(
                    "the evaluated column is empty", where=side, hint="choose another column: --column NAME"
                )

    def _open_or_repeat(self, number: int) -> Verdicts:
        """Open a part; evaluate it again, once, if it is damaged."""
        try:
            return self._open_part(number)
        except ComparandaError:
            self._evaluate([number])
            return self._open_part(number)

    def _open_part(self, number: int) -> Verdicts:
        return open_part(self.folder.path / self.folder.names[number], self.folder.manifests[number]).verdicts


def _mismatch_error(problem: UsageError) -> UsageError:
    """Make the error for parts that cannot be merged, of inputs too large to be read as a whole."""
    return UsageError(
        "the properties detected in the inputs differ between parts",
        details=str(problem).splitlines(),
        hint="set them by options such as --nouns or --column, or compare without --workers, --memory and --scheduler",
    )


def _noted_schemes_of(facts: Facts) -> tuple[str, ...]:
    """Return the tag scheme of a part, with the alternatives listed in its note."""
    if facts.scheme:
        return _noted_schemes(facts.scheme)
    evidence = facts.evidence
    try:
        return () if evidence is None else _noted_schemes(chosen_scheme(evidence, evidence.counts))
    except ReadError:  # no scheme can be detected in this part alone
        return ()


def _noted_schemes(scheme: Sequence[str]) -> tuple[str, ...]:
    """Return a scheme and its alternatives as listed in notes; with BIO, these are not listed."""
    return tuple(scheme[:1]) if scheme[0] == "bio" else tuple(scheme)

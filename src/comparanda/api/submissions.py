"""The public function `leaderboard`: find, name, evaluate and rank the submissions of a shared task."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comparanda.align.documents import merge_alignments
from comparanda.core.places import Note
from comparanda.core.remote import AnyPath, RemotePath, path_of
from comparanda.core.verdicts import System
from comparanda.errors import AlignError, ComparandaError, ReadError, UsageError, suggest_nearest
from comparanda.expressions import find_names
from comparanda.findings.leaderboard import Leaderboard, Refused
from comparanda.findings.resamples import RESAMPLES, SEED
from comparanda.formats.files import display_name, is_path
from comparanda.formats.inputs import Input, Runs, each_input, outputs_of, parse_runs
from comparanda.pipeline import Prepared, Setup, columns_of, evaluate_prepared, prepare_systems, read_key, refuse_notes
from comparanda.result import Result

if TYPE_CHECKING:
    from comparanda.core.verdicts import Verdicts


_DOCUMENTATION_STEMS = ("readme", "license", "licence", "copying", "changelog", "notice")
_DOCUMENTATION_SUFFIXES = (".md", ".rst", ".pdf")
_SYSTEM_FILES = ("thumbs.db", "desktop.ini", "__macosx")

KEY = "key"
"""The name of the key, which no submission may have."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One submission.

    Args:
        name: the name on the leaderboard.
        own_name: the original name; the same, unless the submission is anonymised.
        given: the input, or Python data.

    """

    name: str
    own_name: str
    given: Any

    @property
    def path(self) -> str:
        """The paths of the submission; empty for Python data."""
        inputs = [each for each in outputs_of(self.given) if isinstance(each, Input)]
        return ", ".join(display_name(path_of(each.path)) for each in inputs)


@dataclass(frozen=True, slots=True)
class Gathered:
    """The submissions found, and the files ignored."""

    submissions: tuple[Submission, ...]
    passed_over: tuple[str, ...]


def find_submissions(sources: Iterable[Input | Runs], key: Input | None = None) -> Gathered:
    """Find the submissions: each file and each subfolder of a folder, and all files given separately.

    Hidden files, documentation such as a README, and the key itself are ignored. A folder with a name (`NAME=FOLDER`)
    is one submission of several files. A file given separately is not taken from its folder again, so that it can have
    its own name, format and options. The order of the sources does not matter.
    """
    given = list(sources)
    folders = [each for each in given if isinstance(each, Input) and _is_submission_folder(each)]
    found: list[Input | Runs] = [each for each in given if each not in folders]
    gold = None if key is None else os.path.realpath(key.path)
    for each in each_input(found):
        if key is not None and each.same_as(key):
            raise UsageError(f"the key is also given as a submission: {each.path!r}")
    seen = {os.path.realpath(each.path) for each in each_input(found)}
    passed: set[str] = set()
    for folder in folders:
        for entry in _list_entries(folder):
            real = os.path.realpath(entry.path)
            if _is_not_submission(Path(entry.path).name):
                passed.add(display_name(path_of(entry.path)))
            elif real == gold:
                passed.add(f"{display_name(path_of(entry.path))} (the key)")
            elif real not in seen:
                seen.add(real)
                found.append(entry)
    return Gathered(tuple(sorted(_name_submissions(found), key=lambda each: each.name)), tuple(sorted(passed)))


def _is_submission_folder(source: Input) -> bool:
    """Return whether a source is a folder of submissions: a folder without a name."""
    try:
        return source.name is None and path_of(source.path).is_dir()
    except OSError:  # reported when it is read
        return False


def _list_entries(folder: Input) -> list[Input]:
    try:
        entries = sorted(map(str, path_of(folder.path).iterdir()))
    except OSError as problem:
        raise ReadError(f"cannot be read: {problem.strerror or problem}", where=folder.path) from None
    if not entries:
        raise ReadError("the folder is empty", where=folder.path)
    return [replace(folder, path=entry) for entry in entries]


def _is_not_submission(name: str) -> bool:
    """Return whether a file is, by its name, not a submission.

    >>> [_is_not_submission(name) for name in (".DS_Store", "README.txt", "notes.md", "old.bio~", "readme_team.bio.gz")]
    [True, True, True, True, False]
    """
    lower = name.lower()
    return (
        lower.startswith(".")
        or lower.endswith(("~", *_DOCUMENTATION_SUFFIXES))
        or lower.partition(".")[0] in _DOCUMENTATION_STEMS
        or lower in _SYSTEM_FILES
    )


def _name_submissions(found: Sequence[Input | Runs]) -> list[Submission]:
    """Name submissions by their stems; resolve duplicates by file names, then by folder and file names."""
    ways: list[Callable[[Path], str]] = [
        lambda path: path.name,
        lambda path: Path(*path.parts[-2:]).as_posix(),
        lambda path: path.as_posix(),
    ]
    firsts = [outputs_of(given)[0] for given in found]
    names = [_escape_name(_default_name(first)) for first in firsts]
    for way in ways:
        often = Counter(names)
        for place, first in enumerate(firsts):
            if first.name is None and (often[names[place]] > 1 or names[place] == KEY):
                names[place] = _escape_name(way(Path(first.path)))
    for name, count in Counter(names).items():
        if count > 1:
            raise UsageError(f"{count} submissions are named {name!r}", hint="rename them: NAME=FILE")
        if name == KEY or not name.strip():
            raise UsageError(f"a submission cannot be named {name!r}", hint="rename it: NAME=FILE")
    return [Submission(name, name, given) for name, given in zip(names, found, strict=True)]


def _default_name(given: Input) -> str:
    """Return the given name, the stem of a file, or the full name of a folder."""
    return Path(given.path).name if given.name is None and os.path.isdir(given.path) else given.display_name


def _escape_name(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()


def anonymise_submissions(submissions: Sequence[Submission], seed: int) -> list[Submission]:
    """Rename submissions to `system-01`, `system-02` … in an order that reveals nothing.

    They are sorted by a hash of the seed, the name and the content of the files. Equal input gives equal numbers, and
    the order cannot be reconstructed from the names and the seed without the files of all submissions.
    """
    order = sorted(submissions, key=lambda each: (_digest_submission(each, seed), each.own_name))
    width = max(2, len(str(len(order))))
    return [replace(each, name=f"system-{number:0{width}}") for number, each in enumerate(order, start=1)]


def _digest_submission(submission: Submission, seed: int) -> bytes:
    found = sha256(f"{seed}\0{submission.own_name}\0".encode())
    for each in outputs_of(submission.given):
        with suppress(OSError, ReadError):  # unreadable files are refused later, under the new name
            for file in _list_files(each) if isinstance(each, Input) else ():
                with file.open("rb") as stream:
                    found.update(file_digest(stream, "sha256").digest())
    return found.digest()


def _list_files(given: Input) -> list[AnyPath]:
    target = path_of(given.path)
    if isinstance(target, RemotePath):
        return [*target.files()] if target.is_dir() else [target]
    files = sorted(target.rglob("*")) if target.is_dir() else [target]
    return [file for file in files if file.is_file()]


# Evaluation of submissions: each is read separately, bad ones are listed, the others are ranked.


_COMMON_SIDES = frozenset({KEY, "all"})


@dataclass(frozen=True, eq=False)
class Ranked:
    """Ranked submissions.

    Args:
        leaderboard: the finding.
        result: the result of all submissions that could be evaluated, for other findings.
        submissions: all submissions, with their original names.
        problems: the errors of those that could not be evaluated, by the name on the leaderboard.

    """

    leaderboard: Leaderboard
    result: Result
    submissions: tuple[Submission, ...]
    problems: Mapping[str, ComparandaError]


def leaderboard(
    key: Any,
    submissions: Any,
    *,
    measures: Sequence[str] = (),
    view: str | None = None,
    anonymise: bool = False,
    **settings: Any,
) -> Leaderboard:
    """Rank the submissions of a shared task; those that cannot be read or aligned are listed and left out.

    Args:
        key: the key, as for `comparanda.compare`.
        submissions: a folder, whose files and subfolders are one submission each; several folders or files as a list;
            or outputs by name.
        measures: the measure to rank by, and further ones to show; the measures of the view by default.
        view: the view, if there are several.
        anonymise: rename submissions to `system-01` … and omit everything that would identify them.
        settings: as for `comparanda.compare`, including the task.

    >>> key, good = ["DT", "NN", "VB"], ["DT", "NN", "NN"]
    >>> board = leaderboard(key, {"a": good, "b": ["DT"], "c": key}, task="tag", resamples=0)
    >>> [(each.rank, each.system) for each in board.standings], [each.system for each in board.refused]
    ([(1, 'c'), (2, 'a')], ['b'])

    """
    return evaluate_submissions(
        key, rank_submissions(key, submissions), measures, view, anonymise=anonymise, **settings
    ).leaderboard


def rank_submissions(key: Any, submissions: Any) -> Gathered:
    """Find the submissions in a folder, in several folders or files, or in a mapping of names to outputs."""
    if isinstance(submissions, Mapping):
        return Gathered(tuple(Submission(name, name, given) for name, given in sorted(submissions.items())), ())
    sources = [submissions] if is_path(submissions) or isinstance(submissions, Input) else list(submissions)
    inputs = [each if isinstance(each, (Input, Runs)) else parse_runs(fspath(each)) for each in sources]
    gold = Input.parse(fspath(key)) if is_path(key) else key
    return find_submissions(inputs, gold if isinstance(gold, Input) else None)


def evaluate_submissions(
    key: Any,
    gathered: Gathered,
    measures: Sequence[str] = (),
    view: str | None = None,
    *,
    anonymise: bool = False,
    where: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    zero_division: float | None = None,
    **settings: Any,
) -> Ranked:
    """Read, align, evaluate and rank the submissions; settings are those of `Setup`."""
    submissions = tuple(anonymise_submissions(gathered.submissions, seed) if anonymise else gathered.submissions)
    setup = Setup(**{name: value for name, value in settings.items() if value is not None})
    setup = replace(setup, attributes=sorted({*setup.attributes, *(find_names(where) if where else ())}))
    contest = _Evaluation(key, submissions, replace(setup, maps=_rename_map_sides(submissions, setup)), hide=anonymise)
    verdicts = contest.verdicts()
    if anonymise:
        verdicts = replace(verdicts, notes=_redact_notes(verdicts))
    result = Result(verdicts, resamples, seed, zero_division)
    result = result.where(where, view=view) if where else result
    board = replace(
        result.leaderboard(*measures, view=view),
        refused=contest.refused(),
        passed_over=tuple(
            f"file {number}" if anonymise else name for number, name in enumerate(gathered.passed_over, start=1)
        ),
    )
    return Ranked(board, result, submissions, contest.problems)


def _rename_map_sides(submissions: Sequence[Submission], setup: Setup) -> dict[str, Mapping[str, str]]:
    """Assign the label maps to names on the leaderboard; refuse maps for unknown submissions."""
    names = {each.own_name: each.name for each in submissions}
    for side in setup.maps:
        if side not in {*_COMMON_SIDES, *names}:
            raise UsageError(
                f"label map for an unknown side: {side!r}{suggest_nearest(side, names)}",
                hint="expected key, all or the name of a system",
            )
    return {names.get(side, side): table for side, table in setup.maps.items()}


def _redact_notes(verdicts: Verdicts) -> tuple[Note, ...]:
    """Replace the notes on each submission by their number, since they quote and name files."""
    sides = {*verdicts.runs, *(system.name for system in verdicts.systems)}
    counts = Counter(note.side for note in verdicts.notes if note.side in sides)
    others = [note for note in verdicts.notes if note.side not in sides]
    return (*others, *(Note(side, "notes, withheld", count) for side, count in counts.items()))


class _Evaluation:
    """The evaluation of submissions; an error in one only excludes that one."""

    def __init__(self, key: Any, submissions: Sequence[Submission], setup: Setup, *, hide: bool) -> None:
        if not submissions:
            raise UsageError("no submissions", hint="give a folder of submissions: KEY FOLDER")
        columns_of({each.name: each.given for each in submissions})  # refuses ambiguous names
        self.submissions, self.setup, self.hide = submissions, setup, hide
        self.problems: dict[str, ComparandaError] = {}
        self._say: Callable[[str], None] = setup.progress or (lambda _: None)
        self._say("reading the key")
        silent = replace(setup, progress=None)
        self.gold = read_key(key, silent)
        # The key against itself: errors in the key or the setup must not be attributed to a submission.
        self.options = prepare_systems(self.gold, {"itself": self.gold}, silent).options
        self._quiet_setup = replace(
            silent, train=None, same_ids=None
        )  # these are in the options now and need not be read again

    def verdicts(self) -> Verdicts:
        """Evaluate all submissions that can be evaluated."""
        return self._evaluate_strictly(self._prepare_all())

    def refused(self) -> tuple[Refused, ...]:
        """Return the other submissions with the reasons."""
        return tuple(self._build_refusal(name, problem) for name, problem in sorted(self.problems.items()))

    def _build_refusal(self, name: str, problem: ComparandaError) -> Refused:
        if self.hide:
            return Refused(name, _describe_generally(problem), ())
        first, *details = str(problem).split("\n")
        return Refused(name, first, tuple(line.strip() for line in details))

    def _prepare_all(self) -> dict[str, Prepared]:
        """Read and align each submission separately."""
        ready: dict[str, Prepared] = {}
        for number, each in enumerate(self.submissions, start=1):
            self._say(f"reading {each.name} ({number} of {len(self.submissions)})")
            try:
                ready[each.name] = prepare_systems(self.gold, {each.name: each.given}, self._quiet_setup)
            except ComparandaError as problem:
                self.problems[each.name] = problem
        return ready

    def _evaluate_strictly(self, ready: Mapping[str, Prepared]) -> Verdicts:
        """Evaluate the submissions; under `--strict`, exclude those with notes."""
        if not ready:
            reasons = [f"{each.system}: {each.reason}" for each in self.refused()]
            raise ReadError("no submission can be ranked", details=reasons)
        verdicts = self._evaluate(ready)
        if not self.setup.strict or not verdicts.notes:
            return verdicts
        owner = {system.name: system.name for system in verdicts.systems}
        owner |= {verdicts.runs[run]: system.name for system in verdicts.systems for run in system.runs}
        refuse_notes(self.setup, [note for note in verdicts.notes if note.side not in owner])
        for name in ready:
            try:
                refuse_notes(self.setup, [note for note in verdicts.notes if owner[note.side] == name])
            except ReadError as problem:
                self.problems[name] = problem
        return self._evaluate_strictly({name: each for name, each in ready.items() if name not in self.problems})

    def _evaluate(self, ready: Mapping[str, Prepared]) -> Verdicts:
        """Evaluate all at once; if that fails, exclude the submissions that fail separately and repeat."""
        lenient = replace(self.setup, strict=False)
        try:
            return evaluate_prepared(self._merge(ready), lenient)
        except ComparandaError as problem:
            good = {name: each for name, each in ready.items() if self._can_be_evaluated(name, each)}
            if len(good) not in {0, len(ready)}:
                return self._evaluate(good)
            if self.hide:
                raise ReadError(f"the submissions: {_describe_generally(problem)}") from None
            raise

    def _can_be_evaluated(self, name: str, alone: Prepared) -> bool:
        try:
            evaluate_prepared(self._merge({name: alone}), replace(self._quiet_setup, strict=False))
        except ComparandaError as problem:
            self.problems[name] = problem
            return False
        return True

    def _merge(self, ready: Mapping[str, Prepared]) -> Prepared:
        """Merge submissions into one input; label maps of excluded submissions are excluded too."""
        systems: list[System] = []
        columns = 0
        for each in ready.values():
            systems += [System(one.name, tuple(run + columns for run in one.runs)) for one in each.systems]
            columns += len(each.aligned.responses)
        maps = {side: table for side, table in self.options.maps.items() if side in {*_COMMON_SIDES, *ready}}
        task = next(iter(ready.values())).task
        aligned = merge_alignments([each.aligned for each in ready.values()])
        return Prepared(task, aligned, systems, replace(self.options, maps=maps))


def _describe_generally(problem: ComparandaError) -> str:
    """Describe an error without any place, name or quotation from the submission."""
    if isinstance(problem, AlignError):
        return "it cannot be aligned with the key"
    return "it cannot be read" if isinstance(problem, ReadError) else "it cannot be evaluated"

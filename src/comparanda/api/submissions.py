"""The submissions of a shared task: which files of a folder they are, and what each is called on a board."""

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

from comparanda.align.documents import together
from comparanda.core.places import Note
from comparanda.core.remote import AnyPath, RemotePath, path_of
from comparanda.core.verdicts import System
from comparanda.errors import AlignError, ComparandaError, ReadError, UsageError, nearest
from comparanda.expressions import names_used
from comparanda.findings.leaderboard import Leaderboard, Refused
from comparanda.findings.resamples import RESAMPLES, SEED
from comparanda.formats.files import display, is_path
from comparanda.formats.inputs import Input, Runs, each_input, outputs_of, parse_runs
from comparanda.pipeline import Prepared, Setup, columns_of, judged, prepare, read_key, refuse_notes
from comparanda.result import Result

if TYPE_CHECKING:
    from comparanda.core.verdicts import Verdicts


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


# A folder of submissions against a key: each is read by itself, bad ones are listed, the others are ranked.


_EVERYBODY = frozenset({KEY, "all"})


@dataclass(frozen=True, eq=False)
class Ranked:
    """What was made of some submissions.

    Args:
        leaderboard: the finding.
        result: the submissions that could be judged, for everything else one may ask about them.
        submissions: all of them, with their own names: who is who.
        problems: what is wrong with those that could not be judged, by their names on the board.

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
        measures: what to rank by, and what to show beside it; the view's own measures by default.
        view: the view, if there are several.
        anonymise: call submissions `system-01` … and say nothing that would tell which is which.
        settings: as for `comparanda.compare`, the task among them.

    >>> key, good = ["DT", "NN", "VB"], ["DT", "NN", "NN"]
    >>> board = leaderboard(key, {"a": good, "b": ["DT"], "c": key}, task="tag", resamples=0)
    >>> [(each.rank, each.system) for each in board.standings], [each.system for each in board.refused]
    ([(1, 'c'), (2, 'a')], ['b'])

    """
    return ranked(key, found(key, submissions), measures, view, anonymise=anonymise, **settings).leaderboard


def found(key: Any, submissions: Any) -> Gathered:
    """Return the submissions of a folder, of several folders or files, or those given by name."""
    if isinstance(submissions, Mapping):
        return Gathered(tuple(Submission(name, name, given) for name, given in sorted(submissions.items())), ())
    sources = [submissions] if is_path(submissions) or isinstance(submissions, Input) else list(submissions)
    inputs = [each if isinstance(each, (Input, Runs)) else parse_runs(fspath(each)) for each in sources]
    gold = Input.parse(fspath(key)) if is_path(key) else key
    return gather(inputs, gold if isinstance(gold, Input) else None)


def ranked(
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
    """Read, align, judge and rank what was gathered; settings are those of `Setup`."""
    submissions = tuple(anonymised(gathered.submissions, seed) if anonymise else gathered.submissions)
    setup = Setup(**{name: value for name, value in settings.items() if value is not None})
    setup = replace(setup, attributes=sorted({*setup.attributes, *(names_used(where) if where else ())}))
    contest = _Contest(key, submissions, replace(setup, maps=_maps(submissions, setup)), hide=anonymise)
    verdicts = contest.verdicts()
    if anonymise:
        verdicts = replace(verdicts, notes=_kept_back(verdicts))
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


def _maps(submissions: Sequence[Submission], setup: Setup) -> dict[str, Mapping[str, str]]:
    """Return the label maps by the names on the board; refuse one for a submission that is not there."""
    names = {each.own_name: each.name for each in submissions}
    for side in setup.maps:
        if side not in {*_EVERYBODY, *names}:
            raise UsageError(f"a label map is given for {side!r}{nearest(side, names)}", hint="key, all, or a system")
    return {names.get(side, side): table for side, table in setup.maps.items()}


def _kept_back(verdicts: Verdicts) -> tuple[Note, ...]:
    """Leave of the notes on each submission their number alone: they quote files, and name them."""
    sides = {*verdicts.runs, *(system.name for system in verdicts.systems)}
    counts = Counter(note.side for note in verdicts.notes if note.side in sides)
    others = [note for note in verdicts.notes if note.side not in sides]
    return (*others, *(Note(side, "notes, kept back", count) for side, count in counts.items()))


class _Contest:
    """Submissions on their way to verdicts: what is wrong with one stops that one alone."""

    def __init__(self, key: Any, submissions: Sequence[Submission], setup: Setup, *, hide: bool) -> None:
        if not submissions:
            raise UsageError("there is no submission", hint="give a folder of them: KEY FOLDER")
        columns_of({each.name: each.given for each in submissions})  # refuses names that cannot be told apart
        self.submissions, self.setup, self.hide = submissions, setup, hide
        self.problems: dict[str, ComparandaError] = {}
        self._say: Callable[[str], None] = setup.progress or (lambda _: None)
        self._say("reading the key")
        silent = replace(setup, progress=None)
        self.gold = read_key(key, silent)
        # The key against itself: what is wrong with it or with the setup is said before a submission is blamed.
        self.options = prepare(self.gold, {"itself": self.gold}, silent).options
        self._bare = replace(silent, train=None, same_ids=None)  # these are in the options now, and not read again

    def verdicts(self) -> Verdicts:
        """Judge all submissions that can be judged."""
        return self._clean(self._read())

    def refused(self) -> tuple[Refused, ...]:
        """Return the others, with the reasons."""
        return tuple(self._refused(name, problem) for name, problem in sorted(self.problems.items()))

    def _refused(self, name: str, problem: ComparandaError) -> Refused:
        if self.hide:
            return Refused(name, _in_general(problem), ())
        first, *details = str(problem).split("\n")
        return Refused(name, first, tuple(line.strip() for line in details))

    def _read(self) -> dict[str, Prepared]:
        """Read and align each submission by itself."""
        ready: dict[str, Prepared] = {}
        for number, each in enumerate(self.submissions, start=1):
            self._say(f"reading {each.name} ({number} of {len(self.submissions)})")
            try:
                ready[each.name] = prepare(self.gold, {each.name: each.given}, self._bare)
            except ComparandaError as problem:
                self.problems[each.name] = problem
        return ready

    def _clean(self, ready: Mapping[str, Prepared]) -> Verdicts:
        """Judge; under --strict without the submissions that give anything to note."""
        if not ready:
            reasons = [f"{each.system}: {each.reason}" for each in self.refused()]
            raise ReadError("no submission can be ranked", details=reasons)
        verdicts = self._judged(ready)
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
        return self._clean({name: each for name, each in ready.items() if name not in self.problems})

    def _judged(self, ready: Mapping[str, Prepared]) -> Verdicts:
        """Judge all at once; if that fails, find out by itself whose fault it is, and go on without."""
        lenient = replace(self.setup, strict=False)
        try:
            return judged(self._joined(ready), lenient)
        except ComparandaError as problem:
            good = {name: each for name, each in ready.items() if self._can_be_judged(name, each)}
            if len(good) not in {0, len(ready)}:
                return self._judged(good)
            if self.hide:
                raise ReadError(f"the submissions: {_in_general(problem)}") from None
            raise

    def _can_be_judged(self, name: str, alone: Prepared) -> bool:
        try:
            judged(self._joined({name: alone}), replace(self._bare, strict=False))
        except ComparandaError as problem:
            self.problems[name] = problem
            return False
        return True

    def _joined(self, ready: Mapping[str, Prepared]) -> Prepared:
        """Put submissions side by side; label maps of those that are left out are left out too."""
        systems: list[System] = []
        columns = 0
        for each in ready.values():
            systems += [System(one.name, tuple(run + columns for run in one.runs)) for one in each.systems]
            columns += len(each.aligned.responses)
        maps = {side: table for side, table in self.options.maps.items() if side in {*_EVERYBODY, *ready}}
        task = next(iter(ready.values())).task
        aligned = together([each.aligned for each in ready.values()])
        return Prepared(task, aligned, systems, replace(self.options, maps=maps))


def _in_general(problem: ComparandaError) -> str:
    """Say what is wrong with a submission without a word of its own: no place, no name, no quotation."""
    if isinstance(problem, AlignError):
        return "it does not fit the key"
    return "it cannot be read" if isinstance(problem, ReadError) else "it cannot be judged"

"""A folder of submissions against a key: each is read by itself, bad ones are listed, the others are ranked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import fspath
from typing import TYPE_CHECKING, Any

from comparanda.align.together import together
from comparanda.comparison.leaderboard import Leaderboard, Refused
from comparanda.comparison.resample import RESAMPLES, SEED
from comparanda.errors import AlignError, ComparandaError, ReadError, UsageError, nearest
from comparanda.expressions import names_used
from comparanda.places import Note
from comparanda.read.inputs import Input
from comparanda.read.objects import is_path
from comparanda.read.runs import Runs, parse_runs
from comparanda.result import Result
from comparanda.road import Prepared, Setup, columns_of, judged, prepare, read_key, refuse_notes
from comparanda.submissions import KEY, Gathered, Submission, anonymised, gather
from comparanda.verdicts import System

if TYPE_CHECKING:
    from comparanda.verdicts import Verdicts

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

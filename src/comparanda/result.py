"""The public face: from inputs to a result, and from a result to its findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from comparanda.align import MISSING, Missing, align
from comparanda.comparison.anatomy import Anatomy, anatomy
from comparanda.comparison.combine import Combination, Order, combination
from comparanda.comparison.context import Context
from comparanda.comparison.difference import Difference, Pairs, difference, pairs
from comparanda.comparison.examples import Examples, examples
from comparanda.comparison.resample import RESAMPLES, SEED
from comparanda.comparison.scores import Scores, scores
from comparanda.comparison.significance import Significance, significance
from comparanda.comparison.slices import Slices, slices
from comparanda.errors import ReadError, UsageError, nearest
from comparanda.expressions import names_used
from comparanda.judge.task import Options, find_task
from comparanda.measures import measure
from comparanda.read.inputs import Input, read_input
from comparanda.read.request import Request
from comparanda.read.scan import MAX_LINE
from comparanda.selection import SITE_NAMES, scope, selected
from comparanda.verdicts import System, Verdicts
from comparanda.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from comparanda.columns import Rows
    from comparanda.corpus import Corpus
    from comparanda.places import Note
    from comparanda.read.request import Shape
    from comparanda.verdicts import View


@dataclass(frozen=True, eq=False)
class Result:
    """A key and its systems, judged; every method gives one finding.

    Args:
        verdicts: the judge's work.
        resamples: how many resamples intervals and tests draw; 0 for none.
        seed: the seed of all draws.
        zero_division: a value to put where a ratio is undefined; None to say so instead.

    """

    verdicts: Verdicts
    resamples: int = RESAMPLES
    seed: int = SEED
    zero_division: float | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(system.name for system in self.verdicts.systems)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was met while reading and aligning: nothing is dropped silently."""
        return self.verdicts.notes

    @cached_property
    def signature(self) -> str:
        """How the numbers were made, in one line."""
        verdicts = self.verdicts
        parts = {
            "task": verdicts.task,
            **verdicts.settings,
            "documents": str(len(verdicts.documents)),
            "unit": f"{verdicts.units.kind}",
            "resamples": str(self.resamples),
            "seed": str(self.seed),
        }
        if self.zero_division is not None:
            parts["zero_division"] = f"{self.zero_division:g}"
        parts["version"] = __version__
        return "|".join(f"{name}:{value}" for name, value in parts.items())

    def scores(self, *measures: str, view: str | None = None) -> Scores:
        """Return scores with intervals: of the view's measures, or of others by name."""
        return scores(self._context(view), [measure(name) for name in measures])

    def pairs(self, *, view: str | None = None) -> Pairs:
        """Return diff beside the difference of scores, for every pair of systems."""
        return pairs(self._context(view))

    def difference(self, base: str | None = None, new: str | None = None, *, view: str | None = None) -> Difference:
        """Return what the difference of two systems consists of; by default of the first and the best other one."""
        context = self._context(view)
        return difference(context, *self.pair(base, new, view=view))

    def combination(self, *, order: Order = "frequency", view: str | None = None) -> Combination:
        """Return what the systems could do together: upper bounds, hardness, greedy curve, agreement.

        Labels are sorted by their `frequency` in the key, by the oracle's `gain` over the best system, or
        over the best on that label (`gain-here`).
        """
        return combination(self._context(view), order)

    def significance(self, measure_name: str | None = None, *, view: str | None = None) -> Significance:
        """Return tests of all pairs by the main measure, or by another."""
        return significance(self._context(view), measure(measure_name) if measure_name else None)

    def slices(
        self,
        by: str,
        base: str | None = None,
        new: str | None = None,
        *,
        measure_name: str | None = None,
        view: str | None = None,
    ) -> Slices:
        """Return scores by an attribute, such as label, length, frequency, seen, document or genre."""
        context = self._context(view)
        ground = scope(self.verdicts, context.view)
        if by not in ground.types:
            raise UsageError(
                f"there is no attribute {by!r}{nearest(by, ground.types)}",
                hint=f"attributes: {', '.join(sorted(ground.types))}",
            )
        if len(self.systems) > 1:
            base, new = self.pair(base, new, view=view)
        chosen = measure(measure_name) if measure_name else None
        return slices(context, by, ground.column(by), base, new, chosen)

    def examples(
        self,
        where: str = "true",
        base: str | None = None,
        new: str | None = None,
        *,
        top: int = 10,
        view: str | None = None,
    ) -> Examples:
        """Return the sentences behind a number.

        Args:
            where: a condition; each count of a finding carries its own.
            base: the first of a pair of systems, for conditions like `correction`.
            new: the second.
            top: how many to show; they are chosen by a hash of seed, document and place. 0 for all.
            view: the view, if there are several.

        """
        context = self._context(view)
        if len(self.systems) > 1:
            base, new = self.pair(base, new, view=view)
        return examples(context, selected(self.verdicts, context.view, where, base, new), top, base, new)

    def count(self, where: str, base: str | None = None, new: str | None = None, *, view: str | None = None) -> int:
        """Return how many sites a condition selects."""
        return len(selected(self.verdicts, self.verdicts.view(view), where, base, new))

    def where(self, condition: str, *, view: str | None = None) -> Result:
        """Return the result on the sites that fulfil a condition alone."""
        chosen = self.verdicts.view(view)
        rows: Rows = selected(self.verdicts, chosen, condition).rows
        if not rows.size:
            raise UsageError(f"no site fulfils {condition!r}")
        views = {chosen.name: chosen.narrowed(rows)}
        settings = {**self.verdicts.settings, "where": condition}
        return replace(self, verdicts=replace(self.verdicts, views=views, settings=settings))

    def anatomy(
        self,
        base: str | None = None,
        new: str | None = None,
        *,
        by: Sequence[str] = (),
        order: Order = "frequency",
        view: str | None = None,
    ) -> Anatomy:
        """Return all findings in one: what `comparanda compare` prints."""
        context = self._context(view)
        pair = self.pair(base, new, view=view) if len(self.systems) > 1 else None
        cuts = tuple(self.slices(name, *(pair or (None, None)), view=view) for name in by)
        return anatomy(context, pair, cuts, self.signature, order)

    def pair(self, base: str | None, new: str | None, *, view: str | None = None) -> tuple[str, str]:
        """Complete a pair: the base is the first system, the new one the best of the others."""
        names = self.systems
        for name in (base, new):
            if name is not None:
                self.verdicts.system(name)
        if len(names) < 2:
            raise UsageError("a difference needs two systems", hint=f"there is only {names[0]!r}")
        first = base or next(name for name in names if name != new)
        if new is not None:
            if new == first:
                raise UsageError(f"the system {new!r} is compared with itself")
            return first, new
        table = scores(replace_resamples(self._context(view)), ())
        others = [name for name in names if name != first]
        return first, max(others, key=lambda name: table.value(name) or 0.0)

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the result to a folder that `comparanda.open` and every command read back."""
        from comparanda.saved import save

        save(self, folder)

    def _context(self, view: str | None) -> Context:
        chosen: View = self.verdicts.view(view)
        return Context(self.verdicts, chosen, self.resamples, self.seed, self.zero_division)


def replace_resamples(context: Context) -> Context:
    """Return the context without resampling, for scores that only order systems."""
    return replace(context, resamples=0)


@dataclass(frozen=True, slots=True)
class Setup:
    """How inputs are read and judged.

    Args:
        task: the task, with a column behind a colon if need be: `pos`, `tag:xpos`, `label`.
        column: the column to judge, another way to say the same.
        missing: what to do about documents that a response lacks: error, empty or intersection.
        maps: label maps by side: "all", "key", or a system's name.
        fold_case: compare labels without regard to case.
        only_label: count sites with these key labels alone.
        ignore_label: leave out sites with these key labels.
        train: a file whose words count as seen in training.
        attributes: further columns of the key that slices and conditions will ask for.
        strict: refuse to go on when there is anything to note.
        max_line: the longest line accepted, in bytes.
        progress: told what is being done.

    """

    task: str
    column: str | None = None
    missing: Missing = "error"
    maps: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    fold_case: bool = False
    only_label: Sequence[str] = ()
    ignore_label: Sequence[str] = ()
    train: Any = None
    attributes: Sequence[str] = ()
    strict: bool = False
    max_line: int = MAX_LINE
    progress: Callable[[str], None] | None = None


def judge(key: Any, systems: Mapping[str, Any], setup: Setup) -> Verdicts:
    """Read, align and judge: the road up to the verdicts."""
    task, column = find_task(setup.task)
    if setup.missing not in MISSING:
        raise UsageError(f"missing={setup.missing!r}{nearest(setup.missing, MISSING)}", hint=", ".join(MISSING))
    if not systems:
        raise UsageError("there is no system to compare with the key")
    if "key" in systems:
        raise UsageError("a system cannot be called 'key'", hint="name it: NAME=FILE")
    value = setup.column or column
    wanted = tuple(name for name in setup.attributes if name not in SITE_NAMES)
    tell = setup.progress or (lambda _: None)

    def read_one(given: Any, side: str, extra: tuple[str, ...]) -> Corpus:
        tell(f"reading {side}")
        return _read(given, Request(side, value, extra, {}, setup.max_line), task.shape)

    gold = read_one(key, "key", wanted)
    responses = (read_one(given, name, ()) for name, given in systems.items())
    aligned = align(gold, responses, missing=setup.missing)
    options = Options(
        value,
        setup.maps,
        setup.fold_case,
        tuple(setup.only_label),
        tuple(setup.ignore_label),
        _training_words(setup, value, task.shape),
    )
    tell("judging")
    numbered = [System(name, (number,)) for number, name in enumerate(systems)]
    verdicts = task.judge(aligned, numbered, options)
    if setup.strict and verdicts.notes:
        raise ReadError("there is something to note, and --strict refuses that", details=map(str, verdicts.notes))
    return replace(verdicts, settings={**verdicts.settings, "missing": setup.missing})


def _read(given: Any, request: Request, shape: Shape) -> Corpus:
    if isinstance(given, Input):
        return read_input(given, request, shape)
    if isinstance(given, str | PathLike):
        return read_input(Input.parse(fspath(given)), request, shape)
    from comparanda.read.objects import read_object

    return read_object(given, request, shape)


def _training_words(setup: Setup, value: str | None, shape: Shape) -> frozenset[str] | None:
    if setup.train is None:
        return None
    corpus = _read(setup.train, Request("train", value, (), {}, setup.max_line), shape)
    if corpus.words is None:
        raise UsageError("the training file has no words")
    return frozenset(corpus.words.intern().names)


def compare(
    key: Any,
    systems: Mapping[str, Any],
    *,
    task: str,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    zero_division: float | None = None,
    where: str | None = None,
    **setup: Any,
) -> Result:
    """Compare the outputs of systems with a key and with each other.

    Args:
        key: a path (`path::format?option=value`), or Python data: lists of tags, dictionaries, data frames.
        systems: the outputs by name, each like the key.
        task: `pos`, `tag:COLUMN`, `label`, or a task of another package.
        resamples: how many resamples intervals and tests draw; 0 for none.
        seed: the seed of all draws.
        zero_division: a value to put where a ratio is undefined; None to say so instead.
        where: a condition; only sites that fulfil it count.
        setup: further options; see `Setup`.

    >>> result = compare(["DT", "NN", "VB"], {"a": ["DT", "NN", "NN"], "b": ["DT", "VB", "VB"]}, task="tag")
    >>> result.difference("a", "b").diff
    0.6666666666666666

    """
    known = set(Setup.__dataclass_fields__)
    for option in setup:
        if option not in known:
            raise UsageError(f"compare has no option {option!r}{nearest(option, known)}")
    attributes = {*setup.pop("attributes", ()), *(names_used(where) if where else ())}
    verdicts = judge(key, systems, Setup(task=task, attributes=sorted(attributes), **setup))
    result = Result(verdicts, resamples, seed, zero_division)
    return result.where(where) if where else result

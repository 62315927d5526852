"""The road from inputs to a result: read, align, judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import fspath
from typing import TYPE_CHECKING, Any, TypeVar

from comparanda.align import MISSING, Missing, align
from comparanda.comparison.resample import RESAMPLES, SEED
from comparanda.errors import ReadError, UsageError, nearest
from comparanda.expressions import names_used
from comparanda.judge.task import LABELS, PUNCTUATION, Labels, Options, Punctuation, find_task
from comparanda.read.inputs import Input, read_input
from comparanda.read.objects import is_path, read_object
from comparanda.read.request import Request
from comparanda.read.scan import MAX_LINE
from comparanda.result import Result
from comparanda.selection import SITE_NAMES
from comparanda.verdicts import System

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.judge.task import Task
    from comparanda.read.request import Shape
    from comparanda.verdicts import Verdicts

Policy = TypeVar("Policy", bound=str)


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
        punctuation: which words of trees are punctuation and do not count: keep (all count), ud-punct, unicode-p, ptb.
        labels: how relations of trees are compared: universal (without subtypes) or full.
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
    punctuation: Punctuation | None = None
    labels: Labels | None = None
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
    if value != task.column and task.layer == "arcs":
        raise UsageError(f"the task {task.name!r} judges heads and relations: there is no column to choose")
    wanted = tuple(name for name in setup.attributes if name not in SITE_NAMES)
    tell = setup.progress or (lambda _: None)

    def read_one(given: Any, side: str, extra: tuple[str, ...]) -> Corpus:
        tell(f"reading {side}")
        return _read(given, Request(side, value, extra, {}, setup.max_line, task.layer), task.shape)

    gold = read_one(key, "key", (*task.columns, *wanted))
    responses = (read_one(given, name, task.columns) for name, given in systems.items())
    aligned = align(gold, responses, missing=setup.missing)
    options = Options(
        value,
        setup.maps,
        setup.fold_case,
        tuple(setup.only_label),
        tuple(setup.ignore_label),
        _training_words(setup, value, task.shape),
        _policy(task, "punctuation", setup.punctuation, PUNCTUATION),
        _policy(task, "labels", setup.labels, LABELS),
    )
    tell("judging")
    numbered = [System(name, (number,)) for number, name in enumerate(systems)]
    verdicts = task.judge(aligned, numbered, options)
    if setup.strict and verdicts.notes:
        raise ReadError("there is something to note, and --strict refuses that", details=map(str, verdicts.notes))
    return replace(verdicts, settings={**verdicts.settings, "missing": setup.missing})


def _policy(task: Task, name: str, value: Policy | None, allowed: tuple[Policy, ...]) -> Policy:
    """Return a policy that a task understands, the first by default."""
    if value is None:
        return allowed[0]
    if name not in task.policies:
        raise UsageError(f"the task {task.name!r} has no policy of {name}")
    if value not in allowed:
        raise UsageError(f"{name}={value!r}{nearest(value, allowed)}", hint=", ".join(allowed))
    return value


def _read(given: Any, request: Request, shape: Shape) -> Corpus:
    if isinstance(given, Input):
        return read_input(given, request, shape)
    if is_path(given):
        return read_input(Input.parse(fspath(given)), request, shape)
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
    column: str | None = None,
    missing: Missing = "error",
    maps: Mapping[str, Mapping[str, str]] | None = None,
    fold_case: bool = False,
    only_label: Sequence[str] = (),
    ignore_label: Sequence[str] = (),
    train: Any = None,
    attributes: Sequence[str] = (),
    where: str | None = None,
    punctuation: Punctuation | None = None,
    labels: Labels | None = None,
    strict: bool = False,
    max_line: int = MAX_LINE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    zero_division: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Result:
    """Compare the outputs of systems with a key and with each other.

    Args:
        key: a path (`path::format?option=value`), or Python data: lists of tags, dictionaries, data frames.
        systems: the outputs by name, each like the key.
        task: `pos`, `tag:COLUMN`, `label`, or a task of another package.
        column: the column to judge, where it is not the task's own.
        missing: what to do about documents that a response lacks: "error", "empty" or "intersection".
        maps: label maps (old to new) by side: "all", "key", or a system's name.
        fold_case: compare labels without regard to case.
        only_label: count sites with these key labels alone.
        ignore_label: leave out sites with these key labels.
        train: a file whose words count as seen in training.
        attributes: further columns of the key that slices and conditions will ask for.
        where: a condition; only sites that fulfil it count.
        punctuation: which words of trees do not count: "keep" (all count), "ud-punct" (relation punct), "unicode-p"
            (all characters are punctuation), "ptb" (tags `` '' : , .).
        labels: how relations of trees are compared: "universal" (without subtypes) or "full".
        strict: refuse to go on when there is anything to note.
        max_line: the longest line accepted, in bytes.
        resamples: how many resamples intervals and tests draw; 0 for none.
        seed: the seed of all draws.
        zero_division: a value to put where a ratio is undefined; None to say so instead.
        progress: called with what is being done.

    >>> result = compare(["DT", "NN", "VB"], {"a": ["DT", "NN", "NN"], "b": ["DT", "VB", "VB"]}, task="tag")
    >>> result.difference("a", "b").diff
    0.6666666666666666

    """
    setup = Setup(
        task,
        column=column,
        missing=missing,
        maps=maps or {},
        fold_case=fold_case,
        only_label=only_label,
        ignore_label=ignore_label,
        train=train,
        attributes=sorted({*attributes, *(names_used(where) if where else ())}),
        punctuation=punctuation,
        labels=labels,
        strict=strict,
        max_line=max_line,
        progress=progress,
    )
    result = Result(judge(key, systems, setup), resamples, seed, zero_division)
    return result.where(where) if where else result

"""The road from inputs to a result: read, align, judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import fspath
from typing import TYPE_CHECKING, Any, TypeVar

from comparanda.align import MISSING, Missing, align
from comparanda.core.corpus import Corpus
from comparanda.core.limits import Limits, raising
from comparanda.core.probabilities import DECIDE, Decide
from comparanda.core.verdicts import System
from comparanda.errors import ReadError, UsageError, nearest
from comparanda.expressions.selection import SITE_NAMES
from comparanda.formats.contract import BELIEF_OPTIONS, KEY, Request
from comparanda.formats.files import is_path
from comparanda.formats.inputs import Input, outputs_of, read_input
from comparanda.formats.scanner import MAX_LINE
from comparanda.tasks.task import (
    LABELS,
    MATCHING,
    NOUNS,
    PUNCTUATION,
    REPEATED,
    SINGLETONS,
    Labels,
    Matching,
    Nouns,
    Options,
    Punctuation,
    Repeated,
    Singletons,
    find_task,
)
from comparanda.tasks.word_sites import run_names

if TYPE_CHECKING:
    from comparanda.align import Aligned
    from comparanda.core.places import Note
    from comparanda.core.verdicts import Verdicts
    from comparanda.formats.contract import Shape
    from comparanda.rules.declarations import Parameters
    from comparanda.rules.ruleset import RuleSet
    from comparanda.tasks.task import Task

Policy = TypeVar("Policy", bound=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How inputs are read and judged.

    Args:
        task: the task, with a column behind a colon if need be: `pos`, `tag:xpos`, `label`.
        column: the column to judge, another way to say the same.
        missing: what to do about documents that a response lacks: error, empty or intersection; None for what is usual
            for the task.
        maps: label maps by side: "all", "key", or a system's name.
        fold_case: compare labels without regard to case.
        only_label: count sites with these key labels alone.
        ignore_label: leave out sites with these key labels.
        train: a file whose words count as seen in training.
        attributes: further columns of the key that slices and conditions will ask for.
        punctuation: which words of trees are punctuation and do not count: keep (all count), ud-punct, unicode-p, ptb.
        labels: how relations of trees are compared: universal (without subtypes) or full.
        rules: by which spans are judged: a shipped rule set ("exact", "semeval2013" …), a file, or Python objects.
        parameters: numbers to put in place of those of the rule set, by name, or by name and label.
        paranoid: run rules without any shortcut as well, and compare.
        scheme: the scheme of chunk tags, for inputs that do not say their own; detected by default.
        repair: what to do about tags that break it, for inputs that do not say their own.
        same_ids: a file of ids that mean the same.
        singletons: whether mentions that are alone in their chain count: keep or drop.
        repeated: what becomes of mentions that are given twice: first or official.
        matching: when mentions are taken for the same: exact, head or partial.
        nouns: by which tags nouns and pronouns are told: auto, ptb, stts, upos or english.
        across: what names topics, whose documents chains may span: an attribute of documents, until:SIGN, or all.
        beliefs: how probabilities are read, for inputs that do not say it themselves: scale, overlap, semantics,
            residual, aggregate, floor.
        decide: how probabilistic output becomes a hard one: tuple or hierarchical.
        min_weight: what weighs less is not in the hard output.
        strict: refuse to go on when there is anything to note.
        max_line: the longest line accepted, in bytes.
        limits: how large other things may be, by name, as `Limits` has them.
        progress: told what is being done.

    """

    task: str
    column: str | None = None
    missing: Missing | None = None
    maps: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    fold_case: bool = False
    only_label: Sequence[str] = ()
    ignore_label: Sequence[str] = ()
    train: Any = None
    attributes: Sequence[str] = ()
    punctuation: Punctuation | None = None
    labels: Labels | None = None
    rules: Any = None
    parameters: Parameters = field(default_factory=dict)
    paranoid: bool = False
    scheme: str | None = None
    repair: str | None = None
    same_ids: str | None = None
    singletons: Singletons | None = None
    repeated: Repeated | None = None
    matching: Matching | None = None
    nouns: Nouns | None = None
    across: str | None = None
    beliefs: Mapping[str, str] = field(default_factory=dict)
    decide: Decide | None = None
    min_weight: float | None = None
    strict: bool = False
    max_line: int = MAX_LINE
    limits: Mapping[str, int] = field(default_factory=dict)
    progress: Callable[[str], None] | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Prepared:
    """What a judge gets: aligned corpora, the systems they stand for, and its options."""

    task: Task
    aligned: Aligned
    systems: Sequence[System]
    options: Options


def judge(key: Any, systems: Mapping[str, Any], setup: Setup) -> Verdicts:
    """Read, align and judge: the road up to the verdicts."""
    return judged(prepare(key, systems, setup), setup)


def judged(prepared: Prepared, setup: Setup) -> Verdicts:
    """Judge what was read and aligned."""
    (setup.progress or _say_nothing)("judging")
    verdicts = prepared.task.judge(prepared.aligned, prepared.systems, prepared.options)
    refuse_notes(setup, verdicts.notes)
    return replace(verdicts, settings={**verdicts.settings, **_said(setup), "missing": missing_of(setup)})


def refuse_notes(setup: Setup, notes: Sequence[Note]) -> None:
    """Refuse to go on when there is anything to note, if that was asked for."""
    if setup.strict and notes:
        raise ReadError("there is something to note, and --strict refuses that", details=map(str, notes))


def prepare(key: Any, systems: Mapping[str, Any], setup: Setup) -> Prepared:
    """Read and align; what is wrong with the setup is said before anything is read."""
    refuse_systems(systems)
    return prepare_runs(key, *columns_of(systems), setup)


def prepare_runs(key: Any, columns: Sequence[System], outputs: Sequence[tuple[str, Any]], setup: Setup) -> Prepared:
    """Read and align the key and the runs of systems, as `columns_of` gives them."""
    check_count(outputs, setup)
    task, column = find_task(setup.task)
    missing = missing_of(setup)
    value = setup.column or column
    if value != task.column and task.layer in {"arcs", "chains"}:
        what = "heads and relations" if task.layer == "arcs" else "chains"
        raise UsageError(f"the task {task.name!r} judges {what}: there is no column to choose")
    rules = _rules(task, setup)
    gold = read_key(key, setup)
    responses = (_read_side(given, run, setup) for run, given in outputs)
    aligned = align(gold, responses, missing=missing)
    options = Options(
        column=value,
        maps=setup.maps,
        fold_case=setup.fold_case,
        only=tuple(setup.only_label),
        ignore=tuple(setup.ignore_label),
        train=_trained(task, setup, value),
        punctuation=_policy(task, "punctuation", setup.punctuation, PUNCTUATION),
        labels=_policy(task, "labels", setup.labels, LABELS),
        rules=rules,
        paranoid=setup.paranoid,
        same_ids=_same_ids(task, setup),
        singletons=_policy(task, "singletons", setup.singletons, SINGLETONS),
        repeated=_policy(task, "repeated", setup.repeated, REPEATED),
        matching=_policy(task, "matching", setup.matching, MATCHING),
        nouns=_policy(task, "nouns", setup.nouns, NOUNS),
        across=_across(task, setup),
        missing=missing,
        decide=_policy(task, "decide", setup.decide, DECIDE),
        min_weight=_min_weight(task, setup),
    )
    return Prepared(task, aligned, columns, options)


def refuse_systems(systems: Mapping[str, Any]) -> None:
    """Refuse systems that cannot be compared with a key: none, or one that is called like it."""
    if not systems:
        raise UsageError("there is no system to compare with the key")
    if KEY in systems:
        raise UsageError(f"a system cannot be called {KEY!r}", hint="name it: NAME=FILE")


def columns_of(systems: Mapping[str, Any]) -> tuple[list[System], list[tuple[str, Any]]]:
    """Give every run of every system a column; returns the systems, and the name and the output of each run."""
    found: list[System] = []
    outputs: list[Any] = []
    for name, given in systems.items():
        runs = outputs_of(given)
        found.append(System(name, tuple(range(len(outputs), len(outputs) + len(runs)))))
        outputs += runs
    names = run_names(found)
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"a system and a run of another are both called {name!r}", hint="rename the system")
    return found, list(zip(names, outputs, strict=True))


def missing_of(setup: Setup) -> Missing:
    """Return what to do about documents that a response lacks: what was asked for, or what is usual for the task."""
    missing = setup.missing or find_task(setup.task)[0].missing
    if missing not in MISSING:
        raise UsageError(f"missing={missing!r}{nearest(missing, MISSING)}", hint=", ".join(MISSING))
    return missing


def read_key(key: Any, setup: Setup) -> Corpus:
    """Read the key alone, as a comparison would."""
    return _read_side(key, KEY, setup)


def check_count(outputs: Sequence[Any], setup: Setup) -> None:
    """Refuse more outputs than are accepted."""
    most = Limits.of(setup.limits).systems
    if len(outputs) > most:
        what = f"there are {len(outputs):,} outputs to compare, more than {most:,}"
        raise UsageError(what, hint=f"is a folder given for a file? {raising('systems')}")


def read_response(given: Any, name: str, setup: Setup) -> Corpus:
    """Read one output alone, as a comparison would."""
    return _read_side(given, name, setup)


def request_of(side: str, setup: Setup) -> tuple[Request, Shape]:
    """Return what a comparison asks of the key or of a response, and whether it wants tokens or rows."""
    task, column = find_task(setup.task)
    wanted = (name for name in setup.attributes if name not in SITE_NAMES) if side == KEY else ()
    options = {**_chunk_options(task, setup), **_belief_options(task, setup)}
    value, limits = setup.column or column, Limits.of(setup.limits)
    asked = Request(
        side=side,
        value=value,
        extra=(*task.columns, *wanted),
        options=options,
        max_line=setup.max_line,
        layer=task.layer,
        limits=limits,
    )
    return asked, task.shape


def _read_side(given: Any, side: str, setup: Setup) -> Corpus:
    (setup.progress or _say_nothing)(f"reading {side}")
    corpus = _read(given, *request_of(side, setup))
    if side != KEY or corpus.beliefs is None:
        return corpus
    from comparanda.formats.scored_spans import certain_key

    return certain_key(corpus)


def _say_nothing(_: str) -> None:
    pass


def _said(setup: Setup) -> dict[str, str]:
    """Return what was asked for of rules and chunk tags, for the signature."""
    numbers = {name: value for name, value in setup.parameters.items() if not isinstance(value, Mapping)}
    for name, labels in setup.parameters.items():
        if isinstance(labels, Mapping):
            numbers |= {f"{name}[{label}]": value for label, value in labels.items()}
    said = {
        "parameters": ",".join(f"{name}={value:g}" for name, value in sorted(numbers.items())),
        "scheme": setup.scheme,
        "repair": setup.repair,
    }
    return {name: value for name, value in said.items() if value}


def _policy(task: Task, name: str, value: Policy | None, allowed: tuple[Policy, ...]) -> Policy:
    """Return a policy that a task understands, the first by default."""
    if value is None:
        return allowed[0]
    if name not in task.policies:
        raise UsageError(f"the task {task.name!r} has no policy of {name}")
    if value not in allowed:
        raise UsageError(f"{name}={value!r}{nearest(value, allowed)}", hint=", ".join(allowed))
    return value


def _across(task: Task, setup: Setup) -> str | None:
    """Return what names the topics that chains may span."""
    if setup.across is not None and "across" not in task.policies:
        raise UsageError(
            f"the task {task.name!r} has no chains that could span documents", hint="choose the task coref"
        )
    return setup.across


def _min_weight(task: Task, setup: Setup) -> float:
    """Return the least weight in the hard output."""
    if setup.min_weight is None:
        return 0.0
    if "min_weight" not in task.policies:
        raise UsageError(f"the task {task.name!r} has no weights", hint="choose the task prob")
    if not 0 <= setup.min_weight <= 1:
        raise UsageError(f"min_weight={setup.min_weight:g}: weights are between 0 and 1")
    return setup.min_weight


def _belief_options(task: Task, setup: Setup) -> dict[str, str]:
    """Return how probabilities are read, as options of all formats."""
    if not setup.beliefs:
        return {}
    if task.layer != "beliefs":
        what = f"{', '.join(setup.beliefs)}: the task {task.name!r} has no probabilities"
        raise UsageError(what, hint="choose the task prob")
    for name in setup.beliefs:
        if name not in BELIEF_OPTIONS:
            raise UsageError(f"beliefs: {name!r}{nearest(name, BELIEF_OPTIONS)}", hint=", ".join(BELIEF_OPTIONS))
    return dict(setup.beliefs)


def _rules(task: Task, setup: Setup) -> RuleSet | None:
    """Load and check the rules, by default those of exact match."""
    if task.rules is None:
        if setup.rules is not None or setup.parameters or setup.paranoid:
            hint = "rules are for spans and links: leave them out, or choose the task span or link"
            raise UsageError(f"the task {task.name!r} is not judged by rules", hint=hint)
        return None
    from comparanda.rules import rule_set

    given = task.rules if setup.rules is None else setup.rules
    found = rule_set(given, setup.parameters)
    if not found.views:
        what = f"the rule set {found.name!r} has no views, so it gives no scores"
        raise UsageError(what, hint="it is there to be included by other rule files")
    return found


def _same_ids(task: Task, setup: Setup) -> Mapping[str, str]:
    """Read which ids mean the same."""
    if setup.same_ids is None:
        return {}
    if "same_ids" not in task.policies:
        raise UsageError(f"the task {task.name!r} knows no ids", hint="choose the task span or link")
    from comparanda.formats.mappings import read_same_ids

    return read_same_ids(fspath(setup.same_ids))


def _chunk_options(task: Task, setup: Setup) -> dict[str, str]:
    """Return how chunk tags are read, as options of all formats that have them."""
    given = {name: value for name, value in (("scheme", setup.scheme), ("repair", setup.repair)) if value is not None}
    if not given:
        return {}
    if task.layer not in {"spans", "beliefs"}:
        what = f"{' and '.join(given)} say{'s' if len(given) == 1 else ''} how spans are read from tags"
        raise UsageError(f"{what}, and the task {task.name!r} judges no spans", hint="choose the task span")
    from comparanda.formats.chunks import ALSO, AUTO, REPAIRS, SCHEMES

    allowed = {"scheme": (AUTO, *SCHEMES, *ALSO), "repair": REPAIRS}
    for name, value in given.items():
        if value.lower() not in allowed[name]:
            what = f"{name}={value!r} is not possible{nearest(value.lower(), allowed[name])}"
            raise UsageError(what, hint=f"one of: {', '.join(allowed[name])}")
    return {name: value.lower() for name, value in given.items()}


def _read(given: Any, request: Request, shape: Shape) -> Corpus:
    if isinstance(given, Corpus):
        return given
    if isinstance(given, Input):
        return read_input(given, request, shape)
    if is_path(given):
        return read_input(Input.parse(fspath(given)), request, shape)
    from comparanda.formats.objects import read_object

    return read_object(given, request, shape)


def _trained(task: Task, setup: Setup, value: str | None) -> frozenset[str] | None:
    """Return what was seen in training: words, or the texts of spans."""
    if setup.train is None:
        return None
    limits = Limits.of(setup.limits)
    if task.layer in {"spans", "beliefs"}:
        from comparanda.tasks.spans.evaluation import surface_forms

        chunks = _chunk_options(task, setup)
        asked = Request(
            side="train", value=value, extra=(), options=chunks, max_line=setup.max_line, layer="spans", limits=limits
        )
        return surface_forms(_read(setup.train, asked, task.shape))
    corpus = _read(
        setup.train,
        Request(side="train", value=value, extra=(), options={}, max_line=setup.max_line, limits=limits),
        task.shape,
    )
    if corpus.words is None:
        raise UsageError("the training file has no words")
    return frozenset(corpus.words.intern().names)

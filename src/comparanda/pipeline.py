"""The pipeline from inputs to verdicts: read, align, evaluate."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import fspath
from typing import TYPE_CHECKING, Any, TypeVar

from comparanda.align import MISSING, TEXT_POLICIES, Missing, TextPolicy, align_responses
from comparanda.core.corpus import Corpus
from comparanda.core.limits import Limits, limit_hint
from comparanda.core.probabilities import DECIDE, Decide
from comparanda.core.verdicts import System
from comparanda.errors import ReadError, UsageError, suggest_nearest
from comparanda.expressions.names import SITE_NAMES
from comparanda.formats.contract import BELIEF_OPTIONS, KEY, WORDS, Request
from comparanda.formats.files import is_path
from comparanda.formats.inputs import Input, outputs_of, read_input
from comparanda.formats.scanner import MAX_LINE
from comparanda.tasks.task import (
    CONLL18,
    LABELS,
    MATCHING,
    NOUNS,
    PUNCTUATION,
    REPEATED,
    SINGLETONS,
    Conll18,
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

_RUN_NUMBER = re.compile(r"#[0-9]+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The settings for reading and evaluating inputs.

    Args:
        task: the task, optionally with a column after a colon: `pos`, `tag:xpos`, `label`.
        column: the column to evaluate, an alternative to naming it in the task.
        missing: how to treat documents that an output lacks: error, empty or intersection; None for the default of the
            task.
        texts: how texts are compared: exact, or tolerate, which accepts a few different characters.
        maps: label maps by side: "all", "key", or a system's name.
        fold_case: compare labels without regard to case.
        only_label: count only sites with these key labels.
        ignore_label: exclude sites with these key labels.
        train: a file whose words count as seen in training.
        attributes: further columns of the key for slices and conditions.
        punctuation: which words of trees are excluded as punctuation: keep (none), ud-punct, unicode-p, ptb.
        labels: how relations of trees are compared: universal (without subtypes) or full.
        conll18: how the view conll18 of trees compares values: official (as they are written) or normalised.
        rules: the rules for evaluating spans: a shipped rule set ("exact", "semeval2013" …), a file, or Python objects.
        parameters: values that replace parameters of the rule set, by name, or by name and label.
        paranoid: also run the rules without optimisations, and compare.
        scheme: the scheme of chunk tags, for inputs that do not declare one; detected by default.
        repair: how to treat tags that violate the scheme, for inputs that do not declare it.
        same_ids: a file of equivalent ids.
        singletons: whether mentions that are alone in their chain count: keep or drop.
        repeated: how to treat repeated mentions: first or official.
        matching: when two mentions match: exact, head or partial.
        nouns: the tag set that identifies nouns and pronouns: auto, ptb, stts, upos or english.
        across: how topics, whose documents chains may span, are named: an attribute of documents, until:SIGN, or all.
        beliefs: how probabilities are read, for inputs that do not declare it: scale, overlap, semantics, residual,
            aggregate, floor.
        decide: how probabilistic output is converted to a hard output: tuple or hierarchical.
        min_weight: the least weight in the hard output.
        strict: raise an error if there are any notes.
        max_line: the longest line accepted, in bytes.
        limits: other limits by name, as in `Limits`.
        progress: called with a description of the current step.
        classes: the names of classes, for labels that are numbers or rows of 0 and 1.
        options: how data in Python are read, by side: the options that files have after their path.

    """

    task: str
    column: str | None = None
    missing: Missing | None = None
    texts: TextPolicy | None = None
    maps: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    fold_case: bool = False
    only_label: Sequence[str] = ()
    ignore_label: Sequence[str] = ()
    train: Any = None
    attributes: Sequence[str] = ()
    punctuation: Punctuation | None = None
    labels: Labels | None = None
    conll18: Conll18 | None = None
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
    classes: Sequence[str] = ()
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, slots=True)
class Prepared:
    """The input of an evaluation: the task, aligned corpora, the systems whose outputs they are, and the options."""

    task: Task
    aligned: Aligned
    systems: Sequence[System]
    options: Options


def evaluate_systems(key: Any, systems: Mapping[str, Any], setup: Setup) -> Verdicts:
    """Read, align and evaluate the outputs of systems."""
    return evaluate_prepared(prepare_systems(key, systems, setup), setup)


def evaluate_prepared(prepared: Prepared, setup: Setup) -> Verdicts:
    """Evaluate inputs that are read and aligned."""
    (setup.progress or _ignore_progress)("evaluating")
    verdicts = prepared.task.evaluate(prepared.aligned, prepared.systems, prepared.options)
    refuse_notes(setup, verdicts.notes)
    return replace(verdicts, settings={**verdicts.settings, **_signature_settings(setup), "missing": missing_of(setup)})


def refuse_notes(setup: Setup, notes: Sequence[Note]) -> None:
    """Raise an error if there are notes and the setup is strict."""
    if setup.strict and notes:
        raise ReadError("the input produced warnings (--strict)", details=map(str, notes))


def prepare_systems(key: Any, systems: Mapping[str, Any], setup: Setup) -> Prepared:
    """Read and align the inputs; errors in the setup are reported before any input is read."""
    refuse_systems(systems)
    return prepare_runs(key, *columns_of(systems), setup)


def prepare_runs(key: Any, columns: Sequence[System], outputs: Sequence[tuple[str, Any]], setup: Setup) -> Prepared:
    """Read and align the key and the runs of systems, as `columns_of` returns them."""
    check_count(outputs, setup)
    task, column = find_task(setup.task)
    missing = missing_of(setup)
    value = setup.column or column
    if value != task.column and task.layer in {"arcs", "chains"}:
        what = "heads and relations" if task.layer == "arcs" else "chains"
        raise UsageError(f"the task {task.name!r} is evaluated by {what}: the option 'column' does not apply")
    rules = _load_rules(task, setup)
    gold = read_key(key, setup)
    responses = (_read_side(given, run, setup) for run, given in outputs)
    aligned = align_responses(gold, responses, missing=missing, texts=_texts_of(setup))
    options = Options(
        column=value,
        maps=setup.maps,
        fold_case=setup.fold_case,
        only=tuple(setup.only_label),
        ignore=tuple(setup.ignore_label),
        train=_read_training_words(task, setup, value),
        punctuation=_resolve_policy(task, "punctuation", setup.punctuation, PUNCTUATION),
        labels=_resolve_policy(task, "labels", setup.labels, LABELS),
        conll18=_resolve_policy(task, "conll18", setup.conll18, CONLL18),
        rules=rules,
        paranoid=setup.paranoid,
        same_ids=_load_same_ids(task, setup),
        singletons=_resolve_policy(task, "singletons", setup.singletons, SINGLETONS),
        repeated=_resolve_policy(task, "repeated", setup.repeated, REPEATED),
        matching=_resolve_policy(task, "matching", setup.matching, MATCHING),
        nouns=_resolve_policy(task, "nouns", setup.nouns, NOUNS),
        across=_check_across(task, setup),
        missing=missing,
        decide=_resolve_policy(task, "decide", setup.decide, DECIDE),
        min_weight=_check_min_weight(task, setup),
    )
    return Prepared(task, aligned, columns, options)


def refuse_systems(systems: Mapping[str, Any]) -> None:
    """Refuse an empty set of systems, and a system with the name of the key."""
    if not systems:
        raise UsageError("no system to compare with the key")
    if KEY in systems:
        raise UsageError(f"a system cannot be named {KEY!r}", hint="rename it: NAME=FILE")


def columns_of(systems: Mapping[str, Any]) -> tuple[list[System], list[tuple[str, Any]]]:
    """Assign a column to each run of each system; return the systems, and the name and output of each run."""
    found: list[System] = []
    outputs: list[Any] = []
    for name, given in systems.items():
        runs = outputs_of(given)
        found.append(System(name, tuple(range(len(outputs), len(outputs) + len(runs)))))
        outputs += runs
    names = run_names(found)
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"a system and a run of another are both named {name!r}", hint="rename the system")
    return found, list(zip(names, outputs, strict=True))


def missing_of(setup: Setup) -> Missing:
    """Return the policy for documents that an output lacks: that of the setup, or the default of the task."""
    missing = setup.missing or find_task(setup.task)[0].missing
    if missing not in MISSING:
        raise UsageError(f"missing={missing!r}{suggest_nearest(missing, MISSING)}", hint=", ".join(MISSING))
    return missing


def _texts_of(setup: Setup) -> TextPolicy:
    """Return how texts are compared."""
    texts = setup.texts or TEXT_POLICIES[0]
    if texts not in TEXT_POLICIES:
        raise UsageError(f"texts={texts!r}{suggest_nearest(texts, TEXT_POLICIES)}", hint=", ".join(TEXT_POLICIES))
    return texts


def read_key(key: Any, setup: Setup) -> Corpus:
    """Read only the key, as a comparison would."""
    return _read_side(key, KEY, setup)


def check_count(outputs: Sequence[Any], setup: Setup) -> None:
    """Refuse more outputs than the limit."""
    most = Limits.of(setup.limits).systems
    if len(outputs) > most:
        what = f"{len(outputs):,} outputs exceed the limit of {most:,}"
        raise UsageError(what, hint=limit_hint("systems"))


def read_response(given: Any, name: str, setup: Setup) -> Corpus:
    """Read only one output, as a comparison would."""
    return _read_side(given, name, setup)


def request_of(side: str, setup: Setup) -> tuple[Request, Shape]:
    """Build the request for the key or an output; also return whether tokens or rows are required."""
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
        classes=_check_classes(task, setup),
    )
    return asked, task.shape


def _read_side(given: Any, side: str, setup: Setup) -> Corpus:
    (setup.progress or _ignore_progress)(f"reading {side}")
    corpus = _read_corpus(given, *_with_own_options(given, side, setup))
    if side != KEY or corpus.beliefs is None:
        return corpus
    from comparanda.formats.scored_spans import certain_key

    return certain_key(corpus)


def _with_own_options(given: Any, side: str, setup: Setup) -> tuple[Request, Shape]:
    """Build the request for a side, with the options for data in Python; those of files follow their path."""
    request, shape = request_of(side, setup)
    own = setup.options.get(side, setup.options.get(_RUN_NUMBER.sub("", side)))
    if own is None:
        return request, shape
    if isinstance(given, Input | Corpus) or is_path(given):
        hint = "write them after its path: out.jsonl?offsets=inclusive"
        raise UsageError(f"options: {side!r} is not data in Python", hint=hint)
    from comparanda.formats.objects import check_options

    check_options(own, request.layer)
    return replace(request, options={**request.options, **own}), shape


def _ignore_progress(_: str) -> None:
    pass


def _signature_settings(setup: Setup) -> dict[str, str]:
    """Return the parameters of rules and the options of chunk tags, for the signature."""
    numbers = {name: value for name, value in setup.parameters.items() if not isinstance(value, Mapping)}
    for name, labels in setup.parameters.items():
        if isinstance(labels, Mapping):
            numbers |= {f"{name}[{label}]": value for label, value in labels.items()}
    settings = {
        "parameters": ",".join(f"{name}={value:g}" for name, value in sorted(numbers.items())),
        "scheme": setup.scheme,
        "repair": setup.repair,
        "texts": setup.texts if setup.texts != TEXT_POLICIES[0] else None,
    }
    return {name: value for name, value in settings.items() if value}


def _resolve_policy(task: Task, name: str, value: Policy | None, allowed: tuple[Policy, ...]) -> Policy:
    """Validate a policy against the task; the default is the first allowed value."""
    if value is None:
        return allowed[0]
    if name not in task.policies:
        raise UsageError(f"the task {task.name!r} has no option {name}")
    if value not in allowed:
        raise UsageError(f"{name}={value!r}{suggest_nearest(value, allowed)}", hint=", ".join(allowed))
    return value


def _check_across(task: Task, setup: Setup) -> str | None:
    """Validate how topics that chains may span are named."""
    if setup.across is not None and "across" not in task.policies:
        raise UsageError(f"the task {task.name!r} has no chains across documents", hint="choose the task coref")
    return setup.across


def _check_classes(task: Task, setup: Setup) -> tuple[str, ...]:
    """Validate the names of classes: each once, as strings, for a task with labels of rows."""
    classes = tuple(setup.classes)
    if classes and task.shape != "rows":
        raise UsageError(f"classes: the task {task.name!r} has no labels of rows", hint="choose the task label")
    if isinstance(setup.classes, str) or not all(isinstance(each, str) and each for each in classes):
        raise UsageError("classes: expected a list of strings", hint='classes=["sports", "politics"]')
    for name in classes:
        if classes.count(name) > 1:
            raise UsageError(f"classes: duplicate class {name!r}", hint="name each class once, in the order of columns")
    return classes


def _check_min_weight(task: Task, setup: Setup) -> float:
    """Validate the least weight in the hard output."""
    if setup.min_weight is None:
        return 0.0
    if "min_weight" not in task.policies:
        raise UsageError(f"the task {task.name!r} has no weights", hint="choose the task prob")
    if not 0 <= setup.min_weight <= 1:
        raise UsageError(f"min_weight={setup.min_weight:g}: expected a number from 0 to 1")
    return setup.min_weight


def _belief_options(task: Task, setup: Setup) -> dict[str, str]:
    """Return the options for reading probabilities, which all formats accept."""
    if not setup.beliefs:
        return {}
    if task.layer != "beliefs":
        what = f"{', '.join(setup.beliefs)}: the task {task.name!r} has no probabilities"
        raise UsageError(what, hint="choose the task prob")
    for name in setup.beliefs:
        if name not in BELIEF_OPTIONS and setup.beliefs.get("scale") != WORDS:
            raise UsageError(
                f"beliefs: unknown option {name!r}{suggest_nearest(name, BELIEF_OPTIONS)}",
                hint=", ".join(BELIEF_OPTIONS),
            )
    return {name: str(value) for name, value in setup.beliefs.items()}


def _load_rules(task: Task, setup: Setup) -> RuleSet | None:
    """Load and check the rules; the default of the task is used if none are given."""
    if task.rules is None:
        if setup.rules is not None or setup.parameters or setup.paranoid:
            hint = "omit the rules, or choose the task span or link"
            raise UsageError(f"the task {task.name!r} is not evaluated by rules", hint=hint)
        return None
    from comparanda.rules import rule_set

    given = task.rules if setup.rules is None else setup.rules
    found = rule_set(given, setup.parameters)
    if not found.views:
        what = f"the rule set {found.name!r} has no views, so it gives no scores"
        raise UsageError(what, hint="it is meant to be included by other rule files")
    return found


def _load_same_ids(task: Task, setup: Setup) -> Mapping[str, str]:
    """Read the file of equivalent ids, if any."""
    if setup.same_ids is None:
        return {}
    if "same_ids" not in task.policies:
        raise UsageError(f"the task {task.name!r} has no ids", hint="choose the task span or link")
    from comparanda.formats.mappings import read_same_ids

    return read_same_ids(fspath(setup.same_ids))


def _chunk_options(task: Task, setup: Setup) -> dict[str, str]:
    """Return the options for reading chunk tags, for all formats that have them."""
    given = {name: value for name, value in (("scheme", setup.scheme), ("repair", setup.repair)) if value is not None}
    if not given:
        return {}
    if task.layer not in {"spans", "beliefs"}:
        what = f"{' and '.join(given)}: the task {task.name!r} has no spans that are read from tags"
        raise UsageError(what, hint="choose the task span")
    from comparanda.formats.chunks import ALSO, AUTO, REPAIRS, SCHEMES

    allowed = {"scheme": (AUTO, *SCHEMES, *ALSO), "repair": REPAIRS}
    for name, value in given.items():
        if value.lower() not in allowed[name]:
            what = f"{name}={value!r} is not a possible value{suggest_nearest(value.lower(), allowed[name])}"
            raise UsageError(what, hint=f"one of: {', '.join(allowed[name])}")
    return {name: value.lower() for name, value in given.items()}


def _read_corpus(given: Any, request: Request, shape: Shape) -> Corpus:
    if isinstance(given, Corpus):
        return given
    if isinstance(given, Input):
        return read_input(given, request, shape)
    if is_path(given):
        return read_input(Input.parse(fspath(given)), request, shape)
    from comparanda.formats.objects import read_object

    return read_object(given, request, shape)


def _read_training_words(task: Task, setup: Setup, value: str | None) -> frozenset[str] | None:
    """Read what was seen in training: words, or the texts of spans; None without a training file."""
    if setup.train is None:
        return None
    limits = Limits.of(setup.limits)
    if task.layer in {"spans", "beliefs"}:
        from comparanda.tasks.spans.evaluation import surface_forms

        chunks = _chunk_options(task, setup)
        asked = Request(
            side="train", value=value, extra=(), options=chunks, max_line=setup.max_line, layer="spans", limits=limits
        )
        return surface_forms(_read_corpus(setup.train, asked, task.shape))
    corpus = _read_corpus(
        setup.train,
        Request(side="train", value=value, extra=(), options={}, max_line=setup.max_line, limits=limits),
        task.shape,
    )
    if corpus.words is None:
        raise UsageError("the training file has no words")
    return frozenset(corpus.words.intern().names)

"""The public functions `compare` and `compare_keys`: compare systems with one key, or with several."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comparanda.errors import UsageError, suggest_nearest
from comparanda.expressions import find_names
from comparanda.findings.resamples import RESAMPLES, SEED
from comparanda.formats.contract import KEY
from comparanda.formats.scanner import MAX_LINE
from comparanda.pipeline import Setup, evaluate_systems, prepare_systems
from comparanda.result import Result
from comparanda.tasks.task import find_task

if TYPE_CHECKING:
    from os import PathLike

    from distributed import Client

    from comparanda.align import Missing, TextPolicy
    from comparanda.core.probabilities import Decide
    from comparanda.findings.anatomy import KeyPair, Keys, KeyScores
    from comparanda.rules.declarations import Parameters
    from comparanda.tasks.task import Conll18, Labels, Matching, Nouns, Punctuation, Repeated, Singletons


def compare(
    key: Any,
    systems: Any,
    *,
    task: str | None = None,
    column: str | None = None,
    classes: Sequence[str] = (),
    options: Mapping[str, Mapping[str, str]] | None = None,
    missing: Missing | None = None,
    texts: TextPolicy | None = None,
    maps: Mapping[str, Mapping[str, str]] | None = None,
    fold_case: bool = False,
    only_label: Sequence[str] = (),
    ignore_label: Sequence[str] = (),
    train: Any = None,
    attributes: Sequence[str] = (),
    where: str | None = None,
    punctuation: Punctuation | None = None,
    labels: Labels | None = None,
    conll18: Conll18 | None = None,
    rules: Any = None,
    parameters: Parameters | None = None,
    paranoid: bool = False,
    scheme: str | None = None,
    repair: str | None = None,
    same_ids: str | None = None,
    singletons: Singletons | None = None,
    repeated: Repeated | None = None,
    matching: Matching | None = None,
    nouns: Nouns | None = None,
    across: str | None = None,
    beliefs: Mapping[str, str] | None = None,
    decide: Decide | None = None,
    min_weight: float | None = None,
    strict: bool = False,
    max_line: int = MAX_LINE,
    limits: Mapping[str, int] | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    zero_division: float | None = None,
    progress: Callable[[str], None] | None = None,
    workers: int | None = None,
    memory: int | None = None,
    part: int | None = None,
    folder: str | PathLike[str] | None = None,
    scheduler: str | Client | None = None,
) -> Result:
    """Compare the outputs of systems with a key and with each other.

    Args:
        key: a path (`path::format?option=value`), or Python data: lists of tags, dictionaries, data frames.
        systems: the outputs by name, each like the key; several of one system as `Runs(first, second, …)`. A single
            output, or a list of outputs, has no names: they are named after their files or their attribute `name`,
            else "system", or "system 1", "system 2" ….
        task: `pos`, `tag:COLUMN`, `dep`, `span`, `link`, `coref`, `prob`, `label`, or a task of another package.
        column: the column to evaluate, if not the default of the task.
        classes: the names of classes, for labels that are given as numbers from 0, or as rows of 0 and 1 with a column
            for each class (multi-hot).
        options: how Python data are read, by side ("key" or a system's name): the options that files have after their
            path, such as {"crf": {"offsets": "inclusive"}}.
        missing: how to treat documents that an output lacks: "error" (the default for most tasks), "empty" (for coref)
            or "intersection".
        texts: how texts are compared: "exact" (the default: equal but for white space) or "tolerate", which aligns
            texts that differ in up to 5 % of the characters of a document, and counts them.
        maps: label maps (old to new) by side: "all", "key", or a system's name.
        fold_case: compare labels without regard to case.
        only_label: count only sites with these key labels.
        ignore_label: exclude sites with these key labels.
        train: a file whose words count as seen in training.
        attributes: further columns of the key for slices and conditions.
        where: a condition; only sites that match it count.
        punctuation: which words of trees are excluded: "keep" (none), "ud-punct" (relation punct), "unicode-p" (all
            characters are punctuation), "ptb" (tags `` '' : , .).
        labels: how relations of trees are compared: "universal" (without subtypes) or "full".
        conll18: how the view conll18 of trees compares values: "official" (the default: as they are written) or
            "normalised" (in Unicode normal form NFC, without spaces around them, no-break spaces as spaces).
        rules: the rules for evaluating spans: a shipped rule set ("exact" by default, "semeval2013", "paper" …), the
            path of a rule file, or a `RuleSet`.
        parameters: values that replace parameters of the rule set: `{"fuzzy_credit": 0.5}`, or by label
            `{"similar_enough": {"PER": 90}}`.
        paranoid: also run the rules without optimisations, and compare.
        scheme: the scheme of chunk tags ("bio", "iob1", "bioes" …), for inputs that do not declare one after `?`;
            detected by default.
        repair: how to treat tags that violate the scheme: "conlleval" (the default), "discard" or "refuse".
        same_ids: a file of equivalent ids, one set per line, for links and entities of documents.
        singletons: whether mentions that are alone in their chain count: "keep" (the default) or "drop".
        repeated: how to treat a mention that is given twice: "first" keeps it in its first chain; "official" is as in
            the reference scorer 8.01, which does so only with mentions in the key and counts others twice.
        matching: when a predicted mention matches one of the key: "exact" (same boundaries), "head" (same head) or
            "partial" (inside it, with its head).
        nouns: the tag set that identifies nouns and pronouns: "auto", "ptb", "stts", "upos", or "english" for a list of
            pronouns.
        across: how topics, whose documents chains may span, are named: an attribute of documents, "until:_" for their
            names up to a character, or "all" for one topic.
        beliefs: how probabilities are read, for inputs that do not declare it: "scale", "overlap", "semantics",
            "residual", "aggregate", "floor", "score", each with its value; with "scale": "words", also each word.
        decide: how probabilistic output is converted to a hard output: "tuple" (the default: the largest weight of each
            block) or "hierarchical" (the most probable span, then its best label).
        min_weight: the least weight in the hard output.
        strict: raise an error if there are any notes.
        max_line: the longest line accepted, in bytes.
        limits: values that replace the default limits: "document", "nesting", "open", "labels", "systems".
        resamples: the number of resamples for intervals and tests; 0 for none.
        seed: the seed of all draws.
        zero_division: the value of undefined ratios; None to report them as undefined.
        progress: called with a description of the current step.
        workers: the number of processes that evaluate parts of the corpus; None for the current process only.
        memory: the available memory in bytes; the corpus is then evaluated in parts that fit, and sites of tags,
            labels, spans and links that all systems have right are only counted, not stored, if they would not fit.
        part: the approximate size of a part in bytes of all inputs; None to evaluate in a single pass, unless workers,
            memory, a folder or a scheduler require parts.
        folder: the folder to which the result is written part by part; an interrupted comparison resumes there.
        scheduler: the address of a Dask cluster whose workers evaluate parts of the corpus, or a `distributed.Client`.

    >>> result = compare(["DT", "NN", "VB"], {"a": ["DT", "NN", "NN"], "b": ["DT", "VB", "VB"]}, task="tag")
    >>> result.difference("a", "b").diff
    0.6666666666666666

    >>> found = compare([["B-PER", "I-PER", "O"]], {"a": [["B-PER", "O", "O"]]}, task="span", rules="semeval2013")
    >>> [found.scores("f1", view=view).value("a") for view in ("strict", "partial")]
    [0.0, 0.5]

    """
    if task is None:
        hint = 'add task="label" for labels of rows, "pos" or "tag" for tags of words, "span" for entities …'
        raise UsageError("missing argument 'task'", hint=hint)
    if not isinstance(systems, Mapping):
        from comparanda.api.system_names import name_systems

        systems = name_systems(key, systems)
    setup = Setup(
        task=task,
        column=column,
        classes=classes,
        options=_check_sides(options or {}, systems),
        missing=missing,
        texts=texts,
        maps=maps or {},
        fold_case=fold_case,
        only_label=only_label,
        ignore_label=ignore_label,
        train=train,
        attributes=sorted({*attributes, *(find_names(where) if where else ())}),
        punctuation=punctuation,
        labels=labels,
        conll18=conll18,
        rules=rules,
        parameters=parameters or {},
        paranoid=paranoid,
        scheme=scheme,
        repair=repair,
        same_ids=same_ids,
        singletons=singletons,
        repeated=repeated,
        matching=matching,
        nouns=nouns,
        across=across,
        beliefs=beliefs or {},
        decide=decide,
        min_weight=min_weight,
        strict=strict,
        max_line=max_line,
        limits=limits or {},
        progress=progress,
    )
    if all(each is None for each in (workers, memory, part, folder, scheduler)):
        result = Result(evaluate_systems(key, systems, setup), resamples, seed, zero_division)
    else:
        from comparanda.scale import Drawing, Scale, compare_in_parts

        target = None if folder is None else Path(os.path.realpath(folder))
        scale = Scale(workers=workers, memory=memory, part=part, folder=target, scheduler=scheduler)
        result = compare_in_parts(
            key, systems=systems, setup=setup, scale=scale, drawing=Drawing(resamples, seed, zero_division)
        )
    return result.where(where) if where else result


def _check_sides(
    options: Mapping[str, Mapping[str, str]], systems: Mapping[str, Any]
) -> Mapping[str, Mapping[str, str]]:
    """Refuse options for a side that is not there."""
    known = [KEY, *systems]
    for side in options:
        if side not in known:
            what = f"options for an unknown side: {side!r}{suggest_nearest(side, known)}"
            raise UsageError(what, hint=f"expected one of: {', '.join(known)}")
    return options


# Several keys for one text: scores against the key of each annotator, and against their majority.


FEWEST = 2

SETTINGS_OF_BELIEFS = ("beliefs", "decide", "min_weight")
"""Settings that only apply to probabilities."""


def compare_keys(
    keys: Mapping[str, Any], systems: Mapping[str, Any], *, view: str | None = None, **settings: Any
) -> Keys:
    """Score systems against each of several keys of one text, and against the spans that more than half of them have.

    Args:
        keys: the keys by name, at least two; the first determines documents, sentences and words.
        systems: the outputs by name.
        view: the view of the rule set, if there are several; all of them by default.
        settings: as for `comparanda.compare`; the task must be one of spans.

    >>> keys = {"ann": [["B-PER", "O", "B-LOC"]], "bea": [["B-PER", "O", "O"]], "cy": [["B-PER", "O", "B-ORG"]]}
    >>> found = compare_keys(keys, {"crf": [["B-PER", "O", "B-LOC"]]}, task="span", resamples=0)
    >>> [(each.key, each.items, each.scores[0].value) for each in found.keys]
    [('ann', 2, 1.0), ('bea', 1, 0.6666666666666666), ('cy', 2, 0.5), ('majority', 1, 0.6666666666666666)]

    """
    from comparanda.findings.anatomy import MAJORITY, Keys

    if len(keys) < FEWEST:
        raise UsageError("scores against several keys require at least two keys")
    if MAJORITY in keys:
        raise UsageError(f"a key cannot be named {MAJORITY!r}: this is the name of the majority of the keys")
    key_settings = _key_settings(settings)
    majority = _build_majority_key(keys, key_settings)
    results = {name: compare(key, systems, **settings) for name, key in {**keys, MAJORITY: majority}.items()}
    first = next(iter(results.values()))
    found = first.scores(view=view)
    return Keys(
        view=found.view,
        systems=first.systems,
        units=found.units,
        unit=found.unit,
        resamples=found.resamples,
        seed=found.seed,
        keys=tuple(_score_key(name, result, view) for name, result in results.items()),
        agreement=_compute_key_agreement(keys, key_settings),
    )


def _key_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings for comparing keys with each other: without probabilities, even if the systems have some."""
    from comparanda.tasks.spans.evaluation import SPAN

    if "task" not in settings or find_task(settings["task"])[0].layer != "beliefs":
        return dict(settings)
    return {**settings, "task": SPAN.name, **dict.fromkeys(SETTINGS_OF_BELIEFS)}


def _build_majority_key(keys: Mapping[str, Any], settings: Mapping[str, Any]) -> Any:
    """Build the majority key on the words of the first key."""
    from comparanda.tasks.spans.keys import majority_key

    known = {field.name for field in fields(Setup)} - {"strict"}  # the notes on annotators may differ
    setup = Setup(**{name: value for name, value in settings.items() if name in known and value is not None})
    name, *others = keys
    prepared = prepare_systems(keys[name], {other: keys[other] for other in others}, setup)
    if prepared.task.layer != "spans":
        raise UsageError(f"several keys are supported for spans only; the task {prepared.task.name!r} takes one")
    return majority_key(prepared.aligned)


def _score_key(name: str, result: Result, view: str | None) -> KeyScores:
    from comparanda.findings.anatomy import KeyScores

    items = result.verdicts.view(view).items
    return KeyScores(name, int(items.positive.sum()), result.scores(view=view).scores)


def _compute_key_agreement(keys: Mapping[str, Any], settings: Mapping[str, Any]) -> tuple[KeyPair, ...]:
    """Score each key against each earlier one; exact match is symmetric."""
    from comparanda.findings.anatomy import KeyPair

    pairs = []
    for first, second in combinations(keys, 2):
        plain = {**settings, "resamples": 0, "strict": False, "maps": None}
        main = compare(keys[first], {second: keys[second]}, **plain).scores().scores[0]
        pairs.append(KeyPair(first, second, main.measure, main.value))
    return tuple(pairs)

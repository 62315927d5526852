"""The public function `compare`: from inputs to a result, in one go or part by part."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comparanda.comparison.resample import RESAMPLES, SEED
from comparanda.expressions import names_used
from comparanda.read.scan import MAX_LINE
from comparanda.result import Result
from comparanda.road import Setup, judge
from comparanda.scale import Drawing, Scale, compare_in_parts

if TYPE_CHECKING:
    from os import PathLike

    from distributed import Client

    from comparanda.align import Missing
    from comparanda.beliefs.policies import Decide
    from comparanda.judge.task import Labels, Matching, Nouns, Punctuation, Repeated, Singletons
    from comparanda.rules.parameters import Parameters


def compare(
    key: Any,
    systems: Mapping[str, Any],
    *,
    task: str,
    column: str | None = None,
    missing: Missing | None = None,
    maps: Mapping[str, Mapping[str, str]] | None = None,
    fold_case: bool = False,
    only_label: Sequence[str] = (),
    ignore_label: Sequence[str] = (),
    train: Any = None,
    attributes: Sequence[str] = (),
    where: str | None = None,
    punctuation: Punctuation | None = None,
    labels: Labels | None = None,
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
        systems: the outputs by name, each like the key; several of one system as `Runs(first, second, …)`.
        task: `pos`, `tag:COLUMN`, `dep`, `span`, `link`, `coref`, `prob`, `label`, or a task of another package.
        column: the column to judge, where it is not the task's own.
        missing: what to do about documents that a response lacks: "error" (the default for most tasks), "empty" (for
            coref) or "intersection".
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
        rules: by which spans are judged: a shipped rule set ("exact" by default, "semeval2013", "paper" …), the path
            of a rule file, or a `RuleSet`.
        parameters: numbers to put in place of those of the rule set: `{"fuzzy_credit": 0.5}`, and for those that differ
            by label `{"similar_enough": {"PER": 90}}`.
        paranoid: run the rules without any shortcut as well, and compare.
        scheme: how spans are written in chunk tags ("bio", "iob1", "bioes" …), for inputs that do not say their own
            behind `?`; detected by default.
        repair: what to do about tags that break the scheme: "conlleval" (the default), "discard" or "refuse".
        same_ids: a file of ids that mean the same entity, a line each, for links and for documents' entities.
        singletons: whether mentions that are alone in their chain count: "keep" (the default) or "drop".
        repeated: what becomes of a mention that is given twice: its "first" chain keeps it, or "official", as in the
            reference scorer 8.01, which does so only with mentions that the key has and counts others again.
        matching: when a mention of a response is taken for one of the key: "exact" (at the same place), "head" (the
            same head) or "partial" (inside of it, with its head).
        nouns: by which tags nouns and pronouns are told: "auto", "ptb", "stts", "upos", or "english" for a list of
            pronouns.
        across: what names topics, whose documents chains may span: an attribute of documents, "until:_" for their names
            up to a sign, or "all" for one topic.
        beliefs: how probabilities are read, for inputs that do not say it themselves: "scale", "overlap", "semantics",
            "residual", "aggregate", "floor", "score", each with its value.
        decide: how probabilistic output becomes a hard one: "tuple" (the default: the largest weight of each block) or
            "hierarchical" (the most probable span, then its best label).
        min_weight: what weighs less is not in the hard output.
        strict: refuse to go on when there is anything to note.
        max_line: the longest line accepted, in bytes.
        limits: other numbers in place of the usual limits: "document", "nesting", "open", "labels", "systems".
        resamples: how many resamples intervals and tests draw; 0 for none.
        seed: the seed of all draws.
        zero_division: a value to put where a ratio is undefined; None to say so instead.
        progress: called with what is being done.
        workers: how many processes judge parts of the corpus; None for this one alone.
        memory: how many bytes of memory there are for it; the corpus is then judged in parts that fit, and sites of
            tags, labels, spans and links that all systems have right are counted and no longer kept if they would not.
        part: about how many bytes of all inputs a part has; None to judge in one go, unless workers, memory, a folder
            or a scheduler ask for parts.
        folder: where the result is written, part by part; an interrupted comparison goes on there.
        scheduler: the address of a Dask cluster whose workers judge parts of the corpus, or a `distributed.Client`.

    >>> result = compare(["DT", "NN", "VB"], {"a": ["DT", "NN", "NN"], "b": ["DT", "VB", "VB"]}, task="tag")
    >>> result.difference("a", "b").diff
    0.6666666666666666

    >>> found = compare([["B-PER", "I-PER", "O"]], {"a": [["B-PER", "O", "O"]]}, task="span", rules="semeval2013")
    >>> [found.scores("f1", view=view).value("a") for view in ("strict", "partial")]
    [0.0, 0.5]

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
        result = Result(judge(key, systems, setup), resamples, seed, zero_division)
    else:
        target = None if folder is None else Path(os.path.realpath(folder))
        scale = Scale(workers, memory, part, target, scheduler)
        result = compare_in_parts(key, systems, setup, scale, Drawing(resamples, seed, zero_division))
    return result.where(where) if where else result

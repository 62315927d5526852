"""Tasks: their inputs and options, and the function that evaluates each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from comparanda.core.registry import find_registered
from comparanda.errors import UsageError, suggest_nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.align import Aligned, Missing
    from comparanda.core.probabilities import Decide
    from comparanda.core.verdicts import System, Verdicts
    from comparanda.formats.contract import Layer, Shape
    from comparanda.rules.ruleset import RuleSet


Punctuation = Literal["keep", "ud-punct", "unicode-p", "ptb"]
PUNCTUATION: tuple[Punctuation, ...] = get_args(Punctuation)
Labels = Literal["universal", "full"]
LABELS: tuple[Labels, ...] = get_args(Labels)
Conll18 = Literal["official", "normalised"]
CONLL18: tuple[Conll18, ...] = get_args(Conll18)
Singletons = Literal["keep", "drop"]
SINGLETONS: tuple[Singletons, ...] = get_args(Singletons)
Repeated = Literal["first", "official"]
REPEATED: tuple[Repeated, ...] = get_args(Repeated)
Matching = Literal["exact", "head", "partial"]
MATCHING: tuple[Matching, ...] = get_args(Matching)
Nouns = Literal["auto", "ptb", "stts", "upos", "english"]
NOUNS: tuple[Nouns, ...] = get_args(Nouns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Evaluation options: how labels are normalised and which sites count.

    Args:
        column: the column to evaluate; None for the task's own.
        maps: label maps by side: "all" (the key and every system), "key", or a system's name.
        fold_case: whether labels are compared case-insensitively.
        only: count only sites with these key labels.
        ignore: leave out sites with these key labels.
        train: the words seen in training, for the attribute `seen`.
        punctuation: which words of the key count as punctuation and are excluded.
        labels: how relations are compared: `universal` without their subtypes, or `full`.
        conll18: how the scores of the CoNLL 2018 shared task compare values: `official` as they are written, or
            `normalised` in Unicode normal form NFC and without spaces around them.
        rules: the rule set that evaluates spans.
        paranoid: whether rules are also run without optimisations and both results compared.
        same_ids: the canonical id of each id that has equivalents.
        singletons: whether singleton mentions count.
        repeated: what happens to a mention that occurs twice: its first chain keeps it, or, as in the reference scorer,
            only if the key has the mention.
        matching: when a predicted mention matches one of the key: same extent, same head, or inside it and including
            its head.
        nouns: the tag set that identifies nouns and pronouns.
        missing: what to do about documents missing on one side.
        across: what identifies the topics that chains may span: a document attribute, "until:" and a delimiter for the
            document name up to that delimiter, or "all" for a single topic; None where chains stay within documents.
        decide: how probabilistic output is turned into hard output: by the weights of tuples, or spans first.
        min_weight: the smallest weight in the hard output.

    """

    column: str | None = None
    maps: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    fold_case: bool = False
    only: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    train: frozenset[str] | None = None
    punctuation: Punctuation = "keep"
    labels: Labels = "universal"
    conll18: Conll18 = "official"
    rules: RuleSet | None = None
    paranoid: bool = False
    same_ids: Mapping[str, str] = field(default_factory=dict)
    singletons: Singletons = "keep"
    repeated: Repeated = "first"
    matching: Matching = "exact"
    nouns: Nouns = "auto"
    across: str | None = None
    missing: Missing = "error"
    decide: Decide = "tuple"
    min_weight: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task; new tasks register as entry points.

    Args:
        name: its name on the command line, after `--task`.
        summary: one line for the help.
        shape: whether its input is running tokens or independent rows.
        column: the column it evaluates by default; None for the format's own.
        evaluate: the function that turns aligned corpora into verdicts.
        layer: what it evaluates: one value per row, trees, spans, chains, or probabilistic spans.
        columns: further columns that it needs from every side.
        policies: the options it accepts in addition to the common ones.
        rules: its default rule set, if it is evaluated by rules.
        missing: what to do by default about documents missing from a system output.

    """

    name: str
    summary: str
    shape: Shape
    column: str | None
    evaluate: Callable[[Aligned, Sequence[System], Options], Verdicts]
    layer: Layer = "values"
    columns: tuple[str, ...] = ()
    policies: frozenset[str] = frozenset()
    rules: str | None = None
    missing: Missing = "error"


def find_task(written: str) -> tuple[Task, str | None]:
    """Find a task by name, and the column after a colon, if any: `tag`, `tag:xpos`, `label`.

    Tasks register in the entry point group `comparanda.tasks`.
    """
    name, _, column = written.partition(":")
    entries = find_registered("comparanda.tasks")
    if name not in entries:
        raise UsageError(
            f"unknown task {name!r}{suggest_nearest(name, entries)}", hint=f"tasks: {', '.join(sorted(entries))}"
        )
    task: Task = entries[name].load()
    return task, column or task.column

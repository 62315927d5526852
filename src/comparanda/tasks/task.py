"""What a task is: which inputs it takes, which options it understands, and its judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from comparanda.core.registry import registered
from comparanda.errors import UsageError, nearest

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
    """How values are brought to one tongue, and which sites count.

    Args:
        column: the column that is judged; None for the task's own.
        maps: label maps by side: "all" (the key and every system), "key", or a system's name.
        fold_case: compare labels without regard to case.
        only: count sites with these key labels alone.
        ignore: leave out sites with these key labels.
        train: the words seen in training, for the attribute `seen`.
        punctuation: which words of the key are punctuation and do not count.
        labels: how relations are compared: `universal` without their subtypes, or `full`.
        rules: by which spans are judged.
        paranoid: whether rules are also run without any shortcut, and both results compared.
        same_ids: for ids that mean the same as others, the one that stands for all.
        singletons: whether mentions that are alone in their chain count.
        repeated: what becomes of a mention that is given twice: its first chain keeps it, or as in the reference
            scorer, which does so only with those that the key has.
        matching: when a mention of a response is taken for one of the key: at the same place, with the same head, or
            inside of it and with its head.
        nouns: by which tags nouns and pronouns are told.
        missing: what to do about documents that one side lacks.
        across: what names topics, whose documents chains may span: an attribute of documents, "until:" and a sign for
            their names up to that, or "all" for one topic; None where chains end with their documents.
        decide: how probabilistic output becomes a hard one: by the weights of tuples, or by spans first.
        min_weight: what weighs less is not in the hard output.

    """

    column: str | None = None
    maps: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    fold_case: bool = False
    only: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    train: frozenset[str] | None = None
    punctuation: Punctuation = "keep"
    labels: Labels = "universal"
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
    """A task: the door by which a new one enters.

    Args:
        name: as it is written after `--task`.
        summary: one line for the help.
        shape: whether it wants running tokens or independent rows.
        column: the column it judges unless told otherwise; None for the format's own.
        judge: from aligned corpora to verdicts.
        layer: what it judges: one value a row, trees, spans, chains, or probable spans.
        columns: further columns that it wants of every side.
        policies: the options beyond the common ones that it understands.
        rules: the rules by which it judges unless told otherwise, if it is judged by rules.
        missing: what to do about documents that a response lacks unless told otherwise.

    """

    name: str
    summary: str
    shape: Shape
    column: str | None
    judge: Callable[[Aligned, Sequence[System], Options], Verdicts]
    layer: Layer = "values"
    columns: tuple[str, ...] = ()
    policies: frozenset[str] = frozenset()
    rules: str | None = None
    missing: Missing = "error"


def find_task(written: str) -> tuple[Task, str | None]:
    """Return the task that a text names, and the column behind a colon: `tag`, `tag:xpos`, `label`.

    Tasks register by the entry point group `comparanda.tasks`.
    """
    name, _, column = written.partition(":")
    entries = registered("comparanda.tasks")
    if name not in entries:
        raise UsageError(
            f"no task is called {name!r}{nearest(name, entries)}", hint=f"tasks: {', '.join(sorted(entries))}"
        )
    task: Task = entries[name].load()
    return task, column or task.column

"""ARCS: a class for every mention, by whether its antecedent is right (Tuggener 2014, 2017).

A mention of a chain that is not its first is an anaphor. Of the key's anaphors each is resolved (`tp`), resolved to a
wrong antecedent (`wl`, wrong linkage) or not resolved (`fn`); what a response resolves and the key does not is `fp`,
and `tn` for a response that does not. Which antecedent must be right is the criterion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from comparanda.chains import NO_CHAIN, antecedents

if TYPE_CHECKING:
    from comparanda.chains import Chains
    from comparanda.columns import Codes, Rows, Truths

Criterion = Literal["any", "nominal", "named", "immediate"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)

FN, FP, TN, TP, WL = range(5)
CLASSES = ("fn", "fp", "tn", "tp", "wl")
"""The classes by code, sorted."""


@dataclass(frozen=True, eq=False, slots=True)
class Classified:
    """The mentions that count under a criterion, and what each run makes of them.

    Args:
        rows: the mentions: the key's anaphors, and what at least one run resolves and the key does not.
        key: the right class of each: `TP` or `TN`.
        runs: for each run its class.
        antecedent: for each run the antecedent that decides, a row of the mentions; -1 for none.
        skipped: how many anaphors of the key do not count, because no antecedent of theirs is of the kind that does.

    """

    rows: Rows
    key: Codes
    runs: tuple[Codes, ...]
    antecedent: tuple[Rows, ...]
    skipped: int


def classify(chains: Chains, criterion: Criterion, kind: Truths | None) -> Classified:
    """Give every mention its class for every run; `kind` are those that count as antecedents, None for all."""
    plain, wanted = antecedents(chains.key), antecedents(chains.key, kind)
    anaphor = plain >= 0
    counting = anaphor & (wanted >= 0)
    answers = [_answers(chains, run, criterion, kind) for run in chains.runs]
    codes = []
    spurious = np.zeros(len(chains), np.bool_)
    for right, resolved, _ in answers:
        code = np.where(anaphor, FN, np.where(resolved, FP, TN))
        code[anaphor & resolved] = WL
        code[anaphor & resolved & right] = TP
        codes.append(code.astype(np.uint8))
        spurious |= resolved & ~anaphor
    rows = np.flatnonzero(counting | spurious)
    key = np.where(counting[rows], TP, TN).astype(np.uint8)
    return Classified(
        rows,
        key,
        tuple(code[rows] for code in codes),
        tuple(before[rows] for _, _, before in answers),
        int(anaphor.sum() - counting.sum()),
    )


def _answers(chains: Chains, run: Rows, criterion: Criterion, kind: Truths | None) -> tuple[Truths, Truths, Rows]:
    """Return whether a run resolves each mention rightly, whether at all, and the antecedent that decides."""
    before = antecedents(run, kind)
    resolved = before >= 0
    there = np.maximum(before, 0)
    if criterion == "any":
        both = (chains.key != NO_CHAIN) & (run != NO_CHAIN)
        pair = np.where(both, chains.key * (int(run.max(initial=0)) + 1) + run, NO_CHAIN)
        return antecedents(pair) >= 0, resolved, before
    if criterion == "immediate":
        return resolved & (antecedents(chains.key) == before), resolved, before
    same: Truths = resolved & (chains.key != NO_CHAIN) & (chains.key[there] == chains.key)
    return same, resolved, before

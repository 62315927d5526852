"""Bringing labels to one tongue: maps, case, and the likely map where labels occur on one side only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.joins import packed
from comparanda.core.places import Note
from comparanda.core.sites import ABSENT, shown
from comparanda.core.text_columns import TextColumn, join_labels, split_labels
from comparanda.errors import UsageError, nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.claims import Claims
    from comparanda.core.sites import Sites
    from comparanda.core.text_columns import Codes
    from comparanda.core.verdicts import System, View
    from comparanda.tasks.task import Options

_LISTED = 5
_NEVER_IN_KEY = "labels the key never uses"
_ONLY_IN_KEY = "labels only the key uses"
ONE_SIDED = frozenset({_NEVER_IN_KEY, _ONLY_IN_KEY})


def speak_alike(
    columns: Sequence[TextColumn], sides: Sequence[str], systems: Sequence[System], options: Options, *, several: bool
) -> tuple[list[TextColumn], list[Note]]:
    """Apply the label maps and the folding of case to the key's and the runs' columns, counting replacements."""
    known = {"key", "all", *(system.name for system in systems)}
    for side in options.maps:
        if side not in known:
            raise UsageError(f"a label map is given for {side!r}{nearest(side, known)}", hint="key, all, or a system")
    owner = ["key", *owners(systems)]
    translated, notes = [], []
    for column, side, name in zip(columns, sides, owner, strict=True):
        table = {**options.maps.get("all", {}), **options.maps.get(name, {})}
        replaced, found = _replace(column, table, side, several=several)
        notes += found
        folded, found = _fold(replaced, side, several=several) if options.fold_case else (replaced, [])
        notes += found
        translated.append(folded)
    return translated, notes


def owners(systems: Sequence[System]) -> list[str]:
    """Return the name of the system that each run is of."""
    names = {run: system.name for system in systems for run in system.runs}
    return [names[run] for run in sorted(names)]


def _replace(
    column: TextColumn, table: Mapping[str, str], side: str, *, several: bool
) -> tuple[TextColumn, list[Note]]:
    """Replace labels, inside sets of labels too, and count each replacement."""
    counts = np.bincount(column.codes, minlength=len(column.names))
    replaced: Counter[tuple[str, str]] = Counter()
    names = []
    for code, name in enumerate(column.names):
        labels = split_labels(name) if several else (name,)
        for label in labels:
            if table.get(label, label) != label:
                replaced[label, table[label]] += int(counts[code])
        mapped = [table.get(label, label) for label in labels]
        names.append(join_labels(mapped) if several else mapped[0])
    notes = [Note(side, f"label {old} read as {new}", count) for (old, new), count in sorted(replaced.items())]
    return (_merged(column, names), notes) if notes else (column, [])


def _fold(column: TextColumn, side: str, *, several: bool) -> tuple[TextColumn, list[Note]]:
    names = [name.casefold() for name in column.names]
    if several:  # folding can change the order of labels, or make two of them one
        names = [join_labels(split_labels(name)) for name in names]
    changed = [code for code, name in enumerate(names) if name != column.names[code]]
    if not changed:
        return column, []
    count = int(np.bincount(column.codes, minlength=len(names))[changed].sum())
    return _merged(column, names), [Note(side, "labels read without regard to case", count)]


def _merged(column: TextColumn, names: list[str]) -> TextColumn:
    """Give equal names one code."""
    distinct = tuple(dict.fromkeys(names))
    code_of = {name: code for code, name in enumerate(distinct)}
    table = np.array([code_of[name] for name in names], dtype=column.codes.dtype)
    missing = None if column.missing is None else code_of[names[column.missing]]
    return TextColumn(table[column.codes], distinct, missing)


def one_sided(view: View, runs: Sequence[str]) -> list[Note]:
    """Note labels that only the key or only a run uses, each with its likely counterpart on the other side.

    The likely counterpart of a label is what the other side says most often where this side says it.
    """
    if view.claims is not None:
        return _one_sided_spans(view.claims, runs)
    sites = view.all_sites
    if sites.parts is not None:
        return _one_sided_sets(sites, sites.parts, runs)
    notes = []
    labels = sites.labels
    width = len(labels.names)
    if width > 4096:  # lemmas and the like: one-sided values are the rule there
        return []
    for run, (name, values) in enumerate(zip(runs, labels.values, strict=True)):
        used = (np.bincount(values, minlength=width) > 0) | _used_beside(view, run)
        in_key = sites.key_counts > 0
        absent = np.array([label == ABSENT for label in labels.names])
        for codes, mine, theirs, what in (
            (np.flatnonzero(used & ~in_key & ~absent), values, labels.key, _NEVER_IN_KEY),
            (np.flatnonzero(in_key & ~used), labels.key, values, _ONLY_IN_KEY),
        ):
            if codes.size:
                hints = tuple(_likely(labels.names, code, mine, theirs) for code in codes[:_LISTED].tolist())
                notes.append(Note(name, what, len(codes), hints))
    return notes


def _used_beside(view: View, run: int) -> NDArray[np.bool_]:
    """Return which labels a run uses for what it has beside the sites."""
    names, beside = view.all_sites.labels.names, view.surplus
    if beside is None:
        return np.zeros(len(names), np.bool_)
    found = {beside.names[code] for code in np.unique(beside.label[beside.claimed[run]]).tolist()}
    return np.array([name in found for name in names], np.bool_)


def _one_sided_sets(sites: Sites, parts: tuple[tuple[str, ...], ...], runs: Sequence[str]) -> list[Note]:
    """Note the same for sets of labels; which label stands for which cannot be told there."""
    in_key = _used(sites.key, parts)
    notes = []
    for name, values in zip(runs, sites.values, strict=True):
        in_run = _used(values, parts)
        for mine, theirs, what in ((in_run, in_key, _NEVER_IN_KEY), (in_key, in_run, _ONLY_IN_KEY)):
            found = sorted(set(mine) - set(theirs))
            if found:
                hints = tuple(f"{label} ×{mine[label]:,}" for label in found[:_LISTED])
                notes.append(Note(name, what, len(found), hints))
    return notes


def _one_sided_spans(claims: Claims, runs: Sequence[str]) -> list[Note]:
    """Note the same for spans; the likely counterpart of a label is that of spans between the same two ends."""
    width, notes = len(claims.names), []
    both = np.zeros(width) if claims.agreed is None else np.bincount(claims.agreed.label, minlength=width)
    for name, counts in zip(runs, claims.runs, strict=True):
        used = [np.bincount(claims.label, weights, width) + both for weights in (counts, claims.key)]
        for mine, theirs, what in ((counts, claims.key, _NEVER_IN_KEY), (claims.key, counts, _ONLY_IN_KEY)):
            codes = np.flatnonzero((used[0] > 0) & (used[1] == 0))
            if codes.size and used[1].any():
                hints = (_likely_span(claims, code, mine, theirs) for code in codes[:_LISTED].tolist())
                notes.append(Note(name, what, len(codes), tuple(hints)))
            used.reverse()
    return notes


def _likely_span(claims: Claims, code: int, mine: Codes, theirs: Codes) -> str:
    (place,) = packed([[claims.document, claims.begin, claims.end]])
    rows = np.flatnonzero((claims.label == code) & (mine > 0))
    others = np.flatnonzero((theirs > 0) & np.isin(place, place[rows]))
    found = np.bincount(claims.label[others], minlength=len(claims.names))
    label, best = claims.names[code], int(found.argmax())
    said = f"{label} ×{int(mine[rows].sum()):,}"
    if not found[best]:
        return said
    case = "; they differ in case: --fold-case" if claims.names[best].casefold() == label.casefold() else ""
    return f"{said}, likely {claims.names[best]} ({100 * int(found[best]) / len(rows):.0f} %{case})"


def _used(values: Codes, parts: tuple[tuple[str, ...], ...]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for part, count in zip(parts, np.bincount(values, minlength=len(parts)).tolist(), strict=True):
        if count:
            counts.update(dict.fromkeys(part, count))
    return counts


def _likely(names: tuple[str, ...], code: int, mine: Codes, theirs: Codes) -> str:
    """Say how often a label is used, and what the other side says most often there, if it says anything."""
    rows = np.flatnonzero(mine == code)
    found = np.bincount(theirs[rows], minlength=len(names))
    found[[number for number, name in enumerate(names) if name == ABSENT]] = 0
    best = int(found.argmax())
    said = f"{names[code]} ×{len(rows):,}" if rows.size else names[code]
    share = 100 * int(found[best]) / max(len(rows), 1)
    return f"{said}, likely {shown(names[best])} ({share:.0f} %)" if found[best] else said

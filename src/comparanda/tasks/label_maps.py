"""Label normalisation by maps and case folding, and likely counterparts of labels that only one side uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.joins import pack_columns
from comparanda.core.places import Note
from comparanda.core.sites import ABSENT, format_value
from comparanda.core.text_columns import TextColumn, join_labels, split_labels
from comparanda.errors import UsageError, suggest_nearest

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


def apply_label_maps(
    columns: Sequence[TextColumn], sides: Sequence[str], systems: Sequence[System], options: Options, *, several: bool
) -> tuple[list[TextColumn], list[Note]]:
    """Apply label maps and case folding to the columns of the key and the runs, and count the replacements."""
    known = {"key", "all", *(system.name for system in systems)}
    for side in options.maps:
        if side not in known:
            raise UsageError(
                f"label map for an unknown side: {side!r}{suggest_nearest(side, known)}",
                hint="expected key, all or the name of a system",
            )
    owner = ["key", *system_of_runs(systems)]
    translated, notes = [], []
    for column, side, name in zip(columns, sides, owner, strict=True):
        table = {**options.maps.get("all", {}), **options.maps.get(name, {})}
        replaced, found = _apply_map(column, table, side, several=several)
        notes += found
        folded, found = _fold_case(replaced, side, several=several) if options.fold_case else (replaced, [])
        notes += found
        translated.append(folded)
    return translated, notes


def system_of_runs(systems: Sequence[System]) -> list[str]:
    """Return the system name of each run."""
    names = {run: system.name for system in systems for run in system.runs}
    return [names[run] for run in sorted(names)]


def _apply_map(
    column: TextColumn, table: Mapping[str, str], side: str, *, several: bool
) -> tuple[TextColumn, list[Note]]:
    """Replace labels, also within label sets, and count each replacement."""
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
    return (_merge_names(column, names), notes) if notes else (column, [])


def _fold_case(column: TextColumn, side: str, *, several: bool) -> tuple[TextColumn, list[Note]]:
    names = [name.casefold() for name in column.names]
    if several:  # folding can reorder or merge labels
        names = [join_labels(split_labels(name)) for name in names]
    changed = [code for code, name in enumerate(names) if name != column.names[code]]
    if not changed:
        return column, []
    count = int(np.bincount(column.codes, minlength=len(names))[changed].sum())
    return _merge_names(column, names), [Note(side, "labels read case-insensitively", count)]


def _merge_names(column: TextColumn, names: list[str]) -> TextColumn:
    """Recode a column so that equal names share one code."""
    distinct = tuple(dict.fromkeys(names))
    code_of = {name: code for code, name in enumerate(distinct)}
    table = np.array([code_of[name] for name in names], dtype=column.codes.dtype)
    missing = None if column.missing is None else code_of[names[column.missing]]
    return TextColumn(table[column.codes], distinct, missing)


def note_one_sided_labels(view: View, runs: Sequence[str]) -> list[Note]:
    """Note labels that only the key or only a run uses, each with its likely counterpart on the other side.

    The likely counterpart of a label is the other side's most frequent label where this side uses it.
    """
    if view.claims is not None:
        return _note_one_sided_span_labels(view.claims, runs)
    sites = view.all_sites
    if sites.parts is not None:
        return _note_one_sided_set_labels(sites, sites.parts, runs)
    notes = []
    labels = sites.labels
    width = len(labels.names)
    if width > 4096:  # lemmas and the like: one-sided values are the rule there
        return []
    for run, (name, values) in enumerate(zip(runs, labels.values, strict=True)):
        used = (np.bincount(values, minlength=width) > 0) | _labels_of_surplus(view, run)
        in_key = sites.key_counts > 0
        absent = np.array([label == ABSENT for label in labels.names])
        for codes, mine, theirs, what in (
            (np.flatnonzero(used & ~in_key & ~absent), values, labels.key, _NEVER_IN_KEY),
            (np.flatnonzero(in_key & ~used), labels.key, values, _ONLY_IN_KEY),
        ):
            if codes.size:
                hints = tuple(_describe_label(labels.names, code, mine, theirs) for code in codes[:_LISTED].tolist())
                notes.append(Note(name, what, len(codes), hints))
    return notes


def _labels_of_surplus(view: View, run: int) -> NDArray[np.bool_]:
    """Find the labels that a run uses for surplus items only."""
    names, extra = view.all_sites.labels.names, view.surplus
    if extra is None:
        return np.zeros(len(names), np.bool_)
    found = {extra.names[code] for code in np.unique(extra.label[extra.claimed[run]]).tolist()}
    return np.array([name in found for name in names], np.bool_)


def _note_one_sided_set_labels(sites: Sites, parts: tuple[tuple[str, ...], ...], runs: Sequence[str]) -> list[Note]:
    """Note one-sided labels of label sets; sets do not show which label corresponds to which."""
    in_key = _count_labels(sites.key, parts)
    notes = []
    for name, values in zip(runs, sites.values, strict=True):
        in_run = _count_labels(values, parts)
        for mine, theirs, what in ((in_run, in_key, _NEVER_IN_KEY), (in_key, in_run, _ONLY_IN_KEY)):
            found = sorted(set(mine) - set(theirs))
            if found:
                hints = tuple(f"{label} ×{mine[label]:,}" for label in found[:_LISTED])
                notes.append(Note(name, what, len(found), hints))
    return notes


def _note_one_sided_span_labels(claims: Claims, runs: Sequence[str]) -> list[Note]:
    """Note one-sided labels of spans; the likely counterpart of a label is taken from spans with the same extent."""
    width, notes = len(claims.names), []
    both = np.zeros(width) if claims.agreed is None else np.bincount(claims.agreed.label, minlength=width)
    for name, counts in zip(runs, claims.runs, strict=True):
        used = [np.bincount(claims.label, weights, width) + both for weights in (counts, claims.key)]
        for mine, theirs, what in ((counts, claims.key, _NEVER_IN_KEY), (claims.key, counts, _ONLY_IN_KEY)):
            codes = np.flatnonzero((used[0] > 0) & (used[1] == 0))
            if codes.size and used[1].any():
                hints = (_describe_span_label(claims, code, mine, theirs) for code in codes[:_LISTED].tolist())
                notes.append(Note(name, what, len(codes), tuple(hints)))
            used.reverse()
    return notes


def _describe_span_label(claims: Claims, code: int, mine: Codes, theirs: Codes) -> str:
    (place,) = pack_columns([[claims.document, claims.begin, claims.end]])
    rows = np.flatnonzero((claims.label == code) & (mine > 0))
    others = np.flatnonzero((theirs > 0) & np.isin(place, place[rows]))
    found = np.bincount(claims.label[others], minlength=len(claims.names))
    label, best = claims.names[code], int(found.argmax())
    text = f"{label} ×{int(mine[rows].sum()):,}"
    if not found[best]:
        return text
    case = "; they differ in case: --fold-case" if claims.names[best].casefold() == label.casefold() else ""
    return f"{text}, likely {claims.names[best]} ({100 * int(found[best]) / len(rows):.0f} %{case})"


def _count_labels(values: Codes, parts: tuple[tuple[str, ...], ...]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for part, count in zip(parts, np.bincount(values, minlength=len(parts)).tolist(), strict=True):
        if count:
            counts.update(dict.fromkeys(part, count))
    return counts


def _describe_label(names: tuple[str, ...], code: int, mine: Codes, theirs: Codes) -> str:
    """Describe how often a label is used, and the other side's most frequent label there, if any."""
    rows = np.flatnonzero(mine == code)
    found = np.bincount(theirs[rows], minlength=len(names))
    found[[number for number, name in enumerate(names) if name == ABSENT]] = 0
    best = int(found.argmax())
    text = f"{names[code]} ×{len(rows):,}" if rows.size else names[code]
    share = 100 * int(found[best]) / max(len(rows), 1)
    return f"{text}, likely {format_value(names[best])} ({share:.0f} %)" if found[best] else text

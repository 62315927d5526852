"""Measures as values: a name, the required statistics, and the function from sums of these to a score.

Scores, intervals and tests depend on nothing else. A statistic is a count (or a credit) per unit and
run; it is summed in the same way over documents, resamples and partitions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.items import ITEM_STATISTICS
from comparanda.core.registry import find_registered
from comparanda.core.sites import sum_by_code
from comparanda.errors import UsageError, suggest_nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.items import FoldedItems, Items
    from comparanda.core.sites import Folded, Sites
    from comparanda.core.verdicts import Verdicts, View

    Sums = Mapping[str, NDArray[np.float64]]

EVERY_LABEL = "\0every"
"""In the name of a statistic, requests a value for each label. Labels cannot contain NUL, so it is not a label."""

_F_STATISTICS = ("credit", "earned", "claimed", "positives")

DOCUMENT_F1 = ("document_f1_sum", "document_f1_count")
"""The sum of the F1 scores of documents, and the number of documents for which F1 is defined."""

_COUNTABLE = frozenset({"sites", "right", "sentences_all", "sentences_right", *DOCUMENT_F1, *ITEM_STATISTICS})
_MEASURE_PATTERN = re.compile(r"(?:(?P<view>[a-z][a-z0-9_]*)\.)?(?P<name>[a-z][a-z0-9_]*)(?:\[(?P<label>.+)\])?")
_VIEW_PATTERN = re.compile(r"([a-z][a-z0-9_]*)\.(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A measure.

    Args:
        name: its name as written and parsed, with its view and its label: `uas.accuracy`, `f1[PER]`.
        statistics: the statistics that it needs.
        finish: maps sums of these, of any shape, to scores of that shape; NaN where undefined.
        undefined: why it can be undefined, in a few words.
        plain: whether it is the first statistic divided by the second, so that both can be shown.
        mean_of: the measures that it is the mean of, if any; values forced where these are undefined enter the mean.
        error: whether lower values are better.

    """

    name: str
    statistics: tuple[str, ...]
    finish: Callable[[Sums], NDArray[np.float64]]
    undefined: str
    plain: bool = False
    mean_of: tuple[Measure, ...] = ()
    error: bool = False

    def __str__(self) -> str:
        return self.name


def ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide, giving NaN for a zero denominator."""
    part, whole = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    result = np.full(part.shape, np.nan)
    np.divide(part, whole, out=result, where=whole != 0)
    return result


def _with_label(label: str | None, name: str) -> str:
    return name if label is None else f"{name}[{label}]"


def _ratio_measure(name: str, part: str, whole: str, undefined: str) -> Callable[[str | None], Measure]:
    def make(label: str | None) -> Measure:
        top, bottom = _with_label(label, part), _with_label(label, whole)
        return Measure(
            name=_with_label(label, name),
            statistics=(top, bottom),
            finish=lambda sums: ratio(sums[top], sums[bottom]),
            undefined=undefined,
            plain=True,
        )

    return make


def _sentence_measure(label: str | None) -> Measure:
    """Make the share of sentences in which every site is correct."""
    if label is not None:
        raise UsageError("the measure 'sentences' counts whole sentences and takes no label")
    return _ratio_measure("sentences", "sentences_right", "sentences_all", "no sentence")(None)


def _f1_measure(label: str | None) -> Measure:
    """Make F1 = 2·TP / (2·TP + FP + FN): 0 when one side is empty, undefined when both are."""
    names = tuple(_with_label(label, name) for name in _F_STATISTICS)
    return Measure(
        name=_with_label(label, "f1"),
        statistics=names,
        finish=lambda sums: harmonic_f1(*(sums[name] for name in names)),
        undefined="nothing in the key and nothing claimed",
    )


def harmonic_f1(
    credit: NDArray[np.float64],
    earned: NDArray[np.float64],
    claimed: NDArray[np.float64],
    positives: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Compute F1 from counts; where credit and earned value differ, as the harmonic mean of precision and recall."""
    credit, earned, claimed, positives = np.broadcast_arrays(credit, earned, claimed, positives)
    plain = ratio(2 * credit, claimed + positives)
    if np.array_equal(credit, earned, equal_nan=True):
        return plain
    uneven = ratio(2 * earned * credit, earned * positives + credit * claimed)
    nothing = (earned == 0) & (credit == 0) | (earned * credit == 0)
    uneven = np.where(nothing, np.where(claimed + positives > 0, 0.0, np.nan), uneven)
    return np.where(credit == earned, plain, uneven)


def _macro_f1_measure(label: str | None) -> Measure:
    """Make the mean F1 over the key's labels; labels without items in a resample are skipped."""
    if label is not None:
        raise UsageError("the measure 'macro_f1' is a mean over labels and takes no label")
    names = tuple(_with_label(EVERY_LABEL, name) for name in _F_STATISTICS)

    def finish(sums: Sums) -> NDArray[np.float64]:
        each = harmonic_f1(*(sums[name] for name in names))
        defined = ~np.isnan(each)
        return ratio(np.where(defined, each, 0.0).sum(axis=-1), defined.sum(axis=-1).astype(np.float64))

    return Measure(name="macro_f1", statistics=names, finish=finish, undefined="no label in the key")


def _document_f1_measure(label: str | None) -> Measure:
    """Make the mean F1 over documents; documents without items in the key and without claims are skipped."""
    top, bottom = (_with_label(label, name) for name in DOCUMENT_F1)
    return Measure(
        name=_with_label(label, "document_f1"),
        statistics=(top, bottom),
        finish=lambda sums: ratio(sums[top], sums[bottom]),
        undefined="no document with items",
    )


_MAKERS: dict[str, Callable[[str | None], Measure]] = {
    "accuracy": _ratio_measure("accuracy", "right", "sites", "no site"),
    "sentences": _sentence_measure,
    "precision": _ratio_measure("precision", "earned", "claimed", "nothing claimed"),
    "recall": _ratio_measure("recall", "credit", "positives", "nothing in the key"),
    "f1": _f1_measure,
    "macro_f1": _macro_f1_measure,
    "document_f1": _document_f1_measure,
    "aligned_accuracy": _ratio_measure("aligned_accuracy", "credit", "aligned", "nothing aligned"),
}


def parse_measure(written: str) -> Measure:
    """Parse the name of a measure, such as `accuracy`, `recall[PER]`, or `uas.accuracy` of another view.

    >>> str(parse_measure("f1[PER]"))
    'f1[PER]'
    """
    match = _MEASURE_PATTERN.fullmatch(written)
    if match and match["name"] not in _MAKERS:
        _load_more_measures()
    if not match or match["name"] not in _MAKERS:
        raise UsageError(f"unknown measure {written!r}{suggest_nearest(written, _MAKERS)}", hint=", ".join(_MAKERS))
    found = _MAKERS[match["name"]](match["label"])
    return found if match["view"] is None else _restrict_to_view(found, match["view"])


def _restrict_to_view(inner: Measure, view: str) -> Measure:
    """Bind a measure to one view, whatever view it is evaluated for."""
    names = {name: f"{view}.{name}" for name in inner.statistics}
    return Measure(
        name=f"{view}.{inner.name}",
        statistics=tuple(names.values()),
        finish=lambda sums: inner.finish({name: sums[other] for name, other in names.items()}),
        undefined=inner.undefined,
        plain=inner.plain,
        mean_of=tuple(_restrict_to_view(each, view) for each in inner.mean_of),
        error=inner.error,
    )


def register_measure(name: str, make: Callable[[str | None], Measure]) -> None:
    """Register a measure; `make` is called with the label in brackets, or None."""
    _MAKERS[name] = make


def _load_more_measures() -> None:
    """Load the measures of coreference and probabilities, and of plugins (entry points `comparanda.measures`)."""
    from comparanda.tasks.coref import measures as chain_measures
    from comparanda.tasks.prob import measures as belief_measures

    for name, make in (chain_measures.MAKERS | belief_measures.MAKERS).items():
        _MAKERS.setdefault(name, make)
    for name, entry in find_registered("comparanda.measures").items():
        _MAKERS.setdefault(name, entry.load())


def unit_statistics(verdicts: Verdicts, view: View, names: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    """Compute the requested statistics as arrays of (units, runs) or (units, runs, labels)."""
    return {name: _compute_statistic(verdicts, view, name) for name in dict.fromkeys(names)}


def of_view(verdicts: Verdicts, view: View, name: str) -> tuple[View, str]:
    """Resolve the view of a statistic, this one or another by name, and the name of the statistic in it."""
    match = _VIEW_PATTERN.fullmatch(name)
    if match is None or name in view.statistics:
        return view, _given_name(view, name)
    view = view if match[1] == view.name else verdicts.view(match[1])
    return view, _given_name(view, match[2])


def _given_name(view: View, name: str) -> str:
    """Return the name of the statistic that is available: if only credit was computed, claims earn the same."""
    kind, label = _split_name(name)
    credit = _with_label(label, "credit")
    alone = name not in view.statistics and (credit in view.statistics or credit in view.lost)
    return credit if kind == "earned" and alone else name


def _compute_statistic(verdicts: Verdicts, view: View, name: str) -> NDArray[np.float64]:
    view, name = of_view(verdicts, view, name)
    if name in view.statistics:
        return np.ascontiguousarray(view.statistics[name])  # sums in another order could differ in the last bit
    kind, label = _split_name(name)
    if _given_labels(view, kind):
        raise _label_error(view, kind, label)
    if is_lost(view, name):
        shape = (verdicts.units.count, len(verdicts.runs))
        return np.full((*shape, 1) if label == EVERY_LABEL else shape, np.nan)
    if kind in {"sites", "right"}:
        return _count_sites(verdicts, view.sites, kind, label)
    if kind in {"sentences_all", "sentences_right"}:
        return _count_sentences(verdicts, view.sites, kind)
    if kind in ITEM_STATISTICS:
        return _sum_items(verdicts, view.items, kind, label)
    if kind in DOCUMENT_F1:
        return _document_statistics(verdicts, view, kind, label)
    views = [each.name for each in verdicts.views.values() if name in each.statistics]
    hint = f"write {views[0]}. before the measure: the view {views[0]!r} has it" if views else None
    raise UsageError(f"the view {view.name!r} has no statistic {name!r}", hint=hint)


def is_computable(verdicts: Verdicts, view: View, name: str) -> bool:
    """Whether a statistic was computed by the evaluation, or can be counted from sites and items."""
    try:
        view, name = of_view(verdicts, view, name)
    except UsageError:
        return False
    kind, label = _split_name(name)
    if name in view.statistics or is_lost(view, name):
        return True
    names = view.all_sites.labels.names if view.given_items is None else view.given_items.names
    return kind in _COUNTABLE and not _given_labels(view, kind) and label in {None, EVERY_LABEL, *names}


def _given_labels(view: View, kind: str) -> list[str]:
    """Return the labels for which the evaluation computed a statistic of the given kind."""
    return [label for each, label in map(_split_name, view.statistics) if each == kind and label is not None]


def _label_error(view: View, kind: str, label: str | None) -> UsageError:
    known = _given_labels(view, kind)
    if label is None:
        return UsageError(
            f"the view {view.name!r} has several scores: specify one",
            hint=f"append its name in brackets, such as [{known[0]}]",
        )
    return UsageError(
        f"the view {view.name!r} has no score {label!r}{suggest_nearest(label, known)}", hint=", ".join(known)
    )


def _split_name(name: str) -> tuple[str, str | None]:
    match = re.fullmatch(r"(\w+)(?:\[(.+)\])?", name)
    return (match[1], match[2]) if match else (name, None)


def rests_on_items(chosen: Measure) -> bool:
    """Whether a measure is computed from items, and not from sites alone."""
    names = (match[2] if (match := _VIEW_PATTERN.fullmatch(name)) else name for name in chosen.statistics)
    return any(_split_name(name)[0] in ITEM_STATISTICS for name in names)


def is_lost(view: View, name: str) -> bool:
    """Whether a statistic was computed by the evaluation and cannot be restricted to the sites of this view."""
    return name in view.lost or _split_name(name)[0] in view.lost


def _count_units(units: NDArray[np.int32], size: int) -> NDArray[np.float64]:
    return np.bincount(units, minlength=size).astype(np.float64)


def _count_sites(verdicts: Verdicts, sites: Sites, kind: str, label: str | None) -> NDArray[np.float64]:
    """Count the sites of each unit, or those a run has right. Wrong sites are few, so these are counted."""
    size = verdicts.units.count
    code = None if label is None else _label_code(sites.labels.names, label)
    every = _count_units(_select_units(verdicts, sites, code), size)
    if sites.folded is not None:
        every += _count_folded_sites(verdicts, sites.folded, code)
    result = np.repeat(every[:, None], len(sites.values), axis=1)
    if kind == "right":
        for run, right in enumerate(sites.disputed.right):
            result[:, run] -= _count_units(_select_units(verdicts, sites.disputed, code, ~right), size)
    return result


def _count_folded_sites(verdicts: Verdicts, folded: Folded, code: int | None) -> NDArray[np.float64]:
    """Sum the counts of folded sites in each unit: all, or those with one key label."""
    rows = slice(None) if code is None else folded.sites.labels.key == code
    unit = verdicts.unit_of(folded.sites)
    return sum_by_code(unit[rows], folded.count[rows], verdicts.units.count).astype(np.float64)


def _select_units(
    verdicts: Verdicts, sites: Sites, code: int | None, chosen: NDArray[np.bool_] | None = None
) -> NDArray[np.int32]:
    """Return the units of the chosen sites, restricted to one key label if given."""
    unit = verdicts.unit_of(sites)
    if code is not None:
        same = sites.labels.key == code
        chosen = same if chosen is None else chosen & same
    return unit if chosen is None else unit[chosen]


def _count_sentences(verdicts: Verdicts, sites: Sites, kind: str) -> NDArray[np.float64]:
    """Count sentences with at least one site, or those in which a run has every site right."""
    begins = np.diff(sites.sentence, prepend=-1) != 0
    unit, size = verdicts.unit_of(sites)[begins], verdicts.units.count
    every = _count_units(unit, size)
    if sites.folded is not None:  # overlap sites, whose sentences are known; for others the sentences were counted
        easy = sites.folded.sites
        alone = (np.diff(easy.sentence, prepend=-1) != 0) & ~np.isin(easy.sentence, sites.sentence)
        every += _count_units(verdicts.unit_of(easy)[alone], size)
    result = np.repeat(every[:, None], len(sites.values), axis=1)
    if kind == "sentences_right":
        number = (np.cumsum(begins) - 1)[sites.contested]
        for run, right in enumerate(sites.disputed.right):
            broken = np.zeros(len(unit), np.bool_)
            broken[number[~right]] = True
            result[:, run] -= _count_units(unit[broken], size)
    return result


def _sum_items(verdicts: Verdicts, items: Items, kind: str, label: str | None) -> NDArray[np.float64]:
    """Sum credit, claims or positives of each unit, over all labels, for one label, or for each label."""
    unit, size, runs = verdicts.unit_of(items), verdicts.units.count, range(len(items.claimed))
    if label == EVERY_LABEL:
        there: list[int] = np.flatnonzero(items.positives).tolist()
        wanted = np.array(sorted(there, key=lambda code: items.names[code]), dtype=np.int64)
        place = np.full(len(items.names), -1)
        place[wanted] = np.arange(len(wanted))
        rows = np.flatnonzero(place[items.label] >= 0)
        cell = unit[rows].astype(np.int64) * len(wanted) + place[items.label[rows]]
        total = size * len(wanted)
        sums: list[NDArray[Any]]
        sums = [np.bincount(cell, _item_values(items, kind, run)[rows], total).reshape(size, -1) for run in runs]
        if items.folded is not None:
            cell = verdicts.unit_of(items.folded).astype(np.int64) * len(wanted) + place[items.folded.label]
            more = sum_by_code(cell, items.folded.count, size * len(wanted)).reshape(size, -1)
            sums = [each + more for each in sums]
        return np.stack(sums, axis=1)
    code = None if label is None else _label_code(items.names, label)
    chosen = slice(None) if code is None else np.flatnonzero(items.label == code)
    columns = [np.bincount(unit[chosen], _item_values(items, kind, run)[chosen], size) for run in runs]
    found: NDArray[Any] = np.stack(columns, axis=1)
    return found if items.folded is None else found + _count_folded_items(verdicts, items.folded, code)[:, None]


def _count_folded_items(verdicts: Verdicts, folded: FoldedItems, code: int | None) -> NDArray[np.int64]:
    """Sum the counts of folded items in each unit: over all labels, or for one."""
    rows = slice(None) if code is None else folded.label == code
    return sum_by_code(verdicts.unit_of(folded)[rows], folded.count[rows], verdicts.units.count)


def _document_statistics(verdicts: Verdicts, view: View, kind: str, label: str | None) -> NDArray[np.float64]:
    """Compute the F1 of each document, or whether it is defined; NaN where the key has no document boundaries."""
    if verdicts.units.kind != "document":
        return np.full((verdicts.units.count, len(verdicts.runs)), np.nan)
    each = harmonic_f1(*(_compute_statistic(verdicts, view, _with_label(label, name)) for name in _F_STATISTICS))
    defined = ~np.isnan(each)
    return np.where(defined, each, 0.0) if kind == DOCUMENT_F1[0] else defined.astype(np.float64)


def _item_values(items: Items, kind: str, run: int) -> NDArray[np.float64]:
    if kind == "credit":
        return items.credit_of(run)
    if kind == "earned":
        return items.earned_of(run)
    return items.claimed[run].astype(np.float64) if kind == "claimed" else items.weights(run)


def _label_code(names: tuple[str, ...], label: str) -> int:
    if label not in names:
        in_other_case = any(each.casefold() == label.casefold() for each in names)
        hint = "upper and lower case differ; with --fold-case all labels are in lower case" if in_other_case else None
        raise UsageError(f"the label {label!r} does not occur{suggest_nearest(label, names)}", hint=hint)
    return names.index(label)

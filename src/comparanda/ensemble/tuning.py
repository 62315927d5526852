"""How good each run is, learnt where it is not used: on dev data, or on the other folds of the same documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from comparanda.corpus import owner_of_rows
from comparanda.measures import harmonic, measure, unit_statistics
from comparanda.verdicts import Units
from comparanda.vote import MILLION, Trust

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.columns import Rows
    from comparanda.corpus import Corpus
    from comparanda.verdicts import Verdicts, View

    Matrix = NDArray[np.float64]

FEWEST_FOLDS = 2


@dataclass(frozen=True, eq=False, slots=True)
class Tuning:
    """What is known of the runs, and from where.

    Args:
        trust: what is known of them.
        on: where it was learnt, in words.
        optimistic: whether that is the very data on which the combination is scored.
        learnt: whether anything was; one document of one sentence cannot be cut into folds.

    """

    trust: Trust
    on: str
    optimistic: bool = False
    learnt: bool = True


def tuned_on_folds(verdicts: Verdicts, view: str | None, key: Corpus, folds: int, seed: int) -> Tuning:
    """Learn for each fold of the key's documents from all others.

    Documents are dealt to folds in the order of a hash of the seed and their names, so that the order of the input
    does not matter. There are no more folds than documents. A single document is cut by sentences, and so is a key
    that marks none; rows of a classification file are their own documents.
    """
    verdicts = _finer(verdicts, key)
    names = _unit_names(verdicts, key)
    count = min(folds, len(names))
    if count < FEWEST_FOLDS:
        trust = Trust.equal(len(key), verdicts.runs)
        return Tuning(trust, "nothing: there is only one unit, which cannot be cut into folds", learnt=False)
    unit_fold = _dealt(names, count, seed)
    score, labels, by_label = _learnt(verdicts, verdicts.view(view), unit_fold, count)
    by_document = verdicts.units.kind == "document"
    unit = owner_of_rows(key.row_documents if by_document else key.sentences)
    on = f"{count} folds of {len(names):,} {verdicts.units.kind}s"
    return Tuning(Trust(verdicts.runs, unit_fold[unit], score, labels, by_label), on)


def tuned_on_dev(verdicts: Verdicts, view: str | None, key: Corpus) -> Tuning:
    """Learn from other data, judged in the same way, with the same systems in the same order."""
    return Tuning(_whole(verdicts, view, key), f"dev data of {_units(verdicts)}")


def tuned_on_same(verdicts: Verdicts, view: str | None, key: Corpus) -> Tuning:
    """Learn from the very data on which the combination is scored: an upper bound of what tuning can give."""
    return Tuning(_whole(verdicts, view, key), "the same data, so the scores are optimistic", optimistic=True)


def _units(verdicts: Verdicts) -> str:
    count, kind = verdicts.units.count, verdicts.units.kind
    return f"{count:,} {kind}{'' if count == 1 else 's'}"


def _whole(verdicts: Verdicts, view: str | None, key: Corpus) -> Trust:
    """Learn from all units."""
    score, labels, by_label = _learnt(verdicts, verdicts.view(view), np.zeros(verdicts.units.count, np.int64), 1)
    return Trust(verdicts.runs, np.zeros(len(key), np.int64), score, labels, by_label)


def _finer(verdicts: Verdicts, key: Corpus) -> Verdicts:
    """Take sentences for units where there is but one document."""
    if verdicts.units.kind != "document" or verdicts.units.count > 1:
        return verdicts
    return replace(verdicts, units=Units("sentence", len(key.sentences) - 1))


def _unit_names(verdicts: Verdicts, key: Corpus) -> Sequence[str]:
    """Return what units are told apart by: names of documents, ids of rows, numbers of sentences."""
    if verdicts.units.kind == "document":
        return verdicts.documents
    if verdicts.units.kind == "row" and key.words is not None:
        return [key.words[row] for row in range(len(key))]
    return [str(number) for number in range(verdicts.units.count)]


def _dealt(names: Sequence[str], folds: int, seed: int) -> Rows:
    """Deal units to folds, as evenly as can be."""
    rank = sorted(range(len(names)), key=lambda unit: (_hash(seed, names[unit]), names[unit], unit))
    fold = np.empty(len(names), np.int64)
    fold[rank] = np.arange(len(names)) % folds
    return fold


def _hash(seed: int, name: str) -> bytes:
    return blake2b(f"{seed}\0{name}".encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _learnt(
    verdicts: Verdicts, view: View, unit_fold: Rows, folds: int
) -> tuple[NDArray[np.int64], tuple[str, ...], NDArray[np.int64]]:
    """Return for each fold the main score of each run and its F1 of each label, on all other folds if there are any."""
    main = measure(view.measures[0])
    statistics = unit_statistics(verdicts, view, main.statistics)
    sums = {
        name: np.stack([values[unit_fold == fold].sum(axis=0) for fold in range(folds)])
        for name, values in statistics.items()
    }
    score = main.finish({name: _others(each) for name, each in sums.items()})
    by_label = harmonic(*map(_others, _label_counts(verdicts, view, unit_fold, folds)))
    return _millionths(score), view.items.names, _millionths(by_label)


def _others(by_fold: Matrix) -> Matrix:
    """Return the sums over all other folds; with one fold, over that."""
    return by_fold if len(by_fold) == 1 else by_fold.sum(axis=0, keepdims=True) - by_fold


def _millionths(scores: Matrix) -> NDArray[np.int64]:
    """Write scores as whole numbers; an undefined one is worth nothing."""
    return np.rint(MILLION * np.nan_to_num(scores)).astype(np.int64)


def _label_counts(verdicts: Verdicts, view: View, unit_fold: Rows, folds: int) -> list[Matrix]:
    """Count what F1 is made of, for each fold, label and run."""
    items = view.items
    width = len(items.names)
    cell = unit_fold[verdicts.unit_of(items)] * width + items.label
    runs = range(len(items.claimed))
    weights = (
        [items.credit_of(run) for run in runs],
        [items.earned_of(run) for run in runs],
        [items.claimed[run].astype(np.float64) for run in runs],
        [items.weights(run) for run in runs],
    )
    return [
        np.stack([np.bincount(cell, each, folds * width).reshape(folds, width) for each in kind], axis=-1)
        for kind in weights
    ]

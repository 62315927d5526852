"""The measures of coreference: precision, recall and F1 of each metric, BLANC, and the CoNLL average.

Their statistics are what `chain_metrics` counts; a judge gives them for each document or topic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from comparanda.chain_metrics import LINKS, METRICS, PARTS
from comparanda.errors import UsageError
from comparanda.measures import Measure, harmonic, ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.chain_metrics import Counts
    from comparanda.measures import Sums

    Floats = NDArray[np.float64]

AVERAGED = ("muc", "b3", "ceafe")
"""The metrics whose F1 the CoNLL score averages (MELA)."""

WHOLE = ("mentions", "muc", "ceafm")
"""The metrics that count whole things, so that the counts can be shown."""

NOTHING = "no chain in the key and none claimed"


def statistics_of(metric: str) -> tuple[str, ...]:
    """Return the names of the four counts of a metric."""
    return tuple(f"{metric}_{part}" for part in PARTS)


def statistics_from(counted: Mapping[str, Counts]) -> dict[str, Floats]:
    """Return the counts of metrics under the names of statistics."""
    return {
        name: getattr(counts, part)
        for metric, counts in counted.items()
        for name, part in zip(statistics_of(metric), PARTS, strict=True)
    }


def _f1(metric: str, sums: Sums) -> Floats:
    found, key, earned, claimed = (sums[name] for name in statistics_of(metric))
    return harmonic(found, earned, claimed, key)


def _measure_of(metric: str) -> Measure:
    """Return the F1 of a metric."""
    return Measure(metric, statistics_of(metric), lambda sums: _f1(metric, sums), NOTHING)


def _of_metric(metric: str) -> dict[str, Callable[[str | None], Measure]]:
    """Return F1, precision and recall of a metric."""
    found, key, earned, claimed = statistics_of(metric)
    plain = metric in WHOLE
    return {
        metric: _plain(_measure_of(metric)),
        f"{metric}_precision": _share(f"{metric}_precision", earned, claimed, "nothing claimed", plain=plain),
        f"{metric}_recall": _share(f"{metric}_recall", found, key, "nothing in the key", plain=plain),
    }


def _share(name: str, part: str, whole: str, undefined: str, *, plain: bool) -> Callable[[str | None], Measure]:
    return _plain(
        Measure(name, (part, whole), lambda sums: ratio(sums[part], sums[whole]), undefined, plain),
    )


def _plain(made: Measure) -> Callable[[str | None], Measure]:
    """Return the maker of a measure that takes no label."""

    def make(label: str | None) -> Measure:
        if label is not None:
            raise UsageError(f"{made.name} is about chains and takes no label", hint="by kinds of mentions: f1[noun]")
        return made

    return make


def _conll(sums: Sums) -> Floats:
    """Return the mean F1 of MUC, B³ and CEAFe; undefined where one of them is."""
    found: Floats = np.mean([_f1(metric, sums) for metric in AVERAGED], axis=0)
    return found


def _blanc(part: str) -> Callable[[Sums], Floats]:
    """Return how BLANC is made of its two kinds of links, as the reference scorer 8.01 does (Recasens & Hovy 2011).

    Where the key has no links of one kind, the other alone counts; where both have, the mean of both. Whatever has a
    zero denominator then is 0.
    """

    def finish(sums: Sums) -> Floats:
        halves = []
        for kind in LINKS:
            found, key, earned, claimed = (sums[name] for name in statistics_of(kind))
            recall, precision = np.nan_to_num(ratio(found, key)), np.nan_to_num(ratio(earned, claimed))
            both = np.nan_to_num(ratio(2 * recall * precision, recall + precision))
            halves.append({"recall": recall, "precision": precision, "f1": both}[part])
        has = [np.greater(sums[f"{kind}_key"], 0) for kind in LINKS]
        mean = (halves[0] + halves[1]) / 2
        chosen = np.where(has[0] & has[1], mean, np.where(has[0], halves[0], halves[1]))
        in_key, in_response = has[0] | has[1], sums[f"{LINKS[0]}_claimed"] + sums[f"{LINKS[1]}_claimed"] > 0
        defined = {"recall": in_key, "precision": in_response, "f1": in_key | in_response}[part]
        return np.where(defined, np.where(in_key, chosen, 0.0), np.nan)

    return finish


def _blancs() -> dict[str, Callable[[str | None], Measure]]:
    statistics = tuple(name for kind in LINKS for name in statistics_of(kind))
    names = {"blanc": "f1", "blanc_precision": "precision", "blanc_recall": "recall"}
    why = "no pair of mentions"
    return {name: _plain(Measure(name, statistics, _blanc(part), why)) for name, part in names.items()}


CONLL = Measure(
    "conll",
    tuple(name for metric in AVERAGED for name in statistics_of(metric)),
    _conll,
    NOTHING,
    mean_of=tuple(map(_measure_of, AVERAGED)),
)

MAKERS: dict[str, Callable[[str | None], Measure]] = {
    "conll": _plain(CONLL),
    **{name: make for metric in METRICS for name, make in _of_metric(metric).items()},
    **_blancs(),
}
"""All measures of chains by name."""

REPORTED = ("conll", "muc", "b3", "ceafe", "ceafm", "blanc", "lea", "mentions")
"""The measures in the order in which they are reported; precision and recall stand behind each but the first."""

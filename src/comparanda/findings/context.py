"""The input of every finding: the verdicts, one view of them, and the settings of resampling."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.measures import Measure, is_lost, of_view, parse_measure, unit_statistics
from comparanda.core.sites import sum_by_code
from comparanda.core.text_columns import TextColumn
from comparanda.expressions import quote_string
from comparanda.findings.resamples import RESAMPLES, SEED, bootstrap_sums, find_quantiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from comparanda.core.sites import Sites
    from comparanda.core.text_columns import Codes
    from comparanda.core.verdicts import System, Verdicts, View
    from comparanda.findings.resamples import Matrix

FEW_UNITS = 50
"""Below this many units a bootstrap interval is too narrow, and a warning says so."""

LOST = "it uses items or statistics of whole documents, which cannot be restricted to some of the sites"
"""Why a measure of the evaluation's own statistics is undefined for a part of the sites."""

_QUANTILES = (0.025, 0.975)

Interval = tuple[float | None, float | None]


@dataclass(frozen=True, eq=False, kw_only=True)
class Context:
    """The input from which a finding is computed.

    Args:
        verdicts: the output of the evaluation step.
        view: the view the finding is about.
        resamples: the number of resamples to draw; 0 for no intervals and no tests.
        seed: the seed of all draws.
        zero_division: the value of undefined ratios; None to leave them undefined.

    """

    verdicts: Verdicts
    view: View
    resamples: int = RESAMPLES
    seed: int = SEED
    zero_division: float | None = None

    @property
    def systems(self) -> tuple[System, ...]:
        """The systems."""
        return self.verdicts.systems

    def among(self, *systems: str) -> Context:
        """Return the context restricted to some systems; only overlap sites depend on the systems chosen."""
        runs = [run for name in systems for run in self.verdicts.system(name).runs]
        view = self.view.among(runs)
        return self if view is self.view else replace(self, view=view)

    @property
    def sites(self) -> Sites:
        """The sites that are scored in this view."""
        return self.view.sites

    @cached_property
    def unit(self) -> NDArray[np.int32]:
        """The unit of each site."""
        return self.verdicts.unit_of(self.sites)

    @cached_property
    def active(self) -> NDArray[np.int64]:
        """The units with at least one site, or with an item or a statistic of the evaluation's own.

        For resampling they are sorted by name, so that draws do not depend on the order of the input.
        Sentences have no names; their order is that of the key.
        """
        # spans are in the same units as their sites
        spans_or_sites = self.view.claims if self.view.claims is not None else self.sites
        units = [self.verdicts.unit_of(spans_or_sites), *self._counted_site_units]
        if self.view.given_items is not None:
            units.append(self.verdicts.unit_of(self.view.given_items))
        return self._find_active(units)

    def active_among(self, *systems: str) -> NDArray[np.int64]:
        """Return the active units of some systems alone, for spans without building their sites.

        Items are in the units of their spans, unless runs claim one item by different spans.
        """
        claims, items = self.view.claims, self.view.given_items
        if claims is None or (items is not None and items.by_run is not None):
            return self.among(*systems).active
        runs = [run for name in systems for run in self.verdicts.system(name).runs]
        return self._find_active([self.verdicts.unit_of(claims)[claims.present(runs)], *self._counted_site_units])

    @property
    def _counted_site_units(self) -> list[NDArray[np.int32]]:
        """The units of the sites that are only counted, one array per kind; empty if there are none."""
        found = self.view.counted
        return [] if found is None else [self.verdicts.unit_of(found[0])]

    @cached_property
    def easy(self) -> NDArray[np.int64] | int:
        """The number of sites of each unit that are only counted; it does not depend on the systems chosen."""
        found = self.view.counted
        if found is None:
            return 0
        return sum_by_code(self.verdicts.unit_of(found[0]), found[1], self.verdicts.units.count)

    def _find_active(self, units: Sequence[NDArray[np.int32]]) -> NDArray[np.int64]:
        """Return the units that contain a site or item, or that have a nonzero statistic, in order."""
        has_content = np.zeros(self.verdicts.units.count, np.bool_)
        for each in units:
            has_content[each] = True
        for statistic in self.view.statistics.values():
            has_content |= (statistic != 0).reshape(len(statistic), -1).any(axis=1)
        found = np.flatnonzero(has_content)
        if not self.resamples or self.verdicts.units.kind == "sentence":
            return found
        names = self._unit_sort_keys()
        return np.array(sorted(found.tolist(), key=names.__getitem__), dtype=np.int64)

    def _unit_sort_keys(self) -> Sequence[str] | NDArray[np.int64]:
        """Return the sort keys of units: the names of documents or topics, or the ranks of the ids of rows."""
        if self.verdicts.units.kind == "document":
            return self.verdicts.units.names or self.verdicts.documents
        if self.verdicts.units.kind == "topic":
            return self.verdicts.units.names
        ranks = np.arange(self.verdicts.units.count)
        ids = self.view.all_sites.attributes.get("id")
        column = ids.make() if ids is not None else None
        if isinstance(column, TextColumn):
            ranks[self.view.all_sites.sentence] = column.codes
        return ranks

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """The measures of the view; the first is the main one."""
        return tuple(parse_measure(name) for name in self.view.measures)

    @property
    def own_measures(self) -> tuple[Measure, ...]:
        """The measures of this view alone: the first of several views also reports those of the others."""
        others = tuple(f"{name}." for name in self.verdicts.views if name != self.view.name)
        return tuple(each for each in self.measures if not each.name.startswith(others)) or self.measures

    def statistics(self, measures: Sequence[Measure]) -> dict[str, NDArray[np.float64]]:
        """Return the statistics that measures need, of the active units: (units, runs) or (units, runs, labels)."""
        names = [name for each in measures for name in each.statistics]
        found = unit_statistics(self.verdicts, self.view, names)
        return {name: values[self.active] for name, values in found.items()}

    def finished(self, chosen: Measure, sums: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """Compute scores from sums; an undefined ratio becomes the value of `zero_division`, if one is set."""
        if self.zero_division is None or self.lost(chosen):
            return chosen.finish(sums)
        if chosen.mean_of:
            parts: NDArray[np.float64] = np.mean([self.finished(each, sums) for each in chosen.mean_of], axis=0)
            return parts
        values = chosen.finish(sums)
        return np.where(np.isnan(values), self.zero_division, values)

    def lost(self, chosen: Measure) -> bool:
        """Whether a measure uses statistics computed over all sites, while the view has only some of them."""
        return any(is_lost(*of_view(self.verdicts, self.view, name)) for name in chosen.statistics)

    def reason(self, chosen: Measure) -> str:
        """Explain why a measure is undefined in this context."""
        return LOST if self.lost(chosen) else chosen.undefined

    def by_system(self, runs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Average the last axis, which has one value per run, to one value per system."""
        return np.stack([runs[..., list(system.runs)].mean(axis=-1) for system in self.systems], axis=-1)

    def unit_counts(self, rows: Codes) -> NDArray[np.float64]:
        """Count some sites by active unit."""
        counts = np.bincount(self.unit[rows], minlength=self.verdicts.units.count)
        return counts[self.active].astype(np.float64)

    @cached_property
    def decided(self) -> NDArray[np.float64]:
        """The number of sites of each active unit."""
        counts = np.bincount(self.unit, minlength=self.verdicts.units.count) + self.easy
        return counts[self.active].astype(np.float64)

    def interval(self, columns: Matrix, finish: Callable[[Matrix], NDArray[np.float64]]) -> list[Interval]:
        """Return a bootstrap interval for each column that `finish` computes from resampled sums."""
        if not self.resamples or len(self.active) < 2:
            return [(None, None)] * finish(columns.sum(axis=0, keepdims=True)).shape[1]
        return compute_intervals(finish(bootstrap_sums(columns, self.resamples, self.seed)))


def compute_intervals(samples: Matrix) -> list[Interval]:
    """Return the percentile interval of each column; undefined where a resample is undefined."""
    low, high = find_quantiles(samples, _QUANTILES)
    return [(none_if_nan(a), none_if_nan(b)) for a, b in zip(low, high, strict=True)]


def none_if_nan(value: float) -> float | None:
    """Return a number, or None for NaN."""
    return None if np.isnan(value) else float(value)


def divide_counts(part: float, whole: float) -> float | None:
    """Divide two counts; None for a zero denominator."""
    return part / whole if whole else None


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """Return the mean of those numbers that are defined; None if none is."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def is_value(name: str, value: str) -> str:
    """Write the condition that a column has a value."""
    return f"{name} == {quote_string(value)}"


def is_label(sites: Sites, label: str) -> str:
    """Write the condition that the key has a label; where values have no separate label, the column is `key`."""
    return is_value("label" if "label" in sites.aspects else "key", label)

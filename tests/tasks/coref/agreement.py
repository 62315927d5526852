"""Whether the product says of drawn chains what the slow reference says: counts, classes, values, items, pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import isclose
from pathlib import Path
from typing import Any

import comparanda as cp
from comparanda import Result
from comparanda.core.verdicts import View
from comparanda.findings.difference import CLASSES
from comparanda.tasks.coref.measures import PARTS
from tests import reference as pairwise_reference
from tests.tasks.coref import reference
from tests.tasks.coref.drawn import Drawn
from tests.tasks.coref.reference import METRICS, Judged, Mention, Predicate, Units

Said = dict[Mention, list[Judged]]


def compared(drawn: Drawn, folder: Path, *systems: str, **options: Any) -> Result:
    """Compare drawn files, of all systems or of some, through the reader."""
    key, paths = drawn.written(folder)
    return cp.compare(
        key, {name: paths[name] for name in systems or drawn.systems}, task="coref", resamples=0, **options
    )


class Expected:
    """What the reference says of drawn chains."""

    def __init__(self, drawn: Drawn, singletons: str = "keep", topic_of: dict[str, str] | None = None) -> None:
        self.drawn = drawn
        self.key: Units = drawn.units("key", singletons, topic_of)
        self.systems = {name: drawn.units(name, singletons, topic_of) for name in drawn.systems}

    def fits(self, criterion: str) -> Predicate:
        """Return which antecedents a criterion looks at."""
        told = {"nominal": reference.nominal, "named": reference.named}.get(criterion)
        return reference.anything if told is None else lambda mention: told(self.drawn.tags(mention))

    def classes(self, system: str, criterion: str) -> dict[Mention, Judged]:
        """Return the classes of all mentions that count, of all documents."""
        response, fits = self.systems[system], self.fits(criterion)
        return {
            mention: judged
            for unit, chains in self.key.items()
            for mention, judged in reference.arcs(chains, response[unit], criterion, fits).items()
        }

    def sites(self, criterion: str, *systems: str) -> Said:
        return reference.sites_among([self.classes(system, criterion) for system in systems])

    def value(self, mention: Mention, judged: Judged) -> str:
        """Write a class with the antecedent, from the mention on or, in another document, by its name."""
        if judged.antecedent is None:
            return judged.name
        document, begin, end = judged.antecedent
        where = f"{begin - mention[1]:+}" if document == mention[0] else f"{self.drawn.order[document]}:{begin}"
        return f"{judged.name} {where}+{end - begin}"


def key_value(judged: Sequence[Judged]) -> str:
    """Return the right class of a site: what is not an anaphor of the key should not be resolved."""
    return "tn" if {each.name for each in judged} & {"fp", "tn"} else "tp"


# --- metrics ----------------------------------------------------------------------------------------------------


def agree_on_metrics(result: Result, expected: Expected) -> None:
    """Compare the four counts of every metric, by document or topic."""
    statistics = result.verdicts.view("any").statistics
    for run, (system, response) in enumerate(expected.systems.items()):
        for number, (unit, chains) in enumerate(expected.key.items()):
            found = {name: float(each[number, run]) for name, each in statistics.items()}
            for name, wanted in expected_counts(chains, response[unit]).items():
                assert isclose(found[name], wanted, abs_tol=1e-9), (system, unit, name, found[name], wanted)
        agree_on_scores(result, system, expected.key, response)


def expected_counts(key: reference.Chains, response: reference.Chains) -> dict[str, float]:
    """Return all counts by the names that the product gives them."""
    rows: dict[str, tuple[float, ...]] = {}
    for metric in METRICS:
        sums = reference.COUNTS[metric](key, response)
        rows[metric] = sums.recall, sums.wanted, sums.precision, sums.given
    links = reference.blanc_of(key, response)
    for name, (both, wanted, given) in (("blanc_links", links.coreferent), ("blanc_others", links.other)):
        rows[name] = both, wanted, both, given
    return {f"{name}_{part}": each for name, row in rows.items() for part, each in zip(PARTS, row, strict=True)}


def agree_on_scores(result: Result, system: str, key: Units, response: Units) -> None:
    """Compare precision, recall and F1 of the corpus."""
    wanted = reference.score(key, response)
    table: dict[str, float | None] = {"conll": wanted.conll}
    for metric, sums in wanted.counts.items():
        table |= {metric: sums.f, f"{metric}_precision": sums.p, f"{metric}_recall": sums.r}
    links = wanted.blanc
    r, p, f = links.scores() or (0.0, 0.0, 0.0)
    in_key, given = links.coreferent[1] + links.other[1], links.coreferent[2] + links.other[2]
    table |= {
        "blanc": f if in_key or given else None,
        "blanc_precision": p if given else None,
        "blanc_recall": r if in_key else None,
    }
    scores = result.scores(*table)
    for name, value in table.items():
        assert close(scores.value(system, name), value), (system, name, scores.value(system, name), value)


def close(found: float | None, wanted: float | None) -> bool:
    if found is None or wanted is None:
        return found is wanted
    return isclose(found, wanted, abs_tol=1e-9)


# --- classes, values, items -----------------------------------------------------------------------------------


def mentions_of(view: View) -> list[Mention]:
    """Return the mentions that the sites of a view are."""
    chains, rows = view.chains, view.mention
    assert chains is not None
    assert rows is not None
    return [
        (int(chains.document[row]), int(chains.place[row]), int(chains.place[row] + chains.width[row])) for row in rows
    ]


def values_of(view: View, runs: Iterable[int]) -> list[tuple[str, ...]]:
    """Return the values at each site: the key's, and those of some runs."""
    columns = [view.sites.key, *(view.sites.values[run] for run in runs)]
    return [tuple(view.sites.names[code] for code in row) for row in zip(*columns, strict=True)]


def agree_on_classes(result: Result, expected: Expected, criterion: str) -> None:
    """Compare the class and the value of every mention, among all systems and among every two."""
    names = list(expected.systems)
    for some in [names, *map(list, combinations(names, 2)), *([name] for name in names)]:
        runs = [names.index(name) for name in some]
        wanted = expected.sites(criterion, *some)
        for suffix in ("", "_antecedents"):
            view = result.verdicts.view(f"{criterion}{suffix}").among(runs)
            found = dict(zip(mentions_of(view), values_of(view, runs), strict=True))
            assert len(found) == len(view.sites)
            written = {
                mention: (
                    key_value(judged),
                    *(expected.value(mention, each) if suffix else each.name for each in judged),
                )
                for mention, judged in wanted.items()
            }
            assert found == written, (criterion, some, difference_of(found, written))
            agree_on_items(view, wanted, runs, expected)


def difference_of(found: dict[Mention, Any], wanted: dict[Mention, Any]) -> list[Any]:
    return [
        (each, found.get(each), wanted.get(each)) for each in {**found, **wanted} if found.get(each) != wanted.get(each)
    ][:3]


def expected_items(wanted: Said, runs: int) -> Counter[tuple[Any, ...]]:
    """Return the items: key anaphors that count, and mentions with a wrong antecedent, with those that have them."""
    items: Counter[tuple[Any, ...]] = Counter()
    for mention, judged in wanted.items():
        if key_value(judged) == "tp":
            items[mention, True, tuple(each.name == "tp" for each in judged)] += 1
        wrong = {each.antecedent for each in judged if each.antecedent is not None}
        for antecedent in wrong:
            items[mention, False, tuple(each.antecedent == antecedent for each in judged)] += 1
    assert all(len(key[2]) == runs for key in items)
    return items


def agree_on_items(view: View, wanted: Said, runs: Sequence[int], expected: Expected) -> None:
    """Compare what counts for precision and recall."""
    items, mentions = view.items, mentions_of(view)
    assert items.site is not None
    found: Counter[tuple[Any, ...]] = Counter()
    for number in range(len(items)):
        has = tuple(bool(items.claimed[run][number]) for run in runs)
        mention = mentions[int(items.site[number])]
        if items.positive[number] or any(has):
            found[mention, bool(items.positive[number]), has] += 1
        assert items.names[items.label[number]] == reference.kind(expected.drawn.tags(mention))
        assert (items.document[number], items.place[number]) == mention[:2]
    assert found == expected_items(wanted, len(runs))


# --- pairs --------------------------------------------------------------------------------------------------------


def agree_on_pairs(result: Result, expected: Expected, criterion: str) -> None:
    """Compare the difference of every two systems: classes, transitions, accuracies; by classes and by values."""
    names = list(expected.systems)
    table = {(pair.base, pair.new): pair for pair in result.pairs(view=criterion).pairs}
    for base, new in combinations(names, 2):
        wanted = expected.sites(criterion, base, new)
        by_class = [(key_value(judged), *(each.name for each in judged)) for judged in wanted.values()]
        by_value = [
            (key_value(judged), *(expected.value(mention, each) for each in judged))
            for mention, judged in wanted.items()
        ]
        for rows, view in ((by_class, criterion), (by_value, f"{criterion}_antecedents")):
            agree_on_difference(result, base=base, new=new, view=view, rows=rows)
        pair = table[base, new]
        counted = Counter(pairwise_reference.class_of(*row) for row in by_class)
        assert (pair.sites, pair.corrections, pair.new_errors, pair.changed_errors) == (
            len(wanted),
            *(counted[name] for name in CLASSES),
        )


def agree_on_difference(result: Result, base: str, new: str, view: str, *, rows: Sequence[tuple[str, ...]]) -> None:
    counted = Counter(pairwise_reference.class_of(*row) for row in rows)
    found = result.difference(base, new, view=view, keyed_by="value")
    assert found.sites == len(rows)
    assert {each.name: each.count for each in found.classes} == {name: counted[name] for name in CLASSES}
    assert (found.same_right, found.same_error) == (counted["same_right"], counted["same_error"])
    assert found.different == sum(row[1] != row[2] for row in rows)
    for each in found.classes:
        changes = Counter(row for row in rows if pairwise_reference.class_of(*row) == each.name)
        assert {(row.key, row.base, row.new): row.count for row in each.transitions} == changes
    right = [sum(row[0] == row[place] for row in rows) for place in (1, 2)]
    accuracies = [found.base_accuracy, found.new_accuracy]
    assert all(close(each, pairwise_share(part, len(rows))) for each, part in zip(accuracies, right, strict=True))
    assert close(found.accuracy_difference, pairwise_share(counted["correction"] - counted["new_error"], len(rows)))


def pairwise_share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def agree_on_upper_bounds(result: Result, expected: Expected, criterion: str) -> None:
    """Compare recall over key anaphors, by kind of mention and in all, of each system and of a perfect choice."""
    names = list(expected.systems)
    wanted = {
        mention: judged for mention, judged in expected.sites(criterion, *names).items() if key_value(judged) == "tp"
    }
    if not wanted:
        return
    found = result.combination(view=criterion)
    assert found.own is not None
    rows = {row.label: row for row in (found.own, *found.labels)}
    kinds = {mention: reference.kind(expected.drawn.tags(mention)) for mention in wanted}
    assert {*rows} == {None, *kinds.values()}
    for label, row in rows.items():
        mine = [judged for mention, judged in wanted.items() if label in (None, kinds[mention])]
        right = [[each.name == "tp" for each in judged] for judged in mine]
        assert (row.sites, row.oracle_right) == (len(mine), sum(map(any, right)))
        assert list(row.right) == [sum(each[number] for each in right) for number in range(len(names))]


def agree_on_complementarity(result: Result, expected: Expected, criterion: str) -> None:
    """Compare the integers behind complementarity: key anaphors found, and wrong antecedents claimed."""
    if not expected.sites(criterion, *expected.systems):
        return
    for pair in result.complementarity(view=criterion).pairs:
        wanted = expected_items(expected.sites(criterion, pair.first, pair.second), 2)
        cells = Counter[tuple[bool, tuple[bool, bool]]]()
        for (_, positive, has), count in wanted.items():
            cells[positive, has] += count
        overlap = pair.overlap
        assert [
            overlap.found_by_both.count,
            overlap.found_by_first.count,
            overlap.found_by_second.count,
            overlap.found_by_neither.count,
            overlap.spurious_in_both.count,
            overlap.spurious_in_first.count,
            overlap.spurious_in_second.count,
        ] == [
            cells[positive, has]
            for positive, has in (
                (True, (True, True)),
                (True, (True, False)),
                (True, (False, True)),
                (True, (False, False)),
                (False, (True, True)),
                (False, (True, False)),
                (False, (False, True)),
            )
        ]


def agree_on_chain_pairs(result: Result, expected: Expected) -> None:
    """Compare the responses with each other, the first as the key, by every metric (table 13); and their means."""
    found = result.chain_pairs()
    distances: dict[str, list[float]] = {}
    for pair, (base, new) in zip(found.responses, combinations(expected.systems, 2), strict=True):
        assert (pair.base, pair.new) == (base, new)
        wanted = f1_scores(expected.systems[base], expected.systems[new])
        assert {each.metric for each in pair.agreements} == {*wanted}
        for each in pair.agreements:
            value = wanted[each.metric]
            assert close(each.f1, value), (base, new, each, value)
            assert close(each.distance, None if value is None else 1 - value)
            distances.setdefault(each.metric, []).extend([] if value is None else [1 - value])
    for mean in found.means:
        each_distance = distances[mean.metric]
        assert close(mean.distance, sum(each_distance) / len(each_distance) if each_distance else None)


def f1_scores(key: Units, response: Units) -> dict[str, float | None]:
    """Return F1 of every metric."""
    wanted = reference.score(key, response)
    links, in_both = wanted.blanc.scores(), sum(wanted.blanc.coreferent) + sum(wanted.blanc.other)
    blanc = links[2] if links is not None else 0.0 if in_both else None
    return {"conll": wanted.conll, "blanc": blanc, **{name: sums.f for name, sums in wanted.counts.items()}}


def agree(result: Result, expected: Expected, criteria: Sequence[str]) -> None:
    """Compare everything."""
    agree_on_metrics(result, expected)
    if len(expected.systems) > 1:
        agree_on_chain_pairs(result, expected)
    for criterion in criteria:
        agree_on_classes(result, expected, criterion)
        agree_on_arcs(result, expected, criterion)
        if len(expected.systems) > 1:
            agree_on_pairs(result, expected, criterion)
            agree_on_complementarity(result, expected, criterion)
        agree_on_upper_bounds(result, expected, criterion)


def agree_on_arcs(result: Result, expected: Expected, criterion: str) -> None:
    """Compare P, R and F1 of ARCS; those of `any` are MUC's."""
    measures = [f"{criterion}.{name}" for name in ("precision", "recall", "f1")]
    scores = result.scores(*measures, view=criterion)
    for system, response in expected.systems.items():
        sums = reference.arcs_counts(expected.classes(system, criterion).values())
        assert all(
            close(scores.value(system, name), wanted)
            for name, wanted in zip(measures, (sums.p, sums.r, sums.f), strict=True)
        )
        if criterion == "any":
            assert sums == reference.counts("muc", expected.key, response)

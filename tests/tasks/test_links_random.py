"""Entity links against a slow reference written from DEFINITIONS 7: counts, classes, sites, whose errors; and laws."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

import comparanda as cp
from comparanda import Result
from comparanda.core.sites import format_value
from comparanda.findings.difference import CLASSES
from tests import reference
from tests.rules.shipped import shipped_rules
from tests.seeds import seeds
from tests.tasks.random_links import SYSTEMS, VIEWS, Fate, Links, Mention, Site, Value, judged, links, sites_of
from tests.tasks.random_spans import counts

SEEDS, LAWS, MANY = range(8), seeds(1, of=4), range(1_000, 1_300)
PAIRS = list(permutations(SYSTEMS, 2))


def result_of(
    given: Links,
    *systems: str,
    types: int = 1,
    n: int = 5,
    order: random.Random | None = None,
    paranoid: bool = False,
) -> Result:
    sides = {system: given.given(system, order) for system in systems or SYSTEMS}
    rules = shipped_rules("links", types=types, n=n)
    return cp.compare(given.given("key", order), sides, task="link", rules=rules, resamples=0, paranoid=paranoid)


# Counts and classes


Outcomes = dict[str, Counter[tuple[bool, str]]]
"""How mentions of each document are called: those of the key, and those beside it."""


def outcomes(result: Result, view: str, run: int) -> Outcomes:
    items = result.verdicts.view(view).items
    assert items.outcomes is not None
    found: Outcomes = {name: Counter() for name in result.verdicts.documents}
    codes = items.outcomes.verdict[run].tolist()
    for document, positive, code in zip(items.document.tolist(), items.positive.tolist(), codes, strict=True):
        if code:
            found[result.verdicts.documents[document]][positive, items.outcomes.verdicts[code]] += 1
    return found


def agree(given: Links, types: int, n: int) -> None:
    """Compare all views of all systems with the reference: classes by document, and the sums."""
    result = result_of(given, types=types, n=n)
    for run, system in enumerate(SYSTEMS):
        expected = {
            name: judged(given.sides[system][name], key, types=bool(types), n=n)
            for name, key in given.sides["key"].items()
        }
        for view in VIEWS:
            assert outcomes(result, view, run) == {name: each.outcomes(view) for name, each in expected.items()}
            sums = zip(*(each.counts(view) for each in expected.values()), strict=True)
            assert counts(result, system, view=view) == tuple(map(sum, sums))


@pytest.mark.parametrize(("types", "n"), [(1, 5), (0, 2)])
@pytest.mark.parametrize("seed", seeds(2, of=8))
def test_counts_and_classes_are_those_of_the_definition(seed: int, types: int, n: int) -> None:
    agree(links(seed), types, n)


@pytest.mark.slow
def test_so_they_are_where_mentions_differ_in_later_ids_alone() -> None:
    for seed in SEEDS:
        agree(links(seed, later=True), 1, 5)


@pytest.mark.slow
def test_counts_and_classes_are_those_of_the_definition_a_thousand_times() -> None:
    for seed in MANY:
        agree(links(seed, 40), types=seed % 2, n=1 + seed % 4)


def test_the_random_mentions_have_everything_in_them() -> None:
    met: Counter[str] = Counter()
    for seed in SEEDS:
        given = links(seed)
        rows = [(name, key, system) for name, key in given.sides["key"].items() for system in SYSTEMS]
        for name, key, system in rows:
            for fate in (each for side in judged(given.sides[system][name], key) for each in side):
                met[fate.written("end_to_end_fuzzy")] += 1
                met[fate.written("hit")] += 1
                met["hit by a later id"] += fate.hit and fate.resolved == "wrong id"
    classes = ("TP", "conditional TP", "wrong id", "NIL for id", "missed", "spurious", "wrong type", "id for NIL")
    for name in (*classes, "TN, left out: no id", "NIL, left out: no id", "hit", "miss", "hit by a later id"):
        assert met[name] > 8, name
    for name in ("TP (fuzzy)", "wrong id (low confidence)", "conditional TP (fuzzy, low confidence)"):
        assert met[name] > 1, name


# Sites and differences


def has_nil_of_another_type(given: Links, document: str) -> bool:
    def so(fate: Fate) -> bool:
        return (
            fate.kind == "wrong type"
            and fate.partner is not None
            and fate.mention.first is None
            and fate.partner.first is None
        )

    return any(
        so(fate)
        for system in SYSTEMS
        for fate in judged(given.sides[system][document], given.sides["key"][document]).system
    )


def written(value: Value) -> str:
    return repr(sorted(value.items()))


def values(given: Links, base: str, new: str, types: int) -> list[Site]:
    return [
        site
        for name, key in given.sides["key"].items()
        for site in sites_of(key, [given.sides[side][name] for side in (base, new)], types=bool(types))
    ]


def agree_on_a_pair(given: Links, result: Result, base: str, new: str, *, types: int) -> None:
    """Compare diff, its classes, accuracies and the crossing of error sources with brute force."""
    sites, found = values(given, base, new, types), result.difference(base, new)
    rows = [tuple(map(written, (site.key, *site.values))) for site in sites]
    expected = Counter(reference.class_of(*row) for row in rows)
    assert found.sites == len(sites)
    assert {each.name: each.count for each in found.classes} == {name: expected[name] for name in CLASSES}
    assert (found.same_right, found.same_error) == (expected["same_right"], expected["same_error"])
    assert found.different == sum(row[1] != row[2] for row in rows)
    assert (round((found.base_accuracy or 0) * len(rows)), round((found.new_accuracy or 0) * len(rows))) == (
        sum(row[0] == row[1] for row in rows),
        sum(row[0] == row[2] for row in rows),
    )
    crossed = Counter(site.sources for site in sites)
    table = result.error_sources(base, new)
    assert {(cell.base, cell.new): cell.sites for cell in table.cells if cell.sites} == crossed
    assert table.sites == len(sites)
    agree_on_values(sites, result, base, new)


def agree_on_values(sites: list[Site], result: Result, base: str, new: str) -> None:
    """Compare what the key and both systems have at each site, as multisets of spelled values."""
    view = result.verdicts.view().among([result.verdicts.runs.index(name) for name in (base, new)])
    columns = [view.sites.key, *(view.sites.values[result.verdicts.runs.index(name)] for name in (base, new))]
    mine = Counter(tuple(format_value(view.sites.names[code]) for code in row) for row in zip(*columns, strict=True))
    assert mine == Counter(tuple(spelled(site, value) for value in (site.key, *site.values)) for site in sites)


def spelled(site: Site, value: Value) -> str:
    """Write a value as sites do: `LOC→Q1|Q2[0:3]`, from the begin of its site."""
    start = min(extent[0] for each in (site.key, *site.values) for extent, _, _ in each)
    told = [
        (begin, end, f"{label}→{'|'.join(ids) or 'NIL'}", count) for ((begin, end), label, ids), count in value.items()
    ]
    parts = [
        f"{name}[{begin - start}:{end - start}]" + (f"×{count}" if count > 1 else "")
        for begin, end, name, count in sorted(told)
    ]
    return " + ".join(parts) or "(none)"


@pytest.mark.parametrize("types", [1, 0])
@pytest.mark.parametrize("seed", seeds(2, of=8))
def test_sites_and_differences_are_those_of_the_definition(seed: int, types: int) -> None:
    given = links(seed)
    assert len(given.sides["key"]) > 5
    result = result_of(given, types=types)
    for base, new in PAIRS:
        agree_on_a_pair(given, result=result, base=base, new=new, types=types)


@pytest.mark.slow
def test_so_they_are_where_systems_give_nil_another_type() -> None:
    drawn = links(1, 1600)
    given = drawn.chosen(lambda name: has_nil_of_another_type(drawn, name))
    assert len(given.sides["key"]) > 20
    result = result_of(given)
    for base, new in PAIRS:
        agree_on_a_pair(given, result=result, base=base, new=new, types=1)


@pytest.mark.slow
def test_sites_and_differences_are_those_of_the_definition_a_thousand_times() -> None:
    for seed in MANY:
        given = links(seed, 40)
        base, new = PAIRS[seed % len(PAIRS)]
        agree_on_a_pair(given, result=result_of(given), base=base, new=new, types=1)


def test_the_random_sites_have_everything_in_them() -> None:
    met: Counter[Any] = Counter()
    for seed in SEEDS:
        for site in (each for pair in PAIRS for each in values(links(seed), *pair, 1)):
            met[reference.class_of(*map(written, (site.key, *site.values)))] += 1
            met[site.sources] += 1
    assert len(met) == 5 + 16
    assert min(met.values()) > 2, met


# Laws


def everything(result: Result, base: str = "one", new: str = "two") -> dict[str, Any]:
    """Return all that is said of a pair of systems."""
    found = result.difference(base, new, keyed_by="value")
    return {
        "difference": replace(found, classes=()),
        "classes": [(each.name, each.count) for each in found.classes],
        "transitions": [each.transitions for each in found.classes],
        "sources": result.error_sources(base, new),
        "counts": [counts(result, system, view=view) for system in (base, new) for view in VIEWS],
    }


@pytest.mark.parametrize("seed", LAWS)
def test_the_order_of_mentions_and_documents_decides_nothing(seed: int) -> None:
    given = links(seed)
    there, mixed = result_of(given), result_of(given, order=random.Random(seed))
    for run in range(3):
        assert all(outcomes(there, view, run) == outcomes(mixed, view, run) for view in VIEWS)
    assert everything(there) == everything(mixed)


@pytest.mark.slow
def test_nor_does_it_where_mentions_differ_in_later_ids_alone() -> None:
    for seed in range(4):
        given = links(seed, later=True)
        assert everything(result_of(given)) == everything(result_of(given, order=random.Random(seed)))


@pytest.mark.parametrize("seed", LAWS)
def test_a_third_system_changes_nothing_about_a_pair(seed: int) -> None:
    given = links(seed)
    alone = everything(result_of(given, "one", "two"))
    assert everything(result_of(given, "one", "two", "three")) == alone
    assert everything(result_of(given, "three", "one", "two")) == alone


def renamed(given: Links, names: dict[str, str]) -> Links:
    return given.changed(lambda _, each: each._replace(ids=tuple(names.get(id_, id_) for id_ in each.ids)))


def numbers_of(result: Result) -> list[Any]:
    told = everything(result)
    difference = told["difference"]
    sources = [(cell.base, cell.new, cell.sites) for cell in told["sources"].cells]
    return [told["counts"], told["classes"], sources, difference.sites, difference.same_right, difference.same_error]


@pytest.mark.parametrize("seed", LAWS)
def test_other_names_for_ids_change_nothing(seed: int) -> None:
    given = links(seed, twice=False)
    names = {"Q1": "Q77", "Q2": "http://example.org/Q1", "Q3": "Ärger", "Q4": "Q1"}
    assert numbers_of(result_of(renamed(given, names))) == numbers_of(result_of(given))
    crowded = links(seed)  # between mentions of one extent and label the order of ids may decide, and it stays
    ordered = {"Q1": "Q10", "Q2": "Q11", "Q3": "Q9", "Q4": "q"}
    assert numbers_of(result_of(renamed(crowded, ordered))) == numbers_of(result_of(crowded))


@pytest.mark.parametrize("seed", LAWS)
def test_the_order_in_which_the_key_lists_acceptable_ids_decides_nothing(seed: int) -> None:
    given = links(seed, twice=False)

    def turned(side: str, each: Mention) -> Mention:
        return each._replace(ids=each.ids[::-1]) if side == "key" else each

    assert everything(result_of(given.changed(turned))) == everything(result_of(given))


@pytest.mark.parametrize("seed", LAWS)
def test_swapping_the_systems_transposes_the_table_of_sources(seed: int) -> None:
    result = result_of(links(seed))
    for base, new in PAIRS:
        there, back = result.error_sources(base, new), result.error_sources(new, base)
        assert there.sources == back.sources == ("none", "resolver", "tagger", "resolver and tagger")
        assert {(cell.base, cell.new): cell.sites for cell in there.cells} == {
            (cell.new, cell.base): cell.sites for cell in back.cells
        }


@pytest.mark.parametrize("seed", LAWS)
def test_linking_alone_has_the_right_links_of_all_and_none_of_the_taggers_errors(seed: int) -> None:
    result = result_of(links(seed))
    for fuzzy in ("", "_fuzzy"):
        scores = result.scores(view=f"linking{fuzzy}")
        counted = {each.outcome.partition(" (")[0] for each in scores.outcomes if "left out" not in each.outcome}
        assert counted <= {"TP", "conditional TP", "wrong id", "id for NIL", "NIL for id"}
        for run, system in enumerate(SYSTEMS):
            whole, alone = (counts(result, system, view=f"{view}{fuzzy}") for view in ("end_to_end", "linking"))
            by_tagger = Counter[bool]()
            for found in outcomes(result, f"end_to_end{fuzzy}", run).values():
                for (positive, name), count in found.items():
                    if name.startswith(("missed", "spurious", "wrong type")):
                        by_tagger[positive] += count
            assert whole == (alone[0], alone[1] + by_tagger[False], alone[2] + by_tagger[True])


@pytest.mark.parametrize("seed", LAWS)
def test_the_hit_of_one_id_is_linking_where_systems_give_one(seed: int) -> None:
    result = result_of(links(seed, several=False), n=1)
    for system in SYSTEMS:
        assert counts(result, system, view="hit") == counts(result, system, view="linking")


@pytest.mark.parametrize("seed", LAWS)
def test_more_ids_are_never_fewer_hits(seed: int) -> None:
    given = links(seed)
    results = [result_of(given, n=n) for n in (1, 2, 3, 5)]
    for system in SYSTEMS:
        hits = [counts(result, system, view="hit") for result in results]
        assert [each[0] for each in hits] == sorted(each[0] for each in hits)
        assert len({right + missed for right, _, missed in hits}) == 1
        claims = [right + wrong for right, wrong, _ in hits]  # NIL first and an id behind it is a claim if seen
        assert claims == sorted(claims)


@pytest.mark.parametrize("seed", LAWS)
def test_without_types_none_is_wrong(seed: int) -> None:
    result = result_of(links(seed), types=0)
    for view in VIEWS:
        assert not [each for each in result.scores(view=view).outcomes if each.outcome.startswith("wrong type")]


@pytest.mark.parametrize("seed", seeds(1, of=4))
def test_every_count_leads_to_its_sites(seed: int) -> None:
    result = result_of(links(seed, 5))
    base, new = PAIRS[seed]
    for cell in result.error_sources(base, new).cells:
        assert result.count(cell.where, base, new) == cell.sites
        assert result.examples(cell.where, base, new, top=1).count == cell.sites
    for each in result.difference(base, new).classes:
        assert result.count(each.where, base, new) == each.count
        for row in each.transitions:
            assert result.count(row.where, base, new) == row.count


@pytest.mark.parametrize("seed", seeds(1, of=3))
def test_the_watchful_engine_agrees(seed: int) -> None:
    given = links(seed, 6)
    assert everything(result_of(given, paranoid=True)) == everything(result_of(given))

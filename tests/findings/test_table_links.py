"""From every count that a table shows to just as many sites or items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings

import comparanda as cp
from comparanda import Result, Runs
from comparanda.api.outputs import agreement_of
from comparanda.demo import demo_files
from comparanda.findings.table_links import decided_link, right_link
from comparanda.pipeline import Setup
from comparanda.render.count_links import Link
from comparanda.render.finding import Finding
from comparanda.render.table import Field, Linked, Table, cut_rows
from tests.findings import every_task
from tests.findings.populations import Population
from tests.findings.small_chains import A, B, C, compared, random_files
from tests.findings.test_selections import CUTS, any_population, populations_with_runs
from tests.random_beliefs import KINDS, random_beliefs
from tests.random_spans import SIDES, written
from tests.seeds import draws, first_few, mostly_slow
from tests.tasks.prob.findings.small import compared as believed
from tests.tasks.random_links import SYSTEMS, links
from tests.toy_task import (
    ONE_AND_TWO,
    TWO_BY_TWO,
    Policy,
    findings,
    toy_measures,  # noqa: F401 - a fixture that works by being here
    verdicts_of,
)

SEED = 3


class Shown(NamedTuple):
    """A cell of a table: where it stands, what it says, and where it leads."""

    table: Table
    row: int
    field: Field
    value: Any
    link: Link | None

    def __str__(self) -> str:
        return f"{self.table.name}, row {self.row}, {self.field.key}: {self.value}"

    def beside(self, key: str) -> Any:
        """Return another value of the same row."""
        return self.table.rows[self.row][[field.key for field in self.table.fields].index(key)]


def cells(shown: Iterable[Table]) -> Iterator[Shown]:
    """Yield the cells that hold something."""
    for table in shown:
        for row, values in enumerate(table.rows):
            for column, (field, value) in enumerate(zip(table.fields, values, strict=True)):
                if value not in (None, ""):
                    yield Shown(table=table, row=row, field=field, value=value, link=table.links.get((row, column)))


Counting = Callable[[Link], int]


def counting(result: Result) -> Counting:
    """Return what counts the sites or items that a link leads to; many cells share one."""
    return cache(lambda link: result.count(link.where, link.base, link.new, view=link.view))


def astray(count: Counting, shown: Iterable[Table]) -> list[str]:
    """Return the counts that lead nowhere, and what leads to more or fewer things than it says."""
    found = []
    for cell in cells(shown):
        if cell.link is None:
            found += [f"{cell}, leads nowhere"] if cell.field.kind == "count" else []
            continue
        led = count(cell.link)
        if led != cell.value if cell.field.kind in {"count", "figure"} else (led > 0) != (cell.value > 0):
            found.append(f"{cell}, leads to {led} by {cell.link}")
    return found


def all_findings(result: Result, by: Iterable[str] = ()) -> dict[str, Finding]:
    """Make every finding that counts sites or items, in every view."""
    found = {name: each for name, each in findings(result, tuple(by)).items() if "examples where" not in name}
    several = len(result.systems) > 1
    for view, judged in result.verdicts.views.items():
        if several and len(judged.sites):
            cuts = ("label", "document", "solved_by")
            found[f"{view}: difference by value"] = result.difference(keyed_by="value", by=cuts, view=view)
        if several and judged.error_sources is not None:
            found[f"{view}: sources"] = result.error_sources(view=view)
        if several and len(judged.sites):
            found[f"{view}: accuracy"] = result.scores("accuracy", view=view)
            found[f"{view}: precision"] = result.scores("precision", view=view)
    return found


def toy(systems: Mapping[str, Any], _: Path, policy: Policy | None = None) -> Result:
    return Result(verdicts_of(systems, policy=policy), 0)


def part_of_toy(folder: Path) -> Result:
    return toy(TWO_BY_TWO, folder).where("plural", view="partial")


def demo(task: str, _: Path) -> Result:
    key, systems = demo_files(task)
    return cp.compare(key, systems, task=task, resamples=0)


def chains_of_runs(folder: Path) -> Result:
    return compared(folder, {"a": A, 'x"': Runs(B, C), "none": ()})


def chains_of_files(folder: Path) -> Result:
    files = random_files(folder, SEED, ("a", "b", "c"))
    return cp.compare(files.pop("key"), files, task="coref", resamples=0)


def with_runs(task: str, key: Any, first: Any, *others: Any) -> Result:
    """Compare one system of one run with one of several."""
    return cp.compare(key, {"gpt": Runs(*others), 'first"': first}, task=task, resamples=0)


def spans_of_runs(folder: Path) -> Result:
    documents = written(folder, SEED, Setup(task="span")).documents
    return with_runs("span", *([record for each in documents for record in each[side]] for side in SIDES))


def links_of_runs(_: Path) -> Result:
    given = links(SEED, 8)
    return with_runs("link", given.given("key"), *(given.given(name) for name in SYSTEMS))


def beliefs(kind: str, folder: Path) -> Result:
    return Result(random_beliefs(folder, SEED, KINDS[kind]).judged(), 0)


def beliefs_of_runs(folder: Path) -> Result:
    return with_runs("prob", *random_beliefs(folder, SEED, KINDS["plain"]).written().values())


RESULTS: dict[str, Callable[[Path], Result]] = {
    **{task.__name__: partial(task, SEED) for task in every_task.TASKS},
    "toy, two by two": partial(toy, TWO_BY_TWO),
    "toy, one and two": partial(toy, ONE_AND_TWO),
    "toy, one system": partial(toy, {"fine": TWO_BY_TWO["fine"]}),
    "toy, rows": partial(toy, TWO_BY_TWO, policy=Policy("row", ignore=("P",))),
    "toy, a part": part_of_toy,
    **{f"demo {task}": partial(demo, task) for task in ("pos", "span", "coref")},
    "chains": chains_of_files,
    "chains, runs": chains_of_runs,
    "spans, runs": spans_of_runs,
    "links, runs": links_of_runs,
    **{f"beliefs, {kind}": partial(beliefs, kind) for kind in KINDS},
    "beliefs, runs": beliefs_of_runs,
}
SMALL = ("labels", "tags", "spans", "toy, two by two", "toy, a part", "spans, runs", "beliefs, plain")
"""Those of few sites, for every run."""


@pytest.mark.parametrize("name", mostly_slow(RESULTS, SMALL))
def test_every_count_leads_to_as_many(name: str, tmp_path: Path) -> None:
    result = RESULTS[name](tmp_path)
    count, by = counting(result), ("word", "length") if name.startswith("toy") else ()
    for finding in all_findings(result, by).values():
        assert astray(count, finding.tables(0)) == []


@settings(max_examples=draws(12), deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(any_population)
def test_every_count_of_a_random_population_leads_to_as_many(population: Population) -> None:
    result = population.result()
    count = counting(result)
    for finding in all_findings(result, CUTS).values():
        assert astray(count, finding.tables(0)) == []


@pytest.mark.parametrize(
    "name", mostly_slow(["demo pos", "fuzzy_spans", "trees", "toy, two by two", "beliefs, plain"], SMALL)
)
@pytest.mark.parametrize("top", first_few(1, [1, 2, None]))
def test_links_stay_with_their_rows_where_tables_are_cut(name: str, top: int | None, tmp_path: Path) -> None:
    result = RESULTS[name](tmp_path)
    count = counting(result)
    for finding in all_findings(result).values():
        assert astray(count, finding.tables(top)) == []


OUTPUTS: dict[str, dict[str, Any]] = {
    "label": {"a": {"1": "x", "2": "y"}, "b": {"1": "x", "2": "x"}, "c": {"1": "y", "2": "x"}},
    "tag": {"a": ["A", "B", "A"], "b": ["A", "A", "A"], "c": ["B", "B", "A"]},
    "span": {"a": [["B-X", "O", "B-Y"]], "b": [["B-X", "I-X", "O"]], "c": [["O", "B-X", "I-X"]]},
}


@pytest.mark.parametrize("task", OUTPUTS)
@pytest.mark.parametrize("reference", ["a", "b"])
def test_counts_without_a_key_lead_to_what_the_reference_has(task: str, reference: str) -> None:
    found, result = agreement_of(OUTPUTS[task], reference, None, {"task": task}, resamples=0)
    pairs, documents = found.tables(0)
    assert astray(counting(result), (pairs, documents)) == []
    linked = {cell.beside("first") for cell in cells([pairs]) if cell.link is not None}
    assert linked == {reference}  # no other output is the key of a result


FIGURES = {
    "hardness": {"solved_by"},
    "agreement": {"agree"},
    "patterns": {"of"},
    "clusters": {"runs"},
    "stability": {"runs"},
    "suspects": {"rank", "begin", "end", "agree", "of"},
    "calibration": {"count", "correct"},
    "counts": {"blocks", "tuples", "ties"},
    "by-solved_by": {"sites"},
}
"""By table, the whole numbers that count no sites or items, or not in every row; all others must be counts."""


@pytest.mark.parametrize(
    "name", mostly_slow(["toy, two by two", "linked", "chains", "beliefs, plain", "tags"], {"chains", "tags"})
)
def test_no_count_escapes_by_being_called_a_figure(name: str, tmp_path: Path) -> None:
    for label, finding in all_findings(RESULTS[name](tmp_path)).items():
        for table in finding.tables(0):
            allowed = FIGURES.get(table.name, set())
            if label.endswith("precision"):  # what that sums up are items, or parts of them
                allowed = {"right", "of"}
            assert {each.key for each in table.fields if each.kind == "figure"} <= allowed, (label, table.name)


# What the check itself is worth


def small() -> Result:
    """Five tags: of the errors of x, y corrects two; and it makes a new one."""
    return cp.compare(list("AABBB"), {"x": list("AABAA"), "y": list("ABBBB")}, task="tag", resamples=0)


@pytest.mark.parametrize("change", [{"where": "same_error"}, {"where": "differs"}, {"base": "y", "new": "x"}])
def test_a_link_to_other_sites_is_noticed(change: dict[str, str]) -> None:
    result = small()
    table = result.difference("x", "y").tables(0)[0]
    place, link = next((place, link) for place, link in table.links.items() if table.fields[place[1]].kind == "count")
    assert (table.rows[place[0]][place[1]], astray(counting(result), [table])) == (2, [])
    spoilt = replace(table, links={**table.links, place: replace(link, **change)})
    (said,) = astray(counting(result), [spoilt])
    assert said.startswith("difference, row 0, count: 2, leads to ")


def test_a_count_without_a_link_is_noticed() -> None:
    table = small().combination().tables(0)[0]
    found = astray(counting(small()), [replace(table, links={})])
    assert found[0] == "oracle, row 0, sites: 5, leads nowhere"


def test_links_that_slip_by_a_row_are_noticed() -> None:
    result = small()
    table = next(each for each in result.combination().tables(0) if each.name == "hardness")
    slipped = {((row + 1) % 3, column): link for (row, column), link in table.links.items()}
    found = astray(counting(result), [replace(table, links=slipped)])
    assert (
        "hardness, row 2, count: 2, leads to 3 by Link(where='solved_by == 1', base=None, new=None, view='tag')"
        in found
    )


# Shares lead where what stands above their line does

WHOLES = {
    "scores": "of",
    "pairs": "sites",
    "labels": "sites",
    "by-label": "sites",
    "by-distance": "sites",
    "oracle": "sites",
    "agreement": "sites",
    "reliability": "count",
}
"""By table, the column beside its shares that says what they are of."""

RIGHT_AND_WRONG = ("both_right", "only_first", "only_second", "both_wrong")
"""The columns of a pair of runs that add up to all sites."""


def wholes(cell: Shown) -> tuple[str, ...]:
    """Return the columns that add up to what a share is of; none where they do not stand beside it."""
    keys = {field.key for field in cell.table.fields}
    if keys >= {*RIGHT_AND_WRONG}:
        return ("both_wrong",) if cell.field.key == "same_error_rate" else RIGHT_AND_WRONG
    whole = WHOLES.get(cell.table.name)
    return (whole,) if whole in keys and whole is not None else ()


@pytest.mark.parametrize(
    "name", mostly_slow(["tags", "labels", "trees", "spans", "linked", "chains", "beliefs, plain"], SMALL)
)
def test_shares_lead_to_what_stands_above_their_line(name: str, tmp_path: Path) -> None:
    result, met = RESULTS[name](tmp_path), set()
    count = counting(result)
    for finding in all_findings(result).values():
        for cell in cells(finding.tables(0)):
            parts = wholes(cell) if cell.link is not None and cell.field.kind == "share" else ()
            if parts and cell.link is not None:
                whole = sum(cell.beside(part) for part in parts)
                assert count(cell.link) == pytest.approx(cell.value * whole), str(cell)
                met.add(cell.table.name)
    assert met >= {"pairs", "labels", "oracle", "agreement"}


def test_the_rates_of_a_pair_lead_to_the_errors_that_the_other_does_not_make(tmp_path: Path) -> None:
    """Once for every pair of runs; in both directions the conditions are those of the pair as it stands."""
    result = RESULTS["toy, one and two"](tmp_path)
    count, met = counting(result), 0
    errors = {"pcomp": "negative and {0}_claims", "rcomp": "positive and not {0}_claims"}
    for cell in cells(result.complementarity(view="strict").tables(0)[:1]):
        if cell.field.key in errors and cell.link is not None:
            side = "base" if cell.beside("system") == cell.link.base else "new"
            whole = count(replace(cell.link, where=errors[cell.field.key].format(side)))
            assert count(cell.link) == pytest.approx(cell.value * whole), str(cell)
            met += 1
    assert met >= 2


@settings(max_examples=draws(12), deadline=None, derandomize=True)
@given(populations_with_runs())
def test_the_accuracy_of_several_runs_leads_to_a_site_once_for_each_that_has_it_right(population: Population) -> None:
    result = population.result()
    count, runs = counting(result), {system.name: len(system.runs) for system in population.runs}
    for finding in (result.scores("accuracy"), result.slices("word", measure_name="accuracy")):
        for cell in cells(finding.tables(0)):
            if cell.field.kind == "share" and cell.link is not None:
                system = cell.field.key if cell.table.name == "by-word" else cell.beside("system")
                whole = len(population) if cell.table.name == "scores" else cell.beside("sites")
                assert count(cell.link) == pytest.approx(cell.value * whole * runs[system]), str(cell)


def test_a_share_of_nothing_leads_nowhere() -> None:
    result = cp.compare(["A"], {"x": ["A"], "y": ["A"]}, task="tag", resamples=0)
    rates = result.complementarity().tables(0)[0]
    assert ({cell.value for cell in cells([rates]) if cell.field.key == "comp"}, rates.links) == ({1.0}, {})
    empty = result.difference().tables(0)[0]
    assert {cell.value for cell in cells([empty]) if cell.link is not None} == {0}


# Probabilities


def test_bins_lead_to_the_tuples_that_are_rounded_into_them(tmp_path: Path) -> None:
    """6 · 0.1 is a little more than 0.6, and in its bin; 0.6001 is in the next."""
    blocks = [{"a": 6 * 0.1}, {"b": 0.6}, {"c": 0.6001}, {"d": 0.7}, {"e": 1.0}]
    result = believed(tmp_path, {"d": ["a", "c"]}, {"out": {"d": blocks}})
    table = next(each for each in result.probabilities().tables(0) if each.name == "reliability")
    assert [(round(row[1], 1), row[3]) for row in table.rows] == [(0.5, 2), (0.6, 2), (0.9, 1)]
    assert astray(counting(result), [table]) == []


@pytest.mark.parametrize("rules", ["exact", "characters", "tokens", "paper-literal"])
def test_counts_of_tuples_lead_to_items_if_rules_leave_these_as_they_are(rules: str, tmp_path: Path) -> None:
    key, blocks = ["a:PER", "c:PER", "e:PER"], [{"ab:PER": 0.9}, {"c:PER": 0.8}, {"f:PER": 0.5}]
    result = believed(tmp_path, {"d": key}, {"out": {"d": blocks}}, rules=rules)
    found = result.probabilities()
    assert astray(counting(result), found.tables(0)) == []
    counts = next(each for each in found.tables(0) if each.name == "counts")
    kind = {each.key: each.kind for each in counts.fields}["decided"]
    assert (kind, bool(counts.links)) == (("count", True) if found.itemised else ("figure", False))
    assert found.itemised is (rules == "exact")


# Tables with links


LINK, OTHER = Link('label == "A"'), Link('label == "B"', "x", "y", "las")


def table_of(*rows: tuple[Any, ...]) -> Table:
    return Table(name="t", title="T", fields=(Field("label", "label"), Field("sites", "sites", "count")), rows=rows)


def test_a_table_holds_values_and_links_apart() -> None:
    table = table_of(("A", Linked(1, LINK)), ("B", Linked(2, OTHER)), ("C", 3))
    assert table.rows == (("A", 1), ("B", 2), ("C", 3))
    assert table.links == {(0, 1): LINK, (1, 1): OTHER}
    assert replace(table, title="U").links == table.links


def test_what_is_not_there_leads_nowhere() -> None:
    table = table_of(("A", Linked(None, LINK)), ("B", Linked("", LINK)), ("C", Linked(0, LINK)), ("D", Linked(4, None)))
    assert table.rows == (("A", None), ("B", ""), ("C", 0), ("D", 4))
    assert table.links == {(2, 1): LINK}


def test_cut_rows_take_their_links_with_them() -> None:
    kept, _ = cut_rows([("A", Linked(1, LINK)), ("B", Linked(2, OTHER))], top=1, usual=0, one="row", many="rows")
    assert table_of(*kept).links == {(0, 1): LINK}


@pytest.mark.parametrize(
    "measure", ["f1", "sentences", "precision[A]", "accuracy_of_mine", "las.f1", "conll18.aligned_accuracy[LAS]"]
)
def test_only_an_accuracy_counts_sites(measure: str) -> None:
    assert right_link(measure, "las", "x") is decided_link(measure, "las", "x") is None


def test_an_accuracy_leads_to_what_is_right_and_to_what_it_is_over() -> None:
    result = cp.compare(list("ABA"), {'x"': Runs(list("AAA"), list("ABB"))}, task="tag", resamples=0)
    for measure, right, of in (("accuracy", 4, 6), ("accuracy[A]", 3, 4), ("tag.accuracy[B]", 1, 2)):
        links = right_link(measure, "tag", 'x"'), decided_link(measure, "tag", 'x"')
        assert [counting(result)(link) for link in links if link is not None] == [right, of]

"""Whose errors two systems make: the table, its conditions, and what it is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import comparanda as cp
from comparanda import Result
from comparanda.core.claims import Claims
from comparanda.core.items import Items
from comparanda.core.text_columns import TextColumn
from comparanda.core.verdicts import System, View
from comparanda.errors import UsageError
from comparanda.findings.error_sources import ErrorSources, SourceCell

SOURCES = ("none", "resolver", "tagger", "resolver and tagger")

# Six places: what each system says of the key's Q1 there, and whose error that is
PLACES = {"right": "Q1", "wrong": "Q9", "missed": "", "nil": "NIL"}
SOURCE = {"right": "none", "wrong": "resolver", "missed": "tagger", "nil": "resolver"}

Said = Sequence[str]


def records(*said: str, documents: int = 1) -> list[dict[str, Any]]:
    """Make documents with a mention of two letters at each of some places."""
    spans = [
        {"begin": 3 * place, "end": 3 * place + 2, "label": "LOC", "id": PLACES[each]}
        for place, each in enumerate(said)
        if each != "missed"
    ]
    return [{"id": f"d{number}", "text": "ab " * 8, "spans": spans} for number in range(documents)]


def result_of(documents: int = 1, **systems: Said) -> Result:
    size = len(next(iter(systems.values())))
    given = {name: records(*said, documents=documents) for name, said in systems.items()}
    return cp.compare(records(*["right"] * size, documents=documents), given, task="link", resamples=0)


def table(found: ErrorSources) -> dict[tuple[str, str], int]:
    return {(cell.base, cell.new): cell.sites for cell in found.cells if cell.sites}


ALL = list(product(PLACES, repeat=2))


def test_each_site_is_in_one_cell() -> None:
    base, new = [one for one, _ in ALL[:8]], [other for _, other in ALL[:8]]
    result = result_of(a=base, b=new)
    found = result.error_sources("a", "b")
    assert table(found) == Counter((SOURCE[one], SOURCE[other]) for one, other in ALL[:8])
    assert found.sites == 8


def test_all_cells_are_there_in_order() -> None:
    found = result_of(a=["right", "missed"], b=["wrong", "missed"]).error_sources("a", "b")
    assert found.sources == ("none", "resolver", "tagger")  # those that occur, none and single ones first
    assert [(cell.base, cell.new) for cell in found.cells] == list(product(found.sources, repeat=2))
    assert found.cells[1] == SourceCell("none", "resolver", 1, 'base_source == "none" and new_source == "resolver"')


def test_a_site_with_errors_of_both_is_a_cell_of_its_own() -> None:
    """A wrong id beside a spurious mention that overlaps it."""
    key = records("right")
    system = records("wrong")
    system[0]["spans"].append({"begin": 1, "end": 4, "label": "LOC", "id": "Q5"})
    result = cp.compare(key, {"a": key, "b": system}, task="link", resamples=0)
    assert table(result.error_sources("a", "b")) == {("none", "resolver and tagger"): 1}
    assert table(result.error_sources("b", "a")) == {("resolver and tagger", "none"): 1}


def test_every_condition_selects_the_sites_of_its_cell() -> None:
    base, new = [one for one, _ in ALL[5:13]], [other for _, other in ALL[5:13]]
    result = result_of(a=base, b=new, c=new[::-1])
    for pair in (("a", "b"), ("b", "a"), ("a", "c")):
        for view in ("end_to_end", "linking", "end_to_end_fuzzy", "linking_fuzzy"):
            for cell in result.error_sources(*pair, view=view).cells:
                assert result.count(cell.where, *pair, view=view) == cell.sites
                assert len(result.examples(cell.where, *pair, top=0, view=view).examples) == cell.sites


def test_sources_of_single_runs_can_be_asked_for_by_name() -> None:
    result = result_of(a=["right", "wrong", "missed"], b=["nil", "wrong", "right"])
    assert result.count('source("a") == "tagger"') == 1
    assert result.count('source("b") == "resolver"') == 2
    assert result.count('source("a") == source("b")') == 1
    assert result.count('base_source == "none" and new_error', "a", "b") == 1


def test_names_of_sources_are_unknown_where_rules_do_not_tell() -> None:
    result = result_of(a=["right"], b=["wrong"])
    with pytest.raises(UsageError):
        result.count('base_source == "none"', "a", "b", view="hit")
    tags = cp.compare(["A", "B"], {"a": ["A", "B"], "b": ["A", "A"]}, task="tag", resamples=0)
    with pytest.raises(UsageError):
        tags.count('base_source == "none"', "a", "b")
    with pytest.raises(UsageError, match="has no error sources"):
        tags.error_sources("a", "b")
    assert tags.difference("a", "b").sources is None


def test_a_part_has_the_table_of_its_sites() -> None:
    result = result_of(a=["right", "wrong", "missed", "nil"], b=["nil", "wrong", "right", "missed"])
    part = result.where('not right("a")')
    assert table(part.error_sources("a", "b")) == {
        ("resolver", "resolver"): 1,
        ("tagger", "none"): 1,
        ("resolver", "tagger"): 1,
    }
    assert part.error_sources("a", "b").sites == 3


def test_sites_that_are_left_out_are_in_no_cell() -> None:
    view = result_of(a=["right", "wrong", "missed"], b=["nil", "wrong", "right"]).verdicts.view()
    left = replace(view, left_out=TextColumn.of(["", "why not", ""]))
    found = left.error_sources
    assert found is not None
    assert [[found.names[code] for code in run] for run in found.runs] == [["none", "tagger"], ["resolver", "none"]]


def test_a_difference_has_the_table_with_it() -> None:
    result = result_of(a=["right", "wrong"], b=["wrong", "right"])
    assert result.difference("a", "b").sources == result.error_sources("a", "b")
    assert result.difference("a", "b", view="linking").sources == result.error_sources("a", "b", view="linking")


def test_a_pair_is_looked_at_in_its_own_universe() -> None:
    """A third system whose mention joins two sites changes nothing."""
    alone = result_of(a=["right", "wrong"], b=["wrong", "missed"])
    bridge = records("right", "right")
    bridge[0]["spans"].append({"begin": 0, "end": 9, "label": "LOC", "id": "Q7"})
    sides = {"a": records("right", "wrong"), "c": bridge, "b": records("wrong", "missed")}
    more = cp.compare(records("right", "right"), sides, task="link", resamples=0)
    assert len(more.verdicts.view().sites) == 1
    assert more.error_sources("a", "b") == alone.error_sources("a", "b")


def test_a_third_system_brings_no_rows_into_the_table_of_a_pair() -> None:
    alone = result_of(a=["right"], b=["wrong"]).error_sources("a", "b")
    assert result_of(a=["right"], b=["wrong"], c=["missed"]).error_sources("a", "b") == alone


def test_several_runs_are_crossed_with_each_other() -> None:
    result = result_of(one=["right", "wrong"], two=["missed", "right"], three=["right", "right"])
    systems = (System("base", (0, 1)), System("new", (2,)))
    together = replace(result, verdicts=replace(result.verdicts, systems=systems))
    found = together.error_sources("base", "new")
    assert table(found) == {("none", "none"): 2, ("resolver", "none"): 1, ("tagger", "none"): 1}
    assert found.sites == 4
    for cell in found.cells:
        assert together.count(cell.where, "base", "new") == cell.sites


def test_the_pair_is_the_first_and_the_best_other_system_by_default() -> None:
    result = result_of(a=["right", "wrong"], b=["wrong", "wrong"], c=["right", "right"])
    assert result.error_sources() == result.error_sources("a", "c")


def test_the_table_is_shown_with_its_sums() -> None:
    shown = str(result_of(a=["right", "wrong", "nil"], b=["wrong", "missed", "missed"]).error_sources("a", "b"))
    lines = [line.split() for line in shown.splitlines()]
    assert ["none", "0", "1", "0", "1"] in lines
    assert ["resolver", "0", "0", "2", "2"] in lines


def test_the_table_is_data_too() -> None:
    found = result_of(a=["right", "missed"], b=["wrong", "right"]).error_sources("a", "b")
    assert found.to_dicts() == [
        {"base_source": "none", "none": 0, "resolver": 1, "tagger": 0, "all": 1},
        {"base_source": "resolver", "none": 0, "resolver": 0, "tagger": 0, "all": 0},
        {"base_source": "tagger", "none": 1, "resolver": 0, "tagger": 0, "all": 1},
    ]


def test_views_of_other_sites_have_no_sources() -> None:
    view = cp.compare(["A"], {"s": ["A"]}, task="tag", resamples=0).verdicts.view()
    assert view.error_sources is None


def test_items_without_outcomes_have_no_sources() -> None:
    view: View = result_of(a=["right"], b=["wrong"]).verdicts.view()
    items: Items | None = view.given_items
    claims: Claims | None = view.claims
    assert items is not None
    assert claims is not None
    assert replace(view, given_items=replace(items, outcomes=None)).error_sources is None
    assert replace(view, given_items=None).error_sources is None
    assert np.array_equal(claims.site, [0, 0])

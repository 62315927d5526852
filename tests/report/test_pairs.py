"""The view of pairs: the numbers of `difference`, whose errors are whose, and that nothing differs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import comparanda as cp
from comparanda import Result
from comparanda.demo import demo_files
from comparanda.report import Choices
from comparanda.report.lists import Lists
from comparanda.report.page_data import ChartPart, Choice, TablePart, TextPart, View
from comparanda.report.views import choose_pairs, pair_choice, pair_view
from tests.findings.every_task import linked, trees
from tests.report.pages import column, names, table
from tests.tasks.prob.findings.small import compared

KEY = list("abcab" * 8)


def of(result: Result, **choices: object) -> View:
    """Return the view of a result."""
    chosen = Choices(**choices)  # type: ignore[arg-type]
    found = pair_view(result, chosen, Lists(result), choose_pairs(result, chosen))
    assert found is not None
    return found


def taggers(resamples: int = 20) -> Result:
    given = {
        "one": ["x" if tag == "a" else tag for tag in KEY],
        "two": ["y" if tag == "b" else tag for tag in KEY],
        "three": ["x" if tag in "ab" else tag for tag in KEY],
    }
    return cp.compare(KEY, given, task="tag", resamples=resamples)


def choice(view: View, base: str, new: str) -> Choice:
    (found,) = [each for each in view.choices if (each.base, each.new) == (base, new)]
    return found


def test_a_single_system_has_no_such_view() -> None:
    result = cp.compare(["a"], {"only": ["a"]}, task="tag", resamples=0)
    assert pair_view(result, Choices(), Lists(result), choose_pairs(result, Choices())) is None


def test_each_pair_has_its_difference_and_its_errors() -> None:
    result = taggers()
    view = of(result)
    assert [(each.base, each.new) for each in view.choices] == [("one", "two"), ("one", "three"), ("two", "three")]
    assert (view.choices[view.chosen].base, view.choices[view.chosen].new) == result.pair(None, None)
    for each in view.choices:
        found = result.difference(each.base, each.new)
        shown = table(each.parts, "difference")
        wanted = [count for one in found.classes for count in (one.count, *(kind.count for kind in one.transitions))]
        assert column(shown, "count") == [f"{count}" for count in wanted]
        assert {"complementarity", "overlap"} <= {*names(each.parts)}
        assert sum(isinstance(part, ChartPart) for part in each.parts) == 2
    rates = table(choice(view, "one", "two").parts, "complementarity")
    assert column(rates, "errors of") == ["one", "two"]
    assert column(rates, "Comp") == ["100.00", "100.00"]


def test_the_pair_that_is_asked_for_is_shown_first() -> None:
    view = of(taggers(), base="three", new="two")
    shown = view.choices[view.chosen]
    assert (shown.base, shown.new, shown.title) == ("three", "two", "three → two")
    assert column(table(shown.parts, "difference"), "class")[0] == "correction"


def test_no_difference_is_said() -> None:
    result = cp.compare(KEY, {"a": KEY, "b": KEY}, task="tag", resamples=0)
    (only,) = of(result).choices
    assert isinstance(only.parts[0], TextPart)
    assert only.parts[0].lines == ("a and b are equal at all 40 sites.",)


def test_a_view_without_sites_says_that_nothing_can_differ(tmp_path: Path) -> None:
    view = of(trees(1, tmp_path), view="conll18")
    assert all("no site" in str(each.parts[0]) for each in view.choices)


def test_slices_are_tested_in_the_pair_that_is_shown_first(tmp_path: Path) -> None:
    result = trees(1, tmp_path)
    view = of(result)
    tested = {
        (each.base, each.new): [p for part in names(each.parts) if part.startswith("by-")
                                for p in column(table(each.parts, part), "p")]
        for each in view.choices
    }  # fmt: skip
    assert len(tested) == 3
    for pair, ps in tested.items():
        assert ps
        assert all(p == "n/a" for p in ps) == (pair != result.pair(None, None))
    assert not any(name.startswith("by-") for name in names(of(result, by=()).choices[0].parts))
    assert "by-label" in names(of(result, by=("label",)).choices[0].parts)


def test_rules_that_tell_whose_errors_are_whose(tmp_path: Path) -> None:
    assert all("sources" in names(each.parts) for each in of(linked(1, tmp_path)).choices)


def test_probabilistic_outputs_are_compared_by_expected_counts_too(tmp_path: Path) -> None:
    blocks = [{"a:PER": 0.6}, {"b:LOC": 0.3}]
    systems = {name: {"d": blocks[place:]} for place, name in enumerate(("one", "two"))}
    view = of(compared(tmp_path, {"d": ["a:PER", "b:LOC"]}, systems))
    (only,) = view.choices
    assert {"expected-pairs", "expected-complementarity", "expected-joint"} <= {*names(only.parts)}


def test_one_pair_by_itself_is_what_the_view_has_of_it() -> None:
    result = replace(taggers(), resamples=0)
    for each in of(result).choices:
        assert each.base is not None
        assert each.new is not None
        lists = Lists(result)
        alone = pair_choice(result, choices=Choices(), lists=lists, base=each.base, new=each.new)
        assert names(alone.parts) == names(each.parts)
        assert column(table(alone.parts, "overlap"), "neither") == column(table(each.parts, "overlap"), "neither")
        turned = pair_choice(result, choices=Choices(), lists=lists, base=each.new, new=each.base)
        assert (turned.base, turned.new) == (each.new, each.base)


def test_of_many_systems_it_says_which_pairs_are_there() -> None:
    given = {f"s{number:02}": ["b"] * number + KEY[number:] for number in range(13)}
    result = cp.compare(KEY, given, task="tag", resamples=0)
    view = of(result)
    (said,) = view.parts
    assert isinstance(said, TextPart)
    assert f"This page contains {len(view.choices)} of 78 pairs" in said.lines[0]
    assert "--pairs all" in said.lines[0]
    assert len(view.choices) < 78
    assert of(result, served=True).parts == ()  # whoever asks a server for a pair gets it
    assert of(result, pairs="all").parts == ()
    assert len(of(result, pairs="all").choices) == 78


def test_a_difference_begins_with_the_first_kinds_of_every_class() -> None:
    key, systems = demo_files("pos")
    result = cp.compare(key, {name: systems[name] for name in ("brill", "spacy")}, task="pos", resamples=0)
    (choice,) = of(result).choices
    shown = table(choice.parts, "difference")
    first = [column(shown, "class")[row] for row in shown.first]
    assert Counter(first) == {"correction": 6, "new error": 6, "changed error": 6}
    assert not any(part.first for part in choice.parts if isinstance(part, TablePart) and part is not shown)

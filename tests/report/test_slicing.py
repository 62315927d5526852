"""What examples can be sliced by."""

from __future__ import annotations

import comparanda as cp
from comparanda.core.verdicts import View
from comparanda.demo import demo_files
from comparanda.report.builder import slice_names


def view(task: str) -> View:
    key, systems = demo_files(task)
    return cp.compare(key, systems, task=task, resamples=0).verdicts.view()


def test_what_is_asked_for_comes_first_then_all_that_has_few_values() -> None:
    assert slice_names(view("pos"), ["frequency", "genre"]) == ("frequency", "genre", "length", "position")


def test_what_the_task_proposes_comes_first_where_nothing_is_asked_for() -> None:
    assert slice_names(view("span"), None) == ("length", "genre", "nesting", "spans", "crowd")


def test_words_and_what_has_many_values_are_left_out_unless_asked_for() -> None:
    assert slice_names(view("coref"), None) == ("kind", "length", "chain_size", "distance")
    assert slice_names(view("coref"), ["text"]) == ("text", "kind", "length", "chain_size", "distance")
    key = {f"r{row}": "a" for row in range(41)}
    found = cp.compare(key, {"x": key}, task="label", resamples=0).verdicts.view()
    assert "id" in found.sites.attributes
    assert slice_names(found, None) == ()
    assert slice_names(found, ["id"]) == ("id",)


def test_what_is_the_same_everywhere_is_left_out() -> None:
    key = [["A", "B"], ["B", "A"]]  # two sentences of the same length
    found = cp.compare(key, {"x": key}, task="tag", resamples=0).verdicts.view()
    assert "length" not in slice_names(found, None)
    assert "position" in slice_names(found, None)

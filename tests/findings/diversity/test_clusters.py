"""Runs clustered by diff, average linkage; each pair in its own universe."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage

import comparanda as cp
from comparanda import Result
from comparanda.core.verdicts import System
from comparanda.findings.diversity import Merge, average_linkage, draw_dendrogram
from tests.findings.every_task import SOME_TASKS, crowded_spans, spans, tags, views
from tests.seeds import draws

Diffs = Mapping[frozenset[str], float]


@pytest.mark.parametrize("task", SOME_TASKS)
def test_the_diff_of_two_runs_is_that_of_the_pair(task: Callable[[int, Path], Result], tmp_path: Path) -> None:
    """`pairs` makes the sites of each pair with all their values; here only what overlaps is looked at."""
    for seed in range(3):
        result = replace(task(seed, tmp_path), resamples=0)
        for view in views(result):
            found = {(each.first, each.second): each for each in result.diversity(view=view).clusters.differences}
            for pair in result.pairs(view=view).pairs:
                mine = found.pop((pair.base, pair.new))
                assert (mine.sites, mine.different, mine.diff) == (pair.sites, pair.different, pair.diff)
                assert mine.where is not None
                assert result.count(mine.where, pair.base, pair.new, view=view) == mine.different
            assert not found


def test_a_third_system_changes_no_diff() -> None:
    text = "Anna Smith left"
    long, short = {"begin": 0, "end": 10, "label": "PER"}, {"begin": 0, "end": 4, "label": "PER"}
    other = {"begin": 5, "end": 10, "label": "PER"}
    sides = {
        "key": [short, other],
        "x": [short],
        "y": [other],
        "z": [long],
    }
    records = {side: [{"id": "d", "text": text, "spans": spans}] for side, spans in sides.items()}
    key = records.pop("key")
    two = cp.compare(key, {name: records[name] for name in "xy"}, task="span").diversity().clusters.differences
    three = cp.compare(key, records, task="span").diversity().clusters.differences
    assert two == three[:1]
    assert (two[0].sites, two[0].different) == (2, 2)
    assert (three[1].sites, three[1].different) == (1, 1)  # the long span makes one site of both


def test_a_run_of_several_has_no_condition_at_overlap_sites(tmp_path: Path) -> None:
    result = spans(1, tmp_path)
    together = replace(result.verdicts, systems=(System("a", (0, 1)), System("b", (2,))))
    whole, some = (each.diversity().clusters for each in (result, replace(result, verdicts=together)))
    assert [each.where for each in some.differences] == [None, None, None]
    assert some.merges == whole.merges


# Linkage


def slow_linkage(names: tuple[str, ...], diffs: Diffs) -> list[tuple[set[str], set[str], float]]:
    """Always merge the clusters whose runs differ least on average, all pairs looked at anew."""
    clusters, found = [frozenset(name) for name in names], []
    while len(clusters) > 1:

        def mean(pair: tuple[frozenset[str], frozenset[str]]) -> float:
            some = [diffs[frozenset((one, two))] for one in pair[0] for two in pair[1]]
            return sum(some) / len(some)

        first, second = min(combinations(clusters, 2), key=mean)
        found.append((set(first), set(second), mean((first, second))))
        clusters = [each for each in clusters if each not in (first, second)] + [first | second]
    return found


def drawn(seed: int, size: int) -> tuple[tuple[str, ...], Diffs]:
    draw = random.Random(seed)
    names = tuple("abcdefghij"[:size])
    return names, {frozenset(pair): draw.random() for pair in combinations(names, 2)}


@pytest.mark.parametrize("seed", range(10))
def test_merges_are_those_of_average_linkage(seed: int) -> None:
    names, diffs = drawn(seed, 2 + seed)[:2] if seed < 9 else drawn(seed, 10)
    found = average_linkage(names, diffs)
    slow = slow_linkage(names, diffs)
    assert [{frozenset(each.left), frozenset(each.right)} for each in found] == [
        {frozenset(one), frozenset(two)} for one, two, _ in slow
    ]
    assert [each.height for each in found] == pytest.approx([height for _, _, height in slow])
    condensed = np.array([diffs[frozenset(pair)] for pair in combinations(names, 2)])
    assert [each.height for each in found] == pytest.approx(linkage(condensed, "average")[:, 2].tolist())


few = st.sampled_from([0.0, 0.1, 0.2, 0.3, 1 / 3, 0.7])


@settings(max_examples=draws(60), deadline=None, derandomize=True)
@given(st.integers(2, 7).flatmap(lambda size: st.lists(few, min_size=size * (size - 1) // 2, max_size=21)), st.data())
def test_ties_go_by_names_and_not_by_the_order_given(values: list[float], data: st.DataObject) -> None:
    size = max(number for number in range(2, 8) if number * (number - 1) // 2 <= len(values))
    names = tuple("abcdefg"[:size])
    diffs = {frozenset(pair): value for pair, value in zip(combinations(names, 2), values, strict=False)}
    found = average_linkage(names, diffs)
    shuffled = tuple(data.draw(st.permutations(names)))
    assert average_linkage(shuffled, dict(reversed(diffs.items()))) == found
    heights = [each.height for each in found]
    assert heights == pytest.approx(sorted(heights))  # average linkage has no inversions
    assert sorted((*found[-1].left, *found[-1].right)) == list(names)
    assert all(each.left[0] < each.right[0] for each in found)


def test_of_equal_pairs_the_first_by_name_is_merged_first() -> None:
    names = ("d", "c", "b", "a")
    diffs = {frozenset(pair): 0.5 for pair in combinations(names, 2)}
    merges = [(each.left, each.right) for each in average_linkage(names, diffs)]
    assert merges == [(("a",), ("b",)), (("a", "b"), ("c",)), (("a", "b", "c"), ("d",))]


def test_rounding_does_not_decide_what_is_merged_first() -> None:
    """0.1 + 0.2 is not 0.3 in floats: the mean of a–c and b–c must not be called larger than d's 0.15."""
    names = ("a", "b", "c", "d", "e")
    diffs = {frozenset(pair): 0.9 for pair in combinations(names, 2)}
    diffs |= {frozenset("ab"): 0.01, frozenset("ac"): 0.1, frozenset("bc"): 0.2, frozenset("de"): 0.15}
    merges = [(each.left, each.right) for each in average_linkage(names, diffs)]
    assert merges[1] == (("a", "b"), ("c",))


def test_identical_systems_merge_at_zero(tmp_path: Path) -> None:
    given = [["A", "B", "B"], ["A", "B", "B"], ["B", "B", "B"]]
    found = cp.compare(["A", "B", "A"], dict(zip("zyx", given, strict=True)), task="tag").diversity().clusters
    assert [(each.left, each.right, each.height) for each in found.merges] == [
        (("y",), ("z",), 0.0),
        (("x",), ("y", "z"), pytest.approx(1 / 3)),
    ]
    assert found.order == ("x", "y", "z")
    assert tags(1, tmp_path).diversity().clusters.reason is None


def test_leaves_stand_so_that_no_branches_cross(tmp_path: Path) -> None:
    for seed in range(5):
        found = crowded_spans(seed, tmp_path).diversity().clusters
        for merge in found.merges:
            both = merge.left + merge.right
            begin = found.order.index(both[0])
            assert found.order[begin : begin + len(both)] == both


# Drawing


def test_a_tree_is_drawn_with_heights_to_scale() -> None:
    merges = [
        Merge(("a",), ("b",), 0.1),
        Merge(("c",), ("d",), 0.2),
        Merge(("a", "b"), ("c", "d"), 0.4),
    ]
    assert draw_dendrogram("abcd", merges) == [
        "─" * 10 + "┬" + "─" * 29 + "┐",
        "─" * 10 + "┘" + " " * 29 + "│",
        "─" * 20 + "┬" + "─" * 19 + "┘",
        "─" * 20 + "┘",
    ]


def test_a_tree_without_any_difference_is_drawn_too() -> None:
    assert draw_dendrogram("ab", [Merge(("a",), ("b",), 0.0)]) == ["─┐", "─┘"]

"""Pairs crossed at their errors alone: the same classes and transitions as the whole difference tells."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparanda.api.comparison import compare
from comparanda.findings import error_pairs
from comparanda.findings.difference import CLASSES
from tests.seeds import draws

if TYPE_CHECKING:
    from comparanda.result import Result

TAGS = ["A", "B", "C", "D"]


def crossed_by_hand(key: list[str], first: list[str], second: list[str]) -> dict[tuple[str, str, str, str], int]:
    """Count kinds of change one site at a time."""
    counts: dict[tuple[str, str, str, str], int] = {}
    for y, one, two in zip(key, first, second, strict=True):
        if one == two:
            continue
        kind = "correction" if two == y else "new_error" if one == y else "changed_error"
        counts[kind, y, one, two] = counts.get((kind, y, one, two), 0) + 1
    return counts


@st.composite
def tagged(draw: st.DrawFn) -> tuple[list[str], dict[str, list[str]]]:
    size = draw(st.integers(1, 30))
    line = st.lists(st.sampled_from(TAGS), min_size=size, max_size=size)
    return draw(line), {name: draw(line) for name in "abc"[: draw(st.integers(2, 3))]}


@pytest.mark.parametrize("dense", [1 << 18, 0])
@settings(max_examples=draws(60), deadline=None)
@given(tagged())
def test_every_pair_has_the_transitions_that_counting_by_hand_gives(
    dense: int, data: tuple[list[str], dict[str, list[str]]]
) -> None:
    key, systems = data
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(error_pairs, "_MAX_DENSE", dense)
        found = compare(key, systems, task="tag", resamples=0).pairs(transitions=1000)
    for pair in found.pairs:
        expected = crossed_by_hand(key, systems[pair.base], systems[pair.new])
        assert {(each.kind, each.key, each.base, each.new): each.count for each in pair.transitions} == expected
        classes = [sum(count for kind, count in expected.items() if kind[0] == name) for name in CLASSES]
        assert [pair.corrections, pair.new_errors, pair.changed_errors] == classes
        assert pair.different == sum(classes)


TREES = [
    "1\ta\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n3\tc\t_\t_\t_\t_\t2\tobj\t_\t_\n\n",
    "1\ta\t_\t_\t_\t_\t3\tdet\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n3\tc\t_\t_\t_\t_\t2\tnsubj\t_\t_\n\n",
    "1\ta\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tb\t_\t_\t_\t_\t3\tobj\t_\t_\n3\tc\t_\t_\t_\t_\t0\troot\t_\t_\n\n",
]


def of_spans() -> Result:
    key = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-ORG", "I-ORG", "O"]]
    one = [["B-PER", "O", "O", "B-LOC"], ["O", "B-LOC", "I-LOC", "B-PER"]]
    two = [["B-PER", "I-PER", "O", "O"], ["B-ORG", "I-ORG", "I-ORG", "O"]]
    three = [["O", "O", "O", "B-ORG"], ["O", "B-PER", "I-PER", "B-PER"]]
    return compare(key, {"one": one, "two": two, "three": three}, task="span", resamples=0)


def of_trees(folder: object) -> Result:
    from pathlib import Path

    paths = []
    for number, text in enumerate(TREES):
        path = Path(str(folder)) / f"{number}.conllu"
        path.write_text(text)
        paths.append(str(path))
    return compare(paths[0], {"one": paths[1], "two": paths[2]}, task="dep", resamples=0)


@pytest.mark.parametrize("kind", ["spans", "trees"])
def test_pairs_of_spans_and_trees_tell_what_their_difference_tells(kind: str, tmp_path: object) -> None:
    result = of_spans() if kind == "spans" else of_trees(tmp_path)
    for pair, (base, new) in zip(result.pairs(transitions=99).pairs, combinations(result.systems, 2), strict=True):
        whole = result.difference(base, new, by=())
        told = {(c.name, t.key, t.base, t.new): t.count for c in whole.classes for t in c.transitions}
        merged: dict[tuple[str, str, str, str], int] = {}
        for each in pair.transitions:
            name = (each.kind, each.key, each.base, each.new)
            merged[name] = merged.get(name, 0) + each.count
            assert result.count(each.where, base, new) == each.count
        assert merged == told
        assert [pair.corrections, pair.new_errors, pair.changed_errors] == [each.count for each in whole.classes]

"""Probable spans of a corpus that was cut into parts: merged, they are those of the uncut corpus to the last byte."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import comparanda as cp
from comparanda.core.excerpts import Texts
from comparanda.core.verdicts import Verdicts
from comparanda.errors import UsageError
from comparanda.pipeline import Setup, evaluate_systems
from comparanda.storage.merge import merge
from tests.random_beliefs import KINDS, THREE, Corpora, random_beliefs, random_sentences
from tests.random_chains import assert_equal_verdicts
from tests.random_spans import result_of
from tests.seeds import draws, first_few
from tests.toy_task import (
    printed,
    toy_measures,  # noqa: F401 - a fixture that works by being here
)

SIZE = 6
ANYWHERE = [name for name, kind in KINDS.items() if not kind.missing]  # no file may be empty


def corpora(kind: str, folder: Path, seed: int = 3) -> Corpora:
    return random_beliefs(folder, seed, KINDS[kind], SIZE)


def findings(verdicts: Verdicts) -> dict[str, str]:
    """Return all findings as JSON, without places and notes: those of parts are in their own files."""
    found = printed(result_of(replace(verdicts, notes=())), ("length",), ("differs",))
    return {name: re.sub(r'"[^"]*\.jsonl:[0-9]+"', '"place"', text) for name, text in found.items()}


@pytest.mark.parametrize("kind", first_few(3, KINDS))
def test_three_parts_are_the_uncut_corpus(kind: str, tmp_path: Path) -> None:
    whole = corpora(kind, tmp_path)
    assert_equal_verdicts(merge([whole.judged(part) for part in THREE]), whole.judged())


def test_they_have_the_same_findings(tmp_path: Path) -> None:
    whole = corpora("plain", tmp_path)
    assert findings(merge([whole.judged(part) for part in THREE])) == findings(whole.judged())


@given(st.sampled_from(ANYWHERE), st.integers(0, 10_000), st.sets(st.integers(1, SIZE - 1)))
@settings(deadline=None, max_examples=draws(8), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_corpus_may_be_cut_anywhere(
    tmp_path_factory: pytest.TempPathFactory, kind: str, seed: int, cuts: set[int]
) -> None:
    whole = corpora(kind, tmp_path_factory.mktemp("corpus"), seed)
    parts = [slice(begin, end) for begin, end in pairwise([0, *sorted(cuts), SIZE])]
    assert_equal_verdicts(merge([whole.judged(part) for part in parts]), whole.judged())


def test_parts_of_one_document_are_the_uncut_document(tmp_path: Path) -> None:
    whole = random_sentences(tmp_path, 3, SIZE)
    merged, uncut = merge([whole.judged(part) for part in THREE]), whole.judged()
    assert uncut.units.kind == "sentence"
    # a note says how much is left out, and that is another number in each part
    assert_equal_verdicts(replace(merged, notes=()), replace(uncut, notes=()))


@pytest.mark.parametrize("kind", first_few(1, ["plain", "foreign"]))
def test_saved_and_opened_parts_merge_to_the_same(kind: str, tmp_path: Path) -> None:
    whole = corpora(kind, tmp_path, seed=4)

    def reopened(verdicts: Verdicts, name: str) -> Verdicts:
        result_of(verdicts).save(tmp_path / name)
        return cp.open(tmp_path / name).verdicts

    merged = merge([reopened(whole.judged(part), f"part{part.start}") for part in THREE])
    assert_equal_verdicts(merged, whole.judged())
    assert_equal_verdicts(reopened(merged, "merged"), whole.judged())


def test_merging_step_by_step_is_merging_at_once(tmp_path: Path) -> None:
    whole = corpora("plain", tmp_path, seed=5)
    one, two, three = (whole.judged(part) for part in THREE)
    at_once = merge([one, two, three])
    assert_equal_verdicts(merge([merge([one, two]), three]), at_once)
    assert_equal_verdicts(merge([one, merge([two, three])]), at_once)
    assert_equal_verdicts(merge([one]), one)


@pytest.mark.parametrize("where", first_few(1, ['not right("crf")', "true"]))
def test_narrowed_parts_are_the_narrowed_corpus(where: str, tmp_path: Path) -> None:
    whole = corpora("plain", tmp_path, seed=1)
    parts = [result_of(whole.judged(part)).where(where).verdicts for part in (slice(0, 3), slice(3, 6))]
    uncut = result_of(whole.judged()).where(where).verdicts
    merged = merge(parts)
    assert (uncut.view().candidates is not None) == (where == "true")
    assert findings(merged) == findings(uncut)
    assert merged.view().lost == uncut.view().lost


def test_parts_without_texts_merge_as_far_as_their_tuples_go(tmp_path: Path) -> None:
    whole = corpora("quiet", tmp_path)
    merged = merge([replace(whole.judged(part), texts=Texts()) for part in THREE])
    for mine, theirs in zip(merged.view().candidates or (), whole.judged().view().candidates or (), strict=True):
        for column in ("document", "place", "width", "correct"):
            assert np.array_equal(getattr(mine, column), getattr(theirs, column))
        assert (np.diff(mine.sentence) >= 0).all()


# By hand: small enough to count

TEXT = "abcdefghij"


def record(name: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    """Make a document of ten letters: {"PER 0-2": 0.5, "LOC 0-3": 0.2} is a block."""
    made = []
    for block in blocks:
        alternatives = []
        for said, p in block.items():
            label, _, extent = said.partition(" ")
            begin, end = map(int, extent.split("-"))
            alternatives.append({"start": begin, "end": end, "p": p, "labels": {label: 1.0}})
        made.append({"alternatives": alternatives})
    return {"doc": name, "text": TEXT, "blocks": made}


def part(folder: Path, key: dict[str, Any], said: dict[str, Any], setup: Setup | None = None) -> Verdicts:
    paths = {}
    for side, given_record in (("key", key), ("x", said)):
        paths[side] = folder / f"{key['doc']}-{side}.jsonl"
        paths[side].write_text(json.dumps(given_record) + "\n")
    return evaluate_systems(str(paths["key"]), {"x": str(paths["x"])}, setup or Setup(task="prob"))


def two_parts(folder: Path) -> list[Verdicts]:
    """One document each: in `a` two spans are equally probable, in `b` stand two blocks."""
    return [
        part(folder, record("a", {"PER 0-2": 1.0}), record("a", {"PER 0-2": 0.5, "LOC 0-3": 0.5})),
        part(folder, record("b", {"ORG 3-5": 1.0}), record("b", {"ORG 3-5": 0.6}, {"PER 6-8": 0.25})),
    ]


def test_tuples_blocks_and_labels_are_numbered_through(tmp_path: Path) -> None:
    (run,) = merge(two_parts(tmp_path)).view().candidates or ()
    assert run.document.tolist() == [0, 0, 1, 1]
    assert [run.names[code] for code in run.label] == ["PER", "LOC", "ORG", "PER"]
    assert run.names == ("LOC", "ORG", "PER")
    assert run.text.values() == ["ab", "abc", "de", "gh"]
    assert run.beliefs.block.tolist() == [0, 0, 1, 2]
    assert run.beliefs.alternative.tolist() == [0, 1, 2, 3]
    assert run.beliefs.nothing.tolist() == [0, 0.4, 0.75]
    assert run.correct.tolist() == [True, False, True, False]
    assert run.decided.tolist() == [False, True, True, False]
    assert run.tied is not None
    assert run.tied.tolist() == [True, False, False]


def test_a_label_that_a_part_does_not_have_weighs_nothing_there(tmp_path: Path) -> None:
    merged = merge(two_parts(tmp_path))
    statistics = merged.view().statistics
    assert statistics["mass[PER]"].tolist() == [[0.5], [0.25]]
    assert statistics["mass[LOC]"].tolist() == [[0.5], [0]]
    assert statistics["mass[ORG]"].tolist() == [[0], [0.6]]
    assert statistics["entities[ORG]"].tolist() == [[0], [1]]
    scores = result_of(merged).scores("expected_precision[LOC]", "expected_recall[ORG]", "expected_recall[PER]").scores
    assert [score.value for score in scores] == [0, 0.6, 0.5]


def test_worlds_point_to_their_tuples_after_merging(tmp_path: Path) -> None:
    """The best two analyses of each of two documents."""

    def analyses(name: str, *worlds: tuple[float, list[list[Any]]]) -> Verdicts:
        said = {"doc": name, "text": TEXT, "nbest": [{"p": p, "spans": spans} for p, spans in worlds]}
        return part(tmp_path, record(name, {"PER 0-2": 1.0}), said)

    first = analyses("a", (0.75, [[0, 2, "PER"]]), (0.25, []))
    second = analyses("b", (0.5, [[0, 2, "PER"], [5, 7, "LOC"]]), (0.25, [[5, 7, "LOC"]]))
    (run,) = merge([first, second]).view().candidates or ()
    worlds = run.beliefs.worlds
    assert worlds is not None
    assert run.beliefs.weight.tolist() == [0.75, 0.5, 0.75]
    assert worlds.block.tolist() == [0, 1, 1]
    assert worlds.probability.tolist() == [0.75, 0.5, 0.25]
    assert worlds.offsets.tolist() == [0, 1, 3, 4]
    assert worlds.member.tolist() == [0, 1, 2, 2]
    assert run.decided.tolist() == [True, True, True]


# What does not merge


def test_other_decisions_do_not_merge(tmp_path: Path) -> None:
    whole = corpora("plain", tmp_path)
    one = whole.judged(THREE[0])
    other = replace(whole, setup=Setup(task="prob", decide="hierarchical")).judged(THREE[1])
    with pytest.raises(UsageError, match="the same settings") as caught:
        merge([one, other])
    assert caught.value.hint == "they differ in decide"


def test_probable_spans_do_not_merge_with_others(tmp_path: Path) -> None:
    whole = corpora("plain", tmp_path)
    one, two = whole.judged(THREE[0]), whole.judged(THREE[1])
    bare = {name: replace(view, candidates=None) for name, view in two.views.items()}
    with pytest.raises(UsageError, match="the same views"):
        merge([one, replace(two, views=bare)])

"""Spans of a corpus that was cut into parts: merged, they are those of the uncut corpus to the last byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import comparanda as cp
from comparanda.core.claims import Claims
from comparanda.core.excerpts import Texts
from comparanda.core.verdicts import Verdicts, View
from comparanda.errors import UsageError
from comparanda.pipeline import Setup, evaluate_systems
from comparanda.storage.merge import merge
from tests.random_spans import Corpora, assert_equal_verdicts, result_of, tagged, written
from tests.seeds import draws, mostly_slow
from tests.toy_task import (
    printed,
    toy_measures,  # noqa: F401 - a fixture that works by being here
    verdicts_of,
)

THREE = (slice(0, 2), slice(2, 3), slice(3, 6))
WHERE = ("differs", "correction")
KINDS = ("files", "lists", "written")
RULES = ("exact", "semeval2013", "tokens")
SIZE = 6


def corpora(kind: str, folder: Path, rules: str, seed: int = 3) -> Corpora:
    setup = Setup(task="span", rules=rules)
    if kind == "written":
        return written(folder, seed, setup, size=SIZE)
    return tagged(folder, seed, setup, size=SIZE, marked=kind == "files")


def findings(verdicts: Verdicts) -> dict[str, str]:
    """Return all findings as JSON, without the lines of files: those of parts are their own."""
    found = printed(result_of(verdicts), ("length", "nesting"), WHERE)
    return {name: re.sub(r'"place": "[^"]*"|<\w+>:[0-9]+', "", text) for name, text in found.items()}


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("kind", KINDS)
def test_three_parts_are_the_uncut_corpus(kind: str, rules: str, tmp_path: Path) -> None:
    whole = corpora(kind, tmp_path, rules)
    merged, uncut = merge([whole.judged(part) for part in THREE]), whole.judged()
    assert uncut.units.kind == ("sentence" if kind == "lists" else "document")
    assert ("genre" in uncut.view().sites.attributes) == (kind == "files")
    assert_equal_verdicts(merged, uncut)


FEW = [("files", "exact"), ("written", "tokens")]


@pytest.mark.parametrize(
    ("kind", "rules"),
    [pytest.param(*each, marks=() if each in FEW else pytest.mark.slow) for each in product(KINDS, RULES)],
)
def test_they_have_the_same_findings(kind: str, rules: str, tmp_path: Path) -> None:
    whole = corpora(kind, tmp_path, rules)
    assert findings(merge([whole.judged(part) for part in THREE])) == findings(whole.judged())


@pytest.mark.parametrize("kind", ["files", "written"])
def test_what_rules_count_by_document_merges_by_document(kind: str, tmp_path: Path) -> None:
    whole = corpora(kind, tmp_path, "document")
    assert_equal_verdicts(merge([whole.judged(part) for part in THREE]), whole.judged())


@given(
    kind=st.sampled_from(["files", "lists", "written"]),
    rules=st.sampled_from(["exact", "characters", "gate"]),
    seed=st.integers(0, 10_000),
    cuts=st.sets(st.integers(1, SIZE - 1)),
)
@settings(deadline=None, max_examples=draws(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_corpus_may_be_cut_anywhere(
    tmp_path_factory: pytest.TempPathFactory, *, kind: str, rules: str, seed: int, cuts: set[int]
) -> None:
    whole = corpora(kind, tmp_path_factory.mktemp("corpus"), rules, seed)
    parts = [slice(begin, end) for begin, end in pairwise([0, *sorted(cuts), SIZE])]
    assert_equal_verdicts(merge([whole.judged(part) for part in parts]), whole.judged())


@pytest.mark.parametrize("kind", mostly_slow(KINDS, {"lists"}))
def test_saved_and_opened_parts_merge_to_the_same(kind: str, tmp_path: Path) -> None:
    whole = corpora(kind, tmp_path, "semeval2013")

    def reopened(verdicts: Verdicts, name: str) -> Verdicts:
        result_of(verdicts).save(tmp_path / name)
        return cp.open(tmp_path / name).verdicts

    merged = merge([reopened(whole.judged(part), f"part{part.start}") for part in THREE])
    assert_equal_verdicts(merged, whole.judged())
    assert_equal_verdicts(reopened(merged, "merged"), whole.judged())


@pytest.mark.parametrize("kind", ["files", "lists"])
def test_merging_step_by_step_is_merging_at_once(kind: str, tmp_path: Path) -> None:
    whole = corpora(kind, tmp_path, "tokens")
    one, two, three = (whole.judged(part) for part in THREE)
    at_once = merge([one, two, three])
    assert_equal_verdicts(merge([merge([one, two]), three]), at_once)
    assert_equal_verdicts(merge([one, merge([two, three])]), at_once)
    assert_equal_verdicts(merge([one]), one)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "where"),
    [
        ("files", 'not right("crf")'),
        pytest.param("lists", "spans > 0", marks=pytest.mark.slow),
        pytest.param("written", 'not right("crf")', marks=pytest.mark.slow),
        pytest.param("files", "spans > 0", marks=pytest.mark.slow),
        pytest.param("lists", 'not right("crf")', marks=pytest.mark.slow),
        pytest.param("written", "spans > 0", marks=pytest.mark.slow),
    ],
)
def test_narrowed_parts_are_the_narrowed_corpus(kind: str, where: str, tmp_path: Path) -> None:
    whole = corpora(kind, tmp_path, "semeval2013", seed=1)
    parts = [result_of(whole.judged(part)).where(where).verdicts for part in (slice(0, 3), slice(3, 6))]
    # notes about labels that one side alone uses speak of each part before it was narrowed
    narrowed = replace(result_of(whole.judged()).where(where).verdicts, notes=())
    merged = replace(merge(parts), notes=())
    assert_equal_verdicts(merged, narrowed, codes=False)
    assert findings(merged) == findings(narrowed)


def test_views_share_their_spans_after_merging(tmp_path: Path) -> None:
    whole = corpora("written", tmp_path, "semeval2013")
    views = merge([whole.judged(part) for part in THREE]).views.values()
    assert len(views) == 4
    assert len({id(view.claims) for view in views}) == 1


def test_parts_without_texts_merge_as_far_as_their_spans_go(tmp_path: Path) -> None:
    whole = corpora("files", tmp_path, "exact")
    merged = merge([replace(whole.judged(part), texts=Texts()) for part in THREE])
    uncut = whole.judged()
    assert merged.view().claims is not None
    for column in ("document", "place", "begin", "end"):
        assert np.array_equal(getattr(merged.view().claims, column), getattr(uncut.view().claims, column))


# By hand: small enough to count


def record(name: str, *spans: str) -> dict[str, object]:
    """Make a document of ten letters: `PER 0-2` is a span, `PER 0-2,4-6` one in pieces."""
    found = []
    for span in spans:
        label, extent = span.split()
        pieces = [[int(each) for each in piece.split("-")] for piece in extent.split(",")]
        one: dict[str, object] = {"begin": pieces[0][0], "end": pieces[-1][1], "label": label}
        found.append(one if len(pieces) == 1 else {**one, "fragments": pieces})
    return {"id": name, "text": "abcdefghij", "spans": found}


def test_the_keys_spans_stand_before_all_others(tmp_path: Path) -> None:
    key = [record("a", "PER 0-2"), record("b", "LOC 3-5")]
    run = [record("a", "ORG 6-8"), record("b", "LOC 3-5", "PER 0-2", "PER 0-2")]
    merged = merge(
        [
            evaluate_systems(key[:1], {"x": run[:1]}, Setup(task="span")),
            evaluate_systems(key[1:], {"x": run[1:]}, Setup(task="span")),
        ]
    )
    items = merged.view().items
    assert items.positive.tolist() == [True, True, False, False, False]
    assert [items.names[code] for code in items.label] == ["PER", "LOC", "ORG", "PER", "PER"]
    assert items.claim is not None
    assert items.claim.tolist() == [0, 3, 1, 2, 2]
    assert items.outcomes is not None
    assert items.outcomes.verdicts == ("", "FN", "FP", "TP")


def test_ways_of_being_cut_are_numbered_anew() -> None:
    key = [record("a", "PER 0-2,6-8"), record("b", "PER 0-2,4-6", "PER 0-2,6-8")]
    merged = merge([evaluate_systems([each], {"x": [each]}, Setup(task="span")) for each in key])
    claims = merged.view().claims
    assert claims is not None
    assert claims.pieces.tolist() == [2, 1, 2]
    assert claims.fragments is not None
    assert claims.fragments.span.tolist() == [0, 0, 1, 1, 2, 2]
    assert merged.view().all_sites.names == ("PER[0:2,4:6] + PER[0:2,6:8]", "PER[0:2,6:8]")


def test_what_a_span_in_pieces_is_called_depends_on_nothing_else() -> None:
    """Loading a third system, narrowing and merging leave the names of values alone."""
    key = [record("a", "PER 4-6,8-10")]
    more = [record("a", "PER 0-2,4-6")]
    alone = evaluate_systems(key, {"x": key}, Setup(task="span")).view()
    beside = evaluate_systems(key, {"x": key, "y": more}, Setup(task="span")).view().among([0])
    assert alone.all_sites.names == beside.all_sites.names == ("PER[0:2,4:6]",)


# What does not merge


def lists(tags: Sequence[str]) -> list[list[tuple[str, str]]]:
    return [[("w", tag) for tag in tags]]


def test_characters_of_one_document_do_not_merge() -> None:
    key, other = lists(["B-PER", "O"]), [[("w", "B-PER"), ("w", "O")]]
    cut = [[("ww", "B-PER")]]
    part = evaluate_systems(key, {"x": other, "y": cut}, Setup(task="span"))
    assert part.settings["positions"] == "characters"
    with pytest.raises(UsageError, match="pieces of one document with spans in characters cannot be merged"):
        merge([part, part])
    assert_equal_verdicts(merge([part]), part)


def test_parts_that_count_other_positions_do_not_merge(tmp_path: Path) -> None:
    whole = corpora("lists", tmp_path, "exact")
    part = whole.judged(THREE[0])
    other = replace(part, settings={**part.settings, "positions": "characters", "case": "folded"})
    with pytest.raises(UsageError, match="the same settings") as caught:
        merge([part, other])
    assert caught.value.hint == "they differ in case, positions"


def test_what_rules_count_by_document_does_not_merge_in_pieces(tmp_path: Path) -> None:
    whole = corpora("lists", tmp_path, "document")
    with pytest.raises(UsageError, match="the rules combine spans") as caught:
        merge([whole.judged(part) for part in THREE])
    assert caught.value.hint == "cut between documents"


def test_spans_do_not_merge_with_sites(tmp_path: Path) -> None:
    part = corpora("files", tmp_path, "exact").judged(THREE[0])
    sites = {name: replace(view, given_sites=view.all_sites, claims=None) for name, view in part.views.items()}
    with pytest.raises(UsageError, match="the same views"):
        merge([part, replace(part, views=sites)])


def test_spans_that_would_overlap_do_not_merge(tmp_path: Path) -> None:
    """A span that reaches behind its piece: no reader gives one."""
    part = corpora("lists", tmp_path, "exact").judged(THREE[0])
    views = {name: replace(view, claims=far(view)) for name, view in part.views.items()}
    with pytest.raises(UsageError, match="a span of one part overlaps a span of another"):
        merge([replace(part, views=views), part])


def far(view: View) -> Claims:
    assert view.claims is not None
    end = view.claims.end.copy()
    end[-1] += 1000
    return replace(view.claims, end=end)


def test_widths_of_sites_merge() -> None:
    def widened(documents: range, width: int) -> Verdicts:
        verdicts = verdicts_of(documents=documents)
        views = {
            name: replace(
                view, given_sites=replace(view.all_sites, width=np.full(len(view.all_sites), width, np.int32))
            )
            for name, view in verdicts.views.items()
        }
        return replace(verdicts, views=views)

    merged = merge([widened(range(3), 2), verdicts_of(documents=range(3, 7))]).view().all_sites
    sizes = [len(verdicts_of(documents=part).view().all_sites) for part in (range(3), range(3, 7))]
    assert merged.width is not None
    assert merged.width.tolist() == [2] * sizes[0] + [1] * sizes[1]
    assert merge([verdicts_of(documents=range(3)), verdicts_of(documents=range(3, 7))]).view().all_sites.width is None

"""Links of a corpus that was cut into parts: merged, they are those of the uncut corpus to the last byte."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import comparanda as cp
from comparanda.core.verdicts import Verdicts
from comparanda.pipeline import Setup, evaluate_systems
from comparanda.storage.merge import merge
from tests.random_spans import assert_equal_verdicts, result_of
from tests.seeds import draws, first_few, mostly_slow
from tests.tasks.random_links import SYSTEMS, Links, links
from tests.toy_task import (
    printed,
    toy_measures,  # noqa: F401 - a fixture that works by being here
)

SIZE = 6
THREE = (slice(0, 2), slice(2, 3), slice(3, SIZE))
WHERE = ("differs", 'base_source == "tagger"')
RULES = ("links", "elevant", "hipe-nel", "document")


@dataclass(frozen=True)
class Corpora:
    """Linked documents of a key and three systems, as records or in files."""

    documents: Links
    rules: str
    folder: Path | None = None

    def judged(self, part: slice = slice(None)) -> Verdicts:
        sides = {side: self.given(side, part) for side in ("key", *SYSTEMS)}
        return evaluate_systems(sides.pop("key"), sides, Setup(task="link", rules=self.rules))

    def given(self, side: str, part: slice) -> Any:
        records = self.documents.given(side)[part]
        if self.folder is None:
            return records
        path = self.folder / f"{side}-{part.start}-{part.stop}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return str(path)


def corpora(kind: str, folder: Path, rules: str = "links", seed: int = 3) -> Corpora:
    return Corpora(links(seed, SIZE), rules, folder if kind == "files" else None)


def findings(verdicts: Verdicts, where: Sequence[str] = WHERE) -> dict[str, str]:
    """Return all findings as JSON, but the places of files: those of parts are their own."""
    found = printed(result_of(verdicts), ("length",))
    kept = {
        name: re.sub(r'"place": "[^"]*"|<\w+>:[0-9]+', "", text)
        for name, text in found.items()
        if "examples" not in name
    }
    result = result_of(verdicts)
    for pair in permutations(SYSTEMS, 2):
        kept[f"{pair}: sources"] = str(result.error_sources(*pair))
        kept |= {f"{pair}: {condition}": str(result.count(condition, *pair)) for condition in where}
    return kept


@pytest.mark.parametrize("rules", mostly_slow(RULES, {"links"}))
@pytest.mark.parametrize("kind", ["files", "records"])
def test_three_parts_are_the_uncut_corpus(kind: str, rules: str, tmp_path: Path) -> None:
    whole = corpora(kind, tmp_path, rules)
    merged, uncut = merge([whole.judged(part) for part in THREE]), whole.judged()
    assert_equal_verdicts(merged, uncut)


@pytest.mark.slow
def test_they_have_the_same_findings_and_sources(tmp_path: Path) -> None:
    whole = corpora("records", tmp_path)
    merged, uncut = merge([whole.judged(part) for part in THREE]), whole.judged()
    assert findings(merged) == findings(uncut)


@given(st.sampled_from(RULES), st.integers(0, 10_000), st.sets(st.integers(1, SIZE - 1)))
@example("links", 1, {1, 2})  # a side without links in one part alone
@settings(deadline=None, max_examples=draws(12), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_corpus_may_be_cut_anywhere(
    tmp_path_factory: pytest.TempPathFactory, rules: str, seed: int, cuts: set[int]
) -> None:
    whole = corpora("records", tmp_path_factory.mktemp("corpus"), rules, seed)
    parts = [slice(begin, end) for begin, end in pairwise([0, *sorted(cuts), SIZE])]
    assert_equal_verdicts(without_notes(merge([whole.judged(part) for part in parts])), without_notes(whole.judged()))


def without_notes(verdicts: Verdicts) -> Verdicts:
    """Leave out what is said of parts alone: that no mention of one has an id, or which labels one side uses."""
    return replace(verdicts, notes=())


@pytest.mark.slow
def test_saved_and_opened_parts_merge_to_the_same(tmp_path: Path) -> None:
    whole = corpora("records", tmp_path)

    def reopened(verdicts: Verdicts, name: str) -> Verdicts:
        result_of(verdicts).save(tmp_path / name)
        return cp.open(tmp_path / name).verdicts

    merged = merge([reopened(whole.judged(part), f"part{part.start}") for part in THREE])
    assert_equal_verdicts(merged, whole.judged())
    assert_equal_verdicts(reopened(merged, "merged"), whole.judged())


@pytest.mark.slow
def test_merging_step_by_step_is_merging_at_once(tmp_path: Path) -> None:
    whole = corpora("records", tmp_path)
    one, two, three = (whole.judged(part) for part in THREE)
    at_once = merge([one, two, three])
    assert_equal_verdicts(merge([merge([one, two]), three]), at_once)
    assert_equal_verdicts(merge([one, merge([two, three])]), at_once)
    assert_equal_verdicts(merge([one]), one)


@pytest.mark.parametrize("where", first_few(1, ['not right("one")', 'source("two") == "tagger"']))
def test_narrowed_parts_are_the_narrowed_corpus(where: str, tmp_path: Path) -> None:
    whole = corpora("records", tmp_path, seed=8)
    parts = [result_of(whole.judged(part)).where(where).verdicts for part in (slice(0, 3), slice(3, SIZE))]
    narrowed = without_notes(result_of(whole.judged()).where(where).verdicts)
    assert_equal_verdicts(without_notes(merge(parts)), narrowed, codes=False)


# By hand


def record(name: str, *mentions: str) -> dict[str, Any]:
    spans = [{"begin": place, "end": place + 1, "label": "LOC", "id": id_} for place, id_ in enumerate(mentions) if id_]
    return {"id": name, "text": "abcdef", "spans": spans}


def part(name: str, key: Sequence[str], *systems: Sequence[str]) -> Verdicts:
    sides = {f"s{number}": [record(name, *said)] for number, said in enumerate(systems)}
    return evaluate_systems([record(name, *key)], sides, Setup(task="link"))


def test_outcomes_and_sources_of_one_part_alone_are_there_in_the_whole() -> None:
    merged = merge([part("a", ["Q1"], ["Q1"]), part("b", ["Q1"], ["Q2"]), part("c", ["Q1"], [""])])
    outcomes = merged.view().items.outcomes
    assert outcomes is not None
    assert outcomes.verdicts == ("", "TP", "missed", "wrong id")
    assert outcomes.sources == ("", "", "tagger", "resolver")
    found = merged.view().error_sources
    assert found is not None
    assert [found.names[code] for code in found.runs[0]] == ["none", "resolver", "tagger"]


def test_weights_of_each_system_merge_with_those_of_a_part_that_needs_none() -> None:
    parts = [part("a", ["Q1", "Q2"], ["Q1"], ["Q1", "Q2"]), part("b", ["Q1"], ["Q1"], ["Q9"])]
    assert parts[0].view("linking").items.weight is not None
    assert parts[1].view("linking").items.weight is None
    merged = merge(parts)
    weight = merged.view("linking").items.weight
    assert weight is not None
    assert [each.tolist() for each in weight] == [[1, 0, 1, 0], [1, 1, 1, 0]]
    scores = result_of(merged).scores("recall", view="linking").scores
    assert [(score.part, score.whole) for score in scores] == [(2, 2), (2, 3)]
    again = merge(parts[::-1]).view("linking").items
    assert [again.weights(run).sum() for run in range(2)] == [2, 3]

"""Folded verdicts say what whole ones say, of every finding, to the last byte; only lists of easy sites are shorter."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

import comparanda as cp
from comparanda.core.verdicts import Verdicts
from comparanda.demo import demo_files
from comparanda.errors import UsageError
from comparanda.render.finding import Finding
from comparanda.render.json import build_document
from comparanda.result import Result
from comparanda.storage import fold
from comparanda.storage.fold import fold_verdicts
from comparanda.storage.merge import merge
from tests.toy_task import Policy, toy_measures, verdicts_of  # noqa: F401 - a fixture that works by being here

TWO_BY_TWO = {"rough": 2, "fine": 2}
ONE_AND_TWO = {"lone": 1, "fine": 2}
CONDITIONS = ("true", "solved_by == 0", "solved_by > 1", "majority_right", "positive", "positive and claimed_by == 0")
OF_A_PAIR = ("differs", "correction", "same_right", "not base_right", "base_claims and positive")


def jobs(result: Result) -> dict[str, Callable[[], Finding]]:
    """Return how every finding is made of the first view."""
    base, new = result.systems[:2]
    label = result.verdicts.view().items.names[0]
    found: dict[str, Callable[[], Finding]] = {
        "scores": result.scores,
        "other scores": lambda: result.scores("macro_f1", "sentences", "document_f1", f"recall[{label}]", "f1"),
        "pairs": lambda: result.pairs(transitions=3),
        "difference": result.difference,
        "confusion": lambda: result.confusion(result.verdicts.runs[-1]),
        "complementarity": result.complementarity,
        "against": lambda: result.against(base),
        "combination": result.combination,
        "significance": result.significance,
        "diversity": result.diversity,
        "suspects": result.suspects,
        "ablation": result.ablation,
        "leaderboard": result.leaderboard,
        "anatomy": result.anatomy,
        "gate": lambda: result.gate(base, new, fail_if_significantly_worse=True),
        "by label": lambda: result.slices("label"),
        "by document": lambda: result.slices("document", base, new),
        "by solved": lambda: result.slices("solved_by"),
    }
    if any(len(system.runs) > 1 for system in result.verdicts.systems):
        found["stability"] = result.stability
    for condition in CONDITIONS:
        found[condition] = lambda condition=condition: result.examples(condition, top=2)  # type: ignore[misc]
    for condition in OF_A_PAIR:
        found[condition] = lambda condition=condition: result.examples(condition, base, new, top=2)  # type: ignore[misc]
    return found


def said(verdicts: Verdicts) -> dict[str, str]:
    result = Result(verdicts, 50)
    return {name: build_document(make(), result.signature, ()) for name, make in jobs(result).items()}


def small(verdicts: Verdicts) -> Verdicts:
    found = fold_verdicts(verdicts, cp.Result(verdicts).seed)
    sites = found.view().sites
    assert sites.folded is not None
    assert sites.rows < len(sites) == len(verdicts.view().sites)
    return found


@pytest.fixture(autouse=True)
def few_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold, "EXAMPLES", 2)


@pytest.fixture(scope="module")
def demo() -> Verdicts:
    key, systems = demo_files("pos")
    return cp.compare(key, systems, task="pos").verdicts


def test_every_finding_of_the_demo(demo: Verdicts) -> None:
    whole = said(demo)
    assert {name: text == whole[name] for name, text in said(small(demo)).items()} == dict.fromkeys(whole, True)


def plain(folder: Path, documents: range, *, marked: bool = True, names: Mapping[str, int] = TWO_BY_TWO) -> Verdicts:
    """Judge tags of some documents in columns; a run has one tag in six wrong, another one each."""
    folder.mkdir(exist_ok=True)
    given = {
        name: cp.Runs(*(written(folder, f"{name}-{run}", documents, marked) for run in range(runs)))
        for name, runs in names.items()
    }
    return cp.compare(written(folder, "key", documents, marked), given, task="tag").verdicts


def written(folder: Path, side: str, documents: range, marked: bool) -> str:
    lines = []
    for number in documents:
        gold, noise = random.Random(number), random.Random(f"{side}{number}")
        lines += [f"# newdoc id = d{number}", f"# meta::genre = {('news', 'blog')[number % 2]}"] * marked
        for _ in range(gold.randint(1, 3)):
            for tag in gold.choices("NVD", k=gold.randint(1, 8)):
                lines.append(f"word {tag if side == 'key' or noise.random() < 5 / 6 else noise.choice('NVDX')}")
            lines.append("")
    (folder / f"{side}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"{folder / side}.txt::columns"


@pytest.mark.parametrize("marked", [True, False], ids=["documents", "sentences"])
@pytest.mark.parametrize("names", [TWO_BY_TWO, ONE_AND_TWO], ids=["2x2", "1x2"])
def test_every_finding_of_runs(names: Mapping[str, int], marked: bool, tmp_path: Path) -> None:
    verdicts = plain(tmp_path, range(20), marked=marked, names=names)
    assert verdicts.units.kind == ("document" if marked else "sentence")
    whole = said(verdicts)
    assert {name: text == whole[name] for name, text in said(small(verdicts)).items()} == dict.fromkeys(whole, True)


def without_lists(verdicts: Verdicts) -> dict[str, str]:
    """Return what is said but for lists of examples, which are shorter where no easy site is kept.

    Lines of files are left out: those of parts are their own.
    """
    kept = {name: text for name, text in said(verdicts).items() if name not in {*CONDITIONS, *OF_A_PAIR}}
    return {name: re.sub(r'"place": "[^"]*"', "", text) for name, text in kept.items()}


@pytest.mark.parametrize("examples", [0, 1])
def test_parts_are_folded_and_merged(examples: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold, "EXAMPLES", examples)
    whole = without_lists(plain(tmp_path / "whole", range(9)))
    parts = [plain(tmp_path / f"{each}", each) for each in (range(2), range(2, 3), range(3, 9))]
    for number, part in enumerate(parts):
        Result(fold_verdicts(part, cp.Result(part).seed), 50).save(tmp_path / str(number))
    opened = [cp.open(tmp_path / str(number)).verdicts for number in range(3)]
    assert all(part.view().folded is not None for part in opened) == (examples == 0)
    merged = merge(opened)
    assert merged.view().folded is not None
    assert without_lists(merged) == whole
    Result(merged, 50).save(tmp_path / "merged")
    assert without_lists(cp.open(tmp_path / "merged").verdicts) == whole


def words(documents: Sequence[str], tags: Callable[[int], str]) -> list[str]:
    """Write documents as CoNLL-U; a text is cut into words at spaces, and the words of all are numbered."""
    lines, number = [], 0
    for name, text in enumerate(documents):
        lines.append(f"# newdoc id = d{name}")
        for place, word in enumerate(text.split(), start=1):
            lines.append("\t".join([str(place), word, "_", tags(number), *["_"] * 4, "_", "_"]))
            number += 1
        lines.append("")
    return lines


def test_words_beside_the_keys_keep_the_sites_they_stand_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part whose words are all the key's merges with one that has others, and precision sees those."""
    monkeypatch.setattr(fold, "EXAMPLES", 0)
    texts = ["a b c d e", "be can not", "f g h i"]
    given = {
        "key": words(texts, lambda _: "NOUN"),
        "one": words(["a b c d e", "be cannot", "f g h i"], lambda number: "VERB" if number == 3 else "NOUN"),
        "two": words(["a b c de", "be ca n not", "f g h i"], lambda number: "ADJ" if number == 9 else "NOUN"),
    }
    for side, lines in given.items():
        (tmp_path / f"{side}.conllu").write_text("\n".join(lines) + "\n", encoding="utf-8")
    key, *systems = (str(tmp_path / f"{side}.conllu") for side in given)
    verdicts = cp.compare(key, dict(zip(("one", "two"), systems, strict=True)), task="pos").verdicts
    assert verdicts.view().surplus is not None
    found = fold_verdicts(verdicts, 0)
    assert found.view().folded is not None
    assert without_lists(found) == without_lists(verdicts)
    in_parts = cp.compare(key, dict(zip(("one", "two"), systems, strict=True)), task="pos", part=1, memory=1).verdicts
    assert in_parts.view().folded is not None
    assert without_lists(in_parts) == without_lists(verdicts)
    for where in ("negative", "positive", "positive and claimed_by == 2", "negative and claimed_by == 1", "true"):
        assert len({Result(each).count(where) for each in (verdicts, found, in_parts)}) == 1


def test_rows_with_several_labels(tmp_path: Path) -> None:
    def written(name: str, wrong: int, label: str) -> str:
        labels = [["a", "b"] if number % 3 else ["b"] for number in range(60)]
        given = ([label] if wrong and number % wrong == 1 else each for number, each in enumerate(labels))
        rows = [{"id": number, "doc": f"d{number // 12}", "labels": each} for number, each in enumerate(given)]
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        return f"{tmp_path / name}?document=doc"

    systems = {"other": written("other.jsonl", 7, "b"), "third": written("third.jsonl", 9, "c")}
    verdicts = cp.compare(written("key.jsonl", 0, ""), systems, task="label").verdicts
    assert verdicts.view().sites.parts is not None
    assert said(small(verdicts)) == said(verdicts)


def test_attributes_that_were_asked_for_can_be_sliced_by(tmp_path: Path) -> None:
    verdicts = plain(tmp_path, range(20))
    assert small(verdicts).view().folded is not None
    result = Result(fold_verdicts(verdicts, 0, by=["genre"]), 50)
    with pytest.raises(UsageError, match="scores cannot be sliced by 'genre'"):
        Result(small(verdicts)).slices("genre")
    assert result.slices("genre") == Result(verdicts, 50).slices("genre")
    chosen = [each.examples('genre == "news"', top=1).count for each in (result, Result(verdicts))]
    assert chosen[0] == chosen[1] > 0


def test_what_was_not_asked_for_is_refused(demo: Verdicts) -> None:
    result = Result(small(demo), 0)
    with pytest.raises(UsageError, match="scores cannot be sliced by 'length'"):
        result.slices("length")
    with pytest.raises(UsageError, match=r"^frequency of .* only counted\n  compare with more --memory$"):
        result.examples("frequency == 1")
    with pytest.raises(UsageError, match="frequency of sites that all systems have right is unknown"):
        result.examples("differs and frequency == 1", *result.systems[:2])
    with pytest.raises(UsageError, match="the result cannot be restricted to some sites"):
        result.where('key == "NOUN"')


@pytest.mark.parametrize("where", ["length > 9", 'word == "on" or length > 9', 'label == "ADP" and length > 1'])
def test_who_asks_for_words_of_easy_sites_is_told_what_to_write(demo: Verdicts, where: str) -> None:
    result = Result(small(demo), 0)
    with pytest.raises(UsageError, match="of sites that all systems have right is unknown") as caught:
        result.examples(where)
    _, told, otherwise = str(caught.value.hint).split("`")
    assert (told, otherwise) == (f"({where}) and solved_by < 4", ", or compare with more --memory")
    assert result.examples(told, top=0) == Result(demo, 0).examples(told, top=0)
    assert result.examples(told).count > 0


def test_items_have_no_words_whether_sites_are_kept_or_not(demo: Verdicts) -> None:
    for verdicts in (demo, small(demo)):
        with pytest.raises(UsageError, match="unknown name 'word'"):
            Result(verdicts, 0).examples('positive and word == "on"')


def test_a_condition_that_no_easy_site_fulfils_may_speak_of_words(demo: Verdicts) -> None:
    base, new = demo.systems[0].name, demo.systems[1].name
    where = "differs and length > 3"
    whole, few = (Result(each, 0).examples(where, base, new, top=0) for each in (demo, small(demo)))
    assert whole == few
    assert whole.count > 0


@pytest.mark.parametrize("policy", [Policy(ignore=("P",)), Policy("row")], ids=str)
def test_views_that_cannot_be_folded_stay(policy: Policy) -> None:
    verdicts = verdicts_of(policy=policy)
    assert fold_verdicts(verdicts, 0).view() is verdicts.view()


def test_examples_are_those_that_would_be_chosen(demo: Verdicts) -> None:
    sites = small(demo).view().sites
    kept = np.setdiff1d(np.arange(sites.rows), sites.contested)
    assert np.bincount(sites.key[kept]).max() == 2


@pytest.mark.parametrize("by", [(), ("word",)])
def test_how_frequent_words_are_is_refused_whatever_was_asked_for(by: tuple[str, ...], demo: Verdicts) -> None:
    result = Result(fold_verdicts(demo, 0, by=by), 0)
    with pytest.raises(UsageError, match=r"^frequency of .* only counted\n  compare with more --memory$"):
        result.slices("frequency")

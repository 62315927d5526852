"""Result folders of links: what was judged comes back with its sources, older folders open, and damage is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import comparanda as cp
from comparanda.pipeline import Setup, evaluate_systems
from comparanda.result import Result
from comparanda.storage.manifest import FOLDER_VERSION
from tests.random_spans import assert_equal_verdicts, result_of, written
from tests.seeds import first_few
from tests.storage.folders import Forged, changed, content, copied, refused
from tests.tasks.random_links import SYSTEMS, links
from tests.toy_task import (
    printed,
    toy_measures,  # noqa: F401 - a fixture that works by being here
)

WHERE = ("differs", 'source("one") == "resolver"')
VIEWS = ("end_to_end", "linking", "end_to_end_fuzzy", "linking_fuzzy", "certain", "hit")


def linked(seed: int = 3, rules: str = "links", documents: int = 6) -> Result:
    made = links(seed, documents)
    sides = {system: made.given(system) for system in SYSTEMS}
    return result_of(evaluate_systems(made.given("key"), sides, Setup(task="link", rules=rules)))


def saved(result: Result, folder: Path) -> Result:
    result.save(folder)
    return cp.open(folder)


# What goes in comes out


@pytest.mark.parametrize("rules", ["links", "elevant", "hipe-nel"])
def test_links_come_back_to_the_last_byte(rules: str, tmp_path: Path) -> None:
    result = linked(rules=rules)
    opened = saved(result, tmp_path / "result")
    assert_equal_verdicts(opened.verdicts, result.verdicts)
    opened.save(tmp_path / "again")
    assert content(tmp_path / "again") == content(tmp_path / "result")


@pytest.mark.slow
def test_all_findings_of_an_opened_result_are_printed_alike(tmp_path: Path) -> None:
    result = linked(documents=3)
    opened = saved(result, tmp_path / "result")
    assert printed(opened, ("length",), WHERE[:1]) == printed(result, ("length",), WHERE[:1])


@pytest.mark.parametrize("view", first_few(1, VIEWS[:4]))
def test_sources_come_back(view: str, tmp_path: Path) -> None:
    result = linked()
    opened = saved(result, tmp_path / "result")
    for base, new in (("one", "two"), ("three", "one")):
        found = opened.error_sources(base, new, view=view)
        assert found == result.error_sources(base, new, view=view)
        assert [opened.count(cell.where, base, new, view=view) for cell in found.cells] == [
            cell.sites for cell in found.cells
        ]
        assert str(found) == str(result.error_sources(base, new, view=view))


@pytest.mark.parametrize("where", WHERE[1:])
def test_a_part_of_the_links_comes_back(where: str, tmp_path: Path) -> None:
    part = linked(8).where(where)
    opened = saved(part, tmp_path / "part")
    assert_equal_verdicts(opened.verdicts, part.verdicts, codes=False)
    assert opened.error_sources("one", "two") == part.error_sources("one", "two")


def test_links_without_anything_to_judge_come_back(tmp_path: Path) -> None:
    nothing = [{"id": "d", "text": "Anna", "spans": list[Any]()}]
    result = cp.compare(nothing, {"a": nothing, "b": nothing}, task="link", resamples=0)
    opened = saved(result, tmp_path / "result")
    assert_equal_verdicts(opened.verdicts, result.verdicts)
    assert opened.error_sources("a", "b").sites == 0


# Older folders


def as_version_3(folder: Path) -> Forged:
    """Take away what folders of version 3 did not have: weights were one column for all runs, errors had no source."""
    forged = Forged(folder)
    forged.manifest["folder_version"] = 3
    for view in forged.manifest["views"]:
        if view["items"] is not None:
            if view["items"]["weight"] is not None:
                view["items"]["weight"] = view["items"]["weight"][0]
            if view["items"]["outcomes"] is not None:
                del view["items"]["outcomes"]["sources"]
    forged.write()
    return forged


@pytest.mark.parametrize("rules", ["exact", "semeval2013", "characters", "document"])
def test_a_folder_of_version_3_opens(rules: str, tmp_path: Path) -> None:
    result = result_of(written(tmp_path, 3, Setup(task="span", rules=rules)).judged())
    result.save(tmp_path / "result")
    forged = as_version_3(tmp_path / "result")
    weighted = [view["items"]["weight"] for view in forged.manifest["views"]]
    assert any(isinstance(weight, str) for weight in weighted) == (rules in {"characters", "document"})
    opened = cp.open(tmp_path / "result")
    assert_equal_verdicts(opened.verdicts, result.verdicts)
    assert opened.scores() == result.scores()


def test_links_in_a_folder_of_version_3_have_no_sources(tmp_path: Path) -> None:
    linked().save(tmp_path / "result")
    forged = as_version_3(tmp_path / "result")
    opened = cp.open(forged.folder)
    assert opened.difference("one", "two").sources is None


@pytest.mark.parametrize("wrong", [1, ["x"], {}, True])
def test_a_damaged_folder_of_version_3_is_refused(wrong: Any, tmp_path: Path) -> None:
    linked().save(tmp_path / "result")
    forged = as_version_3(tmp_path / "result")
    forged.view["items"]["weight"] = wrong
    forged.write()
    refused(forged.folder, "damaged")


def test_the_fields_of_version_4_may_not_be_left_out(tmp_path: Path) -> None:
    linked().save(tmp_path / "result")
    forged = as_version_3(tmp_path / "result")
    forged.manifest["folder_version"] = FOLDER_VERSION
    forged.write()
    refused(forged.folder, "the manifest is damaged")


@pytest.mark.parametrize("version", [1, FOLDER_VERSION + 1, "4", None])
def test_a_folder_of_no_known_version_is_refused(version: Any, tmp_path: Path) -> None:
    linked().save(tmp_path / "result")
    forged = Forged(tmp_path / "result")
    forged.manifest["folder_version"] = version
    forged.write()
    refused(forged.folder, f"the folder has version {version}, expected 2 to {FOLDER_VERSION}")


# Damaged folders


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("whole")
    linked().save(folder / "result")
    return content(folder / "result")


@pytest.fixture
def forged(whole: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Forged:
    return copied(whole, tmp_path_factory.getbasetemp() / "forged-links")


def outcomes_of(forged: Forged) -> Any:
    return forged.view["items"]["outcomes"]


def test_the_folder_has_everything(forged: Forged) -> None:
    assert forged.manifest["folder_version"] == FOLDER_VERSION
    names, sources = (outcomes_of(forged)[name] for name in ("verdicts", "sources"))
    told = dict(zip(names, sources, strict=True))
    assert (told[""], told["TP"], told["missed"], told["wrong id"]) == ("", "", "tagger", "resolver")
    assert [len(view["items"]["weight"] or ()) for view in forged.manifest["views"]] == [3] * 6
    assert all(view["items"]["by_run"] is not None for view in forged.manifest["views"])
    cp.open(forged.folder)


OUTCOMES = ("views", 0, "items", "outcomes")
CHANGES: dict[str, Callable[[Forged], None]] = {
    "too few sources": changed(*OUTCOMES, "sources", lambda sources: sources[:-1]),
    "too many sources": changed(*OUTCOMES, "sources", lambda sources: [*sources, "tagger"]),
    "no sources in the list": changed(*OUTCOMES, "sources", []),
    "an error of those without a verdict": changed(*OUTCOMES, "sources", lambda each: ["tagger", *each[1:]]),
    "a source that is a number": changed(*OUTCOMES, "sources", lambda sources: [*sources[:-1], 1]),
    "a source that is nothing": changed(*OUTCOMES, "sources", lambda sources: [*sources[:-1], None]),
    "sources that are a text": changed(*OUTCOMES, "sources", "tagger"),
    "weights of few runs": changed("views", 0, "items", "weight", lambda weight: weight[1:]),
    "weights of many runs": changed("views", 0, "items", "weight", lambda weight: [*weight, weight[0]]),
    "a weight for all": changed("views", 0, "items", "weight", lambda weight: weight[0]),
    "claims of few runs": changed("views", 0, "items", "by_run", lambda claims: claims[1:]),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_hostile_manifest_is_refused(name: str, forged: Forged) -> None:
    before = json.dumps(forged.manifest)
    CHANGES[name](forged)
    assert json.dumps(forged.manifest) != before
    forged.write()
    refused(forged.folder, "damaged")


def test_more_sources_than_any_table_holds_are_refused(forged: Forged) -> None:
    outcomes = outcomes_of(forged)
    more = [f"o{number}" for number in range(40)]
    outcomes["verdicts"] += more
    outcomes["sources"] += more
    forged.write()
    refused(forged.folder, "damaged")


def put(row: int, value: float) -> Callable[[Any], Any]:
    def change(column: Any) -> Any:
        column = column.copy()
        column[row] = value
        return column

    return change


COLUMNS: dict[str, Callable[[Any], Any]] = {
    "too short": lambda column: column[:-1],
    "below zero": put(0, -1.0),
    "no number": put(0, np.nan),
    "without end": put(0, np.inf),
}


@pytest.mark.parametrize("how", COLUMNS)
@pytest.mark.parametrize("run", [0, 2])
def test_damaged_weights_of_any_run_are_refused(how: str, run: int, forged: Forged) -> None:
    name = forged.manifest["views"][1]["items"]["weight"][run]
    forged.put_array(name, COLUMNS[how](forged.array(name)))
    refused(forged.folder, "the result folder is damaged")


@pytest.mark.parametrize("value", [-2, 10**6])
def test_damaged_claims_of_any_run_are_refused(value: int, forged: Forged) -> None:
    name = forged.view["items"]["by_run"][2]
    forged.put_array(name, put(-1, value)(forged.array(name)))
    refused(forged.folder, "the result folder is damaged")

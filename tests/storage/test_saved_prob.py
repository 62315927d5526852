"""Result folders of probable spans: tuples, blocks and worlds come back, and damage is told."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import comparanda as cp
from comparanda.errors import ReadError
from comparanda.result import Result
from comparanda.storage.manifest import FOLDER_VERSION, MANIFEST
from tests.random_beliefs import KINDS, random_beliefs, random_sentences
from tests.random_chains import assert_equal_verdicts
from tests.random_spans import result_of
from tests.storage.folders import Columns, Forged, changed, content, copied, damages, refuse_damage, refused
from tests.toy_task import (
    printed,
    toy_measures,  # noqa: F401 - a fixture that works by being here
    verdicts_of,
)


def result(kind: str, folder: Path, seed: int = 3) -> Result:
    return result_of(random_beliefs(folder, seed, KINDS[kind]).judged())


def saved(given: Result, folder: Path) -> Result:
    given.save(folder)
    return cp.open(folder)


# What goes in comes out


@pytest.mark.parametrize("kind", ["plain", "foreign", "mapped", "quiet"])
def test_beliefs_come_back_to_the_last_byte(kind: str, tmp_path: Path) -> None:
    given = result(kind, tmp_path)
    opened = saved(given, tmp_path / "result")
    assert_equal_verdicts(opened.verdicts, given.verdicts)
    assert opened.verdicts.notes == given.verdicts.notes
    opened.save(tmp_path / "again")
    assert content(tmp_path / "again") == content(tmp_path / "result")


@pytest.mark.slow
def test_all_findings_of_an_opened_result_are_printed_alike(tmp_path: Path) -> None:
    given = result("quiet", tmp_path)
    opened = saved(given, tmp_path / "result")
    assert printed(opened, ("length",), ("differs",)) == printed(given, ("length",), ("differs",))


def test_sentences_of_one_document_come_back(tmp_path: Path) -> None:
    given = result_of(random_sentences(tmp_path, 3).judged())
    opened = saved(given, tmp_path / "result")
    assert_equal_verdicts(opened.verdicts, given.verdicts)
    assert_equal_verdicts(opened.where("true").verdicts, given.where("true").verdicts)


@pytest.mark.parametrize("where", ['document == "d3"', 'not right("crf")', "true"])
def test_some_of_the_sites_come_back(where: str, tmp_path: Path) -> None:
    part = result("plain", tmp_path, seed=1).where(where)
    opened = saved(part, tmp_path / "part")
    assert_equal_verdicts(opened.verdicts, part.verdicts)
    assert (opened.verdicts.view().candidates is None) == ("right" in where)
    assert opened.scores() == part.scores()


def test_labels_that_are_mapped_to_one_are_once_in_each_world(tmp_path: Path) -> None:
    """An analysis has Anna as PER and as LOC; where both are read as one, she is there as often as the analysis is."""
    key, said = tmp_path / "key.jsonl", tmp_path / "out.jsonl"
    head = {"doc": "d", "text": "Anna went"}
    key.write_text(json.dumps({**head, "spans": [{"begin": 0, "end": 4, "label": "LOC"}]}))
    analyses = [{"p": 0.5, "spans": [[0, 4, "PER"], [0, 4, "LOC"]]}, {"p": 0.25, "spans": [[5, 9, "LOC"]]}]
    said.write_text(json.dumps({**head, "nbest": analyses}))
    given = cp.compare(key, {"out": said}, task="prob", resamples=0, maps={"all": {"PER": "LOC"}})
    opened = saved(given, tmp_path / "result")
    (run,) = opened.verdicts.view().candidates or ()
    assert run.beliefs.weight.tolist() == [0.5, 0.25]
    assert run.beliefs.worlds is not None
    assert run.beliefs.worlds.member.tolist() == [0, 1]
    assert run.decided.tolist() == [True, False]


def test_analyses_that_are_one_after_mapping_are_added(tmp_path: Path) -> None:
    """PER 0.3 and LOC 0.3 are 0.6 together, more than ORG 0.4."""
    key, said = tmp_path / "key.jsonl", tmp_path / "out.jsonl"
    head = {"doc": "d", "text": "Anna went"}
    key.write_text(json.dumps({**head, "spans": [{"begin": 0, "end": 4, "label": "LOC"}]}))
    analyses = [{"p": p, "spans": [[0, 4, label]]} for label, p in (("ORG", 0.4), ("PER", 0.3), ("LOC", 0.3))]
    said.write_text(json.dumps({**head, "nbest": analyses}))
    given = cp.compare(key, {"out": said}, task="prob", resamples=0, maps={"all": {"PER": "LOC"}})
    (run,) = saved(given, tmp_path / "result").verdicts.view().candidates or ()
    assert [run.names[code] for code in run.label] == ["LOC", "ORG"]
    assert run.beliefs.weight.tolist() == [0.6, 0.4]
    assert run.decided.tolist() == [True, False]


def test_a_system_without_probabilities_takes_no_room_for_them(tmp_path: Path) -> None:
    """Its weights and those of its spans are one column of ones."""
    result("plain", tmp_path).save(tmp_path / "result")
    manifest = json.loads((tmp_path / "result" / MANIFEST).read_text())
    crf, beams, regular = manifest["views"][0]["candidates"]
    assert regular["weight"] == regular["entity"]
    assert regular["alternative"] == regular["block"]
    assert crf["weight"] != crf["entity"]
    assert (crf["worlds"], regular["worlds"]) == (None, None)
    assert beams["worlds"] is not None


# Older folders


def as_version_5(folder: Path) -> Forged:
    """Take away what folders of version 5 did not have."""
    forged = Forged(folder)
    forged.manifest["folder_version"] = 5
    for view in forged.manifest["views"]:
        del view["candidates"]
    forged.write()
    return forged


def test_a_folder_of_version_5_opens(tmp_path: Path) -> None:
    given = Result(verdicts_of(), 20)
    given.save(tmp_path / "result")
    as_version_5(tmp_path / "result")
    assert printed(cp.open(tmp_path / "result"), ("word",)) == printed(given, ("word",))


@pytest.mark.parametrize("wrong", [None, 1, "x", [1], {}])
def test_a_damaged_folder_of_version_5_is_refused(wrong: Any, tmp_path: Path) -> None:
    Result(verdicts_of(), 20).save(tmp_path / "result")
    forged = as_version_5(tmp_path / "result")
    forged.manifest["views"] = wrong
    forged.write()
    refused(forged.folder, "damaged")


def test_the_fields_of_version_6_may_not_be_left_out(tmp_path: Path) -> None:
    Result(verdicts_of(), 20).save(tmp_path / "result")
    forged = as_version_5(tmp_path / "result")
    forged.manifest["folder_version"] = FOLDER_VERSION
    forged.write()
    refused(forged.folder, "the manifest is damaged")


# Damaged folders


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A folder without statistics, which are many."""
    folder = tmp_path_factory.mktemp("whole")
    verdicts = result("plain", folder).verdicts
    views = {name: replace(view, measures=("f1",), statistics={}) for name, view in verdicts.views.items()}
    result_of(replace(verdicts, views=views)).save(folder / "result")
    return content(folder / "result")


@pytest.fixture
def forged(whole: dict[str, bytes], tmp_path: Path) -> Forged:
    return copied(whole, tmp_path / "beliefs")


CRF, BEAMS = 0, 1


def run(forged: Forged, number: int) -> Any:
    return forged.view["candidates"][number]


def put(row: int, value: Any) -> Callable[[Any], Any]:
    """Return a change of one value of a column."""

    def change(column: Any) -> Any:
        column = column.copy()
        column[row] = value
        return column

    return change


def swapped(column: Any) -> Any:
    return column[::-1].copy()


Changes = dict[str, Callable[[Any], Any]]
LENGTHS: Changes = {"as long as nothing": lambda column: column[:0], "too short": lambda column: column[:-1]}
ROWS: Changes = {
    **LENGTHS,
    "of another type": lambda column: column.astype(np.int64),
    "negative": put(0, -1),
    "far away": put(0, 2**31 - 1),
}
LONG: Changes = {**LENGTHS, "of another type": lambda column: column.astype(np.int32), "negative": put(0, -1)}
SHARES: Changes = {
    **LENGTHS,
    "of another type": lambda column: column.astype(np.float32),
    "negative": put(0, -0.1),
    "above one": put(-1, 1.1),
    "no number": put(0, np.nan),
    "without end": put(0, np.inf),
}
NUMBERS: Changes = {**LONG, "one too far": put(-1, 2**40), "out of order": swapped, "one left out": put(0, 1)}
TRUTHS: Changes = {**LENGTHS, "numbers": lambda column: column.astype(np.uint8)}

COLUMNS: Columns = {
    "document": (lambda forged: run(forged, CRF)["document"], {**ROWS, "out of order": swapped, "another": put(0, 1)}),
    "sentence": (lambda forged: run(forged, CRF)["sentence"], ROWS),
    "place": (lambda forged: run(forged, CRF)["place"], ROWS),
    "width": (lambda forged: run(forged, CRF)["width"], {**ROWS, "nothing": put(0, 0)}),
    "begin": (lambda forged: run(forged, CRF)["begin"], {**LONG, "behind its end": put(0, 99)}),
    "end": (lambda forged: run(forged, CRF)["end"], {**LENGTHS, "before its begin": put(-1, 0)}),
    "label": (lambda forged: run(forged, CRF)["label"], {**LENGTHS, "no name": put(0, 200)}),
    "text": (lambda forged: run(forged, CRF)["text"]["values"], {**LENGTHS, "no name": put(0, 255)}),
    "correct": (lambda forged: run(forged, CRF)["correct"], {**TRUTHS, "none": lambda column: column & False}),
    "decided": (lambda forged: run(forged, CRF)["decided"], {**TRUTHS, "all": lambda column: column | True}),
    "weight": (lambda forged: run(forged, CRF)["weight"], {**SHARES, "sum": lambda column: column * 0 + 0.9}),
    "entity": (lambda forged: run(forged, CRF)["entity"], SHARES),
    "alternative": (
        lambda forged: run(forged, CRF)["alternative"],
        {**NUMBERS, "one for all": lambda column: column * 0},
    ),
    "block": (lambda forged: run(forged, CRF)["block"], NUMBERS),
    "nothing": (lambda forged: run(forged, CRF)["nothing"], {**SHARES, "sum": lambda column: column * 0 + 1}),
    "tied": (lambda forged: run(forged, CRF)["tied"], TRUTHS),
    "block of worlds": (
        lambda forged: run(forged, BEAMS)["worlds"]["block"],
        {**LONG, "out of order": swapped, "of no block": put(-1, 99), "another": lambda column: column[0] + column * 0},
    ),
    "probability of worlds": (
        lambda forged: run(forged, BEAMS)["worlds"]["probability"],
        {**SHARES, "sum": lambda column: column * 0 + 0.5},
    ),
    "offsets of worlds": (lambda forged: run(forged, BEAMS)["worlds"]["offsets"], {**LONG, "out of order": swapped}),
    "members of worlds": (
        lambda forged: run(forged, BEAMS)["worlds"]["member"],
        {
            **LONG,
            "of no tuple": put(0, 999),
            "of another block": put(-1, 0),
            "twice": lambda rows: put(1, rows[0])(rows),
        },
    ),
}


@pytest.mark.parametrize(("name", "how"), damages(COLUMNS))
def test_damaged_columns_are_refused(name: str, how: str, forged: Forged) -> None:
    refuse_damage(forged, COLUMNS, name, how)


VIEW = ("views", 0)
CANDIDATES = (*VIEW, "candidates")
CHANGES: dict[str, Callable[[Forged], None]] = {
    "runs too few": changed(*CANDIDATES, lambda runs: runs[1:]),
    "runs too many": changed(*CANDIDATES, lambda runs: [*runs, runs[0]]),
    "runs in another order": changed(*CANDIDATES, lambda runs: runs[::-1]),
    "a file": changed(*CANDIDATES, "0000.npy"),
    "names out of order": changed(*CANDIDATES, CRF, "names", lambda names: names[::-1]),
    "text that is none": changed(*CANDIDATES, CRF, "text", lambda text: {**text, "type": "number", "names": None}),
    "a file outside": changed(*CANDIDATES, CRF, "weight", "../x.npy"),
    "ties that are a number": changed(*CANDIDATES, CRF, "tied", 1),
    "policies that are numbers": changed(*CANDIDATES, CRF, "policies", {"overlap": 1}),
    "worlds without members": changed(*CANDIDATES, BEAMS, "worlds", lambda worlds: {**worlds, "member": None}),
    "no spans": changed(*VIEW, "claims", None),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_hostile_manifest_is_refused(name: str, forged: Forged) -> None:
    before = json.dumps(forged.manifest)
    CHANGES[name](forged)
    assert json.dumps(forged.manifest) != before
    forged.write()
    refused(forged.folder, "damaged")


def test_tuples_are_for_spans_alone(forged: Forged, tmp_path: Path) -> None:
    Result(verdicts_of(), 20).save(tmp_path / "toy")
    toy = Forged(tmp_path / "toy")
    toy.view["candidates"] = []
    toy.write()
    refused(toy.folder, "tuples have no spans")


def test_any_value_of_any_column_may_be_another(forged: Forged, whole: dict[str, bytes]) -> None:
    """Put another value into a column: the folder is refused, or still gives its numbers without a crash."""
    draw, refusals = random.Random(1), 0
    said = json.dumps([run(forged, CRF), run(forged, BEAMS)])
    columns = {name: np.load(io.BytesIO(data)) for name, data in sorted(whole.items()) if f'"{name}"' in said}
    for name, column in columns.items():
        row = draw.randrange(len(column))
        limits = np.iinfo(column.dtype) if column.dtype.kind in "iu" else None
        value = draw.choice([0.5, -1.0, 3.0] if limits is None else [limits.max, limits.min, 1, int(column[row]) + 1])
        forged.put_array(name, put(row, value)(column))
        try:
            opened = replace(cp.open(forged.folder), resamples=0)
            with suppress(ReadError):  # a text that cannot be read
                opened.scores()
        except ReadError:
            refusals += 1
        forged.put(name, whole[name])
    assert len(columns) > refusals > len(columns) // 3

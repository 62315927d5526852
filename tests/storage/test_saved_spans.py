"""Result folders of spans: the spans are written once, sites are made of them again, and damage is told."""

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
from comparanda.pipeline import Setup
from comparanda.result import Result
from comparanda.storage.manifest import FOLDER_VERSION, MANIFEST
from tests.random_spans import Corpora, assert_equal_verdicts, result_of, tagged, written
from tests.seeds import mostly_slow
from tests.storage.folders import Columns, Forged, changed, content, copied, damages, refuse_damage, refused
from tests.toy_task import (
    Policy,
    printed,
    toy_measures,  # noqa: F401 - a fixture that works by being here
    verdicts_of,
)

WHERE = ("differs", "correction")
RULES = ("exact", "semeval2013", "tokens", "document")


def corpora(kind: str, folder: Path, rules: str, seed: int = 3) -> Corpora:
    setup = Setup(task="span", rules=rules)
    return written(folder, seed, setup) if kind == "written" else tagged(folder, seed, setup, marked=kind == "files")


def saved(result: Result, folder: Path) -> Result:
    result.save(folder)
    return cp.open(folder)


# What goes in comes out.


@pytest.mark.parametrize("rules", mostly_slow(RULES, {"exact", "semeval2013"}))
@pytest.mark.parametrize("kind", ["files", "lists", "written"])
def test_spans_come_back_to_the_last_byte(kind: str, rules: str, tmp_path: Path) -> None:
    result = result_of(corpora(kind, tmp_path, rules).judged())
    opened = saved(result, tmp_path / "result")
    assert_equal_verdicts(opened.verdicts, result.verdicts)
    if rules in {"exact", "tokens"}:
        assert printed(opened, ("length", "nesting"), WHERE) == printed(result, ("length", "nesting"), WHERE)
    opened.save(tmp_path / "again")
    assert content(tmp_path / "again") == content(tmp_path / "result")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "where"),
    [
        ("files", 'not right("crf")'),
        pytest.param("written", "solved_by < 2 and length > 1", marks=pytest.mark.slow),
        pytest.param("files", "solved_by < 2 and length > 1", marks=pytest.mark.slow),
        pytest.param("written", 'not right("crf")', marks=pytest.mark.slow),
    ],
)
def test_a_part_of_the_spans_comes_back(kind: str, where: str, tmp_path: Path) -> None:
    part = result_of(corpora(kind, tmp_path, "semeval2013", seed=1).judged()).where(where)
    opened = saved(part, tmp_path / "part")
    assert_equal_verdicts(opened.verdicts, part.verdicts, codes=False)
    assert printed(opened, ("length",), WHERE) == printed(part, ("length",), WHERE)
    further, again = (each.where('not right("bert")') for each in (part, opened))
    assert printed(again, (), WHERE) == printed(further, (), WHERE)


def test_a_key_and_systems_without_spans_come_back(tmp_path: Path) -> None:
    nothing = [[("Time", "O"), ("flies", "O")]] * 3
    result = cp.compare(nothing, {"a": nothing, "b": nothing}, task="span", resamples=0)
    opened = saved(result, tmp_path / "result")
    assert_equal_verdicts(opened.verdicts, result.verdicts)
    assert opened.scores() == result.scores()


def test_a_span_in_a_document_without_words_comes_back(tmp_path: Path) -> None:
    data = [{"id": "a", "text": "Anna", "spans": [{"begin": 0, "end": 4, "label": "PER"}]}]
    data.append({"id": "b", "text": "  ", "spans": [{"begin": 0, "end": 1, "label": "PER"}]})
    result = cp.compare(data, {"x": data}, task="span", resamples=0)
    assert saved(result, tmp_path / "result").scores() == result.scores()


def test_views_share_their_spans_and_sites_in_the_folder_and_out_of_it(tmp_path: Path) -> None:
    result = result_of(corpora("written", tmp_path, "semeval2013").judged())
    opened = saved(result, tmp_path / "result")
    manifest = json.loads((tmp_path / "result" / MANIFEST).read_text())
    assert len(manifest["claims"]) == 1
    assert [view["claims"] for view in manifest["views"]] == [0, 0, 0, 0]
    assert [view["sites"] for view in manifest["views"]] == [None] * 4
    views = list(opened.verdicts.views.values())
    assert len({id(view.claims) for view in views}) == len({id(view.all_sites) for view in views}) == 1


def test_a_running_text_is_shown_as_it_is(tmp_path: Path) -> None:
    text = "Anna (née  Bell),\nwent"
    data = [{"id": "a", "text": text, "spans": [{"begin": 0, "end": 15, "label": "PER"}]}]
    opened = saved(cp.compare(data, {"x": data}, task="span", resamples=0), tmp_path / "result")
    (example,) = opened.examples("true").examples
    assert "Anna (née Bell" in example.word


def test_sites_of_some_width_come_back(tmp_path: Path) -> None:
    verdicts = verdicts_of()
    views = {name: replace(view, given_sites=wide(view.all_sites)) for name, view in verdicts.views.items()}
    result = Result(replace(verdicts, views=views), 20)
    opened = saved(result, tmp_path / "result")
    for view in opened.verdicts.views.values():
        width = view.all_sites.width
        assert width is not None
        assert width.dtype == np.int32
        assert (width == 1).all()
    assert printed(opened, ("word",)) == printed(result, ("word",))


def wide(sites: Any) -> Any:
    return replace(sites, width=np.ones(len(sites), np.int32))


# Older folders


def as_version_2(folder: Path) -> Forged:
    """Take away what folders of version 2 did not have."""
    forged = Forged(folder)
    manifest = forged.manifest
    manifest["folder_version"] = 2
    del manifest["claims"]
    for view in manifest["views"]:
        del view["claims"], view["sites"]["width"]
        for name in ("earned", "weight", "claim", "outcomes"):
            if view["items"] is not None:
                del view["items"][name]
    for text in manifest["texts"]:
        del text["running"]
    forged.write()
    return forged


def test_a_folder_of_version_2_opens(tmp_path: Path) -> None:
    result = Result(verdicts_of(policy=Policy(ignore=("P",))), 20)
    result.save(tmp_path / "result")
    as_version_2(tmp_path / "result")
    assert printed(cp.open(tmp_path / "result"), ("word",)) == printed(result, ("word",))


@pytest.mark.parametrize("name", ["views", "texts", "runs"])
@pytest.mark.parametrize("wrong", [None, 1, "x", [1], {}])
def test_a_damaged_folder_of_version_2_is_refused(name: str, wrong: Any, tmp_path: Path) -> None:
    Result(verdicts_of(), 20).save(tmp_path / "result")
    forged = as_version_2(tmp_path / "result")
    forged.manifest[name] = wrong
    forged.write()
    refused(forged.folder, "damaged")


def test_the_fields_of_version_3_may_not_be_left_out(tmp_path: Path) -> None:
    Result(verdicts_of(), 20).save(tmp_path / "result")
    forged = as_version_2(tmp_path / "result")
    forged.manifest["folder_version"] = FOLDER_VERSION
    forged.write()
    refused(forged.folder, "the manifest is damaged")


# Damaged folders


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A folder with all that spans can have: pieces, weights, claims that are numbers, what they earn, outcomes."""
    folder = tmp_path_factory.mktemp("whole")
    result_of(corpora("written", folder, "characters").judged()).save(folder / "result")
    return content(folder / "result")


@pytest.fixture
def forged(whole: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Forged:
    return copied(whole, tmp_path_factory.getbasetemp() / "forged-spans")


def test_the_folder_has_everything(forged: Forged) -> None:
    items = items_of(forged)
    assert all(items[name] is not None for name in ("credit", "earned", "weight", "claim", "outcomes"))
    assert forged.array(items["claimed"][0]).dtype == np.float64
    assert claims_of(forged)["fragments"] is not None
    assert forged.text["running"] is True
    cp.open(forged.folder)


def claims_of(forged: Forged) -> Any:
    return forged.manifest["claims"][0]


def items_of(forged: Forged) -> Any:
    return forged.view["items"]


def outcomes_of(forged: Forged) -> Any:
    return items_of(forged)["outcomes"]


def put(row: int, value: Any) -> Callable[[Any], Any]:
    """Return a change of one value of a column."""

    def change(column: Any) -> Any:
        column = column.copy()
        column[row] = value
        return column

    return change


def swapped(column: Any) -> Any:
    return column[::-1].copy()


INDICES = {"as long as nothing": lambda column: column[:0], "too short": lambda column: column[:-1]}
ROWS = {
    **INDICES,
    "of another type": lambda column: column.astype(np.int64),
    "of floats": lambda column: column.astype(np.float64),
    "negative": put(0, -1),
    "far away": put(-1, 2**31 - 1),
}
LONG = {**INDICES, "of another type": lambda column: column.astype(np.int32), "negative": put(0, -1)}
AMOUNTS = {
    **INDICES,
    "below zero": put(0, -0.5),
    "no number": put(0, np.nan),
    "without end": put(0, np.inf),
    "beyond counting": put(0, 1e300),
}
CODES = {
    **INDICES,
    "beyond the names": put(0, 255),
    "signed": lambda column: column.astype(np.int16),
}

COLUMNS: Columns = {
    "document": (lambda forged: claims_of(forged)["document"], {**ROWS, "out of order": swapped}),
    "sentence": (lambda forged: claims_of(forged)["sentence"], {**ROWS, "out of order": swapped}),
    "place": (lambda forged: claims_of(forged)["place"], ROWS),
    "width": (lambda forged: claims_of(forged)["width"], {**ROWS, "nothing": put(0, 0)}),
    "begin": (
        lambda forged: claims_of(forged)["begin"],
        {**LONG, "behind its end": put(0, 999), "out of order": swapped, "twice": lambda column: column * 0},
    ),
    "end": (
        lambda forged: claims_of(forged)["end"],
        {**LONG, "before its begin": put(-1, 0), "too far for any line": put(-1, 2**62)},
    ),
    "label": (lambda forged: claims_of(forged)["label"], CODES),
    "key": (lambda forged: claims_of(forged)["key"], {**INDICES, "negative": put(0, -1)}),
    "run": (lambda forged: claims_of(forged)["runs"][1], {**INDICES, "negative": put(0, -1)}),
    "owner of pieces": (
        lambda forged: claims_of(forged)["fragments"]["span"],
        {**LONG, "beyond the spans": put(0, 999), "another": swapped},
    ),
    "begin of pieces": (
        lambda forged: claims_of(forged)["fragments"]["begin"],
        {**LONG, "before its span": lambda column: column - 1, "behind its end": put(0, 99)},
    ),
    "end of pieces": (
        lambda forged: claims_of(forged)["fragments"]["end"],
        {**LONG, "behind its span": lambda column: column + 1},
    ),
    "text": (lambda forged: claims_of(forged)["attributes"]["text"]["values"], INDICES),
    "document of items": (lambda forged: items_of(forged)["document"], {**ROWS, "out of order": swapped}),
    "sentence of items": (lambda forged: items_of(forged)["sentence"], {**ROWS, "another": lambda rows: rows ^ 1}),
    "place of items": (lambda forged: items_of(forged)["place"], {**ROWS, "another": lambda rows: rows + 1}),
    "claim": (
        lambda forged: items_of(forged)["claim"],
        {**LONG, "beyond the spans": put(0, 9999), "another": swapped},
    ),
    "positive": (lambda forged: items_of(forged)["positive"], {**INDICES, "all": lambda truths: truths | True}),
    "claimed": (lambda forged: items_of(forged)["claimed"][1], AMOUNTS),
    "credit": (lambda forged: items_of(forged)["credit"][1], AMOUNTS),
    "earned": (lambda forged: items_of(forged)["earned"][1], AMOUNTS),
    "weight": (lambda forged: items_of(forged)["weight"][1], AMOUNTS),
    "verdict": (lambda forged: outcomes_of(forged)["verdict"][1], CODES),
    "rule": (lambda forged: outcomes_of(forged)["rule"][1], CODES),
    "start": (lambda forged: forged.text["start"], {**INDICES, "out of order": swapped}),
}


@pytest.mark.parametrize(("name", "how"), damages(COLUMNS))
def test_damaged_columns_are_refused(name: str, how: str, forged: Forged) -> None:
    refuse_damage(forged, COLUMNS, name, how)


def test_a_span_that_nobody_has_is_refused(forged: Forged) -> None:
    for name in (claims_of(forged)["key"], *claims_of(forged)["runs"]):
        forged.put_array(name, put(2, 0)(forged.array(name)))
    refused(forged.folder, "in neither the key nor any run")


def test_items_of_another_document_are_refused(forged: Forged) -> None:
    """Each column fits alone: an item that is said to be a span of another document."""
    items = items_of(forged)
    document, claim = forged.array(items["document"]), forged.array(items["claim"])
    other = int(np.flatnonzero(document[claim] != document[0])[0])
    forged.put_array(items["claim"], put(0, claim[other])(claim))
    refused(forged.folder, "is not that of its span")


SPANS, ITEMS = ("claims", 0), ("views", 0, "items")
CHANGES: dict[str, Callable[[Forged], None]] = {
    "no spans": changed("claims", []),
    "spans that are not there": changed("views", 0, "claims", 7),
    "spans before the first": changed("views", 0, "claims", -1),
    "neither sites nor spans": changed("views", 0, "claims", None),
    "items of no spans": changed(*ITEMS, "claim", None),
    "names out of order": changed(*SPANS, "names", lambda names: names[::-1]),
    "names twice": changed(*SPANS, "names", lambda names: [names[0], *names[:-1]]),
    "names too few": changed(*SPANS, "names", lambda names: names[:1]),
    "runs too few": changed(*SPANS, "runs", lambda runs: runs[1:]),
    "runs too many": changed(*SPANS, "runs", lambda runs: [*runs, runs[0]]),
    "pieces without ends": changed(*SPANS, "fragments", lambda pieces: {**pieces, "end": None}),
    "pieces of another span": changed(*SPANS, "fragments", lambda pieces: {**pieces, "span": pieces["begin"]}),
    "an attribute of another type": changed(*SPANS, "attributes", "text", "type", "truth"),
    "an attribute without names": changed(*SPANS, "attributes", "text", "names", None),
    "cut by what is not there": changed("views", 0, "cuts", ["magic"]),
    "little earned": changed(*ITEMS, "earned", lambda earned: earned[1:]),
    "little claimed": changed(*ITEMS, "claimed", lambda claimed: claimed[1:]),
    "a weight that is truth": lambda forged: items_of(forged).update(weight=[items_of(forged)["positive"]] * 2),
    "verdicts of few runs": changed(*ITEMS, "outcomes", "verdict", lambda verdict: verdict[1:]),
    "rules of few runs": changed(*ITEMS, "outcomes", "rule", lambda rule: rule[1:]),
    "verdicts too few": changed(*ITEMS, "outcomes", "verdicts", lambda names: names[:2]),
    "verdicts without that of none": changed(*ITEMS, "outcomes", "verdicts", lambda names: ["a", *names[1:]]),
    "verdicts twice": changed(*ITEMS, "outcomes", "verdicts", lambda names: ["", names[2], *names[2:]]),
    "rules without that of none": changed(*ITEMS, "outcomes", "rules", lambda names: ["a", *names[1:]]),
    "rules twice": changed(*ITEMS, "outcomes", "rules", lambda names: ["", names[2], *names[2:]]),
    "running that is no truth": changed("texts", 0, "running", 1),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_hostile_manifest_is_refused(name: str, forged: Forged) -> None:
    before = json.dumps(forged.manifest)
    CHANGES[name](forged)
    assert json.dumps(forged.manifest) != before
    forged.write()
    refused(forged.folder, "damaged")


def test_sites_beside_spans_are_refused(forged: Forged, tmp_path: Path) -> None:
    Result(verdicts_of(), 20).save(tmp_path / "toy")
    forged.view["sites"] = Forged(tmp_path / "toy").sites
    forged.write()
    refused(forged.folder, "does not have exactly one of sites and spans")


@pytest.mark.parametrize("width", [0, 99])
def test_sites_wider_than_their_document_are_refused(width: int, tmp_path: Path) -> None:
    Result(verdicts_of(), 20).save(tmp_path / "toy")
    forged = Forged(tmp_path / "toy")
    forged.sites["width"] = "width.npy"
    forged.put_array("width.npy", np.full(20, width, np.int32))
    refused(forged.folder, "extends beyond the end of a document")


def test_what_is_beside_sites_is_claimed_or_not_and_nothing_else(tmp_path: Path) -> None:
    key, other = [[("New York", "N"), ("grew", "V")]] * 2, [[("New", "N"), ("York", "N"), ("grew", "V")]] * 2
    cp.compare(key, {"a": other}, task="tag", resamples=0).save(tmp_path / "result")
    forged = Forged(tmp_path / "result")
    beside = forged.view["surplus"]
    claimed = forged.array(beside["claimed"][0])
    for name, wrong in (("weight", ["x.npy"]), ("earned", ["x.npy"]), ("claimed", ["x.npy"]), ("credit", ["x.npy"])):
        right, beside[name] = beside[name], wrong
        forged.put_array("x.npy", claimed.astype(np.float64))
        refused(forged.folder, "a surplus item")
        beside[name] = right
    forged.write()
    cp.open(forged.folder)


@pytest.mark.slow
def test_any_value_of_any_column_may_be_another(forged: Forged, whole: dict[str, bytes]) -> None:
    """Put another value into a column: the folder is refused, or still gives all its numbers without a crash."""
    draw, refusals = random.Random(1), 0
    files = sorted(name for name in whole if name.endswith(".npy"))
    for name in files:
        column = np.load(io.BytesIO(whole[name]))
        if not column.size:
            continue
        row = draw.randrange(len(column))
        limits = np.iinfo(column.dtype) if column.dtype.kind in "iu" else None
        value = draw.choice([0.5, -1.0, 3.0] if limits is None else [limits.max, limits.min, 1, int(column[row]) + 1])
        forged.put_array(name, put(row, value)(column))
        try:
            opened = cp.open(forged.folder)
            with suppress(ReadError):  # a text that cannot be read
                opened.anatomy()
                opened.examples("differs")
        except ReadError:
            refusals += 1
        forged.put(name, whole[name])
    assert refusals > len(files) // 4

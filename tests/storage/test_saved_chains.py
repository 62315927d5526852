"""Result folders of chains: mentions are written once, topics and documents without text come back, damage is told."""

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
from tests.random_chains import ACROSS, KINDS, Kind, assert_equal_verdicts, random_chains
from tests.random_spans import result_of, written
from tests.seeds import first_few
from tests.storage.folders import Columns, Forged, changed, content, copied, damages, refuse_damage, refused
from tests.toy_task import (
    Policy,
    printed,
    toy_measures,  # noqa: F401 - a fixture that works by being here
    verdicts_of,
)

MIXED = ("a", "b", None)
"""Topics whose documents do not stand together."""

SAVED = {
    **KINDS,
    "everything": Kind(setup=Setup(task="coref", across="all"), foreign=(1,)),
    "mixed topics": Kind(setup=ACROSS, topics=MIXED),
    "mixed foreign topics": Kind(setup=ACROSS, topics=MIXED, foreign=(0, 4)),
}


def result(kind: str, folder: Path, seed: int = 3) -> Result:
    return result_of(random_chains(folder, seed, SAVED[kind]).judged())


def saved(given: Result, folder: Path) -> Result:
    given.save(folder)
    return cp.open(folder)


# What goes in comes out


@pytest.mark.parametrize("kind", first_few(4, SAVED))
def test_chains_come_back_to_the_last_byte(kind: str, tmp_path: Path) -> None:
    given = result(kind, tmp_path)
    opened = saved(given, tmp_path / "result")
    assert_equal_verdicts(opened.verdicts, given.verdicts)
    assert opened.verdicts.notes == given.verdicts.notes
    assert opened.scores() == given.scores()
    opened.save(tmp_path / "again")
    assert content(tmp_path / "again") == content(tmp_path / "result")


@pytest.mark.slow
def test_all_findings_of_an_opened_result_are_printed_alike(tmp_path: Path) -> None:
    given = result("mixed foreign topics", tmp_path)
    opened = saved(given, tmp_path / "result")
    assert printed(opened, ("kind",), ("differs",)) == printed(given, ("kind",), ("differs",))


@pytest.mark.parametrize("kind", ["foreign", "mixed topics"])
@pytest.mark.parametrize("where", ['not right("rules")', 'kind == "noun" and length > 1'])
def test_some_of_the_mentions_come_back(kind: str, where: str, tmp_path: Path) -> None:
    part = result(kind, tmp_path, seed=1).where(where)
    opened = saved(part, tmp_path / "part")
    assert_equal_verdicts(opened.verdicts, part.verdicts)
    assert opened.pairs() == part.pairs()
    assert_equal_verdicts(opened.where('right("large")').verdicts, part.where('right("large")').verdicts)


def test_a_pair_of_an_opened_result_has_its_own_sites(tmp_path: Path) -> None:
    given = result("plain", tmp_path)
    opened = saved(given, tmp_path / "result")
    for view in ("any", "named_antecedents"):
        found = opened.difference("rules", "large", view=view)
        assert found == given.difference("rules", "large", view=view)
        assert found.sites < len(opened.verdicts.view(view).sites)


def test_views_share_their_mentions_and_statistics_in_the_folder_and_out_of_it(tmp_path: Path) -> None:
    opened = saved(result("plain", tmp_path), tmp_path / "result")
    manifest = json.loads((tmp_path / "result" / MANIFEST).read_text())
    assert len(manifest["chains"]) == 1
    assert [view["chains"] for view in manifest["views"]] == [0] * 8
    assert len({json.dumps(view["statistics"]) for view in manifest["views"]}) == 1
    assert len({id(view.chains) for view in opened.verdicts.views.values()}) == 1


def test_documents_without_text_come_back_behind_those_of_the_key(tmp_path: Path) -> None:
    opened = saved(result("foreign", tmp_path), tmp_path / "result")
    assert opened.verdicts.documents == ("d0", "d1", "d2", "d3", "d4", "d5", "x3", "x5", "x6")
    found = opened.examples('not right("large")', top=0).examples
    assert {example.document for example in found} > {"x5", "x6"}
    assert {example.word for example in found if example.document.startswith("x")} == {""}


def test_a_key_and_systems_without_mentions_come_back(tmp_path: Path) -> None:
    path = tmp_path / "nothing.conll"
    path.write_text("#begin document (a); part 000\na\t0\t0\tword\tNN\t-\t-\n\n#end document\n")
    given = cp.compare(str(path), {"a": str(path), "b": str(path)}, task="coref", resamples=0)
    opened = saved(given, tmp_path / "result")
    assert_equal_verdicts(opened.verdicts, given.verdicts)
    assert opened.difference("a", "b") == given.difference("a", "b")


def test_mentions_without_a_word_come_back(tmp_path: Path) -> None:
    """An empty node at the end of a document stands behind its last word."""
    lines = [
        "# newdoc id = a",
        "# global.Entity = eid-etype-head-other",
        "1\tAnna\t_\tPROPN\tNNP\t_\t_\t_\t_\tEntity=(e1-person-1)",
        "2\tslept\t_\tVERB\tVBD\t_\t_\t_\t_\t_",
        "2.1\t_\t_\tPRON\tPRP\t_\t_\t_\t_\tEntity=(e1-person-1)",
    ]
    key, other = tmp_path / "key.conllu", tmp_path / "other.conllu"
    key.write_text("\n".join(lines) + "\n\n")
    other.write_text("\n".join(lines[:-1]) + "\n\n")
    given = cp.compare(str(key), {"a": str(other), "b": str(key)}, task="coref", resamples=0)
    opened = saved(given, tmp_path / "result")
    assert_equal_verdicts(opened.verdicts, given.verdicts)
    chains = opened.verdicts.view().chains
    assert chains is not None
    assert chains.pieces is not None
    assert (chains.pieces.begin.tolist(), chains.pieces.end.tolist()) == ([2], [2])
    assert opened.examples("true").to_json() == given.examples("true").to_json()


# Older folders


def as_version_4(folder: Path) -> Forged:
    """Take away what folders of version 4 did not have: mentions, topics, and sites that runs raise."""
    forged = Forged(folder)
    forged.manifest["folder_version"] = 4
    for name in ("chains", "topics", "topic_of"):
        del forged.manifest[name]
    for view in forged.manifest["views"]:
        for name in ("raised", "kinds", "chains", "mention"):
            del view[name]
        for items in (view["items"], view["surplus"]):
            if items is not None:
                del items["site"]
    forged.write()
    return forged


@pytest.mark.parametrize("policy", first_few(1, [Policy(ignore=("P",)), Policy("sentence"), Policy("row")]), ids=str)
def test_a_folder_of_version_4_opens(policy: Policy, tmp_path: Path) -> None:
    given = Result(verdicts_of(policy=policy), 20)
    given.save(tmp_path / "result")
    as_version_4(tmp_path / "result")
    assert printed(cp.open(tmp_path / "result"), ("word",)) == printed(given, ("word",))


def test_spans_in_a_folder_of_version_4_open(tmp_path: Path) -> None:
    given = result_of(written(tmp_path, 3, Setup(task="span", rules="semeval2013")).judged())
    given.save(tmp_path / "result")
    as_version_4(tmp_path / "result")
    assert cp.open(tmp_path / "result").scores() == given.scores()


@pytest.mark.parametrize("name", ["views", "texts", "claims"])
@pytest.mark.parametrize("wrong", [None, 1, "x", [1], {}])
def test_a_damaged_folder_of_version_4_is_refused(name: str, wrong: Any, tmp_path: Path) -> None:
    Result(verdicts_of(), 20).save(tmp_path / "result")
    forged = as_version_4(tmp_path / "result")
    forged.manifest[name] = wrong
    forged.write()
    refused(forged.folder, "damaged")


def test_the_fields_of_version_5_may_not_be_left_out(tmp_path: Path) -> None:
    Result(verdicts_of(), 20).save(tmp_path / "result")
    forged = as_version_4(tmp_path / "result")
    forged.manifest["folder_version"] = FOLDER_VERSION
    forged.write()
    refused(forged.folder, "the manifest is damaged")


def test_chains_in_a_folder_of_version_4_are_none(forged: Forged) -> None:
    """No such folder was ever written: what one says of topics and documents without text does not fit."""
    forged.manifest["folder_version"] = 4
    forged.write()
    refused(forged.folder, "only some columns of topics are given")


# Damaged folders


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A folder with all that chains can have: topics, documents without text, and mentions in pieces; and two views."""
    folder = tmp_path_factory.mktemp("whole")
    verdicts = result("mixed foreign topics", folder).verdicts
    views = {name: verdicts.views[name] for name in ("named", "named_antecedents")}
    result_of(replace(verdicts, views=views)).save(folder / "result")
    return content(folder / "result")


@pytest.fixture
def forged(whole: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Forged:
    return copied(whole, tmp_path_factory.getbasetemp() / "forged-chains")


def test_the_folder_has_everything(forged: Forged) -> None:
    manifest = forged.manifest
    assert (manifest["unit"], len(manifest["topics"]), len(manifest["documents"])) == ("topic", 6, 8)
    assert forged.array(manifest["topic_of"]).tolist() == [0, 1, 2, 0, 1, 3, 4, 5]
    chains = chains_of(forged)
    assert chains["pieces"] is not None
    assert list(chains["candidates"]) == ["nominal", "nominal_antecedents", "named", "named_antecedents"]
    assert (np.diff(forged.array(chains["document"])) < 0).any()
    assert (forged.view["raised"], forged.view["kinds"]) == ("tn", "kind")
    cp.open(forged.folder)


def chains_of(forged: Forged) -> Any:
    return forged.manifest["chains"][0]


def put(row: int, value: Any) -> Callable[[Any], Any]:
    """Return a change of one value of a column."""

    def change(column: Any) -> Any:
        column = column.copy()
        column[row] = value
        return column

    return change


def swapped(column: Any) -> Any:
    return column[::-1].copy()


def of_another_chain(column: Any) -> Any:
    """Put the last mention of a side into its first chain, which is in another topic."""
    return put(int(np.flatnonzero(column >= 0)[-1]), 0)(column)


LENGTHS = {"as long as nothing": lambda column: column[:0], "too short": lambda column: column[:-1]}
ROWS = {
    **LENGTHS,
    "of another type": lambda column: column.astype(np.int64),
    "of floats": lambda column: column.astype(np.float64),
    "negative": put(0, -1),
    "far away": put(0, 2**31 - 1),
}
LONG = {
    **LENGTHS,
    "of another type": lambda column: column.astype(np.int32),
    "far below": put(1, -(2**63)),
    "far away": put(-1, 2**63 - 1),
}
NUMBERS = {
    **LONG,
    "one too far": lambda column: put(int(np.flatnonzero(column >= 0)[0]), 1)(column),
    "below that of none": put(0, -2),
    "out of order": swapped,
    "in two topics": of_another_chain,
}

COLUMNS: Columns = {
    "topic": (
        lambda forged: forged.manifest["topic_of"],
        {**ROWS, "out of order": swapped, "one for all": lambda column: column * 0, "another": put(2, 1)},
    ),
    "document": (lambda forged: chains_of(forged)["document"], {**ROWS, "out of order": swapped}),
    "sentence": (
        lambda forged: chains_of(forged)["sentence"],
        {**ROWS, "out of order": swapped, "of a text that is not there": put(0, 12), "of a text": put(-1, 3)},
    ),
    "place": (lambda forged: chains_of(forged)["place"], {**ROWS, "out of order": swapped}),
    "width": (lambda forged: chains_of(forged)["width"], {**ROWS, "nothing": put(0, 0)}),
    "key": (lambda forged: chains_of(forged)["key"], NUMBERS),
    "run": (lambda forged: chains_of(forged)["runs"][2], NUMBERS),
    "owner of pieces": (
        lambda forged: chains_of(forged)["pieces"]["span"],
        {**LONG, "negative": put(0, -1), "out of order": swapped},
    ),
    "begin of pieces": (
        lambda forged: chains_of(forged)["pieces"]["begin"],
        {**LONG, "negative": put(0, -1), "behind its end": put(0, 99), "out of order": swapped},
    ),
    "end of pieces": (
        lambda forged: chains_of(forged)["pieces"]["end"],
        {**LONG, "before its begin": put(0, -1), "behind its document": put(0, 99)},
    ),
    "candidates": (
        lambda forged: chains_of(forged)["candidates"]["named"],
        {**LENGTHS, "numbers": lambda column: column.astype(np.uint8)},
    ),
    "mention": (
        lambda forged: forged.view["mention"],
        {**LONG, "negative": put(0, -1), "twice": put(1, 0), "another": lambda column: column - 1, "back": swapped},
    ),
    "document of sites": (lambda forged: forged.sites["document"], {**ROWS, "out of order": swapped}),
    "sentence of sites": (lambda forged: forged.sites["sentence"], {**ROWS, "another": lambda rows: rows ^ 1}),
    "place of sites": (lambda forged: forged.sites["place"], {**ROWS, "another": lambda rows: rows + 1}),
    "width of sites": (lambda forged: forged.sites["width"], {**ROWS, "another": lambda rows: rows + 1}),
    "document of items": (lambda forged: forged.view["items"]["document"], ROWS),
    "sentence of items": (lambda forged: forged.view["items"]["sentence"], {"another": lambda rows: rows ^ 1}),
    "place of items": (lambda forged: forged.view["items"]["place"], {"another": lambda rows: rows + 1}),
    "site of items": (
        lambda forged: forged.view["items"]["site"],
        {**LONG, "negative": put(0, -1), "beyond the sites": put(-1, 999), "another": swapped},
    ),
    "statistics": (
        lambda forged: forged.view["statistics"]["ceafe_found"],
        {**LENGTHS, "of few runs": lambda table: table[:, 1:], "no number": put(0, np.nan)},
    ),
}


@pytest.mark.parametrize(("name", "how"), damages(COLUMNS))
def test_damaged_columns_are_refused(name: str, how: str, forged: Forged) -> None:
    refuse_damage(forged, COLUMNS, name, how)


def test_a_mention_that_nobody_has_is_refused(forged: Forged) -> None:
    """The last mention is the last of its chain on all sides: without it, all numbers still fit."""
    for name in (chains_of(forged)["key"], *chains_of(forged)["runs"]):
        forged.put_array(name, put(-1, -1)(forged.array(name)))
    refused(forged.folder, "in neither the key nor any run")


def test_numbers_that_overflow_are_refused(forged: Forged) -> None:
    """Differences between these numbers are not below zero, because they are too large to be told."""
    site = forged.array(forged.view["items"]["site"])
    site[:4] = 1, -(2**63), -1, 2
    forged.put_array(forged.view["items"]["site"], site)
    refused(forged.folder, "has site numbers out of range, or is not in order")


VIEW, ITEMS, CHAINS = ("views", 0), ("views", 0, "items"), ("chains", 0)
CHANGES: dict[str, Callable[[Forged], None]] = {
    "no mentions": changed("chains", []),
    "mentions that are not there": changed(*VIEW, "chains", 7),
    "mentions before the first": changed(*VIEW, "chains", -1),
    "mentions of no sites": changed(*VIEW, "mention", None),
    "sites of no mentions": changed(*VIEW, "chains", None),
    "a raised value that is none": changed(*VIEW, "raised", "xx"),
    "a raised value that is a number": changed(*VIEW, "raised", 1),
    "sites that nobody raises": changed(*VIEW, "raised", None),
    "items at no sites": changed(*ITEMS, "site", None),
    "kinds that are not there": changed(*VIEW, "kinds", "magic"),
    "kinds that are numbers": changed(*VIEW, "kinds", "length"),
    "left out": lambda forged: forged.view.update(left_out=forged.sites["attributes"]["kind"]),
    "beside": lambda forged: forged.view.update(surplus={**forged.view["items"], "site": None}),
    "beside, at sites": lambda forged: forged.view.update(surplus=forged.view["items"]),
    "widths that are not there": changed("views", 0, "sites", "width", None),
    "runs too few": changed(*CHAINS, "runs", lambda runs: runs[1:]),
    "runs too many": changed(*CHAINS, "runs", lambda runs: [*runs, runs[0]]),
    "pieces without ends": changed(*CHAINS, "pieces", lambda pieces: {**pieces, "end": None}),
    "candidates that are a file": changed(*CHAINS, "candidates", lambda found: found["named"]),
    "candidates outside": changed(*CHAINS, "candidates", {"named": "../x.npy"}),
    "topics too few": changed("topics", lambda topics: topics[1:]),
    "topics too many": changed("topics", lambda topics: [*topics, "more"]),
    "topics that are numbers": changed("topics", lambda topics: [1, *topics[1:]]),
    "topics of no documents": changed("topic_of", None),
    "units too few": changed("units", 5),
    "documents that are topics": changed("unit", "document"),
    "sentences that are topics": changed("unit", "sentence"),
    "a document without text too many": changed("documents", lambda names: [*names, "more"]),
    "a document of the key too few": changed("documents", lambda names: names[1:]),
    "documents in another order": changed("documents", lambda names: names[::-1]),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_hostile_manifest_is_refused(name: str, forged: Forged) -> None:
    before = json.dumps(forged.manifest)
    CHANGES[name](forged)
    assert json.dumps(forged.manifest) != before
    forged.write()
    refused(forged.folder, "damaged")


def test_documents_without_text_are_for_mentions_alone(tmp_path: Path) -> None:
    Result(verdicts_of(), 20).save(tmp_path / "toy")
    forged = Forged(tmp_path / "toy")
    forged.manifest["documents"].append("more")
    forged.manifest["units"] += 1
    forged.write()
    refused(forged.folder, "the texts have other documents than the result")


def test_items_at_sites_are_for_raised_sites_alone(tmp_path: Path) -> None:
    Result(verdicts_of(), 20).save(tmp_path / "toy")
    forged = Forged(tmp_path / "toy")
    forged.view["items"]["site"] = "site.npy"
    forged.put_array("site.npy", np.zeros(len(forged.array(forged.view["items"]["document"])), np.int64))
    refused(forged.folder, "items do not match the sites that runs raise")


def test_any_value_of_any_column_may_be_another(forged: Forged, whole: dict[str, bytes]) -> None:
    """Put another value into a column: the folder is refused, or still gives its numbers without a crash."""
    draw, refusals = random.Random(1), 0
    columns = {name: np.load(io.BytesIO(data)) for name, data in sorted(whole.items()) if name.endswith(".npy")}
    files = [name for name, column in columns.items() if column.size and column.ndim == 1]
    for name in files:
        column = columns[name]
        row = draw.randrange(len(column))
        limits = np.iinfo(column.dtype) if column.dtype.kind in "iu" else None
        value = draw.choice([0.5, -1.0, 3.0] if limits is None else [limits.max, limits.min, 1, int(column[row]) + 1])
        forged.put_array(name, put(row, value)(column))
        try:
            opened = cp.open(forged.folder)
            with suppress(ReadError):  # a text that cannot be read
                opened.difference("rules", "large")
                opened.examples('not right("large")')
        except ReadError:
            refusals += 1
        forged.put(name, whole[name])
    assert refusals > len(files) // 4

"""Saved spans that everybody has: they come back, older folders have none, and damaged ones are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import comparanda as cp
from comparanda.core.claims import Claims, agreed_spans, find_isolated
from comparanda.core.corpus import Fragments
from comparanda.core.extents import fragmentation_codes, number_fragmentations
from comparanda.core.verdicts import Verdicts
from comparanda.errors import ReadError
from comparanda.pipeline import Setup
from comparanda.result import Result
from comparanda.storage import fold, writer
from comparanda.storage.fold import fold_verdicts
from comparanda.storage.manifest import FOLDER_VERSION
from tests.random_spans import plain, result_of, tagged, written
from tests.storage.folders import Columns, Forged, content, copied, damages, refuse_damage, refused
from tests.storage.test_saved_spans import CODES, INDICES, LONG, ROWS, put, swapped
from tests.toy_task import printed


def judged(folder: Path, kind: str = "written") -> Verdicts:
    make, size = (written, 120) if kind == "written" else (tagged, 40)
    return make(folder, 3, Setup(task="span", rules="exact"), size=size, alike=0.8).judged()


def small(verdicts: Verdicts) -> Verdicts:
    return fold_verdicts(verdicts, Result(verdicts).seed)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fold, "EXAMPLES", 0)
        result_of(small(judged(folder))).save(folder / "result")
    return content(folder / "result")


@pytest.fixture
def forged(whole: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Forged:
    return copied(whole, tmp_path_factory.getbasetemp() / "forged-agreed")


@pytest.mark.parametrize("kind", ["written", "files"])
def test_they_come_back_to_the_last_byte(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold, "EXAMPLES", 0)
    verdicts = small(judged(tmp_path, kind))
    result_of(verdicts).save(tmp_path / "result")
    opened = cp.open(tmp_path / "result").verdicts
    for name, view in verdicts.views.items():
        assert view.claims is not None
        assert view.claims.agreed is not None
        assert plain(opened.views[name].claims) == plain(view.claims)
        assert plain(opened.views[name].given_items) == plain(view.given_items)
        assert plain(opened.views[name].all_sites) == plain(view.all_sites)


def agreed_of(forged: Forged) -> Any:
    return forged.manifest["claims"][0]["agreed"]


def folded_of(forged: Forged) -> Any:
    return forged.view["items"]["folded"]


def test_a_folder_of_version_7_opens(tmp_path: Path) -> None:
    result = result_of(judged(tmp_path, "files"))
    result.save(tmp_path / "result")
    forged = Forged(tmp_path / "result")
    forged.manifest["folder_version"] = 7
    for claims in forged.manifest["claims"]:
        del claims["agreed"]
    for view in forged.manifest["views"]:
        del view["items"]["folded"]
    forged.write()
    assert printed(cp.open(tmp_path / "result")) == printed(result)
    forged.manifest["folder_version"] = FOLDER_VERSION
    forged.write()
    refused(forged.folder, "the manifest is damaged")


@pytest.mark.parametrize("wrong", [None, 1, "x", [1], {}])
def test_a_damaged_folder_of_version_7_is_refused(wrong: Any, tmp_path: Path) -> None:
    result_of(judged(tmp_path, "files")).save(tmp_path / "result")
    forged = Forged(tmp_path / "result")
    forged.manifest["folder_version"] = 7
    forged.manifest["claims"] = wrong
    forged.write()
    refused(forged.folder, "damaged")


COLUMNS: Columns = {
    "document": (lambda forged: agreed_of(forged)["document"], {**ROWS, "out of order": swapped}),
    "sentence": (lambda forged: agreed_of(forged)["sentence"], {**ROWS, "out of order": swapped}),
    "place": (lambda forged: agreed_of(forged)["place"], ROWS),
    "width": (lambda forged: agreed_of(forged)["width"], {**ROWS, "nothing": put(0, 0)}),
    "begin": (lambda forged: agreed_of(forged)["begin"], {**LONG, "behind its end": put(0, 9999)}),
    "end": (
        lambda forged: agreed_of(forged)["end"],
        {**LONG, "before its begin": put(-1, -1), "too far for any line": put(-1, 2**62)},
    ),
    "label": (lambda forged: agreed_of(forged)["label"], CODES),
    "text": (lambda forged: agreed_of(forged)["attributes"]["text"]["values"], INDICES),
    "label of items": (lambda forged: folded_of(forged)["label"], CODES),
    "verdict": (lambda forged: folded_of(forged)["verdict"][1], CODES),
    "rule": (lambda forged: folded_of(forged)["rule"][1], CODES),
}


@pytest.mark.parametrize(("name", "how"), damages(COLUMNS))
def test_damaged_columns_are_refused(name: str, how: str, forged: Forged) -> None:
    refuse_damage(forged, COLUMNS, name, how)


def nothing_agreed(forged: Forged) -> None:
    forged.manifest["claims"][0]["agreed"] = None


def nothing_folded(forged: Forged) -> None:
    forged.view["items"]["folded"] = None


def no_items(forged: Forged) -> None:
    forged.view["items"] = None


def no_verdicts(forged: Forged) -> None:
    folded_of(forged)["verdict"] = None


def no_verdict_of_a_run(forged: Forged) -> None:
    folded_of(forged)["verdict"].pop()


@pytest.mark.parametrize(
    "change",
    [nothing_agreed, nothing_folded, no_items, no_verdicts, no_verdict_of_a_run],
    ids=lambda each: each.__name__,
)
def test_a_hostile_manifest_is_refused(change: Callable[[Forged], None], forged: Forged) -> None:
    change(forged)
    forged.write()
    refused(forged.folder, "damaged")


def test_many_names_are_a_file_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of(judged(tmp_path))
    result.save(tmp_path / "few")
    monkeypatch.setattr(writer, "_FEW_NAMES", 3)
    result.save(tmp_path / "many")
    assert printed(cp.open(tmp_path / "many"), ("text",)) == printed(cp.open(tmp_path / "few"), ("text",))
    forged = Forged(tmp_path / "many")
    text = forged.manifest["claims"][0]["attributes"]["text"]
    assert text["names"].endswith(".json")
    for wrong in (b"[1]", b'["a"', b"[" * 100_000, b'["a", "b"]'):
        forged.put(text["names"], wrong)
        refused(forged.folder, "damaged")
    text["names"] = "../manifest.json"
    forged.write()
    with pytest.raises(ReadError, match="names a file outside it"):
        cp.open(forged.folder)


def test_what_attributes_sites_will_have_is_known_before_they_are_made(tmp_path: Path) -> None:
    claims = small(judged(tmp_path)).view().claims
    assert claims is not None
    for table in (claims, claims.agreed or claims):
        assert {name: each.type for name, each in table.sites.attributes.items()} == table.site_attributes


# Apart


def spans(*places: tuple[int, int, int], pieces: Fragments | None = None) -> Claims:
    """Make spans by document, begin and end."""
    document, begin, end = (np.array(each, np.int64) for each in zip(*places, strict=True))
    rows, once = document.astype(np.int32), np.ones(len(places), np.uint8)
    cuts = fragmentation_codes(len(places), pieces, number_fragmentations([pieces]))
    return Claims(
        document=rows,
        sentence=rows,
        place=rows,
        width=rows + 1,
        begin=begin,
        end=end,
        pieces=cuts,
        fragments=pieces,
        label=once * 0,
        names=("X",),
        key=once,
        runs=(once,),
    )


@pytest.mark.parametrize(
    ("agreed", "apart"),
    [
        (((0, 0, 2),), True),
        (((0, 3, 4), (1, 3, 5)), True),
        (((0, 1, 3),), False),
        (((0, 2, 2),), True),
        (((0, 5, 5),), False),
        (((0, 8, 9), (0, 8, 9)), False),
        (((0, 8, 12), (0, 10, 11)), False),
        (((0, 4, 6), (0, 6, 7)), False),
        (((0, 7, 8), (2, 0, 9)), True),
    ],
)
def test_spans_that_overlap_none(agreed: tuple[tuple[int, int, int], ...], apart: bool) -> None:
    others = spans((0, 2, 3), (0, 4, 7), (1, 0, 3))
    assert find_isolated(others, agreed_spans(spans(*agreed))) == apart


def test_spans_may_stand_in_the_gaps_of_one_in_pieces() -> None:
    pieces = Fragments(np.array([0, 0]), np.array([0, 6]), np.array([2, 8]))
    others = spans((0, 0, 8), pieces=pieces)
    assert find_isolated(others, agreed_spans(spans((0, 2, 4), (0, 4, 6))))
    assert not find_isolated(others, agreed_spans(spans((0, 2, 7))))

"""Result folders: what is saved comes back to the last byte; what is damaged or hostile is refused."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import comparanda as cp
from comparanda.core.excerpts import Texts
from comparanda.core.verdicts import Verdicts
from comparanda.demo import demo_files
from comparanda.errors import ReadError
from comparanda.result import Result
from comparanda.storage import writer
from comparanda.storage.manifest import MANIFEST
from tests.seeds import first_few
from tests.storage.folders import Forged, changed, content, copied, refused
from tests.toy_task import (
    ONE_AND_TWO,
    TWO_BY_TWO,
    Policy,
    printed,
    toy_measures,  # noqa: F401 - a fixture that works by being here
    verdicts_of,
)

WHERE = ("differs", "correction", "new_error")
KEY = "# newdoc id = d{}\n1\tTime\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\tflies\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n"
ONE = KEY.replace("VERB", "NOUN")


def write(path: Path, text: str, documents: int = 3) -> str:
    path.write_text("".join(text.format(number) for number in range(documents)))
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    paths = {side: tmp_path / f"{side}.conllu" for side in ("key", "good", "bad")}
    write(paths["key"], KEY)
    write(paths["good"], KEY)
    write(paths["bad"], ONE)
    return paths


@pytest.fixture
def result(files: dict[str, Path]) -> Result:
    systems = {"good": str(files["good"]), "bad": str(files["bad"])}
    return cp.compare(str(files["key"]), systems, task="pos", resamples=50)


@pytest.fixture
def folder(result: Result, tmp_path: Path) -> Path:
    result.save(tmp_path / "result")
    return tmp_path / "result"


def leftovers(parent: Path) -> list[str]:
    return [path.name for path in parent.iterdir() if path.name.startswith(".")]


# What goes in comes out.


@pytest.mark.parametrize("policy", first_few(1, [Policy(), Policy("sentence"), Policy("row", ignore=("P",))]), ids=str)
@pytest.mark.parametrize("systems", [TWO_BY_TWO, ONE_AND_TWO], ids=["2x2", "1x2"])
def test_the_toy_comes_back_to_the_last_byte(systems: Any, policy: Policy, tmp_path: Path) -> None:
    result = Result(verdicts_of(systems, policy=policy), 50, 7, 0.0)
    result.save(tmp_path / "result")
    opened = cp.open(tmp_path / "result")
    by = ("word", "length", "plural", *(["genre"] if policy.unit == "document" else []))
    assert printed(opened, by, WHERE) == printed(result, by, WHERE)
    assert (opened.signature, opened.notes) == (result.signature, result.notes)


@pytest.mark.slow
def test_the_demo_comes_back_with_texts_read_again_from_its_files(tmp_path: Path) -> None:
    key, systems = demo_files()
    result = cp.compare(key, systems, task="pos", resamples=50, attributes=["genre"], ignore_label=["PUNCT"])
    result.save(tmp_path / "result")
    by = ("word", "genre", "length", "frequency")
    assert printed(cp.open(tmp_path / "result"), by, WHERE) == printed(result, by, WHERE)
    assert not [name for name in content(tmp_path / "result") if name.endswith(".bin")]


def test_a_part_of_the_sites_comes_back(result: Result, tmp_path: Path) -> None:
    part = result.where('key == "VERB"')
    part.save(tmp_path / "part")
    assert printed(cp.open(tmp_path / "part"), ("word",)) == printed(part, ("word",))
    toy = Result(verdicts_of(), 50).where("plural", view="partial")
    toy.save(tmp_path / "toy")
    assert printed(cp.open(tmp_path / "toy"), ("word",)) == printed(toy, ("word",))


def test_verdicts_without_texts_come_back(tmp_path: Path) -> None:
    for policy in (Policy(), Policy("sentence")):
        result = Result(replace(verdicts_of(policy=policy), texts=Texts()), 50)
        result.save(tmp_path / "result")
        assert printed(cp.open(tmp_path / "result"), ("word",)) == printed(result, ("word",))


def test_saving_what_was_opened_gives_the_same_folder(folder: Path, tmp_path: Path) -> None:
    cp.open(folder).save(tmp_path / "again")
    assert content(tmp_path / "again") == content(folder)
    Result(verdicts_of(), 50).save(tmp_path / "toy")
    cp.open(tmp_path / "toy").save(tmp_path / "toy again")
    assert content(tmp_path / "toy again") == content(tmp_path / "toy")


def test_an_opened_folder_can_be_saved_in_its_own_place(folder: Path) -> None:
    before = content(folder)
    opened = cp.open(folder)
    opened.save(folder)
    assert content(folder) == before
    assert opened.examples("correction").count == 0
    assert len(opened.examples("new_error").examples) == 3


def test_an_opened_result_does_not_change_when_its_folder_does(folder: Path, result: Result) -> None:
    opened = cp.open(folder)
    Result(verdicts_of(), 50).save(folder)
    assert printed(opened, ("word",), WHERE) == printed(result, ("word",), WHERE)


def test_the_same_result_gives_the_same_folder(result: Result, folder: Path, tmp_path: Path) -> None:
    result.save(tmp_path / "second")
    assert content(tmp_path / "second") == content(folder)


def test_equal_columns_and_sources_are_written_once(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    assert len(manifest["sources"]) == 3  # key, good, bad: the words are the key's
    sites = manifest["views"][0]["sites"]
    assert sites["document"] != sites["sentence"]


# Texts


def test_a_changed_file_is_an_error_for_examples_alone(folder: Path, files: dict[str, Path], result: Result) -> None:
    files["key"].write_text(files["key"].read_text().replace("Time", "Tame"))
    opened = cp.open(folder)
    assert opened.anatomy(by=["word"]).to_json() == result.anatomy(by=["word"]).to_json()
    assert opened.count("new_error", "good", "bad") == 3
    with pytest.raises(ReadError, match="changed since the result was saved") as caught:
        opened.examples("new_error")
    assert caught.value.exit_code == 3
    assert caught.value.where == str(files["key"])


def test_a_changed_response_is_an_error_too(folder: Path, files: dict[str, Path]) -> None:
    with files["bad"].open("a") as stream:
        stream.write("# one more line\n")
    with pytest.raises(ReadError, match="changed"):
        cp.open(folder).examples("new_error")


def test_a_vanished_file_is_an_error_for_examples_alone(folder: Path, files: dict[str, Path], result: Result) -> None:
    files["good"].unlink()
    opened = cp.open(folder)
    assert opened.scores() == result.scores()
    with pytest.raises(ReadError, match="the file no longer exists") as caught:
        opened.examples("new_error")
    assert (caught.value.exit_code, caught.value.where) == (3, str(files["good"]))


def test_a_folder_whose_texts_are_gone_can_still_be_copied(
    folder: Path, files: dict[str, Path], tmp_path: Path
) -> None:
    files["key"].unlink()
    cp.open(folder).save(tmp_path / "copy")
    assert content(tmp_path / "copy") == content(folder)


def test_a_file_in_place_of_a_text_must_be_a_file(folder: Path, files: dict[str, Path]) -> None:
    files["key"].unlink()
    os.mkfifo(files["key"])
    with pytest.raises(ReadError, match="the file no longer exists"):
        cp.open(folder).examples("new_error")


def test_paths_are_those_of_the_day_of_saving(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = cp.compare("key.conllu", {"good": "good.conllu", "bad": "bad.conllu"}, task="pos", resamples=0)
    result.save("result")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    opened = cp.open(tmp_path / "result")
    assert opened.examples("new_error").to_json() == result.examples("new_error").to_json()


def test_python_data_are_kept_in_the_folder(tmp_path: Path) -> None:
    key, good = [[("Time", "NOUN"), ("flies", "VERB")]] * 3, [[("Time", "NOUN"), ("flies", "NOUN")]] * 3
    result = cp.compare(key, {"good": good, "key-like": key}, task="tag", resamples=0)
    result.save(tmp_path / "result")
    assert printed(cp.open(tmp_path / "result"), (), WHERE) == printed(result, (), WHERE)
    assert [name for name in content(tmp_path / "result") if name.endswith(".bin")]


def test_gzip_files_are_read_again_from_their_place(files: dict[str, Path], tmp_path: Path) -> None:
    packed = tmp_path / "key.conllu.gz"
    packed.write_bytes(gzip.compress(files["key"].read_bytes()))
    result = cp.compare(str(packed), {"bad": str(files["bad"]), "good": str(files["good"])}, task="pos", resamples=0)
    result.save(tmp_path / "result")
    assert printed(cp.open(tmp_path / "result"), (), WHERE) == printed(result, (), WHERE)


def test_standard_input_is_kept_in_the_folder(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(files["key"].read_bytes())))
    result = cp.compare("-", {"bad": str(files["bad"]), "good": str(files["good"])}, task="pos", resamples=0)
    result.save(tmp_path / "result")
    assert printed(cp.open(tmp_path / "result"), (), WHERE) == printed(result, (), WHERE)
    assert [name for name in content(tmp_path / "result") if name.endswith(".bin")]


def test_files_that_were_repaired_are_kept_in_the_folder(files: dict[str, Path], tmp_path: Path) -> None:
    files["key"].write_text(files["key"].read_text().replace("\n\n", "\n  \n"))
    result = cp.compare(str(files["key"]), {"bad": str(files["bad"])}, task="pos", resamples=0)
    result.save(tmp_path / "result")
    opened = cp.open(tmp_path / "result")
    assert opened.examples('not right("bad")').to_json() == result.examples('not right("bad")').to_json()


def test_crlf_and_byte_order_marks_do_not_look_like_a_change(files: dict[str, Path], tmp_path: Path) -> None:
    files["key"].write_bytes(b"\xef\xbb\xbf" + files["key"].read_bytes().replace(b"\n", b"\r\n"))
    result = cp.compare(str(files["key"]), {"bad": str(files["bad"])}, task="pos", resamples=0)
    result.save(tmp_path / "result")
    opened = cp.open(tmp_path / "result")
    assert opened.examples('not right("bad")').to_json() == result.examples('not right("bad")').to_json()


# Where a folder may be written


def test_an_older_result_is_replaced(folder: Path) -> None:
    Result(verdicts_of(), 50).save(folder)
    assert cp.open(folder).verdicts.task == "toy"
    assert leftovers(folder.parent) == []


def test_an_empty_folder_is_filled(result: Result, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result.save(tmp_path / "empty")
    assert cp.open(tmp_path / "empty").scores() == result.scores()


def test_folders_on_the_way_are_made(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "a" / "b" / "result")
    assert cp.open(tmp_path / "a" / "b" / "result").scores() == result.scores()


@pytest.mark.parametrize(
    "make",
    [
        lambda path: (path.mkdir(), (path / "thesis.tex").write_text("years of work")),
        lambda path: (path.mkdir(), (path / MANIFEST).write_text('{"name": "a browser extension"}')),
        lambda path: (path.mkdir(), (path / MANIFEST).write_text("[]")),
        lambda path: (path.mkdir(), (path / MANIFEST).write_text("not even JSON")),
        lambda path: path.write_text("a file"),
    ],
)
def test_something_else_is_neither_overwritten_nor_deleted(
    make: Callable[[Path], object], result: Result, tmp_path: Path
) -> None:
    place = tmp_path / "mine"
    make(place)
    before = content(place) if place.is_dir() else place.read_bytes()
    with pytest.raises(ReadError, match="the path exists and is not a result folder"):
        result.save(place)
    assert (content(place) if place.is_dir() else place.read_bytes()) == before
    assert leftovers(tmp_path) == []


def test_a_result_folder_with_a_file_of_the_user_is_not_deleted(result: Result, folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(ReadError, match="the path exists and is not a result folder"):
        result.save(folder)
    assert (folder / "notes.txt").read_text() == "mine"


def test_a_link_to_a_result_folder_stays_a_link(result: Result, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "latest").symlink_to(folder)
    Result(verdicts_of(), 50).save(tmp_path / "latest")
    assert (tmp_path / "latest").is_symlink()
    assert cp.open(folder).verdicts.task == "toy"


@pytest.mark.parametrize("where", ["_write_text_part", "_write_view", "_replace_folder"])
@pytest.mark.parametrize("problem", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_nothing_is_left_when_saving_fails_in_the_middle(
    where: str, problem: BaseException, result: Result, tmp_path: Path, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise problem

    monkeypatch.setattr(writer, where, fail)
    expected = ReadError if isinstance(problem, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        result.save(tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("failing", [1, 2])
def test_the_older_result_stays_when_the_new_one_cannot_take_its_name(
    failing: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, calls, rename = content(folder), [], Path.rename

    def sometimes(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == failing:
            raise PermissionError(13, "Permission denied")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", sometimes)
    with pytest.raises(ReadError, match="cannot be written: Permission denied"):
        Result(verdicts_of(), 50).save(folder)
    assert content(folder) == before
    assert leftovers(folder.parent) == []


def test_the_folder_holds_no_pickle(folder: Path) -> None:
    for name, data in content(folder).items():
        assert name == MANIFEST or name.endswith((".npy", ".bin"))
        if name.endswith(".npy"):
            assert not np.load(io.BytesIO(data), allow_pickle=False).dtype.hasobject


def test_the_folder_can_be_read_by_those_who_can_read_its_neighbours(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "neighbour").mkdir()
    assert folder.stat().st_mode == (tmp_path / "neighbour").stat().st_mode


# Damaged folders


def test_no_folder_and_no_manifest(tmp_path: Path) -> None:
    refused(tmp_path / "nowhere", "not a result folder: it has no manifest.json")
    refused(tmp_path, "not a result folder: it has no manifest.json")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{", "the manifest is damaged"),
        ("", "the manifest is damaged"),
        ("\ufeff{}", "the manifest is damaged"),
        ("[" * 100_000, "the manifest is damaged"),
        ("[]", "not a result folder of comparanda"),
        ('{"kind": "another"}', "not a result folder of comparanda"),
        ('{"kind": "comparanda result", "folder_version": 99, "version": "9.9"}', "expected 2 to 8"),
        ('{"kind": "comparanda result", "folder_version": 3}', "the manifest is damaged"),
    ],
)
def test_a_damaged_manifest(text: str, what: str, folder: Path) -> None:
    (folder / MANIFEST).write_text(text)
    refused(folder, what)


def test_a_manifest_that_is_not_utf8(folder: Path) -> None:
    (folder / MANIFEST).write_bytes((folder / MANIFEST).read_bytes().replace(b"NOUN", b"NO\xffN"))
    refused(folder, "the manifest is damaged")


@pytest.mark.parametrize("name", ["0000.npy", "0003.npy"])
def test_missing_truncated_and_changed_columns(name: str, folder: Path) -> None:
    data = (folder / name).read_bytes()
    for broken in (data[:-1], data[:20], b"", data + b"x", data[:-1] + bytes([data[-1] ^ 1])):
        (folder / name).write_bytes(broken)
        refused(folder, f"the result folder is damaged: {name} has changed since it was saved")
    (folder / name).unlink()
    refused(folder, f"{name} is missing")
    os.mkfifo(folder / name)
    refused(folder, f"{name} is missing")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("whole") / "toy"
    Result(verdicts_of(policy=Policy(ignore=("P",))), 50).save(folder)
    return content(folder)


@pytest.fixture
def forged(whole: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Forged:
    return copied(whole, tmp_path_factory.getbasetemp() / "forged-toy")


class Bomb:
    def __reduce__(self) -> Any:
        return os.system, ("touch /tmp/comparanda-was-fooled",)


def headed(header: str) -> bytes:
    """Make a column file by its header alone."""
    data = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(data).to_bytes(2, "little") + data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04",
        pickle.dumps(Bomb()),
        headed("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }") + pickle.dumps(Bomb()),
        headed("{'descr': '<i4', 'fortran_order': False, 'shape': (1000000000000000,), }"),
        headed("{'descr': '<i4', 'fortran_order': False, 'shape': (-1,), }"),
        headed("{'descr': '<i4', 'fortran_order': False, 'shape': 'x', }"),
        headed("{'descr': '<i4', 'fortran_order': False"),
        headed("__import__('os').system('touch /tmp/comparanda-was-fooled')"),
        headed("(" * 5000),
        b"\x93NUMPY\x09\x00" + bytes(20),
    ],
)
def test_a_hostile_column_file_is_refused_and_never_run(data: bytes, forged: Forged) -> None:
    forged.put(forged.sites["document"], data)
    refused(forged.folder, "the result folder is damaged")
    assert not Path("/tmp/comparanda-was-fooled").exists()


UNFIT = [
    np.zeros((20, 1), np.int32),
    np.zeros((), np.int32),
    np.zeros(19, np.int32),
    np.zeros(20, np.int64),
    np.zeros(20, ">i4"),
    np.zeros(20, np.float64),
    np.zeros(20, [("a", "<i4")]),
    np.array(["x"] * 20),
    np.full(20, -1, np.int32),
    np.full(20, 7, np.int32),
]


@pytest.mark.parametrize("values", [*UNFIT, np.arange(20, dtype=np.int32)[::-1] // 3])
def test_the_documents_of_sites_must_fit_and_be_in_order(values: Any, forged: Forged) -> None:
    forged.put_array(forged.sites["document"], values)
    refused(forged.folder, "the result folder is damaged")


@pytest.mark.parametrize("values", UNFIT)
def test_the_documents_of_items_must_fit(values: Any, forged: Forged) -> None:
    forged.put_array(forged.items["document"], values)
    refused(forged.folder, "the result folder is damaged")


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "..", ".", "", "a/0000.npy", "..\\x", "\0"])
def test_a_file_outside_the_folder_is_refused(path: str, forged: Forged) -> None:
    forged.sites["key"] = path
    forged.manifest["files"][path] = "0"
    forged.write()
    refused(forged.folder, "the result folder is damaged")


def test_kept_bytes_outside_the_folder_are_refused(forged: Forged) -> None:
    forged.manifest["sources"][0]["data"] = "../../etc/passwd"
    forged.write()
    with pytest.raises(ReadError, match="names a file outside it"):
        cp.open(forged.folder).examples("true")


VIEW: tuple[Any, ...] = ("views", 0)
CHANGES: dict[str, Callable[[Forged], None]] = {
    "no systems": changed("systems", []),
    "a system without runs": changed("systems", 0, "runs", []),
    "a run that is not there": changed("systems", 0, "runs", [0, 9]),
    "a run of two systems": changed("systems", 0, "runs", [0, 2]),
    "a run of none": changed("systems", 0, "runs", [0]),
    "a negative run": changed("systems", 0, "runs", [0, -1]),
    "systems of one name": changed("systems", 0, "name", "fine"),
    "runs of one name": changed("runs", 0, "fine#1"),
    "runs too many": changed("runs", lambda runs: [*runs, "more"]),
    "a number for a name": changed("task", 7),
    "no views": changed("views", []),
    "views of one name": changed("views", 1, "name", "strict"),
    "no measure": changed(*VIEW, "measures", []),
    "an unknown measure": changed(*VIEW, "measures", ["magic"]),
    "a measure that is none": changed(*VIEW, "measures", ["f1["]),
    "names out of order": changed(*VIEW, "sites", "names", lambda names: names[::-1]),
    "names twice": changed(*VIEW, "sites", "names", lambda names: [names[0], *names[:-1]]),
    "names too few": changed(*VIEW, "sites", "names", lambda names: names[:2]),
    "names that are numbers": changed(*VIEW, "sites", "names", 0, 1),
    "values too few": changed(*VIEW, "sites", "values", lambda values: values[:-1]),
    "parts too few": changed(*VIEW, "sites", "parts", [["a"]]),
    "parts that are text": changed(*VIEW, "sites", "parts", "abc"),
    "an attribute of another type": changed(*VIEW, "sites", "attributes", "word", "type", "number"),
    "an attribute of no type": changed(*VIEW, "sites", "attributes", "word", "type", "date"),
    "texts without names": changed(*VIEW, "sites", "attributes", "word", "names", None),
    "texts with few names": changed(*VIEW, "sites", "attributes", "word", "names", ["a"]),
    "numbers with names": changed(*VIEW, "sites", "attributes", "length", "names", ["a"]),
    "a missing code beyond the names": changed(*VIEW, "sites", "attributes", "genre", "missing", 99),
    "reasons that are numbers": lambda forged: forged.view.update(left_out=forged.sites["attributes"]["length"]),
    "reasons with few names": changed(*VIEW, "left_out", "names", [""]),
    "items with labels twice": changed("views", 1, "items", "names", lambda names: [names[0], *names[:-1]]),
    "items with few labels": changed("views", 1, "items", "names", lambda names: names[:1]),
    "items with few runs": changed("views", 1, "items", "claimed", lambda claimed: claimed[1:]),
    "items with little credit": changed("views", 1, "items", "credit", lambda credit: credit[1:]),
    "credit that is truth": lambda forged: forged.items.update(credit=forged.items["claimed"]),
    "a statistic that is a column": lambda forged: changed("views", 1, "statistics", "streak", forged.sites["place"])(
        forged
    ),
    "units too many": changed("units", 8),
    "units beyond all": changed("units", 2**40),
    "units of another kind": changed("unit", "sentence"),
    "units of no kind": changed("unit", "page"),
    "documents too few": changed("documents", lambda names: names[:-1]),
    "documents of other names": changed("documents", lambda names: names[::-1]),
    "resamples without end": changed("resamples", 10**15),
    "negative resamples": changed("resamples", -1),
    "a negative seed": changed("seed", -1),
    "a text as seed": changed("seed", "13"),
    "truth as seed": changed("seed", True),
    "zero division by words": changed("zero_division", "one"),
    "settings that are numbers": changed("settings", {"a": 1}),
    "notes that are texts": changed("notes", ["a"]),
    "notes too short": changed("notes", [["key", "what", 1]]),
    "another field": changed("surprise", 1),
    "sides too few": changed("texts", 0, "sides", lambda sides: sides[:-1]),
    "sides of other names": changed("texts", 0, "sides", 0, "name", "kez"),
    "a side without source": changed("texts", 0, "sides", 0, "source", 99),
    "a side with a negative source": changed("texts", 0, "sides", 0, "source", -1),
    "words without lengths": changed("texts", 0, "length", None),
    "words without source": changed("texts", 0, "words", None),
    "offsets that are none": lambda forged: forged.text.update(documents=forged.text["sentences"]),
    "pieces that are documents": changed("continued", True),
    "a source without files": changed("sources", 0, "parts", []),
    "a source without anything": changed("sources", 0, "data", None),
    "files out of order": changed("sources", 0, "parts", lambda parts: parts[::-1]),
    "a file before the beginning": changed("sources", 0, "parts", 0, "begin", -1),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_hostile_manifest_is_refused(name: str, forged: Forged) -> None:
    before = json.dumps(forged.manifest)
    CHANGES[name](forged)
    assert json.dumps(forged.manifest) != before
    forged.write()
    refused(forged.folder, "damaged")


ARRAYS: dict[str, tuple[Callable[[Forged], str], Callable[[Any], Any]]] = {
    "a key code beyond the names": (lambda forged: forged.sites["key"], lambda codes: codes + np.uint8(200)),
    "a value code beyond the names": (lambda forged: forged.sites["values"][3], lambda codes: codes + np.uint8(200)),
    "signed codes": (lambda forged: forged.sites["key"], lambda codes: codes.astype(np.int8)),
    "a short column": (lambda forged: forged.sites["values"][0], lambda codes: codes[:-1]),
    "a negative sentence": (lambda forged: forged.sites["sentence"], lambda rows: rows - np.int32(1)),
    "a sentence too far": (lambda forged: forged.sites["sentence"], lambda rows: rows + np.int32(1)),
    "sentences out of order": (lambda forged: forged.sites["sentence"], lambda rows: rows[::-1].copy()),
    "a negative place": (lambda forged: forged.sites["place"], lambda rows: rows - np.int32(1)),
    "a place behind its document": (lambda forged: forged.sites["place"], lambda rows: rows + np.int32(1)),
    "a label beyond the names": (lambda forged: forged.items["label"], lambda codes: codes + np.uint8(200)),
    "claims that are texts": (lambda forged: forged.items["claimed"][0], lambda claimed: claimed.astype(str)),
    "claims below zero": (lambda forged: forged.items["claimed"][0], lambda claimed: claimed.astype(np.int64) - 1),
    "claims without end": (lambda forged: forged.items["claimed"][0], lambda claimed: claimed * np.inf),
    "credit above one": (lambda forged: forged.items["credit"][0], lambda credit: credit + 1),
    "credit below zero": (lambda forged: forged.items["credit"][0], lambda credit: credit - 1),
    "credit that is no number": (lambda forged: forged.items["credit"][0], lambda credit: credit * np.nan),
    "statistics of too few units": (
        lambda forged: forged.manifest["views"][1]["statistics"]["streak"],
        lambda table: table[:-1],
    ),
    "statistics of too few runs": (
        lambda forged: forged.manifest["views"][1]["statistics"]["streak"],
        lambda table: table[:, :-1],
    ),
    "statistics without end": (
        lambda forged: forged.manifest["views"][1]["statistics"]["streak"],
        lambda table: table * np.inf,
    ),
    "an attribute too short": (
        lambda forged: forged.sites["attributes"]["length"]["values"],
        lambda numbers: numbers[1:],
    ),
    "falling offsets": (lambda forged: forged.text["documents"], lambda offsets: offsets[::-1].copy()),
    "offsets from one on": (lambda forged: forged.text["documents"], lambda offsets: offsets + 1),
    "sentences that end elsewhere": (lambda forged: forged.text["sentences"], lambda offsets: offsets[:-1]),
    "words before the beginning": (lambda forged: forged.text["start"], lambda start: start - 1),
    "a row of a side that is not there": (lambda forged: forged.text["sides"][1]["to_side"], lambda rows: rows + 99),
    "a row of a side before the first": (lambda forged: forged.text["sides"][1]["to_side"], lambda rows: rows - 99),
    "rows too few": (lambda forged: forged.text["sides"][0]["offset"], lambda offset: offset[:-1]),
}


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("name", ARRAYS)
def test_columns_that_do_not_fit_together_are_refused(name: str, forged: Forged) -> None:
    file, change = ARRAYS[name]
    forged.put_array(file(forged), change(forged.array(file(forged))))
    refused(forged.folder, "the result folder is damaged")


@pytest.mark.parametrize("column", ["start", "offset"])
def test_rows_behind_the_end_of_their_text_are_refused_when_it_is_read(column: str, forged: Forged) -> None:
    name = forged.text["start"] if column == "start" else forged.text["sides"][1]["offset"]
    forged.put_array(name, forged.array(name) + 10_000)
    opened = cp.open(forged.folder)
    with pytest.raises(ReadError, match="beyond the end of their file"):
        opened.examples("true")


def test_words_cut_inside_a_character_are_no_traceback(tmp_path: Path) -> None:
    data = [[("naïve", "ADJ"), ("é", "X")]] * 2
    cp.compare(data, {"a": data, "b": data}, task="tag", resamples=0).save(tmp_path / "result")
    forged = Forged(tmp_path / "result")
    forged.put_array(forged.text["start"], np.full(4, 3))  # the second byte of ï
    assert cp.open(tmp_path / "result").examples("true").count == 4


def test_a_source_of_nothing_never_waits_for_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    forged = Forged(folder)
    forged.manifest["sources"][0]["parts"][0]["path"] = None
    forged.write()
    refused(folder, "a source has neither file nor bytes")


def test_another_file_in_place_of_the_text_is_not_shown(folder: Path) -> None:
    forged = Forged(folder)
    forged.manifest["sources"][0]["parts"][0]["path"] = "/etc/passwd"
    forged.write()
    with pytest.raises(ReadError, match="changed since"):
        cp.open(folder).examples("true")


@pytest.mark.parametrize("most", [30, pytest.param(90, marks=pytest.mark.slow)])
def test_every_value_of_the_manifest_may_be_of_another_type(most: int, forged: Forged) -> None:
    """Put wrong values everywhere: the folder is refused, or still gives all its numbers."""
    places: list[tuple[Any, Any]] = []

    def walk(data: Any) -> None:
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            places.append((data, key))
            if isinstance(value, dict | list):
                walk(value)

    walk(forged.manifest)
    good = printed(cp.open(forged.folder))
    survived = 0
    wrongs: tuple[Any, ...] = (None, -1, "x", [], {}, 1e300)
    for place, key in places[:: max(1, len(places) // most)]:
        right = place[key]
        for wrong in wrongs:
            place[key] = wrong
            forged.write()
            try:
                opened = cp.open(forged.folder)
            except ReadError:
                continue
            with suppress(ReadError):  # a source that cannot be read
                survived += printed(opened).keys() == good.keys()
        place[key] = right
    assert survived < most * 10 / 3


def test_a_verdict_changes_no_number_by_a_round_trip(tmp_path: Path) -> None:
    """Columns come back with their types, so that sums are made in the same order and precision."""
    verdicts = verdicts_of()
    Result(verdicts).save(tmp_path / "result")
    opened: Verdicts = cp.open(tmp_path / "result").verdicts
    for name, view in verdicts.views.items():
        mine, theirs = opened.view(name).all_sites, view.all_sites
        for column in ("document", "sentence", "place", "key"):
            assert getattr(mine, column).dtype == getattr(theirs, column).dtype
            assert np.array_equal(getattr(mine, column), getattr(theirs, column))
        assert (mine.names, mine.parts) == (theirs.names, theirs.parts)
        assert {key: each.type for key, each in mine.attributes.items()} == {
            key: each.type for key, each in theirs.attributes.items()
        }


def test_a_copied_folder_opens_elsewhere(folder: Path, result: Result, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "mail" / "from a colleague")
    assert printed(cp.open(tmp_path / "mail" / "from a colleague"), (), WHERE) == printed(result, (), WHERE)

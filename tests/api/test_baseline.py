"""Baseline files: they hold what was blessed, and refuse to let anything else be compared."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import comparanda as cp
from comparanda import ReadError, UsageError
from comparanda.api.baseline import BaselineError, FileEntry, baseline_of, read_baseline, refuse_changed
from comparanda.demo import copy_demo
from comparanda.result import Result

KEY, BASE, NEW = "demo/key.conllu", "demo/spacy.conllu", "demo/hanta.conllu"
ENTITIES = tuple(f"demo/entities/{name}.bio" for name in ("key", "spacy", "spacy2"))


@pytest.fixture(autouse=True)
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    copy_demo("demo")


def compared(key: Any = KEY, base: Any = BASE, *, task: str = "pos", **settings: Any) -> Result:
    return cp.compare(key, {"base": base}, task=task, **{"resamples": 0, **settings})


def bless(*arguments: Any, **settings: Any) -> str:
    Path("gate.json").write_text(baseline_of(compared(*arguments, **settings), "base").to_json(), encoding="utf-8")
    return "gate.json"


def sha256(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def check(*arguments: Any, **settings: Any) -> None:
    refuse_changed(read_baseline("gate.json"), baseline_of(compared(*arguments, **settings), "base"))


def test_a_baseline_holds_digests_settings_and_scores_with_their_counts() -> None:
    loose = json.loads(Path(bless()).read_text(encoding="utf-8"))
    assert loose["key"]["files"] == [{"name": "key.conllu", "sha256": sha256(KEY)}]
    assert loose["base"]["runs"] == [[{"name": "spacy.conllu", "sha256": sha256(BASE)}]]
    assert (loose["task"], loose["view"], loose["unit"], loose["documents"]) == ("tag", "upos", "document", 30)
    assert loose["settings"] == {"column": "upos", "missing": "error"}
    assert (loose["version"], loose["baseline_version"]) == (cp.__version__, 1)
    assert loose["key"]["labels"]["NOUN"] == 485
    scores = {each["measure"]: each for each in loose["base"]["scores"]}
    found = compared().scores("accuracy", "f1[NOUN]")
    assert scores["accuracy"]["value"] == found.value("base")
    assert (scores["accuracy"]["part"], scores["accuracy"]["whole"]) == (3415, 3528)
    assert scores["f1[NOUN]"]["value"] == found.value("base", "f1[NOUN]")
    assert scores["precision[X]"] | {"by_run": None} == {
        "measure": "precision[X]",
        "value": None,
        "part": 0,
        "whole": 0,
        "reason": "nothing claimed",
        "by_run": None,
    }
    assert str(Path.cwd()) not in Path("gate.json").read_text(encoding="utf-8")


def test_equal_input_gives_equal_bytes_and_what_is_written_reads_back() -> None:
    result = compared()
    made = baseline_of(result, "base")
    assert made.to_json() == baseline_of(result, "base").to_json()
    assert read_baseline(bless()) == made


def test_what_was_blessed_is_let_through_wherever_it_lies_and_however_it_is_drawn() -> None:
    bless()
    check(resamples=50, seed=7)
    Path("elsewhere").mkdir()
    for name in (KEY, BASE):
        Path(name).rename(f"elsewhere/{Path(name).name}.txt")
    check("elsewhere/key.conllu.txt::conllu", "elsewhere/spacy.conllu.txt::conllu")


@pytest.mark.parametrize("task", ["span", "label", "dep"])
def test_every_task_can_be_blessed(task: str) -> None:
    if task == "dep":
        rows = "1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\treads\tread\tVERB\t_\t_\t0\troot\t_\t_\n\n"
        files = [Path(f"{name}.conllu") for name in ("key", "base")]
        for file in files:
            file.write_text(rows, encoding="utf-8")
    elif task == "label":
        files = [Path(f"{name}.csv") for name in ("key", "base")]
        for file in files:
            file.write_text("id,label\n1,a\n2,b\n", encoding="utf-8")
    else:
        files = [Path(name) for name in ENTITIES[:2]]
    bless(*files, task=task)
    check(*files, task=task)
    assert read_baseline("gate.json").key.labels


def test_all_files_of_a_folder_and_of_all_runs_are_digested() -> None:
    for side in ("key", "base"):
        Path(side).mkdir()
        text = Path(KEY).read_text(encoding="utf-8")
        cut = text.index("# newdoc", 100)
        Path(side, "a.conllu").write_text(text[:cut], encoding="utf-8")
        Path(side, "b.conllu.gz").write_bytes(gzip.compress(text[cut:].encode(), mtime=0))
    made = baseline_of(compared("key", cp.Runs("base", BASE)), "base")
    assert made.base is not None
    assert [each.name for each in made.key.files] == ["a.conllu", "b.conllu.gz"]
    assert [each.sha256 for each in made.base.runs[0]] == [sha256("base/a.conllu"), sha256("base/b.conllu.gz")]
    assert [each.sha256 for each in made.base.runs[1]] == [sha256(BASE)]


def append(path: str, text: str = "\n") -> Callable[[], None]:
    def change() -> None:
        Path(path).write_text(Path(path).read_text(encoding="utf-8") + text, encoding="utf-8")

    return change


@pytest.mark.parametrize(
    ("change", "settings", "told"),
    [
        (append(KEY), {}, "key: key.conllu has changed: sha256 "),
        (append(BASE), {}, "base: spacy.conllu has changed: sha256 "),
        (None, {"base": NEW}, "(spacy.conllu) before, "),
        (None, {"base": cp.Runs(BASE, NEW)}, "base: 1 runs before, 2 now"),
        (None, {"column": "xpos"}, "setting column: upos before, xpos now"),
        (None, {"where": 'label == "NOUN"'}, 'setting where: not set before, label == "NOUN" now'),
        (None, {"only_label": ["NOUN"]}, "setting only: not set before, NOUN now"),
        (None, {"fold_case": True}, "setting case: not set before, folded now"),
        (None, {"missing": "empty"}, "setting missing: error before, empty now"),
        (None, {"zero_division": 0.0}, "zero division: not set before, 0.0 now"),
        (None, {"maps": {"base": {"X": "NOUN"}}}, "setting map[base]: not set before, 1 now"),
        (None, {"maps": {"all": {"X": "NOUN"}}}, "setting map[all]: not set before, 1 now"),
    ],
)
def test_unlike_things_are_not_compared(change: Callable[[], None] | None, settings: dict[str, Any], told: str) -> None:
    bless()
    if change is not None:
        change()
    with pytest.raises(BaselineError) as caught:
        check(**settings)
    assert told in str(caught.value)
    assert "the inputs have changed since" in str(caught.value)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    ("then", "now", "told"),
    [
        ("aab", "aba", 0),
        ("aab", "abb", 1),
        ("abc", "def", 3),
        ("abcdefg", "hijklmn", 6),
        ("ab", "abb", 1),
        ("a", "a", 0),
    ],
)
def test_each_file_has_at_most_one_counterpart(then: str, now: str, told: int) -> None:
    made = read_baseline(bless())

    def of(files: str) -> Any:
        entries = [FileEntry(name, sha256(KEY)[:-1] + f"{ord(name) % 16:x}") for name in files]
        return msgspec.structs.replace(made, key=msgspec.structs.replace(made.key, files=entries))

    if not told:
        refuse_changed(of(then), of(now))
        return
    with pytest.raises(BaselineError) as caught:
        refuse_changed(of(then), of(now))
    assert len(caught.value.details) == told


def test_a_map_of_another_system_does_not_matter() -> None:
    bless()
    result = cp.compare(KEY, {"new": NEW, "base": BASE}, task="pos", maps={"new": {"X": "NOUN"}}, resamples=0)
    refuse_changed(read_baseline("gate.json"), baseline_of(result, "base"))
    refuse_changed(read_baseline("gate.json"), baseline_of(result, None))


def test_another_column_of_the_same_file_is_seen_by_settings_or_scores() -> None:
    rows = "".join(f"w{number}\tA\t{'AB'[number % 2]}\n" for number in range(9))
    for name in ("key", "base"):
        Path(f"{name}.txt").write_text(rows, encoding="utf-8")
    bless("key.txt::columns?column=2", "base.txt::columns?column=2", task="tag", column="tag")
    check("key.txt::columns?column=2", "base.txt::columns?column=2", task="tag", column="tag")
    with pytest.raises(BaselineError, match="setting column: column 2 before, column 3 now"):
        check("key.txt::columns?column=3", "base.txt::columns?column=2", task="tag", column="tag")
    with pytest.raises(BaselineError, match=r"accuracy of the base: 1\.0 before, 0\.55"):
        check("key.txt::columns?column=2", "base.txt::columns?column=3", task="tag", column="tag")


def test_another_label_map_of_the_same_size_is_seen_by_the_labels_of_the_key() -> None:
    bless(maps={"key": {"X": "NOUN"}})
    check(maps={"key": {"X": "NOUN"}})
    other = compared(maps={"key": {"X": "VERB"}})
    with pytest.raises(
        BaselineError, match=r"NOUN in the key: 489 before, 485 now\n.*VERB in the key: 466 before, 470 now"
    ):
        refuse_changed(read_baseline("gate.json"), baseline_of(other, None))


def test_another_task_or_view_is_told() -> None:
    bless(*ENTITIES[:2], task="span", rules="semeval2013")
    result = compared(*ENTITIES[:2], task="span", rules="semeval2013")
    with pytest.raises(BaselineError, match="view: strict before, partial now"):
        refuse_changed(read_baseline("gate.json"), baseline_of(result, "base", view="partial"))
    with pytest.raises(BaselineError, match="task: span before, tag now"):
        check()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the baseline is damaged"),
        ("{", "the baseline is damaged"),
        ("[]", "not a baseline file of comparanda"),
        ('{"kind": "comparanda result"}', "not a baseline file of comparanda"),
        ('{"kind": "comparanda baseline"}', "expected a baseline of version 1, got None"),
        ('{"kind": "comparanda baseline", "baseline_version": 1}', "the baseline is damaged: Object missing"),
        ("[" * 100_000, "the baseline is damaged"),
        ("\ud800", "the baseline is damaged"),
    ],
)
def test_a_damaged_file_is_refused(text: str, told: str) -> None:
    Path("bad.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ReadError) as caught:
        read_baseline("bad.json")
    assert str(caught.value).startswith("bad.json: ")
    assert told in str(caught.value)
    assert caught.value.exit_code == 3


def test_every_part_of_a_file_is_checked() -> None:
    loose = json.loads(Path(bless()).read_text(encoding="utf-8"))
    for name in loose:
        for bad in ({key: value for key, value in loose.items() if key != name}, {**loose, name: [["x"]]}):
            Path("bad.json").write_text(json.dumps(bad), encoding="utf-8")
            with pytest.raises(ReadError):
                read_baseline("bad.json")
    for change in ({"base": None}, {"more": 1}, {"documents": -1}):
        Path("bad.json").write_text(json.dumps({**loose, **change}), encoding="utf-8")
        with pytest.raises(ReadError, match="the baseline is damaged"):
            read_baseline("bad.json")


def test_a_newer_version_is_refused_with_the_program_that_wrote_it() -> None:
    loose = json.loads(Path(bless()).read_text(encoding="utf-8"))
    Path("new.json").write_text(json.dumps({**loose, "baseline_version": 2, "version": "9.1"}), encoding="utf-8")
    with pytest.raises(ReadError, match=r"expected a baseline of version 1, got 2\n  it was written by comparanda 9.1"):
        read_baseline("new.json")


def test_a_file_that_is_not_there_is_told_with_how_to_write_one() -> None:
    for path in ("none.json", "demo"):
        with pytest.raises(ReadError, match="the baseline cannot be read"):
            read_baseline(path)


def test_what_is_not_read_from_files_cannot_be_blessed() -> None:
    result = cp.compare(list("AB"), {"base": list("AB")}, task="tag", resamples=0)
    with pytest.raises(UsageError, match="a baseline requires files, and 'base' is not read from a file"):
        baseline_of(result, "base")


def test_labels_beyond_counting_leave_scores_of_single_labels_out() -> None:
    Path("many.csv").write_text("id,label\n" + "".join(f"{row},{row}\n" for row in range(201)), encoding="utf-8")
    Path("same.csv").write_bytes(Path("many.csv").read_bytes())
    made = baseline_of(compared("many.csv", "same.csv", task="label"), "base")
    assert made.base is not None
    assert [each.measure for each in made.base.scores] == ["accuracy", "macro_f1"]


def test_a_result_folder_is_blessed_like_its_files() -> None:
    compared().save("folder")
    made = baseline_of(cp.open("folder"), "base")
    assert made == baseline_of(compared(), "base")
    append(BASE)()
    with pytest.raises(ReadError, match="has changed since the result was saved"):
        baseline_of(cp.open("folder"), "base")

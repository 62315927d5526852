"""A system as a set of runs: input, and what the pipeline, folders and parts make of the runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import comparanda as cp
from comparanda import Runs, UsageError
from comparanda.core.verdicts import System
from comparanda.formats.inputs import Input, parse_runs
from comparanda.pipeline import Setup, columns_of, evaluate_systems
from comparanda.storage.merge import merge
from tests.random_spans import SIDES, Files, assert_equal_verdicts, result_of, tagged

KEY = [["A", "B"], ["A"]]
FIRST, SECOND = [["A", "A"], ["A"]], [["A", "B"], ["B"]]


# The type


def test_it_holds_what_was_given() -> None:
    runs = Runs("a.txt", FIRST)
    assert (len(runs), runs.outputs) == (2, ("a.txt", FIRST))
    assert repr(runs) == "Runs('a.txt', [['A', 'A'], ['A']])"


@pytest.mark.parametrize(
    ("outputs", "problem"),
    [
        ((), "a system without runs has nothing to compare"),
        ((Runs("a.txt"), "b.txt"), "a run cannot be a set of runs itself"),
        (("a.txt", "b.txt", "a.txt"), "the same run is given twice: 'a.txt'"),
        ((Path("a.txt"), "a.txt"), "the same run is given twice: 'a.txt'"),
        ((FIRST, SECOND, FIRST), "the same run is given twice: one object"),
    ],
)
def test_it_cannot_be_wrong(outputs: tuple[object, ...], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        Runs(*outputs)


def test_one_file_by_two_names_is_the_same_run(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "b.txt").symlink_to(tmp_path / "a.txt")
    with pytest.raises(UsageError, match="the same run is given twice"):
        Runs(tmp_path / "a.txt", tmp_path / "b.txt")


def test_two_columns_of_one_file_are_two_runs() -> None:
    assert len(Runs("a.txt?column=2", "a.txt?column=3")) == 2


def test_equal_data_are_two_runs() -> None:
    assert len(Runs([["A"]], [["A"]])) == 2


# The notation


def parts(written: str) -> list[str]:
    found = parse_runs(written)
    return [each.path for each in found.outputs] if isinstance(found, Runs) else [found.path]


@pytest.mark.parametrize(
    ("written", "paths"),
    [
        ("gpt=a.jsonl,b.jsonl,c.jsonl", ["a.jsonl", "b.jsonl", "c.jsonl"]),
        ("gpt=a.jsonl::jsonl,b.jsonl::jsonl", ["a.jsonl", "b.jsonl"]),
        ("gpt=a.jsonl, b.jsonl", ["a.jsonl", "b.jsonl"]),
        ("gpt=runs/1/,runs/2/*.jsonl,-", ["runs/1/", "runs/2/*.jsonl", "-"]),
        ("gpt=a.txt?columns=word,ner", ["a.txt"]),
        ("gpt=a.txt::columns?columns=word,ner,b.txt::columns?columns=word,ner", ["a.txt", "b.txt"]),
        ("gpt=a.txt?column=2&scheme=bio,b.txt?column=2&scheme=bio", ["a.txt", "b.txt"]),
        ("gpt=a.csv::csv?separator=,", ["a.csv"]),
        ("a.txt?columns=word,ner", ["a.txt"]),
        ("gpt=a.jsonl", ["a.jsonl"]),
    ],
)
def test_commas_separate_runs_and_not_the_values_of_options(
    written: str, paths: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert parts(written) == paths


def test_each_run_has_its_own_format_and_options() -> None:
    found = parse_runs("gpt=a.txt::columns?columns=word,ner,b.jsonl::jsonl,c.txt?column=2")
    assert isinstance(found, Runs)
    assert found.outputs == (
        Input(path="a.txt", name="gpt", format="columns", options={"columns": "word,ner"}),
        Input(path="b.jsonl", name="gpt", format="jsonl"),
        Input(path="c.txt", name="gpt", format=None, options={"column": "2"}),
    )


def test_a_file_with_a_comma_in_its_name_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a,b.txt", "a", "b.txt"):
        Path(name).write_text("x")
    assert parts("gpt=a,b.txt") == parts("gpt=a,b.txt::columns") == parts("a,b.txt") == ["a,b.txt"]
    assert parts("gpt=a,?.txt") == ["a,?.txt"]  # a pattern that finds something
    assert parts("gpt=a,c.txt") == ["a", "c.txt"]


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("gpt=a.txt,,b.txt", "a run of 'gpt=a.txt,,b.txt' is empty"),
        ("gpt=a.txt,", "is empty"),
        ("gpt=,a.txt", "is empty"),
        ("gpt=a.txt,b=b.txt", "the run 'b=b.txt' has its own name"),
        ("gpt=a.txt,a.txt", "the same run is given twice"),
        ("a.txt,b.txt", "several runs require a name"),
    ],
)
def test_what_cannot_be_meant(written: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        parse_runs(written)


# The pipeline


def test_every_run_is_a_column() -> None:
    result = cp.compare(KEY, {"gpt": Runs(FIRST, SECOND), "crf": KEY}, task="tag", resamples=0)
    assert result.systems == ("gpt", "crf")
    assert result.verdicts.runs == ("gpt#1", "gpt#2", "crf")
    assert result.verdicts.systems == (System("gpt", (0, 1)), System("crf", (2,)))
    assert result.scores().scores[0].by_run == (2 / 3, 2 / 3)


def test_one_run_is_the_ordinary_case() -> None:
    as_runs = cp.compare(KEY, {"gpt": Runs(FIRST)}, task="tag", resamples=0)
    assert as_runs.verdicts.runs == ("gpt",)
    assert as_runs.anatomy() == cp.compare(KEY, {"gpt": FIRST}, task="tag", resamples=0).anatomy()


def test_a_run_and_a_system_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match="a system and a run of another are both named 'gpt#2'"):
        columns_of({"gpt": Runs(FIRST, SECOND), "gpt#2": KEY})


def test_a_label_map_of_a_system_holds_for_all_its_runs() -> None:
    result = cp.compare(
        KEY,
        {"gpt": Runs([["a", "b"], ["a"]], [["a", "B"], ["A"]]), "crf": KEY},
        task="tag",
        maps={"gpt": {"a": "A", "b": "B"}},
    )
    assert result.scores().value("gpt") == 1.0
    assert {note.side for note in result.notes if "read as" in note.what} == {"gpt#1", "gpt#2"}


def test_notes_name_the_run() -> None:
    key = [("d1", "A"), ("d2", "B")]
    result = cp.compare(key, {"gpt": Runs(key[:1], list(key))}, task="label", missing="empty", resamples=0)
    assert [str(note) for note in result.notes if "missing" in note.what] == [
        "gpt#1: ids of the key missing here: 1 (d2)"
    ]
    assert result.scores().scores[0].by_run == (0.5, 1.0)


def test_a_condition_speaks_of_runs_and_of_systems() -> None:
    result = cp.compare(KEY, {"gpt": Runs(FIRST, SECOND)}, task="tag", resamples=0)
    assert result.count('right("gpt#1")') == 2
    assert result.count('flips("gpt")') == 2
    assert result.count('right_in("gpt") == 1') == 2
    with pytest.raises(UsageError, match="unknown run 'gpt'"):
        result.count('right("gpt")')
    with pytest.raises(UsageError, match="unknown system 'gpt#1'"):
        result.count('flips("gpt#1")')


def test_a_site_counts_once_for_each_run_that_has_it_right() -> None:
    result = cp.compare(KEY, {"gpt": Runs(FIRST, SECOND), "one": SECOND}, task="tag", resamples=0)
    runs, words = [result.count(f'right("gpt#{number}")') for number in (1, 2)], sum(map(len, KEY))
    assert result.count('right_by_run("gpt")') == sum(runs)
    assert result.count('not right_by_run("gpt")') == 2 * words - sum(runs)
    assert result.count('right_by_run("gpt") or not right_by_run("gpt")') == 2 * words
    assert result.count('right_by_run("one")') == result.count('right("one")') == runs[1]
    found = result.examples('right_by_run("gpt")', top=0)
    assert (found.count, len(found.examples)) == (sum(runs), result.count('right_in("gpt") > 0'))


def test_runs_of_two_systems_are_taken_together_in_every_way() -> None:
    result = cp.compare(KEY, {"gpt": Runs(FIRST, SECOND), "t5": Runs(SECOND, FIRST)}, task="tag", resamples=0)
    both = [result.count(f'right("gpt#{mine}") and right("t5#{theirs}")') for mine in (1, 2) for theirs in (1, 2)]
    assert result.count('right_by_run("gpt") and right_by_run("t5")') == sum(both)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ('right_by_run("gpt#1")', "unknown system 'gpt#1'"),
        ("right_by_run(key)", "unknown function 'right_by_run'"),
        ('right_by_run("gpt") and correction', r"right_by_run\(\) cannot be combined with names that refer to a pair"),
    ],
)
def test_what_cannot_be_told_run_by_run_is_refused(where: str, said: str) -> None:
    result = cp.compare(KEY, {"gpt": Runs(FIRST, SECOND), "one": SECOND}, task="tag", resamples=0)
    with pytest.raises(UsageError, match=said):
        result.count(where, "gpt", "one")
    with pytest.raises(UsageError, match="unknown function 'right_by_run'"):
        result.where('right_by_run("gpt")')


def test_a_system_of_one_run_never_flips() -> None:
    result = cp.compare(KEY, {"gpt": FIRST}, task="tag", resamples=0)
    assert (result.count('flips("gpt")'), result.count('right_in("gpt") == 1')) == (0, 2)


def test_narrowing_keeps_the_sites_of_all() -> None:
    """At the sites of all systems, `flips` is asked there too; alone it is asked at the system's own sites."""

    def spans(*given: tuple[int, int]) -> list[dict[str, object]]:
        return [{"id": "d", "text": "abcdefgh", "spans": [{"begin": b, "end": e, "label": "X"} for b, e in given]}]

    systems = {"a": Runs(spans((0, 1), (4, 5)), spans((0, 1))), "b": spans((0, 8))}
    result = cp.compare(spans((0, 1), (4, 5)), systems, task="span", resamples=0)
    assert len(result.verdicts.view().sites) == 1  # one long span swallows the document
    assert result.count('flips("a")') == 1
    assert result.count('not flips("a")') == 1
    narrowed = result.where('flips("a")')
    assert len(narrowed.verdicts.view().sites) == 1
    with pytest.raises(UsageError, match="no sites match"):
        result.where('not flips("a")')
    (example,) = result.examples('flips("a")').examples
    assert [answer.run for answer in example.answers] == ["a#1", "a#2"]


# Folders and parts


def grouped(files: Files, part: slice = slice(None)) -> cp.Result:
    """Judge the random corpora with two of the systems as runs of one."""
    key, first, second, third = (files._given(side, part) for side in SIDES)
    return result_of(evaluate_systems(key, {"gpt": Runs(first, second), "crf": third}, files.setup))


@pytest.fixture
def files(tmp_path: Path) -> Files:
    found = tagged(tmp_path, 3, Setup(task="span"), size=6, marked=True)
    assert isinstance(found, Files)
    return found


def test_a_folder_gives_runs_back(files: Files, tmp_path: Path) -> None:
    result = grouped(files)
    result.save(tmp_path / "saved")
    again = cp.open(tmp_path / "saved")
    assert again.verdicts.systems == (System("gpt", (0, 1)), System("crf", (2,)))
    assert again.stability() == result.stability()
    where = 'flips("gpt")'
    assert again.examples(where, top=0) == result.examples(where, top=0)
    assert result.examples(where, top=0).count > 0


def test_merged_parts_are_the_uncut_corpus(files: Files) -> None:
    parts = [grouped(files, part).verdicts for part in (slice(0, 2), slice(2, 6))]
    whole = grouped(files)
    merged = merge(parts)
    assert_equal_verdicts(merged, whole.verdicts)
    assert replace(whole, verdicts=merged).stability() == whole.stability()


def test_parts_with_other_runs_are_refused(files: Files) -> None:
    key, first, second, third = (files._given(side, slice(2, 6)) for side in SIDES)
    other = evaluate_systems(key, {"gpt": first, "crf": Runs(second, third)}, files.setup)
    with pytest.raises(UsageError):
        merge([grouped(files, slice(0, 2)).verdicts, other])

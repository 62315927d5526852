"""What a page begins with: scores, pairs, tests, and the small print."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import comparanda as cp
from comparanda import Result
from comparanda.core.places import Note
from comparanda.demo import demo_files
from comparanda.report import Choices
from comparanda.report.lists import Lists
from comparanda.report.page_data import ChartPart, TablePart, TextPart, View
from comparanda.report.views import build_overview, how_made, list_notes, notes_of
from tests.findings.small_chains import random_files
from tests.report.pages import column, names, table
from tests.toy_task import ONE_AND_TWO, Policy, toy_measures, verdicts_of

__all__ = ["toy_measures"]


def of(result: Result, **choices: object) -> View:
    """Return the view of a result."""
    return build_overview(result, Choices(**choices), Lists(result))  # type: ignore[arg-type]


def taggers(*wrong: str, resamples: int = 20) -> Result:
    key = list("abcab" * 8)
    given = {f"s{place}": [tag if tag not in letters else "x" for tag in key] for place, letters in enumerate(wrong)}
    return cp.compare(key, given, task="tag", resamples=resamples)


def test_several_systems_are_ranked_and_tested() -> None:
    result = taggers("ab", "a", "")
    parts = of(result).parts
    assert names(parts)[1:] == ["leaderboard", "scores", "pairs", "significance", "how", "notes"]
    assert isinstance(parts[0], ChartPart)
    board = table(parts, "leaderboard")
    assert column(board, "system") == ["s2", "s1", "s0"]
    assert column(board, "rank") == ["1", "2", "3"]
    assert column(board, "only right") == ["16", "0", "0"]
    assert column(table(parts, "scores"), "right") == ["8", "24", "40"]
    assert len(table(parts, "significance").rows) == 3


def test_of_one_system_there_are_its_scores() -> None:
    parts = of(taggers("a")).parts
    assert names(parts)[1:] == ["scores", "how", "notes"]
    assert column(table(parts, "scores"), "right") == ["24"]


def test_several_runs_have_their_stability() -> None:
    parts = of(Result(verdicts_of(ONE_AND_TWO), 20)).parts
    assert {"stability", "excess", "flips"} <= {*names(parts)}


def test_chains_are_compared_as_chains(tmp_path: Path) -> None:
    files = random_files(tmp_path, 3, ("first", "second"))
    parts = of(cp.compare(files.pop("key"), files, task="coref", missing="empty", resamples=0)).parts
    assert "pairs" not in names(parts)
    assert {"pairs-any", "responses"} <= {*names(parts)}


def test_rules_say_how_often_they_gave_each_verdict() -> None:
    key, systems = demo_files("span")
    result = cp.compare(key, systems, task="span", rules="semeval2013", resamples=0)
    outcomes = table(of(result).parts, "outcomes")
    assert sum(int(text) for text in column(outcomes, "COR")) > 100


def facts(part: TextPart) -> dict[str, str]:
    return dict(part.facts)


def test_it_says_what_was_compared_and_how(tmp_path: Path) -> None:
    key, systems = demo_files("pos")
    given = {"two": cp.Runs(systems["brill"], systems["spacy"]), "one": systems["spacy"]}
    result = cp.compare(key, given, task="pos", resamples=20, ignore_label=["PUNCT"])
    said = facts(how_made(result, Choices()))
    assert (said["task"], said["column"]) == ("tag", "upos")
    assert said["key"] == key
    assert said["system two"] == f"{systems['brill']}; {systems['spacy']}"
    assert said["system one"] == systems["spacy"]
    assert said["documents"] == f"{len(result.verdicts.documents)}"
    assert said["sites"] == f"{len(result.verdicts.view().sites):,}"
    (left_out,) = [value for name, value in said.items() if name.startswith("left out, ")]
    assert int(left_out) > 100
    assert said["unit of resampling"] == "30 documents"
    assert said["resamples"] == "20"
    assert said["seed"] == "13"
    assert said["measures"].startswith("accuracy")
    assert said["comparanda"] == cp.__version__
    assert "bootstrap intervals" in said["beware"]
    assert facts(how_made(replace(result, resamples=0), Choices()))["resamples"].startswith("none")


def test_it_names_the_view_of_several_and_the_value_put_for_undefined_ratios() -> None:
    result = Result(verdicts_of(), 0, zero_division=1.0)
    said = facts(how_made(result, Choices(view="partial")))
    assert said["view"] == "partial, one of strict, partial"
    assert said["undefined ratios"] == "1"


def test_many_files_of_a_side_are_counted(tmp_path: Path) -> None:
    for name in "abcdefg":
        (tmp_path / f"{name}.txt").write_text(f"{name}\tO\n\n")
    result = cp.compare(str(tmp_path / "*.txt"), {"same": str(tmp_path / "*.txt")}, task="span", resamples=0)
    named = facts(how_made(result, Choices()))["key"]
    assert named.endswith("c.txt and 4 more files")


def test_files_of_a_folder_that_are_gone_are_said_to_be(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.bio", tmp_path / "system.bio"
    gold.write_text("Ann\tB-PER\n\n")
    system.write_text("Ann\tO\n\n")
    cp.compare(gold, {"system": system}, task="span", resamples=0).save(tmp_path / "folder")
    system.unlink()
    said = facts(how_made(cp.open(tmp_path / "folder"), Choices()))
    assert said["key"].endswith("gold.bio")
    assert "the file no longer exists" in said["system system"]


def test_all_notes_are_there_under_their_sides() -> None:
    result = Result(verdicts_of(policy=Policy(unit="sentence")), 0)
    notes = (Note("key", "odd lines", 2, ("k:1", "k:2")), Note("rough", "quoted\x1b", 5, ("'Zug'",)))
    result = replace(result, verdicts=replace(result.verdicts, notes=notes))
    assert list_notes(result, Choices()).facts == (
        ("key", "odd lines: 2 (k:1, k:2)"),
        ("rough", "quoted\\x1b: 5 ('Zug', …)"),
    )
    assert list_notes(result, Choices(text=False)).facts == (("key", "odd lines: 2"), ("rough", "quoted\\x1b: 5"))
    assert [note.first for note in notes_of(result, Choices(text=False))] == [(), ()]


def test_nothing_to_note_is_said_too() -> None:
    verdicts = replace(verdicts_of(), notes=())
    assert list_notes(Result(verdicts), Choices()).lines == ("Nothing unusual was found in the inputs.",)


def test_every_table_is_whole() -> None:
    result = taggers(*(letters for letters in ("", "a", "b", "c", "ab", "ac", "bc", "abc", "x", "y", "z")), resamples=0)
    found = table(of(result).parts, "pairs")
    assert isinstance(found, TablePart)
    assert len(found.rows) == 55
    assert not any("more pairs" in note for note in found.notes)


@pytest.mark.parametrize("name", ["a\x1b[31m", "a\u202eb", "</script>"])
def test_hostile_names_are_shown_visibly(name: str) -> None:
    result = cp.compare(["a", "b"], {name: ["a", "a"], "other": ["b", "b"]}, task="tag", resamples=0)
    parts = of(result).parts
    assert name.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e") in column(table(parts, "scores"), "system")
    assert "\x1b" not in str(parts)
    assert "\u202e" not in str(parts)

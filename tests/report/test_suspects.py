"""The view of suspects: what a reviewer is to decide on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import comparanda as cp
from comparanda import Result
from comparanda.demo import demo_files
from comparanda.report import views
from comparanda.report.builder import Choices
from comparanda.report.page_data import SuspectsPart, TableCell, TablePart, View
from comparanda.report.views import suspects_view, without_words
from tests.findings.every_task import TASKS
from tests.report.test_labels import Numbered, demo


def view_of(result: Result, choices: Choices | None = None) -> tuple[View, SuspectsPart, Numbered]:
    lists = Numbered(result)
    view = suspects_view(result, choices or Choices(), lists)
    assert view is not None
    part = view.parts[-1]
    assert isinstance(part, SuspectsPart)
    return view, part, lists


@pytest.mark.parametrize("task", ["pos", "span", "coref"])
def test_it_has_the_columns_of_the_command(task: str) -> None:
    result = demo(task)
    _, part, _ = view_of(result)
    rows = result.suspects().main_table().dicts()
    assert len(part.suspects) == len(rows) > 0
    for mine, theirs in zip(part.suspects, rows, strict=True):
        for name in ("rank", "document", "begin", "end", "word", "key", "proposed", "agree", "of", "kind"):
            assert getattr(mine, name) == theirs[name]
        assert theirs["place"].endswith(f"/{mine.place}")
        assert theirs["text"] == " ".join(each for each in (mine.before, f"[{mine.word}]", mine.after) if each)


@pytest.mark.parametrize("task", TASKS)
def test_every_suspect_leads_to_its_site(task: Callable[[int, Path], Result], tmp_path: Path) -> None:
    result = task(4, tmp_path)
    _, part, lists = view_of(result)
    suspects = result.suspects().suspects
    assert part.suspects
    for row, suspect in zip(part.suspects, suspects, strict=True):
        link = lists.links[row.list]
        found = result.examples(link.where, view=link.view, top=0)
        assert found.count >= 1
        assert {each.key for each in found.examples} == {suspect.key}
        assert {each.document for each in found.examples} == {suspect.document}


def test_reasons_lead_to_what_they_count() -> None:
    result = demo("span")
    view, _, lists = view_of(result)
    reasons = view.parts[0]
    assert isinstance(reasons, TablePart)
    cells = [row[1] for row in reasons.rows]
    for cell in cells:
        assert isinstance(cell, TableCell)
        assert cell.list is not None
        assert result.count(lists.links[cell.list].where) == int(cell.text)
    found = result.suspects()
    assert [cell.text for cell in cells if isinstance(cell, TableCell)] == [
        str(found.agreed.count),
        str(found.unfound.count),
    ]


def test_too_many_are_cut_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "MOST_SUSPECTS", 10)
    result = demo("pos")
    _, part, _ = view_of(result)
    assert [each.rank for each in part.suspects] == list(range(1, 11))
    assert part.title == "24 suspect sites of 3,528"
    assert "14 more suspects: comparanda suspects --top 0" in part.notes


def test_without_text_no_word_is_there() -> None:
    result = demo("span")
    _, part, lists = view_of(result, Choices(text=False))
    _, full, _ = view_of(result)
    written = msgspec.json.encode(part).decode() + "".join(link.where for link in lists.links)
    words = {word for each in full.suspects for word in (each.before, each.word, each.after) if len(word) > 4}
    assert len(words) > 50
    assert [word for word in words if word in written] == []
    assert [each.key for each in part.suspects] == [each.key for each in full.suspects]
    for row in part.suspects:
        assert result.count(lists.links[row.list].where) >= 1


@pytest.mark.parametrize(
    ("where", "left"),
    [
        (
            'document == "d" and word == "w" and key == "A" and solved_by == 0',
            'document == "d" and key == "A" and solved_by == 0',
        ),
        ('document == "word == 1" and id == "text"', 'document == "word == 1" and id == "text"'),
        ('text == "a \\"and\\" b"', "true"),
    ],
)
def test_words_are_taken_out_of_conditions(where: str, left: str) -> None:
    assert without_words(where) == left


def test_hostile_texts_are_shown_and_long_ones_cut() -> None:
    key = [[("a\x1bb\u202ec", "A"), ("x" * 5_000, "A"), ("end", "A")]]
    said = [[(word, "B" if word != "end" else "A") for word, _ in key[0]]]
    result = cp.compare(key, {"x": said, "y": said}, task="tag", resamples=0)
    _, part, _ = view_of(result)
    words = {each.word for each in part.suspects}
    assert r"a\x1bb\u202ec" in words
    assert any("4,600 more characters" in word for word in words)
    assert max(map(len, words)) < 500


def test_one_run_has_no_suspects() -> None:
    key, systems = demo_files("pos")
    result = cp.compare(key, {"spacy": systems["spacy"]}, task="pos", resamples=0)
    assert suspects_view(result, Choices(), Numbered(result)) is None


def test_no_suspect_at_all_is_a_view_too() -> None:
    result = cp.compare(["A", "B"], {"x": ["A", "A"], "y": ["A", "B"]}, task="tag", resamples=0)
    _, part, _ = view_of(result)
    assert (part.suspects, part.title) == ((), "0 suspect sites of 2")

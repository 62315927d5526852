"""Findings in a terminal, a pipe and a notebook."""

from __future__ import annotations

import io
import re

import pytest

from comparanda.findings.examples import Answer, Example, Examples
from comparanda.render.console import as_text, show
from comparanda.result import Result
from comparanda.tasks.spans.examples import LEGEND, ItemVerdict, Piece, RunVerdict, Span, SpanLine, Stretch
from tests.render.hostile import hostile_findings
from tests.toy_task import (
    Policy,
    of_one_view,
    registered,
    toy_measures,  # noqa: F401 - a fixture that works by being here
    verdicts_of,
)

RESULT = Result(verdicts_of(policy=Policy(ignore=("P",))), 20)
with registered():
    HOSTILE = hostile_findings()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_finding_prints_itself() -> None:
    finding = RESULT.scores(view="strict")
    assert str(finding) == as_text(finding)
    assert "rough" in str(finding)
    assert "\x1b" not in str(finding)


def test_what_is_piped_is_neither_coloured_nor_wrapped() -> None:
    stream = io.StringIO()
    show(RESULT.anatomy(view="partial"), stream)
    assert "\x1b" not in stream.getvalue()
    (header,) = [line for line in stream.getvalue().splitlines() if line.startswith("system") and "variety" in line]
    assert len(header) > 150


def test_a_terminal_gets_bold_and_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = Terminal()
    show(RESULT.examples("solved_by == 0", view="strict"), stream)
    assert "\x1b[1m" in stream.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    show(RESULT.examples("solved_by == 0", view="strict"), stream)
    assert "\x1b[31m" not in stream.getvalue()


def test_text_stays_text_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """In Jupyter rich would display what it prints, and `str` of a finding would be empty."""
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert "rough" in str(RESULT.scores(view="strict"))


def test_the_anatomy_says_what_was_left_out_and_how_it_was_made() -> None:
    lines = str(RESULT.anatomy(view="strict")).splitlines()
    assert lines[:2] == ["toy: 7 documents, 17 sites", "left out, P ignored: 3"]
    assert lines[-1] == RESULT.signature


def test_an_example_shows_the_sentence_and_every_answer() -> None:
    text = str(RESULT.examples('word == "cannot"', view="strict"))
    assert text.splitlines() == [
        "key/b.txt:2  b",
        "  I [cannot] see it",
        "    key      V.pres",
        "    rough#1  V.pres  right  rough#1/b.txt:2",
        "    rough#2  V.pres  right  rough#2/b.txt:2",
        "    fine#1   (absent)  wrong",
        "    fine#2   V.pres  right  fine#2/b.txt:2",
        "",
        '1 of 1 example shown where word == "cannot"',
    ]


def spans_in_a_sentence() -> Examples:
    """An example of an overlap site at which two of three systems are wrong in the same way."""
    anna = Span(label="PER", count=1, pieces=(Piece(2, 3, 0, 0),), right=True, here=True, loose=False)
    smith = Span(label="PER", count=1, pieces=(Piece(3, 3, 0, 0),), right=False, here=True, loose=False)
    sides = {"key": anna, "crf": smith, "bert": anna, "rules": smith}
    missed, wrong = ("FN", "false negative"), ("FP", "false positive")
    key = (RunVerdict("crf", *missed), RunVerdict("bert", "TP", "TP"), RunVerdict("rules", *missed))
    items = (
        ItemVerdict("PER", "Anna Smith", positive=True, verdicts=key),
        ItemVerdict("PER", "x" * 99, positive=False, verdicts=(RunVerdict("crf", *wrong), RunVerdict("rules", *wrong))),
    )
    stretch = Stretch(
        words=("Yesterday", "Anna", "Smith", "left", "."),
        glued=(5,),
        begin=2,
        end=3,
        words_before=0,
        words_after=0,
        sides=tuple(SpanLine(side, (span,)) for side, span in sides.items()),
        items=items,
        undrawn=1,
    )
    answers = tuple(
        Answer(side, "PER[0:2]" if side == "bert" else "PER[1:2]", right=side == "bert", place=f"{side}:2")
        for side in ("crf", "bert", "rules")
    )
    example = Example(
        document="d",
        place="key:2",
        before="Yesterday",
        word="Anna Smith",
        after="left.",
        key="PER[0:2]",
        answers=answers,
        words=(),
        trees=(),
        undrawn=0,
        stretch=stretch,
        chains=(),
    )
    return Examples(view="exact", where="true", base=None, new=None, of="sites", count=1, seed=13, examples=(example,))


def test_an_example_of_spans_is_drawn_with_its_verdicts() -> None:
    assert str(spans_in_a_sentence()).splitlines() == [
        "key:2  d",
        "           Yesterday [Anna Smith] left.",
        "    key               [PER─────]",
        "    crf                    [───]PER ✗",
        "    bert   = key",
        "    rules  = crf",
        "    key    PER[0:2]",
        "    crf    PER[1:2]  wrong  crf:2",
        "    bert   PER[0:2]  right  bert:2",
        "    rules  PER[1:2]  wrong  rules:2",
        '    PER "Anna Smith", in the key: crf, rules FN (false negative); bert TP',
        f'    PER "{"x" * 59}…", not in the key: crf, rules FP (false positive)',
        "    … 1 more span at this site",
        "",
        LEGEND,
        "1 of 1 example shown where true",
    ]


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_drawing_of_spans_fits_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    show(spans_in_a_sentence(), stream)
    lines = [re.sub("\x1b\\[[0-9;]*m", "", line) for line in stream.getvalue().splitlines()]
    assert all(len(line) <= width for line in lines)
    assert "".join(lines).count("[PER─────]") == 1


STEERING = ("\x9b", "\u202e", "\u200b", "\r", "\u2028", "\U000e0041", "\x1b[31mred", "new\nline")


@pytest.mark.parametrize("name", of_one_view(HOSTILE))
def test_hostile_text_cannot_steer_the_terminal(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    for stream in (io.StringIO(), Terminal()):
        show(HOSTILE[name], stream)
        assert not [steering for steering in STEERING if steering in stream.getvalue()]


def test_hostile_text_is_shown_as_it_stands() -> None:
    text = as_text(HOSTILE["nasty examples"])
    assert "\\x1b[31mred\\x1b[0m\\x9b31m" in text
    assert "[bold]rich[/bold] :smile:" in text
    assert "a\\u202egnp.exe" in text
    assert "𝒜stral 🎉" in text

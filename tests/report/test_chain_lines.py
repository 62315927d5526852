"""The mentions of a chain that stand in the words around one of them."""

from __future__ import annotations

from pathlib import Path

from comparanda import Result
from comparanda.report.cards import ChainLines
from comparanda.tasks.spans.examples import Piece, Span, Stretch
from tests.tasks.coref.test_examples import compared


def stretches(result: Result) -> dict[str, Stretch | None]:
    """Return the stretch at every site, by the words of the mention."""
    view = result.verdicts.view()
    assert view.chains is not None
    assert view.mention is not None
    lines = ChainLines(result.context(), view.chains, view.mention, range(len(result.verdicts.runs)))
    words = [example.word for example in result.examples(top=0).examples]
    return {word: lines.of(site) for site, word in enumerate(words)}


def test_mentions_are_called_by_their_number_in_the_chain(tmp_path: Path) -> None:
    key = ("Ann=(1) saw herself=(1)", "Bob=(2) met her=(1)")
    other = ("Ann=(1) saw herself=(2)", "Bob=(2) met her=(2)")
    her = stretches(compared(tmp_path, key, s=other))["her"]
    assert her is not None
    assert (her.words, her.begin, her.end) == (("Bob", "met", "her"), 3, 3)
    mine, theirs = her.sides
    assert mine.spans == (Span(label="3", count=1, pieces=(Piece(3, 3, 0, 0),), right=True, here=True, loose=False),)
    assert [(span.label, span.pieces[0].begin, span.right, span.here) for span in theirs.spans] == [
        ("2", 1, False, False),
        ("3", 3, True, True),
    ]


def test_a_side_without_the_mention_has_no_line(tmp_path: Path) -> None:
    key = ("Ann=(1) left", "She=(1) fell")
    found = stretches(compared(tmp_path, key, s=("Ann=(1) left", "She fell")))["She"]
    assert found is not None
    assert [len(side.spans) for side in found.sides] == [1, 0]


def test_a_mention_of_several_words_covers_them(tmp_path: Path) -> None:
    key = ("Ann=(1) left", "the=(1 girl=1) fell")
    found = stretches(compared(tmp_path, key, s=key))["the girl"]
    assert found is not None
    assert [span.pieces for span in found.sides[0].spans] == [(Piece(1, 2, 0, 0),)]
    assert (found.begin, found.end) == (1, 2)

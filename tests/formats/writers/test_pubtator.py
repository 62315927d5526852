"""PubTator carries texts of two lines, spans in one piece, and their ids."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from comparanda.errors import WriteError
from comparanda.formats.document_writer import Losses, Mention, Passage
from tests.formats.writers.documents import content, random_documents, read_back, written
from tests.seeds import seeds


def lost(losses: Losses) -> list[str]:
    return [str(note) for note in losses.notes("x")]


def document(text: str = "Anna ran", **changes: Any) -> Passage:
    return replace(Passage(name="d", text=text, words=(), sentences=(), mentions=()), **changes)


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    said: dict[str, tuple[str | float | bool, ...]] = {"individual": ("a|b", "c")}
    documents = random_documents(draw, ids=3, spaces=(" ", "  ", "\u2028", "\t"), attributes=said)
    documents = [_with_title(draw, each) for each in documents]
    assert not written("pubtator", documents, tmp_path)
    assert content(read_back("pubtator", tmp_path)) == content(documents)


def _with_title(draw: random.Random, passage: Passage) -> Passage:
    """Return a document whose text has one line break, or none."""
    spaces = [place for place, character in enumerate(passage.text) if character in " \t"]
    if not spaces or draw.random() < 0.2:
        return passage
    place = draw.choice(spaces)
    if place == len(passage.text) - 1:
        return passage
    return replace(passage, text=f"{passage.text[:place]}\n{passage.text[place + 1 :]}")


def test_the_file(tmp_path: Path) -> None:
    mentions = (
        Mention(((0, 4),), "PER", ("Q1", "c%7CSUB%7CG%7C12%7CA", "NIL"), {"individual": "An|Na"}),
        Mention(((0, 8),), "X"),
        Mention(((8, 8),), "Y", ("NIL",)),
    )
    assert not written("pubtator", [document("Anna\nran", mentions=mentions), document("", name="e")], tmp_path)
    assert (tmp_path / "out.pubtator").read_text() == (
        "d|t|Anna\nd|a|ran\n"
        "d\t0\t4\tAnna\tPER\tQ1;c|SUB|G|12|A;-1\tAn|Na\n"
        "d\t0\t8\tAnna ran\tX\t-\n"
        "d\t8\t8\t\tY\t-1\n"
        "\ne|t|\ne|a|\n"
    )
    found = read_back("pubtator", tmp_path)
    assert content(found) == content([document("Anna\nran", mentions=mentions), document("", name="e")])


def test_losses(tmp_path: Path) -> None:
    mention = Mention(((0, 4),), "PER", None, {"confidence": "low", "individual": "a\tb"})
    documents = [
        document("Anna\n", mentions=(mention,), attributes={"date": "1790"}),
        document("Anna\rran\nfar\n\naway", name="e"),
    ]
    assert lost(written("pubtator", documents, tmp_path)) == [
        "x: not written: the attribute 'date' of documents: 1 (d)",
        "x: not written: line breaks after a title without an abstract: 1 (d)",
        "x: not written: 'confidence' of spans: 1 (d)",
        "x: not written: 'individual' of spans with tabs or line breaks: 1 (d)",
        "x: not written: line breaks in titles and abstracts: written as spaces: 1 (e)",
    ]
    assert [each.text for each in read_back("pubtator", tmp_path)] == ["Anna", "Anna ran\nfar  away"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"mentions": (Mention(((0, 4), (5, 8)), "PER"),)},
            "the span PER 0:8 in document 'd' is in 2 pieces, but a line holds one\n  write jsonl or brat instead",
        ),
        (
            {"mentions": (Mention(((0, 4),), "a\tb"),)},
            "the label 'a\\tb' in document 'd' cannot be written in a column\n  rename it first",
        ),
        (
            {"mentions": (Mention(((0, 4),), "PER", ("Paris,_Texas",)),)},
            "the id 'Paris,_Texas' in document 'd' cannot be written\n  rename it: no commas, semicolons or tabs",
        ),
        (
            {"mentions": (Mention(((0, 4),), "PER", ("-",)),)},
            "the id '-' in document 'd' cannot be written\n  rename it: no commas, semicolons or tabs",
        ),
        ({"name": "a|b"}, "the document name 'a|b' cannot be written in PubTator\n  rename it: no bars and no tabs"),
        ({"name": ""}, "the document name '' cannot be written in PubTator\n  rename it: no bars and no tabs"),
        ({"text": "a\0b"}, "the text of document 'd' has a NUL byte, which a text file cannot contain"),
    ],
)
def test_refused(changes: dict[str, Any], expected: str, tmp_path: Path) -> None:
    with pytest.raises(WriteError) as caught:
        written("pubtator", [document(**changes)], tmp_path)
    assert str(caught.value) == expected

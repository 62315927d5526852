"""neleval carries places, labels, candidates and their scores, and no texts."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from comparanda.core.text_columns import TextColumn
from comparanda.errors import WriteError
from comparanda.formats.document_writer import Losses, Mention, Passage
from tests.formats.corpora import spans
from tests.formats.writers.documents import random_documents, read_files, written
from tests.seeds import seeds

SAID: dict[str, tuple[str | float | bool, ...]] = {"probability": (0.25, 0.5, 1e-07)}
FILES = {"neleval": "out.tsv::neleval", "tac": "out.tab::tac"}


def lost(losses: Losses) -> list[str]:
    return [str(note) for note in losses.notes("x")]


def document(text: str = "Anna ran", **changes: Any) -> Passage:
    return replace(Passage(name="d", text=text, words=(), sentences=(), mentions=()), **changes)


def complete(documents: Iterable[Passage], draw: random.Random, **more: tuple[str, ...]) -> list[Passage]:
    """Return documents whose spans have an id, a score and whatever else the format wants; no two of one place."""
    found = []
    for each in documents:
        mentions = {
            mention.pieces: replace(
                mention,
                ids=mention.ids or ("NIL",),
                attributes={
                    **{name: draw.choice(values) for name, values in more.items()},
                    "probability": 0.5,
                    **mention.attributes,
                },
            )
            for mention in each.mentions
        }
        found.append(replace(each, mentions=tuple(mentions.values())))
    return found


def all_said(folder: Path, format_name: str) -> list[tuple[object, ...]]:
    """Read what was written; return all that is said of each span, without the text of mentions."""
    corpus = read_files(folder, FILES[format_name])
    assert corpus.spans is not None
    names = sorted({*corpus.spans.columns} - {"text"})
    columns = [corpus.spans.columns[name] for name in names]
    values = [column.values() if isinstance(column, TextColumn) else column.tolist() for column in columns]
    rows = zip(*values, strict=True)
    dicts = [{name: value for name, value in zip(names, row, strict=True) if value is not None} for row in rows]
    return [(*span, tuple(sorted(said.items()))) for span, said in zip(spans(corpus), dicts, strict=True)]


def expected(documents: Iterable[Passage]) -> list[tuple[object, ...]]:
    return [
        (
            each.name,
            mention.begin,
            mention.end,
            mention.label,
            tuple(sorted({**mention.attributes, "id": "|".join(mention.ids or ())}.items())),
        )
        for each in documents
        for mention in each.mentions
    ]


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    documents = complete(random_documents(draw, ids=3, attributes=SAID), draw)
    if not any(each.mentions for each in documents):
        return
    losses = {note.what for note in written("neleval", documents, tmp_path).notes("x")}
    assert losses <= {"not written: texts of documents", "not written: documents without spans"}
    assert all_said(tmp_path, "neleval") == expected(documents)


def test_the_file(tmp_path: Path) -> None:
    said: dict[str, str | float] = {"probability": 0.5, "scores": "0.5|0.25|0.1", "cluster": "NIL7"}
    mentions = (
        Mention(((0, 4),), "PER", ("Q1", "NIL", "Q2"), said),
        Mention(((5, 8),), "X", ("NIL",), {"probability": 0.25}),
    )
    losses = written("neleval", [document(mentions=mentions), document(name="e")], tmp_path)
    assert lost(losses) == [
        "x: not written: texts of documents: 2 (d, e)",
        "x: not written: documents without spans: 1 (e)",
    ]
    assert (tmp_path / "out.tsv").read_text() == (
        "d\t0\t3\tQ1\t0.5\tPER\tNIL7\t0.25\tPER\tQ2\t0.1\tPER\nd\t5\t7\tNIL\t0.25\tX\n"
    )
    assert all_said(tmp_path, "neleval") == expected([document(mentions=mentions)])


def test_losses(tmp_path: Path) -> None:
    mentions = (
        Mention(((0, 4),), "PER", None, {"note": "?"}),
        Mention(((0, 4),), "PER", ("Q1", "Q2"), {"scores": "0.5", "probability": 0.5}),
    )
    losses = written("neleval", [document(mentions=mentions, attributes={"date": "1790"})], tmp_path)
    assert lost(losses) == [
        "x: not written: texts of documents: 1 (d)",
        "x: not written: the attribute 'date' of documents: 1 (d)",
        "x: not written: 'note' of spans: 1 (d)",
        "x: not written: that spans are not linked: written as NIL: 1 (d)",
        "x: not written: that spans have no score: written as 1.0: 1 (d)",
        "x: not written: 'scores' of spans whose number is not that of their ids: 1 (d)",
    ]
    assert (tmp_path / "out.tsv").read_text() == "d\t0\t3\tNIL\t1.0\tPER\nd\t0\t3\tQ1\t0.5\tPER\tQ2\t0.5\tPER\n"


REFUSED = [
    (
        {"mentions": (Mention(((0, 4), (5, 8)), "PER"),)},
        "the span PER 0:8 of document 'd' is in 2 pieces, but a line holds one\n  write jsonl or brat instead",
    ),
    (
        {"mentions": (Mention(((4, 4),), "PER"),)},
        "the span PER 4:4 of document 'd' has no length, so it has no last character\n  write jsonl or brat instead",
    ),
    (
        {"mentions": (Mention(((0, 4),), "a b"),)},
        "the label 'a b' in document 'd' contains white space\n  rename it first",
    ),
    (
        {"mentions": (Mention(((0, 4),), "PER", ("New York",)),)},
        "the id 'New York' in document 'd' contains white space\n  rename it first",
    ),
    ({"name": "a b"}, "the name 'a b' in document 'a b' contains white space\n  rename it first"),
    ({"name": ""}, "the name '' in document '' is empty\n  rename it first"),
]


@pytest.mark.parametrize(("changes", "expected"), REFUSED)
@pytest.mark.parametrize("format_name", FILES)
def test_refused(changes: dict[str, Any], expected: str, format_name: str, tmp_path: Path) -> None:
    with pytest.raises(WriteError) as caught:
        written(format_name, [document(**changes)], tmp_path)
    assert str(caught.value) == expected

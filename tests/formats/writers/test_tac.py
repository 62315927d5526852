"""The files of TAC KBP carry places, labels, candidates with a confidence, and the text of mentions."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from comparanda.errors import WriteError
from comparanda.formats.document_writer import Mention
from tests.formats.writers.documents import random_documents, written
from tests.formats.writers.test_neleval import SAID, all_said, complete, document, expected, lost
from tests.seeds import seeds


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    documents = complete(
        random_documents(draw, ids=3, attributes=SAID), draw, mention_type=("NAM", "NOM"), mention_id=("m",)
    )
    if not any(each.mentions for each in documents):
        return
    losses = {note.what for note in written("tac", documents, tmp_path).notes("x")}
    assert losses <= {"not written: texts of documents", "not written: documents without spans"}
    assert all_said(tmp_path, "tac") == expected(documents)


def test_the_file(tmp_path: Path) -> None:
    mentions = (
        Mention(((0, 4),), "PER", ("Q1", "Q2"), {"probability": 0.5, "mention_id": "m7", "mention_type": "NOM"}),
        Mention(((0, 8),), "X"),
    )
    losses = written("tac", [document("Anna\tran", mentions=mentions)], tmp_path, run="crf")
    assert (tmp_path / "out.tab").read_text() == (
        "crf\tm7\tAnna\td:0-3\tQ1\tPER\tNOM\t0.5\n"
        "crf\tm7\tAnna\td:0-3\tQ2\tPER\tNOM\t0.5\n"
        "crf\td_0002\tAnna ran\td:0-7\tNIL\tX\tNAM\t1.0\n"
    )
    assert lost(losses) == [
        "x: not written: texts of documents: 1 (d)",
        "x: not written: that spans are neither names nor nominal: written as NAM: 1 (d)",
        "x: not written: that spans are not linked: written as NIL: 1 (d)",
        "x: not written: that spans have no score: written as 1.0: 1 (d)",
    ]


def test_two_spans_of_one_place(tmp_path: Path) -> None:
    mentions = (Mention(((0, 4),), "PER"), Mention(((0, 4),), "ORG"))
    with pytest.raises(WriteError) as caught:
        written("tac", [document(mentions=mentions)], tmp_path)
    assert str(caught.value) == (
        "two spans of document 'd' have the extent 0-3\n"
        "  remove one: in this format, lines with the same extent are candidates for one mention"
    )


def test_a_run_of_several_words(tmp_path: Path) -> None:
    with pytest.raises(WriteError) as caught:
        written("tac", [document()], tmp_path, run="my run")
    assert str(caught.value) == "'my run' is not a valid run name\n  use a single word: ?run=NAME"

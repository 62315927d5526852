"""HIPE carries words, spans that share none, their ids, and documents with what is said of them."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from comparanda.errors import WriteError
from comparanda.formats.conversion import convert_corpus
from comparanda.formats.document_writer import ONE_SPACE, Losses, Mention, Passage, find_writer, list_passages
from tests.formats.tabbed_formats.test_hipe import HIPE, key, path_of, systems
from tests.formats.writers.documents import content, random_documents, read_back, read_files, written
from tests.seeds import first_few, seeds
from tests.shared_data import shared


def lost(losses: Losses) -> list[str]:
    return [str(note) for note in losses.notes("x")]


def document(text: str = "Anna met Bo", **changes: Any) -> Passage:
    begins = [0, *(place + 1 for place, character in enumerate(text) if character == " ")]
    words = tuple((begin, end - 1) for begin, end in pairwise([*begins, len(text) + 1]))
    return replace(Passage(name="d", text=text, words=words, sentences=(0,), mentions=()), **changes)


def refused(passage: Passage, tmp_path: Path) -> str:
    with pytest.raises(WriteError) as caught:
        written("hipe", [passage], tmp_path)
    return str(caught.value)


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    documents = random_documents(draw, nested=False, ids=3, spaces=(" ",), attributes={"led": (0.0, 0.25, 1.5)})
    documents = [
        replace(each, attributes={"date": f"17{seed + 10}", "ajmc:doi": "x = y"}, sentences=_sentences(draw, each))
        for each in documents
    ]
    assert not written("hipe", documents, tmp_path)
    found = read_back("hipe", tmp_path)
    assert content(found) == content(documents)
    assert [(each.attributes, each.sentences) for each in found] == [
        (each.attributes, each.sentences) for each in documents
    ]


def _sentences(draw: random.Random, passage: Passage) -> tuple[int, ...]:
    return tuple(sorted({0, *(draw.randrange(len(passage.words)) for _ in range(2))}))


def test_the_file(tmp_path: Path) -> None:
    mentions = (
        Mention(((0, 4),), "PER", ("Q1", "NIL"), {"led": 0.1}),
        Mention(((9, 15),), "LOC"),
    )
    words = ((0, 4), (5, 8), (9, 11), (11, 12), (12, 15))
    passage = Passage(
        name="d1", text="Anna saw St.Ann", words=words, sentences=(0, 2), mentions=mentions, attributes={"date": "1790"}
    )
    assert not written("hipe", [passage, Passage(name="d2", text="", words=(), sentences=(), mentions=())], tmp_path)
    assert (tmp_path / "out.tsv").read_text() == (
        "TOKEN\tNE-COARSE-LIT\tNE-COARSE-METO\tNE-FINE-LIT\tNE-FINE-METO\tNE-FINE-COMP\tNE-NESTED\tNEL-LIT\tNEL-METO"
        "\tMISC\n"
        "# document_id = d1\n# date = 1790\n"
        "Anna\tB-PER\t_\t_\t_\t_\t_\tQ1|NIL\t_\tLED0.10\n"
        "saw\tO\t_\t_\t_\t_\t_\t_\t_\tEndOfSentence\n"
        "St\tB-LOC\t_\t_\t_\t_\t_\t_\t_\tNoSpaceAfter\n"
        ".\tI-LOC\t_\t_\t_\t_\t_\t_\t_\tNoSpaceAfter\n"
        "Ann\tI-LOC\t_\t_\t_\t_\t_\t_\t_\tEndOfSentence\n"
        "\n# document_id = d2\n"
    )
    found = read_back("hipe", tmp_path)
    assert [(each.name, each.text, each.sentences) for each in found] == [
        ("d1", "Anna saw St . Ann", (0, 2)),
        ("d2", "", ()),
    ]


def test_losses(tmp_path: Path) -> None:
    said: dict[str, str | float] = {"confidence": "low", "led": 0.125}
    passage = document(
        "Anna met Bo",
        mentions=(Mention(((0, 4),), "PER", None, said),),
        attributes={"a b": "1", "segment_x": "2", "note": "two\nlines"},
    )
    wide = Passage(name="e", text=" Anna\n met", words=((1, 5), (7, 10)), sentences=(0,), mentions=())
    assert lost(written("hipe", [passage, wide], tmp_path)) == [
        "x: not written: the attribute 'a b' of documents, which cannot be written in a comment: 1 (d)",
        "x: not written: the attribute 'segment_x' of documents, which cannot be written in a comment: 1 (d)",
        "x: not written: the attribute 'note' of documents, which cannot be written in a comment: 1 (d)",
        "x: not written: 'confidence' of spans: 1 (d)",
        "x: not written: 'led' of spans: 1 (d)",
        "x: not written: white space other than one space between words: 1 (e)",
    ]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"mentions": (Mention(((0, 2),), "PER"),)}, "does not begin and end at word boundaries"),
        ({"mentions": (Mention(((0, 4), (9, 11)), "PER"),)}, "is in 2 pieces, which chunk tags cannot encode"),
        ({"mentions": (Mention(((0, 8),), "PER"), Mention(((0, 4),), "PER"))}, "two spans share words"),
        ({"mentions": (Mention(((0, 4),), "a b"),)}, "the label 'a b' in document 'd' contains white space"),
        (
            {"mentions": (Mention(((0, 4),), "PER", ("_",)),)},
            "the id '_' in document 'd' cannot be written in a column\n",
        ),
        ({"mentions": (Mention(((0, 4),), "PER", ("a\tb",)),)}, "the id 'a\\tb' in document 'd' cannot be written"),
        ({"name": "a\nb"}, "the document 'a\\nb' cannot be named in a comment\n  rename it first"),
        ({"name": ""}, "the document '' cannot be named in a comment"),
        ({"text": "# a met Bo", "words": ((0, 3), (4, 7))}, "the word '# a' of document 'd' would be read as"),
        ({"text": '""""', "words": ((0, 4),)}, "the word '\"\"\"\"' of document 'd' would be read as something else"),
        (
            {"text": "a\tb", "words": ((0, 3),)},
            "word 1 of document 'd' is 'a\\tb', which cannot be written in a column",
        ),
    ],
)
def test_refused(changes: dict[str, Any], expected: str, tmp_path: Path) -> None:
    assert expected in refused(document(**changes), tmp_path)


@pytest.mark.parametrize("system", first_few(1, ["key", *systems()]))
def test_real_files_are_written_and_read_back(system: str, tmp_path: Path) -> None:
    path = key() if system == "key" else path_of(system)
    corpus = read_files(shared(HIPE), f"{Path(path).relative_to(shared(HIPE))}::hipe")
    made = convert_corpus(corpus, find_writer("hipe"))
    assert [note.what for note in made.losses] == [f"not written: {ONE_SPACE}"]
    (tmp_path / "out.tsv").write_text(made.files[""], encoding="utf-8")
    before, after = list(list_passages(corpus, Losses())), read_back("hipe", tmp_path)
    assert content(after) == content(before)
    assert [(each.attributes, each.sentences) for each in after] == [
        (each.attributes, each.sentences) for each in before
    ]

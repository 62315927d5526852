from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from comparanda.formats.document_writer import Losses, Mention, Passage, list_passages
from tests.formats.writers.documents import content, random_documents, read_back, read_files, written
from tests.seeds import seeds
from tests.shared_data import shared

SAID: dict[str, tuple[str | float | bool, ...]] = {"confidence": ("low", "high"), "probability": (0.25, 0.5, 1.0)}


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    documents = random_documents(random.Random(seed), ids=3, attributes=SAID)
    assert not written("hugging-face", documents, tmp_path)
    assert content(read_back("hugging-face", tmp_path)) == content(documents)


def test_an_object(tmp_path: Path) -> None:
    mention = Mention(((0, 4),), "PER", ("Q1",), {"probability": 0.5})
    written(
        "hugging-face",
        [
            Passage(
                name="a", text="Anna", words=((0, 4),), sentences=(0,), mentions=(mention,), attributes={"year": "2020"}
            )
        ],
        tmp_path,
    )
    assert json.loads((tmp_path / "out.jsonl").read_text()) == {
        "id": "a",
        "year": "2020",
        "text": "Anna",
        "entities": [{"entity_group": "PER", "id": "Q1", "score": 0.5, "word": "Anna", "start": 0, "end": 4}],
    }
    (read,) = read_back("hugging-face", tmp_path)
    assert read.attributes == {"year": "2020"}
    assert read_files(tmp_path, "out.jsonl").format == "hugging-face"


def test_losses(tmp_path: Path) -> None:
    mention = Mention(((0, 1), (2, 3)), "X", None, {"word": "other", "index": 3})
    losses = written(
        "hugging-face",
        [Passage(name="d", text="a b c", words=(), sentences=(0,), mentions=(mention,), attributes={"entities": "x"})],
        tmp_path,
    )
    assert sorted(map(str, losses.notes("x"))) == [
        "x: not written: 'index' of spans, whose name is reserved: 1 (d)",
        "x: not written: 'word' of spans, whose name is reserved: 1 (d)",
        "x: not written: the attribute 'entities' of documents, whose name is reserved: 1 (d)",
        "x: not written: the gaps of discontinuous spans: they are written as contiguous spans: 1 (d)",
    ]
    (read,) = read_back("hugging-face", tmp_path)
    assert [mention.pieces for mention in read.mentions] == [((0, 3),)]


@pytest.mark.slow
def test_a_real_corpus(tmp_path: Path) -> None:
    source = shared("data/timex/wikiwars/gold.jsonl")
    documents = list(list_passages(read_files(source.parent, source.name), Losses()))
    assert not written("hugging-face", documents, tmp_path)
    assert content(read_back("hugging-face", tmp_path)) == content(documents)

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from comparanda.formats.document_writer import Losses, Mention, Passage, list_passages
from tests.formats.writers.documents import content, random_documents, read_back, read_files, written
from tests.seeds import seeds
from tests.shared_data import shared

SAID: dict[str, tuple[str | float | bool, ...]] = {
    "confidence": ("low", "high"),
    "probability": (0.25, 0.5, 1.0),
    "note": ("why?", "two words"),
    "age": (1.5, 2.0),
}


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    documents = random_documents(random.Random(seed), ids=3, attributes=SAID)
    assert not written("label-studio", documents, tmp_path)
    assert content(read_back("label-studio", tmp_path)) == content(documents)


@pytest.mark.parametrize("seed", range(5))
def test_as_predictions(seed: int, tmp_path: Path) -> None:
    documents = random_documents(random.Random(seed), attributes={"probability": (0.25, 0.5)})
    written("label-studio", documents, tmp_path, predictions="crf")
    assert content(read_back("label-studio", tmp_path, {"predictions": "crf"})) == content(documents)


def test_a_task(tmp_path: Path) -> None:
    mention = Mention(((0, 4),), "PER", ("Q1", "Q2"), {"probability": 0.5})
    document = Passage(
        name="a", text="Anna", words=((0, 4),), sentences=(0,), mentions=(mention,), attributes={"year": "2020"}
    )
    written("label-studio", [document], tmp_path)
    (task,) = json.loads((tmp_path / "out.json").read_text())
    assert task["data"] == {"doc_id": "a", "text": "Anna", "year": "2020"}
    assert task["annotations"][0]["result"] == [
        {
            "id": "r1",
            "from_name": "label",
            "to_name": "text",
            "type": "labels",
            "value": {"start": 0, "end": 4, "text": "Anna", "labels": ["PER"]},
            "score": 0.5,
        },
        {
            "id": "r1",
            "from_name": "id",
            "to_name": "text",
            "type": "textarea",
            "value": {"start": 0, "end": 4, "text": ["Q1", "Q2"]},
        },
    ]
    (read,) = read_back("label-studio", tmp_path)
    assert read.attributes == {"year": "2020", "annotator": "1"}
    assert read_files(tmp_path, "out.json").format == "label-studio"


def test_losses(tmp_path: Path) -> None:
    mention = Mention(((0, 1), (2, 3)), "X", None, {"checked": True})
    losses = written(
        "label-studio",
        [Passage(name="d", text="a b c", words=(), sentences=(0,), mentions=(mention,), attributes={"text": "x"})],
        tmp_path,
    )
    assert sorted(map(str, losses.notes("x"))) == [
        "x: not written: 'checked' of spans, a boolean: 1 (d)",
        "x: not written: the attribute 'text' of documents, whose name is reserved: 1 (d)",
        "x: not written: the gaps of discontinuous spans: they are written as contiguous spans: 1 (d)",
    ]
    (read,) = read_back("label-studio", tmp_path)
    assert [mention.pieces for mention in read.mentions] == [((0, 3),)]


@pytest.mark.slow
def test_a_real_corpus(tmp_path: Path) -> None:
    source = shared("data/timex/wikiwars/gold.jsonl")
    documents = list(list_passages(read_files(source.parent, source.name), Losses()))
    assert not written("label-studio", documents, tmp_path)
    assert content(read_back("label-studio", tmp_path)) == content(documents)

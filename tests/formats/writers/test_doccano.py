from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from comparanda.errors import UsageError
from comparanda.formats.document_writer import Losses, Mention, Passage, list_passages
from tests.formats.writers.documents import content, random_documents, read_back, read_files, written
from tests.shared_data import shared


@pytest.mark.parametrize("offsets", ["code-points", "utf-16"])
@pytest.mark.parametrize("seed", range(15))
def test_what_is_written_is_read_back(seed: int, offsets: str, tmp_path: Path) -> None:
    documents = random_documents(random.Random(seed))
    assert not written("doccano", documents, tmp_path, offsets=offsets)
    assert content(read_back("doccano", tmp_path, {"offsets": offsets})) == content(documents)


def test_a_document(tmp_path: Path) -> None:
    mention = Mention(((2, 6),), "PER")
    document = Passage(
        name="a", text="😀 Anna", words=((2, 6),), sentences=(0,), mentions=(mention,), attributes={"year": "2020"}
    )
    written("doccano", [document], tmp_path)
    assert json.loads((tmp_path / "out.jsonl").read_text()) == {
        "id": "a",
        "text": "😀 Anna",
        "year": "2020",
        "entities": [{"id": 1, "label": "PER", "start_offset": 2, "end_offset": 6}],
        "relations": [],
        "Comments": [],
    }
    (read,) = read_back("doccano", tmp_path)
    assert (content([read]), read.attributes) == (content([document]), document.attributes)
    assert read_files(tmp_path, "out.jsonl").format == "doccano"


def test_offsets_as_some_versions_count(tmp_path: Path) -> None:
    documents = [
        Passage(
            name="a",
            text="😀 Anna 😀",
            words=(),
            sentences=(0,),
            mentions=(Mention(((2, 6),), "PER"), Mention(((7, 8),), "X")),
        )
    ]
    written("doccano", documents, tmp_path, offsets="utf-16")
    entities = json.loads((tmp_path / "out.jsonl").read_text())["entities"]
    assert [(each["start_offset"], each["end_offset"]) for each in entities] == [(3, 7), (8, 10)]
    with pytest.raises(UsageError, match="invalid offsets='bytes'"):
        written("doccano", documents, tmp_path, offsets="bytes")


def test_losses(tmp_path: Path) -> None:
    mention = Mention(((0, 1), (2, 3)), "X", ("Q1",), {"probability": 0.5})
    losses = written(
        "doccano",
        [Passage(name="d", text="a b c", words=(), sentences=(0,), mentions=(mention,), attributes={"label": "x"})],
        tmp_path,
    )
    assert sorted(map(str, losses.notes("x"))) == [
        "x: not written: 'id' of spans: 1 (d)",
        "x: not written: 'probability' of spans: 1 (d)",
        "x: not written: the attribute 'label' of documents, whose name is reserved: 1 (d)",
        "x: not written: the gaps of discontinuous spans: they are written as contiguous spans: 1 (d)",
    ]
    (read,) = read_back("doccano", tmp_path)
    assert [mention.pieces for mention in read.mentions] == [((0, 3),)]


@pytest.mark.slow
def test_a_real_corpus(tmp_path: Path) -> None:
    source = shared("data/timex/wikiwars/gold.jsonl")
    documents = list(list_passages(read_files(source.parent, source.name), Losses()))
    columns = {name for each in documents for mention in each.mentions for name in mention.attributes}
    lost = {str(note).split("'")[1] for note in written("doccano", documents, tmp_path).notes("x")}
    assert lost == columns
    bare = [
        replace(each, mentions=tuple(replace(mention, attributes={}) for mention in each.mentions))
        for each in documents
    ]
    assert content(read_back("doccano", tmp_path)) == content(bare)

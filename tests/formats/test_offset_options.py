"""The options `offsets`, `base` and `strip` mend offsets that count something else, in every format with offsets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda.core.corpus import Corpus
from comparanda.errors import ComparandaError
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, find_formats, read_input

TEXT = "Anna met Bo in Oslo ."
WANTED = [(0, 4), (9, 11), (15, 19)]


def read(path: Path, options: str = "", form: str = "") -> Corpus:
    return read_input(Input.parse(f"{path}{form}{options}"), Request(side="s", layer="spans"), "tokens")


def extents(corpus: Corpus) -> list[tuple[int, int]]:
    assert corpus.spans is not None
    return list(zip(corpus.spans.begin.tolist(), corpus.spans.end.tolist(), strict=True))


def jsonl(extents: list[tuple[int, int]], **more: Any) -> dict[str, Any]:
    spans = [{"begin": begin, "end": end, "label": "X", **more} for begin, end in extents]
    return {"id": "d1", "text": TEXT, "spans": spans}


def prodigy(extents: list[tuple[int, int]]) -> dict[str, Any]:
    spans = [{"start": begin, "end": end, "label": "X"} for begin, end in extents]
    return {"text": TEXT, "spans": spans, "answer": "accept", "meta": {"id": "d1"}}


def doccano(extents: list[tuple[int, int]]) -> dict[str, Any]:
    return {"id": 1, "text": TEXT, "label": [[begin, end, "X"] for begin, end in extents]}


def label_studio(extents: list[tuple[int, int]]) -> list[dict[str, Any]]:
    result = [
        {"value": {"start": begin, "end": end, "labels": ["X"]}, "type": "labels", "from_name": "l", "to_name": "t"}
        for begin, end in extents
    ]
    return [{"id": 1, "data": {"text": TEXT}, "annotations": [{"id": 1, "result": result}]}]


def hugging_face(extents: list[tuple[int, int]]) -> dict[str, Any]:
    entities = [{"entity_group": "X", "score": 0.9, "start": begin, "end": end} for begin, end in extents]
    return {"id": "d1", "text": TEXT, "entities": entities}


def spacy(extents: list[tuple[int, int]]) -> dict[str, Any]:
    return {"text": TEXT, "ents": [{"start": b, "end": e, "label": "X"} for b, e in extents], "tokens": []}


def probabilistic(extents: list[tuple[int, int]]) -> dict[str, Any]:
    entities = [{"start": begin, "end": end, "label": "X", "score": 0.9} for begin, end in extents]
    return {"doc": "d1", "text": TEXT, "entities": entities}


FORMATS: dict[str, Any] = {
    "jsonl": jsonl,
    "prodigy": prodigy,
    "doccano": doccano,
    "label-studio": label_studio,
    "hugging-face": hugging_face,
    "spacy": spacy,
}
SHIFTS = {
    "?offsets=inclusive": (0, -1),
    "?base=1": (1, 1),
    "?base=1&offsets=inclusive": (1, 0),
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("options", SHIFTS)
def test_other_conventions_are_read(name: str, options: str, tmp_path: Path) -> None:
    begin, end = SHIFTS[options]
    file = tmp_path / "s.json"
    file.write_text(json.dumps(FORMATS[name]([(b + begin, e + end) for b, e in WANTED])) + "\n")
    assert extents(read(file, options, f"::{name}")) == WANTED


@pytest.mark.parametrize("name", FORMATS)
def test_white_space_at_the_ends_is_left_out(name: str, tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    file.write_text(json.dumps(FORMATS[name]([(0, 5), (8, 12), (14, 19)])) + "\n")
    assert extents(read(file, "?strip=yes", f"::{name}")) == WANTED
    assert extents(read(file, "", f"::{name}")) == [(0, 5), (8, 12), (14, 19)]


def test_lines_of_mentions_count_from_1_too(tmp_path: Path) -> None:
    file = tmp_path / "s.tsv"
    file.write_text("d1\t1\t4\tQ1\t1.0\tX\nd1\t10\t11\tQ2\t1.0\tX\n")
    assert extents(read(file, "?base=1", "::neleval")) == [(0, 4), (9, 11)]
    with pytest.raises(ComparandaError, match="strip=yes cannot be read without the texts"):
        read(file, "?strip=yes", "::neleval")


def test_ends_of_fragments_are_stripped_and_white_space_alone_is_kept(tmp_path: Path) -> None:
    spans = [
        {"begin": 0, "end": 12, "label": "X", "fragments": [[0, 5], [8, 12]]},
        {"begin": 4, "end": 5, "label": "X"},
    ]
    file = tmp_path / "s.jsonl"
    file.write_text(json.dumps({"id": "d1", "text": TEXT, "spans": spans}) + "\n")
    corpus = read(file, "?strip=yes")
    assert extents(corpus) == [(0, 11), (4, 5)]
    assert corpus.spans is not None
    assert corpus.spans.fragments is not None
    assert [each.tolist() for each in (corpus.spans.fragments.begin, corpus.spans.fragments.end)] == [[0, 9], [4, 11]]


def test_offsets_from_1_are_recognised_by_the_stated_text(tmp_path: Path) -> None:
    spans = [{"begin": b + 1, "end": e + 1, "label": "X", "text": TEXT[b:e]} for b, e in WANTED]
    file = tmp_path / "s.jsonl"
    file.write_text(json.dumps({"id": "d1", "text": TEXT, "spans": spans}) + "\n")
    corpus = read(file)
    assert extents(corpus) == WANTED
    assert [str(note) for note in corpus.notes] == [
        "s: spans whose offsets count code points, from 1, as their stated text shows: 3"
    ]
    with pytest.raises(ComparandaError) as error:
        read(file, "?offsets=code-points")
    assert str(error.value).splitlines()[-2:] == [
        "  offsets that count code points, from 1 would fit 3 of 3 spans",
        "  set ?base=1",
    ]


def test_a_span_before_the_first_character_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(json.dumps(jsonl([(0, 4)])) + "\n")
    with pytest.raises(ComparandaError) as error:
        read(file, "?base=1")
    assert str(error.value).splitlines() == [
        f"{file}:1: spans[0] of document 'd1' begins at 0, before the text",
        "  the span: 0 4 X",
        "  offsets count from 1 with base=1",
    ]


def test_all_formats_with_offsets_have_the_options() -> None:
    without = [
        name
        for name, each in find_formats().items()
        if "offsets" in each.options and not {"base", "strip"} <= each.options.keys()
    ]
    assert without == ["bioc"]  # whose passages have offsets of their own


def test_scores_of_certain_and_probable_spans_follow(tmp_path: Path) -> None:
    for name, record in {"key": jsonl(WANTED), "s": jsonl([(b, e - 1) for b, e in WANTED])}.items():
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record) + "\n")
    for options, expected in {"": 0.0, "?offsets=inclusive": 1.0}.items():
        systems = {"s": f"{tmp_path}/s.jsonl{options}"}
        found = cp.compare(f"{tmp_path}/key.jsonl", systems, task="span", resamples=0)
        assert found.scores("f1").value("s") == expected
    file = tmp_path / "p.jsonl"
    file.write_text(json.dumps(probabilistic([(b + 1, e + 1) for b, e in WANTED])) + "\n")
    found = cp.compare(f"{tmp_path}/key.jsonl", {"s": f"{file}::probabilistic?base=1"}, task="prob", resamples=0)
    assert found.scores("f1").value("s") == 1.0

"""What is larger than is accepted is refused, and the error says how to accept it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from comparanda.core.corpus import Corpus
from comparanda.core.limits import Limits
from comparanda.formats.contract import Layer, Request
from comparanda.formats.inputs import Input, read_input
from comparanda.formats.objects import read_object
from tests.formats.corpora import refusal

WORDS = "-DOCSTART- O\n\na A\nb B\n\n-DOCSTART- O\n\nc C\nd A\ne B\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(text: str, written: str, layer: Layer = "values", **limits: int) -> Corpus:
    Path(written.partition("::")[0]).write_text(text, encoding="utf-8")
    return read_input(Input.parse(written), Request(side="x", layer=layer, limits=Limits.of(limits)), "tokens")


def raised(name: str) -> str:
    return f"raise the limit: --limit {name}=NUMBER"


def test_tokens_of_a_document() -> None:
    assert len(read(WORDS, "d.conll", document=3)) == 5
    assert refusal(read, WORDS, "d.conll", document=2) == (
        "d.conll: the document 'document 2' has 3 tokens, more than 2\n"
        f"  is a mark between documents missing? if that is right, {raised('document')}"
    )


def test_a_corpus_without_marks_of_documents_may_be_of_any_size() -> None:
    assert len(read("a A\nb B\nc C\n", "d.conll", document=2)) == 3


def test_characters_of_a_text() -> None:
    text = '{"id": "one", "text": "Ada", "spans": [{"begin": 0, "end": 3, "label": "PER"}]}\n'
    assert len(read(text, "d.jsonl", "spans", document=3)) == 1
    assert "the document 'one' has 3 characters, more than 2" in refusal(read, text, "d.jsonl", "spans", document=2)


def test_labels_of_words() -> None:
    assert len(read(WORDS, "d.conll", labels=3)) == 5
    assert refusal(read, WORDS, "d.conll", labels=2) == (
        "d.conll: there are 3 different labels, more than 2\n"
        f"  is it the column of labels? if that is right, {raised('labels')}"
    )


def test_labels_of_spans_are_counted_without_their_schemes() -> None:
    text = "a B-PER\nb I-PER\nc O\nd B-LOC\n"
    assert len(read(text, "d.conll", "spans", labels=2)) == 4
    assert "2 different labels, more than 1" in refusal(read, text, "d.conll", "spans", labels=1)


@pytest.mark.parametrize(("given", "shape"), [(["A", "B"], "rows"), ([["A", "B"]], "tokens")])
def test_python_objects(given: Any, shape: Any) -> None:
    assert len(read_object(given, Request(side="x", limits=Limits(labels=2)), shape)) == 2
    assert "2 different labels" in refusal(read_object, given, Request(side="x", limits=Limits(labels=1)), shape)


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"label": 3}, "unknown limit 'label' (did you mean 'labels'?)"),
        ({"labels": 0}, "the limit 'labels' must be a positive integer, not 0"),
        ({"labels": True}, "the limit 'labels' must be a positive integer, not True"),
        ({"labels": "3"}, "the limit 'labels' must be a positive integer, not '3'"),
    ],
)
def test_limits_that_are_none(given: Any, what: str) -> None:
    assert refusal(Limits.of, given, code=2).startswith(what)

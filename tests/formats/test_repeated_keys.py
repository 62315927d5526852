"""An object of JSON that has a key twice is refused, since decoders keep only the last."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from comparanda.core.places import Source
from comparanda.errors import ReadError
from comparanda.formats.contract import Layer, Request, Shape
from comparanda.formats.inputs import Input, read_input
from comparanda.formats.json_keys import check_all_keys, check_keys, check_outer_keys
from tests.command import run
from tests.formats.corpora import refusal

SPAN = '{"start": 0, "end": 4, "label": "PER"}'
TWICE = '{"start": 0, "end": 4, "label": "PER", "label": "ORG"}'


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(text: str, written: str, layer: Layer = "spans", shape: Shape = "tokens") -> object:
    Path("x.jsonl").write_text(text, encoding="utf-8")
    return read_input(Input.parse(written), Request(side="x", layer=layer), shape)


def passage(name: str) -> str:
    """A document of BioC whose passage may have a text twice."""
    twice = '"text": "Anna", "text": "Hans"' if name == "twice" else '"text": "Anna"'
    return (
        f'{{"id": "{name}", "infons": {{}}, "passages": [{{"offset": 0, "infons": {{}}, {twice}, "annotations": []}}]}}'
    )


RECORDS: dict[str, tuple[str, str, str]] = {
    "jsonl": (
        f'{{"id": "c", "text": "Anna", "spans": [{SPAN}]}}',
        f'{{"id": "d", "text": "Anna", "spans": [{TWICE}]}}',
        "label",
    ),
    "doccano": (
        '{"id": 1, "text": "Anna", "label": []}',
        '{"id": 2, "text": "Anna", "label": [], "label": []}',
        "label",
    ),
    "prodigy": (f'{{"text": "Hans", "spans": [{SPAN}]}}', f'{{"text": "Anna", "spans": [{TWICE}]}}', "label"),
    "label-studio": (
        '{"id": 1, "data": {"text": "Anna"}, "annotations": [{"result": []}]}',
        '{"id": 2, "data": {"text": "Anna", "text": "Hans"}, "annotations": [{"result": []}]}',
        "text",
    ),
    "hugging-face": (
        '[{"entity_group": "PER", "word": "Anna", "start": 0, "end": 4, "score": 0.5}]',
        '[{"entity_group": "PER", "word": "Anna", "start": 0, "end": 4, "score": 0.5, "score": 0.6}]',
        "score",
    ),
    "elevant": (
        '{"id": 1, "title": "a", "text": "Anna", "labels": []}',
        '{"id": 2, "title": "b", "text": "Anna", "labels": [], "title": "c"}',
        "title",
    ),
    "spacy": (
        '{"text": "Anna", "ents": [], "tokens": [{"id": 0, "start": 0, "end": 4}]}',
        '{"text": "Anna", "ents": [], "tokens": [{"id": 0, "start": 0, "end": 4, "end": 3}]}',
        "end",
    ),
    "bioc": (passage("once"), passage("twice"), "text"),
    "llm": (
        '{"id": "c", "text": "Anna", "response": "[]"}',
        '{"id": "d", "text": "Anna", "response": "[]", "response": "none"}',
        "response",
    ),
}


@pytest.mark.parametrize("format_", RECORDS)
def test_every_format_refuses_it_with_its_place(format_: str) -> None:
    good, bad, key = RECORDS[format_]
    text = refusal(read, f"{good}\n{bad}\n", f"x.jsonl::{format_}")
    assert text == (
        f"x.jsonl:2: the key {key!r} occurs twice in one object\n"
        "  remove one: readers of JSON disagree about which one counts"
    )
    assert read(f"{good}\n", f"x.jsonl::{format_}") is not None


def test_chains() -> None:
    text = '{"doc_key": "d", "sentences": [["Anna"]], "clusters": [], "clusters": [[[0, 0]]]}\n'
    assert "x.jsonl:1: the key 'clusters' occurs twice" in refusal(read, text, "x.jsonl::clusters", "chains")


def test_rows_also_in_fields_that_are_not_read() -> None:
    good, bad = '{"id": "a", "label": "x", "meta": {"n": 1}}', '{"id": "b", "label": "x", "meta": {"n": 1, "n": 2}}'
    assert "x.jsonl:2: the key 'n' occurs twice" in refusal(
        read, f"{good}\n{bad}\n", "x.jsonl::jsonl", "values", "rows"
    )


def test_labels_of_a_span() -> None:
    block = '{"alternatives": [{"start": 0, "end": 4, "p": 0.5, "labels": {"PER": 0.3, "PER": 0.4}}]}'
    text = f'{{"doc": "d", "text": "Anna", "meta": "ignored", "blocks": [{block}]}}'
    assert "x.jsonl:1: the key 'PER' occurs twice" in refusal(read, text, "x.jsonl", "beliefs")
    assert "x.jsonl:1: the key 'PER' occurs twice" in refusal(read, f"[{text}]", "x.jsonl", "beliefs")


@pytest.mark.parametrize(
    "text",
    [
        '{"documents": [], "documents": [], "source": "x"}',
        '{"documents": [{"id": "a", "id": "b", "passages": []}]}',
        '{"PubTator3": [{"id": "a", "passages": [], "passages": []}]}',
    ],
)
def test_collections_of_bioc(text: str) -> None:
    assert "x.jsonl:1: the key " in refusal(read, text, "x.jsonl::bioc")


@pytest.mark.parametrize(
    "text",
    [
        '{"@graph": [], "@graph": []}',
        '{"@context": {"a": "b", "a": "c"}, "@graph": []}',
        '{"@graph": [{"@id": "a", "@id": "b"}]}',
    ],
)
@pytest.mark.parametrize("format_", ["nif", "web-annotation"])
def test_linked_data(text: str, format_: str) -> None:
    assert " occurs twice in one object" in refusal(read, text, f"x.jsonl::{format_}")


def test_answers_of_language_models_are_exempt() -> None:
    text = '{"id": "d", "text": "Anna and Hans", "response": {"PER": ["Anna"], "PER": ["Hans"]}}\n'
    assert read(text, "x.jsonl::llm") is not None


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("key.jsonl").write_text(f'{{"id": "d", "text": "Anna", "spans": [{SPAN}]}}\n', encoding="utf-8")
    Path("x.jsonl").write_text(f'{{"id": "d", "text": "Anna", "spans": [{TWICE}]}}\n', encoding="utf-8")
    outcome = run(capsys, "score", "key.jsonl", "x.jsonl", "--task", "span")
    assert outcome.code == 3
    assert "x.jsonl:1: the key 'label' occurs twice in one object" in outcome.err


class TestAgainstASlowReference:
    """Random JSON with colons, escapes and repeated keys, against comparing the keys of every object."""

    STRINGS = ("a", "b", "a:b", ":", "\\u003a", "\\u003A", "\\\\u003a", "\\u0061", "é", "\\n", "")

    def text(self, draw: random.Random, depth: int = 0) -> str:
        kind = draw.randrange(6 if depth < 3 else 3)
        if kind < 3:
            return (f'"{draw.choice(self.STRINGS)}"', str(draw.choice([0, -1.5, 1e300])), "null")[kind]
        size = draw.randrange(4)
        if kind == 3:
            return f"[{', '.join(self.text(draw, depth + 1) for _ in range(size))}]"
        return self.object(draw, size, depth)

    def object(self, draw: random.Random, size: int, depth: int) -> str:
        names = draw.sample(self.STRINGS, size) if draw.random() < 0.7 else draw.choices(self.STRINGS, k=size)
        members = ", ".join(f'"{name}" : {self.text(draw, depth + 1)}' for name in names)
        return f"{{{members}}}"

    @staticmethod
    def repeats(text: str, *, outer: bool = False) -> bool:
        found: list[bool] = []

        def compare(pairs: list[tuple[str, Any]]) -> None:
            found.append(len({name for name, _ in pairs}) < len(pairs))

        json.loads(text, object_pairs_hook=compare)
        return found[-1] if outer else any(found)

    @pytest.mark.parametrize("seed", range(3))
    def test_they_agree(self, seed: int) -> None:
        draw = random.Random(seed)
        texts = [self.object(draw, draw.randrange(5), 0) for _ in range(400)]
        source = Source.of_text("x", b"\n" * len(texts))
        refused = 0
        for text in texts:
            for check, outer in ((check_keys, False), (check_outer_keys, True)):
                arguments = (json.loads(text),) if check is check_keys else ()
                try:
                    check(source, 0, text.encode(), *arguments)
                except ReadError:
                    refused += 1
                    assert self.repeats(text, outer=outer), text
                else:
                    assert not self.repeats(text, outer=outer), text
        assert 40 < refused < 600
        first = next(number for number, text in enumerate(texts) if self.repeats(text))
        pieces = [text.encode() for text in texts]
        check_all_keys(source, range(first), pieces[:first])
        with pytest.raises(ReadError, match=f"^x:{first + 1}: "):
            check_all_keys(source, range(len(texts)), pieces)

"""Samples are written after https://huggingface.co/docs/transformers/main_classes/pipelines (token classification)."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats import doccano, elevant, label_studio, prodigy
from comparanda.formats.contract import Request
from comparanda.formats.hugging_face import FORMAT, sniff
from comparanda.formats.inputs import Input, read_input
from tests.formats.corpora import notes, refusal, said, span_lines, spans, words

TEXT = "Anna Johnson met Zoë in New York."
ANNA = {"entity_group": "PER", "score": 0.75, "word": "Anna Johnson", "start": 0, "end": 12}
YORK = {"entity_group": "LOC", "score": 0.5, "word": "new york", "start": 24, "end": 32}
NUMBERED = "key: documents have no names; they are numbered instead: 1 (d.json:1)"
HINT = 'write an entity like this: {"entity_group": "PER", "score": 0.9, "word": "Anna", "start": 0, "end": 4}'


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(given: Any, options: str = "", *, lines: bool = False) -> Corpus:
    """Read a value written as JSON, or its elements one a line; a text as it is."""
    one = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    text = "\n".join(json.dumps(each, ensure_ascii=False) for each in given) if lines else one
    Path("d.json").write_text(text + "\n", encoding="utf-8")
    return read_input(Input.parse(f"d.json::hugging-face{options}"), Request(side="key", layer="spans"), "tokens")


def refused(given: Any, options: str = "", *, lines: bool = False) -> str:
    return refusal(read, given, options, lines=lines)


def piece(tag: str, word: str, begin: Any, end: Any, *, index: int | None = None, score: float = 0.5) -> dict[str, Any]:
    """A piece of a word, as pipelines without aggregation return it."""
    found = {"entity": tag, "score": score, "index": index, "word": word, "start": begin, "end": end}
    return {name: value for name, value in found.items() if name != "index" or value is not None}


class TestShapes:
    EXPECTED = (("document 1", 0, 12, "PER"), ("document 3", 24, 32, "LOC"))

    @pytest.mark.parametrize("lines", [False, True])
    def test_a_list_a_text(self, lines: bool) -> None:
        corpus = read([[ANNA], [], [YORK]], lines=lines)
        assert tuple(spans(corpus)) == self.EXPECTED
        assert corpus.documents.names == ("document 1", "document 2", "document 3")
        assert said(corpus, "probability") == [0.75, 0.5]
        assert span_lines(corpus) == (["d.json:1", "d.json:3"] if lines else ["d.json:1", "d.json:1"])
        assert (corpus.raw, corpus.words, notes(corpus)) == (None, None, [NUMBERED])
        assert corpus.format == "hugging-face"

    def test_one_text(self) -> None:
        assert spans(read([ANNA, YORK])) == [("document 1", 0, 12, "PER"), ("document 1", 24, 32, "LOC")]

    def test_over_several_lines(self) -> None:
        assert tuple(spans(read(json.dumps([[ANNA], [], [YORK]], indent=2)))) == self.EXPECTED

    @pytest.mark.parametrize("lines", [False, True])
    def test_objects(self, lines: bool) -> None:
        given = [
            {"id": "a", "text": TEXT, "entities": [ANNA, YORK], "model": "x"},
            {"id": "b", "text": "", "entities": []},
        ]
        corpus = read(given, lines=lines)
        assert spans(corpus) == [("a", 0, 12, "PER"), ("a", 24, 32, "LOC")]
        assert words(corpus)[:2] == ["Anna", "Johnson"]
        assert corpus.documents.attributes["model"].values() == ["x", None]
        assert notes(corpus) == []

    def test_objects_without_texts(self) -> None:
        corpus = read([{"id": "a", "predictions": [ANNA]}])
        assert (spans(corpus), corpus.raw) == ([("a", 0, 12, "PER")], None)

    def test_fields_may_be_named(self) -> None:
        given = [{"file": "a", "body": TEXT, "found": [ANNA], "entities": ["Anna"]}]
        corpus = read(given, "?document=file&text=body&spans=found")
        assert (spans(corpus), words(corpus)[0]) == ([("a", 0, 12, "PER")], "Anna")
        assert not corpus.documents.attributes

    def test_several_files(self) -> None:
        Path("c").mkdir()
        for name in "ab":
            Path(f"c/{name}.json").write_text(json.dumps([[ANNA], [YORK]]))
        corpus = read_input(Input.parse("c::hugging-face"), Request(side="key", layer="spans"), "tokens")
        assert corpus.documents.names == tuple(f"document {number}" for number in (1, 2, 3, 4))
        assert span_lines(corpus)[2] == "c/b.json:1"

    def test_other_fields_are_columns(self) -> None:
        corpus = read([[ANNA | {"id": "Q1|nil", "lemma": "anna", "start_char": 0}]])
        assert (said(corpus, "id"), said(corpus, "lemma")) == (["Q1|NIL"], ["anna"])

    def test_scores_that_numpy_made_texts_of(self) -> None:
        assert said(read([[ANNA | {"score": "0.25"}]]), "probability") == [0.25]

    def test_without_scores(self) -> None:
        corpus = read([[{"entity_group": "PER", "word": "Anna", "start": 0, "end": 4}]])
        assert corpus.spans is not None
        assert "probability" not in corpus.spans.columns


class TestPieces:
    """Without aggregation: pieces of words, joined by their prefixes where no other token stands between them."""

    def test_are_joined_and_their_scores_averaged(self) -> None:
        corpus = read(
            [
                [
                    piece("B-PER", word="Anna", begin=0, end=4, index=1, score=1.0),
                    piece("I-PER", word="John", begin=5, end=9, index=2, score=0.5),
                    piece("I-PER", word="##son", begin=9, end=12, index=3, score=0.75),
                    piece("B-PER", word="Zo", begin=17, end=19, index=5),
                    piece("I-PER", word="##ë", begin=19, end=20, index=6),
                    piece("I-LOC", word="New", begin=24, end=27, index=8, score=0.25),
                    piece("I-LOC", word="York", begin=28, end=32, index=9, score=0.75),
                ]
            ]
        )
        assert [span[1:] for span in spans(corpus)] == [(0, 12, "PER"), (17, 20, "PER"), (24, 32, "LOC")]
        assert said(corpus, "probability") == [0.75, 0.5, 0.5]
        assert notes(corpus) == [NUMBERED]

    @pytest.mark.parametrize(
        ("tags", "expected"),
        [
            ("B-X B-X", ["X", "X"]),
            ("B-X I-Y", ["X", "Y"]),
            ("I-X I-X", ["X"]),
            ("B-X E-X S-X", ["X", "X"]),
            ("B-X L-X I-X", ["X", "X"]),
            ("I-X U-X U-X", ["X", "X", "X"]),
            ("X X Y", ["X", "Y"]),
            ("E-mail E-mail", ["E-mail"]),
        ],
    )
    def test_by_their_prefixes(self, tags: str, expected: list[str]) -> None:
        pieces = [
            piece(tag, word="a", begin=2 * place, end=2 * place + 1, index=place)
            for place, tag in enumerate(tags.split())
        ]
        assert [span[3] for span in spans(read([pieces]))] == expected

    def test_another_token_between_them_parts_them(self) -> None:
        apart = [piece("B-X", word="a", begin=0, end=1, index=1), piece("I-X", word="b", begin=2, end=3, index=3)]
        assert [span[1:3] for span in spans(read([apart]))] == [(0, 1), (2, 3)]

    def test_without_an_index_the_text_tells(self) -> None:
        pieces = [piece("B-X", "Anna", 0, 4), piece("I-X", "Bo", 5, 7)]
        assert [span[1:3] for span in spans(read([{"text": "Anna Bo", "entities": pieces}]))] == [(0, 7)]
        assert [span[1:3] for span in spans(read([{"text": "Anna-Bo", "entities": pieces}]))] == [(0, 4), (5, 7)]
        assert refused([pieces]) == (
            "d.json:1: cannot determine whether '[1]' continues the previous piece\n"
            "  keep 'index', or give the texts, or aggregate: aggregation_strategy='simple'"
        )

    def test_without_an_index_those_that_touch_belong_together(self) -> None:
        assert [span[1:3] for span in spans(read([[piece("B-X", "An", 0, 2), piece("I-X", "##na", 2, 4)]]))] == [(0, 4)]

    def test_spans_that_begin_inside_of_a_word_are_counted(self) -> None:
        corpus = read(
            [
                [
                    piece("B-X", word="micro", begin=0, end=5, index=1),
                    piece("B-Y", word="##soft", begin=5, end=9, index=2),
                ]
            ]
        )
        assert [span[1:] for span in spans(corpus)] == [(0, 5, "X"), (5, 9, "Y")]
        assert notes(corpus)[1:] == [
            "key: spans that begin inside of a word, as its pieces are tagged separately: 1 (d.json:1)"
        ]

    def test_what_is_outside_is_no_span(self) -> None:
        corpus = read(
            [
                [
                    piece("B-X", word="a", begin=0, end=1, index=1),
                    piece("O", word="b", begin=2, end=3, index=2),
                    piece("I-X", word="c", begin=4, end=5, index=3),
                ]
            ]
        )
        assert [span[1:3] for span in spans(corpus)] == [(0, 1), (4, 5)]
        assert notes(corpus)[1:] == ["key: entities with the label 'O' ignored: 1 (d.json:1)"]

    def test_beside_aggregated_entities(self) -> None:
        assert refused([[ANNA], [piece("B-X", word="a", begin=0, end=1, index=1)]], lines=True) == (
            "d.json:2: '[0]' has 'entity', but others have 'entity_group'\n  the first is at d.json:1\n"
            "  put aggregated entities and word pieces into separate files"
        )


class TestWords:
    """A word is as the tokenizer writes it: in lower case, without accents, with other spaces."""

    def test_such_differences_are_none(self) -> None:
        zoe = {"entity_group": "PER", "score": 0.5, "word": "zoe", "start": 17, "end": 20}
        assert notes(read([{"id": 1, "text": TEXT, "entities": [YORK, zoe]}])) == []

    def test_others_are_counted(self) -> None:
        entities = [ANNA, YORK, YORK | {"word": "London"}]
        assert notes(read([{"id": 1, "text": TEXT, "entities": entities}])) == [
            "key: entities whose word differs from the covered text; their offsets are used: 1 (d.json:1)"
        ]

    def test_most_that_differ_are_refused(self) -> None:
        assert refused([{"id": 1, "text": TEXT, "entities": [ANNA | {"start": 17, "end": 20}]}]) == (
            "d.json:1: 1 of 1 entities do not match their word\n"
            "  check that these are the texts that the pipeline was given"
        )

    def test_pieces_in_a_script_of_bytes_are_not_compared(self) -> None:
        pieces = [
            piece("B-PER", word="ĠZoÃ«", begin=16, end=20, index=1),
            piece("I-PER", word="[UNK]", begin=21, end=23, index=2),
        ]
        assert notes(read([{"id": 1, "text": TEXT, "entities": pieces}])) == []


class TestDefects:
    @pytest.mark.parametrize("field", ["start", "end"])
    def test_slow_tokenizers_tell_no_places(self, field: str) -> None:
        assert refused([[ANNA | {field: None}]]) == (
            "d.json:1: '[0]' has no 'start' and 'end'\n"
            "  use a fast tokenizer (use_fast=True): slow ones return no offsets"
        )

    @pytest.mark.parametrize(
        ("entity", "message"),
        [
            ("x", f"'entities[1]' is a string, not an object\n  {HINT}"),
            ({"start": 0, "end": 4}, f"missing 'entities[1].entity', expected a string\n  {HINT}"),
            (ANNA | {"entity_group": 3}, f"'entities[1].entity_group' is 3, not a string\n  {HINT}"),
            (ANNA | {"start": "0"}, "'entities[1].start' is a string, not an integer"),
            (ANNA | {"score": "high"}, "'entities[1].score' is a string, not a number"),
            (ANNA | {"score": [1]}, "'entities[1].score' is an array, not a number"),
        ],
    )
    def test_malformed_entities(self, entity: Any, message: str) -> None:
        first = [] if message.startswith("missing 'entities[1].entity'") else [ANNA]
        shown = message if first else message.replace("[1]", "[0]")
        assert refused([{"id": 1, "text": TEXT, "entities": [*first, entity]}]) == f"d.json:1: {shown}"

    def test_what_is_no_result(self) -> None:
        assert refused([[ANNA], 3], lines=True) == (
            f"d.json:2: this is an integer, not the entities of a text\n  {HINT}"
        )
        assert refused([{"id": 1, "text": TEXT, "found": []}]) == (
            "d.json:1: cannot determine which field holds the entities\n"
            "  fields: id, text, found\n  name it: ?spans=FIELD"
        )
        assert refused([{"id": 1, "entities": {}}], "?spans=entities").startswith(
            "d.json:1: there is no list 'entities'\n"
        )

    def test_texts_and_names_of_some_documents_alone(self) -> None:
        whole, none = {"id": "a", "text": TEXT, "entities": []}, {"id": "b", "entities": []}
        hint = "give all documents their text, or none"
        assert refused([whole, none], lines=True) == (
            f"d.json:2: this document has no text, but the first has one\n  {hint}"
        )
        assert refused([none, whole], lines=True) == (
            f"d.json:2: this document has a text, but the first has none\n  {hint}"
        )
        assert refused([whole, {"text": TEXT, "entities": []}], lines=True) == (
            "d.json:2: the document has no 'id'\n  name all documents, or none: ?document=FIELD"
        )
        assert refused([whole, whole], lines=True).startswith("d.json:2: duplicate document 'a'\n")

    def test_outside_of_the_text(self) -> None:
        assert refused([{"id": 1, "text": TEXT, "entities": [ANNA, YORK | {"end": 99}]}]).startswith(
            "d.json:1: entity 2 of document '1' ends at 99, but the text has 33 characters\n"
        )

    def test_cut_off(self) -> None:
        line = json.dumps([ANNA])
        assert refused(f"{line}\n{line[:-9]}") == (
            "d.json:2: the JSON array is cut off\n  JSONL needs one complete array per line"
        )
        assert refused(f"{line}\n{line}x").startswith("d.json:2: not JSON: ")
        assert refused(line[:-2]).startswith("d.json:1: the JSON array is cut off\n")
        assert refused("[]") == "d.json: there are no objects in this file"

    @pytest.mark.parametrize("bracket", ["[", '{"entities":', "[]\n[" + "[" * 1000])
    def test_ten_million_brackets(self, bracket: str) -> None:
        begin = time.process_time()
        assert refused(bracket * (10_000_000 // len(bracket))).startswith("d.json:")
        assert time.process_time() - begin < 5


class TestSniff:
    @pytest.mark.parametrize(
        "given",
        [
            [[ANNA], [YORK]],
            [[], [YORK]],
            [ANNA],
            [[piece("B-X", word="a", begin=0, end=1, index=1)]],
            [{"id": "a", "entities": [ANNA]}],
            [{"text": TEXT, "predictions": [piece("B-X", word="a", begin=0, end=1, index=1)]}],
        ],
    )
    def test_results_are_told(self, given: Any) -> None:
        for text in (json.dumps(given), json.dumps(given, indent=2), "\n".join(map(json.dumps, given))):
            assert sniff(text.split("\n")) or text.startswith('{"entity')
            assert not any(each.sniff(text.split("\n")) for each in (doccano, elevant, label_studio, prodigy))
        Path("d.json").write_text(json.dumps(given))
        assert read_input(Input(path="d.json"), Request(side="key", layer="spans"), "tokens").format == "hugging-face"

    @pytest.mark.parametrize(
        "line",
        [
            '{"text": "Anna", "entities": [{"start": 0, "end": 4, "label": "PER"}]}',
            '[{"entity": "x", "relation": "y"}]',
            "[[1, 2]]",
            "[]",
            "[" * 1000,
        ],
    )
    def test_other_json_is_not(self, line: str) -> None:
        assert not sniff([line])

    def test_the_format(self) -> None:
        assert FORMAT.layers == frozenset({"spans"})
        assert list(FORMAT.options) == ["document", "spans", "text", "offsets", "base", "strip"]

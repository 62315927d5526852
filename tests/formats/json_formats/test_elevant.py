"""ELEVANT's JSONL.

The fields are those of docs/our_jsonl_format.md, docs/add_benchmark.md and docs/link_benchmark_articles.md of
https://github.com/ad-freiburg/elevant; the articles here are made up.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats.contract import Request
from comparanda.formats.elevant import FORMAT, sniff
from comparanda.formats.inputs import Input, find_formats, read_input
from tests.formats.corpora import notes, refusal, said, span_lines, spans, words
from tests.seeds import first_few
from tests.shared_data import shared

TEXT = "😀 Ada met the Queen in Rome."
ADA, ROME, QUEEN = [2, 5], [23, 27], [10, 19]
LABELS: list[dict[str, Any]] = [
    {"id": 0, "span": ADA, "entity_id": "Q7259", "name": "Ada Lovelace", "type": "Q215627"},
    {"id": 1, "span": ROME, "entity_id": "<NO_MAPPING>", "name": "Unknown", "type": "OTHER"},
]
MENTIONS: list[dict[str, Any]] = [
    {"span": ADA, "id": "Q7259", "recognized_by": "ner", "linked_by": "el", "candidates": ["Q1", "Q7259"]},
    {"span": ROME, "id": "<NIL>", "recognized_by": "ner", "linked_by": "el", "candidates": []},
]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def article(number: int = 0, **fields: Any) -> dict[str, Any]:
    return {"id": number, "title": "", "text": TEXT, "evaluation_span": [0, len(TEXT)], **fields}


def read(*articles: Any, written: str = "a.jsonl::elevant") -> Corpus:
    lines = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in articles]
    Path(Input.parse(written).path).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return read_input(Input.parse(written), Request(side="key", layer="spans"), "tokens")


def refused(*articles: Any, written: str = "a.jsonl::elevant") -> str:
    return refusal(read, *articles, written=written)


class TestLabels:
    def test_a_benchmark(self) -> None:
        corpus = read(article(7, title="News", labels=LABELS), article(8, labels=[]), written="a.jsonl")
        assert spans(corpus) == [("7", 2, 5, "ENTITY"), ("7", 23, 27, "ENTITY")]
        assert (corpus.format, corpus.documents.names, notes(corpus)) == ("elevant", ("7", "8"), [])
        assert said(corpus, "id") == ["Q7259", "NIL"]
        assert said(corpus, "type") == ["Q215627", "OTHER"]
        assert said(corpus, "name") == ["Ada Lovelace", "Unknown"]
        assert span_lines(corpus) == ["a.jsonl:1", "a.jsonl:1"]
        assert words(corpus)[:2] == ["😀", "Ada"]
        assert corpus.documents.attributes["title"].values() == ["News", None]

    def test_the_type_as_label(self) -> None:
        corpus = read(article(labels=LABELS), written="a.jsonl::elevant?label=type")
        assert [span[3] for span in spans(corpus)] == ["Q215627", "OTHER"]

    def test_without_the_field_the_label_is_the_usual_one(self) -> None:
        corpus = read(article(entity_mentions=MENTIONS), written="a.jsonl::elevant?label=type")
        assert [span[3] for span in spans(corpus)] == ["ENTITY", "ENTITY"]

    @pytest.mark.parametrize("unknown", ["<NIL>", "<NO_MAPPING>", "Unknown", "Unknown12"])
    def test_unknown_entities(self, unknown: str) -> None:
        corpus = read(article(labels=[{**LABELS[0], "entity_id": unknown}]))
        assert said(corpus, "id") == ["NIL"]

    def test_an_entity_whose_name_begins_like_unknown(self) -> None:
        assert said(read(article(labels=[{**LABELS[0], "entity_id": "Unknown Pleasures"}])), "id") == [
            "Unknown Pleasures"
        ]

    def test_optional_labels_and_coreferences(self) -> None:
        labels = [
            {**LABELS[0], "optional": True, "coref": False},
            {"id": 2, "span": QUEEN, "entity_id": "Q9682", "coref": True, "desc": True},
            LABELS[1],
        ]
        corpus = read(article(labels=labels))
        assert said(corpus, "optional") == [True, False, False]
        assert said(corpus, "desc") == [False, True, False]
        assert said(corpus, "coref") == ["false", "true", None]  # no word is not the same as "false"

    def test_nested_labels_know_their_parents(self) -> None:
        labels = [
            {"id": 3, "span": [10, 27], "entity_id": "Q1", "parent": None, "children": [5]},
            {"id": 5, "span": ROME, "entity_id": "Q220", "parent": 3, "children": []},
            {**LABELS[0], "parent": None, "children": []},
        ]
        corpus = read(article(labels=labels))
        assert said(corpus, "label_id") == ["3", "5", None]
        assert said(corpus, "parent") == [None, "3", None]

    def test_a_label_listed_among_the_children_of_another_than_its_parent(self) -> None:
        labels = [
            {"id": 3, "span": [10, 27], "entity_id": "Q1", "children": [5, 6]},
            {"id": 5, "span": ROME, "entity_id": "Q220", "parent": 3, "children": [6]},
            {"id": 6, "span": [10, 13], "entity_id": "Q2", "parent": 3},
        ]
        assert said(read(article(labels=labels)), "listed_by") == [None, None, "5"]


class TestMentions:
    def test_linked_articles(self) -> None:
        corpus = read(article(entity_mentions=MENTIONS, labels=LABELS[:1]), article(1, labels=LABELS))
        assert spans(corpus) == [("0", 2, 5, "ENTITY"), ("0", 23, 27, "ENTITY")]
        assert said(corpus, "id") == ["Q7259", "NIL"]
        assert said(corpus, "candidates") == ["Q1|Q7259", None]
        assert (said(corpus, "recognized_by"), said(corpus, "linked_by")) == (["ner", "ner"], ["el", "el"])
        assert corpus.documents.names == ("0", "1")  # an article in which nothing was found has no mentions at all

    def test_a_mention_without_an_id_is_linked_to_nothing(self) -> None:
        assert said(read(article(entity_mentions=[{"span": ADA}, {"span": ROME, "id": None}])), "id") == ["NIL", "NIL"]

    def test_labels_of_linked_articles_can_be_read_too(self) -> None:
        corpus = read(article(entity_mentions=[], labels=LABELS), written="a.jsonl::elevant?annotations=labels")
        assert len(spans(corpus)) == 2
        assert spans(read(article(entity_mentions=[], labels=LABELS))) == []

    def test_a_linker_that_found_nothing(self) -> None:
        """Otherwise the labels, which are in its file too, would be taken for its output."""
        nothing = article(labels=LABELS)
        assert spans(read(nothing, written="x.linked_articles.jsonl")) == []
        assert spans(read(nothing, written="a.jsonl::elevant?annotations=mentions")) == []
        assert len(spans(read(nothing))) == 2

    def test_what_is_not_evaluated_is_passed_over(self) -> None:
        fields: dict[str, Any] = {"evaluation_span": [6, len(TEXT)], "labels": LABELS}
        corpus = read(article(entity_mentions=MENTIONS, **fields))
        assert spans(corpus) == [("0", 23, 27, "ENTITY")]
        assert notes(corpus) == ["key: mentions outside of the evaluation span of their article ignored: 1 (a.jsonl:1)"]
        assert len(spans(read(article(**fields)))) == 2  # ELEVANT counts every label


class TestSimple:
    def test_predictions_are_numbered_as_articles_are(self) -> None:
        found = {"entity_reference": "https://en.wikipedia.org/wiki/Rome", "start_char": 23, "end_char": 27}
        corpus = read(
            {"predictions": [found]}, {"predictions": []}, {"predictions": [{**found, "entity_reference": ""}]}
        )
        assert spans(corpus) == [("0", 23, 27, "ENTITY"), ("2", 23, 27, "ENTITY")]
        assert said(corpus, "id") == ["https://en.wikipedia.org/wiki/Rome", "NIL"]
        assert (corpus.documents.names, corpus.raw) == (("0", "1", "2"), None)

    def test_labels(self) -> None:
        label = {"entity_reference": "Rome", "start_char": 23, "end_char": 27}
        corpus = read({"text": TEXT, "labels": [label]})
        assert (spans(corpus), said(corpus, "id")) == ([("0", 23, 27, "ENTITY")], ["Rome"])


class TestOffsets:
    def test_they_count_code_points(self) -> None:
        corpus = read(article(labels=LABELS))
        assert corpus.raw is not None
        assert [corpus.raw.documents[0][begin:end] for _, begin, end, _ in spans(corpus)] == ["Ada", "Rome"]

    def test_another_unit(self) -> None:
        labels = [{**LABELS[0], "span": [3, 6]}]
        assert spans(read(article(labels=labels), written="a.jsonl::elevant?offsets=utf-16")) == [("0", 2, 5, "ENTITY")]


class TestRefused:
    @pytest.mark.parametrize(
        ("fields", "what"),
        [
            ({"labels": {}}, "a.jsonl:1: 'labels' is an object, not an array"),
            ({"labels": [[0, 4]]}, "a.jsonl:1: 'labels[0]' is an array, not an object"),
            ({"labels": [{"entity_id": "Q1"}]}, "a.jsonl:1: missing 'labels[0].start_char', expected"),
            ({"labels": [{"span": ADA}]}, "a.jsonl:1: missing 'labels[0].entity_id', expected a string"),
            ({"labels": [{"span": ADA, "entity_id": 7}]}, "a.jsonl:1: 'labels[0].entity_id' is 7, not a string"),
            ({"labels": [{"span": [2], "entity_id": "Q1"}]}, "a.jsonl:1: 'labels[0].span' is an array, not a pair of"),
            ({"labels": [{"span": [2, "5"], "entity_id": "Q"}]}, "a.jsonl:1: 'labels[0].span' is an array, not a pair"),
            ({"labels": [{"span": [2, 10**30], "entity_id": "Q"}]}, "a.jsonl:1: 'labels[0].span.[1]' is 1000000"),
            ({"labels": [{"span": [2, 99], "entity_id": "Q"}]}, "a.jsonl:1: labels[0] of document '0' ends at 99, but"),
            (
                {"labels": [{"span": [5, 2], "entity_id": "Q"}]},
                "a.jsonl:1: labels[0] of document '0' ends at 2, before",
            ),
            ({"labels": [], "id": [1]}, "a.jsonl:1: 'id' is an array, not a string"),
            ({"labels": [], "text": 5}, "a.jsonl:1: 'text' is 5, not a string"),
            ({"labels": [], "text": "a\0b"}, "a.jsonl:1: a NUL character in 'text'"),
            ({"entity_mentions": [{"span": ADA, "candidates": "Q1"}]}, "a.jsonl:1: 'entity_mentions[0].candidates' is"),
            ({"entity_mentions": [], "evaluation_span": [0]}, "a.jsonl:1: 'evaluation_span' is an array, not a pair"),
        ],
    )
    def test_a_wrong_field(self, fields: dict[str, Any], what: str) -> None:
        assert refused(article(**fields)).startswith(what)

    def test_the_same_id_twice(self) -> None:
        assert refused(article(labels=[]), article(labels=[])) == (
            "a.jsonl:2: duplicate document '0'\n"
            "  the first is at a.jsonl:1\n"
            "  rename one: document names must be unique"
        )

    def test_a_text_that_is_missing(self) -> None:
        assert refused(article(labels=[]), {"id": 1, "labels": []}) == (
            "a.jsonl:2: missing 'text', expected a string\n  give all articles their text, or none"
        )

    def test_articles_with_neither_labels_nor_mentions(self) -> None:
        assert refused(article()) == (
            "a.jsonl: no article has labels, entity_mentions or predictions\n"
            "  the first has: id, title, text, evaluation_span\n"
            "  use ?annotations=mentions if the linker found nothing at all"
        )

    def test_a_line_that_is_cut_off(self) -> None:
        whole = json.dumps(article(labels=LABELS))
        assert refused(whole, whole[:90]).startswith("a.jsonl:2: the JSON object is cut off")

    def test_no_object(self) -> None:
        assert refused("7").startswith("a.jsonl:1: not a JSON object, but of type int")

    def test_brackets_without_end(self) -> None:
        assert "nested too deeply" in refused('{"labels": ' + "[" * 10_000_000)

    def test_an_unknown_choice(self) -> None:
        written = "a.jsonl::elevant?annotations=gold"
        assert refusal(read, article(labels=[]), written=written, code=2) == (
            "invalid annotations='gold'\n  one of: auto, labels, mentions"
        )


class TestSniffing:
    @pytest.mark.parametrize(
        "line",
        [
            json.dumps(article(labels=LABELS)),
            json.dumps(article(entity_mentions=MENTIONS)),
            '{"predictions": [{"entity_reference": "Rome", "start_char": 0, "end_char": 4}]}',
            '{"text": "x", "labels": [{"entity_reference": "Rome", "start_char": 0, "end_char": 4}]}',
            json.dumps(article(text="x" * 60_000, labels=LABELS))[:60_400],
        ],
    )
    def test_articles(self, line: str) -> None:
        assert sniff([line])
        assert [name for name, each in find_formats().items() if each.sniff([line]) and not each.general] == ["elevant"]

    @pytest.mark.parametrize(
        "line",
        [
            '{"text": "Ada", "labels": [[0, 3, "PER"]]}',
            '{"text": "Ada", "labels": [{"span": [0, 3], "label": "PER"}]}',
            '{"id": 1, "data": {"text": "Ada"}, "predictions": [{"result": []}]}',
            '{"id": "a", "text": "Ada", "spans": [{"begin": 0, "end": 3, "label": "PER"}]}',
            "Ada B-PER",
            "[" * 5000,
        ],
    )
    def test_other_files(self, line: str) -> None:
        assert not sniff([line])

    def test_files_are_known_by_their_endings(self) -> None:
        assert FORMAT.suffixes == (".linked_articles.jsonl", ".benchmark.jsonl")


class TestRealFiles:
    """KORE50 and the output of nine linkers, as ELEVANT publishes them."""

    SYSTEMS = (
        *("ambiverse", "baseline", "dbpedia_spotlight", "genre__yago_", "neural_el", "refined__aida_"),
        *("rel__2014_", "spel__large_", "wat"),
    )

    @staticmethod
    def corpus(path: str) -> tuple[Corpus, list[dict[str, Any]]]:
        file = shared(f"data/el/elevant/{path}")
        articles = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        return read_input(Input.parse(str(file)), Request(side="x", layer="spans"), "tokens"), articles

    def test_the_benchmark(self) -> None:
        corpus, articles = self.corpus("gold/kore50.benchmark.jsonl")
        assert (len(corpus.documents), len(spans(corpus)), notes(corpus)) == (50, 144, [])
        assert Counter(said(corpus, "id"))["NIL"] == 1
        assert corpus.raw is not None
        assert list(corpus.raw.documents) == [each["text"] for each in articles]

    @pytest.mark.parametrize("system", first_few(2, SYSTEMS))
    def test_each_system(self, system: str) -> None:
        key, _ = self.corpus("gold/kore50.benchmark.jsonl")
        corpus, articles = self.corpus(f"systems/{system}.kore50.linked_articles.jsonl")
        given = [(str(each["id"]), mention) for each in articles for mention in each.get("entity_mentions", [])]
        assert spans(corpus) == [(name, *mention["span"], "ENTITY") for name, mention in given]
        assert said(corpus, "id") == [mention["id"].replace("<NIL>", "NIL") for _, mention in given]
        assert corpus.documents.names == key.documents.names
        assert corpus.raw is not None
        assert key.raw is not None
        assert corpus.raw.documents == key.raw.documents

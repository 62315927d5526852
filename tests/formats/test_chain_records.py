"""Chains in our own JSONL, and in Python objects."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import comparanda as cp
from comparanda.core.corpus import Corpus
from comparanda.core.places import Source
from comparanda.formats.contract import Request
from comparanda.formats.jsonl import read
from comparanda.formats.objects import read_object
from tests.formats.corpora import documents, fragments, notes, refusal, said, spans

TEXT = "Lena sold the old tram. It still runs."
SPANS = [
    {"begin": 0, "end": 4, "label": "PER", "chain": "lena"},
    {"begin": 10, "end": 22, "label": "THING", "chain": "tram", "head": 3, "note": "x"},
    {"begin": 24, "end": 26, "label": "THING", "chain": "tram"},
    {"begin": 18, "end": 22, "label": "THING"},
]


def document(*given: Any, **more: Any) -> dict[str, Any]:
    return {"id": "d1", "text": TEXT, "spans": list(given or SPANS), **more}


def corpus_of(*given: Any, **options: str) -> Corpus:
    text = "".join(json.dumps(each) + "\n" for each in given)
    return read(Source.of_text("f.jsonl", text.encode()), Request(side="key", options=options, layer="chains"))


def refused(*given: Any, code: int = 3, **options: Any) -> str:
    return refusal(corpus_of, *given, code=code, **options)


class TestJsonl:
    def test_spans_name_their_chain(self) -> None:
        corpus = corpus_of(document(topic="city"))
        assert spans(corpus) == [
            ("d1", 0, 4, "PER"), ("d1", 10, 22, "THING"), ("d1", 24, 26, "THING"), ("d1", 18, 22, "THING"),
        ]  # fmt: skip
        assert said(corpus, "chain") == ["lena", "tram", "tram", None]
        assert said(corpus, "note") == [None, "x", None, None]
        assert corpus.documents.attributes["topic"].values() == ["city"]
        assert (corpus.format, corpus.evaluated, notes(corpus)) == ("jsonl", "chains", [])

    @pytest.mark.parametrize("field", ["chain", "chain_id", "cluster", "cluster_id", "coref", "coref_id"])
    def test_other_names_and_numbers(self, field: str) -> None:
        corpus = corpus_of(
            document({"begin": 0, "end": 4}, {"begin": 24, "end": 26, field: 0}, {"begin": 5, "end": 9, field: 3})
        )
        assert said(corpus, "chain") == [None, "0", "3"]
        assert [label for *_, label in spans(corpus)] == ["ENTITY"] * 3

    def test_the_field_can_be_named(self) -> None:
        given = document({"begin": 0, "end": 4, "who": "a", "chain": "b"})
        assert said(corpus_of(given, chain="who"), "chain") == ["a"]
        assert refused(given, chain="when") == "f.jsonl: no span has a 'when'\n  name another: ?chain=FIELD"

    def test_no_chain_at_all_is_noted(self) -> None:
        assert notes(corpus_of(document({"begin": 0, "end": 4}))) == [
            "key: inputs in which no span has a 'chain': every mention is a singleton: 1 (f.jsonl:1)"
        ]
        assert notes(corpus_of({"id": "d1", "text": TEXT, "spans": []})) == []

    def test_fragments_and_zeros(self) -> None:
        corpus = corpus_of(
            document({"fragments": [[10, 13], [18, 22]], "chain": 1}, {"begin": 23, "end": 23, "chain": 1, "zero": 2})
        )
        assert fragments(corpus) == [(0, 10, 13), (0, 18, 22)]
        zeros = said(corpus, "zero")
        assert np.isnan(zeros[0])
        assert zeros[1] == 2

    def test_a_response_may_have_no_texts(self) -> None:
        corpus = corpus_of({"id": "d1", "spans": SPANS})
        assert (corpus.raw, len(corpus.spans or ())) == (None, 4)

    @pytest.mark.parametrize(
        ("span", "message"),
        [
            ({"begin": 0, "end": 4, "chain": [1]}, "spans[0].chain is of type list, which is not a chain name\n"),
            ({"begin": 0, "end": 4, "chain": {}}, "spans[0].chain is of type dict, which is not a chain name\n"),
            ({"begin": 0, "end": 400, "chain": 1}, "spans[0] of document 'd1' ends at 400, but the text has 38"),
            ({"begin": 4, "end": 0, "chain": 1}, "spans[0] of document 'd1' ends at 0, before it begins at 4\n"),
            ({"begin": "a", "end": 0, "chain": 1}, "spans[0].begin is 'a', which is not an integer\n"),
            ({"end": 4, "chain": 1}, "spans[0] has no 'begin'\n"),
        ],
    )
    def test_what_is_refused(self, span: dict[str, Any], message: str) -> None:
        assert refused(document(span)).startswith(f"f.jsonl:1: {message}")

    def test_the_option_is_for_chains(self) -> None:
        def reading() -> Corpus:
            source = Source.of_text("f", json.dumps(document()).encode() + b"\n")
            return read(source, Request(side="key", options={"chain": "x"}, layer="spans"))

        assert refusal(reading, code=2) == (
            "the option 'chain' applies to chains, but this task does not evaluate chains\n  remove it"
        )


class TestObjects:
    def test_documents_with_spans(self) -> None:
        corpus = read_object([document()], Request(side="crf", layer="chains"), "tokens")
        assert said(corpus, "chain") == ["lena", "tram", "tram", None]
        assert (corpus.format, str(corpus.location(0))) == ("python", "<crf>:1")

    def test_documents_with_clusters(self) -> None:
        given = {
            "doc_key": "d1",
            "sentences": [["Lena", "ran"], ["She", "fell"]],
            "clusters": [[(0, 0), np.array([2, 2])]],
        }
        corpus = read_object([given], Request(side="key", layer="chains"), "tokens")
        assert documents(corpus) == {"d1": ["Lena", "ran", "She", "fell"]}
        assert (spans(corpus), said(corpus, "chain")) == (
            [("d1", 0, 1, "ENTITY"), ("d1", 2, 3, "ENTITY")],
            ["1.1", "1.1"],
        )
        assert corpus.format == "python"

    def test_chains_by_the_name_of_their_document(self) -> None:
        corpus = read_object({"d1": [[(0, 2), (5, 6)], [(3, 4)]], 2: []}, Request(side="key", layer="chains"), "tokens")
        assert corpus.words is None
        assert corpus.documents.names == ("d1", "2")
        assert [(begin, end) for _, begin, end, _ in spans(corpus)] == [(0, 2), (5, 6), (3, 4)]
        assert said(corpus, "chain") == ["1.1", "1.1", "1.2"]

    @pytest.mark.parametrize("given", [["NN", "VB"], [("a", "NN")], 3, {"d1": ["NN"]}, [], {}])
    def test_anything_else_is_refused(self, given: Any) -> None:
        found = refusal(read_object, given, Request(side="key", layer="chains"), "tokens", code=2)
        assert found.startswith(
            f"'key' is of type {type(given).__name__}, which cannot be read as tokens\n  accepted are: "
        )
        assert "'sentences' and 'clusters'" in found

    def test_a_mistake_is_told_with_its_place(self) -> None:
        assert refusal(read_object, {"d1": [[(2, 1)]]}, Request(side="crf", layer="chains"), "tokens").startswith(
            "<crf>:1: clusters[0][0] of document 'd1' is 2 to 1, which ends before it begins\n"
        )


def test_all_forms_are_scored_alike() -> None:
    """The same chains from words with numbers, from characters and from numbers alone."""
    words = ["Lena", "sold", "the", "old", "tram", ".", "It", "still", "runs", "."]
    key = [{"doc_key": "d1", "sentences": [words[:6], words[6:]], "clusters": [[[2, 4], [6, 6]], [[0, 0]]]}]
    systems = {
        "numbers": {"d1": [[(2, 5), (6, 7)], [(0, 1)]]},
        "characters": [document(*SPANS[:3])],
        "less": {"d1": [[(2, 5)], [(0, 1)]]},
    }
    result = cp.compare(key, systems, task="coref", resamples=0)
    values = {name: result.scores("mentions").value(name) for name in systems}
    assert values == {"numbers": 1, "characters": 1, "less": pytest.approx(0.8)}
    assert result.scores("muc").value("characters") == 1

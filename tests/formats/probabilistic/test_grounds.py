"""What records stand on: texts, words, or numbers of words; and what they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from tests.formats.corpora import documents, notes, refusal, spans
from tests.formats.probabilistic.files import document, entity, read, refused, weights

ANNA = entity(0, 1, "PER", 0.8)
KEY = "# newdoc id = a\nAnna\tB-PER\nleft\tO\n\n# newdoc id = b\nIn\tO\nYork\tB-LOC\n"


class TestUnits:
    def test_words_beside_entities_are_counted(self) -> None:
        corpus = read({"id": "d", "tokens": ["Anna", "left"], "entities": [ANNA]})
        assert corpus.spans is not None
        assert corpus.spans.unit == "tokens"
        assert documents(corpus) == {"d": ["Anna", "left"]}

    def test_a_text_beside_words_is_counted(self) -> None:
        corpus = read(document(tokens=["Anna", "of"], entities=[entity(0, 4, "PER", 0.8)]))
        assert corpus.spans is not None
        assert corpus.spans.unit == "characters"
        assert list(weights(corpus)) == [(0, 4, "PER")]

    @pytest.mark.parametrize("unit", ["token", "tokens", "word"])
    def test_numbers_of_words_are_those_of_the_key(self, unit: str) -> None:
        Path("key.conll").write_text(KEY)
        corpus = read(
            {"doc": "b", "unit": unit, "entities": [entity(1, 2, "LOC", 0.8)]}, {"doc": "a", "unit": unit, "blocks": []}
        )
        assert (corpus.words, len(corpus), spans(corpus)) == (None, 0, [("b", 1, 2, "LOC")])
        result = cp.compare("key.conll", {"s": "d.jsonl"}, task="prob", resamples=0)
        (run,) = result.verdicts.view().candidates or ()
        assert (run.correct.tolist(), run.text.values()) == ([True], ["York"])

    def test_records_must_count_alike(self) -> None:
        assert refused(document(entities=[]), {"doc": "e", "unit": "token", "entities": []}) == (
            "d.jsonl:2: offsets of this record count tokens, but those of the first characters\n"
            "  use the same unit in all records, or split them into several files"
        )
        words = {"doc": "a", "tokens": ["x"], "entities": []}
        none = {"doc": "b", "unit": "token", "entities": []}
        assert refused(words, none).startswith("d.jsonl:2: this record has no words, but the first has some\n")
        assert refused(none, words).startswith("d.jsonl:2: this record has words, but the first has none\n")

    @pytest.mark.parametrize(("begin", "end"), [(1, 3), (-1, 1), (1, 1), (1, 0)])
    def test_words_that_are_not_there_are_refused(self, begin: int, end: int) -> None:
        given = [{"p": 0.5, "spans": [[begin, end, "X"]]}]
        text = refused({"tokens": ["a", "b"], "nbest": given})
        assert text.startswith(f"d.jsonl:1: 'nbest[0].spans[0]' is from word {begin} to {end} of 2\n")

    def test_numbers_without_names_belong_nowhere(self) -> None:
        text = refused({"unit": "token", "entities": []})
        assert text.startswith("d.jsonl:1: the records have neither words nor names, so they cannot be located\n")

    def test_texts_are_there_for_all_or_for_none(self) -> None:
        text = refused(document(entities=[]), {"doc": "e", "entities": []})
        assert text.startswith("d.jsonl:2: the document 'e' has no text, but the first has one\n")


class TestNames:
    @pytest.mark.parametrize("field", ["doc", "id", "doc_id", "document", "document_id", "doc_key", "name"])
    def test_names_under_many_names(self, field: str) -> None:
        assert read({field: "x", "entities": []}).documents.names == ("x",)

    def test_a_number_is_a_name(self) -> None:
        assert read({"id": 7, "entities": []}).documents.names == ("7",)

    def test_without_names_documents_are_numbered(self) -> None:
        corpus = read({"entities": []}, {"entities": [entity(0, 4, "PER", 0.5)]})
        assert corpus.documents.names == ("document 1", "document 2")
        assert notes(corpus) == ["out: documents have no names; they are numbered instead: 1 (d.jsonl:1)"]

    def test_a_name_that_is_missing_or_there_twice_is_refused(self) -> None:
        one = {"doc": "a", "entities": []}
        assert refused(one, {"entities": []}).startswith("d.jsonl:2: the document has no 'doc'\n")
        assert refused(one, one).startswith("d.jsonl:2: duplicate document 'a'\n")
        number = {"doc": "a", "unit": "token", "entities": []}
        assert refused(number, number).startswith("d.jsonl:2: duplicate document 'a'\n")


class TestLabels:
    @pytest.mark.parametrize("ground", [{"text": "Anna left"}, {"tokens": ["Anna", "left"]}])
    def test_labels_are_cleaned_as_everywhere(self, ground: dict[str, Any]) -> None:
        corpus = read({"doc": "d", **ground, "entities": [entity(0, 1, " PER\u00a0", 0.5)]})
        assert [each[3] for each in spans(corpus)] == ["PER"]
        assert any("spaces around them" in note for note in notes(corpus))


class TestKeys:
    def test_a_key_may_be_written_like_an_output(self) -> None:
        certain = {
            "doc": "d",
            "text": "Anna left",
            "blocks": [{"alternatives": [{"start": 0, "end": 4, "label": "PER"}]}],
        }
        read(certain, name="key.jsonl")
        read({**certain, "blocks": [{"alternatives": [{"start": 0, "end": 4, "label": "PER", "p": 0.6}]}]})
        result = cp.compare("key.jsonl", {"s": "d.jsonl"}, task="prob", resamples=0)
        assert result.scores("expected_recall").value("s") == pytest.approx(0.6)

    def test_but_it_must_be_certain(self) -> None:
        read(document(entities=[entity(0, 4, "PER", 0.8)]))
        text = refusal(cp.compare, "d.jsonl::probabilistic", {"s": "d.jsonl"}, task="prob")
        assert text == (
            "d.jsonl:1: the key has a span that is not certain: its probability is 0.8\n"
            "  is the output given in its place? if these are no probabilities, name another format: ::jsonl"
        )

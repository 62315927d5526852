"""Records with probabilities of tags, token by token."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from tests.formats.corpora import documents, notes, spans, words
from tests.formats.probabilistic.files import document, nothing, read, refused, weights, worlds
from tests.seeds import mostly_slow
from tests.shared_data import shared

ANNA = {"start": 0, "end": 4, "probs": {"B-PER": 0.7, "O": 0.3}}
YORK = [
    {"start": 8, "end": 11, "probs": {"B-LOC": 0.6, "O": 0.4}},
    {"start": 12, "end": 16, "probs": {"I-LOC": 0.5, "B-LOC": 0.2, "O": 0.3}},
]


class TestCharacters:
    def test_places_are_those_of_tokens(self) -> None:
        corpus = read(document(tokens=[ANNA, *YORK]))
        assert weights(corpus) == {(0, 4, "PER"): 0.7, (8, 11, "LOC"): 0.3, (8, 16, "LOC"): 0.3, (12, 16, "LOC"): 0.2}
        assert nothing(corpus) == [0.3, round(0.4 * (1 - 0.2 / 0.7), 9)]  # York may be there, New York is not

    def test_a_chain_of_tokens_has_worlds(self) -> None:
        found = worlds(read(document(tokens=YORK)))
        assert [members for _, members in found] == [
            [(8, 16, "LOC")],
            [(8, 11, "LOC")],
            [(12, 16, "LOC")],
            [(8, 11, "LOC"), (12, 16, "LOC")],
        ]
        assert sum(p for p, members in found if (12, 16, "LOC") in members) == pytest.approx(0.2)

    def test_aggregates(self) -> None:
        corpus = read(document(aggregate="mean", overlap="independent", tokens=YORK))
        assert weights(corpus)[8, 16, "LOC"] == 0.55
        assert corpus.beliefs is not None
        assert corpus.beliefs.policies == {
            "aggregate": "mean",
            "floor": "0.01",
            "overlap": "independent",
            "scale": "prob",
            "semantics": "exclusive",
        }

    def test_weights_that_are_no_probabilities_may_be_too_much(self) -> None:
        text = refused(document(aggregate="min", tokens=YORK))
        assert text.splitlines()[:2] == [
            "d.jsonl:1: 2 overlapping tuples have probabilities that sum to 1.1",
            "  tokens[0]: 8 to 11, LOC 0.6",
        ]


class TestWords:
    FIRST = {"sent": 0, "tokens": ["Anna", "left"], "tags": ["O", "O"], "dist": [{"B-PER": 0.4}, {"O": 1}]}  # noqa: RUF012
    SECOND = {"sent": 1, "tokens": ["In", "York"], "dist": [{"O": 1.0}, {"B-LOC": 0.5, "O": 0.5}]}  # noqa: RUF012

    def test_numbered_sentences_are_one_document(self) -> None:
        corpus = read(self.FIRST, self.SECOND)
        assert words(corpus) == ["Anna", "left", "In", "York"]
        assert corpus.sentences.tolist() == [0, 2, 4]
        assert (corpus.documents.names, corpus.documents.marked) == (("d",), False)
        assert weights(corpus) == {(0, 1, "PER"): 0.4, (3, 4, "LOC"): 0.5}

    def test_named_ones_are_documents_of_sentences(self) -> None:
        corpus = read({"doc": "a", **self.FIRST}, {"doc": "a", **self.SECOND}, {"doc": "b", **self.FIRST})
        assert documents(corpus) == {"a": ["Anna", "left", "In", "York"], "b": ["Anna", "left"]}
        assert spans(corpus) == [("a", 0, 1, "PER"), ("a", 3, 4, "LOC"), ("b", 0, 1, "PER")]

    def test_sentences_without_words_are_passed_over(self) -> None:
        empty: dict[str, list[Any]] = {"tokens": [], "dist": []}
        corpus = read(empty, self.FIRST, empty)
        assert notes(corpus) == ["out: records without words ignored: 2 (d.jsonl:1, d.jsonl:3)"]
        assert refused(empty) == "d.jsonl: there are no words in this file"

    def test_words_as_objects(self) -> None:
        given = [{"text": "Anna", "probs": {"B-PER": 0.4}}, {"text": "left", "dist": {"O": 1.0}}]
        assert weights(read({"tokens": given})) == {(0, 1, "PER"): 0.4}

    def test_they_align_with_a_key_without_documents(self) -> None:
        Path("key.conll").write_text("Anna\tB-PER\nleft\tO\n\nIn\tO\nYork\tB-LOC\n")
        read(self.FIRST, self.SECOND)
        result = cp.compare("key.conll", {"s": "d.jsonl"}, task="prob", resamples=0)
        found = {each.measure: each.value for each in result.scores().scores}
        assert found["expected_precision"] == 1.0
        assert found["expected_recall"] == pytest.approx(0.45)


class TestTags:
    def test_spans_with_ends(self) -> None:
        given = [{"B-X": 0.5, "U-X": 0.2}, {"L-X": 0.8, "I-X": 0.1}, {"L-X": 0.5}]
        corpus = read({"tokens": ["a", "b", "c"], "dist": given})
        assert weights(corpus) == {(0, 1, "X"): 0.2, (0, 2, "X"): 0.4, (0, 3, "X"): 0.025}

    def test_labels_alone_are_runs(self) -> None:
        given = [{"PERSON": 0.6, "O": 0.4}, {"PERSON": 0.5, "O": 0.5}]
        corpus = read({"tokens": ["a", "b"], "dist": given})
        assert weights(corpus) == {(0, 1, "PERSON"): 0.3, (0, 2, "PERSON"): 0.3, (1, 2, "PERSON"): 0.2}

    def test_what_is_no_tag_is_refused(self) -> None:
        text = refused({"tokens": ["a"], "dist": [{"B-X": 0.5, "maybe": 0.1}]})
        assert text.splitlines()[0] == (
            "d.jsonl:1: 'tokens[0]' has the tag 'maybe', which neither begins nor continues a span"
        )


class TestSums:
    def test_rounded_rows_are_divided(self) -> None:
        corpus = read({"tokens": ["a"], "dist": [{"B-X": 0.6024, "B-Y": 0.4016}]})
        assert weights(corpus) == {(0, 1, "X"): 0.6, (0, 1, "Y"): 0.4}
        what = "out: tokens whose tag probabilities sum to more than one by rounding, normalised"
        assert notes(corpus) == [f"{what}: 1 (d.jsonl:1)"]

    def test_others_are_refused(self) -> None:
        text = refused({"tokens": ["a", "b"], "dist": [{"O": 1}, {"B-X": 0.6, "O": 0.6}]})
        assert text.startswith("d.jsonl:1: the tags of 'tokens[1]' have probabilities that sum to 1.2\n")

    def test_what_is_left_out_is_counted(self) -> None:
        corpus = read({"tokens": ["a", "b"], "dist": [{"B-X": 0.9, "B-Y": 0.005}, {"B-Y": 0.002}]})
        what = "out: spans of tokens less probable than 0.01 left out; total weight 0.007: 2"
        assert notes(corpus) == [what]
        higher = read({"words": ["a", "b"], "dist": [{"B-X": 0.9}, {"B-Y": 0.2}]}, options="::probabilistic?floor=0.3")
        assert weights(higher) == {(0, 1, "X"): 0.9}
        full = read({"tokens": ["a", "b"], "floor": 0, "dist": [{"B-X": 0.9, "B-Y": 0.005}, {"B-Y": 0.002}]})
        assert (len(weights(full)), notes(full)) == (3, [])


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"tokens": ["a", "b"], "dist": [{"O": 1}]}, "there are 2 tokens, but 1 distributions of tags"),
        ({"tokens": [ANNA, {"start": 5, "end": 7}]}, "'tokens[1]' has no 'probs'"),
        ({"tokens": [ANNA, "left"]}, "'tokens[1]' has no 'probs'"),
        ({"tokens": [ANNA, {"end": 7, "probs": {"O": 1}}]}, "'tokens[1]' has no 'start'"),
        ({"tokens": ["a"]}, "the record has words without any probabilities"),
        ({"tokens": ["a"], "dist": [{"B-X": "much"}]}, "'dist[0] (one of its values)' is a string, not a number"),
        ({"tokens": ["a"], "dist": [{"B-X": 1.5}]}, "'tokens[0].B-X' is 1.5, which is not between 0 and 1"),
        ({"tokens": [7], "dist": [{}]}, "'tokens[0]' is an integer, not a string or an object"),
    ],
)
def test_what_is_wrong_is_said(record: dict[str, object], said: str) -> None:
    assert refused(record).splitlines()[0] == f"d.jsonl:1: {said}"


@pytest.mark.parametrize(
    ("name", "f1"),
    mostly_slow([("crfsuite-full", 79), ("crfsuite-shape", 65), ("logreg-token", 46)], {("logreg-token", 46)}),
)
def test_real_marginals_are_read(name: str, f1: int) -> None:
    key = shared("data/ner/wnut17/gold/emerging.test.annotated")
    output = shared(f"data/probabilistic/wnut17/systems/{name}.jsonl.gz")
    result = cp.compare(str(key), {"s": str(output)}, task="prob", resamples=0)
    (run,) = result.verdicts.view().candidates or ()
    assert int((run.decided & run.correct).sum()) == f1
    corpus = read_input(Input(path=str(output)), Request(layer="beliefs"), "tokens")
    beliefs = corpus.beliefs
    assert beliefs is not None
    assert beliefs.weight.min() >= 0.01
    with gzip.open(output) as stream:
        assert sum(1 for _ in stream) == len(corpus.sentences) - 1
    assert not [note for note in notes(corpus) if "too many" in note]

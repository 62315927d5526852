"""Records with the n best analyses of a text: a block with a world for each."""

from __future__ import annotations

from math import exp

import pytest

from tests.formats.corpora import notes, spans, words
from tests.formats.probabilistic.files import document, nothing, read, refused, weights, worlds

ANNA, YORK = [0, 4, "PER"], [8, 16, "LOC"]
WORDS = ["Anna", "of", "New", "York"]


def test_logarithms_are_relative_to_each_other() -> None:
    corpus = read(document(nbest=[{"logp": -0.1, "spans": [ANNA, YORK]}, {"logp": -2.3, "spans": [ANNA]}]))
    first = 1 / (1 + exp(-2.2))
    assert weights(corpus) == pytest.approx({(0, 4, "PER"): 1.0, (8, 16, "LOC"): first})
    assert [p for p, _ in worlds(corpus)] == pytest.approx([first, 1 - first])
    assert [len(members) for _, members in worlds(corpus)] == [2, 1]
    assert nothing(corpus) == [0.0]
    assert corpus.beliefs is not None
    assert corpus.beliefs.policies == {"scale": "prob"}


def test_what_the_list_does_not_cover_is_nothing() -> None:
    given = [{"logp": 1.0, "spans": [ANNA]}, {"logp": 1.0, "spans": []}]
    corpus = read(document(coverage=0.8, nbest=given))
    assert (weights(corpus), nothing(corpus)) == ({(0, 4, "PER"): 0.4}, [0.6])
    shares = read(document(coverage=0.5, nbest=[{"p": 3e-4, "spans": [ANNA]}, {"p": 1e-4, "spans": [YORK]}]))
    assert weights(shares) == {(0, 4, "PER"): 0.375, (8, 16, "LOC"): 0.125}


def test_probabilities_are_taken_as_they_are() -> None:
    corpus = read(document(nbest=[{"p": 0.5, "spans": [ANNA]}, {"score": 0.2, "spans": [ANNA, YORK]}]))
    assert weights(corpus) == {(0, 4, "PER"): 0.7, (8, 16, "LOC"): 0.2}
    assert nothing(corpus) == [0.3]


def test_logarithms_of_probabilities_are_not_relative() -> None:
    given = [{"score": -0.6931471805599453, "spans": [ANNA]}, {"score": -1.3862943611198906, "spans": []}]
    assert nothing(read(document(scale="logprob", nbest=given))) == [0.5]


def test_equal_analyses_are_one() -> None:
    given = [{"p": 0.3, "spans": [ANNA, YORK]}, {"p": 0.2, "spans": [YORK, ANNA, ANNA]}, {"p": 0.4, "spans": [ANNA]}]
    corpus = read(document(nbest=given))
    assert [(p, len(members)) for p, members in worlds(corpus)] == [(0.5, 2), (0.4, 1)]


def test_the_order_of_the_list_says_nothing() -> None:
    given = [{"p": 0.2, "spans": [[1, 3, "A"]]}, {"p": 0.2, "spans": [[0, 2, "B"]]}, {"p": 0.2, "spans": [[0, 2, "A"]]}]
    given += [{"p": 0.1, "spans": [YORK]}, {"p": 0.3, "spans": [ANNA]}]
    wanted = [[(0, 4, "PER")], [(0, 2, "A")], [(0, 2, "B")], [(1, 3, "A")], [(8, 16, "LOC")]]
    for each in (given, given[::-1]):
        assert [members for _, members in worlds(read(document(nbest=each)))] == wanted


def test_a_span_with_two_labels_has_the_mass_of_both() -> None:
    given = [{"p": 0.5, "spans": [ANNA]}, {"p": 0.3, "spans": [[0, 4, "ORG"]]}]
    corpus = read(document(nbest=[*given, {"p": 0.1, "spans": [ANNA, [0, 4, "ORG"]]}]))
    beliefs = corpus.beliefs
    assert beliefs is not None
    assert beliefs.weight.tolist() == pytest.approx([0.6, 0.4])
    assert beliefs.entity.tolist() == pytest.approx([0.9, 0.9])
    assert beliefs.alternative.tolist() == [0, 0]


def test_spans_may_be_objects() -> None:
    given = [{"p": 0.5, "spans": [{"begin": 0, "end": 4, "type": "PER"}]}]
    assert weights(read(document(nbest=given))) == {(0, 4, "PER"): 0.5}


def test_tags_of_words() -> None:
    best = {"p": 0.6, "tags": ["B-PER", "O", "B-LOC", "I-LOC"]}
    other = {"p": 0.3, "tags": ["B-PER", "O", "O", "B-LOC"]}
    corpus = read({"doc": "d", "tokens": WORDS, "nbest": [best, other]})
    assert weights(corpus) == {(0, 1, "PER"): 0.9, (2, 4, "LOC"): 0.6, (3, 4, "LOC"): 0.3}
    assert words(corpus) == WORDS


def test_tags_that_break_their_scheme_are_noted() -> None:
    given = [{"p": 0.6, "tags": ["B-A", "I-A", "O", "I-B"]}, {"p": 0.4, "tags": ["B-A", "I-A", "O", "B-B"]}]
    corpus = read({"doc": "d", "tokens": WORDS, "nbest": given})
    assert notes(corpus) == [
        "out: tags of analyses that break BIO, counted as conlleval does: 1 (d.jsonl:1, …)"[:-4] + ")"
    ]


def test_several_documents_are_several_blocks() -> None:
    given = [{"p": 0.5, "spans": [ANNA]}]
    corpus = read(document(nbest=given), document(doc="e", nbest=[]), document(doc="f", nbest=given))
    assert [each[0] for each in spans(corpus)] == ["d", "f"]
    assert nothing(corpus) == [0.5, 0.5]


@pytest.mark.parametrize(
    ("nbest", "said"),
    [
        ([{"logp": -1, "spans": []}, {"p": 0.5, "spans": []}], "'nbest[1]' has no 'logp', but others do"),
        ([{"logp": -1, "p": 0.4, "spans": []}], "'nbest[0]' has both a logarithm and a probability"),
        ([{"spans": [ANNA]}, {"spans": []}], "'nbest[0]' has neither 'logp' nor 'p'"),
        ([{"p": 0.5}], "'nbest[0]' has neither 'spans' nor 'tags'"),
        ([{"p": 0.5, "spans": [], "tags": []}], "'nbest[0]' has both 'spans' and 'tags'"),
        ([{"p": 0.5, "tags": ["O"]}], "'nbest[0].tags' are of words, but offsets count characters"),
        ([{"p": 0.5, "spans": [[0, 4]]}], "'nbest[0].spans[0]' does not have 3 elements"),
        ([{"p": 0.5, "spans": [[0, 4, ""]]}], "'nbest[0].spans[0]' has no 'label'"),
        ([{"p": 0.5, "spans": [{"start": 0, "label": "X"}]}], "'nbest[0].spans[0]' has no 'end'"),
        (
            [{"p": 0.7, "spans": []}, {"p": 0.6, "spans": []}],
            "the analyses of 'nbest' have probabilities that sum to 1.3",
        ),
        ([{"p": 0.5, "tags": []}], "'nbest[0].tags' are of words, but offsets count characters"),
        ([{"p": 1.5, "spans": []}], "'nbest[0].p' is 1.5, which is not between 0 and 1"),
        (
            [{"p": 0.5, "spans": [[0, 99, "X"]]}],
            "nbest[0].spans[0] of document 'd' ends at 99, but the text has 28 characters",
        ),
    ],
)
def test_what_is_wrong_is_said(nbest: list[object], said: str) -> None:
    assert refused(document(nbest=nbest)).splitlines()[0] == f"d.jsonl:1: {said}"


def test_words_and_tags_must_be_as_many() -> None:
    text = refused({"doc": "d", "tokens": WORDS, "nbest": [{"p": 1, "tags": ["O"]}]})
    assert text.startswith("d.jsonl:1: 'nbest[0]' has 1 tags, but there are 4 words\n")


def test_tags_must_be_chunk_tags() -> None:
    given = [{"p": 1, "tags": ["NOUN", "ADP", "ADJ", "NOUN"]}]
    assert refused({"doc": "d", "tokens": WORDS, "nbest": given}).startswith("d.jsonl:1: 'nbest[].tags': ")


def test_logarithms_of_probabilities_are_not_made_to_fit() -> None:
    given = [{"score": -0.1, "spans": [ANNA]}, {"score": -0.2, "spans": []}]
    assert "sum to 1.72357" in refused(document(scale="logprob", nbest=given))


def test_a_coverage_is_a_probability() -> None:
    text = refused(document(coverage=1.5, nbest=[{"p": 1, "spans": []}]))
    assert text == "d.jsonl:1: 'coverage' is 1.5, which is not between 0 and 1"

"""What tools give out, as they do or after the few lines that docs/formats/probabilistic.md shows.

The wording is ours, the shapes are those that each tool documents; weights are counted by hand. No format is named: it
must be recognised.
"""

from __future__ import annotations

import json
import re
from math import exp
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda.core.corpus import Corpus
from comparanda.formats.inputs import find_formats
from tests.formats.corpora import notes, words
from tests.formats.probabilistic.files import nothing, read, weights, worlds

WORDS = ["Anna", "of", "New", "York", "left"]
TEXT = "Anna of New York left"


def found(*records: Any, options: str = "", name: str = "tool.jsonl") -> Corpus:
    """Read records whose format nobody names."""
    return read(*records, options=options, name=name)


class TestStanford:
    """edu.stanford.nlp.ie.crf.CRFClassifier, with -kBest and with -printProbs."""

    BEST = """<sentence id=0 k=1 logProb=-0.5108256237659907 prob=0.6>
Anna/PERSON of/O New/LOCATION York/LOCATION left/O

</sentence>
<sentence id=0 k=2 logProb=-1.2039728043259361 prob=0.3>
Anna/PERSON of/O New/O York/O left/O

</sentence>
"""
    PROBS = """Anna\tO=0.2\tPERSON=0.8\tLOCATION=0.0
of\tO=1.0\tPERSON=0.0\tLOCATION=0.0
New\tO=0.5\tPERSON=0.0\tLOCATION=0.5
York\tO=0.4\tPERSON=0.0\tLOCATION=0.6
left\tO=1.0\tPERSON=0.0\tLOCATION=0.0

"""

    def test_the_best_analyses(self) -> None:
        best: dict[str, list[dict[str, Any]]] = {}
        for number, p, text in re.findall(r"<sentence id=(\d+) .*? prob=(\S+)>\n(.*)", self.BEST):
            tagged = [token.rsplit("/", 1) for token in text.split()]
            best.setdefault(number, []).append({"p": float(p), "tags": [tag for _, tag in tagged]})
        corpus = found({"doc": "d", "tokens": WORDS, "nbest": best["0"]})
        assert weights(corpus) == {(0, 1, "PERSON"): 0.9, (2, 4, "LOCATION"): 0.6}
        assert nothing(corpus) == [0.1]
        assert [p for p, _ in worlds(corpus)] == [0.6, 0.3]

    def test_marginals_of_tokens(self) -> None:
        rows = [line.split("\t") for line in self.PROBS.splitlines() if line]
        dist = [{tag: float(p) for tag, p in (cell.split("=") for cell in row[1:])} for row in rows]
        corpus = found({"doc": "d", "tokens": [row[0] for row in rows], "dist": dist})
        wanted = {(0, 1, "PERSON"): 0.8, (2, 3, "LOCATION"): 0.2, (2, 4, "LOCATION"): 0.3, (3, 4, "LOCATION"): 0.3}
        assert weights(corpus) == wanted
        assert words(corpus) == WORDS


class TestSpacy:
    """EntityRecognizer with a beam: `scored_ents(beams)`, and `moves.get_beam_parses(beam)`."""

    def test_masses_of_entities(self) -> None:
        scored = {(0, 1, "PERSON"): 0.75, (2, 4, "GPE"): 0.5, (2, 5, "ORG"): 0.25}
        entities = [{"start": s, "end": e, "label": l, "score": p} for (s, e, l), p in scored.items()]  # noqa: E741
        corpus = found({"doc": "d", "tokens": WORDS, "entities": entities})
        assert weights(corpus) == scored
        assert nothing(corpus) == [0.25, 0.25]

    def test_the_beam_itself(self) -> None:
        parses = [(0.5, [(0, 1, "PERSON"), (2, 4, "GPE")]), (0.25, [(0, 1, "PERSON"), (2, 5, "ORG")]), (0.25, [])]
        corpus = found({"doc": "d", "tokens": WORDS, "nbest": [{"p": p, "spans": ents} for p, ents in parses]})
        assert weights(corpus) == {(0, 1, "PERSON"): 0.75, (2, 4, "GPE"): 0.5, (2, 5, "ORG"): 0.25}
        assert [p for p, _ in worlds(corpus)] == [0.5, 0.25]

    @pytest.mark.slow
    def test_a_real_beam(self) -> None:
        spacy = pytest.importorskip("spacy")
        nlp = spacy.blank("en")
        ner = nlp.add_pipe("beam_ner", config={"beam_width": 8})
        for label in ("PER", "LOC"):
            ner.add_label(label)
        nlp.initialize()
        doc = nlp.make_doc(TEXT)
        beams = ner.predict([doc])
        parses = ner.moves.get_beam_parses(beams[0])
        tokens = [token.text for token in doc]
        corpus = found({"doc": "d", "tokens": tokens, "nbest": [{"p": p, "spans": ents} for p, ents in parses]})
        scores = ner.scored_ents(beams)[0]
        assert weights(corpus) == pytest.approx(dict(scores), abs=1e-6)
        entities = [{"start": s, "end": e, "label": l, "score": p} for (s, e, l), p in scores.items()]  # noqa: E741
        alone = found({"doc": "d", "tokens": tokens, "entities": entities})
        assert weights(alone) == pytest.approx(dict(scores), abs=1e-6)


class TestGliner:
    """`model.batch_predict_entities(texts, labels, threshold=0.05, flat_ner=False, multi_label=True)`."""

    NATIVE: tuple[list[dict[str, Any]], ...] = (
        [
            {"start": 0, "end": 4, "text": "Anna", "label": "person", "score": 0.9},
            {"start": 8, "end": 16, "text": "New York", "label": "place", "score": 0.8},
            {"start": 8, "end": 21, "text": "New York left", "label": "team", "score": 0.7},
        ],
        [],
    )

    def test_the_bare_lists(self) -> None:
        for corpus in (
            found(list(self.NATIVE), options="?overlap=condition", name="all.json"),
            found(*self.NATIVE, options="?overlap=condition"),
        ):
            wanted = {(0, 4, "person"): 0.9, (8, 16, "place"): 0.545454545, (8, 21, "team"): 0.318181818}
            assert weights(corpus) == wanted
            assert corpus.documents.names == ("document 1", "document 2")
            assert corpus.format == "probabilistic"

    def test_with_names_and_texts(self) -> None:
        corpus = found({"id": "d", "text": TEXT, "label_semantics": "independent", "entities": self.NATIVE[0]})
        assert weights(corpus) == {(0, 4, "person"): 0.9, (8, 16, "place"): 0.8, (8, 21, "team"): 0.7}


def test_flair() -> None:
    """`sentence.to_dict("ner")`, with a name: entities beside all tokens."""
    labels = [{"value": "PER", "confidence": 0.75}]
    native = {
        "text": TEXT,
        "labels": [],
        "entities": [{"text": "Anna", "start_pos": 0, "end_pos": 4, "labels": labels}],
        "relations": [],
        "tokens": [{"text": "Anna", "start_pos": 0, "end_pos": 4, "labels": []}],
    }
    assert weights(found({"id": "d"} | native)) == {(0, 4, "PER"): 0.75}


def test_flair_distributions_of_tokens() -> None:
    """`tagger.predict(…, return_probabilities_for_all_classes=True)`: `token.get_tags_proba_dist("ner")`."""
    anna = {"start": 0, "end": 4, "probs": {"S-PER": 0.75, "O": 0.25}}
    new = {"start": 8, "end": 11, "probs": {"B-LOC": 0.5, "S-LOC": 0.25, "O": 0.25}}
    york = {"start": 12, "end": 16, "probs": {"E-LOC": 0.5, "O": 0.5}}
    corpus = found({"id": "d", "text": TEXT, "tokens": [anna, new, york]})
    assert weights(corpus) == {(0, 4, "PER"): 0.75, (8, 11, "LOC"): 0.25, (8, 16, "LOC"): 0.25}


def test_hugging_face() -> None:
    """A pipeline for token classification with an aggregation, as it returns lists: read by that format."""
    anna = {"entity_group": "PER", "score": 0.98, "word": "anna", "start": 0, "end": 4}
    corpus = found([[anna], []], name="pipeline.json")
    assert corpus.format == "hugging-face"
    assert weights(corpus) == {(0, 4, "PER"): 0.98}
    assert corpus.beliefs is not None
    assert corpus.beliefs.policies == {"overlap": "exclusive", "scale": "prob", "semantics": "exclusive"}


def test_crfsuite() -> None:
    """`crf.predict_marginals_single(features)` of sklearn-crfsuite: a dictionary a token."""
    marginals = [
        {"B-PER": 0.8, "I-PER": 0.0, "O": 0.2},
        {"B-PER": 0.0, "I-PER": 0.0, "O": 1.0},
        {"B-PER": 0.1, "I-PER": 0.0, "O": 0.9},
        {"B-PER": 0.0, "I-PER": 0.5, "O": 0.5},
        {"B-PER": 0.0, "I-PER": 0.0, "O": 1.0},
    ]
    corpus = found({"tokens": WORDS, "dist": marginals})
    assert weights(corpus) == {(0, 1, "PER"): 0.8, (2, 3, "PER"): 0.05, (2, 4, "PER"): 0.05}


class TestCrfPlusPlus:
    """`crf_test -v2` gives all marginals, `crf_test -n 2` the best analyses."""

    VERBOSE = """# 0.52
Anna\tNNP\tB-PER/0.8\tB-PER/0.8\tI-PER/0.0\tO/0.2
left\tVBD\tO/0.9\tB-PER/0.0\tI-PER/0.1\tO/0.9

"""
    BEST = """# 0 0.6
Anna\tNNP\tB-PER
left\tVBD\tO

# 1 0.3
Anna\tNNP\tB-PER
left\tVBD\tI-PER

"""

    def test_marginals(self) -> None:
        rows = [line.split("\t") for line in self.VERBOSE.splitlines() if line and line[0] != "#"]
        dist = [{tag: float(p) for tag, p in (cell.rsplit("/", 1) for cell in row[3:])} for row in rows]
        corpus = found({"tokens": [row[0] for row in rows], "dist": dist})
        assert weights(corpus) == {(0, 1, "PER"): 0.72, (0, 2, "PER"): 0.08}

    def test_best_analyses(self) -> None:
        best = re.findall(r"# \d+ (\S+)\n(.*?)\n\n", self.BEST, re.DOTALL)
        nbest = [{"p": float(p), "tags": [row.split("\t")[-1] for row in rows.split("\n")]} for p, rows in best]
        corpus = found({"tokens": ["Anna", "left"], "nbest": nbest})
        assert weights(corpus) == {(0, 1, "PER"): 0.6, (0, 2, "PER"): 0.3}


def test_spark_nlp() -> None:
    """Annotations of NerDLModel with `setIncludeAllConfidenceScores(True)`: ends are included, numbers are texts."""
    native = [
        {"begin": 0, "end": 3, "result": "B-PER", "metadata": {"word": "Anna", "B-PER": "0.75", "O": "0.25"}},
        {"begin": 5, "end": 6, "result": "O", "metadata": {"word": "of", "B-PER": "0.0", "O": "1.0"}},
    ]
    scores = [{tag: float(p) for tag, p in each["metadata"].items() if tag != "word"} for each in native]  # type: ignore[attr-defined]
    tokens = [
        {"start": each["begin"], "end": each["end"] + 1, "probs": probs}  # type: ignore[operator]
        for each, probs in zip(native, scores, strict=True)
    ]
    assert weights(found({"id": "d", "text": TEXT, "tokens": tokens})) == {(0, 4, "PER"): 0.75}


class TestLanguageModels:
    """Confidences that a model writes beside its items: with places, or beside quotes of the text."""

    def test_items_with_places(self) -> None:
        items = [{"start": 0, "end": 4, "text": "Anna", "type": "PER", "confidence": 85}]
        assert weights(found({"id": "d", "text": TEXT, "entities": items}, options="?scale=percent")) == {
            (0, 4, "PER"): 0.85
        }

    def test_items_that_quote_the_text(self) -> None:
        Path("key.jsonl").write_text(
            json.dumps({"id": "d", "text": TEXT, "spans": [{"begin": 0, "end": 4, "label": "PER"}]})
        )
        items = [
            {"text": "Anna", "label": "PER", "confidence": 0.6},
            {"text": "Anna", "label": "ORG", "confidence": 0.3},
            {"text": "Boston", "label": "LOC", "confidence": 0.5},
            {"text": "Berlin", "label": "LOC", "confidence": 0.9},
        ]
        corpus = found({"id": "d", "entities": items})
        assert corpus.format == "llm"
        result = cp.compare("key.jsonl", {"s": "tool.jsonl"}, task="prob", resamples=0)
        (run,) = result.verdicts.view().candidates or ()
        assert sorted(run.beliefs.weight.tolist()) == [0.3, 0.5, 0.6, 0.9]
        assert run.beliefs.weight[run.correct].tolist() == [0.6]
        assert len(run.beliefs.nothing) == 3  # the two readings of Anna exclude each other, what is nowhere does not
        assert result.scores("expected_recall").value("s") == pytest.approx(0.6)

    def test_log_probabilities(self) -> None:
        items = [{"start": 0, "end": 4, "label": "PER", "score": -0.25}]
        assert weights(found({"id": "d", "entities": items}, options="?scale=logprob")) == {
            (0, 4, "PER"): round(exp(-0.25), 9)
        }


class TestRecognition:
    """One format at most takes a sample for its own, beside those that take everything."""

    SAMPLES = (
        {"doc": "d", "text": TEXT, "blocks": [{"alternatives": []}]},
        {
            "doc": "d",
            "text": TEXT,
            "overlap": "condition",
            "entities": [{"start": 0, "end": 4, "label": "X", "score": 1}],
        },
        {"doc": "d", "text": TEXT, "nbest": [{"logp": -0.1, "spans": [[0, 4, "PER"]]}]},
        {"doc": "d", "text": TEXT, "tokens": [{"start": 0, "end": 4, "probs": {"B-PER": 0.7}}]},
        {"sent": 0, "tokens": WORDS, "tags": ["O"] * 5, "dist": [{"O": 1.0}] * 5},
        list(TestGliner.NATIVE),
        TestGliner.NATIVE[0],
    )

    @pytest.mark.parametrize("sample", SAMPLES, ids=str)
    def test_samples(self, sample: Any) -> None:
        line = json.dumps(sample)
        fitting = [each for each in find_formats().values() if each.carries("beliefs") and not each.general]
        named = [each.name for each in fitting if each.sniff([line])]
        assert named == ["probabilistic"]

    @pytest.mark.parametrize(
        "line",
        [
            '{"id": "d", "text": "Anna", "entities": [{"start": 0, "end": 4, "label": "PER"}]}',
            '{"id": "d", "text": "Anna", "spans": [{"begin": 0, "end": 4, "label": "PER", "score": 0.9}]}',
            '{"text": "Anna", "label": [[0, 4, "PER"]]}',
            '[[{"entity_group": "PER", "score": 0.9, "word": "Anna", "start": 0, "end": 4}]]',
            '{"id": "d", "entities": [{"text": "Anna", "label": "PER", "score": 0.9}]}',
            "Anna\tB-PER",
        ],
    )
    def test_others_are_left_to_others(self, line: str) -> None:
        assert not find_formats()["probabilistic"].sniff([line])

    def test_every_option_is_on_the_page(self) -> None:
        page = (Path(__file__).parents[3] / "docs/formats/probabilistic.md").read_text(encoding="utf-8")
        assert [name for name in find_formats()["probabilistic"].options if f"`{name}`" not in page] == []

    def test_our_own_spans_with_scores_are_the_same(self) -> None:
        spans = [{"begin": 0, "end": 4, "label": "PER", "score": 0.7}]
        corpus = found({"id": "d", "text": TEXT, "spans": spans})
        assert (corpus.format, notes(corpus)) == ("jsonl", [])
        assert weights(corpus) == {(0, 4, "PER"): 0.7}

"""Spans with scores in formats that know nothing of probabilities."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda.core.corpus import Corpus
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from tests.formats.corpora import notes, refusal, said
from tests.formats.probabilistic.files import nothing, weights, worlds

TEXT = "Anna of New York left Paris."


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def span(begin: int, end: int, label: str, **fields: Any) -> dict[str, Any]:
    return {"begin": begin, "end": end, "label": label, **fields}


def read(*spans: dict[str, Any], options: str = "", side: str = "out") -> Corpus:
    """Read our own JSONL."""
    Path("d.jsonl").write_text(json.dumps({"id": "d", "text": TEXT, "spans": spans}) + "\n", encoding="utf-8")
    return read_input(Input.parse(f"d.jsonl::jsonl{options}"), Request(side=side, layer="beliefs"), "tokens")


class TestWhichField:
    @pytest.mark.parametrize("name", ["p", "prob", "probability", "score", "confidence"])
    def test_a_well_known_name(self, name: str) -> None:
        corpus = read(span(0, 4, "PER", **{name: 0.6}))
        assert weights(corpus) == {(0, 4, "PER"): 0.6}
        assert said(corpus, name) == [0.6]

    def test_numbers_written_as_texts(self) -> None:
        assert weights(read(span(0, 4, "PER", score="0.6"))) == {(0, 4, "PER"): 0.6}

    @pytest.mark.parametrize("value", ["high", True, "nan"])
    def test_what_is_no_number_is_refused(self, value: Any) -> None:
        assert refusal(read, span(0, 4, "PER", confidence=value)).startswith("d.jsonl:1: the 'confidence' of ")
        assert read(span(0, 4, "PER", confidence=value), options="?score=none").beliefs is None

    def test_two_are_not_guessed_between(self) -> None:
        both = span(0, 4, "PER", score=0.6, confidence=0.5)
        assert refusal(read, both) == (
            "d.jsonl: the probabilities of spans could be in 'score' or 'confidence'\n  choose one: ?score=score"
        )
        assert weights(read(both, options="?score=confidence")) == {(0, 4, "PER"): 0.5}

    def test_any_field_by_name(self) -> None:
        assert weights(read(span(0, 4, "PER", sure=0.4), options="?score=sure")) == {(0, 4, "PER"): 0.4}
        assert refusal(read, span(0, 4, "PER", sure=0.4), options="?score=surely") == (
            "d.jsonl: spans have no 'surely' (did you mean 'sure'?)\n"
            "  fields: sure; use ?score=none if spans are certain"
        )
        text = refusal(read, span(0, 4, "PER", sure="very"), options="?score=sure")
        assert text.startswith("d.jsonl:1: the 'sure' of the span 0 to 4, PER is 'very', which is not a number\n")

    def test_without_scores_all_is_certain(self) -> None:
        assert read(span(0, 4, "PER")).beliefs is None
        assert read(span(0, 4, "PER", score=0.5), options="?score=none").beliefs is None

    def test_scores_of_a_key_are_no_probabilities(self) -> None:
        assert read(span(0, 4, "PER", score=0.5), side="key").beliefs is None


class TestPolicies:
    TWO = (span(8, 16, "LOC", score=0.8), span(8, 21, "ORG", score=0.7))

    def test_what_overlaps_excludes(self) -> None:
        assert refusal(read, *self.TWO) == (
            "d.jsonl:1: 2 overlapping tuples have probabilities that sum to 1.5\n"
            "  document 'd'\n"
            "  the span 8 to 16, LOC: score 0.8\n"
            "  the span 8 to 21, ORG: score 0.7\n"
            "  choose how to combine them: ?overlap=condition (independent scores), scale (divide them) or independent"
        )

    def test_policies_of_the_input(self) -> None:
        corpus = read(*self.TWO, options="?overlap=condition")
        assert weights(corpus) == {(8, 16, "LOC"): 0.545454545, (8, 21, "ORG"): 0.318181818}
        assert corpus.beliefs is not None
        assert corpus.beliefs.policies == {"overlap": "condition", "scale": "prob", "semantics": "exclusive"}

    def test_policies_of_the_command(self) -> None:
        read(*self.TWO, side="key")
        Path("key.jsonl").write_text(json.dumps({"id": "d", "text": TEXT, "spans": [span(8, 16, "LOC")]}))
        given = {"overlap": "condition"}
        result = cp.compare("key.jsonl", {"s": "d.jsonl"}, task="prob", resamples=0, beliefs=given)
        assert result.scores("expected_recall").value("s") == pytest.approx(0.5454545, abs=1e-7)
        own = cp.compare("key.jsonl", {"s": "d.jsonl?overlap=independent"}, task="prob", resamples=0, beliefs=given)
        assert own.scores("expected_recall").value("s") == pytest.approx(0.8)

    def test_chains_labels_and_scales(self) -> None:
        chain = (span(0, 5, "A", p=50), span(3, 8, "B", p=50), span(7, 12, "C", p=50))
        assert [p for p, _ in worlds(read(*chain, options="?scale=percent"))] == [0.5, 0.5]
        both = (span(0, 4, "PER", p=0.9), span(0, 4, "ORG", p=0.8))
        assert sorted(nothing(read(*both, options="?semantics=independent"))) == [0.1, 0.2]
        assert weights(read(span(0, 4, "PER", p=0.0), options="?scale=logprob")) == {(0, 4, "PER"): 1.0}

    def test_too_many_sets_of_spans_are_noted(self) -> None:
        many = [span(place, place + 2, "A", p=0.3) for place in range(20)]
        corpus = read(*many)
        assert len(weights(corpus)) == 15
        assert notes(corpus)[0].startswith(
            "out: tuples left out, because with them too many combinations of spans are possible"
        )

    def test_the_same_span_twice_is_added(self) -> None:
        corpus = read(span(0, 4, "PER", p=0.25), span(8, 16, "LOC", p=0.5, id="Q60"), span(0, 4, "PER", p=0.5))
        assert weights(corpus) == {(0, 4, "PER"): 0.75, (8, 16, "LOC"): 0.5}
        assert said(corpus, "id") == [None, "Q60"]

    def test_discontinuous_spans_overlap_as_wholes(self) -> None:
        cut = {"label": "A", "p": 0.5, "fragments": [[0, 4], [8, 11]]}
        corpus = read(cut, span(5, 7, "B", p=0.4), span(22, 27, "C", p=0.4), span(0, 4, "D", p=0.0), cut | {"p": 0.1})
        assert nothing(corpus) == [0.0, 0.6]
        assert corpus.spans is not None
        assert corpus.spans.fragments is not None
        assert corpus.spans.fragments.span.tolist() == [0, 0]


class TestNumbers:
    @pytest.mark.parametrize(("value", "scale"), [(85.0, "percent"), (-0.5, "logprob")])
    def test_what_is_no_probability_is_refused(self, value: float, scale: str) -> None:
        name = {"percent": "percent", "logprob": "logarithms"}[scale]
        assert refusal(read, span(0, 4, "PER", score=value)) == (
            f"d.jsonl:1: the 'score' of the span 0 to 4, PER is {value:g}, which is not a probability\n"
            f"  add ?scale={scale} if these are {name}; use ?score=none if spans are certain"
        )

    def test_rounding_is_clipped_and_counted(self) -> None:
        corpus = read(span(0, 4, "PER", score=1 + 5e-7))
        assert weights(corpus) == {(0, 4, "PER"): 1.0}
        what = "out: probabilities outside of [0, 1] by less than 1e-6, clipped: 1 (d.jsonl:1)"
        assert notes(corpus) == [what]

    def test_spans_without_a_score_among_others_are_certain(self) -> None:
        corpus = read(span(0, 4, "PER", score=0.5), span(8, 16, "LOC"))
        assert weights(corpus) == {(0, 4, "PER"): 0.5, (8, 16, "LOC"): 1.0}
        assert notes(corpus) == ["out: spans without 'score', treated as certain: 1 (d.jsonl:1)"]


def test_tags_of_words_are_certain() -> None:
    Path("d.conll").write_text("Anna\tB-PER\nleft\tO\n")
    assert read_input(Input(path="d.conll"), Request(side="out", layer="beliefs"), "tokens").beliefs is None


def test_other_formats_with_scores() -> None:
    Path("a.tsv").write_text("run\tm1\tAnna\td:0-3\tQ1\tPER\tNAM\t0.75\n")
    corpus = read_input(Input(path="a.tsv", format="tac"), Request(side="out", layer="beliefs"), "tokens")
    assert weights(corpus) == {(0, 4, "PER"): 0.75}

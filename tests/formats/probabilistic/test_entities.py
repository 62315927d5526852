"""Records with entities that have scores: policies, names of fields, and lists as tools return them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.corpora import notes, spans
from tests.formats.probabilistic.files import document, entity, nothing, read, refused, weights, worlds

TWO = [entity(8, 16, "LOC", 0.8), entity(8, 21, "ORG", 0.7)]
CHAIN = [entity(0, 5, "A", 0.5), entity(3, 8, "B", 0.5), entity(7, 12, "C", 0.5)]


class TestPolicies:
    def test_overlapping_ones_that_are_too_much_are_refused(self) -> None:
        assert refused(document(entities=TWO)) == (
            "d.jsonl:1: 2 overlapping tuples have probabilities that sum to 1.5\n"
            "  entities[0]: 8 to 16, LOC 0.8\n"
            "  entities[1]: 8 to 21, ORG 0.7\n"
            "  choose how to combine them: ?overlap=condition (independent scores), scale (divide them) or independent"
        )

    @pytest.mark.parametrize("by_option", [False, True])
    @pytest.mark.parametrize(
        ("overlap", "wanted", "rest"),
        [
            ("condition", [0.545454545, 0.318181818], [0.136363636]),
            ("scale", [0.533333333, 0.466666667], [0.0]),
            ("independent", [0.8, 0.7], [0.2, 0.3]),
        ],
    )
    def test_each_policy_by_hand(self, overlap: str, wanted: list[float], rest: list[float], by_option: bool) -> None:
        record = document(entities=TWO) if by_option else document(entities=TWO, overlap=overlap)
        corpus = read(record, options="::probabilistic" + (f"?overlap={overlap}" if by_option else ""))
        assert list(weights(corpus).values()) == wanted
        assert nothing(corpus) == rest
        assert corpus.beliefs is not None
        assert corpus.beliefs.policies == {"overlap": overlap, "scale": "prob", "semantics": "exclusive"}

    def test_a_record_goes_before_the_options(self) -> None:
        corpus = read(document(entities=TWO, overlap="condition"), options="::probabilistic?overlap=independent")
        assert weights(corpus)[8, 16, "LOC"] == 0.545454545

    def test_a_chain_has_worlds(self) -> None:
        corpus = read(document(entities=CHAIN))
        assert worlds(corpus) == [(0.5, [(0, 5, "A"), (7, 12, "C")]), (0.5, [(3, 8, "B")])]
        conditioned = read(document(entities=CHAIN, overlap="condition"))
        assert list(weights(conditioned).values()) == [0.4, 0.2, 0.4]

    def test_labels_that_know_nothing_of_each_other(self) -> None:
        both = [entity(0, 4, "PER", 0.9), entity(0, 4, "ORG", 0.8)]
        corpus = read(document(entities=both, label_semantics="independent"))
        assert sorted(nothing(corpus)) == [0.1, 0.2]
        assert corpus.beliefs is not None
        assert len(set(corpus.beliefs.block.tolist())) == 2
        assert "sum to 1.7" in refused(document(entities=both))

    def test_too_many_sets_of_spans_are_noted(self) -> None:
        many = [entity(place, place + 2, "A", 0.3) for place in range(20)]
        corpus = read(document(entities=many))
        what = "out: tuples left out, because with them too many combinations of spans are possible; total weight 1.5"
        assert notes(corpus) == [f"{what}: 5 (d.jsonl:1, d.jsonl:1, d.jsonl:1, …)"]
        assert len(weights(corpus)) == 15


class TestFields:
    @pytest.mark.parametrize(
        "given",
        [
            {"begin": 0, "stop": 4, "type": "PER", "p": 0.25},
            {"start_char": 0, "end_char": 4, "tag": "PER", "prob": 0.25},
            {"start_offset": 0, "end_offset": 4, "entity_group": "PER", "probability": 0.25},
            {"start_pos": 0, "end_pos": 4, "labels": [{"value": "PER", "confidence": 0.25}]},
            {"start": 0, "end": 4, "labels": {"PER": 0.25}},
            {"start": 0, "end": 4, "labels": ["PER"], "confidence": 0.25},
        ],
    )
    def test_names_that_tools_use(self, given: dict[str, Any]) -> None:
        assert weights(read(document(entities=[given]))) == {(0, 4, "PER"): 0.25}

    def test_several_labels_are_tuples_and_leave_nothing_over(self) -> None:
        given = {"start": 0, "end": 4, "labels": {"PER": 0.5, "ORG": 0.2}}
        corpus = read(document(entities=[given]))
        assert weights(corpus) == {(0, 4, "PER"): 0.5, (0, 4, "ORG"): 0.2}
        assert nothing(corpus) == [0.3]

    def test_two_scores_are_not_guessed_between(self) -> None:
        given = document(entities=[{**entity(0, 4, "PER", 0.5), "confidence": 0.4}])
        text = refused(given)
        assert text == (
            "d.jsonl:1: the probability of 'entities[0]' could be in 'score' or 'confidence'\n"
            "  choose one: ?score=FIELD"
        )
        assert weights(read(given, options="::probabilistic?score=confidence")) == {(0, 4, "PER"): 0.4}

    def test_different_entities_may_have_different_names(self) -> None:
        given = [entity(0, 4, "PER", 0.5), {"begin": 8, "end": 16, "label": "LOC", "p": 0.3}]
        assert weights(read(document(entities=given))) == {(0, 4, "PER"): 0.5, (8, 16, "LOC"): 0.3}

    def test_scores_that_do_not_count(self) -> None:
        corpus = read(document(entities=TWO), options="::probabilistic?score=none")
        assert (corpus.beliefs, len(spans(corpus))) == (None, 2)
        text = refused(document(nbest=[]), options="::probabilistic?score=none")
        assert text.startswith("d.jsonl:1: score=none is for spans that are certain, but this record has nbest\n")
        assert refused(document(entities=TWO), options="::probabilistic?score=scor", code=2) == (
            "score='scor' is not a field of these records (did you mean 'score'?)\n"
            "  one of: p, probability, prob, score, confidence, none"
        )


class TestLists:
    """What tools return for several texts, or for one."""

    PAIR = [entity(0, 4, "PER", 0.9), entity(8, 16, "LOC", 0.4)]  # noqa: RUF012 - it is not changed
    NUMBERED = "out: documents have no names; they are numbered instead: 1 (d.jsonl:1)"

    def test_one_array_of_arrays(self) -> None:
        corpus = read([self.PAIR, [], [entity(0, 4, "PER", 0.5)]])
        assert [each[:2] for each in spans(corpus)] == [("document 1", 0), ("document 1", 8), ("document 3", 0)]
        assert notes(corpus) == [self.NUMBERED]

    def test_an_array_a_line(self) -> None:
        corpus = read(self.PAIR, [], [entity(0, 4, "PER", 0.5)])
        assert [each[0] for each in spans(corpus)] == ["document 1", "document 1", "document 3"]

    def test_the_result_for_one_text(self) -> None:
        assert list(weights(read(self.PAIR))) == [(0, 4, "PER"), (8, 16, "LOC")]

    def test_an_array_of_records(self) -> None:
        assert weights(read([document(entities=self.PAIR)])) == {(0, 4, "PER"): 0.9, (8, 16, "LOC"): 0.4}


def test_all_kinds_of_records_in_one_file() -> None:
    corpus = read(
        document(doc="a", entities=[entity(0, 4, "PER", 0.5)]),
        document(doc="b", nbest=[{"p": 0.6, "spans": [[0, 4, "PER"], [8, 16, "LOC"]]}]),
        document(doc="c", blocks=[{"alternatives": [entity(0, 4, "ORG", 0.2)]}]),
        document(doc="d", tokens=[{"start": 0, "end": 4, "probs": {"B-PER": 0.3, "O": 0.7}}]),
        document(doc="e", entities=[entity(22, 27, "LOC", 0.1)]),
    )
    assert [each[0] for each in spans(corpus)] == ["a", "b", "b", "c", "d", "e"]
    beliefs = corpus.beliefs
    assert beliefs is not None
    assert beliefs.weight.tolist() == pytest.approx([0.5, 0.6, 0.6, 0.2, 0.3, 0.1])
    assert beliefs.nothing[beliefs.block].tolist() == pytest.approx([0.5, 0.4, 0.4, 0.8, 0.7, 0.9])
    assert beliefs.worlds is not None
    assert beliefs.worlds.member.tolist() == [1, 2]
    assert beliefs.worlds.block.tolist() == [beliefs.block[1]]
    assert beliefs.policies == {
        "aggregate": "product",
        "floor": "0.01",
        "overlap": "declared, exclusive",
        "residual": "drop",
        "scale": "prob",
        "semantics": "exclusive",
    }

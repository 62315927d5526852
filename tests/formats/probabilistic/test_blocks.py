"""Records with blocks: weights by hand, what labels leave over, and blocks that are too full."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.corpora import notes, spans
from tests.formats.probabilistic.files import TEXT, block, document, nothing, read, refused, weights

YORK = {"start": 8, "end": 16, "p": 0.3, "labels": {"LOC": 1.0}}
YORK_LEFT = {"start": 8, "end": 21, "p": 0.6, "labels": {"ORG": 0.9, "LOC": 0.1}}


class TestWeights:
    def test_the_product_of_span_and_label(self) -> None:
        corpus = read(document(blocks=[block(YORK, YORK_LEFT)]))
        assert weights(corpus) == {(8, 16, "LOC"): 0.3, (8, 21, "ORG"): 0.54, (8, 21, "LOC"): 0.06}
        assert nothing(corpus) == [0.1]
        beliefs = corpus.beliefs
        assert beliefs is not None
        assert beliefs.entity.tolist() == [0.3, 0.6, 0.6]
        assert beliefs.alternative.tolist() == [0, 1, 1]
        assert beliefs.policies == {
            "overlap": "declared",
            "residual": "drop",
            "scale": "prob",
            "semantics": "exclusive",
        }

    def test_what_is_not_said_is_certain(self) -> None:
        corpus = read(document(blocks=[block({"begin": 0, "end": 4, "label": "PER"})]))
        assert weights(corpus) == {(0, 4, "PER"): 1.0}
        assert nothing(corpus) == [0.0]

    @pytest.mark.parametrize("field", ["p", "score", "probability", "prob", "confidence"])
    def test_a_lone_score_is_the_weight(self, field: str) -> None:
        corpus = read(document(blocks=[block({"start": 0, "end": 4, field: 0.25, "label": "PER"})]))
        assert weights(corpus) == {(0, 4, "PER"): 0.25}

    def test_blocks_stand_in_their_order_and_empty_ones_do_no_harm(self) -> None:
        other = {"start": 0, "end": 4, "p": 0.5, "label": "PER"}
        corpus = read(document(blocks=[block(), block(YORK), block(other), block()]), document(doc="e", blocks=[]))
        assert [each[:3] for each in spans(corpus)] == [("d", 8, 16), ("d", 0, 4)]
        assert corpus.documents.names == ("d", "e")
        assert corpus.beliefs is not None
        assert corpus.beliefs.nothing[corpus.beliefs.block].tolist() == [0.7, 0.5]

    @pytest.mark.parametrize(
        ("scale", "values"), [("percent", (30, 60, 100)), ("logprob", (-1.2039728, -0.5108256, 0))]
    )
    def test_other_scales(self, scale: str, values: tuple[float, float, float]) -> None:
        first = {"start": 8, "end": 16, "p": values[0], "labels": {"LOC": values[2]}}
        second = {"start": 8, "end": 21, "p": values[1], "label": "ORG"}
        corpus = read(document(scale=scale, blocks=[block(first, second)]))
        assert weights(corpus) == pytest.approx({(8, 16, "LOC"): 0.3, (8, 21, "ORG"): 0.6}, abs=1e-6)


class TestResidual:
    """Worked example 4: {p .8: .5 and .2}."""

    SPAN = {"start": 0, "end": 4, "p": 0.8, "labels": {"A": 0.5, "B": 0.2}}  # noqa: RUF012 - it is not changed

    @pytest.mark.parametrize(
        ("residual", "wanted"),
        [
            ("drop", {"A": 0.4, "B": 0.16}),
            ("other", {"A": 0.4, "B": 0.16, "(other)": 0.24}),
            ("renormalise", {"A": 0.571428571, "B": 0.228571429}),
        ],
    )
    def test_what_labels_leave_over(self, residual: str, wanted: dict[str, float]) -> None:
        for corpus in (
            read(document(residual=residual, blocks=[block(self.SPAN)])),
            read(document(blocks=[block(self.SPAN)]), options=f"::probabilistic?residual={residual}"),
        ):
            assert weights(corpus) == {(0, 4, label): weight for label, weight in wanted.items()}
            assert nothing(corpus) == [0.2]

    def test_a_span_without_labels_is_there_all_the_same(self) -> None:
        bare = {"start": 0, "end": 4, "p": 0.7, "labels": {}}
        assert nothing(read(document(blocks=[block(bare, YORK | {"p": 0.2})]))) == [0.1]
        corpus = read(document(residual="other", blocks=[block(bare)]))
        assert weights(corpus) == {(0, 4, "(other)"): 0.7}

    def test_labels_that_are_all_impossible_stay_so(self) -> None:
        corpus = read(document(residual="renormalise", blocks=[block({**self.SPAN, "labels": {"A": 0, "B": 0}})]))
        assert weights(corpus) == {(0, 4, "A"): 0.0, (0, 4, "B"): 0.0}


class TestTooFull:
    PAIR = (
        {"start": 8, "end": 16, "p": 0.8, "label": "LOC"},
        {"start": 8, "end": 21, "p": 0.7, "label": "ORG"},
    )

    def test_spans_above_one_are_refused(self) -> None:
        assert refused(document(blocks=[block(YORK), block(*self.PAIR)])) == (
            "d.jsonl:1: the spans of 'blocks[1]' have probabilities that sum to 1.5\n"
            "  choose how to read them: ?overlap=condition, scale or independent; by default, these exclude each other"
        )

    @pytest.mark.parametrize(
        ("overlap", "wanted", "rest"),
        [
            ("condition", (0.545454545, 0.318181818), [0.136363636]),
            ("scale", (0.533333333, 0.466666667), [0.0]),
            ("independent", (0.8, 0.7), [0.2, 0.3]),
        ],
    )
    def test_unless_a_policy_explains_them(self, overlap: str, wanted: Any, rest: list[float]) -> None:
        corpus = read(document(overlap=overlap, blocks=[block(*self.PAIR)]))
        assert tuple(weights(corpus).values()) == wanted
        assert nothing(corpus) == rest

    def test_labels_above_one_are_refused(self) -> None:
        wide = {"start": 0, "end": 4, "labels": {"A": 0.9, "B": 0.6}}
        assert refused(document(blocks=[block(wide)])) == (
            "d.jsonl:1: the labels of 'blocks[0].alternatives[0]' have probabilities that sum to 1.5\n"
            "  if several labels can be correct, use ?semantics=independent or ?overlap=scale: "
            "by default only one can"
        )
        scaled = read(document(overlap="scale", blocks=[block(wide)]))
        assert weights(scaled) == {(0, 4, "A"): 0.6, (0, 4, "B"): 0.4}
        alone = read(document(label_semantics="independent", blocks=[block(wide)]))
        assert weights(alone) == {(0, 4, "A"): 0.9, (0, 4, "B"): 0.6}
        assert nothing(alone) == [0.1, 0.4]

    def test_labels_of_their_own_are_blocks_with_all_spans(self) -> None:
        corpus = read(document(semantics="independent", blocks=[block(YORK, YORK_LEFT)]))
        beliefs = corpus.beliefs
        assert beliefs is not None
        assert dict(zip(weights(corpus), beliefs.nothing[beliefs.block].round(9).tolist(), strict=True)) == {
            (8, 16, "LOC"): 0.64,
            (8, 21, "ORG"): 0.46,
            (8, 21, "LOC"): 0.64,
        }

    def test_two_certain_spans_cannot_be_conditioned(self) -> None:
        certain = [{**each, "p": 1} for each in self.PAIR]
        text = refused(document(overlap="condition", blocks=[block(*certain)]))
        assert text.startswith("d.jsonl:1: two spans of 'blocks[0]' are certain, and exclude each other\n")


class TestTheSameTwice:
    def test_in_one_block_it_is_added(self) -> None:
        corpus = read(document(blocks=[block(YORK, YORK_LEFT, {"start": 8, "end": 16, "p": 0.1, "label": "LOC"})]))
        assert weights(corpus)[8, 16, "LOC"] == 0.4
        assert nothing(corpus) == [0.0]
        assert corpus.beliefs is not None
        assert corpus.beliefs.entity.tolist() == pytest.approx([0.4, 0.6, 0.6])

    def test_another_label_of_the_same_span_is_of_that_span(self) -> None:
        corpus = read(document(blocks=[block(YORK, {"start": 8, "end": 16, "p": 0.1, "label": "ORG"})]))
        assert corpus.beliefs is not None
        assert corpus.beliefs.alternative.tolist() == [0, 0]
        assert corpus.beliefs.entity.tolist() == pytest.approx([0.4, 0.4])

    def test_in_two_blocks_it_is_refused(self) -> None:
        assert refused(document(blocks=[block(YORK), block(YORK_LEFT, YORK)])) == (
            "d.jsonl:1: 'blocks[1].alternatives[1]' with the label 'LOC' is also in 'blocks[0].alternatives[0]'\n"
            "  put spans that exclude each other into one block: blocks are independent of each other"
        )

    def test_in_two_documents_it_is_another(self) -> None:
        one = document(blocks=[block(YORK)])
        assert len(read(one, {**one, "doc": "e"}).beliefs.weight) == 2  # type: ignore[union-attr]


def test_records_may_differ_in_their_policies() -> None:
    percent = document(doc="b", scale="percent", blocks=[block({"start": 0, "end": 4, "p": 50, "label": "PER"})])
    corpus = read(document(doc="a", blocks=[block(YORK)]), percent, document(doc="c", blocks=[block(YORK_LEFT)]))
    assert [each[0] for each in spans(corpus)] == ["a", "b", "c", "c"]
    assert corpus.beliefs is not None
    assert corpus.beliefs.weight.tolist() == pytest.approx([0.3, 0.5, 0.54, 0.06])
    assert corpus.beliefs.policies["scale"] == "percent, prob"
    assert notes(corpus) == []


def test_the_text_that_a_span_names_is_compared() -> None:
    right = {"start": 0, "end": 4, "text": "Anna", "label": "PER"}
    assert notes(read(document(blocks=[block(right)]))) == []
    text = refused(document(blocks=[block(right | {"text": "Paris"})]))
    assert text.splitlines()[0] == "d.jsonl:1: 1 of 1 spans do not cover their stated text"
    assert "blocks[0].alternatives[0] of document 'd', 0 4 PER 'Paris', covers 'Anna'" in text


def test_offsets_of_other_programs() -> None:
    text = f"😀 {TEXT}"
    anna = {"start": 3, "end": 7, "text": "Anna", "label": "PER"}
    given = {"doc": "d", "text": text, "blocks": [block(anna)]}
    assert list(weights(read(given))) == [(2, 6, "PER")]  # told by the text
    del anna["text"]
    assert list(weights(read(given, options="::probabilistic?offsets=utf-16"))) == [(2, 6, "PER")]

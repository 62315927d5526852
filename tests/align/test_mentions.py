"""Mentions of chains on common ground: those without words, and those of responses that have no words at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from comparanda.align import align_responses
from comparanda.align.quotes import place_spans
from comparanda.core.corpus import Corpus
from comparanda.core.places import Source
from comparanda.formats import clusters, conllu
from comparanda.formats.contract import Request
from tests.formats.conllu_entities.test_brackets import line
from tests.formats.corpora import refusal

KEY = (
    "# newdoc id = a\n# global.Entity = eid\n"
    + line("0.1", "_", "Entity=(e1)") + line(1, "Anna", "Entity=(e1)") + line(2, "ran")
    + line("2.1", "_", "Entity=(e2)") + "\n" + line("0.1", "_", "Entity=(e3)") + line(1, "Bo")
    + line("1.1", "_", "Entity=(e2)") + "\n"
    + "# newdoc id = b\n# global.Entity = eid\n"
    + line(1, "He", "Entity=(e1)") + line("1.1", "_", "Entity=(e1)") + line("1.2", "_", "Entity=(e1)") + "\n"
)  # fmt: skip


def chained(text: str) -> Corpus:
    return conllu.read(Source.of_text("f.conllu", text.encode()), Request(side="x", layer="chains"))


def clustered(*given: dict[str, Any]) -> Corpus:
    text = "".join(f"{json.dumps(each)}\n" for each in given)
    return clusters.read(Source.of_text("r.jsonl", text.encode()), Request(side="r", layer="chains"))


def placed(key: Corpus, response: Corpus) -> tuple[str, list[list[tuple[int, int, int]]], list[list[tuple[int, int]]]]:
    """The unit, and for key and response where spans stand, and which rows they are said to be at."""
    placement = place_spans(align_responses(key, [response], missing="empty"))
    where, rows = [], []
    for given in placement.sides:
        side = given.take(given.given.argsort(kind="stable"))
        begin, end = placement.rows(side)
        where.append(list(zip(side.document.tolist(), side.begin.tolist(), side.end.tolist(), strict=True)))
        rows.append(list(zip(begin.tolist(), end.tolist(), strict=True)))
    return placement.unit, where, rows


PLACES = [(0, 0, 0), (0, 0, 1), (0, 2, 2), (0, 2, 2), (0, 3, 3), (1, 0, 1), (1, 1, 1), (1, 1, 1)]
ROWS = [(0, 1), (0, 1), (2, 3), (2, 3), (2, 3), (0, 1), (0, 1), (0, 1)]


class TestWithoutWords:
    def test_the_same_words(self) -> None:
        """One behind the last word of a document stands in that document, and at its last row."""
        unit, where, rows = placed(chained(KEY), chained(KEY))
        assert (unit, where, rows) == ("tokens", [PLACES, PLACES], [ROWS, ROWS])

    def test_a_response_without_documents(self) -> None:
        one = "# global.Entity = eid\n" + "".join(row for row in KEY.splitlines(keepends=True) if row[0] != "#")
        unit, where, _ = placed(chained(KEY), chained(one))
        assert (unit, where) == ("tokens", [PLACES, PLACES])

    def test_words_that_are_cut_otherwise(self) -> None:
        other = KEY.replace(line(2, "ran"), line(2, "ra") + line(3, "n")).replace("2.1\t", "3.1\t")
        other = other.replace(line(1, "Bo"), line(1, "B") + line(2, "o")).replace("\n1.1\t", "\n2.1\t", 1)
        _, (key, response), _ = placed(chained(KEY), chained(other))
        assert key == response == [
            (0, 0, 0), (0, 0, 4), (0, 8, 8), (0, 8, 8), (0, 11, 11), (1, 0, 2), (1, 2, 2), (1, 2, 2),
        ]  # fmt: skip

    def test_beside_a_response_that_counts_characters(self) -> None:
        response = clustered(
            {"id": "a", "text": "Anna ran Bo", "clusters": [[[0, 4]]]}, {"id": "b", "text": "He", "clusters": []}
        )
        unit, (key, other), rows = placed(chained(KEY), response)
        assert unit == "characters"
        assert key[:5] == [(0, 0, 0), (0, 0, 4), (0, 8, 8), (0, 8, 8), (0, 11, 11)]
        assert other == [(0, 0, 4)]
        assert rows[0] == ROWS


class TestResponsesWithoutWords:
    def test_their_numbers_are_those_of_the_key(self) -> None:
        response = clustered({"id": "b", "clusters": [[[0, 0]]]}, {"id": "a", "clusters": [[[0, 0], [1, 2]]]})
        _, (_, found), rows = placed(chained(KEY), response)
        assert found == [(1, 0, 2), (0, 0, 4), (0, 5, 11)]
        assert rows[1] == [(0, 1), (0, 1), (1, 3)]

    def test_documents_that_the_key_does_not_have_are_left_out(self) -> None:
        response = clustered({"id": "a", "clusters": []}, {"id": "z", "clusters": [[[70, 80]]]})
        assert placed(chained(KEY), response)[1][1] == []
        strange = clustered({"id": "y", "clusters": [[[0, 0]]]}, {"id": "z", "clusters": [[[0, 0]]]})
        assert placed(chained(KEY), strange)[1][1] == []

    def test_what_ends_behind_the_key_is_refused(self) -> None:
        response = clustered({"id": "a", "clusters": [[[0, 0]]]}, {"id": "b", "clusters": [[[0, 0], [0, 1], [3, 4]]]})
        assert refusal(placed, chained(KEY), response) == (
            "r.jsonl:2: the span 0:2 ends after the end of document 'b', which has 1 word\n"
            "  other spans with this error: 1\n"
            "  check that word numbers count the words of the key (not subwords) and refer to the same text"
        )


def test_a_key_has_words() -> None:
    key = clustered({"id": "a", "clusters": [[[0, 0]]]})
    assert refusal(placed, key, key) == (
        "r.jsonl: the key has no words\n"
        "  give a key that contains its words; word numbers alone are allowed only in system outputs"
    )


@pytest.mark.parametrize("size", [1, 2])
def test_a_document_whose_only_word_is_followed_by_a_node(size: int) -> None:
    text = "# global.Entity = eid\n" + "".join(
        f"# newdoc id = {name}\n" + line(1, "a", "Entity=(e1)") + line("1.1", "_", "Entity=(e1)") + "\n"
        for name in range(size)
    )
    _, (key, response), rows = placed(chained(text), chained(text))
    assert key == response == [(name, *extent) for name in range(size) for extent in ((0, 1), (1, 1))]
    assert rows[0] == [(0, 1), (0, 1)] * size

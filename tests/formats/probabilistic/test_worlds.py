"""Blocks with worlds: sets of spans of which at most one is present, next to blocks of alternatives."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.probabilistic.files import document, nothing, read, refused, weights, worlds

ANNA, YORK, NEW = [0, 4, "PER"], [8, 16, "LOC"], [8, 11, "LOC"]
HERE = "d.jsonl:1: "
BOTH = {"worlds": [{"p": 0.5, "spans": [ANNA, YORK]}, {"p": 0.25, "spans": [YORK]}]}
ALONE = {"alternatives": [{"start": 17, "end": 21, "p": 0.5, "label": "ORG"}]}


def test_a_block_has_the_worlds_that_it_lists() -> None:
    corpus = read(document(blocks=[BOTH]))
    assert weights(corpus) == {(0, 4, "PER"): 0.5, (8, 16, "LOC"): 0.75}
    assert [(p, len(members)) for p, members in worlds(corpus)] == [(0.5, 2), (0.25, 1)]
    assert nothing(corpus) == [0.25]


def test_it_is_the_same_as_an_n_best_list_of_one_block() -> None:
    block, listed = read(document(blocks=[BOTH])), read(document(nbest=BOTH["worlds"]))
    assert (weights(block), worlds(block), nothing(block)) == (weights(listed), worlds(listed), nothing(listed))


@pytest.mark.parametrize("blocks", [[BOTH, ALONE], [ALONE, BOTH]])
def test_blocks_of_both_kinds_are_independent(blocks: list[Any]) -> None:
    corpus = read(document(blocks=blocks))
    assert weights(corpus) == {(0, 4, "PER"): 0.5, (8, 16, "LOC"): 0.75, (17, 21, "ORG"): 0.5}
    assert corpus.beliefs is not None
    assert sorted(corpus.beliefs.nothing.tolist()) == [0.25, 0.5]
    assert sorted(corpus.beliefs.exclusive.tolist()) == [False, True]


@pytest.mark.parametrize("overlap", ["condition", "scale", "independent"])
def test_policies_for_overlaps_do_not_concern_worlds(overlap: str) -> None:
    assert weights(read(document(blocks=[BOTH], overlap=overlap))) == {(0, 4, "PER"): 0.5, (8, 16, "LOC"): 0.75}


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        ([{**BOTH, **ALONE}], "'blocks[0]' has both 'alternatives' and 'worlds'"),
        ([ALONE, {}], "missing 'alternatives' in 'blocks[1]'"),
        ([{"worlds": [{"p": 1, "tags": ["O"]}]}], "expected 'spans' in 'blocks[0].worlds[0]', got tags"),
        ([{"worlds": [{"p": 1}]}], "expected 'spans' in 'blocks[0].worlds[0]', got none"),
        ([ALONE, {"worlds": [{"p": 2, "spans": []}]}], "'blocks[1].worlds[0].p' is 2, which is not between 0 and 1"),
        ([{"worlds": [{"spans": [ANNA]}, {"spans": []}]}], "'blocks[0].worlds[0]' has neither 'logp' nor 'p'"),
        (
            [{"worlds": [{"p": 0.75, "spans": [ANNA]}, {"p": 0.75, "spans": [YORK]}]}],
            "the analyses of 'blocks[0].worlds' have probabilities that sum to 1.5",
        ),
        (
            [BOTH, {"worlds": [{"p": 0.5, "spans": [NEW]}, {"p": 0.5, "spans": [NEW, ANNA]}]}],
            "'blocks[1].worlds[1].spans[1]' with the label 'PER' is also in 'blocks[0].worlds[0].spans[0]'",
        ),
        (
            [BOTH, {"alternatives": [{"start": 0, "end": 4, "p": 0.5, "label": "PER"}]}],
            "'blocks[0].worlds[0].spans[0]' with the label 'PER' is also in 'blocks[1].alternatives[0]'",
        ),
    ],
)
def test_what_cannot_be_right_is_refused(blocks: list[Any], said: str) -> None:
    assert refused(document(blocks=blocks)).splitlines()[0] == HERE + said

"""Where two corpora of the same documents differ, it is said; where they do not, nothing is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comparanda.api.combination import first_difference
from comparanda.core.corpus import Arcs, Corpus
from comparanda.pipeline import Setup, read_key


def corpus(given: Any, task: str = "tag") -> Corpus:
    return read_key(given, Setup(task=task))


def test_values() -> None:
    assert first_difference(corpus(["A", "B"]), corpus(["A", "B"])) is None
    assert first_difference(corpus(["A", "B"]), corpus(["A", "C"])) == "the value 'B' of row 2 would be 'C'"


def test_rows_in_another_order_are_the_same_rows() -> None:
    mine, other = corpus({"1": "x", "2": "y"}, "label"), corpus({"2": "y", "1": "x"}, "label")
    assert first_difference(mine, other) is None
    assert first_difference(mine, corpus({"2": "x", "1": "x"}, "label")) == "the value 'y' of row 2 would be 'x'"


def test_words_that_are_cut_otherwise() -> None:
    mine = corpus([{"tokens": ["ab", "c"], "tags": ["A", "B"]}])
    other = corpus([{"tokens": ["a", "b", "c"], "tags": ["A", "A", "B"]}])
    assert first_difference(mine, other) == "the tokenisation would change"


def test_heads(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text("1\ta\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    mine = corpus(str(path), "dep")
    assert first_difference(mine, mine) is None
    assert first_difference(mine, replace(mine, arcs=Arcs(np.array([-1, 0])))) == "heads would change"


def linked(*spans: dict[str, Any]) -> Corpus:
    return corpus([{"id": "d", "text": "Ann met Bob", "spans": list(spans)}], "link")


ANN = {"begin": 0, "end": 3, "label": "PER"}
BOB = {"begin": 8, "end": 11, "label": "PER"}


@pytest.mark.parametrize(
    ("mine", "other", "said"),
    [
        ([ANN, BOB], [BOB, ANN], None),
        ([ANN, BOB], [ANN], "the span 8:11 (PER) of document 'd' would be lost or changed"),
        ([ANN], [ANN, BOB], "the span 8:11 (PER) of document 'd' would be added"),
        ([ANN], [{**ANN, "label": "LOC"}], "the span 0:3 (PER) of document 'd' would be lost or changed"),
        ([{**ANN, "id": "Q1"}], [{**ANN, "id": "Q2"}], "the span 0:3 (PER) of document 'd' would be lost or changed"),
        ([{**ANN, "id": "Q1"}], [{**ANN, "id": "Q1|Q2"}], None),  # the first id decides
        ([{**ANN, "id": "NIL"}], [ANN], None),
        ([{"fragments": [[0, 3], [8, 11]], "label": "PER"}], [{**ANN, "end": 11}], "the span 0:11 (PER)"),
    ],
)
def test_spans(mine: list[dict[str, Any]], other: list[dict[str, Any]], said: str | None) -> None:
    found = first_difference(linked(*mine), linked(*other))
    assert found is None if said is None else found is not None and found.startswith(said)

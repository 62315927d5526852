"""Probabilistic entities written, read, and looked at as plain values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from comparanda.core.corpus import Corpus
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from tests.formats.corpora import refusal

TEXT = "Anna of New York left Paris."
Weights = dict[tuple[int, int, str], float]


def read(*records: Any, options: str = "::probabilistic", name: str = "d.jsonl", side: str = "out") -> Corpus:
    """Read records, written one a line; a text is a line as it is."""
    lines = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in records]
    Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_input(Input.parse(f"{name}{options}"), Request(side=side, layer="beliefs"), "tokens")


def refused(*records: Any, options: str = "::probabilistic", code: int = 3) -> str:
    return refusal(read, *records, options=options, code=code)


def weights(corpus: Corpus) -> Weights:
    """How probable each tuple is, of a corpus of one document, or of several whose tuples differ."""
    spans, beliefs = corpus.spans, corpus.beliefs
    assert spans is not None
    assert beliefs is not None
    tuples = zip(spans.begin.tolist(), spans.end.tolist(), map(str, spans.label.values()), strict=True)
    found = {each: round(weight, 9) for each, weight in zip(tuples, beliefs.weight.tolist(), strict=True)}
    assert len(found) == len(spans)
    return found


def nothing(corpus: Corpus) -> list[float]:
    """The probability of nothing in each block."""
    assert corpus.beliefs is not None
    return [round(each, 9) for each in corpus.beliefs.nothing.tolist()]


def worlds(corpus: Corpus) -> list[tuple[float, list[tuple[int, int, str]]]]:
    """The worlds of blocks that have some: how probable each is, and the tuples that are true in it."""
    beliefs = corpus.beliefs
    assert beliefs is not None
    if beliefs.worlds is None:
        return []
    tuples = list(weights(corpus))
    listed = beliefs.worlds
    return [
        (round(float(probability), 9), [tuples[row] for row in listed.member[begin:end].tolist()])
        for probability, begin, end in zip(listed.probability, listed.offsets, listed.offsets[1:], strict=False)
    ]


def block(*alternatives: dict[str, Any]) -> dict[str, Any]:
    return {"alternatives": list(alternatives)}


def document(**fields: Any) -> dict[str, Any]:
    return {"doc": "d", "text": TEXT, **fields}


def entity(begin: int, end: int, label: str, score: float) -> dict[str, Any]:
    return {"start": begin, "end": end, "label": label, "score": score}

"""What comparanda counts of two texts in CoNLL-U, and what `udeval` of udtools counts of them."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from udtools.udeval import evaluate, load_conllu

from comparanda.align import Aligned, Missing, align_responses
from comparanda.core.corpus import Corpus
from comparanda.core.places import Source
from comparanda.formats.conllu import read
from comparanda.formats.contract import Request
from comparanda.tasks.task import Conll18
from comparanda.tasks.trees.conll18 import ENHANCED, METRICS, count_conll18
from comparanda.tasks.trees.evaluation import COLUMNS

Counts = tuple[int | None, ...]
"""What is right, what the key has, what the response has, and what of the key is aligned (None where not counted)."""

COUNTS = ("credit", "positives", "claimed", "aligned")


def trees(text: str, name: str = "x") -> Corpus:
    """Read CoNLL-U with its trees."""
    return read(
        Source.of_text(f"{name}.conllu", text.encode()), Request(side=name, value="deprel", extra=COLUMNS, layer="arcs")
    )


def laid(key: str, *responses: str, missing: Missing = "error") -> Aligned:
    """Lay responses over a key."""
    corpora = [trees(text, f"r{number}") for number, text in enumerate(responses)]
    return align_responses(trees(key, "key"), corpora, missing=missing)


def counts(
    aligned: Aligned, unit: int | None = None, run: int = 0, *, values: Conll18 = "official"
) -> dict[str, Counts]:
    """Return the counts of every score, of all units or of one."""
    statistics = count_conll18(aligned, values).statistics
    metrics = [metric for metric in (*METRICS, *ENHANCED) if f"credit[{metric}]" in statistics]
    return {metric: tuple(_count(statistics, f"{name}[{metric}]", unit, run) for name in COUNTS) for metric in metrics}


def _count(statistics: Mapping[str, NDArray[np.float64]], name: str, unit: int | None, run: int) -> int | None:
    if name not in statistics:
        return None
    column = statistics[name][:, run]
    return int(column.sum() if unit is None else column[unit])


def official(key: str, response: str) -> dict[str, Counts]:
    """Return what `udeval` counts."""
    found = evaluate(load_conllu(io.StringIO(key), "key", {}), load_conllu(io.StringIO(response), "response", {}))
    return {
        name: (score.correct, score.gold_total, score.system_total, score.aligned_total)
        for name, score in found.items()
    }


def columns(text: str) -> str:
    """Complete hand-written CoNLL-U: fields behind one or more spaces, `_` for what is not there.

    >>> columns("1 dogs dog NOUN").count(chr(9))
    9
    """
    lines = []
    for line in text.strip().split("\n"):
        fields = line.split()
        lines.append("\t".join(fields + ["_"] * (10 - len(fields))) if fields else "")
    return "\n".join(lines) + "\n\n"


def cut(written: str) -> str:
    """Write a sentence without annotation of tokens between spaces; `zum=zu+dem` is one of two words.

    >>> cut("a bc=b+c").split(chr(10))[1].split(chr(9))[:2]
    ['2-3', 'bc']
    """
    lines, number = [], 0
    for token in written.split():
        form, ranged, inner = token.partition("=")
        words = inner.split("+") if ranged else [form]
        if ranged:
            lines.append(f"{number + 1}-{number + len(words)} {form}")
        for word in words:
            number += 1
            lines.append(f"{number} {word} _ _ _ _ {number - 1} {'dep' if number > 1 else 'root'}")
    return columns("\n".join(lines))

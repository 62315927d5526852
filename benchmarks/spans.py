"""Generated spans: a key, and a system that misses, moves, renames, splits, repeats and invents; all on arrays."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.text_columns import TextColumn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Column
    from comparanda.rules.facts import Facts

    Array = NDArray[Any]

LABELS = ("CAPITAL", "CITY", "LOC", "ORG", "PER")
SHARES = (0.05, 0.1, 0.2, 0.3, 0.35)
PARENT = np.array([1, 2, 2, 3, 4])
"""The label above each label; itself where there is none."""

STOP_WORDS = ("He", "Mr", "north", "it")
NAMES = 50_000
A_DOCUMENT = 20
ROOM = 60
"""Positions from one span of the key to the next."""


@dataclass(frozen=True)
class Texts:
    """Names, each with what a span that is moved or cut covers of it.

    Args:
        texts: all texts; those of name `n` are `texts[5 * n]` to `texts[5 * n + 4]`.
        begin: where each begins, from the begin of the name.
        end: where each ends.

    """

    texts: list[str]
    begin: Array
    end: Array

    @classmethod
    def make(cls, seed: int) -> Texts:
        """Make names of one to three words: whole, begun too early, ended too late, first half, second half."""
        draw = random.Random(seed)
        syllables = [first + second for first in "bcdfghklmnprstvz" for second in "aeiou"]

        def word() -> str:
            return "".join(draw.choices(syllables, k=draw.choice((1, 2, 2, 3)))).capitalize()

        texts, begin, end = [], [], []
        for number in range(NAMES):
            words = draw.choice((1, 2, 2, 3))
            whole = STOP_WORDS[number] if number < 4 else " ".join(word() for _ in range(words))
            size, half = len(whole), (len(whole) + 1) // 2
            texts += [whole, f"a {whole}", f"{whole} of", whole[:half], whole[half:]]
            begin += [0, -2, 0, 0, half]
            end += [size, size, size + 3, half, size]
        return cls(texts, np.array(begin), np.array(end))


def spans(number: int, *, a_document: int = A_DOCUMENT, seed: int = 1, shuffled: bool = False) -> dict[str, Facts]:
    """Return this many key spans and about as many system spans, as a reader gives them: document by document."""
    draw, texts = np.random.default_rng(seed), Texts.make(seed)
    place = np.arange(number)
    name = 4 + ((NAMES - 4) * draw.random(number) ** 2).astype(np.int64)
    label = draw.choice(len(LABELS), number, p=SHARES)
    again = np.flatnonzero((draw.random(number) < 0.3) & (place % a_document > 1))
    name[again], label[again] = name[again - 2], label[again - 2]  # named before in this document
    key = {
        "doc": place // a_document,
        "at": place % a_document * ROOM + draw.integers(2, 20, number),
        "name": name,
        "form": np.zeros(number, np.int64),
        "label": label,
        "id": np.where(draw.random(number) < 0.7, name % 9973, -1),
        "low": draw.random(number) < 0.06,
    }
    inside = np.flatnonzero((draw.random(number) < 0.05) & (place % a_document > 0))
    for column in ("at", "name"):
        key[column][inside] = key[column][inside - 1]  # in the span before, or once more
    key["form"][inside] = 3
    system = _answers(key, draw)
    sides = {"system": system, "key": key}
    return {table: _facts(side, texts, draw if shuffled else None) for table, side in sides.items()}


def _answers(key: dict[str, Array], draw: np.random.Generator) -> dict[str, Array]:
    """Return what a system says."""
    number = len(key["doc"])
    what = draw.choice(9, number, p=(0.62, 0.06, 0.06, 0.05, 0.03, 0.07, 0.03, 0.02, 0.06))
    copies = np.select([what == 5, (what == 6) | (what == 7) | (what == 8)], [0, 2], 1)
    source = np.repeat(np.arange(number), copies)
    second = np.append(False, source[1:] == source[:-1])
    system, what = {column: values[source] for column, values in key.items()}, what[source]
    system["form"] = np.select(
        [what == 1, what == 2, (what == 6) & ~second, (what == 6) & second], [1, 2, 3, 4], system["form"]
    )
    system["label"] = np.where(what == 3, PARENT[system["label"]], system["label"])
    system["label"] = np.where(what == 4, draw.integers(0, len(LABELS), len(what)), system["label"])
    invented = (what == 8) & second  # half of them stop words, at a place of their own
    size = int(invented.sum())
    system["at"][invented] += 30
    system["form"][invented] = 0
    words = np.where(draw.random(size) < 0.5, draw.integers(0, 4, size), draw.integers(4, NAMES, size))
    system["name"][invented] = words
    system["id"] = np.where(draw.random(len(what)) < 0.25, draw.integers(-1, 9973, len(what)), system["id"])
    return system


def _facts(side: dict[str, Array], texts: Texts, shuffle: np.random.Generator | None) -> Facts:
    """Return one side as the rules take it, with no more texts than it has."""
    from comparanda.rules.facts import Facts

    number = len(side["doc"])
    order = np.arange(number) if shuffle is None else shuffle.permutation(number)
    code = (side["name"] * 5 + side["form"])[order]
    at = side["at"][order]
    used, codes = np.unique(code, return_inverse=True)
    ids, links = np.unique(np.append(side["id"][order], -1), return_inverse=True)
    low = side["low"][order].astype(np.uint8)
    columns: dict[str, Column] = {
        "doc": side["doc"][order],
        "begin": at + texts.begin[code],
        "end": at + texts.end[code],
        "label": TextColumn(side["label"][order], LABELS),
        "text": TextColumn(codes, tuple(texts.texts[each] for each in used.tolist())),
        "id": TextColumn(links[:-1], tuple(f"Q{each}" for each in ids.tolist()), 0),
        "confidence": TextColumn(low, ("", "low"), 0),
    }
    return Facts(columns)

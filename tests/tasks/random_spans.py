"""Random tags and random documents with labelled spans, and what a result counts on them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from comparanda import Result

Tags = list[str]
Record = dict[str, Any]

LABELS = ("PER", "LOC", "ORG")


# Tags: spans that do not overlap


def sound(draw: random.Random, size: int, labels: Sequence[str], density: float) -> Tags:
    """Tag a sentence with spans of one to five words, many of them next to each other."""
    tags: Tags = []
    while len(tags) < size:
        if draw.random() > density:
            tags.append("O")
            continue
        label, width = draw.choice(labels), draw.choice((1, 1, 2, 3, 4, 5))
        tags += [f"B-{label}", *[f"I-{label}"] * (width - 1)]
    return tags[:size]


def noise(draw: random.Random, labels: Sequence[str]) -> str:
    return draw.choice(["O", *(f"{letter}-{label}" for letter in "BI" for label in labels)])


def guessed(draw: random.Random, tags: Tags, labels: Sequence[str], density: float) -> Tags:
    """Tag a sentence again: from nothing, or with slips that may break the scheme."""
    if draw.random() < 0.4:
        return sound(draw, len(tags), labels, density)
    found = list(tags)
    for _ in range(draw.randint(0, 4)):
        found[draw.randrange(len(found))] = noise(draw, labels)
    return found


class Tagged(NamedTuple):
    """Sentences as the key and two systems tag them."""

    key: list[Tags]
    first: list[Tags]
    second: list[Tags]


def tagged(seed: int, sentences: int = 6) -> Tagged:
    """Make a few sentences; a system may have labels that the key lacks, and either may break the scheme."""
    draw = random.Random(seed)
    labels, density = LABELS[: draw.randint(1, 3)], draw.choice((0.3, 0.6, 0.9))
    more = (*labels, "MISC") if draw.random() < 0.3 else labels
    key = [sound(draw, draw.randint(1, 14), labels, density) for _ in range(draw.randint(1, sentences))]
    if draw.random() < 0.3:
        key[0][draw.randrange(len(key[0]))] = noise(draw, labels)
    return Tagged(key, *([guessed(draw, tags, more, density) for tags in key] for _ in range(2)))


def as_input(sentences: list[Tags], way: int, path: Path) -> Any:
    """Hand over tags in one of three ways: as lists, with words, or in a file."""
    if way == 0:
        return sentences
    words = [[(f"w{place}", tag) for place, tag in enumerate(tags)] for tags in sentences]
    if way == 1:
        return words
    path.write_text("\n".join("".join(f"{word}\t{tag}\n" for word, tag in tags) for tags in words) + "\n")
    return f"{path}::columns"


# Documents with spans of any kind


class Span(NamedTuple):
    """A typed span; one in a single piece has one."""

    label: str
    pieces: tuple[tuple[int, int], ...]

    def record(self) -> Record:
        """Return it as it is written in JSONL."""
        (begin, _), (_, end) = self.pieces[0], self.pieces[-1]
        written: Record = {"begin": begin, "end": end, "label": self.label}
        return written if len(self.pieces) == 1 else {**written, "fragments": [list(piece) for piece in self.pieces]}


Documents = dict[str, list[Span]]
"""Spans by document."""


def any_span(draw: random.Random, size: int, labels: Sequence[str]) -> Span:
    """Draw a span of a text: long or short, empty, or in two or three pieces with gaps between them."""
    begin, end = sorted(draw.randint(0, size) for _ in range(2))
    if draw.random() < 0.2:
        end = begin
    label = draw.choice(labels)
    cuts = sorted(draw.sample(range(begin + 1, end), 2 * draw.randint(1, 2))) if end - begin > 5 else []
    if not cuts or draw.random() < 0.7:
        return Span(label, ((begin, end),))
    ends = [begin, *cuts, end]
    return Span(label, tuple(zip(ends[::2], ends[1::2], strict=True)))


class Crowd(NamedTuple):
    """Documents with nested, entwined, empty, repeated and touching spans, as the key and three systems have them."""

    texts: dict[str, str]
    sides: dict[str, Documents]

    def given(self, side: str, order: random.Random | None = None) -> list[Record]:
        """Return a side as records, its documents and spans in another order if asked for."""
        names = list(self.texts)
        if order is not None and side != "key":
            order.shuffle(names)
        return [
            {
                "id": name,
                "text": self.texts[name],
                "spans": _mixed([span.record() for span in self.sides[side][name]], order),
            }
            for name in names
        ]

    def systems(self, *names: str, order: random.Random | None = None) -> dict[str, list[Record]]:
        return {name: self.given(name, order) for name in names}


def _mixed(spans: list[Record], order: random.Random | None) -> list[Record]:
    return spans if order is None else order.sample(spans, len(spans))


SYSTEMS = ("one", "two", "three")


def crowd(seed: int, *, documents: int = 4, spans: int = 6) -> Crowd:
    """Make a crowd; systems take over much of the key, so that all classes of difference occur."""
    draw = random.Random(seed)
    labels = LABELS[: draw.randint(1, 3)]
    texts = {f"d{number}": "ab cd, " * draw.randint(1, 4) + "." for number in range(draw.randint(1, documents))}
    sides: dict[str, Documents] = {side: {} for side in ("key", *SYSTEMS)}
    for name, text in texts.items():
        gold = [any_span(draw, len(text), labels) for _ in range(draw.randint(0, spans))]
        pool = [any_span(draw, len(text), (*labels, "MISC")) for _ in range(2)]  # errors that systems share
        sides["key"][name] = gold
        for side in SYSTEMS:
            found = [span for span in gold if draw.random() < 0.7]
            found += [span for span in pool if draw.random() < 0.4]
            found += [any_span(draw, len(text), labels) for _ in range(draw.choice((0, 0, 1)))]
            sides[side][name] = [span for span in found for _ in range(draw.choice((1, 1, 1, 1, 2)))]
    return Crowd(texts, sides)


# The definition of overlap


def overlap(one: Span, other: Span) -> bool:
    """Discontinuous spans overlap by their pieces."""
    return any(meet(*piece, *other_piece) for piece in one.pieces for other_piece in other.pieces)


def meet(begin: int, end: int, other_begin: int, other_end: int) -> bool:
    """Half-open: touching is none; without length only what strictly contains or equals it."""
    if begin == end and other_begin == other_end:
        return begin == other_begin
    if begin == end:
        return other_begin < begin < other_end
    if other_begin == other_end:
        return begin < other_begin < end
    return bool({*range(begin, end)} & {*range(other_begin, other_end)})


# What a result counts


def counts(
    result: Result, system: str, *, view: str | None = None, label: str | None = None
) -> tuple[float, float, float]:
    """Return TP, FP and FN, of one label or of all; with credit for parts, what counts as right and wrong."""
    of_label = "" if label is None else f"[{label}]"
    found = {
        score.measure: score
        for score in result.scores(f"precision{of_label}", f"recall{of_label}", view=view).scores
        if score.system == system
    }
    precision, recall = found[f"precision{of_label}"], found[f"recall{of_label}"]
    assert precision.part is not None
    assert precision.whole is not None
    assert recall.part is not None
    assert recall.whole is not None
    return precision.part, precision.whole - precision.part, recall.whole - recall.part


def verdicts(result: Result, view: str, run: int = 0) -> dict[int, Counter[tuple[bool, str]]]:
    """Count for each sentence what rules made of the key's spans and of what a run has beside them."""
    items = result.verdicts.view(view).items
    assert items.outcomes is not None
    found: dict[int, Counter[tuple[bool, str]]] = {}
    codes = items.outcomes.verdict[run].tolist()
    for sentence, positive, code in zip(items.sentence.tolist(), items.positive.tolist(), codes, strict=True):
        found.setdefault(sentence, Counter())[positive, items.outcomes.verdicts[code]] += 1
    return found


def value_of(result: Result, system: str, measure: str, view: str | None = None) -> float | None:
    return result.scores(measure, view=view).value(system, measure)

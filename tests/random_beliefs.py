"""Random documents with probable spans, for tests of what becomes of their verdicts: folders, merged parts."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from comparanda.core.verdicts import Verdicts
from comparanda.pipeline import Setup, evaluate_systems
from tests.seeds import mostly_slow

SIDES = ("key", "crf", "beams", "regular")
"""The key, a system with blocks, one with the best analyses of each document, and one whose spans are certain."""

WORDS = ("Anna", "went", "to", "New", "York", "naïve", ",", "Bank", "of", "England")
LABELS = ("PER", "LOC", "ORG", "MISC")
THREE = (slice(0, 2), slice(2, 3), slice(3, 6))

Place = tuple[int, int]
Labelled = tuple[Place, str]
Record = dict[str, Any]


@dataclass(frozen=True)
class Document:
    """One document: what the key says of it, and each system; None where a side does not have it."""

    name: str
    said: Mapping[str, Record | None]


@dataclass(frozen=True)
class Corpora:
    """The documents of a key and three systems, in files.

    Args:
        documents: the key's documents, each with one that only systems have, if that stands behind it.
        folder: where files are written.
        setup: how they are judged.
        backwards: the sides that have the documents in the opposite order.

    """

    documents: Sequence[Sequence[Document]]
    folder: Path
    setup: Setup
    backwards: Sequence[str] = ()

    def judged(self, part: slice = slice(None)) -> Verdicts:
        """Judge some of the documents."""
        sides = {side: str(path) for side, path in self.written(part).items()}
        return evaluate_systems(sides.pop("key"), sides, self.setup)

    def written(self, part: slice = slice(None)) -> dict[str, Path]:
        """Write the files of some of the documents."""
        paths = {}
        for side in SIDES:
            chosen = [document for group in self.documents[part] for document in group]
            records = [record for each in chosen if (record := each.said[side]) is not None]
            paths[side] = self.folder / f"{side}-{part.start}-{part.stop}.jsonl"
            order = reversed(records) if side in self.backwards else records
            paths[side].write_text("".join(json.dumps(record) + "\n" for record in order))
        return paths


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What is special about a corpus.

    Args:
        setup: how it is judged.
        backwards: the sides that have the documents in the opposite order.
        foreign: behind which documents stands one that the key does not have.
        missing: the documents that the first system does not have.
        quiet: the documents in which the key has nothing and nothing is decided, though something is possible.

    """

    setup: Setup = field(default_factory=lambda: Setup(task="prob"))
    backwards: Sequence[str] = ()
    foreign: Sequence[int] = ()
    missing: Sequence[int] = ()
    quiet: Sequence[int] = ()


_PLAIN = Setup(task="prob")
KINDS = {
    "plain": Kind(),
    "hierarchical": Kind(setup=replace(_PLAIN, decide="hierarchical", min_weight=0.2)),
    "backwards": Kind(backwards=("crf", "regular")),
    "foreign": Kind(setup=replace(_PLAIN, missing="intersection"), foreign=(1, 4), missing=(0, 3)),
    "empty": Kind(setup=replace(_PLAIN, missing="empty"), missing=(1, 5)),
    "mapped": Kind(setup=replace(_PLAIN, maps={"all": {"MISC": "ORG", "LOC": "PER"}})),
    "some labels": Kind(setup=replace(_PLAIN, ignore_label=("LOC",))),
    "quiet": Kind(quiet=(1, 2)),
}
"""Corpora that can be cut into the parts of `THREE`."""

SOME_KINDS = mostly_slow(KINDS, ("plain", "some labels", "quiet"))
"""All of them as parameters; most are for the slow run."""


def random_beliefs(folder: Path, seed: int, kind: Kind, size: int = 6) -> Corpora:
    """Make documents with probable spans."""
    draw = random.Random(seed)
    documents = []
    for number in range(size):
        gone = ("crf",) if number in kind.missing else ()
        own = _document(draw, f"d{number}", number, gone, quiet=number in kind.quiet)
        strange = [_document(draw, f"x{size - number}", number, ("key",))] if number in kind.foreign else []
        documents.append([own, *strange])
    return Corpora(documents, folder, kind.setup, kind.backwards)


def _document(
    draw: random.Random, name: str, number: int, gone: Sequence[str] = (), *, quiet: bool = False
) -> Document:
    words = [draw.choice(WORDS) for _ in range(draw.randint(2, 12))]
    head = {"doc": name, "text": " ".join(words)}
    labels = (*LABELS[: 1 + number % 4], *(("FOO",) if number == 3 else ()))  # names differ from part to part
    windows = _windows(draw, words)
    gold = [] if quiet else [(_within(draw, each), draw.choice(labels)) for each in windows[::2]]
    blocks = [_block(draw, each, gold, labels, most=0.4 if quiet else 1.0) for each in windows]
    sure = [each for each in gold if draw.random() < 0.7]
    said: dict[str, Record | None] = {
        "key": {**head, "spans": [_span(*each) for each in gold]},
        "crf": {**head, "blocks": [{"alternatives": each} for each in blocks]},
        "beams": {**head, "nbest": _analyses(draw, blocks, empty=quiet)},
        "regular": {**head, "spans": [_span(*each) for each in sure]},
    }
    return Document(name, {side: None if side in gone else record for side, record in said.items()})


def _span(place: Place, label: str) -> Record:
    return {"begin": place[0], "end": place[1], "label": label}


def _windows(draw: random.Random, words: Sequence[str]) -> list[list[Place]]:
    """Cut the words of a text into stretches of up to three: a block has spans of one of them alone."""
    places, begin = [], 0
    for word in words:
        places.append((begin, begin + len(word)))
        begin += len(word) + 1
    found = []
    while places:
        width = draw.randint(1, 3)
        found.append(places[:width])
        places = places[width:]
    return found


def _within(draw: random.Random, window: Sequence[Place]) -> Place:
    first = draw.randrange(len(window))
    return window[first][0], window[draw.randrange(first, len(window))][1]


def _block(
    draw: random.Random, window: Sequence[Place], gold: Sequence[Labelled], labels: Sequence[str], *, most: float
) -> list[Record]:
    """Make alternatives that exclude each other, what the key has among them in most blocks; some are equal."""
    spans = {_within(draw, window) for _ in range(draw.randint(1, 3))}
    spans |= {place for place, _ in gold if window[0][0] <= place[0] <= window[-1][1] and draw.random() < 0.8}
    left, found = draw.choice((most, most, most * 0.9, most * 0.5)), []
    for begin, end in sorted(spans):
        p = round(left * draw.choice((0.25, 0.5, 0.75, 1.0)), 4)
        left -= p
        chosen = draw.sample(labels, draw.randint(1, min(3, len(labels))))
        shares = {1: (1.0,), 2: (0.5, 0.5) if draw.random() < 0.3 else (0.7, 0.2), 3: (0.6, 0.25, 0.15)}[len(chosen)]
        found.append({"start": begin, "end": end, "p": p, "labels": dict(zip(chosen, shares, strict=True))})
    return found


def _analyses(draw: random.Random, blocks: Sequence[Sequence[Record]], *, empty: bool) -> list[Record]:
    """Make the best analyses of a document: from each block one span or none."""
    found: dict[str, Record] = {}
    for p in (0.1, 0.05) if empty else (0.4, 0.25, 0.15, 0.1):
        spans = []
        for block in blocks:
            one = draw.choice([*block, None])
            if one is not None:
                spans.append([one["start"], one["end"], draw.choice([*one["labels"]])])
        found[json.dumps(spans)] = {"p": p, "spans": spans}
    return [*found.values()]


# One document without a name: sentences of words, and for each word the probabilities of its tags

TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")


@dataclass(frozen=True)
class Sentences:
    """The sentences of a key, of a system that says how probable every tag is, and of one that does not."""

    sentences: Sequence[Mapping[str, Sequence[Any]]]
    folder: Path

    def judged(self, part: slice = slice(None)) -> Verdicts:
        """Judge some of the sentences."""
        sides = self.written(part)
        return evaluate_systems(sides.pop("key"), sides, Setup(task="prob"))

    def written(self, part: slice = slice(None)) -> dict[str, str]:
        """Write the files of some of the sentences."""
        folder = self.folder / f"{part.start}-{part.stop}"
        folder.mkdir(exist_ok=True)
        key, crf, regular = (folder / side for side in ("key", "crf", "regular"))
        numbers = range(len(self.sentences))[part]
        records = [
            {"sent": each, **{name: self.sentences[each][name] for name in ("tokens", "dist")}} for each in numbers
        ]
        crf.write_text("".join(json.dumps(record) + "\n" for record in records))
        for path in (key, regular):
            chosen = [zip(each["tokens"], each[path.name], strict=True) for each in self.sentences[part]]
            path.write_text("\n".join("".join(f"{word}\t{tag}\n" for word, tag in pairs) for pairs in chosen))
        return {"key": f"{key}::columns", "crf": f"{crf}::probabilistic", "regular": f"{regular}::columns"}


def random_sentences(folder: Path, seed: int, size: int = 6) -> Sentences:
    """Make sentences whose words have probable tags."""
    draw = random.Random(seed)
    return Sentences([_sentence(draw, LABELS[number % 2]) for number in range(size)], folder)


def _sentence(draw: random.Random, label: str) -> dict[str, list[Any]]:
    words = [draw.choice(WORDS) for _ in range(draw.randint(1, 6))]
    gold = [draw.choice(("O", f"B-{label}")) for _ in words]
    said = [tag if draw.random() < 0.7 else "O" for tag in gold]
    return {"tokens": words, "key": gold, "regular": said, "dist": [_probable(draw, tag) for tag in gold]}


def _probable(draw: random.Random, tag: str) -> dict[str, float]:
    """Give some tags probabilities that sum to one, the right one not always the highest."""
    others = draw.sample([each for each in TAGS if each != tag], 2)
    shares = draw.choice(((0.75, 0.15, 0.1), (0.5, 0.5, 0.0), (0.2, 0.6, 0.2)))
    return dict(zip((tag, *others), shares, strict=True))

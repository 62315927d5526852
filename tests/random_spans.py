"""Random documents with labelled spans, for tests of what becomes of their verdicts: folders, merged parts."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from comparanda.core.corpus import Fragments
from comparanda.core.sites import Aspect, Sites
from comparanda.core.verdicts import Verdicts, View
from comparanda.pipeline import Setup, evaluate_systems
from comparanda.result import Result

SIDES = ("key", "crf", "bert", "rules")
WORDS = ("Anna", "went", "to", "New", "York", "naïve", ",", "Bank", "of", "England")
LABELS = ("PER", "LOC", "ORG", "MISC")

Tagged = list[list[tuple[str, str]]]
"""The sentences of a document: words with their chunk tags."""


@dataclass(frozen=True)
class Corpora:
    """The documents of a key and three systems.

    Args:
        documents: each as what every side says of it.
        folder: where files are written.
        setup: how they are judged.

    """

    documents: Sequence[Mapping[str, Any]]
    folder: Path
    setup: Setup

    def judged(self, part: slice = slice(None)) -> Verdicts:
        """Judge some of the documents."""
        sides = {side: self._given(side, part) for side in SIDES}
        return evaluate_systems(sides.pop("key"), sides, self.setup)

    def _given(self, side: str, part: slice) -> Any:
        chosen = [document[side] for document in self.documents[part]]
        return [record for each in chosen for record in each]


@dataclass(frozen=True)
class Files(Corpora):
    """The same, in files of columns, with marks of documents."""

    def _given(self, side: str, part: slice) -> Any:
        lines = []
        for number in range(len(self.documents))[part]:
            lines.append(f"# newdoc id = d{number}")
            lines += ["# meta::genre = news"] * (number < 2)  # an attribute that some parts do not have
            for sentence in self.documents[number][side]:
                lines += [f"{word}\t{tag}" for word, tag in sentence] + [""]
        path = self.folder / f"{side}-{part.start}-{part.stop}.conll"
        path.write_text("\n".join(lines) + "\n")
        return f"{path}::columns"


def tagged(folder: Path, seed: int, setup: Setup, *, size: int = 6, marked: bool = True, alike: float = 0.5) -> Corpora:
    """Make documents with chunk tags: in files with marks, or as lists, which are one document.

    A system says what the key says in some of its sentences; `alike` is the chance of that.
    """
    draw = random.Random(seed)
    documents = []
    for number in range(size):
        words = [[draw.choice(WORDS) for _ in range(draw.randint(1, 7))] for _ in range(draw.randint(1, 3))]
        # a label of one system and of one document: names differ from part to part
        labels = {side: (*LABELS[: 2 + number], "FOO") if side == "rules" and number == 3 else LABELS for side in SIDES}
        gold = [_tags(draw, len(sentence), LABELS[: 1 + number % 4]) for sentence in words]
        documents.append(
            {side: _said(draw, side=side, words=words, gold=gold, labels=labels[side], alike=alike) for side in SIDES}
        )
    return (Files if marked else Corpora)(documents, folder, setup)


def _said(
    draw: random.Random,
    side: str,
    words: list[list[str]],
    gold: list[list[str]],
    *,
    labels: Sequence[str],
    alike: float,
) -> Tagged:
    """Tag sentences: like the key, or each with a chance of another guess."""
    tags = [each if side == "key" or draw.random() < alike else _tags(draw, len(each), labels) for each in gold]
    return [list(zip(*pair, strict=True)) for pair in zip(words, tags, strict=True)]


def _tags(draw: random.Random, length: int, labels: Sequence[str]) -> list[str]:
    tags: list[str] = []
    while len(tags) < length:
        if draw.random() < 0.5:
            tags.append("O")
            continue
        label, width = draw.choice(labels), draw.randint(1, 3)
        tags += [f"B-{label}", *[f"I-{label}"] * (width - 1)][: length - len(tags)]
    return tags


def written(folder: Path, seed: int, setup: Setup, *, size: int = 6, alike: float = 0.0) -> Corpora:
    """Make documents with a text and spans of its characters: nested, repeated, empty, and in pieces.

    A system says what the key says in some of them; `alike` is the chance of that.
    """
    draw = random.Random(seed)
    documents = []
    for number in range(size):
        text = " ".join(draw.choice(WORDS) for _ in range(draw.randint(1, 12)))
        gold = _spans(draw, len(text), LABELS[: 1 + number % 4])
        sides = {side: gold if side == "key" else _changed(draw, gold, len(text), alike) for side in SIDES}
        documents.append({side: [{"id": f"d{number}", "text": text, "spans": said}] for side, said in sides.items()})
    return Corpora(documents, folder, setup)


def _spans(draw: random.Random, length: int, labels: Sequence[str]) -> list[dict[str, Any]]:
    spans = []
    for _ in range(draw.randint(0, 5)):
        begin, end = sorted((draw.randint(0, length), draw.randint(0, length)))
        span: dict[str, Any] = {"begin": begin, "end": end, "label": draw.choice(labels)}
        if end - begin > 3 and draw.random() < 0.4:
            cut = draw.randint(begin + 1, end - 2)
            span["fragments"] = [[begin, cut], [draw.randint(cut + 1, end - 1), end]]
        spans += [span] * draw.choice((1, 1, 1, 2))
    return spans


def _changed(
    draw: random.Random, spans: Sequence[dict[str, Any]], length: int, alike: float
) -> Sequence[dict[str, Any]]:
    if alike and draw.random() < alike:
        return spans
    kept = [span for span in spans if draw.random() < 0.6]
    return [*kept, *_spans(draw, length, LABELS)] if draw.random() < 0.7 else kept


# Verdicts, compared to the last byte


def assert_equal_verdicts(mine: Verdicts, theirs: Verdicts, *, codes: bool = True) -> None:
    """Compare everything but texts: claims, sites and items of all views, settings and notes.

    Args:
        mine: some verdicts.
        theirs: what they should be.
        codes: whether the values of sites must have equal codes; those of narrowed views may have other names unused.

    """
    for name in ("task", "systems", "runs", "documents", "units", "settings"):
        assert getattr(mine, name) == getattr(theirs, name), name
    assert _describe_notes(mine) == _describe_notes(theirs)
    assert list(mine.views) == list(theirs.views)
    for name, view in theirs.views.items():
        _assert_equal_views(mine.views[name], view, codes=codes)


def _describe_notes(verdicts: Verdicts) -> list[str]:
    """Return the notes without their places: parts that were read by themselves have lines of their own.

    Such parts also judge by themselves whether most offsets are wrong; tests/tasks/test_offset_notes.py has the others.
    """
    kept = [note for note in verdicts.notes if not note.what.startswith(("spans that begin", "spans that end"))]
    return [re.sub(r" \([^)]*:[0-9]+[^)]*\)", "", str(note)) for note in kept]


def _assert_equal_views(mine: View, theirs: View, *, codes: bool) -> None:
    for name in ("name", "measures", "lost", "cuts"):
        assert getattr(mine, name) == getattr(theirs, name), name
    assert mine.left_out is None
    assert theirs.left_out is None
    assert plain(mine.given_items) == plain(theirs.given_items)
    assert plain(mine.claims) == plain(theirs.claims)
    if codes:
        assert plain(mine.all_sites) == plain(theirs.all_sites)
    assert _named(mine.all_sites) == _named(theirs.all_sites)


def _named(sites: Sites) -> Any:
    """Return what sites say, by names."""
    tables: dict[str, Sites | Aspect] = {"": sites, **sites.aspects}
    values = {
        name: [[table.names[code] for code in column] for column in (table.key, *table.values)]
        for name, table in tables.items()
    }
    attributes = {name: plain(each.make()) for name, each in sites.attributes.items()}
    where = [plain(getattr(sites, name)) for name in ("document", "sentence", "place", "width")]
    return values, attributes, where


def plain(thing: Any) -> Any:
    """Return tables as plain data, with the types of their columns."""
    if isinstance(thing, np.ndarray):
        return str(thing.dtype), thing.tolist()
    if isinstance(thing, Fragments):  # in any order
        return sorted(np.stack([thing.span, thing.begin, thing.end]).T.tolist())
    if isinstance(thing, tuple | list):
        return [plain(each) for each in thing]
    if isinstance(thing, Mapping):
        return {name: plain(each.make() if hasattr(each, "make") else each) for name, each in thing.items()}
    return {name: plain(each) for name, each in _fields(thing).items()} if _fields(thing) else thing


def _fields(thing: Any) -> dict[str, Any]:
    return {name: getattr(thing, name) for name in getattr(thing, "__dataclass_fields__", ())}


def result_of(verdicts: Verdicts) -> Result:
    """Return a result with few resamples."""
    return Result(verdicts, 20)

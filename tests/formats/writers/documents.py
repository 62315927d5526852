"""Documents to be written and read back, and a way to do both."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from pathlib import Path

from comparanda.core.corpus import Corpus
from comparanda.formats.contract import Request
from comparanda.formats.document_writer import Losses, Mention, Passage, find_writer, list_passages
from comparanda.formats.inputs import Input, read_input

LABELS = ("PER", "LOC", "ORG-x", "Zeit/Ort")
WORDS = ("Anna", "Smith", "met", "Zoë", "in", "Łódź", "😀", "a<b", "R&D", '"x"', "d'Arc", "1.5", "東京", "e\u0301t")


def read_files(folder: Path, written: str, *, column: str | None = None) -> Corpus:
    """Read a file or folder as the command would; `written` is behind the folder: `out.xml::gate?set=Key`."""
    return read_input(Input.parse(f"{folder}/{written}"), Request(side="x", value=column, layer="spans"), "tokens")


def written(format_name: str, documents: Iterable[Passage], folder: Path, **options: str) -> Losses:
    """Write documents as a format into a folder, in which `out` and its suffix or the files of each lie."""
    writer, losses = find_writer(format_name), Losses()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in writer.write(documents, losses, options):
        path = folder / (name or f"out{writer.suffix}")
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode() if writer.encode is None else writer.encode(text)
        path.write_bytes(data)
    return losses


def read_back(format_name: str, folder: Path, options: Mapping[str, str] | None = None) -> list[Passage]:
    """Read what `written` has left in a folder."""
    writer = find_writer(format_name)
    query = "".join(f"{'?&'[number > 0]}{name}={value}" for number, (name, value) in enumerate((options or {}).items()))
    name = "" if writer.many else f"out{writer.suffix}"
    corpus = read_files(folder, f"{name}::{format_name}{query}")
    return list(list_passages(corpus, Losses()))


def content(documents: Iterable[Passage]) -> list[tuple[object, ...]]:
    """Return what every format with texts carries: names, texts, and spans as a set, without their order."""
    return [
        (
            each.name,
            each.text,
            sorted(
                (one.pieces, one.label, one.ids or (), tuple(sorted(one.attributes.items()))) for one in each.mentions
            ),
        )
        for each in documents
    ]


def random_documents(
    draw: random.Random,
    *,
    count: int = 3,
    nested: bool = True,
    pieces: bool = False,
    ids: int = 0,
    labels: tuple[str, ...] = LABELS,
    words: tuple[str, ...] = WORDS,
    spaces: tuple[str, ...] = (" ", " ", " ", "\n", "  "),
    attributes: Mapping[str, tuple[str | float | bool, ...]] | None = None,
) -> list[Passage]:
    """Make documents of a few words with spans over them.

    Args:
        draw: where chance comes from.
        count: how many documents.
        nested: whether spans may overlap; no two are the same in any case.
        pieces: whether some are discontinuous.
        ids: how many ids a span has at most.
        labels: the labels to choose from.
        words: the words to choose from.
        spaces: what may stand between two words.
        attributes: further columns and their values.

    """
    return [
        _document(
            draw,
            name=f"doc-{number}",
            nested=nested,
            pieces=pieces,
            ids=ids,
            labels=labels,
            words=words,
            spaces=spaces,
            attributes=attributes or {},
        )
        for number in range(count)
    ]


def _document(
    draw: random.Random,
    name: str,
    nested: bool,
    pieces: bool,
    *,
    ids: int,
    labels: tuple[str, ...],
    words: tuple[str, ...],
    spaces: tuple[str, ...],
    attributes: Mapping[str, tuple[str | float | bool, ...]],
) -> Passage:
    text, extents = "", []
    for number in range(draw.randint(1, 12)):
        text += draw.choice(spaces) if number else ""
        word = draw.choice(words)
        extents.append((len(text), len(text) + len(word)))
        text += word
    found: dict[tuple[tuple[tuple[int, int], ...], str], Mention] = {}
    place = 0
    for _ in range(draw.randint(0, 4)):
        first = draw.randrange(len(extents)) if nested else place
        if first >= len(extents):
            break
        last = min(first + draw.randint(0, 2), len(extents) - 1)
        place = last + 1 + draw.randint(0, 2)
        cut: tuple[tuple[int, int], ...] = ((extents[first][0], extents[last][1]),)
        if pieces and last + 2 < len(extents) and draw.random() < 0.4:
            cut = (*cut, extents[last + 2])
            place = last + 3
        label = draw.choice(labels)
        known = tuple(f"Q{draw.randint(1, 99)}" for _ in range(draw.randint(0, ids)))
        known = tuple(dict.fromkeys(known)) or (("NIL",) if ids and draw.random() < 0.3 else ())
        values = {field: draw.choice(choices) for field, choices in attributes.items() if draw.random() < 0.7}
        found[cut, label] = Mention(cut, label, known or None, values)
    return Passage(name=name, text=text, words=tuple(extents), sentences=(0,), mentions=tuple(found.values()))

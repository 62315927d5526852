"""Documents with chains of mentions, to be written and read back."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from comparanda.core.corpus import Corpus
from comparanda.formats.contract import Request
from comparanda.formats.document_writer import TAGS, Losses, Mention, Passage, find_writer, list_passages
from comparanda.formats.inputs import Input, read_input

WORDS = ("Anna", "met", "Bo", "and", "she", "told", "him", "that", "Cleo", "left")
LABEL = "ENTITY"

Extent = tuple[int, ...]
Chain = tuple[tuple[Extent, ...], ...]
"""Where the mentions of a chain stand: all places of a mention's pieces, and the number of an empty node."""


def mention(*places: int, chain: str | None = None, **said: str | float | bool) -> Mention:
    """Make a mention of pieces, given by where they begin and end."""
    pieces = tuple(zip(places[::2], places[1::2], strict=True))
    return Mention(pieces, LABEL, None, {**({} if chain is None else {"chain": chain}), **said})


def document(text: str, *mentions: Mention, name: str = "d", sentences: tuple[int, ...] = (0,)) -> Passage:
    """Make a document whose words stand between single spaces."""
    words, place = [], 0
    for word in text.split():
        words.append((place, place + len(word)))
        place += len(word) + 1
    return Passage(name=name, text=text, words=tuple(words), sentences=sentences, mentions=mentions, chained=True)


def read_chains(path: Path, format_name: str) -> Corpus:
    """Read a file or folder as the command would."""
    return read_input(
        Input.parse(f"{path}::{format_name}"), Request(side="x", value=None, extra=TAGS, layer="chains"), "tokens"
    )


def written(format_name: str, documents: Iterable[Passage], folder: Path) -> Path:
    """Write documents as a format into a new folder; return the file, or the folder if there are several."""
    return _written(format_name, documents, folder)[0]


def losses_of(format_name: str, documents: Iterable[Passage], folder: Path) -> list[str]:
    """Write documents as a format into a new folder; return what is lost."""
    return _written(format_name, documents, folder)[1]


def _written(format_name: str, documents: Iterable[Passage], folder: Path) -> tuple[Path, list[str]]:
    writer, losses = find_writer(format_name), Losses()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in writer.write(documents, losses, {}):
        (folder / (name or f"out{writer.suffix}")).write_text(text, encoding="utf-8")
    path = folder if writer.many else folder / f"out{writer.suffix}"
    return path, [note.what.removeprefix("not written: ") for note in losses.notes("x")]


def there_and_back(format_name: str, documents: Iterable[Passage], folder: Path) -> tuple[list[Passage], list[str]]:
    """Write documents and read them; return what they have become, and what is said to be lost."""
    path, losses = _written(format_name, documents, folder)
    return [*list_passages(read_chains(path, format_name), Losses(), chained=True)], losses


def chains(passage: Passage) -> Chain:
    """Return the chains of a document without their names, each by where its mentions stand, in an order of its own."""
    found: dict[object, list[Extent]] = {}
    for number, each in enumerate(passage.mentions):
        extent = tuple(place for piece in each.pieces for place in piece)
        node = each.attributes.get("zero", 0)
        assert isinstance(node, int)
        found.setdefault(each.attributes.get("chain", number), []).append((*extent, node))
    return tuple(sorted(tuple(sorted(each)) for each in found.values()))


def kept_once(passage: Passage) -> Chain:
    """Return the chains if of mentions that are there twice the first is kept: in the chain that is met first."""
    names = [each.attributes.get("chain", number) for number, each in enumerate(passage.mentions)]
    met = [*dict.fromkeys(names)]
    kept: dict[object, Mention] = {}
    for number in sorted(range(len(names)), key=lambda each: met.index(names[each])):
        each = passage.mentions[number]
        kept.setdefault((each.pieces, each.attributes.get("zero")), each)
    return chains(replace(passage, mentions=tuple(kept.values())))


def content(documents: Iterable[Passage]) -> dict[str, tuple[str, Chain]]:
    """Return what every format of chains carries, by the names of the documents."""
    return {each.name: (each.text, chains(each)) for each in documents}


def random_chains(
    draw: random.Random,
    *,
    count: int = 3,
    pieces: bool = False,
    zeros: bool = False,
    names: tuple[str, ...] = ("1", "2", "3"),
) -> list[Passage]:
    """Make documents and parts of documents: mentions nest, cross, are there twice, and are alone.

    Args:
        draw: where chance comes from.
        count: how many documents.
        pieces: whether some mentions are discontinuous.
        zeros: whether some are of empty nodes, and have no words.
        names: the names of chains to choose from.

    """
    return [_document(draw, name=_name(number), pieces=pieces, zeros=zeros, names=names) for number in range(count)]


def _name(number: int) -> str:
    """Return a name: every other document is a part of the one before."""
    return f"doc-{number // 2}" + f"; part {number // 2 + 1}" * (number % 2)


def _document(draw: random.Random, name: str, pieces: bool, zeros: bool, *, names: tuple[str, ...]) -> Passage:
    text = " ".join(draw.choice(WORDS) for _ in range(draw.randint(1, 12)))
    words = document(text).words
    found: list[Mention] = []
    for _ in range(draw.randint(0, 8)):
        first = draw.randrange(len(words))
        last = min(first + draw.choice((0, 0, 1, 2, 4)), len(words) - 1)
        places = [words[first][0], words[last][1]]
        said: dict[str, str | float | bool] = {}
        if pieces and last + 2 < len(words) and draw.random() < 0.3:
            places += words[last + 2]
        elif zeros and draw.random() < 0.3:
            said = {"zero": draw.choice((1, 2) if first else (1_000_001, 1_000_002))}
            places = [words[first][0]] * 2
        chain = draw.choice((*names, *names, None))
        found.append(mention(*places, chain=chain, **said))
    starts = sorted({0, *draw.sample(range(len(words)), draw.randint(0, 2) if len(words) > 2 else 0)})
    return document(text, *found, name=name, sentences=tuple(starts))

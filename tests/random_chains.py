"""Random documents with chains of mentions, for tests of what becomes of their verdicts: folders, merged parts."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from comparanda.core.verdicts import Verdicts, View
from comparanda.pipeline import Setup, evaluate_systems
from tests.random_spans import plain

SIDES = ("key", "rules", "neural", "large")
WORDS = {"Anna": "NNP", "Bonn": "NNP", "dog": "NN", "it": "PRP", "its": "PRP$", "that": "DT", "naïve": "JJ", "ran": "V"}

Mention = tuple[tuple[int, int], ...]
"""Its pieces, one for most: the first and the last word of each, from 0."""

Chain = Sequence[Mention]


@dataclass(frozen=True)
class Document:
    """One document: its sentences, and the chains that each side finds in it, or None where a side does not have it.

    Args:
        name: its name.
        sentences: the words of each.
        chains: for each side chains by id.
        other_words: whether the last side has cut its words otherwise: `Anna` is `An` `na` there.

    """

    name: str
    sentences: Sequence[Sequence[str]]
    chains: Mapping[str, Mapping[int, Chain] | None]
    other_words: bool = False

    def lines(self, side: str, *, tags: bool) -> list[str]:
        """Write the document as one side has it."""
        chains = self.chains[side]
        if chains is None:
            return []
        cells = _cells(chains)
        lines, row = [f"#begin document ({self.name}); part 000"], 0
        for sentence in self.sentences:
            for word in sentence:
                tag = WORDS[word] if tags else "-"
                cell = "|".join(cells.get(row, ["-"]))
                split = self.other_words and side == SIDES[-1] and word == "Anna"
                lines += (
                    _split(self.name, row, tag, cell)
                    if split
                    else [_line(self.name, row=row, word=word, tag=tag, cell=cell)]
                )
                row += 1
            lines.append("")
        return [*lines, "#end document"]


def _line(name: str, row: int, word: str, tag: str, *, cell: str) -> str:
    return "\t".join([name, "0", str(row), word, tag, "-", cell])


def _split(name: str, row: int, tag: str, cell: str) -> list[str]:
    """Write a word as two: mentions begin at the first and end at the second."""
    if cell == "-":
        return [_line(name, row=row, word=half, tag=tag, cell="-") for half in ("An", "na")]
    opening = [each for each in cell.split("|") if each.startswith("(")]
    closing = [each for each in cell.split("|") if each.endswith(")")]
    begins = "|".join(each.rstrip(")") for each in opening) or "-"
    ends = "|".join(each.lstrip("(") for each in closing) or "-"
    return [_line(name, row=row, word="An", tag=tag, cell=begins), _line(name, row=row, word="na", tag=tag, cell=ends)]


def _cells(chains: Mapping[int, Chain]) -> dict[int, list[str]]:
    """Write the brackets of each word."""
    cells: dict[int, list[str]] = {}
    for number, chain in chains.items():
        for mention in chain:
            for piece, (first, last) in enumerate(mention, start=1):
                name = f"{number}[{piece}/{len(mention)}]" if len(mention) > 1 else str(number)
                if first == last:
                    cells.setdefault(first, []).append(f"({name})")
                else:
                    cells.setdefault(first, []).append(f"({name}")
                    cells.setdefault(last, []).append(f"{name})")
    return cells


@dataclass(frozen=True)
class Corpora:
    """The documents of a key and three systems, in files.

    Args:
        documents: the key's documents, each with those that only systems have and that stand behind it in their files.
        folder: where files are written.
        setup: how they are judged.
        tags: whether words have tags.

    """

    documents: Sequence[Sequence[Document]]
    folder: Path
    setup: Setup
    tags: bool

    def judged(self, part: slice = slice(None)) -> Verdicts:
        """Judge some of the documents."""
        sides = {side: self._written(side, part) for side in SIDES}
        return evaluate_systems(sides.pop("key"), sides, self.setup)

    def _written(self, side: str, part: slice) -> str:
        chosen = [document for group in self.documents[part] for document in group]
        lines = [line for document in chosen for line in document.lines(side, tags=self.tags)]
        path = self.folder / f"{side}-{part.start}-{part.stop}.conll"
        path.write_text("\n".join(lines) + "\n")
        return f"{path}::conll2012"


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What is special about a corpus.

    Args:
        setup: how it is judged.
        tags: whether words have tags.
        foreign: behind which documents stands one that the key does not have.
        other_words: in which documents the last system has cut its words otherwise.
        topics: the topic of each document, in turn, which its name begins with.

    """

    setup: Setup = field(default_factory=lambda: Setup(task="coref"))
    tags: bool = True
    foreign: Sequence[int] = ()
    other_words: Sequence[int] = ()
    topics: Sequence[str | None] = (None,)


WHOLE = ("a", "a", "b", "c", None, "c")
"""Topics that stand whole in the parts of `THREE`; the documents of one have that of another between them."""

THREE = (slice(0, 2), slice(2, 3), slice(3, 6))
ACROSS = Setup(task="coref", across="until:_")
KINDS = {
    "plain": Kind(),
    "without tags": Kind(tags=False),
    "without singletons": Kind(setup=Setup(task="coref", singletons="drop")),
    "repeated": Kind(setup=Setup(task="coref", repeated="official")),
    "by heads": Kind(setup=Setup(task="coref", matching="partial"), foreign=(0, 3)),
    "other words": Kind(other_words=(1, 2)),
    "foreign": Kind(foreign=(0, 1, 3)),
    "topics": Kind(setup=ACROSS, topics=WHOLE),
    "foreign topics": Kind(setup=ACROSS, foreign=(0, 1, 3), topics=WHOLE),
}
"""Corpora that can be cut into the parts of `THREE`."""


def random_chains(folder: Path, seed: int, kind: Kind, size: int = 6) -> Corpora:
    """Make documents with chains."""
    draw = random.Random(seed)
    documents = []
    for number in range(size):
        topic = kind.topics[number % len(kind.topics)]
        name = f"d{number}" if topic is None else f"{topic}_d{number}"
        own = _document(draw, name, SIDES, other_words=number in kind.other_words)
        # names that are not in the order of the documents
        strange = [_document(draw, f"x{size - number}", SIDES[2:])] if number in kind.foreign else []
        documents.append([own, *strange])
    return Corpora(documents, folder, kind.setup, kind.tags)


def _document(draw: random.Random, name: str, sides: Sequence[str], **more: Any) -> Document:
    words = [[draw.choice([*WORDS]) for _ in range(draw.randint(2, 6))] for _ in range(draw.randint(1, 3))]
    words[0][0] = "Anna"  # so that it can be told of which kind the tags are
    count = sum(map(len, words))
    gold = _chains(draw, count)
    said = {side: gold if side == "key" else _changed(draw, gold, count) for side in sides}
    return Document(name, words, {side: said.get(side) for side in SIDES}, **more)


def _mention(draw: random.Random, count: int) -> Mention:
    first = draw.randrange(count)
    return ((first, min(count - 1, first + draw.choice((0, 0, 1, 2)))),)


def _in_pieces(draw: random.Random, count: int) -> list[Mention]:
    """Make a mention of two words with a gap between them, in some documents."""
    if count < 3 or draw.random() < 0.5:
        return []
    first = draw.randrange(count - 2)
    second = draw.randrange(first + 2, count)
    return [((first, first), (second, second))]


def _chains(draw: random.Random, count: int) -> dict[int, Chain]:
    """Make chains, mentions of one word among them, and chains of one mention."""
    numbers = draw.sample(range(1, 30), draw.randint(1, 4))
    chains = {number: {_mention(draw, count) for _ in range(draw.randint(1, 5))} for number in numbers}
    chains[numbers[0]].update(_in_pieces(draw, count))
    return {number: sorted(chain) for number, chain in chains.items()}


def _changed(draw: random.Random, chains: Mapping[int, Chain], count: int) -> dict[int, Chain]:
    """Lose mentions, move them to other chains, and find others."""
    found: dict[int, list[Mention]] = {}
    for number, chain in chains.items():
        for mention in chain:
            if draw.random() < 0.8:
                other = draw.random() < 0.2 and len(mention) == 1
                found.setdefault(draw.randint(1, 30) if other else number, []).append(mention)
    for number, chain in _chains(draw, count).items():
        found.setdefault(number, []).extend(mention for mention in chain[:2] if len(mention) == 1)
    return {number: sorted(set(chain)) for number, chain in found.items()}


# Verdicts, compared to the last byte


def assert_equal_verdicts(mine: Verdicts, theirs: Verdicts) -> None:
    """Compare everything but texts, and the places of files in notes: those of parts are their own."""
    for name in ("task", "systems", "runs", "documents", "settings"):
        assert getattr(mine, name) == getattr(theirs, name), name
    assert plain(mine.units) == plain(theirs.units)
    assert told(mine) == told(theirs)
    assert list(mine.views) == list(theirs.views)
    for name, view in theirs.views.items():
        for each in fields(View):
            given, wanted = getattr(mine.views[name], each.name), getattr(view, each.name)
            assert _written(given) == _written(wanted), (name, each.name)


def _written(thing: Any) -> str:
    """Write a table, or a set; as texts, because NaN is unlike itself."""
    return repr(sorted(thing) if isinstance(thing, frozenset) else plain(thing))


def _of_a_file(place: str) -> bool:
    return ".conll:" in place or ".jsonl:" in place


def told(verdicts: Verdicts) -> list[tuple[str, str, int, tuple[str, ...]]]:
    """Return what notes say, but those that are about files."""
    return [
        (note.side, note.what, note.count, () if any(map(_of_a_file, note.first)) else note.first)
        for note in verdicts.notes
        if not note.what.startswith("files ")
    ]

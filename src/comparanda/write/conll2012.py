"""CoNLL-2012: a word a line, chains of mentions as brackets in the last column, documents between marks.

Lines have six columns between tabs: the document, its part, the number of the word in its sentence, the word, its tag
and the brackets. So the reference scorer reads them, which wants numbers for names of chains.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count

from comparanda.errors import WriteError
from comparanda.write.brackets import CROSSING, KEPT, ambiguous, kept_elsewhere
from comparanda.write.chunks import sentences_of, stands_in_line, words_of
from comparanda.write.mentions import Placed, chain_of, placed, whole
from comparanda.write.passages import Losses, Passage
from comparanda.write.writer import Writer

NOTHING = "-"
TAG = "xpos"
_PART = re.compile(r"(?P<name>.*\S); part (?P<part>[1-9][0-9]{0,8})")
_NUMBER = re.compile(r"0|[1-9][0-9]*")
_NOT_IN_CELLS = re.compile(r"\s|^#")


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents one below the other."""
    del options
    given = list(documents)
    writing = _Writing(_Numbers(chain_of(mention) for each in given for mention in each.mentions), losses)
    yield "", "".join(chain.from_iterable(map(writing.document, given)))


class _Numbers:
    """Numbers for names of chains, the same for one name everywhere; names that are numbers stay as they are."""

    def __init__(self, names: Iterable[str | None]) -> None:
        given = {name: None for name in names if name is not None}
        self._kept = {name for name in given if _NUMBER.fullmatch(name)}
        self._free = (number for number in map(str, count(1)) if number not in self._kept)
        self._of = {name: name if name in self._kept else self.new() for name in given}

    def of(self, name: str | None) -> str:
        """Return the number of a chain; that of a mention alone is new."""
        return self.new() if name is None else self._of[name]

    def new(self) -> str:
        """Return a number that nobody has."""
        return next(self._free)


class _Writing:
    """Documents on their way to lines.

    Args:
        numbers: the numbers of chains.
        losses: what cannot be carried.

    """

    def __init__(self, numbers: _Numbers, losses: Losses) -> None:
        self.numbers = numbers
        self.losses = losses

    def document(self, passage: Passage) -> Iterator[str]:
        """Give the lines of a document."""
        words, mentions = words_of(passage), placed(passage, self.losses)
        cells = self._cells(passage, mentions)
        tags = passage.tags.get(TAG, (NOTHING,) * len(words))
        self._tell(passage, words)
        name, part = _named(passage.name)
        before = f"{_NOT_IN_CELLS.sub('_', name)}\t{part}"
        yield f"#begin document ({name}); part {part:03}\n"
        for first, behind in sentences_of(whole(passage, mentions), self.losses):
            for row in range(first, behind):
                yield f"{before}\t{row - first}\t{words[row]}\t{tags[row] or NOTHING}\t{cells.get(row, NOTHING)}\n"
            yield "\n"
        yield "#end document\n"

    def _tell(self, passage: Passage, words: Sequence[str]) -> None:
        if passage.text != " ".join(words):
            self.losses.lose("white space of the text: words are lines", passage.name)
        for name in passage.attributes:
            self.losses.lose(f"the attribute {name!r} of documents", passage.name)

    def _cells(self, passage: Passage, mentions: Sequence[Placed]) -> dict[int, str]:
        """Return the brackets of each word that has some.

        Those that open stand in the order in which the input gives their chains, because that decides which chain keeps
        a mention that is there twice; of one chain the longer mention comes first, and the last one is closed first.
        """
        opening, closing = defaultdict[int, list[tuple[str, int]]](list), defaultdict[int, list[tuple[int, str]]](list)
        runs = [each.run for each in mentions]
        named = [*zip(runs, self._names(passage, mentions), strict=True)]
        for _ in kept_elsewhere(named, sorted(range(len(runs)), key=lambda each: runs[each].first)):
            self.losses.lose(KEPT, passage.name)
        for (first, behind), number in named:
            opening[first].append((number, behind))
            if behind > first + 1:
                closing[behind - 1].append((-first, number))
        return {
            row: "|".join(_brackets(row, opening.get(row, []), closing.get(row, [])))
            for row in opening.keys() | closing.keys()
        }

    def _names(self, passage: Passage, mentions: Sequence[Placed]) -> list[str]:
        """Return the number of each mention's chain."""
        names = [each.chain for each in mentions]
        for each in ambiguous(names, [(mention.run,) for mention in mentions]):
            self.losses.lose(CROSSING, passage.name)
            names[each] = None
        return list(map(self.numbers.of, names))


def _named(name: str) -> tuple[str, int]:
    """Return the name and the part of a document, as they are told in the line that begins it.

    >>> _named("nw/wsj_1; part 2"), _named("x")
    (('nw/wsj_1', 2), ('x', 0))
    """
    if not stands_in_line(name):
        raise WriteError(
            f"the name {name!r} of a document cannot stand in a line of CoNLL-2012",
            hint="names have no line breaks, no tabs and no white space around them there",
        )
    found = _PART.fullmatch(name)
    return (found["name"], int(found["part"])) if found else (name, 0)


def _brackets(row: int, opening: Sequence[tuple[str, int]], closing: Sequence[tuple[int, str]]) -> Iterator[str]:
    """Give the brackets of a word, those of single words among those that open; the innermost closes first."""
    order = {number: place for place, (number, _) in reversed([*enumerate(opening)])}
    opened = [
        f"({number})" if behind == row + 1 else f"({number}"
        for number, behind in sorted(opening, key=lambda each: (order[each[0]], -each[1]))
    ]
    closed = [f"{number})" for _, number in sorted(closing, key=lambda each: each[0])]
    within = all(each.endswith(")") for each in opened)
    yield from (*opened, *closed) if within else (*closed, *opened)


WRITER = Writer("conll2012", ".conll", write, layers=frozenset({"chains"}), tags=frozenset({TAG}), spaced=False)

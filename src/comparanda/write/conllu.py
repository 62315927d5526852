"""CoNLL-U with spans as brackets in MISC, as CorefUD and GUM write entities.

Texts are carried by `SpaceAfter` and `SpacesAfter`, ids by the field `identity`, and what else is said of spans by
fields of its name. Each span is an entity of its own, unless a column `chain` says which are one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise

from comparanda.errors import WriteError
from comparanda.read.conllu_entities.brackets import escaped
from comparanda.read.conllu_entities.entities import KEY
from comparanda.read.conllu_entities.misc import written_spaces
from comparanda.write.chunks import Run, runs_of, sentences_of, stands_in_line, words_of
from comparanda.write.passages import Losses, Mention, Passage, Value
from comparanda.write.writer import Writer

_FIELD = re.compile(r"[^\W\d]\w*")
_TAKEN = frozenset({"eid", "GRP", "etype", "entity", "identity", "document", "begin", "end", "label", "text", "id"})
_CHAIN = "chain"
_PROBABILITY = "probability"


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents one below the other."""
    del options
    given = list(documents)
    written = _Writing(_fields(given, losses), losses, {str(name) for name in _chains(given)})
    yield "", "".join(chain.from_iterable(map(written.document, given)))


def _chains(documents: Iterable[Passage]) -> Iterator[Value]:
    return (mention.said[_CHAIN] for each in documents for mention in each.mentions if _CHAIN in mention.said)


def _fields(documents: Sequence[Passage], losses: Losses) -> tuple[str, ...]:
    """Return what is said of spans, as fields: in the order in which it is met, the id last as in GUM."""
    found: dict[str, None] = {}
    for each in documents:
        for mention in each.mentions:
            for name in mention.said:
                if name in _TAKEN or not _FIELD.fullmatch(name):
                    losses.lose(f"{name!r} of spans, which is no name for a field of brackets", each.name)
                elif name != _CHAIN:
                    found[name] = None
    linked = any(mention.ids is not None for each in documents for mention in each.mentions)
    return ("eid", "etype", *found, *["identity"] * linked)


class _Writing:
    """Documents on their way to lines.

    Args:
        fields: the fields of brackets.
        losses: what cannot be carried.
        chains: the names of entities that are taken.

    """

    def __init__(self, fields: tuple[str, ...], losses: Losses, chains: set[str]) -> None:
        self.fields = fields
        self.losses = losses
        self.chains = chains
        self.count = 0

    def document(self, passage: Passage) -> Iterator[str]:
        """Give the lines of a document."""
        words, cells = words_of(passage), self._cells(passage)
        for number, said in _spaces(passage, words, self.losses):
            cells[number].append(said)
        yield from self._head(passage)
        if not words:
            yield "\n"
        for number, (first, behind) in enumerate(sentences_of(passage, self.losses), start=1):
            text = "".join(
                word if "SpaceAfter=No" in cells[row] else f"{word} "
                for row, word in enumerate(words[first:behind], start=first)
            )
            yield f"# sent_id = {'_'.join(passage.name.split())}-{number}\n# text = {text.strip()}\n"
            for row in range(first, behind):
                misc = "|".join(cells[row]) or "_"
                yield f"{row - first + 1}\t{words[row]}\t_\t_\t_\t_\t_\t_\t_\t{misc}\n"
            yield "\n"

    def _head(self, passage: Passage) -> Iterator[str]:
        if not stands_in_line(passage.name):
            raise WriteError(
                f"the name {passage.name!r} of a document cannot stand in a line of CoNLL-U",
                hint="names have no line breaks, no tabs and no white space around them there",
            )
        yield f"# newdoc id = {passage.name}\n# global.{KEY} = {'-'.join(self.fields)}\n"
        for name, value in passage.attributes.items():
            if stands_in_line(name) and "=" not in name and (stands_in_line(value) or not value):
                yield f"# meta::{name} = {value}\n"
            else:
                self.losses.lose(f"the attribute {name!r} of documents, which cannot stand in a line", passage.name)

    def _cells(self, passage: Passage) -> defaultdict[int, list[str]]:
        """Return the brackets of each word, as what MISC says."""
        openings, singles, closings = (defaultdict[int, list[tuple[int, str]]](list) for _ in range(3))
        joined = [self._joined(passage, runs) for runs in runs_of(passage)]
        names = self._names(passage, joined)
        for mention, runs, name in zip(passage.mentions, joined, names, strict=True):
            for part, (first, behind) in enumerate(runs, start=1):
                own = name if len(runs) == 1 else f"{name}[{part}/{len(runs)}]"
                text = self._bracket(passage, mention, own)
                if behind == first + 1:
                    singles[first].append((0, f"({text})"))
                else:
                    openings[first].append((-behind, f"({text}"))
                    closings[behind - 1].append((-first, f"{own})"))
        cells: defaultdict[int, list[str]] = defaultdict(list)
        for row in sorted({*openings, *singles, *closings}):
            parts = (closings, openings, singles) if row in openings else (singles, closings)
            brackets = [text for part in parts for _, text in sorted(part[row], key=lambda each: each[0])]
            cells[row].append(f"{KEY}={''.join(brackets)}")
        return cells

    def _joined(self, passage: Passage, runs: Sequence[Run]) -> list[Run]:
        """Join the pieces of a span that follow each other."""
        found = [runs[0]]
        for run in runs[1:]:
            if run.first > found[-1].behind:
                found.append(run)
            else:
                self.losses.lose("cuts between pieces of spans that follow each other", passage.name)
                found[-1] = Run(found[-1].first, max(found[-1].behind, run.behind))
        return found

    def _names(self, passage: Passage, runs: Sequence[Sequence[Run]]) -> list[str]:
        """Return the entity of each span: its chain, or one of its own."""
        chains = [str(mention.said.get(_CHAIN, "")) for mention in passage.mentions]
        for number in _ambiguous(chains, runs):
            self.losses.lose("chains of spans that cross another one of their chain", passage.name)
            chains[number] = ""
        return [escaped(each) if each else self._new() for each in chains]

    def _new(self) -> str:
        while True:
            self.count += 1
            if (name := f"e{self.count}") not in self.chains:
                return name

    def _bracket(self, passage: Passage, mention: Mention, name: str) -> str:
        """Return what stands behind an opening bracket."""
        values = [name, escaped(mention.label)]
        for each in self.fields[2:]:
            if each == "identity":
                values.append(",".join(map(_written_id, mention.ids or ())))
            else:
                values.append(self._value(passage, each, mention.said.get(each)))
        while not values[-1]:
            values.pop()
        return "-".join(values)

    def _value(self, passage: Passage, name: str, value: Value | None) -> str:
        if value is None:
            return ""
        if not isinstance(value, str) and name != _PROBABILITY:
            self.losses.lose(f"that {name!r} of spans is no text", passage.name)
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if not text:
            self.losses.lose(f"{name!r} of spans where it is empty", passage.name)
        return escaped(text)


def _written_id(id_: str) -> str:
    return re.sub("^_", "%5F", escaped(id_, ","))


def _ambiguous(chains: Sequence[str], runs: Sequence[Sequence[Run]]) -> Iterator[int]:
    """Give the spans that a reader could not tell from another one of their chain, by which bracket closes which.

    These are spans that cross another one, and discontinuous ones that stand among the pieces of another one.
    """
    by_chain: dict[tuple[str, bool], list[int]] = defaultdict(list)
    for number, name in enumerate(chains):
        if name:
            by_chain[name, len(runs[number]) > 1].append(number)
    for (_, discontinuous), numbers in by_chain.items():
        open_until: list[int] = []
        for number in sorted(numbers, key=lambda number: (runs[number][0].first, -runs[number][-1].behind)):
            first, behind = runs[number][0].first, runs[number][-1].behind
            while open_until and open_until[-1] <= first:
                open_until.pop()
            if open_until and (discontinuous or behind > open_until[-1]):
                yield number
            else:
                open_until.append(behind)


def _spaces(passage: Passage, words: Sequence[str], losses: Losses) -> Iterator[tuple[int, str]]:
    """Give what MISC says of the white space around words, by their number."""
    text, extents = passage.text, passage.words
    if not words:
        if text:
            losses.lose("texts of white space alone", passage.name)
        return
    if any(len(word.split()) > 1 for word in words) and text != " ".join(words):
        losses.lose("white space of the text, in which words have spaces inside", passage.name)
    gaps = [text[end:begin] for (_, end), (begin, _) in pairwise(extents)]
    for number, gap in enumerate(gaps):
        if gap != " ":
            yield number, f"SpacesAfter={written_spaces(gap)}" if gap else "SpaceAfter=No"
    if behind := text[extents[-1][1] :]:
        yield len(words) - 1, f"SpacesAfter={written_spaces(behind)}"
    if before := text[: extents[0][0]]:
        yield 0, f"SpacesBefore={written_spaces(before)}"


WRITER = Writer("conllu", ".conllu", write)

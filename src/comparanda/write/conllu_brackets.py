"""Spans as brackets in MISC of CoNLL-U: `(e1-person` opens one, `e1)` closes it, `(e2-place)` does both."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from comparanda.read.conllu_entities.brackets import escaped
from comparanda.read.conllu_entities.entities import KEY
from comparanda.read.conllu_entities.gathered import NO_LABEL
from comparanda.write.brackets import CROSSING, KEPT, ambiguous, kept_elsewhere
from comparanda.write.chunks import Run, runs_of
from comparanda.write.empty_nodes import EmptyNodes, Node
from comparanda.write.mentions import chain_of, shared_names
from comparanda.write.passages import CHAIN, HEAD, ZERO, Losses, Mention, Passage, Value

_FIELD = re.compile(r"[^\W\d]\w*")
_TAKEN = frozenset({"eid", "GRP", "etype", "entity", "identity", "document", "begin", "end", "label", "text", "id"})
_PROBABILITY = "probability"


def fields_of(documents: Sequence[Passage], losses: Losses) -> tuple[str, ...]:
    """Return what is said of spans, as fields: in the order in which it is met, the id last as in GUM.

    Names of chains are those of the whole file, `eid`; where documents have the same ones, each has its own, `GRP`.
    """
    found: dict[str, None] = {}
    for each in documents:
        for mention in each.mentions:
            for name in mention.said:
                if each.chained and name == ZERO:
                    continue
                if name in _TAKEN or not _FIELD.fullmatch(name):
                    losses.lose(f"{name!r} of spans, which is no name for a field of brackets", each.name)
                elif name != CHAIN:
                    found[name] = None
    linked = any(mention.ids is not None for each in documents for mention in each.mentions)
    own = any(each.chained for each in documents) and any(shared_names(documents))
    return ("GRP" if own else "eid", "etype", *found, *["identity"] * linked)


class Brackets:
    """Spans on their way to brackets.

    Args:
        fields: the fields of brackets.
        losses: what cannot be carried.
        taken: the names of entities that are taken.

    """

    def __init__(self, fields: tuple[str, ...], losses: Losses, taken: set[str]) -> None:
        self.fields = fields
        self.losses = losses
        self.taken = taken
        self.count = 0

    def cells(self, passage: Passage, nodes: EmptyNodes) -> defaultdict[int | Node, list[str]]:
        """Return the brackets of each word and each empty node, as what MISC says."""
        openings, singles, closings = (defaultdict[int | Node, list[tuple[int, str]]](list) for _ in range(3))
        worded = [number for number in range(len(passage.mentions)) if number not in nodes.of]
        given = runs_of(passage, map(passage.mentions.__getitem__, worded))
        joined = {number: self._joined(passage, runs) for number, runs in zip(worded, given, strict=True)}
        names = self._names(passage, joined)
        if passage.chained:
            self._tell_kept(passage, joined, nodes, names)
        for number, mention in enumerate(passage.mentions):
            runs = joined.get(number, [])
            behind_name = self._behind_name(passage, mention, runs, nodes)
            if number in nodes.of:
                singles[nodes.of[number]].append((0, f"({names[number]}{behind_name})"))
            for part, (first, behind) in enumerate(runs, start=1):
                own = names[number] if len(runs) == 1 else f"{names[number]}[{part}/{len(runs)}]"
                if behind == first + 1:
                    singles[first].append((0, f"({own}{behind_name})"))
                else:
                    openings[first].append((-behind, f"({own}{behind_name}"))
                    closings[behind - 1].append((-first, f"{own})"))
        cells: defaultdict[int | Node, list[str]] = defaultdict(list)
        for place in {**openings, **singles, **closings}:
            parts = (closings, openings, singles) if place in openings else (singles, closings)
            brackets = [text for part in parts for _, text in sorted(part[place], key=lambda each: each[0])]
            cells[place].append(f"{KEY}={''.join(brackets)}")
        return cells

    def _tell_kept(
        self, passage: Passage, joined: Mapping[int, Sequence[Run]], nodes: EmptyNodes, names: Sequence[str]
    ) -> None:
        """Say which mentions of several chains another chain keeps, because brackets stand in the order of words."""
        where = [nodes.of.get(number) or tuple(joined[number]) for number in range(len(names))]
        order = {number: (node.row, 0, 0) for number, node in nodes.of.items()}
        for number, ((first, behind), *_) in joined.items():
            order[number] = (first, 2, 0) if behind == first + 1 else (first, 1, -behind)
        mentions = [*zip(where, names, strict=True)]
        for _ in kept_elsewhere(mentions, sorted(range(len(names)), key=order.__getitem__)):
            self.losses.lose(KEPT, passage.name)

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

    def _names(self, passage: Passage, runs: Mapping[int, Sequence[Run]]) -> list[str]:
        """Return the entity of each span: its chain, or one of its own."""
        chains = [*map(chain_of, passage.mentions)]
        worded = [*runs]
        for number in ambiguous([chains[each] for each in worded], [runs[each] for each in worded]):
            self.losses.lose(CROSSING, passage.name)
            chains[worded[number]] = None
        return [self._new() if each is None else escaped(each) for each in chains]

    def _new(self) -> str:
        while True:
            self.count += 1
            if (name := f"e{self.count}") not in self.taken:
                return name

    def _behind_name(self, passage: Passage, mention: Mention, runs: Sequence[Run], nodes: EmptyNodes) -> str:
        """Return what stands behind the name of an opening bracket: its other fields, as far as they are filled."""
        label = "" if passage.chained and mention.label == NO_LABEL else mention.label
        values = ["", escaped(label)]
        for each in self.fields[2:]:
            if each == "identity":
                values.append(",".join(map(_written_id, mention.ids or ())))
            elif each == HEAD and passage.chained:
                values.append(self._head(passage, mention, runs, nodes))
            else:
                values.append(self._value(passage, each, mention.said.get(each)))
        while not values[-1] and len(values) > 1:
            values.pop()
        return "-".join(values)

    def _head(self, passage: Passage, mention: Mention, runs: Sequence[Run], nodes: EmptyNodes) -> str:
        """Return which line of a mention its head is: words count, and empty nodes among them."""
        word = mention.said.get(HEAD)
        if word is None:
            return ""
        if not isinstance(word, int) or not 1 <= word <= sum(run.behind - run.first for run in runs):
            self.losses.lose(f"{HEAD!r} of spans that is no word of theirs", passage.name)
            return ""
        return str(nodes.line(runs, word))

    def _value(self, passage: Passage, name: str, value: Value | None) -> str:
        if value is None:
            return ""
        if not isinstance(value, str) and name != _PROBABILITY:
            self.losses.lose(f"that {name!r} of spans is no text", passage.name)
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if not text:
            self.losses.lose(f"{name!r} of spans where it is empty", passage.name)
        return escaped(text)


def names_taken(documents: Iterable[Passage]) -> Iterator[str]:
    """Give the names that chains have."""
    return (str(mention.said[CHAIN]) for each in documents for mention in each.mentions if CHAIN in mention.said)


def _written_id(id_: str) -> str:
    return re.sub("^_", "%5F", escaped(id_, ","))

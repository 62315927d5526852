"""Parses of one text that may be cut into words differently, counted again from the definitions.

A word is known by where its characters stand in the text without spaces, and so is a head: two files agree
where their characters do. Nothing of comparanda is used here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

Span = tuple[int, int]
Transition = tuple[str, str, str]

ROOT: Span = (-1, -1)  # where the head of a root stands


class Arc(NamedTuple):
    """What a file says of a word: where the head stands, and the relation without its subtype."""

    head: Span
    label: str


CLASSES = ("correction", "new_error", "changed_error")
PARTS = {"las": slice(2), "uas": slice(1), "ls": slice(1, 2)}


def read(path: Path) -> list[dict[Span, Arc]]:
    """Read the sentences of a file without multiword tokens."""
    sentences, begin = [], 0
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if not line.startswith("#")]
        spans = [ROOT]
        for row in rows:
            end = begin + len("".join(row[1].split()))
            spans.append((begin, end))
            begin = end
        arcs = [Arc(spans[int(row[6])], row[7].split(":")[0]) for row in rows]
        sentences.append(dict(zip(spans[1:], arcs, strict=True)))
    return sentences


@dataclass(frozen=True)
class Recount:
    """What each system says of each word of the key that counts; None where it has no such word."""

    key: list[Arc]
    sentence: list[int]
    systems: dict[str, list[Arc | None]]

    @classmethod
    def of(cls, key: Path, systems: dict[str, Path], left_out: str | None) -> Recount:
        """Count the words of the key, but for one relation."""
        words = [
            (number, span, arc)
            for number, sentence in enumerate(read(key))
            for span, arc in sentence.items()
            if arc.label != left_out
        ]
        found = {}
        for name, path in systems.items():
            arcs = {span: arc for sentence in read(path) for span, arc in sentence.items()}
            found[name] = [arcs.get(span) for _, span, _ in words]
        return cls([arc for _, _, arc in words], [number for number, _, _ in words], found)

    def right(self, name: str, view: str = "las") -> list[bool]:
        part = PARTS[view]
        pairs = zip(self.key, self.systems[name], strict=True)
        return [said is not None and said[part] == key[part] for key, said in pairs]

    def whole_sentences(self, name: str, view: str) -> tuple[int, int]:
        """Return how many sentences are wholly right, and how many have a word that counts."""
        wrong = {n for n, right in zip(self.sentence, self.right(name, view), strict=True) if not right}
        return len(set(self.sentence) - wrong), len(set(self.sentence))

    def score(self, name: str, measure: str) -> tuple[int, int]:
        """Return the two numbers behind a measure such as uas.accuracy or las.sentences."""
        view, kind = measure.split(".")
        if kind == "sentences":
            return self.whole_sentences(name, view)
        return sum(self.right(name, view)), len(self.key)

    def differing(self) -> dict[tuple[str, str], int]:
        """Return at how many words each two systems differ; two that both lack a word do not."""
        return {
            (a, b): sum(x != y for x, y in zip(self.systems[a], self.systems[b], strict=True))
            for a, b in combinations(self.systems, 2)
        }

    @cached_property
    def best(self) -> str:
        return max(self.systems, key=lambda name: sum(self.right(name)))

    def by_label(self, flags: list[bool]) -> Counter[str]:
        return Counter(arc.label for arc, flag in zip(self.key, flags, strict=True) if flag)

    def solved(self) -> list[bool]:
        return [any(flags) for flags in zip(*map(self.right, self.systems), strict=True)]

    def hardness(self) -> list[int]:
        """Return for each word how many systems have it right."""
        return [sum(flags) for flags in zip(*map(self.right, self.systems), strict=True)]

    def majority(self) -> list[tuple[int, bool, bool]]:
        """Return for each word how many systems agree most; whether all, or some, of the largest groups are right."""
        found = []
        for key, *said in zip(self.key, *self.systems.values(), strict=True):
            groups = Counter(said)
            votes = max(groups.values())
            largest = [value for value, size in groups.items() if size == votes]
            found.append((votes, largest == [key], key in largest))
        return found

    def changes(self, base: str, new: str) -> dict[str, Counter[Transition]]:
        """Return algorithm 1 of the paper, keyed by the labels of the key, the base and the new system."""
        found: dict[str, Counter[Transition]] = {name: Counter() for name in CLASSES}
        for name, *arcs in self._differences(base, new):
            labels = ["(absent)" if arc is None else arc.label for arc in arcs]
            found[name][labels[0], labels[1], labels[2]] += 1
        return found

    def aspects(self, base: str, new: str) -> dict[str, Counter[str]]:
        """Return what changes in each class: the head, the label, or both."""
        found: dict[str, Counter[str]] = {name: Counter() for name in CLASSES}
        for name, _, old, fresh in self._differences(base, new):
            same_head, same_label = (
                old is not None and fresh is not None and old[part] == fresh[part] for part in (0, 1)
            )
            found[name]["label alone" if same_head else "head alone" if same_label else "head and label"] += 1
        return found

    def _differences(self, base: str, new: str) -> Iterator[tuple[str, Arc, Arc | None, Arc | None]]:
        for key, old, fresh in zip(self.key, self.systems[base], self.systems[new], strict=True):
            if old != fresh:
                name = "correction" if fresh == key else "new_error" if old == key else "changed_error"
                yield name, key, old, fresh

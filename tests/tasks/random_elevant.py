"""Random articles with optional, nested and unknown labels, and what ELEVANT counts on them, in plain Python.

Nothing here knows the program: labels and predictions are dictionaries as in the files, and an article is counted label
by label. The function is written after the description and the program of ELEVANT (Bast, Hertel & Prange 2022), and
has all counts published for nine linkers on two benchmarks.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

Label = dict[str, Any]
Article = dict[str, Any]
Extent = tuple[int, int]

VALUES = ("QUANTITY", "DATETIME")
PRONOUNS = re.compile(
    r"(?i:i|me|my|mine|myself|you|yours?|yourself|yourselves|he|him|his|himself|she|hers?|herself|its?|itself|we|us"
    r"|ours?|ourselves|they|them|theirs?|themselves)"
)


def widened(extent: Extent, text: str) -> Extent:
    """Return an extent with the rest of the words that it begins and ends in."""
    begin, end = extent
    while begin > 0 and re.match(r"""[\w'"]""", text[begin - 1]):
        begin -= 1
    while end < len(text) and re.match(r"""[\w'"]""", text[end]):
        end += 1
    return (begin + 1, end) if text[begin] == '"' and '"' not in text[begin + 1 : end] else (begin, end)


def is_coreference(text: str) -> bool:
    if PRONOUNS.fullmatch(text) and (text == "I" or not text.isupper()):
        return True
    first, space, rest = text.partition(" ")
    determiners = {"the", "that", "this", "these", "those", "my", "your", "his", "her", "its", "our", "their"}
    return first.lower() in determiners and space + rest[:1] != space and not rest[0].isupper()


class Counted:
    """The counts of one article, by mode, kind and outcome.

    Args:
        labels: those of the benchmark.
        predictions: those of the linker.
        text: the text of the article.

    """

    def __init__(self, labels: list[Label], predictions: list[Label], text: str) -> None:
        self.labels, self.predictions, self.text = labels, predictions, text
        self.by_id = {label["id"]: label for label in labels}
        self.by_extent = {tuple(each["span"]): each for each in predictions}
        self.by_extent |= {self.wide(each): each for each in predictions}
        self.counts: Counter[tuple[str, str, str]] = Counter()
        for mode in ("IGNORED", "REQUIRED"):
            for kind in ("all", "ner"):
                self.count(mode, kind)

    def wide(self, one: Label) -> Extent:
        return widened((one["span"][0], one["span"][1]), self.text)

    def prediction(self, label: Label) -> Label | None:
        return self.by_extent.get(tuple(label["span"])) or self.by_extent.get(self.wide(label))

    def is_right(self, label: Label) -> bool:
        found = self.prediction(label)
        return found is not None and found["id"] == label["entity_id"]

    def children(self, label: Label) -> list[Label]:
        return [self.by_id[each] for each in label.get("children", ())]

    def parent(self, label: Label) -> Label | None:
        return self.by_id.get(label.get("parent"))

    def is_found(self, label: Label) -> bool:
        """Whether it or a label inside it is right, or a part that has a prediction."""
        above = self.parent(label)
        part = above is not None and self.wide(above) != self.wide(label) and self.prediction(label) is not None
        return self.is_right(label) or part or any(map(self.is_found, self.children(label)))

    def is_evaluated(self, label: Label) -> bool:
        above = self.parent(label)
        inside = above
        while inside is not None:
            if self.is_right(inside):
                return False
            inside = self.parent(inside)
        if self.is_right(label) or any(map(self.is_found, self.children(label))):
            return self.is_right(label)
        if above is None:
            return True
        if self.prediction(label) is not None:
            return self.wide(above) != self.wide(label)
        return any(self.is_found(each) for each in self.children(above) if each is not label)

    def is_optional(self, label: Label) -> bool:
        return bool(label.get("optional") or label.get("desc")) or self.is_value(label)

    def is_value(self, label: Label) -> bool:
        return not set(VALUES).isdisjoint(label["type"].split("|"))

    def contains_required(self, label: Label) -> bool:
        return any(not self.is_optional(each) or self.contains_required(each) for each in self.children(label))

    def case(self, label: Label, mode: str, kind: str) -> set[str]:  # noqa: PLR0911 - one for each case
        """Return TP, FN and FP of a label that is evaluated."""
        found, ignored = self.prediction(label), mode == "IGNORED"
        value = self.is_value(label)
        known = label["entity_id"] != "<NIL>" and not value
        needed = self.parent(label) is None and self.contains_required(label)
        if found is None:
            if (self.is_optional(label) and not needed) or (ignored and not known):
                return set()
            return {"FN"}
        linked = found["id"] != "<NIL>"
        if self.is_optional(label):
            unknown = not known and not value
            if kind == "ner":
                return {"FP"} if unknown and linked and ignored else set()
            if linked:
                return set() if self.is_right(label) else {"FP"}
            return set() if unknown or ignored else {"FP"}
        if known == linked and (kind == "ner" or self.is_right(label)):
            return {"TP"} if known or not ignored else set()
        if ignored and known != linked:
            return {"FN"} if known else {"FP"}
        return {"TP"} if kind == "ner" else {"FN", "FP"}

    def evaluated_inside(self, label: Label) -> list[Label]:
        return [
            part
            for each in self.children(label)
            for part in [*([each] if self.is_evaluated(each) else []), *self.evaluated_inside(each)]
        ]

    def is_left_out(self, label: Label, kind: str) -> bool:
        marked = label.get("coref")
        text = self.text[slice(*label["span"])]
        return kind == "ner" and bool(is_coreference(text) if marked is None else marked)

    def count(self, mode: str, kind: str) -> None:
        for label in self.labels:
            if self.is_left_out(label, kind):
                continue
            own = self.case(label, mode, kind) if self.is_evaluated(label) else set()
            if "FP" in own:
                self.counts[mode, kind, "FP"] += 1
            if self.parent(label) is None:
                if not self.is_evaluated(label):
                    parts = [self.case(each, mode, kind) for each in self.evaluated_inside(label)]
                    inside = {outcome for each in parts for outcome in each}
                    own = {"FN"} if "FN" in inside else {"TP"} if inside == {"TP"} else set()
                self.counts.update((mode, kind, each) for each in own - {"FP"})
        extents = {each for label in self.labels for each in (tuple(label["span"]), self.wide(label))}
        for each in self.predictions:
            nil = mode == "IGNORED" and each["id"] == "<NIL>"
            left_out = kind == "ner" and is_coreference(self.text[slice(*each["span"])])
            if not (nil or left_out or {tuple(each["span"]), self.wide(each)} & extents):
                self.counts[mode, kind, "FP"] += 1

    def serves_two(self) -> bool:
        """Whether one prediction is evaluated for several labels."""
        evaluated = [self.prediction(each) for each in self.labels if self.is_evaluated(each)]
        used = Counter(id(each) for each in evaluated if each is not None)
        return max(used.values(), default=0) > 1


WORDS = ("Ada", "Ada's", "the", "Queen", "it", '"US', 'Rome"', "IT", "old", "1815", "Bo's")


def random_article(draw: random.Random, number: int) -> tuple[Article, list[Label]]:
    """Make an article of a benchmark, and predictions for it; few ids, so that many are right by chance."""
    words = [draw.choice(WORDS) for _ in range(draw.randint(3, 9))]
    text = " ".join(words) + "."
    ends = [0]
    for word in words:
        ends.append(ends[-1] + len(word) + 1)
    labels: list[Label] = []

    def span_of(first: int, last: int) -> list[int]:
        begin, end = ends[first], ends[last] - 1
        return [begin, max(begin + 1, end - draw.choice((0, 0, 0, 1, 2)))]

    def add(first: int, last: int, parent: Label | None, depth: int) -> None:
        label: Label = {
            "id": len(labels),
            "span": span_of(first, last),
            "entity_id": draw.choice(("Q1", "Q2", "<NIL>")),
            "name": "",
            "type": draw.choice(("Q5", "Q5", "OTHER", *VALUES)),
        }
        if label["type"] in VALUES:
            label["entity_id"] = label["type"]
        if draw.random() < 0.2:
            label[draw.choice(("optional", "desc"))] = True
        if draw.random() < 0.05:
            label["type"] += "|DATETIME"
        if draw.random() < 0.2 and parent is None and depth == 0:
            label["coref"] = draw.random() < 0.5
        labels.append(label)
        if parent is not None:
            label["parent"] = parent["id"]
            parent.setdefault("children", []).append(label["id"])
        if depth < 2 and draw.random() < 0.6 and "coref" not in label:
            middle = draw.randint(first, last)
            for low, high in ((first, middle), (middle, last)):
                if low < high and draw.random() < 0.8:
                    add(low, high, label, depth + 1)

    place = 0
    while place < len(words):
        width = draw.randint(1, 4)
        if draw.random() < 0.7 and place + width <= len(words):
            add(place, place + width, None, 0)
        place += width
    predictions: dict[Extent, Label] = {}
    for label in labels:
        if draw.random() < 0.6:
            id_ = draw.choice((label["entity_id"], label["entity_id"], "Q1", "Q2", "<NIL>"))
            id_ = "<NIL>" if id_ in VALUES else id_
            begin, end = label["span"]
            end = draw.choice((end, end, min(end + 1, len(text) - 1)))
            predictions[begin, end] = {"span": [begin, end], "id": id_}
    for _ in range(draw.randint(0, 2)):
        first = draw.randrange(len(words))
        begin, end = ends[first], ends[min(first + draw.randint(1, 2), len(words))] - 1
        predictions.setdefault((begin, end), {"span": [begin, end], "id": draw.choice(("Q1", "Q3", "<NIL>"))})
    article = {"id": number, "title": "", "text": text, "evaluation_span": [0, len(text)], "labels": labels}
    return article, [predictions[each] for each in sorted(predictions)]

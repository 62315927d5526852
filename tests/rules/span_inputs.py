"""Random spans as inputs of rules, the same for the same seed; and their verdicts as plain values.

`crowded` inputs are tiny and full: several spans wherever one can be, so that every tie and every rival occurs.
`corpus_like` ones have texts, in which a system errs as systems do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from random import Random
from typing import Any

import numpy as np

from comparanda.core.corpus import Fragments
from comparanda.core.text_columns import Column, TextColumn
from comparanda.rules.engine import Engine, Outcome
from comparanda.rules.facts import Facts
from comparanda.rules.ruleset import RuleSet

Row = dict[str, Any]
"""A span: doc, begin, end, label, and what else there is; None is missing."""

Input = dict[str, list[Row]]
"""The spans of both sides, `system` and `key`, in any order."""

LABELS = ("PER", "LOC", "CITY", "CAPITAL", "ORG")
PARENTS = {"CAPITAL": "CITY", "CITY": "LOC"}
STOP_WORDS = {"PER": ("he", "mr"), "LOC": ("north",)}
STOP_WORD = "it"
"""A stop word wherever a label has no list of its own."""

CONTENT = ("doc", "begin", "end", "label", "text", "id", "confidence", "probability")
NUMBERS = ("doc", "begin", "end")


def facts_of(rows: Sequence[Row], columns: Sequence[str] | None = None) -> Facts:
    """Return spans as the engine takes them; a column is given if a row has it, or as it is said."""
    names = columns if columns is not None else list(dict.fromkeys(name for row in rows for name in row))
    cells = {name: [row.get(name) for row in rows] for name in (*NUMBERS, "label", *names) if name != "pieces"}
    return Facts({name: _column(name, values) for name, values in cells.items()}, _fragments(rows))


def _column(name: str, values: list[Any]) -> Column:
    if name in (*NUMBERS, "partner"):
        return np.array([-1 if value is None else value for value in values], np.int64)
    if name in {"probability", "level"}:
        return np.array([np.nan if value is None else value for value in values], np.float64)
    return np.array(values, np.bool_) if name in {"hit", "seen"} else TextColumn.of(values)


def _fragments(rows: Sequence[Row]) -> Fragments | None:
    pieces = [(number, *piece) for number, row in enumerate(rows) for piece in row.get("pieces", ())]
    if not pieces:
        return None
    span, begin, end = (np.array(each, np.int64) for each in zip(*pieces, strict=True))
    return Fragments(span, begin, end)


def given(rows: Input) -> dict[str, Facts]:
    """Return both sides as facts."""
    return {table: facts_of(spans) for table, spans in rows.items()}


def shuffled(rows: Input, random: Random) -> Input:
    """Return the same spans in another order."""
    return {table: random.sample(spans, len(spans)) for table, spans in rows.items()}


def in_content_order(rows: Sequence[Row]) -> list[int]:
    """Return the rows of an input by content: a missing text stands before all others, a missing number behind."""

    def key(number: int) -> tuple[Any, ...]:
        row = rows[number]
        cells = [(row.get(name) is not None) ^ (name == "probability") for name in CONTENT]
        values = [row.get(name) or ("" if name not in (*NUMBERS, "probability") else 0) for name in CONTENT]
        return (*zip(cells, values, strict=True), row.get("pieces", ()))

    return sorted(range(len(rows)), key=key)


@dataclass(frozen=True)
class Judged:
    """What rules have made of an input: for each table and column that rules set, the cells in the input's order."""

    cells: Mapping[tuple[str, str], tuple[Any, ...]]

    def by_content(self, rows: Input) -> list[tuple[Any, ...]]:
        """Return what spans of each content got, with partners named by their content: the same for any order."""
        others = {"system": "key", "key": "system"}
        told = []
        for table, spans in rows.items():
            mine = {column: cells for (name, column), cells in self.cells.items() if name == table}
            for number, span in enumerate(spans):
                values = {column: cells[number] for column, cells in mine.items()}
                for column, value in values.items():
                    if column == "partner" and value is not None:
                        values[column] = sorted(rows[others[table]][value].items(), key=repr)
                told.append((table, sorted(span.items(), key=repr), sorted(values.items(), key=repr)))
        return sorted(told, key=repr)


def judged(rule_set: RuleSet, outcome: Outcome) -> Judged:
    """Return all cells that rules may have set; None is missing, partners are rows of the input."""
    cells: dict[tuple[str, str], tuple[Any, ...]] = {}
    for table, columns in rule_set.tables.items():
        for column, kind in columns.items():
            if not kind.settable:
                continue
            if kind.kind == "text":
                values: list[Any] = list(outcome.texts(table, column))
            elif kind.kind == "row":
                assert kind.table is not None
                values = [None if row < 0 else row for row in outcome.partners(table, column, kind.table).tolist()]
            else:
                values = [None if isnan(value) else value for value in outcome.codes(table, column).tolist()]
            cells[table, column] = tuple(values)
    return Judged(cells)


def run(engine: Engine, rows: Input, *, paranoid: bool = False) -> Judged:
    """Judge an input."""
    return judged(engine.rule_set, engine.run(given(rows), paranoid=paranoid))


def crowded(seed: int, size: int = 12) -> Input:
    """Return spans at so few places that they are equal, nested, touching, empty, and each other's rivals."""
    random = Random(seed)
    reach, documents = random.choice([2, 3, 5]), random.choice([1, 1, 2, 3])
    labels = random.choice([LABELS[:1], LABELS[:2], LABELS[1:4], LABELS])
    words = random.choice(
        [("a b", "Q2", "Q1"), ("he", "mr", "it", "north", "Mr"), ("ab", "aB", " ab", "abc", "bc", "")]
    )

    def side() -> list[Row]:
        rows = [
            _crowded_row(random, reach=reach, documents=documents, labels=labels, words=words)
            for _ in range(random.randint(0, size))
        ]
        return [*rows, *(dict(row) for row in rows if random.random() < 0.15)]

    return {"system": side(), "key": side()}


def _crowded_row(random: Random, reach: int, documents: int, labels: Sequence[str], *, words: Sequence[str]) -> Row:
    begin = random.randrange(reach)
    row: Row = {
        "doc": random.randrange(documents),
        "begin": begin,
        "end": begin + random.choice([0, 1, 1, 2, 3]),
        "label": random.choice(labels),
        "text": random.choice([*words, *words, None]),
        "id": random.choice([None, "Q1", "Q2"]),
        "confidence": random.choice([None, None, "low", "high"]),
        "probability": random.choice([None, 0.25, 0.5, 0.75]),
    }
    return row


def chained(seed: int) -> Input:
    """Return a crowded input in which system spans follow others, in chains that may be long or closed."""
    random, rows = Random(seed), crowded(seed, size=20)
    spans = rows["system"]
    for number, row in enumerate(spans):
        near = f"Q{max(0, number - random.choice([1, 1, 1, 2]))}"
        row["id"] = f"Q{number}"
        row["after"] = random.choice([near, near, near, None, f"Q{random.randrange(len(spans) + 2)}"])
    return rows


def discontinuous(seed: int) -> Input:
    """Return a crowded input in which some spans consist of several pieces."""
    random, rows = Random(seed), crowded(seed)
    for spans in rows.values():
        for row in spans:
            if row["end"] - row["begin"] >= 2 and random.random() < 0.5:
                cut = random.randrange(row["begin"] + 1, row["end"])
                row["pieces"] = ((row["begin"], cut), (random.choice([cut, min(cut + 1, row["end"])]), row["end"]))
    return rows


NAMES = ("Anna", "Berlin", "New York", "Mr Smith", "the Bank of Berlin", "York", "Smith & Sons", "Ann Arbor", "Zürich")
FILLERS = ("it", "he", "north", "saw", "and", "the", "of", "Mr", "in")


def corpus_like(seed: int, spans: int = 30) -> Input:
    """Return spans of running text, and what a system made of them that misses, moves, renames, splits, repeats."""
    random = Random(seed)
    system: list[Row] = []
    key: list[Row] = []
    for doc in range(random.randint(1, 4)):
        text = ""
        for _ in range(random.randint(1, spans // 3)):
            text += " ".join(random.choices(FILLERS, k=random.randint(1, 3))) + " "
            name, begin = random.choice(NAMES), len(text)
            text += name + " "
            low = random.choice(["low", None, "high", None])
            key.append(
                _named(
                    doc, begin=begin, end=begin + len(name), label=random.choice(LABELS), random=random, confidence=low
                )
            )
        for row in [row for row in key if row["doc"] == doc]:
            system += _answered(row, len(text), random)
        for word in FILLERS:
            if (place := text.find(f"{word} ")) >= 0 and random.random() < 0.4:
                system.append(
                    _named(doc, begin=place, end=place + len(word), label=random.choice(LABELS), random=random)
                )
        for row in (row for row in (*system, *key) if row["doc"] == doc):
            row["text"] = text[row["begin"] : row["end"]]
    random.shuffle(system)
    return {"system": system, "key": key}


def _named(doc: int, begin: int, end: int, label: str, *, random: Random, confidence: str | None = None) -> Row:
    linked = random.choice([None, "Q1", "Q2", "Q3"])
    return {"doc": doc, "begin": begin, "end": end, "label": label, "text": "", "id": linked, "confidence": confidence}


def _answered(row: Row, length: int, random: Random) -> list[Row]:
    """Return what a system says of a span of the key."""
    begin, end, own = row["begin"], row["end"], str(row["label"])

    def span(begin: int, end: int, label: str = own) -> Row:
        return _named(row["doc"], begin=begin, end=end, label=label, random=random)

    moved = span(max(0, begin - random.choice([0, 1, 3])), min(length, end + random.choice([0, 1, 2, 5])))
    middle = (begin + end) // 2
    answers: list[Callable[[], list[Row]]] = [
        lambda: [span(begin, end)],
        lambda: [span(begin, end), span(begin, end)],
        lambda: [moved],
        lambda: [moved, span(begin, end)],
        lambda: [span(begin, end, PARENTS.get(own, own))],
        lambda: [span(begin, end, random.choice(LABELS))],
        lambda: [span(begin, middle), span(middle, end)],
        lambda: [],
    ]
    return random.choice([answers[0], *answers])()

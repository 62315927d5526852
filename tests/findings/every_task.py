"""Small random comparisons of three systems for every task, and what their sites say, as plain lists."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import comparanda as cp
from comparanda import Result
from comparanda.pipeline import Setup
from tests.random_spans import tagged, written
from tests.seeds import mostly_slow
from tests.tasks.comparing import conllu
from tests.tasks.random_links import SYSTEMS, links

RELATIONS = ("nsubj", "obj", "det", "root")
DOCUMENTS = 8


def labels(seed: int, folder: Path) -> Result:
    """Rows with one label each."""
    del folder
    draw = random.Random(seed)
    key = {f"r{row:02}": draw.choice("abc") for row in range(40)}
    return cp.compare(key, _guesses(draw, key, lambda: draw.choice("abcd")), task="label", resamples=20)


def sets(seed: int, folder: Path) -> Result:
    """Rows with any number of labels each."""
    del folder
    draw = random.Random(seed)

    def some() -> list[str]:
        return draw.sample("abcd", draw.randint(0, 3))

    key = {f"r{row:02}": some() for row in range(40)}
    return cp.compare(key, _guesses(draw, key, some), task="label", resamples=20)


def tags(seed: int, folder: Path) -> Result:
    """Words with a tag each."""
    del folder
    draw = random.Random(seed)
    key = {row: draw.choice("ABC") for row in range(60)}
    sides = _guesses(draw, key, lambda: draw.choice("ABCD"))
    return cp.compare(list(key.values()), {name: list(each.values()) for name, each in sides.items()}, task="tag")


def _guesses(draw: random.Random, key: dict[Any, Any], guess: Callable[[], Any]) -> dict[str, dict[Any, Any]]:
    hard = {row for row in key if draw.random() < 0.4}
    return {
        name: {row: guess() if row in hard or draw.random() < 0.2 else value for row, value in key.items()}
        for name in SYSTEMS
    }


def trees(seed: int, folder: Path) -> Result:
    """Documents of words with a head and a relation each."""
    draw = random.Random(seed)
    key = [[_tree(draw) for _ in range(draw.randint(1, 3))] for _ in range(DOCUMENTS)]
    paths = {"key": _file(folder / "key.conllu", key)}
    for name in SYSTEMS:
        told = [[_reattached(draw, sentence) for sentence in document] for document in key]
        paths[name] = _file(folder / f"{name}.conllu", told)
    return cp.compare(paths.pop("key"), paths, task="dep", resamples=20)


Arcs = list[tuple[int, str]]


def _tree(draw: random.Random) -> Arcs:
    return [(draw.randrange(word) if word else 0, draw.choice(RELATIONS)) for word in range(draw.randint(1, 6))]


def _reattached(draw: random.Random, sentence: Arcs) -> Arcs:
    """Give some words another head before them, or another relation."""
    found = []
    for word, (head, label) in enumerate(sentence):
        above = draw.randrange(word) if word and draw.random() < 0.3 else head
        found.append((above, draw.choice(RELATIONS) if draw.random() < 0.3 else label))
    return found


def _file(path: Path, documents: list[list[Arcs]]) -> str:
    rows = []
    for number, document in enumerate(documents):
        rows.append(f"# newdoc id = d{number}")
        for sentence in document:
            rows += [f"w{word} {head} {label}" for word, (head, label) in enumerate(sentence)] + [""]
    path.write_text(conllu(*rows))
    return str(path)


def spans(seed: int, folder: Path) -> Result:
    """Chunk tags in files."""
    return Result(tagged(folder, seed, Setup(task="span"), size=DOCUMENTS).judged(), 20)


def crowded_spans(seed: int, folder: Path) -> Result:
    """Spans of characters, nested, repeated, empty and in pieces."""
    return Result(written(folder, seed, Setup(task="span"), size=DOCUMENTS).judged(), 20)


def fuzzy_spans(seed: int, folder: Path) -> Result:
    """The same, judged by rules that give credit for parts."""
    return Result(written(folder, seed, Setup(task="span", rules="semeval2013"), size=DOCUMENTS).judged(), 20)


def linked(seed: int, folder: Path) -> Result:
    """Mentions with ids."""
    del folder
    given = links(seed, DOCUMENTS)
    return cp.compare(given.given("key"), {name: given.given(name) for name in SYSTEMS}, task="link", resamples=20)


TASKS: tuple[Callable[[int, Path], Result], ...] = (
    labels, sets, tags, trees, spans, crowded_spans, fuzzy_spans, linked,
)  # fmt: skip
SOME_TASKS = mostly_slow(TASKS, {tags, spans})
"""All of them as parameters; most are for the slow run."""


def views(result: Result) -> Iterator[str]:
    """Yield the views that have sites."""
    for name, view in result.verdicts.views.items():
        if len(view.sites):
            yield name


def columns(result: Result, view: str | None = None) -> tuple[list[str], dict[str, list[str]]]:
    """Return the values of the key and of each run at the sites, as plain lists."""
    sites = result.verdicts.view(view).sites
    said = [[sites.names[code] for code in column.tolist()] for column in (sites.key, *sites.values)]
    return said[0], dict(zip(result.verdicts.runs, said[1:], strict=True))


def counts_with_conditions(thing: Any) -> Iterator[tuple[int, str]]:
    """Yield every count of a finding that has its condition beside it."""
    if isinstance(thing, tuple):
        for each in thing:
            yield from counts_with_conditions(each)
    elif is_dataclass(thing):
        where = getattr(thing, "where", None)
        if where is not None and hasattr(thing, "count"):
            yield thing.count, where
        for field in fields(thing):
            yield from counts_with_conditions(getattr(thing, field.name))

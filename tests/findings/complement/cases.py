"""Random inputs of every task, compared, beside what the slow reference of complementarity is told of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import comparanda as cp
from comparanda import Result
from comparanda.core.verdicts import System
from tests.findings.complement import reference
from tests.findings.complement.reference import Done, Judged, numbered
from tests.findings.populations import Population
from tests.tasks.random_links import SYSTEMS, Links, judged
from tests.tasks.random_spans import Crowd

LABELS = ("nsubj", "obj", "det", "conj")


@dataclass(frozen=True)
class Case:
    """A comparison, and the same as sets."""

    result: Result
    judged: Judged
    view: str | None = None

    @property
    def names(self) -> list[str]:
        return list(self.judged.systems)


# Tags and labels, as populations have them


def of_population(population: Population) -> Judged:
    """Tell the reference of the key and of the runs of each system."""
    columns = list(population.systems.values())
    runs = population.runs or tuple(System(name, (place,)) for place, name in enumerate(population.systems))
    return reference.of_values(population.key, {each.name: [columns[run] for run in each.runs] for each in runs})


def by_unit(population: Population) -> list[Judged]:
    """Tell the reference of each unit alone, in the order of their names."""
    sites = range(len(population))
    return [
        of_population(population.taken([site for site in sites if population.units[site] == unit]))
        for unit in sorted(set(population.units))
    ]


# Tags of words that systems cut otherwise

Tagged = list[list[tuple[str, str]]]


def cut_tags(seed: int) -> Case:
    """Tag sentences; systems cut words in two or join them, so that some are absent and others are in surplus."""
    draw = random.Random(seed)
    key = [[(_form(draw), draw.choice("XYZ")) for _ in range(draw.randint(1, 6))] for _ in range(draw.randint(1, 4))]
    systems = {name: [_cut(draw, key) for _ in range(draw.choice((1, 1, 2)))] for name in ("one", "two", "three")}
    given = {name: runs[0] if len(runs) == 1 else cp.Runs(*runs) for name, runs in systems.items()}
    result = cp.compare(key, given, task="tag", resamples=0)
    gold = _extents(key)
    sites = {extent: site for site, (extent, _) in enumerate(gold)}
    values: dict[str, list[list[str | None]]] = {}
    surplus: dict[str, list[list[Any]]] = {}
    for name, runs in systems.items():
        values[name], surplus[name] = [], []
        for run in runs:
            found = dict(_extents(run))
            values[name].append([found.get(extent) for extent in sites])
            surplus[name].append([(extent, tag) for extent, tag in found.items() if extent not in sites])
    return Case(result, reference.of_values([tag for _, tag in gold], values, surplus))


def _form(draw: random.Random) -> str:
    return "".join(draw.choice("abc") for _ in range(draw.randint(1, 4)))


def _cut(draw: random.Random, key: Tagged) -> Tagged:
    found: Tagged = []
    for sentence in key:
        words: list[tuple[str, str]] = []
        for word, tag in sentence:
            said = tag if draw.random() < 0.6 else draw.choice("XYZW")
            chance = draw.random()
            if chance < 0.2 and len(word) > 1:
                at = draw.randint(1, len(word) - 1)
                words += [(word[:at], said), (word[at:], draw.choice("XY"))]
            elif chance < 0.35 and words:
                words[-1] = words[-1][0] + word, said
            else:
                words.append((word, said))
        found.append(words)
    return found


def _extents(sentences: Tagged) -> list[tuple[tuple[int, int], str]]:
    found, end = [], 0
    for word, tag in chain(*sentences):
        begin, end = end, end + len(word)
        found.append(((begin, end), tag))
    return found


# Trees

Extent = tuple[int, int]


@dataclass(frozen=True)
class Word:
    """A word: its characters, the word it hangs on (None for the root), and its label."""

    extent: Extent
    head: Extent | None
    label: str


Trees = dict[str, list[list[Word]]]
"""Sentences by document."""


def trees(seed: int, view: str, folder: Path) -> Case:
    """Hang words on each other; systems hang some elsewhere, call some otherwise, and cut some in two."""
    draw = random.Random(seed)
    plan = {f"d{number}": _forest(draw) for number in range(draw.randint(1, 4))}
    systems = {
        name: [
            {document: [_changed(draw, each) for each in sentences] for document, sentences in plan.items()}
            for _ in range(draw.choice((1, 1, 2)))
        ]
        for name in ("one", "two", "three")
    }
    files = {}
    for name, runs in {"key": [plan], **systems}.items():
        paths = [_written(each, folder / f"{name}-{number}.conllu") for number, each in enumerate(runs)]
        files[name] = paths[0] if len(paths) == 1 else cp.Runs(*paths)
    result = cp.compare(files.pop("key"), files, task="dep", resamples=0)
    gold = _words(plan)
    number = {extent: place for place, extent in enumerate(gold)}
    arcs: dict[str, list[list[Any]]] = {}
    surplus: dict[str, list[list[Any]]] = {}
    for name, runs in systems.items():
        arcs[name], surplus[name] = [], []
        for run in runs:
            found = _words(run)
            arcs[name].append([found.get(place) for place in gold])
            beside = [(place, number[_near(place, gold)], arc) for place, arc in found.items() if place not in number]
            surplus[name].append(beside)
    return Case(result, reference.of_trees(list(gold.values()), arcs, view, surplus), view)


def _near(place: tuple[str, int, int], gold: Mapping[tuple[str, int, int], Any]) -> tuple[str, int, int]:
    """Return the key's word in which one begins."""
    document, begin, _ = place
    return next(each for each in gold if each[0] == document and each[1] <= begin < each[2])


def _forest(draw: random.Random) -> list[list[Word]]:
    found, end = [], 0
    for _ in range(draw.randint(1, 2)):
        extents = []
        for _ in range(draw.randint(1, 5)):
            begin, end = end, end + draw.randint(1, 3)
            extents.append((begin, end))
        found.append(_hung(draw, extents))
    return found


def _hung(draw: random.Random, extents: list[Extent]) -> list[Word]:
    """Hang every word on one of those before it in some order, the first on the root."""
    order = draw.sample(extents, len(extents))
    heads = {extent: draw.choice(order[:place]) if place else None for place, extent in enumerate(order)}
    return [Word(extent, heads[extent], draw.choice(LABELS)) for extent in extents]


def _changed(draw: random.Random, sentence: list[Word]) -> list[Word]:
    parts: dict[Extent, list[Extent]] = {}
    for word in sentence:
        begin, end = word.extent
        cut = draw.randint(begin + 1, end - 1) if end - begin > 1 and draw.random() < 0.3 else None
        parts[word.extent] = [(begin, end)] if cut is None else [(begin, cut), (cut, end)]
    order: list[Extent] = []
    heads: dict[Extent, Extent | None] = {}
    for word in _topmost_first(sentence):
        for part in parts[word.extent]:
            if not order:
                heads[part] = None
            elif word.head is not None and draw.random() < 0.6:
                heads[part] = draw.choice(parts[word.head])
            else:
                heads[part] = draw.choice(order)
            order.append(part)
    called = {part: word.label for word in sentence for part in parts[word.extent]}
    return [
        Word(part, heads[part], called[part] if draw.random() < 0.7 else draw.choice((*LABELS, "own")))
        for part in sorted(heads)
    ]


def _topmost_first(sentence: list[Word]) -> list[Word]:
    found: list[Word] = []
    while len(found) < len(sentence):
        above = {each.extent for each in found}
        found += [each for each in sentence if each not in found and (each.head is None or each.head in above)]
    return found


def _written(trees: Trees, path: Path) -> str:
    """Write trees as CoNLL-U; a word of characters 3 to 5 is spelled by the letters that stand there."""
    lines = []
    for name, sentences in trees.items():
        lines.append(f"# newdoc id = {name}")
        for sentence in sentences:
            numbers = {word.extent: place for place, word in enumerate(sentence, start=1)}
            for word in sentence:
                form = "".join("abcdefghij"[place % 10] for place in range(*word.extent))
                head = 0 if word.head is None else numbers[word.head]
                lines.append(f"{numbers[word.extent]}\t{form}\t_\tX\t_\t_\t{head}\t{word.label}\t_\t_")
            lines.append("")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def _words(trees: Trees) -> dict[tuple[str, int, int], tuple[Any, str]]:
    return {
        (name, *word.extent): (word.head, word.label)
        for name, sentences in trees.items()
        for sentence in sentences
        for word in sentence
    }


# Spans


def exact_spans(given: Crowd, names: Sequence[str]) -> Judged:
    """Tell the reference of typed spans in documents."""

    def spans(side: str) -> list[Any]:
        return [(name, span.pieces, span.label) for name, found in given.sides[side].items() for span in found]

    return reference.of_spans(spans("key"), {name: [spans(name)] for name in names})


def one_by_one(key: Any, systems: Mapping[str, Any], view: str, **options: Any) -> Judged:
    """Tell the reference what rules made of each system when it is judged alone.

    A span of the key is found if it gets any credit; a span of a system is spurious if it gets none at all. Spans left
    out by a rule are neither.
    """
    positives: dict[Any, str] = {}
    done: dict[str, list[Done]] = {}
    for name, given in systems.items():
        verdicts = cp.compare(key, {name: given}, resamples=0, **options).verdicts
        items, claims = verdicts.view(view).items, verdicts.view(view).claims
        assert items.claim is not None
        called = [items.names[code] for code in items.label.tolist()]
        mine = [row for row in range(len(items)) if items.positive[row]]  # in the order of their content
        counting = {row for row in mine if items.weights(0)[row] > 0}
        wrong = [
            row
            for row in range(len(items))
            if not items.positive[row] and items.claimed[0][row] > 0 and items.earned_of(0)[row] == 0
        ]
        spurious = numbered((*_span(claims, int(items.claim[row])), called[row]) for row in wrong)
        positives = {row: called[row] for row in mine}
        done[name] = [
            Done(
                found=frozenset(row for row in counting if items.credit_of(0)[row] > 0),
                spurious=frozenset(spurious),
                wrong=None,
                called={item: str(item[0][-1]) for item in spurious},
                ruled_out=frozenset(mine) - counting,
            )
        ]
    return Judged(positives, None, done)


def _span(claims: Any, row: int) -> tuple[Any, ...]:
    """Return what a span is: its document and its pieces."""
    pieces = [(int(claims.begin[row]), int(claims.end[row]))]
    if claims.fragments is not None and claims.pieces[row]:
        cut = zip(claims.fragments.span, claims.fragments.begin, claims.fragments.end, strict=True)
        pieces = sorted((int(begin), int(end)) for span, begin, end in cut if span == row)
    return int(claims.document[row]), tuple(pieces)


# Links


def of_links(given: Links, view: str, names: Sequence[str] = SYSTEMS, *, types: bool = True) -> Judged:
    """Tell the reference what DEFINITIONS 7 makes of mentions; a mention of the key counts where it does for a run."""
    positives: dict[Any, str] = {}
    done = {}
    for name in names:
        found, spurious, ruled_out, called = set(), [], set(), {}
        for document, key in given.sides["key"].items():
            fates = judged(given.sides[name][document], key, types=types)
            copies: Counter[Any] = Counter()
            for fate in fates.key:
                item = document, fate.mention, copies[fate.mention]
                copies[fate.mention] += 1
                positives[item] = fate.mention.label
                if fate.left_out(view):
                    ruled_out.add(item)
                elif fate.right(view):
                    found.add(item)
            wrong = [fate.mention for fate in fates.system if not fate.right(view) and not fate.left_out(view)]
            spurious += [(document, each.extent, each.label, each.first) for each in wrong]
        apart = numbered(spurious)
        called = {item: item[0][2] for item in apart}
        done[name] = [
            Done(
                found=frozenset(found),
                spurious=frozenset(apart),
                wrong=None,
                called=called,
                ruled_out=frozenset(ruled_out),
            )
        ]
    return Judged(positives, None, done)

"""Spans that everybody has need neither sites nor items: every finding says the same to the last byte without them."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda.core.verdicts import Verdicts
from comparanda.pipeline import Setup, evaluate_systems
from comparanda.render.json import build_document
from comparanda.result import Result
from comparanda.storage import fold
from comparanda.storage.fold import fold_verdicts
from comparanda.storage.merge import merge
from tests.random_spans import Corpora, tagged, written
from tests.seeds import mostly_slow, seeds
from tests.storage.test_fold import said

RULES = ("exact", "semeval2013", "muc", "i2b2", "tokens", "paper", "hipe")
SIZE = 40
ALIKE = 0.8
IDS = ("Q1", "Q2", "NIL", ["Q1", "Q3"])

Mention = tuple[int, int, str, str | list[str]]
"""Where a mention begins, how long it is, its label and its ids."""
THREE = (slice(0, 15), slice(15, 16), slice(16, None))


@pytest.fixture(autouse=True)
def few_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold, "EXAMPLES", 2)


def made(kind: str, folder: Path, rules: str, seed: int) -> Corpora:
    setup = Setup(task="span", rules=rules)
    if kind == "written":
        return written(folder, seed, setup, size=3 * SIZE, alike=ALIKE)
    return tagged(folder, seed, setup, size=SIZE, marked=kind == "files", alike=ALIKE)


def small(verdicts: Verdicts) -> Verdicts:
    return fold_verdicts(verdicts, Result(verdicts).seed)


def agreed(verdicts: Verdicts) -> int:
    claims = verdicts.view().claims
    assert claims is not None
    return 0 if claims.agreed is None else len(claims.agreed)


def more(verdicts: Verdicts) -> dict[str, str]:
    """Return what is said of spans alone: attributes of easy sites are known too, and all views are asked."""
    result = Result(verdicts, 20)
    base, new = result.systems[:2]
    found: dict[str, Callable[[], object]] = {
        name: lambda name=name: build_document(result.slices(name, base, new), "", ())  # type: ignore[misc]
        for name in ("length", "nesting")
    }
    for name in verdicts.views:
        found[f"{name}: scores"] = lambda name=name: build_document(result.scores(view=name), "", ())  # type: ignore[misc]
        found[f"{name}: complement"] = lambda name=name: build_document(result.complementarity(view=name), "", ())  # type: ignore[misc]
    for where in (
        "length > 1",
        'nesting == "single"',
        "spans == 1",
        'key == "PER[0:2]"',
        'label == "PER" and length == 1',
    ):
        found[where] = lambda where=where: str((result.count(where), result.count(where, base, new)))  # type: ignore[misc]
    for run in verdicts.runs:
        for where in (f'verdict("{run}") == "COR"', f'positive and claims("{run}")', f'among("{run}") and length > 1'):
            found[where] = lambda where=where: str(result.count(where))  # type: ignore[misc]
    return {name: str(make()) for name, make in found.items()}


FEW = {("files", "exact"), ("lists", "muc")}


@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        pytest.param(*each, marks=() if each in FEW else pytest.mark.slow)
        for each in product(("files", "lists", "written"), RULES)
    ],
)
def test_every_finding(kind: str, rules: str, tmp_path: Path) -> None:
    verdicts = made(kind, tmp_path, rules, 3).judged()
    fewer = small(verdicts)
    whole, found = said(verdicts) | more(verdicts), said(fewer) | more(fewer)
    assert {name: text == whole[name] for name, text in found.items()} == dict.fromkeys(whole, True)
    assert (agreed(fewer) > 0) == (rules != "tokens")  # where a span counts by its tokens, none is folded here


def linked(seed: int, rules: str) -> Verdicts:
    """Judge documents with mentions that stand apart: most systems have most of them as the key has."""
    draw = random.Random(seed)
    sides: dict[str, list[dict[str, Any]]] = {side: [] for side in ("key", "a", "b", "c")}
    for number in range(SIZE):
        gold = [(20 * place, draw.choice((4, 8)), draw.choice(("PER", "LOC")), draw.choice(IDS)) for place in range(5)]
        for side, found in sides.items():
            said = [each for mention in gold for each in ([mention] if side == "key" else heard(draw, mention))]
            spans = [{"begin": low, "end": low + width, "label": label, "id": ids} for low, width, label, ids in said]
            found.append({"id": f"d{number}", "text": "word " * 30, "spans": spans})
    return evaluate_systems(sides.pop("key"), sides, Setup(task="link", rules=rules))


def heard(draw: random.Random, mention: Mention) -> list[Mention]:
    """Return what a system makes of a mention: nothing, another id, label or end, or nearly always the same."""
    low, width, label, ids = mention
    changes: tuple[list[Mention], ...] = (
        [],
        [(low, width, label, "Q9")],
        [(low, width, "ORG", ids)],
        [(low, width + 2, label, ids)],
        [(low, width, label, ids[0] if isinstance(ids, list) else ids)],
    )
    return draw.choice(changes) if draw.random() < 0.2 else [mention]


@pytest.mark.parametrize("rules", mostly_slow(("links", "elevant", "hipe-nel", "document"), ("links",)))
def test_every_finding_of_links(rules: str) -> None:
    verdicts = linked(5, rules)
    fewer = small(verdicts)
    whole, found = said(verdicts) | more(verdicts), said(fewer) | more(fewer)
    assert {name: text == whole[name] for name, text in found.items()} == dict.fromkeys(whole, True)
    assert agreed(fewer) > 0
    for pair in permutations(verdicts.runs, 2) if rules == "links" else ():
        assert Result(fewer).error_sources(*pair) == Result(verdicts).error_sources(*pair)


@pytest.mark.parametrize("seed", seeds(1, of=40))
def test_parts_are_folded_saved_and_merged(seed: int, tmp_path: Path) -> None:
    kind, rules = ("files", "written")[seed % 2], RULES[seed % len(RULES)]
    corpus = made(kind, tmp_path, rules, seed)
    parts = [corpus.judged(part) for part in THREE]
    whole = said(merge(parts)) | more(merge(parts))
    for number, part in enumerate(parts):
        Result(small(part), 50).save(tmp_path / str(number))
    merged = merge([cp.open(tmp_path / str(number)).verdicts for number in range(len(parts))])
    assert said(merged) | more(merged) == whole
    Result(merged, 50).save(tmp_path / "merged")
    again = cp.open(tmp_path / "merged").verdicts
    assert said(again) | more(again) == whole
    assert agreed(again) == agreed(merged) == sum(agreed(small(part)) for part in parts)
    mixed = merge([small(parts[0]), *(each for each in map(small, parts[1:]))])
    assert said(mixed) == said(merge(parts))

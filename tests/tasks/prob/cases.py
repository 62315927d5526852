"""Random probabilistic outputs, as records to write to files and as worlds for the reference."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Literal

import comparanda as cp
from comparanda import Result
from comparanda.core.candidates import Candidates
from tests.tasks.prob.reference import (
    ONE,
    ZERO,
    Block,
    Claim,
    cliques,
    components,
    entity_blocks,
    exact,
    exclusive_block,
    is_exclusive,
    nbest_block,
    softmax,
)

REGION = 7
"""Blocks of different regions of a text have nothing to do with each other."""

LABELS = ("A", "B", "C")
OVERLAPS = ("exclusive", "condition", "independent", "scale")
WORDS = "ab aBa "


@dataclass(frozen=True)
class Output:
    """What a system says: one record a document, and the same as worlds."""

    form: str
    records: tuple[dict[str, Any], ...]
    blocks: tuple[Block, ...]

    @property
    def exclusive(self) -> bool:
        return all(is_exclusive(block) for block in self.blocks)

    @property
    def clear(self) -> bool:
        """Whether no two worlds of a list are equally probable: no rule says which of them is decided."""
        for block in self.blocks:
            chances = sorted(p for world, p in block.items() if world and p)
            listed = self.form == "nbest" or not is_exclusive(block)
            if listed and any(high - low < exact("1e-8") for low, high in pairwise(chances)):
                return False
        return True


@dataclass(frozen=True)
class Case:
    """A key and the outputs of several systems."""

    texts: dict[str, str]
    key: frozenset[Claim]
    outputs: tuple[Output, ...]
    names: tuple[str, ...] = field(default=())

    def written(self, folder: Path) -> tuple[Path, dict[str, Path]]:
        """Write the files."""
        key = folder / "key.jsonl"
        lines(key, [key_record(name, text, self.key) for name, text in self.texts.items()])
        files = {}
        for number, output in enumerate(self.outputs):
            files[f"s{number}"] = folder / f"s{number}.jsonl"
            lines(files[f"s{number}"], output.records)
        return key, files


def compared(
    folder: Path, case: Case, decide: Literal["tuple", "hierarchical"] = "tuple", min_weight: float = 0.0
) -> Result:
    """Compare the outputs of a case by way of files."""
    key, files = case.written(folder)
    return cp.compare(key, files, task="prob", resamples=0, decide=decide, min_weight=min_weight)


def claims(run: Candidates, names: tuple[str, ...]) -> list[Claim]:
    """The tuples of a run, in its order."""
    rows = zip(run.document, run.begin, run.end, run.label, strict=True)
    return [Claim(names[document], int(begin), int(end), run.names[label]) for document, begin, end, label in rows]


def lines(path: Path, records: Any) -> None:
    path.write_text("".join(json.dumps(each) + "\n" for each in records))


def key_record(name: str, text: str, key: Any) -> dict[str, Any]:
    spans = [{"begin": each.begin, "end": each.end, "label": each.label} for each in key if each.document == name]
    return {"id": name, "text": text, "spans": spans}


def random_case(random: Random, systems: int = 10, forms: tuple[str, ...] = ("blocks", "entities", "nbest")) -> Case:
    """Draw a key of one to three documents and some outputs."""
    names = [f"d{number}" for number in range(random.randint(1, 3))]
    regions = {name: random.randint(1, 3) for name in names}
    texts = {name: "".join(random.choice(WORDS) for _ in range(REGION * regions[name] + 1)) for name in names}
    key = {
        claim
        for name in names
        for region in range(regions[name])
        for claim in [random_claim(random, name, region) for _ in range(random.choice((0, 1, 1, 2)))]
    }
    made = [
        random_output(random, form=random.choice(forms), texts=texts, regions=regions, key=sorted(key))
        for _ in range(systems)
    ]
    return Case(texts, frozenset(key), tuple(made))


def random_claim(random: Random, document: str, region: int) -> Claim:
    begin = region * REGION + random.randint(0, 3)
    return Claim(document, begin, begin + random.randint(1, 3), random.choice(LABELS))


def likely_claim(random: Random, document: str, region: int, key: list[Claim]) -> Claim:
    """Draw a claim that the key may well have."""
    near = [each for each in key if each.document == document and each.begin // REGION == region]
    return random.choice(near) if near and random.random() < 0.5 else random_claim(random, document, region)


def random_output(
    random: Random, form: str, texts: dict[str, str], regions: dict[str, int], *, key: list[Claim]
) -> Output:
    """Draw what one system says, its documents in any order."""
    options = {
        "overlap": random.choice(OVERLAPS),
        "label_semantics": random.choice(("exclusive", "exclusive", "independent")),
        "residual": random.choice(("drop", "drop", "other", "renormalise")),
        "steps": random.choice((8, 100, 1000)),
    }
    made = {"blocks": blocks_record, "entities": entities_record, "nbest": nbest_record}[form]
    records, blocks = [], []
    for name in random.sample(sorted(texts), len(texts)):
        record, worlds = made(random, name=name, regions=regions[name], key=key, options=options)
        records.append({"doc": name, "text": texts[name], **record})
        blocks += worlds
    return Output(form, tuple(records), tuple(blocks))


def shares(random: Random, count: int, steps: int) -> list[Fraction]:
    """Draw probabilities that sum to at most one; at times to one, at times with zeros."""
    cuts = sorted(random.randint(0, steps) for _ in range(count))
    if random.random() < 0.4:
        cuts[-1] = steps
    return [Fraction(high - low, steps) for low, high in zip([0, *cuts], cuts, strict=False)]


def blocks_record(
    random: Random, name: str, regions: int, key: list[Claim], *, options: dict[str, Any]
) -> tuple[dict[str, Any], list[Block]]:
    made, worlds = [], []
    for region in range(regions):
        spans = [likely_claim(random, name, region, key).span for _ in range(random.randint(1, 3))]
        block = []
        for span, p in zip(spans, shares(random, len(spans), options["steps"]), strict=True):
            labels = random.sample(LABELS, random.randint(1, 3))
            parts = dict(zip(labels, shares(random, len(labels), options["steps"]), strict=True))
            if sum(parts.values()) == 0:
                parts[labels[0]] = ONE
            block.append((span, p, parts))
        worlds.append(exclusive_block(block, options["residual"]))
        made.append({"alternatives": [alternative(*each) for each in block]})
    return {"residual": options["residual"], "blocks": made}, worlds


def alternative(span: tuple[str, int, int], p: Fraction, labels: dict[str, Fraction]) -> dict[str, Any]:
    parts = {label: float(share) for label, share in labels.items()}
    return {"start": span[1], "end": span[2], "p": float(p), "labels": parts}


def entities_record(
    random: Random, name: str, regions: int, key: list[Claim], *, options: dict[str, Any]
) -> tuple[dict[str, Any], list[Block]]:
    claims = {likely_claim(random, name, region, key) for region in range(regions) for _ in range(random.randint(0, 4))}
    steps = options["steps"]
    scored = {claim: Fraction(random.randint(1, steps - 1), steps) for claim in sorted(claims)}
    if options["overlap"] == "exclusive":
        scored = fitting(scored, options)
    record = {
        "overlap": options["overlap"],
        "label_semantics": options["label_semantics"],
        "entities": [
            {"start": claim.begin, "end": claim.end, "label": claim.label, "score": float(p)}
            for claim, p in scored.items()
        ],
    }
    return record, entity_blocks(scored, options["overlap"], options["label_semantics"])


def fitting(scored: dict[Claim, Fraction], options: dict[str, Any]) -> dict[Claim, Fraction]:
    """Make scores small enough that they can be kept, still of a few digits."""
    found = dict(scored)
    for component in components(list(scored)):
        most = max(sum((scored[claim] for claim in group), ZERO) for group in cliques(component))
        if most > 1:
            for claim in component:
                steps = options["steps"] * 10
                found[claim] = Fraction(max(int(scored[claim] / most * steps), 1), steps)
    return found


def nbest_record(
    random: Random, name: str, regions: int, key: list[Claim], *, options: dict[str, Any]
) -> tuple[dict[str, Any], list[Block]]:
    worlds = []
    for _ in range(random.randint(1, 5)):
        world: set[Claim] = set()
        for region in range(regions):
            for _ in range(random.choice((0, 1, 1, 2))):
                claim = likely_claim(random, name, region, key)
                if not any(claim.overlaps(other) for other in world):
                    world.add(claim)
        worlds.append(frozenset(world))
    listed = [{"spans": [[claim.begin, claim.end, claim.label] for claim in sorted(world)]} for world in worlds]  # type: list[dict[str, Any]]
    if random.random() < 0.5:
        logs = [round(random.uniform(-5, 0), 3) for _ in worlds]
        coverage = random.choice((1.0, 0.75))
        for each, number in zip(listed, logs, strict=True):
            each["logp"] = number
        record = {"nbest": listed, **({"coverage": coverage} if coverage < 1 else {})}
        return record, [nbest_block(list(zip(softmax(logs, coverage), worlds, strict=True)))]
    chances = shares(random, len(worlds), options["steps"])
    for each, p in zip(listed, chances, strict=True):
        each["p"] = float(p)
    return {"nbest": listed}, [nbest_block(list(zip(chances, worlds, strict=True)))]

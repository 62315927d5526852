"""Probabilistic entities: 100,000 blocks from files to scores, against `json.loads` of the lines."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.timing import cpu_seconds

BLOCKS = 100_000
A_DOCUMENT = 20
LABELS = ("PER", "LOC", "ORG", "MISC")
BAR = 10

Report = Callable[..., None]
Spans = list[dict[str, Any]]


def write(folder: Path, blocks: int = BLOCKS, seed: int = 13) -> tuple[Path, Path]:
    """Write a key, and an output with one to three alternatives a block, of one or two labels each."""
    draw = random.Random(seed)
    words = [f"w{number}" for number in range(5_000)]
    key, output = folder / "prob-key.jsonl", folder / "prob-output.jsonl"
    with key.open("w") as gold, output.open("w") as system:
        for number in range(blocks // A_DOCUMENT):
            chosen = [draw.choice(words) for _ in range(8 * A_DOCUMENT)]
            places, begin = [], 0
            for word in chosen:
                places.append((begin, begin + len(word)))
                begin += len(word) + 1
            made = [_alternatives(places[first : first + 8], draw) for first in range(0, len(places), 8)]
            spans = [_one_of(each, draw) for each in made if draw.random() < 0.7]
            text = " ".join(chosen)
            gold.write(json.dumps({"id": f"d{number}", "text": text, "spans": spans}) + "\n")
            blocks_of = [{"alternatives": each} for each in made]
            system.write(json.dumps({"doc": f"d{number}", "text": text, "blocks": blocks_of}) + "\n")
    return key, output


def _alternatives(places: list[tuple[int, int]], draw: random.Random) -> Spans:
    """Return spans that begin together and exclude each other."""
    found: Spans = []
    first, left = draw.randrange(4), 1.0
    for size in range(draw.choice((1, 2, 2, 3))):
        p = round(left * draw.uniform(0.2, 0.8), 4)
        left -= p
        labels, share = draw.sample(LABELS, draw.choice((1, 2))), round(draw.uniform(0.5, 0.95), 3)
        shares = dict(zip(labels, (1.0,) if len(labels) == 1 else (share, round(1 - share, 3)), strict=True))
        found.append({"start": places[first][0], "end": places[first + size][1], "p": p, "labels": shares})
    return found


def _one_of(alternatives: Spans, draw: random.Random) -> dict[str, Any]:
    chosen = draw.choice(alternatives)
    return {"begin": chosen["start"], "end": chosen["end"], "label": draw.choice(list(chosen["labels"]))}


def loads(path: Path) -> Callable[[], int]:
    """Decode all lines with the standard library: what a script would begin with."""

    def run() -> int:
        with path.open() as stream:
            return sum(1 for line in stream if json.loads(line))

    return run


def ours(key: Path, output: Path) -> Callable[[], object]:
    """Go from files to the scores."""
    from comparanda.api.comparison import compare

    return lambda: compare(str(key), {"s": str(output)}, task="prob", resamples=0).scores()


def bench_probabilistic(folder: Path, report: Report) -> None:
    """Time 100,000 blocks, read and scored."""
    key, output = write(folder)
    best = cpu_seconds({"json.loads": loads(output), "ours": ours(key, output)})
    ratio = best["ours"] / best["json.loads"]
    what = f"{BLOCKS // 1000}k blocks read and scored {best['ours']:.2f} s / json.loads {best['json.loads']:.2f} s"
    report(what, ratio, f"≤ {BAR}", met=ratio <= BAR)

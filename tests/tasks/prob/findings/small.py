"""Small probabilistic outputs in files: spans of single letters, each with its probability."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import comparanda as cp
from comparanda import Result

TEXT = "a b c d e f g h i j"

Block = Mapping[str, float]
"""Letters with a label, such as `a:PER`, each with its probability; they exclude each other."""


def span(written: str) -> dict[str, Any]:
    """Write a span: `c:PER` is one letter, `ac:PER` reaches from the first to the second."""
    letters, _, label = written.partition(":")
    begin, end = TEXT.index(letters[0]), TEXT.index(letters[-1]) + 1
    return {"begin": begin, "end": end, "label": label or "PER"}


def alternatives(block: Block) -> list[dict[str, Any]]:
    """Write a block; labels of one span share its probability."""
    spans: dict[tuple[int, int], dict[str, float]] = {}
    for written, weight in block.items():
        each = span(written)
        spans.setdefault((each["begin"], each["end"]), {})[each["label"]] = weight
    found = []
    for (begin, end), labels in spans.items():
        p = sum(labels.values())
        shares = {label: weight / p if p else 1 / len(labels) for label, weight in labels.items()}
        found.append({"start": begin, "end": end, "p": p, "labels": shares})
    return found


def compared(
    folder: Path,
    key: Mapping[str, Sequence[str]],
    systems: Mapping[str, Mapping[str, Sequence[Block]]],
    **options: Any,
) -> Result:
    """Compare outputs with a key, both by document."""
    gold = folder / "key.jsonl"
    records = ({"id": name, "text": TEXT, "spans": [span(each) for each in spans]} for name, spans in key.items())
    gold.write_text("".join(json.dumps(record) + "\n" for record in records))
    paths = {}
    for system, documents in systems.items():
        paths[system] = folder / f"{system}.jsonl"
        lines = (
            {"doc": name, "text": TEXT, "blocks": [{"alternatives": alternatives(each)} for each in documents[name]]}
            for name in key
        )
        paths[system].write_text("".join(json.dumps(line) + "\n" for line in lines))
    return cp.compare(gold, paths, task="prob", **{"resamples": 0, **options})


def one(folder: Path, key: Sequence[str], blocks: Sequence[Block], **options: Any) -> Result:
    """Compare one document of one system."""
    return compared(folder, {"d": key}, {"out": {"d": blocks}}, **options)

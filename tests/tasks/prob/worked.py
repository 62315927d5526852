"""The worked examples of DEFINITIONS 9 as files: blocks of spans with labels, some of which the key has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.shared_data import shared

Block = list[dict[str, Any]]


def examples() -> dict[str, Any]:
    """Return the worked examples."""
    found: dict[str, Any] = json.loads(shared("data/probabilistic/worked-examples.json").read_text())
    return found


def written(folder: Path, blocks: list[Block], key: int, **fields: Any) -> tuple[Path, Path]:
    """Write the key and the output of an example: each span stands alone, and its labels are called by numbers."""
    spans, made, begin = [], [], 0
    for block in blocks:
        alternatives = []
        for width, each in enumerate(block, start=1):
            labels = {f"L{number}": label["p"] for number, label in enumerate(each["labels"])}
            alternatives.append({"start": begin, "end": begin + width, "p": each["p"], "labels": labels})
            spans += [
                {"begin": begin, "end": begin + width, "label": f"L{number}"}
                for number, label in enumerate(each["labels"])
                if label["correct"]
            ]
        made.append({"alternatives": alternatives})
        begin += 10
    for _ in range(key - len(spans)):  # entities of the key that the output does not have
        spans.append({"begin": begin, "end": begin + 1, "label": "L0"})
        begin += 10
    text = "x" * (begin + 1)
    gold, output = folder / "key.jsonl", folder / "out.jsonl"
    gold.write_text(json.dumps({"id": "d", "text": text, "spans": spans}) + "\n")
    output.write_text(json.dumps({"doc": "d", "text": text, "blocks": made, **fields}) + "\n")
    return gold, output

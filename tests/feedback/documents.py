"""Three small documents with a probabilistic output, as files and as a result."""

from __future__ import annotations

import json
from pathlib import Path

from comparanda.api.comparison import compare
from comparanda.result import Result


def texts_and_blocks(folder: Path) -> Result:
    """Write three documents: Ann three times, once in two labels, Bo twice, and Ely once, all uncertain but one."""
    said = {
        "d1": ("Ann met Bo", [("Ann", {"PER": 0.6, "ORG": 0.3}), ("Bo", {"PER": 0.4})]),
        "d2": ("ann left Ely", [("ann", {"PER": 0.5}), ("Ely", {"LOC": 1.0})]),
        "d3": ("Bo saw ANN", [("Bo", {"PER": 0.7}), ("ANN", {"ORG": 0.5})]),
    }
    right = {("d1", "Ann"): "PER", ("d1", "Bo"): "PER", ("d2", "Ely"): "PER", ("d3", "Bo"): "PER", ("d3", "saw"): "LOC"}
    gold, output = [], []
    for name, (text, blocks) in said.items():
        places = {word: text.index(word) for word in text.split()}
        spans = [
            {"begin": places[word], "end": places[word] + len(word), "label": label}
            for (document, word), label in right.items()
            if document == name
        ]
        made = [
            {"alternatives": [{"start": places[word], "end": places[word] + len(word), "p": sum(labels.values()),
                               "labels": {label: p / sum(labels.values()) for label, p in labels.items()}}]}
            for word, labels in blocks
        ]  # fmt: skip
        gold.append(json.dumps({"id": name, "text": text, "spans": spans}))
        output.append(json.dumps({"doc": name, "text": text, "blocks": made}))
    (folder / "key.jsonl").write_text("\n".join(gold) + "\n")
    (folder / "out.jsonl").write_text("\n".join(output) + "\n")
    return compare(str(folder / "key.jsonl"), {"crf": str(folder / "out.jsonl")}, task="prob", resamples=0)

"""Whatever happens to a file: it is read, or refused with a paragraph. Never anything else."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from comparanda.errors import InputError, UsageError
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from tests.formats.test_damaged_formats import damaged

TEXT = "Anna of New York left Paris."
FILES: dict[str, dict[str, Any]] = {
    "blocks": {
        "blocks": [{"alternatives": [{"start": 0, "end": 4, "p": 0.5, "labels": {"PER": 0.6, "ORG": 0.3}}]}],
        "residual": "other",
    },
    "entities": {
        "overlap": "condition",
        "entities": [
            {"start": 0, "end": 5, "label": "A", "score": 0.5},
            {"start": 3, "end": 8, "label": "B", "score": 0.5},
            {"start": 7, "end": 9, "label": "C", "score": 0.9},
        ],
    },
    "nbest": {"nbest": [{"logp": -0.1, "spans": [[0, 4, "PER"]]}, {"logp": -2.0, "spans": []}], "coverage": 0.9},
    "tokens": {
        "tokens": [
            {"start": 0, "end": 4, "probs": {"B-X": 0.7, "O": 0.3}},
            {"start": 5, "end": 7, "probs": {"I-X": 0.4}},
        ]
    },
    "words": {"text": None, "tokens": ["Anna", "left"], "dist": [{"B-X": 0.7}, {"I-X": 0.4, "O": 0.6}], "floor": 0.1},
}


def lines(name: str) -> bytes:
    records = [{"doc": f"d{number}", "text": TEXT, **FILES[name]} for number in range(2)]
    return "\n".join(json.dumps(each) for each in records).encode()


def try_reading(name: str, path: Path, draw: random.Random) -> bool:
    """Damage a file and read it; return whether it can be read still."""
    path.write_bytes(damaged(lines(name), draw))
    try:
        corpus = read_input(Input.parse(f"{path}::probabilistic"), Request(side="x", layer="beliefs"), "tokens")
    except (InputError, UsageError):
        return False
    beliefs = corpus.beliefs
    assert beliefs is not None
    assert ((beliefs.weight >= 0) & (beliefs.weight <= 1)).all()
    return True


@pytest.mark.parametrize("name", FILES)
def test_damage_is_refused_or_read(name: str, tmp_path: Path) -> None:
    draw = random.Random(name)
    assert {try_reading(name, tmp_path / "d.jsonl", draw) for _ in range(150)} == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_much_damage_is_refused_or_read(name: str, tmp_path: Path) -> None:
    draw = random.Random(f"{name} again")
    for _ in range(4000):
        try_reading(name, tmp_path / "d.jsonl", draw)

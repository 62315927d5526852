"""Notes on outputs that look wrong as a whole: tests/test_mistakes.py shows each; here is when nothing is said."""

from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import comparanda as cp
from comparanda.tasks.systematic_errors import _matches_by_chance, is_systematic
from tests.seeds import seeds
from tests.test_mistakes import LABELS, MISTAKES, ROWS, Mistake, write_labels, write_records, write_rows

Tags = list[list[tuple[str, str]]]


@pytest.mark.parametrize("seed", range(20))
def test_chance_is_the_mean_over_all_orders(seed: int) -> None:
    draw = random.Random(seed)
    key, values = ([draw.randrange(3) for _ in range(6)] for _ in range(2))
    right = [sum(map(int.__eq__, key, each)) for each in permutations(values)]
    counts = (np.bincount(each, minlength=3).astype(float) for each in (key, values))
    assert _matches_by_chance(*counts) == pytest.approx((np.mean(right), np.std(right)))


def weaken(tags: Tags, draw: random.Random) -> Tags:
    """Lose and relabel a third of the names: a weak system, but an honest one."""

    def change(tag: str) -> str:
        if tag == "O" or draw.random() < 0.67:
            return tag
        return "O" if draw.random() < 0.5 else tag[:2] + draw.choice(["PER", "LOC", "ORG"])

    return [[(word, change(tag)) for word, tag in sentence] for sentence in tags]


@pytest.mark.parametrize("seed", seeds(4, of=60))
def test_nothing_is_said_about_weak_systems(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    key, output = (write_rows(tmp_path / name, rows) for name, rows in (("key", ROWS), ("out", weaken(ROWS, draw))))
    result = cp.compare(f"{key}::columns", {"weak": f"{output}::columns"}, task="span", resamples=0)
    assert not [note for note in result.notes if is_systematic(note.what)]
    labels = [(name, label if draw.random() < 0.6 else draw.choice(["billing", "tech"])) for name, label in LABELS]
    key, output = (write_labels(tmp_path / f"{name}.csv", rows) for name, rows in (("key", LABELS), ("out", labels)))
    result = cp.compare(str(key), {"weak": str(output)}, task="label", resamples=0)
    assert not [note for note in result.notes if is_systematic(note.what)]


def test_a_document_cut_off_is_noted(tmp_path: Path) -> None:
    """One document of three has its last twelve names no more; the others are whole."""
    records = []
    for number in range(3):
        text = "Nokia and " * 20
        records.append({"id": f"d{number}", "text": text, "spans": [
            {"start": 10 * place, "end": 10 * place + 5, "label": "ORG"} for place in range(20)
        ]})  # fmt: skip
    cut = [{**record, "spans": record["spans"][: 8 if number == 1 else 20]} for number, record in enumerate(records)]
    key, output = (write_records(tmp_path / f"{name}.jsonl", each) for name, each in (("key", records), ("out", cut)))
    result = cp.compare(str(key), {"cut": str(output)}, task="span", resamples=0)
    expected = "cut: documents in which the output stops early; were their texts cut off?: 1"
    assert expected in list(map(str, result.notes))


def test_a_repeated_name_is_no_span_in_pieces(tmp_path: Path) -> None:
    """Ten times two names side by side, each an entity of its own."""
    text = "Ann Bob . " * 10
    spans = [
        {"start": 10 * n + begin, "end": 10 * n + begin + 3, "label": "PER"} for n in range(10) for begin in (0, 4)
    ]
    key, output = (
        write_records(tmp_path / f"{name}.jsonl", [{"id": "d", "text": text, "spans": each}])
        for name, each in (("key", spans), ("out", spans[:-2]))
    )
    result = cp.compare(str(key), {"a": str(output)}, task="span", resamples=0)
    assert not [note for note in result.notes if is_systematic(note.what)]


@pytest.mark.parametrize("mistake", [
    mistake for mistake in MISTAKES if mistake.name in {
        "tags one row late", "two labels swapped", "every label the next", "each word a span", "nothing", "only half",
    }
], ids=lambda mistake: mistake.name.replace(" ", "-"))  # fmt: skip
@pytest.mark.parametrize("memory", [None, 1])
def test_notes_are_the_same_in_parts(mistake: Mistake, memory: int | None, tmp_path: Path) -> None:
    """In twenty parts, none of them large enough for a note of its own, and with agreed sites as counts."""
    key, output, other = (
        mistake.write(tmp_path / f"{name}.{mistake.suffix}", rows)
        for name, rows in (("key", mistake.key), ("out", mistake.output), ("other", mistake.key))
    )
    given = {"sys": str(output), "other": str(other)}
    whole = cp.compare(str(key), given, task=mistake.task, resamples=0)
    parts = cp.compare(
        str(key), given, task=mistake.task, resamples=0, part=key.stat().st_size // 20, memory=memory,
        folder=str(tmp_path / "result"),
    )  # fmt: skip
    assert [str(note) for note in parts.notes] == [str(note) for note in whole.notes]
    assert any(is_systematic(note.what) for note in whole.notes)

"""The tags of spans, scored as tags of words, are noted."""

from __future__ import annotations

from pathlib import Path

import pytest

import comparanda as cp
from tests.command import run

NOTE = "chunk tags of spans, each scored as the tag of a word; use --task span to score spans"


def noted(*tags: str) -> list[str]:
    found = cp.compare(list(tags), {"a": list(tags)}, task="tag", resamples=0)
    return [str(note) for note in found.notes if note.what == NOTE]


def test_chunk_tags_are_noted_on_each_side_with_their_number() -> None:
    assert noted("B-PER", "I-PER", "O", "S-LOC") == [
        f"key: {NOTE}: 3 (<key>:1, <key>:2, <key>:4)",
        f"a: {NOTE}: 3 (<a>:1, <a>:2, <a>:4)",
    ]


@pytest.mark.parametrize(
    "tags",
    [
        ["NOUN", "VERB", "X"],
        ["O", "O"],
        ["B-PER", "NN"],
        ["E-PER", "S-PER"],
        ["B", "I", "O"],
        ["B-", "O"],
        ["B-PER", "_"],
    ],
)
def test_other_tags_are_not(tags: list[str]) -> None:
    assert noted(*tags) == []


@pytest.mark.parametrize("task", ["pos", "tag:2"])
def test_so_are_those_of_a_named_column(task: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("key", "a"):
        (tmp_path / f"{name}.bio").write_text("Anna B-PER\nran O\n\nOslo B-LOC\n")
    told = run(capsys, "score", tmp_path / "key.bio", tmp_path / "a.bio", "--task", task, "--resamples", "0")
    assert f"note: a: {NOTE}: 2 ({tmp_path}/a.bio:1, {tmp_path}/a.bio:4)" in told.err

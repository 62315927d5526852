"""Large differentials: the whole pipeline on a generated corpus against a plain recount of its files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import conllu
import pytest
from benchmarks import corpora

from comparanda import compare

TOKENS = 300_000


def tags(path: Path) -> list[str]:
    """The tags of a file, as the `conllu` package reads it."""
    with path.open(encoding="utf-8") as stream:
        return [str(token["upos"]) for sentence in conllu.parse_incr(stream) for token in sentence]


@pytest.mark.slow
def test_a_large_corpus_gives_what_a_plain_recount_gives(tmp_path: Path) -> None:
    key_path, *paths = corpora.write(tmp_path, TOKENS)
    systems = {f"s{number}": path for number, path in enumerate(paths, start=1)}
    result = compare(str(key_path), {name: str(path) for name, path in systems.items()}, task="pos", resamples=0)
    key = tags(key_path)
    outputs = {name: tags(path) for name, path in systems.items()}
    assert len(key) == TOKENS
    for name, values in outputs.items():
        assert result.scores().value(name) == sum(map(str.__eq__, key, values)) / TOKENS
    solved = Counter(sum(value == gold for value in row) for gold, *row in zip(key, *outputs.values(), strict=True))
    assert [row.count for row in result.combination().hardness] == [solved[number] for number in range(6)]
    for base, new in (("s1", "s5"), ("s4", "s2")):
        changes = Counter(
            (gold, old, fresh)
            for gold, old, fresh in zip(key, outputs[base], outputs[new], strict=True)
            if old != fresh
        )
        found = result.difference(base, new)
        rows = [row for each in found.classes for row in each.transitions]
        assert {(row.key, row.base, row.new): row.count for row in rows} == changes
        assert found.different == sum(changes.values())

"""Chains from every format that has them to every other, and back: nothing changes unsaid."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

import comparanda as cp
from comparanda.core.corpus import Spans
from comparanda.core.text_columns import TextColumn
from comparanda.formats.document_writer import Losses, Passage, find_writers, list_passages
from tests.formats.writers.chained import (
    content,
    document,
    kept_once,
    mention,
    random_chains,
    read_chains,
    there_and_back,
    written,
)
from tests.formats.writers.documents import read_files
from tests.seeds import mostly_slow
from tests.shared_data import shared

FORMATS = sorted(name for name, writer in find_writers().items() if "chains" in writer.layers)

GAPS = "the gaps of discontinuous spans: they are written as contiguous spans"
WORDLESS = "mentions without words, such as zeros"
CROSSING = "chains of spans that cross another span of their chain"
KEPT = "the order of chains that share a mention"
HARMLESS = {"ends of sentences inside spans", "names of chains, which several documents share"}
"""Losses by which no chain has other mentions."""


def test_the_formats_of_chains() -> None:
    assert FORMATS == ["brat", "clusters", "conll2012", "conllu", "jsonl"]


@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("source", FORMATS)
def test_a_pair(source: str, target: str, tmp_path: Path) -> None:
    for seed in range(6):
        draw = random.Random(f"{source} {target} {seed}")
        documents = random_chains(draw, pieces=seed % 2 == 0, zeros=seed % 3 == 0 and "brat" not in {source, target})
        path = written(source, documents, tmp_path / f"{seed}-1")
        first = [*list_passages(read_chains(path, source), Losses(), chained=True)]
        second, losses = there_and_back(target, first, tmp_path / f"{seed}-2")
        _compare(first, second, {*losses} - HARMLESS)


def _compare(first: list[Passage], second: list[Passage], losses: set[str]) -> None:
    """Compare documents with what they have become: they are the same if nothing is said to be lost, and else not."""
    assert losses <= {GAPS, WORDLESS, CROSSING, KEPT}
    assert (content(first) == content(second)) is (not losses - {KEPT})
    if not losses:
        assert sorted(map(kept_once, first)) == sorted(map(kept_once, second))


OTHERS = sorted(find_writers().keys() - {*FORMATS})


@pytest.mark.parametrize("target", OTHERS)
def test_formats_that_know_no_chains_keep_their_names_or_say_that_they_do_not(target: str, tmp_path: Path) -> None:
    passage = document("Anna saw her cat", mention(0, 4, chain="1"), mention(9, 12, chain="1"), mention(13, 16))
    passage = replace(passage, mentions=tuple(replace(each, label="PER") for each in passage.mentions))
    writer, losses = find_writers()[target], Losses()
    for name, text in writer.write([passage], losses, {}):
        data = text.encode() if writer.encode is None else writer.encode(text)
        (tmp_path / (name or f"out{writer.suffix}")).write_bytes(data)
    name = "" if writer.many else f"out{writer.suffix}"
    options = {"elevant": "?label=type&annotations=labels"}.get(target, "")
    spans = read_files(tmp_path, f"{name}::{target}{options}").spans
    assert spans is not None
    if "chain" in spans.columns:
        assert said(spans, "chain") == ["1", "1", None]
    else:
        assert "not written: 'chain' of spans" in [note.what for note in losses.notes("x")]


def said(spans: Spans, name: str) -> list[str | None]:
    """Return a column of texts."""
    column = spans.columns[name]
    assert isinstance(column, TextColumn)
    return column.values()


METRICS = ("conll", "muc", "b3", "ceafe", "ceafm", "blanc", "lea", "mentions")

REAL = {
    "OntoGUM": "data/coref/gum/gold/ontogum.key.conll",
    "GUM as CoNLL-U": "data/coref/gum/gold/conllu",
    "LitBank": "data/coref/litbank/litbank6.key.conll",
    "ECB+ across documents": "data/coref/event_ecbp/gold.cross_doc.conll",
    "an output with nested and repeated mentions": "data/coref/gum/systems/xrenner.gum.response.conll",
}
"""Real files: without and with singletons, with heads, long documents, chains of several documents."""


@pytest.mark.parametrize("corpus", mostly_slow(REAL, {"GUM as CoNLL-U"}))
def test_real_files_score_as_themselves(corpus: str, tmp_path: Path) -> None:
    path = shared(REAL[corpus])
    source = "conllu" if path.is_dir() else "conll2012"
    documents = [*list_passages(read_chains(path, source), Losses(), chained=True)]
    copies = {name: f"{written(name, documents, tmp_path / name)}::{name}" for name in FORMATS}
    found = cp.compare(f"{path}::{source}", copies, task="coref", resamples=0).scores(*METRICS).scores
    assert {(each.system, each.measure): each.value for each in found} == {
        (name, metric): pytest.approx(1.0) for name in FORMATS for metric in METRICS
    }

"""What is written from real inputs, from folders, packed files and pipes, fits them and scores as it did before."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import comparanda
from comparanda.align import NONE, align_responses
from comparanda.core.corpus import Corpus
from comparanda.demo import copy_demo
from tests.command import run
from tests.formats.writers.row_files import read_rows, seen, text_of, with_system
from tests.formats.writers.test_rows import CONLLU, refusal, stored
from tests.seeds import first_few
from tests.shared_data import shared


def pipe(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    class Stdin:
        buffer = io.BytesIO(data)

    monkeypatch.setattr(sys, "stdin", Stdin)


def test_packed_files_and_folders_and_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unmarked = CONLLU.replace("# newdoc id = first\n", "").replace("# newdoc id = second\n", "")
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    (folder / "one.conllu.gz").write_bytes(gzip.compress(unmarked.encode()))
    stored(folder, CONLLU, "two.conllu")
    stored(folder / "below", unmarked, "one.conllu")
    pipe(monkeypatch, CONLLU.encode())
    for given, sites in ((folder, 12), (folder / "one.conllu.gz", 4), ("-", 4)):
        key = read_rows(given, column="upos")
        out = stored(tmp_path, text_of(with_system(key, ["ADP", "DET", "NOUN", "X"] * (sites // 4))), "out.conllu")
        back = read_rows(out, column="upos")
        assert seen(back) == seen(key)
        pipe(monkeypatch, CONLLU.encode())
        outcome = run(capsys, "validate", given, out, "--task", "pos")
        assert (outcome.code, outcome.out, outcome.err) == (0, f"out: can be aligned with the key, {sites} sites\n", "")


# Real files: what is written scores as what was read


def on_key(key: Corpus, system: Corpus) -> Corpus:
    """Return the key with the values and heads of a system; a word that the system does not have has none."""
    to_response = align_responses(key, [system]).maps[0].to_response
    rows = list(range(len(key))) if to_response is None else to_response.tolist()
    values = system.columns["value"].values()
    heads = None
    if system.arcs is not None:
        assert to_response is None
        heads = system.arcs.head.tolist()
    return with_system(key, [None if row == NONE else values[row] for row in rows], heads)


def assert_scores_stay(key: str, system: str, task: str, tmp_path: Path, **asked: Any) -> None:
    written = text_of(on_key(read_rows(key, **asked), read_rows(system, **asked)), asked.get("column"))
    out = stored(tmp_path, written, "out")
    tail = key.partition("::")[2]
    found = comparanda.compare(key, {"a": system, "b": f"{out}::{tail}" if tail else str(out)}, task=task, resamples=0)
    scores = found.scores()
    assert scores.value("a") == scores.value("b")
    assert found.difference("a", "b").diff == 0


@pytest.mark.parametrize(("name", "column"), [("brill", "upos"), ("hanta", "xpos"), ("spacy", "xpos")])
def test_the_demo(name: str, column: str, tmp_path: Path) -> None:
    copy_demo(str(tmp_path / "demo"))
    key, system = (str(tmp_path / f"demo/{each}.conllu") for each in ("key", name))
    assert_scores_stay(key, system, f"tag:{column}", tmp_path, column=column)


EWT = "data/ud/en_ewt"


@pytest.mark.parametrize(
    ("name", "task", "asked"),
    first_few(
        1,
        [
            ("spacy-en_core_web_sm-3.8.0", "pos", {"column": "upos"}),
            ("spacy-en_core_web_sm-3.8.0", "tag:feats", {"column": "feats"}),
            ("spacy2-en_ud_model_sm-1.1.0", "tag:lemma", {"column": "lemma"}),
            ("spacy2-en_ud_model_sm-1.1.0", "dep", {"column": "deprel", "layer": "arcs"}),
        ],
    ),
)
def test_a_treebank(name: str, task: str, asked: dict[str, Any], tmp_path: Path) -> None:
    key = str(shared(f"{EWT}/gold/en_ewt-ud-test.conllu"))
    assert_scores_stay(key, str(shared(f"{EWT}/systems/{name}.conllu")), task, tmp_path, **asked)


def test_words_that_a_system_cuts_otherwise_are_refused() -> None:
    key, system = (
        read_rows(shared(f"data/ud/conll2018/{name}/en_gum.conllu"), column="upos")
        for name in ("gold", "systems/UDPipe-Future")
    )
    assert "4 of the 1,033 words of document 'GUM_academic_discrimination' have no value" in refusal(
        on_key(key, system)
    )


def label_rows(seed: int) -> list[tuple[str, str]]:
    draw = np.random.default_rng(seed)
    return [(f"id{number}", str(draw.choice(["x", "y", "a;b", "b"]))) for number in range(200)]


def as_csv(rows: list[tuple[str, str]]) -> str:
    return "".join(f"{name},{label}\n" for name, label in [("id", "label"), *rows])


def as_tsv(rows: list[tuple[str, str]]) -> str:
    return as_csv(rows).replace(",", "\t")


def as_json(rows: list[tuple[str, str]]) -> str:
    return "".join(f'{{"id": "{name}", "label": "{label}"}}\n' for name, label in rows)


@pytest.mark.parametrize("options", ["", "?split=;"])
@pytest.mark.parametrize(("format_name", "made"), [("csv", as_csv), ("tsv", as_tsv), ("jsonl", as_json)])
def test_labels(format_name: str, made: Callable[[list[tuple[str, str]]], str], options: str, tmp_path: Path) -> None:
    key = stored(tmp_path, made(label_rows(1)), f"key.{format_name}")
    system = stored(tmp_path, made(label_rows(2)[::-1]), f"system.{format_name}")
    tail = f"::{format_name}{options}"
    assert_scores_stay(f"{key}{tail}", f"{system}{tail}", "label", tmp_path, shape="rows")

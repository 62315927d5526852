"""Chains across documents: all in one topic, by the names of documents, or by what is said of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import comparanda as cp
from comparanda.errors import UsageError
from comparanda.result import Result
from tests.shared_data import shared

DOCUMENTS = {"1_a": "(1) (2) -", "1_b": "(1) - (2)", "2_a": "(1) (1) -"}


def text(documents: dict[str, str]) -> str:
    lines = []
    for name, cells in documents.items():
        words = [f"w{place}\t{cell}" for place, cell in enumerate(cells.split())]
        lines += [f"#begin document ({name});", *words, "", "#end document"]
    return "\n".join([*lines, ""])


def compared(folder: Path, response: dict[str, str], across: str | None, key: dict[str, str] = DOCUMENTS) -> Result:
    (folder / "key.conll").write_text(text(key))
    (folder / "response.conll").write_text(text(response))
    names = str(folder / "key.conll"), {"r": str(folder / "response.conll")}
    return cp.compare(*names, task="coref", resamples=0, across=across)


def links(result: Result) -> list[list[float]]:
    """Return the key's links of MUC and those found, by unit."""
    statistics = result.verdicts.view("any").statistics
    return [statistics[name][:, 0].tolist() for name in ("muc_key", "muc_found")]


def test_without_topics_a_chain_ends_with_its_document(tmp_path: Path) -> None:
    result = compared(tmp_path, DOCUMENTS, None)
    assert links(result) == [[0, 0, 1], [0, 0, 1]]
    assert (result.verdicts.units.kind, result.verdicts.units.count) == ("document", 3)


def test_topics_by_the_names_of_documents(tmp_path: Path) -> None:
    """Chain 1 of topic 1 has two mentions, in two documents; that of topic 2 is another one."""
    result = compared(tmp_path, DOCUMENTS, "until:_")
    assert links(result) == [[2, 1], [2, 1]]
    assert result.verdicts.units.names == ("1", "2")


def test_one_topic_of_all_documents(tmp_path: Path) -> None:
    result = compared(tmp_path, DOCUMENTS, "all")
    assert links(result) == [[4], [4]]
    assert result.verdicts.units.kind == "topic"


def test_a_link_across_documents_can_be_wrong(tmp_path: Path) -> None:
    response = {**DOCUMENTS, "1_b": "(2) - (2)"}
    result = compared(tmp_path, response, "until:_")
    assert links(result) == [[2, 1], [1, 1]]
    values = {name for name in result.verdicts.view("any_antecedents").sites.names if name.startswith("wl")}
    assert values == {"wl 1_a:1+1"}


def test_documents_of_a_topic_need_not_stand_together(tmp_path: Path) -> None:
    key = {name: DOCUMENTS[name] for name in ("1_a", "2_a", "1_b")}
    result = compared(tmp_path, key, "until:_", key)
    assert links(result) == [[2, 1], [2, 1]]


def test_a_document_that_the_key_does_not_have_is_in_the_topic_that_its_name_says(tmp_path: Path) -> None:
    """Chain 1 of topic 1 has four mentions in the response, so three links, of which the key has one."""
    result = compared(tmp_path, {**DOCUMENTS, "1_c": "(1) (1)", "3_a": "(1) (1)"}, "until:_")
    assert links(result) == [[2, 1, 0], [2, 1, 0]]
    assert result.verdicts.units.names == ("1", "2", "3")
    assert result.scores("muc_precision").value("r") == 3 / 6


def test_an_attribute_that_documents_do_not_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no attribute 'topic'"):
        compared(tmp_path, DOCUMENTS, "topic")


@pytest.mark.parametrize("name", ["seed0", "seed3", "lemma", "lemma-delta"])
def test_files_of_single_documents_give_the_published_scores_across_documents(name: str) -> None:
    folder = shared("data/coref/event_ecbp")
    key, response = folder / "gold.within_doc.conll", folder / f"systems/{name}.within_doc.conll"
    result = cp.compare(str(key), {"r": str(response)}, task="coref", resamples=0, across="all")
    published = (folder / f"published/{name}.cross_doc.txt").read_text()
    for metric, measure in (("bcub", "b3"), ("ceafe", "ceafe"), ("lea", "lea"), ("muc", "muc"), ("conll", "conll")):
        found = re.search(rf"^{metric}\s+([\d.]+)", published, re.MULTILINE)
        assert found is not None
        assert result.scores(measure).value("r") == pytest.approx(float(found[1]), abs=1e-6)

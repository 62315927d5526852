"""A key of spans with offsets and without text: clinical data, stand-off releases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import comparanda as cp

TEXTS = {"d1": "Anna left Rome.", "d2": "At IBM.", "d3": "Nothing here."}
KEY = {"d1": [(0, 4, "PER"), (10, 14, "LOC")], "d2": [(3, 6, "ORG")], "d3": []}
OUTPUT = {"d2": [(3, 6, "ORG")], "d1": [(0, 5, "PER"), (10, 14, "LOC")], "d3": [(3, 6, "ORG")]}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(name: str, spans: dict[str, list[tuple[int, int, str]]], *, text: bool = False) -> str:
    lines = []
    for document, some in spans.items():
        found = [{"start": begin, "end": end, "label": label} for begin, end, label in some]
        lines.append(json.dumps({"id": document, **({"text": TEXTS[document]} if text else {}), "spans": found}) + "\n")
    Path(name).write_text("".join(lines))
    return name


def compared(*, key: bool = False, output: bool = False, **settings: Any) -> cp.Result:
    """Compare; `key` and `output` are whether they contain the text."""
    given = {"resamples": 0, **settings}
    return cp.compare(put("k.jsonl", KEY, text=key), {"o": put("o.jsonl", OUTPUT, text=output)}, task="span", **given)


@pytest.mark.parametrize("output", [False, True])
def test_offsets_are_enough_for_scores(output: bool) -> None:
    """Of three entities in the key and four in the output, two are the same."""
    result = compared(output=output)
    assert [result.scores(name).value("o") for name in ("precision", "recall", "f1")] == [2 / 4, 2 / 3, 4 / 7]
    assert (result.verdicts.units.kind, result.verdicts.units.count) == ("document", 3)


@pytest.mark.parametrize("rules", ["exact", "semeval2013", "characters", "hipe"])
def test_scores_are_those_with_the_text(rules: str) -> None:
    assert _scores(compared(rules=rules)) == _scores(compared(key=True, rules=rules))


def _scores(result: cp.Result) -> list[tuple[str, str, float | None]]:
    return [
        (view, each.measure, each.value) for view in result.verdicts.views for each in result.scores(view=view).scores
    ]


def test_that_there_is_no_text_is_noted() -> None:
    what = "documents without text: spans compared by their offsets alone, and counted in characters, not tokens"
    assert [str(note) for note in compared().verdicts.notes] == [f"key: {what}: 3"]


def test_results_can_be_saved_and_documents_left_out(tmp_path: Path) -> None:
    compared().save(tmp_path / "saved")
    assert cp.open(tmp_path / "saved").scores("f1").value("o") == 4 / 7
    short = put("short.jsonl", {name: spans for name, spans in OUTPUT.items() if name != "d3"})
    result = cp.compare("k.jsonl", {"o": "o.jsonl", "s": short}, task="span", missing="intersection", resamples=0)
    assert result.scores("f1").value("s") == result.scores("f1").value("o") == 4 / 6
    with pytest.raises(cp.AlignError, match="1 of the key's documents missing"):
        cp.compare("k.jsonl", {"s": short}, task="span")


def test_what_requires_the_text_says_so() -> None:
    put("k.jsonl", KEY)
    put("o.jsonl", OUTPUT)
    with pytest.raises(cp.AlignError, match=r"k\.jsonl: a combination of spans requires the text of the key"):
        cp.combine("k.jsonl", {"o": "o.jsonl", "p": put("p.jsonl", KEY, text=True)}, task="span")
    with pytest.raises(cp.UsageError, match="no output has the text, and agreement is computed on words"):
        cp.agreement({"k": "k.jsonl", "o": "o.jsonl"}, task="span")
    Path("words.bio").write_text("Anna B-PER\nleft O\n")
    with pytest.raises(cp.AlignError, match="spans of words cannot be compared with those of a key without text"):
        cp.compare("k.jsonl", {"w": "words.bio"}, task="span")

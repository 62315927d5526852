"""The notebooks of docs/ run and give the outputs stored in them; `UPDATE_DOCS=1` stores them anew."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from .notebook import run_cells

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def outputs(printed: str, value: str | None, count: int) -> list[dict[str, Any]]:
    """Write what a cell gave as nbformat stores it."""
    found: list[dict[str, Any]] = []
    if printed:
        found.append({"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": value.splitlines(keepends=True)}
        found.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_gives_its_stored_outputs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    found = run_cells("".join(cell["source"]) for cell in cells)
    for cell, (printed, value) in zip(cells, found, strict=True):
        expected = outputs(printed, value, cell["execution_count"])
        if os.environ.get("UPDATE_DOCS"):
            cell["outputs"] = expected
        assert cell["outputs"] == expected, "".join(cell["source"])
    if os.environ.get("UPDATE_DOCS"):
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def test_there_is_a_notebook_with_outputs() -> None:
    assert NOTEBOOKS
    for path in NOTEBOOKS:
        assert '"text/plain"' in path.read_text(encoding="utf-8")

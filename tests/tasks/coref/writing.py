"""Small documents with chains, written down for a test."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import comparanda as cp
from comparanda import Result
from comparanda.core.verdicts import View

TEXT = "Anna/NNP she/PRP Bob/NNP he/PRP her/PRP$ dog/NN it/PRP"
"""Words with their tags."""


def conll2012(cells: str, text: str = TEXT, name: str = "d") -> str:
    """Write a document: a word a line, and a cell of brackets for each word, `-` for none."""
    words = [word.rsplit("/", 1) for word in text.split()]
    rows = zip(words, cells.split(), strict=True)
    lines = [f"{name}\t0\t{place}\t{word}\t{tag}\t*\t{cell}" for place, ((word, tag), cell) in enumerate(rows)]
    return "\n".join([f"#begin document ({name}); part 000", *lines, "", "#end document", ""])


def compared(folder: Path, key: str, systems: Mapping[str, str], **options: Any) -> Result:
    """Compare texts of CoNLL-2012."""
    for name, text in {"key": key, **systems}.items():
        (folder / f"{name}.conll").write_text(text, encoding="utf-8")
    paths = {name: folder / f"{name}.conll" for name in systems}
    return cp.compare(folder / "key.conll", paths, task="coref", resamples=0, **options)


def words_of(view: View, text: str = TEXT) -> list[str]:
    """Return the first word of each mention that is a site."""
    assert view.chains is not None
    assert view.mention is not None
    words = [word.rsplit("/", 1)[0] for word in text.split()]
    return [words[int(view.chains.place[row])] for row in view.mention]


def said(result: Result, name: str, *runs: int) -> dict[str, str]:
    """Return the values of some runs at each site of a view, by its first word."""
    view = result.verdicts.view(name).among(runs)
    rows = zip(*(view.sites.values[run] for run in runs), strict=True)
    values = [" ".join(view.sites.names[code] for code in row) for row in rows]
    return dict(zip(words_of(view), values, strict=True))

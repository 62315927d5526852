"""Looking at a corpus as plain Python values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comparanda.corpus import Corpus
from comparanda.errors import ComparandaError


def words(corpus: Corpus) -> list[str]:
    assert corpus.words is not None
    return [corpus.words[row] for row in range(len(corpus))]


def values(corpus: Corpus, name: str = "value") -> list[str]:
    return [corpus.columns[name][row] for row in range(len(corpus))]


def heads(corpus: Corpus) -> list[int]:
    assert corpus.arcs is not None
    return [int(head) for head in corpus.arcs.head]


def lines(corpus: Corpus) -> list[int]:
    return [corpus.location(row).line for row in range(len(corpus))]


def notes(corpus: Corpus) -> list[str]:
    return [str(note) for note in corpus.notes]


def documents(corpus: Corpus) -> dict[str, list[str]]:
    """The words of each document."""
    bounds = corpus.row_documents.tolist()
    found = words(corpus)
    return {name: found[bounds[number] : bounds[number + 1]] for number, name in enumerate(corpus.documents.names)}


def refusal(read: Callable[..., object], *arguments: Any, code: int = 3, **options: Any) -> str:
    """The text of the error that a call raises."""
    with pytest.raises(ComparandaError) as caught:
        read(*arguments, **options)
    assert caught.value.exit_code == code
    return str(caught.value)

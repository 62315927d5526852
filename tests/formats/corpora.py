"""Looking at a corpus as plain Python values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comparanda.core.corpus import Corpus
from comparanda.core.text_columns import TextColumn
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


def spans(corpus: Corpus) -> list[tuple[str, int, int, str]]:
    """The document, begin, end and label of each span."""
    found = corpus.spans
    assert found is not None
    names = [corpus.documents.names[document] for document in found.document]
    return [(name, int(found.begin[span]), int(found.end[span]), found.label[span]) for span, name in enumerate(names)]


def said(corpus: Corpus, name: str) -> list[Any]:
    """What the input says of each span under a name."""
    assert corpus.spans is not None
    column = corpus.spans.columns[name]
    return column.values() if isinstance(column, TextColumn) else column.tolist()


def span_lines(corpus: Corpus) -> list[str]:
    """File and line of each span."""
    assert corpus.spans is not None
    return [str(corpus.source.locate(int(offset))) for offset in corpus.spans.offset]


def fragments(corpus: Corpus) -> list[tuple[int, int, int]]:
    """The span, begin and end of each piece of a discontinuous span."""
    assert corpus.spans is not None
    found = corpus.spans.fragments
    if found is None:
        return []
    return list(zip(found.span.tolist(), found.begin.tolist(), found.end.tolist(), strict=True))

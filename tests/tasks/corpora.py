"""Corpora made by hand, without any reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from comparanda.align import Missing, align_responses
from comparanda.core.corpus import Corpus, Documents
from comparanda.core.places import Source
from comparanda.core.text_columns import Slices, TextColumn, join_labels
from comparanda.core.verdicts import System, Verdicts
from comparanda.result import Result
from comparanda.tasks.labels.evaluation import evaluate_labels, evaluate_tags
from comparanda.tasks.task import Options

Tagged = Sequence[tuple[str, str]]


def corpus(name: str, *documents: Sequence[Tagged], names: Sequence[str] | None = (), words: bool = True) -> Corpus:
    """Make a corpus of documents, which are lists of sentences, which are lists of (word, tag).

    `names` are those of the documents; None means that the input marks none.
    """
    sentences = [sentence for document in documents for sentence in document]
    rows = [row for sentence in sentences for row in sentence]
    lines = [f"{word}\t{tag}\n".encode() for word, tag in rows]
    titles = names or tuple(f"d{number}" for number in range(len(documents)))
    cuts = np.cumsum([0, *(len(document) for document in documents)]).astype(np.int64)
    return Corpus(
        name=name,
        format="by hand",
        source=Source.of_text(f"{name}.txt", b"".join(lines)),
        offset=np.cumsum([0, *map(len, lines)])[:-1],
        words=Slices.of([word for word, _ in rows]) if words else None,
        columns={"value": TextColumn.of(tag for _, tag in rows)},
        sentences=np.cumsum([0, *(len(sentence) for sentence in sentences)]).astype(np.int64),
        documents=Documents(tuple(titles), cuts, True)
        if names is not None
        else Documents((name,), np.array([0, len(sentences)], np.int64), False),
    )


def table(name: str, rows: Mapping[str, str | Sequence[str]], *, several: bool = False) -> Corpus:
    """Make a classification file of labels (or of sets of labels) by id."""
    lines = [f"{row}\n".encode() for row in rows]
    values = [value if isinstance(value, str) and not several else join_labels(value) for value in rows.values()]
    return Corpus(
        name=name,
        format="by hand",
        source=Source.of_text(f"{name}.txt", b"".join(lines)),
        offset=np.cumsum([0, *map(len, lines)])[:-1],
        words=Slices.of(list(rows)),
        columns={"value": TextColumn.of(values)},
        sentences=np.arange(len(rows) + 1),
        documents=Documents((name,), np.array([0, len(rows)], np.int64), False),
        by_id=True,
        several=several,
    )


def tags(key: Corpus, *responses: Corpus, missing: Missing = "error", **options: object) -> Verdicts:
    systems = [System(response.name, (number,)) for number, response in enumerate(responses)]
    return evaluate_tags(align_responses(key, responses, missing=missing), systems, Options(**options))  # type: ignore[arg-type]


def labels(key: Corpus, *responses: Corpus, missing: Missing = "error", **options: object) -> Verdicts:
    systems = [System(response.name, (number,)) for number, response in enumerate(responses)]
    return evaluate_labels(align_responses(key, responses, missing=missing), systems, Options(**options))  # type: ignore[arg-type]


def result(verdicts: Verdicts) -> Result:
    return Result(verdicts, 0)


def notes(verdicts: Verdicts) -> list[str]:
    return [str(note) for note in verdicts.notes]

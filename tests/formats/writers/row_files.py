"""Files of tags, trees and rows: read them, give them other values, write them, look at what is in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from comparanda.core.corpus import Arcs, Corpus
from comparanda.core.text_columns import Slices, TextColumn
from comparanda.formats.contract import Layer, Request, Shape
from comparanda.formats.inputs import Input, read_input
from comparanda.formats.row_writer import written_rows


def read_rows(
    path: Path | str, *, column: str | None = None, shape: Shape = "tokens", layer: Layer = "values"
) -> Corpus:
    """Read an input as the commands do, its format and options behind the path."""
    return read_input(Input.parse(str(path)), Request(side="x", value=column, layer=layer), shape)


def with_system(corpus: Corpus, values: Iterable[str | None], heads: Sequence[int] | None = None) -> Corpus:
    """Return a corpus with the values, and perhaps the heads as rows, of a system."""
    arcs = corpus.arcs if heads is None else Arcs(np.array(heads, np.int64))
    return replace(corpus, columns={**corpus.columns, "value": TextColumn.of(values)}, arcs=arcs)


def text_of(corpus: Corpus, column: str | None = None) -> str:
    """Return the one file of a corpus that loses nothing."""
    written = written_rows(corpus, column=column)
    assert written.losses == ()
    ((name, text),) = written.files.items()
    assert name == ""
    return text


def seen(corpus: Corpus) -> dict[str, Any]:
    """Return all that is to be read back, made by loops of its own."""
    words = None if corpus.words is None else [corpus.words[row] for row in range(len(corpus))]
    documents = [
        [(int(corpus.sentences[number]), int(corpus.sentences[number + 1])) for number in range(first, behind)]
        for first, behind in pairwise(corpus.documents.offsets.tolist())
    ]
    ranges = []
    if corpus.ranges is not None:
        forms = Slices(corpus.source.buffer, corpus.ranges.start, corpus.ranges.length)
        ends = zip(corpus.ranges.begin.tolist(), corpus.ranges.end.tolist(), strict=True)
        ranges = [(begin, end, forms[number]) for number, (begin, end) in enumerate(ends)]
    return {
        "words": words,
        "values": corpus.columns["value"].values(),
        "heads": None if corpus.arcs is None else corpus.arcs.head.tolist(),
        "documents": documents,
        "names": corpus.documents.names if corpus.documents.marked else None,
        "attributes": {name: column.values() for name, column in corpus.documents.attributes.items()},
        "ranges": ranges,
        "kind": (corpus.by_id, corpus.several, corpus.format),
    }

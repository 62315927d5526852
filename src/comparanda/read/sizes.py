"""Whether what was read is larger than is accepted: its documents, and the number of its labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.errors import ReadError
from comparanda.limits import raising

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.limits import Limits


def check_sizes(corpus: Corpus, limits: Limits) -> None:
    """Refuse a corpus with a document that is too large, or with too many different labels.

    A corpus without marks of documents is no document, and may be of any size.
    """
    if corpus.documents.marked:
        _check_documents(corpus, limits.document)
    labels = corpus.columns.get("value") if corpus.spans is None else corpus.spans.label
    count = 0 if labels is None else len(labels.names)
    if count > limits.labels:
        what = f"there are {count:,} different labels, more than {limits.labels:,}"
        hint = f"is it the column of labels? {raising('labels')}"
        raise ReadError(what, where=corpus.source.parts[0].name, hint=hint)


def _check_documents(corpus: Corpus, most: int) -> None:
    """Refuse the first document that is too large, in tokens or in characters of its text."""
    sizes = np.diff(corpus.row_documents)
    unit = "rows" if corpus.by_id else "tokens"
    if corpus.raw is not None:
        sizes, unit = np.array([len(text) for text in corpus.raw.documents], np.int64), "characters"
    large = np.flatnonzero(sizes > most)
    if large.size:
        first = int(large[0])
        what = f"the document {corpus.documents.names[first]!r} has {sizes[first]:,} {unit}, more than {most:,}"
        hint = f"is a mark between documents missing? {raising('document')}"
        raise ReadError(what, where=corpus.source.parts[0].name, hint=hint)

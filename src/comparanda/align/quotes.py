"""Claims that quote the text and name no place, as answers of language models do: brought to their places.

A response with texts of its own is placed in these, any other in the key's. What comes out is a response with spans
in characters, like any other. Items without a place, because they are hallucinated or repeated, are spans of no
length at the end of the text, which `align.apart` sets apart from all that stand in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from comparanda.align.copies import Copied
from comparanda.align.ground import Ground
from comparanda.align.occurrences import Searched
from comparanda.align.placing import (
    AMBIGUOUS,
    FUZZY,
    HALLUCINATED,
    INSIDE,
    NORMALISED,
    REPEATED,
    Claim,
    Placed,
    place_claims,
)
from comparanda.columns import TextColumn, taken
from comparanda.corpus import Documents, RawText, Spans
from comparanda.errors import AlignError
from comparanda.places import Note

if TYPE_CHECKING:
    from comparanda.columns import Column, Rows, Truths
    from comparanda.corpus import Corpus, Quotes

PLACING, QUOTE = "placing", "quote"
"""The columns that say how an item was placed, and what it quotes where that is not what it covers."""

NOWHERE: Final = frozenset({REPEATED, HALLUCINATED})

_NOTES: Final = {
    NORMALISED: "items written otherwise in the text (case, width, white space, quotation marks, dashes)",
    INSIDE: "items that stand in the text only inside a word",
    FUZZY: "items that are not in the text, but something much like them",
    AMBIGUOUS: "items that could stand at another place too, put at the first that fits",
    REPEATED: "items that an answer has more often than the text",
    HALLUCINATED: "items that are not in the text",
}
_SHOWN, _LONGEST = 3, 40


@dataclass(frozen=True, slots=True)
class _Stretch:
    """What an answer speaks of: the text of a document, or a piece of it.

    Args:
        document: the document of the placed corpus.
        text: the text; None where nobody knows it, because the key has no such document.
        begin: where it begins in the document.
        end: where the whole text of the document ends.

    """

    document: int
    text: str | None
    begin: int
    end: int

    @classmethod
    def whole(cls, document: int, text: str | None) -> _Stretch:
        """Return the whole text of a document."""
        return cls(document, text, 0, len(text or ""))


@dataclass(frozen=True, slots=True)
class _Settled:
    """An answer whose items have been placed.

    Args:
        stretch: what it speaks of.
        claims: its items.
        found: where they stand.
        faithful: whether its copy of the text has the words of the text; true where it has no copy.

    """

    stretch: _Stretch
    claims: Sequence[Claim]
    found: Sequence[Placed]
    faithful: bool = True


def placed(key: Corpus, response: Corpus) -> Corpus:
    """Return a response whose quotes have places: in its own texts, or in the key's. Any other is returned as it is."""
    if response.quotes is None:
        return response
    if response.raw is not None:
        return _with_spans(response, _own(response), response.documents.names)
    return _in_key(Ground(key), response)


def placed_alone(corpus: Corpus) -> Corpus:
    """Return a corpus whose quotes have places in its own texts: to be a key, or to be written in another format.

    What is not in these texts is left out, and noted.
    """
    if corpus.quotes is None:
        return corpus
    if corpus.raw is None:
        raise AlignError(
            "the items quote a text, and the file has none",
            where=corpus.source.parts[0].name,
            hint="give each document its text, in the field 'text' or in another by ?text=FIELD",
        )
    found = _with_spans(corpus, _own(corpus), corpus.documents.names)
    assert found.spans is not None
    rows = np.flatnonzero(~without_place(found.spans.columns[PLACING]))
    count = len(found.spans) - len(rows)
    if not count:
        return found
    note = Note(corpus.name, "items without a place in the text, left out", count)
    beliefs = None if found.beliefs is None else found.beliefs.take(rows)
    return replace(found, spans=_some(found.spans, rows), beliefs=beliefs, notes=(*found.notes, note))


def without_place(placing: Column | None) -> Truths:
    """Return which items have no place in the text, given how they were placed."""
    if not isinstance(placing, TextColumn):
        return np.zeros(0 if placing is None else len(placing), np.bool_)
    return placing.truths(NOWHERE.__contains__)


def _some(spans: Spans, rows: Rows) -> Spans:
    columns = {name: taken(column, rows) for name, column in spans.columns.items()}
    place = spans.document[rows], spans.begin[rows], spans.end[rows]
    return Spans(spans.unit, *place, spans.label.take(rows), spans.offset[rows], None, columns)


def _own(corpus: Corpus) -> list[_Stretch]:
    """Return the texts of a corpus, one an answer."""
    assert corpus.raw is not None
    return [_Stretch.whole(number, text) for number, text in enumerate(corpus.raw.documents)]


def _in_key(ground: Ground, response: Corpus) -> Corpus:
    """Place quotes in the key's texts: by the names of documents, or in order where names say nothing."""
    key, texts, answers = ground.key, ground.raw.documents, response.documents
    number = {name: place for place, name in enumerate(key.documents.names)}
    owners = [number.get(name) for name in answers.names]
    notes: list[Note] = []
    if not answers.marked or not any(owner is not None for owner in owners):
        if len(answers) not in {len(key.documents), len(key.sentences) - 1}:
            raise _unmatched(key, response)
        by_document = len(answers) == len(key.documents)
        unit = "documents" if by_document else "sentences"
        what = f"answers that name no document of the key, matched with its {unit} in order"
        notes.append(Note(response.name, what, len(answers)))
        owners = list(range(len(key.documents)))
        stretches = [_Stretch.whole(*each) for each in enumerate(texts)] if by_document else _sentences(ground)
        documents = key.documents
    else:
        stretches = [
            _Stretch.whole(place, None if owner is None else texts[owner]) for place, owner in enumerate(owners)
        ]
        documents = answers
    response = replace(response, notes=(*response.notes, *notes))
    return _with_spans(_on_key(ground, response, documents.names, owners), stretches, answers.names)


def _sentences(ground: Ground) -> list[_Stretch]:
    """Return the sentences of the key, one an answer."""
    found = []
    for first, behind in pairwise(ground.key.sentences.tolist()):
        document = int(ground.owner[first])
        begin, end = int(ground.raw.begin[first]), int(ground.raw.end[behind - 1])
        text = ground.raw.documents[document]
        found.append(_Stretch(document, text[begin:end], begin, len(text)))
    return found


def _unmatched(key: Corpus, response: Corpus) -> AlignError:
    names = response.documents.names
    said = f"the first is called {names[0]!r}, and the key's {key.documents.names[0]!r}"
    return AlignError(
        "no answer names a document of the key" if response.documents.marked else "the answers name no documents",
        where=response.source.parts[0].name,
        details=[
            *([said] if response.documents.marked else []),
            f"{len(names):,} answers, and the key has {len(key.documents):,} documents "
            f"and {len(key.sentences) - 1:,} sentences",
        ],
        hint="give each answer the name of its document in the field 'id', or in another by ?document=FIELD",
    )


def _on_key(ground: Ground, response: Corpus, names: tuple[str, ...], owners: Sequence[int | None]) -> Corpus:
    """Return a response that has documents of the key: with their words, where the key has no text of its own."""
    key = ground.key
    if key.raw is not None:
        offsets = np.zeros(len(names) + 1, np.int64)
        return replace(response, documents=Documents(names, offsets, marked=True))
    surface = ground.surface
    bounds = np.searchsorted(surface.row, key.row_documents)
    nothing = np.zeros(0, np.int64)
    tokens = [nothing if owner is None else np.arange(bounds[owner], bounds[owner + 1]) for owner in owners]
    sizes = np.cumsum([0, *map(len, tokens)])
    whole = np.concatenate([nothing, *tokens])
    begins = np.isin(surface.row[whole], key.sentences)
    sentences = np.append(np.flatnonzero(begins), len(whole))
    rows = surface.row[whole]
    texts = tuple("" if owner is None else ground.raw.documents[owner] for owner in owners)
    return replace(
        response,
        offset=np.zeros(len(whole), response.offset.dtype),
        words=surface.forms.take(whole),
        sentences=sentences,
        documents=Documents(names, np.searchsorted(sentences, sizes), marked=key.documents.marked),
        raw=RawText(texts, ground.raw.begin[rows], ground.raw.end[rows]),
    )


def _with_spans(corpus: Corpus, stretches: Sequence[_Stretch], names: Sequence[str]) -> Corpus:
    """Place the quotes of a corpus, those of each answer in what it speaks of."""
    quotes = corpus.quotes
    assert quotes is not None
    answers = list(_settled(quotes, stretches))
    begin, end, placing, said = [], [], [], []
    for answer in answers:
        stretch = answer.stretch
        for claim, found in zip(answer.claims, answer.found, strict=True):
            low, high = found.place or (stretch.end - stretch.begin, stretch.end - stretch.begin)
            begin.append(stretch.begin + low)
            end.append(stretch.begin + high)
            placing.append(found.placing or None)
            said.append(claim.quote if found.placing and (stretch.text or "")[low:high] != claim.quote else None)
    documents = np.array([stretch.document for stretch in stretches], np.int64)
    spans = Spans(
        "characters",
        documents[quotes.document] if len(quotes) else quotes.document,
        np.array(begin, np.int64),
        np.array(end, np.int64),
        quotes.label,
        quotes.offset,
        None,
        {**quotes.columns, PLACING: TextColumn.of(placing), QUOTE: TextColumn.of(said)},
    )
    notes = list(_notes(corpus, quotes, placing))
    unlike = [name for name, answer in zip(names, answers, strict=True) if not answer.faithful]
    if unlike:
        what = "answers whose copy of the text is not the text"
        notes.append(Note(corpus.name, what, len(unlike), tuple(unlike[:_SHOWN])))
    settled = replace(corpus, spans=spans, quotes=None, notes=(*corpus.notes, *notes))
    if quotes.probable is None:
        return settled
    return quotes.probable(settled, without_place(spans.columns[PLACING]))


def _settled(quotes: Quotes, stretches: Sequence[_Stretch]) -> Iterator[_Settled]:
    """Give the answers, their items placed."""
    ids = quotes.columns.get("id")
    columns = (
        quotes.text.values(),
        quotes.label.values(),
        ids.values() if isinstance(ids, TextColumn) else [None] * len(quotes),
        quotes.occurrence.tolist(),
        quotes.begin.tolist(),
    )
    claims = [Claim(text or "", label or "", *rest) for text, label, *rest in zip(*columns, strict=True)]
    bounds = np.searchsorted(quotes.document, np.arange(len(stretches) + 1)).tolist()
    for number, stretch in enumerate(stretches):
        mine, copy = claims[bounds[number] : bounds[number + 1]], quotes.copies[number]
        if stretch.text is None:  # that is said, or refused, where documents are matched
            yield _Settled(stretch, mine, [Placed((0, 0), "")] * len(mine))
        elif not mine and copy is None:
            yield _Settled(stretch, mine, [])
        else:
            text = Searched(stretch.text)
            laid = None if copy is None else Copied(text, copy)
            yield _Settled(stretch, mine, place_claims(text, mine, laid), laid is None or laid.same)


def _notes(corpus: Corpus, quotes: Quotes, placing: Sequence[str | None]) -> Iterator[Note]:
    """Count the items that were not simply found, with the first of each kind."""
    met: dict[str, list[int]] = {}
    for number, how in enumerate(placing):
        if how is not None:
            met.setdefault(how, []).append(number)
    for how, what in _NOTES.items():
        if how in met:
            first = tuple(_shown(corpus, quotes, number) for number in met[how][:_SHOWN])
            yield Note(corpus.name, what, len(met[how]), first)


def _shown(corpus: Corpus, quotes: Quotes, number: int) -> str:
    quote = quotes.text[number]
    short = quote if len(quote) <= _LONGEST else quote[: _LONGEST - 1] + "…"
    return f"{corpus.source.locate(int(quotes.offset[number]))}: {short!r}"

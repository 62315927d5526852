"""Which row of the key each row of a response is. Alignment maps; it never rewrites.

Documents and sentences are the key's. A response without document marks, or with other sentence
cuts, is laid over the key word by word.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from comparanda.columns import Slices
from comparanda.errors import AlignError
from comparanda.places import Note

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows
    from comparanda.corpus import Corpus

Missing = Literal["error", "empty", "intersection"]
MISSING: tuple[Missing, ...] = get_args(Missing)
NONE = -1


@dataclass(frozen=True, eq=False, slots=True)
class RowMap:
    """A map between the rows of the key and of one response; `NONE` where there is no counterpart.

    Args:
        to_key: the key's row for each row of the response, or None for the identity.
        to_response: the response's row for each row of the key, or None for the identity.

    """

    to_key: Rows | None = None
    to_response: Rows | None = None

    @property
    def identity(self) -> bool:
        """Whether row `i` of one side is row `i` of the other."""
        return self.to_response is None


@dataclass(frozen=True, eq=False, slots=True)
class Aligned:
    """A key and its responses on common ground.

    Args:
        key: the key.
        responses: the responses, one a run; large ones without their words, which are the key's.
        maps: for each response, the map between its rows and the key's.
        kept: the key's rows that take part, or None for all (`--missing intersection` drops some).
        notes: what was met on the way.

    """

    key: Corpus
    responses: tuple[Corpus, ...]
    maps: tuple[RowMap, ...]
    kept: Rows | None
    notes: tuple[Note, ...]


def align(key: Corpus, responses: Iterable[Corpus], *, missing: Missing = "error") -> Aligned:
    """Lay responses over a key.

    Args:
        key: the key; its documents, sentences and rows are the common ground.
        responses: one corpus a run. They are asked for one by one, and the bytes of a large one are let go
            before the next is read.
        missing: what to do about documents (or rows with ids) that a response lacks: refuse it,
            count them as empty there, or compare only what all responses have.

    """
    if key.by_id:
        _refuse_repeated_ids(key)
    maps, kept_responses, notes = [], [], list(key.notes)
    for response in responses:
        row_map, found = _map_one(key, response, missing)
        maps.append(row_map)
        notes += [*response.notes, *found]
        kept_responses.append(response.released())
        del response  # or its bytes would stay until the next one is read
    kept = _common_rows(maps, len(key)) if missing == "intersection" else None
    if kept is not None:
        if not kept.size:
            raise AlignError("the key and the responses have no document in common", where=key.source.parts[0].name)
        notes.append(Note("key", "rows left out because some response lacks them", len(key) - len(kept)))
    return Aligned(key, tuple(kept_responses), tuple(maps), kept, tuple(notes))


def _common_rows(maps: list[RowMap], rows: int) -> Rows | None:
    present = np.ones(rows, dtype=np.bool_)
    for row_map in maps:
        if row_map.to_response is not None:
            present &= row_map.to_response != NONE
    return None if present.all() else np.flatnonzero(present)


def _map_one(key: Corpus, response: Corpus, missing: Missing) -> tuple[RowMap, list[Note]]:
    if key.by_id or response.by_id:
        return _map_by_id(key, response, missing)
    both_marked = key.documents.marked and response.documents.marked
    if both_marked and not _same_documents(key, response):
        return _map_by_document(key, response, missing)
    return _map_in_order(key, response)


def _map_in_order(key: Corpus, response: Corpus) -> tuple[RowMap, list[Note]]:
    """Lay a response over the key word by word."""
    notes = []
    if not _same_rows(key, response):
        notes = _check_words(key, response, np.arange(len(key)), np.arange(len(response)))
    return RowMap(), notes + _note_cuts(key, response)


def _same_documents(key: Corpus, response: Corpus) -> bool:
    """Whether both sides have documents of the same names and lengths in the same order.

    Equal words alone do not tell: two short documents may have changed places.
    """
    same_names = key.documents.names == response.documents.names
    return same_names and np.array_equal(key.row_documents, response.row_documents)


def _same_rows(key: Corpus, response: Corpus) -> bool:
    if len(key) != len(response) or key.words is None or response.words is None:
        return False
    return bool(key.words.same(response.words).all())


def _note_cuts(key: Corpus, response: Corpus) -> list[Note]:
    if np.array_equal(key.sentences, response.sentences):
        return []
    extra = np.setdiff1d(response.sentences[1:-1], key.sentences).size
    extra += np.setdiff1d(key.sentences[1:-1], response.sentences).size
    return [Note(response.name, "sentence boundaries that differ from the key's, which hold", extra)]


def _map_by_document(key: Corpus, response: Corpus, missing: Missing) -> tuple[RowMap, list[Note]]:
    """Match documents by name, then check their words."""
    place = {name: number for number, name in enumerate(response.documents.names)}
    lacking = [name for name in key.documents.names if name not in place]
    surplus = sorted(set(place) - set(key.documents.names))
    if len(lacking) == len(key.documents):
        row_map, notes = _map_in_order(key, response)
        what = "document names unlike the key's, ignored"
        return row_map, [*notes, Note(response.name, what, len(surplus), tuple(surplus[:3]))]
    _refuse_missing(key, response, lacking, surplus, missing, "document")
    wanted = [(number, place[name]) for number, name in enumerate(key.documents.names) if name in place]
    key_rows, response_rows = _paired_rows(key, response, wanted)
    notes = _check_words(key, response, key_rows, response_rows)
    return _row_map(len(key), len(response), key_rows, response_rows), notes + _missing_notes(
        response, lacking, surplus, "document"
    )


def _paired_rows(key: Corpus, response: Corpus, pairs: list[tuple[int, int]]) -> tuple[Rows, Rows]:
    """Expand pairs of documents to pairs of rows; refuse two documents of different length."""
    key_bounds, response_bounds = key.row_documents, response.row_documents
    key_rows, response_rows = [], []
    for mine, theirs in pairs:
        ours = np.arange(key_bounds[mine], key_bounds[mine + 1])
        other = np.arange(response_bounds[theirs], response_bounds[theirs + 1])
        if len(ours) != len(other):
            _check_words(key, response, ours, other)
        key_rows.append(ours)
        response_rows.append(other)
    return np.concatenate(key_rows), np.concatenate(response_rows)


def _row_map(key_size: int, response_size: int, key_rows: Rows, response_rows: Rows) -> RowMap:
    if key_size == response_size == len(key_rows) and np.array_equal(key_rows, response_rows):
        return RowMap()
    to_key = np.full(response_size, NONE, dtype=np.int64)
    to_response = np.full(key_size, NONE, dtype=np.int64)
    to_key[response_rows] = key_rows
    to_response[key_rows] = response_rows
    return RowMap(to_key, to_response)


def _map_by_id(key: Corpus, response: Corpus, missing: Missing) -> tuple[RowMap, list[Note]]:
    if _same_rows(key, response):
        return RowMap(), []
    mine, theirs = _rows_by_id(key), _rows_by_id(response)
    lacking = [name for name in mine if name not in theirs]
    surplus = [name for name in theirs if name not in mine]
    _refuse_missing(key, response, lacking, surplus, missing, "id")
    common = [(row, theirs[name]) for name, row in mine.items() if name in theirs]
    rows = np.array(common, dtype=np.int64).reshape(-1, 2)
    return _row_map(len(key), len(response), rows[:, 0], rows[:, 1]), _missing_notes(response, lacking, surplus, "id")


def _refuse_repeated_ids(key: Corpus) -> None:
    """Look for an id that occurs twice, once for all responses: those with the same rows are not looked at again."""
    if key.words is not None and len(key.words.intern().names) < len(key):
        _rows_by_id(key)


def _rows_by_id(corpus: Corpus) -> dict[str, int]:
    if corpus.words is None:
        return {str(row): row for row in range(len(corpus))}
    rows: dict[str, int] = {}
    for row in range(len(corpus)):
        name = corpus.words[row]
        if name in rows:
            raise AlignError(
                f"the id {name!r} occurs a second time",
                where=str(corpus.location(row)),
                details=[f"it stands first at {corpus.location(rows[name])}"],
                hint="rows are told apart by their ids; to give a row several labels see the docs of the format",
            )
        rows[name] = row
    return rows


def _refuse_missing(
    key: Corpus, response: Corpus, lacking: list[str], surplus: list[str], missing: Missing, kind: str
) -> None:
    if missing != "error" or not (lacking or surplus):
        return
    details = []
    if lacking:
        details.append(f"missing here: {_some(lacking)} of the key ({key.source.parts[0].name})")
    if surplus:
        details.append(f"not in the key: {_some(surplus)}")
    count = f"{len(lacking):,} of the key's {kind}s missing" if lacking else f"{len(surplus):,} {kind}s unknown"
    raise AlignError(
        f"the response does not cover the key: {count}",
        where=response.source.parts[0].name,
        details=details,
        hint="count them as empty with --missing empty, or leave them out with --missing intersection",
    )


def _missing_notes(response: Corpus, lacking: list[str], surplus: list[str], kind: str) -> list[Note]:
    notes = []
    if lacking:
        notes.append(Note(response.name, f"{kind}s of the key missing here", len(lacking), tuple(lacking[:3])))
    if surplus:
        notes.append(Note(response.name, f"{kind}s not in the key, ignored", len(surplus), tuple(surplus[:3])))
    return notes


def _some(names: list[str], limit: int = 3) -> str:
    shown = ", ".join(repr(name) for name in names[:limit])
    return f"{shown} and {len(names) - limit:,} more" if len(names) > limit else shown


def _check_words(key: Corpus, response: Corpus, key_rows: Rows, response_rows: Rows) -> list[Note]:
    """Check that both sides have the same words in the same order; refuse the first difference."""
    size = min(len(key_rows), len(response_rows))
    if key.words is None or response.words is None:
        if len(key_rows) != len(response_rows):
            raise _difference(key, response, key_rows, response_rows, size)
        unlike = np.flatnonzero(np.isin(key_rows, key.sentences) != np.isin(response_rows, response.sentences))
        if unlike.size:
            raise _other_cuts(key, response, key_rows, response_rows, int(unlike[0]))
        side = response.name if response.words is None else "key"
        return [Note(side, "rows without words, matched by their number alone", size)]
    mine, theirs = key.words.take(key_rows[:size]), response.words.take(response_rows[:size])
    unlike = np.flatnonzero(~mine.same(theirs))
    for row in unlike.tolist():
        if not _alike(mine[row], theirs[row]):
            raise _difference(key, response, key_rows, response_rows, row)
    if len(key_rows) != len(response_rows):
        raise _difference(key, response, key_rows, response_rows, size)
    if not unlike.size:
        return []
    places = tuple(str(response.location(int(response_rows[row]))) for row in unlike[:3].tolist())
    return [Note(response.name, "words equal only after Unicode normalisation", int(unlike.size), places)]


def _alike(left: str, right: str) -> bool:
    """Whether two words differ only in Unicode composition or in the kind of their spaces."""
    return _normal(left) == _normal(right)


def _normal(word: str) -> str:
    return " ".join(unicodedata.normalize("NFC", word).split())


def _other_cuts(key: Corpus, response: Corpus, key_rows: Rows, response_rows: Rows, place: int) -> AlignError:
    """Make the error for the first row that begins a sentence on one side only, with both places."""
    sentence = key.sentence_of(int(key_rows[place - 1]))
    begin = int(key.sentences[sentence])
    other = int(response_rows[place]) - (int(key_rows[place]) - begin)
    return AlignError(
        f"sentence {sentence + 1} ends elsewhere than in the key ({key.location(begin)})",
        where=str(response.location(other)),
        hint="without words to compare, sentences must have equal lengths",
    )


def _difference(key: Corpus, response: Corpus, key_rows: Rows, response_rows: Rows, place: int) -> AlignError:
    """Make the error for the first row at which the two sides part, with both places."""
    if place >= len(key_rows) or place >= len(response_rows):
        longer, rows, what = (key, key_rows, "key") if place < len(key_rows) else (response, response_rows, "response")
        return AlignError(
            f"{len(response_rows):,} tokens, but the key has {len(key_rows):,} ({key.source.parts[0].name})",
            where=response.source.parts[0].name,
            details=[f"the {what} goes on at {longer.location(int(rows[place]))}"],
            hint="both files must hold the same text in the same order",
        )
    mine, theirs = int(key_rows[place]), int(response_rows[place])
    sentence, other = key.sentence_of(mine), response.sentence_of(theirs)
    count = int(key.sentences[sentence + 1] - key.sentences[sentence])
    found = int(response.sentences[other + 1] - response.sentences[other])
    words, others = _around(key, mine), _around(response, theirs)
    first = f"first difference at token {mine - int(key.sentences[sentence]) + 1}"
    if found != count:
        what = f"{found} tokens, but sentence {sentence + 1} of the key has {count}"
    else:
        what = f"other words than in sentence {sentence + 1} of the key"
    return AlignError(
        f"{what} ({key.location(mine)})",
        where=str(response.location(theirs)),
        details=[f"{first}: {words} in the key, {others} in the response"],
        hint="the response must have the key's tokens",
    )


def _around(corpus: Corpus, row: int, reach: int = 2) -> str:
    """Show a word and the next ones of its sentence, as they stand."""
    words: Slices | None = corpus.words
    if words is None:
        return "(no word)"
    end = int(corpus.sentences[corpus.sentence_of(row) + 1])
    shown = [words[place] for place in range(row, min(row + reach, end))]
    return " + ".join(repr(word) for word in shown)


def values_on_key(values: NDArray[np.integer], row_map: RowMap, absent: int) -> NDArray[np.integer]:
    """Carry a response's values to the key's rows; rows without a counterpart get `absent`."""
    if row_map.to_response is None:
        return values
    if not len(values):
        return np.full(len(row_map.to_response), absent, dtype=values.dtype)
    carried = values[np.maximum(row_map.to_response, 0)]
    carried[row_map.to_response == NONE] = absent
    return carried

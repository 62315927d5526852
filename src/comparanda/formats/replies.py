"""Answers of reviewers, by the ids of their questions, in JSON, CSV, or the formats of annotation tools.

The output of Prodigy is described at https://prodi.gy/docs/api-interfaces, exports of Label Studio at
https://labelstud.io/guide/export.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from comparanda.core.places import Source, make_read_error
from comparanda.errors import ReadError
from comparanda.formats.cells import Cells, Dialect, Layout
from comparanda.formats.files import load
from comparanda.formats.head import head_of
from comparanda.formats.json_objects import Fields, JsonObjects, looks_like_json
from comparanda.formats.scanner import MAX_LINE, check_line_lengths

if TYPE_CHECKING:
    from collections.abc import Iterator

ID, ANSWER = "id", "answer"
QUESTION_ID = "question_id"
"""The name of the id in the formats of tools that have ids of their own."""

_SEPARATORS = ",\t;"
_EXAMPLE = 'write answers like this: {"id": "d1:0-5:PER:label", "answer": "yes"}'


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer.

    Args:
        id: the question's id.
        answer: the answer as it is written; None if the question was returned without one.
        place: file and line.

    """

    id: str
    answer: str | None
    place: str


def read_replies(path: str, max_line: int = MAX_LINE) -> list[Reply]:
    """Read a file of answers, in its order."""
    source = load(path, side="answers")
    check_line_lengths(source, 0, source.size, max_line)
    if not looks_like_json(head_of(source)):
        return _read_table(source)
    objects = JsonObjects(source)
    places = objects.offset.tolist()
    return [
        reply
        for place, each in zip(places, objects, strict=True)
        for reply in _parse_record(Fields(source, place, each))
    ]


def _parse_record(record: Fields) -> Iterator[Reply]:
    """Yield the answers of one record: a task of Label Studio may have several."""
    place = str(record.source.locate(record.place))
    if type(record.given.get("data")) is not dict:
        yield Reply(_parse_id(record), _parse_answer(record), place)
        return
    id_ = _parse_id(record.inner("data"))
    answers = [_parse_annotation(each) for each in record.objects("annotations") if not each.given.get("was_cancelled")]
    for answer in answers or [None]:
        yield Reply(id_, answer, place)


def _parse_id(record: Fields) -> str:
    found = record.given.get(QUESTION_ID, record.given.get(ID))
    if type(found) is not str or not found:
        raise record.refuse(f"there is no {record.path(ID)!r} with the id of the question", hint=_EXAMPLE)
    return found


def _parse_answer(record: Fields) -> str | None:
    """Return the answer of one of our own records, of Prodigy's, or of the short export of Label Studio."""
    found = record.given.get(ANSWER)
    if type(record.given.get("options")) is list and type(found) is str and found:
        return _parse_option(record, found)
    if type(found) is dict:
        found = _single_choice(record, record.inner(ANSWER).items("choices"))
    if type(found) is bool:
        return "yes" if found else "no"
    if found is None or type(found) is str:
        return (found or "").strip() or None
    raise record.bad(ANSWER, "a string", _EXAMPLE)


def _parse_option(record: Fields, answer: str) -> str:
    """Return the option chosen in Prodigy; rejecting or ignoring all options counts as unsure."""
    return (_single_choice(record, record.items("accept")) if answer == "accept" else None) or "unsure"


def _parse_annotation(annotation: Fields) -> str | None:
    """Return the option chosen in one annotation of Label Studio."""
    chosen: list[Any] = []
    for each in annotation.objects("result"):
        if each.given.get("type") == "choices":
            chosen += each.inner("value").items("choices")
    return _single_choice(annotation, chosen)


def _single_choice(record: Fields, chosen: list[Any]) -> str | None:
    if len(chosen) > 1:
        raise record.refuse(f"{len(chosen)} options are chosen: {', '.join(map(str, chosen))}", hint="choose one")
    return str(chosen[0]) if chosen else None


def _read_table(source: Source) -> list[Reply]:
    """Read CSV or TSV with a header; spreadsheets may have separated columns by semicolons."""
    for separator in _SEPARATORS:
        cells = Cells(source=source, dialect=Dialect(separator, quotes=True))
        _, rows = cells.first_rows(1)
        names = [name.strip().lower() for name in rows[0]] if rows else []
        if ID in names and ANSWER in names:
            cells.scan(Layout(len(names), rows[0], (names.index(ID), names.index(ANSWER))))
            return [
                _parse_row(source, offset, *each)
                for offset, each in zip(cells.offset.tolist(), cells.cells, strict=True)
            ]
    what = f"there are no columns {ID!r} and {ANSWER!r}, and the file is not JSON"
    raise ReadError(what, where=f"{source.parts[0].name}:1", hint=_EXAMPLE)


def _parse_row(source: Source, offset: int, id_: str, answer: str) -> Reply:
    if not id_.strip():
        raise make_read_error(source, offset, f"the row has no {ID!r}")
    return Reply(id_, answer.strip() or None, str(source.locate(offset)))

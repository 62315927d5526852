"""What came back from reviewers: answers by the ids of their questions, in JSON, CSV, or as tools write them.

What Prodigy writes is described at https://prodi.gy/docs/api-interfaces, and exports of Label Studio at
https://labelstud.io/guide/export.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from comparanda.core.places import Source, refuse
from comparanda.errors import ReadError
from comparanda.formats.cells import Cells, Dialect, Layout
from comparanda.formats.files import load
from comparanda.formats.inputs import head_of
from comparanda.formats.json_objects import Fields, JsonObjects, looks_like_json
from comparanda.formats.scanner import MAX_LINE, check_line_lengths

if TYPE_CHECKING:
    from collections.abc import Iterator

ID, ANSWER = "id", "answer"
QUESTION_ID = "question_id"
"""What the id is called where a tool has ids of its own."""

_SEPARATORS = ",\t;"
_SHAPE = 'an answer is written like this: {"id": "d1:0-5:PER:label", "answer": "yes"}'


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer.

    Args:
        id: the question's id.
        answer: the answer as it is written; None where a question came back without one.
        place: file and line.

    """

    id: str
    answer: str | None
    place: str


def read_replies(path: str, max_line: int = MAX_LINE) -> list[Reply]:
    """Read a file of answers, in the order in which they stand there."""
    source = load(path, side="answers")
    check_line_lengths(source, 0, source.size, max_line)
    if not looks_like_json(head_of(source)):
        return _from_table(source)
    objects = JsonObjects(source)
    places = objects.offset.tolist()
    return [reply for place, each in zip(places, objects, strict=True) for reply in _of(Fields(source, place, each))]


def _of(record: Fields) -> Iterator[Reply]:
    """Give the answers of one record: a task of Label Studio may have several."""
    place = str(record.source.locate(record.place))
    if type(record.given.get("data")) is not dict:
        yield Reply(_id(record), _answer(record), place)
        return
    id_ = _id(record.inner("data"))
    answers = [_chosen(each) for each in record.objects("annotations") if not each.given.get("was_cancelled")]
    for answer in answers or [None]:
        yield Reply(id_, answer, place)


def _id(record: Fields) -> str:
    found = record.given.get(QUESTION_ID, record.given.get(ID))
    if type(found) is not str or not found:
        raise record.refuse(f"there is no {record.path(ID)!r} that says which question is answered", hint=_SHAPE)
    return found


def _answer(record: Fields) -> str | None:
    """Return an answer as it stands in our own records, in Prodigy's, or in the short export of Label Studio."""
    found = record.given.get(ANSWER)
    if type(record.given.get("options")) is list and type(found) is str and found:
        return _option(record, found)
    if type(found) is dict:
        found = _only(record, record.inner(ANSWER).items("choices"))
    if type(found) is bool:
        return "yes" if found else "no"
    if found is None or type(found) is str:
        return (found or "").strip() or None
    raise record.bad(ANSWER, "a text", _SHAPE)


def _option(record: Fields, answer: str) -> str:
    """Return what was chosen in Prodigy; whoever rejects or ignores all options does not say what is right."""
    return (_only(record, record.items("accept")) if answer == "accept" else None) or "unsure"


def _chosen(annotation: Fields) -> str | None:
    """Return what one annotation of Label Studio chooses."""
    chosen: list[Any] = []
    for each in annotation.objects("result"):
        if each.given.get("type") == "choices":
            chosen += each.inner("value").items("choices")
    return _only(annotation, chosen)


def _only(record: Fields, chosen: list[Any]) -> str | None:
    if len(chosen) > 1:
        raise record.refuse(f"{len(chosen)} options are chosen: {', '.join(map(str, chosen))}", hint="choose one")
    return str(chosen[0]) if chosen else None


def _from_table(source: Source) -> list[Reply]:
    """Read CSV or TSV with a header; spreadsheets may have put semicolons between the columns."""
    for separator in _SEPARATORS:
        cells = Cells(source=source, dialect=Dialect(separator, quotes=True))
        _, rows = cells.first_rows(1)
        names = [name.strip().lower() for name in rows[0]] if rows else []
        if ID in names and ANSWER in names:
            cells.scan(Layout(len(names), rows[0], (names.index(ID), names.index(ANSWER))))
            return [
                _row(source, offset, *each) for offset, each in zip(cells.offset.tolist(), cells.cells, strict=True)
            ]
    what = f"there are no columns {ID!r} and {ANSWER!r}, and it is no JSON"
    raise ReadError(what, where=f"{source.parts[0].name}:1", hint=_SHAPE)


def _row(source: Source, offset: int, id_: str, answer: str) -> Reply:
    if not id_.strip():
        raise refuse(source, offset, f"the row has no {ID!r}")
    return Reply(id_, answer.strip() or None, str(source.locate(offset)))

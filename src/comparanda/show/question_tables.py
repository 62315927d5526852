"""Questions for a reviewer: as a list to read, as records to fill in, and as tasks of annotation tools.

Tasks of Prodigy are described at https://prodi.gy/docs/api-interfaces, those of Label Studio at
https://labelstud.io/guide/task_format and https://labelstud.io/tags/choices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from comparanda.show.cells import cell, counted
from comparanda.show.table import Field, Table, cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from comparanda.comparison.questions import Ask, Claimed, Questions

QUESTIONS = "questions"
"""The name of the table of questions, which terminals show as a list."""

_YES_OR_NO = ("yes", "no", "unsure")
_GROUP = ("always", "never", "mixed", "unsure")

_RECORD = (
    Field("number", "number", "figure"),
    Field("id", "id"),
    Field("question", "question"),
    Field("kind", "kind"),
    Field("document", "document"),
    Field("place", "place"),
    Field("begin", "begin", "figure"),
    Field("end", "end", "figure"),
    Field("word", "word"),
    Field("label", "label"),
    Field("options", "options"),
    Field("probability", "probability", "number"),
    Field("text", "text"),
    Field("answer", "answer"),
)


def question_tables(finding: Questions, top: int | None) -> tuple[Table, ...]:
    """Return the list of questions, each with its words around it, and what is known without a key."""
    fields = (
        Field("number", "", "figure"),
        Field("question", "question"),
        Field("probability", "%", "share"),
        Field("document", "document"),
        Field("place", "place"),
        Field("text", "text"),
    )
    rows = [
        (each.number, each.question, each.probability, each.document, each.place, _marked(each))
        for each in finding.questions
    ]
    kept, more = cut(rows, top, 0, "question", "questions")
    left = f"{finding.uncertain:,} of {counted(finding.tuples, 'tuple')} uncertain"
    title = f"Questions by {finding.strategy}: {left}"
    return (Table(QUESTIONS, title, fields, kept, (*more, *_notes(finding))), _claimed_table(finding))


def question_records(finding: Questions, top: int = 0) -> Table:
    """Return the questions with all that a record needs, and room for an answer."""
    rows = tuple(
        (
            each.number,
            each.id,
            each.question,
            each.kind,
            each.document,
            each.place,
            each.begin,
            each.end,
            each.word,
            each.label,
            " | ".join(answers_to(each)),
            each.probability,
            _marked(each),
            None,
        )
        for each in finding.questions
    )
    return Table(QUESTIONS, "Questions", _RECORD, cut(list(rows), top, 0, "question", "questions")[0])


def answers_to(each: Ask) -> tuple[str, ...]:
    """Return what a question can be answered by."""
    if each.options:
        return (*(option.name for option in each.options), "unsure")
    return _GROUP if each.kind == "group" else _YES_OR_NO


def _marked(each: Ask) -> str:
    return f"{each.before}[{each.word}]{each.after}"


def _notes(finding: Questions) -> tuple[str, ...]:
    left = _nothing_left(finding)
    if finding.answers is None:
        return left
    given = finding.answers
    parts = {
        "without an answer": given.blank,
        "unsure": given.unsure,
        "answered again further down": given.repeated,
        "about something that is not in this output": given.unknown,
        "against what was certain": given.contradictions,
    }
    said = "; ".join(f"{count:,} {what}" for what, count in parts.items() if count)
    took = f"{given.effective:,} of {counted(given.given, 'answer')} took effect"
    return (*left, f"{took}; {said}" if said else took)


def _nothing_left(finding: Questions) -> tuple[str, ...]:
    """Say that the list is empty because there is nothing to ask."""
    if finding.questions or not finding.count:
        return ()
    if not finding.uncertain:
        return ("nothing uncertain is left to ask about",)
    return ("all that is uncertain has been asked about (--again asks again what was answered by unsure)",)


def _claimed_table(finding: Questions) -> Table:
    """Return the scores that the output gives itself, now and after these questions."""
    fields = (
        Field("when", ""),
        Field("precision", "precision", "share"),
        Field("recall", "recall", "share"),
        Field("f1", "f1", "share"),
    )
    rows = [_claimed("now", finding.claimed)]
    if finding.expected is not None and finding.questions:
        rows.append(_claimed(f"after {counted(len(finding.questions), 'answer')}, expected", finding.expected))
    notes = (
        "these take the probabilities at their word, and know nothing of what the output has missed: "
        "only a key tells the true scores",
        f"doubt left: {cell('number', round(finding.entropy, 1))} bits",
    )
    return Table("claimed", "What the output claims of itself", fields, tuple(rows), notes)


def _claimed(when: str, scores: Claimed) -> tuple[Any, ...]:
    return when, scores.precision, scores.recall, scores.f1


def as_prodigy(finding: Questions) -> str:
    """Write the questions as tasks of Prodigy, one a line: to be accepted or rejected, or with options to choose."""
    return "".join(msgspec.json.encode(_example(each)).decode() + "\n" for each in finding.questions)


def _example(each: Ask) -> dict[str, Any]:
    begin = len(each.before)
    span = {"start": begin, "end": begin + len(each.word), "label": each.label or "?"}
    task: dict[str, Any] = {
        "id": each.id,
        "text": each.before + each.word + each.after,
        "spans": [span],
        "meta": {"question": each.question, "document": each.document, "probability": round(each.probability, 4)},
    }
    if each.options or each.kind == "group":
        task["options"] = [{"id": name, "text": name} for name in answers_to(each)]
    return task


def as_label_studio(finding: Questions) -> str:
    """Write the questions as tasks of Label Studio: one array, the answers to choose from beside each text."""
    tasks = [
        {
            "data": {
                "question_id": each.id,
                "question": each.question,
                "text": _marked(each),
                "options": [{"value": name} for name in answers_to(each)],
                "document": each.document,
                "probability": round(each.probability, 4),
            }
        }
        for each in finding.questions
    ]
    return msgspec.json.format(msgspec.json.encode(tasks), indent=2).decode() + "\n"


TOOLS: dict[str, Callable[[Questions], str]] = {"prodigy": as_prodigy, "label-studio": as_label_studio}
"""Whose tasks can be written, by name."""

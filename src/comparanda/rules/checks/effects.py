"""What the firing of one rule can do to the matches of another: make some, take some away, or change them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.rules.checks.meeting import apart, same_value
from comparanda.rules.checks.values import literal

if TYPE_CHECKING:
    from comparanda.rules.checks.readings import Reading, Write
    from comparanda.rules.checks.subjects import Question, Subject


def enters(writer: Reading, write: Write, subject: Subject) -> bool:
    """Whether a write can make conditions true of its row."""
    if write.subject.table != subject.table or not subject.tests(write.column):
        return False
    return not subject.surely(write.column, write.old) and can_hold_after(writer, write, subject)


def can_hold_after(writer: Reading, write: Write, subject: Subject) -> bool:
    """Whether conditions can hold of the row just written."""
    variable = write.subject.variable
    return not any(writer.after(variable, column).isdisjoint(subject.allowed(column)) for column in subject.columns)


def leaves(write: Write, subject: Subject) -> bool:
    """Whether a write can make conditions false that were true of its row."""
    if write.subject.table != subject.table or not subject.tests(write.column):
        return False
    if subject.surely(write.column, write.new):
        return False
    return not any(write.subject.allowed(column).isdisjoint(subject.allowed(column)) for column in subject.columns)


def changes_answer(writer: Reading, write: Write, question: Question) -> bool:
    """Whether a write can change what is answered to a question, in whatever way."""
    subject = question.subject
    if write.subject.table == subject.table and write.column in question.counted:
        return True
    return enters(writer, write, subject) or leaves(write, subject)


def answers_yes(writer: Reading, write: Write, question: Question) -> bool:
    """Whether a write can change the answer so that the rule that asks gets a match."""
    if question.rising is None:
        return changes_answer(writer, write, question)
    return enters(writer, write, question.subject) if question.rising else leaves(write, question.subject)


def answers_no(writer: Reading, write: Write, question: Question) -> bool:
    """Whether a write can change the answer so that the rule that asks loses a match."""
    if question.rising is None:
        return changes_answer(writer, write, question)
    return leaves(write, question.subject) if question.rising else enters(writer, write, question.subject)


def gives_matches(writer: Reading, write: Write, reader: Reading) -> bool:
    """Whether a write can make a condition of another rule, or of its own, true that was false."""
    rows = any(enters(writer, write, subject) for subject in reader.subjects.values())
    return rows or any(answers_yes(writer, write, question) for question in reader.questions)


def enables(writer: Reading, reader: Reading) -> bool:
    """Whether the firing of a rule can give another one, or itself, something to do that it had not."""
    concerning = (write for write in writer.writes if write.place in reader.touched)
    return any(gives_matches(writer, write, reader) or _gives_work(writer, write, reader) for write in concerning)


def _gives_work(writer: Reading, write: Write, reader: Reading) -> bool:
    """Whether a match that found everything set already can have something to set after a write."""
    if reader.always_changes:
        return False
    if any(changes_answer(writer, write, question) for question in reader.value_questions):
        return True
    return any(
        can_hold_after(writer, write, subject)
        for variable, subject in reader.subjects.items()
        if subject.table == write.subject.table and _bears_on(write, reader, variable)
    )


def _bears_on(write: Write, reader: Reading, variable: str) -> bool:
    """Whether a written column is one that a rule works values out from, or sets to something else."""
    if f"{variable}.{write.column}" in reader.value_names:
        return True
    mine = (each for each in reader.writes if each.subject.variable == variable and each.column == write.column)
    return any(not _agrees(write, reader, each) for each in mine)


def _agrees(write: Write, reader: Reading, other: Write) -> bool:
    """Whether what a write has left is what the other would write."""
    if other is write:
        return reader.is_own(write) or not reader.has_siblings(write.subject.variable)
    return literal(write.value) is not None and write.value == other.value


def disagree(first: Reading, write: Write, second: Reading, other: Write) -> bool:
    """Whether two writes can set the same cell at the same time, each to a value of its own."""
    if write.place != other.place:
        return False
    mine, theirs = write.subject.variable, other.subject.variable
    return not same_value(first, write, second, other) and not apart(first, mine, second, theirs)


def repeats(first: Reading, variable: str, second: Reading, other: str) -> bool:
    """Whether all that the second rule sets is set to the same by the first, where these variables are one row."""
    mine = [write for write in first.writes if write.subject.variable == variable]
    return all(
        write.subject.variable == other
        and any(each.column == write.column and same_value(first, each, second, write) for each in mine)
        for write in second.writes
    )

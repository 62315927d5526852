"""Question ids, the interpretation of replies, and review sessions with a real reviewer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.places import Note
from comparanda.errors import ReadError, suggest_nearest
from comparanda.feedback.protocol import KINDS, Question
from comparanda.feedback.simulation import Simulation

if TYPE_CHECKING:
    from comparanda.core.text_columns import Rows
    from comparanda.feedback.field import Field
    from comparanda.feedback.protocol import Answer, Plan
    from comparanda.formats.replies import Reply


NONE = "none"
"""The answer that none of the options is correct."""


class Names:
    """The ids of questions and the names of their options.

    Ids are built from what a question is about, so they are the same whenever the output is the same.

    Args:
        field: the tuples.
        documents: the names of the documents.

    """

    def __init__(self, field: Field, documents: Sequence[str]) -> None:
        self._each = field.candidates
        self._documents = documents
        beliefs = field.candidates.beliefs
        of_kind = {"span": beliefs.alternative, "choice": beliefs.block, "group": field.pairs}
        self._first = {
            "label": np.arange(len(field)),
            **{kind: _first_rows(number) for kind, number in of_kind.items()},
        }

    def leading(self, question: Question) -> Question:
        """Return the same question represented by the first tuple that it is about."""
        return Question(question.kind, int(self._first[question.kind][question.tuple_row]))

    def rows(self, question: Question) -> Rows:
        """Return the tuples that a question is about."""
        first = self._first[question.kind]
        return np.flatnonzero(first == first[question.tuple_row])

    def id(self, question: Question) -> str:
        """Return the id of a question: document, begin and end, label and kind."""
        return f"{self._tuple_id(self.leading(question).tuple_row)}:{question.kind}"

    def question(self, id_: str) -> Question | None:
        """Find the question with an id, given by any tuple that it is about; None if there is none."""
        name, _, ending = id_.rpartition(":")
        kind = next((each for each in KINDS if each == ending), None)
        row = self._row_of_id.get(name)
        return None if kind is None or row is None else self.leading(Question(kind, row))

    def label(self, row: int) -> str:
        """Return the label of a tuple."""
        return self._each.names[int(self._each.label[row])]

    def options(self, row: int) -> dict[str, int]:
        """Name the tuples of a block: by label if they share a span, else by label and text, and position if needed.

        The names do not depend on answers.
        """
        rows = self.rows(Question("choice", row)).tolist()
        spans = {int(self._each.beliefs.alternative[each]) for each in rows}
        names = [self._candidate_names(each)[len(spans) > 1 :] for each in rows]
        used = [Counter(level) for level in zip(*names, strict=True)]
        found: dict[str, int] = {}
        for number, (each, levels) in enumerate(zip(rows, names, strict=True), start=1):
            single = (name for name, level in zip(levels, used, strict=True) if level[name] == 1 and name != NONE)
            found[next(single, f"{levels[-1]} #{number}")] = each
        return found

    def _candidate_names(self, row: int) -> tuple[str, str, str]:
        """Return the possible names of a tuple: its label, label and text, or label, text and position."""
        label, each = self.label(row), self._each
        longer = f"{label} ‘{each.text[row]}’"
        return label, longer, f"{longer} {each.begin[row]}-{each.end[row]}"

    def _tuple_id(self, row: int) -> str:
        each, turn = self._each, int(self._duplicate_number[row])
        extent = f"{each.begin[row]}-{each.end[row]}{f'#{turn + 1}' if turn else ''}"
        return f"{self._documents[int(each.document[row])]}:{extent}:{self.label(row)}"

    @cached_property
    def _row_of_id(self) -> dict[str, int]:
        return {self._tuple_id(row): row for row in range(len(self._each))}

    @cached_property
    def _duplicate_number(self) -> Rows:
        """The number of earlier tuples with the same ends and label, which discontinuous spans may have."""
        columns = (self._each.label, self._each.end, self._each.begin, self._each.document)
        order = np.lexsort(columns)
        new = np.ones(len(order), np.bool_)
        new[1:] = np.any([column[order[1:]] != column[order[:-1]] for column in columns], axis=0)
        firsts = np.flatnonzero(new)
        turn = np.empty(len(order), np.int64)
        turn[order] = np.arange(len(order)) - np.repeat(firsts, np.diff(np.append(firsts, len(order))))
        return turn


def _first_rows(number: Rows) -> Rows:
    """Return for each row the first row with the same number.

    >>> _first_rows(np.array([7, 3, 7])).tolist()
    [0, 1, 0]
    """
    _, first, which = np.unique(number, return_index=True, return_inverse=True)
    found: Rows = first[which.reshape(-1)]
    return found


# Interpreting the replies of reviewers.


_ANSWER_WORDS: Mapping[str, Answer] = {
    **dict.fromkeys(("yes", "y", "true", "accept", "always"), "yes"),
    **dict.fromkeys(("no", "n", "false", "reject", "never"), "no"),
    **dict.fromkeys(("unsure", "?", "ignore"), "unsure"),
    **dict.fromkeys(("mixed", "sometimes"), "mixed"),
}


@dataclass(frozen=True, slots=True)
class Meaning:
    """The interpretation of a reply.

    Args:
        question: the question replied to.
        about: the question that the reply answers: a label question if a span question is answered by a label.
        answer: the answer.

    """

    question: Question
    about: Question
    answer: Answer

    @property
    def unsure(self) -> bool:
        """Whether the reviewer is unsure."""
        return self.answer == "unsure"


def interpret_reply(names: Names, question: Question, reply: Reply) -> Meaning:
    """Interpret a reply to a question; refuse one that is not a valid answer.

    A label given in place of yes or no means yes to that label; `none` means that the span is not an entity.
    """
    written = reply.answer or ""
    found, known = _INTERPRETERS[question.kind](names, question, written, _ANSWER_WORDS.get(written.casefold()))
    if found is None:
        what = f"{written!r} is not a valid answer to {reply.id!r}{suggest_nearest(written, known)}"
        raise ReadError(what, where=reply.place, hint=f"use one of: {', '.join([*known, 'unsure'])}")
    return Meaning(question, *found)


Found = tuple[tuple[Question, "Answer"] | None, Sequence[str]]
"""The question answered and the answer, None if the reply is invalid; and the valid answers."""


def _interpret_tuple_answer(names: Names, question: Question, written: str, word: Answer | None) -> Found:
    """Interpret a reply to a label or span question: yes, no, a label of the span, or none."""
    labels = {names.label(row): row for row in names.rows(Question("span", question.tuple_row)).tolist()}
    known = ("yes", "no", *labels, NONE)
    if word is not None and word != "mixed":
        return (question, word), known
    if written in labels:
        return (Question("label", labels[written]), "yes"), known
    return (Question("span", question.tuple_row), "no") if written.casefold() == NONE else None, known


def _interpret_choice(names: Names, question: Question, written: str, word: Answer | None) -> Found:
    """Interpret a reply to a choice: one of the options, or none."""
    options = names.options(question.tuple_row)
    known = (*options, NONE)
    if written in options:
        return (question, options[written]), known
    if written.casefold() == NONE:
        return (question, -1), known
    return (question, word) if word == "unsure" else None, known


def _interpret_group_answer(names: Names, question: Question, written: str, word: Answer | None) -> Found:
    """Interpret a reply to a group question: always, never, or mixed."""
    del names, written
    return (question, word) if word is not None else None, ("always", "never", "mixed")


_INTERPRETERS: Mapping[str, Callable[[Names, Question, str, Any], Found]] = {
    "label": _interpret_tuple_answer,
    "span": _interpret_tuple_answer,
    "choice": _interpret_choice,
    "group": _interpret_group_answer,
}


# Question sessions with a real reviewer.


_SHOWN_PLACES = 3


@dataclass(frozen=True, eq=False, kw_only=True)
class Places:
    """The positions of the tuples of an output in its documents.

    Args:
        documents: the names of the documents.
        texts: their texts.
        first: the character offset in its document at which each tuple begins.
        last: the offset after its last character.
        before: the offset at which its sentence begins.
        after: the offset after the end of its sentence.
        line: returns the file and line of a tuple.

    """

    documents: tuple[str, ...]
    texts: tuple[str, ...]
    first: Rows
    last: Rows
    before: Rows
    after: Rows
    line: Callable[[int], str | None]


@dataclass(frozen=True, kw_only=True)
class Answered:
    """The summary of the answers.

    Args:
        given: the number of questions returned.
        blank: the number of questions without an answer.
        repeated: the number of answers superseded by a later one to the same question.
        unknown: the number of answers that are not about this output.
        unsure: the number of answers that are unsure.
        effective: the number of answers that changed a probability.
        contradictions: the number of answers that contradict a certainty of the output or of earlier answers.

    """

    given: int
    blank: int
    repeated: int
    unknown: int
    unsure: int
    effective: int
    contradictions: int


class Asking:
    """A review session: questions about an output and their answers.

    Args:
        field: the tuples.
        plan: what is asked, and how.
        places: the positions of the tuples.

    """

    def __init__(self, field: Field, plan: Plan, places: Places) -> None:
        self.candidates = field.candidates
        self.plan = plan
        self.places = places
        self.names = Names(field, places.documents)
        self.simulation = Simulation(field, plan)

    def field(self) -> Field:
        """Return the tuples with their current probabilities."""
        field = self.simulation.field
        return replace(field, candidates=replace(field.candidates, beliefs=self.simulation.beliefs()))

    def next_questions(self, count: int) -> list[Question]:
        """Select the next questions; no block gets a second question before every other has its first."""
        found: dict[Question, None] = {}
        per_block = 1
        while len(found) < count:
            known = len(found)
            for each in self.simulation.ranking(count, per_block=per_block):
                found.setdefault(self.names.leading(each))
            if len(found) == known:
                break
            per_block += 1
        return list(found)[:count]

    def take(self, replies: Sequence[Reply], *, again: bool = False) -> tuple[Answered, list[Note]]:
        """Apply the last answer to each question, in order; return a summary of the answers, and notes.

        Args:
            replies: the replies.
            again: whether questions answered by unsure may be asked again.

        """
        about = [(reply, self.names.question(reply.id)) for reply in replies if reply.answer is not None]
        known = [(reply, question) for reply, question in about if question is not None]
        unknown = [reply for reply, question in about if question is None]
        if unknown and not known:
            raise _unrelated_answers_error(unknown)
        last = {question: place for place, (_, question) in enumerate(known)}
        repeated = [reply for place, (reply, question) in enumerate(known) if last[question] != place]
        held = [known[place] for place in sorted(last.values())]
        meant = [interpret_reply(self.names, question, reply) for reply, question in held]
        before = self.simulation.contradictions
        effective = sum(self._apply_answer(each) for each in meant if not (again and each.unsure))
        answered = Answered(
            given=len(replies),
            blank=sum(reply.answer is None for reply in replies),
            repeated=len(repeated),
            unknown=len(unknown),
            unsure=sum(each.unsure for each in meant),
            effective=effective,
            contradictions=self.simulation.contradictions - before,
        )
        return answered, [
            *_count_in_note("superseded by a later answer", repeated),
            *_count_in_note("not about this output, ignored", unknown),
        ]

    def _apply_answer(self, meant: Meaning) -> bool:
        """Apply an answer; return whether it changed any probability."""
        before = self.simulation.beliefs().weight
        self.simulation.take(meant.about, meant.answer)
        if meant.about != meant.question:
            self.simulation.take(meant.question, "unsure")  # changes nothing, but marks the question as asked
        return not np.array_equal(before, self.simulation.beliefs().weight)


def _count_in_note(what: str, replies: Sequence[Reply]) -> list[Note]:
    """Make a note that counts some replies, with the first places."""
    places = tuple(reply.place for reply in replies[:_SHOWN_PLACES])
    return [Note("answers", what, len(replies), places)] if replies else []


def _unrelated_answers_error(unknown: Sequence[Reply]) -> ReadError:
    """Make the error for answers of which none is about the output."""
    count = len(unknown)
    what = f"none of the {count:,} answers is" if count > 1 else "the only answer is not"
    hint = "check that the answers are to questions about this output"
    details = [f"the first is to {unknown[0].id!r}"]
    return ReadError(f"{what} about anything in this output", where=unknown[0].place, details=details, hint=hint)

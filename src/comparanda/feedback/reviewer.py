"""The ids of questions, made of what they are about: they are the same whenever the output is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.places import Note
from comparanda.errors import ReadError, nearest
from comparanda.feedback.protocol import KINDS, Question
from comparanda.feedback.simulation import Simulation

if TYPE_CHECKING:
    from comparanda.core.text_columns import Rows
    from comparanda.feedback.field import Field
    from comparanda.feedback.protocol import Answer, Plan
    from comparanda.formats.replies import Reply


NONE = "none"
"""The answer that none of the options is right."""


class Names:
    """What questions and their options are called.

    Args:
        field: the tuples.
        documents: the names of the documents.

    """

    def __init__(self, field: Field, documents: Sequence[str]) -> None:
        self._each = field.candidates
        self._documents = documents
        beliefs = field.candidates.beliefs
        of_kind = {"span": beliefs.alternative, "choice": beliefs.block, "group": field.pairs}
        self._first = {"label": np.arange(len(field)), **{kind: _first_of(number) for kind, number in of_kind.items()}}

    def leading(self, question: Question) -> Question:
        """Return the same question by the first tuple that it is about."""
        return Question(question.kind, int(self._first[question.kind][question.tuple_row]))

    def rows(self, question: Question) -> Rows:
        """Return the tuples that a question is about."""
        first = self._first[question.kind]
        return np.flatnonzero(first == first[question.tuple_row])

    def id(self, question: Question) -> str:
        """Return the id of a question: document, begin and end, label, kind."""
        return f"{self._tuple(self.leading(question).tuple_row)}:{question.kind}"

    def question(self, id_: str) -> Question | None:
        """Return the question that has an id, by any tuple that it is about; None if nothing there is meant."""
        name, _, ending = id_.rpartition(":")
        kind = next((each for each in KINDS if each == ending), None)
        row = self._rows.get(name)
        return None if kind is None or row is None else self.leading(Question(kind, row))

    def label(self, row: int) -> str:
        """Return the label of a tuple."""
        return self._each.names[int(self._each.label[row])]

    def options(self, row: int) -> dict[str, int]:
        """Return what the tuples of a block are called: by their labels if they are of one span, else by more.

        No answer changes these names.
        """
        rows = self.rows(Question("choice", row)).tolist()
        spans = {int(self._each.beliefs.alternative[each]) for each in rows}
        names = [self._names(each)[len(spans) > 1 :] for each in rows]
        used = [Counter(level) for level in zip(*names, strict=True)]
        found: dict[str, int] = {}
        for number, (each, levels) in enumerate(zip(rows, names, strict=True), start=1):
            single = (name for name, level in zip(levels, used, strict=True) if level[name] == 1 and name != NONE)
            found[next(single, f"{levels[-1]} #{number}")] = each
        return found

    def _names(self, row: int) -> tuple[str, str, str]:
        """Return what a tuple could be called: by its label, with its text, with its place."""
        label, each = self.label(row), self._each
        longer = f"{label} ‘{each.text[row]}’"
        return label, longer, f"{longer} {each.begin[row]}-{each.end[row]}"

    def _tuple(self, row: int) -> str:
        each, turn = self._each, int(self._turn[row])
        extent = f"{each.begin[row]}-{each.end[row]}{f'#{turn + 1}' if turn else ''}"
        return f"{self._documents[int(each.document[row])]}:{extent}:{self.label(row)}"

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {self._tuple(row): row for row in range(len(self._each))}

    @cached_property
    def _turn(self) -> Rows:
        """How many tuples before each have its ends and its label: discontinuous ones may."""
        columns = (self._each.label, self._each.end, self._each.begin, self._each.document)
        order = np.lexsort(columns)
        new = np.ones(len(order), np.bool_)
        new[1:] = np.any([column[order[1:]] != column[order[:-1]] for column in columns], axis=0)
        firsts = np.flatnonzero(new)
        turn = np.empty(len(order), np.int64)
        turn[order] = np.arange(len(order)) - np.repeat(firsts, np.diff(np.append(firsts, len(order))))
        return turn


def _first_of(number: Rows) -> Rows:
    """Return for each row the first with the same number.

    >>> _first_of(np.array([7, 3, 7])).tolist()
    [0, 1, 0]
    """
    _, first, which = np.unique(number, return_index=True, return_inverse=True)
    found: Rows = first[which.reshape(-1)]
    return found


# What reviewers mean by their answers.


_WORDS: Mapping[str, Answer] = {
    **dict.fromkeys(("yes", "y", "true", "accept", "always"), "yes"),
    **dict.fromkeys(("no", "n", "false", "reject", "never"), "no"),
    **dict.fromkeys(("unsure", "?", "ignore"), "unsure"),
    **dict.fromkeys(("mixed", "sometimes"), "mixed"),
}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one reply says.

    Args:
        question: what it replies to.
        about: the question that it answers by that.
        answer: the answer.

    """

    question: Question
    about: Question
    answer: Answer

    @property
    def unsure(self) -> bool:
        """Whether the reviewer does not know."""
        return self.answer == "unsure"


def meaning(names: Names, question: Question, reply: Reply) -> Meaning:
    """Return what a reply to a question says; refuse one that means nothing.

    Who names a label, and not yes or no, says yes to it; `none` says that the span is no entity.
    """
    said = reply.answer or ""
    found, known = _TO[question.kind](names, question, said, _WORDS.get(said.casefold()))
    if found is None:
        what = f"{said!r} is no answer to {reply.id!r}{nearest(said, known)}"
        raise ReadError(what, where=reply.place, hint=f"answers: {', '.join([*known, 'unsure'])}")
    return Meaning(question, *found)


Found = tuple[tuple[Question, "Answer"] | None, Sequence[str]]
"""What is answered, None if that has no meaning; and the answers that have one."""


def _to_tuple(names: Names, question: Question, said: str, word: Answer | None) -> Found:
    """Take yes or no to a label or a span, a label of the span, or none."""
    labels = {names.label(row): row for row in names.rows(Question("span", question.tuple_row)).tolist()}
    known = ("yes", "no", *labels, NONE)
    if word is not None and word != "mixed":
        return (question, word), known
    if said in labels:
        return (Question("label", labels[said]), "yes"), known
    return (Question("span", question.tuple_row), "no") if said.casefold() == NONE else None, known


def _to_choice(names: Names, question: Question, said: str, word: Answer | None) -> Found:
    """Take one of the options, or none of them."""
    options = names.options(question.tuple_row)
    known = (*options, NONE)
    if said in options:
        return (question, options[said]), known
    if said.casefold() == NONE:
        return (question, -1), known
    return (question, word) if word == "unsure" else None, known


def _to_group(names: Names, question: Question, said: str, word: Answer | None) -> Found:
    """Take always, never, or neither."""
    del names, said
    return (question, word) if word is not None else None, ("always", "never", "mixed")


_TO: Mapping[str, Callable[[Names, Question, str, Any], Found]] = {
    "label": _to_tuple,
    "span": _to_tuple,
    "choice": _to_choice,
    "group": _to_group,
}


# A run of questions whose answers come from outside: those of a real reviewer.


_FIRST = 3


@dataclass(frozen=True, eq=False, kw_only=True)
class Places:
    """Where the tuples of an output stand in its documents.

    Args:
        documents: the names of the documents.
        texts: their texts.
        first: the character of its document's text at which each tuple begins.
        last: the character behind it.
        before: the character at which its sentence begins.
        after: the character behind its sentence.
        line: gives file and line of a tuple.

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
    """What became of the answers.

    Args:
        given: how many questions came back.
        blank: how many of them without an answer.
        repeated: how many were answered again further down: the last answer holds.
        unknown: how many are about something that this output does not have.
        unsure: how many reviewers did not know.
        effective: how many changed what is believed.
        contradictions: how many are against what was certain, by the output or by earlier answers.

    """

    given: int
    blank: int
    repeated: int
    unknown: int
    unsure: int
    effective: int
    contradictions: int


class Asking:
    """Questions about an output, and what was answered.

    Args:
        field: the tuples.
        plan: what is asked, and how.
        places: where the tuples stand.

    """

    def __init__(self, field: Field, plan: Plan, places: Places) -> None:
        self.candidates = field.candidates
        self.plan = plan
        self.places = places
        self.names = Names(field, places.documents)
        self.simulation = Simulation(field, plan)

    def field(self) -> Field:
        """Return the tuples as they are believed now."""
        field = self.simulation.field
        return replace(field, candidates=replace(field.candidates, beliefs=self.simulation.beliefs()))

    def next_questions(self, count: int) -> list[Question]:
        """Return the questions to ask now; no block has a second one before every other has its first."""
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
        """Take answers in their order, the last one to each question; return what became of them, and what to note.

        Args:
            replies: what came back.
            again: whether questions whose answer is unsure may be asked again.

        """
        about = [(reply, self.names.question(reply.id)) for reply in replies if reply.answer is not None]
        known = [(reply, question) for reply, question in about if question is not None]
        unknown = [reply for reply, question in about if question is None]
        if unknown and not known:
            raise _of_another(unknown)
        last = {question: place for place, (_, question) in enumerate(known)}
        repeated = [reply for place, (reply, question) in enumerate(known) if last[question] != place]
        held = [known[place] for place in sorted(last.values())]
        meant = [meaning(self.names, question, reply) for reply, question in held]
        before = self.simulation.contradictions
        effective = sum(self._took(each) for each in meant if not (again and each.unsure))
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
            *_noted("given again further down, where the last one holds", repeated),
            *_noted("about something that is not in this output, ignored", unknown),
        ]

    def _took(self, meant: Meaning) -> bool:
        """Take an answer; return whether it changed what is believed."""
        before = self.simulation.beliefs().weight
        self.simulation.take(meant.about, meant.answer)
        if meant.about != meant.question:
            self.simulation.take(meant.question, "unsure")  # changes nothing, and it is not asked any more
        return not np.array_equal(before, self.simulation.beliefs().weight)


def _noted(what: str, replies: Sequence[Reply]) -> list[Note]:
    """Note answers of one sort, with the first places."""
    places = tuple(reply.place for reply in replies[:_FIRST])
    return [Note("answers", what, len(replies), places)] if replies else []


def _of_another(unknown: Sequence[Reply]) -> ReadError:
    """Make the error for answers that have nothing to do with an output."""
    count = len(unknown)
    what = f"none of the {count:,} answers is" if count > 1 else "the only answer is not"
    hint = "answers have the ids of their questions: was something else asked about?"
    details = [f"the first is about {unknown[0].id!r}"]
    return ReadError(f"{what} about anything in this output", where=unknown[0].place, details=details, hint=hint)

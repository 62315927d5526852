"""A run of questions whose answers come from outside: those of a real reviewer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.errors import ReadError
from comparanda.feedback.meanings import Meaning, meaning
from comparanda.feedback.naming import Names
from comparanda.feedback.simulation import Simulation
from comparanda.places import Note

if TYPE_CHECKING:
    from comparanda.columns import Rows
    from comparanda.feedback.field import Field
    from comparanda.feedback.plan import Plan
    from comparanda.feedback.question import Question
    from comparanda.read.replies import Reply

_FIRST = 3


@dataclass(frozen=True, eq=False)
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


@dataclass(frozen=True)
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

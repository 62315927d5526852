"""What reviewers mean by their answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from comparanda.errors import ReadError, nearest
from comparanda.feedback.naming import NONE, Names
from comparanda.feedback.question import Question

if TYPE_CHECKING:
    from comparanda.feedback.question import Answer
    from comparanda.read.replies import Reply

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

"""The questions that a reviewer should answer first, in words, and what an output claims of itself without a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.comparison.finding import Finding
from comparanda.feedback.asking import Answered
from comparanda.feedback.naming import NONE
from comparanda.feedback.outlook import Sight, expected_change
from comparanda.feedback.state import uncertain
from comparanda.feedback.tally import CLAIMED, DOUBT, FOUND, MASS, Tally
from comparanda.feedback.units import units_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.beliefs.model import Floats
    from comparanda.columns import Rows
    from comparanda.feedback.asking import Asking
    from comparanda.feedback.field import Field
    from comparanda.feedback.question import Question

AROUND = 120
"""How many characters of a sentence are shown on each side of a span, at most."""

_CUT = "…"
_VOWELS = frozenset("AEIOUaeiou")


@dataclass(frozen=True)
class Option:
    """One of several answers: what it is called, the span and label it means, and how probable they are."""

    name: str
    label: str | None
    text: str | None
    begin: int | None
    end: int | None
    probability: float


@dataclass(frozen=True)
class Ask:
    """One question.

    Args:
        number: its place in the list, from 1.
        id: what an answer must name; the same whenever the output is the same.
        question: the question in words.
        kind: whether a label, a span, one of several, or all occurrences of a text are asked about.
        document: the document's name.
        place: file and line of the span in the output.
        begin: where the span begins in its document, in words or characters; of several, the first.
        end: where it ends; of several, the last.
        before: the sentence before the span, white space as blanks.
        word: the span.
        after: the sentence behind it.
        label: the label asked about; None where it is not about one.
        options: the answers to choose from; empty for questions that are answered by yes or no.
        probability: how probable a yes is; of options, the best one.
        occurrences: how many tuples the question is about.

    """

    number: int
    id: str
    question: str
    kind: str
    document: str
    place: str | None
    begin: int
    end: int
    before: str
    word: str
    after: str
    label: str | None
    options: tuple[Option, ...]
    probability: float
    occurrences: int


@dataclass(frozen=True)
class Claimed:
    """Scores that an output gives itself, taking its probabilities at their word; None where undefined."""

    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class Questions(Finding):
    """Which questions to ask a reviewer next.

    Args:
        system: the output's name.
        strategy: by which they are chosen.
        kind: what is asked about: label, span, choice or group.
        handler: how far an answer reaches: basic or statistical.
        scope: the condition that tuples fulfil which are asked about; None for all.
        count: how many questions were asked for.
        tuples: how many tuples are in that scope.
        blocks: how many blocks they stand in.
        uncertain: how many of them are neither certain nor ruled out.
        entropy: how much doubt is left, in bits: the sum over tuples.
        claimed: the scores that the output gives itself now.
        expected: the same after these questions, on average over the answers that it expects; None where that cannot
            be told.
        answers: what became of the answers that were given; None if there were none.
        questions: the questions, the first to ask first.

    """

    system: str
    strategy: str
    kind: str
    handler: str
    scope: str | None
    count: int
    tuples: int
    blocks: int
    uncertain: int
    entropy: float
    claimed: Claimed
    expected: Claimed | None
    answers: Answered | None
    questions: tuple[Ask, ...]


def questions(
    asking: Asking, count: int, *, system: str = "output", where: str | None = None, answers: Answered | None = None
) -> Questions:
    """Return the next questions.

    Args:
        asking: the run, with the answers that it has.
        count: how many questions to ask.
        system: the output's name.
        where: the condition that tuples fulfil which are asked about.
        answers: what became of the answers.

    """
    field, plan = asking.field(), asking.plan
    sight = Sight(
        field, plan, units_of(field, plan.kind), field.start, Tally(field, plan.decide, plan.min_weight, field.start)
    )
    sums, weight = sight.tally.sums, field.candidates.beliefs.weight
    chosen = asking.next_questions(count)
    wording = _Wording(asking, field)
    return Questions(
        system=system,
        strategy=plan.strategy,
        kind=plan.kind,
        handler=plan.handler,
        scope=where,
        count=count,
        tuples=int(field.scope.sum()),
        blocks=len(np.unique(field.candidates.beliefs.block[field.scope])),
        uncertain=int((uncertain(weight) & field.scope).sum()),
        entropy=float(sums[DOUBT]),
        claimed=_claimed(sums),
        expected=_expected(sight, chosen),
        answers=answers,
        questions=tuple(wording.asked(number, each) for number, each in enumerate(chosen, start=1)),
    )


def _claimed(sums: Floats) -> Claimed:
    """Return the scores of a hard output in which each tuple is right with its own probability."""
    found, claimed, mass = (float(sums[each]) for each in (FOUND, CLAIMED, MASS))
    return Claimed(_share(claimed, found), _share(claimed, mass), _share(2 * claimed, found + mass))


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


def _expected(sight: Sight, chosen: Sequence[Question]) -> Claimed | None:
    """Return the scores claimed after questions, from the expected counts.

    Answers about different blocks are independent, and the weights of all tuples together are expected to stay. That
    does not hold of texts, of answers that reach further than their block, and of several questions about one block;
    and of a choice where several can be right nobody knows which one is named.
    """
    rows, beliefs = np.array([each.tuple_row for each in chosen], np.int64), sight.field.candidates.beliefs
    blocks = beliefs.block[rows]
    open_choice = sight.plan.kind == "choice" and not beliefs.exclusive[blocks].all()
    further = sight.plan.kind == "group" or sight.plan.handler == "statistical"
    if open_choice or further or len(np.unique(blocks)) < len(blocks):
        return None
    sums = sight.tally.sums.copy()
    if len(rows):
        claimed, found = expected_change(sight, sight.units.unit[rows])
        sums[CLAIMED] += claimed.sum()
        sums[FOUND] += found.sum()
    return _claimed(sums)


class _Wording:
    """Questions put into words."""

    def __init__(self, asking: Asking, field: Field) -> None:
        self.names = asking.names
        self.places = asking.places
        self.each = field.candidates
        self.beliefs = field.candidates.beliefs

    def asked(self, number: int, question: Question) -> Ask:
        """Put a question into words, with the words around it."""
        row, rows = question.tuple_row, self._rows(question)
        among = self._options(row, rows) if question.kind == "choice" else ()
        shown = rows if question.kind == "choice" else np.array([row])
        before, word, after = self._around(shown)
        named = question.kind in {"label", "group"}
        return Ask(
            number=number,
            id=self.names.id(question),
            question=self._said(question, word, among),
            kind=question.kind,
            document=self.places.documents[int(self.each.document[row])],
            place=self.places.line(row),
            begin=int(self.each.begin[shown].min()),
            end=int(self.each.end[shown].max()),
            before=before,
            word=word,
            after=after,
            label=self.names.label(row) if named else None,
            options=among,
            probability=self._probability(question, rows),
            occurrences=len(rows),
        )

    def _rows(self, question: Question) -> Rows:
        """Return the tuples that a question is about, as far as they are possible."""
        rows = self.names.rows(question)
        possible = rows[self.beliefs.weight[rows] > 0]
        return possible if len(possible) else rows

    def _said(self, question: Question, word: str, among: tuple[Option, ...]) -> str:
        text = f"‘{word}’"
        if question.kind == "span":
            return f"Is {text} an entity?"
        if question.kind == "choice":
            named = f"{', '.join(option.name for option in among[:-1])} or {among[-1].name}"
            spans = {(option.begin, option.end) for option in among[:-1]}
            return f"What is {text}: {named}?" if len(spans) == 1 else f"Which is right: {named}?"
        label = self.names.label(question.tuple_row)
        always = "always " if question.kind == "group" else ""
        return f"Is {text} {always}{'an' if label[:1] in _VOWELS else 'a'} {label}?"

    def _options(self, row: int, rows: Rows) -> tuple[Option, ...]:
        """Return the tuples to choose from, the most probable first, and that none of them is right."""
        weight, among = self.beliefs.weight, set(rows.tolist())
        named = {name: other for name, other in self.names.options(row).items() if other in among}
        found = [
            Option(
                name,
                self.names.label(other),
                self.each.text[other],
                int(self.each.begin[other]),
                int(self.each.end[other]),
                float(weight[other]),
            )
            for name, other in sorted(named.items(), key=lambda pair: (-weight[pair[1]], pair[1]))
        ]
        return (*found, Option(NONE, None, None, None, None, self._nothing(rows)))

    def _nothing(self, rows: Rows) -> float:
        """Return the probability that no tuple of one block is right."""
        block, worlds = int(self.beliefs.block[rows[0]]), self.beliefs.worlds
        if worlds is None or self.beliefs.exclusive[block]:
            return float(max(0.0, 1.0 - self.beliefs.weight[rows].sum()))
        filled = np.unique(worlds.world[np.isin(worlds.member, rows)])
        return float(max(0.0, 1.0 - worlds.probability[filled].sum()))

    def _probability(self, question: Question, rows: Rows) -> float:
        weight = self.beliefs.weight[rows]
        if question.kind == "span":
            return float(self.beliefs.entity[question.tuple_row])
        return float(weight.mean() if question.kind == "group" else weight.max())

    def _around(self, rows: Rows) -> tuple[str, str, str]:
        """Return what tuples cover of the text, and the sentence on both sides, cut if it is long."""
        places = self.places
        text = places.texts[int(self.each.document[rows[0]])]
        first, last = int(places.first[rows].min()), int(places.last[rows].max())
        if last > len(text):  # a text that stands nowhere
            return "", self.each.text[int(rows[0])], ""
        before = _plain(text[int(places.before[rows].min()) : first])
        after = _plain(text[last : int(places.after[rows].max())])
        return shortened(before[::-1])[::-1], _plain(text[first:last]), shortened(after)


def _plain(text: str) -> str:
    """Return a text of the same length in which all white space is blanks."""
    return "".join(" " if character.isspace() else character for character in text)


def shortened(text: str, most: int = AROUND) -> str:
    """Cut a text behind the last whole word that fits.

    >>> shortened("the quick brown fox", 12), shortened("short", 12)
    ('the quick …', 'short')
    """
    if len(text) <= most:
        return text
    cut = text.rfind(" ", 1, most)
    return (text[:cut].rstrip() + " " if cut > 0 else text[: most - 1]) + _CUT

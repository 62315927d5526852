"""The questions that a reviewer should answer first, the scores claimed without a key, and annotation tool formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.feedback.field import units_of
from comparanda.feedback.reviewer import NONE, Answered
from comparanda.feedback.state import is_uncertain
from comparanda.feedback.tally import CLAIMED, DOUBT, FOUND, MASS, StrategyData, Tally, expected_change
from comparanda.render.finding import Finding
from comparanda.render.table import Field as TableField
from comparanda.render.table import Table, cut_rows, format_cell, format_count

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from comparanda.core.probabilities import Floats
    from comparanda.core.text_columns import Rows
    from comparanda.feedback.field import Field
    from comparanda.feedback.protocol import Question
    from comparanda.feedback.reviewer import Asking


AROUND = 120
"""The maximum number of characters of a sentence shown on each side of a span."""

_ELLIPSIS = "…"
_VOWELS = frozenset("AEIOUaeiou")


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option of a choice: its name, its span and label, and their probability."""

    name: str
    label: str | None
    text: str | None
    begin: int | None
    end: int | None
    probability: float


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One question.

    Args:
        number: its position in the list, from 1.
        id: the id that an answer must give; the same whenever the output is the same.
        question: the question in words.
        kind: whether a label, a span, one of several, or all occurrences of a text are asked about.
        document: the document's name.
        place: file and line of the span in the output.
        begin: the begin of the span in its document, in words or characters; of several, the first.
        end: the end of the span; of several, the last.
        before: the sentence before the span, with white space as spaces.
        word: the text of the span.
        after: the sentence after the span.
        label: the label asked about; None where the question is not about a label.
        options: the answers to choose from; empty for questions that are answered by yes or no.
        probability: the probability of yes; of options, that of the best one.
        occurrences: the number of tuples that the question is about.

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
    """The expected scores of an output under its own probabilities; None where undefined."""

    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, kw_only=True)
class Questions(Finding):
    """The questions to ask a reviewer next.

    Args:
        system: the output's name.
        strategy: the strategy that selects the questions.
        kind: what is asked about: label, span, choice or group.
        handler: what an answer affects: basic or statistical.
        scope: the condition on the tuples asked about; None for all.
        count: the number of questions requested.
        tuples: the number of tuples in the scope.
        blocks: the number of blocks of these tuples.
        uncertain: the number of tuples that are neither certain nor ruled out.
        entropy: the remaining entropy in bits: the sum over tuples.
        claimed: the expected scores of the output under its own probabilities.
        expected: the same after these questions, on average over the expected answers; None where they cannot be
            computed.
        answers: the summary of the answers so far; None if there were none.
        questions: the questions, in the order in which to ask them.

    """

    json_name = "questions"

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

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        return question_tables(self, top)

    def main_table(self, top: int = 0) -> Table:
        """Return the table of the finding's rows."""
        return question_records(self, top)

    def print_to(self, console: Console, top: int | None = None) -> None:
        """Print the finding in a terminal."""
        from comparanda.render.console import print_questions, print_table

        for table in self.tables(top):
            if table.name == QUESTIONS:
                print_questions(table, console)
            elif not table.folded:
                print_table(table, console)


def select_questions(
    asking: Asking, count: int, *, system: str = "output", where: str | None = None, answers: Answered | None = None
) -> Questions:
    """Select the next questions of a review session.

    Args:
        asking: the session, with the answers so far.
        count: the number of questions.
        system: the name of the output.
        where: the condition on the tuples asked about.
        answers: the summary of the answers so far.

    """
    field, plan = asking.field(), asking.plan
    context = StrategyData(
        field=field,
        plan=plan,
        units=units_of(field, plan.kind),
        state=field.start,
        tally=Tally(field, plan.decide, plan.min_weight, field.start),
    )
    sums, weight = context.tally.sums, field.candidates.beliefs.weight
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
        uncertain=int((is_uncertain(weight) & field.scope).sum()),
        entropy=float(sums[DOUBT]),
        claimed=_claimed_scores(sums),
        expected=_expected_scores(context, chosen),
        answers=answers,
        questions=tuple(wording.word_question(number, each) for number, each in enumerate(chosen, start=1)),
    )


def _claimed_scores(sums: Floats) -> Claimed:
    """Compute the expected scores of the hard output if each tuple is correct with its own probability."""
    found, claimed, mass = (float(sums[each]) for each in (FOUND, CLAIMED, MASS))
    return Claimed(_divide(claimed, found), _divide(claimed, mass), _divide(2 * claimed, found + mass))


def _divide(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


def _expected_scores(context: StrategyData, chosen: Sequence[Question]) -> Claimed | None:
    """Compute the scores claimed after questions from the expected counts; None where they cannot be computed.

    Answers about different blocks are independent, and the expected total weight of all tuples is constant. This does
    not hold for group questions, for answers that affect other blocks, and for several questions about one block; in a
    choice where several tuples can be correct, it is not known which one will be named.
    """
    rows, beliefs = np.array([each.tuple_row for each in chosen], np.int64), context.field.candidates.beliefs
    blocks = beliefs.block[rows]
    open_choice = context.plan.kind == "choice" and not beliefs.exclusive[blocks].all()
    further = context.plan.kind == "group" or context.plan.handler == "statistical"
    if open_choice or further or len(np.unique(blocks)) < len(blocks):
        return None
    sums = context.tally.sums.copy()
    if len(rows):
        claimed, found = expected_change(context, context.units.unit[rows])
        sums[CLAIMED] += claimed.sum()
        sums[FOUND] += found.sum()
    return _claimed_scores(sums)


class _Wording:
    """Builds the text of questions."""

    def __init__(self, asking: Asking, field: Field) -> None:
        self.names = asking.names
        self.places = asking.places
        self.each = field.candidates
        self.beliefs = field.candidates.beliefs

    def word_question(self, number: int, question: Question) -> Ask:
        """Build the text of a question, with its context in the sentence."""
        row, rows = question.tuple_row, self._possible_rows(question)
        among = self._options(row, rows) if question.kind == "choice" else ()
        shown = rows if question.kind == "choice" else np.array([row])
        before, word, after = self._split_sentence(shown)
        named = question.kind in {"label", "group"}
        return Ask(
            number=number,
            id=self.names.id(question),
            question=self._question_text(question, word, among),
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

    def _possible_rows(self, question: Question) -> Rows:
        """Return the possible tuples that a question is about; if there are none, all of them."""
        rows = self.names.rows(question)
        possible = rows[self.beliefs.weight[rows] > 0]
        return possible if len(possible) else rows

    def _question_text(self, question: Question, word: str, among: tuple[Option, ...]) -> str:
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
        """List the options of a choice, the most probable first and the option that none is correct last."""
        weight, among = self.beliefs.weight, set(rows.tolist())
        named = {name: other for name, other in self.names.options(row).items() if other in among}
        found = [
            Option(
                name=name,
                label=self.names.label(other),
                text=self.each.text[other],
                begin=int(self.each.begin[other]),
                end=int(self.each.end[other]),
                probability=float(weight[other]),
            )
            for name, other in sorted(named.items(), key=lambda pair: (-weight[pair[1]], pair[1]))
        ]
        return (
            *found,
            Option(name=NONE, label=None, text=None, begin=None, end=None, probability=self._none_probability(rows)),
        )

    def _none_probability(self, rows: Rows) -> float:
        """Compute the probability that no tuple of a block is correct."""
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

    def _split_sentence(self, rows: Rows) -> tuple[str, str, str]:
        """Return the text covered by tuples, and the shortened rest of the sentence on both sides."""
        places = self.places
        text = places.texts[int(self.each.document[rows[0]])]
        first, last = int(places.first[rows].min()), int(places.last[rows].max())
        if last > len(text):  # the text is not in the document
            return "", self.each.text[int(rows[0])], ""
        before = _replace_white_space(text[int(places.before[rows].min()) : first])
        after = _replace_white_space(text[last : int(places.after[rows].max())])
        return shorten_text(before[::-1])[::-1], _replace_white_space(text[first:last]), shorten_text(after)


def _replace_white_space(text: str) -> str:
    """Replace each white space character by a space."""
    return "".join(" " if character.isspace() else character for character in text)


def shorten_text(text: str, most: int = AROUND) -> str:
    """Cut a text after the last whole word that fits.

    >>> shorten_text("the quick brown fox", 12), shorten_text("short", 12)
    ('the quick …', 'short')
    """
    if len(text) <= most:
        return text
    cut = text.rfind(" ", 1, most)
    return (text[:cut].rstrip() + " " if cut > 0 else text[: most - 1]) + _ELLIPSIS


# Questions as a table, as records to fill in, and as tasks for annotation tools.
#
# Tasks of Prodigy are described at https://prodi.gy/docs/api-interfaces, those of Label Studio at
# https://labelstud.io/guide/task_format and https://labelstud.io/tags/choices.


QUESTIONS = "questions"
"""The name of the table of questions, which is rendered as a list in terminals."""

_YES_OR_NO = ("yes", "no", "unsure")
_GROUP_ANSWERS = ("always", "never", "mixed", "unsure")

_RECORD_FIELDS = (
    TableField("number", "number", "figure"),
    TableField("id", "id"),
    TableField("question", "question"),
    TableField("kind", "kind"),
    TableField("document", "document"),
    TableField("place", "place"),
    TableField("begin", "begin", "figure"),
    TableField("end", "end", "figure"),
    TableField("word", "word"),
    TableField("label", "label"),
    TableField("options", "options"),
    TableField("probability", "probability", "number"),
    TableField("text", "text"),
    TableField("answer", "answer"),
)


def question_tables(finding: Questions, top: int | None) -> tuple[Table, ...]:
    """Build the tables of the questions in context and of the scores claimed without a key."""
    fields = (
        TableField("number", "", "figure"),
        TableField("question", "question"),
        TableField("probability", "%", "share"),
        TableField("document", "document"),
        TableField("place", "place"),
        TableField("text", "text"),
    )
    rows = [
        (each.number, each.question, each.probability, each.document, each.place, _mark_word(each))
        for each in finding.questions
    ]
    kept, more = cut_rows(rows, top=top, usual=0, one="question", many="questions")
    left = f"{finding.uncertain:,} of {format_count(finding.tuples, 'tuple')} uncertain"
    title = f"Questions by {finding.strategy}: {left}"
    return (
        Table(name=QUESTIONS, title=title, fields=fields, rows=kept, notes=(*more, *_notes(finding))),
        _claimed_table(finding),
    )


def question_records(finding: Questions, top: int = 0) -> Table:
    """Build the table of question records with an empty answer column."""
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
            _mark_word(each),
            None,
        )
        for each in finding.questions
    )
    return Table(
        name=QUESTIONS,
        title="Questions",
        fields=_RECORD_FIELDS,
        rows=cut_rows(list(rows), top=top, usual=0, one="question", many="questions")[0],
    )


def answers_to(each: Ask) -> tuple[str, ...]:
    """List the valid answers to a question."""
    if each.options:
        return (*(option.name for option in each.options), "unsure")
    return _GROUP_ANSWERS if each.kind == "group" else _YES_OR_NO


def _mark_word(each: Ask) -> str:
    return f"{each.before}[{each.word}]{each.after}"


def _notes(finding: Questions) -> tuple[str, ...]:
    left = _note_empty_list(finding)
    if finding.answers is None:
        return left
    given = finding.answers
    parts = {
        "without an answer": given.blank,
        "unsure": given.unsure,
        "superseded by a later answer": given.repeated,
        "not about this output": given.unknown,
        "contradicting a certainty": given.contradictions,
    }
    details = "; ".join(f"{count:,} {what}" for what, count in parts.items() if count)
    took = f"{given.effective:,} of {format_count(given.given, 'answer')} took effect"
    return (*left, f"{took}; {details}" if details else took)


def _note_empty_list(finding: Questions) -> tuple[str, ...]:
    """Explain an empty list of questions."""
    if finding.questions or not finding.count:
        return ()
    if not finding.uncertain:
        return ("no uncertain tuples are left to ask about",)
    return ("all uncertain tuples have been asked about (--again repeats questions answered with unsure)",)


def _claimed_table(finding: Questions) -> Table:
    """Build the table of claimed scores, now and expected after these questions."""
    fields = (
        TableField("when", ""),
        TableField("precision", "precision", "share"),
        TableField("recall", "recall", "share"),
        TableField("f1", "f1", "share"),
    )
    rows = [_score_row("now", finding.claimed)]
    if finding.expected is not None and finding.questions:
        rows.append(_score_row(f"after {format_count(len(finding.questions), 'answer')}, expected", finding.expected))
    notes = (
        "expected scores under the output's own probabilities, blind to entities that it has missed: "
        "true scores require a key",
        f"remaining entropy: {format_cell('number', round(finding.entropy, 1))} bits",
    )
    return Table(name="claimed", title="Scores claimed by the output", fields=fields, rows=tuple(rows), notes=notes)


def _score_row(when: str, scores: Claimed) -> tuple[Any, ...]:
    return when, scores.precision, scores.recall, scores.f1


def as_prodigy(finding: Questions) -> str:
    """Format the questions as Prodigy tasks, one per line: to accept or reject, or with options to choose from."""
    return "".join(msgspec.json.encode(_prodigy_task(each)).decode() + "\n" for each in finding.questions)


def _prodigy_task(each: Ask) -> dict[str, Any]:
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
    """Format the questions as an array of Label Studio tasks, each with its text and the answers to choose from."""
    tasks = [
        {
            "data": {
                "question_id": each.id,
                "question": each.question,
                "text": _mark_word(each),
                "options": [{"value": name} for name in answers_to(each)],
                "document": each.document,
                "probability": round(each.probability, 4),
            }
        }
        for each in finding.questions
    ]
    return msgspec.json.format(msgspec.json.encode(tasks), indent=2).decode() + "\n"


TOOLS: dict[str, Callable[[Questions], str]] = {"prodigy": as_prodigy, "label-studio": as_label_studio}
"""The writers of tasks for annotation tools, by name."""

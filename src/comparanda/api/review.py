"""The public function `ask`: select questions about an output for a reviewer, and apply the answers so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.align.positions import KeyPositions
from comparanda.core.corpus import Spans
from comparanda.core.text_columns import TextColumn
from comparanda.errors import ReadError, UsageError, suggest_nearest
from comparanda.feedback.field import ALL, condition_of, field_in
from comparanda.feedback.protocol import STRATEGIES, Plan
from comparanda.feedback.questions import Questions, select_questions
from comparanda.feedback.reviewer import Asking, Places
from comparanda.feedback.state import is_uncertain
from comparanda.formats.probabilistic import Tuples, as_blocks
from comparanda.formats.replies import Reply, read_replies
from comparanda.pipeline import Setup, evaluate_prepared, prepare_systems, read_response, refuse_notes
from comparanda.result import Result

if TYPE_CHECKING:
    from comparanda.align import Aligned
    from comparanda.core.corpus import Corpus
    from comparanda.core.places import Note
    from comparanda.core.verdicts import Verdicts
    from comparanda.feedback.field import Field

TASK = "prob"
ORACLE = "oracle"
COUNT = 50
"""The default number of questions."""

_TEXT = "text"


@dataclass(frozen=True, eq=False)
class Review:
    """An output, updated by the answers of reviewers, and the next questions.

    Args:
        finding: the questions.
        result: the output as it was read, with its settings.
        asking: the review session.

    """

    finding: Questions
    result: Result
    asking: Asking

    @cached_property
    def updated(self) -> str:
        """The output as updated by the answers, as JSON lines that can be read again."""
        each, places = self.asking.candidates, self.asking.places
        beliefs = self.asking.simulation.beliefs()
        labels = TextColumn(each.label, each.names)
        tuples = Tuples(
            document=each.document.astype(np.int64), begin=places.first, end=places.last, label=labels, beliefs=beliefs
        )
        return as_blocks(places.documents, places.texts, tuples)


def ask(output: Any, count: int = COUNT, **settings: Any) -> Questions:
    """Select the questions about an output that a reviewer should answer first, without a key.

    Args:
        output: a path (`path::format?option=value`), or Python data, as for a system of `compare`.
        count: the number of questions.
        settings: `text`, `strategy`, `kind`, `handler`, `answers` … as for `prepare_review`.

    >>> record = {"doc": "d", "text": "Paris", "blocks": [{"alternatives": [
    ...     {"start": 0, "end": 5, "p": 0.9, "labels": {"LOC": 0.6, "PER": 0.4}}]}]}
    >>> [each.question for each in ask([record], 1).questions]
    ['Is ‘Paris’ a LOC?']

    """
    return prepare_review(output, count, **settings).finding


def prepare_review(
    output: Any,
    count: int = COUNT,
    *,
    name: str = "output",
    text: Any = None,
    where: str | None = None,
    only_label: Iterable[str] = (),
    ignore_label: Iterable[str] = (),
    answers: Iterable[str | PathLike[str] | Reply] = (),
    again: bool = False,
    **settings: Any,
) -> Review:
    """Read an output, apply the answers and select the next questions.

    Args:
        output: the output.
        count: the number of questions.
        name: the name of the output.
        text: a file with the text, if the output has none; its spans are ignored.
        where: a condition on label, text, document and length; questions are only about matching tuples.
        only_label: ask only about these labels.
        ignore_label: do not ask about these labels.
        answers: files of answers, or answers, applied in this order.
        again: repeat questions that were answered by `unsure`.
        settings: for questions, as in `Plan`: `strategy`, `kind`, `handler`, `believed_error` …; for reading, as in
            `compare`: `beliefs`, `decide`, `maps` …

    """
    plan, setup = _split_settings(settings)
    if text is not None and setup.missing is None:
        setup = replace(setup, missing="empty")  # the text may have more documents than the output
    replies = [reply for given in answers for reply in _load_replies(given, setup)]
    corpus = read_response(output, name, setup)
    prepared = prepare_systems(_text_corpus(corpus, text, setup), {name: corpus}, setup)
    verdicts = evaluate_prepared(prepared, setup)
    condition = condition_of(verdicts.view(), run=0, where=where, only=only_label, without=ignore_label)
    field = replace(field_in(verdicts, verdicts.view(), 0, condition), entities=None)
    if len(field) and not field.scope.any():
        raise UsageError(f"nothing in the output matches {condition!r}")
    asking = Asking(field, plan, _locate_tuples(prepared.aligned, verdicts, name))
    answered, notes = asking.take(replies, again=again) if replies else (None, [])
    refuse_notes(setup, notes)
    if answered is None:
        _require_open_questions(corpus, field, plan)
    scope = None if condition == ALL else condition
    finding = select_questions(asking, count, system=name, where=scope, answers=answered)
    return Review(finding, _build_result(verdicts, finding, notes, plan), asking)


def _split_settings(settings: Mapping[str, Any]) -> tuple[Plan, Setup]:
    """Split the settings into those for questions and those for reading; refuse invalid ones."""
    of_plan = {each.name for each in fields(Plan)} - {"user", "budget", "purity"}
    of_setup = {each.name for each in fields(Setup)} - {"task", "only_label", "ignore_label"}
    for name in settings:
        if name not in of_plan | of_setup:
            raise UsageError(f"ask: unknown option {name!r}{suggest_nearest(name, of_plan | of_setup)}")
    given = {name: value for name, value in settings.items() if value is not None}
    if given.get("strategy") == ORACLE:
        others = ", ".join(each for each in STRATEGIES if each != ORACLE)
        raise UsageError(f"the strategy {ORACLE!r} requires a key", hint=f"one of: {others}")
    plan = Plan(**{"strategy": "entropy", **{name: given[name] for name in given if name in of_plan}})
    setup = Setup(task=TASK, **{name: given[name] for name in given if name in of_setup})
    return plan, setup


def _load_replies(given: str | PathLike[str] | Reply, setup: Setup) -> list[Reply]:
    return [given] if isinstance(given, Reply) else read_replies(fspath(given), setup.max_line)


def _text_corpus(corpus: Corpus, text: Any, setup: Setup) -> Corpus:
    """Return the text of an output as a key without spans: its own, or that of another file."""
    if text is not None:
        other = read_response(text, _TEXT, replace(setup, beliefs={}))
        if other.words is None:
            raise ReadError("this file has no text, either", where=other.source.parts[0].name)
        return replace(other, spans=_empty_spans(other), beliefs=None, quotes=None)
    if corpus.words is None:
        what = "the output has offsets but no text"
        raise ReadError(what, where=corpus.source.parts[0].name, hint="give a file with the text: --text FILE")
    return replace(corpus, spans=_empty_spans(corpus), beliefs=None, quotes=None, notes=())


def _empty_spans(corpus: Corpus) -> Spans:
    nowhere = np.zeros(0, np.int64)
    unit = "tokens" if corpus.spans is None else corpus.spans.unit
    return Spans(unit=unit, document=nowhere, begin=nowhere, end=nowhere, label=TextColumn.of([]), offset=nowhere)


def _locate_tuples(aligned: Aligned, verdicts: Verdicts, name: str) -> Places:
    """Locate the tuples of the output in its texts."""
    (candidates,) = verdicts.view().candidates or ()
    key, raw = aligned.key, KeyPositions(aligned.key).raw
    first, last = candidates.begin, candidates.end
    if verdicts.settings["positions"] == "tokens" and len(candidates):
        base = key.row_documents[candidates.document]
        first, last = raw.begin[base + first], raw.end[np.maximum(base + last - 1, base)]
    before, after = first, last
    if len(candidates):
        sentence = candidates.sentence.astype(np.int64)
        before = np.minimum(raw.begin[key.sentences[sentence]], first)
        after = np.maximum(raw.end[key.sentences[sentence + 1] - 1], last)

    def line(row: int) -> str | None:
        place, width = int(candidates.place[row]), int(candidates.width[row])
        found = verdicts.texts.excerpt(int(candidates.document[row]), place, width)
        return None if found is None else found.places.get(name, found.places.get("key"))

    return Places(
        documents=key.documents.names,
        texts=raw.documents,
        first=first,
        last=last,
        before=before,
        after=after,
        line=line,
    )


def _require_open_questions(corpus: Corpus, field: Field, plan: Plan) -> None:
    """Refuse an output without any open question."""
    where = corpus.source.parts[0].name
    if not len(field):
        raise ReadError("the output has no spans, so there is nothing to ask about", where=where)
    if plan.ask_certain or (is_uncertain(field.candidates.beliefs.weight) & field.scope).any():
        return
    if corpus.beliefs is None:
        what = "the output has no probabilities: all spans are certain, so there is nothing to ask about"
        raise ReadError(what, where=where, hint="give the field that contains them: --belief score=FIELD")
    what = "every tuple is certain or impossible, so there is nothing to ask about"
    raise ReadError(what, where=where, hint="use --ask-certain to ask about certain tuples, too")


def _build_result(verdicts: Verdicts, finding: Questions, notes: Sequence[Note], plan: Plan) -> Result:
    """Build the result of the output, with the question settings in its signature."""
    asked_by = {
        "strategy": plan.strategy,
        "ask": plan.kind,
        "handler": plan.handler,
        **({} if finding.scope is None else {"scope": finding.scope}),
        **({"believed_error": f"{plan.believed_error:g}"} if plan.believed_error else {}),
        **({"strength": f"{plan.strength:g}"} if plan.handler == "statistical" else {}),
        **({"ask_certain": "yes"} if plan.ask_certain else {}),
    }
    settings = {**verdicts.settings, **asked_by}
    every = (*map(_rename_key_in_note, verdicts.notes), *notes)
    return Result(replace(verdicts, settings=settings, notes=every), resamples=0, seed=plan.seed)


def _rename_key_in_note(note: Note) -> Note:
    """Replace the key by the text in a note, since there is no key."""
    side = _TEXT if note.side == "key" else note.side
    return replace(note, side=side, what=note.what.replace("the key", "the text"))

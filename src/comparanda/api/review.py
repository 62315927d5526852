"""The road of questions: an output alone, laid over its own text, and what reviewers have answered so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.align.positions import Ground
from comparanda.core.corpus import Spans
from comparanda.core.text_columns import TextColumn
from comparanda.errors import ReadError, UsageError, nearest
from comparanda.feedback.field import ALL, condition_of, field_in
from comparanda.feedback.protocol import STRATEGIES, Plan
from comparanda.feedback.questions import Questions, questions
from comparanda.feedback.reviewer import Asking, Places
from comparanda.feedback.state import uncertain
from comparanda.formats.probabilistic import Tuples, as_blocks
from comparanda.formats.replies import Reply, read_replies
from comparanda.pipeline import Setup, judged, prepare, read_response, refuse_notes
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
"""How many questions are asked unless told otherwise."""

_TEXT = "text"


@dataclass(frozen=True, eq=False)
class Asked:
    """An output, with what reviewers have said of it, and what to ask them next.

    Args:
        finding: the questions.
        result: the output as it was read, and how.
        asking: the run of questions.

    """

    finding: Questions
    result: Result
    asking: Asking

    @cached_property
    def updated(self) -> str:
        """The output as the answers have changed it: JSON lines that can be read again."""
        each, places = self.asking.candidates, self.asking.places
        beliefs = self.asking.simulation.beliefs()
        labels = TextColumn(each.label, each.names)
        tuples = Tuples(
            document=each.document.astype(np.int64), begin=places.first, end=places.last, label=labels, beliefs=beliefs
        )
        return as_blocks(places.documents, places.texts, tuples)


def ask(output: Any, count: int = COUNT, **settings: Any) -> Questions:
    """Return the questions about an output that a reviewer should answer first; no key is needed.

    Args:
        output: a path (`path::format?option=value`), or Python data, as a system of `compare`.
        count: how many questions to ask.
        settings: `text`, `strategy`, `kind`, `handler`, `answers` … as for `asked`.

    >>> record = {"doc": "d", "text": "Paris", "blocks": [{"alternatives": [
    ...     {"start": 0, "end": 5, "p": 0.9, "labels": {"LOC": 0.6, "PER": 0.4}}]}]}
    >>> [each.question for each in ask([record], 1).questions]
    ['Is ‘Paris’ a LOC?']

    """
    return asked(output, count, **settings).finding


def asked(
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
) -> Asked:
    """Read an output, take what was answered, and return what to ask next.

    Args:
        output: the output.
        count: how many questions to ask.
        name: what to call it.
        text: a file that has its text, if it has none itself; spans there do not matter.
        where: a condition on label, text, document and length; only tuples that fulfil it are asked about.
        only_label: ask about these labels alone.
        ignore_label: ask nothing about these.
        answers: files of answers, or answers; they are taken in this order.
        again: ask again what was answered by `unsure`.
        settings: of questions, as `Plan` has them: `strategy`, `kind`, `handler`, `believed_error` …; and of reading,
            as `compare` has them: `beliefs`, `decide`, `maps` …

    """
    plan, setup = _plan_and_setup(settings)
    if text is not None and setup.missing is None:
        setup = replace(setup, missing="empty")  # a text may go further than the output
    replies = [reply for given in answers for reply in _replies(given, setup)]
    corpus = read_response(output, name, setup)
    prepared = prepare(_ground(corpus, text, setup), {name: corpus}, setup)
    verdicts = judged(prepared, setup)
    condition = condition_of(verdicts.view(), run=0, where=where, only=only_label, without=ignore_label)
    field = replace(field_in(verdicts, verdicts.view(), 0, condition), entities=None)
    if len(field) and not field.scope.any():
        raise UsageError(f"nothing in the output fulfils {condition!r}")
    asking = Asking(field, plan, _places(prepared.aligned, verdicts, name))
    answered, notes = asking.take(replies, again=again) if replies else (None, [])
    refuse_notes(setup, notes)
    if answered is None:
        _refuse_nothing(corpus, field, plan)
    said = None if condition == ALL else condition
    finding = questions(asking, count, system=name, where=said, answers=answered)
    return Asked(finding, _result(verdicts, finding, notes, plan), asking)


def _plan_and_setup(settings: Mapping[str, Any]) -> tuple[Plan, Setup]:
    """Share out settings between asking and reading; what cannot be meant is refused before anything is read."""
    of_plan = {each.name for each in fields(Plan)} - {"user", "budget", "purity"}
    of_setup = {each.name for each in fields(Setup)} - {"task", "only_label", "ignore_label"}
    for name in settings:
        if name not in of_plan | of_setup:
            raise UsageError(f"asking has no option {name!r}{nearest(name, of_plan | of_setup)}")
    given = {name: value for name, value in settings.items() if value is not None}
    if given.get("strategy") == ORACLE:
        others = ", ".join(each for each in STRATEGIES if each != ORACLE)
        raise UsageError(f"the strategy {ORACLE!r} looks at the key, and there is none", hint=f"one of: {others}")
    plan = Plan(**{"strategy": "entropy", **{name: given[name] for name in given if name in of_plan}})
    setup = Setup(task=TASK, **{name: given[name] for name in given if name in of_setup})
    return plan, setup


def _replies(given: str | PathLike[str] | Reply, setup: Setup) -> list[Reply]:
    return [given] if isinstance(given, Reply) else read_replies(fspath(given), setup.max_line)


def _ground(corpus: Corpus, text: Any, setup: Setup) -> Corpus:
    """Return the text that an output is about, as a key without spans: its own, or that of another file."""
    if text is not None:
        other = read_response(text, _TEXT, replace(setup, beliefs={}))
        if other.words is None:
            raise ReadError("this file has no text either", where=other.source.parts[0].name)
        return replace(other, spans=_no_spans(other), beliefs=None, quotes=None)
    if corpus.words is None:
        what = "the output has no text, only places in one"
        raise ReadError(what, where=corpus.source.parts[0].name, hint="give a file with the text: --text FILE")
    return replace(corpus, spans=_no_spans(corpus), beliefs=None, quotes=None, notes=())


def _no_spans(corpus: Corpus) -> Spans:
    nowhere = np.zeros(0, np.int64)
    unit = "tokens" if corpus.spans is None else corpus.spans.unit
    return Spans(unit=unit, document=nowhere, begin=nowhere, end=nowhere, label=TextColumn.of([]), offset=nowhere)


def _places(aligned: Aligned, verdicts: Verdicts, name: str) -> Places:
    """Say where the tuples of the output stand in its texts."""
    (candidates,) = verdicts.view().candidates or ()
    key, raw = aligned.key, Ground(aligned.key).raw
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


def _refuse_nothing(corpus: Corpus, field: Field, plan: Plan) -> None:
    """Refuse an output about which there is nothing to ask."""
    where = corpus.source.parts[0].name
    if not len(field):
        raise ReadError("the output has no spans, so there is nothing to ask about", where=where)
    if plan.ask_certain or (uncertain(field.candidates.beliefs.weight) & field.scope).any():
        return
    if corpus.beliefs is None:
        what = "the output has no probabilities: all its spans are certain, and there is nothing to ask about"
        raise ReadError(what, where=where, hint="name the field that holds them: --belief score=FIELD")
    what = "every tuple is certain or impossible, so there is nothing to ask about"
    raise ReadError(what, where=where, hint="--ask-certain asks about what is certain, too")


def _result(verdicts: Verdicts, finding: Questions, notes: Sequence[Note], plan: Plan) -> Result:
    """Return the output as it was read, with a signature that says how was asked."""
    said = {
        "strategy": plan.strategy,
        "ask": plan.kind,
        "handler": plan.handler,
        **({} if finding.scope is None else {"scope": finding.scope}),
        **({"believed_error": f"{plan.believed_error:g}"} if plan.believed_error else {}),
        **({"strength": f"{plan.strength:g}"} if plan.handler == "statistical" else {}),
        **({"ask_certain": "yes"} if plan.ask_certain else {}),
    }
    settings = {**verdicts.settings, **said}
    every = (*map(_of_text, verdicts.notes), *notes)
    return Result(replace(verdicts, settings=settings, notes=every), resamples=0, seed=plan.seed)


def _of_text(note: Note) -> Note:
    """Let a note speak of the text where it speaks of the key: there is none."""
    side = _TEXT if note.side == "key" else note.side
    return replace(note, side=side, what=note.what.replace("the key", "the text"))

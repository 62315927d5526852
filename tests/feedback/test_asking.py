"""Questions for a real reviewer: the same machinery as simulated runs, with answers by ids."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparanda.errors import ReadError
from comparanda.feedback.field import Field
from comparanda.feedback.protocol import HANDLERS, KINDS, STRATEGIES, Answer, Kind, Plan, Question
from comparanda.feedback.reviewer import Asking, Names, Places, interpret_reply
from comparanda.feedback.simulation import Simulation
from comparanda.formats.replies import Reply
from tests.feedback.fields import drawn, field, listed

NOWHERE = np.zeros(0, np.int64)
TWO = [[(0.9, [(0.6, True), (0.4, False)])], [(0.7, [(1.0, False)])]]
"""One span with the labels L0 and L1, of 0.54 and 0.36, and another with L0, of 0.7."""


def asking_about(some: Field, plan: Plan | None = None, document: str = "d") -> Asking:
    places = Places(
        documents=(document,),
        texts=("",),
        first=NOWHERE,
        last=NOWHERE,
        before=NOWHERE,
        after=NOWHERE,
        line=lambda _: None,
    )
    return Asking(some, plan or Plan(strategy="entropy"), places)


def replies(**answers: str | None) -> list[Reply]:
    """Write answers by the extents, labels and kinds of their questions: `at_0_1_L0_label="yes"`."""
    found = []
    for number, (name, answer) in enumerate(answers.items(), start=1):
        _, begin, end, label, kind = name.split("_")[:5]
        found.append(Reply(f"d:{begin}-{end}:{label}:{kind}", answer, f"a.jsonl:{number}"))
    return found


def asked(asking: Asking, count: int = 9) -> list[str]:
    return [asking.names.id(each) for each in asking.next_questions(count)]


def test_the_most_open_question_comes_first_and_no_block_has_two_before_each_has_one() -> None:
    asking = asking_about(field(TWO))
    assert asked(asking) == ["d:0-1:L0:label", "d:2-3:L0:label", "d:1-2:L1:label"]
    assert asked(asking, 1) == ["d:0-1:L0:label"]
    assert asked(asking, 0) == []


def test_an_answer_changes_its_block_and_is_not_asked_again() -> None:
    asking = asking_about(field(TWO))
    answered, notes = asking.take(replies(at_0_1_L0_label="no"))
    assert asking.simulation.beliefs().weight == pytest.approx([0, 0.36 / 0.46, 0.7])
    assert (answered.given, answered.effective, answered.contradictions, notes) == (1, 1, 0, [])
    assert asked(asking) == ["d:2-3:L0:label", "d:1-2:L1:label"]


def test_who_names_another_label_says_yes_to_it_and_none_means_no_entity() -> None:
    asking = asking_about(field(TWO))
    asking.take(replies(at_0_1_L0_label="L1", at_2_3_L0_label="none"))
    assert asking.simulation.beliefs().weight == pytest.approx([0, 1, 0])
    assert asked(asking) == []


def test_of_two_answers_to_one_question_the_last_holds() -> None:
    asking = asking_about(field(TWO))
    twice = [*replies(at_0_1_L0_label="no"), *replies(at_2_3_L0_label="yes", at_0_1_L0_label="yes")]
    answered, notes = asking.take(twice)
    assert asking.simulation.beliefs().weight == pytest.approx([1, 0, 1])
    assert (answered.given, answered.repeated, answered.effective) == (3, 1, 2)
    assert str(notes[0]) == "answers: superseded by a later answer: 1 (a.jsonl:1)"


def test_what_is_unsure_is_asked_again_if_that_is_wanted() -> None:
    unsure = replies(at_0_1_L0_label="unsure", at_2_3_L0_label=None)
    once, again = asking_about(field(TWO)), asking_about(field(TWO))
    assert once.take(unsure)[0].unsure == again.take(unsure, again=True)[0].unsure == 1
    assert asked(once) == ["d:1-2:L1:label", "d:2-3:L0:label"]
    assert asked(again) == ["d:0-1:L0:label", "d:2-3:L0:label", "d:1-2:L1:label"]


def test_answers_about_something_else_are_noted_or_refused_if_there_are_no_others() -> None:
    foreign = replies(at_7_8_L0_label="yes", at_0_1_L9_label="yes", at_0_1_L0_sentence="yes")
    answered, notes = asking_about(field(TWO)).take([*foreign, *replies(at_0_1_L0_label="yes")])
    assert (answered.unknown, answered.effective) == (3, 1)
    assert str(notes[0]).startswith("answers: not about this output, ignored: 3 (a.jsonl:1, ")
    with pytest.raises(ReadError, match=r"none of the 3 answers is about anything in this output"):
        asking_about(field(TWO)).take(foreign)


def test_answers_against_what_is_certain_are_counted_and_believed() -> None:
    sure = field([[(1.0, [(1.0, True)])], [(0.5, [(1.0, True)])]])
    asking = asking_about(sure)
    answered, _ = asking.take(replies(at_0_1_L0_label="no", at_1_2_L0_label="yes"))
    assert (answered.effective, answered.contradictions) == (2, 1)
    assert asking.simulation.beliefs().weight.tolist() == [0.0, 1.0]


def test_an_answer_that_says_what_is_known_has_no_effect() -> None:
    asking = asking_about(field(TWO))
    answered, _ = asking.take(replies(at_0_1_L0_label="yes", at_1_2_L1_label="no"))
    assert (answered.given, answered.effective) == (2, 1)


def test_answers_to_all_kinds_go_together() -> None:
    first, second = asking_about(field(TWO)), asking_about(field(TWO), Plan(strategy="entropy", kind="span"))
    both = replies(at_0_1_L0_span="yes", at_0_1_L0_label="no", at_2_3_L0_group="never")
    first.take(both)
    second.take(both[::-1])
    for asking in (first, second):
        assert asking.simulation.beliefs().weight == pytest.approx([0, 1, 0])
        assert asked(asking) == []


@pytest.mark.parametrize(
    ("kind", "answer", "hint"),
    [
        ("label", "maybe", "use one of: yes, no, L0, L1, none, unsure"),
        ("span", "mixed", "use one of: yes, no, L0, L1, none, unsure"),
        ("choice", "yes", "use one of: L0, L1, none, unsure"),
        ("group", "L0", "use one of: always, never, mixed, unsure"),
    ],
)
def test_an_answer_without_a_meaning_is_refused_with_its_place(kind: Kind, answer: str, hint: str) -> None:
    reply = Reply(f"d:0-1:L0:{kind}", answer, "a.jsonl:7")
    with pytest.raises(ReadError) as problem:
        interpret_reply(Names(field(TWO), ["d"]), Question(kind, 0), reply)
    assert str(problem.value).startswith(f"a.jsonl:7: {answer!r} is not a valid answer to 'd:0-1:L0:{kind}'")
    assert problem.value.hint == hint


@pytest.mark.parametrize(
    ("kind", "written", "meant"),
    [
        ("label", "Yes", "yes"),
        ("label", "reject", "no"),
        ("span", "ignore", "unsure"),
        ("span", "none", "no"),
        ("choice", "L1", 1),
        ("choice", "none", -1),
        ("choice", "?", "unsure"),
        ("group", "always", "yes"),
        ("group", "Sometimes", "mixed"),
    ],
)
def test_what_words_mean(kind: Kind, written: str, meant: Answer) -> None:
    found = interpret_reply(Names(field(TWO), ["d"]), Question(kind, 0), Reply("", written, ""))
    assert (found.about.kind, found.answer) == (kind, meant)


def test_options_are_called_by_their_labels_and_by_more_if_spans_differ() -> None:
    names = Names(field([*TWO, [(0.5, [(1.0, True)]), (0.3, [(1.0, False)])]], texts=["a", "b", "c", "c"]), ["d"])
    assert names.options(0) == {"L0": 0, "L1": 1}
    assert names.options(4) == {"L0 ‘c’ 3-4": 3, "L0 ‘c’ 4-5": 4}


def test_a_choice_where_several_can_be_right_leaves_the_others_open() -> None:
    some = listed([(0.5, [0, 1]), (0.3, [0, 2]), (0.1, [2])], [True] * 3)
    asking = asking_about(some, Plan(strategy="entropy", kind="choice"))
    assert asked(asking) == ["d:0-1:L0:choice"]
    asking.take([Reply("d:0-1:L0:choice", "L0 ‘w0’", "")])
    assert asking.simulation.beliefs().weight == pytest.approx([1, 0.625, 0.375])
    assert asked(asking) == []


@given(st.text(max_size=6), st.integers(0, 99), st.sampled_from(KINDS))
def test_the_id_of_a_question_leads_back_to_it(document: str, seed: int, kind: Kind) -> None:
    some = drawn(seed, 4)
    names = Names(some, [document])
    ids = {names.id(Question("label", row)) for row in range(len(some))}
    assert len(ids) == len(some)
    for row in range(len(some)):
        first = names.leading(Question(kind, row))
        assert names.question(names.id(Question(kind, row))) == first


# Asking is simulating, with answers from outside


def truths(some: Field) -> Callable[[Names, Question], str]:
    """Return a reviewer who knows the key, and writes answers as people do."""
    right, spans = some.candidates.correct, some.entity_spans

    def answer(names: Names, question: Question) -> str:
        rows = names.rows(question)
        if question.kind == "choice":
            return next((name for name, row in names.options(question.tuple_row).items() if right[row]), "none")
        if question.kind == "group":
            return "always" if right[rows].all() else "mixed" if right[rows].any() else "never"
        true = right if question.kind == "label" else spans
        return "yes" if true[question.tuple_row] else "no"

    return answer


@pytest.mark.parametrize("handler", HANDLERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("strategy", STRATEGIES[:-1])
def test_answers_from_the_key_give_the_simulated_run_question_by_question(
    strategy: str, kind: Kind, handler: str
) -> None:
    some = drawn(3, 5, words=4)
    plan = Plan(strategy=strategy, kind=kind, handler=handler)  # type: ignore[arg-type]
    simulation, asking, said = Simulation(some, plan), asking_about(some, plan), truths(some)
    while (next_one := simulation.next_question()) is not None:
        (question,) = asking.next_questions(1)
        assert question == asking.names.leading(next_one)
        simulation.step()
        asking.take([Reply(asking.names.id(question), said(asking.names, question), "")])
        assert asking.simulation.beliefs().weight.tolist() == simulation.beliefs().weight.tolist()
    assert asking.next_questions(1) == []
    assert asking.simulation.curve().columns["claimed_f1"].tolist() == simulation.curve().columns["claimed_f1"].tolist()


def test_the_same_answers_give_the_same_questions_at_once_or_one_by_one() -> None:
    some, plan = drawn(8, 12, words=4), Plan(strategy="fgain", handler="statistical")
    step_by_step, said, given_so_far = asking_about(some, plan), truths(some), []
    for _ in range(8):
        (question,) = step_by_step.next_questions(1)
        reply = Reply(step_by_step.names.id(question), said(step_by_step.names, question), "")
        given_so_far.append(reply)
        step_by_step.take([reply])
        at_once = asking_about(some, plan)
        at_once.take(given_so_far)
        assert asked(at_once) == asked(step_by_step)

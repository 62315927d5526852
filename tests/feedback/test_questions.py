"""Questions in words, with the words around them, and what an output claims of itself."""

from __future__ import annotations

from dataclasses import astuple, replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from comparanda.api.review import ask, prepare_review
from comparanda.errors import UsageError
from comparanda.feedback.field import Field
from comparanda.feedback.protocol import Kind, Plan, Question
from comparanda.feedback.questions import Claimed, Questions, select_questions, shorten_text
from comparanda.feedback.reviewer import Asking, Places
from comparanda.feedback.simulation import Simulation
from tests.feedback.fields import drawn

TEXT = "She reads the New York Times in Paris.\nRome is far."


def span(text: str, p: float, **labels: float) -> dict[str, Any]:
    begin = TEXT.index(text)
    return {"start": begin, "end": begin + len(text), "p": p, "labels": labels}


RECORD = {
    "doc": "d",
    "text": TEXT,
    "blocks": [
        {"alternatives": [span("New York", 0.3, LOC=1.0), span("New York Times", 0.6, ORG=0.9, LOC=0.1)]},
        {"alternatives": [span("Paris", 0.9, LOC=0.6, PER=0.4)]},
        {"alternatives": [span("Rome", 1.0, LOC=1.0)]},
    ],
}


def found(kind: Kind = "label", **settings: Any) -> Questions:
    return ask([RECORD], kind=kind, **settings)


@pytest.mark.parametrize(
    ("kind", "first"),
    [
        ("label", "Is ‘New York Times’ an ORG?"),
        ("span", "Is ‘New York Times’ an entity?"),
        ("choice", "Which is right: ORG ‘New York Times’, LOC ‘New York’, LOC ‘New York Times’ or none?"),
        ("group", "Is ‘New York Times’ always an ORG?"),
    ],
)
def test_each_kind_has_its_words(kind: Kind, first: str) -> None:
    each = found(kind).questions[0]
    assert (each.question, each.kind) == (first, kind)
    assert each.before + each.word + each.after == "She reads the New York Times in Paris."
    assert TEXT[each.begin : each.end] == each.word == "New York Times"
    assert each.probability == pytest.approx({"span": 0.6}.get(kind, 0.54))
    assert each.label == ("ORG" if kind in {"label", "group"} else None)


def test_a_choice_of_one_span_is_about_its_labels() -> None:
    each = found("choice").questions[1]
    assert each.question == "What is ‘Paris’: LOC, PER or none?"
    assert [(option.name, option.label, option.text) for option in each.options] == [
        ("LOC", "LOC", "Paris"),
        ("PER", "PER", "Paris"),
        ("none", None, None),
    ]
    assert [option.probability for option in each.options] == pytest.approx([0.54, 0.36, 0.1])


def test_what_is_counted() -> None:
    """Weights 0.3, 0.54, 0.06; 0.54, 0.36; 1: the hard output has the second, the fourth and the last."""
    all_of_them = found()
    assert (all_of_them.tuples, all_of_them.blocks, all_of_them.uncertain) == (6, 3, 5)
    assert astuple(all_of_them.claimed) == pytest.approx((2.08 / 3, 2.08 / 2.8, 4.16 / 5.8))
    bits = [-w * np.log2(w) - (1 - w) * np.log2(1 - w) for w in (0.3, 0.54, 0.06, 0.54, 0.36)]
    assert all_of_them.entropy == pytest.approx(sum(bits))
    persons = found(only_label=["PER"])
    assert (persons.scope, persons.tuples, persons.blocks) == ('label == "PER"', 1, 1)
    assert persons.claimed == Claimed(None, 0.0, 0.0)


def test_one_question_is_expected_to_help_as_much_as_its_answers_do_on_average() -> None:
    """Is it an ORG? By 0.54 yes: 1 found. Else LOC of 0.3 is better than nothing, 0.1: 1 found, of 0.3 / 0.46."""
    after = found(count=1).expected
    claimed = 1.54 + 0.54 + 0.3
    assert after is not None
    assert astuple(after) == pytest.approx((claimed / 3, claimed / 2.8, 2 * claimed / 5.8))


def places(some: Field) -> Places:
    zero = np.zeros(len(some), np.int64)
    return Places(documents=("d",), texts=("x",), first=zero, last=zero, before=zero, after=zero, line=lambda _: None)


def sums(simulation: Simulation) -> tuple[float, float]:
    weight, decided = simulation.beliefs().weight, simulation.decided()
    return float(weight[decided].sum()), float(decided.sum())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["label", "span"])
def test_what_is_expected_is_the_average_over_all_answers(seed: int, kind: Kind) -> None:
    some, plan = drawn(seed, 4), Plan(strategy="margin", kind=kind)
    asking = Asking(some, plan, places(some))
    found = select_questions(asking, 3)
    assert found.expected is not None
    asked_about = asking.next_questions(3)
    claimed = number = 0.0
    for answers in product(("yes", "no"), repeat=len(asked_about)):
        run, chance = Simulation(some, plan), 1.0
        for question, answer in zip(asked_about, answers, strict=True):
            beliefs = run.beliefs()
            p = (beliefs.weight if kind == "label" else beliefs.entity)[question.tuple_row]
            chance *= p if answer == "yes" else 1 - p
            if chance > 0:
                run.take(question, answer)  # type: ignore[arg-type]
        claimed, number = (total + chance * mine for total, mine in zip((claimed, number), sums(run), strict=True))
    assert found.expected.precision == pytest.approx(claimed / number)
    assert found.expected.f1 == pytest.approx(2 * claimed / (number + some.candidates.beliefs.weight.sum()))


def test_what_answers_do_to_other_blocks_or_to_one_another_is_not_foretold() -> None:
    assert found("group").expected is None
    assert found(handler="statistical").expected is None
    assert found().expected is None  # five questions about two blocks
    assert found(count=2).expected is not None


def test_all_options_that_are_still_open_are_shown() -> None:
    given = prepare_review([RECORD], 5, kind="choice", answers=())
    given.asking.simulation.take(Question("label", 1), "no")
    given.asking.simulation.take(Question("label", 4), "no")
    first, second = select_questions(given.asking, 5).questions
    assert [option.name for option in first.options] == ["ORG ‘New York Times’", "LOC ‘New York’", "none"]
    assert (second.question, second.occurrences) == ("What is ‘Paris’: LOC or none?", 1)


def test_long_sentences_are_cut_at_words() -> None:
    text = "word " * 60 + "Ann " + "word " * 60
    record = {"doc": "d", "text": text, "entities": [{"start": 300, "end": 303, "label": "PER", "score": 0.5}]}
    (each,) = ask([record]).questions
    assert each.word == "Ann"
    assert each.before.startswith("… word ")
    assert each.after.endswith(" word …")
    assert 100 < len(each.before) <= 122
    assert shorten_text("x" * 200, 10) == "x" * 9 + "…"


def test_a_span_over_two_sentences_is_shown_whole() -> None:
    record = {"doc": "d", "text": "One\ntwo three", "entities": [{"start": 0, "end": 7, "label": "A", "score": 0.5}]}
    (each,) = ask([record]).questions
    assert (each.before, each.word, each.after) == ("", "One two", "")


def test_tables_and_records_have_all_of_it() -> None:
    listed = found("choice")
    assert "1  Which is right: ORG ‘New York Times’" in str(listed)
    assert "She reads the [New York Times] in Paris." in str(listed)
    assert listed.to_dicts()[1]["options"] == "LOC | PER | none | unsure"
    assert listed.to_dicts()[0]["answer"] is None
    empty = replace(listed, questions=(), uncertain=0)
    assert "no uncertain tuples are left to ask about" in str(empty)
    assert "--again" in str(replace(listed, questions=()))


def test_none_of_the_options_is_as_probable_as_the_worlds_without_any() -> None:
    nbest = [{"p": 0.5, "spans": [[0, 3, "A"], [4, 8, "A"]]}, {"p": 0.2, "spans": [[0, 3, "A"]]}]
    (each,) = ask([{"doc": "d", "text": "She reads", "nbest": nbest}], kind="choice").questions
    assert [(option.name, round(option.probability, 9)) for option in each.options] == [
        ("A ‘She’", 0.7),
        ("A ‘read’", 0.5),
        ("none", 0.3),
    ]


def test_what_stands_nowhere_in_the_text_is_shown_without_it() -> None:
    some = drawn(1, 1)
    behind = replace(places(some), last=np.full(len(some), 9))
    (each,) = select_questions(Asking(some, Plan(strategy="entropy"), behind), 1).questions
    assert (each.before, each.word, each.after) == ("", some.candidates.text[int(each.begin)], "")


def test_an_option_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match=r"unknown option 'strateggy' \(did you mean 'strategy'\?\)"):
        found(strateggy="entropy")

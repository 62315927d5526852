"""Why a row has its verdict, and why a rule did not fire: by hand on tiny tables, and for every row of random runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from comparanda.core.corpus import Fragments
from comparanda.core.text_columns import TextColumn
from comparanda.errors import RuleError, UsageError
from comparanda.render.rule_text import explanation_text
from comparanda.rules.compiler import compile_rules
from comparanda.rules.declarations import (
    ColumnDeclaration,
    Pairing,
    RuleDeclaration,
    RuleSetDeclaration,
    ViewDeclaration,
)
from comparanda.rules.engine import Engine, Outcome
from comparanda.rules.explanation import Account, Naming, Row, Why, WhyNot, explain_row, why_not
from comparanda.rules.explanation.data import ExplainedSpan, Explanation
from comparanda.rules.facts import Facts
from tests.rules.random_rules import Maker, random_input

Span = tuple[int, int, int, str, str]
"""Document, begin, end, label and text."""

BOTH = {"s": "system", "k": "key"}
RESULT = ("TP", "FP", "FN", "fuzzy", "duplicate", "ignored")
COLUMNS = {
    "system": {
        "result": ColumnDeclaration(values=RESULT),
        "partner": ColumnDeclaration("row", table="key"),
        "reason": ColumnDeclaration(),
        "level": ColumnDeclaration("number"),
        "seen": ColumnDeclaration("truth"),
    },
    "key": {"result": ColumnDeclaration(values=RESULT), "partner": ColumnDeclaration("row", table="system")},
}
LINK = {"s.result": "TP", "k.result": "TP", "s.partner": "k", "k.partner": "s"}
FUZZY = {cell: value.replace("TP", "fuzzy") for cell, value in LINK.items()}

EXACT = RuleDeclaration(
    name="true positive",
    group="exact",
    over=BOTH,
    when="is_missing(s.result) and is_missing(k.result) and same(s, k, 'doc', 'begin', 'end', 'label')",
    sets=LINK,
    salience=100,
    pair="one-to-one",
)
DUPLICATE = RuleDeclaration(
    name="duplicate",
    group="exact",
    over={"s": "system"},
    when="is_missing(s.result) and any(same(s, t, 'begin', 'end', 'label') for t in system if t.result == 'TP')",
    sets={"s.result": "duplicate"},
    salience=95,
)
SPURIOUS = RuleDeclaration(
    name="spurious",
    group="exact",
    over={"s": "system"},
    when="is_missing(s.result)",
    sets={"s.result": "FP"},
    salience=90,
)
MISSED = RuleDeclaration(
    name="missed", group="exact", over={"k": "key"}, when="is_missing(k.result)", sets={"k.result": "FN"}, salience=80
)


def fuzzy(pair: Pairing = "one-to-one") -> RuleDeclaration:
    when = (
        "s.result == 'FP' and k.result == 'FN' and s.label == k.label and overlaps(s, k) and "
        "similarity(s.text, k.text) >= alike"
    )
    return RuleDeclaration(
        name="fuzzy check",
        group="fuzzy",
        over=BOTH,
        when=when,
        sets=FUZZY,
        salience=0,
        pair=pair,
        best=("-overlap(s, k)",),
    )


VIEWS = {
    "credit": ViewDeclaration(outcome="result", credit={"TP": 1, "fuzzy": 0.5}, partner="partner", left_out="reason"),
    "strict": ViewDeclaration(outcome="result", credit={"TP": 1}),
}


def rule_set(*rules: RuleDeclaration, views: Mapping[str, ViewDeclaration] = VIEWS) -> RuleSetDeclaration:
    groups = tuple(dict.fromkeys(rule.group for rule in rules))
    return RuleSetDeclaration(
        name="tiny",
        groups=groups,
        tables=COLUMNS,
        rules=rules,
        views=views,
        parameters={"alike": 40, "few": {"default": 1}},
    )


def facts(spans: Sequence[Span], fragments: Fragments | None = None) -> Facts:
    doc, begin, end, label, text = zip(*spans, strict=True) if spans else ((),) * 5
    columns = {"doc": doc, "begin": begin, "end": end}
    return Facts(
        {
            **{name: np.array(values, np.int64) for name, values in columns.items()},
            "label": TextColumn.of(label),
            "text": TextColumn.of(text),
        },
        fragments,
    )


class Tiny:
    """A run on tiny tables that can be asked."""

    def __init__(self, declared: RuleSetDeclaration, system: Sequence[Span], key: Sequence[Span]) -> None:
        self.engine = Engine(compile_rules(declared))
        self.outcome = self.engine.run({"system": facts(system), "key": facts(key)}, paranoid=True)

    def why(self, table: str, row: int) -> Why:
        return explain_row(self.outcome, self.engine, table, row)

    def why_not(self, rule: str, row: int, other: int | None = None, table: str | None = None) -> WhyNot:
        return why_not(self.outcome, engine=self.engine, rule=rule, row=row, other=other, table=table)


ANNA: Span = (0, 0, 4, "PER", "Anna")
SYSTEM: list[Span] = [
    ANNA,
    ANNA,
    (0, 10, 14, "ORG", "Acme"),
    (0, 10, 18, "ORG", "Acme Inc"),
    (0, 30, 33, "LOC", "Rom"),
    (2, 0, 3, "LOC", "Ulm"),
]
KEY: list[Span] = [ANNA, (0, 10, 21, "ORG", "Acme Incorp"), (0, 40, 43, "LOC", "Rom"), (1, 3, 5, "PER", "Bo")]


@pytest.fixture(scope="module")
def run() -> Tiny:
    return Tiny(rule_set(EXACT, DUPLICATE, SPURIOUS, MISSED, fuzzy()), SYSTEM, KEY)


def signs(found: WhyNot, attempt: int = 0) -> dict[str, bool]:
    return {each.condition: each.held for each in found.attempts[attempt].conditions}


def failed(found: WhyNot, attempt: int = 0) -> dict[str, dict[str, Any]]:
    """Return the values of the conditions that failed."""
    return {
        each.condition: {cell.name: cell.value for cell in each.values}
        for each in found.attempts[attempt].conditions
        if not each.held
    }


# Why


def test_why_tells_each_firing_and_what_it_set(run: Tiny) -> None:
    found = run.why("system", 3)
    assert str(found.row) == 'system [ORG] "Acme Inc" 0:10-18'
    told = [(step.step, step.rule, step.group, step.salience, step.partner) for step in found.steps]
    partner = Row(table="key", side="key", document="0", begin=10, end=21, pieces=(), label="ORG", text="Acme Incorp")
    assert told == [(3, "spurious", "exact", 90, None), (5, "fuzzy check", "fuzzy", 0, partner)]
    assert [[(cell.name, cell.value) for cell in step.sets] for step in found.steps] == [
        [("result", "FP")],
        [("result", "fuzzy"), ("partner", partner)],
    ]
    assert [(cell.name, cell.value) for cell in found.steps[1].partner_sets] == [
        ("result", "fuzzy"),
        ("partner", found.row),
    ]


def test_why_ends_with_the_verdict_in_each_view(run: Tiny) -> None:
    credit, strict = run.why("system", 3).verdicts
    assert (credit.view, credit.outcome, credit.rule, credit.step) == ("credit", "fuzzy", "fuzzy check", 5)
    assert (credit.credit, credit.weight, credit.left_out) == (0.5, 1, None)
    assert credit.partner == Row(
        table="key", side="key", document="0", begin=10, end=21, pieces=(), label="ORG", text="Acme Incorp"
    )
    assert (strict.outcome, strict.credit, strict.partner) == ("fuzzy", 0, None)


def test_why_of_a_key_row_names_the_system_row_it_was_paired_with(run: Tiny) -> None:
    found = run.why("key", 0)
    assert [(step.rule, str(step.partner)) for step in found.steps] == [("true positive", 'system [PER] "Anna" 0:0-4')]
    assert [verdict.outcome for verdict in found.verdicts] == ["TP", "TP"]


def test_values_are_those_of_their_step_even_if_they_change_later() -> None:
    rules = [
        RuleDeclaration(
            name="one", group="a", over={"s": "system"}, when="is_missing(s.level)", sets={"s.level": "s.begin + 1"}
        ),
        RuleDeclaration(
            name="two",
            group="b",
            over={"s": "system"},
            when="not s.seen",
            sets={"s.level": "s.level * 10", "s.seen": "true"},
        ),
        RuleDeclaration(
            name="named", group="c", over={"s": "system"}, when="is_missing(s.reason)", sets={"s.reason": "s.label"}
        ),
    ]
    tiny = Tiny(rule_set(*rules, views={}), [(0, 1, 4, "PER", "Bo")], [])
    steps = tiny.why("system", 0).steps
    told = [(step.rule, [(cell.name, cell.value) for cell in step.sets]) for step in steps]
    assert told == [
        ("one", [("level", 2)]),
        ("two", [("level", 20), ("seen", True)]),
        ("named", [("reason", "PER")]),
    ]
    assert tiny.why("system", 0).verdicts == ()


def test_a_rule_that_pairs_freely_is_told_once_for_each_partner() -> None:
    many = RuleDeclaration(
        name="near", group="a", over=BOTH, when="not s.seen and s.doc == k.doc", sets={"s.seen": "true"}, pair="many"
    )
    tiny = Tiny(rule_set(many, views={}), [ANNA], [ANNA, (0, 9, 10, "LOC", "x")])
    assert [(step.step, str(step.partner)) for step in tiny.why("system", 0).steps] == [
        (1, 'key [PER] "Anna" 0:0-4'),
        (1, 'key [LOC] "x" 0:9-10'),
    ]
    (step,) = tiny.why("key", 1).steps
    assert (step.sets, [(cell.name, cell.value) for cell in step.partner_sets]) == ((), [("seen", True)])


def test_a_row_that_no_rule_touched_has_no_outcome() -> None:
    tiny = Tiny(rule_set(EXACT), [(0, 1, 2, "LOC", "x")], [])
    found = tiny.why("system", 0)
    assert found.steps == ()
    assert [(each.outcome, each.rule, each.step) for each in found.verdicts] == [(None, None, None)] * 2


def test_weights_credits_in_columns_and_reasons_are_part_of_the_verdict() -> None:
    judged = RuleDeclaration(
        name="judge",
        group="a",
        over={"s": "system"},
        when="is_missing(s.result)",
        sets={"s.result": "FP", "s.level": "0.25", "s.reason": "'why'"},
    )
    views = {"weighed": ViewDeclaration(outcome="result", credit="length", weight="length", left_out="reason")}
    (verdict,) = Tiny(rule_set(judged, views=views), [ANNA], []).why("system", 0).verdicts
    assert (verdict.credit, verdict.weight, verdict.left_out) == (4, 0, "why")
    views = {"weighed": ViewDeclaration(outcome="result", credit="length", weight="length")}
    (verdict,) = Tiny(rule_set(judged, views=views), [ANNA], []).why("system", 0).verdicts
    assert (verdict.credit, verdict.weight, verdict.left_out) == (4, 4, None)


def test_rows_are_named_as_the_naming_says_and_pieces_are_shown() -> None:
    class Named(Naming):
        def side(self, table: str) -> str:
            return "crf" if table == "system" else table

        def document(self, number: int) -> str:
            return f"d{number}"

        def text(self, table: str, row: int) -> str:
            return f"{table[0]}{row}" * 40

        def place(self, table: str, row: int) -> str:
            return f"{table}.bio:{row + 1}"

    engine = Engine(compile_rules(rule_set(SPURIOUS)))
    pieces = Fragments(np.array([0, 0]), np.array([1, 6]), np.array([3, 9]))
    outcome = engine.run({"system": facts([(3, 1, 9, "PER", "")], pieces), "key": facts([])})
    row = explain_row(outcome, engine, "system", 0, naming=Named()).row
    assert row.extent == "d3:1-3,6-9"
    assert str(row) == f"system 'crf' [PER] \"{('s0' * 30)[:59]}…\" d3:1-3,6-9 (system.bio:1)"


# Why not


def test_why_not_shows_the_condition_that_failed_with_its_values(run: Tiny) -> None:
    rules = rule_set(EXACT, DUPLICATE, SPURIOUS, MISSED, fuzzy())
    strict = Tiny(RuleSetDeclaration(**{**vars_of(rules), "parameters": {"alike": 70}}), SYSTEM, KEY)
    found = strict.why_not("fuzzy check", 2)
    assert (found.rule, found.group, found.salience, found.fired, found.tried) == ("fuzzy check", "fuzzy", 0, (), (4,))
    (attempt,) = found.attempts
    assert (str(attempt.other), attempt.after, attempt.reason) == ('key [ORG] "Acme Incorp" 0:10-21', 4, "condition")
    assert list(signs(found)) == [
        's.result == "FP"',
        'k.result == "FN"',
        "s.label == k.label",
        "overlaps(s, k)",
        "similarity(s.text, k.text) >= alike",
    ]
    assert failed(found) == {
        "similarity(s.text, k.text) >= alike": {
            "similarity(s.text, k.text)": pytest.approx(53.333, abs=0.001),
            "s.text": "Acme",
            "k.text": "Acme Incorp",
            "alike": 70,
        }
    }


def vars_of(declared: RuleSetDeclaration) -> dict[str, Any]:
    return {name: getattr(declared, name) for name in RuleSetDeclaration.__slots__}


def test_a_condition_that_another_rule_made_false_says_which_and_when(run: Tiny) -> None:
    found = run.why_not("fuzzy check", 0)
    (first,) = (each for each in found.attempts[0].conditions if each.condition == 's.result == "FP"')
    assert [(cell.name, cell.value, cell.rule, cell.step) for cell in first.values] == [
        ("s.result", "TP", "true positive", 1)
    ]
    assert (first.held, first.holds) == (False, False)


def test_a_condition_that_held_when_the_rule_was_tried_is_no_reason(run: Tiny) -> None:
    found = run.why_not("true positive", 4)
    assert found.tried == (0,)
    assert [name for name, held in signs(found).items() if not held] == ["s.begin == k.begin", "s.end == k.end"]
    guard = found.attempts[0].conditions[0]
    assert (guard.condition, guard.held, guard.holds) == ("is_missing(s.result)", True, False)
    assert [(cell.name, cell.value, cell.rule, cell.step) for cell in guard.values] == [
        ("s.result", "FP", "spurious", 3)
    ]


def test_a_better_pair_is_named_with_the_number_that_made_it_better(run: Tiny) -> None:
    (attempt,) = run.why_not("fuzzy check", 2).attempts
    assert (attempt.reason, all(each.held for each in attempt.conditions)) == ("another pair", True)
    (pair,) = attempt.taken
    assert (pair.step, str(pair.row), str(pair.other)) == (
        5,
        'system [ORG] "Acme Inc" 0:10-18',
        'key [ORG] "Acme Incorp" 0:10-21',
    )
    assert [(cell.name, cell.value) for cell in pair.better] == [("-overlap(s, k)", -8), ("-overlap(s, k)", -4)]


def test_between_equal_pairs_content_has_decided(run: Tiny) -> None:
    (attempt,) = run.why_not("true positive", 1).attempts
    assert (attempt.reason, [pair.better for pair in attempt.taken]) == ("another pair", [()])


def test_the_optimal_pairing_gives_no_single_number() -> None:
    tiny = Tiny(rule_set(SPURIOUS, MISSED, fuzzy("one-to-one:optimal")), SYSTEM, KEY)
    (attempt,) = tiny.why_not("fuzzy check", 2).attempts
    assert (attempt.reason, [pair.better for pair in attempt.taken]) == ("another pair", [()])


def test_a_rule_that_has_fired_says_in_which_step(run: Tiny) -> None:
    found = run.why_not("fuzzy check", 3)
    assert (found.fired, found.attempts) == ((5,), ())
    (attempt,) = run.why_not("fuzzy check", 3, other=1).attempts
    assert attempt.reason == "fired"
    (attempt,) = run.why_not("fuzzy check", 3, other=2).attempts
    assert (str(attempt.other), attempt.reason) == ('key [LOC] "Rom" 0:40-43', "condition")


def test_a_rule_that_would_change_nothing_says_so() -> None:
    rules = [
        RuleDeclaration(
            name="mark", group="a", over={"s": "system"}, when="is_missing(s.reason)", sets={"s.reason": "'x'"}
        ),
        RuleDeclaration(name="again", group="b", over={"s": "system"}, when="s.begin >= 0", sets={"s.reason": "'x'"}),
    ]
    (attempt,) = Tiny(rule_set(*rules, views={}), [ANNA], []).why_not("again", 0).attempts
    assert (attempt.reason, attempt.other, attempt.after) == ("nothing to change", None, 1)


def test_a_question_about_other_rows_tells_how_many_there_are_and_the_first(run: Tiny) -> None:
    assert failed(run.why_not("duplicate", 4)) == {
        "any(s.begin == t.begin and s.end == t.end and s.label == t.label and s.pieces == t.pieces "
        'and t.result == "TP" for t in system)': {"rows t of system": 0}
    }
    alone = RuleDeclaration(
        name="alone",
        group="a",
        over={"s": "system"},
        when="not s.seen and not any(overlaps(s, k) for k in key)",
        sets={"s.seen": "true"},
    )
    crowded = RuleDeclaration(
        name="crowded",
        group="a",
        over={"s": "system"},
        when="not s.seen and count(k for k in key if s.doc == k.doc) < few(s.label) and max(k.end for k in key) < 5",
        sets={"s.seen": "true"},
        salience=-1,
    )
    tiny = Tiny(rule_set(alone, crowded, views={}), SYSTEM[2:3], KEY)
    assert failed(tiny.why_not("alone", 0)) == {
        "not any(overlaps(s, k) for k in key)": {
            "rows k of key": 1,
            "k": Row(
                table="key", side="key", document="0", begin=10, end=21, pieces=(), label="ORG", text="Acme Incorp"
            ),
            "s": "0:10-14",
        }
    }
    assert failed(tiny.why_not("crowded", 0)) == {
        "count(k for k in key if s.doc == k.doc) < few(s.label)": {
            "rows k of key": 3,
            "k": Row(table="key", side="key", document="0", begin=0, end=4, pieces=(), label="PER", text="Anna"),
            "few(s.label)": 1,
            "s.label": "ORG",
        },
        "max(k.end for k in key) < 5": {"max(k.end for k in key)": 43},
    }


def test_where_spans_lie_is_told_for_overlaps(run: Tiny) -> None:
    found = run.why_not("fuzzy check", 4)
    assert failed(found) == {"overlaps(s, k)": {"s": "0:30-33", "k": "0:40-43"}}
    assert len(found.attempts) == 1  # none overlaps: one elsewhere is enough


def test_nothing_near_gives_no_attempt(run: Tiny) -> None:
    assert run.why_not("fuzzy check", 5).attempts == ()


def test_at_most_three_rows_are_looked_at_those_that_fulfil_most_first() -> None:
    key: list[Span] = [
        (0, 0, 9, "PER", "Anna Bell"),
        (0, 2, 4, "LOC", "na"),
        (0, 3, 9, "PER", "a Bell"),
        (0, 3, 4, "PER", "a"),
        (0, 3, 5, "PER", "zz"),
        (1, 0, 4, "PER", "Anna"),
    ]
    tiny = Tiny(rule_set(EXACT, SPURIOUS, MISSED, fuzzy()), [(0, 0, 4, "PER", "Bell")], key)
    found = tiny.why_not("true positive", 0)
    assert [each.other.extent for each in found.attempts if each.other is not None] == ["0:0-9", "0:3-4", "0:2-4"]
    assert all(each.after == 0 for each in found.attempts)


def test_a_rule_over_one_table_twice_looks_at_other_rows_of_it() -> None:
    inside = RuleDeclaration(
        name="inside",
        group="a",
        over={"s": "system", "t": "system"},
        when="not s.seen and overlaps(s, t) and s.length < t.length",
        sets={"s.seen": "true"},
        pair="many",
    )
    tiny = Tiny(rule_set(inside, views={}), SYSTEM[2:4], [])
    assert [step.rule for step in tiny.why("system", 0).steps] == ["inside"]
    (attempt,) = tiny.why_not("inside", 1).attempts
    assert str(attempt.other) == 'system [ORG] "Acme" 0:10-14'
    assert [each.condition for each in attempt.conditions if not each.held] == ["s.length < t.length"]


def test_a_rule_is_looked_at_where_it_came_nearest() -> None:
    """The label spreads from span to span, so the rule is tried again and again."""
    rules = [
        RuleDeclaration(
            name="seed",
            group="a",
            over={"s": "system"},
            when="is_missing(s.reason) and s.label == 'ORG'",
            sets={"s.reason": "'x'"},
        ),
        RuleDeclaration(
            name="spread",
            group="b",
            over={"s": "system"},
            when="is_missing(s.reason) and any(overlaps(s, t) for t in system if t.reason == 'x')",
            sets={"s.reason": "'x'"},
        ),
    ]
    spans: list[Span] = [(0, 0, 2, "ORG", "a"), (0, 1, 4, "PER", "b"), (0, 3, 6, "PER", "c"), (0, 9, 10, "PER", "d")]
    tiny = Tiny(rule_set(*rules, views={}), spans, [])
    assert [step.step for step in tiny.why("system", 2).steps] == [3]
    found = tiny.why_not("spread", 3)
    assert (found.tried, found.attempts[0].after) == ((1, 2, 3), 3)
    assert tiny.why_not("spread", 0).attempts[0].after == 3


def test_a_condition_that_holds_only_in_the_end_says_so() -> None:
    rules = [
        RuleDeclaration(
            name="early", group="a", over={"s": "system"}, when="s.level == 2 and not s.seen", sets={"s.seen": "true"}
        ),
        RuleDeclaration(
            name="late", group="b", over={"s": "system"}, when="is_missing(s.level)", sets={"s.level": "2"}
        ),
    ]
    (attempt,) = Tiny(rule_set(*rules, views={}), [ANNA], []).why_not("early", 0).attempts
    first = attempt.conditions[0]
    assert (first.held, first.holds, [cell.value for cell in first.values]) == (False, True, [None])


def test_only_pairs_that_go_before_are_named() -> None:
    when = "is_missing(s.result) and is_missing(k.result) and overlaps(s, k)"
    near = RuleDeclaration(
        name="near", group="a", over=BOTH, when=when, sets=LINK, salience=0, pair="one-to-one", best=("-overlap(s, k)",)
    )
    spans: list[Span] = [(0, 0, 10, "X", "a"), (0, 2, 14, "X", "b")]
    tiny = Tiny(rule_set(near), spans, [(0, 0, 9, "X", "c"), (0, 12, 16, "X", "d")])
    (attempt,) = tiny.why_not("near", 1, other=0).attempts
    assert [(pair.row.extent, pair.other.extent) for pair in attempt.taken] == [("0:0-10", "0:0-9")]


def test_documents_shares_and_nested_questions_are_told(run: Tiny) -> None:
    assert failed(run.why_not("true positive", 0, other=3))["s.doc == k.doc"] == {"s.doc": "0", "k.doc": "1"}
    asked = RuleDeclaration(
        name="asked",
        group="a",
        over=BOTH,
        when="not s.seen and s.doc == k.doc and iou(s, k) > 0.5 and count(t for t in system) > 9 "
        "and any(any(x.begin > t.end for x in key) for t in system if t.begin > s.end)",
        sets={"s.seen": "true"},
        pair="many",
    )
    tiny = Tiny(rule_set(asked, views={}), SYSTEM[2:3], KEY)
    values = list(failed(tiny.why_not("asked", 0, other=1)).values())
    assert values == [
        {"iou(s, k)": pytest.approx(4 / 11), "s": "0:10-14", "k": "0:10-21"},
        {
            "rows t of system": 1,
            "t": Row(
                table="system", side="system", document="0", begin=10, end=14, pieces=(), label="ORG", text="Acme"
            ),
        },
        {"rows t of system": 0},
    ]


def test_a_row_that_the_rule_does_not_look_at_is_refused(run: Tiny) -> None:
    with pytest.raises(UsageError, match="the rule 'missed' is about rows of key, but this is a row of system"):
        run.why_not("missed", 0, table="system")


def test_an_unknown_rule_gets_its_nearest_match(run: Tiny) -> None:
    with pytest.raises(UsageError, match=r"the rule set 'tiny' has no rule 'misst' \(did you mean 'missed'\?\)"):
        run.why_not("misst", 0)


def test_a_table_of_no_spans_names_its_rows_by_number() -> None:
    tables = {**COLUMNS, "places": {"name": ColumnDeclaration(given=True)}}
    listed = RuleDeclaration(
        name="listed",
        group="a",
        over={"s": "system", "p": "places"},
        when="not s.seen and s.text == p.name",
        sets={"s.seen": "true"},
        pair="many",
    )
    declared = RuleSetDeclaration(name="tiny", groups=("a",), tables=tables, rules=(listed,))
    engine = Engine(compile_rules(declared))
    given = {"system": facts(SYSTEM[4:]), "key": facts([]), "places": Facts({"name": TextColumn.of(["Rom", "Bern"])})}
    outcome = engine.run(given)
    (step,) = explain_row(outcome, engine, "system", 0).steps
    assert str(step.partner) == "places row 1"
    (attempt,) = why_not(outcome, engine, "listed", 1).attempts
    assert [each.condition for each in attempt.conditions if not each.held] == ["s.text == p.name"]


# In words


def told(tiny: Tiny, table: str, row: int, *rules: str, other: int | None = None) -> list[str]:
    """Return the lines of an explanation, the name of the rule set apart."""
    why_nots = tuple(tiny.why_not(rule, row, other, table=table) for rule in rules)
    found = Explanation("tiny", "tokens", (ExplainedSpan("crf", tiny.why(table, row), why_nots),))
    return explanation_text(found).splitlines()[2:]


def test_an_explanation_in_words(run: Tiny) -> None:
    assert told(run, "key", 1, "true positive") == [
        "key [ORG] \"Acme Incorp\" 0:10-21, evaluated with 'crf'",
        '  step 4  exact/80  missed: result = "FN"',
        '  step 5  fuzzy/0   fuzzy check: result = "fuzzy", partner = system [ORG] "Acme Inc" 0:10-18',
        "  credit:  fuzzy by rule 'fuzzy check' in step 5, credit 0.5",
        "  strict:  fuzzy by rule 'fuzzy check' in step 5, credit 0",
        "  rule 'true positive' (exact/100) has not fired for it; it was tried before all steps",
        '    with system [ORG] "Acme Inc" 0:10-18',
        "      + is_missing(s.result)   (no longer: s.result = \"fuzzy\" set by rule 'fuzzy check' in step 5)",
        "      + is_missing(k.result)   (no longer: k.result = \"fuzzy\" set by rule 'fuzzy check' in step 5)",
        "      + s.doc == k.doc",
        "      + s.begin == k.begin",
        "      - s.end == k.end   (s.end = 18, k.end = 21)",
        "      + s.label == k.label",
        "      + s.pieces == k.pieces",
        '    with system [ORG] "Acme" 0:10-14',
        "      + is_missing(s.result)   (no longer: s.result = \"FP\" set by rule 'spurious' in step 3)",
        "      + is_missing(k.result)   (no longer: k.result = \"fuzzy\" set by rule 'fuzzy check' in step 5)",
        "      + s.doc == k.doc",
        "      + s.begin == k.begin",
        "      - s.end == k.end   (s.end = 14, k.end = 21)",
        "      + s.label == k.label",
        "      + s.pieces == k.pieces",
    ]


def test_in_words_why_another_pair_was_taken(run: Tiny) -> None:
    taken = 'took another pair, system [ORG] "Acme Inc" 0:10-18 with key [ORG] "Acme Incorp" 0:10-21'
    better = "-overlap(s, k) is -8 there and -4 here"
    assert told(run, "system", 2, "fuzzy check")[-1] == f"      all conditions held, but step 5 {taken}: {better}"
    same = 'system [PER] "Anna" 0:0-4 with key [PER] "Anna" 0:0-4: of equal ones the first by content'
    assert told(run, "system", 1, "true positive")[-1] == (
        f"      all conditions held, but step 1 took another pair, {same}"
    )
    optimal = Tiny(rule_set(SPURIOUS, MISSED, fuzzy("one-to-one:optimal")), SYSTEM, KEY)
    assert told(optimal, "system", 2, "fuzzy check")[-1].endswith(f"{taken}: this is the best set of pairs")


def test_in_words_what_has_fired_and_what_lies_nowhere_near(run: Tiny) -> None:
    assert told(run, "system", 3, "fuzzy check")[-1] == "  rule 'fuzzy check' (fuzzy/0) has fired for it, in step 5"
    assert told(run, "system", 5, "fuzzy check")[-2:] == [
        "  rule 'fuzzy check' (fuzzy/0) has not fired for it; it was tried after step 4",
        "    there is nothing near it to pair with",
    ]


def test_in_words_missing_values_truths_and_numbers() -> None:
    rules = [
        RuleDeclaration(
            name="early", group="a", over={"s": "system"}, when="s.level == 2 and not s.seen", sets={"s.seen": "true"}
        ),
        RuleDeclaration(
            name="late", group="b", over={"s": "system"}, when="is_missing(s.level)", sets={"s.level": "1 / 3"}
        ),
        RuleDeclaration(
            name="seen", group="c", over={"s": "system"}, when="not s.seen", sets={"s.seen": "true", "s.level": "2"}
        ),
        RuleDeclaration(name="again", group="d", over={"s": "system"}, when="s.begin >= 0", sets={"s.seen": "true"}),
        RuleDeclaration(
            name="never",
            group="d",
            over={"s": "system"},
            when="not s.seen and s.begin > 3",
            sets={"s.seen": "false"},
            salience=-1,
        ),
    ]
    tiny = Tiny(rule_set(*rules, views={}), [ANNA], [])
    assert told(tiny, "system", 0, "early", "again", "never") == [
        'system [PER] "Anna" 0:0-4',
        "  step 1  b/0  late: level = 0.333333",
        "  step 2  c/0  seen: seen = true, level = 2",
        "  rule 'early' (a/0) has not fired for it; it was tried before all steps",
        "    - s.level == 2   (s.level = missing; it holds at the end)",
        "    + not s.seen   (no longer: s.seen = true set by rule 'seen' in step 2)",
        "  rule 'again' (d/0) has not fired for it; it was tried after step 2",
        "    + s.begin >= 0",
        "    all conditions held, but it would have changed nothing",
        "  rule 'never' (d/-1) has not fired for it; it was tried after step 2",
        "    - not s.seen   (s.seen = true set by rule 'seen' in step 2)",
        "    - s.begin > 3   (s.begin = 0)",
    ]


def test_in_words_rows_that_are_left_out_weighed_or_untouched() -> None:
    judged = RuleDeclaration(
        name="judge", group="a", over={"s": "system"}, when="is_missing(s.result)", sets={"s.result": "FP"}
    )
    aside = RuleDeclaration(
        name="aside", group="b", over={"s": "system"}, when="is_missing(s.reason)", sets={"s.reason": "'why'"}
    )
    views = {
        "out": ViewDeclaration(outcome="result", credit={}, left_out="reason"),
        "weighed": ViewDeclaration(outcome="result", credit={}, weight="length"),
    }
    tiny = Tiny(rule_set(judged, aside, views=views), [ANNA], [ANNA])
    assert told(tiny, "system", 0)[-2:] == [
        "  out:      FP by rule 'judge' in step 1, credit 0, left out: why",
        "  weighed:  FP by rule 'judge' in step 1, credit 0, weight 4",
    ]
    assert told(tiny, "key", 0)[1:] == [
        "  no rule has fired for it",
        "  out:      no outcome",
        "  weighed:  no outcome",
    ]


def test_in_words_a_partner_that_no_cell_names_and_a_rule_that_was_tried_again() -> None:
    near = RuleDeclaration(
        name="near", group="a", over=BOTH, when="not s.seen and s.doc == k.doc", sets={"s.seen": "true"}, pair="many"
    )
    tiny = Tiny(rule_set(near, views={}), [ANNA], [ANNA])
    assert told(tiny, "system", 0)[1:] == ['  step 1  a/0  near: seen = true, with key [PER] "Anna" 0:0-4']
    assert told(tiny, "key", 0)[1:] == ['  step 1  a/0  near: with system [PER] "Anna" 0:0-4: seen = true there']
    spread = RuleDeclaration(
        name="spread", group="a", over={"s": "system", "t": "system"},
        when="is_missing(s.reason) and overlaps(s, t) and t.reason == 'x'", sets={"s.reason": "'x'"}, pair="many",
    )  # fmt: skip
    seed = RuleDeclaration(
        name="seed",
        group="a",
        over={"s": "system"},
        when="is_missing(s.reason) and s.begin == 0",
        sets={"s.reason": "'x'"},
        salience=1,
    )
    spans: list[Span] = [(0, 0, 2, "X", "a"), (0, 1, 4, "X", "b"), (0, 3, 6, "X", "c"), (0, 8, 9, "X", "d")]
    tiny = Tiny(rule_set(seed, spread, views={}), spans, [])
    assert told(tiny, "system", 3, "spread")[2:] == [
        "  rule 'spread' (a/0) has not fired for it; it was tried after step 1, 2, 3",
        '    with system [X] "c" 0:3-6, after step 3',
        "      + is_missing(s.reason)",
        '      - overlaps(s, t)   (s = "0:8-9", t = "0:3-6")',
        '      + t.reason == "x"',
    ]


# Random runs

Runs = list[tuple[Engine, Outcome, dict[str, Facts]]]


def random_facts(rows: Mapping[str, list[dict[str, Any]]], declared: RuleSetDeclaration) -> dict[str, Facts]:
    """Return the rows of the interpreter's tables as facts, verdicts that are there already included."""
    found = {}
    for table, given in rows.items():
        columns: dict[str, Any] = {}
        for name in ("doc", "begin", "end"):
            columns[name] = np.array([row[name] for row in given], np.int64)
        for name in ("label", "text"):
            columns[name] = TextColumn.of(row[name] for row in given)
        for name, column in declared.tables[table].items():
            values = [row[name] for row in given]
            match column.kind:
                case "text":
                    columns[name] = TextColumn.of(values)
                case "number":
                    columns[name] = np.array([np.nan if value is None else value for value in values], np.float64)
                case "row":
                    columns[name] = np.array([-1 if value is None else value for value in values], np.int64)
                case _:
                    columns[name] = np.array(values, np.bool_)
        found[table] = Facts(columns)
    return found


def random_runs(seed: int, count: int) -> Runs:
    """Return runs of random rule sets that the checks let through, each with a few firings."""
    random = Random(seed)
    found: Runs = []
    while len(found) < count:
        declared = Maker(random).rule_set()
        views = {"only": ViewDeclaration(outcome="result", credit={"A": 1, "B": 0.5}, partner="partner")}
        try:
            engine = Engine(compile_rules(RuleSetDeclaration(**{**vars_of(declared), "views": views})))
        except RuleError:
            continue
        for _ in range(4):
            given = random_facts(random_input(random, declared), declared)
            try:
                outcome = engine.run(given)
            except RuleError:  # an ambiguous write
                continue
            if len(outcome.trace) > 1:
                found.append((engine, outcome, given))
    return found


@pytest.fixture(scope="module")
def runs() -> Runs:
    return random_runs(4, 80)


def rows_of(outcome: Outcome) -> list[tuple[str, int]]:
    return [(name, row) for name in ("system", "key") for row in range(outcome.state.tables[name].size)]


def same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))


def test_a_run_replayed_from_its_trace_ends_where_it_ended(runs: Runs) -> None:
    for engine, outcome, given in runs:
        *_, (steps, state) = Account(outcome, engine, facts=given).states()
        assert steps == len(outcome.trace)
        for name, table in outcome.state.tables.items():
            for column, cells in table.columns.items():
                assert same(cells, state.tables[name].columns[column]), (name, column)


def test_a_run_on_facts_without_verdicts_needs_no_facts_to_be_replayed(runs: Runs) -> None:
    for engine, _, given in runs:
        kept = {
            name: Facts({column: each.columns[column] for column in ("doc", "begin", "end", "label", "text")})
            for name, each in given.items()
        }
        try:
            outcome = engine.run(kept)
        except RuleError:
            continue
        *_, (_, state) = Account(outcome, engine).states()
        for name, table in outcome.state.tables.items():
            assert all(same(cells, state.tables[name].columns[column]) for column, cells in table.columns.items())


def test_the_tries_are_those_of_the_engine(runs: Runs) -> None:
    """A rule that was tried and did not fire has no match that would change anything; one that fired has."""
    from comparanda.rules.engine import find_matches

    for engine, outcome, given in runs:
        account = Account(outcome, engine, facts=given)
        tried = account.tries
        assert [each.rule for each in tried if each.fired] == [firing.rule for firing in outcome.trace]
        assert [each.after for each in tried if each.fired] == list(range(len(outcome.trace)))
        for done, state in account.states():
            for each in tried:
                if each.after == done:
                    frame = find_matches(engine._plans[each.rule], state)
                    values = account.set_values(each.rule, frame) if frame.size else []
                    sets = zip(engine.rule_set.rules[each.rule].sets, values, strict=bool(values))
                    changes = any(not same(frame.column(one.variable, one.column), value) for one, value in sets)
                    assert changes == each.fired


def test_the_trace_mentions_every_firing_for_every_row(runs: Runs) -> None:
    for engine, outcome, given in runs:
        account = Account(outcome, engine, facts=given)
        told = {
            (step.step, row)
            for row in rows_of(outcome)
            for step in explain_row(outcome, engine, *row, facts=given).steps
        }
        fired = {
            (step, (engine.rule_set.rules[firing.rule].over[variable], int(row)))
            for step, firing in enumerate(outcome.trace, start=1)
            for variable, rows in firing.rows.items()
            for row in rows
        }
        assert told == fired
        assert account.rule_set is engine.rule_set


def test_why_ends_with_the_final_verdict_of_every_row(runs: Runs) -> None:
    for engine, outcome, given in runs:
        for table, row in rows_of(outcome):
            found = explain_row(outcome, engine, table, row, facts=given)
            (verdict,) = found.verdicts
            state = outcome.state.tables[table]
            code = int(state.columns["result"][row])
            assert verdict.outcome == (None if code < 0 else outcome.state.pool.names[code])
            place = int(state.by["result"][row])
            assert verdict.rule == (None if place < 0 else engine.rule_set.rules[place].name)
            sets = [cell for step in found.steps for cell in step.sets if cell.name == "result"]
            if sets:
                assert (sets[-1].value, sets[-1].rule, sets[-1].step) == (verdict.outcome, verdict.rule, verdict.step)
            else:
                assert verdict.step is None


def test_why_not_has_an_answer_for_every_rule_and_row(runs: Runs) -> None:
    for engine, outcome, given in runs:
        for rule in engine.rule_set.rules:
            for table, row in rows_of(outcome):
                if table not in rule.over.values():
                    continue
                found = why_not(outcome, engine, rule.name, row, table=table, facts=given)
                assert not (found.fired and found.attempts)
                for attempt in found.attempts:
                    held = all(each.held for each in attempt.conditions)
                    assert held == (attempt.reason != "condition")
                    assert attempt.reason != "fired"
                    assert attempt.reason != "another pair" or rule.pair == "one-to-one"
                    assert all(each.values for each in attempt.conditions if not each.held)

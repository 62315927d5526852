"""Every condition holds for the rows for which a look at every row says so."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from comparanda.rules.compiler import compile_rules
from comparanda.rules.declarations import Pairing, RuleDeclaration, RuleSetDeclaration
from comparanda.rules.engine import Engine
from tests.rules import interpreter
from tests.rules.building import declared, fired, rule
from tests.rules.interpreter import prepared
from tests.rules.span_inputs import Input, crowded, discontinuous, given, in_content_order

OF_ONE = (
    # equal values
    "any(same(s, k, 'doc', 'label') for k in key)",
    "not any(same(s, k, 'doc', 'label', 'text') for k in key)",
    "not any(same(s, k, 'id') for k in key)",
    "any(same(s, k, 'doc', 'begin', 'end') for k in key)",
    "count(same(s, k, 'doc', 'label') for k in key) >= 2",
    "count(k for k in key if k.label == s.label) == 1",
    "count(t for t in system if same(s, t, 'doc', 'begin', 'end')) > 1",
    "s == min(t for t in system if same(s, t, 'doc', 'label', 'text'))",
    "s == max(t for t in system if t.label == s.label and t.confidence == 'low')",
    "s != min(t for t in system if t.text == s.text)",
    "min(k.begin for k in key if k.doc == s.doc) < s.begin",
    "max(k.probability for k in key if k.doc == s.doc) >= s.probability",
    "sum(k.length for k in key if k.doc == s.doc and k.label == s.label) > 2",
    "sum(k.probability for k in key if k.doc == s.doc) > 0.5",
    "sum(k.probability for k in key if k.label == s.label and not is_missing(k.probability)) > 0.5",
    "is_missing(min(k.probability for k in key if k.label == s.label))",
    "is_missing(sum(k.probability for k in key if k.label == s.label))",
    "is_missing(max(k for k in key if k.label == s.label))",
    "any(k.probability == s.probability for k in key)",
    "any(k.begin == s.begin + 1 and k.doc == s.doc for k in key)",
    "any(k.text == 'a' and s.label == k.label for k in key)",
    "any(k.length == 2 * s.probability for k in key)",
    # overlap
    "any(overlaps(s, k) for k in key)",
    "not any(overlaps(k, s) for k in key)",
    "not any(overlaps(k, s) and k.label != s.label for k in key)",
    "count(t for t in system if overlaps(s, t)) >= 3",
    "count(overlaps(s, k) for k in key if k.label == s.label) == 1",
    "any(overlaps(s, k) for k in key if same(s, k, 'text', 'label'))",
    "any(overlaps(s, k) for k in key if k.confidence != 'low')",
    "any(same(s, k, 'doc') and overlaps(s, k) for k in key)",
    "min(k.begin for k in key if overlaps(s, k)) < s.begin",
    "max(k.probability for k in key if overlaps(s, k) and k.label == s.label) > 0.3",
    "s == max(t for t in system if overlaps(s, t))",
    "max(iou(s, k) for k in key if overlaps(s, k)) > 0.5",
    "sum(overlap(s, k) for k in key) > 1",
    "sum(overlap(s, k) for k in key if k.doc == s.doc) > 1",
    "sum(k.length for k in key if overlaps(s, k)) == 3",
    # what remains to be looked at pair by pair
    "any(k.doc == s.doc and k.begin < s.begin for k in key)",
    "any(overlaps(s, k) and k.length > s.length for k in key)",
    "count(k for k in key if k.doc == s.doc and k.end >= s.end) > 1",
    "any(k.begin < s.begin for k in key)",
    "not any(k.label == s.label or k.begin == s.begin for k in key)",
    "count(k.label != s.label for k in key) >= 2",
    "any(s.id in [k.id, k.text] for k in key)",
    "max(similarity(s.text, k.text) for k in key if k.doc == s.doc) > 60",
    "max(similarity(k.text, s.text) for k in key if k.label == s.label) <= 70",
    "count(k for k in key if k.doc == s.doc and similarity(s.text, k.text) >= 50) == 1",
    # nothing to do with the row
    "any(k.confidence == 'low' for k in key)",
    "not any(k.label == 'nobody' for k in key)",
    "any(true for k in key)",
    "count(k for k in key) > 3",
    "count(k.label == 'PER' for k in key) <= s.begin",
    "min(k.begin for k in key) == s.begin",
    "is_missing(max(k.probability for k in key if k.label == 'LOC'))",
    "sum(k.length for k in key if k.label == 'PER') > s.length",
    "s == min(t for t in system)",
    "s == max(t for t in system if t.begin < 2)",
    # one inside the other
    "any(k.doc == s.doc and not any(same(k, t, 'doc', 'begin', 'end') for t in system) for k in key)",
    "any(overlaps(s, k) and count(l for l in key if overlaps(k, l)) >= 2 for k in key)",
    "any(k.doc == s.doc and any(overlaps(t, k) and t.label == s.label for t in system) for k in key)",
    "any(k.begin == min(l.begin for l in key if l.doc == k.doc) and overlaps(s, k) for k in key)",
    "count(k for k in key if k.doc == s.doc) > count(t for t in system if t.doc == s.doc)",
    # missing values
    "s.id == s.text",
    "s.confidence != 'low'",
    "not s.confidence == 'low'",
    "s.id in ['Q1', s.text]",
    "s.confidence in [s.id]",
    "s.confidence not in [s.id, 'high']",
    "s.id not in ['Q1']",
    "is_missing(s.id) or s.id < 'Q2'",
    "s.text < s.id",
    "not s.text >= 'ab'",
    "s.probability < 0.5",
    "not s.probability < 0.5",
    "s.probability != 0.25",
    "s.probability == s.probability",
    "s.probability in [0.25, 0.5]",
    "is_missing(s.probability)",
    "min(s.probability, 0.3) == 0.3",
    "max(s.probability, s.begin) > 0.5",
    "s.begin / s.length > 1",
    "is_missing(s.begin / s.length)",
    "s.begin % 2 == 1 or -s.begin < -2",
    "abs(s.begin - 2) <= 1 and s.probability + 1 > bound",
    "s.begin * 2 - s.end / 2 >= 1",
    # lists, parameters, hierarchy, similarity
    "in_list(s.norm, 'words', s.label)",
    "in_list(s.norm, 'words')",
    "not in_list(s.text, 'words', s.label)",
    "in_list(s.text, 'flat')",
    "in_list(s.id, 'flat')",
    "in_list(s.norm, 'words', 'PER')",
    "in_list(s.norm, 'words', s.confidence)",
    "is_a(s.label, 'LOC')",
    "is_a(s.label, 'PER')",
    "is_a('CAPITAL', s.label)",
    "is_a(s.label, s.label)",
    "any(is_a(k.label, s.label) and same(s, k, 'doc') for k in key)",
    "far(s.label) == 1",
    "s.length >= far(s.label)",
    "far(s.confidence) == 2",
    "far('LOC') < s.begin",
    "similarity(s.text, 'abc') >= 50",
    "similarity('abc', s.text) < 50",
    "similarity(s.text, s.id) >= 0",
    "not similarity(s.text, s.id) >= 0",
    # rows as values
    "is_missing(s.partner)",
    "any(s.partner == k and k.label == s.label for k in key)",
    "any(s.partner == k and overlaps(s, k) and k.length > 1 for k in key)",
    "not any(s.partner == k and overlaps(k, s) for k in key)",
    "any(k.partner == s for k in key if k.confidence == 'low')",
    "count(k for k in key if k == s.partner) == 1",
    "max(k.begin for k in key if k == s.partner and k.doc == s.doc) > s.begin",
    "any(s.partner == t.partner for t in system if t.begin != s.begin)",
)
"""Conditions on a system span, which may have a partner."""

OF_TWO = (
    "same(s, k, 'doc', 'label')",
    "same(s, k, 'id')",
    "same(s, k, 'doc', 'begin', 'end')",
    "s.text == k.id",
    "s.probability == k.probability",
    "s.begin == k.end and s.doc == k.doc",
    "s.begin + 1 == k.begin and s.doc == k.doc",
    "k.length == 2 * s.length and k.label == 'PER' and s.text == 'a'",
    "overlaps(s, k)",
    "overlaps(k, s) and s.label == k.label",
    "same(s, k, 'doc') and overlaps(s, k) and s.text == k.text",
    "overlaps(s, k) and similarity(s.text, k.text) > 50",
    "overlaps(s, k) and similarity(k.text, s.text) >= far(k.label) * 40",
    "overlaps(s, k) and iou(s, k) <= 0.5 and overlap(s, k) >= 1",
    "overlaps(s, k) and (s.label == k.label or is_a(k.label, s.label))",
    "same(s, k, 'doc') and not overlaps(s, k)",
    "same(s, k, 'label') and overlap(s, k) == 0",
    "s.label == k.label and s.begin < k.begin and s.id in [k.id, 'Q1']",
    "s.label == k.label and s.confidence != k.confidence",
    "k.begin == min(l.begin for l in key if l.doc == s.doc) and k.doc == s.doc",
    "s.label == k.label and not any(overlaps(t, k) for t in system if t.label == s.label and t.begin < s.begin)",
    "overlaps(s, k) and count(l for l in key if overlaps(l, s) and l.label == k.label) == 1",
    "same(s, k, 'doc') and any(t.end == k.begin and t.begin == s.begin for t in system)",
    "s.partner == k",
    "k.partner == s",
    "k == s.partner and k.partner == s",
    "s.partner == k and overlaps(s, k)",
    "k.partner == s and overlaps(s, k) and s.label == k.label",
    "s.partner == k and s.label == k.label and k.confidence == 'low'",
    "s.partner == k and s.id == k.id",
    "s.partner == k and s.doc == k.doc and s.probability < k.probability",
)
"""Conditions on a system span and a key span."""


def link(best: str) -> RuleDeclaration:
    """Return a rule that gives spans partners, which need not overlap."""
    when = "is_missing(s.partner) and is_missing(k.partner) and s.label == k.label"
    return rule("sk", when, "link", pair="one-to-one", best=[best], s_partner="k", k_partner="s")


def check_condition(over: str, condition: str, inputs: Sequence[Input]) -> None:
    """Compare the rows for which a condition holds with those that a look at every row finds."""
    pair: Pairing | None = "many" if len(over) > 1 else None
    asked = rule(over, f"not s.hit and {condition}", "asked", group="second", pair=pair, s_hit="true")
    rules = declared(link("abs(s.begin - k.begin)"), asked)
    made = Engine(compile_rules(rules))
    for number, rows in enumerate(inputs):
        found = fired(made.run(given(rows)), "asked", made.rule_set.rules)
        assert found == looked_at(rules, "asked", rows), (condition, number)


def looked_at(rules: RuleSetDeclaration, name: str, rows: Input) -> list[tuple[int, ...]]:
    """Return the matches of a rule as the interpreter finds them, as rows of the input."""
    numbered = {
        table: [{**spans[number], "number": place} for place, number in enumerate(in_content_order(spans))]
        for table, spans in rows.items()
    }
    order = {table: in_content_order(spans) for table, spans in rows.items()}
    tables = {table: [dict(row) for row in spans] for table, spans in prepared(rules, numbered).items()}
    for table, spans in tables.items():
        spans.sort(key=lambda row: row["number"])
        assert table in order
    bindings = next((found for rule, found in interpreter.run(rules, tables).trace if rule == name), ())
    over = next(each.over for each in rules.rules if each.name == name)
    return sorted(tuple(order[table][row] for table, row in zip(over.values(), each, strict=True)) for each in bindings)


SMALL = [crowded(seed, 9) for seed in range(3)]
SMALL += [{"system": SMALL[1]["system"], "key": []}, {"system": [], "key": SMALL[1]["key"]}]
CUT = [discontinuous(seed) for seed in range(2)]
MORE, MORE_CUT = [crowded(seed, 9) for seed in range(3, 12)], [discontinuous(seed) for seed in range(2, 6)]


@pytest.mark.parametrize("condition", OF_ONE)
def test_conditions_on_a_row_are_those_of_a_look_at_every_row(condition: str) -> None:
    check_condition("s", condition, SMALL)


@pytest.mark.parametrize("condition", OF_TWO)
def test_conditions_on_two_rows_are_those_of_a_look_at_every_pair(condition: str) -> None:
    check_condition("sk", condition, SMALL)


PLACED = [
    (over, each)
    for over, every in (("s", OF_ONE), ("sk", OF_TWO))
    for each in every
    if "overlap" in each or "same(" in each
]


@pytest.mark.parametrize(("over", "condition"), PLACED)
def test_spans_in_several_pieces_overlap_by_their_pieces(over: str, condition: str) -> None:
    check_condition(over, condition, CUT)


@pytest.mark.slow
@pytest.mark.parametrize(("over", "condition"), [*(("s", each) for each in OF_ONE), *(("sk", each) for each in OF_TWO)])
def test_so_it_is_in_more_inputs(over: str, condition: str) -> None:
    check_condition(over, condition, MORE + MORE_CUT * ((over, condition) in PLACED))


@pytest.mark.parametrize(
    "condition",
    [
        "s.label == k.label and any(l.doc == k.doc and overlaps(l, s) for l in key)",
        "s.label == k.label and any(l.doc == k.begin and overlaps(l, s) for l in key)",
    ],
)
def test_the_document_of_another_row_counts_beside_an_overlap(condition: str) -> None:
    check_condition("sk", condition, SMALL)

"""No two rules may write differently side by side: which conditions exclude each other, and which may not."""

from __future__ import annotations

import pytest

from comparanda.errors import RuleError
from comparanda.expressions import parse
from comparanda.rules.checks.cell_values import MISSING, Cell, are_contrary, find_claims, possible_values, show_value
from comparanda.rules.compiler import compile_rules
from comparanda.rules.declarations import RuleDeclaration, RuleSetDeclaration
from comparanda.rules.ruleset import ColumnType
from tests.rules.small_rule_sets import SK, ST, TABLES, S, complaint, restarts, rule


def test_rules_of_equal_salience_that_set_one_cell_must_exclude_each_other() -> None:
    a = rule("is_missing(s.result) and s.label == 'PER'", {"s.result": "FP"}, salience=5)
    b = rule("is_missing(s.result) and s.begin > 10", {"s.result": "TP"}, salience=5)
    assert complaint(a=a, b=b) == (
        "rule 'b': conflicting writes: 'a' and 'b' both set system.result at salience 5 in group 'g', "
        "and their conditions are not provably disjoint\n"
        "  give one of them a higher salience, or add conditions that exclude each other"
    )


def test_one_rule_over_one_table_twice_must_not_contradict_itself() -> None:
    twice = rule("s.before == t and is_missing(s.note)", {"s.note": "'x'", "t.note": "'y'"}, over=ST, pair="many")
    assert complaint(twice=twice) == (
        "rule 'twice': conflicting writes: s.note and t.note may be the same cell, and it sets them differently\n"
        "  add conditions that no row can satisfy as both"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("s.label == 'PER'", "s.label == 'LOC'"),
        ("s.label in ['PER', 'ORG']", "s.label == 'LOC'"),
        ("s.label in ['PER', 'ORG']", "s.label not in ['PER', 'ORG']"),
        ("s.label != 'PER'", "'PER' == s.label"),
        ("is_missing(s.id)", "s.id != 'x' and not is_missing(s.id)"),
        ("is_missing(s.id)", "s.id > 'x'"),
        ("s.begin > 10", "s.begin <= 10"),
        ("s.begin > 10", "5 >= s.begin"),
        ("3 <= s.begin < 5", "s.begin == 5"),
        ("s.begin < s.end", "s.end <= s.begin"),
        ("s.begin == s.end", "s.begin != s.end"),
        ("s.length > bound", "s.length <= bound"),
        ("is_a(s.label, 'PER')", "not is_a(s.label, 'PER')"),
        ("s.seen", "not s.seen"),
        ("s.seen == true", "s.seen == false"),
        ("any(same(s, t, 'doc') for t in key)", "not any(same(s, x, 'doc') for x in key)"),
        ("s.label == 'PER' or s.label == 'ORG'", "s.label == 'LOC' or s.label == 'MISC' and s.begin > 3"),
        ("s.note == 'x'", "is_missing(s.note)"),
    ],
)
def test_conditions_that_exclude_each_other(one: str, other: str) -> None:
    first = RuleDeclaration(
        name="a", group="g", over=S, when=f"is_missing(s.result) and {one}", sets={"s.result": "FP"}
    )
    second = RuleDeclaration(
        name="b", group="g", over=S, when=f"is_missing(s.result) and ({other})", sets={"s.result": "TP"}
    )
    for rules in ((first, second), (second, first)):
        compile_rules(
            RuleSetDeclaration(name="test", groups=("g",), tables=TABLES, rules=rules, parameters={"bound": 3})
        )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("s.label == 'PER'", "s.label != 'LOC'"),
        ("s.begin > 10", "s.begin >= 10"),
        ("s.begin <= s.end", "s.end <= s.begin"),
        ("is_missing(s.id)", "s.id != 'x'"),  # what is missing differs from everything
        ("is_missing(s.id)", "s.id not in ['x']"),
        ("s.length > bound", "s.length <= 5"),
        ("is_a(s.label, 'PER')", "not is_a(s.label, 'LOC')"),
        ("any(same(s, t, 'doc') for t in key)", "not any(same(s, t, 'doc') for t in system)"),
        ("s.label == 'PER' or s.begin > 3", "s.label == 'LOC'"),
        ("s.confidence < 'm'", "s.confidence > 'k'"),
    ],
)
def test_conditions_that_can_hold_both(one: str, other: str) -> None:
    first = RuleDeclaration(
        name="a", group="g", over=S, when=f"is_missing(s.result) and ({one})", sets={"s.result": "FP"}
    )
    second = RuleDeclaration(
        name="b", group="g", over=S, when=f"is_missing(s.result) and ({other})", sets={"s.result": "TP"}
    )
    with pytest.raises(RuleError, match="conflicting writes"):
        compile_rules(
            RuleSetDeclaration(
                name="test", groups=("g",), tables=TABLES, rules=(first, second), parameters={"bound": 3}
            )
        )


def test_a_partner_reached_in_the_same_way_tells_rules_apart() -> None:
    one = rule("is_missing(s.result) and s.partner == k and k.hits == 0", {"s.result": "FP"}, over=SK)
    more = rule(
        "is_missing(x.result) and y.hits > 0 and y == x.partner", {"x.result": "TP"}, over={"y": "key", "x": "system"}
    )
    assert restarts(one=one, more=more) == {"one": None, "more": None}
    other = rule(
        "is_missing(x.result) and y.hits > 0 and x == y.partner", {"x.result": "TP"}, over={"x": "system", "y": "key"}
    )
    assert "conflicting writes" in complaint(one=one, other=other)


def test_rows_that_only_have_the_same_name_do_not_tell_rules_apart() -> None:
    one = rule("is_missing(s.result) and overlaps(s, k) and k.hits == 0", {"s.result": "FP"}, over=SK)
    more = rule("is_missing(s.result) and overlaps(s, k) and k.hits > 0", {"s.result": "TP"}, over=SK)
    assert "conflicting writes" in complaint(one=one, more=more)


def test_the_same_value_is_no_conflict() -> None:
    a = rule("is_missing(s.result) and s.label == 'PER'", {"s.result": "FP"})
    b = rule("is_missing(x.result) and x.begin > 10", {"x.result": "FP"}, over={"x": "system"})
    assert restarts(a=a, b=b) == {"a": None, "b": None}
    own = [
        rule("is_missing(s.note) and s.begin > 1", {"s.note": "s.text"}),
        rule("is_missing(t.note)", {"t.note": "t.text"}, over={"t": "system"}),
    ]
    restarts(a=own[0], b=own[1])


# The parts of the proofs


def test_what_a_condition_means_for_a_number() -> None:
    every = possible_values(ColumnType("number"), [2, 5])
    meaning = Cell("s.x", every).meaning(parse("s.x > 2 and not s.x >= 5").root)
    assert meaning.surely == meaning.perhaps
    assert sorted(map(str, meaning.surely)) == ["Between(low=2, high=5)"]
    assert MISSING in Cell("s.x", every).meaning(parse("not s.x > 2").root).surely


def test_columns_with_very_many_values_are_not_told_apart() -> None:
    many = [f"'{number}'" for number in range(1_900)]
    lists = [f"s.id in [{', '.join(many[part : part + 950])}]" for part in (0, 950)]
    a, b = (
        rule(f"is_missing(s.result) and {when}", {"s.result": to}) for when, to in zip(lists, ("TP", "FP"), strict=True)
    )
    restarts(a=a, b=b)
    more = rule(
        "is_missing(s.hits) and s.id in [" + ", ".join(f"'x{number}'" for number in range(150)) + "]", {"s.hits": "1"}
    )
    assert "conflicting writes" in complaint(a=a, b=b, more=more)
    assert sorted(map(show_value, possible_values(ColumnType("text"), range(3_000)))) == ["any value", "missing"]


@pytest.mark.parametrize(
    ("one", "other", "excluded"),
    [
        ("a.x <= a.y", "a.x > a.y", True),
        ("a.x <= a.y", "a.y < a.x", True),
        ("a.x <= a.y", "a.x >= a.y", False),
        ("a.x == a.y", "a.x <= a.y", False),
        ("a.x < a.y", "a.y < a.x", True),
        ("a.x != a.y", "a.y == a.x", True),
        ("a.x != a.y", "a.y < a.x", False),
        ("a.x == a.y", "not a.x == a.y", True),
        ("any(b.x == a.x for b in key)", "not any(c.x == a.x for c in key)", True),
    ],
)
def test_claims_that_exclude_each_other(one: str, other: str, *, excluded: bool) -> None:
    mine, theirs = (find_claims([parse(text).root], {}) for text in (one, other))
    assert are_contrary(mine, theirs) == are_contrary(theirs, mine) == excluded

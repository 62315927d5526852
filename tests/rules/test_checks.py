"""Rules that could cycle, depend on order or leave pairs open are refused; the others say where the agenda goes on."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from comparanda.errors import RuleError
from comparanda.rules.compiler import compile_rules
from comparanda.rules.declarations import RuleDeclaration, RuleSetDeclaration
from comparanda.rules.rule_files import list_shipped, load
from tests.rules.small_rule_sets import LINK, SK, ST, TABLES, UNLINKED, K, S, both_sides, complaint, restarts, rule

# 1. A group must come to an end

FORWARD = "  move the second rule to a later group: within a group, values may only move forward"


def test_values_that_go_round_are_refused() -> None:
    up, down = rule("s.result == 'FP'", {"s.result": "fuzzy"}), rule("s.result == 'fuzzy'", {"s.result": "FP"})
    assert complaint(up=up, down=down) == (
        "rule 'up': no fixpoint: system.result can cycle 'FP' → 'fuzzy' → 'FP' through rules 'up', 'down'\n" + FORWARD
    )


def test_a_long_way_round_is_shown_in_part() -> None:
    steps = {f"step{n}": rule(f"s.note == '{n}'", {"s.note": f"'{(n + 1) % 9}'"}) for n in range(9)}
    assert complaint(**steps) == (
        "rule 'step0': no fixpoint: system.note can cycle '0' → '1' → '2' → '3' → '4' → '5' → … → '0' "
        "through rules 'step0', 'step1', 'step2', 'step3', 'step4', 'step5', …\n" + FORWARD
    )


def test_two_rules_that_overwrite_each_other_never_end() -> None:
    assert complaint(a=rule("true", {"s.note": "'x'"}, salience=1), b=rule("s.begin > 3", {"s.note": "'y'"})) == (
        "rule 'a': no fixpoint: system.note can cycle 'y' → 'x' → 'y' through rules 'a', 'b'\n" + FORWARD
    )


def test_truths_and_numbers_can_go_round_too() -> None:
    on, off = rule("not s.seen", {"s.seen": "true"}, salience=1), rule("s.seen", {"s.seen": "false"})
    assert "system.seen can cycle false → true → false through rules 'on', 'off'" in complaint(on=on, off=off)
    less, more = rule("s.hits > 3", {"s.hits": "1"}, salience=1), rule("s.hits < 2", {"s.hits": "4"})
    assert "system.hits can cycle 4 → 1 → 4 through rules 'less', 'more'" in complaint(less=less, more=more)


def test_missing_is_a_value_like_others() -> None:
    clear = rule("s.partner == k and s.note == 'x' and is_missing(k.note)", {"s.note": "k.note"}, over=SK, salience=1)
    mark = rule("is_missing(s.note)", {"s.note": "'x'"})
    cycle = "system.note can cycle 'x' → missing → 'x' through rules 'clear', 'mark'"
    assert cycle in complaint(clear=clear, mark=mark)


@pytest.mark.parametrize(
    ("when", "over", "sets"),
    [
        ("s.label == 'PER'", S, {"s.hits": "s.hits + 1"}),
        ("s.partner == k", SK, {"s.hits": "k.hits"}),
        ("s.hits > 3", S, {"s.hits": "s.hits - 1"}),
        ("s.partner == k and not is_missing(s.note)", SK, {"s.hits": "k.hits", "s.note": "'x'"}),
    ],
)
def test_what_is_worked_out_needs_a_condition_that_it_makes_false(
    when: str, over: Mapping[str, str], sets: Mapping[str, str]
) -> None:
    assert complaint(count=rule(when, sets, over=over)) == (
        "rule 'count': no fixpoint: s.hits is computed, and the condition does not prevent the rule from firing "
        "again\n  add a condition that the rule makes false, such as is_missing(s.hits)"
    )


def test_values_that_move_forward_may() -> None:
    restarts(
        first=rule("is_missing(s.result)", {"s.result": "FP"}),
        then=rule("s.result == 'FP' and s.hits > 3", {"s.result": "fuzzy"}, salience=-1),
        last=rule("s.result in ['FP', 'fuzzy'] and s.label == 'PER'", {"s.result": "TP"}, salience=-2),
    )


def test_a_value_written_whatever_was_there_ends_if_no_other_rule_writes_there() -> None:
    assert restarts(mark=rule("s.label == 'PER'", {"s.note": "'x'", "s.seen": "true"})) == {"mark": None}


def test_what_is_used_up_elsewhere_may_be_overwritten() -> None:
    both = {"right": ("s.label == k.label", "TP"), "wrong": ("s.label != k.label", "fuzzy")}
    rules = {
        name: rule(f"is_missing(s.result) and s.partner == k and {when}", {"s.result": to, "k.result": to}, over=SK)
        for name, (when, to) in both.items()
    }
    assert "conflicting writes" in complaint(**rules)  # two of the system may have one partner in the key
    rules["wrong"] = rule("is_missing(s.result) and s.partner == k", both_sides("fuzzy"), over=SK, salience=-1)
    assert restarts(**rules) == {"right": None, "wrong": None}


# 2. Order must not matter

ELSEWHERE = "  set another column, move the test to a later group, or choose one row with min(… for x in table if …)"
APART = "  give one of them a higher salience, move it to another group, or add conditions that exclude each other"


def test_a_rule_that_denies_what_it_writes() -> None:
    first = rule(
        "is_missing(s.note) and not any(same(t, s, 'doc') for t in system if t.note == 'first')", {"s.note": "'first'"}
    )
    assert complaint(first=first) == (
        "rule 'first': order-dependent: it sets system.note and tests it in all rows of system, "
        "so the matches that fire first affect the others\n" + ELSEWHERE
    )


def test_a_rule_that_counts_what_it_writes() -> None:
    count = rule("is_missing(s.hits)", {"s.hits": "count(t for t in system if is_missing(t.hits))"})
    assert complaint(count=count) == (
        "rule 'count': order-dependent: it computes the values it sets from system.hits of all rows, "
        "which it also sets\n" + ELSEWHERE
    )
    few = rule("not s.seen and count(t for t in system if t.seen) < 3", {"s.seen": "true"})
    assert "it sets system.seen and tests it in all rows of system" in complaint(few=few)
    sums = rule("is_missing(s.hits)", {"s.hits": "sum(t.hits for t in system)"})
    assert "from system.hits of all rows" in complaint(sums=sums)


def test_a_rule_that_only_asks_for_what_it_leaves_alone() -> None:
    spread = rule("is_missing(s.note) and any(same(t, s, 'doc') for t in system if t.note == 'x')", {"s.note": "'x'"})
    others = rule(
        "is_missing(s.result) and not any(same(t, s, 'doc') for t in system if t.note == 'x')", {"s.result": "FP"}
    )
    assert restarts(spread=spread) == {"spread": "spread"}
    assert restarts(others=others) == {"others": None}


def test_silent_consumption() -> None:
    mark = rule("s.partner == k and is_missing(k.result)", both_sides("TP"), over=SK)
    assert complaint(mark=mark) == (
        "rule 'mark': order-dependent: it tests and sets k.result, "
        "so the result depends on which of several partners comes first\n"
        '  add pair = "one-to-one" or pair = "many"'
    )
    restarts(mark=rule("s.partner == k and is_missing(k.result)", both_sides("TP"), over=SK, pair="many"))
    restarts(mark=rule("s.partner == k and is_missing(s.result)", both_sides("TP"), over=SK))
    restarts(mark=rule("s.partner == k and is_missing(k.result)", {"k.result": "TP"}, over=SK))
    restarts(mark=rule("k.partner == s and s.partner == k and is_missing(k.result)", both_sides("TP"), over=SK))


def test_a_rule_over_one_table_twice() -> None:
    chain = rule("s.before == t and is_missing(s.note) and is_missing(t.note)", {"s.note": "'x'"}, over=ST)
    assert complaint(chain=chain) == (
        "rule 'chain': order-dependent: it sets s.note and uses t.note, which may be the same cell\n" + ELSEWHERE
    )
    along = rule("s.before == t and is_missing(s.note) and t.note == 'x'", {"s.note": "'x'"}, over=ST)
    assert restarts(along=along) == {"along": "along"}
    copied = rule("s.before == t and is_missing(s.note) and not is_missing(t.note)", {"s.note": "t.note"}, over=ST)
    assert restarts(copied=copied) == {"copied": "copied"}


def test_rules_of_equal_salience_that_disturb_each_other() -> None:
    a = rule("is_missing(s.note)", {"s.note": "'x'"})
    tests = rule("is_missing(s.note) and is_missing(s.hits)", {"s.hits": "1"})
    said = "and both have salience 0 in group 'g'"
    assert complaint(a=a, b=tests) == (
        f"rule 'b': order-dependent: 'a' sets system.note, which 'b' tests, {said}\n" + APART
    )
    copies = rule(
        "is_missing(s.hits) and s.partner == k and k.partner == s", {"k.note": "s.note", "s.hits": "1"}, over=SK
    )
    assert f"'a' sets system.note, which 'b' copies or orders by, {said}" in complaint(a=a, b=copies)
    asks = rule("is_missing(s.hits) and not any(same(s, t, 'doc') for t in system if t.note == 'x')", {"s.hits": "1"})
    assert f"'a' sets system.note, which 'b' tests in all rows, {said}" in complaint(a=a, b=asks)
    counts = rule("is_missing(s.hits)", {"s.hits": "count(t for t in system if t.note == 'x')"})
    assert f"'a' sets system.note, from which 'b' computes the values it sets, {said}" in complaint(a=a, b=counts)
    for other in (tests, copies, asks, counts):
        restarts(
            a=a, b=RuleDeclaration(name="b", group="g", over=other.over, when=other.when, sets=other.sets, salience=1)
        )
        restarts(a=a, b=RuleDeclaration(name="b", group="h", over=other.over, when=other.when, sets=other.sets))


def test_rules_of_equal_salience_that_only_help_each_other() -> None:
    rules = {
        "spans": rule("not s.seen and any(overlaps(s, k) for k in key if k.seen)", {"s.seen": "true"}),
        "keys": rule("not k.seen and any(overlaps(s, k) for s in system if s.seen)", {"k.seen": "true"}, over=K),
    }
    assert restarts(**rules) == {"spans": None, "keys": "spans"}


def test_pairs_must_not_get_rivals_meanwhile() -> None:
    a = rule("not s.seen", {"s.seen": "true"})
    pairs = rule(f"{UNLINKED} and s.seen and overlaps(s, k)", LINK, over=SK, pair="one-to-one")
    assert complaint(a=a, pairs=pairs) == (
        "rule 'pairs': order-dependent: 'a' sets system.seen, which gives 'pairs' other pairs to choose from, "
        "and both have salience 0 in group 'g'\n" + APART
    )
    itself = rule(
        f"{UNLINKED} and overlaps(s, k) and any(same(s, t, 'doc') for t in system if not is_missing(t.partner))",
        LINK, over=SK, pair="one-to-one",
    )  # fmt: skip
    assert "it sets system.partner, which gives it other pairs to choose from" in complaint(itself=itself)


def test_pairs_must_use_up_their_rows() -> None:
    half = rule("is_missing(s.result) and overlaps(s, k)", {"s.result": "TP"}, over=SK, pair="one-to-one")
    assert complaint(half=half) == (
        "rule 'half': order-dependent: pair = \"one-to-one\" does not mark k as used, "
        "so a row of key could be paired again\n"
        "  test and set a column of k, as in is_missing(k.partner) and k.partner = …"
    )


def test_a_rule_that_sets_off_higher_ones_midway() -> None:
    high = rule(
        "is_missing(s.note) and any(same(t, s, 'doc') for t in system if t.seen)", {"s.note": "'x'"}, salience=1
    )
    low = rule("not s.seen and is_missing(s.note)", {"s.seen": "true"})
    assert complaint(high=high, low=low) == (
        "rule 'low': order-dependent: it can enable 'high' while matches of its own salience are waiting, "
        "and 'high' sets system.note, which 'low' tests\n  move the rule that fires too early to a later group"
    )
    assert restarts(high=high, low=rule("not s.seen", {"s.seen": "true"})) == {"high": None, "low": "high"}


def test_higher_rules_set_off_midway_must_not_disturb_a_third_rule() -> None:
    high = rule(
        "is_missing(s.note) and any(same(t, s, 'doc') for t in system if t.seen)", {"s.note": "'x'"}, salience=1
    )
    low, also = rule("not s.seen", {"s.seen": "true"}), rule("is_missing(s.note)", {"s.hits": "1"})
    assert complaint(high=high, low=low, also=also) == (
        "rule 'low': order-dependent: it can enable 'high' while matches of its own salience are waiting, "
        "and 'high' sets system.note, which 'also' tests\n  move the rule that fires too early to a later group"
    )


def test_rules_that_work_row_by_row_may_set_off_higher_ones() -> None:
    rules = {
        "stop word": rule("s.result == 'FP' and s.text == 'it'", {"s.result": "TP"}, salience=3),
        "alike": rule("s.result == 'FP' and s.partner == k and k.hits > 1", {"s.result": "fuzzy"}, over=SK, salience=2),
        "rest": rule("is_missing(s.result)", {"s.result": "FP"}, salience=1),
    }
    assert restarts(**rules) == {"stop word": None, "alike": None, "rest": "stop word"}
    rules["alike"] = rule("s.result == 'FP' and s.hits > 1", {"s.result": "fuzzy"}, salience=3)
    assert "conflicting writes" in complaint(**rules)
    rules["alike"] = rule(
        "s.result == 'FP' and any(overlaps(s, t) for t in system if t.result == 'FP')", {"s.note": "'x'"}, salience=2
    )
    assert "order-dependent" in complaint(**rules)


# 3. Rows of two tables must be paired somehow

SAY = (
    '\n  add pair = "one-to-one" (each row once, the best pairs first) or pair = "many", '
    "or join by a row as in s.partner == k"
)


def test_who_writes_to_both_sides_must_pair_them() -> None:
    when = "is_missing(s.result) and is_missing(k.result) and same(s, k, 'doc')"
    assert complaint(link=rule(when, both_sides("TP"), over=SK)) == (
        "rule 'link': missing pair: it writes to s and to k, and each of them may match several rows of the other" + SAY
    )
    for pair in ("one-to-one", "one-to-one:optimal", "many"):
        assert restarts(link=rule(when, both_sides("TP"), over=SK, pair=pair)) == {"link": None}


def test_who_copies_from_the_other_side_must_pair_it() -> None:
    when = "is_missing(s.note) and overlaps(s, k)"
    assert complaint(copy=rule(when, {"s.note": "k.text"}, over=SK)) == (
        "rule 'copy': missing pair: it sets s.note from k, and s may match several rows of key" + SAY
    )
    assert "it sets s.partner from k" in complaint(
        copy=rule("is_missing(s.partner) and overlaps(s, k)", {"s.partner": "k"}, over=SK)
    )
    assert "it sets k.note from s" in complaint(
        copy=rule("s.partner == k and is_missing(k.note)", {"k.note": "s.text"}, over=SK)
    )
    restarts(copy=rule("is_missing(s.note) and s.partner == k", {"s.note": "k.text"}, over=SK))
    restarts(
        copy=rule("is_missing(s.note) and k == min(x for x in key if overlaps(s, x))", {"s.note": "k.text"}, over=SK)
    )
    restarts(copy=rule("is_missing(s.note) and overlaps(s, k)", {"s.note": "s.text"}, over=SK))
    restarts(copy=rule("is_missing(s.result) and overlaps(s, k)", {"s.result": "TP"}, over=SK))


# Where the agenda goes on


def test_after_what_nobody_before_can_see_the_next_rule_follows() -> None:
    match = rule(
        "is_missing(s.result) and is_missing(k.result) and overlaps(s, k)",
        sets=both_sides("TP"),
        over=SK,
        salience=2,
        pair="one-to-one",
    )
    rest = rule("is_missing(s.result)", {"s.result": "FP"}, salience=1)
    assert restarts(match=match, rest=rest) == {"match": None, "rest": None}


def test_what_gives_a_rule_before_something_to_do_leads_back_to_it() -> None:
    top = rule("s.hits == 2", {"s.note": "'two'"}, salience=9)
    assert restarts(top=top, set=rule("is_missing(s.hits)", {"s.hits": "2"})) == {"top": None, "set": "top"}
    assert restarts(top=top, set=rule("is_missing(s.hits)", {"s.hits": "3"})) == {"top": None, "set": None}
    asked = rule("count(t for t in system if t.hits == 2) > 1", {"s.note": "'two'"}, salience=9)
    assert restarts(asked=asked, set=rule("is_missing(s.hits)", {"s.hits": "2"})) == {"asked": None, "set": "asked"}
    assert restarts(asked=asked, set=rule("is_missing(s.hits)", {"s.hits": "3"})) == {"asked": None, "set": None}


def test_what_undoes_a_write_gives_the_rule_work_again() -> None:
    fresh = rule("s.note == 'x'", {"s.hits": "1"}, salience=1)  # always 1, whatever was there
    later = rule("s.note == 'x' and is_missing(s.result)", {"s.hits": "2", "s.result": "FP"})
    assert restarts(fresh=fresh, later=later) == {"fresh": None, "later": "fresh"}


def test_a_group_does_not_lead_back_into_another() -> None:
    top = rule("s.hits == 2", {"s.note": "'two'"}, group="g")
    assert restarts(top=top, set=rule("is_missing(s.hits)", {"s.hits": "2"}, group="h")) == {"top": None, "set": None}


# Where it stands


def test_errors_name_the_line() -> None:
    declared = RuleDeclaration(
        name="count", group="g", over=S, when="true", sets={"s.hits": "s.hits + 1"}, lines={"name": 7}, file="my.toml"
    )
    for each, where in (
        (declared, "my.toml:7: rule"),
        (RuleDeclaration(name="c", group="g", over=S, when="true", sets={"s.hits": "s.hits + 1"}), "rule"),
    ):
        with pytest.raises(RuleError) as caught:
            compile_rules(RuleSetDeclaration(name="test", groups=("g",), tables=TABLES, rules=(each,)))
        assert str(caught.value).startswith(where)


# Rule sets that people use


@pytest.mark.parametrize("name", list_shipped())
def test_shipped_rule_sets_pass(name: str) -> None:
    compile_rules(load(name))

"""Forward chaining as DEFINITIONS 6 says; no verdict depends on the order of the input."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from comparanda.core.text_columns import TextColumn
from comparanda.errors import ComparandaError, RuleError
from comparanda.rules.compiler import compile_rules
from comparanda.rules.declarations import ColumnDeclaration, Kind
from comparanda.rules.engine import Engine
from comparanda.rules.facts import MISSING, Facts
from comparanda.rules.rule_files import load
from tests.rules import interpreter
from tests.rules.building import declared, engine, rule, span
from tests.rules.clips import FOLDER
from tests.rules.interpreter import AmbiguousError, Tables
from tests.rules.plain_spans import overlaps
from tests.rules.random_rules import Maker, random_input
from tests.rules.span_inputs import (
    Input,
    Row,
    chained,
    corpus_like,
    crowded,
    discontinuous,
    facts_of,
    given,
    judged,
    run,
    shuffled,
)
from tests.seeds import mostly_slow

# Groups, salience, starting again


def test_groups_run_in_the_order_given() -> None:
    rules = [
        rule("s", "is_missing(s.result)", "late", group="late", salience=9, s_result="A"),
        rule("s", "is_missing(s.result)", "early", group="early", s_result="B"),
    ]
    outcome = engine(*rules, groups=("early", "late")).run(given({"system": [span(0, 1)], "key": []}))
    assert outcome.texts("system", "result") == ["B"]
    outcome = engine(*rules, groups=("late", "early")).run(given({"system": [span(0, 1)], "key": []}))
    assert outcome.texts("system", "result") == ["A"]


def test_the_highest_rule_with_a_match_fires_first() -> None:
    rules = [
        rule("s", "is_missing(s.result)", "low", salience=-1, s_result="C"),
        rule("s", "is_missing(s.result) and s.begin > 0", "high", salience=1, s_result="A"),
        rule("s", "is_missing(s.result) and s.begin > 1", "middle", salience=0, s_result="B"),
    ]
    outcome = engine(*rules).run(given({"system": [span(0, 3), span(1, 3), span(2, 3)], "key": []}))
    assert outcome.texts("system", "result") == ["C", "A", "A"]


def test_a_rule_fires_for_all_its_matches_at_once() -> None:
    rules = [rule("s", "is_missing(s.result) and s.label == 'PER'", s_result="A")]
    outcome = engine(*rules).run(given({"system": [span(0, 1), span(1, 2, "LOC"), span(2, 3)], "key": []}))
    assert outcome.texts("system", "result") == ["A", None, "A"]
    assert [len(firing) for firing in outcome.trace] == [2]


def test_after_a_change_the_group_starts_again_from_its_highest_rule() -> None:
    rules = [
        rule("s", "is_missing(s.note) and s.result == 'A'", "high", salience=1, s_note="'high'"),
        rule("s", "is_missing(s.result)", "low", s_result="A"),
        rule("s", "is_missing(s.note)", "lowest", salience=-1, s_note="'low'"),
    ]
    outcome = engine(*rules).run(given({"system": [span(0, 1)], "key": []}), paranoid=True)
    assert outcome.texts("system", "note") == ["high"]


def test_recursion_goes_on_until_nothing_changes() -> None:
    rules = [
        rule("s", "not s.hit and s.begin == 0", "seed", salience=1, s_hit="true"),
        rule("s", "not s.hit and any(t.end == s.begin for t in system if t.hit)", "spread", s_hit="true"),
    ]
    spans = [span(place, place + 1) for place in (*range(20), *range(30, 35))]
    Random(0).shuffle(spans)
    outcome = engine(*rules).run(given({"system": spans, "key": []}), paranoid=True)
    assert outcome.codes("system", "hit").tolist() == [each["begin"] < 20 for each in spans]
    assert len(outcome.trace) == 20


def test_a_rule_that_changes_nothing_has_not_fired() -> None:
    rules = [
        rule("s", "s.begin == 0", "first", s_result="A"),
        rule("s", "s.begin == 0", "again", group="second", s_result="A"),
        rule("s", "s.begin < 9", "the other as well", group="second", salience=-1, s_result="A"),
    ]
    outcome = engine(*rules).run(given({"system": [span(0, 1), span(1, 2)], "key": []}))
    assert [(firing.rule, len(firing)) for firing in outcome.trace] == [(0, 1), (2, 1)]


def test_every_verdict_knows_its_rule() -> None:
    rules = [
        rule("sk", "is_missing(s.result) and is_missing(k.result) and same(s, k, 'doc', 'begin', 'end')", "pair",
             pair="one-to-one", s_result="A", k_result="A"),
        rule("s", "is_missing(s.result)", "rest", group="second", s_result="B"),
    ]  # fmt: skip
    rows = {"system": [span(5, 6), span(0, 1), span(7, 8)], "key": [span(0, 1), span(8, 9)]}
    outcome = engine(*rules).run(given(rows))
    assert outcome.rules("system", "result").tolist() == [1, 0, 1]
    assert outcome.rules("key", "result").tolist() == [0, -1]
    assert outcome.rules("key", "note").tolist() == [-1, -1]


def test_both_rows_of_a_pair_are_written() -> None:
    rules = [
        rule("sk", "is_missing(s.partner) and is_missing(k.partner) and same(s, k, 'label')", pair="one-to-one",
             s_partner="k", k_partner="s", s_note="k.label", k_result="A", s_level="k.begin")
    ]  # fmt: skip
    rows = {"system": [span(7, 9, "PER"), span(3, 4, "LOC")], "key": [span(5, 6, "ORG"), span(4, 5, "LOC"), span(1, 2)]}
    outcome = engine(*rules).run(given(rows))
    assert outcome.partners("system", "partner", "key").tolist() == [2, 1]
    assert outcome.partners("key", "partner", "system").tolist() == [-1, 1, 0]
    assert outcome.texts("system", "note") == ["PER", "LOC"]
    assert outcome.texts("key", "result") == [None, "A", "A"]
    assert outcome.codes("system", "level").tolist() == [1.0, 4.0]


def test_no_row_is_paired_twice_and_the_best_pair_goes_first() -> None:
    near = "is_missing(s.partner) and is_missing(k.partner) and overlaps(s, k)"
    pairing = rule("sk", near, pair="one-to-one", best=["abs(s.begin - k.begin)"], s_partner="k", k_partner="s")
    rows = {"system": [span(0, 9), span(3, 9), span(4, 9)], "key": [span(4, 6), span(5, 7)]}
    outcome = engine(pairing).run(given(rows))
    assert outcome.partners("system", "partner", "key").tolist() == [-1, 1, 0]
    worst = replace(pairing, best=["-abs(s.begin - k.begin)"])
    assert engine(worst).run(given(rows)).partners("system", "partner", "key").tolist() == [1, 0, -1]


def test_optimal_pairing_finds_a_pair_more() -> None:
    near = "is_missing(s.partner) and is_missing(k.partner) and overlaps(s, k)"
    pairing = rule("sk", near, pair="one-to-one:optimal", best=["-overlap(s, k)"], s_partner="k", k_partner="s")
    rows = {"system": [span(0, 3), span(2, 9)], "key": [span(2, 8), span(8, 12)]}
    assert engine(pairing).run(given(rows)).partners("system", "partner", "key").tolist() == [0, 1]
    greedy = engine(replace(pairing, pair="one-to-one")).run(given(rows))
    assert greedy.partners("system", "partner", "key").tolist() == [-1, 0]


def test_of_equal_pairs_the_first_by_content_is_taken() -> None:
    pairing = rule(
        "sk",
        "is_missing(s.partner) and is_missing(k.partner) and same(s, k, 'doc')",
        pair="one-to-one",
        s_partner="k",
        k_partner="s",
    )
    named = [span(0, 1, text=text, id=name) for text, name in (("b", "Q1"), ("a", "Q2"), ("a", "Q1"), (None, "Q9"))]
    for seed in range(10):
        system = Random(seed).sample(named, 4)
        outcome = engine(pairing).run(given({"system": system, "key": [span(3, 4), span(2, 3)]}))
        partners = outcome.partners("system", "partner", "key").tolist()
        found = {(each["text"], each["id"]): row for each, row in zip(system, partners, strict=True)}
        assert found == {(None, "Q9"): 1, ("a", "Q1"): 0, ("a", "Q2"): -1, ("b", "Q1"): -1}


def test_two_values_for_one_cell_are_refused() -> None:
    many = rule("sk", "is_missing(s.note) and same(s, k, 'doc')", pair="many", s_note="k.label")
    rows: Input = {"system": [span(0, 1)], "key": [span(0, 1, "LOC"), span(0, 1, "ORG")]}
    with pytest.raises(RuleError, match=r"ambiguous write: 1 cells of system\.note"):
        engine(many).run(given(rows))
    rows["key"][1]["label"] = "LOC"
    assert engine(many).run(given(rows)).texts("system", "note") == ["LOC"]


def test_a_rule_that_nothing_links_is_refused() -> None:
    with pytest.raises(RuleError, match="nothing links s and k"):
        engine(rule("sk", "is_missing(s.note) and s.begin < k.begin", pair="many", s_note="'x'"))


def test_a_wrong_shortcut_is_noticed_by_a_paranoid_run() -> None:
    rules = [
        rule("s", "not s.hit and s.begin == 0", "seed", salience=1, s_hit="true"),
        rule("s", "not s.hit and any(t.end == s.begin for t in system if t.hit)", "spread", s_hit="true"),
    ]
    compiled = compile_rules(declared(*rules))
    hasty = Engine(replace(compiled, restarts=(None, None)))
    rows = given({"system": [span(place, place + 1) for place in range(5)], "key": []})
    hasty.run(rows)
    with pytest.raises(ComparandaError, match=r"system\.hit differs in 3 rows"):
        hasty.run(rows, paranoid=True)


def test_what_comes_with_the_input_may_be_set_already() -> None:
    rules = [rule("s", "is_missing(s.result)", s_result="B")]
    outcome = engine(*rules).run(given({"system": [span(0, 1, result="A"), span(0, 2, result=None)], "key": []}))
    assert outcome.texts("system", "result") == ["A", "B"]


def test_a_run_leaves_its_input_as_it_was() -> None:
    rules = [rule("s", "not s.hit", s_hit="true", s_level="1", s_result="A")]
    facts = given({"system": [span(0, 1, hit=False, level=None), span(1, 2, hit=False, level=0.0)], "key": []})
    made = engine(*rules)
    made.run(facts)
    assert len(made.run(facts).trace) == 1
    assert made.run(facts).codes("system", "hit").tolist() == [True, True]
    hit = facts["system"].columns["hit"]
    assert isinstance(hit, np.ndarray)
    assert not hit.any()


def test_an_engine_knows_which_columns_it_looks_at() -> None:
    found = engine(rule("s", "is_missing(s.result) and s.norm == 'x'", s_result="A"))
    assert found.uses("system", "norm")
    assert not found.uses("system", "text")
    assert not found.uses("nothing", "text")


def test_what_comes_with_no_spans_at_all_gives_nothing() -> None:
    pairing = rule("sk", "is_missing(s.partner) and is_missing(k.partner) and overlaps(s, k)", pair="one-to-one",
                   s_partner="k", k_partner="s")  # fmt: skip
    asking = rule("s", "is_missing(s.result) and not any(overlaps(s, k) for k in key)", group="second", s_result="A")
    made, spans = engine(pairing, replace(asking, name="asking")), facts_of([span(0, 1), span(1, 2)])
    empty = facts_of([])
    for nothing in (Facts({}), empty):
        assert made.run({"system": nothing, "key": nothing}, paranoid=True).trace == ()
        assert made.run({"system": nothing, "key": spans}).trace == ()
        assert made.run({"system": spans, "key": nothing}).texts("system", "result") == ["A", "A"]
    assert made.run({}).trace == ()


def test_numbers_in_a_column_of_texts_are_no_codes() -> None:
    made = engine(rule("s", "is_missing(s.result) and s.confidence == 'low'", s_result="A"))
    facts = facts_of([span(place, place + 1) for place in range(20)])
    numbered = Facts({**facts.columns, "confidence": np.arange(20)})
    try:
        outcome = made.run({"system": numbered})
    except ComparandaError:
        return
    assert outcome.texts("system", "result") == [None] * 20


def test_texts_in_a_column_of_numbers_are_not_compared_by_their_codes() -> None:
    made = engine(rule("s", "is_missing(s.result) and s.probability < 1", s_result="A"))
    facts = facts_of([span(0, 1), span(1, 2)])
    texts = Facts({**facts.columns, "probability": TextColumn.of(["70", "20"])})
    try:
        outcome = made.run({"system": texts})
    except ComparandaError:
        return
    assert outcome.texts("system", "result") == [None, None]


def test_rows_cannot_come_with_the_input() -> None:
    rules = declared(rule("s", "is_missing(s.result) and is_missing(s.before)", s_result="A"))
    before = ColumnDeclaration("row", table="system", given=True)
    rules = replace(rules, tables={**rules.tables, "system": {**rules.tables["system"], "before": before}})
    with pytest.raises(RuleError, match="is a row, which cannot be input"):
        compile_rules(rules)


# The order of the input

RULE_FILES = ("many_rules", "question_rules", "spreading_rules")
MADE = {name: Engine(compile_rules(load(FOLDER / f"{name}.toml"))) for name in RULE_FILES}
OPTIMAL = engine(
    rule(
        "sk",
        "is_missing(s.partner) and is_missing(k.partner) and overlaps(s, k)",
        "pair",
        pair="one-to-one:optimal",
        best=["-iou(s, k)"],
        s_partner="k",
        k_partner="s",
        s_result="A",
        k_result="B",
    )
)


def check_order(made: Engine, rows: Input, seed: int) -> None:
    """Compare the verdicts on an input with those on the same spans in other orders."""
    random = Random(seed)
    expected = run(made, rows).by_content(rows)
    for other in (shuffled(rows, random), {table: spans[::-1] for table, spans in rows.items()}):
        assert run(made, other).by_content(other) == expected, seed


@pytest.mark.parametrize("name", mostly_slow(RULE_FILES, {"spreading_rules"}))
def test_the_order_of_the_input_changes_no_verdict(name: str) -> None:
    for seed in range(40):
        check_order(MADE[name], crowded(seed), seed)
        check_order(MADE[name], discontinuous(seed), seed)
        check_order(MADE[name], chained(seed), seed)
    for seed in range(10):
        check_order(MADE[name], corpus_like(seed), seed)


def test_the_order_of_the_input_does_not_change_the_optimal_pairing() -> None:
    for seed in range(60):
        check_order(OPTIMAL, crowded(seed), seed)


def test_texts_and_ids_decide_between_spans_in_one_place() -> None:
    """Spans differ in their texts or ids alone, which no rule asks for: who gets the one key span is theirs to say."""
    pairing = rule("sk", "is_missing(s.partner) and is_missing(k.partner) and same(s, k, 'doc', 'label')",
                   pair="one-to-one", s_partner="k", k_partner="s")  # fmt: skip
    made = engine(pairing)
    for seed in range(30):
        random = Random(seed)
        more: dict[str, list[Any]] = {
            "text": ["b", "a", None],
            "id": ["Q2", "Q1", None],
            "confidence": ["low", "high", None],
            "probability": [0.5, 0.25, None],
        }
        column = random.choice([*more])
        system = [span(0, 1, **{column: value}) for value in random.sample(more[column], 3)]
        key = [span(0, 1, note=note) for note in ("x", "y")]
        check_order(made, {"system": system, "key": key}, seed)


# Large numbers

FAR = 1 << 50
"""Beyond 1e15; 2¹⁴ documents of this length have more positions than an int64 holds."""


def test_spans_far_from_the_begin_of_long_documents_do_not_meet_others() -> None:
    """As a bare product of int64, (document 0, begin 7) and (document 2¹⁴, begin 7) would be one and the same."""
    exact = rule("sk", "is_missing(s.result) and is_missing(k.result) and same(s, k, 'doc', 'begin', 'label')",
                 pair="one-to-one", s_result="A", k_result="A")  # fmt: skip
    alone = rule("s", "is_missing(s.result) and not any(same(s, k, 'doc', 'begin') for k in key)", "alone",
                 group="second", s_result="B")  # fmt: skip
    system = [span(7, 9, doc=0), span(FAR - 1, FAR, doc=1), span(7, 9, doc=2)]
    key = [span(7, 9, doc=1 << 14), span(0, 9, doc=1), span(7, 8, doc=2)]
    outcome = engine(exact, alone).run(given({"system": system, "key": key}))
    assert outcome.texts("system", "result") == ["B", "B", "A"]
    assert outcome.texts("key", "result") == [None, None, "A"]


def test_content_order_holds_for_large_numbers() -> None:
    first = rule("s", "is_missing(s.result) and s == min(t for t in system)", s_result="A")
    rows = [span(FAR - 1, FAR, doc=5), span(7, 9, doc=1 << 14), span(8, FAR, doc=0), span(7, FAR, doc=0)]
    assert engine(first).run(given({"system": rows, "key": []})).texts("system", "result") == [None, None, None, "A"]


def test_overlaps_hold_in_many_long_documents() -> None:
    def place(random: Random) -> Row:
        begin = random.choice([0, 1, 2, FAR - 6, FAR - 5])
        return span(begin, begin + random.randrange(3), random.choice("PQRS"), doc=random.choice([0, 1, 700, 1022]))

    pairing = rule("sk", "is_missing(s.note) and s.label == k.label and overlaps(s, k)", "near", pair="many",
                   s_note="'near'")  # fmt: skip
    counted = rule("k", "is_missing(k.level)", "level", k_level="count(s for s in system if overlaps(s, k))")
    rules = declared(pairing, counted)
    made = Engine(compile_rules(rules))
    for seed in range(60):
        random = Random(seed)
        rows = {table: [place(random) for _ in range(8)] for table in ("system", "key")}
        found = run(made, rows)
        for number, mine in enumerate(rows["system"]):
            near = any(overlaps(mine, other) and mine["label"] == other["label"] for other in rows["key"])
            assert found.cells["system", "note"][number] == ("near" if near else None), seed
        for number, mine in enumerate(rows["key"]):
            counts = sum(overlaps(mine, other) for other in rows["system"])
            assert found.cells["key", "level"][number] == counts, seed


# Random rules


def as_input(tables: Tables) -> Input:
    """Return tables of the interpreter as spans, each with an id of its own that follows their order."""
    derived = {"norm", "length", "pieces", "word_begin", "word_end"}
    return {
        table: [
            {**{name: value for name, value in row.items() if name not in derived}, "id": f"{number:03}"}
            for number, row in enumerate(rows)
        ]
        for table, rows in tables.items()
    }


def check_random_rules(seed: int) -> bool:
    """Compare a random rule set on a random input with the interpreter; False for one that is refused."""
    random = Random(seed)
    rules = Maker(random).rule_set()
    try:
        compiled = compile_rules(rules)
    except RuleError:
        return False
    if any(each.pair == "one-to-one:optimal" for each in compiled.rules):
        return False  # of equally good pairings any may be chosen
    made = Engine(compiled)
    names = [each.name for each in compiled.rules]
    restarts = {
        name: None if back is None else names[back] for name, back in zip(names, compiled.restarts, strict=True)
    }
    for _ in range(4):
        tables = random_input(random, rules)
        rows = as_input(tables)
        tables = {table: [{**row, "id": rows[table][place]["id"]} for place, row in enumerate(spans)]
                  for table, spans in tables.items()}  # fmt: skip
        try:
            working = interpreter.run(rules, tables, restarts)
        except AmbiguousError:
            with pytest.raises(RuleError, match="ambiguous"):
                made.run(given(rows))
            continue
        outcome = made.run(given(rows), paranoid=True)
        for (table, column), cells in judged(compiled, outcome).cells.items():
            assert list(cells) == [row[column] for row in working.tables[table]], (seed, table, column)
        trace = [
            (names[each.rule], sorted(zip(*(rows.tolist() for rows in each.rows.values()), strict=True)))
            for each in outcome.trace
        ]
        assert trace == [(name, sorted(bindings)) for name, bindings in working.trace], seed
    return True


def test_random_rules_do_what_the_interpreter_does() -> None:
    assert sum(check_random_rules(seed) for seed in range(100)) > 12


@pytest.mark.slow
def test_many_random_rules_do_what_the_interpreter_does() -> None:
    assert sum(check_random_rules(seed) for seed in range(100, 10_000)) > 1_000


# What would take too long


def test_a_condition_that_needs_every_pair_is_refused_before_it_fills_the_memory() -> None:
    made = engine(rule("s", "is_missing(s.result) and any(k.begin > s.end for k in key)", s_result="A"))
    spans = Facts(
        {
            "doc": np.zeros(8_000, int),
            "begin": np.arange(8_000),
            "end": np.arange(8_000),
            "label": TextColumn.constant("PER", 8_000),
        }
    )
    with pytest.raises(
        RuleError, match="the condition would compare 64,000,000 pairs of rows; at most 50,000,000 are allowed"
    ) as refused:
        made.run({"system": spans, "key": spans})
    assert refused.value.what.startswith("rule ")


def test_keys_are_made_anew_once_a_column_has_changed_and_old_ones_are_let_go() -> None:
    made = engine(rule("s", "is_missing(s.result)", s_result="A"))
    state = made.run({"system": facts_of([span(0, 1), span(1, 2)])}).state
    columns: list[tuple[str, str, Kind]] = [("result", "result", "text")]
    table = state.tables["system"]
    before = state.keys(table, table, columns)
    assert state.keys(table, table, columns) is before
    assert before[0].tolist() == before[1].tolist() == [0, 0]
    kept = len(state._keys)
    for value in (MISSING, state.pool.code("B")):
        table.columns["result"][0] = value
        state.changed("system", "result")
        first, second = state.keys(table, table, columns)
        assert (first[0] == second[0]) == (value != MISSING)
    assert len(state._keys) == kept

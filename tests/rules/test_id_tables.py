"""The tables of ids in conditions: the engine against the plain interpreter, and what of them is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import comparanda
from comparanda.core.text_columns import TextColumn
from comparanda.errors import RuleError
from comparanda.rules.compiler import compile_rules
from comparanda.rules.declarations import RuleSetDeclaration
from comparanda.rules.engine import Engine
from comparanda.rules.facts import Facts
from comparanda.rules.rule_files import load, parse
from tests.rules import interpreter
from tests.rules.span_inputs import Judged, Row, facts_of, judged
from tests.seeds import first_few

Ids = tuple[str | None, ...]
"""The ids of a span, the best first; None is NIL."""

SIDES = ("system", "key")

# Inputs: spans with texts of their own, so that content order is the order of these


class Case:
    """Spans of both sides, in any order, with their ids."""

    def __init__(self, spans: dict[str, list[Row]], ids: dict[str, list[Ids]]) -> None:
        self.spans, self.ids = spans, ids

    def shuffled(self, draw: Random) -> Case:
        """Return the same in another order."""
        order = {side: draw.sample(range(len(self.spans[side])), len(self.spans[side])) for side in SIDES}
        return Case(
            {side: [self.spans[side][row] for row in rows] for side, rows in order.items()},
            {side: [self.ids[side][row] for row in rows] for side, rows in order.items()},
        )

    def facts(self, draw: Random) -> dict[str, Facts]:
        """Return what the engine takes; the rows of ids in any order."""
        found = {side: facts_of(self.spans[side], ("text", "id", "confidence")) for side in SIDES}
        for side in SIDES:
            rows = [
                (span, id_, rank) for span, ids in enumerate(self.ids[side]) for rank, id_ in enumerate(ids, start=1)
            ]
            draw.shuffle(rows)
            found[f"{side}_ids"] = Facts(
                {
                    "of": np.array([span for span, _, _ in rows], np.int64),
                    "id": TextColumn.of([id_ for _, id_, _ in rows]),
                    "rank": np.array([rank for _, _, rank in rows], np.int64),
                }
            )
        return found

    def tables(self, declared: RuleSetDeclaration) -> interpreter.Tables:
        """Return what the interpreter takes: ids name the place of their span in content order."""
        tables = interpreter.prepared(declared, self.spans)
        for side in SIDES:
            place = {row["text"]: number for number, row in enumerate(tables[side])}
            tables[f"{side}_ids"] = [
                {"of": place[span["text"]], "id": id_, "rank": rank}
                for span, ids in sorted(
                    zip(self.spans[side], self.ids[side], strict=True), key=lambda each: place[each[0]["text"]]
                )
                for rank, id_ in enumerate(ids, start=1)
            ]
        return tables


def case(seed: int, size: int = 5) -> Case:
    """Draw spans at few places with ids of few entities."""
    draw = Random(seed)
    spans: dict[str, list[Row]] = {}
    ids: dict[str, list[Ids]] = {}
    for side in SIDES:
        count = draw.randint(0, size)
        ids[side] = [_ids(draw) for _ in range(count)]
        spans[side] = [
            {
                "doc": draw.randrange(2),
                "begin": (begin := draw.randrange(3)),
                "end": begin + draw.choice((0, 1, 1, 2)),
                "label": draw.choice(("LOC", "PER")),
                "text": f"t{number}",
                "id": ids[side][number][0] if ids[side][number] else None,
                "confidence": draw.choice((None, "low", "high")),
            }
            for number in range(count)
        ]
    return Case(spans, ids)


def _ids(draw: Random) -> Ids:
    return tuple(draw.sample(("Q1", "Q2", "Q3", None), draw.choice((0, 1, 1, 2, 3))))


def by_engine(engine: Engine, given: Case, draw: Random, *, paranoid: bool = False) -> dict[tuple[str, str, str], Any]:
    """Return all cells that rules set, by table, column and text; partners are named by their texts."""
    found: Judged = judged(engine.rule_set, engine.run(given.facts(draw), paranoid=paranoid))
    texts = {side: [row["text"] for row in given.spans[side]] for side in SIDES}
    return {
        (table, column, texts[table][number]): _named(engine, table=table, column=column, value=value, texts=texts)
        for (table, column), cells in found.cells.items()
        for number, value in enumerate(cells)
    }


def by_interpreter(engine: Engine, given: Case) -> dict[tuple[str, str, str], Any]:
    declared = engine.rule_set.declaration
    tables = interpreter.run(declared, given.tables(declared)).tables
    texts = {side: [row["text"] for row in tables[side]] for side in SIDES}
    return {
        (table, column, row["text"]): _named(engine, table=table, column=column, value=row[column], texts=texts)
        for table in SIDES
        for column, kind in engine.rule_set.tables[table].items()
        if kind.settable
        for row in tables[table]
    }


def _named(engine: Engine, table: str, column: str, value: Any, *, texts: dict[str, list[str]]) -> Any:
    other = engine.rule_set.tables[table][column].table
    return texts[other][value] if other in texts and value is not None else value


# Rules

HEAD = """
groups = ["first", "second"]
[parameters]
n = 2
[tables.system]
partner = "row of key"
result = ["A", "B"]
level = "number"
sum = "number"
hit = "truth"
[tables.key]
partner = "row of system"
result = ["A", "B"]
level = "number"
hit = "truth"
"""
REST = """
[[rules]]
name = "rest of the system"
group = "second"
for = { s = "system" }
when = "is_missing(s.result)"
set = { s.result = "B" }
[[rules]]
name = "rest of the key"
group = "second"
for = { k = "key" }
when = "is_missing(k.result)"
set = { k.result = "B" }
[views.one]
outcome = "result"
partner = "partner"
credit = { A = 1 }
"""


def rule(over: str, when: str, sets: str, *, name: str = "rule", more: str = "") -> str:
    tables = ", ".join(f'{each} = "{"system" if each == "s" else "key"}"' for each in over)
    return f'[[rules]]\nname = "{name}"\ngroup = "first"\nfor = {{ {tables} }}\nwhen = "{when}"\n{more}\n{sets}\n'


SMALL = {
    "any": rule(
        "s", "is_missing(s.result) and any(i.of == s and i.rank == 2 for i in system_ids)", 'set.s.result = "A"'
    ),
    "any of the other side": rule(
        "s", "is_missing(s.result) and any(i.id == s.id for i in key_ids)", 'set.s.result = "A"'
    ),
    "missing": rule("k", "not k.hit and any(i.of == k and is_missing(i.id) for i in key_ids)", "set.k.hit = true"),
    "count": rule(
        "s", "is_missing(s.level)", 'set.s.level = "count(i for i in system_ids if i.of == s and not is_missing(i.id))"'
    ),
    "count of truths": rule(
        "k", "is_missing(k.level)", "set.k.level = \"count(i.id == 'Q1' for i in key_ids if i.rank < n)\""
    ),
    "min and max": rule(
        "s", "is_missing(s.level)", "set.s.level = \"min(i.rank for i in system_ids if i.of == s and i.id == 'Q2')\""
    )
    + rule(
        "k",
        "is_missing(k.level)",
        'set.k.level = "max(i.rank for i in key_ids if i.of == k and i.id == k.id)"',
        name="max",
    ),
    "sum": rule("s", "is_missing(s.sum)", 'set.s.sum = "sum(i.rank for i in system_ids if i.of == s)"'),
    "nested": rule(
        "sk",
        "is_missing(s.result) and is_missing(k.result) and same(s, k, 'doc', 'begin') and any(any(j.of == k and j.id"
        " == i.id for j in key_ids) for i in system_ids if i.of == s and i.rank <= n)",
        'set = { s.result = "A", k.result = "A", s.partner = "k", k.partner = "s" }',
        more='pair = "one-to-one"',
    ),
    "nested with a count": rule(
        "s",
        "is_missing(s.level) and any(i.of == s and count(j for j in key_ids if j.id == i.id) > 1 for i in system_ids)",
        "set.s.level = 1",
    ),
    "best": rule(
        "sk",
        "is_missing(s.partner) and is_missing(k.partner) and s.doc == k.doc",
        'set = { s.partner = "k", k.partner = "s" }',
        more='pair = "one-to-one"\nbest = ["-count(i for i in key_ids if i.of == k and any(j.of == s and j.id == i.id'
        ' for j in system_ids))", "min(i.rank for i in system_ids if i.of == s and i.id == k.id)"]',
    ),
    "through a partner": rule(
        "sk",
        "is_missing(s.partner) and is_missing(k.partner) and same(s, k, 'doc', 'label')",
        'set = { s.partner = "k", k.partner = "s" }',
        more='pair = "one-to-one"\nsalience = 1',
    )
    + rule(
        "s",
        "is_missing(s.level) and any(k.confidence == 'low' for k in key if k == s.partner)",
        'set.s.level = "min(i.rank for i in system_ids if i.of == s and any(j.of == s.partner and j.id == i.id'
        ' for j in key_ids))"',
        name="rank of the id",
    ),
}


def small(name: str) -> Engine:
    return Engine(compile_rules(parse(HEAD + SMALL[name] + REST, "small.toml")))


def agree(engine: Engine, seeds: range, size: int = 5) -> set[Any]:
    """Compare engine and interpreter; return all values that were set."""
    met = set()
    for seed in seeds:
        given, draw = case(seed, size), Random(seed)
        found = by_engine(engine, given.shuffled(draw), draw, paranoid=seed % 5 == 0)
        assert found == by_interpreter(engine, given), (seed, given.spans, given.ids)
        met |= {(table, column, value) for (table, column, _), value in found.items()}
    return met


@pytest.mark.parametrize("name", first_few(3, SMALL))
def test_the_engine_answers_questions_about_ids_as_the_interpreter_does(name: str) -> None:
    met = agree(small(name), range(60))
    assert len({(table, column) for table, column, value in met if value not in {None, "B", False}}) > 0


@pytest.mark.parametrize("name", first_few(1, ["links", "elevant", "hipe-nel"]))
def test_so_it_does_by_the_shipped_rules_for_links(name: str) -> None:
    met = agree(Engine(compile_rules(load(name))), range(80), 4)
    outcomes = {value for _, column, value in met if column in {"result", "ignored", "fuzzy"}}
    assert len(outcomes) > 2


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SMALL, "links", "elevant", "hipe-nel"])
def test_so_it_does_on_many_inputs(name: str) -> None:
    agree(small(name) if name in SMALL else Engine(compile_rules(load(name))), range(1_000, 1_400))


@pytest.mark.parametrize("name", first_few(3, SMALL))
def test_the_order_of_spans_and_ids_decides_nothing(name: str) -> None:
    engine = small(name)
    for seed in range(30):
        given, draw = case(seed), Random(seed)
        expected = by_engine(engine, given, draw)
        assert all(by_engine(engine, given.shuffled(draw), draw) == expected for _ in range(3))


def test_an_id_belongs_to_its_span_wherever_that_stands() -> None:
    """Spans are put in content order, and `of` goes with them."""
    spans = {
        "system": [
            {"doc": 0, "begin": begin, "end": 9, "label": "LOC", "text": str(begin), "id": "Q1", "confidence": None}
            for begin in (5, 1, 3)
        ],
        "key": list[Row](),
    }
    given = Case(spans, {"system": [("Q1",), ("Q1", "Q2"), ("Q1", "Q2", "Q3")], "key": []})
    found = by_engine(small("count"), given, Random(1))
    assert {text: found["system", "level", text] for text in "135"} == {"1": 2, "3": 3, "5": 1}


def test_without_ids_no_question_is_answered_with_yes() -> None:
    spans = {side: [{"doc": 0, "begin": 0, "end": 2, "label": "LOC", "text": "a"}] for side in SIDES}
    engine = small("any")
    found = judged(engine.rule_set, engine.run({side: facts_of(rows) for side, rows in spans.items()}))
    assert found.cells["system", "result"] == ("B",)


# What is refused on loading


def refusal(text: str) -> str:
    with pytest.raises(RuleError) as caught:
        compile_rules(parse(text, "mine.toml"))
    return str(caught.value)


@pytest.mark.parametrize("column", ["of", "id", "rank"])
@pytest.mark.parametrize("table", ["system_ids", "key_ids"])
def test_ids_come_with_the_input_and_cannot_be_set(table: str, column: str) -> None:
    wanted = (
        f'[[rules]]\nname = "x"\ngroup = "first"\nfor = {{ i = "{table}" }}\nwhen = "true"\nset.i.{column} = "i.id"\n'
    )
    assert f"i.{column} is an input column and cannot be set" in refusal(HEAD + wanted + REST)


@pytest.mark.parametrize(("column", "type_"), [("of", "row of key"), ("id", "text"), ("rank", "number")])
def test_what_every_id_has_is_not_declared_again(column: str, type_: str) -> None:
    text = f'{HEAD}[tables.key_ids]\n{column} = "{type_}"\n{SMALL["any"]}{REST}'
    assert refusal(text) == f"mine.toml: every id already has a column '{column}'"


@pytest.mark.parametrize(
    ("condition", "what"),
    [
        ("any(i.of == s for i in key_ids)", "'==' cannot compare a row of key with one of system"),
        ("any(i.score > 1 for i in key_ids)", "the table 'key_ids' has no column 'score'"),
        ("any(i.rank == 'Q1' for i in key_ids)", "'==' cannot compare a number with a string"),
        ("any(i.of == s for i in ids)", "'ids'"),
    ],
)
def test_questions_about_ids_are_checked(condition: str, what: str) -> None:
    assert what in refusal(HEAD + rule("s", f"is_missing(s.result) and {condition}", 'set.s.result = "A"') + REST)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('flag = "nothing"', "view 'one': the table 'system' has no column 'nothing'"),
        ('flag = "sum"', "view 'one': system.sum is not a string"),
        ('flag = "partner"', "view 'one': system.partner is not a string"),
        ("flag = 1", "'flag' of view 'one': expected a string, got a number"),
        ('sources = { C = "tagger" }', "view 'one': 'C' is not a value of result"),
        ("sources = { B = 1 }", "'B' of 'sources' of view 'one': expected a string, got a number"),
        ('sources = "tagger"', "'sources' of view 'one': expected a table, got a string"),
        ("per_system = 1", "'per_system' of view 'one': expected true or false, got a number"),
        ('per_system = "yes"', "'per_system' of view 'one': expected true or false, got a string"),
        ('label = "key"', "unknown label 'key' of view 'one'"),
        ("label = 1", "'label' of view 'one': expected a string, got a number"),
        ("persystem = true", "unknown key 'persystem' in view 'one' (did you mean 'per_system'?)"),
    ],
)
def test_views_are_checked(line: str, what: str) -> None:
    assert what in refusal(HEAD + SMALL["any"] + REST + line + "\n")


def test_views_say_what_they_were_told() -> None:
    text = f'{HEAD}{SMALL["any"]}{REST}flag = "id"\nsources = {{ B = "tagger" }}\nper_system = true\n'
    view = compile_rules(parse(text, "mine.toml")).views["one"]
    assert (view.flag, dict(view.sources), view.per_system) == ("id", {"B": "tagger"}, True)
    plain = compile_rules(parse(HEAD + SMALL["any"] + REST, "mine.toml")).views["one"]
    assert (plain.flag, dict(plain.sources), plain.per_system, plain.label) == (None, {}, False, "own")


def test_labels_of_partners_need_partners() -> None:
    text = f'{HEAD}{SMALL["any"]}{REST}label = "partner"\n'
    assert compile_rules(parse(text, "mine.toml")).views["one"].label == "partner"
    without = text.replace('partner = "partner"\ncredit', "credit")
    assert without != text
    assert refusal(without) == (
        "mine.toml: view 'one': label = \"partner\", but no partner\n"
        "  add partner = and the column with the row of the key"
    )
    declared = parse(text, "mine.toml")
    unknown: Any = "key"
    views = {"one": replace(declared.views["one"], label=unknown)}
    with pytest.raises(RuleError, match="view 'one': expected own or partner for 'label', got 'key'"):
        compile_rules(replace(declared, views=views))


@pytest.mark.parametrize("source", ["none", "resolver and tagger"])
def test_a_source_cannot_be_called_like_none_or_like_several(source: str) -> None:
    assert "source" in refusal(f'{HEAD}{SMALL["any"]}{REST}sources = {{ B = "{source}" }}\n')


def test_there_cannot_be_so_many_sources_that_no_table_holds_them() -> None:
    names = [f"O{number}" for number in range(40)]
    declared = HEAD.replace('result = ["A", "B"]', f"result = {['A', 'B', *names]}")
    sources = ", ".join(f'{name} = "source {name}"' for name in names)
    assert "source" in refusal(f"{declared}{SMALL['any']}{REST}sources = {{ {sources} }}\n")


# What is refused at run time

UNFAIR = """
include = ["links"]
[views.own]
outcome = "result"
partner = "partner"
credit = { TP = 1 }
left_out = "unlinked"
"""


def records(*mentions: str) -> list[dict[str, Any]]:
    spans = [{"begin": place, "end": place + 1, "label": "LOC", "id": id_} for place, id_ in enumerate(mentions) if id_]
    return [{"id": "d", "text": "abcdef", "spans": spans}]


def compared(rules: Path, systems: Sequence[Sequence[str]]) -> comparanda.Result:
    given = {f"s{number}": records(*each) for number, each in enumerate(systems)}
    return comparanda.compare(records("Q1", "Q2"), given, task="link", rules=str(rules), resamples=0)


def test_a_key_that_depends_on_the_system_needs_a_word(tmp_path: Path) -> None:
    rules = tmp_path / "unfair.toml"
    rules.write_text(UNFAIR)
    with pytest.raises(RuleError) as caught:
        compared(rules, [("Q1",), ("Q1", "Q2")])
    assert caught.value.what == "view 'own': the weight of a span of the key depends on the system"
    assert caught.value.hint is not None
    assert caught.value.hint.endswith("or set per_system = true")


def test_with_that_word_each_system_has_a_key_of_its_own(tmp_path: Path) -> None:
    rules = tmp_path / "own.toml"
    rules.write_text(f"{UNFAIR}per_system = true\n")
    found = compared(rules, [("Q1",), ("Q1", "Q9")]).scores("recall", view="own").scores
    assert [(score.part, score.whole) for score in found] == [(1, 1), (1, 2)]


def test_a_key_that_is_the_same_for_all_systems_needs_none(tmp_path: Path) -> None:
    rules = tmp_path / "fair.toml"
    rules.write_text(UNFAIR)
    found = compared(rules, [("Q1", "Q8"), ("Q1", "Q9")]).scores("recall", view="own").scores
    assert [(score.part, score.whole) for score in found] == [(1, 2), (1, 2)]

"""Rule files: what they say is read as it is written, and what does not fit is shown with its place."""

from __future__ import annotations

import os
import re
import time
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparanda.errors import RuleError
from comparanda.rules import rule_files, shipped
from comparanda.rules.compiler import compile_rules
from comparanda.rules.declarations import ColumnDeclaration, RuleDeclaration, RuleSetDeclaration, ViewDeclaration
from comparanda.rules.rule_files import load, parse
from comparanda.rules.toml_positions import Keys, Source, find_positions

WHOLE = '''title = "All there is"
groups = ["match", "rest"]
[tables.system]
result = ["TP", "FP"]
partner = "row of key"
note = "text"
size = "number"
seen = "truth"
section = { type = "text", given = true }
kind = { values = ["a", "b"] }
[tables.lexicon]
word = "text"
[parameters]
threshold = 70
[parameters.per_label]
default = 70
PER = 90.5
[lists]
"stop words" = ["the", "a"]
[lists.titles]
PER = ["mr"]
[hierarchy]
CITY = "LOC"
CAPITAL = ["CITY", "SEAT"]
[[rules]]
name = "one"
group = "match"
salience = 1.5
for = { s = "system", k = "key" }
when = """
  is_missing(s.result)
  and true"""
pair = "one-to-one"
best = ["-overlap(s, k)",
  "s.begin"]
set = { s.result = "TP", "s.note" = "'x'", s.size = 1, s.seen = true }
[[rules]]
name = "two"
group = "rest"
for.s = "system"
when = 'true'
[rules.set]
s.size = -0.5
[views.strict]
outcome = "result"
partner = "partner"
credit = { TP = 1, FP = "threshold" }
left_out = "note"
weight = "size"
same = ["doc", "label"]
summary = "as it is"
[views.other]
outcome = "result"
credit = "size"
'''


def error(text: str) -> str:
    with pytest.raises(RuleError) as raised:
        parse(text, "rules.toml")
    return str(raised.value)


# What is read


def test_a_file_is_read_as_it_is_written() -> None:
    found = parse(WHOLE, "folder/whole.toml")
    assert (found.name, found.title, found.file) == ("whole", "All there is", "folder/whole.toml")
    assert found.groups == ("match", "rest")
    assert found.tables == {
        "system": {
            "result": ColumnDeclaration(values=("TP", "FP")),
            "partner": ColumnDeclaration("row", table="key"),
            "note": ColumnDeclaration(),
            "size": ColumnDeclaration("number"),
            "seen": ColumnDeclaration("truth"),
            "section": ColumnDeclaration(given=True),
            "kind": ColumnDeclaration(values=("a", "b")),
        },
        "lexicon": {"word": ColumnDeclaration(given=True)},
    }
    assert found.parameters == {"threshold": 70, "per_label": {"default": 70, "PER": 90.5}}
    assert found.lists == {"stop words": ("the", "a"), "titles": {"PER": ("mr",)}}
    assert found.hierarchy == {"CITY": ("LOC",), "CAPITAL": ("CITY", "SEAT")}
    assert list(found.views) == ["strict", "other"]
    assert found.views["strict"] == ViewDeclaration(
        outcome="result",
        credit={"TP": 1, "FP": "threshold"},
        partner="partner",
        left_out="note",
        weight="size",
        same=("doc", "label"),
        summary="as it is",
    )
    assert found.views["other"] == ViewDeclaration(outcome="result", credit="size")


def test_a_rule_is_read_as_it_is_written() -> None:
    one, two = parse(WHOLE, "whole.toml").rules
    assert one == RuleDeclaration(
        name="one",
        group="match",
        over={"s": "system", "k": "key"},
        when="  is_missing(s.result)\n  and true",
        sets={"s.result": "TP", "s.note": "'x'", "s.size": "1", "s.seen": "true"},
        salience=1.5,
        pair="one-to-one",
        best=("-overlap(s, k)", "s.begin"),
    )
    assert two == RuleDeclaration(name="two", group="rest", over={"s": "system"}, when="true", sets={"s.size": "-0.5"})


def test_each_part_of_a_rule_knows_its_line() -> None:
    one, two = parse(WHOLE, "whole.toml").rules
    lines = WHOLE.split("\n")
    assert (one.file, two.file) == ("whole.toml", "whole.toml")
    assert lines[one.lines["name"] - 1] == 'name = "one"'
    assert lines[one.lines["when"] - 1] == "  is_missing(s.result)"  # where the text begins, not its quotes
    assert lines[one.lines["best.1"] - 1] == '  "s.begin"]'
    assert one.lines["set.s.result"] == one.lines["set.s.note"] == one.lines["set"]
    assert lines[two.lines["for.s"] - 1] == 'for.s = "system"'
    assert lines[two.lines["set.s.size"] - 1] == "s.size = -0.5"
    assert {"name", "group", "salience", "for", "for.s", "when", "pair", "best.0", "set.s.seen"} <= set(one.lines)


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("'a'", 1),
        ("'''\na'''", 2),
        ("'''\n\na'''", 2),
        ('"""\n\na"""', 2),
        ('"""\\\n \n a"""', 3),
        ('"""a\\\n b"""', 1),
    ],
)
def test_the_line_of_a_text_is_that_of_its_first_character(written: str, line: int) -> None:
    """Only the newline right behind the quotes is not part of a text, and what follows a backslash at a line's end."""
    assert Source(f"x = {written}", "a.toml").line(("x",)) == line


@pytest.mark.parametrize("change", [lambda text: "\ufeff" + text, lambda text: text.replace("\n", "\r\n")])
def test_marks_and_line_ends_of_other_systems_change_nothing(change: Callable[[str], str], tmp_path: Path) -> None:
    plain, other = tmp_path / "plain.toml", tmp_path / "other.toml"
    plain.write_bytes(WHOLE.encode())
    other.write_bytes(change(WHOLE).encode())
    first, second = load(plain), load(other)
    assert replace(second, name="plain") == first
    assert [rule.lines for rule in second.rules] == [rule.lines for rule in first.rules]


def test_groups_that_are_not_listed_run_in_the_order_of_first_use() -> None:
    rule = '[[rules]]\nname = "{0}"\ngroup = "{1}"\nfor.s = "system"\nwhen = "true"\nset."s.x" = 1\n'
    text = "".join(rule.format(name, group) for name, group in [("1", "b"), ("2", "a"), ("3", "b")])
    assert parse(text, "a.toml").groups == ("b", "a")
    assert parse('include = ["exact"]\n' + text, "a.toml").groups == ("match", "rest", "b", "a")


# What is wrong with a file, each with its place

RULE = """groups = ["match", "rest"]
[tables.system]
result = ["TP", "FP"]
[[rules]]
name = "x"
group = "match"
for = { s = "system" }
when = "is_missing(s.result)"
set = { s.result = "TP" }
"""
VIEW = '[views.v]\noutcome = "result"\n'
KEYS = "known: name, group, salience, for, when, pair, best, set"
NEEDED = "required: name, group, for, when, set"


def changed(old: str, new: str) -> str:
    assert RULE.count(old) == 1
    return RULE.replace(old, new)


@pytest.mark.parametrize(
    ("text", "line", "what", "marked", "hint"),
    [
        # keys
        (RULE + "salence = 3", 10, "unknown key 'salence' in rule 'x' (did you mean 'salience'?)", "«salence» = 3",
         KEYS),
        (changed('name = "x"', 'nmae = "x"'), 5, "unknown key 'nmae' in rule 1 (did you mean 'name'?)",
         '«nmae» = "x"', KEYS),
        (changed("[[rules]]", "[[rule]]"), 4, "unknown key 'rule' in the file (did you mean 'rules'?)", "[[«rule»]]",
         "known: title, include, groups, tables, parameters, lists, hierarchy, rules, views"),
        (RULE + VIEW + "weigth = 1", 12, "unknown key 'weigth' in view 'v' (did you mean 'weight'?)", "«weigth» = 1",
         "known: outcome, partner, credit, left_out, weight, same, flag, sources, per_system, right, label, summary"),
        (changed('["TP", "FP"]', '{ typ = "text" }'), 3,
         "unknown key 'typ' in column system.result (did you mean 'type'?)", 'result = { «typ» = "text" }',
         "known: type, values, given, note"),
        # what is not there
        (changed('name = "x"\n', ""), 4, "rule 1 has no 'name'", "[[«rules»]]", NEEDED),
        (changed('group = "match"\n', ""), 5, "rule 'x' has no 'group'", 'name = «"x"»', NEEDED),
        (changed('for = { s = "system" }\n', ""), 5, "rule 'x' has no 'for'", 'name = «"x"»', NEEDED),
        (changed('when = "is_missing(s.result)"\n', ""), 5, "rule 'x' has no 'when'", 'name = «"x"»', NEEDED),
        (changed('set = { s.result = "TP" }\n', ""), 5, "rule 'x' has no 'set'", 'name = «"x"»', NEEDED),
        (RULE + VIEW, 10, "view 'v' has no 'credit'", "[«views.v»]", "required: outcome, credit"),
        (changed('["TP", "FP"]', "{ given = true }"), 3, "column system.result has no 'type'",
         "result = «{ given = true }»", "required: type"),
        (RULE + "[parameters.t]\nPER = 3", 10, "parameter 't' has no number for 'default'", "[«parameters.t»]",
         "add one for all labels that are not listed"),
        # types
        (RULE + 'salience = "high"', 10, "'salience' of rule 'x': expected a number, got a string",
         'salience = «"high"»', None),
        (RULE + "salience = nan", 10, "'salience' of rule 'x': expected a number, got nan", "salience = «nan»", None),
        (changed('"is_missing(s.result)"', "true"), 8, "'when' of rule 'x': expected a string, got true or false",
         "when = «true»", None),
        (RULE + 'best = "x"', 10, "'best' of rule 'x': expected a list of strings, got a string", 'best = «"x"»', None),
        (RULE + 'best = ["a",\n  3]', 11, "'best' of rule 'x': expected a list of strings, got a number in it",
         "  «3»]", None),
        (changed('{ s = "system" }', '"system"'), 7, "'for' of rule 'x': expected a table, got a string",
         'for = «"system"»', None),
        (changed("[[rules]]", "[rules]"), 4, "'rules': expected a list of tables", "[«rules»]",
         "begin each with [[rules]]"),
        ("title = 1979-05-27\n" + RULE, 1, "'title' of the file: expected a string, got a date", "title = «1979-05-27»",
         None),
        (RULE + "[parameters]\nt = true", 11, "'t' of [parameters]: expected a number, got true or false", "t = «true»",
         None),
        (RULE + '[lists.t]\nPER = "a"', 11, "'PER' of list 't': expected a list of strings, got a string",
         'PER = «"a"»', None),
        (RULE + "[hierarchy]\nCITY = 3", 11, "'CITY' of [hierarchy]: expected a string, got a number",
         "CITY = «3»", None),
        # columns
        (changed('["TP", "FP"]', '"txt"'), 3, "unknown type 'txt' of column system.result (did you mean 'text'?)",
         'result = «"txt"»', "text, number, truth, row of TABLE, or a list of values"),
        (changed('["TP", "FP"]', "3"), 3,
         "'result' of table 'system': expected a type, or a list of values, got a number", "result = «3»", None),
        (changed('["TP", "FP"]', "[]"), 3, "column system.result has no values", "result = «[]»", None),
        (changed('["TP", "FP"]', '["TP", "TP"]'), 3, "column system.result has a duplicate value",
         'result = «["TP", "TP"]»', None),
        (changed('["TP", "FP"]', '{ type = "number", values = ["1"] }'), 3,
         "column system.result is of type number: only text columns have fixed values",
         'result = { type = "number", «values» = ["1"] }', None),
        (changed("result = [", "in = ["), 3, "'in' cannot be the name of a column", '«in» = ["TP", "FP"]',
         "use letters, digits and _"),
        # rules
        (RULE + RULE[RULE.index("[[rules]]") :], 11, "duplicate rule 'x'", 'name = «"x"»',
         "the first one is in line 5"),
        (changed('name = "x"', 'name = " "'), 5, "the name of a rule cannot be empty", 'name = «" "»', None),
        (changed('group = "match"', 'group = "mach"'), 6, "unknown group 'mach' of rule 'x' (did you mean 'match'?)",
         'group = «"mach"»', "groups: match, rest"),
        (changed('"rest"]', '"match"]'), 1, "'groups' lists 'match' twice", 'groups = ["match", «"match"»]', None),
        (RULE + 'pair = "many-to-one"', 10, "unknown pair 'many-to-one' of rule 'x' (did you mean 'one-to-one'?)",
         'pair = «"many-to-one"»', "known: one-to-one, one-to-one:optimal, many"),
        (changed('s.result = "TP"', 'result = "TP"'), 9, "'result' in 'set' of rule 'x' is not a column of a row",
         'set = { «result» = "TP" }', "write the row and the column, as in s.result"),
        (changed('s.result = "TP"', 's.result = "TP", "s.result" = "FP"'), 9,
         "'set' of rule 'x' sets 's.result' twice", 'set = { s.result = "TP", «"s.result"» = "FP" }', None),
        (changed('s.result = "TP"', "s.result = [1]"), 9,
         "'result' of 'set' of rule 'x': expected a string, got a list",
         "set = { s.result = «[1]» }", None),
        # views
        (RULE + VIEW + 'credit = { TP = "al" }\n[parameters]\nall = 1', 12,
         "unknown parameter 'al' (did you mean 'all'?)", 'credit = { TP = «"al"» }', None),
        (RULE + VIEW + 'credit = { TP = "t" }\n[parameters.t]\ndefault = 1', 12,
         "parameter 't' has one value per label, so it cannot be a credit", 'credit = { TP = «"t"» }', None),
        # TOML
        (changed("when =", "when"), 8, "invalid TOML: Expected '=' after a key in a key/value pair",
         'when «"»is_missing(s.result)"', None),
        (RULE + "x = [1", 10, "invalid TOML: Unclosed array", "x = [1«»", None),
        (RULE + "x = [[[[[[[[[[[[[[[[[[[[[[[[", 10, "keys, tables and lists can be nested at most 20 levels deep",
         "x = [[[[[[[[[[[[[[[[[[«[»[[[[[", None),
        (".".join("a" * 21) + " = 1", 1, "keys, tables and lists can be nested at most 20 levels deep",
         ".".join("a" * 20) + "«.»a = 1", None),
        # include
        ('include = ["exakt"]', 1, "unknown rule set 'exakt' (did you mean 'exact'?)", 'include = [«"exakt"»]',
         f"known: {', '.join(shipped.registered_rules())}; give a file with its extension, as in mine.toml"),
        ('include = ["../a.toml"]', 1,
         "'../a.toml' is a path: only a file in the same folder can be included, by its bare name",
         'include = [«"../a.toml"»]', None),
        ('include = ["exact", "exact"]', 1, "'include' lists 'exact' twice", 'include = ["exact", «"exact"»]', None),
        ('include = ["exact"]\ngroups = ["match"]', 2,
         "'groups' does not list 'rest', the group of rule 'duplicate' in exact.toml", 'groups = «["match"]»', None),
        ('include = ["exact"]\n[tables.system]\nresult = ["TP"]', 3,
         "column system.result is declared differently in exact.toml", '«result» = ["TP"]', None),
        ('include = ["exact", "i2b2"]', 1, "the included files differ in column 'system.result'",
         '«include» = ["exact", "i2b2"]', None),
    ],
)  # fmt: skip
def test_each_mistake_is_shown_with_its_place(
    text: str, line: int, what: str, marked: str, *, hint: str | None
) -> None:
    before, place, after = re.split("[«»]", marked)
    shown = [
        f"rules.toml:{line}: {what}",
        f"  {before}{place}{after}",
        f"  {' ' * len(before)}{'^' * max(1, len(place))}",
    ]
    assert error(text).split("\n") == shown + ([f"  {hint}"] if hint else [])


def test_an_error_of_a_file_is_a_usage_error_in_four_lines() -> None:
    assert error(RULE + "salence = 3") == (
        "rules.toml:10: unknown key 'salence' in rule 'x' (did you mean 'salience'?)\n"
        "  salence = 3\n"
        "  ^^^^^^^\n"
        "  known: name, group, salience, for, when, pair, best, set"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "rules.toml: no rules\n  begin each rule with [[rules]]"),
        ("x = " + "9" * 5000, "rules.toml: invalid TOML: a number has too many digits"),
        (
            "x = [1]\r\r\ny = " + "[" * 5000,
            "rules.toml: keys, tables and lists can be nested at most 20 levels deep",
        ),
        ("#" * 1_000_001, "rules.toml: the file is too large; at most 1,000,000 bytes are allowed"),
    ],
)
def test_what_has_no_place_names_the_file(text: str, message: str) -> None:
    assert error(text) == message


def test_too_many_rules_are_refused() -> None:
    rule = '[[rules]]\nname = "{}"\ngroup = "a"\nfor.s = "system"\nwhen = "true"\nset."s.x" = 1\n'
    assert len(parse("".join(map(rule.format, range(500))), "a.toml").rules) == 500
    assert error("".join(map(rule.format, range(501)))) == ("rules.toml: there are 501 rules; at most 500 are allowed")


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * 100_000) + " = 1",
        "x = " + "[" * 200_000,
        "x = " + "{a=" * 100_000,
        pytest.param('groups = ["a"' + ', "a"' * 50_000 + "]", marks=pytest.mark.slow),
        pytest.param(
            "groups = [" + ",".join(f'"{number}"' for number in range(30_000)) + "]\n" + RULE[RULE.index("[[") :],
            marks=pytest.mark.slow,
        ),
        "[parameters]\n" + "".join(f"p{number} = 1\n" for number in range(20_000)) + RULE + VIEW + 'credit = {x = "q"}',
        pytest.param("[[rules]]\n" * 30_000, marks=pytest.mark.slow),
        'x = """' + '"' * 300_000,
        "x = '''" + "'\n" * 450_000,
        pytest.param('"' * 900_000, marks=pytest.mark.slow),
        pytest.param("a" * 300_000, marks=pytest.mark.slow),
        "#" + "\t" * 900_000,
        "title = 'x" + "\\" * 900_000 + "'",
        pytest.param("a.b.c.d = 1\n" * 20_000, marks=pytest.mark.slow),
    ],
    ids=lambda text: text[:12],
)
def test_no_file_keeps_us_waiting(text: str) -> None:
    begin = time.process_time()
    error(text)
    assert time.process_time() - begin < 5


# Files that cannot be read


def load_error(given: str | Path) -> str:
    with pytest.raises(RuleError) as raised:
        load(given)
    return str(raised.value)


def test_a_file_that_is_not_there_gets_a_neighbour(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(RULE)
    wrong = tmp_path / "mne.toml"
    assert load_error(wrong) == f"{wrong}: no such file (did you mean 'mine.toml'?)"
    assert load_error(str(wrong)) == load_error(wrong)
    assert load_error(tmp_path) == f"{tmp_path}: not a regular file"
    assert load_error("no/such.toml") == "no/such.toml: no such file"


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    assert load_error(pipe) == f"{pipe}: not a regular file"


def test_a_file_that_is_too_large_or_no_text_says_so(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_bytes(b"#" * 1_000_001)
    assert load_error(file) == f"{file}: the file is too large; at most 1,000,000 bytes are allowed"
    file.write_bytes(b'title = "a"\ngroups = ["Z\xfcrich"]\n')
    assert load_error(file) == f"{file}:2: the file is not UTF-8: invalid start byte 0xfc\n  save it as UTF-8"


def test_a_name_that_nobody_has_registered_lists_those_there_are() -> None:
    names = ", ".join(shipped.registered_rules())
    assert load_error("exat") == (
        "unknown rule set 'exat' (did you mean 'exact'?)\n"
        f"  known: {names}; give a file with its extension, as in mine.toml"
    )


class Registered:
    """What another package has put into our entry points."""

    def __init__(self, value: object) -> None:
        self.value, self.found = "other.package:RULES", value

    def load(self) -> object:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


def test_another_package_can_register_rule_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "theirs.toml").write_text('title = "Theirs"\n' + RULE)
    entries: dict[str, Any] = {
        "theirs": Registered(tmp_path / "theirs.toml"),
        "broken": Registered(ImportError("no module named 'other'")),
    }
    for module in (rule_files, shipped):
        monkeypatch.setattr(module, "registered_rules", lambda: entries)
    assert (load("theirs").name, load("theirs").file) == ("theirs", "theirs.toml")
    assert parse('include = ["theirs"]', "mine.toml").rules == load("theirs").rules
    what = "the rule set 'broken' cannot be loaded: no module named 'other'"
    assert load_error("broken") == f"other.package:RULES: {what}"
    assert rule_files.list_shipped() == {"theirs": "Theirs", "broken": f"(cannot be used: {what})"}


# Files that include others


def written(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text)
    return folder / f"{next(iter(texts))}.toml"


def test_what_the_including_file_says_holds(tmp_path: Path) -> None:
    mine = """include = ["paper"]
[parameters]
fuzzy_credit = 0.5
[parameters.similar_enough]
PER = 90
[lists."stop words"]
PER = ["he"]
[hierarchy]
CITY = "LOC"
[[rules]]
name = "fuzzy check"
group = "fuzzy"
for = { s = "system" }
when = "false"
set = { s.result = "FP" }
[[rules]]
name = "more"
group = "late"
for = { s = "system" }
when = "false"
set = { s.result = "FP" }
[views.mine]
outcome = "result"
credit = { TP = "partial_credit" }
"""
    found, paper = load(written(tmp_path, mine=mine)), load("paper")
    assert found.parameters == {
        "fuzzy_credit": 0.5,
        "partial_credit": 0.5,
        "similar_enough": {"default": 70, "PER": 90},
    }
    assert found.lists == {"stop words": {"default": (), "PER": ("he",)}}
    assert found.hierarchy == {"CITY": ("LOC",)}
    assert found.tables == paper.tables
    assert found.groups == (*paper.groups, "late")
    assert [rule.name for rule in found.rules] == [*(rule.name for rule in paper.rules), "more"]
    assert {rule.name for rule in found.rules if rule not in paper.rules} == {"fuzzy check", "more"}
    assert list(found.views) == ["mine", *paper.views]  # the first is the default
    credits = {name: view.credit for name, view in compile_rules(found).views.items()}
    assert credits["mine"] == {"TP": 0.5}
    assert credits["credit"] == {"TP": 1, "fuzzy": 0.5, "partial label": 0.5}
    assert found.title == ""


def test_each_rule_knows_the_file_it_stands_in(tmp_path: Path) -> None:
    found = load(written(tmp_path, a='include = ["b.toml", "align"]', b=RULE))
    assert {rule.name: rule.file for rule in found.rules} == {
        "x": str(tmp_path / "b.toml"),
        **{rule.name: "align.toml" for rule in load("align").rules},
    }


def test_a_file_that_two_others_include_is_there_once(tmp_path: Path) -> None:
    given = written(tmp_path, a='include = ["b.toml", "c.toml"]', b='include = ["align"]', c='include = ["align"]')
    assert [rule.name for rule in load(given).rules] == [rule.name for rule in load("align").rules]


RULE_MISSING = """
[[rules]]
name = "spurious"
group = "rest"
for = { s = "system" }
when = "is_missing(s.partner)"
set = { s.slots = "SPU" }
[[rules]]
name = "missing"
group = "rest"
for = { k = "key" }
when = "is_missing(k.partner)"
set = { k.slots = "MIS" }
[views.type]
outcome = "type_slot"
credit = { COR = 1 }
"""


def test_included_files_that_differ_in_a_rule_need_a_word(tmp_path: Path) -> None:
    assert load_error(written(tmp_path, a='include = ["semeval2013", "muc"]')).split("\n") == [
        f"{tmp_path / 'a.toml'}:1: the included files differ in rule 'spurious'",
        '  include = ["semeval2013", "muc"]',
        "  ^^^^^^^",
        "  define it in this file",
    ]


def test_files_cannot_include_each_other_in_a_circle(tmp_path: Path) -> None:
    a, b, c = (tmp_path / f"{name}.toml" for name in "abc")
    written(tmp_path, a='include = ["b.toml"]', b='include = ["c.toml"]', c='title = ""\ninclude = ["b.toml"]')
    assert load_error(a).split("\n") == [
        f"{c}:2: circular include: {a} → {b} → {c} → {b}",
        '  include = ["b.toml"]',
        "             ^^^^^^^^",
    ]
    assert "circular include: " in load_error(written(tmp_path, a='include = ["a.toml"]'))


def test_files_include_each_other_only_so_deep(tmp_path: Path) -> None:
    chain = {f"a{number}": f'include = ["a{number + 1}.toml"]' for number in range(8)}
    assert "too many included files: at most 8 levels deep, and 50 in all" in load_error(
        written(tmp_path, **chain, a8=RULE)
    )
    assert load(tmp_path / "a1.toml").rules[0].name == "x"


def test_a_file_includes_only_so_many(tmp_path: Path) -> None:
    names = [f"a{number}.toml" for number in range(51)]
    written(tmp_path, **{name[:-5]: "" for name in names})
    assert "too many included files: at most 8 levels deep, and 50 in all" in load_error(
        written(tmp_path, mine=f"include = {names}")
    )


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "..", "../x.toml", "a/b.toml", "C:x.toml", "a\\\\b.toml", "x.toml\\u0000"]
)
def test_only_bare_names_can_be_included(name: str) -> None:
    assert "include" in error(f'include = ["{name}"]')


def test_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    outside = written(tmp_path, secret=RULE)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link.toml").symlink_to(outside)
    assert "'link.toml' is outside this folder" in load_error(written(folder, mine='include = ["link.toml"]'))


def test_a_mistake_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    mine = written(tmp_path, mine='include = ["other.toml"]', other=RULE + "salence = 3")
    assert load_error(mine).startswith(f"{tmp_path / 'other.toml'}:10: unknown key 'salence' in rule 'x'")


def test_an_included_file_that_is_not_there_gets_a_neighbour(tmp_path: Path) -> None:
    mine = written(tmp_path, mine='include = ["othr.toml"]', other=RULE)
    assert "there is no file 'othr.toml' in this folder (did you mean 'other.toml'?)" in load_error(mine)


# Every way to write a file


class Writer:
    """Writes data as TOML, each time in another way."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def chance(self, share: float = 0.5) -> bool:
        return self.random.random() < share

    def space(self) -> str:
        return self.random.choice(["", " ", "  ", "\t"])

    def blank(self) -> str:
        """White space where lines may end, too."""
        return "".join(self.random.choices([" ", "\n", "# [x] = '\n", "\t"], k=self.random.choice([0, 0, 1, 3])))

    def document(self, data: dict[str, Any]) -> str:
        return self.blank() + self.table(data, ()) + self.blank()

    def table(self, data: dict[str, Any], above: tuple[str, ...]) -> str:
        """Write the pairs of a table, then the tables below it."""
        pairs, below = [], []
        for key, value in data.items():
            if isinstance(value, dict) and self.chance(0.6):
                below.append(f"{self.space()}[{self.key(*above, key)}]{self.end()}" + self.table(value, (*above, key)))
            elif value and isinstance(value, list) and all(isinstance(each, dict) for each in value) and self.chance():
                head = f"[[{self.key(*above, key)}]]"
                below += [head + self.end() + self.table(each, (*above, key)) for each in value]
            else:
                pairs.append(self.pairs(key, value))
        return "".join(pairs + below)

    def pairs(self, key: str, value: Any) -> str:
        """Write a pair; a table's also as one pair for each of its own."""
        if isinstance(value, dict) and value and self.chance():
            return "".join(self.pair((key, each), inner) + self.end() for each, inner in value.items())
        return self.pair((key,), value) + self.end()

    def pair(self, keys: tuple[str, ...], value: Any) -> str:
        return f"{self.space()}{self.key(*keys)}{self.space()}={self.space()}{self.value(value)}"

    def end(self) -> str:
        return self.space() + self.random.choice(["\n", "\n\n", ' # it\'s "so"\n', "\n  # [a]\n"])

    def key(self, *parts: str) -> str:
        dot = self.space() + "." + self.space()
        return dot.join(self.part(part) for part in parts)

    def part(self, part: str) -> str:
        bare = part and all(letter.isascii() and (letter.isalnum() or letter in "_-") for letter in part)
        return part if bare and self.chance(0.8) else self.line(part)

    def value(self, value: Any) -> str:
        match value:
            case bool():
                return str(value).lower()
            case str():
                return self.text(value)
            case list():
                comma = self.random.choice(["", ","]) if value else ""
                inner = [self.blank() + self.value(each) + self.blank() for each in value]
                return "[" + ",".join(inner) + comma + self.blank() + "]"
            case dict():
                return "{" + ",".join(self.pair((key,), each) + self.space() for key, each in value.items()) + "}"
            case _:
                return str(value)

    def text(self, text: str) -> str:
        if self.chance():
            return self.line(text)
        if self.chance() and "'''" not in text and not text.endswith("'") and printable(text.replace("\n", "")):
            return f"'''\n{text}'''"
        head = self.random.choice(["\n", "\\\n  \n  "]) if not text[:1].isspace() else "\n"
        return f'"""{head}{escaped(text, keep=chr(10))}"""'

    def line(self, text: str) -> str:
        literal = "'" not in text and printable(text) and self.chance()
        return f"'{text}'" if literal else f'"{escaped(text)}"'


def printable(text: str) -> bool:
    return all(letter >= " " and letter != "\x7f" for letter in text)


def escaped(text: str, keep: str = "") -> str:
    plain = {letter for letter in text if letter >= " " and letter not in '"\\\x7f'} | set(keep)
    return "".join(letter if letter in plain else f"\\u{ord(letter):04x}" for letter in text)


TEXTS = st.text(
    st.sampled_from("ab \"'\\#[]{}=.,\n\t-é日") | st.characters(exclude_categories=["Cs"], max_codepoint=0xFFFF),
    max_size=6,
).filter(lambda text: "\r" not in text)
SCALARS = TEXTS | st.integers(-99, 99) | st.booleans() | st.floats(-9, 9).filter(lambda number: "e" not in str(number))
DATA = st.dictionaries(
    TEXTS,
    st.recursive(
        SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8
    ),
    max_size=5,
)


def walked(value: Any, path: Keys = ()) -> list[tuple[Keys, Any]]:
    """Return all values below one, each with the keys that lead to it."""
    pairs: list[tuple[str | int, Any]] = []
    if isinstance(value, dict | list):
        pairs = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    return [found for key, inner in pairs for found in [((*path, key), inner), *walked(inner, (*path, key))]]


@given(DATA, st.integers(0, 2**32))
def test_every_value_is_found_where_it_stands(data: dict[str, Any], seed: int) -> None:
    text = Writer(Random(seed)).document(data)
    assert tomllib.loads(text) == data
    found = find_positions(text)
    for path, value in walked(data):
        assert path in found
        spot = found[path]
        if not isinstance(value, dict | list):
            assert tomllib.loads(f"x = {text[spot.value.start : spot.value.end]}")["x"] == value
        if isinstance(value, str) and value:
            written = text[spot.content]
            assert written in {value[0], "\\"}


@given(DATA, st.integers(0, 2**32), st.integers(0, 200), st.text("\"'[]{}=.#\n\\a", max_size=3))
def test_nothing_that_is_no_rule_file_stops_us(data: dict[str, Any], seed: int, place: int, more: str) -> None:
    text = Writer(Random(seed)).document({**data, "rules": [data]})
    broken = text[:place] + more + text[place + 1 :]
    for each in (text, broken):
        with pytest.raises(RuleError):
            parse(each, "rules.toml")


@given(st.text())
def test_no_text_stops_us(text: str) -> None:
    with pytest.raises(RuleError) as raised:
        parse(text, "rules.toml")
    assert str(raised.value).startswith("rules.toml")


@given(st.sampled_from(["exact", "paper", "semeval2013", "document"]), st.integers(0, 2**32))
def test_the_same_rules_written_in_another_way_are_the_same(name: str, seed: int) -> None:
    declared = load(name)
    text = Writer(Random(seed)).document(as_data(declared))
    found = parse(text, f"{name}.toml")
    assert found == declared
    lines = text.split("\n")
    for rule in found.rules:
        assert rule.when.split("\n")[0].split(" ")[0] in lines[rule.lines["when"] - 1]
        assert rule.name[0] in lines[rule.lines["name"] - 1]


def as_data(declared: RuleSetDeclaration) -> dict[str, Any]:
    """Return a rule set as a file would hold it."""
    views = {
        name: {
            key: list(value) if isinstance(value, tuple) else value
            for key in ("outcome", "partner", "credit", "left_out", "weight", "same", "summary")
            if (value := getattr(view, key)) is not None
        }
        for name, view in declared.views.items()
    }
    columns = {
        table: {name: _column(column) for name, column in columns.items()} for table, columns in declared.tables.items()
    }
    lists = {name: {label: list(texts) for label, texts in by.items()} for name, by in declared.lists.items()}  # type: ignore[union-attr]
    return {
        "title": declared.title,
        "groups": list(declared.groups),
        "tables": columns,
        "rules": [_rule(rule) for rule in declared.rules],
        "views": views,
        "parameters": declared.parameters,
        "lists": lists,
    }


def _column(column: ColumnDeclaration) -> Any:
    if column.kind == "row":
        return f"row of {column.table}"
    return list(column.values) or column.kind


def _rule(rule: RuleDeclaration) -> dict[str, Any]:
    sets: dict[str, dict[str, str]] = {}
    for target, value in rule.sets.items():
        variable, _, column = target.partition(".")
        sets.setdefault(variable, {})[column] = value
    found: dict[str, Any] = {
        "name": rule.name,
        "group": rule.group,
        "salience": rule.salience,
        "for": dict(rule.over),
        "when": rule.when,
        "set": sets,
    }
    return found | ({"pair": rule.pair} if rule.pair else {}) | ({"best": list(rule.best)} if rule.best else {})


def test_what_is_not_found_falls_back_to_what_holds_it() -> None:
    source = Source('a = 1\n[[rules]]\nname = "x"\n', "rules.toml")
    assert source.line(("rules", 0, "set", "s")) == 2
    assert source.line(("nothing", 0)) == 1
    assert str(source.error("wrong", ("nothing",))) == "rules.toml: wrong"

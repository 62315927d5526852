"""Rule files: what loads is compiled, and judges a small corpus."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

from tests.formats.writers.documents import random_documents

from comparanda.errors import RuleError
from comparanda.formats.document_writer import Losses, find_writer
from comparanda.pipeline import Prepared, Setup, evaluate_prepared, prepare_systems
from comparanda.result import Result
from comparanda.rules import rule_set
from comparanda.rules import shipped as shipped_rules
from fuzz.target import REFUSED, Contradiction, Target, case, put, taken_apart

_SMALL = """title = "x"
groups = ["a", "b"]
[parameters]
bound = 2
far = { default = 2, PER = 1 }
[lists.words]
default = ["it", "in"]
PER = []
[hierarchy]
CITY = ["LOC", "ORG-x"]
[tables.system]
result = ["TP", "FP"]
partner = "row of key"
level = "number"
seen = "truth"
note = "text"
[tables.key]
result = ["TP", "FN"]
partner = "row of system"
[[rules]]
name = "match"
group = "a"
salience = 2.5
for = { s = "system", k = "key" }
when = "is_missing(s.partner) and is_missing(k.partner) and overlaps(s, k) and iou(s, k) >= far(k.label)"
pair = "one-to-one"
best = ["-overlap(s, k)", "s.begin - k.begin"]
set = { s.result = "TP", k.result = "TP", s.partner = "k", k.partner = "s" }
[[rules]]
name = "count"
group = "b"
for = { s = "system" }
when = "is_missing(s.level) and (count(t for t in system if same(s, t, 'doc')) > bound or is_a(s.label, 'LOC'))"
set = { s.level = "s.length + 1" }
[[rules]]
name = "rest"
group = "b"
for = { s = "system" }
when = "is_missing(s.result) and not in_list(s.norm, 'words', s.label) and not any(s.id == k.id for k in key)"
set = { s.result = "FP" }
[views.v]
outcome = "result"
partner = "partner"
credit = { TP = 0.5 }
"""

_WORDS = (
    "for = ", "when = ", "set = ", "pair = ", "best = ", "group = ", "salience = ", "name = ", "row of key", "number",
    "truth", "text", "s.partner", "k.label", "s.begin", "k.end", "s.norm", "s.id", "s.ids", "s.confidence", "k.doc",
    "is_missing(", "any(", "count(", "overlap(", "overlaps(", "same(", "is_a(", "in_list(", "similarity(", "iou(",
    " for k in key", " for t in system if ", " for i in key_ids", "default = ", "[[rules]]", "[views.x]", "include = ",
    "'exact'", "credit = ", "outcome = ", "left_out = ", "per_system = ", "flag = ", "sources = ", "right = ", "\'\'\'",
    '"""', "[lists.x]", "[parameters]", "[hierarchy]", "one-to-one", "and", "or", "not", "min(", "sum(",
)  # fmt: skip
SETUP = Setup(task="span", missing="empty")


def rule_target() -> Target:
    """Return the target."""
    return Target(
        name="rules", minutes=10, seeds=_seeds, run=run, words=[each.encode() for each in _WORDS], longest=12_000
    )


def _seeds() -> Iterator[bytes]:
    yield case(0, _SMALL.encode())
    for folder in (Path(shipped_rules.__file__).parent, Path(__file__).parents[1] / "tests" / "rules"):
        for path in sorted(folder.glob("*.toml")):
            yield case(0, re.sub(rb"(?m)^#.*\n", b"", path.read_bytes()))
    for name in ("exact", "semeval2013", "paper"):
        yield case(1, f'include = ["{name}"]\ntitle = "mine"\n'.encode())


@cache
def _prepared() -> Prepared:
    """Return two outputs of some crowded documents, aligned once and for all."""
    made = []
    for name, seed in (("key", 1), ("one", 2), ("two", 3)):
        documents = random_documents(Random(1), count=3, ids=2)
        others = random_documents(Random(seed), count=3, ids=2)
        mentions = [
            replace(each, mentions=tuple(one for one in (*each.mentions, *other.mentions) if one.end <= len(each.text)))
            for each, other in zip(documents, others, strict=True)
        ]
        ((_, text),) = find_writer("jsonl").write(mentions, Losses(), {})
        made.append(str(put("rules-corpus", [f"{name}.jsonl"], [text.encode()]) / f"{name}.jsonl"))
    key, one, two = made
    return prepare_systems(key, {"one": one, "two": two}, SETUP)


def run(data: bytes) -> None:
    """Load a rule file and judge by it; the odd choice also without any shortcut, which compares both ways."""
    choice, pieces = taken_apart(data)
    path = put("rules", ["in.toml"], pieces) / "in.toml"
    try:
        rules = rule_set(path)
        if not rules.views:
            return
        prepared = _prepared()
        options = replace(prepared.options, rules=rules, paranoid=bool(choice & 1))
        result = Result(evaluate_prepared(replace(prepared, options=options), SETUP), 10, 1)
        for view in result.verdicts.views:
            result.scores(view=view)
    except REFUSED as problem:
        if isinstance(problem, RuleError) and not problem.what.strip():
            raise Contradiction("an error without a word") from problem

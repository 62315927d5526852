"""Rule files: what loads is compiled, and judges a small corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

from tests.write.documents import random_documents

from comparanda.errors import RuleError
from comparanda.result import Result
from comparanda.road import Prepared, Setup, judged, prepare
from comparanda.rules import rule_set
from comparanda.rules import shipped as shipped_rules
from comparanda.write.passages import Losses
from comparanda.write.writer import find_writer
from fuzz.target import REFUSED, Contradiction, Target, case, put, taken_apart

_SMALL = """title = "x"
groups = ["a", "b"]
[tables.system]
result = {values = ["TP", "FP"]}
partner = {type = "row", table = "key"}
[tables.key]
result = {values = ["TP", "FN"]}
partner = {type = "row", table = "system"}
[parameters]
far = {default = 2, PER = 1}
[lists]
words = {default = ["it"], PER = ["he"]}
[hierarchy]
CITY = ["LOC"]
[[rules]]
name = "match"
group = "a"
over = {s = "system", k = "key"}
when = 's.begin == k.begin and s.end == k.end and s.label == k.label and is_missing(s.partner)'
pair = "optimal"
set = {"s.result" = '"TP"', "k.result" = '"TP"', "s.partner" = "k", "k.partner" = "s"}
[[rules]]
name = "rest"
group = "b"
over = {s = "system"}
when = 'is_missing(s.result) and not any(k in key: overlap(s, k) > 0)'
set = {"s.result" = '"FP"'}
"""

_WORDS = (
    "over", "when", "set", "pair", "best", "group", "salience", "name", "values", "type", "row", "number", "truth",
    "table", "s.partner", "k.label", "is_missing", "any", "count", "overlap", "default", "[[rules]]", "[views.x]",
    "include", "exact", "credit", "precision", "recall", "outcome", "'''", '"""', "[lists]", "in key:", "s in system:",
)  # fmt: skip
SETUP = Setup("span", missing="empty")


def rule_target() -> Target:
    """Return the target."""
    return Target("rules", 10, _seeds, run, [each.encode() for each in _WORDS], 12_000)


def _seeds() -> Iterator[bytes]:
    yield case(0, _SMALL.encode())
    for folder in (Path(shipped_rules.__file__).parent, Path(__file__).parents[1] / "tests" / "rules"):
        for path in sorted(folder.glob("*.toml")):
            yield case(0, path.read_bytes())
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
    return prepare(key, {"one": one, "two": two}, SETUP)


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
        result = Result(judged(replace(prepared, options=options), SETUP), 10, 1)
        for view in result.verdicts.views:
            result.scores(view=view)
    except REFUSED as problem:
        if isinstance(problem, RuleError) and not problem.what.strip():
            raise Contradiction("an error without a word") from problem

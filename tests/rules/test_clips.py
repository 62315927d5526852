"""CLIPS gives the same verdicts, cell by cell: on crowded inputs, on inputs like corpora, and for recursive rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache

import pytest

from comparanda.rules.compiler import compile_rules
from comparanda.rules.engine import Engine
from comparanda.rules.rule_files import load
from tests.rules.clips import FOLDER, Clips
from tests.rules.span_inputs import Input, chained, corpus_like, crowded, given, judged, run
from tests.seeds import first_few

RULE_FILES = ("many_rules", "question_rules", "spreading_rules")
DEEP = 20
"""A seed of spans in long chains."""
STRATEGIES = ("depth", "breadth", "lex", "mea", "complexity", "simplicity", "random")


@cache
def made(name: str) -> tuple[Engine, Clips]:
    """Return both engines with the same rules."""
    return Engine(compile_rules(load(FOLDER / f"{name}.toml"))), Clips(FOLDER / f"{name}.clp")


def small(name: str) -> Callable[[int], Input]:
    """Return what makes crowded inputs for some rules: those that spread get links to spread along."""
    return chained if name == "spreading_rules" else crowded


def corpus(name: str) -> Callable[[int], Input]:
    """Return what makes inputs like a corpus, with links where they are needed."""
    if name != "spreading_rules":
        return corpus_like

    def linked(seed: int) -> Input:
        rows = corpus_like(seed)
        for number, row in enumerate(rows["system"]):
            row["id"], row["after"] = f"Q{number}", f"Q{number - 2}" if number % 4 else None
            row["confidence"] = "high" if number % 3 else None
        return rows

    return linked


def check(name: str, make: Callable[[int], Input], seeds: Iterable[int], *, paranoid: bool = False) -> int:
    """Compare all verdicts on some inputs; return how many cells were compared."""
    engine, clips = made(name)
    cells = 0
    for seed in seeds:
        rows = make(seed)
        mine, theirs = run(engine, rows, paranoid=paranoid).cells, clips.run(rows).cells
        assert mine.keys() == theirs.keys()
        for column, values in mine.items():
            assert values == theirs[column], (name, make.__name__, seed, column)
            cells += len(values)
    return cells


@pytest.mark.parametrize("name", first_few(1, RULE_FILES))
def test_crowded_inputs_get_the_verdicts_of_clips(name: str) -> None:
    assert check(name, small(name), range(150)) > 5_000


@pytest.mark.parametrize("name", first_few(1, RULE_FILES))
def test_inputs_like_corpora_get_the_verdicts_of_clips(name: str) -> None:
    assert check(name, corpus(name), range(25)) > 2_000


@pytest.mark.parametrize("name", first_few(1, RULE_FILES))
def test_paranoid_runs_get_the_verdicts_of_clips(name: str) -> None:
    check(name, small(name), range(150, 170), paranoid=True)
    check(name, corpus(name), range(25, 30), paranoid=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULE_FILES)
def test_thousands_of_inputs_get_the_verdicts_of_clips(name: str) -> None:
    crowds = check(name, small(name), range(1_000, 3_000), paranoid=True)
    texts = check(name, corpus(name), range(1_000, 1_300), paranoid=True)
    print(f"{name}: {crowds:,} cells of 2,000 crowded inputs and {texts:,} of 300 like corpora")
    assert crowds > 60_000


@pytest.mark.parametrize("name", first_few(1, RULE_FILES))
def test_no_strategy_of_clips_gives_other_verdicts(name: str) -> None:
    """So the rules leave nothing open that only the order of an agenda would decide."""
    _, clips = made(name)
    for seed in range(12):
        rows = small(name)(seed)
        first, *others = (clips.run(rows, strategy=strategy) for strategy in STRATEGIES)
        assert all(other == first for other in others), seed


@pytest.mark.parametrize("name", first_few(1, RULE_FILES))
def test_every_rule_fires_on_some_input(name: str) -> None:
    engine, _ = made(name)
    fired: Counter[str] = Counter()
    for seed in range(60):
        outcome = engine.run(given(small(name)(seed)))
        fired.update(engine.rule_set.rules[each.rule].name for each in outcome.trace)
    assert [rule.name for rule in engine.rule_set.rules if fired[rule.name] < 5] == []


@pytest.mark.parametrize("name", RULE_FILES)
def test_both_hold_the_same_rules(name: str) -> None:
    engine, clips = made(name)
    written = "".join(construct for constructs in clips.modules.values() for construct in constructs)
    theirs = set(re.findall(r"\(defrule (\w+::[\w-]+)", written))
    helpers = {each for each in theirs if re.search(r"::(candidate|parent-is-|ancestor-of-)", each)}
    mine = {
        f"{rule.group.upper()}::{re.sub(r'[^a-z]+', '-', rule.name.lower()).strip('-')}"
        for rule in engine.rule_set.rules
    }
    assert theirs - helpers == mine


def test_there_are_at_least_25_rules_and_some_that_are_recursive() -> None:
    assert len(made("many_rules")[0].rule_set.rules) >= 25
    recursive = made("spreading_rules")[0]
    assert [back for back in recursive.rule_set.restarts if back is not None] != []
    outcome = recursive.run(given(chained(DEEP)))
    assert max(Counter(firing.rule for firing in outcome.trace).values()) >= 5
    assert judged(recursive.rule_set, outcome) == made("spreading_rules")[1].run(chained(DEEP))

"""Random rule sets that pass have one outcome, whichever match fires first; without the proofs many would not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from typing import Any

import pytest

from comparanda.errors import RuleError
from comparanda.rules import checks, compiler
from comparanda.rules.checks import effects, find_restarts, order, read, termination
from comparanda.rules.checks import order as rows
from comparanda.rules.checks.effects import Reading, Subject
from comparanda.rules.checks.termination import refuse_cycles
from comparanda.rules.declarations import RuleSetDeclaration
from comparanda.rules.ruleset import RuleSet
from tests.rules.interpreter import AmbiguousError, EndlessError, Run, Tables, run, run_singly
from tests.rules.random_rules import Maker, random_input

Restarts = tuple[int | None, ...]


def unchecked(declared: RuleSetDeclaration) -> RuleSet:
    """Compile a rule set without any proof."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(compiler, "check", lambda _: ())
        return compiler.compile_rules(declared)


def passed(rule_set: RuleSet, check: Callable[[RuleSet], Restarts] = checks.check) -> Restarts | None:
    """Return where the agenda goes on, or None if the rules are refused."""
    try:
        return check(rule_set)
    except RuleError:
        return None


def outcome(work: Callable[[], Run]) -> Tables | str:
    """Return the tables that a run ends with, or why it does not."""
    try:
        return work().tables
    except AmbiguousError:
        return "ambiguous"
    except EndlessError:
        return "endless"


def flaw(declared: RuleSetDeclaration, rule_set: RuleSet, back: Restarts, random: Random, *, inputs: int) -> str | None:
    """Return what is wrong with the proof that a rule set has one outcome, as far as some random inputs tell."""
    names = [rule.name for rule in rule_set.rules]
    shortcuts = {name: None if place is None else names[place] for name, place in zip(names, back, strict=True)}
    found = (_flaw_on(random_input(random, declared), declared, shortcuts, random) for _ in range(inputs))
    return next((each for each in found if each is not None), None)


def _flaw_on(
    tables: Tables, declared: RuleSetDeclaration, shortcuts: Mapping[str, str | None], random: Random
) -> str | None:
    whole = outcome(lambda: run(declared, tables, steps=200))
    if whole == "endless":
        return "it does not end"
    if outcome(lambda: run(declared, tables, shortcuts, steps=200)) != whole:
        return "it stops too early"
    if any(outcome(lambda: run_singly(declared, tables, random, steps=500)) != whole for _ in range(2)):
        return "order matters"
    return None


def random_sets(seeds: Iterable[int]) -> Iterator[tuple[RuleSetDeclaration, RuleSet, Random]]:
    for seed in seeds:
        random = Random(seed)
        declared = Maker(random).rule_set()
        yield declared, unchecked(declared), random


def check_that_accepted_sets_have_one_outcome(seeds: Iterable[int], inputs: int) -> int:
    accepted = 0
    for declared, rule_set, random in random_sets(seeds):
        if (back := passed(rule_set)) is not None:
            accepted += 1
            assert flaw(declared, rule_set=rule_set, back=back, random=random, inputs=inputs) is None, declared.rules
    return accepted


def test_accepted_rule_sets_have_one_outcome() -> None:
    assert check_that_accepted_sets_have_one_outcome(range(100), inputs=5) > 25


@pytest.mark.slow
def test_many_accepted_rule_sets_have_one_outcome() -> None:
    assert check_that_accepted_sets_have_one_outcome([*range(100, 500), *range(10_000, 25_000)], inputs=12) > 4_500


@pytest.mark.slow
def test_without_the_proofs_order_matters_in_many_rule_sets() -> None:
    """Else the test above could not fail."""

    def only_cycles(rule_set: RuleSet) -> Restarts:
        groups = read(rule_set)
        for group in groups:
            refuse_cycles(group)
        return tuple(place for group in groups for place in find_restarts(group))

    refused = [
        flaw(declared, rule_set, back, random, inputs=10)
        for declared, rule_set, random in random_sets(range(200))
        if (back := passed(rule_set, only_cycles)) is not None and passed(rule_set) is None
    ]
    assert refused.count("order matters") > len(refused) / 5 > 12


def never(*_: Any) -> bool:
    return False


def always(*_: Any) -> bool:
    return True


FAULTS: dict[str, tuple[Any, str, Any]] = {
    "no group need come to an end": (checks, "refuse_cycles", never),
    "rules that always change something end": (
        termination, "_moves_forward", lambda reading, _: reading.always_changes),
    "there are no values that rules do not name": (termination, "is_one", always),
    "nobody need say how rows are paired": (checks, "refuse_unpaired", never),
    "one-to-one pairs need not be used up": (checks, "refuse_used_twice", never),
    "rules are not compared with each other": (order, "describe_disturbance", lambda *_: None),
    "what is set off midway is forgotten": (order, "can_enable_rule", never),
    "matches of one rule are not compared": (order, "_find_self_disturbances", lambda _: iter(())),
    "matches share no rows": (order, "_takes_from_siblings", never),
    "a row has one part in a rule": (order, "_disturbed_cell", lambda *_: None),
    "pairs do not compete": (order, "matches_compete", never),
    "no write takes a match away": (order, "can_disable_row", never),
    "no write answers a question with no": (order, "answers_no", never),
    "values that are worked out stay": (order, "changes_answer", never),
    "who is disturbed wanted the same": (order, "sets_same_values", always),
    "all rules work row by row": (order, "work_row_by_row", always),
    "nothing reaches beyond its row": (rows, "_reaches_other_rows", never),
    "rules of one row always take turns": (rows, "_never_match_together", always),
    "a join leads back": (
        Reading, "has_siblings", lambda reading, _: len(reading.rule.over) > 1 and not reading.ways),
    "what may hold does": (
        Subject, "surely", lambda subject, column, values: values <= subject.allowed(column)),
    "nothing missing is copied": (
        Reading, "_copied_values",
        lambda _, __, every: frozenset(each for each in every if str(each) != "Special.MISSING")),
    "no write gives matches": (effects, "gives_matches", never),
    "no write answers a question with yes": (effects, "answers_yes", never),
    "what was set stays set": (effects, "_gives_new_writes", never),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_in_the_proofs_shows(fault: str) -> None:
    owner, name, wrong = FAULTS[fault]
    for declared, rule_set, random in random_sets(range(1_000_000, 1_020_000)):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(owner, name, wrong)
            back = passed(rule_set)
        if back not in (None, passed(rule_set)) and flaw(declared, rule_set, back or (), random, inputs=40) is not None:
            return
    pytest.fail("no random rule set shows it")

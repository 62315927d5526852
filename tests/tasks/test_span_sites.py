"""Overlap sites and what two systems make of them, against brute force from DEFINITIONS 1 and 2.

The spans are nested, entwined, in pieces, empty, repeated and touching. The reference knows spans by document, pieces
and label, walks from span to span to find sites, and compares multisets.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import permutations
from typing import Any

import pytest

import comparanda as cp
from comparanda import Result
from comparanda.core.sites import NOTHING, format_value
from comparanda.findings.difference import CLASSES, Change, Difference
from comparanda.findings.upper_bounds import Combination
from comparanda.rules import rule_set
from tests import reference
from tests.findings.test_selections import COUNTED, rows_with_conditions
from tests.seeds import first_few, seeds
from tests.tasks.random_spans import SYSTEMS, Crowd, Documents, Span, counts, crowd, overlap

SEEDS, MANY = range(60), range(1_000, 2_500)
EXACT = rule_set("exact")
PAIRS = list(permutations(SYSTEMS, 2))


# The definition


@dataclass(frozen=True)
class Site:
    """A connected component: what the key and each system have there, as multisets."""

    document: str
    key: Counter[Span]
    values: tuple[Counter[Span], ...]

    @property
    def begin(self) -> int:
        return min(span.pieces[0][0] for value in (self.key, *self.values) for span in value)


def sites_of(given: Crowd, systems: Sequence[str]) -> list[Site]:
    """Walk from span to overlapping span, in the universe of the key and some systems."""
    found = []
    for document in given.texts:
        sides = [Counter(given.sides[side][document]) for side in ("key", *systems)]
        left = {span for side in sides for span in side}
        while left:
            component, edge = set[Span](), [left.pop()]
            while edge:
                span = edge.pop()
                component.add(span)
                near = {other for other in left if overlap(span, other)}
                left -= near
                edge += near
            key, *values = (Counter({span: side[span] for span in component if side[span]}) for side in sides)
            found.append(Site(document, key, tuple(values)))
    return found


def columns(sites: Sequence[Site]) -> list[list[str]]:
    """Return the values of the key and of each system as columns, for the reference of plain values."""
    rows = [[repr_of(value) for value in (site.key, *site.values)] for site in sites]
    return [list(column) for column in zip(*rows, strict=True)]


def named(value: Counter[Span]) -> str:
    """Return the labels of a value, as transitions call it."""
    labels = Counter(span.label for span in value.elements())
    return " + ".join(
        f"{label}{f'×{count}' if count > 1 else ''}" for label, count in sorted(labels.items())
    ) or format_value(NOTHING)


def moved(site: Site, value: Counter[Span]) -> str:
    """Return a value as it is relative to the begin of its site."""
    return repr(
        sorted((span.label, [(b - site.begin, e - site.begin) for b, e in span.pieces], n) for span, n in value.items())
    )


def result_of(given: Crowd, *systems: str, resamples: int = 0, order: random.Random | None = None) -> Result:
    sides = given.systems(*systems, order=order)
    return cp.compare(given.given("key", order), sides, task="span", rules=EXACT, resamples=resamples)


# Sites, values, accuracy


def agree_on_a_pair(given: Crowd, result: Result, base: str, new: str) -> None:
    """Compare the difference of a pair with the reference in the universe of the key and these two."""
    sites, found = sites_of(given, (base, new)), result.difference(base, new)
    key, first, second = columns(sites) or ([], [], [])
    expected = reference.classes(key, first, second)
    assert found.sites == len(sites)
    assert found.different == reference.different(first, second)
    assert {each.name: each.count for each in found.classes} == {name: expected[name] for name in CLASSES}
    assert (found.same_right, found.same_error) == (expected["same_right"], expected["same_error"])
    assert close(found.diff, reference.diff(first, second))
    for accuracy, values in ((found.base_accuracy, first), (found.new_accuracy, second)):
        assert close(accuracy, reference.ratio(reference.right(key, values), len(key)))
    assert close(found.negative_flip_rate, reference.ratio(expected["new_error"], len(key)))
    agree_on_transitions(sites, found, result)
    agree_on_labels(sites, found)


def agree_on_transitions(sites: Sequence[Site], found: Difference, result: Result) -> None:
    by_value = result.difference(found.base, found.new, keyed_by="value")
    for name in CLASSES:
        mine = [site for site in sites if reference.class_of(*map(repr_of, (site.key, *site.values))) == name]
        expected = Counter(tuple(map(named, (site.key, *site.values))) for site in mine)
        assert {(row.key, row.base, row.new): row.count for row in found.of(name).transitions} == expected
        moved_ones = Counter(tuple(moved(site, value) for value in (site.key, *site.values)) for site in mine)
        assert sorted(row.count for row in by_value.of(name).transitions) == sorted(moved_ones.values())


def repr_of(value: Counter[Span]) -> str:
    return repr(sorted(value.items()))


def agree_on_labels(sites: Sequence[Site], found: Difference) -> None:
    """Compare table 12: the share right by the key's labels at the site."""
    expected = {}
    for label in {named(site.key) for site in sites}:
        here = [site for site in sites if named(site.key) == label]
        right = [sum(site.key == site.values[place] for site in here) for place in range(2)]
        expected[label] = (len(here), *right)
    assert {row.label: (row.sites, row.base_right, row.new_right) for row in found.labels} == expected


def close(mine: float | None, theirs: Any) -> bool:
    return mine is None if theirs is None else mine is not None and abs(mine - theirs) < 1e-12


def agree(seed: int) -> None:
    given = crowd(seed)
    result = result_of(given, *SYSTEMS)
    everyone = sites_of(given, SYSTEMS)
    key, *values = columns(everyone) or [[]] * 4
    accuracy = result.scores("accuracy")
    for place, system in enumerate(SYSTEMS):
        assert close(accuracy.value(system), reference.ratio(reference.right(key, values[place]), len(key)))
        assert counts(result, system) == exact_counts(given, system)
        for label in {span.label for side in given.sides.values() for spans in side.values() for span in spans}:
            assert counts(result, system, label=label) == exact_counts(given, system, label)
    for base, new in PAIRS:
        agree_on_a_pair(given, result, base, new)
    agree_on_all_together(given, result.combination(), key, values)


def exact_counts(given: Crowd, system: str, label: str | None = None) -> tuple[int, int, int]:
    """A key span is used once; a second identical system span is wrong."""
    key, found = (
        Counter((document, span) for document, span in placed(given, side) if label in (None, span.label))
        for side in ("key", system)
    )
    return (key & found).total(), (found - key).total(), (key - found).total()


def agree_on_all_together(given: Crowd, found: Combination, key: list[str], values: list[list[str]]) -> None:
    """Compare the oracle and hardness with the reference in the universe of all systems."""
    assert found.overall.sites == len(key)
    assert found.overall.right == tuple(reference.right(key, each) for each in values)
    assert found.overall.oracle_right == reference.oracle(key, values)
    assert [row.count for row in sorted(found.hardness, key=lambda row: row.solved_by)] == reference.hardness(
        key, values
    )
    sides = [Counter(placed(given, side)) for side in ("key", *SYSTEMS)]
    spans = [[side[span] for side in sides] for span in set().union(*sides)]
    assert found.items is not None
    assert found.items.found == sum(min(wanted, max(said)) for wanted, *said in spans)
    assert found.items.positives == sides[0].total()
    assert found.items.spurious == sum(max(0, min(said) - wanted) for wanted, *said in spans)


def test_a_wrong_span_that_all_have_twice_is_two_wrong_items() -> None:
    text, wrong = {"d": "abc"}, Span("PER", ((0, 2),))
    sides: dict[str, Documents] = {"key": {"d": []}, "one": {"d": [wrong, wrong]}, "two": {"d": [wrong, wrong, wrong]}}
    result = result_of(Crowd(text, sides), "one", "two")
    assert [counts(result, system) for system in ("one", "two")] == [(0, 2, 0), (0, 3, 0)]
    found = result.combination().items
    assert found is not None
    assert (found.found, found.positives, found.spurious) == (0, 0, 2)


def placed(given: Crowd, side: str) -> list[tuple[str, Span]]:
    return [(document, span) for document, spans in given.sides[side].items() for span in spans]


@pytest.mark.parametrize("seed", seeds(6, of=len(SEEDS)))
def test_sites_and_differences_are_those_of_the_definition(seed: int) -> None:
    agree(seed)


@pytest.mark.slow
def test_sites_and_differences_are_those_of_the_definition_a_thousand_times() -> None:
    for seed in MANY:
        agree(seed)


def test_the_random_spans_have_everything_in_them() -> None:
    met: Counter[str] = Counter()
    for seed in SEEDS:
        given = crowd(seed)
        sites = sites_of(given, SYSTEMS[:2])
        spans = {span for site in sites for value in (site.key, *site.values) for span in value}
        met["in pieces"] += any(len(span.pieces) > 1 for span in spans)
        met["empty"] += any(span.pieces[0][0] == span.pieces[-1][1] for span in spans)
        met["repeated in a system"] += any(
            max(value.values(), default=0) > 1 for site in sites for value in site.values
        )
        met["several of the key at a site"] += any(len(site.key) > 1 for site in sites)
        met["nothing of the key at a site"] += any(not site.key for site in sites)
        met["entwined sites"] += any(entwined(one, other) for one in sites for other in sites)
        for site in sites:
            met[reference.class_of(*map(repr_of, (site.key, *site.values)))] += 1
    assert len(met) == 11
    assert min(met.values()) > 5, met


def entwined(one: Site, other: Site) -> bool:
    """Whether a site begins inside another."""
    inside = [piece for span in {*one.key, *one.values[0], *one.values[1]} for piece in span.pieces]
    return one.document == other.document and one.begin < other.begin < max(end for _, end in inside)


# The universe of a pair


def of_pair(finding: Any, base: str, new: str) -> Any:
    """Return the row of one pair."""
    return next(row for row in finding.pairs if (row.base, row.new) == (base, new))


@pytest.mark.parametrize("resamples", [0, 20])
@pytest.mark.parametrize("seed", seeds(2, of=12))
def test_a_third_system_never_changes_a_pairs_numbers(seed: int, resamples: int) -> None:
    given = crowd(seed)
    alone, *together = (
        said_of_a_pair(result_of(given, *systems, resamples=resamples))
        for systems in (("one", "two"), ("one", "two", "three"), ("three", "one", "two"))
    )
    assert together == [alone, alone]


def said_of_a_pair(result: Result) -> list[Any]:
    """Return all that findings say of the systems one and two."""
    cuts = ("length", "nesting", "spans", "label")
    found = [result.difference("one", "two", by=cuts, keyed_by=keyed_by) for keyed_by in ("label", "value")]
    measures = ("f1", "precision", "recall", "macro_f1", "document_f1")
    return [
        found,
        [result.count(row.where, "one", "two") for each in found for row in each.classes],
        of_pair(result.pairs(), "one", "two"),
        result.examples("differs", "one", "two", top=0),
        [result.scores(measure).value(system) for system in ("one", "two") for measure in measures],
    ]


# Every count leads to its sites


CUTS = ("length", "nesting", "spans", "label", "document")


@pytest.mark.parametrize("seed", seeds(2, of=8))
def test_every_count_equals_the_length_of_its_selection(seed: int) -> None:
    result = result_of(crowd(seed, documents=2), *SYSTEMS)
    for finding in (result.combination(), *(result.slices(by) for by in (*CUTS, "solved_by", "agreement", "majority"))):
        for row in rows_with_conditions(finding):
            assert result.count(row.where) == counted(row), row
    for row in result.pairs().pairs:
        assert result.count(row.where, row.base, row.new) == row.different


@pytest.mark.parametrize(("seed", "pair"), first_few(6, [(seed, PAIRS[seed % len(PAIRS)]) for seed in range(18)]))
def test_so_does_every_count_of_a_difference(seed: int, pair: tuple[str, str]) -> None:
    result = result_of(crowd(seed, documents=2), *SYSTEMS)
    found = result.difference(*pair, by=CUTS)
    for row in (*rows_with_conditions(found), *rows_with_conditions(result.difference(*pair, keyed_by="value"))):
        assert result.count(row.where, *pair) == counted(row), row
    for name in ("same_right", "same_error"):
        assert result.count(name, *pair) == getattr(found, name)
    for each in found.classes:
        assert result.examples(each.where, *pair, top=1).count == each.count
    for row in found.labels:
        assert result.count(f"{row.where} and base_right", *pair) == row.base_right
        assert result.count(f"{row.where} and new_right", *pair) == row.new_right


ODD = {"PER": "A+B", "LOC": "[0:1]×2", "ORG": "(none)", "MISC": 'back\\slash "and" + more'}


@pytest.mark.parametrize("seed", seeds(3, of=10))
def test_so_do_those_of_labels_that_are_written_like_values(seed: int) -> None:
    given = crowd(seed, documents=2)
    sides = {
        side: {name: [Span(ODD[span.label], span.pieces) for span in spans] for name, spans in documents.items()}
        for side, documents in given.sides.items()
    }
    odd, plain = result_of(Crowd(given.texts, sides), *SYSTEMS), result_of(given, *SYSTEMS)
    mine, theirs = (result.difference("one", "two", keyed_by="value") for result in (odd, plain))
    assert [each.count for each in mine.classes] == [each.count for each in theirs.classes]
    for finding in (mine, odd.difference("one", "two", by=CUTS)):
        for row in rows_with_conditions(finding):
            assert odd.count(row.where, "one", "two") == counted(row), row
    for row in rows_with_conditions(odd.combination()):
        assert odd.count(row.where) == counted(row), row


def counted(row: Any) -> int:
    """Return the count that belongs to the condition of a row."""
    count: int = getattr(row, {**COUNTED, Change: "count"}[type(row)])
    return count


# Identities


@pytest.mark.parametrize("seed", seeds(4, of=15))
def test_swapping_the_systems_swaps_corrections_and_new_errors(seed: int) -> None:
    result = result_of(crowd(seed), *SYSTEMS)
    for base, new in PAIRS:
        there, back = result.difference(base, new), result.difference(new, base)
        assert (there.sites, there.different, there.diff) == (back.sites, back.different, back.diff)
        assert (there.same_right, there.same_error) == (back.same_right, back.same_error)
        for mine, theirs in (("correction", "new_error"), ("new_error", "correction"), ("changed_error",) * 2):
            assert there.of(mine).count == back.of(theirs).count
            turned = {(row.key, row.new, row.base): row.count for row in back.of(theirs).transitions}
            assert {(row.key, row.base, row.new): row.count for row in there.of(mine).transitions} == turned


@pytest.mark.parametrize("seed", seeds(4, of=15))
def test_accuracies_differ_by_corrections_less_new_errors(seed: int) -> None:
    result = result_of(crowd(seed), *SYSTEMS)
    for base, new in PAIRS:
        found = result.difference(base, new)
        gained = found.of("correction").count - found.of("new_error").count
        if found.sites:
            assert close(found.accuracy_difference, gained / found.sites)
            assert found.new_accuracy is not None
            assert found.base_accuracy is not None
            assert close(found.new_accuracy - found.base_accuracy, gained / found.sites)


# The order of the input


def told(thing: Any) -> Any:
    """Return a finding as plain data, without the numbers of the lines that notes name."""
    if isinstance(thing, str):
        return re.sub(r"(<\w+>):[0-9]+", r"\1", thing)
    if isinstance(thing, tuple | list):
        return [told(each) for each in thing]
    return {field.name: told(getattr(thing, field.name)) for field in fields(thing)} if is_dataclass(thing) else thing


def answered(result: Result) -> Any:
    """Return all examples, but for the lines on which systems say what they say."""
    examples = told(result.examples("differs", "one", "two", top=0))
    for each in examples["examples"]:
        for answer in each["answers"]:
            del answer["place"]
    return examples


@pytest.mark.parametrize("seed", seeds(4, of=15))
def test_the_order_of_spans_and_documents_changes_nothing(seed: int) -> None:
    given = crowd(seed)
    plain = result_of(given, *SYSTEMS, resamples=20)
    mixed = result_of(given, *SYSTEMS, resamples=20, order=random.Random(seed))
    assert told(mixed.scores()) == told(plain.scores())
    assert told(mixed.anatomy("one", "two")) == told(plain.anatomy("one", "two"))
    assert answered(mixed) == answered(plain)


@pytest.mark.parametrize("seed", seeds(4, of=15))
def test_the_order_of_the_keys_documents_changes_no_number(seed: int) -> None:
    given = crowd(seed)
    turned = Crowd(dict(reversed(given.texts.items())), given.sides)
    plain, other = (result_of(each, *SYSTEMS, resamples=20) for each in (given, turned))
    assert told(other.scores()) == told(plain.scores())
    assert told(other.difference("one", "two")) == told(plain.difference("one", "two"))
    assert told(other.combination()) == told(plain.combination())


# Documents that a response lacks


def told_without_notes(result: Result) -> Any:
    return [told(each) for each in (result.scores(), result.difference("one", "two"), result.combination())]


@pytest.mark.parametrize("seed", seeds(3, of=12))
def test_a_missing_document_is_empty_or_nowhere(seed: int) -> None:
    given = crowd(seed)
    gone = random.Random(seed).choice(list(given.texts))
    systems = given.systems("one", "two")
    lacking = {**systems, "two": [record for record in systems["two"] if record["id"] != gone]}
    if not lacking["two"]:
        return
    emptied = {**given.sides, "two": {**given.sides["two"], gone: []}}
    rest = Crowd({name: text for name, text in given.texts.items() if name != gone}, given.sides)
    options: dict[str, Any] = {"task": "span", "rules": EXACT, "resamples": 20}
    empty = cp.compare(given.given("key"), lacking, missing="empty", **options)
    common = cp.compare(given.given("key"), lacking, missing="intersection", **options)
    assert told_without_notes(empty) == told_without_notes(
        result_of(Crowd(given.texts, emptied), "one", "two", resamples=20)
    )
    assert told_without_notes(common) == told_without_notes(result_of(rest, "one", "two", resamples=20))

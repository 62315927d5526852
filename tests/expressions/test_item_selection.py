"""What conditions can see of items: what the key has, and what runs claim."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import strategies as st

import comparanda as cp
from comparanda import Result, UsageError
from comparanda.core.verdicts import System
from comparanda.expressions import quote_string
from comparanda.expressions.selection import about_items, select_rows
from tests.findings.complement.cases import of_links, of_population
from tests.findings.complement.test_complement import BERT, CRF, KEY, compared, record
from tests.findings.populations import Population, identity, populations
from tests.findings.test_selections import populations_with_runs
from tests.tasks.prob.findings.small import compared as believed
from tests.tasks.random_links import SYSTEMS, links

SMALL = Population(
    key=("A", "B", "A", "C"),
    systems={"x": ("A", "A", None, "B"), "y": ("B", "B", "A", "B"), 'z"': ("A", "A", "C", "C")},
    sentence=(0, 0, 1, 1),
    document=(0, 0, 1, 1),
)
"""Its items: (0, A) (0, B) (1, A) (1, B) (2, A) (2, C) (3, B) (3, C); the key has (0, A) (1, B) (2, A) (3, C)."""

ALL = ["0A", "0B", "1A", "1B", "2A", "2C", "3B", "3C"]


def items(where: str, *pair: str, population: Population = SMALL) -> list[str]:
    """Return the items that a condition selects, as their site and label."""
    verdicts = population.verdicts()
    base, new = pair or (None, None)
    found = select_rows(verdicts, view=verdicts.view(), where=where, base=base, new=new)
    assert found.of == "items"
    table = verdicts.view().items
    names = [
        f"{2 * int(table.document[row]) + int(table.place[row])}{table.names[table.label[row]]}" for row in found.rows
    ]
    return sorted(names)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("positive", ["0A", "1B", "2A", "3C"]),
        ("not positive", ["0B", "1A", "2C", "3B"]),
        ("claimed_by >= 0", ALL),
        ("claimed_by == 2", ["0A", "1A", "3B"]),
        ("claimed_by == 1 and positive", ["1B", "2A", "3C"]),
        ("positive and claimed_by == 0", []),
        ('claims("x")', ["0A", "1A", "3B"]),
        ('claims("z\\"") and not positive', ["1A", "2C"]),
        ('positive and not claims("x") and not claims("y")', ["3C"]),
        ('label == "A" and claimed_by > 0', ["0A", "1A", "2A"]),
        ('document == "d001" and positive', ["2A", "3C"]),
    ],
)
def test_a_condition_on_items(where: str, expected: list[str]) -> None:
    assert items(where) == expected
    assert SMALL.result().count(where) == len(expected)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("positive and base_claims and new_claims", []),
        ("positive and base_claims", ["0A"]),
        ("positive and new_claims and not base_claims", ["1B", "2A"]),
        ("not positive and base_claims and new_claims", ["3B"]),
        ("base_claims or new_claims", ["0A", "0B", "1A", "1B", "2A", "3B"]),
        ('base_claims and claims("z\\"")', ["0A", "1A"]),
    ],
)
def test_a_condition_on_a_pair(where: str, expected: list[str]) -> None:
    assert items(where, "x", "y") == expected


def test_an_absent_value_is_no_claim() -> None:
    population = Population(
        key=("A", "A"), systems={"x": (None, None), "y": ("A", "(absent)")}, sentence=(0, 0), document=(0, 0)
    )
    assert population.result().count('claims("x")') == 0
    assert population.result().count(r'claims("y") and label == "\\(absent)"') == 1


@pytest.mark.parametrize(
    ("where", "yes"),
    [
        ("positive", True),
        ("claimed_by > 2", True),
        ('claims("x")', True),
        ("base_claims", True),
        ("new_claims or true", True),
        ('verdict("x") == "FN"', True),
        ('rule("x") == "exact"', True),
        ('weight("x") > 0.5', True),
        ("correction", False),
        ('label == "positive"', False),
        ('label == "claims(1)"', False),
        ('right("claims")', False),
        ("true", False),
    ],
)
def test_a_condition_tells_whether_it_is_about_items(where: str, yes: bool) -> None:
    assert about_items(where) is yes


# What rules made of items


TAGS = {
    "key": [["B-PER", "I-PER", "O", "B-LOC", "O"], ["B-ORG", "O", "O"]],
    "crf": [["B-PER", "O", "O", "B-LOC", "O"], ["B-ORG", "O", "B-DATE"]],
    "bert": [["B-PER", "I-PER", "O", "B-ORG", "O"], ["O", "O", "O"]],
}


def ruled(rules: str) -> Result:
    systems = {name: TAGS[name] for name in ("crf", "bert")}
    return cp.compare(TAGS["key"], systems, task="span", rules=rules, resamples=0)


@pytest.mark.parametrize(
    ("where", "count"),
    [
        ('verdict("crf") == "TP"', 2),
        ('verdict("crf") == "FN"', 1),
        ('verdict("crf") == "FP" and negative', 2),
        ('verdict("bert") == "FN" and verdict("crf") == "TP"', 2),
        ('rule("crf") == "false negative"', 1),
        ('is_missing(verdict("bert")) and verdict("crf") == "FP"', 2),
        ('is_missing(rule("bert"))', 2),
        ('verdict("crf") != "TP" and label == "PER"', 2),
    ],
)
def test_a_condition_on_what_rules_made_of_items(where: str, count: int) -> None:
    assert ruled("exact").count(where) == count


def test_verdicts_are_those_of_their_view() -> None:
    result = ruled("semeval2013")
    assert [result.count('verdict("crf") == "PAR"', view=view) for view in ("strict", "partial")] == [0, 1]


def test_without_rules_there_are_no_verdicts() -> None:
    with pytest.raises(UsageError, match="unknown function 'verdict'"):
        SMALL.result().count('verdict("x") == "TP"')


# What tuples weigh


BLOCKS = {
    "crf": {"d": [{"a:PER": 0.6, "a:LOC": 0.3}, {"c:PER": 0.7}], "e": [{"b:PER": 0.2}]},
    "lm": {"d": [{"a:LOC": 0.9}], "e": [{"b:PER": 1.0}]},
}
"""The key has a:PER and d:PER in one document, b:PER in the other."""


@pytest.mark.parametrize(
    ("where", "count"),
    [
        ('weight("crf") > 0', 4),  # a:PER, a:LOC as lm decides it, c:PER and b:PER
        ('weight("crf") >= 0.6', 2),
        ('positive and weight("crf") == 0.2', 1),
        ('positive and not claims("crf") and weight("crf") > 0', 1),
        ('is_missing(weight("crf"))', 1),
        ('is_missing(weight("lm")) and positive', 2),
        ('weight("lm") == 1', 1),
    ],
)
def test_a_condition_on_what_tuples_weigh(where: str, count: int, tmp_path: Path) -> None:
    result = believed(tmp_path, {"d": ["a:PER", "d:PER"], "e": ["b:PER"]}, BLOCKS)
    assert result.count(where) == count


def test_a_run_that_holds_nothing_for_possible_weighs_nothing(tmp_path: Path) -> None:
    result = believed(tmp_path, {"d": ["a:PER"]}, {"crf": {"d": []}})
    assert result.count('is_missing(weight("crf"))') == 1


def test_what_is_certain_has_no_weights() -> None:
    with pytest.raises(UsageError, match="unknown function 'weight'"):
        ruled("exact").count('weight("crf") > 0.5')


# What cannot be asked


def marked(caught: pytest.ExceptionInfo[UsageError]) -> str:
    """Return what the carets of a message stand under."""
    lines = str(caught.value).splitlines()
    place = next(number for number, line in enumerate(lines) if line.strip() and not line.strip(" ^"))
    return lines[place - 1][lines[place].index("^") : lines[place].rindex("^") + 1]


@pytest.mark.parametrize(
    ("where", "said", "under"),
    [
        ('positive and claims("xx")', "unknown run 'xx' (did you mean 'x'?)", '"xx"'),
        ("positive and claims(x)", "must be a string in quotes", "x"),
        ("positive and claims()", "takes 1 argument, not 0", "claims()"),
        ("positive and base_claims", "unknown name 'base_claims'", "base_claims"),
        ('positive and lable == "A"', "unknown name 'lable' (did you mean 'label'?)", "lable"),
        ("positive and correction", "unknown name 'correction'", "correction"),
        ('positive and right("x")', "unknown function 'right'", "right"),
        ('positive == "A"', "cannot compare a boolean with a string", "=="),
    ],
)
def test_what_items_do_not_have_is_refused_with_a_caret_under_it(where: str, said: str, under: str) -> None:
    with pytest.raises(UsageError) as caught:
        SMALL.result().count(where)
    assert said in str(caught.value)
    assert marked(caught) == under


def test_a_result_is_not_cut_to_items() -> None:
    with pytest.raises(UsageError, match="refers to items") as caught:
        SMALL.result().where('not claims("x")')
    assert "examples" in str(caught.value)


def test_what_the_key_calls_positive_is_still_an_attribute_of_sites(tmp_path: Path) -> None:
    """Reviews are positive or not: metadata may be called by any name, and its slices lead to their sites."""
    lines = [f"# newdoc id = {name}\n# meta::positive = {name}\nw\tA\n\n" for name in ("yes", "no")]
    key = tmp_path / "key.conll"
    key.write_text("".join(lines))
    result = cp.compare(f"{key}::columns", {"x": f"{key}::columns"}, task="tag", resamples=0)
    for cut in result.slices("positive").slices:
        assert result.count(cut.where) == cut.sites == 1


# Runs


def runs_of(*names: str) -> Population:
    columns = tuple(range(len(SMALL.systems)))
    systems = dict(zip(names, SMALL.systems.values(), strict=True))
    return replace(SMALL, systems=systems, runs=(System("many", columns[:2]), System("one", columns[2:])))


def test_an_item_counts_once_for_every_pair_of_runs() -> None:
    """Both runs of the first system, x and y, are looked at beside the only one of the second."""
    population = runs_of("many#1", "many#2", "one")
    assert items("base_claims and new_claims", "many", "one", population=population) == ["0A", "1A"]
    assert items("positive and not base_claims", "many", "one", population=population) == ["0A", "1B", "2A", "3C", "3C"]
    assert items("positive", "many", "one", population=population) == ["0A", "1B", "2A", "3C"]
    assert population.result().count('claims("many#2")') == 4


def test_examples_of_pairs_of_runs_show_each_item_once_and_count_all() -> None:
    found = runs_of("many#1", "many#2", "one").result().examples("positive and not base_claims", "many", "one", top=0)
    assert (found.of, found.count, len(found.examples)) == ("items", 5, 4)


@identity(populations() | populations(several=True) | populations_with_runs())
def test_claims_of_every_run_can_be_asked_for(population: Population) -> None:
    judged = of_population(population)
    result = population.result()
    runs = [run for system in judged.systems.values() for run in system]
    names = [name for each in result.verdicts.systems for name in (result.verdicts.runs[run] for run in each.runs)]
    for name, run in zip(names, runs, strict=True):
        assert result.count(f"positive and claims({quote_string(name)})") == len(run.found)
        assert result.count(f"not positive and claims({quote_string(name)})") == len(run.spurious)
    assert result.count("positive") == len(judged.positives)
    for number in range(len(runs) + 1):
        found = [item for item in judged.positives if sum(item in run.found for run in runs) == number]
        assert result.count(f"positive and claimed_by == {number}") == len(found)
        spurious = {item for run in runs for item in run.spurious}
        false = [item for item in spurious if sum(item in run.spurious for run in runs) == number]
        assert result.count(f"not positive and claimed_by == {number}") == len(false)


@identity(populations_with_runs())
def test_what_a_pair_claims_is_counted_over_pairs_of_runs(population: Population) -> None:
    judged = of_population(population)
    first, second = judged.systems.values()
    result = population.result()
    wanted = sum(len(one.found - two.found) for one in first for two in second)
    assert result.count("positive and base_claims and not new_claims", "first", "second") == wanted
    wanted = sum(len(one.spurious & two.spurious) for one in first for two in second)
    assert result.count("not positive and base_claims and new_claims", "first", "second") == wanted


# Views in which each system has items of the key of its own


@identity(st.integers(0, 1_000), examples=6)
def test_items_of_the_key_are_positive_where_they_count_for_both(seed: int) -> None:
    given = links(seed, 6)
    systems = {name: given.given(name) for name in SYSTEMS}
    result = cp.compare(given.given("key"), systems, task="link", resamples=0)
    for view in ("end_to_end", "linking", "hit"):
        judged = of_links(given, view)
        for first, second in (("one", "two"), ("three", "one")):
            (mine,), (theirs,) = judged.systems[first], judged.systems[second]
            both = set(judged.positives) - mine.ruled_out - theirs.ruled_out
            counts = {
                "positive and (base_claims or not base_claims)": len(both),
                "positive and base_claims and new_claims": len(both & mine.found & theirs.found),
                "positive and base_claims and not new_claims": len((both & mine.found) - theirs.found),
            }
            for where, count in counts.items():
                assert result.count(where, first, second, view=view) == count, where
        nowhere = frozenset.intersection(*(runs[0].ruled_out for runs in judged.systems.values()))
        assert result.count("positive", view=view) == len(set(judged.positives) - nowhere)


# Examples


def test_an_example_of_an_item_shows_who_has_it() -> None:
    (example,) = (
        compared(KEY, crf=CRF, bert=BERT).examples('not positive and claims("crf") and claims("bert")').examples
    )
    assert (example.document, example.word, example.key) == ("1", "ij", "(none)")
    assert [(each.run, each.value, each.right) for each in example.answers] == [
        ("crf", "MISC", False),
        ("bert", "MISC", False),
    ]
    (found,) = compared(KEY, crf=CRF, bert=BERT).examples('positive and claims("crf") and not claims("bert")').examples
    assert (found.key, [(each.value, each.right) for each in found.answers]) == (
        "LOC",
        [("LOC", True), ("(none)", False)],
    )


def test_examples_of_items_stand_in_the_order_of_documents_and_are_a_sample() -> None:
    key = [record(name, "PER 9-11", "LOC 0-2") for name in "cab"]
    result: Result = compared(key, x=[record(name) for name in "cab"], y=key)
    every = result.examples('positive and not claims("x")', top=0)
    assert [(each.document, each.key) for each in every.examples] == [
        (name, label) for name in "cab" for label in ("LOC", "PER")
    ]
    some = result.examples('positive and not claims("x")', top=2)
    assert (some.count, len(some.examples)) == (6, 2)
    assert set(some.examples) <= set(every.examples)

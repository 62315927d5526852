"""The shipped rule files: they can be run, give every span an outcome, and count what their sources count."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations, product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparanda.rules.compiler import compile_rules
from comparanda.rules.declarations import RuleSetDeclaration
from comparanda.rules.rule_files import list_shipped, load, parse
from comparanda.rules.ruleset import View
from comparanda.rules.shipped import registered_file, registered_rules
from tests.rules.interpreter import Row, Tables, prepared, run, with_ids
from tests.rules.shipped import shipped_rules
from tests.seeds import mostly_slow, seeds

NAMES = sorted(registered_rules())
SCORING = [name for name in NAMES if name != "align"]
TEXT = "the old New York Times of Paris in the New Paris"


def span(begin: int, end: int, label: str = "LOC", doc: int = 0, **more: Any) -> Row:
    return {"doc": doc, "begin": begin, "end": end, "label": label, "text": TEXT[begin:end], **more}


def judged(rules: str | RuleSetDeclaration, system: list[Row], key: list[Row]) -> tuple[RuleSetDeclaration, Tables]:
    declared = shipped_rules(rules).declaration if isinstance(rules, str) else rules
    return declared, run(declared, with_ids(prepared(declared, {"system": system, "key": key}))).tables


def outcomes(
    rules: str | RuleSetDeclaration, view: str, system: list[Row], key: list[Row]
) -> tuple[list[Any], list[Any]]:
    """Return the outcomes of a view, system and key spans in content order."""
    declared, tables = judged(rules, system, key)
    column = declared.views[view].outcome
    return [row[column] for row in tables["system"]], [row[column] for row in tables["key"]]


def counted(view: View, rows: list[Row]) -> tuple[float, float]:
    """Return the credit of some spans, and how much they could have got."""
    kept = [row for row in rows if view.left_out is None or row.get(view.left_out) is None]
    weights = [1 if view.weight is None else row[view.weight] for row in kept]
    if isinstance(view.credit, Mapping):
        credits = [view.credit.get(row[view.outcome], 0) for row in kept]
    else:
        credits = [row[view.credit] for row in kept]
    return sum(credit * weight for credit, weight in zip(credits, weights, strict=True)), sum(weights)


def scores(rules: str | RuleSetDeclaration, system: list[Row], key: list[Row]) -> dict[str, tuple[float, ...]]:
    """Return for each view credit and size of the system's side, then of the key's."""
    declared, tables = judged(rules, system, key)
    views = shipped_rules(rules).views if isinstance(rules, str) else compile_rules(declared).views
    return {name: (*counted(view, tables["system"]), *counted(view, tables["key"])) for name, view in views.items()}


def score(rules: str | RuleSetDeclaration, view: str, system: list[Row], key: list[Row]) -> tuple[float, ...]:
    """Return what one view counts."""
    return scores(rules, system, key)[view]


# All of them


@pytest.mark.parametrize("name", mostly_slow(NAMES, ("exact", "links", "muc", "semeval2013")))
def test_each_file_can_be_run(name: str) -> None:
    compiled = compile_rules(load(name))
    assert (compiled.name, compiled.title) == (name, list_shipped()[name])


@pytest.mark.parametrize("name", SCORING)
def test_each_view_says_what_it_counts(name: str) -> None:
    assert load(name).views
    for view in load(name).views.values():
        assert view.summary


@pytest.mark.parametrize("name", NAMES)
def test_each_file_explains_itself_and_names_its_source(name: str) -> None:
    lines = registered_file(name).read_text().split("\n")
    header = lines[: next(place for place, line in enumerate(lines) if not line.startswith("#"))]
    assert 5 <= len(header) <= 20
    assert any(line.startswith("# Source: ") for line in header)
    assert max(map(len, lines)) <= 120


def test_every_file_of_the_folder_is_registered() -> None:
    folder = registered_file("exact").parent
    assert {path.stem for path in folder.glob("*.toml")} == set(NAMES)
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert set(project["project"]["entry-points"]["comparanda.rules"]) == set(NAMES)


SPANS = st.lists(
    st.builds(
        lambda begin, length, label, doc, id_, low: span(
            begin, begin + length, label, doc, id=id_, confidence="low" if low else None
        ),
        st.integers(0, 6),
        st.integers(0, 4),
        st.sampled_from(["LOC", "CITY"]),
        st.integers(0, 1),
        st.sampled_from([None, "Q1", "Q2"]),
        st.booleans(),
    ),
    max_size=5,
)


@given(st.sampled_from(SCORING), SPANS, SPANS)
def test_every_span_gets_an_outcome_in_every_view(name: str, system: list[Row], key: list[Row]) -> None:
    declared, tables = judged(name, system, key)
    for view, table in product(shipped_rules(name).views.values(), ("system", "key")):
        for row in tables[table]:
            assert row[view.outcome] in declared.tables[table][view.outcome].values
        credit, size = counted(view, tables[table])
        assert 0 <= credit <= size


@given(st.sampled_from(NAMES), SPANS, SPANS)
def test_partners_are_each_others(name: str, system: list[Row], key: list[Row]) -> None:
    declared, tables = judged(name, system, key)
    for column in {"partner", "namesake"} & {*declared.tables["system"]}:
        pairs = {(place, row[column]) for place, row in enumerate(tables["system"]) if row[column] is not None}
        back = {(row[column], place) for place, row in enumerate(tables["key"]) if row[column] is not None}
        assert pairs == back


@settings(deadline=None)  # the interpreter takes its time over many rules
@given(st.sampled_from(SCORING), SPANS, SPANS, st.integers(0, 99))
def test_the_order_of_the_input_changes_no_score(name: str, system: list[Row], key: list[Row], seed: int) -> None:
    random = Random(seed)
    shuffled = random.sample(system, len(system)), random.sample(key, len(key))
    assert scores(name, system, key) == scores(name, *shuffled)


# exact


def test_exact_uses_a_key_span_once() -> None:
    key = [span(8, 16), span(26, 31), span(0, 3, "PER")]
    system = [span(8, 16), span(8, 16), span(26, 31, "PER"), span(0, 3, "PER", doc=1)]
    assert outcomes("exact", "exact", system, key) == (["TP", "duplicate", "FP", "FP"], ["FN", "TP", "FN"])
    assert score("exact", "exact", system, key) == (1, 4, 1, 3)


@given(SPANS, SPANS)
def test_exact_counts_what_both_sides_have(system: list[Row], key: list[Row]) -> None:
    both = counts(system) & counts(key)
    assert score("exact", "exact", system, key) == (both.total(), len(system), both.total(), len(key))


def counts(rows: list[Row]) -> Counter[tuple[Any, ...]]:
    return Counter((row["doc"], row["begin"], row["end"], row["label"]) for row in rows)


# Four spans of one kind each: right, right extent, right label, mere overlap; then one on each side alone

KEY = [span(0, 3), span(4, 7), span(8, 16), span(17, 22), span(26, 31)]
SYSTEM = [span(0, 3), span(4, 7, "ORG"), span(12, 16), span(20, 25, "ORG"), span(35, 38)]


@pytest.mark.parametrize(
    ("rules", "view", "system", "key"),
    [
        ("semeval2013", "strict", "COR INC INC INC SPU", "COR INC INC INC MIS"),
        ("semeval2013", "exact", "COR COR INC INC SPU", "COR COR INC INC MIS"),
        ("semeval2013", "partial", "COR COR PAR PAR SPU", "COR COR PAR PAR MIS"),
        ("semeval2013", "type", "COR INC COR INC SPU", "COR INC COR INC MIS"),
        ("hipe", "strict", "COR INC INC INC SPU", "COR INC INC INC MIS"),
        ("hipe", "fuzzy", "COR INC COR INC SPU", "COR INC COR INC MIS"),
        ("hipe", "strict_by_key", "COR INC INC INC SPU", "COR INC INC INC MIS"),
        ("hipe", "fuzzy_by_key", "COR INC COR INC SPU", "COR INC COR INC MIS"),
        ("muc", "type", "COR INC COR INC SPU", "COR INC COR INC MIS"),
        ("muc", "text", "COR COR INC INC SPU", "COR COR INC INC MIS"),
        ("i2b2", "relaxed", "TP FP relaxed FP FP", "TP FN relaxed FN FN"),
        ("gate", "average", "COR SPU PAR SPU SPU", "COR MIS PAR MIS MIS"),
        ("exact", "exact", "TP FP FP FP FP", "TP FN FN FN FN"),
        ("characters", "overlap", "TP FP TP FP FP", "TP FN partial FN FN"),
    ],
)
def test_each_way_of_scoring_has_its_own_classes(rules: str, view: str, system: str, key: str) -> None:
    assert outcomes(rules, view, SYSTEM, KEY) == (system.split(), key.split())


@pytest.mark.parametrize(
    ("rules", "view", "credit"),
    [
        ("semeval2013", "strict", 1),
        ("semeval2013", "exact", 2),
        ("semeval2013", "partial", 3),
        ("semeval2013", "type", 2),
        ("hipe", "strict", 1),
        ("hipe", "fuzzy", 2),
        ("muc", "slots", 2),  # four right slots of ten
        ("muc", "type", 2),
        ("muc", "text", 2),
        ("i2b2", "relaxed", 2),
        ("i2b2", "strict", 1),
        ("gate", "strict", 1),
        ("gate", "lenient", 2),
        ("gate", "average", 1.5),
        ("exact", "exact", 1),
    ],
)
def test_each_way_of_scoring_has_its_own_credit(rules: str, view: str, credit: float) -> None:
    assert score(rules, view, SYSTEM, KEY) == (credit, 5, credit, 5)


def test_a_good_pair_is_not_lost_to_a_worse_one_that_comes_first() -> None:
    """The case in which nervaluate's strict score is 0: an overlapping span stands before the right one."""
    assert score("semeval2013", "strict", [span(0, 4), span(0, 10)], [span(0, 10)]) == (1, 2, 1, 1)


def flat(random: Random) -> list[Row]:
    """Return up to four spans that do not overlap."""
    ends = sorted(random.sample(range(13), 2 * random.randint(0, 4)))
    return [span(*pair, random.choice(["LOC", "ORG"])) for pair in zip(ends[::2], ends[1::2], strict=True)]


def nervaluates(view: str, system: Sequence[Row], key: Sequence[Row]) -> tuple[int, ...]:
    """Return nervaluate's counts for spans in this order."""
    from nervaluate import strategies
    from nervaluate.entities import Entity

    strategy = {"strict": "Strict", "exact": "Exact", "partial": "Partial", "type": "EntityType"}[view]
    sides = ([Entity(row["label"], row["begin"], row["end"] - 1) for row in rows] for rows in (key, system))
    found, _ = getattr(strategies, f"{strategy}Evaluation")().evaluate(*sides, ["LOC", "ORG"])
    return found.correct, found.incorrect, found.partial, found.spurious, found.missed


@pytest.mark.parametrize("seed", seeds(10, of=40))
def test_counts_are_those_of_nervaluate_in_the_order_of_the_text(seed: int) -> None:
    """Those of type are some that it gives: the only ones, if order plays no part."""
    random = Random(seed)
    system, key = flat(random), flat(random)
    for view in ("strict", "exact", "partial", "type"):
        mine, theirs = (Counter(each) for each in outcomes("semeval2013", view, system, key))
        found = mine["COR"], mine["INC"], mine["PAR"], mine["SPU"], theirs["MIS"]
        if view == "type":
            orders = product(permutations(system), permutations(key))
            assert found in {nervaluates(view, *order) for order in orders}
        else:
            assert found == nervaluates(view, system, key)


def test_hipe_pairs_before_it_looks_at_labels() -> None:
    """The ORG stands before the LOC, so it gets the pair; by labels the LOC would."""
    key, system = [span(4, 16)], [span(0, 6, "ORG"), span(8, 16)]
    assert outcomes("hipe", "fuzzy", system, key) == (["INC", "SPU"], ["INC"])
    assert outcomes("semeval2013", "type", system, key) == (["SPU", "COR"], ["COR"])
    assert outcomes("hipe", "fuzzy", [span(0, 6, "ORG"), span(4, 16)], key) == (["SPU", "COR"], ["COR"])


def test_hipe_has_no_items_without_links() -> None:
    """`_` in the files: such a mention is not even paired. NIL is an id."""
    key = [span(0, 3, id="Q1"), span(4, 7), span(8, 16, id="NIL"), span(17, 22)]
    system = [span(0, 3), span(4, 7, id="Q4"), span(8, 16, id="NIL"), span(17, 22)]
    assert outcomes("hipe-nel", "fuzzy", system, key) == (["SPU", "SPU", "COR", "SPU"], ["MIS", "MIS", "COR", "MIS"])
    assert score("hipe-nel", "fuzzy", system, key) == (1, 2, 1, 2)


def test_characters_count_by_how_much_is_covered() -> None:
    key = [span(0, 10)]
    assert score("characters", "overlap", [span(0, 4), span(6, 8), span(20, 24)], key) == (6, 10, 6, 10)
    assert score("characters", "overlap", [span(0, 10), span(2, 5)], key) == (13, 13, 10, 10)
    assert score("characters", "overlap", [span(0, 10, "PER"), span(3, 3)], key) == (0, 10, 0, 10)
    assert score("tokens", "overlap", [span(8, 12)], key) == (2, 4, 2, 10)


# The poster's

CITIES = parse(
    """include = ["paper"]
[lists."stop words"]
PER = ["the"]
[hierarchy]
CITY = "LOC"
""",
    "cities.toml",
)


def test_the_posters_rules_find_partial_labels_and_fuzzy_extents() -> None:
    key = [span(26, 31, "CITY"), span(8, 22, "ORG"), span(43, 48, "LOC"), span(0, 3, "CITY")]
    system = [span(26, 31, "LOC"), span(4, 22, "ORG"), span(43, 48, "CITY"), span(0, 3, "CITY"), span(0, 3, "CITY")]
    found = outcomes(CITIES, "credit", system, key)
    assert found == (
        ["TP", "duplicate", "fuzzy", "partial label", "FP"],  # a CITY is a LOC, but a LOC is no CITY
        ["TP", "fuzzy", "partial label", "FN"],
    )
    assert score(CITIES, "credit", system, key) == (2.5, 5, 2.5, 4)
    assert score(CITIES, "strict", system, key) == (1, 5, 1, 4)


def test_texts_must_be_alike_enough_for_a_fuzzy_match() -> None:
    key, system = [span(8, 22, "ORG")], [span(4, 22, "ORG")]  # 87.5 of 100 alike
    for bound, expected in ((87, "fuzzy"), (88, "FP")):
        rules = parse(f'include = ["paper"]\n[parameters.similar_enough]\nORG = {bound}', "mine.toml")
        assert outcomes(rules, "credit", system, key)[0] == [expected]


def test_stop_words_leave_the_counts() -> None:
    system = [span(0, 3, "PER"), span(0, 3, "ORG"), span(35, 38, "PER")]
    key = [span(35, 38, "PER")]  # a stop word, but right
    assert score(CITIES, "credit", system, key) == (1, 2, 1, 1)
    assert score(CITIES, "strict", system, key) == (1, 2, 1, 1)


def test_low_confidence_is_left_out_where_the_view_says_so() -> None:
    key = [span(0, 3, confidence="low"), span(4, 7, confidence="low"), span(8, 16), span(17, 22, confidence="high")]
    system = [span(0, 3), span(8, 16), span(9, 12)]
    assert score("paper", "credit", system, key) == (2, 3, 2, 4)
    assert score("paper", "credit_certain", system, key) == (1, 2, 1, 2)
    assert score("paper", "strict_certain", system, key) == (1, 2, 1, 2)


def test_credits_are_parameters() -> None:
    rules = parse('include = ["paper"]\n[parameters]\nfuzzy_credit = 0.25', "mine.toml")
    assert score(rules, "credit", [span(4, 22, "ORG")], [span(8, 22, "ORG")]) == (0.25, 1, 0.25, 1)


def test_word_by_word_the_figures_do_not_use_up_key_spans() -> None:
    key = [span(8, 22, "ORG"), span(26, 31)]
    system = [span(4, 22, "ORG"), span(8, 22, "PER"), span(26, 31), span(26, 31), span(10, 22, "ORG")]
    assert outcomes("paper-literal", "literal", system, key) == (
        ["FzTP", "FP", "FzTP", "TP", "TP"],
        ["FN", "found"],
    )
    assert score("paper-literal", "literal", system, key) == (4, 5, 1, 2)
    assert score("paper", "credit", system, key) == (2, 5, 2, 2)


def test_word_by_word_the_filter_changes_the_verdict() -> None:
    rules = parse('include = ["paper-literal"]\n[lists."stop words"]\nPER = ["the"]', "mine.toml")
    assert outcomes(rules, "literal", [span(0, 3, "PER")], []) == (["FP-ignored:stop word"], [])
    assert score(rules, "literal", [span(0, 3, "PER")], []) == (0, 0, 0, 0)


# Documents


def test_an_entity_counts_once_a_document() -> None:
    key = [span(26, 31), span(43, 48), span(26, 31, doc=1), span(8, 16)]
    system = [span(26, 31), span(43, 48, "PER"), span(43, 48, doc=1), span(8, 16, "PER")]
    assert outcomes("document", "document", system, key) == (["FP", "TP", "FP", "FP"], ["FN", "TP", "TP", "FN"])
    assert score("document", "document", system, key) == (1, 4, 1, 3)


def test_one_right_mention_is_enough() -> None:
    key = [span(26, 31), span(43, 48)]  # Paris, twice
    assert score("document", "document", [span(43, 48)], key) == (1, 1, 1, 1)
    assert score("document", "document", [span(26, 31), span(43, 48), span(8, 16)], key) == (1, 2, 1, 1)


def test_an_entity_is_its_id_or_else_its_text() -> None:
    key = [span(8, 16, id="Q60"), span(26, 31, id="Q60")]
    assert score("document", "document", [span(8, 16, id="Q60")], key) == (1, 1, 1, 1)
    assert score("document", "document", [span(8, 16), span(26, 31)], key) == (2, 2, 1, 1)


def test_an_entity_found_knows_its_first_mention_in_the_key() -> None:
    key = [span(8, 16), span(26, 31), span(43, 48)]
    system = [span(0, 3), span(20, 25, text="Paris"), span(43, 48)]
    _, tables = judged("document", system, key)
    assert [row["found"] for row in tables["system"]] == [None, 1, None]
    assert [row["counted"] for row in tables["system"]] == [1, 1, 0]


def test_the_default_view_of_the_document_level_is_its_own() -> None:
    assert list(load("document").views) == ["document", "exact"]

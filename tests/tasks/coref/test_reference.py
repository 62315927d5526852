"""The slow reference itself, counted on fingers."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest

from tests.tasks.coref import reference
from tests.tasks.coref.reference import Blanc, Chains, Counts, Document, Judged, Mention

LETTERS = "abcdefghi"


def chains(*written: str) -> Chains:
    """Return chains of one document; a letter is a mention of one token."""
    return [[(0, LETTERS.index(letter), LETTERS.index(letter) + 1) for letter in chain] for chain in written]


def mention(letter: str) -> Mention:
    ((found,),) = chains(letter)
    return found


KEY, RESPONSE = chains("abc", "defg"), chains("ab", "cd", "fghi")


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("mentions", Counts(6, 7, 6, 8)),
        ("muc", Counts(2, 5, 2, 5)),
        ("b3", Counts(4 / 3 + 1 / 3 + 1 / 4 + 1, 7, 2 + 1 / 2 + 1 / 2 + 1, 8)),
        ("ceafm", Counts(4, 7, 4, 8)),
        ("ceafe", Counts(4 / 5 + 4 / 8, 2, 4 / 5 + 4 / 8, 3)),
        ("lea", Counts(3 / 3 + 4 / 6, 7, 2 + 4 / 6, 8)),
    ],
)
def test_the_worked_example_of_pradhan_2014(metric: str, expected: Counts) -> None:
    found = reference.COUNTS[metric](KEY, RESPONSE)
    assert (found.recall, found.precision) == pytest.approx((expected.recall, expected.precision))
    assert (found.wanted, found.given) == (expected.wanted, expected.given)


def test_blanc_enumerates_pairs() -> None:
    found = reference.blanc_of(KEY, RESPONSE)
    assert found == Blanc((2, 9, 8), (8, 12, 20))
    assert found.scores() == pytest.approx(((2 / 9 + 8 / 12) / 2, (2 / 8 + 8 / 20) / 2, (4 / 17 + 16 / 32) / 2))
    assert Blanc((0, 0, 3), (2, 4, 4)).scores() == pytest.approx((2 / 4, 2 / 4, 2 / 4))
    assert Blanc().scores() is None


def test_the_best_alignment_is_the_best_of_all() -> None:
    random = Random(1)
    for _ in range(300):
        rows, columns = random.randint(1, 5), random.randint(1, 5)
        weights = [[random.choice((0, 0, 0.5, 1, 2, random.random())) for _ in range(columns)] for _ in range(rows)]
        few = weights if rows <= columns else [list(column) for column in zip(*weights, strict=True)]
        best = max(
            sum(row[place] for row, place in zip(few, order, strict=False))
            for order in permutations(range(max(rows, columns)), min(rows, columns))
        )
        assert reference.best_alignment(weights) == pytest.approx(best)
    assert reference.best_alignment([]) == 0


def test_f1_says_when_it_is_undefined() -> None:
    assert Counts(0, 0, 0, 0).f is None
    assert Counts(0, 3, 0, 0).f == 0
    assert Counts(0, 0, 0, 3).f == 0
    assert Counts(1, 2, 1, 4).f == pytest.approx(2 / 6)


# --- ARCS -----------------------------------------------------------------------------------------------------------


def judged(key: Chains, response: Chains, criterion: str, pronouns: str = "") -> dict[str, Judged]:
    """Judge mentions; those that are pronouns are no nominal antecedents."""
    fits = {mention(letter) for letter in LETTERS if letter not in pronouns}.__contains__
    found = reference.arcs(key, response, criterion, fits)
    return {LETTERS[begin]: each for (_, begin, _), each in found.items()}


def test_the_classes_of_any() -> None:
    found = judged(chains("abce", "df"), chains("acd", "ef", "gh"), "any")
    assert found == {
        "b": Judged("fn"),  # not there
        "c": Judged("tp"),
        "e": Judged("fn"),  # first in its chain
        "f": Judged("wl", mention("e")),  # e is no antecedent of f in the key
        "d": Judged("fp", mention("c")),  # first in the key's chain
        "h": Judged("fp", mention("g")),  # not in the key
    }


def test_any_needs_one_right_antecedent_and_immediate_the_closest() -> None:
    key, response = chains("abd", "c"), chains("acd")
    assert judged(key, response, "any")["d"] == Judged("tp")
    assert judged(key, response, "immediate")["d"] == Judged("wl", mention("c"))
    assert judged(chains("acd"), chains("abd"), "immediate")["d"] == Judged("wl", mention("b"))
    assert judged(chains("abcd"), chains("cd"), "immediate")["d"] == Judged("tp")


def test_nominal_looks_at_the_closest_nominal_antecedent() -> None:
    assert judged(chains("abc"), chains("abc"), "nominal", "b")["c"] == Judged("tp")
    assert judged(chains("abd", "c"), chains("acbd"), "nominal", "b")["d"] == Judged("wl", mention("c"))
    assert judged(chains("abc"), chains("bc"), "nominal", "b")["c"] == Judged("fn")  # none that is nominal
    assert "b" not in judged(chains("ab"), chains("ab"), "nominal", "a")  # a cataphor counts nowhere
    assert "b" not in judged(chains(), chains("ab"), "nominal", "a")  # nor is it a false positive
    assert reference.uncounted(chains("abc"), {mention("b")}.__contains__) == 1


def test_recall_and_precision_of_classes() -> None:
    classes = [Judged(name) for name in ("tp", "tp", "wl", "fn", "fp", "fp", "fp")]
    assert reference.arcs_counts(classes) == Counts(2, 4, 2, 6)


def test_sites_are_key_anaphors_and_the_false_positives_of_all() -> None:
    key = chains("ab")
    one, two = (reference.arcs(key, response, "any") for response in (chains("ab", "cd"), chains("ef")))
    found = reference.sites_among([one, two])
    assert {LETTERS[each[1]]: [judge.name for judge in row] for each, row in found.items()} == {
        "b": ["tp", "fn"],
        "d": ["fp", "tn"],
        "f": ["tn", "fp"],
    }


@pytest.mark.parametrize(
    ("tags", "nominal", "named", "kind"),
    [
        (["NN"], True, False, "noun"),
        (["NNPS"], True, True, "noun"),
        (["PRP"], False, False, "personal pronoun"),
        (["PRP$"], False, False, "possessive pronoun"),
        (["DT"], False, False, "other"),
        (["DT", "JJ"], True, False, "noun"),
        (["DT", "NNP", "NN"], True, False, "noun"),  # the Prague castle
        (["NNP", "IN", "NN"], True, True, "noun"),
        (["NN", "IN", "NNP"], True, False, "noun"),  # king of Bohemia
    ],
)
def test_kinds_of_mentions(tags: list[str], nominal: bool, named: bool, kind: str) -> None:
    assert (reference.nominal(tags), reference.named(tags), reference.kind(tags)) == (nominal, named, kind)


# --- reading ---------------------------------------------------------------------------------------------------------


def test_brackets_nest_cross_repeat_and_stand_together() -> None:
    cells = ["(1|(2", "(1(1)", "2)(3", "1)|3)1)", "-"]
    lines = ["#begin document (x); part 000", *(f"x\t0\t{row}\tw\t{cell}" for row, cell in enumerate(cells))]
    (found,) = reference.read_lines([*lines, "#end document"]).values()
    assert found.chains == {"1": [(1, 2), (1, 4), (0, 4)], "2": [(0, 3)], "3": [(2, 4)]}
    assert list(found.chains) == ["1", "2", "3"]


def test_the_first_chain_by_its_id_keeps_a_repeated_mention() -> None:
    document = Document(chains={"7": [(0, 1), (2, 3)], "3": [(2, 3), (4, 5), (4, 5)]})
    found = reference.units_of({"x": document}, ["x"])
    assert found == {"x": [[(0, 0, 1), (0, 2, 3)], [(0, 4, 5)]]}
    assert reference.units_of({"x": document}, ["x"], singletons="drop") == {"x": [[(0, 0, 1), (0, 2, 3)]]}


def test_scorer_801_keeps_repeated_mentions_that_the_key_does_not_have() -> None:
    document = Document(chains={"7": [(0, 1), (2, 3)], "3": [(2, 3), (0, 1), (4, 5)]})
    key = {"x": [[(0, 0, 1)]]}
    found = reference.official(key, {"x": document}, ["x"])
    assert [len(chain) for chain in found["x"]] == [2, 2]  # (0, 1) is in the key, (2, 3) is not
    assert reference.official_links(found["x"], 1) == (2, 4)  # 0–2, 2–4; apart 0–2, 0–4, 2–4, 2–2


def test_order_in_a_chain_is_by_begin_and_then_the_longer_first() -> None:
    assert reference.in_order([(0, 2, 3), (0, 1, 2), (0, 1, 4), (1, 0, 1)]) == [
        (0, 1, 4), (0, 1, 2), (0, 2, 3), (1, 0, 1)
    ]  # fmt: skip

"""Complementarity where rules, ids or heads decide what is the same: small cases of slips easily made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import comparanda as cp
from comparanda import Result
from tests.findings.complement.test_complement import KEY, cells, compared, near, only_pair, record, values


def ruled(rules: str, key: list[Any], /, **systems: list[Any]) -> Result:
    return cp.compare(key, systems, task="span", rules=rules, resamples=0)


def test_a_third_of_the_tokens_is_no_false_span() -> None:
    """By tokens there are no pairs: what a span is worth is a share. Systems without an error have none."""
    for rules in ("tokens", "characters", "paper-literal"):
        pair = only_pair(ruled(rules, KEY, one=KEY, two=KEY).complementarity())
        assert cells(pair)[4:7] == [0, 0, 0], rules
        assert values(pair.forth)[:4] == near(1, 1, 1, 1), rules


@pytest.mark.parametrize("view", ["type", "exact"])
def test_a_union_of_unlike_spans_for_one_key_span_cannot_be_told_from_counts(view: str) -> None:
    """Both get the key span by spans of their own: their union has two, their intersection none."""
    key = [record("1", "PER 0-5")]
    one, two = {"type": ("PER 0-4", "PER 1-5"), "exact": ("LOC 0-5", "ORG 0-5")}[view]
    pair = only_pair(ruled("semeval2013", key, x=[record("1", one)], y=[record("1", two)]).complementarity(view=view))
    really = ruled("semeval2013", key, union=[record("1", one, two)], intersection=[record("1")])
    scores = really.scores("precision", "recall", view=view)
    assert (scores.value("union", "precision"), scores.value("intersection", "recall")) == (0.5, 0)
    assert pair.union is None or pair.union.precision == 0.5
    assert pair.intersection is None or pair.intersection.recall == 0


def test_so_it_cannot_where_both_have_another_right_id() -> None:
    key = [record("1", "LOC 0-2 Q1|Q2")]
    one, two = [record("1", "LOC 0-2 Q1")], [record("1", "LOC 0-2 Q2")]
    pair = only_pair(compared(key, one=one, two=two).complementarity())
    really = compared(key, union=[record("1", "LOC 0-2 Q1", "LOC 0-2 Q2")], none=[record("1")])
    assert really.scores("precision").value("union") == 0.5
    assert pair.union is None or pair.union.precision == 0.5
    assert pair.intersection is None or pair.intersection.recall == 0


def test_the_label_of_a_false_link_does_not_depend_on_the_order_of_systems() -> None:
    """By rules that do not look at types, two links that differ in their types alone are one item."""
    key = [record("1", "LOC 0-2 Q1")]
    one, two = [record("1", "LOC 0-2 Q9")], [record("1", "PER 0-2 Q9")]

    def labels(**systems: Any) -> dict[str, list[int | None]]:
        result = cp.compare(key, systems, task="link", rules="elevant", resamples=0)
        return {row.label: sorted(cells(row)[4:7]) for row in only_pair(result.complementarity()).labels}  # type: ignore[type-var]

    assert labels(one=one, two=two) == labels(two=two, one=one)


def test_a_span_left_out_for_one_system_does_not_hide_what_both_claim() -> None:
    """One has a link twice, of which one is not looked at (an uncertain key mention); both claim the other."""
    key = [record("1", "LOC 0-2 Q1")]
    key[0]["spans"][0]["confidence"] = "low"
    twice, once = [record("1", "PER 0-2 Q3", "PER 0-2 Q3")], [record("1", "LOC 0-2 Q1", "PER 0-2 Q3")]
    pair = only_pair(compared(key, twice=twice, once=once).complementarity(view="certain"))
    assert cells(pair)[4:7] == [1, 0, 0]


def test_words_cut_out_by_both_but_hung_on_other_words_are_two_errors(tmp_path: Path) -> None:
    """Neither `b` nor `c` is a word of the key; that `a` hangs on one or on the other is not the same."""

    def conllu(name: str, *rows: tuple[str, int, str]) -> str:
        words = (
            f"{number}\t{form}\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n"
            for number, (form, head, label) in enumerate(rows, 1)
        )
        (tmp_path / name).write_text("".join(words) + "\n")
        return str(tmp_path / name)

    rest = [("b", 0, "root"), ("c", 2, "obj"), ("d", 2, "obj")]
    key = conllu("key.conllu", ("ab", 0, "root"), ("cd", 1, "obj"))
    one, two = conllu("one.conllu", ("a", 2, "det"), *rest), conllu("two.conllu", ("a", 3, "det"), *rest)
    pair = only_pair(cp.compare(key, {"one": one, "two": two}, task="dep", resamples=0).complementarity())
    assert cells(pair)[4:7] == [3, 1, 1]

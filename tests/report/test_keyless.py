"""Outputs without a key: how far they agree and where they differ, and no output is right or wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from comparanda import Result, UsageError
from comparanda.api.outputs import agreement_of
from comparanda.demo import demo_files
from comparanda.findings.agreement import Agreements
from comparanda.report import Choices, as_html, build_without_key
from comparanda.report.page_data import Page, TextPart, View
from tests.findings.small_chains import KEY, A, B, written
from tests.report.pages import column, names, numbers, table, view
from tests.seeds import mostly_slow

TAGS: Mapping[str, Any] = {"ann": list("aabbc"), "bea": list("abbbc"), "cy": list("abxbd")}


def agreed(outputs: Mapping[str, Any], task: str, **settings: Any) -> tuple[Agreements, Result]:
    reference = settings.pop("reference", None)
    return agreement_of(outputs, reference, None, {"task": task, **settings}, resamples=0, seed=1)


def page_of(outputs: Mapping[str, Any] = TAGS, task: str = "tag", choices: Choices | None = None, **how: Any) -> Page:
    return build_without_key(*agreed(outputs, task, **how), choices)


def cells(shown: View, first: str, second: str) -> list[tuple[str, str, str]]:
    """Return what the two say where they differ."""
    (found,) = [each for each in shown.choices if (each.base, each.new) == (first, second)]
    part = table(found.parts, "differences")
    return list(zip(column(part, first), column(part, second), column(part, "sites"), strict=True))


def test_the_page_says_that_there_is_no_key_and_who_stands_in_its_place() -> None:
    page = page_of()
    assert page.reference == "ann"
    assert page.title == "tag: ann, bea, cy, without a key"
    assert [each.name for each in page.views] == ["overview", "pair"]
    parts = view(page, "overview").parts
    assert names(parts) == ["no-key", "agreements", "documents", "how", "notes"]
    assert isinstance(parts[0], TextPart)
    assert "no output is right or wrong" in parts[0].lines[0]
    assert isinstance(parts[3], TextPart)
    facts = dict(parts[3].facts)
    assert facts["key"] == "none"
    assert facts["reference"].startswith("ann, with whose documents and words all are aligned")
    assert as_html(page)


def test_every_two_outputs_with_what_each_says() -> None:
    shown = view(page_of(), "pair")
    assert [each.title for each in shown.choices] == ["ann and bea", "ann and cy", "bea and cy"]
    assert cells(shown, "ann", "bea") == [("(all)", "", "1"), ("a", "b", "1")]
    assert cells(shown, "ann", "cy") == [("(all)", "", "3"), ("a", "b", "1"), ("b", "x", "1"), ("c", "d", "1")]
    assert cells(shown, "bea", "cy") == [("(all)", "", "2"), ("b", "x", "1"), ("c", "d", "1")]


def test_another_ground_changes_no_number_of_tags() -> None:
    for reference in TAGS:
        shown = view(page_of(reference=reference), "pair")
        assert cells(shown, "ann", "cy") == [("(all)", "", "3"), ("a", "b", "1"), ("b", "x", "1"), ("c", "d", "1")]
        assert cells(shown, "bea", "cy") == [("(all)", "", "2"), ("b", "x", "1"), ("c", "d", "1")]


@pytest.mark.parametrize("task", mostly_slow(["pos", "span"], {"span"}))
def test_every_number_leads_to_as_many_examples(task: str) -> None:
    key, systems = demo_files(task)
    page = page_of({"gold": key, **dict(list(systems.items())[:3])}, task)
    found = list(numbers(page))
    assert len(found) > 100
    assert all(number == each.count for number, each in found)


def test_chains_too(tmp_path: Path) -> None:
    outputs = {name: written(tmp_path / name, {"d": chains}) for name, chains in {"x": KEY, "y": A, "z": B}.items()}
    page = page_of(outputs, "coref")
    assert all(number == each.count for number, each in numbers(page))
    assert len(view(page, "pair").choices) == 3


def test_spans_of_two_others_stand_at_the_sites_of_the_ground_too() -> None:
    outputs = {"a": [["B-PER", "I-PER", "O"]], "b": [["B-PER", "O", "O"]], "c": [["O", "B-LOC", "O"]]}
    shown = view(page_of(outputs, "span"), "pair")
    assert cells(shown, "b", "c") == [("(all)", "", "1"), ("PER", "LOC", "1")]
    notes = [table(each.parts, "differences").notes for each in shown.choices]
    assert [any("sites are those of a" in note for note in found) for found in notes] == [False, False, True]


def test_outputs_that_are_the_same() -> None:
    page = page_of({"a": list("ab"), "b": list("ab")})
    (only,) = view(page, "pair").choices
    assert table(only.parts, "differences").notes == ("they are equal everywhere",)
    assert cells(view(page, "pair"), "a", "b") == [("(all)", "", "0")]


def test_heads_may_differ_where_labels_are_the_same(tmp_path: Path) -> None:
    lines = "1\ta\t_\t_\t_\t_\t{}\tdep\t_\t_\n2\tb\t_\t_\t_\t_\t{}\tdep\t_\t_\n\n"
    for name, heads in {"x": (0, 1), "y": (2, 0)}.items():
        (tmp_path / f"{name}.conllu").write_text(lines.format(*heads))
    page = page_of({name: str(tmp_path / f"{name}.conllu") for name in "xy"}, "dep")
    assert cells(view(page, "pair"), "x", "y") == [("(all)", "", "2"), ("dep", "dep", "2")]
    (only,) = view(page, "pair").choices
    assert "the same label on both sides" in table(only.parts, "differences").notes[0]


def test_the_pair_that_is_asked_for_is_shown_first() -> None:
    shown = view(page_of(choices=Choices(base="cy", new="bea")), "pair")
    assert shown.choices[shown.chosen].title == "bea and cy"
    shown = view(page_of(choices=Choices(base="cy")), "pair")
    assert shown.choices[shown.chosen].title == "ann and cy"


def test_outputs_that_are_not_there_and_one_with_itself() -> None:
    with pytest.raises(UsageError, match="unknown output 'bae' \\(did you mean 'bea'\\?\\)"):
        page_of(choices=Choices(base="bae"))
    with pytest.raises(UsageError, match="the output 'bea' is compared with itself"):
        page_of(choices=Choices(base="bea", new="bea"))


def test_of_many_outputs_each_is_there_with_the_ground() -> None:
    outputs = {f"o{number:02}": list("ab" * 4)[number % 3 :] + ["a"] * (number % 3) for number in range(13)}
    found, result = agreed(outputs, "tag")
    shown = view(build_without_key(found, result, Choices(base="o03", new="o07")), "pair")
    assert len(shown.choices) == 13
    assert shown.choices[shown.chosen].title == "o03 and o07"
    (said,) = shown.parts
    assert isinstance(said, TextPart)
    assert "13 of 78 pairs: each output with o00" in said.lines[0]
    assert len(view(build_without_key(found, result, Choices(pairs="all")), "pair").choices) == 78

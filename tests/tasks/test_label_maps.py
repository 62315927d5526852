"""Labels of different tongues: maps, case, and the likely map for labels that one side alone uses."""

from __future__ import annotations

import pytest

from comparanda import UsageError
from tests.tasks.corpora import corpus, labels, notes, result, table, tags

KEY = corpus("key", [[("dafür", "PROAV"), ("(", "$("), ("Haus", "NN"), ("deshalb", "PROAV"), (")", "$(")]])
TREE = corpus("tree", [[("dafür", "PROP"), ("(", "$["), ("Haus", "NN"), ("deshalb", "PROP"), (")", "$[")]])
CLEVER = corpus("clever", [[("dafür", "PROAV"), ("(", "$("), ("Haus", "NE"), ("deshalb", "PROP"), (")", "$(")]])
MAP = {"PROP": "PROAV", "$[": "$("}


def test_labels_that_only_one_side_uses_are_noted_with_the_likely_map() -> None:
    assert notes(tags(KEY, TREE)) == [
        "tree: labels only the key uses: 2 ($( ×2, likely $[ (100 %), PROAV ×2, likely PROP (100 %))",
        "tree: labels the key never uses: 2 ($[ ×2, likely $( (100 %), PROP ×2, likely PROAV (100 %))",
    ]


def test_the_likely_map_is_the_most_frequent_counterpart() -> None:
    key = corpus("key", [[("a", "NN"), ("b", "NN"), ("c", "NE"), ("d", "NN"), ("e", "NE")]])
    other = corpus("x", [[("a", "N"), ("b", "N"), ("c", "N"), ("d", "NN"), ("e", "NE")]])
    assert notes(tags(key, other)) == ["x: labels the key never uses: 1 (N ×3, likely NN (67 %))"]


def test_a_map_for_all_sides_counts_its_replacements() -> None:
    verdicts = tags(KEY, TREE, CLEVER, maps={"all": MAP})
    assert [note for note in notes(verdicts) if "read as" in note] == [
        "tree: label $[ read as $(: 2",
        "tree: label PROP read as PROAV: 2",
        "clever: label PROP read as PROAV: 1",
    ]
    scores = result(verdicts).scores("accuracy")
    assert (scores.value("tree"), scores.value("clever")) == (1.0, 0.8)


def test_a_map_of_one_system_leaves_the_others_alone() -> None:
    verdicts = tags(KEY, TREE, CLEVER, maps={"tree": MAP})
    scores = result(verdicts).scores("accuracy")
    assert (scores.value("tree"), scores.value("clever")) == (1.0, 0.6)
    assert [note for note in notes(verdicts) if note.startswith("clever") and "read as" in note] == []


def test_a_map_of_the_key_turns_the_other_way() -> None:
    back = {new: old for old, new in MAP.items()}
    verdicts = tags(KEY, TREE, maps={"key": back})
    assert result(verdicts).scores("accuracy").value("tree") == 1.0
    assert notes(verdicts) == ["key: label $( read as $[: 2", "key: label PROAV read as PROP: 2"]


def test_a_systems_own_map_goes_before_that_for_all() -> None:
    verdicts = tags(KEY, TREE, maps={"all": MAP, "tree": {"PROP": "NN"}})
    assert "tree: label PROP read as NN: 2" in notes(verdicts)
    assert result(verdicts).scores("accuracy").value("tree") == 0.6


def test_maps_are_not_applied_twice() -> None:
    verdicts = tags(
        corpus("key", [[("a", "B"), ("b", "A")]]),
        corpus("x", [[("a", "A"), ("b", "B")]]),
        maps={"x": {"A": "B", "B": "A"}},
    )
    assert result(verdicts).scores("accuracy").value("x") == 1.0


def test_a_map_for_an_unknown_side_is_refused() -> None:
    with pytest.raises(UsageError, match=r"label map for an unknown side: 'tre' \(did you mean 'tree'\?\)"):
        tags(KEY, TREE, maps={"tre": MAP})


def test_a_map_that_meets_nothing_says_nothing() -> None:
    key, other = corpus("key", [[("a", "A")]]), corpus("x", [[("a", "A")]])
    assert notes(tags(key, other, maps={"all": {"B": "C"}, "x": {"A": "A"}})) == []


def test_case_is_folded_on_demand_and_counted() -> None:
    key, other = corpus("key", [[("a", "NN"), ("b", "Ne")]]), corpus("x", [[("a", "nn"), ("b", "NE")]])
    assert result(tags(key, other)).scores("accuracy").value("x") == 0
    folded = tags(key, other, fold_case=True)
    assert result(folded).scores("accuracy").value("x") == 1
    assert notes(folded) == [
        "key: labels read case-insensitively: 2",
        "x: labels read case-insensitively: 1",
    ]


def test_maps_reach_into_sets_of_labels() -> None:
    key = table("key", {"1": ["news", "sport"], "2": ["news"]}, several=True)
    other = table("x", {"1": ["nachrichten", "sport"], "2": ["nachrichten", "news"]}, several=True)
    verdicts = labels(key, other, maps={"x": {"nachrichten": "news"}})
    assert notes(verdicts) == ["x: label nachrichten read as news: 2"]
    scores = result(verdicts).scores("accuracy", "f1")
    assert (scores.value("x", "accuracy"), scores.value("x", "f1")) == (1.0, 1.0)


def test_sets_of_labels_are_equal_when_their_folded_labels_are() -> None:
    """Neither the order of upper and lower case nor a label that falls together with another may matter."""
    key = table("key", {"1": ["a", "B"], "2": ["A"]}, several=True)
    other = table("x", {"1": ["A", "b"], "2": ["A", "a"]}, several=True)
    scores = result(labels(key, other, fold_case=True)).scores("accuracy", "f1")
    assert (scores.value("x", "accuracy"), scores.value("x", "f1")) == (1.0, 1.0)


def test_a_row_without_a_label_stays_so_when_labels_fall_together() -> None:
    from comparanda.core.text_columns import TextColumn
    from comparanda.tasks.label_maps import _apply_map

    column, _ = _apply_map(TextColumn.of(["A", "B", None]), {"B": "A"}, "x", several=False)
    assert [column[row] if column.codes[row] != column.missing else None for row in range(3)] == ["A", "A", None]


def test_the_note_on_a_label_takes_no_absent_row_for_its_counterpart() -> None:
    key = corpus("key", [[("a", "A")]], [[("b", "B")]])
    other = corpus("x", [[("a", "A")]])
    found = notes(tags(key, other, missing="empty"))
    assert "x: labels only the key uses: 1 (B ×1)" in found
    assert not any("\0" in note for note in found)


def test_a_label_on_a_word_cut_otherwise_is_used() -> None:
    key = corpus("key", [[("10000", "NUM"), ("euros", "NOUN")]])
    other = corpus("x", [[("10", "NUM"), ("000", "X"), ("euros", "NOUN")]])
    found = notes(tags(key, other))
    assert not any("only the key uses" in note for note in found)
    assert "x: labels the key never uses: 1 (X)" in found


def test_one_sided_values_of_an_open_class_are_not_listed() -> None:
    key = corpus("key", [[(str(n), f"k{n}") for n in range(4000)]])
    other = corpus("x", [[(str(n), f"x{n}") for n in range(4000)]])
    assert notes(tags(key, other)) == []

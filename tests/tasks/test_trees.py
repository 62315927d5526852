"""Trees: counted on fingers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import comparanda as cp
from comparanda import UsageError
from comparanda.core.sites import ABSENT
from tests.tasks.comparing import conllu, share_of

KEY = conllu("Dogs 2 nsubj NNS", "bark 0 root VBP", "loudly 2 advmod RB", ". 2 punct .", "", "Cats 2 nsubj:pass NNS",
             "sleep 0 root VBP", "! 2 punct .")  # fmt: skip
TREE = conllu("Dogs 2 nsubj", "bark 0 root", "loudly 2 obl", ". 3 punct", "", "Cats 2 nsubj", "sleep 0 root",
              "! 1 punct")  # fmt: skip
CLEVER = conllu("Dogs 3 nsubj", "bark 0 root", "loudly 2 advmod", ". 2 punct", "", "Cats 2 nsubj", "sleep 0 root",
                "! 2 punct")  # fmt: skip


# On fingers


def test_heads_labels_and_both_are_shares_of_the_keys_words(compared: Any) -> None:
    result = compared(KEY, TREE, CLEVER)
    assert share_of(result, "tree", "uas.accuracy") == (5, 7)
    assert share_of(result, "tree", "ls.accuracy") == (6, 7)
    assert share_of(result, "tree", "las.accuracy") == (4, 7)
    assert share_of(result, "clever", "uas.accuracy") == (6, 7)
    assert share_of(result, "clever", "ls.accuracy") == (7, 7)
    assert share_of(result, "clever", "las.accuracy") == (6, 7)


def test_whole_sentences_are_right_for_each_criterion(compared: Any) -> None:
    result = compared(KEY, TREE, CLEVER)
    assert [share_of(result, "tree", f"{view}.sentences") for view in ("las", "uas", "ls")] == [(0, 2), (0, 2), (1, 2)]
    assert [share_of(result, "clever", f"{view}.sentences") for view in ("las", "uas", "ls")] == [
        (1, 2),
        (1, 2),
        (2, 2),
    ]


def test_full_labels_keep_their_subtypes(compared: Any) -> None:
    result = compared(KEY, TREE, labels="full")
    assert share_of(result, "tree", "ls.accuracy") == (5, 7)
    assert "labels:full" in result.signature
    assert "labels:universal" in compared(KEY, TREE).signature


@pytest.mark.parametrize("policy", ["ud-punct", "unicode-p", "ptb"])
def test_punctuation_does_not_count(compared: Any, policy: str) -> None:
    result = compared(KEY, TREE, punctuation=policy)
    assert share_of(result, "tree", "las.accuracy") == (4, 5)
    assert share_of(result, "tree", "las.sentences") == (1, 2)
    assert f"punctuation:{policy}" in result.signature
    assert result.verdicts.view().left_out_counts == {f"punctuation ({policy})": 2}
    assert any(note.what == f"words left out, punctuation ({policy})" and note.count == 2 for note in result.notes)


def test_punctuation_and_labels_are_left_out_together(compared: Any) -> None:
    result = compared(KEY, TREE, punctuation="ptb", ignore_label=["advmod"])
    assert result.verdicts.view().left_out_counts == {"label ignored": 1, "punctuation (ptb)": 2}
    assert share_of(result, "tree", "las.accuracy") == (4, 4)


def test_the_policies_differ_where_the_columns_do(compared: Any) -> None:
    key = conllu("$ 0 root $", "-- 1 punct :", "5 1 punct CD", "... 1 dep NN", "x. 1 dep .")
    found = {policy: compared(key, key, punctuation=policy) for policy in ("keep", "ud-punct", "unicode-p", "ptb")}
    assert {policy: len(result.verdicts.view().sites) for policy, result in found.items()} == {
        "keep": 5,
        "ud-punct": 3,  # -- and 5
        "unicode-p": 3,  # -- and ..., but not $, which is a symbol
        "ptb": 3,  # the tags of -- and x.
    }


def test_policies_do_not_touch_the_scores_of_the_shared_task(compared: Any) -> None:
    plain = compared(KEY, TREE).scores(view="conll18")
    assert compared(KEY, TREE, punctuation="ud-punct", labels="full").scores(view="conll18") == plain
    assert share_of(compared(KEY, TREE), "tree", "conll18.recall[LAS]") == (4, 7)


def test_another_task_has_no_policy_of_punctuation() -> None:
    with pytest.raises(UsageError, match="the task 'tag' has no option punctuation"):
        cp.compare(["A"], {"x": ["A"]}, task="tag", punctuation="ptb")


def test_an_unknown_policy_is_refused(compared: Any) -> None:
    with pytest.raises(UsageError, match="punctuation='ud'"):
        compared(KEY, TREE, punctuation="ud")


def test_trees_do_not_come_from_lists() -> None:
    with pytest.raises(UsageError, match="'key' is of type list; trees are read from files"):
        cp.compare(["A"], {"x": ["A"]}, task="dep")


def test_the_difference_is_keyed_by_labels_with_the_heads_that_moved(compared: Any) -> None:
    found = compared(KEY, TREE, CLEVER).difference("tree", "clever")
    assert [(each.name, each.count) for each in found.classes] == [
        ("correction", 3),
        ("new_error", 1),
        ("changed_error", 0),
    ]
    rows = {(each.key, each.base, each.new): each for each in found.of("correction").transitions}
    assert {key: each.count for key, each in rows.items()} == {("punct",) * 3: 2, ("advmod", "obl", "advmod"): 1}
    (moved,) = rows["punct", "punct", "punct"].changes
    assert (moved.aspects, moved.count, moved.share_of_class) == (("head",), 2, 2 / 3)
    assert [(change.aspects, change.count) for change in found.of("correction").changes] == [
        (("head",), 2),
        (("label",), 1),
    ]


def test_the_difference_can_be_keyed_by_heads_and_labels(compared: Any) -> None:
    found = compared(KEY, TREE, CLEVER).difference("tree", "clever", keyed_by="value")
    assert [(each.base, each.new) for each in found.of("correction").transitions] == [
        ("obl -1", "advmod -1"),
        ("punct -2", "punct -1"),
        ("punct -1", "punct -2"),
    ]
    assert [(each.base, each.new) for each in found.of("new_error").transitions] == [("nsubj +1", "nsubj +2")]
    with pytest.raises(UsageError, match="transitions cannot be keyed by 'heads'"):
        compared(KEY, TREE, CLEVER).difference("tree", "clever", keyed_by="heads")


def test_by_heads_alone_changes_are_called_as_in_the_key(compared: Any) -> None:
    found = compared(KEY, TREE, CLEVER).difference("tree", "clever", view="uas")
    assert {(each.key, each.base, each.new): each.count for each in found.of("correction").transitions} == {
        ("punct", "punct", "punct"): 2
    }
    assert {row.label: (row.base_right, row.new_right, row.sites) for row in found.labels} == {
        "nsubj": (2, 1, 2),
        "root": (2, 2, 2),
        "advmod": (1, 1, 1),
        "punct": (0, 2, 2),
    }


def test_the_difference_is_cut_by_distance_and_direction_unless_told_otherwise(compared: Any) -> None:
    result = compared(KEY, TREE, CLEVER)
    distance, direction = result.difference("tree", "clever").slices
    assert [(each.value, each.sites) for each in direction.slices] == [("head left", 3), ("head right", 2), ("root", 2)]
    assert [(each.value, each.sites) for each in distance.slices] == [("1", 4), ("2", 1), ("(none)", 2)]
    assert result.difference("tree", "clever", by=()).slices == ()
    assert [each.by for each in result.difference("tree", "clever", by=["depth"]).slices] == ["depth"]
    assert [each.by for each in result.anatomy().slices] == ["distance", "direction"]


def test_the_oracle_has_a_row_for_each_relation(compared: Any) -> None:
    found = compared(KEY, TREE, CLEVER).combination()
    rows = {row.label: (row.right, row.oracle_right, row.sites) for row in found.labels}
    assert rows["nsubj"] == ((2, 1), 2, 2)
    assert rows["punct"] == ((0, 2), 2, 2)
    assert (found.overall.oracle_right, found.overall.sites) == (7, 7)


def test_words_know_their_arc_in_the_key(compared: Any) -> None:
    key = conllu("a 3 x", "b 0 root", "c 2 y", "d 1 z", "e 2 w")  # a hangs on c over the root; d on a
    sites = compared(key, key).verdicts.view().sites
    found: dict[str, Any] = {name: sites.attributes[name].make() for name in ("distance", "direction", "depth")}
    assert np.nan_to_num(found["distance"], nan=-1).tolist() == [2, -1, 1, 3, 3]  # a root has none
    assert found["direction"].values() == ["head right", "root", "head left", "head left", "head left"]
    assert found["depth"].tolist() == [3, 1, 2, 4, 2]
    crossed: Any = sites.attributes["projectivity"].make()
    assert crossed.values() == ["non-projective", "projective", "projective", "non-projective", "projective"]


def test_a_word_on_a_cycle_has_no_depth(compared: Any) -> None:
    key = conllu("a 2 x", "b 1 y", "c 0 root")
    result = compared(key, key)
    depth: Any = result.verdicts.view().sites.attributes["depth"].make()
    assert np.isnan(depth).tolist() == [True, True, False]
    assert result.scores("las.accuracy").value("tree") == 1


def test_a_word_that_hangs_on_itself_is_no_root(compared: Any) -> None:
    key = conllu("a 0 root", "b 1 x")
    result = compared(key, conllu("a 0 root", "b 2 x"), conllu("a 0 root", "b 0 x"))
    assert [share_of(result, name, "uas.accuracy") for name in ("tree", "clever")] == [(1, 2), (1, 2)]
    found = result.difference("tree", "clever", keyed_by="value")
    assert [(each.base, each.new) for each in found.of("changed_error").transitions] == [("x self", "x 0")]


# Other tokens


def test_a_word_cut_otherwise_is_absent_and_its_pieces_are_spurious(compared: Any) -> None:
    key = conllu("a 0 root", "bc 1 x", "d 2 y")
    result = compared(key, conllu("a 0 root", "b 1 x", "c 1 x", "d 2 y"))
    assert share_of(result, "tree", "las.accuracy") == (1, 3)  # d hangs on b, which the key does not have
    assert share_of(result, "tree", "las.precision") == (1, 4)
    assert share_of(result, "tree", "las.recall") == (1, 3)
    (run,) = result.verdicts.view().sites.values
    names = result.verdicts.view().sites.names
    assert [names[code] for code in run] == ["root 0", ABSENT, "y ?-1[0:1]"]
    notes = {note.what: note.count for note in result.notes}
    assert notes["words tokenised differently from the key"] == 2
    assert notes["words of the key without a counterpart here, counted as wrong"] == 1


def test_two_systems_that_cut_out_the_same_word_claim_the_same_item(compared: Any) -> None:
    key = conllu("ab 0 root", "c 1 x")
    same = conllu("a 0 root", "b 1 x", "c 1 x")
    other = conllu("a 0 root", "b 1 y", "c 1 x")
    items = compared(key, same, same, other).verdicts.view().items
    claims = {
        (int(place), items.names[label], *claimed)
        for place, label, positive, *claimed in zip(
            items.place, items.label, items.positive, *map(np.ndarray.tolist, items.claimed), strict=True
        )
        if not positive and label is not None
    }
    assert (0, "root", True, True, True) in claims
    assert (0, "x", True, True, False) in claims
    assert (0, "y", False, False, True) in claims


def negatives(result: Any, view: str) -> set[tuple[Any, ...]]:
    """Return the items that are not in the key: their labels, and who claims them."""
    items = result.verdicts.view(view).items
    claims = zip(*map(np.ndarray.tolist, items.claimed), strict=True)
    rows = zip(items.label.tolist(), items.positive.tolist(), claims, strict=True)
    return {(items.names[label], *claimed) for label, positive, claimed in rows if not positive}


def test_surplus_words_are_told_apart_by_what_a_view_looks_at(compared: Any) -> None:
    key = conllu("ab 2 x", "c 0 root")
    result = compared(key, conllu("a 3 y", "b 3 z", "c 0 root"), conllu("a 2 y", "b 3 w", "c 0 root"))
    assert negatives(result, "las") == {("y", True, False), ("y", False, True), ("z", True, False), ("w", False, True)}
    assert negatives(result, "ls") == {("y", True, True), ("z", True, False), ("w", False, True)}
    # by heads alone they are called by the key's relation at their place: a differs in its head, b does not
    assert negatives(result, "uas") == {("x", True, False), ("x", False, True), ("x", True, True)}


def test_a_surplus_word_counts_where_the_word_at_its_place_does(compared: Any) -> None:
    key = conllu("a 0 root", ".. 1 punct", "bb 1 x")
    system = conllu("a 0 root", ". 1 punct", ". 1 punct", "b 1 x", "b 1 x")
    assert share_of(compared(key, system), "tree", "las.precision") == (1, 5)
    assert share_of(compared(key, system, punctuation="ud-punct"), "tree", "las.precision") == (1, 3)
    narrowed = compared(key, system).where('label == "root"')
    assert share_of(narrowed, "tree", "las.precision") == (1, 1)


def test_all_views_are_narrowed_together(compared: Any) -> None:
    result = compared(KEY, TREE, CLEVER).where('label == "punct"')
    assert share_of(result, "tree", "las.accuracy") == (0, 2)
    assert share_of(result, "tree", "uas.accuracy") == (0, 2)
    assert share_of(result, "tree", "ls.accuracy") == (2, 2)
    (score,) = result.scores("conll18.f1[LAS]").scores[:1]
    assert score.value is None
    assert "cannot be restricted to some of the sites" in str(score.reason)


# Examples


def test_examples_carry_the_arcs_on_which_the_sides_differ(compared: Any) -> None:
    found = compared(KEY, TREE, CLEVER).examples('label == "advmod"', "tree", "clever")
    (example,) = found.examples
    assert example.words == ("Dogs", "bark", "loudly", ".")
    assert [
        (tree.side, [(arc.word, arc.head, arc.label, arc.right) for arc in tree.arcs]) for tree in example.trees
    ] == [
        ("key", [(1, 2, "nsubj", True), (3, 2, "advmod", True), (4, 2, "punct", True)]),
        ("tree", [(1, 2, "nsubj", True), (3, 2, "obl", False), (4, 3, "punct", False)]),
        ("clever", [(1, 3, "nsubj", False), (3, 2, "advmod", True), (4, 2, "punct", True)]),
    ]
    assert "╰" in str(found)


def test_examples_say_where_a_side_has_no_such_word_or_no_such_head(compared: Any) -> None:
    key = conllu("a 0 root", "bc 1 x", "d 2 y")
    (example,) = compared(key, conllu("a 0 root", "b 1 x", "c 1 x", "d 2 y")).examples('word == "d"').examples
    assert [(arc.word, arc.head, arc.label) for arc in example.trees[1].arcs] == [(2, None, None), (3, None, "y")]


def test_a_head_in_another_sentence_of_the_key_is_no_word_of_this_one(compared: Any) -> None:
    """Nor is it the root, although the number before the first word is 0."""
    key = conllu("a 0 root", "", "b 0 root", "c 1 x")
    found = compared(key, conllu("a 0 root", "b 1 x", "c 1 x")).examples('word == "b"')
    (example,) = found.examples
    assert [(arc.word, arc.head, arc.label) for arc in example.trees[1].arcs] == [(1, None, "x"), (2, None, "x")]
    assert "?▸" in str(found)


def test_a_sentence_on_which_all_agree_needs_no_drawing(compared: Any) -> None:
    (example, *_) = compared(KEY, KEY, KEY).examples("true").examples
    assert (example.words, example.trees) == ((), ())


def test_only_the_words_nearest_to_the_site_are_drawn(compared: Any) -> None:
    key = conllu("w 0 root", *(f"w{number} 1 x" for number in range(100)))
    (example,) = compared(key, key.replace("\tx\t_", "\ty\t_")).examples('word == "w50"').examples
    assert [arc.word for arc in example.trees[0].arcs] == list(range(37, 67))
    assert example.undrawn == 70


# What is printed


def test_the_scores_of_the_shared_task_are_a_table_of_one_system(compared: Any) -> None:
    first, second = str(compared(KEY, TREE).scores()).split("\n\n")
    assert "las.accuracy" in first
    assert second.splitlines()[0] == "Scores of tree"
    assert second.splitlines()[1].split()[:5] == ["conll18", "f1", "precision", "recall", "aligned"]
    assert second.splitlines()[3].split()[:5] == ["LAS", "57.14", "57.14", "57.14", "57.14"]


def test_the_scores_of_several_systems_are_a_table_for_each_measure(compared: Any) -> None:
    text = str(compared(KEY, TREE, CLEVER).scores(view="conll18"))
    titles = [line for line in text.splitlines() if line.startswith("Scores")]
    assert titles == ["Scores: f1", "Scores: precision", "Scores: recall", "Scores: aligned accuracy"]
    assert "LAS          57.14    85.71" in text
    assert "ELAS" not in text  # there are no enhanced graphs


def test_what_cannot_be_cut_to_some_sites_says_so(compared: Any) -> None:
    text = str(compared(KEY, TREE).where('label == "punct"').scores())
    assert "n/a: it uses items or statistics of whole documents" in text


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("conll18.f1[LSA]", "the view 'conll18' has no score 'LSA' (did you mean 'LAS'?)"),
        ("conll18.f1", "the view 'conll18' has several scores: specify one"),
        ("nothing.f1", "unknown view 'nothing'"),
    ],
)
def test_a_measure_that_is_not_there(measure: str, message: str, compared: Any) -> None:
    with pytest.raises(UsageError) as refused:
        compared(KEY, TREE).scores(measure)
    assert str(refused.value).startswith(message)


def test_a_view_without_sites_cannot_be_narrowed(compared: Any) -> None:
    with pytest.raises(UsageError, match="the view 'conll18' has no sites"):
        compared(KEY, TREE).where("true", view="conll18")


@pytest.mark.parametrize("task", ["dep:xpos", "dep"])
def test_trees_have_no_column_to_choose(task: str, tmp_path: Path) -> None:
    (tmp_path / "key.conllu").write_text(KEY)
    (tmp_path / "tree.conllu").write_text(TREE)
    column = None if ":" in task else "upos"
    with pytest.raises(UsageError, match="by heads and relations: the option 'column' does not apply"):
        cp.compare(str(tmp_path / "key.conllu"), {"t": str(tmp_path / "tree.conllu")}, task=task, column=column)
    with pytest.raises(UsageError, match="by heads and relations: the option 'column' does not apply"):
        cp.compare(f"{tmp_path / 'key.conllu'}::conllu?column=upos", {"t": str(tmp_path / "tree.conllu")}, task="dep")

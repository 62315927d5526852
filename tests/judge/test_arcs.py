"""Trees: counted on fingers, against a plain recount, and through every finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import comparanda as cp
from comparanda import Result, UsageError
from comparanda.comparison.difference import Change
from comparanda.merge import merge
from comparanda.sites import ABSENT
from comparanda.verdicts import Verdicts
from tests.comparison.test_selections import COUNTED, pair_of, rows_with_conditions
from tests.judge.random_trees import Maker, Sentence, Token, bare, write

SEEDS = range(40)


def conllu(*rows: str) -> str:
    """Write CoNLL-U from rows of `form head deprel [xpos]`, each with its id; an empty row ends a sentence."""
    lines, number = [], 0
    for row in rows:
        if row.startswith("#"):
            lines.append(row)
            continue
        if not row:
            lines.append("")
            number = 0
            continue
        form, head, deprel, *tag = row.split()
        number += 1
        lines.append(f"{number}\t{form}\t{form.lower()}\tX\t{(*tag, 'x')[0]}\t_\t{head}\t{deprel}\t_\t_")
    return "\n".join(lines) + "\n\n"


KEY = conllu("Dogs 2 nsubj NNS", "bark 0 root VBP", "loudly 2 advmod RB", ". 2 punct .", "", "Cats 2 nsubj:pass NNS",
             "sleep 0 root VBP", "! 2 punct .")  # fmt: skip
TREE = conllu("Dogs 2 nsubj", "bark 0 root", "loudly 2 obl", ". 3 punct", "", "Cats 2 nsubj", "sleep 0 root",
              "! 1 punct")  # fmt: skip
CLEVER = conllu("Dogs 3 nsubj", "bark 0 root", "loudly 2 advmod", ". 2 punct", "", "Cats 2 nsubj", "sleep 0 root",
                "! 2 punct")  # fmt: skip


@pytest.fixture
def compared(tmp_path: Path) -> Any:
    """Give a function that compares texts."""

    def compare(key: str, *systems: str, **options: Any) -> Result:
        names = ["tree", "clever", "third"][: len(systems)]
        for name, text in zip(["key", *names], [key, *systems], strict=True):
            (tmp_path / f"{name}.conllu").write_text(text, encoding="utf-8")
        files = {name: str(tmp_path / f"{name}.conllu") for name in names}
        return cp.compare(str(tmp_path / "key.conllu"), files, task="dep", **{"resamples": 0, **options})

    return compare


def share_of(result: Result, system: str, measure: str) -> tuple[Any, Any]:
    (score,) = (each for each in result.scores(measure).scores if each.system == system)
    return score.part, score.whole


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
    with pytest.raises(UsageError, match="the task 'tag' has no policy of punctuation"):
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
    assert found["distance"].tolist() == [2, 0, 1, 3, 3]
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
    assert notes["words that the key cuts otherwise"] == 2
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
    assert "cannot be cut to some of the sites" in str(score.reason)


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


def test_a_sentence_on_which_all_agree_needs_no_drawing(compared: Any) -> None:
    (example, *_) = compared(KEY, KEY, KEY).examples("true").examples
    assert (example.words, example.trees) == ((), ())


def test_only_the_words_nearest_to_the_site_are_drawn(compared: Any) -> None:
    key = conllu("w 0 root", *(f"w{number} 1 x" for number in range(100)))
    (example,) = compared(key, key.replace("\tx\t_", "\ty\t_")).examples('word == "w50"').examples
    assert [arc.word for arc in example.trees[0].arcs] == list(range(37, 67))
    assert example.undrawn == 70


# A plain recount


@dataclass(frozen=True)
class Plain:
    """A response as the definition sees it: for each word of the key its head and label, or None for no such word."""

    arcs: list[tuple[Any, str] | None]
    words: int


def plain(key: Sequence[Sentence], response: Sequence[Sentence]) -> Plain:
    """Lay a response over a key whose tokens are words: same characters, same word; heads through that."""
    spans = {span: number for number, (span, _) in enumerate(_words(key))}
    found = list(_words(response))
    arcs: list[tuple[Any, str] | None] = [None] * len(spans)
    number_of = {place: spans.get(span) for place, (span, _) in enumerate(found)}
    for span, (head, label) in found:
        if span in spans:
            above = "root" if head is None else (number_of[head], found[head][0])
            arcs[spans[span]] = above, label.partition(":")[0]
    return Plain(arcs, len(found))


def _words(sentences: Sequence[Sentence]) -> Iterator[tuple[tuple[int, int], tuple[int | None, str]]]:
    """Yield span, head (as a number among all words) and label of each word."""
    begin = place = 0
    for sentence in sentences:
        first = place
        for token in sentence.tokens:
            for word in token.words:
                yield (
                    (begin, begin + len(bare(token.form))),
                    (first + word.head - 1 if word.head else None, word.deprel),
                )
                place += 1
            begin += len(bare(token.form))


def unranged(sentences: Sequence[Sentence], maker: Maker) -> list[Sentence]:
    """Return sentences without ranges: each token is one word, and the trees are hung anew."""
    return [
        maker._hung(Sentence([Token(each.form, (replace(each.words[0], form=each.form),)) for each in sentence.tokens]))
        for sentence in sentences
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_trees_give_the_numbers_of_a_plain_recount(seed: int, compared: Any) -> None:
    maker = Maker(seed)
    text = maker.text(30)
    key = unranged(maker.corpus(text), maker)
    first, second = (unranged(maker.perturbed(text, key), maker) for _ in range(2))
    result = compared(write(key), write(first), write(second))
    truth, *runs = (plain(key, each) for each in (key, first, second))
    for view, aspect in (("las", slice(None)), ("uas", 0), ("ls", 1)):
        columns: list[list[Any]] = [[arc and arc[aspect] for arc in run.arcs] for run in (truth, *runs)]
        for name, run, column in zip(("tree", "clever"), runs, columns[1:], strict=True):
            right = sum(mine == theirs for mine, theirs in zip(columns[0], column, strict=True))
            assert share_of(result, name, f"{view}.accuracy") == (right, len(truth.arcs))
            assert share_of(result, name, f"{view}.precision") == (right, run.words)
        found = result.difference("tree", "clever", view=view)
        classes = Counter(
            "correction" if new == key else "new_error" if old == key else "changed_error"
            for key, old, new in zip(*columns, strict=True)
            if old != new
        )
        assert {each.name: each.count for each in found.classes} == {
            name: classes[name] for name in ("correction", "new_error", "changed_error")
        }


# Identities


def random_result(seed: int, compared: Any, systems: int = 3, **options: Any) -> Result:
    maker = Maker(seed)
    text = maker.text(40)
    key = maker.corpus(text)
    result: Result = compared(write(key), *(write(maker.perturbed(text, key)) for _ in range(systems)), **options)
    return result


@pytest.mark.parametrize("seed", SEEDS)
def test_judged_alike_sites_items_and_the_shared_task_give_one_number(seed: int, compared: Any) -> None:
    result = random_result(seed, compared)
    for view, metric in (("las", "LAS"), ("uas", "UAS")):
        for mine, theirs in (("accuracy", "recall"), ("recall", "recall"), ("precision", "precision"), ("f1", "f1")):
            table = result.scores(f"{view}.{mine}", f"conll18.{theirs}[{metric}]")
            for name in result.systems:
                assert table.value(name, f"{view}.{mine}") == table.value(name, f"conll18.{theirs}[{metric}]")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("view", ["las", "uas", "ls"])
def test_loading_a_third_system_never_changes_a_pairs_difference(seed: int, view: str, compared: Any) -> None:
    maker = Maker(seed)
    text = maker.text(40)
    key = maker.corpus(text)
    texts = [write(maker.perturbed(text, key)) for _ in range(3)]
    pair, all_three = compared(write(key), *texts[:2]), compared(write(key), *texts)
    for keyed_by in ("label", "value"):
        alone = pair.difference("tree", "clever", keyed_by=keyed_by, view=view)
        assert alone == all_three.difference("tree", "clever", keyed_by=keyed_by, view=view)
    for name in ("tree", "clever"):
        for measure in ("precision", "recall", "f1"):
            assert pair.scores(measure, view=view).value(name) == all_three.scores(measure, view=view).value(name)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("view", ["las", "uas", "ls"])
def test_every_count_equals_the_length_of_its_selection(seed: int, view: str, compared: Any) -> None:
    result = random_result(seed, compared, punctuation="ud-punct" if seed % 2 else "keep")
    met = set()
    found = [
        result.difference("tree", "clever", view=view),
        result.difference("tree", "clever", keyed_by="value", view=view),
        result.pairs(view=view),
        result.combination(view=view),
        *(result.slices(by, view=view) for by in ("distance", "direction", "depth", "projectivity", "label", "upos")),
    ]
    for finding in found:
        for row in rows_with_conditions(finding):
            counted = "count" if isinstance(row, Change) else COUNTED[type(row)]
            assert result.count(row.where, *pair_of(finding, row), view=view) == getattr(row, counted), row
            met.add(type(row))
    assert Change in met or not result.count("differs", "tree", "clever", view=view)


@pytest.mark.parametrize("seed", SEEDS)
def test_changes_of_aspects_sum_to_their_class(seed: int, compared: Any) -> None:
    for view in ("las", "uas", "ls"):
        for each in random_result(seed, compared).difference("tree", "clever", view=view).classes:
            assert sum(change.count for change in each.changes) == each.count
            for transition in each.transitions:
                assert sum(change.count for change in transition.changes) == transition.count
            assert sum(transition.count for transition in each.transitions) == each.count


# Parts, and folders


def cut_documents(seed: int) -> list[list[str]]:
    """Return a key and two responses, each as a list of documents with the same texts."""
    maker = Maker(seed)
    sides: list[list[str]] = [[], [], []]
    for number in range(8):
        text = maker.text(maker.chance.randint(3, 20))
        key = maker.corpus(text)
        for side, sentences in zip(sides, (key, *(maker.perturbed(text, key) for _ in range(2))), strict=True):
            side.append(f"# newdoc id = d{number}\n" + write(sentences))
    return sides


@pytest.mark.parametrize("seed", range(10))
def test_parts_laid_end_to_end_are_the_uncut_corpus(seed: int, compared: Any, tmp_path: Path) -> None:
    sides = cut_documents(seed)
    whole = compared(*("".join(side) for side in sides), resamples=50)
    cuts = [slice(0, 3), slice(3, 4), slice(4, 8)]
    parts = []
    for number, cut in enumerate(cuts):
        folder = tmp_path / f"part{number}"
        folder.mkdir()
        for name, side in zip(("key", "tree", "clever"), sides, strict=True):
            (folder / f"{name}.conllu").write_text("".join(side[cut]), encoding="utf-8")
        systems = {name: str(folder / f"{name}.conllu") for name in ("tree", "clever")}
        parts.append(cp.compare(str(folder / "key.conllu"), systems, task="dep").verdicts)
    assert everything(Result(merge(parts), 50)) == everything(whole)


def everything(result: Result) -> list[str]:
    """Return all findings as JSON, without what names files."""
    found = [result.scores().to_json()]
    for view in ("las", "uas", "ls"):
        found += [
            result.difference(
                "tree", "clever", view=view, by=("distance", "direction", "depth", "projectivity")
            ).to_json(),
            result.combination(view=view).to_json(),
            result.significance(view=view).to_json(),
            result.scores("f1", "precision", "recall", view=view).to_json(),
        ]
    return found


@pytest.mark.parametrize("seed", range(10))
def test_a_result_folder_gives_back_all_findings(seed: int, compared: Any, tmp_path: Path) -> None:
    result = compared(*("".join(side) for side in cut_documents(seed)), resamples=20)
    result.save(tmp_path / "folder")
    opened = cp.open(tmp_path / "folder")
    assert everything(opened) == everything(result)
    assert opened.examples("differs", "tree", "clever") == result.examples("differs", "tree", "clever")


def test_documents_are_units(compared: Any) -> None:
    verdicts: Verdicts = compared(*("".join(side) for side in cut_documents(1))).verdicts
    assert verdicts.units.count == 8
    assert verdicts.views["conll18"].statistics["credit[LAS]"].shape == (8, 2)

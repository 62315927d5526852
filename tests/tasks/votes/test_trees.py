"""Votes on trees: the best tree with one root, and relations by the runs that have its arcs."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparanda.align import Aligned
from comparanda.core.corpus import Corpus
from comparanda.pipeline import Setup, prepare_systems
from comparanda.tasks.ballots import combine_runs
from comparanda.tasks.trees.votes import spanning_tree
from comparanda.tasks.vote_methods import Method, Trust
from tests.seeds import draws

from .votes import is_tree, trees_of, trust_of, values_of, winner

Tree = list[tuple[int, str]]


def written(trees: list[Tree], words: list[list[str]] | None = None) -> str:
    """Write trees as CoNLL-U: a head and a relation a word."""
    blocks = []
    for number, tree in enumerate(trees):
        forms = words[number] if words else [f"w{place}" for place in range(len(tree))]
        lines = [
            f"{place}\t{form}\t_\t_\t_\t_\t{head}\t{label}\t_\t_"
            for place, (form, (head, label)) in enumerate(zip(forms, tree, strict=True), start=1)
        ]
        blocks.append("\n".join(lines) + "\n\n")
    return "".join(blocks)


def laid(folder: Path, key: str, *runs: str) -> Aligned:
    for name, text in [("key", key), *((f"s{number}", run) for number, run in enumerate(runs))]:
        (folder / f"{name}.conllu").write_text(text)
    files = {f"s{number}": str(folder / f"s{number}.conllu") for number in range(len(runs))}
    return prepare_systems(str(folder / "key.conllu"), files, Setup(task="dep")).aligned


def heads_of(corpus: Corpus) -> list[int]:
    """Return the heads of a corpus, counted from 1 in their sentences, 0 for the root."""
    assert corpus.arcs is not None
    first = np.repeat(corpus.sentences[:-1], np.diff(corpus.sentences))
    return [int(head) for head in np.where(corpus.arcs.head < 0, 0, corpus.arcs.head - first + 1)]


def voted(aligned: Aligned, trust: Trust, method: str = "tree-vote") -> Corpus:
    return combine_runs(aligned, "trees", Method.parse(method), trust)


def test_the_arcs_of_most_runs_win(tmp_path: Path) -> None:
    one: Tree = [(2, "det"), (0, "root"), (2, "obj")]
    two: Tree = [(2, "amod"), (0, "root"), (1, "obj")]
    three: Tree = [(2, "det"), (3, "obj"), (0, "root")]
    aligned = laid(tmp_path, written([one]), written([one]), written([two]), written([three]))
    corpus = voted(aligned, trust_of(3, [1, 1, 1]))
    assert heads_of(corpus) == [2, 0, 1]  # word 3: 2, 1 or the root, all with equal votes; a second root is none
    assert values_of(corpus) == ["det", "root", "obj"]
    assert heads_of(voted(aligned, trust_of(3, [3, 2, 1]))) == [2, 0, 2]  # the better run's


def test_where_the_best_arcs_make_a_cycle_the_best_tree_is_taken(tmp_path: Path) -> None:
    one: Tree = [(2, "a"), (0, "root"), (2, "c")]
    two: Tree = [(0, "root"), (1, "b"), (1, "c")]
    three: Tree = [(2, "a"), (3, "b"), (0, "root")]
    four: Tree = [(3, "a"), (1, "b"), (0, "root")]
    texts = [written([tree]) for tree in (one, two, three, four)]
    aligned = laid(tmp_path, texts[0], *texts)
    # words 1 and 2 hang on each other by two votes each; the root has two votes at word 3
    corpus = voted(aligned, trust_of(3, [1, 1, 1, 1]))
    assert heads_of(corpus) in ([3, 1, 0], [2, 3, 0])
    assert heads_of(voted(aligned, trust_of(3, [1, 1, 4, 1]))) == [2, 3, 0]
    assert heads_of(voted(aligned, trust_of(3, [9, 1, 1, 1]), "weighted-tree-vote")) == [2, 0, 2]


def test_words_that_a_run_cuts_otherwise_have_no_vote_of_it(tmp_path: Path) -> None:
    key = written([[(2, "det"), (0, "root"), (2, "obj")]], [["a", "b", "cd"]])
    other = written([[(2, "det"), (0, "root"), (4, "x"), (2, "y")]], [["a", "b", "c", "d"]])
    aligned = laid(tmp_path, key, other, other)
    corpus = voted(aligned, trust_of(3, [1, 1]))
    assert heads_of(corpus) == [2, 0, 1]  # the third word is nowhere: of heads without votes the first
    assert values_of(corpus) == ["det", "root", "dep"]
    assert [note.count for note in corpus.notes] == [1]


def test_heads_in_other_sentences_of_the_key_have_no_vote(tmp_path: Path) -> None:
    words = [["a", "b"], ["c", "d"]]
    key = written([[(0, "root"), (1, "x")], [(0, "root"), (1, "x")]], words)
    joined = written([[(0, "root"), (1, "x"), (1, "x"), (3, "y")]], [["a", "b", "c", "d"]])
    corpus = voted(laid(tmp_path, key, joined), trust_of(4, [1]))
    assert heads_of(corpus) == [0, 1, 0, 1]
    assert values_of(corpus) == ["root", "x", "x", "y"]  # c hangs on a there: its relation is the only one known


def test_an_arc_that_no_run_has_is_named_by_runs_that_hang_the_word_likewise(tmp_path: Path) -> None:
    words = [["a", "b"], ["c"]]
    key = written([[(0, "root"), (1, "x")], [(0, "root")]], words)
    # laid over the key, b has the root as its only head, then a has; one of them must hang on the other
    runs = [
        written([tree], [["a", "b", "c"]])
        for tree in ([(3, "x"), (0, "root"), (2, "z")], [(0, "root"), (3, "y"), (1, "z")])
    ]
    corpus = voted(laid(tmp_path, key, *runs), trust_of(3, [1, 1]))
    assert (heads_of(corpus)[:2], values_of(corpus)[:2]) == ([0, 1], ["root", "y"])  # not a second "root"


def test_nothing_of_the_key_is_in_a_combination(tmp_path: Path) -> None:
    run = written([[(2, "det"), (0, "root")]])
    keys = [written([[(0, "root"), (1, "obj")]]).replace("w0\t_\t_", "w0\tlemma\tNOUN"), run]
    found = []
    for number, key in enumerate(keys):
        (tmp_path / str(number)).mkdir()
        found.append(voted(laid(tmp_path / str(number), key, run), trust_of(2, [1])))
    assert heads_of(found[0]) == heads_of(found[1]) == [2, 0]
    assert {name: column.values() for name, column in found[0].columns.items()} == {
        "value": ["det", "root"],
        **{name: ["_", "_"] for name in ("lemma", "upos", "xpos", "feats")},
    }


@given(st.integers(0, 10**9), st.integers(1, 4), st.booleans())
@settings(max_examples=draws(60), deadline=None)
def test_all_trees_looked_at_one_by_one_give_none_that_is_better(
    tmp_path_factory: pytest.TempPathFactory, seed: int, count: int, weighted: bool
) -> None:
    chance = random.Random(seed)
    size = chance.randint(1, 5)
    trees = trees_of(size)
    runs = [chance.choice(trees) for _ in range(count)]
    labels = [[chance.choice("xy") for _ in range(size)] for _ in range(count)]
    scores = [chance.randint(1, 3) for _ in range(count)]
    texts = [written([list(zip(tree, mine, strict=True))]) for tree, mine in zip(runs, labels, strict=True)]
    aligned = laid(tmp_path_factory.mktemp("trees"), texts[0], *texts)
    corpus = voted(aligned, trust_of(size, scores), "weighted-tree-vote" if weighted else "tree-vote")
    weights = scores if weighted else [1] * count
    ranks = [sorted(set(scores)).index(score) + 1 for score in scores]

    def worth(tree: tuple[int, ...]) -> tuple[int, int]:
        votes = merit = 0
        for word, head in enumerate(tree):
            mine = [run for run in range(count) if runs[run][word] == head]
            votes += sum(weights[run] for run in mine)
            merit += max((ranks[run] for run in mine), default=0)
        return votes, merit

    found = tuple(heads_of(corpus))
    best = max(map(worth, trees))
    assert is_tree(found)
    assert worth(found) == best
    equal = [tree for tree in trees if worth(tree) == best]
    if len(equal) == 1:
        assert found == equal[0]
    for word, label in enumerate(values_of(corpus)):
        mine = [run for run in range(count) if runs[run][word] == found[word]]
        mine = mine or [run for run in range(count) if (runs[run][word] == 0) == (found[word] == 0)]
        mine = mine or list(range(count))
        values = [labels[run][word] if run in mine else None for run in range(count)]
        assert label == winner(values, weights, scores)


@given(st.integers(0, 10**9), st.integers(1, 5), st.integers(1, 12))
@settings(max_examples=draws(200), deadline=None)
def test_the_spanning_tree_is_the_best_of_all_trees(seed: int, size: int, most: int) -> None:
    score = np.random.default_rng(seed).integers(0, most, (size + 1, size + 1))
    found = spanning_tree(score).tolist()

    def worth(tree: tuple[int, ...] | list[int]) -> int:
        return sum(int(score[head, word]) for word, head in enumerate(tree, start=1))

    assert is_tree(found)
    assert worth(found) == max(map(worth, trees_of(size)))


def test_many_cycles_in_cycles_are_undone() -> None:
    size = 120
    score = np.random.default_rng(1).integers(0, 3, (size + 1, size + 1))
    for word in range(1, size, 2):  # pairs that hang on each other, then pairs of pairs
        score[word, word + 1] = score[word + 1, word] = 90
    for word in range(1, size - 3, 4):
        score[word, word + 2] = score[word + 2, word] = 50
    assert is_tree(spanning_tree(score).tolist())


def test_sentences_stand_by_themselves(tmp_path: Path) -> None:
    one: list[Tree] = [[(2, "a"), (0, "root")], [(0, "root")]]
    two: list[Tree] = [[(0, "root"), (1, "b")], [(0, "root")]]
    aligned = laid(tmp_path, written(one), written(one), written(two), written(two))
    corpus = voted(aligned, trust_of(3, [1, 1, 1]))
    assert (heads_of(corpus), values_of(corpus)) == ([0, 1, 0], ["root", "b", "root"])

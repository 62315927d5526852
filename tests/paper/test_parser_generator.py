"""Count the generated parses again, slowly and obviously, and compare with every printed digit.

Nothing of comparanda is used here: these files are what its tests are measured against.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pytest

from .digits import count, counts_for, fits, percent, signed
from .parser_counts import FREQUENT, SENTENCES
from .parser_transcription import (
    DIFFERENCE,
    DIFFERENCES,
    GAINS_FROM_COUNTS,
    NN,
    PARSERS,
    PARSEY,
    TABLE_5,
    TABLE_5_PAIRS,
    TABLE_6,
    TABLE_10,
    TABLE_10_OVERALL,
    WORDS,
    ParserBound,
)
from .parser_trees import DOCUMENTS, TOKENS, write_parsers

pytestmark = pytest.mark.slow


class Arc(NamedTuple):
    """One line of a file."""

    form: str
    tag: str
    head: int
    label: str


Value = tuple[int, str]
Transition = tuple[str, ...]


def sentences_of(path: Path) -> Iterator[list[Arc]]:
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        lines = [line.split("\t") for line in block.splitlines() if not line.startswith("#")]
        assert [fields[0] for fields in lines] == [str(number) for number in range(1, len(lines) + 1)]
        yield [Arc(fields[1], fields[4], int(fields[6]), fields[7]) for fields in lines]


@dataclass(frozen=True)
class Parses:
    """What the four files say of each word that counts, and the number of its sentence."""

    values: dict[str, list[Value]]
    sentence: list[int]
    trees: dict[str, list[list[Arc]]]

    @property
    def key(self) -> list[Value]:
        return self.values["key"]

    def right(self, name: str, part: slice = slice(2)) -> list[bool]:
        return [key[part] == value[part] for key, value in zip(self.key, self.values[name], strict=True)]

    def solved(self) -> list[bool]:
        return [any(flags) for flags in zip(*(self.right(name) for name in PARSERS), strict=True)]


@pytest.fixture(scope="module")
def parses(tmp_path_factory: pytest.TempPathFactory) -> Parses:
    paths = write_parsers(tmp_path_factory.mktemp("parsers"))
    trees = {name: list(sentences_of(path)) for name, path in paths.items()}
    places = [(s, w) for s, tree in enumerate(trees["key"]) for w, arc in enumerate(tree) if arc.label != "punct"]
    values = {name: [(tree[s][w].head, tree[s][w].label) for s, w in places] for name, tree in trees.items()}
    return Parses(values, [s for s, _ in places], trees)


# --- the files ----------------------------------------------------------------------------------------------


def test_section_23_has_so_many_sentences_words_and_tokens(parses: Parses) -> None:
    assert len(parses.trees["key"]) == SENTENCES
    assert len(parses.key) == WORDS
    assert sum(map(len, parses.trees["key"])) == TOKENS


def test_every_file_has_the_same_words_and_tags(parses: Parses) -> None:
    key, *others = ([[arc[:2] for arc in tree] for tree in parses.trees[name]] for name in ("key", *PARSERS))
    assert all(other == key for other in others)


@pytest.mark.parametrize("name", ["key", *PARSERS])
def test_every_sentence_is_a_tree_with_one_root(parses: Parses, name: str) -> None:
    for tree in parses.trees[name]:
        assert count(arc.head == 0 for arc in tree) == 1
        assert all((arc.head == 0) == (arc.label == "root") for arc in tree)
        for place in range(1, len(tree) + 1):
            above = place
            for _ in tree:
                above = tree[above - 1].head if above else 0
            assert above == 0, "a cycle"


def test_the_keys_trees_are_projective(parses: Parses) -> None:
    for tree in parses.trees["key"]:
        spans = [(min(i, arc.head), max(i, arc.head)) for i, arc in enumerate(tree, start=1) if arc.head]
        assert not any(a < c < b < d or c < a < d < b for (a, b), (c, d) in combinations(spans, 2))


def test_writing_twice_gives_the_same_bytes(tmp_path_factory: pytest.TempPathFactory) -> None:
    first, second = (write_parsers(tmp_path_factory.mktemp("again")) for _ in range(2))
    assert all(first[name].read_bytes() == second[name].read_bytes() for name in first)
    assert first["key"].read_text(encoding="utf-8").count("# newdoc id = wsj_23") == DOCUMENTS


# --- table 5 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PARSERS)
def test_table_5_scores(parses: Parses, name: str) -> None:
    right = parses.right(name)
    wrong = {sentence for sentence, is_right in zip(parses.sentence, right, strict=True) if not is_right}
    counts = (count(parses.right(name, slice(1))), count(parses.right(name, slice(1, 2))), count(right))
    assert (*(percent(part, WORDS) for part in counts), percent(SENTENCES - len(wrong), SENTENCES)) == TABLE_5[name]


@pytest.mark.parametrize("pair", TABLE_5_PAIRS)
def test_table_5_diff_and_difference_of_scores(parses: Parses, pair: tuple[str, str]) -> None:
    old, new = pair
    differing = count(a != b for a, b in zip(parses.values[old], parses.values[new], strict=True))
    gain = count(parses.right(new)) - count(parses.right(old))
    assert (percent(differing, WORDS), percent(gain, WORDS)) == TABLE_5_PAIRS[pair]


# --- table 6 ------------------------------------------------------------------------------------------------


def differences(parses: Parses) -> dict[str, Counter[tuple[Transition, bool]]]:
    """Return algorithm 1 of the paper on (head, label), keyed by labels and by whether the head moved."""
    changes: dict[str, Counter[tuple[Transition, bool]]] = {name: Counter() for name in TABLE_6}
    for key, old, new in zip(parses.key, parses.values[NN], parses.values[PARSEY], strict=True):
        moved = old[0] != new[0]
        if old == new:
            continue
        if new == key:
            changes["correction"][(old[1], new[1]), moved] += 1
        elif old == key:
            changes["new error"][(old[1], new[1]), moved] += 1
        else:
            changes["changed error"][(key[1], old[1], new[1]), moved] += 1
    return changes


def test_table_6_number_of_differences(parses: Parses) -> None:
    found = sum(changes.total() for changes in differences(parses).values())
    assert found == DIFFERENCES
    assert percent(found, WORDS) == DIFFERENCE


@pytest.mark.parametrize("kind", TABLE_6)
def test_table_6_a_class_and_its_five_most_frequent_transitions_without_ties(parses: Parses, kind: str) -> None:
    printed, transitions = TABLE_6[kind], Counter[Transition]()
    for (transition, _), found in differences(parses)[kind].items():
        transitions[transition] += found
    assert (percent(transitions.total(), DIFFERENCES), transitions.total()) == (printed.share, printed.count)
    ranked = transitions.most_common(6)
    shares = [(transition, percent(found, printed.count)) for transition, found in ranked[:5]]
    assert shares == list(printed.transitions.items())
    assert len({found for _, found in ranked}) == 6
    assert len(transitions) > 250


@pytest.mark.parametrize("kind", TABLE_6)
def test_table_6_each_printed_share_belongs_to_one_integer(kind: str) -> None:
    whole = TABLE_6[kind].count
    for share in TABLE_6[kind].transitions.values():
        assert count(fits(part, whole, share) for part in range(whole + 1)) == 1


def test_not_all_corrections_can_be_attachments_as_the_paper_says(parses: Parses) -> None:
    """LS − LAS says how many words have the right label on a wrong head: in Stanford NN at most 2999.

    So at least 404 of the 3403 corrections change the label, and the sentence "all of these changes are
    attachment corrections" can only be about the five transitions that are printed.
    """
    most = max(counts_for(TABLE_5[NN].ls, WORDS)) - min(counts_for(TABLE_5[NN].las, WORDS))
    assert most == 2999
    corrections = differences(parses)["correction"]
    assert all(corrections[transition, False] == 0 for transition in TABLE_6["correction"].transitions)
    assert count(old != new for (old, new), _ in corrections.elements()) >= TABLE_6["correction"].count - most


# --- table 10 -----------------------------------------------------------------------------------------------


def bound(parses: Parses, label: str | None) -> ParserBound:
    """Return a row of table 10, or the first with no label."""
    chosen = [label in (None, key[1]) for key in parses.key]
    size = count(chosen)
    flags = [*(parses.right(name) for name in PARSERS), parses.solved()]
    right = [count(a and b for a, b in zip(chosen, each, strict=True)) for each in flags]
    pcfg, nn, parsey, oracle = (percent(part, size) for part in right)
    return ParserBound(pcfg=pcfg, nn=nn, parsey=parsey, oracle=oracle, gain=signed(right[3] - right[2], size))


def test_table_10_overall(parses: Parses) -> None:
    assert bound(parses, None) == TABLE_10_OVERALL


@pytest.mark.parametrize("label", TABLE_10)
def test_table_10_scores_upper_bound_and_gain_of_a_relation(parses: Parses, label: str) -> None:
    printed = TABLE_10[label]
    assert bound(parses, label) == printed._replace(gain=GAINS_FROM_COUNTS.get(label, printed.gain))


def test_table_10_has_the_ten_most_frequent_relations_in_order_and_without_ties(parses: Parses) -> None:
    ranked = Counter(label for _, label in parses.key).most_common(11)
    assert dict(ranked[:10]) == FREQUENT
    assert [label for label, _ in ranked[:10]] == list(TABLE_10)
    assert len({size for _, size in ranked}) == 11


def test_table_10_gains_are_differences_of_rounded_percentages() -> None:
    for row in (TABLE_10_OVERALL, *TABLE_10.values()):
        assert f"{float(row.oracle) - float(row.parsey):+.2f}" == row.gain


def sizes_that_give(row: ParserBound, sizes: range) -> dict[int, bool]:
    """Return the sizes of a relation that its four percentages allow, and whether its gain can be of counts."""
    found = {}
    for size in sizes:
        parts = [counts_for(share, size) for share in row[:4]]
        if all(parts):
            found[size] = any(fits(a - b, size, row.gain) for a in parts[3] for b in parts[2])
    return found


def test_there_are_as_many_roots_as_sentences_and_their_number_follows_from_the_percentages() -> None:
    assert sizes_that_give(TABLE_10["root"], range(1, 2559)) == {SENTENCES: False}
    assert all(counts_for(row.sentences, SENTENCES) for row in TABLE_5.values())


def test_table_10_no_size_below_that_of_dobj_allows_the_gain_of_aux() -> None:
    assert sizes_that_give(TABLE_10["dobj"], range(1, SENTENCES)) == {2018: True, 2171: True, 2172: True}
    assert sizes_that_give(TABLE_10["aux"], range(1, SENTENCES)) == {2148: False, 2149: False}

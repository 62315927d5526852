"""Count the generated files again, slowly and obviously, and compare with every printed digit.

Nothing of comparanda is used here: these files are what its tests are measured against.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest

from .digits import count, fits, percent, signed
from .generate import (
    DOCUMENTS,
    TAGGERS,
    TREETAGGER_PAV,
    write_table1,
    write_table2,
    write_table4,
    write_table9,
)
from .transcription import (
    CLEVERTAGGER,
    DIFFERENCE,
    DIFFERENCES,
    SENTENCES,
    STANFORD,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_3_PAIRS,
    TABLE_4,
    TABLE_9,
    TABLE_9_OVERALL,
    TABLE_12,
    TOKENS,
    TREETAGGER,
    Toy,
)

pytestmark = pytest.mark.slow

# --- the reference ------------------------------------------------------------------------------------------


def same(left: list[str], right: list[str]) -> int:
    return count(a == b for a, b in zip(left, right, strict=True))


def two_columns(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[1] for line in lines if line]


@dataclass(frozen=True)
class Corpus:
    """The tags of each file, and for each token the number of its sentence."""

    tags: dict[str, list[str]]
    sentence: list[int]
    paths: dict[str, Path]

    @property
    def key(self) -> list[str]:
        return self.tags["key"]

    @property
    def treetagger_as_it_comes(self) -> list[str]:
        """The output behind tables 9 and 12: where there are two versions, the one with PAV."""
        return self.tags.get(TREETAGGER_PAV, self.tags[TREETAGGER])

    def right(self, name: str) -> int:
        return same(self.key, self.tags[name])


def read(paths: dict[str, Path]) -> Corpus:
    tags: dict[str, list[str]] = {}
    for name, path in paths.items():
        lines = path.read_text(encoding="utf-8").splitlines()
        tags[name] = [line.split("\t")[4] for line in lines if line and not line.startswith("#")]
    sentence = []
    number = 0
    for line in paths["key"].read_text(encoding="utf-8").splitlines():
        if not line:
            number += 1
        elif not line.startswith("#"):
            sentence.append(number)
    return Corpus(tags, sentence, paths)


def label_counts(corpus: Corpus, tags: list[str]) -> Counter[str]:
    """Count right tokens by the key's tag."""
    return Counter(key for key, tag in zip(corpus.key, tags, strict=True) if key == tag)


def differences(corpus: Corpus) -> dict[str, Counter[tuple[str, ...]]]:
    """Return algorithm 1 of the paper, with the key's tag in changed errors as table 4 has it."""
    changes: dict[str, Counter[tuple[str, ...]]] = {name: Counter() for name in TABLE_4}
    treetagger, clevertagger = corpus.tags[TREETAGGER], corpus.tags[CLEVERTAGGER]
    for key, before, after in zip(corpus.key, treetagger, clevertagger, strict=True):
        if before != after:
            if after == key:
                changes["correction"][before, after] += 1
            elif before == key:
                changes["new error"][before, after] += 1
            else:
                changes["changed error"][key, before, after] += 1
    return changes


@pytest.fixture(scope="module", params=[write_table4, write_table9], ids=["one-treetagger", "two-versions"])
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    write: Callable[[Path], dict[str, Path]] = request.param
    return read(write(tmp_path_factory.mktemp("taggers")))


# --- tables 1 and 2 -----------------------------------------------------------------------------------------


def toy_tags(paths: dict[str, Path]) -> dict[str, list[str]]:
    return {name: two_columns(path) for name, path in paths.items()}


def assert_toy_accuracy(tags: dict[str, list[str]], printed: Toy) -> None:
    for name, accuracy in printed.accuracy.items():
        assert percent(same(tags["key"], tags[name]), 5, digits=0) == accuracy


def test_table_1_overlap_on_right_answers(tmp_path: Path) -> None:
    tags = toy_tags(write_table1(tmp_path))
    assert_toy_accuracy(tags, TABLE_1)
    for (left, right), overlap in TABLE_1.overlap.items():
        both = count(k == a == b for k, a, b in zip(tags["key"], tags[left], tags[right], strict=True))
        of_left, of_right = same(tags["key"], tags[left]), same(tags["key"], tags[right])
        assert percent(2 * both, of_left + of_right, digits=0) == overlap


def test_table_1_has_its_right_answers_and_no_two_wrong_ones_coincide(tmp_path: Path) -> None:
    tags = toy_tags(write_table1(tmp_path))
    wrong = []
    for name, row in TABLE_1.answers.items():
        for answer, printed in zip(tags[name], row, strict=True):
            if printed is None:
                wrong.append(answer)
            else:
                assert answer == printed
    assert len(set(wrong) - set(tags["key"])) == len(wrong) == 6


def test_table_2_overlap_on_all_answers(tmp_path: Path) -> None:
    tags = toy_tags(write_table2(tmp_path))
    assert_toy_accuracy(tags, TABLE_2)
    assert {name: tuple(tags[name]) for name in TABLE_2.answers} == TABLE_2.answers
    for (left, right), overlap in TABLE_2.overlap.items():
        assert percent(same(tags[left], tags[right]), 5, digits=0) == overlap


# --- the corpus ---------------------------------------------------------------------------------------------


def test_every_file_has_the_same_tokens_sentences_and_documents(corpus: Corpus) -> None:
    def without_tags(path: Path) -> list[list[str]]:
        lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
        return [fields[:4] + fields[5:] for fields in lines]

    key, *others = (without_tags(path) for path in corpus.paths.values())
    assert all(other == key for other in others)
    assert count(fields[0].startswith("# newdoc id") for fields in key) == DOCUMENTS


def test_the_files_are_conllu(corpus: Corpus) -> None:
    number = 0
    for line in corpus.paths["key"].read_text(encoding="utf-8").splitlines():
        if not line:
            number = 0
        elif not line.startswith("#"):
            number += 1
            assert line.split("\t")[0] == str(number)
            assert len(line.split("\t")) == 10


def test_the_corpus_has_the_papers_size(corpus: Corpus) -> None:
    assert len(corpus.key) == TOKENS
    assert len(set(corpus.sentence)) == SENTENCES


@pytest.mark.parametrize("write", [write_table4, write_table9])
def test_writing_twice_gives_the_same_bytes(
    write: Callable[[Path], dict[str, Path]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    first, second = (write(tmp_path_factory.mktemp("again")) for _ in range(2))
    assert {name: path.read_bytes() for name, path in first.items()} == {
        name: path.read_bytes() for name, path in second.items()
    }


# --- table 3 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TAGGERS)
def test_table_3_accuracy(corpus: Corpus, name: str) -> None:
    assert percent(corpus.right(name), TOKENS) == TABLE_3[name].accuracy


@pytest.mark.parametrize("name", TAGGERS)
def test_table_3_correct_sentences(corpus: Corpus, name: str) -> None:
    rows = zip(corpus.sentence, corpus.key, corpus.tags[name], strict=True)
    wrong = {sentence for sentence, key, tag in rows if key != tag}
    assert percent(SENTENCES - len(wrong), SENTENCES) == TABLE_3[name].correct_sentences


@pytest.mark.parametrize("pair", TABLE_3_PAIRS)
def test_table_3_diff_and_difference_of_accuracies(corpus: Corpus, pair: tuple[str, str]) -> None:
    left, right = pair
    agreed = same(corpus.tags[left], corpus.tags[right])
    assert percent(TOKENS - agreed, TOKENS) == TABLE_3_PAIRS[pair].diff
    gain = corpus.right(right) - corpus.right(left)
    assert percent(gain, TOKENS) == TABLE_3_PAIRS[pair].accuracy_difference


# --- table 4 ------------------------------------------------------------------------------------------------


def test_table_4_number_of_differences(corpus: Corpus) -> None:
    found = sum(changes.total() for changes in differences(corpus).values())
    assert found == DIFFERENCES
    assert percent(found, TOKENS) == DIFFERENCE


@pytest.mark.parametrize("kind", TABLE_4)
def test_table_4_size_of_a_class(corpus: Corpus, kind: str) -> None:
    found = differences(corpus)[kind].total()
    assert found == TABLE_4[kind].count
    assert percent(found, DIFFERENCES) == TABLE_4[kind].share


@pytest.mark.parametrize("kind", TABLE_4)
def test_table_4_five_most_frequent_transitions_in_order_and_without_ties(corpus: Corpus, kind: str) -> None:
    ranked = differences(corpus)[kind].most_common()
    shares = {transition: percent(found, TABLE_4[kind].count) for transition, found in ranked[:5]}
    assert list(shares.items()) == list(TABLE_4[kind].transitions.items())
    frequencies = [found for _, found in ranked[:6]]
    assert len(set(frequencies)) == 6


@pytest.mark.parametrize("kind", TABLE_4)
def test_table_4_each_printed_share_belongs_to_one_integer(kind: str) -> None:
    whole = TABLE_4[kind].count
    for share in TABLE_4[kind].transitions.values():
        assert count(fits(part, whole, share) for part in range(whole + 1)) == 1


@pytest.mark.parametrize("kind", TABLE_4)
def test_table_4_the_remaining_transitions_are_of_many_kinds(corpus: Corpus, kind: str) -> None:
    assert len(differences(corpus)[kind]) > 100


def test_corrections_less_new_errors_are_the_difference_of_accuracies(corpus: Corpus) -> None:
    changes = differences(corpus)
    gain = changes["correction"].total() - changes["new error"].total()
    assert corpus.right(CLEVERTAGGER) - corpus.right(TREETAGGER) == gain == 1570 - 886


# --- table 9 ------------------------------------------------------------------------------------------------


def oracle_tags(corpus: Corpus) -> list[str]:
    """Return the key's tag wherever one tagger has it, else Clevertagger's."""
    systems = (corpus.tags[STANFORD], corpus.treetagger_as_it_comes, corpus.tags[CLEVERTAGGER])
    return [key if key in tags else tags[-1] for key, *tags in zip(corpus.key, *systems, strict=True)]


def test_table_9_overall(corpus: Corpus) -> None:
    oracle = same(corpus.key, oracle_tags(corpus))
    assert percent(corpus.right(STANFORD), TOKENS) == TABLE_9_OVERALL.stanford
    assert percent(corpus.right(CLEVERTAGGER), TOKENS) == TABLE_9_OVERALL.clevertagger
    assert percent(oracle, TOKENS) == TABLE_9_OVERALL.oracle
    assert signed(oracle - corpus.right(CLEVERTAGGER), TOKENS) == TABLE_9_OVERALL.gain


def test_table_9_treetagger_overall_needs_a_version_of_its_own(corpus: Corpus) -> None:
    printed = percent(same(corpus.key, corpus.treetagger_as_it_comes), TOKENS)
    if TREETAGGER_PAV in corpus.tags:
        assert printed == TABLE_9_OVERALL.treetagger == "94.38"
    else:
        assert printed == TABLE_3[TREETAGGER].accuracy == "94.89"


def test_table_9_has_the_ten_most_frequent_tags_in_order_and_without_ties(corpus: Corpus) -> None:
    ranked = Counter(corpus.key).most_common(11)
    assert [label for label, _ in ranked[:10]] == list(TABLE_9)
    assert len({size for _, size in ranked}) == 11


@pytest.mark.parametrize("label", TABLE_9)
def test_table_9_accuracy_upper_bound_and_gain_of_a_tag(corpus: Corpus, label: str) -> None:
    size = Counter(corpus.key)[label]
    stanford = label_counts(corpus, corpus.tags[STANFORD])[label]
    treetagger = label_counts(corpus, corpus.treetagger_as_it_comes)[label]
    clevertagger = label_counts(corpus, corpus.tags[CLEVERTAGGER])[label]
    oracle = label_counts(corpus, oracle_tags(corpus))[label]
    right = (stanford, treetagger, clevertagger, oracle)
    assert (*(percent(part, size) for part in right), signed(oracle - clevertagger, size)) == TABLE_9[label]


# --- table 12 -----------------------------------------------------------------------------------------------


def test_table_12_rows_are_the_largest_differences_in_order_and_without_ties(corpus: Corpus) -> None:
    sizes = Counter(corpus.key)
    treetagger = label_counts(corpus, corpus.treetagger_as_it_comes)
    clevertagger = label_counts(corpus, corpus.tags[CLEVERTAGGER])
    change = {label: Fraction(clevertagger[label] - treetagger[label], sizes[label]) for label in sizes}
    ranked = sorted(sizes, key=lambda label: abs(change[label]), reverse=True)
    rows = {
        label: (
            signed(clevertagger[label] - treetagger[label], sizes[label]),
            percent(treetagger[label], sizes[label]),
            percent(clevertagger[label], sizes[label]),
            sizes[label],
        )
        for label in ranked[: len(TABLE_12)]
    }
    assert list(rows.items()) == list(TABLE_12.items())
    assert len({abs(change[label]) for label in ranked[: len(TABLE_12) + 1]}) == len(TABLE_12) + 1


@pytest.mark.parametrize("label", TABLE_12)
def test_table_12_each_printed_accuracy_belongs_to_one_integer(label: str) -> None:
    row = TABLE_12[label]
    for printed in (row.treetagger, row.clevertagger):
        assert count(fits(part, row.tokens, printed) for part in range(row.tokens + 1)) == 1


# --- how the tables fit together ----------------------------------------------------------------------------


def test_corrections_to_proav_stay_below_the_fifth_printed_transition(corpus: Corpus) -> None:
    corrections = differences(corpus)["correction"]
    to_proav = [found for (_, right), found in corrections.items() if right == "PROAV"]
    assert max(to_proav) < corrections["NE", "NN"] == 51
    if TREETAGGER_PAV not in corpus.tags:  # then table 12 makes all of Clevertagger's 293 corrections
        assert sum(to_proav) == 293
        assert len(to_proav) >= 6


def test_the_two_versions_of_treetagger_differ_by_a_name_only(tmp_path: Path) -> None:
    corpus = read(write_table9(tmp_path))
    pairs = zip(corpus.tags[TREETAGGER], corpus.tags[TREETAGGER_PAV], strict=True)
    assert {pair for pair in pairs if pair[0] != pair[1]} == {("PROAV", "PAV")}
    assert label_counts(corpus, corpus.tags[TREETAGGER])["PROAV"] == 276

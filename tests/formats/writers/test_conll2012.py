"""CoNLL-2012 carries words, their tags, and chains of mentions in one piece each."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from comparanda.errors import WriteError
from comparanda.formats.document_writer import Mention, Passage
from tests.formats.writers.chained import (
    chains,
    content,
    document,
    kept_once,
    losses_of,
    mention,
    random_chains,
    read_chains,
    there_and_back,
    written,
)
from tests.seeds import seeds

GAPS = "the gaps of discontinuous spans: they are written as contiguous spans"
CROSSING = "chains of spans that cross another span of their chain"
SENTENCES = "ends of sentences inside spans"
KEPT = "the order of chains that share a mention"


def brackets(passage: Passage, folder: Path) -> list[str]:
    """Write one document; return the last column."""
    lines = written("conll2012", [passage], folder).read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[-1] for line in lines if "\t" in line]


def as_the_scorer_reads(text: str) -> dict[str, list[list[tuple[int, int]]]]:
    """Read chains as the reference scorer 8.01 does: in each cell single words, then what opens, then what closes.

    It wants tabs and numbers, and knows a document by all that stands behind `#begin document`.
    """
    found: dict[str, list[list[tuple[int, int]]]] = {}
    for name, body in re.findall(r"#begin document (.*)\n((?:.*\n)*?)#end document\n", text):
        chains: dict[str, list[tuple[int, int]]] = {}
        opened: dict[str, list[int]] = {}
        for row, line in enumerate(filter(None, body.split("\n"))):
            cell = line.split("\t")[-1]
            for number in re.findall(r"\((\d+)\)", cell):
                chains.setdefault(number, []).append((row, row))
            cell = re.sub(r"\(\d+\)", "", cell)
            for number in re.findall(r"\((\d+)", cell):
                opened.setdefault(number, []).append(row)
            cell = re.sub(r"\(\d+", "", cell)
            for number in re.findall(r"(\d+)\)", cell):
                chains.setdefault(number, []).append((opened[number].pop(), row))
            assert not re.sub(r"\d+\)", "", cell).strip("|-")
        assert not any(opened.values())
        found[name] = [*chains.values()]
    return found


def in_rows(documents: Iterable[Passage]) -> dict[str, list[list[tuple[int, int]]]]:
    """Return the chains of documents as first and last words, by what the scorer calls the documents."""
    found = {}
    for each in documents:
        first = {begin: row for row, (begin, _) in enumerate(each.words)}
        last = {end: row for row, (_, end) in enumerate(each.words)}
        name, _, part = each.name.partition("; part ")
        found[f"({name}); part {int(part or 0):03}"] = [
            sorted((first[begin], last[end]) for begin, end, _ in chain) for chain in chains(each)
        ]
    return found


def test_a_document_as_it_is_written(tmp_path: Path) -> None:
    passage = document(
        "Anna told Bo that she left .",
        mention(0, 4, chain="12"),
        mention(10, 12, chain="x"),
        mention(10, 21, chain="12"),
        mention(18, 21, chain="12"),
        mention(18, 26),
        name="a b; part 3",
        sentences=(0, 6),
    )
    passage = replace(passage, tags={"xpos": ("NNP", "VBD", "NNP", "IN", "PRP", "VBD", ".")})
    assert written("conll2012", [passage], tmp_path).read_text() == (
        "#begin document (a b); part 003\n"
        "a_b\t3\t0\tAnna\tNNP\t(12)\n"
        "a_b\t3\t1\ttold\tVBD\t-\n"
        "a_b\t3\t2\tBo\tNNP\t(1)|(12\n"
        "a_b\t3\t3\tthat\tIN\t-\n"
        "a_b\t3\t4\tshe\tPRP\t12)|(12)|(2\n"
        "a_b\t3\t5\tleft\tVBD\t2)\n"
        "\n"
        "a_b\t3\t0\t.\t.\t-\n"
        "\n"
        "#end document\n"
    )


@pytest.mark.parametrize("seed", seeds(8, of=25))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    documents = random_chains(random.Random(seed))
    found, losses = there_and_back("conll2012", documents, tmp_path)
    assert {*losses} <= {CROSSING, SENTENCES, KEPT}
    assert (content(found) == content(documents)) is (CROSSING not in losses)
    assert [each.name for each in found] == [each.name for each in documents]
    if not {CROSSING, KEPT} & {*losses}:
        assert [*map(kept_once, found)] == [*map(kept_once, documents)]


@pytest.mark.parametrize("seed", seeds(8, of=25))
def test_what_is_written_is_what_the_reference_scorer_reads(seed: int, tmp_path: Path) -> None:
    documents = random_chains(random.Random(seed), names=("7", "a", "b-c"))
    path = written("conll2012", documents, tmp_path)
    found = as_the_scorer_reads(path.read_text())
    read = there_and_back("conll2012", documents, tmp_path / "again")[0]
    assert {name: sorted(map(sorted, each)) for name, each in found.items()} == in_rows(read)


class TestBrackets:
    def test_of_one_chain_the_longer_opens_first(self, tmp_path: Path) -> None:
        passage = document("a b c", mention(0, 1, chain="1"), mention(0, 3, chain="1"), mention(0, 5, chain="1"))
        assert brackets(passage, tmp_path) == ["(1|(1|(1)", "1)", "1)"]

    def test_of_different_chains_the_first_of_the_input_opens_first(self, tmp_path: Path) -> None:
        """The chain that is met first keeps a mention that is there twice."""
        passage = document("a b c", mention(0, 3, chain="2"), mention(0, 5, chain="1"), mention(4, 5, chain="2"))
        assert brackets(passage, tmp_path) == ["(2|(1", "2)", "(2)|1)"]

    def test_the_innermost_closes_first(self, tmp_path: Path) -> None:
        passage = document("a b c", mention(0, 5, chain="1"), mention(2, 5, chain="2"), mention(4, 5, chain="3"))
        assert brackets(passage, tmp_path) == ["(1", "(2", "(3)|2)|1)"]

    def test_what_closes_stands_before_what_opens(self, tmp_path: Path) -> None:
        passage = document("a b c", mention(0, 3, chain="1"), mention(2, 5, chain="2"))
        assert brackets(passage, tmp_path) == ["(1", "1)|(2", "2)"]

    def test_a_mention_that_is_there_twice(self, tmp_path: Path) -> None:
        passage = document("a b", mention(0, 3, chain="1"), mention(0, 3, chain="1"), mention(0, 3, chain="2"))
        assert brackets(passage, tmp_path) == ["(1|(1|(2", "1)|1)|2)"]
        assert chains(there_and_back("conll2012", [passage], tmp_path)[0][0]) == chains(passage)


class TestNamesOfChains:
    def test_numbers_are_kept_and_others_get_free_ones(self, tmp_path: Path) -> None:
        names = ("0", "2", "e1", "02", None, "e1", "30000000000000000000000")
        mentions = [mention(2 * place, 2 * place + 1, chain=name) for place, name in enumerate(names)]
        passage = document("a b c d e f g", *mentions)
        assert brackets(passage, tmp_path) == ["(0)", "(2)", "(1)", "(3)", "(4)", "(1)", "(30000000000000000000000)"]

    def test_one_name_has_one_number_in_all_documents(self, tmp_path: Path) -> None:
        one, two = (document("a b", mention(0, 1, chain=name), mention(2, 3), name=name) for name in "xy")
        three = document("a", mention(0, 1, chain="x"), name="z")
        lines = written("conll2012", [one, two, three], tmp_path).read_text().splitlines()
        assert [line.split("\t")[-1] for line in lines if "\t" in line] == ["(1)", "(3)", "(2)", "(4)", "(1)"]


class TestDocuments:
    @pytest.mark.parametrize(
        ("name", "line"),
        [
            ("x", "(x); part 000"),
            ("nw/wsj_1; part 12", "(nw/wsj_1); part 012"),
            ("x; part 1000", "(x); part 1000"),
            ("x; part 0", "(x; part 0); part 000"),
            ("x; part 02", "(x; part 02); part 000"),
            ("x ; part 2", "(x ; part 2); part 000"),
            ("x; part 2; part 3", "(x; part 2); part 003"),
            ("(x)", "((x)); part 000"),
            ("#1", "(#1); part 000"),
        ],
    )
    def test_a_name_is_read_back(self, name: str, line: str, tmp_path: Path) -> None:
        passage = document("a", mention(0, 1, chain="1"), name=name)
        text = written("conll2012", [passage], tmp_path).read_text()
        assert text.startswith(f"#begin document {line}\n")
        assert there_and_back("conll2012", [passage], tmp_path)[0][0].name == name

    def test_one_without_words(self, tmp_path: Path) -> None:
        documents = [document("", name="first"), document("a", mention(0, 1, chain="1")), document("", name="last")]
        found, losses = there_and_back("conll2012", documents, tmp_path)
        assert (content(found), losses) == (content(documents), [])

    def test_words_that_look_like_something_else(self, tmp_path: Path) -> None:
        passage = document("# #end (7) - _ *", mention(0, 6, chain="1"))
        found, losses = there_and_back("conll2012", [passage], tmp_path)
        assert (content(found), losses) == (content([passage]), [])

    def test_tags_are_read_back(self, tmp_path: Path) -> None:
        passage = replace(document("a b", mention(0, 1, chain="1")), tags={"xpos": ("NN", "-LRB-")})
        (found,), _ = there_and_back("conll2012", [passage], tmp_path)
        assert found.tags == {"xpos": ("NN", "-LRB-")}

    def test_sentences_are_read_back(self, tmp_path: Path) -> None:
        corpus = read_chains(written("conll2012", [document("a b c", sentences=(0, 2))], tmp_path), "conll2012")
        assert corpus.sentences.tolist() == [0, 2, 3]


class TestLosses:
    def test_crossing_mentions_of_one_chain(self, tmp_path: Path) -> None:
        passage = document("a b c d", mention(0, 5, chain="1"), mention(2, 7, chain="1"), mention(6, 7, chain="1"))
        assert losses_of("conll2012", [passage], tmp_path) == [CROSSING]
        assert brackets(passage, tmp_path) == ["(1", "(2", "1)", "(1)|2)"]

    def test_mentions_of_one_chain_that_share_a_word(self, tmp_path: Path) -> None:
        """The reference scorer opens before it closes, and would close what was opened at the shared word."""
        passage = document("a b c", mention(0, 3, chain="1"), mention(2, 5, chain="1"))
        assert losses_of("conll2012", [passage], tmp_path) == [CROSSING]

    def test_discontinuous_mentions(self, tmp_path: Path) -> None:
        passage = document("a b c", mention(0, 1, 4, 5, chain="1"), mention(2, 3, chain="1"))
        assert losses_of("conll2012", [passage], tmp_path) == [GAPS]
        assert brackets(passage, tmp_path) == ["(1", "(1)", "1)"]

    def test_mentions_of_no_words(self, tmp_path: Path) -> None:
        passage = document("a b", mention(2, 2, chain="1", zero=1), mention(0, 1, chain="1"))
        assert losses_of("conll2012", [passage], tmp_path) == ["mentions without words, such as zeros"]
        assert brackets(passage, tmp_path) == ["(1)", "-"]

    def test_ends_of_sentences_inside_mentions(self, tmp_path: Path) -> None:
        passage = document("a b c", mention(0, 3, chain="1"), sentences=(0, 1, 2))
        assert losses_of("conll2012", [passage], tmp_path) == [SENTENCES]
        corpus = read_chains(written("conll2012", [passage], tmp_path), "conll2012")
        assert corpus.sentences.tolist() == [0, 2, 3]

    def test_what_else_is_known(self, tmp_path: Path) -> None:
        linked = Mention(((0, 1),), "person", ("Q1",), {"chain": "1", "head": 1, "sure": True})
        passage = replace(document("a b", linked), text="a  b", words=((0, 1), (3, 4)), attributes={"genre": "news"})
        assert losses_of("conll2012", [passage], tmp_path) == [
            "labels of spans",
            "ids of spans",
            "'head' of spans",
            "'sure' of spans",
            "white space of the text: words are lines",
            "the attribute 'genre' of documents",
        ]

    def test_another_chain_would_keep_a_mention_of_two(self, tmp_path: Path) -> None:
        passage = document("a b", mention(2, 3, chain="1"), mention(0, 1, chain="2"), mention(2, 3, chain="2"))
        assert losses_of("conll2012", [passage], tmp_path) == [KEPT]
        in_order = replace(passage, mentions=passage.mentions[1:])
        assert losses_of("conll2012", [in_order], tmp_path) == []


class TestRefused:
    def test_a_mention_inside_a_word(self, tmp_path: Path) -> None:
        with pytest.raises(
            WriteError, match="does not begin and end at word boundaries: it overlaps the words 'Annas'"
        ):
            written("conll2012", [document("Annas Hut", mention(0, 4, chain="1"))], tmp_path)

    def test_a_name_of_two_lines(self, tmp_path: Path) -> None:
        with pytest.raises(WriteError, match="cannot be written in CoNLL-2012"):
            written("conll2012", [document("a", name="x\ny")], tmp_path)

    def test_a_word_with_a_tab(self, tmp_path: Path) -> None:
        with pytest.raises(WriteError, match="cannot be written in a column"):
            written(
                "conll2012",
                [Passage(name="d", text="a\tb", words=((0, 3),), sentences=(0,), mentions=(), chained=True)],
                tmp_path,
            )

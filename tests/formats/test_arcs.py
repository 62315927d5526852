from __future__ import annotations

import pytest

from comparanda.core.corpus import ROOT, Corpus
from comparanda.core.places import Source
from comparanda.formats import numbered_words
from comparanda.formats.conllu import read
from comparanda.formats.contract import Request
from tests.formats.corpora import heads, notes, refusal, values


def word(number: object, head: object, deps: str = "_") -> str:
    return f"{number}\tw\tw\tN\t_\t_\t{head}\tdep\t{deps}\t_\n"


def sentence(heads: str) -> str:
    """A word for each head."""
    return "".join(word(number, head) for number, head in enumerate(heads.split(), start=1)) + "\n"


def trees(text: str, extra: tuple[str, ...] = ()) -> Corpus:
    return read(Source.of_text("f", text.encode()), Request(side="key", value="deprel", extra=extra, layer="arcs"))


def edges(corpus: Corpus) -> list[tuple[int, int, str]]:
    """Word, head and relation of each edge."""
    assert corpus.arcs is not None
    assert corpus.arcs.edges is not None
    found = corpus.arcs.edges
    labels = [found.label[number] for number in range(len(found.row))]
    return list(zip(found.row.tolist(), found.head.tolist(), labels, strict=True))


class TestHeads:
    def test_heads_are_rows(self) -> None:
        corpus = trees(sentence("2 0 2") + sentence("0 1"))
        assert heads(corpus) == [1, ROOT, 1, ROOT, 3]
        assert corpus.notes == ()

    def test_ranges_and_empty_nodes_do_not_shift_them(self) -> None:
        text = word("0.1", "_") + word("1-2", "_") + word(1, 2) + word("1.1", "_") + word(2, 0) + word(3, 1)
        assert heads(trees(text)) == [1, ROOT, 0]

    def test_the_column_of_heads_goes_unless_it_is_asked_for(self) -> None:
        assert list(trees(sentence("0 1")).columns) == ["value"]
        assert values(trees(sentence("0 1"), ("head", "deps")), "head") == ["0", "1"]

    def test_without_trees_heads_are_values_like_others(self) -> None:
        corpus = read(Source.of_text("f", sentence("0 x").encode()), Request(side="key", value="head"))
        assert (values(corpus), corpus.arcs) == (["0", "x"], None)

    @pytest.mark.parametrize("head", ["_", ""])
    def test_a_file_of_tags(self, head: str) -> None:
        assert refusal(trees, word(1, head) + word(2, head)) == (
            "f: the column of heads contains only '_': the file has tags, but no trees\n"
            "  compare its tags with --task tag"
        )

    @pytest.mark.parametrize("head", ["_", "", "x", "-1", "+1", "1.0", "²", "1" * 10])
    def test_no_number(self, head: str) -> None:
        text = sentence("0") + "# text = a\n" + word(1, 0) + word(2, head)
        assert (
            refusal(trees, text)
            == f"f:5: expected a head as a number from 0, got {head!r}\n  the sentence begins at f:4"
        )

    def test_out_of_range(self) -> None:
        assert refusal(trees, sentence("0") + sentence("0 4 9")) == (
            "f:4: the head is 4, but the sentence has 3 words\n  the sentence begins at f:3 and ends at f:5"
        )
        assert refusal(trees, sentence("2") + sentence("0 1")) == (
            "f:1: the head is 2, but the sentence has 1 word\n  the sentence begins at f:1 and ends at f:1"
        )

    @pytest.mark.parametrize("rows", [1, 2, 3, 5])
    def test_pieces_change_nothing(self, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
        text = sentence("2 0 2") + sentence("2 1") + sentence("0") + sentence("3 0 2 1") + sentence("0 0 1") * 2
        whole = trees(text)
        assert len(whole.notes) == 4
        monkeypatch.setattr(numbered_words, "_PIECE_ROWS", rows)
        cut = trees(text)
        assert (heads(cut), cut.notes) == (heads(whole), whole.notes)
        message = refusal(trees, sentence("0") * 3 + sentence("0 4"))
        assert message.startswith("f:8: the head is 4, but the sentence has 2 words")

    def test_a_chain_of_a_hundred_thousand(self) -> None:
        corpus = trees(sentence(" ".join(map(str, range(100_000)))))
        assert heads(corpus) == [ROOT, *range(99_999)]
        assert corpus.notes == ()


class TestNotes:
    def test_a_tree_gives_none(self) -> None:
        assert notes(trees(sentence("2 0 2") + sentence("0"))) == []

    def test_several_roots_are_noted_at_the_second(self) -> None:
        assert notes(trees(sentence("0 1") + sentence("0 0 0"))) == ["key: sentences with several roots: 1 (f:5)"]

    def test_no_root_is_noted_at_the_first_word_and_is_a_cycle(self) -> None:
        assert notes(trees(sentence("0 1") + sentence("2 1"))) == [
            "key: sentences without a root: 1 (f:4)",
            "key: sentences with a cycle: 1 (f:4)",
        ]

    def test_a_cycle_is_noted_at_its_first_word(self) -> None:
        assert notes(trees(sentence("0 3 2"))) == ["key: sentences with a cycle: 1 (f:2)"]

    def test_arcs_that_are_not_projective_are_each_noted(self) -> None:
        assert notes(trees(sentence("3 4 5 5 0"))) == ["key: non-projective arcs: 2 (f:1, f:2)"]

    def test_three_places_are_named(self) -> None:
        assert notes(trees(sentence("0 0") * 4)) == ["key: sentences with several roots: 4 (f:2, f:5, f:8, …)"]


class TestEdges:
    def test_a_word_may_hang_on_several(self) -> None:
        text = word(1, 2, "2:nsubj|3:nsubj:xsubj") + word(2, 0, "0:root") + word(3, 2) + "\n" + word(1, 0, "0:root>obj")
        assert edges(trees(text)) == [
            (0, 1, "nsubj"),
            (0, 2, "nsubj:xsubj"),
            (1, ROOT, "root"),
            (3, ROOT, "root>obj"),
        ]

    def test_a_column_that_says_nothing(self) -> None:
        arcs = trees(sentence("0 1")).arcs
        assert arcs is not None
        assert arcs.edges is None

    def test_edges_from_empty_nodes_are_left_out_and_noted(self) -> None:
        text = word(1, 0, "0:root") + word("1.1", "_", "1:conj") + word(2, 1, "1:obj|1.1:obj")
        corpus = trees(text)
        assert edges(corpus) == [(0, ROOT, "root"), (1, 0, "obj")]
        assert notes(corpus) == ["key: enhanced edges from empty nodes, left out: 1 (f:3)"]

    @pytest.mark.parametrize("deps", ["x", "1", "1:", ":obj", "1|2", "0:root|", "-1:obj", "1.x:obj", "1.1"])
    def test_not_written_as_edges(self, deps: str) -> None:
        found = refusal(trees, sentence("0") + word(1, 0, "0:root") + word(2, 1, deps)).split("\n")
        assert found[:2] == [
            f"f:4: expected enhanced edges as head:relation|head:relation, got {deps!r}",
            "  the sentence begins at f:3",
        ]

    def test_a_number_alone_may_be_a_phead(self) -> None:
        assert refusal(trees, word(1, 0, "0") + word(2, 1, "1")) == (
            "f:1: expected enhanced edges as head:relation|head:relation, got '0'\n"
            "  the sentence begins at f:1\n"
            "  if this is a PHEAD, read the file as CoNLL-X: FILE::conllx"
        )

    def test_a_head_out_of_range(self) -> None:
        assert refusal(trees, sentence("0") + word(1, 0, "0:root|3:obj") + word(2, 1)) == (
            "f:3: the head of an enhanced edge is 3, but the sentence has 2 words\n"
            "  the sentence begins at f:3 and ends at f:4"
        )

    def test_the_column_goes_unless_it_is_asked_for(self) -> None:
        text = word(1, 0, "0:root")
        assert list(trees(text).columns) == ["value"]
        assert values(trees(text, ("deps",)), "deps") == ["0:root"]

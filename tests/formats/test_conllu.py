from __future__ import annotations

from pathlib import Path
from typing import Any

import conllu as peer
import pytest

from comparanda.core.corpus import Corpus
from comparanda.core.places import Source
from comparanda.core.text_columns import Slices
from comparanda.formats import scanner
from comparanda.formats.conllu import FORMAT, read, sniff
from comparanda.formats.contract import Request
from comparanda.formats.files import load
from comparanda.formats.numbered_words import sorted_features
from tests.formats.corpora import documents, lines, notes, refusal, values, words
from tests.seeds import first_few
from tests.shared_data import shared

REAL = [
    "data/ud/en_ewt/gold/en_ewt-ud-test.conllu",
    "data/ud/en_ewt/systems/aptagger.conllu",
    "data/ud/en_ewt/systems/wink-nlp.rawtext.conllu",
    "data/ud/conll2018/gold/en_gum.conllu",
    "data/ud/conll2018/systems/Stanford-18/en_gum.conllu",
    "data/ud/conll2018/systems/UDPipe-Future/en_gum.conllu",
    "data/coref/gum/gold/conllu/GUM_bio_dvorak.conllu",
]


def word(number: object, *, form: str = "w", upos: str = "N", xpos: str = "_", feats: str = "_") -> str:
    return f"{number}\t{form}\t{form}\t{upos}\t{xpos}\t{feats}\t0\troot\t_\t_\n"


def corpus_of(text: str, value: str | None = None, extra: tuple[str, ...] = (), **options: str) -> Corpus:
    return read(
        Source.of_text("f.conllu", text.encode()), Request(side="key", value=value, extra=extra, options=options)
    )


def refused(text: str, code: int = 3, **given: Any) -> str:
    return refusal(corpus_of, text, code=code, **given)


def sizes(corpus: Corpus) -> list[int]:
    return [int(end - begin) for begin, end in zip(corpus.sentences, corpus.sentences[1:], strict=False)]


TWO = (
    word(1, form="Der", upos="DET")
    + word(2, form="Hund", upos="NOUN")
    + "\n"
    + word(1, form="bellt", upos="VERB")
    + "\n"
)


class TestWords:
    def test_words_values_and_sentences(self) -> None:
        corpus = corpus_of(TWO)
        assert words(corpus) == ["Der", "Hund", "bellt"]
        assert values(corpus) == ["DET", "NOUN", "VERB"]
        assert sizes(corpus) == [2, 1]
        assert lines(corpus) == [1, 2, 4]
        assert (corpus.name, corpus.format, corpus.by_id, corpus.notes) == ("key", "conllu", False, ())

    def test_comments_are_no_words_even_with_tabs(self) -> None:
        text = "# text = a\tb\n#\n#x\n" + word(1) + "# in between\n" + word(2) + "\n# at the end\n"
        assert lines(corpus_of(text)) == [4, 6]

    def test_a_word_may_be_a_number_sign(self) -> None:
        assert words(corpus_of(word(1, form="#") + word(2, form="#x"))) == ["#", "#x"]

    def test_ranges_and_empty_nodes_are_passed_over(self) -> None:
        text = (
            word("1-2", form="zum")
            + word(1, form="zu")
            + word(2, form="dem")
            + word("2.1", form="x")
            + word("2.10", form="y")
            + word(3, form="Hof")
        )
        assert words(corpus_of(text)) == ["zu", "dem", "Hof"]

    def test_an_empty_node_may_stand_first(self) -> None:
        assert words(corpus_of(word("0.1", form="x") + word(1, form="a"))) == ["a"]

    def test_a_sentence_of_empty_nodes_alone_vanishes(self) -> None:
        assert sizes(corpus_of(word("0.1") + "\n" + word(1) + "\n")) == [1]

    def test_blank_lines_around_and_between_sentences_do_no_harm(self) -> None:
        corpus = corpus_of("\n\n" + word(1) + "\n\n\n" + word(1) + word(2))
        assert sizes(corpus) == [1, 2]

    def test_lines_of_white_space_are_blank_and_noted(self) -> None:
        corpus = corpus_of(word(1) + " \t\n" + word(1) + "\t\t\t\t\t\t\t\t\t\n" + word(1))
        assert sizes(corpus) == [1, 1, 1]
        assert lines(corpus) == [1, 3, 5]
        assert notes(corpus) == ["key: lines of only white space read as blank: 2"]

    @pytest.mark.parametrize("end", ["", "\n", "\r\n\r\n"])
    def test_the_end_of_the_file_ends_the_sentence(self, end: str, tmp_path: Path) -> None:
        file = tmp_path / "a.conllu"
        file.write_bytes((TWO.rstrip("\n") + end).encode())
        corpus = read(load(str(file), side="key"), Request(side="key"))
        assert sizes(corpus) == [2, 1]

    def test_crlf(self, tmp_path: Path) -> None:
        file = tmp_path / "a.conllu"
        file.write_bytes(TWO.replace("\n", "\r\n").encode())
        corpus = read(load(str(file), side="key"), Request(side="key"))
        assert (words(corpus), values(corpus), lines(corpus)) == (
            ["Der", "Hund", "bellt"],
            ["DET", "NOUN", "VERB"],
            [1, 2, 4],
        )

    def test_words_keep_their_spaces_and_long_sentences_their_ids(self) -> None:
        corpus = corpus_of("".join(word(number + 1, form=f"a {number}") for number in range(2000)))
        assert words(corpus)[1999] == "a 1999"


class TestColumns:
    TEXT = word(1, form="a", upos="NOUN", xpos="NN") + word(2, form="b", upos="VERB", xpos="VVFIN")

    @pytest.mark.parametrize("given", ["xpos", "XPOS", "5"])
    def test_by_name_and_number(self, given: str) -> None:
        assert values(corpus_of(self.TEXT, column=given)) == ["NN", "VVFIN"]
        assert values(corpus_of(self.TEXT, given)) == ["NN", "VVFIN"]

    def test_the_option_wins_over_the_task(self) -> None:
        assert values(corpus_of(self.TEXT, "xpos", column="form")) == ["a", "b"]

    def test_extra_columns(self) -> None:
        corpus = corpus_of(self.TEXT, extra=("xpos", "upos", "genre"))
        assert list(corpus.columns) == ["value", "xpos", "upos"]
        assert values(corpus, "xpos") == ["NN", "VVFIN"]
        assert values(corpus, "upos") == values(corpus)

    @pytest.mark.parametrize(("given", "guess"), [("uops", " (did you mean 'upos'?)"), ("0", ""), ("11", "")])
    def test_an_unknown_column(self, given: str, guess: str) -> None:
        names = "id, form, lemma, upos, xpos, feats, head, deprel, deps, misc"
        assert (
            refused(self.TEXT, code=2, column=given)
            == f"CoNLL-U has no column {given!r}{guess}\n  columns: {names}, or 1–10"
        )

    def test_a_column_that_holds_nothing(self) -> None:
        assert refused(self.TEXT, column="feats").startswith(
            "f.conllu: the column 'feats' contains only '_'\n"
            "  columns with values: lemma, upos, xpos, head, deprel; choose one"
        )

    def test_a_column_that_holds_something(self) -> None:
        assert values(corpus_of(word(1) + word(2, xpos="NN"), "xpos")) == ["_", "NN"]


class TestValues:
    def test_features_are_sorted_and_noted(self) -> None:
        text = word(1, feats="Number=Sing|Case=Nom") + word(2, feats="Case=Nom|Number=Sing") + word(3)
        corpus = corpus_of(text, "feats")
        assert values(corpus) == ["Case=Nom|Number=Sing", "Case=Nom|Number=Sing", "_"]
        assert corpus.columns["value"].names == ("Case=Nom|Number=Sing", "_")
        assert notes(corpus) == [
            "key: labels whose features are not in alphabetical order, sorted: 1 (f.conllu:1)",
        ]

    def test_features_are_sorted_without_regard_to_case(self) -> None:
        assert sorted_features("b=1|A=2|a=1|Aspect[x]=3|Abc") == "A=2|a=1|Abc|Aspect[x]=3|b=1"

    def test_labels_are_normalised_and_noted(self) -> None:
        text = word(1, upos="é") + word(2, upos="e\u0301") + word(3, upos="a\u00a0b") + word(4, upos=" a b")
        corpus = corpus_of(text, extra=("form",))
        assert values(corpus) == ["é", "é", "a b", "a b"]
        assert notes(corpus) == [
            "key: labels not in Unicode's normal form NFC, normalised: 1 (f.conllu:2)",
            "key: labels with spaces around them or no-break spaces inside, cleaned: 2 (f.conllu:3, f.conllu:4)",
        ]

    def test_words_are_left_as_they_are(self) -> None:
        assert words(corpus_of(word(1, form="e\u0301\u00a0"))) == ["e\u0301\u00a0"]


class TestRefusals:
    def test_too_few_columns(self) -> None:
        assert refused(word(1) + "2\tw\tw\tN\n") == (
            "f.conllu:2: expected 10 columns for CoNLL-U, got 4\n  columns are separated by one tab"
        )

    def test_one_column(self) -> None:
        assert refused("word\n").startswith("f.conllu:1: expected 10 columns for CoNLL-U, got 1")

    def test_too_many_columns(self) -> None:
        assert refused(word(1)[:-1] + "\t_ _\n").startswith(
            "f.conllu:1: expected 10 columns for CoNLL-U, got 11\n  columns are sep"
        )

    def test_spaces_between_columns(self) -> None:
        assert refused(word(1).replace("\t", " ")) == (
            "f.conllu:1: expected 10 columns for CoNLL-U, got 1\n"
            "  the columns of this line are separated by spaces; CoNLL-U requires tabs"
        )

    def test_a_gap(self) -> None:
        assert refused(TWO + word(1) + word(3)) == (
            "f.conllu:7: expected id 2, got 3\n"
            "  the id 1 is at f.conllu:6\n"
            "  ids count 1, 2, 3 … in each sentence; sentences are separated by an empty line"
        )

    def test_a_sentence_that_begins_in_the_middle(self) -> None:
        assert refused(TWO + word(2)) == (
            "f.conllu:6: expected id 1, got 2\n"
            "  ids count 1, 2, 3 … in each sentence; sentences are separated by an empty line"
        )

    def test_a_gap_behind_a_range_and_a_comment(self) -> None:
        text = word(1) + word("2-3") + "# comment\n" + word(3)
        assert refused(text).startswith("f.conllu:4: expected id 2, got 3\n")

    @pytest.mark.parametrize("ids", [(0,), (2,), (1, 1), (1, 3), (1, "02")])
    def test_numbers_out_of_order(self, ids: tuple[object, ...]) -> None:
        expected = f"f.conllu:{len(ids)}: expected id {len(ids)}, got {ids[-1]}\n"
        assert refused("".join(map(word, ids))).startswith(expected)

    @pytest.mark.parametrize("bad", ["x", "", "-", ".", "1-", "-1", "a-b", "1.x", "1-2-3", "1 ", "²", "１"])
    def test_ids_that_are_none(self, bad: str) -> None:
        assert refused(word(1) + word(bad) + word(2)) == (
            f"f.conllu:2: the id {bad!r} is not a number, range (3-4) or empty node (8.1)"
        )

    def test_a_missing_blank_line(self) -> None:
        assert refused(word(1) + word(2) + word(1)).startswith("f.conllu:3: expected id 3, got 1\n")

    def test_the_first_problem_is_named_whatever_it_is(self) -> None:
        assert refused(word(1) + word(3) + "x\n").startswith("f.conllu:2: expected id 2, got 3")
        assert refused(word(1) + "x\n" + word(3)).startswith("f.conllu:2: expected 10 columns for CoNLL-U, got 1\n")
        assert refused(word(1) + word("a-b") + word(3)).startswith("f.conllu:2: the id 'a-b'")

    def test_a_problem_behind_lines_of_white_space_keeps_its_line(self) -> None:
        assert refused(word(1) + "  \n\t\n" + "x\n").startswith("f.conllu:4: expected 10 columns for CoNLL-U, got 1\n")

    def test_comments_alone(self) -> None:
        assert refused("# a\n\n# b\n") == "f.conllu: there are no words in this file"


def covered(corpus: Corpus) -> list[tuple[str, list[str]]]:
    """The form of each range, and the words under it."""
    ranges, found = corpus.ranges, words(corpus)
    assert ranges is not None
    forms = Slices(corpus.source.buffer, ranges.start, ranges.length)
    bounds = zip(ranges.begin.tolist(), ranges.end.tolist(), strict=True)
    return [(forms[number], found[begin:end]) for number, (begin, end) in enumerate(bounds)]


def sentence(*ids: object) -> str:
    """Words called as their ids."""
    return "".join(word(number, form=str(number)) for number in ids) + "\n"


class TestRanges:
    def test_a_range_covers_its_words(self) -> None:
        text = sentence(1, "2-3", 2, 3, "4-4", 4) + sentence("1-2", 1, 2, 3)
        assert covered(corpus_of(text)) == [("2-3", ["2", "3"]), ("4-4", ["4"]), ("1-2", ["1", "2"])]

    def test_empty_nodes_and_comments_may_stand_around_and_inside(self) -> None:
        text = (
            word("1-2", form="zum")
            + word("0.1", form="x")
            + "# a\n"
            + word(1, form="zu")
            + word("1.1", form="y")
            + word(2, form="dem")
        )
        assert covered(corpus_of(text)) == [("zum", ["zu", "dem"])]

    @pytest.mark.parametrize("ids", [(1, 2), (1, "1.1", 2)])
    def test_there_may_be_none(self, ids: tuple[object, ...]) -> None:
        assert corpus_of(sentence(*ids)).ranges is None

    @pytest.mark.parametrize("size", [1, 60, 1 << 20])
    def test_rows_are_counted_over_blocks(self, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(scanner, "BLOCK", size)
        ranges = corpus_of(sentence("1-2", 1, 2) + sentence(1) + sentence(1, "2-3", 2, 3)).ranges
        assert ranges is not None
        assert (ranges.begin.tolist(), ranges.end.tolist()) == ([0, 4], [2, 6])

    @pytest.mark.parametrize(
        ("ids", "expected"),
        [
            ((1, "1-2", 2), "f.conllu:2: the range 1-2 is before word 2\n  the id 1 is at f.conllu:1\n"),
            (("2-3", 1, 2, 3), "f.conllu:1: the range 2-3 is before word 1\n"),
            (("0-1", 1), "f.conllu:1: the range 0-1 is before word 1\n"),
            ((1, "2-1", 2), "f.conllu:2: the range 2-1 ends before it begins\n  the id 1 is at f.conllu:1\n"),
            (
                (1, "2-4", 2, "3-4", 3, 4),
                "f.conllu:4: the range 3-4 begins inside another, which ends at word 4\n"
                "  the other range is at f.conllu:2\n",
            ),
            (
                ("1-2", "1-2", 1, 2),
                "f.conllu:2: the range 1-2 begins inside another, which ends at word 2\n"
                "  the other range is at f.conllu:1\n",
            ),
        ],
    )
    def test_out_of_place(self, ids: tuple[object, ...], expected: str) -> None:
        hint = "  put a range before its first word; it names its first and last word: 3-4"
        assert refused(sentence(*ids)) == expected + hint

    @pytest.mark.parametrize(
        ("ids", "expected"),
        [
            (
                (1, "2-4", 2, 3, "3.1"),
                "f.conllu:2: the range ends at word 4, but the sentence has 3 words\n  the last word is at f.conllu:4",
            ),
            (
                (1, "2-3"),
                "f.conllu:2: the range ends at word 3, but the sentence has 1 word\n  the last word is at f.conllu:1",
            ),
            (("1-2",), "f.conllu:1: the range ends at word 2, but the sentence has no words"),
        ],
    )
    def test_past_the_end_of_the_sentence(self, ids: tuple[object, ...], expected: str) -> None:
        assert refused(sentence(*ids)) == expected
        assert refused(sentence(*ids) + TWO) == expected


class TestDocuments:
    def test_newdoc_with_and_without_id(self) -> None:
        text = f"# newdoc id = one\n{TWO}# newdoc\n{TWO}#newdoc\n{TWO}# newdoc id =\n{TWO}#newdoc id=five\n{TWO}"
        corpus = corpus_of(text)
        assert corpus.documents.names == ("one", "document 2", "document 3", "document 4", "five")
        assert corpus.documents.offsets.tolist() == [0, 2, 4, 6, 8, 10]
        assert corpus.documents.marked

    def test_without_marks_the_file_is_one_document(self) -> None:
        corpus = corpus_of(TWO)
        assert (corpus.documents.names, corpus.documents.offsets.tolist()) == (("f",), [0, 2])
        assert not corpus.documents.marked

    def test_meta_says_something_of_documents(self) -> None:
        text = f"# newdoc id = a\n# meta::genre = news\n{TWO}# newdoc id = b\n#meta::year=1999\n{TWO}"
        attributes = corpus_of(text).documents.attributes
        assert [attributes["genre"][number] for number in (0, 1)] == ["news", ""]
        assert [attributes["year"][number] for number in (0, 1)] == ["", "1999"]
        assert attributes["genre"].codes[1] == attributes["genre"].missing


class TestSniff:
    def test_conllu(self) -> None:
        assert sniff(["# comment", *TWO.split("\n")])

    @pytest.mark.parametrize("deps", ["_", "0:root", "1.1:obj"])
    def test_edges_or_none(self, deps: str) -> None:
        assert sniff([word(1).replace("root\t_", f"root\t{deps}").rstrip("\n")])

    def test_a_number_among_the_edges_is_that_of_conllx(self) -> None:
        line = word(1).replace("root\t_", "root\t0").rstrip("\n")
        assert not sniff([line])
        assert sniff(["# a comment, as CoNLL-X has none", line])
        assert sniff([word("1-1").rstrip("\n"), line])

    @pytest.mark.parametrize("given", ["", "# only a comment", "a\tb", "x" + "\t_" * 9, word(1).replace("\t", " ")])
    def test_anything_else(self, given: str) -> None:
        assert not sniff([given])

    def test_the_format_knows_its_option(self) -> None:
        assert list(FORMAT.options) == ["column", "entities", "fields", "label", "broken", "scheme", "repair"]


@pytest.mark.parametrize("path", first_few(1, REAL))
def test_real_files_are_read_as_by_the_conllu_package(path: str) -> None:
    file = shared(path)
    corpus = read(load(str(file), side="key"), Request(side="key", value="form", extra=("upos", "xpos")))
    sentences = peer.parse(file.read_text("utf-8"), fields=peer.parser.DEFAULT_FIELDS)
    tokens = [[token for token in sentence if isinstance(token["id"], int)] for sentence in sentences]
    tokens = [sentence for sentence in tokens if sentence]
    assert words(corpus) == [token["form"] for sentence in tokens for token in sentence]
    assert values(corpus, "upos") == [token["upos"] or "_" for sentence in tokens for token in sentence]
    assert values(corpus, "xpos") == [token["xpos"] or "_" for sentence in tokens for token in sentence]
    assert sizes(corpus) == [len(sentence) for sentence in tokens]
    assert corpus.notes == ()
    starts = [
        sentence.metadata.get("newdoc id") or sentence.metadata.get("newdoc_id")
        for sentence in sentences
        if any("newdoc" in key for key in sentence.metadata)
    ]
    if starts:
        assert list(corpus.documents.names) == starts
        assert sum(map(len, documents(corpus).values())) == len(corpus)
    else:
        assert not corpus.documents.marked

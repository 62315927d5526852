from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from comparanda.core.corpus import Corpus
from comparanda.core.places import Source
from comparanda.errors import ReadError
from comparanda.formats import scanner
from comparanda.formats.columns import FORMAT, document_name, read, sniff
from comparanda.formats.contract import Request
from comparanda.formats.files import load
from comparanda.formats.inputs import Input, read_input
from tests.formats.corpora import documents, lines, notes, refusal, values, words
from tests.seeds import first_few
from tests.shared_data import shared

WNUT = "data/ner/wnut17"
WNUT_SYSTEMS = ["arcada", "drexel_cci", "flytxt", "mic-cis.txt", "sjtu_adapt.txt", "spinningbytes.txt", "uh_ritual"]

CONLL2003 = """\
-DOCSTART- -X- -X- O

EU NNP B-NP B-ORG
rejects VBZ B-VP O

Peter NNP B-NP B-PER
"""


def corpus_of(text: str, value: str | None = None, extra: tuple[str, ...] = (), **options: str) -> Corpus:
    FORMAT.check_options(options)
    return read(
        Source.of_text("f.conll", text.encode()), Request(side="key", value=value, extra=extra, options=options)
    )


def refused(text: str, code: int = 3, **given: Any) -> str:
    return refusal(corpus_of, text, code=code, **given)


def sizes(corpus: Corpus) -> list[int]:
    return [int(end - begin) for begin, end in zip(corpus.sentences, corpus.sentences[1:], strict=False)]


@pytest.fixture(params=[1, 12, 1 << 20], autouse=True)
def _block_size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanner, "BLOCK", request.param)


class TestTokens:
    @pytest.mark.parametrize("separator", [" ", "\t"])
    def test_words_values_sentences_documents(self, separator: str) -> None:
        corpus = corpus_of(CONLL2003.replace(" ", separator))
        assert words(corpus) == ["EU", "rejects", "Peter"]
        assert values(corpus) == ["B-ORG", "O", "B-PER"]
        assert sizes(corpus) == [2, 1]
        assert lines(corpus) == [3, 4, 6]
        assert (corpus.documents.names, corpus.documents.marked) == (("document 1",), True)
        assert (corpus.name, corpus.format, corpus.by_id, corpus.notes) == ("key", "columns", False, ())

    def test_one_column_is_tags_without_words(self) -> None:
        corpus = corpus_of("O\nB-PER\n\nO\n")
        assert corpus.words is None
        assert (values(corpus), sizes(corpus), lines(corpus)) == (["O", "B-PER", "O"], [2, 1], [1, 2, 4])

    def test_two_columns(self) -> None:
        assert words(corpus_of("a O\nb O\n")) == ["a", "b"]

    def test_blank_lines_around_and_between_sentences_do_no_harm(self) -> None:
        assert sizes(corpus_of("\n\na O\n\n\n\nb O\nc O\n\n\n")) == [1, 2]

    @pytest.mark.parametrize("end", ["", "\n", "\r\n\r\n"])
    def test_the_end_of_the_file_ends_the_sentence(self, end: str, tmp_path: Path) -> None:
        file = tmp_path / "a.conll"
        file.write_bytes(("a O\n\nb O" + end).encode())
        assert sizes(read(load(str(file), side="key"), Request(side="key"))) == [1, 1]

    def test_crlf(self, tmp_path: Path) -> None:
        file = tmp_path / "a.conll"
        file.write_bytes(b"a\tO\r\n\t\r\nb\tB-X\r\n")
        corpus = read(load(str(file), side="key"), Request(side="key"))
        assert (values(corpus), sizes(corpus), lines(corpus)) == (["O", "B-X"], [1, 1], [1, 3])

    def test_labels_are_normalised_and_noted(self) -> None:
        corpus = corpus_of("a\té\nb\te\u0301\nc\té \n")
        assert corpus.columns["value"].names == ("é",)
        assert notes(corpus) == [
            "key: labels not in Unicode's normal form NFC, normalised: 1 (f.conll:2)",
            "key: labels with spaces around them or no-break spaces inside, cleaned: 1 (f.conll:3)",
        ]


class TestChoiceOfColumns:
    TEXT = "EU NNP B-NP B-ORG O\nsays VBZ B-VP O O\n"

    @pytest.mark.parametrize(
        ("number", "expected"), [("2", "NNP"), ("4", "B-ORG"), ("5", "O"), ("-1", "O"), ("-2", "B-ORG"), ("-4", "NNP")]
    )
    def test_by_number(self, number: str, expected: str) -> None:
        assert values(corpus_of(self.TEXT, column=number))[0] == expected
        assert values(corpus_of(self.TEXT, number))[0] == expected

    def test_key_and_prediction_in_one_file(self) -> None:
        key, system = corpus_of(self.TEXT, column="4"), corpus_of(self.TEXT, column="5")
        assert (values(key), values(system)) == (["B-ORG", "O"], ["O", "O"])
        assert words(key) == words(system)

    @pytest.mark.parametrize("value", [None, "upos", "tag", "ner"])
    def test_the_last_one_by_default(self, value: str | None) -> None:
        assert values(corpus_of("a X N\n", value)) == ["N"]

    def test_by_name_once_there_are_names(self) -> None:
        names = "word,pos,chunk,ner,system"
        corpus = corpus_of(self.TEXT, "ner", ("pos", "system", "genre"), columns=names)
        assert values(corpus) == ["B-ORG", "O"]
        assert values(corpus, "pos") == ["NNP", "VBZ"]
        assert list(corpus.columns) == ["value", "pos", "system"]
        assert values(corpus_of(self.TEXT, columns=names, column="chunk")) == ["B-NP", "B-VP"]
        assert values(corpus_of(self.TEXT, columns=names)) == ["O", "O"]

    def test_the_word_column(self) -> None:
        assert words(corpus_of("1 Hund N\n", word="2")) == ["Hund"]
        assert words(corpus_of("N Hund\n", word="-1", column="1")) == ["Hund"]
        assert words(corpus_of("1 Hund N\n", columns="id,form,tag", word="form")) == ["Hund"]
        assert corpus_of("1 Hund N\n", word="none").words is None

    def test_words_themselves_can_be_judged(self) -> None:
        corpus = corpus_of("a X\n", column="1", word="1")
        assert (words(corpus), values(corpus)) == (["a"], ["a"])

    def test_a_value_column_where_the_words_should_be(self) -> None:
        assert refused("N Hund\n", code=2, column="1") == (
            "column 1 holds the words\n  name the column of words: ?word=2, or ?word=none"
        )

    @pytest.mark.parametrize(("number", "option"), [("6", "column"), ("-6", "column"), ("7", "word")])
    def test_a_column_that_is_not_there(self, number: str, option: str) -> None:
        assert refused("\n" + self.TEXT, 3, **{option: number}) == (
            f"f.conll:2: there is no column {number}: this line has 5\n  columns are 1 to 5, or -1 for the last"
        )

    def test_a_second_column_in_a_file_of_one(self) -> None:
        assert refused("O\n", column="2").startswith("f.conll:1: there is no column 2: this line has only one\n")

    @pytest.mark.parametrize("given", ["ner", "0", "1.5", "", "+1", "१"])
    def test_what_is_no_column(self, given: str) -> None:
        assert refused(self.TEXT, code=2, column=given) == (
            f"invalid column={given!r}: expected the number of a column, from 1, or from -1 backwards\n"
            "  to use names, define them: ?columns=word,pos,chunk,ner"
        )

    def test_what_is_no_word_column(self) -> None:
        assert refused(self.TEXT, code=2, word="no").startswith("invalid word='no': expected the number of a column")
        assert " or 'none'\n" in refused(self.TEXT, code=2, word="no")

    @pytest.mark.parametrize("given", [{"value": "upos"}, {"column": "upos"}])
    def test_an_unknown_name_among_names(self, given: dict[str, str]) -> None:
        assert refused("a X N\n", code=2, columns="word,pos,ner", **given) == (
            "there is no column 'upos' (did you mean 'pos'?)\n"
            "  columns: word, pos, ner, or a number; choose one with ?column="
        )

    def test_names_that_are_too_few(self) -> None:
        expected = "f.conll:1: 5 columns, but 2 names\n  name each column"
        assert refused(self.TEXT, columns="word,pos") == expected

    @pytest.mark.parametrize("given", ["", "word,,ner", "word,2", "word,none"])
    def test_names_that_are_none(self, given: str) -> None:
        assert "is not a valid column name" in refused(self.TEXT, code=2, columns=given)

    def test_names_given_twice(self) -> None:
        assert refused("a b\n", code=2, columns="x,x") == "columns: duplicate name 'x'"

    def test_a_column_that_holds_nothing(self) -> None:
        assert refused("a\t_\nb\t_\n") == (
            "f.conll: column 2 contains only '_'\n  choose another column: ::columns?column=2"
        )
        assert refused("a\tO\t\nb\tO\t\n").startswith("f.conll: column 3 is empty\n")

    def test_an_unknown_option(self) -> None:
        assert refused("a b\n", code=2, colunm="1") == (
            "format 'columns' has no option 'colunm' (did you mean 'column'?)\n"
            "  its options: column, word, columns, header, comments, scheme, repair"
        )


class TestSeparators:
    @pytest.mark.parametrize(
        "text",
        [
            "a  O\nb O\n",
            "a O\nb  O\n",
            " a O\nb O\n",
            "a O\n b O\n",
            "a O \nb O\n",
            "a O\nb O\t\n",
            "a \t O\nb O\n",
            "a O\nb\tO\n",
            "a\tO\nb O\n",
            "a\tO\nb  O\n",
            "a O \n  b  O  \n",
        ],
    )
    def test_irregular_spaces_are_mended(self, text: str) -> None:
        corpus = corpus_of(text + "\nc O\n" + text)
        assert words(corpus) == ["a", "b", "c", "a", "b"]
        assert values(corpus) == ["O"] * 5
        assert lines(corpus) == [1, 2, 4, 5, 6]
        assert sizes(corpus) == [2, 3]
        assert len(corpus.notes) == 1

    def test_the_lines_mended_are_counted(self) -> None:
        corpus = corpus_of("a O\nb  O\n c O\nd\tO\n \ne O\n")
        assert sizes(corpus) == [4, 1]
        assert notes(corpus) == [
            "key: lines with irregular spaces or tabs between columns, repaired: 4 "
            "(f.conll:2, f.conll:3, f.conll:4, …)",
        ]

    def test_comments_are_not_mended(self) -> None:
        corpus = corpus_of("# newdoc id = a  b\n# text = x  y\na O\n")
        assert corpus.documents.names == ("a  b",)
        assert notes(corpus) == ["key: comment lines ignored: 1 (f.conll:2)"]

    def test_between_tabs_fields_may_hold_spaces_and_be_empty(self) -> None:
        corpus = corpus_of("New York\t\tB-LOC\n is \t x\tO\n\tX\tO\n")
        assert words(corpus) == ["New York", " is ", ""]
        assert values(corpus) == ["B-LOC", "O", "O"]
        assert corpus.notes == ()

    def test_between_tabs_a_value_may_be_empty_from_the_first_line_on(self) -> None:
        assert values(corpus_of("a\t\nb\tO\n")) == ["", "O"]

    def test_a_first_word_may_be_empty(self) -> None:
        assert words(corpus_of("\tO\nb\tO\n")) == ["", "b"]

    def test_lines_of_white_space_alone_are_blank_and_noted(self) -> None:
        corpus = corpus_of("a\tO\n\t\nb\tO\n  \nc\tO\n")
        assert (sizes(corpus), lines(corpus)) == ([1, 1, 1], [1, 3, 5])
        assert notes(corpus) == ["key: lines of only white space read as blank: 2"]

    def test_a_line_that_lost_its_tab_is_not_mended_where_fields_hold_spaces(self) -> None:
        assert refused("New York\tO\nb O\n") == (
            "f.conll:2: expected 2 columns as in the first line (f.conll:1), got 1\n"
            "  the columns of this line are separated by spaces, those of the first line by tabs"
        )

    def test_control_characters_belong_to_the_text(self) -> None:
        assert words(corpus_of("a\x01b O\nc\x0bd O\n")) == ["a\x01b", "c\x0bd"]


class TestRagged:
    def test_both_lines_are_named(self) -> None:
        assert refused("\na X O\n\nb O\n") == (
            "f.conll:4: expected 3 columns as in the first line (f.conll:2), got 2\n"
            "  columns are separated by spaces here; a sentence ends at an empty line"
        )

    def test_between_tabs(self) -> None:
        assert refused("a\tX\tO\nb\tX\tO\tO\n") == (
            "f.conll:2: expected 3 columns as in the first line (f.conll:1), got 4\n"
            "  columns are separated by one tab here, as in the first line"
        )

    def test_the_line_stays_right_after_mending(self) -> None:
        assert refused("a  O\n \nb O\nc O O\n").startswith(
            "f.conll:4: expected 2 columns as in the first line (f.conll:1), got 3\n"
        )

    def test_a_file_of_marks_alone(self) -> None:
        assert refused("-DOCSTART- -X- O\n\n# newdoc\n") == "f.conll: there are no tokens in this file"


class TestDocuments:
    def test_docstart_begins_a_document(self) -> None:
        corpus = corpus_of("-DOCSTART- O\n\na O\n\nb O\n-DOCSTART- O\nc O\n")
        assert documents(corpus) == {"document 1": ["a", "b"], "document 2": ["c"]}
        assert sizes(corpus) == [1, 1, 1]

    def test_docstart_alone_in_a_file_of_more_columns(self) -> None:
        assert documents(corpus_of("-DOCSTART-\n\na X O\n")) == {"document 1": ["a"]}

    def test_tokens_before_the_first_mark_are_a_document_named_after_the_file(self) -> None:
        assert documents(corpus_of("a O\n\n-DOCSTART- (x)\n\nb O\n")) == {"f": ["a"], "x": ["b"]}

    @pytest.mark.parametrize(
        ("line", "name"),
        [
            ("-DOCSTART-", ""),
            ("-DOCSTART- ", ""),
            ("-DOCSTART- -X- O O", ""),
            ("-DOCSTART-\t-X-\t_\tO", ""),
            ("-DOCSTART- -X- -X- -X- O", ""),
            ("-DOCSTART- (947testa)", "947testa"),
            ("-DOCSTART- (1 EU)", "1 EU"),
            ("-DOCSTART- ( x ) -X- O", "x"),
            ("-DOCSTART- ()", ""),
            ("-DOCSTART- doc7 O O", "doc7"),
            ("-DOCSTART-\t-X-\tdoc7", "doc7"),
        ],
    )
    def test_its_name(self, line: str, name: str) -> None:
        assert document_name(line) == name

    def test_a_longer_word_is_a_token(self) -> None:
        assert words(corpus_of("-DOCSTART-S O\n-DOCSTAR O\n")) == ["-DOCSTART-S", "-DOCSTAR"]

    def test_newdoc_and_meta_as_in_conllu(self) -> None:
        corpus = corpus_of("# newdoc id = one\n# meta::genre = news\na O\n\n# newdoc\nb O\n")
        assert documents(corpus) == {"one": ["a"], "document 2": ["b"]}
        assert corpus.documents.attributes["genre"][0] == "news"
        assert corpus.notes == ()

    def test_a_name_given_twice_continues_its_document(self) -> None:
        corpus = corpus_of("-DOCSTART- (x)\n\na O\n\n-DOCSTART- (x)\n\nb O\n\n-DOCSTART- (y)\n\nc O\n")
        assert documents(corpus) == {"x": ["a", "b"], "y": ["c"]}
        assert notes(corpus) == ["key: document names that recur, continuing the document of that name: 1 (f.conll:5)"]

    def test_an_id_as_in_hipe(self) -> None:
        corpus = corpus_of("# document_id = a\nx\tO\n\n# document_id = a\ny\tO\n\n# document_id = b c \nz\tO\n")
        assert documents(corpus) == {"a": ["x", "y"], "b c": ["z"]}
        assert notes(corpus) == []

    def test_an_id_without_a_name(self) -> None:
        assert documents(corpus_of("# document_id\nx\tO\n\n# document_id\ny\tO\n")) == {
            "document 1": ["x"],
            "document 2": ["y"],
        }

    def test_a_comment_that_only_begins_like_one(self) -> None:
        assert not corpus_of("# document_ids = a\nx\tO\n").documents.marked


class TestHeader:
    HIPE = "TOKEN\tNE-COARSE-LIT\tMISC\n# document_id = d\nAnna\tB-pers\t_\nran\tO\t_\n"

    def test_that_of_hipe_is_known(self) -> None:
        corpus = corpus_of(self.HIPE, column="NE-COARSE-LIT")
        assert documents(corpus) == {"d": ["Anna", "ran"]}
        assert (values(corpus), corpus.evaluated) == (["B-pers", "O"], "NE-COARSE-LIT")
        assert values(corpus_of(self.HIPE, column="2", header="yes")) == ["B-pers", "O"]

    def test_unless_there_is_none(self) -> None:
        assert words(corpus_of(self.HIPE.replace("# document_id = d\n", ""), column="2", header="no"))[0] == "TOKEN"

    def test_it_may_have_more_columns_than_the_file(self) -> None:
        corpus = corpus_of("TOKEN\tNE-COARSE-LIT\tMISC\nAnna\tB-pers\n")
        assert (values(corpus), corpus.evaluated) == (["B-pers"], "NE-COARSE-LIT")

    def test_a_column_that_only_the_header_has_is_not_there(self) -> None:
        with pytest.raises(ReadError, match="the header names a column 'MISC', but the rows have 2 columns"):
            corpus_of("TOKEN\tNE-COARSE-LIT\tMISC\nAnna\tB-pers\n", column="MISC")

    def test_others_are_read_if_one_says_so(self) -> None:
        corpus = corpus_of("word pos ner\nAnna NNP B-PER\n", header="yes", column="pos")
        assert (words(corpus), values(corpus), corpus.evaluated) == (["Anna"], ["NNP"], "pos")

    def test_names_that_are_given_go_before(self) -> None:
        assert values(corpus_of("a b\nAnna B-PER\n", header="yes", columns="w,ner", column="ner")) == ["B-PER"]

    def test_names_that_say_nothing(self) -> None:
        assert corpus_of("x x\nAnna B-PER\n", header="yes").evaluated == "column 2"

    def test_each_file_may_have_one(self, tmp_path: Path) -> None:
        for name in "ab":
            (tmp_path / f"{name}.tsv").write_text(f"TOKEN\tNE-COARSE-LIT\n{name}\tO\n")
        (tmp_path / "c.tsv").write_text("c\tO\n")
        corpus = FORMAT.read(load(str(tmp_path), side="key", suffixes=(".tsv",)), Request(side="key"))
        assert documents(corpus) == {"a": ["a"], "b": ["b"], "c": ["c"]}

    def test_lines_keep_their_numbers(self) -> None:
        assert lines(corpus_of("w\tt\n\t \nAnna\tO\n", header="yes")) == [3]

    def test_nothing_behind_it(self) -> None:
        assert refused("TOKEN\tNE-COARSE-LIT\n\n") == "f.conll: there are no tokens in this file"


class TestCommentsAnywhere:
    TEXT = "a\tO\n# segment\nb\tO\n#\n#\tO\n# full\tO\nc\tO\n"

    def test_between_tokens(self) -> None:
        corpus = corpus_of(self.TEXT, comments="anywhere")
        assert (words(corpus), corpus.sentences.tolist()) == (["a", "b", "#", "c"], [0, 4])
        assert notes(corpus) == ["key: comment lines ignored: 3 (f.conll:2, f.conll:4, f.conll:6)"]

    def test_where_spaces_separate_columns_a_token_may_be_a_number_sign(self) -> None:
        assert words(corpus_of("a O\n# one more\n# O\n", comments="anywhere")) == ["a", "#"]

    def test_a_document_ends_the_sentence(self) -> None:
        corpus = corpus_of("a\tO\n# document_id = d\nb\tO\n", comments="anywhere")
        assert documents(corpus) == {"f": ["a"], "d": ["b"]}

    def test_other_values(self) -> None:
        assert refused(self.TEXT, 2, comments="all") == "invalid comments='all'\n  one of: start, anywhere"


class TestNumberSigns:
    def test_tokens_may_begin_with_one(self) -> None:
        corpus = corpus_of("# O\n#tag B-X\n\na O\n# O\n#x O\n")
        assert words(corpus) == ["#", "#tag", "a", "#", "#x"]
        assert corpus.notes == ()

    def test_a_file_of_nothing_else(self) -> None:
        assert words(corpus_of("#\tO\n#a\tO\n")) == ["#", "#a"]

    @pytest.mark.parametrize("separator", [" ", "\t"])
    def test_lines_of_another_width_at_the_start_of_a_sentence_are_comments(self, separator: str) -> None:
        text = "# a comment, here\n#another\na O\n# O\n\n# third one , ok\nb O\n".replace(" O", f"{separator}O")
        corpus = corpus_of(text)
        assert words(corpus) == ["a", "#", "b"]
        assert notes(corpus) == ["key: comment lines ignored: 3 (f.conll:1, f.conll:2, f.conll:6)"]

    def test_inside_a_sentence_they_are_refused(self) -> None:
        assert refused("a O\n# a comment\n") == (
            "f.conll:2: expected 2 columns as in the first line (f.conll:1), got 3\n"
            "  comments must be at the start of a sentence; to allow them anywhere: ?comments=anywhere"
        )

    @pytest.mark.parametrize(
        ("comment", "width"), [("# newdoc", 2), ("# newdoc id = x", 5), ("# text = x", 4), ("# id xyz", 3)]
    )
    def test_what_can_only_be_a_comment_is_one_whatever_its_width(self, comment: str, width: int) -> None:
        line = " ".join(["a"] * (width - 1) + ["O"])
        assert len(corpus_of(f"{comment}\n{line}\n\n{comment.replace('x', 'y')}\n{line}\n")) == 2

    def test_multiconer(self) -> None:
        corpus = corpus_of("# id 5ae\tdomain=en\nthe _ _ O\ncat _ _ B-X\n\n# id 5af\tdomain=en\nb _ _ O\n")
        assert (words(corpus), values(corpus)) == (["the", "cat", "b"], ["O", "B-X", "O"])
        assert notes(corpus) == ["key: comment lines ignored: 2 (f.conll:1, f.conll:5)"]


class TestSniff:
    @pytest.mark.parametrize(
        "text",
        [
            CONLL2003,
            CONLL2003.replace(" ", "\t"),
            "O\nB-PER\n",
            "a\tO\nNew York\tO\n",
            "a\tO\nb O\n",
            "[ O\n] O\n",
            "{ O\n",
            "# text = a b c\na\tO\n",
            "# O\n#x O\n",
            "\n\na O",
        ],
    )
    def test_columns(self, text: str) -> None:
        assert sniff(text.split("\n"))

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "\n \n",
            "-DOCSTART-\n",
            "# newdoc\n",
            "a O\nb X O\n",
            '{"id": 1}\n',
            "[\n",
            '["a"]\n',
            "[1, 2]\n",
            "1" + "\t_" * 9 + "\n",
            "1" + "\t_" * 9 + "\nx" + "\t_" * 9 + "\n",
        ],
    )
    def test_anything_else(self, text: str) -> None:
        assert not sniff(text.split("\n"))


@pytest.mark.parametrize(
    "name", first_few(1, ["gold/emerging.dev.conll", "gold/emerging.test.annotated", "gold/wnut17train.conll"])
)
def test_the_keys_of_wnut17(name: str) -> None:
    file = shared(f"{WNUT}/{name}")
    corpus = read_input(Input(path=str(file)), Request(side="key", value="upos"), "tokens")
    rows = [line.split("\t") for line in file.read_text("utf-8").split("\n") if line.strip()]
    assert words(corpus) == [row[0] for row in rows]
    assert values(corpus) == [row[1] for row in rows]
    sentences = re.split(r"\n\s*\n", file.read_text("utf-8").strip("\n"))
    assert sizes(corpus) == [len(sentence.split("\n")) for sentence in sentences]
    white = len(re.findall(r"(?m)^[ \t]+$", file.read_text("utf-8")))
    assert notes(corpus) == ([f"key: lines of only white space read as blank: {white:,}"] if white else [])


@cache
def sizes_of_the_key() -> list[int]:
    file = shared(f"{WNUT}/gold/emerging.test.annotated")
    return sizes(read_input(Input(path=str(file)), Request(side="key"), "tokens"))


@pytest.mark.parametrize("name", first_few(1, WNUT_SYSTEMS))
def test_the_submissions_to_wnut17(name: str) -> None:
    file = shared(f"{WNUT}/systems/{name}")
    corpus = read_input(Input(path=str(file)), Request(side=name), "tokens")
    rows = [line.split() for line in file.read_text("utf-8").split("\n") if line.strip()]
    assert words(corpus) == [row[0] for row in rows]
    assert values(corpus) == [row[1] for row in rows]
    assert sizes(corpus) == sizes_of_the_key()
    assert [note.what for note in corpus.notes] == ["CRLF line ends read as LF"]


@pytest.mark.parametrize(
    ("line", "columns"),
    [
        ('<?xml version="1.0"?>', False),
        ("<a><b>", False),
        ("<!DOCTYPE a>", False),
        ('<doc id="1">', False),
        ("<unk> O", True),
        ("<unk>\tO", True),
        ("< O", True),
    ],
)
def test_xml_is_not_taken_for_columns(line: str, columns: bool) -> None:
    assert FORMAT.sniff([line]) == columns

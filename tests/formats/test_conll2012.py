"""CoNLL-2012: all the ways to write it, and what is wrong with files that are not it."""

from __future__ import annotations

import random
import re
import time
from contextlib import suppress
from pathlib import Path

import pytest

from comparanda.core.corpus import Corpus
from comparanda.core.limits import limit_hint
from comparanda.core.places import Source
from comparanda.errors import ReadError
from comparanda.formats.conll2012 import FORMAT, read, sniff
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from tests.formats.corpora import documents, fragments, notes, refusal, said, span_lines, spans, values, words
from tests.shared_data import shared

EXTRA = ("upos", "xpos", "feats", "head")
AMBIGUOUS = re.compile(r"\(\d+\d\)|\d\d+\)")  # (1 and 2) without a bar are (12)

SAMPLE = """\
#begin document (news/2021/harbour); part 000
news/2021/harbour  0  0    The  DT  (TOP(S(NP(NP*  -  -  -  -          *  (ARG1*  (3|(7
news/2021/harbour  0  1   town  NN              *  -  -  -  -          *       *      -
news/2021/harbour  0  2     's POS             *)  -  -  -  -          *       *     7)
news/2021/harbour  0  3 harbour NN             *)  -  -  -  -          *      *)     3)
news/2021/harbour  0  4 closed VBD           (VP*) close - - -         *    (V*)      -
news/2021/harbour  0  5      .   .            *))  -  -  -  -          *       *      -

# a remark that is no word
news/2021/harbour  0  0     It PRP     (TOP(S(NP*)  -  -  -  -         *    (3)
news/2021/harbour  0  1   fell VBD           (VP*)  -  -  -  -         *      -
news/2021/harbour  0  2      .   .             *))  -  -  -  -         *      -

#end document
#begin document (news/2021/harbour); part 001
news/2021/harbour  1  0     It PRP     (TOP(S(NP*)  -  -  -  -         *    (3)
news/2021/harbour  1  1  rains VBZ           (VP*))  -  -  -  -        *      -

#end document
"""


def corpus_of(text: str, extra: tuple[str, ...] = EXTRA, **options: str) -> Corpus:
    request = Request(side="key", extra=extra, options=options, layer="chains")
    return read(Source.of_text("f.conll", text.encode()), request)


def chains(corpus: Corpus) -> list[tuple[int, int, str]]:
    """Begin, end and chain of each mention."""
    extents = [(begin, end) for _, begin, end, _ in spans(corpus)]
    return [(*extent, chain) for extent, chain in zip(extents, said(corpus, "chain"), strict=True)]


def cells(*given: str, separator: str = "\t") -> str:
    """Make a document of words a, b, c … with these cells, in five columns."""
    rows = (separator.join(("d", "0", str(row), chr(97 + row % 26), cell)) for row, cell in enumerate(given))
    return "#begin document (d);\n" + "\n".join(rows) + "\n\n#end document\n"


def refused(text: str, code: int = 3, **options: str) -> str:
    return refusal(corpus_of, text, code=code, **options)


class TestSample:
    def test_words_tags_parts_and_chains(self) -> None:
        corpus = corpus_of(SAMPLE)
        assert documents(corpus) == {
            "news/2021/harbour": ["The", "town", "'s", "harbour", "closed", ".", "It", "fell", "."],
            "news/2021/harbour; part 1": ["It", "rains"],
        }
        assert corpus.sentences.tolist() == [0, 6, 9, 11]
        assert values(corpus, "xpos") == ["DT", "NN", "POS", "NN", "VBD", ".", "PRP", "VBD", ".", "PRP", "VBZ"]
        assert spans(corpus) == [
            ("news/2021/harbour", 0, 4, "ENTITY"),
            ("news/2021/harbour", 0, 3, "ENTITY"),
            ("news/2021/harbour", 6, 7, "ENTITY"),
            ("news/2021/harbour; part 1", 0, 1, "ENTITY"),
        ]
        assert said(corpus, "chain") == ["3", "7", "3", "3"]
        assert span_lines(corpus) == ["f.conll:2", "f.conll:2", "f.conll:10", "f.conll:16"]
        assert (corpus.format, corpus.evaluated, corpus.documents.marked, notes(corpus)) == (
            "conll2012",
            "chains",
            True,
            [],
        )

    @pytest.mark.parametrize("separator", ["\t", " ", "    "])
    def test_tabs_and_any_number_of_spaces_are_the_same(self, separator: str) -> None:
        lines = (line if line.startswith("#") else separator.join(line.split()) for line in SAMPLE.split("\n"))
        text = "\n".join(lines)
        assert chains(corpus_of(text)) == chains(corpus_of(SAMPLE))
        assert words(corpus_of(text)) == words(corpus_of(SAMPLE))

    def test_blanks_before_and_behind_lines_are_none(self) -> None:
        text = re.sub(r"(?m)^(?=news)", "  ", re.sub(r"(?m)(?<=\S)$", " \t ", SAMPLE.replace("\n\n", "\n \n")))
        text = re.sub(r"(?m)^(#.*?)[ \t]+$", r"\1", text)
        corpus = corpus_of(text)
        assert chains(corpus) == chains(corpus_of(SAMPLE))
        assert span_lines(corpus) == span_lines(corpus_of(SAMPLE))
        assert notes(corpus) == ["key: lines of only white space read as blank: 3"]

    def test_only_tags_that_are_there_are_read(self) -> None:
        assert corpus_of(SAMPLE, ()).columns == {}
        assert corpus_of(SAMPLE, pos="none").columns == {}
        untagged = cells("(1)", "-").replace("\t(", "\t_\t(").replace("\t-", "\t_\t-")
        assert "xpos" not in corpus_of(untagged).columns
        assert values(corpus_of(untagged, pos="2"), "xpos") == ["0", "0"]


class TestColumns:
    @pytest.mark.parametrize(
        ("line", "word"),
        [
            ("one\t{}", "one"),
            ("0\tone\t{}", "one"),
            ("d\t0\tone\t{}", "one"),
            ("d\t0\t0\tone\t{}", "one"),
            ("d\t0\t0\tone\tNN\t{}", "one"),
            ("d\t0\t0\tone\tNN" + "\t-" * 6 + "\t{}", "one"),
            ("1\tone\tone\tone_lemma\tNN\t_\t{}", "one"),  # SemEval-2010: the first column counts
        ],
    )
    def test_where_the_words_are(self, line: str, word: str) -> None:
        for separator in ("\t", "  "):
            text = "#begin document (d);\n" + line.replace("\t", separator).format("(1)") + "\n"
            text += line.replace("\t", separator).format("-") + "\n#end document\n"
            assert (words(corpus_of(text)), chains(corpus_of(text))) == ([word, word], [(0, 1, "1")])

    def test_one_column_has_no_words(self) -> None:
        corpus = corpus_of("#begin document (d);\n(1\n1)\n\n(2)\n#end document\n")
        assert corpus.words is None
        assert chains(corpus) == [(0, 2, "1"), (2, 3, "2")]
        assert corpus.sentences.tolist() == [0, 2, 3]

    def test_columns_can_be_named(self) -> None:
        text = cells("(1)", "-").replace("\t0\t", "\tN\t")
        assert words(corpus_of(text, word="1")) == ["d", "d"]
        assert corpus_of(text, word="none").words is None
        assert values(corpus_of(text, pos="2"), "xpos") == ["N", "N"]

    @pytest.mark.parametrize("given", ["0", "5", "x", "-1", "²"])
    def test_a_column_that_is_none_is_refused(self, given: str) -> None:
        assert refused(cells("(1)"), code=2, word=given) == (
            f"word={given!r} is not a column before the bracket column\n  a number from 1 to 4, or none"
        )

    def test_lines_may_have_more_columns_but_not_fewer_than_are_read(self) -> None:
        text = cells("(1)", "-")
        assert chains(corpus_of(text.replace("b\t-", "b\tx\ty\tz\t1)").replace("(1)", "(1"))) == [(0, 2, "1")]
        assert refused(text.replace("d\t0\t1\tb\t-", "b\t-")) == (
            "f.conll:3: expected 5 columns as in the first line of words, got 2\n"
            "  set the columns with ?word=N and ?pos=N: column 4 is read, and the last one holds the brackets"
        )

    @pytest.mark.parametrize("none", ["-", "_", "*", ""])
    def test_signs_for_no_bracket(self, none: str) -> None:
        assert chains(corpus_of(cells("(1", none, "1)", none))) == [(0, 3, "1")]

    def test_an_empty_last_column(self) -> None:
        lines = [f"book\t0\t{row}\t{word}" + "\t_" * 8 + f"\t{cell}" for row, (word, cell) in enumerate(
            [("In", ""), ("Chancery", "(0)"), ("(", ""), ("London", "(1"), ("fog", "1)"), (")", "")]
        )]  # fmt: skip
        corpus = corpus_of("#begin document (book); part 0\n" + "\n".join(lines) + "\n#end document\n")
        assert words(corpus) == ["In", "Chancery", "(", "London", "fog", ")"]
        assert chains(corpus) == [(1, 2, "0"), (3, 5, "1")]

    def test_an_empty_last_column_behind_the_word(self) -> None:
        text = "#begin document (d);\nd\t0\t0\t(7)\t\nd\t0\t1\tb\t(1)\nd\t0\t2\t-\t\n"
        assert chains(corpus_of(text)) == [(1, 2, "1")]
        assert words(corpus_of(text)) == ["(7)", "b", "-"]

    def test_a_tab_behind_some_lines_is_no_column(self) -> None:
        text = cells("(0", "0)", "(1)", "-")
        for stray in ("(0", "0)", "(1)", "-"):
            corpus = corpus_of(text.replace(f"{stray}\n", f"{stray}\t\n"))
            assert (words(corpus), chains(corpus)) == (["a", "b", "c", "d"], [(0, 2, "0"), (2, 3, "1")])

    @pytest.mark.parametrize("columns", [2, 3, 4, 5, 12])
    def test_a_tab_behind_all_lines_is_no_column(self, columns: int) -> None:
        plain = ["\t".join((*(["x"] * (columns - 2)), "w", cell)) for cell in ("(0", "-", "0)")]
        if columns in {5, 12}:
            plain = ["\t".join(("d", "0", "0", "w", *(["N"] * (columns - 5)), cell)) for cell in ("(0", "-", "0)")]
        text = "#begin document (d);\n" + "".join(f"{line}\t\n" for line in plain)
        corpus = corpus_of(text)
        assert (words(corpus), chains(corpus)) == (["w", "w", "w"], [(0, 3, "0")])

    def test_without_words_lines_may_have_one_column(self) -> None:
        text = "#begin document (d);\na\t(1\n1)\nb\t\n-\n"
        assert chains(corpus_of(text, word="none")) == [(0, 2, "1")]

    def test_arguments_of_predicates_are_no_brackets(self) -> None:
        """A sentence without mentions whose coreference column is empty, and before that one of arguments."""
        text = "#begin document (d);\nd\t0\t0\ta\tN\t(1)\n\nd\t0\t0\tb\tN\t(ARG0*)\t\nd\t0\t1\tc\tN\t(V*)\t\n"
        assert chains(corpus_of(text)) == [(0, 1, "1")]


class TestBrackets:
    @pytest.mark.parametrize(
        ("given", "found"),
        [
            (["(1)"], [(0, 1, "1")]),
            (["(1", "-", "1)"], [(0, 3, "1")]),
            (["(1|(2", "2)|1)"], [(0, 2, "1"), (0, 2, "2")]),
            (["(1(2", "2)1)"], [(0, 2, "1"), (0, 2, "2")]),
            (["(1(1", "-", "1)1)"], [(0, 3, "1"), (0, 3, "1")]),
            (["(1", "(1", "1)", "1)"], [(0, 4, "1"), (1, 3, "1")]),  # the innermost closes first
            (["(1", "(2", "1)", "2)"], [(0, 3, "1"), (1, 4, "2")]),  # different chains may cross
            (["(1", "(1)|1)"], [(0, 2, "1"), (1, 2, "1")]),
            (["(1", "(2|1)", "2)"], [(0, 2, "1"), (1, 3, "2")]),  # not (21)
            (["(1", "1)|(2", "2)"], [(0, 2, "1"), (1, 3, "2")]),
            (["(1", "1)(2", "2)"], [(0, 2, "1"), (1, 3, "2")]),
            (["(1", "1)|(1", "1)"], [(0, 3, "1"), (1, 2, "1")]),  # in one cell they open before others close
            (["(1|1)"], [(0, 1, "1")]),
            (["(10)|(1", "1)|(0)"], [(0, 1, "10"), (0, 2, "1"), (1, 2, "0")]),
            (["(a_b", "(x.y)", "a_b)"], [(0, 3, "a_b"), (1, 2, "x.y")]),
            (["(éa)"], [(0, 1, "éa")]),
        ],
    )
    def test_what_they_mean(self, given: list[str], found: list[tuple[int, int, str]]) -> None:
        assert chains(corpus_of(cells(*given))) == found

    def test_an_order_in_the_cell_decides_which_chain_comes_first(self) -> None:
        """That of the first brackets of chains decides who keeps a mention that is there twice."""
        assert said(corpus_of(cells("(9|(3)", "9)")), "chain") == ["9", "3"]
        assert said(corpus_of(cells("(3)|(9", "9)")), "chain") == ["3", "9"]

    def test_a_mention_twice_stays_twice(self) -> None:
        assert chains(corpus_of(cells("(1)|(2)", "(2)|(2)"))) == [(0, 1, "1"), (0, 1, "2"), (1, 2, "2"), (1, 2, "2")]

    def test_brackets_do_not_reach_over_documents(self) -> None:
        text = cells("(1", "-") + cells("1)").replace("(d)", "(e)")
        assert refused(text) == "f.conll:2: the span '(1' is not closed\n  its document ends without '1)'"
        found = corpus_of(text + cells("(2)").replace("(d)", "(f)"), broken="drop")
        assert chains(found) == [(0, 1, "2")]
        assert notes(found)[0] == "key: unclosed or unopened brackets ignored: 2 (f.conll:2, f.conll:7)"

    def test_brackets_with_types(self) -> None:
        text = "# begin document GUM_vlog\n0\tThe\t(person-1-Anna_O'Neil(place-2)\n1\tqueen\tperson-1-Anna_O'Neil)\n"
        text += "2\tshe\t(person-1)\n# end document\n"
        corpus = corpus_of(text)
        assert spans(corpus) == [
            ("GUM_vlog", 0, 2, "person"),
            ("GUM_vlog", 0, 1, "place"),
            ("GUM_vlog", 2, 3, "person"),
        ]
        assert said(corpus, "chain") == ["1", "2", "1"]
        assert notes(corpus) == [
            "key: brackets with more fields than the chain, read as etype-eid-other: "
            "3 (f.conll:2, f.conll:3, f.conll:4)"
        ]

    def test_names_with_hyphens_are_whole_unless_all_have_an_id(self) -> None:
        given = cells("(New-York", "New-York)", "(New-Jersey)", "(3)")
        assert chains(corpus_of(given)) == [(0, 2, "New-York"), (2, 3, "New-Jersey"), (3, 4, "3")]
        assert said(corpus_of(cells("(1-x)", "(2)")), "chain") == ["1", "2"]
        assert said(corpus_of(cells("(x-1)", "(2)")), "chain") == ["x-1", "2"]

    def test_fields_can_be_named(self) -> None:
        corpus = corpus_of(cells("(1-PER)", "(PER-1)"), fields="etype-eid")
        assert (said(corpus, "chain"), notes(corpus)) == (["PER", "1"], [])
        assert refused(cells("(1)"), code=2, fields="etype-other") == (
            "fields='etype-other' does not include the chain\n  name the chain field eid or GRP"
        )

    def test_mentions_in_parts(self) -> None:
        corpus = corpus_of(cells("(4[1/2]", "4[1/2])", "-", "(4[2/2])", "(4)"))
        assert (chains(corpus), fragments(corpus)) == ([(0, 4, "4"), (4, 5, "4")], [(0, 0, 2), (0, 3, 4)])
        assert refused(cells("(4[1/2])")) == "f.conll:2: the span '4' has 2 parts, but part 2 is missing"
        for broken in (["(4[1/2])", "(1)"], ["(4[2/2])", "(1)"], ["(4[1/2]", "(1)"]):
            found = corpus_of(cells(*broken), broken="drop")
            assert chains(found) == [(1, 2, "1")]
            assert notes(found) == ["key: unclosed or unopened brackets ignored: 1 (f.conll:2)"]

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            (["-", "(1", "-"], "f.conll:3: the span '(1' is not closed\n  its document ends without '1)'"),
            (["(1", "2)", "1)"], "f.conll:3: '2)' closes a span that is not open\n"
             "  the span opened last is '(1', at f.conll:2"),
            (["1)"], "f.conll:2: '1)' closes a span that is not open"),
            (["(1)", "1)"], "f.conll:3: '1)' closes a span that is not open"),
            (["(1(", "1)"], "f.conll:2: '(' is not a bracket\n"
             "  write (id-type to open a span, id) to close it, (id-type) to do both"),
        ],
    )  # fmt: skip
    def test_broken_ones_are_refused(self, given: list[str], message: str) -> None:
        assert refused(cells(*given)) == message

    @pytest.mark.parametrize(
        "given", ["12", "()", "(", ")", "|", "(1)|", "|(1)", "(1)||(2)", "B-PER", "(1) (2)", "((1)"]
    )
    def test_what_is_no_bracket_is_refused_with_its_line(self, given: str) -> None:
        for broken in ("refuse", "drop"):
            assert re.match(r"f\.conll:3: .* is not a bracket", refused(cells("-", given), broken=broken))

    def test_broken_ones_are_left_out_if_asked(self) -> None:
        corpus = corpus_of(cells("(1", "(2", "3)", "2)", "(5)"), broken="drop")
        assert chains(corpus) == [(1, 4, "2"), (4, 5, "5")]
        assert notes(corpus) == ["key: unclosed or unopened brackets ignored: 2 (f.conll:2, f.conll:4)"]
        assert notes(corpus_of(cells("(1)"), broken="drop")) == []
        assert "invalid broken='x'" in refused(cells("1)"), code=2, broken="x")


class TestDocuments:
    @pytest.mark.parametrize(
        ("mark", "name"),
        [
            ("#begin document (a/b_1); part 000", "a/b_1"),
            ("#begin document (a/b_1); part 012", "a/b_1; part 12"),
            ("#begin document (a/b_1);", "a/b_1"),
            ("#begin document (a/b_1)", "a/b_1"),
            ("#begin document(metadoc);", "metadoc"),
            ("# begin document a_b", "a_b"),
            ("#begin document a_b; part 3", "a_b; part 3"),
            ("#begin document (a (b) c);part 001", "a (b) c; part 1"),
            ("#begin document (part 7); part 000", "part 7"),
            ("#begin document ();", "document 1"),
        ],
    )
    def test_names(self, mark: str, name: str) -> None:
        corpus = corpus_of(f"{mark}\na\t(1)\n#end document\n")
        assert (corpus.documents.names, notes(corpus)) == ((name,), [])

    @pytest.mark.parametrize("mark", ["#begin document (a b); ", "#begin document ( a b);", "#begin document a b\t "])
    def test_blanks_around_names_are_cleaned_and_noted(self, mark: str) -> None:
        for line in ("a\t(1)\n", "a  (1)\n"):
            corpus = corpus_of(f"{mark}\n{line}#end document\n")
            assert corpus.documents.names == ("a b",)
            assert notes(corpus) == ["key: document names with surrounding blanks, stripped: 1 (f.conll:1)"]

    def test_a_document_without_an_end_ends_where_the_next_begins(self) -> None:
        text = "#begin document (a);\nx\t(1)\n#begin document (b);\ny\t(1)\n"
        corpus = corpus_of(text)
        assert documents(corpus) == {"a": ["x"], "b": ["y"]}
        assert notes(corpus) == ["key: documents without '#end document': 2 (f.conll:1, f.conll:3)"]

    def test_no_marks_at_all(self) -> None:
        corpus = corpus_of("x\t(1\ny\t1)\n\nz\t(1)\n")
        assert (corpus.documents.names, corpus.documents.marked) == (("f",), False)
        assert (chains(corpus), notes(corpus)) == ([(0, 2, "1"), (2, 3, "1")], [])

    def test_words_outside_of_documents_are_left_out(self) -> None:
        text = "u\t(9)\n\n#begin document (a);\nx\t(1)\n#end document\nv\t-\nw\t(1)\n\n#begin document (b);\ny\t(1)\n"
        corpus = corpus_of(text + "#end document\nz\t-\n")
        assert documents(corpus) == {"a": ["x"], "b": ["y"]}
        assert spans(corpus) == [("a", 0, 1, "ENTITY"), ("b", 0, 1, "ENTITY")]
        assert notes(corpus) == ["key: words outside documents ignored: 4 (f.conll:1, f.conll:6, f.conll:7, …)"]
        assert refused("x\t(1)\n#begin document (a);\n") == (
            "f.conll:1: all words are outside documents\n  add '#begin document (NAME);' before them"
        )

    def test_documents_without_words(self) -> None:
        text = "#begin document (a);\n#end document\n#begin document (b);\nx\t(1)\n#end document\n"
        corpus = corpus_of(text + "#begin document (c);\n#end document\n")
        assert documents(corpus) == {"a": [], "b": ["x"], "c": []}
        assert spans(corpus) == [("b", 0, 1, "ENTITY")]
        assert refused("#begin document (a);\n#end document\n") == "f.conll: there are no words in this file"

    def test_a_name_twice_continues_the_document(self) -> None:
        """Its chains too: the mentions of one number are one chain."""
        corpus = corpus_of(cells("(1)") + cells("(1)").replace("(d);", "(d); part 000"))
        assert (corpus.documents.names, chains(corpus)) == (("d",), [(0, 1, "1"), (1, 2, "1")])
        assert notes(corpus) == ["key: document names that recur, continuing the document of that name: 1 (f.conll:5)"]

    def test_comments_cut_no_sentences(self) -> None:
        corpus = corpus_of("#begin document (d);\nx\t(1\n# remark\ny\t1)\n#end document\n")
        assert (corpus.sentences.tolist(), chains(corpus)) == ([0, 2], [(0, 2, "1")])

    @pytest.mark.parametrize("separator", ["\t", " ", "   "])
    def test_a_word_may_begin_with_a_hash(self, separator: str) -> None:
        text = "#begin document (d);\nx{0}-\n#hash{0}(1)\n#{0}-\n#tag{0}_\n# a remark\n#end document\n"
        corpus = corpus_of(text.format(separator))
        assert (words(corpus), chains(corpus)) == (["x", "#hash", "#", "#tag"], [(1, 2, "1")])
        corpus = corpus_of("#begin document (d);\nd\t0\t0\t#hash\t(1)\n#d\t0\t1\tx\t(2)\n#end document\n")
        assert (words(corpus), chains(corpus)) == (["#hash"], [(0, 1, "1")])

    def test_a_word_may_look_like_a_bracket(self) -> None:
        corpus = corpus_of("#begin document (d);\nd 0 0 (7) -\nd 0 1 7) (7)\n#end document\n")
        assert (words(corpus), chains(corpus)) == (["(7)", "7)"], [(1, 2, "7")])


class TestFiles:
    def test_line_ends_and_a_byte_order_mark(self, tmp_path: Path) -> None:
        path = tmp_path / "f.conll"
        path.write_bytes(b"\xef\xbb\xbf" + SAMPLE.replace("\n", "\r\n").encode())
        corpus = read_input(Input.parse(str(path)), Request(side="key", layer="chains"), "tokens")
        assert chains(corpus) == chains(corpus_of(SAMPLE))
        assert [note.what for note in corpus.notes] == ["byte-order mark ignored", "CRLF line ends read as LF"]

    def test_a_folder_of_files(self, tmp_path: Path) -> None:
        (tmp_path / "a.conll").write_text(cells("(1", "-", "1)"))
        (tmp_path / "b.conll").write_text("u\t-\n" + cells("(1)").replace("(d)", "(e)").removesuffix("#end document\n"))
        (tmp_path / "c.conll").write_text("d\t0\t0\tx\t(1)\n")
        corpus = read_input(Input.parse(str(tmp_path)), Request(side="key", layer="chains"), "tokens")
        assert documents(corpus) == {"d": ["a", "b", "c"], "e": ["a"], "c": ["x"]}
        assert spans(corpus) == [("d", 0, 3, "ENTITY"), ("e", 0, 1, "ENTITY"), ("c", 0, 1, "ENTITY")]
        assert [(note.what, note.count) for note in corpus.notes] == [
            ("documents without '#end document'", 1),
            ("words outside documents ignored", 1),
        ]
        assert corpus.notes[1].first == (f"{tmp_path}/b.conll:1",)

    def test_what_it_looks_like(self) -> None:
        assert sniff(SAMPLE.split("\n"))
        assert sniff(["# begin document x"])
        assert not sniff(["# beginning", "a\tb"])
        assert FORMAT.layers == frozenset({"chains"})

    def test_other_formats_are_refused(self, tmp_path: Path) -> None:
        conllu = "".join(f"{row}\tw\t_\t_\t_\t_\t_\t_\t_\t{{}}\n" for row in (1, 2)) + "\n"
        assert refused(conllu.format("_", "_")) == (
            "f.conll:1: the last column contains no brackets, and this looks like CoNLL-U\n  if so, use FILE::conllu"
        )
        assert refused(conllu.format("_", "SpaceAfter=No")).startswith("f.conll:2: 'SpaceAfter=No' is not a bracket\n")
        assert refused("EU NNP B-NP B-ORG\nrejects VBZ B-VP O\n").startswith("f.conll:1: 'B-ORG' is not a bracket\n")
        path = tmp_path / "notes.txt"
        path.write_text("It rained.\n")
        assert refusal(read_input, Input.parse(str(path)), Request(side="key", layer="chains"), "tokens") == (
            f"{path}:1: unknown format: the file does not match any format with chains\n  it begins with 'It rained.'\n"
            f"  give the format: {path}::FORMAT (brat, clusters, conll2012, conllu, jsonl; see 'comparanda formats')"
        )

    def test_a_file_without_mentions_is_noted(self) -> None:
        assert notes(corpus_of(cells("-", "_"))) == [
            "key: files without brackets in the last column, and so without mentions: 1 (f.conll:2)"
        ]


def slow_reading(text: str) -> list[tuple[int, int, str]]:
    """What the reference scorer makes of a document: of a cell first single words, then what opens, then closes."""
    found: list[tuple[int, int, str]] = []
    half: dict[str, list[int]] = {}
    for row, line in enumerate(line for line in text.split("\n") if line and not line.startswith("#")):
        cell = line.split("\t")[-1]
        found += [(row, row + 1, single) for single in re.findall(r"\((\d+)\)", cell)]
        cell = re.sub(r"\(\d+\)", "|", cell)
        for opening in re.findall(r"\((\d+)", cell):
            half.setdefault(opening, []).append(row)
        found += [(half[closing].pop(), row + 1, closing) for closing in re.findall(r"(?<![(\d])(\d+)\)", cell)]
    assert not any(half.values())
    return sorted(found)


def random_cells(draw: random.Random) -> list[str]:
    """Make cells of mentions that nest and cross, of one word and of several, in any order and with or without bars."""
    size = draw.randint(1, 12)
    given: list[list[str]] = [[] for _ in range(size)]
    for _ in range(draw.randint(0, 12)):
        first = draw.randrange(size)
        last = min(size - 1, first + draw.choice((0, 0, 1, 2, 5)))
        name = str(draw.randint(0, 12))
        given[first].append(f"({name})" if first == last else f"({name}")
        if last > first:
            given[last].append(f"{name})")
    for cell in given:
        draw.shuffle(cell)
    joined = [draw.choice(("|", "")).join(cell) or "-" for cell in given]
    apart = ["|".join(cell) or "-" for cell in given]
    return [bars if AMBIGUOUS.search(cell) else cell for cell, bars in zip(joined, apart, strict=True)]


def test_random_brackets_are_read_as_the_reference_scorer_reads_them() -> None:
    draw = random.Random(2012)
    for _ in range(400):
        given = random_cells(draw)
        text = cells(*given)
        assert sorted(chains(corpus_of(text))) == slow_reading(text), given


@pytest.mark.parametrize(
    ("path", "mentions", "chains_"),
    [("data/coref/gum/gold/gum.key.conll", 7927, 4319), ("data/coref/litbank/gold", 1616, 484)],
)
def test_real_files(path: str, mentions: int, chains_: int) -> None:
    corpus = read_input(Input.parse(str(shared(path))), Request(side="key", layer="chains"), "tokens")
    assert corpus.spans is not None
    assert (len(corpus.spans), notes(corpus)) == (mentions, [])
    per_document = {
        (int(document), name) for document, name in zip(corpus.spans.document, said(corpus, "chain"), strict=True)
    }
    assert len(per_document) == chains_


def test_gum_with_types_has_the_mentions_of_gum_without() -> None:
    def found(path: str) -> dict[str, set[frozenset[tuple[int, int]]]]:
        corpus = read_input(Input.parse(str(shared(path))), Request(side="key", layer="chains"), "tokens")
        groups: dict[tuple[str, str], set[tuple[int, int]]] = {}
        for (name, begin, end, _), chain in zip(spans(corpus), said(corpus, "chain"), strict=True):
            groups.setdefault((name, chain), set()).add((begin, end))
        sets: dict[str, set[frozenset[tuple[int, int]]]] = {}
        for (name, _), group in groups.items():
            sets.setdefault(name, set()).add(frozenset(group))
        return sets

    assert found("data/coref/gum/gold/gum_conll") == found("data/coref/gum/gold/gum.key.conll")


def test_more_spans_than_anybody_needs_at_one_word_are_refused() -> None:
    assert refused(cells("-", "(1)" * 10_001)) == (
        f"f.conll:3: more than 10,000 spans begin at one word\n  {limit_hint('open')}"
    )


@pytest.mark.parametrize(
    "cell",
    ["(1)" * 9_000, "(1|" * 5_000 + "(1)", "1)" * 100_000, "(" * 200_000, "(" + "a" * 200_000, "a" * 200_000 + ")",
     "(1)(" + "1" * 200_000, "|" * 200_000, "(1" * 200_000],
)  # fmt: skip
def test_no_cell_takes_long(cell: str) -> None:
    for broken in ("refuse", "drop"):
        begun = time.process_time()
        with suppress(ReadError):
            corpus_of(cells("-", cell), broken=broken)
        assert time.process_time() - begun < 5


def test_ten_megabytes_of_brackets_are_read_in_time() -> None:
    text = "#begin document (d);\n" + "w\t(1(2)1)\n" * 300_000 + "#end document\n"
    begun = time.process_time()
    assert len(corpus_of(text).spans or ()) == 600_000
    assert time.process_time() - begun < 10
    deep = "#begin document (d);\n" + "w\t(1\n" * 400_000 + "w\t1)\n" * 400_000 + "#end document\n"
    begun = time.process_time()
    assert len(corpus_of(deep).spans or ()) == 400_000
    assert time.process_time() - begun < 10


def test_a_long_name_of_a_document_takes_no_time() -> None:
    begun = time.process_time()
    for name in ("(a" + " " * 300_000 + "b); part 1", "a" + " ;" * 150_000, "(" * 300_000, "; part" * 100_000):
        assert corpus_of(f"#begin document {name}\nx\t(1)\n#end document\n").documents.names[0]
    assert time.process_time() - begun < 5

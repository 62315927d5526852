"""Brackets in MISC of CoNLL-U, as in CorefUD and GUM, read as spans.

The notation is that of <https://github.com/UniversalAnaphora/UniversalAnaphora> (CoNLL-UA, compact) and of CorefUD.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from typing import Any

import pytest

from comparanda.core.corpus import Corpus
from comparanda.core.limits import USUAL, limit_hint
from comparanda.core.places import Source
from comparanda.formats.chunks import with_spans
from comparanda.formats.conllu import read
from comparanda.formats.contract import Request
from comparanda.formats.entity_brackets import Cell, escape, read_mentions, unescape
from tests.formats.corpora import fragments, notes, refusal, said, span_lines, spans, words
from tests.formats.writers.documents import read_files
from tests.seeds import first_few, seeds
from tests.shared_data import shared

HEADER = "# global.Entity = eid-etype-head-other\n"
GUM = "data/coref/gum/gold"


def line(number: object, form: str, misc: str = "_") -> str:
    return f"{number}\t{form}\t_\t_\t_\t_\t_\t_\t_\t{misc}\n"


def sentence(*cells: str) -> str:
    """Make a sentence of words a, b, c … with these brackets."""
    return "".join(
        line(number, chr(96 + number), f"Entity={cell}" if cell else "_") for number, cell in enumerate(cells, start=1)
    ) + "\n"  # fmt: skip


def corpus_of(text: str, value: str | None = None, extra: tuple[str, ...] = (), **options: str) -> Corpus:
    return read(
        Source.of_text("f.conllu", text.encode()),
        Request(side="key", value=value, extra=extra, options=options, layer="spans"),
    )


def extents(text: str, **options: Any) -> list[tuple[int, int, str]]:
    return [(begin, end, label) for _, begin, end, label in spans(corpus_of(text, **options))]


def refused(text: str, code: int = 3, **given: Any) -> str:
    return refusal(corpus_of, text, code=code, **given)


SAMPLE = (
    "# newdoc id = letter\n"
    "# global.Entity = eid-etype-head-infstat-identity\n"
    "# text = The mayor of Łódź, Anna\n"
    + line(1, "The", "Entity=(e1-person-2-new")
    + line(2, "mayor")
    + line(3, "of")
    + line(4, "Łódź", "Entity=(e2-place-1-new-Łódź)e1)|SpaceAfter=No")
    + line(5, ",")
    + line(6, "Anna", "SpaceAfter=No|Entity=(e1-person-1-giv-Anna_%28mayor%29)")
    + "\n# newdoc id = other\n"
    + line(1, "She", "Entity=(e1)")
    + "\n"
)


class TestSample:
    def test_spans_and_what_is_said_of_them(self) -> None:
        corpus = corpus_of(SAMPLE)
        assert spans(corpus) == [
            ("letter", 0, 4, "person"),
            ("letter", 3, 4, "place"),
            ("letter", 5, 6, "person"),
            ("other", 0, 1, "ENTITY"),
        ]
        assert said(corpus, "chain") == ["e1", "e2", "e1", "e1"]
        assert said(corpus, "id") == [None, "Łódź", "Anna_(mayor)", None]
        assert said(corpus, "head") == ["2", "1", "1", None]
        assert said(corpus, "infstat") == ["new", "new", "giv", None]
        assert corpus.spans is not None
        assert sorted(corpus.spans.columns) == ["chain", "head", "id", "infstat"]
        assert span_lines(corpus) == ["f.conllu:4", "f.conllu:7", "f.conllu:9", "f.conllu:12"]
        assert (corpus.evaluated, corpus.notes) == ("etype", ())

    def test_further_columns_of_words_are_read(self) -> None:
        text = sentence("(e1)").replace("a\t_\t_", "a\t_\tNOUN")
        assert corpus_of(HEADER + text, None, ("upos",)).columns["upos"].names == ("NOUN",)

    def test_the_text_is_that_of_the_spaces(self) -> None:
        corpus = corpus_of(SAMPLE)
        assert corpus.raw is not None
        assert corpus.raw.documents == ("The mayor of Łódź, Anna", "She")
        assert words(corpus) == ["The", "mayor", "of", "Łódź", ",", "Anna", "She"]
        places = zip(corpus.raw.begin.tolist(), corpus.raw.end.tolist(), strict=True)
        assert list(places) == [(0, 3), (4, 9), (10, 12), (13, 17), (17, 18), (19, 23), (0, 3)]

    def test_the_label_can_be_another_field(self) -> None:
        corpus = corpus_of(SAMPLE.replace("(e1)", "(e1-x)"), label="infstat")
        assert [label for *_, label in spans(corpus)] == ["new", "new", "giv", "ENTITY"]
        assert said(corpus, "etype") == ["person", "place", "person", "x"]
        assert corpus.evaluated == "infstat"
        assert refused(SAMPLE, label="infstatus") == (
            "f.conllu:4: the brackets have no field 'infstatus' (did you mean 'infstat'?)\n"
            "  their fields: eid, etype, head, infstat, identity"
        )


class TestBrackets:
    @pytest.mark.parametrize(
        ("cells", "found"),
        [
            (["(e1-x)"], [(0, 1, "x")]),
            (["(e1-x", "e1)"], [(0, 2, "x")]),
            (["(e1-x(e2-y", "e2)e1)"], [(0, 2, "x"), (0, 2, "y")]),
            (["(e1-x", "(e2-y)", "e1)"], [(0, 3, "x"), (1, 2, "y")]),
            (["(e1-x", "(e2-y", "e1)", "e2)"], [(0, 3, "x"), (1, 4, "y")]),
            (["(e1-x", "(e1-y", "e1)", "e1)"], [(0, 4, "x"), (1, 3, "y")]),
            (["(e1-x)(e1-y)(e2-z)"], [(0, 1, "x"), (0, 1, "y"), (0, 1, "z")]),
            (["(e1-x", "e1)(e1-y", "e1)"], [(0, 2, "x"), (1, 3, "y")]),
            (["", "_", "(e1-x)"], [(2, 3, "x")]),
        ],
    )
    def test_nested_and_crossing(self, cells: list[str], found: list[tuple[int, int, str]]) -> None:
        assert extents(HEADER + sentence(*cells)) == found

    def test_spans_over_the_ends_of_sentences(self) -> None:
        assert extents(HEADER + sentence("", "(e1-x") + sentence("e1)")) == [(1, 3, "x")]

    def test_ids_of_documents_are_their_own(self) -> None:
        text = HEADER + sentence("(1-x") + "# newdoc id = two\n" + sentence("1)")
        assert refused(text) == "f.conllu:2: the span '(1-x' is not closed\n  its document ends without '1)'"

    def test_escapes_and_hyphens_in_the_last_field(self) -> None:
        text = "# global.Entity = eid-etype-other\n" + sentence("(e1-a%2Db-c-d%28%29)(e2-a&#45;b-e)")
        corpus = corpus_of(text)
        assert [label for *_, label in spans(corpus)] == ["a-b", "a-b"]
        assert said(corpus, "other") == ["c-d()", "e"]

    @pytest.mark.parametrize(
        ("written", "ids"),
        [
            ("Q1", "Q1"),
            ("Q1,Q2", "Q1|Q2"),
            ("Tulsa,_Oklahoma", "Tulsa,_Oklahoma"),
            ("Tulsa%2C_Oklahoma", "Tulsa,_Oklahoma"),
            ("NIL", "NIL"),
            ("a%7Cb", "a%7Cb"),
        ],
    )
    def test_ids(self, written: str, ids: str) -> None:
        assert said(corpus_of("# global.Entity = eid-identity\n" + sentence(f"(e1-{written})")), "id") == [ids]

    def test_fields_that_are_no_columns(self) -> None:
        corpus = corpus_of("# global.Entity = eid-etype-begin\n" + sentence("(e1-x-5)"))
        assert said(corpus, "entity_begin") == ["5"]

    def test_probabilities_are_numbers(self) -> None:
        header = "# global.Entity = eid-etype-probability\n"
        assert said(corpus_of(header + sentence("(e1-x-0.5)")), "probability") == [0.5]
        assert said(corpus_of(header + sentence("(e1-x-high)")), "probability") == ["high"]

    def test_labels_are_made_canonical(self) -> None:
        corpus = corpus_of(HEADER + sentence("(e1-e\u0301)(e2-%20)(e3-a%20)"))
        assert [label for *_, label in spans(corpus)] == ["\u00e9", "ENTITY", "a"]
        assert notes(corpus) == [
            "key: labels not in Unicode's normal form NFC, normalised: 1 (f.conllu:2)",
            "key: labels with spaces around them or no-break spaces inside, cleaned: 1 (f.conllu:2)",
        ]

    @pytest.mark.parametrize("value", ["Aix-en-Othe", "a|b(c)", "100 %", "%2D", "&#45;", "[1/2]", "\u00e9\n"])
    def test_what_is_escaped_is_plain_again(self, value: str) -> None:
        assert unescape(escape(value)) == value
        assert not re.search(r"[-()|\s\[\]]", escape(value))


class TestDiscontinuous:
    def test_parts_are_one_span(self) -> None:
        corpus = corpus_of(HEADER + sentence("(e1[1/2]-x", "e1[1/2])", "(e2-y)", "(e1[2/2]-x)"))
        assert spans(corpus) == [("f", 0, 4, "x"), ("f", 2, 3, "y")]
        assert fragments(corpus) == [(0, 0, 2), (0, 3, 4)]
        assert said(corpus, "chain") == ["e1", "e2"]

    def test_three_parts_and_a_mention_of_the_same_entity_among_them(self) -> None:
        corpus = corpus_of(HEADER + sentence("(e1[1/3]-x)", "(e1-y)", "(e1[2/3]-x)", "", "(e1[3/3]-x)"))
        assert fragments(corpus) == [(0, 0, 1), (0, 2, 3), (0, 4, 5)]
        assert spans(corpus)[1] == ("f", 1, 2, "y")

    def test_parts_that_touch_are_one_piece(self) -> None:
        corpus = corpus_of(HEADER + sentence("(e1[1/2]-x)", "(e1[2/2]-x)"))
        assert (spans(corpus), fragments(corpus)) == ([("f", 0, 2, "x")], [])

    def test_nested_discontinuous_mentions_of_one_entity(self) -> None:
        corpus = corpus_of(HEADER + sentence("(e1[1/2]-x)", "", "(e1[1/2]-y)", "", "(e1[2/2]-y)", "", "(e1[2/2]-x)"))
        assert fragments(corpus) == [(0, 0, 1), (0, 6, 7), (1, 2, 3), (1, 4, 5)]

    def test_old_style_with_the_part_behind_all_fields(self) -> None:
        text = "# global.Entity = GRP-etype\n" + sentence("(15-x[1/2]", "15-x[1/2])", "", "(15-x[2/2])")
        corpus = corpus_of(text)
        assert (spans(corpus), fragments(corpus)) == ([("f", 0, 4, "x")], [(0, 0, 2), (0, 3, 4)])
        assert said(corpus, "chain") == ["15"]

    @pytest.mark.parametrize(
        ("cells", "what"),
        [
            (["(e1[2/2]-x)"], "'e1[2/2]' is part 2 of 2, but part 1 is not closed before it"),
            (["(e1[1/2]-x", "(e1[2/2]-x)", "e1[1/2])"], "'e1[2/2]' is part 2 of 2, but part 1 is not closed before it"),
            (["(e1[1/2]-x)", "(e1[2/3]-x)"], "'e1[2/3]' is part 2 of 3, but part 1 is not closed before it"),
            (["(e1[3/2]-x)"], "'e1[3/2]' is part 3 of 2"),
            (["(e1[0/2]-x)"], "'e1[0/2]' is part 0 of 2"),
            (["(e1[1/0]-x)"], "'e1[1/0]' is part 1 of 0"),
            (["(e1[1/2]-x)"], "the span 'e1' has 2 parts, but part 2 is missing"),
        ],
    )
    def test_parts_that_do_not_fit(self, cells: list[str], what: str) -> None:
        assert refused(HEADER + sentence(*cells)).split(": ", 1)[1].split("\n")[0] == what


class TestOtherLines:
    def test_spans_of_empty_nodes_alone_are_left_out_and_counted(self) -> None:
        text = HEADER + line(1, "a", "Entity=(e1-x)") + line("1.1", "_", "Entity=(e2-zero)") + line(2, "b") + "\n"
        corpus = corpus_of(text)
        assert spans(corpus) == [("f", 0, 1, "x")]
        assert notes(corpus) == ["key: spans of empty nodes alone ignored: 1 (f.conllu:3)"]

    def test_spans_that_begin_or_end_at_empty_nodes_keep_their_words(self) -> None:
        text = (
            HEADER
            + line("0.1", "_", "Entity=(e1-x")
            + line(1, "a", "Entity=e1)(e2-y")
            + line(2, "b")
            + line("2.1", "_", "Entity=e2)")
            + line(3, "c")
            + "\n"
        )
        corpus = corpus_of(text)
        assert (spans(corpus), notes(corpus)) == ([("f", 0, 1, "x"), ("f", 0, 2, "y")], [])

    def test_an_empty_node_behind_the_last_word_belongs_to_its_document(self) -> None:
        text = (
            HEADER
            + line(1, "a", "Entity=(1-x")
            + line("1.1", "_", "Entity=1)")
            + "\n# newdoc id = two\n"
            + line("0.1", "_", "Entity=(1-y")
            + line(1, "b", "Entity=1)")
            + "\n"
        )
        assert spans(corpus_of(text)) == [("f", 0, 1, "x"), ("two", 0, 1, "y")]

    def test_brackets_of_ranges_are_those_of_their_words(self) -> None:
        text = (
            HEADER
            + line("1-2", "du", "Entity=(e1-x)(e2-y")
            + line(1, "de")
            + line(2, "le")
            + line(3, "c", "Entity=e2)")
        )
        corpus = corpus_of(text + "\n")
        assert spans(corpus) == [("f", 0, 2, "x"), ("f", 0, 3, "y")]
        assert notes(corpus) == ["key: brackets on multiword tokens, read as covering all their words: 1 (f.conllu:2)"]

    def test_other_keys_are_passed_over(self) -> None:
        text = HEADER + line(1, "a", "NoEntity=((|Entity=(e1-x)|Entity2=((") + "\n"
        assert extents(text) == [(0, 1, "x")]

    def test_comments_and_other_columns_are_no_misc(self) -> None:
        text = HEADER + "# note =\t\t\t\t\t\t\t\t\tEntity=((\n" + sentence("(e1-x)").replace("a\t_", "a\tx|Entity=((")
        assert extents(text) == [(0, 1, "x")]


class TestHeaders:
    @pytest.mark.parametrize(
        ("cells", "fields", "labels", "chains"),
        [
            (["(e1-x", "e1)", "(e2-y)"], "eid-etype-head-other", ["x", "y"], ["e1", "e2"]),
            (["(1", "1)", "(2)"], "eid-etype-head-other", ["ENTITY", "ENTITY"], ["1", "2"]),
            (["(x-1", "x-1)", "(y-2)"], "etype-eid-other", ["x", "y"], ["1", "2"]),
            (["(x", "x)", "(x)"], "etype", ["x", "x"], None),
        ],
    )
    def test_without_one_the_brackets_tell(
        self, cells: list[str], fields: str, labels: list[str], chains: list[str] | None
    ) -> None:
        corpus = corpus_of(sentence(*cells))
        assert spans(corpus) == [("f", 0, 2, labels[0]), ("f", 2, 3, labels[1])]
        assert corpus.spans is not None
        assert (said(corpus, "chain") if "chain" in corpus.spans.columns else None) == chains
        assert notes(corpus) == [
            f"key: brackets without a preceding line '# global.Entity', read as {fields}: 3 "
            "(f.conllu:1, f.conllu:2, f.conllu:3)"
        ]

    def test_the_fields_can_be_given(self) -> None:
        corpus = corpus_of(sentence("(x-7-Q1)"), fields="etype-GRP-identity")
        assert (spans(corpus), said(corpus, "chain"), said(corpus, "id")) == ([("f", 0, 1, "x")], ["7"], ["Q1"])
        assert not corpus.notes

    def test_old_closing_brackets_repeat_all_fields(self) -> None:
        text = "# global.Entity = entity-GRP-identity\n" + sentence("(place-2-Q1", "(time-3)place-2-Q1)")
        assert extents(text) == [(0, 2, "place"), (1, 2, "time")]

    def test_a_span_is_closed_under_one_of_its_names_alone(self) -> None:
        text = "# global.Entity = entity-GRP\n" + sentence("(place-2", "place-2)", "2)")
        assert refused(text) == "f.conllu:4: '2)' closes a span that is not open"

    def test_each_holds_up_to_the_next(self) -> None:
        text = "# global.Entity = eid-etype\n" + sentence("(1-x)") + "# global.Entity = etype-eid\n" + sentence("(y-2)")
        assert extents(text) == [(0, 1, "x"), (1, 2, "y")]

    def test_a_header_alone_says_that_there_are_no_spans(self) -> None:
        corpus = corpus_of(HEADER + sentence("", ""))
        assert spans(corpus) == []


class TestChoosing:
    CHUNKS = line(1, "a", "NE=B-X|Entity=(e1-y)") + line(2, "b", "NE=I-X") + line(3, "c") + "\n"

    def test_brackets_go_before_where_no_column_is_named(self) -> None:
        assert extents(HEADER + self.CHUNKS) == [(0, 1, "y")]

    @pytest.mark.parametrize("given", [{"column": "misc:NE"}, {"value": "misc:NE"}, {"value": "MISC:NE"}])
    def test_tags_of_a_key(self, given: dict[str, Any]) -> None:
        corpus = corpus_of(HEADER + self.CHUNKS, **given)
        assert corpus.spans is None
        assert corpus.evaluated == "misc:NE"
        assert spans(with_spans(corpus, Request(side="key"))) == [("f", 0, 2, "X")]

    def test_a_key_that_no_line_has(self) -> None:
        assert refused(self.CHUNKS, column="misc:TAG") == (
            "f.conllu: the column 'misc:TAG' contains only '_'\n"
            "  columns with values: misc; choose one with --column NAME, or ::conllu?column=NAME for one file"
        )

    def test_tags_of_a_feature_of_words(self) -> None:
        text = "1\ta\t_\tN\t_\tCase=Nom|Number=Sing\t0\troot\t_\t_\n2\tb\t_\tN\t_\t_\t0\troot\t_\t_\n\n"
        corpus = read(Source.of_text("f", text.encode()), Request(side="key", value="feats:Number"))
        assert corpus.columns["value"].values() == ["Sing", "_"]

    def test_another_key(self) -> None:
        text = "# global.NE = etype\n" + line(1, "a", "NE=(x") + line(2, "b", "NE=x)") + "\n"
        assert extents(text, entities="NE") == [(0, 2, "x")]

    def test_a_column_for_all_files_goes_behind_a_key_for_one(self) -> None:
        assert [each[1:] for each in spans(corpus_of(HEADER + self.CHUNKS, "xpos", entities="Entity"))] == [(0, 1, "y")]

    def test_none(self) -> None:
        assert refused(HEADER + self.CHUNKS, code=2, entities="none").startswith(
            "CoNLL-U has no standard column for spans"
        )

    def test_a_key_that_is_not_there(self) -> None:
        assert refused(self.CHUNKS, entities="Ent") == (
            "f.conllu: no line has 'Ent' in MISC\n"
            "  set the key that holds the brackets: ::conllu?entities=KEY (default: Entity)"
        )

    @pytest.mark.parametrize("option", [{"entities": "Entity"}, {"label": "etype"}, {"fields": "eid"}])
    def test_brackets_and_a_column_exclude_each_other(self, option: dict[str, str]) -> None:
        assert refused(self.CHUNKS, code=2, column="misc:NE", **option) == (
            "?column= selects chunk tags, so there are no brackets to read\n  leave out one of the options"
        )

    def test_other_tasks_have_no_brackets(self) -> None:
        request = Request(side="key", options={"label": "etype"})
        assert refusal(read, Source.of_text("f", self.CHUNKS.encode()), request, code=2) == (
            "the option 'label' applies to spans in brackets, but this task does not evaluate spans\n"
            "  remove it, or choose a task that evaluates spans"
        )


class TestDefects:
    @pytest.mark.parametrize(
        ("cells", "message"),
        [
            (["(e1-x", "", ""], "f.conllu:2: the span '(e1-x' is not closed\n  its document ends without 'e1)'"),
            (["", "e1)"], "f.conllu:3: 'e1)' closes a span that is not open"),
            (
                ["(e1-x", "e2)", "e1)"],
                "f.conllu:3: 'e2)' closes a span that is not open\n  the span opened last is '(e1-x', at f.conllu:2",
            ),
            (["(e1-x)", "e1)"], "f.conllu:3: 'e1)' closes a span that is not open"),
            (["(e1-x", "e1)", "e1)"], "f.conllu:4: 'e1)' closes a span that is not open"),
            (
                ["person"],
                "f.conllu:2: 'person' is not a bracket\n"
                "  write (id-type to open a span, id) to close it, (id-type) to do both",
            ),
            (
                ["(e1-x)e"],
                "f.conllu:2: 'e' is not a bracket\n"
                "  write (id-type to open a span, id) to close it, (id-type) to do both",
            ),
            (
                ["()"],
                "f.conllu:2: '()' is not a bracket\n"
                "  write (id-type to open a span, id) to close it, (id-type) to do both",
            ),
            (
                ["(e1-x)|Entity=(e2-y)"],
                "f.conllu:2: duplicate 'Entity' in MISC",
            ),
            (["(e1-x%00)"], "f.conllu:2: a NUL character in 'x\\x00'\n  is it text?"),
        ],
    )
    def test_where_what_and_what_to_do(self, cells: list[str], message: str) -> None:
        assert refused(HEADER + sentence(*cells)) == message

    def test_an_empty_cell(self) -> None:
        assert refused(HEADER + line(1, "a", "Entity=") + "\n") == (
            "f.conllu:2: there are no brackets\n  write (id-type to open a span, id) to close it, (id-type) to do both"
        )

    def test_lines_of_white_space_are_mended_before(self) -> None:
        corpus = corpus_of(HEADER + sentence("(e1-x)").rstrip("\n") + "\n \n" + sentence("(e2-y)"))
        assert [each[1:] for each in spans(corpus)] == [(0, 1, "x"), (1, 2, "y")]

    @pytest.mark.parametrize("unit", first_few(2, ["(", "(1", "(1)", "1)", "a", "|Entity="]))
    def test_ten_megabytes_of_brackets_are_refused_at_once(self, unit: str) -> None:
        text = HEADER + line(1, "a", "Entity=" + unit * (10_000_000 // len(unit))) + "\n"
        began = time.process_time()
        message = refused(text)
        assert time.process_time() - began < 5
        assert message.startswith("f.conllu:2: ")
        assert len(message) < 300

    def test_deep_nesting_has_an_end(self) -> None:
        cells = [*(f"(e{number}-x" for number in range(10_001)), *(f"e{number})" for number in range(10_001))]
        text = HEADER + "".join(line(number, "a", f"Entity={cell}") for number, cell in enumerate(cells, start=1))
        assert refused(text + "\n") == (
            f"f.conllu:10002: more than 10,000 spans are open at once\n  {limit_hint('open')}"
        )
        shallow = HEADER + "".join(
            line(number, "a", f"Entity={cell}") for number, cell in enumerate(cells[1:10_001] + cells[10_002:], start=1)
        )
        assert len(extents(shallow + "\n")) == 10_000


class TestTexts:
    def test_spaces_of_udpipe(self) -> None:
        text = (
            "# text = a\n"
            + line(1, "a", "SpacesBefore=\\s|SpacesAfter=\\s\\n\\t")
            + line(2, "b", "SpacesAfter=\\u00A0\\p\\\\")
            + line(3, "c", "SpacesAfter=\\n")
            + "\n"
        )
        corpus = corpus_of(text + HEADER + sentence("(e1-x)"))
        assert corpus.raw is not None
        assert corpus.raw.documents == (" a \n\tb\u00a0|\\c\na",)

    def test_numbers_of_no_character_are_left_as_they_are(self) -> None:
        lines = line(1, "a", "SpacesAfter=\\ud800|Entity=(e1-x)") + line(2, "b", "SpacesAfter=\\u0000") + line(3, "c")
        corpus = corpus_of(HEADER + lines + "\n")
        assert corpus.raw is not None
        assert corpus.raw.documents == ("a\\ud800b\\u0000c",)

    def test_other_values_and_lines_without_words_say_nothing(self) -> None:
        lines = (
            line(1, "a", "SpaceAfter=Yes|Entity=(e1-x)")
            + line("1.1", "_", "SpaceAfter=No|SpacesAfter=\\n|SpacesBefore=\\n")
            + line(2, "b")
        )
        corpus = corpus_of(HEADER + lines + "\n")
        assert corpus.raw is not None
        assert corpus.raw.documents == ("a b",)

    def test_ranges_whose_words_make_them_up(self) -> None:
        text = (
            HEADER
            + line("1-2", "can't", "SpaceAfter=No")
            + line(1, "ca", "Entity=(e1-x)")
            + line(2, "n't")
            + line(3, "!")
            + "\n"
        )
        corpus = corpus_of(text)
        assert corpus.raw is not None
        assert (corpus.raw.documents, corpus.ranges) == (("can't!",), None)
        assert words(corpus) == ["ca", "n't", "!"]

    @pytest.mark.parametrize(
        "lines",
        [
            line("1-2", "du", "SpaceAfter=No") + line(1, "de", "Entity=(e1-x)") + line(2, "le"),
            line(1, "1 000", "Entity=(e1-x)|SpaceAfter=No") + line(2, "b"),
            line(1, "a", "Entity=(e1-x)") + line(2, "b"),
        ],
    )
    def test_where_it_is_not_known_there_is_none(self, lines: str) -> None:
        assert corpus_of(HEADER + lines + "\n").raw is None


def recount(text: str) -> Counter[tuple[int, int, str, str | None]]:
    """Count the mentions of one document of GUM by going through its lines."""
    open_: list[tuple[str, int, str, str | None]] = []
    found: Counter[tuple[int, int, str, str | None]] = Counter()
    row = 0
    for each in text.split("\n"):
        fields = each.split("\t")
        if len(fields) != 10 or not fields[0].isdigit():
            continue
        misc = dict(pair.split("=", 1) for pair in fields[9].split("|") if "=" in pair)
        for opened, closed in re.findall(r"\(([^()]+)|([^()]*\))", misc.get("Entity", "")):
            if opened:
                group, label, *rest = opened.split("-")
                open_.append((group, row, label, rest[5] if len(rest) > 5 else None))
            else:
                group = closed[:-1] or open_[-1][0]
                number = max(number for number, one in enumerate(open_) if one[0] == group)
                _, begin, label, identity = open_.pop(number)
                found[begin, row + 1, label, identity] += 1
        row += 1
    return found


class TestGum:
    FILES = ("GUM_bio_dvorak", "GUM_interview_hill", "GUM_news_nasa", "GUM_voyage_oakland")
    COUNTS = (223, 252, 336, 293)

    @pytest.mark.parametrize(("name", "count"), [*zip(FILES, COUNTS, strict=True)])
    def test_all_mentions_are_there(self, name: str, count: int) -> None:
        corpus = read_files(shared(f"{GUM}/conllu"), f"{name}.conllu")
        ids = said(corpus, "id")
        found = Counter(
            (begin, end, label, id_) for (_, begin, end, label), id_ in zip(spans(corpus), ids, strict=True)
        )
        expected = recount(shared(f"{GUM}/conllu/{name}.conllu").read_text(encoding="utf-8"))
        assert found == Counter({(*key[:3], key[3] and unescape(key[3])): value for key, value in expected.items()})
        assert sum(found.values()) == count
        assert not corpus.notes

    @pytest.mark.parametrize("name", FILES)
    def test_they_are_those_of_the_other_file_of_the_same_annotation(self, name: str) -> None:
        corpus = read_files(shared(f"{GUM}/conllu"), f"{name}.conllu")
        data = shared(f"{GUM}/gum_conll/{name}.conll").read_bytes()
        rows = [each.split("\t") for each in data.decode().split("\n") if each.count("\t") == 2]
        cells = [Cell(each[2], 0, row, row + 1) for row, each in enumerate(rows) if each[2] != "_"]
        fields = ("etype", "GRP", "identity")
        found = read_mentions(Source.of_text("x", data), [(cell, fields) for cell in cells], USUAL.open)
        mine = [(begin, end, label) for _, begin, end, label in spans(corpus)]
        assert Counter((*each.pieces[0], dict(each.values())["etype"], each.chain) for each in found) == Counter(
            (*extent, chain) for extent, chain in zip(mine, said(corpus, "chain"), strict=True)
        )

    def test_the_texts_are_those_of_the_comments(self) -> None:
        corpus = read_files(shared(f"{GUM}/conllu"), "GUM_news_nasa.conllu")
        text = shared(f"{GUM}/conllu/GUM_news_nasa.conllu").read_text(encoding="utf-8")
        assert corpus.raw is not None
        comments = " ".join(each.removeprefix("# text = ") for each in text.split("\n") if each.startswith("# text = "))
        assert corpus.raw.documents[0].replace(" ", "") == comments.replace(" ", "")
        assert len(corpus.raw.documents[0]) == len(comments)


@pytest.mark.parametrize("seed", seeds(8, of=30))
def test_random_brackets_are_the_spans_they_were_made_of(seed: int) -> None:
    draw = random.Random(seed)
    size = draw.randint(1, 12)
    made = []
    for number in range(draw.randint(0, 8)):
        begin = draw.randrange(size)
        made.append((begin, draw.randint(begin + 1, size), f"e{number}"))
    cells = [""] * size
    for begin, end, name in made:
        if end == begin + 1:
            cells[begin] = f"({name}-x){cells[begin]}" if draw.random() < 0.5 else f"{cells[begin]}({name}-x)"
        else:
            cells[begin] += f"({name}-x"
            cells[end - 1] = f"{name}){cells[end - 1]}"
    corpus = corpus_of(HEADER + sentence(*cells))
    assert corpus.spans is not None
    names = said(corpus, "chain") if made else []
    assert sorted((begin, end, name) for (_, begin, end, _), name in zip(spans(corpus), names, strict=True)) == sorted(
        made
    )

"""Documents with spans beside their text: JSONL, and the same from Python."""

from __future__ import annotations

import json
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparanda.core.corpus import Corpus
from comparanda.core.places import Source
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from comparanda.formats.jsonl import FORMAT
from comparanda.formats.objects import read_object
from tests.formats.corpora import documents, fragments, lines, notes, refusal, said, span_lines, spans, words


def read(*objects: Any, value: str | None = None, **options: str) -> Corpus:
    """Read objects as lines of JSONL; a text is a line as it is."""
    text = "".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in objects)
    FORMAT.check_options(options)
    source = Source.of_text("f.jsonl", text.encode())
    return FORMAT.read(source, Request(side="key", value=value, options=options, layer="spans"))


def anna(**changes: Any) -> dict[str, Any]:
    """A document with one span, which is changed."""
    return {"id": "d1", "text": "Anna ran.", "spans": [{"begin": 0, "end": 4, "label": "PER"} | changes]}


def doc(text: str | None, *spans_of: tuple[int, int, str], name: str = "d1") -> dict[str, Any]:
    """A document whose spans name the text that they cover."""
    found = [{"begin": begin, "end": end, "label": "X", "text": covers} for begin, end, covers in spans_of]
    return {"id": name, "spans": found} | ({} if text is None else {"text": text})


class TestDocuments:
    def test_one_a_line(self) -> None:
        corpus = read(
            anna(),
            {"id": "d2", "text": "", "spans": []},
            {"id": "d3", "text": "I met Bo.\nIn Rome!\n", "spans": [{"begin": 13, "end": 17, "label": "LOC"}]},
        )
        assert spans(corpus) == [("d1", 0, 4, "PER"), ("d3", 13, 17, "LOC")]
        assert documents(corpus) == {
            "d1": ["Anna", "ran", "."],
            "d2": [],
            "d3": ["I", "met", "Bo", ".", "In", "Rome", "!"],
        }
        assert corpus.sentences.tolist() == [0, 3, 7, 10]
        assert corpus.documents.offsets.tolist() == [0, 1, 1, 3]
        assert (corpus.documents.marked, corpus.by_id, corpus.evaluated) == (True, False, "label")
        assert lines(corpus) == [1] * 3 + [3] * 7
        assert span_lines(corpus) == ["f.jsonl:1", "f.jsonl:3"]
        assert notes(corpus) == []

    def test_rows_stand_in_the_text(self) -> None:
        corpus = read(anna(), {"id": "d2", "text": "  Ünï 😀!", "spans": []})
        assert corpus.raw is not None
        assert corpus.raw.documents == ("Anna ran.", "  Ünï 😀!")
        owner = np.repeat([0, 1], np.diff(corpus.row_documents)).tolist()
        places = zip(owner, corpus.raw.begin.tolist(), corpus.raw.end.tolist(), strict=True)
        assert [corpus.raw.documents[number][begin:end] for number, begin, end in places] == words(corpus)
        assert corpus.raw.begin.tolist() == [0, 5, 8, 2, 6, 7]

    def test_without_texts_there_are_no_rows(self) -> None:
        corpus = read(doc(None, (3, 9, "Anna"), name="a"), doc(None, name="b"), doc(None, (0, 0, ""), name="c"))
        assert spans(corpus) == [("a", 3, 9, "X"), ("c", 0, 0, "X")]
        assert (len(corpus), corpus.words, corpus.raw, corpus.documents.names) == (0, None, None, ("a", "b", "c"))
        assert corpus.row_documents.tolist() == [0, 0, 0, 0]
        assert said(corpus, "text") == ["Anna", None]

    def test_a_null_is_no_text(self) -> None:
        assert read({"id": 1, "text": None, "spans": []}).raw is None

    def test_other_fields_are_attributes(self) -> None:
        first = {"id": "a", "text": "", "spans": [], "genre": "news", "year": 1999, "tags": ["x"], "meta": {"a": 1}}
        second: dict[str, Any] = {"id": "b", "text": "", "spans": [], "year": None, "final": True, "genre": ""}
        attributes = read(first, second).documents.attributes
        assert {name: column.values() for name, column in attributes.items()} == {
            "genre": ["news", None],
            "year": ["1999", None],
            "final": [None, "True"],
        }

    @pytest.mark.parametrize("field", ["id", "doc_id", "document", "doc", "name"])
    def test_names_of_the_field_with_the_name(self, field: str) -> None:
        assert read({field: 7, "text": "", "spans": []}).documents.names == ("7",)

    def test_the_first_of_these_goes_before_and_an_option_before_all(self) -> None:
        both = {"name": "n", "doc_id": "x", "id": "i", "text": "", "spans": []}
        assert read(both).documents.names == ("i",)
        assert read(both, document="doc_id").documents.names == ("x",)
        assert read(both, id="name").documents.names == ("n",)

    def test_without_a_name_they_are_numbered_and_that_is_noted(self) -> None:
        corpus = read({"text": "", "spans": []}, {"text": "", "spans": []})
        assert corpus.documents.names == ("document 1", "document 2")
        assert notes(corpus) == [
            "key: no field is known to hold the names of documents; they are numbered instead: 1 (f.jsonl:1)"
        ]

    def test_the_text_may_have_another_name(self) -> None:
        assert words(read({"id": 1, "content": "Anna", "spans": []}, text="content")) == ["Anna"]

    def test_one_array_is_read_too(self) -> None:
        corpus = read("[" + json.dumps(anna()) + ",\n" + json.dumps(anna() | {"id": "d2"}) + "]")
        assert spans(corpus) == [("d1", 0, 4, "PER"), ("d2", 0, 4, "PER")]
        assert span_lines(corpus) == ["f.jsonl:1", "f.jsonl:2"]

    @pytest.mark.parametrize(
        ("objects", "expected"),
        [
            (
                [anna(), {}, anna()],
                "f.jsonl:2: the document has no 'id'\n  give every document a unique name",
            ),
            (
                [anna() | {"id": ""}],
                "f.jsonl:1: the document has no 'id'\n  give every document a unique name",
            ),
            (
                [anna() | {"id": ["d"]}],
                "f.jsonl:1: 'id' is of type list, which is not a document name\n"
                "  name the field that holds it: ?document=FIELD",
            ),
            (
                [anna(), anna() | {"id": "d2"}, anna()],
                "f.jsonl:3: duplicate document 'd1'\n"
                "  the first is at f.jsonl:1\n"
                "  rename one: document names must be unique",
            ),
            (
                [anna(), {"id": "d2", "spans": []}],
                "f.jsonl:2: the document 'd2' has no text, but the first has one\n"
                "  give all documents their text, or none",
            ),
            (
                [{"id": "d2", "spans": []}, anna()],
                "f.jsonl:2: the document 'd1' has a text, but the first has none\n"
                "  give all documents their text, or none",
            ),
            (
                [{"id": "d1", "text": ["Anna"], "spans": []}],
                "f.jsonl:1: the text of document 'd1' is of type list\n"
                "  name the field that holds the text: ?text=FIELD",
            ),
            (
                [{"id": "d1", "text": "a\0b", "spans": []}],
                "f.jsonl:1: a NUL character in 'a\\x00b'\n  is it text?",
            ),
            (
                [anna(), {"id": "d2", "text": ""}],
                "f.jsonl:2: there is no field 'spans'\n  document 'd2'\n"
                "  give every document the fields of the first; use an empty list if there are no spans",
            ),
            (
                [anna(), {"id": "d2", "text": "", "spans": None}],
                "f.jsonl:2: 'spans' has no value\n  document 'd2'\n"
                "  give a list, empty if there are no spans; "
                'write a span like this: {"begin": 0, "end": 5, "label": "PER"}',
            ),
            (
                [anna(), {"id": "d2", "text": "", "spans": "none"}],
                "f.jsonl:2: 'spans' is of type str\n  document 'd2'\n"
                "  give a list, empty if there are no spans; "
                'write a span like this: {"begin": 0, "end": 5, "label": "PER"}',
            ),
            (
                [{"id": "d1", "text": "", "people": []}],
                "f.jsonl:1: cannot determine which field holds the spans\n  fields: id, text, people\n"
                '  name it: ?spans=FIELD; write a span like this: {"begin": 0, "end": 5, "label": "PER"}',
            ),
        ],
    )
    def test_what_is_refused(self, objects: list[Any], expected: str) -> None:
        assert refusal(read, *objects) == expected

    def test_broken_json_has_its_line(self) -> None:
        assert refusal(read, anna(), '{"id": "d2", "text": ') == (
            "f.jsonl:2: the JSON object is cut off\n  JSONL needs one complete object per line"
        )

    def test_a_field_that_an_option_names_must_be_there(self) -> None:
        assert refusal(read, anna(), spans="span") == (
            "f.jsonl:1: there is no field 'span' (did you mean 'spans'?)\n  fields: id, text, spans"
        )


class TestFields:
    @pytest.mark.parametrize("field", ["spans", "entities", "ents", "timexes", "whatever"])
    def test_names_of_spans(self, field: str) -> None:
        assert spans(read({"id": 1, field: [{"begin": 0, "end": 4, "label": "A"}]})) == [("1", 0, 4, "A")]

    def test_a_name_that_says_nothing_is_told_by_the_first_spans(self) -> None:
        found = read({"id": 1, "people": []}, {"id": 2, "people": [{"start": 0, "end": 4, "type": "A"}]})
        assert spans(found) == [("2", 0, 4, "A")]

    def test_of_several_one_must_be_named(self) -> None:
        both = {"id": 1, "entities": [], "timexes": [{"begin": 0, "end": 4, "label": "A"}]}
        assert refusal(read, both) == (
            "f.jsonl:1: the spans could be in the field 'entities' or 'timexes'\n  choose one: ?spans=entities"
        )
        assert spans(read(both, spans="timexes")) == [("1", 0, 4, "A")]

    def test_but_spans_goes_before_all(self) -> None:
        tokens = [{"text": "Anna", "start": 0, "end": 4, "id": 0}]
        prodigy = {"id": 1, "text": "Anna", "tokens": tokens, "spans": [{"start": 0, "end": 4, "label": "PER"}]}
        assert spans(read(prodigy)) == [("1", 0, 4, "PER")]

    def test_tags_and_spans_in_one_object(self) -> None:
        both = anna() | {"tokens": ["Anna", "ran"], "tags": ["B-PER", "O"]}
        assert refusal(read, both) == (
            "f.jsonl:1: there are both tags of tokens and a list of spans\n"
            "  choose what to read: ?tags=FIELD or ?spans=FIELD"
        )
        assert spans(read(both, spans="spans")) == [("d1", 0, 4, "PER")]
        assert read(both, tags="tags").spans is None  # left to the step that all tokens share

    @pytest.mark.parametrize(
        ("begin", "end", "label"),
        [("begin", "end", "label"), ("start", "stop", "type"), ("start_offset", "end_offset", "tag")],
    )
    def test_names_in_a_span(self, begin: str, end: str, label: str) -> None:
        corpus = read({"id": 1, "text": "Anna", "spans": [{begin: 0, end: 4, label: "PER"}]})
        assert spans(corpus) == [("1", 0, 4, "PER")]
        assert corpus.evaluated == label

    def test_the_label_may_be_in_another_field(self) -> None:
        span = anna(label="PER", kind="human")
        assert spans(read(span, label="kind")) == [("d1", 0, 4, "human")]
        assert spans(read(span, value="kind")) == [("d1", 0, 4, "human")]
        assert spans(read(span, value="upos")) == [("d1", 0, 4, "PER")]

    def test_numbers_are_labels(self) -> None:
        assert spans(read(anna(label=3))) == [("d1", 0, 4, "3")]

    def test_labels_are_brought_to_one_form(self) -> None:
        corpus = read(anna(label=" PER\u00a0"), anna(label="Cafe\u0301") | {"id": "d2"})
        assert [span[3] for span in spans(corpus)] == ["PER", "Café"]
        assert notes(corpus) == [
            "key: labels not in Unicode's normal form NFC, normalised: 1 (f.jsonl:2)",
            "key: labels with spaces around them or no-break spaces inside, cleaned: 1 (f.jsonl:1)",
        ]

    def test_other_fields_are_columns(self) -> None:
        given = [
            {"begin": 0, "end": 4, "label": "A", "id": "Q1", "confidence": "low", "probability": 0.5, "rank": 1},
            {"begin": 5, "end": 8, "label": "B", "id": 2, "sure": True, "probability": 1, "rank": 2, "x": [1], "y": ""},
        ]
        corpus = read({"id": "d", "text": "Anna ran.", "spans": given})
        assert corpus.spans is not None
        assert set(corpus.spans.columns) == {"id", "confidence", "probability", "rank", "sure"}
        assert said(corpus, "id") == ["Q1", "2"]
        assert said(corpus, "confidence") == ["low", None]
        assert said(corpus, "probability") == [0.5, 1.0]
        assert said(corpus, "rank") == [1, 2]
        assert said(corpus, "sure") == [False, True]

    def test_a_number_that_is_missing_is_none_of_the_numbers(self) -> None:
        given = [{"begin": 0, "end": 1, "label": "A", "n": 3}, {"begin": 0, "end": 1, "label": "B"}]
        assert np.isnan(said(read({"id": "d", "spans": given}), "n")).tolist() == [False, True]

    def test_no_column_takes_the_place_of_what_all_spans_have(self) -> None:
        corpus = read(anna(kind="K", document="x"), label="kind")
        assert corpus.spans is not None
        assert set(corpus.spans.columns) == set()

    def test_numbers_too_large_for_integers(self) -> None:
        assert said(read(anna(n=2**70)), "n") == [float(2**70)]

    @pytest.mark.parametrize(
        ("span", "expected"),
        [
            ([0, 4, "PER"], "spans[0] is of type list, not an object\n"),
            ({"end": 4, "label": "A"}, "spans[0] has no 'begin'\n"),
            ({"start": 0, "label": "A"}, "spans[0] has no 'end'\n"),
            ({"begin": None, "end": 4, "label": "A"}, "spans[0] has no 'begin'\n"),
        ],
    )
    def test_shapes_that_are_not_known(self, span: Any, expected: str) -> None:
        shape = '  write a span like this: {"begin": 0, "end": 5, "label": "PER"}'
        given = {"id": "d1", "text": "Anna", "spans": [span]}
        assert refusal(read, given) == f"f.jsonl:1: {expected}  document 'd1'\n{shape}"

    @pytest.mark.parametrize(
        ("label", "expected"),
        [("", "is empty"), (" ", "is empty"), (None, "is missing"), ([], "is empty"), ({"a": 1}, "is empty")],
    )
    def test_labels_that_are_none(self, label: Any, expected: str) -> None:
        assert refusal(read, anna(label=label)) == (
            f"f.jsonl:1: the label ('label') of spans[0] {expected}\n  document 'd1'\n"
            "  give every span a label, or name the field that holds it: ?label=FIELD"
        )

    def test_later_spans_have_the_fields_of_the_first(self) -> None:
        more = anna()
        more["spans"].append({"begin": 0, "end": 4, "type": "PER"})
        assert refusal(read, more).startswith("f.jsonl:1: the label ('label') of spans[1] is missing\n")

    def test_characters_that_no_file_can_hold(self) -> None:
        assert refusal(read, anna(label="a\0")) == "f.jsonl:1: a NUL character in 'a\\x00'\n  is it text?"
        assert refusal(read, anna(note="a\0")) == "f.jsonl:1: a NUL character in 'a\\x00'\n  is it text?"


class TestExtents:
    @pytest.mark.parametrize("extent", [(0, 9), (9, 9), (0, 0), (4, 4)])
    def test_from_the_begin_to_the_end_of_the_text(self, extent: tuple[int, int]) -> None:
        assert spans(read(anna(begin=extent[0], end=extent[1]))) == [("d1", *extent, "PER")]

    def test_nested_overlapping_and_equal_spans_keep_their_order(self) -> None:
        given = [(0, 9), (0, 4), (3, 6), (0, 4)]
        objects = [{"begin": begin, "end": end, "label": "A"} for begin, end in given]
        assert [span[1:3] for span in spans(read({"id": 1, "text": "Anna ran.", "spans": objects}))] == given

    @pytest.mark.parametrize(
        ("value", "shown"), [("0", "'0'"), (1.5, "1.5"), (1.0, "1.0"), (True, "True"), ([], "[]"), ("", "''")]
    )
    def test_offsets_are_integers(self, value: Any, shown: str) -> None:
        assert refusal(read, anna(begin=value)) == (
            f"f.jsonl:1: spans[0].begin is {shown}, which is not an integer\n  document 'd1'\n"
            "  give offsets as integers: code points of the text, from 0"
        )

    def test_offsets_that_no_text_has(self) -> None:
        assert refusal(read, anna(end=10**30)) == (
            f"f.jsonl:1: spans[0].end is {10**30}, which is too large for an offset\n  document 'd1'"
        )

    @pytest.mark.parametrize("text", ["Anna ran.", None])
    def test_before_the_text_or_backwards(self, text: str | None) -> None:
        hint = "  offsets count from 0, and the end is the position after the last character"
        assert refusal(read, anna(begin=-1) | {"text": text}) == (
            f"f.jsonl:1: spans[0] of document 'd1' begins at -1, before the text\n  the span: -1 4 PER\n{hint}"
        )
        assert refusal(read, anna(begin=5, text="ran") | {"text": text}) == (
            f"f.jsonl:1: spans[0] of document 'd1' ends at 4, before it begins at 5\n  the span: 5 4 PER 'ran'\n{hint}"
        )

    def test_behind_the_text(self) -> None:
        assert refusal(read, anna(), anna(end=10) | {"id": "d2"}) == (
            "f.jsonl:2: spans[0] of document 'd2' ends at 10, but the text has 9 characters\n"
            "  the span: 0 10 PER\n"
            "  check that this is the annotated text; offsets count its code points"
        )
        assert refusal(read, doc("a", (0, 2, "a"))).startswith(
            "f.jsonl:1: spans[0] of document 'd1' ends at 2, but the text has 1 character\n"
        )

    def test_white_space_in_the_text_of_a_span_does_not_count(self) -> None:
        assert notes(read(doc("New\n York", (0, 9, "New York")))) == []

    def test_a_text_that_is_not_covered_is_noted(self) -> None:
        corpus = read(doc("Anna met Bo.", (0, 4, "Anna"), (9, 11, "Bob"), (9, 11, "Bo")), doc("x", name="d2"))
        assert [span[1:3] for span in spans(corpus)] == [(0, 4), (9, 11), (9, 11)]
        assert notes(corpus) == [
            "key: spans whose stated text differs from the text at their offsets (offsets are used): 1"
            " (spans[1] of document 'd1': f.jsonl:1)"
        ]

    def test_most_texts_that_are_not_covered_are_refused(self) -> None:
        assert refusal(read, doc("Anna met Bo.", (0, 4, "Anna"), (9, 11, "Ida"), (5, 8, "Rio"))) == (
            "f.jsonl:1: 2 of 3 spans do not cover their stated text\n"
            "  the first: spans[1] of document 'd1', 9 11 X 'Ida', covers 'Bo'\n"
            "  check that this is the annotated text; offsets count its code points"
        )


class TestOffsets:
    """Offsets that count something else: told by the texts that spans name, and said."""

    TEXT = "😀 Änne met Bo and Flo."

    @pytest.mark.parametrize(
        ("offsets", "extents", "meaning"),
        [
            ("utf-16", [(3, 7), (12, 14), (19, 22)], "count UTF-16 units (as JavaScript and Java do)"),
            ("bytes", [(5, 10), (15, 17), (22, 25)], "count bytes of UTF-8"),
            ("inclusive", [(2, 5), (11, 12), (18, 20)], "count code points and include the end"),
        ],
    )
    def test_told_and_read(self, offsets: str, extents: list[tuple[int, int]], meaning: str) -> None:
        names = ["Änne", "Bo", "Flo"]
        given = doc(self.TEXT, *((*extent, name) for extent, name in zip(extents, names, strict=True)))
        assert refusal(read, given, offsets="code-points").endswith(
            f"  offsets that {meaning} would fit 3 of 3 spans\n  set ?offsets={offsets}"
        )
        for corpus, told in ((read(given, offsets=offsets), False), (read(given), True)):
            assert [span[1:3] for span in spans(corpus)] == [(2, 6), (11, 13), (18, 21)]
            said = f"key: spans whose offsets {meaning.rstrip(',')}, as their stated text shows: 3"
            assert notes(corpus) == [said] * told

    def test_a_few_spans_that_differ_tell_it(self) -> None:
        """The offsets of all others are the same in both ways of counting."""
        text = "Bo met Flo 😀 Ida"
        corpus = read(doc(text, (0, 2, "Bo"), (7, 10, "Flo"), (14, 17, "Ida")))
        assert [text[begin:end] for _, begin, end, _ in spans(corpus)] == ["Bo", "Flo", "Ida"]
        assert "count UTF-16 units" in notes(corpus)[0]

    def test_what_fits_as_well_otherwise_is_as_usual(self) -> None:
        corpus = read(doc("Bo met Flo", (0, 2, "Bo"), (7, 10, "Ida")))
        assert notes(corpus)[0].startswith("key: spans whose stated text differs from the text at their offsets")

    def test_behind_the_text_they_are_told_too(self) -> None:
        assert spans(read(doc("ÄÄÄ Bo", (7, 9, "Bo")))) == [("d1", 4, 6, "X")]
        assert refusal(read, doc("ÄÄÄ Bo", (7, 9, "Bo")), offsets="code-points") == (
            "f.jsonl:1: spans[0] of document 'd1' ends at 9, but the text has 6 characters\n"
            "  the span: 7 9 X 'Bo'\n"
            "  offsets that count bytes of UTF-8 would fit 1 of 1 spans\n"
            "  set ?offsets=bytes"
        )

    def test_between_characters(self) -> None:
        assert refusal(read, doc("Ä Bo", (1, 5, "Bo")), offsets="bytes") == (
            "f.jsonl:1: spans[0] of document 'd1' is not at a character boundary,"
            " if offsets count bytes of UTF-8\n"
            "  the span: 1 5 X 'Bo'\n"
            "  check that this is the annotated text; offsets count its code points"
        )

    def test_without_a_text(self) -> None:
        assert spans(read(doc(None, (0, 3, "Anna")), offsets="inclusive")) == [("d1", 0, 4, "X")]
        assert refusal(read, doc(None, (0, 4, "Anna")), offsets="bytes", code=2) == (
            "offsets=bytes cannot be read without the texts\n  provide texts with the spans"
        )

    def test_unknown(self) -> None:
        assert refusal(read, anna(), offsets="utf16", code=2) == (
            "invalid offsets='utf16' (did you mean 'utf-16'?)\n  one of: code-points, utf-16, bytes, inclusive"
        )


class TestFragments:
    def test_pieces(self) -> None:
        corpus = read(anna(end=9, fragments=[[0, 4], [8, 9]], text="Anna ."))
        assert spans(corpus) == [("d1", 0, 9, "PER")]
        assert fragments(corpus) == [(0, 0, 4), (0, 8, 9)]
        assert notes(corpus) == []

    def test_pieces_may_be_objects_and_the_extent_may_be_left_out(self) -> None:
        span = {"fragments": [{"start": 1, "end": 2}, {"begin": 5, "stop": 6}], "label": "A"}
        corpus = read({"id": "d", "spans": [span, {"begin": 3, "end": 4, "label": "B"}, span]})
        assert spans(corpus) == [("d", 1, 6, "A"), ("d", 3, 4, "B"), ("d", 1, 6, "A")]
        assert fragments(corpus) == [(0, 1, 2), (0, 5, 6), (2, 1, 2), (2, 5, 6)]

    @pytest.mark.parametrize("pieces", [[], None, [[0, 4]]])
    def test_one_or_none_is_a_plain_span(self, pieces: Any) -> None:
        corpus = read(anna(fragments=pieces))
        assert (spans(corpus), fragments(corpus)) == ([("d1", 0, 4, "PER")], [])

    def test_out_of_order_they_are_sorted(self) -> None:
        corpus = read(anna(end=9, fragments=[[8, 9], [0, 4]]))
        assert fragments(corpus) == [(0, 0, 4), (0, 8, 9)]
        assert notes(corpus) == ["key: spans whose fragments are not in order, sorted: 1 (f.jsonl:1)"]

    def test_what_overlaps_or_touches_is_joined(self) -> None:
        corpus = read(
            anna(end=9, fragments=[[0, 2], [1, 3], [3, 4], [8, 9]]), anna(fragments=[[0, 2], [2, 4]]) | {"id": 2}
        )
        assert fragments(corpus) == [(0, 0, 4), (0, 8, 9)]
        assert notes(corpus) == ["key: spans whose fragments overlap or touch, merged: 2 (f.jsonl:1, f.jsonl:2)"]

    @pytest.mark.parametrize(
        ("pieces", "expected"),
        [
            ("0 4", "spans[0].fragments is of type str, not a list"),
            ([0, 4], "spans[0].fragments[0] is not a pair of a begin and an end"),
            ([[0, 1], [2, 3, 4]], "spans[0].fragments[1] is not a pair of a begin and an end"),
        ],
    )
    def test_other_shapes(self, pieces: Any, expected: str) -> None:
        shape = '  write fragments like this: "fragments": [[0, 3], [7, 9]]'
        assert refusal(read, anna(fragments=pieces)) == f"f.jsonl:1: {expected}\n  document 'd1'\n{shape}"

    def test_pieces_have_extents_of_their_own(self) -> None:
        assert refusal(read, anna(fragments=[[0, "x"]])).startswith(
            "f.jsonl:1: spans[0].fragments[0].end is 'x', which is not an integer\n"
        )
        assert refusal(read, anna(fragments=[{"begin": 0}])).startswith(
            "f.jsonl:1: spans[0].fragments[0] has no 'end'\n"
        )
        assert refusal(read, anna(end=9, fragments=[[0, 1], [8, 6], [7, 9]])).startswith(
            "f.jsonl:1: spans[0] of document 'd1' ends at 6, before it begins at 8\n  the span: 0 1;8 6;7 9 PER\n"
        )

    def test_the_whole_is_where_the_pieces_are(self) -> None:
        assert refusal(read, anna(fragments=[[1, 2], [3, 4]])) == (
            "f.jsonl:1: spans[0] is 0 to 4, but its fragments are 1 to 4\n  document 'd1'\n"
            "  make the first fragment begin, and the last end, where the span does"
        )


class TestFiles:
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)

    def read(self, written: str) -> Corpus:
        return read_input(Input.parse(written), Request(side="key", layer="spans"), "tokens")

    def test_a_byte_order_mark_and_line_ends_of_the_file_are_not_those_of_the_text(self) -> None:
        text = "\ufeff" + json.dumps(anna() | {"text": "Anna\r\nran"}) + "\r\n"
        Path("f.jsonl").write_bytes(text.encode())
        corpus = self.read("f.jsonl")
        assert spans(corpus) == [("d1", 0, 4, "PER")]
        assert corpus.raw is not None
        assert corpus.raw.documents == ("Anna\r\nran",)
        assert [note.what for note in corpus.notes] == ["byte-order mark ignored", "CRLF line ends read as LF"]

    def test_a_folder_is_one_corpus(self) -> None:
        for name in ("b", "a"):
            Path(f"{name}.jsonl").write_text(json.dumps(anna() | {"id": name}))
        corpus = self.read(".")
        assert spans(corpus) == [("a", 0, 4, "PER"), ("b", 0, 4, "PER")]
        assert span_lines(corpus) == ["a.jsonl:1", "b.jsonl:1"]

    @pytest.mark.parametrize(("text", "what"), [("", "the file is empty"), ("\n\n", "the file has only blank lines")])
    def test_an_empty_file(self, text: str, what: str) -> None:
        Path("f.jsonl").write_text(text)
        assert refusal(self.read, "f.jsonl") == f"f.jsonl: {what}"


class TestPython:
    def read(self, given: Any, **options: str) -> Corpus:
        return read_object(given, Request(side="crf", options=options, layer="spans"), "tokens")

    SPANS = ({"begin": 0, "end": 4, "label": "PER"},)

    @pytest.mark.parametrize(
        "given",
        [
            [anna(), anna() | {"id": "d2"}],
            (anna(), anna() | {"id": "d2"}),
            iter([anna(), anna() | {"id": "d2"}]),
            {"d1": SPANS, "d2": SPANS},
            {"id": ["d1", "d2"], "text": ["Anna", "Anna"], "spans": [SPANS, SPANS]},
            pl.DataFrame({"id": ["d1", "d2"], "text": ["Anna", "Anna"], "spans": [list(SPANS), list(SPANS)]}),
            pd.DataFrame({"id": ["d1", "d2"], "entities": [SPANS, SPANS]}),
        ],
    )
    def test_shapes(self, given: Any) -> None:
        corpus = self.read(given)
        assert spans(corpus) == [("d1", 0, 4, "PER"), ("d2", 0, 4, "PER")]
        assert span_lines(corpus) == ["<crf>:1", "<crf>:2"]
        assert corpus.format == "python"

    def test_one_document_alone(self) -> None:
        assert spans(self.read(anna())) == [("d1", 0, 4, "PER")]

    def test_a_system_that_found_nothing(self) -> None:
        corpus = self.read({"d1": [], "d2": []})
        assert (spans(corpus), corpus.documents.names) == ([], ("d1", "d2"))

    def test_numbers_of_numpy_and_other_mappings(self) -> None:
        span = OrderedDict(begin=np.int64(0), end=np.uint8(4), label="PER", probability=np.float32(0.5), n=np.nan)
        corpus = self.read([OrderedDict(id=np.int32(7), text="Anna", spans=np.array([span]))])
        assert spans(corpus) == [("7", 0, 4, "PER")]
        assert said(corpus, "probability") == [0.5]
        assert corpus.spans is not None
        assert set(corpus.spans.columns) == {"probability"}

    def test_options(self) -> None:
        assert spans(self.read([anna(kind="K")], label="kind")) == [("d1", 0, 4, "K")]
        assert spans(self.read([{"id": 1, "people": [], "places": self.SPANS}], spans="places")) == [("1", 0, 4, "PER")]

    def test_a_name_that_says_nothing(self) -> None:
        assert spans(self.read([{"id": 1, "people": []}, {"id": 2, "people": self.SPANS}])) == [("2", 0, 4, "PER")]

    def test_half_a_surrogate_pair(self) -> None:
        assert refusal(self.read, [anna() | {"text": "a\ud800"}]) == (
            "<crf>:1: half of a surrogate pair in 'a\\ud800'\n  was the text decoded with the right codec?"
        )

    def test_errors_name_the_document(self) -> None:
        assert refusal(self.read, [anna(), anna(end=99) | {"id": "d2"}]).startswith(
            "<crf>:2: spans[0] of document 'd2' ends at 99, but the text has 9 characters\n"
        )
        assert refusal(self.read, [anna(), anna()]).startswith("<crf>:2: duplicate document 'd1'\n")

    def test_what_cannot_be_read(self) -> None:
        assert refusal(self.read, 7, code=2) == (
            "'crf' is of type int, which cannot be read as tokens\n"
            "  accepted are: a path; a list of dictionaries with 'id', 'text' and 'spans',"
            " each of which has 'begin', 'end'\n"
            "  and 'label'; a dictionary from names of documents to lists of spans; and chunk tags, as tokens are given"
        )


TEXT = st.text("ab \n.é漢😀", max_size=12)


@st.composite
def document(draw: st.DrawFn) -> dict[str, Any]:
    text = draw(TEXT)
    place = st.integers(0, len(text))
    extents = draw(st.lists(st.tuples(place, place).map(sorted), max_size=4))
    objects = [{"begin": begin, "end": end, "label": "A", "text": text[begin:end]} for begin, end in extents]
    return {"text": text, "spans": objects}


@given(st.lists(document(), min_size=1, max_size=4), st.sampled_from(["code-points", "utf-16", "bytes", "inclusive"]))
def test_offsets_of_every_kind_are_those_of_python(given_documents: list[dict[str, Any]], offsets: str) -> None:
    """Write documents with offsets of some kind, by encoding what stands before; they come back in code points."""
    expected, written = [], []
    for number, each in enumerate(given_documents):
        rewritten = []
        for span in each["spans"]:
            ends = [counted(each["text"][: span[side]], offsets) for side in ("begin", "end")]
            rewritten.append(span | {"begin": ends[0], "end": ends[1] - (offsets == "inclusive")})
            expected.append((str(number), span["begin"], span["end"], "A"))
        written.append({"id": number, "text": each["text"], "spans": rewritten})
    corpus = read(*written, offsets=offsets)
    assert spans(corpus) == expected
    assert notes(corpus) == []


def counted(text: str, offsets: str) -> int:
    """How long a text is, as the offsets count."""
    if offsets == "utf-16":
        return len(text.encode("utf-16-le")) // 2
    return len(text.encode()) if offsets == "bytes" else len(text)


def test_a_number_that_no_float_can_hold_is_a_text() -> None:
    given = anna(score=10**400)
    assert said(read(given), "score") == [str(10**400)]

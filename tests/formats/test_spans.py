"""Chunk tags read as spans, whatever the format they stand in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, find_formats, read_input
from comparanda.formats.objects import read_object
from tests.formats.corpora import notes, refusal, span_lines, spans, values, words

BIO = "Anna B-PER\nLee I-PER\nran O\n\nin O\nRome B-LOC\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(text: str, written: str = "f.conll", value: str | None = None, **options: str) -> Corpus:
    """Read a file; options hold for every input, those in the notation for this one."""
    Path(Input.parse(written).path).write_text(text, encoding="utf-8", newline="")
    return read_input(Input.parse(written), Request(side="key", value=value, options=options, layer="spans"), "tokens")


def tagged(*tags: str) -> str:
    return "".join(f"w\t{tag}\n" if tag else "\n" for tag in tags)


def extents(corpus: Corpus) -> list[tuple[int, int, str]]:
    return [span[1:] for span in spans(corpus)]


class TestTokens:
    def test_columns(self) -> None:
        corpus = read(BIO)
        assert spans(corpus) == [("f", 0, 2, "PER"), ("f", 4, 5, "LOC")]
        assert span_lines(corpus) == ["f.conll:1", "f.conll:6"]
        assert corpus.spans is not None
        assert (corpus.spans.unit, corpus.spans.fragments, corpus.raw) == ("tokens", None, None)
        assert words(corpus) == ["Anna", "Lee", "ran", "in", "Rome"]
        assert values(corpus) == ["B-PER", "I-PER", "O", "O", "B-LOC"]
        assert notes(corpus) == []

    def test_places_count_from_the_begin_of_the_document(self) -> None:
        corpus = read("-DOCSTART- (a)\n\nx O\nAnna B-PER\n\n-DOCSTART- (b)\n\nx O\nx O\nRome B-LOC\n\nLee B-PER\n")
        assert spans(corpus) == [("a", 1, 2, "PER"), ("b", 2, 3, "LOC"), ("b", 3, 4, "PER")]

    def test_conllu(self) -> None:
        text = "# newdoc id = d\n1-2\tAnnaLee" + "\t_" * 8 + "\n"
        for number, (word, tag) in enumerate([("Anna", "B-PER"), ("Lee", "I-PER"), ("ran", "O")], start=1):
            text += f"{number}\t{word}\t_\t_\t{tag}" + "\t_" * 5 + "\n"
        assert spans(read(text, "f.conllu", "xpos")) == [("d", 0, 2, "PER")]
        assert spans(read(text, "f.conllu::conllu?column=xpos")) == [("d", 0, 2, "PER")]
        assert refusal(read, text, "f.conllu", code=2) == (
            "CoNLL-U has no standard column for spans\n"
            "  name the column of chunk tags: --column NAME, or ::conllu?column=NAME for one file"
        )

    def test_conllx(self) -> None:
        text = "1\tAnna\t_\tN\tS-PER\t_\t0\troot\t0\troot\n"
        assert spans(read(text, "f.conllx", "xpos")) == [("f", 0, 1, "PER")]

    def test_jsonl(self) -> None:
        objects = [
            {"tokens": ["Anna", "Lee"], "ner_tags": ["B-PER", "I-PER"], "pos_tags": ["N", "N"], "doc": "a"},
            {"tokens": ["in", "Rome"], "ner_tags": ["O", "B-LOC"], "pos_tags": ["P", "N"], "doc": "b"},
        ]
        corpus = read("\n".join(map(json.dumps, objects)), "f.jsonl")
        assert spans(corpus) == [("a", 0, 2, "PER"), ("b", 1, 2, "LOC")]
        assert span_lines(corpus) == ["f.jsonl:1", "f.jsonl:2"]

    def test_of_several_columns_of_chunk_tags_one_must_be_named(self) -> None:
        text = json.dumps({"tokens": ["Anna"], "ner_tags": ["B-PER"], "chunk_tags": ["B-NP"]})
        found = refusal(read, text, "f.jsonl")
        assert found.startswith("f.jsonl:1: the tags could be in the field 'ner_tags' or 'chunk_tags'\n")
        assert extents(read(text, "f.jsonl", "chunk_tags")) == [(0, 1, "NP")]
        assert extents(read(text, "f.jsonl::?tags=ner_tags")) == [(0, 1, "PER")]

    @pytest.mark.parametrize(
        "given",
        [
            [["B-PER", "I-PER"], ["O", "B-LOC"]],
            [[("Anna", "B-PER"), ("Lee", "I-PER")], [("in", "O"), ("Rome", "B-LOC")]],
            [
                {"tokens": ["Anna", "Lee"], "tags": ["B-PER", "I-PER"]},
                {"tokens": ["in", "Rome"], "tags": ["O", "B-LOC"]},
            ],
            {"tokens": [["Anna", "Lee"], ["in", "Rome"]], "ner": [["B-PER", "I-PER"], ["O", "B-LOC"]]},
            iter([["B-PER", "I-PER"], ["O", "B-LOC"]]),
        ],
    )
    def test_python(self, given: Any) -> None:
        corpus = read_object(given, Request(side="crf", layer="spans"), "tokens")
        assert extents(corpus) == [(0, 2, "PER"), (3, 4, "LOC")]

    def test_python_with_options(self) -> None:
        request = Request(side="crf", options={"scheme": "bio", "repair": "discard"}, layer="spans")
        assert extents(read_object(["I-PER", "O", "B-LOC"], request, "tokens")) == [(2, 3, "LOC")]

    def test_no_spans_at_all(self) -> None:
        corpus = read(tagged("O", "O"))
        assert spans(corpus) == []
        assert notes(corpus) == []

    def test_other_layers_get_none(self) -> None:
        Path("f.conll").write_text(BIO)
        assert read_input(Input(path="f.conll"), Request(side="key"), "tokens").spans is None


class TestSchemes:
    def test_bio_goes_without_saying(self) -> None:
        assert notes(read(tagged("B-A", "I-A", "B-A"))) == []

    @pytest.mark.parametrize(
        ("tags", "expected", "note"),
        [
            (("I-A", "I-A", "B-A", "O"), [(0, 2, "A"), (2, 3, "A")], "chunk tags read as IOB1: 2"),
            (("B-A", "E-A", "S-A", "O"), [(0, 2, "A"), (2, 3, "A")], "chunk tags read as BIOES: 2"),
            (("A", "A", "O", "O", "O"), [(0, 2, "A")], "chunk tags read as IO: 1"),
            (("I-A", "I-A", "O"), [(0, 2, "A")], "chunk tags read as IO (IOB1 would fit as well): 1"),
        ],
    )
    def test_others_are_told(self, tags: tuple[str, ...], expected: list[Any], note: str) -> None:
        corpus = read(tagged(*tags))
        assert extents(corpus) == expected
        assert [each.partition(" (f.conll")[0] for each in notes(corpus)] == [f"key: {note}"]

    def test_with_the_first_places(self) -> None:
        assert notes(read(tagged("O", "I-A", "", "I-A", "B-A", "B-A"))) == [
            "key: chunk tags read as IOB1: 4 (f.conll:2, f.conll:4, f.conll:5, …)"
        ]

    def test_one_that_was_asked_for_is_not_told(self) -> None:
        assert notes(read(tagged("I-A", "I-A", "B-A"), "f.conll::?scheme=iob1")) == []

    @pytest.mark.parametrize("name", ["bilou", "BIOES", "bmes", "iobes"])
    def test_other_names(self, name: str) -> None:
        assert extents(read(tagged("B-A", "L-A", "U-A"), scheme=name)) == [(0, 2, "A"), (2, 3, "A")]

    def test_a_file_s_own_option_goes_before(self) -> None:
        text = tagged("I-A", "I-A", "B-A")
        assert extents(read(text, "f.conll::?scheme=io", scheme="iob1")) == [(0, 2, "A")]
        assert extents(read(text, scheme="iob1")) == [(0, 2, "A"), (2, 3, "A")]

    def test_unknown_ones(self) -> None:
        assert refusal(read, BIO, "f.conll::?scheme=iob", code=2) == (
            "invalid scheme='iob' (did you mean 'iob2'?)\n"
            "  one of: auto, bio, io, iob1, ioe2, bioes, iob2, iobes, bilou, bmes, bmewo"
        )
        assert refusal(read, BIO, "f.conll::?repair=yes", code=2) == (
            "invalid repair='yes'\n  one of: conlleval, discard, refuse"
        )

    def test_what_are_no_chunk_tags(self) -> None:
        assert refusal(read, "Anna NNP\nran VBD\n") == (
            "f.conll: column 2: these are not chunk tags: 'NNP', 'VBD'\n"
            "  name another column, or the scheme; chunk tags look like B-PER, I-PER and O"
        )


class TestDefects:
    TEXT = tagged("B-A", "I-A", "O", "I-A", "", "B-A", "I-B", "B-B", "B-A", "X", "B-A", "B-B")

    def test_conlleval_is_the_default(self) -> None:
        corpus = read(self.TEXT)
        every = [(0, 2), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8), (9, 10), (10, 11)]
        assert [span[:2] for span in extents(corpus)] == every
        assert notes(corpus) == [
            "key: chunk tags that violate BIO (not a tag of the scheme), read as outside: 1 (f.conll:10)",
            "key: chunk tags that violate BIO (inside without a beginning), read as by conlleval: 1 (f.conll:4)",
            "key: chunk tags that violate BIO (another label inside), read as by conlleval: 1 (f.conll:7)",
        ]

    def test_discard(self) -> None:
        corpus = read(self.TEXT, repair="discard")
        assert [span[:2] for span in extents(corpus)] == [(0, 2), (4, 5), (6, 7), (7, 8), (9, 10), (10, 11)]
        assert notes(corpus)[1:] == [
            "key: chunk tags that violate BIO (inside without a beginning), their spans left out: 1 (f.conll:4)",
            "key: chunk tags that violate BIO (another label inside), their spans left out: 1 (f.conll:7)",
        ]

    @pytest.mark.parametrize(
        ("tags", "expected"),
        [
            (
                ("B-A", "B-A", "O", "I-A"),
                "f.conll:4: the tag 'I-A' violates the scheme BIO: inside without a beginning\n"
                "  the tag before it is 'O'\n",
            ),
            (
                ("B-A", "", "I-A"),
                "f.conll:3: the tag 'I-A' violates the scheme BIO: inside without a beginning\n"
                "  it is the first of its sentence\n",
            ),
            (("B-A", "I-A", "X"), "f.conll:3: the tag 'X' violates the scheme BIO: not a tag of the scheme\n"),
        ],
    )
    def test_refuse(self, tags: tuple[str, ...], expected: str) -> None:
        hint = (
            "  correct the tag, choose another scheme with ?scheme=NAME, or continue with ?repair=conlleval or discard"
        )
        assert refusal(read, tagged(*tags), "f.conll::?scheme=bio&repair=refuse") == expected + hint

    def test_refuse_has_nothing_against_sound_tags(self) -> None:
        assert len(spans(read(BIO, repair="refuse"))) == 2


class TestAsking:
    """Which formats are asked, and for what."""

    def test_formats_without_spans(self) -> None:
        found = refusal(
            read_input,
            Input(path="f.csv", name=None, format="csv"),
            Request(side="key", layer="spans"),
            "tokens",
            code=2,
        )
        assert found.startswith(
            "format 'csv' has no spans\n  formats that have: bioc, brat, columns, conllu, conllx, doccano"
        )

    def test_formats_without_tokens(self) -> None:
        assert "brat" in [name for name, each in find_formats().items() if "values" not in each.layers]
        found = refusal(
            read_input, Input(path="f.ann", name=None, format="brat"), Request(side="key"), "tokens", code=2
        )
        assert (
            found == "format 'brat' has no tokens\n  formats that have: columns, conllu, conllx, hipe, jsonl, parquet"
        )

    def test_a_file_that_fits_nothing(self) -> None:
        found = refusal(read, "once upon a time\nthere was\n", "f.xyz")
        assert found.startswith("f.xyz:1: unknown format: the file does not match any format with spans\n")

    @pytest.mark.parametrize("option", ["scheme=bio", "repair=discard"])
    def test_options_of_spans_mean_nothing_to_other_tasks(self, option: str) -> None:
        Path("f.conll").write_text(BIO)
        given = Input.parse(f"f.conll::columns?{option}")
        name = option.partition("=")[0]
        assert refusal(read_input, given, Request(side="key"), "tokens", code=2) == (
            f"the option {name!r} applies to spans in chunk tags, but this task does not evaluate spans\n"
            "  remove it, or choose a task that evaluates spans"
        )

    def test_options_for_all_pass_by_formats_that_do_not_have_them(self) -> None:
        text = json.dumps({"id": "d", "text": "Anna", "spans": [{"begin": 0, "end": 4, "label": "PER"}]})
        assert spans(read(text, "f.jsonl", scheme="iob1", repair="refuse", word="1")) == [("d", 0, 4, "PER")]

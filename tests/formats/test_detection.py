"""Which format a file is: by its name, and by whole records, however long they are and in whatever order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from comparanda.formats.contract import Request
from comparanda.formats.files import load
from comparanda.formats.head import head_of
from comparanda.formats.inputs import Input, files_and_format, read_input
from comparanda.formats.suffixes import FAMILIES, SUFFIXES
from tests.command import run

KEY = "1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n2\tdog\tdog\tNOUN\tNN\t_\t0\troot\t_\t_\n\n"
FIVE = "1\tThe\tthe\tDET\tDT\n2\tdog\tdog\tNOUN\tNN\n\n"
LONG = 70_000


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


class TestNames:
    """A suffix that only one family of formats has is a claim."""

    def test_five_columns_are_not_conllu(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("key.conllu", KEY), put("five.conllu", FIVE)
        result = run(capsys, "score", "key.conllu", "five.conllu", "--task", "pos")
        assert result.code == 3
        assert "five.conllu:1: expected CoNLL-U, as the file is named, got columns" in result.err
        assert "name the format: five.conllu::columns" in result.err

    def test_the_first_line_of_words_is_the_place(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("key.conllu", KEY), put("five.conllu", f"# sent_id = 1\n# text = The dog\n{FIVE}")
        assert (
            "five.conllu:3: expected CoNLL-U" in run(capsys, "score", "key.conllu", "five.conllu", "--task", "pos").err
        )

    def test_a_named_format_is_believed(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("key.conllu", KEY), put("five.conllu", FIVE)
        result = run(capsys, "score", "key.conllu", "five.conllu::columns?column=4", "--task", "pos")
        assert result.code == 0
        assert "100.00" in result.out

    def test_conllx_may_be_named_conllu(self) -> None:
        heads = KEY.replace("2\tdet\t_\t_", "2\tdet\t2\tdet").replace("0\troot\t_\t_", "0\troot\t0\troot")
        assert files_and_format(Input.parse(put("x.conllu", heads)), Request(), "tokens")[1].name == "conllx"

    @pytest.mark.parametrize("name", ["x.jsonl", "x.json", "x.ndjson", "x.xml", "x.xmi", "x.pubtator", "x.conllx"])
    def test_columns_under_the_names_of_others(self, name: str, capsys: pytest.CaptureFixture[str]) -> None:
        put("key.conllu", KEY), put(name, FIVE)
        result = run(capsys, "score", "key.conllu", f"x={name}", "--task", "pos")
        assert result.code in {2, 3}
        assert ", as the file is named, " in result.err
        assert f"{name}::columns" in result.err

    @pytest.mark.parametrize("name", ["x.txt", "x.conll", "x.tsv", "x.tags", "x.conllup", "x"])
    def test_other_names_claim_nothing(self, name: str) -> None:
        assert files_and_format(Input.parse(put(name, FIVE)), Request(), "tokens")[1].name == "columns"

    def test_a_conllu_file_without_words_is_refused(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("key.conllu", KEY), put("empty.conllu", ""), put("comments.conllu", "# nothing here\n")
        assert (
            "empty.conllu: the file is empty" in run(capsys, "score", "key.conllu", "empty.conllu", "--task", "pos").err
        )
        found = run(capsys, "score", "key.conllu", "comments.conllu", "--task", "pos")
        assert found.code == 3
        assert "comments.conllu" in found.err

    def test_each_family_has_the_formats_of_its_suffix(self) -> None:
        for suffix, family in FAMILIES.items():
            assert {name for name, suffixes in SUFFIXES.items() if suffix in suffixes} <= {*family.formats}
            assert {*family.formats} <= {*SUFFIXES}


class TestConlluPlus:
    """The comment `# global.columns` names the columns."""

    PLUS = f"# global.columns = ID FORM LEMMA UPOS XPOS\n{FIVE}"

    def test_columns_are_found_by_their_names(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("key.conllu", KEY), put("plus.conllup", self.PLUS)
        result = run(capsys, "score", "key.conllu", "plus.conllup", "--task", "pos")
        assert result.code == 0
        assert "100.00" in result.out

    def test_a_column_that_is_not_there_is_refused(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("key.conllu", KEY), put("plus.conllup", self.PLUS.replace("UPOS", "TAG"))
        result = run(capsys, "score", "key.conllu", "plus.conllup", "--task", "pos")
        assert result.code == 2
        assert "there is no column 'upos'" in result.err
        assert "columns: id, form, lemma, tag, xpos" in result.err

    def test_named_conllu_it_is_refused(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("key.conllu", KEY), put("plus.conllu", self.PLUS)
        result = run(capsys, "score", "key.conllu", "plus.conllu", "--task", "pos")
        assert result.code == 3
        assert "plus.conllu:2: expected CoNLL-U, as the file is named, got columns" in result.err
        assert "100.00" in run(capsys, "score", "key.conllu", "plus.conllu::columns", "--task", "pos").out


ENTITIES = [
    {"start": 0, "end": 12, "label": "PER", "score": 0.6},
    {"start": 6, "end": 12, "label": "LOC", "score": 0.3},
]


SPANS = {"id": "d", "text": "Paris Hilton", "overlap": "condition", "spans": ENTITIES}


def record(name: str, length: int, **more: Any) -> dict[str, Any]:
    return {"doc": name, "text": "Paris Hilton " + "x" * length, **more, "entities": list(ENTITIES)}


def weights(*records: dict[str, Any], name: str = "x.jsonl", text: str | None = None) -> tuple[str, list[float]]:
    """Return the format and the probabilities, and check that the parts of a large corpus are read the same way."""
    put(name, "".join(f"{json.dumps(each)}\n" for each in records) if text is None else text)
    asked = Request(side="x", layer="beliefs")
    corpus = read_input(Input.parse(name), asked, "tokens")
    assert files_and_format(Input.parse(name), asked, "tokens")[1].name == corpus.format
    return corpus.format, [] if corpus.beliefs is None else sorted(round(p, 4) for p in corpus.beliefs.weight.tolist())


class TestLongRecords:
    @pytest.mark.parametrize(
        "more",
        [{"overlap": "condition"}, {"scale": "percent"}, {"label_semantics": "independent", "overlap": "condition"}],
    )
    def test_length_changes_nothing(self, more: dict[str, str]) -> None:
        assert weights(record("d", LONG, **more)) == weights(record("d", 5, **more))

    def test_the_order_of_lines_changes_nothing(self) -> None:
        long, short = record("long", LONG, overlap="condition"), record("short", 5)
        found = ("probabilistic", [0.1463, 0.3, 0.5122, 0.6])
        assert weights(long, short) == weights(short, long) == found

    def test_blocks_and_analyses(self) -> None:
        analyses = {"doc": "d", "text": "x" * LONG, "nbest": [{"p": 0.5, "spans": [[0, 1, "PER"]]}]}
        assert weights(analyses) == ("probabilistic", [0.5])
        span = {"start": 0, "end": 1, "p": 0.5, "labels": {"PER": 1.0}}
        blocks = {"doc": "d", "text": "x" * LONG, "blocks": [{"alternatives": [span]}]}
        assert weights(blocks) == ("probabilistic", [0.5])

    def test_many_fields_before_the_deciding_one(self) -> None:
        tokens = [{"text": "x", "start": place, "end": place + 1, "id": place, "ws": False} for place in range(3000)]
        example = {
            "text": "x" * 3000,
            "tokens": tokens,
            "spans": [{"start": 0, "end": 1, "label": "PER"}],
            "_input_hash": 1,
            "answer": "reject",
        }
        put("p.jsonl", f"{json.dumps(example)}\n")
        assert files_and_format(Input.parse("p.jsonl"), Request(layer="spans"), "tokens")[1].name == "prodigy"

    @pytest.mark.parametrize("indent", [None, 1])
    def test_an_array(self, indent: int | None) -> None:
        records = [record("long", LONG, overlap="condition"), record("short", 5, overlap="condition")]
        text = json.dumps(records, indent=indent)
        found = weights(name="x.json", text=text)
        assert found == weights(*records)
        assert found == weights(name="x.json", text=json.dumps(records[::-1], indent=indent))

    def test_an_array_with_many_lines_in_its_first_record(self) -> None:
        found = [{"value": {"start": place, "end": place + 1, "labels": ["PER"]}} for place in range(50)]
        task = {"predictions": [{"result": found}], "data": {"text": "x" * 100}, "id": 1}
        put("p.json", json.dumps([task], indent=2))
        assert files_and_format(Input.parse("p.json"), Request(layer="spans"), "tokens")[1].name == "label-studio"

    @pytest.mark.parametrize("indent", [None, 1])
    @pytest.mark.parametrize(
        ("name", "record"),
        [
            ("prodigy", {"text": "Anna", "spans": [], "_input_hash": 1, "answer": "reject"}),
            ("doccano", {"id": 1, "text": "Anna", "label": [[0, 4, "PER"]]}),
            ("elevant", {"id": 1, "text": "Anna", "labels": [{"span": [0, 4], "entity_id": "Q1"}]}),
        ],
    )
    def test_an_array_is_what_its_lines_would_be(self, name: str, record: dict[str, Any], indent: int | None) -> None:
        put("x.jsonl", f"{json.dumps(record)}\n"), put("x.json", json.dumps([record], indent=indent))
        for path in ("x.jsonl", "x.json"):
            assert files_and_format(Input.parse(path), Request(layer="spans"), "tokens")[1].name == name

    def test_an_object_over_many_lines(self) -> None:
        tokens = [{"id": place, "start": place, "end": place + 1} for place in range(50)]
        document = {"tokens": tokens, "text": "x" * 50, "ents": [{"start": 0, "end": 1, "label": "PER"}]}
        put("p.json", json.dumps(document, indent=2))
        assert files_and_format(Input.parse("p.json"), Request(layer="spans"), "tokens")[1].name == "spacy"

    def test_the_head_of_ordinary_lines_stays_short(self) -> None:
        put("a.conll", "word O\n" * 50_000)
        assert len(head_of(load("a.conll", side="x"))) == 40

    def test_a_bracket_is_a_word_too(self) -> None:
        put("a.conll", "[ O\n" * 50_000)
        assert files_and_format(Input.parse("a.conll"), Request(), "tokens")[1].name == "columns"


class TestIgnoredPolicies:
    """A policy that a record declares, and that its format does not read, is refused."""

    def test_it_is_refused_with_its_place(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("key.jsonl", json.dumps({**SPANS, "spans": ENTITIES[:1]}) + "\n")
        put("x.jsonl", json.dumps({"id": "c", "text": "", "spans": []}) + "\n" + json.dumps(SPANS) + "\n")
        result = run(capsys, "score", "key.jsonl", "x.jsonl", "--task", "prob")
        assert result.code == 3
        assert (
            "x.jsonl:2: the document 'd' declares overlap='condition', which format jsonl does not read" in result.err
        )
        assert "give it as an option: ?overlap=condition" in result.err

    def test_the_same_as_an_option_is_enough(self, capsys: pytest.CaptureFixture[str]) -> None:
        (
            put("key.jsonl", json.dumps({**SPANS, "spans": ENTITIES[:1]}) + "\n"),
            put("x.jsonl", json.dumps(SPANS) + "\n"),
        )
        assert run(capsys, "score", "key.jsonl", "x.jsonl?overlap=condition", "--task", "prob").code == 0

    def test_an_attribute_of_the_same_name_is_noted(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("key.jsonl", json.dumps({**SPANS, "overlap": "", "spans": ENTITIES[:1]}) + "\n")
        put("x.jsonl", json.dumps({**SPANS, "overlap": "", "scale": "regional", "spans": ENTITIES[:1]}) + "\n")
        result = run(capsys, "score", "key.jsonl", "x.jsonl", "--task", "prob")
        assert result.code == 0
        assert "note: x: fields 'scale' of documents whose value is not a policy, ignored: 1 (x.jsonl:1)" in result.err

"""Parquet is read like JSONL and data frames: the same table gives the same corpus, whole and in portions."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import comparanda as cp
from comparanda.core.corpus import Corpus
from comparanda.core.places import Portion, Stretch, Whole
from comparanda.core.remote import RemotePath
from comparanda.errors import ComparandaError
from comparanda.formats.contract import Layer, Request, Shape
from comparanda.formats.inputs import Input, read_input
from comparanda.formats.parquet import FORMAT, _Piece, count_rows, marks
from tests.formats.corpora import documents, lines, notes, refusal, said, spans, values, words
from tests.seeds import draws

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

Row = dict[str, Any]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(name: str, rows: list[Row], **options: Any) -> str:
    """Write rows as Parquet."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows), name, **options)
    return name


def put_both(name: str, rows: list[Row], **options: Any) -> None:
    """Write rows as Parquet, and as JSONL."""
    put(f"{name}.parquet", rows, **options)
    Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def read(path: str, shape: Shape = "rows", layer: Layer = "values", **options: str) -> Corpus:
    return read_input(Input(path=path, options=options), Request(layer=layer), shape)


ROWS = [{"id": f"r{number}", "label": "ab"[number % 2], "genre": "x"} for number in range(60)]
SENTENCES = [
    {"doc": f"d{number // 3}", "tokens": [f"w{number}", "and"], "tags": ["B-PER", "I-PER" if number % 4 else "O"]}
    for number in range(60)
]
TOKENS = [
    {"doc": f"d{number // 10}", "sentence": number // 5, "token": f"w{number}", "tag": "NV"[number % 2]}
    for number in range(120)
]
SPANS = [
    {
        "id": f"d{number}",
        "text": "Anna met Bo.",
        "spans": [
            {"begin": 0, "end": 4, "label": "PER", "chain": "1", "score": 0.5},
            {"begin": 9, "end": 11, "label": "ORG", "chain": None, "score": 0.25},
        ][number % 2 :],
    }
    for number in range(60)
]


class TestTables:
    def test_rows_with_an_id_and_a_label(self) -> None:
        corpus = read(put("a.parquet", ROWS[:3]))
        assert (words(corpus), values(corpus), lines(corpus)) == (["r0", "r1", "r2"], ["a", "b", "a"], [1, 2, 3])
        assert corpus.by_id

    def test_one_sentence_a_row(self) -> None:
        corpus = read(put("a.parquet", SENTENCES[:4]), "tokens")
        assert documents(corpus) == {"d0": ["w0", "and", "w1", "and", "w2", "and"], "d1": ["w3", "and"]}
        assert lines(corpus) == [1, 1, 2, 2, 3, 3, 4, 4]

    def test_one_token_a_row(self) -> None:
        corpus = read(put("a.parquet", TOKENS[8:12]), "tokens")
        assert documents(corpus) == {"d0": ["w8", "w9"], "d1": ["w10", "w11"]}
        assert corpus.sentences.tolist() == [0, 2, 4]

    def test_documents_with_spans(self) -> None:
        corpus = read(put("a.parquet", SPANS[:2]), "tokens", "spans")
        assert spans(corpus) == [("d0", 0, 4, "PER"), ("d0", 9, 11, "ORG"), ("d1", 9, 11, "ORG")]
        assert said(corpus, "score") == [0.5, 0.25, 0.25]

    @pytest.mark.parametrize("rows", [SENTENCES, [{**row, "tag": "B-X"} for row in TOKENS]], ids=["lists", "rows"])
    def test_spans_of_chunk_tags(self, rows: list[Row]) -> None:
        corpus = read(put("a.parquet", rows[:2]), "tokens", "spans")
        assert [label for _, _, _, label in spans(corpus)] in (["PER", "PER"], ["X", "X"])

    def test_an_empty_list_of_spans_of_any_name(self) -> None:
        kind = pa.list_(pa.struct({"start": pa.int64(), "end": pa.int64(), "type": pa.string()}))
        found = pa.table({"id": ["d"], "text": ["Bo"], "people": pa.array([[]], kind)})
        parquet.write_table(found, "a.parquet")
        assert spans(read("a.parquet", "tokens", "spans", spans="people")) == []

    def test_columns_are_named_by_options(self) -> None:
        rows = [{"number": 7, "said": "x", "other": "y"}]
        corpus = read(put("a.parquet", rows), id="number", label="other")
        assert (words(corpus), values(corpus)) == (["7"], ["y"])

    def test_class_numbers_become_the_names_that_datasets_wrote(self) -> None:
        features = {"id": {"dtype": "string"}, "label": {"names": ["neg", "pos"], "_type": "ClassLabel"}}
        said = {"huggingface": json.dumps({"info": {"features": features}})}
        parquet.write_table(pa.table({"id": ["1", "2"], "label": [1, 0]}).replace_schema_metadata(said), "a.parquet")
        assert values(read("a.parquet")) == ["pos", "neg"]
        tags = {"tags": {"feature": {"names": ["O", "B-PER"]}, "_type": "Sequence"}}
        said = {"huggingface": json.dumps({"info": {"features": tags}})}
        parquet.write_table(pa.table({"tags": [[0, 1]]}).replace_schema_metadata(said), "b.parquet")
        assert values(read("b.parquet", "tokens")) == ["O", "B-PER"]

    @pytest.mark.parametrize("said", ["{", "[]", "{}", '{"info": {"features": {"label": {"feature": 3}}}}'])
    def test_other_metadata_say_nothing(self, said: str) -> None:
        found = pa.table({"id": ["1"], "label": [1]}).replace_schema_metadata({"huggingface": said})
        parquet.write_table(found, "a.parquet")
        assert values(read("a.parquet")) == ["1"]

    def test_a_folder_of_files_of_which_one_is_empty(self) -> None:
        put("c/a.parquet", ROWS[:2])
        parquet.write_table(pa.Table.from_pylist(ROWS).slice(0, 0), "c/b.parquet")
        put("c/c.parquet", ROWS[2:5])
        corpus = read("c")
        assert words(corpus) == ["r0", "r1", "r2", "r3", "r4"]
        assert [str(corpus.location(row)) for row in (1, 2)] == ["c/a.parquet:2", "c/c.parquet:1"]

    def test_a_file_of_another_name_and_one_elsewhere(self) -> None:
        fs = pytest.importorskip("fsspec").filesystem("memory")
        data = Path(put("a.parquet", ROWS)).read_bytes()
        Path("table.bin").write_bytes(data)
        fs.pipe_file("/p/a.parquet", data)
        wanted = values(read("a.parquet"))
        assert values(read_input(Input(path="table.bin", name=None, format="parquet"), Request(), "rows")) == wanted
        assert values(read("memory://p/a.parquet")) == wanted


CHARACTERS = st.characters(exclude_categories=["Cs", "Cc"])
TEXT = st.text(CHARACTERS, min_size=1, max_size=4)
LABEL = st.sampled_from(["A", "B", "C d"])
SPAN = st.fixed_dictionaries(
    {
        "begin": st.integers(0, 3),
        "end": st.integers(3, 5),
        "label": LABEL,
        "chain": st.none() | st.integers(1, 2),
        "note": st.none() | TEXT,
    }
)
TABLES: dict[str, Any] = {
    "rows": st.fixed_dictionaries({"id": TEXT, "label": LABEL | st.none(), "genre": st.none() | TEXT}),
    "sets": st.fixed_dictionaries({"id": st.integers(0, 9), "label": st.lists(LABEL, max_size=2)}),
    "tokens": st.lists(st.tuples(TEXT, st.sampled_from(["O", "B-A", "I-A"])), max_size=3).flatmap(
        lambda pairs: st.fixed_dictionaries(
            {
                "document": st.sampled_from(["x", "y"]),
                "tokens": st.just([word for word, _ in pairs]),
                "tags": st.just([tag for _, tag in pairs]),
            }
        )
    ),
    "spans": st.fixed_dictionaries({"id": TEXT, "text": st.just("abcde"), "spans": st.lists(SPAN, max_size=3)}),
}
WAYS: list[tuple[str, Shape, Layer]] = [
    ("rows", "rows", "values"),
    ("sets", "rows", "values"),
    ("tokens", "tokens", "values"),
    ("tokens", "tokens", "spans"),
    ("spans", "tokens", "spans"),
    ("spans", "tokens", "chains"),
]


def seen(path: str, shape: Shape, layer: Layer) -> Any:
    """Return all there is in a corpus, or what is wrong with it."""
    try:
        corpus = read_input(Input(path=path), Request(layer=layer, extra=("genre",)), shape)
    except ComparandaError as problem:
        return str(problem).replace("jsonl", "parquet").replace("field", "column")
    return (
        [words(corpus) if corpus.words is not None else None, lines(corpus), corpus.sentences.tolist()],
        [corpus.documents.names, corpus.documents.marked, corpus.several],
        {name: column.values() for name, column in corpus.columns.items()},
        None
        if corpus.spans is None
        else (spans(corpus), [said(corpus, name) for name in sorted(corpus.spans.columns)]),
        [note.replace("jsonl", "parquet").replace("field", "column") for note in notes(corpus)],
    )


@pytest.mark.parametrize(("kind", "shape", "layer"), WAYS)
@settings(max_examples=draws(12), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_the_same_table_as_jsonl_and_as_parquet(kind: str, shape: Shape, layer: Layer, data: st.DataObject) -> None:
    rows = data.draw(st.lists(TABLES[kind], min_size=1, max_size=6))
    put_both("t", rows, row_group_size=data.draw(st.integers(1, 4)))
    assert repr(seen("t.parquet", shape, layer)) == repr(seen("t.jsonl", shape, layer))  # NaN differs from itself


def findings(result: cp.Result) -> list[Any]:
    return [result.scores().to_json(), result.examples(top=30).to_json(), result.notes]


class TestPortions:
    @pytest.mark.parametrize(
        ("task", "rows", "change", "part"),
        [
            ("label", ROWS, {"label": "a"}, 500),
            ("label", [{"label": row["label"]} for row in ROWS], {"label": "a"}, 100),
            ("tag", TOKENS, {"tag": "N"}, 1000),
            ("span", SENTENCES, {"tags": ["O", "B-PER"]}, 1000),
            ("span", SPANS, {"spans": SPANS[1]["spans"]}, 2000),
            ("span", [{**row, "id": None} for row in SPANS], {"spans": SPANS[1]["spans"]}, 2000),
            ("coref", SPANS, {"spans": SPANS[1]["spans"]}, 2000),
            ("prob", SPANS, {"spans": SPANS[1]["spans"]}, 2000),
        ],
    )
    def test_parts_give_what_one_go_gives(self, task: str, rows: list[Row], change: Row, part: int) -> None:
        rows = [{name: value for name, value in row.items() if value is not None} for row in rows]
        half = len(rows) // 2
        put("key/1.parquet", rows[:half], row_group_size=7)
        put("key/2.parquet", rows[half:])
        put("a.parquet", [{**row, **change} if number % 3 else row for number, row in enumerate(rows)])
        steps: list[str] = []
        whole = cp.compare("key", {"a": "a.parquet"}, task=task, resamples=20)
        cut = cp.compare("key", {"a": "a.parquet"}, task=task, resamples=20, part=part, progress=steps.append)
        assert "evaluating part 3 of" in " ".join(steps), steps
        assert findings(cut) == findings(whole)

    def test_saved_parts_lead_to_their_rows(self) -> None:
        put("key.parquet", SPANS)
        put("a.parquet", [{**row, "spans": []} if number % 2 else row for number, row in enumerate(SPANS)][::-1])
        cut = cp.compare("key.parquet", {"a": "a.parquet?spans=spans"}, task="span", part=2000, folder="saved")
        assert findings(cp.open("saved")) == findings(cut)

    def test_groups_of_rows_outside_are_not_read(self) -> None:
        put("a.parquet", ROWS, row_group_size=20, compression="none", use_dictionary=False)
        data = bytearray(Path("a.parquet").read_bytes())
        data[4:60] = b"\xff" * 56
        Path("a.parquet").write_bytes(data)
        assert "pyarrow cannot read this file" in refusal(read, "a.parquet")
        portion = Portion(
            (Stretch(file=Path("a.parquet"), start=35, stop=45, lines=35),), Whole(("a.parquet",), marked=False)
        )
        corpus = read_input(Input(path="a.parquet", portion=portion), Request(), "rows")
        assert words(corpus) == [f"r{number}" for number in range(35, 45)]
        assert lines(corpus) == list(range(36, 46))

    @pytest.mark.parametrize("repeated", [1, 100])
    def test_parts_are_as_large_as_those_of_texts(self, repeated: int) -> None:
        count, size = count_rows(Path(put("a.parquet", [{"id": "r", "label": "abcdefgh" * 10}] * repeated)))
        assert (count, 95 <= size <= 110) == (repeated, True)

    def test_a_file_without_rows_has_no_size(self) -> None:
        parquet.write_table(pa.table({"id": []}), "a.parquet")
        assert count_rows(Path("a.parquet")) == (0, 1)

    def test_marks_count_rows(self) -> None:
        put("a.parquet", TOKENS)
        found = list(marks(Path("a.parquet"), Request(shape="tokens")))
        assert [(each.start, each.lines, each.name) for each in found][:3] == [
            (0, 0, "d0"),
            (10, 10, "d1"),
            (20, 20, "d2"),
        ]

    def test_a_table_without_documents_is_judged_in_one_go(self) -> None:
        put("a.parquet", [{"token": row["token"], "tag": row["tag"]} for row in TOKENS])
        steps: list[str] = []
        cp.compare("a.parquet", {"a": "a.parquet::parquet"}, task="tag", part=100, progress=steps.append)
        assert any("a.parquet has no document marks" in step for step in steps)


class TestErrors:
    @pytest.mark.parametrize(
        ("table", "message"),
        [
            ({"id": ["1", None], "label": ["a", "b"]}, "a.parquet:2: 'id' has no value"),
            ({"id": ["1", "2"], "label": ["a", None]}, "a.parquet:2: 'label' has no value"),
            ({"id": [], "label": []}, "a.parquet: there are no rows in this file"),
            ({"id": ["1"], "tokens": ["a"]}, "a.parquet:1: no column has a usual name for the label"),
            ({"id": ["1", "2"], "label": [b"a", b"\xff"]}, "a.parquet:2: 'label' is not UTF-8"),
        ],
    )
    def test_errors_name_file_and_row(self, table: dict[str, list[Any]], message: str) -> None:
        columns = {name: pa.array(column) for name, column in table.items()}
        views = {name: each.view(pa.utf8()) if each.type == pa.binary() else each for name, each in columns.items()}
        parquet.write_table(pa.table(views), "a.parquet")
        assert refusal(read, "a.parquet").startswith(message)

    @pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + b"\0" * 90 + b"PAR1", b"id,label\n1,a\n" * 9])
    def test_files_that_are_none(self, data: bytes) -> None:
        Path("a.parquet").write_bytes(data)
        assert refusal(read, "a.parquet").startswith("a.parquet: pyarrow cannot read this file: ")

    def test_two_columns_of_one_name(self) -> None:
        parquet.write_table(pa.Table.from_arrays([pa.array(["1"])] * 2, names=["label", "label"]), "a.parquet")
        assert refusal(read, "a.parquet").startswith("a.parquet: two columns are named 'label'")

    def test_a_file_that_lacks_a_column(self) -> None:
        put("c/a.parquet", ROWS)
        put("c/b.parquet", [{"id": "x", "genre": "y"}])
        assert refusal(read, "c").startswith("c/b.parquet: there is no column 'label'")

    def test_more_rows_than_a_file_can_hold(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("comparanda.formats.parquet._MAX_ROWS_PER_BYTE", 1)
        parquet.write_table(pa.table({"label": pa.nulls(20_000, pa.string())}), "a.parquet")
        assert "rows in its metadata" in refusal(read, "a.parquet")

    def test_other_rows_than_the_end_of_the_file_says(self, monkeypatch: pytest.MonkeyPatch) -> None:
        put("a.parquet", ROWS)
        every = _Piece.batches
        monkeypatch.setattr(_Piece, "batches", lambda piece, names: (each.slice(1) for each in every(piece, names)))
        assert "the number of rows differs from the metadata of the file" in refusal(read, "a.parquet")

    def test_a_file_that_changes_while_it_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        put("a.parquet", ROWS)
        stamps = iter(range(9))
        monkeypatch.setattr("comparanda.formats.parquet.read_stamp", lambda _: next(stamps))
        assert "changed while it was being read" in refusal(read, "a.parquet")

    def test_standard_input(self) -> None:
        from comparanda.core.places import Source

        assert "cannot be read from standard input" in refusal(
            FORMAT.read, Source.of_text("<stdin>", b"PAR1"), Request()
        )

    def test_without_pyarrow(self, monkeypatch: pytest.MonkeyPatch) -> None:
        put("a.parquet", ROWS)
        monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
        assert "pip install 'comparanda[parquet]'" in refusal(read, "a.parquet", code=2)

    def test_one_elsewhere_that_is_not_there(self) -> None:
        pytest.importorskip("fsspec")
        found = refusal(lambda: list(marks(RemotePath("memory://p/none.parquet"), Request())))
        assert found.startswith("memory://p/none.parquet: ")

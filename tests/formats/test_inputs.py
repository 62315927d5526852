from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats import columns, conllu, inputs
from comparanda.formats.contract import Request, choose_option
from comparanda.formats.files import load
from comparanda.formats.head import head_of
from comparanda.formats.inputs import Input, find_formats, read_input
from comparanda.formats.suffixes import SUFFIXES
from tests.command import run
from tests.formats.corpora import refusal, values

CONLLU = "1\ta\ta\tN" + "\t_" * 6 + "\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(name: str, text: str) -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)
    return name


def read(written: str, value: str | None = None) -> Corpus:
    return read_input(Input.parse(written), Request(side="key", value=value), "tokens")


class TestNotation:
    @pytest.mark.parametrize(
        ("written", "expected"),
        [
            ("a.conll", Input(path="a.conll")),
            ("crf=out/a.conll", Input(path="out/a.conll", name="crf")),
            ("my crf =a.conll", Input(path="a.conll", name="my crf")),
            ("a.conll::columns", Input(path="a.conll", name=None, format="columns")),
            (
                "crf=a.conll::columns?column=3&word=2",
                Input(path="a.conll", name="crf", format="columns", options={"column": "3", "word": "2"}),
            ),
            ("a.conll::columns?column=3", Input(path="a.conll", name=None, format="columns", options={"column": "3"})),
            ("a.conll::?column=3", Input(path="a.conll", name=None, format=None, options={"column": "3"})),
            (
                "a.conll::columns?columns=a%26b,c%3D",
                Input(path="a.conll", name=None, format="columns", options={"columns": "a&b,c="}),
            ),
            (
                "a.conll?column=3&word=2",
                Input(path="a.conll", name=None, format=None, options={"column": "3", "word": "2"}),
            ),
            (
                "crf=out/a.conll?scheme=iob1",
                Input(path="out/a.conll", name="crf", format=None, options={"scheme": "iob1"}),
            ),
            ("a?.conll", Input(path="a?.conll")),
            ("out/a?.conll?column=3", Input(path="out/a?.conll", name=None, format=None, options={"column": "3"})),
            ("out/run=3.conll", Input(path="out/run=3.conll")),
            ("x=out/run=3.conll", Input(path="out/run=3.conll", name="x")),
            ("-", Input(path="-")),
            ("crf=-", Input(path="-", name="crf")),
        ],
    )
    def test_parts(self, written: str, expected: Input) -> None:
        assert Input.parse(written) == expected

    def test_a_file_that_is_there_wins_over_a_name(self) -> None:
        put("lr=0.1.conll", "a O\n")
        assert Input.parse("lr=0.1.conll") == Input(path="lr=0.1.conll")
        assert Input.parse("lr=0.1.conll::columns?column=2") == Input(
            path="lr=0.1.conll", name=None, format="columns", options={"column": "2"}
        )

    def test_a_name_that_is_too_long_for_a_file_is_no_crash(self) -> None:
        assert Input.parse("a" * 5000 + "?b=c").options == {"b": "c"}

    def test_a_file_that_is_there_wins_over_options(self) -> None:
        put("run?seed=1", "a O\n")
        assert Input.parse("run?seed=1") == Input(path="run?seed=1")

    @pytest.mark.parametrize(
        ("written", "expected"),
        [
            ("a::columns?column", "the option 'column' of 'a' has no value\n  write ?option=value"),
            ("a::columns?x=1&x=2", "the option 'x' of 'a' is given twice"),
            ("::columns", "the input '::columns' has no file name"),
            ("", "the input '' has no file name"),
        ],
    )
    def test_what_cannot_be_read(self, written: str, expected: str) -> None:
        assert refusal(Input.parse, written, code=2) == expected

    @pytest.mark.parametrize(
        ("written", "name"),
        [("out/crf.conllu.gz", "crf"), ("x=out/crf.conllu", "x"), ("-", "stdin"), ("runs/crf/", "crf")],
    )
    def test_the_name_to_show(self, written: str, name: str) -> None:
        assert Input.parse(written).display_name == name


class TestFormats:
    def test_the_shipped_ones_come_by_entry_point(self) -> None:
        assert find_formats()["columns"] is columns.FORMAT
        assert find_formats()["conllu"] is conllu.FORMAT
        assert list(find_formats()) == sorted(find_formats())

    def test_an_unknown_format(self) -> None:
        put("a.conll", "a O\n")
        found = refusal(read, "a.conll::colums", code=2)
        assert found.startswith("unknown format 'colums' (did you mean 'columns'?)\n  formats: ")

    def test_a_format_of_another_shape(self) -> None:
        found = refusal(
            read_input, Input(path="a.conll", name=None, format="conllu"), Request(side="key"), "rows", code=2
        )
        assert found.startswith("format 'conllu' has no rows\n  formats that have: ")

    def test_an_unknown_option(self) -> None:
        put("a.conll", "a O\n")
        assert refusal(read, "a.conll::columns?colum=1", code=2) == (
            "format 'columns' has no option 'colum' (did you mean 'column'?)\n"
            "  its options: column, word, columns, header, comments, scheme, repair"
        )

    def test_an_option_of_a_format_that_was_told_by_its_lines(self) -> None:
        put("a.conllu", CONLLU)
        assert refusal(read, "a.conllu::?word=1", code=2).startswith("format 'conllu' has no option 'word'")

    def test_choose(self) -> None:
        assert choose_option({}, "quotes", ("csv", "none")) == "csv"
        assert choose_option({"quotes": "none"}, "quotes", ("csv", "none")) == "none"
        assert refusal(choose_option, {"quotes": "nome"}, "quotes", ("csv", "none"), code=2) == (
            "invalid quotes='nome' (did you mean 'none'?)\n  one of: csv, none"
        )


class TestTelling:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (CONLLU, "conllu"),
            ("# newdoc\n" + CONLLU, "conllu"),
            ("a O\n", "columns"),
            ("a\tO\n", "columns"),
            ("O\n", "columns"),
        ],
    )
    def test_the_lines_tell_whatever_the_name(self, text: str, expected: str) -> None:
        assert read(put("file", text)).format == expected

    def test_the_task_and_the_options_reach_the_reader(self) -> None:
        put("a.conll", "a X O\n")
        assert values(read("a.conll::columns?column=2", "upos")) == ["X"]
        assert values(read("a.conll", "2")) == ["X"]

    def test_a_broken_file_is_left_to_the_format_of_its_name(self) -> None:
        put("a.conllu", CONLLU + "2\tb\n")
        assert refusal(read, "a.conllu").startswith("a.conllu:2: expected 10 columns for CoNLL-U, got 2\n")
        put("b.conll", "a O\nb O O\n")
        assert refusal(read, "b.conll").startswith(
            "b.conll:2: expected 2 columns as in the first line (b.conll:1), got 3\n"
        )

    def test_a_broken_id_does_not_make_columns_of_conllu(self) -> None:
        put("a.conllu", CONLLU + "x" + CONLLU[1:])
        assert refusal(read, "a.conllu").startswith("a.conllu:2: the id 'x' is not a number")

    def test_a_file_that_fits_nothing(self) -> None:
        put("a.xyz", "\nonce upon a time\nthere was\n")
        found = refusal(read, "a.xyz").split("\n")
        assert found[:2] == [
            "a.xyz:1: unknown format: the file does not match any format with tokens",
            "  it begins with 'once upon a time'",
        ]
        assert found[2].startswith("  give the format: a.xyz::FORMAT (columns, conllu")

    def test_several_that_fit_are_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        put("a.conll", "a O\n")
        twin = replace(columns.FORMAT, name="twin")
        both = {"columns": columns.FORMAT, "twin": twin}
        monkeypatch.setattr(inputs, "_registered_formats", lambda: both)
        monkeypatch.setattr(inputs, "_load_format", both.__getitem__)
        assert refusal(read, "a.conll") == (
            "a.conll: ambiguous format: columns or twin\n  choose one: a.conll::columns"
        )

    def test_the_head_has_whole_lines_only(self) -> None:
        put("a.txt", "ü" * 100 + "\n" + "é" * 70_000 + "\n" + "è" * 70_000 + "\n")
        assert head_of(load("a.txt", side="key")) == ["ü" * 100, "é" * 70_000]
        put("b.txt", "a\n" * 100)
        assert head_of(load("b.txt", side="key")) == ["a"] * 40


class TestFolders:
    def test_of_one_format(self) -> None:
        put("c/a.conllu", CONLLU)
        put("c/b.conllu", CONLLU)
        put("c/readme.md", "no")
        assert read("c").documents.names == ("a", "b")

    def test_of_several_formats(self) -> None:
        put("c/a.conllu", CONLLU)
        put("c/readme.txt", "no")
        assert refusal(read, "c") == (
            "c: the folder has files of several formats\n"
            "  columns: 1, the first is readme.txt\n"
            "  conllu: 1, the first is a.conllu\n"
            "  choose one: c::columns"
        )
        assert read("c::conllu").documents.names == ("a",)

    def test_files_that_lie_beside_others_are_no_format_of_their_own(self) -> None:
        put("c/a.ann", "T1\tPER 0 1\ta\n")
        put("c/a.txt", "a O\n")
        assert read_input(Input(path="c"), Request(side="key", layer="spans"), "tokens").format == "brat"
        assert read("c").format == "columns"  # other tasks know nothing of annotations


class TestCommand:
    """Messages and exit codes as a user sees them."""

    def test_an_unreadable_file(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("key.conllu", CONLLU)
        put("bad.conllu", CONLLU + "3" + CONLLU[1:])
        outcome = run(capsys, "score", "key.conllu", "bad=bad.conllu", "--task", "pos")
        assert outcome.code == 3
        assert "bad.conllu:2: expected id 2, got 3" in outcome.err
        assert outcome.out == ""

    def test_an_unknown_column(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("key.conllu", CONLLU)
        put("a.conllu", CONLLU)
        outcome = run(capsys, "score", "key.conllu", "a.conllu", "--task", "tag:uops")
        assert outcome.code == 2
        assert "CoNLL-U has no column 'uops' (did you mean 'upos'?)" in outcome.err

    def test_key_and_prediction_in_one_file(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("both.conll", "a X X\nb X Y\n")
        key, system = "both.conll::columns?column=2", "crf=both.conll::columns?column=3"
        assert run(capsys, "score", key, system, "--task", "tag").code == 0

    def test_a_missing_file(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("key.conllu", CONLLU)
        outcome = run(capsys, "score", "kez.conllu", "a=key.conllu", "--task", "pos")
        assert outcome.code == 3
        assert "kez.conllu: no such file (did you mean 'key.conllu'?)" in outcome.err


def test_the_table_of_suffixes_is_that_of_the_formats() -> None:
    assert {name: each.suffixes for name, each in find_formats().items()} == dict(SUFFIXES)

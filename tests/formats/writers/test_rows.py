"""Tags, trees and rows are written in the format that they were read from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import comparanda
from comparanda.core.corpus import ROOT, Corpus
from comparanda.core.text_columns import TextColumn
from comparanda.errors import WriteError
from comparanda.formats.contract import Request
from comparanda.formats.objects import read_object
from comparanda.formats.row_writer import written_rows
from tests.command import run
from tests.formats.writers.row_files import read_rows, seen, text_of, with_system

CONLLU = """\
# newdoc id = first
# meta::genre = news
# newpar
# sent_id = s1
# text = Zum Haus
1-2\tZum\tGOLD\tGOLD\tGOLD\tGOLD\tGOLD\tGOLD\tGOLD\tGOLD
1\tzu\tGOLD\tADP\tGOLD\tCase=Dat\t3\tcase\t3:case\tSpaceAfter=No
2\tdem\tGOLD\tDET\tGOLD\t_\t3\tdet\t3:det\tNE=GOLD
2.1\tleer\tGOLD\tGOLD\tGOLD\tGOLD\t_\t_\t3:dep\t_
3\tHaus\tGOLD\tNOUN\tGOLD\t_\t0\troot\t0:root\tGOLD

# newdoc id = second
1\t#1\tGOLD\tX\tGOLD\t_\t0\troot\t0:root\tNE=GOLD

"""


def stored(folder: Path, text: str, name: str = "key") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def key_of(folder: Path, text: str, tail: str, **asked: Any) -> Corpus:
    """Read a text as a format, with the options behind it."""
    return read_rows(f"{stored(folder, text)}::{tail}", **asked)


def refusal(corpus: Corpus, column: str | None = None) -> str:
    with pytest.raises(WriteError) as caught:
        written_rows(corpus, column=column)
    return str(caught.value)


class TestConllu:
    def test_tags(self, tmp_path: Path) -> None:
        key = read_rows(stored(tmp_path, CONLLU), column="upos")
        assert text_of(with_system(key, ["A", "B", "C", "_"]), "upos") == (
            "# newdoc id = first\n# meta::genre = news\n# sent_id = s1\n# text = Zum Haus\n"
            "1-2\tZum\t_\t_\t_\t_\t_\t_\t_\t_\n"
            "1\tzu\t_\tA\t_\t_\t_\t_\t_\t_\n"
            "2\tdem\t_\tB\t_\t_\t_\t_\t_\t_\n"
            "3\tHaus\t_\tC\t_\t_\t_\t_\t_\t_\n\n"
            "# newdoc id = second\n1\t#1\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
        )

    def test_trees_and_what_of_them_is_not_written(self, tmp_path: Path) -> None:
        key = read_rows(stored(tmp_path, CONLLU), column="deprel", layer="arcs")
        assert [str(note) for note in written_rows(key, column="deprel").losses] == [
            "x: not written: enhanced graphs: 1 (first)"
        ]
        text = text_of(with_system(key, ["a", "b", "c", "d"], [1, 0, ROOT, 3]), "deprel")
        assert [line.split("\t")[6:8] for line in text.split("\n") if line[:1].isdigit() and line[1] == "\t"] == [
            ["2", "a"],
            ["1", "b"],
            ["0", "c"],
            ["1", "d"],
        ]
        assert "GOLD" not in text

    @pytest.mark.parametrize(("column", "place"), [("misc:NE", 9), ("feats:Case", 5)])
    def test_one_key_of_a_cell(self, column: str, place: int, tmp_path: Path) -> None:
        key = read_rows(stored(tmp_path, CONLLU), column=column)
        text = text_of(with_system(key, ["A", "_", "=", "B"]), column)
        name = column.partition(":")[2]
        cells = [line.split("\t")[place] for line in text.split("\n") if line[:1].isdigit() and line[1] == "\t"]
        assert cells == [f"{name}=A", "_", f"{name}==", f"{name}=B"]
        assert refusal(with_system(key, ["A", "B|C", "D", "E"]), column) == (
            f"the value 'B|C' of {name!r} contains '|', which separates the keys of a cell"
        )

    @pytest.mark.parametrize(
        ("value", "reason"),
        [
            ("a\tb", "the value 'a\\tb' cannot be written in a column separated by tabs"),
            ("a\nb", "the value 'a\\nb' cannot be written in a column separated by tabs"),
            (
                "a ",
                "sentence 1 of document 'first' would be read back differently: 'a ' among its values as 'a'",
            ),
            ("e\u0301", "among its values as 'é'"),
            (None, "1 of the 3 words of document 'first' have no value"),
        ],
    )
    def test_what_would_be_read_otherwise_is_refused(self, value: str, reason: str, tmp_path: Path) -> None:
        key = read_rows(stored(tmp_path, CONLLU), column="xpos")
        assert reason in refusal(with_system(key, [value, "B", "C", "D"]), "xpos")

    def test_values_that_say_nothing_are_refused(self, tmp_path: Path) -> None:
        key = read_rows(stored(tmp_path, CONLLU), column="xpos")
        assert "contains only '_'" in refusal(with_system(key, ["_"] * 4), "xpos")
        assert refusal(with_system(key, [None] * 4), "xpos").endswith(
            "no word has a value, so there is nothing to write"
        )

    def test_a_head_in_another_sentence_is_refused(self, tmp_path: Path) -> None:
        key = read_rows(stored(tmp_path, CONLLU), column="deprel", layer="arcs")
        reason = refusal(with_system(key, ["a", "b", "c", "d"], [3, 0, ROOT, ROOT]), "deprel")
        assert reason.endswith("key:7: the head of word 1 is in another sentence than the word")

    def test_a_document_without_any_value_is_left_out(self, tmp_path: Path) -> None:
        path = stored(tmp_path, CONLLU)
        key = read_rows(path, column="xpos")
        written = written_rows(with_system(key, [None, None, None, "X"]), column="xpos")
        assert [str(note) for note in written.losses] == ["x: not written: documents without any value: 1 (first)"]
        back = read_rows(stored(tmp_path, written.files[""], "out"), column="xpos")
        assert (back.documents.names, back.columns["value"].values()) == (("second",), ["X"])
        found = comparanda.compare(
            str(path), {"a": str(tmp_path / "out")}, task="tag:xpos", missing="empty", resamples=0
        )
        assert found.scores("accuracy").value("a") == 0


class TestConllx:
    TEXT = "1\tAnna\tGOLD\tN\tN\tGOLD\t0\troot\t0\tGOLD\n2\tran\tGOLD\tV\tV\tGOLD\t1\tdep\t1\tGOLD\n\n"

    def test_the_lines(self, tmp_path: Path) -> None:
        key = read_rows(stored(tmp_path, self.TEXT), column="deprel", layer="arcs")
        assert key.format == "conllx"
        assert text_of(with_system(key, ["a", "b"], [1, ROOT]), "deprel") == (
            "1\tAnna\t_\t_\t_\t_\t2\ta\t_\t_\n2\tran\t_\t_\t_\t_\t0\tb\t_\t_\n\n"
        )

    def test_it_marks_no_documents_and_fits_the_key_all_the_same(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = tmp_path / "key"
        folder.mkdir()
        for name in ("a.conllx", "b.conllx"):
            stored(folder, self.TEXT, name)
        key = read_rows(folder, column="upos")
        written = written_rows(with_system(key, ["N", "V", "V", "N"]), column="upos")
        assert [note.what for note in written.losses] == ["not written: documents, which CoNLL-X does not mark"]
        out = stored(tmp_path, written.files[""], "out.conllx")
        outcome = run(capsys, "validate", folder, out, "--task", "pos")
        assert (outcome.code, outcome.out) == (0, "out: can be aligned with the key, 4 sites\n")


class TestColumns:
    def test_as_many_columns_as_in_the_key(self, tmp_path: Path) -> None:
        text = "-DOCSTART- -X- O O\n\nAnna N GOLD GOLD\nran V GOLD GOLD\n\nBo N GOLD GOLD\n"
        for tail in ("column=2", "column=-3", "columns=w,pos,x,y&column=pos"):
            key = key_of(tmp_path, text, f"columns?{tail}")
            assert text_of(with_system(key, ["a", "b", "c"])) == (
                "-DOCSTART- (document 1)\n\nAnna a _ _\nran b _ _\n\nBo c _ _\n\n"
            )

    def test_a_header_and_a_column_that_counts(self, tmp_path: Path) -> None:
        text = "n\tword\ttag\n1\tAnna\tN\n2\tran\tV\n\n1\tBo\tN\n"
        key = key_of(tmp_path, text, "columns?header=yes&column=tag")
        assert text_of(with_system(key, ["a", "b", "c"])) == "n\tword\ttag\n1\tAnna\ta\n2\tran\tb\n\n1\tBo\tc\n\n"

    def test_without_words(self, tmp_path: Path) -> None:
        key = key_of(tmp_path, "GOLD N GOLD\nGOLD V GOLD\n", "columns?word=none&column=2")
        assert text_of(with_system(key, ["a", "b"])) == "_ a _\n_ b _\n\n"
        key = key_of(tmp_path, "N\nV\n", "columns")
        assert text_of(with_system(key, ["a", "b"])) == "a\nb\n\n"

    @pytest.mark.parametrize(("value", "between"), [("a b", "spaces"), ("", "spaces"), ("a\u2003b", "spaces")])
    def test_spaces_cannot_stand_between_spaces(self, value: str, between: str, tmp_path: Path) -> None:
        key = key_of(tmp_path, "Anna N\nran V\n", "columns")
        reason = refusal(with_system(key, [value, "b"]))
        assert reason.startswith(f"the value {value!r} cannot be written in a column separated by {between}")

    def test_what_would_begin_a_document_is_refused(self, tmp_path: Path) -> None:
        key = key_of(tmp_path, "GOLD N\nGOLD V\n", "columns?word=none&column=1")
        reason = refusal(with_system(key, ["a", "-DOCSTART-"]))
        assert reason.startswith("the line '-DOCSTART- _' of the input would begin a document")

    def test_documents_that_would_be_others_are_refused(self, tmp_path: Path) -> None:
        key = key_of(tmp_path, "# newdoc id = a  b\nAnna N\n", "columns")
        assert refusal(key).startswith("document 'a  b' would be read back as document 'a b'")
        key = key_of(tmp_path, "N\tGOLD\nV\tGOLD\n", "columns?word=none&column=1&comments=anywhere")
        said = with_system(key, ["a", "# document_id = d2"])
        assert refusal(said).startswith("the input would be read back as document 'output'")

    def test_what_is_known_of_documents_stays(self, tmp_path: Path) -> None:
        text = "# meta::genre = news\nAnna\tGOLD\n"
        key = key_of(tmp_path, text, "columns")
        assert text_of(with_system(key, ["a"])) == "# meta::genre = news\nAnna\ta\n\n"
        known = replace(key.documents, attributes={"genre ": TextColumn.of(["news"])})
        assert refusal(replace(key, documents=known)).startswith(
            "the attributes of the input would be read back differently"
        )

    def test_a_byte_order_mark_is_refused(self, tmp_path: Path) -> None:
        key = key_of(tmp_path, "\n\ufeffN\nV\n", "columns")
        assert refusal(key) == "the output would have a byte-order mark at its start, which readers remove"

    def test_hipe(self, tmp_path: Path) -> None:
        text = (
            "TOKEN\tNE-COARSE-LIT\tNE-FINE\tMISC\n# hipe2022:document_id = d1\n# date = 1900\n"
            "Anna\tB-pers\tGOLD\tEndOfSentence\n#1\tO\tGOLD\t_\n# document_id = d2\nran\tO\tGOLD\t_\n"
        )
        key = read_rows(stored(tmp_path, text), column="NE-COARSE-LIT")
        assert key.format == "hipe"
        written = text_of(with_system(key, ["a", "b", "c"]), "NE-COARSE-LIT")
        assert written == (
            "TOKEN\tNE-COARSE-LIT\tNE-FINE\tMISC\n# document_id = d1\n# date = 1900\nAnna\ta\t_\t_\n\n#1\tb\t_\t_\n\n"
            "# document_id = d2\nran\tc\t_\t_\n\n"
        )
        back = read_rows(stored(tmp_path, written, "out"), column="NE-COARSE-LIT")
        assert seen(back) == seen(with_system(key, ["a", "b", "c"]))


class TestRows:
    def test_the_header_stays_and_other_cells_are_empty(self, tmp_path: Path) -> None:
        text = 'text,id,gold\n"GOLD, GOLD",1,x\nGOLD,"2,5",y\n'
        key = read_rows(stored(tmp_path, text, "key.csv"), shape="rows")
        assert text_of(with_system(key, ['a "b"', "c"])) == ('text,id,gold\n,1,"a ""b"""\n,"2,5",c\n')

    def test_rows_without_a_value_are_left_out(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = stored(tmp_path, "id,label\n1,x\n2,y\n3,x\n", "key.csv")
        key = read_rows(path, shape="rows")
        written = written_rows(with_system(key, ["x", None, "y"]))
        assert written.files == {"": "id,label\n1,x\n3,y\n"}
        assert [str(note) for note in written.losses] == ["x: not written: rows without a value: 1 (2)"]
        out = stored(tmp_path, written.files[""], "out.csv")
        outcome = run(capsys, "validate", path, out, "--task", "label", "--missing", "empty", "--quiet")
        assert (outcome.code, outcome.out) == (0, "out: can be aligned with the key, 3 sites\n")

    def test_rows_without_ids_cannot_be_left_out(self, tmp_path: Path) -> None:
        key = key_of(tmp_path, "text,label\na,x\nb,y\n", "csv?id=row", shape="rows")
        assert refusal(with_system(key, [None, "y"])).startswith("rows without a value cannot be left out")

    def test_sets_of_labels(self, tmp_path: Path) -> None:
        text = "id,labels\n1,x;y\n2,\n"
        key = key_of(tmp_path, text, "csv?split=;", shape="rows")
        assert text_of(with_system(key, ["", "a|b\\|c"])) == "id,labels\n1,\n2,a;b|c\n"
        assert refusal(with_system(key, ["a;b", ""])) == "the label 'a;b' contains ';', which separates labels here"
        key = key_of(tmp_path, text, "csv?several=rows", shape="rows")
        assert text_of(with_system(key, ["", "a|b"])) == "id,labels\n1,\n2,a\n2,b\n"

    def test_what_tsv_cannot_hold_is_refused(self, tmp_path: Path) -> None:
        key = read_rows(stored(tmp_path, "id\tlabel\n1\tx\n2\ty\n", "key.tsv"), shape="rows")
        assert refusal(with_system(key, ["a\tb", "c"])).startswith(
            "'a\\tb' cannot be written in a column, which ends at"
        )
        assert "the label of this row is empty" in refusal(with_system(key, ["", "c"]))
        assert text_of(with_system(key, ['"', "c"])) == 'id\tlabel\n1\t"\n2\tc\n'

    def test_a_carriage_return_before_a_line_end_is_refused(self, tmp_path: Path) -> None:
        key = read_rows(stored(tmp_path, "id,label\n1,x\n2,y\n", "key.csv"), shape="rows")
        assert "a carriage return at the end of a line" in refusal(with_system(key, ["a\r\nb", "c"]))

    def test_a_nul_is_refused(self, tmp_path: Path) -> None:
        key = read_rows(stored(tmp_path, "id,label\n1,x\n2,y\n", "key.csv"), shape="rows")
        assert refusal(with_system(key, ["a\0", "c"])) == "the output would have a NUL character"

    def test_a_first_row_like_a_header_is_refused(self, tmp_path: Path) -> None:
        key = read_rows(stored(tmp_path, "1,x\n2,y\n", "key.csv"), shape="rows")
        assert "sentence 1 of the input would be read back differently" in refusal(with_system(key, ["class", "y"]))

    def test_json(self, tmp_path: Path) -> None:
        text = '{"text": "GOLD", "uid": 7, "class": ["GOLD"]}\n{"text": "GOLD", "uid": 8, "class": []}\n'
        key = read_rows(stored(tmp_path, text, "key.jsonl"), shape="rows")
        assert text_of(with_system(key, ["", "a|b"])) == '{"uid":"7","class":[]}\n{"uid":"8","class":["a","b"]}\n'

    def test_json_of_tokens(self, tmp_path: Path) -> None:
        key = read_rows(stored(tmp_path, '{"tokens": ["Anna", "ran"], "tags": ["N", "V"]}\n', "key.jsonl"))
        assert text_of(with_system(key, ["a", ""])) == '{"tokens":["Anna","ran"],"tags":["a",""]}\n'

    def test_json_of_tokens_in_several_files(self, tmp_path: Path) -> None:
        for name in ("a.jsonl", "b.jsonl"):
            stored(tmp_path, '{"tokens": ["Anna", "ran"], "ner": "GOLD", "tags": ["N", "V"]}\n', name)
        key = read_rows(tmp_path)
        assert text_of(with_system(key, ["a", "b", "c", "d"])) == (
            '{"document":"a","tokens":["Anna","ran"],"tags":["a","b"]}\n'
            '{"document":"b","tokens":["Anna","ran"],"tags":["c","d"]}\n'
        )


def test_other_formats_are_refused() -> None:
    key = read_object(["N", "V"], Request(), "tokens")
    assert "tags, trees and rows cannot be written as 'python'" in refusal(key)

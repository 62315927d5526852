from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comparanda.core.corpus import Corpus, Documents
from comparanda.core.places import Part, Source, file_stem
from comparanda.formats import columns, conllu
from comparanda.formats.contract import Request
from comparanda.formats.files import load
from comparanda.formats.scanner import encode_word8
from comparanda.formats.tokens import Marks, may_mark
from tests.formats.corpora import documents, refusal


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(**texts: str) -> None:
    """Write files into the folder `c`; `__` in a name stands for `/`."""
    for name, text in texts.items():
        file = Path("c", *name.split("__")).with_suffix(".conll")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def corpus_of_folder() -> Corpus:
    return columns.read(load("c", side="key", suffixes=(".conll",)), Request(side="key"))


def made(marks: Marks, sentences: list[int], offset: list[int]) -> Documents:
    return marks.documents(np.array(sentences), np.array(offset))


class TestFiles:
    def test_each_file_of_a_folder_is_a_document(self) -> None:
        put(b="b O\n\nc O\n", a="a O\n")
        corpus = corpus_of_folder()
        assert documents(corpus) == {"a": ["a"], "b": ["b", "c"]}
        assert corpus.documents.marked

    def test_files_of_one_name_are_told_apart_by_their_folders(self) -> None:
        put(x__a="a O\n", y__a="b O\n", z="c O\n")
        assert documents(corpus_of_folder()) == {"x/a": ["a"], "y/a": ["b"], "z": ["c"]}

    def test_marks_cut_files_further(self) -> None:
        put(a="a O\n\n-DOCSTART- (one)\n\nb O\n", b="-DOCSTART- (two)\n\nc O\n", c="d O\n")
        assert documents(corpus_of_folder()) == {"a": ["a"], "one": ["b"], "two": ["c"], "c": ["d"]}

    def test_a_mark_at_the_end_of_a_file_is_an_empty_document_there(self) -> None:
        put(a="a O\n\n-DOCSTART- (one)\n", b="b O\n")
        assert documents(corpus_of_folder()) == {"a": ["a"], "one": [], "b": ["b"]}

    def test_an_empty_file_is_no_document(self) -> None:
        put(a="", b="b O\n")
        assert documents(corpus_of_folder()) == {"b": ["b"]}

    def test_many_files(self) -> None:
        put(**{f"f{number:04}": "a O\n" for number in range(300)})
        assert len(corpus_of_folder().documents) == 300

    def test_the_second_file_is_named_in_errors(self) -> None:
        put(a="a O\n", b="b O\n\nc O O\n")
        assert refusal(corpus_of_folder).startswith(
            "c/b.conll:3: expected 2 columns as in the first line (c/a.conll:1), got 3\n"
            "  columns are separated by spaces"
        )

    def test_mended_files_keep_their_documents_and_lines(self) -> None:
        put(a="a  O\n  \n", b="b O\n", c="  c O\n")
        corpus = corpus_of_folder()
        assert documents(corpus) == {"a": ["a"], "b": ["b"], "c": ["c"]}
        assert [str(corpus.location(row)) for row in range(3)] == ["c/a.conll:1", "c/b.conll:1", "c/c.conll:1"]

    def test_a_name_repeated_in_another_file(self) -> None:
        put(a="-DOCSTART- (x)\n\na O\n", b="\n-DOCSTART- (x)\n\nb O\n")
        assert refusal(corpus_of_folder) == (
            "c/b.conll:2: duplicate document 'x'\n"
            "  it first begins at c/a.conll:1\n"
            "  rename one: documents are identified by their names"
        )


class TestMarks:
    SOURCE = Source(parts=(Part("f.txt", None, 0),), given=bytearray(b"0\n1\n2\n3\n" + bytes(16)))
    OFFSET = (0, 2, 4, 6)

    def test_rows_before_the_first_mark_belong_to_the_file(self) -> None:
        marks = Marks(self.SOURCE)
        marks.begin("x", 1, 1)
        found = made(marks, [0, 1, 3, 4], [*self.OFFSET])
        assert (found.names, found.offsets.tolist(), found.marked) == (("f", "x"), [0, 1, 3], True)

    def test_a_mark_inside_a_sentence_is_refused(self) -> None:
        marks = Marks(self.SOURCE)
        marks.begin("x", 2, 4)
        assert refusal(made, marks, [0, 1, 3, 4], [*self.OFFSET]) == (
            "f.txt:3: the document 'x' begins inside a sentence\n  put an empty line before it"
        )

    def test_newdoc_inside_a_sentence_of_conllu(self) -> None:
        word = "\tw\tw\tN" + "\t_" * 6 + "\n"
        source = Source.of_text("f", f"1{word}# newdoc id = x\n2{word}\n1{word}".encode())
        assert refusal(conllu.read, source, Request(side="key")).startswith(
            "f:2: the document 'x' begins inside a sentence"
        )

    def test_meta_before_any_document_is_of_the_first(self) -> None:
        marks = Marks(self.SOURCE)
        assert marks.comment("# meta::genre = a = b ", 0, 0)
        found = made(marks, [0, 4], [*self.OFFSET])
        assert found.attributes["genre"].names == ("a = b",)
        assert not found.marked

    @pytest.mark.parametrize(
        ("comment", "name"),
        [
            ("# newdoc id = a b ", "a b"),
            ("#newdoc id=a", "a"),
            ("# newdoc", "document 1"),
            ("# newdoc id = ", "document 1"),
            ("# newdoc id", "document 1"),
        ],
    )
    def test_newdoc(self, comment: str, name: str) -> None:
        marks = Marks(self.SOURCE)
        assert marks.comment(comment, 0, 0)
        assert made(marks, [0, 4], [*self.OFFSET]).names == (name,)

    @pytest.mark.parametrize("comment", ["# newdocument", "# newpar", "# text = # newdoc", "# meta:: no value", "#"])
    def test_other_comments(self, comment: str) -> None:
        assert not Marks(self.SOURCE).comment(comment, 0, 0)

    def test_comments_are_told_by_their_first_bytes(self) -> None:
        heads = [b"# newdoc", b"#newdoc ", b"#newdoc\n", b"# meta::", b"#meta::x", b"# text =", b"#newdocx"]
        found = may_mark(np.array([encode_word8(head) for head in heads]))
        assert found.tolist() == [True, True, True, True, True, False, False]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("out/crf.v2.conllu.gz", "crf.v2"),
        ("a", "a"),
        (".conllu", ".conllu"),
        ("x/y.tar/z.txt", "z"),
        ("<stdin>", "<stdin>"),
    ],
)
def test_stem(name: str, expected: str) -> None:
    assert file_stem(name) == expected

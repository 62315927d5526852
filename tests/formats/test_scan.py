from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from comparanda.core.corpus import Corpus
from comparanda.core.places import Note, Part, Source
from comparanda.errors import ReadError
from comparanda.formats import columns, conllu, scanner
from comparanda.formats.contract import Request
from comparanda.formats.scanner import SPACE, TAB, check_line_lengths, remove_blank_spaces, replace_bytes, scan_blocks
from tests.formats import plain
from tests.formats.corpora import refusal
from tests.formats.plain import Plain

block_sizes = st.sampled_from([1, 2, 3, 7, 16, 40, 1 << 20])


def source_of(text: str) -> Source:
    return Source.of_text("f", text.encode())


def outcome(read: object, text: str, block: int) -> Plain | int:
    """What a reader makes of a text in blocks of this size, or the line it refuses."""
    assert callable(read)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanner, "BLOCK", block)
        try:
            corpus = read(source_of(text), Request(side="key"))
        except ReadError as problem:
            line = re.fullmatch(r"f:(\d+)", problem.where or "")
            return int(line[1]) if line else 0
        assert isinstance(corpus, Corpus)
        return Plain.of(corpus)


class TestBlocks:
    @given(st.text("ab\t\n \x01\x0bé", max_size=60), st.sampled_from([TAB, SPACE]), block_sizes)
    def test_lines_and_fields_are_those_of_split(self, text: str, separator: int, block: int) -> None:
        text += "\n"
        found: list[list[str]] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scanner, "BLOCK", block)
            for part in scan_blocks(source := source_of(text), separator):
                for line, width in enumerate(part.fields.tolist()):
                    one = np.array([line])
                    slices = [part.cut(one, width).slices(number) for number in range(width)]
                    found.append(
                        [bytes(source.data[int(at[0]) : int(at[0] + size[0])]).decode() for at, size in slices]
                    )
                    assert part.text(source, line) == chr(separator).join(found[-1])
        assert found == [line.split(chr(separator)) for line in text[:-1].split("\n")]

    def test_a_sentence_never_straddles_two_blocks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(scanner, "BLOCK", 4)
        text = "a\nb\n\nc\nd\ne\nf\n\n\ng\n"
        ends = [int(part.end[-1]) + 1 for part in scan_blocks(source_of(text), TAB)]
        assert [text[:end][-2:] for end in ends[:-1]] == ["\n\n"] * (len(ends) - 1)
        assert ends[-1] == len(text)


fields = st.text("ab#-é", max_size=9)
ids = st.one_of(
    *[st.none()] * 12,
    st.sampled_from(["1-1", "1-2", "2-3", "3-5", "0-1", "2-1", "2.1"]),
    st.sampled_from(["0", "1", "2", "3", "x", "", "a-b", "1.", "-", "01"]),
)
widths = st.sampled_from([10] * 15 + [9, 11, 1])
others = st.sampled_from(["", "", "", " ", "\t", "\t" * 9, "# text = a\tb", "#", "x"])


@st.composite
def conllu_text(draw: st.DrawFn) -> str:
    """Mostly right CoNLL-U."""
    found: list[str] = []
    expected = 1
    for _ in range(draw(st.integers(1, 14))):
        if draw(st.integers(0, 3)):
            given_id = draw(ids)
            cells = [
                given_id if given_id is not None else str(expected),
                draw(fields),
                "l",
                draw(st.sampled_from("NVA")),
            ]
            found.append("\t".join((cells + ["_"] * 7)[: draw(widths)]))
            expected += given_id is None
        else:
            found.append(draw(others))
            expected = expected if found[-1].strip() else 1
    return "\n".join(found) + "\n"


class TestFuzz:
    @given(conllu_text(), block_sizes)
    @example("1\ta\t_\tN" + "\t_" * 6 + "\n1-2\tb\t_\tN" + "\t_" * 6 + "\n", 1)
    def test_conllu_is_read_as_line_by_line(self, text: str, block: int) -> None:
        if not text.strip():
            return
        assert outcome(conllu.read, text, block) == plain.read_conllu(text)

    @given(st.lists(st.text("ab \té", max_size=8), min_size=1, max_size=12), st.integers(2, 4), block_sizes)
    def test_tabs_are_read_as_line_by_line(self, junk: list[str], width: int, block: int) -> None:
        first = "\t".join(["w w"] + ["x"] * (width - 1))  # a space in it: no mending then
        for more in ("\t" * (width - 1), ""):
            text = first + "\n" + "\n".join(each + more for each in junk) + "\n"
            assert outcome(columns.read, text, block) == plain.read_tabs(text, width)

    @given(st.lists(st.text("abé \t#", max_size=9), min_size=1, max_size=12), st.integers(2, 4), block_sizes)
    def test_spaces_are_read_as_line_by_line(self, junk: list[str], width: int, block: int) -> None:
        text = " ".join(["w"] + ["x"] * (width - 1)) + "\n"
        text += "".join("y " * (width - 1) + each.replace("#", "") + " \n" for each in junk)
        assert outcome(columns.read, text, block) == plain.read_spaces(text, width)


class TestMaxLine:
    @pytest.mark.parametrize("block", [1, 5, 30, 1 << 20])
    @pytest.mark.parametrize("reader", [conllu, columns])
    def test_a_line_above_the_limit_is_refused(
        self, block: int, reader: object, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(scanner, "BLOCK", block)
        read = conllu.read if reader is conllu else columns.read
        line = "1\tword\tw\tN" + "\t_" * 6
        long = line.replace("word", "longerword")
        text = f"{line}\n\n{long}\n\n{line}\n"
        assert len(read(source_of(text), Request(side="key", value="4", max_line=len(long)))) == 3
        expected = (
            f"f:3: this line has more than {len(long) - 1} bytes\n  if that is right, raise the limit with --max-line"
        )
        assert refusal(read, source_of(text), Request(side="key", value="4", max_line=len(long) - 1)) == expected

    @given(st.lists(st.integers(0, 12), min_size=1, max_size=12), st.integers(1, 12))
    def test_bytes_are_counted_without_the_newline(self, sizes: list[int], limit: int) -> None:
        source = source_of("".join("x" * size + "\n" for size in sizes))
        long = [number for number, size in enumerate(sizes, start=1) if size > limit]
        if long:
            assert refusal(check_line_lengths, source, 0, source.size, limit).startswith(f"f:{long[0]}: ")
        else:
            check_line_lengths(source, 0, source.size, limit)


class TestReplaced:
    def test_every_file_keeps_its_lines(self) -> None:
        data = b"a  b\nc\n\n" + b" \nd\n\n" + b"e\n\n"
        parts = (Part("1", None, 0), Part("2", None, 8), Part("3", None, 13))
        source = Source(parts=parts, given=bytearray(data + bytes(16)))
        mended = replace_bytes(source, b"a b\nc\n\n\nd\n\ne\n\n", Note("key", "mended", 2))
        places = {letter: str(mended.locate(bytes(mended.data).index(letter))) for letter in (b"a", b"c", b"d", b"e")}
        assert places == {b"a": "1:1", b"c": "1:2", b"d": "2:2", b"e": "3:1"}
        assert mended.repaired

    def test_lines_of_white_space_alone_become_blank(self) -> None:
        source = source_of("a\n \t\nb\n  \n\n")
        cleaned = remove_blank_spaces(source, "key")
        assert cleaned is not None
        assert bytes(cleaned.data[: cleaned.size]) == b"a\n\nb\n\n\n"
        assert [str(note) for note in cleaned.notes] == ["key: lines of only white space read as blank: 2"]

    def test_a_source_without_them_stays(self) -> None:
        assert remove_blank_spaces(source_of("a b\n\tc\n"), "key") is None

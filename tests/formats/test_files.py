from __future__ import annotations

import gzip
import io
import os
import sys
import threading
from pathlib import Path

import pytest

from comparanda.core.places import Source
from comparanda.formats import files
from comparanda.formats.files import load
from tests.formats.corpora import refusal


def text(source: Source) -> bytes:
    return bytes(source.data[: source.size])


def notes(source: Source) -> list[str]:
    return [str(note) for note in source.notes]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(name: str, data: bytes) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return name


def read(path: str, *suffixes: str) -> Source:
    return load(path, side="key", suffixes=suffixes)


@pytest.mark.usefixtures("folder")
class TestOneFile:
    def test_bytes_come_as_they_are(self) -> None:
        source = read(put("a.txt", b"a\nb\n"))
        assert text(source) == b"a\nb\n"
        assert (source.parts[0].name, source.parts[0].path, source.notes) == ("a.txt", Path("a.txt"), ())

    def test_a_last_line_gets_its_newline(self) -> None:
        assert text(read(put("a.txt", b"a\nb"))) == b"a\nb\n"

    def test_the_buffer_is_padded_by_zeros(self) -> None:
        assert bytes(read(put("a.txt", b"a\r\nb")).data) == b"a\nb\n" + bytes(16)

    def test_a_missing_file_names_its_neighbour(self) -> None:
        put("gold.conllu", b"x")
        assert refusal(read, "golt.conllu") == "golt.conllu: no such file (did you mean 'gold.conllu'?)"

    def test_a_missing_file_in_a_missing_folder(self) -> None:
        assert refusal(read, "nowhere/golt.conllu") == "nowhere/golt.conllu: no such file"

    def test_a_name_that_is_too_long_is_no_crash(self) -> None:
        assert "File name too long" in refusal(read, "x" * 5000)

    def test_an_empty_file(self) -> None:
        assert refusal(read, put("a.txt", b"")) == "a.txt: the file is empty"

    @pytest.mark.parametrize("data", [b"\n", b"\n\n\n", b"  \n\t\n", b"\r\n\r\n", b" "])
    def test_a_file_of_blank_lines_alone(self, data: bytes) -> None:
        assert refusal(read, put("a.txt", data)) == "a.txt: the file has only blank lines"

    def test_a_file_that_may_not_be_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def denied(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        put("a.txt", b"a\n")
        monkeypatch.setattr(Path, "open", denied)
        assert refusal(read, "a.txt") == "a.txt: cannot be read: Permission denied"


@pytest.mark.usefixtures("folder")
class TestGzip:
    def test_a_packed_file_is_unpacked_whatever_its_name(self) -> None:
        assert text(read(put("a.conll", gzip.compress(b"a O\n")))) == b"a O\n"

    def test_two_members_are_one_file(self) -> None:
        assert text(read(put("a.gz", gzip.compress(b"a\n") + gzip.compress(b"b\n")))) == b"a\nb\n"

    def test_a_truncated_file(self) -> None:
        packed = gzip.compress(b"a O\n" * 100)
        expected = "a.gz: the gzip file is truncated\n  copy or download it again"
        assert refusal(read, put("a.gz", packed[:-9])) == expected

    def test_a_damaged_file(self) -> None:
        packed = bytearray(gzip.compress(b"a O\n" * 100))
        packed[-6] ^= 0xFF
        assert refusal(read, put("a.gz", bytes(packed))).startswith("a.gz: the gzip file is damaged: CRC check failed")

    def test_a_damaged_stream(self) -> None:
        packed = gzip.compress(os.urandom(200))
        damaged = packed[:12] + b"\xff" * 50 + packed[62:]
        assert refusal(read, put("a.gz", damaged)).startswith("a.gz: the gzip file is ")

    def test_unpacked_bytes_are_cleaned_too(self) -> None:
        source = read(put("a.gz", gzip.compress(b"\xef\xbb\xbfa\r\nb\r\n")))
        assert text(source) == b"a\nb\n"
        assert len(source.notes) == 2


@pytest.mark.usefixtures("folder")
class TestCleaning:
    def test_a_byte_order_mark_is_ignored(self) -> None:
        source = read(put("a.txt", b"\xef\xbb\xbfa\n"))
        assert text(source) == b"a\n"
        assert notes(source) == ["key: byte-order mark ignored: 1 (a.txt:1)"]

    def test_crlf_becomes_lf_and_is_counted(self) -> None:
        source = read(put("a.txt", b"x\na\r\nb\r\n"))
        assert text(source) == b"x\na\nb\n"
        assert notes(source) == ["key: CRLF line ends read as LF: 2 (a.txt:2, a.txt:3)"]

    def test_lines_that_were_converted_twice(self) -> None:
        source = read(put("a.txt", b"a\r\r\n\r\r\nb\r\n"))
        assert text(source) == b"a\n\nb\n"
        assert notes(source) == ["key: CRLF line ends read as LF: 3 (a.txt:1, a.txt:2, a.txt:3)"]

    def test_cr_alone_is_refused(self) -> None:
        expected = "a.txt: the lines end with CR only\n  convert it: tr '\\r' '\\n' < FILE"
        assert refusal(read, put("a.txt", b"a\rb\r")) == expected

    def test_a_cr_inside_a_line_is_text(self) -> None:
        assert text(read(put("a.txt", b"a\rb\n"))) == b"a\rb\n"

    @pytest.mark.parametrize(("codec", "kind"), [("utf-16-le", "little"), ("utf-16-be", "big")])
    def test_utf16_with_a_mark_is_named(self, codec: str, kind: str) -> None:
        data = "\ufeffa\n".encode(codec)
        expected = f"a.txt: the file is UTF-16 ({kind}-endian), not UTF-8\n  convert it: iconv -f UTF-16 -t UTF-8 FILE"
        assert refusal(read, put("a.txt", data)) == expected

    @pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
    def test_utf16_without_a_mark_is_suspected(self, codec: str) -> None:
        data = "der\tDET\nHund\tNOUN\n".encode(codec)
        expected = "a.txt:1: there is a NUL byte in this line\n  it looks like UTF-16: iconv -f UTF-16 -t UTF-8 FILE"
        assert refusal(read, put("a.txt", data)) == expected

    def test_a_nul_byte_is_refused(self) -> None:
        expected = "a.txt:2: there is a NUL byte in this line\n  is it a text file?"
        assert refusal(read, put("a.txt", b"abc\nd\0e\n")) == expected

    def test_latin1_is_refused_by_line(self) -> None:
        expected = (
            "a.txt:2: not UTF-8: byte 0xfc in this line (invalid start byte)\n"
            "  convert it, for example: iconv -f LATIN1 -t UTF-8 FILE"
        )
        assert refusal(read, put("a.txt", "ok\nZürich\n".encode("latin-1"))) == expected

    def test_a_character_cut_off_at_the_end_is_refused(self) -> None:
        assert refusal(read, put("a.txt", "ok\nZü".encode()[:-1])).startswith("a.txt:2: not UTF-8: byte 0xc3")


@pytest.mark.usefixtures("folder")
class TestSeveralFiles:
    def test_a_folder_is_read_in_order_with_blank_lines_between(self) -> None:
        put("c/b.conll", b"b O")
        put("c/a.conll", b"a O\n")
        put("c/sub/c.conll.gz", gzip.compress(b"c O\n"))
        put("c/readme.md", b"no")
        put("c/.hidden.conll", b"no")
        put("c/.git/d.conll", b"no")
        source = read("c", ".conll")
        assert text(source) == b"a O\n\nb O\n\nc O\n\n"
        assert [part.name for part in source.parts] == ["c/a.conll", "c/b.conll", "c/sub/c.conll.gz"]
        assert [str(source.locate(offset)) for offset in (0, 5, 10)] == [
            "c/a.conll:1",
            "c/b.conll:1",
            "c/sub/c.conll.gz:1",
        ]

    def test_each_file_is_cleaned_by_itself(self) -> None:
        put("c/1.txt", b"\xef\xbb\xbfa\r\nb\r\n")
        put("c/2.txt", gzip.compress(b"c\r\n" * 1000))
        put("c/3.txt", b"\xef\xbb\xbfd\r\n")
        put("c/4.txt", b"e\n")
        source = read("c", ".txt")
        assert text(source) == b"a\nb\n\n" + b"c\n" * 1000 + b"\nd\n\ne\n\n"
        assert notes(source) == [
            "key: byte-order mark ignored: 1 (c/1.txt:1)",
            "key: CRLF line ends read as LF: 2 (c/1.txt:1, c/1.txt:2)",
            "key: CRLF line ends read as LF: 1,000 (c/2.txt:1, c/2.txt:2, c/2.txt:3, …)",
            "key: byte-order mark ignored: 1 (c/3.txt:1)",
            "key: CRLF line ends read as LF: 1 (c/3.txt:1)",
        ]

    def test_a_packed_file_may_grow_before_another(self) -> None:
        put("c/1.txt", gzip.compress(b"a\n" * 5000))
        put("c/2.txt", b"b\n" * 50)
        assert text(read("c", ".txt")) == b"a\n" * 5000 + b"\n" + b"b\n" * 50 + b"\n"

    def test_an_error_names_the_file_and_its_line(self) -> None:
        put("c/1.txt", b"a\nb\n")
        put("c/2.txt", b"a\n\xff\n")
        assert refusal(read, "c", ".txt").startswith("c/2.txt:2: not UTF-8: byte 0xff")

    def test_a_folder_without_matching_files(self) -> None:
        put("c/readme.md", b"no")
        hint = "files ending in .conll, .iob are read; name others by a glob: 'c/*'"
        expected = f"c/: the folder has no matching files\n  {hint}"
        assert refusal(read, "c/", ".conll", ".iob") == expected

    def test_an_empty_file_among_others_is_no_harm(self) -> None:
        put("c/1.txt", b"")
        put("c/2.txt", b"a\n")
        source = read("c", ".txt")
        assert str(source.locate(text(source).index(b"a"))) == "c/2.txt:1"

    def test_only_empty_files(self) -> None:
        put("c/1.txt", b"")
        put("c/2.txt", b"\n")
        assert refusal(read, "c", ".txt") == "c/1.txt: all these files are empty"

    def test_a_glob(self) -> None:
        put("x1.txt", b"a\n")
        put("x2.txt", b"b\n")
        put("y.txt", b"c\n")
        assert text(read("x?.txt")) == b"a\n\nb\n\n"

    def test_a_file_whose_name_looks_like_a_glob_is_that_file(self) -> None:
        put("x?.txt", b"a\n")
        put("x1.txt", b"b\n")
        assert text(read("x?.txt")) == b"a\n"

    def test_a_glob_without_matches(self) -> None:
        assert refusal(read, "z*.txt") == "z*.txt: no file matches this pattern"


class Stdin:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


class TestStandardInput:
    def test_a_dash_reads_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", Stdin(b"a\nb"))
        source = read("-")
        assert text(source) == b"a\nb\n"
        assert (source.parts[0].name, source.parts[0].path) == ("<stdin>", None)

    def test_packed_bytes_are_unpacked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", Stdin(gzip.compress(b"a\n")))
        assert text(read("-")) == b"a\n"

    def test_truncated_packed_bytes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", Stdin(gzip.compress(b"a\n")[:5]))
        assert refusal(read, "-") == "<stdin>: the gzip file is truncated\n  copy or download it again"

    def test_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", Stdin(b""))
        assert refusal(read, "-") == "<stdin>: the file is empty"


@pytest.mark.usefixtures("folder")
class TestAtTheSameTime:
    @pytest.mark.parametrize("change", [b"longer than before\n", b"", b"b\n"])
    def test_a_file_that_changes_while_it_is_read(self, change: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
        put("a.txt", b"a\n")
        os.utime("a.txt", ns=(0, 0))
        fill = files._fill

        def fill_and_change(stream: io.RawIOBase, view: memoryview) -> int:
            got = fill(stream, view)
            put("a.txt", change)
            return got

        monkeypatch.setattr(files, "_fill", fill_and_change)
        assert refusal(read, "a.txt") == "a.txt: the file changed while it was being read\n  run again"

    def test_a_file_that_is_cut_short_while_it_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        put("a.txt", b"a\n")
        monkeypatch.setattr(files, "_fill", lambda _stream, view: len(view) - 1)
        assert refusal(read, "a.txt").startswith("a.txt: the file changed while it was being read")

    def test_a_file_that_vanishes_while_it_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        put("a.txt", b"a\n")
        fill = files._fill

        def fill_and_remove(stream: io.RawIOBase, view: memoryview) -> int:
            Path("a.txt").unlink()
            return fill(stream, view)

        monkeypatch.setattr(files, "_fill", fill_and_remove)
        assert refusal(read, "a.txt") == "a.txt: cannot be read: No such file or directory"

    def test_a_file_that_vanishes_before_it_is_opened(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(files, "_expand_path", lambda *_: [Path("gone.txt")])
        assert refusal(read, "gone.txt") == "gone.txt: cannot be read: No such file or directory"

    def test_a_file_that_becomes_a_folder(self, monkeypatch: pytest.MonkeyPatch) -> None:
        Path("sub").mkdir()
        monkeypatch.setattr(files, "_expand_path", lambda *_: [Path("sub")])
        assert refusal(read, "sub") == "sub: this is a folder, not a file"

    @pytest.mark.parametrize("data", [b"a O\nb O\n" * 50_000, gzip.compress(b"a O\nb O\n" * 50_000)])
    def test_a_pipe_is_read_to_its_end(self, data: bytes) -> None:
        os.mkfifo("pipe")
        writer = threading.Thread(target=Path("pipe").write_bytes, args=(data,))
        writer.start()
        source = read("pipe")
        writer.join()
        assert text(source) == b"a O\nb O\n" * 50_000


@pytest.mark.usefixtures("folder")
class TestBeside:
    """Files that belong to others and are read behind them."""

    def read(self, path: str) -> list[str]:
        return [part.name for part in load(path, side="key", suffixes=(".ann",), companions={".ann": (".txt",)}).parts]

    def test_behind_each(self) -> None:
        for name in ("c/1.ann", "c/1.txt", "c/2.ann", "c/3.txt", "c/d/4.ann", "c/d/4.txt"):
            put(name, b"x\n")
        assert self.read("c") == ["c/1.ann", "c/1.txt", "c/2.ann", "c/d/4.ann", "c/d/4.txt"]
        assert self.read("c/1.ann") == ["c/1.ann", "c/1.txt"]
        assert self.read("c/1.txt") == ["c/1.txt"]
        assert self.read("c/*.ann") == ["c/1.ann", "c/1.txt", "c/2.ann"]

    def test_packed(self) -> None:
        put("1.ann.gz", gzip.compress(b"x\n"))
        put("1.txt.gz", gzip.compress(b"y\n"))
        assert self.read("1.ann.gz") == ["1.ann.gz", "1.txt.gz"]
        put("1.txt", b"y\n")
        assert self.read("1.ann.gz") == ["1.ann.gz", "1.txt"]

    def test_one_empty_file_is_enough_text(self) -> None:
        put("1.ann", b"")
        put("1.txt", b"y\n")
        source = load("1.ann", side="key", companions={".ann": (".txt",)})
        assert text(source) == b"\n\ny\n\n"
        assert str(source.locate(2)) == "1.txt:1"


@pytest.mark.parametrize("names", [("a.txt",), ("a.txt", "b.txt.gz")])
def test_who_looks_at_frames_may_hold_views_a_moment_longer(
    names: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The profiler of a Dask worker does: then the buffer cannot change its size, and reading ended by BufferError."""
    held: list[memoryview] = []

    def looked_at(data: bytearray, begin: int, end: int) -> None:
        held.append(memoryview(data))
        threading.Timer(0.05, held.clear).start()

    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"two\n" * 100))
    monkeypatch.setattr(files, "first_invalid", looked_at)
    source = files.load_files([tmp_path / name for name in names], side="key")
    assert source.data[:4] == b"one\n"
    assert source.data.count(b"two\n") == 100 * (len(names) - 1)

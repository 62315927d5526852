"""Where documents and sentences begin in large files."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparanda.formats import cuts
from comparanda.formats.contract import Request
from comparanda.formats.cuts import UncuttableError, gathered_starts, read_chunks, sentences_between_blank_lines

TEXT = b"# a comment\na O\nb O\n\n\n# alone\n\n \t\nc O\r\n\r\n# sent_id = 2\nd O\n"


def starts_of(path: Path, data: bytes) -> list[tuple[int, int]]:
    path.write_bytes(data)
    found = sentences_between_blank_lines(path, Request())
    assert (found.step, found.count) == (1, len(found.start))
    return list(zip(found.start.tolist(), found.lines.tolist(), strict=True))


def test_a_sentence_begins_with_its_comments_and_needs_a_word(tmp_path: Path) -> None:
    begins = [TEXT.index(b"# a"), TEXT.index(b"c O"), TEXT.index(b"# sent_id")]
    expected = [(begin, TEXT.count(b"\n", 0, begin)) for begin in begins]
    assert starts_of(tmp_path / "file", TEXT) == expected


def test_a_byte_order_mark_is_in_no_chunk(tmp_path: Path) -> None:
    assert [begin for begin, _ in starts_of(tmp_path / "file", b"\xef\xbb\xbfa O\n\nb O\n")] == [3, 8]


@given(st.lists(st.sampled_from([b"a O\n", b"# x\n", b"\n", b"\r\n", b" \n"]), max_size=30), st.integers(1, 20))
def test_chunks_of_any_size_tell_the_same(lines: list[bytes], size: int) -> None:
    data = b"".join(lines)
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as place:
        path = Path(place) / "file"
        whole = starts_of(path, data)
        patch.setattr(cuts, "CHUNK", size)
        assert starts_of(path, data) == whole
        assert b"".join(chunk.data for chunk in read_chunks(path, sentences=True)) == data


def test_what_holds_for_the_whole_file_is_in_the_way(tmp_path: Path) -> None:
    with pytest.raises(UncuttableError, match="line 3 applies to the whole file"):
        starts_of(tmp_path / "file", b"a O\n\n# meta::genre = news\nb O\n")


@pytest.mark.parametrize("batch", [1, 3, 7, 100])
def test_of_many_sentences_every_so_manieth_is_told(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuts, "_MAX_STARTS", 8)
    every = np.arange(100)
    found = gathered_starts(
        (every[place : place + batch], every[place : place + batch]) for place in range(0, 100, batch)
    )
    assert (found.step, found.count) == (16, 100)
    assert found.start.tolist() == found.lines.tolist() == list(range(0, 100, 16))

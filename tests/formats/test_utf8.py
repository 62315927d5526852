from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from comparanda.formats import files
from comparanda.formats.files import first_invalid


@pytest.fixture(params=[1, 2, 3, 5, 8, 16, 1 << 20], scope="module")
def _block_size(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "_BLOCK", request.param)
        yield


def pythons_opinion(data: bytes) -> int | None:
    try:
        data.decode()
    except UnicodeDecodeError as problem:
        return problem.start
    return None


def agrees(data: bytes, before: bytes = b"") -> None:
    """The checker and Python agree, and what stands around the bytes does not matter."""
    found = first_invalid(bytearray(before + data + b"\x80\xff"), len(before), len(before) + len(data))
    expected = pythons_opinion(data)
    assert (found and found[0]) == (None if expected is None else expected + len(before))


characters = st.one_of(st.characters(codec="utf-8"), st.sampled_from("\n\n\n aZ߿ࠀ퟿￿𐀀\U0010ffff"))
mostly_ascii = st.one_of(*[st.sampled_from("abcdefgh \t\n")] * 20, characters)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    data = bytearray(draw(st.text(draw(st.sampled_from([characters, mostly_ascii])), max_size=80)).encode())
    for _ in range(draw(st.integers(0, 2))):
        if data:
            place = draw(st.integers(0, len(data) - 1))
            data[place : place + draw(st.integers(0, 2))] = draw(st.binary(max_size=2))
    return bytes(data)


@pytest.mark.usefixtures("_block_size")
class TestAgreesWithPython:
    @given(st.binary(max_size=60), st.binary(max_size=9))
    def test_on_random_bytes(self, data: bytes, before: bytes) -> None:
        agrees(data, before)

    @given(mutated(), st.binary(max_size=9))
    @example(b"\xed\xa0\x80", b"")
    @example(b"\xf4\x90\x80\x80", b"")
    @example(b"\xc0\x80", b"")
    @example(b"\xe0\x80\x80", b"")
    @example(b"a" * 30 + b"\xc3\n\xbc" + b"a" * 200, b"abc")
    def test_on_text_that_was_changed(self, data: bytes, before: bytes) -> None:
        agrees(data, before)

    @given(mutated(), st.integers(0, 40))
    def test_on_long_lines_of_ascii_around(self, data: bytes, shift: int) -> None:
        agrees(b"x" * shift + data + b"y" * 700)


def test_the_reason_is_pythons() -> None:
    assert first_invalid(bytearray(b"ok\nZ\xfcrich\n"), 0, 10) == (4, "invalid start byte")


def test_nothing_is_valid() -> None:
    assert first_invalid(bytearray(b"\xff"), 0, 0) is None

"""Validation of UTF-8 that looks only at the bytes above ASCII, as long as these are few."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Rows = NDArray[np.int64]

_BLOCK = 1 << 20
_HIGHS = np.uint64(0x8080808080808080)


def first_invalid(data: bytearray, begin: int, end: int) -> tuple[int, str] | None:
    r"""Return the offset of the first byte that breaks UTF-8, with the reason, or None.

    >>> first_invalid(bytearray("Zürich\n".encode()), 0, 8) is None
    True
    >>> first_invalid(bytearray("Zürich\n".encode("latin-1")), 0, 7)
    (1, 'invalid start byte')
    """
    array = np.frombuffer(data, dtype=np.uint8)
    while begin < end:
        stop = data.find(b"\n", min(begin + _BLOCK, end), end)
        stop = end if stop < 0 else stop + 1
        high = _above_ascii(array, begin, stop)
        if high is None or not _valid(array[begin:stop], high):
            try:
                str(memoryview(data)[begin:stop], "utf-8")
            except UnicodeDecodeError as problem:
                return begin + problem.start, problem.reason
        begin = stop
    return None


def _above_ascii(array: Bytes, begin: int, stop: int) -> Rows | None:
    """Return where bytes above ASCII stand behind `begin`, found eight bytes at once; None if they are many."""
    first, last = -(-begin // 8) * 8, stop // 8 * 8
    if last <= first:
        return np.flatnonzero(array[begin:stop] >= 0x80)
    eights = array[first:last].view(np.uint64)
    words = np.flatnonzero((eights & _HIGHS) != 0)
    if words.size > len(eights) // 16:  # Python's decoder is faster then
        return None
    inside = np.flatnonzero(eights[words].view(np.uint8) >= 0x80)
    inside = (words[inside >> 3] << 3) + (inside & 7) + (first - begin)
    before = np.flatnonzero(array[begin:first] >= 0x80)
    behind = np.flatnonzero(array[last:stop] >= 0x80) + (last - begin)
    return np.concatenate([before, inside, behind])


def _valid(block: Bytes, high: Rows) -> bool:
    """Whether a block that ends at a character's end is valid (table 3-7 of the Unicode standard)."""
    if not high.size:
        return True
    values = block[high]
    is_lead = values >= 0xC0
    leads, lead = high[is_lead], values[is_lead]
    following = 1 + (lead >= 0xE0).astype(np.int64) + (lead >= 0xF0)
    if leads.size == 0 or lead.min() < 0xC2 or lead.max() > 0xF4 or following.sum() != high.size - leads.size:
        return False
    if int(leads[-1]) + int(following[-1]) >= len(block):
        return False
    for step in (1, 2, 3):
        rest = leads[following >= step] + step
        if rest.size and (block[np.minimum(rest, len(block) - 1)] & 0xC0 != 0x80).any():
            return False
    second = block[leads + 1]
    return not (
        ((lead == 0xE0) & (second < 0xA0)).any()
        or ((lead == 0xED) & (second > 0x9F)).any()
        or ((lead == 0xF0) & (second < 0x90)).any()
        or ((lead == 0xF4) & (second > 0x8F)).any()
    )

"""Changes that respect what files are made of: lines, fields, numbers, brackets, values of JSON.

libFuzzer changes bytes; most such changes end at the first check of a reader. These get behind it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from fuzz.target import SEPARATOR

Change = Callable[[Random, bytes], bytes]

NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
VALUE = re.compile(rb'"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null')
TOKEN = re.compile(rb"[\w.-]+|[^\w\s]")
NUMBERS = (b"0", b"-1", b"1", b"2", b"3", b"-0", b"00", b"1.5", b"1e5", b"1e999", b"-1e-999", b"NaN", b"-Infinity",
           b"255", b"65536", b"2147483647", b"2147483648", b"4294967296", b"9223372036854775807",
           b"9223372036854775808", b"-9223372036854775809", b"9" * 30, b"9" * 400, b"9" * 5000, b"+7", b"1_0",
           "١٢".encode(), "²".encode())  # fmt: skip
VALUES = (b"null", b"true", b"false", b"[]", b"{}", b'""', b'"x"', b"[null]", b'{"a": 1}', b'[["a", 1]]', b'"\\ud800"',
          b'"\\u0000"', b'"\\n"', b"1e999", b'"1"', b"[0, 1]", b"[1, 0]", b'"NIL"', b"-1", b'" "', b"1.0")  # fmt: skip
_CHARACTERS = (
    "\ufeff", "\u200b", "\u200d", "\u0301", "\u2028", "\u2029", "\x85", "\xa0", "\u3000", "\u202e", "İ", "ß", "ﬁ", "😀",
    "e\u0301", "東京", "\x1c", "\x0b", "\x0c", "\x1f", "\x7f", "\ud800", "\U0010ffff", "\ufffe", "𝟙", "ſ", "Å",
)  # fmt: skip
_BYTES = (b"\0", b"\xff", b"\xc0\x80", b"\xe2\x82", b"\r", b"\r\n", b"\n", b"\n\n", b"\t", b" ", b"  ", b"\x1f\x8b")
ODD = (*(each.encode("utf-8", "surrogatepass") for each in _CHARACTERS), *_BYTES)
SIGNS = (b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b"/", b"|", b"-", b"_", b":", b";", b",", b"=", b"#", b"*",
         b"&", b"%", b'"', b"'", b"\\", b"`", b"@", b"^", b"?", b"!", b".", b"</a>", b"<a>", b"<!--", b"]]>", b"&#0;",
         b"&lt;", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"<?xml version='1.0' encoding='UTF-16'?>")  # fmt: skip
PAIRS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b"<a>", b"</a>"), (b'{"a":', b"}"), (b"(1", b"1)"), (b"not ", b""),
         (b"-", b""), (b'"', b'"'))  # fmt: skip
TIMES = (2, 3, 10, 60, 130, 300, 1100)


def changed(draw: Random, data: bytes, words: Sequence[bytes], longest: int) -> bytes:
    """Return a case with one of its files changed in a few places; rarely it is also read in another way."""
    choice, pieces = data[:1] or b"\0", data[1:].split(SEPARATOR)
    if draw.random() < 0.08:
        choice = bytes([draw.randrange(256)])
    number = draw.randrange(len(pieces))
    for _ in range(draw.choice((1, 1, 1, 2, 3, 5))):
        change = draw.choice(CHANGES)
        pieces[number] = change(draw, pieces[number])
        if words and draw.random() < 0.2:
            pieces[number] = _placed(draw, pieces[number], draw.choice(words), TOKEN)
    return (choice + SEPARATOR.join(pieces))[:longest]


def crossed(draw: Random, data: bytes, other: bytes, longest: int) -> bytes:
    """Return a case with some lines of another one."""
    pieces, others = data[1:].split(SEPARATOR), other[1:].split(SEPARATOR)
    number = draw.randrange(min(len(pieces), len(others)))
    mine, theirs = pieces[number].split(b"\n"), others[number].split(b"\n")
    begin = draw.randrange(len(theirs))
    place = draw.randrange(len(mine) + 1)
    mine[place : place + draw.choice((0, 1, 5))] = theirs[begin : begin + draw.randint(1, 12)]
    pieces[number] = b"\n".join(mine)
    return (data[:1] + SEPARATOR.join(pieces))[:longest]


def _lines(draw: Random, data: bytes) -> bytes:
    """Double, drop, move, swap, join, repeat or empty lines."""
    lines = data.split(b"\n")
    place, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    match draw.randrange(8):
        case 0:
            lines.insert(other, lines[place])
        case 1:
            del lines[place : place + draw.choice((1, 1, 2, 5))]
        case 2:
            lines[place], lines[other] = lines[other], lines[place]
        case 3:
            lines[place : place + 2] = [b"".join(lines[place : place + 2])]
        case 4:
            lines[place:place] = [lines[other]] * draw.choice(TIMES[:4])
        case 5:
            lines.insert(place, draw.choice((b"", b" ", b"\t", b"#", b"# ")))
        case 6:
            lines = lines[:place]
        case _:
            lines[place] = b""
    return b"\n".join(lines)


def _fields(draw: Random, data: bytes) -> bytes:
    """Double, drop, swap, empty or borrow a field of a line."""
    lines = data.split(b"\n")
    place = draw.randrange(len(lines))
    sign = next((each for each in (b"\t", b"|", b",", b" ") if each in lines[place]), b" ")
    fields = lines[place].split(sign)
    one, other = draw.randrange(len(fields)), draw.randrange(len(fields))
    match draw.randrange(6):
        case 0:
            fields.insert(other, fields[one])
        case 1:
            del fields[one]
        case 2:
            fields[one], fields[other] = fields[other], fields[one]
        case 3:
            fields[one] = draw.choice((b"", b"_", b"-", b"0", b"O", b"*"))
        case 4:
            fields[one] = draw.choice(draw.choice(lines).split(sign))
        case _:
            sign = draw.choice((b" ", b"\t", b"  ", b",", b";"))
    lines[place] = sign.join(fields)
    return b"\n".join(lines)


def _placed(draw: Random, data: bytes, new: bytes, what: re.Pattern[bytes]) -> bytes:
    """Put something in the place of one of the things that a pattern finds, or beside it."""
    begin = draw.randrange(len(data) + 1)
    found = what.search(data, begin) or what.search(data)
    if found is None:
        return data[:begin] + new + data[begin:]
    start = found.end() if draw.random() < 0.2 else found.start()
    return data[:start] + new + data[found.end() :]


def _numbers(draw: Random, data: bytes) -> bytes:
    """Replace a number: by a strange one, by its neighbour, by another one of the file."""
    begin = draw.randrange(len(data) + 1)
    found = NUMBER.search(data, begin) or NUMBER.search(data)
    if found is None:
        return data
    new = draw.choice(NUMBERS)
    if draw.random() < 0.5:
        others = NUMBER.findall(data)
        new = draw.choice(others)
        if len(found[0]) < 18 and found[0].lstrip(b"-").isdigit() and draw.random() < 0.6:
            new = b"%d" % (int(found[0]) + draw.choice((-1, 1, 1, 10)))
    return data[: found.start()] + new + data[found.end() :]


def _values(draw: Random, data: bytes) -> bytes:
    """Replace a value of JSON: by one of another kind, or by another one of the file."""
    others = VALUE.findall(data)
    new = draw.choice(others) if others and draw.random() < 0.3 else draw.choice(VALUES)
    return _placed(draw, data, new, VALUE)


def _signs(draw: Random, data: bytes) -> bytes:
    """Put in, or put in the place of a token, a bracket or another sign."""
    return _placed(draw, data, draw.choice(SIGNS), TOKEN)


def _odd(draw: Random, data: bytes) -> bytes:
    """Put in a character or a byte that is read in more ways than one."""
    place = draw.randrange(len(data) + 1) if draw.random() < 0.9 else 0
    return data[:place] + draw.choice(ODD) + data[place:]


def _nested(draw: Random, data: bytes) -> bytes:
    """Put something into many brackets."""
    opening, closing = draw.choice(PAIRS)
    begin = draw.randrange(len(data) + 1)
    end = min(len(data), begin + draw.choice((0, 1, 5, 40)))
    times = draw.choice(TIMES)
    closed = times if draw.random() < 0.8 else draw.choice(TIMES)
    return data[:begin] + opening * times + data[begin:end] + closing * closed + data[end:]


def _stretches(draw: Random, data: bytes) -> bytes:
    """Cut out, double, repeat or move some bytes."""
    begin, size = draw.randrange(len(data) + 1), draw.choice((1, 2, 5, 20, 100))
    some = data[begin : begin + size]
    place = draw.randrange(len(data) + 1)
    match draw.randrange(4):
        case 0:
            return data[:begin] + data[begin + size :]
        case 1:
            return data[:place] + some + data[place:]
        case 2:
            return data[:begin] + some * draw.choice(TIMES) + data[begin + size :]
        case _:
            return data[:place]


def _everywhere(draw: Random, data: bytes) -> bytes:
    """Change something wherever it stands: line ends, the case, one token."""
    match draw.randrange(5):
        case 0:
            return data.replace(b"\n", draw.choice((b"\r\n", b"\r", b"\n\n", b" \n", b"\r\r\n")))
        case 1:
            return data.upper()
        case 2:
            return b"\xef\xbb\xbf" + data
        case 3:
            return data.rstrip(b"\n")
        case _:
            tokens = TOKEN.findall(data)
            if not tokens:
                return data
            return data.replace(draw.choice(tokens), draw.choice((*tokens[:50], *ODD, b"")))


CHANGES: tuple[Change, ...] = (
    _lines, _lines, _fields, _fields, _numbers, _numbers, _values, _values, _signs, _odd, _nested, _stretches,
    _everywhere,
)  # fmt: skip

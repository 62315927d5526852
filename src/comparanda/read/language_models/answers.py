"""The answers of language models, as text: JSON alone, fenced or between sentences, or the text once more with tags.

What is no JSON by a trifle (single quotes, a comma too many, tuples) is mended. What is cut off is not: nobody knows
how it would go on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from comparanda.read.language_models.items import Answer, How, Names, read_value
from comparanda.read.language_models.tagged_text import tagged

_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[^\S\n]{0,9}[\w+-]{0,20}[^\S\n]{0,9}\n(.*?)(?:^[^\S\n]{0,9}```|\Z)", re.DOTALL | re.MULTILINE)
_OPENING = re.compile(r"[\[{]")
_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|["\[\]{}]', re.DOTALL)
_TOKEN = re.compile(
    r'\s+|"[^"\\]*(?:\\.[^"\\]*)*"|\'[^\'\\]*(?:\\.[^\'\\]*)*\'|[\[\](){}:,]|[^\s\[\](){}:,"\']+', re.DOTALL
)
_PLAIN = {"True": "true", "False": "false", "None": "null"}
_SWAP = {"(": "[", ")": "]"}
_SCALAR = re.compile(r"true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")

_DEEPEST, _MOST_PIECES, _MOST_MENDED = 60, 1000, 1 << 20

_NOTHING: Final = object()
"""What is no JSON."""

_TWICE: Final = object()
"""The value of a field that an object has twice with two values: nobody knows which is meant."""


def parse(answer: str, names: Names | None = None) -> Answer:
    """Read an answer that is text.

    >>> parse('Here they are: [{"text": "Anna", "label": "PER"}]').items
    [Item(text='Anna', label='PER', said={}, occurrence=0, begin=-1)]
    >>> found = parse("<PER>Anna</PER> left.")
    >>> found.how, found.copy, found.items[0].text
    ('tagged', 'Anna left.', 'Anna')
    """
    names = names or Names()
    text = _THOUGHTS.sub("", answer).strip()
    blocks = [block.strip() for block in _FENCE.findall(text)]
    value, how = _decoded(text)
    if value is not _NOTHING:
        return read_value(value, names, how)
    found = _of_blocks(blocks, names) if blocks else _of_pieces(_pieces(text), names)
    if found is not None:
        return found
    for copied in [*blocks, text]:
        if (copy := tagged(copied)) is not None:
            return copy
    return Answer(how="unread")


def _decoded(text: str) -> tuple[Any, How]:
    """Return the value of a text that is JSON, or is so once it is mended; `_NOTHING` if it is not."""
    if text[:1] not in {"[", "{", "("}:
        return _NOTHING, "unread"
    ways: tuple[How, ...] = ("read", "mended")
    for how in ways:
        written = text if how == "read" else _mended(text)
        if written is not None:
            try:
                return json.loads(written, object_pairs_hook=_merged), how
            except (ValueError, RecursionError):  # no JSON, a number without end, or nested too deeply
                continue
    return _NOTHING, "unread"


def _merged(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; lists of a field that is there twice are one, and other values of it none."""
    whole = dict(pairs)
    if len(whole) == len(pairs):
        return whole
    seen: dict[str, Any] = {}
    for name, value in pairs:
        if name not in seen:
            seen[name] = list(value) if isinstance(value, list) else value
        elif isinstance(value, list) and isinstance(seen[name], list):
            seen[name] += value
        else:
            seen[name] = _TWICE
    return seen


def _mended(text: str) -> str | None:
    """Return JSON for a text with single quotes, tuples, Python's constants or commas too many; None if it is neither.

    >>> _mended("[('Anna', 'PER'),]")
    '[["Anna","PER"]]'
    """
    written: list[str] = []
    place, depth = 0, 0
    while place < len(text) <= _MOST_MENDED:
        token = _TOKEN.match(text, place)
        if token is None or (written and depth == 0) or depth > _DEEPEST:
            return None
        place, given = token.end(), token[0]
        if given.isspace():
            continue
        depth += (given in "[{(") - (given in "]})")
        given = _PLAIN.get(given, _SWAP.get(given, given))
        if given in {"]", "}"} and written and written[-1] == ",":
            written.pop()
        if given[0] == "'":
            given = '"' + re.sub(r'\\(.)|(")', _requoted, given[1:-1], flags=re.DOTALL) + '"'
        elif given[0] not in '[]{}:,"' and not _SCALAR.fullmatch(given):
            return None
        written.append(given.replace("\n", "\\n").replace("\t", "\\t") if given[0] == '"' else given)
    return "".join(written)


def _requoted(found: re.Match[str]) -> str:
    """Write an escape of Python, or a double quote, as JSON does."""
    if found[2]:
        return '\\"'
    return "'" if found[1] == "'" else f"\\{found[1]}"


def _pieces(text: str) -> Iterator[tuple[Any, How]]:
    """Give the values that stand in brackets, if all brackets close; of what is no JSON, `_NOTHING`."""
    found: list[tuple[Any, How]] = []
    place = 0
    while opening := _OPENING.search(text, place):
        depth = 0
        for bracket in _BRACKET.finditer(text, opening.start()):
            depth += (bracket[0] in "[{") - (bracket[0] in "]}")
            if depth == 0 or depth > _DEEPEST or bracket[0] == '"':
                break
        if depth or len(found) > _MOST_PIECES:
            return
        place = bracket.end()
        found.append(_decoded(text[opening.start() : place]))
    yield from found


def _of_pieces(pieces: Iterable[tuple[Any, How]], names: Names) -> Answer | None:
    """Read the pieces of JSON in an answer as one; those without a readable item are prose."""
    found = ((value, read_value(value, names, how)) for value, how in pieces)
    return _together([each for value, each in found if each.how != "unread" and (each.items or not value)])


def _of_blocks(blocks: list[str], names: Names) -> Answer | None:
    """Read fenced blocks as one; if some can be read and one cannot, that is an item that cannot."""
    found = []
    if len(blocks) > _MOST_PIECES:
        return None
    for block in blocks:
        value, how = _decoded(block)
        found.append(_of_pieces(_pieces(block), names) if value is _NOTHING else read_value(value, names, how))
    whole = _together([each for each in found if each is not None])
    if whole is not None:
        whole.bad += found.count(None)
    return whole


def _together(answers: list[Answer]) -> Answer | None:
    """Return several answers as one; None for none."""
    if not answers:
        return None
    return Answer(
        [item for each in answers for item in each.items],
        "mended" if any(each.how == "mended" for each in answers) else "read",
        sum(each.bad for each in answers),
        sum(each.offsets for each in answers),
    )

"""Answers of language models as strings: JSON, alone or in prose; a copy of the text with tags; lists; words.

Almost valid JSON (single quotes, trailing commas, tuples) is repaired; truncated JSON is cut after its last complete
item.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Final, Literal, NamedTuple, get_args

from comparanda.formats.answer_lists import read_list
from comparanda.formats.answers import (
    ID_NAMES,
    LABEL_NAMES,
    TEXT_NAMES,
    Answer,
    How,
    Item,
    Names,
    collect_attributes,
    item_of,
    read_value,
)

# Answers that copy the text with inline tags: the surrounding text locates each item.


_TAG = re.compile(r"<(?P<close>/?)(?P<name>[^\W\d][\w.-]*)(?P<rest>(?:\s[^<>]{0,300})?)>")
_ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_LINK = re.compile(r"\[(?P<text>[^\[\]\n]+)\]\((?P<label>[^\W\d][\w.:-]*)\)")

WRAPPERS: Final = frozenset({"answer", "output", "result", "response", "text", "document", "sentence", "p", "s"})
"""Tags that wrap the whole text, and are not items."""

_MAX_TAGS = 100_000


def read_tagged_text(text: str) -> Answer | None:
    """Read a text with inline tags, or with items in brackets followed by labels; None if it has neither.

    >>> found = read_tagged_text("<PER>Anna</PER> left."), read_tagged_text("[Anna](PER) left.")
    >>> [(each.copy, each.items[0].text, each.items[0].begin) for each in found]
    [('Anna left.', 'Anna', 0), ('Anna left.', 'Anna', 0)]
    """
    found = _read_tags(text)
    if found is not None and found.items:
        return found
    return _read_links(text if found is None else found.copy or "") or found


def _read_tags(text: str) -> Answer | None:
    """Read a text with inline tags: `<PER>Anna</PER>`, `<entity type="PER">Anna</entity>`."""
    tags = list(islice(_TAG.finditer(text), _MAX_TAGS))
    pairs, lonely = _pair_tags(tags)
    if not pairs or len(tags) == _MAX_TAGS:
        return None
    used = sorted(number for pair in pairs for number in pair)
    copy, begins = _remove_slices(text, [tags[number].span() for number in used])
    place = dict(zip(used, begins, strict=True))
    found = Answer(how="tagged", bad=lonely, copy=copy)
    for opening, closing in sorted(pairs):
        label, attributes = _interpret_tag(tags[opening]["name"], tags[opening]["rest"])
        if label is not None:
            _add_item(found, begin=place[opening], end=place[closing], label=label, attributes=attributes)
    return found


@lru_cache(maxsize=1 << 12)
def _interpret_tag(name: str, rest: str) -> tuple[str | None, Mapping[str, Any]]:
    """Return the label of a tag (None for a wrapper) and the attributes of the item."""
    given = {key.lower(): one or other for key, one, other in _ATTRIBUTE.findall(rest)}
    label = next((given[each] for each in LABEL_NAMES if given.get(each)), None)
    more = [(key, value) for key, value in given.items() if key not in LABEL_NAMES]
    attributes = collect_attributes(("id" if key in ID_NAMES else key, value) for key, value in more)
    return label or (None if name in WRAPPERS else name), attributes


def _pair_tags(tags: list[re.Match[str]]) -> tuple[list[tuple[int, int]], int]:
    """Return the indices of matching opening and closing tags, and the number of opening tags without a match."""
    pairs: list[tuple[int, int]] = []
    open_tags: dict[str, list[int]] = {}
    for number, tag in enumerate(tags):
        same = open_tags.setdefault(tag["name"], [])
        if not tag["close"]:
            if not tag["rest"].rstrip().endswith("/"):
                same.append(number)
        elif same:
            pairs.append((same.pop(), number))
    return pairs, sum(map(len, open_tags.values()))


def _read_links(text: str) -> Answer | None:
    """Read a text with items in brackets, each followed by its label: `[Anna](PER)`."""
    links = list(islice(_LINK.finditer(text), _MAX_TAGS))
    if not links or len(links) == _MAX_TAGS:
        return None
    cuts = [cut for link in links for cut in ((link.start(), link.start("text")), (link.end("text"), link.end()))]
    copy, begins = _remove_slices(text, cuts)
    found = Answer(how="tagged", copy=copy)
    for number, link in enumerate(links):
        _add_item(found, begin=begins[2 * number], end=begins[2 * number + 1], label=link["label"], attributes={})
    return found


def _remove_slices(text: str, cuts: list[tuple[int, int]]) -> tuple[str, list[int]]:
    """Return a text without some slices, and the position of each of them in the remaining text."""
    kept, begins, place, size = [], [], 0, 0
    for begin, end in cuts:
        kept.append(text[place:begin])
        size += begin - place
        begins.append(size)
        place = end
    return "".join([*kept, text[place:]]), begins


def _add_item(found: Answer, begin: int, end: int, label: str, *, attributes: Mapping[str, Any]) -> None:
    assert found.copy is not None
    covered = found.copy[begin:end]
    begin += len(covered) - len(covered.lstrip())
    if item := item_of(covered, label, attributes=attributes, begin=begin):
        found.items.append(item)
    else:
        found.bad += 1


# JSON, alone, fenced or embedded in prose.


_FENCE = re.compile(r"```[^\S\n]{0,9}[\w+-]{0,20}[^\S\n]{0,9}\n(.*?)(?:^[^\S\n]{0,9}```|\Z)", re.DOTALL | re.MULTILINE)
_OPENING = re.compile(r"[\[{]")
_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|["\[\]{}]', re.DOTALL)
_TOKEN = re.compile(
    r'\s+|"[^"\\]*(?:\\.[^"\\]*)*"|\'[^\'\\]*(?:\\.[^\'\\]*)*\'|[\[\](){}:,]|[^\s\[\](){}:,"\']+', re.DOTALL
)
_PYTHON_CONSTANTS = {"True": "true", "False": "false", "None": "null"}
_TUPLE_BRACKETS = {"(": "[", ")": "]"}
_SCALAR = re.compile(r"true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_BETWEEN_OBJECTS = re.compile(r"[\s,;*•\-]*(?:\d+[.)]\s*)?")

_MAX_JSON_DEPTH, _MAX_PIECES, _MAX_REPAIRED = 60, 1000, 1 << 20

_NOT_JSON: Final = object()
"""The result of decoding a string that is not JSON."""


class _Piece(NamedTuple):
    """A piece of JSON in an answer.

    Args:
        value: its value; `_NOT_JSON` if it is not JSON.
        how: how it was read.
        doubled: whether an object has a field twice.
        cut: whether it is truncated.

    """

    value: Any
    how: How = "unread"
    doubled: bool = False
    cut: bool = False

    def read(self, names: Names) -> Answer:
        found = read_value(self.value, names, self.how)
        found.doubled, found.cut = self.doubled, self.cut
        return found


def _decode(text: str, *, repair: bool) -> _Piece:
    """Decode a string that is JSON, possibly after repair."""
    if text[:1] not in {"[", "{", "("}:
        return _Piece(_NOT_JSON)
    attempts: tuple[How, ...] = ("read", "mended") if repair else ("read",)
    for how in attempts:
        written = text if how == "read" else _repair(text)
        if written is not None:
            try:
                value, doubled = decode_json(written)
            except (ValueError, RecursionError):  # not JSON, a number with too many digits, or nested too deeply
                continue
            return _Piece(value, how, doubled)
    return _Piece(_NOT_JSON)


def decode_json(text: str | bytes) -> tuple[Any, bool]:
    """Decode JSON; also return whether an object has a field twice. The last one counts.

    >>> decode_json('{"PER": ["Anna"], "PER": ["Eve"]}')
    ({'PER': ['Eve']}, True)
    """
    doubled = False

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal doubled
        whole = dict(pairs)
        doubled |= len(whole) < len(pairs)
        return whole

    return json.loads(text, object_pairs_hook=build), doubled


def _repair(text: str) -> str | None:
    """Repair JSON with single quotes, tuples, Python constants or trailing commas; None if that does not suffice.

    >>> _repair("[('Anna', 'PER'),]")
    '[["Anna","PER"]]'
    """
    written: list[str] = []
    place, depth = 0, 0
    while place < len(text) <= _MAX_REPAIRED:
        token = _TOKEN.match(text, place)
        if token is None or (written and depth == 0) or depth > _MAX_JSON_DEPTH:
            return None
        place, given = token.end(), token[0]
        if given.isspace():
            continue
        depth += (given in "[{(") - (given in "]})")
        given = _PYTHON_CONSTANTS.get(given, _TUPLE_BRACKETS.get(given, given))
        if given in {"]", "}"} and written and written[-1] == ",":
            written.pop()
        if given[0] == "'":
            given = '"' + re.sub(r'\\(.)|(")', _requote, given[1:-1], flags=re.DOTALL) + '"'
        elif given[0] not in '[]{}:,"' and not _SCALAR.fullmatch(given):
            return None
        written.append(given.replace("\n", "\\n").replace("\t", "\\t") if given[0] == '"' else given)
    return "".join(written)


def _requote(found: re.Match[str]) -> str:
    """Convert a Python escape or a double quote to JSON."""
    if found[2]:
        return '\\"'
    return "'" if found[1] == "'" else f"\\{found[1]}"


_ITEM_FIELDS = frozenset({*TEXT_NAMES, *LABEL_NAMES})


class _Open:
    """An open bracket of truncated JSON.

    Args:
        closing: the bracket that closes it.
        whole: whether its own strings are not items, because it is an element of a list.

    """

    def __init__(self, closing: str, *, whole: bool) -> None:
        self.closing = closing
        self.whole = whole
        self.after_colon = False
        self.key = ""
        self.is_item = False

    def ends_item(self, token: str) -> bool:
        """Whether a scalar inside completes an item; the text and the label of an item alone do not."""
        if self.closing != "}":
            return not self.whole
        if not self.after_colon:
            self.key = token[1:-1].lower()
            return False
        self.is_item |= self.whole and self.key in _ITEM_FIELDS
        return not self.whole


def _cut_off(text: str) -> str | None:
    """Return truncated JSON up to its last complete item, closed; None if it has none, or is not truncated JSON.

    >>> _cut_off('[{"text": "Anna", "label": "PER"}, {"text": "Bo", "la')
    '[{"text": "Anna", "label": "PER"}]'
    >>> _cut_off('{"PER": ["Anna", "B')
    '{"PER": ["Anna"]}'
    """
    open_brackets: list[_Open] = []
    end, closing = 0, ""  # after the last complete item, and what closes the brackets that are open there
    place = 0
    while place < len(text) <= _MAX_REPAIRED and (token := _TOKEN.match(text, place)):
        place, given, completed = token.end(), token[0], False
        if given in "[{(":
            in_list = bool(open_brackets) and open_brackets[-1].closing != "}"
            open_brackets.append(_Open({"[": "]", "{": "}", "(": ")"}[given], whole=in_list))
            if len(open_brackets) > _MAX_JSON_DEPTH:
                return None
        elif not open_brackets:
            return None
        elif given in "]})":
            if open_brackets.pop().closing != given or not open_brackets:
                return None
            completed = True
        elif given in ":,":
            open_brackets[-1].after_colon = given == ":"
        elif given[0] in "\"'":
            completed = open_brackets[-1].ends_item(given)
        elif not given.isspace() and place < len(text):
            if not _SCALAR.fullmatch(_PYTHON_CONSTANTS.get(given, given)):
                return None
            completed = open_brackets[-1].ends_item(given)
        if completed and not any(each.is_item for each in open_brackets):
            end, closing = place, "".join(each.closing for each in reversed(open_brackets))
    return text[:end] + closing if end else None


def _find_pieces(text: str, *, repair: bool) -> list[_Piece]:
    """Find the values in brackets; if the last bracket is not closed, the last value is truncated."""
    found: list[_Piece] = []
    place = 0
    last_end = 0
    while opening := _OPENING.search(text, place):
        depth = 0
        for bracket in _BRACKET.finditer(text, opening.start()):
            depth += (bracket[0] in "[{") - (bracket[0] in "]}")
            if depth == 0 or depth > _MAX_JSON_DEPTH or bracket[0] == '"':
                break
        if len(found) > _MAX_PIECES or depth > _MAX_JSON_DEPTH:
            return []
        if depth:
            return _end_with_cut(found, text[opening.start() :]) if repair else []
        place = bracket.end()
        piece = _decode(text[opening.start() : place], repair=repair)
        if found and _continues(found[-1], piece, text[last_end : opening.start()]):
            found[-1] = _join(found[-1], piece)
        else:
            found.append(piece)
        last_end = place
    return found


def _continues(one: _Piece, other: _Piece, between: str) -> bool:
    """Whether a piece belongs to the one before: objects one after the other, such as JSON lines."""
    objects = isinstance(other.value, dict) and isinstance(one.value, dict | _Objects)
    return objects and _BETWEEN_OBJECTS.fullmatch(between) is not None


class _Objects(list[Any]):
    """Objects that follow each other without being elements of a list."""


def _join(one: _Piece, other: _Piece) -> _Piece:
    before = one.value if isinstance(one.value, _Objects) else _Objects([one.value])
    how: How = "mended" if "mended" in {one.how, other.how} else one.how
    before.append(other.value)
    return _Piece(before, how, one.doubled or other.doubled, one.cut or other.cut)


def _end_with_cut(found: list[_Piece], rest: str) -> list[_Piece]:
    """Add the truncated piece, up to its last complete item; without one, only the pieces before it count."""
    cut = _cut_off(rest)
    if cut is not None:
        return [*found, _decode(cut, repair=True)._replace(cut=True)]
    return [*found[:-1], found[-1]._replace(cut=True)] if found else []


def _read_pieces(pieces: Iterable[_Piece], names: Names, take: Take) -> Answer | None:
    """Combine the pieces of JSON in an answer; those without a readable item count as prose."""
    found = ((piece.value, piece.read(names)) for piece in pieces)
    return _combine_answers([each for value, each in found if each.how != "unread" and (each.items or not value)], take)


def _read_blocks(blocks: list[str], names: Names, take: Take, *, repair: bool) -> Answer | None:
    """Combine fenced blocks; if some can be read, each of the others counts as a bad item."""
    found: list[Answer | None] = []
    if len(blocks) > _MAX_PIECES:
        return None
    for block in blocks:
        piece = _decode(block, repair=repair)
        if piece.value is _NOT_JSON:
            found.append(_read_pieces(_find_pieces(block, repair=repair), names, take))
        else:
            found.append(piece.read(names))
    whole = _combine_answers([each for each in found if each is not None], take)
    if whole is not None and take == "all":
        whole.bad += found.count(None)
    return whole


def _combine_answers(answers: list[Answer], take: Take) -> Answer | None:
    """Combine several answers, or take the first or the last; None if there are none."""
    if not answers:
        return None
    chosen = {"all": answers, "first": answers[:1], "last": answers[-1:]}[take]
    items: list[Item] = []
    groups = 1
    for each in chosen:
        shift = groups - 1  # the first sequence is that of all pieces
        items += [
            item._replace(sequence=item.sequence and item.sequence + shift, pair=item.pair + shift * (item.pair >= 0))
            for item in each.items
        ]
        groups += each.groups - 1
    return Answer(
        items=items,
        how="mended" if any(each.how == "mended" for each in chosen) else "read",
        bad=sum(each.bad for each in chosen),
        offsets=sum(each.offsets for each in chosen),
        cut=any(each.cut for each in chosen),
        doubled=any(each.doubled for each in chosen),
        groups=groups,
    )


# Answers in words: that there is nothing, or that the model refuses.


_APOLOGY = re.compile(r"(?:(?:i'm|i am) (?:so )?)?sorry,? (?:but )?|unfortunately,? ")
_HEADING = r"(?:(?:named )?(?:entit(?:y|ies)|answer|output|results?|mentions|labels) ?: ?)?"
_THINGS = r"(?:[\w-]+,? ){0,6}?(?:entit(?:y|ies)|names?|mentions?|items?|spans?|results?|matches)\b[^.!?\n]{0,100}"
_TEXT = r"(?:the|this) (?:given |provided )?(?:text|sentence|document|passage|input)"
_NONE = r"none|null|nil|nothing|n/a|none (?:found|detected|identified|present)|nothing (?:found|to (?:extract|report))"
_THERE_ARE = rf"i (?:found|see|find|identified|can find|could find) |there (?:are|were|is) |{_TEXT} (?:contains|has) "
_NOT_ANY = (
    r"(?:i (?:could not|couldn't|can't|cannot|can not|did not|didn't) (?:find|identify|detect|see)"
    rf"|{_TEXT} (?:does not|doesn't) (?:contain|mention|include|have)|there (?:are|were) not) any "
)
_EMPTY = re.compile(rf"{_HEADING}(?:{_NONE}|(?:{_THERE_ARE})?no {_THINGS}|{_NOT_ANY}{_THINGS})")
_EXCEPTION = re.compile(r"\b(?:except|besides|apart|but|other than|however)\b")
_REFUSAL = re.compile(
    r"(?:i'm|i am) (?:so |very |really |truly )?sorry|sorry\b|(?:my )?apologies|i apologi[sz]e"
    r"|(?:unfortunately,? )?(?:as an? (?:ai|artificial|language model|large language|llm)\b"
    r"|i (?:can't|cannot|can not|won't|will not|must decline|have to decline|decline)\b"
    r"|(?:i'm|i am) (?:unable|not able)|i (?:don't|do not) feel comfortable)"
)
_MAX_EMPTY = 300


def is_empty_answer(text: str) -> bool:
    """Whether an answer says in words that there are no items.

    >>> [is_empty_answer(text) for text in ("No entities found.", "None", "N/A", "No entities except Nokia", "No.")]
    [True, True, True, False, False]
    """
    if len(text) > _MAX_EMPTY:
        return False
    plain = _APOLOGY.sub("", _fold(text).strip(".!()"))
    return _EMPTY.fullmatch(plain) is not None and not _EXCEPTION.search(plain)


def is_refusal(text: str) -> bool:
    """Whether an answer begins like a refusal.

    >>> [is_refusal(text) for text in ("I'm sorry, but I can't.", "As an AI model, I …", "I found it")]
    [True, True, False]
    """
    return _REFUSAL.match(_fold(text[:_MAX_EMPTY])) is not None


def _fold(text: str) -> str:
    """Return a text in lower case, without marks around it, with plain apostrophes and single spaces."""
    return " ".join(text.replace("’", "'").lower().split()).strip("*_`\"' ")


# The whole answer.


_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)

Take = Literal["all", "first", "last"]
"""Which of several pieces of JSON in an answer count."""

TAKES: tuple[Take, ...] = get_args(Take)


def parse(answer: str, names: Names | None = None, *, take: Take = "all", repair: bool = True) -> Answer:
    """Read an answer that is a string.

    Args:
        answer: the answer.
        names: the fields of an item that hold its text and its label.
        take: which of several pieces of JSON count.
        repair: whether invalid and truncated JSON are repaired.

    >>> [(item.text, item.label) for item in parse('Here they are: [{"text": "Anna", "label": "PER"}]').items]
    [('Anna', 'PER')]
    >>> found = parse("<PER>Anna</PER> left.")
    >>> found.how, found.copy, found.items[0].text
    ('tagged', 'Anna left.', 'Anna')

    """
    names = names or Names()
    text = _THOUGHTS.sub("", answer).strip()
    blocks = [block.strip() for block in _FENCE.findall(text)]
    piece = _decode(text, repair=repair)
    if piece.value is not _NOT_JSON:
        return piece.read(names)
    found = (
        _read_blocks(blocks, names, take, repair=repair)
        if blocks
        else _read_pieces(_find_pieces(text, repair=repair), names, take)
    )
    if found is not None and (found.items or blocks):
        return found
    return _parse_words(text, blocks) if found is None else read_list(text) or found


def _parse_words(text: str, blocks: list[str]) -> Answer:
    """Read an answer without JSON: a copy with tags, a list or table, or words."""
    for copied in [*blocks, text]:
        if (copy := read_tagged_text(copied)) is not None:
            return copy
    content = "\n".join(blocks) if blocks else text
    if any(map(is_empty_answer, (content, text))):
        return Answer()
    if (listed := read_list(content)) is not None:
        return listed
    return Answer(how="refused" if is_refusal(text) else "unread")

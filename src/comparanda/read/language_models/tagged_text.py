"""Answers that are the text once more, with tags in it: the text around an item tells where it stands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from comparanda.read.language_models.items import ID_NAMES, LABEL_NAMES, Answer, item_of, said_of

_TAG = re.compile(r"<(?P<close>/?)(?P<name>[^\W\d][\w.-]*)(?P<rest>(?:\s[^<>]{0,300})?)>")
_ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_LINK = re.compile(r"\[(?P<text>[^\[\]\n]+)\]\((?P<label>[^\W\d][\w.:-]*)\)")

WRAPPERS: Final = frozenset({"answer", "output", "result", "response", "text", "document", "sentence", "p", "s"})
"""Tags that are taken for a frame around the text, and for no item."""

_MOST_TAGS = 100_000


def tagged(text: str) -> Answer | None:
    """Read a text with tags, or with items in brackets and their labels behind; None if it has neither.

    >>> found = tagged("<PER>Anna</PER> left."), tagged("[Anna](PER) left.")
    >>> [(each.copy, each.items[0].text, each.items[0].begin) for each in found]
    [('Anna left.', 'Anna', 0), ('Anna left.', 'Anna', 0)]
    """
    found = _tagged(text)
    if found is not None and found.items:
        return found
    return _linked(text if found is None else found.copy or "") or found


def _tagged(text: str) -> Answer | None:
    """Read a text with tags in it: `<PER>Anna</PER>`, `<entity type="PER">Anna</entity>`."""
    tags = list(islice(_TAG.finditer(text), _MOST_TAGS))
    pairs, lonely = _paired(tags)
    if not pairs or len(tags) == _MOST_TAGS:
        return None
    used = sorted(number for pair in pairs for number in pair)
    copy, begins = _without(text, [tags[number].span() for number in used])
    place = dict(zip(used, begins, strict=True))
    found = Answer(how="tagged", bad=lonely, copy=copy)
    for opening, closing in sorted(pairs):
        label, said = _meaning(tags[opening]["name"], tags[opening]["rest"])
        if label is not None:
            _add_copied(found, place[opening], place[closing], label, said)
    return found


@lru_cache(maxsize=1 << 12)
def _meaning(name: str, rest: str) -> tuple[str | None, Mapping[str, Any]]:
    """Return the label of a tag, None for a frame, and what its attributes say of the item."""
    given = {key.lower(): one or other for key, one, other in _ATTRIBUTE.findall(rest)}
    label = next((given[each] for each in LABEL_NAMES if given.get(each)), None)
    more = [(key, value) for key, value in given.items() if key not in LABEL_NAMES]
    said = said_of(("id" if key in ID_NAMES else key, value) for key, value in more)
    return label or (None if name in WRAPPERS else name), said


def _paired(tags: list[re.Match[str]]) -> tuple[list[tuple[int, int]], int]:
    """Return which tags open and close an item, and how many have no partner."""
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


def _linked(text: str) -> Answer | None:
    """Read a text with items in brackets, and their labels behind: `[Anna](PER)`."""
    links = list(islice(_LINK.finditer(text), _MOST_TAGS))
    if not links or len(links) == _MOST_TAGS:
        return None
    cuts = [cut for link in links for cut in ((link.start(), link.start("text")), (link.end("text"), link.end()))]
    copy, begins = _without(text, cuts)
    found = Answer(how="tagged", copy=copy)
    for number, link in enumerate(links):
        _add_copied(found, begins[2 * number], begins[2 * number + 1], link["label"], {})
    return found


def _without(text: str, cuts: list[tuple[int, int]]) -> tuple[str, list[int]]:
    """Return a text without some pieces, and where each of them stood in what is left."""
    kept, begins, place, size = [], [], 0, 0
    for begin, end in cuts:
        kept.append(text[place:begin])
        size += begin - place
        begins.append(size)
        place = end
    return "".join([*kept, text[place:]]), begins


def _add_copied(found: Answer, begin: int, end: int, label: str, said: Mapping[str, Any]) -> None:
    assert found.copy is not None
    covered = found.copy[begin:end]
    begin += len(covered) - len(covered.lstrip())
    if item := item_of(covered, label, said, begin=begin):
        found.items.append(item)
    else:
        found.bad += 1

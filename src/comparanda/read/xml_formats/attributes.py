"""What XML attributes, features and the like say of a span, under names that do not clash with what every span has."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING

from comparanda.ids import BAR, joined
from comparanda.read.standoff import FARTHEST, RESERVED

if TYPE_CHECKING:
    from comparanda.read.standoff import Draft

OWN = "element_"
"""Put before names that mean something else here: the id of an element is not the id of an entity."""

_CLASHING = RESERVED | {"id", "text"}
_PROBABILITY = frozenset({"probability", "score"})
_NUMBER = re.compile(r"[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?")


def say(draft: Draft, span: int, name: str, value: str | int | float | bool) -> None:
    """Say something of a span: `confidence` and `probability` by these names, a probability as a number."""
    plain = name.lower()
    if plain in _PROBABILITY and _NUMBER.fullmatch(str(value)) and isfinite(float(value)):
        draft.say(span, "probability", float(value))
    elif plain == "confidence":
        draft.say(span, plain, value)
    elif value != "":
        far = type(value) is int and abs(value) > FARTHEST
        draft.say(span, OWN + name if name in _CLASHING else name, str(value) if far else value)


def say_ids(draft: Draft, span: int, value: str) -> None:
    """Say which entities a span stands for: one id, or several with bars between them."""
    if value:
        draft.say(span, "id", joined(value.split(BAR)))

"""Write texts and names so that they can be pasted into an expression."""

from __future__ import annotations

import re

KEYWORDS = frozenset({"and", "or", "not", "in", "true", "false", "for", "if"})
"""The words of the language."""

ESCAPES = {"\\": "\\", "'": "'", '"': '"', "`": "`", "n": "\n", "t": "\t"}
"""What a backslash and one character stand for; besides, `\\uXXXX` is the character of that number."""

_UNESCAPES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t"}
_PLAIN_NAME = re.compile(r"[^\W\d]\w*(\.\w+)*")


def quote(text: str) -> str:
    r"""Return the string literal of a text, between double quotes.

    >>> print(quote('a "b" \n'))
    "a \"b\" \n"
    """
    return _between('"', text)


def quote_name(name: str) -> str:
    """Return the name as it is written in an expression: in backticks if it must be.

    >>> quote_name("meta.genre"), quote_name("sent id"), quote_name("in")
    ('meta.genre', '`sent id`', '`in`')
    """
    plain = _PLAIN_NAME.fullmatch(name) and name.lower() not in KEYWORDS
    return name if plain else _between("`", name)


def _between(mark: str, text: str) -> str:
    return mark + "".join("\\" + mark if c == mark else _UNESCAPES.get(c) or _visible(c) for c in text) + mark


def _visible(character: str) -> str:
    r"""Return the character, or its `\uXXXX` if it would not print; beyond U+FFFF there is no escape."""
    if character.isprintable() or ord(character) > 0xFFFF:
        return character
    return f"\\u{ord(character):04x}"

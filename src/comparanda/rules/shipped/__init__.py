"""Shipped rule files, and the registry of named rule sets.

Rule files are registered in the entry point group `comparanda.rules`, whose entries are paths of TOML files; other
packages add their own in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from comparanda.core.registry import Entry, find_registered
from comparanda.errors import RuleError, suggest_nearest
from comparanda.expressions.syntax import quote_for_message

_FOLDER = Path(__file__).parent

ALIGN = _FOLDER / "align.toml"
CHARACTERS = _FOLDER / "characters.toml"
DOCUMENT = _FOLDER / "document.toml"
ELEVANT = _FOLDER / "elevant.toml"
EXACT = _FOLDER / "exact.toml"
GATE = _FOLDER / "gate.toml"
HIPE = _FOLDER / "hipe.toml"
HIPE_NEL = _FOLDER / "hipe-nel.toml"
I2B2 = _FOLDER / "i2b2.toml"
LINKS = _FOLDER / "links.toml"
MUC = _FOLDER / "muc.toml"
PAPER = _FOLDER / "paper.toml"
PAPER_LITERAL = _FOLDER / "paper-literal.toml"
SEMEVAL2013 = _FOLDER / "semeval2013.toml"
TEMPEVAL3 = _FOLDER / "tempeval3.toml"
TOKENS = _FOLDER / "tokens.toml"


def registered_rules() -> Mapping[str, Entry]:
    """Return the registered rule files by name; those of this package have precedence.

    >>> registered_rules()["exact"].value
    'comparanda.rules.shipped:EXACT'
    """
    return find_registered("comparanda.rules")


def registered_file(name: str) -> Path:
    """Return the path of a registered rule file.

    >>> registered_file("exact").name
    'exact.toml'
    """
    if name not in registered_rules():
        hint = f"known: {', '.join(registered_rules())}; give a file with its extension, as in mine.toml"
        raise RuleError(
            f"unknown rule set {quote_for_message(name)}{suggest_nearest(name, registered_rules())}", hint=hint
        )
    entry = registered_rules()[name]
    try:
        return Path(entry.load())
    except Exception as problem:  # other packages may raise anything
        raise RuleError(f"the rule set {name!r} cannot be loaded: {problem}", where=entry.value) from problem

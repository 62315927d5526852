"""What a condition says, in words: `correction and base == "NOUN"` is "correction, brill NOUN"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.expressions import parse, unparse
from comparanda.expressions.syntax import And, Call, Comparison, ComparisonStep, Name, Node, Not, Text, Truth
from comparanda.selection import PAIR_NAMES
from comparanda.show.cells import visible
from comparanda.show.links import EVERY_PAIR, EVERYWHERE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.show.links import Link

_CLASSES = frozenset({"correction", "new_error", "changed_error", "same_right", "same_error", "differs"})
_OF_PAIR = {"base": 0, "new": 1, "base_label": 0, "new_label": 1}
_SAID = {
    "right": ("{} right", "{} wrong"),
    "right_by_run": ("{} right", "{} wrong"),
    "claims": ("{} has it", "{} has it not"),
    "flips": ("runs of {} differ", "runs of {} agree"),
    "base_right": ("{base} right", "{base} wrong"),
    "new_right": ("{new} right", "{new} wrong"),
    "base_claims": ("{base} has it", "{base} has it not"),
    "new_claims": ("{new} has it", "{new} has it not"),
    "positive": ("in the key", "not in the key"),
    "negative": ("not in the key", "in the key"),
    "majority_right": ("majority right", "majority wrong"),
}
"""What is said of what holds, and of what does not."""


def in_words(link: Link) -> str:
    """Say what a condition means, as far as it is made of parts that have a name; others stand as they are.

    >>> from comparanda.show.links import Link
    >>> in_words(Link('correction and base == "NOUN" and new == "PROPN" and length > 3', "crf", "bert"))
    'correction, crf NOUN → bert PROPN, length > 3'
    >>> in_words(Link("correction", "crf", "bert"))
    'crf → bert: correction'
    >>> in_words(Link('right("crf") and not right("bert")')), in_words(Link("true"))
    ('crf right, bert wrong', 'everything')
    """
    root = parse(EVERYWHERE if link.where == EVERY_PAIR else link.where).root
    operands = root.operands if isinstance(root, And) else (root,)
    said = ", ".join(_parts(operands, link)) or "everything"
    if link.base is not None and link.new is not None and not (link.base in said and link.new in said):
        said = f"{link.base} → {link.new}: {said}"
    return visible(said)


def _parts(operands: tuple[Node, ...], link: Link) -> Iterator[str]:
    """Write part by part; what base and new say of a site is one part."""
    systems = link.base or "base", link.new or "new"
    waiting = ""
    for operand in operands:
        match operand:
            case Truth(True) | Call("among"):
                continue
            case Comparison(Name(name), (ComparisonStep("==", Text(value)),)) if name in _OF_PAIR:
                said = f"{systems[_OF_PAIR[name]]} {value}"
                if _OF_PAIR[name] == 0 and not waiting:
                    waiting = said
                    continue
                said, waiting = f"{waiting} → {said}" if waiting else said, ""
            case _:
                said = _said(operand, systems)
        if waiting:
            yield waiting
            waiting = ""
        yield said
    if waiting:
        yield waiting


def _said(node: Node, systems: tuple[str, str]) -> str:
    """Write one part, or what it is not."""
    match node:
        case Not(operand):
            return _held(operand, systems, 1) or f"not {unparse(operand)}"
        case Comparison(Name(name), (ComparisonStep("==", Text(value)),)):
            return f"{name} {value}"
        case Comparison(Call("value" | "label_of", (Text(run),)), (ComparisonStep("==", Text(value)),)):
            return f"{run} {value}"
        case _:
            return _held(node, systems, 0) or unparse(node)


def _held(node: Node, systems: tuple[str, str], turned: int) -> str | None:
    """Write what has a name of its own, or its opposite."""
    match node:
        case Name(name) if name in _CLASSES and name in PAIR_NAMES:
            return ("not " if turned else "") + name.replace("_", " ")
        case Name(name) if name in _SAID:
            return _SAID[name][turned].format(base=systems[0], new=systems[1])
        case Call(function, (Text(name),)) if function in _SAID:
            return _SAID[function][turned].format(name)
        case _:
            return None

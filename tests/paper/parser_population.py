"""The words behind tables 5, 6 and 10: each with the key's relation and the errors of the three parsers."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import cycle, permutations
from typing import NamedTuple, TypeVar

from .parser_counts import (
    CHANGED_ERROR,
    CORRECTION,
    NEW_ERROR,
    Row,
    changed_errors,
    kinds_of_error,
    printed_transitions,
)
from .parser_transcription import NN, PARSEY, PCFG, TABLE_6
from .population import spread

Kind = TypeVar("Kind")

KEYS_HEAD, NN_HEAD, PARSEY_HEAD, PCFG_HEAD, SWAPPED = range(5)


class Error(NamedTuple):
    """A wrong arc: a label, and the key's head or one of several others. SWAPPED: root and partner swap places."""

    label: str
    head: int


class Word(NamedTuple):
    """The key's relation, and what is wrong in each parser, if anything."""

    label: str
    nn: Error | None = None
    parsey: Error | None = None
    pcfg: Error | None = None


# Stanford Dependencies, similar relations side by side: the neighbours of a relation are what it is mistaken for.
# (partmod and infmod, which only Parsey has, occur in table 6's transitions alone.)
NEIGHBOURHOOD = """
    nn amod num number quantmod det predet poss possessive appos tmod npadvmod advmod neg prt prep pobj pcomp mwe
    nsubj nsubjpass csubj expl dobj iobj acomp xcomp ccomp parataxis discourse dep conj cc preconj mark
    advcl rcmod vmod aux auxpass cop
"""
RELATIONS = NEIGHBOURHOOD.split()

PARTNERS = ("ccomp", "conj", "xcomp", "advcl", "rcmod")  # chosen: the key's relation of words taken for the root
ROOTS_ARE_TAKEN_FOR = ("ccomp", "dep", "nsubj", "conj", "rcmod")  # chosen

# Chosen: what is wrong where both parsers err alike, and where they err differently (Stanford NN, Parsey). What
# is wrong in corrections and in new errors then follows from table 5.
SAME_ERRORS = {"head": 1100, "label": 420, "both": 507}
CHANGED = {
    ("head", "head"): 60,
    ("head", "label"): 100,
    ("head", "both"): 140,
    ("label", "head"): 40,
    ("label", "label"): 60,
    ("label", "both"): 60,
    ("both", "head"): 160,
    ("both", "label"): 140,
    ("both", "both"): 300,
}


@cache
def neighbours(label: str) -> list[str]:
    """Return eight relations that one is mistaken for, nearest first, but none that table 6 prints with it."""
    place = RELATIONS.index(label)
    ranked = sorted(RELATIONS, key=lambda other: abs(RELATIONS.index(other) - place))
    printed = {new for _, new in printed_transitions(NEW_ERROR, label)}
    return [other for other in ranked[1:] if other not in printed][:8]


def kind_of(label: str, error: Error) -> str:
    """Say what is wrong: the head, the label or both."""
    if error.label == label:
        return "head"
    return "label" if error.head == KEYS_HEAD else "both"


def error(label: str, kind: str, wrong: str, head: int) -> Error:
    return Error(label if kind == "head" else wrong, KEYS_HEAD if kind == "label" else head)


def kinds_in_turn(
    labels: Sequence[str], counts: Mapping[Kind, int], closed: Mapping[Kind, Collection[str]]
) -> list[Kind]:
    """Give each word a kind, each kind so often and at even distances, but none to relations it is closed to."""
    found: dict[int, Kind] = {}
    for kind, count in counts.items():
        places = [i for i, label in enumerate(labels) if i not in found and label not in closed.get(kind, ())]
        found |= {i: kind for i, taken in zip(places, spread(count, len(places)), strict=True) if taken}
    return [found[i] for i in range(len(labels))]


# --- Stanford NN and Parsey ---------------------------------------------------------------------------------


def printed_words(kind: str, key: str) -> Iterator[Word]:
    """Yield the words of table 6's transitions; where the label changes, the head is right."""
    for labels, count in printed_transitions(kind, key).items():
        old = None if kind == NEW_ERROR else Error(labels[-2], NN_HEAD if labels[-2] == key else KEYS_HEAD)
        new = None if kind == CORRECTION else Error(labels[-1], PARSEY_HEAD if labels[-1] == key else KEYS_HEAD)
        yield from [Word(key, old, new)] * count


def swapped_words(root: Row) -> list[tuple[Word, Word]]:
    """Return the wrong roots with their partners; parsers that are wrong are so in the same way."""
    fields = (
        [{NN}] * (root.corrections - root.pcfg_wrong_on_corrections),
        [{NN, PCFG}] * root.pcfg_wrong_on_corrections,
        [{PARSEY}] * (root.new_errors - root.pcfg_wrong_on_new_errors),
        [{PARSEY, PCFG}] * root.pcfg_wrong_on_new_errors,
        [{NN, PARSEY}] * root.only_pcfg,
        [{NN, PARSEY, PCFG}] * root.all_wrong,
        [{PCFG}] * root.pcfg_wrong_alone,
    )
    said, partners = cycle(ROOTS_ARE_TAKEN_FOR), cycle(PARTNERS)
    pairs = []
    for wrong in (wrong for field in fields for wrong in field):
        words = []
        for label, value in (("root", Error(next(said), SWAPPED)), (next(partners), Error("root", SWAPPED))):
            words.append(Word(label, *(value if parser in wrong else None for parser in (NN, PARSEY, PCFG))))
        pairs.append((words[0], words[1]))
    return pairs


def attachments(kind: str) -> set[str]:
    """Return the relations for which table 6 prints a change of the head alone: it has all such changes."""
    return {labels[0] for labels in TABLE_6[kind].transitions if len(set(labels)) == 1}


def kinds_left(parser: str, fixed: Iterable[Word], *chosen: Mapping[str, int]) -> dict[str, int]:
    """Return what must be wrong in the other words of a parser for table 5 to hold."""
    known = Counter(kind_of(word.label, found) for word in fixed if (found := getattr(word, parser)) is not None)
    return {
        kind: count - known[kind] - sum(each[kind] for each in chosen) for kind, count in kinds_of_error(parser).items()
    }


def of_pairs(place: int) -> Counter[str]:
    """Count what one of the two parsers has wrong in the changed errors that are not printed."""
    kinds: Counter[str] = Counter()
    for pair, count in CHANGED.items():
        kinds[pair[place]] += count
    return kinds


def wrong_labels(labels: Sequence[str], width: int) -> Iterator[tuple[str, ...]]:
    """Yield for each word the wrong labels, one for each parser, going round many so that each is rare."""
    rounds = {label: cycle(permutations(neighbours(label), width)) for label in set(labels)}
    return (next(rounds[label]) for label in labels)


def contested(rows: Sequence[Row], fixed: Sequence[Word]) -> dict[str, list[Word]]:
    """Return by field the words that Stanford NN or Parsey has wrong, but for the roots and their partners."""
    changed = changed_errors(rows)
    sizes = {
        CORRECTION: [row.corrections for row in rows],
        NEW_ERROR: [row.new_errors for row in rows],
        CHANGED_ERROR: changed,
        "same error": [row.both_wrong - count for row, count in zip(rows, changed, strict=True)],
    }
    printed: dict[str, list[Word]] = {field: [] for field in sizes}
    free: dict[str, list[str]] = {field: [] for field in sizes}
    for field, counts in sizes.items():
        for row, count in zip(rows, counts, strict=True):
            known = list(printed_words(field, row.label)) if field in TABLE_6 else []
            printed[field] += known
            free[field] += [row.label] * (0 if row.label == "root" else count - len(known))

    known = [*fixed, *(word for words in printed.values() for word in words)]
    of_nn = kinds_left(NN, known, SAME_ERRORS, of_pairs(0))
    of_parsey = kinds_left(PARSEY, known, SAME_ERRORS, of_pairs(1))
    return {
        CORRECTION: printed[CORRECTION]
        + [
            Word(label, nn=error(label, kind, wrong, NN_HEAD))
            for label, kind, (wrong,) in dealt(free[CORRECTION], of_nn, {"head": attachments(CORRECTION)})
        ],
        NEW_ERROR: printed[NEW_ERROR]
        + [
            Word(label, parsey=error(label, kind, wrong, PARSEY_HEAD))
            for label, kind, (wrong,) in dealt(free[NEW_ERROR], of_parsey, {"head": attachments(NEW_ERROR)})
        ],
        CHANGED_ERROR: printed[CHANGED_ERROR]
        + [
            Word(label, error(label, kinds[0], old, NN_HEAD), error(label, kinds[1], new, PARSEY_HEAD))
            for label, kinds, (old, new) in dealt(
                free[CHANGED_ERROR], CHANGED, {("head", "head"): attachments(CHANGED_ERROR)}, width=2
            )
        ],
        "same error": [
            Word(label, *[error(label, kind, wrong, NN_HEAD)] * 2)
            for label, kind, (wrong,) in dealt(free["same error"], SAME_ERRORS, {})
        ],
    }


def dealt(
    labels: Sequence[str], counts: Mapping[Kind, int], closed: Mapping[Kind, Collection[str]], width: int = 1
) -> Iterator[tuple[str, Kind, tuple[str, ...]]]:
    """Yield the words of a field: relation, what is wrong, and wrong labels."""
    return zip(labels, kinds_in_turn(labels, counts, closed), wrong_labels(labels, width), strict=True)

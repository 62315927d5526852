"""The third parser, Stanford PCFG: where it errs as table 10 says, and like whom as table 5 says."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from .counts import nearest_count
from .parser_counts import CHANGED_ERROR, CORRECTION, NEW_ERROR, Row, all_rows
from .parser_population import (
    PCFG_HEAD,
    RELATIONS,
    Error,
    Word,
    contested,
    error,
    kinds_in_turn,
    kinds_left,
    neighbours,
    swapped_words,
)
from .parser_transcription import NN, PARSEY, PCFG, TABLE_5_PAIRS, WORDS
from .population import spread

OWN = Error("own", PCFG_HEAD)  # an error that no other parser makes, still to be spelled out


def population() -> tuple[list[Word], list[tuple[Word, Word]]]:
    """Return all words in no meaningful order, apart from them the wrong roots with their partners."""
    rows, _ = all_rows()
    swapped = swapped_words(next(row for row in rows if row.label == "root"))
    fixed = list(chain.from_iterable(swapped))
    words = with_pcfg(rows, contested(rows, fixed), fixed)
    for row in rows:
        words += [Word(row.label)] * (row.both_right - row.pcfg_wrong_alone)
    return words, swapped


def with_pcfg(rows: Sequence[Row], fields: Mapping[str, list[Word]], fixed: Sequence[Word]) -> list[Word]:
    """Let PCFG err on as many words of each relation and field as the rows say."""
    both_wrong = [*fields[CHANGED_ERROR], *fields["same error"]]
    right, corrections = split(fields[CORRECTION], {row.label: row.pcfg_wrong_on_corrections for row in rows})
    more, new_errors = split(fields[NEW_ERROR], {row.label: row.pcfg_wrong_on_new_errors for row in rows})
    most, all_wrong = split(both_wrong, {row.label: row.all_wrong for row in rows})
    right += more + most
    alone = [Word(row.label, pcfg=OWN) for row in rows for _ in range(row.pcfg_wrong_alone)]

    # Chosen: PCFG joins four fifths of the errors that the others share, and a quarter of those of either
    # where they err differently. How many it shares in the other fields follows from its two diffs.
    same = [word for word in all_wrong if word.nn == word.parsey]
    changed = [word for word in all_wrong if word.nn != word.parsey]
    same = shared(same, NN, len(same) * 4 // 5)
    changed = shared(changed[::2], NN, len(changed) // 4) + shared(changed[1::2], PARSEY, len(changed) // 4)
    words = [*fixed, *right, *alone, *same, *changed, *corrections, *new_errors]
    corrections = shared(corrections, NN, too_far(NN, words))
    new_errors = shared(new_errors, PARSEY, too_far(PARSEY, words))
    return right + spelled_out([*alone, *same, *changed, *corrections, *new_errors], fixed)


def split(words: Iterable[Word], wrong: Mapping[str, int]) -> tuple[list[Word], list[Word]]:
    """Part words into those that PCFG has right and those that it has wrong, so many of each relation."""
    groups: dict[str, list[Word]] = defaultdict(list)
    for word in words:
        groups[word.label].append(word)
    right, others = [], []
    for label, group in groups.items():
        for word, errs in zip(group, spread(wrong[label], len(group)), strict=True):
            if errs:
                others.append(word._replace(pcfg=OWN))
            else:
                right.append(word)
    return right, others


def shared(words: list[Word], parser: str, count: int) -> list[Word]:
    """Let PCFG make the error of another parser in so many words; but never say partmod or infmod like Parsey."""
    possible = [i for i, word in enumerate(words) if getattr(word, parser).label in RELATIONS]
    chosen = {i for i, alike in zip(possible, spread(count, len(possible)), strict=True) if alike}
    return [word._replace(pcfg=getattr(word, parser)) if i in chosen else word for i, word in enumerate(words)]


def too_far(parser: str, words: Iterable[Word]) -> int:
    """Return how many differences of PCFG from another parser there are beyond those that table 5 gives."""
    apart = len([word for word in words if word.pcfg != getattr(word, parser)])
    return apart - nearest_count(TABLE_5_PAIRS[PCFG, parser].diff, WORDS)


def spelled_out(words: list[Word], fixed: Sequence[Word]) -> list[Word]:
    """Say what PCFG's own errors are, so that table 5's UAS and LS come out."""
    known = [*fixed, *(word for word in words if word.pcfg != OWN)]
    own = [word for word in words if word.pcfg == OWN]
    kinds = kinds_in_turn([word.label for word in own], kinds_left(PCFG, known), {})
    found = [
        word._replace(pcfg=own_error(word, kind, i)) for i, (word, kind) in enumerate(zip(own, kinds, strict=True))
    ]
    return [*(word for word in words if word.pcfg != OWN), *found]


def own_error(word: Word, kind: str, turn: int) -> Error:
    taken = {other.label for other in (word.nn, word.parsey) if other is not None}
    open_labels = [label for label in neighbours(word.label) if label not in taken]
    return error(word.label, kind, open_labels[turn % len(open_labels)], PCFG_HEAD)

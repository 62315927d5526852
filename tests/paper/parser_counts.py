"""How many words of each relation the three parsers have right: tables 5, 6 and 10.

A word falls into one of four fields by Stanford NN and Parsey: both right, correction, new error, both wrong.
Each field is then split by Stanford PCFG. As for the taggers (counts.py), what the paper leaves open is used
up by a few choices, marked as such, and by dealing the rest evenly; nothing is searched for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .counts import deal, nearest_count
from .parser_transcription import PARSEY, PCFG, TABLE_5, TABLE_6, TABLE_10, TABLE_10_OVERALL, WORDS

CORRECTION, NEW_ERROR, CHANGED_ERROR = TABLE_6  # the names of the classes

# As many has section 23, and as many roots follow from table 10 (see FREQUENT).
SENTENCES = 2416

# Chosen: how many words have a relation of table 10. There is little to choose: below 2559 only 2416 gives the
# percentages of `root`, and if the order is that of frequency, dobj has 2171 or 2172 (2018 is less than aux can
# have), aux 2148 or 2149, and advmod one of 1744, 1791, 1814, 1838, 1861, 1908.
FREQUENT = {
    "prep": 5173,
    "pobj": 5018,
    "det": 4332,
    "nn": 4282,
    "nsubj": 4130,
    "amod": 3142,
    "root": SENTENCES,
    "dobj": 2171,
    "aux": 2149,
    "advmod": 1838,
}

# Chosen: the remaining relations of Stanford Dependencies, all rarer than advmod. The first takes what is left.
OTHERS = {
    "conj": 0,
    "cc": 1150,
    "poss": 1000,
    "num": 1250,
    "xcomp": 620,
    "ccomp": 750,
    "vmod": 780,
    "possessive": 560,
    "rcmod": 520,
    "nsubjpass": 470,
    "auxpass": 480,
    "mark": 520,
    "dep": 500,
    "number": 470,
    "advcl": 430,
    "appos": 410,
    "neg": 390,
    "npadvmod": 370,
    "cop": 650,
    "acomp": 290,
    "pcomp": 300,
    "quantmod": 260,
    "tmod": 240,
    "prt": 170,
    "parataxis": 160,
    "iobj": 60,
    "expl": 70,
    "predet": 40,
    "mwe": 120,
    "preconj": 30,
    "csubj": 25,
    "discourse": 20,
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """The words of one relation in the key, counted."""

    label: str
    size: int
    corrections: int
    new_errors: int
    both_wrong: int
    only_pcfg: int = 0  # of both_wrong: PCFG is right
    pcfg_wrong_alone: int = 0  # Stanford NN and Parsey are right

    @property
    def pcfg_wrong_on_corrections(self) -> int:
        """Chosen: the older Stanford parser shares every second weakness of the newer."""
        return self.corrections // 2

    @property
    def pcfg_wrong_on_new_errors(self) -> int:
        """Chosen."""
        return self.new_errors // 3

    @property
    def pcfg_wrong_where_others_differ(self) -> int:
        return self.pcfg_wrong_on_corrections + self.pcfg_wrong_on_new_errors

    @property
    def all_wrong(self) -> int:
        return self.both_wrong - self.only_pcfg

    @property
    def both_right(self) -> int:
        return self.size - self.corrections - self.new_errors - self.both_wrong


def count(parser: str, measure: str) -> int:
    """Return how many words a parser has right by a measure of table 5."""
    return nearest_count(getattr(TABLE_5[parser], measure), WORDS)


BOTH_WRONG = WORDS - count(PARSEY, "las") - TABLE_6[NEW_ERROR].count
ALL_WRONG = WORDS - nearest_count(TABLE_10_OVERALL.oracle, WORDS)
PCFG_WRONG = WORDS - count(PCFG, "las")


def printed_transitions(kind: str, key: str) -> dict[tuple[str, ...], int]:
    """Return how often each transition occurs that table 6 prints for a key relation."""
    place = 1 if kind == CORRECTION else 0  # in a correction Parsey, named last, has the key's relation
    whole = TABLE_6[kind].count
    shares = TABLE_6[kind].transitions.items()
    return {labels: nearest_count(share, whole) for labels, share in shares if labels[place] == key}


def printed_count(kind: str, key: str) -> int:
    return sum(printed_transitions(kind, key).values())


# --- the rows -----------------------------------------------------------------------------------------------


def frequent_row(label: str) -> Row:
    """Return a row of table 10; chosen: Stanford NN alone yields three quarters of the oracle's gain."""
    size, printed = FREQUENT[label], TABLE_10[label]
    pcfg, nn, parsey, oracle = (nearest_count(share, size) for share in printed[:4])
    new_errors = (oracle - parsey) * 3 // 4
    row = Row(
        label=label,
        size=size,
        corrections=parsey - nn + new_errors,
        new_errors=new_errors,
        both_wrong=size - parsey - new_errors,
        only_pcfg=oracle - parsey - new_errors,
    )
    return replace(row, pcfg_wrong_alone=oracle - pcfg - row.pcfg_wrong_where_others_differ)


def other_rows(frequent: Sequence[Row], partners: Row) -> list[Row]:
    """Deal what table 10 leaves, after table 6's transitions; `partners` are counted apart (see all_rows)."""
    known = [*frequent, partners]
    sizes = dict(OTHERS)
    sizes["conj"] = WORDS - sum(row.size for row in known) - sum(sizes.values())

    def dealt(total: int, field: Callable[[Row], int], kind: str) -> list[int]:
        fixed = [printed_count(kind, label) for label in sizes]
        left = total - sum(map(field, known)) - sum(fixed)
        return [a + b for a, b in zip(fixed, deal(left, list(sizes.values())), strict=True)]

    corrections = dealt(TABLE_6[CORRECTION].count, lambda row: row.corrections, CORRECTION)
    new_errors = dealt(TABLE_6[NEW_ERROR].count, lambda row: row.new_errors, NEW_ERROR)
    both_wrong = dealt(BOTH_WRONG, lambda row: row.both_wrong, CHANGED_ERROR)
    only_pcfg = deal(BOTH_WRONG - ALL_WRONG - sum(row.only_pcfg for row in known), both_wrong)
    columns = zip(sizes, sizes.values(), corrections, new_errors, both_wrong, only_pcfg, strict=True)
    rows = [
        Row(label=label, size=size, corrections=won, new_errors=lost, both_wrong=wrong, only_pcfg=pcfg)
        for label, size, won, lost, wrong, pcfg in columns
    ]
    left = PCFG_WRONG - ALL_WRONG - sum(row.pcfg_wrong_where_others_differ for row in (*known, *rows))
    left -= sum(row.pcfg_wrong_alone for row in known)
    alone = deal(left, [row.both_right for row in rows])
    return [replace(row, pcfg_wrong_alone=count) for row, count in zip(rows, alone, strict=True)]


def all_rows() -> tuple[list[Row], Row]:
    """Return the rows by relation, and the row of the partners of wrong roots.

    A tree has one root. So a parser that misses the root of a sentence makes another word the root, and errs
    there too: this partner has some other relation in the key, and is wrong in the same parsers as the root.
    """
    frequent = [frequent_row(label) for label in FREQUENT]
    root = frequent[list(FREQUENT).index("root")]
    partners = replace(root, label="partners", size=root.size - root.both_right + root.pcfg_wrong_alone)
    return frequent + other_rows(frequent, partners), partners


def changed_errors(rows: Sequence[Row]) -> list[int]:
    """Split the 1219 changed errors over the relations: those of table 6 first, none on roots."""
    fixed = [printed_count(CHANGED_ERROR, row.label) for row in rows]
    room = [0 if row.label == "root" else row.both_wrong - at_least for row, at_least in zip(rows, fixed, strict=True)]
    left = deal(TABLE_6[CHANGED_ERROR].count - sum(fixed), room)
    return [a + b for a, b in zip(fixed, left, strict=True)]


def kinds_of_error(parser: str) -> dict[str, int]:
    """Return how often a parser has the head alone, the label alone, or both wrong: what table 5 says."""
    uas, ls, las = (count(parser, measure) for measure in ("uas", "ls", "las"))
    return {"head": ls - las, "label": uas - las, "both": WORDS - uas - ls + las}

"""Coreference once more, slowly and obviously: dictionaries, sets and loops, written from DEFINITIONS 8 alone.

Nothing of comparanda is used here. It reads two CoNLL-2012 files by itself (`score_files`), so that it can be
timed against the product from the same files. A mention is (number of its document, first token, token after the
last); a chain is a list of mentions in order (begin, then the longer one first); a side of one document, or of one
topic, is a list of chains that share no mention.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

Span = tuple[int, int]
Mention = tuple[int, int, int]
Chain = list[Mention]
Chains = list[Chain]
Units = dict[str, Chains]  # the chains of each document, or of each topic
Predicate = Callable[[Mention], bool]

METRICS = ("mentions", "muc", "b3", "ceafm", "ceafe", "lea")
CRITERIA = ("any", "nominal", "named", "immediate")

# --- reading ------------------------------------------------------------------------------------------------

BRACKET = re.compile(r"(\(?)([^()|]+)(\)?)")


@dataclass
class Document:
    """A document as a file has it: repeated mentions included, chains by the order in which their ids appear."""

    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    chains: dict[str, list[Span]] = field(default_factory=dict)


Documents = dict[str, Document]


def read_conll2012(path: Path) -> Documents:
    """Read the documents of a file; the name of one is all that stands after `#begin document`."""
    with path.open(encoding="utf-8") as lines:
        return read_lines(lines)


def read_lines(lines: Iterable[str]) -> Documents:
    """Read the documents of some lines."""
    documents: Documents = {}
    for line in lines:
        if line.startswith("#begin document"):
            document = documents[line.removeprefix("#begin document").strip()] = Document()
            opened: dict[str, list[int]] = {}
        elif line.strip() and not line.startswith("#"):
            read_token(line.split(), document, opened)
    return documents


def read_token(columns: list[str], document: Document, opened: dict[str, list[int]]) -> None:
    """Add a token; the innermost open bracket of a chain is closed first."""
    place = len(document.words)
    document.words.append(columns[3] if len(columns) > 4 else columns[0])
    document.tags.append(columns[4] if len(columns) > 5 else "-")
    if columns[-1] == "-":
        return
    for opening, name, closing in BRACKET.findall(columns[-1]):
        mentions = document.chains.setdefault(name, [])
        if opening:
            opened.setdefault(name, []).append(place)
        if closing:
            mentions.append((opened[name].pop(), place + 1))


# --- from documents to chains that can be scored ---------------------------------------------------------------


def in_order(mentions: Iterable[Mention]) -> Chain:
    """Order in a chain: begin, then longer first."""
    return sorted(mentions, key=lambda mention: (mention[0], mention[1], -mention[2]))


def first_kept(chains: Iterable[Iterable[Mention]]) -> Chains:
    """Keep every mention in the first chain that has it."""
    seen: set[Mention] = set()
    kept = []
    for chain in chains:
        mentions = set(chain) - seen
        seen |= mentions
        if mentions:
            kept.append(in_order(mentions))
    return kept


def without_singletons(chains: Chains) -> Chains:
    return [chain for chain in chains if len(chain) > 1]


def units_of(
    documents: Documents, order: Sequence[str], topic_of: Mapping[str, str] | None = None, singletons: str = "keep"
) -> Units:
    """Return the chains of each document or, where chains span documents, of each topic.

    `order` numbers the documents of all sides; one that this side does not have is empty. Which chain comes first is
    a matter of this side's own file.
    """
    unit_of = {name: name if topic_of is None else topic_of[name] for name in order}
    number_of = {name: number for number, name in enumerate(order)}
    ids: dict[str, dict[str, list[Mention]]] = {unit: {} for unit in unit_of.values()}
    for name, document in documents.items():
        if document.chains:
            chains, number = ids[unit_of[name]], number_of[name]
            for chain, spans in document.chains.items():
                chains.setdefault(chain, []).extend((number, begin, end) for begin, end in spans)
    units = {unit: first_kept(chains.values()) for unit, chains in ids.items()}
    return units if singletons == "keep" else {unit: without_singletons(chains) for unit, chains in units.items()}


def all_names(sides: Iterable[Documents]) -> list[str]:
    """Return the names of the documents: the key's, then what only responses have."""
    return list(dict.fromkeys(name for side in sides for name in side))


def official(key: Units, response: Documents, order: Sequence[str]) -> Units:
    """Return a response as scorer 8.01 counts it: a repeated mention that is not in the key counts each time.

    To be counted each time it is made another mention: of the same words in another world.
    """
    units: Units = {name: [] for name in order}
    for name, document in response.items():
        if name in units:
            wanted = {mention for chain in key[name] for mention in chain}
            seen: Counter[Mention] = Counter()
            for spans in document.chains.values():
                chain = []
                for mention in ((order.index(name), begin, end) for begin, end in spans):
                    if mention not in wanted or not seen[mention]:
                        chain.append((mention[0] - seen[mention] * len(order), *mention[1:]))
                    seen[mention] += 1
                if chain:
                    units[name].append(in_order(chain))
    return units


def official_links(chains: Chains, documents: int) -> tuple[int, int]:
    """Return how many links, and pairs that are none, scorer 8.01 sees in such a response.

    It keeps them in two sets, in which copies are one mention; this may then be linked to itself, and apart from
    itself.
    """
    rows = [(number, (each[0] % documents, *each[1:])) for number, chain in enumerate(chains) for each in chain]
    linked: set[tuple[Mention, Mention]] = set()
    apart: set[tuple[Mention, Mention]] = set()
    for (one, mention), (two, other) in combinations(rows, 2):
        (linked if one == two else apart).add((min(mention, other), max(mention, other)))
    return len(linked), len(apart)


# --- the metrics: sums for recall over sums for precision ---------------------------------------------------------


@dataclass(frozen=True)
class Counts:
    """What recall and precision are made of."""

    recall: float = 0
    wanted: float = 0
    precision: float = 0
    given: float = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.recall + other.recall,
            self.wanted + other.wanted,
            self.precision + other.precision,
            self.given + other.given,
        )

    @property
    def r(self) -> float | None:
        return ratio(self.recall, self.wanted)

    @property
    def p(self) -> float | None:
        return ratio(self.precision, self.given)

    @property
    def f(self) -> float | None:
        """Return 2PR/(P+R): 0 when only one side is empty, undefined when both are."""
        if not self.wanted and not self.given:
            return None
        if not self.recall or not self.precision:
            return 0.0
        r, p = self.recall / self.wanted, self.precision / self.given
        return 2 * p * r / (p + r)


def ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def chain_of(chains: Chains) -> dict[Mention, int]:
    return {mention: number for number, chain in enumerate(chains) for mention in chain}


def overlaps(key: Chains, response: Chains) -> list[Counter[int]]:
    """Return, for each chain of the key, how many of its mentions each chain of the response has."""
    where = chain_of(response)
    return [Counter(where[mention] for mention in chain if mention in where) for chain in key]


def mention_counts(key: Chains, response: Chains) -> Counts:
    wanted = {mention for chain in key for mention in chain}
    given = {mention for chain in response for mention in chain}
    both = len(wanted & given)
    return Counts(both, len(wanted), both, len(given))


def muc_links(key: Chains, response: Chains) -> tuple[int, int]:
    """Return n(K) less the parts into which R cuts K, and n(K) - 1, summed over the chains."""
    where = chain_of(response)
    found = wanted = 0
    for chain in key:
        parts = {where.get(mention, mention) for mention in chain}
        found += len(chain) - len(parts)
        wanted += len(chain) - 1
    return found, wanted


def muc_counts(key: Chains, response: Chains) -> Counts:
    return Counts(*muc_links(key, response), *muc_links(response, key))


def b3_sum(key: Chains, response: Chains) -> tuple[float, int]:
    table = overlaps(key, response)
    found = sum(n * n / len(chain) for chain, row in zip(key, table, strict=True) for n in row.values())
    return found, sum(map(len, key))


def b3_counts(key: Chains, response: Chains) -> Counts:
    return Counts(*b3_sum(key, response), *b3_sum(response, key))


def ceafm_counts(key: Chains, response: Chains) -> Counts:
    weights = [[0.0] * len(response) for _ in key]
    for row, found in zip(weights, overlaps(key, response), strict=True):
        for other, n in found.items():
            row[other] = n
    best = best_alignment(weights)
    return Counts(best, sum(map(len, key)), best, sum(map(len, response)))


def ceafe_counts(key: Chains, response: Chains) -> Counts:
    weights = [[0.0] * len(response) for _ in key]
    for row, chain, found in zip(weights, key, overlaps(key, response), strict=True):
        for other, n in found.items():
            row[other] = 2 * n / (len(chain) + len(response[other]))
    best = best_alignment(weights)
    return Counts(best, len(key), best, len(response))


def links(n: int) -> int:
    return n * (n - 1) // 2


def lea_sum(key: Chains, response: Chains) -> tuple[float, int]:
    """Return importance times resolution; a singleton is found if it is one on the other side too."""
    found = 0.0
    for chain, row in zip(key, overlaps(key, response), strict=True):
        if len(chain) > 1:
            found += len(chain) * sum(map(links, row.values())) / links(len(chain))
        elif any(len(response[other]) == 1 for other in row):
            found += 1
    return found, sum(map(len, key))


def lea_counts(key: Chains, response: Chains) -> Counts:
    return Counts(*lea_sum(key, response), *lea_sum(response, key))


COUNTS: dict[str, Callable[[Chains, Chains], Counts]] = {
    "mentions": mention_counts,
    "muc": muc_counts,
    "b3": b3_counts,
    "ceafm": ceafm_counts,
    "ceafe": ceafe_counts,
    "lea": lea_counts,
}


def counts(metric: str, key: Units, response: Units) -> Counts:
    """Return the sums over all documents or topics."""
    return sum((COUNTS[metric](chains, response[unit]) for unit, chains in key.items()), Counts())


def best_alignment(weights: list[list[float]]) -> float:
    """Return the largest sum of weights of rows and columns paired one to one.

    The Hungarian method: one row after the other finds the shortest augmenting path under potentials that keep
    every reduced cost at or above 0. Costs are negative weights, so that the cheapest pairing is the heaviest.
    """
    if not weights or not weights[0]:
        return 0.0
    if len(weights) > len(weights[0]):
        weights = [list(column) for column in zip(*weights, strict=True)]
    of_row, of_column = [0.0] * (len(weights) + 1), [0.0] * (len(weights[0]) + 1)
    row_at = [0] * (len(weights[0]) + 1)  # rows and columns count from 1; 0 is none
    for row in range(1, len(weights) + 1):
        augment(row, weights=weights, of_row=of_row, of_column=of_column, row_at=row_at)
    return sum(weights[row - 1][column - 1] for column, row in enumerate(row_at) if column and row)


def augment(
    row: int, weights: list[list[float]], of_row: list[float], of_column: list[float], *, row_at: list[int]
) -> None:
    """Give one more row a column, moving others on where that is better."""
    columns = len(of_column)
    reach, came_from, done = [float("inf")] * columns, [0] * columns, [False] * columns
    row_at[0], column = row, 0
    while row_at[column]:
        done[column] = True
        here, step, following = row_at[column], float("inf"), 0
        costs, level = weights[here - 1], of_row[here]
        for each in range(1, columns):
            if not done[each]:
                cost = -costs[each - 1] - level - of_column[each]
                if cost < reach[each]:
                    reach[each], came_from[each] = cost, column
                if reach[each] < step:
                    step, following = reach[each], each
        for each in range(columns):
            if done[each]:
                of_row[row_at[each]] += step
                of_column[each] -= step
            else:
                reach[each] -= step
        column = following
    while column:
        row_at[column] = row_at[came_from[column]]
        column = came_from[column]
    row_at[0] = 0


# --- BLANC ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Blanc:
    """The links of both kinds: those in both sides, the key's, the response's."""

    coreferent: tuple[int, int, int] = (0, 0, 0)
    other: tuple[int, int, int] = (0, 0, 0)

    def __add__(self, more: Blanc) -> Blanc:
        a, b, c = (x + y for x, y in zip(self.coreferent, more.coreferent, strict=True))
        d, e, f = (x + y for x, y in zip(self.other, more.other, strict=True))
        return Blanc((a, b, c), (d, e, f))

    def scores(self) -> tuple[float, float, float] | None:
        """Return R, P and F: means of the two halves.

        As in scorer 8.01 the key says which halves count: without coreferent links in the key only the other
        half does, and the other way round. So where just one side lacks a half, swapping the sides does more
        than to swap P and R; everywhere else it does no more than that.
        """
        halves = [half for half in (self.coreferent, self.other) if half[1]]
        if not halves:
            return None
        each = [Counts(both, wanted, both, given) for both, wanted, given in halves]
        return (
            sum(half.r or 0.0 for half in each) / len(each),
            sum(half.p or 0.0 for half in each) / len(each),
            sum(half.f or 0.0 for half in each) / len(each),
        )


def blanc_links(chains: Chains) -> tuple[set[tuple[Mention, Mention]], set[tuple[Mention, Mention]]]:
    """Return the pairs of mentions in one chain, and those in two."""
    where = chain_of(chains)
    same: set[tuple[Mention, Mention]] = set()
    other: set[tuple[Mention, Mention]] = set()
    for one, two in combinations(sorted(where), 2):
        (same if where[one] == where[two] else other).add((one, two))
    return same, other


def blanc_of(key: Chains, response: Chains) -> Blanc:
    (key_same, key_other), (same, other) = blanc_links(key), blanc_links(response)
    return Blanc((len(key_same & same), len(key_same), len(same)), (len(key_other & other), len(key_other), len(other)))


def blanc(key: Units, response: Units) -> Blanc:
    return sum((blanc_of(chains, response[unit]) for unit, chains in key.items()), Blanc())


# --- ARCS -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """The class of a mention, and the antecedent it was judged by (None for tp, fn and tn)."""

    name: str
    antecedent: Mention | None = None


def antecedents_of(chains: Chains) -> dict[Mention, Chain]:
    """Return what stands before each mention in its chain, the closest last."""
    return {mention: chain[:place] for chain in chains for place, mention in enumerate(chain)}


def closest(antecedents: Chain, fits: Predicate) -> Mention | None:
    return next((mention for mention in reversed(antecedents) if fits(mention)), None)


def anything(_: Mention) -> bool:
    return True


def key_anaphor(wanted: Chain, given: Chain, criterion: str, fits: Predicate) -> Judged:
    """Judge a mention that has antecedents in the key, by those that the response gives it."""
    if not given:
        return Judged("fn")
    last = closest(given, fits)
    if criterion == "any":
        return Judged("tp") if set(given) & set(wanted) else Judged("wl", last)
    if criterion == "immediate":
        return Judged("tp") if last == wanted[-1] else Judged("wl", last)
    if last is None:
        return Judged("fn")
    return Judged("tp") if last in wanted else Judged("wl", last)


def arcs(key: Chains, response: Chains, criterion: str, fits: Predicate = anything) -> dict[Mention, Judged]:
    """Return the class of every key anaphor that counts, and of every false positive.

    `fits` says which antecedents the criterion looks at: the nominal or the named ones, or all.
    """
    in_key, in_response = antecedents_of(key), antecedents_of(response)
    judged = {
        mention: key_anaphor(wanted, in_response.get(mention, []), criterion, fits)
        for mention, wanted in in_key.items()
        if closest(wanted, fits)
    }
    for mention, given in in_response.items():
        last = closest(given, fits)
        if last and not in_key.get(mention):
            judged[mention] = Judged("fp", last)
    return judged


def uncounted(key: Chains, fits: Predicate) -> int:
    """Return how many key anaphors count nowhere, for want of a nominal antecedent."""
    return sum(1 for wanted in antecedents_of(key).values() if wanted and not closest(wanted, fits))


def arcs_counts(classes: Iterable[Judged]) -> Counts:
    """R = TP/(TP+WL+FN), P = TP/(TP+WL+FP)."""
    n = Counter(judged.name for judged in classes)
    return Counts(n["tp"], n["tp"] + n["wl"] + n["fn"], n["tp"], n["tp"] + n["wl"] + n["fp"])


def sites_among(systems: Sequence[Mapping[Mention, Judged]]) -> dict[Mention, list[Judged]]:
    """Return the sites of some systems: key anaphors and what is a false positive of one of them.

    A mention that is a false positive of another and not resolved by this one is a true negative.
    """
    mentions = in_order({mention for system in systems for mention in system})
    return {mention: [system.get(mention, Judged("tn")) for system in systems] for mention in mentions}


def right(judged: Judged) -> bool:
    return judged.name in ("tp", "tn")


# --- mentions by their tags -------------------------------------------------------------------------------------

PTB_NOUNS = ("NN", "NNS", "NNP", "NNPS")
PTB_NAMES = ("NNP", "NNPS")


def nominal(tags: Sequence[str]) -> bool:
    """More than one token, or one with a noun tag."""
    return len(tags) > 1 or tags[0] in PTB_NOUNS


def named(tags: Sequence[str]) -> bool:
    """The head is a proper noun: the last word of the first run of nouns."""
    head = ""
    for tag in tags:
        if tag in PTB_NOUNS:
            head = tag
        elif head:
            break
    return head in PTB_NAMES


def kind(tags: Sequence[str]) -> str:
    if nominal(tags):
        return "noun"
    return {"PRP": "personal pronoun", "PRP$": "possessive pronoun"}.get(tags[0], "other")


# --- two files --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scores:
    """All metrics of one response."""

    counts: dict[str, Counts]
    blanc: Blanc
    conll: float | None


def score(key: Units, response: Units) -> Scores:
    table = {metric: counts(metric, key, response) for metric in METRICS}
    scores = [table[metric].f for metric in ("muc", "b3", "ceafe")]
    defined = [each for each in scores if each is not None]
    return Scores(table, blanc(key, response), sum(defined) / 3 if len(defined) == 3 else None)


def score_files(key: Path, response: Path) -> Scores:
    """Read a key and a response, and return all metrics."""
    wanted, given = read_conll2012(key), read_conll2012(response)
    order = all_names([wanted, given])
    return score(units_of(wanted, order), units_of(given, order))


if __name__ == "__main__":
    found = score_files(Path(sys.argv[1]), Path(sys.argv[2]))
    for name, sums in found.counts.items():
        print(name, sums.r, sums.p, sums.f)
    print("blanc", *(found.blanc.scores() or ()))
    print("conll", found.conll)

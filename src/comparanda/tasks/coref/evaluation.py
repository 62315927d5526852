"""Evaluation of coreference chains: all metrics, and ARCS, a class for every mention (Tuggener 2014, 2017).

A mention of a chain that is not its first is an anaphor. Each anaphor of the key is resolved (`tp`), resolved to a
wrong antecedent (`wl`, wrong linkage) or not resolved (`fn`); a mention that only a system output resolves is `fp`,
and `tn` for an output that does not resolve it. The criterion determines which antecedent must be right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from comparanda.align.maps import BEYOND, IGNORED
from comparanda.core.chains import NO_CHAIN, count_mentions, find_antecedents
from comparanda.core.items import Items
from comparanda.core.joins import pack_columns
from comparanda.core.places import Note
from comparanda.core.sites import NOTHING, Aspect, Attribute, Sites, recode_canonically
from comparanda.core.text_columns import TextColumn
from comparanda.core.verdicts import View
from comparanda.tasks.coref.kinds import KINDS, kinds_of
from comparanda.tasks.coref.measures import LINKS, REPORTED, chain_counts, statistics_from
from comparanda.tasks.coref.mentions import gather_mentions
from comparanda.tasks.task import Options, Task
from comparanda.tasks.word_sites import verdicts_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from comparanda.align import Aligned
    from comparanda.core.chains import Chains
    from comparanda.core.corpus import Corpus, Documents
    from comparanda.core.text_columns import Codes, Rows, Truths
    from comparanda.core.verdicts import System, Verdicts
    from comparanda.tasks.coref.kinds import Kinds
    from comparanda.tasks.coref.mentions import Gathered


Criterion = Literal["any", "nominal", "named", "immediate"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)

FN, FP, TN, TP, WL = range(5)
CLASSES = ("fn", "fp", "tn", "tp", "wl")
"""The classes by code, sorted."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Classified:
    """The mentions that count under a criterion, and their class for each run.

    Args:
        rows: the mentions: the key's anaphors, and those that at least one run resolves and the key does not.
        key: the correct class of each: `TP` or `TN`.
        runs: the class of each for every run.
        antecedent: the decisive antecedent of each for every run, a row of the mentions; -1 for none.
        skipped: the number of anaphors of the key that do not count because none of their antecedents is of the kind
            that does.

    """

    rows: Rows
    key: Codes
    runs: tuple[Codes, ...]
    antecedent: tuple[Rows, ...]
    skipped: int


def classify_mentions(chains: Chains, criterion: Criterion, kind: Truths | None) -> Classified:
    """Classify every mention for every run; `kind` marks those that count as antecedents, None for all."""
    plain, wanted = find_antecedents(chains.key), find_antecedents(chains.key, kind)
    anaphor = plain >= 0
    counting = anaphor & (wanted >= 0)
    answers = [_resolve_mentions(chains, run, criterion, kind) for run in chains.runs]
    codes = []
    spurious = np.zeros(len(chains), np.bool_)
    for right, resolved, _ in answers:
        code = np.where(anaphor, FN, np.where(resolved, FP, TN))
        code[anaphor & resolved] = WL
        code[anaphor & resolved & right] = TP
        codes.append(code.astype(np.uint8))
        spurious |= resolved & ~anaphor
    rows = np.flatnonzero(counting | spurious)
    key = np.where(counting[rows], TP, TN).astype(np.uint8)
    return Classified(
        rows=rows,
        key=key,
        runs=tuple(code[rows] for code in codes),
        antecedent=tuple(before[rows] for _, _, before in answers),
        skipped=int(anaphor.sum() - counting.sum()),
    )


def _resolve_mentions(
    chains: Chains, run: Rows, criterion: Criterion, kind: Truths | None
) -> tuple[Truths, Truths, Rows]:
    """Determine whether a run resolves each mention correctly, whether at all, and the decisive antecedent."""
    before = find_antecedents(run, kind)
    resolved = before >= 0
    there = np.maximum(before, 0)
    if criterion == "any":
        both = (chains.key != NO_CHAIN) & (run != NO_CHAIN)
        pair = np.where(both, chains.key * (int(run.max(initial=0)) + 1) + run, NO_CHAIN)
        return find_antecedents(pair) >= 0, resolved, before
    if criterion == "immediate":
        return resolved & (find_antecedents(chains.key) == before), resolved, before
    same: Truths = resolved & (chains.key != NO_CHAIN) & (chains.key[there] == chains.key)
    return same, resolved, before


# Names of antecedents by relative position, so that equal ones have equal names everywhere.


@dataclass(frozen=True, eq=False)
class Naming:
    """Names antecedents by the distance of their begin from a mention, and their width, in rows: `-12+2`."""

    gathered: Gathered

    def names(self, mention: Rows, antecedent: Rows) -> TextColumn:
        """Name antecedents of mentions; those in another document are prefixed with its name."""
        chains = self.gathered.chains
        document, place = chains.document[antecedent].astype(np.int64), chains.place[antecedent].astype(np.int64)
        here = document == chains.document[mention]
        columns = [
            np.where(here, -1, document),
            np.where(here, place - chains.place[mention], place),
            chains.width[antecedent].astype(np.int64),
            self._duplicate_numbers[antecedent],
        ]
        (key,) = pack_columns([columns])
        _, first, number = np.unique(key, return_index=True, return_inverse=True)
        return TextColumn(number, tuple(map(self._format_name, *(column[first].tolist() for column in columns))))

    def _format_name(self, document: int, place: int, width: int, again: int) -> str:
        ending = f"+{width}" + (f"#{again + 1}" if again else "")
        return f"{place:+}{ending}" if document < 0 else f"{self.gathered.documents[document]}:{place}{ending}"

    @cached_property
    def _duplicate_numbers(self) -> Rows:
        """The number of earlier mentions that cover the same rows, as mentions in pieces or of parts of words can."""
        chains = self.gathered.chains
        (number,) = pack_columns([[chains.document, chains.place, chains.width]])
        order = np.argsort(number, kind="stable")
        begins = np.flatnonzero(np.diff(number[order], prepend=-1))
        again = np.zeros(len(order), np.int64)
        again[order] = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
        return again


def mention_sites(aligned: Aligned, options: Options) -> Sites:
    """Build a site for every mention that any side has: its value is the closest antecedent, or nothing.

    This compares outputs without a key, for coefficients that need one decision of each output about every mention.
    """
    gathered = gather_mentions(aligned, options)
    naming, chains = Naming(gathered), gathered.chains
    columns = []
    for side in (chains.key, *chains.runs):
        before = find_antecedents(side)
        resolved = np.flatnonzero(before >= 0)
        found = naming.names(resolved, before[resolved])
        codes = np.zeros(len(chains), np.int64)
        codes[resolved] = found.codes + 1
        columns.append(TextColumn(codes, (NOTHING, *found.names)))
    names, coded = recode_canonically(columns)
    return Sites(
        document=chains.document,
        sentence=chains.sentence,
        place=chains.place,
        key=coded[0],
        values=tuple(coded[1:]),
        names=names,
        width=chains.width,
    )


# Duplicate mentions of a system output that the key does not have, as the reference scorer 8.01 counts them.
#
# It keeps them, so every metric counts them again. But mention detection counts each extent once, and BLANC counts
# links in a set, where two copies are one mention: it is linked to all mentions of all its chains, and not linked to
# all that are in a chain other than one of these.


CLAIMED = ("mentions_claimed", *(f"{kind}_claimed" for kind in LINKS))
"""The counts in which copies are counted once."""


def claimed_once(chain: Rows, same: Rows, unit: NDArray[np.int32]) -> dict[int, tuple[int, int, int]]:
    """Count the mentions, links and other pairs that a system output claims, for the units with copies.

    Args:
        chain: the chain of each mention in the system output.
        same: a number for each mention, the same for copies.
        unit: the unit of each mention.

    """
    there = np.flatnonzero(chain != NO_CHAIN)
    _, number, often = np.unique(same[there], return_inverse=True, return_counts=True)
    copied = there[often[number] > 1]
    return {
        each: _count_links(chain, same, there[unit[there] == each], copied[unit[copied] == each])
        for each in np.unique(unit[copied]).tolist()
    }


def _count_links(chain: Rows, same: Rows, mentions: Rows, copied: Rows) -> tuple[int, int, int]:
    """Count the mentions of one unit, its links, and its other pairs."""
    chains_of: dict[int, list[int]] = {}
    for row in copied.tolist():
        chains_of.setdefault(int(same[row]), []).append(int(chain[row]))
    plain = np.setdiff1d(mentions, copied)
    size = np.bincount(chain[plain], minlength=int(chain[mentions].max()) + 1)
    count, linked = len(plain), int((size * (size - 1) // 2).sum())
    apart = count * (count - 1) // 2 - linked
    for chains in chains_of.values():
        linked += sum(int(size[each]) for each in {*chains})
        apart += count if len({*chains}) > 1 else count - int(size[chains[0]])
    for (one, mine), (other, theirs) in combinations_with_replacement(chains_of.items(), 2):
        linked += len({*mine}) < len(mine) if one == other else bool({*mine} & {*theirs})
        apart += len({*mine, *theirs}) > 1
    return count + len(chains_of), linked, apart


# The views of chains: a site is a mention, its value the class that a run gives it under a criterion.
#
# There are two for each criterion. In `any` a value is a class (Tuggener 2017: `wl → tp`); in `any_antecedents` it
# includes a wrong antecedent, so that two wrong ones are distinguished: `wl -12+2` is a mention of two rows that
# begins twelve rows earlier.


CUTS = ("kind",)
MEASURES = ("f1", "precision", "recall")
_CORRECT_CLASSES = (CLASSES[FN], CLASSES[TN], CLASSES[TP])
_CORRECT_CODES = np.array(
    [_CORRECT_CLASSES.index(name) if name in _CORRECT_CLASSES else 0 for name in CLASSES], np.uint8
)
"""The classes without a wrong antecedent, and the code of each class among them; 0 for others, to be replaced."""

ANTECEDENTS = "_antecedents"
"""The suffix of the names of views that distinguish wrong antecedents."""


@dataclass(frozen=True, eq=False)
class ViewBuilder:
    """Builds the views.

    Args:
        gathered: the mentions of all sides.
        kinds: the kind of each mention.
        documents: the key's documents, for their attributes.
        statistics: the counts of the metrics, which all views include.

    """

    gathered: Gathered
    kinds: Kinds
    documents: Documents
    statistics: Mapping[str, NDArray[np.float64]]

    def criteria(self) -> dict[Criterion, Classified]:
        """Classify every mention under each criterion that is defined for the input."""
        wanted = {"any": None, "nominal": self.kinds.nominal, "named": self.kinds.named, "immediate": None}
        chains = self.gathered.chains
        return {
            name: classify_mentions(chains, name, wanted[name])
            for name in CRITERIA
            if name != "named" or self.kinds.named is not None
        }

    def views(self, criterion: Criterion, found: Classified) -> tuple[View, View]:
        """Build the view of classes, and the one that distinguishes wrong antecedents; both have the same items."""
        plain = self._class_view(criterion, found)
        return plain, self._antecedent_view(criterion, found, plain.given_items)

    def _class_view(self, criterion: Criterion, found: Classified) -> View:
        """Build the view of classes."""
        sites = self._build_sites(found, Aspect(found.key, found.runs, CLASSES), {})
        measures = tuple(f"{criterion}.{each}" for each in MEASURES)  # prefixed, so that the first view can report all
        view = self._build_view(criterion, sites=sites, found=found, measures=measures, items=self._build_items(found))
        return replace(view, finer=f"{criterion}{ANTECEDENTS}")

    def _antecedent_view(self, criterion: Criterion, found: Classified, items: Items | None) -> View:
        """Build the view that distinguishes wrong antecedents."""
        values = self._name_antecedents(found)
        classes = Aspect(found.key, found.runs, CLASSES)
        sites = self._build_sites(found, values, {"label": classes})
        return self._build_view(f"{criterion}{ANTECEDENTS}", sites=sites, found=found, measures=MEASURES, items=items)

    def _build_view(
        self, name: str, sites: Sites, found: Classified, measures: tuple[str, ...], *, items: Items | None
    ) -> View:
        return View(
            name=name,
            given_sites=sites,
            measures=measures,
            given_items=items,
            statistics=self.statistics,
            cuts=CUTS,
            raised=CLASSES[TN],
            kinds="kind",
            chains=self.gathered.chains,
            mention=found.rows,
        )

    def _build_sites(self, found: Classified, values: Aspect, aspects: dict[str, Aspect]) -> Sites:
        chains, rows = self.gathered.chains, found.rows
        attributes = {name: each.taken(rows) for name, each in self._attributes.items()}
        return Sites(
            document=chains.document[rows],
            sentence=chains.sentence[rows],
            place=chains.place[rows],
            key=values.key,
            values=values.values,
            names=values.names,
            parts=None,
            attributes=attributes,
            aspects=aspects,
            width=chains.width[rows],
        )

    def _build_items(self, found: Classified) -> Items:
        """Build the items: anaphors of the key, and mentions with a wrong antecedent."""
        chains, count = self.gathered.chains, len(self.gathered.chains) + 1
        positive = np.flatnonzero(found.key == TP)
        wrong = [np.flatnonzero((codes == WL) | (codes == FP)) for codes in found.runs]
        # a site and its antecedent encoded as one number
        pairs = [rows * count + before[rows] for rows, before in zip(wrong, found.antecedent, strict=True)]
        negative = np.unique(np.concatenate(pairs)) if pairs else np.zeros(0, np.int64)
        site = np.concatenate([positive, negative // count])
        order = np.lexsort((np.arange(len(site)), site))
        claimed = []
        for codes, mine in zip(found.runs, pairs, strict=True):
            mask = np.concatenate([codes[positive] == TP, np.isin(negative, mine)])
            claimed.append(mask[order])
        site = site[order]
        row = found.rows[site]
        return Items(
            document=chains.document[row],
            sentence=chains.sentence[row],
            place=chains.place[row],
            label=self.kinds.kind[row],
            names=KINDS,
            positive=np.concatenate([np.ones(len(positive), np.bool_), np.zeros(len(negative), np.bool_)])[order],
            claimed=tuple(claimed),
            site=site,
        )

    def _name_antecedents(self, found: Classified) -> Aspect:
        """Name wrong antecedents by their position relative to the mention."""
        columns = [TextColumn(_CORRECT_CODES[found.key], _CORRECT_CLASSES)]
        for codes, before in zip(found.runs, found.antecedent, strict=True):
            values = _CORRECT_CODES[codes].astype(np.int64)
            names = list(_CORRECT_CLASSES)
            for kind in (WL, FP):
                rows = np.flatnonzero(codes == kind)
                called = self._naming.names(found.rows[rows], before[rows])
                values[rows] = called.codes + len(names)
                names += [f"{CLASSES[kind]} {name}" for name in called.names]
            columns.append(TextColumn(values, tuple(names)))
        joined, coded = recode_canonically(columns)
        return Aspect(coded[0], tuple(coded[1:]), joined)

    @cached_property
    def _naming(self) -> Naming:
        return Naming(self.gathered)

    @property
    def _attributes(self) -> dict[str, Attribute]:
        """Attributes of mentions for slices and conditions; not cached, as they hold references to this object."""
        chains, kinds = self.gathered.chains, self.kinds
        found = {
            "kind": Attribute("text", lambda: TextColumn(kinds.kind, KINDS).sorted()),
            "text": Attribute("text", self._texts),
            "length": Attribute("number", lambda: chains.width.astype(np.int64)),
            "chain_size": Attribute("number", self._chain_sizes),
            "distance": Attribute("number", self._distances),
        }
        for name, column in self.documents.attributes.items():
            found.setdefault(name, _document_attribute(column, chains.document))
        return found

    def _texts(self) -> TextColumn:
        """Join the key's words of each mention; None outside of the key's documents."""
        chains, key = self.gathered.chains, self.gathered.placement.positions.key
        texts: list[str | None] = [None] * len(chains)
        rows = np.flatnonzero(self.gathered.inside)
        base = key.row_documents[chains.document[rows]] + chains.place[rows]
        stop = np.minimum(base + chains.width[rows], key.row_documents[chains.document[rows] + 1])
        for row, first, last in zip(rows.tolist(), base.tolist(), stop.tolist(), strict=True):
            texts[row] = _join_words(key, int(chains.document[row]), first, last)
        return TextColumn.of(texts).sorted()

    def _chain_sizes(self) -> NDArray[np.float64]:
        """Look up the size of each mention's chain in the key; NaN where the key does not have it."""
        key = self.gathered.chains.key
        size = np.append(count_mentions(key), 0)
        return np.where(key >= 0, size[key], np.nan)

    def _distances(self) -> NDArray[np.float64]:
        """Compute the distance, in sentences, to the closest antecedent in the key; NaN where there is none."""
        chains = self.gathered.chains
        before = find_antecedents(chains.key)
        back = chains.sentence - chains.sentence[np.maximum(before, 0)]
        return np.where(before >= 0, back, np.nan)


def _join_words(key: Corpus, document: int, first: int, last: int) -> str | None:
    """Join the words from one row of the key up to another, as in its text."""
    if key.words is None or first >= last:
        return None
    if key.raw is not None:
        return key.raw.documents[document][int(key.raw.begin[first]) : int(key.raw.end[last - 1])]
    return " ".join(key.words[row] for row in range(first, last))


def _document_attribute(column: TextColumn, document: NDArray[np.int32]) -> Attribute:
    """Build an attribute of documents; it is missing for those that the key does not have."""

    def make() -> TextColumn:
        values = [*column.values(), None]
        known = np.minimum(document, len(column)).tolist()
        return TextColumn.of([values[number] for number in known])

    return Attribute("text", make)


# The task `coref`: all metrics of chains, and a class for every mention.


COLUMNS = ("upos", "xpos", "feats", "head")
POLICIES = frozenset({"singletons", "repeated", "matching", "nouns", "across"})


def evaluate_chains(aligned: Aligned, systems: Sequence[System], options: Options) -> Verdicts:
    """Evaluate chains of mentions."""
    gathered = gather_mentions(aligned, options)
    if options.missing != "intersection":
        aligned = replace(aligned, notes=tuple(map(_reword_note, aligned.notes)))
    kinds = kinds_of(aligned, gathered, options.nouns)
    gathered = replace(gathered, chains=replace(gathered.chains, candidates=_antecedent_candidates(kinds)))
    builder = ViewBuilder(gathered, kinds, aligned.key.documents, _count_metrics(gathered))
    found = builder.criteria()
    views = _build_views(builder, found)
    notes = [*gathered.notes, *kinds.notes, *_note_skipped(found)]
    settings = {
        "mentions": options.matching,
        "singletons": options.singletons,
        "repeated": options.repeated,
        "nouns": kinds.source,
        **({"across": options.across} if options.across else {}),
    }
    verdicts = verdicts_of(aligned, systems=systems, task="coref", views=views, settings=settings, notes=notes)
    return replace(verdicts, documents=gathered.documents, units=gathered.units)


def _reword_note(note: Note) -> Note:
    """Reword the note on documents that the key does not have: they are not ignored here."""
    if BEYOND not in note.what:
        return note
    return replace(note, what=note.what.replace(IGNORED, "in which every mention is wrong"))


def _count_metrics(gathered: Gathered) -> dict[str, NDArray[np.float64]]:
    """Count all metrics for every run, by document or topic."""
    chains, units = gathered.chains, gathered.units.count
    runs = [statistics_from(chain_counts(chains.unit, units, chains.key, run)) for run in chains.runs]
    found = {name: np.stack([each[name] for each in runs], axis=1) for name in (runs[0] if runs else ())}
    if gathered.same is not None:
        for number, run in enumerate(chains.runs):
            for unit, claimed in claimed_once(run, gathered.same, chains.unit).items():
                for name, count in zip(CLAIMED, claimed, strict=True):
                    found[name][unit, number] = count
    return found


def _antecedent_candidates(kinds: Kinds) -> dict[str, Truths]:
    """Select the mentions that count as antecedents, for each view in which not all do."""
    countings = {"nominal": kinds.nominal, "named": kinds.named}
    return {
        view: counting
        for name, counting in countings.items()
        if counting is not None
        for view in (name, f"{name}{ANTECEDENTS}")
    }


def _build_views(builder: ViewBuilder, found: dict[Criterion, Classified]) -> dict[str, View]:
    """Build the views; the first reports all metrics, and the measures of the other criteria."""
    made = {name: builder.views(name, each) for name, each in found.items()}
    views: dict[str, View] = {name: plain for name, (plain, _) in made.items()}
    reported = [name for each in REPORTED for name in _with_precision_and_recall(each)]
    own = [measure for view in views.values() for measure in view.measures]
    views["any"] = replace(views["any"], measures=(*reported, *own))
    return views | {finer.name: finer for _, finer in made.values()}


def _with_precision_and_recall(name: str) -> tuple[str, ...]:
    return (name,) if name == "conll" else (name, f"{name}_precision", f"{name}_recall")


def _note_skipped(found: dict[Criterion, Classified]) -> list[Note]:
    """Note how many anaphors of the key do not count under each criterion."""
    return [
        Note("key", f"anaphors without a {name} antecedent, which do not count in the view {name!r}", each.skipped)
        for name, each in found.items()
        if each.skipped
    ]


COREF = Task(
    name="coref",
    summary="coreference chains: MUC, B³, CEAF, BLANC, LEA, CoNLL average, and ARCS mention by mention",
    shape="tokens",
    column=None,
    evaluate=evaluate_chains,
    layer="chains",
    columns=COLUMNS,
    policies=POLICIES,
    missing="empty",
)

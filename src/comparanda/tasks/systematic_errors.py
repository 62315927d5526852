"""Notes on outputs that look wrong as a whole: labels swapped, values one row off, an output cut off.

Each is likely to be a mistake in a file rather than a property of a system. The scores are those of the file as it is;
the notes say what is suspicious, how much of it there is, and where to look. They describe an output as a whole: they
are computed from views, and for a corpus processed in parts, after its parts are merged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.chains import NO_CHAIN, count_mentions
from comparanda.core.claims import LINK, without_ids
from comparanda.core.ids import BAR, NIL
from comparanda.core.joins import pack_columns
from comparanda.core.places import Note
from comparanda.core.sites import ABSENT, NOTHING, OWN_PLACE
from comparanda.core.sites import NIL as NIL_VALUE
from comparanda.formats.contract import KEY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.chains import Chains
    from comparanda.core.claims import Claims
    from comparanda.core.sites import Aspect, Sites
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.core.verdicts import View

    Counts = NDArray[np.float64]
    Matrix = NDArray[np.int64]

SWAPPED = "labels that look swapped, given what the key has in the same places (--map renames labels)"
BY_CHANCE = "values no better than chance; check the order of the rows"
SHIFTED_BACK = "values that would be right one row earlier; is a row missing or duplicated?"
SHIFTED_ON = "values that would be right one row later; is a row missing or duplicated?"
HEADS_LOW = "heads that are one too low; words are numbered from 1"
HEADS_HIGH = "heads that are one too high; words are numbered from 1"
NO_VALUE_RIGHT = "values, none of which is right"
EMPTY = "the output is empty; the key has"
NONE_IN_KEY = "none of which has the extent of one of the key"
WORD_LATER = "that would match the key one word later"
WORD_EARLIER = "that would match the key one word earlier"
WORD_LESS = "that would match the key without their last word"
WORD_MORE = "that would match the key with one more word"
IN_PIECES = "spans of the key given in adjacent pieces of the same label; join them"
CUT_OFF = "spans of the key after the last span of the output; was it cut off?"
CUT_DOCUMENTS = "documents in which the output stops early; were their texts cut off?"
IDS_WRITTEN_DIFFERENTLY = (
    "ids that match the key's only if written differently (rewrite them, or list them: --same-ids)"
)
NO_ID_RIGHT = "ids, none of which the key uses"
ALONE = "mentions, each alone in its chain"
TOGETHER = "documents in which all mentions form one chain"
WITHIN_SENTENCES = "chains, none of which leaves its sentence; do chain numbers start again in each sentence?"

_TEXTS = (
    *(SWAPPED, BY_CHANCE, SHIFTED_BACK, SHIFTED_ON, HEADS_LOW, HEADS_HIGH, NO_VALUE_RIGHT),
    *(EMPTY, NONE_IN_KEY, WORD_LATER, WORD_EARLIER, WORD_LESS, WORD_MORE, IN_PIECES, CUT_OFF, CUT_DOCUMENTS),
    *(IDS_WRITTEN_DIFFERENTLY, NO_ID_RIGHT, ALONE, TOGETHER, WITHIN_SENTENCES),
)

_ABOUT_OFFSETS = ("spans that begin", "spans that end", "spans with other extents")
"""The beginnings of the notes of `offset_checks`, which explain why no extent is right."""

_LISTED = 3
_FEW = 5
"""Nothing is said about fewer spans, mentions or chains than this, nor about labels that are rarer."""

_FEW_VALUES = 30
"""Nothing is said about fewer values than this."""

_MOST_LABELS = 512
"""With more labels than this, as with lemmas, labels are not compared with each other."""

_UNLIKELY = 1e-4


def is_systematic(what: str) -> bool:
    """Whether a note is one of these; when parts are merged, they are computed again.

    >>> is_systematic(f"spans {WORD_LATER}"), is_systematic("files in which no document is marked")
    (True, False)
    """
    return any(text in what for text in _TEXTS)


def note_systematic_errors(views: Mapping[str, View], runs: Sequence[str], others: Iterable[Note]) -> list[Note]:
    """Note what looks wrong in the output of each run as a whole.

    Args:
        views: the views of the task.
        runs: the names of the runs.
        others: the notes on reading and alignment; what they explain is not noted again.

    """
    view = next(iter(views.values()))
    chains = next((each.chains for each in views.values() if each.chains is not None), None)
    found: list[Iterable[Finding]] = []
    if chains is not None:
        found = [_chain_notes(chains, chain) for chain in chains.runs]
    elif view.claims is not None:
        plain = without_ids(view.claims)
        linked = any(LINK in name for name in view.claims.names)
        found = [
            [*_span_notes(plain, run), *(_id_notes(view.claims, run) if linked else ())] for run in range(len(runs))
        ]
    else:
        sites = view.all_sites
        if sites.parts is None:
            found = [_value_notes(sites, run) for run in range(len(runs))]
    explained = {note.side for note in others if note.what.startswith(_ABOUT_OFFSETS)}
    notes = [Note(name, *note) for name, notes in zip(runs, found, strict=False) for note in notes]
    return [note for note in notes if NONE_IN_KEY not in note.what or explained.isdisjoint({note.side, KEY})]


Finding = tuple[str, int, tuple[str, ...]]
"""What a note says, its count, and its first examples."""


# Values of rows: tags, labels, heads.


def _value_notes(sites: Sites, run: int) -> Iterator[Finding]:
    """Check the values of one run, and each of their aspects."""
    aspects = dict(sites.aspects) or {"value": sites.labels}
    head = aspects.get("head")
    if head is not None:
        yield from _head_notes(sites, head, run)
    for name, aspect in aspects.items():
        table = None if name == "head" else _confusion(sites, aspect, run)
        swapped = [] if table is None else _swapped_labels(table, aspect.names)
        shifted = list(_shift_notes(sites, aspect, run))
        if swapped:
            yield SWAPPED, len(swapped), tuple(swapped[:_LISTED])
        yield from shifted
        if not swapped and not shifted:
            yield from _chance_notes(sites, aspect, run)


def _confusion(sites: Sites, aspect: Aspect, run: int) -> Matrix | None:
    """Count the pairs of the key's label and the run's; None if there are too many labels."""
    size = len(aspect.names)
    if size > _MOST_LABELS:
        return None
    pairs = aspect.key.astype(np.int64) * size + aspect.values[run]
    table = np.bincount(pairs, minlength=size * size).reshape(size, size)
    if sites.folded is not None and aspect is sites.labels:
        table[np.arange(size), np.arange(size)] += sites.folded.by_label
    special = [code for code, name in enumerate(aspect.names) if name in {ABSENT, NOTHING, NIL_VALUE}]
    table[special, :] = table[:, special] = 0
    return table


def _swapped_labels(table: Matrix, names: Sequence[str]) -> list[str]:
    """Describe labels of the run that mostly stand for another label of the key, which both sides use."""
    in_key, in_run = table.sum(axis=1), table.sum(axis=0)
    found = []
    for label in np.flatnonzero((in_key >= _FEW) & (in_run > 0)).tolist():
        most = int(table[label].argmax())
        count = int(table[label, most])
        own = most == label or not in_key[most]
        if (
            not own
            and count >= 0.6 * in_key[label]
            and table[:, most].argmax() == label
            and count >= 0.6 * in_run[most]
        ):
            found.append(f"{names[label]} of the key is {names[most]} in {100 * count / in_key[label]:.0f} %")
    return found if len(found) > 1 else []


def _shift_notes(sites: Sites, aspect: Aspect, run: int) -> Iterator[Finding]:
    """Compare the values with the key's values one row before and one row after, within documents.

    Where sites are stored as counts, neighbours are not known; then the values are at most found no better than chance.
    """
    key, values = aspect.key, aspect.values[run]
    if len(key) < _FEW_VALUES or sites.folded is not None:
        return
    right = np.count_nonzero(key == values)
    if right > 0.6 * len(key):
        return
    next_row = (sites.document[1:] == sites.document[:-1]) & (sites.place[1:] == sites.place[:-1] + 1)
    for what, matches in (
        (SHIFTED_ON, (values[:-1] == key[1:]) & next_row),
        (SHIFTED_BACK, (values[1:] == key[:-1]) & next_row),
    ):
        count = int(np.count_nonzero(matches))
        if count >= 0.6 * len(key) and count - right >= 0.2 * len(key):
            yield f"{what} ({right:,} are right where they are)", count, ()


def _chance_notes(sites: Sites, aspect: Aspect, run: int) -> Iterator[Finding]:
    """Compare the number of right values with the mean and spread over all orders of the same values."""
    if sites.folded is not None and aspect is not sites.labels:
        return
    size = len(aspect.names)
    key, values = (np.bincount(codes, minlength=size).astype(float) for codes in (aspect.key, aspect.values[run]))
    right = int(np.count_nonzero(aspect.key == aspect.values[run]))
    if sites.folded is not None:
        same = sites.folded.by_label
        key, values, right = key + same, values + same, right + int(same.sum())
    total = key.sum()
    if total < _FEW_VALUES or not (key @ values):  # without a common value, notes on labels say so
        return
    if not right:
        yield NO_VALUE_RIGHT, int(total), ()
        return
    expected, spread = _matches_by_chance(key, values)
    if max(key.max(), values.max()) < total and right <= expected + 2 * spread:
        yield f"{BY_CHANCE} ({right:,} are right, {expected:,.0f} would be by chance)", int(total), ()


def _matches_by_chance(key: Counts, values: Counts) -> tuple[float, float]:
    """Return the mean and the standard deviation of the number of right values over all orders of the run's values.

    >>> _matches_by_chance(np.array([1.0, 1.0]), np.array([1.0, 1.0]))  # 2 or 0 right
    (1.0, 1.0)
    """
    total, product = key.sum(), key @ values
    pairs = (key * (key - 1)) @ (values * (values - 1)) + product**2 - key**2 @ values**2
    mean = product / total
    variance = pairs / (total * (total - 1)) + mean - mean**2
    return float(mean), float(max(variance, 0.0) ** 0.5)


def _head_notes(sites: Sites, head: Aspect, run: int) -> Iterator[Finding]:
    """Find heads that all differ from the key's by one."""
    steps = np.array([_parse_head(name) for name in head.names])
    key, values = steps[head.key], steps[head.values[run]]
    if len(key) < _FEW_VALUES or sites.folded is not None:
        return
    for what, off in ((HEADS_LOW, -1), (HEADS_HIGH, 1)):
        count = int(np.count_nonzero(values == key + off))
        if count >= 0.5 * np.count_nonzero(~np.isnan(key)):
            yield what, count, ()


def _parse_head(name: str) -> float:
    """Return the distance to a head; NaN for the root and for places that the key does not have."""
    if name == OWN_PLACE:
        return 0.0
    return float(name) if name[:1] in {"+", "-"} and name[1:].isdecimal() else float("nan")


# Spans.


def _span_notes(claims: Claims, run: int) -> Iterator[Finding]:
    """Check the spans of one run."""
    both = 0 if claims.agreed is None else len(claims.agreed)
    in_key, in_run = claims.key > 0, claims.runs[run] > 0
    of_key, of_run = int(in_key.sum()) + both, int(in_run.sum()) + both
    if of_key < _FEW:
        return
    if not of_run:
        yield f"{EMPTY} spans", of_key, ()
        return
    swapped = _swapped_labels(_labels_of_equal_extents(claims, in_key, in_run), claims.names)
    if swapped:
        yield SWAPPED, len(swapped), tuple(swapped[:_LISTED])
    if of_run < _FEW:
        return
    columns = (claims.document, claims.place, claims.width, claims.label)
    word_off = [] if both else list(_word_notes("spans", columns, in_key, in_run))
    yield from word_off
    if not word_off and not both and not (in_key & in_run).any() and not _have_common_extent(claims, in_key, in_run):
        yield f"spans, {NONE_IN_KEY}", of_run, ()
    pieces = _count_keys_in_pieces(claims, in_key, in_run)
    if pieces >= max(_FEW, 0.1 * of_key):
        yield IN_PIECES, pieces, ()
    yield from _cut_notes(claims, in_key, in_run)


def _extents(claims: Claims, rows: Truths) -> Rows:
    """Encode the extents of some spans."""
    (found,) = pack_columns([[each[rows] for each in (claims.document, claims.begin, claims.end, claims.pieces)]])
    return found


def _have_common_extent(claims: Claims, in_key: Truths, in_run: Truths) -> bool:
    extents, of_run = _extents(claims, in_key | in_run), in_run[in_key | in_run]
    return bool(np.isin(extents[of_run], extents[~of_run]).any())


def _labels_of_equal_extents(claims: Claims, in_key: Truths, in_run: Truths) -> Matrix:
    """Count the pairs of labels that the key and the run give to spans of the same extent."""
    size = len(claims.names)
    table = np.zeros((size, size), np.int64)
    differing = in_key != in_run
    if size > _MOST_LABELS or not differing.any():
        return table
    number = np.unique(_extents(claims, differing), return_inverse=True)[1]
    label = np.full((2, int(number.max()) + 1), -1)  # of several of one extent, the last in the alphabet
    for side, rows in enumerate((in_key[differing], in_run[differing])):
        label[side, number[rows]] = claims.label[differing][rows]
    pairs = label[:, (label >= 0).all(axis=0)]
    np.add.at(table, (pairs[0], pairs[1]), 1)
    table[np.arange(size), np.arange(size)] += np.bincount(claims.label[in_key & in_run], minlength=size)
    if claims.agreed is not None:
        table[np.arange(size), np.arange(size)] += np.bincount(claims.agreed.label, minlength=size)
    return table


def _word_notes(noun: str, columns: Sequence[NDArray[Any]], in_key: Truths, in_run: Truths) -> Iterator[Finding]:
    """Compare a run's spans, moved by a word or with another last word, with the key's.

    Args:
        noun: their name: spans or mentions.
        columns: document, row and number of rows of each span, and further columns in which both must agree.
        in_key: whether the key has it.
        in_run: whether the run has it.

    """
    total, wrong = int(in_run.sum()), in_run & ~in_key
    if wrong.sum() < max(_FEW, 0.5 * total):
        return
    key = [column[in_key].astype(np.int64) for column in columns]
    document, place, width, *others = (column[wrong].astype(np.int64) for column in columns)
    for what, move, wider in ((WORD_LATER, 1, 0), (WORD_EARLIER, -1, 0), (WORD_LESS, 0, -1), (WORD_MORE, 0, 1)):
        mine, theirs = pack_columns([[document, place + move, width + wider, *others], key])
        count = int(np.isin(mine, theirs).sum())
        if count >= max(_FEW, 0.5 * total):
            yield f"{noun} {what}", count, ()


def _count_keys_in_pieces(claims: Claims, in_key: Truths, in_run: Truths) -> int:
    """Count the spans of the key that are missed but covered word for word by adjacent spans of the same label."""
    rows = np.flatnonzero(in_run & ~in_key & (claims.pieces == 0))
    rows = rows[np.lexsort((claims.place[rows], claims.document[rows], claims.label[rows]))]
    place, width, document, label = (
        column[rows].astype(np.int64) for column in (claims.place, claims.width, claims.document, claims.label)
    )
    if len(rows) < 2:
        return 0
    joined = (place[1:] == place[:-1] + width[:-1]) & (document[1:] == document[:-1]) & (label[1:] == label[:-1])
    first = np.flatnonzero(np.append(True, ~joined))
    last = np.append(first[1:], len(rows)) - 1
    several = last > first
    first, last = first[several], last[several]
    missed = in_key & ~in_run
    ours, key = pack_columns(
        [
            [document[first], place[first], place[last] + width[last] - place[first], label[first]],
            [column[missed].astype(np.int64) for column in (claims.document, claims.place, claims.width, claims.label)],
        ]
    )
    return int(np.isin(key, ours).sum())


def _cut_notes(claims: Claims, in_key: Truths, in_run: Truths) -> Iterator[Finding]:
    """Find an end of the corpus, or of documents, at which a run has no spans though the key has many."""
    document, right = claims.document.astype(np.int64), in_key & in_run
    if claims.agreed is not None:
        agreed = np.ones(len(claims.agreed), np.bool_)
        document = np.concatenate([document, claims.agreed.document.astype(np.int64)])
        begin = np.concatenate([claims.begin, claims.agreed.begin])
        order = np.lexsort((begin, document))
        document = document[order]
        in_key, in_run, right = (np.concatenate([each, agreed])[order] for each in (in_key, in_run, right))
    last = int(np.flatnonzero(in_run)[-1])
    tail = int(np.count_nonzero(in_key[last + 1 :]))
    before = int(np.count_nonzero(in_key[: last + 1]))
    missed = 1 - np.count_nonzero(right) / max(before, 1)
    if tail >= 2 * _FEW and missed**tail < _UNLIKELY:
        yield CUT_OFF, tail, ()
        return
    count = int(document.max()) + 1
    last_of = np.full(count, -1)
    np.maximum.at(last_of, document[in_run], np.flatnonzero(in_run))
    late = in_key & (np.arange(len(document)) > last_of[document])
    tails = np.bincount(document[late], minlength=count)
    missed = 1 - np.count_nonzero(right) / np.count_nonzero(in_key)
    found = int(np.count_nonzero((tails >= _FEW) & (missed**tails < _UNLIKELY / count)))
    if found:
        yield CUT_DOCUMENTS, found, ()


# Ids of links.


def _id_notes(claims: Claims, run: int) -> Iterator[Finding]:
    """Compare the ids that a run uses with those of the key."""
    if claims.agreed is not None:
        return
    ids = [name.partition(LINK)[2] for name in claims.names]
    of_key, of_run = (
        [ids[code] for code in claims.label[rows].tolist()] for rows in (claims.key > 0, claims.runs[run] > 0)
    )
    known = {each for name in of_key for each in name.split(BAR)} - {NIL}
    used = [name for name in of_run if name != NIL]
    right = sum(not known.isdisjoint(name.split(BAR)) for name in used)
    if len(used) < _FEW or not known or right > 0.2 * len(used):
        return
    plain = {_normalize_id(each): each for each in sorted(known)}
    similar = [name for name in used if name not in known and _normalize_id(name) in plain]
    if len(similar) >= 0.5 * len(used):
        examples = dict.fromkeys(f"{name} for {plain[_normalize_id(name)]}" for name in similar)
        yield IDS_WRITTEN_DIFFERENTLY, len(similar), tuple(examples)[:_LISTED]
    elif not right:
        yield f"{NO_ID_RIGHT} (such as {used[0]}; the key has ids such as {min(known)})", len(used), ()


def _normalize_id(name: str) -> str:
    """Reduce an id to what it has in common with other ways of writing it.

    >>> _normalize_id("http://www.wikidata.org/entity/Q42"), _normalize_id("wd:q42"), _normalize_id("New_York")
    ('42', '42', 'new york')
    """
    short = re.split(r"[/#:]", name)[-1].replace("_", " ").casefold()
    return re.sub(r"^q(?=\d+$)", "", short)


# Coreference chains.


def _chain_notes(chains: Chains, run: Rows) -> Iterator[Finding]:
    """Check the chains of one run."""
    in_key, in_run = chains.key != NO_CHAIN, run != NO_CHAIN
    mentions = int(in_run.sum())
    if in_key.sum() < _FEW or mentions < _FEW:
        if not mentions:
            yield f"{EMPTY} mentions", int(in_key.sum()), ()
        return
    if chains.pieces is None:
        yield from _word_notes("mentions", (chains.document, chains.place, chains.width), in_key, in_run)
    if not (in_key & in_run).any():
        yield f"mentions, {NONE_IN_KEY}", mentions, ()
    long, of_key = count_mentions(run) > 1, count_mentions(chains.key) > 1
    if of_key.sum() < 2:
        return
    if not long.any():
        yield ALONE, mentions, ()
        return
    if long.sum() >= _FEW and _count_wide(chains, chains.key) and not _count_wide(chains, run):
        yield WITHIN_SENTENCES, int(long.sum()), ()
    together = _count_together(chains, run)
    if together:
        yield TOGETHER, together, ()


def _count_wide(chains: Chains, chain: Rows) -> int:
    """Count the chains with mentions in more than one sentence."""
    there = chain != NO_CHAIN
    pairs = np.unique(np.stack([chain[there], chains.sentence[there]]), axis=1)
    return int(np.count_nonzero(np.bincount(pairs[0]) > 1))


def _count_together(chains: Chains, run: Rows) -> int:
    """Count the units in which a run has a single chain though the key has several; 0 unless it is so in all."""
    sides = []
    for chain in (chains.key, run):
        several = np.flatnonzero(count_mentions(chain) > 1)
        pairs = np.unique(np.stack([chains.unit[np.isin(chain, several)], chain[np.isin(chain, several)]]), axis=1)
        sides.append(np.bincount(pairs[0], minlength=int(chains.unit.max(initial=0)) + 1))
    of_key, of_run = sides
    there = of_key > 1
    alone = np.bincount(chains.unit[run != NO_CHAIN], minlength=len(of_run)) >= _FEW
    found = there & alone & (of_run == 1)
    return int(found.sum()) if (found == (there & alone)).all() else 0

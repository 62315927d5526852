"""What runs are to vote on: their labels in one tongue, as they are judged."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.align import RowMap, align, values_on_key
from comparanda.align.quotes import place_spans
from comparanda.align.span_positions import PlacedSpans
from comparanda.core.corpus import owner_of_rows
from comparanda.core.extents import cut_numbers, ways_of_being_cut
from comparanda.core.ids import NIL, split
from comparanda.core.measures import harmonic, measure, unit_statistics
from comparanda.core.sites import ABSENT, canonical
from comparanda.core.text_columns import TextColumn
from comparanda.core.verdicts import System, Units
from comparanda.errors import InputError, UsageError, WriteError, nearest
from comparanda.findings.context import Context
from comparanda.findings.ensembles import Choice, Ensembles, Recipe, Weight, ensembles
from comparanda.findings.resamples import RESAMPLES, SEED
from comparanda.findings.upper_bounds import combination
from comparanda.formats.chunks import ALSO
from comparanda.formats.conversion import converted
from comparanda.formats.document_writer import ONE_SPACE, Losses, find_writer, passages, writers
from comparanda.formats.files import STDIN
from comparanda.formats.inputs import Input
from comparanda.formats.row_writer import WRITE, written_rows
from comparanda.formats.word_runs import ChunkScheme, chunk_tags
from comparanda.pipeline import Prepared, Setup, judged, prepare, read_key
from comparanda.result import Result
from comparanda.rules.engine import Engine
from comparanda.tasks.ballots import OVERLAPS, Overlap, combined
from comparanda.tasks.label_maps import speak_alike
from comparanda.tasks.labels.evaluation import with_sets
from comparanda.tasks.labels.votes import as_sets
from comparanda.tasks.prob.evaluation import hard_outputs
from comparanda.tasks.spans.evaluation import looks_at_ids
from comparanda.tasks.spans.votes import strongest
from comparanda.tasks.task import find_task
from comparanda.tasks.vote_methods import DEFAULTS, MILLION, Ground, Method, Trust
from comparanda.tasks.word_sites import run_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.align import Aligned
    from comparanda.core.corpus import Corpus, Spans
    from comparanda.core.places import Note
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.core.verdicts import Verdicts, View

    Matrix = NDArray[np.float64]


def ground_of(prepared: Prepared) -> Ground:
    """Return what is voted on; chains are no votes that could be counted."""
    if prepared.task.layer == "chains":
        what = "chains cannot be combined by votes: what two systems put together need not fit into one set of chains"
        hint = "see what they could do together: comparanda compare shows upper bounds by kind of mention"
        raise UsageError(what, hint=hint)
    if prepared.task.layer == "arcs":
        return "trees"
    if prepared.task.layer in {"spans", "beliefs"}:
        rules = prepared.options.rules
        return "links" if rules is not None and looks_at_ids(Engine(rules)) else "spans"
    return "sets" if with_sets(prepared.aligned) else "values"


def in_one_tongue(prepared: Prepared) -> Prepared:
    """Apply label maps and the folding of case to what the runs say, so that a vote sees equal labels as equal.

    The combination then has the new labels. It is judged with the same maps, so these must leave them as they are.
    Where runs are probabilistic, their hard outputs vote.
    """
    maps = prepared.options.maps.get("all", {})
    for old, new in sorted(maps.items()):
        if maps.get(new, new) != new:
            raise UsageError(
                f"the label map for all reads {old} as {new}, and {new} as {maps[new]}: it cannot be applied twice",
                hint="combinations have the new labels, and are judged with the same map; give one for each system",
            )
    if prepared.task.layer == "beliefs":
        prepared = replace(prepared, aligned=hard_outputs(prepared.aligned, prepared.systems, prepared.options))
    aligned = prepared.aligned
    if not prepared.options.maps and not prepared.options.fold_case:
        return prepared
    several = with_sets(aligned)
    corpora = [as_sets(corpus) if several else corpus for corpus in aligned.responses]
    columns = [_labels(aligned.key), *map(_labels, corpora)]  # the key's must be there, and nothing comes of them
    sides = ("key", *run_names(prepared.systems))
    found, _ = speak_alike(columns, sides, prepared.systems, prepared.options, several=several)
    return replace(prepared, aligned=replace(aligned, responses=_relabelled(corpora, found[1:])))


def _labels(corpus: Corpus) -> TextColumn:
    return corpus.columns["value"] if corpus.spans is None else corpus.spans.label


def _relabelled(corpora: Sequence[Corpus], labels: Sequence[TextColumn]) -> tuple[Corpus, ...]:
    """Put other labels into corpora."""
    return tuple(
        replace(corpus, columns={**corpus.columns, "value": column})
        if corpus.spans is None
        else replace(corpus, spans=replace(corpus.spans, label=column))
        for corpus, column in zip(corpora, labels, strict=True)
    )


# How good each run is, learnt where it is not used: on dev data, or on the other folds of the same documents.


FEWEST_FOLDS = 2


@dataclass(frozen=True, eq=False, slots=True)
class Tuning:
    """What is known of the runs, and from where.

    Args:
        trust: what is known of them.
        on: where it was learnt, in words.
        optimistic: whether that is the very data on which the combination is scored.
        learnt: whether anything was; one document of one sentence cannot be cut into folds.

    """

    trust: Trust
    on: str
    optimistic: bool = False
    learnt: bool = True


def tuned_on_folds(verdicts: Verdicts, view: str | None, key: Corpus, folds: int, *, seed: int) -> Tuning:
    """Learn for each fold of the key's documents from all others.

    Documents are dealt to folds in the order of a hash of the seed and their names, so that the order of the input
    does not matter. There are no more folds than documents. A single document is cut by sentences, and so is a key
    that marks none; rows of a classification file are their own documents.
    """
    verdicts = _finer(verdicts, key)
    names = _unit_names(verdicts, key)
    count = min(folds, len(names))
    if count < FEWEST_FOLDS:
        trust = Trust.equal(len(key), verdicts.runs)
        return Tuning(trust, "nothing: there is only one unit, which cannot be cut into folds", learnt=False)
    unit_fold = _dealt(names, count, seed)
    score, labels, by_label = _learnt(verdicts, verdicts.view(view), unit_fold, count)
    by_document = verdicts.units.kind == "document"
    unit = owner_of_rows(key.row_documents if by_document else key.sentences)
    on = f"{count} folds of {len(names):,} {verdicts.units.kind}s"
    return Tuning(Trust(runs=verdicts.runs, fold=unit_fold[unit], score=score, labels=labels, by_label=by_label), on)


def tuned_on_dev(verdicts: Verdicts, view: str | None, key: Corpus) -> Tuning:
    """Learn from other data, judged in the same way, with the same systems in the same order."""
    return Tuning(_whole(verdicts, view, key), f"dev data of {_units(verdicts)}")


def tuned_on_same(verdicts: Verdicts, view: str | None, key: Corpus) -> Tuning:
    """Learn from the very data on which the combination is scored: an upper bound of what tuning can give."""
    return Tuning(_whole(verdicts, view, key), "the same data, so the scores are optimistic", optimistic=True)


def _units(verdicts: Verdicts) -> str:
    count, kind = verdicts.units.count, verdicts.units.kind
    return f"{count:,} {kind}{'' if count == 1 else 's'}"


def _whole(verdicts: Verdicts, view: str | None, key: Corpus) -> Trust:
    """Learn from all units."""
    score, labels, by_label = _learnt(verdicts, verdicts.view(view), np.zeros(verdicts.units.count, np.int64), 1)
    return Trust(runs=verdicts.runs, fold=np.zeros(len(key), np.int64), score=score, labels=labels, by_label=by_label)


def _finer(verdicts: Verdicts, key: Corpus) -> Verdicts:
    """Take sentences for units where there is but one document."""
    if verdicts.units.kind != "document" or verdicts.units.count > 1:
        return verdicts
    return replace(verdicts, units=Units("sentence", len(key.sentences) - 1))


def _unit_names(verdicts: Verdicts, key: Corpus) -> Sequence[str]:
    """Return what units are told apart by: names of documents, ids of rows, numbers of sentences."""
    if verdicts.units.kind == "document":
        return verdicts.documents
    if verdicts.units.kind == "row" and key.words is not None:
        return [key.words[row] for row in range(len(key))]
    return [str(number) for number in range(verdicts.units.count)]


def _dealt(names: Sequence[str], folds: int, seed: int) -> Rows:
    """Deal units to folds, as evenly as can be."""
    rank = sorted(range(len(names)), key=lambda unit: (_hash(seed, names[unit]), names[unit], unit))
    fold = np.empty(len(names), np.int64)
    fold[rank] = np.arange(len(names)) % folds
    return fold


def _hash(seed: int, name: str) -> bytes:
    return blake2b(f"{seed}\0{name}".encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _learnt(
    verdicts: Verdicts, view: View, unit_fold: Rows, folds: int
) -> tuple[NDArray[np.int64], tuple[str, ...], NDArray[np.int64]]:
    """Return for each fold the main score of each run and its F1 of each label, on all other folds if there are any."""
    main = measure(view.measures[0])
    statistics = unit_statistics(verdicts, view, main.statistics)
    sums = {
        name: np.stack([values[unit_fold == fold].sum(axis=0) for fold in range(folds)])
        for name, values in statistics.items()
    }
    score = main.finish({name: _others(each) for name, each in sums.items()})
    by_label = harmonic(*map(_others, _label_counts(verdicts, view, unit_fold, folds)))
    return _millionths(score), view.items.names, _millionths(by_label)


def _others(by_fold: Matrix) -> Matrix:
    """Return the sums over all other folds; with one fold, over that."""
    return by_fold if len(by_fold) == 1 else by_fold.sum(axis=0, keepdims=True) - by_fold


def _millionths(scores: Matrix) -> NDArray[np.int64]:
    """Write scores as whole numbers; an undefined one is worth nothing."""
    return np.rint(MILLION * np.nan_to_num(scores)).astype(np.int64)


def _label_counts(verdicts: Verdicts, view: View, unit_fold: Rows, folds: int) -> list[Matrix]:
    """Count what F1 is made of, for each fold, label and run."""
    items = view.items
    width = len(items.names)
    cell = unit_fold[verdicts.unit_of(items)] * width + items.label
    runs = range(len(items.claimed))
    weights = (
        [items.credit_of(run) for run in runs],
        [items.earned_of(run) for run in runs],
        [items.claimed[run].astype(np.float64) for run in runs],
        [items.weights(run) for run in runs],
    )
    return [
        np.stack([np.bincount(cell, each, folds * width).reshape(folds, width) for each in kind], axis=-1)
        for kind in weights
    ]


# Systems that vote: which methods fit, what comes out, and how it was made.


@dataclass(frozen=True, eq=False, slots=True)
class Voting:
    """All that a vote needs, whatever the method.

    Args:
        prepared: the key and its runs, whose labels are in one tongue.
        ground: what is voted on.
        tuning: what is known of the runs.
        overlap: what is done about combined spans that overlap.

    """

    prepared: Prepared
    ground: Ground
    tuning: Tuning
    overlap: Overlap

    @classmethod
    def of(cls, prepared: Prepared, tuning: Tuning, overlap: Overlap) -> Voting:
        """Bring the labels of all runs to one tongue before they are voted on."""
        return cls(in_one_tongue(prepared), ground_of(prepared), tuning, overlap)

    def corpora(self, asked: Sequence[str]) -> tuple[dict[str, Corpus], dict[str, str]]:
        """Combine by the methods asked for, or by all that make sense; and say which of these do not, and why."""
        runs, skipped = len(self.prepared.aligned.responses), {}
        chosen = [Method.parse(name) for name in asked or DEFAULTS[self.ground]]
        for method in chosen:
            method.check(self.ground, runs)
        corpora: dict[str, Corpus] = {}
        for method in chosen:
            if method.needs(self.ground) in {"weights", "labels"} and not self.tuning.learnt:
                skipped[str(method)] = f"it was tuned on {self.tuning.on}"
                continue
            try:
                corpora[str(method)] = replace(self.vote(method), name=str(method))
            except UsageError as problem:  # of the usual methods, tag-vote may not fit the spans
                if asked:
                    raise
                skipped[str(method)] = problem.what
        if not corpora:
            raise UsageError("there is nothing to combine", details=[f"{name}: {why}" for name, why in skipped.items()])
        return corpora, skipped

    def said(self) -> dict[str, str]:
        """Return how votes were counted, for the signature."""
        said = {"tuned": self.tuning.on}
        overlap = "combined_overlap" if self.prepared.task.layer == "beliefs" else "overlap"  # beliefs have one, too
        return {**said, overlap: self.overlap} if self.ground in {"spans", "links"} else said

    def vote(self, method: Method) -> Corpus:
        """Combine by one method."""
        return combined(
            self.prepared.aligned,
            self.ground,
            method,
            self.tuning.trust,
            same_ids=self.prepared.options.same_ids,
            overlap=self.overlap,
        )

    def recipe(self, name: str, corpus: Corpus) -> Recipe:
        """Say how a combination was made."""
        method, tuning = Method.parse(name), self.tuning
        needs = method.needs(self.ground)
        return Recipe(
            method=name,
            vote=method.vote(self.ground),
            tuned={"nothing": None, "ranks": f"ties by {tuning.on}"}.get(needs, tuning.on),
            optimistic=needs != "nothing" and tuning.optimistic,
            weights=self._weights() if needs == "weights" else (),
            choices=self._choices() if needs == "labels" else (),
            notes=tuple(map(str, corpus.notes)),
        )

    def _weights(self) -> tuple[Weight, ...]:
        score = self.tuning.trust.score
        runs = enumerate(run_names(self.prepared.systems))
        return tuple(Weight(run, tuple((score[:, number] / MILLION).tolist())) for number, run in runs)

    def _choices(self) -> tuple[Choice, ...]:
        trust, runs = self.tuning.trust, run_names(self.prepared.systems)
        chosen, merit = trust.choices(), trust.by_label.max(axis=2, initial=0) / MILLION
        return tuple(
            Choice(label, tuple(runs[run] for run in chosen[:, place].tolist()), tuple(merit[:, place].tolist()))
            for place, label in enumerate(trust.labels)
            if np.any(merit[:, place] > 0)
        )


# Whether two corpora of the same documents say the same.


def first_difference(mine: Corpus, other: Corpus) -> str | None:
    """Say where another corpus, laid over one, says something else; None where it says the same."""
    aligned = align(mine, [other])
    if mine.spans is not None:
        return _of_spans(aligned)
    if not aligned.maps[0].identity and aligned.maps[0].surplus is not None:
        return "words would be cut otherwise"
    return _of_values(aligned) or _of_heads(aligned)


def _of_values(aligned: Aligned) -> str | None:
    """Compare the values of rows."""
    nothing = TextColumn(np.zeros(0, np.uint8), (ABSENT,))
    columns = [corpus.columns["value"] for corpus in (aligned.key, *aligned.responses)]
    names, codes = canonical([*columns, nothing])
    found = values_on_key(codes[1], aligned.maps[0], names.index(ABSENT))
    wrong = np.flatnonzero(codes[0] != found)
    if not len(wrong):
        return None
    row = int(wrong[0])
    said = "nothing" if names[int(found[row])] == ABSENT else repr(names[int(found[row])])
    return f"the value {names[int(codes[0][row])]!r} of row {row + 1:,} would be {said}"


def _of_heads(aligned: Aligned) -> str | None:
    """Compare the heads of words; their rows are the same."""
    mine, (other,) = aligned.key.arcs, aligned.responses
    if mine is None:
        return None
    if other.arcs is None or not aligned.maps[0].identity or not np.array_equal(mine.head, other.arcs.head):
        return "heads would be others"
    return None


def _of_spans(aligned: Aligned) -> str | None:
    """Compare spans on common ground."""
    placement = place_spans(aligned)
    mine, theirs = _rows(placement.sides)
    lost, more = sorted(mine - theirs), sorted(theirs - mine)
    if not lost and not more:
        return None
    document, begin, end, label, *_ = (lost or more)[0]
    name = aligned.key.documents.names[document]
    what = f"the span {begin}:{end} ({label}) of document {name!r}"
    return f"{what} would {'be lost or changed' if lost else 'be one too many'}"


def _rows(sides: Sequence[PlacedSpans]) -> list[set[tuple[int, int, int, str, int, str]]]:
    """Return the spans of each side, in plain values."""
    cuts = ways_of_being_cut(side.fragments for side in sides)
    linked = "id" in sides[0].columns
    found = []
    for side in sides:
        pieces = cut_numbers(len(side), side.fragments, cuts)
        columns: list[Rows] = [side.document, side.begin, side.end]
        labels, ids = side.label.values(), _ids(side) if linked else [""] * len(side)
        plain = zip(*(column.tolist() for column in columns), labels, pieces.tolist(), ids, strict=True)
        found.append({(a, b, c, str(label), cut, id_) for a, b, c, label, cut, id_ in plain})
    return found


def _ids(side: PlacedSpans) -> list[str]:
    """Return the first id of each span; none is the same as NIL, as for judges."""
    column = side.columns.get("id")
    if not isinstance(column, TextColumn):
        return [""] * len(side)
    return ["" if text is None or split(text)[0] == NIL else split(text)[0] for text in column.values()]


# Combinations written to files, which are read again before they get their names.


def write_corpus(corpus: Corpus, target: str | PathLike[str], setup: Setup) -> tuple[Note, ...]:
    """Write a combination to a file, or to a folder where the format has a file for each document.

    The format is that of the key, unless another one stands behind `::`. What was written is read again, and compared
    with the combination, before it gets its name: so what is there scores as announced. Returns what is not carried.

    Spans go through the format's own writer, chunk tags being BIO in the second column; where a column or options of
    the format were chosen, the file is laid out as the key's instead, and these hold for it too.

    Args:
        corpus: the combination.
        target: where to; `path::format?option=value`.
        setup: how the inputs of the combination were read.

    """
    place = Input.parse(fspath(target))
    if place.path == STDIN:
        raise UsageError("a combination is read again once it is written, so it needs a file", hint="name one")
    path = Path(os.path.realpath(place.path))
    if path.is_dir():
        raise WriteError("there is a folder of this name", where=place.path)
    draft = _drafted(corpus, place, setup)
    try:
        with tempfile.TemporaryDirectory(prefix=f".{path.name[:64]}-", dir=path.parent) as folder:
            draft.store(Path(folder) / path.name)
            draft.check(corpus, Path(folder) / path.name)
            os.replace(Path(folder) / path.name, path)
    except OSError as problem:
        raise WriteError(f"cannot be written: {problem.strerror or problem}", where=place.path) from None
    return draft.losses


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _Draft:
    """What is to be written.

    Args:
        files: the texts of its files by name; that of a single file is "".
        losses: what is not carried.
        again: how to read it, whatever its path.
        setup: how it is to be understood.
        many: whether the files are those of a folder.

    """

    files: Mapping[str, str]
    losses: tuple[Note, ...]
    again: Input
    setup: Setup
    many: bool = False

    def store(self, path: Path) -> None:
        """Write one file, or the files of a folder."""
        for name, text in self.files.items():
            file = path / name if self.many else path
            file.parent.mkdir(parents=True, exist_ok=True)
            with open(file, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)

    def check(self, corpus: Corpus, path: Path) -> None:
        """Refuse what would not be the same combination when it is read again."""
        given, setup = replace(self.again, path=str(path)), replace(self.setup, progress=None)
        try:
            found = first_difference(corpus, read_key(given, setup))
        except (InputError, UsageError) as problem:
            what = f"what is written could not be read again: {problem.what}"
            raise WriteError(what, details=problem.details) from None
        if found is not None:
            raise WriteError(
                f"the format {given.format!r} cannot hold this combination: {found} when read again",
                hint="another format may: FILE::jsonl, for example",
            )


def _drafted(corpus: Corpus, place: Input, setup: Setup) -> _Draft:
    """Make the files of a combination."""
    name = place.format or corpus.format
    own = name == corpus.format
    if corpus.spans is None:
        if not own:
            what = f"tags, trees and rows are written in the format of the key, which is {corpus.format!r}"
            raise UsageError(what, hint=f"leave ::{name} out")
        return _rows_drafted(corpus, setup)
    if own and name in WRITE and (setup.column or corpus.options):
        return _rows_drafted(_with_tags(corpus, setup), setup)
    if name not in writers():
        raise _unwritable(name, writers())
    writer = find_writer(name)
    with _overlaps_explained(corpus):
        written = converted(corpus, writer, place.options)
    losses = tuple(note for note in written.losses if not own or ONE_SPACE not in note.what)
    return _Draft(files=written.files, losses=losses, again=Input(path="", format=name), setup=setup, many=writer.many)


def _rows_drafted(corpus: Corpus, setup: Setup) -> _Draft:
    """Make a file that is laid out as the key's, so that the options by which that is read hold for it as well."""
    if corpus.format not in WRITE:
        raise _unwritable(corpus.format, WRITE)
    written = written_rows(corpus, column=setup.column or find_task(setup.task)[1])
    return _Draft(
        files=written.files,
        losses=written.losses,
        again=Input(path="", format=corpus.format, options=corpus.options),
        setup=setup,
    )


def _with_tags(corpus: Corpus, setup: Setup) -> Corpus:
    """Write the spans of a corpus as chunk tags in its judged column."""
    asked = corpus.options.get("scheme", setup.scheme or "").lower()
    scheme: ChunkScheme = "bioes" if ALSO.get(asked, asked) == "bioes" else "bio"
    with _overlaps_explained(corpus):
        tags = [tag for each in passages(corpus, Losses()) for tag in chunk_tags(each, scheme=scheme)]
    inside = np.array([tag.startswith(("I-", "E-")) for tag in (*tags, "O")], np.bool_)
    return replace(_joined(corpus, inside), spans=None, columns={"value": TextColumn.of(tags)})


def _joined(corpus: Corpus, inside: Truths) -> Corpus:
    """Join sentences whose end a span goes over: tags cannot, as readers cut spans there."""
    if not inside[corpus.sentences].any():
        return corpus
    sentences = corpus.sentences[~inside[corpus.sentences]]
    documents = replace(corpus.documents, offsets=np.searchsorted(sentences, corpus.row_documents))
    return replace(corpus, sentences=sentences, documents=documents)


@contextmanager
def _overlaps_explained(corpus: Corpus) -> Iterator[None]:
    """Say what can be done where a format cannot hold spans that overlap."""
    try:
        yield
    except WriteError as problem:
        if corpus.spans is None or not _overlap(corpus.spans):
            raise
        hint = f"{problem.hint or ''}\n  of combined spans that overlap, --overlap best keeps the strongest alone"
        raise WriteError(problem.what, where=problem.where, details=problem.details, hint=hint.strip()) from None


def _overlap(spans: Spans) -> bool:
    placed = PlacedSpans(
        document=spans.document,
        begin=spans.begin,
        end=spans.end,
        label=spans.label,
        given=np.arange(len(spans)),
        fragments=spans.fragments,
    )
    return len(strongest(placed, np.zeros(len(spans), np.int64))) < len(spans)


def _unwritable(name: str, known: Mapping[str, object]) -> UsageError:
    what = f"a combination cannot be written as {name!r}"
    return UsageError(what, hint=f"say which format: FILE::FORMAT ({', '.join(sorted(known))})")


# Several systems made one, in several ways, scored beside the best of them and what they could do at best.


FOLDS = 5


@dataclass(frozen=True, eq=False)
class Combined:
    """Combinations of systems: how good they are, and what they say.

    Args:
        finding: their scores beside the best single system and the upper bound.
        result: the systems and the combinations, judged together: each combination is a system by the name of its
            method, so every other finding can be made of it.
        corpora: what each combination says, on the documents and the words of the key.
        setup: how inputs are read, for reading again what is written.

    """

    finding: Ensembles
    result: Result
    corpora: Mapping[str, Corpus]
    setup: Setup

    @property
    def methods(self) -> tuple[str, ...]:
        """The names of the combinations."""
        return tuple(self.corpora)

    def corpus(self, method: str) -> Corpus:
        """Return what a combination says."""
        if method not in self.corpora:
            hint = f"combinations: {', '.join(self.corpora)}"
            raise UsageError(f"no combination is called {method!r}{nearest(method, self.corpora)}", hint=hint)
        return self.corpora[method]

    def write(self, method: str, path: str | PathLike[str]) -> tuple[Note, ...]:
        """Write a combination to a file in the format of the key, or in another one behind `::`.

        It is read again before the file gets its name: what would not be the same combination is refused, with the
        reason. Returns what else of the key's documents the format does not carry.
        """
        return write_corpus(self.corpus(method), path, self.setup)


def combine(
    key: Any,
    systems: Mapping[str, Any],
    *,
    task: str,
    methods: Sequence[str] = (),
    dev: tuple[Any, Mapping[str, Any]] | None = None,
    folds: int = FOLDS,
    same_data: bool = False,
    overlap: Overlap = "keep",
    view: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    zero_division: float | None = None,
    **settings: Any,
) -> Combined:
    """Combine systems by votes, and score the combinations; every run of a system votes.

    Args:
        key: as for `comparanda.compare`. A vote sees its words, and nothing of what it says of them.
        systems: the outputs by name, each like the key.
        task: as for `comparanda.compare`.
        methods: `union`, `intersection`, `at-least-K`, `majority`, `weighted`, `per-label`; for spans also `tag-vote`;
            for trees `tree-vote` and `weighted-tree-vote`. By default all that make sense.
        dev: where the weights and choices of methods come from: another key, and the systems' outputs for it.
        folds: without `dev`, how many folds the documents are cut into: weights and choices for each come from the
            others.
        same_data: take weights and choices from the very data that is scored; the scores are then optimistic.
        overlap: whether combined spans that overlap are all kept ("keep"), or those with most votes ("best").
        view: the view, if the task has several.
        resamples: how many resamples intervals and tests draw; 0 for none.
        seed: the seed of all draws, and of the folds.
        zero_division: a value to put where a ratio is undefined; None to say so instead.
        settings: all others as for `comparanda.compare`, except `where`.

    >>> key = ["B-PER", "O", "B-LOC", "O"]
    >>> outputs = {"a": ["B-PER", "O", "O", "O"], "b": ["B-PER", "O", "B-LOC", "O"], "c": ["O", "O", "B-LOC", "B-LOC"]}
    >>> found = combine([key], {name: [tags] for name, tags in outputs.items()}, task="span", resamples=0)
    >>> [(each.method, each.value) for each in found.finding.methods][:3]
    [('union', 0.8), ('majority', 1.0), ('intersection', 0.0)]

    """
    setup = _setup(task, settings)
    _check_options(dev, folds, same_data=same_data, overlap=overlap)
    prepared = prepare(key, systems, setup)
    ground_of(prepared)  # what cannot be combined is refused before it is judged
    verdicts = judged(prepared, setup)
    gold, elsewhere = prepared.aligned.key, None if dev is None else _dev(*dev, verdicts, setup)
    if elsewhere is not None:
        tuning = tuned_on_dev(elsewhere, view, gold)
    elif same_data:
        tuning = tuned_on_same(verdicts, view, gold)
    else:
        tuning = tuned_on_folds(verdicts, view=view, key=gold, folds=folds, seed=seed)
    voting = Voting.of(prepared, tuning, overlap)
    corpora, skipped = voting.corpora([methods] if isinstance(methods, str) else methods)
    if clash := sorted(set(corpora) & set(systems)):
        raise UsageError(f"a system cannot be called {clash[0]!r}: that is a way of combining", hint="rename it")
    both = judged(_with(prepared, corpora), replace(setup, strict=False))  # what is given was looked at already
    notes = (*_notes(both, corpora), *_dev_notes(elsewhere))
    both = replace(both, settings={**both.settings, **voting.said()}, notes=notes)
    result = Result(both, resamples, seed, zero_division)
    context = Context(verdicts=both, view=both.view(view), resamples=resamples, seed=seed, zero_division=zero_division)
    alone = Context(verdicts=verdicts, view=verdicts.view(view), resamples=0, seed=seed, zero_division=zero_division)
    recipes = [voting.recipe(name, corpus) for name, corpus in corpora.items()]
    return Combined(ensembles(context, recipes, combination(alone), skipped), result, corpora, setup)


def _setup(task: str, settings: Mapping[str, Any]) -> Setup:
    known = {field.name for field in fields(Setup)}
    for name in settings:
        if name not in known:
            raise UsageError(f"there is no setting {name!r}{nearest(name, known)}", hint=", ".join(sorted(known)))
    return Setup(task=task, **{name: value for name, value in settings.items() if value is not None})


def _check_options(dev: object, folds: int, *, same_data: bool, overlap: str) -> None:
    if dev is not None and same_data:
        raise UsageError("dev data and the same data exclude each other: weights come from one of them")
    if folds < FEWEST_FOLDS:
        raise UsageError(f"{folds} folds: what is learnt for one comes from the others", hint="5, say")
    if overlap not in OVERLAPS:
        raise UsageError(f"overlap={overlap!r}{nearest(overlap, OVERLAPS)}", hint=", ".join(OVERLAPS))


def _dev(key: Any, systems: Mapping[str, Any], verdicts: Verdicts, setup: Setup) -> Verdicts:
    """Judge the dev data, with the systems in the same order."""
    names = [system.name for system in verdicts.systems]
    if lacking := [name for name in names if name not in systems]:
        raise UsageError(f"there is no dev output of {', '.join(lacking)}", hint="every system needs one")
    if surplus := sorted(set(systems) - set(names)):
        raise UsageError(f"there is dev output of {surplus[0]!r}, which is no system{nearest(surplus[0], names)}")
    found = judged(prepare(key, {name: systems[name] for name in names}, setup), setup)
    for mine, theirs in zip(verdicts.systems, found.systems, strict=True):
        if len(mine.runs) != len(theirs.runs):
            counts = f"{len(mine.runs)} runs here and {len(theirs.runs)} on the dev data"
            raise UsageError(f"{mine.name!r} has {counts}", hint="the dev data must have an output of each run")
    return found


def _with(prepared: Prepared, corpora: Mapping[str, Corpus]) -> Prepared:
    """Lay combinations beside the systems: they stand on the rows of the key."""
    aligned, first = prepared.aligned, len(prepared.aligned.responses)
    more = len(corpora)
    notes = [note for corpus in corpora.values() for note in corpus.notes]
    wider = replace(
        aligned,
        responses=(*aligned.responses, *corpora.values()),
        maps=(*aligned.maps, *(RowMap() for _ in range(more))),
        segments=(*aligned.segments, *(None for _ in range(more))),
        notes=(*aligned.notes, *notes),
    )
    systems = [*prepared.systems, *(System(name, (first + place,)) for place, name in enumerate(corpora))]
    return replace(prepared, aligned=wider, systems=systems)


def _notes(verdicts: Verdicts, corpora: Mapping[str, Corpus]) -> list[Note]:
    """Return what was met in the inputs; which labels a combination does not use is no news."""
    return [note for note in verdicts.notes if note.side not in corpora]


def _dev_notes(verdicts: Verdicts | None) -> list[Note]:
    return [] if verdicts is None else [replace(note, side=f"dev {note.side}") for note in verdicts.notes]

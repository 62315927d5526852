"""The public function `combine`: combine systems by voting, tune weights, score and write the combinations."""

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

from comparanda.align import RowMap, align_responses, values_on_key
from comparanda.align.quotes import place_spans
from comparanda.align.span_positions import PlacedSpans
from comparanda.core.corpus import owner_of_rows
from comparanda.core.extents import fragmentation_codes, number_fragmentations
from comparanda.core.ids import NIL, split_ids
from comparanda.core.measures import harmonic_f1, parse_measure, unit_statistics
from comparanda.core.sites import ABSENT, recode_canonically
from comparanda.core.text_columns import TextColumn
from comparanda.core.verdicts import System, Units
from comparanda.errors import InputError, UsageError, WriteError, suggest_nearest
from comparanda.findings.context import Context
from comparanda.findings.ensembles import Choice, Ensembles, Recipe, Weight, score_ensembles
from comparanda.findings.resamples import RESAMPLES, SEED
from comparanda.findings.upper_bounds import compute_upper_bounds
from comparanda.formats.chunks import ALSO
from comparanda.formats.conversion import convert_corpus
from comparanda.formats.document_writer import ONE_SPACE, Losses, find_writer, find_writers, list_passages
from comparanda.formats.files import STDIN
from comparanda.formats.inputs import Input
from comparanda.formats.row_writer import WRITE, written_rows
from comparanda.formats.word_runs import ChunkScheme, chunk_tags
from comparanda.pipeline import Prepared, Setup, evaluate_prepared, prepare_systems, read_key
from comparanda.result import Result
from comparanda.rules.engine import Engine
from comparanda.tasks.ballots import OVERLAPS, Overlap, combine_runs
from comparanda.tasks.label_maps import apply_label_maps
from comparanda.tasks.labels.evaluation import with_sets
from comparanda.tasks.labels.votes import as_sets
from comparanda.tasks.prob.evaluation import hard_outputs
from comparanda.tasks.spans.evaluation import looks_at_ids
from comparanda.tasks.spans.votes import select_strongest
from comparanda.tasks.task import find_task
from comparanda.tasks.vote_methods import DEFAULTS, MILLION, Method, Trust, VoteTarget
from comparanda.tasks.word_sites import run_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.align import Aligned
    from comparanda.core.corpus import Corpus, Spans
    from comparanda.core.places import Note
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.core.verdicts import Verdicts, View

    Matrix = NDArray[np.float64]


def find_vote_target(prepared: Prepared) -> VoteTarget:
    """Determine what is voted on from the task and its rules; refuse chains, which cannot be combined by voting."""
    if prepared.task.layer == "chains":
        what = "chains cannot be combined by voting: links of different systems need not form consistent chains"
        hint = "comparanda compare shows the upper bounds of combination by kind of mention"
        raise UsageError(what, hint=hint)
    if prepared.task.layer == "arcs":
        return "trees"
    if prepared.task.layer in {"spans", "beliefs"}:
        rules = prepared.options.rules
        return "links" if rules is not None and looks_at_ids(Engine(rules)) else "spans"
    return "sets" if with_sets(prepared.aligned) else "values"


def normalise_labels(prepared: Prepared) -> Prepared:
    """Apply label maps and case folding to the labels of the runs, so that equal labels are equal votes.

    The combination then has the new labels. It is evaluated with the same maps, so these must not change them again.
    Probabilistic runs vote with their hard outputs.
    """
    maps = prepared.options.maps.get("all", {})
    for old, new in sorted(maps.items()):
        if maps.get(new, new) != new:
            raise UsageError(
                f"the label map for all reads {old} as {new}, and {new} as {maps[new]}: it cannot be applied twice",
                hint="give a map for each system: combinations have the new labels and are evaluated with the same map",
            )
    if prepared.task.layer == "beliefs":
        prepared = replace(prepared, aligned=hard_outputs(prepared.aligned, prepared.systems, prepared.options))
    aligned = prepared.aligned
    if not prepared.options.maps and not prepared.options.fold_case:
        return prepared
    several = with_sets(aligned)
    corpora = [as_sets(corpus) if several else corpus for corpus in aligned.responses]
    columns = [
        _label_column(aligned.key),
        *map(_label_column, corpora),
    ]  # the labels of the key are required as input; their result is not used
    sides = ("key", *run_names(prepared.systems))
    found, _ = apply_label_maps(columns, sides, prepared.systems, prepared.options, several=several)
    return replace(prepared, aligned=replace(aligned, responses=_replace_labels(corpora, found[1:])))


def _label_column(corpus: Corpus) -> TextColumn:
    return corpus.columns["value"] if corpus.spans is None else corpus.spans.label


def _replace_labels(corpora: Sequence[Corpus], labels: Sequence[TextColumn]) -> tuple[Corpus, ...]:
    """Replace the labels of corpora."""
    return tuple(
        replace(corpus, columns={**corpus.columns, "value": column})
        if corpus.spans is None
        else replace(corpus, spans=replace(corpus.spans, label=column))
        for corpus, column in zip(corpora, labels, strict=True)
    )


# The quality of each run, learnt on other data than it is applied to: development data, or the other folds.


FEWEST_FOLDS = 2


@dataclass(frozen=True, eq=False, slots=True)
class Tuning:
    """The quality of the runs, and the data on which it was learnt.

    Args:
        trust: the scores of the runs.
        on: a description of the data.
        optimistic: whether the combination is scored on the same data.
        learnt: whether anything could be learnt; one document of one sentence cannot be split into folds.

    """

    trust: Trust
    on: str
    optimistic: bool = False
    learnt: bool = True


def tuned_on_folds(verdicts: Verdicts, view: str | None, key: Corpus, folds: int, *, seed: int) -> Tuning:
    """Learn for each fold of documents from all other folds.

    Documents are assigned to folds in the order of a hash of the seed and their names, so that the order of the input
    does not matter. There are no more folds than documents. A single document, or a key without document boundaries,
    is split by sentences; each row of a classification file is a document.
    """
    verdicts = _use_sentences(verdicts, key)
    names = _unit_names(verdicts, key)
    count = min(folds, len(names))
    if count < FEWEST_FOLDS:
        trust = Trust.equal(len(key), verdicts.runs)
        return Tuning(trust, "nothing: a single unit cannot be divided into folds", learnt=False)
    unit_fold = _deal_folds(names, count, seed)
    score, labels, by_label = _learn_scores(verdicts, verdicts.view(view), unit_fold, count)
    by_document = verdicts.units.kind == "document"
    unit = key.documents.numbers[owner_of_rows(key.row_documents)] if by_document else owner_of_rows(key.sentences)
    on = f"{count} folds of {len(names):,} {verdicts.units.kind}s"
    return Tuning(Trust(runs=verdicts.runs, fold=unit_fold[unit], score=score, labels=labels, by_label=by_label), on)


def tuned_on_dev(verdicts: Verdicts, view: str | None, key: Corpus) -> Tuning:
    """Learn from other data, evaluated in the same way, with the same systems in the same order."""
    return Tuning(_learn_from_all(verdicts, view, key), f"dev data of {_format_units(verdicts)}")


def tuned_on_same(verdicts: Verdicts, view: str | None, key: Corpus) -> Tuning:
    """Learn from the data on which the combination is scored: an upper bound of what tuning can achieve."""
    return Tuning(_learn_from_all(verdicts, view, key), "the same data, so the scores are optimistic", optimistic=True)


def _format_units(verdicts: Verdicts) -> str:
    count, kind = verdicts.units.count, verdicts.units.kind
    return f"{count:,} {kind}{'' if count == 1 else 's'}"


def _learn_from_all(verdicts: Verdicts, view: str | None, key: Corpus) -> Trust:
    """Learn from all units."""
    score, labels, by_label = _learn_scores(verdicts, verdicts.view(view), np.zeros(verdicts.units.count, np.int64), 1)
    return Trust(runs=verdicts.runs, fold=np.zeros(len(key), np.int64), score=score, labels=labels, by_label=by_label)


def _use_sentences(verdicts: Verdicts, key: Corpus) -> Verdicts:
    """Use sentences as units if there is only one document."""
    if verdicts.units.kind != "document" or verdicts.units.count > 1:
        return verdicts
    return replace(verdicts, units=Units("sentence", len(key.sentences) - 1))


def _unit_names(verdicts: Verdicts, key: Corpus) -> Sequence[str]:
    """Return names that identify the units: names of documents, ids of rows, numbers of sentences."""
    if verdicts.units.kind == "document":
        return verdicts.units.names or verdicts.documents
    if verdicts.units.kind == "row" and key.words is not None:
        return [key.words[row] for row in range(len(key))]
    return [str(number) for number in range(verdicts.units.count)]


def _deal_folds(names: Sequence[str], folds: int, seed: int) -> Rows:
    """Assign units to folds of equal size, or nearly."""
    rank = sorted(range(len(names)), key=lambda unit: (_hash(seed, names[unit]), names[unit], unit))
    fold = np.empty(len(names), np.int64)
    fold[rank] = np.arange(len(names)) % folds
    return fold


def _hash(seed: int, name: str) -> bytes:
    return blake2b(f"{seed}\0{name}".encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _learn_scores(
    verdicts: Verdicts, view: View, unit_fold: Rows, folds: int
) -> tuple[NDArray[np.int64], tuple[str, ...], NDArray[np.int64]]:
    """Compute for each fold the main score of each run and its F1 by label, on all other folds if there are any."""
    main = parse_measure(view.measures[0])
    statistics = unit_statistics(verdicts, view, main.statistics)
    sums = {
        name: np.stack([values[unit_fold == fold].sum(axis=0) for fold in range(folds)])
        for name, values in statistics.items()
    }
    score = main.finish({name: _sum_other_folds(each) for name, each in sums.items()})
    by_label = harmonic_f1(*map(_sum_other_folds, _count_by_label(verdicts, view, unit_fold, folds)))
    return _to_millionths(score), view.items.names, _to_millionths(by_label)


def _sum_other_folds(by_fold: Matrix) -> Matrix:
    """Sum over all other folds; with a single fold, over that one."""
    return by_fold if len(by_fold) == 1 else by_fold.sum(axis=0, keepdims=True) - by_fold


def _to_millionths(scores: Matrix) -> NDArray[np.int64]:
    """Convert scores to integers; undefined scores become 0."""
    return np.rint(MILLION * np.nan_to_num(scores)).astype(np.int64)


def _count_by_label(verdicts: Verdicts, view: View, unit_fold: Rows, folds: int) -> list[Matrix]:
    """Compute the counts for F1, for each fold, label and run."""
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


# Voting: which methods apply, their combinations, and the record of how these were made.


@dataclass(frozen=True, eq=False, slots=True)
class Voting:
    """The input of a vote by any method.

    Args:
        prepared: the key and the runs, with normalised labels.
        vote_target: what is voted on.
        tuning: the quality of the runs.
        overlap: how overlapping combined spans are treated.

    """

    prepared: Prepared
    vote_target: VoteTarget
    tuning: Tuning
    overlap: Overlap

    @classmethod
    def of(cls, prepared: Prepared, tuning: Tuning, overlap: Overlap) -> Voting:
        """Normalise the labels of all runs before voting."""
        return cls(normalise_labels(prepared), find_vote_target(prepared), tuning, overlap)

    def corpora(self, asked: Sequence[str]) -> tuple[dict[str, Corpus], dict[str, str]]:
        """Combine by the given or the default methods; return the combinations, and reasons for skipped methods."""
        runs, skipped = len(self.prepared.aligned.responses), {}
        chosen = [Method.parse(name) for name in asked or DEFAULTS[self.vote_target]]
        for method in chosen:
            method.check(self.vote_target, runs)
        corpora: dict[str, Corpus] = {}
        for method in chosen:
            if method.needs(self.vote_target) in {"weights", "labels"} and not self.tuning.learnt:
                skipped[str(method)] = f"it was tuned on {self.tuning.on}"
                continue
            try:
                corpora[str(method)] = replace(self.vote(method), name=str(method))
            except UsageError as problem:  # the default method tag-vote may not apply to the spans
                if asked:
                    raise
                skipped[str(method)] = problem.what
        if not corpora:
            raise UsageError("nothing to combine", details=[f"{name}: {why}" for name, why in skipped.items()])
        return corpora, skipped

    def signature_settings(self) -> dict[str, str]:
        """Return the settings of the vote, for the signature."""
        settings = {"tuned": self.tuning.on}
        overlap = "combined_overlap" if self.prepared.task.layer == "beliefs" else "overlap"  # beliefs have one, too
        return {**settings, overlap: self.overlap} if self.vote_target in {"spans", "links"} else settings

    def vote(self, method: Method) -> Corpus:
        """Combine by one method."""
        return combine_runs(
            self.prepared.aligned,
            self.vote_target,
            method,
            self.tuning.trust,
            same_ids=self.prepared.options.same_ids,
            overlap=self.overlap,
        )

    def recipe(self, name: str, corpus: Corpus) -> Recipe:
        """Describe how a combination was made."""
        method, tuning = Method.parse(name), self.tuning
        needs = method.needs(self.vote_target)
        return Recipe(
            method=name,
            vote=method.vote(self.vote_target),
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


# Comparison of two corpora of the same documents.


def first_difference(mine: Corpus, other: Corpus) -> str | None:
    """Describe the first difference of two aligned corpora; None if their annotations are the same."""
    aligned = align_responses(mine, [other])
    if mine.spans is not None:
        return _compare_spans(aligned)
    if not aligned.maps[0].identity and aligned.maps[0].surplus is not None:
        return "the tokenisation would change"
    return _compare_values(aligned) or _compare_heads(aligned)


def _compare_values(aligned: Aligned) -> str | None:
    """Compare the values of rows."""
    nothing = TextColumn(np.zeros(0, np.uint8), (ABSENT,))
    columns = [corpus.columns["value"] for corpus in (aligned.key, *aligned.responses)]
    names, codes = recode_canonically([*columns, nothing])
    found = values_on_key(codes[1], aligned.maps[0], names.index(ABSENT))
    wrong = np.flatnonzero(codes[0] != found)
    if not len(wrong):
        return None
    row = int(wrong[0])
    other = "nothing" if names[int(found[row])] == ABSENT else repr(names[int(found[row])])
    return f"the value {names[int(codes[0][row])]!r} of row {row + 1:,} would be {other}"


def _compare_heads(aligned: Aligned) -> str | None:
    """Compare the heads of words; their rows are the same."""
    mine, (other,) = aligned.key.arcs, aligned.responses
    if mine is None:
        return None
    if other.arcs is None or not aligned.maps[0].identity or not np.array_equal(mine.head, other.arcs.head):
        return "heads would change"
    return None


def _compare_spans(aligned: Aligned) -> str | None:
    """Compare spans by their positions in the key."""
    placement = place_spans(aligned)
    mine, theirs = _span_tuples(placement.sides)
    lost, more = sorted(mine - theirs), sorted(theirs - mine)
    if not lost and not more:
        return None
    document, begin, end, label, *_ = (lost or more)[0]
    name = aligned.key.documents.names[document]
    what = f"the span {begin}:{end} ({label}) of document {name!r}"
    return f"{what} would {'be lost or changed' if lost else 'be added'}"


def _span_tuples(sides: Sequence[PlacedSpans]) -> list[set[tuple[int, int, int, str, int, str]]]:
    """Convert the spans of each side to tuples of plain values."""
    cuts = number_fragmentations(side.fragments for side in sides)
    linked = "id" in sides[0].columns
    found = []
    for side in sides:
        pieces = fragmentation_codes(len(side), side.fragments, cuts)
        columns: list[Rows] = [side.document, side.begin, side.end]
        labels, ids = side.label.values(), _first_ids(side) if linked else [""] * len(side)
        plain = zip(*(column.tolist() for column in columns), labels, pieces.tolist(), ids, strict=True)
        found.append({(a, b, c, str(label), cut, id_) for a, b, c, label, cut, id_ in plain})
    return found


def _first_ids(side: PlacedSpans) -> list[str]:
    """Return the first id of each span; a missing id equals NIL, as in the evaluation."""
    column = side.columns.get("id")
    if not isinstance(column, TextColumn):
        return [""] * len(side)
    return ["" if text is None or split_ids(text)[0] == NIL else split_ids(text)[0] for text in column.values()]


# Writing combinations to files, which are verified by reading them before they get their names.


def write_corpus(corpus: Corpus, target: str | PathLike[str], setup: Setup) -> tuple[Note, ...]:
    """Write a combination to a file, or to a folder if the format has a file for each document.

    The format is that of the key, unless another one is given after `::`. The written file is read and compared with
    the combination before it gets its name, so that it scores as reported. Returns notes on what is lost.

    Spans are written by the writer of the format, with chunk tags as BIO in the second column; if a column or options
    of the format are given, the file is laid out like that of the key instead, so that the same options apply to it.

    Args:
        corpus: the combination.
        target: the target, `path::format?option=value`.
        setup: the settings for reading the inputs of the combination.

    """
    place = Input.parse(fspath(target))
    if place.path == STDIN:
        raise UsageError("a combination must be written to a file, because it is read back as a check", hint="name one")
    path = Path(os.path.realpath(place.path))
    if path.is_dir():
        raise WriteError("a folder with this name exists", where=place.path)
    draft = _build_draft(corpus, place, setup)
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
    """A combination to be written.

    Args:
        files: the texts of the files by name; the name of a single file is "".
        losses: notes on what is lost.
        again: the input notation for reading it, without the path.
        setup: the settings for reading it.
        many: whether the files belong to a folder.

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
        """Refuse a file that would not be the same combination when read."""
        given, setup = replace(self.again, path=str(path)), replace(self.setup, progress=None)
        try:
            found = first_difference(corpus, read_key(given, setup))
        except (InputError, UsageError) as problem:
            what = f"the written file cannot be read back: {problem.what}"
            raise WriteError(what, details=problem.details) from None
        if found is not None:
            raise WriteError(
                f"the format {given.format!r} cannot hold this combination: {found} when read back",
                hint="try another format, such as FILE::jsonl",
            )


def _build_draft(corpus: Corpus, place: Input, setup: Setup) -> _Draft:
    """Build the files of a combination."""
    name = place.format or corpus.format
    own = name == corpus.format
    if corpus.spans is None:
        if not own:
            what = f"tags, trees and rows are written in the format of the key, which is {corpus.format!r}"
            raise UsageError(what, hint=f"omit ::{name} out")
        return _build_row_draft(corpus, setup)
    if own and name in WRITE and (setup.column or corpus.options):
        return _build_row_draft(_spans_to_tags(corpus, setup), setup)
    if name not in find_writers():
        raise _unknown_format_error(name, find_writers())
    writer = find_writer(name)
    with _explain_overlaps(corpus):
        written = convert_corpus(corpus, writer, place.options)
    losses = tuple(note for note in written.losses if not own or ONE_SPACE not in note.what)
    return _Draft(files=written.files, losses=losses, again=Input(path="", format=name), setup=setup, many=writer.many)


def _build_row_draft(corpus: Corpus, setup: Setup) -> _Draft:
    """Build a file with the layout of the key, so that the reading options of the key apply to it as well."""
    if corpus.format not in WRITE:
        raise _unknown_format_error(corpus.format, WRITE)
    written = written_rows(corpus, column=setup.column or find_task(setup.task)[1])
    return _Draft(
        files=written.files,
        losses=written.losses,
        again=Input(path="", format=corpus.format, options=corpus.options),
        setup=setup,
    )


def _spans_to_tags(corpus: Corpus, setup: Setup) -> Corpus:
    """Convert the spans of a corpus to chunk tags in the evaluated column."""
    asked = corpus.options.get("scheme", setup.scheme or "").lower()
    scheme: ChunkScheme = "bioes" if ALSO.get(asked, asked) == "bioes" else "bio"
    with _explain_overlaps(corpus):
        tags = [tag for each in list_passages(corpus, Losses()) for tag in chunk_tags(each, scheme=scheme)]
    inside = np.array([tag.startswith(("I-", "E-")) for tag in (*tags, "O")], np.bool_)
    return replace(_join_cut_sentences(corpus, inside), spans=None, columns={"value": TextColumn.of(tags)})


def _join_cut_sentences(corpus: Corpus, inside: Truths) -> Corpus:
    """Join sentences if a span crosses their boundary: readers of tags end spans at boundaries."""
    if not inside[corpus.sentences].any():
        return corpus
    sentences = corpus.sentences[~inside[corpus.sentences]]
    documents = replace(corpus.documents, offsets=np.searchsorted(sentences, corpus.row_documents))
    return replace(corpus, sentences=sentences, documents=documents)


@contextmanager
def _explain_overlaps(corpus: Corpus) -> Iterator[None]:
    """Add a hint to errors of formats that cannot hold overlapping spans."""
    try:
        yield
    except WriteError as problem:
        if corpus.spans is None or not _has_overlaps(corpus.spans):
            raise
        hint = f"{problem.hint or ''}\n  use --overlap best to keep only the strongest of combined spans that overlap"
        raise WriteError(problem.what, where=problem.where, details=problem.details, hint=hint.strip()) from None


def _has_overlaps(spans: Spans) -> bool:
    placed = PlacedSpans(
        document=spans.document,
        begin=spans.begin,
        end=spans.end,
        label=spans.label,
        given=np.arange(len(spans)),
        fragments=spans.fragments,
    )
    return len(select_strongest(placed, np.zeros(len(spans), np.int64))) < len(spans)


def _unknown_format_error(name: str, known: Mapping[str, object]) -> UsageError:
    what = f"cannot write a combination as {name!r}"
    return UsageError(what, hint=f"give the format: FILE::FORMAT ({', '.join(sorted(known))})")


# Combinations by several methods, scored with the best single system and the upper bound.


FOLDS = 5


@dataclass(frozen=True, eq=False)
class Combined:
    """Combinations of systems, with their scores.

    Args:
        finding: the scores of the combinations, the best single system and the upper bound.
        result: the systems and the combinations, evaluated together: each combination is a system with the name of its
            method, so that every other finding applies to it.
        corpora: the annotations of each combination, on the documents and words of the key.
        setup: the settings for reading inputs, used to verify written files.

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
        """Return the annotations of a combination."""
        if method not in self.corpora:
            hint = f"combinations: {', '.join(self.corpora)}"
            raise UsageError(f"unknown combination {method!r}{suggest_nearest(method, self.corpora)}", hint=hint)
        return self.corpora[method]

    def write(self, method: str, path: str | PathLike[str]) -> tuple[Note, ...]:
        """Write a combination to a file in the format of the key, or in another one given after `::`.

        The file is read before it gets its name; if it is not the same combination, it is refused with the reason.
        Returns notes on other content of the key's documents that the format cannot hold.
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
    """Combine systems by voting and score the combinations; every run of a system votes.

    Args:
        key: as for `comparanda.compare`. A vote uses its words, never its annotations.
        systems: the outputs by name, each like the key.
        task: as for `comparanda.compare`.
        methods: `union`, `intersection`, `at-least-K`, `majority`, `weighted`, `per-label`; for spans also `tag-vote`;
            for trees `tree-vote` and `weighted-tree-vote`. By default all that apply.
        dev: development data for learning weights and choices: another key, and the outputs of the systems for it.
        folds: without `dev`, the number of folds of documents: weights and choices for each are learnt from the others.
        same_data: learn weights and choices from the data that is scored; the scores are then optimistic.
        overlap: whether overlapping combined spans are all kept ("keep"), or those with most votes ("best").
        view: the view, if the task has several.
        resamples: the number of resamples for intervals and tests; 0 for none.
        seed: the seed of all draws, and of the folds.
        zero_division: the value of undefined ratios; None to report them as undefined.
        settings: all others as for `comparanda.compare`, except `where`.

    >>> key = ["B-PER", "O", "B-LOC", "O"]
    >>> outputs = {"a": ["B-PER", "O", "O", "O"], "b": ["B-PER", "O", "B-LOC", "O"], "c": ["O", "O", "B-LOC", "B-LOC"]}
    >>> found = combine([key], {name: [tags] for name, tags in outputs.items()}, task="span", resamples=0)
    >>> [(each.method, each.value) for each in found.finding.methods][:3]
    [('union', 0.8), ('majority', 1.0), ('intersection', 0.0)]

    """
    setup = _build_setup(task, settings)
    _check_options(dev, folds, same_data=same_data, overlap=overlap)
    prepared = prepare_systems(key, systems, setup)
    find_vote_target(prepared)  # refuse what cannot be combined before evaluating it
    verdicts = evaluate_prepared(prepared, setup)
    gold, elsewhere = prepared.aligned.key, None if dev is None else _evaluate_dev(*dev, verdicts, setup)
    if elsewhere is not None:
        tuning = tuned_on_dev(elsewhere, view, gold)
    elif same_data:
        tuning = tuned_on_same(verdicts, view, gold)
    else:
        tuning = tuned_on_folds(verdicts, view=view, key=gold, folds=folds, seed=seed)
    voting = Voting.of(prepared, tuning, overlap)
    corpora, skipped = voting.corpora([methods] if isinstance(methods, str) else methods)
    if clash := sorted(set(corpora) & set(systems)):
        raise UsageError(f"a system cannot be named {clash[0]!r}: this is a combination method", hint="rename it")
    both = evaluate_prepared(
        _append_combinations(prepared, corpora), replace(setup, strict=False)
    )  # notes on the inputs were checked already
    notes = (*_input_notes(both, corpora), *_dev_notes(elsewhere))
    both = replace(both, settings={**both.settings, **voting.signature_settings()}, notes=notes)
    result = Result(both, resamples, seed, zero_division)
    context = Context(verdicts=both, view=both.view(view), resamples=resamples, seed=seed, zero_division=zero_division)
    alone = Context(verdicts=verdicts, view=verdicts.view(view), resamples=0, seed=seed, zero_division=zero_division)
    recipes = [voting.recipe(name, corpus) for name, corpus in corpora.items()]
    return Combined(score_ensembles(context, recipes, compute_upper_bounds(alone), skipped), result, corpora, setup)


def _build_setup(task: str, settings: Mapping[str, Any]) -> Setup:
    known = {field.name for field in fields(Setup)}
    for name in settings:
        if name not in known:
            raise UsageError(f"unknown setting {name!r}{suggest_nearest(name, known)}", hint=", ".join(sorted(known)))
    return Setup(task=task, **{name: value for name, value in settings.items() if value is not None})


def _check_options(dev: object, folds: int, *, same_data: bool, overlap: str) -> None:
    if dev is not None and same_data:
        raise UsageError("dev data and same data cannot be combined: weights are tuned on one of them")
    if folds < FEWEST_FOLDS:
        raise UsageError(f"folds={folds}: expected at least {FEWEST_FOLDS}")
    if overlap not in OVERLAPS:
        raise UsageError(
            f"unknown overlap={overlap!r}{suggest_nearest(overlap, OVERLAPS)}", hint=f"one of: {', '.join(OVERLAPS)}"
        )


def _evaluate_dev(key: Any, systems: Mapping[str, Any], verdicts: Verdicts, setup: Setup) -> Verdicts:
    """Evaluate the development data, with the systems in the same order."""
    names = [system.name for system in verdicts.systems]
    if lacking := [name for name in names if name not in systems]:
        raise UsageError(f"no dev output of {', '.join(lacking)}", hint="give one for every system")
    if surplus := sorted(set(systems) - set(names)):
        raise UsageError(
            f"the dev output {surplus[0]!r} does not belong to a system{suggest_nearest(surplus[0], names)}"
        )
    found = evaluate_prepared(prepare_systems(key, {name: systems[name] for name in names}, setup), setup)
    for mine, theirs in zip(verdicts.systems, found.systems, strict=True):
        if len(mine.runs) != len(theirs.runs):
            counts = f"{len(mine.runs)} runs here and {len(theirs.runs)} on the dev data"
            raise UsageError(f"{mine.name!r} has {counts}", hint="give a dev output for each run")
    return found


def _append_combinations(prepared: Prepared, corpora: Mapping[str, Corpus]) -> Prepared:
    """Append the combinations to the systems; their rows are those of the key."""
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


def _input_notes(verdicts: Verdicts, corpora: Mapping[str, Corpus]) -> list[Note]:
    """Return the notes on the inputs, without those on labels that a combination does not use."""
    return [note for note in verdicts.notes if note.side not in corpora]


def _dev_notes(verdicts: Verdicts | None) -> list[Note]:
    return [] if verdicts is None else [replace(note, side=f"dev {note.side}") for note in verdicts.notes]

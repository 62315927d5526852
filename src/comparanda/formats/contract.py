"""The declaration of a format, and the request of a task for one file."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from comparanda.core.limits import USUAL, Limits, limit_hint
from comparanda.errors import ReadError, UsageError, suggest_nearest
from comparanda.formats.scanner import MAX_LINE

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.core.places import Source
    from comparanda.core.remote import AnyPath
    from comparanda.formats.cuts import Marks, Sentences


Choice = TypeVar("Choice", bound=str)

Shape = Literal["tokens", "rows"]
Layer = Literal["values", "arcs", "spans", "chains", "beliefs"]
"""What a task evaluates: one value per row, trees, labelled spans, chains of mentions, or spans with probabilities."""

CHUNK_OPTIONS: Mapping[str, str] = {
    "scheme": "spans: the scheme of chunk tags: auto, bio, iob1, ioe2, bioes, io (also iob2, bilou, bmes …)",
    "repair": "spans: what to do about tags that violate the scheme: conlleval, discard, refuse",
}
"""The options of all formats with chunk tags, for reading spans from these."""

BELIEF_OPTIONS: Mapping[str, str] = {
    "scale": "probabilities: how they are written: prob, percent, logprob; words: every further option is then a word "
    "with its probability, such as high=0.9",
    "overlap": "probabilities: how overlapping spans are treated: exclusive, condition, independent, scale; blocks "
    "declare it themselves (declared)",
    "semantics": "probabilities: whether labels of one span exclude each other: exclusive, independent",
    "residual": "probabilities: the probability mass not assigned to a span's labels: drop, other, renormalise",
    "aggregate": "probabilities: how those of tokens are combined for a span: product, min, mean, geometric",
    "floor": "probabilities: spans built from tokens with lower probabilities are left out (default: 0.01)",
    "score": "probabilities: the field that holds them; none: spans are certain",
}
"""The options of all formats with spans, if these are to have probabilities."""

KEY = "key"
"""The name of the key among the inputs."""

SCORES = ("p", "probability", "prob", "score", "confidence")
"""The usual names of fields that hold the probability of a span."""

NO_SCORE_HINT = "give every probability a value, or use ?score=none if spans are certain"

CERTAIN = "none"
"""The value of the option `score` for outputs whose spans are certain, even if they have scores."""


WORDS = "words"
"""The value of the option `scale` for scores that are words; all further options are then words with probabilities."""


def declared_words(options: Mapping[str, str], known: Container[str]) -> dict[str, float]:
    """Return the probabilities that options declare for words; none unless scores are words.

    Args:
        options: the options of an input.
        known: the options of the format; all others are words, but for those of probabilities and chunk tags.

    >>> declared_words({"scale": "words", "high": "0.9", "score": "sure"}, ())
    {'high': 0.9}

    """
    if options.get("scale") != WORDS:
        return {}
    found = {}
    for word, value in options.items():
        if word in known or word in BELIEF_OPTIONS or word in CHUNK_OPTIONS:
            continue
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not 0 <= number <= 1:
            what = f"{word}={value!r}: expected the probability of the word {word!r}, a number from 0 to 1"
            raise UsageError(what, hint=_WORDS_HINT)
        found[word.lower()] = number
    if not found:
        raise UsageError("scale=words, but no word is declared", hint=_WORDS_HINT)
    return found


def describe_words(words: Mapping[str, float]) -> str:
    """Describe what words mean, for the policies of a result.

    >>> describe_words({"high": 0.9, "low": 0.3})
    'high=0.9, low=0.3'
    """
    return ", ".join(f"{word}={value:g}" for word, value in words.items())


_WORDS_HINT = "declare each word with its probability: ?scale=words&high=0.9&low=0.3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a task wants from a file.

    Args:
        side: the name the user gave it, for notes and errors.
        value: the column to be evaluated; None for the format's default.
        extra: further columns, for slices and conditions; missing columns are left out.
        options: the format's own options, as written after `?` in a path.
        max_line: the longest accepted line, in bytes.
        layer: what is to be evaluated; the format must support it.
        folder: the given folder, if it was one: documents without names are named by their path relative to it.
        limits: the other size limits.
        shape: whether running tokens or independent rows are wanted; None if the file decides.
        classes: rows: the names of classes that the input gives by number or by columns of 0 and 1.
        scores: the fields of spans whose values are to be read as probabilities; empty if spans are certain.

    """

    side: str = "input"
    value: str | None = None
    extra: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    max_line: int = MAX_LINE
    layer: Layer = "values"
    folder: str | None = None
    limits: Limits = USUAL
    shape: Shape | None = None
    classes: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()

    def for_spans(self) -> Request:
        """Return the request for spans to which probabilities are added; those of a key are certain."""
        asked = self.options.get("score")
        scores = () if self.side == KEY or asked == CERTAIN else SCORES if asked is None else (asked,)
        return replace(self, layer="spans", scores=scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A file format: how to recognise it and how to read it.

    Args:
        name: as it is written after `::` in a path.
        summary: one line for `comparanda formats`.
        shapes: whether it holds running tokens or independent rows.
        suffixes: the suffixes by which files of a folder are selected.
        options: its options, each with one line of explanation.
        sniff: given the first lines of a file, whether it can be this format.
        read: from bytes to columns.
        layers: what it can hold.
        companions: suffixes of companion files that are next to one of this format; the suffix of the main file then
            identifies the format.
        apart: names of files among those of this format that are not documents, such as a type system.
        general: whether other formats can look like it; these take precedence if a file fits both.
        binary: those of its suffixes whose files are not text: they are read unchanged, and the suffix identifies the
            format.
        marks: finds where documents begin in a large file; None if files are always read as a whole.
        sentences: finds where sentences begin in a file without documents; None if it cannot be split.
        opens: whether its reader opens files itself, all of them binary, and reads only what it needs.
        rows: for stretches that count rows, not bytes: the number of rows of a file, and the approximate bytes of one.
        runs: lists the runs in one file, given the value of the option `run`; None if a file has only one.

    """

    name: str
    summary: str
    shapes: frozenset[Shape]
    suffixes: tuple[str, ...]
    options: Mapping[str, str]
    sniff: Callable[[list[str]], bool]
    read: Callable[[Source, Request], Corpus]
    layers: frozenset[Layer] = frozenset({"values"})
    companions: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    general: bool = False
    binary: tuple[str, ...] = ()
    marks: Marks | None = None
    sentences: Sentences | None = None
    opens: bool = False
    rows: Callable[[AnyPath], tuple[int, int]] | None = None
    runs: Callable[[Source, str], list[str]] | None = None

    def carries(self, layer: Layer) -> bool:
        """Whether files can hold a layer; spans of every kind may have probabilities."""
        return layer in self.layers or (layer == "beliefs" and "spans" in self.layers)

    def check_options(self, options: Mapping[str, str], layer: Layer = "spans") -> None:
        """Refuse an option that this format does not have, or that does not apply to the layer."""
        for option in options:
            if layer == "beliefs" and option in BELIEF_OPTIONS:
                continue
            if layer not in {"spans", "beliefs"} and option in CHUNK_OPTIONS and option in self.options:
                raise UsageError(
                    f"the option {option!r} applies to spans in chunk tags, but this task does not evaluate spans",
                    hint="remove it, or choose a task that evaluates spans",
                )
            if option not in self.options:
                raise UsageError(
                    f"format {self.name!r} has no option {option!r}{suggest_nearest(option, self.options)}",
                    hint=f"its options: {', '.join(self.options) or 'none'}",
                )


def choose_option(options: Mapping[str, str], name: str, allowed: tuple[Choice, ...]) -> Choice:
    """Return an option's value, the first allowed one by default; refuse any other."""
    value = options.get(name, allowed[0])
    for each in allowed:
        if each == value:
            return each
    raise UsageError(f"invalid {name}={value!r}{suggest_nearest(value, allowed)}", hint=f"one of: {', '.join(allowed)}")


# Limits on the size of documents and the number of labels.


def check_sizes(corpus: Corpus, limits: Limits) -> None:
    """Refuse a corpus with a document that is too large, or with too many different labels.

    A corpus without document marks does not count as a document, and may be of any size.
    """
    if corpus.documents.marked:
        _check_documents(corpus, limits.document)
    labels = corpus.columns.get("value") if corpus.spans is None else corpus.spans.label
    count = 0 if labels is None else len(labels.names)
    if count > limits.labels:
        what = f"there are {count:,} different labels, more than {limits.labels:,}"
        hint = f"is it the column of labels? {limit_hint('labels')}"
        raise ReadError(what, where=corpus.source.parts[0].name, hint=hint)


def _check_documents(corpus: Corpus, most: int) -> None:
    """Refuse the first document that is too large, in rows, tokens or characters of its text."""
    sizes = np.diff(corpus.row_documents)
    unit = "rows" if corpus.by_id else "tokens"
    if corpus.raw is not None:
        sizes, unit = np.array([len(text) for text in corpus.raw.documents], np.int64), "characters"
    large = np.flatnonzero(sizes > most)
    if large.size:
        first = int(large[0])
        what = f"the document {corpus.documents.names[first]!r} has {sizes[first]:,} {unit}, more than {most:,}"
        hint = f"is a mark between documents missing? {limit_hint('document')}"
        raise ReadError(what, where=corpus.source.parts[0].name, hint=hint)

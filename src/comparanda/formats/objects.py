"""Python objects instead of files: lists, dictionaries, data frames, datasets.

No library is imported for them: objects are recognised by their attributes. A frame has `columns`, a
dataset has `column_names`, and both return a column by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.places import Source
from comparanda.errors import ReadError, UsageError
from comparanda.formats.chunks import with_spans
from comparanda.formats.contract import Layer, Request, Shape, check_sizes, declared_words
from comparanda.formats.delimited import LABEL_NAMES, normalise_name
from comparanda.formats.field_values import is_collection, list_values, unwrap
from comparanda.formats.plain_tables import (
    ABSENT,
    CHUNK_NAMES,
    TAG_NAMES,
    Table,
    spans_in_tags,
    table_rows,
    table_tokens,
)

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus

_ACCEPTED: dict[Shape, tuple[str, ...]] = {
    "rows": (
        "accepted are: a path; a list of labels, or of lists of labels; a list of (id, label) pairs;",
        "a dictionary from ids to labels; a list of dictionaries, a dictionary of columns, a data frame",
        "or a dataset with the columns 'id' and 'label'",
    ),
    "tokens": (
        "accepted are: a path; a list of tags, or of sentences, each a list of tags; (word, tag) pairs in place",
        "of tags; a list of dictionaries, a dictionary of columns, a data frame or a dataset with the columns",
        "'tokens' and 'tags'",
    ),
}
_ACCEPTED_CHAINS = (
    "accepted are: a path; a list of dictionaries with 'id', 'text' and 'spans', each of which has 'begin', 'end'",
    "and 'chain'; a list of dictionaries with 'doc_key', 'sentences' and 'clusters'; a dictionary from names of",
    "documents to lists of chains, each a list of mentions: (first word, word after the last)",
)
_ACCEPTED_SPANS = (
    "accepted are: a path; a list of dictionaries with 'id', 'text' and 'spans', each of which has 'begin', 'end'",
    "and 'label'; a dictionary from names of documents to lists of spans; and chunk tags, as tokens are given",
)
_MAX_INSPECTED = 100


def read_object(given: Any, request: Request, shape: Shape) -> Corpus:
    """Read Python data; row 12 of a system called crf is reported as `<crf>:12`.

    Args:
        given: the data.
        request: what a task wants from it.
        shape: whether to read it as running tokens or as independent rows.

    >>> corpus = read_object({"d1": "news", "d2": "blog"}, Request(side="key"), "rows")
    >>> corpus.words[1], corpus.columns["value"][1], str(corpus.location(1))
    ('d2', 'blog', '<key>:2')

    """
    corpus = _read_corpus(given, request, shape)
    check_sizes(corpus, request.limits)
    return corpus


def check_options(options: Mapping[str, str], layer: Layer) -> None:
    """Refuse options that data in Python do not have; they have those of JSON lines, and `sentence`."""
    from comparanda.formats.jsonl import FORMAT

    known = {**FORMAT.options, "sentence": "the column of sentences"}
    replace(FORMAT, name="python", options=known).check_options(options, layer)


def _read_corpus(given: Any, request: Request, shape: Shape) -> Corpus:
    if request.layer == "arcs":
        what = f"{request.side!r} is of type {type(given).__name__}; trees are read from files"
        raise UsageError(what, hint="give the path of a file in CoNLL-U or CoNLL-X")
    if request.layer == "chains":
        return _read_chains(given, request)
    if request.layer == "spans":
        return _read_spans(given, request)
    if request.layer == "beliefs":
        return _read_beliefs(given, request)
    table = _make_table(given, request, shape)
    return table_rows(table, request) if shape == "rows" else table_tokens(table, request)


def _read_beliefs(given: Any, request: Request) -> Corpus:
    """Read records of probabilistic entities, or spans of any kind, which are certain if they have no scores."""
    from comparanda.formats.probabilistic import is_probable, read_documents
    from comparanda.formats.scored_spans import with_beliefs

    if isinstance(given, Iterator):
        given = list(given)
    if isinstance(given, list | tuple) and given and is_probable(given):
        places = range(len(given))
        records = [unwrap(each) for each in given]
        return replace(read_documents(records, places, _make_source(len(given), request), request), format="python")
    asked = request.for_spans()
    corpus = _read_spans(given, asked)
    words = declared_words(request.options, ())
    return with_beliefs(corpus, request.options, words) if asked.scores else corpus


def _read_spans(given: Any, request: Request) -> Corpus:
    """Read spaCy documents, documents with spans or, if there are none, chunk tags."""
    from comparanda.formats.records import SPANS_NAMES, read_records
    from comparanda.formats.spacy import is_doc, read_docs

    if isinstance(given, Iterator):
        given = list(given)
    docs = [given] if is_doc(given) else given
    if isinstance(docs, list | tuple) and docs and all(map(is_doc, docs)):
        return read_docs(list(docs), request)
    records = _find_documents(given, request)
    if records is None:
        table = _make_table(given, request, "tokens")
        if "spans" not in request.options and not {*table.names} & {*SPANS_NAMES}:
            return with_spans(table_tokens(table, request), request)
        columns = table.fetch(table.names)
        records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    source = Source.of_text(f"<{request.side}>", b"\n" * len(records))
    return read_records(lambda: records, np.arange(len(records)), source, request, name="python")


def _read_chains(given: Any, request: Request) -> Corpus:
    """Read documents with spans that name their chain, documents with lists of chains, or such lists by name."""
    from comparanda.formats.clusters import CLUSTERS
    from comparanda.formats.clusters import read_documents as read_clusters
    from comparanda.formats.records import read_records

    if isinstance(given, Iterator):
        given = list(given)
    if isinstance(given, Mapping) and given and all(map(_is_chains, given.values())):
        request = replace(request, options={**request.options, "end": "exclusive"})
        documents = [{"id": str(name), CLUSTERS[0]: _to_plain(chains)} for name, chains in given.items()]
    elif isinstance(given, list | tuple) and given and all(isinstance(each, Mapping) for each in given):
        documents = [{str(name): _to_plain(value) for name, value in each.items()} for each in given]
    else:
        documents = []
    if documents and not {*CLUSTERS}.isdisjoint(documents[0]):
        return read_clusters(
            documents,
            places=range(len(documents)),
            source=_make_source(len(documents), request),
            request=request,
            name="python",
        )
    records = _find_documents(given, request)
    if records is None:
        raise _type_error(given, request, "tokens")
    places = np.arange(len(records))
    return read_records(lambda: records, places, _make_source(len(records), request), request, name="python")


def _make_source(count: int, request: Request) -> Source:
    """Make a source with one empty line per item, for line numbers."""
    return Source.of_text(f"<{request.side}>", b"\n" * count)


def _is_chains(given: Any) -> bool:
    """Whether a value is a list of chains, each a list of mentions, each a pair."""
    return is_collection(given) and all(is_collection(chain) and all(map(is_collection, chain)) for chain in given)


def _to_plain(value: Any, depth: int = 5) -> Any:
    """Convert lists and whole numbers of any kind to those of Python, down to some depth."""
    if is_collection(value) and depth:
        return [_to_plain(each, depth - 1) for each in list_values(value)]
    if isinstance(value, bool):
        return value
    return int(value) if isinstance(value, Integral) else value


def _find_documents(given: Any, request: Request) -> list[Mapping[str, Any]] | None:
    """Return documents with spans, given as a list, as a single one, or as lists of spans by name; None for others."""
    from comparanda.formats.records import holds_spans

    if isinstance(given, Mapping):
        if isinstance(given.get("text"), str):
            return [given]
        by_name = all(
            is_collection(spans) and all(isinstance(each, Mapping) for each in spans) for spans in given.values()
        )
        return [{"id": name, "spans": spans} for name, spans in given.items()] if given and by_name else None
    if not isinstance(given, list | tuple) or not given or not all(isinstance(item, Mapping) for item in given):
        return None
    spans = "spans" in request.options or any(map(holds_spans, given[:_MAX_INSPECTED]))
    return list(given) if spans and not spans_in_tags(given[0], request, f"<{request.side}>:1") else None


def _make_table(given: Any, request: Request, shape: Shape) -> Table:
    if isinstance(given, str | bytes | bytearray | Set):
        raise _type_error(given, request, shape)
    if hasattr(given, "read"):
        raise _type_error(given, request, shape, "give the path of the file, not an open file")
    if hasattr(given, "toarray"):  # a sparse matrix
        given = given.toarray()
    if hasattr(given, "column_names"):
        return _read_dataset(given, request)
    if hasattr(given, "collect") and hasattr(given, "lazy"):
        raise _type_error(given, request, shape, "call .collect() on a lazy frame first")
    if hasattr(given, "columns") and hasattr(given, "__getitem__"):
        return _make_columns_table(
            [str(name) for name in given.columns], lambda name: list_values(given[name]), request
        )
    if isinstance(given, Mapping):
        return _read_mapping(given, request, shape)
    if not isinstance(given, Iterable):
        raise _type_error(given, request, shape)
    items = list_values(given)
    if items and all(isinstance(item, Mapping) for item in items):
        return _read_record_list(items, request)
    return _read_labels(items, request, shape) if shape == "rows" else _read_tags(items, request, shape)


def _type_error(given: Any, request: Request, shape: Shape, hint: str | None = None) -> UsageError:
    what = f"{request.side!r} is of type {type(given).__name__}, which cannot be read as {shape}"
    accepted = {"spans": _ACCEPTED_SPANS, "chains": _ACCEPTED_CHAINS}.get(request.layer, _ACCEPTED[shape])
    return UsageError(what, details=accepted, hint=hint)


def _read_dataset(given: Any, request: Request) -> Table:
    """Read a dataset like those of Hugging Face, or an Arrow table; class labels become their names."""
    names = given.column_names
    if names is None or not hasattr(given, "__getitem__"):
        what = f"{request.side!r} is a stream ({type(given).__name__}), whose columns cannot be read at once"
        raise UsageError(what, hint="load it as a whole, or give list(data)")
    if isinstance(names, Mapping):
        what = f"{request.side!r} is a dictionary of datasets: {', '.join(map(str, names))}"
        raise UsageError(what, hint=f"choose one: data[{next(iter(names), 'test')!r}]")
    features = getattr(given, "features", None)

    def classes(name: str) -> Sequence[str]:
        feature = features.get(name) if isinstance(features, Mapping) else None
        while feature is not None and not hasattr(feature, "names"):
            feature = getattr(feature, "feature", None)
        return list(getattr(feature, "names", None) or ())

    return _make_columns_table([str(name) for name in names], lambda name: list_values(given[name]), request, classes)


def _read_mapping(given: Mapping[Any, Any], request: Request, shape: Shape) -> Table:
    """Read a dictionary: columns by name, if a name is well known or requested, else labels by id."""
    from comparanda.formats.records import SPANS_NAMES

    tags = CHUNK_NAMES if request.layer == "spans" else TAG_NAMES
    known = {name for tier in (tags if shape == "tokens" else LABEL_NAMES) for name in tier}
    if request.layer == "spans":
        known |= {*SPANS_NAMES, request.options.get("spans", "")}
    known |= {normalise_name(name) for name in request.classes}
    known |= {normalise_name(name) for name in (request.value, request.options.get("label")) if name}
    columns = all(isinstance(name, str) and is_collection(values) for name, values in given.items())
    if (
        columns
        and any(normalise_name(name) in known for name in given)
        and len({len(values) for values in given.values()}) == 1
    ):
        return _make_columns_table(list(given), lambda name: list_values(given[name]), request)
    if shape == "tokens":
        raise _type_error(given, request, shape)
    values = {"id": list(given), request.value or "label": list(given.values())}
    return _make_columns_table(list(values), values.__getitem__, request)


def _read_record_list(items: list[Mapping[str, Any]], request: Request) -> Table:
    names = [str(name) for name in items[0]]
    return _make_columns_table(names, lambda name: [item.get(name, ABSENT) for item in items], request)


def _read_labels(items: list[Any], request: Request, shape: Shape) -> Table:
    """Read a list of labels, of lists of labels, or of (id, label) pairs."""
    name = request.value or "label"
    if items and all(isinstance(item, tuple) for item in items):
        pairs = _check_pairs(items, request, shape, "(id, label)")
        values = {"id": [pair[0] for pair in pairs], name: [pair[1] for pair in pairs]}
    else:
        values = {"id": [str(number) for number in range(1, len(items) + 1)], name: items}
    return _make_columns_table(list(values), values.__getitem__, request)


def _read_tags(items: list[Any], request: Request, shape: Shape) -> Table:
    """Read tags or (word, tag) pairs, of one sentence or with a list for each sentence."""
    name = request.value or "tags"
    if items and all(isinstance(item, tuple) for item in items):
        pairs = _check_pairs(items, request, shape, "(word, tag)")
        values = {"tokens": [pair[0] for pair in pairs], name: [pair[1] for pair in pairs]}
        return _make_one_sentence(values, len(items), request)
    sentences = [list_values(item) if is_collection(item) else item for item in items]
    inner = [item for sentence in sentences if isinstance(sentence, list) for item in sentence]
    if inner and all(isinstance(item, tuple) for item in inner):
        _check_pairs(inner, request, shape, "(word, tag)")
        values = {"tokens": [[pair[0] for pair in each] for each in sentences]}
        values[name] = [[pair[1] for pair in each] for each in sentences]
        return _make_columns_table(list(values), values.__getitem__, request)
    if items and not is_collection(items[0]):
        return _make_one_sentence({name: items}, len(items), request)
    return _make_columns_table([name], lambda _: sentences, request)


def _make_one_sentence(values: dict[str, list[Any]], size: int, request: Request) -> Table:
    values["sentence"] = ["1"] * size
    return _make_columns_table(list(values), values.__getitem__, request)


def _check_pairs(items: list[Any], request: Request, shape: Shape, kind: str) -> list[tuple[Any, Any]]:
    for item in items:
        if len(item) != 2:
            what = f"{request.side!r} holds a tuple of {len(item)}; tuples are read as {kind} pairs"
            raise UsageError(what, details=_ACCEPTED[shape], hint="use lists for anything else")
    return items


def _make_columns_table(
    names: list[str],
    column: Callable[[str], list[Any]],
    request: Request,
    classes: Callable[[str], Sequence[str]] = lambda _: (),
) -> Table:
    """Make a table of columns; its source has one empty line per row, for line numbers."""
    side = f"<{request.side}>"
    for name in names:
        if names.count(name) > 1:
            raise ReadError(f"{names.count(name)} columns are named {name!r}", where=side, hint="rename one")
    size = len(column(names[0])) if names else 0
    if not size:
        raise ReadError("there are no rows", where=side)

    def fetch(wanted: Sequence[str]) -> dict[str, list[Any]]:
        found = {name: column(name) for name in wanted}
        for name, values in found.items():
            if len(values) != size:
                what = f"the column {name!r} has {len(values):,} rows, but {names[0]!r} has {size:,}"
                raise ReadError(what, where=side)
        return found

    source = Source.of_text(side, b"\n" * size)
    return Table(
        format="python",
        source=source,
        offset=np.arange(size, dtype=np.int64),
        names=tuple(names),
        fetch=fetch,
        classes=classes,
    )

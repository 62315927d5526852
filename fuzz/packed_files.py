"""Files that are packed: `.spacy` files, which are msgpack behind zlib, and texts behind gzip."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any

from tests.formats.writers.documents import random_documents

from comparanda.formats.document_writer import Passage
from fuzz.formats import AGAINST, EMPTY, try_file
from fuzz.seeds import seeds_of
from fuzz.target import Target, case, put

PLAIN = 128
"""A bit of the choice: the bytes of the case are the file; otherwise they are packed first."""

_ARRAYS = {"tokens": "<u8", "spaces": "?", "lengths": "<i4"}
_BYTES = ("span_groups", "user_data")
"""What a DocBin holds as the bytes of an array, by its type, and as lists of bytes."""


def packed_targets() -> Iterator[Target]:
    """Give the two targets."""
    fields = ("attrs", "tokens", "spaces", "lengths", "strings", "cats", "flags", "span_groups", "user_data", "spans")
    numbers = ("65", "73", "74", "75", "77", "79", "80", "83", "18446744073709551615")  # attributes by their number
    yield Target(
        name="spacy-binary",
        minutes=2,
        seeds=_docbin_seeds,
        run=run_docbin,
        words=[each.encode() for each in (*fields, *numbers)],
    )
    yield Target(
        name="gzip",
        minutes=2,
        seeds=_gzip_seeds,
        run=run_gzip,
        words=[gzip.compress(b"a\tB-X\n\n", mtime=0), b"\x1f\x8b\x08"],
    )


def _docbin_seeds() -> Iterator[bytes]:
    for seed in range(3):
        packed = _docbin(random_documents(Random(seed), count=2, nested=False, pieces=False, ids=seed))
        loose = json.dumps(_loose(packed)).encode()
        for choice in (0, 1, 2, AGAINST, 1 | AGAINST | EMPTY):
            yield case(choice, loose)
        yield case(PLAIN, packed)


def _docbin(documents: list[Passage]) -> bytes:
    """Make a DocBin of documents: words between spaces, entities, the same spans as a group, a name."""
    from spacy.tokens import DocBin

    made = DocBin(store_user_data=True)
    for document in documents:
        doc = _blank()(document.text)
        spans = [
            doc.char_span(begin, end, each.label, alignment_mode="expand", kb_id=(each.ids or ("",))[0])
            for each in document.mentions
            for begin, end in each.pieces
        ]
        doc.spans["sc"] = [span for span in spans if span is not None]
        with suppress(ValueError):  # entities that share words
            doc.set_ents(list(doc.spans["sc"]))
        doc.user_data["._.", "id", None, None] = document.name
        made.add(doc)
    return bytes(made.to_bytes())


@cache
def _blank() -> Any:
    import spacy

    return spacy.blank("en")


def _loose(packed: bytes) -> dict[str, Any]:
    """Return what a DocBin holds as plain data, so that changes of numbers and names get behind the packing."""
    import numpy as np
    from srsly import msgpack_loads

    held = msgpack_loads(zlib.decompress(packed))
    arrays = {name: np.frombuffer(held[name], kind).tolist() for name, kind in _ARRAYS.items()}
    texts = {name: [each.decode("latin-1") for each in held[name]] for name in _BYTES}
    return {**held, **arrays, **texts}


def _packed(loose: bytes) -> bytes:
    """Make a DocBin of such data; of anything else, of the bytes as they are."""
    import numpy as np
    from srsly import msgpack_dumps

    held: Any = loose
    with suppress(ValueError, TypeError, OverflowError, AttributeError, RecursionError):
        found = json.loads(loose)
        arrays = {name: np.array(found[name], kind).tobytes() for name, kind in _ARRAYS.items() if name in found}
        texts = {name: [each.encode("latin-1") for each in found[name]] for name in _BYTES if name in found}
        held = {**found, **arrays, **texts}
    try:
        return zlib.compress(msgpack_dumps(held), 1)
    except (ValueError, TypeError, OverflowError):
        return zlib.compress(loose, 1)


def run_docbin(data: bytes) -> None:
    """Read a DocBin, compare it, write it."""
    choice, given = data[0] if data else 0, data[1:]
    path = put("docbin", ["in.spacy"], [given if choice & PLAIN else _packed(given)]) / "in.spacy"
    try_file("spacy", path, choice)


def _gzip_seeds() -> Iterator[bytes]:
    for text, *_ in seeds_of("columns")[:4]:
        whole = gzip.compress(text, mtime=0)
        half = len(text) // 2
        yield case(PLAIN, whole)
        yield case(PLAIN | AGAINST, gzip.compress(text[:half], mtime=0) + gzip.compress(text[half:], mtime=0))
        yield case(PLAIN, whole + b"\n")
        yield case(0, text)


def run_gzip(data: bytes) -> None:
    """Read columns behind gzip, compare them, write them."""
    choice, given = data[0] if data else 0, data[1:]
    packed = given if choice & PLAIN else gzip.compress(given, 1, mtime=0)
    try_file("columns", put("packed", ["in.conll.gz"], [packed]) / "in.conll.gz", choice)

"""Reading each format with spans, against what nobody can do without: json.loads, or iterparse of xml.etree.

Files are made by our own writers from the same documents. JSON is measured against `json.loads` of its bytes, XML
against `iterparse`, all others against `json.loads` of their lines as arrays of cells. Both read the files first.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import iterparse

from benchmarks.timing import cpu_seconds

if TYPE_CHECKING:
    from comparanda.formats.document_writer import Passage

DOCUMENTS = 1_500
WORDS = 150
SPANS = 12
LABELS = ("PER", "LOC", "ORG", "MISC")
MANY = 300  # documents, where each is a file
BAR = 8

Report = Callable[..., None]


def documents(count: int, seed: int = 13) -> list[Passage]:
    """Return documents with flat spans and ids."""
    from comparanda.formats.document_writer import Mention
    from comparanda.formats.document_writer import Passage as Document

    draw = random.Random(seed)
    words = [f"w{number}" for number in range(5_000)] + ["Zoë", "Łódź", "naïve"] * 40
    found: list[Passage] = []
    for number in range(count):
        chosen = [draw.choice(words) for _ in range(WORDS)]
        text = " ".join(chosen)
        begins, place = [], 0
        for word in chosen:
            begins.append((place, place + len(word)))
            place += len(word) + 1
        mentions = []
        for first in sorted(draw.sample(range(0, WORDS - 3, 4), SPANS)):
            last = first + draw.randrange(3)
            extent = (begins[first][0], begins[last][1])
            mentions.append(Mention((extent,), draw.choice(LABELS), (f"Q{draw.randrange(10_000)}",)))
        found.append(
            Document(name=f"d{number}", text=text, words=tuple(begins), sentences=(0,), mentions=tuple(mentions))
        )
    return found


def bench_formats(folder: Path, report: Report) -> None:
    """Time reading of every format that can be written."""
    from comparanda.errors import WriteError
    from comparanda.formats.document_writer import find_writers
    from comparanda.formats.inputs import find_formats

    for name, writer in find_writers().items():
        if "spans" not in find_formats()[name].layers:
            print(f"format {name}: holds no spans")
            continue
        try:
            files = _written(name, MANY if writer.many else DOCUMENTS)
        except WriteError as problem:
            print(f"format {name}: {problem.what}")
            continue
        paths = []
        for file, data in files:
            paths.append(folder / name / (file or f"out{writer.suffix}"))
            paths[-1].parent.mkdir(parents=True, exist_ok=True)
            paths[-1].write_bytes(data)
        spot = folder / name if writer.many else paths[0]
        seconds = cpu_seconds({"ours": _read(f"{spot}::{name}"), "base": _base(paths)})
        ratio, size = seconds["ours"] / seconds["base"], sum(len(data) for _, data in files) / 1e6
        what = f"format {name}: {size:.1f} MB in {seconds['ours']:.2f} s / parsing alone"
        report(what, ratio, "≤ 8", met=ratio <= BAR)


def _written(name: str, count: int) -> list[tuple[str, bytes]]:
    from comparanda.formats.document_writer import Losses, find_writer

    writer = find_writer(name)
    files = writer.write(documents(count), Losses(), {})
    return [(file, text.encode() if writer.encode is None else writer.encode(text)) for file, text in files]


def _base(paths: list[Path]) -> Callable[[], object]:
    """Return what reads some files and parses what they hold; lines of cells as JSON arrays."""
    first = paths[0].read_bytes().lstrip()
    if first[:1] == b"<":
        return lambda: [list(iterparse(BytesIO(path.read_bytes()))) for path in paths]
    if first[:1] in (b"{", b"["):
        return lambda: [_parsed(path.read_bytes().decode()) for path in paths]
    cells = [json.dumps(line.split("\t")) for path in paths for line in path.read_text().split("\n")]
    return lambda: ([path.read_bytes() for path in paths], [json.loads(line) for line in cells])


def _parsed(text: str) -> object:
    """Parse JSON, or, where that fails, one object a line."""
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.split("\n") if line]


def _read(written: str) -> Callable[[], object]:
    from comparanda.formats.contract import Request
    from comparanda.formats.inputs import Input, read_input

    return lambda: read_input(Input.parse(written), Request(side="x", layer="spans"), "tokens")

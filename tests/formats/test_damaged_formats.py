"""Whatever happens to a file: it is read, or refused with a paragraph that names the file. Never anything else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from comparanda.errors import InputError, UsageError
from comparanda.formats.contract import Request
from comparanda.formats.document_writer import find_writers
from comparanda.formats.inputs import Input, read_input
from tests.formats.writers.documents import written
from tests.formats.writers.test_pairs import plain
from tests.seeds import mostly_slow

PIECES = (
    *(each.encode() for each in '< > & " { } [ ] , : \t \n \\ | -1 null true NIL Q1 0 [] {} # 😀'.split(" ")),  # noqa: SIM905 - shorter
    b"9" * 30,
    b" ",
    b"<!DOCTYPE x [<!ENTITY a 'b'>]>",
)
SPANS = sorted(name for name, writer in find_writers().items() if "spans" in writer.layers)


def damaged(data: bytes, draw: random.Random) -> bytes:
    """Change a few places of a file: cut, doubled, moved, replaced."""
    found = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        place = draw.randrange(len(found) + 1)
        size = draw.choice((0, 1, 2, 5, 20))
        match draw.randrange(5):
            case 0:
                found[place : place + size] = b""
            case 1:
                found[place:place] = draw.choice(PIECES)
            case 2:
                found[place : place + size] = draw.choice(PIECES)
            case 3:
                found[place:place] = found[place : place + 40]
            case _:
                found = found[:place] if draw.random() < 0.3 else found
    return bytes(found)


def try_reading(name: str, folder: Path, draw: random.Random) -> bool:
    """Damage one of the files of a format and read them all; return whether they can be read still."""
    writer = find_writers()[name]
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    path = draw.choice(files)
    data = path.read_bytes()
    path.write_bytes(damaged(data, draw))
    spot = folder if writer.many else folder / f"out{writer.suffix}"
    try:
        read_input(Input.parse(f"{spot}::{name}"), Request(side="x", layer="spans"), "tokens")
    except (InputError, UsageError):
        return False
    finally:
        path.write_bytes(data)
    return True


@pytest.mark.parametrize(
    "name",
    mostly_slow(
        SPANS, ("bioc", "columns", "conllu", "gate", "hugging-face", "jsonl", "spacy", "web-annotation", "xmi")
    ),
)
def test_damage_is_refused_or_read(name: str, tmp_path: Path) -> None:
    written(name, plain(3), tmp_path)
    draw = random.Random(name)
    assert {try_reading(name, tmp_path, draw) for _ in range(120)} == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("name", SPANS)
def test_much_damage_is_refused_or_read(name: str, tmp_path: Path) -> None:
    draw = random.Random(f"{name} again")
    for seed in range(10):
        folder = tmp_path / str(seed)
        written(name, plain(seed), folder)
        for _ in range(300):
            try_reading(name, folder, draw)

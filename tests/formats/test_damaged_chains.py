"""Whatever happens to a file of chains: it is read, or refused with a paragraph that names the file."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from comparanda.errors import InputError, UsageError
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from tests.formats import test_brat_chains, test_conll2012
from tests.formats.conllu_entities import test_chains
from tests.formats.json_formats import test_clusters
from tests.formats.test_chain_records import document
from tests.formats.test_damaged_formats import damaged

FILES = {
    "conll2012": {"out.conll": test_conll2012.SAMPLE},
    "conll2012 in tabs": {"out.conll": test_conll2012.cells("(1", "(2|(3)", "1)|2)", "-", "(4[1/2])", "(4[2/2])")},
    "conllu": {"out.conllu": test_chains.SAMPLE},
    "clusters": {"out.jsonlines": json.dumps(test_clusters.document())},
    "clusters in text": {"out.jsonl": json.dumps({"text": "Bo ran. He fell.", "clusters": [[[0, 2], [8, 10]]]})},
    "brat": {"d.ann": test_brat_chains.ANNOTATIONS + "*\tCoref T1 T4 T5\nR1\tCoref Arg1:T2 Arg2:T3\n",
             "d.txt": test_brat_chains.TEXT},
    "jsonl": {"out.jsonl": json.dumps(document())},
}  # fmt: skip
OPTIONS = {"conll2012": ("", "?broken=drop"), "conllu": ("", "?broken=drop"), "clusters": ("", "?end=exclusive"),
           "brat": ("", "?alone=drop"), "jsonl": ("",)}  # fmt: skip
BRACKETS = (b"(", b")", b"|", b"(1", b"1)", b"(1)", b"(e1-x-1", b"[1/2]", b"-", b"\t", b"\n\n", b"#end", b"T1", b"8.1")


def read_once(name: str, folder: Path, draw: random.Random) -> bool:
    """Damage a file and read it; return whether it can be read still."""
    format_name = name.partition(" ")[0]
    path = folder / draw.choice(sorted(FILES[name]))
    data = path.read_bytes()
    changed = bytearray(damaged(data, draw) if draw.random() < 0.6 else data)
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(len(changed) + 1)
        changed[place : place + draw.choice((0, 0, 1, 3))] = draw.choice(BRACKETS)
    path.write_bytes(changed)
    spot = folder if format_name == "brat" else folder / next(iter(FILES[name]))
    written = f"{spot}::{format_name}{draw.choice(OPTIONS[format_name])}"
    try:
        corpus = read_input(Input.parse(written), Request(side="x", extra=("upos", "xpos"), layer="chains"), "tokens")
    except (InputError, UsageError):
        return False
    finally:
        path.write_bytes(data)
    spans = corpus.spans
    assert spans is not None
    assert (spans.begin <= spans.end).all()
    assert (spans.begin >= 0).all()
    if spans.unit == "tokens" and corpus.words is not None:
        rows = corpus.row_documents
        assert (rows[spans.document] + spans.end <= rows[spans.document + 1]).all()
    return True


def put(name: str, folder: Path) -> None:
    for file, text in FILES[name].items():
        (folder / file).write_text(text)


@pytest.mark.parametrize("name", sorted(FILES))
def test_damage_is_refused_or_read(name: str, tmp_path: Path) -> None:
    put(name, tmp_path)
    draw = random.Random(name)
    assert {read_once(name, tmp_path, draw) for _ in range(150)} == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FILES))
def test_much_damage_is_refused_or_read(name: str, tmp_path: Path) -> None:
    put(name, tmp_path)
    draw = random.Random(f"{name} again")
    for _ in range(3000):
        read_once(name, tmp_path, draw)

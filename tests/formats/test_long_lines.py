"""A long line costs what its length is, whatever it holds: were it the square of that, these tests would take hours."""

from __future__ import annotations

from pathlib import Path

import pytest

from comparanda.errors import ReadError
from comparanda.formats.contract import Layer, Request
from comparanda.formats.inputs import Input, read_input

LENGTH = 400_000
SPACES = "x" + " " * LENGTH + "y"
NUMBER = "1" * LENGTH + "x"
WORD = "1\ta\t_\tN\t_\t_\t0\troot\t_\tEntity=(e1-x)\n\n"


def read(written: str, layer: Layer = "spans") -> int | str:
    """Return how many documents there are, or the error."""
    try:
        return len(read_input(Input.parse(written), Request(side="x", layer=layer), "tokens").documents)
    except ReadError as problem:
        return str(problem)


@pytest.mark.parametrize(
    ("name", "text", "layer"),
    [
        ("d.conll::columns", f"-DOCSTART- ({'(DOC ' * (LENGTH // 5)}\n\na O\n", "values"),
        ("d.conll::columns", f"# document_id = {SPACES}\na O\n", "values"),
        ("d.conllu", f"# newdoc id = {SPACES}\n{WORD}", "values"),
        ("d.conllu", f"# newdoc\n# meta::genre = {SPACES}\n{WORD}", "values"),
        ("d.conllu", f"# newdoc\n# global.Entity = eid-etype{' ' * LENGTH}\n{WORD}", "spans"),
        ("d.xml::inline-xml?elements=PER", f'<x><PER score="{NUMBER}">Anna</PER></x>', "spans"),
    ],
)
def test_it_is_read(name: str, text: str, layer: Layer, tmp_path: Path) -> None:
    (tmp_path / name.partition("::")[0]).write_text(text)
    assert read(f"{tmp_path}/{name}", layer) == 1


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("d.tsv::neleval", f"d\t0\t1\tQ1\t{NUMBER}\tPER\n", "the score '1111"),
        ("d.ann", f"T1\tPER 0 1\ta\nR1\tX {'a:' * (LENGTH // 2)}\n", "this R line is malformed"),
        ("d.txt", f"<{'a' * LENGTH}\n", "column 1: these are not chunk tags: '<aaa"),
    ],
)
def test_it_is_refused(name: str, text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / name.partition("::")[0]).write_text(text)
    found = str(read(f"{tmp_path}/{name}"))
    assert what in found
    assert len(found) < 3000


def test_what_is_said_of_a_span_in_brat(tmp_path: Path) -> None:
    (tmp_path / "d.ann").write_text(f"T1\tPER 0 1\ta\nA1\tprobability T1 {NUMBER}\n")
    (tmp_path / "d.txt").write_text("a")
    assert read(f"{tmp_path}/d.ann") == 1

"""Options that name a column are refused if there is none, however they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from comparanda.errors import ReadError, UsageError
from comparanda.formats.contract import Layer, Request, Shape
from comparanda.formats.inputs import Input, read_input

FILES: dict[str, tuple[str, Shape, Layer]] = {
    "columns": ("a A\nb B\n", "tokens", "values"),
    "conllu": ("1\ta\t_\tN\t_\t_\t0\troot\t_\tEntity=(e1-x)\n\n", "tokens", "spans"),
    "conll2012": ("#begin document (d);\nd 0 0 a N - (1)\n\n#end document\n", "tokens", "chains"),
    "csv": ("id,label\n1,A\n", "rows", "values"),
}


@pytest.mark.parametrize(
    ("name", "option"),
    [("columns", "column"), ("columns", "word"), ("conllu", "column"), ("conllu", "entities"), ("conll2012", "word"),
     ("csv", "label")],
)  # fmt: skip
@pytest.mark.parametrize("value", ["9" * 5000, "0", "\ud800"], ids=["digits", "zero", "surrogate"])
def test_it_is_refused(name: str, option: str, value: str, tmp_path: Path) -> None:
    text, shape, layer = FILES[name]
    (tmp_path / "d").write_text(text)
    given = Input(path=f"{tmp_path}/d", name=None, format=name, options={option: value})
    with pytest.raises((ReadError, UsageError)) as refused:
        read_input(given, Request(side="x", layer=layer), shape)
    assert len(str(refused.value)) < 3000

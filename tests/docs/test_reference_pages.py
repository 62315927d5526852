"""What the reference pages must mention: every JSON field, every measure, every format, every option's name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from comparanda.measures import _MAKERS
from comparanda.read.inputs import formats
from comparanda.selection import PAIR_NAMES, SITE_NAMES
from comparanda.show.json import FINDINGS, schema

DOCS = Path(__file__).parents[2] / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def fields(kind: str) -> set[str]:
    """Return the names of all fields of an output, those of its envelope apart."""
    definitions: dict[str, Any] = schema(kind)["$defs"]
    return {name for each in definitions.values() for name in each.get("properties", {})}


@pytest.mark.parametrize("kind", [kind for kind in FINDINGS if kind != "anatomy"])
def test_every_json_field_is_on_the_page_of_its_finding(kind: str) -> None:
    text = page(f"findings/{kind}.md")
    assert [name for name in sorted(fields(kind)) if f"`{name}`" not in text] == []


def test_every_part_of_the_anatomy_is_on_the_page_of_outputs() -> None:
    text = page("output.md")
    parts = schema("anatomy")["$defs"]["Anatomy"]["properties"]
    assert [name for name in parts if f"`{name}`" not in text] == []


def test_every_measure_is_on_its_page() -> None:
    text = page("measures.md")
    assert [name for name in _MAKERS if f"`{name}`" not in text] == []


def test_every_format_is_in_the_table_of_formats() -> None:
    text = page("formats/index.md")
    assert [name for name in formats() if f"`{name}`" not in text] == []


@pytest.mark.parametrize("name", ["conllu", "conllx", "columns"])
def test_every_option_of_a_format_is_on_its_page(name: str) -> None:
    text = page(f"formats/{name}.md")
    assert [option for option in formats()[name].options if f"`{option}`" not in text] == []


def test_every_name_of_a_condition_is_explained() -> None:
    text = page("findings/examples.md") + page("findings/slices.md")
    assert [name for name in (*SITE_NAMES, *PAIR_NAMES) if f"`{name}`" not in text] == []

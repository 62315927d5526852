"""What the reference pages must mention: every JSON field, every measure, every format, every option's name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from comparanda.core.measures import _MAKERS
from comparanda.expressions import BUILTINS
from comparanda.expressions.names import PAIR_NAMES, SITE_NAMES
from comparanda.formats.inputs import find_formats
from comparanda.render.json import finding_names, schema
from comparanda.rules.declarations import PAIRINGS
from comparanda.rules.language import QUANTIFIERS, SPAN_COLUMNS, functions_of
from comparanda.rules.rule_files import FILE_KEYS, RULE_KEYS, VIEW_KEYS, load
from comparanda.rules.shipped import registered_rules
from comparanda.storage.manifest import FOLDER_VERSION

DOCS = Path(__file__).parents[2] / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def fields(kind: str) -> set[str]:
    """Return the names of all fields of an output, those of its envelope apart."""
    definitions: dict[str, Any] = schema(kind)["$defs"]
    return {name for each in definitions.values() for name in each.get("properties", {})}


@pytest.mark.parametrize("kind", [kind for kind in finding_names() if kind != "anatomy"])
def test_every_json_field_is_on_the_page_of_its_finding(kind: str) -> None:
    text = page(f"findings/{kind}.md")
    elsewhere = {name for other in INSIDE.get(kind, ()) for name in fields(other)}  # these have pages of their own
    assert [name for name in sorted(fields(kind) - elsewhere) if f"`{name}`" not in text] == []
    assert all(f"({other}.md)" in text for other in INSIDE.get(kind, ()))


INSIDE = {"complementarity": ("diversity",)}
"""The findings that hold another finding whole."""


def test_every_part_of_the_anatomy_is_on_the_page_of_outputs() -> None:
    text = page("output.md")
    parts = schema("anatomy")["$defs"]["Anatomy"]["properties"]
    assert [name for name in parts if f"`{name}`" not in text] == []


def test_every_measure_is_on_its_page() -> None:
    text = page("measures.md")
    assert [name for name in _MAKERS if f"`{name}`" not in text] == []


def test_the_versions_of_result_folders_are_on_their_page() -> None:
    told = (
        f"writes version {FOLDER_VERSION} (`folder_version` in the manifest) and reads versions 2 to {FOLDER_VERSION}."
    )
    assert told in page("formats/result-folders.md")


def test_every_format_is_in_the_table_of_formats() -> None:
    text = page("formats/index.md")
    assert [name for name in find_formats() if f"`{name}`" not in text] == []


def test_the_formats_that_are_cut_inside_files_are_on_the_page_of_large_corpora() -> None:
    (row,) = [line for line in page("scale.md").splitlines() if "inside files" in line]
    names = ", ".join(f"`{name}`" for name, each in sorted(find_formats().items()) if each.marks is not None)
    assert row.startswith(f"| {names} |")


@pytest.mark.parametrize("name", ["brat", "clusters", "columns", "conll2012", "conllu", "conllx", "jsonl", "parquet"])
def test_every_option_of_a_format_is_on_its_page(name: str) -> None:
    text = page(f"formats/{name}.md")
    assert [option for option in find_formats()[name].options if f"`{option}`" not in text] == []


def test_every_name_of_a_condition_is_explained() -> None:
    text = page("findings/examples.md") + page("findings/slices.md")
    assert [name for name in (*SITE_NAMES, *PAIR_NAMES) if f"`{name}`" not in text] == []


def test_every_word_of_the_rule_language_is_on_its_page() -> None:
    text = page("rules/index.md")
    keys = {*RULE_KEYS, *VIEW_KEYS, *SPAN_COLUMNS}
    assert sorted(key for key in keys if f"`{key}`" not in text) == []
    assert [key for key in FILE_KEYS if f"`{key}`" not in text and f"[{key}" not in text] == []
    assert [pair for pair in PAIRINGS if f'`"{pair}"`' not in text] == []


def test_every_function_and_question_of_rules_is_on_their_page() -> None:
    text = page("rules/index.md")
    functions = functions_of([], []).keys() - BUILTINS.keys()
    assert (
        sorted(name for name in {*functions, *QUANTIFIERS} if f"{name}(" not in text and f"`{name}`" not in text) == []
    )
    assert sorted(name for name in BUILTINS if f"`{name}`" not in text and f"`{name}(" not in text) == []


@pytest.mark.parametrize("name", [name for name in registered_rules() if load(name).views])
def test_every_rule_set_has_a_page_with_its_views_and_parameters(name: str) -> None:
    text, declared = page(f"rules/{name}.md"), load(name)
    assert f"(rules/{name}.md)" in page("index.md")
    assert f"({name}.md)" in page("rules/index.md")
    several = declared.views if len(declared.views) > 1 else ()
    assert [each for each in (*several, *declared.parameters) if f"`{each}`" not in text] == []

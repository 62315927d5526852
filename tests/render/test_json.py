"""Findings as JSON: valid against their schemas, and the schemas against those on record."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from comparanda.api.combination import combine
from comparanda.api.comparison import compare, compare_keys
from comparanda.api.outputs import agreement
from comparanda.api.review import ask
from comparanda.api.simulations import simulate
from comparanda.formats.inputs import Runs
from comparanda.formats.replies import Reply
from comparanda.render.finding import Finding
from comparanda.render.json import SCHEMA_VERSION, as_json, build_document, find_finding, finding_names, schema
from comparanda.result import Result
from tests.findings.small_chains import A, B, C, compared
from tests.render.hostile import hostile_findings
from tests.seeds import first_few
from tests.tasks.prob.findings.small import compared as compared_beliefs
from tests.toy_task import (
    ONE_AND_TWO,
    TWO_BY_TWO,
    Policy,
    findings,
    of_one_view,
    registered,
    toy_measures,  # noqa: F401 - a fixture that works by being here
    verdicts_of,
)

GOLDEN = Path(__file__).parent.parent / "golden" / f"schemas-v{SCHEMA_VERSION}.json"
HOW = """the shape of an output is not the one on record.
If users' programs could notice: raise SCHEMA_VERSION in src/comparanda/render/json.py, and say so in the changelog.
Then record the new shape: UPDATE_GOLDEN=1 pytest tests/render/test_json.py (or pytest --update-golden)"""


def without_sites() -> Result:
    verdicts = verdicts_of()
    view = verdicts.view("partial")
    return Result(replace(verdicts, views={"bare": replace(view, given_sites=view.all_sites.take(np.arange(0)))}), 20)


RESULTS = {
    "two by two": Result(verdicts_of(), 20),
    "one and two": Result(verdicts_of(ONE_AND_TWO), 20),
    "one system": Result(verdicts_of({"fine": TWO_BY_TWO["fine"]}), 20),
    "rows": Result(verdicts_of(policy=Policy("row", ignore=("P",))), 20),
    "no resamples": Result(verdicts_of(), 0),
    "a part": Result(verdicts_of(), 20).where("plural", view="partial"),
    "no sites": without_sites(),
}
with registered():
    DOCUMENTS: dict[str, tuple[Finding, str]] = {
        f"{kind}, {name}": (finding, result.signature)
        for kind, result in RESULTS.items()
        for name, finding in findings(
            result, ("word", "length"), ("differs",) if len(result.systems) > 1 else ()
        ).items()
    }
    DOCUMENTS |= {f"hostile, {name}": (finding, "\x1b") for name, finding in hostile_findings().items()}
KEYS = {"ann": [["B-A", "O"]], "\x1b</script>": [["O", "B-A"]]}
LINKS = {
    name: [{"id": "d", "text": "Bo ran", "spans": [{"begin": 0, "end": 2, "label": "\x1b", "id": id_}]}]
    for name, id_ in {"key": "Q1", "a": "Q1", "b": "NIL"}.items()
}
DOCUMENTS["links"] = (
    compare(LINKS["key"], {name: LINKS[name] for name in "ab"}, task="link", resamples=0).error_sources(),
    "",
)
TAGGED = {"a": ["A", "B", "A"], "\x1b</script>": ["A", "A", "B"]}
DOCUMENTS["ensembles"] = (combine(["A", "B", "B"], TAGGED, task="tag", same_data=True, resamples=20).finding, "")
SPAN = {"begin": 0, "end": 2, "label": "\x1b"}
DOCUMENTS["strategies"] = (
    simulate(
        [{"id": "d", "text": "Bo ran", "spans": [SPAN]}],
        [{"doc": "d", "text": "Bo ran", "entities": [{"start": 0, "end": 2, "label": "\x1b", "score": 0.5}]}],
        "entropy",
        "random",
        seeds=2,
    ),
    "",
)
DOCUMENTS["without a key"] = (agreement(TAGGED, task="tag", resamples=20), "")
with TemporaryDirectory() as folder:
    CHAINS = compared(Path(folder), {"a": A, "\x1b": Runs(B, C), "none": ()})
    DOCUMENTS["chains"] = (CHAINS.chain_pairs(), "")
    DOCUMENTS["anatomy of chains"] = (CHAINS.anatomy(), "")
with TemporaryDirectory() as folder:
    PROBABLE: Any = {"a": {"d": [{"a:PER": 0.6, "a:\x1b": 0.3}], "e": []}, "\x1b": {"d": [], "e": [{"b": 1.0}]}}
    for spans in (["a:PER"], []):
        probable = compared_beliefs(Path(folder), {"d": spans, "e": []}, PROBABLE, resamples=20)
        for name, finding in findings(probable).items():
            DOCUMENTS[f"probable, {len(spans)} in the key, {name}"] = (finding, "")
UNSURE = [{"doc": "\x1b", "text": "Bo ran", "entities": [{"start": 0, "end": 2, "label": "</script>", "score": 0.5}]}]
DOCUMENTS["questions"] = (ask(UNSURE, answers=[Reply("\x1b:0-2:</script>:label", "unsure", "")]), "")
DOCUMENTS["questions with options"] = (ask(UNSURE, kind="choice"), "")
DOCUMENTS["several keys"] = (compare_keys(KEYS, {"s": [["B-A", "O"]]}, task="span", resamples=0), "")


@pytest.mark.parametrize("kind", first_few(3, finding_names()))
def test_schemas_are_schemas(kind: str) -> None:
    Draft202012Validator.check_schema(schema(kind))
    assert schema(kind)["title"] == f"comparanda/{kind}/{SCHEMA_VERSION}"


@pytest.mark.parametrize("name", of_one_view(DOCUMENTS))
def test_every_document_fits_its_schema(name: str) -> None:
    finding, signature = DOCUMENTS[name]
    text = build_document(finding, signature, ("a note",))
    data = json.loads(text)
    kind = data["schema"].split("/")[1]
    Draft202012Validator(schema(kind)).validate(data)
    assert data[kind] == json.loads(as_json(finding)) == json.loads(finding.to_json())
    assert "NaN" not in text


def test_every_kind_of_finding_has_a_document() -> None:
    assert {type(finding) for finding, _ in DOCUMENTS.values()} == set(map(find_finding, finding_names()))


def test_every_finding_is_registered_under_its_own_name() -> None:
    assert {name: find_finding(name).json_name for name in finding_names()} == {name: name for name in finding_names()}


def test_a_document_with_something_more_does_not_fit() -> None:
    finding = RESULTS["two by two"].scores()
    data = json.loads(build_document(finding, "", ()))
    assert not Draft202012Validator(schema("scores")).is_valid({**data, "more": 1})
    assert not Draft202012Validator(schema("pairs")).is_valid(data)


def test_equal_findings_give_equal_bytes() -> None:
    again = findings(Result(verdicts_of(), 20), ("word",))
    for name, finding in findings(RESULTS["two by two"], ("word",)).items():
        assert as_json(again[name]) == as_json(finding)


def test_names_are_written_as_they_are() -> None:
    nasty = hostile_findings()["nasty examples"]
    data = json.loads(as_json(nasty))
    assert data["examples"][0]["word"] == nasty.to_dicts()[0]["word"]
    assert "\x1b" not in as_json(nasty)


def update(request: pytest.FixtureRequest) -> bool:
    return bool(os.environ.get("UPDATE_GOLDEN") or request.config.getoption("--update-golden", default=False))


def shape(data: Any) -> Any:
    """Return a schema without its descriptions: words may be mended at any time."""
    if isinstance(data, dict):
        return {key: shape(value) for key, value in data.items() if key != "description" or not isinstance(value, str)}
    return [shape(value) for value in data] if isinstance(data, list) else data


def test_the_shape_of_outputs_is_on_record(request: pytest.FixtureRequest) -> None:
    schemas: dict[str, Any] = {kind: shape(json.loads(json.dumps(schema(kind)))) for kind in finding_names()}
    if update(request):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(json.dumps(schemas, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    assert GOLDEN.exists(), HOW
    recorded = json.loads(GOLDEN.read_text())
    for kind in sorted({*schemas, *recorded}):
        assert recorded.get(kind) == schemas.get(kind), f"{kind}: {HOW}"

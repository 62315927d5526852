"""Findings as JSON, with a schema version; equal input gives equal bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from comparanda.feedback.findings import Simulated
from comparanda.feedback.questions import Questions
from comparanda.findings.ablation import Ablation
from comparanda.findings.agreement import Agreements
from comparanda.findings.anatomy import Anatomy, Keys
from comparanda.findings.complement import Against, Complementarity
from comparanda.findings.confusion import Confusion
from comparanda.findings.difference import Difference
from comparanda.findings.diversity import Diversity
from comparanda.findings.ensembles import Ensembles
from comparanda.findings.examples import Examples
from comparanda.findings.gate import Gate
from comparanda.findings.leaderboard import Leaderboard
from comparanda.findings.pairs import Pairs
from comparanda.findings.scores import Scores
from comparanda.findings.significance import Significance
from comparanda.findings.slices import Slices
from comparanda.findings.stability import Stability
from comparanda.findings.suspects import Suspects
from comparanda.findings.upper_bounds import Combination
from comparanda.tasks.coref.findings import ChainPairs, ErrorSources
from comparanda.tasks.prob.findings import Probabilities
from comparanda.tasks.prob.pair_findings import ExpectedPairs
from comparanda.version import __version__

if TYPE_CHECKING:
    from comparanda.findings.base import Finding

SCHEMA_VERSION = 8
"""Rises whenever the shape of any output changes; a test compares the schemas with those on record."""

FINDINGS: dict[str, type[Finding]] = {
    "anatomy": Anatomy,
    "scores": Scores,
    "pairs": Pairs,
    "chain_pairs": ChainPairs,
    "difference": Difference,
    "combination": Combination,
    "complementarity": Complementarity,
    "ensembles": Ensembles,
    "against": Against,
    "significance": Significance,
    "leaderboard": Leaderboard,
    "ablation": Ablation,
    "slices": Slices,
    "examples": Examples,
    "gate": Gate,
    "keys": Keys,
    "sources": ErrorSources,
    "diversity": Diversity,
    "confusion": Confusion,
    "suspects": Suspects,
    "stability": Stability,
    "agreements": Agreements,
    "probabilities": Probabilities,
    "expected_pairs": ExpectedPairs,
    "simulation": Simulated,
    "questions": Questions,
}


def as_json(finding: Finding) -> str:
    """Return a finding as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(finding), indent=2).decode()


def document(finding: Finding, signature: str, notes: tuple[str, ...]) -> str:
    """Return the JSON document a command prints: the finding in its envelope."""
    kind = next(name for name, each in FINDINGS.items() if isinstance(finding, each))
    envelope = {
        "schema": f"comparanda/{kind}/{SCHEMA_VERSION}",
        "version": __version__,
        "signature": signature,
        "notes": notes,
        kind: finding,
    }
    return msgspec.json.format(msgspec.json.encode(envelope), indent=2).decode()


def schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of the document that a command prints for a kind of finding."""
    inner = msgspec.json.schema(FINDINGS[kind])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"comparanda/{kind}/{SCHEMA_VERSION}",
        "type": "object",
        "required": ["schema", "version", "signature", "notes", kind],
        "additionalProperties": False,
        "properties": {
            "schema": {"const": f"comparanda/{kind}/{SCHEMA_VERSION}"},
            "version": {"type": "string"},
            "signature": {"type": "string"},
            "notes": {"type": "array", "items": {"type": "string"}},
            kind: {"$ref": inner["$ref"]},
        },
        "$defs": inner["$defs"],
    }

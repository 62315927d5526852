"""Findings as JSON, with a schema version; equal input gives equal bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from comparanda.comparison.ablation import Ablation
from comparanda.comparison.agreements import Agreements
from comparanda.comparison.anatomy import Anatomy
from comparanda.comparison.beliefs.finding import Probabilities
from comparanda.comparison.beliefs.pairs import ExpectedPairs
from comparanda.comparison.chain_pairs import ChainPairs
from comparanda.comparison.combine import Combination
from comparanda.comparison.complement.against import Against
from comparanda.comparison.complement.finding import Complementarity
from comparanda.comparison.confusion import Confusion
from comparanda.comparison.difference import Difference
from comparanda.comparison.diversity.finding import Diversity
from comparanda.comparison.ensembles import Ensembles
from comparanda.comparison.examples import Examples
from comparanda.comparison.gating.finding import Gate
from comparanda.comparison.keys import Keys
from comparanda.comparison.leaderboard import Leaderboard
from comparanda.comparison.pairs import Pairs
from comparanda.comparison.questions import Questions
from comparanda.comparison.scores import Scores
from comparanda.comparison.significance import Significance
from comparanda.comparison.simulation import Simulated
from comparanda.comparison.slices import Slices
from comparanda.comparison.sources import ErrorSources
from comparanda.comparison.stability import Stability
from comparanda.comparison.suspects import Suspects
from comparanda.version import __version__

if TYPE_CHECKING:
    from comparanda.comparison.finding import Finding

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

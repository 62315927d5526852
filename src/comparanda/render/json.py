"""Findings as JSON, with a schema version; equal input gives equal bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from comparanda.core.registry import find_registered
from comparanda.version import __version__

if TYPE_CHECKING:
    from comparanda.render.finding import Finding

SCHEMA_VERSION = 9
"""Incremented whenever the shape of any output changes; a test compares the schemas with the recorded ones."""


def finding_names() -> tuple[str, ...]:
    """Return the JSON names of all findings, registered in the entry point group `comparanda.findings`."""
    return tuple(find_registered("comparanda.findings"))


def find_finding(name: str) -> type[Finding]:
    """Return the class of the finding with the given JSON name."""
    found: type[Finding] = find_registered("comparanda.findings")[name].load()
    return found


def as_json(finding: Finding) -> str:
    """Return a finding as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(finding), indent=2).decode()


def build_document(finding: Finding, signature: str, notes: tuple[str, ...]) -> str:
    """Return the JSON document that a command prints: the finding in an envelope."""
    kind = finding.json_name
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
    inner = msgspec.json.schema(find_finding(kind))
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

"""All targets by name."""

from __future__ import annotations

from functools import cache

from fuzz.conditions import condition_target
from fuzz.formats import format_targets
from fuzz.packed_files import packed_targets
from fuzz.result_folders import folder_target
from fuzz.rule_files import rule_target
from fuzz.side_files import side_targets
from fuzz.target import Target


@cache
def targets() -> dict[str, Target]:
    """Return all targets, those that are tried longest first."""
    found = [*format_targets(), condition_target(), rule_target(), folder_target()]
    found += [*packed_targets(), *side_targets()]
    return {each.name: each for each in sorted(found, key=lambda each: (-each.minutes, each.name))}

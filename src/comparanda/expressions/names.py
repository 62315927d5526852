"""The names and functions of conditions on sites, items and pairs of systems, with their types.

A condition that uses a name or a function of items is about items; all others are about sites.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comparanda.core.sites import Sites
    from comparanda.expressions import Type

PAIR_NAMES: Mapping[str, Type] = {
    "base": "text",
    "new": "text",
    "base_label": "text",
    "new_label": "text",
    "base_right": "truth",
    "new_right": "truth",
    "differs": "truth",
    "correction": "truth",
    "new_error": "truth",
    "changed_error": "truth",
    "same_right": "truth",
    "same_error": "truth",
}
"""The names for the values of the systems of a pair, and the class of their difference."""

SITE_NAMES: Mapping[str, Type] = {
    "key": "text",
    "label": "text",
    "document": "text",
    "frequency": "number",
    "solved_by": "number",
    "agreement": "number",
    "majority": "text",
    "majority_right": "truth",
}
"""The names for the key's value of a site, and what all systems have there."""

FREQUENCY = "frequency"
"""The name for the number of occurrences of a word."""

OF_ALL = frozenset({"solved_by", "agreement", "majority", "majority_right"})
"""The names that refer to all systems together."""

OF_RUNS = frozenset({"right", "value", "aspect", "agrees", "source"})
"""The functions of a single run, given by name."""

OF_SYSTEMS = frozenset({"flips", "right_in"})
"""The functions of all runs of a system, given by name."""

RIGHT_BY_RUN = "right_by_run"
"""The function evaluated once for each run of a system: whether the run is right, as with `right`."""

AMONG = "among"
"""The function that restricts sites to those of the key and the runs it names; it is true everywhere."""

SOURCE_NAMES = ("base_source", "new_source")
"""Names for the source of the errors of a pair, where rules determine it."""

ITEM_NAMES: Mapping[str, Type] = {"positive": "truth", "negative": "truth", "claimed_by": "number"}
"""Names that only items have: whether the key has the item and it counts, whether it does not, how many runs do."""

PAIR_ITEM_NAMES: Mapping[str, Type] = {"base_claims": "truth", "new_claims": "truth"}
"""Names for whether the systems of a pair claim an item."""

CLAIMS, VERDICT, RULE, WEIGHT = "claims", "verdict", "rule", "weight"
"""Functions of an item and a run: whether the run claims it, its outcome by rules and the rule, its weight."""

OF_ITEMS = frozenset({CLAIMS, VERDICT, RULE, WEIGHT})
"""The functions of items: `claims("crf")`, `verdict("crf") == "FN"`."""

CHANGED_SUFFIX = "_changed"
"""What follows an aspect of values in the name for whether a pair differs in it: `head_changed`."""


def pair_names(sites: Sites) -> dict[str, Type]:
    """Return the names that refer to a pair of systems, such as `correction`, `base_label` or `head_changed`."""
    return {**PAIR_NAMES, **dict.fromkeys((f"{aspect}{CHANGED_SUFFIX}" for aspect in sites.aspects), "truth")}

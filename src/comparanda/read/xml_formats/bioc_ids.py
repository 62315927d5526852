"""Ids of entities as annotations of BioC have them: in which infons, and how several are written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from comparanda.ids import joined, split
from comparanda.read.tabbed_formats.pubtator import ids_of

IDENTIFIER = "identifier"
DATABASES = frozenset(
    {"ncbigene", "ncbigeneidentifier", "geneid", "mesh", "meshid", "omim", "ncbitaxonomy", "taxonomy", "chebi", "cui"}
    | {"umls", "umlscui", "dbsnp", "cellosaurus", "conceptid", "kbid"}
)
"""Infons that hold ids if there is no `identifier`; their case, spaces and underscores do not matter."""


@cache
def _plain(key: str) -> str:
    """Return the name of an infon without case, spaces and underscores.

    >>> _plain("NCBI_Gene"), _plain("NCBI Gene")
    ('ncbigene', 'ncbigene')
    """
    return re.sub(r"[\W_]", "", key.lower())


def holds_ids(key: str) -> bool:
    """Whether an infon is known to hold ids of entities."""
    return _plain(key) == IDENTIFIER or _plain(key) in DATABASES


def id_keys(keys: Sequence[str]) -> list[str]:
    """Return those of some infons that hold ids: the identifier, else those of databases.

    >>> id_keys(["type", "MESH", "OMIM"]), id_keys(["type", "MESH", "Identifier"])
    (['MESH', 'OMIM'], ['Identifier'])
    """
    return [key for key in keys if _plain(key) == IDENTIFIER] or list(filter(holds_ids, keys))


def ids_in(infons: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    """Return the ids that some infons hold, written as PubTator writes them; None if they hold none.

    >>> ids_in({"MESH": "D001, D002", "OMIM": "-1"}, ["MESH", "OMIM"]), ids_in({"identifier": "-"}, ["identifier"])
    ('D001|D002|NIL', None)
    """
    found = [ids_of(str(infons[key])) for key in keys]
    return joined(id_ for ids in found if ids is not None for id_ in split(ids))

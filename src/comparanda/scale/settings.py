"""What settings say, so that one comparison can be told from another: with the files they name, and their state."""

from __future__ import annotations

import os
import pickle
import secrets
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comparanda.errors import ReadError
from comparanda.manifest import digest
from comparanda.read.files import files_of, stamp
from comparanda.read.inputs import Input
from comparanda.read.objects import is_path
from comparanda.rules.files import files_of_rules

if TYPE_CHECKING:
    from comparanda.remote import AnyPath
    from comparanda.road import Setup

_OBJECTS = ("train", "rules")
"""Settings that may be objects of any kind."""


def said_of(setup: Setup) -> dict[str, str]:
    """Return the settings as texts, which are equal only if the settings are."""
    given = {each.name: getattr(setup, each.name) for each in fields(setup) if each.name != "progress"}
    return {name: _told(value) if name in _OBJECTS else repr(value) for name, value in given.items()}


def _told(value: Any) -> str:
    """Return a text for an object; `repr` leaves out what is long, of data frames and arrays."""
    if value is None or is_path(value):
        return repr(value)
    try:
        return digest(pickle.dumps(value))
    except Exception:  # whatever it is, it cannot be known again
        return secrets.token_hex(16)


def files_beside(setup: Setup) -> tuple[tuple[str, Any], ...]:
    """Return the files that settings name, all of those that they stand for, and what tells their state."""
    found: list[AnyPath] = []
    if is_path(setup.train):
        found += _expanded(Input.parse(os.fspath(setup.train)).path)
    if is_path(setup.rules):
        found += files_of_rules(os.fspath(setup.rules))
    if setup.same_ids is not None:
        found.append(Path(setup.same_ids))
    return tuple((str(file), stamp(file)) for file in found if file.exists())


def _expanded(path: str) -> list[AnyPath]:
    """Return the files that a path or a URL stands for: one, those of a folder, or those that fit a pattern."""
    try:
        return files_of(path, ())
    except ReadError:
        return []  # whoever reads it says why

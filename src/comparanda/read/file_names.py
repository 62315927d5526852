"""Documents named by their files, where a format has one document a file."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING

from comparanda.read.files import display
from comparanda.remote import AnyPath, path_of

if TYPE_CHECKING:
    from comparanda.places import Part, Source
    from comparanda.read.request import Request


def file_names(source: Source, request: Request, suffixes: tuple[str, ...]) -> list[str]:
    """Name each file by its way from the folder that was given; else by its name, if names differ.

    Args:
        source: the files.
        request: what was asked, the folder among it.
        suffixes: what is left off at the end of names.

    """
    if request.folder is not None:
        ways = [display(_path(part).relative_to(request.folder)) for part in source.parts]
        return [_stem(way, suffixes) for way in ways]
    stems = [_stem(PurePath(part.name).name, suffixes) for part in source.parts]
    often = Counter(_stem(PurePath(name).name, suffixes) for name in source.files)
    return [
        stem if often[stem] == 1 else _stem(part.name, suffixes) for stem, part in zip(stems, source.parts, strict=True)
    ]


def _path(part: Part) -> AnyPath:
    return path_of(part.name) if part.path is None else part.path


def _stem(name: str, suffixes: tuple[str, ...]) -> str:
    name = name.removesuffix(".gz")
    longest = max((suffix for suffix in suffixes if name.endswith(suffix)), key=len, default="")
    return name.removesuffix(longest) or name

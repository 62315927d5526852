"""From one format to another: what the target can carry is written, the rest is said, or the reason it cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.errors import WriteError
from comparanda.write.passages import Losses, passages
from comparanda.write.writer import Writer, Written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from comparanda.corpus import Corpus


def converted(corpus: Corpus, writer: Writer, options: Mapping[str, str] | None = None) -> Written:
    """Return the files of a corpus in a format, and what they do not carry.

    Args:
        corpus: what was read, with its spans.
        writer: the format to be written.
        options: the writer's options.

    """
    given = options or {}
    writer.check_options(given)
    if corpus.quotes is not None:
        what = "the items quote the text, and nobody has looked yet where they stand in it"
        raise WriteError(what, where=corpus.source.parts[0].name, hint="that is done when they are compared with a key")
    losses = Losses()
    files = dict(writer.write(passages(corpus, losses), losses, given))
    return Written(files, losses.notes(corpus.name))

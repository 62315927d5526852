"""Converting a corpus to another format, and reporting what that format cannot hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.errors import WriteError
from comparanda.formats.document_writer import Losses, Writer, Written, list_passages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from comparanda.core.corpus import Corpus
    from comparanda.formats.document_writer import Passage


def convert_corpus(
    corpus: Corpus, writer: Writer, options: Mapping[str, str] | None = None, *, chained: bool = False
) -> Written:
    """Convert a corpus to the files of a format, and collect what these cannot hold.

    Args:
        corpus: the input, with its spans.
        writer: the target format.
        options: the writer's options.
        chained: whether its spans are mentions of chains.

    """
    given = options or {}
    writer.check_options(given)
    if corpus.quotes is not None:
        what = "the items quote the text and have not been aligned with it yet"
        raise WriteError(
            what, where=corpus.source.parts[0].name, hint="items are aligned when they are compared with a key"
        )
    losses = Losses()
    made_up = losses if writer.spaced else Losses()  # white space that is not written need not be invented
    documents = _report_lost_tags(list_passages(corpus, made_up, chained=chained), writer, losses)
    files = dict(writer.write(documents, losses, given))
    return Written(files, losses.notes(corpus.name))


def _report_lost_tags(documents: Iterator[Passage], writer: Writer, losses: Losses) -> Iterator[Passage]:
    """Yield documents unchanged; report the tags of their words that the writer cannot hold."""
    for passage in documents:
        for name in passage.tags:
            if name not in writer.tags:
                losses.lose(f"{name!r} of words", passage.name)
        yield passage

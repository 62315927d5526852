"""Columns as in CoNLL-2003: a word and its chunk tag a line, an empty line behind each sentence, `-DOCSTART-`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from comparanda.errors import WriteError
from comparanda.read.request import choose
from comparanda.write.chunks import ChunkScheme, chunk_tags, sentences_of, stands_in_line, words_of
from comparanda.write.passages import Losses, Passage
from comparanda.write.writer import Writer

SCHEMES: tuple[ChunkScheme, ...] = ("bio", "bioes")
DOCUMENT = "-DOCSTART-"


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents one below the other."""
    scheme = choose(options, "scheme", SCHEMES)
    yield "", "".join(line for each in documents for line in _lines(each, losses, scheme))


def _lines(passage: Passage, losses: Losses, scheme: ChunkScheme) -> Iterator[str]:
    words, tags = words_of(passage), chunk_tags(passage, scheme=scheme)
    _tell(passage, words, losses)
    yield f"{DOCUMENT} ({_checked(passage.name)})\n\n"
    for first, behind in sentences_of(passage, losses):
        for word, tag in zip(words[first:behind], tags[first:behind], strict=True):
            if word.split()[0] == DOCUMENT:
                raise WriteError(
                    f"the word {word!r} of document {passage.name!r} would begin a document in a file of columns",
                    hint="other formats can hold it: jsonl, for example",
                )
            yield f"{word}\t{tag}\n"
        yield "\n"


def _checked(name: str) -> str:
    """Refuse a name that no line can hold as it is."""
    if not stands_in_line(name):
        raise WriteError(
            f"the name {name!r} of a document cannot stand in a line of columns",
            hint="names have no line breaks, no tabs and no white space around them there",
        )
    return name


def _tell(passage: Passage, words: list[str], losses: Losses) -> None:
    """Say what columns of words and tags do not carry."""
    if passage.text != " ".join(words):
        losses.lose("white space of the text: words are lines", passage.name)
    for name in passage.attributes:
        losses.lose(f"the attribute {name!r} of documents", passage.name)
    for mention in passage.mentions:
        if mention.ids is not None:
            losses.lose("ids of spans", passage.name)
        for name in mention.said:
            losses.lose(f"{name!r} of spans", passage.name)


WRITER = Writer(
    "columns",
    ".conll",
    write,
    options={"scheme": "the scheme of the chunk tags: bio (the default) or bioes"},
)

"""TAC KBP: one candidate of a mention a line, with the text of the mention.

Texts of documents are not carried, nor documents without spans. Where the input has no id, kind of mention or
confidence, NIL, NAM and 1.0 are put, and counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from comparanda.errors import WriteError
from comparanda.write.neleval import CARRIED, candidates_of, check, extent, lose_document, lose_said
from comparanda.write.passages import Losses, Passage
from comparanda.write.writer import Writer

RUN = "comparanda"
NAME = "NAM"
_OWN = CARRIED | {"mention_id", "mention_type"}


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one behind the other."""
    run = options.get("run", RUN)
    if run.split() != [run]:
        raise WriteError(f"the run cannot be called {run!r}", hint="it is one word: ?run=NAME")
    yield "", "".join(line for each in documents for line in _document(each, losses, run))


def _document(passage: Passage, losses: Losses, run: str) -> Iterator[str]:
    lose_document(passage, losses)
    taken: set[tuple[int, int]] = set()
    for number, mention in enumerate(passage.mentions, 1):
        begin, last = extent(passage, mention)
        if (begin, last) in taken:
            what = f"two spans of document {passage.name!r} stand at {begin}-{last}"
            raise WriteError(what, hint="lines of one place are candidates of one mention in this format")
        taken.add((begin, last))
        lose_said(passage, mention, _OWN, losses)
        kind = mention.said.get("mention_type")
        if kind is None:
            losses.lose("that spans are neither names nor nominal: NAM is put", passage.name)
        name = check(passage, str(mention.said.get("mention_id", f"{passage.name}_{number:04}")), "the mention id")
        middle = f"{run}\t{name}\t{_between_tabs(passage.covered(mention))}\t{passage.name}:{begin}-{last}"
        label, kind = check(passage, mention.label, "the label"), check(passage, str(kind or NAME), "the mention type")
        for id_, score in candidates_of(passage, mention, losses):
            yield f"{middle}\t{id_}\t{label}\t{kind}\t{score}\n"


def _between_tabs(text: str) -> str:
    """Return a text that can stand between tabs, of the same length: white space is a space."""
    return "".join(" " if character.isspace() or character == "\0" else character for character in text)


WRITER = Writer("tac", ".tab", write, options={"run": f"the name of the run ({RUN} by default)"})

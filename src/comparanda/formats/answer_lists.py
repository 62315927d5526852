"""Items in lists and tables that are not JSON: `- Nokia (ORG)`, `ORG: Nokia, Espoo`, Markdown tables.

Prose must not be read as items: all lines of a list must have one of the known forms, and labels must look like labels.
"""

from __future__ import annotations

import re
from typing import Final

from comparanda.formats.answers import LABEL_NAMES, LIST_NAMES, TEXT_NAMES, Answer, item_of

_MAX_LINE, _MAX_TEXT, _MAX_TEXT_WORDS = 500, 100, 10

_BULLET = re.compile(r"\s{0,20}(?:[-*•+–]|\d{1,4}[.)])\s+(?P<rest>\S.*)")
_IN_BRACKETS = re.compile(r"(?P<text>[^()]+?)\s*\((?P<label>[^()]{1,40})\)[.,;]?")
_WITH_DASH = re.compile(r"(?P<left>\S.*?)\s+(?:-{1,2}>|=>|→|-{1,2}|–|—)\s+(?P<right>\S.*)")
_WITH_COLON = re.compile(r"(?P<left>[^:]+?)\s*:\s+(?P<right>\S.*)")
_ROW = re.compile(r"\s*\|(?P<cells>.+)\|\s*")
_RULE = re.compile(r":?-+:?")

_LABEL = re.compile(r"[^\W\d][\w/&.+-]{0,39}(?: (?:&|[A-Z][\w/&-]{0,39})){0,2}")
_CODE = re.compile(r"[A-Z][A-Z0-9_/-]+")
_SENTENCE_END = re.compile(r"[^\W\d_A-Z]{2,}[.!?]$")
_JSON_BRACKET = re.compile(r"[\[\]{}]")
_QUOTES: Final = "\"'“”„‘’«»"

_ABSENT = frozenset({"", "-", "–", "—", "none", "n/a", "na", "nil", "null", "nothing", "[]", "none found", "not found"})
_NO_LABELS = frozenset(
    {
        *(name.replace("_", " ") for name in (*TEXT_NAMES, *LABEL_NAMES, *LIST_NAMES)),
        *("answer", "answers", "output", "result", "response", "input", "note", "notes", "summary", "document"),
        *("sentence", "explanation", "reasoning", "comment", "label", "labels", "example", "step", "question", "task"),
        *("here", "warning", "total", "count", "confidence", "score", "id", "sure", "thoughts", "however", "sorry"),
    }
)
_LABEL_HEADS = frozenset({*LABEL_NAMES, "labels", "types", "ner", "ner_tag", "ner_label"} - {"entity"})
_TEXT_HEADS = frozenset({*TEXT_NAMES, "named_entity", "phrase", "token", "surface", "surface_form", "entities", "term"})


def read_list(text: str) -> Answer | None:
    r"""Read a table, a list with bullets or numbers, or lines with colons; None if the text is none of these.

    >>> [(item.text, item.label) for item in read_list("- Nokia (ORG)\n- Espoo: LOC").items]
    [('Nokia', 'ORG'), ('Espoo', 'LOC')]
    >>> read_list("Nokia is in Espoo. Note: it makes phones.") is None
    True
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if any(len(line) > _MAX_LINE for line in lines):
        return None
    return _read_table(lines) or _read_bullets(lines) or _read_colons(lines)


def _read_bullets(lines: list[str]) -> Answer | None:
    """Read a list with bullets or numbers; other lines are prose unless they look like items, too."""
    bullets = [_BULLET.fullmatch(line) for line in lines]
    found = _Lines()
    for line, bullet in zip(lines, bullets, strict=True):
        if (bullet is None) == found.add(bullet["rest"] if bullet else line):
            return None
    return found.answer() if any(bullets) else None


def _read_colons(lines: list[str]) -> Answer | None:
    """Read lines with a colon, and the line that introduces them."""
    found = _Lines()
    for line in lines[1:] if lines and lines[0].rstrip("* ").endswith(":") else lines:
        if not _WITH_COLON.fullmatch(_bare(line)) or not found.add(line):
            return None
    return found.answer()


class _Lines:
    """Collects the items of lines."""

    def __init__(self) -> None:
        self._found = Answer(how="listed")
        self._pair = -1

    def answer(self) -> Answer | None:
        return self._found if self._found.items else None

    def add(self, line: str) -> bool:
        """Add the items of a line; return whether it has one of the known forms."""
        line = _bare(line)
        if match := _IN_BRACKETS.fullmatch(line):
            if not (_is_text(match["text"]) and _is_label(match["label"])):
                return False
            self._add(match["text"], match["label"])
            return True
        match = _WITH_COLON.fullmatch(line) or _WITH_DASH.fullmatch(line)
        return match is not None and self._add_sides(_bare(match["left"]), _bare(match["right"]))

    def _add_sides(self, left: str, right: str) -> bool:
        """Add the items of a line with two sides, one of which is the label; the other may be several texts."""
        label_first, label_last = _is_label(left), _is_label(right) and _is_text(left)
        texts = [each for each in map(_bare, re.split(r"[,;]", right)) if each.casefold() not in _ABSENT]
        if label_first and not texts:
            return True
        if label_first and label_last and len(texts) == 1:
            self._add_undirected(left, right)
        elif label_last:
            self._add(left, right)
        elif label_first and all(map(_is_text, texts)):
            sequence = self._new_group()
            for text in texts:
                self._add(text, left, sequence=sequence)
        else:
            return False
        return True

    def _add_undirected(self, left: str, right: str) -> None:
        """Add an item of two words that both look like labels; those of one answer have the same order of the two."""
        if self._pair < 0:
            self._pair = self._new_group()
        sequence = self._new_group()
        turned = _CODE.fullmatch(left) and not _CODE.fullmatch(right)
        text, label = (right, left) if turned else (left, right)
        self._add(text, label, sequence=sequence, pair=self._pair)

    def _add(self, text: str, label: str, *, sequence: int = 0, pair: int = -1) -> None:
        if item := item_of(_bare(text), _bare(label), sequence=sequence, pair=pair):
            self._found.items.append(item)
        else:
            self._found.bad += 1

    def _new_group(self) -> int:
        self._found.groups += 1
        return self._found.groups - 1


def _read_table(lines: list[str]) -> Answer | None:
    """Read a Markdown table with a column of texts and one of labels, in the order that its header gives."""
    matches = filter(None, map(_ROW.fullmatch, lines))
    rows = [[_bare(cell) for cell in match["cells"].split("|")] for match in matches]
    if not rows or len(rows[0]) < 2:
        return None
    ruled = len(rows) > 1 and all(map(_RULE.fullmatch, rows[1]))
    heads = [cell.casefold().replace(" ", "_") for cell in rows[0]]
    headed = ruled or not _LABEL_HEADS.isdisjoint(heads)
    body = [row for row in rows[headed:] if not all(map(_RULE.fullmatch, row))]
    columns = _find_columns(heads if headed else None, body)
    if columns is None:
        return None
    text, label, directed = columns
    found = Answer(how="listed", groups=1 if directed else 2)
    for row in body:
        cells = (row[text], row[label]) if len(row) == len(heads) else ("?", "")
        if cells[0].casefold() in _ABSENT:
            continue
        if _is_label(cells[1]) and (item := item_of(*cells, pair=-1 if directed else 1)):
            found.items.append(item)
        else:
            found.bad += 1
    return found if found.items or (headed and not found.bad) else None


def _find_columns(heads: list[str] | None, body: list[list[str]]) -> tuple[int, int, bool] | None:
    """Find the columns of texts and of labels, and whether the header says which is which."""
    if heads is not None:
        label = next((n for n, head in enumerate(heads) if head in _LABEL_HEADS or head.endswith("_type")), None)
        text = next((n for n, head in enumerate(heads) if head in _TEXT_HEADS and n != label), None)
        if text is not None and label is not None:
            return text, label, True
    width = len(heads) if heads is not None else len(body[0]) if body else 0
    left = [n for n in range(width) if not all(len(row) <= n or row[n].isdecimal() for row in body)]
    return (left[0], left[1], False) if len(left) == 2 else None


def _bare(text: str) -> str:
    """Return a text without marks for bold and code, white space and quotation marks around it.

    >>> _bare(' **"Nokia"** '), _bare("`ORG`,")
    ('Nokia', 'ORG')
    """
    text = text.replace("**", "").replace("`", "").strip().rstrip(",;").strip()
    if len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES:
        text = text[1:-1].strip()
    return text


def _is_label(text: str) -> bool:
    """Whether a text can be a label: one word, or up to three capitalised ones.

    >>> [_is_label(text) for text in ("ORG", "person", "Geopolitical Entity", "makes phones", "Note")]
    [True, True, True, False, False]
    """
    return _LABEL.fullmatch(text) is not None and text.casefold() not in _NO_LABELS


def _is_text(text: str) -> bool:
    """Whether a text can be that of an item: short, and not a sentence."""
    short = 0 < len(text) <= _MAX_TEXT and len(text.split()) <= _MAX_TEXT_WORDS and not _JSON_BRACKET.search(text)
    return short and not _SENTENCE_END.search(text) and text.casefold() not in _NO_LABELS

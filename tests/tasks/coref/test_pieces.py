"""The rows of mentions that are not one stretch of words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import comparanda as cp
from comparanda.core.chains import Chains

Word = tuple[str, str, str]  # id, word, brackets


def conllu(path: Path, *sentences: Sequence[Word]) -> Path:
    """Write sentences as CoNLL-U, in one document."""
    lines = ["# newdoc id = d", "# global.Entity = eid-etype-head-other"]
    for sentence in sentences:
        for place, word, brackets in sentence:
            tree = ("_", "_", "0:root") if "." in place else ("0", "root", "_") if place == "1" else ("1", "dep", "_")
            lines.append("\t".join([place, word, "_", "X", "_", "_", *tree, f"Entity={brackets}" if brackets else "_"]))
        lines.append("")
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def chains_of(key: Path, response: Path) -> Chains:
    found = cp.compare(key, {"s": response}, task="coref", resamples=0).verdicts.view("any").chains
    assert found is not None
    return found


def pieces(chains: Chains) -> list[tuple[int, int, int]]:
    found = chains.pieces
    if found is None:
        return []
    return list(zip(found.span.tolist(), found.begin.tolist(), found.end.tolist(), strict=True))


APART = (
    ("1", "Ann", "(e1-p-1-)"),
    ("2", "saw", ""),
    ("3", "old", "(e1[1/2]-p-1-)"),
    ("4", "and", "(e2-p-1-)"),
    ("5", "tired", ""),
    ("6", "friends", "(e1[2/2]-p-1-)"),
)


def test_the_pieces_of_a_discontinuous_mention_are_rows(tmp_path: Path) -> None:
    chains = chains_of(conllu(tmp_path / "key.conllu", APART), conllu(tmp_path / "s.conllu", APART))
    assert (chains.place.tolist(), chains.width.tolist()) == ([0, 2, 3], [1, 4, 1])
    assert pieces(chains) == [(1, 2, 3), (1, 5, 6)]


def test_they_are_rows_where_positions_count_characters(tmp_path: Path) -> None:
    other = (*APART[:3], ("4", "andtired", ""), ("5", "friends", "(e1[2/2]-p-1-)"))
    chains = chains_of(conllu(tmp_path / "key.conllu", APART), conllu(tmp_path / "s.conllu", other))
    assert pieces(chains) == [(1, 2, 3), (1, 5, 6)]
    assert (chains.key.tolist(), chains.runs[0].tolist()) == ([0, 0, 1], [0, 0, -1])


def test_empty_nodes_have_a_piece_without_length_and_the_sentence_of_the_word_before_them(tmp_path: Path) -> None:
    sentences = (
        (("1", "Anna", "(e1-p-1-)"), ("2", "dorme", ""), ("2.1", "_", "(e1-p-1-)")),
        (("0.1", "_", "(e1-p-1-)"), ("1", "Mangia", ""), ("1.1", "_", "(e1-p-1-)"), ("2", "bene", "")),
    )
    chains = chains_of(conllu(tmp_path / "key.conllu", *sentences), conllu(tmp_path / "s.conllu", *sentences))
    assert chains.place.tolist() == [0, 2, 2, 3]
    assert pieces(chains) == [(1, 2, 2), (2, 2, 2), (3, 3, 3)]
    assert chains.sentence.tolist() == [0, 0, 1, 1]


def test_where_all_mentions_are_words_there_are_no_pieces(tmp_path: Path) -> None:
    plain = (("1", "Ann", "(e1-p-1-)"), ("2", "saw", "(e1-p-1-)"))
    assert chains_of(conllu(tmp_path / "key.conllu", plain), conllu(tmp_path / "s.conllu", plain)).pieces is None


def test_which_mentions_count_as_antecedents_is_told_by_view(tmp_path: Path) -> None:
    words = (("1", "Ann", "(e1-p-1-)"), ("2", "she", "(e1-p-1-)"))
    tagged = {"Ann": "PROPN", "she": "PRON"}
    for name in ("key", "s"):
        path = conllu(tmp_path / f"{name}.conllu", words)
        text = path.read_text()
        for word, tag in tagged.items():
            text = text.replace(f"{word}\t_\tX", f"{word}\t_\t{tag}")
        path.write_text(text)
    found = chains_of(tmp_path / "key.conllu", tmp_path / "s.conllu").candidates
    assert list(found) == ["nominal", "nominal_antecedents", "named", "named_antecedents"]
    assert [counting.tolist() for counting in found.values()] == [[True, False]] * 4


def test_an_empty_node_behind_the_last_word_belongs_to_its_document_and_sentence(tmp_path: Path) -> None:
    sentences = ((("1", "Anna", "(e1-p-1-)"),), (("1", "Dorme", ""), ("1.1", "_", "(e1-p-1-)")))
    key = conllu(tmp_path / "key.conllu", *sentences)
    more = "# newdoc id = e\n1\tEva\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    key.write_text(key.read_text() + more)
    other = tmp_path / "s.conllu"
    other.write_text(key.read_text().replace("Eva", "E\t_\tX\t_\t_\t0\troot\t_\tSpaceAfter=No\n2\tva"))
    for response in (key, other):  # the same words, and others, so that positions count characters
        chains = chains_of(key, response)
        assert chains.document.tolist() == [0, 0]
        assert chains.sentence.tolist() == [0, 1]
        assert pieces(chains) == [(1, 2, 2)]


def test_spans_of_no_length_stand_between_words() -> None:
    given = [(0, 4), (5, 5), (10, 10)]
    spans = [{"begin": begin, "end": end, "chain": "1"} for begin, end in given]
    key = [
        {"id": "d", "text": "Anna dorme", "spans": spans},
        {"id": "e", "text": "", "spans": [{"begin": 0, "end": 0, "chain": "2"}]},
    ]
    found = cp.compare(key, {"s": key}, task="coref", resamples=0)
    chains = found.verdicts.view("any").chains
    assert chains is not None
    assert pieces(chains) == [(1, 1, 1), (2, 2, 2), (3, 0, 0)]
    assert [(each.before, each.word, each.after) for each in found.examples().examples] == [
        ("Anna", "", "dorme"),
        ("Anna dorme", "", ""),
    ]

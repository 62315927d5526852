"""Chains in brat: relations and equivalences that mean coreference."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from tests.formats.corpora import notes, refusal, said, spans

TEXT = "The pilot greeted Ada. She thanked him, and the pilot bowed."
ANNOTATIONS = """\
T1	PERSON 0 9	The pilot
T2	PERSON 18 21	Ada
T3	PERSON 23 26	She
T4	PERSON 35 38	him
T5	PERSON 44 53	the pilot
T6	EVENT 10 17	greeted
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def corpus_of(lines: str, options: str = "", annotations: str = ANNOTATIONS, layer: str = "chains") -> Corpus:
    Path("d.ann").write_text(annotations + lines)
    Path("d.txt").write_text(TEXT)
    return read_input(Input.parse(f"d.ann{options}"), Request(side="key", layer=layer), "tokens")  # type: ignore[arg-type]


def chains(lines: str, options: str = "") -> list[list[int]]:
    """The numbers of the mentions of each chain, those that are alone last."""
    corpus = corpus_of(lines, options)
    given = said(corpus, "chain") if corpus.spans is not None and "chain" in corpus.spans.columns else [None] * 6
    groups: dict[str, list[int]] = {}
    for number, name in enumerate(given, 1):
        groups.setdefault(f"\x7f{number}" if name is None else name, []).append(number)
    return [groups[name] for name in sorted(groups, key=lambda name: (name[0] == "\x7f", groups[name]))]


def refused(lines: str, options: str = "", code: int = 3) -> str:
    return refusal(corpus_of, lines, options, code=code)


class TestLinks:
    def test_equivalences_and_relations(self) -> None:
        lines = "*\tCoreference T1 T4 T5\nR1\tCoref Arg1:T3 Arg2:T2\t\n"
        corpus = corpus_of(lines)
        assert said(corpus, "chain") == ["1.T1", "1.T3", "1.T3", "1.T1", "1.T1", None]
        assert spans(corpus)[1] == ("d", 18, 21, "PERSON")
        assert (corpus.evaluated, corpus.format, notes(corpus)) == ("chains", "brat", [])
        assert corpus.spans is not None
        assert corpus.spans.unit == "characters"

    @pytest.mark.parametrize(
        "name",
        [
            "Coref",
            "coref",
            "COREFERENCE",
            "Coreferent",
            "Identity",
            "IDENT",
            "Anaphora",
            "anaphoric",
            "Equiv",
            "Same_as",
        ],
    )
    def test_usual_names(self, name: str) -> None:
        assert chains(f"R1\t{name} Arg1:T1 Arg2:T4\n") == [[1, 4], [2], [3], [5], [6]]
        assert chains(f"*\t{name} T1 T4\n") == [[1, 4], [2], [3], [5], [6]]

    def test_whatever_is_joined_by_any_way_is_one_chain(self) -> None:
        lines = "R1\tCoref Arg1:T5 Arg2:T4\nR2\tCoref Arg1:T3 Arg2:T2\nR3\tCoref Arg1:T1 Arg2:T4\n*\tEquiv T5 T2\n"
        assert chains(lines) == [[1, 2, 3, 4, 5], [6]]
        assert chains("R1\tCoref Arg1:T4 Arg2:T4\n") == [[4], [1], [2], [3], [5], [6]]

    def test_events_are_told_by_their_triggers(self) -> None:
        assert chains("E1\tEVENT:T6 Who:T1\nR1\tCoref Arg1:E1 Arg2:T3\n") == [[3, 6], [1], [2], [4], [5]]

    def test_names_of_chains_differ_between_files(self) -> None:
        for name in ("c/a", "c/b"):
            Path("c").mkdir(exist_ok=True)
            Path(f"{name}.ann").write_text(ANNOTATIONS + "*\tCoref T1 T5\n")
            Path(f"{name}.txt").write_text(TEXT)
        corpus = read_input(Input.parse("c"), Request(side="key", layer="chains"), "tokens")
        assert set(filter(None, said(corpus, "chain"))) == {"1.T1", "2.T1"}

    def test_an_attribute_may_name_the_chain(self) -> None:
        corpus = corpus_of("A1\tchain T1 boss\nA2\tchain T5 boss\nR1\tCoref Arg1:T3 Arg2:T2\n")
        assert said(corpus, "chain") == ["boss", "1.T3", "1.T3", None, "boss", None]


class TestOptions:
    def test_types_of_relations(self) -> None:
        lines = "R1\tPart-Of Arg1:T1 Arg2:T2\nR2\tSame Arg1:T1 Arg2:T4\nR3\tCoref Arg1:T2 Arg2:T3\n"
        assert chains(lines, "?relations=same,part_of") == [[1, 2, 4], [3], [5], [6]]
        corpus = corpus_of(lines)
        assert notes(corpus) == ["key: relations of other types ignored (Part-Of, Same): 2 (d.ann:7, d.ann:8)"]
        assert refused("R1\tPart-Of Arg1:T1 Arg2:T2\n") == (
            "d.ann:7: no relation has a coreference type; found: Part-Of\n"
            "  set the types: ?relations=Part-Of, or ?relations=none if none is coreference"
        )
        assert notes(corpus_of("R1\tPart-Of Arg1:T1 Arg2:T2\n", "?relations=none")) == [
            "key: relations of other types ignored (Part-Of): 1 (d.ann:7)",
            "key: inputs without coreference relations: every mention is a singleton: 1",
        ]

    def test_annotations_in_no_chain(self) -> None:
        lines = "*\tCoref T1 T5\n"
        assert len(spans(corpus_of(lines))) == 6
        corpus = corpus_of(lines, "?alone=drop")
        assert spans(corpus) == [("d", 0, 9, "PERSON"), ("d", 44, 53, "PERSON")]
        assert notes(corpus) == ["key: annotations in no chain dropped: 4 (d.ann:2, d.ann:3, d.ann:4, …)"]
        assert "invalid alone='x'" in refused(lines, "?alone=x", code=2)

    @pytest.mark.parametrize("option", ["alone=drop", "relations=Coref"])
    def test_they_mean_nothing_for_spans(self, option: str) -> None:
        found = refusal(corpus_of, "", f"?{option}", ANNOTATIONS, "spans", code=2)
        assert found.endswith(
            "applies to chains, which this task does not evaluate\n  leave it out, or use the task coref"
        )


class TestDefects:
    def test_what_is_not_there(self) -> None:
        for line, who in (("R7\tCoref Arg1:T1 Arg2:T9\n", "R7"), ("*\tCoref T1 T9\n", "this line")):
            assert refused(line) == (
                f"d.ann:7: {who} refers to T9, which is not in this file\n  remove this line, or restore the annotation"
            )

    def test_equivalences_that_join_nothing_are_noted(self) -> None:
        corpus = corpus_of("*\tCoref T1\n*\tCoref \n*\tCoref T2 T3\n")
        assert notes(corpus) == ["key: equivalences of fewer than two annotations ignored: 2 (d.ann:7, d.ann:8)"]

    def test_nothing_is_said_to_be_coreferent(self) -> None:
        corpus = corpus_of("A1\tNegated E1\nE1\tEVENT:T6\n")
        assert notes(corpus) == [
            "key: attributes of relations and events ignored: 1 (d.ann:7)",
            "key: inputs without coreference relations: every mention is a singleton: 1",
        ]

    @pytest.mark.parametrize("line", ["R1 Coref Arg1:T1 Arg2:T2", "R1\tCoref T1 T2", "*\tCoref", "* Coref T1 T2"])
    def test_malformed_lines_are_refused(self, line: str) -> None:
        assert refused(f"{line}\n").startswith("d.ann:7: this ")


def test_random_relations_are_joined_as_graphs_are() -> None:
    draw = random.Random(5)
    for _ in range(60):
        pairs = [(draw.randint(1, 6), draw.randint(1, 6)) for _ in range(draw.randint(1, 5))]
        reached = {number: {number} for number in range(1, 7)}
        for _ in range(6):
            for one, other in pairs:
                union = reached[one] | reached[other]
                for member in union:
                    reached[member] = reached[member] | union
        lines = "".join(f"R{number}\tCoref Arg1:T{one} Arg2:T{other}\n" for number, (one, other) in enumerate(pairs))
        assert sorted(chains(lines)) == sorted(map(list, {tuple(sorted(group)) for group in reached.values()}))


@pytest.mark.slow
def test_long_chains_of_relations_take_no_time() -> None:
    count = 30_000
    annotations = "".join(f"T{number}\tX 0 3\n" for number in range(count))
    for pairs in (
        [(each, each + 1) for each in range(count - 1)],
        [(each + 1, each) for each in reversed(range(count - 1))],
    ):
        lines = "".join(f"R{number}\tCoref Arg1:T{one} Arg2:T{other}\n" for number, (one, other) in enumerate(pairs))
        begun = time.process_time()
        corpus = corpus_of(lines, annotations=annotations)
        assert len(set(said(corpus, "chain"))) == 1
        assert time.process_time() - begun < 10

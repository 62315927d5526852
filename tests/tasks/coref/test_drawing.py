"""Chains as text. Drawings are compared whole; nothing is wider than it may be, whatever the mentions are."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from comparanda.findings.examples import Answer, Example, Examples
from comparanda.render.console import as_text, show
from comparanda.render.table import make_visible
from comparanda.tasks.coref.examples import LEGEND, NO_TEXT, ShownChain, ShownMention, draw, one_line, split_sentence
from tests.render.hostile import TEXTS
from tests.seeds import draws


def mention(
    number: int,
    text: str | None,
    line: int,
    back: int | None = 0,
    *,
    in_key: bool = True,
    here: bool = False,
    document: str = "d",
    file: str = "data/s.conll",
) -> ShownMention:
    return ShownMention(
        number=number,
        text=text,
        document=document,
        place=f"{file}:{line}",
        sentences_back=back,
        in_key=in_key,
        here=here,
    )


def chain(
    side: str, mentions: Sequence[ShownMention], size: int | None = None, antecedent: ShownMention | None = None
) -> ShownChain:
    count = len(mentions) if size is None else size
    return ShownChain(
        side=side,
        size=count,
        in_key=sum(each.in_key for each in mentions),
        antecedent=antecedent,
        mentions=tuple(mentions),
    )


def drawing(text: str) -> list[str]:
    return dedent(text).strip("\n").splitlines()


ANNA, SHE = mention(1, "Anna", 3, 2), mention(2, "she", 9, here=True)
MARY = mention(1, "Mary", 8, in_key=False)


def test_chains_stand_below_each_other_with_their_antecedents() -> None:
    sides = [
        chain("key", (ANNA, SHE), 14, ANNA),
        chain("crf", (MARY, SHE, mention(3, "her", 12, -1)), antecedent=MARY),
        chain("first", (replace(SHE, number=1),)),
        chain("bert", ()),
    ]
    assert draw(sides, 80) == drawing("""
        key    → Anna :3, 2 sentences back
               Anna :3 · [she :9] · … 12 more
        crf    → ✗ Mary :8, same sentence
               ✗ Mary :8 · [she :9] · ✓ her :12
        first  [she :9]
        bert   (in no chain)
    """)


def test_the_very_chain_of_the_key_is_not_repeated() -> None:
    key = ShownChain(side="key", size=20, in_key=20, antecedent=ANNA, mentions=(ANNA, SHE))
    same, part, more = (
        ShownChain(side=name, size=size, in_key=20, antecedent=ANNA, mentions=(ANNA, SHE))
        for name, size in zip("abc", (20, 19, 21), strict=True)
    )
    lines = draw([key, same, part, more], 80)
    assert [line for line in lines if "= key" in line] == ["a    = key"]


def test_what_is_left_out_is_counted_wherever_it_is() -> None:
    members = [mention(number, f"m{number}", number, here=number == 1205) for number in (3, 4, 1205)]
    assert draw([chain("key", members, 2000)], 80) == [
        "key  … 2 more · m3 :3 · m4 :4 · … 1,200 more · [m1205 :1205] · … 795 more"
    ]


def test_a_distance_is_one_sentence_or_several() -> None:
    for back, said in ((0, "same sentence"), (1, "1 sentence back"), (1200, "1,200 sentences back")):
        found = replace(ANNA, sentences_back=back)
        assert draw([chain("key", (found, SHE), antecedent=found)], 80)[0] == f"key  → Anna :3, {said}"


def test_a_mention_elsewhere_is_called_by_its_document_and_its_file() -> None:
    beside = mention(1, "Anna", 3, None, document="e")
    apart = mention(2, "Ann", 4, None, document="f", file="other/t.conll")
    members = (beside, apart, mention(3, "she", 9, here=True))
    assert draw([chain("key", members, antecedent=apart)], 80) == drawing("""
        key  → Ann t.conll:4 in f
             Anna :3 in e · Ann t.conll:4 in f · [she :9]
    """)


def test_mentions_without_place_text_or_word() -> None:
    members = [
        replace(mention(1, "Anna", 1), place=None),
        replace(mention(2, None, 1), place=None, sentences_back=None),
        mention(3, "", 5),
        mention(4, "", 7, here=True),
    ]
    assert draw([chain("key", members)], 80) == [f"key  Anna · {NO_TEXT} · ∅ :5 · [∅ :7]"]


def test_long_chains_are_folded_between_mentions_and_long_words_are_cut() -> None:
    members = [
        mention(1, "the very old lady in the blue coat and the grey hat", 3),
        mention(2, "she", 9, here=True),
        *(mention(number, f"mention {number}", number) for number in range(10, 14)),
    ]
    assert draw([chain("key", members, 20)], 60) == drawing("""
        key  the very old lady in the b… :3 · [she :9] · … 7 more ·
             mention 10 :10 · mention 11 :11 · mention 12 :12 ·
             mention 13 :13 · … 7 more
    """)


def test_words_from_right_to_left_keep_their_places() -> None:
    (line,) = draw([chain("key", (mention(1, "שלום", 3), SHE))], 80)
    assert line == "key  \u200eשלום\u200e :3 · [\u200eshe\u200e :9]"


words = st.one_of(st.text(max_size=60), st.sampled_from(TEXTS), st.none())


@given(
    st.lists(
        st.tuples(words, st.booleans(), st.sampled_from(["d", "e" * 50]), st.integers(0, 3)), min_size=1, max_size=12
    ),
    st.integers(20, 120),
    st.text(min_size=1, max_size=30),
    st.data(),
)
@settings(max_examples=draws(60), deadline=None)
def test_no_line_is_wider_than_it_may_be(
    given_: list[tuple[str | None, bool, str, int]], width: int, side: str, data: st.DataObject
) -> None:
    here = data.draw(st.integers(0, len(given_) - 1))
    members = [
        mention(1 + 7 * number, text, number, back, in_key=in_key, here=number == here, document=document)
        for number, (text, in_key, document, back) in enumerate(given_)
    ]
    sides = [chain("key", members, 100), chain(side, members, 101, members[0])]
    lines = draw(sides, width)
    assert max(map(cell_len, lines)) <= width
    text = "".join(lines).replace("\u200e", "")
    assert make_visible(text) == text
    assert sum(line.count("more") for line in lines) >= 2


# In its sentence


EXAMPLE = Example(
    document="d",
    place="k:9",
    before="Then",
    word="she",
    after="left .",
    key="tp",
    answers=(Answer("crf", "wl", right=False, place="data/s.conll:9"),),
    words=(),
    trees=(),
    undrawn=0,
    stretch=None,
    chains=(chain("key", (ANNA, SHE), antecedent=ANNA), chain("crf", (MARY, SHE), antecedent=MARY)),
)


def finding(*examples: Example) -> Examples:
    return Examples(
        view="any", where="true", base=None, new=None, of="sites", count=len(examples), seed=13, examples=examples
    )


def test_an_example_ends_with_its_chains_and_all_with_the_legend() -> None:
    assert as_text(finding(EXAMPLE)).splitlines() == [
        "k:9  d",
        "  Then [she] left .",
        "    key  tp",
        "    crf  wl  wrong  data/s.conll:9",
        "    key  → Anna :3, 2 sentences back",
        "         Anna :3 · [she :9]",
        "    crf  → ✗ Mary :8, same sentence",
        "         ✗ Mary :8 · [she :9]",
        "",
        LEGEND,
        "1 of 1 example shown where true",
    ]


@pytest.mark.parametrize(("text", "shown"), [("", "∅"), (None, NO_TEXT)])
def test_a_mention_without_a_word_has_a_sign_in_its_sentence(text: str | None, shown: str) -> None:
    own = chain("key", (ANNA, replace(SHE, text=text)))
    assert split_sentence(replace(EXAMPLE, word="", chains=(own,))) == ("Then", shown, "left .")


def test_a_sentence_without_end_is_cut_between_words() -> None:
    before, word, after = split_sentence(replace(EXAMPLE, before="abc " * 200, after=" def" * 200))
    assert (before[:6], word, after[-6:]) == ("… abc ", "she", " def …")
    assert len(before) <= 402
    assert len(after) <= 402
    short = replace(EXAMPLE, before="a " * 200, after="b" * 400)
    assert split_sentence(short) == (short.before, "she", short.after)


def test_a_narrow_terminal_is_not_exceeded() -> None:
    class Narrow(io.StringIO):
        def isatty(self) -> bool:
            return True

    long = tuple(mention(number, f"a mention {number}", number, here=number == 4) for number in range(1, 11))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "50")
        patch.setenv("NO_COLOR", "1")
        patch.setenv("TERM", "xterm")
        stream = Narrow()
        show(finding(replace(EXAMPLE, chains=(chain("key", long, 30, long[2]),))), stream)
    text = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    assert max(map(cell_len, text.splitlines())) in range(40, 51)
    assert "[a mention 4 :4]" in text


# As tables


def test_chains_are_a_second_table() -> None:
    first, second = finding(EXAMPLE).tables()
    assert (first.name, second.name) == ("examples", "chains")
    assert second.rows == (
        ("d", "k:9", "she", "key", 2, "Anna :3", 2, "Anna :3 · [she :9]"),
        ("d", "k:9", "she", "crf", 2, "Mary :8", 0, "✗ Mary :8 · [she :9]"),
    )


def test_a_chain_in_one_line_is_not_cut() -> None:
    long = "word " * 30
    assert (
        one_line(chain("a", (mention(1, long, 3, in_key=False), SHE), 9), of_key=False)
        == f"✗ {long} :3 · [she :9] · … 7 more"
    )
    assert one_line(chain("a", ()), of_key=True) == "(in no chain)"

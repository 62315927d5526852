"""Examples of mentions: each in its sentence, with its class, the antecedent that decides, and its chains."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

import comparanda as cp
from comparanda.core.excerpts import TextPart
from comparanda.findings.examples import Example, Examples
from comparanda.result import Result
from comparanda.tasks.coref.examples import LEGEND, NEAR, ShownChain, ShownMention
from tests.seeds import seeds

TAGS = {"She": "PRP", "she": "PRP", "her": "PRP", "it": "PRP", "His": "PRP$"}  # all other words are nouns


def conll(path: Path, documents: Mapping[str, Sequence[str]]) -> Path:
    """Write sentences as CoNLL-2012: a word is in `Ann=(1) met Mary=(2)` followed by its brackets, if it has any."""
    lines = []
    for name, sentences in documents.items():
        lines.append(f"#begin document ({name}); part 000")
        for sentence in sentences:
            cells = [[*word.partition("=")] for word in sentence.split()]
            lines += [
                f"{name}\t0\t{number}\t{word}\t{TAGS.get(word, 'NN')}\t{brackets or '-'}"
                for number, (word, _, brackets) in enumerate(cells)
            ]
            lines.append("")
        lines.append("#end document")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def compared(folder: Path, key: Sequence[str], across: str | None = None, **systems: Sequence[str]) -> Result:
    """Compare systems on one document, `d`."""
    given = {name: conll(folder / name, {"d": sentences}) for name, sentences in systems.items()}
    return cp.compare(conll(folder / "key", {"d": key}), given, task="coref", resamples=0, across=across)


def at(found: Examples, word: str) -> Example:
    """Return the only example with a word."""
    (example,) = [each for each in found.examples if each.word == word]
    return example


def chain_of(example: Example, side: str) -> ShownChain:
    (chain,) = [each for each in example.chains if each.side == side]
    return chain


def written(chain: ShownChain) -> list[str]:
    """Write the mentions of a chain with their numbers: in brackets the one looked at, and `+` before the key's."""
    return [
        f"{each.number} {'+' if each.in_key else ''}{f'[{each.text}]' if each.here else each.text}"
        for each in chain.mentions
    ]


def decided(chain: ShownChain) -> tuple[str | None, int | None] | None:
    """Return the words of the antecedent that decides, and how many sentences back it is."""
    found = chain.antecedent
    return None if found is None else (found.text, found.sentences_back)


# Lines of the files:  1 #begin, 2 Ann 3 met 4 Mary, 6 She 7 left, 9 Bob 10 saw 11 her
KEY = ("Ann=(1) met Mary=(2)", "She=(1) left", "Bob=(3) saw her=(1)")
MARY = ("Ann=(1) met Mary=(2)", "She=(2) left", "Bob=(3) saw her=(2)")
BOTH = ("Ann=(1) met Mary=(1)", "She left", "Bob=(3) saw her=(1)")


def test_a_mention_is_shown_with_the_chains_of_all_sides(tmp_path: Path) -> None:
    found = compared(tmp_path, KEY, same=KEY, mary=MARY).examples()
    example = at(found, "She")
    assert (example.before, example.after, example.key) == ("", "left", "tp")
    assert [(answer.run, answer.value) for answer in example.answers] == [("same", "tp"), ("mary", "wl")]
    assert [chain.side for chain in example.chains] == ["key", "same", "mary"]
    assert written(chain_of(example, "key")) == ["1 +Ann", "2 +[She]", "3 +her"]
    assert written(chain_of(example, "same")) == ["1 +Ann", "2 +[She]", "3 +her"]
    assert written(chain_of(example, "mary")) == ["1 Mary", "2 +[She]", "3 +her"]
    assert [(chain.size, chain.in_key) for chain in example.chains] == [(3, 3), (3, 3), (3, 2)]


def test_each_mention_has_its_line_in_the_file_of_the_side(tmp_path: Path) -> None:
    example = at(compared(tmp_path, KEY, mary=MARY).examples(), "She")
    places = [[each.place for each in chain.mentions] for chain in example.chains]
    assert places == [[f"{tmp_path / name}:{line}" for line in lines] for name, lines in
                      {"key": (2, 6, 11), "mary": (4, 6, 11)}.items()]  # fmt: skip
    mary = chain_of(example, "mary")
    assert mary.antecedent == mary.mentions[0]
    assert [each.sentences_back for each in mary.mentions] == [1, 0, -1]
    assert {each.document for each in mary.mentions} == {"d"}


@pytest.mark.parametrize(
    ("view", "key", "mary", "both"),
    [
        # mary has Mary, She, her: She is a right antecedent of her, but the closest noun is not.
        # both has Ann, Mary, her: Ann is a right antecedent, but Mary is closer.
        ("any", ("She", 1), ("tp", ("She", 1)), ("tp", ("Ann", 2))),
        ("any_antecedents", ("She", 1), ("tp", ("She", 1)), ("tp", ("Ann", 2))),
        ("nominal", ("Ann", 2), ("wl", ("Mary", 2)), ("wl", ("Mary", 2))),
        ("nominal_antecedents", ("Ann", 2), ("wl -5+1", ("Mary", 2)), ("wl -5+1", ("Mary", 2))),
        ("immediate", ("She", 1), ("tp", ("She", 1)), ("wl", ("Mary", 2))),
    ],
)
def test_the_antecedent_that_decides_depends_on_the_view(
    tmp_path: Path,
    view: str,
    key: tuple[str, int],
    mary: tuple[str, tuple[str, int]],
    *,
    both: tuple[str, tuple[str, int]],
) -> None:
    example = at(compared(tmp_path, KEY, mary=MARY, both=BOTH).examples(view=view), "her")
    assert [answer.value for answer in example.answers] == [mary[0], both[0]]
    assert [decided(chain) for chain in example.chains] == [key, mary[1], both[1]]


def test_only_names_decide_in_the_view_of_names(tmp_path: Path) -> None:
    paths = []
    for name, (boss, she) in {"key": ("(1)", "(1)"), "s": ("(1)", "(1)")}.items():
        text = "\n".join(
            f"d\t0\t{number}\t{word}\t{tag}\t{cell}"
            for number, (word, tag, cell) in enumerate(
                [("Ann", "NNP", "(1)"), ("boss", "NN", boss), ("she", "PRP", she)]
            )
        )
        paths.append(tmp_path / name)
        paths[-1].write_text(f"#begin document (d);\n{text}\n\n#end document\n")
    result = cp.compare(paths[0], {"s": paths[1]}, task="coref", resamples=0)
    antecedents = {view: decided(at(result.examples(view=view), "she").chains[1]) for view in ("named", "nominal")}
    assert antecedents == {"named": ("Ann", 0), "nominal": ("boss", 0)}


def test_a_side_without_the_mention_has_no_chain(tmp_path: Path) -> None:
    silent = ("Ann=(1) met Mary=(1)", "She left", "Bob saw her")
    example = at(compared(tmp_path, KEY, silent=silent).examples(), "She")
    assert example.answers[0].value == "fn"
    assert chain_of(example, "silent") == ShownChain(side="silent", size=0, in_key=0, antecedent=None, mentions=())


def test_the_first_of_a_chain_has_no_antecedent(tmp_path: Path) -> None:
    late = ("Ann met Mary", "She=(1) left", "Bob saw her=(1)")
    example = at(compared(tmp_path, KEY, late=late).examples(), "She")
    assert example.answers[0].value == "fn"
    assert (decided(chain_of(example, "late")), written(chain_of(example, "late"))) == (None, ["1 +[She]", "2 +her"])


def test_of_a_mention_that_the_key_does_not_have_nothing_is_in_its_chain(tmp_path: Path) -> None:
    eager = ("Ann=(1) met Mary=(2)", "She=(1) left=(1)", "Bob=(3) saw her=(1)")
    example = at(compared(tmp_path, KEY, eager=eager).examples(), "left")
    assert (example.key, example.answers[0].value) == ("tn", "fp")
    assert chain_of(example, "key").size == 0
    assert written(chain_of(example, "eager")) == ["1 Ann", "2 She", "3 [left]", "4 her"]
    assert decided(chain_of(example, "eager")) == ("She", 0)


def test_mentions_that_begin_at_the_same_place_are_told_apart(tmp_path: Path) -> None:
    key = ("Bob=(1) ran", "His=(2(1) mother=2) and His=(2(1) mother=2) left")
    wrong = ("Bob=(1) ran", "His=(1 mother=1) and His=(2(1) mother=2) left")
    found = compared(tmp_path, key, wrong=wrong).examples()
    assert [(each.word, each.answers[0].value) for each in found.examples] == [
        ("His mother", "fp"),  # the key has it as the first of its chain
        ("His", "fn"),
        ("His mother", "fn"),
        ("His", "tp"),
    ]
    assert [written(chain_of(each, "key")) for each in found.examples] == [
        ["1 +[His mother]", "2 +His mother"],
        ["1 +Bob", "2 +[His]", "3 +His"],
        ["1 +His mother", "2 +[His mother]"],
        ["1 +Bob", "2 +His", "3 +[His]"],
    ]
    assert [written(chain_of(each, "wrong")) for each in found.examples] == [
        ["1 Bob", "2 +[His mother]", "3 His"],
        [],
        ["1 +[His mother]"],
        ["1 +Bob", "2 His mother", "3 +[His]"],
    ]


# Long chains


def numbers(chain: ShownChain) -> list[int]:
    return [each.number for each in chain.mentions]


@pytest.mark.parametrize(
    ("looked_at", "shown"),
    [
        (2, [1, 2, 3, 4, 5, 6]),
        (6, [*range(1, 11)]),
        (7, [*range(1, 12)]),  # 2 would be a gap of one
        (8, [1, *range(4, 13)]),
        (15, [1, *range(11, 20)]),
        (24, [1, *range(20, 29)]),
        (25, [1, *range(21, 31)]),  # 30 would be
        (30, [1, *range(26, 31)]),
    ],
)
def test_a_long_chain_is_cut_around_the_mention(tmp_path: Path, looked_at: int, shown: list[int]) -> None:
    sentences = [f"it=(1) w{number}" for number in range(1, 31)]
    found = compared(tmp_path, sentences, same=sentences).examples(top=0)
    assert NEAR == 4
    (example,) = [each for each in found.examples if each.after == f"w{looked_at}"]
    for chain in example.chains:
        assert chain.size == chain.in_key == 30
        assert numbers(chain) == shown
        assert [each.number for each in chain.mentions if each.here] == [looked_at]
        assert [each.sentences_back for each in chain.mentions] == [looked_at - number for number in shown]


def test_the_antecedent_that_decides_is_shown_wherever_it_is(tmp_path: Path) -> None:
    sentences = [f"it=(1) w{number}" for number in range(1, 31)]
    key = [f"it=(1) w{number}" if number in {5, 20} else f"it w{number}" for number in range(1, 31)]
    found = compared(tmp_path, key, all=sentences).examples('key == "tp"')
    (example,) = found.examples
    chain = chain_of(example, "all")
    assert example.answers[0].value == "tp"
    assert numbers(chain) == [1, 5, *range(16, 25)]
    assert (chain.size, chain.in_key) == (30, 2)
    assert chain.antecedent is not None
    assert (chain.antecedent.number, chain.antecedent.sentences_back) == (5, 15)


def test_a_long_mention_is_cut(tmp_path: Path) -> None:
    long = " ".join(["w0=(1", *(f"w{number}" for number in range(1, 59)), "w59=1)"])
    example = at(compared(tmp_path, (long, "it=(1)"), same=(long, "it=(1)")).examples(), "it")
    first = example.chains[0].mentions[0].text
    assert first is not None
    assert (first[:6], first[-6:], len(first.split())) == ("w0 w1 ", " w39 …", 41)


# Who is shown


def test_a_pair_is_shown_alone_and_every_mention_keeps_its_chains(tmp_path: Path) -> None:
    """Sites that a third system alone raises are left out, so the sites of a pair have other numbers."""
    eager = ("Ann=(1) met=(1) Mary=(2)", "She=(1) left=(1)", "Bob=(3) saw her=(1)")
    result = compared(tmp_path, KEY, eager=eager, same=KEY, mary=MARY)
    assert [each.word for each in result.examples().examples] == ["met", "She", "left", "her"]
    found = result.examples("differs", "same", "mary")
    (example,) = found.examples
    assert (example.word, [chain.side for chain in example.chains]) == ("She", ["key", "same", "mary"])
    assert written(chain_of(example, "mary")) == ["1 Mary", "2 +[She]", "3 +her"]


def test_other_tasks_have_no_chains() -> None:
    found = cp.compare(["a", "b"], {"s": ["a", "a"]}, task="tag", resamples=0).examples()
    assert [example.chains for example in found.examples] == [(), ()]


# Items


def test_items_are_shown_whole_and_with_their_chains(tmp_path: Path) -> None:
    key = ("Ann=(1) came", "the=(1 old lady=1) left")
    silent = ("Ann=(1) came", "the old lady left")
    result = compared(tmp_path, key, silent=silent, same=key)
    (example,) = result.examples('positive and not claims("silent")').examples
    assert (example.before, example.word, example.after) == ("", "the old lady", "left")
    assert [(chain.side, chain.size) for chain in example.chains] == [("key", 2), ("silent", 0), ("same", 2)]
    assert decided(chain_of(example, "same")) == ("Ann", 1)


# Documents


def test_a_mention_in_another_document_is_called_by_it(tmp_path: Path) -> None:
    texts = {"one": ("Ann=(1) came",), "two": ("She=(1) left",)}
    key, same = conll(tmp_path / "key", texts), conll(tmp_path / "same", texts)
    (example,) = cp.compare(key, {"same": same}, task="coref", resamples=0, across="all").examples().examples
    chain = example.chains[1]
    assert [(each.document, each.sentences_back) for each in chain.mentions] == [("one", None), ("two", 0)]
    assert chain.antecedent == chain.mentions[0]


def test_of_a_document_that_the_key_does_not_have_there_is_no_text(tmp_path: Path) -> None:
    texts = {"d": KEY}
    key = conll(tmp_path / "key", texts)
    more = conll(tmp_path / "more", {**texts, "e": ("Ann=(1) came", "She=(1) left")})
    (example,) = cp.compare(key, {"more": more}, task="coref", resamples=0).examples('document == "e"').examples
    assert (example.document, example.place, example.word, example.key) == ("e", None, "", "tn")
    missing = [
        ShownMention(
            number=number, text=None, document="e", place=None, sentences_back=None, in_key=False, here=number == 2
        )
        for number in (1, 2)
    ]
    assert example.chains == (
        ShownChain(side="key", size=0, in_key=0, antecedent=None, mentions=()),
        ShownChain(side="more", size=2, in_key=0, antecedent=missing[0], mentions=tuple(missing)),
    )


# Mentions that are not one stretch of words


def conllu(path: Path, *sentences: Sequence[tuple[str, str, str]]) -> Path:
    """Write sentences of ids, words and brackets as CoNLL-U, in one document."""
    lines = ["# newdoc id = d", "# global.Entity = eid-etype-head-other"]
    for number, sentence in enumerate(sentences, start=1):
        lines.append(f"# sent_id = {number}")
        for place, word, brackets in sentence:
            tree = ("_", "_", "0:root") if "." in place else ("0", "root", "_") if place == "1" else ("1", "dep", "_")
            misc = f"Entity={brackets}" if brackets else "_"
            lines.append("\t".join([place, word, "_", "X", "_", "_", *tree, misc]))
        lines.append("")
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


ZEROS = (
    (("1", "Anna", "(e1-p-1-)"), ("2", "dorme", ""), ("2.1", "_", "(e1-p-1-)")),
    (("0.1", "_", "(e1-p-1-)"), ("1", "Mangia", ""), ("2", "bene", ""), ("2.1", "_", "(e1-p-1-)"), ("3", ".", "")),
)


def test_empty_nodes_stand_between_words(tmp_path: Path) -> None:
    key, same = conllu(tmp_path / "key.conllu", *ZEROS), conllu(tmp_path / "same.conllu", *ZEROS)
    found = cp.compare(key, {"same": same}, task="coref", resamples=0).examples()
    assert [(each.before, each.word, each.after) for each in found.examples] == [
        ("Anna dorme", "", ""),
        ("", "", "Mangia bene ."),
        ("Mangia bene", "", "."),
    ]
    for number, example in enumerate(found.examples, start=2):
        for chain in example.chains:
            assert [each.text for each in chain.mentions] == ["Anna", "", "", ""]
            assert [each.number for each in chain.mentions if each.here] == [number]
    assert [each.sentences_back for each in found.examples[1].chains[0].mentions] == [1, 1, 0, 0]
    assert [each.place for each in found.examples[0].chains[0].mentions] == [f"{key}:{line}" for line in (4, 5, 10, 13)]


def test_a_discontinuous_mention_is_shown_without_its_gaps(tmp_path: Path) -> None:
    sentences = (
        (("1", "Ann", "(e1-p-1-)"), ("2", "saw", ""), ("3", "old", "(e1[1/2]-p-1-)"), ("4", "and", ""),
         ("5", "tired", ""), ("6", "friends", "(e1[2/2]-p-1-)")),
    )  # fmt: skip
    key, same = conllu(tmp_path / "key.conllu", *sentences), conllu(tmp_path / "same.conllu", *sentences)
    (example,) = cp.compare(key, {"same": same}, task="coref", resamples=0).examples().examples
    assert (example.before, example.word) == ("Ann saw", "old and tired friends")
    assert [each.text for each in example.chains[0].mentions] == ["Ann", "old … friends"]


# In all formats


def test_chains_are_in_the_json_and_in_the_tables(tmp_path: Path) -> None:
    found = compared(tmp_path, KEY, mary=MARY).examples('text == "She"')
    (example,) = json.loads(found.to_json())["examples"]
    _, mary = example["chains"]
    assert (mary["side"], mary["size"], mary["in_key"], mary["antecedent"]["text"]) == ("mary", 3, 2, "Mary")
    assert mary["mentions"][1] == {
        "number": 2, "text": "She", "document": "d", "place": f"{tmp_path}/mary:6", "sentences_back": 0,
        "in_key": True, "here": True,
    }  # fmt: skip
    assert "✗ Mary :4 · \\[She :6\\] · ✓ her :11" in found.to_markdown()


def test_an_example_prints_its_chains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = compared(Path(), KEY, mary=MARY, silent=("Ann met Mary", "She left", "Bob saw her"), same=KEY)
    assert str(found.examples('text == "She"')).splitlines() == [
        "key:6  d",
        "  [She] left",
        "    key     tp",
        "    mary    wl  wrong  mary:6",
        "    silent  fn  wrong  silent:6",
        "    same    tp  right  same:6",
        "    key     → Ann :2, 1 sentence back",
        "            Ann :2 · [She :6] · her :11",
        "    mary    → ✗ Mary :4, 1 sentence back",
        "            ✗ Mary :4 · [She :6] · ✓ her :11",
        "    silent  (in no chain)",
        "    same    = key",
        "",
        LEGEND,
        '1 of 1 example shown where text == "She"',
    ]


# Against the definitions, on random chains


Chains = Sequence[Sequence[int]]


def random_chains(dice: random.Random, mentions: Iterable[int]) -> Chains:
    """Put some of the mentions into chains."""
    chains: dict[int, list[int]] = {}
    for mention in mentions:
        if dice.random() < 0.8:
            chains.setdefault(dice.randrange(4), []).append(mention)
    return list(chains.values())


def deciding(key: Chains, response: Chains, mention: int, view: str, *, nouns: set[int]) -> tuple[str, int | None]:
    """Return the class of a mention and the antecedent that decides, as DEFINITIONS 8 say."""
    theirs = [other for chain in key if mention in chain for other in chain if other < mention]
    ours = [other for chain in response if mention in chain for other in chain if other < mention]
    counting = [other for other in ours if view != "nominal" or other in nouns]
    if not counting:
        return ("fn" if theirs else "tn"), None
    closest = max(counting)
    if not theirs:
        return "fp", closest
    if view == "any":
        shared = {*counting} & {*theirs}
        return ("tp", max(shared)) if shared else ("wl", closest)
    right = closest == max(theirs) if view == "immediate" else closest in theirs
    return ("tp" if right else "wl"), closest


@pytest.mark.parametrize("seed", seeds(3, of=12))
def test_classes_and_antecedents_are_those_of_the_definitions(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    count = 24
    nouns = {number for number in range(count) if dice.random() < 0.4}
    sides = {name: random_chains(dice, range(count)) for name in ("key", "a", "b")}
    paths = {}
    for name, chains in sides.items():
        number_of = {mention: number for number, chain in enumerate(chains) for mention in chain}
        words = [
            f"{'noun' if word in nouns else 'it'}{f'=({number_of[word]})' if word in number_of else ''}"
            for word in range(count)
        ]
        paths[name] = conll(
            tmp_path / name, {"d": [" ".join(words[begin : begin + 3]) for begin in range(0, count, 3)]}
        )
    line = {mention: 2 + mention + mention // 3 for mention in range(count)}
    result = cp.compare(paths["key"], {name: paths[name] for name in "ab"}, task="coref", resamples=0)
    for view in ("any", "nominal", "immediate"):
        found = result.examples(view=view, top=0).examples
        assert found
        for example in found:
            mention = next(each for each in line if example.place == f"{paths['key']}:{line[each]}")
            for answer, chain in zip(example.answers, example.chains[1:], strict=True):
                value, antecedent = deciding(
                    sides["key"], response=sides[answer.run], mention=mention, view=view, nouns=nouns
                )
                place = None if antecedent is None else f"{paths[answer.run]}:{line[antecedent]}"
                assert answer.value == value
                assert (None if chain.antecedent is None else chain.antecedent.place) == place
                if antecedent is not None and chain.antecedent is not None:
                    assert chain.antecedent.sentences_back == mention // 3 - antecedent // 3
            for chain in example.chains:
                mine = next((each for each in sides[chain.side] if mention in each), ())
                right = next((each for each in sides["key"] if mention in each), ())
                assert (chain.size, chain.in_key) == (len(mine), len({*mine} & {*right}))
                for each in chain.mentions:
                    assert str(each.place).endswith(f":{line[mine[each.number - 1]]}")
                    assert each.in_key == (mine[each.number - 1] in right)


def test_of_the_mentions_of_a_chain_no_more_is_read_than_their_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text may be one sentence of a whole book: it is read once for each example, not once for each mention."""
    words = [f"w{number}=({number % 30})" if number % 10 == 0 else f"w{number}" for number in range(3000)]
    result = compared(tmp_path, [" ".join(words)], same=[" ".join(words)])
    read, joined = [], TextPart._join_words

    def counted(part: TextPart, begin: int, end: int) -> str:
        read.append(end - begin)
        return joined(part, begin, end)

    monkeypatch.setattr(TextPart, "_join_words", counted)
    found = result.examples(top=2)
    mentions = {each.place for example in found.examples for each in example.chains[0].mentions}
    assert sum(read) == 2 * 3000 + len(mentions)
    assert len(mentions) > 10
    assert len(str(found)) < 5000

"""Every number in the text of the case study is computed again; its blocks are run by `test_docs`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from .case_study import NOTHING, PAGE, Entities, Links, clear_gains, joint
from .pages import link_shared_data

pytestmark = pytest.mark.slow

WRONG = ("Italy", "the actual doctor")
OPEN = ("Calgary", "Morocco")
RIGHT = ("Chuck", "Kelly ' s", "Kessel", "Serbia", "Mirai", "Clarke", "porygon", "T- 800")
USERS = 8
READ = len(WRONG) + len(OPEN) + len(RIGHT) + USERS
"""What the reader said of the first suspects, among them names of users: what no program can find."""

NAMES = re.compile(r"F1|WNUT-17|HIPE-2020|CC BY\S* 4\.0|, 20\d\d\)|noisy-text\.github\.io/2017/files")
"""Digits in names, licences, years and addresses."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("study"))
        link_shared_data(PAGE)
        yield


@pytest.fixture(scope="module")
def entities(folder: None) -> Entities:
    return Entities()


@pytest.fixture(scope="module")
def links(folder: None) -> Links:
    return Links()


# What the text says, piece by piece, with numbers that are computed


def in_short(study: Entities) -> Iterator[str]:
    oracle, best = study.combination.items, study.votes["at-least-2"]
    pairs, apart = len(study.board.tests), study.f1["spinningbytes"] - study.f1["sjtu_adapt"]
    yield f"Of {pairs} pairs {len(study.significant)} differ significantly, and {study.may_be_best} systems may each be"
    yield f"Two systems {apart:.2f} points of F1 apart differ at {100 * study.difference.diff:.2f} % of all places"
    yield f"scores {100 * best.value:.2f}, the best system {max(study.f1.values()):.2f}, the oracle"
    yield f", the oracle {100 * oracle.f1:.2f}: a vote goes {100 * best.gained:.0f} % of the way"
    yield f"{study.suspects.unfound.count} of {oracle.positives:,} entities are found by no system"
    yield f"Of the first {READ} suspects {len(WRONG)} look like slips"


def board(study: Entities) -> Iterator[str]:
    real = sum(frozenset(pair) in study.significant for pair in pairwise(study.f1))
    detectable = [100 * each.detectable for each in study.board.tests]
    group = sum(each.group == 1 for each in study.board.standings)
    yield f"Of the {len(study.f1) - 1} gaps between neighbours {real} is significant, the last"
    yield f"a gap must be about {min(detectable):.2f} to {max(detectable):.2f} points wide"
    yield f"the first five are within {study.f1['uh_ritual'] - study.f1['flytxt']:.2f} points"
    yield f"Each of the first {study.may_be_best}, whose *ranks* begin with 1"
    yield f"Nor that the {group} of the first group"


def difference(study: Entities) -> Iterator[str]:
    found, pair = study.difference, {"sjtu_adapt", "spinningbytes"}
    apart = study.f1["spinningbytes"] - study.f1["sjtu_adapt"]
    (p,) = (each.p for each in study.board.tests if {each.base, each.new} == pair)
    false = {name: study.items(f'not positive and claims("{name}")') for name in pair}
    least = min(study.result.pairs().pairs, key=lambda each: each.diff or 0.0)
    yield f"are {apart:.2f} points apart (p = {p:.2f})"
    yield f"At {found.different} of {found.sites:,} places their outputs differ"
    yield f"corrects {found.of('correction').count} places and breaks {found.of('new_error').count}"
    yield f"F1 rises by {apart:.2f} while accuracy at the places *falls* by {-100 * found.accuracy_difference:.2f}"
    yield f"`spinningbytes` makes {false['spinningbytes']}, `sjtu_adapt` {false['sjtu_adapt']}"
    yield f"persons ({study.changed('person'):+.2f} points right)"
    yield f"worse on corporations ({study.changed('corporation'):+.2f})"
    yield f"`{least.base}` and `{least.new}`, differ at {100 * (least.diff or 0):.2f} % of their places"


def complementarity(study: Entities) -> Iterator[str]:
    fcomps, others = study.fcomps(), study.fcomps(without="drexel_cci").values()
    comps = [100 * each.comp.value for each in study.rates]
    pair = study.pair("spinningbytes", "uh_ritual")
    best = max(joint(study.complementarity), key=lambda each: float(each.f1_gain))
    pairs, worth = len(study.complementarity.pairs), clear_gains(study.complementarity)
    found, missed = (
        study.items('positive and claims("drexel_cci")'),
        study.items('positive and not claims("uh_ritual")'),
    )
    yield f"The highest [FComp](findings/complementarity.md) is {max(fcomps.values()):.2f}, the errors of"
    yield f"the lowest is {min(fcomps.values()):.2f}, those of"
    yield f"it finds {found} of {study.items('positive'):,} entities"
    yield f"Leave it out, and FComp goes from {min(others):.2f} to {max(others):.2f}"
    yield f"It adds {100 * pair.union.recall_gain:.2f} points here"
    yield f"the {missed} entities that `uh_ritual` misses"
    yield f"{100 * pair.back.rcomp.value:.2f} % of these are {pair.overlap.found_by_first.count} entities"
    yield f"The gain is cancelled by {pair.overlap.spurious_in_first.count} false claims"
    yield f"precision rises by {100 * pair.intersection.precision_gain:.2f} points"
    yield f"And F1 falls by {-100 * pair.intersection.f1_gain:.2f}"
    yield f"All {pairs} unions and {pairs} intersections were scored: {worth} of them have an interval above zero"
    yield f"the union above, {100 * best.f1_gain:+.2f} [{100 * best.low:+.2f}, {100 * best.high:+.2f}]"
    yield f"the highest FComp is at {100 * study.pair('drexel_cci', 'spinningbytes').union.f1_gain:.2f}"
    yield f"Comp is between {min(comps):.2f} and {max(comps):.2f} everywhere"


def together(study: Entities) -> Iterator[str]:
    found, oracle = study.combination, study.combination.items
    by_none, *_, by_all = found.hardness
    more = 100 * oracle.f1 - max(study.f1.values())
    (unanimous,) = (each for each in found.agreement if each.agree == 7)
    on_something = f'agreement == 7 and value("arcada") != "{NOTHING}"'
    right = study.result.count(f"{on_something} and majority_right")
    yield f"has an F1 of {100 * oracle.f1:.2f}, {more:.2f} points more than the best"
    yield f"It finds {oracle.found} of {oracle.positives:,} entities"
    yield f"Of {found.overall.sites:,} places {by_none.count} are solved by none and {by_all.count} by all"
    yield f"Three systems reach {100 * found.greedy[2].accuracy:.2f} % of the places"
    yield f"all seven {100 * found.overall.oracle:.2f} %"
    yield f"alone right at {study.alone('drexel_cci')} places, the first, `uh_ritual`, at {study.alone('uh_ritual')}"
    yield f"they are right at only {unanimous.right} of {unanimous.sites} places"
    yield f"at {len(study.agreed(on_nothing=True))} of them all seven have *nothing*"
    yield f"agree on an entity, they are right at {right} of {study.result.count(on_something)}"
    yield f"The {study.suspects.unfound.count} entities that no system finds"
    yield f"an ensemble will come near {100 * oracle.f1:.2f}"


def votes(study: Entities) -> Iterator[str]:
    best, scores = study.votes["at-least-2"], study.f1.values()
    gap = study.f1["uh_ritual"] - study.f1["mic-cis"]
    same = 100 * study.combined("per-label", same_data=True, resamples=0).finding.methods[0].difference
    below = sum(each.difference < 0 for each in study.votes.values())
    yield f"`at-least-3` gain {study.gain('at-least-2'):.2f} and {study.gain('at-least-3'):.2f} points"
    yield f"Holm corrects for all {len(study.votes)} ways"
    yield f"from the sixth ({gap:.2f}), and {100 * best.gained:.0f} % of the way"
    yield f"four of seven, gains {study.gain('at-least-4'):.2f}, which may be chance"
    yield f"`weighted` has the {study.spans('weighted')} spans of the majority"
    yield f"With weights between {min(scores):.2f} and {max(scores):.2f}"
    yield f"gains {study.gain('per-label'):.2f} cross-validated"
    yield f"it seems to gain {same:.2f}"
    yield f"The tag vote gains {study.gain('tag-vote'):.2f}"
    yield f"of its {study.spans('tag-vote')} spans only {study.joined(0)} were put together from parts"
    yield f"and {study.joined(0, 'positive')} of these are right; {study.joined(3)} are spans that three systems have"
    yield f"{below} of these {len(study.votes)} are *below* the best system"


def alike(study: Entities) -> Iterator[str]:
    lowest, highest = study.kappas[0], study.kappas[-1]
    yield f"{highest[0]:.2f} for the first two, {lowest[0]:.2f} for `{lowest[1]}` and `{lowest[2]}`"
    yield f"`mic-cis` gains {100 * study.pair('drexel_cci', 'mic-cis').union.f1_gain:+.2f}"


def suspects(study: Entities) -> Iterator[str]:
    found, nothing, something = study.suspects, study.agreed(on_nothing=True), study.agreed(on_nothing=False)
    (late,) = (each for each in found.suspects if (each.word, each.agree) == ("Coleman", 6))
    persons = sum(each.key.startswith("person") for each in nothing)
    yield f"are {found.count} places: at {found.agreed.count} all seven agree with each other against the key"
    yield f"and {found.unfound.count} entities are found by none"
    yield f"These {len(something)} are the places where all seven agree on an entity"
    yield f"We read the first {READ} suspects"
    yield f"| judgement | of {READ} |"
    yield f"| the key is wrong | {len(WRONG)} |"
    yield f"| it depends on a convention | {len(OPEN) + USERS} |"
    yield f"the team or the place, {USERS} names of users"
    yield f"| the key is right, or can be defended | {len(RIGHT)} |"
    yield f"makes {study.count_after_at('B-person')} words after `@` the first word of a person"
    yield f"and {study.count_after_at('O')} not"
    yield f"All seven have nothing at {persons} persons"
    yield f"at rank {late.rank}: `Coleman`"
    yield f"behind the {len(nothing)} places where all seven have nothing"
    yield f"of these {len(something)} it was wrong once"
    yield f"{READ} from the top are not a sample"


def linkers(study: Links) -> Iterator[str]:
    mentions, linked = study.of("team10", "fuzzy"), study.of("team10")
    missed, mistaken = ("missed", "missed (fuzzy)"), ("NIL for id", "wrong id")
    lost = {name: (study.lost(name, *missed), study.lost(name, *mistaken)) for name in ("team10", "team33")}
    sources = study.all.error_sources("team10", "team31")
    yield f"{mentions - linked} of the {mentions} mentions of the key are NIL"
    yield f"`team31-given` has {study.right('team31-given', 'fuzzy')} right and is better than `team33-given`"
    yield f"which has {study.right('team33-given', 'fuzzy')}. Without NIL it has {study.right('team31-given')} and is"
    yield f"`team31` is scored on {study.of('team31', 'linking')} of {linked} linked mentions there"
    yield f"`team33` on {study.of('team33', 'linking')}"
    yield f"`team10` loses {lost['team10'][0]} of the {linked} to its tagger and {lost['team10'][1]} to its resolver"
    yield f"`team33` {lost['team33'][0]} and {lost['team33'][1]}"
    yield f"one of its tagger at {sources.count('none', 'tagger')} places"
    yield f"one of its resolver at {sources.count('none', 'resolver')}"


def links_together(study: Links) -> Iterator[str]:
    found, votes = study.complementarity, {each.method: each for each in study.combined.finding.methods}
    (union,) = (each.union for each in found.pairs if {each.first, each.second} == {"team33", "team10-second"})
    count = study.combined.result.count
    two = count('claims("at-least-2")')
    both = count('claims("at-least-2") and claims("team10") and claims("team10-second")')
    yield f"FComp {100 * found.rates('team33', 'team10-second').fcomp.value:.2f} with `team10-second`"
    yield f"is at {100 * union.f1_gain:.2f}, and of {len(found.pairs)} pairs {clear_gains(found)} gain"
    yield f"the oracle promises {100 * study.combined.finding.oracle:.2f}"
    yield f"three of four, loses {-100 * votes['majority'].difference:.2f}"
    yield f"At two of four {both} of {two} links are in both runs of `team10`"
    yield f"At {study.result.suspects().agreed.count} places all four agree against the key"
    yield f"at {len(study.agreed)} of these on a link"
    yield f"{len(study.all.verdicts.documents)} documents are few"
    yield f"every interval here is at least {int(study.narrowest)} points wide"


# The tests


def prose(page: str) -> str:
    """Return a page without its blocks, white space being one space."""
    return " ".join(re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL).split())


def unchecked(text: str, pieces: list[str]) -> list[str]:
    """Return the numbers that stand in none of the pieces, in no inline code and in no name."""
    checked = [False] * len(text)
    for piece in pieces:
        for found in re.finditer(re.escape(piece), text):
            checked[found.start() : found.end()] = [True] * len(piece)
    for found in re.finditer(rf"<!--.*?-->|`[^`]*`|{NAMES.pattern}", text):
        checked[found.start() : found.end()] = [True] * len(found[0])
    numbers = re.finditer(r"\d+(?:[.,]\d+)*", text)
    return [
        text[max(0, each.start() - 30) : each.end() + 10] for each in numbers if not all(checked[slice(*each.span())])
    ]


def test_every_number_in_the_text_is_the_one_computed(entities: Entities, links: Links) -> None:
    of_entities = (in_short, board, difference, complementarity, together, votes, alike, suspects)
    pieces = [piece for section in of_entities for piece in section(entities)]
    pieces += [piece for section in (linkers, links_together) for piece in section(links)]
    text = prose(PAGE)
    assert [piece for piece in pieces if piece not in text] == []
    assert unchecked(text, pieces) == []


def test_a_number_that_nobody_computes_is_seen() -> None:
    text = "Of 3 pairs 2 differ, at 4,100 places. `at-least-2` of WNUT-17"
    assert unchecked(text, ["Of 3 pairs 2 differ", "at 4,100 places"]) == []
    assert unchecked(text, ["Of 3 pairs 2 differ", "at 4"]) == ["Of 3 pairs 2 differ, at 4,100 places. `"]
    assert len(unchecked(text, ["Of 3 pairs 1 differ"])) == 3


def test_what_the_text_says_of_wnut_without_numbers_is_true(entities: Entities) -> None:
    fcomps = entities.fcomps()
    assert max(fcomps, key=fcomps.__getitem__) == ("drexel_cci", "spinningbytes")
    assert min(fcomps, key=fcomps.__getitem__) == ("sjtu_adapt", "drexel_cci")
    last = {frozenset(("drexel_cci", name)) for name in entities.f1 if name != "drexel_cci"}
    assert entities.significant == last | {frozenset(("uh_ritual", "mic-cis"))}
    best = max(entities.complementarity.pairs, key=lambda pair: float(pair.union.f1_gain))
    assert (best.first, best.second) == ("spinningbytes", "uh_ritual")
    assert [entities.kappas[0][1:], entities.kappas[-1][1:]] == [("drexel_cci", "mic-cis"), ("sjtu_adapt", "uh_ritual")]


def test_what_was_read_are_the_first_suspects(entities: Entities) -> None:
    first = entities.suspects.suspects[:READ]
    users = [each for each in first if each.before.endswith("@")]
    assert len(users) == USERS
    assert sorted(each.word for each in first if each not in users) == sorted((*WRONG, *OPEN, *RIGHT))
    assert {each.word for each in entities.agreed(on_nothing=False)} & set(WRONG) == {"Italy"}


def test_what_the_text_says_of_votes_is_true(entities: Entities) -> None:
    better = [name for name, each in entities.votes.items() if each.p_holm < 0.05 and each.difference > 0]
    assert better == ["at-least-2", "at-least-3", "tag-vote"]
    both = entities.combined("weighted", "at-least-4", resamples=0).result
    assert both.count('claims("weighted") != claims("at-least-4")') == 0


def test_what_the_text_says_of_hipe_without_numbers_is_true(links: Links) -> None:
    assert links.f1("team31-given", "fuzzy") > links.f1("team33-given", "fuzzy")
    assert links.f1("team31-given", "end_to_end") < links.f1("team33-given", "end_to_end")
    assert links.f1("team31", "end_to_end") > links.f1("team33", "end_to_end")
    assert links.f1("team31", "linking") < links.f1("team33", "linking")
    rates = [rates for pair in links.complementarity.pairs for rates in (pair.forth, pair.back)]
    highest = max(rates, key=lambda each: float(each.fcomp.value))
    assert (highest.system, highest.other) == ("team33", "team10-second")
    assert all(each.difference < 0 for each in links.combined.finding.methods)
    assert [(each.word, each.key, each.proposed) for each in links.agreed] == [
        ("New Haven", "ENTITY→NIL[0:2]", "ENTITY→Q49145[0:2]"),
        ("Alexandria", "ENTITY→Q88[0:1]", "ENTITY→Q87[0:1]"),
    ]

"""Findings full of text that wants to be more than text."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from comparanda.core.sites import Sites
from comparanda.core.verdicts import System, Verdicts
from comparanda.findings.examples import Answer, Example, Examples
from comparanda.render.finding import Finding
from comparanda.result import Result
from comparanda.tasks.coref.examples import ShownChain, ShownMention
from comparanda.tasks.spans.examples import ItemVerdict, Piece, RunVerdict, Span, SpanLine, Stretch
from comparanda.tasks.trees.examples import Arc, Tree
from tests.toy_task import findings, verdicts_of

TEXTS = (
    "\x1b[31mred\x1b[0m",
    "\x9b31m",
    "a\u202egnp.exe",
    "zero\u200bwidth",
    "new\nline\r\ttab",
    "𝒜stral 🎉",
    "soft\u00adhyphen",
    "| pipe `tick` **bold** [link](x) <b>&amp;</b> #1 ~~x~~ $y$",
    "{brace} \\command 50% a_b^c & \"q\" 'r' ``s'' -- ,,",
    "[0pt] * first",
    "=1+1",
    "\u2028line separator\u2029",
    "\U000e0041tag",
    "[bold]rich[/bold] :smile:",
)
NASTY = "".join(TEXTS)


def hostile_verdicts() -> Verdicts:
    """Rename everything in the toy to something nasty; the first character keeps the order of names."""
    verdicts = verdicts_of()
    runs = tuple(f"{number}{NASTY}" for number in range(4))
    return replace(
        verdicts,
        systems=(System(f"A{NASTY}", (0, 1)), System(f"B{NASTY}", (2, 3))),
        runs=runs,
        documents=tuple(f"{name}{NASTY}" for name in verdicts.documents),
        views={name: replace(view, given_sites=_renamed(view.all_sites)) for name, view in verdicts.views.items()},
        settings={"where": NASTY},
    )


def _renamed(sites: Sites) -> Sites:
    attributes = {f"{name}{NASTY}" if name == "plural" else name: each for name, each in sites.attributes.items()}
    return replace(sites, names=tuple(f"{code}{NASTY}" for code, _ in enumerate(sites.names)), attributes=attributes)


@cache
def plain_and_hostile_findings() -> dict[str, Finding]:
    """Return every finding of the toy, and of the nasty one."""
    return {**findings(Result(verdicts_of(), 20), ("word", "genre"), ("differs",)), **hostile_findings()}


@cache
def hostile_findings() -> dict[str, Finding]:
    """Return every finding of the nasty toy, and examples whose words are nasty too."""
    result = Result(hostile_verdicts(), 20)
    arcs = (Arc(1, 2, NASTY, right=False), Arc(2, None, NASTY, right=True))
    example = Example(
        document=NASTY,
        place=NASTY,
        before=NASTY,
        word=NASTY,
        after=NASTY,
        key=NASTY,
        answers=(Answer(NASTY, NASTY, right=False, place=NASTY),),
        words=(NASTY, NASTY),
        trees=(Tree("key", arcs), Tree(NASTY, arcs)),
        undrawn=7,
        stretch=None,
        chains=(),
    )
    spans = (
        Span(label=NASTY, count=2, pieces=(Piece(1, 1, 0, 3), Piece(2, 3, -1, 0)), right=False, here=True, loose=True),
    )
    stretch = Stretch(
        words=(NASTY, NASTY),
        glued=(2,),
        begin=1,
        end=3,
        words_before=4,
        words_after=5,
        sides=(SpanLine("key", spans), SpanLine(NASTY, spans)),
        items=(ItemVerdict(NASTY, NASTY, positive=True, verdicts=(RunVerdict(NASTY, NASTY, f"by {NASTY}"),)),),
        undrawn=6,
    )
    spanned = replace(example, words=(), trees=(), undrawn=0, stretch=stretch)
    mentions = (
        ShownMention(number=1, text=NASTY, document=NASTY, place=NASTY, sentences_back=None, in_key=True, here=False),
        ShownMention(number=4, text=NASTY, document="b", place=f"{NASTY}:2", sentences_back=0, in_key=False, here=True),
    )
    chains = (
        ShownChain(side="key", size=0, in_key=0, antecedent=None, mentions=()),
        ShownChain(side=NASTY, size=7, in_key=1, antecedent=mentions[0], mentions=mentions),
        ShownChain(
            side=NASTY,
            size=2,
            in_key=0,
            antecedent=None,
            mentions=tuple(replace(each, text=text) for each, text in zip(mentions, TEXTS[2:], strict=False)),
        ),
    )
    chained = replace(example, words=(), trees=(), undrawn=0, chains=chains)
    return {
        **findings(result, ("label", f"plural{NASTY}", "document")),
        "nasty examples": Examples(
            view="strict",
            where=NASTY,
            base=NASTY,
            new=NASTY,
            of="sites",
            count=3,
            seed=13,
            examples=(example, spanned, chained),
        ),
    }

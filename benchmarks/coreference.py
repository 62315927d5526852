"""What chains cost: all metrics of one system beside a plain reference, one long document, ten times the mentions."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from benchmarks.timing import cpu_seconds

Report = Callable[..., None]

TOKENS_PER_MENTION = 8
WORDS = 20  # of a sentence
Mention = tuple[int, int]
Chains = list[list[Mention]]


def _document(draw: random.Random, mentions: int) -> tuple[int, Chains]:
    """Draw the chains of a document: many of two and three mentions, few long ones; spans nest and cross."""
    tokens = mentions * TOKENS_PER_MENTION
    starts = sorted(draw.sample(range(tokens - 8), mentions))
    spans = [(start, start + draw.choice((1, 1, 1, 2, 2, 3, 5, 8))) for start in starts]
    draw.shuffle(spans)
    chains: Chains = []
    while spans:
        size = draw.choices((2, 3, 4, 6, 12, 30), (43, 25, 10, 12, 7, 3))[0]
        chains.append(sorted(spans[:size]))
        del spans[:size]
    return tokens, chains


def _noisy(draw: random.Random, tokens: int, chains: Chains) -> Chains:
    """Return what a system makes of chains: mentions lost, shifted, moved to other chains, chains joined and split."""
    found: Chains = []
    for chain in chains:
        kept = [span for span in chain if draw.random() > 0.13]
        kept = [(a, b + 1) if draw.random() < 0.04 and b < tokens else (a, b) for a, b in kept]
        if found and draw.random() < 0.08:
            found[-1] += kept
        elif len(kept) > 3 and draw.random() < 0.15:
            found += [kept[: len(kept) // 2], kept[len(kept) // 2 :]]
        else:
            found.append(kept)
    spurious = [(a, a + 1) for a in draw.sample(range(tokens), len(chains) // 2)]
    for span in spurious:
        found[draw.randrange(len(found))].append(span)
    first = {span: number for number, chain in reversed(list(enumerate(found))) for span in chain}
    once = [[span for span in sorted(set(chain)) if first[span] == number] for number, chain in enumerate(found)]
    return [chain for chain in once if len(chain) > 1]


def _lines(name: str, tokens: int, chains: Chains) -> list[str]:
    opening: dict[int, list[str]] = {}
    closing: dict[int, list[tuple[int, str]]] = {}
    single: dict[int, list[str]] = {}
    for number, chain in enumerate(chains):
        for begin, end in sorted(chain, key=lambda span: (span[0], -span[1])):
            if end - begin == 1:
                single.setdefault(begin, []).append(f"({number})")
            else:
                opening.setdefault(begin, []).append(f"({number}")
                closing.setdefault(end - 1, []).append((-begin, f"{number})"))
    lines = [f"#begin document ({name}); part 000"]
    for token in range(tokens):
        cells = [*(text for _, text in sorted(closing.get(token, ()))), *opening.get(token, ()), *single.get(token, ())]
        tag = "NN" if token % 3 else "PRP"
        lines.append(f"{name}\t0\t{token % WORDS}\tw{token % 997}\t{tag}\t-\t{'|'.join(cells) or '-'}")
        if token % WORDS == WORDS - 1:
            lines.append("")
    return [*lines, "", "#end document"]


def write(folder: Path, documents: int, mentions: int) -> tuple[Path, Path]:
    """Write a key and a response; those that are there already are kept."""
    paths = tuple(folder / f"coref-{documents}x{mentions}.{side}.conll" for side in ("key", "response"))
    if not all(path.exists() for path in paths):
        draw = random.Random(documents)
        key: list[str] = []
        response: list[str] = []
        for number in range(documents):
            tokens, chains = _document(draw, mentions)
            key += _lines(f"d{number:05}", tokens, chains)
            response += _lines(f"d{number:05}", tokens, _noisy(draw, tokens, chains))
        for path, lines in zip(paths, (key, response), strict=True):
            path.write_text("\n".join(lines) + "\n")
    return paths[0], paths[1]


def all_metrics(key: Path, response: Path) -> Callable[[], object]:
    """From two files to all scores."""
    from comparanda.api.comparison import compare

    return lambda: compare(str(key), {"system": str(response)}, task="coref", resamples=0).scores()


def reference(key: Path, response: Path) -> Callable[[], object]:
    """Do the same by the plain reference of the tests: all metrics, and ARCS by its four criteria."""
    from tests.tasks.coref import reference as plain

    def run() -> object:
        wanted, given = plain.read_conll2012(key), plain.read_conll2012(response)
        order = plain.all_names([wanted, given])
        mine, theirs = plain.units_of(wanted, order), plain.units_of(given, order)
        tags = [wanted[name].tags for name in order]
        fits: dict[str, plain.Predicate] = {
            "any": plain.anything,
            "nominal": lambda mention: plain.nominal(tags[mention[0]][mention[1] : mention[2]]),
            "named": lambda mention: plain.named(tags[mention[0]][mention[1] : mention[2]]),
            "immediate": plain.anything,
        }
        classes = [
            plain.arcs_counts(plain.arcs(mine[unit], theirs[unit], name, each).values())
            for name, each in fits.items()
            for unit in mine
        ]
        return plain.score(mine, theirs), classes

    return run


def metrics_alone(key: Path, response: Path) -> Callable[[], object]:
    """Count the metrics by the plain reference, and give no mention a class."""
    from tests.tasks.coref.reference import score_files

    return lambda: score_files(key, response)


def bench_coreference(folder: Path, report: Report) -> None:
    """Time 350 documents beside the reference, one document of 2,400 mentions, and ten times as many documents."""
    small, large = write(folder, 350, 57), write(folder, 3500, 57)
    long = write(folder, 1, 2400)
    all_metrics(*small)()
    best = cpu_seconds({"ours": all_metrics(*small), "long": all_metrics(*long)})
    best |= cpu_seconds({"reference": reference(*small)})
    best |= cpu_seconds({"large": all_metrics(*large)}, rounds=3)
    best |= cpu_seconds({"without ARCS": metrics_alone(*small)})
    ratio = best["reference"] / best["ours"]
    what = f"350 documents, 20k mentions: reference {best['reference']:.2f} s / comparanda {best['ours']:.2f} s"
    report(what, ratio, "≥ 5", met=ratio >= 5)
    print(f"  also: the reference without ARCS, {best['without ARCS'] / best['ours']:.2f} ×", flush=True)
    report("one document of 2,400 mentions, all metrics, s", best["long"], "≤ 2", met=best["long"] <= 2)
    growth = best["large"] / best["ours"]
    report(f"200k mentions {best['large']:.2f} s / 20k mentions", growth, "≤ 11", met=growth <= 11)

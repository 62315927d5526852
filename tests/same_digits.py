"""Same digits: the outputs of a matrix of commands, on the demo and on shared data, compared between two versions.

    make same BASE=<commit>                              HEAD against a commit, both built from worktrees
    python -m tests.same_digits between BASE [HEAD]      the same; --only WORD for some of the cases
    python -m tests.same_digits run PATH/TO/comparanda DIGESTS [--data ../shared/data] [--jobs 2] [--only WORD]
    python -m tests.same_digits compare DIGESTS DIGESTS [--renamed MESSAGES]

MESSAGES lists texts that were changed on purpose, old and new with a tab between them, `{}` for what varies: lines that
hold the old text in the first version and the new one in the second, with the same variable parts, count as equal.

`run` writes DIGESTS (one line a case: name, exit code, sha256) and DIGESTS.d/ (the normalised outputs themselves).
Removed before hashing: the version, absolute paths, temporary folders, timings, the hashes in the page's policy.
`compare` prints for each case that differs the first JSON path, or the first line, at which it does, and exits 1.
Standard library only.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("COMPARANDA_SHARED", ROOT.parent / "shared"))
WORK = Path(tempfile.gettempdir()) / "same-digits"  # one run at a time
PACKED = re.compile(r"H4sI[A-Za-z0-9+/]{40,}=*")


def demo(program: Path) -> Path:
    """Return a folder with the files of the demo that comes with the program."""
    folder = WORK / "demo"  # always the same path: reports hold paths in compressed form
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    code = "import sys; from comparanda.demo import copy_demo; copy_demo(sys.argv[1])"
    subprocess.run([str(program.with_name("python")), "-c", code, str(folder)], check=True)
    return folder


def cases(data: Path) -> dict[str, list[str]]:
    """Return the arguments of all cases by name. `{demo}` and `{out}` are folders; what is in {out} is output, too."""
    pos = "{demo}/key.conllu {demo}/spacy.conllu {demo}/brill.conllu --task pos"
    span = "{demo}/entities/key.bio {demo}/entities/spacy.bio {demo}/entities/opennlp.bio --task span"
    chains = "{demo}/chains/key.conll {demo}/chains/xrenner.conll {demo}/chains/compromise.conll --task coref"
    gum, wnut = data / "coref/gum", data / "ner/wnut17"
    every: dict[str, str] = {}
    inputs = {"pos": pos, "span": span, "coref": chains}
    if data.exists():
        trees = sorted((data / "ud/conll2018/systems").glob("*"))[:2]
        trees = [next(iter(sorted(f.rglob("*.conllu*"))), f) if f.is_dir() else f for f in trees]
        gold = next(iter(sorted((data / "ud/conll2018/gold").glob("*.conllu*"))), None)
        linkers = sorted((data / "el/elevant/systems").rglob("*.jsonl*"))[:2]
        timex = [data / "timex/wikiwars/systems" / f"{name}.jsonl" for name in ("timexy", "chrono-node")]
        hipe = sorted((data / "ner_el/hipe2020/systems").glob("*.gz"))[4:6]
        crf = sorted((data / "probabilistic/wnut17/systems").glob("*"))[:2]
        key = wnut / "gold/emerging.test.annotated"
        inputs |= {
            "dep": f"{gold} a={trees[0]} b={trees[1]} --task dep",
            "xpos": "{demo}/key.conllu {demo}/spacy.conllu {demo}/hanta.conllu --task tag:xpos",
            "wnut": f"{key} a={wnut}/systems/arcada b={wnut}/systems/sjtu_adapt.txt --task span",
            "link": f"{data}/el/elevant/gold/kore50.benchmark.jsonl a={linkers[0]} b={linkers[1]} --task link",
            "timex": f"{data}/timex/wikiwars/gold.jsonl a={timex[0]} b={timex[1]} --task span",
            "hipe": f"{data}/ner_el/hipe2020/gold/HIPE-data-v1.3-test-en.tsv a={hipe[0]} b={hipe[1]} --task span",
            "gum": f"{gum}/gold/ontogum.key.conll a={gum}/systems/neuralcoref.response.conll "
            f"b={gum}/systems/xrenner.ontogum.response.conll --task coref",
            "prob": f"{key} a={crf[0]} b={crf[1]} --task prob",
        }
        every |= {
            f"simulate {s}": f"simulate {key} {crf[0]} --strategy {s} --budget 60 --seeds 2 --json"
            for s in ("random", "high", "document")
        }
        every |= {
            f"ask {how}": f"ask {crf[0]} --ask {how} -n 20 --json" for how in ("label", "span", "choice", "group")
        }
    quick = "--resamples 200 -q"
    for name, files in inputs.items():
        for command in ("compare", "score", "diff", "complement", "suspects", "examples", "validate"):
            options = {"validate": "", "suspects": "-q --json"}.get(command, f"{quick} --json")
            every[f"{command} {name}"] = f"{command} {files} {options}"
        every[f"diff by document {name}"] = f"diff {files} {quick} --by document --json"
        every[f"table {name}"] = f"compare {files} {quick}"
        every[f"gate {name}"] = f"gate {files} {quick} --max-new-errors 5% --json"
        every[f"report {name}"] = f"report {files} {quick} -o {{out}}/report.html"
        every[f"combine {name}"] = f"combine {files} {quick} --json"
        every[f"workers {name}"] = f"score {files} {quick} --workers 2 --json"
        every[f"saved {name}"] = f"compare {files} {quick} --save {{out}}/folder --json"
        gold_file, one, two, *rest = files.split()
        every[f"agree {name}"] = f"agree {one} {two} {' '.join(rest)} {quick} --json"
        runs = f"{one.split('=')[-1]},{two.split('=')[-1]}"
        every[f"stability {name}"] = f"stability {gold_file} s={runs} {' '.join(rest)} {quick} --json"
    for form in ("md", "csv", "latex", "jsonl"):
        every |= {f"{form} {name}": f"diff {inputs[name]} {quick} --format {form}" for name in ("pos", "span", "coref")}
    for rules in ("exact", "muc", "semeval2013", "gate", "i2b2", "tokens", "characters", "paper"):
        every[f"rules {rules}"] = f"score {span} --rules {rules} {quick} --json"
        every[f"rules show {rules}"] = f"rules show {rules}"
    for form in [
        "brat",
        "jsonl",
        "bioc",
        "doccano",
        "gate",
        "hugging-face",
        "inline-xml",
        "label-studio",
        "neleval",
        "nif",
        "prodigy",
        "pubtator",
        "spacy",
        "tac",
        "web-annotation",
        "columns",
        "conllu",
    ]:
        every[f"convert {form}"] = f"convert {{demo}}/entities/key.bio {{out}}/converted --to {form}"
    for target in ("clusters", "conll2012", "jsonl"):
        every[f"convert chains {target}"] = (
            f"convert {{demo}}/chains/key.conll {{out}}/converted --to {target} --task coref"
        )
    every |= {
        "leaderboard": "leaderboard {demo}/key.conllu {demo} --task pos --resamples 200 --json",
        "ablate": f"ablate {pos} {quick} --json",
        "where": f"diff {pos} {quick} --where 'key == \"NOUN\"' --json",
        "by label": f"compare {pos} {quick} --by label --json",
        "formats": "formats",
        "schema": "schema difference",
        "help": "compare --help",
        "no task": "diff {demo}/key.conllu {demo}/spacy.conllu {demo}/brill.conllu",
        "no file": "diff nothing.conllu {demo}/spacy.conllu --task pos",
    }
    return {name: _words(text) for name, text in every.items()}


def _words(text: str) -> list[str]:
    return [part.strip("'") for part in re.findall(r"'[^']*'|\S+", text)]


def normalised(text: str, folders: dict[str, str]) -> str:
    """Return an output without what may differ between two runs of equal code."""
    text = PACKED.sub(lambda found: gzip.decompress(base64.b64decode(found.group())).decode(), text)
    for folder, name in folders.items():
        text = text.replace(folder, name)
    text = re.sub(r'("(?:version|comparanda|program)": ?)"\d[^"]*"', r'\1"VERSION"', text)
    text = re.sub(r"version:\d[\w.]*", "version:VERSION", text)
    text = re.sub(r"'sha256-[\w+/=]+'", "'sha256-HASH'", text)  # of the page's script and style, which are in the page
    text = re.sub(r"comparanda \d+\.\d+\S*", "comparanda VERSION", text)
    return re.sub(r"\b\d+(?:\.\d+)? ?(?:s|ms|seconds)\b", "TIME", text)


def run_case(
    program: Path, name: str, words: list[str], demo_folder: Path, *, data: Path, store: Path
) -> tuple[str, str]:
    """Run one case; return its name and its line."""
    out = WORK / "out" / name.replace(" ", "_")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    words = [word.replace("{demo}", str(demo_folder)).replace("{out}", str(out)) for word in words]
    done = subprocess.run([str(program), *words], capture_output=True, cwd=out, timeout=280, check=False)
    if words[0] == "compare" and "--save" in words and done.returncode == 0:  # the folder, opened again
        opened = [str(program), "score", str(out / "folder"), "-q", "--json"]
        again = subprocess.run(opened, capture_output=True, cwd=out, check=False)
        done.stdout += again.stdout + again.stderr
    folders = {str(out): "OUT", str(demo_folder): "DEMO", str(data): "DATA"}
    parts = [f"exit {done.returncode}", done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")]
    for file in sorted(out.rglob("*")):
        if file.is_file() and file.suffix != ".npy":
            parts.append(f"== {file.relative_to(out)}\n{file.read_bytes().decode(errors='replace')}")
        elif file.is_file():
            parts.append(f"== {file.relative_to(out)} {hashlib.sha256(file.read_bytes()).hexdigest()}")
    shutil.rmtree(out)
    text = normalised("\n".join(parts), folders)
    (store / f"{name.replace(' ', '_')}.txt").write_text(text)
    return name, f"{done.returncode}\t{hashlib.sha256(text.encode()).hexdigest()}"


def run(options: argparse.Namespace) -> int:
    """Run all cases and write their digests."""
    program, data = options.program.absolute(), options.data.resolve()
    store = Path(f"{options.digests}.d")
    shutil.rmtree(store, ignore_errors=True)
    store.mkdir(parents=True)
    folder = demo(program)
    chosen = {name: words for name, words in cases(data).items() if options.only in name}
    with ThreadPoolExecutor(options.jobs) as pool:
        lines = dict(
            pool.map(
                lambda case: run_case(program, name=case[0], words=case[1], demo_folder=folder, data=data, store=store),
                chosen.items(),
            )
        )
    shutil.rmtree(folder)
    options.digests.write_text("".join(f"{name}\t{line}\n" for name, line in sorted(lines.items())))
    failed = [name for name, line in lines.items() if not line.startswith("0\t")]
    print(f"{len(lines)} cases; {len(failed)} with another exit code than 0: {', '.join(sorted(failed))}")
    return 0


def first_difference(one: Any, two: Any, path: str = "$") -> str | None:
    """Return the path of the first difference of two JSON values.

    >>> first_difference({"a": [1, 2]}, {"a": [1, 3]})
    '$.a[1]: 2 | 3'
    """
    if isinstance(one, dict) and isinstance(two, dict):
        for key in [*one, *[key for key in two if key not in one]]:
            if key not in one or key not in two:
                return f"{path}.{key}: only in the {'second' if key not in one else 'first'}"
            found = first_difference(one[key], two[key], f"{path}.{key}")
            if found:
                return found
        return None
    if isinstance(one, list) and isinstance(two, list):
        for place, (left, right) in enumerate(zip(one, two, strict=False)):
            found = first_difference(left, right, f"{path}[{place}]")
            if found:
                return found
        return None if len(one) == len(two) else f"{path}: {len(one)} | {len(two)} elements"
    return None if one == two else f"{path}: {str(one)[:60]} | {str(two)[:60]}"


def explained(one: str, two: str) -> str:
    """Return where two outputs differ first: a JSON path if the line is JSON, else the line."""
    for number, (left, right) in enumerate(zip(one.splitlines(), two.splitlines(), strict=False), 1):
        if left != right:
            try:
                whole = [json.JSONDecoder().raw_decode(text[text.index("{") :])[0] for text in (one, two)]
                found = first_difference(*whole)
            except ValueError:
                found = None
            at = next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), 0)
            return found or f"line {number}: …{left[max(0, at - 30) : at + 40]}… | …{right[max(0, at - 30) : at + 40]}…"
    return "one is longer"


class Renamed:
    """Texts that were changed on purpose, and outputs compared as if they had not been."""

    def __init__(self, file: Path | None) -> None:
        """Read the table of texts."""
        lines = file.read_text().splitlines() if file else []
        pairs = {tuple(line.split("\t")[:2]) for line in lines if "\t" in line}
        longest_first = sorted(pairs, key=lambda pair: (-len(pair[0]), pair))
        self.patterns = [tuple(re.compile(self._pattern(text)) for text in pair) for pair in longest_first]

    @staticmethod
    def _pattern(text: str) -> str:
        """Return what finds a text, plain or as JSON or HTML hold it; texts of commands may be wrapped."""
        parts = [re.escape(part).replace(r"\ ", r"\s+") for part in text.split("{}")]
        return r"(.{0,200}?)".join(part.replace('"', r'(?:\\*"|&quot;)').replace("'", "(?:'|&#x27;)") for part in parts)

    def unified(self, *outputs: str) -> list[str]:
        """Return two outputs with the same number in place of an old text and of the new one.

        White space and rules of tables count as one space: columns are as wide as their names.
        """
        if not self.patterns:
            return list(outputs)
        sides = list(outputs)
        for number, pair in enumerate(self.patterns):
            sides = [
                pattern.sub(lambda found: f"«{number}:{sorted(found.groups())}»", side)  # noqa: B023
                for pattern, side in zip(pair, sides, strict=True)
            ]
        blank = r"[ \t─—-]+" if len({side.count("\n") for side in sides}) == 1 else r"[\s─—-]+"
        return [re.sub(blank, " ", side) for side in sides]


def compare(options: argparse.Namespace) -> int:
    """Compare two files of digests."""
    renamed = Renamed(options.renamed)
    lines = [file.read_text().splitlines() for file in (options.one, options.two)]
    tables = [dict(line.split("\t", 1) for line in each) for each in lines]
    differing = 0
    for name in sorted({*tables[0], *tables[1]}):
        if tables[0].get(name) == tables[1].get(name):
            continue
        files = [Path(f"{file}.d") / f"{name.replace(' ', '_')}.txt" for file in (options.one, options.two)]
        texts = [file.read_text() for file in files if file.exists()]
        if len(texts) == len(files):
            texts = renamed.unified(*texts)
            if texts[0] == texts[1]:
                continue
        differing += 1
        print(f"{name}: {explained(*texts) if len(texts) == len(files) else 'only in one'}")
    print(f"{len(tables[0])} and {len(tables[1])} cases, {differing} differ")
    return 1 if differing else 0


def built(commit: str, folder: Path) -> Path:
    """Check a commit out into a folder, install it into an environment of its own, and return its program."""
    subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(folder), commit], cwd=ROOT, check=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder / ".venv")], check=True)
    pip = [str(folder / ".venv/bin/python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", str(folder)], check=True)
    return folder / ".venv/bin/comparanda"


def between(options: argparse.Namespace) -> int:
    """Build two commits, run all cases with both, and compare."""
    with tempfile.TemporaryDirectory() as name:
        digests = []
        for number, commit in enumerate((options.base, options.head)):
            tree = Path(name) / str(number)
            try:
                options.program, options.digests = built(commit, tree), Path(name) / f"{number}.tsv"
                run(options)
            finally:
                subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=ROOT, check=False)
            digests.append(options.digests)
        return compare(argparse.Namespace(one=digests[0], two=digests[1], renamed=options.renamed))


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("run")
    one.add_argument("program", type=Path)
    one.add_argument("digests", type=Path)
    one.set_defaults(act=run)
    both = commands.add_parser("between")
    both.add_argument("base")
    both.add_argument("head", nargs="?", default="HEAD")
    both.set_defaults(act=between)
    for each in (one, both):
        each.add_argument("--data", type=Path, default=SHARED / "data")
        each.add_argument("--jobs", type=int, default=os.cpu_count())
        each.add_argument("--only", default="")
    two = commands.add_parser("compare")
    two.add_argument("one", type=Path)
    two.add_argument("two", type=Path)
    two.set_defaults(act=compare)
    for each in (both, two):
        each.add_argument("--renamed", type=Path)
    options = parser.parse_args()
    return int(options.act(options))


if __name__ == "__main__":
    sys.exit(main())

"""Published files with spans: every span is there, counted by other means."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from comparanda.core.corpus import Corpus
from comparanda.formats.contract import Request
from comparanda.formats.inputs import Input, read_input
from tests.formats.corpora import documents, fragments, notes, said, spans
from tests.seeds import first_few
from tests.shared_data import shared

WNUT_SYSTEMS = ["arcada", "drexel_cci", "flytxt", "mic-cis.txt", "sjtu_adapt.txt", "spinningbytes.txt", "uh_ritual"]
TIMEX_SYSTEMS = {
    "chrono-node": 1462,
    "compromise-dates": 1908,
    "dateparser-1.5.0": 2159,
    "heideltime-narratives": 2319,
    "recognizers-text-1.0.2a2": 2286,
    "spacy-ner": 2104,
    "syntime_published": 2550,
    "timexy": 826,
    "wink-nlp": 2148,
}
HIPE_RUNS = {
    "aidalight-baseline_bundle2_en_1": 46,
    "baseline_bundle4_en_1": 46,
    "team10_bundle1_en_1": 46,
    "team10_bundle1_en_2": 46,
    "team1_bundle3_en_1": 46,
    "team23_bundle4_en_1": 46,
    "team23_bundle4_en_3": 46,
    "team31_bundle2_en_1": 1,
    "team31_bundle5_en_1": 1,
    "team33_bundle2_en_1": 46,
    "team33_bundle5_en_1": 46,
    "team37_bundle4_en_1": 46,
    "team37_bundle5_en_1": 46,
    "team40_bundle4_en_1": 46,
}


def read(path: Path, options: str = "") -> Corpus:
    return read_input(Input.parse(f"{path}{options}"), Request(side="x", layer="spans"), "tokens")


def begins(path: Path, column: int) -> Counter[str]:
    """Count spans by label as conlleval does, line by line: a tag begins one unless it goes on with the one before."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    found: Counter[str] = Counter()
    before = "O"
    for line in text.replace("\r", "").split("\n"):
        if line.startswith(("# ", "#\n", "TOKEN\t")) or line == "#":
            continue
        fields = line.split("\t") if "\t" in line else line.split(" ")
        tag = fields[column] if line.strip() else "O"
        letter, _, label = tag.partition("-")
        if letter == "B" or (letter == "I" and before.partition("-")[2] != label):
            found[label] += 1
        before = tag
    return found


def labels(corpus: Corpus) -> Counter[str]:
    return Counter(span[3] for span in spans(corpus))


@pytest.mark.parametrize("name", ["gold/emerging.test.annotated", *(f"systems/{name}" for name in WNUT_SYSTEMS)])
def test_wnut17(name: str) -> None:
    path = shared(f"data/ner/wnut17/{name}")
    corpus = read(path)
    assert labels(corpus) == begins(path, 1)
    assert (len(corpus), len(corpus.sentences) - 1) == (23394, 1287)


def test_the_gold_of_wnut17_has_the_entities_of_the_paper() -> None:
    assert len(spans(read(shared("data/ner/wnut17/gold/emerging.test.annotated")))) == 1079
    assert len(spans(read(shared("data/ner/wnut17/gold/emerging.dev.conll")))) == 836
    assert len(spans(read(shared("data/ner/wnut17/gold/wnut17train.conll")))) == 1975


def test_universal_ner() -> None:
    gold = shared("data/ner/uner_en_ewt/gold/en_ewt-ud-test.iob2")
    systems = shared("data/ner/uner_en_ewt/systems")
    for path in [gold, *sorted(systems.iterdir())]:
        corpus = read(path, "?column=3&word=2")
        assert labels(corpus) == begins(path, 2)
        assert len(corpus) == 25097
    assert len(read(gold, "?column=3&word=2").documents) == 316


@pytest.mark.parametrize("name", first_few(3, ["gold", *HIPE_RUNS]))
def test_hipe2020(name: str) -> None:
    """Upper-case types, headers of other widths, CR CR LF, comments between tokens, documents without names."""
    file = "gold/HIPE-data-v1.3-test-en.tsv" if name == "gold" else f"systems/{name}.tsv.gz"
    path = shared(f"data/ner_el/hipe2020/{file}")
    corpus = read(path, "::columns?column=2&comments=anywhere")
    assert labels(corpus) == begins(path, 1)
    assert (len(corpus), len(corpus.documents)) == (16634, HIPE_RUNS.get(name, 46))


class TestWikiWars:
    def test_gold(self) -> None:
        path = shared("data/timex/wikiwars/gold.jsonl")
        corpus = read(path)
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        expected = [(each["doc_id"], t["start"], t["end"], t["type"]) for each in records for t in each["timexes"]]
        assert spans(corpus) == expected
        assert len(expected) == 2636
        assert (notes(corpus), fragments(corpus)) == ([], [])
        assert said(corpus, "value") == [t.get("value") for each in records for t in each["timexes"]]
        assert corpus.documents.attributes["dct"].values() == [each["dct"] for each in records]
        found = documents(corpus)
        assert all("".join(found[each["doc_id"]]) == "".join(each["text"].split()) for each in records)

    @pytest.mark.parametrize("name", first_few(1, TIMEX_SYSTEMS))
    def test_systems(self, name: str) -> None:
        path = shared(f"data/timex/wikiwars/systems/{name}.jsonl")
        corpus = read(path)
        gold = read(shared("data/timex/wikiwars/gold.jsonl"))
        assert (len(spans(corpus)), len(corpus), corpus.words) == (TIMEX_SYSTEMS[name], 0, None)
        assert corpus.documents.names == gold.documents.names
        assert gold.raw is not None
        texts = dict(zip(gold.documents.names, gold.raw.documents, strict=True))
        assert [texts[name][begin:end] for name, begin, end, _ in spans(corpus)] == said(corpus, "text")

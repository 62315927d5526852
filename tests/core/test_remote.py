"""Files elsewhere are read as if they were here, and what goes wrong there is told in one paragraph."""

from __future__ import annotations

import gzip
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

import comparanda as cp
from comparanda.api.submissions import anonymise_submissions, find_submissions
from comparanda.core.corpus import Corpus
from comparanda.core.places import Stretch
from comparanda.core.remote import RemotePath, path_of
from comparanda.errors import UsageError
from comparanda.formats.contract import Request
from comparanda.formats.files import display_name, files_of, load, load_files, read_stamp
from comparanda.formats.inputs import Input, read_input
from comparanda.pipeline import Setup
from comparanda.result import Result
from comparanda.scale.plan import list_setting_files
from tests.command import run
from tests.formats.corpora import documents, refusal
from tests.formats.web import Web, serving

fsspec = pytest.importorskip("fsspec")

SUFFIXES = (".conllu",)


def conllu(documents: int, tag: str = "X") -> str:
    """Return some documents of two sentences, in which every third tag is another one."""
    word = 0
    lines = []
    for document in range(documents):
        lines.append(f"# newdoc id = d{document}")
        for _ in range(2):
            for number in range(1, 5):
                word += 1
                upos = "NOUN" if word % 3 else tag
                lines.append(f"{number}\tw{word}\t_\t{upos}\t_\t_\t{number - 1}\tdep\t_\t_")
            lines.append("")
    return "\n".join(lines) + "\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with files, also packed ones and in subfolders."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "c"
    for name, data in {
        "key.conllu": conllu(12, "VERB").encode(),
        "a.conllu": conllu(12).encode(),
        "b.conllu.gz": gzip.compress(conllu(12, "ADJ").encode()),
        "many/b/x.conllu": b"# newdoc id = x\n" + conllu(1).encode(),
        "many/b-a.conllu": conllu(2).encode(),
        "many/.hidden/y.conllu": conllu(2).encode(),
        "many/notes.md": b"none\n",
        "brat/one.ann": b"T1\tPER 0 4\tAnna\n",
        "brat/one.txt": b"Anna ran.\n",
        "brat/deep/two.ann": b"T1\tPER 0 2\tBo\n",
        "brat/deep/two.txt": b"Bo ran.\n",
        "brat/lonely.txt": b"Nobody.\n",
    }.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return folder


@pytest.fixture
def memory(here: Path) -> Iterator[str]:
    """Put the same files into fsspec's memory."""
    fs = fsspec.filesystem("memory")
    for file in here.rglob("*"):
        if file.is_file():
            fs.pipe_file(f"/{file.relative_to(here.parent).as_posix()}", file.read_bytes())
    yield "memory://c"
    fs.rm("/c", recursive=True)


@pytest.fixture
def web(here: Path) -> Iterator[Web]:
    with serving(Web(folder=here.parent)) as found:
        yield found


def compared(base: str, **options: Any) -> Result:
    systems = {"a": f"{base}/a.conllu", "b": f"{base}/b.conllu.gz"}
    return cp.compare(f"{base}/key.conllu", systems, task="pos", resamples=20, **options)


def said(result: Result, base: str) -> str:
    """Return findings as JSON, with the places where examples stand."""
    findings = (result.scores(), result.difference("a", "b"), result.examples(top=9))
    return "\n".join(each.to_json() for each in findings).replace(base, "c")


class TestPaths:
    def test_a_url_is_taken_apart_like_a_path(self) -> None:
        path = RemotePath("s3://bucket/x/gold.conllu.gz")
        assert (path.name, str(path.parent), str(path.with_name("a"))) == (
            "gold.conllu.gz",
            "s3://bucket/x",
            "s3://bucket/x/a",
        )
        assert path.relative_to("s3://bucket/") == PurePosixPath("x/gold.conllu.gz")
        assert path.resolve() is path
        assert pickle.loads(pickle.dumps(path)) == path

    def test_the_query_of_a_web_address_is_not_in_its_name(self) -> None:
        path = RemotePath("https://host/x/gold.conllu?download=a/b")
        assert (path.name, str(path.parent)) == ("gold.conllu", "https://host/x")

    def test_urls_are_ordered_like_paths(self) -> None:
        ways = ["b/x", "b-a", "b", "a/z", "B"]
        order = [str(each) for each in sorted(map(Path, ways))]
        assert [each.url for each in sorted(RemotePath(f"s3://{way}") for way in ways)] == [f"s3://{w}" for w in order]

    def test_a_file_url_is_a_path_of_this_machine(self, here: Path) -> None:
        assert path_of(f"file://{here}") == here
        assert said(compared(f"file://{here}"), str(here)) == said(compared(str(here)), str(here))

    @pytest.mark.parametrize(
        ("written", "found"),
        [
            ("s3://b/x.conllu", Input(path="s3://b/x.conllu")),
            (
                "crf=s3://b/x.txt::columns?column=2",
                Input(path="s3://b/x.txt", name="crf", format="columns", options={"column": "2"}),
            ),
            ("crf=s3://b/x.txt?column=2", Input(path="s3://b/x.txt", name="crf", format=None, options={"column": "2"})),
            ("crf=https://h/x.txt?column=2", Input(path="https://h/x.txt?column=2", name="crf")),
            (
                "https://h/x.txt?a=1&b=2::?column=2",
                Input(path="https://h/x.txt?a=1&b=2", name=None, format=None, options={"column": "2"}),
            ),
        ],
    )
    def test_the_notation_of_inputs(self, written: str, found: Input) -> None:
        assert Input.parse(written) == found

    def test_a_url_in_another_is_refused(self) -> None:
        with pytest.raises(UsageError, match="a nested URL"):
            Input.parse("crf=zip://a.conllu::file:///x.zip")

    def test_the_name_of_a_system(self) -> None:
        assert Input.parse("https://h/out/crf.conllu?download=1").display_name == "crf"


class TestReading:
    @pytest.mark.parametrize(
        "path", ["key.conllu", "b.conllu.gz", "many", "many/", "many/*.conllu", "many/**/*.conllu"]
    )
    def test_files_folders_and_patterns_give_the_same_bytes(self, memory: str, path: str) -> None:
        own, other = (load(f"{base}/{path}", side="key", suffixes=SUFFIXES) for base in ("c", memory))
        assert other.data == own.data
        assert [part.name.removeprefix("memory://") for part in other.parts] == [part.name for part in own.parts]

    def test_a_folder_of_brat_files(self, memory: str) -> None:
        own, other = (
            read_input(Input(path=f"{base}/brat", name=None, format="brat"), Request(layer="spans"), "tokens")
            for base in ("c", memory)
        )
        assert other.documents.names == own.documents.names == ("deep/two", "one")
        assert [str(note).replace("memory://", "") for note in other.notes] == [str(note) for note in own.notes]

    def test_a_folder_of_the_web_is_a_page_of_links(self, web: Web) -> None:
        found = files_of(f"{web.url}/c/many/", SUFFIXES)
        assert [display_name(each).removeprefix(web.url) for each in found] == [
            "/c/many/b/x.conllu",
            "/c/many/b-a.conllu",
        ]

    @pytest.mark.parametrize("part", [None, 500])
    def test_comparisons_are_equal(self, memory: str, web: Web, part: int | None) -> None:
        wanted = said(compared("c"), "c")
        assert said(compared(memory, part=part), memory) == wanted
        assert said(compared(f"{web.url}/c", part=part), f"{web.url}/c") == wanted

    def test_parts_are_made_of_files_elsewhere(self, memory: str) -> None:
        steps: list[str] = []
        key, output = f"{memory}/key.conllu", f"{memory}/a.conllu"
        cut = cp.compare(key, {"a": output}, task="pos", part=500, progress=steps.append)
        assert "evaluating part 6 of 6" in steps
        assert cut.scores().to_json() == cp.compare(key, {"a": output}, task="pos").scores().to_json()

    @pytest.mark.slow
    def test_workers_read_them_too(self, web: Web) -> None:
        key, output = (f"{web.url}/c/{name}.conllu" for name in ("key", "a"))
        cut = cp.compare(key, {"a": output}, task="pos", part=500, workers=2)
        assert cut.scores().to_json() == cp.compare(key, {"a": output}, task="pos").scores().to_json()

    def test_of_a_stretch_only_its_bytes_are_fetched(self, web: Web) -> None:
        stretch = Stretch(file=RemotePath(f"{web.url}/c/a.conllu"), start=16, stop=40)
        source = load_files([stretch], side="key")
        assert source.data.startswith(Path("c/a.conllu").read_bytes()[16:40])
        assert web.asked == [("/c/a.conllu", "bytes=16-39")]

    def test_large_files_are_fetched_in_pieces(self, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("comparanda.core.remote._MAX_REQUEST", 1000)
        data = Path("c/a.conllu").read_bytes()
        assert load(f"{web.url}/c/a.conllu", side="key").data.startswith(data)
        assert [wanted for _, wanted in web.asked][:2] == ["bytes=0-999", "bytes=1000-1999"]
        assert len(web.asked) == -(-len(data) // 1000)

    def test_a_server_that_knows_no_ranges(self, web: Web) -> None:
        web.ranges = False
        file = RemotePath(f"{web.url}/c/a.conllu")
        data = Path("c/a.conllu").read_bytes()
        assert file.read(16, 40) == data[16:40]
        with file.open("rb") as stream:
            assert [stream.read(100), stream.read()] == [data[:100], data[100:]]

    def test_a_server_that_tells_no_sizes(self, web: Web) -> None:
        web.sizes = False
        steps: list[str] = []
        found = cp.compare(
            f"{web.url}/c/key.conllu", {"a": f"{web.url}/c/a.conllu"}, task="pos", part=500, progress=steps.append
        )
        assert found.scores().value("a") == 2 / 3
        assert any("does not report the size of" in step for step in steps)

    def test_files_can_be_opened_at_any_place(self, memory: str) -> None:
        data = Path("c/a.conllu").read_bytes()
        with RemotePath(f"{memory}/a.conllu").open("rb") as stream:
            assert stream.seek(-10, 2) == len(data) - 10 == stream.tell()
            assert stream.read() == data[-10:]
            stream.seek(5)
            assert stream.read(7) == data[5:12]
            assert stream.seek(3, 1) == 15

    def test_a_settings_file_names_urls(self, memory: str, capsys: pytest.CaptureFixture[str]) -> None:
        Path("setup").mkdir()
        text = f'task = "pos"\nkey = "{memory}/key.conllu"\nresamples = 0\n[systems]\na = "{memory}/a.conllu"\n'
        Path("setup/runs.toml").write_text(text)
        outcome = run(capsys, "score", "--config", "setup/runs.toml", "--json", "-q")
        assert [each["value"] for each in outcome.json["scores"]["scores"] if each["measure"] == "accuracy"] == [2 / 3]

    @pytest.mark.usefixtures("here")
    def test_local_files_need_no_fsspec(self) -> None:
        code = (
            "import sys, comparanda as cp\n"
            "cp.compare('c/key.conllu', {'a': 'c/a.conllu'}, task='pos', part=500)\n"
            "sys.exit('fsspec' in sys.modules)"
        )
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class TestCommands:
    def test_a_folder_of_submissions(self, memory: str, capsys: pytest.CaptureFixture[str]) -> None:
        fs = fsspec.filesystem("memory")
        for name in ("one.conllu", "two/out.conllu", "README.md", ".hidden"):
            fs.pipe_file(f"/c/subs/{name}", Path("c/a.conllu").read_bytes())
        board = ("leaderboard", f"{memory}/key.conllu", f"{memory}/subs", "--task", "pos", "--resamples", "0", "--json")
        found = run(capsys, *board).json["leaderboard"]
        assert sorted(each["system"] for each in found["standings"]) == ["one", "two"]
        assert found["passed_over"] == ["memory://c/subs/.hidden", "memory://c/subs/README.md"]

    def test_the_order_without_names_depends_on_what_is_in_files(self, memory: str) -> None:
        def order(tag: str) -> list[str]:
            for name in "abcdefgh":
                fsspec.filesystem("memory").pipe_file(f"/c/subs/{name}.conllu", f"{name} {tag}".encode())
            found = find_submissions([Input(path=f"{memory}/subs")]).submissions
            return [each.own_name for each in anonymise_submissions(found, 1)]

        assert order("x") == order("x") != order("y")

    def test_a_baseline(self, memory: str, capsys: pytest.CaptureFixture[str]) -> None:
        written = []
        for base in ("c", memory):
            gate = ("gate", f"{base}/key.conllu", f"{base}/a.conllu", "--task", "pos", "--baseline", "gate.json")
            assert run(capsys, *gate, "--write-baseline", "-q").code == 0
            written.append(Path("gate.json").read_text())
        assert written[0] == written[1]

    def test_parts_are_not_gone_on_with_if_training_data_changed(self, memory: str) -> None:
        setup = Setup(task="pos", train=f"{memory}/many/*.conllu")
        before = list_setting_files(setup)
        assert [name for name, _ in before] == ["memory://c/many/b-a.conllu"]
        fsspec.filesystem("memory").pipe_file("/c/many/b-a.conllu", b"")
        assert list_setting_files(setup) != before
        assert list_setting_files(Setup(task="pos", train="memory://none")) == ()

    def test_training_data(self, memory: str) -> None:
        key, output = f"{memory}/key.conllu", f"{memory}/a.conllu"
        found, wanted = (
            cp.compare(key, {"a": output}, task="pos", train=train, resamples=0).slices("frequency").to_json()
            for train in (output, "c/a.conllu")
        )
        assert found == wanted


class TestChanges:
    def test_a_saved_result_reads_examples_from_the_url(self, memory: str) -> None:
        result = compared(memory)
        result.save("saved")
        assert said(cp.open("saved"), memory) == said(result, memory)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda fs: fs.pipe_file("/c/key.conllu", conllu(12, "ADV").encode()), "has changed since the result was"),
            (lambda fs: fs.rm("/c/key.conllu"), "the file no longer exists"),
        ],
    )
    def test_one_whose_files_changed_says_so(self, memory: str, change: Callable[[Any], None], message: str) -> None:
        compared(memory).save("saved")
        change(fsspec.filesystem("memory"))
        assert message in refusal(lambda: cp.open("saved").examples(top=1).to_json())

    def test_stamps_tell_changes(self, memory: str) -> None:
        file = RemotePath(f"{memory}/a.conllu")
        before = read_stamp(file)
        assert before == read_stamp(file)
        fsspec.filesystem("memory").pipe_file("/c/a.conllu", Path("c/a.conllu").read_bytes())
        assert read_stamp(file) not in {before, None}
        assert read_stamp(RemotePath(f"{memory}/none")) is None

    def test_a_file_that_changes_while_it_is_read(self, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(web, "next_tag", iter(f'"{number}"' for number in range(99)).__next__)
        message = refusal(load, f"{web.url}/c/a.conllu", side="key")
        assert "changed while it was being read" in message

    def test_a_stretch_that_is_not_there(self, memory: str) -> None:
        stretch = Stretch(file=RemotePath(f"{memory}/a.conllu"), start=10, stop=1_000_000)
        assert "changed while it was being read" in refusal(load_files, [stretch], side="key")


class TestErrors:
    @pytest.mark.parametrize(
        ("path", "code", "message"),
        [
            ("memory://c/kye.conllu", 3, "memory://c/kye.conllu: no such file"),
            ("memory://nothing/", 3, "memory://nothing/: no such file"),
            ("memory://c/*.conllx", 3, "memory://c/*.conllx: no file matches this pattern"),
            ("memory://c/brat::conllu", 3, "the folder has no matching files"),
            ("memroy://c/key.conllu", 2, "unknown protocol 'memroy' (did you mean 'memory'?)"),
            ("sftp://me:hush@host/key.conllu", 2, "sftp://…@host/key.conllu: the URL contains a password"),
            ("WEB/c/none.conllu", 3, "none.conllu: no such file"),
            ("WEB/secret.conllu", 3, "secret.conllu: cannot be read: 403 Forbidden"),
            ("http://127.0.0.1:1/key.conllu", 3, "cannot be read: Cannot connect to host"),
        ],
    )
    @pytest.mark.usefixtures("memory")
    def test_one_paragraph_says_what_is_wrong(self, web: Web, path: str, code: int, message: str) -> None:
        given = path.replace("WEB", web.url)
        found = refusal(cp.compare, given, {"a": "c/a.conllu"}, task="pos", code=code)
        assert message in found
        assert "hush" not in found
        assert len(found.splitlines()) <= 3

    def test_without_fsspec(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "fsspec", None)
        message = refusal(load, "s3://b/key.conllu", side="key", code=2)
        assert "pip install 'comparanda[remote]'" in message

    def test_without_the_package_of_a_protocol(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "s3fs", None)
        message = refusal(load, "s3://b/key.conllu", side="key", code=2)
        assert "s3:// needs a package that is not installed\n  Install s3fs" in message

    def test_whatever_a_backend_raises(self, memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: object, **__: object) -> None:
            raise RuntimeError("the token has expired\nsecond line")

        monkeypatch.setattr(fsspec.filesystem("memory"), "cat_file", broken)
        message = refusal(load, f"{memory}/key.conllu", side="key")
        assert message == "memory://c/key.conllu: cannot be read: the token has expired"

    def test_errors_in_lines_name_the_url(self, memory: str) -> None:
        fsspec.filesystem("memory").pipe_file("/c/key.conllu", b"1\tone\n")

        def reading() -> Corpus:
            return read_input(Input(path=f"{memory}/key.conllu", name=None, format="conllu"), Request(), "tokens")

        assert refusal(reading).startswith("memory://c/key.conllu:1: ")

    def test_documents_are_found_where_they_are(self, memory: str) -> None:
        corpus = read_input(Input(path=f"{memory}/key.conllu"), Request(), "tokens")
        assert list(documents(corpus))[:2] == ["d0", "d1"]
        assert str(corpus.location(0)) == "memory://c/key.conllu:2"

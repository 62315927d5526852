"""The command `serve`: what it says, how it ends, and what it refuses."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from comparanda.report.server import Answer, Server
from tests.cli.files import DEMO
from tests.command import run
from tests.seeds import first_few

ADDRESS = re.compile(r"http://127\.0\.0\.1:([0-9]+)/\?token=[A-Za-z0-9_-]+\n")


@pytest.fixture
def folder(demo: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A result folder."""
    assert run(capsys, "compare", *DEMO, "--save", "result", "-q", "--resamples", "0").code == 0
    return demo / "result"


@pytest.fixture(autouse=True)
def never_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """What should be refused and is not, must not wait for a browser; servers in processes of their own do."""
    monkeypatch.setattr(Server, "answer_by", interrupted)
    monkeypatch.setattr("webbrowser.open", str)


def interrupted(server: Server, answer: object) -> None:
    raise KeyboardInterrupt


@contextmanager
def started(*arguments: object, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a server, and give it and its address; it is ended at last, however the test goes."""
    command = [sys.executable, "-m", "comparanda", "serve", *map(str, arguments)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env={**os.environ, **environment}) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline()
        finally:
            process.kill()


def fetched(address: str) -> bytes:
    with urlopen(address.strip(), timeout=60) as answer:
        content: bytes = answer.read()
    return content


@pytest.mark.parametrize("sign", first_few(1, [signal.SIGINT, signal.SIGTERM]))
def test_it_serves_until_it_is_told_to_end(folder: Path, sign: signal.Signals) -> None:
    with started(folder, "--no-open") as (process, address):
        assert ADDRESS.fullmatch(address)
        assert fetched(address).startswith(b"<!doctype html>")
        where = address.strip().replace("/?", "/api/items?where=true&limit=1&")
        assert json.loads(fetched(where))["count"] > 1000
        process.send_signal(sign)
        rest, told = process.communicate(timeout=60)
    assert (process.returncode, rest) == (0, "")
    assert told.splitlines()[-2:] == [f"serving {folder} on this machine only; press Ctrl-C to stop", "ended"]


def test_it_listens_on_loopback_alone(folder: Path) -> None:
    with started(folder, "--no-open", "-q") as (_, address):
        match = ADDRESS.fullmatch(address)
        assert match is not None
        listening = [
            row.split()[1]
            for table in ("tcp", "tcp6")
            for row in Path("/proc/net", table).read_text().splitlines()[1:]
            if row.split()[3] == "0A" and int(row.split()[1].partition(":")[2], 16) == int(match[1])
        ]
    assert listening == [f"0100007F:{int(match[1]):04X}"]


@pytest.mark.slow
def test_a_browser_is_opened(folder: Path, tmp_path: Path) -> None:
    opened, browser = tmp_path / "opened", tmp_path / "browser"
    os.mkfifo(opened)
    pipe = os.open(opened, os.O_RDWR)  # opens though nobody writes yet
    browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$1" > {opened}\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    with started(folder, "-q", BROWSER=f"{browser} %s") as (_, address), open(pipe, encoding="utf-8") as told:
        assert select.select([told], [], [], 60)[0], "no browser was opened"
        assert told.readline() == address


def test_no_browser_is_opened_where_none_is_wanted(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("webbrowser.open", pytest.fail)
    outcome = run(capsys, "serve", folder, "--no-open", "-q")
    assert (outcome.code, outcome.err) == (0, "")
    assert ADDRESS.fullmatch(outcome.out)


def test_the_port_can_be_chosen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        taken = run(capsys, "serve", folder, "--no-open", "--port", port)
    assert (taken.code, taken.out) == (2, "")
    assert taken.err == (
        f"comparanda: port {port} is not available: Address already in use\n"
        "  choose another, or omit --port to use any that is free\n"
    )
    assert run(capsys, "serve", folder, "--no-open", "--port", port).out.startswith(f"http://127.0.0.1:{port}/?token=")


@pytest.mark.parametrize("port", ["0", "80", "1023", "65536", "99999", "-1", "http", ""])
def test_a_port_that_is_none(folder: Path, port: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "serve", folder, "--no-open", "--port", port)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("comparanda: --port: expected a")
    assert len(outcome.err.splitlines()) == 1


def test_what_is_no_result_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hint = "  create one: comparanda compare KEY NAME=FILE… --save FOLDER\n"
    missing, other = run(capsys, "serve", "nowhere"), run(capsys, "serve", "demo")
    assert (missing.code, missing.err) == (3, f"comparanda: nowhere: no such folder\n{hint}")
    assert (other.code, other.err) == (3, f"comparanda: demo: not a result folder\n{hint}")
    file = run(capsys, "serve", "demo/key.conllu")
    assert (file.code, file.err) == (3, f"comparanda: demo/key.conllu: not a result folder\n{hint}")
    (folder / "manifest.json").write_text("{")
    damaged = run(capsys, "serve", folder)
    assert (damaged.code, damaged.out) == (3, "")
    assert "not a result folder of comparanda" in damaged.err or "the manifest is damaged" in damaged.err


def test_a_damaged_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for column in folder.glob("*.npy"):
        column.write_bytes(column.read_bytes()[:-1])
    outcome = run(capsys, "serve", folder)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("comparanda: ")
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--view", "nothing"), "unknown view 'nothing'"),
        (("--base", "nobody"), "unknown system 'nobody'"),
        (("--by", "colour"), "the result folder has no attribute 'colour'"),
        (("--where", "label =="), "expected an expression after '=='"),
        (("--by", "word", "--no-text"), "slices by 'word' show words of the corpus"),
        (("more",), "got unexpected extra argument (more)"),
    ],
)
def test_what_cannot_be_meant(
    folder: Path, arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run(capsys, "serve", folder, "-q", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"comparanda: {said}")


def test_what_is_chosen_reaches_the_page(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[bytes] = []

    def ask(server: Server, answer: Callable[[str, Mapping[str, str]], Answer]) -> None:
        server.answer = answer
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        seen.append(fetched(server.address))
        where = server.address.replace("/?", "/api/items?where=true&limit=200&")
        seen.append(fetched(where))
        server.shutdown()
        thread.join()

    monkeypatch.setattr(Server, "answer_by", ask)
    arguments = ["--no-open", "-q", "--no-text", "--title", "My <title>", "--where", 'label == "PROPN"']
    assert run(capsys, "serve", folder, *arguments).code == 0
    assert b"<title>My &lt;title&gt;</title>" in seen[0]
    items = json.loads(seen[1])
    assert {entry["card"]["label"] for entry in items["entries"]} == {"PROPN"}
    assert not [entry for entry in items["entries"] if entry["card"].get("words") or entry["card"].get("line")]

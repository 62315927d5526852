"""The environment of `benchmarks.peers`: what each peer is, and how it is looked at before it is installed.

Names on a package index are reused, so a version alone does not say whose program it is. Every peer is first built
or fetched as a wheel, without what it depends on; the wheel must say that it is the project meant here, and only then
is it installed. Files that are the same on all machines are pinned by their digest as well: the script that builds a
source distribution runs before anybody can look at the wheel.

Only the standard library is imported: this runs before there is an environment.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_string
from email.message import Message
from importlib.metadata import Distribution, distributions
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".venv-peers"


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A program to be compared with.

    Args:
        name: what the package index calls it.
        version: the version whose numbers were looked at.
        summary: what it says it is.
        home: an address that it must name as its own.
        author: a part of what it says about its authors; empty if it says nothing.
        sha256: the digest of its file, where there is one for all machines; others must come as wheels.

    """

    name: str
    version: str
    summary: str
    home: str
    author: str = ""
    sha256: str = ""

    @property
    def requirement(self) -> str:
        """The line of a requirements file."""
        return f"{self.name}=={self.version}" + (f" --hash=sha256:{self.sha256}" if self.sha256 else "")


# Those that others depend on come first, so that they too are looked at before they are installed.
PEERS = (
    Peer(
        name="scikit-learn",
        version="1.9.1",
        summary="A set of python modules for machine learning and data mining",
        home="https://github.com/scikit-learn/scikit-learn",
    ),
    Peer(
        name="scipy",
        version="1.17.1",
        summary="Fundamental algorithms for scientific computing in Python",
        home="https://github.com/scipy/scipy",
    ),
    Peer(
        name="seqeval",
        version="1.2.2",
        summary="Testing framework for sequence labeling",
        home="https://github.com/chakki-works/seqeval",
        author="Hironsan",
        sha256="f28e97c3ab96d6fcd32b648f6438ff2e09cfba87f05939da9b3970713ec56e6f",
    ),
    Peer(
        name="nervaluate",
        version="1.2.1",
        summary="NER evaluation considering partial match scoring",
        home="https://github.com/MantisAI/nervaluate",
        author="David S. Batista",
        sha256="f7401943620ea312eb2253983f27b646f6d0cbfff3105037c3d7125317e522a3",
    ),
    Peer(
        name="seqscore",
        version="0.9.0",
        summary="SeqScore: Scoring for named entity recognition and other sequence labeling tasks",
        home="https://github.com/bltlab/seqscore",
        author="Constantine Lignos",
        sha256="2a3830f7ba97409b777d2f7754f350393f0b89c9ebc4411f6fb36be458e12e0a",
    ),
    Peer(
        name="udtools",
        version="0.2.9",
        summary="Python tools for Universal Dependencies",
        home="https://github.com/UniversalDependencies/tools",
        author="Daniel Zeman",
        sha256="7d625edfba066c440923f1fbe59dc81c9f0bdbbcb3bddb7be6de5ef00da067d4",
    ),
    Peer(
        name="conllu",
        version="6.0.0",
        summary="CoNLL-U Parser parses a CoNLL-U formatted string into a nested python dictionary",
        home="https://github.com/EmilStenstrom/conllu",
        author="Emil Stenström",
        sha256="c47206a0912f768bfae429d3d3c2c7f5ed068babd2502663e865cfb21532cbcc",
    ),
    Peer(
        name="ranx",
        version="0.3.21",
        summary="ranx: A Blazing-Fast Python Library for Ranking Evaluation, Comparison, and Fusion",
        home="https://github.com/AmenRa/ranx",
        author="Elias Bassani",
        sha256="3ee37593b6e44574b75c0076cf113c9ca515209ade4fd7e7ef97aa5962409163",
    ),
)


def unlike(peer: Peer, metadata: Callable[[str], list[str]]) -> list[str]:
    """Say in what a distribution, given the values of each field of its metadata, is not the peer that is meant."""
    addresses = [each.rpartition(" ")[2] for each in (*metadata("Home-page"), *metadata("Project-URL"))]
    authors = " ".join(value for field in ("Author", "Author-email") for value in metadata(field))
    wrong = []
    if [_normal(each) for each in metadata("Name")] != [_normal(peer.name)]:
        wrong.append(f"its name is {metadata('Name')}")
    if metadata("Version") != [peer.version]:
        wrong.append(f"its version is {metadata('Version')}")
    if metadata("Summary") != [peer.summary]:
        wrong.append(f"it says that it is {metadata('Summary')}")
    if not any(f"{address}/".startswith(f"{peer.home}/") for address in addresses):
        wrong.append(f"it names {addresses} as its addresses, not {peer.home}")
    if peer.author not in authors:
        wrong.append(f"its authors are {authors!r}")
    return wrong


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def fields_of(message: Message) -> Callable[[str], list[str]]:
    """Return a function from a field to its values."""
    return lambda field: [str(value) for value in message.get_all(field, [])]


class NotUsable(Exception):
    """A package that cannot be had."""


class Mistaken(NotUsable):
    """A package that is not what its name promises."""


def prepare() -> dict[str, NotUsable]:
    """Make the environment, with the project and all peers that can be had; say why others cannot be used."""
    if not python().exists():
        print(f"making {FOLDER.name} …", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True)
    _have_the_project()
    lacking = {}
    for peer in PEERS:
        try:
            _have(peer)
        except NotUsable as error:
            lacking[peer.name] = error
    return lacking


def _have_the_project() -> None:
    """Install the project as it stands, once and whenever what it depends on changes."""
    project, installed = (ROOT / "pyproject.toml").read_text(), FOLDER / ".project"
    if not installed.exists() or installed.read_text() != project:
        print("installing the project …", file=sys.stderr)
        _pip("install", "-e", str(ROOT))
        installed.write_text(project)


def python() -> Path:
    """Return the interpreter of the environment."""
    return FOLDER / "bin" / "python"


def _have(peer: Peer) -> None:
    """See that a peer is installed and is what it should be."""
    installed = _installed(peer)
    if installed is None or installed.version != peer.version:
        print(f"installing {peer.name} {peer.version} …", file=sys.stderr)
        _install(peer)
        installed = _installed(peer)
    if installed is None:
        raise NotUsable("pip says that it is installed, and it is not there")
    _refuse_another(peer, fields_of(message_from_string(installed.read_text("METADATA") or "")))


def _installed(peer: Peer) -> Distribution | None:
    places = [str(path) for path in FOLDER.glob("lib/python*/site-packages")]
    return next(iter(distributions(name=peer.name, path=places)), None)


def _install(peer: Peer) -> None:
    """Get the wheel, look at it, install it with what it depends on."""
    with tempfile.TemporaryDirectory(prefix="comparanda-peers-") as folder:
        wanted = Path(folder) / "wanted.txt"
        wanted.write_text(f"{peer.requirement}\n")
        checked = ["--require-hashes"] if peer.sha256 else ["--only-binary", ":all:"]
        _pip("wheel", "--no-deps", *checked, "--wheel-dir", folder, "--requirement", str(wanted))
        (wheel,) = Path(folder).glob("*.whl")
        _refuse_another(peer, fields_of(_metadata(wheel)))
        _pip("install", str(wheel))


def _metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", each))
        return message_from_string(archive.read(name).decode())


def _refuse_another(peer: Peer, metadata: Callable[[str], list[str]]) -> None:
    if wrong := unlike(peer, metadata):
        raise Mistaken(f"another project of that name? {'; '.join(wrong)}")


def _pip(*arguments: str) -> None:
    """Run pip in the environment; its last complaint is the error."""
    command = [str(python()), "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()[-1:]
        raise NotUsable(f"pip {arguments[0]} fails: {said[-1] if said else 'without a word'}")

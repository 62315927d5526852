"""Imports go one way, from higher ranks to lower ones; and start-up is light."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

import comparanda
from comparanda.demo import demo_files

PACKAGE = Path(comparanda.__file__).parent

# The ranks of the rooms, the lowest first. A module may import from lines above its own, and from its own line.
# A package stands for all its modules.
RANKED = (
    ("version", "errors"),
    ("core",),
    ("formats", "align", "expressions", "rules", "render", "demo"),
    ("tasks",),
    ("findings",),
    ("feedback",),
    ("storage", "result"),
    ("pipeline",),
    ("scale",),
    ("api",),
    ("report", "testing"),
    ("cli",),
    ("__main__", "__init__"),
)
RANK = {name: rank for rank, line in enumerate(RANKED) for name in line}

# What only one task has to show is in the task's folder, and ranks with the findings.
FINDINGS_OF_TASKS = re.compile(r"tasks\.\w+\.(\w*findings|examples|\w*tables|tuples)")

# The exceptions, each with its reason.
ALLOWED = {
    ("core.measures", "tasks"): "the measures of two tasks: to be registered by the tasks",
    ("core.excerpts", "align"): "a type",
    ("result", "report"): "a result writes its report: imported when one is requested",
}


@cache
def modules() -> dict[str, Path]:
    """Return all modules of the package by their dotted name, a package's own as `name.__init__`."""
    return {".".join(path.relative_to(PACKAGE).with_suffix("").parts): path for path in sorted(PACKAGE.rglob("*.py"))}


def room(module: str) -> str:
    """Return the room that a module belongs to.

    >>> room("formats.conllu"), room("errors"), room("tasks.coref.findings")
    ('formats', 'errors', 'findings')
    """
    return "findings" if FINDINGS_OF_TASKS.fullmatch(module) else module.partition(".")[0]


def imported(nodes: Iterable[ast.AST]) -> set[str]:
    """Return every module of the package that some nodes import."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if _is_module(name) else str(node.module) for name in names}
    ours = {name for name in found if name == "comparanda" or name.startswith("comparanda.")}
    return {name.removeprefix("comparanda").removeprefix(".") or "__init__" for name in ours}


@cache
def _is_module(name: str) -> bool:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


@cache
def anywhere(path: Path) -> set[str]:
    """Return what a module imports, wherever it does so.

    Imports in functions are imports; and those under TYPE_CHECKING count too: a type is knowledge.
    """
    return imported(ast.walk(ast.parse(path.read_text())))


@cache
def at_once(path: Path) -> set[str]:
    """Return what a module imports when it is itself imported."""
    return imported(ast.parse(path.read_text()).body)


def test_every_room_has_a_rank() -> None:
    assert {room(module) for module in modules()} == set(RANK)


def edges() -> list[tuple[str, str]]:
    return [(module, other) for module, path in modules().items() for other in sorted(anywhere(path))]


@pytest.mark.parametrize("module", modules())
def test_each_room_imports_only_from_its_own_rank_and_below(module: str) -> None:
    for other in sorted(anywhere(modules()[module])):
        allowed = (module, room(other)) in ALLOWED
        assert RANK[room(other)] <= RANK[room(module)] or allowed, f"{module} imports {other}, which is above it"


def test_every_exception_is_in_use() -> None:
    used = {(module, room(other)) for module, other in edges() if RANK[room(other)] > RANK[room(module)]}
    assert used == set(ALLOWED)


def test_what_the_rooms_do_not_know() -> None:
    """Rooms of one rank that have nothing to do with each other; and findings know neither files nor corpora."""
    unknown = {
        "formats": {"align", "rules", "render"},
        "align": {"formats", "rules", "render"},
        "rules": {"align", "render"},
        "expressions": {"formats", "align", "render"},
        "render": {"formats", "align"},
        "findings": {"formats", "align"},
    }
    for module, other in edges():
        assert room(other) not in unknown.get(room(module), set()), f"{module} imports {other}"


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    graph = {module: {_node(name) for name in at_once(path)} for module, path in modules().items()}
    done: set[str] = set()

    def visit(module: str, importers: tuple[str, ...]) -> None:
        assert module not in importers, " → ".join((*importers, module))
        if module not in done:
            for other in graph[module]:
                visit(other, (*importers, module))
            done.add(module)

    for module in graph:
        visit(module, ())


def _node(name: str) -> str:
    return name if name in modules() else f"{name}.__init__"


# What start-up loads


def loaded(code: str) -> set[str]:
    """Return the top-level packages that are loaded after some code has run in a fresh process."""
    ending = "import sys; print('\\n'.join(sorted({name.partition('.')[0] for name in sys.modules})))"
    outcome = subprocess.run(
        [sys.executable, "-c", f"{code}\n{ending}"], capture_output=True, text=True, check=True, cwd="/"
    )
    return set(outcome.stdout.split())


HEAVY = {"numpy", "rich", "msgspec", "scipy", "pandas", "polars", "jinja2", "rapidfuzz"}


@pytest.mark.parametrize(
    "code",
    [
        "import comparanda",
        "import comparanda; dir(comparanda); comparanda.UsageError",
        "import comparanda.cli",
        "import sys, comparanda.cli\ntry: comparanda.cli.main(['--help'])\nexcept SystemExit: pass",
        "import sys, comparanda.cli\ntry: comparanda.cli.main(['compare', '--help'])\nexcept SystemExit: pass",
        "import sys, comparanda.cli\ntry: comparanda.cli.main(['--version'])\nexcept SystemExit: pass",
    ],
)
def test_neither_the_import_nor_the_help_loads_anything_heavy(code: str) -> None:
    assert loaded(code) & HEAVY == set()


def test_comparing_loads_no_data_frames_and_no_console() -> None:
    code = "import comparanda; comparanda.compare(['a', 'b'], {'x': ['a', 'a']}, task='tag', resamples=0).scores()"
    assert loaded(code) & HEAVY <= {"numpy", "msgspec"}


def after_a_command(shown: str, **environment: str) -> list[str]:
    """Return the words of an expression that is evaluated in the process of a small comparison, after it."""
    key, systems = demo_files("pos")
    arguments = ["diff", key, systems["brill"], systems["hanta"], "--task", "pos", "--resamples", "10", "--quiet"]
    code = f"""
import os, sys
from comparanda.cli import main
try:
    main({arguments!r})
except SystemExit as end:
    assert not end.code
print("after:", *{shown}, file=sys.stderr)
"""
    inherited = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**inherited, **environment}
    )
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("after:")]
    return line.split()[1:]


def test_a_command_imports_what_it_needs() -> None:
    """Of some 270 modules a small comparison needs less than a third, and of the libraries nothing that is slow."""
    loaded = set(after_a_command("sys.modules"))
    ours = {name for name in loaded if name.partition(".")[0] == "comparanda"}
    assert len(ours) <= 85
    assert not [
        name for name in ours if name.startswith(("comparanda.report.", "comparanda.scale.", "comparanda.feedback."))
    ]
    assert loaded & {"importlib.metadata", "email", "numpy.ma", "scipy"} == set()


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_a_command_has_one_thread_unless_the_user_wants_more() -> None:
    assert len(after_a_command("os.listdir('/proc/self/task')")) == 1
    assert after_a_command("[os.environ['OPENBLAS_NUM_THREADS']]") == ["1"]
    assert after_a_command("[os.environ['OPENBLAS_NUM_THREADS']]", OPENBLAS_NUM_THREADS="2") == ["2"]


# The public names


def test_all_names_what_there_is() -> None:
    assert comparanda.__all__ == sorted(comparanda.__all__)
    assert dir(comparanda) == comparanda.__all__
    for name in comparanda.__all__:
        assert getattr(comparanda, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = comparanda.nonsense


def test_type_checkers_see_the_names_that_are_loaded_lazily() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        alias.asname or alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert seen == set(comparanda.__all__) - {"__version__"}


def test_every_public_name_is_documented() -> None:
    for name in comparanda.__all__:
        if name == "__version__":
            continue
        value = getattr(comparanda, name)
        assert value.__doc__, name
        if inspect.isclass(value):
            for attribute, member in vars(value).items():
                if not attribute.startswith("_") and (callable(member) or isinstance(member, property)):
                    assert member.__doc__, f"{name}.{attribute}"


@pytest.mark.parametrize(
    "before", ["pass", "from comparanda.findings.scores import compute_scores", "comparanda.Result", "comparanda.open"]
)
def test_the_function_can_be_called_whatever_was_imported_before(before: str) -> None:
    """No module has the name of the function: importing it would take the name away."""
    code = f"import comparanda\n{before}\ncomparanda.compare(['a'], {{'x': ['a']}}, task='tag', resamples=0)"
    assert "numpy" in loaded(code)


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert comparanda.__version__ == version("comparanda")

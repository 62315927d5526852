# Everything sets itself up: a private environment in .venv, recreated when pyproject.toml changes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
READY := $(VENV)/.ready
FUZZ := .venv-fuzz

.PHONY: demo test browser lint slow same bench peers fuzz pictures clean

demo: $(CORE)
	$(BIN)/comparanda demo --report demo-report.html

# Compiled files are kept, whatever the shell sets: else every worker and every command under test compiles everything.
test slow: export PYTHONDONTWRITEBYTECODE =

# Sets of strings have another order in every process unless this number is the same. `make test` does the same each
# time it is run; `make slow` does not, and prints how to repeat a run.
test: export PYTHONHASHSEED := $(or $(PYTHONHASHSEED),0)
slow: export PYTHONHASHSEED := $(or $(PYTHONHASHSEED),$(shell date +%s))

test: $(READY) browser lint
	$(BIN)/python -m pytest -q -n auto --dist worksteal --cov --cov-report=term:skip-covered

# Debian's chromium without windows, for the tests of the page; where there is none, nor the one with windows, and it
# cannot be installed, they are skipped, and this and pytest say so.
browser:
	@command -v chromium-headless-shell >/dev/null 2>&1 || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
	  apt-get install -y -qq --no-install-recommends chromium-headless-shell; } >/dev/null 2>&1 || \
	  command -v chromium >/dev/null 2>&1 || \
	  echo "no chromium, and it cannot be installed: the tests of the page in a browser are skipped"

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy -n auto

slow: $(READY) browser
	@echo "to have this run again: make slow PYTHONHASHSEED=$(PYTHONHASHSEED)"
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m 'slow or hypothesis' --hypothesis-profile=thorough
	$(BIN)/python -m benchmarks

# Moves and renames change no output: the commands of tests/same_digits.py, at a commit and at HEAD. Texts that were
# changed on purpose can be listed: make same BASE=<commit> RENAMED=tests/renamed_texts.tsv.
same:
	$(PYTHON) -m tests.same_digits between $(or $(BASE),$(error which commit? make same BASE=<commit>)) $(if $(RENAMED),--renamed $(RENAMED))

bench: $(READY)
	$(BIN)/python -m benchmarks

# Against other programs, in an environment of its own (.venv-peers) that is made from the package index.
peers:
	$(PYTHON) -m benchmarks.peers

# An environment of its own: the fuzzer rewrites what it imports. Hours of CPU time; see docs/fuzzing.md.
fuzz: $(FUZZ)/.ready
	$(FUZZ)/bin/python -m fuzz $(or $(TARGETS),all)

$(FUZZ)/.ready: pyproject.toml
	$(PYTHON) -m venv $(FUZZ)
	$(FUZZ)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[fuzz,uima,parquet,spacy]'
	touch $@

# The pictures of the report in README and docs; look at them before committing.
pictures: $(READY) browser
	$(BIN)/python -m docs.screenshots.take

$(CORE): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $(CORE)

$(READY): $(CORE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,lint,package]'
	touch $(READY)

clean:
	rm -rf $(VENV) $(FUZZ) .venv-peers .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage dist build demo-report.html
	find src tests benchmarks examples fuzz -name __pycache__ -prune -exec rm -rf {} +

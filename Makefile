# Everything sets itself up: a private environment in .venv, made anew when pyproject.toml changes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
READY := $(VENV)/.ready

.PHONY: demo test lint slow bench clean

demo: $(CORE)
	$(BIN)/comparanda demo

# Compiled files are kept, whatever the shell says: else every worker and every command under test compiles all anew.
# The second run counts lines, so the first one is the cheaper place for compiling.
test slow: export PYTHONDONTWRITEBYTECODE =

test: $(READY) lint
	$(BIN)/python -m pytest -q -n auto -m 'repeated and not slow'
	$(BIN)/python -m pytest -q -n auto -m 'not slow and not repeated' --cov --cov-report=term:skip-covered

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

slow: $(READY)
	$(BIN)/python -m pytest -q -n auto -m slow --hypothesis-profile=default
	$(BIN)/python -m benchmarks

bench: $(READY)
	$(BIN)/python -m benchmarks

$(CORE): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $(CORE)

$(READY): $(CORE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,lint,package]'
	touch $(READY)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage dist build
	find src tests benchmarks examples -name __pycache__ -prune -exec rm -rf {} +

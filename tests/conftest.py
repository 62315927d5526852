"""What holds for the whole test run."""

from __future__ import annotations

import gc

import pytest
from hypothesis import HealthCheck, settings

from tests import chromium, shared_data
from tests.seeds import ORDINARY, THOROUGH

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""No case fails because the machine is busy."""

settings.register_profile(ORDINARY, CALM, derandomize=True, database=None, max_examples=30)
settings.register_profile(THOROUGH, CALM)
settings.load_profile(ORDINARY)  # the same cases in every run; `make slow` draws others, and more


def pytest_collection_finish() -> None:
    """Let the collector of circles pass over the tests themselves, which stay to the end."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line each how many tests could not run because shared data, or a browser, are not there."""
    for what, reason in (("shared data", shared_data.REASON), ("browser", chromium.REASON)):
        skipped = [report for report in terminalreporter.stats.get("skipped", []) if reason in str(report.longrepr)]
        if skipped:
            terminalreporter.write_line(f"{what}: {len(skipped)} tests skipped because it is missing ({reason})")

"""What holds for the whole test run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.shared_data import REASON

if TYPE_CHECKING:
    import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line how many tests could not run because the shared data are not there."""
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if REASON in str(report.longrepr)]
    if skipped:
        terminalreporter.write_line(f"shared data: {len(skipped)} tests skipped because they are missing ({REASON})")

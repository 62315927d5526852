"""What holds for the whole test run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import chromium, shared_data
from tests.seeds import ORDINARY, THOROUGH

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""No case fails because the machine is busy."""

settings.register_profile(ORDINARY, CALM, derandomize=True, database=None, max_examples=30)
settings.register_profile(THOROUGH, CALM)
settings.load_profile(ORDINARY)  # the same cases in every run; `make slow` draws others, and more

REPEATED = (
    "align/test_properties",
    "align/test_spans",
    "cli/test_complement",
    "cli/test_equal",
    "cli/test_exit",
    "cli/test_help",
    "cli/test_leaderboard",
    "cli/test_report",
    "comparison/complement/test_intervals",
    "comparison/complement/test_random",
    "comparison/diversity/",
    "comparison/gating/",
    "comparison/test_ablation",
    "comparison/test_agreements",
    "comparison/test_chain_pairs",
    "comparison/test_leaderboard",
    "comparison/test_mutations",
    "comparison/test_order",
    "comparison/test_outside",
    "comparison/test_real_files",
    "comparison/test_selections",
    "comparison/test_significance",
    "comparison/test_slices",
    "comparison/test_spans",
    "comparison/test_stability",
    "comparison/test_suspects",
    "docs/",
    "ensemble/",
    "expressions/test_choosing",
    "expressions/test_limits",
    "expressions/test_patterns",
    "expressions/test_properties",
    "feedback/test_properties",
    "feedback/test_random",
    "judge/beliefs/test_properties",
    "judge/beliefs/test_random",
    "judge/coreference/test_expected",
    "judge/coreference/test_golden",
    "judge/coreference/test_mutations",
    "judge/coreference/test_properties",
    "judge/coreference/test_published",
    "judge/coreference/test_random",
    "judge/test_arcs_random",
    "judge/test_labels",
    "judge/test_links",
    "judge/test_links_published",
    "judge/test_links_random",
    "judge/test_official_scores",
    "judge/test_span_credit",
    "judge/test_span_sites",
    "judge/test_spans_peers",
    "judge/test_spans_published",
    "judge/test_timex_counts",
    "judge/test_udeval",
    "page/browser/",
    "page/test_building",
    "page/test_cards",
    "page/test_lists",
    "page/test_no_text",
    "page/test_served_lists",
    "paper/",
    "read/language_models/test_answers",
    "read/tabbed_formats/test_hipe",
    "read/test_columns",
    "read/test_damaged_chains",
    "read/test_damaged_formats",
    "read/test_schemes",
    "read/test_schemes_peers",
    "read/test_span_files",
    "rules/test_clips",
    "rules/test_conditions",
    "rules/test_engine_random",
    "rules/test_faults",
    "rules/test_random_rules",
    "rules/test_shipped_files",
    "show/test_charts",
    "show/test_drawings",
    "show/test_latex",
    "show/test_links",
    "test_agreeing",
    "test_chain_metrics",
    "test_gates",
    "test_imports",
    "test_leaderboards",
    "test_merge",
    "test_road",
    "test_saved_chains",
    "test_saved_links",
    "test_saved_spans",
    "test_shape",
    "test_testing",
    "test_wheel",
    "vote/",
    "write/test_chain_pairs",
    "write/test_pairs",
    "write/test_rows_files",
    "write/test_rows_random",
)
"""Modules of many cases, against a reference, a peer or a page, or in processes of their own: counting lines would
double their time and add nothing."""


TESTS = Path(__file__).parent


@cache
def is_repeated(path: Path) -> bool:
    """Whether a file is one of these modules."""
    return path.is_relative_to(TESTS) and path.relative_to(TESTS).as_posix().startswith(REPEATED)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave these modules out where none of their tests is wanted: importing them takes longer than many tests."""
    left_out = "not repeated" in config.option.markexpr and is_repeated(collection_path)
    return True if left_out else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of these modules, so that they can be run by themselves."""
    for item in items:
        if is_repeated(item.path):
            item.add_marker(pytest.mark.repeated)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line each how many tests could not run because shared data, or a browser, are not there."""
    for what, reason in (("shared data", shared_data.REASON), ("browser", chromium.REASON)):
        skipped = [report for report in terminalreporter.stats.get("skipped", []) if reason in str(report.longrepr)]
        if skipped:
            terminalreporter.write_line(f"{what}: {len(skipped)} tests skipped because it is missing ({reason})")

"""Every fault is caught: for each there are checks of the engine that fail while the fault is in it.

A fault replaces a piece of a module's source, compiles it, and lends the new code to the very functions that are
in use; the checks that are named must then fail by an assertion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.core import test_joins
from tests.findings.test_mutations import Mutation, mutated
from tests.rules import test_clips, test_conditions, test_engine, test_pairing
from tests.rules.span_inputs import crowded
from tests.seeds import mostly_slow

Check = Callable[[], None]


@contextmanager
def compiled_anew() -> Iterator[None]:
    """Let no rules that were compiled without a fault be used with it, nor the other way round."""
    test_clips.made.cache_clear()
    try:
        yield
    finally:
        test_clips.made.cache_clear()


def clips(name: str, seeds: int) -> Check:
    """Return a check against CLIPS."""

    def check() -> None:
        with compiled_anew():
            test_clips.check(name, test_clips.small(name), range(seeds))

    return check


def conditions(*words: str, cut: bool = False) -> Check:
    """Return a check of all conditions that hold one of some words."""
    chosen = [
        (over, condition)
        for over, every in (("s", test_conditions.OF_ONE), ("sk", test_conditions.OF_TWO))
        for condition in every
        if any(word in condition for word in words)
    ]

    def check() -> None:
        whole = test_conditions.SMALL + test_conditions.MORE
        inputs = test_conditions.CUT + test_conditions.MORE_CUT if cut else whole
        for over, condition in chosen:
            test_conditions.check_condition(over, condition, inputs)

    return check


def order_of_the_input() -> None:
    for seed in range(30):
        test_engine.check_order(test_engine.MADE["many_rules"], crowded(seed), seed)


CHECKS: dict[str, Check] = {  # each is a test of another module, or a part of one, and fails there if it fails at all
    "CLIPS, many rules": clips("many_rules", 25),
    "CLIPS, questions": clips("question_rules", 15),
    "CLIPS, recursion": clips("spreading_rules", 25),
    "order": order_of_the_input,
    "count": conditions("count("),
    "min and max": conditions("min(", "max("),
    "overlap": conditions("overlaps("),
    "pieces": conditions("overlap", "same(", cut=True),
    "rows": conditions("partner"),
    "missing": conditions("'id'", "s.id", "s.confidence", "probability"),
    "similarity": conditions("similarity("),
    "lists": conditions("in_list("),
    "parameters": conditions("far("),
    "hierarchy": conditions("is_a("),
    "groups": test_engine.test_groups_run_in_the_order_given,
    "salience": test_engine.test_the_highest_rule_with_a_match_fires_first,
    "all matches": test_engine.test_a_rule_fires_for_all_its_matches_at_once,
    "start again": test_engine.test_after_a_change_the_group_starts_again_from_its_highest_rule,
    "recursion": test_engine.test_recursion_goes_on_until_nothing_changes,
    "paranoid": test_engine.test_a_wrong_shortcut_is_noticed_by_a_paranoid_run,
    "input left alone": test_engine.test_a_run_leaves_its_input_as_it_was,
    "rule of a verdict": test_engine.test_every_verdict_knows_its_rule,
    "both rows": test_engine.test_both_rows_of_a_pair_are_written,
    "no row twice": test_engine.test_no_row_is_paired_twice_and_the_best_pair_goes_first,
    "content": test_engine.test_of_equal_pairs_the_first_by_content_is_taken,
    "texts and ids": test_engine.test_texts_and_ids_decide_between_spans_in_one_place,
    "ambiguous": test_engine.test_two_values_for_one_cell_are_refused,
    "optimal": test_engine.test_optimal_pairing_finds_a_pair_more,
    "far apart": test_engine.test_spans_far_from_the_begin_of_long_documents_do_not_meet_others,
    "far content": test_engine.test_content_order_holds_for_large_numbers,
    "far overlaps": test_engine.test_overlaps_hold_in_many_long_documents,
    "packed": test_joins.test_packed_keys_are_equal_where_all_columns_are_and_in_their_order,
    "packed overflow": test_joins.test_packed_keys_that_overflow_do_not_meet,
    "large groups": test_joins.test_groups_whose_numbers_are_too_large_are_told_apart,
    "greedy": test_pairing.test_greedy_is_taking_the_best_pair_first_one_by_one,
    "optimal by trial": test_pairing.test_optimal_pairs_as_many_as_possible_and_then_at_the_least_cost,
}

FAULTS: dict[str, Mutation] = {}


def fault(name: str, module: str, old: str, new: str, *caught_by: str) -> None:
    assert name not in FAULTS
    FAULTS[name] = Mutation(module, old, new, caught_by)


# The agenda

fault(
    "salience ignored",
    "rules.compiler",
    "key=lambda rule: (order[rule.group], -rule.salience)",
    "key=lambda rule: order[rule.group]",
    "salience",
)
fault(
    "lowest salience first",
    "rules.compiler",
    "key=lambda rule: (order[rule.group], -rule.salience)",
    "key=lambda rule: (order[rule.group], rule.salience)",
    "salience",
    "CLIPS, many rules",
    "CLIPS, recursion",
)
fault(
    "groups reversed",
    "rules.compiler",
    "for place, group in enumerate(declared.groups)}",
    "for place, group in enumerate(reversed(declared.groups))}",
    "groups",
    "CLIPS, many rules",
    "CLIPS, questions",
)
fault(
    "restart skipped",
    "rules.engine",
    "                    if back is not None:",
    "                    if False:",
    "start again",
    "recursion",
    "CLIPS, recursion",
)
fault(
    "paranoid runs look away",
    "rules.engine",
    "            _require_equal_outcomes(outcome, careful)",
    "            pass",
    "paranoid",
)
fault(
    "a rule fires for its first match only",
    "rules.engine",
    "frame = find_matches(plan, state)",
    "frame = find_matches(plan, state)\n        frame = frame.taken(np.arange(min(1, frame.size)))",
    "all matches",
    "CLIPS, many rules",
)
fault(
    "write of the second variable lost",
    "rules.engine",
    "            table, rows = frame.tables[variable]",
    "            if variable != plan.variables[0]:\n"
    "                continue\n"
    "            table, rows = frame.tables[variable]",
    "both rows",
    "CLIPS, many rules",
)
fault(
    "ambiguous write taken",
    "rules.engine",
    '    if wrong.any():\n        what = f"ambiguous',
    '    if False:\n        what = f"ambiguous',
    "ambiguous",
)
fault(
    "the rule of a verdict not recorded",
    "rules.engine",
    "            table.by[column][rows] = place",
    "            table.by[column][rows[:1]] = place",
    "rule of a verdict",
)
fault(
    "the input is written to",
    "rules.facts",
    'np.int64 if column.dtype.kind in "iu" else column.dtype)',
    'np.int64 if column.dtype.kind in "iu" else column.dtype, copy=False)',
    "input left alone",
)

# Pairing

fault(
    "a key span used twice",
    "rules.engine",
    "alive = alive[~(taken_left[mine] | taken_right[theirs])]",
    "alive = alive[~taken_left[mine]]",
    "no row twice",
    "greedy",
    "CLIPS, many rules",
)
fault(
    "greedy takes the worst first",
    "rules.engine",
    "return np.lexsort((right, left, *reversed(best)))",
    "return np.lexsort((right, left, *reversed(best)))[::-1]",
    "no row twice",
    "greedy",
    "CLIPS, questions",
)
fault(
    "`best` numbers in the wrong order",
    "rules.engine",
    "return np.lexsort((right, left, *reversed(best)))",
    "return np.lexsort((right, left, *best))",
    "greedy",
    "CLIPS, questions",
)
fault(
    "only the first `best` number counts",
    "rules.engine",
    "for term in plan.best]",
    "for term in plan.best[:1]]",
    "CLIPS, many rules",
    "CLIPS, questions",
)
fault(
    "optimal pairing is greedy",
    "rules.engine",
    "_PAIR_CHOOSERS.get(rule.pair),",
    '_PAIR_CHOOSERS.get(rule.pair and "one-to-one"),',
    "optimal",
)
fault(
    "a saving is worth a pair less",
    "rules.engine",
    "none = (spread.max() + 1.0) * (most + 1)",
    "none = spread.max() / 2",
    "optimal",
    "optimal by trial",
)

# The order of the input

fault(
    "tie by the order of the input",
    "rules.facts",
    "    if not tied.size or not rest:",
    "    if True:",
    "content",
    "texts and ids",
    "order",
    "CLIPS, many rules",
)
fault("no content order", "rules.facts", "    if not first or len(first[0]) < 2:", "    if True:", "content", "order")
fault(
    "duplicates ordered by id before text",
    "rules.facts",
    "settled = np.lexsort((*reversed(ranked), ordered[rows]))",
    "settled = np.lexsort((*ranked, ordered[rows]))",
    "content",
    "CLIPS, many rules",
)
fault(
    "partners are rows by content",
    "rules.engine",
    "return np.where(rows >= 0, order[np.maximum(rows, 0)], rows)",
    "return rows",
    "both rows",
    "order",
    "CLIPS, many rules",
)

# Overlap

fault(
    "<= for < in overlap",
    "core.extents",
    "return base + 2 * begin + filled, base + 2 * end - filled",
    "return base + 2 * begin, base + 2 * end",
    "overlap",
    "far overlaps",
    "CLIPS, many rules",
    "CLIPS, questions",
)
fault("<= for < in the overlap of pieces", "rules.conditions", "(a < d and c < b)", "(a <= d and c <= b)", "pieces")
fault(
    "an empty span overlaps what it touches",
    "core.extents",
    "return base + 2 * begin + filled,",
    "return base + 2 * begin + 2 * filled - 1,",
    "overlap",
    "far overlaps",
    "CLIPS, questions",
)
fault(
    "spans of two documents overlap",
    "core.extents",
    "base = document.astype(np.int64) * room",
    "base = document.astype(np.int64) * 0",
    "overlap",
    "CLIPS, many rules",
)
fault("pieces ignored", "rules.conditions", "several = found & ((", "several = found & False & ((", "pieces")
fault(
    "overlap only where the other begins inside",
    "core.joins",
    "        if not len(left):\n            return owner, right",
    "        if True:\n            return owner, right",
    "overlap",
    "CLIPS, many rules",
)
fault(
    "an overlap of one position not counted",
    "core.joins",
    'begun = np.searchsorted(_sort_if_needed(right_low), left_high, "right")',
    'begun = np.searchsorted(_sort_if_needed(right_low), left_high, "left")',
    "count",
    "CLIPS, questions",
)

# Joins

fault(
    "join key overflow not handled",
    "core.joins",
    "        low, width, columns = _fit_column(given, room // size)\n"
    "        if size * width >= room:\n"
    "            keys, size = _rank_values(keys)\n",
    "        low, width, columns = _fit_column(given, 1 << 200)\n",
    "packed",
    "packed overflow",
    "far apart",
    "far content",
)
fault(
    "join key overflow of ranks not handled",
    "core.joins",
    "        if size * width >= room:",
    "        if False:",
    "packed",
)
fault(
    "overflow of groups of intervals not handled",
    "core.joins",
    "    if (highest + 1) * width >= _KEY_LIMIT:",
    "    if False:",
    "large groups",
)
fault(
    "missing equals missing",
    "rules.conditions",
    "        return (left_values == right(frame)) & (left_values != MISSING)",
    "        return left_values == right(frame)",
    "missing",
)
fault(
    "missing joins missing",
    "rules.facts",
    "        return values < 0 if values.size and values.min() < 0 else None",
    "        return None",
    "missing",
    "CLIPS, many rules",
)
fault(
    "a missing number joins",
    "rules.facts",
    "    return gone if gone.any() else None",
    "    return None",
    "missing",
)
fault(
    "conditions on both rows skipped",
    "rules.conditions",
    "        for term in self.rest:",
    "        for term in self.rest[:0]:",
    "overlap",
    "CLIPS, many rules",
)
fault(
    "overlap with a named row not looked at",
    "rules.conditions",
    "near = spans_overlap(found, self.overlapping, self.variable) if self.row else np.ones(found.size, np.bool_)",
    "near = np.ones(found.size, np.bool_)",
    "rows",
)
fault(
    "equal values of a named row not looked at",
    "rules.conditions",
    "        if self.row is not None and self.equal:",
    "        if False:",
    "rows",
    "CLIPS, many rules",
)

# Questions and functions

fault(
    "`not any` evaluated as `any`",
    "rules.conditions",
    "                return lambda frame: np.logical_not(inner(frame))",
    "                return inner if isinstance(operand, Quantified) else lambda frame: np.logical_not(inner(frame))",
    "overlap",
    "CLIPS, many rules",
    "CLIPS, questions",
)
fault(
    "min is max",
    "rules.conditions",
    'np.fmin if self.node.function == "min" else np.fmax',
    'np.fmax if self.node.function == "min" else np.fmin',
    "min and max",
    "CLIPS, many rules",
)
fault(
    "a missing number is the least",
    "rules.conditions",
    'np.fmin if self.node.function == "min" else np.fmax',
    'np.minimum if self.node.function == "min" else np.maximum',
    "min and max",
)
fault(
    "the least of no rows is that of others",
    "rules.conditions",
    "            hit = keys[place] == left_keys",
    "            hit = keys[place] >= 0",
    "min and max",
)
fault(
    "per-label threshold uses the default",
    "rules.conditions",
    "result[label == state.pool.code(name)] = value",
    'result[label == state.pool.code("default")] = value',
    "parameters",
    "CLIPS, many rules",
    "CLIPS, questions",
)
fault(
    "the label's own list not looked at",
    "rules.conditions",
    "    if label is None:\n        return found",
    "    if True:\n        return found",
    "lists",
    "CLIPS, many rules",
)
fault(
    "the default list holds beside the label's own",
    "rules.conditions",
    "found = np.where(selected, _is_one_of(state, texts, text), found)",
    "found = found | (selected & _is_one_of(state, texts, text))",
    "lists",
    "CLIPS, many rules",
)
fault(
    "hierarchy of one level only",
    "rules.compiler",
    "                waiting.extend(parents.get(one, ()))",
    "                pass",
    "hierarchy",
    "CLIPS, many rules",
)
fault(
    "hierarchy upside down",
    "rules.conditions",
    "found |= selected & _is_one_of(state, above, ancestor)",
    "found |= (ancestor == state.pool.code(name)) & _is_one_of(state, above, child)",
    "hierarchy",
    "CLIPS, many rules",
)
fault(
    "texts like one that is missing",
    "rules.conditions",
    "return np.where(present, scores[places], np.nan)",
    "return scores[places]",
    "similarity",
)

CASES = [(name, check) for name, each in FAULTS.items() for check in each.caught_by]
QUICK = ("salience", "groups", "all matches", "both rows", "order", "far overlaps", "far apart", "hierarchy")


@pytest.mark.parametrize(
    ("name", "check"),
    mostly_slow(CASES, [each for each in CASES if each[1] in QUICK]),
    ids=[f"{name} - {check}" for name, check in CASES],
)
def test_the_fault_is_caught(name: str, check: str) -> None:
    with mutated(FAULTS[name]), pytest.raises((AssertionError, pytest.fail.Exception)):
        CHECKS[check]()


def test_there_are_enough_faults_and_every_check_catches_one() -> None:
    assert len(FAULTS) >= 15
    assert {check for each in FAULTS.values() for check in each.caught_by} == set(CHECKS)

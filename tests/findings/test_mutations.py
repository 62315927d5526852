"""Every identity bites: for each there is a change of a formula under which its test fails.

A mutation replaces a piece of a module's source, compiles it, and lends the new code to the very
functions that are in use; the identity is then tried as it stands and must fail by an assertion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest

from tests.findings.populations import IDENTITIES

for _name in (
    "align.test_maps",
    "align.test_pairing",
    "align.test_properties",
    "align.test_tolerance",
    "findings.test_ablation",
    "findings.complement.test_against",
    "findings.test_upper_bounds",
    "findings.complement.test_intervals",
    "findings.complement.test_random",
    "findings.test_confusion",
    "findings.test_difference",
    "findings.test_leaderboard",
    "findings.test_order",
    "findings.test_outside",
    "findings.test_resamples",
    "findings.test_scores",
    "findings.test_selections",
    "findings.test_significance",
    "findings.test_slices",
    "tasks.test_labels",
    "expressions.test_item_selection",
    "core.test_measures",
    "expressions.test_selection",
    "core.test_verdicts",
):
    import_module(f"tests.{_name}")


@dataclass(frozen=True)
class Mutation:
    """A change of a formula.

    Args:
        module: the module it stands in, below `comparanda`.
        old: a piece of its source that occurs once; or the name of a constant, if `new` is no text.
        new: what stands there instead.
        caught_by: the identities that must fail.

    """

    module: str
    old: str
    new: object
    caught_by: tuple[str, ...]


def mutation(module: str, old: str, new: object, *caught_by: str) -> Mutation:
    return Mutation(module, old, new, tuple(f"test_{name}" for name in caught_by))


MUTATIONS = (
    mutation(
        "findings.ablation",
        "divide_counts(sum(counts) - abs(gained - lost), sites)",
        "divide_counts(sum(counts) - (gained - lost), sites)",
        "every_number_of_a_variant_is_that_of_the_pair_alone",
    ),
    mutation(
        "findings.ablation",
        "-(hidden or 0.0), abs(change or 0.0)",
        "-(hidden or 0.0), -abs(change or 0.0)",
        "the_most_hidden_change_is_first_and_ties_go_to_the_smaller_change",
    ),
    mutation(
        "findings.ablation",
        "tuple(sorted(variants, key=_sort_key))",
        "tuple(variants)",
        "the_order_of_the_variants_changes_nothing",
    ),
    mutation(
        "findings.ablation",
        "every - np.abs(turned[:, :1] - turned[:, 1:2])",
        "every - (turned[:, :1] - turned[:, 1:2])",
        "intervals_come_from_resampled_documents",
    ),
    mutation(
        "findings.ablation",
        "significance(context, main, full)",
        "significance(context, main)",
        "holm_corrects_for_the_variants_alone",
    ),
    mutation(
        "findings.ablation",
        "return found.rates(full, variant), found.rates(variant, full)",
        "return found.rates(full, variant), found.rates(full, variant)",
        "rates_are_those_of_complementarity_in_both_directions",
    ),
    mutation(
        "findings.ablation",
        "in product(whole.runs, system.runs)",
        "in zip(whole.runs, system.runs)",
        "runs_count_as_pairs",
    ),
    mutation(
        "findings.ablation",
        "divide_counts(gained - lost, sites),",
        "divide_counts(gained - lost + 1, sites),",
        "identical_variants_have_changed_nothing",
    ),
    mutation(
        "findings.leaderboard",
        "gap.p_holm is not None and gap.p_holm < LEVEL",
        "gap.p is not None and gap.p < LEVEL",
        "ranks_ranges_and_groups_follow_from_the_p_of_all_pairs",
    ),
    mutation(
        "findings.leaderboard",
        "last_rank=self.ranked - worse",
        "last_rank=self.ranked - worse - 1",
        "groups_are_contiguous_and_every_rank_lies_in_its_range",
    ),
    mutation(
        "findings.leaderboard",
        "tuple(sorted(context.systems, key=lambda system: system.name))",
        "context.systems",
        "the_order_of_the_systems_changes_nothing",
    ),
    mutation(
        "findings.leaderboard",
        "rank=self.rounded.index(self.rounded[place]) + 1",
        "rank=place + 1",
        "a_copy_has_the_rank_and_the_group_of_its_original",
    ),
    mutation(
        "findings.leaderboard",
        "-each for each in (test.difference",
        "each for each in (test.difference",
        "a_gap_is_the_difference_of_two_scores",
    ),
    mutation(
        "findings.leaderboard",
        "found & (found.sum(axis=0) == 1)",
        "found & (found.sum(axis=0) <= 2)",
        "what_one_system_alone_has_right_or_wrong",
    ),
    mutation(
        "findings.leaderboard",
        "found[list(system.runs)].any(axis=0) for system in systems",
        "found[list(system.runs)].all(axis=0) for system in systems",
        "runs_of_one_system_stand_against_those_of_others_together",
    ),
    # DEFINITIONS 2: the difference of two systems
    mutation(
        "findings.difference",
        "(old != key) & (fresh == key), (old == key) & (fresh != key),",
        "(old == key) & (fresh != key), (old != key) & (fresh == key),",
        "the_five_classes_are_those_of_the_definition",
        "the_accuracies_differ_by_corrections_less_new_errors",
        "new_errors_over_all_sites_are_the_negative_flip_rate",
        "a_correction_ends_at_the_key_and_a_new_error_begins_there",
        "lists_of_tags_give_the_numbers_of_the_reference",
        "every_count_equals_the_length_of_its_selection",
    ),
    mutation(
        "findings.difference",
        "(old == key) & (fresh != key)",
        "(old <= key) & (fresh != key)",
        "swapping_the_systems_swaps_corrections_and_new_errors",
        "transitions_are_counted_with_both_shares",
    ),
    mutation(
        "findings.difference",
        "different = sum(counts.values())",
        "different = sum(counts.values()) + same_error",
        "diff_is_the_share_of_sites_with_different_values",
        "the_three_classes_sum_to_diff",
        "diff_is_zero_only_for_equal_outputs",
        "pairs_and_difference_tell_the_same_diff",
    ),
    mutation(
        "findings.difference",
        "same_right=total - different - same_error",
        "same_right=total - different",
        "the_five_classes_sum_to_the_sites",
    ),
    mutation(
        "findings.difference",
        "accuracy_difference=divide_counts(gained - lost, total)",
        "accuracy_difference=divide_counts(gained + lost, total)",
        "the_accuracies_differ_by_corrections_less_new_errors",
        "with_several_runs_accuracy_is_the_mean_and_the_identity_still_holds",
    ),
    mutation(
        "findings.difference",
        "base_accuracy=divide_counts(right[0], decided[0])",
        "base_accuracy=divide_counts(right[1], decided[0])",
        "the_accuracies_are_shares_of_right_sites",
    ),
    mutation(
        "findings.difference",
        "negative_flip_rate=divide_counts(lost, total)",
        "negative_flip_rate=divide_counts(lost, different)",
        "new_errors_over_all_sites_are_the_negative_flip_rate",
    ),
    mutation(
        "findings.difference",
        "share_of_class=divide_counts(count, size),\n"
        "            share_of_differences=divide_counts(count, self.different)",
        "share_of_class=divide_counts(count, self.different),\n"
        "            share_of_differences=divide_counts(count, size)",
        "transitions_are_counted_with_both_shares",
        "the_shares_of_a_class_sum_to_one_and_those_of_all_differences_too",
    ),
    mutation(
        "findings.difference",
        "(-sum(groups[code].values()), code)",
        "(sum(groups[code].values()), code)",
        "the_most_frequent_transition_stands_first",
    ),
    mutation(
        "findings.difference",
        "base=labels // width % width, new=labels % width",
        "base=labels % width, new=labels // width % width",
        "transitions_are_cells_of_scikit_learns_confusion_matrices",
        "transitions_are_counted_with_both_shares",
    ),
    mutation(
        "findings.confusion",
        "(rows.rows * columns.height + columns.rows) * 2 + right",
        "(columns.rows * columns.height + rows.rows) * 2 + right",
        "cells_are_the_pairs_of_labels_that_occur",
        "it_is_the_confusion_matrix_of_scikit_learn",
    ),
    mutation(
        "findings.pairs",
        "divide_counts(2 * both,",
        "divide_counts(both,",
        "overlap_on_right_answers_is_that_of_table_1",
    ),
    mutation(
        "findings.pairs",
        "None if diff is None else 1 - diff",
        "counted.overlap",
        "overlap_on_all_answers_is_one_less_diff",
    ),
    mutation(
        "findings.error_pairs",
        "both[mine.value[both] != answers[both]]",
        "both[:0]",
        "pairs_and_difference_tell_the_same_diff",
        "pairs_show_diff_beside_the_difference_of_scores_for_every_pair",
    ),
    mutation(
        "findings.pairs",
        "values[1] - values[0]",
        "values[0] - values[1]",
        "pairs_show_diff_beside_the_difference_of_scores_for_every_pair",
    ),
    mutation(
        "findings.difference",
        "named.counts - each",
        "named.counts + each",
        "the_label_table_is_that_of_table_12",
        "the_rows_of_the_label_table_sum_to_all_sites",
        "the_rows_of_a_label_count_what_a_system_has_right",
    ),
    mutation(
        "findings.difference",
        "(-abs(row.difference), -row.sites, row.label)",
        "(-row.difference, -row.sites, row.label)",
        "labels_are_sorted_by_their_absolute_difference",
    ),
    mutation(
        "findings.difference",
        "total = len(context.sites) * run_pairs",
        "total = len(context.sites.contested) * run_pairs",
        "loading_a_third_system_never_changes_a_pairs_difference",
        "diff_is_the_share_of_sites_with_different_values",
    ),
    mutation(
        "findings.difference",
        "for old, fresh in product(first.runs, second.runs):",
        "for old, fresh in zip(first.runs, second.runs):",
        "with_several_runs_a_site_counts_once_for_each_pair_of_runs",
    ),
    mutation(
        "findings.difference",
        "context.unit_counts(rows[mask])",
        "context.unit_counts(rows[~mask])",
        "the_intervals_of_the_classes_are_bootstraps_of_their_share_of_sites",
    ),
    mutation(
        "findings.pairs",
        "found: Rows = rows[old != fresh]",
        "found: Rows = rows",
        "the_interval_of_diff_is_a_bootstrap_of_the_pair",
    ),
    mutation(
        "findings.difference",
        "first, second = context.verdicts.system(base), context.verdicts.system(new)",
        "first, second = context.systems[:2]",
        "the_order_of_systems_does_not_change_the_numbers_of_a_pair",
    ),
    mutation(
        "findings.upper_bounds",
        "(np.logical_or.reduce(claimed) & counts)",
        "(np.logical_and.reduce(claimed) & counts)",
        "the_oracle_over_items_is_that_of_the_definition",
    ),
    mutation(
        "findings.upper_bounds",
        "(np.logical_and.reduce(claimed) & ~items.positive)",
        "(np.logical_or.reduce(claimed) & ~items.positive)",
        "the_oracle_over_items_is_that_of_the_definition",
    ),
    # DEFINITIONS 1: sites and items
    mutation(
        "core.measures",
        "_count_units(_select_units(verdicts, sites.disputed, code, ~right), size)",
        "_count_units(_select_units(verdicts, sites.disputed, code, right), size)",
        "accuracy_is_over_the_keys_sites",
        "accuracy_is_that_of_scikit_learn",
        "with_equal_tokenisation_precision_recall_f1_and_accuracy_are_one_number",
    ),
    mutation(
        "core.measures",
        "chosen & same",
        "chosen",
        "accuracy_of_a_label_is_the_share_right_among_its_sites",
    ),
    mutation(
        "core.measures",
        "plain = ratio(2 * credit, claimed + positives)",
        "plain = ratio(credit, claimed + positives)",
        "micro_precision_recall_and_f1_count_items",
        "precision_recall_and_f1_of_one_label_count_its_items",
        "with_equal_tokenisation_precision_recall_f1_and_accuracy_are_one_number",
        "precision_recall_and_f1_of_tags_are_those_of_scikit_learn",
        "scores_of_sets_of_labels_are_those_of_scikit_learn",
        "the_order_of_rows_in_a_response_does_not_matter",
    ),
    mutation(
        "core.measures",
        "plain = ratio(2 * credit, claimed + positives)",
        "plain = 2 / (1 / ratio(credit, claimed) + 1 / ratio(credit, positives))"
        " if (credit > 0).all() else ratio(credit, np.minimum(claimed, positives))",
        "f1_is_0_when_only_one_side_is_empty",
    ),
    mutation(
        "core.measures",
        "np.full(part.shape, np.nan)",
        "np.full(part.shape, 0.0)",
        "f1_is_undefined_when_both_sides_are_empty",
        "a_ratio_with_a_zero_denominator_is_undefined_not_zero",
        "an_absent_value_is_wrong_and_claims_nothing",
    ),
    mutation(
        "core.measures",
        "each = harmonic_f1(*(sums[name] for name in names))",
        "each = ratio(sums[names[0]], sums[names[3]])",
        "macro_f1_is_the_mean_over_the_keys_labels",
    ),
    mutation(
        "core.measures",
        "defined.sum(axis=-1)",
        "defined.sum()",
        "measures_finish_sums_of_any_shape",
    ),
    mutation(
        "core.measures",
        "np.flatnonzero(items.positives)",
        "np.arange(len(items.names))",
        "macro_f1_is_the_mean_over_the_keys_labels",
    ),
    mutation(
        "core.measures",
        "broken[number[~right]] = True",
        "broken[number[~right][:1]] = True",
        "whole_sentences_are_right_where_every_site_is",
    ),
    mutation(
        "core.measures",
        "return items.credit_of(run)",
        "return items.claimed[run].astype(np.float64)",
        "statistics_of_the_units_sum_to_those_of_the_whole",
        "statistics_of_a_unit_are_those_of_its_sites_alone",
        "micro_precision_recall_and_f1_count_items",
    ),
    mutation(
        "core.measures",
        'if kind == "claimed" else items.weights(run)',
        'if kind == "claimed" else (items.positive | items.claimed[-1]).astype(float)',
        "loading_a_third_system_never_changes_a_systems_scores",
    ),
    mutation(
        "findings.context",
        "np.where(np.isnan(values), self.zero_division, values)",
        "np.where(np.isnan(values), 0.5, values)",
        "zero_division_forces_a_value",
    ),
    mutation(
        "core.items",
        "np.flatnonzero(~right & (values != absent)) if absent >= 0 else np.flatnonzero(~right)",
        "np.flatnonzero(~right)",
        "an_absent_value_is_wrong_and_claims_nothing",
        "a_wrong_tag_is_one_missed_and_one_spurious_item",
        "a_negative_item_is_claimed_by_at_least_one_system",
    ),
    mutation(
        "core.items",
        "place=sites.place[site],\n        label=label,",
        "place=sites.place[site] * 0,\n        label=label,",
        "items_know_their_label_document_sentence_and_place",
    ),
    mutation(
        "core.sites",
        "np.equal(values, self.key) for",
        "np.less_equal(values, self.key) for",
        "a_run_is_right_where_its_value_is_the_keys",
    ),
    mutation(
        "core.sites",
        "wrong |= ~right",
        "wrong = ~right",
        "a_site_is_contested_where_some_run_is_wrong",
    ),
    mutation(
        "core.sites",
        "np.bincount(self.labels.key, minlength",
        "np.bincount(self.values[0], minlength",
        "key_counts_are_frequencies_in_the_key",
    ),
    mutation(
        "core.sites",
        "better = size > best",
        "better = size >= best",
        "the_majority_is_the_most_frequent_value_and_of_equals_the_first",
        "agreement_tells_how_often_the_majority_is_right",
        "solved_by_agreement_and_majority_are_those_of_the_definition",
    ),
    mutation(
        "core.sites",
        "table.sort(axis=0)",
        "pass",
        "the_order_of_systems_changes_only_the_order_of_rows",
        "the_majority_is_the_most_frequent_value_and_of_equals_the_first",
    ),
    mutation(
        "core.sites",
        "return np.flatnonzero(wrong)",
        "return np.flatnonzero(wrong)[1:]",
        "the_order_of_documents_does_not_matter",
        "the_order_of_rows_does_not_matter",
        "rows_may_move_inside_a_document_without_any_change",
    ),
    mutation(
        "core.verdicts",
        'table.document if self.units.kind == "document"',
        'table.document if self.units.kind != "row"',
        "without_documents_sentences_are_resampled_with_a_warning",
    ),
    mutation(
        "core.verdicts",
        "found = self.sites.take(rows)\n",
        "found = self.sites.take(rows[:1])\n",
        "where_gives_the_result_on_the_chosen_sites_alone",
    ),
    # DEFINITIONS 3: complementarity
    mutation(
        "findings.complement",
        "np.where(others == 0, 1.0, 1 - ratio(common, own))",
        "np.where(others == 0, 0.0, 1 - ratio(common, own))",
        "complementarity_of_tags_and_labels_is_that_of_the_reference",
        "so_it_is_of_spans_nested_repeated_and_in_pieces",
    ),
    mutation(
        "findings.complement",
        "np.where(others == 0, 1.0, 1 - ratio(common, own))",
        "1 - ratio(common, own)",
        "complementarity_of_tags_and_labels_is_that_of_the_reference",
    ),
    mutation(
        "findings.complement",
        "1 - ratio(common, own)",
        "1 - ratio(common, others)",
        "common_errors_are_common_to_both_directions",
        "complementarity_of_tags_and_labels_is_that_of_the_reference",
    ),
    mutation(
        "findings.complement",
        "1 - ratio(common, own)",
        "1 - ratio(common, own - common)",  # equation 1 as it is printed
        "common_errors_are_common_to_both_directions",
    ),
    mutation(
        "findings.complement",
        "square = beta * beta",
        "square = beta",
        "complementarity_of_tags_and_labels_is_that_of_the_reference",
    ),
    mutation(
        "findings.complement",
        "below = square * precision + recall",
        "below = precision + square * recall",
        "so_it_is_of_spans_nested_repeated_and_in_pieces",
    ),
    mutation(
        "findings.complement",
        "ratio((1 + square) * precision * recall, below)",
        "1 + ratio(beta * precision * recall, below)",  # equation 12 as it is printed
        "complementarity_of_tags_and_labels_is_that_of_the_reference",
        "so_it_is_of_spans_nested_repeated_and_in_pieces",
    ),
    mutation(
        "findings.complement",
        "np.where(below == 0, 0.0, ratio(",
        "np.where(below == 0, np.nan, ratio(",
        "complementarity_of_tags_and_labels_is_that_of_the_reference",
    ),
    mutation(
        "findings.complement",
        "missed_first=self.missed_second,\n            missed_second=self.missed_first,\n",
        "missed_first=self.missed_first,\n            missed_second=self.missed_second,\n",
        "common_errors_are_common_to_both_directions",
        "swapping_the_systems_swaps_the_two_directions",
    ),
    mutation(
        "findings.complement",
        "self.missed_both + self.spurious_both,",
        "self.missed_both,",
        "so_it_is_of_spans_nested_repeated_and_in_pieces",
    ),
    mutation(
        "findings.complement",
        "return self.wrong_first, self.wrong_second, self.wrong_both",
        "return self.wrong_second, self.wrong_first, self.wrong_both",
        "common_errors_are_common_to_both_directions",
        "a_row_against_the_baseline_is_that_of_the_reference",
    ),
    mutation(
        "findings.complement",
        "np.flatnonzero(self.items.counts(run) & ~self.has[run])",
        "np.flatnonzero(self.items.counts(run) & ~self.has[-1])",
        "a_third_system_never_changes_the_rates_of_a_pair",
        "the_order_of_systems_and_of_sites_changes_no_complementarity",
        "the_integers_sum_to_the_items_of_the_key_and_of_each_system",
    ),
    mutation(
        "findings.complement",
        "np.flatnonzero(~self.items.positive & self.has[run])",
        "np.flatnonzero(self.has[run])",
        "the_integers_sum_to_the_items_of_the_key_and_of_each_system",
        "union_and_intersection_score_as_if_they_were_systems",
    ),
    mutation(
        "findings.complement",
        "rows[~self.has[second][rows]]",
        "rows[~self.has[first][rows]]",
        "complementarity_of_tags_and_labels_is_that_of_the_reference",
        "swapping_the_systems_swaps_the_two_directions",
    ),
    mutation(
        "findings.complement",
        "rows[self.has[second][rows]]",
        "rows",
        "complementarity_of_tags_and_labels_is_that_of_the_reference",
        "swapping_the_systems_swaps_the_two_directions",
    ),
    mutation(
        "findings.complement",
        "rows[~self.sites.disputed.right[second][rows]]",
        "rows",
        "every_integer_of_a_pair_leads_to_its_items_or_sites",
    ),
    mutation(
        "findings.complement",
        "by.sites[contested]",
        "by.sites[: len(contested)]",
        "complementarity_of_tags_and_labels_is_that_of_the_reference",
        "the_order_of_systems_and_of_sites_changes_no_complementarity",
    ),
    mutation(
        "findings.complement",
        "errors.items.counts(first) & errors.items.counts(second)",
        "errors.items.counts(first) | errors.items.counts(second)",
        "so_it_is_of_links_also_where_each_system_has_a_key_of_its_own",
    ),
    mutation(
        "findings.complement",
        "rows[self.items.counts(other)[rows]] if self.apart else rows",
        "rows",
        "so_it_is_of_links_also_where_each_system_has_a_key_of_its_own",
    ),
    mutation(
        "findings.complement",
        "found + counts.spurious_first + counts.spurious_second - counts.spurious_both",
        "found + counts.spurious_first + counts.spurious_second",
        "union_and_intersection_add_up_to_both_systems",
        "union_and_intersection_score_as_if_they_were_systems",
    ),
    mutation(
        "findings.complement",
        "found = counts.positives - counts.missed_both",
        "found = counts.positives - counts.missed_first",
        "union_and_intersection_add_up_to_both_systems",
        "swapping_the_systems_swaps_the_two_directions",
    ),
    mutation(
        "findings.complement",
        "return found, found + counts.spurious_both",
        "return found, found",
        "union_and_intersection_score_as_if_they_were_systems",
    ),
    mutation(
        "findings.complement",
        "ratio(2 * found, claimed + positives)",
        "ratio(found, claimed + positives)",
        "union_and_intersection_score_as_if_they_were_systems",
        "complementarity_of_tags_and_labels_is_that_of_the_reference",
    ),
    mutation(
        "findings.complement",
        "of(single_of(resampled, second=better), resampled)[2]",
        "of(single_of(resampled, second=not better), resampled)[2]",
        "intervals_of_complementarity_are_those_of_a_slow_bootstrap",
    ),
    mutation(
        "findings.complement",
        "nan=-1) > np.nan_to_num(singles[0][2], nan=-1)",
        "nan=-1) < np.nan_to_num(singles[0][2], nan=-1)",
        "union_and_intersection_add_up_to_both_systems",
    ),
    mutation(
        "findings.complement",
        "ratio(wrong - counts.wrong_both, counts.sites)",
        "ratio(wrong, counts.sites)",
        "the_interval_of_a_perfect_choice_is_that_of_a_slow_bootstrap",
    ),
    mutation(
        "findings.complement",
        "total.wrong_second < total.wrong_first",
        "total.wrong_second <= total.wrong_first",
        "the_interval_of_a_perfect_choice_is_that_of_a_slow_bootstrap",
    ),
    mutation(
        "findings.complement",
        "_rate_values(setup, total.swapped() if second else total)",
        "_rate_values(setup, total)",
        "swapping_the_systems_swaps_the_two_directions",
        "the_order_of_systems_and_of_sites_changes_no_complementarity",
    ),
    mutation(
        "findings.complement",
        "_rate_values(setup, drawn.swapped() if second else drawn)",
        "_rate_values(setup, drawn)",
        "intervals_of_complementarity_are_those_of_a_slow_bootstrap",
    ),
    mutation(
        "findings.complement",
        'comp = over_items if setup.over == "items" else over_sites',
        "comp = over_items",
        "complementarity_of_tags_and_labels_is_that_of_the_reference",
        "a_row_against_the_baseline_is_that_of_the_reference",
    ),
    mutation(
        "findings.complement",
        'not {two}": counts.missed_second - counts.missed_both',
        'not {two}": counts.missed_second',
        "the_integers_sum_to_the_items_of_the_key_and_of_each_system",
        "every_integer_of_a_pair_leads_to_its_items_or_sites",
    ),
    mutation(
        "findings.complement",
        'f"positive and not {one} and {two}": counts.missed_first',
        'f"not positive and {two}": counts.missed_first',
        "every_integer_of_a_pair_leads_to_its_items_or_sites",
    ),
    mutation(
        "findings.complement",
        """f" and {is_value('label', format_value(label))}\"""",
        '""',
        "every_integer_of_a_pair_leads_to_its_items_or_sites",
    ),
    mutation(
        "findings.complement",
        "for runs in product(first.runs, second.runs)",
        "for runs in zip(first.runs, second.runs)",
        "the_integers_sum_to_the_items_of_the_key_and_of_each_system",
        "complementarity_of_tags_and_labels_is_that_of_the_reference",
    ),
    mutation(
        "findings.complement",
        "context.resamples, context.seed)",
        "context.resamples, context.seed + 1)",
        "intervals_of_complementarity_are_those_of_a_slow_bootstrap",
        "the_interval_of_a_perfect_choice_is_that_of_a_slow_bootstrap",
    ),
    mutation(
        "findings.complement",
        "np.concatenate([over_sites[..., :1], over_items[..., 1:]], axis=-1)",
        "over_sites",
        "complementarity_of_tags_and_labels_is_that_of_the_reference",
    ),
    mutation(
        "findings.complement",
        "ranks(items.names)[items.label]",
        "np.full(len(items), len(rank))",
        "the_integers_of_all_labels_sum_to_those_of_the_pair",
    ),
    mutation(
        "core.items",
        "self.positive & (self.weight[run] > 0)",
        "self.positive",
        "so_it_is_of_links_also_where_each_system_has_a_key_of_its_own",
        "items_of_the_key_are_positive_where_they_count_for_both",
    ),
    mutation(
        "core.items",
        "self.credit_of(run) > 0, claimed &",
        "self.credit_of(run) >= 1, claimed &",
        "what_gets_credit_for_a_part_is_found_however_little_it_is",
    ),
    mutation(
        "core.items",
        "np.greater(self.claimed[run], 0)",
        "np.greater(self.claimed[run], 1)",
        "claims_of_every_run_can_be_asked_for",
        "so_it_is_of_spans_nested_repeated_and_in_pieces",
    ),
    mutation(
        "expressions.selection",
        "(np.logical_or if self.pair is None else np.logical_and)",
        "(np.logical_and if self.pair is None else np.logical_or)",
        "items_of_the_key_are_positive_where_they_count_for_both",
    ),
    mutation(
        "expressions.selection",
        'self.pair[0 if name == "base_claims" else 1]',
        'self.pair[1 if name == "base_claims" else 0]',
        "what_a_pair_claims_is_counted_over_pairs_of_runs",
        "items_of_the_key_are_positive_where_they_count_for_both",
    ),
    mutation(
        "expressions.selection",
        "count += self.items.has(run)",
        "count += self.items.has(0)",
        "claims_of_every_run_can_be_asked_for",
    ),
    mutation(
        "expressions.selection",
        "lambda name: items.has(number(name))",
        "lambda name: items.has(-1 - number(name))",
        "claims_of_every_run_can_be_asked_for",
        "every_integer_of_a_pair_leads_to_its_items_or_sites",
    ),
    mutation(
        "findings.complement",
        ".rates(baseline, system.name)",
        ".rates(system.name, baseline)",
        "a_row_against_the_baseline_is_that_of_the_reference",
    ),
    mutation(
        "findings.complement",
        "drawn[:, [new]] - drawn[:, [base]]",
        "drawn[:, [new]] - drawn[:, [-1]]",
        "a_row_against_the_baseline_does_not_depend_on_other_systems",
        "changes_against_the_baseline_have_the_intervals_of_a_slow_bootstrap",
    ),
    # DEFINITIONS 4: combination
    mutation(
        "findings.upper_bounds",
        "mine.any(axis=0).sum()",
        "mine.all(axis=0).sum()",
        "the_oracle_is_right_where_any_system_is",
        "the_oracle_of_each_label_is_counted_on_its_sites",
        "the_oracle_is_at_least_the_best_system",
        "the_greedy_curve_ends_at_the_oracle",
        "a_unique_contribution_is_what_the_oracle_loses_without_the_system",
        "another_system_never_lowers_the_oracle",
        "the_oracles_shares_by_label_are_recalls_of_scikit_learn",
    ),
    mutation(
        "findings.upper_bounds",
        "order[bounds[code] : bounds[code + 1]]",
        "order[bounds[code] + 1 : bounds[code + 1]]",
        "the_oracle_of_each_label_is_counted_on_its_sites",
        "the_rows_of_the_labels_sum_to_the_row_of_all",
    ),
    mutation(
        "findings.upper_bounds",
        "tuple(divide_counts(count, sites) for count in right)",
        "tuple(divide_counts(count, oracle) for count in right)",
        "the_oracles_shares_by_label_are_recalls_of_scikit_learn",
    ),
    mutation(
        "findings.upper_bounds",
        "divide_counts(oracle - right[best], sites)",
        "divide_counts(oracle - right[0], sites)",
        "one_gain_is_over_the_best_system_overall_and_the_other_over_the_best_here",
        "overall_the_best_system_is_the_best_here",
    ),
    mutation(
        "findings.upper_bounds",
        "divide_counts(oracle - top, sites)",
        "divide_counts(oracle - bottom, sites)",
        "gains_are_never_negative_and_that_over_the_best_here_is_the_smaller",
        "one_gain_is_over_the_best_system_overall_and_the_other_over_the_best_here",
    ),
    mutation(
        "findings.upper_bounds",
        "return -row.sites",
        "return row.sites",
        "labels_are_sorted_by_their_frequency_in_the_key",
    ),
    mutation(
        "findings.upper_bounds",
        "if count == bottom and bottom < top",
        "if count == bottom",
        "highest_and_lowest_systems_are_marked",
    ),
    mutation(
        "findings.upper_bounds",
        "if not row.oracle_right",
        "if not row.right[0]",
        "labels_that_no_system_solves_are_listed",
    ),
    mutation(
        "findings.upper_bounds",
        "counts[runs] += sites - len(solved)",
        "counts[0] += sites - len(solved)",
        "hardness_counts_sites_by_how_many_systems_solve_them",
        "hardness_weighted_by_the_systems_sums_to_all_right_answers",
    ),
    mutation(
        "findings.upper_bounds",
        "counts = np.bincount(solved, minlength=runs + 1)",
        "counts = np.bincount(solved[solved > 0], minlength=runs + 1)",
        "hardness_sums_to_the_sites",
    ),
    mutation(
        "findings.upper_bounds",
        "left[int(np.argmax(gains))]",
        "left[int(np.argmin(gains))]",
        "the_greedy_curve_takes_the_best_first_and_then_the_largest_gain",
        "the_greedy_gain_never_rises",
    ),
    mutation(
        "findings.upper_bounds",
        "covered |= pattern[run]",
        "covered = pattern[run].copy()",
        "the_greedy_curve_ends_at_the_oracle",
    ),
    mutation(
        "findings.upper_bounds",
        "return solved / errors if errors else None",
        "return solved / own_errors",
        "the_greedy_curve_shows_comp_of_the_oracle_so_far_and_the_next",
    ),
    mutation(
        "findings.upper_bounds",
        "alone = solved == 1",
        "alone = solved == 2",
        "a_unique_contribution_is_what_the_oracle_loses_without_the_system",
        "every_count_equals_the_length_of_its_selection",
    ),
    mutation(
        "findings.upper_bounds",
        "correct[runs] += easy",
        "correct[0] += easy",
        "agreement_tells_how_often_the_majority_is_right",
    ),
    mutation(
        "findings.upper_bounds",
        "sites[runs] += easy",
        "sites[0] += easy",
        "the_rows_of_agreement_sum_to_the_sites",
    ),
    mutation(
        "findings.upper_bounds",
        "np.stack([total - wrong, total], axis=1)",
        "np.stack([wrong, total], axis=1)",
        "the_interval_of_the_oracle_is_a_bootstrap_of_its_accuracy",
    ),
    # DEFINITIONS 5: significance
    mutation(
        "findings.significance",
        "return count / len(swapped) if exact else",
        "return (count + 1) / (len(swapped) + 1) if exact else",
        "up_to_16_units_p_is_exact",
        "an_exact_p_is_a_count_over_all_swaps_and_never_0",
        "an_exact_p_is_that_of_scipys_permutation_test",
    ),
    mutation(
        "findings.significance",
        "else (count + 1) / (len(swapped) + 1)",
        "else count / len(swapped)",
        "above_16_units_p_is_the_count_and_one_over_the_resamples_and_one",
        "a_sampled_p_is_never_0",
    ),
    mutation(
        "findings.significance",
        "np.abs(swapped) < abs(float(observed[0])) - _TOLERANCE",
        "swapped < float(observed[0]) - _TOLERANCE",
        "p_is_symmetric_in_the_pair",
        "up_to_16_units_p_is_exact",
        "an_exact_p_is_that_of_scipys_permutation_test",
    ),
    mutation(
        "findings.significance",
        "np.abs(swapped) < abs(float(observed[0])) - _TOLERANCE",
        "np.abs(swapped) < abs(float(observed[0])) + _TOLERANCE",
        "p_of_identical_systems_is_1",
        "an_exact_p_is_a_count_over_all_swaps_and_never_0",
    ),
    mutation("findings.significance", "FEWEST_UNITS", 4, "below_6_units_there_is_no_test"),
    mutation("findings.significance", "EXACT_UNITS", 6, "up_to_16_units_p_is_exact"),
    mutation(
        "findings.significance",
        "none_if_nan(observed[second] - observed[first])",
        "none_if_nan(observed[first] - observed[second])",
        "the_tested_difference_is_that_of_the_scores",
    ),
    mutation(
        "findings.significance",
        "none_if_nan(observed[second] - observed[first])",
        "none_if_nan(observed[second] - observed[first] + context.seed)",
        "another_seed_changes_intervals_and_p_alone",
    ),
    mutation(
        "findings.significance",
        "bootstrapped[chosen.name][:, [first]]",
        "bootstrapped[chosen.name][::-1, [first]]",
        "the_interval_of_a_difference_comes_from_a_paired_bootstrap",
    ),
    mutation(
        "findings.significance",
        "ddof=1",
        "ddof=0",
        "the_smallest_detectable_difference_is_a_multiple_of_the_standard_error",
    ),
    mutation(
        "findings.significance",
        "min(1.0, p * (len(order) - rank))",
        "min(1.0, p * len(order))",
        "holm_is_that_of_the_definition",
        "the_tests_of_all_pairs_are_corrected_after_holm",
    ),
    mutation(
        "findings.significance",
        "highest = max(highest, min(1.0, p * (len(order) - rank)))",
        "highest = min(1.0, p * (len(order) - rank))",
        "holm_is_never_below_the_raw_p_and_keeps_its_order",
    ),
    mutation(
        "findings.significance",
        "order = sorted((p, place) for place, p in enumerate(ps) if p is not None)",
        "order = sorted((p or 0.0, place) for place, p in enumerate(ps))",
        "corrections_pass_over_tests_that_were_not_made",
    ),
    mutation(
        "findings.significance",
        "p * len(order) / (len(order) - rank)",
        "p * len(order) / (rank + 1)",
        "benjamini_and_hochberg_are_those_of_the_definition",
        "benjamini_and_hochberg_are_scipys_false_discovery_control",
        "benjamini_and_hochberg_lie_between_the_raw_p_and_holm",
    ),
    mutation(
        "findings.significance",
        "min(1.0, 2 * sum(math.comb",
        "min(1.0, sum(math.comb",
        "mcnemar_is_exact_on_independent_rows",
        "mcnemar_is_scipys_binomial_test",
        "mcnemar_on_rows_is_scipys_binomial_test",
    ),
    mutation(
        "findings.significance",
        "min(wins, losses)",
        "wins",
        "mcnemar_is_symmetric_and_falls_with_the_gap",
    ),
    mutation(
        "findings.significance",
        'context.verdicts.units.kind != "row" or ',
        "",
        "mcnemar_is_for_independent_rows_alone",
    ),
    mutation("findings.context", "_QUANTILES", (0.05, 0.95), "intervals_are_percentiles_of_the_resampled_measure"),
    mutation(
        "findings.context",
        "has_content = np.zeros(self.verdicts.units.count, np.bool_)",
        "has_content = np.ones(self.verdicts.units.count, np.bool_)",
        "units_without_a_site_do_not_count",
    ),
    mutation(
        "findings.context",
        ".mean(axis=-1)",
        ".max(axis=-1)",
        "with_several_runs_accuracy_is_the_mean_and_the_identity_still_holds",
    ),
    mutation(
        "findings.resamples",
        "units, rows.shape)",
        "units, rows.shape)[:, 1:]",
        "a_resample_draws_as_many_units_as_there_are",
    ),
    mutation(
        "findings.resamples",
        ".integers(0, units, ",
        ".integers(0, (units + 1) // 2, ",
        "the_bootstrap_interval_is_near_that_of_scipy",
    ),
    mutation(
        "findings.resamples",
        "np.unpackbits(bits, axis=1, count=units)",
        "np.unpackbits(bits, axis=1, count=units) * 2",
        "a_swap_picks_each_unit_or_not",
    ),
    mutation(
        "findings.resamples",
        "picked[:, rows]",
        "picked[:, : len(rows)]",
        "what_is_drawn_for_a_unit_does_not_depend_on_the_units_added_up",
        "loading_a_third_system_never_changes_a_pairs_test",
        "loading_a_third_system_never_changes_a_pairs_slices",
    ),
    mutation(
        "findings.resamples",
        ">> np.arange(units)) & 1",
        ">> np.arange(units)) & (np.arange(units) < units - 2)",
        "an_exact_test_makes_every_swap_once",
        "an_exact_p_does_not_depend_on_the_order_of_documents",
    ),
    mutation(
        "findings.resamples",
        "@ statistics[begin : begin + rows]",
        "@ statistics[begin : begin + rows] + 1",
        "the_interval_lies_between_the_scores_of_single_documents",
        "equal_documents_leave_no_doubt",
    ),
    mutation(
        "findings.resamples",
        "np.where(part < 0.5, low",
        "np.where(part >= 0.0, low",
        "quantiles_are_those_of_numpy_to_the_last_bit",
    ),
    mutation(
        "findings.resamples",
        "np.multiply(shares, last)",
        "np.multiply(shares, last + 1)",
        "quantiles_are_those_of_numpy_to_the_last_bit",
    ),
    mutation(
        "findings.resamples",
        "np.random.SeedSequence(seed, spawn_key=(purpose, chunk))",
        "np.random.SeedSequence()",
        "equal_input_gives_byte_equal_json",
    ),
    # Selections, slices, examples, alignment
    mutation(
        "expressions.selection",
        '"correction": ~old & fresh',
        '"correction": ~old',
        "every_count_equals_the_length_of_its_selection",
        "the_five_classes_as_conditions_divide_the_sites",
    ),
    mutation(
        "expressions.selection",
        '"base_right": old',
        '"base_right": fresh',
        "the_rows_of_a_label_count_what_a_system_has_right",
    ),
    mutation(
        "expressions.selection",
        "np.stack(sites.right).sum(axis=0, dtype=np.int64)",
        "np.stack(sites.right).any(axis=0).astype(np.int64)",
        "solved_by_agreement_and_majority_are_those_of_the_definition",
        "every_count_equals_the_length_of_its_selection",
    ),
    mutation(
        "expressions.selection",
        "sites.values[verdicts.runs.index(name)]",
        "sites.values[0]",
        "the_values_of_every_run_can_be_asked_for",
    ),
    mutation("findings.slices", "if rows.size:", "if rows.size > 1:", "slices_divide_the_sites"),
    mutation(
        "findings.slices",
        "inner = replace(context, view=context.view.narrowed(cut.rows, context.verdicts.unit_of, cut.cells))",
        "inner = context",
        "the_scores_of_a_slice_are_those_of_its_sites_alone",
        "a_slice_is_tested_like_a_result_of_its_own",
    ),
    mutation(
        "findings.slices",
        "corrected = benjamini_hochberg(ps)",
        "corrected = ps",
        "slices_are_corrected_after_benjamini_and_hochberg",
    ),
    mutation(
        "core.row_samples",
        "_hash_documents(seed, documents)[table.document[rows]]",
        "table.document[rows].astype(np.uint64)",
        "examples_are_chosen_by_document_and_place_alone",
    ),
    mutation(
        "findings.examples",
        "by_hash(context, table, rows)[:top]",
        "by_hash(context, table, rows)[top % 2 :][:top]",
        "a_larger_sample_holds_the_smaller_one",
    ),
    mutation(
        "align.documents",
        "rows[:, 0], rows[:, 1])",
        "rows[:, 0], rows[::-1, 1])",
        "the_order_of_rows_in_a_response_does_not_matter",
    ),
    mutation("align.maps", "== NONE] = absent", "== NONE] = 0", "values_are_carried_to_the_keys_rows"),
    mutation(
        "align.maps",
        "to_response[key_rows] = response_rows",
        "to_response[key_rows] = response_rows[::-1]",
        "the_two_directions_of_a_map_are_inverse_to_each_other",
    ),
    mutation(
        "align.maps",
        "near = self.to_key.copy()",
        "near = np.zeros_like(self.to_key)",
        "a_word_without_a_counterpart_stands_where_its_token_begins",
    ),
    mutation(
        "align.words",
        'np.searchsorted(text.begins, begin, side="right") - 1',
        'np.searchsorted(text.begins, begin, side="left") - 1',
        "a_word_without_a_counterpart_stands_where_its_token_begins",
    ),
    mutation(
        "align.words",
        "len(surplus.rows), places)",
        "len(surplus.rows) + 1, places)",
        "notes_count_the_words_without_a_counterpart",
    ),
    mutation(
        "align.words",
        "absent, _ = mine.tokens_of(np.flatnonzero(mapped.to_response == NONE))",
        "absent = np.flatnonzero(mapped.to_response == NONE)",
        "notes_count_the_words_without_a_counterpart",
    ),
    mutation(
        "align.words",
        "(other_end[place] == end)",
        "(other_end[place] >= end)",
        "common_tokens_and_sentences_are_those_of_the_same_characters",
    ),
    mutation(
        "align.words",
        "if unlike.size:\n        return int(unlike[0])",
        "if unlike.size:\n        return None",
        "the_case_of_words_outside_multiword_tokens_matters",
    ),
    mutation(
        "align.pairing",
        "whole = Pairing(groups=[(mine, theirs)]",
        "whole = Pairing(groups=[(mine[:1], theirs)]",
        "random_marks_change_no_count",
    ),
    mutation(
        "align.words",
        "if (place := _find_first_difference(mine, theirs, composed)) is not None:",
        "if (place := _find_first_difference(mine, theirs, composed)) == 0:",
        "another_text_is_refused_whatever_the_marks",
    ),
    mutation(
        "align.span_positions",
        "to_places(following[closing], ending=True)",
        "to_places(following[opening], ending=True)",
        "texts_with_offsets_may_be_merged_and_renamed",
    ),
    mutation(
        "align.edits",
        "found.append((begin, code.src_end, other_begin, code.dest_end))",
        "found.append((begin, code.src_end, other_begin, code.dest_start))",
        "edits_turn_one_text_into_the_other",
    ),
    mutation(
        "align.documents",
        "maps.append(mapped)",
        "maps.insert(0, mapped)",
        "another_response_never_changes_the_map_of_the_first",
    ),
    mutation(
        "align.words",
        "simple = single & ~key.covering[in_key]",
        "simple = single & key.covering[in_key]",
        "a_corpus_laid_over_itself_is_the_identity",
    ),
    mutation(
        "align.words",
        "without_spaces(words[row]).lower()",
        "without_spaces(words[row])",
        "the_case_of_words_inside_multiword_tokens_does_not_matter",
    ),
    mutation(
        "align.words",
        "without_spaces(words[row]).lower()",
        "words[row].lower()",
        "white_space_never_matters",
    ),
    mutation(
        "align.words",
        "begin, end = own.begins[token], own.ends[token]",
        "begin, end = own.begins[token], own.ends[token] + 1",
        "a_word_without_a_counterpart_stands_where_its_token_begins",
        "words_of_white_space_change_nothing_but_what_is_claimed",
    ),
    mutation(
        "align.words",
        "np.array([row for _, row in walk.pairs], np.int64)",
        "np.array([row for _, row in reversed(walk.pairs)], np.int64)",
        "words_keep_their_order_in_each_document",
    ),
    mutation(
        "tasks.trees.conll18",
        "claimed = self._by_unit(near[np.flatnonzero(self.content[run + 1])])",
        "claimed = self.content_words",
        "swapping_key_and_response_swaps_precision_and_recall",
    ),
    mutation(
        "tasks.trees.conll18",
        "[wrong[counterparts] | (counterparts == NONE)]",
        "[:0]",
        "swapping_key_and_response_swaps_precision_and_recall",
    ),
    mutation(
        "tasks.trees.conll18",
        "lemma &= ~self.no_lemma",
        "lemma |= self.no_lemma",
        "a_corpus_has_all_of_itself_right",
    ),
)
CASES = [(each, name) for each in MUTATIONS for name in each.caught_by]


def functions(module: ModuleType) -> Iterator[FunctionType]:
    """Yield the functions and methods that a module defines, whatever wraps them."""
    for thing in vars(module).values():
        members = vars(thing).values() if isinstance(thing, type) and thing.__module__ == module.__name__ else [thing]
        for member in members:
            inner: object = member
            if isinstance(member, cached_property):
                inner = member.func
            elif isinstance(member, property):
                inner = member.fget
            elif isinstance(member, classmethod):
                inner = member.__func__
            if isinstance(inner, FunctionType) and inner.__module__ == module.__name__:
                yield inner


def codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes(constant)


@contextmanager
def mutated(change: Mutation) -> Iterator[None]:
    """Let a module compute something else for a while."""
    module = import_module(f"comparanda.{change.module}")
    if not isinstance(change.new, str):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, change.old, change.new)
            yield
        return
    assert module.__file__ is not None
    source = Path(module.__file__).read_text(encoding="utf-8")
    assert source.count(change.old) == 1, f"{change.module} has changed; the mutation must follow: {change.old}"
    changed = compile(source.replace(change.old, change.new), module.__file__, "exec")
    new_codes = {code.co_qualname: code for code in codes(changed)}
    before = {function: function.__code__ for function in functions(module)}
    try:
        for function, code in before.items():
            function.__code__ = new_codes.get(code.co_qualname, code)
        yield
    finally:
        for function, code in before.items():
            function.__code__ = code


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "name"), CASES, ids=[f"{each.module}-{each.new}-{name}"[:150] for each, name in CASES]
)
def test_the_identity_fails_when_the_formula_is_changed(change: Mutation, name: str) -> None:
    check: Callable[[], None] = IDENTITIES[name]
    with mutated(change), pytest.raises(AssertionError):
        check()


def test_every_identity_has_a_mutation() -> None:
    caught = {name for each in MUTATIONS for name in each.caught_by}
    assert sorted(set(IDENTITIES) - caught) == []
    assert sorted(caught - set(IDENTITIES)) == []


@pytest.mark.slow
def test_a_mutation_leaves_no_trace() -> None:
    for each in MUTATIONS:
        module = import_module(f"comparanda.{each.module}")
        before = [function.__code__ for function in functions(module)]
        with mutated(each):
            assert isinstance(each.new, int | tuple) or before != [f.__code__ for f in functions(module)]
        assert before == [function.__code__ for function in functions(module)]

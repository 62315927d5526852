"""Every law of chains bites: for each there is a change of a formula under which its test fails."""

from __future__ import annotations

from importlib import import_module

import pytest

from tests.findings.test_mutations import functions, mutated, mutation
from tests.tasks.coref.samples import IDENTITIES

import_module("tests.tasks.coref.test_properties")

COUNTS = "all_counts_are_those_of_the_definition"
CLASSES = "every_mention_has_the_class_of_the_definition"
SWAPPED = "swapping_key_and_response_swaps_the_counts_of_recall_and_precision"

MUTATIONS = (
    # the metrics
    mutation(
        "tasks.coref.measures",
        "both = self.summed(self.overlap - 1)",
        "both = self.summed(self.overlap)",
        COUNTS,
        "arcs_any_is_muc",
        "no_metric_finds_more_than_there_is",
    ),
    mutation(
        "tasks.coref.measures",
        "self.response.summed(self.response.size - 1)",
        "self.response.summed(self.response.size)",
        COUNTS,
        SWAPPED,
        "a_side_against_itself_has_everything_right_or_nothing_to_say",
        "without_singletons_links_and_classes_stay",
    ),
    mutation(
        "tasks.coref.measures",
        "square / self.response.size[self.columns]",
        "square / self.key.size[self.rows]",
        COUNTS,
        SWAPPED,
        "swapping_key_and_response_swaps_precision_and_recall",
        "all_scores_are_those_of_the_definition",
    ),
    mutation(
        "tasks.coref.measures",
        "square = self.overlap.astype(np.float64) ** 2",
        "square = self.overlap.astype(np.float64) * self.key.size[self.rows]",
        COUNTS,
        SWAPPED,
    ),
    mutation(
        "tasks.coref.measures",
        "best = self._aligned(self.overlap.astype(np.float64))",
        "best = self.summed(self.overlap.astype(np.float64))",
        COUNTS,
        "chains_that_span_documents_are_those_of_one_long_document",
    ),
    mutation(
        "tasks.coref.measures",
        "linear_sum_assignment(table, maximize=True)",
        "linear_sum_assignment(table)",
        COUNTS,
        "all_scores_are_those_of_the_definition",
    ),
    mutation(
        "tasks.coref.measures",
        "np.maximum.at(best, component, worth)",
        "np.add.at(best, component, worth)",
        COUNTS,
    ),
    mutation(
        "tasks.coref.measures",
        "np.bincount(distinct // (int(chain.max(initial=0)) + 1), minlength=count) > 1",
        "np.bincount(distinct // (int(chain.max(initial=0)) + 1), minlength=count) > 2",
        COUNTS,
    ),
    mutation(
        "tasks.coref.measures",
        "2.0 * self.overlap / (self.key.size[self.rows] + self.response.size[self.columns])",
        "2.0 * self.overlap / (self.key.size[self.rows] + self.key.size[self.rows])",
        COUNTS,
        SWAPPED,
    ),
    mutation("tasks.coref.measures", "np.where(alone, 1.0,", "np.where(alone, 0.0,", COUNTS),
    mutation(
        "tasks.coref.measures",
        "alone = (self.key.size[self.rows] == 1) & (self.response.size[self.columns] == 1)",
        "alone = self.key.size[self.rows] == 1",
        COUNTS,
        SWAPPED,
    ),
    mutation(
        "tasks.coref.measures",
        "common = self.overlap * (self.overlap - 1) // 2",
        "common = self.overlap * self.overlap // 2",
        COUNTS,
        "no_metric_finds_more_than_there_is",
    ),
    mutation(
        "tasks.coref.measures",
        "apart = _pairs(mentions.found) - rows - columns + both",
        "apart = _pairs(mentions.found) - rows - columns",
        COUNTS,
        "a_side_against_itself_has_everything_right_or_nothing_to_say",
    ),
    mutation(
        "tasks.coref.measures",
        "_pairs(mentions.claimed) - theirs",
        "_pairs(mentions.claimed) - mine",
        COUNTS,
        SWAPPED,
        "so_it_does_for_blanc_unless_one_side_lacks_a_kind_of_links",
    ),
    mutation(
        "tasks.coref.measures",
        "self.unit = chain_units(chain, unit, len(self.size))",
        "self.unit = np.zeros(len(self.size), np.int64)",
        "documents_are_counted_apart_and_added",
        "topics_are_documents_that_chains_may_span",
    ),
    # the measures
    mutation(
        "tasks.coref.measures",
        "np.mean([_f1(metric, sums) for metric in AVERAGED], axis=0)",
        "np.max([_f1(metric, sums) for metric in AVERAGED], axis=0)",
        "all_scores_are_those_of_the_definition",
    ),
    mutation(
        "tasks.coref.measures",
        "np.mean([_f1(metric, sums) for metric in AVERAGED], axis=0)",
        "np.mean(np.nan_to_num([_f1(metric, sums) for metric in AVERAGED]), axis=0)",
        "a_side_against_itself_has_everything_right_or_nothing_to_say",
    ),
    mutation(
        "tasks.coref.measures",
        "found, key, earned, claimed = (sums[name] for name in statistics_of(metric))\n    return harmonic",
        "found, key, claimed, earned = (sums[name] for name in statistics_of(metric))\n    return harmonic",
        "swapping_key_and_response_swaps_precision_and_recall",
    ),
    # antecedents and classes
    mutation(
        "core.chains",
        "found = (previous >= start) & (sorted_chain != NO_CHAIN)",
        "found = (previous >= 0) & (sorted_chain != NO_CHAIN)",
        CLASSES,
        "arcs_any_is_muc",
    ),
    mutation(
        "core.chains",
        "candidate = places if kind is None else np.where(kind[order], places, -1)",
        "candidate = places if kind is None else np.where(kind, places, -1)",
        CLASSES,
    ),
    mutation(
        "tasks.coref.evaluation",
        "counting = anaphor & (wanted >= 0)",
        "counting = anaphor",
        CLASSES,
        "every_key_anaphor_has_one_of_three_classes_and_every_other_site_is_false",
    ),
    mutation(
        "tasks.coref.evaluation",
        "spurious |= resolved & ~anaphor",
        "spurious |= resolved & (chains.key == NO_CHAIN)",
        CLASSES,
        "swapping_key_and_response_swaps_precision_and_recall",
        "arcs_any_is_muc",
    ),
    mutation(
        "tasks.coref.evaluation",
        "code = np.where(anaphor, FN, np.where(resolved, FP, TN))",
        "code = np.where(anaphor, FN, FP)",
        "a_third_system_changes_nothing_about_a_pair",
    ),
    mutation(
        "tasks.coref.evaluation",
        "return find_antecedents(pair) >= 0, resolved, before",
        "return resolved & (chains.key[there] == chains.key), resolved, before",
        CLASSES,
        "arcs_any_is_muc",
    ),
    mutation(
        "tasks.coref.evaluation",
        "return resolved & (find_antecedents(chains.key) == before), resolved, before",
        "return resolved & (find_antecedents(chains.key) >= before), resolved, before",
        CLASSES,
        "chains_that_span_documents_are_those_of_one_long_document",
    ),
    mutation(
        "tasks.coref.evaluation",
        "& (chains.key[there] == chains.key)",
        "& (chains.key[there] != NO_CHAIN)",
        CLASSES,
        "what_a_stricter_criterion_calls_right_is_right_by_any",
    ),
    mutation(
        "tasks.coref.evaluation",
        "code[anaphor & resolved] = WL",
        "code[resolved] = WL",
        CLASSES,
        "every_key_anaphor_has_one_of_three_classes_and_every_other_site_is_false",
    ),
    # bringing the mentions of all sides together
    mutation(
        "tasks.coref.mentions",
        "end > begin, -end, cut]]",
        "end > begin, end, cut]]",
        CLASSES,
        "chains_that_span_documents_are_those_of_one_long_document",
    ),
    mutation(
        "tasks.coref.mentions",
        "pack_columns([[topics.of[document].astype(np.int64), _chain_codes(parts)[order]]])",
        "pack_columns([[0 * document, _chain_codes(parts)[order]]])",
        "documents_are_counted_apart_and_added",
        "other_names_for_chains_change_nothing",
        "a_chain_number_means_nothing_in_another_document",
    ),
    mutation(
        "tasks.coref.mentions",
        "np.where(alone, len(names) + np.arange(len(found)), found)",
        "np.where(alone, len(names) + np.arange(len(found)), found // 2)",
        "other_names_for_chains_change_nothing",
    ),
    mutation(
        "tasks.coref.mentions",
        "columns.append(renumber_chains(column))",
        "columns.append(column)",
        "the_order_of_mentions_and_of_chains_changes_nothing",
    ),
    mutation(
        "tasks.coref.mentions",
        "count_mentions(side.chain)[side.chain] > 1",
        "count_mentions(side.chain)[side.chain] > 2",
        "without_singletons_links_and_classes_stay",
    ),
    mutation(
        "tasks.coref.mentions",
        "documents = (*aligned.key.documents.names, *foreign.names)",
        "documents = (*foreign.names, *aligned.key.documents.names)",
        "a_document_that_the_key_lacks_is_empty_there",
    ),
    mutation(
        "tasks.coref.mentions",
        "begin[rows],",
        "begin[rows] * 0,",
        "a_document_that_the_key_lacks_is_empty_there",
    ),
    mutation(
        "align.pairing",
        "[(known[0][name], known[1][name]) for name in common]",
        "[([number], known[1][name]) for number, name in enumerate(common)]",
        "a_document_that_a_system_lacks_is_empty_there",
    ),
    mutation(
        "align.pairing",
        "[(documents, known[1][name]) for name, documents in known[0].items()]",
        "[(documents, known[1][name]) for documents, name in zip(known[0].values(), known[1], strict=True)]",
        "the_order_of_documents_changes_nothing",
    ),
    mutation(
        "tasks.coref.mentions",
        "return cls((EVERYTHING,), np.zeros(count, np.int32), one=True)",
        "return cls(None, np.arange(count, dtype=np.int32))",
        "chains_that_span_documents_are_those_of_one_long_document",
    ),
    mutation(
        "tasks.coref.mentions",
        "np.array([place[name] for name in topics], np.int32)",
        "np.array([0 for name in topics], np.int32)",
        "topics_are_documents_that_chains_may_span",
    ),
    mutation(
        "tasks.coref.kinds",
        "kind[rows] = np.where(width == 1, words.kind[first], KINDS.index(NOUN))",
        "kind[rows] = np.where(width == 1, KINDS.index(OTHER), KINDS.index(NOUN))",
        CLASSES,
        "every_key_anaphor_has_one_of_three_classes_and_every_other_site_is_false",
    ),
    # sites, values, pairs
    mutation(
        "tasks.coref.evaluation",
        "for kind in (WL, FP):",
        "for kind in (WL, TP):",
        "values_tell_apart_what_classes_do_and_wrong_antecedents_beside",
    ),
    mutation(
        "tasks.coref.evaluation",
        "mask = np.concatenate([codes[positive] == TP, np.isin(negative, mine)])",
        "mask = np.concatenate([codes[positive] == TP, np.isin(negative // count, mine // count)])",
        "what_is_said_of_a_system_does_not_depend_on_others",
    ),
    mutation(
        "tasks.coref.evaluation",
        "mask = np.concatenate([codes[positive] == TP, np.isin(negative, mine)])",
        "mask = np.concatenate([codes[positive] != WL, np.isin(negative, mine)])",
        "the_upper_bound_is_what_any_system_resolves",
        "arcs_any_is_muc",
    ),
    mutation(
        "core.verdicts",
        "there |= ~sites.right[run]",
        "there |= True",
        "a_third_system_changes_nothing_about_a_pair",
    ),
    mutation(
        "findings.upper_bounds",
        "int(mine.any(axis=0).sum())",
        "int(mine.all(axis=0).sum())",
        "the_upper_bound_is_what_any_system_resolves",
    ),
    mutation(
        "findings.complement",
        "return rows[self.has[second][rows]]",
        "return rows[self.has[first][rows]]",
        "common_errors_are_common_whoever_is_first",
    ),
    mutation(
        "findings.difference",
        "(old != key) & (fresh == key), (old == key) & (fresh != key),",
        "(old != key) & (fresh == key), (old <= key) & (fresh != key),",
        "swapping_the_systems_swaps_corrections_and_new_errors",
        "the_accuracies_differ_by_corrections_less_new_errors",
    ),
)
CASES = [(each, name) for each in MUTATIONS for name in each.caught_by]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "name"), CASES, ids=[f"{each.module}-{each.new}-{name}"[:150] for each, name in CASES]
)
def test_the_law_fails_when_the_formula_is_changed(change: object, name: str) -> None:
    check = IDENTITIES[name]
    with mutated(change), pytest.raises(AssertionError):  # type: ignore[arg-type]
        check()


def test_every_law_has_a_mutation() -> None:
    caught = {name for each in MUTATIONS for name in each.caught_by}
    assert sorted(set(IDENTITIES) - caught) == []
    assert sorted(caught - set(IDENTITIES)) == []


def test_a_mutation_leaves_no_trace() -> None:
    for each in MUTATIONS:
        module = import_module(f"comparanda.{each.module}")
        before = [function.__code__ for function in functions(module)]
        with mutated(each):
            assert before != [function.__code__ for function in functions(module)]
        assert before == [function.__code__ for function in functions(module)]

// What the examples of a list can be filtered by: label, class, pattern, slice, text. A server means the same by them.

/** @typedef {{card: any, runs?: [number, number]}} Entry  an example, and the runs of base and new that it is about */
/** @typedef {{label?: string, class?: string, pattern?: string, slice?: string, text?: string}} Filters */
/** @typedef {[string, number][]} Counted  values with how many entries have each, the most frequent first */

const FILTERS = ["label", "class", "pattern", "slice", "text"];
const PATTERN_SIGNS = { true: "●", false: "○", undefined: "·" };  // right, wrong, not looked at

const loweredTexts = new WeakMap();
const listChoices = new WeakMap();

/**
 * Some entries of a list, those that fulfil all filters.
 * @returns {Promise<{count: number, folded?: number, total: number, held: number, entries: Entry[], of?: string,
 *   complete?: boolean, choices?: Record<string, Counted>}>} `count` entries are in the list, of which `folded` are only
 *   counted, `held` could be looked at, `total` of these fit
 */
async function loadItems(list, filters, offset, limit) {
  if (page.served) return fetchItems(list, filters, offset, limit);
  const every = entriesOf(list);
  const fitting = every.filter(entryFilter(list, filters));
  return { count: list.count, folded: list.folded, total: fitting.length, held: every.length, entries: fitting.slice(offset, offset + limit), of: list.of, choices: choicesOf(list, every) };
}

/** @returns {Entry[]} */
function entriesOf(list) {
  return list.cards.map((number, place) => ({ card: page.cards[number], runs: list.runs?.[place] }));
}

function entryFilter(list, filters) {
  const wished = FILTERS.filter((name) => filters[name]);
  const text = (filters.text ?? "").toLowerCase();
  const fits = {
    label: ({ card }) => card.label === filters.label,
    class: (entry) => classOf(list, entry) === filters.class,
    pattern: ({ card }) => patternOf(card) === filters.pattern,
    slice: ({ card }) => slicesOf(card).includes(filters.slice),
    text: ({ card }) => loweredText(card).some((each) => each.includes(text)),
  };
  return (entry) => wished.every((name) => fits[name](entry));
}

/** What became of a site from base to new; null where that is not about one run of each. */
function classOf(list, { card, runs }) {
  const [base, other] = (runs ?? singleRuns(list) ?? []).map((run) => sideOf(card, run));
  if (!base || !other) return null;
  if (base.right) return other.right ? "same_right" : "new_error";
  if (other.right) return "correction";
  return base.value === other.value ? "same_error" : "changed_error";
}

/** The runs of a pair of systems that have one run each. */
function singleRuns({ base, new: other }) {
  const runs = [base, other].map((system) => page.systems[system] ?? []);
  return runs.every((each) => each.length === 1) ? runs.map(([name]) => page.runs.indexOf(name)) : null;
}

/** Which runs are right: a sign for each. */
function patternOf(card) {
  const right = [];
  for (const side of card.sides) for (const run of side.runs ?? []) right[run] = Boolean(side.right);
  return page.runs.map((_, run) => PATTERN_SIGNS[right[run]]).join("");
}

/** The values of a card by which slices are made, each with its name: "length=3". */
function slicesOf(card) {
  return (page.attributes ?? []).map((name, place) => name + "=" + (card.attributes?.[place] ?? ""));
}

/** What is searched: the sentence, what the sides say, and the name of the document. */
function loweredText(card) {
  if (!loweredTexts.has(card)) {
    const texts = [card.words ? sentenceOf(card) : card.line ?? "", ...card.sides.map((side) => side.value), card.document];
    loweredTexts.set(card, texts.map((text) => text.toLowerCase()));
  }
  return loweredTexts.get(card);
}

/** @returns {Record<string, Counted>} the values that a list can be filtered by */
function choicesOf(list, entries) {
  if (!listChoices.has(list)) {
    listChoices.set(list, {
      label: counted(entries.map(({ card }) => card.label)),
      class: counted(entries.map((entry) => classOf(list, entry)).filter(Boolean)),
      pattern: counted(entries.map(({ card }) => patternOf(card))),
      slice: counted(entries.flatMap(({ card }) => slicesOf(card))),
    });
  }
  return listChoices.get(list);
}

function counted(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([one, some], [other, others]) => others - some || (one < other ? -1 : 1));
}

// One example: its sentence, what the key says of it, and a line for all systems that say the same.

const MOST_NAMES = 4;
const MOST_SPOKEN = 6;
const MOST_OPEN = 4;
const MOST_ARCS = 2;

/**
 * Draw an example.
 * @param {any} card
 * @param {{base?: string, new?: string}} [given] the pair that is looked at: it stands first and is emphasised
 */
function drawCard(card, given = {}) {
  const pair = pairRuns(given);
  const rows = orderedSides(card, pair).map((side) => ({ side, name: sideName(card, side, pair) }));
  const header = make("header", {}, make("bdi", { class: "document" }, card.document), card.place ? make("bdi", {}, card.place) : null, drawPlaces(card));
  return make("article", { class: "card " + card.kind + (page.reference ? " keyless" : ""), "data-step": true, tabindex: "-1", "aria-label": spokenCard(card, rows.map((row) => row.side)) },
    header, drawBody(card, rows), drawRulings(card), card.undrawn ? make("p", { class: "note" }, "… " + card.undrawn) : null);
}

/** The numbers of the runs of a pair. */
function pairRuns(given) {
  const names = [given.base, given.new].flatMap((system) => page.systems[system] ?? []);
  return names.map((name) => page.runs.indexOf(name));
}

/** The side that a run is on. */
function sideOf(card, run) {
  return card.sides.find((side) => side.runs?.includes(run));
}

/** The key first, then those of the pair, then the others. */
function orderedSides(card, pair) {
  const [key, ...others] = card.sides;
  const rank = (side) => Math.min(...side.runs.map((run) => { const place = pair.indexOf(run); return place < 0 ? pair.length : place; }));
  return [key, ...others.map((side, place) => ({ side, place, rank: rank(side) })).sort((one, other) => one.rank - other.rank || one.place - other.place).map((each) => each.side)];
}

/** What the first side is called: without a key one of the outputs stands there, and nobody is right or wrong. */
function keyName() {
  return page.reference ? visible(page.reference) : "key";
}

function verdictSign(right) {
  return page.reference ? (right ? "=" : "≠") : right ? "✓" : "✗";
}

function verdictWord(right) {
  return page.reference ? (right ? "the same" : "other") : right ? "right" : "wrong";
}

/** Who says something, and whether that is right. */
function sideName(card, side, pair) {
  if (!side.runs) return make("div", { class: "who" }, make("bdi", {}, keyName()));
  const sign = make("span", { class: side.right ? "sign right" : "sign wrong" }, verdictSign(side.right), make("span", { class: "hidden" }, " " + verdictWord(side.right) + ":"));
  const told = card.kind === "mentions" ? side.value : "";
  return make("div", { class: "who" }, sign, " ", runNames(side.runs, pair), told ? make("span", { class: "told" }, " ", make("bdi", {}, told)) : null, side.verdict ? make("div", { class: "told" }, make("bdi", {}, side.verdict)) : null);
}

/** The names of runs, those of the pair first; of many the first ones, the others on demand. */
function runNames(runs, pair) {
  const ordered = [...runs].sort((one, other) => pair.includes(other) - pair.includes(one) || one - other);
  const name = (run) => make(pair.includes(run) ? "strong" : "span", {}, make("bdi", {}, visible(page.runs[run])));
  const list = (some) => some.flatMap((run, place) => (place ? [", ", name(run)] : [name(run)]));
  if (ordered.length <= MOST_NAMES) return list(ordered);
  const first = ordered.slice(0, MOST_NAMES - 1), others = ordered.slice(MOST_NAMES - 1);
  return [list(first), make("details", { class: "names" }, make("summary", {}, "and " + others.length + " more"), list(others))];
}

function drawBody(card, rows) {
  return [
    card.kind === "arcs" ? drawTree(card, rows) : card.words?.length ? drawWords(card, rows) : drawValues(card, rows),
    card.kind === "mentions" ? drawChains(rows) : null,
    card.beliefs ? drawBeliefs(card.beliefs) : null,
  ];
}

/** What sides say of a row without words. */
function drawValues(card, rows) {
  const body = rows.map(({ side, name }) => make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: side.same ? "same" : null }, side.same ? "= " + keyName() : make("bdi", {}, side.value))));
  return [card.line ? make("p", { class: "line", dir: "auto" }, card.line) : null, make("table", { class: "values" }, make("tbody", {}, body))];
}

function drawTree(card, rows) {
  const [from, to] = card.site;
  const sentence = [joinedWords(card, 0, from - 1), joinedWords(card, from, to), joinedWords(card, to + 1, card.words.length - 1)].map((text) => make("bdi", {}, text));
  const differing = rows.filter((row) => row.side.runs && row.side.arcs?.length);
  const drawn = differing.map(({ side }) => drawArcs(card, side, spokenNames(side)));
  return [
    make("p", { class: "sentence", dir: card.leftward ? "rtl" : "ltr" }, sentence[0], " ", make("mark", {}, sentence[1]), " ", sentence[2]),
    drawValues({}, rows.map((row) => ({ ...row, side: { ...row.side, same: row.side.runs && row.side.right && !row.side.arcs?.length } }))),
    differing.length ? drawHeads(card, rows) : null,
    folded(drawn, "arcs of other systems", MOST_ARCS),
  ];
}

/** The first of some elements as they are, the others on demand. */
function folded(elements, called, most = MOST_OPEN) {
  const others = elements.slice(most);
  return make("div", { class: "side-by-side" }, elements.slice(0, most),
    others.length ? make("details", {}, make("summary", {}, others.length + " more: " + called), make("div", { class: "side-by-side" }, others)) : null);
}

function drawChains(rows) {
  const lines = rows.filter((row) => row.side.chain).map(({ side, name }) => make("li", {}, name.cloneNode(true), make("div", {}, chainText(side.chain))));
  return make("ul", { class: "chains", "aria-label": "chains" }, lines);
}

function chainText(chain) {
  if (!chain.size) return make("span", { class: "faint" }, "in no chain");
  const decides = chain.mentions.find((mention) => mention.number === chain.antecedent);
  let number = 0;
  const parts = chain.mentions.flatMap((mention) => {
    const left = mention.number - number - 1;
    number = mention.number;
    return [left ? make("span", { class: "faint" }, "… " + left.toLocaleString("en") + " more · ") : null, mentionText(mention), mention.number < chain.size ? " · " : null];
  });
  if (number < chain.size) parts.push(make("span", { class: "faint" }, "… " + (chain.size - number).toLocaleString("en") + " more"));
  return [
    decides ? make("div", {}, "→ ", mentionText(decides), chain.distance ? ", " + chain.distance : null) : null,
    make("div", {}, parts),
  ];
}

function mentionText(mention) {
  const inner = [make("span", { class: "order" }, mention.number), " ", mention.wrong ? verdictSign(false) + " " : null, make("bdi", {}, mention.text), mention.where ? make("bdi", { class: "faint" }, " " + mention.where) : null];
  return mention.here ? make("mark", {}, inner) : make("span", { class: mention.wrong ? "wrong" : null }, inner);
}

/** What probabilistic systems hold for possible: a bar for each span, the number beside it. */
function drawBeliefs(beliefs) {
  return folded(beliefs.map((belief) => make("table", { class: "beliefs" },
    make("caption", {}, make("bdi", {}, visible(page.runs[belief.run])), ": probable entities"),
    make("tbody", {}, belief.spans.map(possibleRow),
      belief.further ? make("tr", {}, make("td", { class: "faint", colspan: 4 }, "… " + belief.further.toLocaleString("en") + " more")) : null))),
  "probable entities of the systems");
}

function possibleRow({ weight, share, label, text, correct, decided }) {
  const said = [correct ? "✓ in the key" : null, decided ? "decided" : null].filter(Boolean).join(", ");
  return make("tr", { class: correct ? "right" : null },
    make("td", { class: "number" }, weight), make("td", {}, weightBar(share)),
    make("td", {}, make("bdi", {}, label), text ? [" ", make("bdi", { class: "covered" }, text)] : null), make("td", { class: "faint" }, said));
}

function weightBar(share) {
  return makeSvg("svg", { class: "bar", viewBox: "0 0 100 10", width: 100, height: 10, "aria-hidden": "true" },
    makeSvg("rect", { class: "whole", width: 100, height: 10 }), makeSvg("rect", { class: "part", width: share, height: 10 }));
}

/** What rules made of the items at the site. */
function drawRulings(card) {
  if (!card.rulings?.length) return null;
  return make("ul", { class: "rulings", "aria-label": "verdicts" }, card.rulings.map((each) => make("li", {},
    make("bdi", { class: "covered" }, each.label), " ", each.text ? ["“", make("bdi", {}, each.text), "”, "] : null, (each.positive ? "in " : "not in ") + (page.reference ? keyName() : "the key") + ": ",
    each.verdicts.flatMap(([verdict, runs], place) => [place ? "; " : null, make("bdi", { class: "verdict" }, verdict), " ", make("bdi", {}, spokenRuns(runs))]))));
}

/** Where the example stands in the output of each run. */
function drawPlaces(card) {
  const places = card.sides.flatMap((side) => (side.places ?? []).map((place, number) => [side.runs[number], place])).filter(([, place]) => place);
  if (!places.length) return null;
  places.sort(([one], [other]) => one - other);
  return make("details", { class: "places" }, make("summary", {}, "in other files"), make("ul", {}, places.map(([run, place]) => make("li", {}, make("bdi", {}, visible(page.runs[run])), " ", make("bdi", {}, place)))));
}

// What people hear who do not see the card.

function spokenCard(card, sides) {
  const said = sides.slice(0, MOST_SPOKEN).map((side) => spokenNames(side) + ": " + spokenSide(card, side));
  const left = sides.length - said.length;
  return card.document + (card.place ? ", " + card.place : "") + ". " + said.join("; ") + (left ? "; and " + left + " other answers" : "");
}

function spokenNames(side) {
  return side.runs ? spokenRuns(side.runs) : keyName();
}

function spokenRuns(runs) {
  const names = runs.slice(0, MOST_NAMES).map((run) => visible(page.runs[run])).join(", ");
  return runs.length > MOST_NAMES ? names + " and " + (runs.length - MOST_NAMES) + " more" : names;
}

function spokenSide(card, side) {
  const verdict = side.runs ? verdictWord(side.right) + ", " : "";
  if (side.same) return verdict + "as " + (page.reference ? keyName() : "the key");
  const marks = card.kind === "spans" ? (side.marks ?? []).filter((mark) => !mark.elsewhere) : [];
  return verdict + (marks.map((mark) => (mark.empty ? mark.label : mark.label + " " + coveredText(card, mark))).join(" and ") || side.value);
}

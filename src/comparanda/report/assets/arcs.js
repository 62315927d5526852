// Arcs of trees: the key's above the words, those of a run below them; and a table of heads.

const CELL = 7.9;  // pixels of a letter in a word
const LABEL_CELL = 6.8;
const STEP = 19;  // pixels from one level of arcs to the next
const WIDE_DRAWING = 900;

function makeSvg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG_SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  fill(element, children);
  return element;
}

/**
 * Draw the arcs on which a side differs from the key.
 * @returns {Element | null} null where there are none
 */
function drawArcs(card, side, who) {
  const words = new Set((side.arcs ?? []).map((arc) => arc.word));
  if (!words.size) return null;
  const above = card.sides[0].arcs.filter((arc) => words.has(arc.word));
  const columns = arcColumns(card, [...above, ...side.arcs]);
  const up = arcLevels(above, columns), down = arcLevels(side.arcs, columns);
  const height = (levels) => 26 + STEP * Math.max(...levels.map((each) => each.level));
  const middle = height(up), width = columns.width, bottom = middle + 22 + height(down);
  const svg = makeSvg("svg", { viewBox: `0 0 ${width} ${bottom}`, width, height: bottom, role: "img", "aria-label": "arcs of " + keyName() + " above, of " + who + " below: " + side.arcs.map((arc) => arcText(card, arc)).join("; ") },
    columns.words.map(({ end, x }) => arcWord(end, x, middle + 15)),
    columns.gaps.map((x) => makeSvg("text", { x, y: middle + 15, class: "gap", "text-anchor": "middle" }, "…")),
    [drawArc, drawLabel].map((draw) => [up.map((each) => draw(each, columns, middle, -1)), down.map((each) => draw(each, columns, middle + 22, 1))]));
  const figure = make("figure", { class: "tree" }, make("figcaption", { class: "faint" }, make("bdi", {}, keyName()), " above, ", make("bdi", {}, who), " below"), sheet(svg, "arcs"));
  if (width <= WIDE_DRAWING) return figure;
  return make("details", {}, make("summary", {}, "arcs of ", make("bdi", {}, keyName()), " and of ", make("bdi", {}, who)), figure);
}

/** Where the words at the ends of arcs stand: far enough apart for the labels between them. */
function arcColumns(card, arcs) {
  const numbers = new Set(arcs.flatMap((arc) => [arc.word, arc.head]).filter(Boolean));
  const ends = card.ends.filter((end) => numbers.has(end.number));
  const place = new Map(ends.map((end, at) => [end.number, at]));
  const steps = ends.map((end, at) => {
    const half = end.cells * CELL / 2 + 7;
    if (!at) return half;
    return half + ends[at - 1].cells * CELL / 2 + 7 + (end.number > ends[at - 1].number + 1 ? 16 : 0);
  });
  const width = (arc) => labelWidth(arc) + 22;
  for (const arc of arcs) {
    if (!isDrawn(arc)) {  // its label stands above its own word
      const at = place.get(arc.word), need = width(arc) / 2;
      steps[at] = Math.max(steps[at], need + (at ? ends[at - 1].cells * CELL / 2 : 0));
      if (at + 1 < steps.length) steps[at + 1] = Math.max(steps[at + 1], need + ends[at + 1].cells * CELL / 2);
      continue;
    }
    const [low, high] = [place.get(arc.word), place.get(arc.head)].sort((one, other) => one - other);
    const has = steps.slice(low + 1, high + 1).reduce((sum, step) => sum + step, 0);
    steps[high] += Math.max(width(arc) - has, 0);
  }
  let x = 0;
  const words = ends.map((end, at) => ({ end, x: (x += steps[at]) }));
  const gaps = words.slice(1).filter(({ end }, at) => end.number > words[at].end.number + 1).map(({ end, x: right }) => right - end.cells * CELL / 2 - 13);
  const last = ends.at(-1);
  const stubs = arcs.filter((arc) => !isDrawn(arc) && arc.word === last.number).map((arc) => width(arc) / 2);
  return { words, gaps, x: new Map(words.map((word) => [word.end.number, word.x])), width: Math.ceil(x + Math.max(last.cells * CELL / 2 + 7, ...stubs)) };
}

/** Whether an arc leads from one word to another: not from the root, nor from a word that is not there. */
function isDrawn(arc) {
  return Boolean(arc.head) && arc.head !== arc.word;
}

/** Give each arc a level of its own among all that it, or its label, would meet; short ones are nearest to the words. */
function arcLevels(arcs, columns) {
  const spans = arcs.map((arc) => {
    const ends = [columns.x.get(arc.word), columns.x.get(isDrawn(arc) ? arc.head : arc.word)];
    const middle = (ends[0] + ends[1]) / 2, reach = Math.max(Math.abs(ends[0] - ends[1]), labelWidth(arc)) / 2;
    return { arc, middle, left: middle - reach, right: middle + reach, level: 1 };
  });
  spans.sort((one, other) => one.right - one.left - (other.right - other.left));
  spans.forEach((span, at) => {
    const met = spans.slice(0, at).filter((other) => other.left < span.right && span.left < other.right);
    span.level = 1 + Math.max(0, ...met.map((other) => other.level));
  });
  return spans;
}

function labelWidth(arc) {
  return arcLabel(arc).length * LABEL_CELL;
}

function drawArc({ arc, level }, columns, y, way) {
  if (arc.label === undefined) return null;
  const at = columns.x.get(arc.word), top = levelTop(level, y, way);
  const shift = isDrawn(arc) ? (columns.x.get(arc.head) > at ? 5 : -5) : 0;
  const foot = at + shift;
  const from = isDrawn(arc) ? columns.x.get(arc.head) - shift : foot;
  const curve = from < foot ? 8 : -8, turn = top - way * 8;
  const path = from === foot ? `M${foot} ${top}V${y}` : `M${from} ${y}V${turn}Q${from} ${top} ${from + curve} ${top}H${foot - curve}Q${foot} ${top} ${foot} ${turn}V${y}`;
  return makeSvg("g", { class: arc.wrong ? "arc wrong" : "arc" },
    makeSvg("path", { d: path, fill: "none" }), makeSvg("path", { class: "tip", d: `M${foot - 3.5} ${y + way * 7}h7L${foot} ${y}z` }));
}

/** The label of an arc; all labels are drawn behind all arcs, so that no line runs through one. */
function drawLabel({ arc, middle, level }, columns, y, way) {
  return makeSvg("text", { class: arc.wrong ? "label wrong" : "label", x: middle, y: levelTop(level, y, way) + (way < 0 ? -4 : 12), "text-anchor": "middle" }, arcLabel(arc));
}

function levelTop(level, y, way) {
  return y + way * (6 + STEP * level);
}

function arcWord(end, x, y) {
  const fixed = /^[\x20-\x7e]*$/.test(end.text) ? {} : { textLength: end.cells * CELL, lengthAdjust: "spacingAndGlyphs" };
  return makeSvg("text", { x, y, class: "word", "text-anchor": "middle", ...fixed }, end.text);
}

/** What stands at an arc: its label, and where it comes from if no word of the sentence does. */
function arcLabel(arc) {
  if (arc.label === undefined) return "no such word" + (arc.wrong ? " " + verdictSign(false) : "");
  const source = isDrawn(arc) || (arc.head === 0 && arc.label === "root") ? "" : arc.head === undefined ? "? ▸ " : arc.head ? "itself ▸ " : "root ▸ ";
  return source + arc.label + (arc.wrong ? " " + verdictSign(false) : "");
}

/** The head and the label of every word on which sides differ, side by side. */
function drawHeads(card, rows) {
  const key = card.sides[0].arcs;
  const others = rows.filter((row) => row.side.arcs?.length && row.side !== card.sides[0]);
  const head = make("tr", {}, make("td"), make("th", { scope: "col" }, make("bdi", {}, keyName())), others.map((row) => make("th", { scope: "col" }, row.name.cloneNode(true))));
  const here = (card.words_before ?? 0) + card.site[0] + 1;
  const body = key.map((arc) => make("tr", {},
    make("th", { scope: "row" }, make(arc.word === here ? "mark" : "span", {}, numberedWord(card, arc.word))),
    make("td", {}, headText(card, arc)),
    others.map(({ side }) => {
      const mine = side.arcs.find((each) => each.word === arc.word);
      return make("td", { class: mine ? (mine.wrong ? "wrong" : null) : "same" }, mine ? headText(card, mine) : "= " + keyName());
    })));
  return sheet(make("table", { class: "heads" }, make("thead", {}, head), make("tbody", {}, body)), "heads and labels");
}

function headText(card, arc) {
  if (arc.label === undefined) return arcLabel(arc);
  const from = arc.head === undefined ? "no word of this sentence" : arc.head === 0 ? "root" : numberedWord(card, arc.head);
  return [make("bdi", {}, arc.label), " ← ", from, arc.wrong ? " " + verdictSign(false) : null];
}

function numberedWord(card, number) {
  return [make("span", { class: "faint" }, number), " ", make("bdi", {}, endText(card, number))];
}

function arcText(card, arc) {
  const from = arc.head === undefined ? "no word of this sentence" : arc.head === 0 ? "the root" : endText(card, arc.head);
  return endText(card, arc.word) + ": " + (arc.label === undefined ? arcLabel(arc) : arc.label + " of " + from + (arc.wrong ? ", " + verdictWord(false) : ""));
}

function endText(card, number) {
  return card.ends.find((end) => end.number === number)?.text ?? "";
}

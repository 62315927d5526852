// Words in a line, and below them what each side says of them: labels, spans as brackets, numbers of mentions.

const NARROWEST_LINE = 24;  // characters
const WIDEST_LINE = 120;
const CHARACTER = 7.6;  // pixels, on average
const BESIDE_WORDS = 230;  // pixels that the names of sides take

/**
 * Draw the words of a card and the marks of its sides, on as many lines as they need.
 * @param {any} card
 * @param {{side: any, name: HTMLElement}[]} rows the sides in order; `name` is what stands before each
 */
function drawWords(card, rows) {
  const glued = new Set(card.glued ?? []);
  const sizes = card.words.map((word, place) => lettersOf(word) + (glued.has(place) ? 0 : 1));
  const lines = wordLines(sizes, glued);
  return lines.map(([first, last], number) => {
    const line = { card, glued, sizes, first, last, ends: number === lines.length - 1 };
    const body = rows.flatMap((row) => sideRows(line, row, number === 0));
    const table = make("table", { class: "words", dir: card.leftward ? "rtl" : "ltr" }, make("tbody", {}, wordRow(line), body));
    return sheet(table, "words and labels");
  });
}

/** Put a table that may be wide where it can be scrolled. */
function sheet(table, name) {
  const region = make("div", { class: "sheet" }, table);
  region.dataset.name = name;
  regions.observe(region);
  return region;
}

/** Cut words into lines of about the same length, for which the window has room; no line begins inside of a word. */
function wordLines(sizes, glued) {
  const room = (document.documentElement.clientWidth - BESIDE_WORDS) / CHARACTER;
  const whole = sum(sizes);
  const count = Math.ceil(whole / Math.min(Math.max(room, NARROWEST_LINE), WIDEST_LINE));
  const lines = [];
  let begin = 0, width = 0;
  sizes.forEach((size, place) => {
    if (place > begin && !glued.has(place) && (width + size / 2) / whole * count > lines.length + 1) {
      lines.push([begin, place - 1]);
      begin = place;
    }
    width += size;
  });
  lines.push([begin, sizes.length - 1]);
  return lines;
}

/** About how many letters wide a text is. */
function lettersOf(text) {
  return [...text.replace(/\p{M}/gu, "")].length;
}

function sum(numbers) {
  return numbers.reduce((all, each) => all + each, 0);
}

function wordRow({ card, glued, first, last, ends }) {
  const [from, to] = card.site ?? [-1, -1];
  const before = first === 0 && card.words_before ? make("td", { class: "faint" }, "(" + card.words_before.toLocaleString("en") + " more …)") : make("td");
  const cells = card.words.slice(first, last + 1).map((word, number) => {
    const place = first + number;
    const here = place >= from && place <= to;
    const inner = word === "" ? make("span", { class: "point", "aria-label": "empty" }, "▏") : make("bdi", {}, word);
    const kind = (glued.has(place) ? "glued" : "") + (glued.has(place + 1) ? " holds" : "") + (here ? " site" : "");
    return make("td", { class: kind || null }, here ? make("mark", {}, inner) : inner);
  });
  const after = ends && card.words_after ? make("td", { class: "faint" }, "(… " + card.words_after.toLocaleString("en") + " more)") : null;
  return make("tr", {}, before, cells, after);
}

/** The rows of one side in a line: one for each level of its marks, the name before the first. */
function sideRows(line, { side, name }, atTop) {
  const width = line.last - line.first + 1;
  const here = (side.marks ?? []).filter((mark) => mark.pieces.at(-1)[1] >= line.first && mark.pieces[0][0] <= line.last);
  if (!here.length) {
    if (!atTop || side.marks?.length) return [];
    return make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: "same", colspan: width }, side.same ? "= " + keyName() : make("bdi", {}, side.value)));
  }
  const levels = [...new Set(here.map((mark) => mark.level ?? 0))].sort((one, other) => one - other);
  return levels.map((level, number) => {
    const head = number ? null : make("th", { scope: "row", rowspan: levels.length }, atTop ? name : name.cloneNode(true));
    return make("tr", {}, head, markCells(line, here.filter((mark) => (mark.level ?? 0) === level)));
  });
}

/** The cells of one level: marks, the gaps inside of them, and nothing between them. */
function markCells(line, marks) {
  const cells = [];
  let place = line.first;
  const reach = (until, cell) => {
    if (until < place) return;
    cell.setAttribute("colspan", String(until - place + 1));
    cells.push(cell);
    place = until + 1;
  };
  marks.forEach((mark, number) => {
    const next = marks[number + 1]?.pieces[0][0] ?? Infinity;
    let said = false;
    mark.pieces.forEach(([first, last], piece) => {
      const from = Math.max(first, line.first), to = Math.min(last, line.last);
      if (from > to) return;
      if (piece && from > place) reach(from - 1, make("td", { class: "gap" }, make("div", { class: "bracket" })));
      else reach(from - 1, make("td"));
      const free = next > line.last || lettersOf(markText(mark)) + 1 < sum(line.sizes.slice(from, next));
      reach(to, markCell(line, mark, [first, last], { said, free }));
      said = true;
    });
  });
  reach(line.last, make("td"));
  return cells;
}

/** A piece of a mark; its label stands under the first one, and may reach beyond it where there is room (`free`). */
function markCell({ card, first, last }, mark, [begin, end], { said, free }) {
  const kinds = {
    empty: mark.empty, wrong: mark.wrong, elsewhere: mark.elsewhere, free,
    from: begin < first || (begin === mark.pieces[0][0] && ["before", "both"].includes(mark.cut)),
    on: end > last || (end === mark.pieces.at(-1)[1] && ["after", "both"].includes(mark.cut)),
  };
  const label = make("span", { class: "label" }, mark.empty ? null : make("span", { class: "hidden" }, coveredText(card, mark) + ": "), make("bdi", {}, markText(mark)));
  return make("td", { class: ["mark", ...Object.keys(kinds).filter((kind) => kinds[kind])].join(" ") },
    mark.empty ? null : make("div", { class: "bracket" }), said ? null : label);
}

/** What is said of a mark: its label, how often it is there, whether its bounds are known, whether it is wrong. */
function markText(mark) {
  return mark.label + (mark.count > 1 ? "×" + mark.count : "") + (mark.loose ? "≈" : "") + (mark.wrong ? " " + verdictSign(false) : "");
}

/** The words that a mark covers, as one text. */
function coveredText(card, mark) {
  return mark.pieces.map(([first, last]) => joinedWords(card, first, last)).join(" … ");
}

function joinedWords(card, first, last) {
  const glued = new Set(card.glued ?? []);
  return card.words.slice(first, last + 1).map((word, number) => (number && !glued.has(first + number) ? " " : "") + word).join("");
}

/** The words of a card as one text. */
function sentenceOf(card) {
  return joinedWords(card, 0, (card.words ?? []).length - 1);
}

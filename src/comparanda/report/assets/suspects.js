// Places at which the key may be wrong, to be decided on one by one. Marks stay in this browser, and travel as files.

const DECISIONS = ["key wrong", "key right", "unsure"];
const SUSPECTS_AT_ONCE = 100;
/** Those of `comparanda suspects -o FILE`, and the comment. */
const SUSPECT_COLUMNS = ["rank", "document", "place", "begin", "end", "word", "key", "proposed", "agree", "of", "kind", "text", "decision", "comment"];

// Who comes back from an example finds as many as before, and all marks, wherever these are kept.
let suspectsDrawn = SUSPECTS_AT_ONCE;
/** @type {SuspectMarks | null} */
let suspectMarks = null;

function drawSuspects(part) {
  const notes = (part.notes ?? []).map((note) => make("p", { class: "note", dir: "auto" }, note));
  const id = uniqueId("part-" + part.name);
  const heading = make("h3", {}, part.title);
  if (!part.suspects.length) return make("section", { class: "part", id }, heading, make("p", {}, "No site is suspect: where all agree, they agree with the key."));
  const list = new SuspectList(part.suspects);
  return make("section", { class: "part suspects", id }, heading, list.progress, list.controls(), list.message, list.body, list.more, notes);
}

class SuspectList {
  constructor(suspects) {
    this.suspects = suspects;
    this.marks = suspectMarks ??= new SuspectMarks(suspects);
    this.names = suspectNames(suspects);
    const { text = "", kind = "", undecided = "" } = readAddress().given;
    this.wishes = { text, kind, undecided };
    this.progress = make("p", { class: "progress" });
    this.message = make("p", { class: "notice", hidden: true });
    this.body = make("div", { class: "suspect-list" });
    this.body.addEventListener("stepend", (event) => this.stepOn(event));
    this.more = make("button", { class: "more", type: "button", onclick: () => this.drawMore() });
    addEventListener("beforeprint", () => this.draw(Infinity), { signal: whileShown() });
    addEventListener("afterprint", () => this.draw(), { signal: whileShown() });
    this.draw();
    this.count();
  }

  controls() {
    const { wishes } = this;
    const kinds = [...new Set(this.suspects.map((each) => each.kind))];
    return make("div", { class: "toolbar" },
      make("input", { type: "search", id: uniqueId("suspects-text"), "data-search": true, placeholder: "Filter suspects", "aria-label": "Filter suspects",
        value: wishes.text, oninput: (event) => this.wish({ text: event.target.value }) }),
      kinds.length < 2 ? null : make("label", {}, "Kind ", make("select", { onchange: (event) => this.wish({ kind: event.target.value }) },
        ["", ...kinds].map((kind) => make("option", { value: kind, selected: kind === wishes.kind }, kind || "all")))),
      make("label", {}, make("input", { type: "checkbox", checked: wishes.undecided === "yes",
        onchange: (event) => this.wish({ undecided: event.target.checked ? "yes" : "" }) }), " undecided only"),
      make("button", { type: "button", onclick: () => this.save("jsonl") }, "Download JSONL"),
      make("button", { type: "button", onclick: () => this.save("csv") }, "Download CSV"),
      make("label", { class: "button" }, "Load marks", make("input", { type: "file", class: "hidden", accept: ".jsonl,.csv,.tsv", onchange: (event) => this.load(event.target) })));
  }

  wish(wishes) {
    Object.assign(this.wishes, wishes);
    replaceAddress(readAddress().view, this.wishes);
    this.draw(SUSPECTS_AT_ONCE);
    announce(this.found.length.toLocaleString("en") + " of " + this.suspects.length.toLocaleString("en") + " suspects");
  }

  /** The places of those that fit what is wished for. */
  filtered() {
    const { text, kind, undecided } = this.wishes;
    const sought = text.toLocaleLowerCase();
    const found = [];
    this.suspects.forEach((each, place) => {
      const mark = this.marks.at(place);
      const words = [each.document, each.place, suspectText(each), each.key, each.proposed, mark.comment].join("\n").toLocaleLowerCase();
      if ((!kind || each.kind === kind) && (undecided !== "yes" || !mark.decision) && words.includes(sought)) found.push(place);
    });
    return found;
  }

  draw(most = suspectsDrawn) {
    if (most !== Infinity) suspectsDrawn = most;
    this.found = this.filtered();
    const shown = this.found.slice(0, most);
    replaceAll(this.body, shown.map((place) => this.row(place)), shown.length ? null : make("p", { class: "faint" }, "No suspects match the filters."));
    this.tellMore(this.found.length - shown.length);
  }

  tellMore(left) {
    this.more.hidden = left <= 0;
    this.more.textContent = "Show " + Math.min(left, SUSPECTS_AT_ONCE) + " more of " + left.toLocaleString("en");
  }

  /** Those that are drawn stay as they are: somebody may be at work there. */
  drawMore() {
    const shown = this.body.children.length;
    suspectsDrawn = shown + SUSPECTS_AT_ONCE;
    fill(this.body, this.found.slice(shown, suspectsDrawn).map((place) => this.row(place)));
    this.tellMore(this.found.length - this.body.children.length);
    this.body.children[shown].focus();
  }

  stepOn(event) {
    if (event.detail.forward && !this.more.hidden) this.drawMore();
  }

  row(place) {
    const each = this.suspects[place];
    const row = make("article", { class: "suspect", "data-step": true, tabindex: "-1", "aria-label": "Suspect " + each.rank + ": " + [each.word, "key " + each.key, "proposed " + each.proposed].filter(Boolean).join(", ") },
      make("p", { class: "faint" }, make("span", { class: "rank" }, each.rank), " ", make("bdi", {}, each.document), each.place ? [" · ", make("bdi", {}, each.place)] : null),
      each.word || each.before || each.after ? make("p", { class: "sentence", dir: "auto" }, make("bdi", {}, each.before), " ", make("mark", {}, make("bdi", {}, each.word)), " ", make("bdi", {}, each.after)) : null,
      make("p", {}, "key ", make("bdi", { class: "value" }, each.key), " → proposed ", make("bdi", { class: "value" }, each.proposed), " ",
        make("span", { class: "faint" }, each.agree + " of " + each.of + " agree · " + each.kind + " · "),
        make("a", { href: listAddress(each.list), "data-list": each.list, "data-open": true }, examplesOf(page.lists[each.list]))),
      make("div", { class: "marking" }, this.choices(place), this.comment(place)));
    row.dataset.decision = this.marks.at(place).decision;
    suspectDeciders.set(row, (decision) => this.decide(place, row, decision));
    return row;
  }

  choices(place) {
    const { decision } = this.marks.at(place);
    const name = uniqueId("decision-" + this.suspects[place].rank);
    return make("fieldset", {}, make("legend", { class: "hidden" }, "Decision on " + this.names[place]),
      DECISIONS.map((each, number) => make("label", {},
        make("input", { type: "radio", name, value: each, checked: each === decision, onchange: (event) => this.decide(place, event.target.closest("article"), each) }),
        " " + each + " ", make("kbd", { "aria-hidden": "true" }, number + 1))),
      make("button", { type: "button", class: "quiet", "aria-label": "Clear the decision on " + this.names[place], onclick: (event) => this.decide(place, event.target.closest("article"), "") }, "Clear"));
  }

  comment(place) {
    return make("input", { type: "text", class: "comment", id: uniqueId("comment-" + this.suspects[place].rank), value: this.marks.at(place).comment,
      placeholder: "Comment", "aria-label": "Comment on " + this.names[place], oninput: (event) => this.mark(place, { comment: event.target.value }),
      onkeydown: (event) => { if (event.key === "Escape" || event.key === "Enter") event.target.closest("article").focus(); } });
  }

  decide(place, row, decision) {
    this.mark(place, { decision });
    row.dataset.decision = decision;
    row.querySelectorAll("input[type=radio]").forEach((radio) => { radio.checked = radio.value === decision; });
    announce((decision || "no decision") + ", " + this.count());
  }

  mark(place, wishes) {
    this.marks.set(place, wishes);
    if (!this.marks.keep()) this.say("This browser does not store marks: download them before leaving this page.");
  }

  count() {
    const all = this.suspects.length;
    const decided = this.suspects.filter((_, place) => this.marks.at(place).decision).length;
    const said = decided.toLocaleString("en") + " of " + all.toLocaleString("en") + " decided";
    replaceAll(this.progress, make("progress", { max: all, value: decided, "aria-label": said }), " " + said);
    return said;
  }

  say(text) {
    this.message.hidden = !text;
    this.message.textContent = text;
    announce(text);
  }

  save(format) {
    const records = this.suspects.map((each, place) => suspectRecord(each, this.marks.at(place)));
    const [type, text] = format === "csv" ? ["text/csv", asCsv(records)] : ["application/x-ndjson", records.map((each) => JSON.stringify(each) + "\n").join("")];
    download(page.task + "-suspects." + format, type, text);
  }

  async load(input) {
    const file = input.files[0];
    input.value = "";  // so that the same file can be chosen again
    if (!file) return;
    try {
      this.say(this.marks.read(suspectRecords(await file.text())));
    } catch (error) {
      this.say("“" + visible(file.name) + "” contains no readable marks: " + error.message);
    }
    this.marks.keep();
    this.count();
    this.draw();
  }
}

/** What a reviewer decides on each suspect, and where it is kept. */
class SuspectMarks {
  constructor(suspects) {
    this.keys = suspectKeys(suspects);
    this.places = new Map(this.keys.map((key, place) => [key, place]));
    this.name = "comparanda.suspects." + page.title + "|" + page.signature;
    this.marks = new Map();
    try {
      for (const [key, mark] of Object.entries(JSON.parse(localStorage.getItem(this.name) ?? "{}"))) {
        if (this.places.has(key)) this.marks.set(key, { decision: String(mark.decision ?? ""), comment: String(mark.comment ?? "") });
      }
    } catch { /* the browser keeps nothing, or something that is not ours */ }
  }

  at(place) {
    return this.marks.get(this.keys[place]) ?? { decision: "", comment: "" };
  }

  set(place, wishes) {
    const mark = { ...this.at(place), ...wishes };
    if (mark.decision || mark.comment) this.marks.set(this.keys[place], mark);
    else this.marks.delete(this.keys[place]);
  }

  /** @returns {boolean} whether the browser keeps them */
  keep() {
    try {
      localStorage.setItem(this.name, JSON.stringify(Object.fromEntries(this.marks)));
      return true;
    } catch {
      return false;
    }
  }

  /** Take over what records say, and say what became of it. Records without a decision and a comment change nothing. */
  read(records) {
    const keys = suspectKeys(records);
    let [taken, elsewhere, unknown] = [0, 0, 0];
    records.forEach((record, number) => {
      const decision = String(record.decision ?? "").trim();
      const comment = String(record.comment ?? "");
      if (!decision && !comment) return;
      const place = this.places.get(keys[number]);
      if (place === undefined) elsewhere++;
      else if (decision && !DECISIONS.includes(decision)) unknown++;
      else { this.set(place, { decision, comment }); taken++; }
    });
    return [countOf(taken, "mark") + " loaded",
      elsewhere ? countOf(elsewhere, "mark") + " of sites that are not suspects here" : null,
      unknown ? countOf(unknown, "mark") + " with a decision other than " + DECISIONS.join(", ") : null].filter(Boolean).join("; ") + ".";
  }
}

function countOf(count, noun) {
  return count.toLocaleString("en") + " " + noun + (count === 1 ? "" : "s");
}

/** Others of the same document may be alike; a server that is yet to be asked has not said how many. */
function examplesOf({ count }) {
  return count === undefined ? "examples" : count + (count === 1 ? " example" : " examples alike");
}

/** What tells a suspect in a file: where it stands and what is said there; ranks change with every other system. */
function suspectKeys(records) {
  const met = new Map();
  return records.map(({ document, begin, end, key, proposed }) => {
    const sign = JSON.stringify([String(document), Number(begin), Number(end), String(key), String(proposed)]);
    const number = (met.get(sign) ?? 0) + 1;
    met.set(sign, number);
    return number === 1 ? sign : sign + number;
  });
}

function suspectNames(suspects) {
  return suspects.map((each) => "suspect " + each.rank + (each.word ? ", " + each.word : ""));
}

function suspectText({ before = "", word = "", after = "" }) {
  return [before, word && "[" + word + "]", after].filter(Boolean).join(" ");
}

function suspectRecord(suspect, mark) {
  const whole = { ...suspect, ...mark, text: suspectText(suspect) };
  return Object.fromEntries(SUSPECT_COLUMNS.map((name) => [name, whole[name] ?? (name === "place" ? null : "")]));
}

/** Read JSON lines, or a table with a header. */
function suspectRecords(text) {
  const lines = text.replace(/^\uFEFF/u, "");
  if (lines.trimStart().startsWith("{")) return lines.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line));
  const [header = [], ...rows] = readCsv(lines);
  if (!header.includes("decision") || !header.includes("document")) throw new Error("it is neither JSON lines nor a table with the columns document and decision");
  return rows.map((row) => Object.fromEntries(header.map((name, place) => [name, row[place] ?? ""])));
}

function asCsv(records) {
  const rows = [SUSPECT_COLUMNS, ...records.map((each) => SUSPECT_COLUMNS.map((name) => each[name] ?? ""))];
  return rows.map((row) => row.map((cell) => (/[",\n\r]/u.test(cell) ? '"' + String(cell).replaceAll('"', '""') + '"' : cell)).join(",") + "\n").join("");
}

/** Tables of spreadsheets may be separated otherwise: the sign that the header has most often. */
function readCsv(text) {
  const [header] = text.split(/\r?\n/u, 1);
  const separator = [",", ";", "\t"].reduce((best, each) => (header.split(each).length > header.split(best).length ? each : best));
  const rows = [];
  let row = [];
  const cell = new RegExp('(?:"((?:[^"]|"")*)"|([^"\\n\\r' + separator + ']*))(' + separator + '|\\r?\\n|\\r|$)', "uy");
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (!match) throw new Error("misplaced quotation mark in row " + (rows.length + 1));
    row.push(match[1]?.replaceAll('""', '"') ?? match[2]);
    if (match[3] !== separator) { rows.push(row); row = []; }
  }
  if (row.length) rows.push([...row, ""]);  // the last cell is empty, and no line ends behind it
  return rows;
}

// Keys: what has the focus is decided on.

/** @type {WeakMap<Element, (decision: string) => void>} */
const suspectDeciders = new WeakMap();

function decideFocused(decision) {
  const row = document.activeElement?.closest("article.suspect");
  if (!row) return false;
  suspectDeciders.get(row)(decision);
  return true;
}

function commentOnFocused() {
  const box = document.activeElement?.closest("article.suspect")?.querySelector(".comment");
  box?.focus();
  return Boolean(box);
}

DECISIONS.forEach((decision, number) => onKey(String(number + 1), "suspects: " + decision, () => decideFocused(decision)));
onKey("0", "suspects: no decision", () => decideFocused(""));
onKey("c", "suspects: comment, then Escape to continue", commentOnFocused);

// Tables: sorted by a click, filtered when long, with a link on every count.

const USUAL_TOP = 20;  // as in `comparanda.report.page_data.TablePart`
const LONG_TABLE = 30;
const DRAWN = /[\u2500-\u257f]/u;  // lines of a drawing, such as a tree of clusters
const tableStates = new Map();

/**
 * How a reader left a table of this view and choice: who comes back from an example finds it so.
 * @returns {{column: number | null, descending: boolean, all: boolean, filter: string}}
 */
function tableState(id) {
  const { view, given } = readAddress();
  const name = choiceAddress({ name: view }, given) + " " + id;
  if (!tableStates.has(name)) tableStates.set(name, { column: null, descending: false, all: false, filter: "" });
  return tableStates.get(name);
}

function drawTable(part) {
  const id = uniqueId("part-" + part.name);
  const heading = make("h3", {}, make("bdi", {}, part.title));
  const notes = (part.notes ?? []).map((note) => make("p", { class: "note", dir: "auto" }, note));
  if (!part.rows.length) return make("section", { class: "part table", id }, heading, make("p", { class: "faint" }, "No rows."), notes);
  const table = new TableView(part, id);
  return make("section", { class: "part table", id }, make("div", { class: "toolbar" }, heading, table.controls()), table.region, table.more, notes);
}

class TableView {
  constructor(part, id) {
    this.part = part;
    this.id = id;
    this.state = tableState(id);
    const named = part.columns.findIndex((column) => !column.numeric);
    this.naming = named < 0 ? 0 : named;
    this.heads = part.columns.map((column, place) => this.head(column, place));
    this.body = make("tbody");
    this.drawnRows = new Map();
    this.more = make("button", { class: "more", type: "button", onclick: () => this.change({ all: !this.state.all }) });
    const table = make("table", {}, make("caption", { class: "hidden" }, part.title), make("thead", {}, make("tr", {}, this.heads)), this.body);
    this.region = make("div", { class: "scroll" }, table);
    this.region.dataset.name = part.title;
    regions.observe(this.region);
    addEventListener("beforeprint", () => this.show(true), { signal: whileShown() });
    addEventListener("afterprint", () => this.show(), { signal: whileShown() });
    this.show();
  }

  head(column, place) {
    const kind = this.kind(place);
    if (!column.header) return make("td", { class: kind });
    if (this.part.rows.length < 2) return make("th", { scope: "col", class: kind }, make("bdi", {}, column.header));
    return make("th", { scope: "col", class: kind },
      make("button", { class: "quiet", type: "button", onclick: () => this.sort(place) }, make("bdi", {}, column.header)));
  }

  kind(place) {
    return (this.part.columns[place].numeric ? "number" : "") + (place === this.naming ? " naming" : "") || null;
  }

  controls() {
    const { part, state } = this;
    const filter = part.rows.length <= LONG_TABLE ? null : make("input", {
      type: "search", id: this.id + "-filter", placeholder: "Filter rows", "aria-label": "Filter rows of " + part.title, "data-search": true,
      value: state.filter, oninput: (event) => this.change({ filter: event.target.value }),
    });
    const save = make("button", { class: "quiet", type: "button", "aria-label": "TSV of " + part.title, onclick: () => this.save() }, "TSV");
    return [filter, save];
  }

  /** First the largest numbers or the first letters, then the other way round, then the order of the report. */
  sort(place) {
    const { column, descending } = this.state;
    const first = Boolean(this.part.columns[place].numeric);
    if (column !== place) Object.assign(this.state, { column: place, descending: first });
    else if (descending === first) this.state.descending = !first;
    else this.state.column = null;
    this.show();
    const order = this.state.descending ? ", descending" : ", ascending";
    announce(this.state.column === null ? "In the order of the report" : "Sorted by " + this.part.columns[place].header + order);
  }

  change(wishes) {
    Object.assign(this.state, wishes);
    const { shown, found } = this.show();
    announce(shown.toLocaleString("en") + " of " + found.toLocaleString("en") + (found === 1 ? " row" : " rows"));
  }

  /** All rows that fit the filter, in the order that is wished. */
  rows() {
    const { column, descending, filter } = this.state;
    const sought = filter.toLocaleLowerCase();
    const found = this.part.rows.filter((row) => row.some((cell) => textOf(cell).toLocaleLowerCase().includes(sought)));
    if (column === null) return found;
    return ordered(found, this.part.columns[column].numeric, descending, (row) => textOf(row[column]));
  }

  /** Those that are shown at first: where rows come in groups, the first of each group. */
  fewer(found) {
    const { part, state } = this;
    if (part.first && state.column === null && !state.filter) return part.first.map((number) => part.rows[number]);
    return found.slice(0, part.top ?? USUAL_TOP);
  }

  show(all = this.state.all) {
    const { column, descending } = this.state;
    const found = this.rows();
    const few = this.fewer(found);
    const shown = all ? found : few;
    replaceAll(this.body, shown.map((row) => this.row(row)));
    this.heads.forEach((head, place) => {
      if (place === column) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    this.more.hidden = found.length <= few.length;
    this.more.textContent = this.state.all ? "Show the first " + few.length : "Show all " + found.length.toLocaleString("en") + " rows";
    return { shown: shown.length, found: found.length };
  }

  /** A row is drawn once, in whatever order it is shown later. */
  row(row) {
    let drawn = this.drawnRows.get(row);
    if (!drawn) {
      drawn = make("tr", {}, row.map((cell, place) => this.cell(row, cell, place)));
      this.drawnRows.set(row, drawn);
    }
    return drawn;
  }

  cell(row, cell, place) {
    const { list, best } = /** @type {any} */ (cell);
    const text = textOf(cell);
    let inner = this.part.columns[place].numeric ? text : make("bdi", { class: DRAWN.test(text) ? "drawn" : null }, text);
    if (best) inner = make("strong", {}, inner);
    if (list !== undefined) inner = make("a", { href: listAddress(list), "data-list": list, "aria-label": this.linkName(row, place) }, inner);
    const names = place === this.naming && text !== "";
    return make(names ? "th" : "td", { scope: names ? "row" : null, class: this.kind(place) }, inner);
  }

  /** What a link says to those who hear it alone: "348 sites: correction PROPN NOUN PROPN". */
  linkName(row, place) {
    const { columns } = this.part;
    const { text, list } = row[place];
    const of = page.lists[list].of ?? "examples";
    const header = columns[place].header;
    const about = row.filter((_, other) => other !== place && !columns[other].numeric).map(textOf).filter(Boolean).join(" ");
    const counts = /^[\d,]+$/u.test(text);
    const further = counts && ![of, "count", ""].includes(header) ? ", " + header : "";
    return text + " " + [counts ? of : header + ", " + of, about].filter(Boolean).join(": ") + further;
  }

  save() {
    const lines = [this.part.columns.map((column) => column.header), ...this.rows().map((row) => row.map(textOf))];
    const text = lines.map((cells) => cells.map((cell) => cell.replace(/[\t\n\r]/gu, " ")).join("\t") + "\n").join("");
    download(page.task + "-" + this.part.name + ".tsv", "text/tab-separated-values", text);
  }
}

function textOf(cell) {
  return typeof cell === "string" ? cell : cell.text;
}

/** A table that is wider than its place is scrolled by itself: then, and only then, its region takes the focus. */
const regions = new ResizeObserver((entries) => {
  if (matchMedia("print").matches) return;  // there it shrinks by being wide
  for (const { target: region } of entries) {
    const wide = region.firstElementChild.scrollWidth > region.clientWidth + 1;
    region.classList.toggle("wide", wide);
    for (const [name, value] of Object.entries({ tabindex: "0", role: "region", "aria-label": region.dataset.name })) {
      if (wide) region.setAttribute(name, value);
      else region.removeAttribute(name);
    }
  }
});

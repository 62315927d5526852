// Tables, with a link on every count.

function drawTable(part) {
  const head = make("tr", {}, part.columns.map((column) => make("th", { scope: "col", class: column.numeric ? "number" : null }, column.header)));
  const body = part.rows.map((row) => make("tr", {}, row.map((cell, place) => drawCell(part.columns[place], cell))));
  return make("section", { class: "part", id: "part-" + part.name },
    make("table", {}, make("caption", {}, part.title), make("thead", {}, head), make("tbody", {}, body)),
    (part.notes || []).map((note) => make("p", { class: "note" }, note)));
}

function drawCell(column, cell) {
  const { text, list, best } = typeof cell === "string" ? { text: cell } : cell;
  const inner = list === undefined ? text : make("a", { href: listAddress(list), "data-list": list }, text);
  return make("td", { class: [column.numeric ? "number" : "", best ? "best" : ""].join(" ").trim() || null }, inner);
}

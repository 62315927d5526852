// Charts: SVG that Python wrote. It is read as data and copied element by element, so that nothing comes into the page
// but shapes, words and links inside it.

const SVG_SPACE = "http://www.w3.org/2000/svg";

const SHAPES = new Set(["svg", "g", "a", "title", "desc", "defs", "clipPath", "pattern", "path", "rect", "circle", "text"]);

const LOOKS = new Set([
  "id", "viewBox", "width", "height", "x", "y", "cx", "cy", "r", "rx", "d", "transform", "patternUnits", "clip-path",
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "stroke-linecap", "paint-order",
  "font-family", "font-size", "font-weight", "text-anchor", "role", "aria-label", "aria-labelledby",
]);

// What is painted with could be fetched from anywhere: it is a colour, a variable, or something of the chart itself.
const PAINTED = new Set(["fill", "stroke", "clip-path"]);
const PAINT = /^(?:none|#[0-9a-f]{6}|var\(--[\w-]+\)|url\(#[\w-]+\))$/u;

function drawChart(part) {
  const read = new DOMParser().parseFromString(part.svg, "image/svg+xml").documentElement;
  if (read.namespaceURI !== SVG_SPACE || read.localName !== "svg") throw new Error("this is no SVG");
  const ids = new Map();
  for (const each of [read, ...read.querySelectorAll("[id]")]) if (each.id) ids.set(each.id, uniqueId(each.id));
  return make("figure", { class: "part chart", id: uniqueId("part-" + part.name) },
    make("figcaption", {}, make("h3", {}, make("bdi", {}, part.title))), copyShape(read, ids));
}

/** Copy an element and all in it, as far as charts have such. */
function copyShape(read, ids) {
  if (read.nodeType === Node.TEXT_NODE) return document.createTextNode(read.data);
  if (read.namespaceURI !== SVG_SPACE || !SHAPES.has(read.localName)) return null;
  const made = document.createElementNS(SVG_SPACE, read.localName);
  for (const { name, value } of read.attributes) {
    if (LOOKS.has(name) && (!PAINTED.has(name) || PAINT.test(value))) made.setAttribute(name, renamed(name, value, ids));
  }
  if (read.localName === "a") lead(made, read.getAttribute("href"));
  fill(made, Array.from(read.childNodes, (child) => copyShape(child, ids)));
  return made;
}

/** A value in which ids have the names that they have in this view. */
function renamed(name, value, ids) {
  if (name === "id") return ids.get(value);
  if (name === "aria-labelledby") return value.split(" ").map((id) => ids.get(id) ?? id).join(" ");
  return value.replace(/^url\(#([\w-]+)\)$/u, (whole, id) => "url(#" + (ids.get(id) ?? id) + ")");
}

/** Let a mark lead to what it counts; it leads nowhere outside of the page. */
function lead(mark, address) {
  if (!address?.startsWith("#")) return;
  const number = listNumbers.get(listKey(Object.fromEntries(new URLSearchParams(address.slice(address.indexOf("?") + 1)))));
  mark.setAttribute("href", number === undefined ? address : listAddress(number));
  if (number !== undefined) mark.setAttribute("data-list", number);
}

// Elements made of names, attributes and children. Texts become text nodes: nothing in a corpus can become markup.

/**
 * @param {string} name
 * @param {Record<string, any>} [attributes] `on…` are listeners; null and false are left out
 * @param {...any} children texts, numbers, elements, lists of these; null is nothing
 * @returns {HTMLElement}
 */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  fill(element, children);
  return element;
}

function fill(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

function replaceAll(element, ...children) {
  element.replaceChildren();
  fill(element, children);
}

/**
 * Show invisible characters, as `comparanda.render.table.make_visible` does: for names that stand as they are in addresses.
 * @param {string} text
 */
function visible(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0);
    const [mark, width] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
    return "\\" + mark + code.toString(16).padStart(width, "0");
  });
}

/**
 * Say something to people who listen. The region is emptied first: the same text twice is said twice.
 * @param {string} text
 */
function announce(text) {
  const region = document.getElementById("status");
  region.textContent = "";
  setTimeout(() => { region.textContent = text; }, 50);
}

/** Save a text as a file. */
function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type: type + ";charset=utf-8" }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);  // not at once: the browser reads it later
}

// What lives only as long as the view that is shown: ids that are taken, listeners outside of it, what is still to come.

const takenIds = new Set();
let shownView = new AbortController();
let awaited = [];

/** An id that no other element of the view has: "part-x", then "part-x-2". */
function uniqueId(wanted) {
  let id = wanted;
  for (let number = 2; takenIds.has(id); number++) id = wanted + "-" + number;
  takenIds.add(id);
  return id;
}

/** A signal for listeners on window or document: it ends them when another view is shown. */
function whileShown() {
  return shownView.signal;
}

/** Say that a part of the view draws itself later: the view is complete when this promise is kept. */
function whenDrawn(promise) {
  awaited.push(promise);
}

/** Wait for all that draws itself later. */
function allDrawn() {
  return Promise.allSettled(awaited);
}

function endShown() {
  shownView.abort();
  shownView = new AbortController();
  takenIds.clear();
  awaited = [];
}

// Wishes of the reader that outlive the page, where the browser lets a page from disk keep something.

const wishes = new Map();

function remembered(name) {
  if (!wishes.has(name)) {
    try { wishes.set(name, localStorage.getItem("comparanda." + name)); } catch { return null; }
  }
  return wishes.get(name);
}

function remember(name, value) {
  wishes.set(name, value);
  try { localStorage.setItem("comparanda." + name, value); } catch { /* then it holds until the page is closed */ }
}

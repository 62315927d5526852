// One key, one step. Keys rest while somebody types, and can be switched off for those whose voice or hand hits them by chance.

/** @typedef {{key: string, description: string, handler: (event: KeyboardEvent) => any}} Binding */

/** @type {Binding[]} */
const bindings = [];
const SEQUENCE_MILLISECONDS = 1500;
let goingSince = -Infinity;

/**
 * Give a key a meaning, which the help then tells.
 * @param {string} key as events name it
 * @param {string} description
 * @param {(event: KeyboardEvent) => any} handler false where the key means nothing at present
 */
function onKey(key, description, handler) {
  const known = bindings.findIndex((each) => each.key === key && each.description === description);
  bindings.splice(known < 0 ? bindings.length : known, known < 0 ? 0 : 1, { key, description, handler });
}

function handleKey(event) {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (event.key === "Escape" && event.target.matches("[data-search]")) event.target.blur();
  if (remembered("keys") === "off" || isTyping(event.target) || document.querySelector("dialog[open]")) return;
  const going = event.timeStamp - goingSince < SEQUENCE_MILLISECONDS;
  goingSince = -Infinity;
  const used = going ? goToView(event.key) : bindings.some(({ key, handler }) => key === event.key && handler(event) !== false);
  if (used) event.preventDefault();
}

function isTyping(element) {
  if (element.matches("input")) return !["checkbox", "radio", "button", "range", "file"].includes(element.type);
  return element.matches("textarea, select") || element.isContentEditable;
}

// Steps: from card to card, or from count to count.

function stepsOfView() {
  const cards = content.querySelectorAll("[data-step]");
  const found = cards.length ? cards : content.querySelectorAll("a[data-list]");
  return [...found].filter(isShown);
}

function isShown(element) {
  return element.getClientRects().length > 0;
}

function step(forward) {
  const steps = stepsOfView();
  if (!steps.length) return false;
  const present = steps.findIndex((each) => each.contains(document.activeElement));
  const next = present < 0 ? firstInSight(steps) : present + (forward ? 1 : -1);
  if (next in steps) steps[next].focus();
  else steps[present].dispatchEvent(new CustomEvent("stepend", { bubbles: true, detail: { forward } }));
  return true;
}

function firstInSight(steps) {
  const top = Math.max(0, document.querySelector("body > header").getBoundingClientRect().bottom);
  return Math.max(0, steps.findIndex((each) => each.getBoundingClientRect().top >= top));
}

function openStep(event) {
  if (!event.target.matches("[data-step]")) return false;
  const link = event.target.querySelector("a[data-open]") ?? event.target.querySelector("a[href]");
  link?.click();
  return Boolean(link);
}

function focusSearch() {
  const box = [...content.querySelectorAll("[data-search]")].find(isShown);
  if (!box) return false;
  box.focus();
  box.select();
  return true;
}

function goToView(initial) {
  const view = page.views.find((each) => each.name.startsWith(initial));
  if (view) location.hash = addressOf(view.name);
  return Boolean(view);
}

function goToChoice(direction) {
  const { view, given } = readAddress();
  const shown = page.views.find((each) => each.name === view);
  if ((shown?.choices ?? []).length < 2) return false;
  location.hash = choiceAddress(shown, neighbourChoice(shown, findChoice(shown, given).choice, direction));
  return true;
}

onKey("j", "next example, or next count", () => step(true));
onKey("k", "previous example, or previous count", () => step(false));
onKey("Enter", "open what has the focus", openStep);
onKey("/", "search or filter", focusSearch);
onKey("[", "previous pair or system", () => goToChoice(-1));
onKey("]", "next pair or system", () => goToChoice(1));
onKey("u", "back to where you came from", goBack);
onKey("?", "this help", showHelp);

/** Called once the views are known. */
function startKeys() {
  const letters = page.views.map((view) => view.name[0] + " " + view.title).join(", ");
  onKey("g", "then a letter, go to a view: " + letters, (event) => { goingSince = event.timeStamp; });
  addEventListener("keydown", handleKey);
}

// Help: all keys that have a meaning, those of the views included.

function showHelp() {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("help"));
  replaceAll(document.getElementById("keys"), bindings.map(({ key, description }) =>
    make("tr", {}, make("th", { scope: "row" }, make("kbd", {}, key)), make("td", {}, description))));
  const keys = /** @type {HTMLInputElement} */ (document.getElementById("keys-on"));
  keys.checked = remembered("keys") !== "off";
  keys.onchange = () => remember("keys", keys.checked ? "on" : "off");
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  dialog.showModal();
  document.getElementById("help-close").focus();
}

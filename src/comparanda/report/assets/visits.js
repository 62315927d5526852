// Where the reader was at each address. Back and forward return there; a link that is followed starts at the top.

/** @typedef {{scroll: number, number: number, sign: string}} Place  scrolling, and which control had the focus */

const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex]";
const PLACES_KEPT = "comparanda.places " + location.pathname;
const places = keptPlaces();
let depth = -1;  // how many steps of this page lie before this one

/** @returns {Place} */
function presentPlace() {
  const focused = document.activeElement;
  const number = [...content.querySelectorAll(CONTROLS)].indexOf(focused);
  return { scroll: scrollY, number, sign: number < 0 ? "" : signOf(focused) };
}

/** What tells whether a control that stands at the same place is the same one. */
function signOf(control) {
  return control.getAttribute("href") ?? control.textContent;
}

/** Called when the address has changed, while what belongs to the old one still stands. */
function leave(address) {
  places.set(address, presentPlace());
}

/**
 * Called for every address that is met, once the one before it is left.
 * @returns {Place | null} where to return to; null for an address that is met by a link
 */
function arrive() {
  const state = history.state;
  depth = state?.depth ?? depth + 1;
  history.replaceState({ depth }, "");
  return state ? places.get(location.hash) ?? null : null;
}

/** @returns {boolean} whether the control that had the focus is still there, and has it again */
function returnTo(place) {
  scrollTo(0, place.scroll);
  const control = content.querySelectorAll(CONTROLS)[place.number];
  if (!control || signOf(control) !== place.sign) return false;
  control.focus({ preventScroll: true });
  return true;
}

/** One step back, or to the overview where the page was opened right here. */
function goBack() {
  if (depth > 0) history.back();
  else location.hash = addressOf("overview");
}

// Places outlive loading the page again, where the browser lets it keep something.

function keptPlaces() {
  try { return new Map(JSON.parse(sessionStorage.getItem(PLACES_KEPT)) ?? []); } catch { return new Map(); }
}

function keepPlaces() {
  leave(location.hash);
  try { sessionStorage.setItem(PLACES_KEPT, JSON.stringify([...places])); } catch { /* then it begins at the top */ }
}

history.scrollRestoration = "manual";
addEventListener("pagehide", keepPlaces);

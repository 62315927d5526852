// From the address to what is shown.

/**
 * Show what belongs to the address, in its place on the screen, and say when it is complete.
 * @param {string | null} left the address before; null at the beginning
 */
async function show(left = null) {
  const address = readAddress();
  const before = left === null ? null : readAddress(left);
  const control = heldControl();
  const place = arrive();
  const drawnAnew = !before || subjectOf(address) !== subjectOf(before);
  if (drawnAnew) {
    endShown();
    const shown = whileShown();
    drawNavigation(address.view);
    const missing = missingPair(address);
    const refusal = missing ? await obtain(missing) : null;
    if (shown.aborted) return;
    draw(address, refusal);
    if (before && !place) moveFocus(control, address, before);
    await allDrawn();
    if (shown.aborted) return;
  }
  if (place) {
    if (!returnTo(place) && before) titleOfView().focus({ preventScroll: true });
  } else if (address.given.part) {
    goToPart(address.given.part);
  } else if (!drawnAnew) {
    focusTitle();
  }
  document.body.dataset.drawn = location.hash || "#";
}

function draw({ view, given }, refusal) {
  try {
    replaceAll(content, refusal ?? (view === "items" ? drawItems(given) : drawView(view, given)));
  } catch (error) {
    replaceAll(content, drawTrouble("h2", "This view cannot be drawn", error));
  }
  const titles = [...content.querySelectorAll("h2")];
  for (const title of titles) title.setAttribute("tabindex", "-1");
  document.title = titles.map((title) => title.textContent).join(": ") + " · " + page.title;
}

// A pair that a server can make.

/** The pair that an address asks for, where the page holds it not but a server can make it. */
function missingPair({ view: name, given: { base, new: other } }) {
  if (!page.served || name !== "pair" || base === other || ![base, other].every((each) => Object.hasOwn(page.systems, each))) return null;
  const view = page.views.find((each) => each.name === name);
  const held = view.choices.some((each) => each.base === base && each.new === other);
  return held ? null : { view, base, new: other };
}

/** @returns {Promise<HTMLElement[] | null>} what to say where the server does not give it */
async function obtain({ view, base, new: other }) {
  const pair = make("bdi", {}, visible(base + " → " + other));
  replaceAll(content, make("h2", {}, view.title + ": ", pair), make("p", { class: "part", role: "status" }, "Comparing …"));
  try {
    view.choices.push(await fetchPair(base, other));
    return null;
  } catch (error) {
    return [make("h2", {}, view.title + ": ", pair), drawChoices(view, null), make("p", { class: "part notice", role: "alert" }, error.message)];
  }
}

// Focus: where the reader goes on.

/** The box that somebody types or selects in: it keeps the focus when its view is drawn anew. */
function heldControl() {
  const control = document.activeElement;
  if (!control?.id || !control.matches("main input, main select, main textarea")) return null;
  return { id: control.id, caret: control.selectionStart ?? null };
}

function moveFocus(control, address, before) {
  const held = control && document.getElementById(control.id);
  if (held) {
    held.focus({ preventScroll: true });
    if (control.caret !== null) held.setSelectionRange(control.caret, control.caret);
  } else if (address.given.at === undefined) {
    focusTitle(address.view === before.view ? content.querySelector("h2.chosen") : null);
  }
}

/** Another choice of the same view begins at its own title, everything else at the top. */
function focusTitle(chosen = null) {
  if (!chosen) scrollTo(0, 0);
  (chosen ?? titleOfView()).focus({ preventScroll: !chosen });
}

function titleOfView() {
  return content.querySelector("h2") ?? content;
}

function goToPart(name) {
  const part = document.getElementById("part-" + name);
  const title = part?.querySelector("h3, figcaption") ?? part;
  title?.setAttribute("tabindex", "-1");
  title?.scrollIntoView();
  title?.focus();
}

// The beginning.

async function start() {
  followTheme();
  try {
    await unpack();
  } catch (error) {
    if (typeof DecompressionStream === "undefined") document.getElementById("opening").textContent = "This browser is too old to unpack the report.";
    else replaceAll(content, make("p", {}, "The data of this report cannot be read: the file is damaged or truncated. Write or copy it again. (", error.message, ")"));
    return;
  }
  drawFrame();
  startKeys();
  addEventListener("hashchange", (event) => {
    const left = new URL(event.oldURL).hash;
    leave(left);
    show(left);
  });
  show();
}

start();

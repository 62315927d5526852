// One view: its parts, and those of the choice that is made.

const FEW_PARTS = 5;

function drawView(name, given) {
  const view = page.views.find((each) => each.name === name);
  if (!view) return drawUnknown(name);
  const always = (view.parts ?? []).map(drawPart);
  if (!view.choices?.length) return [make("h2", {}, view.title), drawContents(view, null, always), always];
  const { choice, reversed } = findChoice(view, given);
  const title = choice ? make("bdi", {}, choice.title) : "not in this page";
  const parts = choice ? choice.parts.map(drawPart) : [];
  const contents = drawContents(view, choice, [...always, ...parts]);
  const chosen = [drawChoices(view, choice), reversed ? drawReversed(choice) : null, choice ? null : drawMissing(view, given)];
  if (!always.length) return [make("h2", {}, view.title + ": ", title), chosen, contents, parts];
  return [make("h2", {}, view.title), contents, always, make("h2", { class: "chosen" }, title), chosen, parts];
}

/** @returns {HTMLElement} with an id, by which an address can lead to it */
function drawPart(part) {
  let element;
  try {
    element = drawKind(part);
  } catch (error) {
    element = drawTrouble("h3", "“" + part.title + "” cannot be drawn", error);
  }
  element.id ||= uniqueId("part-" + part.name);
  element.dataset.title = part.title;
  return element;
}

function drawKind(part) {
  switch (part.part) {
    case "table": return drawTable(part);
    case "chart": return drawChart(part);
    case "suspects": return drawSuspects(part);
    default: return drawText(part);
  }
}

/** A view of many parts begins with a list of them. */
function drawContents(view, choice, parts) {
  if (parts.length <= FEW_PARTS) return null;
  const address = (part) => addressOf(view.name, { base: choice?.base, new: choice?.new, system: choice?.system, part: part.id.replace("part-", "") });
  return make("details", { class: "contents" }, make("summary", {}, "Contents: " + parts.length + " parts"),
    make("ul", {}, parts.map((part) => make("li", {}, make("a", { href: address(part) }, make("bdi", {}, part.dataset.title))))));
}

function drawText(part) {
  return make("section", { class: "part text", id: uniqueId("part-" + part.name) }, make("h3", {}, part.title),
    (part.lines ?? []).map((line) => make("p", { dir: "auto" }, line)),
    part.facts ? make("dl", {}, part.facts.map(([name, value]) => [make("dt", {}, name), make("dd", { dir: "auto" }, value)])) : null);
}

// What the page does not have.

function drawUnknown(name) {
  return [make("h2", {}, "Nothing at this address"),
    make("p", { class: "part" }, "This page has no view called “", make("bdi", {}, visible(name)), "”. ", overviewLink())];
}

function drawReversed(choice) {
  return make("p", { class: "part notice" }, "This page has the pair in the reverse order, from ", make("bdi", {}, visible(choice.base)), " to ",
    make("bdi", {}, visible(choice.new)), ": a correction here is a new error in the order that you requested, and the reverse.");
}

function drawMissing(view, given) {
  const asked = ASPECTS.filter((aspect) => given[aspect]).map((aspect) => [aspect, " ", make("bdi", {}, visible(given[aspect])), " "]);
  return make("p", { class: "part notice" }, "This page contains nothing for ", asked, "– ", make("a", { href: addressOf(view.name) }, "show what it contains"), ".");
}

function drawTrouble(level, title, error) {
  console.error(error);
  return make("section", { class: "part trouble", role: "alert" }, make(level, {}, "⚠ " + title),
    make("p", {}, "This is a bug in comparanda, not in your data. Please report it with these lines. ", overviewLink()),
    make("pre", {}, String(error?.stack ?? error)));
}

function overviewLink() {
  return make("a", { href: addressOf("overview") }, "Go to the overview");
}

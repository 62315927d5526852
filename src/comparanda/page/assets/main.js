// From the address to what is shown.

const content = make("main", { id: "content", tabindex: "-1" });
const navigation = make("nav", { "aria-label": "Views" });

function draw() {
  const { view, given } = readAddress();
  replaceAll(navigation, page.views.map((each) => make("a", { href: addressOf(each.name), "aria-current": each.name === view ? "page" : null }, each.title)));
  if (view === "items") return replaceAll(content, drawItems(given));
  const found = page.views.find((each) => each.name === view) || page.views[0];
  replaceAll(content, make("h2", {}, found.title), drawChoices(found, given), (found.parts || []).map(drawPart), chosenParts(found, given).map(drawPart));
}

function chosenOf(view, given) {
  return (view.choices || []).find((each) => each.base === given.base && each.new === given.new && each.system === given.system) || (view.choices || [])[view.chosen || 0];
}

function chosenParts(view, given) {
  return chosenOf(view, given)?.parts || [];
}

function drawChoices(view, given) {
  const chosen = chosenOf(view, given);
  return (view.choices || []).map((each) => make("a", { class: "choice", href: addressOf(view.name, { base: each.base, new: each.new, system: each.system }), "aria-current": each === chosen ? "true" : null }, each.title));
}

function drawPart(part) {
  if (part.part === "table") return drawTable(part);
  if (part.part === "text") return drawText(part);
  return null;
}

function drawText(part) {
  return make("section", { class: "part" }, make("h3", {}, part.title), (part.lines || []).map((line) => make("p", {}, line)),
    part.facts ? make("dl", {}, part.facts.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])) : null);
}

unpack().then(() => {
  document.body.append(make("header", {}, make("h1", {}, page.title), navigation), content);
  addEventListener("hashchange", draw);
  draw();
});

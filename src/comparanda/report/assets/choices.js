// What a view is about: a pair of systems, or one system. Few choices are links, many are lists to select from.

const FEW_CHOICES = 6;
const ASPECTS = ["base", "new", "system"];

/**
 * The choice that an address asks for.
 * @returns {{choice: any, reversed: boolean}} the choice is null where the page has none like it; `reversed` where it
 *   has the pair the other way round
 */
function findChoice(view, given) {
  const choices = view.choices ?? [];
  const aspects = ASPECTS.filter((aspect) => choices.some((each) => each[aspect] !== undefined));
  const fits = (asked) => (each) => aspects.every((aspect) => asked[aspect] === undefined || each[aspect] === asked[aspect]);
  const usual = choices[view.chosen ?? 0];
  if (usual && fits(given)(usual)) return { choice: usual, reversed: false };
  const found = choices.find(fits(given));
  if (found) return { choice: found, reversed: false };
  const turned = given.base !== undefined && given.new !== undefined ? choices.find(fits({ base: given.new, new: given.base })) : null;
  return { choice: turned ?? null, reversed: Boolean(turned) };
}

function choiceAddress(view, choice) {
  return addressOf(view.name, { base: choice.base, new: choice.new, system: choice.system });
}

/** The choice before or after the one that is shown; from the last to the first. */
function neighbourChoice(view, choice, step) {
  const choices = view.choices ?? [];
  return choices.at((choices.indexOf(choice) + step) % choices.length);
}

function drawChoices(view, choice) {
  const choices = view.choices ?? [];
  if (choices.length < 2) return null;
  const paired = choices[0].base !== undefined;
  const few = choices.length <= FEW_CHOICES && !(paired && page.served);  // a server makes any pair
  const inner = few ? choiceLinks(view, choice) : paired ? pairSelects(view, choice) : systemSelect(view, choice);
  return make("nav", { class: "choices toolbar", "aria-label": paired ? "Pairs" : "Systems" }, inner);
}

function choiceLinks(view, choice) {
  return view.choices.map((each) =>
    make("a", { href: choiceAddress(view, each), "aria-current": each === choice ? "true" : null }, make("bdi", {}, each.title)));
}

function systemSelect(view, choice) {
  const names = view.choices.map((each) => each.system);
  return select("System", "choose-system", names, choice?.system, (system) => addressOf(view.name, { system }));
}

function pairSelects(view, choice) {
  const held = new Set(view.choices.flatMap((each) => [each.base, each.new]));
  const names = page.served ? Object.keys(page.systems) : [...held];
  const { base, new: other } = choice ?? readAddress().given;
  // whoever selects the other one of the pair wants them the other way round
  const asBase = (name) => addressOf(view.name, { base: name, new: name === other ? base : other });
  const asNew = (name) => addressOf(view.name, { base: name === base ? other : base, new: name });
  const turned = addressOf(view.name, { base: other, new: base });
  const canTurn = page.served || view.choices.some((each) => each.base === other && each.new === base);
  return [
    select("Base", "choose-base", names, base, asBase),
    canTurn ? make("a", { class: "button", href: turned, "aria-label": "⇄ swap base and new" }, "⇄") : "→",
    select("New", "choose-new", names, other, asNew)];
}

function select(label, id, names, chosen, address) {
  const options = names.map((name) => make("option", { value: name, selected: name === chosen }, visible(name)));
  if (!names.includes(chosen)) options.unshift(make("option", { value: "", selected: true, disabled: true }, "choose …"));
  return make("label", {}, label + " ",
    make("select", { id, onchange: (event) => { location.hash = address(event.target.value); } }, options));
}

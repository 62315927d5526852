// The list behind a number: what it counts, filters, and the examples, some at a time.

const ITEMS_AT_ONCE = 25;
const MOST_RETURNED = 200;  // who comes back finds as many drawn as before, but no more than this
const MOST_OPTIONS = 200;
const TYPING_MILLISECONDS = 150;
const CLASS_WORDS = { correction: "correction", new_error: "new error", changed_error: "changed error", same_right: "same right", same_error: "same error" };
const FILTER_WORDS = { label: "Label", class: "Class", pattern: "Who is right", slice: "Slice" };

const drawnItems = new Map();

function drawItems(given) {
  const list = findList(given);
  return list ? new ItemsView(list, given).elements() : drawNoList(given);
}

function drawNoList(given) {
  const title = make("h2", {}, "No such list on this page");
  if (!given.where) return [title, make("p", {}, "The address names no condition. ", overviewLink())];
  const asked = make("p", {}, "It contains the lists of its own numbers, and none of them counts what matches ", make("code", { dir: "auto" }, visible(given.where)), ". ", overviewLink());
  return [title, asked, drawCommand(given, true)];
}

/** How to get the same examples in a terminal, to be copied. */
function drawCommand(list, open = false) {
  const text = commandOf(list);
  const shown = make("code", { class: "command" }, text);
  const copy = make("button", { type: "button", class: "quiet", onclick: () => copyText(text, shown) }, "Copy");
  return make("details", { class: "part in-terminal", open }, make("summary", {}, "In a terminal"),
    make("p", { class: "toolbar" }, shown, copy),
    make("p", { class: "note" }, "RESULT stands for a result folder, or for the files and options that this report was made from."));
}

function commandOf({ where, base, new: other, view }) {
  const options = Object.entries({ view, base, new: other, where }).filter(([, value]) => value).map(([name, value]) => "--" + name + " " + shellWord(value));
  return ["comparanda examples RESULT", ...options, "--top 0"].join(" ");
}

/** Quote a text for a shell, so that what cannot be seen is written out. */
function shellWord(text) {
  if (/^[\w@%+:,./-]+$/u.test(text) && visible(text) === text) return text;
  if (visible(text) === text) return "'" + text.replaceAll("'", "'\\''") + "'";
  return "$'" + visible(text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")) + "'";
}

async function copyText(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    announce("Copied");
  } catch {
    getSelection().selectAllChildren(element);
    announce("Selected: copy it by hand");
  }
}

/** The examples of one list, as the address filters them. */
class ItemsView {
  constructor(list, given) {
    this.list = list;
    this.given = given;
    this.filters = Object.fromEntries(FILTERS.map((name) => [name, given[name] ?? ""]));
    this.asked = 0;  // answers to older questions are not drawn
    this.title = make("h2", {}, this.titleText(list.count, list.cards?.length ?? list.count));
    this.sample = make("p", { class: "part note", hidden: true });
    this.bar = make("div", { class: "part toolbar filters", role: "search" }, this.searchBox());
    this.matches = make("p", { class: "matches", hidden: true });
    this.notice = make("div", { class: "part", hidden: true });
    this.before = make("button", { class: "more", type: "button", hidden: true, onclick: () => this.grow(false) });
    this.body = make("div", { class: "items" });
    this.body.addEventListener("stepend", (event) => this.stepOn(event));
    this.body.addEventListener("focusin", (event) => this.remember(event.target.closest("[data-step]")));
    this.more = make("button", { class: "more", type: "button", hidden: true, onclick: () => this.grow(true) });
    this.endInSight = new IntersectionObserver((seen) => { if (seen.some((each) => each.isIntersecting) && !this.more.hidden) this.grow(true, { focus: false }); }, { rootMargin: "400px" });
    whileShown().addEventListener("abort", () => this.endInSight.disconnect());
    if (!page.served) this.drawBar(choicesOf(list, entriesOf(list)));
    whenDrawn(this.begin());
  }

  elements() {
    const { list } = this;
    const about = make("p", { class: "part about" }, list.words ? [make("bdi", {}, list.words), " "] : null, make("code", { dir: "auto" }, visible(list.where)));
    return [this.title, about, this.sample, this.bar, this.matches, this.notice, make("section", { class: "part", "aria-label": "Examples" }, this.before, this.body, this.more), drawCommand(list)];
  }

  titleText(count, held) {
    if (count === undefined) return "Examples";
    const noun = count === 1 ? (this.list.of ?? "sites").replace(/s$/u, "") : this.list.of ?? "sites";
    return (held < count ? inWords(held) + " of " : "") + inWords(count) + " " + noun;
  }

  /** Say why not all is shown that the number counts: the page holds a sample, or the result only counts the rest. */
  tellSample(count, folded) {
    const shown = inWords(count - folded);
    const said = [];
    if (!page.served && this.list.cards.length < count - folded) said.push("A sample, chosen by a hash of document and place (seed " + page.seed + "). “comparanda serve” shows " + (folded ? shown : "all " + shown) + ".");
    if (folded) said.push("Sites that all systems have right are only counted in this result, except for some of each label.");
    this.sample.textContent = said.join(" ");
    this.sample.hidden = !said.length;
  }

  // Asking, and drawing what comes.

  /** Draw the entries that the address asks for: those around `at`, those that were drawn before, or the first ones. */
  async begin() {
    const at = Number.parseInt(this.given.at ?? "", 10);
    const known = drawnItems.get(this.subject());
    const first = Math.floor((at > 0 ? at : 0) / ITEMS_AT_ONCE) * ITEMS_AT_ONCE;
    const again = known && first >= known[0] && first < Math.min(known[1], known[0] + MOST_RETURNED);
    const [from, to] = again ? known : [first, first + ITEMS_AT_ONCE];
    await this.ask(from, Math.min(to, from + MOST_RETURNED));
    if (at >= 0) this.cardAt(at)?.focus();
    if (!this.choices && this.total !== undefined) this.drawBar((await loadItems(this.list, this.filters, 0, 1)).choices);  // a server tells them with the first entry
  }

  /** What is shown, whatever has the focus. */
  subject() {
    return addressOf("items", { ...this.given, ...this.filters, at: null });
  }

  async ask(from, to) {
    const question = ++this.asked;
    this.body.setAttribute("aria-busy", "true");
    let answer;
    try {
      answer = await loadItems(this.list, this.filters, from, to - from);
    } catch (error) {
      if (question === this.asked) this.refuse(error);
      return;
    }
    if (question !== this.asked) return;
    if (from >= answer.total && answer.total) {  // an address from another page may point behind the end
      const last = Math.floor((answer.total - 1) / ITEMS_AT_ONCE) * ITEMS_AT_ONCE;
      return this.ask(last, last + ITEMS_AT_ONCE);
    }
    this.take(answer, from);
    replaceAll(this.body, answer.entries.map((entry, place) => this.drawEntry(entry, from + place)));
    this.from = from;
    this.to = from + answer.entries.length;
    this.tellEnds();
  }

  take(answer, from) {
    this.list.of ??= answer.of;
    this.total = answer.total;
    this.body.removeAttribute("aria-busy");
    this.body.dataset.total = answer.total;
    this.body.dataset.count = answer.count;
    const folded = answer.folded ?? 0;
    this.title.textContent = this.titleText(answer.count, page.served ? answer.count - folded : answer.held);
    this.tellSample(answer.count, folded);
    if (answer.choices && answer.choices !== this.choices) this.drawBar(answer.choices);
    this.bar.hidden = !answer.count;
    this.tellMatches(answer, from);
  }

  refuse(error) {
    this.body.removeAttribute("aria-busy");
    this.tell(make("p", { class: "notice", role: "alert" }, error.message));
  }

  tell(...said) {
    replaceAll(this.notice, said);
    this.notice.hidden = !said.some(Boolean);
  }

  tellMatches(answer, from) {
    const filtered = FILTERS.some((name) => this.filters[name]);
    const said = answer.total || !filtered ? inWords(answer.total) + " of " + inWords(answer.held) + (answer.total === 1 ? " matches" : " match") : "None of " + inWords(answer.held) + " matches";
    replaceAll(this.matches, filtered ? said + " " : null, filtered ? make("a", { href: addressOf("items", { ...this.given, ...emptyFilters(), at: null }) }, "clear filters") : null);
    this.matches.hidden = !filtered;
    if (from === 0 || filtered) announce(filtered ? said : this.title.textContent);
    const searchOn = make("button", { type: "button", onclick: () => this.ask(this.from, this.to) }, "Continue searching");
    if (answer.complete === false) this.tell(make("p", { class: "notice" }, "So far " + inWords(answer.held) + " of " + inWords(answer.count - (answer.folded ?? 0)) + " were searched. ", searchOn));
    else if (!answer.count) this.tell(make("p", {}, "The list is empty: nothing matches this condition."));
    else this.tell();
  }

  drawEntry(entry, number) {
    const card = drawCard(entry.card, this.given);
    card.dataset.at = number;
    if (entry.runs) card.querySelector("header").prepend(make("strong", {}, entry.runs.flatMap((run, place) => [place ? " → " : null, make("bdi", {}, visible(page.runs[run]))])));
    return card;
  }

  cardAt(number) {
    return /** @type {HTMLElement | null} */ (this.body.querySelector(`[data-at="${number}"]`));
  }

  // More of them, before and behind.

  tellEnds() {
    const { from, to, total } = this;
    drawnItems.set(this.subject(), [from, to]);
    this.before.hidden = from === 0;
    this.before.textContent = "Show " + Math.min(from, ITEMS_AT_ONCE) + " before these";
    this.more.hidden = to >= total;
    this.more.textContent = "Show " + Math.min(total - to, ITEMS_AT_ONCE) + " more (" + inWords(to) + " of " + inWords(total) + " are drawn)";
    this.endInSight.disconnect();
    if (!this.more.hidden) this.endInSight.observe(this.more);
  }

  /** Draw the next or the previous ones; the first that comes has the focus then. */
  async grow(forward, { focus = true } = {}) {
    const begin = forward ? this.to : Math.max(0, this.from - ITEMS_AT_ONCE);
    const end = forward ? Math.min(this.to + ITEMS_AT_ONCE, this.total) : this.from;
    if (this.growing || begin >= end) return;
    this.growing = true;
    try {
      const { entries } = await loadItems(this.list, this.filters, begin, end - begin);
      const cards = entries.map((entry, place) => this.drawEntry(entry, begin + place));
      if (forward) this.body.append(...cards);
      else this.body.prepend(...cards);
      this.from = Math.min(this.from, begin);
      this.to = Math.max(this.to, begin + entries.length);
      this.tellEnds();
      if (focus) (forward ? cards[0] : cards.at(-1))?.focus();
    } catch (error) {
      this.refuse(error);
    } finally {
      this.growing = false;
    }
  }

  stepOn(event) {
    if (event.detail.forward ? this.more.hidden : this.before.hidden) return;
    event.preventDefault();
    this.grow(event.detail.forward);
  }

  remember(card) {
    if (!card) return;
    this.given = { ...this.given, at: card.dataset.at };
    replaceAddress("items", this.given);
  }

  // Filters.

  searchBox() {
    return make("input", {
      type: "search", id: "items-text", "data-search": true, value: this.filters.text, placeholder: "Search these examples", "aria-label": "Search these examples",
      oninput: (event) => this.type(event.target.value),
    });
  }

  drawBar(choices = {}) {
    this.choices = choices;
    for (const name of FILTERS.slice(0, -1)) this.drawFilter(name, choices[name] ?? []);
  }

  /** A list to select from, where there is something to select. */
  drawFilter(name, values) {
    const id = "items-" + name;
    const wished = this.filters[name];
    const old = this.bar.querySelector("#" + id)?.closest("label");
    if (values.length < 2 && !wished) return old?.remove();
    const options = name === "slice" ? this.grouped(values) : this.options(name, values);
    if (wished && !options.some((option) => option.matches("[selected]") || option.querySelector("[selected]"))) options.push(this.option(name, wished, 0));
    const select = make("select", { id, onchange: (event) => this.wish({ [name]: event.target.value }) }, make("option", { value: "" }, "all"), options);
    const label = make("label", {}, (name === "pattern" && page.reference ? "Who agrees" : FILTER_WORDS[name]) + " ", select);
    const focused = document.activeElement?.id === id;
    if (old) old.replaceWith(label);
    else this.bar.append(label);
    if (focused) select.focus();
  }

  options(name, values) {
    const shown = values.filter(([value], place) => place < MOST_OPTIONS || value === this.filters[name]);
    const left = values.length - shown.length;
    return [...shown.map(([value, count]) => this.option(name, value, count)), ...(left ? [make("option", { disabled: true }, "and " + inWords(left) + " rarer ones")] : [])];
  }

  /** Slices by the attribute that makes them. */
  grouped(values) {
    const groups = (page.attributes ?? []).map((name) => [name, values.filter(([value]) => value.startsWith(name + "="))]);
    return groups.filter(([, slices]) => slices.length > 1).map(([name, slices]) => make("optgroup", { label: name }, this.options("slice", slices)));
  }

  option(name, value, count) {
    const words = name === "class" ? classWords(value, this.list) : name === "pattern" ? patternWords(value) : visible(value) || "(empty)";
    return make("option", { value, selected: value === this.filters[name] }, words + " (" + inWords(count) + ")");
  }

  /** What is selected is a step in the history. */
  wish(filters) {
    location.hash = addressOf("items", { ...this.given, ...this.filters, ...filters, at: null });
  }

  /** What is typed is not. */
  type(text) {
    this.filters.text = text;
    this.given = { ...this.given, text, at: null };
    replaceAddress("items", this.given);
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.ask(0, ITEMS_AT_ONCE), TYPING_MILLISECONDS);
  }
}

function emptyFilters() {
  return Object.fromEntries(FILTERS.map((name) => [name, null]));
}

function inWords(number) {
  return number.toLocaleString("en");
}

/** Without a key nobody corrects anything: then it is said who agrees with the output that stands in its place. */
function classWords(name, { base, new: other }) {
  if (!page.reference) return CLASS_WORDS[name] ?? visible(name);
  const [one, two] = [base, other].map((system) => visible(system ?? ""));
  return { correction: "only " + two + " agrees", new_error: "only " + one + " agrees", same_right: "both agree", same_error: "neither agrees, the same", changed_error: "neither agrees, different" }[name] ?? visible(name);
}

/** "●○● (crf, bert)": the names of those that are right, or how many there are. */
function patternWords(pattern) {
  const right = page.runs.filter((_, run) => [...pattern][run] === "●").map(visible);
  const names = right.length > 3 ? right.length + " of " + page.runs.length : right.join(", ") || "none";
  return pattern + " " + names;
}

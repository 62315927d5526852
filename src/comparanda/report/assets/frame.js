// What stands around every view: title, navigation, theme, footer.

const content = document.getElementById("content");
const navigation = document.getElementById("views");

function drawFrame() {
  document.getElementById("title").title = page.title;  // it may be cut
  const version = document.querySelector("meta[name=generator]").content;
  const reach = page.served ? "It requests examples from this machine, and nothing else." : "It needs no network and makes no requests.";
  replaceAll(document.getElementById("footer"),
    make("p", {}, "This page contains ", page.embedded, ". ", reach, " Made by ", version, "."),
    make("p", {}, make("span", { class: "faint" }, "How the numbers were made: "), make("code", { dir: "auto" }, page.signature)));
  document.getElementById("help-button").addEventListener("click", showHelp);
  document.getElementById("skip").addEventListener("click", skip);
}

function drawNavigation(current) {
  replaceAll(navigation, page.views.map((view) =>
    make("a", { href: addressOf(view.name), "aria-current": view.name === current ? "page" : null }, view.title)));
}

/** The address is taken by the state of the page, so the link to the content is followed here. */
function skip(event) {
  event.preventDefault();
  content.focus();
}

/** The theme is drawn before the data is unpacked: no flash. */
function followTheme() {
  const choice = /** @type {HTMLSelectElement} */ (document.getElementById("theme"));
  const known = [...choice.options].map((option) => option.value);
  const wished = remembered("theme");
  choice.value = known.includes(wished) ? wished : "auto";
  const apply = () => { document.documentElement.dataset.theme = choice.value; };
  choice.addEventListener("change", () => { apply(); remember("theme", choice.value); });
  apply();
}

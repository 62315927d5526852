// The list behind a number.

function drawItems(given) {
  const list = findList(given);
  if (!list) return make("section", { class: "part" }, make("h2", {}, "No such list"), make("p", {}, "This page holds no list for this condition. Run: comparanda examples --where …"));
  const shown = list.cards.length === list.count ? list.count.toLocaleString("en") : list.cards.length.toLocaleString("en") + " of " + list.count.toLocaleString("en");
  return make("section", { class: "part items" },
    make("h2", {}, shown + " " + list.of),
    make("p", { class: "where" }, make("code", {}, list.where)),
    list.cards.map((number) => drawCard(page.cards[number])));
}

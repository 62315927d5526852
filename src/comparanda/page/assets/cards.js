// One example: its sentence, what the key says, and a line for each system.

function drawCard(card) {
  return make("article", { class: "card", tabindex: "-1" },
    make("header", {}, make("bdi", {}, card.document), " ", make("span", { class: "place" }, card.place || "")),
    make("p", { class: "sentence", dir: "auto" }, make("bdi", {}, card.before), " ", make("mark", {}, make("bdi", {}, card.word)), " ", make("bdi", {}, card.after)),
    make("ul", { class: "sides" }, card.sides.map((side) =>
      make("li", {}, make("span", { class: "side" }, side.name), " ", make("bdi", {}, side.value), side.right === undefined ? null : side.right ? " ✓" : " ✗"))));
}

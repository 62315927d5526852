// The data of the page: unpacked once; lists are found by the condition that stands in the address.

let page;
const listNumbers = new Map();

async function unpack() {
  const packed = document.getElementById("data").textContent;
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  page = await new Response(stream).json();
  page.lists.forEach((list, number) => listNumbers.set(listKey(list), number));
}

function listKey(given) {
  return JSON.stringify([given.where, given.base ?? null, given.new ?? null, given.view ?? null]);
}

function listAddress(number) {
  const list = page.lists[number];
  return addressOf("items", { where: list.where, base: list.base, new: list.new, view: list.view });
}

function findList(given) {
  const number = listNumbers.get(listKey(given));
  return number === undefined ? null : page.lists[number];
}

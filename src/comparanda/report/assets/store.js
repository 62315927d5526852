// The data of the page: unpacked once; lists are found by the condition that stands in the address.

let page;
const listNumbers = new Map();

async function unpack() {
  const packed = bytesOf(document.getElementById("data").textContent);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  page = await new Response(stream).json();
  page.lists.forEach((list, number) => listNumbers.set(listKey(list), number));
}

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let place = 0; place < letters.length; place++) bytes[place] = letters.charCodeAt(place);
  return bytes;
}

function listKey(given) {
  return JSON.stringify([given.where, given.base ?? null, given.new ?? null, given.view ?? null]);
}

function listAddress(number) {
  const list = page.lists[number];
  return addressOf("items", { where: list.where, base: list.base, new: list.new, view: list.view });
}

/** The list that an address asks for; a server knows every condition, a page only its own. */
function findList(given) {
  const number = listNumbers.get(listKey(given));
  if (number !== undefined) return page.lists[number];
  return page.served && given.where ? { where: given.where, base: given.base, new: given.new, view: given.view } : null;
}

/** @returns {number} the number of a list that came later */
function addList(list) {
  const key = listKey(list);
  if (!listNumbers.has(key)) listNumbers.set(key, page.lists.push(list) - 1);
  return listNumbers.get(key);
}

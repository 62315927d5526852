// A server that is asked for what the page does not hold. The token stands in the query of the address, so that it
// survives reloads and is in no link; requests carry it in a header.

const SERVER_PATIENCE = 120_000;
const SERVER_GONE = "The server no longer responds. Start it again with “comparanda serve”, and open the address that it prints.";

async function askServer(path, given) {
  const known = Object.entries(given).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const request = { headers: { "X-Comparanda-Token": token }, credentials: "omit", redirect: "error", signal: AbortSignal.timeout(SERVER_PATIENCE) };
  let answer, said;
  try {
    answer = await fetch(path + "?" + new URLSearchParams(known), request);
    said = await answer.json();
  } catch {
    throw new Error(SERVER_GONE);
  }
  if (!answer.ok) throw new Error("The server cannot answer this: " + said.error + ".");
  return said;
}

/**
 * Some entries of a list, in the shape of `loadItems`.
 * @param {{where: string, base?: string, new?: string, view?: string}} list
 * @param {{label?: string, class?: string, pattern?: string, slice?: string, text?: string}} filters
 */
function fetchItems(list, filters, offset, limit) {
  const { where, base, new: other, view } = list;
  const { label, class: kind, pattern, slice, text } = filters;
  return askServer("/api/items", { where, base, new: other, view, label, class: kind, pattern, slice, text, offset, limit });
}

/** What is shown of a pair that the page does not hold; the lists behind its numbers become lists of the page. */
async function fetchPair(base, other) {
  const { choice, lists } = await askServer("/api/pair", { base, new: other });
  const numbers = lists.map(addList);
  const numbered = (cell) => cell.list === undefined ? cell : { ...cell, list: numbers[cell.list] };
  const parts = choice.parts.map((part) => part.part === "table" ? { ...part, rows: part.rows.map((row) => row.map(numbered)) } : part);
  return { ...choice, parts };
}

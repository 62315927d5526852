// The address holds the state: "#/pair?base=a&new=b". Back, forward and sharing come with it.

/** @returns {{view: string, given: Record<string, string>}} */
function readAddress(hash = location.hash) {
  const [, path, query] = /^#?\/?([^?]*)\??(.*)$/su.exec(hash);
  return { view: path || "overview", given: Object.fromEntries(new URLSearchParams(query)) };
}

function addressOf(view, given = {}) {
  const kept = Object.entries(given).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(kept).toString();
  return "#/" + view + (query ? "?" + query : "");
}

/** What a view is about, whichever of its parts the address points to. */
function subjectOf({ view, given }) {
  return addressOf(view, { ...given, part: null });
}

/** Change the address and nothing else: no redrawing, no step in the history. */
function replaceAddress(view, given) {
  history.replaceState(history.state, "", addressOf(view, given));
}

// The address holds the state: "#/pair?base=a&new=b". Back, forward and sharing come with it.

function readAddress() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return { view: path || "overview", given: Object.fromEntries(new URLSearchParams(query || "")) };
}

function addressOf(view, given = {}) {
  const kept = Object.entries(given).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(kept).toString();
  return "#/" + view + (query ? "?" + query : "");
}

// Rows in the order of a column, by what its cells say.

const collator = new Intl.Collator("en", { numeric: true });
const NUMBER = /^[<[]?\s*([+\-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?|[+\-−]?inf)/iu;

/**
 * The number that a cell shows: "1,234", "94.89***", "+1.20", "[90.00, 95.00]" by its begin, "<0.001" below 0.001.
 * @param {string} text
 * @returns {number | null} null for "n/a" and whatever else is no number
 */
function shownNumber(text) {
  const found = NUMBER.exec(text);
  if (!found) return null;
  const value = Number(found[1].replaceAll(",", "").replace("−", "-").replace(/inf/iu, "Infinity"));
  return text.startsWith("<") ? value - Math.abs(value) * 1e-6 : value;
}

/**
 * @template Row
 * @param {Row[]} rows
 * @param {boolean} numeric whether the column holds numbers
 * @param {boolean} descending
 * @param {(row: Row) => string} read the text of its cell
 * @returns {Row[]}
 */
function ordered(rows, numeric, descending, read) {
  const keyed = rows.map((row) => ({ row, key: numeric ? shownNumber(read(row)) : read(row) || null }));
  const sign = descending ? -1 : 1;
  const compare = numeric ? (a, b) => (a < b ? -1 : a > b ? 1 : 0) : collator.compare;
  keyed.sort(({ key: a }, { key: b }) => {
    if (a === null || b === null) return (a === null) - (b === null);  // what has no value is last, up and down
    return sign * compare(a, b);
  });
  return keyed.map(({ row }) => row);
}

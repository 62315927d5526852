// Print the entities that compromise finds in each of the texts on standard input; called by recognise_demo.py.
const nlp = require("compromise");
nlp.plugin(require("compromise-dates"));

const KINDS = ["people", "places", "organizations", "dates"];

function entities(text) {
  const doc = nlp(text);
  return KINDS.flatMap((kind) =>
    doc[kind]().json({ offset: true }).map(({ terms }) => ({
      kind,
      starts: terms.map(({ offset }) => offset.start),
      ends: terms.map(({ offset }) => offset.start + offset.length),
      tags: terms.map(({ tags }) => tags),
    })),
  );
}

const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map(entities)));

// Print the pronouns of each of the texts on standard input and what compromise says they refer to; called by
// resolve_demo.py.
const nlp = require("compromise");

function place(view) {
  const terms = view.json({ offset: true })[0].terms;
  const last = terms[terms.length - 1].offset;
  return [terms[0].offset.start, last.start + last.length];
}

function links(text) {
  const found = [];
  nlp(text)
    .pronouns()
    .forEach((pronoun) => {
      const reference = pronoun.pronouns().refersTo();
      if (reference.found) found.push([place(pronoun), place(reference)]);
    });
  return found;
}

const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map(links)));

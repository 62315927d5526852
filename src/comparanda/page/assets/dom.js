// Elements made of names, attributes and children. Texts become text nodes: nothing in a corpus can become markup.

/**
 * @param {string} name
 * @param {Record<string, any>} [attributes] `on…` are listeners; null and false are left out
 * @param {...any} children texts, numbers, elements, lists of these; null is nothing
 */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  fill(element, children);
  return element;
}

function fill(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

function replaceAll(element, ...children) {
  element.replaceChildren();
  fill(element, children);
}

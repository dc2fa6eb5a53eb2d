// Makes elements by calls, never from HTML, so that text is never read as markup.

export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

const SVG = "http://www.w3.org/2000/svg";

export function drawn(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

export function icon(name) {
  return drawn("svg", { "aria-hidden": "true" }, drawn("use", { href: `#i-${name}` }));
}

export function byId(id) {
  return document.getElementById(id);
}

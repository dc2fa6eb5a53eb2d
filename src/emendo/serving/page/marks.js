// The marks under the text: a copy of it behind the text area, with only the underlines visible.
// The copy is in the flow and gives the height; the text area lies over it and never scrolls.

import { element } from "./elements.js";
import { familyOf, strengthOf } from "./kinds.js";

export class Marks {
  #mirror;
  #lines = [];
  #markOf = new Map();

  constructor(mirror) {
    this.#mirror = mirror;
  }

  // Redraw the lines that differ.
  render(text, edits, active) {
    const lines = split(text, edits, active);
    const old = this.#lines;
    const shorter = Math.min(lines.length, old.length);
    let head = 0;
    while (head < shorter && lines[head].signature === old[head].signature) head += 1;
    let tail = 0;
    while (tail < shorter - head && lines.at(-1 - tail).signature === old.at(-1 - tail).signature) {
      tail += 1;
    }
    old.slice(head, old.length - tail).forEach((line) => line.element.remove());
    for (let k = 0; k < head; k += 1) lines[k].element = old[k].element;
    for (let k = 1; k <= tail; k += 1) lines.at(-k).element = old.at(-k).element;
    const fresh = lines.slice(head, lines.length - tail);
    for (const line of fresh) line.element = draw(line, active);
    const next = tail ? lines[lines.length - tail].element : null;
    const parts = document.createDocumentFragment();
    parts.append(...fresh.map((line) => line.element));
    this.#mirror.insertBefore(parts, next);
    this.#lines = lines;
    this.#markOf = new Map();
    for (const line of lines) {
      if (!line.edits.length) continue;
      const marks = line.element.querySelectorAll("mark");
      line.edits.forEach((edit, k) => this.#markOf.set(edit, marks[k]));
    }
  }

  // The edit whose mark lies under a point of the window.
  at(x, y) {
    for (const [edit, mark] of this.#markOf) {
      for (const box of mark.getClientRects()) {
        const slack = box.width < 8 ? 6 : 0;
        if (x >= box.left - slack && x <= box.right + slack && y >= box.top && y <= box.bottom) {
          return edit;
        }
      }
    }
    return null;
  }

  hover(edit) {
    for (const [other, mark] of this.#markOf) mark.classList.toggle("near", other === edit);
  }

  show(edit) {
    this.#markOf.get(edit)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

function split(text, edits, active) {
  const lines = [];
  let start = 0;
  let k = 0;
  for (const part of text.split("\n")) {
    const own = [];
    while (k < edits.length && edits[k].start <= start + part.length) {
      // An edit across the end of a line cannot be drawn; the server makes none.
      if (edits[k].end <= start + part.length) own.push(edits[k]);
      k += 1;
    }
    const drawn = own.map((edit) =>
      [edit.id, edit.start - start, edit.end - start, edit.confidence, edit.replacement, edit === active].join(),
    );
    lines.push({ start, text: part, edits: own, signature: [part, ...drawn].join("\u0000") });
    start += part.length + 1;
  }
  return lines;
}

function draw({ start, text, edits }, active) {
  const parts = [];
  let done = 0;
  for (const edit of edits) {
    const [from, to] = [edit.start - start, edit.end - start];
    const action = from === to ? "insert" : edit.replacement.trim() ? "replace" : "delete";
    parts.push(
      text.slice(done, from),
      element(
        "mark",
        {
          "data-family": familyOf(edit),
          "data-strength": strengthOf(edit),
          "data-action": action,
          class: edit === active ? "active" : null,
        },
        text.slice(from, to),
      ),
    );
    done = to;
  }
  parts.push(text.slice(done));
  // Gives an empty line the height of any other.
  return element("div", {}, ...(text ? parts : [...parts, document.createElement("br")]));
}

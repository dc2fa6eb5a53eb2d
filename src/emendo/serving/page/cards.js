// The list of suggestions. The open one shows the reason and the alternatives.

import { element, icon } from "./elements.js";
import { familyOf, percent } from "./kinds.js";

// The most cards in the list; further ones appear when these are accepted or rejected.
const MOST = 150;
const BEFORE = 14;
const AFTER = 24;
// Characters that fit on one line of a closed card; a longer text takes two lines.
const LINE = 32;
const LONGEST = 40;
const WORD = /^[\p{L}\p{M}\p{N}'’.-]{1,100}$/u;

export class Cards {
  #list;
  #actions;
  #shown = new Map();

  constructor(list, actions) {
    this.#list = list;
    this.#actions = actions;
  }

  render(text, edits, active) {
    const shown = new Map();
    let listed = edits.slice(0, MOST);
    if (active && !listed.includes(active)) listed = [...listed, active];
    const items = listed.map((edit) => {
      const around = surroundings(text, edit);
      const signature = JSON.stringify([edit, around, edit === active], (name, value) =>
        name === "start" || name === "end" ? undefined : value,
      );
      const old = this.#shown.get(edit.id);
      const item = old?.signature === signature ? old.item : this.#card(edit, around, edit === active);
      shown.set(edit.id, { signature, item });
      return item;
    });
    this.#shown = shown;
    // Move only the cards whose place changed, so that the focus stays.
    let next = this.#list.firstElementChild;
    for (const item of items) {
      if (item === next) next = next.nextElementSibling;
      else this.#list.insertBefore(item, next);
    }
    while (next) {
      const gone = next;
      next = next.nextElementSibling;
      gone.remove();
    }
  }

  show(edit, isFocused) {
    const item = this.#shown.get(edit.id)?.item;
    item?.scrollIntoView({ block: "nearest" });
    if (isFocused) item?.querySelector(".accept")?.focus({ preventScroll: true });
  }

  #card(edit, around, isOpen) {
    const id = `card-${edit.id}`;
    const row = element(
      "button",
      {
        type: "button",
        class: "row",
        "aria-expanded": String(isOpen),
        "aria-controls": isOpen ? id : null,
        "aria-label": describe(edit),
        onclick: () => this.#actions.open(isOpen ? null : edit),
      },
      element("span", { class: "spot" }),
      element("span", { class: "snippet" }, ...snippet(edit, around, isOpen)),
      element("span", { class: "sure" }, percent(edit.confidence)),
    );
    const item = element("li", { "data-family": familyOf(edit), class: isOpen ? "open" : null }, row);
    if (isOpen) item.append(this.#body(edit, id));
    return item;
  }

  #body(edit, id) {
    const bar = element("span", { class: "filled" });
    bar.style.width = percent(edit.confidence).replace(" ", "");
    const word = edit.original.trim();
    const others = edit.alternatives.map((other) =>
      element(
        "button",
        { type: "button", class: "other", onclick: () => this.#actions.accept(edit, other) },
        other.trim() || (edit.original ? "remove it" : "no change"),
      ),
    );
    return element(
      "div",
      { class: "body", id },
      element("p", { class: "message" }, edit.message),
      element(
        "p",
        { class: "kind" },
        element("span", { class: "type" }, edit.type),
        element("span", { class: "bar", "aria-hidden": "true" }, bar),
        element("span", {}, `${percent(edit.confidence)} sure`),
      ),
      ...(others.length
        ? [
            element(
              "div",
              { class: "others", role: "group", "aria-label": "Alternatives" },
              element("span", { class: "note" }, "Alternatives"),
              ...others,
            ),
          ]
        : []),
      element(
        "div",
        { class: "actions" },
        element(
          "button",
          { type: "button", class: "strong accept", onclick: () => this.#actions.accept(edit) },
          icon("check"),
          "Accept",
        ),
        element(
          "button",
          { type: "button", class: "quiet", onclick: () => this.#actions.reject(edit) },
          "Reject",
        ),
        ...(familyOf(edit) === "spelling" && WORD.test(word)
          ? [
              element(
                "button",
                {
                  type: "button",
                  class: "plain",
                  title: `Never edit “${word}” again`,
                  onclick: () => this.#actions.addWord(word),
                },
                "Add to dictionary",
              ),
            ]
          : []),
      ),
    );
  }
}

// What an edit does, in one line for screen readers.
export function describe(edit) {
  const [was, now] = [edit.original.trim(), edit.replacement.trim()];
  const what =
    was && now ? `replace “${was}” with “${now}”` : now ? `add “${now}”` : was ? `remove “${was}”` : "change the space";
  return `${edit.type}: ${what}, ${percent(edit.confidence)} sure`;
}

// The old text may be shortened; the replacement never is.
function snippet(edit, { before, after }, isOpen) {
  const parts = [before];
  const was = isOpen ? edit.original : shortened(edit.original);
  if (was) parts.push(element("del", {}, visible(was, !edit.replacement)));
  if (was.trim() && edit.replacement.trim()) parts.push(" ");
  if (edit.replacement) parts.push(element("ins", {}, visible(edit.replacement, !edit.original)));
  return [...parts, after];
}

function shortened(text) {
  const half = Math.floor(LONGEST / 2);
  return text.length > LONGEST ? `${text.slice(0, half)}…${text.slice(-half)}` : text;
}

// A space alone would be invisible.
function visible(text, isAlone) {
  return text.trim() || !isAlone ? text : text.replace(/\s/g, "␣");
}

// A few whole words on both sides, from the same line.
function surroundings(text, edit) {
  const before = text.slice(Math.max(0, edit.start - BEFORE), edit.start).split("\n").at(-1);
  const room = LINE - before.length - edit.original.length - edit.replacement.length;
  const most = Math.min(AFTER, Math.max(0, room));
  const after = text.slice(edit.end, edit.end + most).split("\n")[0];
  const isCutBefore = before.length === BEFORE;
  const isCutAfter = after.length === most;
  return {
    before: isCutBefore ? before.slice(before.indexOf(" ") + 1) : before,
    after: isCutAfter ? after.slice(0, Math.max(0, after.lastIndexOf(" "))) : after,
  };
}

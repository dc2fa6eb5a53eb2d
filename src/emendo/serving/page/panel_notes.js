// The notes in the panel: why there are no cards, and how many suggestions are hidden.

import { byId, element, icon } from "./elements.js";

// Show why there is no card; `state` is the state of the check.
export function showEmpty({ draft, state, isEmpty, hidden, languages }) {
  const parts = isEmpty ? reasons(draft, state, hidden, languages) : [];
  const words = parts.map((part) => part.textContent).join();
  const empty = byId("empty");
  if (empty.dataset.words === words) return;
  empty.dataset.words = words;
  empty.replaceChildren(...parts);
  empty.hidden = !parts.length;
}

function reasons(draft, state, hidden, languages) {
  if (!draft.text.trim()) return [element("p", {}, "Suggestions appear here as you write.")];
  if (state.name === "checking") return [element("p", {}, "Reading…")];
  if (state.name !== "done") return [element("p", {}, "Not checked yet.")];
  // No sentence of a text that was just pasted is known yet.
  if (!draft.sentences.length && !draft.isChecked) return [element("p", {}, "Reading…")];
  if (!draft.sentences.length && /\p{L}/u.test(draft.text)) {
    return [
      element("p", { class: "big" }, "Another language?"),
      element("p", {}, `This server checks ${named(languages)}. Text in other languages is not changed.`),
    ];
  }
  return [
    element("span", { class: "badge" }, icon("check")),
    element("p", { class: "big" }, "Nothing to correct"),
    element("p", {}, hidden ? "Suggestions with a lower confidence are hidden." : "Nothing was found at this level."),
  ];
}

function named(languages) {
  const names = new Intl.DisplayNames("en", { type: "language" });
  return new Intl.ListFormat("en").format(languages.map((code) => names.of(code)));
}

// Show how many suggestions are hidden, and offer to show them: [count, words, label, action].
export function showChips(chips) {
  const wanted = chips.filter(([count]) => count);
  const place = byId("chips");
  const words = wanted.map(([count, name]) => `${count} ${name}`);
  if (place.dataset.words === words.join()) return;
  place.dataset.words = words.join();
  place.replaceChildren(
    ...wanted.map(([, , label, action], k) =>
      element(
        "p",
        { class: "chip" },
        words[k],
        element("button", { type: "button", class: "plain", onclick: action }, label),
      ),
    ),
  );
}

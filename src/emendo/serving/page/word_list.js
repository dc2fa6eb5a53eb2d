// The user's own words in the help dialog, where they can be removed again.

import { byId, element, icon } from "./elements.js";

export function showWords(words, onRemove) {
  byId("words-part").hidden = !words.length;
  byId("words").replaceChildren(
    ...words.map((word) =>
      element(
        "li",
        {},
        word,
        element(
          "button",
          { type: "button", class: "icon", "aria-label": `Remove ${word}`, onclick: () => onRemove(word) },
          icon("close"),
        ),
      ),
    ),
  );
}

// Sixteen types of edits in four families, each with a colour and a line of its own.

export const FAMILIES = {
  spelling: "Spelling",
  grammar: "Grammar",
  wording: "Wording",
  marks: "Punctuation and capitals",
};

const FAMILY = {
  spelling: "spelling",
  casing: "marks",
  punctuation: "marks",
  spacing: "marks",
  "word choice": "wording",
  "confused word": "wording",
  "missing word": "wording",
  "extra word": "wording",
  other: "wording",
};

export function familyOf(edit) {
  return FAMILY[edit.type] ?? "grammar";
}

// From 1, hardly sure, to 4.
export function strengthOf(edit) {
  return edit.confidence >= 0.9 ? 4 : edit.confidence >= 0.7 ? 3 : edit.confidence >= 0.5 ? 2 : 1;
}

export function percent(probability) {
  // What is not certain is not called so.
  return `${Math.min(99, Math.round(100 * probability))} %`;
}

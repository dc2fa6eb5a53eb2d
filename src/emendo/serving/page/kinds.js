// Sixteen types of edits in four families, each with its own colour and underline.

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

// From 1, least certain, to 4.
export function strengthOf(edit) {
  return edit.confidence >= 0.9 ? 4 : edit.confidence >= 0.7 ? 3 : edit.confidence >= 0.5 ? 2 : 1;
}

export function percent(probability) {
  // No edit is certain, so 100 % is never shown.
  return `${Math.min(99, Math.round(100 * probability))} %`;
}

// The state of the check: a word at the top, and a banner if something is wrong.

import { byId } from "./elements.js";

const WORDS = {
  idle: "Ready",
  checking: "Checking",
  done: "Checked",
  offline: "No connection",
  failed: "Server error",
  busy: "Server is busy",
  refused: "Not checked",
  key: "Key needed",
};
const BANNERS = {
  offline: ({ wait }) => `The server does not answer. Your text is safe here; trying again in ${wait} s.`,
  failed: ({ wait }) => `The server could not check this text. Trying again in ${wait} s.`,
  busy: ({ wait }) => `The server is busy. Trying again in ${wait} s.`,
  refused: ({ message }) => `The server did not check all of this text: ${message}.`,
  key: () => "This server needs an API key.",
};

export function writeStatus(state) {
  byId("state").dataset.state = state.name;
  byId("state-text").textContent = WORDS[state.name];
  const text = BANNERS[state.name]?.(state) ?? "";
  byId("banner").hidden = !text;
  byId("banner-text").textContent = text;
  byId("banner-button").hidden = state.name === "refused";
  byId("banner-button").textContent = state.name === "key" ? "Enter it" : "Try now";
}

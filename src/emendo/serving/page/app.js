// The page: puts the text, its marks, the cards and the server together.

import { AlignmentPanel } from "./alignment_panel.js";
import { Cards, describe } from "./cards.js";
import { Checker } from "./checker.js";
import { offerLevels, savedThreshold, showThreshold } from "./dial.js";
import { Draft } from "./draft.js";
import { byId, element } from "./elements.js";
import { KeyDialog } from "./key_dialog.js";
import { FAMILIES } from "./kinds.js";
import { Marks } from "./marks.js";
import { showChips, showEmpty } from "./panel_notes.js";
import { Server } from "./server.js";
import { dictionary, load, save } from "./settings.js";
import { writeStatus } from "./status.js";
import { copyText, redo, replaceText, textArea, undo } from "./text_area.js";
import { showWords } from "./word_list.js";

const TYPING_PAUSE = 80;
// Milliseconds; longer than a click takes.
const LONGEST_PRESS = 1000;
const EXAMPLE =
  "Last summer I have visited my grandmother in a small village near the see. She live there since " +
  "forty years, and she know every people by name. Every morning we go market and bought fresh " +
  "bread, that was still warm.\n\nOne evening she told me an story about her youth. I was very very " +
  "suprised: she had been the first woman in village who learned to drive a bus! " +
  "I hope I can visits her again soon.";

const server = new Server();
const draft = new Draft();
const marks = new Marks(byId("mirror"));
const cards = new Cards(byId("cards"), {
  open,
  accept,
  reject,
  addWord,
});
const checker = new Checker({ server, draft, onNews: renderUnpressed, onState: showState });
const keyDialog = new KeyDialog(server, start);
const alignment = new AlignmentPanel(server, () => {
  const sentence = draft.sentenceAt(active?.start ?? textArea.selectionStart) ?? draft.sentences[0];
  return sentence ? draft.text.slice(sentence.start, sentence.end) : null;
});

let info = null;
let threshold = 0;
let visible = [];
let hidden = 0;
let active = null;
let state = { name: "idle" };
let shown = state;
let said = "";

// ---- the display

function render() {
  isLate = false;
  const { edits, rejected } = draft.open();
  visible = edits.filter((edit) => 100 * edit.confidence >= threshold);
  hidden = edits.length - visible.length;
  if (!visible.includes(active)) active = null;
  marks.render(draft.text, visible, active);
  cards.render(draft.text, visible, active);
  byId("panel").classList.toggle("has-open", active !== null);
  byId("panel-title").textContent =
    visible.length === 1 ? "1 suggestion" : visible.length ? `${visible.length} suggestions` : "Suggestions";
  byId("all").hidden = visible.length < 2;
  byId("previous-button").disabled = byId("next-button").disabled = !visible.length;
  byId("example-button").hidden = draft.text !== "";
  const words = draft.text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu)?.length ?? 0;
  byId("counts").textContent =
    `${words.toLocaleString("en")} ${words === 1 ? "word" : "words"} · ` +
    `${[...draft.text].length.toLocaleString("en")} characters`;
  explainEmpty();
  showChips([
    [hidden, "hidden by confidence", "Show", () => setThreshold(0)],
    [rejected, "rejected", "Restore", restoreRejected],
  ]);
  showHistory();
}

// A click is lost if cards appear or move during it, so rendering waits for the release.
let pressTimer = 0;
let isLate = false;

function press() {
  clearTimeout(pressTimer);
  pressTimer = setTimeout(release, LONGEST_PRESS);
}

function release() {
  clearTimeout(pressTimer);
  pressTimer = 0;
  if (isLate) render();
}

function renderUnpressed() {
  if (pressTimer) isLate = true;
  else render();
}

function explainEmpty() {
  const languages = info?.languages ?? [];
  showEmpty({ draft, state: shown, isEmpty: !visible.length, hidden, languages });
}

function showHistory() {
  // Firefox answers for the focused element alone. Each change has the focus in the text area.
  if (document.activeElement !== textArea) return;
  for (const name of ["undo", "redo"]) byId(`${name}-button`).disabled = !document.queryCommandEnabled(name);
}

let stateTimer = 0;

function showState(next) {
  const before = state;
  state = next;
  clearTimeout(stateTimer);
  // Most answers come before anybody can read “Checking”.
  const wait = next.name === "checking" && before.name !== "idle" ? 250 : 0;
  if (wait) stateTimer = setTimeout(() => writeState(next), wait);
  else writeState(next);
  if (next.name === "key") keyDialog.open({ isWrong: server.hasKey });
  if (next.name === "done") announce();
}

function writeState(next) {
  shown = next;
  explainEmpty();
  writeStatus(next);
}

function announce() {
  const count = visible.length;
  const text = count === 1 ? "1 suggestion" : count ? `${count} suggestions` : "Nothing to correct";
  if (draft.text.trim() && text !== said) say(text);
  said = text;
}

function say(text) {
  byId("live").textContent = text;
}

// ---- edits

function open(edit, isFocused = false) {
  active = edit;
  render();
  if (edit) {
    const number = visible.indexOf(edit) + 1;
    say(`${number} of ${visible.length}. ${describe(edit)}. ${edit.message}`);
    marks.show(edit);
    cards.show(edit, isFocused);
  }
  alignment.refresh();
}

function step(direction) {
  if (!visible.length) {
    say("No suggestions");
    return;
  }
  const caret = textArea.selectionStart;
  let next;
  if (active) {
    next = (visible.indexOf(active) + direction + visible.length) % visible.length;
  } else if (direction > 0) {
    next = Math.max(0, visible.findIndex((edit) => edit.end >= caret));
  } else {
    next = visible.findLastIndex((edit) => edit.start <= caret);
    if (next < 0) next = visible.length - 1;
  }
  const edit = visible[next];
  if (document.activeElement === textArea) textArea.setSelectionRange(edit.end, edit.end);
  open(edit, isInCards());
}

function accept(edit, replacement = edit.replacement) {
  const wasInCards = isInCards();
  const place = edit.start + replacement.length;
  draft.forget([edit]);
  replaceText(edit.start, edit.end, replacement);
  say(`Accepted. ${left()}`);
  goOn(place, wasInCards);
}

function reject(edit) {
  const wasInCards = isInCards();
  const place = edit.end;
  draft.reject(edit);
  render();
  say(`Rejected. ${left()}`);
  goOn(place, wasInCards);
}

// Open the edit after one that was accepted or rejected.
function goOn(place, isFocused) {
  const next = visible.find((edit) => edit.start >= place) ?? visible[0] ?? null;
  active = next;
  render();
  if (next) {
    marks.show(next);
    cards.show(next, isFocused);
  } else if (isFocused) {
    byId("undo-button").focus();
  }
  alignment.refresh();
}

function left() {
  return visible.length ? `${visible.length} left.` : "None left.";
}

function isInCards() {
  return byId("cards").contains(document.activeElement);
}

function acceptAll() {
  if (!visible.length) return;
  const [start, end] = [visible[0].start, visible.at(-1).end];
  const count = visible.length;
  const wasInAll = isInAll();
  const behind = draft.text.length - end;
  let whole = draft.text;
  // One after the other, so that what was rejected between them stays rejected.
  for (const edit of [...visible].reverse()) {
    whole = whole.slice(0, edit.start) + edit.replacement + whole.slice(edit.end);
    draft.change(whole);
  }
  draft.forget(visible);
  replaceText(start, end, whole.slice(start, whole.length - behind));
  say(`${count} accepted.`);
  if (wasInAll) byId("undo-button").focus();
}

function rejectAll() {
  const count = visible.length;
  const wasInAll = isInAll();
  visible.forEach((edit) => draft.reject(edit));
  render();
  say(`${count} rejected.`);
  if (wasInAll) textArea.focus();
}

// Whether the focus is on a button that is hidden when nothing is left to accept.
function isInAll() {
  return byId("all").contains(document.activeElement);
}

function restoreRejected() {
  draft.restoreRejected();
  render();
}

function addWord(word) {
  dictionary.add(word);
  useDictionary();
  checkAgain();
  say(`“${word}” is in your dictionary.`);
}

function removeWord(word) {
  dictionary.remove(word);
  useDictionary();
  checkAgain();
}

function useDictionary() {
  checker.dictionary = dictionary.words();
  showWords(dictionary.words(), removeWord);
}

// Check the same text with other settings.
function checkAgain() {
  draft.askAgain();
  checker.poke();
}

// ---- the text

function read() {
  draft.change(textArea.value);
  render();
  checker.poke(TYPING_PAUSE);
}

async function copy() {
  const text = (await copyText()) ? "Copied" : "Not allowed";
  byId("copy-text").textContent = text;
  say(text);
  setTimeout(() => (byId("copy-text").textContent = "Copy"), 1500);
}

// ---- the dial

function setLevel(level) {
  checker.level = level;
  checkAgain();
}

function setThreshold(percent) {
  threshold = percent;
  showThreshold(percent);
  render();
}

// ---- the theme

const THEMES = ["system", "light", "dark"];

function setTheme(theme) {
  save("theme", theme === "system" ? null : theme);
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  byId("theme-button").setAttribute("aria-label", `Theme: ${theme}`);
  byId("theme-button").title = `Theme: ${theme}`;
}

function nextTheme() {
  const theme = THEMES[(THEMES.indexOf(load("theme") ?? "system") + 1) % THEMES.length];
  setTheme(theme);
  say(`Theme: ${theme}`);
}

// ---- the start

let startTimer = 0;

async function start() {
  clearTimeout(startTimer);
  byId("key-button").hidden = !server.hasKey;
  try {
    const found = await server.info();
    if (!info) {
      info = found;
      checker.limit = info.max_characters;
      checker.level = offerLevels(info, setLevel);
    }
    byId("version").textContent = `emendo ${info.version}`;
    checker.resume();
  } catch (error) {
    if (error.status === 401) {
      showState({ name: "key" });
      return;
    }
    showState({ name: error.status ? "failed" : "offline", wait: 2 });
    startTimer = setTimeout(start, 2000);
  }
}

function tryNow() {
  if (state.name === "key") keyDialog.open();
  else if (info) checker.poke();
  else start();
}

function onKey(event) {
  const isCommand = event.ctrlKey || event.metaKey;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "F8") {
    step(event.shiftKey ? -1 : 1);
  } else if (isCommand && event.key === "Enter") {
    const edit = active ?? atCaret();
    if (!edit) return;
    if (event.shiftKey) reject(edit);
    else accept(edit);
  } else if (isCommand && event.key === "/") {
    byId("help").showModal();
  } else if (event.key === "Escape" && active) {
    const wasInCards = isInCards();
    open(null);
    if (wasInCards) textArea.focus();
  } else {
    return;
  }
  event.preventDefault();
}

function atCaret() {
  const { selectionStart: from, selectionEnd: to } = textArea;
  return visible.find((edit) => edit.start <= from && to <= edit.end) ?? null;
}

textArea.addEventListener("input", () => {
  read();
  alignment.refresh(400);
});
textArea.addEventListener("click", () => {
  const edit = textArea.selectionStart === textArea.selectionEnd ? atCaret() : null;
  if (edit || active) open(edit);
  else alignment.refresh(100);
});
let hoverFrame = 0;
textArea.addEventListener("mousemove", (event) => {
  cancelAnimationFrame(hoverFrame);
  hoverFrame = requestAnimationFrame(() => marks.hover(marks.at(event.clientX, event.clientY)));
});
textArea.addEventListener("mouseleave", () => {
  cancelAnimationFrame(hoverFrame);
  marks.hover(null);
});
document.addEventListener("keydown", onKey);
byId("panel").addEventListener("pointerdown", press);
// The click follows in the same task.
for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, () => setTimeout(release));
const on = (id, action) => byId(id).addEventListener("click", action);
on("undo-button", undo);
on("redo-button", redo);
on("copy-button", copy);
on("align-button", () => alignment.toggle());
on("accept-all", acceptAll);
on("reject-all", rejectAll);
on("previous-button", () => step(-1));
on("next-button", () => step(1));
on("close-button", () => open(null));
on("example-button", () => replaceText(0, textArea.value.length, EXAMPLE));
on("theme-button", nextTheme);
on("help-button", () => byId("help").showModal());
on("banner-button", tryNow);
byId("threshold").addEventListener("input", (event) => setThreshold(Number(event.target.value)));
for (const dialog of document.querySelectorAll("dialog")) {
  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
}
window.addEventListener("online", () => (info ? checker.poke() : start()));
// A reload keeps the text, a closed tab does not.
window.addEventListener("pagehide", () => save("text", textArea.value || null, "session"));

byId("families").append(
  ...Object.entries(FAMILIES).map(([family, name]) =>
    element("li", {}, element("mark", { "data-family": family, "data-strength": "4" }, name)),
  ),
);
setTheme(load("theme") ?? "system");
useDictionary();
if (!textArea.value) textArea.value = load("text", "session") ?? "";
draft.change(textArea.value);
setThreshold(savedThreshold());
start();

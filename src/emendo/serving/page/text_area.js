// The text area as one changes it from outside: by the browser's own commands, so that its undo
// knows of every change.

import { byId } from "./elements.js";

export const textArea = byId("text");

// Change the text as if it had been typed; whoever listens to the text area hears of it.
export function replaceText(start, end, replacement) {
  inTextArea(() => {
    textArea.setSelectionRange(start, end);
    const isDone = replacement
      ? document.execCommand("insertText", false, replacement)
      : start === end || document.execCommand("delete");
    if (!isDone) {
      textArea.setRangeText(replacement, start, end, "end");
      textArea.dispatchEvent(new Event("input"));
    }
  });
}

export function undo() {
  inTextArea(() => document.execCommand("undo"));
}

export function redo() {
  inTextArea(() => document.execCommand("redo"));
}

// Put the whole text on the clipboard, and tell whether that was allowed.
export async function copyText() {
  try {
    await navigator.clipboard.writeText(textArea.value);
    return true;
  } catch {
    // Not a secure address, or not allowed: the old way.
    let isDone = false;
    inTextArea(() => {
      textArea.select();
      isDone = document.execCommand("copy");
    });
    return isDone;
  }
}

// Run a command, and give the focus back; a phone's keyboard stays away.
function inTextArea(command) {
  const before = document.activeElement;
  const { scrollTop } = byId("paper");
  const { scrollY } = window;
  textArea.inputMode = before === textArea ? "" : "none";
  textArea.focus({ preventScroll: true });
  command();
  if (before !== textArea) {
    textArea.blur();
    if (before?.isConnected && before !== document.body) before.focus({ preventScroll: true });
  }
  textArea.inputMode = "";
  byId("paper").scrollTop = scrollTop;
  window.scrollTo({ top: scrollY });
}

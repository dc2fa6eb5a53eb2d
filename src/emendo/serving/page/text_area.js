// Changes to the text area by the browser's own commands, so that its undo covers every
// change.

import { byId } from "./elements.js";

export const textArea = byId("text");

// Change the text as if it had been typed; listeners of the text area get an event.
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

// Put the whole text on the clipboard, and return whether that was allowed.
export async function copyText() {
  try {
    await navigator.clipboard.writeText(textArea.value);
    return true;
  } catch {
    // Not a secure address, or not allowed: use the older command.
    let isDone = false;
    inTextArea(() => {
      textArea.select();
      isDone = document.execCommand("copy");
    });
    return isDone;
  }
}

// Run a command and restore the focus, without opening a phone's keyboard.
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

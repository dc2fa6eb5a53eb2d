// The panel under the text, which shows on request how the network reads one sentence.

import { drawAlignment } from "./alignment.js";
import { byId } from "./elements.js";

export class AlignmentPanel {
  #server;
  #sentence;
  #isWanted = false;
  #timer = 0;
  #shown = "";

  // `sentence` returns the text of the sentence to show, or null.
  constructor(server, sentence) {
    this.#server = server;
    this.#sentence = sentence;
  }

  toggle() {
    this.#isWanted = !this.#isWanted;
    byId("align-button").setAttribute("aria-pressed", String(this.#isWanted));
    byId("alignment").hidden = !this.#isWanted;
    this.#shown = "";
    this.refresh();
  }

  // Draw soon if the sentence has changed; a later call restarts the delay.
  refresh(delay = 0) {
    if (!this.#isWanted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#draw(), delay);
  }

  async #draw() {
    const text = this.#sentence();
    const drawing = byId("drawing");
    const note = byId("alignment-note");
    if (text === null) {
      this.#shown = "";
      drawing.replaceChildren();
      note.textContent = "Put the cursor in a sentence to see how the network reads it.";
      return;
    }
    if (text === this.#shown) return;
    this.#shown = text;
    try {
      const { alignments } = await this.#server.align(text);
      if (this.#shown !== text) return;
      const { fontSize, fontFamily } = getComputedStyle(drawing);
      const font = `${fontSize} ${fontFamily}`;
      drawing.replaceChildren(...alignments.map((each) => drawAlignment(each, font)));
      note.textContent = "One pass of the network over the sentence at the cursor, whatever the level.";
    } catch (error) {
      this.#shown = "";
      note.textContent = error.status ? `No alignment: ${error.message}.` : "The server does not answer.";
    }
  }
}

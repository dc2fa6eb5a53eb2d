// Several texts that are sent as one, and their results, which arrive sentence by sentence.

// A sentence always ends there.
const BETWEEN = "\n\n";

export class Gathering {
  text;
  results;
  #starts = [];
  #current = 0;

  constructor(texts) {
    this.text = texts.join(BETWEEN);
    this.results = texts.map(() => ({ edits: [], sentences: [] }));
    let start = 0;
    for (const text of texts) {
      this.#starts.push(start);
      start += text.length + BETWEEN.length;
    }
  }

  // Add a sentence; they arrive in order. Returns how many texts are complete.
  add({ start, end, edits }) {
    while (start >= this.#starts[this.#current + 1]) this.#current += 1;
    const shift = this.#starts[this.#current];
    const moved = (span) => ({ ...span, start: span.start - shift, end: span.end - shift });
    this.results[this.#current].sentences.push(moved({ start, end }));
    this.results[this.#current].edits.push(...edits.map(moved));
    return this.#current;
  }
}

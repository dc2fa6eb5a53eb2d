// Keeps a draft checked: sends only what changed, one request at a time, the latest text first.
// Results of long texts arrive sentence by sentence.

import { Gathering } from "./gathering.js";

const AT_ONCE = 100_000;
// Up to this many characters, an answer comes fast enough as a whole.
const SHORT = 3000;
// Milliseconds between two updates of the page while sentences arrive.
const PAUSE = 100;
const MOST_TEXTS = 200;
const REMEMBERED = 500;
const PATIENCE = 45_000;
const LONGEST_WAIT = 15;

export class Checker {
  level = null;
  // The most characters that the server accepts in a request.
  limit = AT_ONCE;
  #server;
  #draft;
  #onNews;
  #onState;
  // Until the server has answered for the first time.
  #isPaused = true;
  #timer = 0;
  #flight = null;
  #failures = 0;
  #refusal = null;
  #memory = new Map();
  #dictionary = [];
  #revision = 0;

  constructor({ server, draft, onNews, onState }) {
    this.#server = server;
    this.#draft = draft;
    this.#onNews = onNews;
    this.#onState = onState;
  }

  // Look soon for something to check; a later call restarts the delay.
  poke(delay = 0) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), delay);
  }

  resume() {
    this.#isPaused = false;
    this.poke();
  }

  // Words that are never edited. Results from before a change are no longer valid.
  set dictionary(words) {
    this.#dictionary = words;
    this.#revision += 1;
    this.#memory.clear();
  }

  #look() {
    if (this.#isPaused) return;
    const wanted = this.#recall();
    if (this.#flight) {
      // Its answer is still needed; the rest is sent next.
      if (wanted.some((chunk) => this.#flight.keys.has(this.#key(chunk.text)))) return;
      this.#flight.abort();
      this.#flight = null;
    }
    if (wanted.length) this.#send(wanted);
    else if (this.#refusal && this.#draft.text.includes(this.#refusal.text)) {
      this.#onState({ name: "refused", message: this.#refusal.message });
    } else this.#onState({ name: this.#draft.text.trim() ? "done" : "idle" });
  }

  // Use the results that are remembered, and return the chunks without one.
  #recall() {
    let isNews = false;
    const missing = [];
    for (const chunk of this.#draft.chunks()) {
      const key = this.#key(chunk.text);
      const result = this.#memory.get(key);
      const part = this.#flight?.parts?.get(key);
      if (result) {
        this.#draft.settle(chunk, result);
        isNews = true;
      } else {
        missing.push(chunk);
        if (part) {
          this.#draft.settlePart(chunk, part);
          isNews = true;
        }
      }
    }
    if (isNews) this.#onNews();
    return missing;
  }

  async #send(wanted) {
    const texts = [];
    let size = 0;
    for (const { text } of wanted) {
      // Plus the separator.
      size += text.length + 2;
      if (texts.length && (size > Math.min(AT_ONCE, this.limit) || texts.length === MOST_TEXTS)) break;
      texts.push(text);
    }
    const control = new AbortController();
    const keys = new Set(texts.map((text) => this.#key(text)));
    const flight = { keys, abort: () => control.abort() };
    this.#flight = flight;
    this.#onState({ name: "checking" });
    const whole = texts.join("\n");
    let timer = 0;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => control.abort("late"), PATIENCE);
    };
    wait();
    const keyOf = new Map(texts.map((text) => [text, this.#key(text)]));
    const options = {
      level: this.level,
      dictionary: this.#dictionary.filter((word) => whole.includes(word)),
    };
    try {
      if (whole.length > SHORT) {
        await this.#stream(flight, texts, options, control.signal, wait);
      } else {
        const { results } = await this.#server.edit(texts, options, control.signal);
        results.forEach((result, k) => this.#remember(keyOf.get(texts[k]), result));
      }
      this.#failures = 0;
      if (this.#flight !== flight) return;
      this.#flight = null;
      this.#look();
    } catch (error) {
      // A newer request has taken its place.
      if (this.#flight !== flight) return;
      this.#flight = null;
      this.#fail(error, keyOf);
    } finally {
      clearTimeout(timer);
    }
  }

  // Show sentences as they arrive, and remember each text when it is complete.
  async #stream(flight, texts, options, signal, wait) {
    const keys = texts.map((text) => this.#key(text));
    const gathering = new Gathering(texts);
    flight.parts = new Map();
    let last = 0;
    const show = (count) => {
      for (; last < count; last += 1) this.#remember(keys[last], gathering.results[last]);
      if (this.#flight !== flight) return;
      flight.parts = new Map([[keys[last], gathering.results[last]]]);
      this.#recall();
    };
    let [complete, timer, pause] = [0, 0, 0];
    const showSoon = () => {
      timer = 0;
      pause = PAUSE;
      show(complete);
    };
    try {
      await this.#server.stream(gathering.text, options, signal, (sentence) => {
        wait();
        complete = gathering.add(sentence);
        timer ||= setTimeout(showSoon, pause);
      });
    } finally {
      clearTimeout(timer);
    }
    show(texts.length);
  }

  #fail(error, keyOf) {
    this.#failures += 1;
    const wait = Math.min(LONGEST_WAIT, error.wait || 2 ** (this.#failures - 1));
    const status = error.status ?? 0;
    if (status === 401) {
      this.#isPaused = true;
      this.#onState({ name: "key" });
    } else if (status === 429 || status === 503) {
      this.#onState({ name: "busy", wait });
      this.poke(1000 * wait);
    } else if (status >= 400 && status < 500) {
      // These texts would be refused again, but the rest of the draft may be accepted.
      for (const [text, key] of keyOf) {
        this.#remember(key, { edits: [], sentences: [] });
        this.#refusal = { text, message: error.message };
      }
      this.#look();
    } else {
      this.#onState({ name: status ? "failed" : "offline", wait });
      this.poke(1000 * wait);
    }
  }

  #key(text) {
    return `${this.#revision} ${this.level}\n${text}`;
  }

  #remember(key, result) {
    this.#memory.set(key, result);
    if (this.#memory.size > REMEMBERED) this.#memory.delete(this.#memory.keys().next().value);
  }
}

// Requests to the server. Addresses are relative because the path may contain a key.

import { load, save } from "./settings.js";

export class Refusal extends Error {
  constructor(status, message, wait) {
    super(message);
    this.status = status;
    this.wait = wait;
  }
}

export class Server {
  #key = load("key", "session") ?? load("key");

  get hasKey() {
    return Boolean(this.#key);
  }

  get isKeyKept() {
    return Boolean(load("key"));
  }

  setKey(key, isKept) {
    this.#key = key;
    save("key", isKept ? null : key, "session");
    save("key", isKept ? key : null);
  }

  info() {
    return this.#ask("v1/info", {});
  }

  edit(texts, options, signal) {
    const body = { texts: texts.map(wellFormed), positions: "utf-16", ...options };
    return this.#post("v1/edit", body, signal);
  }

  // Edit a long text; `onSentence` gets each sentence as it arrives.
  async stream(text, options, signal, onSentence) {
    const body = { text: wellFormed(text), positions: "utf-16", ...options };
    const answer = await this.#fetch("v1/edit/stream", posted(body, signal));
    let isDone = false;
    for await (const line of lines(answer.body)) {
      const said = JSON.parse(line);
      if (said.error) throw new Refusal(500, said.error, 0);
      if (said.done) isDone = true;
      else onSentence(said);
    }
    if (!isDone) throw new TypeError("the answer was cut short");
  }

  align(text, signal) {
    return this.#post("v1/align", { text: wellFormed(text), positions: "utf-16" }, signal);
  }

  #post(path, body, signal) {
    return this.#ask(path, posted(body, signal));
  }

  async #ask(path, options) {
    return (await this.#fetch(path, options)).json();
  }

  async #fetch(path, options) {
    const headers = { ...options.headers };
    if (this.#key) headers.Authorization = `Bearer ${this.#key}`;
    const answer = await fetch(path, {
      ...options,
      headers,
      credentials: "same-origin",
      cache: "no-store",
    });
    if (answer.ok) return answer;
    const said = await answer.json().catch(() => ({}));
    const wait = Number(answer.headers.get("Retry-After")) || 0;
    throw new Refusal(answer.status, said.error ?? `status ${answer.status}`, wait);
  }
}

function posted(body, signal) {
  const headers = { "Content-Type": "application/json" };
  return { method: "POST", body: JSON.stringify(body), headers, signal };
}

async function* lines(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    yield* parts;
  }
  if (rest) yield rest;
}

// The server refuses a text that contains half of a surrogate pair.
function wellFormed(text) {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

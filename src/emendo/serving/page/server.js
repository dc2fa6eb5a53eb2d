// The server, as the page speaks to it. Addresses are relative: a key may stand in the path.

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

  align(text, signal) {
    return this.#post("v1/align", { text: wellFormed(text), positions: "utf-16" }, signal);
  }

  #post(path, body, signal) {
    const headers = { "Content-Type": "application/json" };
    return this.#ask(path, { method: "POST", body: JSON.stringify(body), headers, signal });
  }

  async #ask(path, options) {
    const headers = { ...options.headers };
    if (this.#key) headers.Authorization = `Bearer ${this.#key}`;
    const answer = await fetch(path, {
      ...options,
      headers,
      credentials: "same-origin",
      cache: "no-store",
    });
    if (answer.ok) return answer.json();
    const said = await answer.json().catch(() => ({}));
    const wait = Number(answer.headers.get("Retry-After")) || 0;
    throw new Refusal(answer.status, said.error ?? `status ${answer.status}`, wait);
  }
}

// Half of a surrogate pair is no text, and the server would refuse all of it.
function wellFormed(text) {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

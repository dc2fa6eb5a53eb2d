// The dialog that asks for an API key if the server needs one.

import { byId } from "./elements.js";

export class KeyDialog {
  #server;
  #onChange;

  constructor(server, onChange) {
    this.#server = server;
    this.#onChange = onChange;
    byId("key-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#set(byId("key-field").value.trim(), byId("key-kept").checked);
    });
    byId("key-forget").addEventListener("click", () => this.#set(null, false));
    byId("key-button").addEventListener("click", () => this.open());
  }

  open({ isWrong = false } = {}) {
    byId("key-button").hidden = false;
    byId("key-error").hidden = !isWrong;
    byId("key-kept").checked = this.#server.isKeyKept;
    byId("key-forget").hidden = !this.#server.hasKey;
    if (!byId("key-dialog").open) byId("key-dialog").showModal();
  }

  #set(key, isKept) {
    // Others, such as invisible ones of a word processor, cannot be sent at all.
    if (key && !/^[\x21-\x7e]+$/.test(key)) {
      byId("key-error").hidden = false;
      return;
    }
    this.#server.setKey(key, isKept);
    byId("key-field").value = "";
    byId("key-dialog").close();
    this.#onChange();
  }
}

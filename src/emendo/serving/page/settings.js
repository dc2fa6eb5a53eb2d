// The user's settings, kept in this browser, or until the page closes if storage is forbidden.

const PREFIX = "emendo.";
const memory = new Map();

function stores(kind) {
  try {
    return kind === "session" ? sessionStorage : localStorage;
  } catch {
    return null;
  }
}

export function load(name, kind = "local") {
  try {
    const value = stores(kind)?.getItem(PREFIX + name);
    if (value !== null && value !== undefined) return value;
  } catch {
    // As if nothing were stored.
  }
  return memory.get(kind + name) ?? null;
}

export function save(name, value, kind = "local") {
  if (value === null) memory.delete(kind + name);
  else memory.set(kind + name, value);
  try {
    if (value === null) stores(kind)?.removeItem(PREFIX + name);
    else stores(kind)?.setItem(PREFIX + name, value);
  } catch {
    // Storage is full or forbidden; the value stays in memory.
  }
}

// The user's own words, in the order they were added.
export const dictionary = {
  words() {
    try {
      const words = JSON.parse(load("dictionary") ?? "[]");
      return Array.isArray(words) ? words.filter((word) => typeof word === "string") : [];
    } catch {
      return [];
    }
  },
  add(word) {
    save("dictionary", JSON.stringify([...new Set([...dictionary.words(), word])]));
  },
  remove(word) {
    save("dictionary", JSON.stringify(dictionary.words().filter((other) => other !== word)));
  },
};

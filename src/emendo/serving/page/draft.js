// The current text, its edits, and the parts of it that the server has not checked yet.
// Positions are UTF-16 code units, as everywhere in JavaScript. Needs neither page nor server.

const BLANK_LINES = /\n(?:[^\S\n]*\n)+/g;
const JOINS = /[\p{L}\p{M}\p{N}'’-]/u;
// Where a sentence ends depends on the text around it, so at least this many characters of
// unchanged sentences are sent with the changed ones.
const CONTEXT = 100;

// The smallest range of `before` that differs, and how many characters replace it in `after`.
export function findChange(before, after) {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let tail = 0;
  while (
    tail < shorter - start &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  ) {
    tail += 1;
  }
  return { start, end: before.length - tail, length: after.length - tail - start };
}

export class Draft {
  text = "";
  edits = [];
  sentences = [];
  #rejected = [];
  #stale = [];
  #lastId = 0;

  // Set a new text; parts that the change does not touch keep their edits.
  change(text) {
    if (text === this.text) return;
    const change = findChange(this.text, text);
    const { start, end, length } = change;
    const shift = length - (end - start);
    const moved = (place) =>
      place <= start ? place : place >= end ? place + shift : start + length;
    const stays = (edit) => {
      if (edit.end <= start) return edit.end < start || !JOINS.test(text[start] ?? "");
      if (edit.start >= end) {
        return edit.start > end || !JOINS.test(text[start + length - 1] ?? "");
      }
      return false;
    };
    const place = (edit) => {
      if (edit.start >= end && edit.end > start) {
        edit.start += shift;
        edit.end += shift;
      }
    };
    this.edits = this.edits.filter(stays);
    this.edits.forEach(place);
    this.#rejected = this.#rejected.filter(stays);
    this.#rejected.forEach(place);
    this.sentences = this.sentences.filter((each) => each.end < start || each.start > end);
    for (const each of this.sentences) {
      each.start = moved(each.start);
      each.end = moved(each.end);
    }
    this.#stale = this.#stale.map(([from, to]) => [Math.min(moved(from), moved(to)), moved(to)]);
    this.text = text;
    this.#addStale(start, start + length);
  }

  // Mark the whole text for another check; the known edits stay until then.
  askAgain() {
    this.#stale = this.text ? [[0, this.text.length]] : [];
  }

  // The parts that must be checked, each of whole sentences between blank lines.
  chunks() {
    const found = [];
    const stale = this.#stale;
    if (!stale.length) return found;
    for (const [start, end] of blocks(this.text)) {
      const touching = stale.filter(([from, to]) => from <= end && to >= start);
      if (!touching.length) continue;
      const from = Math.max(start, touching[0][0]);
      const to = Math.min(end, touching[touching.length - 1][1]);
      const chunk = this.#widened(start, end, from, to);
      chunk.text = this.text.slice(chunk.start, chunk.end);
      if (chunk.text.trim()) found.push(chunk);
    }
    if (!found.length) {
      // Only white space is left of them, and it needs no edits.
      const isGone = (edit) => stale.some(([from, to]) => from <= edit.start && edit.end <= to);
      this.edits = this.edits.filter((edit) => !isGone(edit));
      this.#stale = [];
    }
    return found;
  }

  // Whether the server has checked all of it.
  get isChecked() {
    return !this.#stale.length;
  }

  // Store the server's result for a chunk that has not changed since.
  settle(chunk, result) {
    this.#lay(chunk, chunk.end, result);
    this.#stale = this.#stale.flatMap(([from, to]) => {
      const left = [];
      if (from < chunk.start) left.push([from, Math.min(to, chunk.start - 1)]);
      if (to > chunk.end) left.push([Math.max(from, chunk.end + 1), to]);
      return left;
    });
  }

  // Store the part of a chunk's result that has arrived.
  settlePart(chunk, result) {
    this.#lay(chunk, chunk.start + (result.sentences.at(-1)?.end ?? 0), result);
  }

  #lay(chunk, end, result) {
    const inside = (each) => each.start >= chunk.start && each.end <= end;
    const known = new Map(this.edits.filter(inside).map((edit) => [signature(edit), edit]));
    const found = result.edits.map((entry) => {
      const edit = { ...entry, start: entry.start + chunk.start, end: entry.end + chunk.start };
      // A known edit stays the same object, so that its card stays open.
      const old = known.get(signature(edit));
      return old ? Object.assign(old, edit) : Object.assign(edit, { id: (this.#lastId += 1) });
    });
    const spans = result.sentences.map(({ start, end }) => ({
      start: start + chunk.start,
      end: end + chunk.start,
    }));
    this.edits = inOrder([...this.edits.filter((each) => !inside(each)), ...found]);
    this.sentences = inOrder([...this.sentences.filter((each) => !inside(each)), ...spans]);
  }

  // Leave out edits that are made now: an insertion can look as if it were only moved.
  forget(edits) {
    this.edits = this.edits.filter((edit) => !edits.includes(edit));
  }

  reject(edit) {
    this.#rejected.push({ ...edit });
  }

  restoreRejected() {
    this.#rejected = [];
  }

  // The edits that were not rejected, and the number of those that were.
  open() {
    const rejected = new Set(this.#rejected.map(signature));
    const edits = this.edits.filter((edit) => !rejected.has(signature(edit)));
    return { edits, rejected: this.edits.length - edits.length };
  }

  sentenceAt(position) {
    return this.sentences.find((each) => each.start <= position && position <= each.end) ?? null;
  }

  #addStale(from, to) {
    const merged = [];
    for (const next of inOrder([...this.#stale, [from, to]], (range) => range[0])) {
      const last = merged[merged.length - 1];
      if (last && next[0] <= last[1]) last[1] = Math.max(last[1], next[1]);
      else merged.push([...next]);
    }
    this.#stale = merged;
  }

  #widened(start, end, from, to) {
    // How lines form sentences depends on all lines together.
    if (this.text.slice(start, end).includes("\n")) return { start, end };
    const before = this.sentences.filter((each) => each.start >= start && each.end <= from);
    const after = this.sentences.filter((each) => each.end <= end && each.start >= to);
    const first = before.reverse().find((each) => from - each.start >= CONTEXT);
    const last = after.find((each) => each.end - to >= CONTEXT);
    return { start: first ? first.start : start, end: last ? last.end : end };
  }
}

function* blocks(text) {
  let start = 0;
  for (const match of text.matchAll(BLANK_LINES)) {
    yield [start, match.index];
    start = match.index + match[0].length;
  }
  yield [start, text.length];
}

function signature(edit) {
  return `${edit.start} ${edit.end} ${edit.replacement}`;
}

function inOrder(spans, key = (span) => span.start) {
  return spans.sort((one, other) => key(one) - key(other));
}

// The paper's figure for one sentence: source above, output below, kept tokens green, and wider
// lines for higher probabilities.

import { drawn } from "./elements.js";
import { percent } from "./kinds.js";

const TOP = 30;
const BOTTOM = 128;
const HEIGHT = 150;
const EDGE = 14;
const WORD_GAP = 13;
// The gap between pieces of one word.
const PIECE_GAP = 3;
const NARROWEST = 8;

export function drawAlignment(alignment, font) {
  const measure = document.createElement("canvas").getContext("2d");
  measure.font = font;
  const above = place(alignment.source, measure);
  const below = place(alignment.output, measure);
  // The shorter row is centred.
  const width = Math.max(above.width, below.width);
  center(above, width);
  center(below, width);
  const kept = alignment.links.filter((link) => link.kept);
  const used = new Set(alignment.links.map((link) => link.source));
  const written = new Set(alignment.links.filter((link) => !link.kept).map((link) => link.output));
  const dropped = alignment.source.filter((token, k) => token.trim() && !used.has(k));
  const svg = drawn("svg", {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    width,
    height: HEIGHT,
    role: "img",
    "aria-label":
      `Source: ${alignment.source.join("").trim()} Output: ${alignment.output.join("").trim()} ` +
      `${kept.length} tokens kept, ${written.size} written, ${dropped.length} dropped.`,
  });
  for (const link of alignment.links) {
    const [x, y] = [above.middles[link.source], below.middles[link.output]];
    const half = (TOP + BOTTOM) / 2;
    svg.append(
      drawn(
        "path",
        {
          class: link.kept ? "kept" : "added",
          d: `M${x} ${TOP + 9} C${x} ${half} ${y} ${half} ${y} ${BOTTOM - 19}`,
          "stroke-width": (0.6 + 3.9 * link.probability).toFixed(2),
        },
        drawn(
          "title",
          {},
          `${link.kept ? "kept" : "written"}: ${alignment.output[link.output].trim()}, ` +
            percent(link.probability),
        ),
      ),
    );
  }
  alignment.source.forEach((token, k) => {
    const isEdge = !token.trim();
    if (isEdge && !used.has(k)) return;
    const name = isEdge ? "edge" : used.has(k) ? "source" : "dropped";
    svg.append(word(isEdge ? "·" : token.trim(), above.middles[k], TOP, name));
  });
  alignment.output.forEach((token, k) => {
    svg.append(word(token.trim(), below.middles[k], BOTTOM, written.has(k) ? "added" : "kept"));
  });
  return svg;
}

function place(tokens, measure) {
  const middles = [];
  let x = EDGE;
  tokens.forEach((token, k) => {
    const text = token.trim();
    if (k && text) x += token !== token.trimStart() ? WORD_GAP : PIECE_GAP;
    const width = text ? Math.max(NARROWEST, measure.measureText(text).width) : 0;
    middles.push(x + width / 2);
    x += width;
  });
  return { middles, width: Math.ceil(x + EDGE) };
}

function center(row, width) {
  const shift = (width - row.width) / 2;
  row.middles = row.middles.map((x) => Math.round(10 * (x + shift)) / 10);
}

function word(text, x, y, name) {
  return drawn("text", { class: name, x, y, "text-anchor": "middle" }, text);
}

// The settings above the text: the level, and the lowest confidence of edits that are shown.

import { byId, element } from "./elements.js";
import { load, save } from "./settings.js";

const ORDER = ["precise", "balanced", "thorough"];
const MOST = 95;

// Offer the levels, and return the one that was chosen before, or the server's default.
export function offerLevels({ levels, default_level: own }, onChange) {
  const wanted = load("level");
  const chosen = levels.includes(wanted) ? wanted : own;
  const inOrder = [...levels].sort((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other));
  const choose = (level) => {
    save("level", level);
    onChange(level);
  };
  byId("levels").append(
    ...inOrder.map((level) =>
      element(
        "label",
        {},
        element("input", {
          type: "radio",
          name: "level",
          value: level,
          checked: level === chosen,
          onchange: () => choose(level),
        }),
        element("span", {}, level[0].toUpperCase() + level.slice(1)),
      ),
    ),
  );
  // With one level there is nothing to choose.
  byId("levels").hidden = levels.length < 2;
  return chosen;
}

export function savedThreshold() {
  return Math.min(MOST, Math.max(0, Number(load("threshold")) || 0));
}

export function showThreshold(percent) {
  save("threshold", String(percent));
  byId("threshold").value = percent;
  byId("threshold-value").textContent = percent ? `≥ ${percent} %` : "any";
  byId("threshold").setAttribute("aria-valuetext", percent ? `at least ${percent} %` : "any");
}

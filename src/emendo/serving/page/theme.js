// Runs before the first paint, so that a chosen theme does not flash.
"use strict";
{
  let theme = null;
  try {
    theme = localStorage.getItem("emendo.theme");
  } catch {
    // Storage may be forbidden; then the system's theme applies.
  }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

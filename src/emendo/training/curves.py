"""A run's metrics drawn to a PNG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emendo.errors import require

if TYPE_CHECKING:
    from pathlib import Path

    from emendo.training.run_folder import RunFolder


def draw_curves(run: RunFolder, path: Path) -> None:
    """Draw loss, dev score and the shares of the operations over all stages."""
    require("drawing curves", "train", "matplotlib")
    from matplotlib.figure import Figure

    entries = list(run.read_metrics())
    stages = list(dict.fromkeys(entry["stage"] for entry in entries))
    figure = Figure(figsize=(9, 6.5), layout="constrained")
    axes = figure.subplots(2, 2)
    panels = {
        "loss": (axes[0, 0], "loss, nats per label"),
        "score": (axes[0, 1], "dev score, %"),
        "tokens_per_s": (axes[1, 0], "source tokens per second"),
    }
    start = 0
    for number, stage in enumerate(stages):
        own = [entry for entry in entries if entry["stage"] == stage]
        for key, (panel, label) in panels.items():
            points = [(start + entry["step"], entry[key]) for entry in own if key in entry]
            style = "o-" if key == "score" else "-"
            if points:
                panel.plot(*zip(*points, strict=True), style, color=f"C{number}", label=stage)
            panel.set_ylabel(label)
        for key, style in (("keep", "-"), ("blank", "--"), ("add", ":")):
            points = [(start + entry["step"], 100 * entry[key]) for entry in own if key in entry]
            if points:
                axes[1, 1].plot(*zip(*points, strict=True), style, color=f"C{number}", label=key)
        start += max((entry["step"] for entry in own), default=0)
    axes[1, 1].set_ylabel("share of slots, %")
    axes[1, 1].set_yscale("symlog", linthresh=1)
    for panel in axes.flat:
        panel.set_xlabel("updates")
        panel.grid(color="#e4e4e4")
        panel.spines[["top", "right"]].set_visible(False)
        if panel.lines:
            panel.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=130)

"""Writes the figures of `replicas.py` as Markdown between two marks of a page."""

from __future__ import annotations

import math
from pathlib import Path

BEGIN, END = "<!-- replicas -->", "<!-- /replicas -->"
# The share of a replica's throughput to plan with: above it, requests wait.
BUSY = 0.7
# The price of a core for an hour, in USD.
PRICE = 0.04
RATES = (100, 1_000, 10_000)


def write_tables(page, figures):
    """Replace the text between the marks of a page.

    Raises:
        ValueError: The page does not have each mark once.
    """
    text = page.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ValueError(f"{page}: needs one {BEGIN} and, after it, one {END}")
    before, after = text[: text.index(BEGIN)], text[text.index(END) :]
    page.write_text(f"{before}{BEGIN}\n\n{tables(figures)}\n\n{after}", encoding="utf-8")


def tables(figures):
    """Return the measured figures, and the estimates that follow from them."""
    return "\n\n".join((_conditions(figures), _load(figures), _rest(figures), _paper(figures)))


def _conditions(figures):
    return (
        f"Measured on {figures['cores']} cores ({_processor()}), {figures['seconds']:.0f} s for "
        "each load, by `python benchmarks/replicas.py --model BUNDLE`:"
    )


def _processor():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return "unknown"


def _load(figures):
    one, two, ray = figures["one"], figures["two"], figures["ray_serve"]
    columns = {"one replica behind HAProxy": one, "two": two}
    note = ""
    if isinstance(ray, dict):
        columns["two under Ray Serve"] = ray
    else:
        note = f"\n\nRay Serve was not measured ({ray})."

    def row(name, form):
        return f"| {name} | " + " | ".join(map(form, columns.values())) + " |"

    return (
        "\n".join(
            (
                "| | " + " | ".join(columns) + " |",
                "|---" * (len(columns) + 1) + "|",
                row("requests a second, one new sentence each", lambda c: f"{c['per_s']:.1f}"),
                row("p50, p99", lambda c: f"{c['p50_ms']:.0f} ms, {c['p99_ms']:.0f} ms"),
                row("requests without an answer", lambda c: f"{c['not_answered']}"),
                row("memory of all processes", lambda c: f"{c['memory_mb']:.0f} MB"),
                row("processor seconds of the servers", _server_seconds),
                row("processor seconds of the clients", lambda c: f"{c['client_cpu_s']:.1f}"),
                row("answers for each processor second of the servers", _per_server_second),
            )
        )
        + note
    )


def _server_seconds(column):
    if "all_cpu_s" in column:
        return f"{column['all_cpu_s']:.1f}"
    return f"{column['replica_cpu_s']:.1f}, HAProxy {column['balancer_cpu_s']:.2f}"


def _per_server_second(column):
    seconds = column.get("all_cpu_s") or column["replica_cpu_s"] + column["balancer_cpu_s"]
    return f"{column['answered'] / seconds:.1f}"


def _rest(figures):
    f = figures
    aim = 1.7 if f["cores"] >= 4 else 1.4
    rows = {
        "throughput of two replicas over one": f"{f['throughput_ratio']:.2f} (aim: {aim})",
        "sentences for each processor second of the replicas, two over one": (
            f"{f['efficiency']:.2f} (aim: 0.9)"
        ),
        "what HAProxy adds to a request, p50": f"{f['balancer_p50_ms']:.2f} ms (aim: 2 ms)",
        "a replica that only answers checks": (
            f"{f['idle_mb']:.0f} MB, {f['idle_cores']:.3f} cores"
        ),
        "both replicas restarted under load": (
            f"{f['rolling_lost']} of {f['rolling_requests']} requests lost, "
            f"{f['rolling_doubled']} answered twice"
        ),
        "one replica killed under load": (
            f"requests lost: {f['kill_lost']} of about {f['kill_in_flight']} in flight there; "
            f"{f['kill_retried']} sent to the other"
        ),
        "one replica stopped under load": (
            f"gets no more requests after {f['stalled_out_s']:.1f} s (aim: 5 s)"
        ),
    }
    return "\n".join(
        ("| | figure |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items()))
    )


def _paper(figures):
    """Estimate the replicas for some rates, each with its own core, from the figures of two."""
    one, two = figures["one"], figures["two"]
    each = one["per_s"] * min(1, figures["efficiency"])
    megabytes = two["replica_mb"] / 2
    balanced = two["answered"] / max(two["balancer_cpu_s"], 0.01)
    hours = 1e6 * (1 / two["per_cpu_s"] + 1 / balanced) / 3600
    rows = [(f"{BUSY * each:.0f} (a laptop)", 1, 0)]
    rows += [(f"{rate:,}", math.ceil(rate / (BUSY * each)), rate / balanced) for rate in RATES]
    lines = [
        f"Estimated from {each:.0f} new sentences a second for each replica, with replicas that "
        f"are busy {100 * BUSY:.0f} % of the time:",
        "",
        "| requests a second | replicas, a core each | their memory | cores of HAProxy |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {rate} | {count:,} | {count * megabytes / 1024:.1f} GB | {cores:.1f} |"
        for rate, count, cores in rows
    ]
    lines += [
        "",
        f"- A million new sentences take {hours:.1f} core hours: {PRICE * hours:.2f} USD at "
        f"{PRICE} USD a core hour, an assumed price.",
        f"- Under full load two replicas used {_busy(two, 'replica'):.0f} % of their two cores, "
        f"and HAProxy {_busy(two, 'balancer'):.1f} % of one. At that rate one core of HAProxy is "
        f"enough for {balanced / each:.0f} replicas.",
    ]
    return "\n".join(lines)


def _busy(column, who):
    cores = 2 if who == "replica" else 1
    seconds = column["answered"] / column["per_s"]
    return 100 * column[f"{who}_cpu_s"] / (cores * seconds)

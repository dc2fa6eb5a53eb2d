"""Metrics for Prometheus; nothing is sent anywhere, and no metric contains text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

from emendo.text import EDIT_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from emendo.inference import Batch
    from emendo.text import Edit

_SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
_SENTENCES = (1, 2, 4, 8, 16, 32, 64, 128)
_SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)


class Telemetry:
    """The figures of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        self.requests = Histogram(
            "emendo_request_seconds",
            "From the first byte of a request to the last of its answer.",
            ["route", "status"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.refused = Counter(
            "emendo_refused_total", "Requests refused.", ["reason"], registry=self.registry
        )
        self._queue_wait = Histogram(
            "emendo_queue_wait_seconds",
            "How long a request waited while the network ran others, until its first results.",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._batch_sentences = Histogram(
            "emendo_batch_sentences",
            "Sentences that the network read at once.",
            ["model"],
            buckets=_SENTENCES,
            registry=self.registry,
        )
        self._batch_tokens = Counter(
            "emendo_batch_tokens_total",
            "Tokens that the network read, including padding.",
            ["model"],
            registry=self.registry,
        )
        self._padding = Histogram(
            "emendo_batch_padding_ratio",
            "Share of a batch that is padding.",
            ["model"],
            buckets=_SHARES,
            registry=self.registry,
        )
        self._sentences = Counter(
            "emendo_sentences_total",
            "Requested sentences, by whether they were in the cache.",
            ["cache", "model"],
            registry=self.registry,
        )
        self._edits = Counter(
            "emendo_edits_total", "Edits returned.", ["type", "model"], registry=self.registry
        )
        self._waiting = Gauge(
            "emendo_waiting_requests",
            "Requests waiting for the network.",
            registry=self.registry,
        )

    def name_models(self, languages: Iterable[str]) -> None:
        """Start the figures of each model, which its language names."""
        # Every series exists from the start: a rate over one that appears late is wrong.
        for model in languages:
            for name in ("hit", "miss"):
                self._sentences.labels(name, model)
            for name in EDIT_TYPES:
                self._edits.labels(name, model)
            for figure in (self._batch_sentences, self._batch_tokens, self._padding):
                figure.labels(model)

    def count_waiting(self, waiting: Callable[[], int]) -> None:
        """Read the number of waiting requests whenever metrics are collected."""
        self._waiting.set_function(waiting)

    def add_wait(self, seconds: float) -> None:
        """Count how long a request waited while the network ran others."""
        self._queue_wait.observe(seconds)

    def add_batch(self, batch: Batch, model: str) -> None:
        """Count a batch that a model is about to read."""
        mask = batch.attention_mask
        self._batch_sentences.labels(model).observe(len(mask))
        self._batch_tokens.labels(model).inc(mask.size)
        self._padding.labels(model).observe(1 - float(mask.sum()) / max(1, mask.size))

    def add_lines(self, model: str, *, hits: int, misses: int) -> None:
        """Count the sentences of a request that a model reads."""
        self._sentences.labels("hit", model).inc(hits)
        self._sentences.labels("miss", model).inc(misses)

    def add_edits(self, edits: Iterable[Edit], model: str) -> None:
        """Count the edits of a model in an answer."""
        for edit in edits:
            self._edits.labels(edit.type, model).inc()

    def report(self) -> bytes:
        """Return all figures in Prometheus' text format."""
        return generate_latest(self.registry)

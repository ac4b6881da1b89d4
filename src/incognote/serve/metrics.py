"""Counts and times for Prometheus: of requests by route, notes, batches and what waits. No text, no ids."""

from __future__ import annotations

import os
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Where the processes of a service with several leave their figures, so that any can give all."""
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """The figures of one process; with several, `text` sums them."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        registry = None if FOLDER in os.environ else self._registry
        self._requests = Counter(
            "incognote_requests", "Requests.", ("route", "status"), registry=registry
        )
        self._seconds = Histogram(
            "incognote_request_seconds",
            "Seconds from a request to its answer.",
            ("route",),
            buckets=_SECONDS,
            registry=registry,
        )
        self._notes = Counter("incognote_notes", "Notes read.", registry=registry)
        self._characters = Counter("incognote_characters", "Characters read.", registry=registry)
        self._spans = Counter("incognote_spans", "Spans found.", ("type",), registry=registry)
        self._failures = Counter("incognote_failed_notes", "Notes that failed.", registry=registry)
        self._batches = Histogram(
            "incognote_batch_notes",
            "Notes that were read together.",
            buckets=(1, 2, 4, 8, 16, 32, 64),
            registry=registry,
        )
        self._busy = Counter("incognote_busy_seconds", "Seconds of reading.", registry=registry)
        self._waiting = Gauge(
            "incognote_waiting_notes",
            "Notes that wait.",
            multiprocess_mode="livesum",
            registry=registry,
        )

    def request(self, route: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def batch(self, notes: int, characters: int, seconds: float) -> None:
        """A batch was read."""
        self._notes.inc(notes)
        self._characters.inc(characters)
        self._batches.observe(notes)
        self._busy.inc(seconds)

    def waiting(self, notes: int) -> None:
        """So many wait now."""
        self._waiting.set(notes)

    def found(self, types: Iterable[str]) -> None:
        """Spans of these types."""
        for type in types:
            self._spans.labels(type).inc()

    def failed(self, notes: int) -> None:
        """So many notes have no result."""
        self._failures.inc(notes)

    def text(self) -> bytes:
        """In Prometheus' format."""
        if FOLDER not in os.environ:
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)

"""The rate limit of each caller: a token bucket, which refills with time."""

from __future__ import annotations

import math
import time
from collections import OrderedDict

from emendo.errors import RateError

# Callers that are remembered; after a long time a bucket is full anyway.
_CALLERS = 10_000
# A bucket allows this many seconds' worth of requests at once, for bursts of an editor.
_BURST_SECONDS = 10


class RateLimit:
    """A limit on requests per minute for each caller; 0 means no limit."""

    def __init__(self, per_minute: int) -> None:
        self._per_second = per_minute / 60
        self._size = max(1.0, self._per_second * _BURST_SECONDS)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> None:
        """Count a request.

        Raises:
            RateError: The caller must wait for the time in the error.
        """
        if not self._per_second:
            return
        now = time.monotonic()
        left, since = self._buckets.pop(caller, (self._size, now))
        left = min(self._size, left + (now - since) * self._per_second)
        allowed = left >= 1
        self._buckets[caller] = (left - 1 if allowed else left, now)
        if len(self._buckets) > _CALLERS:
            self._buckets.popitem(last=False)
        if not allowed:
            wait = math.ceil((1 - left) / self._per_second)
            raise RateError(f"too many requests; try again in {wait} s", wait)

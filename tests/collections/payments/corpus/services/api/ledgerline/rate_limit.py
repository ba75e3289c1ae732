"""Does this merchant send too many requests?

One token bucket a merchant and kind of request, kept in Redis. The numbers are in `config/rate_limits.yaml`.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass

from .errors import ApiError, ErrorCode

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limit:
    """`per_second` tokens flow in; the bucket holds `burst` of them."""

    per_second: float
    burst: int


@dataclass
class Bucket:
    """What is stored: how many tokens there were at which moment, in seconds."""

    tokens: float
    at: float


def take(bucket: Bucket, limit: Limit, now: float) -> float:
    """Takes one token. Returns 0.0 if there was one, else the seconds until there is."""
    bucket.tokens = min(limit.burst, bucket.tokens + (now - bucket.at) * limit.per_second)
    bucket.at = now
    if bucket.tokens >= 1.0:
        bucket.tokens -= 1.0
        return 0.0
    return (1.0 - bucket.tokens) / limit.per_second


class RateLimiter:
    """Guards the API by merchant. Lets everything pass while Redis is away (ADR 0013)."""

    def __init__(self, store, limits: dict[str, Limit]) -> None:
        self._store = store
        self._limits = limits

    def check(self, merchant: str, method: str, now: float) -> None:
        """Raises `rate_limited` with the time to wait."""
        kind = "read" if method in ("GET", "HEAD") else "write"
        try:
            wait = self._store.update(f"rl:{merchant}:{kind}", lambda bucket: take(bucket, self._limits[kind], now))
        except ConnectionError:
            log.warning("rate limiter store unreachable, letting the request pass")
            return
        if wait > 0.0:
            raise ApiError(
                ErrorCode.RATE_LIMITED, "too many requests", retry_after_seconds=max(1, math.ceil(wait))
            )

"""Has this request been answered before?

A record is claimed before the request does anything and completed with its response. Both live in Postgres, in the table
`idempotency_keys` (`db/migrations/0012_idempotency_keys.sql`), so that they commit or roll back with the payment itself;
ADR 0003 says why not in Redis.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from .errors import ApiError, ErrorCode

#: How long a completed record is kept. ADR 0012: longer than the longest offline queue of a mobile SDK.
RETENTION = timedelta(hours=48)

#: A claim that was not completed within this time belongs to a worker that died, and may be taken over.
LEASE = timedelta(seconds=60)

MAX_KEY_LENGTH = 64

#: Answers that say nothing about the request's outcome are not kept: the next attempt has to run.
NEVER_STORED = frozenset({401, 429})


@dataclass(frozen=True)
class StoredResponse:
    """What the first request was answered with, byte for byte."""

    status: int
    body: bytes


def fingerprint(method: str, path: str, body: dict) -> str:
    """Hashes what makes two requests the same one: method, path and the canonical JSON of the body."""
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(f"{method} {path}\n{canonical}".encode()).hexdigest()


def is_stored(status: int) -> bool:
    """Whether a response of this status is replayed. A 5xx is not: nobody knows what happened behind it."""
    return status < 500 and status not in NEVER_STORED


class IdempotencyStore:
    """Claims and completes keys within the request's own database transaction."""

    def __init__(self, connection, now: datetime) -> None:
        self._connection = connection
        self._now = now

    def claim(self, merchant: str, key: str, request_hash: str) -> StoredResponse | None:
        """Takes the key for this request, or returns the response to replay.

        Raises `idempotency_mismatch` if the key was used for another request and `idempotency_in_flight` if the first
        request still runs within its lease.
        """
        if not 1 <= len(key) <= MAX_KEY_LENGTH:
            raise ApiError(ErrorCode.INVALID_REQUEST, "Idempotency-Key has 1 to 64 characters", "Idempotency-Key")
        row = self._connection.fetch_one(
            "INSERT INTO idempotency_keys (merchant_id, key, request_hash, claimed_at) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (merchant_id, key) DO UPDATE SET last_seen_at = excluded.claimed_at"
            " RETURNING request_hash, status, body, claimed_at, (xmax = 0) AS inserted",
            (merchant, key, request_hash, self._now),
        )
        if row.inserted:
            return None
        if row.request_hash != request_hash:
            raise ApiError(ErrorCode.IDEMPOTENCY_MISMATCH, "this key was used with another request")
        if row.status is not None:
            return StoredResponse(row.status, row.body)
        if self._now - row.claimed_at < LEASE:
            raise ApiError(ErrorCode.IDEMPOTENCY_IN_FLIGHT, "the first request still runs", retry_after_seconds=1)
        self._connection.execute(
            "UPDATE idempotency_keys SET claimed_at = %s WHERE merchant_id = %s AND key = %s",
            (self._now, merchant, key),
        )
        return None

    def complete(self, merchant: str, key: str, response: StoredResponse) -> None:
        """Keeps the response for replay, or frees the key if it must not be replayed."""
        if is_stored(response.status):
            self._connection.execute(
                "UPDATE idempotency_keys SET status = %s, body = %s WHERE merchant_id = %s AND key = %s",
                (response.status, response.body, merchant, key),
            )
        else:
            self._connection.execute(
                "DELETE FROM idempotency_keys WHERE merchant_id = %s AND key = %s", (merchant, key)
            )

    def purge(self) -> int:
        """Deletes what is older than the retention; returns how many rows went. Runs every ten minutes."""
        return self._connection.execute(
            "DELETE FROM idempotency_keys WHERE claimed_at < %s", (self._now - RETENTION,)
        )

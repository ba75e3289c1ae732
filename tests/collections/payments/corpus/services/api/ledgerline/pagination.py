"""Which page of a list is this, and where does the next one begin?

A cursor names the last row that was seen, not how many were seen: rows that arrive between two requests neither shift nor
repeat anything (ADR 0004).
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass

from .errors import ApiError, ErrorCode

DEFAULT_LIMIT = 20
MAX_LIMIT = 100


@dataclass(frozen=True)
class Cursor:
    """The sort key of the last row of a page: creation time, then id, both descending."""

    created_at: str
    id: str

    def encode(self) -> str:
        """An opaque string for the client. Its inside may change at any time."""
        return base64.urlsafe_b64encode(json.dumps([self.created_at, self.id]).encode()).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str) -> Cursor:
        """Reads what `encode` wrote; anything else is an `invalid_request`."""
        try:
            padded = text + "=" * (-len(text) % 4)
            created_at, row_id = json.loads(base64.urlsafe_b64decode(padded))
        except (ValueError, binascii.Error) as error:
            raise ApiError(ErrorCode.INVALID_REQUEST, "unknown cursor", "starting_after") from error
        return cls(created_at, row_id)


def page(connection, table: str, merchant: str, limit: int = DEFAULT_LIMIT, after: str | None = None) -> dict:
    """One page, newest first. Asks for one row more than the limit to learn whether there is a next page."""
    if not 1 <= limit <= MAX_LIMIT:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"limit is 1 to {MAX_LIMIT}", "limit")
    where, values = "merchant_id = %s", [merchant]
    if after is not None:
        cursor = Cursor.decode(after)
        where += " AND (created_at, id) < (%s, %s)"
        values += [cursor.created_at, cursor.id]
    rows = connection.fetch_all(
        f"SELECT * FROM {table} WHERE {where} ORDER BY created_at DESC, id DESC LIMIT %s", (*values, limit + 1)
    )
    data, has_more = rows[:limit], len(rows) > limit
    next_cursor = Cursor(data[-1].created_at, data[-1].id).encode() if has_more else None
    return {"data": data, "has_more": has_more, "next_cursor": next_cursor}

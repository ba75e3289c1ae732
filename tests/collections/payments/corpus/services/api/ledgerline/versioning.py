"""How does an old client get the answers that it knows?

The code knows the newest version alone. An answer for an older client goes backwards through the changes since that
client's version (ADR 0010, `docs/api/versioning.md`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .errors import ApiError, ErrorCode

HEADER = "Ledgerline-Version"


@dataclass(frozen=True)
class Change:
    """A breaking change: the version that brought it, and how to undo it in an answer."""

    version: str
    object: str
    undo: Callable[[dict], dict]


def flatten_amount(answer: dict) -> dict:
    """Before 2025-04-01 `amount` was a number beside `currency`, not an object."""
    money = answer.pop("amount")
    return {**answer, "amount": money["value"], "currency": money["currency"]}


def rename_requires_action(answer: dict) -> dict:
    """Before 2024-09-15 the state `requires_action` was called `requires_source_action`."""
    if answer.get("state") == "requires_action":
        return {**answer, "state": "requires_source_action"}
    return answer


#: Newest first.
CHANGES: tuple[Change, ...] = (
    Change("2025-04-01", "payment", flatten_amount),
    Change("2024-09-15", "payment", rename_requires_action),
)

SUPPORTED = ("2025-04-01", "2024-09-15", "2024-01-10")


def downgrade(answer: dict, kind: str, version: str) -> dict:
    """Undoes every change that is newer than the client's version, newest first."""
    if version not in SUPPORTED:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"unknown version {version}", HEADER)
    for change in CHANGES:
        if change.version > version and change.object == kind:
            answer = change.undo(answer)
    return answer

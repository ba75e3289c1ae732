"""Which errors does the API answer with, and with which HTTP status?

The catalogue itself is `config/error_codes.yaml`; the enum here and `generated/go/errcodes.go` follow it, and
`tests/test_errors.py` compares them. Merchants read `docs/api/errors.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class ErrorCode(str, Enum):
    """A stable, machine-readable reason. A code is never renamed and never reused."""

    INVALID_REQUEST = "invalid_request"
    AUTHENTICATION_FAILED = "authentication_failed"
    NOT_FOUND = "not_found"
    CARD_DECLINED = "card_declined"
    INSUFFICIENT_FUNDS = "insufficient_funds"
    AUTHENTICATION_REQUIRED = "authentication_required"
    IDEMPOTENCY_MISMATCH = "idempotency_mismatch"
    IDEMPOTENCY_IN_FLIGHT = "idempotency_in_flight"
    ILLEGAL_TRANSITION = "illegal_transition"
    REFUND_EXCEEDS_CAPTURE = "refund_exceeds_capture"
    REFUND_WINDOW_CLOSED = "refund_window_closed"
    REFUND_BLOCKED_BY_DISPUTE = "refund_blocked_by_dispute"
    EVIDENCE_LATE = "evidence_late"
    FX_QUOTE_EXPIRED = "fx_quote_expired"
    RATE_LIMITED = "rate_limited"
    BLOCKED_BY_RISK = "blocked_by_risk"
    ACQUIRER_UNAVAILABLE = "acquirer_unavailable"
    INTERNAL = "internal"


STATUS: dict[ErrorCode, int] = {
    ErrorCode.INVALID_REQUEST: 400,
    ErrorCode.AUTHENTICATION_FAILED: 401,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.CARD_DECLINED: 402,
    ErrorCode.INSUFFICIENT_FUNDS: 402,
    ErrorCode.AUTHENTICATION_REQUIRED: 402,
    ErrorCode.IDEMPOTENCY_MISMATCH: 409,
    ErrorCode.IDEMPOTENCY_IN_FLIGHT: 409,
    ErrorCode.ILLEGAL_TRANSITION: 409,
    ErrorCode.REFUND_EXCEEDS_CAPTURE: 422,
    ErrorCode.REFUND_WINDOW_CLOSED: 422,
    ErrorCode.REFUND_BLOCKED_BY_DISPUTE: 422,
    ErrorCode.EVIDENCE_LATE: 422,
    ErrorCode.FX_QUOTE_EXPIRED: 422,
    ErrorCode.RATE_LIMITED: 429,
    ErrorCode.BLOCKED_BY_RISK: 402,
    ErrorCode.ACQUIRER_UNAVAILABLE: 503,
    ErrorCode.INTERNAL: 500,
}

#: A client may send the same request again and hope for another answer.
RETRYABLE = frozenset(
    {
        ErrorCode.IDEMPOTENCY_IN_FLIGHT,
        ErrorCode.RATE_LIMITED,
        ErrorCode.ACQUIRER_UNAVAILABLE,
        ErrorCode.INTERNAL,
    }
)


@dataclass
class ApiError(Exception):
    """An error as the merchant sees it."""

    code: ErrorCode
    message: str
    param: str | None = None
    retry_after_seconds: int | None = None
    details: dict[str, str] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """The HTTP status that belongs to the code."""
        return STATUS[self.code]

    def body(self, request_id: str) -> dict:
        """The JSON body. `request_id` is what support asks for first."""
        error = {"code": self.code.value, "message": self.message, "request_id": request_id}
        if self.param is not None:
            error["param"] = self.param
        if self.details:
            error["details"] = self.details
        return {"error": error}

    def headers(self) -> dict[str, str]:
        """`Retry-After` where waiting helps, nothing otherwise."""
        if self.code in RETRYABLE and self.retry_after_seconds is not None:
            return {"Retry-After": str(self.retry_after_seconds)}
        return {}

"""In which state is a payment, and which step may come next?

The states and their arrows are drawn in `docs/payments/lifecycle.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import Enum

from . import ledger
from .errors import ApiError, ErrorCode

#: Card networks guarantee an authorisation for seven days; after that a capture may be declined.
AUTHORIZATION_WINDOW = timedelta(days=7)


class PaymentState(str, Enum):
    CREATED = "created"
    REQUIRES_ACTION = "requires_action"
    AUTHORIZED = "authorized"
    CAPTURED = "captured"
    VOIDED = "voided"
    FAILED = "failed"


TRANSITIONS: dict[PaymentState, frozenset[PaymentState]] = {
    PaymentState.CREATED: frozenset(
        {PaymentState.REQUIRES_ACTION, PaymentState.AUTHORIZED, PaymentState.FAILED}
    ),
    PaymentState.REQUIRES_ACTION: frozenset({PaymentState.AUTHORIZED, PaymentState.FAILED}),
    PaymentState.AUTHORIZED: frozenset({PaymentState.CAPTURED, PaymentState.VOIDED}),
    PaymentState.CAPTURED: frozenset(),
    PaymentState.VOIDED: frozenset(),
    PaymentState.FAILED: frozenset(),
}


@dataclass
class Payment:
    """One attempt to take money from one card. Amounts are in minor units of `currency`."""

    id: str
    merchant: str
    amount: int
    currency: str
    state: PaymentState = PaymentState.CREATED
    captured: int = 0
    refunded: int = 0
    disputed: int = 0
    #: Where the merchant is paid out in another currency: which one, and the rate that the capture was converted at.
    payout_currency: str | None = None
    fx_rate: Decimal | None = None
    authorized_at: datetime | None = None
    captured_at: datetime | None = None
    metadata: dict[str, str] = field(default_factory=dict)

    def advance(self, to: PaymentState) -> None:
        """Moves along one arrow, or raises `illegal_transition`."""
        if to not in TRANSITIONS[self.state]:
            raise ApiError(
                ErrorCode.ILLEGAL_TRANSITION, f"a payment cannot go from {self.state.value} to {to.value}"
            )
        self.state = to

    @property
    def refundable(self) -> int:
        """What is left to give back: captured, less what went back already, less what a bank has taken back."""
        return self.captured - self.refunded - self.disputed


def authorize(payment: Payment, acquirer, now: datetime) -> None:
    """Reserves the amount on the card. No money moves and nothing is posted to the ledger."""
    answer = acquirer.authorize(payment.id, payment.amount, payment.currency)
    if not answer.approved:
        payment.advance(PaymentState.FAILED)
        raise ApiError(ErrorCode(answer.reason), "the issuer declined the card")
    payment.advance(PaymentState.AUTHORIZED)
    payment.authorized_at = now


def capture(payment: Payment, acquirer, connection, now: datetime, amount: int | None = None) -> None:
    """Takes the reserved money, all of it or a part, once.

    The remainder of a partial capture is released: a second capture is an `illegal_transition`.
    """
    amount = payment.amount if amount is None else amount
    if not 0 < amount <= payment.amount:
        raise ApiError(ErrorCode.INVALID_REQUEST, "capture between 1 and the authorised amount", "amount")
    if payment.authorized_at is not None and now - payment.authorized_at > AUTHORIZATION_WINDOW:
        payment.advance(PaymentState.VOIDED)
        raise ApiError(ErrorCode.CARD_DECLINED, "the authorisation is older than seven days")
    payment.advance(PaymentState.CAPTURED)
    acquirer.capture(payment.id, amount)
    payment.captured, payment.captured_at = amount, now
    ledger.post(connection, ledger.capture_entries(payment))


def void(payment: Payment, acquirer) -> None:
    """Releases an authorisation that will not be captured, so that the cardholder can spend the money again."""
    payment.advance(PaymentState.VOIDED)
    acquirer.void(payment.id)

"""May this money go back, and how much of it?

Rules for merchants: `docs/payments/refunds.md`. The rate of a converted payment is that of its capture (ADR 0009).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from . import ledger
from .errors import ApiError, ErrorCode
from .fx import convert_at
from .payments import Payment, PaymentState

#: Card networks accept a credit for 180 days after the capture.
REFUND_WINDOW = timedelta(days=180)


@dataclass
class Refund:
    """Money on its way back to a cardholder. `pending` until the merchant's balance covers it."""

    id: str
    payment: str
    amount: int
    currency: str
    status: str


def create_refund(
    payment: Payment, amount: int | None, balance: int, connection, now: datetime, new_id: str
) -> Refund:
    """Refunds all that is left or a part of it.

    `balance` is what the merchant has available, in the currency that they are paid out in. Where it does not suffice the
    refund waits as `pending` and is tried again by `release_pending` after each capture of the merchant.
    """
    amount = payment.refundable if amount is None else amount
    check_refundable(payment, amount, now)
    payment.refunded += amount
    if balance < cost_to_merchant(payment, amount):
        return Refund(new_id, payment.id, amount, payment.currency, "pending")
    ledger.post(connection, ledger.refund_entries(payment, amount))
    return Refund(new_id, payment.id, amount, payment.currency, "submitted")


def check_refundable(payment: Payment, amount: int, now: datetime) -> None:
    """Raises the first reason why the refund is not allowed."""
    if payment.state is not PaymentState.CAPTURED or payment.captured_at is None:
        raise ApiError(ErrorCode.ILLEGAL_TRANSITION, "only a captured payment can be refunded; void it instead")
    if payment.disputed > 0:
        raise ApiError(
            ErrorCode.REFUND_BLOCKED_BY_DISPUTE, "an open dispute holds this payment; answer or accept it"
        )
    if now - payment.captured_at > REFUND_WINDOW:
        raise ApiError(ErrorCode.REFUND_WINDOW_CLOSED, "the capture is more than 180 days ago")
    if not 0 < amount <= payment.refundable:
        raise ApiError(
            ErrorCode.REFUND_EXCEEDS_CAPTURE, f"at most {payment.refundable} can be refunded", "amount"
        )


def cost_to_merchant(payment: Payment, amount: int) -> int:
    """What the refund takes from the balance: a converted payment goes back at its capture's rate, not at today's."""
    if payment.fx_rate is None or payment.payout_currency is None:
        return amount
    return convert_at(amount, payment.currency, payment.payout_currency, payment.fx_rate)


def release_pending(refunds: list[Refund], balance: int) -> list[Refund]:
    """The pending refunds that the balance covers now, oldest first. Stops at the first one that it does not."""
    released = []
    for refund in refunds:
        if refund.amount > balance:
            break
        balance -= refund.amount
        released.append(refund)
    return released

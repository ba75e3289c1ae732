"""Tests of `ledgerline.refunds`."""

from datetime import datetime, timedelta, timezone

import pytest

from ledgerline.errors import ApiError, ErrorCode
from ledgerline.payments import Payment, PaymentState
from ledgerline.refunds import REFUND_WINDOW, check_refundable, create_refund, release_pending, Refund

NOW = datetime(2025, 3, 3, 12, 0, tzinfo=timezone.utc)


def captured(amount=1000, **fields):
    return Payment("pay_1", "mer_1", amount, "EUR", PaymentState.CAPTURED, amount, captured_at=NOW, **fields)


@pytest.mark.parametrize(
    "payment, amount, now, code",
    [
        (captured(), 1001, NOW, ErrorCode.REFUND_EXCEEDS_CAPTURE),
        (captured(refunded=600), 401, NOW, ErrorCode.REFUND_EXCEEDS_CAPTURE),
        (captured(disputed=1000), 1, NOW, ErrorCode.REFUND_BLOCKED_BY_DISPUTE),
        (captured(), 1000, NOW + REFUND_WINDOW + timedelta(days=1), ErrorCode.REFUND_WINDOW_CLOSED),
    ],
)
def test_a_refund_is_refused(payment, amount, now, code):
    with pytest.raises(ApiError) as error:
        check_refundable(payment, amount, now)
    assert error.value.code is code


def test_without_enough_balance_the_refund_waits(connection):
    refund = create_refund(captured(), None, balance=999, connection=connection, now=NOW, new_id="rf_1")
    assert refund.status == "pending"
    assert connection.transactions == []


def test_pending_refunds_are_released_in_order():
    waiting = [Refund(f"rf_{n}", "pay_1", amount, "EUR", "pending") for n, amount in enumerate([300, 500, 100])]
    assert [refund.id for refund in release_pending(waiting, 700)] == ["rf_0"]

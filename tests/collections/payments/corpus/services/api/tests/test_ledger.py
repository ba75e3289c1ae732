"""Tests of `ledgerline.ledger`: no posting creates or destroys money."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgerline import ledger
from ledgerline.payments import Payment, PaymentState


def payment(amount):
    return Payment("pay_1", "mer_1", amount, "EUR", PaymentState.CAPTURED, amount)


@given(st.integers(min_value=26, max_value=10**9))
def test_every_posting_balances(amount):
    for transaction in (
        ledger.capture_entries(payment(amount)),
        ledger.refund_entries(payment(amount), amount),
        ledger.dispute_entries(payment(amount), amount, 1500),
        ledger.dispute_won_entries(payment(amount), amount, 1500),
    ):
        assert transaction.imbalance() == {}


def test_currencies_do_not_balance_each_other(connection):
    entries = (ledger.Entry("a", 100, "EUR"), ledger.Entry("b", -100, "USD"))
    with pytest.raises(ledger.Unbalanced):
        ledger.post(connection, ledger.Transaction("t", entries))


@pytest.mark.parametrize("amount, expected", [(1000, 39), (1250, 43), (3750, 77)])
def test_the_fee_is_rounded_half_to_even(amount, expected):
    assert ledger.fee(amount) == expected


def test_a_reversal_undoes_a_posting():
    posted = ledger.capture_entries(payment(1000))
    undone = ledger.reverse(posted, "pay_1:undo")
    sums = {}
    for entry in posted.entries + undone.entries:
        sums[entry.account] = sums.get(entry.account, 0) + entry.amount
    assert set(sums.values()) == {0}

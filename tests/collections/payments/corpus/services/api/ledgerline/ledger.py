"""Where is the money?

Every movement is a transaction of two or more entries whose sum is zero in each currency. Entries are never changed or
deleted: a mistake is corrected by `reverse` (`docs/ledger/double-entry.md`). The database holds the same rules again, in
`db/migrations/0007_ledger_entries.sql`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

CASH_IN_TRANSIT = "cash_in_transit"
FEE_REVENUE = "fee_revenue"
DISPUTE_RESERVE = "dispute_reserve"
FX_CLEARING = "fx_clearing"
SUSPENSE = "suspense"

#: Our price: 1.4 % and 0.25 in the payment's currency.
FEE_BASIS_POINTS = 140
FEE_FIXED = 25


def payable(merchant: str) -> str:
    """The account of what we owe to a merchant."""
    return f"merchant_payable:{merchant}"


@dataclass(frozen=True)
class Entry:
    """One line: positive is a debit, negative a credit, in minor units."""

    account: str
    amount: int
    currency: str


@dataclass(frozen=True)
class Transaction:
    """Entries that happen together, and the object that caused them."""

    cause: str
    entries: tuple[Entry, ...]

    def imbalance(self) -> dict[str, int]:
        """The currencies whose entries do not add up to zero, with what is over. Empty is good."""
        sums: dict[str, int] = defaultdict(int)
        for entry in self.entries:
            sums[entry.currency] += entry.amount
        return {currency: total for currency, total in sums.items() if total != 0}


class Unbalanced(Exception):
    """A transaction that would create or destroy money."""


def post(connection, transaction: Transaction) -> str:
    """Appends a balanced transaction within the caller's database transaction; returns its id."""
    over = transaction.imbalance()
    if over or len(transaction.entries) < 2:
        raise Unbalanced(f"{transaction.cause}: {over or 'fewer than two entries'}")
    return connection.append_entries(transaction.cause, transaction.entries)


def reverse(transaction: Transaction, cause: str) -> Transaction:
    """The same entries with the signs turned, to undo a posting without erasing it."""
    entries = tuple(Entry(entry.account, -entry.amount, entry.currency) for entry in transaction.entries)
    return Transaction(cause, entries)


def fee(amount: int) -> int:
    """Our fee, rounded half to even (ADR 0005)."""
    quotient, rest = divmod(amount * FEE_BASIS_POINTS, 10_000)
    if rest > 5_000 or (rest == 5_000 and quotient % 2 == 1):
        quotient += 1
    return quotient + FEE_FIXED


def capture_entries(payment) -> Transaction:
    """The acquirer owes us the amount; we owe it to the merchant, less our fee."""
    charged = fee(payment.captured)
    return Transaction(
        payment.id,
        (
            Entry(CASH_IN_TRANSIT, payment.captured, payment.currency),
            Entry(payable(payment.merchant), charged - payment.captured, payment.currency),
            Entry(FEE_REVENUE, -charged, payment.currency),
        ),
    )


def refund_entries(payment, amount: int) -> Transaction:
    """The merchant gives the amount back. Our fee stays with us."""
    return Transaction(
        payment.id,
        (
            Entry(payable(payment.merchant), amount, payment.currency),
            Entry(CASH_IN_TRANSIT, -amount, payment.currency),
        ),
    )


def dispute_entries(payment, amount: int, dispute_fee: int) -> Transaction:
    """The network takes the amount at once; the merchant's share and the fee wait in the reserve."""
    return Transaction(
        payment.id,
        (
            Entry(payable(payment.merchant), amount + dispute_fee, payment.currency),
            Entry(DISPUTE_RESERVE, -dispute_fee, payment.currency),
            Entry(CASH_IN_TRANSIT, -amount, payment.currency),
        ),
    )


def dispute_won_entries(payment, amount: int, dispute_fee: int) -> Transaction:
    """Undoes `dispute_entries`."""
    return reverse(dispute_entries(payment, amount, dispute_fee), f"{payment.id}:won")

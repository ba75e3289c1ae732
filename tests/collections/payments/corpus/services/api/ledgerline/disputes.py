"""A cardholder's bank wants the money back: what happens to it, and until when can the merchant answer?

See `docs/payments/disputes.md` for the stages and `docs/ledger/double-entry.md` for the accounts.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from . import ledger
from .errors import ApiError, ErrorCode
from .payments import Payment

#: The merchant's deadline lies before the network's, so that a person can read the evidence before it leaves.
REVIEW_MARGIN = timedelta(days=3)

#: Charged in minor units of EUR when a chargeback opens; given back when it is won.
DISPUTE_FEE = 1500

MAX_EVIDENCE_BYTES = 5 * 1024 * 1024


class Stage(str, Enum):
    INQUIRY = "inquiry"
    CHARGEBACK = "chargeback"
    PRE_ARBITRATION = "pre_arbitration"
    ARBITRATION = "arbitration"


class Outcome(str, Enum):
    OPEN = "open"
    WON = "won"
    LOST = "lost"
    ACCEPTED = "accepted"


@dataclass
class Dispute:
    """A claim of the issuing bank on one captured payment."""

    id: str
    payment: str
    amount: int
    currency: str
    reason: str
    stage: Stage
    network_deadline: datetime
    outcome: Outcome = Outcome.OPEN

    @property
    def evidence_deadline(self) -> datetime:
        """Until when the merchant can send evidence."""
        return self.network_deadline - REVIEW_MARGIN


def open_dispute(payment: Payment, dispute: Dispute, connection) -> None:
    """Books what the network has taken. An inquiry is a question only: no money moves and there is no fee."""
    if dispute.stage is Stage.INQUIRY:
        return
    payment.disputed += dispute.amount
    ledger.post(connection, ledger.dispute_entries(payment, dispute.amount, DISPUTE_FEE))


def submit_evidence(dispute: Dispute, files: list[bytes], now: datetime) -> None:
    """Accepts evidence once, before the deadline and within the size limit of the networks."""
    if now > dispute.evidence_deadline:
        raise ApiError(ErrorCode.EVIDENCE_LATE, f"evidence was due on {dispute.evidence_deadline:%Y-%m-%d}")
    if sum(len(file) for file in files) > MAX_EVIDENCE_BYTES:
        raise ApiError(ErrorCode.INVALID_REQUEST, "evidence is at most 5 MiB in total", "files")


def close(payment: Payment, dispute: Dispute, outcome: Outcome, connection) -> None:
    """Ends a dispute. A won one returns amount and fee; a lost or accepted one leaves them where they are."""
    dispute.outcome = outcome
    if outcome is Outcome.WON and dispute.stage is not Stage.INQUIRY:
        payment.disputed -= dispute.amount
        ledger.post(connection, ledger.dispute_won_entries(payment, dispute.amount, DISPUTE_FEE))

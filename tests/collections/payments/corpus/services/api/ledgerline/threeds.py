"""Does the cardholder have to prove who they are?

Strong customer authentication is asked for unless an exemption applies; `docs/payments/three-d-secure.md` explains each.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum

#: A cardholder who has not answered the challenge by then fails the payment.
CHALLENGE_TIMEOUT = timedelta(minutes=10)

LOW_VALUE_EUR = 3000
LOW_VALUE_STREAK = 5
LOW_VALUE_SUM_EUR = 10000

#: Fraud rate of the acquirer in basis points -> largest amount in EUR cents that may pass on risk analysis alone.
RISK_ANALYSIS_BANDS = ((1, 50000), (6, 25000), (13, 10000))


class Exemption(str, Enum):
    NONE = "none"
    LOW_VALUE = "low_value"
    RISK_ANALYSIS = "transaction_risk_analysis"
    MERCHANT_INITIATED = "merchant_initiated"
    TRUSTED_BENEFICIARY = "trusted_beneficiary"


@dataclass(frozen=True)
class CardHistory:
    """What was let through on this card since its holder last proved themselves."""

    exempted_count: int
    exempted_sum_eur: int


def exemption(
    amount_eur: int, history: CardHistory, risk_score: int, fraud_rate_bp: int, initiated_by_merchant: bool, trusted: bool
) -> Exemption:
    """The first exemption that holds. With one, we and not the issuer carry the loss of a fraud."""
    if initiated_by_merchant:
        return Exemption.MERCHANT_INITIATED
    if trusted:
        return Exemption.TRUSTED_BENEFICIARY
    is_small = (
        amount_eur <= LOW_VALUE_EUR
        and history.exempted_count < LOW_VALUE_STREAK
        and history.exempted_sum_eur + amount_eur <= LOW_VALUE_SUM_EUR
    )
    if is_small:
        return Exemption.LOW_VALUE
    if risk_score < 20 and any(fraud_rate_bp <= rate and amount_eur <= most for rate, most in RISK_ANALYSIS_BANDS):
        return Exemption.RISK_ANALYSIS
    return Exemption.NONE


def liability_shifts(eci: str, used: Exemption) -> bool:
    """Whether the issuer bears a fraud: only after a real authentication, full (05/02) or attempted (06/01)."""
    return used is Exemption.NONE and eci in ("05", "02", "06", "01")

"""What is an amount worth in another currency?

A quote is a promise for a quarter of an hour (`docs/payments/fx.md`). The mid-market rate comes from the provider, and from
the European Central Bank's daily table while the provider is silent.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal

from .errors import ApiError, ErrorCode

QUOTE_LIFETIME = timedelta(minutes=15)

#: Our margin on the mid-market rate.
MARKUP_BASIS_POINTS = 150

#: An older provider rate is not quoted from.
STALE_AFTER = timedelta(minutes=5)

EXPONENTS = {"JPY": 0, "KRW": 0, "KWD": 3, "BHD": 3}


@dataclass(frozen=True)
class FxQuote:
    """How many units of `target` one unit of `source` buys, until when."""

    id: str
    source: str
    target: str
    rate: Decimal
    expires_at: datetime

    def convert(self, amount: int, now: datetime) -> int:
        """Minor units of `source` into minor units of `target`, rounded half to even."""
        if now >= self.expires_at:
            raise ApiError(ErrorCode.FX_QUOTE_EXPIRED, "the quote has expired; ask for a new one", "fx_quote")
        return convert_at(amount, self.source, self.target, self.rate)


def exponent(currency: str) -> int:
    """How many decimal places the currency has. Two, unless the table says otherwise."""
    return EXPONENTS.get(currency, 2)


def convert_at(amount: int, source: str, target: str, rate: Decimal) -> int:
    """Converts at a given rate, without a look at the clock. Refunds call it with the rate of the capture."""
    shift = Decimal(10) ** (exponent(target) - exponent(source))
    return int((Decimal(amount) * rate * shift).quantize(Decimal(1), rounding=ROUND_HALF_EVEN))


def mid_rate(source: str, target: str, provider, central_bank, now: datetime) -> Decimal:
    """The provider's rate if it is fresh, else the central bank's of the day."""
    rate = provider.latest(source, target)
    if rate is not None and now - rate.at <= STALE_AFTER:
        return rate.value
    return central_bank.daily(source, target, now.date())


def quote(source: str, target: str, provider, central_bank, now: datetime, new_id: str) -> FxQuote:
    """Offers a rate: mid-market less our margin."""
    mid = mid_rate(source, target, provider, central_bank, now)
    rate = mid * (Decimal(10_000 - MARKUP_BASIS_POINTS) / Decimal(10_000))
    return FxQuote(new_id, source, target, rate, now + QUOTE_LIFETIME)

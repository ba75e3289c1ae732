"""Ledgerline's payments API.

The modules are imported by name inside the service. What other packages may use is re-exported here, and nothing else is
public.
"""

from .errors import ApiError, ErrorCode
from .fx import FxQuote, quote
from .idempotency import IdempotencyStore, fingerprint
from .ledger import Entry, Transaction, post
from .payments import Payment, PaymentState
from .refunds import Refund, create_refund
from .signing import sign, verify

__all__ = [
    "ApiError",
    "Entry",
    "ErrorCode",
    "FxQuote",
    "IdempotencyStore",
    "Payment",
    "PaymentState",
    "Refund",
    "Transaction",
    "create_refund",
    "fingerprint",
    "post",
    "quote",
    "sign",
    "verify",
]

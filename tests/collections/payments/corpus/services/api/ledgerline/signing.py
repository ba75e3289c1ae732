"""Did this webhook come from Ledgerline?

The same scheme stands in Go (`services/webhooks/signer.go`), which signs, and in TypeScript (`sdk/typescript/src/webhooks.ts`),
which verifies. `docs/webhooks/signing.md` describes it.
"""

from __future__ import annotations

import hashlib
import hmac

HEADER = "Ledgerline-Signature"

#: How old a signature may be. An older one may be a replay of a recorded delivery.
TOLERANCE_SECONDS = 300


class SignatureError(Exception):
    """The payload must not be trusted; the message says why."""


def sign(secret: bytes, timestamp: int, payload: bytes) -> str:
    """The lower-case hex HMAC-SHA256 over `timestamp`, a dot and the payload."""
    return hmac.new(secret, b"%d." % timestamp + payload, hashlib.sha256).hexdigest()


def parse(header: str) -> tuple[int, list[str]]:
    """Splits `t=…,v1=…,v1=…`. Schemes that are not known are passed over, so that a `v2` can come beside `v1`."""
    timestamp, signatures = None, []
    for part in header.split(","):
        name, _, value = part.strip().partition("=")
        if name == "t" and value.isdigit():
            timestamp = int(value)
        elif name == "v1":
            signatures.append(value)
    if timestamp is None or not signatures:
        raise SignatureError(f"{HEADER} has no timestamp or no v1 signature")
    return timestamp, signatures


def verify(secrets: list[bytes], header: str, payload: bytes, now: int) -> None:
    """Raises unless one of the secrets made one of the signatures lately.

    There are two secrets while one is being rotated. The payload is the raw body: parsed and serialised again it is
    another one.
    """
    timestamp, signatures = parse(header)
    if abs(now - timestamp) > TOLERANCE_SECONDS:
        raise SignatureError("the timestamp is outside the tolerance")
    expected = [sign(secret, timestamp, payload) for secret in secrets]
    if not any(hmac.compare_digest(one, other) for one in expected for other in signatures):
        raise SignatureError("no signature matches")

"""Charges a card with the bare HTTP API: create, handle 3-D Secure, capture.

Run it with a test key: `LEDGERLINE_KEY=… python accept_payment.py tok_test_visa`.
"""

import os
import sys
import uuid

import requests

BASE = "https://api.ledgerline.example/v1"


def call(path: str, body: dict, key: str) -> dict:
    """Posts with an idempotency key, so that it can be run again after a lost answer."""
    response = requests.post(
        BASE + path,
        json=body,
        timeout=10,
        headers={
            "Authorization": f"Bearer {os.environ['LEDGERLINE_KEY']}",
            "Idempotency-Key": key,
            "Ledgerline-Version": "2025-04-01",
        },
    )
    answer = response.json()
    if not response.ok:
        sys.exit(f"{answer['error']['code']}: {answer['error']['message']} ({answer['error']['request_id']})")
    return answer


def main() -> None:
    order = str(uuid.uuid4())
    payment = call(
        "/payments",
        {"amount": {"value": 1250, "currency": "EUR"}, "token": sys.argv[1], "capture": False},
        f"{order}-create",
    )
    if payment["state"] == "requires_action":
        print("send the customer to", payment["next_action"]["redirect_url"])
        return
    captured = call(f"/payments/{payment['id']}/capture", {}, f"{order}-capture")
    print(captured["id"], captured["state"])


if __name__ == "__main__":
    main()

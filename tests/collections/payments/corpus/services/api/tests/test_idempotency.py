"""Tests of `ledgerline.idempotency`, against a real Postgres (`make db`)."""

from datetime import datetime, timedelta, timezone

import pytest

from ledgerline.errors import ApiError, ErrorCode
from ledgerline.idempotency import LEASE, RETENTION, IdempotencyStore, StoredResponse, fingerprint

NOW = datetime(2025, 3, 3, 12, 0, tzinfo=timezone.utc)


def test_the_order_of_fields_does_not_change_the_fingerprint():
    left = fingerprint("POST", "/v1/payments", {"amount": 100, "currency": "EUR"})
    right = fingerprint("POST", "/v1/payments", {"currency": "EUR", "amount": 100})
    assert left == right


def test_the_second_request_is_answered_with_the_first_response(connection):
    store = IdempotencyStore(connection, NOW)
    assert store.claim("mer_1", "k", "hash") is None
    store.complete("mer_1", "k", StoredResponse(201, b"{}"))
    assert store.claim("mer_1", "k", "hash") == StoredResponse(201, b"{}")


def test_a_key_cannot_be_used_for_another_request(connection):
    store = IdempotencyStore(connection, NOW)
    store.claim("mer_1", "k", "hash")
    with pytest.raises(ApiError) as error:
        store.claim("mer_1", "k", "other")
    assert error.value.code is ErrorCode.IDEMPOTENCY_MISMATCH


@pytest.mark.parametrize("age, taken_over", [(LEASE - timedelta(seconds=1), False), (LEASE, True)])
def test_a_claim_is_taken_over_after_its_lease(connection, age, taken_over):
    IdempotencyStore(connection, NOW - age).claim("mer_1", "k", "hash")
    store = IdempotencyStore(connection, NOW)
    if taken_over:
        assert store.claim("mer_1", "k", "hash") is None
    else:
        with pytest.raises(ApiError):
            store.claim("mer_1", "k", "hash")


def test_a_server_error_is_not_replayed(connection):
    store = IdempotencyStore(connection, NOW)
    store.claim("mer_1", "k", "hash")
    store.complete("mer_1", "k", StoredResponse(503, b"{}"))
    assert store.claim("mer_1", "k", "hash") is None


def test_purge_keeps_what_is_within_the_retention(connection):
    IdempotencyStore(connection, NOW - RETENTION - timedelta(seconds=1)).claim("mer_1", "old", "hash")
    IdempotencyStore(connection, NOW - timedelta(hours=26)).claim("mer_1", "late mobile retry", "hash")
    assert IdempotencyStore(connection, NOW).purge() == 1

-- One row an Idempotency-Key of a merchant: claimed before the work, completed with the response.
-- Read and written by services/api/ledgerline/idempotency.py.

CREATE TABLE idempotency_keys (
    merchant_id   text NOT NULL,
    key           text NOT NULL CHECK (length(key) BETWEEN 1 AND 64),
    request_hash  text NOT NULL,
    status        smallint,      -- null while the first request runs
    body          bytea,
    claimed_at    timestamptz NOT NULL,
    last_seen_at  timestamptz,
    PRIMARY KEY (merchant_id, key)
);

-- For the purge, which deletes by age every ten minutes.
CREATE INDEX idempotency_keys_by_age ON idempotency_keys USING brin (claimed_at);

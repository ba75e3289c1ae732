-- Transactional outbox (ADR 0006): an event is committed together with the change that it tells of.

CREATE TABLE webhook_outbox (
    id               text PRIMARY KEY,
    endpoint_id      text NOT NULL,
    object_id        text NOT NULL,
    sequence         bigint NOT NULL,
    type             text NOT NULL,
    body             jsonb NOT NULL,
    attempt          smallint NOT NULL DEFAULT 0,
    next_attempt_at  timestamptz NOT NULL DEFAULT now(),
    locked_until     timestamptz,
    delivered_at     timestamptz,
    created_at       timestamptz NOT NULL DEFAULT now(),
    UNIQUE (endpoint_id, object_id, sequence)
);

-- What the dispatcher looks for. Delivered rows are in no index and are dropped after 30 days.
CREATE INDEX webhook_outbox_due ON webhook_outbox (next_attempt_at) WHERE delivered_at IS NULL;

CREATE TABLE webhook_dead_letters (
    LIKE webhook_outbox,
    reason      text NOT NULL,
    gave_up_at  timestamptz NOT NULL
);

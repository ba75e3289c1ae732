-- The whole schema as of migration 0023, for reading. It is written by `make schema`; changes go into db/migrations.

CREATE TABLE merchants (
    id          text PRIMARY KEY,
    name        text NOT NULL,
    country     char(2) NOT NULL,
    status      text NOT NULL CHECK (status IN ('onboarding', 'active', 'suspended', 'closed')),
    created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE payments (
    id             text PRIMARY KEY,
    merchant_id    text NOT NULL REFERENCES merchants,
    token          text NOT NULL,              -- of the vault; a card number never gets here
    amount         bigint NOT NULL CHECK (amount > 0),
    currency       char(3) NOT NULL,
    state          text NOT NULL,
    captured       bigint NOT NULL DEFAULT 0 CHECK (captured <= amount),
    refunded       bigint NOT NULL DEFAULT 0 CHECK (refunded <= captured),
    disputed       bigint NOT NULL DEFAULT 0,
    fx_rate        numeric(18, 8),             -- of the capture; refunds use it again
    authorized_at  timestamptz,
    captured_at    timestamptz,
    created_at     timestamptz NOT NULL DEFAULT now()
);

-- The order of a list and of its cursors.
CREATE INDEX payments_by_merchant ON payments (merchant_id, created_at DESC, id DESC);

CREATE TABLE refunds (
    id          text PRIMARY KEY,
    payment_id  text NOT NULL REFERENCES payments,
    amount      bigint NOT NULL CHECK (amount > 0),
    status      text NOT NULL CHECK (status IN ('pending', 'submitted', 'succeeded', 'failed')),
    created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE disputes (
    id                text PRIMARY KEY,
    payment_id        text NOT NULL REFERENCES payments,
    amount            bigint NOT NULL CHECK (amount > 0),
    reason            text NOT NULL,
    stage             text NOT NULL CHECK (stage IN ('inquiry', 'chargeback', 'pre_arbitration', 'arbitration')),
    outcome           text NOT NULL DEFAULT 'open' CHECK (outcome IN ('open', 'won', 'lost', 'accepted')),
    network_deadline  timestamptz NOT NULL
);

CREATE TABLE payouts (
    id            text PRIMARY KEY,
    batch_key     text NOT NULL UNIQUE,        -- merchant/currency/day: a day is paid once
    merchant_id   text NOT NULL REFERENCES merchants,
    amount        bigint NOT NULL CHECK (amount > 0),
    currency      char(3) NOT NULL,
    status        text NOT NULL CHECK (status IN ('created', 'submitted', 'accepted', 'settled', 'rejected')),
    file_name     text,
    value_date    date NOT NULL,
    submitted_at  timestamptz,
    created_at    timestamptz NOT NULL DEFAULT now()
);

-- Holds keep a merchant's payouts back while their payments go on. Any open hold suffices.

CREATE TABLE payout_holds (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    merchant_id  text NOT NULL REFERENCES merchants,
    reason       text NOT NULL CHECK (reason IN ('new_merchant', 'risk_review', 'bank_rejected')),
    opened_by    text NOT NULL,
    opened_at    timestamptz NOT NULL DEFAULT now(),
    released_by  text,
    released_at  timestamptz,
    -- Four eyes: who opens a hold for risk does not release it.
    CHECK (reason <> 'risk_review' OR released_by IS DISTINCT FROM opened_by)
);

CREATE UNIQUE INDEX payout_holds_open ON payout_holds (merchant_id, reason) WHERE released_at IS NULL;

-- Double-entry ledger: transactions whose entries add up to zero in each currency, and which nobody can change.

CREATE TABLE ledger_transactions (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cause      text NOT NULL,
    posted_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE ledger_entries (
    transaction_id  bigint NOT NULL REFERENCES ledger_transactions,
    line            smallint NOT NULL,
    account         text NOT NULL,
    amount          bigint NOT NULL CHECK (amount <> 0),
    currency        char(3) NOT NULL,
    PRIMARY KEY (transaction_id, line)
);

CREATE INDEX ledger_entries_by_account ON ledger_entries (account, currency);

-- Refuses a commit with an unbalanced transaction. Deferred: the entries arrive one by one.
CREATE FUNCTION assert_balanced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM ledger_entries WHERE transaction_id = NEW.transaction_id GROUP BY currency HAVING sum(amount) <> 0
    ) THEN
        RAISE EXCEPTION 'ledger transaction % does not balance', NEW.transaction_id;
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER ledger_balanced AFTER INSERT ON ledger_entries
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION assert_balanced();

-- Append-only: a mistake is reversed by a new transaction.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger is append-only; post a reversal';
END $$;

CREATE TRIGGER ledger_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

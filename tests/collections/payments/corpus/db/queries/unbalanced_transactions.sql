-- Ledger transactions that do not add up to zero. Must return no row; runs every night and after each failover.
SELECT t.id, t.cause, t.posted_at, e.currency, sum(e.amount) AS over
FROM ledger_transactions t
JOIN ledger_entries e ON e.transaction_id = t.id
GROUP BY t.id, t.cause, t.posted_at, e.currency
HAVING sum(e.amount) <> 0
ORDER BY t.posted_at;

-- Payouts that the bank has not acknowledged six hours after we submitted them. See docs/runbooks/stuck-payouts.md.
SELECT p.id, p.merchant_id, p.amount, p.currency, p.file_name, p.submitted_at, now() - p.submitted_at AS waiting
FROM payouts p
WHERE p.status = 'submitted'
  AND p.submitted_at < now() - interval '6 hours'
ORDER BY p.file_name, p.submitted_at;

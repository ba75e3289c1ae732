#!/usr/bin/env bash
# Brings dead letters back into the outbox, a slice at a time:
#   scripts/replay_webhooks.sh ENDPOINT SINCE [PER_MINUTE]
# Attempts start again at zero. Order does not matter: merchants drop old sequences (ADR 0011).
set -euo pipefail

endpoint=${1:?usage: replay_webhooks.sh ENDPOINT SINCE [PER_MINUTE]}
since=${2:?since when, such as 2025-06-01T00:00Z}
per_minute=${3:-500}

while :; do
  moved=$(psql "$DATABASE_URL" -At -v ON_ERROR_STOP=1 <<SQL
WITH slice AS (
    DELETE FROM webhook_dead_letters WHERE id IN (
        SELECT id FROM webhook_dead_letters WHERE endpoint_id = '$endpoint' AND gave_up_at >= '$since'
        ORDER BY created_at LIMIT $per_minute)
    RETURNING id, endpoint_id, object_id, sequence, type, body)
, back AS (
    INSERT INTO webhook_outbox (id, endpoint_id, object_id, sequence, type, body) SELECT * FROM slice RETURNING 1)
SELECT count(*) FROM back;
SQL
)
  echo "moved $moved"
  [[ "$moved" -gt 0 ]] || break
  sleep 60
done

#!/usr/bin/env bash
# Gives a webhook endpoint a second signing secret and lets the first one expire after the overlap.
#   scripts/rotate_webhook_secret.sh ENDPOINT [OVERLAP_HOURS]
# Both secrets sign in between, so the merchant can switch at any moment. See docs/runbooks/key-rotation.md.
set -euo pipefail

endpoint=${1:?usage: rotate_webhook_secret.sh ENDPOINT [OVERLAP_HOURS]}
overlap_hours=${2:-24}

active=$(psql "$DATABASE_URL" -At -c \
  "SELECT count(*) FROM endpoint_secrets WHERE endpoint_id = '$endpoint' AND (expires_at IS NULL OR expires_at > now())")
if [[ "$active" -ne 1 ]]; then
  echo "error: $endpoint has $active active secrets, a rotation is under way" >&2
  exit 1
fi

fresh=$(openssl rand -hex 32)
psql "$DATABASE_URL" --single-transaction --quiet <<SQL
UPDATE endpoint_secrets SET expires_at = now() + interval '$overlap_hours hours'
WHERE endpoint_id = '$endpoint' AND expires_at IS NULL;
INSERT INTO endpoint_secrets (endpoint_id, value) VALUES ('$endpoint', '$fresh');
SQL
echo "the new secret is shown in the merchant's dashboard; the old one expires in $overlap_hours hours"

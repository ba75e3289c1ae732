#!/usr/bin/env bash
# Cuts a primary off so that it cannot accept a write any more, even if it comes back: takes its address out of the
# connection pool, closes its port at the security group and stops its service, in that order.
set -euo pipefail

cluster=${1:?usage: fence_primary.sh CLUSTER}
primary=$(patronictl list "$cluster" --format json | jq -r '.[] | select(.Role == "Leader") | .Host')

psql "$PGBOUNCER_URL" -c "DISABLE $cluster" -c "KILL $cluster"
netctl deny --host "$primary" --port 5432
ssh -o ConnectTimeout=5 "$primary" sudo systemctl stop patroni || echo "warning: $primary does not answer; the port is closed"

#!/usr/bin/env bash
# Promotes the synchronous standby. Asks before each step; docs/runbooks/database-failover.md says when to run it.
set -euo pipefail

cluster=${1:?usage: db_failover.sh CLUSTER}
standby=$(patronictl list "$cluster" --format json | jq -r '.[] | select(.Role == "Sync Standby") | .Member')
[[ -n "$standby" ]] || { echo "error: $cluster has no synchronous standby; promoting another one loses payments" >&2; exit 1; }

confirm() {
  read -r -p "$1 [yes] " answer
  [[ "$answer" == yes ]] || exit 1
}

confirm "fence the old primary of $cluster?"
patronictl pause "$cluster"
./scripts/fence_primary.sh "$cluster"

confirm "promote $standby?"
patronictl failover "$cluster" --candidate "$standby" --force
patronictl resume "$cluster"

echo "checking the ledger"
over=$(psql "$DATABASE_URL" -At -f db/queries/unbalanced_transactions.sql | wc -l)
if [[ "$over" -ne 0 ]]; then
  echo "error: $over unbalanced transactions; keep settlement stopped and page finance" >&2
  exit 1
fi
echo "done; restart the settlement batch by hand"

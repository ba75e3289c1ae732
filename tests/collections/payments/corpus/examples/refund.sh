#!/usr/bin/env bash
# Refunds a payment, all of it or an amount in minor units:
#   LEDGERLINE_KEY=… ./refund.sh pay_01J8… [500]
set -euo pipefail

payment=${1:?usage: refund.sh PAYMENT [AMOUNT]}
amount=${2:-null}

# The key names what is wanted, not the attempt: run twice, it refunds once.
curl --fail-with-body --silent --show-error --max-time 10 \
  --header "Authorization: Bearer ${LEDGERLINE_KEY:?}" \
  --header "Idempotency-Key: refund-${payment}-${amount}" \
  --header "Ledgerline-Version: 2025-04-01" \
  --json "{\"payment\": \"${payment}\", \"amount\": ${amount}}" \
  https://api.ledgerline.example/v1/refunds

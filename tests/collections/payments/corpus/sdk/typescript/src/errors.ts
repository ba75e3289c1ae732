import type { ErrorBody } from "./types.generated.js";

/** Codes after which the same request may be sent again, with the same idempotency key. */
const RETRYABLE = new Set(["idempotency_in_flight", "rate_limited", "acquirer_unavailable", "internal"]);

/** What the API answered instead of a result. */
export class LedgerlineError extends Error {
  readonly code: string;
  readonly status: number;
  readonly requestId: string;
  readonly param?: string;
  /** Seconds to wait before another attempt, where the API says so. */
  readonly retryAfterSeconds?: number;

  constructor(status: number, body: ErrorBody, retryAfter: string | null) {
    super(body.error.message);
    this.name = "LedgerlineError";
    this.status = status;
    this.code = body.error.code;
    this.requestId = body.error.request_id;
    this.param = body.error.param;
    this.retryAfterSeconds = retryAfter === null ? undefined : Number(retryAfter);
  }
}

/** Whether another attempt can end otherwise. A failure of the network can, a declined card cannot. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof LedgerlineError) {
    return RETRYABLE.has(error.code);
  }
  return error instanceof TypeError;
}

import { isRetryable, LedgerlineError } from "./errors.js";

/** How often and how long the SDK tries. */
export interface RetryPolicy {
  /** Attempts in all, the first included. */
  attempts: number;
  firstDelayMs: number;
  longestDelayMs: number;
}

export const DEFAULT_POLICY: RetryPolicy = { attempts: 4, firstDelayMs: 250, longestDelayMs: 8_000 };

/**
 * Calls until it succeeds, fails for good, or the attempts are used up.
 *
 * Every attempt carries the same idempotency key: the caller makes it once, outside. Between attempts it waits a random
 * time up to a bound that doubles ("full jitter"), or as long as `Retry-After` says, if that is longer.
 */
export async function withRetries<T>(
  call: () => Promise<T>,
  policy: RetryPolicy = DEFAULT_POLICY,
  sleep: (ms: number) => Promise<void> = (ms) => new Promise((wake) => setTimeout(wake, ms)),
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= policy.attempts || !isRetryable(error)) {
        throw error;
      }
      await sleep(delayMs(attempt, policy, error));
    }
  }
}

function delayMs(attempt: number, policy: RetryPolicy, error: unknown): number {
  const bound = Math.min(policy.longestDelayMs, policy.firstDelayMs * 2 ** (attempt - 1));
  const asked = error instanceof LedgerlineError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  return Math.max(asked, Math.random() * bound);
}

/** Everything that the package exports. */
export { Ledgerline, type LedgerlineOptions } from "./client.js";
export { LedgerlineError, isRetryable } from "./errors.js";
export { listAll, type Page } from "./pagination.js";
export { withRetries, type RetryPolicy } from "./retry.js";
export { OfflineQueue, type QueuedPayment } from "./offline.js";
export { constructEvent, verifySignature, type WebhookEvent } from "./webhooks.js";
export type * from "./types.generated.js";

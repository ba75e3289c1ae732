import { randomUUID } from "node:crypto";

import { LedgerlineError } from "./errors.js";
import { listAll } from "./pagination.js";
import { DEFAULT_POLICY, withRetries, type RetryPolicy } from "./retry.js";
import type { Money, Payment, Refund } from "./types.generated.js";

/** The API version that this release of the SDK is written for. */
const API_VERSION = "2025-04-01";

export interface LedgerlineOptions {
  apiKey: string;
  baseUrl?: string;
  retries?: RetryPolicy;
  fetch?: typeof fetch;
}

/** A client of the Ledgerline API. It holds no state but its settings and can be shared. */
export class Ledgerline {
  readonly #options: Required<LedgerlineOptions>;

  constructor(options: LedgerlineOptions) {
    this.#options = {
      baseUrl: "https://api.ledgerline.example/v1",
      retries: DEFAULT_POLICY,
      fetch: globalThis.fetch,
      ...options,
    };
  }

  /** Charges a tokenised card. Pass your order's id as `idempotencyKey` where you have one. */
  createPayment(
    body: { amount: Money; token: string; capture?: boolean; metadata?: Record<string, string> },
    idempotencyKey: string = randomUUID(),
  ): Promise<Payment> {
    return this.#post("/payments", body, idempotencyKey);
  }

  /** Takes an authorised amount, or a part of it. */
  capturePayment(id: string, amount?: number, idempotencyKey: string = randomUUID()): Promise<Payment> {
    return this.#post(`/payments/${id}/capture`, { amount }, idempotencyKey);
  }

  /** Gives money back: all that is left, or a part. */
  refund(payment: string, amount?: number, idempotencyKey: string = randomUUID()): Promise<Refund> {
    return this.#post("/refunds", { payment, amount }, idempotencyKey);
  }

  /** All payments, newest first, page by page as they are needed. */
  payments(): AsyncGenerator<Payment> {
    return listAll((after) => this.#send("GET", `/payments?limit=100${after ? `&starting_after=${after}` : ""}`));
  }

  #post<T>(path: string, body: unknown, idempotencyKey: string): Promise<T> {
    return withRetries(() => this.#send<T>("POST", path, body, idempotencyKey), this.#options.retries);
  }

  async #send<T>(method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<T> {
    const headers: Record<string, string> = {
      Authorization: `Bearer ${this.#options.apiKey}`,
      "Content-Type": "application/json",
      "Ledgerline-Version": API_VERSION,
    };
    if (idempotencyKey !== undefined) {
      headers["Idempotency-Key"] = idempotencyKey;
    }
    const response = await this.#options.fetch(this.#options.baseUrl + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) {
      throw new LedgerlineError(response.status, answer, response.headers.get("Retry-After"));
    }
    return answer as T;
  }
}

import { isRetryable } from "./errors.js";

/** A payment that was taken while there was no network, such as on a train. */
export interface QueuedPayment {
  /** Made when the payment was queued, never when it is sent. */
  idempotencyKey: string;
  queuedAt: number;
  body: unknown;
}

/** Older payments are not sent but handed to `onExpired`. Below the 48 hours for which the API remembers a key. */
const LONGEST_IN_QUEUE_MS = 40 * 60 * 60 * 1000;

/**
 * Keeps payments until there is a network and sends them in the order in which they were taken.
 *
 * It stops at the first one that fails for now, so that a customer's payments stay in order.
 */
export class OfflineQueue {
  #waiting: QueuedPayment[] = [];

  constructor(
    private readonly send: (payment: QueuedPayment) => Promise<void>,
    private readonly onExpired: (payment: QueuedPayment) => void,
  ) {}

  add(payment: QueuedPayment): void {
    this.#waiting.push(payment);
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Sends what waits. Returns how many were sent. */
  async flush(now: number = Date.now()): Promise<number> {
    let sent = 0;
    while (this.#waiting.length > 0) {
      const payment = this.#waiting[0]!;
      if (now - payment.queuedAt > LONGEST_IN_QUEUE_MS) {
        this.onExpired(payment);
      } else {
        try {
          await this.send(payment);
          sent++;
        } catch (error) {
          if (isRetryable(error)) {
            return sent;
          }
        }
      }
      this.#waiting.shift();
    }
    return sent;
  }
}

import { createHmac, timingSafeEqual } from "node:crypto";

/** How old a signature may be, in seconds. */
const TOLERANCE_SECONDS = 300;

/** An event as it is delivered. */
export interface WebhookEvent {
  id: string;
  type: string;
  /** Counts the events of one object from 1. An event that is lower than the last one seen is old news. */
  sequence: number;
  data: { object: Record<string, unknown> };
}

/**
 * Verifies a delivery and parses it.
 *
 * @param rawBody the bytes as they arrived: parsed and serialised again they have another signature
 * @param header the value of `Ledgerline-Signature`
 * @param secrets the endpoint's secrets; two while one is being rotated
 * @throws if the delivery cannot be trusted
 */
export function constructEvent(rawBody: Buffer, header: string, secrets: string[], now = Date.now()): WebhookEvent {
  verifySignature(rawBody, header, secrets, now);
  return JSON.parse(rawBody.toString("utf8"));
}

/** Throws unless one of the secrets made one of the `v1` signatures within the last five minutes. */
export function verifySignature(rawBody: Buffer, header: string, secrets: string[], now = Date.now()): void {
  const parts = header.split(",").map((part) => part.trim().split("="));
  const timestamp = Number(parts.find(([name]) => name === "t")?.[1]);
  const signatures = parts.filter(([name]) => name === "v1").map(([, value]) => value ?? "");
  if (!Number.isInteger(timestamp) || signatures.length === 0) {
    throw new Error("Ledgerline-Signature has no timestamp or no v1 signature");
  }
  if (Math.abs(now / 1000 - timestamp) > TOLERANCE_SECONDS) {
    throw new Error("the timestamp is outside the tolerance");
  }
  const expected = secrets.map((secret) => createHmac("sha256", secret).update(`${timestamp}.`).update(rawBody).digest("hex"));
  if (!expected.some((one) => signatures.some((other) => equal(one, other)))) {
    throw new Error("no signature matches");
  }
}

/** Compares without telling by its duration where two texts differ. */
function equal(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";

import { constructEvent, verifySignature } from "../src/webhooks.js";

const NOW = 1_740_000_000_000;
const BODY = Buffer.from('{"id":"evt_1","type":"payment.captured","sequence":2,"data":{"object":{}}}');

function header(secret: string, at = NOW / 1000, body = BODY): string {
  return `t=${at},v1=${createHmac("sha256", secret).update(`${at}.`).update(body).digest("hex")}`;
}

test("a signature of either secret is accepted while one is rotated", () => {
  for (const secret of ["old", "new"]) {
    assert.equal(constructEvent(BODY, header(secret), ["new", "old"], NOW).sequence, 2);
  }
});

test("a delivery that was recorded six minutes ago is refused", () => {
  assert.throws(() => verifySignature(BODY, header("s", NOW / 1000 - 360), ["s"], NOW), /tolerance/);
});

test("a changed body is refused", () => {
  assert.throws(() => verifySignature(Buffer.from("{}"), header("s"), ["s"], NOW), /no signature matches/);
});

// A webhook endpoint that does what docs/webhooks/overview.md asks for: verify, remember, answer, and only then work.
import { createServer } from "node:http";

import { constructEvent, type WebhookEvent } from "@ledgerline/sdk";

const SECRETS = (process.env.LEDGERLINE_WEBHOOK_SECRETS ?? "").split(",");

/** The last sequence that was handled for each object. A shop keeps it in its database, beside the object. */
const lastSequence = new Map<string, number>();
const queue: WebhookEvent[] = [];

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    try {
      const header = String(request.headers["ledgerline-signature"] ?? "");
      queue.push(constructEvent(Buffer.concat(chunks), header, SECRETS));
      response.writeHead(204).end();
    } catch {
      response.writeHead(400).end();
    }
  });
}).listen(8080);

setInterval(() => {
  for (const event of queue.splice(0)) {
    const object = String(event.data.object.id);
    if (event.sequence <= (lastSequence.get(object) ?? 0)) {
      continue; // delivered twice, or overtaken by a newer event
    }
    lastSequence.set(object, event.sequence);
    console.log(event.type, object);
  }
}, 100);

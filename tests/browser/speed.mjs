// Measures the page over a folder of the user: `cargo xtask page --speed FOLDER` runs it.
//
// usage: node tests/browser/speed.mjs PROGRAMS TARGET FOLDER
// Types questions into the search, key by key, and opens each page. Prints what the browser measured: from the request to the last byte of
// each answer of the search, and from the click to the first paint of each page. The home of recall is a temporary one.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { launch } from "./chromium.mjs";
import { Project } from "./sample.mjs";

const QUESTIONS = ["where is the config file read", "parse error handling", "hash map insert", "async runtime spawn", "how are tests run", "open a socket", "write to a buffer", "utf8 decode"];
const PAGES = ["", "?q=open", "browse", "decisions", "memories", "sessions", "briefing", "health"];
/// How often each page is opened.
const VISITS = 10;
/// Between two keys, in ms: longer than the page waits for the next key, so that each key is a search.
const KEY_MS = 200;

const [programs, target, root] = process.argv.slice(2).map((path) => resolve(path));
const home = mkdtempSync(join(tmpdir(), "recall-speed-"));
const environment = { PATH: `${programs}:/usr/bin:/bin`, HOME: join(home, "user"), RECALL_HOME: join(home, "home") };
mkdirSync(environment.HOME, { recursive: true });
const project = new Project(root, join(programs, "recall"), environment);

function share(values, part) {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]?.toFixed(1);
}

function tell(name, values) {
  console.log(`${name}: p50 ${share(values, 0.5)} ms, p95 ${share(values, 0.95)} ms, ${values.length} times`);
}

/// Waits until everything is indexed and embedded; returns the number of chunks.
async function indexed() {
  for (;;) {
    const { stores } = JSON.parse(project.recall("--json", "status"));
    const isReady = stores.every(({ indexing, embedded }) => !indexing && Object.values(embedded).every((part) => part === 1));
    if (isReady) return stores.reduce((sum, store) => sum + store.chunks, 0);
    await new Promise((resume) => setTimeout(resume, 1000));
  }
}

const { browser } = await launch(join(target, "browser"));
try {
  project.recall("search", "a first question");
  const chunks = await indexed();
  console.log(`${chunks} chunks`);
  const page = await (await browser.newContext()).newPage();
  await page.goto(project.link());
  await page.waitForSelector("#q");
  for (const question of QUESTIONS) {
    await page.fill("#q", "");
    await page.type("#q", question, { delay: KEY_MS });
    await page.waitForTimeout(KEY_MS);
  }
  const searches = await page.evaluate(() =>
    performance.getEntriesByType("resource").filter(({ name, responseEnd }) => name.includes("part=results") && responseEnd > 0).map((one) => one.responseEnd - one.requestStart),
  );
  tell("search", searches);
  const base = page.url().replace(/[?#].*$/, "");
  for (const path of PAGES) {
    const paints = [];
    for (let visit = 0; visit < VISITS; visit++) {
      await page.goto(base + path);
      const paint = await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
      paints.push(await paint.jsonValue());
    }
    tell(`first paint of /${path}`, paints);
  }
} finally {
  await browser.close();
  project.recall("daemon", "stop");
  rmSync(home, { recursive: true });
}

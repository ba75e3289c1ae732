// Hostile texts in names of files, code, titles, tags and sessions: no script may run, and the browser must report no violation.
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";

const { before, scripts } = JSON.parse(readFileSync(new URL("hostile.json", import.meta.url)));
const TEXTS = before.flatMap((begin) => scripts.map((script) => begin + script));

/// How many memories and files are looked at one by one.
const ALONE = 40;

function write(project) {
  for (const [at, text] of TEXTS.entries()) {
    project.write(`src/${at}${text.replaceAll("/", "\u2215")}.rs`, `// ${text}\npub fn wombat_${at}() { "${text}" }\n`);
  }
  project.write("all.md", TEXTS.map((text) => `# ${text}\n\nwombat ${text}\n\n`).join(""));
  const number = (at, digits) => (at + 1).toString(16).padStart(digits, "0");
  const events = TEXTS.map((text, at) => ({
    event: "add", event_id: number(at, 32), id: `N-${number(at, 8)}`, type: "note", title: `wombat ${text}`, content: `wombat ${at} ${text}`,
    tags: [text], related_files: [], scope: "project", origin: "human", timestamp: "2026-11-20T12:00:00Z",
  }));
  project.write(".recall/2026-11-20/memories.jsonl", events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  for (let at = 0; at < TEXTS.length; at += 20) project.inSession("session", "log", "decision", `wombat ${TEXTS[at]}`, `--rationale=${TEXTS[at]}`);
}

/// Shows every hostile text; reports what runs, or what the browser had to block.
export async function hostile(browser, sample, open, find) {
  const project = sample.beside("hostile");
  write(project);
  const reports = [];
  const page = await open(browser, project, "light", 1280, (text) => reports.push(text));
  await page.context().exposeFunction("boom", () => find(`${page.url()}: a script ran`));
  const base = page.url();
  const show = (path) => page.goto(new URL(path, base).href);
  await show("browse");
  await page.evaluate(() => document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=boom(1)>"));
  await page.waitForTimeout(200);
  assert.equal(reports.length, 1, "a planted script must be reported");
  reports.length = 0;

  const ids = Array.from({ length: ALONE }, (_, at) => `N-${(at * 5 + 1).toString(16).padStart(8, "0")}`);
  const pages = ["browse", "browse?type=code", "memories", "sessions", `session?id=${project.session}`, "briefing", "health", "decisions", "doc?id=all.md", "graph?node=all.md&depth=2"];
  for (const path of [...pages, ...ids.map((id) => `memory?id=${id}`)]) await show(path);
  await show("");
  for (const text of TEXTS.filter((_, at) => at % 5 === 0)) {
    const answered = page.waitForResponse((answer) => answer.url().includes("part=results"));
    await page.fill("#q", `wombat ${text}`);
    await answered;
  }
  await page.waitForTimeout(200);
  for (const text of new Set(reports)) find(`hostile texts: ${text}`);
  await page.context().close();
}

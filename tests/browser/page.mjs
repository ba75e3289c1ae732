// Looks at every page in Chromium, in both themes and five widths: `cargo xtask page` runs it.
//
// usage: node tests/browser/page.mjs PROGRAMS TARGET [SHOTS [--approve]]
// PROGRAMS is the folder of `recall` and `recalld`. What is fetched, and the picture of each page, go to TARGET/browser. With
// SHOTS, the pictures of the documentation are written to that folder. With --approve, the pictures that pages are compared with are
// replaced by those of the present pages, and nothing else is done.
import { mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

import { actions } from "./actions.mjs";
import { launch } from "./chromium.mjs";
import { hostile } from "./hostile.mjs";
import { pictures } from "./pictures.mjs";
import { Sample, SESSION } from "./sample.mjs";

const WIDTHS = [320, 380, 1024, 1440, 1920];
const THEMES = ["light", "dark"];
/// What is opened on a page before it is looked at.
const OPENED = { search: ".hit summary", memory: ".menu summary" };
/// The largest picture of the documentation, in bytes.
const SHOT_BYTES = 150 * 1024;

const approves = process.argv.includes("--approve");
const [programs, target, shots] = process.argv.slice(2).filter((word) => word !== "--approve").map((path) => resolve(path));
const folder = join(target, "browser");
const findings = [];
const find = (text) => findings.push(text);

/// The pages, by name.
function pages(sample) {
  return {
    start: "",
    search: "?q=session",
    exact: "?q=session&mode=exact&any_case=1",
    nothing: "?q=%22zyxw%20vuts%22",
    refused: `?q=${"long".repeat(5000)}`,
    document: "doc?id=src/session.rs&line=15",
    rendered: "doc?id=docs/guide.md&line=7",
    source: "doc?id=docs/guide.md&view=source",
    long: "doc?id=src/long.rs",
    binary: "doc?id=logo.bin",
    gone: "doc?id=src/none.rs",
    browse: "browse",
    narrowed: "browse?language=rust&path=src",
    decisions: "decisions",
    history: "history?id=src/session.rs",
    memories: "memories",
    inbox: "inbox",
    memory: `memory?id=${sample.memories[0]}`,
    superseded: `memory?id=${sample.memories[1]}`,
    sessions: "sessions",
    session: `session?id=${SESSION}`,
    briefing: "briefing",
    overview: "graph",
    graph: "graph?node=src/session.rs&depth=2",
    callers: "graph?node=is_expired",
    crowded: "graph?node=src/long.rs",
    health: "health",
  };
}

/// Opens a window of the browser that has followed a link, and reports what scripts and the policy of contents say.
async function open(browser, sample, theme, width, report = find) {
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 900 }, locale: "en-GB" });
  const page = await context.newPage();
  page.on("pageerror", (error) => report(`${page.url()}: ${error}`));
  page.on("console", (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) report(`${page.url()}: ${message.text()}`);
  });
  await page.goto(sample.link());
  await page.waitForSelector("main");
  return page;
}

async function look(browser, sample, axe) {
  for (const theme of THEMES) {
    const page = await open(browser, sample, theme, WIDTHS[0]);
    const base = new URL(page.url()).pathname;
    for (const [name, path] of Object.entries(pages(sample))) {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(new URL(base + path, page.url()).href);
        const where = `${name} ${theme} ${width}`;
        for (const reason of await page.evaluate(layoutProblems)) find(`${where}: ${reason}`);
        if (name in OPENED) await page.click(OPENED[name]);
        if (width === WIDTHS[0] || width === WIDTHS[3]) await axed(page, axe, where);
        await page.screenshot({ path: join(folder, `${name}-${theme}-${width}.png`) });
      }
    }
    await page.keyboard.press("?");
    await axed(page, axe, `keys ${theme}`);
    await page.goto(new URL("/open#wrong", page.url()).href);
    await page.waitForFunction(() => document.body.innerText.includes("recall ui"));
    await axed(page, axe, `open ${theme}`);
    await page.screenshot({ path: join(folder, `open-${theme}.png`) });
    await page.context().close();
  }
}

async function axed(page, axe, where) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  for (const { id, impact, nodes } of violations) {
    find(`${where}: axe ${impact} ${id}: ${nodes.slice(0, 2).map((node) => `${node.target} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
  }
}

/// Runs in the page: what is wider than the window, and which texts lie on one another.
function layoutProblems() {
  const problems = [];
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) problems.push(`the page is ${wide} pixels wider than the window`);
  const shown = [...document.querySelectorAll("header.top a, main h1, main h2, main .title, main .label, main .facts span, main button, main select, main input")];
  const boxes = shown.filter((one) => one.checkVisibility({ opacityProperty: true }) && one.getBoundingClientRect().right > 0);
  const inside = (left, right) => left.contains(right) || right.contains(left);
  const rects = boxes.map((one) => one.getBoundingClientRect());
  for (let i = 0; i < boxes.length; i++) {
    for (let j = i + 1; j < Math.min(boxes.length, i + 30); j++) {
      const [a, b] = [rects[i], rects[j]];
      const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (x > 2 && y > 6 && !inside(boxes[i], boxes[j]) && !boxes[i].closest("header") === !boxes[j].closest("header")) {
        problems.push(`"${boxes[i].textContent.slice(0, 30)}" lies on "${boxes[j].textContent.slice(0, 30)}"`);
      }
    }
  }
  return problems;
}

/// Writes the pictures of the documentation.
async function shoot(browser, sample) {
  const wanted = [
    ["search-light", "light", "?q=where%20do%20sessions%20expire"],
    ["document-light", "light", "doc?id=src/session.rs&line=15"],
    ["memories-dark", "dark", "memories"],
  ];
  mkdirSync(shots, { recursive: true });
  for (const [name, theme, path] of wanted) {
    const page = await open(browser, sample, theme, 1200);
    await page.setViewportSize({ width: 1200, height: 720 });
    const address = new URL(path, page.url()).href;
    // The second answer takes as long as usual.
    for (let visit = 0; visit < 2; visit++) await page.goto(address);
    const file = join(shots, `${name}.png`);
    await page.screenshot({ path: file });
    await page.context().close();
    if (statSync(file).size > SHOT_BYTES) find(`${file} is larger than ${SHOT_BYTES} bytes`);
  }
}

const { browser, axe } = await launch(folder);
const sample = new Sample(programs);
try {
  await pictures(browser, sample, open, pages(sample), find, approves);
  if (!approves) {
    if (shots) await shoot(browser, sample);
    await look(browser, sample, axe);
    await hostile(browser, sample, open, find);
    await actions(browser, sample, open, find);
  }
} finally {
  await browser.close();
  sample.end();
}
for (const finding of findings) console.error(finding);
console.error(`${findings.length} findings; the pictures are in ${folder}`);
process.exitCode = findings.length > 0 ? 1 : 0;

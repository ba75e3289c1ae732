// What one does on the pages: typing, keys, changes, two tabs, and a daemon that is gone.
import { strict as assert } from "node:assert";

/// Each action, by its name. It gets a page that shows the search, and the sample.
const ACTIONS = {
  async "a search while typing shows hits without a button"(page) {
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("expired");
    await page.waitForFunction(() => document.querySelectorAll("#results .hit mark").length > 0);
    assert.match(page.url(), /\?q=expired/);
  },

  async "the reasons of a rank are shown when they are opened"(page) {
    await go(page, "?q=session");
    await page.click(".hit details summary");
    await page.waitForSelector(".hit details[open] svg.chart");
  },

  async "keys move and open"(page) {
    await go(page, "?q=session");
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    const first = await page.getAttribute(".hit .title", "href");
    assert.equal(await page.getAttribute(".current .title", "href"), first);
    await page.keyboard.press("Enter");
    await page.waitForURL(/doc\?|memory\?/);
    await page.keyboard.press("?");
    assert.ok(await page.isVisible("#keys"));
    await page.keyboard.press("Escape");
  },

  async "arrows lead through the hits, and Escape back to the search and empties it"(page) {
    await go(page, "");
    await page.keyboard.press("?");
    assert.ok(await page.isVisible("#keys"), "nobody searches for a question mark");
    await page.keyboard.press("Escape");
    await page.fill("#q", "session");
    await page.waitForSelector("#results .hit");
    await page.focus("#q");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) await page.keyboard.press(key);
    const first = await page.getAttribute(".hit .title", "href");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("href")), first);
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => document.activeElement.id), "q");
    await page.keyboard.press("Escape");
    await page.waitForSelector("#results .start");
    assert.equal(await page.inputValue("#q"), "");
    assert.equal(await page.isVisible(".hit"), false, "the hits are gone with the query");
    assert.doesNotMatch(page.url(), /q=/);
  },

  async "a search is saved, offered and forgotten"(page) {
    await go(page, "?q=is_expired&mode=exact");
    assert.ok(await page.isVisible("text=any case"));
    await page.click("text=Save this search");
    await page.waitForSelector("text=Forget");
    await go(page, "");
    assert.match(await page.textContent(".saved"), /is_expired.*exact text/s);
    await page.click(".saved button");
    await page.waitForFunction(() => !document.querySelector(".saved"));
  },

  async "a time is its age, with the exact time as its title"(page) {
    await go(page, "memories");
    assert.match(await page.textContent("main time"), /just now|minutes? ago/);
    assert.match(await page.getAttribute("main time", "title"), /20\d\d/);
  },

  async "a key shows a document as it is written, and rendered again"(page) {
    await go(page, "doc?id=docs/guide.md");
    await page.waitForSelector(".rendered table");
    await page.keyboard.press("s");
    await page.waitForSelector(".whole .line");
    await page.keyboard.press("s");
    await page.waitForSelector(".rendered table");
  },

  async "a node is opened in place"(page) {
    await go(page, "graph?node=sweep");
    await page.click(".columns [aria-label='Open Session::is_expired'] rect");
    await page.waitForSelector(".columns [aria-label='Close Session::is_expired']");
    assert.match(page.url(), /open=/);
    await page.reload();
    await page.waitForSelector(".columns [aria-label='Close Session::is_expired']");
  },

  async "a rating is counted"(page, sample) {
    await go(page, `memory?id=${sample.memories[4]}`);
    await page.click(".menu summary");
    await page.click("text=Rate useful");
    await page.waitForSelector("text=rated 1 useful, 0 not");
  },

  async "a memory is amended, and a second tab is told"(page, sample) {
    const id = sample.memories[4];
    const second = await page.context().newPage();
    for (const tab of [page, second]) {
      await go(tab, `memory?id=${id}`, page.url());
      await amend(tab);
    }
    await page.fill(".amend textarea", "The staging machine is reset every Friday.");
    await page.click(".amend button");
    await page.waitForSelector(".rendered:has-text('Friday')");
    await second.fill(".amend textarea", "The staging machine is reset every day.");
    await second.click(".amend button");
    await second.waitForSelector("#said.shown:has-text('amended elsewhere')");
    assert.match(await second.inputValue(".amend textarea"), /every day/, "the text is kept");
    await second.close();
  },

  async "an amendment of the tags leaves the text alone"(page, sample) {
    await go(page, `memory?id=${sample.memories[2]}`);
    assert.ok(await page.isVisible(".label:has-text('files changed')"));
    await amend(page);
    await page.fill(".amend input[name=tags]", "tests, clock");
    await page.click(".amend button");
    await page.waitForSelector("text=#clock");
    assert.ok(await page.isVisible(".label:has-text('files changed')"), "it is not anchored again");
  },

  async "a deletion is taken back, and then made"(page, sample) {
    await go(page, `memory?id=${sample.memories[3]}`);
    for (const undo of [true, false]) {
      await page.click(".menu summary");
      await page.click(".menu .danger");
      if (undo) await page.click("#said button");
    }
    await page.waitForURL(/memories$/);
    assert.doesNotMatch(await page.textContent("main"), /filled the disk/);
  },

  async "several memories are selected by keys and retired at once"(page) {
    await go(page, "memories?standing=current");
    const titles = await page.locator(".memories .title").allTextContents();
    for (const key of ["j", "x", "j", "x"]) await page.keyboard.press(key);
    await page.waitForSelector(".selection:has-text('2 selected')");
    await page.click(".selection >> text=Retire");
    await page.waitForFunction((number) => document.querySelectorAll(".memories .title").length === number, titles.length - 2);
    assert.deepEqual(await page.locator(".memories .title").allTextContents(), titles.slice(2));
  },

  async "a proposal is accepted, and another one rejected"(page) {
    await go(page, "inbox");
    for (const decision of ["Accept", "Reject"]) {
      const waiting = await page.locator(".proposal").count();
      await page.locator(".proposal button", { hasText: decision }).first().click();
      await page.waitForFunction((number) => document.querySelectorAll(".proposal").length === number, waiting - 1);
    }
    assert.match(await page.textContent("main"), /Nothing waits for a review/);
  },

  async "all pages are read without a script"(page, sample) {
    const browser = page.context().browser();
    const storage = await page.context().storageState();
    const context = await browser.newContext({ javaScriptEnabled: false, storageState: storage });
    const plain = await context.newPage();
    for (const [path, text] of [["?q=expired", "is_expired"], ["memories", "Retries stop"], ["doc?id=src/session.rs", "sweep"], ["doc?id=docs/guide.md", "Guide"], ["graph?node=sweep", "is_expired"], ["health", "Daemon"]]) {
      await go(plain, path, page.url());
      assert.match(await plain.textContent("main"), new RegExp(text));
      assert.equal(await plain.isVisible(".actions, .amend"), false, "what needs a script is not shown");
    }
    await context.close();
  },

  async "the page is opened without a script"(page, sample) {
    const context = await page.context().browser().newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    const link = sample.link();
    await plain.goto(link);
    await plain.fill("input[name=token]", link);
    await plain.click("button");
    assert.match(await plain.textContent("main"), /Ask in words/);
    await context.close();
  },

  async "a document that was deleted is not shown any more"(page, sample) {
    sample.write("src/gone.rs", "pub fn soon_gone() {}\n");
    sample.recall("search", "soon_gone");
    await go(page, "doc?id=src/gone.rs");
    sample.remove("src/gone.rs");
    sample.recall("search", "soon_gone");
    await page.reload();
    assert.match(await page.textContent("[role=alert]"), /not found/);
  },

  async "a page whose daemon is gone says so, and what to do"(page, sample) {
    await go(page, "");
    const { port } = new URL(page.url());
    sample.recall("daemon", "stop");
    await page.fill("#q", "sweep");
    await page.waitForSelector("#said.shown:has-text('does not answer')");
    sample.recall("ui", "--print-url", "--port", port);
    await page.waitForSelector("#said.shown:has-text('Run `recall ui` again')");
    await page.goto(sample.link());
    await page.waitForSelector("main #q");
  },
};

/// Opens the form that amends a memory: by the main button, or by the menu.
async function amend(page) {
  const button = page.locator("[data-reveal=amend]");
  if (!(await button.isVisible())) await page.click(".menu summary");
  await button.click();
}

function go(page, path, from = page.url()) {
  const base = new URL(from).pathname.split("/")[1];
  return page.goto(new URL(`/${base}/${path}`, from).href);
}

/// Does everything; reports what fails.
export async function actions(browser, sample, open, find) {
  const page = await open(browser, sample, "light", 1280);
  page.setDefaultTimeout(15_000);
  for (const [name, action] of Object.entries(ACTIONS)) {
    try {
      await action(page, sample);
    } catch (error) {
      find(`${name}: ${error.message.split("\n").slice(0, 4).join(" ")}`);
    }
  }
  await page.context().close();
}

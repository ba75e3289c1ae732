// Pictures of pages in their states, compared with approved ones.
//
// A picture is as coarse as a thumbnail: a block of 20 by 20 pixels is one pixel of it. So it takes 1 to 3 KB, and another font or another
// time in a text changes it hardly, while a part that moves, grows, vanishes or changes its ground does. The colour of a text is not seen.
// `cargo xtask page --approve` writes the pictures of the present pages.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const APPROVED = fileURLToPath(new URL("approved", import.meta.url));
const SIZE = { width: 1280, height: 900 };
/// The pixels of a block in each direction.
const BLOCK = 20;
/// How much a block may differ, of 255, and how much it differs from the ground if there is something in it.
const DIFFERENT = 20;
const FILLED = 6;
/// The share of the blocks with something in them that may differ. Measured on two pages in both themes: a serif font changes 2 to 5 %, a
/// font 3 % larger 2 to 9 %; a page without its header changes 13 to 33 %, and one that is a quarter narrower 26 to 30 %.
const SHARE = 0.1;

/// The states that are compared: the name of a page, and what is opened or typed there.
const STATES = {
  start: {},
  search: {},
  exact: {},
  nothing: {},
  document: {},
  decisions: {},
  memories: {},
  memory: {},
  sessions: {},
  session: {},
  health: { open: ".left-out details:not([open]) summary" },
  keys: { key: "?" },
};

/// Looks at every state; reports what differs from the approved picture, or replaces these.
export async function pictures(browser, sample, open, pages, find, approves) {
  if (approves) mkdirSync(APPROVED, { recursive: true });
  const scale = await (await browser.newContext()).newPage();
  for (const theme of ["light", "dark"]) {
    const page = await open(browser, sample, theme, SIZE.width);
    await page.setViewportSize(SIZE);
    const base = new URL(page.url()).pathname;
    for (const [name, { open: opened, key }] of Object.entries(STATES)) {
      await page.goto(new URL(base + (pages[name] ?? ""), page.url()).href);
      if (opened) await page.click(opened);
      if (key) {
        await page.keyboard.press("Escape");
        await page.keyboard.press(key);
      }
      const shot = await page.screenshot();
      const file = join(APPROVED, `${name}-${theme}.png`);
      const { small, share } = await scale.evaluate(compare, {
        shot: shot.toString("base64"),
        approved: !approves && existsSync(file) ? readFileSync(file).toString("base64") : null,
        width: SIZE.width / BLOCK,
        height: SIZE.height / BLOCK,
        different: DIFFERENT,
        filled: FILLED,
      });
      if (approves) writeFileSync(file, Buffer.from(small, "base64"));
      else if (share === null) find(`${name} ${theme}: there is no approved picture; \`cargo xtask page --approve\` writes it`);
      else if (share > SHARE) find(`${name} ${theme}: ${(100 * share).toFixed(1)} % of the picture differ from the approved one`);
      else if (process.env.RECALL_PAGE_SHARES) console.error(`${name} ${theme}: ${(100 * share).toFixed(2)} %`);
    }
    await page.context().close();
  }
  await scale.context().close();
}

/// Runs in a page: scales a picture down, and returns it with the share of its blocks that differ from the approved one.
async function compare({ shot, approved, width, height, different, filled }) {
  const pixels = async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, width, height);
    return { canvas, values: context.getImageData(0, 0, width, height).data };
  };
  const { canvas, values } = await pixels(shot);
  const small = canvas.toDataURL("image/png").split(",")[1];
  if (!approved) return { small, share: null };
  const { values: known } = await pixels(approved);
  const apart = (left, right, at) => Math.max(...[0, 1, 2].map((color) => Math.abs(left[at + color] - right[at + color])));
  // The first block is ground. Blocks that are ground in both pictures say nothing.
  const isFilled = (blocks, at) => [0, 1, 2].some((color) => Math.abs(blocks[at + color] - blocks[color]) > filled);
  let [count, all] = [0, 0];
  for (let at = 0; at < values.length; at += 4) {
    const isDifferent = apart(values, known, at) > different;
    if (isDifferent) count += 1;
    if (isDifferent || isFilled(values, at) || isFilled(known, at)) all += 1;
  }
  return { small, share: count / Math.max(all, 1) };
}

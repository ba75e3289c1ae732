// Chromium, and what drives it, fetched once from the npm registry.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const PACKAGES = ["playwright-core@1.65.1", "axe-core@4.14.1"];
const BROWSERS = ["chromium", "chromium-browser", "google-chrome"];

/// Starts the browser; returns it with the script of the rules of accessibility. The packages are installed in a folder.
export async function launch(folder) {
  const { chromium, axe } = packages(folder);
  const browser = await chromium.launch({ executablePath: browserPath(), args: ["--no-sandbox", "--disable-gpu"] });
  return { browser, axe };
}

/// Returns the packages, which are fetched once.
function packages(folder) {
  mkdirSync(folder, { recursive: true });
  const require = createRequire(join(folder, "page.js"));
  if (!PACKAGES.every((name) => isThere(folder, name))) {
    execFileSync("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", ...PACKAGES], { stdio: "inherit" });
  }
  return { chromium: require("playwright-core").chromium, axe: readFileSync(require.resolve("axe-core/axe.min.js"), "utf8") };
}

function isThere(folder, name) {
  const [, folderName, version] = name.match(/^(.+)@(.+)$/);
  const manifest = join(folder, "node_modules", folderName, "package.json");
  return existsSync(manifest) && JSON.parse(readFileSync(manifest)).version === version;
}

function browserPath() {
  const folders = (process.env.PATH ?? "").split(":");
  const found = BROWSERS.flatMap((name) => folders.map((each) => join(each, name))).find((path) => existsSync(path));
  if (!found) throw new Error("Chromium was not found; on Debian, `apt-get install chromium` installs it");
  return found;
}

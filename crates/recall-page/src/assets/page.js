// The page: search while one types, keys, changes, and what is live. All pages can be read without it.
"use strict";

const $ = (selector, from = document) => from.querySelector(selector);
const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
const base = document.body.dataset.base;

/// A pause in typing after which a search is sent, in milliseconds. Answers take less than ten.
const PAUSE = 40;
/// How long a deletion waits for an undo, in milliseconds.
const UNDO = 6000;
/// How often what is live is asked for, in milliseconds.
const LIVE = 5000;

document.documentElement.classList.add("js");

// Messages at the foot of the page.
let saidTimer;
function say(text, button, keep) {
  const said = $("#said");
  said.replaceChildren(text);
  if (button) said.append(" ", button);
  said.classList.add("shown");
  clearTimeout(saidTimer);
  if (!keep) saidTimer = setTimeout(() => said.classList.remove("shown"), 4000);
}

function unsay() {
  $("#said").classList.remove("shown");
}

// Asks for a page; says so if the daemon is gone or the cookie is not valid any more.
let isLost = false;
let again;
async function ask(address, options) {
  let answer;
  try {
    answer = await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    isLost = true;
    say("The daemon does not answer. Trying again … If it was restarted, run `recall ui`.", null, true);
    clearTimeout(again);
    again = setTimeout(() => ask(base + "icon.svg").catch(() => {}), 2000);
    throw error;
  }
  if (answer.status === 401) {
    say("The daemon was restarted, or this page was closed. Run `recall ui` again.", null, true);
    throw new Error("no access");
  }
  if (isLost) {
    isLost = false;
    say("The daemon answers again.");
  }
  return answer;
}

// Search while one types. A new key cancels the search before it.
const form = $("[data-live-search]");
if (form) {
  const results = $("#results");
  let pause, running;
  const search = async () => {
    running?.abort();
    running = new AbortController();
    const parameters = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    const address = "./?" + parameters;
    parameters.set("part", "results");
    try {
      const answer = await ask("./?" + parameters, { signal: running.signal });
      const html = await answer.text();
      results.innerHTML = html;
      current = -1;
      localTimes(results);
      history.replaceState(null, "", parameters.get("q") ? address : "./");
    } catch {
      // Cancelled by the next key, or already reported.
    }
  };
  form.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(search, PAUSE);
  });
}

// What takes longer to make is fetched when it is opened.
document.addEventListener(
  "toggle",
  async ({ target }) => {
    const { part } = target.dataset;
    if (!part || !target.open) return;
    delete target.dataset.part;
    try {
      const answer = await ask(part + "&part=reasons");
      const shown = document.createElement("div");
      shown.innerHTML = await answer.text();
      $("a", target)?.replaceWith(shown);
    } catch {
      // Already reported; the link is still there.
    }
  },
  true,
);

for (const filters of $$("[data-submit-on-change]")) {
  filters.addEventListener("change", () => filters.requestSubmit());
}

// Keys.
let current = -1;
function move(step) {
  const items = $$("[data-item]");
  if (items.length === 0) return;
  items[current]?.classList.remove("current");
  // Tab may have led elsewhere.
  const focused = items.indexOf(document.activeElement.closest("[data-item]"));
  current = Math.max(0, Math.min(items.length - 1, (focused < 0 ? current : focused) + step));
  items[current].classList.add("current");
  items[current].scrollIntoView({ block: "nearest" });
  $("[data-open]", items[current])?.focus({ preventScroll: true });
}

function backToSearch(field) {
  $(".current")?.classList.remove("current");
  current = -1;
  field.focus();
  field.scrollIntoView({ block: "nearest" });
}

// Keys in the field of the search and on its hits; returns whether the key meant something there.
function searchKey({ key, target }) {
  const field = $("#q");
  if (!field) return false;
  if (target === field) {
    if (key === "ArrowDown") move(1);
    else if (key === "?" && !field.value) $("#keys").showModal();
    else if (key === "Escape" && field.value) {
      field.value = "";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    } else return false;
    return true;
  }
  if (target === document.body && key === "ArrowDown" && $("[data-item]")) {
    move(1);
    return true;
  }
  const item = target.closest("[data-item]");
  if (!item || !target.matches("[data-open]")) return false;
  if (key === "ArrowDown") move(1);
  else if (key === "ArrowUp" && item !== $("[data-item]")) move(-1);
  else if (key === "ArrowUp" || key === "Escape") backToSearch(field);
  else return false;
  return true;
}

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.matches?.("input:not([type=checkbox]), textarea, select");
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") for (const menu of $$(".menu[open]")) menu.open = false;
  if (searchKey(event)) return event.preventDefault();
  if (event.key === "Escape" && isTyping) return event.target.blur();
  if (isTyping) return;
  const item = $$("[data-item]")[current];
  switch (event.key) {
    case "/": {
      const field = $("#q");
      event.preventDefault();
      if (field) {
        field.focus();
        field.select();
      } else {
        location.href = base;
      }
      break;
    }
    case "j":
      move(1);
      break;
    case "k":
      move(-1);
      break;
    case "Enter":
      if (item && event.target === document.body) $("[data-open]", item)?.click();
      break;
    case "e":
      $("[data-editor]", item ?? document)?.click();
      break;
    case "x":
      $(".pick", item)?.click();
      break;
    case "s":
      $("[data-form]")?.click();
      break;
    case "?":
      $("#keys").showModal();
      break;
  }
});

// Clicks: copies, and changes.
document.addEventListener("click", async (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    try {
      await navigator.clipboard.writeText(copy.dataset.copy);
      say("Copied.");
    } catch {
      say("The browser does not allow copying.");
    }
    return;
  }
  const kept = event.target.closest("[data-keep]");
  if (kept) {
    if (await send(kept.dataset.keep, JSON.parse(kept.dataset.search))) form.dispatchEvent(new Event("input"));
    return;
  }
  const button = event.target.closest("[data-do]");
  if (!button) return;
  if (button.dataset.do === "delete") {
    remove(button, [button.dataset]);
  } else if (await change(button)) {
    say(button.dataset.said);
    setTimeout(() => location.reload(), 700);
  }
});

function change(button, keepalive = false) {
  const { id, scope, extra = "" } = button.dataset;
  return send(button.dataset.do, { id, scope, extra }, keepalive);
}

// Sends a change; returns whether it was made. Says what the daemon says about it.
async function send(action, body, keepalive = false) {
  try {
    const answer = await ask(base + "do/" + action, {
      method: "POST",
      keepalive,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { success, data, error } = await answer.json();
    if (!success) say(error.hint ? `${error.message}; ${error.hint}` : error.message, null, true);
    const notes = (success && (data.kept ?? data.notes)) || [];
    if (notes.length) say(notes.join("; "), null, true);
    return success;
  } catch {
    return false;
  }
}

// An amendment: the fields that differ from what they were filled with.
document.addEventListener("submit", async (event) => {
  const { amend: id, seen } = event.target.dataset;
  if (!id) return;
  event.preventDefault();
  const changed = [...event.target.elements].filter((field) => field.name && field.value !== field.defaultValue);
  if (changed.length === 0) return say("Nothing was changed.");
  const fields = Object.fromEntries(changed.map((field) => [field.name, field.value]));
  if (await send("amend", { id, seen, ...fields })) {
    if (!$("#said").classList.contains("shown")) say("Amended.");
    setTimeout(() => location.reload(), 1200);
  }
});

// A deletion waits a little, so that it can be taken back. It is sent at once if the page is left.
function remove(button, items) {
  button.disabled = true;
  let isSent = false;
  const sendAll = async (keepalive) => {
    if (isSent) return;
    isSent = true;
    clearTimeout(timer);
    const sent = await Promise.all(items.map(({ id, scope }) => send("delete", { id, scope }, keepalive)));
    if (sent.every(Boolean) && !keepalive) location.href = button.dataset.then ? base + button.dataset.then : location.href;
    button.disabled = false;
  };
  const leave = () => sendAll(true);
  const timer = setTimeout(() => {
    removeEventListener("pagehide", leave);
    sendAll(false);
  }, UNDO);
  addEventListener("pagehide", leave, { once: true });
  const undo = document.createElement("button");
  undo.textContent = "Undo";
  undo.addEventListener("click", () => {
    isSent = true;
    clearTimeout(timer);
    removeEventListener("pagehide", leave);
    button.disabled = false;
    say("Not deleted.");
  });
  say(items.length === 1 ? "The memory will be deleted." : `${items.length} memories will be deleted.`, undo, true);
}

// Memories that are selected, and one action for all of them.
const selection = $(".selection");
const picked = () => $$(".pick:checked").map((box) => box.closest("[data-id]").dataset);
function showSelection() {
  const number = picked().length;
  selection.hidden = number === 0;
  $("[data-count]", selection).textContent = `${number} selected`;
}
document.addEventListener("change", ({ target }) => target.matches(".pick") && showSelection());
selection?.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-many]");
  if (!button) return;
  const { many, extra, said } = button.dataset;
  const items = picked();
  if (many === "delete") return remove(button, items);
  if (many) {
    let done = 0;
    for (const { id, scope } of items) done += await send(many, { id, scope, extra: extra ?? "" });
    if (done < items.length) return;
    say(said);
    return setTimeout(() => location.reload(), 700);
  }
  for (const box of $$(".pick:checked")) box.checked = false;
  showSelection();
});

// What is folded, or in a menu.
document.addEventListener("click", ({ target }) => {
  const reveal = target.closest("[data-reveal]");
  const folded = reveal && document.getElementById(reveal.dataset.reveal);
  if (folded) {
    folded.open = true;
    $("input, textarea", folded)?.focus();
  }
  for (const menu of $$(".menu[open]")) if (!menu.contains(target) || reveal) menu.open = false;
});

// What is live is asked for again while it is visible.
const live = $("[data-live]");
if (live) {
  setInterval(async () => {
    if (document.hidden) return;
    try {
      const answer = await ask(live.dataset.live || location.href);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const open = $$("details", live).map((details) => details.open);
      const fresh = $("[data-live]", page);
      if (!fresh) return;
      live.replaceChildren(...fresh.childNodes);
      $$("details", live).forEach((details, at) => (details.open = open[at] ?? false));
      localTimes(live);
    } catch {
      // Already reported.
    }
  }, LIVE);
}

// Times as their age, with the exact time in the zone of the reader as the title. Without a script, the exact time is shown.
const AGES = [["day", 86400], ["hour", 3600], ["minute", 60]];
/// The age from which a time is a date, in seconds.
const OLD = 30 * 86400;
const ages = new Intl.RelativeTimeFormat("en");

function age(moment) {
  const seconds = (moment - Date.now()) / 1000;
  if (Math.abs(seconds) >= OLD) return moment.toLocaleDateString([], { dateStyle: "medium" });
  const [unit, size] = AGES.find(([, size]) => Math.abs(seconds) >= size) ?? [];
  return unit ? ages.format(Math.trunc(seconds / size), unit) : "just now";
}

// A day is that of UTC; a clock of another day here says which.
function localTimes(from) {
  const inWords = (date, style) => date.toLocaleDateString([], style);
  for (const time of $$("time[datetime]", from)) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.valueOf())) continue;
    if ("day" in time.dataset) {
      time.textContent = inWords(moment, { timeZone: "UTC", weekday: "long", day: "numeric", month: "long", year: "numeric" });
      continue;
    }
    time.title = moment.toLocaleString([], { dateStyle: "full", timeStyle: "medium" });
    if ("clock" in time.dataset) {
      const clock = moment.toLocaleTimeString([], { timeStyle: "short" });
      const isSame = moment.toLocaleDateString("sv") === time.dateTime.slice(0, 10);
      time.textContent = isSame ? clock : `${inWords(moment, { day: "numeric", month: "short" })} ${clock}`;
    } else {
      time.textContent = age(moment);
    }
  }
}
localTimes(document);
setInterval(() => localTimes(document), 60_000);

// A picture is drawn again where it is, with a node opened or a kind of line left out.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-redraw]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const address = link.getAttribute("href");
  const frame = $(".picture");
  const [left, top, name] = [frame.scrollLeft, frame.scrollTop, link.getAttribute("aria-label")?.replace(/^\w+ /, "")];
  const answer = await ask(new URL(address, location.href));
  const fresh = $("[data-graph]", new DOMParser().parseFromString(await answer.text(), "text/html"));
  if (!fresh) return (location.href = address);
  $("[data-graph]").replaceWith(document.adoptNode(fresh));
  history.replaceState(null, "", address);
  $(".picture").scrollTo(left, top);
  const same = $$("[data-redraw]").find((other) => name && other.getAttribute("aria-label")?.endsWith(name) && other.checkVisibility());
  (same ?? $(".picture")).focus({ preventScroll: true });
});

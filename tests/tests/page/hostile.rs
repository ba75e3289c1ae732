//! Hostile text: in names of files, code, titles, tags and sessions. Each page must show it as text.

use std::fmt::Write as _;

use recall_tests::sandbox;
use serde_json::{Value, json};

use super::browser::Browser;

/// The tags that a page of recall has. Anything else came from a text.
const TAGS: &[&str] = &[
    "!doctype",
    "a",
    "aside",
    "b",
    "blockquote",
    "body",
    "br",
    "button",
    "circle",
    "code",
    "dd",
    "defs",
    "del",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "em",
    "figure",
    "figcaption",
    "form",
    "g",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "input",
    "ins",
    "kbd",
    "label",
    "li",
    "line",
    "link",
    "main",
    "mark",
    "marker",
    "meta",
    "meter",
    "nav",
    "ol",
    "option",
    "p",
    "path",
    "pre",
    "progress",
    "rect",
    "script",
    "section",
    "select",
    "span",
    "strong",
    "summary",
    "svg",
    "table",
    "tbody",
    "td",
    "text",
    "textarea",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "ul",
];

/// The attributes that a page of recall has.
const ATTRIBUTES: &[&str] = &[
    "action",
    "aria-current",
    "aria-hidden",
    "aria-label",
    "aria-live",
    "autocapitalize",
    "autocomplete",
    "autofocus",
    "charset",
    "checked",
    "class",
    "content",
    "d",
    "data-amend",
    "data-base",
    "data-clock",
    "data-copy",
    "data-count",
    "data-day",
    "data-do",
    "data-editor",
    "data-extra",
    "data-form",
    "data-graph",
    "data-id",
    "data-item",
    "data-keep",
    "data-live",
    "data-live-search",
    "data-many",
    "data-needs-script",
    "data-open",
    "data-part",
    "data-redraw",
    "data-reveal",
    "data-said",
    "data-scope",
    "data-search",
    "data-seen",
    "data-submit-on-change",
    "data-then",
    "datetime",
    "defer",
    "height",
    "hidden",
    "high",
    "href",
    "html",
    "id",
    "lang",
    "marker-end",
    "markerheight",
    "markerunits",
    "markerwidth",
    "max",
    "method",
    "min",
    "name",
    "open",
    "orient",
    "placeholder",
    "preserveaspectratio",
    "r",
    "refx",
    "refy",
    "rel",
    "required",
    "role",
    "rows",
    "rx",
    "selected",
    "spellcheck",
    "src",
    "start",
    "stroke-width",
    "tabindex",
    "text-anchor",
    "title",
    "transform",
    "type",
    "value",
    "viewbox",
    "width",
    "x",
    "x1",
    "x2",
    "y",
    "y1",
    "y2",
];

/// Returns 200 hostile texts: each way to begin markup with each way to run a script. `cargo xtask page` shows the same in Chromium.
fn payloads() -> Vec<String> {
    let texts: Value = serde_json::from_str(include_str!("../../browser/hostile.json")).expect("JSON");
    let list =
        |name: &str| texts[name].as_array().expect("a list").iter().filter_map(Value::as_str).collect::<Vec<_>>();
    let scripts = list("scripts");
    list("before").iter().flat_map(|begin| scripts.iter().map(move |script| format!("{begin}{script}"))).collect()
}

/// Returns a tag's name and its attributes' names for each tag of a page.
fn tags(page: &str) -> Vec<(String, Vec<String>)> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let mut quoted = false;
        let end = rest.find(|c| {
            quoted ^= c == '"';
            c == '>' && !quoted
        });
        let (tag, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        let tag = tag.trim_start_matches('/');
        let name = tag.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        // The values are in double quotes, so the odd parts are outside of them.
        let outside: String = tag[name.len()..].split('"').step_by(2).collect::<Vec<_>>().join(" ");
        let names = outside.split_whitespace().map(|name| name.trim_end_matches('=').to_lowercase());
        tags.push((name.to_lowercase(), names.filter(|name| !name.is_empty() && name != "/").collect()));
    }
    tags
}

#[track_caller]
fn check(browser: &Browser, page: &str) -> String {
    let answer = browser.get(page);
    assert_eq!(answer.status, 200, "{page}: {answer:?}");
    for (tag, attributes) in tags(&answer.body) {
        assert!(TAGS.contains(&tag.as_str()), "{page} has a tag <{tag}>");
        for attribute in attributes {
            assert!(ATTRIBUTES.contains(&attribute.as_str()), "{page} has an attribute {attribute} in <{tag}>");
        }
    }
    let lower = answer.body.to_lowercase();
    assert!(!lower.contains("href=\"javascript:") && !lower.contains("src=\"javascript:"), "{page}");
    assert_eq!(lower.matches("<script").count(), lower.matches("page.js\" defer></script>").count(), "{page}");
    answer.body
}

/// Returns a journal with a memory for each text, in its title, its content and a tag.
fn journal(payloads: &[String]) -> String {
    let line = |(at, payload): (usize, &String)| {
        let event = json!({
            "event": "add", "event_id": format!("{:032x}", at + 1), "id": format!("N-{:08x}", at + 1), "type": "note",
            "title": format!("wombat {payload}"), "content": format!("wombat {at} {payload}"), "tags": [payload],
            "related_files": [], "scope": "project", "origin": "human", "timestamp": "2026-11-20T12:00:00Z",
        });
        format!("{event}\n")
    };
    payloads.iter().enumerate().map(line).collect()
}

#[test]
fn the_check_finds_markup_from_a_text() {
    let found = tags("<p title=\"<i>\">a &lt;b&gt;</p><img src=x onerror=boom(1)>");
    let names: Vec<_> = found.iter().map(|(tag, _)| tag.as_str()).collect();
    assert_eq!(names, ["p", "p", "img"]);
    assert_eq!(found[0].1, ["title"]);
    assert!(found[2].1.iter().any(|name| name.starts_with("onerror")), "{found:?}");
}

#[test]
fn hostile_texts_are_shown_as_text() {
    let sandbox = sandbox!().with_variable("CLAUDE_CODE_SESSION_ID", "c-7");
    let project = sandbox.project("p", &[]);
    let payloads = payloads();
    assert_eq!(payloads.len(), 200);
    for (at, payload) in payloads.iter().enumerate() {
        let name = payload.replace('/', "∕");
        project
            .write(&format!("src/{at}{name}.rs"), format!("// {payload}\npub fn wombat_{at}() {{ \"{payload}\" }}\n"));
    }
    let sections = payloads.iter().map(|payload| format!("# {payload}\n\nwombat {payload}\n\n"));
    project.write("all.md", sections.collect::<String>());
    project.write(".recall/2026-11-20/memories.jsonl", journal(&payloads));
    for payload in payloads.iter().step_by(4) {
        // A text that begins with a dash would be an option of the command.
        let (event, reason) = (format!("wombat {payload}"), format!("--rationale={payload}"));
        let log = ["session", "log", "decision", &event, &reason];
        assert_eq!(sandbox.recall(&project, &log).code, Some(0), "{payload}");
    }
    let browser = Browser::open(&sandbox, &project);
    every_file_is_listed(&browser, payloads.len());
    let list = check(&browser, "memories");
    let ids: Vec<_> = list.split("memory?id=").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(ids.len(), payloads.len());
    for id in ids {
        check(&browser, &format!("memory?id={id}"));
    }
    let pages = [
        "doc?id=all.md",
        "graph?node=all.md&depth=2",
        "session?id=c-7",
        "sessions",
        "briefing",
        "health",
        "decisions",
        "history?id=all.md",
    ];
    for page in pages {
        check(&browser, page);
    }
    for (at, payload) in payloads.iter().enumerate() {
        let encoded = payload.bytes().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "%{byte:02x}");
            text
        });
        if at % 8 == 0 {
            check(&browser, &format!("?q=wombat_{at}"));
            check(&browser, &format!("?q={encoded}"));
        }
        for page in ["doc", "session", "nothing"] {
            let answer = browser.get(&format!("{page}?id={encoded}"));
            let has_markup = answer.body.contains("<script>boom") || answer.body.contains("<img");
            assert!(answer.status >= 400 && !has_markup, "{answer:?}");
        }
    }
}

/// Follows the list of all files, whose names begin with their numbers.
fn every_file_is_listed(browser: &Browser, count: usize) {
    let mut shown = String::new();
    let mut page = "browse?type=code".to_owned();
    loop {
        let list = check(browser, &page);
        shown.push_str(&list);
        let Some((before, _)) = list.split_once("\">Next documents") else { break };
        page = before.rsplit('"').next().expect("an address").replace("&amp;", "&");
    }
    for at in 0..count {
        assert!(shown.contains(&format!(">src/{at}")), "the file {at} was not shown");
    }
}

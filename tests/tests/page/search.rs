//! The search of the page: its modes, its scopes, its empty state, and the searches that are saved.

use recall_testkit::{Project, Sandbox, wait_until};
use recall_tests::sandbox;
use serde_json::json;

use super::browser::{Answer, Browser, send};

fn burrows(sandbox: &Sandbox) -> Project {
    let files = [
        ("docs/digging.md", "# How deep wombats dig\n\nWombats dig burrows at night.\n"),
        ("src/wombat_burrow.rs", "/// Digs a burrow.\npub fn dig(depth: u32) -> u32 {\n    depth + 1\n}\n"),
        ("src/main.rs", "mod wombat_burrow;\n\nfn main() {\n    wombat_burrow::dig(2);\n}\n"),
    ];
    sandbox.project("p", &files)
}

#[track_caller]
fn check(browser: &Browser, page: &str, expected: &[&str]) -> String {
    let answer = browser.get(page);
    assert_eq!(answer.status, 200, "{page}: {answer:?}");
    for part in expected {
        assert!(answer.body.contains(part), "{page} lacks {part}: {}", answer.body);
    }
    answer.body
}

#[test]
fn an_exact_search_shows_every_line_and_what_was_searched() {
    let sandbox = sandbox!();
    let browser = Browser::open(&sandbox, &burrows(&sandbox));
    let marked = "<mark>dig(</mark>";
    let page = check(
        &browser,
        "?q=dig(&mode=exact",
        &["2 matches in 2 lines of 2 documents", "all 3 documents were searched", marked],
    );
    assert!(page.contains("line=4#L4") && !page.contains("Why here"), "{page}");
    check(&browser, "?q=DIG(&mode=exact", &["Nothing matches", "all 3 documents were searched"]);
    check(&browser, "?q=DIG(&mode=exact&any_case=1", &["2 matches in 2 lines"]);
    check(&browser, "?q=%5Efn%20%5Cw%2B&mode=regex", &["1 match in 1 line of 1 document", "<mark>fn main</mark>"]);
    let broken = browser.get("?q=(&mode=regex");
    assert!(broken.status == 400 && broken.body.contains("role=\"alert\""), "{broken:?}");
}

#[test]
fn an_exact_search_calls_a_memory_by_its_title() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox);
    let words = ["remember", "Wombats rest.\n\nThey never dig(0).", "--title", "Wombats at noon", "--type", "lesson"];
    assert_eq!(sandbox.recall(&project, &words).code, Some(0));
    let browser = Browser::open(&sandbox, &project);
    let page = check(&browser, "?q=dig(0)&mode=exact", &["Wombats at noon</a>", "memory?id=L-"]);
    assert!(!page.contains("doc?id=L-"), "{page}");
}

#[test]
fn every_project_is_searched_on_demand() {
    let sandbox = sandbox!();
    let other = sandbox.project("other", &[("src/den.rs", "pub fn quokka_den() {}\n")]);
    sandbox.recall(&other, &["search", "den"]);
    let browser = Browser::open(&sandbox, &burrows(&sandbox));
    assert!(!check(&browser, "?q=quokka_den", &[]).contains("src/den.rs"));
    let elsewhere = format!("{}/src/den.rs", other.root().display());
    check(&browser, "?q=quokka_den&scope=everywhere", &[&elsewhere]);
    check(&browser, "?q=quokka_den&scope=everywhere&mode=exact", &[&elsewhere, "1 match in 1 line"]);
}

#[test]
fn the_empty_search_offers_examples_that_find_something() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox);
    sandbox.recall(&project, &["remember", "Burrows need two exits.", "--type", "decision"]);
    sandbox.recall(&project, &["search", "dig"]);
    let browser = Browser::open(&sandbox, &project);
    // The page does not wait for a store that is busy.
    wait_until("examples", || browser.get("").body.contains("class=\"examples\"").then_some(()));
    let page =
        check(&browser, "", &["How deep wombats dig", "wombat burrow lang:rust path:src", "type:decision Burrows"]);
    let (_, examples) = page.split_once("class=\"examples\"").expect("examples");
    let links = examples.split("href=\"./").skip(1).filter_map(|rest| rest.split('"').next());
    let mut count = 0;
    for link in links {
        count += 1;
        check(&browser, &link.replace("&amp;", "&"), &["data-item"]);
    }
    assert_eq!(count, 4, "{page}");
}

#[test]
fn a_saved_search_outlives_the_daemon() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox);
    let browser = Browser::open(&sandbox, &project);
    let search = json!({ "q": "dig <b>", "mode": "exact" });
    assert_eq!(browser.change("save", &search).json()["success"], true);
    assert_eq!(browser.change("save", &json!({ "q": "dig", "colour": "red" })).status, 422);
    check(&browser, "?q=dig%20%3Cb%3E&mode=exact", &["data-keep=\"unsave\""]);
    check(&browser, "?q=dig", &["data-keep=\"save\""]);
    assert_eq!(sandbox.recall(&project, &["daemon", "stop"]).code, Some(0));
    let again = Browser::open(&sandbox, &project);
    check(&again, "", &["?q=dig%20%3Cb%3E&amp;mode=exact", "dig &lt;b&gt;", "exact text"]);
    let other = Browser::open(&sandbox, &sandbox.project("q", &[("a.md", "# A\n")]));
    assert!(!check(&other, "", &[]).contains("exact text</span>"), "another project has its own");
    assert_eq!(again.change("unsave", &search).json()["success"], true);
    assert!(!check(&again, "", &[]).contains("dig &lt;b&gt;"));
}

/// Sends the form of the page that a link leads to.
fn post(port: u16, origin: &str, body: &str) -> Answer {
    let request = format!(
        "POST /open HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {origin}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    send(port, request.as_bytes()).expect("an answer")
}

#[test]
fn a_form_opens_the_page_without_a_script() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox);
    let said = sandbox.recall(&project, &["ui", "--print-url"]);
    let link = said.stdout.trim();
    let port: u16 =
        link.split(['/', ':']).nth(4).and_then(|port| port.parse().ok()).unwrap_or_else(|| panic!("{link}"));
    let shown =
        send(port, format!("GET /open HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n").as_bytes());
    assert!(shown.is_some_and(|shown| shown.body.contains("<form method=\"post\" action=\"/open\">")));
    let own = format!("http://127.0.0.1:{port}");
    let body = format!("token={}", link.replace(':', "%3A").replace('/', "%2F").replace('#', "%23"));
    assert_eq!(post(port, "http://evil.example", &body).status, 403);
    assert_eq!(post(port, &own, "token=0123").status, 401);
    let opened = post(port, &own, &body);
    assert_eq!(opened.status, 303, "{opened:?}");
    let browser = Browser {
        port,
        key: opened.header("location").trim_matches('/').to_owned(),
        cookie: opened.header("set-cookie").split(';').next().unwrap_or_default().to_owned(),
    };
    check(&browser, "?q=dig", &["src/wombat_burrow.rs"]);
    let again = post(port, &own, &body);
    assert!(again.status == 401 && again.body.contains("recall ui"), "{again:?}");
}

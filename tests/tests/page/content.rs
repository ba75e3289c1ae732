//! What the pages show, and what changes do.

use recall_testkit::{Project, Sandbox};
use recall_tests::sandbox;
use serde_json::{Value, json};

use super::browser::Browser;

fn json(sandbox: &Sandbox, project: &Project, arguments: &[&str]) -> Value {
    let answer = sandbox.recall(project, &[&["--json"], arguments].concat());
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

fn burrows(sandbox: &Sandbox) -> Project {
    let files = [
        ("docs/digging.md", "# Digging\n\nWombats dig burrows at night.\n"),
        ("src/burrow.rs", "/// Digs a burrow.\npub fn dig(depth: u32) -> u32 {\n    depth + 1\n}\n"),
        ("src/main.rs", "mod burrow;\n\nfn main() {\n    burrow::dig(2);\n}\n"),
    ];
    sandbox.project("p", &files)
}

fn remember(sandbox: &Sandbox, project: &Project, text: &str, more: &[&str]) -> String {
    json(sandbox, project, &[&["remember", text], more].concat())["id"].as_str().expect("an id").to_owned()
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
fn hits_are_shown_with_their_code_citation_standing_and_reasons() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox);
    remember(&sandbox, &project, "Wombats dig at night.", &["--type", "lesson", "--file", "src/burrow.rs"]);
    let browser = Browser::open(&sandbox, &project);
    let found = &json(&sandbox, &project, &["search", "dig"])["results"];
    let page = check(&browser, "?q=dig", &["<span class=\"k\">fn</span>", "<mark>", "Why here", "vscode://file/"]);
    for hit in found.as_array().expect("hits") {
        assert!(page.contains(hit["citation"].as_str().expect("a citation")), "{hit}: {page}");
    }
    assert!(page.contains(">lesson<") && page.contains("type%3Acode"), "{page}");
    let (_, why) = page.split_once("<details data-part=\"").expect("hits are explained");
    let why = why.split('"').next().unwrap_or_default().replace("&amp;", "&");
    let reasons = check(&browser, &why, &["What the rank is made of", "<html"]);
    let chart = check(&browser, &format!("{why}&part=reasons"), &["What the rank is made of"]);
    assert!(!chart.contains("<html") && reasons.contains(&chart));
    assert_eq!(browser.get(&why.replace("id=", "id=0")).status, 404);
    let part = check(&browser, "?q=dig&part=results", &["src/burrow.rs"]);
    assert!(!part.contains("<html") && part.len() < page.len());
}

#[test]
fn a_search_that_cannot_be_made_says_why() {
    let sandbox = sandbox!();
    let browser = Browser::open(&sandbox, &burrows(&sandbox));
    check(&browser, "?q=%20%20", &["Ask in words"]);
    check(&browser, &format!("?q=dig%20{}", "a%20".repeat(6_000)), &["src/burrow.rs"]);
    for page in ["?q=dig&offset=-1", "?q=dig&offset=x", "doc?id=a&line=-1", "doc?id=a&line=99999999999"] {
        assert_eq!(browser.get(page).status, 400, "{page}");
    }
    check(&browser, "?q=dig&offset=4000000000", &["Nothing was found"]);
    let huge = browser.get(&format!("?q={}", "a".repeat(1_000_000)));
    assert!(matches!(huge.status, 400 | 414 | 431), "{}", huge.status);
}

#[test]
fn a_document_has_lines_to_link_to_and_what_belongs_to_it() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox);
    remember(&sandbox, &project, "Wombats dig at night.", &["--type", "lesson", "--file", "src/burrow.rs"]);
    let browser = Browser::open(&sandbox, &project);
    check(
        &browser,
        "doc?id=src/burrow.rs&line=2",
        &[
            "id=\"L1\"",
            "href=\"#L4\"",
            "target\" id=\"L2\"",
            ">dig<",
            "Memories about it",
            "Wombats dig at night",
            "function ·",
            "Used by",
            "src/main.rs",
        ],
    );
    check(&browser, "doc?id=src/main.rs", &["<h2>Uses</h2>", "src/burrow.rs", "history?id="]);
    check(&browser, "history?id=src/burrow.rs", &["History of", ">src/burrow.rs</a>", "No commit has changed it."]);
    assert_eq!(browser.get("history?id=src/none.rs").status, 404);
    project.write("src/long.rs", "let a = 1;\n".repeat(4_000));
    sandbox.recall(&project, &["search", "long"]);
    let first = check(&browser, "doc?id=src/long.rs", &["id=\"L1500\"", "Lines after 1500"]);
    assert!(!first.contains("id=\"L1501\""));
    check(&browser, "doc?id=src/long.rs&line=1501", &["id=\"L1501\"", "Lines before 1501"]);
    check(&browser, "doc?id=src/long.rs&line=4000", &["id=\"L4000\""]);
    for gone in ["doc?id=src/none.rs", "doc?id=", "doc?id=../../etc/passwd", "doc?id=/etc/passwd"] {
        let answer = browser.get(gone);
        assert!((400..500).contains(&answer.status), "{gone}: {answer:?}");
        assert!(answer.body.contains("role=\"alert\"") && !answer.body.contains("root:"), "{gone}: {answer:?}");
    }
    project.remove("src/burrow.rs");
    sandbox.recall(&project, &["search", "dig"]);
    assert_eq!(browser.get("doc?id=src/burrow.rs").status, 404, "it was deleted");
}

#[test]
fn markdown_is_rendered_and_its_source_is_a_link_away() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox);
    let text = "# Digging\n\nSee [`dig`](../src/burrow.rs#L2), [the web](https://example.org) and\n<img src=https://example.org/a.png>.\n";
    project.write("docs/digging.md", text);
    let browser = Browser::open(&sandbox, &project);
    let shown = check(
        &browser,
        "doc?id=docs/digging.md&line=4",
        &[
            "<h2 id=\"h-digging\">",
            "<a href=\"doc?id=src%2Fburrow.rs&amp;line=2#L2\"><code>dig</code></a>",
            "<a href=\"https://example.org\" rel=\"noreferrer\">",
            "id=\"L4\"",
            "view=source\" data-form",
        ],
    );
    assert!(!shown.contains("a.png") && !shown.contains("<img"), "{shown}");
    check(
        &browser,
        "doc?id=docs/digging.md&view=source",
        &["&lt;img src=https://example.org/a.png&gt;", "href=\"#L4\""],
    );
    let asked =
        check(&browser, "doc?id=docs/digging.md&why=1", &["span class=\"why\"", "no git repository", "no session"]);
    assert!(asked.contains("&lt;img src") && shown.contains("why=1\""), "{asked}");
    let folder = browser.get("doc?id=docs");
    assert_eq!((folder.status, folder.header("location")), (303, "browse?path=docs"), "{folder:?}");
    project.write("docs/long.md", "line\n".repeat(6_000));
    check(&browser, "doc?id=docs/long.md&line=2000", &["5,000 lines or more", "id=\"L2000\"", "Lines before 1501"]);
}

#[test]
fn a_memory_stands_at_the_line_of_the_definition_that_it_names() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox);
    let more = ["--type", "lesson", "--file", "src/burrow.rs", "--cue", "symbol:dig"];
    let id = remember(&sandbox, &project, "Wombats dig at night.", &more);
    let browser = Browser::open(&sandbox, &project);
    let shown = check(&browser, "doc?id=src/burrow.rs", &["class=\"remembered\""]);
    let (before, after) = shown.split_once("id=\"L1\"").expect("the first line of the definition");
    let noted = before.rsplit_once("class=\"remembered\"").expect("a note").1;
    assert!(noted.contains(&id) && !after.contains("class=\"remembered\""), "{shown}");
}

#[test]
fn memories_are_filtered_and_changed() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox);
    let id = remember(
        &sandbox,
        &project,
        "Wombats dig at night.",
        &["--type", "lesson", "--file", "src/burrow.rs", "--tag", "zoo"],
    );
    let other = remember(&sandbox, &project, "Burrows have two ends.", &["--type", "decision"]);
    let browser = Browser::open(&sandbox, &project);
    check(&browser, "memories", &["2 memories", "Wombats dig", "Burrows have"]);
    for (filter, number) in [
        ("type=lesson", 1),
        ("tag=zoo", 1),
        ("trust=high", 2),
        ("trust=low", 0),
        ("standing=current", 2),
        ("flagged=1", 0),
    ] {
        let shown = browser.get(&format!("memories?{filter}")).body;
        assert_eq!(shown.matches("data-item").count(), number, "{filter}: {shown}");
    }
    project.write("src/burrow.rs", "pub fn fill() {}\n");
    sandbox.recall(&project, &["search", "fill"]);
    check(&browser, &format!("memory?id={id}"), &["changed since", "src/burrow.rs", "data-do=\"confirm\""]);

    let change =
        |action: &str, extra: &str| browser.change(action, &json!({ "id": id, "scope": "project", "extra": extra }));
    assert_eq!(change("confirm", "").json(), json!({ "success": true, "data": { "confirmed": 1 }, "error": null }));
    check(&browser, &format!("memory?id={id}"), &["<strong>unchanged</strong>"]);
    assert_eq!(change("feedback", "useful").json()["data"]["acknowledged"], true);
    check(&browser, &format!("memory?id={id}"), &["rated 1 useful, 0 not"]);
    let refused = change("feedback", "splendid");
    assert_eq!((refused.status, &refused.json()["success"]), (400, &false.into()));
    assert_eq!(browser.change("promote", &json!({ "id": other })).json()["success"], true);
    check(&browser, &format!("memory?id={other}"), &["<dd>global</dd>"]);
    assert_eq!(change("delete", "").json()["data"]["deleted"], 1);
    assert_eq!(browser.get(&format!("memory?id={id}")).status, 404);
    // Another tab still shows it.
    let again = change("delete", "");
    assert_eq!((again.status, again.json()["success"].clone()), (404, false.into()), "{again:?}");
}

#[test]
fn the_inbox_shows_proposals_next_to_what_is_similar_and_takes_decisions() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox);
    let known = remember(&sandbox, &project, "Wombats dig burrows at night.", &["--type", "lesson"]);
    assert_eq!(sandbox.recall(&project, &["config", "set", "review.agent", "propose"]).code, Some(0));
    let mut agent = recall_tests::Agent::new(sandbox.start_shim(&project, &["--tools", "full"]));
    let mut propose = |title: &str, content: &str| {
        let told = agent.ask("recall_add", json!({ "type": "lesson", "title": title, "content": content }));
        told.split(' ').nth(2).unwrap_or_else(|| panic!("{told}")).to_owned()
    };
    let first = propose("Burrows", "Wombats dig burrows at night, in summer <b>also</b> by day.");
    let second = propose("Fences", "Fences are checked on Mondays.");
    let browser = Browser::open(&sandbox, &project);
    let shown = check(&browser, "memories", &["1 memory", "<a href=\"inbox\">2 memories wait"]);
    assert!(!shown.contains("Fences"), "{shown}");
    let inbox = check(&browser, "inbox", &["Fences", &format!("memory?id={known}"), "also", "data-do=\"review\""]);
    assert!(!inbox.contains("<b>also"), "{inbox}");
    let decide = |id: &str, extra: &str| browser.change("review", &json!({ "id": id, "extra": extra })).json();
    assert_eq!(decide(&second, "accept")["success"], true);
    assert_eq!(decide(&second, "accept")["success"], false, "it is not a proposal any more");
    assert_eq!(decide(&first, &known)["success"], true);
    check(&browser, "inbox", &["Nothing waits for a review."]);
    check(&browser, "memories", &["2 memories", "Fences"]);
    check(&browser, &format!("memory?id={known}"), &["in summer"]);
}

/// Returns what the form of a memory was filled with.
fn seen(browser: &Browser, id: &str) -> String {
    let page = check(browser, &format!("memory?id={id}"), &["data-amend", "<textarea"]);
    let (_, rest) = page.split_once("data-seen=\"").expect("the page has a form");
    rest.split('"').next().unwrap_or_default().to_owned()
}

#[test]
fn an_amendment_changes_what_is_given_and_a_second_tab_is_told() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox);
    let id = remember(&sandbox, &project, "Wombats dig <b>.", &["--type", "lesson", "--tag", "zoo"]);
    let browser = Browser::open(&sandbox, &project);
    check(&browser, &format!("memory?id={id}"), &["<h1>Wombats dig &lt;b&gt;.</h1>"]);
    let (first, second) = (seen(&browser, &id), seen(&browser, &id));
    let amend = |seen: &str, fields: Value| {
        let mut body = json!({ "id": id, "seen": seen });
        let fields = fields.as_object().expect("an object").clone();
        body.as_object_mut().expect("an object").extend(fields);
        browser.change("amend", &body)
    };
    let amended = amend(&first, json!({ "content": "Wombats dig at night.", "tags": "zoo, night" }));
    assert_eq!((amended.status, &amended.json()["success"]), (200, &true.into()), "{amended:?}");
    let shown = json(&sandbox, &project, &["get", &id]);
    assert_eq!(shown["memory"]["content"], "Wombats dig at night.", "{shown}");
    // The title was made of the text, and follows it.
    check(&browser, &format!("memory?id={id}"), &["<h1>Wombats dig at night.</h1>", "#night", "#zoo"]);

    let told = amend(&second, json!({ "content": "Wombats sleep." }));
    assert_eq!((told.status, &told.json()["error"]["reason"]), (409, &"CONFLICT".into()), "{told:?}");
    check(&browser, &format!("memory?id={id}"), &["Wombats dig at night."]);
    let again = seen(&browser, &id);
    assert_eq!(amend(&again, json!({ "title": " " })).status, 400);
    assert_eq!(amend(&again, json!({ "content": "a".repeat(1_100_000) })).status, 400);
    assert_eq!(amend(&again, json!({ "content": "a".repeat(3_000_000) })).status, 413);
    assert_eq!(amend(&again, json!({ "content": "Wombats sleep. ".repeat(20_000) })).status, 200);
}

#[test]
fn a_file_without_text_is_not_shown() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox);
    project.write("logo.bin", "a\0b\u{1}".repeat(1_000));
    project.write("empty.md", "");
    let browser = Browser::open(&sandbox, &project);
    let answer = browser.get("doc?id=logo.bin");
    assert!(answer.status == 404 && answer.body.contains("role=\"alert\""), "{answer:?}");
    let answer = browser.get("doc?id=empty.md");
    assert!(matches!(answer.status, 200 | 404) && !answer.body.contains("id=\"L1\""), "{answer:?}");
}

#[test]
fn sessions_and_health_are_shown() {
    let sandbox = sandbox!().with_variable("CLAUDE_CODE_SESSION_ID", "c-7");
    let project = burrows(&sandbox);
    sandbox.recall(&project, &["session", "start", "--goal", "Dig deeper"]);
    sandbox.recall(&project, &["session", "log", "decision", "Use a spade.", "--rationale", "It is faster."]);
    sandbox.recall(&project, &["search", "dig"]);
    let browser = Browser::open(&sandbox, &project);
    let log = ["session", "log", "decision", "Fill the hole.", "--session", "c-8"];
    sandbox.recall(&project, &["session", "start", "--session", "c-8"]);
    sandbox.recall(&project, &log);
    let listed = check(&browser, "sessions", &["Dig deeper", "session?id=c-7", ">Fill the hole.<", "1 decision"]);
    assert!(listed.find("At work now") < listed.find("class=\"day\""), "{listed}");
    let one = check(
        &browser,
        "session?id=c-7",
        &["<h1>Dig deeper</h1>", "<h2>Decided</h2>", "Why: It is faster.", "Because: It is faster.", "searched"],
    );
    assert!(!one.contains("<h1>c-7"), "{one}");
    check(&browser, "session?id=c-8", &["<h1>Fill the hole.</h1>"]);
    check(&browser, "briefing", &["tokens", "<li>"]);
    check(&browser, "health", &["3 of 3", "Daemon", "rpc.Search", "<meter"]);
    assert_eq!(browser.get("session?id=none").status, 404);
}

#[test]
fn a_memory_shows_where_it_was_used_and_what_may_contradict_it() {
    let sandbox = sandbox!().with_variable("CLAUDE_CODE_SESSION_ID", "c-7");
    let project = burrows(&sandbox);
    let id =
        remember(&sandbox, &project, "Wombats always dig `burrows` at night, never by day.", &["--type", "lesson"]);
    sandbox.recall(&project, &["session", "start", "--goal", "Dig deeper"]);
    sandbox.recall(&project, &["search", "when do wombats dig burrows"]);
    sandbox.recall(&project, &["get", &id]);
    sandbox.recall(&project, &["feedback", &id, "useful"]);
    let browser = Browser::open(&sandbox, &project);
    let page = format!("memory?id={id}");
    let shown = check(
        &browser,
        &page,
        &[
            "<code>burrows</code>",
            "by “when do wombats dig burrows”",
            ">used<",
            "opened",
            ">rated<",
            "in <a href=\"session?id=c-7\">Dig deeper</a>",
            "1 session of this project",
        ],
    );
    assert!(!shown.contains("may contradict"), "{shown}");
    let other = remember(
        &sandbox,
        &project,
        "Wombats never dig `burrows` at night, always by day.",
        &["--type", "lesson", "--force"],
    );
    for (page, rival) in [(page, &other), (format!("memory?id={other}"), &id)] {
        check(&browser, &page, &[&format!("It may contradict <a href=\"memory?id={rival}\"")]);
    }
}

/// Returns the words of the main button of a memory's page.
fn main_action(page: &str) -> &str {
    let (_, rest) = page.split_once("main-action\">").expect("a main action");
    let (button, _) = rest.split_once("</button>").expect("a button");
    button.rsplit('>').next().unwrap_or_default()
}

#[test]
fn a_memory_shows_first_what_it_needs() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox);
    let file = ["--type", "lesson", "--file", "src/burrow.rs"];
    let id = remember(&sandbox, &project, "Wombats dig at night.", &file);
    let browser = Browser::open(&sandbox, &project);
    let page = format!("memory?id={id}");
    assert_eq!(main_action(&check(&browser, &page, &[])), "Amend");
    project.write("src/burrow.rs", "pub fn fill() {}\n");
    sandbox.recall(&project, &["search", "fill"]);
    let shown = check(&browser, &page, &["Does it still hold?", "git does not have the text"]);
    assert_eq!(main_action(&shown), "Confirm");
    assert!(!shown.contains("<pre class=\"diff\""), "{shown}");
    project.remove("src/burrow.rs");
    sandbox.recall(&project, &["search", "fill"]);
    assert_eq!(main_action(&check(&browser, &page, &["is gone"])), "Retire");
    check(
        &browser,
        "memories?q=night%20wombats",
        &["1 memory", "files gone", "class=\"pick\"", "data-many=\"confirm\""],
    );
    check(&browser, "memories?q=nightly", &["0 memories of 1"]);
}

#[test]
fn a_memory_shows_where_its_file_was_moved() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox);
    sandbox.recall(&project, &["search", "dig"]);
    let id = remember(&sandbox, &project, "Wombats dig at night.", &["--type", "lesson", "--file", "src/burrow.rs"]);
    std::fs::rename(project.path("src/burrow.rs"), project.path("src/den.rs")).expect("moved");
    sandbox.recall(&project, &["search", "dig"]);
    let browser = Browser::open(&sandbox, &project);
    check(&browser, "memories", &["moved to src/den.rs"]);
    check(&browser, &format!("memory?id={id}"), &["moved to src/den.rs", "doc?id=src%2Fden.rs"]);
}

#[test]
fn the_files_of_the_page_are_small() {
    let sandbox = sandbox!();
    let browser = Browser::open(&sandbox, &burrows(&sandbox));
    let (script, style) = (browser.get("page.js"), browser.get("style.css"));
    assert_eq!(
        (script.header("content-type"), style.header("content-type")),
        ("text/javascript; charset=utf-8", "text/css; charset=utf-8")
    );
    assert!(script.body.len() + style.body.len() <= 60 * 1024);
}

#[test]
fn documents_are_browsed_and_drawn_with_their_neighbours() {
    let sandbox = sandbox!();
    let project = burrows(&sandbox);
    project.write("docs/adr/0001-spades.md", "# 1. Spades\n\n**Status:** superseded by [2](0002-claws.md)\n");
    project.write("docs/adr/0002-claws.md", "# 2. Claws\n\n## Status\n\nAccepted\n");
    remember(&sandbox, &project, "Dig with spades.", &["--type", "decision"]);
    let browser = Browser::open(&sandbox, &project);
    check(&browser, "browse", &["src/burrow.rs", "docs/digging.md", "browse?language=rust", "6 documents"]);
    let rust = check(&browser, "browse?language=rust&path=src", &["src/burrow.rs", "2 documents"]);
    assert!(!rust.contains("docs/digging.md"));
    let expected =
        ["Dig with spades.", "docs/adr/0001-spades.md", "superseded by 2", "Accepted", "supersedes <a href="];
    check(&browser, "decisions", &expected);
    let in_force = check(&browser, "decisions?state=force", &["Dig with spades.", "docs/adr/0002-claws.md"]);
    assert!(!in_force.contains(">docs/adr/0001-spades.md</code>"), "{in_force}");
    let over = check(&browser, "decisions?state=over", &["docs/adr/0001-spades.md"]);
    assert!(!over.contains("Dig with spades."), "{over}");
    let expected =
        ["<svg", ">dig<", "<circle", "marker-end", ">defines<", "aria-label=\"Open dig\"", "The same as a table"];
    check(&browser, "graph?node=src/burrow.rs", &expected);
    let without = check(&browser, "graph?node=src/burrow.rs&without=defines", &["Show these lines"]);
    assert!(!without.contains(">dig<"), "{without}");
    check(&browser, "graph", &["class=\"folder", ">src<", "2 files"]);
    check(&browser, "?q=dig", &["graph?node="]);
    assert_eq!(browser.get("graph?node=src/none.rs").status, 404);
    for page in ["graph?node=src/burrow.rs&depth=99", "browse?cursor=nonsense"] {
        assert_eq!(browser.get(page).status, 400, "{page}");
    }
}

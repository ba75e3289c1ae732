//! A store that a team shares, through the real programs and the contract server.

#![cfg(unix)]

use recall_testkit::{ContractServer, Project, Sandbox};
use recall_tests::Agent;
use serde_json::json;

use crate::page::browser::Browser;
use crate::team::{self, RETRY, commit, configure, json_of, paths, with_git};

#[test]
fn what_one_machine_publishes_another_finds() {
    let server = ContractServer::start();
    server.require_key("team-key");
    let machine = || with_git().with_variable("RECALL_STORE_PLATFORM_KEY", "team-key");
    let builder = machine();
    configure(&builder, "qdrant", &server.address(), "shards = 2\n");
    let key = ("src/key.rs", "const KEY: &str = \"AKIAIOSFODNN7EXAMPLQ\";\nfn sign_with_key() {}\n");
    let api = builder.project("api", &[("src/retry.rs", RETRY), key]);
    commit(&api, "git@example.org:acme/api.git");
    let sent = json_of(&builder, &api, &["publish"]);
    assert_eq!((&sent["repository"], &sent["branch"]), (&"example.org/acme/api".into(), &"main".into()), "{sent}");
    assert_eq!((&sent["sent_documents"], &sent["generation"]), (&2.into(), &1.into()), "{sent}");
    let again = json_of(&builder, &api, &["publish"]);
    assert_eq!((&again["sent_chunks"], &again["sent_documents"]), (&0.into(), &0.into()), "{again}");
    let verified = json_of(&builder, &api, &["publish", "--verify"]);
    assert_eq!((&verified["difference_count"], &verified["sent_chunks"]), (&0.into(), &0.into()), "{verified}");
    let texts = server.texts("recall_1_chunks", "text");
    assert!(!texts.is_empty() && !texts.iter().any(|text| text.contains("IOSFODNN7")), "{texts:?}");

    let reader = machine();
    configure(&reader, "qdrant", &server.address(), "deadline = \"10s\"\n");
    let shop = reader.project("shop", &[("src/cart.rs", "fn cart() {}\n")]);
    let found = json_of(&reader, &shop, &["search", "backoff with jitter before the next try"]);
    assert_eq!(paths(&found)[0], "platform/example.org/acme/api/src/retry.rs", "{found}");
    let named = json_of(&reader, &shop, &["search", "backoff", "--scope", "domain", "--domain", "platform"]);
    assert_eq!(paths(&named)[0], "platform/example.org/acme/api/src/retry.rs", "{named}");
    assert_eq!(named["results"][0]["doc"]["scope"], "domain", "{named}");
    let filtered = json_of(&reader, &shop, &["search", "backoff", "--scope", "domain", "--path", "src/key.rs"]);
    assert!(!paths(&filtered).contains(&"platform/example.org/acme/api/src/retry.rs".to_owned()), "{filtered}");
    team::assert_conditions_are_checked(&reader, &shop);

    team::assert_a_published_document_is_read(&reader, &shop);
    an_agent_reads_what_it_found(&reader, &shop);
    the_page_shows_what_it_found(&reader, &shop);
    team::assert_a_clone_is_searched_in_place_of_what_is_published(&reader);
}

/// An agent searches, and reads the text of the citation that it was given.
#[track_caller]
fn an_agent_reads_what_it_found(reader: &Sandbox, project: &Project) {
    let mut agent = Agent::new(reader.start_shim(project, &[]));
    let found = agent.ask("recall_search", json!({"query": "backoff with jitter"}));
    let at = found.find("platform/example.org/acme/api/src/retry.rs:").unwrap_or_else(|| panic!("{found}"));
    let citation = found[at..].split_whitespace().next().expect("a word");
    let read = agent.ask("recall_get", json!({"id": citation}));
    assert!(read.contains("pub fn backoff(tries: u32) -> u64 {"), "{citation}: {read}");
}

/// A hit on the page links to the whole document.
#[track_caller]
fn the_page_shows_what_it_found(reader: &Sandbox, project: &Project) {
    let browser = Browser::open(reader, project);
    let found = browser.get("?q=backoff").body;
    let at =
        found.find("doc?id=platform%2Fexample.org%2Facme%2Fapi%2Fsrc%2Fretry.rs").unwrap_or_else(|| panic!("{found}"));
    let address = found[at..].split(['"', '#']).next().expect("an address").replace("&amp;", "&");
    let shown = browser.get(&address);
    assert_eq!(shown.status, 200, "{shown:?}");
    assert!(shown.body.contains("platform/example.org/acme/api/src/retry.rs"), "{shown:?}");
    assert!(shown.body.contains("backoff") && !shown.body.contains("graph?node="), "{shown:?}");
}

#[test]
fn a_wrong_key_is_told_with_what_to_do() {
    let server = ContractServer::start();
    server.require_key("team-key");
    let sandbox = with_git().with_variable("RECALL_STORE_PLATFORM_KEY", "wrong-key");
    configure(&sandbox, "qdrant", &server.address(), "");
    let shop = sandbox.project("shop", &[("src/cart.rs", "fn cart() {}\n")]);
    commit(&shop, "https://example.org/acme/shop");
    let refused = sandbox.recall(&shop, &["publish"]);
    assert_ne!(refused.code, Some(0), "{refused:?}");
    assert!(refused.stderr.contains("Invalid API key") && refused.stderr.contains("RECALL_STORE_"), "{refused:?}");
    assert!(!refused.stderr.contains("wrong-key"), "{refused:?}");
}

#[test]
fn an_address_that_would_expose_the_texts_is_told_by_each_search() {
    let sandbox = with_git();
    configure(&sandbox, "qdrant", "http://db.example.org:6334", "");
    let shop = sandbox.project("shop", &[("src/cart.rs", "fn cart() {}\n")]);
    commit(&shop, "https://example.org/acme/shop");
    let found = json_of(&sandbox, &shop, &["search", "cart"]);
    assert_eq!(paths(&found), ["src/cart.rs"], "{found}");
    assert!(found["warnings"].to_string().contains("use https beyond this machine"), "{found}");
    let refused = sandbox.recall(&shop, &["publish"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("use https") && refused.stderr.contains("recall daemon restart"), "{refused:?}");
}

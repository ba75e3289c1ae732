//! A store that a team shares, through the real programs and a real PostgreSQL.
//!
//! They need the package of the server: the variable `RECALL_TEST_WHEELS` must name a folder with it.

#![cfg(unix)]

use std::time::{Duration, Instant};

use recall_testkit::PostgresServer;
use recall_tests::Sandbox;

use crate::team::{self, RETRY, commit, json_of, paths, with_git};

fn configure(sandbox: &Sandbox, server: &PostgresServer, more: &str) {
    team::configure(sandbox, "postgres", &server.address(), more);
}

#[test]
fn what_one_machine_publishes_another_finds() {
    let server = PostgresServer::start();
    let builder = with_git();
    configure(&builder, &server, "");
    let api = builder.project(
        "api",
        &[
            ("src/retry.rs", RETRY),
            ("src/key.rs", "const KEY: &str = \"AKIAIOSFODNN7EXAMPLQ\";\nfn sign_with_key() {}\n"),
        ],
    );
    commit(&api, "git@example.org:acme/api.git");
    api.write("src/private.rs", "fn untracked_backoff() {}\n");
    let sent = json_of(&builder, &api, &["publish"]);
    assert_eq!((&sent["repository"], &sent["branch"]), (&"example.org/acme/api".into(), &"main".into()), "{sent}");
    assert_eq!((&sent["sent_documents"], &sent["generation"]), (&2.into(), &1.into()), "{sent}");
    let again = json_of(&builder, &api, &["publish"]);
    assert_eq!((&again["sent_chunks"], &again["sent_documents"]), (&0.into(), &0.into()), "{again}");
    let verified = json_of(&builder, &api, &["publish", "--verify"]);
    assert_eq!((&verified["difference_count"], &verified["sent_chunks"]), (&0.into(), &0.into()), "{verified}");

    let reader = with_git();
    configure(&reader, &server, "deadline = \"10s\"\n");
    let shop = reader.project("shop", &[("src/cart.rs", "fn cart() {}\n")]);
    let found = json_of(&reader, &shop, &["search", "backoff with jitter before the next try"]);
    assert_eq!(paths(&found)[0], "platform/example.org/acme/api/src/retry.rs", "{found}");
    assert_eq!(found["results"][0]["doc"]["scope"], "domain", "{found}");
    let named = json_of(&reader, &shop, &["search", "backoff", "--scope", "domain", "--domain", "platform"]);
    assert_eq!(paths(&named)[0], "platform/example.org/acme/api/src/retry.rs", "{named}");
    assert!(!named.to_string().contains("untracked_backoff"), "git does not track it: {named}");
    let key = json_of(&reader, &shop, &["search", "sign_with_key"]);
    assert_eq!(paths(&key)[0], "platform/example.org/acme/api/src/key.rs", "{key}");
    assert!(!key.to_string().contains("IOSFODNN7"), "{key}");
    let leaked = server.sql("team", "select count(*) from recall_1.chunk where text like '%IOSFODNN7%'");
    assert!(leaked.is_empty() || leaked == ["0"], "{leaked:?}");
    let here = json_of(&reader, &shop, &["search", "backoff", "--scope", "project"]);
    assert!(paths(&here).is_empty(), "{here}");

    team::assert_conditions_are_checked(&reader, &shop);
    team::assert_a_published_document_is_read(&reader, &shop);
    team::assert_a_clone_is_searched_in_place_of_what_is_published(&reader);
}

#[test]
fn a_dead_store_costs_its_deadline_once() {
    let server = PostgresServer::start();
    let sandbox = with_git();
    configure(&sandbox, &server, "deadline = \"1s\"\n");
    let shop = sandbox.project("shop", &[("src/cart.rs", "fn cart() {}\n")]);
    commit(&shop, "https://example.org/acme/shop");
    json_of(&sandbox, &shop, &["publish"]);
    json_of(&sandbox, &shop, &["search", "cart"]);
    server.pause();
    let late = json_of(&sandbox, &shop, &["search", "cart"]);
    assert_eq!(paths(&late), ["src/cart.rs"], "{late}");
    assert!(late["warnings"].to_string().contains("SHARED_STORE"), "{late}");
    let unread = sandbox.recall(&shop, &["get", "platform/example.org/acme/shop/src/cart.rs"]);
    assert!(unread.stderr.contains("the shared store `platform` did not answer"), "{unread:?}");
    let began = Instant::now();
    for _ in 0..20 {
        assert_eq!(paths(&json_of(&sandbox, &shop, &["search", "cart"])), ["src/cart.rs"]);
    }
    assert!(began.elapsed() < Duration::from_secs(15), "each waited for the store: {:?}", began.elapsed());
    server.unpause();
    recall_testkit::wait_until("it is asked again in the background", || {
        let answer = json_of(&sandbox, &shop, &["search", "cart"]);
        (!answer["warnings"].to_string().contains("SHARED_STORE")).then_some(())
    });
}

#[test]
fn a_project_cannot_name_a_store() {
    let sandbox = with_git();
    let text = "[stores.evil]\nkind = \"postgres\"\naddress = \"postgres://a@127.0.0.1:1/x\"\n";
    let shop = sandbox.project("shop", &[("a.rs", "fn cart() {}\n"), (".recall/recall.toml", text)]);
    commit(&shop, "https://example.org/acme/shop");
    let refused = sandbox.recall(&shop, &["publish"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("no shared store is configured"), "{refused:?}");
}

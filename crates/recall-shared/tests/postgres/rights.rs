//! Rights by repository, and the record of publications: `docs/shared-store-rights.sql`, as an administrator runs it.

use std::path::Path;

use oorandom::Rand32;
use recall_shared::{Place, Postgres, SharedStore as _, TextScan, publish};
use recall_testkit::PostgresServer;

use super::store_at;
use crate::suite::check::paths_with;
use crate::suite::corpus::{Corpus, branch, chunk, model, query_vector};

/// Publishes two repositories, and runs the script. `ann` may read one of them, `bob` all of the team, `eve` none.
fn protected() -> (PostgresServer, Postgres) {
    let server = PostgresServer::start();
    let store = store_at(server.address(), "default");
    let mut random = Rand32::new(1);
    for (repository, words) in [("github.com/acme/api", "alpha shared"), ("github.com/acme/payroll", "salary shared")] {
        let mut corpus = Corpus::default();
        corpus.put("src/own.rs", &[words.to_owned(), "common".to_owned()], &mut random);
        publish(&store, &branch(repository, "main"), Some(&model()), &corpus).expect("it answers");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/shared-store-rights.sql");
    let script = std::fs::read_to_string(script).expect("the script");
    for _ in 0..2 {
        server.sql("team", &script);
    }
    for role in ["ann", "bob", "eve"] {
        server.sql("team", &format!("create role {role} login in role recall_reader"));
    }
    let grant = "insert into recall_rights.reader (role, repository) values ('ann', 'github.com/acme/api'), ('bob', 'github.com/acme/%')";
    server.sql("team", grant);
    (server, store)
}

fn as_member(server: &PostgresServer, role: &str) -> Postgres {
    store_at(server.address().replace("recall@", &format!("{role}@")), "default")
}

/// The repositories of which a member sees something: by words, by nearness, by texts, by place and by a pass over all texts.
#[track_caller]
fn seen(server: &PostgresServer, role: &str) -> Vec<&'static str> {
    let store = as_member(server, role);
    let repositories = [("github.com/acme/api", "alpha"), ("github.com/acme/payroll", "salary")];
    let scanned = store.scan_texts(&TextScan::default()).expect("it answers").documents;
    let ask = super::nearest_ask(query_vector(&mut Rand32::new(3)));
    let near = store.find(&ask).expect("it answers").documents;
    let mut seen = Vec::new();
    for (repository, word) in repositories {
        let place = Place { repository: repository.to_owned(), path: "src/own.rs".to_owned() };
        let by_place = store.document(&[place]).expect("it answers").is_some();
        let key = chunk(&format!("{word} shared")).key;
        let by_key = store.texts(&[key]).expect("it answers")[0].is_some();
        let by_word = !paths_with(&store, word).is_empty();
        let by_scan = scanned.iter().any(|one| one.document.repository == repository);
        let is_near = near.iter().any(|one| one.repository == repository);
        assert_eq!([by_key, by_word, by_scan, is_near], [by_place; 4], "{role} {repository}");
        seen.extend(by_place.then_some(repository));
    }
    seen
}

#[test]
fn a_member_sees_what_its_role_may_read() {
    let (server, store) = protected();
    assert_eq!(
        seen(&server, "recall"),
        ["github.com/acme/api", "github.com/acme/payroll"],
        "who publishes is not limited"
    );
    assert_eq!(seen(&server, "bob"), ["github.com/acme/api", "github.com/acme/payroll"]);
    assert_eq!(seen(&server, "ann"), ["github.com/acme/api"]);
    assert!(seen(&server, "eve").is_empty());
    // A chunk that both repositories have is readable through the one that is.
    let common = chunk("common").key;
    assert!(as_member(&server, "ann").texts(&[common]).expect("it answers")[0].is_some());
    assert!(as_member(&server, "eve").texts(&[common]).expect("it answers")[0].is_none());

    // With SQL a member gets no further: neither by a partition, nor by changing rights, nor by reading those of others.
    let sql = |role: &str, statement: &str| {
        server.sql_as(role, "team", &format!("set recall.tenant = 'default'; {statement}"))
    };
    for table in ["document", "chunk", "chunk_keys", "occurrence", "path_key", "vector_0123456789abcdef_8"] {
        let count = sql("eve", &format!("select count(*) from recall_1.{table}")).expect("granted");
        assert_eq!(count.last().map(String::as_str), Some("0"), "{table}");
        let partition =
            server.sql("team", &format!("select relid from pg_partition_tree('recall_1.{table}') where isleaf"));
        let direct = sql("eve", &format!("select count(*) from {}", partition[0]));
        assert!(direct.is_err_and(|error| error.contains("permission denied")), "{table}");
    }
    let rights = sql("ann", "select role from recall_rights.reader").expect("granted");
    assert_eq!(rights.last().map(String::as_str), Some("ann"), "{rights:?}");
    assert!(!rights.contains(&"bob".to_owned()), "{rights:?}");
    for change in [
        "insert into recall_rights.reader (role, repository) values ('ann', '%')",
        "delete from recall_rights.publication",
        "select recall_rights.protect()",
        "delete from recall_1.document",
    ] {
        assert!(sql("ann", change).is_err(), "{change}");
    }

    // Revoked, at once and on open connections.
    let ann = as_member(&server, "ann");
    assert_eq!(paths_with(&ann, "alpha"), ["src/own.rs"]);
    server.sql("team", "delete from recall_rights.reader where role = 'ann'");
    assert!(paths_with(&ann, "alpha").is_empty());
    drop(store);
}

#[test]
fn tables_that_are_created_later_are_protected() {
    let (server, store) = protected();
    let other = recall_shared::Model { fingerprint: "fedcba9876543210".to_owned(), dimensions: 8 };
    let mut corpus = Corpus::default();
    corpus.put("src/own.rs", &["salary shared".to_owned()], &mut Rand32::new(1));
    publish(&store, &branch("github.com/acme/payroll", "main"), Some(&other), &corpus).expect("it answers");
    let count = |role: &str| {
        let count = "set recall.tenant = 'default'; select count(*) from recall_1.vector_fedcba9876543210_8";
        server.sql_as(role, "team", count).expect("granted").last().cloned()
    };
    assert_eq!(count("bob").as_deref(), Some("1"));
    assert_eq!(count("ann").as_deref(), Some("0"));
}

#[test]
fn every_publication_is_recorded() {
    let (server, _) = protected();
    server.sql("team", "create role pipeline login in role recall");
    let pipeline = store_at(server.address().replace("recall@", "pipeline@"), "default");
    let mut corpus = Corpus::default();
    corpus.put("src/own.rs", &["changed".to_owned()], &mut Rand32::new(1));
    for _ in 0..2 {
        publish(&pipeline, &branch("github.com/acme/api", "main"), Some(&model()), &corpus).expect("it answers");
    }
    let log =
        server.sql("team", "select role, repository, branch, generation, documents from recall_rights.publication");
    assert_eq!(log, ["pipeline|github.com/acme/api|main|2|1"], "an unchanged branch is no publication");
    for role in ["pipeline", "ann"] {
        let forged = server.sql_as(role, "team", "delete from recall_rights.publication");
        assert!(forged.is_err_and(|error| error.contains("permission denied")), "{role}");
    }
}

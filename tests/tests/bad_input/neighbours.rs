//! Invalid and valid requests for related documents and for parts of the graph.

use recall_api::{Failure, Reason, v1};

use super::case::{Case, KNOWN};

#[test]
fn an_unknown_name_is_rejected_with_similar_names() {
    let case = Case::new();
    for command in ["graph", "related"] {
        case.refuses(&[command, "sessions.rs"], 1, "NOT_FOUND", "not found: `sessions.rs`");
        let refused = case.recall(&[command, "sessions.rs"]).stderr;
        assert!(refused.contains("near it are `src/sessions.rs`"), "{refused}");
        case.refuses(&[command, "zzzz"], 1, "NOT_FOUND", "not found: `zzzz`");
        case.refuses(&[command, ""], 2, "INVALID_ARGUMENT", "is empty");
        for outside in ["/etc/passwd", "../../etc/passwd"] {
            case.refuses(&[command, outside], 4, "PERMISSION_DENIED", "is not in the project");
        }
    }
    case.refuses(&["graph", "open_session"], 1, "NOT_FOUND", "not found: `open_session`");
    assert!(case.recall(&["graph", "open_session"]).stderr.contains("near it are `open_sessions`"));
    case.refuses(&["related", "src/sessions.rs:90-95"], 2, "INVALID_ARGUMENT", "has 2 lines and none of 90 to 95");
    case.still_answers(case.daemon());
}

#[test]
fn numbers_out_of_their_range_are_refused() {
    let case = Case::new();
    let graph = |option, number| ["graph", KNOWN.0, option, number];
    case.refuses(&graph("--depth", "0"), 2, "INVALID_ARGUMENT", "`depth` is 0; it must be at least 1");
    case.refuses(&graph("--depth", "9"), 4, "LIMIT_EXCEEDED", "`depth` is 9; the limit is 5");
    case.refuses(&graph("--limit", "201"), 4, "LIMIT_EXCEEDED", "`limit` is 201; the limit is 200");
    let says = "`limit` is 51; the limit is 50";
    case.refuses(&["related", KNOWN.1, "--limit", "51"], 4, "LIMIT_EXCEEDED", says);
    case.still_answers(case.daemon());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_relation_or_type_is_refused_by_the_daemon() {
    let case = Case::new();
    let daemon = case.first_daemon();
    let client = case.client().await;
    let context = || Some(case.context());
    let relations = vec!["calls".to_owned()];
    let node = KNOWN.0.to_owned();
    let graph = v1::GraphRequest { context: context(), node, relations, ..v1::GraphRequest::default() };
    let failure = Failure::from_status(&client.graph(graph).await.expect_err("no such relation"));
    assert_eq!(failure.reason, Reason::InvalidArgument, "{failure}");
    assert!(failure.message.contains("`calls`; expected one of imports, imported_by"), "{failure}");
    let types = vec!["novel".to_owned()];
    let id = KNOWN.1.to_owned();
    let related = v1::RelatedRequest { context: context(), id, types, ..v1::RelatedRequest::default() };
    let failure = Failure::from_status(&client.related(related).await.expect_err("no such type"));
    assert_eq!(failure.reason, Reason::InvalidArgument, "{failure}");
    case.still_answers(daemon);
}

#[test]
fn related_documents_are_listed_or_reported_as_absent() {
    let case = Case::new();
    case.project
        .write("src/login.rs", "use crate::sessions::open_sessions;\n\nfn login() {\n    open_sessions();\n}\n");
    let shown = case.recall(&["graph", KNOWN.0]);
    let lines: Vec<&str> = shown.stdout.lines().map(str::trim).collect();
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(lines[0].starts_with("open_sessions  function  src/sessions.rs:1-2"), "{shown:?}");
    assert_eq!(lines[1..3], ["defined in", "src/sessions.rs"], "{shown:?}");
    assert!(lines.contains(&"used by") && lines.iter().any(|line| line.starts_with("login")), "{shown:?}");
    let (code, graph) = case.json(&["graph", "src/login.rs", "--relation", "imports"]);
    assert_eq!((code, &graph["edges"][0]["relation"]), (Some(0), &"imports".into()), "{graph}");
    let (code, related) = case.json(&["related", "src/login.rs"]);
    assert_eq!((code, &related["results"][0]["doc"]["path"]), (Some(0), &KNOWN.1.into()), "{related}");
    let nothing = case.recall(&["graph", "src/login.rs", "--relation", "supersedes"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(1), ""), "{nothing:?}");
    let nothing = case.recall(&["related", "src/login.rs", "--type", "adr"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(1), ""), "{nothing:?}");
}

//! Invalid queries, limits, scopes and types.

use recall_api::{Failure, Reason, v1};

use super::case::{Case, KNOWN};

#[test]
fn a_query_without_a_word_is_refused() {
    let case = Case::new();
    for query in ["", " ", "\t\n "] {
        case.refuses(&["search", query], 2, "INVALID_ARGUMENT", "`query` is empty");
    }
    case.still_answers(case.daemon());
}

#[test]
fn a_long_query_is_condensed_and_its_distinct_lines_are_found() {
    let case = Case::new();
    let line =
        |number: u32| format!("2026-11-26T10:00:{:02}Z WARN [pool-1] attempt {number}: {}\n", number % 60, KNOWN.0);
    // The system accepts this much as one argument.
    let log: String = (0..1_500).map(line).collect();
    let answer = case.recall(&["search", "--json", "--", &log]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let answer: serde_json::Value = serde_json::from_str(&answer.stdout).expect("JSON");
    assert_eq!(answer["results"][0]["doc"]["path"], KNOWN.1, "{answer}");
    let codes: Vec<_> = answer["warnings"].as_array().expect("a list").iter().map(|one| &one["code"]).collect();
    assert!(codes.contains(&&"QUERY_CONDENSED".into()), "{answer}");
    let blank = "x ".repeat(50_000);
    assert_eq!(case.recall(&["search", "--", &blank]).code, Some(1), "nothing has such a word");
    case.still_answers(case.daemon());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_of_more_than_a_megabyte_is_refused_and_one_of_ten_too() {
    let case = Case::new();
    assert_eq!(case.search(KNOWN.0).0, [KNOWN.1]);
    let (client, daemon) = (case.client().await, case.daemon());
    for bytes in [(1 << 20) + 1, 10 << 20] {
        let query = "x".repeat(bytes);
        let request = v1::SearchRequest { context: Some(case.context()), query, ..v1::SearchRequest::default() };
        let refused = client.search(request).await.expect_err("it is too long");
        assert_eq!(Failure::from_status(&refused).reason, Reason::LimitExceeded, "{refused}");
    }
    case.still_answers(daemon);
}

#[test]
fn operators_of_query_languages_are_plain_words() {
    let case = Case::new();
    assert_eq!(case.search(KNOWN.0).0, [KNOWN.1]);
    let daemon = case.daemon();
    for operator in [
        "\"",
        "'",
        "\"open",
        "(",
        ")",
        "((",
        "*",
        "^",
        "-",
        "--",
        "+",
        "+-",
        ":",
        "path:",
        "title:^",
        "[",
        "[a TO",
        "{",
        "\\",
        "~",
        "/",
        "/re/",
        "AND",
        "OR NOT",
        "a AND",
        "NEAR(",
        "NEAR(a b, 5)",
        "\"a\"~3",
        "x^2",
        "*:*",
        "%",
        "_",
        "'; DROP TABLE documents; --",
        "\u{0}",
        "\u{200b}",
        "\u{202e}",
        "\u{feff}",
        "💥",
        "ẞ",
        "\u{301}",
    ] {
        let with_word = format!("open_sessions {operator}");
        for query in [operator, with_word.as_str()] {
            // Alone it stands for standard input, which is empty here.
            if query == "-" {
                continue;
            }
            // A program's argument cannot contain it.
            let query = query.replace('\0', "\u{1}");
            let outcome = case.recall(&["search", "--", &query]);
            assert!(matches!(outcome.code, Some(0 | 1)), "{query:?}: {outcome:?}");
        }
    }
    for around in ["\"open_sessions\"", "(open_sessions", "open_sessions*", "+open_sessions", "open_sessions AND"] {
        assert_eq!(case.search(around).0, [KNOWN.1], "{around:?}");
    }
    case.still_answers(daemon);
}

#[test]
fn limits_out_of_range_are_refused() {
    let case = Case::new();
    case.refuses(&["search", "x", "--k", "0"], 2, "INVALID_ARGUMENT", "`limit` is 0; it must be at least 1");
    let says = "`limit` is 10000; the limit is 50 (setting `limits.hits`)";
    case.refuses(&["search", "x", "--k", "10000"], 4, "LIMIT_EXCEEDED", says);
    case.refuses(&["list", "--limit", "0"], 2, "INVALID_ARGUMENT", "`limit` is 0; it must be at least 1");
    let says = "`limit` is 10000; the limit is 100 (setting `limits.list_entries`)";
    case.refuses(&["list", "--limit", "10000"], 4, "LIMIT_EXCEEDED", says);
    case.still_answers(case.daemon());
}

#[test]
fn a_scope_without_a_store_is_refused() {
    let case = Case::new();
    case.refuses(&["search", "x", "--scope", "domain"], 2, "INVALID_SCOPE", "the scope `domain` has no store here");
    case.still_answers(case.daemon());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_daemon_refuses_requests_that_the_command_line_never_sends() {
    let case = Case::new();
    assert_eq!(case.search(KNOWN.0).0, [KNOWN.1]);
    let (client, daemon) = (case.client().await, case.daemon());
    let good =
        v1::SearchRequest { context: Some(case.context()), query: KNOWN.0.to_owned(), ..v1::SearchRequest::default() };
    client.search(good.clone()).await.expect("nothing is wrong with it");
    let of_types = |types: &[&str]| v1::Filters {
        types: types.iter().map(|&name| name.to_owned()).collect(),
        ..v1::Filters::default()
    };
    let of_project = |project_id: &str| v1::RequestContext { project_id: project_id.to_owned(), ..case.context() };
    let from = |working_directory: &str| v1::RequestContext {
        working_directory: working_directory.to_owned(),
        ..v1::RequestContext::default()
    };
    for (request, reason, says) in [
        (v1::SearchRequest { scope: 99, ..good.clone() }, Reason::InvalidScope, "scope"),
        (v1::SearchRequest { filters: Some(of_types(&["novel"])), ..good.clone() }, Reason::InvalidArgument, "novel"),
        (v1::SearchRequest { context: Some(of_project("p-1")), ..good.clone() }, Reason::InvalidArgument, "p-1"),
        (v1::SearchRequest { context: None, ..good.clone() }, Reason::InvalidArgument, "working_directory"),
        (v1::SearchRequest { context: Some(from("/a\0b")), ..good.clone() }, Reason::InvalidArgument, "NUL"),
        (v1::SearchRequest { context: Some(from("not/absolute")), ..good }, Reason::InvalidArgument, "not absolute"),
    ] {
        let failure = Failure::from_status(&client.search(request).await.expect_err(says));
        assert_eq!(failure.reason, reason, "{failure}");
        assert!(failure.message.contains(says), "{failure}");
    }
    case.still_answers(daemon);
}

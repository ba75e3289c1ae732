//! Responses other than hits: counts, ids, generations and cancelled calls.

#![cfg(target_os = "linux")]

use recall_api::v1;
use recall_client::{Client, Launch};

use crate::daemon::home::Home;

/// Returns a client of a home's daemon, and the context of a project in it.
async fn client(home: &Home, files: &[(&str, &str)]) -> (Client, v1::RequestContext) {
    let client = home.connect(Launch::IfNeeded).await.expect("a daemon answers");
    let working_directory = home.project(files).to_string_lossy().into_owned();
    (client, v1::RequestContext { working_directory, ..v1::RequestContext::default() })
}

fn documents(page: &v1::ListResponse) -> Vec<(&v1::Document, u32)> {
    page.entries.iter().map(|entry| (entry.doc.as_ref().expect("always reported"), entry.chunks)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_report_counts_and_the_generation() {
    let home = Home::new(&[]);
    let files = [("docs/a.md", "# Alpha\n\nOne.\n"), ("docs/b.md", "# Beta\n\nTwo.\n"), ("c.rs", "fn gamma() {}\n")];
    let (client, context) = client(&home, &files).await;
    let context = Some(context);

    let list = v1::ListRequest { context: context.clone(), limit: Some(2), ..v1::ListRequest::default() };
    let page = client.list(list).await.expect("a listing");
    assert_eq!((page.total, page.entries.len(), page.next_cursor.as_str()), (3, 2, "2"));
    assert!(page.generation > 0);
    assert!(documents(&page).iter().all(|(document, chunks)| !document.store_id.is_empty() && *chunks == 1));

    let id = "docs/a.md".to_owned();
    let get = v1::GetRequest { context: context.clone(), id, ..v1::GetRequest::default() };
    let item = client.get(get).await.expect("it is there");
    assert_eq!(item.generation, page.generation);
    assert_eq!(item.doc.expect("always reported").store_id, documents(&page)[0].0.store_id);

    let query = "gamma".to_owned();
    let search = v1::SearchRequest { context: context.clone(), query, ..v1::SearchRequest::default() };
    let stats = client.search(search).await.expect("it searches").stats.expect("always reported");
    assert_eq!(stats.candidates.get("symbol"), Some(&1));

    let items = vec!["docs".to_owned(), "docs/b.md".to_owned()];
    let remove = v1::RemoveRequest { context: context.clone(), items, ..v1::RemoveRequest::default() };
    let removed = client.remove(remove).await.expect("removed");
    let id =
        |path: &str| recall_core::DocumentId::from_path(&recall_text::DocPath::new(path).expect("plain")).to_string();
    assert_eq!(removed.removed, [id("docs/a.md"), id("docs/b.md")]);
    assert_eq!(removed.documents, 2);
    assert!(removed.generation > page.generation);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hit_has_the_dates_of_its_file_as_the_listing_has() {
    let home = Home::new(&[]);
    let (client, context) = client(&home, &[("docs/a.md", "# Alpha\n\nOne.\n")]).await;
    let context = Some(context);
    let list = v1::ListRequest { context: context.clone(), ..v1::ListRequest::default() };
    let listed = client.list(list).await.expect("a listing").entries.remove(0).doc.expect("always reported");
    assert!(listed.created_at.is_some() && listed.updated_at.is_some(), "{listed:?}");
    assert_eq!(listed.updated_at, listed.mtime);
    let dates = |doc: Option<v1::Document>| doc.map(|doc| (doc.created_at, doc.updated_at));
    let expected = Some((listed.created_at, listed.updated_at));

    let search = v1::SearchRequest { context: context.clone(), query: "alpha".to_owned(), ..Default::default() };
    assert_eq!(dates(client.search(search).await.expect("it searches").results.remove(0).doc), expected);
    let get = v1::GetRequest { context: context.clone(), id: "docs/a.md".to_owned(), ..Default::default() };
    assert_eq!(dates(client.get(get).await.expect("it is there").doc), expected);
    let exact = v1::ExactRequest { context, literal: "One".to_owned(), ..Default::default() };
    assert_eq!(dates(client.exact(exact).await.expect("it is there").results.remove(0).doc), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_counts_matches_and_refuses_an_unknown_language() {
    let home = Home::new(&[]);
    let files = [("docs/a.md", "# Alpha\n\nOne.\n"), ("alpha.rs", "fn alpha() {}\n"), ("b.md", "# Beta\n\nTwo.\n")];
    let (client, context) = client(&home, &files).await;
    let search = |query: &str| v1::SearchRequest {
        context: Some(context.clone()),
        query: query.to_owned(),
        facets: true,
        ..v1::SearchRequest::default()
    };

    let answer = client.search(search("alpha")).await.expect("it searches");
    let counts =
        |facet: &str| answer.facets[facet].counts.iter().map(|(value, count)| (value.as_str(), *count)).collect();
    let by_type: Vec<(&str, u64)> = counts("type");
    let by_directory: Vec<(&str, u64)> = counts("directory");
    assert_eq!((by_type, by_directory), (vec![("code", 1), ("documentation", 1)], vec![(".", 1), ("docs", 1)]));
    let stats = answer.stats.expect("always reported");
    assert_eq!((stats.documents, stats.stale_files), (3, 0));

    let refused = client.search(search("alpha lang:markdwn")).await.expect_err("no such language");
    let failure = recall_api::Failure::from_status(&refused);
    assert_eq!(failure.reason, recall_api::Reason::InvalidArgument);
    assert_eq!(failure.message, "unknown language `markdwn`; did you mean `markdown`?");
    assert_eq!(failure.hint.as_deref(), Some("write `markdown`, or leave the language out"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_store_is_reported_on_request() {
    let home = Home::new(&[]);
    let (client, context) = client(&home, &[("a.md", "# Alpha\n\nOne.\n")]).await;
    let list = v1::ListRequest { context: Some(context.clone()), ..v1::ListRequest::default() };
    client.list(list).await.expect("a listing");

    let stores = async |context, every_store| {
        let request = v1::StatusRequest { context, every_store, ..v1::StatusRequest::default() };
        let stores = client.status(request).await.expect("it answers").stores;
        stores.into_iter().map(|store| store.name).collect::<Vec<_>>()
    };
    assert_eq!(stores(None, false).await, [""; 0], "nobody's project");
    assert_eq!(stores(None, true).await, ["project"]);
    assert_eq!(stores(Some(context), true).await, ["project"], "each is reported once");
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_many_calls_at_once_cancels_no_other() {
    let home = Home::new(&[]);
    let (client, context) = client(&home, &[("a.md", "# Alpha\n\nOne.\n")]).await;
    let call = || {
        let (client, context) = (client.clone(), Some(context.clone()));
        let query = "alpha".to_owned();
        let request = v1::SearchRequest { context, query, ..v1::SearchRequest::default() };
        tokio::spawn(async move { client.search(request).await })
    };
    call().await.expect("no panic").expect("indexed");
    for _ in 0..20 {
        let given_up: Vec<_> = (0..200).map(|_| call()).collect();
        let kept = call();
        tokio::task::yield_now().await;
        given_up.iter().for_each(tokio::task::JoinHandle::abort);
        kept.await.expect("no panic").expect("the connection goes on");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chunk_is_read_by_path_line_range_or_citation() {
    let home = Home::new(&[]);
    let text = (1..=9).fold(String::new(), |text, number| text + &format!("fn line_{number}() {{}}\n"));
    let (client, context) = client(&home, &[("src/a.rs", &text)]).await;
    let get = async |id: &str| {
        let request = v1::GetRequest { context: Some(context.clone()), id: id.to_owned(), ..v1::GetRequest::default() };
        client.get(request).await
    };
    let whole = get("src/a.rs").await.expect("it is there");
    assert_eq!((whole.start_line, whole.end_line), (1, 9));
    let (_, hash) = whole.citation.rsplit_once('@').expect("a hash");
    for (id, lines) in [
        ("src/a.rs:3-5".to_owned(), (3, 5)),
        ("src/a.rs:7".to_owned(), (7, 7)),
        (format!("src/a.rs:2-4@{hash}"), (2, 4)),
        (whole.citation.clone(), (1, 9)),
    ] {
        let part = get(&id).await.expect("it is there");
        assert_eq!((part.start_line, part.end_line), lines, "{id}");
        assert!(part.text.starts_with(&format!("fn line_{}()", lines.0)), "{id}: {}", part.text);
        assert_eq!(part.warnings, [], "{id}");
    }
    let changed = get("src/a.rs:3-5@0123456789ab").await.expect("it is there");
    assert_eq!(
        changed.warnings.iter().map(|warning| warning.code.as_str()).collect::<Vec<_>>(),
        ["CITED_TEXT_CHANGED"]
    );
    assert!(get("src/b.rs:3-5").await.is_err());

    let feedback = |item_id: &str| v1::FeedbackRequest {
        context: Some(context.clone()),
        item_id: item_id.to_owned(),
        feedback: v1::FeedbackKind::Useful.into(),
        ..v1::FeedbackRequest::default()
    };
    for (number, item) in ["src/a.rs", "src/a.rs:3-5"].into_iter().enumerate() {
        let said = client.feedback(feedback(item)).await.expect("kept");
        assert_eq!(said.item_stats.expect("always reported").useful, number as u64 + 1, "{item}");
    }
}

/// A word of 14 letters that no text contains. The generator is that of Numerical Recipes.
fn rare_word(state: &mut u32) -> String {
    let letter = |_| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + u8::try_from((*state >> 24) % 26).expect("below 26"))
    };
    (0..14).map(letter).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_that_contains_the_only_word_of_a_query_is_first() {
    let home = Home::new(&[]);
    let mut state = 5;
    // Files without the words. The embedding of a rare word is near those of other rare words.
    let mut files: Vec<(String, String)> = (0..80)
        .map(|at| (format!("new_{at}/deep/file.py"), format!("def {}():\n    pass\n", rare_word(&mut state))))
        .collect();
    let words: Vec<String> = (0..40).map(|_| rare_word(&mut state)).collect();
    files.extend(words.iter().enumerate().map(|(at, word)| {
        let test = format!("def test_dump_load_{at}():\n    assert loads(dumps({at})) == {at}\n\n# {word}\n");
        (format!("tests/test_{at}.py"), test)
    }));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (client, context) = client(&home, &files).await;
    let deadline = std::time::Instant::now() + std::time::Duration::from_mins(1);
    let mut by_embedding = 0;
    for (at, query) in words.iter().enumerate() {
        let search =
            v1::SearchRequest { context: Some(context.clone()), query: query.clone(), ..v1::SearchRequest::default() };
        let answer = loop {
            let answer = client.search(search.clone()).await.expect("it searches");
            if answer.stats.as_ref().expect("always there").models.contains_key("embed") {
                break answer;
            }
            assert!(std::time::Instant::now() < deadline, "no embeddings within a minute");
        };
        let path = |hit: &v1::Hit| hit.doc.as_ref().expect("a document").path.clone();
        let paths: Vec<String> = answer.results.iter().map(path).collect();
        assert_eq!(paths[0], format!("tests/test_{at}.py"), "{query}: {paths:?}");
        by_embedding += paths.len() - 1;
    }
    assert!(by_embedding > 0, "files without the words are candidates too");
}

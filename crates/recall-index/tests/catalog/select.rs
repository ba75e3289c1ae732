//! Documents and chunks that satisfy a condition.

use std::ops::{Bound, ControlFlow};

use recall_core::Timestamp;
use recall_index::catalog::{Catalog, Column, ColumnValue, Condition, Snapshot};
use recall_text::Language;

use crate::sample::{Sample, store};

fn text(text: &str) -> ColumnValue {
    ColumnValue::Text(text.to_owned())
}

fn samples() -> Vec<Sample> {
    let sample = |path: &str, language: Option<&'static str>, tags: &[&str], modified| {
        let mut sample = Sample::of_lines(path, &["one", "two", "three"]);
        sample.document.language = language.map(Language::from_static);
        sample.document.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        sample.document.modified = Timestamp(modified);
        sample.parsed.chunks[1].symbol = Some(format!("second of {path}"));
        sample
    };
    vec![
        sample("src/b.rs", Some("rust"), &["x"], 10),
        sample("docs/a.md", None, &["x", "y"], 20),
        sample("src/a.rs", Some("rust"), &[], 30),
    ]
}

fn paths(snapshot: &Snapshot<'_>, condition: Option<&Condition>) -> Vec<String> {
    let mut found = Vec::new();
    let visit = |stored: recall_index::catalog::StoredDocument, run: recall_index::catalog::ChunkRun| {
        assert_eq!((run.document, run.count), (stored.row, 3));
        found.push(stored.document.path.to_string());
        Ok(ControlFlow::Continue(()))
    };
    snapshot.each_document(condition, visit).unwrap();
    found
}

#[track_caller]
fn check(catalog: &Catalog, condition: &Condition, expected: &[&str]) {
    let snapshot = catalog.snapshot().unwrap();
    assert_eq!(paths(&snapshot, Some(condition)), expected);
    // With a missing value, too, a condition either holds or its negation does.
    let negated = paths(&snapshot, Some(&Condition::Not(Box::new(condition.clone()))));
    let all = paths(&snapshot, None);
    assert_eq!(negated, all.into_iter().filter(|path| !expected.contains(&path.as_str())).collect::<Vec<_>>());
}

fn check_all(catalog: &Catalog) {
    let language = |name: &str| Condition::Among(Column::Language, vec![text(name)]);
    let path = |low, high| Condition::Between(Column::Path, low, high);
    check(catalog, &Condition::All(Vec::new()), &["docs/a.md", "src/a.rs", "src/b.rs"]);
    check(catalog, &Condition::Any(Vec::new()), &[]);
    check(catalog, &language("rust"), &["src/a.rs", "src/b.rs"]);
    check(catalog, &language("go"), &[]);
    check(catalog, &Condition::Among(Column::Path, vec![text("src/b.rs"), text("no")]), &["src/b.rs"]);
    check(catalog, &path(Bound::Included(text("src/")), Bound::Excluded(text("src/b"))), &["src/a.rs"]);
    check(catalog, &path(Bound::Unbounded, Bound::Unbounded), &["docs/a.md", "src/a.rs", "src/b.rs"]);
    check(catalog, &Condition::Tagged(vec!["y".to_owned(), "z".to_owned()]), &["docs/a.md"]);
    let later = Condition::Between(Column::Modified, Bound::Excluded(ColumnValue::Integer(10)), Bound::Unbounded);
    check(catalog, &later, &["docs/a.md", "src/a.rs"]);
    check(catalog, &Condition::All(vec![later.clone(), language("rust")]), &["src/a.rs"]);
    check(catalog, &Condition::Any(vec![later, language("rust")]), &["docs/a.md", "src/a.rs", "src/b.rs"]);
    let size = Condition::Between(Column::Size, Bound::Included(ColumnValue::Number(13.5)), Bound::Unbounded);
    check(catalog, &size, &["docs/a.md", "src/a.rs", "src/b.rs"]);

    let snapshot = catalog.snapshot().unwrap();
    let named = Condition::Among(Column::Symbol, vec![text("second of src/a.rs")]);
    let found = snapshot.chunk_rows_where(&named).unwrap();
    let [(document, row)] = found[..] else { panic!("{found:?}") };
    let (stored, run) = snapshot.document_with_run(document).unwrap().expect("there");
    assert_eq!(stored.document.path.as_str(), "src/a.rs");
    let ordinals = |condition: Option<&Condition>| {
        let chunks = snapshot.chunks_in(run, condition).unwrap();
        chunks.into_iter().map(|(row, chunk)| (row, chunk.ordinal)).collect::<Vec<_>>()
    };
    assert_eq!(ordinals(Some(&named)), [(row, 1)]);
    assert_eq!(ordinals(None).iter().map(|(_, ordinal)| *ordinal).collect::<Vec<_>>(), [0, 1, 2]);
    let unnamed = Condition::Not(Box::new(named));
    assert_eq!(ordinals(Some(&unnamed)).iter().map(|(_, ordinal)| *ordinal).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(snapshot.documents_of_chunks(&[row]).unwrap(), [Some(document)]);
    let placed = snapshot.placed_chunks(&[row]).unwrap().remove(0).expect("there");
    assert_eq!((placed.document, placed.chunk.ordinal), (stored, 1));
}

#[test]
fn conditions_select_documents_and_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(&folder.path().join("catalog.db")).unwrap();
    store(&catalog, &samples());
    check_all(&catalog);
}

#[test]
fn conditions_select_in_catalogs_that_share_contents() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| {
        std::fs::create_dir_all(folder.path().join(name)).unwrap();
        folder.path().join(name).join("catalog.db")
    };
    let first = Catalog::open(&file("first")).unwrap();
    store(&first, &samples());
    first.fork(&file("second")).unwrap();
    let second = Catalog::open(&file("second")).unwrap();
    second.adopt_base().unwrap();
    check_all(&second);
}

#[test]
fn a_visit_can_end_early_and_long_lists_are_bound() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(&folder.path().join("catalog.db")).unwrap();
    store(&catalog, &samples());
    let snapshot = catalog.snapshot().unwrap();
    let mut seen = 0;
    snapshot
        .each_document(None, |_, _| {
            seen += 1;
            Ok(ControlFlow::Break(()))
        })
        .unwrap();
    assert_eq!(seen, 1);
    let many = (0..10_000).map(|number| text(&format!("{number}"))).chain([text("src/b.rs")]).collect();
    assert_eq!(paths(&snapshot, Some(&Condition::Among(Column::Path, many))), ["src/b.rs"]);
}

#[test]
fn the_plan_names_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::open(&folder.path().join("catalog.db")).unwrap();
    let snapshot = catalog.snapshot().unwrap();
    let below = Condition::Between(Column::Path, Bound::Included(text("src/")), Bound::Excluded(text("src0")));
    let plan = snapshot.document_plan(Some(&below)).unwrap().join("\n");
    assert!(plan.contains("USING INDEX") && plan.contains("path>? AND path<?"), "{plan}");
    let id = recall_core::DocumentId::from_path(&recall_text::DocPath::new("src/a.rs").unwrap());
    let plan = snapshot.document_plan(Some(&Condition::Among(Column::Id, vec![ColumnValue::Id(id)]))).unwrap();
    assert!(plan.join("\n").contains("documents_by_id (id=?)"), "{plan:?}");
    assert!(snapshot.chunk_plan().unwrap().join("\n").contains("SCAN chunks"));
}

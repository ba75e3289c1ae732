//! Filters and orders of listings.

use recall_core::{DocumentType, Timestamp};
use recall_index::catalog::{Catalog, ListQuery, ListSort};
use recall_text::Language;

use crate::sample::Sample;

fn samples() -> [Sample; 4] {
    let code = DocumentType::Code;
    [
        sample("b.rs", code, "rust", &["core", "io"], 30),
        sample("a.py", code, "python", &["io"], 10),
        sample("docs/x.md", DocumentType::Documentation, "markdown", &["core"], 20),
        sample("docs/adr/1.md", DocumentType::Adr, "markdown", &[], 20),
    ]
}

fn sample(path: &str, document_type: DocumentType, language: &'static str, tags: &[&str], modified: i64) -> Sample {
    let mut sample = Sample::of_lines(path, &["text"]);
    sample.document.document_type = document_type;
    sample.document.language = Some(Language::from_static(language));
    sample.document.tags = tags.iter().map(|&tag| tag.to_owned()).collect();
    sample.document.modified = Timestamp(modified);
    sample.document.title = path.rsplit('/').next().unwrap().to_uppercase();
    sample
}

/// A catalog of the samples, each created later than the one before.
fn catalog(folder: &tempfile::TempDir) -> Catalog {
    let catalog = Catalog::open(&folder.path().join("catalog.db")).unwrap();
    let mut writer = catalog.writer().unwrap();
    let mut transaction = writer.begin().unwrap();
    for (created, sample) in (1..).zip(samples()) {
        transaction.insert(&sample.record(Timestamp(created))).unwrap();
    }
    transaction.commit().unwrap();
    drop(writer);
    catalog
}

#[test]
fn listings_filter_sort_and_page() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = catalog(&folder);
    let snapshot = catalog.snapshot().unwrap();
    let check = |query: ListQuery, expected: &[&str]| {
        let found = snapshot.list(&query).unwrap();
        let paths: Vec<&str> = found.iter().map(|stored| stored.document.path.as_str()).collect();
        assert_eq!(paths, expected, "{query:?}");
        let every = snapshot.list(&ListQuery { offset: 0, limit: 10, ..query.clone() }).unwrap();
        assert_eq!(snapshot.list_total(&query).unwrap(), every.len() as u64, "{query:?}");
    };
    let all = || ListQuery { limit: 10, ..ListQuery::default() };

    check(all(), &["b.rs", "docs/adr/1.md", "docs/x.md", "a.py"]);
    check(ListQuery { sort: ListSort::CreatedAt, ..all() }, &["docs/adr/1.md", "docs/x.md", "a.py", "b.rs"]);
    check(ListQuery { sort: ListSort::Title, ..all() }, &["docs/adr/1.md", "a.py", "b.rs", "docs/x.md"]);
    check(ListQuery { sort: ListSort::Path, ..all() }, &["a.py", "b.rs", "docs/adr/1.md", "docs/x.md"]);
    check(ListQuery { sort: ListSort::Path, offset: 1, limit: 2, ..all() }, &["b.rs", "docs/adr/1.md"]);
    check(ListQuery { offset: 4, ..all() }, &[]);
    check(ListQuery { limit: 0, ..all() }, &[]);

    check(
        ListQuery { types: vec![DocumentType::Adr, DocumentType::Code], sort: ListSort::Path, ..all() },
        &["a.py", "b.rs", "docs/adr/1.md"],
    );
    check(
        ListQuery { languages: vec![Language::from_static("rust"), Language::from_static("cobol")], ..all() },
        &["b.rs"],
    );
    check(ListQuery { tags: vec!["io".to_owned()], sort: ListSort::Path, ..all() }, &["a.py", "b.rs"]);
    check(ListQuery { tags: vec!["io".to_owned(), "core".to_owned()], ..all() }, &["b.rs"]);
    check(ListQuery { tags: vec!["' OR 1=1 --".to_owned()], ..all() }, &[]);
}

#[test]
fn totals_are_counted_by_type_and_language() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = catalog(&folder);
    let counts = catalog.snapshot().unwrap().counts().unwrap();
    assert_eq!(
        counts.by_type.into_iter().collect::<Vec<_>>(),
        [(DocumentType::Code, 2), (DocumentType::Documentation, 1), (DocumentType::Adr, 1),]
    );
    assert_eq!(
        counts.by_language.into_iter().collect::<Vec<_>>(),
        [
            (Language::from_static("markdown"), 2),
            (Language::from_static("python"), 1),
            (Language::from_static("rust"), 1),
        ]
    );
}

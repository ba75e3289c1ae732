//! What a shared store does not tell: an answer says which store is not in its counts, and that documents of another version are left out.

use std::sync::Arc;
use std::time::Duration;

use recall_core::rql::Filter;
use recall_core::{Facets, Filters, Scope, SearchRequest};
use recall_engine::{Answer, Warning};
use recall_shared::{
    Ask, Branch, BranchState, ChunkRecord, DocumentRecord, FacetCounts, FacetScan, Found, Key, Manifest, Memory, Model,
    Place, Publication, SharedStore, Statistics, StoreError, TextScan, TextStep, WholeDocument,
};

use super::{Machine, request};

/// A store that answers everything but how many documents there are of each value, and returns the records of some documents in a form
/// that no version has.
struct Altered {
    store: Memory,
    facets: fn() -> Result<FacetCounts, StoreError>,
    is_unreadable: fn(&str) -> bool,
}

impl SharedStore for Altered {
    fn kind(&self) -> &'static str {
        self.store.kind()
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }

    fn statistics(&self, keys: &[u32]) -> Result<Statistics, StoreError> {
        self.store.statistics(keys)
    }

    fn models(&self) -> Result<Vec<Model>, StoreError> {
        self.store.models()
    }

    fn find(&self, ask: &Ask) -> Result<Found, StoreError> {
        let mut found = self.store.find(ask)?;
        for document in found.documents.iter_mut().filter(|document| (self.is_unreadable)(&document.path)) {
            document.record.clear();
        }
        Ok(found)
    }

    fn texts(&self, chunks: &[Key]) -> Result<Vec<Option<String>>, StoreError> {
        self.store.texts(chunks)
    }

    fn document(&self, places: &[Place]) -> Result<Option<WholeDocument>, StoreError> {
        self.store.document(places)
    }

    fn facets(&self, _: &FacetScan) -> Result<FacetCounts, StoreError> {
        (self.facets)()
    }

    fn scan_texts(&self, scan: &TextScan) -> Result<TextStep, StoreError> {
        self.store.scan_texts(scan)
    }

    fn branch(&self, branch: &Branch) -> Result<Option<BranchState>, StoreError> {
        self.store.branch(branch)
    }

    fn manifest(&self, branch: &Branch) -> Result<Manifest, StoreError> {
        self.store.manifest(branch)
    }

    fn begin(&self, branch: &Branch, model: Option<&Model>) -> Result<Publication, StoreError> {
        self.store.begin(branch, model)
    }

    fn missing(&self, chunks: &[Key], model: Option<&Model>) -> Result<Vec<bool>, StoreError> {
        self.store.missing(chunks, model)
    }

    fn put_chunks(&self, chunks: &[ChunkRecord], model: Option<&Model>) -> Result<(), StoreError> {
        self.store.put_chunks(chunks, model)
    }

    fn put_documents(&self, publication: &Publication, documents: &[DocumentRecord]) -> Result<(), StoreError> {
        self.store.put_documents(publication, documents)
    }

    fn commit(
        &self,
        publication: &Publication,
        added: u64,
        removed: &[String],
        state: &BranchState,
    ) -> Result<(), StoreError> {
        self.store.commit(publication, added, removed, state)
    }

    fn collect(&self) -> Result<u64, StoreError> {
        self.store.collect()
    }
}

/// Counts the documents of a shared store, of which one has the words.
fn count(facets: fn() -> Result<FacetCounts, StoreError>, filter: Option<&str>) -> Answer {
    let store = Altered { store: Memory::default(), facets, is_unreadable: |_| false };
    let answer = ask(store, &[("src/retry.rs", "/// Retries a failed request.\npub fn retry_request() {}\n")], filter);
    assert_eq!(answer.hits.len(), 1, "{:?}", answer.warnings);
    answer
}

/// Publishes files to a store, and searches it from another machine.
fn ask(store: Altered, files: &[(&str, &str)], filter: Option<&str>) -> Answer {
    let store: Arc<dyn SharedStore> = Arc::new(store);
    let (builder, reader) = (Machine::new(&store), Machine::new(&store));
    for (path, text) in files {
        builder.sandbox.write(path, text);
    }
    builder.git(&["init", "-q", "-b", "main"]);
    builder.publish();
    reader.sandbox.write("README.md", "# Another project\n");
    let asked = SearchRequest { facets: Facets::On, ..request("retry_request", Scope::Domain, &Filters::default()) };
    let filter = filter.map(|filter| Filter::parse(filter).expect("valid"));
    reader.engine.search_where(&reader.team(), &asked, filter.as_ref()).expect("an answer")
}

/// Returns why the store is not counted.
fn reason(answer: &Answer) -> Option<&str> {
    answer.warnings.iter().find_map(|warning| match warning {
        Warning::SharedStore { store, reason, .. } if store == "team" => Some(reason.as_str()),
        _ => None,
    })
}

#[test]
fn a_shared_store_that_fails_to_count_is_named_with_the_reason() {
    let answer = count(|| Err(StoreError::Late { waited: Duration::from_millis(300) }), None);
    let expected = "its documents are not counted: the server did not answer within 300 ms";
    assert_eq!(reason(&answer), Some(expected));
    assert_eq!(reason(&count(|| Ok(FacetCounts::default()), None)), None);
}

#[test]
fn a_shared_store_is_not_counted_with_a_filter_expression_and_the_answer_says_so() {
    let answer = count(|| Ok(FacetCounts::default()), Some("doc.type = 'code'"));
    let expected = Warning::SharedNotFiltered { store: "team".to_owned(), compared: 1, is_uncounted: true };
    assert!(answer.warnings.contains(&expected), "{:?}", answer.warnings);
}

#[test]
fn documents_of_another_version_are_left_out_and_the_answer_says_how_many() {
    let files = [
        ("src/retry.rs", "/// Retries a failed request.\npub fn retry_request() {}\n"),
        ("src/old_retry.rs", "/// Retries a failed request again.\npub fn retry_request_again() {}\n"),
    ];
    let altered = |is_unreadable: fn(&str) -> bool| {
        let store = Altered { store: Memory::default(), facets: || Ok(FacetCounts::default()), is_unreadable };
        let answer = ask(store, &files, None);
        let left_out = answer.warnings.iter().find_map(|warning| match warning {
            Warning::SharedOfAnotherVersion { store, left_out } if store == "team" => Some(*left_out),
            _ => None,
        });
        (answer.hits.len(), left_out)
    };
    assert_eq!(altered(|path| path.contains("old")), (1, Some(1)));
    assert_eq!(altered(|_| false), (2, None));
}

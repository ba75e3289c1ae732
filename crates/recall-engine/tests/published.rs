//! What a search asks of a store: every kind gives the answers of the index on the machine that published.
//!
//! The same documents, filters, removals, generations and branches are in the index of a machine and in each kind of shared store.

mod conditions;
mod counts;
mod related;
#[cfg(feature = "server-tests")]
mod servers;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use recall_core::{Ablation, DocumentType, Facets, Filters, PathFilter, Scope, SearchRequest};
use recall_engine::{
    Answer, Cancel, EmbeddingModel, Engine, EngineSettings, GetError, ItemRequest, Origin, Parent, PublishRequest,
};
use recall_models::BuiltIn;
use recall_shared::{Guarded, Memory, SharedStore};
use recall_text::Language;

use crate::support::Sandbox;

/// How far the scores of one chunk may be apart. A shared store counts the words of paths once a document, an index once a chunk, so that
/// their weights differ a little. Where two chunks are nearly tied, one order pools their relevances and the other does not.
const DIFFERENCE: f64 = 0.2;

/// The least part of the hits that both answers have, and of the answers by a server with the same first hit. It was .97 to 1 while the
/// sources in the collection grew: a few hits near the tenth place change theirs.
const EQUAL: f64 = 0.96;

const QUERIES: [&str; 12] = [
    "how is a publication committed",
    "retry after a failed request",
    "Statistics",
    "put_chunks",
    "breaker opens",
    "filters of a search",
    "where are vectors compared",
    "row level security of a tenant",
    "collect old chunks",
    "conditional write",
    "find.rs",
    "deadline of a store",
];

const TAGGED: &str =
    "---\ntags: [operations]\n---\n# Filters of a search\n\nHow the filters of a search are written.\n";

/// A machine of a team.
struct Machine {
    sandbox: Sandbox,
    engine: Engine,
}

impl Machine {
    fn new(store: &Arc<dyn SharedStore>) -> Self {
        let sandbox = Sandbox::new();
        let engine = sandbox.engine_by(EngineSettings {
            model: Some(EmbeddingModel { name: "static".to_owned(), embedder: Arc::new(BuiltIn) }),
            shared: vec![Guarded::new("team", Arc::clone(store))],
            ..EngineSettings::default()
        });
        Self { sandbox, engine }
    }

    fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]).args(arguments);
        assert!(git.current_dir(self.sandbox.root()).status().expect("git runs").success(), "{arguments:?}");
    }

    fn publish(&self) {
        self.git(&["add", "-A"]);
        let request = PublishRequest { repository: Some("acme/api".to_owned()), ..PublishRequest::default() };
        let report = self.engine.publish(&self.sandbox.origin(), &request, &mut |_| {}, &Cancel::default());
        report.expect("published");
        self.engine.settle(&self.sandbox.origin(), Scope::Project).expect("settled");
    }

    /// Searches the project. The graph of links, which a shared store lacks, takes no part.
    fn here(&self, query: &str, filters: &Filters) -> Answer {
        self.engine.search(&self.sandbox.origin(), &request(query, Scope::Project, filters)).expect("an answer")
    }

    /// Searches what others published.
    fn there(&self, query: &str, filters: &Filters) -> Answer {
        let asked = request(query, Scope::Domain, filters);
        self.engine.search_where(&self.team(), &asked, None).expect("an answer")
    }
}

fn request(query: &str, scope: Scope, filters: &Filters) -> SearchRequest {
    SearchRequest {
        filters: filters.clone(),
        // A shared store knows no words as they are written.
        without: vec![Ablation::Structure, Ablation::RareWords],
        ..SearchRequest::new(query, scope, 10)
    }
}

/// The path in the repository, the number of the chunk and the score of each hit.
fn hits<'a>(answer: &'a Answer, above: &str) -> Vec<(&'a str, u32, f64)> {
    let one = |hit: &'a recall_engine::Hit| {
        let path = hit.document.path.as_str();
        (path.strip_prefix(above).unwrap_or(path), hit.id.ordinal, hit.score)
    };
    answer.hits.iter().map(one).collect()
}

#[track_caller]
fn assert_equal_answers(builder: &Machine, reader: &Machine, least_equal_firsts: f64) {
    let kinds = |kind| Filters { types: vec![kind], ..Filters::default() };
    let all = [
        Filters::default(),
        kinds(DocumentType::Code),
        kinds(DocumentType::Adr),
        Filters { languages: vec![Language::from("rust".to_owned())], ..Filters::default() },
        Filters { paths: vec![PathFilter("src/postgres".to_owned())], ..Filters::default() },
        Filters { paths: vec![PathFilter("*.md".to_owned())], ..Filters::default() },
    ];
    let (mut answers, mut equal_firsts, mut found, mut equal) = (0, 0, 0, 0);
    for (query, filters) in QUERIES.iter().flat_map(|query| all.iter().map(move |filters| (query, filters))) {
        let (here, there) = (builder.here(query, filters), reader.there(query, filters));
        let (here, there) = (hits(&here, ""), hits(&there, "team/acme/api/"));
        assert_eq!(here.len(), there.len(), "{query} {filters:?}");
        answers += 1;
        found += here.len();
        // Of hits whose order may differ, any may be the first.
        let mut firsts = here.iter().take_while(|one| here[0].2 - one.2 < DIFFERENCE);
        equal_firsts += usize::from(there.first().is_none_or(|first| firsts.any(|one| one.0 == first.0)));
        let place = |one: &(&str, u32, f64)| there.iter().position(|other| (other.0, other.1) == (one.0, one.1));
        let both: Vec<_> = here.iter().filter_map(|one| Some((one, place(one)?))).collect();
        equal += both.len();
        for (number, (one, at)) in both.iter().enumerate() {
            assert!((one.2 - there[*at].2).abs() < DIFFERENCE, "{query} {filters:?}: {one:?} {:?}", there[*at]);
            for (lower, below) in both[number + 1..].iter().filter(|(lower, _)| one.2 - lower.2 > DIFFERENCE) {
                assert!(at < below, "{query} {filters:?}: {one:?} {lower:?}");
            }
        }
    }
    assert!(found > 500 && share(equal, found) > EQUAL, "{equal} of {found}");
    assert!(share(equal_firsts, answers) >= least_equal_firsts, "{equal_firsts} of {answers}");
}

fn share(part: usize, of: usize) -> f64 {
    part as f64 / of as f64
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("there") {
        let entry = entry.expect("there");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::create_dir_all(to).expect("made");
            fs::copy(entry.path(), target).expect("copied");
        }
    }
}

/// The suite, on an empty store. `age` makes what was replaced so old that the store deletes it: until then, its statistics count it.
fn conforms(store: &Arc<dyn SharedStore>, least_equal_firsts: f64, age: impl Fn()) {
    let (builder, reader) = (Machine::new(store), Machine::new(store));
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = builder.sandbox.root();
    copy(&workspace.join("crates/recall-shared/src"), &root.join("src"));
    copy(&workspace.join("docs/adr"), &root.join("docs/adr"));
    // The two stores' scores differ by their statistics, so a record that is added later must not change the collection.
    for record in fs::read_dir(root.join("docs/adr")).expect("copied").flatten() {
        if record.file_name().to_string_lossy().as_ref() > "0070" {
            fs::remove_file(record.path()).expect("removed");
        }
    }
    builder.sandbox.write("docs/tagged.md", TAGGED);
    builder.git(&["init", "-q", "-b", "main"]);
    builder.publish();
    reader.sandbox.write("README.md", "# Another project\n");
    assert_equal_answers(&builder, &reader, least_equal_firsts);
    assert_equal_facets(&builder, &reader);
    assert_equal_suggestions(&builder, &reader);
    let tagged = Filters { tags: vec!["operations".to_owned()], ..Filters::default() };
    assert_eq!(paths(&reader.there("filters of a search", &tagged)), ["team/acme/api/docs/tagged.md"]);

    // Edited, removed and added files.
    fs::remove_file(root.join("src/guarded.rs")).expect("removed");
    fs::rename(root.join("src/paths.rs"), root.join("src/postgres/paths.rs")).expect("renamed");
    let found = "/// Where vectors are compared, after a failed request.\npub fn compared() {}\n";
    builder.sandbox.write("src/find.rs", found);
    builder.publish();
    age();
    store.collect().expect("collected");
    assert_equal_answers(&builder, &reader, least_equal_firsts);
    conditions::assert_equal_conditions(&builder, &reader);
    related::assert_what_is_related(&builder, &reader);
    let breaker = paths(&reader.there("guarded.rs", &Filters::default()));
    assert!(!breaker.contains(&"team/acme/api/src/guarded.rs".to_owned()), "{breaker:?}");

    let get = |path: &str| {
        let request = ItemRequest { id: path.to_owned(), parent: Parent::Leave, scope: Scope::All };
        reader.engine.get(&reader.sandbox.origin(), &request)
    };
    let read = get("team/acme/api/src/find.rs").expect("published");
    assert_eq!(read.text, found);
    assert!(matches!(get("team/acme/api/src/guarded.rs"), Err(GetError::NotFound { .. })));

    // Another branch changes nothing of what readers see.
    builder.git(&["switch", "-q", "-c", "feature"]);
    fs::remove_file(root.join("src/find.rs")).expect("removed");
    builder.sandbox.write("src/guarded.rs", "/// Opens after a failed request.\npub fn breaker_opens() {}\n");
    builder.publish();
    assert_eq!(get("team/acme/api/src/find.rs").expect("published").text, found);
    assert!(matches!(get("team/acme/api/src/guarded.rs"), Err(GetError::NotFound { .. })));
    let breaker = paths(&reader.there("breaker_opens", &Filters::default()));
    assert!(!breaker.contains(&"team/acme/api/src/guarded.rs".to_owned()), "{breaker:?}");
}

/// Compares the counts of documents by value.
#[track_caller]
fn assert_equal_facets(builder: &Machine, reader: &Machine) {
    for (query, filters) in [
        ("retry after a failed request", Filters::default()),
        ("publication", Filters { types: vec![DocumentType::Code], ..Filters::default() }),
        ("wombat", Filters::default()),
    ] {
        let facets = |engine: &Engine, origin: &Origin, scope| {
            let asked = SearchRequest { facets: Facets::On, ..request(query, scope, &filters) };
            engine.search_where(origin, &asked, None).expect("an answer").facets
        };
        let here = facets(&builder.engine, &builder.sandbox.origin(), Scope::Project);
        let there = facets(&reader.engine, &reader.team(), Scope::Domain);
        assert_eq!(format!("{there:?}"), format!("{here:?}"), "{query}");
    }
}

/// Compares the spelling suggestions.
#[track_caller]
fn assert_equal_suggestions(builder: &Machine, reader: &Machine) {
    for query in ["put_chnuks", "Statistcs", "publicaton.rs", "put_chunks", "wombat", "two wrods"] {
        let here = builder.here(query, &Filters::default()).did_you_mean;
        let there = reader.there(query, &Filters::default());
        assert_eq!(there.did_you_mean, here, "{query}");
        if query == "put_chnuks" {
            let first = there.hits.first().expect("the definitions of the suggestion");
            assert!(first.text.contains("put_chunks"), "{}", first.text);
        }
    }
}

fn paths(answer: &Answer) -> Vec<String> {
    answer.hits.iter().map(|hit| hit.document.path.as_str().to_owned()).collect()
}

#[test]
fn a_store_in_memory_gives_the_answers_of_the_index() {
    conforms(&(Arc::new(Memory::default()) as Arc<dyn SharedStore>), 1.0, || {});
}

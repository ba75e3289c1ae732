//! Related documents, the graph and the history of a published document.

use recall_core::{DocumentType, Scope};
use recall_engine::{GetError, GraphError, GraphRequest, HistoryRequest, Related, RelatedRequest, Tie};

use super::Machine;

impl Machine {
    #[track_caller]
    fn related(&self, id: &str, types: &[DocumentType], limit: u32) -> Related {
        self.try_related(id, types, limit).expect("an answer")
    }

    fn try_related(&self, id: &str, types: &[DocumentType], limit: u32) -> Result<Related, GraphError> {
        let request = RelatedRequest { id: id.to_owned(), scope: Scope::All, limit, types: types.to_vec() };
        self.engine.related_documents(&self.sandbox.origin(), &request)
    }
}

fn paths(related: &Related) -> Vec<&str> {
    related.documents.iter().map(|one| one.document.path.as_str()).collect()
}

/// Compares the similar documents with those of the index, and asks for what is not published.
#[track_caller]
pub(super) fn assert_what_is_related(builder: &Machine, reader: &Machine) {
    for (part, types) in [
        ("src/postgres/connection.rs", &[][..]),
        ("src/postgres/connection.rs:1-60", &[]),
        ("src/qdrant/schema.rs#2", &[]),
        ("src/qdrant/schema.rs", &[DocumentType::Adr]),
        ("docs/adr/0043-postgresql-finds-candidates-by-numbers.md", &[]),
    ] {
        let (there, here) = (format!("team/acme/api/{part}"), part.split('#').next().expect("a path"));
        let there = reader.related(&there, types, 10);
        let here = builder.related(here, types, 100);
        let similar: Vec<&str> = here
            .documents
            .iter()
            .filter(|one| one.ties.contains(&Tie::Similar))
            .map(|one| one.document.path.as_str())
            .collect();
        let found = paths(&there);
        assert!(found.len() >= 5, "{part} {found:?}");
        let both = found
            .iter()
            .take(5)
            .filter(|path| path.strip_prefix("team/acme/api/").is_some_and(|path| similar.contains(&path)));
        // A chunk has another id in the index of its machine, where the whole document is asked for.
        let least = if part.contains('#') { 1 } else { 4 };
        assert!(both.count() >= least, "{part} {found:?} {similar:?}");
        assert!(there.documents.is_sorted_by(|a, b| a.score >= b.score), "{found:?}");
        assert!(!found.contains(&format!("team/acme/api/{}", part.split(['#', ':']).next().expect("a path")).as_str()));
        for one in &there.documents {
            assert!(types.is_empty() || types.contains(&one.document.document_type), "{part} {found:?}");
            assert!(one.citation.as_ref().is_some_and(|citation| citation.starts_with("team/acme/api/")), "{one:?}");
        }
    }
    assert!(matches!(
        reader.try_related("team/acme/api/src/seam.rs:99990-99999", &[], 5),
        Err(GraphError::NoLines { .. })
    ));
    assert!(matches!(reader.try_related("team/acme/api/src/none.rs", &[], 5), Err(GraphError::NotFound { .. })));

    let graph = |node: &str| {
        let request =
            GraphRequest { node: node.to_owned(), relations: Vec::new(), depth: 1, limit: 9, scope: Scope::All };
        reader.engine.graph(&reader.sandbox.origin(), &request).expect_err("no links are published")
    };
    let told = graph("team/acme/api/src/seam.rs#1");
    assert!(told.to_string().contains("which has no links between documents"), "{told}");
    assert!(matches!(graph("team/acme/api/src/none.rs"), GraphError::NotFound { .. }));
    let history = |id: &str| {
        let request = HistoryRequest { id: id.to_owned(), scope: Scope::All, limit: 5 };
        reader.engine.history(&reader.sandbox.origin(), &request).expect_err("no commits are published")
    };
    let told = history("team/acme/api/src/seam.rs:1-9");
    assert!(told.to_string().contains("which has no commits"), "{told}");
    assert!(matches!(history("team/acme/api/src/none.rs"), GetError::NotFound { .. }));
}

//! Exact searches and filter expressions: what a shared store answers equals what the index on the machine that published answers.

use recall_core::rql::Filter;
use recall_core::{Case, ChunkKind, ExactRequest, Filters, Needle, OtherProjects, PathFilter, Scope};
use recall_engine::{Answer, ExactAnswer, Hit, Origin, Warning};

use super::{EQUAL, Machine, QUERIES, hits, request, share};

/// Filters on documents.
const FILTERS: [&str; 6] = [
    "doc.type = 'code'",
    "doc.path GLOB 'src/postgres/*.rs'",
    "doc.path = 'src/seam.rs' OR doc.path = 'src/memory.rs'",
    "doc.title LIKE '%Qdrant%'",
    "NOT doc.language = 'rust'",
    "doc.tag = 'operations'",
];

/// Whether a hit fulfils a condition.
type HitCheck = fn(&Hit) -> bool;

/// Filters on chunks, with what each hit satisfies.
const CHUNK_FILTERS: [(&str, HitCheck); 3] = [
    ("chunk.tokens > 200", |hit| hit.chunk.tokens > 200),
    ("chunk.kind = 'function' AND doc.size < 12000", |hit| {
        hit.chunk.kind == ChunkKind::Function && hit.document.size_bytes < 12_000
    }),
    ("chunk.text LIKE '%tenant%'", |hit| hit.text.contains("tenant")),
];

/// Compares exact searches and searches with filter expressions.
#[track_caller]
pub(super) fn assert_equal_conditions(builder: &Machine, reader: &Machine) {
    let literal = |text: &str| Needle::Literal(text.to_owned());
    let regex = |text: &str| Needle::Regex(text.to_owned());
    let below = |path: &str| Filters { paths: vec![PathFilter(path.to_owned())], ..Filters::default() };
    let mut lines = 0;
    for (needle, case, filters) in [
        (literal("pub(super) async fn"), Case::Sensitive, Filters::default()),
        (literal("READERS SEE"), Case::Insensitive, Filters::default()),
        (literal("READERS SEE"), Case::Sensitive, Filters::default()),
        (literal("ublicatio"), Case::Sensitive, below("docs")),
        (literal("-> Result<"), Case::Sensitive, below("src/postgres")),
        (literal("is nowhere"), Case::Sensitive, Filters::default()),
        (literal("}\n\n/// "), Case::Sensitive, Filters::default()),
        (regex(r"^pub\(super\) (async )?fn \w+"), Case::Sensitive, Filters::default()),
        (regex(r"\w+_with\("), Case::Sensitive, Filters::default()),
        (regex("statement|CONNECTION"), Case::Insensitive, below("*.rs")),
    ] {
        let asked = |scope| ExactRequest {
            needle: needle.clone(),
            case,
            scope,
            filters: filters.clone(),
            limit: 1_000,
            offset: 0,
            others: OtherProjects::None,
        };
        let here = builder.engine.find_exact(&builder.sandbox.origin(), &asked(Scope::Project)).expect("an answer");
        let there = reader.engine.find_exact(&reader.team(), &asked(Scope::Domain)).expect("an answer");
        assert_eq!(there.totals, here.totals, "{needle:?} {filters:?}");
        assert_eq!(exact_lines(&there, "team/acme/api/"), exact_lines(&here, ""), "{needle:?} {filters:?}");
        assert_eq!(there.next_offset, here.next_offset, "{needle:?} {filters:?}");
        assert!(there.is_complete, "{needle:?} {:?}", there.warnings);
        lines += here.hits.len();
    }
    assert!(lines > 100, "{lines}");

    let (mut found, mut equal) = (0, 0);
    for filter in FILTERS {
        let parsed = Filter::parse(filter).expect("valid");
        for query in QUERIES {
            let here = builder.engine.search_where(
                &builder.sandbox.origin(),
                &request(query, Scope::Project, &Filters::default()),
                Some(&parsed),
            );
            let asked = request(query, Scope::Domain, &Filters::default());
            let there = reader.engine.search_where(&reader.team(), &asked, Some(&parsed)).expect("an answer");
            let here = here.expect("an answer");
            assert!(!is_cut_off(&there), "{query} {filter} {:?}", there.warnings);
            let (here, there) = (hits(&here, ""), hits(&there, "team/acme/api/"));
            assert_eq!(there.len(), here.len(), "{query} {filter}: {there:?} {here:?}");
            found += here.len();
            equal += here.iter().filter(|one| there.iter().any(|other| (other.0, other.1) == (one.0, one.1))).count();
        }
    }
    assert!(found > 200 && share(equal, found) > EQUAL, "{equal} of {found}");

    for (filter, passes) in CHUNK_FILTERS {
        let parsed = Filter::parse(filter).expect("valid");
        let mut found = 0;
        for query in QUERIES {
            let asked = request(query, Scope::Domain, &Filters::default());
            let there = reader.engine.search_where(&reader.team(), &asked, Some(&parsed)).expect("an answer");
            found += there.hits.len();
            for hit in &there.hits {
                assert!(passes(hit), "{query} {filter}: {hit:?}");
            }
        }
        assert!(found > 20, "{filter}: {found}");
    }
}

fn is_cut_off(answer: &Answer) -> bool {
    answer.warnings.iter().any(|warning| matches!(warning, Warning::SharedNotFiltered { .. }))
}

/// The path, the lines and the text of each hit, sorted: a record has no comments, so that another line of a document may be taken for its
/// definition and come first.
fn exact_lines<'a>(answer: &'a ExactAnswer, above: &str) -> Vec<(&'a str, u32, u32, &'a str)> {
    let one = |hit: &'a Hit| {
        let path = hit.document.path.as_str();
        let span = hit.chunk.span;
        (path.strip_prefix(above).unwrap_or(path), span.start_line, span.end_line, hit.text.as_str())
    };
    let mut lines: Vec<_> = answer.hits.iter().map(one).collect();
    lines.sort_unstable();
    lines
}

impl Machine {
    /// The origin of a client that asks for what the team published.
    pub(super) fn team(&self) -> Origin {
        Origin { domain: Some("team".to_owned()), ..self.sandbox.origin() }
    }
}

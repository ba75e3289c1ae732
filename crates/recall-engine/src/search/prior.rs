//! What speaks for a chunk before the query is asked?

use recall_core::{FileKind, SearchRequest, Understood};

use crate::ranking::Factor;

/// A file kind that steps back.
struct SteppingBack {
    kind: FileKind,
    /// On the fused score of its files.
    fused: f64,
    /// On the odds of a learned score; 1 where the rankers have learnt it themselves.
    odds: f64,
    /// The words of a query that ask for it all the same.
    words: &'static [&'static str],
}

/// The file kinds that step back. What each is worth, those included that a ranker learns nothing from, is told in
/// `docs/benchmarks.md`.
const STEPPING_BACK: &[SteppingBack] = &[
    SteppingBack {
        kind: FileKind::Test,
        fused: 0.6,
        odds: 1.0,
        words: &["test", "tests", "testing", "spec", "fixture", "mock", "benchmark"],
    },
    SteppingBack {
        kind: FileKind::Example,
        fused: 0.7,
        odds: 1.0,
        words: &["example", "examples", "demo", "sample", "tutorial"],
    },
    SteppingBack { kind: FileKind::Generated, fused: 0.6, odds: 1.0, words: &["generated"] },
    SteppingBack {
        kind: FileKind::Declaration,
        fused: 0.8,
        odds: 1.0,
        words: &["declaration", "declarations", "typings", "stub"],
    },
    SteppingBack { kind: FileKind::Vendored, fused: 0.6, odds: 0.37, words: &["vendor", "vendored", "bundled"] },
    SteppingBack {
        kind: FileKind::Compat,
        fused: 0.9,
        odds: 0.9,
        words: &["compat", "compatibility", "legacy", "deprecated", "polyfill", "polyfills", "backport", "backports"],
    },
    SteppingBack {
        kind: FileKind::ReExport,
        fused: 0.9,
        odds: 0.9,
        words: &["export", "exports", "exported", "reexport", "import", "imports"],
    },
];

/// The kinds that the query names; all of them when it names a path.
pub(super) fn asked_for(understood: &Understood) -> Vec<FileKind> {
    let names = |words: &[&str]| {
        let mut said = understood.text.split(|c: char| !c.is_alphanumeric());
        said.any(|word| words.iter().any(|name| word.eq_ignore_ascii_case(name)))
    };
    let is_wanted = |words: &[&str]| !understood.paths.is_empty() || names(words);
    STEPPING_BACK.iter().filter(|stepping| is_wanted(stepping.words)).map(|stepping| stepping.kind).collect()
}

/// Returns the factor on the fused score of a file of a kind that steps back, unless the query asks for that kind.
pub(super) fn on_fused(kind: FileKind, asked_for: &[FileKind], request: &SearchRequest) -> Option<Factor> {
    let stepping = stepping_back(kind, asked_for)?;
    (!request.leaves_out(FILE_KIND)).then_some(Factor { name: FILE_KIND, value: stepping.fused })
}

/// What is put on the odds of a learned score for its file's kind: where the rankers have not learnt that it steps back.
pub(super) fn on_odds(kind: FileKind, asked_for: &[FileKind], request: &SearchRequest) -> Option<Factor> {
    let stepping = stepping_back(kind, asked_for).filter(|stepping| stepping.odds < 1.0)?;
    (!request.leaves_out(FILE_KIND)).then_some(Factor { name: FILE_KIND, value: stepping.odds })
}

/// Whether the rankers know a kind that steps back.
pub(super) fn is_learnt(kind: FileKind) -> bool {
    STEPPING_BACK.iter().any(|stepping| stepping.kind == kind && stepping.odds >= 1.0)
}

fn stepping_back(kind: FileKind, asked_for: &[FileKind]) -> Option<&'static SteppingBack> {
    STEPPING_BACK.iter().find(|stepping| stepping.kind == kind && !asked_for.contains(&kind))
}

const FILE_KIND: &str = "file_kind";

#[cfg(test)]
mod tests {
    use super::*;
    use recall_core::{Ablation, Scope, understand};

    #[test]
    fn tests_step_back_unless_the_query_asks_for_them() {
        let request = SearchRequest::new("anything", Scope::Project, 10);
        let on_fused = |kind, query| on_fused(kind, &asked_for(&understand(query)), &request);
        let factor = |query| on_fused(FileKind::Test, query).map(|factor| factor.value);
        assert_eq!(factor("how are sessions stored"), Some(0.6));
        assert_eq!(factor("the test of session storage"), None);
        assert_eq!(on_fused(FileKind::Main, "anything"), None);
    }

    #[test]
    fn what_rankers_have_not_learnt_steps_back_in_their_order_too() {
        let request = |without: &[Ablation]| SearchRequest {
            without: without.to_vec(),
            ..SearchRequest::new("anything", Scope::Project, 10)
        };
        let odds = |kind, query, without: &[Ablation]| {
            on_odds(kind, &asked_for(&understand(query)), &request(without)).map(|factor| factor.value)
        };
        assert_eq!(odds(FileKind::Vendored, "how are sessions stored", &[]), Some(0.37));
        assert_eq!(odds(FileKind::Vendored, "the vendored session store", &[]), None);
        assert_eq!(odds(FileKind::Compat, "how are sessions stored", &[]), Some(0.9));
        assert_eq!(odds(FileKind::Compat, "sessions of legacy clients", &[]), None);
        assert_eq!(odds(FileKind::ReExport, "how are sessions stored", &[]), Some(0.9));
        assert_eq!(odds(FileKind::ReExport, "what does the package export", &[]), None);
        for kind in [FileKind::Main, FileKind::Test, FileKind::Example, FileKind::Generated, FileKind::Declaration] {
            assert_eq!(odds(kind, "how are sessions stored", &[]), None, "{kind:?}");
        }
        assert_eq!(odds(FileKind::Vendored, "how are sessions stored", &[Ablation::FileKind]), None);
    }
}

//! Priors of file kinds: factors that demote tests, examples, generated files and the like, unless the query asks for them.

use recall_core::{QueryClass, SearchRequest, Understood};
use recall_text::{DocPath, FileKind};

use crate::ranking::Factor;

/// A file kind that is demoted.
struct Demotion {
    kind: FileKind,
    /// The factor on the fused score of its files.
    fused: f64,
    /// The factor on the odds of a learned score; 1 if the rankers have learned the demotion themselves.
    odds: f64,
    /// The query words that ask for this kind, which cancels the demotion.
    words: &'static [&'static str],
}

/// The demoted file kinds. `docs/benchmarks.md` has the effect of each, including those that a ranker does not learn.
const DEMOTIONS: &[Demotion] = &[
    Demotion {
        kind: FileKind::Test,
        fused: 0.6,
        odds: 1.0,
        words: &["test", "tests", "tested", "testing", "spec", "fixture", "mock", "benchmark"],
    },
    Demotion {
        kind: FileKind::Example,
        fused: 0.7,
        odds: 1.0,
        words: &["example", "examples", "demo", "sample", "tutorial"],
    },
    Demotion { kind: FileKind::Generated, fused: 0.6, odds: 0.4, words: &["generated"] },
    Demotion {
        kind: FileKind::Declaration,
        fused: 0.8,
        odds: 1.0,
        words: &["declaration", "declarations", "typings", "stub"],
    },
    Demotion { kind: FileKind::Vendored, fused: 0.6, odds: 0.37, words: &["vendor", "vendored", "bundled"] },
    Demotion {
        kind: FileKind::Compat,
        fused: 0.9,
        odds: 0.9,
        words: &["compat", "compatibility", "legacy", "deprecated", "polyfill", "polyfills", "backport", "backports"],
    },
    Demotion {
        kind: FileKind::ReExport,
        fused: 0.9,
        odds: 0.9,
        words: &["export", "exports", "exported", "reexport", "import", "imports"],
    },
];

/// Returns the demoted kinds that the query asks for, by a word or by a path of that kind; all of them if the query is a path.
///
/// An identifier is one word: `test_client` does not ask for tests.
pub(super) fn asked_for(understood: &Understood) -> Vec<FileKind> {
    let is_said = |words: &[&str]| {
        let mut said = understood.text.split(|c: char| !c.is_alphanumeric() && c != '_');
        said.any(|word| words.iter().any(|name| word.eq_ignore_ascii_case(name)))
    };
    let named: Vec<FileKind> = understood
        .paths
        .iter()
        .filter_map(|path| DocPath::new(path).ok())
        .map(|path| FileKind::from_path(&path))
        .collect();
    let is_wanted = |demotion: &&Demotion| {
        understood.class == QueryClass::Path || named.contains(&demotion.kind) || is_said(demotion.words)
    };
    DEMOTIONS.iter().filter(is_wanted).map(|demotion| demotion.kind).collect()
}

/// Returns whether the path of a definition leads through a module of tests within a file of code, as in Rust.
pub(super) fn is_in_tests(symbol: &str) -> bool {
    symbol.split(" > ").any(|part| matches!(part, "mod test" | "mod tests"))
}

/// Returns the factor on the fused score of a file of a demoted kind, unless the query asks for that kind.
pub(super) fn fused_factor(kind: FileKind, asked_for: &[FileKind], request: &SearchRequest) -> Option<Factor> {
    let demotion = demotion(kind, asked_for)?;
    (!request.leaves_out(FILE_KIND)).then_some(Factor { name: FILE_KIND, value: demotion.fused })
}

/// Returns the factor on the odds of a learned score. `None` if the rankers have learned the demotion, or the query asks for
/// the kind.
pub(super) fn on_odds(kind: FileKind, asked_for: &[FileKind], request: &SearchRequest) -> Option<Factor> {
    let demotion = demotion(kind, asked_for).filter(|demotion| demotion.odds < 1.0)?;
    (!request.leaves_out(FILE_KIND)).then_some(Factor { name: FILE_KIND, value: demotion.odds })
}

/// Returns the factor on the odds of a file in a directory of an older version, whose name is given. `None` if the query names the
/// version or asks for what is old.
pub(super) fn on_odds_of_version(directory: &str, understood: &Understood, request: &SearchRequest) -> Option<Factor> {
    let number = |name: &str| name.trim_start_matches(|c: char| !c.is_ascii_digit()).to_ascii_lowercase();
    let is_meant = |word: &str| {
        OLDER_WORDS.iter().any(|older| word.eq_ignore_ascii_case(older))
            || word.eq_ignore_ascii_case(directory)
            || (word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, 'v' | 'V'))
                && number(word) == number(directory))
    };
    let mut words = understood.text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | '-'));
    let is_asked_for = understood.class == QueryClass::Path || words.any(is_meant);
    (!is_asked_for && !request.leaves_out(FILE_KIND)).then_some(Factor { name: "older_version", value: OLDER_VERSION })
}

/// Returns the factor on the odds of a table of raw data. `None` if the query asks for data or a path. A table of questions or log lines has
/// all words of a query, and what answers it has a few.
pub(super) fn on_odds_of_table(understood: &Understood, request: &SearchRequest) -> Option<Factor> {
    let mut words = understood.text.split(|c: char| !c.is_alphanumeric());
    let is_asked_for = understood.class == QueryClass::Path
        || words.any(|word| TABLE_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)));
    (!is_asked_for && !request.leaves_out(FILE_KIND)).then_some(Factor { name: "data_table", value: DATA_TABLE })
}

/// The factor on the odds of a table of raw data.
const DATA_TABLE: f64 = 0.03;

/// The words that ask for raw data.
const TABLE_WORDS: &[&str] = &[
    "data", "dataset", "datasets", "csv", "tsv", "jsonl", "ndjson", "dat", "column", "columns", "row", "rows", "table",
    "tables", "record", "records", "entry", "entries",
];

/// The factor on the odds of a file in a directory of an older version.
const OLDER_VERSION: f64 = 0.4;

/// The words that ask for what is old.
const OLDER_WORDS: &[&str] = &["old", "older", "legacy", "previous", "deprecated"];

/// Returns whether the rankers have learned the demotion of a kind.
pub(super) fn is_learnt(kind: FileKind) -> bool {
    DEMOTIONS.iter().any(|demotion| demotion.kind == kind && demotion.odds >= 1.0)
}

/// Returns the factor of a kind of file on an order that no ranker decides; 1 for a kind that is not demoted.
pub(crate) fn kind_factor(kind: FileKind) -> f64 {
    demotion(kind, &[]).map_or(1.0, |demotion| demotion.fused)
}

fn demotion(kind: FileKind, asked_for: &[FileKind]) -> Option<&'static Demotion> {
    DEMOTIONS.iter().find(|demotion| demotion.kind == kind && !asked_for.contains(&kind))
}

const FILE_KIND: &str = "file_kind";

#[cfg(test)]
mod tests {
    use super::*;
    use recall_core::{Ablation, Scope, understand};

    #[test]
    fn tests_are_demoted_unless_the_query_asks_for_them() {
        let request = SearchRequest::new("anything", Scope::Project, 10);
        let on_fused = |kind, query| fused_factor(kind, &asked_for(&understand(query)), &request);
        let factor = |query| on_fused(FileKind::Test, query).map(|factor| factor.value);
        assert_eq!(factor("how are sessions stored"), Some(0.6));
        assert_eq!(factor("the test of session storage"), None);
        assert_eq!(factor("what fails in tests/test_sessions.py"), None);
        assert_eq!(factor("how does test_client work"), Some(0.6));
        assert_eq!(factor("how does TestClient work in src/net/client.rs"), Some(0.6));
        assert_eq!(on_fused(FileKind::Main, "anything"), None);
    }

    #[test]
    fn kinds_that_rankers_have_not_learned_are_demoted_by_their_odds() {
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
        assert_eq!(odds(FileKind::Generated, "how are sessions stored", &[]), Some(0.4));
        for kind in [FileKind::Main, FileKind::Test, FileKind::Example, FileKind::Declaration] {
            assert_eq!(odds(kind, "how are sessions stored", &[]), None, "{kind:?}");
        }
        assert_eq!(odds(FileKind::Vendored, "how are sessions stored", &[Ablation::FileKind]), None);
    }

    #[test]
    fn a_table_of_data_steps_back_unless_the_query_asks_for_data() {
        let request = SearchRequest::new("anything", Scope::Project, 10);
        let odds = |query| on_odds_of_table(&understand(query), &request).map(|factor| factor.value);
        assert_eq!(odds("how are sessions stored"), Some(0.03));
        for query in ["which columns has the list of rates", "rates.csv", "data/rates.csv", "the CSV of rates"] {
            assert_eq!(odds(query), None, "{query}");
        }
        let without = SearchRequest { without: vec![Ablation::FileKind], ..request.clone() };
        assert_eq!(on_odds_of_table(&understand("how are sessions stored"), &without), None);
    }

    #[test]
    fn an_older_version_steps_back_unless_the_query_asks_for_it() {
        let request = SearchRequest::new("anything", Scope::Project, 10);
        let odds = |directory, query| {
            on_odds_of_version(directory, &understand(query), &request).map(|factor| (factor.name, factor.value))
        };
        assert_eq!(odds("v3", "how are errors formatted"), Some(("older_version", 0.4)));
        assert_eq!(odds("v3", "how are errors formatted in v4"), Some(("older_version", 0.4)));
        for query in
            ["how are errors formatted in v3", "errors in version 3", "legacy error formats", "src/v3/errors.ts"]
        {
            assert_eq!(odds("v3", query), None, "{query}");
        }
        assert_eq!(odds("2.x", "install release 2.x"), None);
        assert_eq!(odds("2.x", "install release 3.1"), Some(("older_version", 0.4)));
        let without = SearchRequest { without: vec![Ablation::FileKind], ..request.clone() };
        assert_eq!(on_odds_of_version("v3", &understand("how are errors formatted"), &without), None);
    }
}

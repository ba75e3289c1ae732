//! What speaks for a chunk before the query is asked?

use recall_core::{FileKind, SearchRequest, Understood};

use crate::answer::Factor;

/// The factors that the priors put on a chunk's score, those that are 1 left out.
pub(super) fn factors(kind: FileKind, support: f64, asked_for: &[FileKind], request: &SearchRequest) -> Vec<Factor> {
    let all = [file_kind(kind, asked_for), coherence(support)];
    all.into_iter().flatten().filter(|factor| !request.leaves_out(factor.name)).collect()
}

/// The file kinds that step back, by how much, and the words of a query that ask for them all the same.
const STEPPING_BACK: &[(FileKind, f64, &[&str])] = &[
    (FileKind::Test, 0.6, &["test", "tests", "testing", "spec", "fixture", "mock", "benchmark"]),
    (FileKind::Example, 0.7, &["example", "examples", "demo", "sample", "tutorial"]),
    (FileKind::Generated, 0.6, &["generated"]),
    (FileKind::Declaration, 0.8, &["declaration", "declarations", "typings", "stub"]),
];

/// The kinds that the query names; all of them when it names a path.
pub(super) fn asked_for(understood: &Understood) -> Vec<FileKind> {
    let names = |words: &[&str]| {
        let mut said = understood.text.split(|c: char| !c.is_alphanumeric());
        said.any(|word| words.iter().any(|name| word.eq_ignore_ascii_case(name)))
    };
    let is_wanted = |words: &[&str]| !understood.paths.is_empty() || names(words);
    STEPPING_BACK.iter().filter(|(_, _, words)| is_wanted(words)).map(|&(kind, _, _)| kind).collect()
}

/// Tests, examples, generated files and declarations step back unless the query asks for them.
fn file_kind(kind: FileKind, asked_for: &[FileKind]) -> Option<Factor> {
    let &(_, value, _) = STEPPING_BACK.iter().find(|&&(known, _, _)| known == kind)?;
    (!asked_for.contains(&kind)).then_some(Factor { name: "file_kind", value })
}

/// The most that a file with many good chunks moves up.
const COHERENCE_BOUND: f64 = 1.25;

/// A file in which several chunks are candidates moves up: `ratio` is the sum of their scores over the best one's.
fn coherence(ratio: f64) -> Option<Factor> {
    let value = (1.0 + 0.1 * (ratio - 1.0)).min(COHERENCE_BOUND);
    (value > 1.0).then_some(Factor { name: "coherence", value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use recall_core::understand;

    #[test]
    fn tests_step_back_unless_the_query_asks_for_them() {
        let factor = |query| file_kind(FileKind::Test, &asked_for(&understand(query))).map(|factor| factor.value);
        assert_eq!(factor("how are sessions stored"), Some(0.6));
        assert_eq!(factor("the test of session storage"), None);
        assert_eq!(file_kind(FileKind::Main, &asked_for(&understand("anything"))), None);
    }

    #[test]
    fn coherence_is_bounded() {
        assert_eq!(coherence(1.0), None);
        assert_eq!(coherence(1000.0).map(|factor| factor.value), Some(COHERENCE_BOUND));
    }
}

//! What an answer is based on: how many files were searched, and what may be missing or outdated.

use std::fmt::Write as _;

use recall_text::quantity::{count, count_noun};

use crate::v1::{ExactResponse, Filters, Indexing, SearchResponse, SearchStats, Warning};

/// The codes of the warnings about outdated answers.
const OUTDATED_CODES: [&str; 5] = ["SCAN_RUNNING", "NOT_COMPARED", "NOT_REFRESHED", "INDEXING", "INDEXING_QUEUED"];

/// Whether a warning states that recent edits may be missing in the answer.
pub fn may_be_outdated(warnings: &[Warning]) -> bool {
    warnings.iter().any(|warning| OUTDATED_CODES.contains(&warning.code.as_str()))
}

/// Formats the number of searched files, and what may be missing: `1,204 files (99 % indexed), 1 stale`.
pub fn searched_files(answer: &SearchResponse) -> String {
    files(answer.stats.as_ref(), &answer.warnings)
}

/// Formats that no line matches, and what that proves: which files were searched, and which were not.
pub fn nothing_matches(answer: &ExactResponse) -> String {
    let ExactResponse { query, stats, warnings, complete, files_left_out, .. } = answer;
    let filters = query.as_ref().and_then(|query| query.filters.as_ref());
    let is_filtered = filters.is_some_and(|filters| *filters != Filters::default());
    if is_filtered && stats.as_ref().is_none_or(|stats| stats.documents == 0) {
        return "no indexed file passes the filters, so nothing was searched".to_owned();
    }
    let mut text = format!("no line matches in {}", files(stats.as_ref(), warnings));
    if !complete && !may_be_outdated(warnings) {
        text.push_str(", which are not all");
    }
    if *files_left_out > 0 {
        let _ = write!(
            text,
            "; {} not searched: `recall status --failures` lists them",
            count_noun(
                *files_left_out,
                "file is left out of the index and was",
                "files are left out of the index and were"
            )
        );
    }
    text
}

fn files(stats: Option<&SearchStats>, warnings: &[Warning]) -> String {
    let SearchStats { documents, stale_files, indexing, .. } = stats.cloned().unwrap_or_default();
    let mut text = count_noun(documents, "file", "files");
    // If every file is read, or it is not known yet how many there are, a share of them says nothing.
    if let Some(Indexing { done, total, running: true }) = indexing.filter(|indexing| indexing.done < indexing.total) {
        // Rounded down: an index that is not complete is not 100 % complete.
        let _ = write!(text, " ({} % indexed)", done * 100 / total);
    }
    if may_be_outdated(warnings) {
        text.push_str(", the latest edits may be missing");
    } else if stale_files > 0 {
        let _ = write!(text, ", {} stale", count(stale_files));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_index_is_never_reported_as_complete() {
        let searched = |done, total| {
            let indexing = Some(Indexing { done, total, running: true });
            let stats = Some(SearchStats { documents: 1_204, indexing, ..SearchStats::default() });
            searched_files(&SearchResponse { stats, ..SearchResponse::default() })
        };
        assert_eq!(searched(999, 1_000), "1,204 files (99 % indexed)");
        assert_eq!(searched(0, 7), "1,204 files (0 % indexed)");
        for (done, total) in [(0, 0), (1, 1), (2, 1)] {
            assert_eq!(searched(done, total), "1,204 files", "{done} of {total}");
        }
    }

    #[test]
    fn nothing_found_says_what_was_not_searched() {
        let stats = Some(SearchStats { documents: 12, ..SearchStats::default() });
        let mut answer = ExactResponse { stats, complete: true, ..ExactResponse::default() };
        assert_eq!(nothing_matches(&answer), "no line matches in 12 files");
        answer.complete = false;
        assert_eq!(nothing_matches(&answer), "no line matches in 12 files, which are not all");
        answer.files_left_out = 2;
        assert!(nothing_matches(&answer).contains("; 2 files are left out of the index and were not searched: "));
        let paths = vec!["src".to_owned()];
        let filters = Some(Filters { paths, ..Filters::default() });
        let query = Some(crate::v1::QueryEcho { filters, ..crate::v1::QueryEcho::default() });
        let answer = ExactResponse { query, ..ExactResponse::default() };
        assert_eq!(nothing_matches(&answer), "no indexed file passes the filters, so nothing was searched");
    }

    #[test]
    fn stale_files_are_counted_unless_the_answer_is_outdated_as_a_whole() {
        let stats = Some(SearchStats { documents: 1, stale_files: 1, ..SearchStats::default() });
        let mut answer = SearchResponse { stats, ..SearchResponse::default() };
        assert_eq!(searched_files(&answer), "1 file, 1 stale");
        answer.warnings = vec![Warning { code: "SCAN_RUNNING".to_owned(), ..Warning::default() }];
        assert_eq!(searched_files(&answer), "1 file, the latest edits may be missing");
        assert_eq!(searched_files(&SearchResponse::default()), "0 files");
    }
}

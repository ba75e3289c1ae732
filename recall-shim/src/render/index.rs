//! What an indexing run did.

use std::fmt::Write as _;

use recall_proto::v1::{IndexFinished, ItemFailure};

use super::inline;
use super::notes::notes;
use super::quantity::{count, counted, size, time};
use crate::tool::Run;

/// More failures than these are told by `recall_status`.
const MOST_FAILURES: usize = 20;

/// What an indexing run of a path did.
pub(crate) fn index(path: &str, run: &Run) -> String {
    let IndexFinished {
        added,
        changed,
        unchanged,
        removed,
        failed,
        skipped,
        took_ms,
        bytes,
        generation,
        documents,
        chunks,
        symbols,
        failures,
    } = &run.finished;
    let mut text = notes(&run.warnings, None);
    let _ = writeln!(
        text,
        "Indexed {} in {}: {} added, {} changed, {} unchanged, {} removed, {} failed, {} skipped ({} read).",
        inline(path, 400),
        time(*took_ms),
        count(*added),
        count(*changed),
        count(*unchanged),
        count(*removed),
        count(*failed),
        count(*skipped),
        size(*bytes),
    );
    let _ = write!(
        text,
        "The project's store holds {}, {}, {} (generation {}).",
        counted(*documents, "document"),
        counted(*chunks, "chunk"),
        counted(*symbols, "symbol"),
        count(*generation),
    );
    text.push_str(&failed_items(failures, *failed));
    text
}

/// The code of files that were left out on purpose.
const SKIPPED: &str = "SKIPPED";

/// What could not be read and what was left out, as lines under headings; empty for neither.
pub(super) fn failed_items(failures: &[ItemFailure], failed: u64) -> String {
    let (skipped, broken): (Vec<_>, Vec<_>) = failures.iter().partition(|failure| failure.code == SKIPPED);
    items("Failed", &broken, failed) + &items("Left out", &skipped, skipped.len() as u64)
}

fn items(heading: &str, failures: &[&ItemFailure], total: u64) -> String {
    if failures.is_empty() {
        return String::new();
    }
    let mut text = format!("\n\n{heading}:");
    for ItemFailure { item, code: _, reason } in failures.iter().take(MOST_FAILURES) {
        let _ = write!(text, "\n- {}: {}", inline(item, 400), inline(reason, 300));
    }
    let told = failures.len().min(MOST_FAILURES) as u64;
    if total > told {
        let _ = write!(text, "\n- and {} more", count(total - told));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_told_in_numbers_and_failures() {
        let failure = |item: &str, code: &str, reason: &str| ItemFailure {
            item: item.to_owned(),
            code: code.to_owned(),
            reason: reason.to_owned(),
        };
        let mut failures: Vec<_> =
            (0..25).map(|n| failure(&format!("f{n}"), "NOT_READABLE", "permission denied")).collect();
        failures.push(failure("a.png", SKIPPED, "it is binary"));
        let finished = IndexFinished {
            added: 1_200,
            failed: 25,
            took_ms: 420.0,
            bytes: 1_500_000,
            generation: 8,
            documents: 1_200,
            chunks: 1,
            failures,
            ..IndexFinished::default()
        };
        insta::assert_snapshot!(index("src\n", &Run { finished, ..Run::default() }));
    }
}

//! The answer with the result of an indexing run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::text::notes;
use crate::render::text::inline;
use recall_api::v1::{IndexFinished, IndexStarted, ItemFailure, Warning};
use recall_text::quantity::{bytes, count, count_noun, millis};

/// The maximum number of failures shown; `recall_status` lists more.
const MOST_FAILURES: usize = 20;

/// The longest path shown.
const PATH_CHARS: usize = 400;

/// Formats the result of indexing a path.
pub(crate) fn index(path: &str, run: &Run) -> String {
    done(&format!("Indexed {}", inline(path, PATH_CHARS)), run)
}

/// Formats the result of rebuilding the index.
pub(crate) fn rebuilt(run: &Run) -> String {
    done("Rebuilt the index", run)
}

/// Formats the files that initialised the project, and the result of its first indexing.
pub(crate) fn render_init(root: &Path, written: &[PathBuf], run: &Run) -> String {
    let root = inline(&root.to_string_lossy(), PATH_CHARS);
    let mut text = match written {
        [] => format!("{root} is initialised already.\n"),
        _ => format!("Initialised {root}: wrote"),
    };
    for path in written {
        let _ = write!(text, "\n- {}", inline(&path.to_string_lossy(), PATH_CHARS));
    }
    if !written.is_empty() {
        text.push('\n');
    }
    text + &done("Indexed it", run)
}

fn done(what: &str, run: &Run) -> String {
    let IndexFinished {
        added,
        changed,
        unchanged,
        removed,
        failed,
        skipped,
        took_ms,
        bytes: read,
        generation,
        documents,
        chunks,
        symbols,
        failures,
        in_parts,
        left_out,
    } = &run.finished;
    let mut text = notes(&run.warnings, None);
    let _ = writeln!(
        text,
        "{what} in {}: {} added, {} changed, {} unchanged, {} removed, {} failed, {} skipped ({} read).",
        millis(*took_ms),
        count(*added),
        count(*changed),
        count(*unchanged),
        count(*removed),
        count(*failed),
        count(*skipped),
        bytes(*read),
    );
    let _ = write!(
        text,
        "The project's store holds {}, {}, {} (generation {}).",
        count_noun(*documents, "document", "documents"),
        count_noun(*chunks, "chunk", "chunks"),
        count_noun(*symbols, "symbol", "symbols"),
        count(*generation),
    );
    if *in_parts > 0 {
        let _ = write!(text, " {} parsed in parts.", count_noun(*in_parts, "large file was", "large files were"));
    }
    let failures: Vec<_> = failures.iter().filter(|failure| failure.code != SKIPPED).collect();
    text.push_str(&items("Failed", &failures, *failed));
    let left_out: Vec<_> = left_out.iter().collect();
    text.push_str(&items("Not indexed", &left_out, left_out.len() as u64));
    text
}

/// The code of files that were skipped on purpose.
const SKIPPED: &str = "SKIPPED";

/// The code of files and directories that a rule leaves out.
const RULED_OUT: &str = "RULED_OUT";

/// Formats the failed and the skipped files as lines under headings; empty if there are none.
pub(crate) fn failed_items(failures: &[ItemFailure], failed: u64) -> String {
    let is_left_out = |failure: &&ItemFailure| [SKIPPED, RULED_OUT].contains(&failure.code.as_str());
    let (skipped, broken): (Vec<_>, Vec<_>) = failures.iter().partition(is_left_out);
    items("Failed", &broken, failed) + &items("Left out", &skipped, skipped.len() as u64)
}

fn items(heading: &str, failures: &[&ItemFailure], total: u64) -> String {
    if failures.is_empty() {
        return String::new();
    }
    let mut text = format!("\n\n{heading}:");
    for ItemFailure { item, code: _, reason } in failures.iter().take(MOST_FAILURES) {
        let _ = write!(text, "\n- {}: {}", inline(item, PATH_CHARS), inline(reason, 300));
    }
    let shown = failures.len().min(MOST_FAILURES) as u64;
    if total > shown {
        let _ = write!(text, "\n- and {} more", count(total - shown));
    }
    text
}

/// The events of an indexing run.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) started: IndexStarted,
    pub(crate) finished: IndexFinished,
    pub(crate) warnings: Vec<Warning>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_shown_with_numbers_and_failures() {
        let failure = |item: &str, code: &str, reason: &str| ItemFailure {
            item: item.to_owned(),
            code: code.to_owned(),
            reason: reason.to_owned(),
        };
        let mut failures: Vec<_> =
            (0..25).map(|n| failure(&format!("f{n}"), "NOT_READABLE", "permission denied")).collect();
        failures.push(failure("a.png", SKIPPED, "binary"));
        let finished = IndexFinished {
            added: 1_200,
            skipped: 1,
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

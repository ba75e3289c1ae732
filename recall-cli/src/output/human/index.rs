//! Text output of a finished indexing run.

use recall_api::v1;
use recall_api::v1::Severity;

use super::quantity::{bytes, count, count_noun, millis};
use super::style::{DIM, GOOD};
use crate::Exit;

/// The maximum number of failures shown; `recall status --failures` lists all.
const SHOWN: usize = 10;

/// Formats the result in one or two lines.
pub(crate) fn render(finished: &v1::IndexFinished) -> String {
    let v1::IndexFinished {
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
        failures: _,
        in_parts,
        left_out: _,
    } = finished;
    let parts = [(added, "added"), (changed, "changed"), (unchanged, "unchanged"), (removed, "removed")];
    let more = [(failed, "failed"), (skipped, "skipped")];
    let said = |(number, what): &(&u64, &str)| format!("{} {what}", count(**number));
    let mut what: Vec<String> = parts.iter().filter(|(number, _)| **number > 0).map(said).collect();
    what.extend(more.iter().filter(|(number, _)| **number > 0).map(said));
    if what.is_empty() {
        what.push("no files".to_owned());
    }
    let parts = match in_parts {
        0 => String::new(),
        files => format!(", {} in parts", count_noun(*files, "large file", "large files")),
    };
    let read = if *read > 0 { format!(" ({}{parts})", bytes(*read)) } else { String::new() };
    format!(
        "{GOOD}done{GOOD:#} {}{read} in {}\n{DIM}{}, {}, {} in the index, generation {generation}{DIM:#}\n",
        what.join(", "),
        millis(*took_ms),
        count_noun(*documents, "document", "documents"),
        count_noun(*chunks, "chunk", "chunks"),
        count_noun(*symbols, "symbol", "symbols"),
    )
}

/// The code of files that a rule leaves out, such as binaries and lock files. They are counted, not reported as
/// warnings.
const SKIPPED: &str = "SKIPPED";

/// The code of files that could not be read.
const FAILED: &str = "FAILED";

/// The code of files and directories that a rule leaves out.
pub(crate) const RULED_OUT: &str = "RULED_OUT";

/// The code of files that are indexed without their syntax. They did not fail.
pub(crate) const PARSE_FAILED: &str = "PARSE_FAILED";

/// Returns the failures and the named files that are not indexed as warnings, each up to the maximum.
pub(crate) fn failures(finished: &v1::IndexFinished) -> Vec<v1::Warning> {
    let warning = |path: String, message: String| v1::Warning {
        path,
        message,
        severity: Severity::Warning.into(),
        ..v1::Warning::default()
    };
    let is_named = |item: &str| finished.left_out.iter().any(|file| file.item == item);
    let failed = finished.failures.iter().filter(|failure| !is_named(&failure.item));
    let mut warnings: Vec<_> = failed
        .filter(|failure| ![SKIPPED, PARSE_FAILED].contains(&failure.code.as_str()))
        .take(SHOWN)
        .map(|v1::ItemFailure { item, code: _, reason }| warning(item.clone(), reason.clone()))
        .collect();
    let named = finished.failures.iter().filter(|failure| failure.code == FAILED && is_named(&failure.item)).count();
    let untold = finished.failed.saturating_sub((warnings.len() + named) as u64);
    warnings.extend(
        finished
            .left_out
            .iter()
            .take(SHOWN)
            .map(|v1::ItemFailure { item, code: _, reason }| warning(item.clone(), format!("not indexed: {reason}"))),
    );
    if untold > 0 {
        let more = count_noun(untold, "file more", "files more");
        let hint = "`recall status --failures` lists them".to_owned();
        warnings.push(v1::Warning { hint, ..warning(String::new(), format!("{more} failed")) });
    }
    warnings
}

/// Whether there was anything to index.
pub(crate) fn exit(finished: &v1::IndexFinished) -> Exit {
    let v1::IndexFinished { added, changed, unchanged, removed, failed, skipped, .. } = finished;
    if added + changed + unchanged + removed + failed + skipped == 0 { Exit::NothingFound } else { Exit::Done }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished() -> v1::IndexFinished {
        v1::IndexFinished {
            added: 1_234,
            unchanged: 5,
            failed: 12,
            took_ms: 420.0,
            bytes: 7_340_032,
            generation: 3,
            documents: 1_239,
            chunks: 8_000,
            symbols: 1,
            failures: [("logo.png", SKIPPED, "binary"), ("big.txt", "NOT_READABLE", "permission denied")]
                .map(|(item, code, reason)| v1::ItemFailure {
                    item: item.to_owned(),
                    code: code.to_owned(),
                    reason: reason.to_owned(),
                })
                .to_vec(),
            ..v1::IndexFinished::default()
        }
    }

    #[test]
    fn a_run_is_summed_up() {
        insta::assert_snapshot!(anstream::adapter::strip_str(&render(&finished())), @r"
        done 1,234 added, 5 unchanged, 12 failed (7.0 MiB) in 420 ms
        1,239 documents, 8,000 chunks, 1 symbol in the index, generation 3
        ");
        insta::assert_snapshot!(anstream::adapter::strip_str(&render(&v1::IndexFinished::default())), @r"
        done no files in 0.0 ms
        0 documents, 0 chunks, 0 symbols in the index, generation 0
        ");
    }

    #[test]
    fn failures_are_listed_up_to_a_maximum_and_the_rest_is_counted() {
        let told: Vec<_> = failures(&finished()).into_iter().map(|warning| (warning.path, warning.message)).collect();
        let expected = [("big.txt", "permission denied"), ("", "11 files more failed")];
        assert_eq!(told, expected.map(|(path, message)| (path.to_owned(), message.to_owned())));
    }

    #[test]
    fn a_named_file_that_is_not_indexed_is_told_once_with_its_reason() {
        let failure = |item: &str, code: &str, reason: &str| v1::ItemFailure {
            item: item.to_owned(),
            code: code.to_owned(),
            reason: reason.to_owned(),
        };
        let finished = v1::IndexFinished {
            failed: 1,
            failures: vec![failure("a", FAILED, "cannot be read: no"), failure("b", SKIPPED, "too large: 2 GiB")],
            left_out: vec![
                failure("a", "LEFT_OUT", "cannot be read: no"),
                failure("b", "LEFT_OUT", "too large: 2 GiB"),
            ],
            ..v1::IndexFinished::default()
        };
        let told: Vec<_> = failures(&finished).into_iter().map(|warning| (warning.path, warning.message)).collect();
        let expected = [("a", "not indexed: cannot be read: no"), ("b", "not indexed: too large: 2 GiB")];
        assert_eq!(told, expected.map(|(path, message)| (path.to_owned(), message.to_owned())));
    }

    #[test]
    fn a_run_without_files_found_nothing() {
        assert_eq!(exit(&v1::IndexFinished::default()), Exit::NothingFound);
        assert_eq!(exit(&v1::IndexFinished { unchanged: 1, ..v1::IndexFinished::default() }), Exit::Done);
    }
}

//! What of a store is not indexed, why, and what a person can do about it.

use std::collections::BTreeMap;

use maud::{Markup, html};
use recall_api::v1::{ItemFailure, StoreStatus};
use recall_text::quantity::{count, count_noun};

use crate::view;

/// What can be done about the files that are left out for a reason, by the beginning of the reason.
const REMEDIES: [(&str, &str); 14] = [
    ("indexed in windows of lines", "nothing to do: text is found; names and relations are not"),
    ("cannot be read", "check their permissions"),
    ("the name is not UTF-8", "rename them"),
    ("unknown encoding", "save them as UTF-8"),
    ("binary", "nothing to do: they have no text"),
    ("too large", "raise the limit in the settings, if their text is worth finding"),
    ("a pointer of Git LFS", "`git lfs pull` fetches their content"),
    ("secret by name", "nothing to do: they are never indexed"),
    ("mostly a private key", "nothing to do: private keys are never indexed"),
    ("symlink", "nothing to do: what they lead to is indexed where it is"),
    ("repository with a store", "nothing to do: each is searched with its own index"),
    ("lock file", "`recall include PATH` indexes one"),
    ("minified", "`recall include PATH` indexes one"),
    ("excluded by the setting", "change `index.include` or `index.exclude`"),
];

/// What can be done about any other file.
const INCLUDE: &str = "`recall include PATH` indexes one";

/// Shows what is not indexed; nothing if everything is.
pub(super) fn section(store: &StoreStatus) -> Markup {
    let with = |code: &str| store.failures.iter().filter(|failure| failure.code == code).collect::<Vec<_>>();
    let (failed, unparsed, skipped, ruled_out) =
        (with("FAILED"), with("PARSE_FAILED"), with("SKIPPED"), with("RULED_OUT"));
    let left_out: u64 = store.left_out.iter().map(|group| group.files).sum();
    let by_purpose = left_out.saturating_sub(store.failed);
    html! {
        @if store.failed + by_purpose + store.ruled_out > 0 || !unparsed.is_empty() {
            section.left-out {
                h2 { "Not indexed, or only in part, in " (store.name) }
                @if !failed.is_empty() {
                    (group(&format!("{} could not be read", count_noun(store.failed, "file", "files")), &failed, Weight::Problem))
                }
                @if !unparsed.is_empty() {
                    @let title = format!("{} found by words only: the syntax was not understood", count_noun(unparsed.len() as u64, "file is", "files are"));
                    (group(&title, &unparsed, Weight::Problem))
                }
                @if by_purpose > 0 {
                    @let what = if by_purpose == 1 { "it is" } else { "they are" };
                    (group(&format!("{} left out for what {what}", count_noun(by_purpose, "file is", "files are")), &skipped, Weight::Purpose))
                }
                @if store.ruled_out > 0 {
                    (group(&format!("{} left out by rules", count_noun(store.ruled_out, "path is", "paths are")), &ruled_out, Weight::Purpose))
                }
            }
        }
    }
}

/// Whether somebody should look at a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// It may hide text that a search should find.
    Problem,
    /// It is as it should be.
    Purpose,
}

/// Shows files by reason, with what can be done.
fn group(title: &str, files: &[&ItemFailure], weight: Weight) -> Markup {
    let mut reasons: BTreeMap<&str, Vec<&ItemFailure>> = BTreeMap::new();
    for file in files {
        reasons.entry(common_reason(&file.reason)).or_default().push(file);
    }
    html! {
        details open[weight == Weight::Problem] {
            summary class=[(weight == Weight::Problem).then_some("problem-title")] { (title) }
            @for (reason, files) in &reasons {
                h3 { (reason) " " span.count { (count(files.len() as u64)) } }
                p.dim { (view::code_markup(remedy(reason))) }
                ul.paths { @for file in files { li { code { (file.item) } @if file.reason != *reason { " " span.dim { (file.reason[reason.len()..].trim_start_matches(':')) } } } } }
            }
            @if files.is_empty() { p.dim { code { "recall status --failures" } " lists them." } }
        }
    }
}

/// Returns the part of a reason that many files share.
fn common_reason(reason: &str) -> &str {
    reason.split_once(':').map_or(reason, |(common, _)| common)
}

fn remedy(reason: &str) -> &'static str {
    REMEDIES.iter().find(|(begin, _)| reason.starts_with(begin)).map_or(INCLUDE, |(_, remedy)| remedy)
}

#[cfg(test)]
mod tests {
    use recall_api::v1::LeftOutGroup;

    use super::*;

    fn failure(item: &str, code: &str, reason: &str) -> ItemFailure {
        ItemFailure { item: item.to_owned(), code: code.to_owned(), reason: reason.to_owned() }
    }

    #[test]
    fn files_are_named_by_reason_with_what_can_be_done() {
        let group = |reason: &str, files| LeftOutGroup { reason: reason.to_owned(), files, may_hide_text: true };
        let store = StoreStatus {
            failed: 1,
            ruled_out: 1,
            left_out: vec![group("binary", 2), group("cannot be read", 1)],
            failures: vec![
                failure("a.txt", "FAILED", "cannot be read: permission denied"),
                failure("a.png", "SKIPPED", "binary"),
                failure("b.png", "SKIPPED", "binary"),
                failure("target/", "RULED_OUT", "in the built-in list of directories"),
            ],
            ..StoreStatus::default()
        };
        let shown = section(&store).into_string();
        for part in [
            "<details open><summary class=\"problem-title\">1 file could not be read",
            "<details><summary>2 files are left out for what they are",
            "binary <span class=\"count\">2</span></h3><p class=\"dim\">nothing to do: they have no text",
            "<code>a.png</code>",
            "<code>a.txt</code> <span class=\"dim\"> permission denied",
            "1 path is left out by rules",
            "<code>recall include PATH</code> indexes one",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert_eq!(section(&StoreStatus::default()).into_string(), "");
    }
}

//! What needs a person, and what he or she can do about it.

use maud::{Markup, html};
use recall_api::v1::{StatusResponse, StoreStatus, Warning};
use recall_text::quantity::{bytes, count_noun};

use crate::view;

/// The part of the memory ceiling from which requests begin to wait.
const NEARLY_FULL: f64 = 0.9;

/// Shows each finding with what can be done; says so if there is none.
pub(super) fn section(answer: &StatusResponse) -> Markup {
    let warnings = answer.warnings.iter().chain(answer.stores.iter().flat_map(|store| &store.warnings)).map(warning);
    let findings: Vec<Finding> =
        warnings.chain(answer.stores.iter().flat_map(findings)).chain(memory(answer)).collect();
    html! {
        @if findings.is_empty() { p.all-well { "Indexing needs nothing from you." } } @else {
            ul.attention {
                @for Finding { what, remedy } in &findings {
                    li.problem {
                        p { (what) }
                        @if !remedy.is_empty() { p.dim { (view::code_markup(remedy)) } }
                    }
                }
            }
        }
    }
}

/// Something that needs a person.
struct Finding {
    what: String,
    /// What can be done, with commands between backticks.
    remedy: String,
}

fn finding(what: String, remedy: &str) -> Finding {
    Finding { what, remedy: remedy.to_owned() }
}

fn warning(warning: &Warning) -> Finding {
    let Warning { message, path, hint, .. } = warning;
    let what = if path.is_empty() { message.clone() } else { format!("{message} {path}") };
    finding(what, hint)
}

fn findings(store: &StoreStatus) -> Vec<Finding> {
    let name = &store.name;
    let mut findings = Vec::new();
    let is_running = store.indexing.is_some_and(|indexing| indexing.running);
    if !store.indexed && !is_running && store.files.is_some_and(|files| files.listed > 0) {
        findings.push(finding(format!("{name} is not indexed yet"), "the first search does it, or `recall include .`"));
    }
    if store.failed > 0 {
        let files = count_noun(store.failed, "file", "files");
        findings.push(finding(format!("{files} of {name} could not be read"), "their names and what to do are below"));
    }
    if store.awaits_power {
        let what = format!("{name} is searched by words for what is not embedded yet");
        findings.push(finding(what, "embedding goes on when this machine is plugged in"));
    }
    if !store.unwatched.is_empty() {
        let what = format!("the changes of {name} are not watched: {}", store.unwatched);
        findings
            .push(finding(what, "nothing must be done: its files are compared before each answer, which takes longer"));
    }
    findings
}

fn memory(answer: &StatusResponse) -> Option<Finding> {
    let memory = answer.daemon.as_ref()?.memory.as_ref()?;
    let is_full = memory.anonymous_bytes as f64 > NEARLY_FULL * memory.ceiling_bytes as f64;
    (memory.ceiling_bytes > 0 && is_full).then(|| {
        let what = format!("the daemon uses {} of {}", bytes(memory.anonymous_bytes), bytes(memory.ceiling_bytes));
        finding(what, "requests may wait; raise `daemon.memory_ceiling_bytes`, then `recall daemon restart`")
    })
}

#[cfg(test)]
mod tests {
    use recall_api::v1::{DaemonStatus, FileCounts, MemoryUse};

    use super::*;

    #[test]
    fn what_needs_a_person_comes_with_what_to_do() {
        let store = StoreStatus {
            name: "zoo".to_owned(),
            indexed: true,
            failed: 2,
            files: Some(FileCounts { listed: 9, ..FileCounts::default() }),
            ..StoreStatus::default()
        };
        let memory = MemoryUse { anonymous_bytes: 95, ceiling_bytes: 100, ..MemoryUse::default() };
        let daemon = DaemonStatus { memory: Some(memory), ..DaemonStatus::default() };
        let answer = StatusResponse { stores: vec![store], daemon: Some(daemon), ..StatusResponse::default() };
        let shown = section(&answer).into_string();
        for part in ["2 files of zoo could not be read", "<code>recall daemon restart</code>"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        let well = section(&StatusResponse::default()).into_string();
        assert_eq!(well, "<p class=\"all-well\">Indexing needs nothing from you.</p>");
    }
}

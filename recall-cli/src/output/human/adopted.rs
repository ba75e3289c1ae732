//! Text output of what is known of the instructions and memories of agents.

use std::fmt::Write;

use recall_api::v1;

use super::quantity::count_noun;
use super::style::{DIM, LINE, PATH, WARNING};
use super::text::printable;

/// Formats each doubt: its place and name, the reason, and the sentence below.
pub(crate) fn doubts(answer: &v1::VerifyResponse) -> String {
    let mut text = String::new();
    for doubt in answer.adopted.iter().flat_map(|adopted| &adopted.doubts) {
        let v1::Doubt { path, line, sentence, name, kind, reason, also_at } = doubt;
        let _ = writeln!(
            text,
            "{PATH}{}{PATH:#}{LINE}:{line}{LINE:#} {WARNING}{kind}{WARNING:#} {}: {}",
            printable(path),
            printable(name),
            printable(reason)
        );
        let _ = writeln!(text, "  {DIM}{}{DIM:#}", printable(sentence));
        if !also_at.is_empty() {
            let _ = writeln!(text, "  {DIM}also at {}{DIM:#}", printable(&also_at.join(", ")));
        }
    }
    text
}

/// Formats the number of doubts; `None` if there was nothing to check.
pub(crate) fn sum(answer: &v1::VerifyResponse) -> Option<String> {
    let v1::AdoptedCheck { files, claims, doubts, too_early } = answer.adopted.as_ref()?;
    if *too_early {
        return Some("instructions and memories for agents are checked after the project is indexed".to_owned());
    }
    if *files == 0 {
        return None;
    }
    let files = count_noun(*files, "file", "files");
    let names = count_noun(*claims, "name", "names");
    let state = match doubts.len() {
        0 => "all there".to_owned(),
        count => format!("{count} not there"),
    };
    Some(format!("{names} checked in {files} of instructions and memories for agents, {state}"))
}

/// Describes whose file a hit is part of.
pub(crate) fn fact(adopted: &v1::Adopted) -> String {
    match (adopted.owner.as_str(), adopted.agent.as_str()) {
        ("user", "") => "your agent's memory".to_owned(),
        ("user", agent) => format!("your agent's memory ({})", printable(agent)),
        ("repository", _) => "from the repository".to_owned(),
        _ => "not committed".to_owned(),
    }
}

/// Formats the doubts about a hit, one per line.
pub(crate) fn hit_doubts(adopted: &v1::Adopted) -> Vec<String> {
    let one = |doubt: &v1::Doubt| {
        let v1::Doubt { line, name, reason, .. } = doubt;
        format!("line {line} may be outdated: {}: {}", printable(name), printable(reason))
    };
    adopted.doubts.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::human::style::plain;

    #[test]
    fn doubts_are_shown_with_place_reason_and_sentence() {
        let doubt = v1::Doubt {
            path: "CLAUDE.md".to_owned(),
            line: 3,
            sentence: "See `src/a.rs`.".to_owned(),
            name: "src/a.rs".to_owned(),
            kind: "file".to_owned(),
            reason: "deleted in 1a2b3c4".to_owned(),
            also_at: vec!["AGENTS.md:7".to_owned()],
        };
        let adopted = v1::AdoptedCheck { files: 1, claims: 2, doubts: vec![doubt], too_early: false };
        let mut answer = v1::VerifyResponse { adopted: Some(adopted), ..v1::VerifyResponse::default() };
        let expected = "CLAUDE.md:3 file src/a.rs: deleted in 1a2b3c4\n  See `src/a.rs`.\n  also at AGENTS.md:7\n";
        assert_eq!(plain(&doubts(&answer)), expected);
        let summed = sum(&answer).expect("files were checked");
        assert_eq!(summed, "2 names checked in 1 file of instructions and memories for agents, 1 not there");
        answer.adopted = Some(v1::AdoptedCheck::default());
        assert_eq!(sum(&answer), None);
        answer.adopted = Some(v1::AdoptedCheck { too_early: true, ..v1::AdoptedCheck::default() });
        assert!(sum(&answer).expect("a note").contains("after the project is indexed"));
    }
}

//! Text output of memories: origin, state and feedback.

use std::fmt::Write;

use recall_api::json::rfc3339;
use recall_api::v1::{self, MemoryStatus, Origin, Ownership, Trust, VerificationState};

use super::quantity::count_noun;
use super::style::{DIM, ERROR, GOOD, PATH, WARNING};
use super::text::printable;

/// The state of a memory that waits for a review.
pub(crate) const PROPOSED: &str = "proposed";

/// Returns the origin and the state of a memory in a few words each; the usual values are left out.
pub(crate) fn facts(memory: &v1::Memory) -> Vec<String> {
    let mut facts: Vec<String> = match memory.ownership() {
        Ownership::Repository => vec![from_repository(memory)],
        Ownership::Confirmed => vec!["confirmed by you".to_owned()],
        Ownership::Own | Ownership::Unspecified => claims(memory).into_iter().map(str::to_owned).collect(),
    };
    let is_claim = memory.ownership() == Ownership::Repository;
    // A stranger who knows the files can make any text match them.
    let told = |verification: &&v1::Verification| !is_claim || verification.state() != VerificationState::Verified;
    facts.extend(memory.verification.as_ref().filter(told).and_then(state));
    match memory.status() {
        MemoryStatus::Stale => facts.push("stale".to_owned()),
        MemoryStatus::Deprecated if memory.proposed => facts.push(PROPOSED.to_owned()),
        MemoryStatus::Deprecated => facts.push(describe_end(memory)),
        MemoryStatus::Current | MemoryStatus::Unspecified => {}
    }
    if memory.stats.as_ref().is_some_and(|stats| stats.flagged) {
        facts.push("flagged for review".to_owned());
    }
    facts.extend(
        memory.contradicts.iter().map(|other| format!("may contradict {}{}", printable(&other.id), judge(other))),
    );
    facts
}

/// Names the language model that says that a memory may contradict another one; empty if only the words do.
pub(crate) fn judge(opposed: &v1::Opposed) -> String {
    let model = printable(&opposed.judged_by);
    if model.is_empty() { String::new() } else { format!(" (by the language model {model})") }
}

/// Describes that a memory does not hold now, with the memory that retired it, and the day from which it does not hold.
fn describe_end(memory: &v1::Memory) -> String {
    let day = |word: &str, point: &Option<v1::TimePoint>| {
        let moment = point.as_ref().and_then(|point| rfc3339(point.at.as_ref()?));
        moment.map(|moment| format!("{word}{}", &moment[..moment.len().min(10)])).unwrap_or_default()
    };
    match memory.holds.as_str() {
        "expired" => format!("expired{}", day(" ", &memory.valid_until)),
        "" if memory.superseded_by.is_empty() => format!("retired{}", day(" on ", &memory.valid_until)),
        "" => format!("retired by {}{}", printable(&memory.superseded_by), day(" on ", &memory.valid_until)),
        _ => format!("valid from{}", day(" ", &memory.valid_from)),
    }
}

/// Describes the origin of a memory of this user.
fn claims(memory: &v1::Memory) -> Vec<&'static str> {
    let mut facts = Vec::new();
    if memory.ownership() == Ownership::Own {
        facts.push("own");
    }
    match memory.origin() {
        Origin::Observed => facts.push("observed"),
        Origin::Inferred => facts.push("inferred"),
        Origin::Imported => facts.push("imported"),
        Origin::Human | Origin::Unspecified => {}
    }
    match memory.trust() {
        Trust::Low => facts.push("unconfirmed"),
        Trust::Medium => facts.push("confirmed by use"),
        Trust::High | Trust::Unspecified => {}
    }
    facts
}

/// Describes the origin of a memory that this user did not write and has not confirmed.
fn from_repository(memory: &v1::Memory) -> String {
    if memory.added_in.is_empty() {
        return "from the repository, unconfirmed".to_owned();
    }
    let (author, commit) = (printable(&memory.added_by), printable(&memory.added_in));
    format!("from the repository, added by {author} in {commit}, unconfirmed")
}

/// Describes the state of a memory's anchors.
pub(crate) fn state(verification: &v1::Verification) -> Option<String> {
    let since: String = verification.since_commit.chars().take(7).collect();
    let moved = match &verification.moved[..] {
        [] => String::new(),
        [v1::MovedFile { to, .. }] => format!(", moved to {to}"),
        [v1::MovedFile { to, .. }, others @ ..] => {
            format!(", moved to {to} and {}", count_noun(others.len() as u64, "other", "others"))
        }
    };
    match verification.state() {
        VerificationState::Verified => Some(format!("verified{moved}")),
        VerificationState::Changed if since.is_empty() => Some(format!("changed{moved}")),
        VerificationState::Changed => Some(format!("changed since {since}{moved}")),
        VerificationState::Gone => Some("gone".to_owned()),
        VerificationState::Unanchored => Some("unanchored".to_owned()),
        VerificationState::Unspecified => None,
    }
}

/// Formats the broken anchors, one per line.
pub(crate) fn broken(memory: &v1::Memory) -> Vec<String> {
    memory.verification.iter().flat_map(|verification| &verification.broken).map(anchor).collect()
}

fn anchor(anchor: &v1::Anchor) -> String {
    let what = if anchor.state() == VerificationState::Gone { "gone" } else { "changed" };
    if anchor.symbol.is_empty() {
        format!("{what}: {}", anchor.path)
    } else {
        format!("{what}: {} in {}", anchor.symbol, anchor.path)
    }
}

/// Formats the result of saving a memory.
pub(crate) fn format_add(answer: &v1::AddResponse) -> String {
    let v1::AddResponse { id, title, status: _, cues, similar, warnings: _ } = answer;
    let title = printable(title);
    let mut text = match answer.status() {
        v1::AddStatus::Duplicate => {
            format!("{WARNING}not saved{WARNING:#}: nearly the same memory exists\n")
        }
        v1::AddStatus::Superseded => {
            format!("{GOOD}saved{GOOD:#} {PATH}{id}{PATH:#} {title}; the older one is retired\n")
        }
        v1::AddStatus::Proposed => {
            format!(
                "{GOOD}proposed{GOOD:#} {PATH}{id}{PATH:#} {title}\n  it counts once a person accepts it: `recall review`\n"
            )
        }
        v1::AddStatus::Added | v1::AddStatus::Unspecified => {
            format!("{GOOD}saved{GOOD:#} {PATH}{id}{PATH:#} {title}\n")
        }
    };
    if !cues.is_empty() {
        let _ = writeln!(text, "  {DIM}shown unasked at {}{DIM:#}", printable(&cues.join(", ")));
    }
    for v1::SimilarMemory { id, title, similarity, may_contradict, .. } in similar {
        let relation = if *may_contradict { ", may contradict" } else { "" };
        let _ = writeln!(
            text,
            "  {DIM}{:.0} % similar{relation}{DIM:#} {PATH}{id}{PATH:#} {}",
            similarity * 100.0,
            printable(title)
        );
    }
    text
}

/// Formats a memory after an update.
pub(crate) fn format_update(memory: &v1::Memory) -> String {
    let facts = facts(memory).join(", ");
    format!("{GOOD}amended{GOOD:#} {PATH}{}{PATH:#} {} {DIM}{facts}{DIM:#}\n", memory.id, printable(&memory.title))
}

/// Formats the feedback on an item.
pub(crate) fn format_feedback(item: &str, verdict: &str, stats: &v1::ItemStats) -> String {
    let v1::ItemStats { retrievals, useful, not_useful, usefulness, flagged, uses } = stats;
    let share = usefulness.map(|part| format!(" ({:.0}%)", part * 100.0)).unwrap_or_default();
    let mut facts = Vec::new();
    facts.extend((useful + not_useful > 0).then(|| format!("{useful} useful, {not_useful} not useful{share}")));
    facts.extend((*retrievals > 0).then(|| format!("among the hits {}", count_noun(*retrievals, "time", "times"))));
    facts.extend((*uses > 0).then(|| format!("used in {}", count_noun(*uses, "session", "sessions"))));
    facts.extend(flagged.then(|| format!("{WARNING}flagged for review{WARNING:#}")));
    let facts = if facts.is_empty() { String::new() } else { format!(": {}", facts.join(", ")) };
    format!("{GOOD}rated {verdict}{GOOD:#} {PATH}{}{PATH:#}{facts}\n", printable(item))
}

/// Formats the state of each memory on one line, with its broken anchors below.
pub(crate) fn format_verify(answer: &v1::VerifyResponse) -> String {
    let mut text = String::new();
    for v1::VerifiedMemory { id, title, verification, changes } in &answer.results {
        let verification = verification.clone().unwrap_or_default();
        let style = if verification.broken.is_empty() { GOOD } else { ERROR };
        let state = state(&verification).unwrap_or_else(|| "not checked".to_owned());
        let _ = writeln!(text, "{PATH}{id}{PATH:#} {style}{state}{style:#} {}", printable(title));
        for broken in &verification.broken {
            let _ = writeln!(text, "  {DIM}{}{DIM:#}", printable(&anchor(broken)));
        }
        for change in changes {
            push_change(&mut text, change);
        }
    }
    text
}

/// Adds what changed in a file or symbol of a memory.
fn push_change(text: &mut String, change: &v1::AnchorChange) {
    let v1::AnchorChange { path, symbol, commit, exact, diff, is_cut } = change;
    let symbol = if symbol.is_empty() { String::new() } else { format!(" {}", printable(symbol)) };
    let _ = write!(text, "\n{PATH}{}{symbol}{PATH:#} ", printable(path));
    if commit.is_empty() {
        let _ = writeln!(text, "{DIM}git does not have the text of that time{DIM:#}");
        return;
    }
    let commit = commit.get(..12).unwrap_or(commit);
    let then = if *exact { "" } else { ", where the memory saw changes that were never committed" };
    let _ = writeln!(text, "{DIM}since {}{then}{DIM:#}", printable(commit));
    for line in diff.lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') => GOOD,
            Some(b'-') => ERROR,
            _ => DIM,
        };
        let _ = writeln!(text, "{style}{}{style:#}", printable(line));
    }
    if *is_cut {
        let _ = writeln!(text, "{DIM}… the rest is left out{DIM:#}");
    }
}

/// Formats the number of memories that are valid.
pub(crate) fn sum(answer: &v1::VerifyResponse) -> String {
    let count = answer.results.len() as u64;
    let memories = count_noun(count, "memory", "memories");
    match answer.broken {
        0 => format!("{memories} checked, all up to date"),
        broken => format!("{memories} checked, {broken} out of date"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::human::style::plain;

    #[test]
    fn a_memory_says_how_it_stands() {
        let verification = v1::Verification {
            state: VerificationState::Changed.into(),
            since_commit: "0123456789abcdef".to_owned(),
            broken: vec![v1::Anchor {
                path: "src/a.rs".to_owned(),
                symbol: "Store::open".to_owned(),
                state: VerificationState::Gone.into(),
                ..v1::Anchor::default()
            }],
            ..v1::Verification::default()
        };
        let memory = v1::Memory {
            origin: Origin::Inferred.into(),
            trust: Trust::Low.into(),
            verification: Some(verification),
            status: MemoryStatus::Deprecated.into(),
            superseded_by: "L-0123abcd".to_owned(),
            valid_until: Some(v1::TimePoint {
                at: Some(prost_types::Timestamp::default()),
                ..v1::TimePoint::default()
            }),
            ..v1::Memory::default()
        };
        let expected = ["inferred", "unconfirmed", "changed since 0123456", "retired by L-0123abcd on 1970-01-01"];
        assert_eq!(facts(&memory), expected);
        let opposed =
            v1::Opposed { id: "L-4567cdef".to_owned(), judged_by: "lab:m".to_owned(), ..v1::Opposed::default() };
        let opposing = v1::Memory { contradicts: vec![opposed], ..memory.clone() };
        let last = facts(&opposing).pop();
        assert_eq!(last.as_deref(), Some("may contradict L-4567cdef (by the language model lab:m)"));
        let rated = v1::Memory { superseded_by: String::new(), ..memory.clone() };
        assert_eq!(describe_end(&rated), "retired on 1970-01-01");
        assert_eq!(describe_end(&v1::Memory { holds: "expired".to_owned(), ..rated }), "expired 1970-01-01");
        assert_eq!(broken(&memory), ["gone: Store::open in src/a.rs"]);
    }

    #[test]
    fn a_rating_is_named_with_what_is_known_of_the_item() {
        let check = |stats, verdict, expected: &str| {
            assert_eq!(plain(&format_feedback("src/a.rs", verdict, &stats)), expected);
        };
        let flagged = v1::ItemStats { flagged: true, ..v1::ItemStats::default() };
        check(flagged, "outdated", "rated outdated src/a.rs: flagged for review\n");
        let used = v1::ItemStats { useful: 3, not_useful: 1, usefulness: Some(0.75), retrievals: 1, ..flagged };
        let expected =
            "rated useful src/a.rs: 3 useful, 1 not useful (75%), among the hits 1 time, flagged for review\n";
        check(used, "useful", expected);
    }

    #[test]
    fn a_moved_file_is_named_by_its_new_path() {
        let moved = |to: &str| v1::MovedFile { from: "a.rs".to_owned(), to: to.to_owned() };
        let mut verification =
            v1::Verification { state: VerificationState::Verified.into(), ..v1::Verification::default() };
        verification.moved = vec![moved("b.rs")];
        assert_eq!(state(&verification).as_deref(), Some("verified, moved to b.rs"));
        verification.moved.push(moved("c.rs"));
        assert_eq!(state(&verification).as_deref(), Some("verified, moved to b.rs and 1 other"));
    }

    #[test]
    fn what_is_known_already_is_shown() {
        let similar = vec![v1::SimilarMemory {
            id: "L-0123abcd".to_owned(),
            title: "Jitter".to_owned(),
            similarity: 0.914,
            ..v1::SimilarMemory::default()
        }];
        let status = v1::AddStatus::Duplicate.into();
        let answer = v1::AddResponse { similar, status, ..v1::AddResponse::default() };
        insta::assert_snapshot!(plain(&format_add(&answer)), @r"
        not saved: nearly the same memory exists
          91 % similar L-0123abcd Jitter
        ");
    }
}

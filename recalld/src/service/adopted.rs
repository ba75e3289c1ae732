//! The conversion of what is known of the instructions and memories of agents.

use recall_api::v1;
use recall_engine::{AdoptedHit, AdoptedReport, Doubt, Owner};

/// Converts the check of all files.
pub(super) fn check(report: &AdoptedReport) -> v1::AdoptedCheck {
    let AdoptedReport { files, claims, doubts: _, is_too_early } = report;
    let doubts = report.without_repeats().iter().map(doubt).collect();
    v1::AdoptedCheck { files: *files, claims: *claims, doubts, too_early: *is_too_early }
}

/// Converts what is known of a hit.
pub(super) fn hit(adopted: &AdoptedHit) -> v1::Adopted {
    let AdoptedHit { owner, agent, file, doubts } = adopted;
    let trust = match owner {
        Owner::User => v1::Trust::Medium,
        // Nothing proves that a file in a clone is not from the repository.
        Owner::Repository | Owner::Local => v1::Trust::Low,
    };
    v1::Adopted {
        owner: owner.as_str().to_owned(),
        trust: trust.into(),
        file: file.as_ref().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default(),
        doubts: doubts.iter().map(doubt).collect(),
        agent: (*agent).to_owned(),
    }
}

fn doubt(doubt: &Doubt) -> v1::Doubt {
    let Doubt { path, line, sentence, name, kind, reason, also_at } = doubt;
    v1::Doubt {
        path: path.to_string(),
        line: *line,
        sentence: sentence.clone(),
        name: name.clone(),
        kind: kind.as_str().to_owned(),
        reason: reason.clone(),
        also_at: also_at.iter().map(|(path, line)| format!("{path}:{line}")).collect(),
    }
}

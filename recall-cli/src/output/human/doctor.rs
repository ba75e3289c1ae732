//! Text output of `recall doctor`.

use std::fmt::Write as _;

use recall_proto::v1::{DoctorResponse, Finding, Severity};

use super::style::{DIM, ERROR, GOOD, NOTE, PATH, WARNING};
use super::text::printable;

/// Formats the findings, each with its remedy, and what was checked.
pub(crate) fn render(answer: &DoctorResponse) -> String {
    let DoctorResponse { findings, checked } = answer;
    let mut text = String::new();
    for finding in findings {
        let Finding { check, severity: _, message, hint, path, fixed, store_id: _ } = finding;
        let (style, word) = match finding.severity() {
            _ if *fixed => (GOOD, "mended"),
            Severity::Error => (ERROR, "error"),
            Severity::Notice => (NOTE, "note"),
            Severity::Warning | Severity::Unspecified => (WARNING, "warning"),
        };
        let place = if path.is_empty() { String::new() } else { format!("{PATH}{}{PATH:#}: ", printable(path)) };
        let _ = writeln!(text, "{style}{word}{style:#} {DIM}{check}{DIM:#} {place}{}", printable(message));
        if !hint.is_empty() && !fixed {
            let _ = writeln!(text, "  {NOTE}hint{NOTE:#}: {hint}");
        }
    }
    if findings.is_empty() {
        let _ = writeln!(text, "{GOOD}all is well{GOOD:#}");
    }
    let _ = writeln!(text, "{DIM}checked: {}{DIM:#}", checked.join(", "));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::human::style::plain;

    #[test]
    fn findings_say_where_they_are_and_what_can_be_done() {
        let finding = |severity: Severity, fixed| Finding {
            check: "journal".to_owned(),
            severity: severity.into(),
            message: "line 3 cannot be read".to_owned(),
            hint: "mend it by hand".to_owned(),
            path: "/p/.recall/2026-11-20/memories.jsonl".to_owned(),
            fixed,
            store_id: String::new(),
        };
        let checked = vec!["journal".to_owned(), "catalog".to_owned()];
        let findings = vec![finding(Severity::Error, false), finding(Severity::Warning, true)];
        insta::assert_snapshot!(plain(&render(&DoctorResponse { findings, checked: checked.clone() })), @r"
        [error] journal /p/.recall/2026-11-20/memories.jsonl: line 3 cannot be read
          hint: mend it by hand
        mended journal /p/.recall/2026-11-20/memories.jsonl: line 3 cannot be read
        checked: journal, catalog
        ");
        assert_eq!(
            plain(&render(&DoctorResponse { findings: Vec::new(), checked })),
            "all is well\nchecked: journal, catalog\n"
        );
    }
}

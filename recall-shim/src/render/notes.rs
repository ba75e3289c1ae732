//! The notes above an answer: warnings and the indexing progress.

use recall_api::v1::{Indexing, Severity, Warning};
use recall_text::quantity::count;

use crate::render::text::inline;

/// The longest warning shown. A warning is a sentence; a longer one contains an unusual path.
const WARNING_CHARS: usize = 400;

/// The maximum number of warnings shown, so that they do not bury the answer.
const MOST_WARNINGS: usize = 10;

/// Formats the notes on an answer, one line each, with a blank line after them; empty if there are none.
pub(crate) fn notes(warnings: &[Warning], indexing: Option<&Indexing>) -> String {
    let mut lines = Vec::new();
    if let Some(indexing) = indexing.filter(|indexing| indexing.running)
        && !warnings.iter().any(|warning| warning.code == "INDEXING")
    {
        let Indexing { done, total, .. } = indexing;
        lines.push(format!(
            "note: indexing: {}/{} files; some may be missing until it is done",
            count(*done),
            count(*total)
        ));
    }
    lines.extend(warnings.iter().take(MOST_WARNINGS).map(line));
    if warnings.len() > MOST_WARNINGS {
        lines.push(format!("note: {} more warnings; see recall_status", warnings.len() - MOST_WARNINGS));
    }
    if lines.is_empty() { String::new() } else { lines.join("\n") + "\n\n" }
}

fn line(warning: &Warning) -> String {
    let kind = match warning.severity() {
        Severity::Notice => "note",
        Severity::Warning | Severity::Unspecified => "warning",
        Severity::Error => "error",
    };
    let message = inline(&warning.message, WARNING_CHARS);
    // Some messages of the daemon contain the path already.
    let path = if warning.path.is_empty() || warning.message.contains(&warning.path) {
        String::new()
    } else {
        format!(" ({})", inline(&warning.path, WARNING_CHARS))
    };
    let hint =
        if warning.hint.is_empty() { String::new() } else { format!(" — {}", inline(&warning.hint, WARNING_CHARS)) };
    format!("{kind}: {message}{path}{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_lines_above_the_answer() {
        let warnings = [
            Warning {
                code: "INDEXED_FIRST".to_owned(),
                message: "indexed 812 files on the way in 0.4 s".to_owned(),
                severity: Severity::Notice.into(),
                ..Warning::default()
            },
            Warning {
                message: "cannot be read:\npermission denied".to_owned(),
                path: "a/\u{202e}b".to_owned(),
                hint: "chmod +r it".to_owned(),
                ..Warning::default()
            },
        ];
        let indexing = Indexing { done: 1_200, total: 5_300, running: true };
        insta::assert_snapshot!(notes(&warnings, Some(&indexing)), @r"
        note: indexing: 1,200/5,300 files; some may be missing until it is done
        note: indexed 812 files on the way in 0.4 s
        warning: cannot be read: permission denied (a/b) — chmod +r it
        ");
        assert_eq!(notes(&[], Some(&Indexing { running: false, ..indexing })), "");
    }

    #[test]
    fn the_number_of_warnings_is_bounded() {
        let warnings = vec![Warning { message: "w".to_owned(), ..Warning::default() }; 15];
        assert!(notes(&warnings, None).ends_with("note: 5 more warnings; see recall_status\n\n"));
    }
}

//! Text output of errors.

use std::fmt::Write;

use super::style::{ERROR, NOTE};
use super::text::printable;
use crate::complaint::Complaint;

/// Formats an error, its causes and its hint.
pub(crate) fn render(complaint: &Complaint) -> String {
    let Complaint { exit: _, reason: _, message, causes, hint, details: _ } = complaint;
    let mut text = format!("{ERROR}error{ERROR:#}: {}\n", printable(message));
    for cause in causes {
        let _ = writeln!(text, "  caused by: {}", printable(cause));
    }
    if let Some(hint) = hint {
        let _ = writeln!(text, "{NOTE}hint{NOTE:#}: {}", printable(hint));
    }
    text
}

#[cfg(test)]
mod tests {
    use recall_proto::Reason;

    use super::*;
    use crate::Exit;

    #[test]
    fn an_error_says_what_why_and_what_to_do() {
        let mut complaint = Complaint::new(Exit::Unreachable, Reason::Unavailable, "the daemon is not running")
            .with_hint("start it with `recall daemon start`");
        complaint.causes.push("cannot connect to \u{1b}[2J`/run/recalld.sock`".to_owned());
        insta::assert_snapshot!(anstream::adapter::strip_str(&render(&complaint)), @r"
        error: the daemon is not running
          caused by: cannot connect to [2J`/run/recalld.sock`
        hint: start it with `recall daemon start`
        ");
    }
}

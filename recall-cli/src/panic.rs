//! Reporting of panics as ordinary errors.

use std::panic::{self, AssertUnwindSafe};

use recall_api::Reason;
use recall_api::hint::{self, Audience};

use crate::Exit;
use crate::error::{CliError, CommandError};

/// Silences the default panic message, which names the thread and the source line.
pub(crate) fn report_in_plain_words() {
    panic::set_hook(Box::new(|_| {}));
}

/// Runs a command and converts a panic to an error.
pub(crate) fn caught(command: impl FnOnce() -> Result<Exit, CommandError>) -> Result<Exit, CommandError> {
    // The state of the command is not used after a panic.
    match panic::catch_unwind(AssertUnwindSafe(command)) {
        Ok(ended) => ended,
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().copied();
            let text =
                text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no reason given");
            let mut cli_error = CliError::new(Exit::Internal, Reason::Internal, "internal error: recall panicked");
            cli_error.causes.push(text.to_owned());
            cli_error.hint = hint::for_reason(Reason::Internal, &cli_error.details, Audience::Command);
            Err(cli_error.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_internal_error() {
        match caught(|| panic!("index out of bounds")) {
            Err(CommandError::Failed(cli_error)) => {
                assert_eq!(cli_error.exit, Exit::Internal);
                assert_eq!(cli_error.causes, ["index out of bounds"]);
            }
            other => panic!("not an error: {other:?}"),
        }
    }
}

//! The pager: on a terminal, text that is longer than the screen is shown page by page.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use recall_api::v1;

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::human::text::without_links;
use crate::process_env::ProcessEnv;

/// The pager if `PAGER` is not set.
const DEFAULT: &str = "less";

/// How pagers are told to show colours, unless the user has set these variables: less ends at once if the text fits (`F`), shows
/// colours (`R`) and leaves the text on the screen (`X`); lv shows colours.
const VARIABLES: [(&str, &str); 2] = [("LESS", "FRX"), ("LV", "-c")];

impl CommandContext {
    /// Writes styled text to standard output, through the pager if it is longer than the terminal.
    pub(crate) fn page(&self, text: &str) -> Result<(), CommandError> {
        let is_long = self.output.height.is_some_and(|height| text.lines().count() >= height);
        if !is_long || self.global.no_pager {
            return self.output.text(text);
        }
        let Some(mut command) = command(&self.process_env) else { return self.output.text(text) };
        let text = self.output.style(&without_links(text));
        match show(&mut command, &text) {
            Ok(()) => Ok(()),
            Err(error) => {
                let program = command.get_program().to_string_lossy().into_owned();
                self.output.warn(&[v1::Warning {
                    message: format!("cannot run the pager `{program}`: {error}"),
                    hint: "correct PAGER, or use --no-pager".to_owned(),
                    severity: v1::Severity::Warning.into(),
                    ..v1::Warning::default()
                }]);
                self.output.text(&text)
            }
        }
    }
}

/// Returns the command of the pager; `None` if there is none, or if `PAGER` is empty or `cat`.
fn command(process_env: &ProcessEnv) -> Option<Command> {
    let words = match &process_env.pager {
        Some(words) => shlex::split(words)?,
        None => vec![process_env.programs.on_path(DEFAULT)?.to_string_lossy().into_owned()],
    };
    let (program, arguments) = words.split_first()?;
    if program == "cat" {
        return None;
    }
    let mut command = Command::new(PathBuf::from(program));
    command.args(arguments);
    for (name, value) in VARIABLES {
        if !process_env.pager_variables.iter().any(|set| set == name) {
            command.env(name, value);
        }
    }
    Some(command)
}

/// Runs the pager until the user leaves it.
fn show(command: &mut Command, text: &str) -> io::Result<()> {
    // Ctrl+C belongs to the pager: it must not end this process, which would leave the pager with a terminal that the shell uses.
    #[cfg(unix)]
    let _ignored = signal_hook::flag::register(signal_hook::consts::SIGINT, std::sync::Arc::default())?;
    let mut pager = command.stdin(Stdio::piped()).spawn()?;
    if let Some(mut input) = pager.stdin.take() {
        // The user may leave before everything is read.
        let _ = input.write_all(text.as_bytes());
    }
    pager.wait()?;
    Ok(())
}

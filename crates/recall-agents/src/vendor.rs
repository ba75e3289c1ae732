//! The commands of vendors that register an MCP server in their own agents.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::error::RegisterError;

/// The longest run of a vendor's command. Those that are written in JavaScript take seconds to start.
const LIMIT: Duration = Duration::from_mins(1);

/// The time between two looks at whether the command has ended.
const POLL: Duration = Duration::from_millis(20);

/// A vendor's program and its arguments. `{command}` and `{entry}` are replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vendor {
    pub(crate) program: &'static str,
    pub(crate) add: &'static [&'static str],
    pub(crate) remove: &'static [&'static str],
}

/// A command to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
}

impl Vendor {
    /// Whether the command takes the whole entry, and so what it says of the environment.
    pub(crate) fn takes_entry(&self) -> bool {
        self.add.contains(&"{entry}")
    }

    pub(crate) fn add(&self, program: &Path, command: &str, entry: &Value) -> Run {
        let entry = entry.to_string();
        let replaced = |word: &&str| match *word {
            "{command}" => command.to_owned(),
            "{entry}" => entry.clone(),
            word => word.to_owned(),
        };
        Run { program: program.to_owned(), arguments: self.add.iter().map(replaced).collect() }
    }

    pub(crate) fn remove(&self, program: &Path) -> Run {
        Run { program: program.to_owned(), arguments: self.remove.iter().map(|word| (*word).to_owned()).collect() }
    }
}

impl Run {
    /// Returns the command line for a shell.
    pub(crate) fn line(&self) -> String {
        let program = self.program.display().to_string();
        let words = std::iter::once(program.as_str()).chain(self.arguments.iter().map(String::as_str));
        words.map(quote).collect::<Vec<_>>().join(" ")
    }

    /// Runs the command to its end.
    pub(crate) fn execute(&self) -> Result<(), RegisterError> {
        let failed = |source| RegisterError::Run { line: self.line(), source };
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let stderr = child.stderr.take();
        let said = thread::spawn(move || {
            let mut said = Vec::new();
            // What was read before an error is enough for the report.
            let _ = stderr.map(|mut stderr| stderr.read_to_end(&mut said));
            String::from_utf8_lossy(&said).trim().to_owned()
        });
        let end = Instant::now() + LIMIT;
        let status = loop {
            match child.try_wait().map_err(failed)? {
                Some(status) => break status,
                None if Instant::now() >= end => {
                    // If it ended by itself meanwhile, there is nothing to kill.
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(RegisterError::TooSlow { line: self.line(), limit_s: LIMIT.as_secs() });
                }
                None => thread::sleep(POLL),
            }
        };
        if status.success() {
            return Ok(());
        }
        let said = said.join().unwrap_or_default();
        Err(RegisterError::Failed { line: self.line(), status: status.to_string(), said })
    }
}

fn quote(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned)
}

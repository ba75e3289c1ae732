//! Registration of recall in Claude Code.
//!
//! Runs `claude mcp add-json` if `claude` is installed, else edits the configuration file. The entry is the same:
//! `claude mcp add` cannot set `alwaysLoad`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use recall_proto::Reason;
use serde_json::{Value, json};

use super::json_file::{JsonFile, JsonFileError};
use crate::Exit;
use crate::error::{CliError, CommandError};

/// The name under which recall is registered.
pub(crate) const NAME: &str = "recall";

/// The section of a configuration file that holds MCP servers.
const SECTION: &str = "mcpServers";

/// The program that speaks MCP.
pub(crate) const SHIM: &str = "recall-shim";

/// The setting that lets the agent use recall's tools without asking each time.
pub(crate) const PERMISSION: &str = r#""permissions": { "allow": ["mcp__recall"] }"#;

/// The target of a registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Registration {
    /// The configuration file.
    pub(crate) file: PathBuf,
    /// The command that Claude Code starts.
    pub(crate) shim: String,
    /// The program `claude`; `None` to edit the file directly.
    pub(crate) claude: Option<PathBuf>,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// Run Claude Code's own command.
    Run { program: PathBuf, arguments: Vec<String> },
    /// Set the entry in the file.
    Set { file: PathBuf, value: Value },
    /// Take the entry out of the file.
    Unset { file: PathBuf },
}

impl Registration {
    /// Returns the steps that register recall; empty if it is registered.
    pub(crate) fn install(&self) -> Result<Vec<Step>, CommandError> {
        let known = self.known()?;
        if known.as_ref().is_some_and(|entry| command_of(entry) == Some(&self.shim)) {
            return Ok(Vec::new());
        }
        Ok(match &self.claude {
            None => vec![Step::Set { file: self.file.clone(), value: entry(&self.shim) }],
            Some(claude) => {
                let entry = entry(&self.shim).to_string();
                let add = ["mcp", "add-json", "--scope", "user", NAME, &entry];
                let mut steps = vec![run(claude, &add)];
                if known.is_some() {
                    steps.insert(0, run(claude, &["mcp", "remove", "--scope", "user", NAME]));
                }
                steps
            }
        })
    }

    /// Returns the steps that unregister recall; empty if it is not registered.
    pub(crate) fn uninstall(&self) -> Result<Vec<Step>, CommandError> {
        if self.known()?.is_none() {
            return Ok(Vec::new());
        }
        // An entry that was added by editing the file is removed the same way, which restores the file.
        let by_hand = JsonFile::read(&self.file).map_err(|error| unusable(&error))?.backup().exists();
        Ok(match &self.claude {
            Some(claude) if !by_hand => vec![run(claude, &["mcp", "remove", "--scope", "user", NAME])],
            _ => vec![Step::Unset { file: self.file.clone() }],
        })
    }

    /// Returns the existing entry. Rejects one that is not recall's.
    fn known(&self) -> Result<Option<Value>, CommandError> {
        let file = JsonFile::read(&self.file).map_err(|error| unusable(&error))?;
        let Some(entry) = file.entry(SECTION, NAME) else { return Ok(None) };
        let is_ours = command_of(entry).and_then(|command| Path::new(command).file_stem()?.to_str()) == Some(SHIM);
        if !is_ours {
            let message = format!("another MCP server is registered as `{NAME}` in `{}`", file.path().display());
            let cli_error = CliError::new(Exit::Refused, Reason::Conflict, message);
            return Err(cli_error.with_hint("rename or remove that entry first").into());
        }
        Ok(Some(entry.clone()))
    }
}

impl Step {
    /// Describes what the step would do.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Run { .. } => format!("run `{}`", self.command_line()),
            Self::Set { file, value } => format!("set `{SECTION}.{NAME}` in `{}` to {value}", file.display()),
            Self::Unset { file } => format!("remove `{SECTION}.{NAME}` from `{}`", file.display()),
        }
    }

    /// Describes what the step did.
    pub(crate) fn report(&self) -> String {
        match self {
            Self::Run { .. } => format!("ran `{}`", self.command_line()),
            Self::Set { file, .. } => format!("added `{NAME}` to `{}`", file.display()),
            Self::Unset { file } => format!("removed `{NAME}` from `{}`", file.display()),
        }
    }

    /// The shell command line of a `Run` step; empty for others.
    fn command_line(&self) -> String {
        let Self::Run { program, arguments } = self else { return String::new() };
        let mut line = program.display().to_string();
        for argument in arguments {
            let quote = if argument.contains(['"', ' ']) { "'" } else { "" };
            let _ = write!(line, " {quote}{argument}{quote}");
        }
        line
    }

    /// Executes the step.
    pub(crate) fn take(&self) -> Result<(), CommandError> {
        match self {
            Self::Run { program, arguments } => execute(program, arguments),
            Self::Set { file, value } => JsonFile::read(file)
                .and_then(|json| json.set(SECTION, NAME, value.clone()))
                .map_err(|error| unusable(&error)),
            Self::Unset { file } => {
                JsonFile::read(file).and_then(|json| json.unset(SECTION, NAME)).map_err(|error| unusable(&error))
            }
        }
    }
}

/// Returns the entry for a configuration file. `alwaysLoad` makes the tools visible to the agent from the start.
pub(crate) fn entry(shim: &str) -> Value {
    json!({ "type": "stdio", "command": shim, "args": [], "alwaysLoad": true })
}

/// Returns a whole configuration file that holds only recall.
pub(crate) fn snippet(shim: &str) -> Value {
    json!({ SECTION: { NAME: entry(shim) } })
}

fn command_of(entry: &Value) -> Option<&String> {
    match entry.get("command") {
        Some(Value::String(command)) => Some(command),
        _ => None,
    }
}

fn run(program: &Path, arguments: &[&str]) -> Step {
    Step::Run { program: program.to_owned(), arguments: arguments.iter().map(|text| (*text).to_owned()).collect() }
}

fn execute(program: &Path, arguments: &[String]) -> Result<(), CommandError> {
    let doing = format!("cannot run `{}`", program.display());
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| CliError::refused(doing, &error))?;
    if output.status.success() {
        return Ok(());
    }
    let message = format!("`{} {}` failed with {}", program.display(), arguments.join(" "), output.status);
    let mut cli_error = CliError::new(Exit::Refused, Reason::Unavailable, message)
        .with_hint("register by hand with the output of `recall mcp print`");
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    cli_error.causes.extend((!said.is_empty()).then_some(said));
    Err(cli_error.into())
}

fn unusable(error: &JsonFileError) -> CommandError {
    let reason = match error {
        JsonFileError::Io { .. } => Reason::PermissionDenied,
        JsonFileError::Syntax { .. } | JsonFileError::NotAnObject { .. } => Reason::Conflict,
    };
    let mut cli_error = CliError::new(Exit::Refused, reason, error.to_string());
    cli_error.causes.extend(std::error::Error::source(error).map(ToString::to_string));
    cli_error.with_hint("nothing was changed; `recall mcp print` shows what to put there").into()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn registration(file: &Path, claude: Option<&str>) -> Registration {
        Registration { file: file.to_owned(), shim: "/bin/recall-shim".to_owned(), claude: claude.map(PathBuf::from) }
    }

    fn described(steps: &[Step], file: &Path) -> Vec<String> {
        let place = file.display().to_string();
        steps.iter().map(|step| step.describe().replace(&place, "FILE")).collect()
    }

    #[test]
    fn without_claude_the_file_is_edited_and_restored() {
        let home = tempfile::tempdir().expect("a folder");
        let file = home.path().join(".claude.json");
        fs::write(&file, "{\n  \"theme\": \"dark\"\n}\n").expect("written");
        let registration = registration(&file, None);
        let steps = registration.install().expect("readable");
        assert_eq!(
            described(&steps, &file),
            [
                r#"set `mcpServers.recall` in `FILE` to {"type":"stdio","command":"/bin/recall-shim","args":[],"alwaysLoad":true}"#
            ]
        );
        steps[0].take().expect("written");
        assert_eq!(registration.install().expect("readable"), [], "a second time there is nothing to do");
        let steps = registration.uninstall().expect("readable");
        assert_eq!(described(&steps, &file), ["remove `mcpServers.recall` from `FILE`"]);
        steps[0].take().expect("written");
        assert_eq!(fs::read_to_string(&file).expect("readable"), "{\n  \"theme\": \"dark\"\n}\n");
        assert_eq!(registration.uninstall().expect("readable"), []);
    }

    #[test]
    fn with_claude_its_own_commands_are_run() {
        let home = tempfile::tempdir().expect("a folder");
        let file = home.path().join(".claude.json");
        let registration = registration(&file, Some("/bin/claude"));
        let add = "run `/bin/claude mcp add-json --scope user recall \
                   '{\"type\":\"stdio\",\"command\":\"/bin/recall-shim\",\"args\":[],\"alwaysLoad\":true}'`";
        let remove = "run `/bin/claude mcp remove --scope user recall`";
        assert_eq!(described(&registration.install().expect("readable"), &file), [add]);
        assert_eq!(registration.uninstall().expect("readable"), []);
        fs::write(&file, r#"{"mcpServers":{"recall":{"command":"/old/recall-shim"}}}"#).expect("written");
        assert_eq!(described(&registration.install().expect("readable"), &file), [remove, add]);
        assert_eq!(described(&registration.uninstall().expect("readable"), &file), [remove]);
    }

    #[test]
    fn somebody_elses_entry_is_left_alone() {
        let home = tempfile::tempdir().expect("a folder");
        let file = home.path().join(".claude.json");
        fs::write(&file, r#"{"mcpServers":{"recall":{"command":"npx","args":["total-recall"]}}}"#).expect("written");
        let registration = registration(&file, None);
        for refused in [registration.install(), registration.uninstall()] {
            match refused {
                Err(CommandError::Failed(cli_error)) => assert_eq!(cli_error.reason, Reason::Conflict),
                other => panic!("not refused: {other:?}"),
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_command_that_fails_says_why() {
        let arguments = ["-c", "echo no such scope >&2; exit 3"].map(ToOwned::to_owned);
        match execute(Path::new("/bin/sh"), &arguments) {
            Err(CommandError::Failed(cli_error)) => assert_eq!(cli_error.causes, ["no such scope"]),
            other => panic!("not refused: {other:?}"),
        }
    }
}

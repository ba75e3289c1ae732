//! The run of a program: its arguments are parsed, its command is run, and the outcome becomes an exit code.
//!
//! It is the same for `recall` and for the programs that share its options and its output.

use std::ffi::OsString;
use std::future::Future;
use std::panic::{self, AssertUnwindSafe};

use clap::FromArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use recall_api::Reason;
use recall_api::hint::{self, Audience};

use crate::args::Global;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError, Exit};
use crate::output::{Color, Format, Output};

/// The umask with which the program was started.
#[cfg(unix)]
static USERS_UMASK: std::sync::OnceLock<rustix::fs::Mode> = std::sync::OnceLock::new();

/// Runs the command given by the arguments and returns the exit code. The first argument is the program's name.
///
/// `definition` describes the arguments, `part` as much of it as these arguments need, if it knows that, and `global` returns the global options of the parsed ones. Wrong arguments, errors and panics are reported, as JSON
/// if the arguments ask for it.
pub fn run_program<C: FromArgMatches>(
    arguments: &[OsString],
    definition: fn() -> clap::Command,
    part: impl FnOnce(&[OsString]) -> Option<clap::Command>,
    global: fn(&C) -> &Global,
    command: impl FnOnce(C, &CommandContext) -> Result<Exit, CommandError>,
) -> Exit {
    report_in_plain_words();
    // Every file that a command creates is private to the user, as the daemon's files are.
    #[cfg(unix)]
    USERS_UMASK.get_or_init(|| rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO));
    let parsed = match parse_in_parts::<C>(arguments, definition, part) {
        Ok(parsed) => parsed,
        Err(error) => return refuse(error, arguments),
    };
    let global = global(&parsed).clone();
    let output = Output::new(global.format(), global.color);
    let ended = caught(|| {
        let context = CommandContext::begin(global, output)?;
        command(parsed, &context)
    });
    match ended {
        Ok(exit) => exit,
        // The reader has closed the pipe, as in `recall search … | head -1`.
        Err(CommandError::ReaderGone) => Exit::Done,
        Err(CommandError::Failed(cli_error)) => report(&cli_error, &output),
    }
}

/// Parses arguments by a part of the definition. What the part refuses or explains, such as help, is parsed by the whole definition.
fn parse_in_parts<C: FromArgMatches>(
    arguments: &[OsString],
    definition: fn() -> clap::Command,
    part: impl FnOnce(&[OsString]) -> Option<clap::Command>,
) -> Result<C, clap::Error> {
    match part(arguments).map(|part| parse::<C>(arguments, part)) {
        Some(Ok(parsed)) => Ok(parsed),
        Some(Err(error)) if error.kind() == ErrorKind::DisplayVersion => Err(error),
        Some(Err(_)) | None => parse(arguments, definition()),
    }
}

fn parse<C: FromArgMatches>(arguments: &[OsString], mut definition: clap::Command) -> Result<C, clap::Error> {
    let mut matches = definition.try_get_matches_from_mut(arguments)?;
    C::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut definition))
}

/// Sets the umask with which the program was started, for an agent that this process becomes or starts.
pub fn restore_umask() {
    #[cfg(unix)]
    if let Some(umask) = USERS_UMASK.get() {
        rustix::process::umask(*umask);
    }
}

/// Runs a future to its end on the current thread. One thread is enough for one connection, and starts fastest.
pub fn wait(command: impl Future<Output = Result<Exit, CommandError>>) -> Result<Exit, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| CliError::refusal("cannot begin to talk to the daemon", &error))?;
    runtime.block_on(command)
}

/// Whether arguments that are not parsed ask for JSON.
pub(crate) fn asks_for_json(arguments: &[OsString]) -> bool {
    arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--json")
}

/// Reports wrong arguments, or prints the help or the version.
fn refuse(mut error: clap::Error, arguments: &[OsString]) -> Exit {
    keep_likeliest(&mut error);
    say_how_to_pass(&mut error);
    if !error.use_stderr() {
        // Help or version, not an error. A failed write means that the reader closed the pipe.
        let _ = error.print();
        return Exit::Done;
    }
    if asks_for_json(arguments) {
        let message = error.to_string();
        let message = message.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let cli_error = CliError::usage(message).with_hint("see `recall --help`");
        return report(&cli_error, &Output::new(Format::Json, Color::Never));
    }
    let _ = error.print();
    Exit::Usage
}

/// Adds how an unknown option is passed as a word, to a command that takes any words. Clap says so only if no option has a similar name.
fn say_how_to_pass(error: &mut clap::Error) {
    let takes_words = error.get(ContextKind::Usage).is_some_and(|usage| usage.to_string().trim_end().ends_with("..."));
    if error.kind() == ErrorKind::UnknownArgument
        && takes_words
        && error.get(ContextKind::Suggested).is_none()
        && let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg)
    {
        let tip = format!("to pass '{argument}' as a value, use '-- {argument}'");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
}

/// Keeps one of clap's suggestions, the likeliest, which clap lists last.
fn keep_likeliest(error: &mut clap::Error) {
    for kind in [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue] {
        if let Some(ContextValue::Strings(names)) = error.get(kind) {
            let likeliest = names.last().cloned();
            error.insert(kind, ContextValue::Strings(likeliest.into_iter().collect()));
        }
    }
}

pub(crate) fn report(cli_error: &CliError, output: &Output) -> Exit {
    // If the error cannot be written, the exit code still reports it.
    let _ = output.report(cli_error);
    cli_error.exit
}

/// Silences the default panic message, which names the thread and the source line.
fn report_in_plain_words() {
    panic::set_hook(Box::new(|_| {}));
}

/// Runs a command and converts a panic to an error.
fn caught(command: impl FnOnce() -> Result<Exit, CommandError>) -> Result<Exit, CommandError> {
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
    use crate::args::Cli;

    #[test]
    fn an_option_that_is_meant_as_a_word_gets_a_tip() {
        let said = |line: &str| {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let mut error = parse::<Cli>(&arguments, crate::definition()).expect_err(line);
            keep_likeliest(&mut error);
            say_how_to_pass(&mut error);
            error.to_string()
        };
        for line in ["recall search --no-cache", "recall search --nocturnal"] {
            let option = line.rsplit(' ').next().unwrap_or_default();
            let tip = format!("use '-- {option}'");
            assert_eq!(said(line).matches(&tip).count(), 1, "{}", said(line));
        }
        assert!(said("recall search --no-cache").contains("--no-code"));
        assert!(!said("recall status --no-cache").contains("use '--"), "it takes no words");
    }

    #[test]
    fn a_part_of_the_definition_parses_like_the_whole() {
        for line in [
            "recall search open --json -k 5 --type adr,code --no-daemon",
            "recall search --exact open --project /a --project /b",
            "recall hook prompt",
            "recall context --for diff --budget-tokens 100",
            "recall get a.rs:1-2",
            "recall query --rql SELECT",
            "recall remember x --type lesson --tag a",
            "recall related a.rs",
            "recall briefing --goal x",
            "recall status --metrics",
        ] {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let part = crate::definition_of(&arguments).unwrap_or_else(|| panic!("{line}"));
            let in_part = parse::<Cli>(&arguments, part).unwrap_or_else(|error| panic!("{line}: {error}"));
            let whole = parse::<Cli>(&arguments, crate::definition()).expect(line);
            assert_eq!(format!("{in_part:?}"), format!("{whole:?}"), "{line}");
        }
        let arguments = ["recall", "--version"].map(OsString::from);
        let said = |definition: clap::Command| parse::<Cli>(&arguments, definition).expect_err("not a command");
        let part = said(crate::definition_of(&arguments).expect("known"));
        assert_eq!(part.kind(), ErrorKind::DisplayVersion);
        assert_eq!(part.to_string(), said(crate::definition()).to_string());
    }

    #[test]
    fn what_a_part_refuses_is_explained_by_the_whole() {
        for line in ["recall search", "recall search x --scope everywhere", "recall search --help", "recall get"] {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let explain = |parsed: Result<Cli, clap::Error>| parsed.expect_err(line).to_string();
            let in_parts = explain(parse_in_parts(&arguments, crate::definition, crate::definition_of));
            assert_eq!(in_parts, explain(parse(&arguments, crate::definition())), "{line}");
        }
    }

    #[test]
    fn of_similar_commands_only_the_likeliest_is_suggested() {
        for (line, expected) in [
            ("recall serach", "a similar subcommand exists: 'search'"),
            ("recall serch", "a similar subcommand exists: 'search'"),
            ("recall sesion list", "a similar subcommand exists: 'session'"),
            ("recall search x --langauge rust", "a similar argument exists: '--language'"),
        ] {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let mut error = parse::<Cli>(&arguments, crate::definition()).expect_err("a mistake");
            keep_likeliest(&mut error);
            let told = error.to_string();
            assert!(told.contains(expected), "{told}");
        }
    }

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

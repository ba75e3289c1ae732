//! `recall ui`

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Args;
use recall_api::v1;
use recall_text::quantity::span;
use serde::Serialize;

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::output::human::style::{DIM, NOTE, PATH};
use crate::output::human::text::printable;

/// Arguments of `recall ui`.
#[derive(Debug, Args)]
pub(crate) struct UiArgs {
    /// The port on the loopback addresses; a free one by default.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Serve the JSON API on a further address too. It needs a key in `RECALL_API_KEY`.
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// Print the link only, and open no browser.
    #[arg(long, conflicts_with = "no_open")]
    print_url: bool,
    /// Show the link and what to know about it, and open no browser.
    #[arg(long)]
    no_open: bool,
}

/// The variable with the key of the JSON API.
const API_KEY: &str = "RECALL_API_KEY";

/// The programs that open a link, the preferred one first.
const OPENERS: [&str; 3] =
    if cfg!(target_os = "macos") { ["open", "open", "open"] } else { ["xdg-open", "wslview", "gio"] };

/// The page that was opened.
#[derive(Debug, Serialize)]
struct OpenedPage<'a> {
    url: &'a str,
    port: u32,
    idle_ms: u64,
    token_ms: u64,
    /// Where programs find the JSON API; absent without a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    api: Option<String>,
    /// Whether a browser was started.
    browser: bool,
    /// The command that makes the page reachable from the machine that the user sits at; absent without SSH.
    #[serde(skip_serializing_if = "Option::is_none")]
    forward: Option<String>,
}

pub(super) async fn run(args: UiArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let UiArgs { port, listen, print_url, no_open } = args;
    let request = v1::OpenPageRequest {
        context: Some(context.request_context()),
        port: port.map(u32::from),
        api_key: api_key(context)?,
        listen: listen.map(|address| address.to_string()).unwrap_or_default(),
    };
    let answer = context.ask(async |client| client.open_page(request.clone()).await).await?;
    let v1::OpenPageResponse { url, port, idle_ms, token_ms, listen: _ } = &answer;
    let api = (!request.api_key.is_empty()).then(|| api(&answer));
    let forward = context.process_env.ssh_address.as_deref().map(|address| forward(*port, address, context));
    let opens = !print_url && !no_open && forward.is_none();
    let is_open = opens && opener(context).is_some_and(|(program, words)| start(&program, &words, url));
    let output = &context.output;
    match output.format {
        Format::Json => {
            let (idle_ms, token_ms) = (*idle_ms, *token_ms);
            output.answer(&OpenedPage { url, port: *port, idle_ms, token_ms, api, browser: is_open, forward })?;
        }
        Format::Human if print_url => output.text(&format!("{url}\n"))?,
        Format::Human => output.text(&text(&answer, is_open, forward.as_deref(), api.as_deref()))?,
    }
    Ok(Exit::Done)
}

/// Returns the key of the environment; empty for none.
fn api_key(context: &CommandContext) -> Result<String, CommandError> {
    let key = context.process_env.variable(API_KEY).unwrap_or_default();
    key.into_string().map_err(|_| CliError::usage(format!("{API_KEY} is not UTF-8")).into())
}

/// Returns the address of the API.
fn api(answer: &v1::OpenPageResponse) -> String {
    if answer.listen.is_empty() {
        format!("http://127.0.0.1:{}/api/v1", answer.port)
    } else {
        format!("http://{}/api/v1", answer.listen)
    }
}

fn text(answer: &v1::OpenPageResponse, is_open: bool, forward: Option<&str>, api: Option<&str>) -> String {
    let v1::OpenPageResponse { url, port: _, idle_ms, token_ms, listen: _ } = answer;
    let (idle, token) = (span(Duration::from_millis(*idle_ms)), span(Duration::from_millis(*token_ms)));
    let mut text = String::new();
    if let Some(forward) = forward {
        let _ = writeln!(text, "on your machine, run\n  {}\nthen open", printable(forward));
    } else if !is_open {
        text.push_str("open in a browser on this machine\n");
    }
    let _ = writeln!(text, "{PATH}{url}{PATH:#}");
    let _ = writeln!(
        text,
        "{DIM}the link works once, within {token}; the page is closed after {idle} without a request{DIM:#}"
    );
    if let Some(api) = api {
        let _ = writeln!(text, "programs: {PATH}{api}{PATH:#} {DIM}with the key in {API_KEY}{DIM:#}");
    }
    if !is_open && forward.is_none() {
        let _ = writeln!(text, "{NOTE}note{NOTE:#}: `recall ui --print-url` prints the link alone");
    }
    text
}

/// Returns the command that forwards the port to the machine that the user sits at.
fn forward(port: u32, address: &str, context: &CommandContext) -> String {
    let (user, host) = (&context.process_env.user, &context.process_env.host);
    let host = if address.is_empty() { host.as_str() } else { address };
    let at = if user.is_empty() { host.to_owned() } else { format!("{user}@{host}") };
    format!("ssh -N -L {port}:127.0.0.1:{port} {at}")
}

/// Returns the program that opens a link, and its first arguments.
fn opener(context: &CommandContext) -> Option<(std::path::PathBuf, Vec<&'static str>)> {
    let program = OPENERS.iter().find_map(|name| Some((*name, context.process_env.programs.on_path(name)?)));
    program.map(|(name, program)| (program, if name == "gio" { vec!["open"] } else { Vec::new() }))
}

/// Starts the browser. It says nothing into the terminal, and outlives this command.
fn start(program: &Path, words: &[&str], url: &str) -> bool {
    let mut command = Command::new(program);
    command.args(words).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

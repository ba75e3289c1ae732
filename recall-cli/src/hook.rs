//! Answers to the events of an agent: what recall knows at the moment when it counts.
//!
//! A hook never stops the agent that runs it. It exits with 0, answers within the time limit or not at all, and writes to
//! standard output what the client's contract says or nothing. Everything that it quotes is framed as data (ADR 32).
//!
//! What is worth showing is decided by the daemon (ADR 61). Here is what only the client knows: what the session was shown. The
//! record is a file a session, changed under its lock (`seen`). A hook reads it, asks the daemon without holding it, and records
//! under the lock what is new. If the record cannot be written, nothing is shown: a text that comes again and again is worse than
//! none.

mod briefing;
mod call;
pub(crate) mod contract;
mod input;
mod record;
mod replacement;
mod result;
mod seen;
mod task_list;

use std::cell::Cell;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use recall_agents::HookEvent;
use recall_api::v1;
use recall_api::v1::remind_request::Occasion;
use recall_client::{Client, ConnectOptions, Launch, Replace};
use recall_config::{HookSettings, Settings};
use tonic::Status;

use crate::agents;
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::hook::contract::Contract;
use crate::hook::input::{Input, ToolCall, ToolKind};
use crate::hook::result::ToolResult;
use crate::hook::seen::Seen;
use contract::frame;

/// The most bytes of a prompt or an output that are sent. The daemon reads the beginning of a prompt, and an output ends with what
/// failed.
const MOST_SENT_BYTES: usize = 64 * 1024;

/// The prefix of the entries of what was shown. Compaction removes what was shown from the agent's context.
const SHOWN: &str = "shown ";

/// The prefix of the entry with the tokens that were shown since the last prompt.
const SPENT: &str = "spent ";

/// The entry that says that the session has not had its briefing.
const OWES_BRIEFING: &str = "owes briefing";

/// The entry that says that the session has a goal.
const HAS_GOAL: &str = "goal";

/// Why a hook has no answer, other than that nothing is known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HookError {
    /// The client's JSON cannot be read.
    #[error("cannot read the event from standard input")]
    Input(#[source] io::Error),
    /// The daemon cannot be reached.
    #[error("cannot reach the daemon")]
    Connect(#[from] Box<recall_client::ConnectError>),
    /// The daemon refused.
    #[error("the daemon refused: {}", .0.message())]
    Refused(Box<Status>),
    /// What was shown in the session cannot be kept, so it might be shown again.
    #[error("cannot keep what was shown in the session, in {}", path.display())]
    Seen {
        /// The state folder.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// It took too long.
    #[error("no answer within {0:?} (`hooks.{1}`)")]
    Late(Duration, &'static str),
    /// A bug.
    #[error("internal error: the hook panicked")]
    Panicked,
}

impl From<Status> for HookError {
    fn from(status: Status) -> Self {
        Self::Refused(Box::new(status))
    }
}

/// Answers the event on standard input: returns the text for standard output, or `None`.
///
/// The work is done on another thread. If it is late, it ends with the process, whatever it waits for: standard input, a file
/// system or the daemon.
pub(crate) fn answer(
    contract: Contract,
    context: &CommandContext,
    began: Instant,
) -> Result<Option<String>, HookError> {
    let user = context.settings();
    let long_wait = user.hooks.start_wait.max(user.hooks.wait);
    let (short, long) = ((user.hooks.wait, "wait"), (long_wait, "start_wait"));
    let mut limit = if contract.event == HookEvent::SessionStart { long } else { short };
    let (sender, receiver) = mpsc::sync_channel(2);
    let reports = sender.clone();
    let hook = Hook {
        contract,
        context: context.clone(),
        settings: user.hooks,
        user,
        began,
        wait: Cell::new(limit.0),
        long_wait,
        reports,
    };
    std::thread::spawn(move || sender.send(Report::Answer(hook.run(io::stdin().lock()))));
    loop {
        match receiver.recv_timeout(limit.0.saturating_sub(began.elapsed())) {
            Ok(Report::BringsBriefing) => limit = long,
            Ok(Report::Answer(answer)) => return answer,
            Err(mpsc::RecvTimeoutError::Timeout) => return Err(HookError::Late(limit.0, limit.1)),
            Err(mpsc::RecvTimeoutError::Disconnected) => return Err(HookError::Panicked),
        }
    }
}

/// What the thread that works reports.
enum Report {
    /// It brings a briefing that was not ready when the session started, which may take longer.
    BringsBriefing,
    /// It is done.
    Answer(Result<Option<String>, HookError>),
}

/// Reads the event to its end and forgets it, so that the agent can write all of it. Waits no longer than an answer may take.
pub(crate) fn discard_input(context: &CommandContext, began: Instant) {
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::spawn(move || sender.send(io::copy(&mut io::stdin().lock(), &mut io::sink())));
    // The input is discarded, so a read error or a timeout does not matter.
    let _ = receiver.recv_timeout(context.settings().hooks.wait.saturating_sub(began.elapsed()));
}

/// One run of a hook.
struct Hook {
    contract: Contract,
    context: CommandContext,
    settings: HookSettings,
    /// All settings of the user.
    user: Settings,
    began: Instant,
    /// How long the hook may take.
    wait: Cell<Duration>,
    /// How long it may take if it brings a briefing.
    long_wait: Duration,
    reports: mpsc::SyncSender<Report>,
}

impl Hook {
    fn run(&self, stdin: impl io::Read) -> Result<Option<String>, HookError> {
        let input = Input::read(stdin).map_err(HookError::Input)?;
        if self.is_reported_twice(&input) {
            return Ok(None);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(HookError::Input)?;
        let text = runtime.block_on(self.text(&input))?;
        let text = text.map(|text| frame(&text)).filter(|text| !text.is_empty());
        Ok(text.and_then(|text| self.contract.answer(&text, &input.event)))
    }

    /// Whether a hook of Claude Code's settings was run by another agent that has hooks of recall itself.
    fn is_reported_twice(&self, input: &Input) -> bool {
        let is_claude = self.contract.client == agents::CLAUDE_CODE;
        input.host.is_some_and(|host| is_claude && agents::has_hooks(host, &self.context))
    }

    /// Whether the agent adds an answer to the model's context. What it drops was not shown.
    fn adds_context(&self, input: &Input) -> bool {
        self.contract.adds_context(input.host)
    }

    async fn text(&self, input: &Input) -> Result<Option<String>, HookError> {
        let HookSettings { briefing, prompt, files, commands, failures, events, .. } = self.settings;
        if self.contract.event == HookEvent::Prompt {
            // Qwen Code sends one after each result of a tool. The turn goes on.
            if input.prompt.trim().is_empty() {
                return Ok(None);
            }
            self.begin_turn(input)?;
        }
        match self.contract.event {
            HookEvent::SessionStart => self.session_start(input).await,
            HookEvent::SubagentStart if briefing => self.subagent_start(input).await,
            HookEvent::Prompt if prompt || events || briefing => self.prompt(input).await,
            HookEvent::PreTool if files || commands => self.tool_call(input).await,
            HookEvent::PostTool if events || failures => self.tool(input).await,
            HookEvent::PreCompact if events => self.end(input, "compact").await,
            HookEvent::SessionEnd if events => self.end(input, "exit").await,
            HookEvent::Stop if events => self.turn_end(input).await,
            _ => Ok(None),
        }
    }

    async fn prompt(&self, input: &Input) -> Result<Option<String>, HookError> {
        let goal = self.goal(input)?;
        let adds_context = self.adds_context(input);
        let asks = adds_context && self.settings.prompt && input.prompt.chars().any(char::is_alphanumeric);
        let owes = adds_context && self.settings.briefing && self.open_seen(input)?.has(OWES_BRIEFING);
        if goal.is_none() && !asks && !owes {
            return Ok(None);
        }
        let mut briefing = None;
        if owes {
            self.wait.set(self.long_wait);
            // The other thread is gone only when the process ends.
            let _ = self.reports.send(Report::BringsBriefing);
        }
        let client = self.connect().await?;
        if owes {
            // What the briefing shows is not shown again.
            briefing = self.late_briefing(&client, input).await;
        }
        let named = async { if let Some(goal) = goal { self.name(&client, input, goal).await } else { Ok(()) } };
        let told = async {
            if !asks {
                return Ok(None);
            }
            let prompt = &input.prompt[..input.prompt.floor_char_boundary(MOST_SENT_BYTES)];
            let budget_tokens = self.settings.prompt_budget_tokens;
            self.remind(&client, input, Occasion::Prompt(prompt.to_owned()), budget_tokens).await
        };
        let (named, told) = tokio::join!(named, told);
        let told = match (briefing, told) {
            (Some(briefing), told) => Some(format!("{briefing}\n{}", told.ok().flatten().unwrap_or_default())),
            (None, told) => told?,
        };
        // An answer is useful without a record of the session.
        match told {
            Some(text) => Ok(Some(text)),
            None => named.map(|()| None),
        }
    }

    /// Returns the goal of the session, if this prompt is its first and says what it is about.
    fn goal(&self, input: &Input) -> Result<Option<String>, HookError> {
        let goal = record::goal_of(&input.prompt).filter(|_| self.settings.events && self.user.capture.goal);
        match goal {
            Some(goal) if !self.open_seen(input)?.has(HAS_GOAL) => Ok(Some(goal)),
            _ => Ok(None),
        }
    }

    /// Gives the session its goal.
    async fn name(&self, client: &Client, input: &Input, goal: String) -> Result<(), HookError> {
        let context = Some(self.request_context(input));
        client.start_session(v1::StartSessionRequest { context, goal, briefing: false }).await?;
        let mut seen = self.open_seen(input)?;
        seen.add(HAS_GOAL);
        self.save(seen)
    }

    /// Returns what is known on an occasion and was not shown in the session, and keeps that it was shown.
    async fn remind(
        &self,
        client: &Client,
        input: &Input,
        occasion: Occasion,
        budget_tokens: u32,
    ) -> Result<Option<String>, HookError> {
        let HookSettings { place_confidence, memory_confidence, turn_budget_tokens, others_within, .. } = self.settings;
        let seen = self.open_seen(input)?;
        let left = turn_budget_tokens.saturating_sub(spent(&seen));
        if left == 0 {
            return Ok(None);
        }
        let shown = seen.entries_with(SHOWN).filter_map(|entry| entry.strip_prefix(SHOWN)).map(str::to_owned).collect();
        // Another hook of the session does not wait for the daemon.
        drop(seen);
        let request = v1::RemindRequest {
            context: Some(self.request_context(input)),
            occasion: Some(occasion),
            budget_tokens: Some(budget_tokens.min(left)),
            place_confidence,
            memory_confidence,
            shown,
            others_within_s: u32::try_from(others_within.as_secs()).unwrap_or(u32::MAX),
            replacements: input.call.as_ref().map(|call| call.replacements.clone()).unwrap_or_default(),
        };
        let v1::RemindResponse { heading, reminders, footing, warnings: _ } = client.remind(request).await?;
        if reminders.is_empty() {
            return Ok(None);
        }
        let mut seen = self.open_seen(input)?;
        // Another hook may have shown some of it meanwhile.
        let new = reminders.iter().filter(|reminder| seen.add(&format!("{SHOWN}{}", reminder.key)));
        let texts: String = new.map(|reminder| reminder.text.as_str()).collect();
        let text = (!texts.is_empty()).then(|| format!("{heading}{texts}{footing}"));
        if let Some(text) = &text {
            let spent = spent(&seen) + recall_text::tokens::count(text);
            seen.remove_all(SPENT);
            seen.add(&format!("{SPENT}{spent}"));
        }
        self.save(seen)?;
        Ok(text)
    }

    /// Begins a turn, which has its budget of tokens anew.
    fn begin_turn(&self, input: &Input) -> Result<(), HookError> {
        let mut seen = self.open_seen(input)?;
        seen.remove_all(SPENT);
        self.save(seen)
    }

    /// Records what a tool did. After a command that failed, returns what is known about the failure.
    async fn tool(&self, input: &Input) -> Result<Option<String>, HookError> {
        let event = if self.settings.events { self.tool_event(input)? } else { None };
        let failure = if self.settings.failures && self.adds_context(input) { failure(input) } else { None };
        if event.is_none() && failure.is_none() {
            return Ok(None);
        }
        let client = self.connect().await?;
        let logged = async { if let Some(event) = event { self.log(&client, input, event).await } else { Ok(()) } };
        let told = async {
            let budget_tokens = self.settings.failure_budget_tokens;
            match failure {
                Some(failed) => self.remind(&client, input, Occasion::Failure(failed), budget_tokens).await,
                None => Ok(None),
            }
        };
        let (logged, told) = tokio::join!(logged, told);
        // An answer is useful without a record of the session.
        match told? {
            Some(text) => Ok(Some(text)),
            None => logged.map(|()| None),
        }
    }

    /// Returns the event of what a tool did, and keeps what later events depend on.
    fn tool_event(&self, input: &Input) -> Result<Option<v1::LogEventRequest>, HookError> {
        let capture = self.user.capture;
        let mut seen = self.open_seen(input)?;
        let event = if let Some(tasks) = input.tasks.as_ref().filter(|_| capture.tasks) {
            record::tasks_event(tasks, &mut seen)
        } else if let Some(call) = input.task.as_ref().filter(|_| capture.tasks) {
            let tasks = task_list::change(call, &mut seen);
            record::tasks_event(&tasks, &mut seen)
        } else if let Some(call) = &input.call {
            let directory = PathBuf::from(self.request_context(input).working_directory);
            record::tool_event(call, &directory, capture, &mut seen)
        } else {
            None
        };
        self.save(seen)?;
        Ok(event)
    }

    /// Records what an agent said at the end of a turn in which it changed something.
    async fn turn_end(&self, input: &Input) -> Result<Option<String>, HookError> {
        if !self.user.capture.messages {
            return Ok(None);
        }
        let mut seen = self.open_seen(input)?;
        let event = record::message_event(&input.message, &mut seen);
        self.save(seen)?;
        if let Some(event) = event {
            self.log(&self.connect().await?, input, event).await?;
        }
        Ok(None)
    }

    async fn log(&self, client: &Client, input: &Input, event: v1::LogEventRequest) -> Result<(), HookError> {
        let context = Some(self.request_context(input));
        client.log_event(v1::LogEventRequest { context, ..event }).await?;
        Ok(())
    }

    /// Ends the session. Its summary is generated from its events; a later event reopens it.
    async fn end(&self, input: &Input, reason: &str) -> Result<Option<String>, HookError> {
        let (context, reason) = (Some(self.request_context(input)), reason.to_owned());
        let request = v1::EndSessionRequest { context, reason, ..v1::EndSessionRequest::default() };
        match self.connect().await?.end_session(request).await {
            // Nothing was recorded in it.
            Err(status) if status.code() == tonic::Code::NotFound => Ok(None),
            ended => Ok(ended.map(|_| None)?),
        }
    }

    /// Connects to the daemon. Starts one if none runs, and leaves it running if it is not ready in time. An older daemon is
    /// used as it is.
    async fn connect(&self) -> Result<Client, HookError> {
        let launch = if self.context.global.no_daemon { Launch::Never } else { Launch::IfNeeded };
        let options = ConnectOptions {
            replace: Replace::Never,
            deadline: self.wait.get().saturating_sub(self.began.elapsed()),
            attempts: 1,
            ..self.context.options(launch, &self.user)
        };
        Client::connect(&options).await.map_err(|error| Box::new(error).into())
    }

    /// Returns the context of requests: the client's project, and its session.
    ///
    /// The project is the one that the client was started for, as for the MCP server, even if it works in another folder.
    fn request_context(&self, input: &Input) -> v1::RequestContext {
        let env = &self.context.process_env;
        let mut context = self.context.request_context();
        let directory = env.claude_project_dir.as_ref().or(input.directory.as_ref());
        if let Some(directory) = directory {
            context.working_directory = directory.to_string_lossy().into_owned();
        }
        // A session that a person started through EDI has precedence, as for the MCP server.
        if !env.caller.is_edi_session && !input.session.is_empty() {
            context.session_id.clone_from(&input.session);
        }
        self.contract.client.clone_into(&mut context.agent);
        context
    }

    fn open_seen(&self, input: &Input) -> Result<Seen, HookError> {
        // A subagent has a context of its own.
        let reader = format!("{} {}", self.request_context(input).session_id, input.subagent);
        Seen::open(self.context.dirs(), reader.trim_end()).map_err(|source| self.not_kept(source))
    }

    fn save(&self, seen: Seen) -> Result<(), HookError> {
        seen.save().map_err(|source| self.not_kept(source))
    }

    fn not_kept(&self, source: io::Error) -> HookError {
        HookError::Seen { path: self.context.dirs().state.clone(), source }
    }
}

/// Returns the tokens that were shown since the last prompt.
fn spent(seen: &Seen) -> u32 {
    seen.entries_with(SPENT)
        .filter_map(|entry| entry.strip_prefix(SPENT)?.parse::<u32>().ok())
        .max()
        .unwrap_or_default()
}

/// Returns the command that failed; `None` if the event is another one, or if it wrote nothing.
fn failure(input: &Input) -> Option<v1::FailedCommand> {
    let ToolCall { kind: ToolKind::Command, subject: command, result: ToolResult::Failed(output), .. } =
        input.call.as_ref()?
    else {
        return None;
    };
    let command = command[..command.floor_char_boundary(MOST_SENT_BYTES)].to_owned();
    let output = output[output.ceil_char_boundary(output.len().saturating_sub(MOST_SENT_BYTES))..].to_owned();
    (!output.trim().is_empty()).then_some(v1::FailedCommand { command, output })
}

/// Reports on standard error why a hook has no answer. Agents show it in their debug logs.
pub(crate) fn note(context: &CommandContext, error: &HookError) {
    context.output.note(&format!("recall hook: {}", recall_text::error_chain(error)));
}

/// Writes the answer of a hook.
pub(crate) fn write(answer: &str) -> Result<(), CommandError> {
    crate::output::Output::raw(answer)
}

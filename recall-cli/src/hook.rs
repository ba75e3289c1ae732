//! Answers to the events of an agent: what recall knows at the moment when it counts.
//!
//! A hook never stops the agent that runs it. It exits with 0, answers within the time limit or not at all, and writes to
//! standard output what the client's contract says or nothing. Everything that it quotes is framed as data.

pub(crate) mod contract;
mod frame;
mod input;
mod memory;
mod prompt;
mod record;
mod seen;
mod task_list;

use std::cell::Cell;
use std::io;
use std::path::PathBuf;
use std::str::FromStr as _;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use recall_agents::HookEvent;
use recall_api::v1;
use recall_client::{Client, ConnectOptions, Launch, Replace};
use recall_config::{HookSettings, Settings};
use recall_core::MemoryId;
use recall_core::tokens::count;
use tonic::Status;

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::hook::contract::Contract;
use crate::hook::frame::frame;
use crate::hook::input::{Input, ToolCall, ToolKind};
use crate::hook::seen::Seen;
pub use prompt::{PromptAnswer, PromptLimits, prompt_answer, prompt_search};

/// The most memories about a file that are shown.
const MOST_ABOUT_FILE: usize = 5;

/// The prefix of the entries of what was shown. Compaction removes what was shown from the agent's context.
const SHOWN: &str = "shown ";

/// The entry that says that the session has not had its briefing.
const OWES_BRIEFING: &str = "owes briefing";

/// The entry that says that the session has a goal.
const HAS_GOAL: &str = "goal";

/// What a subagent is told about the command. It may have no MCP tools.
const COMMAND: &str = "The command `recall search \"words\"` finds code, documents and memories of this project; `recall get` prints \
                       one of them.\n";

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
    // Late or unreadable input is no more of interest than input in time.
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
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(HookError::Input)?;
        let text = runtime.block_on(self.text(&input))?;
        let text = text.map(|text| frame(&text)).filter(|text| !text.is_empty());
        Ok(text.and_then(|text| self.contract.answer(&text)))
    }

    async fn text(&self, input: &Input) -> Result<Option<String>, HookError> {
        let HookSettings { briefing, prompt, files, events, .. } = self.settings;
        match self.contract.event {
            HookEvent::SessionStart => self.session_start(input).await,
            HookEvent::SubagentStart if briefing => self.subagent_start(input).await,
            HookEvent::Prompt if prompt || events || briefing => self.prompt(input).await,
            HookEvent::PreTool if files => self.file(input).await,
            HookEvent::PostTool if events => self.tool(input).await,
            HookEvent::PreCompact if events => self.end(input, "compact").await,
            HookEvent::SessionEnd if events => self.end(input, "exit").await,
            HookEvent::Stop if events => self.turn_end(input).await,
            _ => Ok(None),
        }
    }

    /// Starts the session and returns its briefing.
    async fn session_start(&self, input: &Input) -> Result<Option<String>, HookError> {
        seen::remove_old(self.context.dirs(), self.context.process_env.started);
        let HookSettings { briefing, events, briefing_budget_tokens, .. } = self.settings;
        if !briefing && !events {
            return Ok(None);
        }
        if briefing {
            self.owe(input);
        }
        let client = self.connect().await?;
        let context = Some(self.request_context(input));
        let start = v1::StartSessionRequest { context: context.clone(), ..v1::StartSessionRequest::default() };
        let started = async { if events { client.start_session(start).await.map(drop) } else { Ok(()) } };
        // Compaction removes from the agent's context what it did, not what it began with.
        let subject =
            if input.source == "compact" { v1::BriefingSubject::Session } else { v1::BriefingSubject::Unspecified };
        let told = async {
            if !briefing {
                return Ok(None);
            }
            self.briefing(&client, context, briefing_budget_tokens, subject).await
        };
        // Both are asked at once. A briefing is useful without a record of the session.
        let (started, told) = tokio::join!(started, told);
        match told? {
            Some(told) => Ok(Some(self.briefing_text(input, told))),
            None => Ok(started.map(|()| None)?),
        }
    }

    /// Keeps that the session has no briefing yet. If that fails, a late briefing is lost.
    fn owe(&self, input: &Input) {
        let kept = self.open_seen(input).and_then(|mut seen| {
            seen.add(OWES_BRIEFING);
            self.save(seen)
        });
        if let Err(error) = kept {
            note(&self.context, &error);
        }
    }

    /// Returns the briefing that was not ready when the session started; `None` if it was.
    async fn late_briefing(&self, client: &Client, input: &Input) -> Option<String> {
        let (context, budget) = (Some(self.request_context(input)), self.settings.briefing_budget_tokens);
        match self.briefing(client, context, budget, v1::BriefingSubject::Unspecified).await {
            Ok(told) => told.map(|told| self.briefing_text(input, told)),
            Err(status) => {
                note(&self.context, &status.into());
                None
            }
        }
    }

    async fn subagent_start(&self, input: &Input) -> Result<Option<String>, HookError> {
        let client = self.connect().await?;
        let budget = self.settings.subagent_budget_tokens.saturating_sub(count(COMMAND)).max(1);
        let subject = v1::BriefingSubject::Unspecified;
        let briefing = self.briefing(&client, Some(self.request_context(input)), budget, subject).await?;
        let briefing = briefing.map(|told| self.briefing_text(input, told) + "\n");
        Ok(Some(format!("{}{COMMAND}", briefing.unwrap_or_default())))
    }

    /// Returns the briefing; `None` if it has no sections.
    async fn briefing(
        &self,
        client: &Client,
        context: Option<v1::RequestContext>,
        budget_tokens: u32,
        subject: v1::BriefingSubject,
    ) -> Result<Option<v1::BriefingResponse>, Status> {
        let budget_tokens = Some(budget_tokens);
        let request =
            v1::BriefingRequest { context, budget_tokens, subject: subject.into(), ..v1::BriefingRequest::default() };
        let answer = client.briefing(request).await?;
        Ok(Some(answer).filter(|answer| !answer.sections.is_empty()))
    }

    /// Returns the text of a briefing, and keeps that its memories were shown.
    ///
    /// A briefing is shown even if that cannot be kept: it comes once.
    fn briefing_text(&self, input: &Input, told: v1::BriefingResponse) -> String {
        let kept = self.open_seen(input).and_then(|mut seen| {
            seen.remove(OWES_BRIEFING);
            if input.source == "compact" {
                seen.remove_all(SHOWN);
            }
            for cited in told.sections.iter().flat_map(|section| &section.citations) {
                if MemoryId::from_str(cited).is_ok() {
                    seen.add(&format!("{SHOWN}{}", prompt::memory_key(cited)));
                }
            }
            self.save(seen)
        });
        if let Err(error) = kept {
            note(&self.context, &error);
        }
        told.text
    }

    async fn prompt(&self, input: &Input) -> Result<Option<String>, HookError> {
        let goal = self.goal(input)?;
        let search = prompt_search(self.request_context(input), &input.prompt).filter(|_| self.settings.prompt);
        let owes = self.settings.briefing && self.open_seen(input)?.has(OWES_BRIEFING);
        if goal.is_none() && search.is_none() && !owes {
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
        let found =
            async { if let Some(search) = search { self.search(&client, input, search).await } else { Ok(None) } };
        let (named, found) = tokio::join!(named, found);
        let found = match (briefing, found) {
            (Some(briefing), found) => Some(format!("{briefing}\n{}", found.ok().flatten().unwrap_or_default())),
            (None, found) => found?,
        };
        // An answer is useful without a record of the session.
        match found {
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

    /// Returns what a prompt is about.
    async fn search(
        &self,
        client: &Client,
        input: &Input,
        search: v1::SearchRequest,
    ) -> Result<Option<String>, HookError> {
        let response = client.search(search).await?;
        let limits = PromptLimits::from(&self.settings);
        // Most prompts have no confident hit, and then no file is touched.
        if prompt_answer(&response, &limits, |_| true).shown.is_empty() {
            return Ok(None);
        }
        let mut seen = self.open_seen(input)?;
        let answer = prompt_answer(&response, &limits, |key| !seen.has(&format!("{SHOWN}{key}")));
        for hit in &answer.shown {
            seen.add(&format!("{SHOWN}{}", prompt::shown_key(hit)));
        }
        self.save(seen)?;
        Ok(Some(answer.text))
    }

    /// Returns the memories about the file that a tool is about to read or edit.
    async fn file(&self, input: &Input) -> Result<Option<String>, HookError> {
        let Some(ToolCall { kind: ToolKind::Read | ToolKind::Edit, subject: file, .. }) = &input.call else {
            return Ok(None);
        };
        let key = format!("{SHOWN}file {file}");
        if self.open_seen(input)?.has(&key) {
            return Ok(None);
        }
        let client = self.connect().await?;
        let context = Some(self.request_context(input));
        let mut memories = about(&client, context, file).await?;
        let mut seen = self.open_seen(input)?;
        let is_new = seen.add(&key);
        memories.retain(|memory| is_new && seen.add(&format!("{SHOWN}{}", prompt::memory_key(&memory.id))));
        self.save(seen)?;
        Ok(memory::about_file(file, &memories, self.settings.file_budget_tokens))
    }

    /// Records what a tool did.
    async fn tool(&self, input: &Input) -> Result<Option<String>, HookError> {
        let capture = self.user.capture;
        if let Some(tasks) = input.tasks.as_ref().filter(|_| capture.tasks) {
            return self.log(input, |seen| record::tasks_event(tasks, seen)).await;
        }
        if let Some(call) = input.task.as_ref().filter(|_| capture.tasks) {
            return self.log(input, |seen| record::tasks_event(&task_list::change(call, seen), seen)).await;
        }
        let Some(call) = &input.call else { return Ok(None) };
        let context = self.request_context(input);
        let directory = PathBuf::from(&context.working_directory);
        self.log(input, |seen| record::tool_event(call, &directory, capture, seen)).await
    }

    /// Records what an agent said at the end of a turn in which it changed something.
    async fn turn_end(&self, input: &Input) -> Result<Option<String>, HookError> {
        if !self.user.capture.messages {
            return Ok(None);
        }
        self.log(input, |seen| record::message_event(&input.message, seen)).await
    }

    async fn log(
        &self,
        input: &Input,
        event: impl FnOnce(&mut Seen) -> Option<v1::LogEventRequest>,
    ) -> Result<Option<String>, HookError> {
        let mut seen = self.open_seen(input)?;
        let event = event(&mut seen);
        self.save(seen)?;
        if let Some(event) = event {
            let context = Some(self.request_context(input));
            self.connect().await?.log_event(v1::LogEventRequest { context, ..event }).await?;
        }
        Ok(None)
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

/// Returns the memories about a file that are in force, with their validity.
async fn about(client: &Client, context: Option<v1::RequestContext>, file: &str) -> Result<Vec<v1::Memory>, Status> {
    let request = v1::GraphRequest {
        context: context.clone(),
        node: file.to_owned(),
        relations: vec!["relates_to".to_owned()],
        ..v1::GraphRequest::default()
    };
    let graph = match client.graph(request).await {
        // A new file, or one that is not indexed.
        Err(status) if status.code() == tonic::Code::NotFound => return Ok(Vec::new()),
        answer => answer?,
    };
    let mut memories = Vec::new();
    // The path of a memory's document is its id.
    for node in graph.nodes.into_iter().filter(|node| MemoryId::from_str(&node.path).is_ok()) {
        let request = v1::GetRequest { context: context.clone(), id: node.path, ..v1::GetRequest::default() };
        memories.extend(client.get(request).await?.memory.filter(memory::is_in_force));
        if memories.len() >= MOST_ABOUT_FILE {
            break;
        }
    }
    Ok(memories)
}

/// Reports on standard error why a hook has no answer. Agents show it in their debug logs.
pub(crate) fn note(context: &CommandContext, error: &HookError) {
    context.output.note(&format!("recall hook: {}", recall_core::error_chain(error)));
}

/// Writes the answer of a hook.
pub(crate) fn write(answer: &str) -> Result<(), CommandError> {
    crate::output::Output::raw(answer)
}

//! One run of an agent on a task in an arm: its place is prepared, the agent runs, and the check decides.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use recall_api::v1;
use recall_cli::agent_process::{Agent, Ended, Interrupts, Run};
use recall_cli::{CliError, CommandContext};
use recall_core::title_of;
use serde::{Deserialize, Serialize};

use super::place::{Arm, Place};
use super::task::{AgentTask, GivenMemory};
use super::usage::Usage;
use crate::error::BenchError;
use crate::evaluation::{index, request_context_in};

/// The time that the registration of recall, or the start of its daemon, may take.
const SETUP_TIMEOUT: Duration = Duration::from_mins(1);

/// What all runs have in common.
#[derive(Debug)]
pub(super) struct Trials<'a> {
    pub(super) context: &'a CommandContext,
    /// The command line as it was given.
    pub(super) command: String,
    pub(super) agent: Agent,
    /// The file of the arm with a memory file.
    pub(super) memory_file: Option<PathBuf>,
    /// The folder whose copy is the home of each run.
    pub(super) home: Option<PathBuf>,
    /// The agent in which recall is registered, as `recall mcp install` names it.
    pub(super) client: String,
    pub(super) hooks: bool,
    pub(super) agent_timeout: Duration,
    pub(super) check_timeout: Duration,
    /// The folder of the agent's outputs.
    pub(super) outputs: PathBuf,
}

/// Which run it is.
#[derive(Clone, Debug)]
pub(super) struct Trial<'a> {
    pub(super) task: &'a AgentTask,
    pub(super) arm: Arm,
    pub(super) repeat: u32,
    pub(super) seed: u64,
}

impl Trial<'_> {
    /// Whether a line is the result of this run.
    pub(super) fn is_done_by(&self, line: &TrialLine) -> bool {
        line.task == self.task.id && line.arm == self.arm && line.repeat == self.repeat && line.seed == self.seed
    }
}

/// A raw line: what came of a run.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(super) struct TrialLine {
    pub(super) task: String,
    pub(super) arm: Arm,
    pub(super) repeat: u32,
    /// What replaced `{seed}`.
    pub(super) seed: u64,
    pub(super) agent: String,
    /// Whether the check exited with 0.
    pub(super) passed: bool,
    /// `exited`, `time_limit` or `output_limit`.
    pub(super) ended: String,
    /// The exit code of the agent; `None` if it was ended.
    pub(super) agent_exit: Option<i32>,
    /// That of the check.
    pub(super) check_exit: Option<i32>,
    pub(super) wall_ms: u64,
    #[serde(flatten)]
    pub(super) usage: Usage,
}

impl TrialLine {
    /// Whether the agent ended by itself and without an error.
    pub(super) fn has_ended_well(&self) -> bool {
        self.agent_exit == Some(0)
    }
}

impl Trials<'_> {
    /// Fails if the check of a task passes before an agent has worked: its success would not depend on the agent. Returns `None` if the user
    /// interrupted it.
    pub(super) async fn check_untouched(
        &self,
        task: &AgentTask,
        interrupts: &mut Interrupts,
    ) -> Result<Option<()>, BenchError> {
        let place = Place::lay(task, Arm::None, self.home.as_deref())?;
        let ran = self.check(task, &place, interrupts).await?;
        if exit_code(&ran) == Some(0) {
            let message = format!("the check of task `{}` passes before an agent has worked", task.id);
            return Err(CliError::usage(message).with_hint("a check fails until its task is solved").into());
        }
        Ok((ran.ended != Ended::Interrupted).then_some(()))
    }

    /// Runs an agent; returns `None` if the user interrupted it.
    pub(super) async fn measure(
        &self,
        trial: &Trial<'_>,
        interrupts: &mut Interrupts,
    ) -> Result<Option<TrialLine>, BenchError> {
        let place = Place::lay(trial.task, trial.arm, self.home.as_deref())?;
        let measured = self.measure_in(&place, trial, interrupts).await;
        // Whatever happened: a daemon would write into the place while it is deleted. An agent may have started one in any arm.
        self.context.stop_running(&place.recall_home()).await;
        measured
    }

    async fn measure_in(
        &self,
        place: &Place,
        trial: &Trial<'_>,
        interrupts: &mut Interrupts,
    ) -> Result<Option<TrialLine>, BenchError> {
        let Trial { task, arm, repeat, seed } = trial;
        place.write("mcp.json", "{\"mcpServers\": {}}\n")?;
        match (arm, &self.memory_file) {
            (Arm::Recall, _) => self.set_up_recall(place, task, interrupts).await?,
            (Arm::File, Some(file)) => {
                let name = file.file_name().unwrap_or_default();
                let copied = std::fs::copy(file, place.work().join(name));
                copied.map_err(|error| CliError::refusal(format!("cannot copy {}", file.display()), &error))?;
            }
            (Arm::None | Arm::File, _) => {}
        }
        let (agent, takes_prompt) = self.fill_in(place, trial);
        let prompt = place.write("prompt.txt", if takes_prompt { "" } else { &task.instruction })?;
        let name = format!("{}-{}-{repeat}.txt", task.id, arm.as_str());
        let output_path = self.outputs.join(name);
        let output = File::create(&output_path)
            .map_err(|error| CliError::refusal(format!("cannot write {}", output_path.display()), &error))?;
        let home = place.home();
        let surroundings = place.surroundings(&home, self.agent_timeout);
        let begin = Instant::now();
        let ran = agent.run(prompt, output, &surroundings, |_| Ok(()), interrupts.next()).await?;
        let wall_ms = begin.elapsed().as_millis() as u64;
        if ran.ended == Ended::Interrupted {
            return Ok(None);
        }
        let checked = self.check(task, place, interrupts).await?;
        if checked.ended == Ended::Interrupted {
            return Ok(None);
        }
        Ok(Some(TrialLine {
            task: task.id.clone(),
            arm: *arm,
            repeat: *repeat,
            seed: *seed,
            agent: self.command.clone(),
            passed: exit_code(&checked) == Some(0),
            ended: end_name(ran.ended).to_owned(),
            agent_exit: exit_code(&ran),
            check_exit: exit_code(&checked),
            wall_ms,
            usage: Usage::read(&ran.output),
        }))
    }

    /// Replaces the placeholders of the command; says whether the prompt is among the arguments.
    fn fill_in(&self, place: &Place, trial: &Trial<'_>) -> (Agent, bool) {
        let takes_prompt = self.agent.arguments.iter().any(|argument| argument.contains("{prompt}"));
        // The prompt is last, because it may contain the others.
        let values = [
            ("{folder}", place.work().display().to_string()),
            ("{mcp_config}", place.file("mcp.json").display().to_string()),
            ("{seed}", trial.seed.to_string()),
            ("{prompt}", trial.task.instruction.clone()),
        ];
        let mut agent = self.agent.clone();
        for argument in &mut agent.arguments {
            for (name, value) in &values {
                *argument = argument.replace(name, value);
            }
        }
        (agent, takes_prompt)
    }

    /// Registers recall in the home of the run, indexes the copy, and stores the memories of the task.
    async fn set_up_recall(
        &self,
        place: &Place,
        task: &AgentTask,
        interrupts: &mut Interrupts,
    ) -> Result<(), BenchError> {
        self.context.make_home(&place.recall_home())?;
        let hooks: &[&str] = if self.hooks { &["--hooks"] } else { &[] };
        let install = [&["mcp", "install", "--client", &self.client], hooks].concat();
        self.recall(&install, place, interrupts).await?;
        let printed = self.recall(&["mcp", "print"], place, interrupts).await?;
        place.write("mcp.json", &printed)?;
        self.recall(&["daemon", "start"], place, interrupts).await?;
        let client = self.context.connect_running(&place.recall_home()).await?;
        let from = request_context_in(self.context, place.work());
        for GivenMemory { text, kind, files } in &task.memories {
            let request = v1::AddRequest {
                context: Some(from.clone()),
                r#type: kind.clone(),
                title: title_of(text),
                content: text.clone(),
                related_files: files.clone(),
                force: true,
                ..v1::AddRequest::default()
            };
            client.add(request).await?;
        }
        index(&client, from).await
    }

    /// Runs `recall` in the surroundings of the run, and returns what it wrote.
    async fn recall(
        &self,
        arguments: &[&str],
        place: &Place,
        interrupts: &mut Interrupts,
    ) -> Result<String, BenchError> {
        let program = self
            .context
            .own_program("recall")
            .ok_or_else(|| CliError::usage("the program `recall` is neither next to this program nor on PATH"))?;
        let agent = Agent { program, arguments: arguments.iter().map(|word| (*word).to_owned()).collect() };
        let ran = run_quietly(&agent, place, SETUP_TIMEOUT, interrupts).await?;
        if exit_code(&ran) == Some(0) {
            return Ok(ran.output);
        }
        let message = format!("`recall {}` failed in the home of a run", arguments.join(" "));
        let causes = ran.output.lines().map(ToOwned::to_owned).collect();
        Err(CliError { causes, ..CliError::usage(message) }.into())
    }

    /// Runs the check of a task in the copy.
    async fn check(&self, task: &AgentTask, place: &Place, interrupts: &mut Interrupts) -> Result<Run, BenchError> {
        run_quietly(&shell(&task.check), place, self.check_timeout, interrupts).await
    }
}

async fn run_quietly(
    agent: &Agent,
    place: &Place,
    time_limit: Duration,
    interrupts: &mut Interrupts,
) -> Result<Run, BenchError> {
    let (nothing, home) = (place.write("nothing.txt", "")?, place.home());
    let path = place.file("output.txt");
    let output =
        File::create(&path).map_err(|error| CliError::refusal(format!("cannot write {}", path.display()), &error))?;
    let surroundings = place.surroundings(&home, time_limit);
    Ok(agent.run(nothing, output, &surroundings, |_| Ok(()), interrupts.next()).await?)
}

/// Returns the command that runs a line by the shell of the system.
fn shell(line: &str) -> Agent {
    let (program, option) = if cfg!(windows) { ("cmd.exe", "/C") } else { ("/bin/sh", "-c") };
    Agent { program: Path::new(program).to_owned(), arguments: vec![option.to_owned(), line.to_owned()] }
}

fn exit_code(ran: &Run) -> Option<i32> {
    match ran.ended {
        Ended::Exited(status) => status.code(),
        Ended::TimeLimit | Ended::OutputLimit | Ended::Interrupted => None,
    }
}

fn end_name(ended: Ended) -> &'static str {
    match ended {
        Ended::Exited(_) => "exited",
        Ended::TimeLimit => "time_limit",
        Ended::OutputLimit => "output_limit",
        Ended::Interrupted => "interrupted",
    }
}

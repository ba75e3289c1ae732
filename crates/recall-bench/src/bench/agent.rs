//! `recall bench --agent`: what recall is worth to an agent, measured by running it.
//!
//! Each task runs in up to three arms: without a memory, with a file that a person wrote, and with recall. Every run has a fresh copy
//! of the repository and fresh homes, so that no arm learns from another. The order is drawn by the seed, so that a machine or a
//! service that becomes slower does not favour an arm.
//!
//! Finished runs are lines in a file. A measurement that was interrupted goes on with those that are missing.

mod comparison;
mod page;
mod place;
mod task;
mod trial;
mod usage;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use fastrand::Rng;
use recall_api::json::answer;
use recall_cli::agent_process::{Agent, Interrupts};
use recall_cli::{CliError, CommandContext, Exit, Format, ProgressLine, restore_umask};
use serde::Serialize;

use comparison::Contest;
use page::Subject;
use place::Arm;
use task::AgentTask;
use trial::{Trial, TrialLine, Trials};

use crate::error::BenchError;

/// The file of raw lines, in the folder of results.
const LINES: &str = "runs.jsonl";

/// The report, in the folder of results.
const REPORT: &str = "report.md";

/// Options of `recall bench --agent`.
#[derive(Debug, Args)]
pub(crate) struct AgentArgs {
    /// Measure what recall is worth to an agent: run this command over the tasks of `--tasks`, without a memory, with
    /// `--memory-file`, and with recall. `{prompt}`, `{folder}`, `{mcp_config}` and `{seed}` are replaced; without `{prompt}`, the
    /// prompt is the standard input.
    #[arg(long, value_name = "COMMAND", requires_all = ["tasks", "out"], conflicts_with_all = ["mine", "queries", "k", "ablate", "hook_loop"])]
    pub(super) agent: Option<String>,
    /// The tasks, one JSON object a line.
    #[arg(long, requires = "agent", value_name = "TASKS.jsonl")]
    tasks: Option<PathBuf>,
    /// The file of the arm with a memory file, such as CLAUDE.md or AGENTS.md. Without it, that arm does not run.
    #[arg(long, requires = "agent", value_name = "FILE")]
    memory_file: Option<PathBuf>,
    /// A folder that is copied to the home of each run, with what the agent needs to sign in.
    #[arg(long, requires = "agent", value_name = "DIR")]
    agent_home: Option<PathBuf>,
    /// The agent in which recall is registered, as for `recall mcp install` [default: the one of the command, else claude-code].
    #[arg(long, requires = "agent", value_name = "NAME")]
    client: Option<String>,
    /// Register recall's hooks too.
    #[arg(long, requires = "agent")]
    hooks: bool,
    /// The number of runs of each task in each arm.
    #[arg(long, requires = "agent", default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
    /// Draws the order of the runs.
    #[arg(long, requires = "agent", default_value_t = 1, value_name = "N")]
    seed: u64,
    /// When an agent is ended.
    #[arg(long, requires = "agent", default_value_t = 900, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    agent_timeout: u64,
    /// When a check is ended, and the task counts as not solved.
    #[arg(long, requires = "agent", default_value_t = 300, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    check_timeout: u64,
}

impl AgentArgs {
    /// Whether an agent is to be measured.
    pub(super) fn is_given(&self) -> bool {
        self.agent.is_some()
    }
}

/// The result, as JSON.
#[derive(Debug, Serialize)]
struct AgentAnswer<'a> {
    agent: &'a str,
    tasks: usize,
    runs: usize,
    lines: PathBuf,
    report: PathBuf,
    comparisons: &'a [Contest],
}

/// Runs the agent and writes the lines and the report to the folder `out`.
pub(super) async fn run(args: AgentArgs, out: &Path, context: &CommandContext) -> Result<Exit, BenchError> {
    let mut interrupts = Interrupts::listen()?;
    let out = context.absolute(out);
    // Everything that can be wrong is found before the first run.
    let command = args.agent.clone().unwrap_or_default();
    let tasks = AgentTask::read_all(&context.absolute(&args.tasks.clone().unwrap_or_default()))?;
    let trials = trials(&args, command, &out, context)?;
    let finished = read_lines(&out.join(LINES), &trials.command)?;
    fs::create_dir_all(&trials.outputs).map_err(|error| unwritable(&trials.outputs, &error))?;
    // Agents and checks get the user's umask, not that of recall.
    restore_umask();
    if finished.is_empty() {
        for task in &tasks {
            if trials.check_untouched(task, &mut interrupts).await?.is_none() {
                return Ok(Exit::Interrupted);
            }
        }
    }
    let arms = Arm::ALL.into_iter().filter(|arm| *arm != Arm::File || trials.memory_file.is_some()).collect::<Vec<_>>();
    let plan = draw(&tasks, &arms, args.repeats, args.seed);
    let Some(lines) = finish(&plan, finished, &trials, &out.join(LINES), &mut interrupts).await? else {
        return Ok(Exit::Interrupted);
    };
    let contests = Contest::all(&lines);
    let subject = Subject {
        command: &trials.command,
        tasks: tasks.len(),
        repeats: args.repeats,
        seed: args.seed,
        without_file: trials.memory_file.is_none(),
        client: &trials.client,
        hooks: args.hooks,
        agent_timeout: args.agent_timeout,
        check_timeout: args.check_timeout,
    };
    let report = page::report(&subject, &lines, &contests);
    let path = out.join(REPORT);
    fs::write(&path, &report).map_err(|error| unwritable(&path, &error))?;
    match context.output.format {
        Format::Human => context.output.text(&report)?,
        Format::Json => context.output.json(&answer(AgentAnswer {
            agent: &trials.command,
            tasks: tasks.len(),
            runs: lines.len(),
            lines: out.join(LINES),
            report: path,
            comparisons: &contests,
        }))?,
    }
    Ok(Exit::Done)
}

/// Reads what all runs have in common from the arguments.
fn trials<'a>(
    args: &AgentArgs,
    command: String,
    out: &Path,
    context: &'a CommandContext,
) -> Result<Trials<'a>, BenchError> {
    let agent = Agent::parse(&command, context)?;
    let memory_file = args.memory_file.as_ref().map(|file| context.absolute(file));
    if let Some(file) = memory_file.as_ref().filter(|file| !file.is_file()) {
        return Err(CliError::usage(format!("{} is not a file", file.display())).into());
    }
    let home = args.agent_home.as_ref().map(|home| context.absolute(home));
    if let Some(home) = home.as_ref().filter(|home| !home.is_dir()) {
        return Err(CliError::usage(format!("{} is not a folder", home.display())).into());
    }
    let client = args.client.clone().unwrap_or_else(|| client_of(&agent).to_owned());
    Ok(Trials {
        context,
        command,
        agent,
        memory_file,
        home,
        client,
        hooks: args.hooks,
        agent_timeout: Duration::from_secs(args.agent_timeout),
        check_timeout: Duration::from_secs(args.check_timeout),
        outputs: out.join("outputs"),
    })
}

/// Returns the agent that a program is, as `recall mcp install` names it.
fn client_of(agent: &Agent) -> &str {
    match agent.program.file_stem().and_then(|name| name.to_str()) {
        Some("cursor-agent") => "cursor",
        Some(name @ ("amp" | "codex" | "copilot" | "crush" | "droid" | "gemini" | "goose" | "opencode" | "qwen")) => {
            name
        }
        _ => "claude-code",
    }
}

/// Returns all runs in an order that the seed draws.
fn draw<'a>(tasks: &'a [AgentTask], arms: &[Arm], repeats: u32, seed: u64) -> Vec<Trial<'a>> {
    let mut plan = Vec::new();
    for task in tasks {
        for repeat in 1..=repeats {
            // The arms of one repeat have the same seed.
            let seed = seed.wrapping_add(u64::from(repeat) - 1);
            plan.extend(arms.iter().map(|arm| Trial { task, arm: *arm, repeat, seed }));
        }
    }
    Rng::with_seed(seed).shuffle(&mut plan);
    plan
}

/// Runs what is missing, and appends each finished run to the file of lines. Returns the lines of the plan; `None` if the user
/// interrupted a run.
async fn finish(
    plan: &[Trial<'_>],
    finished: Vec<TrialLine>,
    trials: &Trials<'_>,
    path: &Path,
    interrupts: &mut Interrupts,
) -> Result<Option<Vec<TrialLine>>, BenchError> {
    let bar = ProgressLine::runs(trials.context.output.format, plan.len() as u64);
    let refused = |error: std::io::Error| unwritable(path, &error);
    let mut file = fs::File::options().create(true).append(true).open(path).map_err(refused)?;
    let mut lines = Vec::new();
    for trial in plan {
        if let Some(line) = finished.iter().find(|line| trial.is_done_by(line)) {
            lines.push(line.clone());
        } else {
            let Some(line) = trials.measure(trial, interrupts).await? else { return Ok(None) };
            let text = serde_json::to_string(&line).expect("strings and numbers serialise to JSON") + "\n";
            file.write_all(text.as_bytes()).map_err(refused)?;
            lines.push(line);
        }
        bar.step();
    }
    Ok(Some(lines))
}

/// Reads the runs that are finished. Those of another command are refused.
fn read_lines(path: &Path, command: &str) -> Result<Vec<TrialLine>, BenchError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(CliError::refusal(format!("cannot read {}", path.display()), &error).into()),
    };
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line: TrialLine = serde_json::from_str(line)
            .map_err(|error| CliError::usage(format!("{}:{number}: {error}", path.display())))?;
        if line.agent != command {
            let message = format!("{} has runs of another command: `{}`", path.display(), line.agent);
            return Err(CliError::usage(message).with_hint("name another folder with `--out`").into());
        }
        lines.push(line);
    }
    Ok(lines)
}

fn unwritable(path: &Path, error: &std::io::Error) -> BenchError {
    CliError::refusal(format!("cannot write {}", path.display()), error).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: &str) -> AgentTask {
        AgentTask {
            id: id.to_owned(),
            instruction: String::new(),
            repository: PathBuf::new(),
            commit: None,
            check: String::new(),
            memories: Vec::new(),
        }
    }

    #[test]
    fn a_seed_draws_the_order_of_all_runs() {
        let tasks = [task("a"), task("b")];
        let order = |seed| -> Vec<String> {
            let plan = draw(&tasks, &Arm::ALL, 2, seed);
            plan.iter().map(|trial| format!("{} {} {}", trial.task.id, trial.arm.as_str(), trial.repeat)).collect()
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        let sorted = |seed| {
            let mut order = order(seed);
            order.sort();
            order
        };
        assert_eq!((sorted(1).len(), sorted(1)), (12, sorted(2)));
        let seeds: Vec<u64> = draw(&tasks, &[Arm::None], 2, 5).iter().map(|trial| trial.seed).collect();
        assert_eq!(seeds.iter().sum::<u64>(), 5 + 6 + 5 + 6);
    }

    #[test]
    fn the_agent_of_a_command_is_named_as_recall_names_it() {
        let named = |program: &str| {
            let agent = Agent { program: program.into(), arguments: Vec::new() };
            client_of(&agent).to_owned()
        };
        assert_eq!(["/usr/bin/codex", "claude", "my-agent.sh"].map(named), ["codex", "claude-code", "claude-code"]);
    }
}

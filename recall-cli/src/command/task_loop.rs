//! `recall loop`: an agent works on a list of tasks, one run after the other.
//!
//! All state is in the list of tasks, in the folder `.ralph` and in git: a killed loop goes on where it was.

mod folder;
mod prd;
mod recorder;
mod reply;
mod repository;
mod turn;

use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::Args;
use recall_api::Reason;
use recall_os::Folder;
use serde::Serialize;

use self::folder::{Asked, LoopFolder};
use self::prd::{Next, Prd};
use self::recorder::Recorder;
use self::repository::LoopRepository;
use self::turn::{Outcome, Turns};
use crate::Exit;
use crate::agent_process::{Agent, Interrupts};
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::output::human::quantity::count_noun;
use crate::output::human::style::{GOOD, NOTE, WARNING};
use crate::output::human::text::printable;
use crate::program::restore_umask;
use crate::standard_input::can_ask;
use turn::Decision;

/// The file with instructions for the agent, beside the list of tasks.
const INSTRUCTIONS: &str = "PROMPT.md";

/// The most bytes of the instructions.
const INSTRUCTIONS_BYTES: u64 = 256 * 1024;

/// Arguments of `recall loop`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct LoopArgs {
    /// The list of tasks. The agent runs in its folder.
    #[arg(value_name = "PRD", default_value = "PRD.json")]
    prd: PathBuf,
    /// The command that runs an agent; the prompt is its standard input [default: the setting loop.agent].
    #[arg(long, value_name = "COMMAND")]
    agent: Option<String>,
    /// The maximum number of runs of the agent [default: the setting `loop.max_iterations`].
    #[arg(long, value_name = "N")]
    max_iterations: Option<NonZero<usize>>,
    /// Ask a person after this many runs with the same error [default: the setting `loop.stuck_threshold`].
    #[arg(long, value_name = "N")]
    stuck_threshold: Option<NonZero<usize>>,
    /// The answer to the question with which the last loop ended: an option's number, or text.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["skip", "retry"])]
    guidance: Option<String>,
    /// Skip the task with whose question the last loop ended.
    #[arg(long, conflicts_with = "retry")]
    skip: bool,
    /// Run the agent again without an answer to its question.
    #[arg(long)]
    retry: bool,
    /// Commit nothing.
    #[arg(long)]
    no_commit: bool,
    /// Start although there are uncommitted changes; they become part of the first commit.
    #[arg(long)]
    allow_dirty: bool,
}

/// The result, as JSON.
#[derive(Debug, Serialize)]
struct Summary {
    /// `done`, `escalated`, `max_iterations`, `blocked` or `interrupted`.
    ended: &'static str,
    iterations: usize,
    passing: Vec<String>,
    skipped: Vec<String>,
    open: Vec<String>,
    escalation: Option<Asked>,
}

/// Why the loop ended.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    Done,
    Escalated(Asked),
    MaxIterations,
    Blocked(Vec<(String, Vec<String>)>),
    Interrupted,
}

impl End {
    fn name(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Escalated(_) => "escalated",
            Self::MaxIterations => "max_iterations",
            Self::Blocked(_) => "blocked",
            Self::Interrupted => "interrupted",
        }
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Done => Exit::Done,
            Self::Escalated(_) => Exit::Escalated,
            Self::MaxIterations | Self::Blocked(_) => Exit::Unfinished,
            Self::Interrupted => Exit::Interrupted,
        }
    }
}

pub(super) async fn run(args: LoopArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let settings = context.settings().task_loop;
    let mut interrupts = Interrupts::listen()?;
    // Everything that can be wrong is found before the first run.
    let prd = Prd::read(&context.absolute(&args.prd))?;
    let place = prd.path().parent().unwrap_or(Path::new(".")).to_owned();
    let instructions_path = place.join(INSTRUCTIONS);
    let instructions = instructions(&place)?;
    let agent = Agent::parse(args.agent.as_deref().unwrap_or(&settings.agent), context)?;
    let repository = if args.no_commit { None } else { Some(repository(&place)?) };
    let folder = LoopFolder::open(&place)?;
    if let Some(repository) = repository.as_ref().filter(|_| !args.allow_dirty) {
        check_clean(repository, &folder, &[prd.path(), &instructions_path])?;
    }
    restore_umask();
    let goal = format!("Work on the tasks of {}", prd.path().file_name().unwrap_or_default().to_string_lossy());
    let mut turns = Turns {
        agent,
        folder,
        repository,
        instructions,
        place,
        time_limit: settings.agent_timeout,
        stuck_threshold: args.stuck_threshold.unwrap_or(settings.stuck_threshold).get(),
        recorder: Recorder::start(&goal, context).await,
        context,
    };
    let most = args.max_iterations.unwrap_or(settings.max_iterations).get();
    let answer = match (args.guidance, args.skip, args.retry) {
        (Some(text), ..) => Some(Decision::Guidance(text)),
        (None, true, _) => Some(Decision::Skip),
        (None, false, true) => Some(Decision::Retry),
        (None, false, false) => None,
    };
    let (end, iterations) = work(&mut turns, prd.path(), most, answer, &mut interrupts).await?;
    let prd = Prd::read(prd.path())?;
    turns.recorder.end().await;
    report(&prd, &end, iterations, context)?;
    Ok(end.exit())
}

/// Runs the agent until the loop ends. Returns the number of runs too.
async fn work(
    turns: &mut Turns<'_>,
    path: &Path,
    most: usize,
    mut answer: Option<Decision>,
    interrupts: &mut Interrupts,
) -> Result<(End, usize), CommandError> {
    let mut iterations = 0;
    loop {
        // The agent or a person may have changed the list.
        let mut prd = Prd::read(path)?;
        let is_open = |id: &str| prd.open().any(|task| task.id == id);
        if let Some(asked) = turns.folder.read_question() {
            if !is_open(&asked.task) {
                // A person has decided it in the list.
                turns.folder.remove_question()?;
                continue;
            }
            let decision = match answer.take() {
                Some(Decision::Guidance(text)) => Decision::Guidance(turn::guidance(&asked, &text)),
                Some(decision) => decision,
                None => {
                    turn::show_question(&asked, &turns.context.output);
                    if !can_ask(turns.context) {
                        return Ok((End::Escalated(asked), iterations));
                    }
                    tokio::select! {
                        decision = turn::decision(&asked, &turns.context.output) => decision?,
                        () = interrupts.next() => return Ok((End::Interrupted, iterations)),
                    }
                }
            };
            if decision == Decision::Abort {
                return Ok((End::Escalated(asked), iterations));
            }
            turns.answer(&asked, decision, &mut prd).await?;
            continue;
        }
        match answer.take() {
            Some(Decision::Guidance(text)) => turns.folder.write_guidance(&text)?,
            Some(Decision::Skip) => return Err(no_question_error()),
            Some(Decision::Retry | Decision::Abort) | None => {}
        }
        let task = match prd.next() {
            Next::Task(task) => task,
            Next::Nothing => {
                turns.commit_rest()?;
                return Ok((End::Done, iterations));
            }
            Next::Blocked(waiting) => return Ok((End::Blocked(waiting), iterations)),
        };
        if iterations == most {
            return Ok((End::MaxIterations, iterations));
        }
        iterations += 1;
        turns.context.output.note(&format!(
            "{NOTE}run {iterations} of {most}{NOTE:#}: {} {}",
            printable(&task.id),
            printable(&task.title)
        ));
        match turns.take(&task, path, interrupts).await? {
            Outcome::Interrupted => return Ok((End::Interrupted, iterations)),
            Outcome::Completed | Outcome::Progressed | Outcome::Asked => {}
        }
    }
}

/// Reads the project's instructions, or takes the built-in ones. A link could put a private file into the prompt, so none is
/// followed.
fn instructions(place: &Path) -> Result<String, CommandError> {
    let path = place.join(INSTRUCTIONS);
    let refused = |source| CliError::refusal(format!("cannot read `{}`", path.display()), &source);
    let bytes = match Folder::open(place).and_then(|place| place.read(INSTRUCTIONS, INSTRUCTIONS_BYTES + 1)) {
        Ok(bytes) => bytes,
        Err(error) if error.is_missing() => return Ok(turn::BUILT_IN.to_owned()),
        Err(error) => return Err(refused(error.into()).into()),
    };
    let text = String::from_utf8(bytes).map_err(|error| refused(io::Error::new(io::ErrorKind::InvalidData, error)))?;
    if text.len() as u64 > INSTRUCTIONS_BYTES {
        let message = format!("`{}` is longer than {} KiB", path.display(), INSTRUCTIONS_BYTES / 1024);
        return Err(CliError::usage(message).into());
    }
    if text.trim().is_empty() {
        return Err(CliError::usage(format!("`{}` is empty", path.display()))
            .with_hint("write instructions into it, or delete it for the built-in ones")
            .into());
    }
    Ok(text)
}

fn repository(place: &Path) -> Result<LoopRepository, CommandError> {
    LoopRepository::find(place)?.ok_or_else(|| {
        let message = format!("`{}` is not in a git repository", place.display());
        let cli_error = CliError::new(Exit::Usage, Reason::NotFound, message);
        cli_error.with_hint("run `git init`, or use `--no-commit`").into()
    })
}

/// Refuses to start with changes of the user, which would become part of the first commit. Changes since an interrupted
/// run on the same commit are the agent's.
fn check_clean(repository: &LoopRepository, folder: &LoopFolder, expected: &[&Path]) -> Result<(), CommandError> {
    let state = folder.state();
    if !state.task.is_empty() && state.base == repository.head() {
        return Ok(());
    }
    let mut changes = repository.uncommitted_paths(expected)?;
    if changes.is_empty() {
        return Ok(());
    }
    let count = changes.len();
    changes.truncate(5);
    let count = count_noun(count as u64, "change is", "changes are");
    let message = format!("{count} not committed: {}", changes.join(", "));
    Err(CliError::new(Exit::Refused, Reason::Conflict, message)
        .with_hint("commit or stash them, or let the first commit contain them with `--allow-dirty`")
        .into())
}

fn no_question_error() -> CommandError {
    CliError::usage("there is no task to skip: the last loop did not end with a question").into()
}

fn report(prd: &Prd, end: &End, iterations: usize, context: &CommandContext) -> Result<(), CommandError> {
    let ids = |wanted: fn(&prd::Task) -> bool| -> Vec<String> {
        prd.tasks.iter().filter(|task| wanted(task)).map(|task| task.id.clone()).collect()
    };
    let summary = Summary {
        ended: end.name(),
        iterations,
        passing: ids(|task| task.passes),
        skipped: ids(|task| task.skipped && !task.passes),
        open: prd.open().map(|task| task.id.clone()).collect(),
        escalation: if let End::Escalated(asked) = end { Some(asked.clone()) } else { None },
    };
    if context.output.format == Format::Json {
        return context.output.answer(&summary);
    }
    let Summary { passing, skipped, open, .. } = &summary;
    let style = if *end == End::Done { GOOD } else { WARNING };
    context.output.text(&format!(
        "{style}{}{style:#}: {} of {} tasks pass, {} skipped, {} open\n",
        end.name().replace('_', " "),
        passing.len(),
        prd.tasks.len(),
        skipped.len(),
        open.len(),
    ))?;
    match end {
        End::Done => {}
        End::Escalated(asked) => context.output.note(&format!(
            "hint: answer {} with `recall loop --guidance TEXT`, or use `--skip` or `--retry`",
            printable(&asked.task)
        )),
        End::MaxIterations => context.output.note("hint: run the command again to go on"),
        End::Blocked(waiting) => {
            for (id, lacking) in waiting {
                context.output.note(&format!("{} waits for {}", printable(id), printable(&lacking.join(", "))));
            }
        }
        End::Interrupted => context.output.note("hint: run the command again to go on with the same task"),
    }
    Ok(())
}

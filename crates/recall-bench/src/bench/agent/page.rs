//! The report of a measurement of agents, as Markdown. What recall loses stands first.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::comparison::{Contest, Figure};
use super::place::Arm;
use super::trial::TrialLine;

/// What the report is about.
#[derive(Clone, Debug)]
pub(super) struct Subject<'a> {
    pub(super) command: &'a str,
    pub(super) tasks: usize,
    pub(super) repeats: u32,
    pub(super) seed: u64,
    /// Why an arm did not run; `None` if it did.
    pub(super) without_file: bool,
    pub(super) client: &'a str,
    pub(super) hooks: bool,
    pub(super) agent_timeout: u64,
    pub(super) check_timeout: u64,
}

/// Writes the report.
pub(super) fn report(subject: &Subject<'_>, lines: &[TrialLine], contests: &[Contest]) -> String {
    let Subject { command, tasks, repeats, seed, .. } = subject;
    let mut text = format!(
        "# What recall is worth to an agent\n\n`{command}`: {tasks} tasks, {repeats} repeats, {} runs, seed {seed}, recall {}.\n\n\
         ## Where recall loses\n\n",
        lines.len(),
        env!("CARGO_PKG_VERSION"),
    );
    let losses: Vec<&Contest> = contests.iter().filter(|contest| contest.verdict.is_loss()).collect();
    for contest in &losses {
        let Contest { figure, against, recall, other, difference, interval: [low, high], verdict, .. } = contest;
        let _ = writeln!(
            text,
            "- {}: recall {}, {} {}; difference {} [{}, {}]: {}",
            figure.title(),
            number(*recall),
            against.title(),
            number(*other),
            number(*difference),
            number(*low),
            number(*high),
            verdict.text(),
        );
    }
    if losses.is_empty() {
        text.push_str("In no measured figure.\n");
    }
    text.push_str(&arms(lines));
    for against in [Arm::None, Arm::File] {
        let rows: Vec<&Contest> = contests.iter().filter(|contest| contest.against == against).collect();
        if !rows.is_empty() {
            text.push_str(&contest_table(against, &rows));
        }
    }
    text.push_str(&task_table(lines));
    text.push_str(&remarks(subject, lines));
    text
}

/// The means of each arm.
fn arms(lines: &[TrialLine]) -> String {
    let mut text = "\n## Arms\n\nMeans over tasks of the means over their repeats.\n\n| arm | runs |".to_owned();
    for figure in Figure::ALL {
        let _ = write!(text, " {} |", figure.title());
    }
    text.push_str(" agent failed or was ended |\n|---|---|---|---|---|---|---|---|---|\n");
    for arm in Arm::ALL {
        let runs = lines.iter().filter(|line| line.arm == arm).count();
        if runs == 0 {
            continue;
        }
        let _ = write!(text, "| {} | {runs} |", arm.title());
        for figure in Figure::ALL {
            let _ = write!(text, " {} |", figure.mean(lines, arm).map_or_else(|| "unknown".to_owned(), number));
        }
        let failed = lines.iter().filter(|line| line.arm == arm && !line.has_ended_well()).count();
        let _ = writeln!(text, " {failed} |");
    }
    text
}

fn contest_table(against: Arm, contests: &[&Contest]) -> String {
    let name = against.title();
    let mut text = format!(
        "\n## Recall against {name}\n\n| | tasks | {name} | recall | difference | 95 % interval | better | worse | equal | recall is |\n\
         |---|---|---|---|---|---|---|---|---|---|\n"
    );
    for contest in contests {
        let Contest { figure, tasks, other, recall, difference, interval: [low, high], better, worse, same, .. } =
            contest;
        let _ = writeln!(
            text,
            "| {} | {tasks} | {} | {} | {} | {} to {} | {better} | {worse} | {same} | {} |",
            figure.title(),
            number(*other),
            number(*recall),
            number(*difference),
            number(*low),
            number(*high),
            contest.verdict.text(),
        );
    }
    text
}

/// How often each task was solved in each arm.
fn task_table(lines: &[TrialLine]) -> String {
    let mut tasks: BTreeMap<&str, [(usize, usize); 3]> = BTreeMap::new();
    for line in lines {
        let at = Arm::ALL.iter().position(|arm| *arm == line.arm).unwrap_or_default();
        let (solved, runs) = &mut tasks.entry(&line.task).or_default()[at];
        *solved += usize::from(line.passed);
        *runs += 1;
    }
    let mut text = "\n## Tasks\n\nRuns that solved the task.\n\n| task |".to_owned();
    for arm in Arm::ALL {
        let _ = write!(text, " {} |", arm.title());
    }
    text.push_str("\n|---|---|---|---|\n");
    for (task, arms) in tasks {
        let _ = write!(text, "| {task} |");
        for (solved, runs) in arms {
            let _ = if runs == 0 { write!(text, " |") } else { write!(text, " {solved} of {runs} |") };
        }
        text.push('\n');
    }
    text
}

fn remarks(subject: &Subject<'_>, lines: &[TrialLine]) -> String {
    let Subject { without_file, client, hooks, agent_timeout, check_timeout, .. } = subject;
    let mut text = "\n## What is not known, and how it was measured\n\n".to_owned();
    if *without_file {
        text.push_str("- The arm with a memory file did not run: `--memory-file` names none.\n");
    }
    let unknown = lines.iter().filter(|line| line.usage.form.is_none()).count();
    if unknown > 0 {
        let _ = writeln!(
            text,
            "- Turns and tokens of {unknown} of {} runs are unknown: the output has neither the form of Claude Code \
             (`--output-format json`) nor that of Codex (`--json`).",
            lines.len()
        );
    }
    let hooks = if *hooks { ", with hooks" } else { ", without hooks" };
    let _ = writeln!(
        text,
        "- Each run has a fresh copy of the repository and fresh homes. In the arm *recall*, its server is registered for \
         `{client}`{hooks}; the index and the memories are complete before the agent begins, and their time does not count.\n\
         - A task is solved if its check exits with 0. An agent was ended after {agent_timeout} s, a check after {check_timeout} s.\n\
         - Intervals: 95 %, paired bootstrap over tasks. If one contains 0, the difference may be chance. With few tasks an \
         interval is too narrow."
    );
    text
}

/// Formats a number with at most three decimals.
fn number(value: f64) -> String {
    let text = if value.abs() >= 100.0 {
        format!("{value:.0}")
    } else if value.abs() >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.3}")
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::agent::comparison::tests::line;

    #[test]
    fn losses_are_before_everything_else() {
        let mut lines = Vec::new();
        for task in ["a", "b", "c", "d"] {
            lines.push(line(task, Arm::None, 1, false, Some(2)));
            lines.push(line(task, Arm::Recall, 1, true, Some(9)));
        }
        let subject = Subject {
            command: "agent",
            tasks: 4,
            repeats: 1,
            seed: 7,
            without_file: true,
            client: "codex",
            hooks: false,
            agent_timeout: 900,
            check_timeout: 300,
        };
        let text = report(&subject, &lines, &Contest::all(&lines));
        let loss = "- turns: recall 9.000, no memory 2.000; difference 7.000 [7.000, 7.000]: worse\n";
        let parts = ["## Where recall loses\n\n", loss, "\n## Arms", "\n## Recall against no memory", "\n## Tasks"];
        let places: Vec<Option<usize>> = parts.iter().map(|part| text.find(part)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}: {text}");
        assert!(
            text.contains("| success | 4 | 0.000 | 1.000 | 1.000 | 1.000 to 1.000 | 4 | 0 | 0 | better |"),
            "{text}"
        );
        assert!(text.contains("| no memory | 4 | 0.000 | 2.000 | unknown | unknown | unknown | 2.000 | 0 |"), "{text}");
        assert!(text.contains("did not run: `--memory-file`") && text.contains("Turns and tokens of 8 of 8 runs"));
        let won = report(&subject, &lines, &[]);
        assert!(won.contains("## Where recall loses\n\nIn no measured figure.\n"), "{won}");
    }
}

//! The statistics of runs of an agent: means by arm, and recall against each other arm, task by task.

use std::collections::BTreeMap;

use serde::Serialize;

use super::place::Arm;
use super::trial::TrialLine;
use crate::quality::compare;

/// A difference that is smaller is a rounding error.
const TIE: f64 = 1e-9;

/// What is measured of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Figure {
    Success,
    Turns,
    InputTokens,
    OutputTokens,
    CostUsd,
    Seconds,
}

impl Figure {
    pub(super) const ALL: [Self; 6] =
        [Self::Success, Self::Turns, Self::InputTokens, Self::OutputTokens, Self::CostUsd, Self::Seconds];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Turns => "turns",
            Self::InputTokens => "input tokens",
            Self::OutputTokens => "output tokens",
            Self::CostUsd => "cost in USD",
            Self::Seconds => "seconds",
        }
    }

    /// Returns the value of a run; `None` if it is not known.
    fn value(self, line: &TrialLine) -> Option<f64> {
        let usage = &line.usage;
        match self {
            Self::Success => Some(f64::from(u8::from(line.passed))),
            Self::Turns => usage.turns.map(|turns| turns as f64),
            Self::InputTokens => usage.tokens_in.map(|tokens| tokens as f64),
            Self::OutputTokens => usage.tokens_out.map(|tokens| tokens as f64),
            Self::CostUsd => usage.cost_usd,
            Self::Seconds => Some(line.wall_ms as f64 / 1_000.0),
        }
    }

    /// Whether more of it is worse.
    fn is_cost(self) -> bool {
        self != Self::Success
    }

    /// Returns the mean over tasks of an arm; `None` if it is not known of any run.
    pub(super) fn mean(self, lines: &[TrialLine], arm: Arm) -> Option<f64> {
        let means = self.task_means(lines, arm);
        (!means.is_empty()).then(|| means.values().sum::<f64>() / means.len() as f64)
    }

    /// Returns the mean over repeats of each task, as far as it is known.
    fn task_means(self, lines: &[TrialLine], arm: Arm) -> BTreeMap<&str, f64> {
        let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for line in lines.iter().filter(|line| line.arm == arm) {
            values.entry(&line.task).or_default().extend(self.value(line));
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        values.iter().filter(|(_, values)| !values.is_empty()).map(|(task, values)| (*task, mean(values))).collect()
    }
}

/// Recall against another arm in one figure, over the tasks of which both are known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Contest {
    pub(super) against: Arm,
    pub(super) figure: Figure,
    pub(super) tasks: usize,
    pub(super) other: f64,
    pub(super) recall: f64,
    /// That of recall minus that of the other arm.
    pub(super) difference: f64,
    /// The 95 % interval of the difference by a paired bootstrap over tasks.
    pub(super) interval: [f64; 2],
    /// The tasks in which recall is better, worse and equal.
    pub(super) better: usize,
    pub(super) worse: usize,
    pub(super) same: usize,
    pub(super) verdict: Verdict,
}

/// What a difference says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    Better,
    /// Better, but the interval contains 0.
    PerhapsBetter,
    Same,
    /// Worse, but the interval contains 0.
    PerhapsWorse,
    Worse,
}

impl Verdict {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::PerhapsBetter => "better, may be chance",
            Self::Same => "equal",
            Self::PerhapsWorse => "worse, may be chance",
            Self::Worse => "worse",
        }
    }

    pub(super) fn is_loss(self) -> bool {
        matches!(self, Self::PerhapsWorse | Self::Worse)
    }
}

impl Contest {
    /// Compares recall with each other arm that ran, in every figure that is known of both.
    pub(super) fn all(lines: &[TrialLine]) -> Vec<Self> {
        let others = Arm::ALL.into_iter().filter(|arm| *arm != Arm::Recall);
        others.flat_map(|arm| Figure::ALL.map(|figure| Self::compare(lines, arm, figure))).flatten().collect()
    }

    fn compare(lines: &[TrialLine], against: Arm, figure: Figure) -> Option<Self> {
        let (other, recall) = (figure.task_means(lines, against), figure.task_means(lines, Arm::Recall));
        let pairs = other.iter().filter_map(|(task, other)| Some((*other, *recall.get(task)?)));
        let (other, recall): (Vec<f64>, Vec<f64>) = pairs.unzip();
        if other.is_empty() {
            return None;
        }
        let compared = compare(&other, &recall);
        let (low, high) = compared.interval;
        let (better, worse) =
            if figure.is_cost() { (compared.losses, compared.wins) } else { (compared.wins, compared.losses) };
        let gain = if figure.is_cost() { -compared.difference } else { compared.difference };
        let contains_zero = low <= TIE && high >= -TIE;
        let verdict = match (gain, contains_zero) {
            (gain, _) if gain.abs() <= TIE => Verdict::Same,
            (gain, true) if gain > 0.0 => Verdict::PerhapsBetter,
            (gain, false) if gain > 0.0 => Verdict::Better,
            (_, true) => Verdict::PerhapsWorse,
            (_, false) => Verdict::Worse,
        };
        Some(Self {
            against,
            figure,
            tasks: compared.queries,
            other: compared.first,
            recall: compared.second,
            difference: compared.difference,
            interval: [low, high],
            better,
            worse,
            same: compared.ties,
            verdict,
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::bench::agent::usage::Usage;

    pub(in crate::bench::agent) fn line(
        task: &str,
        arm: Arm,
        repeat: u32,
        passed: bool,
        turns: Option<u64>,
    ) -> TrialLine {
        TrialLine {
            task: task.to_owned(),
            arm,
            repeat,
            seed: 1,
            agent: "agent".to_owned(),
            passed,
            ended: "exited".to_owned(),
            agent_exit: Some(0),
            check_exit: Some(i32::from(!passed)),
            wall_ms: 2_000,
            usage: Usage { turns, ..Usage::default() },
        }
    }

    #[track_caller]
    fn check(lines: &[TrialLine], figure: Figure, expected: Option<(f64, f64, [usize; 3], Verdict)>) {
        let contests = Contest::all(lines);
        let contest = contests.iter().find(|contest| contest.figure == figure && contest.against == Arm::None);
        let found = contest.map(|it| (it.other, it.recall, [it.better, it.worse, it.same], it.verdict));
        assert_eq!(found, expected, "{figure:?}");
    }

    #[test]
    fn repeats_are_averaged_and_tasks_are_paired() {
        let lines = [
            line("a", Arm::None, 1, false, Some(8)),
            line("a", Arm::None, 2, true, Some(4)),
            line("a", Arm::Recall, 1, true, Some(3)),
            line("b", Arm::None, 1, false, Some(6)),
            line("b", Arm::Recall, 1, true, Some(2)),
            // Only one arm ran it, so that it is not compared.
            line("c", Arm::None, 1, true, Some(1)),
        ];
        check(&lines, Figure::Success, Some((0.25, 1.0, [2, 0, 0], Verdict::Better)));
        // Fewer turns are better.
        check(&lines, Figure::Turns, Some((6.0, 2.5, [2, 0, 0], Verdict::Better)));
        check(&lines, Figure::Seconds, Some((2.0, 2.0, [0, 0, 2], Verdict::Same)));
        check(&lines, Figure::InputTokens, None);
        assert!((Figure::Success.mean(&lines, Arm::None).expect("known") - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_loss_is_said_as_plainly_as_a_win() {
        let mut lines = Vec::new();
        for task in ["a", "b", "c", "d"] {
            lines.push(line(task, Arm::None, 1, true, Some(2)));
            lines.push(line(task, Arm::Recall, 1, task == "a", Some(if task == "a" { 2 } else { 9 })));
        }
        check(&lines, Figure::Turns, Some((2.0, 7.25, [0, 3, 1], Verdict::Worse)));
        check(&lines[..4], Figure::Success, Some((1.0, 0.5, [0, 1, 1], Verdict::PerhapsWorse)));
        assert!(Contest::all(&lines[..4]).iter().any(|contest| contest.verdict.is_loss()));
    }
}

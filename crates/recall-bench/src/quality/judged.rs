//! The worth of a judge that keeps or drops hits, by the known answers.

use crate::quality::dataset::Relevant;
use crate::quality::run::Answer;

/// The hits whose precision is compared, before and after.
const SHOWN: usize = 5;

/// A hit with a judge's decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The hit.
    pub answer: Answer,
    /// Whether the judge keeps it.
    pub is_kept: bool,
}

/// The worth of a judge over the queries of a dataset. Rates are from 0 to 1; one without a case is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JudgeWorth {
    /// The queries.
    pub queries: usize,
    /// The share of the kept hits that are relevant.
    pub precision: f64,
    /// The share of the relevant hits that are kept.
    pub recall: f64,
    /// The harmonic mean of the two.
    pub f1: f64,
    /// The share of the hits that are dropped.
    pub filtering_rate: f64,
    /// The mean over the queries of the share of the first five hits that are relevant.
    pub raw_precision_at_5: f64,
    /// The same of the first five kept hits.
    pub kept_precision_at_5: f64,
}

impl JudgeWorth {
    /// Rates decisions. Each query has its hits in the order without the judge, and its known answers.
    pub fn compute(queries: &[(Vec<Decision>, &[Relevant])]) -> Self {
        let (mut kept, mut relevant, mut both, mut all) = (0_usize, 0_usize, 0_usize, 0_usize);
        let (mut raw, mut after) = (0.0, 0.0);
        for (decisions, known) in queries {
            let labelled: Vec<(bool, bool)> =
                decisions.iter().map(|one| (one.is_kept, is_relevant(&one.answer, known))).collect();
            all += labelled.len();
            kept += labelled.iter().filter(|(is_kept, _)| *is_kept).count();
            relevant += labelled.iter().filter(|(_, is_relevant)| *is_relevant).count();
            both += labelled.iter().filter(|(is_kept, is_relevant)| *is_kept && *is_relevant).count();
            raw += share(labelled.iter().map(|(_, is_relevant)| *is_relevant));
            after += share(labelled.iter().filter(|(is_kept, _)| *is_kept).map(|(_, is_relevant)| *is_relevant));
        }
        let (precision, recall) = (ratio(both, kept), ratio(both, relevant));
        let sum = precision + recall;
        let mean = |sum: f64| if queries.is_empty() { 0.0 } else { sum / queries.len() as f64 };
        Self {
            queries: queries.len(),
            precision,
            recall,
            f1: if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 },
            filtering_rate: ratio(all - kept, all),
            raw_precision_at_5: mean(raw),
            kept_precision_at_5: mean(after),
        }
    }

    /// Returns by how much the kept hits are better than the raw ones.
    pub fn improvement(&self) -> f64 {
        self.kept_precision_at_5 - self.raw_precision_at_5
    }
}

/// Returns the share of relevant hits among the first that are shown.
fn share(relevant: impl Iterator<Item = bool>) -> f64 {
    let shown: Vec<bool> = relevant.take(SHOWN).collect();
    ratio(shown.iter().filter(|is_relevant| **is_relevant).count(), shown.len())
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Returns whether a hit has a line of a known answer.
fn is_relevant(answer: &Answer, known: &[Relevant]) -> bool {
    known.iter().filter(|relevant| relevant.path == answer.path).any(|relevant| match (answer.lines, relevant.lines) {
        (Some(hit), Some(known)) => hit.start <= known.end && known.start <= hit.end,
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::dataset::Lines;

    fn decision(path: &str, is_kept: bool) -> Decision {
        Decision { answer: Answer { path: path.to_owned(), lines: Some(Lines { start: 1, end: 9 }) }, is_kept }
    }

    fn relevant(path: &str, lines: Option<Lines>) -> Relevant {
        Relevant { path: path.to_owned(), lines, grade: 1 }
    }

    #[test]
    fn kept_and_relevant_hits_are_counted_over_all_queries() {
        let known = [relevant("a", None), relevant("b", Some(Lines { start: 9, end: 12 }))];
        let hits = vec![decision("a", true), decision("b", false), decision("c", true), decision("d", false)];
        let other = [relevant("e", Some(Lines { start: 10, end: 12 }))];
        let worth = JudgeWorth::compute(&[(hits, &known), (vec![decision("e", true)], &other)]);
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{worth:?}");
        near(worth.precision, 1.0 / 3.0);
        near(worth.recall, 0.5);
        near(worth.f1, 0.4);
        near(worth.filtering_rate, 0.4);
        near(worth.raw_precision_at_5, 0.25);
        near(worth.kept_precision_at_5, 0.25);
        near(worth.improvement(), 0.0);
    }

    #[test]
    fn a_judge_that_drops_everything_has_no_precision() {
        let known = [relevant("a", None)];
        let worth = JudgeWorth::compute(&[(vec![decision("a", false)], &known)]);
        assert_eq!((worth.precision, worth.recall, worth.f1, worth.filtering_rate), (0.0, 0.0, 0.0, 1.0));
        assert_eq!(JudgeWorth::compute(&[]), JudgeWorth::default());
    }
}

//! The same questions about code in several languages: what a language costs, question by question.

use std::collections::BTreeMap;

use super::ranking::{self, Answers, Group};
use super::report::{Report, Table, figure, interval, outcomes};
use super::statistics::{self, Difference};
use super::{Bench, data};

/// The language that the others are compared with.
const ENGLISH: &str = "en";

/// Asks the questions in each language.
pub(crate) fn measure(bench: &Bench) -> Result<Report, String> {
    let groups = data::languages(bench)?;
    let (mut report, runs) = ranking::measure_all(bench, "languages", &groups)?;
    let recall = runs.first().ok_or("recall did not answer")?;
    let by_language = values_by_language(&groups, recall);
    let english = by_language.get(ENGLISH).cloned().unwrap_or_default();
    let mut table = Table::new(&[
        "language",
        "questions",
        "nDCG@10",
        "the same in English",
        "minus English",
        "better / worse / equal",
    ]);
    let mut losses = Vec::new();
    for (language, values) in &by_language {
        let (ours, theirs) = pair(values, &english);
        let mut row = vec![language.clone(), values.len().to_string(), figure(statistics::mean(&ours))];
        if language == ENGLISH {
            row.extend([String::new(), String::new(), String::new()]);
        } else {
            let difference = Difference::compare(&ours, &theirs, bench.seed);
            row.push(figure(statistics::mean(&theirs)));
            row.push(interval(&difference));
            row.push(outcomes(difference.greater, difference.less, difference.equal));
            if difference.mean < 0.0 {
                losses.push(format!(
                    "asked in `{language}` instead of English: nDCG@10 {}, in English {}; difference {}",
                    figure(statistics::mean(&ours)),
                    figure(statistics::mean(&theirs)),
                    interval(&difference)
                ));
            }
        }
        table.rows.push(row);
    }
    losses.append(&mut report.losses);
    let means: Vec<String> = by_language
        .iter()
        .map(|(language, values)| {
            let values: Vec<f64> = values.values().copied().collect();
            format!("{language} {}", figure(statistics::mean(&values)))
        })
        .collect();
    report.losses = losses;
    report.summary = format!("{}; recall by language: {}", report.summary, means.join(", "));
    report.tables.extend([table, peers_by_language(&groups, &runs)]);
    report.remarks.push(
        "The questions are some of [semble](https://github.com/MinishLab/semble)'s, with translations that were made for this set. Each language is compared with English \
         question by question, for recall alone. The last table has the nDCG@10 of every program by language."
            .to_owned(),
    );
    Ok(report)
}

/// Returns nDCG@10 by language, each by the question without its language.
fn values_by_language(groups: &[Group], answers: &Answers) -> BTreeMap<String, BTreeMap<String, f64>> {
    let questions = groups.iter().flat_map(|group| &group.questions);
    let mut values: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for (question, ranks) in questions.zip(&answers.ranks) {
        if let [name, language, number] = question.id.split('/').collect::<Vec<_>>()[..] {
            values.entry(language.to_owned()).or_default().insert(format!("{name}/{number}"), statistics::ndcg(ranks));
        }
    }
    values
}

/// Returns the values of the questions that both languages have, in one order.
fn pair(ours: &BTreeMap<String, f64>, theirs: &BTreeMap<String, f64>) -> (Vec<f64>, Vec<f64>) {
    ours.iter().filter_map(|(question, value)| Some((*value, *theirs.get(question)?))).unzip()
}

fn peers_by_language(groups: &[Group], runs: &[Answers]) -> Table {
    let all: Vec<_> = runs.iter().map(|run| (run.name, values_by_language(groups, run))).collect();
    let languages: Vec<&str> =
        all.first().map_or_else(Vec::new, |(_, values)| values.keys().map(String::as_str).collect());
    let mut table = Table::new(&[&["nDCG@10"], &languages[..]].concat());
    for (name, values) in &all {
        let mean = |language: &&str| {
            let values: Vec<f64> = values.get(*language).into_iter().flatten().map(|(_, value)| *value).collect();
            figure(statistics::mean(&values))
        };
        table.rows.push(std::iter::once((*name).to_owned()).chain(languages.iter().map(mean)).collect());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_compared_on_the_questions_that_both_have() {
        let values = |pairs: &[(&str, f64)]| pairs.iter().map(|(id, value)| ((*id).to_owned(), *value)).collect();
        let (ours, theirs) =
            pair(&values(&[("a/0", 0.5), ("a/1", 0.25)]), &values(&[("a/1", 1.0), ("b/0", 0.75), ("a/0", 0.0)]));
        assert_eq!(format!("{ours:?} {theirs:?}"), "[0.5, 0.25] [0.0, 1.0]");
    }
}

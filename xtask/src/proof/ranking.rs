//! Questions with known files: what each program answers, and how it compares with recall.

use std::path::{Path, PathBuf};

use super::Bench;
use super::peers::{SEARCHERS, Searcher};
use super::plot::Bar;
use super::recall::Corpus;
use super::report::{Report, Table, figure, interval, outcomes};
use super::statistics::{self, Difference};
use super::tree::{Checkout, Question};
use crate::say;

/// Questions about one tree, or about the trees of one history.
pub(crate) struct Group {
    pub(crate) root: PathBuf,
    /// The clone at the root, if each question has a commit of its own.
    pub(crate) history: Option<Checkout>,
    pub(crate) corpus: Corpus,
    pub(crate) questions: Vec<Question>,
}

/// A figure of the ranks of the files that answer.
type Metric = fn(&[Option<usize>]) -> f64;

/// The metrics, by name, from the ranks of the files that answer.
const METRICS: [(&str, Metric); 5] = [
    ("nDCG@10", statistics::ndcg),
    ("one first", |ranks| statistics::any_within(ranks, 1)),
    ("one among three", |ranks| statistics::any_within(ranks, 3)),
    ("one among ten", |ranks| statistics::any_within(ranks, 10)),
    ("all among five", |ranks| statistics::all_within(ranks, 5)),
];

/// One program's answers to all questions.
pub(crate) struct Answers {
    pub(crate) name: &'static str,
    remark: String,
    /// The ranks of the files of each question.
    pub(crate) ranks: Vec<Vec<Option<usize>>>,
}

/// Asks every program every question, and compares them.
pub(crate) fn measure(bench: &Bench, set: &str, groups: &[Group]) -> Result<Report, String> {
    measure_all(bench, set, groups).map(|(report, _)| report)
}

/// Asks every program every question, and compares them; returns the answers too, recall's first.
pub(crate) fn measure_all(bench: &Bench, set: &str, groups: &[Group]) -> Result<(Report, Vec<Answers>), String> {
    let mut report = Report { raw: Table::new(&["question", "program", "ranks"]), ..Report::default() };
    let questions = groups.iter().map(|group| group.questions.len()).sum::<usize>();
    if questions == 0 {
        return Err("there are no questions".to_owned());
    }
    let mut runs: Vec<Answers> = Vec::new();
    for name in bench.select(SEARCHERS) {
        say(&format!("{set}: {name}, {questions} questions\n"));
        match run(bench, name, groups) {
            Ok(run) => runs.push(run),
            Err(why) if name == "recall" => return Err(why),
            Err(why) => report.not_run.push(format!("{name}: {why}")),
        }
    }
    let ids: Vec<&str> =
        groups.iter().flat_map(|group| &group.questions).map(|question| question.id.as_str()).collect();
    for run in &runs {
        for (id, ranks) in ids.iter().zip(&run.ranks) {
            let ranks: Vec<String> =
                ranks.iter().map(|rank| rank.map_or("-".to_owned(), |rank| rank.to_string())).collect();
            report.raw.rows.push(vec![(*id).to_owned(), run.name.to_owned(), ranks.join(" ")]);
        }
    }
    compare(&mut report, &runs, bench.seed);
    report.summary = format!("{questions} questions about {}. {}", repositories(groups), report.summary);
    for run in runs.iter().filter(|run| !run.remark.is_empty()) {
        report.remarks.push(format!("{}: {}.", run.name, run.remark));
    }
    report.remarks.push(
        "The answers are the first ten distinct files. The last two columns compare nDCG@10 question by question: recall minus the program, \
         with the 95 % interval of a paired bootstrap, and the questions in which recall is better / worse / equal."
            .to_owned(),
    );
    Ok((report, runs))
}

fn repositories(groups: &[Group]) -> String {
    if groups.len() == 1 { "one tree or history".to_owned() } else { format!("{} trees or histories", groups.len()) }
}

fn run(bench: &Bench, name: &'static str, groups: &[Group]) -> Result<Answers, String> {
    let mut searcher = Searcher::open(name, bench)?;
    let mut ranks = Vec::new();
    for group in groups {
        let mut prepared = None;
        for question in &group.questions {
            if let Some(checkout) = &group.history {
                checkout.switch(&question.commit)?;
            }
            if prepared != Some(&question.commit) {
                searcher.prepare(&group.root, group.corpus)?;
                prepared = Some(&question.commit);
            }
            let files = searcher.files(&group.root, &question.text, group.corpus)?;
            ranks.push(statistics::ranks(&files, &question.files()));
        }
    }
    Ok(Answers { name, remark: searcher.remark().to_owned(), ranks })
}

/// Adds the table, the plot and the losses.
fn compare(report: &mut Report, runs: &[Answers], seed: u64) {
    let mut head = vec!["program"];
    head.extend(METRICS.iter().map(|(name, _)| *name));
    head.extend(["recall minus it", "better / worse / equal"]);
    let mut table = Table::new(&head);
    let values = |run: &Answers, metric: Metric| -> Vec<f64> { run.ranks.iter().map(|ranks| metric(ranks)).collect() };
    let mut bars = Vec::new();
    for run in runs {
        let mut row = vec![run.name.to_owned()];
        row.extend(METRICS.iter().map(|(_, metric)| figure(statistics::mean(&values(run, *metric)))));
        if run.name == runs[0].name {
            row.extend([String::new(), String::new()]);
        } else {
            let difference = Difference::compare(&values(&runs[0], METRICS[0].1), &values(run, METRICS[0].1), seed);
            row.push(interval(&difference));
            row.push(outcomes(difference.greater, difference.less, difference.equal));
            for (name, metric) in METRICS {
                let difference = Difference::compare(&values(&runs[0], metric), &values(run, metric), seed);
                if difference.mean < 0.0 {
                    let (ours, theirs) =
                        (statistics::mean(&values(&runs[0], metric)), statistics::mean(&values(run, metric)));
                    report.losses.push(format!(
                        "{name}: recall {}, {} {}; difference {}",
                        figure(ours),
                        run.name,
                        figure(theirs),
                        interval(&difference)
                    ));
                }
            }
            if difference.less > 0 {
                let share = difference.less as f64 * 100.0 / run.ranks.len() as f64;
                report
                    .losses
                    .push(format!("nDCG@10 is lower than that of {} for {share:.0} % of the questions", run.name));
            }
        }
        let value = statistics::mean(&values(run, METRICS[0].1));
        bars.push(Bar { label: run.name.to_owned(), value, text: figure(value) });
        table.rows.push(row);
    }
    let means: Vec<String> = bars.iter().map(|bar| format!("{} {}", bar.label, bar.text)).collect();
    report.summary = format!("nDCG@10: {}", means.join("; "));
    report.tables.push(table);
    report.plot = Some(("nDCG@10".to_owned(), bars));
}

/// Makes groups of the histories of repositories, each with its share of the questions.
pub(crate) fn draw_histories(
    bench: &Bench,
    repositories: &[(String, PathBuf)],
    corpus: Corpus,
) -> Result<Vec<Group>, String> {
    let each = bench.limit.div_ceil(repositories.len().max(1));
    repositories.iter().map(|(name, source)| draw_history(bench, name, source, each, corpus)).collect()
}

fn draw_history(bench: &Bench, name: &str, source: &Path, limit: usize, corpus: Corpus) -> Result<Group, String> {
    let checkout = Checkout::clone(source, bench.place.join("trees").join(name))?;
    let questions = checkout.draw(name, limit, bench.seed)?;
    Ok(Group { root: checkout.root.clone(), history: Some(checkout), corpus, questions })
}

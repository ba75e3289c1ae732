//! What an agent pays until it has read the lines that answer: explorers compared on the same questions.

use super::Bench;
use super::explorers::{EXPLORERS, Outcome, Price, explore};
use super::plot::Bar;
use super::ranking::{self, Group};
use super::recall::Corpus;
use super::report::{Report, Table, figure, interval, outcomes};
use super::statistics::{self, Difference};
use crate::say;

/// A figure of a price.
type Cost = fn(&Price) -> f64;

/// The price at one end of an exploration.
type End = fn(&Outcome) -> Price;

/// What is paid, by name.
const COSTS: [(&str, Cost); 3] =
    [("calls", |price| price.calls as f64), ("tokens", Price::tokens), ("ms", |price| price.ms)];

/// The two ends of an exploration, by name.
const ENDS: [(&str, End); 2] =
    [("the first changed place", |outcome| outcome.first), ("all changed places", |outcome| outcome.all)];

/// Explores the history of this repository, those of the folder of data, and its reports.
pub(crate) fn measure(bench: &Bench) -> Result<Report, String> {
    let mut report = Report {
        raw: Table::new(&[
            "question",
            "explorer",
            "first_calls",
            "first_tokens",
            "first_ms",
            "first_read",
            "all_calls",
            "all_tokens",
            "all_ms",
            "all_read",
        ]),
        ..Report::default()
    };
    let own = vec![("own".to_owned(), bench.repository.clone())];
    let mut parts = vec![("this repository's history", ranking::draw_histories(bench, &own, Corpus::Code))];
    if bench.data.is_some() {
        let others =
            super::data::repositories(bench).and_then(|all| ranking::draw_histories(bench, &all, Corpus::Code));
        parts.push(("histories of other repositories", others));
        parts.push(("bug reports", super::data::reports(bench)));
    }
    let mut summaries = Vec::new();
    for (name, groups) in parts {
        match groups.and_then(|groups| part(bench, name, &groups, &mut report)) {
            Ok(summary) => summaries.push(format!("{name}: {summary}")),
            Err(why) => report.not_run.push(format!("{name}: {why}")),
        }
    }
    if summaries.is_empty() {
        return Err(report.not_run.join("; "));
    }
    report.summary = summaries.join("; ");
    report.remarks.extend(REMARKS.iter().map(|remark| (*remark).to_owned()));
    Ok(report)
}

const REMARKS: &[&str] = &[
    "No language model takes part: each explorer follows a policy that is written in `xtask/src/proof/explorers.rs`. A question is the whole \
     message of a commit, or a report; the answer are the lines that the commit, or the fix, replaced, in the tree before it. Of a report \
     whose fix is known by its files alone, any line of a file is enough.",
    "*grep and read* greps the words of the question, one a call, the rarest first, in any case of the letters, sees the first 100 matching \
     lines, and reads two windows of 100 lines around the matches in each of the three files with most of them. Which word is the rarest, and \
     which files have most matches, it knows for nothing: a real agent guesses. So this is a strong opponent.",
    "*recall search* asks once, is shown the text of ten passages, reads up to five windows of 100 lines in each of the first five files, from the \
     best passage outwards, and goes on as *grep and read*. *recall context* first asks for a context of 4,000 tokens, then goes on as *recall \
     search*.",
    "All stop when every line of the answer was shown, or after 40 calls. What was never read counts with all that was spent. A token is four \
     bytes of calls and answers, for all alike; the descriptions of tools are not counted. Milliseconds are those of the processes and reads, with \
     an index that is whole; no model's time is in them.",
];

/// Explores the questions of groups; adds the tables and the losses, and returns a summary.
fn part(bench: &Bench, name: &str, groups: &[Group], report: &mut Report) -> Result<String, String> {
    let recall = bench.recall("agent", &[])?;
    let mut outcomes: Vec<Vec<Outcome>> = vec![Vec::new(); EXPLORERS.len()];
    for group in groups {
        for question in &group.questions {
            say(&format!("agent: {}\n", question.id));
            if let Some(checkout) = &group.history {
                checkout.switch(&question.commit)?;
            }
            recall.settle(&group.root)?;
            for (explorer, outcomes) in EXPLORERS.iter().zip(&mut outcomes) {
                let outcome = explore(explorer, &recall, &group.root, question)?;
                report.raw.rows.push(raw_row(&question.id, explorer, &outcome));
                outcomes.push(outcome);
            }
        }
    }
    let questions = outcomes[0].len();
    if questions == 0 {
        return Err("there are no questions".to_owned());
    }
    let mut bars = Vec::new();
    for (end, price) in ENDS {
        report.tables.push(table(&format!("{name}, {questions} questions, until {end}"), &outcomes, price, bench.seed));
        losses(&format!("{name}, until {end}"), &outcomes, price, bench.seed, &mut report.losses);
        for (explorer, outcomes) in EXPLORERS.iter().zip(&outcomes) {
            let tokens: Vec<f64> = outcomes.iter().map(|outcome| price(outcome).tokens()).collect();
            let value = statistics::mean(&tokens);
            bars.push(Bar {
                label: format!("{explorer}: {}", short(end)),
                value,
                text: format!("{} tokens", figure(value)),
            });
        }
    }
    let summary =
        EXPLORERS.iter().zip(&bars).map(|(explorer, bar)| format!("{explorer} {}", bar.text)).collect::<Vec<_>>();
    report.plot.get_or_insert((format!("Tokens until the changed lines are read: {name}"), bars));
    Ok(format!("{} until the first changed place ({questions} questions)", summary.join(", ")))
}

fn short(end: &str) -> &str {
    end.split(' ').nth(usize::from(end.starts_with("the "))).unwrap_or(end)
}

fn raw_row(id: &str, explorer: &str, outcome: &Outcome) -> Vec<String> {
    let mut row = vec![id.to_owned(), explorer.to_owned()];
    for price in [outcome.first, outcome.all] {
        let read = u8::from(price.reached);
        row.extend([
            price.calls.to_string(),
            format!("{:.0}", price.tokens()),
            format!("{:.0}", price.ms),
            read.to_string(),
        ]);
    }
    row
}

/// Compares the explorers: their means, and recall minus grep.
fn table(title: &str, explorers: &[Vec<Outcome>], price: End, seed: u64) -> Table {
    let mut table = Table::new(&[
        title,
        "read",
        "calls",
        "tokens",
        "median tokens",
        "ms",
        "tokens minus grep's",
        "fewer / more / equal",
    ]);
    let values = |outcomes: &[Outcome], cost: Cost| -> Vec<f64> {
        outcomes.iter().map(|outcome| cost(&price(outcome))).collect()
    };
    for (name, all) in EXPLORERS.iter().zip(explorers) {
        let read: Vec<f64> = all.iter().map(|outcome| f64::from(u8::from(price(outcome).reached))).collect();
        let tokens = values(all, Price::tokens);
        let mut row = vec![(*name).to_owned(), figure(statistics::mean(&read))];
        row.extend([figure(statistics::mean(&values(all, COSTS[0].1))), figure(statistics::mean(&tokens))]);
        row.extend([figure(statistics::percentile(&tokens, 0.5)), figure(statistics::mean(&values(all, COSTS[2].1)))]);
        if *name == EXPLORERS[0] {
            row.extend([String::new(), String::new()]);
        } else {
            let difference = Difference::compare(&tokens, &values(&explorers[0], Price::tokens), seed);
            row.push(interval(&difference));
            row.push(outcomes(difference.less, difference.greater, difference.equal));
        }
        table.rows.push(row);
    }
    table
}

fn losses(name: &str, explorers: &[Vec<Outcome>], price: End, seed: u64, losses: &mut Vec<String>) {
    for (explorer, all) in EXPLORERS.iter().zip(explorers).skip(1) {
        for (cost, value) in COSTS {
            let ours: Vec<f64> = all.iter().map(|outcome| value(&price(outcome))).collect();
            let theirs: Vec<f64> = explorers[0].iter().map(|outcome| value(&price(outcome))).collect();
            let difference = Difference::compare(&ours, &theirs, seed);
            if difference.mean > 0.0 {
                let (ours, theirs) = (statistics::mean(&ours), statistics::mean(&theirs));
                let (ours, theirs) = (figure(ours), figure(theirs));
                losses.push(format!(
                    "{name}: {explorer} pays {ours} {cost}, grep and read {theirs}; difference {}",
                    interval(&difference)
                ));
            }
            if cost == "tokens" && difference.greater > 0 {
                let share = difference.greater as f64 * 100.0 / all.len() as f64;
                losses.push(format!(
                    "{name}: {explorer} pays more tokens than grep and read for {share:.0} % of the questions"
                ));
            }
        }
    }
}

//! Text output of reports.

use std::fmt::Write as _;

use crate::quality::{Comparison, Group, JudgeWorth, Metric};
use anstyle::Style;
use recall_cli::text::style::{DIM, GOOD, STRONG, WARNING};
use recall_cli::text::table::{Align, Column, render as table};
use recall_cli::text::{count, count_noun, printable};

use crate::report::{BudgetReport, MemoryReport, PromptReport, Report, SHOWN};

/// Formats the means of all queries and of each group, then the contribution of each stage, then the changes.
pub(crate) fn report(report: &Report, width: Option<usize>) -> String {
    let Report { dataset, queries, corpora, shown, summary, ablations, changes, floors: _, scores: _ } = report;
    let mut parts = vec![format!(
        "{STRONG}{}{STRONG:#} {DIM}{}, {}{DIM:#}\n",
        printable(dataset),
        count_noun(*queries as u64, "query", "queries"),
        count_noun(*corpora as u64, "corpus", "corpora"),
    )];
    let mut rows = vec![row("all", &summary.queries_mean)];
    if *corpora > 1 {
        rows.insert(0, row("mean of corpora", &summary.corpora_mean));
    }
    parts.push(groups_table("", shown, &rows, width));
    for (grouping, groups) in &summary.groups {
        // A group that contains every query repeats the means above.
        if groups.iter().any(|group| group.queries < *queries) {
            let rows: Vec<_> = groups.iter().map(|group| row(&group.name, group)).collect();
            parts.push(groups_table(grouping.as_str(), shown, &rows, width));
        }
    }
    if !ablations.is_empty() {
        let rows: Vec<_> = ablations.iter().map(|(stage, worth)| format_comparison(stage.as_str(), worth)).collect();
        let heading = format!("{STRONG}What each stage is worth{STRONG:#} {DIM}by {}{DIM:#}\n", shown[0]);
        parts.push(heading + &comparison_table(["stage", "without", "with", "worth"], &rows, width));
    }
    if !changes.is_empty() {
        let rows: Vec<_> =
            changes.iter().map(|(metric, change)| format_comparison(&metric.to_string(), change)).collect();
        let heading = format!("{STRONG}What has changed{STRONG:#}\n");
        parts.push(heading + &comparison_table(["metric", "before", "now", "change"], &rows, width));
    }
    parts.join("\n")
}

/// Formats a judge's worth.
pub(crate) fn judge(worth: &JudgeWorth, not_judged: usize) -> String {
    let JudgeWorth { queries, precision, recall, f1, filtering_rate, raw_precision_at_5, kept_precision_at_5 } = *worth;
    let mut text = format!(
        "queries          {}\nprecision        {precision:.3}\nrecall           {recall:.3}\nF1               {f1:.3}\n\
         filtering rate   {filtering_rate:.3}\nP@5 of all hits  {raw_precision_at_5:.3}\n\
         P@5 of the kept  {kept_precision_at_5:.3} ({:+.3})\n",
        count(queries as u64),
        worth.improvement(),
    );
    if not_judged > 0 {
        let _ = writeln!(text, "{WARNING}not judged{WARNING:#}       {}", count(not_judged as u64));
    }
    text
}

/// Formats the shares of relevant files in context windows, one row per budget.
pub(crate) fn windows(reports: &[BudgetReport], width: Option<usize>) -> String {
    let right = |heading, style| Column { heading, align: Align::Right, style };
    let layout = [
        right("tokens", Style::new()),
        right("hits in their order", Style::new()),
        right("window", STRONG),
        right("with text", Style::new()),
        right("above budget", WARNING),
        right("median", DIM),
    ];
    let rows: Vec<[String; 6]> = reports
        .iter()
        .map(|BudgetReport { budget_tokens, in_order, window, with_text, above, median }| {
            [
                count(u64::from(*budget_tokens)),
                format!("{in_order:.3}"),
                format!("{window:.3}"),
                format!("{with_text:.3}"),
                count(*above as u64),
                format!("{:.1} ms", median.as_secs_f64() * 1e3),
            ]
        })
        .collect();
    table(&layout, &rows, width)
}

/// Formats what the hook of a prompt shows, one row per threshold.
pub(crate) fn prompts(report: &PromptReport, width: Option<usize>) -> String {
    let PromptReport { dataset, prompts, named, budget_tokens, rows, memories } = report;
    let head = format!(
        "{STRONG}{}{STRONG:#} {DIM}{}, {} of them name a relevant file; at most {budget_tokens} tokens{DIM:#}\n",
        printable(dataset),
        count_noun(*prompts as u64, "prompt", "prompts"),
        count(*named as u64),
    );
    let right = |heading, style| Column { heading, align: Align::Right, style };
    let layout = [
        right("confidence", Style::new()),
        right("precision", STRONG),
        right("shown", DIM),
        right("answered", Style::new()),
        right("missed", Style::new()),
        right("tokens a prompt", Style::new()),
        right("most", DIM),
    ];
    let share = |part: usize| part as f64 / (*prompts).max(1) as f64;
    let rows: Vec<[String; 7]> = rows
        .iter()
        .map(|row| {
            [
                format!("{:.2}", row.threshold),
                row.precision().map_or_else(String::new, |precision| format!("{precision:.3}")),
                count(row.shown as u64),
                format!("{:.3}", share(row.answered)),
                format!("{:.3}", row.misses(*prompts)),
                format!("{:.0}", row.tokens_per_prompt(*prompts)),
                count(u64::from(row.most_tokens)),
            ]
        })
        .collect();
    format!("{head}\n{}\n{}", table(&layout, &rows, width), shown_memories(memories, width))
}

/// Formats which memories the hook shows, one row per threshold.
fn shown_memories(report: &MemoryReport, width: Option<usize>) -> String {
    let MemoryReport { known, unknown, rows } = report;
    let head = format!(
        "{STRONG}Memories{STRONG:#} {DIM}{} with a relevant memory, {} without{DIM:#}\n",
        count_noun(*known as u64, "prompt", "prompts"),
        count(*unknown as u64),
    );
    let right = |heading, style| Column { heading, align: Align::Right, style };
    let layout = [
        right("confidence", Style::new()),
        right("precision", STRONG),
        right("shown", DIM),
        right("missed", Style::new()),
        right("shown without", WARNING),
    ];
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let rows: Vec<[String; 5]> = rows
        .iter()
        .map(|row| {
            [
                format!("{:.2}", row.threshold),
                row.precision().map_or_else(String::new, |precision| format!("{precision:.3}")),
                count(row.shown as u64),
                format!("{:.3}", share(known - row.helped, *known)),
                format!("{:.3}", share(row.alarms, *unknown)),
            ]
        })
        .collect();
    format!("{head}{}", table(&layout, &rows, width))
}

/// A row: the name, the number of queries and the shown metrics.
fn row(name: &str, group: &Group) -> [String; SHOWN + 2] {
    let Group { name: _, queries, means } = group;
    std::array::from_fn(|at| match at {
        0 => printable(name).into_owned(),
        1 => count(*queries as u64),
        _ => means.get(at - 2).map_or_else(String::new, |mean| format!("{mean:.3}")),
    })
}

fn groups_table(heading: &str, shown: &[Metric; SHOWN], rows: &[[String; SHOWN + 2]], width: Option<usize>) -> String {
    let names = shown.map(|metric| metric.to_string());
    let layout: [Column<'_>; SHOWN + 2] = std::array::from_fn(|at| match at {
        0 => Column { heading, align: Align::Path, style: Style::new() },
        1 => Column { heading: "queries", align: Align::Right, style: DIM },
        2 => Column { heading: &names[0], align: Align::Right, style: STRONG },
        _ => Column { heading: &names[at - 2], align: Align::Right, style: Style::new() },
    });
    table(&layout, rows, width)
}

/// A row: the name, both means, their difference with its interval, and the number of queries won by each.
fn format_comparison(name: &str, comparison: &Comparison) -> [String; 8] {
    let Comparison { queries: _, first, second, difference, interval: (low, high), wins, losses, ties } = comparison;
    [
        name.to_owned(),
        format!("{first:.3}"),
        format!("{second:.3}"),
        format!("{difference:+.3}"),
        format!("{low:+.3} … {high:+.3}"),
        count(*wins as u64),
        count(*losses as u64),
        count(*ties as u64),
    ]
}

/// Formats a table of comparisons; the headings are those of the name, both means and their difference.
fn comparison_table(headings: [&str; 4], rows: &[[String; 8]], width: Option<usize>) -> String {
    let [name, first, second, difference] = headings;
    let right = |heading| Column { heading, align: Align::Right, style: Style::new() };
    let layout = [
        Column { heading: name, align: Align::Path, style: Style::new() },
        right(first),
        right(second),
        right(difference),
        right("95 % interval"),
        Column { heading: "better", align: Align::Right, style: GOOD },
        Column { heading: "worse", align: Align::Right, style: WARNING },
        Column { heading: "same", align: Align::Right, style: DIM },
    ];
    table(&layout, rows, width)
}

//! `recall stats`

use std::fmt::Write as _;

use clap::Args;
use recall_api::convert::scope;
use recall_api::json::{SAVINGS_METHOD, saved_tokens};
use recall_api::v1;
use recall_core::Scope;
use recall_text::quantity::{bytes, count, count_noun};

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::human::style::{DIM, NOTE, PATH, STRONG};
use crate::output::human::text::printable;
use crate::output::{Format, Output};
use crate::{Exit, args};

/// Arguments of `recall stats`.
#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// Estimate how many tokens the answers in this project's sessions saved their readers.
    #[arg(long)]
    savings: bool,
    /// Draw what happened in this project as one page of HTML: `recall stats --html > figures.html`.
    #[arg(long)]
    html: bool,
    /// The stores: project, global, domain or all.
    #[arg(long, default_value = "all", value_parser = args::scope)]
    scope: Scope,
}

/// How many types or languages are shown.
const SHOWN: usize = 8;

pub(super) async fn run(args: StatsArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let StatsArgs { savings, html, scope } = args;
    let request = v1::StatsRequest {
        context: Some(context.request_context()),
        scope: scope::to_proto(scope).into(),
        savings,
        activity: false,
        html,
    };
    let answer = context.ask(async |client| client.stats(request.clone()).await).await?;
    let output = &context.output;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human if html => Output::raw(&answer.html)?,
        Format::Human => output.text(&text(&answer))?,
    }
    Ok(Exit::Done)
}

fn text(answer: &v1::StatsResponse) -> String {
    let v1::StatsResponse { stores, savings, activity: _, html: _ } = answer;
    let mut text = String::new();
    for store in stores {
        let v1::StoreStats {
            scope,
            root,
            documents,
            chunks,
            symbols,
            edges,
            text_bytes,
            types,
            languages,
            memories,
            sessions,
        } = store;
        let scope = scope::store_from_proto(*scope).map_or("", recall_core::StoreScope::as_str);
        let _ = writeln!(text, "{STRONG}{scope}{STRONG:#} {PATH}{}{PATH:#}", printable(root));
        let (memories, sessions) =
            (count_noun(*memories, "memory", "memories"), count_noun(*sessions, "session", "sessions"));
        let _ = writeln!(
            text,
            "  {}, {} of text, {memories}, {sessions}",
            count_noun(*documents, "document", "documents"),
            bytes(*text_bytes)
        );
        let (chunks, symbols) = (count_noun(*chunks, "chunk", "chunks"), count_noun(*symbols, "symbol", "symbols"));
        let _ = writeln!(text, "  {chunks}, {symbols}, {}", count_noun(*edges, "edge", "edges"));
        for (name, numbers) in [("types", types), ("languages", languages)] {
            if !numbers.is_empty() {
                let _ = writeln!(
                    text,
                    "  {DIM}{name}{DIM:#} {}",
                    most(numbers.iter().map(|(name, number)| (&**name, *number)))
                );
            }
        }
    }
    if let Some(savings) = savings {
        text.push_str(&format_savings(savings));
    }
    text
}

/// Formats the greatest numbers with their names.
fn most<'a>(numbers: impl Iterator<Item = (&'a str, u64)>) -> String {
    let mut numbers: Vec<_> = numbers.collect();
    numbers.sort_unstable_by(|(left, most), (right, least)| least.cmp(most).then(left.cmp(right)));
    let shown: Vec<_> =
        numbers.iter().take(SHOWN).map(|(name, number)| format!("{} {}", printable(name), count(*number))).collect();
    match numbers.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{}, {more} more", shown.join(", ")),
    }
}

fn format_savings(savings: &v1::Savings) -> String {
    let v1::Savings { since: _, sessions, answers, hits, unknown_hits, files, answer_tokens, file_tokens } = savings;
    let mut text = format!("{STRONG}savings, an estimate{STRONG:#}\n");
    if *answers == 0 {
        text.push_str("  no answers are recorded: only those in sessions are\n");
        return text;
    }
    let since = savings.since.as_ref().and_then(recall_api::json::rfc3339);
    let since =
        since.map(|since| format!(" since {}", since.split('T').next().unwrap_or_default())).unwrap_or_default();
    let (answers, sessions) = (count_noun(*answers, "answer", "answers"), count_noun(*sessions, "session", "sessions"));
    let _ = writeln!(text, "  {answers} in {sessions}{since}, {}", count_noun(*hits, "hit", "hits"));
    if *unknown_hits > 0 {
        let _ =
            writeln!(text, "  {} of these hits are not in the index any more and not counted", count(*unknown_hits));
    }
    let _ = writeln!(text, "  about {} tokens in answers", count(*answer_tokens));
    let _ = writeln!(
        text,
        "  about {} tokens in the {} that they are from",
        count(*file_tokens),
        count_noun(*files, "file", "files")
    );
    let difference = saved_tokens(savings);
    let size = count(difference.unsigned_abs());
    let _ = match difference {
        0.. => writeln!(text, "  so about {size} tokens were not read"),
        _ => writeln!(text, "  so the answers have about {size} tokens more than the files"),
    };
    let _ = writeln!(text, "{NOTE}method{NOTE:#}: {SAVINGS_METHOD}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::human::style::plain;

    #[test]
    fn savings_are_called_an_estimate_and_may_be_none() {
        let savings = v1::Savings {
            sessions: 1,
            answers: 2,
            hits: 9,
            unknown_hits: 1,
            files: 5,
            answer_tokens: 900,
            file_tokens: 12_000,
            since: None,
        };
        let shown = plain(&format_savings(&savings));
        insta::assert_snapshot!(shown.lines().take(6).collect::<Vec<_>>().join("\n"), @r"
        savings, an estimate
          2 answers in 1 session, 9 hits
          1 of these hits are not in the index any more and not counted
          about 900 tokens in answers
          about 12,000 tokens in the 5 files that they are from
          so about 11,100 tokens were not read
        ");
        assert!(shown.contains("method: "), "{shown}");
        let negative = v1::Savings { answers: 1, answer_tokens: 30, file_tokens: 10, ..v1::Savings::default() };
        assert!(plain(&format_savings(&negative)).contains("have about 20 tokens more than the files"));
        assert!(plain(&format_savings(&v1::Savings::default())).contains("no answers are recorded"));
    }

    #[test]
    fn the_greatest_numbers_come_first() {
        let numbers = ["a", "b", "c", "d", "e", "f", "g", "h", "i"].into_iter().zip([1_u64, 5, 3, 3, 2, 2, 2, 2, 2]);
        assert_eq!(most(numbers), "b 5, c 3, d 3, e 2, f 2, g 2, h 2, i 2, 1 more");
    }
}

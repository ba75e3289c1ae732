//! Text output of exact searches.

use std::fmt::Write as _;
use std::ops::Range;

use recall_api::convert::scope;
use recall_api::v1;
use recall_core::StoreScope;

use super::quantity::{count, count_noun, millis};
use super::style::{DIM, LINE, MATCH, PATH};
use super::text::printable;

/// Formats the lines, best document first: `path:line: text`, as other programs that search lines do.
pub(crate) fn render(answer: &v1::ExactResponse) -> String {
    answer.results.iter().map(line).collect()
}

/// Formats how much matches, and how to see what is not shown.
pub(crate) fn summary(answer: &v1::ExactResponse) -> String {
    let v1::ExactResponse {
        results,
        stats,
        next_offset,
        total_matches,
        total_lines,
        total_documents,
        files_left_out,
        ..
    } = answer;
    let mut text = format!(
        "{} in {} of {}",
        count_noun(*total_matches, "match", "matches"),
        count_noun(*total_lines, "line", "lines"),
        count_noun(*total_documents, "file", "files"),
    );
    if let Some(next) = next_offset {
        let more = total_lines.saturating_sub(u64::from(*next));
        let _ = write!(text, " · {} shown, {} more with --offset {next}", count(results.len() as u64), count(more));
    }
    if *files_left_out > 0 {
        let not_searched = count_noun(*files_left_out, "file was", "files were");
        let _ = write!(text, " · {not_searched} not searched: `recall status --failures`");
    }
    let _ = write!(text, " · {}", millis(stats.as_ref().map_or(0.0, |stats| stats.took_ms)));
    text
}

fn line(hit: &v1::Hit) -> String {
    let doc = hit.doc.clone().unwrap_or_default();
    let chunk = hit.chunk.clone().unwrap_or_default();
    let path = if doc.path.is_empty() { doc.id.clone() } else { doc.path.clone() };
    let path = if doc.root.is_empty() { path } else { format!("{}/{path}", doc.root) };
    let path = printable(&path).into_owned();
    let store = scope::store_from_proto(doc.scope).filter(|scope| *scope != StoreScope::Project);
    let store = store.map(|store| format!("[{store}] ")).unwrap_or_default();
    let matches: Vec<Range<usize>> =
        hit.highlights.iter().map(|range| range.start as usize..range.end as usize).collect();
    let mut text = String::new();
    let mut start = 0;
    for (number, line) in (chunk.start_line..).zip(chunk.text.split('\n')) {
        let shown = mark(line, start, &matches);
        let _ = writeln!(text, "{DIM}{store}{DIM:#}{PATH}{path}{PATH:#}:{LINE}{number}{LINE:#}: {shown}");
        start += line.len() + 1;
    }
    text
}

/// Formats a line that begins at a place of the text, with its matches marked.
fn mark(line: &str, start: usize, matches: &[Range<usize>]) -> String {
    let mut text = String::new();
    let mut end = 0;
    for found in matches {
        let from = found.start.saturating_sub(start).max(end);
        let to = found.end.saturating_sub(start).min(line.len());
        let (Some(before), Some(inside)) = (line.get(end..from), line.get(from..to)) else { continue };
        if inside.is_empty() {
            continue;
        }
        let _ = write!(text, "{}{MATCH}{}{MATCH:#}", printable(before), printable(inside));
        end = to;
    }
    text.push_str(&printable(line.get(end..).unwrap_or_default()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::human::style::plain;

    fn hit(path: &str, line: u32, text: &str, matches: &[(u32, u32)]) -> v1::Hit {
        v1::Hit {
            doc: Some(v1::Document {
                path: path.to_owned(),
                scope: v1::StoreScope::Project.into(),
                ..v1::Document::default()
            }),
            chunk: Some(v1::Chunk { text: text.to_owned(), start_line: line, ..v1::Chunk::default() }),
            highlights: matches.iter().map(|&(start, end)| v1::ByteRange { start, end }).collect(),
            ..v1::Hit::default()
        }
    }

    #[test]
    fn a_line_is_its_place_and_its_text_with_the_matches_marked() {
        let results = vec![
            hit("v.rb", 2, "  def <=>(other) a <=> b", &[(6, 9), (19, 22)]),
            hit("a.txt", 7, "one two\nthree four", &[(4, 13)]),
        ];
        let answer = v1::ExactResponse { results, ..v1::ExactResponse::default() };
        insta::assert_snapshot!(plain(&render(&answer)), @r"
        v.rb:2:   def [<=>](other) a [<=>] b
        a.txt:7: one [two]
        a.txt:8: [three] four
        ");
    }

    #[test]
    fn a_page_says_how_many_lines_are_not_on_it() {
        let mut answer = v1::ExactResponse {
            results: vec![hit("a", 1, "x", &[])],
            total_matches: 1_204,
            total_lines: 900,
            total_documents: 1,
            ..v1::ExactResponse::default()
        };
        assert!(summary(&answer).starts_with("1,204 matches in 900 lines of 1 file · "), "{}", summary(&answer));
        answer.next_offset = Some(50);
        assert!(summary(&answer).contains(" · 1 shown, 850 more with --offset 50 · "), "{}", summary(&answer));
        answer.files_left_out = 2;
        let left_out = " · 2 files were not searched: `recall status --failures` · ";
        assert!(summary(&answer).contains(left_out), "{}", summary(&answer));
    }
}

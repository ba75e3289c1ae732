//! Text output of facet counts.

use std::cmp::Reverse;
use std::fmt::Write;

use recall_api::v1;

use super::quantity::count;
use super::style::{DIM, STRONG};
use super::text::{fit, printable};

/// The order of the facets.
const ORDER: [&str; 4] = ["type", "language", "directory", "tag"];

/// Formats a blank line and one line per facet, the most frequent values first; empty if nothing was counted.
pub(crate) fn render(answer: &v1::SearchResponse, width: Option<usize>) -> String {
    let mut text = String::new();
    let known = ORDER.iter().filter_map(|name| Some((*name, answer.facets.get(*name)?)));
    for (name, v1::Facet { counts, left_out }) in known.filter(|(_, facet)| !facet.counts.is_empty()) {
        let mut counts: Vec<(&String, &u64)> = counts.iter().collect();
        counts.sort_by_key(|(value, documents)| (Reverse(**documents), *value));
        let values = counts.iter().map(|(value, documents)| format!("{} {}", printable(value), count(**documents)));
        let mut line = values.collect::<Vec<_>>().join(" · ");
        if *left_out > 0 {
            let _ = write!(line, " · and {} more", count(*left_out));
        }
        let margin = ORDER.map(str::len).into_iter().max().unwrap_or_default();
        let room = width.map(|width| width.saturating_sub(margin + 2));
        let before = if text.is_empty() { "\n" } else { "" };
        let _ = writeln!(text, "{before}{STRONG}{name:margin$}{STRONG:#}  {DIM}{}{DIM:#}", fit(&line, room));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::output::human::style::plain;

    fn facet(counts: &[(&str, u64)], left_out: u64) -> v1::Facet {
        v1::Facet { counts: counts.iter().map(|&(value, count)| (value.to_owned(), count)).collect(), left_out }
    }

    #[test]
    fn the_most_frequent_values_come_first() {
        let facets = BTreeMap::from([
            ("type".to_owned(), facet(&[("adr", 3), ("code", 1200), ("documentation", 3)], 0)),
            ("directory".to_owned(), facet(&[("src", 4)], 7)),
            ("tag".to_owned(), facet(&[], 0)),
        ]);
        let answer = v1::SearchResponse { facets, ..v1::SearchResponse::default() };
        insta::assert_snapshot!(plain(&render(&answer, None)), @r"

        type       code 1,200 · adr 3 · documentation 3
        directory  src 4 · and 7 more
        ");
        insta::assert_snapshot!(plain(&render(&answer, Some(30))), @r"

        type       code 1,200 · adr 3…
        directory  src 4 · and 7 more
        ");
        assert_eq!(render(&v1::SearchResponse::default(), None), "");
    }
}

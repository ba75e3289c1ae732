//! Text output of search results, with facet counts and the scores of hits.

use std::cmp::Reverse;
use std::fmt::Write;
use std::ops::Range;

use recall_api::convert::scope;
use recall_api::{searched_files, v1};
use recall_core::{StoreScope, feature_words};

use super::adopted;
use super::excerpt::Marked;
use super::memory::facts;
use super::quantity::{count, count_noun, millis};
use super::style::{DIM, LINE, PATH, STRONG, SYMBOL, WARNING};
use super::text::{Links, columns, fit, fit_path, link, printable};
use crate::output::format::Screen;

/// The limits of what is shown of each hit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    /// The maximum number of lines per chunk.
    pub(crate) lines: usize,
    /// What the text is made for.
    pub(crate) screen: Screen,
    /// Where the paths of the project's files lead to; `None` for plain text.
    pub(crate) links: Option<&'a Links>,
}

/// Formats the hits, best first, separated by a blank line.
pub(crate) fn render(answer: &v1::SearchResponse, view: View<'_>) -> String {
    let first = answer.query.as_ref().map_or(0, |query| query.offset) + 1;
    let hits = (first..).zip(&answer.results).map(|(rank, hit)| render_hit(rank, hit, view));
    hits.collect::<Vec<_>>().join(if view.lines == 0 { "" } else { "\n" })
}

/// Formats the counts and times of the search, for the last line.
pub(crate) fn summary(answer: &v1::SearchResponse) -> String {
    let stats = answer.stats.clone().unwrap_or_default();
    let shown = answer.results.len() as u64;
    let mut text = format!("{} of {} matches", count(shown), count(stats.total_hits.max(shown)));
    if let Some(query) = answer.query.as_ref().filter(|query| !query.class.is_empty()) {
        let _ = write!(text, " · {}", query.class);
        text.extend(describe_translation(answer).map(|words| format!(" · {words}")));
    }
    let _ = write!(text, " · {} · generation {}", millis(stats.took_ms), stats.generation);
    if let Some(next) = answer.next_offset {
        let _ = write!(text, " · more with --offset {next}");
    }
    text
}

/// Returns the English words that were searched instead of a question in another language; `None` for other queries.
pub(crate) fn describe_translation(answer: &v1::SearchResponse) -> Option<String> {
    let query = answer.query.as_ref().filter(|query| !query.translation.is_empty())?;
    Some(format!("{} searched as: {}", query.language, printable(&query.translation)))
}

/// Returns a label for hits of which probably none answers; `None` otherwise. The hits are shown all the same.
pub(crate) fn doubt(answer: &v1::SearchResponse) -> Option<String> {
    let confidence = answer.confidence.filter(|_| answer.low_confidence)?;
    (!answer.results.is_empty()).then(|| {
        let searched = searched_files(answer);
        let percent = confidence * 100.0;
        format!("low confidence ({percent:.0} %): these hits may not answer; they are the nearest of {searched}")
    })
}

/// Returns spelling suggestions if no symbol has the name in the query; `None` otherwise.
pub(crate) fn did_you_mean(answer: &v1::SearchResponse) -> Option<String> {
    let near = (!answer.did_you_mean.is_empty()).then(|| printable(&answer.did_you_mean.join(", ")).into_owned())?;
    let text = answer.query.as_ref().map_or("", |query| &query.text);
    Some(format!("no indexed symbol is called `{}`; did you mean {near}?", printable(text)))
}

/// Returns a hint about unconfirmed hits from the repository; `None` if there are none.
pub(crate) fn unconfirmed_note(answer: &v1::SearchResponse) -> Option<String> {
    let memories = answer.results.iter().filter_map(|hit| hit.memory.as_ref());
    let mut ids: Vec<&str> =
        memories.filter(|memory| memory.ownership() == v1::Ownership::Repository).map(|memory| &*memory.id).collect();
    ids.dedup();
    let count = ids.len() as u64;
    (count > 0).then(|| {
        let came = count_noun(count, "memory", "memories");
        format!(
            "{came} from the repository, unconfirmed: read them, then `recall verify --confirm ID` or `--confirm --all`"
        )
    })
}

fn render_hit(rank: u32, hit: &v1::Hit, view: View<'_>) -> String {
    let doc = hit.doc.clone().unwrap_or_default();
    let chunk = hit.chunk.clone().unwrap_or_default();
    let mut text = header(rank, hit, &doc, &chunk, view);
    if let Some(explain) = &hit.explain {
        for line in explanation_lines(hit.score, explain) {
            let _ = writeln!(text, "     {DIM}{line}{DIM:#}");
        }
    }
    let matches: Vec<Range<usize>> =
        hit.highlights.iter().map(|range| range.start as usize..range.end as usize).collect();
    let marked = Marked {
        text: &chunk.text,
        first_line: chunk.start_line,
        matches: &matches,
        language: view.screen.language(&doc),
    };
    text.push_str(&marked.render(view.lines, view.screen.width));
    for line in hit.adopted.iter().flat_map(adopted::hit_doubts) {
        let _ = writeln!(text, "     {WARNING}{line}{WARNING:#}");
    }
    if !hit.also_at.is_empty() && view.lines > 0 {
        let _ = writeln!(text, "     {DIM}also at {}{DIM:#}", printable(&hit.also_at.join(", ")));
    }
    text
}

/// `1. src/store.rs:10-24  impl Store > fn open  [global]`
fn header(rank: u32, hit: &v1::Hit, doc: &v1::Document, chunk: &v1::Chunk, view: View<'_>) -> String {
    let width = view.screen.width;
    let number = format!("{rank}.");
    let path = if doc.path.is_empty() { doc.id.clone() } else { doc.path.clone() };
    let path = if doc.root.is_empty() { path } else { format!("{}/{path}", doc.root) };
    let path = printable(&path).into_owned();
    let lines = if chunk.start_line == chunk.end_line {
        format!(":{}", chunk.start_line)
    } else {
        format!(":{}-{}", chunk.start_line, chunk.end_line)
    };
    let mut tail = String::new();
    if let Some(store) = scope::store_from_proto(doc.scope).filter(|scope| *scope != StoreScope::Project) {
        let _ = write!(tail, "  [{store}]");
    }
    if doc.r#type != "code" {
        let _ = write!(tail, "  {}", doc.r#type);
    }
    match &hit.memory {
        Some(memory) => _ = write!(tail, "  {}", facts(memory).join(", ")),
        None if hit.adopted.is_some() => {
            tail.extend(hit.adopted.iter().flat_map(|adopted| ["  ".to_owned(), adopted::fact(adopted)]));
        }
        None if hit.staleness >= 1.0 => tail.push_str("  stale"),
        None => {}
    }
    let taken = columns(&number) + 1 + columns(&lines) + columns(&tail);
    let room = width.map(|width| width.saturating_sub(taken));
    let path = fit_path(&path, room);
    let symbol = printable(if chunk.symbol.is_empty() { &doc.title } else { &chunk.symbol }).into_owned();
    let repeats_name = path.ends_with(&symbol);
    let room = room.map(|room| room.saturating_sub(columns(&path) + 2));
    let symbol = if repeats_name || room.is_some_and(|room| room < 4) {
        String::new()
    } else {
        format!("  {SYMBOL}{}{SYMBOL:#}", fit(&symbol, room))
    };
    // The root of a file in another store is not known here.
    let is_linked = doc.scope() == v1::StoreScope::Project && hit.memory.is_none();
    let outside = hit.adopted.as_ref().map(|adopted| &adopted.file).filter(|file| !file.is_empty());
    // Joined to the project's root, an absolute path stays what it is.
    let file = if let Some(outside) = outside {
        outside.clone()
    } else if doc.root.is_empty() {
        doc.path.clone()
    } else {
        format!("{}/{}", doc.root, doc.path)
    };
    let place = link(view.links.filter(|_| is_linked), &file, &format!("{PATH}{path}{PATH:#}{LINE}{lines}{LINE:#}"));
    format!("{DIM}{number}{DIM:#} {place}{symbol}{DIM}{tail}{DIM:#}\n")
}

/// The order of the facets.
const ORDER: [&str; 4] = ["type", "language", "directory", "tag"];

/// Formats a blank line and one line per facet, the most frequent values first; empty if nothing was counted.
pub(crate) fn render_facets(answer: &v1::SearchResponse, width: Option<usize>) -> String {
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

/// The number of features shown. The others seldom add up to as much as the last of these.
const MOST_FEATURES: usize = 10;

/// Formats the score and its parts on one line, then the features with the largest contributions, one per line.
pub(super) fn explanation_lines(score: f64, explain: &v1::Explain) -> Vec<String> {
    let mut lines = vec![first(score, explain)];
    let mut features: Vec<(&str, f64)> =
        explain.contributions.iter().map(|(name, &part)| (name.as_str(), part)).collect();
    features.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.cmp(b.0)));
    let parts: Vec<String> = features.iter().take(MOST_FEATURES).map(|(_, part)| format!("{part:+.3}")).collect();
    let width = parts.iter().map(String::len).max().unwrap_or_default();
    for (part, (name, _)) in parts.iter().zip(&features) {
        lines.push(format!("  {part:>width$}  {}", feature_words(name).unwrap_or(name)));
    }
    if let Some(more) = features.len().checked_sub(MOST_FEATURES).filter(|more| *more > 0) {
        lines.push(format!("  {:width$}  and {more} more", ""));
    }
    lines
}

/// `score 0.0325: lexical #1 (12.30 × 1.00) + symbol #2 (0.90 × 1.50), fused 0.0542, file_kind ×0.60`
fn first(score: f64, explain: &v1::Explain) -> String {
    let v1::Explain { lexical, semantic, symbol, path, fused, priors, rerank, contributions: _ } = explain;
    let retrievers = [("lexical", lexical), ("semantic", semantic), ("symbol", symbol), ("path", path)];
    let found: Vec<String> = retrievers
        .into_iter()
        .filter_map(|(name, said)| Some((name, (*said)?)))
        .map(|(name, v1::Retrieved { rank, score, weight })| format!("{name} #{rank} ({score:.2} × {weight:.2})"))
        .collect();
    let mut text = format!("score {score:.4}: {}, fused {fused:.4}", found.join(" + "));
    for (name, factor) in priors {
        let _ = write!(text, ", {name} ×{factor:.2}");
    }
    if let Some(v1::Reranked { model, stage, score, rank_before }) = rerank {
        let _ = write!(text, ", rerank {stage} by {model} {score:.3} (was #{rank_before})");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::output::human::style::plain;

    fn hit() -> v1::Hit {
        v1::Hit {
            score: 0.0325,
            doc: Some(v1::Document {
                path: "src/store.rs".to_owned(),
                r#type: "code".to_owned(),
                title: "store.rs".to_owned(),
                scope: v1::StoreScope::Project.into(),
                ..v1::Document::default()
            }),
            chunk: Some(v1::Chunk {
                text: "pub fn open(path: &Path) -> Store {\n    Store::new(path)\n}\n".to_owned(),
                start_line: 9,
                end_line: 11,
                symbol: "impl Store > fn open".to_owned(),
                ..v1::Chunk::default()
            }),
            highlights: vec![v1::ByteRange { start: 7, end: 11 }],
            ..v1::Hit::default()
        }
    }

    fn shown(hits: Vec<v1::Hit>, view: View<'_>) -> String {
        let answer = v1::SearchResponse { results: hits, ..v1::SearchResponse::default() };
        plain(&render(&answer, view))
    }

    #[test]
    fn a_hit_shows_where_what_and_the_matching_lines() {
        let mut note = hit();
        note.doc = Some(v1::Document {
            path: "adr/0001.md".to_owned(),
            r#type: "adr".to_owned(),
            title: "Use WAL".to_owned(),
            scope: v1::StoreScope::Global.into(),
            ..v1::Document::default()
        });
        note.chunk =
            Some(v1::Chunk { text: "Use WAL.".to_owned(), start_line: 3, end_line: 3, ..v1::Chunk::default() });
        note.highlights.clear();
        note.also_at = vec!["adr/old.md:3-3@0123456789ab".to_owned()];
        insta::assert_snapshot!(shown(vec![hit(), note], View { lines: 5, screen: Screen::default(), links: None }), @r"
        1. src/store.rs:9-11  impl Store > fn open
           9 │ pub fn [open](path: &Path) -> Store {
          10 │     Store::new(path)
          11 │ }

        2. adr/0001.md:3  Use WAL  [global]  adr
           3 │ Use WAL.
             also at adr/old.md:3-3@0123456789ab
        ");
    }

    #[test]
    fn an_answer_names_the_command_that_confirms() {
        let hit = |ownership: v1::Ownership| v1::Hit {
            memory: Some(v1::Memory { ownership: ownership.into(), ..v1::Memory::default() }),
            ..v1::Hit::default()
        };
        let told = |ownership| {
            unconfirmed_note(&v1::SearchResponse { results: vec![hit(ownership)], ..v1::SearchResponse::default() })
        };
        assert_eq!([v1::Ownership::Own, v1::Ownership::Confirmed].map(told), [None, None]);
        let text = told(v1::Ownership::Repository).expect("told");
        assert!(
            text.starts_with("1 memory from the repository") && text.contains("recall verify --confirm ID"),
            "{text}"
        );
    }

    #[test]
    fn a_doubtful_answer_says_how_far_was_searched() {
        let stats = v1::SearchStats { documents: 1_204, generation: 17, ..v1::SearchStats::default() };
        let mut answer =
            v1::SearchResponse { confidence: Some(0.123), stats: Some(stats), ..v1::SearchResponse::default() };
        assert_eq!(doubt(&answer), None);
        answer.low_confidence = true;
        assert_eq!(doubt(&answer), None, "there is nothing to doubt");
        answer.results.push(hit());
        let expected = "low confidence (12 %): these hits may not answer; they are the nearest of 1,204 files";
        assert_eq!(doubt(&answer).as_deref(), Some(expected));
    }

    #[test]
    fn a_narrow_terminal_cuts_what_matters_least() {
        insta::assert_snapshot!(shown(vec![hit()], View { lines: 5, screen: Screen { width: Some(30), ..Screen::default() }, links: None }), @r"
        1. src/store.rs:9-11  impl St…
           9 │ pub fn [open](path: &Pat…
          10 │     Store::new(path)
          11 │ }
        ");
    }

    #[test]
    fn without_lines_a_hit_is_one_line() {
        insta::assert_snapshot!(shown(vec![hit(), hit()], View { lines: 0, screen: Screen::default(), links: None }), @r"
        1. src/store.rs:9-11  impl Store > fn open
        2. src/store.rs:9-11  impl Store > fn open
        ");
    }

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
        insta::assert_snapshot!(plain(&render_facets(&answer, None)), @r"

        type       code 1,200 · adr 3 · documentation 3
        directory  src 4 · and 7 more
        ");
        insta::assert_snapshot!(plain(&render_facets(&answer, Some(30))), @r"

        type       code 1,200 · adr 3…
        directory  src 4 · and 7 more
        ");
        assert_eq!(render_facets(&v1::SearchResponse::default(), None), "");
    }

    #[test]
    fn the_features_with_the_largest_contributions_are_listed() {
        let parts = [1.25, -0.5, 0.001, -10.125, 0.3, 0.2, 0.1, 0.05, 0.04, -0.03, 0.02, 0.01];
        let mut contributions: BTreeMap<String, f64> =
            (0..).zip(parts).map(|(n, part)| (format!("f{n}"), part)).collect();
        contributions.insert("body_best".to_owned(), 0.75);
        let explain = v1::Explain { contributions, fused: 0.05, ..v1::Explain::default() };
        insta::assert_snapshot!(explanation_lines(2.0, &explain)[1..].join("\n"), @r"
          -10.125  f3
           +1.250  f0
           +0.750  text of the best passage
           -0.500  f1
           +0.300  f4
           +0.200  f5
           +0.100  f6
           +0.050  f7
           +0.040  f8
           -0.030  f9
                   and 3 more
        ");
        assert_eq!(explanation_lines(2.0, &v1::Explain::default()).len(), 1);
    }

    #[test]
    fn an_explanation_names_every_part_of_the_score() {
        let explain = v1::Explain {
            lexical: Some(v1::Retrieved { rank: 1, score: 12.3, weight: 1.0 }),
            symbol: Some(v1::Retrieved { rank: 2, score: 0.9, weight: 1.5 }),
            fused: 0.0542,
            priors: BTreeMap::from([("file_kind".to_owned(), 0.6)]),
            ..v1::Explain::default()
        };
        insta::assert_snapshot!(first(0.0325, &explain), @r"
        score 0.0325: lexical #1 (12.30 × 1.00) + symbol #2 (0.90 × 1.50), fused 0.0542, file_kind ×0.60
        ");
    }
}

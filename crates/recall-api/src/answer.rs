//! What every interface says about an answer: what it is based on, what may be missing or outdated, and in which order the
//! neighbours of a node stand.

use std::collections::HashMap;
use std::fmt::Write as _;

use recall_core::Relation;
use recall_text::quantity::{count, count_noun};

use crate::v1::{ExactResponse, Filters, GraphNode, GraphResponse, Indexing, SearchResponse, SearchStats, Warning};

/// The codes of the warnings about outdated answers.
const OUTDATED_CODES: [&str; 6] =
    ["SCAN_RUNNING", "NOT_COMPARED", "NOT_REFRESHED", "INDEXING", "INDEXING_QUEUED", NOT_INDEXED_YET];

/// The code of the warning that a project of the answer has no complete index yet.
pub const NOT_INDEXED_YET: &str = "NOT_INDEXED_YET";

/// The detail of a failure that has this code if something may not be found because a project has no complete index yet.
pub const INDEX: &str = "index";

/// Whether a warning states that a project has no complete index yet, so that nothing found says nothing.
pub fn is_not_indexed_yet(warnings: &[Warning]) -> bool {
    warnings.iter().any(|warning| warning.code == NOT_INDEXED_YET)
}

/// The codes of the warnings that files are being compared or read at this moment.
const AT_WORK_CODES: [&str; 3] = ["SCAN_RUNNING", "INDEXING", "INDEXING_QUEUED"];

/// Returns the words before the query of a search without hits.
pub fn nothing_found(warnings: &[Warning]) -> &'static str {
    if is_not_indexed_yet(warnings) {
        "Not known, since not all is indexed yet:"
    } else if is_index_at_work(warnings) {
        "Nothing found so far, since files are still compared with the index:"
    } else {
        "Nothing found for"
    }
}

/// Whether a warning states that files are being compared or read at this moment, so that more may be found soon.
pub fn is_index_at_work(warnings: &[Warning]) -> bool {
    warnings.iter().any(|warning| AT_WORK_CODES.contains(&warning.code.as_str()))
}

/// Whether a warning states that recent edits may be missing in the answer.
pub fn may_be_outdated(warnings: &[Warning]) -> bool {
    warnings.iter().any(|warning| OUTDATED_CODES.contains(&warning.code.as_str()))
}

/// Formats the number of searched files, and what may be missing: `1,204 files (99 % indexed), 1 stale`.
pub fn searched_files(answer: &SearchResponse) -> String {
    files(answer.stats.as_ref(), &answer.warnings)
}

/// Formats each filter in force: `language python`, `tags a, b`. Empty if there is none.
pub fn narrowing(filters: &Filters) -> Vec<String> {
    let Filters { types, languages, paths, tags, since, before } = filters;
    let lists = [("types", types), ("language", languages), ("path", paths), ("tags", tags)];
    let lists = lists.map(|(name, values)| (name, values.join(", ")));
    let used = lists.into_iter().chain([("since", since.clone()), ("before", before.clone())]);
    used.filter(|(_, value)| !value.is_empty()).map(|(name, value)| format!("{name} {value}")).collect()
}

/// Formats that no line matches, and what that proves: which files were searched, and which were not.
pub fn nothing_matches(answer: &ExactResponse) -> String {
    let ExactResponse { query, stats, warnings, complete, files_left_out, .. } = answer;
    let filters = query.as_ref().and_then(|query| query.filters.as_ref());
    let is_filtered = filters.is_some_and(|filters| *filters != Filters::default());
    if is_filtered && stats.as_ref().is_none_or(|stats| stats.documents == 0) {
        return "no indexed file passes the filters, so nothing was searched".to_owned();
    }
    let mut text = format!("no line matches in {}", files(stats.as_ref(), warnings));
    if !complete && !may_be_outdated(warnings) {
        text.push_str(", which are not all");
    }
    if *files_left_out > 0 {
        let _ = write!(
            text,
            "; {} not searched: `recall status --failures` lists them",
            count_noun(
                *files_left_out,
                "file is left out of the index and was",
                "files are left out of the index and were"
            )
        );
    }
    text
}

fn files(stats: Option<&SearchStats>, warnings: &[Warning]) -> String {
    let SearchStats { documents, stale_files, indexing, .. } = stats.cloned().unwrap_or_default();
    let mut text = count_noun(documents, "file", "files");
    // If every file is read, or it is not known yet how many there are, a share of them says nothing.
    if let Some(Indexing { done, total, running: true }) = indexing.filter(|indexing| indexing.done < indexing.total) {
        // Rounded down: an index that is not complete is not 100 % complete.
        let _ = write!(text, " ({} % indexed)", done * 100 / total);
    }
    if is_not_indexed_yet(warnings) {
        text.push_str(", not all are indexed yet");
    } else if may_be_outdated(warnings) {
        text.push_str(", the latest edits may be missing");
    } else if stale_files > 0 {
        let _ = write!(text, ", {} stale", count(stale_files));
    }
    text
}

/// The relations of a node to its neighbours, in display order: the name in an edge, whether the edge leads to the
/// neighbour, and the words for it.
const RELATIONS: [(&str, bool, &str); 10] = [
    ("defines", false, "defined in"),
    ("imports", true, "imports"),
    ("imports", false, "imported by"),
    ("references", true, "uses"),
    ("references", false, "used by"),
    ("relates_to", true, "relates to"),
    ("relates_to", false, "related from"),
    ("supersedes", true, "replaces"),
    ("supersedes", false, "replaced by"),
    ("defines", true, "defines"),
];

/// A node with its neighbours.
#[derive(Clone, Debug)]
pub struct Neighbours<'g> {
    /// The node whose neighbours these are.
    pub node: &'g GraphNode,
    /// The words for each relation that the node has, with the neighbours in it, nearest to the requested node first.
    pub by_relation: Vec<(&'static str, Vec<&'g GraphNode>)>,
}

/// Returns each node that has further neighbours, nearest to the requested node first.
///
/// An edge appears once, at the node that is nearer to the requested one. An edge to a node that is not in the response
/// does not appear. `relations` are those of the request, none for all: if imports were followed in one direction only, each appears
/// in that direction, because the others of the nearer node were not looked for.
pub fn neighbours<'g>(
    graph: &'g GraphResponse,
    relations: &[String],
) -> impl Iterator<Item = Neighbours<'g>> + use<'g> {
    let is_asked = |relation: Relation| relations.iter().any(|asked| asked == relation.as_str());
    let imports_lead_out = match (is_asked(Relation::Imports), is_asked(Relation::ImportedBy)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    };
    let places: HashMap<&str, usize> = graph.nodes.iter().enumerate().map(|(at, node)| (&*node.id, at)).collect();
    graph.nodes.iter().enumerate().filter_map(move |(place, node)| {
        let mut by_relation = Vec::new();
        for (relation, leads_out, words) in RELATIONS {
            let edges = graph.edges.iter().filter(|edge| edge.relation == relation);
            let mut others: Vec<usize> = edges
                .filter_map(|edge| {
                    let (from, to) = (*places.get(&*edge.from)?, *places.get(&*edge.to)?);
                    let (this, other) = if leads_out { (from, to) } else { (to, from) };
                    let is_direction = match imports_lead_out.filter(|_| relation == "imports") {
                        Some(direction) => leads_out == direction,
                        None => leads_out && from <= to || !leads_out && to < from,
                    };
                    (place == this && is_direction).then_some(other)
                })
                .collect();
            others.sort_unstable();
            if !others.is_empty() {
                by_relation.push((words, others.into_iter().map(|other| &graph.nodes[other]).collect()));
            }
        }
        (!by_relation.is_empty()).then_some(Neighbours { node, by_relation })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1::GraphEdge;

    #[test]
    fn an_incomplete_index_is_never_reported_as_complete() {
        let searched = |done, total| {
            let indexing = Some(Indexing { done, total, running: true });
            let stats = Some(SearchStats { documents: 1_204, indexing, ..SearchStats::default() });
            searched_files(&SearchResponse { stats, ..SearchResponse::default() })
        };
        assert_eq!(searched(999, 1_000), "1,204 files (99 % indexed)");
        assert_eq!(searched(0, 7), "1,204 files (0 % indexed)");
        for (done, total) in [(0, 0), (1, 1), (2, 1)] {
            assert_eq!(searched(done, total), "1,204 files", "{done} of {total}");
        }
    }

    #[test]
    fn filters_in_force_are_told_in_words() {
        let filters = Filters {
            languages: vec!["python".to_owned()],
            tags: vec!["a".to_owned(), "b".to_owned()],
            since: "yesterday".to_owned(),
            ..Filters::default()
        };
        assert_eq!(narrowing(&filters), ["language python", "tags a, b", "since yesterday"]);
        assert!(narrowing(&Filters::default()).is_empty());
    }

    #[test]
    fn nothing_found_says_what_was_not_searched() {
        let stats = Some(SearchStats { documents: 12, ..SearchStats::default() });
        let mut answer = ExactResponse { stats, complete: true, ..ExactResponse::default() };
        assert_eq!(nothing_matches(&answer), "no line matches in 12 files");
        answer.complete = false;
        assert_eq!(nothing_matches(&answer), "no line matches in 12 files, which are not all");
        answer.files_left_out = 2;
        assert!(nothing_matches(&answer).contains("; 2 files are left out of the index and were not searched: "));
        let paths = vec!["src".to_owned()];
        let filters = Some(Filters { paths, ..Filters::default() });
        let query = Some(crate::v1::QueryEcho { filters, ..crate::v1::QueryEcho::default() });
        let answer = ExactResponse { query, ..ExactResponse::default() };
        assert_eq!(nothing_matches(&answer), "no indexed file passes the filters, so nothing was searched");
    }

    #[test]
    fn stale_files_are_counted_unless_the_answer_is_outdated_as_a_whole() {
        let stats = Some(SearchStats { documents: 1, stale_files: 1, ..SearchStats::default() });
        let mut answer = SearchResponse { stats, ..SearchResponse::default() };
        assert_eq!(searched_files(&answer), "1 file, 1 stale");
        answer.warnings = vec![Warning { code: "SCAN_RUNNING".to_owned(), ..Warning::default() }];
        assert!(nothing_found(&answer.warnings).starts_with("Nothing found so far"));
        assert_eq!(searched_files(&answer), "1 file, the latest edits may be missing");
        assert_eq!(searched_files(&SearchResponse::default()), "0 files");
    }

    fn shown(nodes: &[&str], edges: &[(&str, &str, &str)]) -> Vec<String> {
        shown_of(nodes, edges, &[])
    }

    fn shown_of(nodes: &[&str], edges: &[(&str, &str, &str)], relations: &[&str]) -> Vec<String> {
        let graph = GraphResponse {
            nodes: nodes.iter().map(|id| GraphNode { id: (*id).to_owned(), ..GraphNode::default() }).collect(),
            edges: edges
                .iter()
                .map(|(from, relation, to)| GraphEdge {
                    from: (*from).to_owned(),
                    to: (*to).to_owned(),
                    relation: (*relation).to_owned(),
                })
                .collect(),
            ..GraphResponse::default()
        };
        let relations: Vec<String> = relations.iter().map(|relation| (*relation).to_owned()).collect();
        let lines = neighbours(&graph, &relations).flat_map(|Neighbours { node, by_relation }| {
            by_relation.into_iter().map(move |(words, others)| {
                let others: Vec<&str> = others.iter().map(|other| &*other.id).collect();
                format!("{} {words} {}", node.id, others.join(", "))
            })
        });
        lines.collect()
    }

    #[test]
    fn an_edge_appears_once_at_the_nearer_node() {
        let edges = [("b", "imports", "a"), ("a", "imports", "c"), ("c", "references", "b")];
        assert_eq!(shown(&["a", "b", "c"], &edges), ["a imports c", "a imported by b", "b used by c"]);
        assert_eq!(shown(&["c", "b", "a"], &edges), ["c imported by a", "c uses b", "b imports a"]);
        assert_eq!(shown(&["a"], &[("a", "references", "a")]), ["a uses a"]);
    }

    #[test]
    fn imports_in_one_direction_appear_in_that_direction() {
        // `a` also imports `b`, and what else it imports was not looked for.
        let edges = [("b", "imports", "a"), ("a", "imports", "b"), ("c", "imports", "b")];
        let expected = ["a imported by b", "b imported by a, c"];
        assert_eq!(shown_of(&["a", "b", "c"], &edges, &["imported_by"]), expected);
        let expected = ["a imports b", "b imports a", "c imports b"];
        assert_eq!(shown_of(&["a", "b", "c"], &edges, &["imports", "references"]), expected);
    }

    #[test]
    fn neighbours_are_in_the_order_of_the_nodes() {
        let edges = [("a", "imports", "c"), ("a", "imports", "b"), ("a", "imports", "unknown")];
        assert_eq!(shown(&["a", "b", "c"], &edges), ["a imports b, c"]);
    }
}

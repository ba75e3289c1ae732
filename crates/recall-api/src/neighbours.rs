//! The nodes of a part of the graph with their neighbours, in the order in which every interface shows them.

use std::collections::HashMap;

use recall_core::Relation;

use crate::v1::{GraphNode, GraphResponse};

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

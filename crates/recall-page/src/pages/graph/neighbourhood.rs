//! The nodes and edges of a picture, with the column of each node: what an edge comes from is to the left of what it leads to.

use std::collections::{BTreeMap, HashMap, HashSet};

use recall_api::v1::{GraphEdge, GraphNode, GraphRequest, GraphResponse, Warning};
use tonic::Status;

use super::request::Asked;
use crate::access::Project;
use crate::pages::Site;

/// The nodes of a picture. The service accepts 200.
const NODES: usize = 200;

/// The relations and what their lines mean, in the order of the legend.
pub(super) const RELATIONS: [(&str, &str); 5] = [
    ("references", "uses by name"),
    ("imports", "imports"),
    ("defines", "defines"),
    ("relates_to", "is about, links to"),
    ("supersedes", "supersedes"),
];

/// Returns the name of a node: the path of a document, the qualified name of a symbol.
pub(super) fn name(node: &GraphNode) -> &str {
    if node.kind == "document" && !node.path.is_empty() { &node.path } else { &node.label }
}

/// Returns the text by which a node is asked for.
pub(super) fn key(node: &GraphNode) -> &str {
    if node.kind == "symbol" { &node.label } else { &node.doc_id }
}

#[derive(Debug, Default)]
pub(super) struct Neighbourhood {
    /// The nodes, those that were asked for first.
    pub(super) nodes: Vec<GraphNode>,
    pub(super) edges: Vec<GraphEdge>,
    /// The column of each node, by its id; 0 is that of the nodes that were asked for.
    pub(super) columns: HashMap<String, i32>,
    pub(super) is_truncated: bool,
    pub(super) warnings: Vec<Warning>,
}

impl Neighbourhood {
    /// Reads the neighbours of the node that was asked for, and those of the opened nodes on their side.
    pub(super) async fn read(site: &mut Site, project: &Project, asked: &Asked) -> Result<Self, Status> {
        let mut relations = Vec::new();
        if !asked.without.is_empty() {
            for (relation, _) in RELATIONS.iter().filter(|(relation, _)| !asked.is_without(relation)) {
                relations.push((*relation).to_owned());
                if *relation == "imports" {
                    relations.push("imported_by".to_owned());
                }
            }
        }
        let request = GraphRequest {
            context: Some(project.subject.context.clone()),
            node: asked.node.clone(),
            depth: Some(asked.depth),
            limit: Some(NODES as u32),
            relations,
            ..GraphRequest::default()
        };
        let mut around = Self::new(site.rpc.graph(request.clone()).await?.into_inner());
        for id in asked.open_ids() {
            let Some(node) = around.node(id) else { continue };
            let request = GraphRequest { node: key(node).to_owned(), depth: Some(1), ..request.clone() };
            // A node that is gone by now stays as it is.
            if let Ok(answer) = site.rpc.graph(request).await {
                around.open(id, answer.into_inner());
            }
        }
        Ok(around)
    }

    fn new(answer: GraphResponse) -> Self {
        let GraphResponse { nodes, edges, truncated, warnings, generation: _ } = answer;
        let nodes: Vec<_> = nodes.into_iter().filter(|node| node.kind != "external").collect();
        let mut around = Self { nodes, is_truncated: truncated, warnings, ..Self::default() };
        let ids: HashSet<&str> = around.nodes.iter().map(|node| node.id.as_str()).collect();
        around.edges = edges.into_iter().filter(|edge| ids.contains(&*edge.from) && ids.contains(&*edge.to)).collect();
        around.place();
        around
    }

    pub(super) fn node(&self, id: &str) -> Option<&GraphNode> {
        self.nodes.iter().find(|node| node.id == id)
    }

    pub(super) fn column(&self, node: &GraphNode) -> i32 {
        self.columns.get(&node.id).copied().unwrap_or_default()
    }

    /// Places the nodes breadth first: one column to the right along an edge, one to the left against it.
    fn place(&mut self) {
        let mut next: Vec<&str> =
            self.nodes.iter().filter(|node| node.distance == 0).map(|node| node.id.as_str()).collect();
        let mut columns: HashMap<String, i32> = next.iter().map(|id| ((*id).to_owned(), 0)).collect();
        let mut steps: BTreeMap<&str, Vec<(&str, i32)>> = BTreeMap::new();
        for edge in &self.edges {
            steps.entry(&edge.from).or_default().push((&edge.to, 1));
            steps.entry(&edge.to).or_default().push((&edge.from, -1));
        }
        while let Some(id) = next.pop() {
            let column = columns[id];
            for (to, step) in steps.get(id).into_iter().flatten() {
                if !columns.contains_key(*to) {
                    columns.insert((*to).to_owned(), column + step);
                    next.insert(0, to);
                }
            }
        }
        self.columns = columns;
    }

    /// Adds the neighbours of a node: to the right what it leads to, to the left what leads to it. Of a node that was asked for both
    /// are there already.
    fn open(&mut self, id: &str, answer: GraphResponse) {
        let Some(column) = self.columns.get(id).copied().filter(|column| *column != 0) else { return };
        self.is_truncated |= answer.truncated;
        for edge in answer.edges {
            let (own, other) = if column > 0 { (&edge.from, &edge.to) } else { (&edge.to, &edge.from) };
            let Some(node) = answer.nodes.iter().find(|node| &node.id == other) else { continue };
            if own != id || node.kind == "external" || self.edges.contains(&edge) {
                continue;
            }
            if self.node(other).is_none() {
                if self.nodes.len() == NODES {
                    self.is_truncated = true;
                    continue;
                }
                self.columns.insert(other.clone(), column + column.signum());
                self.nodes.push(node.clone());
            }
            self.edges.push(edge);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn node(id: &str, distance: u32) -> GraphNode {
        GraphNode {
            id: id.to_owned(),
            kind: "symbol".to_owned(),
            label: id.to_owned(),
            path: format!("src/{id}.rs"),
            distance,
            doc_id: id.to_owned(),
            ..GraphNode::default()
        }
    }

    fn answer(nodes: &[(&str, u32)], edges: &[(&str, &str)]) -> GraphResponse {
        let edge = |(from, to): &(&str, &str)| GraphEdge {
            from: (*from).to_owned(),
            to: (*to).to_owned(),
            relation: "references".to_owned(),
        };
        GraphResponse {
            nodes: nodes.iter().map(|(id, distance)| node(id, *distance)).collect(),
            edges: edges.iter().map(edge).collect(),
            ..GraphResponse::default()
        }
    }

    /// Returns a picture of symbols with their distances, and of what uses what.
    pub(in super::super) fn around(nodes: &[(&str, u32)], edges: &[(&str, &str)]) -> Neighbourhood {
        Neighbourhood::new(answer(nodes, edges))
    }

    fn columns(around: &Neighbourhood) -> Vec<(&str, i32)> {
        around.nodes.iter().map(|node| (node.id.as_str(), around.column(node))).collect()
    }

    #[test]
    fn callers_are_left_and_callees_right() {
        let nodes = [("a", 0), ("caller", 1), ("callee", 1), ("deep", 2), ("other", 2)];
        let edges = [("caller", "a"), ("a", "callee"), ("callee", "deep"), ("other", "callee")];
        let around = Neighbourhood::new(answer(&nodes, &edges));
        let expected = [("a", 0), ("caller", -1), ("callee", 1), ("deep", 2), ("other", 0)];
        assert_eq!(columns(&around), expected);
    }

    #[test]
    fn an_opened_node_shows_its_neighbours_on_its_side() {
        let mut around =
            Neighbourhood::new(answer(&[("a", 0), ("caller", 1), ("callee", 1)], &[("caller", "a"), ("a", "callee")]));
        let more = answer(
            &[("callee", 0), ("a", 1), ("x", 1), ("y", 1)],
            &[("a", "callee"), ("callee", "x"), ("y", "callee")],
        );
        around.open("callee", more);
        assert_eq!(columns(&around)[3..], [("x", 2)], "not who else uses it");
        let more = answer(&[("caller", 0), ("a", 1), ("y", 1)], &[("caller", "a"), ("y", "caller"), ("caller", "z")]);
        around.open("caller", more);
        assert_eq!(columns(&around)[4..], [("y", -2)]);
        assert_eq!(around.edges.len(), 4);
    }

    #[test]
    fn a_picture_has_no_more_nodes_than_the_service_would_return() {
        let ids: Vec<String> = (0..250).map(|at| format!("n{at}")).collect();
        let nodes: Vec<(&str, u32)> = ids.iter().map(|id| (id.as_str(), 1)).collect();
        let edges: Vec<(&str, &str)> = ids.iter().map(|id| ("b", id.as_str())).collect();
        let mut around = Neighbourhood::new(answer(&[("a", 0), ("b", 1)], &[("a", "b")]));
        around.open("b", answer(&nodes, &edges));
        assert_eq!((around.nodes.len(), around.is_truncated), (NODES, true));
    }
}

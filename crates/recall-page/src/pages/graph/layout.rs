//! Where the nodes of a picture stand: in columns, or below one another for a narrow screen.

use std::collections::{BTreeMap, HashMap, HashSet};

use recall_api::v1::GraphNode;

use super::neighbourhood::{Neighbourhood, name};

/// The height of a row, in pixels: a line of text, with room for a finger.
const ROW: f64 = 24.0;

/// The room before the first row of another file.
const GROUP: f64 = 6.0;

/// The width of a letter of a label: a fixed-width font of 12 pixels, at most.
const LETTER: f64 = 7.3;

/// The room between two columns, for their lines.
const GAP: f64 = 90.0;

/// The step from a node to what it leads to, in the tree.
const INDENT: f64 = 18.0;

/// The room around the picture.
const MARGIN: f64 = 14.0;

/// The room from the middle of a mark to its label, and for the link that opens a node.
pub(super) const LABEL: f64 = 11.0;
pub(super) const TOGGLE: f64 = 22.0;

/// The height within which columns are centred. In a higher picture, what was asked for would be out of sight.
const CENTRED: f64 = 520.0;

/// How the nodes are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// What uses a node to its left, what it uses to its right.
    Columns,
    /// What uses a node above it, what it uses below it.
    Tree,
}

impl Shape {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Columns => "columns",
            Self::Tree => "tree",
        }
    }

    /// The most letters of a label. The tree fits into 290 pixels with three columns.
    fn letters(self) -> usize {
        match self {
            Self::Columns => 36,
            Self::Tree => 28,
        }
    }
}

/// Where a node stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    /// The middle of its mark.
    pub(super) x: f64,
    pub(super) y: f64,
    /// The right end of its label and of the link that opens it.
    pub(super) end: f64,
    /// The right end of its column.
    pub(super) edge: f64,
    pub(super) column: i32,
    pub(super) label: String,
}

/// The picture of a neighbourhood.
#[derive(Debug, Default)]
pub(super) struct Layout<'a> {
    pub(super) places: HashMap<&'a str, Place>,
    /// The paths above the symbols of a file: where they begin, and their text.
    pub(super) headings: Vec<(f64, f64, String)>,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl<'a> Layout<'a> {
    pub(super) fn new(around: &'a Neighbourhood, shape: Shape) -> Self {
        let mut layout = Self::default();
        match shape {
            Shape::Columns => layout.place_columns(around),
            Shape::Tree => layout.place_rows(&tree(around), around, shape, 0.0, None),
        }
        layout.width += MARGIN;
        layout.height += MARGIN;
        layout
    }

    fn place_columns(&mut self, around: &'a Neighbourhood) {
        let mut columns: BTreeMap<i32, Vec<&'a GraphNode>> = BTreeMap::new();
        for node in &around.nodes {
            columns.entry(around.column(node)).or_default().push(node);
        }
        for nodes in columns.values_mut() {
            nodes.sort_by(|a, b| order(a).cmp(&order(b)));
        }
        let heights: Vec<f64> = columns.values().map(|nodes| height(nodes)).collect();
        let highest = heights.iter().copied().fold(0.0, f64::max);
        let mut x = MARGIN;
        for (nodes, height) in columns.values().zip(heights) {
            let down = ((highest.min(CENTRED.max(height)) - height) / 2.0).max(0.0);
            self.place_rows(nodes, around, Shape::Columns, down, Some(x));
            x = self.width + GAP;
        }
        self.height = highest + MARGIN;
    }

    /// Places nodes below one another, from a distance to the top. Those of a column begin at its left end; others are indented.
    fn place_rows(
        &mut self,
        nodes: &[&'a GraphNode],
        around: &'a Neighbourhood,
        shape: Shape,
        down: f64,
        left: Option<f64>,
    ) {
        let first = nodes.iter().map(|node| around.column(node)).min().unwrap_or_default();
        let mut y = MARGIN + down;
        let mut path = "";
        for node in nodes {
            let column = around.column(node);
            let x = left.unwrap_or(MARGIN + f64::from(column - first) * INDENT);
            if let Some(heading) = heading(node).filter(|heading| *heading != path) {
                y += GROUP;
                let text = short(heading, shape.letters() + 4);
                self.width = self.width.max(x + LABEL + length(&text));
                self.headings.push((x + LABEL, y + ROW / 2.0, text));
                y += ROW;
            }
            path = heading(node).unwrap_or_default();
            let label = label(node, shape.letters());
            let toggle = if column == 0 { 0.0 } else { TOGGLE };
            let end = x + LABEL + length(&label) + toggle;
            self.width = self.width.max(end);
            self.places.insert(&node.id, Place { x, y: y + ROW / 2.0, end, edge: 0.0, column, label });
            y += ROW;
        }
        for node in nodes {
            if let Some(place) = self.places.get_mut(node.id.as_str()) {
                place.edge = self.width;
            }
        }
        self.height = self.height.max(y);
    }
}

/// Sorts the nodes of a column: those that were asked for first, then by file and line.
fn order(node: &GraphNode) -> (bool, &str, u32, &str) {
    (node.distance > 0, &node.path, node.start_line, &node.label)
}

/// Returns the height of nodes below one another.
fn height(nodes: &[&GraphNode]) -> f64 {
    let mut path = None;
    nodes.iter().fold(0.0, |height, node| {
        let heading = heading(node);
        let is_new = heading.is_some() && heading != path;
        path = heading;
        height + ROW + if is_new { ROW + GROUP } else { 0.0 }
    })
}

/// Returns the path that stands above a node; a document has its path as its label.
fn heading(node: &GraphNode) -> Option<&str> {
    (node.kind == "symbol").then_some(node.path.as_str())
}

/// Returns the label of a node. A sentence says most at its beginning, a path or a qualified name at its end.
fn label(node: &GraphNode, letters: usize) -> String {
    let name = name(node);
    if node.kind != "memory" || name.chars().count() <= letters {
        return short(name, letters);
    }
    let beginning: String = name.chars().take(letters - 1).collect();
    format!("{beginning}…")
}

/// Returns the end of a text, which says most in paths and in qualified names.
fn short(text: &str, letters: usize) -> String {
    let count = text.chars().count();
    if count <= letters {
        return text.to_owned();
    }
    let end: String = text.chars().skip(count + 1 - letters).collect();
    format!("…{end}")
}

/// Returns the width of a text. Letters beyond ASCII may take two places.
fn length(text: &str) -> f64 {
    text.chars().map(|letter| if letter.is_ascii() || letter == '…' { LETTER } else { 2.0 * LETTER }).sum()
}

/// Returns all nodes in the order of the tree: what leads to a node before it, what it leads to after it.
fn tree(around: &Neighbourhood) -> Vec<&GraphNode> {
    let mut tree = Tree { around, seen: HashSet::new(), order: Vec::new() };
    for node in around.nodes.iter().filter(|node| node.distance == 0 && around.column(node) == 0) {
        tree.visit(node, 0);
    }
    let mut others: Vec<&GraphNode> = around.nodes.iter().filter(|node| !tree.seen.contains(&*node.id)).collect();
    others.sort_by_key(|node| (around.column(node), order(node)));
    tree.order.extend(others);
    tree.order
}

struct Tree<'a> {
    around: &'a Neighbourhood,
    seen: HashSet<&'a str>,
    order: Vec<&'a GraphNode>,
}

impl<'a> Tree<'a> {
    /// Adds a node with what is on its side; a node of the middle has both sides.
    fn visit(&mut self, node: &'a GraphNode, column: i32) {
        if !self.seen.insert(&node.id) {
            return;
        }
        if column <= 0 {
            for before in self.next_to(node, column - 1) {
                self.visit(before, column - 1);
            }
        }
        self.order.push(node);
        if column >= 0 {
            for after in self.next_to(node, column + 1) {
                self.visit(after, column + 1);
            }
        }
    }

    /// Returns the neighbours of a node in a column.
    fn next_to(&self, node: &GraphNode, column: i32) -> Vec<&'a GraphNode> {
        let mut ids: HashSet<&str> = HashSet::new();
        for edge in &self.around.edges {
            if edge.from == node.id {
                ids.insert(&edge.to);
            } else if edge.to == node.id {
                ids.insert(&edge.from);
            }
        }
        let is_next = |next: &&GraphNode| ids.contains(&*next.id) && self.around.column(next) == column;
        let mut next: Vec<&GraphNode> = self.around.nodes.iter().filter(is_next).collect();
        next.sort_by(|a, b| order(a).cmp(&order(b)));
        next
    }
}

#[cfg(test)]
mod tests {
    use super::super::neighbourhood::tests::around;
    use super::*;

    #[test]
    fn what_uses_a_node_is_above_it_and_what_it_uses_below_in_a_tree() {
        let nodes = [("a", 0), ("callee", 1), ("caller", 1), ("deep", 2), ("far", 2), ("last", 1)];
        let edges = [("caller", "a"), ("a", "callee"), ("a", "last"), ("callee", "deep"), ("far", "caller")];
        let around = around(&nodes, &edges);
        let order: Vec<&str> = tree(&around).into_iter().map(|node| node.id.as_str()).collect();
        assert_eq!(order, ["far", "caller", "a", "callee", "deep", "last"]);
        let layout = Layout::new(&around, Shape::Tree);
        assert!(layout.places["caller"].x < layout.places["a"].x && layout.places["caller"].y < layout.places["a"].y);
        assert!(layout.places["deep"].x > layout.places["callee"].x);
    }

    #[test]
    fn no_two_of_two_hundred_labels_lie_on_one_another() {
        let ids: Vec<String> = (0..200).map(|at| format!("{}{at}", "x".repeat(40))).collect();
        let nodes: Vec<_> = ids.iter().enumerate().map(|(at, id)| (id.as_str(), u32::from(at > 0))).collect();
        let edge = |at: usize| if at.is_multiple_of(2) { (&*ids[at], &*ids[0]) } else { (&*ids[0], &*ids[at]) };
        let edges: Vec<_> = (1..200).map(edge).collect();
        let around = around(&nodes, &edges);
        for shape in [Shape::Columns, Shape::Tree] {
            let layout = Layout::new(&around, shape);
            let places: Vec<_> = layout.places.values().collect();
            for (at, a) in places.iter().enumerate() {
                assert!(a.end <= layout.width && a.y + ROW / 2.0 <= layout.height, "{shape:?} {a:?}");
                for b in &places[at + 1..] {
                    let is_apart = (a.y - b.y).abs() >= ROW || a.end < b.x - LABEL || b.end < a.x - LABEL;
                    assert!(is_apart, "{shape:?} {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn a_long_name_shows_its_end() {
        assert_eq!(short("crates/engine/src/graph.rs", 12), "…rc/graph.rs");
        assert_eq!(short("graph.rs", 12), "graph.rs");
        let memory = GraphNode { kind: "memory".to_owned(), label: "Do not sleep".to_owned(), ..GraphNode::default() };
        assert_eq!((label(&memory, 7), label(&memory, 12)), ("Do not…".to_owned(), "Do not sleep".to_owned()));
    }
}

//! What a picture of the graph shows, and the addresses of those that show a little more or less.

use serde::Deserialize;

use crate::view;

/// The most nodes that can be opened in a picture. Each is one more request, and the picture has at most 200 nodes.
const OPENED: usize = 12;

/// The parameters of a picture.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub(in crate::pages) struct Asked {
    /// A symbol, a path or an id; empty for the overview of the project.
    pub(super) node: String,
    pub(super) depth: u32,
    /// The nodes that were opened, one a line, by their ids within an answer.
    pub(super) open: String,
    /// The relations that are left out, separated by commas.
    pub(super) without: String,
}

impl Default for Asked {
    fn default() -> Self {
        Self { node: String::new(), depth: 1, open: String::new(), without: String::new() }
    }
}

impl Asked {
    pub(super) fn open_ids(&self) -> impl Iterator<Item = &str> {
        self.open.lines().filter(|id| !id.is_empty()).take(OPENED)
    }

    pub(super) fn is_without(&self, relation: &str) -> bool {
        self.without.split(',').any(|left_out| left_out == relation)
    }

    /// Returns the address of this picture.
    pub(super) fn address(&self) -> String {
        let depth = if self.depth == 1 { String::new() } else { self.depth.to_string() };
        let parameters =
            [("node", &*self.node), ("depth", &*depth), ("without", &*self.without), ("open", &*self.open)];
        view::link_to("graph", &parameters)
    }

    /// Returns the address of this picture with a node opened, or closed if it is open.
    pub(super) fn toggle_address(&self, id: &str) -> String {
        let is_open = self.open_ids().any(|open| open == id);
        let others = self.open_ids().filter(|open| *open != id);
        let open: Vec<&str> = others.chain((!is_open).then_some(id)).collect();
        Self { open: open.join("\n"), ..self.clone() }.address()
    }

    /// Returns the address of this picture without a relation, or with it if it is left out.
    pub(super) fn relation_address(&self, relation: &str) -> String {
        let others = self.without.split(',').filter(|other| !other.is_empty() && *other != relation);
        let without: Vec<&str> = others.chain((!self.is_without(relation)).then_some(relation)).collect();
        Self { without: without.join(","), ..self.clone() }.address()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_opened_and_closed_by_a_link() {
        let asked = Asked { node: "a::b".to_owned(), ..Asked::default() };
        assert_eq!(asked.toggle_address("c#d"), "graph?node=a%3A%3Ab&open=c%23d");
        let opened = Asked { open: "c#d\ne".to_owned(), depth: 2, ..asked.clone() };
        assert_eq!(opened.toggle_address("c#d"), "graph?node=a%3A%3Ab&depth=2&open=e");
        assert_eq!(asked.relation_address("defines"), "graph?node=a%3A%3Ab&without=defines");
        let without = Asked { without: "defines,imports".to_owned(), ..asked };
        assert_eq!(without.relation_address("defines"), "graph?node=a%3A%3Ab&without=imports");
    }
}

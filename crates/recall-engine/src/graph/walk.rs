//! Breadth-first walk from the start nodes of a query.
//!
//! Edges between documents are in memory. Who uses a symbol is not stored: it is looked up by name during the walk, and each mention
//! is checked against what the name means in its document. So a walk has two limits, the nodes of the request and the look-ups of
//! names. One that reaches a limit is marked as truncated.

use std::collections::{BTreeSet, HashMap};

use recall_core::{ChunkRow, Edge, EdgeKind, Relation, Symbol, SymbolKind};

use super::definitions::{Definition, NameResolver};
use super::start::Start;
use crate::error::StoreError;
use crate::graph::answer::{GraphRequest, NodeThing};
use crate::graph::definitions::Around;
use crate::links::meaning;

/// The most names whose users one walk looks up; each lookup may read hundreds of chunks.
const MOST_USES_ASKED: usize = 24;

/// The most chunks that are read to check whether they use a name. Reading one takes about 20 µs.
const MOST_MENTIONS: usize = 128;

/// The identity of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Key {
    Document(u32),
    /// The document, the first byte and the qualified name.
    Symbol(u32, u32, String),
    External(String),
}

/// A node that the walk has reached.
pub(crate) struct Node {
    pub(crate) thing: NodeItem,
    pub(crate) distance: u32,
}

/// The thing that a node represents.
#[derive(Clone)]
pub(crate) enum NodeItem {
    Document(u32),
    Symbol(Definition),
    External(String),
}

/// A step to a neighbour.
struct Step {
    to: NodeItem,
    kind: EdgeKind,
    direction: Direction,
}

#[derive(Clone, Copy)]
enum Direction {
    /// The edge leads to the neighbour.
    Out,
    /// The edge comes from the neighbour.
    In,
}

/// The result of a walk.
pub(crate) struct Walked {
    pub(crate) nodes: Vec<Node>,
    /// The edges, by the indexes of their nodes.
    pub(crate) edges: BTreeSet<(usize, EdgeKind, usize)>,
    pub(crate) is_truncated: bool,
}

pub(crate) struct Walk<'a, 'n> {
    names: &'a mut NameResolver<'n>,
    request: &'a GraphRequest,
    places: HashMap<Key, usize>,
    walked: Walked,
    uses_asked: usize,
}

impl NodeItem {
    fn key(&self) -> Key {
        match self {
            Self::Document(document) => Key::Document(*document),
            Self::Symbol(Definition { document, symbol }) => {
                Key::Symbol(*document, symbol.span.bytes.start, symbol.qualified.clone())
            }
            Self::External(target) => Key::External(target.clone()),
        }
    }
}

impl<'a, 'n> Walk<'a, 'n> {
    /// Walks breadth first. The neighbours of each node are taken from its relations in turn, so that a limit does not let one
    /// relation crowd out the others.
    pub(crate) fn from(
        names: &'a mut NameResolver<'n>,
        request: &'a GraphRequest,
        starts: Vec<Start>,
    ) -> Result<Walked, StoreError> {
        let walked = Walked { nodes: Vec::new(), edges: BTreeSet::new(), is_truncated: false };
        let mut walk = Self { names, request, places: HashMap::new(), walked, uses_asked: 0 };
        for start in starts {
            let thing = match start {
                Start::Document(document) => NodeItem::Document(document),
                Start::Symbol(definition) => NodeItem::Symbol(definition),
            };
            walk.place(&thing, 0);
        }
        let mut next = 0;
        while let Some(node) = walk.walked.nodes.get(next) {
            if node.distance < request.depth {
                walk.expand(next)?;
            }
            next += 1;
        }
        Ok(walk.walked)
    }

    /// Returns the node's index, adding the node if the limit permits.
    fn place(&mut self, thing: &NodeItem, distance: u32) -> Option<usize> {
        let key = thing.key();
        if let Some(&place) = self.places.get(&key) {
            return Some(place);
        }
        if self.walked.nodes.len() >= self.request.limit as usize {
            self.walked.is_truncated = true;
            return None;
        }
        let place = self.walked.nodes.len();
        self.places.insert(key, place);
        self.walked.nodes.push(Node { thing: thing.clone(), distance });
        Some(place)
    }

    fn expand(&mut self, place: usize) -> Result<(), StoreError> {
        let (thing, distance) = (self.walked.nodes[place].thing.clone(), self.walked.nodes[place].distance);
        let mut lists = Vec::new();
        for relation in self.request.relations() {
            let steps = match &thing {
                NodeItem::Document(document) => self.around_document(*document, relation)?,
                NodeItem::Symbol(definition) => self.around_symbol(definition, relation)?,
                NodeItem::External(_) => Vec::new(),
            };
            lists.push(steps.into_iter());
        }
        while !lists.is_empty() {
            lists.retain_mut(|steps| {
                let Some(step) = steps.next() else { return false };
                if let Some(to) = self.place(&step.to, distance + 1) {
                    let (from, to) = match step.direction {
                        Direction::Out => (place, to),
                        Direction::In => (to, place),
                    };
                    self.walked.edges.insert((from, step.kind, to));
                }
                true
            });
        }
        Ok(())
    }

    fn around_document(&mut self, document: u32, relation: Relation) -> Result<Vec<Step>, StoreError> {
        let kind = relation.edge_kind();
        Ok(match relation {
            Relation::Imports => {
                let mut steps = self.stated_steps(document, kind, Direction::Out);
                if self.request.relations.contains(&Relation::Imports) {
                    steps.extend(self.outside(document)?);
                }
                steps
            }
            Relation::ImportedBy => self.stated_steps(document, kind, Direction::In),
            Relation::RelatesTo | Relation::Supersedes => {
                let mut steps = self.stated_steps(document, kind, Direction::Out);
                steps.extend(self.stated_steps(document, kind, Direction::In));
                steps
            }
            Relation::Defines => {
                let row = self.names.row(document);
                let symbols = self.names.read(|snapshot| snapshot.symbols_of(row))?;
                symbols.into_iter().map(|symbol| Step::out(kind, document, symbol)).collect()
            }
            Relation::References => {
                let uses = self.names.uses(document)?;
                self.used_steps(document, uses.references(), |_| true)?
            }
        })
    }

    fn around_symbol(&mut self, definition: &Definition, relation: Relation) -> Result<Vec<Step>, StoreError> {
        let Definition { document, symbol } = definition;
        Ok(match relation {
            Relation::Defines => {
                vec![Step { to: NodeItem::Document(*document), kind: EdgeKind::Defines, direction: Direction::In }]
            }
            Relation::References => {
                let mut steps = self.users(definition)?;
                steps.extend(self.used_within(*document, symbol)?);
                steps
            }
            Relation::Imports | Relation::ImportedBy | Relation::RelatesTo | Relation::Supersedes => Vec::new(),
        })
    }

    /// Returns the documents that a document states an edge of a kind to, or that state one to it, by path.
    fn stated_steps(&self, document: u32, kind: EdgeKind, direction: Direction) -> Vec<Step> {
        let stated = self.names.stated;
        let mut documents: Vec<u32> = match direction {
            Direction::Out => {
                stated.from(document).iter().filter(|edge| edge.kind == kind).map(|edge| edge.to).collect()
            }
            Direction::In => stated.to(document).filter(|edge| edge.kind == kind).map(|edge| edge.from).collect(),
        };
        documents.sort_by(|a, b| self.names.path(*a).cmp(self.names.path(*b)));
        documents.into_iter().map(|document| Step { to: NodeItem::Document(document), kind, direction }).collect()
    }

    /// Returns the imports of a document whose targets are outside the store, by name.
    fn outside(&self, document: u32) -> Result<Vec<Step>, StoreError> {
        let row = self.names.row(document);
        let edges = self.names.read(|snapshot| snapshot.stated_edges_of(row))?;
        let targets: BTreeSet<String> = edges
            .into_iter()
            .filter(|edge| edge.kind == EdgeKind::Imports)
            .filter(|edge| self.names.stated.paths.resolve(document, &edge.target).is_empty())
            .map(|edge| edge.target)
            .collect();
        let step = |target| Step { to: NodeItem::External(target), kind: EdgeKind::Imports, direction: Direction::Out };
        Ok(targets.into_iter().map(step).collect())
    }

    /// Returns the definitions that a document uses by name: those used by the most chunks first, then by name.
    fn used_steps(
        &mut self,
        document: u32,
        references: &[Edge],
        is_asked: impl Fn(&Edge) -> bool,
    ) -> Result<Vec<Step>, StoreError> {
        let mut names: HashMap<&str, u32> = HashMap::new();
        for edge in references.iter().filter(|edge| is_asked(edge)) {
            *names.entry(&edge.target).or_default() += 1;
        }
        let mut names: Vec<(&str, u32)> = names.into_iter().collect();
        names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        let mut steps = Vec::new();
        for (name, _) in names {
            // One more than fits shows that there are more.
            if steps.len() > self.request.limit as usize {
                break;
            }
            let (module, name) = Edge::split_qualifier(name);
            for definition in self.names.meant_by(document, module, name)?.iter().flat_map(|meant| meant.iter()) {
                steps.push(Step::out(EdgeKind::References, definition.document, definition.symbol.clone()));
            }
        }
        Ok(steps)
    }

    /// Returns the definitions that the text of a symbol uses by name.
    fn used_within(&mut self, document: u32, symbol: &Symbol) -> Result<Vec<Step>, StoreError> {
        let span = symbol.span.bytes;
        let uses = self.names.uses(document)?;
        let within = span.slice(&uses.text).unwrap_or_default();
        let own = symbol.name.as_str();
        // The chunk may contain other symbols too, so only names in this symbol's text count. An address counts as a whole if it is
        // written as one.
        let by_address = self.names.stated.paths.names_by_address(document);
        let mut steps = self.used_steps(document, uses.within(span), |edge| {
            let is_whole = by_address && uses.text.contains(&edge.target);
            let spelling = if is_whole { &edge.target } else { Edge::split_qualifier(&edge.target).1 };
            edge.target != own && within.contains(spelling)
        })?;
        let definition = Definition { document, symbol: symbol.clone() };
        steps.retain(|step| !matches!(&step.to, NodeItem::Symbol(target) if *target == definition));
        Ok(steps)
    }

    /// Returns the users of a definition: the definitions that contain the uses, or documents for uses outside of any.
    fn users(&mut self, definition: &Definition) -> Result<Vec<Step>, StoreError> {
        let name = definition.symbol.name.as_str();
        if !meaning::is_used_by_name(definition.symbol.kind) {
            return Ok(Vec::new());
        }
        if self.uses_asked == MOST_USES_ASKED {
            self.walked.is_truncated = true;
            return Ok(Vec::new());
        }
        self.uses_asked += 1;
        let mentions = self.names.mentions(name, MOST_MENTIONS)?;
        self.walked.is_truncated |= mentions.is_cut;
        let mut steps: Vec<Step> = Vec::new();
        let mut seen = BTreeSet::from([NodeItem::Symbol(definition.clone()).key()]);
        for mention in &mentions.found {
            // One more than fits shows that there are more.
            if steps.len() > self.request.limit as usize {
                break;
            }
            let means = self.names.meant_by(mention.document, mention.module.as_deref(), name)?;
            // An address means one definition; a name means all of its document.
            let address =
                mention.module.as_deref().filter(|_| self.names.stated.paths.names_by_address(mention.document));
            let is_meant = |meant: &std::rc::Rc<Vec<Definition>>| match address {
                Some(_) => meant.contains(definition),
                None => meant[0].document == definition.document,
            };
            if !means.iter().any(is_meant) {
                continue;
            }
            let address = address.map(|module| Edge::qualify(module, name));
            for user in self.users_in(mention.document, mention.chunk, name, address.as_deref())? {
                if seen.insert(user.key()) {
                    steps.push(Step { to: user, kind: EdgeKind::References, direction: Direction::In });
                }
            }
        }
        Ok(steps)
    }

    /// Returns the definitions of a chunk that contain a name, or the document if no definition contains it. The name may be a part
    /// of an address.
    fn users_in(
        &mut self,
        document: u32,
        chunk: ChunkRow,
        name: &str,
        address: Option<&str>,
    ) -> Result<Vec<NodeItem>, StoreError> {
        let Some(around) = self.names.around(document, chunk)? else { return Ok(Vec::new()) };
        let Around { span, text, symbols } = &*around;
        let mut users: Vec<&Symbol> = Vec::new();
        let written = address.filter(|address| text.contains(address)).unwrap_or(name);
        for (at, _) in text.match_indices(written).filter(|&(at, _)| is_word(text, at, written.len(), address)) {
            let around = innermost(symbols, span.start + at as u32);
            let is_own =
                |symbol: &Symbol| symbol.name == name && address.is_none_or(|address| is_address(symbol, address));
            users.extend(around.filter(|symbol| !is_own(symbol) && !users.contains(symbol)));
        }
        if users.is_empty() {
            return Ok(vec![NodeItem::Document(document)]);
        }
        Ok(users.into_iter().map(|symbol| NodeItem::Symbol(Definition { document, symbol: symbol.clone() })).collect())
    }
}

/// Returns whether the address is that of a symbol.
fn is_address(symbol: &Symbol, address: &str) -> bool {
    symbol.qualified.replace("::", ".").ends_with(address)
}

/// Returns whether the text at a position is a whole word. The words of addresses may contain hyphens.
fn is_word(text: &str, at: usize, length: usize, address: Option<&str>) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || address.is_some() && c == '-';
    !text[..at].ends_with(is_part) && !text[at + length..].starts_with(is_part)
}

impl Step {
    fn out(kind: EdgeKind, document: u32, symbol: Symbol) -> Self {
        Self { to: NodeItem::Symbol(Definition { document, symbol }), kind, direction: Direction::Out }
    }
}

/// Returns the smallest symbol that contains a byte. Keys and headings divide a text; they use nothing.
fn innermost(symbols: &[Symbol], byte: u32) -> Option<&Symbol> {
    let around = symbols.iter().filter(|symbol| {
        symbol.span.bytes.start <= byte
            && byte < symbol.span.bytes.end
            && !matches!(symbol.kind, SymbolKind::Key | SymbolKind::Heading)
    });
    around.min_by_key(|symbol| (symbol.span.bytes.end - symbol.span.bytes.start, symbol.span.bytes.start))
}

impl NodeItem {
    /// Converts the node to its form in the answer.
    pub(crate) fn read_thing(&self, names: &mut NameResolver<'_>) -> Result<Option<NodeThing>, StoreError> {
        let mut document =
            |place: u32| -> Result<_, StoreError> { Ok(names.document(place)?.map(|document| (*document).clone())) };
        Ok(match self {
            Self::Document(number) => document(*number)?.map(NodeThing::Document),
            Self::Symbol(Definition { document: number, symbol }) => {
                document(*number)?.map(|document| NodeThing::Symbol { document, symbol: symbol.clone() })
            }
            Self::External(target) => Some(NodeThing::External { target: target.clone() }),
        })
    }
}

//! The cut positions, definitions, imports and references of a syntax tree.
//!
//! One walk with a cursor, without recursion. Nodes without a role allocate nothing.

mod frame;
mod listed;
mod merge;
pub(crate) mod names;

use std::ops::Range;

use recall_core::{ByteSpan, ChunkKind, SymbolKind};
use tree_sitter::{Node, Tree, TreeCursor};

use self::frame::{Frame, Pending};
use crate::grammar::{Callee, Grammar, NodeTrait, Role};
use crate::languages::{Alias, Clauses, Definition, DocReach, Docs, Kinds, NameRule, Named, Place, child_of_kind};
use crate::lines::Lines;

/// The cut cost of a line before which the text must not be cut.
pub(crate) const NO_CUT: u16 = u16::MAX;

/// The cost of a cut before a node that is not a statement, member or element: four levels of nesting. The lines of a
/// parameter list are thereby cut later than the statements of the function's body and of the blocks in it.
const NON_BLOCK_COST: u16 = 4;

/// Configuration keys are symbols down to this depth. Deeper ones are data.
const KEY_DEPTH: u32 = 3;

/// The most definitions of one document. Further ones are data.
pub(crate) const MAX_DEFINITIONS: usize = 10_000;

/// The result of a walk over a syntax tree.
pub(crate) struct Outline {
    /// For each line, the depth in the tree of what begins on it. A lower cost makes a better cut before the line.
    pub(crate) cut_costs: Vec<u16>,
    /// The definitions in the order of their first bytes. Each precedes the ones it encloses.
    pub(crate) definitions: Vec<DefinitionNode>,
    /// The position and target of each import.
    pub(crate) imports: Vec<(u32, String)>,
    /// The names introduced by imports, in order. Empty for languages without
    /// [`aliases`](crate::languages::Syntax::aliases).
    pub(crate) aliases: Vec<Alias>,
    /// Whether a qualifier is a module even if no import introduced that name.
    pub(crate) all_qualifiers: bool,
    /// The names that are called or used as types, in no particular order.
    pub(crate) references: Vec<Reference>,
    /// The names of values at their binding: parameters, variables. In no particular order; empty for languages without
    /// [`binders`](crate::languages::Syntax::binders).
    pub(crate) bound: Vec<ByteSpan>,
    /// The position and the target of each use that is not a name in the text: an [address](crate::languages::Syntax::addresses), or
    /// a component under another spelling.
    pub(crate) addresses: Vec<(u32, String)>,
}

/// A use of a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reference {
    /// The bare name.
    pub(crate) name: ByteSpan,
    /// The module written before it.
    pub(crate) qualifier: Option<ByteSpan>,
}

/// A definition in the tree.
pub(crate) struct DefinitionNode {
    /// The whole definition, with its comments, attributes and wrapper.
    pub(crate) bytes: Range<usize>,
    /// The lines of `bytes`, counted from 0.
    pub(crate) lines: Range<usize>,
    pub(crate) name: Range<usize>,
    /// From the first keyword to the body.
    pub(crate) signature: Range<usize>,
    pub(crate) doc: Option<ByteSpan>,
    pub(crate) kinds: Kinds,
    pub(crate) keyword: &'static str,
    pub(crate) label: Option<String>,
    pub(crate) scope: Option<String>,
    pub(crate) parent: Option<u32>,
    /// The index after the last definition that it encloses.
    pub(crate) subtree_end: u32,
}

/// Returns the outline of a tree down to `depth` levels.
pub(crate) fn read(grammar: &Grammar, tree: &Tree, lines: &Lines<'_>, depth: u32) -> Outline {
    let mut reader = Reader {
        grammar,
        lines,
        frames: vec![Frame::root(grammar.role(tree.root_node().kind_id()), lines.text().len())],
        glued_line: usize::MAX,
        targets: Vec::new(),
        outline: Outline {
            all_qualifiers: grammar.syntax.qualified.is_some(),
            ..Outline::with_costs(vec![NO_CUT; lines.len()])
        },
    };
    if let Some(addresses) = grammar.syntax.addresses {
        addresses(tree.root_node(), lines.text(), &mut reader.outline.addresses);
    }
    if grammar.syntax.has_macros {
        reader.record_macros();
    }
    reader.walk(tree, depth);
    if grammar.syntax.has_macros {
        reader.outline.add_listed_names(lines);
    }
    reader.outline
}

struct Reader<'a> {
    grammar: &'a Grammar,
    lines: &'a Lines<'a>,
    /// The ancestors of the current node, root first. Never empty.
    frames: Vec<Frame>,
    /// A line that continues the comment or attribute on the line before.
    glued_line: usize,
    targets: Vec<String>,
    outline: Outline,
}

impl Reader<'_> {
    /// Walks a tree down to `depth` levels.
    fn walk(&mut self, tree: &Tree, depth: u32) {
        let mut cursor = tree.walk();
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let frame = self.visit(&cursor).filter(|_| self.frames.len() < depth as usize);
            if let Some(frame) = frame
                && cursor.goto_first_child()
            {
                self.frames.push(frame);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.leave();
            }
        }
    }

    /// Visits the cursor's node. Returns the frame for its children, or `None` if they are not walked.
    fn visit(&mut self, cursor: &TreeCursor<'_>) -> Option<Frame> {
        let node = cursor.node();
        let role = self.grammar.role(node.kind_id());
        let depth = self.frames.len() as u16;
        let parent = self.frames.last_mut().expect("the root's frame is never popped");
        if !role.has(NodeTrait::Named) {
            parent.pending = None;
            return None;
        }
        let start = node.start_byte();
        let line = node.start_position().row;
        let begins_line = line < self.lines.len() && self.lines.first(line) == start;
        if begins_line && line != self.glued_line {
            let cost = depth + if parent.role.has(NodeTrait::Block) { 0 } else { NON_BLOCK_COST };
            let known = &mut self.outline.cut_costs[line];
            *known = cost.min(*known);
        }
        if role.has(NodeTrait::Comment) {
            if begins_line {
                self.hold_back(node, line, role);
            }
            return None;
        }
        if role.has(NodeTrait::Attribute) && matches!(self.lines.text().as_bytes().get(start), Some(b'@' | b'#' | b'{'))
        {
            if begins_line {
                self.hold_back(node, line, role);
            }
            return Some(self.plain_frame(role, node));
        }
        let from_afar = role.definition().is_some_and(|definition| definition.reach == DocReach::AcrossBlankLines);
        let attached = parent.pending.take().filter(|held| from_afar || held.last_line + 1 >= line);
        let binds = parent.binds || cursor.field_id().is_some_and(|field| self.grammar.is_binder(field.get()));
        if let Some(held) = &attached
            && begins_line
            && line > held.first_line
        {
            self.outline.cut_costs[line] = NO_CUT;
            self.glued_line = line;
        }
        self.record_callee(cursor, node);
        if role.has(NodeTrait::Type) {
            self.record_type(node);
        }
        if role.has(NodeTrait::Value) {
            self.record_value(node, binds);
        }
        if role.import().is_some() && self.record_import(role, node) && !role.has(NodeTrait::Wrapper) {
            return None;
        }
        let qualifier = self.qualifier(role, node);
        let frame = self.frame_of(role, node, line, attached);
        Some(Frame { qualifier, binds, ..frame })
    }

    /// Leaves the innermost frame. A comment at its end may belong to the node after it.
    fn leave(&mut self) {
        let count = self.outline.definitions.len() as u32;
        let Some(frame) = self.frames.pop() else { return };
        if let Some(index) = frame.own_definition {
            self.outline.definitions[index as usize].subtree_end = count;
        }
        if let Some(parent) = self.frames.last_mut()
            && frame.role.has(NodeTrait::Block)
        {
            parent.pending = frame.pending;
        }
    }

    /// Holds back a comment or attribute until the node after it is known.
    fn hold_back(&mut self, node: Node<'_>, line: usize, role: Role) {
        let end = node.end_position();
        // Some grammars include the line break in the comment.
        let last_line = if end.column == 0 && end.row > line { end.row - 1 } else { end.row };
        // In Elixir, documentation is an attribute.
        let is_doc = role.has(NodeTrait::Comment) || self.lines.text()[node.byte_range()].starts_with("@doc ");
        let comment = is_doc.then(|| node.start_byte()..node.end_byte());
        let parent = self.frames.last_mut().expect("the root's frame is never popped");
        match &mut parent.pending {
            Some(held) if held.last_line + 1 == line => {
                held.last_line = last_line;
                if let Some(comment) = comment {
                    let start = held.comments.as_ref().map_or(comment.start, |all| all.start);
                    held.comments = Some(start..comment.end);
                }
                self.outline.cut_costs[line] = NO_CUT;
                self.glued_line = line;
            }
            pending => {
                *pending = Some(Pending { first_line: line, last_line, start: node.start_byte(), comments: comment });
            }
        }
    }

    fn plain_frame(&self, role: Role, node: Node<'_>) -> Frame {
        self.frames.last().expect("the root's frame is never popped").child(role, node.end_byte())
    }

    /// Returns the frame of a node that may be a definition or wrap one.
    fn frame_of(&mut self, role: Role, node: Node<'_>, line: usize, attached: Option<Pending>) -> Frame {
        let mut frame = self.plain_frame(role, node);
        let parent = self.frames.last_mut().expect("the root's frame is never popped");
        let mut outer = node.byte_range();
        let mut held = attached;
        // In a list of definitions in one declaration, only the first inherits the comment, and only on the same line.
        let may_inherit = parent.role.has(NodeTrait::Wrapper)
            && parent.last_definition.is_none()
            && (!parent.role.has(NodeTrait::Block) || line == parent.line);
        if may_inherit && held.is_none() {
            held.clone_from(&parent.wrapped_docs);
            outer = parent.wrapped.clone().unwrap_or(outer);
        }
        let definition = role.definition().filter(|definition| self.fits(definition.place));
        let named = definition.map_or_else(Vec::new, |definition| self.names(&definition.name, node));
        if let Some(definition) = definition
            && let Some(last) = named.len().checked_sub(1)
        {
            let is_list = role.has(NodeTrait::Block);
            for (index, named) in named.into_iter().enumerate() {
                let kinds = named.kinds.unwrap_or(definition.kinds);
                if !self.counts(definition.place, kinds) || named.name.is_empty() {
                    continue;
                }
                let own = named.bytes.clone().unwrap_or_else(|| outer.clone());
                // The first and the last of one declaration include its ends; those of a list do not.
                let start = if index == 0 && !is_list { outer.start } else { own.start };
                let end = if index == last && !is_list { outer.end } else { own.end };
                let held = held.take().filter(|_| index == 0);
                let found = self.definition(node, start..end, held, definition, kinds, named);
                self.define(&mut frame, found);
            }
        } else if role.has(NodeTrait::Block) && !role.has(NodeTrait::Wrapper) {
            // The comment belongs to the first element of the list.
            frame.pending = held;
        } else if role.has(NodeTrait::Wrapper) {
            frame.wrapped = Some(outer);
            frame.wrapped_docs = held;
            frame.line = line;
        }
        frame
    }

    /// Returns what a node defines by a rule.
    fn names(&self, rule: &NameRule, node: Node<'_>) -> Vec<Named> {
        let one = match rule {
            NameRule::Field(field) => {
                node.child_by_field_name(field).map(|name| Named::plain(self.without_quotes(name)))
            }
            NameRule::Child(kinds) => child_of_kind(node, kinds).map(|name| Named::plain(name.byte_range())),
            NameRule::Custom(custom) => custom(node, self.lines.text()),
            NameRule::Several(several) => return several(node, self.lines.text()),
        };
        Vec::from_iter(one)
    }

    /// The name without quotes, as in `declare module "x"`.
    fn without_quotes(&self, name: Node<'_>) -> Range<usize> {
        let text = &self.lines.text()[name.byte_range()];
        let inner = text.trim_matches(['"', '\'']);
        let start = name.start_byte() + (text.len() - text.trim_start_matches(['"', '\'']).len());
        start..start + inner.len()
    }

    /// Whether a node that defines something does so here.
    fn fits(&self, place: Place) -> bool {
        let parent = self.frames.last().expect("the root's frame is never popped");
        let is_type = |index: u32| self.outline.definitions[index as usize].kinds.chunk == ChunkKind::Type;
        let outer = |index: u32| self.outline.definitions[index as usize].parent;
        match place {
            Place::Anywhere => true,
            Place::OutsideFunctions => !parent.in_function,
            Place::Outermost => parent.definition.is_none(),
            Place::InTypes => {
                !parent.in_function
                    && parent.definition.is_some_and(|index| is_type(index) || outer(index).is_some_and(is_type))
            }
            Place::Parameters => {
                parent.in_function
                    && parent.definition.is_some_and(|index| !is_type(index) && outer(index).is_some_and(is_type))
            }
        }
    }

    /// Whether a definition counts here. Variables in functions and deeply nested keys do not.
    fn counts(&self, place: Place, kinds: Kinds) -> bool {
        let parent = self.frames.last().expect("the root's frame is never popped");
        let fits = match kinds.symbol {
            Some(SymbolKind::Variable | SymbolKind::Constant) => !parent.in_function || place == Place::Parameters,
            Some(SymbolKind::Key) => parent.keys_above < KEY_DEPTH,
            _ => true,
        };
        fits && self.outline.definitions.len() < MAX_DEFINITIONS
    }

    fn definition(
        &self,
        node: Node<'_>,
        outer: Range<usize>,
        held: Option<Pending>,
        definition: &Definition,
        kinds: Kinds,
        named: Named,
    ) -> DefinitionNode {
        let text = self.lines.text();
        let mut parent = self.frames.last().and_then(|parent| parent.definition);
        if definition.place == Place::Parameters {
            // It belongs to the function's type.
            parent = parent.and_then(|function| self.outline.definitions[function as usize].parent);
        }
        let start = held.as_ref().map_or(outer.start, |held| held.start.min(outer.start));
        let docstring = match self.grammar.syntax.docs {
            Docs::Inside => names::docstring(node),
            Docs::Before => None,
        };
        let comments = docstring.or_else(|| held.and_then(|held| held.comments));
        let trim = |range: Range<usize>| range.start..range.start + text[range].trim_end().len();
        let bytes = trim(start..outer.end);
        DefinitionNode {
            lines: self.lines.line_of(bytes.start)..self.lines.line_of(bytes.end.saturating_sub(1)) + 1,
            signature: names::signature(node, outer.start, &named.name, kinds, text),
            doc: comments.map(trim).map(|doc| ByteSpan { start: doc.start as u32, end: doc.end as u32 }),
            bytes,
            name: named.name,
            kinds,
            keyword: definition.keyword,
            label: named.label,
            scope: named.scope,
            parent,
            subtree_end: 0,
        }
    }

    /// Adds a definition, or extends the one before if both are clauses of one.
    fn define(&mut self, frame: &mut Frame, found: DefinitionNode) {
        let text = self.lines.text();
        let parent = self.frames.last_mut().expect("the root's frame is never popped");
        let is_function = matches!(found.kinds.chunk, ChunkKind::Function | ChunkKind::Method);
        frame.in_function |= is_function;
        frame.keys_above += u32::from(found.kinds.symbol == Some(SymbolKind::Key));
        if self.grammar.syntax.clauses == Clauses::Merged
            && is_function
            && let Some(index) = parent.last_definition
            && let before = &mut self.outline.definitions[index as usize]
            && text[before.name.clone()] == text[found.name.clone()]
            && found.lines.start <= before.lines.end + 1
        {
            self.outline.cut_costs[found.lines.start] = NO_CUT;
            self.glued_line = found.lines.start;
            before.bytes.end = found.bytes.end;
            before.lines.end = found.lines.end;
            frame.definition = Some(index);
            frame.own_definition = Some(index);
            return;
        }
        let index = self.outline.definitions.len() as u32;
        parent.last_definition = Some(index);
        frame.definition = Some(index);
        frame.own_definition = Some(index);
        self.outline.definitions.push(DefinitionNode { subtree_end: index + 1, ..found });
    }

    /// Records the callee's name, if the node is the callee of its parent.
    fn record_callee(&mut self, cursor: &TreeCursor<'_>, node: Node<'_>) {
        let parent = self.frames.last_mut().expect("the root's frame is never popped");
        let is_callee = match parent.role.callee() {
            None => false,
            Some(Callee::Field(field)) => cursor.field_id().is_some_and(|id| id.get() == field),
            Some(Callee::Component(field)) => {
                cursor.field_id().is_some_and(|id| id.get() == field)
                    && !self.lines.text().as_bytes().get(node.start_byte()).is_some_and(u8::is_ascii_lowercase)
            }
            Some(Callee::FirstNamed) => !std::mem::replace(&mut parent.has_callee, true),
        };
        if !is_callee {
            return;
        }
        let text = self.lines.text();
        let Some(name) = names::callee(text, node.start_byte()..node.end_byte()) else { return };
        if self.grammar.syntax.builtins.binary_search(&&text[name.clone()]).is_ok() {
            return;
        }
        if self.grammar.syntax.import_calls.contains(&&text[name.clone()]) {
            let arguments = text.get(node.end_byte()..parent.end).unwrap_or_default();
            if let Some(target) = names::leading_literal(arguments) {
                self.outline.imports.push((node.start_byte() as u32, target.to_owned()));
                return;
            }
        }
        self.add_reference(name);
    }

    fn record_type(&mut self, node: Node<'_>) {
        if let Some(name) = names::type_name(self.lines.text(), node.byte_range()) {
            self.add_reference(name);
        }
    }

    fn record_value(&mut self, node: Node<'_>, binds: bool) {
        let span = ByteSpan { start: node.start_byte() as u32, end: node.end_byte() as u32 };
        if binds {
            self.outline.bound.push(span);
            return;
        }
        let name = span.slice(self.lines.text()).unwrap_or_default();
        // After a module, even a builtin name belongs to that module.
        let is_builtin = || self.grammar.syntax.builtins.binary_search(&name).is_ok();
        if names::is_worth_naming(name) && (self.is_qualified() || !is_builtin()) {
            self.add_reference(node.byte_range());
        }
    }

    fn is_qualified(&self) -> bool {
        self.frames.last().is_some_and(|parent| parent.qualifier.is_some())
    }

    /// Records a use of a name, with the module before it.
    fn add_reference(&mut self, name: Range<usize>) {
        let syntax = self.grammar.syntax;
        let qualifier = match (&syntax.qualified, syntax.aliases) {
            (Some(_), _) => self.frames.last().and_then(|parent| parent.qualifier),
            (None, Some(_)) => names::qualifier_before(self.lines.text(), name.start),
            (None, None) => None,
        };
        let name = ByteSpan { start: name.start as u32, end: name.end as u32 };
        self.outline.references.push(Reference { name, qualifier });
    }

    /// The module in a qualified name.
    fn qualifier(&self, role: Role, node: Node<'_>) -> Option<ByteSpan> {
        let qualified = self.grammar.syntax.qualified.as_ref().filter(|_| role.has(NodeTrait::Qualified))?;
        let module = node.child_by_field_name(qualified.module)?.byte_range();
        let text = self.lines.text().get(module.clone())?.trim_end_matches('.');
        Some(ByteSpan { start: module.start as u32, end: (module.start + text.len()) as u32 })
    }

    /// Records what a node imports. Returns whether it imports anything.
    fn record_import(&mut self, role: Role, node: Node<'_>) -> bool {
        let text = self.lines.text().get(node.byte_range()).unwrap_or_default();
        if let Some(import) = role.import() {
            (import.targets)(text, &mut self.targets);
        }
        let has_targets = !self.targets.is_empty();
        if let Some(aliases) = self.grammar.syntax.aliases.filter(|_| has_targets) {
            aliases(node, self.lines.text(), &self.targets, &mut self.outline.aliases);
        }
        let at = node.start_byte() as u32;
        self.outline.imports.extend(self.targets.drain(..).map(|target| (at, target)));
        has_targets
    }
}

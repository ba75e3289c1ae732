//! How each language writes definitions, imports and calls.
//!
//! One [`Syntax`] per language: data, with a few functions if a name is not simply a field. [`outline`](crate::outline)
//! reads all of them with one walker. The tables use tree-sitter's node kinds; a test checks them against the grammars.

mod c;
mod data;
mod functional;
mod imports;
mod javascript;
mod jvm;
mod kubernetes;
mod macro_items;
mod scripting;
mod systems;

use std::ops::Range;

use recall_core::{ChunkKind, SymbolKind};
use tree_sitter::{Language, Node};

use crate::guard::Hazard;

/// Everything the walker needs to know about a language's grammar.
pub(crate) struct Syntax {
    /// The language's name, as in the table of `recall-text`.
    pub(crate) name: &'static str,
    pub(crate) grammar: fn() -> Language,
    pub(crate) definitions: &'static [Definition],
    /// Nodes whose children are statements, members or elements, so that cuts between them are good.
    pub(crate) blocks: &'static [&'static str],
    pub(crate) comments: &'static [&'static str],
    /// Attributes, decorators and the like that precede their definition as siblings.
    pub(crate) attributes: &'static [&'static str],
    /// Nodes that wrap a definition and belong to it: `export`, decorators, `template <…>`.
    pub(crate) wrappers: &'static [&'static str],
    pub(crate) imports: &'static [Import],
    /// Reads the names that imports introduce. `None` if references in this language do not show what they take a name
    /// from.
    pub(crate) aliases: Option<Aliases>,
    /// The node that contains a name and the module before it. Without one, a name is qualified if an alias and a
    /// separator precede it.
    pub(crate) qualified: Option<Qualified>,
    pub(crate) calls: &'static [Call],
    /// Leaves that name a type, in any position.
    pub(crate) types: &'static [&'static str],
    /// Leaves that name a value unless they bind it. Set for languages that pass functions as values more often than
    /// they call them.
    pub(crate) values: &'static [&'static str],
    /// Fields below which a value's name is bound or means something else.
    pub(crate) binders: &'static [&'static str],
    /// Callees that occur everywhere and carry no information: keywords that the grammar parses as calls, and library
    /// functions that need no import. Sorted.
    pub(crate) builtins: &'static [&'static str],
    /// Functions that import a module if called with a literal: `require`.
    pub(crate) import_calls: &'static [&'static str],
    /// Finds the uses of what the language names by addresses of several words. `None` if it has no addresses.
    pub(crate) addresses: Option<Addresses>,
    pub(crate) clauses: Clauses,
    pub(crate) docs: Docs,
    /// Whether [macros](crate::macros) may hide declarations from the grammar.
    pub(crate) has_macros: bool,
    /// The state that the grammar's scanner keeps without a bounds check.
    pub(crate) hazard: Hazard,
}

impl Syntax {
    /// A language with nothing but its grammar; the base of every table.
    const fn bare(name: &'static str, grammar: fn() -> Language) -> Self {
        Self {
            name,
            grammar,
            definitions: &[],
            blocks: &[],
            comments: &["comment"],
            attributes: &[],
            wrappers: &[],
            imports: &[],
            aliases: None,
            qualified: None,
            calls: &[],
            types: &[],
            values: &[],
            binders: &[],
            builtins: &[],
            import_calls: &[],
            addresses: None,
            clauses: Clauses::Separate,
            docs: Docs::Before,
            has_macros: false,
            hazard: Hazard::None,
        }
    }

    /// The same table for another grammar.
    const fn with_name(self, name: &'static str, grammar: fn() -> Language) -> Self {
        Self { name, grammar, ..self }
    }
}

/// Whether adjacent definitions of the same name are clauses of one definition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clauses {
    /// Each is a definition of its own.
    Separate,
    /// Together they are one definition: equations in Haskell, function heads in Elixir.
    Merged,
}

/// The place of a definition's documentation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Docs {
    /// In the comments before it.
    Before,
    /// In a string that is the first statement of its body, or else in the comments before it.
    Inside,
}

/// A node kind that defines something.
pub(crate) struct Definition {
    pub(crate) node: &'static str,
    pub(crate) place: Place,
    /// The word before the name in a symbol path. Empty if the language has none.
    pub(crate) keyword: &'static str,
    pub(crate) kinds: Kinds,
    pub(crate) name: NameRule,
    pub(crate) reach: DocReach,
}

/// The distance allowed between a definition and its documentation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocReach {
    /// The documentation ends on the line before the definition.
    Adjoining,
    /// Blank lines may lie between: the comment at the top of a file documents the module that follows.
    AcrossBlankLines,
}

/// The places in which a node of a kind is a definition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Anywhere,
    /// Not inside functions. There it is a local variable, or only looks like a prototype.
    OutsideFunctions,
    /// Not inside any other definition. There it is a setting of that one.
    Outermost,
    /// Inside a type or a member of one, outside functions. Elsewhere it describes a value.
    InTypes,
    /// In the parameters of a function of a type. It is a member of that type.
    Parameters,
}

/// The chunk kind and the symbol kind of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds {
    /// [`ChunkKind::Group`] for constants and keys, which get a chunk of their own only if they are large.
    pub(crate) chunk: ChunkKind,
    /// `None` for a definition that only encloses or extends something named elsewhere: an `impl` block, a test.
    pub(crate) symbol: Option<SymbolKind>,
}

/// How to find a definition's name.
pub(crate) enum NameRule {
    /// The child in this field.
    Field(&'static str),
    /// The first child of one of these kinds.
    Child(&'static [&'static str]),
    /// A function of the node. Returns `None` if the node is not a definition after all.
    Custom(fn(Node<'_>, &str) -> Option<Named>),
    /// A function of a node that may define several things: `int a, b;`.
    Several(fn(Node<'_>, &str) -> Vec<Named>),
}

/// A definition's name and what else its function found out.
pub(crate) struct Named {
    /// The bytes of the bare name.
    pub(crate) name: Range<usize>,
    /// The type that it belongs to, if that does not enclose it: `Store` in `func (s *Store) Open`.
    pub(crate) scope: Option<String>,
    /// The text in the symbol path, instead of keyword and name.
    pub(crate) label: Option<String>,
    /// Its kinds, if the node's kind does not determine them.
    pub(crate) kinds: Option<Kinds>,
    /// Its own bytes, if the node may define several things.
    pub(crate) bytes: Option<Range<usize>>,
}

impl Named {
    pub(crate) fn plain(name: Range<usize>) -> Self {
        Self { name, scope: None, label: None, kinds: None, bytes: None }
    }

    fn from_node(node: Node<'_>) -> Self {
        Self::plain(node.byte_range())
    }

    fn with_label(self, label: impl Into<String>) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    fn with(self, kinds: Kinds) -> Self {
        Self { kinds: Some(kinds), ..self }
    }

    /// One of several things that a node defines, by its part of the node.
    fn in_part(self, part: Node<'_>) -> Self {
        Self { bytes: Some(part.byte_range()), ..self }
    }
}

/// A node kind that imports something, and how to read its targets.
pub(crate) struct Import {
    pub(crate) node: &'static str,
    /// Appends the targets named in the node's text.
    pub(crate) targets: fn(&str, &mut Vec<String>),
}

/// A node kind that contains a name and, before it, the module it is taken from: `Map.insert`.
pub(crate) struct Qualified {
    pub(crate) node: &'static str,
    /// The field that holds the module.
    pub(crate) module: &'static str,
}

/// Appends the names that an import introduces. Takes the import's node, the document's text and the import's targets.
pub(crate) type Aliases = fn(Node<'_>, &str, &[String], &mut Vec<Alias>);

/// Appends the position and the target of each use of an address, given the root of the tree and the document's text.
pub(crate) type Addresses = fn(Node<'_>, &str, &mut Vec<(u32, String)>);

/// A name introduced by an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alias {
    pub(crate) name: String,
    /// What it refers to, written like the target of an import.
    pub(crate) module: String,
}

impl Alias {
    fn new(name: &str, module: &str) -> Self {
        Self { name: name.to_owned(), module: module.to_owned() }
    }
}

/// An alias for each target: the last part of its path, as `List` of `java.util.List`.
fn last_path_segments(_import: Node<'_>, _text: &str, targets: &[String], aliases: &mut Vec<Alias>) {
    let last = |target: &String| Some(Alias::new(target.rsplit(['.', ':', '\\']).next()?, target));
    aliases.extend(targets.iter().filter_map(last));
}

/// A node kind that calls or instantiates something.
pub(crate) struct Call {
    pub(crate) node: &'static str,
    /// The field that holds the callee. Empty for the first named child.
    pub(crate) callee: &'static str,
    pub(crate) names: Names,
}

/// The callee names that count as references.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    Any,
    /// Components of JSX. Names in lower case are HTML elements.
    Capitalised,
}

const fn import(node: &'static str, targets: fn(&str, &mut Vec<String>)) -> Import {
    Import { node, targets }
}

const fn call(node: &'static str, callee: &'static str) -> Call {
    Call { node, callee, names: Names::Any }
}

const fn component(node: &'static str) -> Call {
    Call { node, callee: "name", names: Names::Capitalised }
}

impl Kinds {
    pub(crate) const FUNCTION: Self = Self::new(ChunkKind::Function, SymbolKind::Function);
    pub(crate) const CONSTANT: Self = Self::new(ChunkKind::Group, SymbolKind::Constant);
    const VARIABLE: Self = Self::new(ChunkKind::Group, SymbolKind::Variable);
    const MODULE: Self = Self::new(ChunkKind::Module, SymbolKind::Module);
    /// A key, a selector, a named place.
    pub(crate) const KEY: Self = Self::new(ChunkKind::Group, SymbolKind::Key);

    const fn new(chunk: ChunkKind, symbol: SymbolKind) -> Self {
        Self { chunk, symbol: Some(symbol) }
    }

    const fn a_type(symbol: SymbolKind) -> Self {
        Self::new(ChunkKind::Type, symbol)
    }

    /// A chunk that is not a symbol.
    const fn without_name(chunk: ChunkKind) -> Self {
        Self { chunk, symbol: None }
    }
}

impl Definition {
    const fn new(node: &'static str, keyword: &'static str, kinds: Kinds) -> Self {
        Self { node, place: Place::Anywhere, keyword, kinds, name: NameRule::Field("name"), reach: DocReach::Adjoining }
    }

    const fn outside_functions(self) -> Self {
        Self { place: Place::OutsideFunctions, ..self }
    }

    const fn outermost(self) -> Self {
        Self { place: Place::Outermost, ..self }
    }

    /// Counts only in types and their members.
    const fn in_types(self) -> Self {
        Self { place: Place::InTypes, ..self }
    }

    /// Counts only in the parameters of a type's functions, as a member of that type.
    const fn parameter(self) -> Self {
        Self { place: Place::Parameters, ..self }
    }

    const fn documented_across_blank_lines(self) -> Self {
        Self { reach: DocReach::AcrossBlankLines, ..self }
    }

    const fn function(node: &'static str, keyword: &'static str) -> Self {
        Self::new(node, keyword, Kinds::FUNCTION)
    }

    const fn a_type(node: &'static str, keyword: &'static str, symbol: SymbolKind) -> Self {
        Self::new(node, keyword, Kinds::a_type(symbol))
    }

    const fn module(node: &'static str, keyword: &'static str) -> Self {
        Self::new(node, keyword, Kinds::MODULE)
    }

    const fn constant(node: &'static str, keyword: &'static str) -> Self {
        Self::new(node, keyword, Kinds::CONSTANT)
    }

    const fn variable(node: &'static str, keyword: &'static str) -> Self {
        Self::new(node, keyword, Kinds::VARIABLE)
    }

    const fn key(node: &'static str, look: fn(Node<'_>, &str) -> Option<Named>) -> Self {
        Self::new(node, "", Kinds::KEY).named_by(look)
    }

    const fn field(self, field: &'static str) -> Self {
        Self { name: NameRule::Field(field), ..self }
    }

    const fn child(self, kinds: &'static [&'static str]) -> Self {
        Self { name: NameRule::Child(kinds), ..self }
    }

    const fn named_by(self, custom: fn(Node<'_>, &str) -> Option<Named>) -> Self {
        Self { name: NameRule::Custom(custom), ..self }
    }

    /// A node that may define several things.
    const fn each_named_by(self, several: fn(Node<'_>, &str) -> Vec<Named>) -> Self {
        Self { name: NameRule::Several(several), ..self }
    }
}

/// All languages with a grammar.
pub(crate) const SYNTAXES: &[Syntax] = &[
    systems::RUST,
    scripting::PYTHON,
    systems::GO,
    jvm::JAVA,
    javascript::JAVASCRIPT,
    javascript::TYPESCRIPT,
    javascript::TSX,
    c::C,
    c::CPP,
    c::CSHARP,
    scripting::RUBY,
    scripting::PHP,
    jvm::SCALA,
    jvm::KOTLIN,
    systems::SWIFT,
    scripting::BASH,
    scripting::LUA,
    functional::ELIXIR,
    functional::HASKELL,
    systems::ZIG,
    data::SQL,
    data::HTML,
    data::CSS,
    data::JSON,
    data::YAML,
    data::TOML,
    data::HCL,
];

fn text_of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The first named child of one of these kinds.
pub(crate) fn child_of_kind<'n>(node: Node<'n>, kinds: &[&str]) -> Option<Node<'n>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| kinds.contains(&child.kind()))
}

/// One definition for each child in the field `name`: `a` and `b` of `a, b int`.
fn each_name(node: Node<'_>, _text: &str) -> Vec<Named> {
    let mut cursor = node.walk();
    let names = node.children_by_field_name("name", &mut cursor).filter(Node::is_named);
    names.map(|name| Named::from_node(name).in_part(name)).collect()
}

/// The name of each declarator, with these kinds.
fn each_declarator(node: Node<'_>, kinds: Kinds) -> Vec<Named> {
    let mut cursor = node.walk();
    let declarators = node.named_children(&mut cursor).filter(|child| child.kind() == "variable_declarator");
    let named = |part: Node<'_>| Some(Named::from_node(part.child_by_field_name("name")?).with(kinds).in_part(part));
    declarators.filter_map(named).collect()
}

/// The words before a node inside another.
fn words_before<'t>(node: Node<'_>, inner: Node<'_>, text: &'t str) -> impl Iterator<Item = &'t str> {
    text.get(node.start_byte()..inner.start_byte()).unwrap_or_default().split_whitespace()
}

/// Whether a parameter is one of a record, whose parameters are its members.
fn is_of_record(parameter: Node<'_>) -> bool {
    let of = parameter.parent().and_then(|list| list.parent());
    of.is_some_and(|of| of.kind() == "record_declaration")
}

/// A type's bare name: `Store` of `&crate::Store<T>`.
fn bare_type(text: &str) -> &str {
    let head = text.split(['<', '[', '(']).next().unwrap_or(text);
    let last = head.trim_end().rsplit([':', '.', '\\', ' ']).next().unwrap_or(head);
    last.trim_matches(|c: char| !c.is_alphanumeric() && c != '_')
}

//! How does each language spell a definition, an import and a call?
//!
//! One [`Syntax`] a language, data with a few functions where a name is not simply a field; `syntax` reads them with
//! one walker. The tables name tree-sitter's node kinds; a test holds them against the grammars.

mod c;
mod config;
mod csharp;
mod elixir;
mod go;
mod haskell;
mod imports;
mod java;
mod javascript;
mod lua;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
mod shell;
mod sql;
mod swift;
mod web;
mod zig;

use std::ops::Range;

use recall_core::{ChunkKind, SymbolKind};
use tree_sitter::{Language, Node};

use crate::guard::Memory;

/// What is to be known of a language's grammar.
pub(crate) struct Syntax {
    /// The language's name, as [`language_of`](crate::language_of) gives it.
    pub(crate) name: &'static str,
    pub(crate) grammar: fn() -> Language,
    pub(crate) definitions: &'static [Definition],
    /// Nodes whose children are statements, members or elements: good places to cut between.
    pub(crate) blocks: &'static [&'static str],
    pub(crate) comments: &'static [&'static str],
    /// Attributes, decorators and the like that stand as siblings before what they belong to.
    pub(crate) attributes: &'static [&'static str],
    /// Nodes that wrap a definition and belong to it: `export`, decorators, `template <…>`.
    pub(crate) wrappers: &'static [&'static str],
    pub(crate) imports: &'static [Import],
    /// Which names imports give to what they import. `None` where references do not tell from what they take a name.
    pub(crate) aliases: Option<Aliases>,
    /// The node that a name stands in together with the module before it; without one, a name is taken from a module where an
    /// alias and a separator stand before it.
    pub(crate) qualified: Option<Qualified>,
    pub(crate) calls: &'static [Call],
    /// Leaves that name a type wherever they stand.
    pub(crate) types: &'static [&'static str],
    /// Leaves that name a value where they do not bind it. Given where functions are passed on more often than called.
    pub(crate) values: &'static [&'static str],
    /// Fields below which a value's name is bound, or stands for something else.
    pub(crate) binders: &'static [&'static str],
    /// What is called everywhere and tells nothing: words of the language that its grammar takes for calls,
    /// functions of its own library that are there without an import. Sorted.
    pub(crate) ordinary: &'static [&'static str],
    /// Functions whose call with a literal is an import: `require`.
    pub(crate) import_calls: &'static [&'static str],
    pub(crate) clauses: Clauses,
    pub(crate) docs: Docs,
    /// What the grammar's scanner remembers without a bound.
    pub(crate) memory: Memory,
}

impl Syntax {
    /// A language of which nothing is known but its grammar; the base of every table.
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
            ordinary: &[],
            import_calls: &[],
            clauses: Clauses::Apart,
            docs: Docs::Before,
            memory: Memory::Bounded,
        }
    }

    /// The same table for another grammar.
    const fn named(self, name: &'static str, grammar: fn() -> Language) -> Self {
        Self { name, grammar, ..self }
    }
}

/// Whether neighbouring definitions of one name are clauses of one definition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clauses {
    /// Each stands for itself.
    Apart,
    /// They are one: equations in Haskell, function heads in Elixir.
    Together,
}

/// Where a definition's documentation stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Docs {
    /// In the comments before it.
    Before,
    /// In a string that is its body's first statement, else in the comments before it.
    Inside,
}

/// A node kind that defines something.
pub(crate) struct Definition {
    pub(crate) node: &'static str,
    pub(crate) place: Place,
    /// What stands before the name in a symbol path; empty where the language has no word for it.
    pub(crate) keyword: &'static str,
    pub(crate) kinds: Kinds,
    pub(crate) name: NameRule,
    pub(crate) reach: DocReach,
}

/// How near to a definition its documentation stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocReach {
    /// On the line before it.
    Adjoining,
    /// Blank lines may stand between: what a file begins with is about the module that follows.
    AcrossBlankLines,
}

/// Where a node of that kind defines something.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Anywhere,
    /// Inside functions it is a local variable, or looks like a prototype and is none.
    OutsideFunctions,
}

/// What a definition is as a chunk and as a symbol.
#[derive(Clone, Copy)]
pub(crate) struct Kinds {
    /// [`ChunkKind::Group`] for what makes no chunk of its own while it is small: constants, keys.
    pub(crate) chunk: ChunkKind,
    /// `None` for what only encloses or extends something named elsewhere: an `impl` block, a test.
    pub(crate) symbol: Option<SymbolKind>,
}

/// Where a definition's name is found.
pub(crate) enum NameRule {
    /// The child of this field.
    Field(&'static str),
    /// The first child of one of these kinds.
    Child(&'static [&'static str]),
    /// By a look at the node. `None`: it defines nothing after all.
    Look(fn(Node<'_>, &str) -> Option<Named>),
}

/// A definition's name, as far as it is not simply a child.
pub(crate) struct Named {
    /// The bytes of the bare name.
    pub(crate) name: Range<usize>,
    /// The type that it belongs to where that does not enclose it: `Store` in `func (s *Store) Open`.
    pub(crate) scope: Option<String>,
    /// What the symbol path shows instead of keyword and name.
    pub(crate) label: Option<String>,
    /// What it is, where the node's kind does not tell.
    pub(crate) kinds: Option<Kinds>,
}

impl Named {
    pub(crate) fn plain(name: Range<usize>) -> Self {
        Self { name, scope: None, label: None, kinds: None }
    }

    fn of(node: Node<'_>) -> Self {
        Self::plain(node.byte_range())
    }

    fn labelled(self, label: impl Into<String>) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    fn with(self, kinds: Kinds) -> Self {
        Self { kinds: Some(kinds), ..self }
    }
}

/// A node kind that imports something, and how its text names it.
pub(crate) struct Import {
    pub(crate) node: &'static str,
    /// Adds the targets that the node's text names.
    pub(crate) targets: fn(&str, &mut Vec<String>),
}

/// A node kind that holds a name and, before it, the module that the name is taken from, whatever it is called: `Map.insert`.
pub(crate) struct Qualified {
    pub(crate) node: &'static str,
    /// The field of the module.
    pub(crate) module: &'static str,
}

/// Adds the names that an import gives to its targets; takes its node, the document's text, and the targets.
pub(crate) type Aliases = fn(Node<'_>, &str, &[String], &mut Vec<Alias>);

/// A name that an import gives to what it imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alias {
    pub(crate) name: String,
    /// What it means, written as the target of an import is.
    pub(crate) module: String,
}

impl Alias {
    fn new(name: &str, module: &str) -> Self {
        Self { name: name.to_owned(), module: module.to_owned() }
    }
}

/// Whatever is imported goes by the last part of its path: `List` of `java.util.List`.
fn last_parts(_import: Node<'_>, _text: &str, targets: &[String], aliases: &mut Vec<Alias>) {
    let last = |target: &String| Some(Alias::new(target.rsplit(['.', ':', '\\']).next()?, target));
    aliases.extend(targets.iter().filter_map(last));
}

/// A node kind that calls or instantiates something.
pub(crate) struct Call {
    pub(crate) node: &'static str,
    /// The field of what is called; empty for the first named child.
    pub(crate) callee: &'static str,
    pub(crate) names: Names,
}

/// Which names of a call refer to something.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    Any,
    /// Components of JSX; names in lower case are elements of HTML.
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
    const FUNCTION: Self = Self::new(ChunkKind::Function, SymbolKind::Function);
    const CONSTANT: Self = Self::new(ChunkKind::Group, SymbolKind::Constant);
    const VARIABLE: Self = Self::new(ChunkKind::Group, SymbolKind::Variable);
    const MODULE: Self = Self::new(ChunkKind::Module, SymbolKind::Module);

    const fn new(chunk: ChunkKind, symbol: SymbolKind) -> Self {
        Self { chunk, symbol: Some(symbol) }
    }

    const fn a_type(symbol: SymbolKind) -> Self {
        Self::new(ChunkKind::Type, symbol)
    }

    /// A chunk that is not a symbol.
    const fn unnamed(chunk: ChunkKind) -> Self {
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

    const fn documented_from_afar(self) -> Self {
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
        Self::new(node, "", Kinds::new(ChunkKind::Group, SymbolKind::Key)).look(look)
    }

    const fn field(self, field: &'static str) -> Self {
        Self { name: NameRule::Field(field), ..self }
    }

    const fn child(self, kinds: &'static [&'static str]) -> Self {
        Self { name: NameRule::Child(kinds), ..self }
    }

    const fn look(self, look: fn(Node<'_>, &str) -> Option<Named>) -> Self {
        Self { name: NameRule::Look(look), ..self }
    }
}

/// Every language with a grammar.
pub(crate) const SYNTAXES: &[Syntax] = &[
    rust::RUST,
    python::PYTHON,
    go::GO,
    java::JAVA,
    javascript::JAVASCRIPT,
    javascript::TYPESCRIPT,
    javascript::TSX,
    c::C,
    c::CPP,
    csharp::CSHARP,
    ruby::RUBY,
    php::PHP,
    scala::SCALA,
    java::KOTLIN,
    swift::SWIFT,
    shell::BASH,
    lua::LUA,
    elixir::ELIXIR,
    haskell::HASKELL,
    zig::ZIG,
    sql::SQL,
    web::HTML,
    web::CSS,
    config::JSON,
    config::YAML,
    config::TOML,
];

/// The text of a node.
fn text_of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The first named child of one of these kinds.
pub(crate) fn child_of_kind<'n>(node: Node<'n>, kinds: &[&str]) -> Option<Node<'n>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| kinds.contains(&child.kind()))
}

/// A type's bare name: `Store` of `&crate::Store<T>`.
fn bare_type(text: &str) -> &str {
    let head = text.split(['<', '[', '(']).next().unwrap_or(text);
    let last = head.trim_end().rsplit([':', '.', '\\', ' ']).next().unwrap_or(head);
    last.trim_matches(|c: char| !c.is_alphanumeric() && c != '_')
}

//! Functional languages: Haskell, and Elixir, whose definitions are macro calls.

use recall_core::{ChunkKind, SymbolKind};
use tree_sitter::Node;

use super::{
    Alias, Clauses, Definition, Kinds, Named, Qualified, Syntax, call, child_of_kind, each_name, import, imports,
    text_of,
};

pub(super) const HASKELL: Syntax = Syntax {
    definitions: &[
        Definition::module("header", "module").field("module").documented_across_blank_lines(),
        Definition::function("function", "").named_by(equation),
        Definition::function("bind", "").named_by(binding).outside_functions(),
        Definition::function("signature", "").named_by(binding),
        Definition::a_type("data_type", "data", SymbolKind::Type),
        Definition::a_type("newtype", "newtype", SymbolKind::Type),
        Definition::a_type("type_synonym", "type", SymbolKind::Type),
        Definition::a_type("class", "class", SymbolKind::Interface),
        Definition::new("instance", "instance", Kinds::without_name(ChunkKind::Type)).named_by(instance),
        Definition::a_type("type_family", "type family", SymbolKind::Type),
        Definition::a_type("data_family", "data family", SymbolKind::Type),
        Definition::constant("pattern_synonym", "pattern").named_by(synonym),
        Definition::constant("data_constructor", "").named_by(constructor),
        Definition::constant("newtype_constructor", ""),
        Definition::constant("gadt_constructor", ""),
        Definition::variable("field", "").each_named_by(each_name).in_types(),
    ],
    blocks: &[
        "haskell",
        "imports",
        "declarations",
        "class_declarations",
        "instance_declarations",
        "local_binds",
        "do",
        "alternatives",
        "record",
        "fields",
        "data_constructors",
        "list",
        "match",
    ],
    comments: &["comment", "haddock"],
    attributes: &["pragma"],
    imports: &[import("import", imports::push_dotted)],
    aliases: Some(alias),
    qualified: Some(Qualified { node: "qualified", module: "module" }),
    types: &["name", "constructor"],
    values: &["variable"],
    binders: &["name", "names", "patterns", "pattern", "bind", "type"],
    builtins: PRELUDE,
    clauses: Clauses::Merged,
    ..Syntax::bare("haskell", || tree_sitter_haskell::LANGUAGE.into())
};

/// Functions of the Prelude, visible without an import. Sorted.
const PRELUDE: &[&str] = &[
    "abs",
    "all",
    "and",
    "any",
    "appendFile",
    "asTypeOf",
    "break",
    "ceiling",
    "compare",
    "concat",
    "concatMap",
    "const",
    "curry",
    "cycle",
    "div",
    "divMod",
    "drop",
    "dropWhile",
    "either",
    "elem",
    "enumFrom",
    "enumFromTo",
    "error",
    "even",
    "filter",
    "flip",
    "floor",
    "fmap",
    "foldMap",
    "foldl",
    "foldl1",
    "foldr",
    "foldr1",
    "fromEnum",
    "fromInteger",
    "fromIntegral",
    "fst",
    "gcd",
    "getContents",
    "getLine",
    "head",
    "id",
    "init",
    "interact",
    "ioError",
    "iterate",
    "last",
    "lcm",
    "length",
    "lines",
    "lookup",
    "map",
    "mapM",
    "mapM_",
    "mappend",
    "max",
    "maxBound",
    "maximum",
    "maybe",
    "mconcat",
    "mempty",
    "min",
    "minBound",
    "minimum",
    "mod",
    "negate",
    "not",
    "notElem",
    "null",
    "odd",
    "or",
    "otherwise",
    "pred",
    "print",
    "product",
    "properFraction",
    "pure",
    "putStr",
    "putStrLn",
    "quot",
    "quotRem",
    "read",
    "readFile",
    "realToFrac",
    "rem",
    "repeat",
    "replicate",
    "return",
    "reverse",
    "round",
    "seq",
    "sequence",
    "sequenceA",
    "sequence_",
    "show",
    "showString",
    "shows",
    "snd",
    "span",
    "splitAt",
    "subtract",
    "succ",
    "sum",
    "tail",
    "take",
    "takeWhile",
    "toEnum",
    "toInteger",
    "traverse",
    "truncate",
    "uncurry",
    "undefined",
    "unlines",
    "until",
    "unwords",
    "unzip",
    "userError",
    "words",
    "writeFile",
    "zip",
    "zip3",
    "zipWith",
    "zipWith3",
];

/// `M` for `Data.Map` of `import qualified Data.Map as M`. Without an alias the module keeps its own name.
fn alias(import: Node<'_>, text: &str, _targets: &[String], aliases: &mut Vec<Alias>) {
    let Some(module) = import.child_by_field_name("module").map(|module| text_of(module, text)) else { return };
    let name = import.child_by_field_name("alias").map_or(module, |alias| text_of(alias, text));
    aliases.push(Alias::new(name, module));
}

/// An equation, `name x = …` or `x <+> y = …`. The same node kind is used for the type of a function, which has no
/// name.
fn equation(node: Node<'_>, text: &str) -> Option<Named> {
    binding(node, text).or_else(|| {
        let infix = node.named_child(0).filter(|child| child.kind() == "infix")?;
        infix.child_by_field_name("operator").map(bare)
    })
}

/// The name before `::` or `=`.
fn binding(node: Node<'_>, _text: &str) -> Option<Named> {
    node.child_by_field_name("name").map(bare)
}

/// `P` of `pattern P x = Just x`.
fn synonym(node: Node<'_>, _text: &str) -> Option<Named> {
    let mut head = node.named_child(0)?.child_by_field_name("synonym")?;
    while let Some(function) = head.child_by_field_name("function") {
        head = function;
    }
    (head.kind() == "constructor").then(|| Named::from_node(head))
}

/// The name of one alternative of a type.
fn constructor(node: Node<'_>, _text: &str) -> Option<Named> {
    let form = node.named_child(0)?;
    let name = form.child_by_field_name("name").or_else(|| form.child_by_field_name("operator"))?;
    Some(bare(name))
}

/// The name inside the parentheses of `(<+>)` and the ticks of `` `over` ``.
fn bare(name: Node<'_>) -> Named {
    Named::from_node(match name.kind() {
        "prefix_id" | "infix_id" => name.named_child(0).unwrap_or(name),
        _ => name,
    })
}

/// `instance Display Store where`.
fn instance(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.child_by_field_name("name")?;
    let head = text_of(node, text);
    let label = head.split("where").next().unwrap_or(head).lines().next().unwrap_or(head).trim_end();
    Some(Named::from_node(name).with_label(label))
}

pub(super) const ELIXIR: Syntax = Syntax {
    definitions: &[Definition::function("call", "").each_named_by(macro_definitions)],
    blocks: &["source", "do_block", "stab_clause", "body", "list", "map_content", "keywords", "else_block"],
    // Any other module attribute is a statement and does not belong to the definition after it.
    attributes: &["unary_operator"],
    imports: &[super::import("call", directive)],
    aliases: Some(super::last_path_segments),
    calls: &[call("call", "target")],
    types: &["alias"],
    builtins: &[
        "callback",
        "def",
        "defdelegate",
        "defexception",
        "defguard",
        "defimpl",
        "defmacro",
        "defmacrop",
        "defmodule",
        "defp",
        "defprotocol",
        "defstruct",
        "doc",
        "impl",
        "moduledoc",
        "quote",
        "raise",
        "spec",
        "type",
        "typedoc",
        "typep",
        "unquote",
    ],
    clauses: Clauses::Merged,
    ..Syntax::bare("elixir", || tree_sitter_elixir::LANGUAGE.into())
};

/// What a macro call defines: one thing, or the fields of a structure.
fn macro_definitions(node: Node<'_>, text: &str) -> Vec<Named> {
    let target = node.child_by_field_name("target").map_or("", |target| text_of(target, text));
    if !matches!(target, "defstruct" | "defexception") {
        return Vec::from_iter(macro_definition(node, text));
    }
    let mut fields = Vec::new();
    let mut lists = Vec::from_iter(child_of_kind(node, &["arguments"]));
    while let Some(list) = lists.pop() {
        let mut cursor = list.walk();
        for item in list.named_children(&mut cursor) {
            let name = match item.kind() {
                "list" | "keywords" => {
                    lists.push(item);
                    continue;
                }
                "atom" => item.start_byte() + 1..item.end_byte(),
                "pair" => {
                    let Some(key) = item.child_by_field_name("key") else { continue };
                    key.start_byte()..key.start_byte() + text_of(key, text).trim_end_matches([':', ' ', '\n']).len()
                }
                _ => continue,
            };
            fields.push(Named::plain(name).with(Kinds::VARIABLE).in_part(item));
        }
    }
    fields
}

fn macro_definition(node: Node<'_>, text: &str) -> Option<Named> {
    let target = node.child_by_field_name("target").filter(|target| target.kind() == "identifier")?;
    let macro_name = text_of(target, text);
    let kinds = match macro_name {
        "defmodule" | "defimpl" => Kinds::MODULE,
        "defprotocol" => Kinds::a_type(SymbolKind::Interface),
        "def" | "defp" | "defdelegate" | "defguard" | "defguardp" => Kinds::FUNCTION,
        "defmacro" | "defmacrop" => Kinds::new(ChunkKind::Function, SymbolKind::Macro),
        "test" | "describe" => Kinds::without_name(ChunkKind::Function),
        _ => return None,
    };
    let first = child_of_kind(node, &["arguments"])?.named_child(0)?;
    let name = head(first)?;
    let label = format!("{macro_name} {}", text_of(name, text));
    Some(Named::from_node(name).with(kinds).with_label(label))
}

/// The name in `open(a) when is_x(a)`, `open(a)`, `open`, `A.B` or `"a test"`.
fn head(mut node: Node<'_>) -> Option<Node<'_>> {
    if node.kind() == "binary_operator" {
        node = node.child_by_field_name("left")?;
    }
    if node.kind() == "call" {
        node = node.child_by_field_name("target")?;
    }
    if node.kind() == "string" {
        node = node.named_child(0)?;
    }
    matches!(node.kind(), "identifier" | "alias" | "operator_identifier" | "quoted_content").then_some(node)
}

/// `alias A.{B, C}`, `use A`, `import A, only: […]`, `require A`.
fn directive(text: &str, targets: &mut Vec<String>) {
    let Some((word, rest)) = text.split_once(char::is_whitespace) else { return };
    if !matches!(word, "alias" | "use" | "import" | "require") {
        return;
    }
    let rest = rest.trim_start();
    let line = rest.split(['\n', '(']).next().unwrap_or_default();
    match rest.split_once('}').filter(|_| line.contains('{')) {
        Some((list, _)) => imports::push_braced(list, ".", targets),
        None => imports::push(targets, line.split([',', ' ']).next().unwrap_or_default()),
    }
}

//! The graph and related documents of a small project.

mod embedded;

use recall_core::{Relation, Scope};
use recall_engine::{
    Graph, GraphError, GraphRequest, NamesRequest, NodeThing, Related, RelatedRequest, Tie, Warning, links,
};

use crate::support::Sandbox;

const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"pay\"\n"),
    (
        "src/lib.rs",
        "mod ledger;\nmod gateway;\nuse crate::gateway::Gateway;\n\npub fn run() {\n    Gateway::charge();\n}\n",
    ),
    (
        "src/ledger.rs",
        "use std::fs;\nuse crate::gateway::Gateway;\n\n/// Writes entries.\npub struct Ledger;\n\nimpl Ledger {\n    \
         pub fn record(&self) {\n        Gateway::charge();\n        persist_entry();\n    }\n}\n\nfn persist_entry() {}\n",
    ),
    (
        "src/gateway.rs",
        "/// Talks to the bank.\npub struct Gateway;\n\nimpl Gateway {\n    pub fn charge() {}\n    pub fn refund() {}\n}\n",
    ),
    ("src/other.rs", "pub struct Other;\n\nimpl Other {\n    pub fn refund() {}\n}\n"),
    ("docs/adr/0001-ledger.md", "# Ledger\n\nEntries are appended, see [the code](../../src/ledger.rs).\n"),
    ("docs/guide.md", "# Guide\n\nStart with [the decision](adr/0001-ledger.md).\n"),
];

fn request(node: &str, relations: &[Relation]) -> GraphRequest {
    GraphRequest { node: node.to_owned(), relations: relations.to_vec(), depth: 1, limit: 50, scope: Scope::All }
}

fn graph(request: &GraphRequest) -> Result<Graph, GraphError> {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    let graph = engine.graph(&sandbox.origin(), request);
    engine.close();
    graph
}

#[test]
fn names_are_completed_with_and_without_their_scopes() {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    let names = |prefix: &str, limit| {
        let request = NamesRequest { prefix: prefix.to_owned(), scope: Scope::Project, limit };
        engine.names(&sandbox.origin(), &request).expect("an answer")
    };
    assert_eq!(names("Gate", 10), [""; 0], "nothing is indexed for a completion");
    sandbox.search(&engine, "charge");
    assert_eq!(names("Gate", 10), ["Gateway", "Gateway::charge", "Gateway::refund"]);
    assert_eq!(names("Gateway.r", 10), ["Gateway::refund"]);
    assert_eq!(names("Gateway->", 1), ["Gateway::charge"]);
    assert_eq!(names("per", 10), ["persist_entry"]);
    sandbox.write("src/gateway.rs", "pub struct Gateway;\n");
    sandbox.search(&engine, "Gateway");
    assert_eq!(names("Gateway", 10), ["Gateway"]);
    engine.close();
}

fn label(thing: &NodeThing) -> String {
    match thing {
        NodeThing::Document(document) => document.path.as_str().to_owned(),
        NodeThing::Symbol { document, symbol } => format!("{}#{}", document.path, symbol.qualified),
        NodeThing::External { target } => format!("<{target}>"),
    }
}

/// Returns the edges of an answer, one per line.
fn edges(graph: &Graph) -> Vec<String> {
    let label = |place: usize| label(&graph.nodes[place].thing);
    let edge =
        |edge: &recall_engine::GraphEdge| format!("{} {} {}", label(edge.from), edge.kind.as_str(), label(edge.to));
    graph.edges.iter().map(edge).collect()
}

fn check(request: &GraphRequest, expected: &[&str]) {
    let mut found = edges(&graph(request).expect("an answer"));
    found.sort_unstable();
    assert_eq!(found, expected, "{request:?}");
}

#[test]
fn a_document_imports_and_is_imported() {
    check(
        &request("src/ledger.rs", &[Relation::Imports]),
        &["src/ledger.rs imports <std::fs>", "src/ledger.rs imports src/gateway.rs"],
    );
    check(
        &request("src/gateway.rs", &[Relation::ImportedBy]),
        &["src/ledger.rs imports src/gateway.rs", "src/lib.rs imports src/gateway.rs"],
    );
}

#[test]
fn a_symbol_is_defined_and_used() {
    check(
        &request("Gateway::charge", &[]),
        &[
            "src/gateway.rs defines src/gateway.rs#Gateway::charge",
            "src/ledger.rs#Ledger::record references src/gateway.rs#Gateway::charge",
            "src/lib.rs#run references src/gateway.rs#Gateway::charge",
        ],
    );
    check(
        &request("Ledger.record", &[Relation::References]),
        &["src/ledger.rs#Ledger::record references src/gateway.rs#Gateway::charge"],
    );
}

#[test]
fn documents_relate_by_their_links_in_both_directions() {
    check(
        &request("docs/adr/0001-ledger.md", &[Relation::RelatesTo]),
        &["docs/adr/0001-ledger.md relates_to src/ledger.rs", "docs/guide.md relates_to docs/adr/0001-ledger.md"],
    );
}

#[test]
fn depth_goes_further_and_the_limit_cuts() {
    let two = GraphRequest { depth: 2, ..request("docs/guide.md", &[Relation::RelatesTo]) };
    let found = graph(&two).expect("an answer");
    let nodes: Vec<(String, u32)> = found.nodes.iter().map(|node| (label(&node.thing), node.distance)).collect();
    let expected = [("docs/guide.md", 0), ("docs/adr/0001-ledger.md", 1), ("src/ledger.rs", 2)];
    assert_eq!(nodes, expected.map(|(path, distance)| (path.to_owned(), distance)));
    assert!(!found.is_truncated);
    let cut = graph(&GraphRequest { limit: 2, ..two }).expect("an answer");
    assert_eq!((cut.nodes.len(), cut.edges.len(), cut.is_truncated), (2, 1, true));
}

#[test]
fn every_relation_has_a_share_of_a_small_limit() {
    let found = graph(&GraphRequest { limit: 4, ..request("src/ledger.rs", &[]) }).expect("an answer");
    let kinds: std::collections::BTreeSet<&str> = found.edges.iter().map(|edge| edge.kind.as_str()).collect();
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["imports", "references", "relates_to"]);
    assert!(found.is_truncated);
}

#[test]
fn an_ambiguous_name_starts_at_all_its_symbols_with_a_warning() {
    let found = graph(&request("refund", &[Relation::Defines])).expect("an answer");
    let starts: Vec<String> =
        found.nodes.iter().filter(|node| node.distance == 0).map(|node| label(&node.thing)).collect();
    assert_eq!(starts, ["src/gateway.rs#Gateway::refund", "src/other.rs#Other::refund"]);
    let expected = Warning::SeveralDefinitions { name: "refund".to_owned(), definitions: 2, shown: 2 };
    assert_eq!(found.warnings.last(), Some(&expected));
}

#[test]
fn a_chunk_stands_for_its_definitions() {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    let answer = sandbox.search(&engine, "persist_entry");
    let id = answer.hits[0].id.to_string();
    let found = engine.graph(&sandbox.origin(), &request(&id, &[Relation::Defines])).expect("an answer");
    assert!(found.nodes.iter().any(|node| label(&node.thing) == "src/ledger.rs"), "{:?}", found.nodes);
    engine.close();
}

#[test]
fn an_unknown_node_is_rejected_with_similar_names() {
    let near = |node| match graph(&request(node, &[])) {
        Err(GraphError::NotFound { near, .. }) => near,
        other => panic!("{other:?}"),
    };
    assert!(near("Gatewa").contains(&"Gateway".to_owned()));
    assert!(near("lib/ledger.rs").contains(&"src/ledger.rs".to_owned()));
    assert_eq!(near("Gateway.chargge").first().map(String::as_str), Some("Gateway.charge"));
    assert_eq!(near("Gateway::refnd").first().map(String::as_str), Some("Gateway::refund"));
    assert!(near("Gatway.charge").contains(&"Gateway.charge".to_owned()));
    assert_eq!(near("zzzz"), [""; 0]);
    assert!(matches!(graph(&request("/etc/passwd", &[])), Err(GraphError::Outside { .. })));
    assert!(matches!(graph(&request("../../x", &[])), Err(GraphError::Outside { .. })));
}

#[test]
fn a_change_is_seen() {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    let importers = |engine: &recall_engine::Engine| {
        let request = request("src/gateway.rs", &[Relation::ImportedBy]);
        engine.graph(&sandbox.origin(), &request).expect("an answer").nodes.len() - 1
    };
    assert_eq!(importers(&engine), 2);
    sandbox.write("src/third.rs", "use crate::gateway::Gateway;\n");
    assert_eq!(importers(&engine), 3);
    engine.close();
}

fn related(id: &str, limit: u32) -> Result<Related, GraphError> {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    let request = RelatedRequest { id: id.to_owned(), scope: Scope::All, limit, types: Vec::new() };
    let related = engine.related_documents(&sandbox.origin(), &request);
    engine.close();
    related
}

/// Each document with its ties.
fn ties(related: &Related) -> Vec<(&str, Vec<&str>)> {
    let ties = |ties: &[Tie]| {
        let mut names: Vec<&str> = ties.iter().map(|tie| tie.as_str()).filter(|name| *name != "similar").collect();
        names.sort_unstable();
        names
    };
    related.documents.iter().map(|entry| (entry.document.path.as_str(), ties(&entry.ties))).collect()
}

#[test]
fn related_documents_are_returned_with_their_reasons() {
    let found = related("src/ledger.rs", 10).expect("an answer");
    let of = |path| ties(&found).into_iter().find(|(known, _)| *known == path).map(|(_, ties)| ties);
    assert_eq!(of("src/gateway.rs"), Some(vec!["imports", "references"]));
    assert_eq!(of("docs/adr/0001-ledger.md"), Some(vec!["relates_to"]));
    assert_eq!(of("src/ledger.rs"), None, "never itself");
    let gateway = &found.documents[0];
    assert_eq!(gateway.document.path.as_str(), "src/gateway.rs");
    let citation = gateway.citation.as_deref().expect("a place");
    assert!(citation.starts_with("src/gateway.rs:") && citation.contains('@'), "{citation}");
    assert!(found.documents.is_sorted_by(|a, b| a.score >= b.score));
}

#[test]
fn users_of_a_document_are_tied_to_it() {
    let found = related("src/gateway.rs", 10).expect("an answer");
    let of = |path| ties(&found).into_iter().find(|(known, _)| *known == path).map(|(_, ties)| ties);
    assert_eq!(of("src/lib.rs"), Some(vec!["imported_by", "referenced_by"]));
    assert_eq!(of("src/ledger.rs"), Some(vec!["imported_by", "referenced_by"]));
}

#[test]
fn a_part_of_a_document_has_its_own_relatives() {
    let part = related("src/ledger.rs:14-14", 10).expect("an answer");
    let of = |path| ties(&part).into_iter().find(|(known, _)| *known == path).map(|(_, ties)| ties);
    assert_eq!(of("src/gateway.rs"), Some(vec!["imports"]), "the line uses nothing of it");
    assert_eq!(related("src/ledger.rs", 1).expect("an answer").documents.len(), 1);
    assert!(matches!(related("src/ledger.rs:900-910", 10), Err(GraphError::NoLines { .. })));
    assert!(matches!(related("src/nothing.rs", 10), Err(GraphError::NotFound { .. })));
    assert!(matches!(related("/etc/passwd", 10), Err(GraphError::Outside { .. })));
}

/// Two functions `insert`, one in a module of the project and one in a library, each called by the name of its import.
const QUALIFIED: &[(&str, &str)] = &[
    (
        "src/Acme/Store.hs",
        "module Acme.Store (module Acme.Store, module Acme.Index) where\n\nimport Acme.Index\n\n\
         insert :: Int -> Int\ninsert = succ\n",
    ),
    ("src/Acme/Index.hs", "module Acme.Index where\n\nrefresh :: Int -> Int\nrefresh = succ\n"),
    ("src/Acme/Other.hs", "module Acme.Other where\n\ninsert :: Int -> Int\ninsert = pred\n"),
    (
        "app/Keep.hs",
        "module Keep where\n\nimport qualified Acme.Store as S\nimport Acme.Other ()\n\n\
         keep :: Int -> Int\nkeep = S.insert . S.refresh\n",
    ),
    (
        "app/Fill.hs",
        "module Fill where\n\nimport Acme.Store ()\nimport qualified Data.Map as S\n\n\
         fill :: Int -> Int\nfill = S.insert . S.refresh . N.insert\n",
    ),
];

#[test]
fn a_name_qualified_by_a_module_is_resolved_in_that_module() {
    let sandbox = Sandbox::with(QUALIFIED);
    let engine = sandbox.engine();
    let check = |node: &str, expected: &[&str]| {
        let graph = engine.graph(&sandbox.origin(), &request(node, &[Relation::References])).expect("an answer");
        assert_eq!(edges(&graph), expected, "{node}");
    };
    let refresh = "app/Keep.hs#keep references src/Acme/Index.hs#refresh";
    let insert = "app/Keep.hs#keep references src/Acme/Store.hs#insert";
    check("keep", &[refresh, insert]);
    check("fill", &[]);
    check("refresh", &[refresh]);
    check("app/Fill.hs", &[]);
    let users = |path: &str| {
        let request = RelatedRequest { id: path.to_owned(), scope: Scope::All, limit: 10, types: Vec::new() };
        let related = engine.related_documents(&sandbox.origin(), &request).expect("an answer");
        let users = related.documents.iter().filter(|entry| entry.ties.contains(&Tie::ReferencedBy));
        users.map(|entry| entry.document.path.as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(users("src/Acme/Store.hs"), ["app/Keep.hs"]);
    assert_eq!(users("src/Acme/Other.hs"), [""; 0]);
    engine.close();
    let weighed = links_of(&sandbox);
    let from_app: Vec<&String> = weighed.iter().filter(|edge| edge.starts_with("app/")).collect();
    assert_eq!(
        from_app,
        [
            "app/Fill.hs src/Acme/Store.hs 1.0",
            "app/Keep.hs src/Acme/Index.hs 1.0",
            "app/Keep.hs src/Acme/Other.hs 1.0",
            "app/Keep.hs src/Acme/Store.hs 2.0",
        ]
    );
}

/// A value that is imported, a module that is imported, and a library.
const BEHIND_IMPORTS: &[(&str, &str)] = &[
    ("app/store.py", "class Store:\n    def save(self):\n        pass\n\n\ndef join(parts):\n    pass\n"),
    ("app/shared.py", "from .store import Store\n\nshared = Store()\n"),
    ("app/paths.py", "def join(parts):\n    pass\n"),
    (
        "app/main.py",
        "from . import paths\nfrom .shared import shared\n\n\n\
         def inside(parts):\n    return paths.join(parts)\n\n\n\
         def keep():\n    shared.save()\n",
    ),
    ("app/other.py", "import os.path as paths\n\n\ndef outside(parts):\n    return paths.join(*parts)\n"),
];

#[test]
fn a_name_qualified_by_an_import_is_not_resolved_in_another_module() {
    let sandbox = Sandbox::with(BEHIND_IMPORTS);
    let engine = sandbox.engine();
    let check = |node: &str, expected: &[&str]| {
        let graph = engine.graph(&sandbox.origin(), &request(node, &[Relation::References])).expect("an answer");
        assert_eq!(edges(&graph), expected, "{node}");
    };
    check("inside", &["app/main.py#inside references app/paths.py#join"]);
    check("outside", &[]);
    check("keep", &["app/main.py#keep references app/store.py#Store::save"]);
    engine.close();
}

/// A package that passes a class on, a namesake elsewhere, and users of both and of a library's.
const PASSED_ON: &[(&str, &str)] = &[
    ("src/pond/__init__.py", "from .app import Heron as Heron\n"),
    ("src/pond/app.py", "from .base import Nest\n\n\nclass Heron:\n    pass\n"),
    ("src/pond/base.py", "class Nest:\n    pass\n"),
    ("tools/birds.py", "class Heron:\n    pass\n"),
    ("tools/by_package.py", "from pond import Heron\n\n\ndef by_package():\n    return Heron()\n"),
    ("tools/by_module.py", "from pond.app import (\n    Heron,\n)\n\n\ndef by_module():\n    return Heron()\n"),
    ("tools/by_library.py", "from zoo import Heron\n\n\ndef by_library():\n    return Heron()\n"),
    ("tools/by_name.py", "from pond import Nest as Heron\n\n\ndef by_name():\n    return Heron()\n"),
    ("tools/by_variable.py", "Heron = make()\n\n\ndef by_variable():\n    return Heron()\n"),
    ("web/index.ts", "export { Otter } from './deep/otter'\nexport * from './deep/seal'\n"),
    ("web/deep/otter.ts", "export class Otter {}\n"),
    ("web/deep/seal.ts", "export class Seal {}\n"),
    ("app/otter.ts", "export class Otter {}\nexport class Seal {}\n"),
    (
        "app/use.ts",
        "import { Otter, type Seal } from '../web'\n\nexport function swim(seal: Seal) {\n  return new Otter()\n}\n",
    ),
    ("app/view.ts", "import { Otter } from 'react'\n\nexport function render() {\n  return new Otter()\n}\n"),
    ("crates/den/src/lib.rs", "mod fox;\npub use fox::Fox;\n"),
    ("crates/den/src/fox.rs", "pub struct Fox;\n\npub struct Mutex;\n"),
    ("crates/yard/src/fox.rs", "pub struct Fox;\n"),
    ("crates/yard/src/lib.rs", "use den::Fox;\nuse std::sync::Mutex;\n\npub fn dig(fox: Fox, held: Mutex) {}\n"),
];

#[test]
fn an_import_tells_a_definition_from_its_namesakes() {
    let sandbox = Sandbox::with(PASSED_ON);
    let engine = sandbox.engine();
    let users = |node: &str, path: &str| {
        let graph = engine.graph(&sandbox.origin(), &request(node, &[Relation::References])).expect("an answer");
        let of_definition = format!(" references {path}#{node}");
        edges(&graph).iter().filter_map(|edge| Some(edge.strip_suffix(&of_definition)?.to_owned())).collect::<Vec<_>>()
    };
    for (node, path, expected) in [
        ("Heron", "src/pond/app.py", &["tools/by_module.py#by_module", "tools/by_package.py#by_package"][..]),
        ("Heron", "tools/birds.py", &[]),
        ("Otter", "web/deep/otter.ts", &["app/use.ts#swim"]),
        ("Otter", "app/otter.ts", &[]),
        ("Seal", "web/deep/seal.ts", &["app/use.ts#swim"]),
        ("Fox", "crates/den/src/fox.rs", &["crates/yard/src/lib.rs#dig"]),
        ("Fox", "crates/yard/src/fox.rs", &[]),
        ("Mutex", "crates/den/src/fox.rs", &[]),
    ] {
        let mut found = users(node, path);
        found.sort_unstable();
        assert_eq!(found, expected, "{node} of {path}");
    }
    engine.close();
}

#[test]
fn the_links_of_a_store_weigh_what_is_stated_and_what_is_used() {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    sandbox.index(&engine);
    engine.close();
    assert_eq!(
        links_of(&sandbox),
        [
            "docs/adr/0001-ledger.md src/ledger.rs 1.0",
            "docs/guide.md docs/adr/0001-ledger.md 1.0",
            "src/ledger.rs src/gateway.rs 2.0",
            "src/lib.rs src/gateway.rs 2.0",
        ]
    );
}

/// Returns the links of a closed store, one per line.
fn links_of(sandbox: &Sandbox) -> Vec<String> {
    let store = std::fs::read_dir(sandbox.home().join("stores")).expect("stores").next().expect("one").expect("read");
    let catalog = recall_index::catalog::Catalog::open(&store.path().join("index/catalog.db")).expect("a catalog");
    let snapshot = catalog.snapshot().expect("readable");
    let links = links(&snapshot).expect("read");
    let path = |document: u32| {
        let row = links.documents[document as usize];
        snapshot.document_in(row).expect("readable").expect("there").document.path.as_str().to_owned()
    };
    let mut told: Vec<String> =
        links.edges.iter().map(|&(from, to, weight)| format!("{} {} {weight:.1}", path(from), path(to))).collect();
    told.sort_unstable();
    told
}

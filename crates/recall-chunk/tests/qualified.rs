//! The module of a qualified name.

use recall_chunk::{ChunkLimits, Chunker};
use recall_core::{EdgeKind, Limits};
use recall_text::{DocPath, Language};

/// The references of a text, sorted.
fn references(file: &str, text: &str) -> Vec<String> {
    let path = DocPath::new(file).expect("a plain path");
    let parsed =
        Chunker::new(ChunkLimits::from(&Limits::default())).parse(&path, Language::detect(&path, text).as_ref(), text);
    let references = parsed.edges.into_iter().filter(|edge| edge.kind == EdgeKind::References);
    let mut targets: Vec<String> = references.map(|edge| edge.target).collect();
    targets.sort_unstable();
    targets
}

#[test]
fn a_qualified_name_includes_the_imported_module() {
    for (file, text, expected) in [
        ("a.hs", "import qualified Data.Map as M\nsize = M.insert one\n", "Data.Map.insert one"),
        (
            "a.go",
            "package a\nimport (\n\tj \"x.org/y/journal\"\n\t\"os\"\n)\nfunc f() { j.Open(os.Args()) }\n",
            "os.Args x.org/y/journal.Open",
        ),
        (
            "a.go",
            "package a\nimport \"x.org/y/store/v2\"\nfunc f() store.Item { return other.Make() }\n",
            "Make x.org/y/store/v2.Item",
        ),
        (
            "a.py",
            "import os.path as osp\nfrom . import journal\nosp.join(journal.read(), self.store.find())\n",
            ".journal.read find os.path.join",
        ),
        (
            "a.py",
            "from .store import (\n    Store as S,\n    other,\n)\nS.open()\nother()\n",
            ".store.Store.open other",
        ),
        (
            "a.ts",
            "import * as fs from 'fs';\nimport Store, { type A, B as C } from './store';\nfs.read(Store.open(), C.make(), x.run());\n",
            "./store.make ./store.open fs.read run",
        ),
        (
            "A.java",
            "import java.util.List;\nclass A { void f() { List.copyOf(here.there()); } }\n",
            "java.util.List.copyOf there",
        ),
        ("a.rs", "use std::fs;\nuse crate::store::Store;\nfn f() { fs::read(Store::open()) }\n", "open std::fs.read"),
        (
            "a.ex",
            "defmodule A do\n  alias B.{Journal, Other}\n  def f, do: Journal.parse(C.run())\nend\n",
            "B.Journal.parse Journal run",
        ),
    ] {
        assert_eq!(references(file, text).join(" "), expected, "{text}");
    }
}

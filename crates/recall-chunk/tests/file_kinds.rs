//! Which role has a file, by what the parser found in it?

use recall_chunk::{ChunkLimits, Chunker, language_of};
use recall_core::{DocPath, FileKind, Limits};

#[track_caller]
fn check(path: &str, text: &str, expected: FileKind) {
    let path = DocPath::new(path).expect("a plain path");
    let language = language_of(&path, text);
    let parsed = Chunker::new(ChunkLimits::from(&Limits::default())).parse(&path, language.as_ref(), text);
    assert_eq!(FileKind::of_parsed(&path, language.as_ref(), text, &parsed), expected, "{path}: {parsed:#?}");
}

#[test]
fn files_that_only_hand_on_what_others_define_re_export() {
    let python = "\"\"\"Stores.\"\"\"\nfrom .store import Store as Store\nfrom . import cache\n\n__all__ = [\"Store\", \"cache\"]\n";
    check("stores/__init__.py", python, FileKind::ReExport);
    check("src/index.ts", "export * from './store';\nexport { Cache } from './cache';\n", FileKind::ReExport);
    check("index.js", "'use strict';\n\nmodule.exports = require('./lib/store');\n", FileKind::ReExport);
    check("src/store/mod.rs", "//! Stores.\nmod cache;\nmod disk;\n\npub use cache::Cache;\n", FileKind::ReExport);
    check("include/store.h", "#pragma once\n#include \"cache.h\"\n#include \"disk.h\"\n", FileKind::ReExport);
    check("src/Store.hs", "module Store (module Store.Cache) where\nimport Store.Cache\n", FileKind::ReExport);
}

#[test]
fn files_that_define_or_do_something_are_the_projects_own() {
    check("stores/__init__.py", "from .store import Store\n\ndef open():\n    return Store()\n", FileKind::Main);
    check("run.py", "import store\n\nstore.open()\n", FileKind::Main);
    check("settings.py", "import os\n\nTIMEOUT = 30\n", FileKind::Main);
    check("src/index.ts", "export * from './store';\nexport const LIMIT = 3;\n", FileKind::Main);
    check("src/lib.rs", "pub use store::Store;\n\npub struct Cache;\n", FileKind::Main);
    check("doc.go", "// Package store keeps things.\npackage store\n", FileKind::Main);
    check("empty.py", "", FileKind::Main);
}

#[test]
fn what_is_made_for_other_peoples_tests_is_told_from_tests() {
    check("lib/phoenix/test/conn_test.ex", "defmodule ConnTest do\n  def build_conn, do: 1\nend\n", FileKind::Main);
    check("src/testing/__init__.py", "from .client import Client\n", FileKind::ReExport);
    check("src/testing/client.py", "def client():\n    return open()\n", FileKind::Main);
    check("src/testing/test_client.py", "def test_client():\n    assert client()\n", FileKind::Test);
    check("bin/test", "#!/bin/sh\ncargo test\n", FileKind::Main);
}

#[test]
fn the_path_says_more_than_what_a_file_defines() {
    check("tests/__init__.py", "from .store import Store\n", FileKind::Test);
    check("vendor/store/index.js", "export * from './store';\n", FileKind::Vendored);
}

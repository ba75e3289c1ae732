//! Files of an older version rank below those of the newer one, and bundles below what they were made of.

use crate::support::{Sandbox, paths};

#[test]
fn a_directory_of_an_older_version_steps_back_unless_the_query_names_it() {
    let sandbox = Sandbox::new();
    let module = |version: &str| {
        format!(
            "//! Formats the errors of a schema, {version}.\npub fn format_errors(errors: &[Error]) -> String {{\n    \
             errors.iter().map(|error| error.message()).collect()\n}}\n"
        )
    };
    sandbox.write("src/v3/errors.rs", &module("first the path, then the message, one error a line"));
    sandbox.write("src/v4/errors.rs", &module("as a tree by the path"));
    sandbox.write("src/v3/parse.rs", "pub fn parse_schema(text: &str) -> Schema {\n    Schema::read(text)\n}\n");
    sandbox.write("src/v4/parse.rs", "pub fn parse_schema(text: &str) -> Schema {\n    Schema::read(text)\n}\n");
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for (query, expected) in [
        ("how are the errors of a schema formatted", "src/v4/errors.rs"),
        ("how are the errors of a schema formatted in v3", "src/v3/errors.rs"),
        ("src/v3/errors.rs", "src/v3/errors.rs"),
    ] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer).first(), Some(&expected), "{query}: {:?}", paths(&answer));
    }
}

/// Returns the exported functions of one part of a channel.
fn functions(part: &str) -> String {
    format!(
        "export function {part}Channel(channel) {{\n  return channel.{part}(channel.pending);\n}}\n\n\
         export function {part}Later(channel) {{\n  return setTimeout(() => {part}Channel(channel), channel.delay);\n}}\n\n"
    )
}

#[test]
fn a_bundle_steps_back_behind_its_sources_unless_the_query_asks_for_it() {
    let sandbox = Sandbox::new();
    let parts = ["read", "write", "merge", "split", "trim"];
    for part in parts {
        sandbox.write(&format!("js/{part}.js"), &format!("import {{ delay }} from './delay';\n\n{}", functions(part)));
    }
    // Nothing says that a tool wrote it.
    let bundle: String = parts.iter().map(|part| functions(part).replace("export ", "")).collect();
    sandbox.write("priv/web/channel.js", &bundle);
    let engine = sandbox.engine();
    sandbox.index(&engine);
    engine.settle(&sandbox.origin(), recall_core::Scope::Project).expect("settled");
    for (query, expected) in [
        ("where are the pending parts of a channel merged or trimmed", "js/merge.js"),
        ("priv/web/channel.js", "priv/web/channel.js"),
    ] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer).first(), Some(&expected), "{query}: {:?}", paths(&answer));
    }
}

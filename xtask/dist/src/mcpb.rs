//! The bundle that desktop clients install, and the entry in the registry of MCP servers.

use serde_json::json;

use crate::contents::Item;
use crate::release::{LICENCE, MCP_NAME, REGISTRY_NAME, Release, SUMMARY, VERSION};
use crate::wheel::zip;
use crate::{Package, failure_of};

/// Makes the bundle: a ZIP archive with the programs and a manifest.
pub(crate) fn package(release: &Release) -> Result<Package, String> {
    let entry_point = format!("server/recall-shim{}", release.system.suffix);
    let command = format!("${{__dirname}}/{entry_point}");
    let manifest = json!({
        "manifest_version": "0.3",
        "name": "recall",
        "display_name": "recall",
        "version": VERSION,
        "description": SUMMARY,
        "author": { "name": env!("CARGO_PKG_AUTHORS") },
        "license": LICENCE,
        "server": {
            "type": "binary",
            "entry_point": entry_point,
            "mcp_config": { "command": command, "args": [], "env": {} },
        },
        "tools_generated": true,
        "compatibility": { "platforms": [release.system.npm.0] },
    });
    let mut items = vec![Item::text("manifest.json", format!("{manifest:#}\n"))];
    items.extend(release.programs.iter().map(|program| program.below("server")));
    items.extend(release.documents.iter().cloned());
    let name = format!("recall-{VERSION}-{}.mcpb", release.system.target);
    Ok(Package { name, bytes: zip(&items).map_err(failure_of("bundle"))? })
}

/// Returns `server.json`, with which `mcp-publisher` registers the packages of npm and `PyPI`.
pub(crate) fn registry_entry(_: &Release) -> Package {
    let package = |registry: &str| {
        json!({
            "registryType": registry,
            "identifier": REGISTRY_NAME,
            "version": VERSION,
            "transport": { "type": "stdio" },
        })
    };
    let entry = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": MCP_NAME,
        "description": SUMMARY,
        "version": VERSION,
        "packages": [package("npm"), package("pypi")],
    });
    Package { name: "server.json".to_owned(), bytes: format!("{entry:#}\n").into_bytes() }
}

//! The package for npm.

use serde_json::{Map, Value, json};

use crate::contents::Item;
use crate::release::{LICENCE, MCP_NAME, PROGRAMS, REGISTRY_NAME, Release, SUMMARY, VERSION};
use crate::tarball::{Folders, archive};
use crate::{Package, failure_of};

/// Makes the package. npm links its programs, so that no Node process stands between an agent and the shim.
pub(crate) fn package(release: &Release) -> Result<Package, String> {
    let mut items = vec![Item::text("package/package.json", manifest(release))];
    items.extend(release.programs.iter().map(|program| program.below("package/bin")));
    items.extend(release.documents.iter().map(|document| document.below("package")));
    let bytes = archive(&items, release.time, Folders::Implied).map_err(failure_of("npm package"))?;
    Ok(Package {
        name: format!("{REGISTRY_NAME}-{VERSION}-npm-{}-{}.tgz", release.system.npm.0, release.system.npm.1),
        bytes,
    })
}

fn manifest(release: &Release) -> String {
    let bin: Map<String, Value> = PROGRAMS
        .iter()
        .map(|name| ((*name).to_owned(), json!(format!("bin/{name}{}", release.system.suffix))))
        .collect();
    let (os, cpu) = release.system.npm;
    let mut manifest = json!({
        "name": REGISTRY_NAME,
        "version": VERSION,
        "description": SUMMARY,
        "license": LICENCE,
        "mcpName": MCP_NAME,
        "bin": bin,
        "os": [os],
        "cpu": [cpu],
    });
    if release.system.has_glibc() {
        manifest["libc"] = json!(["glibc"]);
    }
    format!("{manifest:#}\n")
}

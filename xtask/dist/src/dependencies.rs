//! The libraries that are linked into the programs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::contents;
use crate::release::System;

/// The packages whose programs are in a release.
const ROOTS: [&str; 4] = ["recall-cli", "recalld", "recall-shim", "recall-bench"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Library {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Its licence as an SPDX expression; empty if it names a file instead.
    pub(crate) licence: String,
    /// The SHA-256 of its package in the registry, in hexadecimal digits.
    pub(crate) checksum: String,
    pub(crate) manifest: PathBuf,
}

/// Returns the libraries in the programs for a system, sorted by name and version. Packages of the workspace are not among them.
pub(crate) fn list_libraries(system: &System) -> Result<Vec<Library>, String> {
    let arguments = ["metadata", "--locked", "--format-version", "1", "--filter-platform", system.target];
    let cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(arguments)
        .current_dir(contents::workspace())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    let metadata: Value = serde_json::from_slice(&cargo.stdout)
        .map_err(|error| format!("`cargo metadata` failed: {error}: {}", String::from_utf8_lossy(&cargo.stderr)))?;
    let lock = String::from_utf8_lossy(&contents::read(&contents::workspace().join("Cargo.lock"))?).into_owned();
    let checksums = checksums(&lock);
    let linked = linked_packages(&metadata);
    let packages = list(&metadata["packages"]).filter(|package| linked.contains(field(package, "id")));
    let libraries = packages.filter(|package| !package["source"].is_null()).map(|package| {
        let (name, version) = (field(package, "name").to_owned(), field(package, "version").to_owned());
        let checksum = checksums.get(&(name.as_str(), version.as_str())).copied().unwrap_or_default().to_owned();
        let licence = field(package, "license").to_owned();
        Library { name, version, licence, checksum, manifest: PathBuf::from(field(package, "manifest_path")) }
    });
    let mut libraries: Vec<Library> = libraries.collect();
    libraries.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(libraries)
}

/// Returns the checksums in `Cargo.lock`, by name and version.
fn checksums(lock: &str) -> BTreeMap<(&str, &str), &str> {
    let value = |block: &'_ str, name: &str| -> Option<(usize, usize)> {
        let begin = block.find(&format!("\n{name} = \""))? + name.len() + 5;
        Some((begin, begin + block[begin..].find('"')?))
    };
    let of_block = |block: &'_ str| -> Option<[(usize, usize); 3]> {
        Some([value(block, "name")?, value(block, "version")?, value(block, "checksum")?])
    };
    let blocks = lock.split("[[package]]");
    blocks
        .filter_map(|block| {
            let [name, version, sum] = of_block(block)?.map(|(begin, end)| &block[begin..end]);
            Some(((name, version), sum))
        })
        .collect()
}

/// Returns the ids of the packages that the programs are linked from: not those for builds and tests only.
fn linked_packages(metadata: &Value) -> BTreeSet<&str> {
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).map(|node| (field(node, "id"), node)).collect();
    let is_root = |package: &&Value| package["source"].is_null() && ROOTS.contains(&field(package, "name"));
    let mut waiting: Vec<&str> =
        list(&metadata["packages"]).filter(is_root).map(|package| field(package, "id")).collect();
    let mut linked = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if linked.insert(id) {
            let needs = nodes.get(id).into_iter().flat_map(|node| list(&node["deps"]));
            let needs = needs.filter(|need| list(&need["dep_kinds"]).any(|kind| kind["kind"].is_null()));
            waiting.extend(needs.map(|need| field(need, "pkg")));
        }
    }
    linked
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn field<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

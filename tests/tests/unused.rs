//! Dependencies that a package declares and does not name in its sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::arrows::{list, metadata, text};

/// Dependencies that only code outside the sources names, with the place of that code.
const NAMED_ELSEWHERE: &[(&str, &str)] = &[
    // The service and the client that `build.rs` generates.
    ("recall-api", "tonic_prost"),
];

#[test]
fn every_dependency_is_named() {
    assert_eq!(unused(&metadata(&["--no-deps"])), [""; 0]);
}

#[test]
fn a_planted_dependency_is_found() {
    let mut planted = metadata(&["--no-deps"]);
    let packages = planted["packages"].as_array_mut().expect("a list");
    let package = packages.iter_mut().find(|package| package["name"] == "recall-rank").expect("in the workspace");
    let dependencies = package["dependencies"].as_array_mut().expect("a list");
    // The first is part of a word in the sources, not a word.
    dependencies.push(json!({ "name": "ran", "rename": null }));
    dependencies.push(json!({ "name": "recall-rank", "rename": "an-alias" }));
    assert_eq!(unused(&planted), ["recall-rank does not use an_alias", "recall-rank does not use ran"]);
}

fn unused(metadata: &Value) -> Vec<String> {
    let packages = list(&metadata["packages"]);
    let folder = |package: &Value| Path::new(text(&package["manifest_path"])).parent().expect("in a folder").to_owned();
    let folders: Vec<PathBuf> = packages.iter().map(folder).collect();
    let mut complaints = BTreeSet::new();
    for (package, folder) in packages.iter().zip(&folders) {
        let name = text(&package["name"]);
        let mut words = BTreeSet::new();
        collect_words(folder, &folders, &mut words);
        assert!(words.contains("fn"), "{name} has no sources");
        for dependency in list(&package["dependencies"]) {
            let crate_name = dependency["rename"].as_str().unwrap_or(text(&dependency["name"])).replace('-', "_");
            if !words.contains(&crate_name) && !NAMED_ELSEWHERE.contains(&(name, &crate_name)) {
                complaints.insert(format!("{name} does not use {crate_name}"));
            }
        }
    }
    complaints.into_iter().collect()
}

/// Collects the words of the Rust files in a folder, except those of other packages below it.
fn collect_words(folder: &Path, packages: &[PathBuf], words: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder of the workspace") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            if !packages.contains(&path) && !path.ends_with("target") {
                collect_words(&path, packages, words);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(&path).expect("UTF-8");
            let is_border = |c: char| !c.is_alphanumeric() && c != '_';
            words.extend(source.split(is_border).filter(|word| !word.is_empty()).map(str::to_owned));
        }
    }
}

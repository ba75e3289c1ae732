use super::*;

#[test]
fn an_ambiguous_name_is_skipped_only_next_to_its_manifest_or_in_the_root() {
    for (name, level, siblings, expected) in [
        ("node_modules", Level::Below, &[][..], true),
        ("__pycache__", Level::Below, &[], true),
        ("recall.egg-info", Level::Root, &[], true),
        ("vendor", Level::Root, &[], true),
        ("target", Level::Root, &[], true),
        ("dist", Level::Root, &[], true),
        ("build", Level::Root, &[], true),
        ("build", Level::Below, &["main.go"], false),
        ("build", Level::Below, &["package.json"], true),
        ("target", Level::Below, &["lib.rs"], false),
        ("target", Level::Below, &["src", "Cargo.toml"], true),
        ("vendor", Level::Below, &["vendor.rb"], false),
        ("vendor", Level::Below, &["go.mod"], true),
        ("bin", Level::Root, &["package.json"], false),
        ("bin", Level::Root, &["App.csproj"], true),
        ("deps", Level::Root, &[], false),
        ("src", Level::Root, &["Cargo.toml"], false),
        (".github", Level::Root, &[], false),
        (".claude", Level::Root, &[], false),
        (".venv", Level::Root, &[], true),
        (".idea", Level::Below, &[], true),
    ] {
        let actual = is_skipped_by_default(name, level, siblings.iter().copied());
        assert_eq!(actual, expected, "{name} {level:?} next to {siblings:?}");
    }
}

#[test]
fn every_name_skipped_in_the_root_has_manifests() {
    for name in AT_ROOT {
        let has_manifests = |folder: &BuildFolder| folder.name == *name && !folder.manifests.is_empty();
        assert!(build_folders().any(has_manifests), "{name}");
    }
}

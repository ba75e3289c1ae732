use super::*;

#[test]
fn a_name_that_may_be_source_counts_only_where_a_tool_would_put_it() {
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
        let actual = is_passed_over(name, level, siblings.iter().copied());
        assert_eq!(actual, expected, "{name} {level:?} beside {siblings:?}");
    }
}

#[test]
fn whatever_the_root_passes_over_is_also_known_by_its_manifests() {
    for name in AT_ROOT {
        assert!(BESIDE.iter().any(|(known, _)| known == name), "{name}");
    }
}

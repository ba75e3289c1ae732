use super::*;

#[test]
fn secrets_lock_files_and_binaries_are_recognized_by_name() {
    for (name, expected) in [
        (".env", Some(SkipReason::Secret)),
        (".env.production", Some(SkipReason::Secret)),
        (".ENV.local", Some(SkipReason::Secret)),
        (".envrc", Some(SkipReason::Secret)),
        ("prod.env", Some(SkipReason::Secret)),
        (".env.example", None),
        ("settings.env.sample", None),
        ("environment.ts", None),
        ("server.PEM", Some(SkipReason::Secret)),
        ("id_rsa", Some(SkipReason::Secret)),
        ("id_ed25519", Some(SkipReason::Secret)),
        ("id_rsa.pub", None),
        ("id_rsa.rs", None),
        ("credentials", Some(SkipReason::Secret)),
        ("credentials.rs", None),
        ("terraform.tfstate", Some(SkipReason::Secret)),
        ("Cargo.lock", Some(SkipReason::LockFile)),
        ("package-lock.json", Some(SkipReason::LockFile)),
        ("package.json", None),
        ("go.sum", Some(SkipReason::LockFile)),
        ("go.mod", None),
        ("clock.rs", None),
        ("app.min.js", Some(SkipReason::Minified)),
        ("min.js", None),
        ("app.js.map", Some(SkipReason::ByProduct)),
        ("map.js", None),
        ("logo.svg", Some(SkipReason::ByProduct)),
        ("photo.JPG", Some(SkipReason::Binary)),
        ("libfoo.so", Some(SkipReason::Binary)),
        ("so", None),
        ("a.ts", None),
        ("Makefile", None),
        (".gitignore", None),
        ("", None),
    ] {
        assert_eq!(skip_reason(name, Tracking::Untracked), expected, "{name:?}");
    }
}

#[test]
fn what_a_tool_wrote_is_opened_if_git_tracks_it() {
    for (name, expected) in [
        ("Cargo.lock", None),
        ("app.min.js", None),
        ("logo.svg", None),
        (".env", Some(SkipReason::Secret)),
        ("logo.png", Some(SkipReason::Binary)),
    ] {
        assert_eq!(skip_reason(name, Tracking::Tracked), expected, "{name}");
    }
}

#[test]
fn every_listed_name_is_in_the_form_that_is_compared() {
    let lists = [SECRET_NAMES, SECRET_EXTENSIONS, ENV_EXAMPLES];
    for name in lists.iter().chain(BINARY_EXTENSIONS).flat_map(|list| list.iter()) {
        assert_eq!(*name, name.to_ascii_lowercase());
    }
    for extension in SECRET_EXTENSIONS.iter().chain(BINARY_EXTENSIONS.iter().flat_map(|list| list.iter())) {
        assert!(!extension.contains('.'), "{extension} would never match, since it contains a dot");
    }
}

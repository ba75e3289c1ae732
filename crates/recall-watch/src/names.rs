//! What is skipped by its name: files, and directories by default.
//!
//! A directory that only tools write to is recognized by its name. A name that is also common for source (`build`,
//! `target`, `vendor`…) counts only where a tool would create it: in the root, or next to the tool's manifest. So
//! `src/build/` is indexed. A skipped directory can be brought back by `!name/` in a `.recallignore`, or by adding it.
//!
//! The folders of each language's tools are in [`recall_text::build_folders`].

use recall_text::{BuildFolder, ToolFile, build_folders};

use crate::SkipReason;

/// Whether git tracks a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracking {
    /// It does: the file is part of the project, even if a tool wrote it.
    Tracked,
    /// It does not, or there is no git.
    Untracked,
}

/// Returns why a file is not opened, judging by its name; `None` if it may be opened.
pub(crate) fn skip_reason(name: &str, tracking: Tracking) -> Option<SkipReason> {
    let lower = name.to_ascii_lowercase();
    if is_secret(&lower) {
        return Some(SkipReason::Secret);
    }
    if tracking == Tracking::Untracked
        && let Some(file) = ToolFile::from_name(name)
    {
        return Some(match file {
            ToolFile::Lock => SkipReason::LockFile,
            ToolFile::Minified => SkipReason::Minified,
            ToolFile::ByProduct => SkipReason::ByProduct,
        });
    }
    if lower.rsplit_once('.').is_some_and(|(_, extension)| is_binary(extension)) {
        Some(SkipReason::Binary)
    } else {
        None
    }
}

fn is_binary(extension: &str) -> bool {
    BINARY_EXTENSIONS.iter().any(|formats| formats.contains(&extension))
}

/// Returns whether keys or passwords are usually kept under this name.
fn is_secret(lower: &str) -> bool {
    let is_example = || ENV_EXAMPLES.iter().any(|ending| lower.ends_with(ending));
    let is_env = lower == ".envrc"
        || lower.starts_with(".env.")
        || lower.rsplit_once('.').is_some_and(|(_, last)| last == "env");
    (is_env && !is_example())
        || SECRET_NAMES.contains(&lower)
        || lower.rsplit_once('.').is_some_and(|(_, extension)| SECRET_EXTENSIONS.contains(&extension))
}

/// Suffixes of `.env` files that only document the variables.
const ENV_EXAMPLES: &[&str] = &[".example", ".sample", ".template", ".dist", ".defaults"];

/// Names of private keys, credential stores and shell histories.
const SECRET_NAMES: &[&str] = &[
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".htpasswd",
    ".git-credentials",
    ".dockercfg",
    ".my.cnf",
    ".vault-token",
    "credentials",
    ".credentials",
    "credentials.json",
    ".credentials.json",
    "credentials.toml",
    "credentials.tfrc.json",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
];

/// Extensions of key containers, and of Terraform's state, which contains generated secrets.
const SECRET_EXTENSIONS: &[&str] =
    &["pem", "key", "p8", "p12", "pfx", "pkcs12", "ppk", "jks", "keystore", "kdbx", "gpg", "tfstate"];

/// Formats that are never text. An extension that is also used for a text format (`ts`, `mod`, `obj`, `dat`, `mo`) is
/// not listed: there the content decides.
const BINARY_EXTENSIONS: &[&[&str]] = &[PICTURES_AND_SOUND, ARCHIVES, PROGRAMS, DATA];

const PICTURES_AND_SOUND: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "bmp", "ico", "icns", "webp", "avif", "heic", "tif", "tiff", "psd", "xcf", "mp3",
    "mp4", "m4a", "m4v", "mov", "avi", "mkv", "webm", "wav", "flac", "ogg", "opus", "woff", "woff2", "ttf", "otf",
    "eot", "blend", "fbx", "glb", "uasset", "umap",
];

const ARCHIVES: &[&str] = &[
    "zip", "gz", "tgz", "bz2", "xz", "zst", "lz4", "br", "7z", "rar", "tar", "jar", "war", "ear", "aar", "whl", "egg",
    "gem", "nupkg", "crate", "deb", "rpm", "apk", "ipa", "dmg", "iso", "img", "msi", "cab",
];

const PROGRAMS: &[&str] = &[
    "exe", "dll", "so", "dylib", "lib", "rlib", "rmeta", "o", "ko", "a", "pyc", "pyo", "pyd", "class", "wasm", "node",
    "pdb", "beam", "cmo", "cmx", "nib",
];

const DATA: &[&str] = &[
    "pdf",
    "doc",
    "docx",
    "xls",
    "xlsx",
    "ppt",
    "pptx",
    "odt",
    "ods",
    "odp",
    "epub",
    "sqlite",
    "sqlite3",
    "db",
    "db-wal",
    "db-shm",
    "mdb",
    "parquet",
    "arrow",
    "feather",
    "orc",
    "avro",
    "h5",
    "hdf5",
    "npy",
    "npz",
    "pkl",
    "pickle",
    "pt",
    "pth",
    "onnx",
    "safetensors",
    "gguf",
    "tflite",
    "ckpt",
    "bin",
];

/// Returns whether a directory belongs to a version control system. Nothing brings these back.
pub(crate) fn is_version_control(name: &str) -> bool {
    [".git", ".hg", ".svn", ".jj", ".bzr", ".sl", ".pijul", "_darcs", "CVS"].contains(&name)
}

/// Returns whether a directory is skipped by default. `siblings` are the names next to it.
pub(crate) fn is_skipped_by_default<'a>(name: &str, level: Level, mut siblings: impl Iterator<Item = &'a str>) -> bool {
    if name.starts_with('.') {
        return !INDEXED_HIDDEN.contains(&name);
    }
    if ALWAYS.contains(&name) || name.ends_with(".egg-info") {
        return true;
    }
    let known: Vec<&BuildFolder> = build_folders().filter(|folder| folder.name == name).collect();
    if known.iter().any(|folder| folder.manifests.is_empty()) || (level == Level::Root && AT_ROOT.contains(&name)) {
        return true;
    }
    let manifests = known.iter().flat_map(|folder| folder.manifests);
    !known.is_empty() && siblings.any(|sibling| manifests.clone().any(|manifest| is_manifest(sibling, manifest)))
}

/// Whether a directory is directly in the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// Directly in the root.
    Root,
    /// Deeper.
    Below,
}

/// Matches a name against a pattern: a name, or `*` and a suffix.
fn is_manifest(name: &str, pattern: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some(ending) => name.ends_with(ending),
        None => name == pattern,
    }
}

/// Hidden directories with hand-written content. Others are caches, personal settings or version control.
const INDEXED_HIDDEN: &[&str] = &[
    // Code hosts and their pipelines.
    ".github",
    ".gitlab",
    ".gitea",
    ".forgejo",
    ".circleci",
    ".buildkite",
    ".woodpecker",
    ".ci",
    // Settings that are committed.
    ".config",
    ".cargo",
    ".devcontainer",
    ".husky",
    ".storybook",
    ".changeset",
    // Instructions for agents.
    ".claude",
    ".cursor",
];

/// Dependencies, caches and outputs of tools that belong to no language of the table, with names that are not used for
/// source.
const ALWAYS: &[&str] = &[
    "elm-stuff",
    "bazel-bin",
    "bazel-out",
    "bazel-testlogs",
    // Reports of test coverage.
    "htmlcov",
    "lcov-report",
];

/// The names of build folders that in the root are always dependencies or outputs, even without a manifest.
const AT_ROOT: &[&str] = &["vendor", "target", "dist", "build", "venv"];

#[cfg(test)]
mod tests {
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
}

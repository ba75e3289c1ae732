//! Imports by package or class name: Java and related languages, Go, C#, Swift.

use crate::links::resolve::guess::{Guess, Reach, Thing, guess, tail};

const CLASSES: &[&str] = &["java", "kt", "kts", "scala", "groovy"];

/// `a.b.C`, `a.b.C.member`, `a.b` for all of a package.
pub(crate) fn class_guesses(_from: &str, target: &str) -> Vec<Guess> {
    let parts: Vec<&str> = target.split('.').collect();
    let mut found = Vec::new();
    // A member or a nested class may follow the class.
    for depth in (2..=parts.len()).rev().take(3) {
        found.push(guess(parts[..depth].join("/"), Reach::Anywhere, Thing::Module(CLASSES)));
    }
    for depth in (2..=parts.len()).rev().take(2) {
        found.push(guess(parts[..depth].join("/"), Reach::Anywhere, Thing::Package(CLASSES)));
    }
    // Kotlin leaves the packages that all files share out of their directories.
    for start in 1..parts.len().saturating_sub(1) {
        found.push(guess(tail(&parts, start), Reach::Anywhere, Thing::Module(CLASSES)));
    }
    found
}

/// The first parts of the paths of Go's own packages.
const GO_LIBRARY: &[&str] = &[
    "archive",
    "bufio",
    "bytes",
    "cmp",
    "compress",
    "container",
    "context",
    "crypto",
    "database",
    "debug",
    "embed",
    "encoding",
    "errors",
    "expvar",
    "flag",
    "fmt",
    "go",
    "hash",
    "html",
    "image",
    "index",
    "io",
    "iter",
    "log",
    "maps",
    "math",
    "mime",
    "net",
    "os",
    "path",
    "plugin",
    "reflect",
    "regexp",
    "runtime",
    "slices",
    "sort",
    "strconv",
    "strings",
    "structs",
    "sync",
    "syscall",
    "testing",
    "text",
    "time",
    "unicode",
    "unique",
    "unsafe",
    "weak",
];

/// `example.com/user/module/package`: the module's path leads to the root of a repository.
pub(crate) fn go_guesses(_from: &str, target: &str) -> Vec<Guess> {
    const FILES: Thing = Thing::Package(&["go"]);
    let parts: Vec<&str> = target.split('/').filter(|part| !part.is_empty()).collect();
    let Some(&first) = parts.first() else { return Vec::new() };
    let has_host = first.contains('.');
    if !has_host && GO_LIBRARY.contains(&first) {
        return Vec::new();
    }
    // `github.com/user/module` is nothing of the module, and one part less is nothing at all.
    let module_parts = match first {
        "github.com" | "gitlab.com" | "bitbucket.org" => 3,
        _ => 1,
    };
    let mut found = Vec::new();
    for start in module_parts..parts.len() {
        found.push(guess(tail(&parts, start), Reach::Here, FILES));
    }
    // Modules that are not at the root of the repository: two parts must agree.
    for start in module_parts..parts.len().saturating_sub(1) {
        found.push(guess(tail(&parts, start), Reach::Anywhere, FILES));
    }
    found
}

/// `A.B.C`: a namespace is a directory by convention, nested or with dots.
pub(crate) fn namespace_guesses(_from: &str, target: &str) -> Vec<Guess> {
    const FILES: Thing = Thing::Package(&["cs"]);
    let parts: Vec<&str> = target.split('.').collect();
    if matches!(parts[0], "System" | "Microsoft") {
        return Vec::new();
    }
    let mut found = vec![guess(target, Reach::Anywhere, FILES), guess(tail(&parts, 0), Reach::Anywhere, FILES)];
    for split in (1..parts.len()).rev() {
        let (project, rest) = (parts[..split].join("."), tail(&parts, split));
        found.push(guess(format!("{project}/{rest}"), Reach::Anywhere, FILES));
    }
    for start in 1..parts.len().saturating_sub(1) {
        found.push(guess(tail(&parts, start), Reach::Anywhere, FILES));
    }
    found
}

/// `import Store`: a target of the package.
pub(crate) fn target_guesses(_from: &str, target: &str) -> Vec<Guess> {
    vec![guess(format!("Sources/{target}"), Reach::Anywhere, Thing::Package(&["swift"]))]
}

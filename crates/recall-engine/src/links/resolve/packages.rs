//! Imports by the name of a package, a class or a module, by the conventions of each language.

use crate::links::path_text::{Guess, Reach, Thing, beside, directory_of, guess, join, module_of, tail};

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

/// Resolves `require "a/b"` below a library directory, and `require_relative "../x"` next to the file.
pub(crate) fn ruby_guesses(from: &str, target: &str) -> Vec<Guess> {
    const FILES: Thing = Thing::Module(&["rb", "rake"]);
    let target = target.strip_suffix(".rb").unwrap_or(target);
    let mut found: Vec<Guess> = beside(from, target).into_iter().map(|path| guess(path, Reach::Here, FILES)).collect();
    if !target.starts_with('.') {
        found.push(guess(format!("lib/{target}"), Reach::Anywhere, FILES));
        if target.contains('/') {
            found.push(guess(target, Reach::Anywhere, FILES));
        }
    }
    found
}

/// Resolves `App\Models\User`, whose first parts map to a source directory (PSR-4), or the path of a file.
pub(crate) fn php_guesses(from: &str, target: &str) -> Vec<Guess> {
    const FILES: Thing = Thing::Module(&["php"]);
    if !target.contains('\\') {
        let path = beside(from, target.trim_start_matches('/'));
        return path.into_iter().map(|path| guess(path, Reach::Here, Thing::File)).collect();
    }
    let parts: Vec<&str> = target.split('\\').filter(|part| !part.is_empty()).collect();
    let mut found = vec![guess(tail(&parts, 0), Reach::Anywhere, FILES)];
    for start in 1..parts.len() {
        for source in ["src", "app", "lib"] {
            found.push(guess(format!("{source}/{}", tail(&parts, start)), Reach::Anywhere, FILES));
        }
        if parts.len() - start >= 2 {
            found.push(guess(tail(&parts, start), Reach::Anywhere, FILES));
        }
    }
    found
}

/// Resolves `require "a.b"` below a search directory.
pub(crate) fn lua_guesses(from: &str, target: &str) -> Vec<Guess> {
    const FILES: Thing = Thing::Module(&["lua"]);
    let path = target.strip_suffix(".lua").map_or_else(|| target.replace('.', "/"), str::to_owned);
    let mut found: Vec<Guess> = beside(from, &path).into_iter().map(|path| guess(path, Reach::Here, FILES)).collect();
    for source in ["lua", "src"] {
        found.push(guess(format!("{source}/{path}"), Reach::Anywhere, FILES));
    }
    let reach = if path.contains('/') { Reach::Anywhere } else { Reach::Here };
    found.push(guess(path, reach, FILES));
    found
}

/// `MyApp.Accounts.User` is defined in `my_app/accounts/user.ex`.
pub(crate) fn elixir_guesses(_from: &str, target: &str) -> Vec<Guess> {
    const FILES: Thing = Thing::Module(&["ex", "exs"]);
    let parts: Vec<String> = target.split('.').map(snake_case).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let mut found = vec![guess(tail(&parts, 0), Reach::Anywhere, FILES)];
    for start in 1..parts.len().saturating_sub(1) {
        found.push(guess(tail(&parts, start), Reach::Anywhere, FILES));
    }
    found
}

/// `Data.Map` is in `Data/Map.hs`.
pub(crate) fn haskell_guesses(_from: &str, target: &str) -> Vec<Guess> {
    const FILES: Thing = Thing::Module(&["hs", "lhs", "hsc", "chs"]);
    vec![guess(target.replace('.', "/"), Reach::Anywhere, FILES)]
}

/// `HTTPServer` becomes `http_server`, as Elixir's `Macro.underscore` has it.
fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let letters: Vec<char> = name.chars().collect();
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let begins_word = letter.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() || letters.get(at + 1).is_some_and(|next| next.is_lowercase())
            });
        if begins_word {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

const RUST_FILES: Thing = Thing::Module(&["rs"]);

/// The crates that come with the compiler.
const OWN: &[&str] = &["std", "core", "alloc", "proc_macro", "test"];

/// The parts of a path after its crate that can name modules; items follow them.
const MOST_MODULES: usize = 6;

pub(crate) fn rust_guesses(from: &str, target: &str) -> Vec<Guess> {
    let parts: Vec<&str> = target.trim_start_matches("::").split("::").collect();
    let (first, rest) = (parts[0], &parts[1..]);
    let here = module_of(from);
    let mut found = Vec::new();
    match first {
        "crate" => longest_first(&mut found, crate_root(from), rest, 0, Reach::Here),
        "self" => longest_first(&mut found, here, rest, 1, Reach::Here),
        "super" => {
            let ups = parts.iter().take_while(|part| **part == "super").count();
            let mut base = here;
            for _ in 0..ups {
                base = directory_of(base);
            }
            longest_first(&mut found, base, &parts[ups..], 0, Reach::Here);
        }
        _ if OWN.contains(&first) => {}
        _ => {
            // A path may also begin with a module that is declared next to the import, or at the root of the crate.
            longest_first(&mut found, here, &parts, 1, Reach::Here);
            longest_first(&mut found, crate_root(from), &parts, 1, Reach::Here);
            let dashed = first.replace('_', "-");
            longest_first(&mut found, &format!("{dashed}/src"), rest, 0, Reach::Anywhere);
            if dashed != first {
                longest_first(&mut found, &format!("{first}/src"), rest, 0, Reach::Anywhere);
            }
        }
    }
    found
}

/// Returns the directory of a crate's root module: the nearest `src` above, or the file's own directory if the file is a root
/// (`tests/x.rs`).
fn crate_root(from: &str) -> &str {
    if let Some(at) = from.rfind("/src/") {
        &from[..at + "/src".len()]
    } else if from.starts_with("src/") {
        "src"
    } else {
        directory_of(from)
    }
}

/// Returns the modules that a path may name below a base, the deepest first, down to `least` parts of it. A part that begins
/// with a capital is an item.
fn longest_first(found: &mut Vec<Guess>, base: &str, parts: &[&str], least: usize, reach: Reach) {
    let is_module = |part: &&&str| !part.starts_with(|c: char| c.is_ascii_uppercase());
    let modules = parts.iter().take(MOST_MODULES).take_while(is_module).count();
    for depth in (least..=modules).rev() {
        let below = parts[..depth].join("/");
        let path = match (base, below.as_str()) {
            (base, "") => base.to_owned(),
            ("", below) => below.to_owned(),
            (base, below) => format!("{base}/{below}"),
        };
        found.push(guess(path, reach, RUST_FILES));
    }
}

const PYTHON_FILES: Thing = Thing::Module(&["py", "pyi", "pyx", "ipynb"]);

pub(crate) fn python_guesses(from: &str, target: &str) -> Vec<Guess> {
    let dots = target.bytes().take_while(|byte| *byte == b'.').count();
    let name = &target[dots..];
    let parts: Vec<&str> = name.split('.').filter(|part| !part.is_empty()).collect();
    if dots > 0 {
        let ups = "../".repeat(dots - 1);
        let Some(base) = join(directory_of(from), &ups) else { return Vec::new() };
        let modules = (0..=parts.len()).rev().filter_map(|depth| join(&base, &parts[..depth].join("/")));
        return modules.map(|module| guess(module, Reach::Here, PYTHON_FILES)).collect();
    }
    let mut found = Vec::new();
    let whole = parts.join("/");
    if parts.len() == 1 {
        // A name without dots is nearly always a library, unless it is next to the file or at a root.
        found.extend(join(directory_of(from), &whole).map(|path| guess(path, Reach::Here, PYTHON_FILES)));
        found.push(guess(whole.clone(), Reach::Here, PYTHON_FILES));
        found.push(guess(format!("src/{whole}"), Reach::Anywhere, PYTHON_FILES));
        return found;
    }
    for depth in (2..=parts.len()).rev() {
        found.push(guess(parts[..depth].join("/"), Reach::Anywhere, PYTHON_FILES));
    }
    // The store's root may be the package itself.
    found.push(guess(tail(&parts, 1), Reach::Here, PYTHON_FILES));
    found.push(guess(parts[0], Reach::Here, PYTHON_FILES));
    found
}

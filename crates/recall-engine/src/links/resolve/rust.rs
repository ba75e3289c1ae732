//! `crate::a::B`, `crate::links::resolve::x`, `recall_core::Document`.

use crate::links::path_text::{directory_of, module_of};
use crate::links::resolve::guess::{Guess, Reach, Thing, guess};

const FILES: Thing = Thing::Module(&["rs"]);

/// The crates that come with the compiler.
const OWN: &[&str] = &["std", "core", "alloc", "proc_macro", "test"];

/// The parts of a path after its crate that can name modules; items follow them.
const MOST_MODULES: usize = 6;

pub(crate) fn guesses(from: &str, target: &str) -> Vec<Guess> {
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
        found.push(guess(path, reach, FILES));
    }
}

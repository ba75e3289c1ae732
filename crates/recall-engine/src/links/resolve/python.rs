//! `a.b.c`, `.sibling`, `..package.module`.

use crate::links::path_text::{directory_of, join};
use crate::links::resolve::guess::{Guess, Reach, Thing, guess, tail};

const FILES: Thing = Thing::Module(&["py", "pyi", "pyx", "ipynb"]);

pub(crate) fn guesses(from: &str, target: &str) -> Vec<Guess> {
    let dots = target.bytes().take_while(|byte| *byte == b'.').count();
    let name = &target[dots..];
    let parts: Vec<&str> = name.split('.').filter(|part| !part.is_empty()).collect();
    if dots > 0 {
        let ups = "../".repeat(dots - 1);
        let Some(base) = join(directory_of(from), &ups) else { return Vec::new() };
        let modules = (0..=parts.len()).rev().filter_map(|depth| join(&base, &parts[..depth].join("/")));
        return modules.map(|module| guess(module, Reach::Here, FILES)).collect();
    }
    let mut found = Vec::new();
    let whole = parts.join("/");
    if parts.len() == 1 {
        // A name without dots is nearly always a library, unless it is next to the file or at a root.
        found.extend(join(directory_of(from), &whole).map(|path| guess(path, Reach::Here, FILES)));
        found.push(guess(whole.clone(), Reach::Here, FILES));
        found.push(guess(format!("src/{whole}"), Reach::Anywhere, FILES));
        return found;
    }
    for depth in (2..=parts.len()).rev() {
        found.push(guess(parts[..depth].join("/"), Reach::Anywhere, FILES));
    }
    // The store's root may be the package itself.
    found.push(guess(tail(&parts, 1), Reach::Here, FILES));
    found.push(guess(parts[0], Reach::Here, FILES));
    found
}

//! Imports by file path: C and related languages, Zig, shells, Terraform.

use crate::links::resolve::guess::{Guess, Reach, Thing, beside, guess};

/// Resolves `"x.h"`: next to the file, or below an include directory.
pub(crate) fn guesses(from: &str, target: &str) -> Vec<Guess> {
    beside_or_anywhere(from, target)
}

/// `@import("x.zig")`; other names are packages of the build.
pub(crate) fn zig_guesses(from: &str, target: &str) -> Vec<Guess> {
    let is_file = target.contains('.');
    let path = beside(from, target).filter(|_| is_file);
    path.into_iter().map(|path| guess(path, Reach::Here, Thing::File)).collect()
}

/// Resolves `source lib/x.sh`, ignoring a computed directory before it.
pub(crate) fn sourced_guesses(from: &str, target: &str) -> Vec<Guess> {
    beside_or_anywhere(from, target.trim_start_matches('/'))
}

/// Resolves `./modules/vpc`: the files of a directory.
pub(crate) fn terraform_guesses(from: &str, target: &str) -> Vec<Guess> {
    let path = beside(from, target).filter(|path| target.starts_with('.') && !path.is_empty());
    path.into_iter().map(|path| guess(path, Reach::Here, Thing::Package(&["tf"]))).collect()
}

fn beside_or_anywhere(from: &str, target: &str) -> Vec<Guess> {
    let mut found: Vec<Guess> =
        beside(from, target).into_iter().map(|path| guess(path, Reach::Here, Thing::File)).collect();
    let plain = target.trim_start_matches("./");
    if !plain.starts_with("../") {
        found.push(guess(plain, Reach::Anywhere, Thing::File));
    }
    found
}

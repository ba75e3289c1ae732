//! Which files does an import mean, by the conventions of its language?
//!
//! Pure: from a language, the path of the importing file and the text of the import to [`Guess`]es, the likeliest first.
//! Which of them exist is looked up by the caller. Manifests are not read: the name of a package is found by the name of
//! its directory.

mod files;
mod guess;
mod names;
mod packages;
mod prose;
mod python;
mod rust;
mod web;

pub(crate) use guess::{Guess, Reach, Thing};

/// How imports of some languages name files.
struct Convention {
    languages: &'static [&'static str],
    guesses: fn(from: &str, target: &str) -> Vec<Guess>,
}

const CONVENTIONS: &[Convention] = &[
    Convention { languages: &["rust"], guesses: rust::guesses },
    Convention { languages: &["python", "jupyter"], guesses: python::guesses },
    Convention {
        languages: &["javascript", "typescript", "tsx", "vue", "svelte", "astro"],
        guesses: web::script_guesses,
    },
    Convention { languages: &["html", "css", "scss", "sass", "less"], guesses: web::page_guesses },
    Convention { languages: &["go"], guesses: packages::go_guesses },
    Convention { languages: &["java", "kotlin", "scala", "groovy"], guesses: packages::class_guesses },
    Convention { languages: &["csharp"], guesses: packages::namespace_guesses },
    Convention { languages: &["swift"], guesses: packages::target_guesses },
    Convention { languages: &["c", "cpp", "objc"], guesses: files::guesses },
    Convention { languages: &["zig"], guesses: files::zig_guesses },
    Convention { languages: &["bash", "fish"], guesses: files::sourced_guesses },
    Convention { languages: &["ruby"], guesses: names::ruby_guesses },
    Convention { languages: &["php"], guesses: names::php_guesses },
    Convention { languages: &["lua"], guesses: names::lua_guesses },
    Convention { languages: &["elixir"], guesses: names::elixir_guesses },
    Convention { languages: &["haskell"], guesses: names::haskell_guesses },
    Convention { languages: &["markdown", "rst", "asciidoc", "text", "org", "jupyter"], guesses: prose::guesses },
];

/// Languages whose code uses each other's definitions by name. A language that is not listed uses its own.
const FAMILIES: &[&[&str]] = &[
    &["javascript", "typescript", "tsx", "vue", "svelte", "astro"],
    &["c", "cpp", "objc"],
    &["java", "kotlin", "scala", "groovy"],
    &["python", "jupyter"],
];

/// Languages whose code can name of other files only what it imports: no directory, package or receiver lends names.
const ONLY_IMPORTS: &[&str] = &["haskell"];

/// The files that an import in a file may mean, the likeliest first; none where the language has no convention that is
/// known, or the target is one of its own library.
pub(crate) fn guesses(language: &str, from: &str, target: &str) -> Vec<Guess> {
    let conventions = CONVENTIONS.iter().filter(|convention| convention.languages.contains(&language));
    conventions.flat_map(|convention| (convention.guesses)(from, target)).collect()
}

/// A language under which all that share its definitions are known.
pub(crate) fn family(language: &str) -> &str {
    FAMILIES.iter().find(|family| family.contains(&language)).map_or(language, |family| family[0])
}

/// Whether code of a language can name of other files only what it imports, or what they pass on that it imports.
pub(crate) fn names_only_imports(language: &str) -> bool {
    ONLY_IMPORTS.contains(&language)
}

#[cfg(test)]
mod tests;

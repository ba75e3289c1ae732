//! Resolution of imports to files, by the conventions of each language.
//!
//! A pure function: from a language, the path of the importing file and the text of the import to [`Guess`]es, the likeliest
//! first. The caller checks which of them exist. Manifests are not read: a package is found by the name of its directory.

mod packages;
mod web;
pub(crate) use super::path_text::{Guess, Reach, Thing};

/// The import convention of some languages.
struct Convention {
    languages: &'static [&'static str],
    guesses: fn(from: &str, target: &str) -> Vec<Guess>,
}

const CONVENTIONS: &[Convention] = &[
    Convention { languages: &["rust"], guesses: packages::rust_guesses },
    Convention { languages: &["python", "jupyter"], guesses: packages::python_guesses },
    Convention {
        languages: &["javascript", "typescript", "tsx", "vue", "svelte", "astro"],
        guesses: web::script_guesses,
    },
    Convention { languages: &["html", "css", "scss", "sass", "less"], guesses: web::page_guesses },
    Convention { languages: &["html", "template"], guesses: web::template_guesses },
    Convention { languages: &["hcl"], guesses: web::terraform_guesses },
    Convention { languages: &["go"], guesses: packages::go_guesses },
    Convention { languages: &["java", "kotlin", "scala", "groovy"], guesses: packages::class_guesses },
    Convention { languages: &["csharp"], guesses: packages::namespace_guesses },
    Convention { languages: &["swift"], guesses: packages::target_guesses },
    Convention { languages: &["c", "cpp", "objc"], guesses: web::include_guesses },
    Convention { languages: &["zig"], guesses: web::zig_guesses },
    Convention { languages: &["bash", "fish"], guesses: web::sourced_guesses },
    Convention { languages: &["ruby"], guesses: packages::ruby_guesses },
    Convention { languages: &["php"], guesses: packages::php_guesses },
    Convention { languages: &["lua"], guesses: packages::lua_guesses },
    Convention { languages: &["elixir"], guesses: packages::elixir_guesses },
    Convention { languages: &["haskell"], guesses: packages::haskell_guesses },
    Convention { languages: &["markdown", "rst", "asciidoc", "text", "org", "jupyter"], guesses: web::link_guesses },
];

/// Groups of languages whose code uses each other's definitions by name. Any other language uses only its own.
const FAMILIES: &[&[&str]] = &[
    &["javascript", "typescript", "tsx", "vue", "svelte", "astro"],
    &["c", "cpp", "objc"],
    &["java", "kotlin", "scala", "groovy"],
    &["python", "jupyter"],
];

/// Languages whose texts use names of any language: helpers, tags, components, functions of a script.
const USE_ALL: &[&str] = &["html", "template"];

/// Languages in which a reference with a module before it is the address of a definition: `aws_s3_bucket.logs`, `ConfigMap.web`.
const BY_ADDRESS: &[&str] = &["hcl", "template", "yaml"];

/// Languages whose code can use only names that it imports: no name comes from a directory, a package or a receiver.
const ONLY_IMPORTS: &[&str] = &["haskell"];

/// Returns the files that an import may mean, the likeliest first. Empty if the language has no known convention, or the target
/// belongs to its standard library.
pub(crate) fn guesses(language: &str, from: &str, target: &str) -> Vec<Guess> {
    let conventions = CONVENTIONS.iter().filter(|convention| convention.languages.contains(&language));
    conventions.flat_map(|convention| (convention.guesses)(from, target)).collect()
}

/// Returns the language that represents the group of languages with shared definitions.
pub(crate) fn family(language: &str) -> &str {
    FAMILIES.iter().find(|family| family.contains(&language)).map_or(language, |family| family[0])
}

/// Returns whether texts of a group of languages use names that are defined in any language.
pub(crate) fn uses_all_languages(family: &str) -> bool {
    USE_ALL.contains(&family)
}

/// Returns whether a reference in a language may be the address of a definition: its whole qualified name.
pub(crate) fn names_by_address(language: &str) -> bool {
    BY_ADDRESS.contains(&language)
}

/// Returns whether code of a language can use only names that it imports, or that its imports re-export.
pub(crate) fn names_only_imports(language: &str) -> bool {
    ONLY_IMPORTS.contains(&language)
}

#[cfg(test)]
mod tests;

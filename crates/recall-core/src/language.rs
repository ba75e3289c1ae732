//! Programming and markup languages.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::nearest::near;

/// A language's name in lower case without spaces: `rust`, `csharp`, `markdown`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(Cow<'static, str>);

/// The names of all recognised languages, ascending.
pub const LANGUAGES: &[&str] = &[
    "asciidoc",
    "asm",
    "astro",
    "awk",
    "bash",
    "batch",
    "c",
    "clojure",
    "cmake",
    "config",
    "cpp",
    "crystal",
    "csharp",
    "css",
    "csv",
    "d",
    "dart",
    "diff",
    "dockerfile",
    "elixir",
    "erlang",
    "fish",
    "fortran",
    "fsharp",
    "go",
    "gomod",
    "graphql",
    "groovy",
    "haskell",
    "hcl",
    "html",
    "java",
    "javascript",
    "json",
    "jsonl",
    "julia",
    "jupyter",
    "just",
    "kotlin",
    "latex",
    "less",
    "lisp",
    "lua",
    "make",
    "markdown",
    "nim",
    "nix",
    "objc",
    "ocaml",
    "org",
    "pascal",
    "perl",
    "php",
    "powershell",
    "prisma",
    "proto",
    "python",
    "r",
    "rst",
    "ruby",
    "rust",
    "sass",
    "scala",
    "scheme",
    "scss",
    "shader",
    "solidity",
    "sql",
    "svelte",
    "swift",
    "template",
    "text",
    "thrift",
    "toml",
    "tsx",
    "typescript",
    "vb",
    "verilog",
    "vhdl",
    "vim",
    "vue",
    "xml",
    "yaml",
    "zig",
];

/// Other names of languages, and the extensions of their files.
const ALIASES: &[(&str, &str)] = &[
    ("c#", "csharp"),
    ("c++", "cpp"),
    ("cc", "cpp"),
    ("cs", "csharp"),
    ("docker", "dockerfile"),
    ("f#", "fsharp"),
    ("golang", "go"),
    ("hs", "haskell"),
    ("js", "javascript"),
    ("jsx", "javascript"),
    ("kt", "kotlin"),
    ("makefile", "make"),
    ("md", "markdown"),
    ("node", "javascript"),
    ("objective-c", "objc"),
    ("plaintext", "text"),
    ("protobuf", "proto"),
    ("ps1", "powershell"),
    ("py", "python"),
    ("python3", "python"),
    ("rb", "ruby"),
    ("rs", "rust"),
    ("sh", "bash"),
    ("shell", "bash"),
    ("terraform", "hcl"),
    ("tex", "latex"),
    ("ts", "typescript"),
    ("txt", "text"),
    ("yml", "yaml"),
    ("zsh", "bash"),
];

impl Language {
    /// A language known by name at compile time.
    pub const fn known(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Language {
    /// Takes any name, known or not.
    fn from(name: String) -> Self {
        Self(Cow::Owned(name))
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    /// Parses a language's name or alias, in any case: `py` is `python`, `c++` is `cpp`.
    fn from_str(text: &str) -> Result<Self, UnknownLanguage> {
        let lower = text.trim().to_lowercase();
        let meant = ALIASES.iter().find(|(alias, _)| *alias == lower).map_or(lower.as_str(), |&(_, name)| name);
        match LANGUAGES.iter().find(|known| **known == meant) {
            Some(known) => Ok(Self::known(known)),
            None => Err(UnknownLanguage { text: text.to_owned(), near: near(&lower, LANGUAGES.iter().copied()) }),
        }
    }
}

/// The text does not name a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLanguage {
    /// The rejected text.
    pub text: String,
    /// The names nearest to it, nearest first.
    pub near: Vec<&'static str>,
}

impl std::error::Error for UnknownLanguage {}

impl fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// A longer value is not a typing mistake.
        const SHOWN_BYTES: usize = 80;
        write!(f, "unknown language `{}`", &self.text[..self.text.floor_char_boundary(SHOWN_BYTES)])?;
        if self.near.is_empty() {
            return f.write_str(": expected a name such as rust, python, typescript, cpp, csharp, markdown, yaml");
        }
        let near: Vec<String> = self.near.iter().map(|name| format!("`{name}`")).collect();
        write!(f, "; did you mean {}?", near.join(" or "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_parsed_by_name_or_alias_in_any_case() {
        let check = |text: &str, expected| {
            let read = text.parse::<Language>();
            assert_eq!(read.as_ref().map(Language::as_str).map_err(ToString::to_string), expected, "{text}");
        };
        check("rust", Ok("rust"));
        check(" Python", Ok("python"));
        check("C++", Ok("cpp"));
        check("yml", Ok("yaml"));
        check("pyton", Err("unknown language `pyton`; did you mean `python`?".to_owned()));
        check("scal", Err("unknown language `scal`; did you mean `scala`?".to_owned()));
        let examples = "expected a name such as rust, python, typescript, cpp, csharp, markdown, yaml";
        check("klingon", Err(format!("unknown language `klingon`: {examples}")));
    }

    #[test]
    fn names_are_sorted_and_aliases_refer_to_known_ones() {
        assert!(LANGUAGES.is_sorted());
        for (alias, name) in ALIASES {
            assert!(LANGUAGES.contains(name), "{name}");
            assert!(!LANGUAGES.contains(alias), "{alias} is a name itself");
        }
    }
}

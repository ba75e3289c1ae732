//! Whether a value refers to a secret instead of being one.

use super::words;
use crate::finding::is_masked;

/// Returns whether the value is a variable, a template, a call, a path, an address, a password hash, or contains a
/// mask.
pub(super) fn is_reference(value: &str) -> bool {
    is_masked(value)
        || PARTS.iter().any(|part| value.contains(part))
        || BEGINNINGS.iter().any(|beginning| starts_with_ignoring_case(value, beginning))
        || (FIELDS.iter().any(|field| value.starts_with(field) || value.ends_with(field)) && !has_digit(value))
        || is_variable(value)
        || is_path(value)
}

fn has_digit(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
}

/// Substrings that occur only in templates, elisions and encodings.
const PARTS: &[&str] = &[
    "${",
    "$(",
    "#{",
    "{{",
    "}}",
    "<%",
    "%>",
    "{}",
    "{0}",
    "://",
    "...",
    "…",
    "***",
    "•••",
    "xxxx",
    "XXXX",
    "::",
    "()",
    "->",
    "=>",
    "&&",
    "||",
    "\\(",
    "\\x",
    "\\u",
];

/// Format directives at the beginning or end of a value. In the middle, a password may contain them too.
const FIELDS: &[&str] = &["%s", "%d", "%v", "%q", "%@", "%w"];

/// Prefixes of references to secret stores, password hashes, checksums, public keys, data URLs and member accesses.
const BEGINNINGS: &[&str] = &[
    "$1$",
    "$2a$",
    "$2b$",
    "$2y$",
    "$5$",
    "$6$",
    "$argon2",
    "$pbkdf2",
    "$scrypt",
    "{bcrypt}",
    "{sha",
    "{cipher}",
    "pbkdf2",
    "argon2",
    "bcrypt",
    "scrypt",
    "sha1",
    "sha2",
    "sha3",
    "sha5",
    "sha-",
    "md5",
    "enc[",
    "enc(",
    "vault:",
    "secret:",
    "env:",
    "env.",
    "ssm:",
    "arn:",
    "file:",
    "op:",
    "ref:",
    "data:",
    "ssh-",
    "ecdsa-",
    "aaaab3nza",
    "aaaac3nza",
    "urn:",
    "process.",
    "os.",
    "self.",
    "this.",
    "config.",
    "args.",
    "data.",
    "local.",
    "var.",
    "secrets.",
    "github.",
    "steps.",
    "module.",
    "aws4-",
    "params.",
    "request.",
    "options.",
    "settings.",
    "user.",
    "http:",
    "https:",
];

/// Returns whether the value is written like a variable: `$TOKEN`, `%TOKEN%`, `<token>`, `{token}`, `@token`, `:token`,
/// `_TOKEN_`.
fn is_variable(value: &str) -> bool {
    let Some(first) = value.chars().next() else { return true };
    let name = || value[1..].trim_start_matches(['@', '%']).trim_end_matches(['%', '>', '}', ']', '@', ';']);
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "_-. ".contains(c));
    match first {
        '<' | '{' | '[' | '(' => true,
        '$' | '%' | '@' | ':' | '&' | '*' | '!' => is_name(name()) && !has_digit(name()) && !words::are_random(name()),
        '_' => value.ends_with('_'),
        _ => false,
    }
}

/// Returns whether the value is a path or a file name.
fn is_path(value: &str) -> bool {
    let names_file = value.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending));
    let is_plain = |segment: &str| segment.chars().all(|c| c.is_ascii_lowercase() || "-_.:".contains(c));
    let plain_bytes =
        |value: &str| value.split('/').filter(|part| is_plain(part)).map(|part| part.len() + 1).sum::<usize>();
    names_file
        || value.starts_with("./")
        || value.starts_with("../")
        || value.starts_with("~/")
        || (value.contains('/') && plain_bytes(value) * 2 > value.len())
        || value.as_bytes().get(1..3) == Some(b":\\")
}

const ENDINGS: &[&str] = &[
    "pem",
    "key",
    "crt",
    "cer",
    "p12",
    "pfx",
    "jks",
    "json",
    "yaml",
    "yml",
    "toml",
    "txt",
    "env",
    "conf",
    "cfg",
    "ini",
    "js",
    "ts",
    "py",
    "rb",
    "go",
    "rs",
    "java",
    "cs",
    "php",
    "html",
    "css",
    "svg",
    "png",
    "md",
    "sh",
    "xml",
    "properties",
];

fn starts_with_ignoring_case(value: &str, lower: &str) -> bool {
    value.as_bytes().get(..lower.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(lower.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_to_a_secret_is_recognized() {
        for (value, expected) in [
            ("${DB_PASSWORD}", true),
            ("$TOKEN", true),
            ("%(password)s", false),
            ("<your-token>", true),
            ("{{ vault.password }}", true),
            ("process.env.API_KEY", true),
            ("config/secrets/prod", true),
            ("server.key", true),
            ("$2a$12$abcdefghijklmnopqrstuv", true),
            ("[secret: key]", true),
            ("$ecr3tP4ss", false),
            ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYkey4", false),
            ("Tr0ub4dor&3", false),
        ] {
            assert_eq!(is_reference(value), expected, "{value}");
        }
    }
}

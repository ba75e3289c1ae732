//! Whether a name denotes a secret.

/// Returns whether a name still denotes a secret with what follows the keyword: `api_key_prod` does; `api_key_id`,
/// `tokenizer` and `passwords` do not.
pub(super) fn keeps_secret(word: &str, suffix: &str) -> bool {
    let goes_on = match suffix.as_bytes().first() {
        None => return true,
        Some(first) if first.is_ascii_lowercase() => false,
        // `apiKey` ends before an upper-case letter, `API_KEY` does not.
        Some(first) if first.is_ascii_uppercase() => word.bytes().any(|byte| byte.is_ascii_lowercase()),
        Some(_) => true,
    };
    goes_on
        && segments(suffix)
            .all(|segment| SECRET_SEGMENTS.contains(&segment.to_ascii_lowercase().as_str()) || is_number(segment))
}

/// Returns whether what precedes the keyword makes the value public: the token of the next page, a public key.
pub(super) fn makes_public(before: &str) -> bool {
    segments(before).any(|segment| PUBLIC_SEGMENTS.contains(&segment.to_ascii_lowercase().as_str()))
}

/// Segments that may follow without changing the meaning: more of the same, a format, an environment.
const SECRET_SEGMENTS: &[&str] = &[
    "access",
    "admin",
    "api",
    "app",
    "auth",
    "backup",
    "base64",
    "b64",
    "base",
    "client",
    "cookie",
    "current",
    "database",
    "db",
    "default",
    "dev",
    "development",
    "dsn",
    "encoded",
    "env",
    "hex",
    "key",
    "live",
    "local",
    "master",
    "new",
    "old",
    "pass",
    "password",
    "personal",
    "plain",
    "plaintext",
    "prod",
    "production",
    "raw",
    "root",
    "sandbox",
    "secret",
    "stage",
    "staging",
    "str",
    "string",
    "ssh",
    "test",
    "testing",
    "text",
    "token",
    "user",
    "val",
    "value",
    "v1",
    "v2",
    "v3",
];

/// Segments that make a token or key public or harmless.
const PUBLIC_SEGMENTS: &[&str] = &[
    "next",
    "page",
    "continuation",
    "continue",
    "cancel",
    "cancellation",
    "sync",
    "resume",
    "cursor",
    "pagination",
    "stop",
    "eos",
    "bos",
    "pad",
    "unk",
    "mask",
    "public",
    "publishable",
    "csrf",
    "xsrf",
    "antiforgery",
    "authenticity",
    "lexer",
    "parser",
    "syntax",
    "push",
    "idempotency",
    "design",
    "no",
    "without",
    "invalid",
    "wrong",
    "bad",
    "fake",
    "dummy",
    "mock",
    "placeholder",
    "example",
    "sample",
];

fn is_number(segment: &str) -> bool {
    segment.len() <= 2 && segment.bytes().all(|byte| byte.is_ascii_digit())
}

/// Splits a name into words at separators and changes of case.
fn segments(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).flat_map(|part| {
        let bytes = part.as_bytes();
        let mut start = 0;
        let mut words = Vec::new();
        for at in 1..bytes.len() {
            if bytes[at].is_ascii_uppercase() && !bytes[at - 1].is_ascii_uppercase() {
                words.push(&part[start..at]);
                start = at;
            }
        }
        words.push(&part[start..]);
        words.into_iter().filter(|word| !word.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suffix_decides_whether_a_name_denotes_a_secret() {
        for (word, suffix, expected) in [
            ("password", "", true),
            ("password", "Prod", true),
            ("API_KEY", "_V2", true),
            ("token", "_1", true),
            ("token", "izer", false),
            ("TOKEN", "IZER", false),
            ("password", "s", false),
            ("secret", "_name", false),
            ("token", "Expiry", false),
            ("secret", "AccessKey", true),
        ] {
            assert_eq!(keeps_secret(word, suffix), expected, "{word}{suffix}");
        }
    }

    #[test]
    fn a_prefix_may_make_a_name_harmless() {
        for (before, expected) in
            [("next", true), ("", false), ("my.app.public_", true), ("db_", false), ("nextPage", true)]
        {
            assert_eq!(makes_public(before), expected, "{before}");
        }
    }
}

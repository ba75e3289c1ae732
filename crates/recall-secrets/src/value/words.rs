//! Is a value made of words?

/// What stands in values that protect nothing: examples, placeholders, and what the value is for. Longer words first, so that
/// none hides in another.
const WORDS: &[&str] = &[
    "authentication", "authorization", "placeholder", "credentials", "production", "integration", "passphrase", "credential",
    "changeme", "redacted", "password", "passwort", "username", "internal", "external", "whatever", "anything", "something",
    "generate", "insecure", "unittest", "database", "postgres", "rabbitmq", "localhost", "security", "undefined", "example",
    "private", "replace", "default", "testing", "invalid", "correct", "service", "account", "session", "foobar", "client",
    "secret", "sample", "string", "passwd", "public", "dummy", "access", "bearer", "qwerty", "insert", "foobaz", "github",
    "random", "server", "signing", "encrypted", "encryption", "refresh", "webhook", "another", "letmein", "welcome",
    "monkey", "dragon", "simple", "minimum", "maximum", "length", "values", "tokens", "oauth", "token", "admin", "guest",
    "value", "wrong", "other", "hello", "world", "fixme", "never", "mysql", "redis", "mongo", "local", "super", "plain",
    "valid", "index", "field", "input", "label", "login", "email", "state", "nonce", "query", "param", "param", "utf-8",
    "const", "shared", "really", "strong", "secure", "please", "enter", "first", "second", "third", "your", "here", "test",
    "fake", "mock", "user", "pass", "root", "name", "code", "todo", "none", "null", "true", "false", "base", "utf8", "some",
    "data", "type", "demo", "temp", "that", "this", "with", "from", "auth", "role", "text", "word", "long", "short", "char",
    "sha256", "sha512", "sha1", "azerty", "abc", "xyz", "foo", "bar", "baz", "qux", "key", "api", "app", "the", "for", "not",
    "new", "old", "dev", "prod", "env", "jwt", "rsa", "aes", "sha", "md5", "hex", "b64", "123", "xxx", "my", "id",
];

/// How many letters, digits and strong symbols are left of a value without words, runs of one character and digits at the end.
pub(super) fn residue(value: &str) -> usize {
    let mut left = value.to_ascii_lowercase();
    for word in WORDS {
        if left.contains(word) {
            left = left.replace(word, "\u{0}");
        }
    }
    let digits_at_end = if left.contains('\u{0}') { left.len() - left.trim_end_matches(|c: char| c.is_ascii_digit()).len() } else { 0 };
    let counted = left[..left.len() - digits_at_end].chars();
    counted.filter(|c| c.is_alphanumeric() || "!@#$%^&*+=?~".contains(*c)).count()
}

/// Whether a value consists of words and small numbers: `service-account-2`, `us-east-1`, `accessTokenV2`, `DB_PASSWORD`.
pub(super) fn is_wordy(value: &str) -> bool {
    let mut segments = 0;
    let all = value.split(|c: char| "_-.:/+=@,".contains(c)).filter(|segment| !segment.is_empty()).all(|segment| {
        segments += 1;
        let word = segment.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = segment.len() - word.len();
        let is_number = word.is_empty() && digits <= 8;
        is_number || (digits <= 2 && is_word(word))
    });
    // One word with digits behind is a password as often as a name.
    let is_one_with_digits = segments == 1 && value.ends_with(|c: char| c.is_ascii_digit()) && value.len() < 12;
    all && !is_one_with_digits
}

/// Whether letters are in one case, or change it as camel case does.
fn is_word(segment: &str) -> bool {
    if !segment.chars().all(char::is_alphabetic) {
        return false;
    }
    let changes = segment.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let vowels = segment.bytes().filter(|byte| b"aeiouyAEIOUY".contains(byte)).count();
    let longest_word = 24;
    changes.count() * 4 <= segment.len() && vowels * 6 >= segment.len() && segment.len() <= longest_word
        || segment.len() <= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_leave_no_residue() {
        for (value, expected) in [("password123", 0), ("my-secret-token", 0), ("hunter2", 7), ("test_api_key_1234", 0)] {
            assert_eq!(residue(value), expected, "{value}");
        }
    }

    #[test]
    fn names_are_words_and_random_letters_are_not() {
        for (value, expected) in [
            ("service-account-2", true),
            ("us-east-1", true),
            ("accessTokenValue", true),
            ("DB_PASSWORD", true),
            ("hunter2", false),
            ("9fK2mQx7Lp3Tz8Wv", false),
            ("qL-x8_Zk2-M9vR4t", false),
        ] {
            assert_eq!(is_wordy(value), expected, "{value}");
        }
    }
}

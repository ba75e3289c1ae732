//! Whether a value is made of words, or by the statistics of letter pairs of random letters.

use std::sync::LazyLock;

/// Words of values that protect nothing: examples, placeholders, and descriptions of the value's use.
const WORDS: &[&str] = &[
    "authentication",
    "authorization",
    "placeholder",
    "credentials",
    "production",
    "integration",
    "passphrase",
    "credential",
    "changeme",
    "redacted",
    "password",
    "passwort",
    "username",
    "internal",
    "external",
    "whatever",
    "anything",
    "something",
    "generate",
    "insecure",
    "unittest",
    "database",
    "postgres",
    "rabbitmq",
    "localhost",
    "security",
    "undefined",
    "example",
    "private",
    "replace",
    "default",
    "testing",
    "invalid",
    "correct",
    "service",
    "account",
    "session",
    "foobar",
    "client",
    "secret",
    "sample",
    "string",
    "passwd",
    "public",
    "dummy",
    "access",
    "bearer",
    "qwerty",
    "insert",
    "foobaz",
    "github",
    "random",
    "server",
    "signing",
    "encrypted",
    "encryption",
    "refresh",
    "webhook",
    "another",
    "letmein",
    "welcome",
    "monkey",
    "dragon",
    "simple",
    "minimum",
    "maximum",
    "length",
    "values",
    "tokens",
    "oauth",
    "token",
    "admin",
    "guest",
    "value",
    "wrong",
    "other",
    "hello",
    "world",
    "fixme",
    "never",
    "mysql",
    "redis",
    "mongo",
    "local",
    "super",
    "plain",
    "valid",
    "index",
    "field",
    "input",
    "label",
    "login",
    "email",
    "state",
    "nonce",
    "query",
    "param",
    "param",
    "utf-8",
    "const",
    "shared",
    "really",
    "strong",
    "secure",
    "please",
    "enter",
    "first",
    "second",
    "third",
    "your",
    "here",
    "test",
    "fake",
    "mock",
    "user",
    "pass",
    "root",
    "name",
    "code",
    "todo",
    "none",
    "null",
    "true",
    "false",
    "base",
    "utf8",
    "some",
    "data",
    "type",
    "demo",
    "temp",
    "that",
    "this",
    "with",
    "from",
    "auth",
    "role",
    "text",
    "word",
    "long",
    "short",
    "char",
    "sha256",
    "sha512",
    "sha1",
    "azerty",
    "abc",
    "xyz",
    "foo",
    "bar",
    "baz",
    "qux",
    "key",
    "api",
    "app",
    "the",
    "for",
    "not",
    "new",
    "old",
    "dev",
    "prod",
    "env",
    "jwt",
    "rsa",
    "aes",
    "sha",
    "md5",
    "hex",
    "b64",
    "123",
    "xxx",
    "my",
    "id",
];

/// Counts the letters, digits and strong symbols of a value outside words. If there was a word, digits at the end do
/// not count.
pub(super) fn residue(value: &str) -> usize {
    let value = value.to_ascii_lowercase();
    let (mut left, mut digits_at_end, mut has_word) = (0, 0, false);
    let mut rest = value.as_str();
    while let Some(first) = rest.chars().next() {
        if let Some(word) = words_from(first).iter().find(|word| rest.starts_with(**word)) {
            rest = &rest[word.len()..];
            (digits_at_end, has_word) = (0, true);
            continue;
        }
        let counts = first.is_alphanumeric() || "!@#$%^&*+=?~".contains(first);
        left += usize::from(counts);
        digits_at_end = if first.is_ascii_digit() { digits_at_end + 1 } else { 0 };
        rest = &rest[first.len_utf8()..];
    }
    if has_word { left - digits_at_end } else { left }
}

/// Returns the words that begin with a character, longest first.
fn words_from(first: char) -> &'static [&'static str] {
    static BY_FIRST: LazyLock<[Vec<&str>; 128]> = LazyLock::new(|| {
        let mut by_first = [const { Vec::new() }; 128];
        for word in WORDS {
            by_first[usize::from(word.as_bytes()[0])].push(*word);
        }
        for words in &mut by_first {
            words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        }
        by_first
    });
    BY_FIRST.get(first as usize).map_or(&[], Vec::as_slice)
}

/// Returns whether a value consists of words and small numbers: `service-account-2`, `us-east-1`, `accessTokenV2`,
/// `DB_PASSWORD`.
pub(super) fn is_wordy(value: &str) -> bool {
    let mut segments = 0;
    let all = value.split(|c: char| "_-.:/".contains(c)).filter(|segment| !segment.is_empty()).all(|segment| {
        segments += 1;
        let word = segment.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = segment.len() - word.len();
        let is_number = word.is_empty() && (digits <= 4 || digits == 8);
        is_number || (digits <= 2 && is_word(word))
    });
    // One word followed by digits is a password as often as a name.
    let is_one_with_digits = segments == 1 && value.ends_with(|c: char| c.is_ascii_digit()) && value.len() < 12;
    all && !is_one_with_digits
}

/// Returns whether letters are in one case or in camel case, and follow each other as in words.
fn is_word(segment: &str) -> bool {
    if !segment.chars().all(char::is_alphabetic) || (segment.len() >= LEAST_PAIRED && are_random(segment)) {
        return false;
    }
    let count = |holds: fn(&u8) -> bool| segment.bytes().filter(holds).count();
    let humps =
        segment.as_bytes().windows(2).filter(|p| p[0].is_ascii_lowercase() && p[1].is_ascii_uppercase()).count();
    let uppers = count(u8::is_ascii_uppercase);
    let is_cased =
        uppers == segment.len() || (uppers <= humps + 1 && (humps == 0 || (humps + 1) * LEAST_HUMP <= segment.len()));
    let vowels = count(|byte| b"aeiouyAEIOUY".contains(byte));
    is_cased && (segment.len() <= 3 || vowels * 6 >= segment.len()) && segment.len() <= LONGEST_WORD
}

/// The least length from which letter pairs are checked. Shorter segments have too few pairs.
const LEAST_PAIRED: usize = 10;

/// The least mean length of the words of a camel-case name. Random letters change case at every second letter.
const LEAST_HUMP: usize = 3;

/// The longest word. Names of several words in one case without separators are shorter.
const LONGEST_WORD: usize = 24;

/// For each letter, the letters that rarely follow it. These pairs are less than 0.06 % of those in 53,000 distinct
/// words and identifiers of source code and documentation.
const RARE: [&[u8]; 26] = [
    b"hjoqwz",
    b"fghkmnpqtvwxz",
    b"gjnqvwxyz",
    b"ghjkmnqvxyz",
    b"hjkz",
    b"bghjkmnpqvwxyz",
    b"bcdfgjkmpqvwxyz",
    b"bcdfghjklmnpqsuvwxyz",
    b"hijkquwy",
    b"abcdfghijklmnopqrstuvwxyz",
    b"bcdfghjklmnopqrtuvwxyz",
    b"bfghjkmnqrvwxz",
    b"cfghjklnqrtvwxyz",
    b"bhjmqrwxyz",
    b"ehjqxyz",
    b"bgjkmnqvwxz",
    b"abcdefghijklmnopqrstvwxyz",
    b"hjqwxz",
    b"bfjqvwx",
    b"gjkqvwxz",
    b"ghjkoquvwxyz",
    b"bcdfghjklmnpqrstuvwxyz",
    b"bcdfghjklmpqtuvwxyz",
    b"abcdfghjklmnoqrsuvwxyz",
    b"abcdefghijklmoqruvwxyz",
    b"abcdfghijklmnopqrstuvwxyz",
];

/// The least number of pairs that allows a decision.
const LEAST_PAIRS: usize = 6;

/// Returns whether at least three in ten pairs of adjacent letters are rare, ignoring case. This holds for 2 % of words
/// of eight letters or more, and for 80 % to 94 % of random letters.
pub(super) fn are_random(value: &str) -> bool {
    let is_pair = |pair: &&[u8]| pair[0].is_ascii_alphabetic() && pair[1].is_ascii_alphabetic();
    let is_rare = |pair: &&[u8]| {
        let [first, second] = [pair[0], pair[1]].map(|byte| byte.to_ascii_lowercase());
        RARE[usize::from(first - b'a')].contains(&second)
    };
    let pairs = value.as_bytes().windows(2).filter(is_pair);
    let (all, rare) = (pairs.clone().count(), pairs.filter(is_rare).count());
    all >= LEAST_PAIRS && rare * 10 >= all * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_leave_no_residue() {
        for (value, expected) in [("password123", 0), ("my-secret-token", 0), ("hunter2", 7), ("test_api_key_1234", 0)]
        {
            assert_eq!(residue(value), expected, "{value}");
        }
    }

    #[test]
    fn names_are_wordy_and_random_letters_are_not() {
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

    #[test]
    fn random_letters_have_rare_pairs_and_words_do_not() {
        for (value, expected) in [
            ("authenticator", false),
            ("configuration", false),
            ("kubernetes", false),
            ("geheimnisvoll", false),
            ("xkqzwvtrplmn", true),
            ("KQzWxMvRtPlN", true),
            ("sql", false),
        ] {
            assert_eq!(are_random(value), expected, "{value}");
        }
    }
}

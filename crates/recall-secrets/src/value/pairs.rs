//! Letter pair statistics, to recognize random letters.

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
